//? if WARP == SHUFFLE || WARP == REDUX
// Combines the values of the first `lanes` lanes of a warp; lane 0 gets the result.
__device__ __forceinline__ accum warp_reduce(accum a, int lanes)
{
    //? if WARP == SHUFFLE
    for (int d = lanes / 2; d > 0; d /= 2)
        a = combine(a, __shfl_down_sync(~0u, a, d));
    return a;
    //? else
    return warp_redux(a); // lanes past `lanes` hold the identity
    //? end
}

//? end
// Combines one value a thread; thread 0 gets the result.
__device__ __forceinline__ accum block_reduce(accum a)
{
    const unsigned t = threadIdx.x;
    //? if WARP == TREE
    __shared__ accum shared[BLOCK];
    shared[t] = a;
    for (unsigned d = BLOCK / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = a = combine(a, shared[t + d]);
    }
    //? elif WARP == VOLATILE
    __shared__ volatile accum shared[BLOCK + 16]; // lane 31 reads 16 beyond itself
    shared[t] = a;
    for (unsigned d = BLOCK / 2; d >= 32; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = a = combine(a, shared[t + d]);
    }
    if (t < 32) {
        for (unsigned d = 16; d > 0; d /= 2) {
            __syncwarp(); // all lanes have written ...
            a = combine(a, shared[t + d]);
            __syncwarp(); // ... and all have read
            shared[t] = a;
        }
    }
    //? else
    a = warp_reduce(a, 32);
    //? if BLOCK > 32
    __shared__ accum shared[BLOCK / 32];
    if (t % 32 == 0)
        shared[t / 32] = a;
    __syncthreads();
    if (t < 32)
        a = warp_reduce(t < BLOCK / 32 ? shared[t] : identity(), BLOCK / 32);
    //? end
    //? end
    return a;
}

// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is spread over all threads.
//? if FINISH == PASSES
// Writes one value a block to y: reduce those again until one is left.
//? else
// The last block to arrive reduces what the others left in `partials` (gridDim.x values) to *y;
// *arrived is zero before and after. An aborted launch leaves it above zero: clear it then.
//? end
__global__ void
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
//? if FINISH == LAST_BLOCK
reduce(const elem *x, unsigned long long n, accum *y, accum *partials, unsigned *arrived)
//? else
reduce(const elem *x, unsigned long long n, accum *y)
//? end
{
    const unsigned long long thread = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
    accum a = identity();

    //? if VECTOR > 1
    // Elements before the first address aligned for a vector, and after the last vector.
    unsigned long long head = -(unsigned long long)x / ELEM_BYTES % VECTOR;
    if (head > n)
        head = n;
    const unsigned long long tail = (n - head) % VECTOR;
    if (thread < head)
        a = combine(a, map(x[thread]));
    if (thread < tail)
        a = combine(a, map(x[n - tail + thread]));

    const vec *v = (const vec *)(x + head);
    const unsigned long long vectors = (n - head) / VECTOR;
    //? else
    const vec *v = (const vec *)x;
    const unsigned long long vectors = n;
    //? end
    const unsigned tiles = (unsigned)(vectors / (BLOCK * LOADS));
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const vec *from = v + (unsigned long long)tile * (BLOCK * LOADS) + threadIdx.x;
        #pragma unroll 1
        for (int i = 0; i < LOADS; i += UNROLL) {
            vec got[UNROLL];
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                got[u] = load(from + (i + u) * BLOCK);
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                for (int k = 0; k < VECTOR; k++)
                    a = combine(a, map(got[u].at[k]));
        }
    }

    // Fewer vectors than a tile has are left.
    for (unsigned long long i = (unsigned long long)tiles * (BLOCK * LOADS) + thread; i < vectors;
         i += (unsigned long long)gridDim.x * BLOCK) {
        const vec got = load(v + i);
        for (int k = 0; k < VECTOR; k++)
            a = combine(a, map(got.at[k]));
    }

    a = block_reduce(a);
    //? if FINISH == PASSES
    if (threadIdx.x == 0)
        y[blockIdx.x] = a;
    //? elif FINISH == LAST_BLOCK
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = a;
        is_last = arrive(arrived) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;

    // The last block to arrive combines the partial results, in the same order every time.
    a = identity();
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
        a = combine(a, partials[i]);
    a = block_reduce(a);
    if (threadIdx.x == 0)
        *y = a;
    //? end
}
