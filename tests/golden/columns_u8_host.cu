// max of u8 accumulated in u32, for host: pass 'main' of columns, made from columns.cu by
// autotune emit --space columns --op max --type u8 --acc u32 --arch host --pass main --variant BLOCK=64,LANES=4,VECTOR=16,EDGES=MASKED,UNROLL=2,LOAD=PLAIN,MIN_BLOCKS=0,SPLIT=WHOLE

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

__device__ __forceinline__ vec load(const vec *from)
{
    host_aligned(from, sizeof *from);
    return *from;
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
