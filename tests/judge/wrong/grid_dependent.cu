// Each block takes a share of n / gridDim.x elements, and the rest is nobody's.
// judge --kernel total --type i32 --args 'input n output' --grid 'min(7, ceil_div(n, 256))' --block 256 --zeroed --n 2000
// says some sizes|some size|some launches
__global__ void total(const int *x, int n, int *y)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    const int share = n / gridDim.x;
    int a = 0;
    for (int i = blockIdx.x * share + t; i < (blockIdx.x + 1) * share; i += 256)
        a += x[i];
    s[t] = a;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(y, s[0]);
}
