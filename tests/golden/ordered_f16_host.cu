// sumsq of f16 accumulated in f32, for host: pass 'flagged' of ordered, made from ordered.cu by
// autotune emit --space ordered --op sumsq --type f16 --acc f32 --arch host --pass flagged --variant BLOCK=64,LEAVES=1,UNROLL=1,LOAD=PLAIN,MIN_BLOCKS=1,TAKE=1,FINISH=FLAGGED

enum {
    BLOCK = 64,     // threads per block
    LEAVES = 1,     // leaves that LANES threads take at a time
    UNROLL = 1,     // leaves whose loads are all under way at a time
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TAKE = 1,       // values of tiles that a thread gathers at a time
    VECTOR = 8,     // 16 / ELEM_BYTES
    LANES = 16,     // min(32, 128 / VECTOR)
    PARTS = 1,      // 128 / VECTOR / LANES
    FRAME = 128,    // 128
    ROUNDS = 8,     // 8
    LEAF = 1024,    // FRAME * ROUNDS
    HELD = 1,       // LEAVES * PARTS
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

// What one of LANES threads loads of a leaf, `count` elements from x on. The leaf has FRAME
// accumulators, which take its elements in turn, ROUNDS times. VECTOR neighbours are a load, and
// a thread has PARTS loads a round, LANES loads apart. Loads are aligned: where x is `skip`
// elements past an aligned address, the first thread's first load begins before the leaf, and it
// has one load more at the end.
typedef struct {
    const elem *x;
    unsigned count, skip;
    vec got[PARTS][ROUNDS], more;
} leaf_loads;

__device__ __forceinline__ vec load(const vec *from)
{
    // Rounded down: a misaligned address, which a GPU refuses, brings the wrong elements.
    return *(const vec *)((unsigned long long)from & -(unsigned long long)sizeof(vec));
}

// The load of elements [e, e + VECTOR) of a leaf, at least one of which is in it. `inside` says that
// what is next to the leaf can be read.
__device__ __forceinline__ vec load_piece(const elem *x, int e, int count, bool inside)
{
    if (inside || (e >= 0 && e + VECTOR <= count))
        return load((const vec *)(x + e));
    vec got;
    for (int i = 0; i < VECTOR; i++)
        got.at[i] = x[e + i < 0 ? 0 : e + i < count ? e + i : count - 1];
    return got;
}

// Issues all loads of a leaf.
__device__ __forceinline__ void load_leaf(leaf_loads *leaf, const elem *x, unsigned count,
                                          bool inside)
{
    const unsigned lane = threadIdx.x % LANES;
    const unsigned skip = (unsigned)((unsigned long long)x / ELEM_BYTES % VECTOR);
    leaf->x = x;
    leaf->count = count;
    leaf->skip = skip;
    const int first = (int)(lane * VECTOR) - (int)skip;
    if ((inside || skip == 0) && count == ROUNDS * FRAME) {
        #pragma unroll
        for (int p = 0; p < PARTS; p++)
            #pragma unroll
            for (int r = 0; r < ROUNDS; r++)
                leaf->got[p][r] =
                    load((const vec *)(x + first + r * FRAME + p * (LANES * VECTOR)));
    } else {
        #pragma unroll
        for (int p = 0; p < PARTS; p++)
            #pragma unroll
            for (int r = 0; r < ROUNDS; r++) {
                const int e = first + r * FRAME + p * (LANES * VECTOR);
                if (e < (int)count && count > 0)
                    leaf->got[p][r] = load_piece(x, e, (int)count, inside);
            }
    }
    if (lane == 0 && skip > 0 && ROUNDS * FRAME - skip < count)
        leaf->more = load_piece(x, (int)(ROUNDS * FRAME - skip), (int)count, inside);
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

// Combines what of elements [e, e + VECTOR) is in a leaf with VECTOR accumulators.
__device__ __forceinline__ void join_piece(accum a[VECTOR], vec got, int e, int count)
{
    if (e >= 0 && e + VECTOR <= count) {
        join_load(a, got);
    } else {
        #pragma unroll
        for (int i = 0; i < VECTOR; i++)
            if (e + i >= 0 && e + i < count)
                a[i] = combine(a[i], map(got.at[i]));
    }
}

// What a thread's accumulators of a leaf come to, a value for each of PARTS: to be combined with
// those of the other lanes.
__device__ __forceinline__ void join_leaf(accum to[PARTS], const leaf_loads *leaf)
{
    const unsigned lane = threadIdx.x % LANES, skip = leaf->skip;
    const int count = (int)leaf->count;
    const int first = (int)(lane * VECTOR) - (int)skip;
    accum a[PARTS][2 * VECTOR];
    #pragma unroll
    for (int p = 0; p < PARTS; p++) {
        #pragma unroll
        for (int i = 0; i < VECTOR; i++)
            a[p][i] = identity();
        join_piece(a[p], leaf->got[p][0], first + p * (LANES * VECTOR), count);
    }
    if (count == ROUNDS * FRAME) {
        #pragma unroll
        for (int p = 0; p < PARTS; p++)
            #pragma unroll
            for (int r = 1; r < ROUNDS; r++)
                join_load(a[p], leaf->got[p][r]);
    } else {
        #pragma unroll
        for (int p = 0; p < PARTS; p++)
            #pragma unroll
            for (int r = 1; r < ROUNDS; r++)
                join_piece(a[p], leaf->got[p][r], first + r * FRAME + p * (LANES * VECTOR),
                           count);
    }
    // The first of a thread's accumulators is `skip` before its own: the next lane has what it
    // lacks at the other end.
    if (__any_sync(~0u, skip > 0)) {
        if (lane == 0 && skip > 0)
            join_piece(a[0], leaf->more, (int)(ROUNDS * FRAME - skip), count);
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
            for (int by = VECTOR / 2; by > 0; by /= 2)
                if (skip & by)
                    #pragma unroll
                    for (int i = 0; i + by < 2 * VECTOR - 1; i++)
                        a[p][i] = a[p][i + by];
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
// from leaf number `leaf` on, side by side and then one after another. Every lane gets it.
// `inside` says that what is next to the elements can be read.
__device__ __forceinline__ accum take_leaves(const elem *x, unsigned long long n,
                                             unsigned long long leaf, bool inside)
{
    accum a[HELD];
    #pragma unroll
    for (int i = 0; i < LEAVES; i += UNROLL) {
        leaf_loads loads[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const unsigned long long first =
                (leaf + (i + u) * (32 / LANES) + threadIdx.x % 32 / LANES) * LEAF;
            const unsigned long long left = first < n ? n - first : 0;
            load_leaf(&loads[u], x + first, left < LEAF ? (unsigned)left : LEAF,
                      inside || (first >= VECTOR && left >= LEAF + VECTOR));
        }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            join_leaf(a + (i + u) * PARTS, &loads[u]);
    }
    lanes_tree(a);
    #pragma unroll
    for (int d = LANES; d < 32; d *= 2)
        a[0] = combine(a[0], __shfl_xor_sync(~0u, a[0], d));
    #pragma unroll
    for (int d = 1; d < HELD; d *= 2)
        a[0] = combine(a[0], __shfl_xor_sync(~0u, a[0], d));
    return a[0];
}

// Combines TAKE values a thread of a warp, in their order, by the tree over neighbours; every lane
// gets the result.
__device__ __forceinline__ accum values_tree(accum a[TAKE])
{
    #pragma unroll
    for (int width = TAKE / 2; width > 0; width /= 2)
        #pragma unroll
        for (int i = 0; i < width; i++)
            a[i] = combine(a[2 * i], a[2 * i + 1]);
    #pragma unroll
    for (int d = 1; d < 32; d *= 2)
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
        const unsigned at = first + threadIdx.x * TAKE + i;
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
    const unsigned tiles = n > TILE ? (unsigned)((n + TILE - 1) / TILE) : 1;
    unsigned turn = 0;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const unsigned long long leaf = (unsigned long long)tile * (TILE / LEAF) +
                                        threadIdx.x / 32 * (32 / LANES * LEAVES);
        const accum a = block_tree(take_leaves(x, n, leaf, false), turn++);
        if (threadIdx.x == 0)
            post(state, tile, a);
    }
    // The last block gathers what those before it left, which were all started before it.
    if (blockIdx.x != gridDim.x - 1)
        return;
    accum level[32];
    unsigned rounds = 0;
    for (unsigned first = 0; first < tiles; first += BLOCK * TAKE, rounds++)
        carry(level, rounds, block_tree(gather(state, first, tiles), turn++));
    if (threadIdx.x == 0)
        *y = carried(level, rounds);
}
