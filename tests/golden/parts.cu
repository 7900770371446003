//// BLOCK.1
enum {
    BLOCK = 256,    // threads per block
    VECTOR = 4,     // elements per load
    UNROLL = 4,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 4096,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 4, // bytes of an element
};

//// elem.1
typedef float elem;

//// accum.1
typedef float accum;

//// map.1
// What is combined of an element.
__device__ __forceinline__ accum map(elem x)
{
    return fabsf(x);
}

//// vec.1
// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

//// identity.1
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return __int_as_float(0xff800000);
}

//// maximum.1
// IEEE 754-2019 maximum: NaN if either is NaN, and +0 is greater than -0.
__device__ __forceinline__ accum maximum(accum a, accum b)
{
    accum most;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
    return most;
}

//// combine.1
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return maximum(a, b);
}

//// fold.1
// Combines what one load brought.
__device__ __forceinline__ accum fold(accum a, vec got)
{
    for (int k = 0; k < VECTOR; k++)
        a = combine(a, map(got.at[k]));
    return a;
}

//// load.1
__device__ __forceinline__ vec load(const vec *from)
{
    return *from;
}

//// post_word.1
__device__ __forceinline__ void post_word(unsigned long long *word, unsigned bits)
{
    const unsigned long long flagged = (unsigned long long)bits << 32 | 1;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(flagged) : "memory");
}

//// post.1
// Leaves the value of block i with a flag, so that who sees the flag has the value: no fence.
__device__ __forceinline__ void post(unsigned long long *words, unsigned i, accum value)
{
    const union { accum value; unsigned bits; } from = {value};
    post_word(words + i, from.bits);
}

//// clear_word.1
// Sets a word back to 0 by a store that is strong, as are all other accesses to it.
__device__ __forceinline__ void clear_word(unsigned long long *word)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(0ULL) : "memory");
}

//// take_word.1
__device__ __forceinline__ unsigned take_word(unsigned long long *word)
{
    unsigned long long flagged;
    do
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(flagged) : "l"(word) : "memory");
    while (flagged == 0);
    clear_word(word);
    return (unsigned)(flagged >> 32);
}

//// take.1
// Waits for the value of block i and clears its place for the next call.
__device__ __forceinline__ accum take(unsigned long long *words, unsigned i)
{
    union { accum value; unsigned bits; } to;
    to.bits = take_word(words + i);
    return to.value;
}

//// warp_reduce.1
// Combines the values of the first `lanes` lanes of a warp; lane 0 gets the result.
__device__ __forceinline__ accum warp_reduce(accum a, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2)
        a = combine(a, __shfl_down_sync(~0u, a, d));
    return a;
}

//// block_reduce.1
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

//// ends.1
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

//// reduce.1
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

//// BLOCK.2
enum {
    BLOCK = 1024,   // threads per block
    VECTOR = 4,     // elements per load
    UNROLL = 2,     // loads issued before combining
    TILE = 8192,    // BLOCK * ITEMS
    LOADS = 2,      // ITEMS / VECTOR
    ENDS = 2,       // min(UNROLL, 4)
    ELEM_BYTES = 4, // bytes of an element
};

//// elem.2
typedef unsigned elem;

//// accum.2
typedef unsigned accum;

//// identity.2
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return ~(accum)0;
}

//// map.2
// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    return (accum)value;
}

//// combine.2
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a & b;
}

//// warp_redux.1
// All lanes' values combined by one instruction.
__device__ __forceinline__ accum warp_redux(accum a)
{
    return __reduce_and_sync(~0u, a);
}

//// arrive.1
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

//// warp_reduce.2
// Combines the values of the first `lanes` lanes of a warp; lane 0 gets the result.
__device__ __forceinline__ accum warp_reduce(accum a, int lanes)
{
    return warp_redux(a); // lanes past `lanes` hold the identity
}

//// reduce.2
// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// The last block to arrive reduces what all left in `partials` to *y. `state` counts them: zero
// before and after. An aborted launch leaves it above zero: clear it then.
__global__ void
__launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y, accum *partials, unsigned *state)
{
    accum a = identity();
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

//// BLOCK.3
enum {
    BLOCK = 256,    // threads per block
    VECTOR = 16,    // elements per load
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 16384,   // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ELEM_BYTES = 1, // bytes of an element
};

//// elem.3
typedef unsigned char elem;

//// map.3
// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const unsigned x = value;
    return (unsigned)(x != 0u);
}

//// vec.2
// What one load brings.
typedef union __align__(VECTOR * ELEM_BYTES) {
    unsigned word[VECTOR * ELEM_BYTES / 4]; // first, so that it is moved by words
    elem at[VECTOR];
} vec;

//// identity.3
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0;
}

//// combine.3
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a | b;
}

//// warp_redux.2
// All lanes' values combined by one instruction.
__device__ __forceinline__ accum warp_redux(accum a)
{
    return __reduce_or_sync(~0u, a);
}

//// places.1
// Where a thread's warp leaves its value in shared memory, and where the value of the warp of the
// thread's number is.
typedef struct { unsigned warp, thread; } places;

//// places_in.1
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

//// put_shared.1
__device__ __forceinline__ void put_shared(unsigned at, accum value)
{
    const union { accum value; unsigned bits; } from = {value};
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(from.bits) : "memory");
}

//// get_shared.1
__device__ __forceinline__ accum get_shared(unsigned at) // of 4 bytes
{
    union { unsigned bits; accum value; } to;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(to.bits) : "r"(at) : "memory");
    return to.value;
}

//// value_bits.1
typedef unsigned value_bits;

//// encode.1
// A value written so that zero is the identity and, for min and max, order is that of unsigned
// integers; its own inverse.
__device__ __forceinline__ value_bits encode(value_bits bits)
{
    return bits;
}

//// update.1
// Combines a value into the one at `word`, in no order.
__device__ __forceinline__ void update(unsigned long long *word, accum value)
{
    value_bits *at = (value_bits *)word;
    const value_bits bits = encode((value_bits)value);
    atomicOr(at, bits);
}

//// take_value.1
// The value that all have combined into, set back to the identity.
__device__ __forceinline__ accum take_value(unsigned long long *word)
{
    return (accum)encode(atomicExch((value_bits *)word, (value_bits)0));
}

//// block_reduce.2
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

//// reduce.3
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

//// BLOCK.4
enum {
    BLOCK = 128,    // threads per block
    LANES = 128,    // threads side by side
    VECTOR = 8,     // columns of a thread, elements per load
    UNROLL = 4,     // loads that a thread has under way
    DOWN = 1,       // max(1, BLOCK / LANES)
    COLUMNS = 1024, // EDGES == MASKED ? WIDTH - VECTOR : WIDTH
    ELEM_BYTES = 2, // bytes of an element
};

//// bits.1
typedef unsigned short elem; // its bits

//// identity.4
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return __int_as_float(0x7f800000);
}

//// bfloat_value.1
// The value of a bf16: the upper half of a float.
__device__ __forceinline__ float bfloat_value(unsigned short bits)
{
    return __uint_as_float((unsigned)bits << 16);
}

//// map.4
// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const accum x = bfloat_value(value);
    return x;
}

//// minimum.1
// IEEE 754-2019 minimum: NaN if either is NaN, and -0 is less than +0.
__device__ __forceinline__ accum minimum(accum a, accum b)
{
    accum least;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
    return least;
}

//// combine.4
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return minimum(a, b);
}

//// columns.1
// Reduces each column of a matrix in `parts` parts: y[part * len + column] is one's value; reduce
// the columns of y again. `count` rows of `len` elements begin `pitch` elements apart.
// LANES threads side by side take VECTOR columns each, DOWN of them below one another.
__global__ void
__launch_bounds__(BLOCK)
columns(const elem *x, unsigned long long count, unsigned long long len,
        unsigned long long pitch, unsigned long long parts, accum *y)
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    const unsigned tiles = (unsigned)((len + COLUMNS - 1) / COLUMNS);
    const unsigned tile = blockIdx.x % tiles, part = blockIdx.x / tiles;
    const unsigned share = ((unsigned)count + (unsigned)parts - 1) / (unsigned)parts;
    const unsigned from = part * share < (unsigned)count ? part * share : (unsigned)count;
    const unsigned to = from + share < (unsigned)count ? from + share : (unsigned)count;
    const unsigned long long first = (unsigned long long)tile * COLUMNS; // column of the block
    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    // Every load is whole and aligned.
    const bool even = ((unsigned long long)x / ELEM_BYTES | len | pitch) % VECTOR == 0;
    const unsigned long long column = first + lane * VECTOR;
    const unsigned own = column < len ? (len - column < VECTOR ? len - column : VECTOR) : 0;
    const elem *at = x + (from + down) * pitch + column;
    for (unsigned row = from + down; own && row < to; row += DOWN * UNROLL) {
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++, at += DOWN * pitch)
            if (row + u * DOWN < to) {
                if (even)
                    got[u] = load((const vec *)at);
                else
                    for (int j = 0; j < VECTOR; j++)
                        got[u].at[j] = at[j < own ? j : 0];
            }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (row + u * DOWN < to)
                for (int j = 0; j < VECTOR; j++)
                    a[j] = combine(a[j], map(got[u].at[j]));
    }
    accum *out = y + part * len;
    for (int j = 0; j < VECTOR; j++)
        if (j < own)
            out[column + j] = a[j];
}

//// BLOCK.5
enum {
    BLOCK = 256,    // threads per block
    LANES = 32,     // threads side by side
    VECTOR = 8,     // columns of a thread, elements per load
    UNROLL = 4,     // loads that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    DOWN = 8,       // max(1, BLOCK / LANES)
    WIDTH = 256,    // LANES * VECTOR
    COLUMNS = 248,  // EDGES == MASKED ? WIDTH - VECTOR : WIDTH
    ELEM_BYTES = 2, // bytes of an element
};

//// half_value.1
// The value of an f16, exactly.
__device__ __forceinline__ float half_value(unsigned short bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

//// map.5
// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const accum x = half_value(value);
    return x;
}

//// __nvvm_reflect.1
// With "__CUDA_FTZ": does the compiler take denormals of floats for zeros, as -use_fast_math and
// -ftz=true make it? A constant, which it knows while it compiles.
extern "C" __device__ int __nvvm_reflect(const char *option);

//// rounded_sum.1
// a + b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_sum(accum a, accum b)
{
    accum sum;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
    return sum;
}

//// combine.5
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return __nvvm_reflect("__CUDA_FTZ") ? rounded_sum(a, b) : a + b;
}

//// take_elements.1
// Combines the elements of a row that are in the matrix, of the VECTOR columns from `column` on,
// one by one: beside them a whole load would reach past the matrix.
__device__ __forceinline__ void take_elements(accum a[VECTOR], const elem *row, long long column,
                                              unsigned long long len)
{
    for (int j = 0; j < VECTOR; j++)
        if (column + j >= 0 && column + j < (long long)len)
            a[j] = combine(a[j], map(row[column + j]));
}

//// columns.2
// Reduces each column of a matrix in `parts` parts, a block each: y[column] is the column's value,
// which its last block to arrive combines from what all left in `partials`. `state` counts the
// blocks of each tile of COLUMNS columns: zero before and after. An aborted launch leaves it above
// zero: clear it then. `count` rows of `len` elements begin `pitch` elements apart.
// LANES threads side by side take VECTOR columns each, DOWN of them below one another. Loads are
// whole and aligned wherever rows begin. A thread's rows are DOWN apart, a multiple of VECTOR, and
// so begin equally far past an aligned address: its j-th accumulator has one column, which differs
// from that of threads above and below it by less than VECTOR. Hence a row's loads have VECTOR
// columns more than the block.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
columns(const elem *x, unsigned long long count, unsigned long long len,
        unsigned long long pitch, unsigned long long parts, accum *y, accum *partials,
        unsigned *state)
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    const unsigned tiles = (unsigned)((len + COLUMNS - 1) / COLUMNS);
    const unsigned tile = blockIdx.x % tiles, part = blockIdx.x / tiles;
    const unsigned share = ((unsigned)count + (unsigned)parts - 1) / (unsigned)parts;
    const unsigned from = part * share < (unsigned)count ? part * share : (unsigned)count;
    const unsigned to = from + share < (unsigned)count ? from + share : (unsigned)count;
    const unsigned long long first = (unsigned long long)tile * COLUMNS; // column of the block
    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    // Elements of a row's first load that are before the block's columns.
    const unsigned start =
        ((unsigned)((unsigned long long)x / ELEM_BYTES) + from * (unsigned)pitch) % VECTOR;
    const unsigned skip = (start + down * (unsigned)pitch) % VECTOR;
    const long long column = (long long)(first + lane * VECTOR) - skip; // below 0: before the row
    unsigned row = from + down, end = to;
    if (lane * VECTOR >= COLUMNS + skip || column >= (long long)len)
        end = row; // no column of this thread's is the block's
    // Rows where a load would begin before the matrix, or end behind it.
    if (first == 0 || first + WIDTH > len) {
        const long long last = (long long)((count - 1) * pitch + len) - VECTOR;
        for (; row < end && (long long)(row * pitch) + column < 0; row += DOWN)
            take_elements(a, x + row * pitch, column, len);
        for (; row < end && (long long)((end - 1) * pitch) + column > last; end--)
            if ((end - 1 - row) % DOWN == 0)
                take_elements(a, x + (end - 1) * pitch, column, len);
    }
    const elem *at = x + ((long long)(row * pitch) + column);
    for (; row < end; row += DOWN * UNROLL) {
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++, at += DOWN * pitch)
            if (row + u * DOWN < end)
                got[u] = load((const vec *)at);
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (row + u * DOWN < end)
                for (int j = 0; j < VECTOR; j++)
                    a[j] = combine(a[j], map(got[u].at[j]));
    }
    accum *out = partials + part * len;
    __shared__ __align__(16) accum shared[DOWN][WIDTH];
    for (int j = 0; j < VECTOR; j++)
        shared[down][lane * VECTOR + j] = a[j];
    __syncthreads();
    for (unsigned c = threadIdx.x; c < COLUMNS && first + c < len; c += BLOCK) {
        accum b = shared[0][c + start];
        for (int d = 1; d < DOWN; d++)
            b = combine(b, shared[d][c + (start + d * (unsigned)pitch) % VECTOR]);
        out[first + c] = b;
    }
    __syncthreads(); // all of the block's are written, before it arrives
    __shared__ unsigned before; // blocks of these columns that arrived before this one
    if (threadIdx.x == 0)
        before = arrive(state + tile, (unsigned)parts);
    __syncthreads();
    if (before != parts - 1)
        return;

    // The last block to arrive combines what all left, in the same order every time.
    for (unsigned c = threadIdx.x; c < COLUMNS && first + c < len; c += BLOCK) {
        accum b = partials[first + c];
        #pragma unroll 8
        for (unsigned i = 1; i < parts; i++)
            b = combine(b, partials[i * len + first + c]);
        y[first + c] = b;
    }
}

//// BLOCK.6
enum {
    BLOCK = 256,    // threads per block
    LANES = 32,     // threads side by side
    VECTOR = 8,     // columns of a thread, elements per load
    UNROLL = 4,     // loads that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    DOWN = 8,       // max(1, BLOCK / LANES)
    WIDTH = 256,    // LANES * VECTOR
    COLUMNS = 256,  // EDGES == MASKED ? WIDTH - VECTOR : WIDTH
    ELEM_BYTES = 2, // bytes of an element
};

//// output.1
// A result: what finish makes of the last value.
typedef float output;

//// finish.1
// The result of n elements, whose value is known.
__device__ __forceinline__ output finish(accum a, unsigned long long n)
{
    return sqrtf(a);
}

//// rounded_product.1
// a b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_product(accum a, accum b)
{
    accum product;
    asm("mul.rn.f32 %0, %1, %2;" : "=f"(product) : "f"(a), "f"(b));
    return product;
}

//// map.6
// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const accum x = half_value(value);
    return __nvvm_reflect("__CUDA_FTZ") ? rounded_product(x, x) : x * x;
}

//// columns.3
// Reduces each column of a matrix in `parts` parts, a block each: y[column] is the column's value,
// which its last block to arrive combines from what all left in `partials`. `state` counts the
// blocks of each tile of COLUMNS columns: zero before and after. An aborted launch leaves it above
// zero: clear it then. `count` rows of `len` elements begin `pitch` elements apart.
// LANES threads side by side take VECTOR columns each, DOWN of them below one another.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
columns(const elem *x, unsigned long long count, unsigned long long len,
        unsigned long long pitch, unsigned long long parts, output *y, accum *partials,
        unsigned *state)
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    const unsigned tiles = (unsigned)((len + COLUMNS - 1) / COLUMNS);
    const unsigned tile = blockIdx.x % tiles, part = blockIdx.x / tiles;
    const unsigned share = ((unsigned)count + (unsigned)parts - 1) / (unsigned)parts;
    const unsigned from = part * share < (unsigned)count ? part * share : (unsigned)count;
    const unsigned to = from + share < (unsigned)count ? from + share : (unsigned)count;
    const unsigned long long first = (unsigned long long)tile * COLUMNS; // column of the block
    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    // Every load is whole and aligned.
    const bool even = ((unsigned long long)x / ELEM_BYTES | len | pitch) % VECTOR == 0;
    const unsigned long long column = first + lane * VECTOR;
    const unsigned own = column < len ? (len - column < VECTOR ? len - column : VECTOR) : 0;
    const elem *at = x + (from + down) * pitch + column;
    for (unsigned row = from + down; own && row < to; row += DOWN * UNROLL) {
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++, at += DOWN * pitch)
            if (row + u * DOWN < to) {
                if (even)
                    got[u] = load((const vec *)at);
                else
                    for (int j = 0; j < VECTOR; j++)
                        got[u].at[j] = at[j < own ? j : 0];
            }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (row + u * DOWN < to)
                for (int j = 0; j < VECTOR; j++)
                    a[j] = combine(a[j], map(got[u].at[j]));
    }
    accum *out = partials + part * len;
    __shared__ __align__(16) accum shared[DOWN][WIDTH];
    for (int j = 0; j < VECTOR; j++)
        shared[down][lane * VECTOR + j] = a[j];
    __syncthreads();
    for (unsigned c = threadIdx.x; c < COLUMNS && first + c < len; c += BLOCK) {
        accum b = shared[0][c];
        for (int d = 1; d < DOWN; d++)
            b = combine(b, shared[d][c]);
        out[first + c] = b;
    }
    __syncthreads(); // all of the block's are written, before it arrives
    __shared__ unsigned before; // blocks of these columns that arrived before this one
    if (threadIdx.x == 0)
        before = arrive(state + tile, (unsigned)parts);
    __syncthreads();
    if (before != parts - 1)
        return;

    // The last block to arrive combines what all left, in the same order every time.
    for (unsigned c = threadIdx.x; c < COLUMNS && first + c < len; c += BLOCK) {
        accum b = partials[first + c];
        #pragma unroll 8
        for (unsigned i = 1; i < parts; i++)
            b = combine(b, partials[i * len + first + c]);
        y[first + c] = finish(b, count);
    }
}

//// BLOCK.7
enum {
    BLOCK = 256,    // threads per block
    LANES = 32,     // threads side by side
    VECTOR = 4,     // columns of a thread, elements per load
    UNROLL = 8,     // loads that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    DOWN = 8,       // max(1, BLOCK / LANES)
    WIDTH = 128,    // LANES * VECTOR
    COLUMNS = 128,  // EDGES == MASKED ? WIDTH - VECTOR : WIDTH
    ELEM_BYTES = 4, // bytes of an element
};

//// load.2
__device__ __forceinline__ vec load(const vec *from)
{
    union { vec value; unsigned word[VECTOR * ELEM_BYTES / 4]; } to;
    asm("ld.global.cs"
        ".v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3]) : "l"(from));
    return to.value;
}

//// columns.4
// Reduces each column of a matrix: y[column] is its value. `count` rows of `len` elements, which
// begin `pitch` elements apart.
// LANES threads side by side take VECTOR columns each, DOWN of them below one another.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
columns(const elem *x, unsigned long long count, unsigned long long len,
        unsigned long long pitch, accum *y)
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    const unsigned tile = blockIdx.x, from = 0, to = (unsigned)count;
    const unsigned long long first = (unsigned long long)tile * COLUMNS; // column of the block
    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    // Every load is whole and aligned.
    const bool even = ((unsigned long long)x / ELEM_BYTES | len | pitch) % VECTOR == 0;
    const unsigned long long column = first + lane * VECTOR;
    const unsigned own = column < len ? (len - column < VECTOR ? len - column : VECTOR) : 0;
    const elem *at = x + (from + down) * pitch + column;
    for (unsigned row = from + down; own && row < to; row += DOWN * UNROLL) {
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++, at += DOWN * pitch)
            if (row + u * DOWN < to) {
                if (even)
                    got[u] = load((const vec *)at);
                else
                    for (int j = 0; j < VECTOR; j++)
                        got[u].at[j] = at[j < own ? j : 0];
            }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (row + u * DOWN < to)
                for (int j = 0; j < VECTOR; j++)
                    a[j] = combine(a[j], map(got[u].at[j]));
    }
    accum *out = y;
    __shared__ __align__(16) accum shared[DOWN][WIDTH];
    for (int j = 0; j < VECTOR; j++)
        shared[down][lane * VECTOR + j] = a[j];
    __syncthreads();
    for (unsigned c = threadIdx.x; c < COLUMNS && first + c < len; c += BLOCK) {
        accum b = shared[0][c];
        for (int d = 1; d < DOWN; d++)
            b = combine(b, shared[d][c]);
        out[first + c] = b;
    }
}

//// BLOCK.8
enum {
    BLOCK = 64,     // threads per block
    LANES = 4,      // threads side by side
    VECTOR = 16,    // columns of a thread, elements per load
    UNROLL = 2,     // loads that a thread has under way
    DOWN = 16,      // max(1, BLOCK / LANES)
    WIDTH = 64,     // LANES * VECTOR
    COLUMNS = 48,   // EDGES == MASKED ? WIDTH - VECTOR : WIDTH
    ELEM_BYTES = 1, // bytes of an element
};

//// combine.6
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a > b ? a : b;
}

//// load.3
__device__ __forceinline__ vec load(const vec *from)
{
    host_aligned(from, sizeof *from);
    return *from;
}

//// columns.5
// Reduces each column of a matrix: y[column] is its value. `count` rows of `len` elements, which
// begin `pitch` elements apart.
// LANES threads side by side take VECTOR columns each, DOWN of them below one another. Loads are
// whole and aligned wherever rows begin. A thread's rows are DOWN apart, a multiple of VECTOR, and
// so begin equally far past an aligned address: its j-th accumulator has one column, which differs
// from that of threads above and below it by less than VECTOR. Hence a row's loads have VECTOR
// columns more than the block.
__global__ void
__launch_bounds__(BLOCK)
columns(const elem *x, unsigned long long count, unsigned long long len,
        unsigned long long pitch, accum *y)
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    const unsigned tile = blockIdx.x, from = 0, to = (unsigned)count;
    const unsigned long long first = (unsigned long long)tile * COLUMNS; // column of the block
    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    // Elements of a row's first load that are before the block's columns.
    const unsigned start =
        ((unsigned)((unsigned long long)x / ELEM_BYTES) + from * (unsigned)pitch) % VECTOR;
    const unsigned skip = (start + down * (unsigned)pitch) % VECTOR;
    const long long column = (long long)(first + lane * VECTOR) - skip; // below 0: before the row
    unsigned row = from + down, end = to;
    if (lane * VECTOR >= COLUMNS + skip || column >= (long long)len)
        end = row; // no column of this thread's is the block's
    // Rows where a load would begin before the matrix, or end behind it.
    if (first == 0 || first + WIDTH > len) {
        const long long last = (long long)((count - 1) * pitch + len) - VECTOR;
        for (; row < end && (long long)(row * pitch) + column < 0; row += DOWN)
            take_elements(a, x + row * pitch, column, len);
        for (; row < end && (long long)((end - 1) * pitch) + column > last; end--)
            if ((end - 1 - row) % DOWN == 0)
                take_elements(a, x + (end - 1) * pitch, column, len);
    }
    const elem *at = x + ((long long)(row * pitch) + column);
    for (; row < end; row += DOWN * UNROLL) {
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++, at += DOWN * pitch)
            if (row + u * DOWN < end)
                got[u] = load((const vec *)at);
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (row + u * DOWN < end)
                for (int j = 0; j < VECTOR; j++)
                    a[j] = combine(a[j], map(got[u].at[j]));
    }
    accum *out = y;
    __shared__ __align__(16) accum shared[DOWN][WIDTH];
    for (int j = 0; j < VECTOR; j++)
        shared[down][lane * VECTOR + j] = a[j];
    __syncthreads();
    for (unsigned c = threadIdx.x; c < COLUMNS && first + c < len; c += BLOCK) {
        accum b = shared[0][c + start];
        for (int d = 1; d < DOWN; d++)
            b = combine(b, shared[d][c + (start + d * (unsigned)pitch) % VECTOR]);
        out[first + c] = b;
    }
}

//// BLOCK.9
enum {
    BLOCK = 128,    // threads per block
    VECTOR = 4,     // elements per load
    UNROLL = 8,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 4096,    // BLOCK * ITEMS
    LOADS = 8,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 4, // bytes of an element
};

//// maximum.2
// IEEE 754-2019 maximum: NaN if either is NaN, and +0 is greater than -0.
__device__ __forceinline__ accum maximum(accum a, accum b)
{
    if (__nvvm_reflect("__CUDA_FTZ")) {
        accum most;
        asm("max.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
        return a != a ? a : b != b ? b : most;
    }
    return a != a || b != b ? a + b : fmaxf(a, b);
}

//// load.4
__device__ __forceinline__ vec load(const vec *from)
{
    union { vec value; unsigned word[VECTOR * ELEM_BYTES / 4]; } to;
    asm("ld.global.nc"
        ".v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3]) : "l"(from));
    return to.value;
}

//// reduce.4
// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// Writes one value a block to y: reduce those again until one is left.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y)
{
    accum a = identity();
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
    const unsigned block = blockIdx.x;
    if (threadIdx.x == 0)
        y[block] = a;
}

//// BLOCK.10
enum {
    BLOCK = 32,     // threads per block
    VECTOR = 1,     // elements per load
    UNROLL = 8,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 256,     // BLOCK * ITEMS
    LOADS = 8,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 4, // bytes of an element
};

//// elem.4
typedef int elem;

//// accum.3
typedef int accum;

//// identity.5
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return -0x7fffffff - 1;
}

//// meet.1
// A barrier of all `blocks`: counts[0] those that came, counts[1] those that left again; the last
// to leave sets both back to 0. Releases and acquires like arrive.
__device__ __forceinline__ void meet(unsigned *counts, unsigned blocks)
{
    unsigned came;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(counts) : "memory");
    do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(came) : "l"(counts) : "memory");
    while (came != blocks);
    if (arrive(counts + 1, blocks) == blocks - 1)
        counts[0] = 0;
}

//// block_reduce.3
// Combines one value a thread; thread 0 gets the result.
__device__ __forceinline__ accum block_reduce(accum a)
{
    a = warp_reduce(a, 32);
    return a;
}

//// ends.2
// What is no whole tile: `left` elements from `rest` on.
__device__ __forceinline__ accum ends(const vec *rest, unsigned left)
{
    const unsigned threads = (gridDim.x < LOADS ? gridDim.x : LOADS) * BLOCK;
    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned whole = left / VECTOR;
    accum a = identity();
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
    return a;
}

//// reduce.5
// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// All blocks are resident and meet at a barrier; then the first reduces what all left in
// `partials` to *y. `state` counts who came and who left: zero before and after. An aborted
// launch leaves it above zero: clear it then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y, accum *partials, unsigned *state)
{
    accum a = identity();
    const unsigned tiles = (unsigned)(n / TILE);
    const vec *v = (const vec *)x;
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
        const unsigned left = (unsigned)n - tiles * TILE;
        if (left != 0)
            a = combine(a, ends(v + (unsigned long long)tiles * (BLOCK * LOADS), left));
    }

    a = block_reduce(a);
    const unsigned blocks = gridDim.x;
    const unsigned block = blockIdx.x;
    if (threadIdx.x == 0) {
        partials[block] = a;
        meet(state, blocks);
    }
    __syncthreads();
    if (block != 0)
        return;
    a = identity();
    for (unsigned i = threadIdx.x; i < blocks; i += BLOCK)
        a = combine(a, partials[i]);
    a = block_reduce(a);
    if (threadIdx.x == 0)
        *y = a;
}

//// BLOCK.11
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

//// elem.5
typedef long long elem;

//// accum.4
typedef long long accum;

//// identity.6
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return -0x7fffffffffffffffLL - 1;
}

//// post_word.2
__device__ __forceinline__ void post_word(unsigned long long *word, unsigned bits)
{
    const unsigned long long flagged = (unsigned long long)bits << 32 | 1;
    __atomic_store_n(word, flagged, __ATOMIC_RELAXED);
}

//// post.2
// Leaves the value of block i with a flag, so that who sees the flag has the value: no fence.
__device__ __forceinline__ void post(unsigned long long *words, unsigned i, accum value)
{
    // Half of the value in each of two words.
    const union { accum value; unsigned half[2]; } from = {value};
    post_word(words + 2 * i, from.half[0]);
    post_word(words + 2 * i + 1, from.half[1]);
}

//// clear_word.2
// Sets a word back to 0 by a store that is strong, as are all other accesses to it.
__device__ __forceinline__ void clear_word(unsigned long long *word)
{
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

//// take_word.2
__device__ __forceinline__ unsigned take_word(unsigned long long *word)
{
    unsigned long long flagged;
    while ((flagged = __atomic_load_n(word, __ATOMIC_RELAXED)) == 0)
        host_yield();
    clear_word(word);
    return (unsigned)(flagged >> 32);
}

//// take.2
// Waits for the value of block i and clears its place for the next call.
__device__ __forceinline__ accum take(unsigned long long *words, unsigned i)
{
    union { accum value; unsigned half[2]; } to;
    to.half[0] = take_word(words + 2 * i);
    to.half[1] = take_word(words + 2 * i + 1);
    return to.value;
}

//// barrier_wait.1
// Waits for the end of a phase (0, 1, 0, ...).
__device__ __forceinline__ void barrier_wait(unsigned long long *barrier, unsigned phase)
{
    host_barrier(HOST_BARRIER_WAIT, barrier, phase);
}

//// cluster_rank.1
__device__ __forceinline__ unsigned cluster_rank(void)
{
    return host_self->rank;
}

//// cluster_wait.1
// Waits until all threads of the cluster have arrived; for whole warps. Acquires what they made
// known of their barriers.
__device__ __forceinline__ void cluster_wait(void)
{
    host_cluster_wait();
}

//// send.1
// Sends a value to where `to` lies in the cluster's first block, whose barrier counts the bytes
// that have come.
__device__ __forceinline__ void send(accum *to, accum value, unsigned long long *barrier)
{
    const union { accum value; unsigned long long bits; } from = {value};
    host_send(0, to, from.bits, sizeof from, barrier);
}

//// cluster_values.1
// What the first block of a cluster gathers: a value of each block after it, and a barrier that
// counts their bytes.
typedef struct { accum value[CLUSTER]; unsigned long long barrier; } cluster_values;

//// barrier_init.1
// A barrier that one arrival and the bytes it announces complete.
__device__ __forceinline__ void barrier_init(unsigned long long *barrier)
{
    host_barrier(HOST_BARRIER_INIT, barrier, 1);
}

//// barrier_publish.1
// Makes barriers just made known to the copy engine and to the cluster.
__device__ __forceinline__ void barrier_publish(void)
{
}

//// barrier_expect.1
// The arrival, which announces so many bytes.
__device__ __forceinline__ void barrier_expect(unsigned long long *barrier, unsigned bytes)
{
    host_barrier(HOST_BARRIER_EXPECT, barrier, bytes);
}

//// cluster_arrive.1
// Says that this thread of the cluster has started; orders no memory. Lanes may come one by one.
__device__ __forceinline__ void cluster_arrive(void)
{
    host_cluster_arrive();
}

//// cluster_begin.1
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

//// cluster_reduce.1
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

//// .1
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

//// BLOCK.12
enum {
    BLOCK = 64,     // threads per block
    VECTOR = 16,    // elements per load
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 2048,    // BLOCK * ITEMS
    LOADS = 2,      // ITEMS / VECTOR
    ELEM_BYTES = 1, // bytes of an element
};

//// places.2
// Where a thread's warp leaves its value in shared memory, and where the value of the warp of the
// thread's number is.
typedef struct { accum *warp, *thread; } places;

//// places_in.2
// The places in `shared`, of one value a warp, computed where this stands, ahead of the loads.
__device__ __forceinline__ places places_in(accum *shared)
{
    const unsigned t = threadIdx.x;
    const places at = {shared + t / 32, shared + t};
    return at;
}

//// put_shared.2
__device__ __forceinline__ void put_shared(accum *at, accum value)
{
    *at = value;
}

//// gather_warps.1
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

//// block_reduce.4
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

//// reduce.6
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

//// accum.5
typedef double accum;

//// map.7
// What is combined of an element.
__device__ __forceinline__ accum map(elem x)
{
    return (double)x;
}

//// output.2
// A result: what finish makes of the last value.
typedef double output;

//// finish.2
// The result of n elements, whose value is known.
__device__ __forceinline__ output finish(accum a, unsigned long long n)
{
    return a / (double)n;
}

//// combine.7
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a + b;
}

//// reduce.7
// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// The last block to arrive reduces what all left in `partials` to *y. `state` counts them: zero
// before and after. An aborted launch leaves it above zero: clear it then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, output *y, accum *partials, unsigned *state)
{
    accum a = identity();
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
        *y = finish(a, n);
}

//// BLOCK.13
enum {
    BLOCK = 256,    // threads per block
    LANES = 32,     // threads side by side
    VECTOR = 4,     // columns of a thread, elements per load
    UNROLL = 4,     // loads that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    DOWN = 8,       // max(1, BLOCK / LANES)
    WIDTH = 128,    // LANES * VECTOR
    COLUMNS = 124,  // EDGES == MASKED ? WIDTH - VECTOR : WIDTH
    ELEM_BYTES = 4, // bytes of an element
};

//// columns.6
// Reduces each column of a matrix in `parts` parts, a block each: y[column] is the column's value,
// which its last block to arrive combines from what all left in `partials`. `state` counts the
// blocks of each tile of COLUMNS columns: zero before and after. An aborted launch leaves it above
// zero: clear it then. `count` rows of `len` elements begin `pitch` elements apart.
// There are `outer` such matrices, `outer_stride` elements apart, whose results follow each other.
// LANES threads side by side take VECTOR columns each, DOWN of them below one another. Loads are
// whole and aligned wherever rows begin. A thread's rows are DOWN apart, a multiple of VECTOR, and
// so begin equally far past an aligned address: its j-th accumulator has one column, which differs
// from that of threads above and below it by less than VECTOR. Hence a row's loads have VECTOR
// columns more than the block.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
columns(const elem *x, unsigned long long count, unsigned long long len,
        unsigned long long outer, unsigned long long outer_stride,
        unsigned long long pitch, unsigned long long parts, accum *y, accum *partials,
        unsigned *state)
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    const unsigned each = (unsigned)((len + COLUMNS - 1) / COLUMNS); // tiles of a matrix
    const unsigned tiles = each * (unsigned)outer;
    const unsigned tile = blockIdx.x % tiles, part = blockIdx.x / tiles;
    const unsigned share = ((unsigned)count + (unsigned)parts - 1) / (unsigned)parts;
    const unsigned from = part * share < (unsigned)count ? part * share : (unsigned)count;
    const unsigned to = from + share < (unsigned)count ? from + share : (unsigned)count;
    const unsigned long long matrix = tile / each;
    const unsigned long long first = (unsigned long long)(tile % each) * COLUMNS;
    x += matrix * outer_stride;
    y += matrix * len;
    partials += matrix * len;
    const unsigned long long results = outer * len;
    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    // Elements of a row's first load that are before the block's columns.
    const unsigned start =
        ((unsigned)((unsigned long long)x / ELEM_BYTES) + from * (unsigned)pitch) % VECTOR;
    const unsigned skip = (start + down * (unsigned)pitch) % VECTOR;
    const long long column = (long long)(first + lane * VECTOR) - skip; // below 0: before the row
    unsigned row = from + down, end = to;
    if (lane * VECTOR >= COLUMNS + skip || column >= (long long)len)
        end = row; // no column of this thread's is the block's
    // Rows where a load would begin before the matrix, or end behind it.
    if (first == 0 || first + WIDTH > len) {
        const long long last = (long long)((count - 1) * pitch + len) - VECTOR;
        for (; row < end && (long long)(row * pitch) + column < 0; row += DOWN)
            take_elements(a, x + row * pitch, column, len);
        for (; row < end && (long long)((end - 1) * pitch) + column > last; end--)
            if ((end - 1 - row) % DOWN == 0)
                take_elements(a, x + (end - 1) * pitch, column, len);
    }
    const elem *at = x + ((long long)(row * pitch) + column);
    for (; row < end; row += DOWN * UNROLL) {
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++, at += DOWN * pitch)
            if (row + u * DOWN < end)
                got[u] = load((const vec *)at);
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (row + u * DOWN < end)
                for (int j = 0; j < VECTOR; j++)
                    a[j] = combine(a[j], map(got[u].at[j]));
    }
    accum *out = partials + part * results;
    __shared__ __align__(16) accum shared[DOWN][WIDTH];
    for (int j = 0; j < VECTOR; j++)
        shared[down][lane * VECTOR + j] = a[j];
    __syncthreads();
    for (unsigned c = threadIdx.x; c < COLUMNS && first + c < len; c += BLOCK) {
        accum b = shared[0][c + start];
        for (int d = 1; d < DOWN; d++)
            b = combine(b, shared[d][c + (start + d * (unsigned)pitch) % VECTOR]);
        out[first + c] = b;
    }
    __syncthreads(); // all of the block's are written, before it arrives
    __shared__ unsigned before; // blocks of these columns that arrived before this one
    if (threadIdx.x == 0)
        before = arrive(state + tile, (unsigned)parts);
    __syncthreads();
    if (before != parts - 1)
        return;

    // The last block to arrive combines what all left, in the same order every time.
    __shared__ accum gathered[BLOCK / WIDTH][WIDTH];
    const unsigned c = threadIdx.x % WIDTH, group = threadIdx.x / WIDTH;
    accum b = identity();
    if (c < COLUMNS && first + c < len)
        #pragma unroll 8
        for (unsigned i = group; i < parts; i += BLOCK / WIDTH)
            b = combine(b, partials[i * results + first + c]);
    gathered[group][c] = b;
    __syncthreads();
    if (group == 0 && c < COLUMNS && first + c < len) {
        for (int g = 1; g < BLOCK / WIDTH; g++)
            b = combine(b, gathered[g][c]);
        y[first + c] = b;
    }
}

//// BLOCK.14
enum {
    BLOCK = 256,    // threads per block
    LANES = 32,     // threads side by side
    VECTOR = 4,     // columns of a thread, elements per load
    UNROLL = 4,     // loads that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    DOWN = 8,       // max(1, BLOCK / LANES)
    WIDTH = 128,    // LANES * VECTOR
    ELEM_BYTES = 4, // bytes of an element
};

//// find_result.1
// Where the result of a block's c-th column is among all; above all for a column that no matrix has.
__device__ __forceinline__ unsigned long long find_result(unsigned tile, unsigned c,
                                                          unsigned long long len)
{
    const unsigned long long loads = (len + VECTOR - 1) / VECTOR; // of a row
    const unsigned long long at = (unsigned long long)tile * LANES + c / VECTOR;
    const unsigned long long column = at % loads * VECTOR + c % VECTOR;
    return column < len ? at / loads * len + column : ~0ULL;
}

//// columns.7
// Reduces each column of a matrix in `parts` parts, a block each: y[column] is the column's value,
// which its last block to arrive combines from what all left in `partials`. `state` counts the
// blocks of each tile of COLUMNS columns: zero before and after. An aborted launch leaves it above
// zero: clear it then. `count` rows of `len` elements begin `pitch` elements apart.
// There are `outer` such matrices, `outer_stride` elements apart, whose results follow each other.
// A block takes LANES loads, of as many matrices as have them.
// LANES threads side by side take VECTOR columns each, DOWN of them below one another.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
columns(const elem *x, unsigned long long count, unsigned long long len,
        unsigned long long outer, unsigned long long outer_stride,
        unsigned long long pitch, unsigned long long parts, output *y, accum *partials,
        unsigned *state)
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    const unsigned long long loads = (len + VECTOR - 1) / VECTOR; // of a row
    const unsigned long long results = outer * len;
    const unsigned tiles = (unsigned)((outer * loads + LANES - 1) / LANES);
    const unsigned tile = blockIdx.x % tiles, part = blockIdx.x / tiles;
    const unsigned share = ((unsigned)count + (unsigned)parts - 1) / (unsigned)parts;
    const unsigned from = part * share < (unsigned)count ? part * share : (unsigned)count;
    const unsigned to = from + share < (unsigned)count ? from + share : (unsigned)count;
    const unsigned long long at_load = (unsigned long long)tile * LANES + lane;
    const unsigned long long matrix = at_load / loads;
    x += matrix * outer_stride;
    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    // Every load is whole and aligned.
    const bool even = ((unsigned long long)x / ELEM_BYTES | len | pitch) % VECTOR == 0;
    const unsigned long long column = at_load % loads * VECTOR;
    const unsigned own = matrix < outer ? (len - column < VECTOR ? len - column : VECTOR) : 0;
    const elem *at = x + (from + down) * pitch + column;
    for (unsigned row = from + down; own && row < to; row += DOWN * UNROLL) {
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++, at += DOWN * pitch)
            if (row + u * DOWN < to) {
                if (even)
                    got[u] = load((const vec *)at);
                else
                    for (int j = 0; j < VECTOR; j++)
                        got[u].at[j] = at[j < own ? j : 0];
            }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (row + u * DOWN < to)
                for (int j = 0; j < VECTOR; j++)
                    a[j] = combine(a[j], map(got[u].at[j]));
    }
    accum *out = partials + part * results;
    __shared__ __align__(16) accum shared[DOWN][WIDTH];
    for (int j = 0; j < VECTOR; j++)
        shared[down][lane * VECTOR + j] = a[j];
    __syncthreads();
    for (unsigned c = threadIdx.x; c < WIDTH; c += BLOCK) {
        const unsigned long long result = find_result(tile, c, len);
        if (result >= results)
            continue;
        accum b = shared[0][c];
        for (int d = 1; d < DOWN; d++)
            b = combine(b, shared[d][c]);
        out[result] = b;
    }
    __syncthreads(); // all of the block's are written, before it arrives
    __shared__ unsigned before; // blocks of these columns that arrived before this one
    if (threadIdx.x == 0)
        before = arrive(state + tile, (unsigned)parts);
    __syncthreads();
    if (before != parts - 1)
        return;

    // The last block to arrive combines what all left, in the same order every time.
    __shared__ accum gathered[BLOCK / WIDTH][WIDTH];
    const unsigned c = threadIdx.x % WIDTH, group = threadIdx.x / WIDTH;
    accum b = identity();
    const unsigned long long result = find_result(tile, c, len);
    if (result < results)
        #pragma unroll 8
        for (unsigned i = group; i < parts; i += BLOCK / WIDTH)
            b = combine(b, partials[i * results + result]);
    gathered[group][c] = b;
    __syncthreads();
    if (group == 0 && result < results) {
        for (int g = 1; g < BLOCK / WIDTH; g++)
            b = combine(b, gathered[g][c]);
        y[result] = finish(b, count);
    }
}

//// BLOCK.15
enum {
    BLOCK = 256,    // threads per block
    VECTOR = 2,     // elements per load
    UNROLL = 4,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 2048,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 8, // bytes of an element
};

//// elem.6
typedef double elem;

//// identity.7
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return __longlong_as_double(0x7ff0000000000000LL);
}

//// minimum.2
// IEEE 754-2019 minimum: NaN if either is NaN, and -0 is less than +0.
__device__ __forceinline__ accum minimum(accum a, accum b)
{
    return a != a || b != b ? a + b : fmin(a, b);
}

//// block_reduce.5
// Combines one value a thread; thread 0 gets the result.
__device__ __forceinline__ accum block_reduce(accum a)
{
    const unsigned t = threadIdx.x;
    __shared__ volatile accum shared[BLOCK + 16]; // lane 31 reads 16 beyond itself
    shared[t] = a;
    for (unsigned d = BLOCK / 2; d >= 32; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = a = combine(a, shared[t + d]);
    }
    if (t < 32) {
        for (unsigned d = 16; d > 0; d /= 2) {
            __syncwarp(); // all lanes have written ...
            a = combine(a, shared[t + d]);
            __syncwarp(); // ... and all have read
            shared[t] = a;
        }
    }
    return a;
}

//// BLOCK.16
enum {
    BLOCK = 128,    // threads per block
    VECTOR = 2,     // elements per load
    UNROLL = 4,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 1024,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 8, // bytes of an element
};

//// identity.8
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0x7fffffffffffffffLL;
}

//// combine.8
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a < b ? a : b;
}

//// value_bits.2
typedef unsigned long long value_bits;

//// encode.2
// A value written so that zero is the identity and, for min and max, order is that of unsigned
// integers; its own inverse.
__device__ __forceinline__ value_bits encode(value_bits bits)
{
    return bits ^ 0x7fffffffffffffffULL;
}

//// update.2
// Combines a value into the one at `word`, in no order.
__device__ __forceinline__ void update(unsigned long long *word, accum value)
{
    value_bits *at = (value_bits *)word;
    const value_bits bits = encode((value_bits)value);
    atomicMax(at, bits);
}

//// reduce.8
// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// `state` holds a value that all blocks combine into, written so that zero is the identity, and
// the count of blocks; the last to arrive writes *y and sets both back to zero. An aborted
// launch leaves them above zero: clear them then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    accum a = identity();
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
    const unsigned blocks = gridDim.x;
    if (threadIdx.x == 0) {
        update(state, a);
        if (arrive((unsigned *)(state + 1), blocks) == blocks - 1)
            *y = take_value(state);
    }
}

//// BLOCK.17
enum {
    BLOCK = 256,    // threads per block
    VECTOR = 2,     // elements per load
    UNROLL = 8,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 4096,    // BLOCK * ITEMS
    LOADS = 8,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 8, // bytes of an element
};

//// elem.7
typedef unsigned long long elem;

//// accum.6
typedef unsigned long long accum;

//// combine_at.1
// Combines a value into *at, in no order.
__device__ __forceinline__ void combine_at(accum *at, accum value)
{
    atomicOr(at, value);
}

//// reduce.9
// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// Each block combines its value into *y, which holds the identity before; nothing to clear.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y)
{
    accum a = identity();
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
    if (threadIdx.x == 0)
        combine_at(y, a);
}

//// reduce.10
// Prepares the result for blocks that combine into it.
__global__ void reduce(accum *y)
{
    *y = identity();
}

//// BLOCK.18
enum {
    BLOCK = 256,    // threads per block
    ACROSS = 8,     // threads side by side
    VECTOR = 4,     // columns of a thread, elements per load
    OWN = 4,        // neighbouring accumulators that a thread has of each of its columns
    ROUNDS = 8,     // turns of a leaf's accumulators
    UNROLL = 2,     // turns whose loads are all under way at a time
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    LEAVES = 1,     // leaves of a part
    TAKE = 4,       // parts that a thread gathers at a time
    DOWN = 32,      // BLOCK / ACROSS
    FRAME = 128,    // DOWN * OWN
    LEAF = 1024,    // FRAME * ROUNDS
    WIDTH = 32,     // ACROSS * VECTOR
    GROUPS = 8,     // max(1, BLOCK / WIDTH)
    ELEM_BYTES = 4, // bytes of an element
};

//// widened.1
// The value of an f32, exactly, denormals too.
__device__ __forceinline__ double widened(float value)
{
    double wide;
    asm("cvt.f64.f32 %0, %1;" : "=d"(wide) : "f"(value));
    return wide;
}

//// map.8
// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const accum x = widened(value);
    return x;
}

//// rounded_sum.2
// a + b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_sum(accum a, accum b)
{
    accum sum;
    asm("add.rn.f64 %0, %1, %2;" : "=d"(sum) : "d"(a), "d"(b));
    return sum;
}

//// combine.9
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return rounded_sum(a, b);
}

//// carry.1
// Adds the value of the next subtree, of so many before it, as a binary counter carries: level[k]
// is the value of 2^k of them.
__device__ __forceinline__ void carry(accum level[32], unsigned before, accum a)
{
    unsigned k = 0;
    for (; before >> k & 1; k++)
        a = combine(level[k], a);
    level[k] = a;
}

//// carried.1
// The value of all subtrees that were carried: those without a neighbour are joined, the last first.
__device__ __forceinline__ accum carried(const accum level[32], unsigned count)
{
    accum all = identity();
    for (unsigned k = 0; count >> k; k++)
        if (count >> k & 1)
            all = combine(level[k], all);
    return all;
}

//// vec_accum.1
// A value for each column of a load.
typedef struct { accum at[VECTOR]; } vec_accum;

//// load_row.1
// What one load brings of row `row`: the thread's columns from `column` on. `even` says that all rows
// begin and end with whole loads.
__device__ __forceinline__ vec load_row(const elem *x, unsigned long long row,
                                        unsigned long long pitch, unsigned long long column,
                                        unsigned long long len, bool even)
{
    const elem *from = x + row * pitch + column;
    if (even)
        return load((const vec *)from);
    vec got;
    #pragma unroll
    for (int i = 0; i < VECTOR; i++)
        got.at[i] = from[column + i < len ? i : 0];
    return got;
}

//// take_rows.1
// The values of a leaf of each of the thread's columns from `column` on, as far as this thread has
// accumulators of it: OWN neighbours of FRAME, from DOWN threads below one another. Its rows, from
// `first` on, end before row `end`.
__device__ __forceinline__ vec_accum take_rows(const elem *x, unsigned long long first,
                                               unsigned long long end, unsigned long long pitch,
                                               unsigned long long column, unsigned long long len,
                                               bool even)
{
    vec_accum a[OWN];
    #pragma unroll
    for (int o = 0; o < OWN; o++)
        #pragma unroll
        for (int i = 0; i < VECTOR; i++)
            a[o].at[i] = identity();
    #pragma unroll 1
    for (int r = 0; r < ROUNDS; r += UNROLL) {
        vec got[UNROLL][OWN];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            #pragma unroll
            for (int o = 0; o < OWN; o++)
                if (first + (r + u) * FRAME + o < end && column < len)
                    got[u][o] = load_row(x, first + (r + u) * FRAME + o, pitch, column, len, even);
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            #pragma unroll
            for (int o = 0; o < OWN; o++)
                if (first + (r + u) * FRAME + o < end && column < len)
                    #pragma unroll
                    for (int i = 0; i < VECTOR; i++)
                        a[o].at[i] = combine(a[o].at[i], map(got[u][o].at[i]));
    }
    #pragma unroll
    for (int width = OWN / 2; width > 0; width /= 2)
        #pragma unroll
        for (int o = 0; o < width; o++)
            #pragma unroll
            for (int i = 0; i < VECTOR; i++)
                a[o].at[i] = combine(a[2 * o].at[i], a[2 * o + 1].at[i]);
    return a[0];
}

//// columns.8
// Reduces each column of a matrix in order 1 (docs/reproducible.md), by a block for WIDTH columns and
// LEAVES leaves of their rows: y[column] is its value, which the last block of the columns to
// arrive combines from what all left in `partials`. `state` counts the blocks of each WIDTH
// columns: zero before and after. An aborted launch leaves it above zero: clear it then. `depth`
// rows of `len` columns begin `pitch` elements apart.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
columns(const elem *x, unsigned long long depth, unsigned long long len, unsigned long long pitch,
        accum *y, accum *partials, unsigned *state)
{
    const unsigned across = threadIdx.x % ACROSS, down = threadIdx.x / ACROSS;
    const bool even = ((unsigned long long)x / ELEM_BYTES | len | pitch) % VECTOR == 0;
    const unsigned tiles = (unsigned)((len + WIDTH - 1) / WIDTH), tile = blockIdx.x % tiles;
    const unsigned long long part = blockIdx.x / tiles, start = part * (LEAVES * LEAF);
    const unsigned long long stop = start + LEAVES * LEAF, end = stop < depth ? stop : depth;
    const unsigned long long first = (unsigned long long)tile * WIDTH;
    const unsigned long long column = first + across * VECTOR;
    // Each thread leaves its part of a leaf, and the first WIDTH threads join those of a column.
    __shared__ accum shared[2][DOWN][WIDTH];
    const unsigned long long own = first + threadIdx.x;
    accum level[32];
    unsigned leaves = 0;
    for (; start + (unsigned long long)leaves * LEAF < end; leaves++) {
        const unsigned long long row = start + (unsigned long long)leaves * LEAF + down * OWN;
        const vec_accum a = take_rows(x, row, end, pitch, column, len, even);
        #pragma unroll
        for (int i = 0; i < VECTOR; i++)
            shared[leaves % 2][down][across * VECTOR + i] = a.at[i];
        __syncthreads();
        if (threadIdx.x < WIDTH) {
            accum below[DOWN];
            #pragma unroll
            for (int d = 0; d < DOWN; d++)
                below[d] = shared[leaves % 2][d][threadIdx.x];
            #pragma unroll
            for (int width = DOWN / 2; width > 0; width /= 2)
                #pragma unroll
                for (int d = 0; d < width; d++)
                    below[d] = combine(below[2 * d], below[2 * d + 1]);
            carry(level, leaves, below[0]);
        }
    }
    if (threadIdx.x < WIDTH && own < len)
        partials[part * len + own] = carried(level, leaves);
    __syncthreads(); // all have written, which thread 0 releases
    __shared__ bool is_last;
    const unsigned parts = gridDim.x / tiles;
    if (threadIdx.x == 0)
        is_last = arrive(state + tile, parts) == parts - 1;
    __syncthreads();
    if (!is_last)
        return;
    // Each row of threads combines TAKE neighbouring parts, then the first WIDTH join those.
    const unsigned group = threadIdx.x / WIDTH, c = threadIdx.x % WIDTH;
    unsigned rounds = 0;
    for (unsigned from = 0; from < parts; from += GROUPS * TAKE, rounds++) {
        accum a[TAKE];
        #pragma unroll
        for (int i = 0; i < TAKE; i++) {
            const unsigned at = from + group * TAKE + i;
            const bool is_there = at < parts && first + c < len;
            a[i] = is_there ? partials[at * len + first + c] : identity();
        }
        #pragma unroll
        for (int width = TAKE / 2; width > 0; width /= 2)
            #pragma unroll
            for (int i = 0; i < width; i++)
                a[i] = combine(a[2 * i], a[2 * i + 1]);
        shared[rounds % 2][group][c] = a[0];
        __syncthreads();
        if (threadIdx.x < WIDTH) {
            accum joined[GROUPS];
            #pragma unroll
            for (int g = 0; g < GROUPS; g++)
                joined[g] = shared[rounds % 2][g][c];
            #pragma unroll
            for (int width = GROUPS / 2; width > 0; width /= 2)
                #pragma unroll
                for (int g = 0; g < width; g++)
                    joined[g] = combine(joined[2 * g], joined[2 * g + 1]);
            carry(level, rounds, joined[0]);
        }
    }
    if (threadIdx.x < WIDTH && own < len)
        y[own] = carried(level, rounds);
}

//// BLOCK.19
enum {
    BLOCK = 64,     // threads per block
    LEAVES = 1,     // leaves that LANES threads take at a time
    UNROLL = 1,     // leaves whose loads are all under way at a time
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TAKE = 1,       // values of tiles that a thread gathers at a time
    VECTOR = 8,     // 16 / ELEM_BYTES
    LANES = 16,     // min(32, 128 / VECTOR)
    PARTS = 1,      // 128 / VECTOR / LANES
    ROUNDS = 8,     // 8
    LEAF = 1024,    // FRAME * ROUNDS
    HELD = 1,       // UNROLL * PARTS
    SPREAD = 1,     // HELD
    TILE = 4096,    // BLOCK / LANES * LEAVES * LEAF
    ELEM_BYTES = 2, // bytes of an element
};

//// rounded_sum.3
// a + b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_sum(accum a, accum b)
{
    return a + b;
}

//// leaf_loads.1
// What one of LANES threads loads of a leaf. The leaf has FRAME accumulators, which take its elements
// in turn, ROUNDS times. VECTOR neighbours are a load, and a thread has PARTS loads a round, LANES
// loads apart. Loads are aligned: where the leaf begins `skip` elements past an aligned address,
// the first thread's first load begins before it. Where the elements end within a load, one
// thread has `rest` of them in `last`, for accumulators of its part `part`.
typedef struct {
    unsigned skip, rest, part;
    vec got[PARTS][ROUNDS], last;
} leaf_loads;

//// neutral.1
// The element that changes nothing.
__device__ __forceinline__ elem neutral(void)
{
    return 0;
}

//// load_partly.1
// Elements [from, to) of the load at x, and what changes nothing in place of the others. `inside` says
// that these can be read, too.
__device__ __forceinline__ vec load_partly(const elem *x, unsigned from, unsigned to, bool inside)
{
    vec got;
    if (inside)
        got = load((const vec *)x);
    #pragma unroll
    for (unsigned i = 0; i < VECTOR; i++)
        if (i < from || i >= to)
            got.at[i] = neutral();
        else if (!inside)
            got.at[i] = x[i];
    return got;
}

//// load_leaf.1
// Issues all loads of the leaf that begins with element `first` of n from x on; what is absent changes
// nothing. `inside` says that what is next to the n elements can be read, too.
__device__ __forceinline__ void load_leaf(leaf_loads *leaf, const elem *x,
                                          unsigned long long first, unsigned long long n,
                                          bool inside)
{
    const unsigned lane = threadIdx.x % LANES;
    const unsigned skip = (unsigned)((unsigned long long)x / ELEM_BYTES % VECTOR);
    const elem *begin = x - skip + first;
    const vec *from = (const vec *)begin + lane;
    leaf->skip = skip;
    leaf->rest = 0;
    if (skip == 0 && first + LEAF <= n) {
        #pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            #pragma unroll
            for (int p = 0; p < PARTS; p++)
                leaf->got[p][r] = load(from + (r * PARTS + p) * LANES);
        return;
    }
    const unsigned count = first + LEAF <= n ? LEAF : first < n ? (unsigned)(n - first) : 0;
    const int room = (int)(count + skip) - (int)((lane + 1) * VECTOR);
    const bool is_head = lane == 0 && skip > 0;
    #pragma unroll
    for (int r = 0; r < ROUNDS; r++)
        #pragma unroll
        for (int p = 0; p < PARTS; p++) {
            #pragma unroll
            for (int i = 0; i < VECTOR; i++)
                leaf->got[p][r].at[i] = neutral();
            if (room >= (r * PARTS + p) * (LANES * VECTOR) && !(r + p == 0 && is_head))
                leaf->got[p][r] = load(from + (r * PARTS + p) * LANES);
        }
    const bool is_within = inside || (first >= VECTOR && first + LEAF + VECTOR <= n);
    const unsigned whole = (skip + count) / VECTOR, rest = (skip + count) % VECTOR;
    if (is_head && count > 0)
        leaf->got[0][0] = load_partly(begin, skip, whole > 0 ? VECTOR : rest, is_within);
    if (whole % LANES == lane && rest > 0 && (whole > 0 || skip == 0)) {
        leaf->last = load_partly(begin + whole * VECTOR, 0, rest, is_within);
        leaf->rest = rest;
        leaf->part = whole / LANES % PARTS;
    }
}

//// half_value.2
// The value of an f16, exactly.
__device__ __forceinline__ float half_value(unsigned short bits)
{
    // The fields moved to where a float has them: its exponent is then too small by 112.
    const unsigned moved = (bits & 0x7fffu) << 13, sign = (bits & 0x8000u) << 16;
    if (moved >= 0x0f800000u)
        return __uint_as_float(moved | 0x7f800000u | sign);
    return __uint_as_float(__float_as_uint(__uint_as_float(moved) * 0x1p112f) | sign);
}

//// rounded_product.2
// a b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_product(accum a, accum b)
{
    return a * b;
}

//// map.9
// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const accum x = half_value(value);
    return rounded_product(x, x);
}

//// join_load.1
// Combines what one load brought with VECTOR accumulators.
__device__ __forceinline__ void join_load(accum a[VECTOR], vec got)
{
    #pragma unroll
    for (int i = 0; i < VECTOR; i++)
        a[i] = combine(a[i], map(got.at[i]));
}

//// join_leaf.1
// What a thread's accumulators of a leaf come to, a value for each of PARTS: to be combined with
// those of the other lanes.
__device__ __forceinline__ void join_leaf(accum to[PARTS], const leaf_loads *leaf)
{
    const unsigned lane = threadIdx.x % LANES, skip = leaf->skip;
    accum a[PARTS][2 * VECTOR];
    #pragma unroll
    for (int p = 0; p < PARTS; p++) {
        #pragma unroll
        for (int i = 0; i < VECTOR; i++)
            a[p][i] = identity();
        #pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            join_load(a[p], leaf->got[p][r]);
    }
    // The first of a thread's accumulators is `skip` before its own: the next lane has what it
    // lacks at the other end.
    if (__any_sync(~0u, skip > 0 || leaf->rest > 0)) {
        #pragma unroll
        for (int p = 0; p < PARTS; p++)
            #pragma unroll
            for (int i = 0; i < VECTOR; i++) {
                const accum more = combine(a[p][i], map(leaf->last.at[i]));
                a[p][i] = leaf->rest > 0 && (PARTS == 1 || leaf->part == p) ? more : a[p][i];
            }
        #pragma unroll
        for (int i = 0; i < VECTOR - 1; i++) {
            accum next[PARTS];
            #pragma unroll
            for (int p = 0; p < PARTS; p++)
                next[p] = __shfl_sync(~0u, a[p][i], lane + 1, LANES);
            #pragma unroll
            for (int p = 0; p < PARTS; p++)
                a[p][VECTOR + i] = lane == LANES - 1 ? next[(p + 1) % PARTS] : next[p];
        }
        #pragma unroll
        for (int p = 0; p < PARTS; p++)
            #pragma unroll
            for (int by = 1; by < VECTOR; by *= 2)
                #pragma unroll
                for (int i = 0; i < 2 * VECTOR; i++)
                    if (i < 2 * VECTOR - 2 * by) {
                        const accum own = a[p][i], further = a[p][i + by];
                        a[p][i] = skip & by ? further : own;
                    }
    }
    #pragma unroll
    for (int p = 0; p < PARTS; p++) {
        #pragma unroll
        for (int width = VECTOR / 2; width > 0; width /= 2)
            #pragma unroll
            for (int i = 0; i < width; i++)
                a[p][i] = combine(a[p][2 * i], a[p][2 * i + 1]);
        to[p] = a[p][0];
    }
}

//// lanes_tree.1
// Combines each of HELD values a thread with those of the other lanes of its LANES, by the tree over
// neighbours. Of two values a lane keeps one and gives its neighbour the other, for its own of
// the one; so a[i] is then value i * SPREAD + lane % SPREAD of all of them.
__device__ __forceinline__ void lanes_tree(accum a[HELD])
{
    const unsigned lane = threadIdx.x;
    #pragma unroll
    for (int d = 1; d < SPREAD; d *= 2)
        #pragma unroll
        for (int i = 0; i < HELD / 2 / d; i++) {
            const accum even = a[2 * i], odd = a[2 * i + 1];
            const accum other = __shfl_xor_sync(~0u, lane & d ? even : odd, d);
            a[i] = combine(lane & d ? odd : even, other);
        }
    #pragma unroll
    for (int d = SPREAD; d < LANES; d *= 2)
        a[0] = combine(a[0], __shfl_xor_sync(~0u, a[0], d));
}

//// take_leaves.1
// The value of the leaves that a warp takes of n elements from x on: LEAVES for each LANES threads,
// from leaf number `leaf` on, side by side and then one after another. Lane 0 gets it. `inside`
// says that what is next to the elements can be read.
__device__ __forceinline__ accum take_leaves(const elem *x, unsigned long long n, unsigned leaf,
                                             bool inside)
{
    const unsigned lane = threadIdx.x % 32;
    accum all = identity();
    #pragma unroll 1
    for (unsigned i = 0; i < LEAVES; i += UNROLL) {
        leaf_loads loads[UNROLL];
        accum a[HELD];
        #pragma unroll
        for (unsigned u = 0; u < UNROLL; u++) {
            const unsigned at = leaf + (i + u) * (32 / LANES) + lane / LANES;
            load_leaf(&loads[u], x, (unsigned long long)at * LEAF, n, inside);
        }
        #pragma unroll
        for (unsigned u = 0; u < UNROLL; u++)
            join_leaf(a + u * PARTS, &loads[u]);
        lanes_tree(a);
        #pragma unroll
        for (int d = LANES; d < 32; d *= 2)
            a[0] = combine(a[0], __shfl_xor_sync(~0u, a[0], d));
        #pragma unroll
        for (int d = 1; d < HELD; d *= 2)
            a[0] = combine(a[0], __shfl_xor_sync(~0u, a[0], d));
        all = LEAVES == UNROLL || lane == i / UNROLL ? a[0] : all;
    }
    #pragma unroll
    for (int d = 1; d < LEAVES / UNROLL; d *= 2)
        all = combine(all, __shfl_xor_sync(~0u, all, d));
    return all;
}

//// values_tree.1
// Combines TAKE values a thread of a warp, of which a[k] is value k * 32 + lane, by the tree over
// neighbours; every lane gets the result. As in lanes_tree each lane keeps one value of two.
__device__ __forceinline__ accum values_tree(accum a[TAKE])
{
    const unsigned lane = threadIdx.x;
    #pragma unroll
    for (int d = 1; d < TAKE; d *= 2)
        #pragma unroll
        for (int i = 0; i < TAKE / 2 / d; i++) {
            const accum even = a[2 * i], odd = a[2 * i + 1];
            const accum other = __shfl_xor_sync(~0u, lane & d ? even : odd, d);
            a[i] = combine(lane & d ? odd : even, other);
        }
    #pragma unroll
    for (int d = TAKE; d < 32; d *= 2)
        a[0] = combine(a[0], __shfl_xor_sync(~0u, a[0], d));
    #pragma unroll
    for (int d = 1; d < TAKE; d *= 2)
        a[0] = combine(a[0], __shfl_xor_sync(~0u, a[0], d));
    return a[0];
}

//// block_tree.1
// Combines one value a warp by the tree over neighbours; every thread gets the result. `turn` is 0
// and 1 by turns, so that one barrier is enough.
__device__ __forceinline__ accum block_tree(accum a, unsigned turn)
{
    __shared__ accum shared[2][BLOCK / 32];
    if (threadIdx.x % 32 == 0)
        shared[turn % 2][threadIdx.x / 32] = a;
    __syncthreads();
    a = shared[turn % 2][threadIdx.x % (BLOCK / 32)];
    #pragma unroll
    for (int d = 1; d < BLOCK / 32; d *= 2)
        a = combine(a, __shfl_xor_sync(~0u, a, d));
    return a;
}

//// gather.1
// Combines the values that tiles left from `first` on, below `count`: TAKE a thread, for a warp.
__device__ __forceinline__ accum gather(unsigned long long *from, unsigned first, unsigned count)
{
    accum a[TAKE];
    #pragma unroll
    for (int i = 0; i < TAKE; i++) {
        const unsigned at = first + threadIdx.x / 32 * (32 * TAKE) + i * 32 + threadIdx.x % 32;
        a[i] = at < count ? take(from, at) : identity();
    }
    return values_tree(a);
}

//// ordered.1
// Reduces n elements of x in order 1 (docs/reproducible.md), n may be 0: the bits of the result
// depend on the elements alone. Each LANES threads take LEAVES leaves at a time, and a block a
// tile, whose leaves are a subtree.
// The value of each tile is left in words of `state`, and a flag in the same store; the last
// block gathers them and sets them back to zero. An aborted launch leaves some above zero: clear
// them then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
ordered(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    const unsigned first_leaf = threadIdx.x / 32 * (32 / LANES * LEAVES);
    // Each block has one tile at least.
    const unsigned tiles = n > TILE ? (unsigned)((n + TILE - 1) / TILE) : 1;
    unsigned tile = blockIdx.x, turn = 0;
    do {
        const unsigned leaf = tile * (TILE / LEAF) + first_leaf;
        const accum a = block_tree(take_leaves(x, n, leaf, false), turn++);
        if (threadIdx.x == 0)
            post(state, tile, a);
        tile += gridDim.x;
    } while (tile < tiles);
    // The last block gathers what those before it left, which were all started before it.
    if (blockIdx.x != gridDim.x - 1)
        return;
    accum a = block_tree(gather(state, 0, tiles), turn++);
    if (tiles > BLOCK * TAKE) {
        accum level[32];
        unsigned rounds = 1;
        carry(level, 0, a);
        for (unsigned first = BLOCK * TAKE; first < tiles; first += BLOCK * TAKE, rounds++)
            carry(level, rounds, block_tree(gather(state, first, tiles), turn++));
        a = carried(level, rounds);
    }
    if (threadIdx.x == 0)
        *y = a;
}

//// BLOCK.20
enum {
    BLOCK = 256,    // threads per block
    LEAVES = 4,     // leaves that LANES threads take at a time
    UNROLL = 2,     // leaves whose loads are all under way at a time
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TAKE = 4,       // values of tiles that a thread gathers at a time
    VECTOR = 4,     // 16 / ELEM_BYTES
    LANES = 32,     // min(32, 128 / VECTOR)
    PARTS = 1,      // 128 / VECTOR / LANES
    ROUNDS = 8,     // 8
    LEAF = 1024,    // FRAME * ROUNDS
    HELD = 2,       // UNROLL * PARTS
    SPREAD = 2,     // HELD
    TILE = 32768,   // BLOCK / LANES * LEAVES * LEAF
    ELEM_BYTES = 4, // bytes of an element
};

//// gather.2
// Combines the values from `first` on, below `count`: TAKE a thread, for a warp.
__device__ __forceinline__ accum gather(const accum *from, unsigned long long first,
                                        unsigned long long count)
{
    accum a[TAKE];
    #pragma unroll
    for (int i = 0; i < TAKE; i++) {
        const unsigned long long at =
            first + threadIdx.x / 32 * (32 * TAKE) + i * 32 + threadIdx.x % 32;
        a[i] = at < count ? from[at] : identity();
    }
    return values_tree(a);
}

//// ordered.2
// Reduces n elements of x in order 1 (docs/reproducible.md), n may be 0: the bits of the result
// depend on the elements alone. Each LANES threads take LEAVES leaves at a time, and a block a
// tile, whose leaves are a subtree.
// The last block to arrive combines what all tiles left in `partials` to *y. `state` counts the
// blocks: zero before and after. An aborted launch leaves it above zero: clear it then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
ordered(const elem *x, unsigned long long n, accum *y, accum *partials, unsigned *state)
{
    const unsigned first_leaf = threadIdx.x / 32 * (32 / LANES * LEAVES);
    // Each block has one tile at least.
    const unsigned tiles = n > TILE ? (unsigned)((n + TILE - 1) / TILE) : 1;
    unsigned tile = blockIdx.x, turn = 0;
    do {
        const unsigned leaf = tile * (TILE / LEAF) + first_leaf;
        const accum a = block_tree(take_leaves(x, n, leaf, false), turn++);
        if (threadIdx.x == 0)
            partials[tile] = a;
        tile += gridDim.x;
    } while (tile < tiles);
    __shared__ bool is_last;
    if (threadIdx.x == 0)
        is_last = arrive(state, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (!is_last)
        return;
    accum a = block_tree(gather(partials, 0, tiles), turn++);
    if (tiles > BLOCK * TAKE) {
        accum level[32];
        unsigned rounds = 1;
        carry(level, 0, a);
        for (unsigned first = BLOCK * TAKE; first < tiles; first += BLOCK * TAKE, rounds++)
            carry(level, rounds, block_tree(gather(partials, first, tiles), turn++));
        a = carried(level, rounds);
    }
    if (threadIdx.x == 0)
        *y = a;
}

//// BLOCK.21
enum {
    BLOCK = 128,    // threads per block
    LANES = 4,      // threads that share a leaf
    PARTS = 8,      // loads of a leaf that a thread has in a round
    ROUNDS = 1,     // turns of a leaf's accumulators
    LEAVES = 2,     // leaves that LANES threads take at a time
    UNROLL = 2,     // leaves whose loads are all under way at a time
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    VECTOR = 2,     // 16 / ELEM_BYTES
    LEAF = 64,      // FRAME * ROUNDS
    HELD = 16,      // (SPLIT == BY_LANES ? LEAVES : UNROLL) * PARTS
    SPREAD = 4,     // min(HELD, LANES)
    NEAR = 4,       // min(PARTS, SPREAD)
    AT_ONCE = 64,   // BLOCK / LANES * LEAVES
    ELEM_BYTES = 8, // bytes of an element
};

//// rounded_product.3
// a b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_product(accum a, accum b)
{
    accum product;
    asm("mul.rn.f64 %0, %1, %2;" : "=d"(product) : "d"(a), "d"(b));
    return product;
}

//// combine.10
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return rounded_product(a, b);
}

//// neutral.2
// The element that changes nothing.
__device__ __forceinline__ elem neutral(void)
{
    return 1;
}

//// identity.9
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 1;
}

//// rows.1
// Reduces each row of a matrix in order 1 (docs/reproducible.md): y[row] is its value. `count` rows of
// `len` elements, one leaf at most, which begin `pitch` elements apart. LANES threads share a row,
// and a block has AT_ONCE rows at a time.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     accum *y)
{
    const unsigned lane = threadIdx.x % LANES;
    const unsigned long long extent = (count - 1) * pitch + len;
    for (unsigned long long first = (unsigned long long)blockIdx.x * AT_ONCE; first < count;
         first += (unsigned long long)gridDim.x * AT_ONCE) {
        // Rows side by side in a warp, then those one after another.
        const unsigned long long mine =
            first + threadIdx.x / 32 * (32 / LANES * LEAVES) + threadIdx.x % 32 / LANES;
        accum a[HELD];
        #pragma unroll
        for (int i = 0; i < LEAVES; i += UNROLL) {
            leaf_loads leaf[UNROLL];
            #pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const unsigned long long row = mine + (i + u) * (32 / LANES);
                const unsigned long long begin = row * pitch;
                const bool inside = begin >= VECTOR && begin + len + VECTOR <= extent;
                load_leaf(&leaf[u], x + begin, 0, row < count ? len : 0, inside);
            }
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                join_leaf(a + (i + u) * PARTS, &leaf[u]);
        }
        lanes_tree(a);
        // The parts of a row: as far as lanes have them, then those that a lane holds.
        #pragma unroll
        for (int d = 1; d < NEAR; d *= 2)
            #pragma unroll
            for (int i = 0; i < HELD / SPREAD; i++)
                a[i] = combine(a[i], __shfl_xor_sync(~0u, a[i], d));
        #pragma unroll
        for (int width = PARTS / NEAR / 2; width > 0; width /= 2)
            #pragma unroll
            for (int i = 0; i < LEAVES * width; i++)
                a[i] = combine(a[2 * i], a[2 * i + 1]);
        // a[i] is then of row i * (SPREAD / NEAR) + lane % SPREAD / NEAR of this thread's LEAVES.
        #pragma unroll
        for (int i = 0; i < LEAVES * NEAR / SPREAD; i++) {
            const unsigned long long row =
                mine + (i * (SPREAD / NEAR) + lane / NEAR) * (32 / LANES);
            if (lane < SPREAD && lane % NEAR == 0 && row < count)
                y[row] = a[i];
        }
    }
}

//// BLOCK.22
enum {
    BLOCK = 512,    // threads per block
    VECTOR = 2,     // elements per load
    UNROLL = 8,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 8192,    // BLOCK * ITEMS
    LOADS = 8,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 8, // bytes of an element
};

//// accum.7
// Unsigned, because unsigned arithmetic wraps around; the bits are those of the signed result.
typedef unsigned long long accum;

//// combine.11
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a * b;
}

//// block_reduce.6
// Combines one value a thread; thread 0 gets the result.
__device__ __forceinline__ accum block_reduce(accum a)
{
    const unsigned t = threadIdx.x;
    __shared__ accum shared[BLOCK];
    shared[t] = a;
    for (unsigned d = BLOCK / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = a = combine(a, shared[t + d]);
    }
    return a;
}

//// reduce.11
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

//// BLOCK.23
enum {
    BLOCK = 256,    // threads per block
    LANES = 8,      // threads that share a row
    VECTOR = 4,     // elements per load
    ROUNDS = 4,     // loads of a row that a thread has under way
    UNROLL = 2,     // rows that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    GROUPS = 32,    // BLOCK / max(1, LANES)
    AT_ONCE = 64,   // GROUPS * UNROLL
    ELEM_BYTES = 4, // bytes of an element
};

//// span.1
// A row, or a part of one: `end` elements from `at` on.
typedef struct {
    const vec *at;
    unsigned end, loads; // in elements, and in loads
} span;

//// take_step.1
// A step of this lane: ROUNDS loads of each of UNROLL rows, from the load at `i` on, all under way
// at a time.
__device__ __forceinline__ void take_step(accum a[UNROLL], const span from[UNROLL], unsigned i)
{
    vec got[UNROLL][ROUNDS];
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        #pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (i + r * LANES < from[u].loads)
                got[u][r] = load(from[u].at + i + r * LANES);
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        #pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (i + r * LANES < from[u].loads)
                a[u] = fold(a[u], got[u][r]);
}

//// reduce_rows.1
// What this lane takes of UNROLL rows.
__device__ __forceinline__ void reduce_rows(accum a[UNROLL], const span from[UNROLL], unsigned lane)
{
    unsigned most = 0, i = lane;
    #pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        a[u] = identity();
        most = from[u].loads > most ? from[u].loads : most;
    }
    #pragma unroll 1 // a step is what the params unroll
    do {
        take_step(a, from, i);
        i += LANES * ROUNDS;
    } while (i < most);
}

//// lanes_reduce.1
// Combines the values of `lanes` neighbours in a warp; each of them gets the result.
__device__ __forceinline__ accum lanes_reduce(accum a, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2)
        a = combine(a, __shfl_xor_sync(~0u, a, d));
    return a;
}

//// rows.2
// Reduces each row of a matrix: y[row] is its value. `count` rows of `len` elements, which begin
// `pitch` elements apart.
// LANES threads share a row, and a block has AT_ONCE rows under way at a time.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     accum *y)
{
    const unsigned lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    const unsigned long long results = count;
    const unsigned long long start = (unsigned long long)x / ELEM_BYTES;
    const bool even = (start | len | pitch) % VECTOR == 0;
    for (unsigned long long first = (unsigned long long)blockIdx.x * AT_ONCE; first < results;
         first += (unsigned long long)gridDim.x * AT_ONCE) {
        accum a[UNROLL];
        span from[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long result = first + u * GROUPS + group;
            const unsigned long long begin = result * pitch;
            const unsigned left = result < results ? len : 0;
            from[u].at = (const vec *)(x + begin);
            from[u].end = left;
            from[u].loads = (left + VECTOR - 1) / VECTOR;
        }
        if (even)
            reduce_rows(a, from, lane);
        else
            for (int u = 0; u < UNROLL; u++) {
                a[u] = identity();
                for (unsigned i = lane; i < from[u].end; i += LANES)
                    a[u] = combine(a[u], map(((const elem *)from[u].at)[i]));
            }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long result = first + u * GROUPS + group;
            a[u] = lanes_reduce(a[u], LANES);
            if (lane == 0 && result < results)
                y[result] = a[u];
        }
    }
}

//// BLOCK.24
enum {
    BLOCK = 256,    // threads per block
    LANES = 256,    // threads that share a row
    VECTOR = 4,     // elements per load
    ROUNDS = 8,     // loads of a row that a thread has under way
    UNROLL = 1,     // rows that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    GROUPS = 1,     // BLOCK / max(1, LANES)
    AT_ONCE = 1,    // GROUPS * UNROLL
    STEP = 8192,    // LANES * ROUNDS * VECTOR
    ELEM_BYTES = 4, // bytes of an element
};

//// widened.2
// The value of an f32, exactly, denormals too.
__device__ __forceinline__ double widened(float value)
{
    if (!__nvvm_reflect("__CUDA_FTZ"))
        return value;
    double wide;
    asm("cvt.f64.f32 %0, %1;" : "=d"(wide) : "f"(value));
    return wide;
}

//// span.2
// A row, or a part of one, as loads see it: elements [skip, end) from `at` on, which is aligned.
typedef struct {
    const vec *at;
    unsigned end, loads; // in elements, and in loads
    unsigned skip;
    bool inside; // whole loads at both ends, too, stay inside the input
} span;

//// fetch.1
// The load at `i` of a span, of which at least one element is in it.
__device__ __forceinline__ vec fetch(const span *from, unsigned i, bool even)
{
    if (even || from->inside || (i > 0 && i + 1 < from->loads))
        return load(from->at + i);
    vec got;
    for (int j = 0; j < VECTOR; j++) {
        const unsigned e = i * VECTOR + j;
        const unsigned last = from->end - 1; // outside the span any of its elements will do
        got.at[j] = ((const elem *)from->at)[e < from->skip ? from->skip : e < last ? e : last];
    }
    return got;
}

//// fold_in.1
// Combines what of a load is in the span.
__device__ __forceinline__ accum fold_in(accum a, vec got, const span *from, unsigned i, bool even)
{
    const unsigned first = i * VECTOR;
    if (even || (first >= from->skip && first + VECTOR <= from->end))
        return fold(a, got);
    for (int j = 0; j < VECTOR; j++)
        if (first + j >= from->skip && first + j < from->end)
            a = combine(a, map(got.at[j]));
    return a;
}

//// take_step.2
// A step of this lane: ROUNDS loads of each of UNROLL rows, from the load at `i` on, all under way
// at a time. `even` says that all rows begin and end with a whole load.
__device__ __forceinline__ void take_step(accum a[UNROLL], const span from[UNROLL], unsigned i,
                                          const bool even)
{
    vec got[UNROLL][ROUNDS];
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        #pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (i + r * LANES < from[u].loads)
                got[u][r] = fetch(&from[u], i + r * LANES, even);
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        #pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (i + r * LANES < from[u].loads)
                a[u] = fold_in(a[u], got[u][r], &from[u], i + r * LANES, even);
}

//// reduce_rows.2
// What this lane takes of UNROLL rows.
__device__ __forceinline__ void reduce_rows(accum a[UNROLL], const span from[UNROLL],
                                            unsigned lane, const bool even)
{
    unsigned most = 0, i = lane;
    #pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        a[u] = identity();
        most = from[u].loads > most ? from[u].loads : most;
    }
    #pragma unroll 1 // a step is what the params unroll
    do {
        take_step(a, from, i, even);
        i += LANES * ROUNDS;
    } while (i < most);
}

//// warps_reduce.1
// Combines the values of the LANES threads of each row; to[r] is that of the r-th row that the
// block has under way, of which `count` exist.
__device__ __forceinline__ void warps_reduce(accum *to, unsigned long long count, accum a[UNROLL])
{
    __shared__ accum shared[UNROLL][BLOCK / 32];
    const unsigned t = threadIdx.x % 32;
    #pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        a[u] = lanes_reduce(a[u], 32);
        if (t == 0)
            shared[u][threadIdx.x / 32] = a[u];
    }
    __syncthreads();
    for (unsigned r = threadIdx.x / 32; r < AT_ONCE; r += BLOCK / 32) {
        const unsigned at = r % GROUPS * (LANES / 32) + t;
        const accum b = lanes_reduce(t < LANES / 32 ? shared[r / GROUPS][at] : identity(), 32);
        if (t == 0 && r < count)
            to[r] = b;
    }
    __syncthreads(); // all have read what the next rows write
}

//// rows.3
// Reduces each row of a matrix in `parts` parts: y[row * parts + part] is one's value; reduce the
// rows of y again. `count` rows of `len` elements begin `pitch` elements apart.
// LANES threads share a row, and a block has AT_ONCE rows under way at a time.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     unsigned long long parts, accum *y)
{
    const unsigned lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    // Rows are cut at whole loads, so that no part has one load more than others.
    const unsigned long long share = ((len + VECTOR - 1) / parts / STEP + 1) * STEP;
    const unsigned long long results = count * parts;
    const unsigned long long start = (unsigned long long)x / ELEM_BYTES;
    const unsigned long long extent = (count - 1) * pitch + len;
    const bool even = (start | len | pitch) % VECTOR == 0;
    for (unsigned long long first = (unsigned long long)blockIdx.x * AT_ONCE; first < results;
         first += (unsigned long long)gridDim.x * AT_ONCE) {
        accum a[UNROLL];
        span from[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long result = first + u * GROUPS + group;
            const unsigned long long row = result / parts, part = result % parts;
            // Elements of the row's first load that are before the row.
            const unsigned lead = (start + row * pitch) % VECTOR;
            const unsigned long long low = part > 0 ? part * share - lead : 0;
            const unsigned long long high = (part + 1) * share - lead;
            const unsigned long long begin = row * pitch + low;
            const bool is_some = result < results && low < len;
            const unsigned left = !is_some ? 0 : (high < len ? high : len) - low;
            const unsigned skip = even ? 0 : (start + begin) % VECTOR;
            from[u].at = (const vec *)(x + begin - skip);
            from[u].skip = skip;
            from[u].end = left ? skip + left : 0;
            from[u].loads = (from[u].end + VECTOR - 1) / VECTOR;
            from[u].inside = begin >= VECTOR && begin + left + VECTOR <= extent;
        }
        if (even)
            reduce_rows(a, from, lane, true);
        else
            reduce_rows(a, from, lane, false);
        warps_reduce(y + first, results - first, a);
    }
}

//// BLOCK.25
enum {
    BLOCK = 256,    // threads per block
    LANES = 256,    // threads that share a row
    VECTOR = 1,     // elements per load
    ROUNDS = 8,     // loads of a row that a thread has under way
    UNROLL = 1,     // rows that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    GROUPS = 1,     // BLOCK / max(1, LANES)
    AT_ONCE = 1,    // GROUPS * UNROLL
    ELEM_BYTES = 8, // bytes of an element
};

//// reduce_rows.3
// What this lane takes of UNROLL rows.
__device__ __forceinline__ void reduce_rows(accum a[UNROLL], const span from[UNROLL], unsigned lane)
{
    unsigned most = 0, i = lane;
    #pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        a[u] = identity();
        most = from[u].loads > most ? from[u].loads : most;
    }
    // Narrow loads gain from more steps under way, which the compiler sees to.
    for (; i < most; i += LANES * ROUNDS)
        take_step(a, from, i);
}

//// rows.4
// Reduces each row of a matrix: y[row] is its value. `count` rows of `len` elements, which begin
// `pitch` elements apart.
// LANES threads share a row, and a block has AT_ONCE rows under way at a time.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     accum *y)
{
    const unsigned lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    const unsigned long long results = count;
    for (unsigned long long first = (unsigned long long)blockIdx.x * AT_ONCE; first < results;
         first += (unsigned long long)gridDim.x * AT_ONCE) {
        accum a[UNROLL];
        span from[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long result = first + u * GROUPS + group;
            const unsigned long long begin = result * pitch;
            const unsigned left = result < results ? len : 0;
            from[u].at = (const vec *)(x + begin);
            from[u].end = left;
            from[u].loads = (left + VECTOR - 1) / VECTOR;
        }
        reduce_rows(a, from, lane);
        warps_reduce(y + first, results - first, a);
    }
}

//// BLOCK.26
enum {
    BLOCK = 256,    // threads per block
    LANES = 1,      // threads that share a row
    VECTOR = 4,     // elements per load
    ROUNDS = 4,     // loads of a row that a thread has under way
    UNROLL = 1,     // rows that a thread has under way
    GROUPS = 256,   // BLOCK / max(1, LANES)
    AT_ONCE = 256,  // GROUPS * UNROLL
    STEP = 16,      // LANES * ROUNDS * VECTOR
    ELEM_BYTES = 4, // bytes of an element
};

//// rows.5
// Reduces each row of a matrix: y[row] is its value. `count` rows of `len` elements, which begin
// `pitch` elements apart.
// LANES threads share a row, and a block has AT_ONCE rows under way at a time.
__global__ void
__launch_bounds__(BLOCK)
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     accum *y)
{
    const unsigned lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    const unsigned long long results = count;
    const unsigned long long start = (unsigned long long)x / ELEM_BYTES;
    const bool even = (start | len | pitch) % VECTOR == 0;
    // Rows that one step covers: no loop over loads, and no bound but the number of rows.
    if (even && len <= STEP) {
        for (unsigned long long row = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
             row < count; row += (unsigned long long)gridDim.x * BLOCK) {
            const unsigned loads = len / VECTOR;
            const span from = {(const vec *)(x + row * pitch), loads * VECTOR, loads};
            accum a = identity();
            take_step(&a, &from, 0);
            y[row] = a;
        }
        return;
    }
    for (unsigned long long first = (unsigned long long)blockIdx.x * AT_ONCE; first < results;
         first += (unsigned long long)gridDim.x * AT_ONCE) {
        accum a[UNROLL];
        span from[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long result = first + u * GROUPS + group;
            const unsigned long long begin = result * pitch;
            const unsigned left = result < results ? len : 0;
            from[u].at = (const vec *)(x + begin);
            from[u].end = left;
            from[u].loads = (left + VECTOR - 1) / VECTOR;
        }
        if (even)
            reduce_rows(a, from, lane);
        else
            for (int u = 0; u < UNROLL; u++) {
                a[u] = identity();
                for (unsigned i = lane; i < from[u].end; i += LANES)
                    a[u] = combine(a[u], map(((const elem *)from[u].at)[i]));
            }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long result = first + u * GROUPS + group;
            a[u] = lanes_reduce(a[u], LANES);
            if (lane == 0 && result < results)
                y[result] = a[u];
        }
    }
}

//// BLOCK.27
enum {
    BLOCK = 256,    // threads per block
    LANES = 8,      // threads that share a row
    VECTOR = 8,     // elements per load
    ROUNDS = 1,     // loads of a row that a thread has under way
    UNROLL = 2,     // rows that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    GROUPS = 32,    // BLOCK / max(1, LANES)
    AT_ONCE = 64,   // GROUPS * UNROLL
    ELEM_BYTES = 2, // bytes of an element
};

//// elem.8
typedef short elem;

//// map.10
// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const int x = value;
    return (double)x;
}

//// rows.6
// Reduces each row of a matrix: y[row] is its value. `count` rows of `len` elements, which begin
// `pitch` elements apart.
// LANES threads share a row, and a block has AT_ONCE rows under way at a time.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     output *y)
{
    const unsigned lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    const unsigned long long results = count;
    const unsigned long long start = (unsigned long long)x / ELEM_BYTES;
    const unsigned long long extent = (count - 1) * pitch + len;
    const bool even = (start | len | pitch) % VECTOR == 0;
    for (unsigned long long first = (unsigned long long)blockIdx.x * AT_ONCE; first < results;
         first += (unsigned long long)gridDim.x * AT_ONCE) {
        accum a[UNROLL];
        span from[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long result = first + u * GROUPS + group;
            const unsigned long long begin = result * pitch;
            const unsigned left = result < results ? len : 0;
            const unsigned skip = even ? 0 : (start + begin) % VECTOR;
            from[u].at = (const vec *)(x + begin - skip);
            from[u].skip = skip;
            from[u].end = left ? skip + left : 0;
            from[u].loads = (from[u].end + VECTOR - 1) / VECTOR;
            from[u].inside = begin >= VECTOR && begin + left + VECTOR <= extent;
        }
        if (even)
            reduce_rows(a, from, lane, true);
        else
            reduce_rows(a, from, lane, false);
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long result = first + u * GROUPS + group;
            a[u] = lanes_reduce(a[u], LANES);
            if (lane == 0 && result < results)
                y[result] = finish(a[u], len);
        }
    }
}

//// BLOCK.28
enum {
    BLOCK = 64,     // threads per block
    LANES = 1,      // threads that share a row
    VECTOR = 1,     // elements per load
    ROUNDS = 4,     // loads of a row that a thread has under way
    UNROLL = 1,     // rows that a thread has under way
    GROUPS = 64,    // BLOCK / max(1, LANES)
    AT_ONCE = 64,   // GROUPS * UNROLL
    ELEM_BYTES = 1, // bytes of an element
};

//// elem.9
typedef signed char elem;

//// rows.7
// Reduces each row of a matrix: y[row] is its value. `count` rows of `len` elements, which begin
// `pitch` elements apart.
// LANES threads share a row, and a block has AT_ONCE rows under way at a time.
__global__ void
__launch_bounds__(BLOCK)
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     accum *y)
{
    const unsigned lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    const unsigned long long results = count;
    for (unsigned long long first = (unsigned long long)blockIdx.x * AT_ONCE; first < results;
         first += (unsigned long long)gridDim.x * AT_ONCE) {
        accum a[UNROLL];
        span from[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long result = first + u * GROUPS + group;
            const unsigned long long begin = result * pitch;
            const unsigned left = result < results ? len : 0;
            from[u].at = (const vec *)(x + begin);
            from[u].end = left;
            from[u].loads = (left + VECTOR - 1) / VECTOR;
        }
        reduce_rows(a, from, lane);
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long result = first + u * GROUPS + group;
            a[u] = lanes_reduce(a[u], LANES);
            if (lane == 0 && result < results)
                y[result] = a[u];
        }
    }
}

//// BLOCK.29
enum {
    BLOCK = 256,     // threads per block
    ITEMS = 8,       // elements per thread per tile
    VECTOR = 8,      // elements per load
    WRITE = 4,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 2048,     // BLOCK * ITEMS
    LOADS = 1,       // ITEMS / VECTOR
    WIDTH = 8,       // ARRANGE == BLOCKED ? ITEMS : VECTOR
    RUNS = 1,        // ITEMS / WIDTH
    ELEM_BYTES = 2,  // bytes of an element
    ACCUM_BYTES = 4, // bytes of an accumulator
};

//// stored.1
// What one store writes.
typedef struct __align__(WRITE * ACCUM_BYTES) { accum at[WRITE]; } stored;

//// store.1
// Writes results, where a store of so many may begin.
__device__ __forceinline__ void store(stored *to, stored from)
{
    // Written as C, the compiler would make a store of each result.
    const union { stored value; unsigned word[WRITE * ACCUM_BYTES / 4]; } bits = {from};
    asm volatile("st.global.cg"
        ".v4.u32 [%0], {%1, %2, %3, %4};"
        :: "l"(to), "r"(bits.word[0]), "r"(bits.word[1]), "r"(bits.word[2]), "r"(bits.word[3])
        : "memory");
}

//// run.1
// What a thread has of a tile: RUNS loads, each 32 loads behind the one before.
typedef vec run;

//// tile.1
// A tile: its places begin at x and, if it is written, at y; those in [low, high) are of the input.
typedef struct {
    const elem *x;
    accum *y;
    unsigned low, high;
} tile;

//// find_tile.1
// The tile of this number; tile 0 begins where a load may, so that all loads are aligned.
__device__ __forceinline__ tile find_tile(const elem *x, unsigned long long n, accum *y,
                                          unsigned number)
{
    const unsigned skip = (unsigned)((unsigned long long)x / ELEM_BYTES % VECTOR);
    const unsigned long long first = (unsigned long long)number * TILE, end = n + skip;
    tile it;
    it.x = x + (first - skip);
    it.y = y + (first - skip);
    it.low = number == 0 ? skip : 0;
    it.high = first >= end ? 0 : end - first < TILE ? (unsigned)(end - first) : TILE;
    return it;
}

//// holds.1
// Is this place of the tile one of the input?
__device__ __forceinline__ bool holds(const tile *in, unsigned place)
{
    return place - in->low < in->high - in->low;
}

//// warp_place.1
// Where a warp's elements begin, and where a thread's run does.
__device__ __forceinline__ unsigned warp_place(void)
{
    return threadIdx.x / 32 * (32 * ITEMS);
}

//// run_place.1
__device__ __forceinline__ unsigned run_place(int r)
{
    return warp_place() + r * (32 * WIDTH) + threadIdx.x % 32 * WIDTH;
}

//// load_some.1
// Loads VECTOR elements from a place on; those that are not of the input stay undefined.
__device__ __forceinline__ void load_some(vec *to, const tile *from, unsigned place)
{
    for (int j = 0; j < VECTOR; j++)
        if (holds(from, place + j))
            to->at[j] = from->x[place + j];
}

//// load_tile.1
// Loads a thread's elements, all under way at a time; `is_whole` says that all are of the input.
__device__ __forceinline__ void load_tile(run mine[RUNS], const tile *from, const bool is_whole)
{
    vec got[LOADS];
    const unsigned first = warp_place() + threadIdx.x % 32 * VECTOR;
    #pragma unroll
    for (int u = 0; u < LOADS; u++) {
        const unsigned place = first + u * (32 * VECTOR);
        if (is_whole || (holds(from, place) && holds(from, place + (VECTOR - 1))))
            got[u] = load((const vec *)(from->x + place));
        else
            load_some(&got[u], from, place);
    }
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        mine[r] = got[r];
}

//// value_of.1
// What an element counts for: the identity where it is not of the input.
__device__ __forceinline__ accum value_of(const run *mine, int j, const tile *in, unsigned place,
                                          const bool is_whole)
{
    return is_whole || holds(in, place + j) ? map(mine->at[j]) : identity();
}

//// sum_tile.1
// Loads a tile and combines each of a thread's runs.
__device__ __forceinline__ void sum_tile(accum sums[RUNS], run mine[RUNS], const tile *in,
                                         const bool is_whole)
{
    load_tile(mine, in, is_whole);
    #pragma unroll
    for (int r = 0; r < RUNS; r++) {
        sums[r] = value_of(&mine[r], 0, in, run_place(r), is_whole);
        #pragma unroll
        for (int j = 1; j < WIDTH; j++)
            sums[r] = combine(sums[r], value_of(&mine[r], j, in, run_place(r), is_whole));
    }
}

//// lanes_scan.1
// Combines each lane's value with those of the lanes before it.
__device__ __forceinline__ accum lanes_scan(accum a, int lanes)
{
    #pragma unroll
    for (int d = 1; d < lanes; d *= 2) {
        const accum before = __shfl_up_sync(~0u, a, d);
        if (threadIdx.x % 32 >= d)
            a = combine(before, a);
    }
    return a;
}

//// warps_scan.1
// Of one value a warp: what the warps before this one have together; *all is what all have.
__device__ __forceinline__ accum warps_scan(accum a, accum *all)
{
    __shared__ accum totals[BLOCK / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 31)
        totals[warp] = a;
    __syncthreads();
    const accum to = lanes_scan(lane < BLOCK / 32 ? totals[lane] : identity(), BLOCK / 32);
    *all = __shfl_sync(~0u, to, BLOCK / 32 - 1);
    const accum before = __shfl_sync(~0u, to, warp > 0 ? warp - 1 : 0);
    return warp > 0 ? before : identity();
}

//// scan_runs.1
// Turns the sums of runs into what comes before each within the tile; the tile's own sum goes to
// *all.
__device__ __forceinline__ void scan_runs(accum sums[RUNS], accum *all)
{
    const unsigned lane = threadIdx.x % 32;
    accum warp = identity();
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        sums[r] = lanes_scan(sums[r], 32);
    #pragma unroll
    for (int r = 0; r < RUNS; r++) {
        const accum before = __shfl_up_sync(~0u, sums[r], 1), row = __shfl_sync(~0u, sums[r], 31);
        sums[r] = lane > 0 ? combine(warp, before) : warp;
        warp = combine(warp, row);
    }
    const accum warps = warps_scan(warp, all);
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        sums[r] = combine(warps, sums[r]);
}

//// put.1
// Writes WRITE results from a place on: as one where they may be, else those of the input.
__device__ __forceinline__ void put(const tile *to, unsigned place, const stored *from,
                                    const bool is_one)
{
    if (is_one)
        store((stored *)(to->y + place), *from);
    else
        for (int k = 0; k < WRITE; k++)
            if (holds(to, place + k))
                to->y[place + k] = from->at[k];
}

//// write_runs.1
// Writes a thread's results: `before` is what comes before each of its runs; `is_one` says that the
// tile is whole, and where it may be written by whole stores.
__device__ __forceinline__ void write_runs(const accum before[RUNS], const run mine[RUNS],
                                           const tile *to, const bool is_one)
{
    #pragma unroll
    for (int r = 0; r < RUNS; r++) {
        accum a = before[r];
        stored row[WIDTH / WRITE];
        #pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            const accum b = combine(a, value_of(&mine[r], j, to, run_place(r), is_one));
            row[j / WRITE].at[j % WRITE] = a;
            a = b;
        }
        #pragma unroll
        for (int j = 0; j < WIDTH / WRITE; j++)
            put(to, run_place(r) + j * WRITE, &row[j], is_one);
    }
}

//// write_tile.1
__device__ __forceinline__ void write_tile(const accum before[RUNS], const run mine[RUNS],
                                           const tile *to)
{
    if (to->low == 0 && to->high == TILE && (unsigned long long)to->y % (WRITE * ACCUM_BYTES) == 0)
        write_runs(before, mine, to, true);
    else
        write_runs(before, mine, to, false);
}

//// scan.1
// The second step: each block scans its share of the tiles, behind the sum of all shares before it.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan(const elem *x, unsigned long long n, accum *y, const accum *partials)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    const unsigned long long end = n + (unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = (unsigned)((end + TILE - 1) / TILE);
    accum so_far = identity();
    const unsigned first = (unsigned)((unsigned long long)tiles * blockIdx.x / gridDim.x);
    const unsigned last = (unsigned)((unsigned long long)tiles * (blockIdx.x + 1) / gridDim.x);
    const unsigned share = (blockIdx.x + BLOCK - 1) / BLOCK; // of the shares before, a thread's
    for (unsigned i = threadIdx.x * share; i < (threadIdx.x + 1) * share && i < blockIdx.x; i++)
        so_far = combine(so_far, partials[i]);
    warps_scan(lanes_scan(so_far, 32), &all);
    so_far = all;
    __syncthreads(); // all have read what warps_scan writes again
    for (unsigned number = first; number < last; number++) {
        const tile own = find_tile(x, n, y, number);
        const bool is_whole = own.low == 0 && own.high == TILE;
        if (is_whole)
            sum_tile(sums, mine, &own, true);
        else
            sum_tile(sums, mine, &own, false);
        scan_runs(sums, &all);
        const accum before = so_far;
        #pragma unroll
        for (int r = 0; r < RUNS; r++)
            sums[r] = combine(before, sums[r]);
        write_tile(sums, mine, &own);
        so_far = combine(so_far, all);
        __syncthreads(); // all have read what the next tile writes
    }
}

//// BLOCK.30
enum {
    BLOCK = 256,    // threads per block
    ITEMS = 8,      // elements per thread per tile
    VECTOR = 8,     // elements per load
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 2048,    // BLOCK * ITEMS
    LOADS = 1,      // ITEMS / VECTOR
    WIDTH = 8,      // ARRANGE == BLOCKED ? ITEMS : VECTOR
    RUNS = 1,       // ITEMS / WIDTH
    ELEM_BYTES = 2, // bytes of an element
};

//// scan.2
// The first step: each block leaves the sum of its share of the tiles in `partials`.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan(const elem *x, unsigned long long n, accum *partials)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    const unsigned long long end = n + (unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = (unsigned)((end + TILE - 1) / TILE);
    accum so_far = identity();
    const unsigned first = (unsigned)((unsigned long long)tiles * blockIdx.x / gridDim.x);
    const unsigned last = (unsigned)((unsigned long long)tiles * (blockIdx.x + 1) / gridDim.x);
    for (unsigned number = first; number < last; number++) {
        const tile own = find_tile(x, n, partials, number);
        const bool is_whole = own.low == 0 && own.high == TILE;
        if (is_whole)
            sum_tile(sums, mine, &own, true);
        else
            sum_tile(sums, mine, &own, false);
        scan_runs(sums, &all);
        so_far = combine(so_far, all);
        __syncthreads(); // all have read what the next tile writes
    }
    if (threadIdx.x == 0)
        partials[blockIdx.x] = so_far;
}

//// BLOCK.31
enum {
    BLOCK = 128,     // threads per block
    ITEMS = 8,       // elements per thread per tile
    VECTOR = 4,      // elements per load
    WRITE = 4,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    CLUSTER = 8,     // blocks of the one cluster
    TILE = 1024,     // BLOCK * ITEMS
    LOADS = 2,       // ITEMS / VECTOR
    WIDTH = 4,       // ARRANGE == BLOCKED ? ITEMS : VECTOR
    RUNS = 2,        // ITEMS / WIDTH
    ELEM_BYTES = 4,  // bytes of an element
    ACCUM_BYTES = 4, // bytes of an accumulator
};

//// store.2
// Writes results, where a store of so many may begin.
__device__ __forceinline__ void store(stored *to, stored from)
{
    // Written as C, the compiler would make a store of each result.
    const union { stored value; unsigned word[WRITE * ACCUM_BYTES / 4]; } bits = {from};
    asm volatile("st.global"
        ".v4.u32 [%0], {%1, %2, %3, %4};"
        :: "l"(to), "r"(bits.word[0]), "r"(bits.word[1]), "r"(bits.word[2]), "r"(bits.word[3])
        : "memory");
}

//// barrier_init.2
// A barrier that one arrival and the bytes it announces complete.
__device__ __forceinline__ void barrier_init(unsigned long long *barrier)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;"
                 :: "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}

//// barrier_publish.2
// Makes barriers just made known to the copy engine and to the cluster.
__device__ __forceinline__ void barrier_publish(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

//// barrier_expect.2
// The arrival, which announces so many bytes.
__device__ __forceinline__ void barrier_expect(unsigned long long *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :: "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}

//// barrier_wait.2
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

//// cluster_rank.2
__device__ __forceinline__ unsigned cluster_rank(void)
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

//// cluster_arrive.2
// Says that this thread of the cluster has started; orders no memory. Lanes may come one by one.
__device__ __forceinline__ void cluster_arrive(void)
{
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}

//// cluster_wait.2
// Waits until all threads of the cluster have arrived; for whole warps. Acquires what they made
// known of their barriers.
__device__ __forceinline__ void cluster_wait(void)
{
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

//// send_to.1
// Sends a value to where `to` lies in a block of the cluster, whose barrier counts the bytes that
// have come.
__device__ __forceinline__ void send_to(unsigned rank, accum *to, accum value,
                                        unsigned long long *barrier)
{
    const union { accum value; unsigned bits; } from = {value};
    unsigned there, counter;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(to)), "r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(counter) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(rank));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 :: "r"(there), "r"(from.bits), "r"(counter) : "memory");
}

//// write_runs.2
// Writes a thread's results: `before` is what comes before each of its runs; `is_one` says that the
// tile is whole, and where it may be written by whole stores.
__device__ __forceinline__ void write_runs(const accum before[RUNS], const run mine[RUNS],
                                           const tile *to, const bool is_one)
{
    #pragma unroll
    for (int r = 0; r < RUNS; r++) {
        accum a = before[r];
        stored row[WIDTH / WRITE];
        #pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            const accum b = combine(a, value_of(&mine[r], j, to, run_place(r), is_one));
            row[j / WRITE].at[j % WRITE] = b;
            a = b;
        }
        #pragma unroll
        for (int j = 0; j < WIDTH / WRITE; j++)
            put(to, run_place(r) + j * WRITE, &row[j], is_one);
    }
}

//// gathered.1
// What each block of the cluster gathers by turns: a value of each other block, and a barrier that
// counts their bytes.
typedef struct {
    accum value[2][CLUSTER];
    unsigned long long barrier[2];
} gathered;

//// gather_begin.1
// Before anything else: all blocks prepare to be sent to, and say that they have started.
__device__ __forceinline__ void gather_begin(gathered *to)
{
    if (threadIdx.x == 0) {
        barrier_init(&to->barrier[0]);
        barrier_init(&to->barrier[1]);
        barrier_publish();
    }
    cluster_arrive();
}

//// cluster_scan.1
// Exchanges the sums of the tiles that the cluster's blocks have in this round. *so_far, the sum of
// all rounds before, becomes that of all up to this one; returns what is before the block's own
// tile. The last round sends only to blocks behind, so that nobody is sent to when it has ended.
__device__ __forceinline__ accum cluster_scan(accum all, accum *so_far, gathered *with,
                                              unsigned round, bool is_last)
{
    const unsigned rank = cluster_rank(), turn = round % 2, lane = threadIdx.x;
    if (lane == 0)
        barrier_expect(&with->barrier[turn], (is_last ? rank : CLUSTER - 1) * sizeof(accum));
    if (lane < 32) {
        if (round == 0)
            cluster_wait(); // all blocks have started, and their barriers are there
        if (lane < CLUSTER && (lane > rank || (lane < rank && !is_last)))
            send_to(lane, &with->value[turn][rank], all, &with->barrier[turn]);
    }
    barrier_wait(&with->barrier[turn], round / 2 % 2);
    accum before = *so_far, sum = *so_far;
    #pragma unroll
    for (unsigned i = 0; i < CLUSTER; i++) {
        if (i == rank)
            before = sum;
        if (i < rank || !is_last)
            sum = combine(sum, i == rank ? all : with->value[turn][i]);
    }
    *so_far = sum;
    return before;
}

//// .2
// Scans n elements of x, n is not 0, by one cluster: a tile a block, round by round.
__global__ void
__cluster_dims__(CLUSTER, 1, 1)
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan(const elem *x, unsigned long long n, accum *y)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    const unsigned long long end = n + (unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = (unsigned)((end + TILE - 1) / TILE);
    accum so_far = identity();
    __shared__ gathered cluster;
    gather_begin(&cluster);
    const unsigned rounds = (tiles + CLUSTER - 1) / CLUSTER;
    for (unsigned round = 0; round < rounds; round++) {
        const unsigned number = round * CLUSTER + cluster_rank();
        const tile own = find_tile(x, n, y, number);
        const bool is_whole = own.low == 0 && own.high == TILE;
        if (is_whole)
            sum_tile(sums, mine, &own, true);
        else
            sum_tile(sums, mine, &own, false);
        scan_runs(sums, &all);
        const accum before =
            cluster_scan(all, &so_far, &cluster, round, round == rounds - 1);
        #pragma unroll
        for (int r = 0; r < RUNS; r++)
            sums[r] = combine(before, sums[r]);
        write_tile(sums, mine, &own);
        __syncthreads(); // all have read what the next tile writes
    }
}

//// BLOCK.32
enum {
    BLOCK = 128,     // threads per block
    ITEMS = 4,       // elements per thread per tile
    VECTOR = 2,      // elements per load
    WRITE = 2,       // results per store, where they may be stored together
    TILE = 512,      // BLOCK * ITEMS
    LOADS = 2,       // ITEMS / VECTOR
    WIDTH = 2,       // ARRANGE == BLOCKED ? ITEMS : VECTOR
    RUNS = 2,        // ITEMS / WIDTH
    ELEM_BYTES = 8,  // bytes of an element
    ACCUM_BYTES = 8, // bytes of an accumulator
};

//// identity.10
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return __longlong_as_double(0xfff0000000000000LL);
}

//// maximum.3
// IEEE 754-2019 maximum: NaN if either is NaN, and +0 is greater than -0.
__device__ __forceinline__ accum maximum(accum a, accum b)
{
    return a != a || b != b ? a + b : fmax(a, b);
}

//// store.3
// Writes results, where a store of so many may begin.
__device__ __forceinline__ void store(stored *to, stored from)
{
    // Written as C, the compiler would make a store of each result.
    const union { stored value; unsigned word[WRITE * ACCUM_BYTES / 4]; } bits = {from};
    asm volatile("st.global.L1::no_allocate"
        ".v4.u32 [%0], {%1, %2, %3, %4};"
        :: "l"(to), "r"(bits.word[0]), "r"(bits.word[1]), "r"(bits.word[2]), "r"(bits.word[3])
        : "memory");
}

//// scan.3
// Scans n elements of x, n is not 0, by one block, tile by tile.
__global__ void
__launch_bounds__(BLOCK)
scan(const elem *x, unsigned long long n, accum *y)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    const unsigned long long end = n + (unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = (unsigned)((end + TILE - 1) / TILE);
    accum so_far = identity();
    const unsigned first = 0, last = tiles;
    for (unsigned number = first; number < last; number++) {
        const tile own = find_tile(x, n, y, number);
        const bool is_whole = own.low == 0 && own.high == TILE;
        if (is_whole)
            sum_tile(sums, mine, &own, true);
        else
            sum_tile(sums, mine, &own, false);
        scan_runs(sums, &all);
        const accum before = so_far;
        #pragma unroll
        for (int r = 0; r < RUNS; r++)
            sums[r] = combine(before, sums[r]);
        write_tile(sums, mine, &own);
        so_far = combine(so_far, all);
        __syncthreads(); // all have read what the next tile writes
    }
}

//// BLOCK.33
enum {
    BLOCK = 256,     // threads per block
    ITEMS = 16,      // elements per thread per tile
    VECTOR = 4,      // elements per load
    WRITE = 4,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    LOOK = 32,       // tiles looked back at together: up to 32 by one warp, more by so many warps of the block
    TILE = 4096,     // BLOCK * ITEMS
    LOADS = 4,       // ITEMS / VECTOR
    WIDTH = 4,       // ARRANGE == BLOCKED ? ITEMS : VECTOR
    RUNS = 4,        // ITEMS / WIDTH
    ELEM_BYTES = 4,  // bytes of an element
    ACCUM_BYTES = 4, // bytes of an accumulator
};

//// accum.8
// Unsigned, because unsigned arithmetic wraps around; the bits are those of the signed result.
typedef unsigned accum;

//// take_ticket.1
// A number for this block: blocks get 0, 1, 2 ... in the order in which they ask, below an epoch in
// the high half. Orders nothing else.
__device__ __forceinline__ unsigned long long take_ticket(unsigned long long *taken)
{
    unsigned long long number;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(number) : "l"(taken), "l"(1ULL) : "memory");
    return number;
}

//// post_half.1
__device__ __forceinline__ void post_half(unsigned long long *word, unsigned bits, unsigned flag)
{
    const unsigned long long both = (unsigned long long)bits << 32 | flag;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(both) : "memory");
}

//// begin_epoch.1
// The epoch of the next call, in which no block has a number yet.
__device__ __forceinline__ void begin_epoch(unsigned long long *word, unsigned epoch)
{
    post_half(word, epoch, 0);
}

//// post_tile.1
// Leaves a value for a tile and says by a flag what it is, so that who sees the flag has the value:
// no fence.
__device__ __forceinline__ void post_tile(unsigned long long *words, unsigned tile, accum value,
                                          unsigned flag)
{
    const union { accum value; unsigned bits; } from = {value};
    post_half(words + tile, from.bits, flag);
}

//// read_word.1
__device__ __forceinline__ unsigned long long read_word(const unsigned long long *word)
{
    unsigned long long both;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(both) : "l"(word) : "memory");
    return both;
}

//// read_tile.1
// The value that was left for a tile, and its flag: 0 where there is none yet.
__device__ __forceinline__ unsigned read_tile(const unsigned long long *words, unsigned tile,
                                              accum *value)
{
    const unsigned long long both = read_word(words + tile);
    union { unsigned bits; accum value; } to = {(unsigned)(both >> 32)};
    *value = to.value;
    return (unsigned)both;
}

//// wait_a_bit.1
// Lets others go on before the next look.
__device__ __forceinline__ void wait_a_bit(void)
{
}

//// enum.1
// What is known of a tile: the sum of its own elements, or of all up to it. With a flag the word has
// the epoch of the call that left it: what calls before have left counts for nothing.
enum { OWN = 1, ALL_UP_TO = 2 };

//// tell.1
__device__ __forceinline__ void tell(unsigned long long *words, unsigned number, accum sum,
                                     unsigned what, unsigned epoch)
{
    post_tile(words, number, sum, epoch << 2 | what);
}

//// look.1
// What is known of a tile: 0 for nothing yet; tiles before the first count as all up to them.
__device__ __forceinline__ unsigned look(const unsigned long long *words, long long number,
                                         accum *sum, unsigned epoch)
{
    *sum = identity();
    if (number < 0)
        return ALL_UP_TO;
    const unsigned flag = read_tile(words, (unsigned)number, sum);
    return flag >> 2 == epoch ? flag & 3 : 0;
}

//// look_together.1
// The sum of the tiles that a warp looks at together, the last of which is `last`, or of those back
// to one that is known with all before it: then *is_all. Lane 0 gets it.
__device__ __forceinline__ accum look_together(const unsigned long long *words, long long last,
                                               unsigned epoch, bool *is_all)
{
    const unsigned lane = threadIdx.x % 32;
    accum a;
    unsigned done;
    for (;;) {
        const unsigned what = look(words, last - lane, &a, epoch);
        done = __ballot_sync(~0u, what == ALL_UP_TO);
        const unsigned needed = (done & -done) - 1; // lanes nearer than that; all where none is
        if ((__ballot_sync(~0u, what != 0) & needed) == needed)
            break;
        wait_a_bit();
    }
    *is_all = done != 0;
    if (done != 0 && lane >= __ffs(done))
        a = identity();
    #pragma unroll
    for (int d = 1; d < 32; d *= 2)
        a = combine(__shfl_down_sync(~0u, a, d), a);
    return a;
}

//// look_back.1
// The sum of all tiles before this one, by a whole warp: LOOK tiles at a time, the nearest first,
// until one is known with all before it.
__device__ __forceinline__ accum look_back(const unsigned long long *words, unsigned number,
                                           unsigned epoch)
{
    accum so_far = identity();
    for (long long last = (long long)number - 1;; last -= LOOK) {
        bool is_all;
        const accum a = look_together(words, last, epoch, &is_all);
        so_far = combine(__shfl_sync(~0u, a, 0), so_far);
        if (is_all)
            return so_far;
    }
}

//// scan.4
// Scans n elements of x, n is not 0: a tile a block. Each leaves the sum of its tile in `state`
// with a flag in the same word, looks back at those before it for what to begin with, and leaves
// the sum of all up to it. The first word of `state` has the call's epoch, to which the block of the
// last tile adds one: it has waited for all others to begin. Zero all before the first call, and
// after an aborted one.
// Blocks take tiles in the order in which they start, so that none waits for one that has not.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    unsigned long long *const words = state + 1;
    __shared__ unsigned long long ticket;
    if (threadIdx.x == 0)
        ticket = take_ticket(state);
    __syncthreads();
    const unsigned number = (unsigned)ticket, epoch = (unsigned)(ticket >> 32);
    const tile own = find_tile(x, n, y, number);
    const bool is_whole = own.low == 0 && own.high == TILE;
    if (is_whole)
        sum_tile(sums, mine, &own, true);
    else
        sum_tile(sums, mine, &own, false);
    scan_runs(sums, &all);
    accum so_far = identity();
    __shared__ accum before_all;
    if (threadIdx.x < 32) {
        if (number > 0 && threadIdx.x == 0)
            tell(words, number, all, OWN, epoch);
        if (number > 0)
            so_far = look_back(words, number, epoch);
        if (threadIdx.x == 0) {
                tell(words, number, combine(so_far, all), ALL_UP_TO, epoch);
            if (number == gridDim.x - 1)
                begin_epoch(state, (epoch + 1) % (1u << 30));
            before_all = so_far;
        }
    }
    __syncthreads();
    so_far = before_all;
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        sums[r] = combine(so_far, sums[r]);
    write_tile(sums, mine, &own);
}

//// BLOCK.34
enum {
    BLOCK = 512,     // threads per block
    ITEMS = 16,      // elements per thread per tile
    VECTOR = 4,      // elements per load
    WRITE = 4,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    STAGES = 3,      // tiles that a block of waves copies ahead
    LOOK = 256,      // tiles looked back at together: up to 32 by one warp, more by so many warps of the block
    TILE = 8192,     // BLOCK * ITEMS
    LOADS = 4,       // ITEMS / VECTOR
    WIDTH = 4,       // ARRANGE == BLOCKED ? ITEMS : VECTOR
    RUNS = 4,        // ITEMS / WIDTH
    ELEM_BYTES = 4,  // bytes of an element
    ACCUM_BYTES = 4, // bytes of an accumulator
};

//// copy_async.1
// Starts a copy of 16 bytes into shared memory, past the L1.
__device__ __forceinline__ void copy_async(vec *to, const vec *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

//// close_group.1
// The copies that this thread started since the last group are one group.
__device__ __forceinline__ void close_group(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

//// wait_group.1
// Waits for this thread's groups but the youngest STAGES - 1.
__device__ __forceinline__ void wait_group(void)
{
    asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 1) : "memory");
}

//// places_of.1
// A thread's own places of the ring, into which it copies ahead: it waits for nobody to do so.
__device__ __forceinline__ vec *places_of(unsigned slot, int u)
{
    extern __shared__ __align__(16) vec ring[];
    return ring + (slot * LOADS + u) * BLOCK + threadIdx.x;
}

//// copy_tile.1
// Starts to copy a tile into a slot of the ring. One that is not whole is there on return.
__device__ __forceinline__ void copy_tile(unsigned slot, const tile *from)
{
    const unsigned first = warp_place() + threadIdx.x % 32 * VECTOR;
    if (from->low == 0 && from->high == TILE) {
        #pragma unroll
        for (int u = 0; u < LOADS; u++)
            copy_async(places_of(slot, u), (const vec *)(from->x + first + u * (32 * VECTOR)));
    } else {
        for (int u = 0; u < LOADS; u++)
            load_some(places_of(slot, u), from, first + u * (32 * VECTOR));
    }
    close_group();
}

//// read_slot.1
// What a thread has of a tile in a slot of the ring.
__device__ __forceinline__ void read_slot(run mine[RUNS], unsigned slot)
{
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        mine[r] = *places_of(slot, r);
}

//// begin_tile.1
// Of a tile that has come: turns the sums of a thread's runs into what is before each within the
// tile, and leaves the tile's own sum for other blocks.
__device__ __forceinline__ void begin_tile(accum sums[RUNS], accum *all, const run mine[RUNS],
                                           const tile *in, unsigned long long *words,
                                           unsigned number, unsigned epoch)
{
    const bool is_whole = in->low == 0 && in->high == TILE;
    #pragma unroll
    for (int r = 0; r < RUNS; r++) {
        sums[r] = value_of(&mine[r], 0, in, run_place(r), is_whole);
        #pragma unroll
        for (int j = 1; j < WIDTH; j++)
            sums[r] = combine(sums[r], value_of(&mine[r], j, in, run_place(r), is_whole));
    }
    scan_runs(sums, all);
    if (threadIdx.x == 0)
        tell(words, number, *all, OWN, epoch);
}

//// sum_between.1
// The sum of the tiles between a block's last one and this one, from `first` on: at most LOOK, 32 a
// warp. `flag` and `a` are what a thread has seen of its tile before, if anything. Every thread gets the
// sum of all. `turn` is 0 and 1 by turns, so that one barrier is enough.
__device__ __forceinline__ accum sum_between(const unsigned long long *words, unsigned first,
                                             unsigned number, unsigned epoch, unsigned turn,
                                             unsigned flag, accum a)
{
    __shared__ accum seen[2][LOOK / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp < LOOK / 32) {
        const unsigned at = first + threadIdx.x;
        while (at < number && (flag >> 2 != epoch || (flag & 3) == 0)) {
            wait_a_bit();
            flag = read_tile(words, at, &a);
        }
        __syncwarp();
        #pragma unroll
        for (int d = 1; d < 32; d *= 2)
            a = combine(a, __shfl_down_sync(~0u, a, d));
        if (lane == 0)
            seen[turn][warp] = a;
    }
    __syncthreads();
    accum sum = seen[turn][0];
    for (int w = 1; w < LOOK / 32; w++)
        sum = combine(sum, seen[turn][w]);
    return sum;
}

//// scan.5
// Scans n elements of x, n is not 0: of each wave of tiles a block has one, all blocks resident. It
// leaves the sum of its next tile in `state` before it ends the one it has, and copies those behind
// it meanwhile. What is before a tile is what was before its last one, that, and the sums of the
// other blocks' tiles between. The first word of `state` has the call's epoch, to which the block of
// the last tile adds one: it has waited for all others to begin. Zero all before the first call, and
// after an aborted one.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    unsigned long long *const words = state + 1;
    const unsigned epoch = (unsigned)(read_word(state) >> 32);
    const unsigned long long end = n + (unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = (unsigned)((end + TILE - 1) / TILE);
    const unsigned step = gridDim.x;
    run next[RUNS];
    accum so_far = identity(), next_sums[RUNS], next_all;
    unsigned slot = 1 % STAGES;
    for (unsigned s = 0; s < STAGES; s++) {
        const tile ahead = find_tile(x, n, y, blockIdx.x + s * step);
        copy_tile(s, &ahead);
    }
    wait_group();
    tile own = find_tile(x, n, y, blockIdx.x);
    read_slot(mine, 0);
    const tile refill = find_tile(x, n, y, blockIdx.x + STAGES * step);
    copy_tile(0, &refill);
    begin_tile(sums, &all, mine, &own, words, blockIdx.x, epoch);
    __syncthreads(); // all have read what the next tile's sum is made in
    for (unsigned number = blockIdx.x, turn = 0; number < tiles; number += step, turn ^= 1) {
        // What other blocks have left comes while the next tile is begun.
        const unsigned first = number < step ? 0 : number - step + 1;
        accum early = identity();
        unsigned flag = 0;
        if (threadIdx.x < LOOK && first + threadIdx.x < number)
            flag = read_tile(words, first + threadIdx.x, &early);
        wait_group();
        const tile coming = find_tile(x, n, y, number + step);
        if (number + step < tiles) {
            read_slot(next, slot);
            const tile ahead = find_tile(x, n, y, number + (STAGES + 1) * step);
            copy_tile(slot, &ahead);
            begin_tile(next_sums, &next_all, next, &coming, words, number + step, epoch);
        }
        const accum before =
            combine(so_far, sum_between(words, first, number, epoch, turn, flag, early));
        if (number == tiles - 1 && threadIdx.x == 0)
            begin_epoch(state, (epoch + 1) % (1u << 30));
        #pragma unroll
        for (int r = 0; r < RUNS; r++)
            sums[r] = combine(before, sums[r]);
        write_tile(sums, mine, &own);
        so_far = combine(before, all);
        #pragma unroll
        for (int r = 0; r < RUNS; r++) {
            mine[r] = next[r];
            sums[r] = next_sums[r];
        }
        all = next_all;
        own = coming;
        slot = slot + 1 == STAGES ? 0 : slot + 1;
    }
}

//// BLOCK.35
enum {
    BLOCK = 256,     // threads per block
    ITEMS = 8,       // elements per thread per tile
    VECTOR = 2,      // elements per load
    WRITE = 2,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    LOOK = 256,      // tiles looked back at together: up to 32 by one warp, more by so many warps of the block
    TILE = 2048,     // BLOCK * ITEMS
    LOADS = 4,       // ITEMS / VECTOR
    WIDTH = 2,       // ARRANGE == BLOCKED ? ITEMS : VECTOR
    RUNS = 4,        // ITEMS / WIDTH
    ELEM_BYTES = 8,  // bytes of an element
    ACCUM_BYTES = 8, // bytes of an accumulator
};

//// post_tile.2
// Leaves a value for a tile and says by a flag what it is, so that who sees the flag has the value:
// no fence.
__device__ __forceinline__ void post_tile(unsigned long long *words, unsigned tile, accum value,
                                          unsigned flag)
{
    // Half of the value in each of two words.
    const union { accum value; unsigned half[2]; } from = {value};
    post_half(words + 2ULL * tile, from.half[0], flag);
    post_half(words + 2ULL * tile + 1, from.half[1], flag);
}

//// read_tile.2
// The value that was left for a tile, and its flag: 0 where there is none yet.
__device__ __forceinline__ unsigned read_tile(const unsigned long long *words, unsigned tile,
                                              accum *value)
{
    // While the tile's value is replaced its halves may be of two.
    const unsigned long long low = read_word(words + 2ULL * tile);
    const unsigned long long high = read_word(words + 2ULL * tile + 1);
    union { unsigned half[2]; accum value; } to = {{(unsigned)(low >> 32), (unsigned)(high >> 32)}};
    *value = to.value;
    return (unsigned)low == (unsigned)high ? (unsigned)low : 0;
}

//// look_back.2
// The sum of all tiles before this one, by the whole block: LOOK tiles at a time, 32 a warp, the
// nearest first, until one is known with all before it.
__device__ __forceinline__ accum look_back(const unsigned long long *words, unsigned number,
                                           unsigned epoch)
{
    __shared__ accum seen[LOOK / 32];
    __shared__ bool ends[LOOK / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    accum so_far = identity();
    for (long long last = (long long)number - 1;; last -= LOOK) {
        if (warp < LOOK / 32) {
            bool is_all;
            const accum a = look_together(words, last - warp * 32, epoch, &is_all);
            if (lane == 0) {
                seen[warp] = a;
                ends[warp] = is_all;
            }
        }
        __syncthreads();
        const unsigned done = __ballot_sync(~0u, lane < LOOK / 32 && ends[lane % (LOOK / 32)]);
        accum a = identity();
        if (lane < LOOK / 32 && (done == 0 || lane < __ffs(done)))
            a = seen[lane];
        #pragma unroll
        for (int d = 1; d < LOOK / 32; d *= 2)
            a = combine(__shfl_down_sync(~0u, a, d), a);
        so_far = combine(__shfl_sync(~0u, a, 0), so_far);
        if (done != 0)
            return so_far;
        __syncthreads(); // all have read what the next look writes
    }
}

//// scan.6
// Scans n elements of x, n is not 0: a tile a block. Each leaves the sum of its tile in `state`
// with a flag in the same word, looks back at those before it for what to begin with, and leaves
// the sum of all up to it. The first word of `state` has the call's epoch, to which the block of the
// last tile adds one: it has waited for all others to begin. Zero all before the first call, and
// after an aborted one.
// A block waits for those of lower indices: these must have been started before it, as GPUs do.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    unsigned long long *const words = state + 1;
    const unsigned number = blockIdx.x;
    unsigned epoch = 0;
    if (threadIdx.x < (LOOK > 32 ? LOOK : 32)) // those that look: it comes while elements do
        epoch = (unsigned)(read_word(state) >> 32);
    const tile own = find_tile(x, n, y, number);
    const bool is_whole = own.low == 0 && own.high == TILE;
    if (is_whole)
        sum_tile(sums, mine, &own, true);
    else
        sum_tile(sums, mine, &own, false);
    scan_runs(sums, &all);
    accum so_far = identity();
        if (number > 0 && threadIdx.x == 0)
            tell(words, number, all, OWN, epoch);
        if (number > 0)
            so_far = look_back(words, number, epoch);
        if (threadIdx.x == 0) {
                tell(words, number, combine(so_far, all), ALL_UP_TO, epoch);
            if (number == gridDim.x - 1)
                begin_epoch(state, (epoch + 1) % (1u << 30));
        }
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        sums[r] = combine(so_far, sums[r]);
    write_tile(sums, mine, &own);
}

//// BLOCK.36
enum {
    BLOCK = 256,     // threads per block
    LANES = 16,      // threads that have a row: some of a warp, or a block
    VECTOR = 4,      // elements per load
    LOADS = 1,       // loads of a row that a thread has under way
    ROWS = 2,        // rows that are scanned at a time
    WRITE = 4,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    GROUP = 16,      // min(LANES, 32)
    STEP = 64,       // LANES * LOADS * VECTOR
    ELEM_BYTES = 4,  // bytes of an element
    ACCUM_BYTES = 4, // bytes of an accumulator
};

//// part.1
// What a step takes of a row: its places begin at x and at y; those in [low, high) are of the row.
typedef struct {
    const elem *x;
    accum *y;
    unsigned low, high;
} part;

//// find_part.1
// The places from `begin` on of a row at x, of which `skip` come before it, so that all loads are
// aligned; none where there is no such row.
__device__ __forceinline__ part find_part(const elem *x, accum *y, unsigned long long len,
                                          unsigned long long begin, const bool is_there)
{
    const unsigned skip = (unsigned)((unsigned long long)x / ELEM_BYTES % VECTOR);
    const unsigned long long end = len + skip;
    part it;
    it.x = x + (begin - skip);
    it.y = y + (begin - skip);
    it.low = begin == 0 ? skip : 0;
    it.high = !is_there || begin >= end ? 0 : end - begin < STEP ? (unsigned)(end - begin) : STEP;
    if (it.high == 0)
        it.low = 0;
    return it;
}

//// holds.2
// Is this place one of the row?
__device__ __forceinline__ bool holds(const part *in, unsigned place)
{
    return place - in->low < in->high - in->low;
}

//// place_of.1
// Where a thread's load r lies.
__device__ __forceinline__ unsigned place_of(int r)
{
    return (r * LANES + threadIdx.x % LANES) * VECTOR;
}

//// load_places.1
// Loads VECTOR elements; those that are not of the row stay undefined.
__device__ __forceinline__ vec load_places(const part *from, unsigned place)
{
    vec got;
    if (holds(from, place) && holds(from, place + (VECTOR - 1))) {
        got = load((const vec *)(from->x + place));
    } else {
        for (int j = 0; j < VECTOR; j++)
            if (holds(from, place + j))
                got.at[j] = from->x[place + j];
    }
    return got;
}

//// value_of.2
// What an element counts for: the identity where it is not of the row.
__device__ __forceinline__ accum value_of(const vec *mine, int j, const part *in, unsigned place)
{
    return holds(in, place + j) ? map(mine->at[j]) : identity();
}

//// lanes_scan.2
// Combines each lane's value with those of the lanes before it, of its own LANES or of a warp.
__device__ __forceinline__ accum lanes_scan(accum a)
{
    #pragma unroll
    for (int d = 1; d < GROUP; d *= 2) {
        const accum before = __shfl_up_sync(~0u, a, d, GROUP);
        if (threadIdx.x % GROUP >= d)
            a = combine(before, a);
    }
    return a;
}

//// scan_step.1
// Turns the sums of a thread's loads into what comes before each in this step of the row; *all is
// the step's own sum.
__device__ __forceinline__ void scan_step(accum sums[LOADS], accum *all)
{
    const unsigned lane = threadIdx.x % GROUP;
    #pragma unroll
    for (int r = 0; r < LOADS; r++)
        sums[r] = lanes_scan(sums[r]);
    accum before = identity();
    #pragma unroll
    for (int r = 0; r < LOADS; r++) {
        const accum own = __shfl_up_sync(~0u, sums[r], 1, GROUP);
        const accum whole = __shfl_sync(~0u, sums[r], GROUP - 1, GROUP);
        sums[r] = lane > 0 ? combine(before, own) : before;
        before = combine(before, whole);
    }
    *all = before;
}

//// put.2
// Writes WRITE results from a place on: as one where they may be, else those of the row.
__device__ __forceinline__ void put(const part *to, unsigned place, const stored *from)
{
    const bool is_one = (unsigned long long)to->y % (WRITE * ACCUM_BYTES) == 0;
    if (is_one && holds(to, place) && holds(to, place + (WRITE - 1)))
        store((stored *)(to->y + place), *from);
    else
        for (int k = 0; k < WRITE; k++)
            if (holds(to, place + k))
                to->y[place + k] = from->at[k];
}

//// scan_rows.1
// Scans each of `rows` rows of `len` elements, the first at x, each `pitch` elements behind the one
// before; results lie one behind another. LANES threads have ROWS rows at a time, each by steps of
// STEP elements.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan_rows(const elem *x, unsigned long long rows, unsigned long long pitch, unsigned long long len,
          accum *y)
{
    const unsigned long long first =
        (unsigned long long)blockIdx.x * (ROWS * (BLOCK / LANES)) + threadIdx.x / LANES;
    // Places before a row, where it does not begin with a whole load: the most of any.
    const bool is_even = (unsigned long long)x / ELEM_BYTES % VECTOR == 0 && pitch % VECTOR == 0;
    const unsigned long long end = is_even ? len : len + (VECTOR - 1);
    accum so_far[ROWS];
    #pragma unroll
    for (int u = 0; u < ROWS; u++)
        so_far[u] = identity();
    for (unsigned long long begin = 0; begin < end; begin += STEP) {
        vec mine[ROWS][LOADS];
        part own[ROWS];
        #pragma unroll
        for (int u = 0; u < ROWS; u++) {
            const unsigned long long row = first + u * (BLOCK / LANES);
            own[u] = find_part(x + row * pitch, y + row * len, len, begin, row < rows);
            #pragma unroll
            for (int r = 0; r < LOADS; r++)
                mine[u][r] = load_places(&own[u], place_of(r));
        }
        #pragma unroll
        for (int u = 0; u < ROWS; u++) {
            accum sums[LOADS], all;
            #pragma unroll
            for (int r = 0; r < LOADS; r++) {
                sums[r] = value_of(&mine[u][r], 0, &own[u], place_of(r));
                #pragma unroll
                for (int j = 1; j < VECTOR; j++)
                    sums[r] = combine(sums[r], value_of(&mine[u][r], j, &own[u], place_of(r)));
            }
            scan_step(sums, &all);
            #pragma unroll
            for (int r = 0; r < LOADS; r++) {
                accum a = combine(so_far[u], sums[r]);
                stored out[VECTOR / WRITE];
                #pragma unroll
                for (int j = 0; j < VECTOR; j++) {
                    const accum b = combine(a, value_of(&mine[u][r], j, &own[u], place_of(r)));
                    out[j / WRITE].at[j % WRITE] = b;
                    a = b;
                }
                #pragma unroll
                for (int j = 0; j < VECTOR / WRITE; j++)
                    put(&own[u], place_of(r) + j * WRITE, &out[j]);
            }
            so_far[u] = combine(so_far[u], all);
        }
    }
}

//// BLOCK.37
enum {
    BLOCK = 256,     // threads per block
    LANES = 256,     // threads that have a row: some of a warp, or a block
    VECTOR = 4,      // elements per load
    LOADS = 4,       // loads of a row that a thread has under way
    ROWS = 1,        // rows that are scanned at a time
    WRITE = 4,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    GROUP = 32,      // min(LANES, 32)
    STEP = 4096,     // LANES * LOADS * VECTOR
    ELEM_BYTES = 4,  // bytes of an element
    ACCUM_BYTES = 4, // bytes of an accumulator
};

//// scan_step.2
// Turns the sums of a thread's loads into what comes before each in this step of the row; *all is
// the step's own sum.
__device__ __forceinline__ void scan_step(accum sums[LOADS], accum *all)
{
    const unsigned lane = threadIdx.x % GROUP;
    #pragma unroll
    for (int r = 0; r < LOADS; r++)
        sums[r] = lanes_scan(sums[r]);
    __shared__ accum totals[LOADS][LANES / 32];
    const unsigned warp = threadIdx.x / 32;
    #pragma unroll
    for (int r = 0; r < LOADS; r++)
        if (lane == 31)
            totals[r][warp] = sums[r];
    __syncthreads();
    accum before = identity();
    #pragma unroll
    for (int r = 0; r < LOADS; r++) {
        const accum own = __shfl_up_sync(~0u, sums[r], 1, GROUP);
        accum after = before;
        for (unsigned w = 0; w < LANES / 32; w++) {
            if (w == warp)
                sums[r] = lane > 0 ? combine(after, own) : after;
            after = combine(after, totals[r][w]);
        }
        before = after;
    }
    *all = before;
}

//// scan_rows.2
// Scans each of `rows` rows of `len` elements, the first at x, each `pitch` elements behind the one
// before; results lie one behind another. LANES threads have ROWS rows at a time, each by steps of
// STEP elements.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan_rows(const elem *x, unsigned long long rows, unsigned long long pitch, unsigned long long len,
          accum *y)
{
    const unsigned long long first =
        (unsigned long long)blockIdx.x * (ROWS * (BLOCK / LANES)) + threadIdx.x / LANES;
    // Places before a row, where it does not begin with a whole load: the most of any.
    const bool is_even = (unsigned long long)x / ELEM_BYTES % VECTOR == 0 && pitch % VECTOR == 0;
    const unsigned long long end = is_even ? len : len + (VECTOR - 1);
    accum so_far[ROWS];
    #pragma unroll
    for (int u = 0; u < ROWS; u++)
        so_far[u] = identity();
    for (unsigned long long begin = 0; begin < end; begin += STEP) {
        vec mine[ROWS][LOADS];
        part own[ROWS];
        #pragma unroll
        for (int u = 0; u < ROWS; u++) {
            const unsigned long long row = first + u * (BLOCK / LANES);
            own[u] = find_part(x + row * pitch, y + row * len, len, begin, row < rows);
            #pragma unroll
            for (int r = 0; r < LOADS; r++)
                mine[u][r] = load_places(&own[u], place_of(r));
        }
        #pragma unroll
        for (int u = 0; u < ROWS; u++) {
            accum sums[LOADS], all;
            #pragma unroll
            for (int r = 0; r < LOADS; r++) {
                sums[r] = value_of(&mine[u][r], 0, &own[u], place_of(r));
                #pragma unroll
                for (int j = 1; j < VECTOR; j++)
                    sums[r] = combine(sums[r], value_of(&mine[u][r], j, &own[u], place_of(r)));
            }
            scan_step(sums, &all);
            #pragma unroll
            for (int r = 0; r < LOADS; r++) {
                accum a = combine(so_far[u], sums[r]);
                stored out[VECTOR / WRITE];
                #pragma unroll
                for (int j = 0; j < VECTOR; j++) {
                    const accum b = combine(a, value_of(&mine[u][r], j, &own[u], place_of(r)));
                    out[j / WRITE].at[j % WRITE] = b;
                    a = b;
                }
                #pragma unroll
                for (int j = 0; j < VECTOR / WRITE; j++)
                    put(&own[u], place_of(r) + j * WRITE, &out[j]);
            }
            so_far[u] = combine(so_far[u], all);
            __syncthreads(); // all have read what the next step writes
        }
    }
}

//// BLOCK.38
enum {
    BLOCK = 256,     // threads per block
    ITEMS = 7,       // elements per thread per tile
    VECTOR = 1,      // elements per load
    WRITE = 1,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    LOOK = 64,       // tiles looked back at together: up to 32 by one warp, more by so many warps of the block
    PAUSE = 20,      // ns between two looks at a tile that is not known yet
    TILE = 1792,     // BLOCK * ITEMS
    LOADS = 7,       // ITEMS / VECTOR
    WIDTH = 7,       // ARRANGE == BLOCKED ? ITEMS : VECTOR
    RUNS = 1,        // ITEMS / WIDTH
    ELEM_BYTES = 8,  // bytes of an element
    ACCUM_BYTES = 8, // bytes of an accumulator
};

//// combine.12
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a ^ b;
}

//// store.4
// Writes results, where a store of so many may begin.
__device__ __forceinline__ void store(stored *to, stored from)
{
    // Written as C, the compiler would make a store of each result.
    const union { stored value; unsigned word[WRITE * ACCUM_BYTES / 4]; } bits = {from};
    asm volatile("st.global.cs"
        ".v2.u32 [%0], {%1, %2};" :: "l"(to), "r"(bits.word[0]), "r"(bits.word[1]) : "memory");
}

//// wait_a_bit.2
// Lets others go on before the next look.
__device__ __forceinline__ void wait_a_bit(void)
{
    __nanosleep(PAUSE);
}

//// run.2
// What a thread has of a tile: ITEMS neighbours.
typedef struct { elem at[WIDTH]; } run;

//// staging.1
// Shared memory in which a tile changes places: loads bring each warp's elements lane by lane, and
// results leave it like that.
typedef union __align__(16) {
    elem in[TILE];
    accum out[TILE];
} staging;

//// staged.1
__device__ __forceinline__ staging *staged(void)
{
    __shared__ staging all;
    return &all;
}

//// find_tile.2
// The tile of this number; tile 0 begins where a load may, so that all loads are aligned.
__device__ __forceinline__ tile find_tile(const elem *x, unsigned long long n, accum *y,
                                          unsigned number)
{
    const unsigned skip = 0;
    const unsigned long long first = (unsigned long long)number * TILE, end = n + skip;
    tile it;
    it.x = x + (first - skip);
    it.y = y + (first - skip);
    it.low = number == 0 ? skip : 0;
    it.high = first >= end ? 0 : end - first < TILE ? (unsigned)(end - first) : TILE;
    return it;
}

//// load_tile.2
// Loads a thread's elements, all under way at a time; `is_whole` says that all are of the input.
__device__ __forceinline__ void load_tile(run mine[RUNS], const tile *from, const bool is_whole)
{
    vec got[LOADS];
    const unsigned first = warp_place() + threadIdx.x % 32 * VECTOR;
    #pragma unroll
    for (int u = 0; u < LOADS; u++) {
        const unsigned place = first + u * (32 * VECTOR);
        if (is_whole || (holds(from, place) && holds(from, place + (VECTOR - 1))))
            got[u] = load((const vec *)(from->x + place));
        else
            load_some(&got[u], from, place);
    }
    #pragma unroll
    for (int u = 0; u < LOADS; u++)
        *(vec *)(staged()->in + first + u * (32 * VECTOR)) = got[u];
    __syncwarp();
    #pragma unroll
    for (int j = 0; j < ITEMS; j++)
        mine[0].at[j] = staged()->in[run_place(0) + j];
}

//// write_runs.3
// Writes a thread's results: `before` is what comes before each of its runs; `is_one` says that the
// tile is whole, and where it may be written by whole stores.
__device__ __forceinline__ void write_runs(const accum before[RUNS], const run mine[RUNS],
                                           const tile *to, const bool is_one)
{
    #pragma unroll
    for (int r = 0; r < RUNS; r++) {
        accum a = before[r];
        #pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            const accum b = combine(a, value_of(&mine[r], j, to, run_place(r), is_one));
            staged()->out[run_place(r) + j] = a;
            a = b;
        }
    }
    __syncwarp();
    #pragma unroll
    for (int u = 0; u < ITEMS / WRITE; u++) {
        const unsigned place = warp_place() + (u * 32 + threadIdx.x % 32) * WRITE;
        put(to, place, (const stored *)(staged()->out + place), is_one);
    }
}

//// write_tile.2
__device__ __forceinline__ void write_tile(const accum before[RUNS], const run mine[RUNS],
                                           const tile *to)
{
    if (to->low == 0 && to->high == TILE)
        write_runs(before, mine, to, true);
    else
        write_runs(before, mine, to, false);
}

//// scan.7
// Scans n elements of x, n is not 0: a tile a block. Each leaves the sum of its tile in `state`
// with a flag in the same word, looks back at those before it for what to begin with, and leaves
// the sum of all up to it. The first word of `state` has the call's epoch, to which the block of the
// last tile adds one: it has waited for all others to begin. Zero all before the first call, and
// after an aborted one.
// A block waits for those of lower indices: these must have been started before it, as GPUs do.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    unsigned long long *const words = state + 1;
    const unsigned number = blockIdx.x;
    unsigned epoch = 0;
    if (threadIdx.x < (LOOK > 32 ? LOOK : 32)) // those that look: it comes while elements do
        epoch = (unsigned)(read_word(state) >> 32);
    const tile own = find_tile(x, n, y, number);
    const bool is_whole = own.low == 0 && own.high == TILE;
    if (is_whole)
        sum_tile(sums, mine, &own, true);
    else
        sum_tile(sums, mine, &own, false);
    scan_runs(sums, &all);
    accum so_far = identity();
        if (number % LOOK != LOOK - 1 && threadIdx.x == 0)
            tell(words, number, all, OWN, epoch);
        if (number > 0)
            so_far = look_back(words, number, epoch);
        if (threadIdx.x == 0) {
            if (number % LOOK == LOOK - 1) // so that sums are always of the same tiles
                tell(words, number, combine(so_far, all), ALL_UP_TO, epoch);
            if (number == gridDim.x - 1)
                begin_epoch(state, (epoch + 1) % (1u << 30));
        }
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        sums[r] = combine(so_far, sums[r]);
    write_tile(sums, mine, &own);
}

//// BLOCK.39
enum {
    BLOCK = 64,      // threads per block
    ITEMS = 16,      // elements per thread per tile
    VECTOR = 16,     // elements per load
    WRITE = 4,       // results per store, where they may be stored together
    LOOK = 8,        // tiles looked back at together: up to 32 by one warp, more by so many warps of the block
    TILE = 1024,     // BLOCK * ITEMS
    LOADS = 1,       // ITEMS / VECTOR
    WIDTH = 16,      // ARRANGE == BLOCKED ? ITEMS : VECTOR
    RUNS = 1,        // ITEMS / WIDTH
    ELEM_BYTES = 1,  // bytes of an element
    ACCUM_BYTES = 4, // bytes of an accumulator
};

//// identity.11
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0xffffffff;
}

//// store.5
// Writes results, where a store of so many may begin.
__device__ __forceinline__ void store(stored *to, stored from)
{
    host_aligned(to, sizeof *to);
    *to = from;
}

//// take_ticket.2
// A number for this block: blocks get 0, 1, 2 ... in the order in which they ask, below an epoch in
// the high half. Orders nothing else.
__device__ __forceinline__ unsigned long long take_ticket(unsigned long long *taken)
{
    return __atomic_fetch_add(taken, 1, __ATOMIC_RELAXED);
}

//// post_half.2
__device__ __forceinline__ void post_half(unsigned long long *word, unsigned bits, unsigned flag)
{
    const unsigned long long both = (unsigned long long)bits << 32 | flag;
    __atomic_store_n(word, both, __ATOMIC_RELAXED);
}

//// read_word.2
__device__ __forceinline__ unsigned long long read_word(const unsigned long long *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

//// wait_a_bit.3
// Lets others go on before the next look.
__device__ __forceinline__ void wait_a_bit(void)
{
    host_yield();
}

//// look_together.2
// The sum of the tiles that a warp looks at together, the last of which is `last`, or of those back
// to one that is known with all before it: then *is_all. Lane 0 gets it.
__device__ __forceinline__ accum look_together(const unsigned long long *words, long long last,
                                               unsigned epoch, bool *is_all)
{
    const unsigned lane = threadIdx.x % 32;
    accum a;
    unsigned done;
    for (;;) {
        unsigned what = OWN;
        a = identity();
        if (lane < LOOK)
            what = look(words, last - lane, &a, epoch);
        done = __ballot_sync(~0u, what == ALL_UP_TO);
        const unsigned needed = (done & -done) - 1; // lanes nearer than that; all where none is
        if ((__ballot_sync(~0u, what != 0) & needed) == needed)
            break;
        wait_a_bit();
    }
    *is_all = done != 0;
    if (done != 0 && lane >= __ffs(done))
        a = identity();
    #pragma unroll
    for (int d = 1; d < 32; d *= 2)
        a = combine(__shfl_down_sync(~0u, a, d), a);
    return a;
}

//// scan.8
// Scans n elements of x, n is not 0: a tile a block. Each leaves the sum of its tile in `state`
// with a flag in the same word, looks back at those before it for what to begin with, and leaves
// the sum of all up to it. The first word of `state` has the call's epoch, to which the block of the
// last tile adds one: it has waited for all others to begin. Zero all before the first call, and
// after an aborted one.
// Blocks take tiles in the order in which they start, so that none waits for one that has not.
__global__ void
__launch_bounds__(BLOCK)
scan(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    unsigned long long *const words = state + 1;
    __shared__ unsigned long long ticket;
    if (threadIdx.x == 0)
        ticket = take_ticket(state);
    __syncthreads();
    const unsigned number = (unsigned)ticket, epoch = (unsigned)(ticket >> 32);
    const tile own = find_tile(x, n, y, number);
    const bool is_whole = own.low == 0 && own.high == TILE;
    if (is_whole)
        sum_tile(sums, mine, &own, true);
    else
        sum_tile(sums, mine, &own, false);
    scan_runs(sums, &all);
    accum so_far = identity();
    __shared__ accum before_all;
    if (threadIdx.x < 32) {
        if (number > 0 && threadIdx.x == 0)
            tell(words, number, all, OWN, epoch);
        if (number > 0)
            so_far = look_back(words, number, epoch);
        if (threadIdx.x == 0) {
                tell(words, number, combine(so_far, all), ALL_UP_TO, epoch);
            if (number == gridDim.x - 1)
                begin_epoch(state, (epoch + 1) % (1u << 30));
            before_all = so_far;
        }
    }
    __syncthreads();
    so_far = before_all;
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        sums[r] = combine(so_far, sums[r]);
    write_tile(sums, mine, &own);
}

//// BLOCK.40
enum {
    BLOCK = 256,    // threads per block
    LANES = 64,     // threads that share a segment
    VECTOR = 8,     // elements per load
    UNROLL = 2,     // loads that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    GROUPS = 4,     // BLOCK / LANES
    ELEM_BYTES = 2, // bytes of an element
};

//// accum.9
typedef struct __align__(16) {
    float best_;
    unsigned long long at_;
} accum;

//// make_accum.1
__device__ __forceinline__ accum make_accum(float best_, unsigned long long at_)
{
    accum made;
    made.best_ = best_;
    made.at_ = at_;
    return made;
}

//// identity.12
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return make_accum(__int_as_float(0xff800000), 0xffffffffffffffffULL);
}

//// above_f32.1
// Does a come before b among the greatest? A NaN does before all numbers; an equal does not.
__device__ __forceinline__ bool above_f32(float a, float b)
{
    return !(a <= b) && b == b;
}

//// equals_f32.1
// Equal, or both NaN.
__device__ __forceinline__ bool equals_f32(float a, float b)
{
    return a == b || (a != a && b != b);
}

//// combine.13
__device__ __forceinline__ accum combine(accum a, accum b)
{
    return above_f32(b.best_, a.best_) || (equals_f32(b.best_, a.best_) && b.at_ < a.at_) ? b : a;
}

//// shuffle_down.1
// The value of the lane that is d further.
__device__ __forceinline__ accum shuffle_down(accum a, int d)
{
    a.best_ = __shfl_down_sync(~0u, a.best_, d);
    a.at_ = __shfl_down_sync(~0u, a.at_, d);
    return a;
}

//// map.11
// What is combined of an element, the one at i of its result.
__device__ __forceinline__ accum map(elem value, unsigned long long i)
{
    const float x = half_value(value);
    return make_accum(x, i);
}

//// output.3
// A result: what finish makes of the last value.
typedef unsigned long long output;

//// finish.3
// The result of n elements, whose value is known.
__device__ __forceinline__ output finish(accum a, unsigned long long n)
{
    return a.at_;
}

//// fold_tree.1
// Combines a thread's `count` values, neighbours first.
__device__ __forceinline__ accum fold_tree(accum *all, const int count)
{
    #pragma unroll
    for (int width = 1; width < count; width *= 2)
        #pragma unroll
        for (int i = 0; i + width < count; i += 2 * width)
            all[i] = combine(all[i], all[i + width]);
    return all[0];
}

//// fold_alone.1
// Combines what one load brought, as a tree: what values of as many elements share, as their
// count, is known where it is compiled, and joins that divide by it cost little.
__device__ __forceinline__ accum fold_alone(vec got, unsigned long long first)
{
    accum all[VECTOR];
    #pragma unroll
    for (int k = 0; k < VECTOR; k++)
        all[k] = map(got.at[k], first + k);
    return fold_tree(all, VECTOR);
}

//// fold.2
// Combines what one load brought, whose elements are at `first` and on of their result.
__device__ __forceinline__ accum fold(accum a, vec got, unsigned long long first)
{
    return combine(a, fold_alone(got, first));
}

//// offset.1
typedef int offset;

//// segmentation.1
// What segments there are: offset i is where segment i begins, and offset i + 1 where it ends. Offsets are
// the user's data: one that is none of the n elements, as all below 0, counts as n.
typedef struct {
    const offset *offsets;
    unsigned long long count, n;
} segmentation;

//// border.1
__device__ __forceinline__ unsigned long long border(const segmentation *all, unsigned long long i)
{
    const unsigned long long at = (unsigned long long)all->offsets[i];
    return at < all->n ? at : all->n;
}

//// from_above.1
// The value of the lane that is d lanes above.
__device__ __forceinline__ accum from_above(accum a, int d)
{
    return shuffle_down(a, d);
}

//// lanes_reduce.2
// Combines the values of `lanes` neighbours in a warp; the first of them gets the result.
__device__ __forceinline__ accum lanes_reduce(accum a, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2)
        a = combine(a, from_above(a, d));
    return a;
}

//// take_lane.1
// What a lane takes of the elements [begin, end) of x: UNROLL loads at a time, LANES loads apart.
__device__ __forceinline__ accum take_lane(const elem *x, unsigned long long begin,
                                           unsigned long long end, unsigned lane)
{
    const unsigned skip = (unsigned)(((unsigned long long)x / ELEM_BYTES + begin) % VECTOR);
    const elem *const first = x + begin - skip; // where the first load begins
    const unsigned long long last = end - begin + skip, loads = (last + VECTOR - 1) / VECTOR;
    accum a = identity();
    for (unsigned long long i = lane; i < loads; i += LANES * UNROLL) {
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long at = (i + u * LANES) * VECTOR;
            if (at >= skip && at + VECTOR <= last)
                got[u] = load((const vec *)(first + at));
            else
                for (int k = 0; k < VECTOR; k++)
                    if (at + k >= skip && at + k < last)
                        got[u].at[k] = first[at + k];
        }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long at = (i + u * LANES) * VECTOR;
            if (at >= skip && at + VECTOR <= last)
                a = fold(a, got[u], at - skip);
            else
                for (int k = 0; k < VECTOR; k++)
                    if (at + k >= skip && at + k < last)
                        a = combine(a, map(got[u].at[k], at - skip + k));
        }
    }
    return a;
}

//// segments.1
// Reduces each of `count` segments of x: y[i] is the value of the elements from offset i up to offset
// i + 1, the identity where there are none. LANES threads share a segment, and a block has GROUPS
// segments under way at a time: for lengths that are alike, for the longest decides how long a block takes.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
segments(const elem *x, unsigned long long n, const offset *offsets, unsigned long long count,
         output *y)
{
    const segmentation all = {offsets, count, n};
    const unsigned lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    for (unsigned long long first = (unsigned long long)blockIdx.x * GROUPS; first < count;
         first += (unsigned long long)gridDim.x * GROUPS) {
        const unsigned long long i = first + group;
        unsigned long long begin = 0, end = 0;
        if (i < count) {
            begin = border(&all, i);
            end = border(&all, i + 1);
            end = end > begin ? end : begin;
        }
        accum a = take_lane(x, begin, end, lane);
        __shared__ accum values[BLOCK / 32];
        a = lanes_reduce(a, 32);
        if (threadIdx.x % 32 == 0)
            values[threadIdx.x / 32] = a;
        __syncthreads();
        if (lane < 32)
            a = lanes_reduce(lane < LANES / 32 ? values[group * (LANES / 32) + lane] : identity(), 32);
        __syncthreads(); // all have read what the next segments write
        if (lane == 0 && i < count)
            y[i] = finish(a, end - begin);
    }
}

//// BLOCK.41
enum {
    BLOCK = 256,    // threads per block
    ITEMS = 11,     // elements and ends of a tile for each thread of BALANCED
    VECTOR = 4,     // elements per load
    UNROLL = 4,     // loads that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 2816,    // IS_BALANCED ? BLOCK * ITEMS : LANES * UNROLL * VECTOR
    WORDS = 1,      // ACCUM_BYTES / 4
    ELEM_BYTES = 4, // bytes of an element
};

//// from_above.2
// The value of the lane that is d lanes above.
__device__ __forceinline__ accum from_above(accum a, int d)
{
    return __shfl_down_sync(~0u, a, d);
}

//// point.1
// A point of the path through all elements and ends of segments, in which each end stands behind its
// segment's elements: so many ends and elements come before it. Elements are counted from the first
// segment's begin on.
typedef struct {
    unsigned long long ends, elements;
} point;

//// before_end.1
// The elements before end i, modulo 2^64 where it lies before the first begin.
__device__ __forceinline__ unsigned long long before_end(const segmentation *all, unsigned long long i,
                                                         unsigned long long begin)
{
    return border(all, i + 1) - begin;
}

//// find_point.1
// The point at a place of the path, not before `from`, by a whole warp: each lane asks at one of 32 ends
// whether it is before the place. Of offsets that do not ascend it is any point of so many ends and elements.
__device__ __forceinline__ point find_point(const segmentation *all, unsigned long long begin,
                                            unsigned long long length, point from,
                                            unsigned long long place)
{
    const unsigned long long left = place - from.ends - from.elements;
    unsigned long long low = place > length ? place - length : 0;
    low = low > from.ends ? low : from.ends;
    unsigned long long high = from.ends + left < all->count ? from.ends + left : all->count;
    while (low < high) {
        const unsigned long long step = (high - low + 31) / 32;
        const unsigned long long at = low + (threadIdx.x % 32 + 1) * step - 1;
        const bool is_before = at < high && before_end(all, at, begin) + at < place;
        const unsigned others = ~__ballot_sync(~0u, is_before);
        low += (others ? __ffs(others) - 1 : 32) * step;
        high = low + step - 1 < high ? low + step - 1 : high;
    }
    const point to = {low, place - low};
    return to;
}

//// enum.2
enum { ROOM = TILE + VECTOR }; // elements of a tile, which begins within a load

//// tile.2
// A tile of the path in shared memory: its elements, behind `skip` places, and for each of its ends the
// elements before it.
typedef struct {
    __align__(16) elem in[ROOM];
    unsigned ends[TILE];
} tile;

//// load_elements.1
// Loads elements [first, first + count) of x to behind so many places as they stand behind a load's begin,
// which are returned.
__device__ __forceinline__ unsigned load_elements(elem *in, const elem *x, unsigned long long first,
                                                  unsigned count)
{
    const unsigned skip = (unsigned)(((unsigned long long)x / ELEM_BYTES + first) % VECTOR);
    const elem *const from = x + first - skip;
    const unsigned last = skip + count;
    #pragma unroll UNROLL
    for (unsigned at = threadIdx.x * VECTOR; at < last; at += BLOCK * VECTOR)
        if (at >= skip && at + VECTOR <= last)
            *(vec *)(in + at) = load((const vec *)(from + at));
        else
            for (int k = 0; k < VECTOR; k++)
                if (at + k >= skip && at + k < last)
                    in[at + k] = from[at + k];
    return skip;
}

//// ends_before.1
// Of the ends of a tile: how many come before its place `place`; of any ends at least so many that the
// elements before it are of the tile.
__device__ __forceinline__ unsigned ends_before(const unsigned *ends, unsigned count,
                                                unsigned elements, unsigned place)
{
    unsigned low = place > elements ? place - elements : 0;
    unsigned high = place < count ? place : count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (ends[middle] + middle < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

//// from_below.1
__device__ __forceinline__ accum from_below(accum a, int d)
{
    return __shfl_up_sync(~0u, a, d);
}

//// tail.1
// A value behind the last end, and whether there was one: else it goes on from what came before.
typedef struct {
    accum value;
    bool ended;
} tail;

//// join.1
__device__ __forceinline__ tail join(tail a, tail b)
{
    const tail both = {b.ended ? b.value : combine(a.value, b.value), a.ended || b.ended};
    return both;
}

//// tails_before.1
// What is behind the last end before this thread, of a tail for each thread and what the block had before,
// *all, which becomes what it has with all threads.
__device__ __forceinline__ tail tails_before(tail mine, tail *all)
{
    __shared__ tail warps[BLOCK / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    tail to = mine;
    #pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const tail before = {from_below(to.value, d), __shfl_up_sync(~0u, (int)to.ended, d) != 0};
        if (lane >= d)
            to = join(before, to);
    }
    const tail below = {from_below(to.value, 1), __shfl_up_sync(~0u, (int)to.ended, 1) != 0};
    if (lane == 31)
        warps[warp] = to;
    __syncthreads();
    tail before = *all;
    for (unsigned w = 0; w < BLOCK / 32; w++) {
        if (w == warp)
            before = *all;
        *all = join(*all, warps[w]);
    }
    return lane > 0 ? join(before, below) : before;
}

//// enum.3
// What a block leaves for those behind it: the value behind its last end, or that of all it had.
enum { GOES_ON = 1, ENDED = 2 };

//// take_before.1
// The value of the ranges before this block's, back to the nearest that has an end. All their words are
// there for this block alone, which waits for each and sets it back to zero. Every thread gets the value.
__device__ __forceinline__ accum take_before(unsigned long long *words)
{
    __shared__ accum values[BLOCK / 32];
    __shared__ unsigned known[BLOCK / 32], ended[BLOCK / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    accum all = identity();
    bool is_done = false;
    for (unsigned left = blockIdx.x; left > 0 && !is_done; left = left > BLOCK ? left - BLOCK : 0) {
        const bool is_range = threadIdx.x < left; // the last of those left is thread 0's
        const unsigned range = left - 1 - threadIdx.x;
        unsigned reach = BLOCK; // so many threads have ranges that count
        accum a = identity();
        for (bool is_all = false; !is_all;) {
            const unsigned flag = is_range ? read_tile(words, range, &a) : GOES_ON;
            const unsigned is_known = __ballot_sync(~0u, flag != 0);
            const unsigned has_end = __ballot_sync(~0u, flag == ENDED);
            if (lane == 0) {
                known[warp] = is_known;
                ended[warp] = has_end;
            }
            __syncthreads();
            unsigned w = 0;
            while (w < BLOCK / 32 && known[w] == ~0u && ended[w] == 0)
                w++;
            is_all = w == BLOCK / 32;
            if (!is_all && ended[w] != 0) {
                const unsigned first = __ffs(ended[w]), needed = ~0u >> (32 - first);
                is_all = is_done = (known[w] & needed) == needed;
                reach = w * 32 + first;
            }
            __syncthreads(); // all have read what the next look writes
            if (!is_all)
                wait_a_bit();
        }
        if (is_range && threadIdx.x < reach)
            for (int k = 0; k < WORDS; k++)
                clear_word(words + (unsigned long long)range * WORDS + k);
        else
            a = identity();
        #pragma unroll
        for (int d = 1; d < 32; d *= 2)
            a = combine(from_above(a, d), a);
        if (lane == 0)
            values[warp] = a;
        __syncthreads();
        for (unsigned w = 0; w < BLOCK / 32; w++)
            all = combine(values[w], all);
    }
    return all;
}

//// segments.2
// Reduces each of `count` segments of x: y[i] is the value of the elements from offset i up to offset
// i + 1, the identity where there are none. The path through all elements and ends is cut in equal ranges,
// one a block, which takes it tile by tile: so a block has as much to do whatever the lengths are. The
// segment that ends first in a range may have begun before it: each block leaves the value behind its
// last end in words of `state`, with a flag in the same stores, and the next that has an end takes what was
// left since and sets the words back to zero. The last takes all that is left. A block waits for those
// of lower indices alone. An aborted launch leaves some words above zero: clear them then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
segments(const elem *x, unsigned long long n, const offset *offsets, unsigned long long count,
         accum *y, unsigned long long *state)
{
    const segmentation all = {offsets, count, n};
    __shared__ tile shared;
    __shared__ accum kept; // what the range's first end has within the range
    __shared__ unsigned long long kept_at;
    const unsigned long long begin = border(&all, 0), end = border(&all, count);
    const unsigned long long length = end > begin ? end - begin : 0, path = length + count;
    const unsigned long long share = (path + gridDim.x - 1) / gridDim.x;
    unsigned long long place = share * blockIdx.x < path ? share * blockIdx.x : path;
    const unsigned long long last = path - place < share ? path : place + share;
    const point start = {0, 0};
    point at = find_point(&all, begin, length, start, place);
    tail so_far = {identity(), false};
    while (place < last) {
        const unsigned long long next = last - place < TILE ? last : place + TILE;
        const point to = find_point(&all, begin, length, at, next);
        const unsigned ends = (unsigned)(to.ends - at.ends);
        const unsigned elements = (unsigned)(to.elements - at.elements);
        const unsigned skip = load_elements(shared.in, x, begin + at.elements, elements);
        // Offsets that do not ascend give any numbers here: counts, not these, bound what a thread takes.
        for (unsigned i = threadIdx.x; i < ends; i += BLOCK)
            shared.ends[i] = (unsigned)(before_end(&all, at.ends + i, begin) - at.elements);
        __syncthreads();

        // A thread has ITEMS places of the tile. What is behind its last end goes on in the next.
        const unsigned whole = ends + elements;
        const unsigned own = threadIdx.x * ITEMS < whole ? threadIdx.x * ITEMS : whole;
        unsigned i = ends_before(shared.ends, ends, elements, own), e = own - i;
        tail mine = {identity(), false};
        accum first = identity();
        unsigned first_at = 0;
        #pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            if (own + k >= whole)
                break;
            if (i < ends && shared.ends[i] <= e) {
                if (!mine.ended) {
                    first = mine.value;
                    first_at = i;
                } else {
                    y[at.ends + i] = mine.value;
                }
                mine.value = identity();
                mine.ended = true;
                i++;
            } else {
                mine.value = combine(mine.value, map(shared.in[skip + e]));
                e++;
            }
        }
        const tail before = tails_before(mine, &so_far);
        if (mine.ended) {
            const accum a = combine(before.value, first);
            if (!before.ended) {
                kept = a;
                kept_at = at.ends + first_at;
            } else {
                y[at.ends + first_at] = a;
            }
        }
        __syncthreads(); // all have read what the next tile writes
        place = next;
        at = to;
    }

    const bool is_last = blockIdx.x == gridDim.x - 1;
    if (threadIdx.x == 0 && !is_last)
        post_tile(state, blockIdx.x, so_far.value, so_far.ended ? ENDED : GOES_ON);
    if (!so_far.ended && !is_last)
        return;
    const accum before = take_before(state);
    if (threadIdx.x == 0 && so_far.ended)
        y[kept_at] = combine(before, kept);
}

//// BLOCK.42
enum {
    BLOCK = 64,     // threads per block
    ITEMS = 5,      // elements and ends of a tile for each thread of BALANCED
    VECTOR = 1,     // elements per load
    UNROLL = 4,     // loads that a thread has under way
    TILE = 320,     // IS_BALANCED ? BLOCK * ITEMS : LANES * UNROLL * VECTOR
    WORDS = 2,      // ACCUM_BYTES / 4
    ELEM_BYTES = 8, // bytes of an element
};

//// post_tile.3
// Leaves a value for a tile and says by a flag what it is, so that who sees the flag has the value:
// no fence.
__device__ __forceinline__ void post_tile(unsigned long long *words, unsigned tile, accum value,
                                          unsigned flag)
{
    // Half of the value in each of two words.
    const union { accum value; unsigned half[2]; } from = {value};
    post_half(words + 2ULL * tile, from.half[0], flag);
    host_yield(); // others may see one half alone
    post_half(words + 2ULL * tile + 1, from.half[1], flag);
}

//// enum.4
enum { ROOM = TILE };

//// load_elements.2
// Loads elements [first, first + count) of x to behind so many places as they stand behind a load's begin,
// which are returned.
__device__ __forceinline__ unsigned load_elements(elem *in, const elem *x, unsigned long long first,
                                                  unsigned count)
{
    const unsigned skip = 0;
    const elem *const from = x + first - skip;
    const unsigned last = skip + count;
    #pragma unroll UNROLL
    for (unsigned at = threadIdx.x * VECTOR; at < last; at += BLOCK * VECTOR)
        if (at >= skip && at + VECTOR <= last)
            *(vec *)(in + at) = load((const vec *)(from + at));
        else
            for (int k = 0; k < VECTOR; k++)
                if (at + k >= skip && at + k < last)
                    in[at + k] = from[at + k];
    return skip;
}

//// segments.3
// Reduces each of `count` segments of x: y[i] is the value of the elements from offset i up to offset
// i + 1, the identity where there are none. The path through all elements and ends is cut in equal ranges,
// one a block, which takes it tile by tile: so a block has as much to do whatever the lengths are. The
// segment that ends first in a range may have begun before it: each block leaves the value behind its
// last end in words of `state`, with a flag in the same stores, and the next that has an end takes what was
// left since and sets the words back to zero. The last takes all that is left. A block waits for those
// of lower indices alone. An aborted launch leaves some words above zero: clear them then.
__global__ void
__launch_bounds__(BLOCK)
segments(const elem *x, unsigned long long n, const offset *offsets, unsigned long long count,
         output *y, unsigned long long *state)
{
    const segmentation all = {offsets, count, n};
    __shared__ tile shared;
    __shared__ accum kept; // what the range's first end has within the range
    __shared__ unsigned long long kept_at;
    __shared__ unsigned long long kept_n;
    const unsigned long long begin = border(&all, 0), end = border(&all, count);
    const unsigned long long length = end > begin ? end - begin : 0, path = length + count;
    const unsigned long long share = (path + gridDim.x - 1) / gridDim.x;
    unsigned long long place = share * blockIdx.x < path ? share * blockIdx.x : path;
    const unsigned long long last = path - place < share ? path : place + share;
    const point start = {0, 0};
    point at = find_point(&all, begin, length, start, place);
    tail so_far = {identity(), false};
    while (place < last) {
        const unsigned long long next = last - place < TILE ? last : place + TILE;
        const point to = find_point(&all, begin, length, at, next);
        const unsigned ends = (unsigned)(to.ends - at.ends);
        const unsigned elements = (unsigned)(to.elements - at.elements);
        const unsigned skip = load_elements(shared.in, x, begin + at.elements, elements);
        // Offsets that do not ascend give any numbers here: counts, not these, bound what a thread takes.
        for (unsigned i = threadIdx.x; i < ends; i += BLOCK)
            shared.ends[i] = (unsigned)(before_end(&all, at.ends + i, begin) - at.elements);
        const unsigned long long opened = at.ends > 0 ? before_end(&all, at.ends - 1, begin) : 0;
        __syncthreads();

        // A thread has ITEMS places of the tile. What is behind its last end goes on in the next.
        const unsigned whole = ends + elements;
        const unsigned own = threadIdx.x * ITEMS < whole ? threadIdx.x * ITEMS : whole;
        unsigned i = ends_before(shared.ends, ends, elements, own), e = own - i;
        // Where the segment begins, from the tile's first element on, modulo 2^64.
        unsigned long long from = i > 0 ? shared.ends[i - 1] : opened - at.elements;
        unsigned long long first_n = 0;
        tail mine = {identity(), false};
        accum first = identity();
        unsigned first_at = 0;
        #pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            if (own + k >= whole)
                break;
            if (i < ends && shared.ends[i] <= e) {
                if (!mine.ended) {
                    first = mine.value;
                    first_at = i;
                    first_n = shared.ends[i] - from;
                } else {
                    y[at.ends + i] = finish(mine.value, shared.ends[i] - from);
                }
                from = shared.ends[i];
                mine.value = identity();
                mine.ended = true;
                i++;
            } else {
                mine.value = combine(mine.value, map(shared.in[skip + e]));
                e++;
            }
        }
        const tail before = tails_before(mine, &so_far);
        if (mine.ended) {
            const accum a = combine(before.value, first);
            if (!before.ended) {
                kept = a;
                kept_at = at.ends + first_at;
                kept_n = first_n;
            } else {
                y[at.ends + first_at] = finish(a, first_n);
            }
        }
        __syncthreads(); // all have read what the next tile writes
        place = next;
        at = to;
    }

    const bool is_last = blockIdx.x == gridDim.x - 1;
    if (threadIdx.x == 0 && !is_last)
        post_tile(state, blockIdx.x, so_far.value, so_far.ended ? ENDED : GOES_ON);
    if (!so_far.ended && !is_last)
        return;
    const accum before = take_before(state);
    if (threadIdx.x == 0 && so_far.ended)
        y[kept_at] = finish(combine(before, kept), kept_n);
}

//// BLOCK.43
enum {
    BLOCK = 256,    // threads per block
    LANES = 256,    // threads side by side
    VECTOR = 4,     // elements per load, of a result or of as many
    UNROLL = 4,     // loads that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    DOWN = 1,       // max(1, BLOCK / LANES)
    ELEM_BYTES = 4, // bytes of an element
};

//// lanes_reduce.3
// Combines the values of the LANES threads of each result; `shared` has room for all of a block.
// The first of them gets the result.
__device__ __forceinline__ accum lanes_reduce(accum *shared, accum a)
{
    const unsigned lane = threadIdx.x % LANES;
    shared[threadIdx.x] = a;
    __syncthreads();
    for (unsigned d = LANES / 2; d > 0; d /= 2) {
        if (lane < d)
            shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + d]);
        __syncthreads();
    }
    return shared[threadIdx.x - lane];
}

//// strided.1
// Reduces an array whose results are kept along two axes, of `outer` and `inner`, and whose elements
// lie in spans of `span` elements, `depth` in all: element d of result (o, i) is
// x[o * outer_stride + d / span * span_stride + d % span * depth_stride + i * inner_stride], and
// the result y[o * inner + i].
// Each result is made in `parts` parts, a block each, whose values lie in `partials` until the last
// block to arrive combines them. `state` counts the blocks of each tile of results: zero before and
// after. An aborted launch leaves it above zero: clear it then.
// LANES threads side by side take a result's elements, in loads of VECTOR; a block has DOWN results.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
strided(const elem *x, unsigned long long outer, unsigned long long outer_stride,
        unsigned long long depth, unsigned long long depth_stride, unsigned long long span,
        unsigned long long span_stride, unsigned long long inner, unsigned long long inner_stride,
        unsigned long long parts, accum *y, accum *partials, unsigned *state)
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    const unsigned long long tiles = (outer * inner + DOWN - 1) / DOWN;
    const unsigned step = LANES, start = lane;
    const unsigned of_span = (unsigned)((span + VECTOR - 1) / VECTOR); // loads of a span
    const unsigned long long along = VECTOR * depth_stride;            // from one to the next
    const unsigned long long aside = depth_stride; // from an element of a load to the next
    const unsigned long long tile = blockIdx.x % tiles;
    const unsigned total = (unsigned)(depth / span) * of_span; // loads of a result
    const unsigned part = (unsigned)(blockIdx.x / tiles);
    const unsigned share = (total + (unsigned)parts - 1) / (unsigned)parts;
    const unsigned from = part * share < total ? part * share : total;
    const unsigned to = from + share < total ? from + share : total;

    // The thread's results: `result` is the first, of `own`.
    const unsigned long long result = tile * DOWN + down;
    const unsigned own = result < outer * inner;
    const unsigned long long o = result / inner, column = result % inner;
    const elem *first = x + (o * outer_stride + column * inner_stride);
    // Every load is aligned.
    const bool even =
        aside == 1 && ((unsigned long long)first / ELEM_BYTES | span_stride) % VECTOR == 0;

    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    const unsigned spans = step / of_span, rest = step % of_span; // in a step
    unsigned s = (from + start) / of_span, i = (from + start) % of_span;
    for (unsigned at = from + start; own && at < to; at += step * UNROLL) {
        vec got[UNROLL];
        unsigned long long places[UNROLL]; // of a load's first element in its span
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (at + u * step < to) {
                const elem *in = first + (s * span_stride + i * along);
                places[u] = (unsigned long long)i * VECTOR;
                const unsigned long long some = span - places[u];
                if (even && some >= VECTOR)
                    got[u] = load((const vec *)in);
                else
                    for (int j = 0; j < VECTOR; j++)
                        got[u].at[j] = in[j < some ? j * aside : 0];
            }
            s += spans;
            i += rest;
            if (i >= of_span) {
                i -= of_span;
                s++;
            }
        }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (at + u * step < to)
                for (int j = 0; j < VECTOR; j++) {
                    if (places[u] + j >= span)
                        continue;
                    a[j] = combine(a[j], map(got[u].at[j]));
                }
    }

    __shared__ __align__(16) accum shared[BLOCK];
    for (int j = 1; j < VECTOR; j++)
        a[0] = combine(a[0], a[j]);
    a[0] = lanes_reduce(shared, a[0]);
    const bool writes = own && lane == 0;
    if (writes)
        partials[part * (outer * inner) + result] = a[0];
    __syncthreads(); // all of the block's are written, before it arrives
    __shared__ unsigned arrived; // blocks of these results that arrived before this one
    if (threadIdx.x == 0)
        arrived = arrive(state + tile, (unsigned)parts);
    __syncthreads();
    if (arrived != parts - 1)
        return;

    // The last block to arrive combines what all left, in the same order every time.
    a[0] = identity();
    for (unsigned k = lane; own && k < parts; k += LANES)
        a[0] = combine(a[0], partials[k * (outer * inner) + result]);
    a[0] = lanes_reduce(shared, a[0]);
    if (writes)
        y[result] = a[0];
}

//// BLOCK.44
enum {
    BLOCK = 256,    // threads per block
    LANES = 32,     // threads side by side
    VECTOR = 4,     // elements per load, of a result or of as many
    UNROLL = 4,     // loads that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    DOWN = 8,       // max(1, BLOCK / LANES)
    ELEM_BYTES = 4, // bytes of an element
};

//// strided.2
// Reduces an array whose results are kept along two axes, of `outer` and `inner`, and whose elements
// lie in spans of `span` elements, `depth` in all: element d of result (o, i) is
// x[o * outer_stride + d / span * span_stride + d % span * depth_stride + i * inner_stride], and
// the result y[o * inner + i].
// LANES threads side by side take VECTOR results each, that lie side by side, and DOWN threads below
// one another their elements.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
strided(const elem *x, unsigned long long outer, unsigned long long outer_stride,
        unsigned long long depth, unsigned long long depth_stride, unsigned long long span,
        unsigned long long span_stride, unsigned long long inner, unsigned long long inner_stride,
        output *y)
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    const unsigned long long loads = (inner + VECTOR - 1) / VECTOR; // of results side by side
    const unsigned long long tiles = (outer * loads + LANES - 1) / LANES;
    const unsigned step = DOWN, start = down;
    const unsigned of_span = (unsigned)span;
    const unsigned long long along = depth_stride, aside = inner_stride;
    const unsigned long long tile = blockIdx.x % tiles;
    const unsigned total = (unsigned)(depth / span) * of_span; // loads of a result
    const unsigned from = 0, to = total;

    // The thread's results: `result` is the first, of `own`.
    const unsigned long long at_load = tile * LANES + lane;
    const unsigned long long o = at_load / loads, column = at_load % loads * VECTOR;
    const unsigned long long result = o * inner + column;
    const unsigned own = o < outer ? (inner - column < VECTOR ? inner - column : VECTOR) : 0;
    const elem *first = x + (o * outer_stride + column * inner_stride);
    // Every load is aligned.
    const bool even = aside == 1 && ((unsigned long long)first / ELEM_BYTES | depth_stride |
                                     span_stride) % VECTOR == 0;

    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    const unsigned spans = step / of_span, rest = step % of_span; // in a step
    unsigned s = (from + start) / of_span, i = (from + start) % of_span;
    for (unsigned at = from + start; own && at < to; at += step * UNROLL) {
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (at + u * step < to) {
                const elem *in = first + (s * span_stride + i * along);
                const unsigned long long some = own;
                if (even && some >= VECTOR)
                    got[u] = load((const vec *)in);
                else
                    for (int j = 0; j < VECTOR; j++)
                        got[u].at[j] = in[j < some ? j * aside : 0];
            }
            s += spans;
            i += rest;
            if (i >= of_span) {
                i -= of_span;
                s++;
            }
        }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (at + u * step < to)
                for (int j = 0; j < VECTOR; j++) {
                    a[j] = combine(a[j], map(got[u].at[j]));
                }
    }

    __shared__ __align__(16) accum shared[DOWN][LANES * VECTOR];
    for (int j = 0; j < VECTOR; j++)
        shared[down][lane * VECTOR + j] = a[j];
    __syncthreads();
    const bool writes = down == 0;
    for (unsigned j = 0; writes && j < own; j++) {
        accum b = shared[0][lane * VECTOR + j];
        for (int d = 1; d < DOWN; d++)
            b = combine(b, shared[d][lane * VECTOR + j]);
        y[result + j] = finish(b, depth);
    }
}

//// BLOCK.45
enum {
    BLOCK = 64,     // threads per block
    VECTOR = 8,     // elements per load
    UNROLL = 4,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 2048,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    GROUP = 2048,   // 2048
    WORDS = 17,     // 17
    ELEM_BYTES = 2, // bytes of an element
};

//// early_address.1
// An address that lane 0 uses, computed where this stands, ahead of the loads: what uses it later
// need not wait for it.
__device__ __forceinline__ void *early_address(void *address)
{
    return address;
}

//// magnitude.1
__device__ __forceinline__ float magnitude(float value)
{
    return __builtin_fabsf(value);
}

//// gather_warps.2
// Combines the values of all warps, which begin at `from`, in the order of warp_reduce, and adds up
// their magnitudes to *size.
__device__ __forceinline__ accum gather_warps(const accum *from, accum *size)
{
    accum value[BLOCK / 32];
    for (int i = 0; i < BLOCK / 32; i++)
        value[i] = from[i];
    accum sizes[BLOCK / 32];
    #pragma unroll
    for (int i = 0; i < BLOCK / 32; i++)
        sizes[i] = magnitude(value[i]);
    #pragma unroll
    for (int d = BLOCK / 64; d > 0; d /= 2)
        #pragma unroll
        for (int i = 0; i < d; i++) {
            value[i] = combine(value[i], value[i + d]);
            sizes[i] += sizes[i + d];
        }
    *size = sizes[0];
    return value[0];
}

//// add_word.1
// Adds to a word, for lane 0 alone, and says what it is then. Orders nothing else.
__device__ __forceinline__ unsigned long long add_word(unsigned long long *word,
                                                       unsigned long long value)
{
    return atomicAdd(word, value) + value;
}

//// bin_value.1
// The sum of values in a word of range i.
__device__ __forceinline__ double bin_value(unsigned long long word, unsigned i)
{
    // The scale is a power of two, by its exponent.
    return (double)((long long)word >> 12) * __longlong_as_double((873LL + 16 * i) << 52);
}

//// add_binned.1
// Adds the value of one of `blocks`, fewer than 4096, for lane 0 alone. True for the last to
// arrive, which gets the sum of all in *total and has set `state` back to zero. state[1 + i] is for
// blocks whose `size`, the sum of their warps' magnitudes, has an exponent of 16 i to 16 i + 15:
// the sum of their values, in multiples of 2^(16 i - 150), above their number, which takes 12 bits.
// state[0] counts all blocks, and above them, in 13 bits each, infinities of both signs and NaNs,
// beside which no sum counts. Integers make every order of the blocks alike, and each word is right
// by itself: no order between them is needed.
__device__ __forceinline__ bool add_binned(unsigned long long *state, float value, float size,
                                           unsigned blocks, float *total)
{
    const unsigned bits = __float_as_uint(value), exponent = bits >> 23 & 255;
    const unsigned low = bits & 0x7fffff, i = (__float_as_uint(size) >> 23 & 255) / 16;
    unsigned long long *const bin = state + 1 + i;
    int whole = exponent == 0 ? low << 1 : low | 0x800000;
    if (bits >> 31)
        whole = -whole;
    unsigned long long one = 1;
    if (exponent == 255)
        one |= 1ULL << (low != 0 ? 38 : bits >> 31 ? 25 : 12);
    // What is less than a multiple is cut: less than 2^-23 of `size`.
    const unsigned right = 20 + 16 * i - exponent;
    const long long multiple = whole * (1LL << 32) >> (right < 63 ? right : 63);
    const unsigned long long all = add_word(state, one);
    host_yield(); // the last to be counted may come before others' values
    const unsigned long long own =
        add_word(bin, ((unsigned long long)multiple & ~4095ULL) | 1);
    if ((all & 4095) != blocks)
        return false;

    double sum;
    if ((own & 4095) == blocks) {
        sum = bin_value(own, i);
        clear_word(bin);
    } else { // of several ranges, or not all are there yet
        unsigned count;
        do {
            count = 0;
            sum = 0;
            for (int k = 15; k >= 0; k--) {
                const unsigned long long word = read_word(state + 1 + k);
                count += word & 4095;
                sum += bin_value(word, k);
            }
            host_yield();
        } while (count != blocks);
        for (int k = 0; k < 16; k++)
            clear_word(state + 1 + k);
    }
    clear_word(state);
    if (all >> 12 != 0) {
        const float infinity = __uint_as_float(0x7f800000);
        sum = (all >> 12 & 8191 ? infinity : 0) - (all >> 25 & 8191 ? infinity : 0);
        if (all >> 38 != 0)
            sum = infinity - infinity;
    }
    *total = (float)sum;
    return true;
}

//// block_reduce.7
// Combines one value a thread; thread 0 gets the result.
// It also gets the sum of the warps' magnitudes.
__device__ __forceinline__ accum block_reduce(accum a, places at, accum *size)
{
    const unsigned t = threadIdx.x;
    a = warp_reduce(a, 32);
    if (t % 32 == 0)
        put_shared(at.warp, a);
    __syncthreads();
    if (t == 0)
        a = gather_warps(at.thread, size);
    return a;
}

//// reduce.12
// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// `state` gathers the blocks' values as integers, so that their order does not matter: a word for
// each range of exponents, and one that counts the blocks. The last to arrive sets them back to
// zero and writes *y, or, of several groups of blocks, leaves a value for the last group. An
// aborted launch leaves some above zero: clear them then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    accum a = identity();
    __shared__ __align__(16) accum shared[BLOCK / 32]; // a value of each warp
    const places at = places_in(shared);
    // Groups of blocks, of which the last may have fewer, add up their values.
    const unsigned group = blockIdx.x / GROUP;
    const unsigned groups = (gridDim.x + GROUP - 1) / GROUP;
    const unsigned members = group + 1 < groups ? GROUP : gridDim.x - group * GROUP;
    unsigned long long *const words =
        (unsigned long long *)early_address(state + group * WORDS);
    accum *const result = (accum *)early_address(y);
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

    accum size;
    a = block_reduce(a, at, &size);
    if (threadIdx.x == 0 && add_binned(words, a, size, members, &a)) {
        // Of several groups the last, whose blocks were started last, gathers in their order.
        unsigned long long *const others = state + groups * WORDS;
        if (group != groups - 1) {
            post(others, group, a);
        } else {
            accum sum = identity();
            for (unsigned i = 0; i + 1 < groups; i++)
                sum = combine(sum, take(others, i));
            *result = combine(sum, a);
        }
    }
}

//// BLOCK.46
enum {
    BLOCK = 256,    // threads per block
    VECTOR = 8,     // elements per load
    UNROLL = 8,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 16384,   // BLOCK * ITEMS
    LOADS = 8,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 2, // bytes of an element
};

//// frag.1
// The sums of 16 rows, spread over a warp: lane l has that of row l / 4 in at[0] and at[1], and
// that of row l / 4 + 8 in at[2] and at[3].
typedef struct { accum at[4]; } frag;

//// fold_tensor.1
// Adds what one load brought to each lane of a warp, by a product with ones: the loads are a
// matrix of 16 rows, and every column of the product has the sums of its rows. Words 0 and 2 of
// lane l are of row l / 4, words 1 and 3 of row l / 4 + 8.
__device__ __forceinline__ frag fold_tensor(frag rows, vec got)
{
    const union { vec value; unsigned word[4]; } from = {got};
    const unsigned ones = 0x3f803f80;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %8}, {%0, %1, %2, %3};"
                 : "+f"(rows.at[0]), "+f"(rows.at[1]), "+f"(rows.at[2]), "+f"(rows.at[3])
                 : "r"(from.word[0]), "r"(from.word[1]), "r"(from.word[2]), "r"(from.word[3]),
                   "r"(ones));
    return rows;
}

//// reduce.13
// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// Writes one value a block to y: reduce those again until one is left.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y)
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
    const unsigned block = blockIdx.x;
    if (threadIdx.x == 0)
        y[block] = a;
}

//// BLOCK.47
enum {
    BLOCK = 128,    // threads per block
    VECTOR = 4,     // elements per load
    UNROLL = 4,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 2048,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 4, // bytes of an element
};

//// update.3
// Combines a value into the one at `word`, in no order.
__device__ __forceinline__ void update(unsigned long long *word, accum value)
{
    atomicAdd((accum *)word, value);
}

//// take_value.2
// The value that all have combined into, set back to the identity.
__device__ __forceinline__ accum take_value(unsigned long long *word)
{
    union { value_bits bits; accum value; } to;
    to.bits = atomicExch((value_bits *)word, (value_bits)0);
    return to.value;
}

//// BLOCK.48
enum {
    BLOCK = 256,    // threads per block
    VECTOR = 4,     // elements per load
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 4096,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    GROUP = 2048,   // 2048
    WORDS = 17,     // 17
    ELEM_BYTES = 4, // bytes of an element
};

//// early_address.2
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

//// magnitude.2
__device__ __forceinline__ float magnitude(float value)
{
    return fabsf(value);
}

//// gather_warps.3
// Combines the values of all warps, which begin at `from`, in the order of warp_reduce, and adds up
// their magnitudes to *size.
__device__ __forceinline__ accum gather_warps(unsigned from, accum *size)
{
    union { accum value[BLOCK / 32]; unsigned word[BLOCK / 32 * sizeof(accum) / 4]; } got;
    accum *const value = got.value;
    #pragma unroll
    for (int i = 0; i < BLOCK / 32 * (int)sizeof(accum) / 4; i += 4)
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(got.word[i]), "=r"(got.word[i + 1]), "=r"(got.word[i + 2]),
                       "=r"(got.word[i + 3])
                     : "r"(from + i * 4) : "memory");
    accum sizes[BLOCK / 32];
    #pragma unroll
    for (int i = 0; i < BLOCK / 32; i++)
        sizes[i] = magnitude(value[i]);
    #pragma unroll
    for (int d = BLOCK / 64; d > 0; d /= 2)
        #pragma unroll
        for (int i = 0; i < d; i++) {
            value[i] = combine(value[i], value[i + d]);
            sizes[i] = combine(sizes[i], sizes[i + d]);
        }
    *size = sizes[0];
    return value[0];
}

//// narrowed.1
// The f32 nearest to a value, whatever the compiler's options: nothing is flushed.
__device__ __forceinline__ float narrowed(double value)
{
    float narrow;
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(narrow) : "d"(value));
    return narrow;
}

//// add_word.2
// Adds to a word, for lane 0 alone, and says what it is then. Orders nothing else.
__device__ __forceinline__ unsigned long long add_word(unsigned long long *word,
                                                       unsigned long long value)
{
    unsigned long long before;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(before) : "l"(word), "l"(value) : "memory");
    return before + value;
}

//// add_binned.2
// Adds the value of one of `blocks`, fewer than 4096, for lane 0 alone. True for the last to
// arrive, which gets the sum of all in *total and has set `state` back to zero. state[1 + i] is for
// blocks whose `size`, the sum of their warps' magnitudes, has an exponent of 16 i to 16 i + 15:
// the sum of their values, in multiples of 2^(16 i - 150), above their number, which takes 12 bits.
// state[0] counts all blocks, and above them, in 13 bits each, infinities of both signs and NaNs,
// beside which no sum counts. Integers make every order of the blocks alike, and each word is right
// by itself: no order between them is needed.
__device__ __forceinline__ bool add_binned(unsigned long long *state, float value, float size,
                                           unsigned blocks, float *total)
{
    const unsigned bits = __float_as_uint(value), exponent = bits >> 23 & 255;
    const unsigned low = bits & 0x7fffff, i = (__float_as_uint(size) >> 23 & 255) / 16;
    unsigned long long *const bin = state + 1 + i;
    int whole = exponent == 0 ? low << 1 : low | 0x800000;
    if (bits >> 31)
        whole = -whole;
    unsigned long long one = 1;
    if (exponent == 255)
        one |= 1ULL << (low != 0 ? 38 : bits >> 31 ? 25 : 12);
    // What is less than a multiple is cut: less than 2^-23 of `size`.
    const unsigned right = 20 + 16 * i - exponent;
    const long long multiple = whole * (1LL << 32) >> (right < 63 ? right : 63);
    const unsigned long long own =
        add_word(bin, ((unsigned long long)multiple & ~4095ULL) | 1);
    const unsigned long long all = add_word(state, one);
    if ((all & 4095) != blocks)
        return false;

    double sum;
    if ((own & 4095) == blocks) {
        sum = bin_value(own, i);
        clear_word(bin);
    } else { // of several ranges, or not all are there yet
        unsigned count;
        do {
            count = 0;
            sum = 0;
            for (int k = 15; k >= 0; k--) {
                const unsigned long long word = read_word(state + 1 + k);
                count += word & 4095;
                sum += bin_value(word, k);
            }
        } while (count != blocks);
        for (int k = 0; k < 16; k++)
            clear_word(state + 1 + k);
    }
    clear_word(state);
    if (all >> 12 != 0) {
        const float infinity = __uint_as_float(0x7f800000);
        sum = (all >> 12 & 8191 ? infinity : 0) - (all >> 25 & 8191 ? infinity : 0);
        if (all >> 38 != 0)
            sum = infinity - infinity;
    }
    *total = __nvvm_reflect("__CUDA_FTZ") ? narrowed(sum) : (float)sum;
    return true;
}

//// reduce.14
// Reduces n elements of x, n may be 0. Each block has a tile of BLOCK * LOADS loads, and there are
// as many as n takes; the first also has what is less than a load at both ends.
// `state` gathers the blocks' values as integers, so that their order does not matter: a word for
// each range of exponents, and one that counts the blocks. The last to arrive sets them back to
// zero and writes *y, or, of several groups of blocks, leaves a value for the last group. An
// aborted launch leaves some above zero: clear them then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    accum a = identity();
    __shared__ __align__(16) accum shared[BLOCK / 32]; // a value of each warp
    const places at = places_in(shared);
    // Groups of blocks, of which the last may have fewer, add up their values.
    const unsigned group = blockIdx.x / GROUP;
    const unsigned groups = (gridDim.x + GROUP - 1) / GROUP;
    const unsigned members = group + 1 < groups ? GROUP : gridDim.x - group * GROUP;
    unsigned long long *const words =
        (unsigned long long *)early_address(state + group * WORDS);
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

    accum size;
    a = block_reduce(a, at, &size);
    if (threadIdx.x == 0 && add_binned(words, a, size, members, &a)) {
        // Of several groups the last, whose blocks were started last, gathers in their order.
        unsigned long long *const others = state + groups * WORDS;
        if (group != groups - 1) {
            post(others, group, a);
        } else {
            accum sum = identity();
            for (unsigned i = 0; i + 1 < groups; i++)
                sum = combine(sum, take(others, i));
            *result = combine(sum, a);
        }
    }
}

//// BLOCK.49
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

//// copy_bulk.1
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

//// send.2
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

//// ends.3
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

//// .3
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

//// BLOCK.50
enum {
    BLOCK = 256,    // threads per block
    VECTOR = 4,     // elements per load
    UNROLL = 8,     // loads issued before combining
    ACCUMS = 4,     // independent accumulators per thread
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 16384,   // BLOCK * ITEMS
    LOADS = 16,     // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 4, // bytes of an element
};

//// reduce.15
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
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = n < head ? 0 : (unsigned)((n - head) / TILE);
    const vec *v = (const vec *)(x + head);
    accum part[ACCUMS];
    #pragma unroll
    for (int i = 0; i < ACCUMS; i++)
        part[i] = identity();
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
                part[u % ACCUMS] = fold(part[u % ACCUMS], got[u]);
        }
    }
    #pragma unroll
    for (int i = 0; i < ACCUMS; i++)
        a = combine(a, part[i]);

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

//// BLOCK.51
enum {
    BLOCK = 512,    // threads per block
    VECTOR = 2,     // elements per load
    UNROLL = 2,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 4096,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 2,       // min(UNROLL, 4)
    ELEM_BYTES = 8, // bytes of an element
};

//// load.5
__device__ __forceinline__ vec load(const vec *from)
{
    union { vec value; unsigned word[VECTOR * ELEM_BYTES / 4]; } to;
    asm("ld.global.nc.L1::no_allocate"
        ".v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3]) : "l"(from));
    return to.value;
}

//// BLOCK.52
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

//// reduce.16
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

//// BLOCK.53
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

//// barrier_publish.3
// Makes barriers just made known to the copy engine.
__device__ __forceinline__ void barrier_publish(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

//// barrier_wait.3
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

//// reduce.17
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

//// BLOCK.54
enum {
    BLOCK = 512,    // threads per block
    VECTOR = 2,     // elements per load
    UNROLL = 8,     // loads issued before combining
    ACCUMS = 2,     // independent accumulators per thread
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    CLUSTER = 2,    // blocks that combine over distributed shared memory before the finish
    TILE = 8192,    // BLOCK * ITEMS
    LOADS = 8,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 8, // bytes of an element
};

//// send.3
// Sends a value to where `to` lies in the cluster's first block, whose barrier counts the bytes
// that have come.
__device__ __forceinline__ void send(accum *to, accum value, unsigned long long *barrier)
{
    const union { accum value; unsigned long long bits; } from = {value};
    unsigned there, counter;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;"
                 : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(to)));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;"
                 : "=r"(counter) : "r"((unsigned)__cvta_generic_to_shared(barrier)));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0], %1, [%2];"
                 :: "r"(there), "l"(from.bits), "r"(counter) : "memory");
}

//// .4
// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// Writes one value a block to y: reduce those again until one is left.
__global__ void
__cluster_dims__(CLUSTER, 1, 1)
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y)
{
    accum a = identity();
    __shared__ cluster_values cluster;
    cluster_begin(&cluster);
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = n < head ? 0 : (unsigned)((n - head) / TILE);
    const vec *v = (const vec *)(x + head);
    accum part[ACCUMS];
    #pragma unroll
    for (int i = 0; i < ACCUMS; i++)
        part[i] = identity();
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
                part[u % ACCUMS] = fold(part[u % ACCUMS], got[u]);
        }
    }
    #pragma unroll
    for (int i = 0; i < ACCUMS; i++)
        a = combine(a, part[i]);

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
    const unsigned block = blockIdx.x / CLUSTER;
    if (threadIdx.x == 0)
        y[block] = a;
}

//// BLOCK.55
enum {
    BLOCK = 128,    // threads per block
    VECTOR = 2,     // elements per load
    UNROLL = 2,     // loads issued before combining
    TILE = 512,     // BLOCK * ITEMS
    LOADS = 2,      // ITEMS / VECTOR
    ENDS = 2,       // min(UNROLL, 4)
    ELEM_BYTES = 8, // bytes of an element
};

//// reduce.18
// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// Each block leaves its value in a word of `state`, and a flag in the same store; the last block
// gathers them in their order and sets them back to zero. An aborted launch leaves some above
// zero: clear them then.
__global__ void
__launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    accum a = identity();
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

//// BLOCK.56
enum {
    BLOCK = 64,     // threads per block
    VECTOR = 1,     // elements per load
    UNROLL = 4,     // loads issued before combining
    TILE = 256,     // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 4, // bytes of an element
};

//// arrive.2
// Counts a block in and says how many came before it. Releases what this thread wrote and
// acquires what the others released. The count wraps to 0 after the last of `blocks`: ready for
// the next call.
__device__ __forceinline__ unsigned arrive(unsigned *arrived, unsigned blocks)
{
    return host_arrive(arrived, blocks);
}

//// reduce.19
// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
// The last block to arrive reduces what all left in `partials` to *y. `state` counts them: zero
// before and after. An aborted launch leaves it above zero: clear it then.
__global__ void
__launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y, accum *partials, unsigned *state)
{
    accum a = identity();
    const unsigned tiles = (unsigned)(n / TILE);
    const vec *v = (const vec *)x;
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
        const unsigned left = (unsigned)n - tiles * TILE;
        if (left != 0)
            a = combine(a, ends(v + (unsigned long long)tiles * (BLOCK * LOADS), left));
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

//// warp_redux.3
// All lanes' values combined by one instruction.
__device__ __forceinline__ accum warp_redux(accum a)
{
    return __reduce_add_sync(~0u, a);
}

//// add_word.3
// Adds to a word, for lane 0 alone, and says what it is then. Orders nothing else.
__device__ __forceinline__ unsigned long long add_word(unsigned long long *word,
                                                       unsigned long long value)
{
    // At one address for all lanes the assembler would first add up what the warp's lanes have.
    unsigned lane;
    unsigned long long before;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(before) : "l"(word + lane), "l"(value) : "memory");
    return before + value;
}

//// reduce.20
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
    const unsigned blocks = gridDim.x;
    if (threadIdx.x == 0) {
        const unsigned long long sum = add_word(state, (unsigned long long)a << 32 | 1);
        if ((unsigned)sum == blocks) {
            *y = (accum)(sum >> 32);
            clear_word(state);
        }
    }
}

//// BLOCK.57
enum {
    BLOCK = 256,    // threads per block
    VECTOR = 4,     // elements per load
    UNROLL = 16,    // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 16384,   // BLOCK * ITEMS
    LOADS = 16,     // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 4, // bytes of an element
};

//// BLOCK.58
enum {
    BLOCK = 128,    // threads per block
    VECTOR = 4,     // elements per load
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 1024,    // BLOCK * ITEMS
    LOADS = 2,      // ITEMS / VECTOR
    ELEM_BYTES = 4, // bytes of an element
};

//// reduce.21
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

//// BLOCK.59
enum {
    BLOCK = 256,    // threads per block
    VECTOR = 16,    // elements per load
    UNROLL = 4,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 16384,   // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 1, // bytes of an element
};

//// fold.3
// Combines what one load brought.
__device__ __forceinline__ accum fold(accum a, vec got)
{
    // Four bytes a step; what one load brings stays far below 2^31.
    int sum = 0;
    for (int k = 0; k < VECTOR / 4; k++)
        sum = __dp4a((int)got.word[k], 0x01010101, sum);
    return a + (accum)sum;
}

//// BLOCK.60
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

//// fold_tensor.2
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

//// reduce.22
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

//// BLOCK.61
enum {
    BLOCK = 32,     // threads per block
    VECTOR = 4,     // elements per load
    UNROLL = 4,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 512,     // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 4, // bytes of an element
};

//// reduce.23
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

    a = warp_reduce(a, 32);
    const unsigned blocks = gridDim.x;
    if (threadIdx.x % 32 == 0) {
        const unsigned long long sum = add_word(state, (unsigned long long)a << 32 | 1);
        if ((unsigned)sum == blocks * (BLOCK / 32)) {
            *y = (accum)(sum >> 32);
            clear_word(state);
        }
    }
}

//// fold.4
// Combines what one load brought.
__device__ __forceinline__ accum fold(accum a, vec got)
{
    // Four bytes a step; what one load brings stays far below 2^31.
    unsigned sum = 0;
    for (int k = 0; k < VECTOR / 4; k++)
        sum = __dp4a(got.word[k], 0x01010101u, sum);
    return a + (accum)sum;
}

//// load.6
__device__ __forceinline__ vec load(const vec *from)
{
    union { vec value; unsigned word[VECTOR * ELEM_BYTES / 4]; } to;
    asm("ld.global.L2::256B"
        ".v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3]) : "l"(from));
    return to.value;
}

//// reduce.24
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

//// BLOCK.62
enum {
    BLOCK = 256,    // threads per block
    VECTOR = 8,     // elements per load
    UNROLL = 4,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 8192,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    ELEM_BYTES = 2, // bytes of an element
};

//// BLOCK.63
enum {
    BLOCK = 64,     // threads per block
    VECTOR = 8,     // elements per load
    UNROLL = 2,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 1024,    // BLOCK * ITEMS
    LOADS = 2,      // ITEMS / VECTOR
    ENDS = 2,       // min(UNROLL, 4)
    ELEM_BYTES = 2, // bytes of an element
};

//// elem.10
typedef unsigned short elem;

//// fold.5
// Combines what one load brought.
__device__ __forceinline__ accum fold(accum a, vec got)
{
    // Word by word, then the parts of the last.
    accum w = got.word[0];
    for (int k = 1; k < VECTOR * ELEM_BYTES / 4; k++)
        w = combine(w, got.word[k]);
    w = combine(w, w >> 16);
    return combine(a, map((elem)w));
}
