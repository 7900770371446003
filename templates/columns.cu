//? if SPLIT == PARTS
// Reduces each column of a matrix in `parts` parts: y[part * len + column] is one's value; reduce
// the columns of y again. `count` rows of `len` elements begin `pitch` elements apart.
//? else
// Reduces each column of a matrix: y[column] is its value. `count` rows of `len` elements, which
// begin `pitch` elements apart.
//? end
// LANES threads side by side take VECTOR columns each, DOWN of them below one another.
__global__ void
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
//? if SPLIT == PARTS
columns(const elem *x, unsigned long long count, unsigned long long len,
        unsigned long long pitch, unsigned long long parts, accum *y)
//? else
columns(const elem *x, unsigned long long count, unsigned long long len,
        unsigned long long pitch, accum *y)
//? end
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    const unsigned long long tiles = (len + WIDTH - 1) / WIDTH;
    const unsigned long long column = blockIdx.x % tiles * WIDTH + lane * VECTOR;
    //? if SPLIT == PARTS
    const unsigned long long part = blockIdx.x / tiles, share = (count + parts - 1) / parts;
    const unsigned long long from = part * share;
    const unsigned long long to = from + share < count ? from + share : count;
    //? else
    const unsigned long long from = 0, to = count;
    //? end
    //? if VECTOR > 1
    // Every load is whole and aligned.
    const bool even = ((unsigned long long)x / ELEM_BYTES | len | pitch) % VECTOR == 0;
    //? end
    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    const unsigned own = column < len ? (len - column < VECTOR ? len - column : VECTOR) : 0;
    for (unsigned long long row = from + down; own && row < to; row += DOWN * UNROLL) {
        vec got[UNROLL];
        const elem *at = x + row * pitch + column;
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (row + u * DOWN < to) {
                //? if VECTOR > 1
                if (even)
                    got[u] = load((const vec *)(at + u * DOWN * pitch));
                else
                    for (int j = 0; j < VECTOR; j++)
                        got[u].at[j] = at[u * DOWN * pitch + (j < own ? j : 0)];
                //? else
                got[u] = load((const vec *)(at + u * DOWN * pitch));
                //? end
            }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (row + u * DOWN < to)
                for (int j = 0; j < VECTOR; j++)
                    a[j] = combine(a[j], map(got[u].at[j]));
    }
    //? if SPLIT == PARTS
    accum *out = y + part * len;
    //? else
    accum *out = y;
    //? end
    //? if DOWN > 1
    __shared__ accum shared[DOWN][WIDTH];
    for (int j = 0; j < VECTOR; j++)
        shared[down][j * LANES + lane] = a[j]; // neighbours in neighbouring banks
    __syncthreads();
    for (unsigned c = threadIdx.x; c < WIDTH; c += BLOCK) {
        const unsigned long long result =
            blockIdx.x % tiles * WIDTH + c % LANES * VECTOR + c / LANES;
        accum b = shared[0][c];
        for (int d = 1; d < DOWN; d++)
            b = combine(b, shared[d][c]);
        if (result < len)
            out[result] = b;
    }
    //? else
    for (int j = 0; j < VECTOR; j++)
        if (j < own)
            out[column + j] = a[j];
    //? end
}
