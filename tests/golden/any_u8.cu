// any of u8 accumulated in u32, for sm_90: pass 'gather' of reduce, made from reduce.cu by
// autotune emit --op any --type u8 --acc u32 --arch sm_90 --pass gather --variant BLOCK=256,ITEMS=64,VECTOR=16,UNROLL=4,ACCUMS=1,MATH=CUDA,WARP=REDUX,LOAD=PLAIN,STAGES=0,WALK=ONE,MIN_BLOCKS=1,CLUSTER=1,FINISH=VALUE

enum {
    BLOCK = 256,    // threads per block
    VECTOR = 16,    // elements per load
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 16384,   // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ELEM_BYTES = 1, // bytes of an element
};

typedef unsigned char elem;

typedef unsigned accum;

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const unsigned x = value;
    return (unsigned)(x != 0u);
}

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

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a | b;
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

// All lanes' values combined by one instruction.
__device__ __forceinline__ accum warp_redux(accum a)
{
    return __reduce_or_sync(~0u, a);
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

// Where a thread's warp leaves its value in shared memory, and where the value of the warp of the
// thread's number is.
typedef struct { unsigned warp, thread; } places;

// The places in `shared`, of one value a warp, computed where this stands, ahead of the loads.
__device__ __forceinline__ places places_in(accum *shared)
{
    const unsigned t = threadIdx.x;
    places at;
    const unsigned first = (unsigned)__cvta_generic_to_shared(shared);
    asm volatile("mad.lo.u32 %0, %1, %2, %3;"
                 : "=r"(at.warp) : "r"(t / 32), "n"(sizeof(accum)), "r"(first));
    asm volatile("mad.lo.u32 %0, %1, %2, %3;"
                 : "=r"(at.thread) : "r"(t), "n"(sizeof(accum)), "r"(first));
    return at;
}

__device__ __forceinline__ void put_shared(unsigned at, accum value)
{
    const union { accum value; unsigned bits; } from = {value};
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(from.bits) : "memory");
}

__device__ __forceinline__ accum get_shared(unsigned at) // of 4 bytes
{
    union { unsigned bits; accum value; } to;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(to.bits) : "r"(at) : "memory");
    return to.value;
}

typedef unsigned value_bits;

// A value written so that zero is the identity and, for min and max, order is that of unsigned
// integers; its own inverse.
__device__ __forceinline__ value_bits encode(value_bits bits)
{
    return bits;
}

// Combines a value into the one at `word`, in no order.
__device__ __forceinline__ void update(unsigned long long *word, accum value)
{
    value_bits *at = (value_bits *)word;
    const value_bits bits = encode((value_bits)value);
    atomicOr(at, bits);
}

// The value that all have combined into, set back to the identity.
__device__ __forceinline__ accum take_value(unsigned long long *word)
{
    return (accum)encode(atomicExch((value_bits *)word, (value_bits)0));
}

// Combines the values of the first `lanes` lanes of a warp; lane 0 gets the result.
__device__ __forceinline__ accum warp_reduce(accum a, int lanes)
{
    return warp_redux(a); // lanes past `lanes` hold the identity
}

// Combines one value a thread; thread 0 gets the result.
__device__ __forceinline__ accum block_reduce(accum a, places at)
{
    const unsigned t = threadIdx.x;
    a = warp_reduce(a, 32);
    if (t % 32 == 0)
        put_shared(at.warp, a);
    __syncthreads();
    if (t < 32)
        a = warp_redux(t < BLOCK / 32 ? get_shared(at.thread) : identity());
    return a;
}

// Reduces n elements of x, n may be 0. Each block has a tile of BLOCK * LOADS loads, and there are
// as many as n takes; the first also has what is less than a load at both ends.
// `state` holds a value that all blocks combine into, written so that zero is the identity, and
// the count of blocks; the last to arrive writes *y and sets both back to zero. An aborted
// launch leaves them above zero: clear them then.
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
    if (threadIdx.x == 0) {
        update(state, a);
        if (arrive((unsigned *)(state + 1), blocks) == blocks - 1)
            *y = take_value(state);
    }
}
