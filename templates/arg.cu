// The value of the block's threads that comes first, for every thread.
__device__ __forceinline__ accum block_value(accum a)
{
    for (int d = 16; d > 0; d /= 2)
        a = combine(a, __shfl_xor_sync(~0u, a, d));
    //? if BLOCK > 32
    __shared__ accum values[BLOCK / 32];
    if (threadIdx.x % 32 == 0)
        values[threadIdx.x / 32] = a;
    __syncthreads();
    a = values[threadIdx.x % (BLOCK / 32)];
    for (int d = BLOCK / 64; d > 0; d /= 2)
        a = combine(a, __shfl_xor_sync(~0u, a, d));
    //? end
    return a;
}

__device__ __forceinline__ unsigned long long lower(unsigned long long a, unsigned long long b)
{
    return b < a ? b : a;
}

// The lowest of the threads' places, for every thread.
__device__ __forceinline__ unsigned long long block_place(unsigned long long place)
{
    for (int d = 16; d > 0; d /= 2)
        place = lower(place, __shfl_xor_sync(~0u, place, d));
    //? if BLOCK > 32
    __shared__ unsigned long long places[BLOCK / 32];
    if (threadIdx.x % 32 == 0)
        places[threadIdx.x / 32] = place;
    __syncthreads();
    place = places[threadIdx.x % (BLOCK / 32)];
    for (int d = BLOCK / 64; d > 0; d /= 2)
        place = lower(place, __shfl_xor_sync(~0u, place, d));
    //? end
    return place;
}

//? if FINISH == GATHER
// Finds the first of what n blocks found. One block.
__global__ void __launch_bounds__(BLOCK)
reduce(const found *partials, unsigned long long n, unsigned long long *y)
{
    found a = {identity(), ~0ULL};
    for (unsigned long long i = threadIdx.x; i < n; i += BLOCK)
        a = nearer(a, partials[i]);
    const accum value = block_value(a.value);
    const unsigned long long place = block_place(equals(a.value, value) ? a.place : ~0ULL);
    if (threadIdx.x == 0)
        *y = place == ~0ULL ? 0 : place; // none beats the identity, so all are like the first
}
//? else
// Where among a thread's elements of a tile the first like `value` stands.
__device__ __forceinline__ unsigned look(const vec *from, accum value)
{
    for (unsigned u = 0; u < UNROLL; u++) {
        const vec got = load(from + u * BLOCK);
        for (unsigned k = 0; k < VECTOR; k++)
            if (equals(map(got.at[k]), value))
                return u * (BLOCK * VECTOR) + k;
    }
    return 0;
}

// What a thread has found, with one more that stands behind it.
__device__ __forceinline__ found sooner(found a, accum value, unsigned long long place)
{
    if (beats(value, a.value)) {
        a.value = value;
        a.place = place;
    }
    return a;
}

//? if VECTOR > 1
// What is no whole tile: `front` elements of x, and the last `left` of all n, from `rest` on.
__device__ __forceinline__ found ends(const elem *x, unsigned long long n, const vec *rest,
                                      unsigned front, unsigned left)
//? else
// What is no whole tile: the last `left` elements of all n, from `rest` on.
__device__ __forceinline__ found ends(unsigned long long n, const vec *rest, unsigned left)
//? end
{
    const unsigned threads = (gridDim.x < UNROLL ? gridDim.x : UNROLL) * BLOCK;
    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
    found a = {identity(), ~0ULL};
    //? if VECTOR > 1
    if (thread < front)
        a = sooner(a, map(x[thread]), thread);
    //? end
    for (unsigned i = thread; i < left / VECTOR; i += threads) {
        const vec got = load(rest + i);
        for (unsigned k = 0; k < VECTOR; k++)
            a = sooner(a, map(got.at[k]), n - left + i * VECTOR + k);
    }
    //? if VECTOR > 1
    const unsigned long long last = n - left % VECTOR + thread;
    if (thread < left % VECTOR)
        a = sooner(a, map(x[last]), last);
    //? end
    return a;
}

//? if COMBINE == FIRST_LEAST
// Where the least of n elements of x stands, n may be 0: then 2^64 - 1. The first of equals; -0
//? else
// Where the greatest of n elements of x stands, n may be 0: then 2^64 - 1. The first of equals; -0
//? end
// equals +0, and the first NaN comes before all numbers. The blocks walk over whole tiles of
// BLOCK * UNROLL loads and remember in which one the best value was; what is left over is for the
// first blocks.
//? if FINISH == PASSES
// One block writes the place to y; several write a value and its place each: gather those.
//? elif FINISH == LAST_BLOCK
// The last block to arrive gathers what all left in `partials`. `state` counts them: zero before
// and after. An aborted launch leaves it above zero: clear it then.
//? else
// Each block leaves its value and place in words of `state`, each with a flag in the same store;
// the last block gathers them and sets them back to zero. An aborted launch leaves some above
// zero: clear them then.
//? end
__global__ void __launch_bounds__(BLOCK, 1) // or it would stop at 32 registers and few loads
//? if FINISH == PASSES
reduce(const elem *x, unsigned long long n, void *y)
//? elif FINISH == LAST_BLOCK
reduce(const elem *x, unsigned long long n, unsigned long long *y, found *partials, unsigned *state)
//? else
reduce(const elem *x, unsigned long long n, unsigned long long *y, unsigned long long *state)
//? end
{
    //? if VECTOR > 1
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = n < head ? 0 : (unsigned)((n - head) / TILE);
    const vec *v = (const vec *)(x + head);
    //? else
    const unsigned tiles = (unsigned)(n / TILE);
    const vec *v = (const vec *)x;
    //? end
    const vec *mine = v + threadIdx.x;
    accum best = identity();
    unsigned at = ~0u; // the tile in which it was seen first
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const vec *from = mine + (unsigned long long)tile * (BLOCK * UNROLL);
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            got[u] = load(from + u * BLOCK);
        accum a = identity();
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            a = fold(a, got[u]);
        if (beats(a, best)) {
            best = a;
            at = tile;
        }
    }

    // Less than a tile is left, and at both ends less than a vector: for the first UNROLL blocks.
    found end = {identity(), ~0ULL};
    if (blockIdx.x < UNROLL) {
        //? if VECTOR > 1
        const unsigned front = n < head ? (unsigned)n : head;
        const unsigned left = (unsigned)n - front - tiles * TILE;
        if ((front | left) != 0)
            end = ends(x, n, v + (unsigned long long)tiles * (BLOCK * UNROLL), front, left);
        //? else
        const unsigned left = (unsigned)n - tiles * TILE;
        if (left != 0)
            end = ends(n, v + (unsigned long long)tiles * (BLOCK * UNROLL), left);
        //? end
    }

    // The best value first; then who has seen it looks where it stands.
    const accum value = block_value(combine(best, end.value));
    unsigned long long place = equals(end.value, value) ? end.place : ~0ULL;
    if (at != ~0u && equals(best, value)) {
        const vec *from = mine + (unsigned long long)at * (BLOCK * UNROLL);
        const unsigned long long start = (unsigned long long)at * TILE + threadIdx.x * VECTOR;
        //? if VECTOR > 1
        place = lower(place, head + start + look(from, value));
        //? else
        place = lower(place, start + look(from, value));
        //? end
    }
    place = block_place(place);
    //? if FINISH == PASSES
    if (threadIdx.x == 0 && gridDim.x > 1) {
        const found mine = {value, place};
        ((found *)y)[blockIdx.x] = mine;
    } else if (threadIdx.x == 0) {
        // Where none beats the identity, all are like the first.
        *(unsigned long long *)y = place == ~0ULL && n > 0 ? 0 : place;
    }
    //? else
    found a = {value, place};
    //? if FINISH == LAST_BLOCK
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = a;
        is_last = arrive(state, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;

    // The last block to arrive gathers what the others found; its own does no harm twice.
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
        a = nearer(a, partials[i]);
    //? else
    if (blockIdx.x != gridDim.x - 1) {
        if (threadIdx.x == 0)
            post_found(state, blockIdx.x, a);
        return;
    }

    // The last block gathers what those before it found, which were all started before it.
    for (unsigned i = threadIdx.x; i < gridDim.x - 1; i += BLOCK)
        a = nearer(a, take_found(state, i));
    //? end
    const accum first = block_value(a.value);
    place = block_place(equals(a.value, first) ? a.place : ~0ULL);
    // Where none beats the identity, all are like the first.
    if (threadIdx.x == 0)
        *y = place == ~0ULL && n > 0 ? 0 : place;
    //? end
}
//? end
