// sumsq of f16 accumulated in f32, for host: pass 'flagged' of ordered, made from ordered.cu by
// autotune emit --space ordered --op sumsq --type f16 --acc f32 --order n --arch host --pass flagged --variant BLOCK=64,LEAVES=1,UNROLL=1,LOAD=PLAIN,MIN_BLOCKS=1,CLUSTER=1,TAKE=1,FINISH=FLAGGED

enum {
    BLOCK = 64,     // threads per block
    LEAVES = 1,     // leaves that LANES threads take at a time
    UNROLL = 1,     // leaves whose loads are all under way at a time
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TAKE = 1,       // values of tiles that a thread gathers at a time
    VECTOR = 8,     // 16 / ELEM_BYTES
    LANES = 16,     // min(32, 128 / VECTOR)
    PARTS = 1,      // 128 / VECTOR / LANES
    ROUNDS = 8,     // 8
    LEAF = 1024,    // FRAME * ROUNDS
    HELD = 1,       // UNROLL * PARTS
    SPREAD = 1,     // HELD
    TILE = 4096,    // BLOCK / LANES * LEAVES * LEAF
    ELEM_BYTES = 2, // bytes of an element
};

typedef unsigned short elem; // its bits

typedef float accum;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0;
}

// a + b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_sum(accum a, accum b)
{
    return a + b;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return rounded_sum(a, b);
}

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// What one of LANES threads loads of a leaf. The leaf has FRAME accumulators, which take its elements
// in turn, ROUNDS times. VECTOR neighbours are a load, and a thread has PARTS loads a round, LANES
// loads apart. Loads are aligned: where the leaf begins `skip` elements past an aligned address,
// the first thread's first load begins before it. Where the elements end within a load, one
// thread has `rest` of them in `last`, for accumulators of its part `part`.
typedef struct {
    unsigned skip, rest, part;
    vec got[PARTS][ROUNDS], last;
} leaf_loads;

// The element that changes nothing.
__device__ __forceinline__ elem neutral(void)
{
    return 0;
}

__device__ __forceinline__ vec load(const vec *from)
{
    host_aligned(from, sizeof *from);
    return *from;
}

// Elements [from, to) of the load at x, and what changes nothing in place of the others. `inside` says
// that these can be read, too.
__device__ __forceinline__ vec load_partly(const elem *x, unsigned from, unsigned to, bool inside)
{
    vec got;
    if (inside)
        got = load((const vec *)x);
    #pragma unroll
    for (unsigned i = 0; i < VECTOR; i++)
        if (i < from || i >= to)
            got.at[i] = neutral();
        else if (!inside)
            got.at[i] = x[i];
    return got;
}

// Issues all loads of the leaf that begins with element `first` of n from x on; what is absent changes
// nothing. `inside` says that what is next to the n elements can be read, too.
__device__ __forceinline__ void load_leaf(leaf_loads *leaf, const elem *x,
                                          unsigned long long first, unsigned long long n,
                                          bool inside)
{
    const unsigned lane = threadIdx.x % LANES;
    const unsigned skip = (unsigned)((unsigned long long)x / ELEM_BYTES % VECTOR);
    const elem *begin = x - skip + first;
    const vec *from = (const vec *)begin + lane;
    leaf->skip = skip;
    leaf->rest = 0;
    if (skip == 0 && first + LEAF <= n) {
        #pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            #pragma unroll
            for (int p = 0; p < PARTS; p++)
                leaf->got[p][r] = load(from + (r * PARTS + p) * LANES);
        return;
    }
    const unsigned count = first + LEAF <= n ? LEAF : first < n ? (unsigned)(n - first) : 0;
    const int room = (int)(count + skip) - (int)((lane + 1) * VECTOR);
    const bool is_head = lane == 0 && skip > 0;
    #pragma unroll
    for (int r = 0; r < ROUNDS; r++)
        #pragma unroll
        for (int p = 0; p < PARTS; p++) {
            #pragma unroll
            for (int i = 0; i < VECTOR; i++)
                leaf->got[p][r].at[i] = neutral();
            if (room >= (r * PARTS + p) * (LANES * VECTOR) && !(r + p == 0 && is_head))
                leaf->got[p][r] = load(from + (r * PARTS + p) * LANES);
        }
    const bool is_within = inside || (first >= VECTOR && first + LEAF + VECTOR <= n);
    const unsigned whole = (skip + count) / VECTOR, rest = (skip + count) % VECTOR;
    if (is_head && count > 0)
        leaf->got[0][0] = load_partly(begin, skip, whole > 0 ? VECTOR : rest, is_within);
    if (whole % LANES == lane && rest > 0 && (whole > 0 || skip == 0)) {
        leaf->last = load_partly(begin + whole * VECTOR, 0, rest, is_within);
        leaf->rest = rest;
        leaf->part = whole / LANES % PARTS;
    }
}

// The value of an f16, exactly.
__device__ __forceinline__ float half_value(unsigned short bits)
{
    // The fields moved to where a float has them: its exponent is then too small by 112.
    const unsigned moved = (bits & 0x7fffu) << 13, sign = (bits & 0x8000u) << 16;
    if (moved >= 0x0f800000u)
        return __uint_as_float(moved | 0x7f800000u | sign);
    return __uint_as_float(__float_as_uint(__uint_as_float(moved) * 0x1p112f) | sign);
}

// a b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_product(accum a, accum b)
{
    return a * b;
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const accum x = half_value(value);
    return rounded_product(x, x);
}

// Combines what one load brought with VECTOR accumulators.
__device__ __forceinline__ void join_load(accum a[VECTOR], vec got)
{
    #pragma unroll
    for (int i = 0; i < VECTOR; i++)
        a[i] = combine(a[i], map(got.at[i]));
}

// What a thread's accumulators of a leaf come to, a value for each of PARTS: to be combined with
// those of the other lanes.
__device__ __forceinline__ void join_leaf(accum to[PARTS], const leaf_loads *leaf)
{
    const unsigned lane = threadIdx.x % LANES, skip = leaf->skip;
    accum a[PARTS][2 * VECTOR];
    #pragma unroll
    for (int p = 0; p < PARTS; p++) {
        #pragma unroll
        for (int i = 0; i < VECTOR; i++)
            a[p][i] = identity();
        #pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            join_load(a[p], leaf->got[p][r]);
    }
    // The first of a thread's accumulators is `skip` before its own: the next lane has what it
    // lacks at the other end.
    if (__any_sync(~0u, skip > 0 || leaf->rest > 0)) {
        #pragma unroll
        for (int p = 0; p < PARTS; p++)
            #pragma unroll
            for (int i = 0; i < VECTOR; i++) {
                const accum more = combine(a[p][i], map(leaf->last.at[i]));
                a[p][i] = leaf->rest > 0 && (PARTS == 1 || leaf->part == p) ? more : a[p][i];
            }
        #pragma unroll
        for (int i = 0; i < VECTOR - 1; i++) {
            accum next[PARTS];
            #pragma unroll
            for (int p = 0; p < PARTS; p++)
                next[p] = __shfl_sync(~0u, a[p][i], lane + 1, LANES);
            #pragma unroll
            for (int p = 0; p < PARTS; p++)
                a[p][VECTOR + i] = lane == LANES - 1 ? next[(p + 1) % PARTS] : next[p];
        }
        #pragma unroll
        for (int p = 0; p < PARTS; p++)
            #pragma unroll
            for (int by = 1; by < VECTOR; by *= 2)
                #pragma unroll
                for (int i = 0; i < 2 * VECTOR; i++)
                    if (i < 2 * VECTOR - 2 * by) {
                        const accum own = a[p][i], further = a[p][i + by];
                        a[p][i] = skip & by ? further : own;
                    }
    }
    #pragma unroll
    for (int p = 0; p < PARTS; p++) {
        #pragma unroll
        for (int width = VECTOR / 2; width > 0; width /= 2)
            #pragma unroll
            for (int i = 0; i < width; i++)
                a[p][i] = combine(a[p][2 * i], a[p][2 * i + 1]);
        to[p] = a[p][0];
    }
}

// Combines each of HELD values a thread with those of the other lanes of its LANES, by the tree over
// neighbours. Of two values a lane keeps one and gives its neighbour the other, for its own of
// the one; so a[i] is then value i * SPREAD + lane % SPREAD of all of them.
__device__ __forceinline__ void lanes_tree(accum a[HELD])
{
    const unsigned lane = threadIdx.x;
    #pragma unroll
    for (int d = 1; d < SPREAD; d *= 2)
        #pragma unroll
        for (int i = 0; i < HELD / 2 / d; i++) {
            const accum even = a[2 * i], odd = a[2 * i + 1];
            const accum other = __shfl_xor_sync(~0u, lane & d ? even : odd, d);
            a[i] = combine(lane & d ? odd : even, other);
        }
    #pragma unroll
    for (int d = SPREAD; d < LANES; d *= 2)
        a[0] = combine(a[0], __shfl_xor_sync(~0u, a[0], d));
}

// The value of the leaves that a warp takes of n elements from x on: LEAVES for each LANES threads,
// from leaf number `leaf` on, side by side and then one after another. Lane 0 gets it. `inside`
// says that what is next to the elements can be read.
__device__ __forceinline__ accum take_leaves(const elem *x, unsigned long long n, unsigned leaf,
                                             bool inside)
{
    const unsigned lane = threadIdx.x % 32;
    accum all = identity();
    #pragma unroll 1
    for (unsigned i = 0; i < LEAVES; i += UNROLL) {
        leaf_loads loads[UNROLL];
        accum a[HELD];
        #pragma unroll
        for (unsigned u = 0; u < UNROLL; u++) {
            const unsigned at = leaf + (i + u) * (32 / LANES) + lane / LANES;
            load_leaf(&loads[u], x, (unsigned long long)at * LEAF, n, inside);
        }
        #pragma unroll
        for (unsigned u = 0; u < UNROLL; u++)
            join_leaf(a + u * PARTS, &loads[u]);
        lanes_tree(a);
        #pragma unroll
        for (int d = LANES; d < 32; d *= 2)
            a[0] = combine(a[0], __shfl_xor_sync(~0u, a[0], d));
        #pragma unroll
        for (int d = 1; d < HELD; d *= 2)
            a[0] = combine(a[0], __shfl_xor_sync(~0u, a[0], d));
        all = LEAVES == UNROLL || lane == i / UNROLL ? a[0] : all;
    }
    #pragma unroll
    for (int d = 1; d < LEAVES / UNROLL; d *= 2)
        all = combine(all, __shfl_xor_sync(~0u, all, d));
    return all;
}

// Combines TAKE values a thread of a warp, of which a[k] is value k * 32 + lane, by the tree over
// neighbours; every lane gets the result. As in lanes_tree each lane keeps one value of two.
__device__ __forceinline__ accum values_tree(accum a[TAKE])
{
    const unsigned lane = threadIdx.x;
    #pragma unroll
    for (int d = 1; d < TAKE; d *= 2)
        #pragma unroll
        for (int i = 0; i < TAKE / 2 / d; i++) {
            const accum even = a[2 * i], odd = a[2 * i + 1];
            const accum other = __shfl_xor_sync(~0u, lane & d ? even : odd, d);
            a[i] = combine(lane & d ? odd : even, other);
        }
    #pragma unroll
    for (int d = TAKE; d < 32; d *= 2)
        a[0] = combine(a[0], __shfl_xor_sync(~0u, a[0], d));
    #pragma unroll
    for (int d = 1; d < TAKE; d *= 2)
        a[0] = combine(a[0], __shfl_xor_sync(~0u, a[0], d));
    return a[0];
}

// Combines one value a warp by the tree over neighbours; every thread gets the result. `turn` is 0
// and 1 by turns, so that one barrier is enough.
__device__ __forceinline__ accum block_tree(accum a, unsigned turn)
{
    __shared__ accum shared[2][BLOCK / 32];
    if (threadIdx.x % 32 == 0)
        shared[turn % 2][threadIdx.x / 32] = a;
    __syncthreads();
    a = shared[turn % 2][threadIdx.x % (BLOCK / 32)];
    #pragma unroll
    for (int d = 1; d < BLOCK / 32; d *= 2)
        a = combine(a, __shfl_xor_sync(~0u, a, d));
    return a;
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

__device__ __forceinline__ void post_word(unsigned long long *word, unsigned bits)
{
    const unsigned long long flagged = (unsigned long long)bits << 32 | 1;
    __atomic_store_n(word, flagged, __ATOMIC_RELAXED);
}

// Leaves the value of block i with a flag, so that who sees the flag has the value: no fence.
__device__ __forceinline__ void post(unsigned long long *words, unsigned i, accum value)
{
    const union { accum value; unsigned bits; } from = {value};
    post_word(words + i, from.bits);
}

// Sets a word back to 0 by a store that is strong, as are all other accesses to it.
__device__ __forceinline__ void clear_word(unsigned long long *word)
{
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

__device__ __forceinline__ unsigned take_word(unsigned long long *word)
{
    unsigned long long flagged;
    while ((flagged = __atomic_load_n(word, __ATOMIC_RELAXED)) == 0)
        host_yield();
    clear_word(word);
    return (unsigned)(flagged >> 32);
}

// Waits for the value of block i and clears its place for the next call.
__device__ __forceinline__ accum take(unsigned long long *words, unsigned i)
{
    union { accum value; unsigned bits; } to;
    to.bits = take_word(words + i);
    return to.value;
}

// Combines the values that tiles left from `first` on, below `count`: TAKE a thread, for a warp.
__device__ __forceinline__ accum gather(unsigned long long *from, unsigned first, unsigned count)
{
    accum a[TAKE];
    #pragma unroll
    for (int i = 0; i < TAKE; i++) {
        const unsigned at = first + threadIdx.x / 32 * (32 * TAKE) + i * 32 + threadIdx.x % 32;
        a[i] = at < count ? take(from, at) : identity();
    }
    return values_tree(a);
}

// Reduces n elements of x in order 1 (docs/reproducible.md), n may be 0: the bits of the result
// depend on the elements alone. Each LANES threads take LEAVES leaves at a time, and a block a
// tile, whose leaves are a subtree.
// The value of each tile is left in words of `state`, and a flag in the same store; the last
// block gathers them and sets them back to zero. An aborted launch leaves some above zero: clear
// them then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
ordered(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    const unsigned first_leaf = threadIdx.x / 32 * (32 / LANES * LEAVES);
    // Each block has one tile at least.
    const unsigned tiles = n > TILE ? (unsigned)((n + TILE - 1) / TILE) : 1;
    unsigned tile = blockIdx.x, turn = 0;
    do {
        const unsigned leaf = tile * (TILE / LEAF) + first_leaf;
        const accum a = block_tree(take_leaves(x, n, leaf, false), turn++);
        if (threadIdx.x == 0)
            post(state, tile, a);
        tile += gridDim.x;
    } while (tile < tiles);
    // The last block gathers what those before it left, which were all started before it.
    if (blockIdx.x != gridDim.x - 1)
        return;
    accum a = block_tree(gather(state, 0, tiles), turn++);
    if (tiles > BLOCK * TAKE) {
        accum level[32];
        unsigned rounds = 1;
        carry(level, 0, a);
        for (unsigned first = BLOCK * TAKE; first < tiles; first += BLOCK * TAKE, rounds++)
            carry(level, rounds, block_tree(gather(state, first, tiles), turn++));
        a = carried(level, rounds);
    }
    if (threadIdx.x == 0)
        *y = a;
}
