// WangYu 3: two loads a thread, the second from the second half of the array, which begins as
// many elements further on as the grid has threads.
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared[BLOCK];
    const unsigned t = threadIdx.x;
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + t;
    const unsigned long long j = i + (unsigned long long)gridDim.x * blockDim.x;
    accum a = i < n ? map(x[i]) : identity();
    if (j < n)
        a = combine(a, map(x[j]));
    shared[t] = a;
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = combine(shared[t], shared[t + d]);
    }
    if (t == 0)
        y[blockIdx.x] = shared[0];
}
