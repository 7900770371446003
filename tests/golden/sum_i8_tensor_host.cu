// sum of i8 accumulated in i32, for host: pass 'gather' of reduce, made from reduce.cu by
// autotune emit --op sum --type i8 --acc i32 --arch host --pass gather --variant BLOCK=64,ITEMS=64,VECTOR=16,UNROLL=4,ACCUMS=1,MATH=TENSOR,WARP=REDUX,LOAD=PLAIN,STAGES=0,WALK=STRIDED,MIN_BLOCKS=1,CLUSTER=1,FINISH=PACKED

enum {
    BLOCK = 64,     // threads per block
    VECTOR = 16,    // elements per load
    UNROLL = 4,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 4096,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 1, // bytes of an element
};

typedef signed char elem;

// Unsigned, because unsigned arithmetic wraps around; the bits are those of the signed result.
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
    int sum = 0;
    for (int k = 0; k < VECTOR / 4; k++)
        sum = __dp4a((int)got.word[k], 0x01010101, sum);
    return a + (accum)sum;
}

__device__ __forceinline__ vec load(const vec *from)
{
    host_aligned(from, sizeof *from);
    return *from;
}

// All lanes' values combined by one instruction.
__device__ __forceinline__ accum warp_redux(accum a)
{
    return __reduce_add_sync(~0u, a);
}

// The sums of 16 rows, spread over a warp: lane l has that of row l / 4 in at[0] and at[1], and
// that of row l / 4 + 8 in at[2] and at[3].
typedef struct { accum at[4]; } frag;

// Adds what one load brought to each lane of a warp, by a product with ones: the loads are a
// matrix of 16 rows, and every column of the product has the sums of its rows. Words 0 and 2 of
// lane l are of row l / 4, words 1 and 3 of row l / 4 + 8.
__device__ __forceinline__ frag fold_tensor(frag rows, vec got)
{
    accum low = 0, high = 0;
    for (int k = 0; k < VECTOR; k++)
        if (k * ELEM_BYTES / 4 % 2 == 0)
            low = combine(low, map(got.at[k]));
        else
            high = combine(high, map(got.at[k]));
    for (int d = 1; d < 4; d *= 2) {
        low = combine(low, __shfl_xor_sync(~0u, low, d));
        high = combine(high, __shfl_xor_sync(~0u, high, d));
    }
    for (int i = 0; i < 4; i++)
        rows.at[i] = combine(rows.at[i], i < 2 ? low : high);
    return rows;
}

// Sets a word back to 0 by a store that is strong, as are all other accesses to it.
__device__ __forceinline__ void clear_word(unsigned long long *word)
{
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

// Adds to a word, for lane 0 alone, and says what it is then. Orders nothing else.
__device__ __forceinline__ unsigned long long add_word(unsigned long long *word,
                                                       unsigned long long value)
{
    return atomicAdd(word, value) + value;
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
// `state` gathers the sum in its high half, which wraps around, and counts in its low half; who
// completes the count writes *y and sets it back to zero. An aborted launch leaves it above
// zero: clear it then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    accum a = identity();
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = n < head ? 0 : (unsigned)((n - head) / TILE);
    const vec *v = (const vec *)(x + head);
    frag rows = {{0, 0, 0, 0}};
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
                rows = fold_tensor(rows, got[u]);
        }
    }
    // Four lanes have the same two rows: one of them counts.
    if (threadIdx.x % 4 == 0)
        a = combine(a, combine(rows.at[0], rows.at[2]));

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
    if (threadIdx.x == 0) {
        const unsigned long long sum = add_word(state, (unsigned long long)a << 32 | 1);
        if ((unsigned)sum == blocks) {
            *y = (accum)(sum >> 32);
            clear_word(state);
        }
    }
}
