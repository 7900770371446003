// max of i64 accumulated in i64, for host: pass 'gather' of reduce-wide, made from reduce.cu by
// autotune emit --space reduce-wide --op max --type i64 --acc i64 --arch host --pass gather --variant BLOCK=64,ITEMS=4,VECTOR=2,UNROLL=2,ACCUMS=1,MATH=CUDA,WARP=SHUFFLE,LOAD=PLAIN,STAGES=0,WALK=STRIDED,MIN_BLOCKS=1,CLUSTER=4,FINISH=FLAGGED

enum {
    BLOCK = 64,     // threads per block
    VECTOR = 2,     // elements per load
    UNROLL = 2,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    CLUSTER = 4,    // blocks that combine over distributed shared memory before the finish
    TILE = 256,     // BLOCK * ITEMS
    LOADS = 2,      // ITEMS / VECTOR
    ENDS = 2,       // min(UNROLL, 4)
    ELEM_BYTES = 8, // bytes of an element
};

typedef long long elem;

typedef long long accum;

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return -0x7fffffffffffffffLL - 1;
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    return (accum)value;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a > b ? a : b;
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
    host_aligned(from, sizeof *from);
    return *from;
}

__device__ __forceinline__ void post_word(unsigned long long *word, unsigned bits)
{
    const unsigned long long flagged = (unsigned long long)bits << 32 | 1;
    __atomic_store_n(word, flagged, __ATOMIC_RELAXED);
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
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

__device__ __forceinline__ unsigned take_word(unsigned long long *word)
{
    unsigned long long flagged;
    while ((flagged = __atomic_load_n(word, __ATOMIC_RELAXED)) == 0)
        host_yield();
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

// Waits for the end of a phase (0, 1, 0, ...).
__device__ __forceinline__ void barrier_wait(unsigned long long *barrier, unsigned phase)
{
    host_barrier(HOST_BARRIER_WAIT, barrier, phase);
}

__device__ __forceinline__ unsigned cluster_rank(void)
{
    return host_self->rank;
}

// Waits until all threads of the cluster have arrived; for whole warps. Acquires what they made
// known of their barriers.
__device__ __forceinline__ void cluster_wait(void)
{
    host_cluster_wait();
}

// Sends a value to where `to` lies in the cluster's first block, whose barrier counts the bytes
// that have come.
__device__ __forceinline__ void send(accum *to, accum value, unsigned long long *barrier)
{
    const union { accum value; unsigned long long bits; } from = {value};
    host_send(0, to, from.bits, sizeof from, barrier);
}

// What the first block of a cluster gathers: a value of each block after it, and a barrier that
// counts their bytes.
typedef struct { accum value[CLUSTER]; unsigned long long barrier; } cluster_values;

// A barrier that one arrival and the bytes it announces complete.
__device__ __forceinline__ void barrier_init(unsigned long long *barrier)
{
    host_barrier(HOST_BARRIER_INIT, barrier, 1);
}

// Makes barriers just made known to the copy engine and to the cluster.
__device__ __forceinline__ void barrier_publish(void)
{
}

// The arrival, which announces so many bytes.
__device__ __forceinline__ void barrier_expect(unsigned long long *barrier, unsigned bytes)
{
    host_barrier(HOST_BARRIER_EXPECT, barrier, bytes);
}

// Says that this thread of the cluster has started; orders no memory. Lanes may come one by one.
__device__ __forceinline__ void cluster_arrive(void)
{
    host_cluster_arrive();
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
// Each block leaves its value in a word of `state`, and a flag in the same store; the last block
// gathers them in their order and sets them back to zero. An aborted launch leaves some above
// zero: clear them then.
__global__ void
__cluster_dims__(CLUSTER, 1, 1)
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    accum a = identity();
    __shared__ cluster_values cluster;
    cluster_begin(&cluster);
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
    a = cluster_reduce(a, &cluster);
    if (cluster_rank() != 0)
        return;
    const unsigned blocks = gridDim.x / CLUSTER;
    const unsigned block = blockIdx.x / CLUSTER;
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
