// Harris 1, CS599 #1, WangYu 0: interleaved addressing. In each step those threads combine
// whose number is a multiple of twice the distance: few of every warp, all over the block.
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
        __syncthreads();
        //? if REMAINDER == DIVIDED
        if (t % (2 * d) == 0)
        //? else
        // By a power of two the remainder is a mask.
        if ((t & (2 * d - 1)) == 0)
        //? end
            shared[t] = combine(shared[t], shared[t + d]);
    }
    if (t == 0)
        y[blockIdx.x] = shared[0];
}
