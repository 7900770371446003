// What a step takes of a row: its places begin at x and at y; those in [low, high) are of the row.
typedef struct {
    const elem *x;
    //? if HAS_FINISH
    output *y;
    //? else
    accum *y;
    //? end
    unsigned low, high;
    //? if HAS_INDEX || HAS_FINISH
    unsigned long long first; // the index of the first place in its row, modulo 2^64
    //? end
} part;

// The places from `begin` on of a row at x, of which `skip` come before it, so that all loads are
// aligned; none where there is no such row.
//? if HAS_FINISH
__device__ __forceinline__ part find_part(const elem *x, output *y, unsigned long long len,
                                          unsigned long long begin, const bool is_there)
//? else
__device__ __forceinline__ part find_part(const elem *x, accum *y, unsigned long long len,
                                          unsigned long long begin, const bool is_there)
//? end
{
    //? if VECTOR > 1
    const unsigned skip = (unsigned)((unsigned long long)x / ELEM_BYTES % VECTOR);
    //? else
    const unsigned skip = 0;
    //? end
    const unsigned long long end = len + skip;
    part it;
    it.x = x + (begin - skip);
    it.y = y + (begin - skip);
    it.low = begin == 0 ? skip : 0;
    it.high = !is_there || begin >= end ? 0 : end - begin < STEP ? (unsigned)(end - begin) : STEP;
    if (it.high == 0)
        it.low = 0;
    //? if HAS_INDEX || HAS_FINISH
    it.first = begin - skip;
    //? end
    return it;
}

// Is this place one of the row?
__device__ __forceinline__ bool holds(const part *in, unsigned place)
{
    return place - in->low < in->high - in->low;
}

// Where a thread's load r lies.
__device__ __forceinline__ unsigned place_of(int r)
{
    return (r * LANES + threadIdx.x % LANES) * VECTOR;
}

// Loads VECTOR elements; those that are not of the row stay undefined.
__device__ __forceinline__ vec load_places(const part *from, unsigned place)
{
    vec got;
    if (holds(from, place) && holds(from, place + (VECTOR - 1))) {
        got = load((const vec *)(from->x + place));
    } else {
        for (int j = 0; j < VECTOR; j++)
            if (holds(from, place + j))
                got.at[j] = from->x[place + j];
    }
    return got;
}

// What an element counts for: the identity where it is not of the row.
__device__ __forceinline__ accum value_of(const vec *mine, int j, const part *in, unsigned place)
{
    //? if HAS_INDEX
    return holds(in, place + j) ? map(mine->at[j], in->first + place + j) : identity();
    //? else
    return holds(in, place + j) ? map(mine->at[j]) : identity();
    //? end
}

// Combines each lane's value with those of the lanes before it, of its own LANES or of a warp.
__device__ __forceinline__ accum lanes_scan(accum a)
{
    #pragma unroll
    for (int d = 1; d < GROUP; d *= 2) {
        //? if COMBINE == OTHER
        const accum before = shuffle_up(a, d, GROUP);
        //? else
        const accum before = __shfl_up_sync(~0u, a, d, GROUP);
        //? end
        if (threadIdx.x % GROUP >= d)
            a = combine(before, a);
    }
    return a;
}

// Turns the sums of a thread's loads into what comes before each in this step of the row; *all is
// the step's own sum.
__device__ __forceinline__ void scan_step(accum sums[LOADS], accum *all)
{
    const unsigned lane = threadIdx.x % GROUP;
    #pragma unroll
    for (int r = 0; r < LOADS; r++)
        sums[r] = lanes_scan(sums[r]);
    //? if LANES > 32
    __shared__ accum totals[LOADS][LANES / 32];
    const unsigned warp = threadIdx.x / 32;
    #pragma unroll
    for (int r = 0; r < LOADS; r++)
        if (lane == 31)
            totals[r][warp] = sums[r];
    __syncthreads();
    //? end
    accum before = identity();
    #pragma unroll
    for (int r = 0; r < LOADS; r++) {
        //? if COMBINE == OTHER
        const accum own = shuffle_up(sums[r], 1, GROUP);
        //? else
        const accum own = __shfl_up_sync(~0u, sums[r], 1, GROUP);
        //? end
        //? if LANES > 32
        accum after = before;
        for (unsigned w = 0; w < LANES / 32; w++) {
            if (w == warp)
                sums[r] = lane > 0 ? combine(after, own) : after;
            after = combine(after, totals[r][w]);
        }
        before = after;
        //? else
        //? if COMBINE == OTHER
        const accum whole = shuffle_at(sums[r], GROUP - 1, GROUP);
        //? else
        const accum whole = __shfl_sync(~0u, sums[r], GROUP - 1, GROUP);
        //? end
        sums[r] = lane > 0 ? combine(before, own) : before;
        before = combine(before, whole);
        //? end
    }
    *all = before;
}

// Writes WRITE results from a place on: as one where they may be, else those of the row.
__device__ __forceinline__ void put(const part *to, unsigned place, const stored *from)
{
    //? if WRITE > 1 && HAS_FINISH
    const bool is_one = (unsigned long long)to->y % (WRITE * RESULT_BYTES) == 0;
    //? elif WRITE > 1
    const bool is_one = (unsigned long long)to->y % (WRITE * ACCUM_BYTES) == 0;
    //? else
    const bool is_one = true;
    //? end
    if (is_one && holds(to, place) && holds(to, place + (WRITE - 1)))
        store((stored *)(to->y + place), *from);
    else
        for (int k = 0; k < WRITE; k++)
            if (holds(to, place + k))
                to->y[place + k] = from->at[k];
}

// Scans each of `rows` rows of `len` elements, the first at x, each `pitch` elements behind the one
// before; results lie one behind another. LANES threads have ROWS rows at a time, each by steps of
// STEP elements.
__global__ void
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
scan_rows(const elem *x, unsigned long long rows, unsigned long long pitch, unsigned long long len,
          //? if HAS_FINISH
          output *y)
          //? else
          accum *y)
          //? end
{
    const unsigned long long first =
        (unsigned long long)blockIdx.x * (ROWS * (BLOCK / LANES)) + threadIdx.x / LANES;
    // Places before a row, where it does not begin with a whole load: the most of any.
    //? if VECTOR > 1
    const bool is_even = (unsigned long long)x / ELEM_BYTES % VECTOR == 0 && pitch % VECTOR == 0;
    const unsigned long long end = is_even ? len : len + (VECTOR - 1);
    //? else
    const unsigned long long end = len;
    //? end
    accum so_far[ROWS];
    #pragma unroll
    for (int u = 0; u < ROWS; u++)
        so_far[u] = identity();
    for (unsigned long long begin = 0; begin < end; begin += STEP) {
        vec mine[ROWS][LOADS];
        part own[ROWS];
        #pragma unroll
        for (int u = 0; u < ROWS; u++) {
            const unsigned long long row = first + u * (BLOCK / LANES);
            own[u] = find_part(x + row * pitch, y + row * len, len, begin, row < rows);
            #pragma unroll
            for (int r = 0; r < LOADS; r++)
                mine[u][r] = load_places(&own[u], place_of(r));
        }
        #pragma unroll
        for (int u = 0; u < ROWS; u++) {
            accum sums[LOADS], all;
            #pragma unroll
            for (int r = 0; r < LOADS; r++) {
                sums[r] = value_of(&mine[u][r], 0, &own[u], place_of(r));
                #pragma unroll
                for (int j = 1; j < VECTOR; j++)
                    sums[r] = combine(sums[r], value_of(&mine[u][r], j, &own[u], place_of(r)));
            }
            scan_step(sums, &all);
            #pragma unroll
            for (int r = 0; r < LOADS; r++) {
                accum a = combine(so_far[u], sums[r]);
                stored out[VECTOR / WRITE];
                #pragma unroll
                for (int j = 0; j < VECTOR; j++) {
                    const accum b = combine(a, value_of(&mine[u][r], j, &own[u], place_of(r)));
                    //? if HAS_FINISH && SCAN == EXCLUSIVE
                    out[j / WRITE].at[j % WRITE] = finish(a, own[u].first + place_of(r) + j);
                    //? elif HAS_FINISH
                    out[j / WRITE].at[j % WRITE] = finish(b, own[u].first + place_of(r) + j + 1);
                    //? elif SCAN == EXCLUSIVE
                    out[j / WRITE].at[j % WRITE] = a;
                    //? else
                    out[j / WRITE].at[j % WRITE] = b;
                    //? end
                    a = b;
                }
                #pragma unroll
                for (int j = 0; j < VECTOR / WRITE; j++)
                    put(&own[u], place_of(r) + j * WRITE, &out[j]);
            }
            so_far[u] = combine(so_far[u], all);
            //? if LANES > 32
            __syncthreads(); // all have read what the next step writes
            //? end
        }
    }
}
