// sum of f32 accumulated in f32, for sm_90: pass 'main' of rows, made from rows.cu by
// autotune emit --space rows --op sum --type f32 --acc f32 --arch sm_90 --pass main --variant BLOCK=256,LANES=8,VECTOR=4,ROUNDS=4,UNROLL=2,EDGES=SIMPLE,LOAD=STREAMING,MIN_BLOCKS=1,SPLIT=WHOLE

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

// Combines what one load brought.
__device__ __forceinline__ accum fold(accum a, vec got)
{
    for (int k = 0; k < VECTOR; k++)
        a = combine(a, map(got.at[k]));
    return a;
}

__device__ __forceinline__ vec load(const vec *from)
{
    union { vec value; unsigned word[VECTOR * ELEM_BYTES / 4]; } to;
    asm("ld.global.cs"
        ".v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3]) : "l"(from));
    return to.value;
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
    #pragma unroll 1 // a step is what the params unroll
    do {
        take_step(a, from, i);
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
