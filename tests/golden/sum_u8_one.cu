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

// Combines the values of the first `lanes` lanes of a warp; lane 0 gets the result.
__device__ __forceinline__ accum warp_reduce(accum a, int lanes)
{
    return warp_redux(a); // lanes past `lanes` hold the identity
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

// Reduces n elements of x, n may be 0. Each block has a tile of BLOCK * LOADS loads, and there are
// as many as n takes; the first also has what is less than a load at both ends.
// Writes one value a block to y: reduce those again until one is left.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y)
{
    accum a = identity();
    // All loads of the block are under way before the first is waited for, wherever x starts and
    // n ends: those that are not whole are masked. Blocks past the last tile do nothing.
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const long long left = (long long)(n - head) - (long long)blockIdx.x * TILE;
    const vec *v = (const vec *)(x + head);
    const int mine = (left < TILE ? (int)left : TILE) - (int)threadIdx.x * VECTOR;
    const vec *from = v + (unsigned long long)blockIdx.x * (BLOCK * LOADS) + threadIdx.x;
    vec got[LOADS] = {}; // zeros change nothing: masked folds of packed bytes would be branches
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

    a = block_reduce(a);
    const unsigned block = blockIdx.x;
    if (threadIdx.x == 0)
        y[block] = a;
}
