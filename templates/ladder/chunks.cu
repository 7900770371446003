// WangYu 5: several elements a thread, one from each chunk of the array; a chunk has as many
// elements as the grid has threads.
//? if CHUNKS == UNROLLED
// The compiler knows how many chunks there are, and unrolls the loop.
//? elif CHUNKS == HOISTED
// One bound for all of a thread's elements stands before them: no branch lies between its loads.
//? else
// The first form: how many chunks there are is known at run time only.
//? end
// The document adds into shared memory: NVRTC 12.9 and 13.0 keep that word in a register.
// Reduces n elements of x, n may be 0. Writes one value a block to y: reduce those again until
// one is left.
__global__ void __launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y)
{
    __shared__ accum shared[BLOCK];
    const unsigned t = threadIdx.x;
    const unsigned long long chunk = (unsigned long long)gridDim.x * blockDim.x;
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + t;
    accum a = identity();
    //? if CHUNKS == HOISTED
    if (i + (ITEMS - 1) * chunk < n) {
        #pragma unroll
        for (int k = 0; k < ITEMS; k++)
            a = combine(a, map(x[i + k * chunk]));
        i = n;
    }
    //? end
    //? if CHUNKS == UNROLLED
    #pragma unroll
    for (int k = 0; k < ITEMS && i < n; k++) {
    //? else
    while (i < n) {
    //? end
        a = combine(a, map(x[i]));
        i += chunk;
    }
    shared[t] = a;
    for (unsigned d = blockDim.x / 2; d >= 32; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = a = combine(a, shared[t + d]);
    }
    if (t < 32)
        for (unsigned d = 16; d > 0; d /= 2)
            a = combine(a, __shfl_down_sync(~0u, a, d));
    if (t == 0)
        y[blockIdx.x] = a;
}
