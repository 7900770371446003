//? if VECTOR > 1 && EDGES == MASKED
// A row, or a part of one, as loads see it: elements [skip, end) from `at` on, which is aligned.
//? else
// A row, or a part of one: `end` elements from `at` on.
//? end
typedef struct {
    const vec *at;
    unsigned end, loads; // in elements, and in loads
    //? if HAS_INDEX
    unsigned long long first; // where in its row the element at `at` is, modulo 2^64
    //? end
    //? if VECTOR > 1 && EDGES == MASKED
    unsigned skip;
    bool inside; // whole loads at both ends, too, stay inside the input
    //? end
} span;

//? if VECTOR > 1 && EDGES == MASKED
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
    //? if HAS_INDEX
    if (even || (first >= from->skip && first + VECTOR <= from->end))
        return fold(a, got, from->first + first);
    for (int j = 0; j < VECTOR; j++)
        if (first + j >= from->skip && first + j < from->end)
            a = combine(a, map(got.at[j], from->first + first + j));
    return a;
    //? else
    if (even || (first >= from->skip && first + VECTOR <= from->end))
        return fold(a, got);
    for (int j = 0; j < VECTOR; j++)
        if (first + j >= from->skip && first + j < from->end)
            a = combine(a, map(got.at[j]));
    return a;
    //? end
}

//? if COMMUTES
// A step of this lane: ROUNDS loads of each of UNROLL rows, from the load at `i` on, all under way
// at a time. `even` says that all rows begin and end with a whole load.
__device__ __forceinline__ void take_step(accum a[UNROLL], const span from[UNROLL], unsigned i,
                                          const bool even)
//? end
//? elif COMMUTES
// A step of this lane: ROUNDS loads of each of UNROLL rows, from the load at `i` on, all under way
// at a time.
__device__ __forceinline__ void take_step(accum a[UNROLL], const span from[UNROLL], unsigned i)
//? end
//? if COMMUTES
{
    vec got[UNROLL][ROUNDS];
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        #pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (i + r * LANES < from[u].loads)
                //? if VECTOR > 1 && EDGES == MASKED
                got[u][r] = fetch(&from[u], i + r * LANES, even);
                //? else
                got[u][r] = load(from[u].at + i + r * LANES);
                //? end
    #pragma unroll
    for (int u = 0; u < UNROLL; u++)
        #pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (i + r * LANES < from[u].loads)
                //? if VECTOR > 1 && EDGES == MASKED
                a[u] = fold_in(a[u], got[u][r], &from[u], i + r * LANES, even);
                //? elif HAS_INDEX
                a[u] = fold(a[u], got[u][r], from[u].first + (i + r * LANES) * VECTOR);
                //? else
                a[u] = fold(a[u], got[u][r]);
                //? end
}

// What this lane takes of UNROLL rows.
//? if VECTOR > 1 && EDGES == MASKED
__device__ __forceinline__ void reduce_rows(accum a[UNROLL], const span from[UNROLL],
                                            unsigned lane, const bool even)
//? else
__device__ __forceinline__ void reduce_rows(accum a[UNROLL], const span from[UNROLL], unsigned lane)
//? end
{
    unsigned most = 0, i = lane;
    #pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        a[u] = identity();
        most = from[u].loads > most ? from[u].loads : most;
    }
    //? if VECTOR == 1
    // Narrow loads gain from more steps under way, which the compiler sees to.
    for (; i < most; i += LANES * ROUNDS)
        take_step(a, from, i);
    //? else
    #pragma unroll 1 // a step is what the params unroll
    do {
        //? if EDGES == MASKED
        take_step(a, from, i, even);
        //? else
        take_step(a, from, i);
        //? end
        i += LANES * ROUNDS;
    } while (i < most);
    //? end
}

//? end
//? if !COMMUTES
// Combines the values of `lanes` neighbours in a warp; the first of them gets the result.
//? else
// Combines the values of `lanes` neighbours in a warp; each of them gets the result.
//? end
__device__ __forceinline__ accum lanes_reduce(accum a, int lanes)
{
    //? if !COMMUTES
    for (int d = 1; d < lanes; d *= 2) // neighbours first
        a = combine(a, shuffle_down(a, d));
    //? else
    for (int d = lanes / 2; d > 0; d /= 2)
        //? if COMBINE == OTHER
        a = combine(a, shuffle_xor(a, d));
        //? else
        a = combine(a, __shfl_xor_sync(~0u, a, d));
        //? end
    //? end
    return a;
}

//? if !COMMUTES
enum { SIDE = LANES < 32 ? LANES : 32 }; // lanes that load side by side

//? if ROUNDS > 1 && LANES > 1
// A warp's shared memory, in which its loads change places.
__device__ __forceinline__ vec *warp_room(void)
{
    __shared__ vec rooms[BLOCK / 32][32 * ROUNDS];
    return rooms[threadIdx.x / 32];
}

//? end
// What SIDE lanes take of UNROLL rows, steps of SIDE * ROUNDS loads one after the other, of which each lane
// has neighbours: what is left is to combine the lanes, in their order.
//? if VECTOR > 1
__device__ __forceinline__ void reduce_rows(accum a[UNROLL], const span from[UNROLL],
                                            unsigned lane, const bool even)
//? else
__device__ __forceinline__ void reduce_rows(accum a[UNROLL], const span from[UNROLL], unsigned lane)
//? end
{
    unsigned most = 0;
    lane %= SIDE;
    #pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        a[u] = identity();
        most = from[u].loads > most ? from[u].loads : most;
    }
    // The rows of a warp may differ by a load, but its lanes stay together.
    for (unsigned i = 0; __ballot_sync(~0u, i < most) != 0; i += SIDE * ROUNDS) {
        vec got[UNROLL][ROUNDS];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            #pragma unroll
            for (int r = 0; r < ROUNDS; r++)
                if (i + r * SIDE + lane < from[u].loads)
                    //? if VECTOR > 1
                    got[u][r] = fetch(&from[u], i + r * SIDE + lane, even);
                    //? else
                    got[u][r] = load(from[u].at + i + r * SIDE + lane);
                    //? end
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (i > 0) { // the first lane goes on from what all had before
                a[u] = lanes_reduce(a[u], SIDE);
                if (lane != 0)
                    a[u] = identity();
            }
            //? if ROUNDS > 1 && LANES > 1
            to_neighbours(got[u], warp_room(), SIDE, ROUNDS);
            //? end
            #pragma unroll
            for (int r = 0; r < ROUNDS; r++)
                if (i + lane * ROUNDS + r < from[u].loads)
                    //? if VECTOR > 1
                    a[u] = fold_in(a[u], got[u][r], &from[u], i + lane * ROUNDS + r, even);
                    //? elif HAS_INDEX
                    a[u] = fold(a[u], got[u][r], from[u].first + i + lane * ROUNDS + r);
                    //? else
                    a[u] = fold(a[u], got[u][r]);
                    //? end
        }
    }
}

//? end
//? if LANES > 32
// Combines the values of the LANES threads of each row; to[r] is that of the r-th row that the
// block has under way, of which `count` exist.
//? if HAS_FINISH && SPLIT == WHOLE
__device__ __forceinline__ void warps_reduce(output *to, unsigned long long count, accum a[UNROLL],
                                             unsigned long long len)
//? else
__device__ __forceinline__ void warps_reduce(accum *to, unsigned long long count, accum a[UNROLL])
//? end
{
    __shared__ accum shared[UNROLL][BLOCK / 32];
    const unsigned t = threadIdx.x % 32;
    #pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        a[u] = lanes_reduce(a[u], 32);
        if (t == 0)
            shared[u][threadIdx.x / 32] = a[u];
    }
    __syncthreads();
    for (unsigned r = threadIdx.x / 32; r < AT_ONCE; r += BLOCK / 32) {
        const unsigned at = r % GROUPS * (LANES / 32) + t;
        const accum b = lanes_reduce(t < LANES / 32 ? shared[r / GROUPS][at] : identity(), 32);
        if (t == 0 && r < count)
            //? if HAS_FINISH && SPLIT == WHOLE
            to[r] = finish(b, len);
            //? else
            to[r] = b;
            //? end
    }
    __syncthreads(); // all have read what the next rows write
}

//? end
//? if SPLIT == PARTS
// Reduces each row of a matrix in `parts` parts: y[row * parts + part] is one's value; reduce the
// rows of y again. `count` rows of `len` elements begin `pitch` elements apart.
//? elif SPLIT == LAST_BLOCK
// Reduces each row of a matrix in `parts` parts, a block each: y[row] is the row's value, which its
// last block to arrive combines from what all left in `partials`. `state` counts the blocks of
// each row: zero before and after. An aborted launch leaves it above zero: clear it then. `count`
// rows of `len` elements begin `pitch` elements apart.
//? else
// Reduces each row of a matrix: y[row] is its value. `count` rows of `len` elements, which begin
// `pitch` elements apart.
//? end
// LANES threads share a row, and a block has AT_ONCE rows under way at a time.
__global__ void
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
//? if HAS_FINISH && SPLIT == LAST_BLOCK
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     unsigned long long parts, output *y, accum *partials, unsigned *state)
//? elif HAS_FINISH
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     output *y)
//? elif SPLIT == PARTS
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     unsigned long long parts, accum *y)
//? elif SPLIT == LAST_BLOCK
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     unsigned long long parts, accum *y, accum *partials, unsigned *state)
//? else
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     accum *y)
//? end
{
    const unsigned lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    //? if !COMMUTES && LANES > 32
    // Each warp has a part of the row or of the block's part, cut at whole loads.
    //? if SPLIT != WHOLE
    const unsigned long long cuts = parts * (LANES / 32), results = count * parts;
    //? else
    const unsigned long long cuts = LANES / 32, results = count;
    //? end
    const unsigned long long share =
        ((len + VECTOR - 1) / cuts / (32 * VECTOR) + 1) * (32 * VECTOR);
    //? elif SPLIT != WHOLE
    // Rows are cut at whole loads, so that no part has one load more than others.
    const unsigned long long share = ((len + VECTOR - 1) / parts / STEP + 1) * STEP;
    const unsigned long long results = count * parts;
    //? else
    const unsigned long long results = count;
    //? end
    //? if VECTOR > 1
    const unsigned long long start = (unsigned long long)x / ELEM_BYTES;
    //? if EDGES == MASKED
    const unsigned long long extent = (count - 1) * pitch + len;
    //? end
    const bool even = (start | len | pitch) % VECTOR == 0;
    //? end
    //? if SPLIT == WHOLE && VECTOR > 1 && EDGES == SIMPLE && LANES == 1 && UNROLL == 1
    // Rows that one step covers: no loop over loads, and no bound but the number of rows.
    if (even && len <= STEP) {
        for (unsigned long long row = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
             row < count; row += (unsigned long long)gridDim.x * BLOCK) {
            const unsigned loads = len / VECTOR;
            //? if HAS_INDEX
            const span from = {(const vec *)(x + row * pitch), loads * VECTOR, loads, 0};
            //? else
            const span from = {(const vec *)(x + row * pitch), loads * VECTOR, loads};
            //? end
            accum a = identity();
            take_step(&a, &from, 0);
            //? if HAS_FINISH
            y[row] = finish(a, len);
            //? else
            y[row] = a;
            //? end
        }
        return;
    }
    //? end
    for (unsigned long long first = (unsigned long long)blockIdx.x * AT_ONCE; first < results;
         first += (unsigned long long)gridDim.x * AT_ONCE) {
        accum a[UNROLL];
        span from[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long result = first + u * GROUPS + group;
            //? if SPLIT != WHOLE || (!COMMUTES && LANES > 32)
            //? if COMMUTES
            const unsigned long long row = result / parts, part = result % parts;
            //? elif SPLIT != WHOLE
            const unsigned long long row = result / parts;
            const unsigned long long part = result % parts * (LANES / 32) + lane / 32;
            //? else
            const unsigned long long row = result, part = lane / 32;
            //? end
            //? if VECTOR > 1 && EDGES == MASKED
            // Elements of the row's first load that are before the row.
            const unsigned lead = (start + row * pitch) % VECTOR;
            //? else
            const unsigned lead = 0;
            //? end
            const unsigned long long low = part > 0 ? part * share - lead : 0;
            const unsigned long long high = (part + 1) * share - lead;
            const unsigned long long begin = row * pitch + low;
            const bool is_some = result < results && low < len;
            const unsigned left = !is_some ? 0 : (high < len ? high : len) - low;
            //? else
            const unsigned long long begin = result * pitch;
            const unsigned left = result < results ? len : 0;
            //? end
            //? if VECTOR > 1 && EDGES == MASKED
            const unsigned skip = even ? 0 : (start + begin) % VECTOR;
            from[u].at = (const vec *)(x + begin - skip);
            from[u].skip = skip;
            from[u].end = left ? skip + left : 0;
            from[u].loads = (from[u].end + VECTOR - 1) / VECTOR;
            from[u].inside = begin >= VECTOR && begin + left + VECTOR <= extent;
            //? if HAS_INDEX && (SPLIT != WHOLE || (!COMMUTES && LANES > 32))
            from[u].first = low - skip;
            //? elif HAS_INDEX
            from[u].first = 0ULL - skip;
            //? end
            //? else
            from[u].at = (const vec *)(x + begin);
            from[u].end = left;
            from[u].loads = (left + VECTOR - 1) / VECTOR;
            //? if HAS_INDEX && (SPLIT != WHOLE || (!COMMUTES && LANES > 32))
            from[u].first = low;
            //? elif HAS_INDEX
            from[u].first = 0;
            //? end
            //? end
        }
        //? if VECTOR > 1 && EDGES == MASKED
        if (even)
            reduce_rows(a, from, lane, true);
        else
            reduce_rows(a, from, lane, false);
        //? elif VECTOR == 1
        reduce_rows(a, from, lane);
        //? else
        if (even)
            reduce_rows(a, from, lane);
        else
            for (int u = 0; u < UNROLL; u++) {
                a[u] = identity();
                for (unsigned i = lane; i < from[u].end; i += LANES)
                    //? if HAS_INDEX
                    a[u] = combine(a[u],
                                   map(((const elem *)from[u].at)[i], from[u].first + i));
                    //? else
                    a[u] = combine(a[u], map(((const elem *)from[u].at)[i]));
                    //? end
            }
        //? end
        //? if LANES <= 32
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long result = first + u * GROUPS + group;
            a[u] = lanes_reduce(a[u], LANES);
            if (lane == 0 && result < results)
                //? if HAS_FINISH
                y[result] = finish(a[u], len);
                //? else
                y[result] = a[u];
                //? end
        }
        //? elif SPLIT == LAST_BLOCK
        warps_reduce(partials + first, 1, a);
        __shared__ unsigned before; // blocks of this row that arrived before this one
        if (threadIdx.x == 0)
            before = arrive(state + first / parts, parts);
        __syncthreads();
        if (before == parts - 1) {
            const accum *left = partials + first / parts * parts;
            a[0] = identity();
            //? if COMMUTES
            for (unsigned i = threadIdx.x; i < parts; i += BLOCK)
                a[0] = combine(a[0], left[i]);
            //? else
            const unsigned each = ((unsigned)parts + BLOCK - 1) / BLOCK; // neighbours
            for (unsigned i = threadIdx.x * each; i < (threadIdx.x + 1) * each && i < parts; i++)
                a[0] = combine(a[0], left[i]);
            //? end
            //? if HAS_FINISH
            __shared__ accum all;
            warps_reduce(&all, 1, a);
            if (threadIdx.x == 0)
                y[first / parts] = finish(all, len);
            //? else
            warps_reduce(y + first / parts, 1, a);
            //? end
        }
        //? elif HAS_FINISH
        warps_reduce(y + first, results - first, a, len);
        //? else
        warps_reduce(y + first, results - first, a);
        //? end
    }
}
