// sum of f32 accumulated in f32, for sm_90: pass 'last' of middle, made from columns.cu by
// autotune emit --space middle --op sum --type f32 --acc f32 --arch sm_90 --pass last --variant BLOCK=256,LANES=32,VECTOR=4,EDGES=MASKED,UNROLL=4,LOAD=PLAIN,MIN_BLOCKS=1,SPLIT=LAST_BLOCK,BATCH=ONE

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

__device__ __forceinline__ vec load(const vec *from)
{
    return *from;
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

// Combines the elements of a row that are in the matrix, of the VECTOR columns from `column` on,
// one by one: beside them a whole load would reach past the matrix.
__device__ __forceinline__ void take_elements(accum a[VECTOR], const elem *row, long long column,
                                              unsigned long long len)
{
    for (int j = 0; j < VECTOR; j++)
        if (column + j >= 0 && column + j < (long long)len)
            a[j] = combine(a[j], map(row[column + j]));
}

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
