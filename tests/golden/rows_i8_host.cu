// max of i8 accumulated in i32, for host: pass 'main' of rows, made from rows.cu by
// autotune emit --space rows --op max --type i8 --acc i32 --arch host --pass main --variant BLOCK=64,LANES=1,VECTOR=1,ROUNDS=4,UNROLL=1,EDGES=MASKED,LOAD=PLAIN,MIN_BLOCKS=0,SPLIT=WHOLE

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

typedef signed char elem;

typedef int accum;

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return -0x7fffffff - 1;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a > b ? a : b;
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    return (accum)value;
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
    host_aligned(from, sizeof *from);
    return *from;
}

// A row, or a part of one: `end` elements from `at` on.
typedef struct {
    const vec *at;
    unsigned end, loads; // in elements, and in loads
} span;

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
