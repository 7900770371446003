// mean of i16 as i32, accumulated in f64, for sm_90: pass 'main' of rows, made from rows.cu by
// autotune emit --space rows --op mean --type i16 --acc i32 --arch sm_90 --pass main --variant BLOCK=256,LANES=8,VECTOR=8,ROUNDS=1,UNROLL=2,EDGES=MASKED,LOAD=PLAIN,MIN_BLOCKS=1,SPLIT=WHOLE

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

typedef short elem;

typedef double accum;

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const int x = value;
    return (double)x;
}

// A result: what finish makes of the last value.
typedef double output;

// The result of n elements, whose value is known.
__device__ __forceinline__ output finish(accum a, unsigned long long n)
{
    return a / (double)n;
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

// A row, or a part of one, as loads see it: elements [skip, end) from `at` on, which is aligned.
typedef struct {
    const vec *at;
    unsigned end, loads; // in elements, and in loads
    unsigned skip;
    bool inside; // whole loads at both ends, too, stay inside the input
} span;

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

// Combines the values of `lanes` neighbours in a warp; each of them gets the result.
__device__ __forceinline__ accum lanes_reduce(accum a, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2)
        a = combine(a, __shfl_xor_sync(~0u, a, d));
    return a;
}

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
