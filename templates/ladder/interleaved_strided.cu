// Harris 2, CS599 #2, WangYu 1: interleaved addressing by threads side by side. Those
// of a warp go the same way now, but reach for shared memory in strides: bank conflicts.
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared[BLOCK];
    const unsigned t = threadIdx.x;
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + t;
    shared[t] = i < n ? map(x[i]) : identity();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        const unsigned at = 2 * d * t;
        __syncthreads();
        if (at < blockDim.x)
            shared[at] = combine(shared[at], shared[at + d]);
    }
    if (t == 0)
        y[blockIdx.x] = shared[0];
}
