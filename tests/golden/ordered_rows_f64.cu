// prod of f64 accumulated in f64, for sm_80: pass 'main' of ordered-rows, made from ordered_rows.cu by
// autotune emit --space ordered-rows --op prod --type f64 --acc f64 --arch sm_80 --pass main --variant BLOCK=128,SPLIT=BY_LANES,LANES=4,PARTS=8,ROUNDS=1,LEAVES=2,UNROLL=2,LOAD=PLAIN,MIN_BLOCKS=1,TAKE=1

enum {
    BLOCK = 128,    // threads per block
    LANES = 4,      // threads that share a leaf
    PARTS = 8,      // loads of a leaf that a thread has in a round
    ROUNDS = 1,     // turns of a leaf's accumulators
    LEAVES = 2,     // leaves that LANES threads take at a time
    UNROLL = 2,     // leaves whose loads are all under way at a time
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    VECTOR = 2,     // 16 / ELEM_BYTES
    FRAME = 64,     // VECTOR * LANES * PARTS
    HELD = 16,      // LEAVES * PARTS
    SPREAD = 4,     // min(HELD, LANES)
    NEAR = 4,       // min(PARTS, SPREAD)
    AT_ONCE = 64,   // BLOCK / LANES * LEAVES
    ELEM_BYTES = 8, // bytes of an element
};

typedef double elem;

typedef double accum;

// a b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_product(accum a, accum b)
{
    accum product;
    asm("mul.rn.f64 %0, %1, %2;" : "=d"(product) : "d"(a), "d"(b));
    return product;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return rounded_product(a, b);
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
    return *from;
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

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 1;
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    return (accum)value;
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

// Reduces each row of a matrix in order 1 (docs/reproducible.md): y[row] is its value. `count` rows of
// `len` elements, one leaf at most, which begin `pitch` elements apart. LANES threads share a row,
// and a block has AT_ONCE rows at a time.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
rows(const elem *x, unsigned long long count, unsigned long long len, unsigned long long pitch,
     accum *y)
{
    const unsigned lane = threadIdx.x % LANES;
    const unsigned long long extent = (count - 1) * pitch + len;
    for (unsigned long long first = (unsigned long long)blockIdx.x * AT_ONCE; first < count;
         first += (unsigned long long)gridDim.x * AT_ONCE) {
        // Rows side by side in a warp, then those one after another.
        const unsigned long long mine =
            first + threadIdx.x / 32 * (32 / LANES * LEAVES) + threadIdx.x % 32 / LANES;
        accum a[HELD];
        #pragma unroll
        for (int i = 0; i < LEAVES; i += UNROLL) {
            leaf_loads leaf[UNROLL];
            #pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                const unsigned long long row = mine + (i + u) * (32 / LANES);
                const unsigned long long begin = row * pitch;
                const bool inside = begin >= VECTOR && begin + len + VECTOR <= extent;
                load_leaf(&leaf[u], x + begin, row < count ? (unsigned)len : 0, inside);
            }
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                join_leaf(a + (i + u) * PARTS, &leaf[u]);
        }
        lanes_tree(a);
        // The parts of a row: as far as lanes have them, then those that a lane holds.
        #pragma unroll
        for (int d = 1; d < NEAR; d *= 2)
            #pragma unroll
            for (int i = 0; i < HELD / SPREAD; i++)
                a[i] = combine(a[i], __shfl_xor_sync(~0u, a[i], d));
        #pragma unroll
        for (int width = PARTS / NEAR / 2; width > 0; width /= 2)
            #pragma unroll
            for (int i = 0; i < LEAVES * width; i++)
                a[i] = combine(a[2 * i], a[2 * i + 1]);
        // a[i] is then of row i * (SPREAD / NEAR) + lane % SPREAD / NEAR of this thread's LEAVES.
        #pragma unroll
        for (int i = 0; i < LEAVES * NEAR / SPREAD; i++) {
            const unsigned long long row =
                mine + (i * (SPREAD / NEAR) + lane / NEAR) * (32 / LANES);
            if (lane < SPREAD && lane % NEAR == 0 && row < count)
                y[row] = a[i];
        }
    }
}
