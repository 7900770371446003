//? if EDGES == MASKED
// Combines the elements of a row that are in the matrix, of the VECTOR columns from `column` on,
// one by one: beside them a whole load would reach past the matrix.
//? if HAS_INDEX
__device__ __forceinline__ void take_elements(accum a[VECTOR], const elem *row, long long column,
                                              unsigned long long len, unsigned i)
//? else
__device__ __forceinline__ void take_elements(accum a[VECTOR], const elem *row, long long column,
                                              unsigned long long len)
//? end
{
    for (int j = 0; j < VECTOR; j++)
        if (column + j >= 0 && column + j < (long long)len)
            //? if HAS_INDEX
            a[j] = combine(a[j], map(row[column + j], i));
            //? else
            a[j] = combine(a[j], map(row[column + j]));
            //? end
}

//? end
//? if COMBINE == OTHER
// Combines a thread's loads of UNROLL rows, from `row` on.
__device__ __forceinline__ void take_all(accum a[VECTOR], const vec got[UNROLL], unsigned row)
{
    #pragma unroll
    for (int j = 0; j < VECTOR; j++) {
        accum all[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            //? if HAS_INDEX && COMMUTES
            all[u] = map(got[u].at[j], row + u * DOWN);
            //? elif HAS_INDEX
            all[u] = map(got[u].at[j], row + u);
            //? else
            all[u] = map(got[u].at[j]);
            //? end
        a[j] = combine(a[j], fold_tree(all, UNROLL));
    }
}

//? end
//? if IS_PACKED
// Where the result of a block's c-th column is among all; above all for a column that no matrix has.
__device__ __forceinline__ unsigned long long find_result(unsigned tile, unsigned c,
                                                          unsigned long long len)
{
    const unsigned long long loads = (len + VECTOR - 1) / VECTOR; // of a row
    const unsigned long long at = (unsigned long long)tile * LANES + c / VECTOR;
    const unsigned long long column = at % loads * VECTOR + c % VECTOR;
    return column < len ? at / loads * len + column : ~0ULL;
}

//? end
//? if SPLIT == PARTS
// Reduces each column of a matrix in `parts` parts: y[part * len + column] is one's value; reduce
// the columns of y again. `count` rows of `len` elements begin `pitch` elements apart.
//? elif SPLIT == LAST_BLOCK
// Reduces each column of a matrix in `parts` parts, a block each: y[column] is the column's value,
// which its last block to arrive combines from what all left in `partials`. `state` counts the
// blocks of each tile of COLUMNS columns: zero before and after. An aborted launch leaves it above
// zero: clear it then. `count` rows of `len` elements begin `pitch` elements apart.
//? else
// Reduces each column of a matrix: y[column] is its value. `count` rows of `len` elements, which
// begin `pitch` elements apart.
//? end
//? if HAS_BATCH
// There are `outer` such matrices, `outer_stride` elements apart, whose results follow each other.
//? end
//? if IS_PACKED
// A block takes LANES loads, of as many matrices as have them.
//? end
//? if EDGES == MASKED
// LANES threads side by side take VECTOR columns each, DOWN of them below one another. Loads are
// whole and aligned wherever rows begin. A thread's rows are DOWN apart, a multiple of VECTOR, and
// so begin equally far past an aligned address: its j-th accumulator has one column, which differs
// from that of threads above and below it by less than VECTOR. Hence a row's loads have VECTOR
// columns more than the block.
//? else
// LANES threads side by side take VECTOR columns each, DOWN of them below one another.
//? end
__global__ void
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
//? if HAS_FINISH && SPLIT == LAST_BLOCK
columns(const elem *x, unsigned long long count, unsigned long long len,
        //? if HAS_BATCH
        unsigned long long outer, unsigned long long outer_stride,
        //? end
        unsigned long long pitch, unsigned long long parts, output *y, accum *partials,
        unsigned *state)
//? elif HAS_FINISH
columns(const elem *x, unsigned long long count, unsigned long long len,
        //? if HAS_BATCH
        unsigned long long outer, unsigned long long outer_stride,
        //? end
        unsigned long long pitch, output *y)
//? elif SPLIT == PARTS
columns(const elem *x, unsigned long long count, unsigned long long len,
        //? if HAS_BATCH
        unsigned long long outer, unsigned long long outer_stride,
        //? end
        unsigned long long pitch, unsigned long long parts, accum *y)
//? elif SPLIT == LAST_BLOCK
columns(const elem *x, unsigned long long count, unsigned long long len,
        //? if HAS_BATCH
        unsigned long long outer, unsigned long long outer_stride,
        //? end
        unsigned long long pitch, unsigned long long parts, accum *y, accum *partials,
        unsigned *state)
//? else
columns(const elem *x, unsigned long long count, unsigned long long len,
        //? if HAS_BATCH
        unsigned long long outer, unsigned long long outer_stride,
        //? end
        unsigned long long pitch, accum *y)
//? end
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    //? if IS_PACKED
    const unsigned long long loads = (len + VECTOR - 1) / VECTOR; // of a row
    const unsigned long long results = outer * len;
    //? elif HAS_BATCH
    const unsigned each = (unsigned)((len + COLUMNS - 1) / COLUMNS); // tiles of a matrix
    //? end
    //? if SPLIT != WHOLE
    //? if IS_PACKED
    const unsigned tiles = (unsigned)((outer * loads + LANES - 1) / LANES);
    //? elif HAS_BATCH
    const unsigned tiles = each * (unsigned)outer;
    //? else
    const unsigned tiles = (unsigned)((len + COLUMNS - 1) / COLUMNS);
    //? end
    const unsigned tile = blockIdx.x % tiles, part = blockIdx.x / tiles;
    const unsigned share = ((unsigned)count + (unsigned)parts - 1) / (unsigned)parts;
    const unsigned from = part * share < (unsigned)count ? part * share : (unsigned)count;
    const unsigned to = from + share < (unsigned)count ? from + share : (unsigned)count;
    //? else
    const unsigned tile = blockIdx.x, from = 0, to = (unsigned)count;
    //? end
    //? if IS_PACKED
    const unsigned long long at_load = (unsigned long long)tile * LANES + lane;
    const unsigned long long matrix = at_load / loads;
    x += matrix * outer_stride;
    //? elif HAS_BATCH
    const unsigned long long matrix = tile / each;
    const unsigned long long first = (unsigned long long)(tile % each) * COLUMNS;
    x += matrix * outer_stride;
    //? if SPLIT == PARTS
    y += matrix * parts * len;
    //? else
    y += matrix * len;
    //? end
    //? if SPLIT == LAST_BLOCK
    partials += matrix * len;
    const unsigned long long results = outer * len;
    //? end
    //? else
    const unsigned long long first = (unsigned long long)tile * COLUMNS; // column of the block
    //? end
    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    //? if EDGES == MASKED
    // Elements of a row's first load that are before the block's columns.
    const unsigned start =
        ((unsigned)((unsigned long long)x / ELEM_BYTES) + from * (unsigned)pitch) % VECTOR;
    const unsigned skip = (start + down * (unsigned)pitch) % VECTOR;
    const long long column = (long long)(first + lane * VECTOR) - skip; // below 0: before the row
    unsigned row = from + down, end = to;
    if (lane * VECTOR >= COLUMNS + skip || column >= (long long)len)
        end = row; // no column of this thread's is the block's
    // Rows where a load would begin before the matrix, or end behind it.
    if (first == 0 || first + WIDTH > len) {
        const long long last = (long long)((count - 1) * pitch + len) - VECTOR;
        for (; row < end && (long long)(row * pitch) + column < 0; row += DOWN)
            //? if HAS_INDEX
            take_elements(a, x + row * pitch, column, len, row);
            //? else
            take_elements(a, x + row * pitch, column, len);
            //? end
        for (; row < end && (long long)((end - 1) * pitch) + column > last; end--)
            if ((end - 1 - row) % DOWN == 0)
                //? if HAS_INDEX
                take_elements(a, x + (end - 1) * pitch, column, len, end - 1);
                //? else
                take_elements(a, x + (end - 1) * pitch, column, len);
                //? end
    }
    const elem *at = x + ((long long)(row * pitch) + column);
    for (; row < end; row += DOWN * UNROLL) {
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++, at += DOWN * pitch)
            if (row + u * DOWN < end)
                got[u] = load((const vec *)at);
        //? if COMBINE == OTHER
        if (row + (UNROLL - 1) * DOWN < end) {
            take_all(a, got, row);
            continue;
        }
        //? end
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (row + u * DOWN < end)
                for (int j = 0; j < VECTOR; j++)
                    //? if HAS_INDEX
                    a[j] = combine(a[j], map(got[u].at[j], row + u * DOWN));
                    //? else
                    a[j] = combine(a[j], map(got[u].at[j]));
                    //? end
    }
    //? else
    //? if VECTOR > 1
    // Every load is whole and aligned.
    const bool even = ((unsigned long long)x / ELEM_BYTES | len | pitch) % VECTOR == 0;
    //? end
    //? if IS_PACKED
    const unsigned long long column = at_load % loads * VECTOR;
    const unsigned own = matrix < outer ? (len - column < VECTOR ? len - column : VECTOR) : 0;
    //? else
    const unsigned long long column = first + lane * VECTOR;
    const unsigned own = column < len ? (len - column < VECTOR ? len - column : VECTOR) : 0;
    //? end
    //? if COMMUTES
    const elem *at = x + (from + down) * pitch + column;
    for (unsigned row = from + down; own && row < to; row += DOWN * UNROLL) {
    //? else
    const unsigned mine = (to - from + DOWN - 1) / DOWN; // neighbouring rows of a thread
    const unsigned low = from + down * mine < to ? from + down * mine : to;
    const unsigned high = low + mine < to ? low + mine : to;
    const elem *at = x + low * pitch + column;
    for (unsigned row = low; own && row < high; row += UNROLL) {
    //? end
        vec got[UNROLL];
        #pragma unroll
        //? if COMMUTES
        for (int u = 0; u < UNROLL; u++, at += DOWN * pitch)
            if (row + u * DOWN < to) {
        //? else
        for (int u = 0; u < UNROLL; u++, at += pitch)
            if (row + u < high) {
        //? end
                //? if VECTOR > 1
                if (even)
                    got[u] = load((const vec *)at);
                else
                    for (int j = 0; j < VECTOR; j++)
                        got[u].at[j] = at[j < own ? j : 0];
                //? else
                got[u] = load((const vec *)at);
                //? end
            }
        //? if !COMMUTES
        if (row + (UNROLL - 1) < high) {
        //? elif COMBINE == OTHER
        if (row + (UNROLL - 1) * DOWN < to) {
        //? end
        //? if COMBINE == OTHER
            take_all(a, got, row);
            continue;
        }
        //? end
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            //? if COMMUTES
            if (row + u * DOWN < to)
            //? else
            if (row + u < high)
            //? end
                for (int j = 0; j < VECTOR; j++)
                    //? if HAS_INDEX && COMMUTES
                    a[j] = combine(a[j], map(got[u].at[j], row + u * DOWN));
                    //? elif HAS_INDEX
                    a[j] = combine(a[j], map(got[u].at[j], row + u));
                    //? else
                    a[j] = combine(a[j], map(got[u].at[j]));
                    //? end
    }
    //? end
    //? if SPLIT == PARTS
    accum *out = y + part * len;
    //? elif SPLIT == LAST_BLOCK
    //? if HAS_BATCH
    accum *out = partials + part * results;
    //? else
    accum *out = partials + part * len;
    //? end
    //? elif HAS_FINISH
    output *out = y;
    //? else
    accum *out = y;
    //? end
    //? if DOWN > 1
    __shared__ __align__(16) accum shared[DOWN][WIDTH];
    for (int j = 0; j < VECTOR; j++)
        shared[down][lane * VECTOR + j] = a[j];
    __syncthreads();
    //? if IS_PACKED
    for (unsigned c = threadIdx.x; c < WIDTH; c += BLOCK) {
        const unsigned long long result = find_result(tile, c, len);
        if (result >= results)
            continue;
    //? else
    for (unsigned c = threadIdx.x; c < COLUMNS && first + c < len; c += BLOCK) {
    //? end
        //? if EDGES == MASKED
        accum b = shared[0][c + start];
        for (int d = 1; d < DOWN; d++)
            b = combine(b, shared[d][c + (start + d * (unsigned)pitch) % VECTOR]);
        //? else
        accum b = shared[0][c];
        for (int d = 1; d < DOWN; d++)
            b = combine(b, shared[d][c]);
        //? end
        //? if IS_PACKED && HAS_FINISH && SPLIT == WHOLE
        out[result] = finish(b, count);
        //? elif IS_PACKED
        out[result] = b;
        //? elif HAS_FINISH && SPLIT == WHOLE
        out[first + c] = finish(b, count);
        //? else
        out[first + c] = b;
        //? end
    }
    //? else
    for (int j = 0; j < VECTOR; j++)
        if (j < own)
            //? if IS_PACKED && HAS_FINISH && SPLIT == WHOLE
            out[matrix * len + column + j] = finish(a[j], count);
            //? elif IS_PACKED
            out[matrix * len + column + j] = a[j];
            //? elif HAS_FINISH && SPLIT == WHOLE
            out[column + j] = finish(a[j], count);
            //? else
            out[column + j] = a[j];
            //? end
    //? end
    //? if SPLIT == LAST_BLOCK
    __syncthreads(); // all of the block's are written, before it arrives
    __shared__ unsigned before; // blocks of these columns that arrived before this one
    if (threadIdx.x == 0)
        before = arrive(state + tile, (unsigned)parts);
    __syncthreads();
    if (before != parts - 1)
        return;

    // The last block to arrive combines what all left, in the same order every time.
    //? if WIDTH < BLOCK
    __shared__ accum gathered[BLOCK / WIDTH][WIDTH];
    const unsigned c = threadIdx.x % WIDTH, group = threadIdx.x / WIDTH;
    //? if !COMMUTES
    const unsigned some = ((unsigned)parts + BLOCK / WIDTH - 1) / (BLOCK / WIDTH); // neighbours
    //? end
    accum b = identity();
    //? if IS_PACKED
    const unsigned long long result = find_result(tile, c, len);
    if (result < results)
    //? else
    if (c < COLUMNS && first + c < len)
    //? end
        #pragma unroll 8
        //? if COMMUTES
        for (unsigned i = group; i < parts; i += BLOCK / WIDTH)
        //? else
        for (unsigned i = group * some; i < (group + 1) * some && i < parts; i++)
        //? end
            //? if IS_PACKED
            b = combine(b, partials[i * results + result]);
            //? elif HAS_BATCH
            b = combine(b, partials[i * results + first + c]);
            //? else
            b = combine(b, partials[i * len + first + c]);
            //? end
    gathered[group][c] = b;
    __syncthreads();
    //? if IS_PACKED
    if (group == 0 && result < results) {
    //? else
    if (group == 0 && c < COLUMNS && first + c < len) {
    //? end
        for (int g = 1; g < BLOCK / WIDTH; g++)
            b = combine(b, gathered[g][c]);
        //? if IS_PACKED && HAS_FINISH
        y[result] = finish(b, count);
        //? elif IS_PACKED
        y[result] = b;
        //? elif HAS_FINISH
        y[first + c] = finish(b, count);
        //? else
        y[first + c] = b;
        //? end
    }
    //? else
    //? if IS_PACKED
    for (unsigned c = threadIdx.x; c < WIDTH; c += BLOCK) {
        const unsigned long long result = find_result(tile, c, len);
        if (result >= results)
            continue;
        accum b = partials[result];
        #pragma unroll 8
        for (unsigned i = 1; i < parts; i++)
            b = combine(b, partials[i * results + result]);
    //? else
    for (unsigned c = threadIdx.x; c < COLUMNS && first + c < len; c += BLOCK) {
        accum b = partials[first + c];
        #pragma unroll 8
        for (unsigned i = 1; i < parts; i++)
            //? if HAS_BATCH
            b = combine(b, partials[i * results + first + c]);
            //? else
            b = combine(b, partials[i * len + first + c]);
            //? end
    //? end
        //? if IS_PACKED && HAS_FINISH
        y[result] = finish(b, count);
        //? elif IS_PACKED
        y[result] = b;
        //? elif HAS_FINISH
        y[first + c] = finish(b, count);
        //? else
        y[first + c] = b;
        //? end
    }
    //? end
    //? end
}
