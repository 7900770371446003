// sum of u8 accumulated in u32, for sm_90: pass 'main' of reduce, made from reduce.cu by
// autotune emit --op sum --type u8 --acc u32 --arch sm_90 --pass main --variant BLOCK=256,ITEMS=64,VECTOR=16,UNROLL=4,ACCUMS=1,MATH=CUDA,WARP=REDUX,LOAD=L2_256B,STAGES=0,WALK=ONE,MIN_BLOCKS=1,CLUSTER=1,FINISH=PASSES

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
    return a + b;
}

// Combines what one load brought.
__device__ __forceinline__ accum fold(accum a, vec got)
{
    // Four bytes a step; what one load brings stays far below 2^31.
    unsigned sum = 0;
    for (int k = 0; k < VECTOR / 4; k++)
        sum = __dp4a(got.word[k], 0x01010101u, sum);
    return a + (accum)sum;
}

__device__ __forceinline__ vec load(const vec *from)
{
    union { vec value; unsigned word[VECTOR * ELEM_BYTES / 4]; } to;
    asm("ld.global.L2::256B"
        ".v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3]) : "l"(from));
    return to.value;
}

// All lanes' values combined by one instruction.
__device__ __forceinline__ accum warp_redux(accum a)
{
    return __reduce_add_sync(~0u, a);
}

// An address that lane 0 uses, computed where this stands, ahead of the loads: what uses it later
// need not wait for it.
__device__ __forceinline__ void *early_address(void *address)
{
    // The lane's number in it keeps the assembler from computing it later, and from taking it for
    // an address of all lanes, whose values it would first add up.
    void *to;
    asm volatile("{\n\t"
                 ".reg .u32 lane;\n\t"
                 "mov.u32 lane, %%laneid;\n\t"
                 "mad.wide.u32 %0, lane, 8, %1;\n\t"
                 "}"
                 : "=l"(to) : "l"(address));
    __builtin_assume(__isGlobal(to));
    return to;
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
// Writes one value a block to y: reduce those again until one is left.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y)
{
    accum a = identity();
    __shared__ __align__(16) accum shared[BLOCK / 32]; // a value of each warp
    const places at = places_in(shared);
    accum *const result = (accum *)early_address(y);
    // All loads of the block are under way before the first is waited for, wherever x starts and
    // n ends: those that are not whole are masked. Blocks past the last tile do nothing.
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const long long left = (long long)(n - head) - (long long)blockIdx.x * TILE;
    const vec *v = (const vec *)(x + head);
    const int mine = (left < TILE ? (int)left : TILE) - (int)threadIdx.x * VECTOR;
    const vec *from = v + (unsigned long long)blockIdx.x * (BLOCK * LOADS) + threadIdx.x;
    vec got[LOADS] = {}; // zeros change nothing, so that what is masked can be added, too
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
            a = fold(a, got[u]);
    a = combine(a, combine(before, behind));

    a = block_reduce(a, at);
    const unsigned block = blockIdx.x;
    if (threadIdx.x == 0)
        result[block] = a;
}
