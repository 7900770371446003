// sum of f64 accumulated in f64, for sm_90: pass 'gather' of reduce, made from reduce.cu by
// autotune emit --op sum --type f64 --acc f64 --arch sm_90 --pass gather --variant BLOCK=256,ITEMS=8,VECTOR=2,UNROLL=4,ACCUMS=1,MATH=CUDA,WARP=SHUFFLE,LOAD=BULK,STAGES=8,WALK=STRIDED,MIN_BLOCKS=1,CLUSTER=1,FINISH=FLAGGED

enum {
    BLOCK = 256,    // threads per block
    VECTOR = 2,     // elements per load
    STAGES = 8,     // tiles in the ring of shared memory (0: none, loads go to registers)
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 2048,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ALIGN = 16,     // min(128 / ELEM_BYTES, BLOCK)
    ELEM_BYTES = 8, // bytes of an element
};

typedef double elem;

typedef double accum;

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

__device__ __forceinline__ void post_word(unsigned long long *word, unsigned bits)
{
    const unsigned long long flagged = (unsigned long long)bits << 32 | 1;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(flagged) : "memory");
}

// Leaves the value of block i with a flag, so that who sees the flag has the value: no fence.
__device__ __forceinline__ void post(unsigned long long *words, unsigned i, accum value)
{
    // Half of the value in each of two words.
    const union { accum value; unsigned half[2]; } from = {value};
    post_word(words + 2 * i, from.half[0]);
    post_word(words + 2 * i + 1, from.half[1]);
}

// Sets a word back to 0 by a store that is strong, as are all other accesses to it.
__device__ __forceinline__ void clear_word(unsigned long long *word)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(0ULL) : "memory");
}

__device__ __forceinline__ unsigned take_word(unsigned long long *word)
{
    unsigned long long flagged;
    do
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(flagged) : "l"(word) : "memory");
    while (flagged == 0);
    clear_word(word);
    return (unsigned)(flagged >> 32);
}

// Waits for the value of block i and clears its place for the next call.
__device__ __forceinline__ accum take(unsigned long long *words, unsigned i)
{
    union { accum value; unsigned half[2]; } to;
    to.half[0] = take_word(words + 2 * i);
    to.half[1] = take_word(words + 2 * i + 1);
    return to.value;
}

// A barrier that one arrival and the bytes it announces complete.
__device__ __forceinline__ void barrier_init(unsigned long long *barrier)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;"
                 :: "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}

// Makes barriers just made known to the copy engine.
__device__ __forceinline__ void barrier_publish(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Waits for the end of a phase (0, 1, 0, ...).
__device__ __forceinline__ void barrier_wait(unsigned long long *barrier, unsigned phase)
{
    unsigned is_done;
    do
        asm volatile("{\n\t"
                     ".reg .pred done;\n\t"
                     "mbarrier.try_wait.parity.shared.b64 done, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, done;\n\t"
                     "}"
                     : "=r"(is_done)
                     : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(phase)
                     : "memory");
    while (!is_done);
}

// Starts the copy of a tile into shared memory by the copy engine; its arrival completes a phase.
__device__ __forceinline__ void copy_bulk(vec *to, const vec *from, unsigned long long *barrier)
{
    const unsigned bytes = BLOCK * LOADS * sizeof(vec);
    const unsigned at = (unsigned)__cvta_generic_to_shared(barrier);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :: "r"(at), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];"
                 :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes), "r"(at)
                 : "memory");
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
// Each block leaves its value in a word of `state`, and a flag in the same store; the last block
// gathers them in their order and sets them back to zero. An aborted launch leaves some above
// zero: clear them then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    accum a = identity();
    // Elements before the first address at which bulk copies are fast.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % ALIGN;
    const unsigned tiles = n < head ? 0 : (unsigned)((n - head) / TILE);
    const vec *v = (const vec *)(x + head);
    const unsigned step = gridDim.x, first = blockIdx.x, end = tiles;
    // One thread copies whole tiles ahead into the ring; `filled` tells all when one is there.
    extern __shared__ __align__(128) vec ring[];
    __shared__ unsigned long long filled[STAGES];
    unsigned ahead = first;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            barrier_init(&filled[s]);
        barrier_publish();
        for (int s = 0; s < STAGES; s++, ahead += step)
            if (ahead < end)
                copy_bulk(ring + s * (BLOCK * LOADS),
                          v + (unsigned long long)ahead * (BLOCK * LOADS), &filled[s]);
    }
    __syncthreads();
    unsigned s = 0, phase = 0;
    for (unsigned tile = first; tile < end; tile += step, ahead += step) {
        barrier_wait(&filled[s], phase);
        const vec *from = ring + s * (BLOCK * LOADS) + threadIdx.x;
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            a = fold(a, from[i * BLOCK]);
        __syncthreads(); // all have read: the place can be filled again
        if (threadIdx.x == 0 && ahead < end)
            copy_bulk(ring + s * (BLOCK * LOADS),
                      v + (unsigned long long)ahead * (BLOCK * LOADS), &filled[s]);
        if (++s == STAGES) {
            s = 0;
            phase ^= 1;
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
    if (block != blocks - 1) {
        if (threadIdx.x == 0)
            post(state, block, a);
        return;
    }

    // The last block gathers the values of those before it, which were all started before it.
    if (threadIdx.x != 0)
        a = identity();
    for (unsigned i = threadIdx.x; i < blocks - 1; i += BLOCK)
        a = combine(a, take(state, i));
    __syncthreads(); // all are done with block_reduce's memory
    a = block_reduce(a);
    if (threadIdx.x == 0)
        *y = a;
}
