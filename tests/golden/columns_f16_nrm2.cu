// nrm2 of f16 accumulated in f32, for sm_90: pass 'last' of columns, made from columns.cu by
// autotune emit --space columns --op nrm2 --type f16 --acc f32 --arch sm_90 --pass last --variant BLOCK=256,LANES=32,VECTOR=8,EDGES=SIMPLE,UNROLL=4,LOAD=PLAIN,MIN_BLOCKS=1,SPLIT=LAST_BLOCK

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

typedef float accum;

// A result: what finish makes of the last value.
typedef float output;

// The result of n elements, whose value is known.
__device__ __forceinline__ output finish(accum a, unsigned long long n)
{
    return sqrtf(a);
}

typedef unsigned short elem; // its bits

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0;
}

// The value of an f16, exactly.
__device__ __forceinline__ float half_value(unsigned short bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

// With "__CUDA_FTZ": does the compiler take denormals of floats for zeros, as -use_fast_math and
// -ftz=true make it? A constant, which it knows while it compiles.
extern "C" __device__ int __nvvm_reflect(const char *option);

// a b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_product(accum a, accum b)
{
    accum product;
    asm("mul.rn.f32 %0, %1, %2;" : "=f"(product) : "f"(a), "f"(b));
    return product;
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const accum x = half_value(value);
    return __nvvm_reflect("__CUDA_FTZ") ? rounded_product(x, x) : x * x;
}

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
