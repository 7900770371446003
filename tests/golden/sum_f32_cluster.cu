// sum of f32 accumulated in f32, for sm_90: pass 'last' of reduce-wide, made from reduce.cu by
// autotune emit --space reduce-wide --op sum --type f32 --acc f32 --arch sm_90 --pass last --variant BLOCK=512,ITEMS=16,VECTOR=4,UNROLL=4,ACCUMS=1,MATH=CUDA,WARP=SHUFFLE,LOAD=BULK,STAGES=4,WALK=STRIDED,MIN_BLOCKS=1,CLUSTER=8,FINISH=LAST_BLOCK

enum {
    BLOCK = 512,    // threads per block
    VECTOR = 4,     // elements per load
    STAGES = 4,     // tiles in the ring of shared memory (0: none, loads go to registers)
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    CLUSTER = 8,    // blocks that combine over distributed shared memory before the finish
    TILE = 8192,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ALIGN = 32,     // min(128 / ELEM_BYTES, BLOCK)
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

// A barrier that one arrival and the bytes it announces complete.
__device__ __forceinline__ void barrier_init(unsigned long long *barrier)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;"
                 :: "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}

// Makes barriers just made known to the copy engine and to the cluster.
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
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], %2;\n\t"
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

__device__ __forceinline__ unsigned cluster_rank(void)
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// Waits until all threads of the cluster have arrived; for whole warps. Acquires what they made
// known of their barriers.
__device__ __forceinline__ void cluster_wait(void)
{
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// Sends a value to where `to` lies in the cluster's first block, whose barrier counts the bytes
// that have come.
__device__ __forceinline__ void send(accum *to, accum value, unsigned long long *barrier)
{
    const union { accum value; unsigned bits; } from = {value};
    unsigned there, counter;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;"
                 : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(to)));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;"
                 : "=r"(counter) : "r"((unsigned)__cvta_generic_to_shared(barrier)));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 :: "r"(there), "r"(from.bits), "r"(counter) : "memory");
}

// What the first block of a cluster gathers: a value of each block after it, and a barrier that
// counts their bytes.
typedef struct { accum value[CLUSTER]; unsigned long long barrier; } cluster_values;

// The arrival, which announces so many bytes.
__device__ __forceinline__ void barrier_expect(unsigned long long *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :: "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}

// Says that this thread of the cluster has started; orders no memory. Lanes may come one by one.
__device__ __forceinline__ void cluster_arrive(void)
{
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}

// Before anything else: the first block prepares to be sent to, and all say that they have started.
__device__ __forceinline__ void cluster_begin(cluster_values *to)
{
    if (threadIdx.x == 0 && cluster_rank() == 0) {
        barrier_init(&to->barrier);
        barrier_publish();
        barrier_expect(&to->barrier, (CLUSTER - 1) * sizeof(accum));
    }
    cluster_arrive();
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

// Combines one value a block of the cluster, in their order; thread 0 of its first block gets the
// result. The others may end before theirs has come; the first ends when all have.
__device__ __forceinline__ accum cluster_reduce(accum a, cluster_values *to)
{
    const unsigned rank = cluster_rank();
    if (rank != 0 && threadIdx.x < 32)
        cluster_wait(); // the first block has started, and its barrier is there
    if (threadIdx.x == 0 && rank != 0) {
        send(&to->value[rank], a, &to->barrier);
    } else if (threadIdx.x == 0) {
        barrier_wait(&to->barrier, 0);
        #pragma unroll
        for (int i = 1; i < CLUSTER; i++)
            a = combine(a, to->value[i]);
    }
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
__cluster_dims__(CLUSTER, 1, 1)
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y, accum *partials, unsigned *state)
{
    accum a = identity();
    __shared__ cluster_values cluster;
    cluster_begin(&cluster);
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
    a = cluster_reduce(a, &cluster);
    if (cluster_rank() != 0)
        return;
    const unsigned blocks = gridDim.x / CLUSTER;
    const unsigned block = blockIdx.x / CLUSTER;
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
