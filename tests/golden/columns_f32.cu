// sum of f32 accumulated in f32, for sm_90: pass 'main' of columns, made from columns.cu by
// autotune emit --space columns --op sum --type f32 --acc f32 --arch sm_90 --pass main --variant BLOCK=256,LANES=32,VECTOR=4,EDGES=SIMPLE,UNROLL=8,LOAD=STREAMING,MIN_BLOCKS=1,SPLIT=WHOLE

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
    union { vec value; unsigned word[VECTOR * ELEM_BYTES / 4]; } to;
    asm("ld.global.cs"
        ".v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3]) : "l"(from));
    return to.value;
}

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
