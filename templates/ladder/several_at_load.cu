// CS599 #5 to #9: several elements a thread while loading, side by side across the block; how
// many is known at compile time.
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared[BLOCK];
    const unsigned t = threadIdx.x;
    const unsigned long long i = (unsigned long long)blockIdx.x * (blockDim.x * ITEMS) + t;
    accum a = identity();
    #pragma unroll
    for (int k = 0; k < ITEMS; k++)
        a = combine(a, i + k * blockDim.x < n ? map(x[i + k * blockDim.x]) : identity());
    shared[t] = a;
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = combine(shared[t], shared[t + d]);
    }
    if (t == 0)
        y[blockIdx.x] = shared[0];
}
