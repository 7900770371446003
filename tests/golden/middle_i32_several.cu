// mean of i32 as i32, accumulated in f64, for sm_90: pass 'last' of middle, made from columns.cu by
// autotune emit --space middle --op mean --type i32 --acc i32 --arch sm_90 --pass last --variant BLOCK=256,LANES=32,VECTOR=4,EDGES=SIMPLE,UNROLL=4,LOAD=PLAIN,MIN_BLOCKS=1,SPLIT=LAST_BLOCK,BATCH=SEVERAL

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

typedef int elem;

typedef double accum;

// What is combined of an element.
__device__ __forceinline__ accum map(elem x)
{
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
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a + b;
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

// Where the result of a block's c-th column is among all; above all for a column that no matrix has.
__device__ __forceinline__ unsigned long long find_result(unsigned tile, unsigned c,
                                                          unsigned long long len)
{
    const unsigned long long loads = (len + VECTOR - 1) / VECTOR; // of a row
    const unsigned long long at = (unsigned long long)tile * LANES + c / VECTOR;
    const unsigned long long column = at % loads * VECTOR + c % VECTOR;
    return column < len ? at / loads * len + column : ~0ULL;
}

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
