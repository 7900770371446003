// Harris 3, CS599 #3, WangYu 2: sequential addressing. The first half of the
// threads combines with the second: neighbours go the same way, to neighbouring words.
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared[BLOCK];
    const unsigned t = threadIdx.x;
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + t;
    shared[t] = i < n ? map(x[i]) : identity();
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = combine(shared[t], shared[t + d]);
    }
    if (t == 0)
        y[blockIdx.x] = shared[0];
}
