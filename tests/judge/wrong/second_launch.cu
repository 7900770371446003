// Counts blocks in memory that is zero once, and never sets it back.
// judge --kernel total --type i32 --args 'input n output state scratch' --grid 'ceil_div(n, 256)' --block 256 --state 8 --scratch '4 * ceil_div(n, 256)' --n 2000
// says leaves its state other than zero
__global__ void total(const int *x, int n, int *y, unsigned *count, int *w)
{
    __shared__ int s[256];
    __shared__ int is_last;
    const int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        w[blockIdx.x] = s[0];
        __threadfence();
        is_last = atomicAdd(count, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && t == 0) {
        int a = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            a += w[b];
        y[0] = a;
    }
}
