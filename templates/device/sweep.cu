// Reads n words of 16 bytes and writes nothing, though the compiler cannot know: before a cold
// measurement of kernels that write as much as they read.
typedef struct __align__(16) { unsigned at[4]; } word;

__global__ void __launch_bounds__(256) sweep(const word *x, unsigned long long n, unsigned *y)
{
    unsigned any = 0;
    for (unsigned long long i = (unsigned long long)blockIdx.x * 256 + threadIdx.x; i < n;
         i += (unsigned long long)gridDim.x * 256) {
        const word got = x[i];
        any |= got.at[0] ^ got.at[1] ^ got.at[2] ^ got.at[3];
    }
    if (any != 0) // never: all words have four equal parts
        *y = any;
}
