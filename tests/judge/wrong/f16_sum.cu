// Accumulates in the precision of f16.
// judge --kernel total --type f32 --args 'input n output' --grid 1 --block 256 --n 2000
// says every size|some size|some launches
// To 11 bits, as f16 has them.
__device__ float rounded(float a)
{
    const unsigned bits = __float_as_uint(a);
    return __uint_as_float((bits + 0xfffu + (bits >> 13 & 1)) & ~0x1fffu);
}

__global__ void total(const float *x, int n, float *y)
{
    __shared__ float s[256];
    const int t = threadIdx.x;
    float a = 0;
    for (int i = t; i < n; i += 256)
        a = rounded(a + x[i]);
    s[t] = a;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        y[0] = s[0];
}
