// prod of f64 accumulated in f64, for sm_80: pass 'main' of ordered-rows, made from ordered_rows.cu by
// autotune emit --space ordered-rows --op prod --type f64 --acc f64 --order n --arch sm_80 --pass main --variant BLOCK=128,SPLIT=BY_LANES,LANES=4,PARTS=8,ROUNDS=1,LEAVES=2,UNROLL=2,LOAD=PLAIN,MIN_BLOCKS=1,TAKE=1

enum {
    BLOCK = 128,    // threads per block
    LANES = 4,      // threads that share a leaf
    PARTS = 8,      // loads of a leaf that a thread has in a round
    ROUNDS = 1,     // turns of a leaf's accumulators
    LEAVES = 2,     // leaves that LANES threads take at a time
    UNROLL = 2,     // leaves whose loads are all under way at a time
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    VECTOR = 2,     // 16 / ELEM_BYTES
    LEAF = 64,      // FRAME * ROUNDS
    HELD = 16,      // (SPLIT == BY_LANES ? LEAVES : UNROLL) * PARTS
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
    return 1;
}

__device__ __forceinline__ vec load(const vec *from)
{
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
                load_leaf(&leaf[u], x + begin, 0, row < count ? len : 0, inside);
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
