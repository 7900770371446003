// sum of i32 accumulated in i32, for sm_90: pass 'gather' of reduce, made from reduce.cu by
// autotune emit --op sum --type i32 --acc i32 --arch sm_90 --pass gather --variant BLOCK=128,ITEMS=8,VECTOR=4,UNROLL=2,ACCUMS=1,MATH=CUDA,WARP=REDUX,LOAD=PLAIN,STAGES=0,WALK=ONE,MIN_BLOCKS=1,CLUSTER=1,FINISH=PACKED_WARPS

enum {
    BLOCK = 128,    // threads per block
    VECTOR = 4,     // elements per load
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 1024,    // BLOCK * ITEMS
    LOADS = 2,      // ITEMS / VECTOR
    ELEM_BYTES = 4, // bytes of an element
};

typedef int elem;

// Unsigned, because unsigned arithmetic wraps around; the bits are those of the signed result.
typedef unsigned accum;

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

__device__ __forceinline__ vec load(const vec *from)
{
    return *from;
}

// All lanes' values combined by one instruction.
__device__ __forceinline__ accum warp_redux(accum a)
{
    return __reduce_add_sync(~0u, a);
}

// Sets a word back to 0 by a store that is strong, as are all other accesses to it.
__device__ __forceinline__ void clear_word(unsigned long long *word)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(0ULL) : "memory");
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

// Adds to a word, for lane 0 alone, and says what it is then. Orders nothing else.
__device__ __forceinline__ unsigned long long add_word(unsigned long long *word,
                                                       unsigned long long value)
{
    unsigned long long before;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(before) : "l"(word), "l"(value) : "memory");
    return before + value;
}

// Combines the values of the first `lanes` lanes of a warp; lane 0 gets the result.
__device__ __forceinline__ accum warp_reduce(accum a, int lanes)
{
    return warp_redux(a); // lanes past `lanes` hold the identity
}

// Reduces n elements of x, n may be 0. Each block has a tile of BLOCK * LOADS loads, and there are
// as many as n takes; the first also has what is less than a load at both ends.
// `state` gathers the sum in its high half, which wraps around, and counts in its low half; who
// completes the count writes *y and sets it back to zero. An aborted launch leaves it above
// zero: clear it then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    accum a = identity();
    unsigned long long *const words = (unsigned long long *)early_address(state);
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

    a = warp_reduce(a, 32);
    const unsigned blocks = gridDim.x;
    if (threadIdx.x % 32 == 0) {
        const unsigned long long sum = add_word(words, (unsigned long long)a << 32 | 1);
        if ((unsigned)sum == blocks * (BLOCK / 32)) {
            *result = (accum)(sum >> 32);
            clear_word(words);
        }
    }
}
