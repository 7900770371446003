// sum of f32 accumulated in f64, for sm_90: pass 'last' of ordered-columns, made from ordered_columns.cu by
// autotune emit --space ordered-columns --op sum --type f32 --acc f64 --order n --arch sm_90 --pass last --variant BLOCK=256,ACROSS=8,VECTOR=4,OWN=4,ROUNDS=8,UNROLL=2,LOAD=STREAMING,MIN_BLOCKS=1,SPLIT=LAST_BLOCK,LEAVES=1,TAKE=4

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

typedef float elem;

typedef double accum;

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0;
}

// The value of an f32, exactly, denormals too.
__device__ __forceinline__ double widened(float value)
{
    double wide;
    asm("cvt.f64.f32 %0, %1;" : "=d"(wide) : "f"(value));
    return wide;
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const accum x = widened(value);
    return x;
}

// a + b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_sum(accum a, accum b)
{
    accum sum;
    asm("add.rn.f64 %0, %1, %2;" : "=d"(sum) : "d"(a), "d"(b));
    return sum;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return rounded_sum(a, b);
}

// Adds the value of the next subtree, of so many before it, as a binary counter carries: level[k]
// is the value of 2^k of them.
__device__ __forceinline__ void carry(accum level[32], unsigned before, accum a)
{
    unsigned k = 0;
    for (; before >> k & 1; k++)
        a = combine(level[k], a);
    level[k] = a;
}

// The value of all subtrees that were carried: those without a neighbour are joined, the last first.
__device__ __forceinline__ accum carried(const accum level[32], unsigned count)
{
    accum all = identity();
    for (unsigned k = 0; count >> k; k++)
        if (count >> k & 1)
            all = combine(level[k], all);
    return all;
}

// A value for each column of a load.
typedef struct { accum at[VECTOR]; } vec_accum;

__device__ __forceinline__ vec load(const vec *from)
{
    union { vec value; unsigned word[VECTOR * ELEM_BYTES / 4]; } to;
    asm("ld.global.cs"
        ".v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3]) : "l"(from));
    return to.value;
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
