// Threads without an element leave before the barrier.
// judge --kernel total --type i32 --args 'input n output' --grid 'ceil_div(n, 256)' --block 256 --zeroed --n 2000
// says reached by some threads
__global__ void total(const int *x, int n, int *y)
{
    __shared__ int s[256];
    const int t = threadIdx.x;
    const int i = blockIdx.x * 256 + t;
    if (i >= n)
        return;
    int a = x[i];
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
