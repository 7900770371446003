// mean of i32 as i32, accumulated in f64, for sm_90: pass 'last' of reduce, made from reduce.cu by
// autotune emit --op mean --type i32 --acc i32 --arch sm_90 --pass last --variant BLOCK=256,ITEMS=16,VECTOR=4,UNROLL=4,ACCUMS=1,MATH=CUDA,WARP=SHUFFLE,LOAD=PLAIN,STAGES=0,WALK=STRIDED,MIN_BLOCKS=1,CLUSTER=1,FINISH=LAST_BLOCK

enum {
    BLOCK = 256,    // threads per block
    VECTOR = 4,     // elements per load
    UNROLL = 4,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 4096,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 4, // bytes of an element
};

typedef int elem;

typedef double accum;

// What is combined of an element.
__device__ __forceinline__ accum map(elem x)
{
    return (double)x;
}

// A result: what finish makes of the last value.
typedef double output;

// The result of n elements, whose value is known.
__device__ __forceinline__ output finish(accum a, unsigned long long n)
{
    return a / (double)n;
}

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a + b;
}

// Combines what one load brought.
__device__ __forceinline__ accum fold(accum a, vec got)
{
    for (int k = 0; k < VECTOR; k++)
        a = combine(a, map(got.at[k]));
    return a;
}

__device__ __forceinline__ vec load(const vec *from)
{
    return *from;
}

// Counts a block in and says how many came before it. Releases what this thread wrote and
// acquires what the others released. The count wraps to 0 after the last of `blocks`: ready for
// the next call.
__device__ __forceinline__ unsigned arrive(unsigned *arrived, unsigned blocks)
{
    unsigned before;
    asm volatile("atom.inc.acq_rel.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before) : "l"(arrived), "r"(blocks - 1) : "memory");
    return before;
}

// Combines the values of the first `lanes` lanes of a warp; lane 0 gets the result.
__device__ __forceinline__ accum warp_reduce(accum a, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2)
        a = combine(a, __shfl_down_sync(~0u, a, d));
    return a;
}

// Combines one value a thread; thread 0 gets the result.
__device__ __forceinline__ accum block_reduce(accum a)
{
    const unsigned t = threadIdx.x;
    a = warp_reduce(a, 32);
    __shared__ accum shared[BLOCK / 32];
    if (t % 32 == 0)
        shared[t / 32] = a;
    __syncthreads();
    if (t < 32)
        a = warp_reduce(t < BLOCK / 32 ? shared[t] : identity(), BLOCK / 32);
    return a;
}

// What is no whole tile: `front` elements of x, and the last `left` of all n, which begin at
// `rest`.
__device__ __forceinline__ accum ends(const elem *x, unsigned long long n, const vec *rest,
                                      unsigned front, unsigned left)
{
    const unsigned threads = (gridDim.x < LOADS ? gridDim.x : LOADS) * BLOCK;
    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned whole = left / VECTOR;
    accum a = identity();
    accum first = identity(), last = identity();
    if (thread < front)
        first = map(x[thread]);
    if (thread < left % VECTOR)
        last = map(x[n - left % VECTOR + thread]);
    #pragma unroll 1
    for (unsigned i = thread; i < whole; i += ENDS * threads) {
        vec got[ENDS];
        #pragma unroll
        for (unsigned u = 0; u < ENDS; u++) {
            const unsigned at = i + u * threads < whole ? i + u * threads : i; // there, at least
            got[u] = load(rest + at);
        }
        #pragma unroll
        for (unsigned u = 0; u < ENDS; u++)
            if (i + u * threads < whole)
                a = fold(a, got[u]);
    }
    a = combine(a, combine(first, last));
    return a;
}

// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// The last block to arrive reduces what all left in `partials` to *y. `state` counts them: zero
// before and after. An aborted launch leaves it above zero: clear it then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, output *y, accum *partials, unsigned *state)
{
    accum a = identity();
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = n < head ? 0 : (unsigned)((n - head) / TILE);
    const vec *v = (const vec *)(x + head);
    const unsigned step = gridDim.x, first = blockIdx.x, end = tiles;
    const vec *mine = v + threadIdx.x;
    for (unsigned tile = first; tile < end; tile += step) {
        const vec *from = mine + (unsigned long long)tile * (BLOCK * LOADS);
        #pragma unroll 1
        for (int i = 0; i < LOADS; i += UNROLL) {
            vec got[UNROLL];
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                got[u] = load(from + (i + u) * BLOCK);
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                a = fold(a, got[u]);
        }
    }

    // Less than a tile is left, and at both ends less than a vector: for the first LOADS blocks.
    if (blockIdx.x < LOADS) {
        const unsigned front = n < head ? (unsigned)n : head;
        const unsigned left = (unsigned)n - front - tiles * TILE;
        if ((front | left) != 0)
            a = combine(a, ends(x, n, v + (unsigned long long)tiles * (BLOCK * LOADS), front,
                                left));
    }

    a = block_reduce(a);
    const unsigned blocks = gridDim.x;
    const unsigned block = blockIdx.x;
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partials[block] = a;
        is_last = arrive(state, blocks) == blocks - 1;
    }
    __syncthreads();
    if (!is_last)
        return;

    // The last block to arrive combines the partial results, in the same order every time.
    a = identity();
    for (unsigned i = threadIdx.x; i < blocks; i += BLOCK)
        a = combine(a, partials[i]);
    a = block_reduce(a);
    if (threadIdx.x == 0)
        *y = finish(a, n);
}
