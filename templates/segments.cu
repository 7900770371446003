//? if OFFSETS == I32
typedef int offset;
//? elif OFFSETS == U32
typedef unsigned offset;
//? elif OFFSETS == I64
typedef long long offset;
//? else
typedef unsigned long long offset;
//? end

// What segments there are: offset i is where segment i begins, and offset i + 1 where it ends. Offsets are
// the user's data: one that is none of the n elements, as all below 0, counts as n.
typedef struct {
    const offset *offsets;
    unsigned long long count, n;
} segmentation;

__device__ __forceinline__ unsigned long long border(const segmentation *all, unsigned long long i)
{
    const unsigned long long at = (unsigned long long)all->offsets[i];
    return at < all->n ? at : all->n;
}

//? if METHOD == BALANCED || LANES > 1
// The value of the lane that is d lanes above.
__device__ __forceinline__ accum from_above(accum a, int d)
{
    //? if COMBINE == OTHER
    return shuffle_down(a, d);
    //? else
    return __shfl_down_sync(~0u, a, d);
    //? end
}

//? end
//? if METHOD == BY_LANES
//? if LANES > 1
// Combines the values of `lanes` neighbours in a warp; the first of them gets the result.
__device__ __forceinline__ accum lanes_reduce(accum a, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2)
        a = combine(a, from_above(a, d));
    return a;
}

//? end
// What a lane takes of the elements [begin, end) of x: UNROLL loads at a time, LANES loads apart.
__device__ __forceinline__ accum take_lane(const elem *x, unsigned long long begin,
                                           unsigned long long end, unsigned lane)
{
    //? if VECTOR > 1
    const unsigned skip = (unsigned)(((unsigned long long)x / ELEM_BYTES + begin) % VECTOR);
    //? else
    const unsigned skip = 0;
    //? end
    const elem *const first = x + begin - skip; // where the first load begins
    const unsigned long long last = end - begin + skip, loads = (last + VECTOR - 1) / VECTOR;
    accum a = identity();
    for (unsigned long long i = lane; i < loads; i += LANES * UNROLL) {
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long at = (i + u * LANES) * VECTOR;
            if (at >= skip && at + VECTOR <= last)
                got[u] = load((const vec *)(first + at));
            else
                for (int k = 0; k < VECTOR; k++)
                    if (at + k >= skip && at + k < last)
                        got[u].at[k] = first[at + k];
        }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long at = (i + u * LANES) * VECTOR;
            //? if HAS_INDEX
            if (at >= skip && at + VECTOR <= last)
                a = fold(a, got[u], at - skip);
            else
                for (int k = 0; k < VECTOR; k++)
                    if (at + k >= skip && at + k < last)
                        a = combine(a, map(got[u].at[k], at - skip + k));
            //? else
            if (at >= skip && at + VECTOR <= last)
                a = fold(a, got[u]);
            else
                for (int k = 0; k < VECTOR; k++)
                    if (at + k >= skip && at + k < last)
                        a = combine(a, map(got[u].at[k]));
            //? end
        }
    }
    return a;
}

// Reduces each of `count` segments of x: y[i] is the value of the elements from offset i up to offset
// i + 1, the identity where there are none. LANES threads share a segment, and a block has GROUPS
// segments under way at a time: for lengths that are alike, for the longest decides how long a block takes.
//? else
// A point of the path through all elements and ends of segments, in which each end stands behind its
// segment's elements: so many ends and elements come before it. Elements are counted from the first
// segment's begin on.
typedef struct {
    unsigned long long ends, elements;
} point;

// The elements before end i, modulo 2^64 where it lies before the first begin.
__device__ __forceinline__ unsigned long long before_end(const segmentation *all, unsigned long long i,
                                                         unsigned long long begin)
{
    return border(all, i + 1) - begin;
}

// The point at a place of the path, not before `from`, by a whole warp: each lane asks at one of 32 ends
// whether it is before the place. Of offsets that do not ascend it is any point of so many ends and elements.
__device__ __forceinline__ point find_point(const segmentation *all, unsigned long long begin,
                                            unsigned long long length, point from,
                                            unsigned long long place)
{
    const unsigned long long left = place - from.ends - from.elements;
    unsigned long long low = place > length ? place - length : 0;
    low = low > from.ends ? low : from.ends;
    unsigned long long high = from.ends + left < all->count ? from.ends + left : all->count;
    while (low < high) {
        const unsigned long long step = (high - low + 31) / 32;
        const unsigned long long at = low + (threadIdx.x % 32 + 1) * step - 1;
        const bool is_before = at < high && before_end(all, at, begin) + at < place;
        const unsigned others = ~__ballot_sync(~0u, is_before);
        low += (others ? __ffs(others) - 1 : 32) * step;
        high = low + step - 1 < high ? low + step - 1 : high;
    }
    const point to = {low, place - low};
    return to;
}

//? if VECTOR > 1
enum { ROOM = TILE + VECTOR }; // elements of a tile, which begins within a load
//? else
enum { ROOM = TILE };
//? end

// A tile of the path in shared memory: its elements, behind `skip` places, and for each of its ends the
// elements before it.
typedef struct {
    __align__(16) elem in[ROOM];
    unsigned ends[TILE];
} tile;

// Loads elements [first, first + count) of x to behind so many places as they stand behind a load's begin,
// which are returned.
__device__ __forceinline__ unsigned load_elements(elem *in, const elem *x, unsigned long long first,
                                                  unsigned count)
{
    //? if VECTOR > 1
    const unsigned skip = (unsigned)(((unsigned long long)x / ELEM_BYTES + first) % VECTOR);
    //? else
    const unsigned skip = 0;
    //? end
    const elem *const from = x + first - skip;
    const unsigned last = skip + count;
    #pragma unroll UNROLL
    for (unsigned at = threadIdx.x * VECTOR; at < last; at += BLOCK * VECTOR)
        if (at >= skip && at + VECTOR <= last)
            *(vec *)(in + at) = load((const vec *)(from + at));
        else
            for (int k = 0; k < VECTOR; k++)
                if (at + k >= skip && at + k < last)
                    in[at + k] = from[at + k];
    return skip;
}

// Of the ends of a tile: how many come before its place `place`; of any ends at least so many that the
// elements before it are of the tile.
__device__ __forceinline__ unsigned ends_before(const unsigned *ends, unsigned count,
                                                unsigned elements, unsigned place)
{
    unsigned low = place > elements ? place - elements : 0;
    unsigned high = place < count ? place : count;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (ends[middle] + middle < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__device__ __forceinline__ accum from_below(accum a, int d)
{
    //? if COMBINE == OTHER
    return shuffle_up(a, d, 32);
    //? else
    return __shfl_up_sync(~0u, a, d);
    //? end
}

// A value behind the last end, and whether there was one: else it goes on from what came before.
typedef struct {
    accum value;
    bool ended;
} tail;

__device__ __forceinline__ tail join(tail a, tail b)
{
    const tail both = {b.ended ? b.value : combine(a.value, b.value), a.ended || b.ended};
    return both;
}

// What is behind the last end before this thread, of a tail for each thread and what the block had before,
// *all, which becomes what it has with all threads.
__device__ __forceinline__ tail tails_before(tail mine, tail *all)
{
    __shared__ tail warps[BLOCK / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    tail to = mine;
    #pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const tail before = {from_below(to.value, d), __shfl_up_sync(~0u, (int)to.ended, d) != 0};
        if (lane >= d)
            to = join(before, to);
    }
    const tail below = {from_below(to.value, 1), __shfl_up_sync(~0u, (int)to.ended, 1) != 0};
    if (lane == 31)
        warps[warp] = to;
    __syncthreads();
    tail before = *all;
    for (unsigned w = 0; w < BLOCK / 32; w++) {
        if (w == warp)
            before = *all;
        *all = join(*all, warps[w]);
    }
    return lane > 0 ? join(before, below) : before;
}

// What a block leaves for those behind it: the value behind its last end, or that of all it had.
enum { GOES_ON = 1, ENDED = 2 };

// The value of the ranges before this block's, back to the nearest that has an end. All their words are
// there for this block alone, which waits for each and sets it back to zero. Every thread gets the value.
__device__ __forceinline__ accum take_before(unsigned long long *words)
{
    __shared__ accum values[BLOCK / 32];
    __shared__ unsigned known[BLOCK / 32], ended[BLOCK / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    accum all = identity();
    bool is_done = false;
    for (unsigned left = blockIdx.x; left > 0 && !is_done; left = left > BLOCK ? left - BLOCK : 0) {
        const bool is_range = threadIdx.x < left; // the last of those left is thread 0's
        const unsigned range = left - 1 - threadIdx.x;
        unsigned reach = BLOCK; // so many threads have ranges that count
        accum a = identity();
        for (bool is_all = false; !is_all;) {
            const unsigned flag = is_range ? read_tile(words, range, &a) : GOES_ON;
            const unsigned is_known = __ballot_sync(~0u, flag != 0);
            const unsigned has_end = __ballot_sync(~0u, flag == ENDED);
            if (lane == 0) {
                known[warp] = is_known;
                ended[warp] = has_end;
            }
            __syncthreads();
            unsigned w = 0;
            while (w < BLOCK / 32 && known[w] == ~0u && ended[w] == 0)
                w++;
            is_all = w == BLOCK / 32;
            if (!is_all && ended[w] != 0) {
                const unsigned first = __ffs(ended[w]), needed = ~0u >> (32 - first);
                is_all = is_done = (known[w] & needed) == needed;
                reach = w * 32 + first;
            }
            __syncthreads(); // all have read what the next look writes
            if (!is_all)
                wait_a_bit();
        }
        if (is_range && threadIdx.x < reach)
            for (int k = 0; k < WORDS; k++)
                clear_word(words + (unsigned long long)range * WORDS + k);
        else
            a = identity();
        #pragma unroll
        for (int d = 1; d < 32; d *= 2)
            a = combine(from_above(a, d), a);
        if (lane == 0)
            values[warp] = a;
        __syncthreads();
        for (unsigned w = 0; w < BLOCK / 32; w++)
            all = combine(values[w], all);
    }
    return all;
}

// Reduces each of `count` segments of x: y[i] is the value of the elements from offset i up to offset
// i + 1, the identity where there are none. The path through all elements and ends is cut in equal ranges,
// one a block, which takes it tile by tile: so a block has as much to do whatever the lengths are. The
// segment that ends first in a range may have begun before it: each block leaves the value behind its
// last end in words of `state`, with a flag in the same stores, and the next that has an end takes what was
// left since and sets the words back to zero. The last takes all that is left. A block waits for those
// of lower indices alone. An aborted launch leaves some words above zero: clear them then.
//? end
__global__ void
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
//? if HAS_FINISH && METHOD == BALANCED
segments(const elem *x, unsigned long long n, const offset *offsets, unsigned long long count,
         output *y, unsigned long long *state)
//? elif HAS_FINISH
segments(const elem *x, unsigned long long n, const offset *offsets, unsigned long long count,
         output *y)
//? elif METHOD == BALANCED
segments(const elem *x, unsigned long long n, const offset *offsets, unsigned long long count,
         accum *y, unsigned long long *state)
//? else
segments(const elem *x, unsigned long long n, const offset *offsets, unsigned long long count,
         accum *y)
//? end
{
    const segmentation all = {offsets, count, n};
    //? if METHOD == BY_LANES
    const unsigned lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
    for (unsigned long long first = (unsigned long long)blockIdx.x * GROUPS; first < count;
         first += (unsigned long long)gridDim.x * GROUPS) {
        const unsigned long long i = first + group;
        unsigned long long begin = 0, end = 0;
        if (i < count) {
            begin = border(&all, i);
            end = border(&all, i + 1);
            end = end > begin ? end : begin;
        }
        accum a = take_lane(x, begin, end, lane);
        //? if LANES > 32
        __shared__ accum values[BLOCK / 32];
        a = lanes_reduce(a, 32);
        if (threadIdx.x % 32 == 0)
            values[threadIdx.x / 32] = a;
        __syncthreads();
        if (lane < 32)
            a = lanes_reduce(lane < LANES / 32 ? values[group * (LANES / 32) + lane] : identity(), 32);
        __syncthreads(); // all have read what the next segments write
        //? elif LANES > 1
        a = lanes_reduce(a, LANES);
        //? end
        if (lane == 0 && i < count)
            //? if HAS_FINISH
            y[i] = finish(a, end - begin);
            //? else
            y[i] = a;
            //? end
    }
    //? else
    __shared__ tile shared;
    __shared__ accum kept; // what the range's first end has within the range
    __shared__ unsigned long long kept_at;
    //? if HAS_FINISH
    __shared__ unsigned long long kept_n;
    //? end
    const unsigned long long begin = border(&all, 0), end = border(&all, count);
    const unsigned long long length = end > begin ? end - begin : 0, path = length + count;
    const unsigned long long share = (path + gridDim.x - 1) / gridDim.x;
    unsigned long long place = share * blockIdx.x < path ? share * blockIdx.x : path;
    const unsigned long long last = path - place < share ? path : place + share;
    const point start = {0, 0};
    point at = find_point(&all, begin, length, start, place);
    tail so_far = {identity(), false};
    while (place < last) {
        const unsigned long long next = last - place < TILE ? last : place + TILE;
        const point to = find_point(&all, begin, length, at, next);
        const unsigned ends = (unsigned)(to.ends - at.ends);
        const unsigned elements = (unsigned)(to.elements - at.elements);
        const unsigned skip = load_elements(shared.in, x, begin + at.elements, elements);
        // Offsets that do not ascend give any numbers here: counts, not these, bound what a thread takes.
        for (unsigned i = threadIdx.x; i < ends; i += BLOCK)
            shared.ends[i] = (unsigned)(before_end(&all, at.ends + i, begin) - at.elements);
        //? if HAS_INDEX || HAS_FINISH
        const unsigned long long opened = at.ends > 0 ? before_end(&all, at.ends - 1, begin) : 0;
        //? end
        __syncthreads();

        // A thread has ITEMS places of the tile. What is behind its last end goes on in the next.
        const unsigned whole = ends + elements;
        const unsigned own = threadIdx.x * ITEMS < whole ? threadIdx.x * ITEMS : whole;
        unsigned i = ends_before(shared.ends, ends, elements, own), e = own - i;
        //? if HAS_INDEX || HAS_FINISH
        // Where the segment begins, from the tile's first element on, modulo 2^64.
        unsigned long long from = i > 0 ? shared.ends[i - 1] : opened - at.elements;
        //? end
        //? if HAS_FINISH
        unsigned long long first_n = 0;
        //? end
        tail mine = {identity(), false};
        accum first = identity();
        unsigned first_at = 0;
        #pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            if (own + k >= whole)
                break;
            if (i < ends && shared.ends[i] <= e) {
                if (!mine.ended) {
                    first = mine.value;
                    first_at = i;
                    //? if HAS_FINISH
                    first_n = shared.ends[i] - from;
                    //? end
                } else {
                    //? if HAS_FINISH
                    y[at.ends + i] = finish(mine.value, shared.ends[i] - from);
                    //? else
                    y[at.ends + i] = mine.value;
                    //? end
                }
                //? if HAS_INDEX || HAS_FINISH
                from = shared.ends[i];
                //? end
                mine.value = identity();
                mine.ended = true;
                i++;
            } else {
                //? if HAS_INDEX
                mine.value = combine(mine.value, map(shared.in[skip + e], e - from));
                //? else
                mine.value = combine(mine.value, map(shared.in[skip + e]));
                //? end
                e++;
            }
        }
        const tail before = tails_before(mine, &so_far);
        if (mine.ended) {
            const accum a = combine(before.value, first);
            if (!before.ended) {
                kept = a;
                kept_at = at.ends + first_at;
                //? if HAS_FINISH
                kept_n = first_n;
                //? end
            } else {
                //? if HAS_FINISH
                y[at.ends + first_at] = finish(a, first_n);
                //? else
                y[at.ends + first_at] = a;
                //? end
            }
        }
        __syncthreads(); // all have read what the next tile writes
        place = next;
        at = to;
    }

    const bool is_last = blockIdx.x == gridDim.x - 1;
    if (threadIdx.x == 0 && !is_last)
        post_tile(state, blockIdx.x, so_far.value, so_far.ended ? ENDED : GOES_ON);
    if (!so_far.ended && !is_last)
        return;
    const accum before = take_before(state);
    if (threadIdx.x == 0 && so_far.ended)
        //? if HAS_FINISH
        y[kept_at] = finish(combine(before, kept), kept_n);
        //? else
        y[kept_at] = combine(before, kept);
        //? end
    //? end
}
