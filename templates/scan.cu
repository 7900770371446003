//? if ARRANGE == STRIPED
// What a thread has of a tile: RUNS loads, each 32 loads behind the one before.
typedef vec run;
//? else
// What a thread has of a tile: ITEMS neighbours.
typedef struct { elem at[WIDTH]; } run;

// Shared memory in which a tile changes places: loads bring each warp's elements lane by lane, and
// results leave it like that.
typedef union __align__(16) {
    elem in[TILE];
    //? if HAS_FINISH
    output out[TILE];
    //? else
    accum out[TILE];
    //? end
} staging;

__device__ __forceinline__ staging *staged(void)
{
    __shared__ staging all;
    return &all;
}
//? end

// A tile: its places begin at x and, if it is written, at y; those in [low, high) are of the input.
typedef struct {
    const elem *x;
    //? if HAS_FINISH
    output *y;
    //? else
    accum *y;
    //? end
    unsigned low, high;
    //? if HAS_INDEX || HAS_FINISH
    unsigned long long first; // the index of the first place, modulo 2^64
    //? end
} tile;

// The tile of this number; tile 0 begins where a load may, so that all loads are aligned.
//? if HAS_FINISH
__device__ __forceinline__ tile find_tile(const elem *x, unsigned long long n, output *y,
                                          unsigned number)
//? else
__device__ __forceinline__ tile find_tile(const elem *x, unsigned long long n, accum *y,
                                          unsigned number)
//? end
{
    //? if VECTOR > 1
    const unsigned skip = (unsigned)((unsigned long long)x / ELEM_BYTES % VECTOR);
    //? else
    const unsigned skip = 0;
    //? end
    const unsigned long long first = (unsigned long long)number * TILE, end = n + skip;
    tile it;
    it.x = x + (first - skip);
    it.y = y + (first - skip);
    it.low = number == 0 ? skip : 0;
    it.high = first >= end ? 0 : end - first < TILE ? (unsigned)(end - first) : TILE;
    //? if HAS_INDEX || HAS_FINISH
    it.first = first - skip;
    //? end
    return it;
}

// Is this place of the tile one of the input?
__device__ __forceinline__ bool holds(const tile *in, unsigned place)
{
    return place - in->low < in->high - in->low;
}

// Where a warp's elements begin, and where a thread's run does.
__device__ __forceinline__ unsigned warp_place(void)
{
    return threadIdx.x / 32 * (32 * ITEMS);
}

__device__ __forceinline__ unsigned run_place(int r)
{
    return warp_place() + r * (32 * WIDTH) + threadIdx.x % 32 * WIDTH;
}

// Loads VECTOR elements from a place on; those that are not of the input stay undefined.
__device__ __forceinline__ void load_some(vec *to, const tile *from, unsigned place)
{
    for (int j = 0; j < VECTOR; j++)
        if (holds(from, place + j))
            to->at[j] = from->x[place + j];
}

//? if METHOD != WAVES
// Loads a thread's elements, all under way at a time; `is_whole` says that all are of the input.
__device__ __forceinline__ void load_tile(run mine[RUNS], const tile *from, const bool is_whole)
{
    vec got[LOADS];
    const unsigned first = warp_place() + threadIdx.x % 32 * VECTOR;
    #pragma unroll
    for (int u = 0; u < LOADS; u++) {
        const unsigned place = first + u * (32 * VECTOR);
        if (is_whole || (holds(from, place) && holds(from, place + (VECTOR - 1))))
            got[u] = load((const vec *)(from->x + place));
        else
            load_some(&got[u], from, place);
    }
    //? if ARRANGE == STRIPED
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        mine[r] = got[r];
    //? else
    #pragma unroll
    for (int u = 0; u < LOADS; u++)
        *(vec *)(staged()->in + first + u * (32 * VECTOR)) = got[u];
    __syncwarp();
    #pragma unroll
    for (int j = 0; j < ITEMS; j++)
        mine[0].at[j] = staged()->in[run_place(0) + j];
    //? end
}

//? end
// What an element counts for: the identity where it is not of the input.
__device__ __forceinline__ accum value_of(const run *mine, int j, const tile *in, unsigned place,
                                          const bool is_whole)
{
    //? if HAS_INDEX
    return is_whole || holds(in, place + j) ? map(mine->at[j], in->first + place + j) : identity();
    //? else
    return is_whole || holds(in, place + j) ? map(mine->at[j]) : identity();
    //? end
}

//? if METHOD != WAVES
// Loads a tile and combines each of a thread's runs.
__device__ __forceinline__ void sum_tile(accum sums[RUNS], run mine[RUNS], const tile *in,
                                         const bool is_whole)
{
    load_tile(mine, in, is_whole);
    #pragma unroll
    for (int r = 0; r < RUNS; r++) {
        sums[r] = value_of(&mine[r], 0, in, run_place(r), is_whole);
        #pragma unroll
        for (int j = 1; j < WIDTH; j++)
            sums[r] = combine(sums[r], value_of(&mine[r], j, in, run_place(r), is_whole));
    }
}

//? end
// Combines each lane's value with those of the lanes before it.
__device__ __forceinline__ accum lanes_scan(accum a, int lanes)
{
    #pragma unroll
    for (int d = 1; d < lanes; d *= 2) {
        //? if COMBINE == OTHER
        const accum before = shuffle_up(a, d, 32);
        //? else
        const accum before = __shfl_up_sync(~0u, a, d);
        //? end
        if (threadIdx.x % 32 >= d)
            a = combine(before, a);
    }
    return a;
}

// Of one value a warp: what the warps before this one have together; *all is what all have.
__device__ __forceinline__ accum warps_scan(accum a, accum *all)
{
    __shared__ accum totals[BLOCK / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 31)
        totals[warp] = a;
    __syncthreads();
    const accum to = lanes_scan(lane < BLOCK / 32 ? totals[lane] : identity(), BLOCK / 32);
    //? if COMBINE == OTHER
    *all = shuffle_at(to, BLOCK / 32 - 1, 32);
    //? else
    *all = __shfl_sync(~0u, to, BLOCK / 32 - 1);
    //? end
    //? if COMBINE == OTHER
    const accum before = shuffle_at(to, warp > 0 ? warp - 1 : 0, 32);
    //? else
    const accum before = __shfl_sync(~0u, to, warp > 0 ? warp - 1 : 0);
    //? end
    return warp > 0 ? before : identity();
}

// Turns the sums of runs into what comes before each within the tile; the tile's own sum goes to
// *all.
__device__ __forceinline__ void scan_runs(accum sums[RUNS], accum *all)
{
    const unsigned lane = threadIdx.x % 32;
    accum warp = identity();
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        sums[r] = lanes_scan(sums[r], 32);
    #pragma unroll
    for (int r = 0; r < RUNS; r++) {
        //? if COMBINE == OTHER
        const accum before = shuffle_up(sums[r], 1, 32), row = shuffle_at(sums[r], 31, 32);
        //? else
        const accum before = __shfl_up_sync(~0u, sums[r], 1), row = __shfl_sync(~0u, sums[r], 31);
        //? end
        sums[r] = lane > 0 ? combine(warp, before) : warp;
        warp = combine(warp, row);
    }
    const accum warps = warps_scan(warp, all);
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        sums[r] = combine(warps, sums[r]);
}
//? if METHOD != SUMS

// Writes WRITE results from a place on: as one where they may be, else those of the input.
__device__ __forceinline__ void put(const tile *to, unsigned place, const stored *from,
                                    const bool is_one)
{
    if (is_one)
        store((stored *)(to->y + place), *from);
    else
        for (int k = 0; k < WRITE; k++)
            if (holds(to, place + k))
                to->y[place + k] = from->at[k];
}

// Writes a thread's results: `before` is what comes before each of its runs; `is_one` says that the
// tile is whole, and where it may be written by whole stores.
__device__ __forceinline__ void write_runs(const accum before[RUNS], const run mine[RUNS],
                                           const tile *to, const bool is_one)
{
    #pragma unroll
    for (int r = 0; r < RUNS; r++) {
        accum a = before[r];
        //? if ARRANGE == STRIPED
        stored row[WIDTH / WRITE];
        //? end
        #pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            const accum b = combine(a, value_of(&mine[r], j, to, run_place(r), is_one));
            //? if HAS_FINISH && SCAN == EXCLUSIVE
            const output result = finish(a, to->first + run_place(r) + j);
            //? elif HAS_FINISH
            const output result = finish(b, to->first + run_place(r) + j + 1);
            //? end
            //? if HAS_FINISH && ARRANGE == STRIPED
            row[j / WRITE].at[j % WRITE] = result;
            //? elif HAS_FINISH
            staged()->out[run_place(r) + j] = result;
            //? elif SCAN == EXCLUSIVE && ARRANGE == STRIPED
            row[j / WRITE].at[j % WRITE] = a;
            //? elif SCAN == EXCLUSIVE
            staged()->out[run_place(r) + j] = a;
            //? elif ARRANGE == STRIPED
            row[j / WRITE].at[j % WRITE] = b;
            //? else
            staged()->out[run_place(r) + j] = b;
            //? end
            a = b;
        }
        //? if ARRANGE == STRIPED
        #pragma unroll
        for (int j = 0; j < WIDTH / WRITE; j++)
            put(to, run_place(r) + j * WRITE, &row[j], is_one);
        //? end
    }
    //? if ARRANGE == BLOCKED
    __syncwarp();
    #pragma unroll
    for (int u = 0; u < ITEMS / WRITE; u++) {
        const unsigned place = warp_place() + (u * 32 + threadIdx.x % 32) * WRITE;
        put(to, place, (const stored *)(staged()->out + place), is_one);
    }
    //? end
}

__device__ __forceinline__ void write_tile(const accum before[RUNS], const run mine[RUNS],
                                           const tile *to)
{
    //? if WRITE > 1 && HAS_FINISH
    if (to->low == 0 && to->high == TILE && (unsigned long long)to->y % (WRITE * RESULT_BYTES) == 0)
    //? elif WRITE > 1
    if (to->low == 0 && to->high == TILE && (unsigned long long)to->y % (WRITE * ACCUM_BYTES) == 0)
    //? else
    if (to->low == 0 && to->high == TILE)
    //? end
        write_runs(before, mine, to, true);
    else
        write_runs(before, mine, to, false);
}
//? end
//? if METHOD == LOOK_BACK || METHOD == WAVES

// What is known of a tile: the sum of its own elements, or of all up to it. With a flag the word has
// the epoch of the call that left it: what calls before have left counts for nothing.
enum { OWN = 1, ALL_UP_TO = 2 };

__device__ __forceinline__ void tell(unsigned long long *words, unsigned number, accum sum,
                                     unsigned what, unsigned epoch)
{
    post_tile(words, number, sum, epoch << 2 | what);
}

//? end
//? if METHOD == LOOK_BACK
// What is known of a tile: 0 for nothing yet; tiles before the first count as all up to them.
__device__ __forceinline__ unsigned look(const unsigned long long *words, long long number,
                                         accum *sum, unsigned epoch)
{
    *sum = identity();
    if (number < 0)
        return ALL_UP_TO;
    const unsigned flag = read_tile(words, (unsigned)number, sum);
    return flag >> 2 == epoch ? flag & 3 : 0;
}

// The sum of the tiles that a warp looks at together, the last of which is `last`, or of those back
// to one that is known with all before it: then *is_all. Lane 0 gets it.
__device__ __forceinline__ accum look_together(const unsigned long long *words, long long last,
                                               unsigned epoch, bool *is_all)
{
    const unsigned lane = threadIdx.x % 32;
    accum a;
    unsigned done;
    for (;;) {
        //? if LOOK < 32
        unsigned what = OWN;
        a = identity();
        if (lane < LOOK)
            what = look(words, last - lane, &a, epoch);
        //? else
        const unsigned what = look(words, last - lane, &a, epoch);
        //? end
        done = __ballot_sync(~0u, what == ALL_UP_TO);
        const unsigned needed = (done & -done) - 1; // lanes nearer than that; all where none is
        if ((__ballot_sync(~0u, what != 0) & needed) == needed)
            break;
        wait_a_bit();
    }
    *is_all = done != 0;
    if (done != 0 && lane >= __ffs(done))
        a = identity();
    #pragma unroll
    for (int d = 1; d < 32; d *= 2)
        //? if COMBINE == OTHER
        a = combine(shuffle_down(a, d), a);
        //? else
        a = combine(__shfl_down_sync(~0u, a, d), a);
        //? end
    return a;
}

//? end
//? if METHOD == LOOK_BACK && LOOK <= 32
// The sum of all tiles before this one, by a whole warp: LOOK tiles at a time, the nearest first,
// until one is known with all before it.
__device__ __forceinline__ accum look_back(const unsigned long long *words, unsigned number,
                                           unsigned epoch)
{
    accum so_far = identity();
    for (long long last = (long long)number - 1;; last -= LOOK) {
        bool is_all;
        const accum a = look_together(words, last, epoch, &is_all);
        //? if COMBINE == OTHER
        so_far = combine(shuffle_at(a, 0, 32), so_far);
        //? else
        so_far = combine(__shfl_sync(~0u, a, 0), so_far);
        //? end
        if (is_all)
            return so_far;
    }
}
//? end
//? if METHOD == LOOK_BACK && LOOK > 32
// The sum of all tiles before this one, by the whole block: LOOK tiles at a time, 32 a warp, the
// nearest first, until one is known with all before it.
__device__ __forceinline__ accum look_back(const unsigned long long *words, unsigned number,
                                           unsigned epoch)
{
    __shared__ accum seen[LOOK / 32];
    __shared__ bool ends[LOOK / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    accum so_far = identity();
    for (long long last = (long long)number - 1;; last -= LOOK) {
        if (warp < LOOK / 32) {
            bool is_all;
            const accum a = look_together(words, last - warp * 32, epoch, &is_all);
            if (lane == 0) {
                seen[warp] = a;
                ends[warp] = is_all;
            }
        }
        __syncthreads();
        const unsigned done = __ballot_sync(~0u, lane < LOOK / 32 && ends[lane % (LOOK / 32)]);
        accum a = identity();
        if (lane < LOOK / 32 && (done == 0 || lane < __ffs(done)))
            a = seen[lane];
        #pragma unroll
        for (int d = 1; d < LOOK / 32; d *= 2)
            //? if COMBINE == OTHER
            a = combine(shuffle_down(a, d), a);
            //? else
            a = combine(__shfl_down_sync(~0u, a, d), a);
            //? end
        //? if COMBINE == OTHER
        so_far = combine(shuffle_at(a, 0, 32), so_far);
        //? else
        so_far = combine(__shfl_sync(~0u, a, 0), so_far);
        //? end
        if (done != 0)
            return so_far;
        __syncthreads(); // all have read what the next look writes
    }
}
//? end
//? if METHOD == WAVES

// A thread's own places of the ring, into which it copies ahead: it waits for nobody to do so.
__device__ __forceinline__ vec *places_of(unsigned slot, int u)
{
    //? if HOST
    __shared__ __align__(16) vec ring[STAGES][LOADS][BLOCK];
    return &ring[slot][u][threadIdx.x];
    //? else
    extern __shared__ __align__(16) vec ring[];
    return ring + (slot * LOADS + u) * BLOCK + threadIdx.x;
    //? end
}

// Starts to copy a tile into a slot of the ring. One that is not whole is there on return.
__device__ __forceinline__ void copy_tile(unsigned slot, const tile *from)
{
    const unsigned first = warp_place() + threadIdx.x % 32 * VECTOR;
    if (from->low == 0 && from->high == TILE) {
        #pragma unroll
        for (int u = 0; u < LOADS; u++)
            copy_async(places_of(slot, u), (const vec *)(from->x + first + u * (32 * VECTOR)));
    } else {
        for (int u = 0; u < LOADS; u++)
            load_some(places_of(slot, u), from, first + u * (32 * VECTOR));
    }
    close_group();
}

// What a thread has of a tile in a slot of the ring.
__device__ __forceinline__ void read_slot(run mine[RUNS], unsigned slot)
{
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        mine[r] = *places_of(slot, r);
}

// Of a tile that has come: turns the sums of a thread's runs into what is before each within the
// tile, and leaves the tile's own sum for other blocks.
__device__ __forceinline__ void begin_tile(accum sums[RUNS], accum *all, const run mine[RUNS],
                                           const tile *in, unsigned long long *words,
                                           unsigned number, unsigned epoch)
{
    const bool is_whole = in->low == 0 && in->high == TILE;
    #pragma unroll
    for (int r = 0; r < RUNS; r++) {
        sums[r] = value_of(&mine[r], 0, in, run_place(r), is_whole);
        #pragma unroll
        for (int j = 1; j < WIDTH; j++)
            sums[r] = combine(sums[r], value_of(&mine[r], j, in, run_place(r), is_whole));
    }
    scan_runs(sums, all);
    if (threadIdx.x == 0)
        tell(words, number, *all, OWN, epoch);
}

// The sum of the tiles between a block's last one and this one, from `first` on: at most LOOK, 32 a
// warp. `flag` and `a` are what a thread has seen of its tile before, if anything. Every thread gets the
// sum of all. `turn` is 0 and 1 by turns, so that one barrier is enough.
__device__ __forceinline__ accum sum_between(const unsigned long long *words, unsigned first,
                                             unsigned number, unsigned epoch, unsigned turn,
                                             unsigned flag, accum a)
{
    __shared__ accum seen[2][LOOK / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp < LOOK / 32) {
        const unsigned at = first + threadIdx.x;
        while (at < number && (flag >> 2 != epoch || (flag & 3) == 0)) {
            wait_a_bit();
            flag = read_tile(words, at, &a);
        }
        __syncwarp();
        #pragma unroll
        for (int d = 1; d < 32; d *= 2)
            //? if COMBINE == OTHER
            a = combine(a, shuffle_down(a, d));
            //? else
            a = combine(a, __shfl_down_sync(~0u, a, d));
            //? end
        if (lane == 0)
            seen[turn][warp] = a;
    }
    __syncthreads();
    accum sum = seen[turn][0];
    for (int w = 1; w < LOOK / 32; w++)
        sum = combine(sum, seen[turn][w]);
    return sum;
}
//? end
//? if METHOD == ONE_CLUSTER

// What each block of the cluster gathers by turns: a value of each other block, and a barrier that
// counts their bytes.
typedef struct {
    accum value[2][CLUSTER];
    unsigned long long barrier[2];
} gathered;

// Before anything else: all blocks prepare to be sent to, and say that they have started.
__device__ __forceinline__ void gather_begin(gathered *to)
{
    if (threadIdx.x == 0) {
        barrier_init(&to->barrier[0]);
        barrier_init(&to->barrier[1]);
        barrier_publish();
    }
    cluster_arrive();
}

// Exchanges the sums of the tiles that the cluster's blocks have in this round. *so_far, the sum of
// all rounds before, becomes that of all up to this one; returns what is before the block's own
// tile. The last round sends only to blocks behind, so that nobody is sent to when it has ended.
__device__ __forceinline__ accum cluster_scan(accum all, accum *so_far, gathered *with,
                                              unsigned round, bool is_last)
{
    const unsigned rank = cluster_rank(), turn = round % 2, lane = threadIdx.x;
    if (lane == 0)
        barrier_expect(&with->barrier[turn], (is_last ? rank : CLUSTER - 1) * sizeof(accum));
    if (lane < 32) {
        if (round == 0)
            cluster_wait(); // all blocks have started, and their barriers are there
        if (lane < CLUSTER && (lane > rank || (lane < rank && !is_last)))
            send_to(lane, &with->value[turn][rank], all, &with->barrier[turn]);
    }
    barrier_wait(&with->barrier[turn], round / 2 % 2);
    accum before = *so_far, sum = *so_far;
    #pragma unroll
    for (unsigned i = 0; i < CLUSTER; i++) {
        if (i == rank)
            before = sum;
        if (i < rank || !is_last)
            sum = combine(sum, i == rank ? all : with->value[turn][i]);
    }
    *so_far = sum;
    return before;
}
//? end

//? if METHOD == LOOK_BACK
// Scans n elements of x, n is not 0: a tile a block. Each leaves the sum of its tile in `state`
// with a flag in the same word, looks back at those before it for what to begin with, and leaves
// the sum of all up to it. The first word of `state` has the call's epoch, to which the block of the
// last tile adds one: it has waited for all others to begin. Zero all before the first call, and
// after an aborted one.
//? if NUMBERING == TICKET
// Blocks take tiles in the order in which they start, so that none waits for one that has not.
//? else
// A block waits for those of lower indices: these must have been started before it, as GPUs do.
//? end
//? elif METHOD == WAVES
// Scans n elements of x, n is not 0: of each wave of tiles a block has one, all blocks resident. It
// leaves the sum of its next tile in `state` before it ends the one it has, and copies those behind
// it meanwhile. What is before a tile is what was before its last one, that, and the sums of the
// other blocks' tiles between. The first word of `state` has the call's epoch, to which the block of
// the last tile adds one: it has waited for all others to begin. Zero all before the first call, and
// after an aborted one.
//? elif METHOD == ONE_BLOCK
// Scans n elements of x, n is not 0, by one block, tile by tile.
//? elif METHOD == ONE_CLUSTER
// Scans n elements of x, n is not 0, by one cluster: a tile a block, round by round.
//? elif METHOD == SUMS
// The first step: each block leaves the sum of its share of the tiles in `partials`.
//? else
// The second step: each block scans its share of the tiles, behind the sum of all shares before it.
//? end
__global__ void
//? if METHOD == ONE_CLUSTER
__cluster_dims__(CLUSTER, 1, 1)
//? end
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
//? if HAS_FINISH && (METHOD == LOOK_BACK || METHOD == WAVES)
scan(const elem *x, unsigned long long n, output *y, unsigned long long *state)
//? elif HAS_FINISH
scan(const elem *x, unsigned long long n, output *y)
//? elif METHOD == LOOK_BACK || METHOD == WAVES
scan(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
//? elif METHOD == ONE_BLOCK || METHOD == ONE_CLUSTER
scan(const elem *x, unsigned long long n, accum *y)
//? elif METHOD == SUMS
scan(const elem *x, unsigned long long n, accum *partials)
//? else
scan(const elem *x, unsigned long long n, accum *y, const accum *partials)
//? end
{
    run mine[RUNS];
    accum sums[RUNS], all;
    //? if METHOD == WAVES
    unsigned long long *const words = state + 1;
    const unsigned epoch = (unsigned)(read_word(state) >> 32);
    //? if VECTOR > 1
    const unsigned long long end = n + (unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = (unsigned)((end + TILE - 1) / TILE);
    //? else
    const unsigned tiles = (unsigned)((n + TILE - 1) / TILE);
    //? end
    const unsigned step = gridDim.x;
    run next[RUNS];
    accum so_far = identity(), next_sums[RUNS], next_all;
    unsigned slot = 1 % STAGES;
    for (unsigned s = 0; s < STAGES; s++) {
        const tile ahead = find_tile(x, n, y, blockIdx.x + s * step);
        copy_tile(s, &ahead);
    }
    wait_group();
    tile own = find_tile(x, n, y, blockIdx.x);
    read_slot(mine, 0);
    const tile refill = find_tile(x, n, y, blockIdx.x + STAGES * step);
    copy_tile(0, &refill);
    begin_tile(sums, &all, mine, &own, words, blockIdx.x, epoch);
    __syncthreads(); // all have read what the next tile's sum is made in
    for (unsigned number = blockIdx.x, turn = 0; number < tiles; number += step, turn ^= 1) {
        // What other blocks have left comes while the next tile is begun.
        const unsigned first = number < step ? 0 : number - step + 1;
        accum early = identity();
        unsigned flag = 0;
        if (threadIdx.x < LOOK && first + threadIdx.x < number)
            flag = read_tile(words, first + threadIdx.x, &early);
        wait_group();
        const tile coming = find_tile(x, n, y, number + step);
        if (number + step < tiles) {
            read_slot(next, slot);
            const tile ahead = find_tile(x, n, y, number + (STAGES + 1) * step);
            copy_tile(slot, &ahead);
            begin_tile(next_sums, &next_all, next, &coming, words, number + step, epoch);
        }
        const accum before =
            combine(so_far, sum_between(words, first, number, epoch, turn, flag, early));
        if (number == tiles - 1 && threadIdx.x == 0)
            begin_epoch(state, (epoch + 1) % (1u << 30));
        #pragma unroll
        for (int r = 0; r < RUNS; r++)
            sums[r] = combine(before, sums[r]);
        write_tile(sums, mine, &own);
        so_far = combine(before, all);
        #pragma unroll
        for (int r = 0; r < RUNS; r++) {
            mine[r] = next[r];
            sums[r] = next_sums[r];
        }
        all = next_all;
        own = coming;
        slot = slot + 1 == STAGES ? 0 : slot + 1;
    }
    //? elif METHOD == LOOK_BACK
    unsigned long long *const words = state + 1;
    //? if NUMBERING == TICKET
    __shared__ unsigned long long ticket;
    if (threadIdx.x == 0)
        ticket = take_ticket(state);
    __syncthreads();
    const unsigned number = (unsigned)ticket, epoch = (unsigned)(ticket >> 32);
    //? else
    const unsigned number = blockIdx.x;
    unsigned epoch = 0;
    if (threadIdx.x < (LOOK > 32 ? LOOK : 32)) // those that look: it comes while elements do
        epoch = (unsigned)(read_word(state) >> 32);
    //? end
    const tile own = find_tile(x, n, y, number);
    const bool is_whole = own.low == 0 && own.high == TILE;
    if (is_whole)
        sum_tile(sums, mine, &own, true);
    else
        sum_tile(sums, mine, &own, false);
    scan_runs(sums, &all);
    accum so_far = identity();
    //? if LOOK <= 32
    __shared__ accum before_all;
    if (threadIdx.x < 32) {
    //? end
        //? if PREFIXES == EVERY
        if (number > 0 && threadIdx.x == 0)
        //? else
        if (number % LOOK != LOOK - 1 && threadIdx.x == 0)
        //? end
            tell(words, number, all, OWN, epoch);
        if (number > 0)
            so_far = look_back(words, number, epoch);
        if (threadIdx.x == 0) {
            //? if PREFIXES == GROUPS
            if (number % LOOK == LOOK - 1) // so that sums are always of the same tiles
            //? end
                tell(words, number, combine(so_far, all), ALL_UP_TO, epoch);
            if (number == gridDim.x - 1)
                begin_epoch(state, (epoch + 1) % (1u << 30));
            //? if LOOK <= 32
            before_all = so_far;
            //? end
        }
    //? if LOOK <= 32
    }
    __syncthreads();
    so_far = before_all;
    //? end
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        sums[r] = combine(so_far, sums[r]);
    write_tile(sums, mine, &own);
    //? else
    //? if VECTOR > 1
    const unsigned long long end = n + (unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = (unsigned)((end + TILE - 1) / TILE);
    //? else
    const unsigned tiles = (unsigned)((n + TILE - 1) / TILE);
    //? end
    accum so_far = identity();
    //? if METHOD == ONE_CLUSTER
    __shared__ gathered cluster;
    gather_begin(&cluster);
    const unsigned rounds = (tiles + CLUSTER - 1) / CLUSTER;
    //? elif METHOD == ONE_BLOCK
    const unsigned first = 0, last = tiles;
    //? else
    const unsigned first = (unsigned)((unsigned long long)tiles * blockIdx.x / gridDim.x);
    const unsigned last = (unsigned)((unsigned long long)tiles * (blockIdx.x + 1) / gridDim.x);
    //? end
    //? if METHOD == REDUCE_FIRST
    const unsigned share = (blockIdx.x + BLOCK - 1) / BLOCK; // of the shares before, a thread's
    for (unsigned i = threadIdx.x * share; i < (threadIdx.x + 1) * share && i < blockIdx.x; i++)
        so_far = combine(so_far, partials[i]);
    warps_scan(lanes_scan(so_far, 32), &all);
    so_far = all;
    __syncthreads(); // all have read what warps_scan writes again
    //? end
    //? if METHOD == ONE_CLUSTER
    for (unsigned round = 0; round < rounds; round++) {
        const unsigned number = round * CLUSTER + cluster_rank();
    //? else
    for (unsigned number = first; number < last; number++) {
    //? end
        //? if METHOD == SUMS
        const tile own = find_tile(x, n, partials, number);
        //? else
        const tile own = find_tile(x, n, y, number);
        //? end
        const bool is_whole = own.low == 0 && own.high == TILE;
        if (is_whole)
            sum_tile(sums, mine, &own, true);
        else
            sum_tile(sums, mine, &own, false);
        scan_runs(sums, &all);
        //? if METHOD != SUMS
        //? if METHOD == ONE_CLUSTER
        const accum before =
            cluster_scan(all, &so_far, &cluster, round, round == rounds - 1);
        //? else
        const accum before = so_far;
        //? end
        #pragma unroll
        for (int r = 0; r < RUNS; r++)
            sums[r] = combine(before, sums[r]);
        write_tile(sums, mine, &own);
        //? end
        //? if METHOD != ONE_CLUSTER
        so_far = combine(so_far, all);
        //? end
        __syncthreads(); // all have read what the next tile writes
    }
    //? if METHOD == SUMS
    if (threadIdx.x == 0)
        partials[blockIdx.x] = so_far;
    //? end
    //? end
}
