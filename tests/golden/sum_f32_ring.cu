// sum of f32 accumulated in f32, for sm_80: pass 'last' of reduce, made from reduce.cu by
// autotune emit --op sum --type f32 --acc f32 --arch sm_80 --pass last --variant BLOCK=128,ITEMS=16,VECTOR=4,UNROLL=4,ACCUMS=1,MATH=CUDA,WARP=SHUFFLE,LOAD=ASYNC,STAGES=4,WALK=CONTIGUOUS,MIN_BLOCKS=1,CLUSTER=1,FINISH=LAST_BLOCK

enum {
    BLOCK = 128,    // threads per block
    VECTOR = 4,     // elements per load
    STAGES = 4,     // tiles in the ring of shared memory (0: none, loads go to registers)
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 2048,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 4, // bytes of an element
};

typedef float elem;

typedef float accum;

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0;
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    return (accum)value;
}

// With "__CUDA_FTZ": does the compiler take denormals of floats for zeros, as -use_fast_math and
// -ftz=true make it? A constant, which it knows while it compiles.
extern "C" __device__ int __nvvm_reflect(const char *option);

// a + b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_sum(accum a, accum b)
{
    accum sum;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
    return sum;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return __nvvm_reflect("__CUDA_FTZ") ? rounded_sum(a, b) : a + b;
}

// Combines what one load brought.
__device__ __forceinline__ accum fold(accum a, vec got)
{
    for (int k = 0; k < VECTOR; k++)
        a = combine(a, map(got.at[k]));
    return a;
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

// Starts a copy of 16 bytes into shared memory, past the L1.
__device__ __forceinline__ void copy_async(vec *to, const vec *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

// The copies that this thread started since the last group are one group.
__device__ __forceinline__ void close_group(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for this thread's groups but the youngest STAGES - 1.
__device__ __forceinline__ void wait_group(void)
{
    asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 1) : "memory");
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
            got[u] = rest[at];
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
reduce(const elem *x, unsigned long long n, accum *y, accum *partials, unsigned *state)
{
    accum a = identity();
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = n < head ? 0 : (unsigned)((n - head) / TILE);
    const vec *v = (const vec *)(x + head);
    const unsigned step = 1;
    const unsigned first = (unsigned)((unsigned long long)tiles * blockIdx.x / gridDim.x);
    const unsigned end = (unsigned)((unsigned long long)tiles * (blockIdx.x + 1) / gridDim.x);
    // Each thread copies ahead into its own places of the ring, so that it waits for nobody.
    __shared__ vec ring[STAGES][LOADS][BLOCK];
    unsigned ahead = first;
    #pragma unroll
    for (int s = 0; s < STAGES - 1; s++, ahead += step) {
        if (ahead < end)
            for (int i = 0; i < LOADS; i++)
                copy_async(&ring[s][i][threadIdx.x],
                           v + ((unsigned long long)ahead * LOADS + i) * BLOCK + threadIdx.x);
        close_group();
    }
    unsigned s = 0, refilled = STAGES - 1;
    for (unsigned tile = first; tile < end; tile += step, ahead += step) {
        if (ahead < end)
            for (int i = 0; i < LOADS; i++)
                copy_async(&ring[refilled][i][threadIdx.x],
                           v + ((unsigned long long)ahead * LOADS + i) * BLOCK + threadIdx.x);
        close_group();
        wait_group();
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            a = fold(a, ring[s][i][threadIdx.x]);
        refilled = s;
        s = s + 1 == STAGES ? 0 : s + 1;
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
        *y = a;
}
