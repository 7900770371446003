//? if FINISH == INIT
// Prepares the result for blocks that combine into it.
__global__ void reduce(accum *y)
{
    *y = identity();
}
//? else
//? if WARP == SHUFFLE || WARP == REDUX
// Combines the values of the first `lanes` lanes of a warp; lane 0 gets the result.
__device__ __forceinline__ accum warp_reduce(accum a, int lanes)
{
    //? if !COMMUTES
    for (int d = 1; d < lanes; d *= 2) // neighbours first
        a = combine(a, shuffle_down(a, d));
    return a;
    //? elif WARP == SHUFFLE && COMBINE == OTHER
    for (int d = lanes / 2; d > 0; d /= 2)
        a = combine(a, shuffle_down(a, d));
    return a;
    //? elif WARP == SHUFFLE
    for (int d = lanes / 2; d > 0; d /= 2)
        a = combine(a, __shfl_down_sync(~0u, a, d));
    return a;
    //? else
    return warp_redux(a); // lanes past `lanes` hold the identity
    //? end
}

//? end
//? if FINISH != PACKED_WARPS
// Combines one value a thread; thread 0 gets the result.
//? if FINISH == BINNED && BLOCK > 32
// It also gets the sum of the warps' magnitudes.
//? end
//? if FINISH == BINNED && BLOCK > 32
__device__ __forceinline__ accum block_reduce(accum a, places at, accum *size)
//? elif HAS_PLACES
__device__ __forceinline__ accum block_reduce(accum a, places at)
//? else
__device__ __forceinline__ accum block_reduce(accum a)
//? end
{
    //? if WARP == TREE || WARP == VOLATILE || BLOCK > 32
    const unsigned t = threadIdx.x;
    //? end
    //? if WARP == TREE
    __shared__ accum shared[BLOCK];
    shared[t] = a;
    for (unsigned d = BLOCK / 2; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = a = combine(a, shared[t + d]);
    }
    //? elif WARP == VOLATILE
    __shared__ volatile accum shared[BLOCK + 16]; // lane 31 reads 16 beyond itself
    shared[t] = a;
    for (unsigned d = BLOCK / 2; d >= 32; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = a = combine(a, shared[t + d]);
    }
    if (t < 32) {
        for (unsigned d = 16; d > 0; d /= 2) {
            __syncwarp(); // all lanes have written ...
            a = combine(a, shared[t + d]);
            __syncwarp(); // ... and all have read
            shared[t] = a;
        }
    }
    //? else
    a = warp_reduce(a, 32);
    //? if BLOCK > 32
    //? if !HAS_PLACES
    __shared__ accum shared[BLOCK / 32];
    if (t % 32 == 0)
        shared[t / 32] = a;
    __syncthreads();
    if (t < 32)
        a = warp_reduce(t < BLOCK / 32 ? shared[t] : identity(), BLOCK / 32);
    //? else
    if (t % 32 == 0)
        put_shared(at.warp, a);
    __syncthreads();
    //? if WARP == REDUX
    if (t < 32)
        a = warp_redux(t < BLOCK / 32 ? get_shared(at.thread) : identity());
    //? elif FINISH == BINNED
    if (t == 0)
        a = gather_warps(at.thread, size);
    //? else
    if (t == 0)
        a = gather_warps(at.thread);
    //? end
    //? end
    //? end
    //? end
    return a;
}

//? end
//? if CLUSTER > 1
// Combines one value a block of the cluster, in their order; thread 0 of its first block gets the
// result. The others may end before theirs has come; the first ends when all have.
__device__ __forceinline__ accum cluster_reduce(accum a, cluster_values *to)
{
    const unsigned rank = cluster_rank();
    if (rank != 0 && threadIdx.x < 32)
        cluster_wait(); // the first block has started, and its barrier is there
    if (threadIdx.x == 0 && rank != 0) {
        send(&to->value[rank], a, &to->barrier);
    } else if (threadIdx.x == 0) {
        barrier_wait(&to->barrier, 0);
        #pragma unroll
        for (int i = 1; i < CLUSTER; i++)
            a = combine(a, to->value[i]);
    }
    return a;
}

//? end
//? if !COMMUTES
// A warp's tile of the input: the places from x on, of which [low, high) have elements.
typedef struct {
    const elem *x;
    unsigned low, high;
    //? if HAS_INDEX
    unsigned long long first; // the index at x, modulo 2^64
    //? end
} tile;

// Is this place of a tile one of the input?
__device__ __forceinline__ bool holds(const tile *in, unsigned place)
{
    return place - in->low < in->high - in->low;
}

//? if LOADS > 1
// A warp's shared memory, in which its loads change places.
__device__ __forceinline__ vec *warp_room(void)
{
    __shared__ vec rooms[BLOCK / 32][32 * LOADS];
    return rooms[threadIdx.x / 32];
}

//? end
// What the lanes had of tiles before becomes the first lane's, which goes on from there; then each lane has
// neighbours of this tile. `is_whole` says that all places have elements.
__device__ __forceinline__ accum take_tile(accum a, const tile *from, const bool is_whole)
{
    const unsigned lane = threadIdx.x % 32;
    vec got[LOADS];
    #pragma unroll
    for (int u = 0; u < LOADS; u++) {
        const unsigned place = (u * 32 + lane) * VECTOR;
        if (is_whole || (holds(from, place) && holds(from, place + (VECTOR - 1))))
            got[u] = load((const vec *)(from->x + place));
        else
            for (int k = 0; k < VECTOR; k++)
                if (holds(from, place + k))
                    got[u].at[k] = from->x[place + k];
    }
    a = warp_reduce(a, 32); // while the loads are under way
    if (lane != 0)
        a = identity();
    //? if LOADS > 1
    to_neighbours(got, warp_room(), 32, LOADS);
    //? end
    #pragma unroll
    for (int u = 0; u < LOADS; u++) {
        const unsigned place = (lane * LOADS + u) * VECTOR;
        //? if HAS_INDEX
        if (is_whole || (holds(from, place) && holds(from, place + (VECTOR - 1))))
            a = fold(a, got[u], from->first + place);
        else
            for (int k = 0; k < VECTOR; k++)
                if (holds(from, place + k))
                    a = combine(a, map(got[u].at[k], from->first + place + k));
        //? else
        if (is_whole || (holds(from, place) && holds(from, place + (VECTOR - 1))))
            a = fold(a, got[u]);
        else
            for (int k = 0; k < VECTOR; k++)
                if (holds(from, place + k))
                    a = combine(a, map(got[u].at[k]));
        //? end
    }
    return a;
}

// Combines a warp's share of all tiles, which are neighbours: what is left is to combine the lanes, in their order.
__device__ __forceinline__ accum take_share(const elem *x, unsigned long long n)
{
    //? if VECTOR > 1
    const unsigned skip = (unsigned)((unsigned long long)x / ELEM_BYTES % VECTOR);
    //? else
    const unsigned skip = 0;
    //? end
    const unsigned long long end = n + skip;
    const unsigned tiles = (unsigned)((end + (32 * ITEMS - 1)) / (32 * ITEMS));
    const unsigned warps = gridDim.x * (BLOCK / 32);
    const unsigned warp = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
    const unsigned share = tiles / warps, more = tiles % warps;
    const unsigned first = warp * share + (warp < more ? warp : more);
    const unsigned last = first + share + (warp < more ? 1 : 0);
    accum a = identity();
    for (unsigned i = first; i < last; i++) {
        const unsigned long long begin = (unsigned long long)i * (32 * ITEMS);
        const unsigned high = end - begin < 32 * ITEMS ? (unsigned)(end - begin) : 32 * ITEMS;
        //? if HAS_INDEX
        const tile own = {x + begin - skip, i == 0 ? skip : 0, high, begin - skip};
        //? else
        const tile own = {x + begin - skip, i == 0 ? skip : 0, high};
        //? end
        a = own.low == 0 && high == 32 * ITEMS ? take_tile(a, &own, true)
                                               : take_tile(a, &own, false);
    }
    return a;
}

//? elif WALK != ONE
//? if VECTOR > 1
// What is no whole tile: `front` elements of x, and the last `left` of all n, which begin at
// `rest`.
__device__ __forceinline__ accum ends(const elem *x, unsigned long long n, const vec *rest,
                                      unsigned front, unsigned left)
//? elif HAS_INDEX
// What is no whole tile: the last `left` elements of all n, from `rest` on.
__device__ __forceinline__ accum ends(unsigned long long n, const vec *rest, unsigned left)
//? else
// What is no whole tile: `left` elements from `rest` on.
__device__ __forceinline__ accum ends(const vec *rest, unsigned left)
//? end
{
    const unsigned threads = (gridDim.x < LOADS ? gridDim.x : LOADS) * BLOCK;
    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned whole = left / VECTOR;
    accum a = identity();
    //? if VECTOR > 1
    accum first = identity(), last = identity();
    //? if HAS_INDEX
    const unsigned long long behind = n - left % VECTOR + thread;
    if (thread < front)
        first = map(x[thread], thread);
    if (thread < left % VECTOR)
        last = map(x[behind], behind);
    //? else
    if (thread < front)
        first = map(x[thread]);
    if (thread < left % VECTOR)
        last = map(x[n - left % VECTOR + thread]);
    //? end
    //? end
    #pragma unroll 1
    for (unsigned i = thread; i < whole; i += ENDS * threads) {
        vec got[ENDS];
        #pragma unroll
        for (unsigned u = 0; u < ENDS; u++) {
            const unsigned at = i + u * threads < whole ? i + u * threads : i; // there, at least
            //? if LOAD == ASYNC || LOAD == BULK
            got[u] = rest[at];
            //? else
            got[u] = load(rest + at);
            //? end
        }
        #pragma unroll
        for (unsigned u = 0; u < ENDS; u++)
            if (i + u * threads < whole)
                //? if HAS_INDEX
                a = fold(a, got[u], n - left + (i + u * threads) * VECTOR);
                //? else
                a = fold(a, got[u]);
                //? end
    }
    //? if VECTOR > 1
    a = combine(a, combine(first, last));
    //? end
    return a;
}

//? end
//? if !COMMUTES
// Reduces n elements of x, n may be 0. Neighbours are combined, by lane, warp and block, in their order.
//? elif WALK == ONE
// Reduces n elements of x, n may be 0. Each block has a tile of BLOCK * LOADS loads, and there are
// as many as n takes; the first also has what is less than a load at both ends.
//? else
// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
//? end
//? if FINISH == PASSES
// Writes one value a block to y: reduce those again until one is left.
//? elif FINISH == LAST_BLOCK
// The last block to arrive reduces what all left in `partials` to *y. `state` counts them: zero
// before and after. An aborted launch leaves it above zero: clear it then.
//? elif FINISH == PACKED || FINISH == PACKED_WARPS
// `state` gathers the sum in its high half, which wraps around, and counts in its low half; who
// completes the count writes *y and sets it back to zero. An aborted launch leaves it above
// zero: clear it then.
//? elif FINISH == BINNED
// `state` gathers the blocks' values as integers, so that their order does not matter: a word for
// each range of exponents, and one that counts the blocks. The last to arrive sets them back to
// zero and writes *y, or, of several groups of blocks, leaves a value for the last group. An
// aborted launch leaves some above zero: clear them then.
//? elif FINISH == FLAGGED
// Each block leaves its value in a word of `state`, and a flag in the same store; the last block
// gathers them in their order and sets them back to zero. An aborted launch leaves some above
// zero: clear them then.
//? elif FINISH == VALUE
// `state` holds a value that all blocks combine into, written so that zero is the identity, and
// the count of blocks; the last to arrive writes *y and sets both back to zero. An aborted
// launch leaves them above zero: clear them then.
//? elif FINISH == BARRIER
// All blocks are resident and meet at a barrier; then the first reduces what all left in
// `partials` to *y. `state` counts who came and who left: zero before and after. An aborted
// launch leaves it above zero: clear it then.
//? elif FINISH == ATOMIC
// Each block combines its value into *y, which holds the identity before; nothing to clear.
//? end
__global__ void
//? if CLUSTER > 1
__cluster_dims__(CLUSTER, 1, 1)
//? end
//? if MIN_BLOCKS > 0
__launch_bounds__(BLOCK, MIN_BLOCKS)
//? else
__launch_bounds__(BLOCK)
//? end
//? if HAS_FINISH && (FINISH == LAST_BLOCK || FINISH == BARRIER)
reduce(const elem *x, unsigned long long n, output *y, accum *partials, unsigned *state)
//? elif HAS_FINISH
reduce(const elem *x, unsigned long long n, output *y, unsigned long long *state)
//? elif FINISH == LAST_BLOCK || FINISH == BARRIER
reduce(const elem *x, unsigned long long n, accum *y, accum *partials, unsigned *state)
//? elif FINISH == PASSES || FINISH == ATOMIC
reduce(const elem *x, unsigned long long n, accum *y)
//? else
reduce(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
//? end
{
    //? if COMMUTES
    accum a = identity();
    //? end
    //? if CLUSTER > 1
    __shared__ cluster_values cluster;
    cluster_begin(&cluster);
    //? end
    //? if HAS_PLACES
    __shared__ __align__(16) accum shared[BLOCK / 32]; // a value of each warp
    const places at = places_in(shared);
    //? end
    //? if FINISH == BINNED
    // Groups of blocks, of which the last may have fewer, add up their values.
    const unsigned group = blockIdx.x / GROUP;
    const unsigned groups = (gridDim.x + GROUP - 1) / GROUP;
    const unsigned members = group + 1 < groups ? GROUP : gridDim.x - group * GROUP;
    unsigned long long *const words =
        (unsigned long long *)early_address(state + group * WORDS);
    //? elif IS_AHEAD && FINISH != PASSES
    unsigned long long *const words = (unsigned long long *)early_address(state);
    //? end
    //? if IS_AHEAD && HAS_FINISH
    output *const result = (output *)early_address(y);
    //? elif IS_AHEAD
    accum *const result = (accum *)early_address(y);
    //? end
    //? if !COMMUTES
    accum a = take_share(x, n);
    //? elif WALK == ONE
    // All loads of the block are under way before the first is waited for, wherever x starts and
    // n ends: those that are not whole are masked. Blocks past the last tile do nothing.
    //? if VECTOR > 1
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const long long left = (long long)(n - head) - (long long)blockIdx.x * TILE;
    const vec *v = (const vec *)(x + head);
    //? else
    const long long left = (long long)n - (long long)blockIdx.x * TILE;
    const vec *v = (const vec *)x;
    //? end
    const int mine = (left < TILE ? (int)left : TILE) - (int)threadIdx.x * VECTOR;
    const vec *from = v + (unsigned long long)blockIdx.x * (BLOCK * LOADS) + threadIdx.x;
    //? if COMBINE == ADD && MAP != MAPPED
    vec got[LOADS] = {}; // zeros change nothing, so that what is masked can be added, too
    //? else
    vec got[LOADS];
    //? end
    #pragma unroll
    for (int u = 0; u < LOADS; u++)
        if (mine >= (u * BLOCK + 1) * VECTOR)
            got[u] = load(from + u * BLOCK);
    //? if VECTOR > 1
    const unsigned front = n < head ? (unsigned)n : head;
    const unsigned last = ((unsigned)n - front) % VECTOR;
    accum before = identity(), behind = identity();
    // No `&&`: a branch would make the loads behind it wait.
    //? if HAS_INDEX
    if ((blockIdx.x == 0) & (threadIdx.x < front))
        before = map(x[threadIdx.x], threadIdx.x);
    if ((blockIdx.x == 0) & (threadIdx.x < last))
        behind = map(x[n - 1 - threadIdx.x], n - 1 - threadIdx.x);
    //? else
    if ((blockIdx.x == 0) & (threadIdx.x < front))
        before = map(x[threadIdx.x]);
    if ((blockIdx.x == 0) & (threadIdx.x < last))
        behind = map(x[n - 1 - threadIdx.x]);
    //? end
    //? end
    //? if HAS_INDEX
    const unsigned long long at_first =
        (unsigned long long)((const elem *)from - x); // of the thread's first load
    //? end
    #pragma unroll
    for (int u = 0; u < LOADS; u++)
        //? if COMBINE != ADD || MAP == MAPPED
        if (mine >= (u * BLOCK + 1) * VECTOR)
        //? end
            //? if HAS_INDEX
            a = fold(a, got[u], at_first + u * (BLOCK * VECTOR));
            //? else
            a = fold(a, got[u]);
            //? end
    //? if VECTOR > 1
    a = combine(a, combine(before, behind));
    //? end
    //? else
    //? if LOAD == BULK
    // Elements before the first address at which bulk copies are fast.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % ALIGN;
    const unsigned tiles = n < head ? 0 : (unsigned)((n - head) / TILE);
    const vec *v = (const vec *)(x + head);
    //? elif VECTOR > 1
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = n < head ? 0 : (unsigned)((n - head) / TILE);
    const vec *v = (const vec *)(x + head);
    //? else
    const unsigned tiles = (unsigned)(n / TILE);
    const vec *v = (const vec *)x;
    //? end
    //? if ACCUMS > 1
    accum part[ACCUMS];
    #pragma unroll
    for (int i = 0; i < ACCUMS; i++)
        part[i] = identity();
    //? elif MATH == TENSOR
    frag rows = {{0, 0, 0, 0}};
    //? end
    //? if WALK == CONTIGUOUS
    const unsigned step = 1;
    const unsigned first = (unsigned)((unsigned long long)tiles * blockIdx.x / gridDim.x);
    const unsigned end = (unsigned)((unsigned long long)tiles * (blockIdx.x + 1) / gridDim.x);
    //? else
    const unsigned step = gridDim.x, first = blockIdx.x, end = tiles;
    //? end
    //? if LOAD == ASYNC
    // Each thread copies ahead into its own places of the ring, so that it waits for nobody.
    __shared__ vec ring[STAGES][LOADS][BLOCK];
    unsigned ahead = first;
    #pragma unroll
    for (int s = 0; s < STAGES - 1; s++, ahead += step) {
        if (ahead < end)
            for (int i = 0; i < LOADS; i++)
                copy_async(&ring[s][i][threadIdx.x],
                           v + ((unsigned long long)ahead * LOADS + i) * BLOCK + threadIdx.x);
        close_group();
    }
    unsigned s = 0, refilled = STAGES - 1;
    for (unsigned tile = first; tile < end; tile += step, ahead += step) {
        if (ahead < end)
            for (int i = 0; i < LOADS; i++)
                copy_async(&ring[refilled][i][threadIdx.x],
                           v + ((unsigned long long)ahead * LOADS + i) * BLOCK + threadIdx.x);
        close_group();
        wait_group();
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            //? if ACCUMS > 1
            part[i % ACCUMS] = fold(part[i % ACCUMS], ring[s][i][threadIdx.x]);
            //? elif MATH == TENSOR
            rows = fold_tensor(rows, ring[s][i][threadIdx.x]);
            //? else
            a = fold(a, ring[s][i][threadIdx.x]);
            //? end
        refilled = s;
        s = s + 1 == STAGES ? 0 : s + 1;
    }
    //? elif LOAD == BULK
    // One thread copies whole tiles ahead into the ring; `filled` tells all when one is there.
    extern __shared__ __align__(128) vec ring[];
    __shared__ unsigned long long filled[STAGES];
    unsigned ahead = first;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++)
            barrier_init(&filled[s]);
        barrier_publish();
        for (int s = 0; s < STAGES; s++, ahead += step)
            if (ahead < end)
                copy_bulk(ring + s * (BLOCK * LOADS),
                          v + (unsigned long long)ahead * (BLOCK * LOADS), &filled[s]);
    }
    __syncthreads();
    unsigned s = 0, phase = 0;
    for (unsigned tile = first; tile < end; tile += step, ahead += step) {
        barrier_wait(&filled[s], phase);
        const vec *from = ring + s * (BLOCK * LOADS) + threadIdx.x;
        #pragma unroll
        for (int i = 0; i < LOADS; i++)
            //? if ACCUMS > 1
            part[i % ACCUMS] = fold(part[i % ACCUMS], from[i * BLOCK]);
            //? elif MATH == TENSOR
            rows = fold_tensor(rows, from[i * BLOCK]);
            //? else
            a = fold(a, from[i * BLOCK]);
            //? end
        __syncthreads(); // all have read: the place can be filled again
        if (threadIdx.x == 0 && ahead < end)
            copy_bulk(ring + s * (BLOCK * LOADS),
                      v + (unsigned long long)ahead * (BLOCK * LOADS), &filled[s]);
        if (++s == STAGES) {
            s = 0;
            phase ^= 1;
        }
    }
    //? else
    const vec *mine = v + threadIdx.x;
    for (unsigned tile = first; tile < end; tile += step) {
        const vec *from = mine + (unsigned long long)tile * (BLOCK * LOADS);
        #pragma unroll 1
        for (int i = 0; i < LOADS; i += UNROLL) {
            vec got[UNROLL];
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                got[u] = load(from + (i + u) * BLOCK);
            //? if COMBINE == OTHER && ACCUMS == 1
            accum all[UNROLL];
            //? end
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                //? if HAS_INDEX && ACCUMS > 1
                part[u % ACCUMS] = fold(part[u % ACCUMS], got[u],
                                        (const elem *)(from + (i + u) * BLOCK) - x);
                //? elif HAS_INDEX
                all[u] = fold_alone(got[u], (const elem *)(from + (i + u) * BLOCK) - x);
                //? elif COMBINE == OTHER && ACCUMS == 1
                all[u] = fold_alone(got[u]);
                //? elif ACCUMS > 1
                part[u % ACCUMS] = fold(part[u % ACCUMS], got[u]);
                //? elif MATH == TENSOR
                rows = fold_tensor(rows, got[u]);
                //? else
                a = fold(a, got[u]);
                //? end
            //? if COMBINE == OTHER && ACCUMS == 1
            a = combine(a, fold_tree(all, UNROLL));
            //? end
        }
    }
    //? end
    //? if ACCUMS > 1
    #pragma unroll
    for (int i = 0; i < ACCUMS; i++)
        a = combine(a, part[i]);
    //? elif MATH == TENSOR
    // Four lanes have the same two rows: one of them counts.
    if (threadIdx.x % 4 == 0)
        a = combine(a, combine(rows.at[0], rows.at[2]));
    //? end

    // Less than a tile is left, and at both ends less than a vector: for the first LOADS blocks.
    if (blockIdx.x < LOADS) {
        //? if VECTOR > 1
        const unsigned front = n < head ? (unsigned)n : head;
        const unsigned left = (unsigned)n - front - tiles * TILE;
        if ((front | left) != 0)
            a = combine(a, ends(x, n, v + (unsigned long long)tiles * (BLOCK * LOADS), front,
                                left));
        //? elif HAS_INDEX
        const unsigned left = (unsigned)n - tiles * TILE;
        if (left != 0)
            a = combine(a, ends(n, v + (unsigned long long)tiles * (BLOCK * LOADS), left));
        //? else
        const unsigned left = (unsigned)n - tiles * TILE;
        if (left != 0)
            a = combine(a, ends(v + (unsigned long long)tiles * (BLOCK * LOADS), left));
        //? end
    }
    //? end

    //? if FINISH == PACKED_WARPS
    a = warp_reduce(a, 32);
    //? elif FINISH == BINNED && BLOCK > 32
    accum size;
    a = block_reduce(a, at, &size);
    //? elif HAS_PLACES
    a = block_reduce(a, at);
    //? else
    a = block_reduce(a);
    //? end
    //? if FINISH == BINNED && BLOCK == 32
    const accum size = magnitude(a);
    //? end
    //? if CLUSTER > 1
    a = cluster_reduce(a, &cluster);
    if (cluster_rank() != 0)
        return;
    //? end
    //? if CLUSTER > 1 && FINISH != ATOMIC && FINISH != PASSES
    const unsigned blocks = gridDim.x / CLUSTER;
    //? elif FINISH != ATOMIC && FINISH != PASSES && FINISH != BINNED
    const unsigned blocks = gridDim.x;
    //? end
    //? if CLUSTER > 1 && (FINISH == PASSES || FINISH == LAST_BLOCK || FINISH == BARRIER || FINISH == FLAGGED)
    const unsigned block = blockIdx.x / CLUSTER;
    //? elif FINISH == PASSES || FINISH == LAST_BLOCK || FINISH == BARRIER || FINISH == FLAGGED
    const unsigned block = blockIdx.x;
    //? end
    //? if FINISH == PASSES && IS_AHEAD
    if (threadIdx.x == 0)
        result[block] = a;
    //? elif FINISH == PASSES
    if (threadIdx.x == 0)
        y[block] = a;
    //? elif FINISH == ATOMIC
    if (threadIdx.x == 0)
        combine_at(y, a);
    //? elif FINISH == PACKED || FINISH == PACKED_WARPS
    //? if FINISH == PACKED_WARPS
    if (threadIdx.x % 32 == 0) {
    //? else
    if (threadIdx.x == 0) {
    //? end
        //? if IS_AHEAD
        const unsigned long long sum = add_word(words, (unsigned long long)a << 32 | 1);
        //? else
        const unsigned long long sum = add_word(state, (unsigned long long)a << 32 | 1);
        //? end
        //? if FINISH == PACKED_WARPS
        if ((unsigned)sum == blocks * (BLOCK / 32)) {
        //? else
        if ((unsigned)sum == blocks) {
        //? end
            //? if IS_AHEAD && !HAS_FINISH
            *result = (accum)(sum >> 32);
            //? elif !HAS_FINISH
            *y = (accum)(sum >> 32);
            //? elif IS_AHEAD
            *result = finish((accum)(sum >> 32), n);
            //? else
            *y = finish((accum)(sum >> 32), n);
            //? end
            //? if IS_AHEAD
            clear_word(words);
            //? else
            clear_word(state);
            //? end
        }
    }
    //? elif FINISH == BINNED
    if (threadIdx.x == 0 && add_binned(words, a, size, members, &a)) {
        // Of several groups the last, whose blocks were started last, gathers in their order.
        unsigned long long *const others = state + groups * WORDS;
        if (group != groups - 1) {
            post(others, group, a);
        } else {
            accum sum = identity();
            for (unsigned i = 0; i + 1 < groups; i++)
                sum = combine(sum, take(others, i));
            //? if !HAS_FINISH
            *result = combine(sum, a);
            //? else
            *result = finish(combine(sum, a), n);
            //? end
        }
    }
    //? elif FINISH == VALUE
    if (threadIdx.x == 0) {
        update(state, a);
        if (arrive((unsigned *)(state + 1), blocks) == blocks - 1)
            //? if !HAS_FINISH
            *y = take_value(state);
            //? else
            *y = finish(take_value(state), n);
            //? end
    }
    //? else
    //? if FINISH == LAST_BLOCK
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partials[block] = a;
        is_last = arrive(state, blocks) == blocks - 1;
    }
    __syncthreads();
    if (!is_last)
        return;

    // The last block to arrive combines the partial results, in the same order every time.
    a = identity();
    //? if COMMUTES
    for (unsigned i = threadIdx.x; i < blocks; i += BLOCK)
        a = combine(a, partials[i]);
    //? else
    const unsigned share = (blocks + BLOCK - 1) / BLOCK; // neighbours
    for (unsigned i = threadIdx.x * share; i < (threadIdx.x + 1) * share && i < blocks; i++)
        a = combine(a, partials[i]);
    //? end
    //? elif FINISH == BARRIER
    if (threadIdx.x == 0) {
        partials[block] = a;
        meet(state, blocks);
    }
    __syncthreads();
    if (block != 0)
        return;
    a = identity();
    //? if COMMUTES
    for (unsigned i = threadIdx.x; i < blocks; i += BLOCK)
        a = combine(a, partials[i]);
    //? else
    const unsigned share = (blocks + BLOCK - 1) / BLOCK; // neighbours
    for (unsigned i = threadIdx.x * share; i < (threadIdx.x + 1) * share && i < blocks; i++)
        a = combine(a, partials[i]);
    //? end
    //? elif FINISH == FLAGGED
    if (block != blocks - 1) {
        if (threadIdx.x == 0)
            post(state, block, a);
        return;
    }

    // The last block gathers the values of those before it, which were all started before it.
    //? if COMMUTES
    if (threadIdx.x != 0)
        a = identity();
    for (unsigned i = threadIdx.x; i < blocks - 1; i += BLOCK)
        a = combine(a, take(state, i));
    //? else
    const accum own = a; // comes last
    const unsigned share = (blocks - 1 + BLOCK - 1) / BLOCK; // neighbours
    a = identity();
    for (unsigned i = threadIdx.x * share; i < (threadIdx.x + 1) * share && i < blocks - 1; i++)
        a = combine(a, take(state, i));
    //? end
    //? if WARP == TREE || BLOCK > 32
    __syncthreads(); // all are done with block_reduce's memory
    //? end
    //? end
    //? if HAS_PLACES
    a = block_reduce(a, at);
    //? else
    a = block_reduce(a);
    //? end
    //? if FINISH == FLAGGED && !COMMUTES
    a = combine(a, own);
    //? end
    if (threadIdx.x == 0)
        //? if !HAS_FINISH
        *y = a;
        //? else
        *y = finish(a, n);
        //? end
    //? end
}
//? end
