// A barrier within a branch, which some threads of a block do not take.
// judge --kernel total --type i32 --args 'input n output' --grid 1 --block 256 --n 2000
// says reached by some threads
__global__ void total(const int *x, int n, int *y)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    int a = 0;
    for (int i = t; i < n; i += 256)
        a += x[i];
    s[t] = a;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) {
            s[t] += s[t + d];
            __syncthreads();
        }
    }
    if (t == 0)
        y[0] = s[0];
}
