// min of bf16 accumulated in f32, for sm_80: pass 'parts' of columns, made from columns.cu by
// autotune emit --space columns --op min --type bf16 --acc f32 --arch sm_80 --pass parts --variant BLOCK=128,LANES=128,VECTOR=8,EDGES=SIMPLE,UNROLL=4,LOAD=PLAIN,MIN_BLOCKS=0,SPLIT=PARTS

enum {
    BLOCK = 128,    // threads per block
    LANES = 128,    // threads side by side
    VECTOR = 8,     // columns of a thread, elements per load
    UNROLL = 4,     // loads that a thread has under way
    DOWN = 1,       // max(1, BLOCK / LANES)
    COLUMNS = 1024, // EDGES == MASKED ? WIDTH - VECTOR : WIDTH
    ELEM_BYTES = 2, // bytes of an element
};

typedef unsigned short elem; // its bits

typedef float accum;

// What one load brings.
typedef union __align__(VECTOR * ELEM_BYTES) {
    unsigned word[VECTOR * ELEM_BYTES / 4]; // first, so that it is moved by words
    elem at[VECTOR];
} vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return __int_as_float(0x7f800000);
}

// The value of a bf16: the upper half of a float.
__device__ __forceinline__ float bfloat_value(unsigned short bits)
{
    return __uint_as_float((unsigned)bits << 16);
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const accum x = bfloat_value(value);
    return x;
}

// IEEE 754-2019 minimum: NaN if either is NaN, and -0 is less than +0.
__device__ __forceinline__ accum minimum(accum a, accum b)
{
    accum least;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
    return least;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return minimum(a, b);
}

__device__ __forceinline__ vec load(const vec *from)
{
    return *from;
}

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
