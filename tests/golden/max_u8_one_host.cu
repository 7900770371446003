// max of u8 accumulated in u32, for host: pass 'gather' of reduce, made from reduce.cu by
// autotune emit --op max --type u8 --acc u32 --arch host --pass gather --variant BLOCK=64,ITEMS=32,VECTOR=16,UNROLL=2,ACCUMS=1,MATH=CUDA,WARP=SHUFFLE,LOAD=PLAIN,STAGES=0,WALK=ONE,MIN_BLOCKS=1,CLUSTER=1,FINISH=FLAGGED

enum {
    BLOCK = 64,     // threads per block
    VECTOR = 16,    // elements per load
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 2048,    // BLOCK * ITEMS
    LOADS = 2,      // ITEMS / VECTOR
    ELEM_BYTES = 1, // bytes of an element
};

typedef unsigned char elem;

typedef unsigned accum;

// What one load brings.
typedef union __align__(VECTOR * ELEM_BYTES) {
    unsigned word[VECTOR * ELEM_BYTES / 4]; // first, so that it is moved by words
    elem at[VECTOR];
} vec;

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
    const union { accum value; unsigned bits; } from = {value};
    post_word(words + i, from.bits);
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
    union { accum value; unsigned bits; } to;
    to.bits = take_word(words + i);
    return to.value;
}

// Where a thread's warp leaves its value in shared memory, and where the value of the warp of the
// thread's number is.
typedef struct { accum *warp, *thread; } places;

// The places in `shared`, of one value a warp, computed where this stands, ahead of the loads.
__device__ __forceinline__ places places_in(accum *shared)
{
    const unsigned t = threadIdx.x;
    const places at = {shared + t / 32, shared + t};
    return at;
}

__device__ __forceinline__ void put_shared(accum *at, accum value)
{
    *at = value;
}

// Combines the values of all warps, which begin at `from`, in the order of warp_reduce.
__device__ __forceinline__ accum gather_warps(const accum *from)
{
    accum value[BLOCK / 32];
    for (int i = 0; i < BLOCK / 32; i++)
        value[i] = from[i];
    #pragma unroll
    for (int d = BLOCK / 64; d > 0; d /= 2)
        #pragma unroll
        for (int i = 0; i < d; i++) {
            value[i] = combine(value[i], value[i + d]);
        }
    return value[0];
}

// Combines the values of the first `lanes` lanes of a warp; lane 0 gets the result.
__device__ __forceinline__ accum warp_reduce(accum a, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2)
        a = combine(a, __shfl_down_sync(~0u, a, d));
    return a;
}

// Combines one value a thread; thread 0 gets the result.
__device__ __forceinline__ accum block_reduce(accum a, places at)
{
    const unsigned t = threadIdx.x;
    a = warp_reduce(a, 32);
    if (t % 32 == 0)
        put_shared(at.warp, a);
    __syncthreads();
    if (t == 0)
        a = gather_warps(at.thread);
    return a;
}

// Reduces n elements of x, n may be 0. Each block has a tile of BLOCK * LOADS loads, and there are
// as many as n takes; the first also has what is less than a load at both ends.
// Each block leaves its value in a word of `state`, and a flag in the same store; the last block
// gathers them in their order and sets them back to zero. An aborted launch leaves some above
// zero: clear them then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    accum a = identity();
    __shared__ __align__(16) accum shared[BLOCK / 32]; // a value of each warp
    const places at = places_in(shared);
    // All loads of the block are under way before the first is waited for, wherever x starts and
    // n ends: those that are not whole are masked. Blocks past the last tile do nothing.
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const long long left = (long long)(n - head) - (long long)blockIdx.x * TILE;
    const vec *v = (const vec *)(x + head);
    const int mine = (left < TILE ? (int)left : TILE) - (int)threadIdx.x * VECTOR;
    const vec *from = v + (unsigned long long)blockIdx.x * (BLOCK * LOADS) + threadIdx.x;
    vec got[LOADS];
    #pragma unroll
    for (int u = 0; u < LOADS; u++)
        if (mine >= (u * BLOCK + 1) * VECTOR)
            got[u] = load(from + u * BLOCK);
    const unsigned front = n < head ? (unsigned)n : head;
    const unsigned last = ((unsigned)n - front) % VECTOR;
    accum before = identity(), behind = identity();
    // No `&&`: a branch would make the loads behind it wait.
    if ((blockIdx.x == 0) & (threadIdx.x < front))
        before = map(x[threadIdx.x]);
    if ((blockIdx.x == 0) & (threadIdx.x < last))
        behind = map(x[n - 1 - threadIdx.x]);
    #pragma unroll
    for (int u = 0; u < LOADS; u++)
        if (mine >= (u * BLOCK + 1) * VECTOR)
            a = fold(a, got[u]);
    a = combine(a, combine(before, behind));

    a = block_reduce(a, at);
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
    a = block_reduce(a, at);
    if (threadIdx.x == 0)
        *y = a;
}
