// What one load brings of row `row`: the thread's columns from `column` on. `even` says that all rows
// begin and end with whole loads.
__device__ __forceinline__ vec load_row(const elem *x, unsigned long long row,
                                        unsigned long long pitch, unsigned long long column,
                                        unsigned long long len, bool even)
{
    const elem *from = x + row * pitch + column;
    //? if VECTOR == 1
    return load((const vec *)from);
    //? else
    if (even)
        return load((const vec *)from);
    vec got;
    #pragma unroll
    for (int i = 0; i < VECTOR; i++)
        got.at[i] = from[column + i < len ? i : 0];
    return got;
    //? end
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

//? if SPLIT == LAST_BLOCK
// Reduces each column of a matrix in order 1 (docs/reproducible.md), by a block for WIDTH columns and
// LEAVES leaves of their rows: y[column] is its value, which the last block of the columns to
// arrive combines from what all left in `partials`. `state` counts the blocks of each WIDTH
// columns: zero before and after. An aborted launch leaves it above zero: clear it then. `depth`
// rows of `len` columns begin `pitch` elements apart.
//? else
// Reduces each column of a matrix in order 1 (docs/reproducible.md), by a block for WIDTH columns:
// y[column] is its value. `depth` rows of `len` columns begin `pitch` elements apart.
//? end
__global__ void
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
//? if SPLIT == LAST_BLOCK
columns(const elem *x, unsigned long long depth, unsigned long long len, unsigned long long pitch,
        accum *y, accum *partials, unsigned *state)
//? else
columns(const elem *x, unsigned long long depth, unsigned long long len, unsigned long long pitch,
        accum *y)
//? end
{
    const unsigned across = threadIdx.x % ACROSS, down = threadIdx.x / ACROSS;
    const bool even = ((unsigned long long)x / ELEM_BYTES | len | pitch) % VECTOR == 0;
    //? if SPLIT == LAST_BLOCK
    const unsigned tiles = (unsigned)((len + WIDTH - 1) / WIDTH), tile = blockIdx.x % tiles;
    const unsigned long long part = blockIdx.x / tiles, start = part * (LEAVES * LEAF);
    const unsigned long long stop = start + LEAVES * LEAF, end = stop < depth ? stop : depth;
    const unsigned long long first = (unsigned long long)tile * WIDTH;
    //? else
    const unsigned long long start = 0, end = depth;
    const unsigned long long first = (unsigned long long)blockIdx.x * WIDTH;
    //? end
    const unsigned long long column = first + across * VECTOR;
    //? if DOWN == 1
    const vec_accum a = take_rows(x, start, end, pitch, column, len, even);
    #pragma unroll
    for (int i = 0; i < VECTOR; i++)
        if (column + i < len)
            y[column + i] = a.at[i];
    //? else
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
    //? if SPLIT == LAST_BLOCK
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
    //? else
    if (threadIdx.x < WIDTH && own < len)
        y[own] = carried(level, leaves);
    //? end
    //? end
}
