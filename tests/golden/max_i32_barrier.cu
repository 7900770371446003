// max of i32 accumulated in i32, for sm_90: pass 'meet' of reduce, made from reduce.cu by
// autotune emit --op max --type i32 --acc i32 --arch sm_90 --pass meet --variant BLOCK=32,ITEMS=8,VECTOR=1,UNROLL=8,ACCUMS=1,MATH=CUDA,WARP=SHUFFLE,LOAD=PLAIN,STAGES=0,WALK=STRIDED,MIN_BLOCKS=1,CLUSTER=1,FINISH=BARRIER

enum {
    BLOCK = 32,     // threads per block
    VECTOR = 1,     // elements per load
    UNROLL = 8,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 256,     // BLOCK * ITEMS
    LOADS = 8,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 4, // bytes of an element
};

typedef int elem;

typedef int accum;

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return -0x7fffffff - 1;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a > b ? a : b;
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    return (accum)value;
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

// A barrier of all `blocks`: counts[0] those that came, counts[1] those that left again; the last
// to leave sets both back to 0. Releases and acquires like arrive.
__device__ __forceinline__ void meet(unsigned *counts, unsigned blocks)
{
    unsigned came;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(counts) : "memory");
    do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(came) : "l"(counts) : "memory");
    while (came != blocks);
    if (arrive(counts + 1, blocks) == blocks - 1)
        counts[0] = 0;
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
    a = warp_reduce(a, 32);
    return a;
}

// What is no whole tile: `left` elements from `rest` on.
__device__ __forceinline__ accum ends(const vec *rest, unsigned left)
{
    const unsigned threads = (gridDim.x < LOADS ? gridDim.x : LOADS) * BLOCK;
    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned whole = left / VECTOR;
    accum a = identity();
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
    return a;
}

// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// All blocks are resident and meet at a barrier; then the first reduces what all left in
// `partials` to *y. `state` counts who came and who left: zero before and after. An aborted
// launch leaves it above zero: clear it then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y, accum *partials, unsigned *state)
{
    accum a = identity();
    const unsigned tiles = (unsigned)(n / TILE);
    const vec *v = (const vec *)x;
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
        const unsigned left = (unsigned)n - tiles * TILE;
        if (left != 0)
            a = combine(a, ends(v + (unsigned long long)tiles * (BLOCK * LOADS), left));
    }

    a = block_reduce(a);
    const unsigned blocks = gridDim.x;
    const unsigned block = blockIdx.x;
    if (threadIdx.x == 0) {
        partials[block] = a;
        meet(state, blocks);
    }
    __syncthreads();
    if (block != 0)
        return;
    a = identity();
    for (unsigned i = threadIdx.x; i < blocks; i += BLOCK)
        a = combine(a, partials[i]);
    a = block_reduce(a);
    if (threadIdx.x == 0)
        *y = a;
}
