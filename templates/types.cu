// Element and accumulator types, the identity, one step of each operation, and the leaves of order 1
// (docs/reproducible.md), which the kernels that keep it share.
// Each part begins with //? define NAME; a kernel gets the parts whose names it uses.

//? define elem
//? if TYPE == I8
typedef signed char elem;
//? elif TYPE == U8
typedef unsigned char elem;
//? elif TYPE == I16
typedef short elem;
//? elif TYPE == U16
typedef unsigned short elem;
//? elif TYPE == F16 || TYPE == BF16
typedef unsigned short elem; // its bits
//? elif TYPE == I32
typedef int elem;
//? elif TYPE == U32
typedef unsigned elem;
//? elif TYPE == I64
typedef long long elem;
//? elif TYPE == U64
typedef unsigned long long elem;
//? elif TYPE == F32
typedef float elem;
//? elif TYPE == F64
typedef double elem;
//? end

//? define accum
//? if !(COMBINE == LEAST || COMBINE == GREATEST || POSITION) && (ACC == I32 || ACC == I64)
// Unsigned, because unsigned arithmetic wraps around; the bits are those of the signed result.
//? end
//? if ACC == I32 && (COMBINE == LEAST || COMBINE == GREATEST || POSITION)
typedef int accum;
//? elif ACC == I32 || ACC == U32
typedef unsigned accum;
//? elif ACC == I64 && (COMBINE == LEAST || COMBINE == GREATEST || POSITION)
typedef long long accum;
//? elif ACC == I64 || ACC == U64
typedef unsigned long long accum;
//? elif ACC == F32
typedef float accum;
//? elif ACC == F64
typedef double accum;
//? end

//? define output
// A result: what finish makes of the last value.
//? if RESULT == I32
typedef int output;
//? elif RESULT == U32
typedef unsigned output;
//? elif RESULT == I64
typedef long long output;
//? elif RESULT == U64
typedef unsigned long long output;
//? elif RESULT == F32
typedef float output;
//? elif RESULT == F64
typedef double output;
//? end

//? define vec
// What one load brings.
//? if ELEM_BYTES < 4 && TYPE != F16 && VECTOR * ELEM_BYTES % 4 == 0
typedef union __align__(VECTOR * ELEM_BYTES) {
    unsigned word[VECTOR * ELEM_BYTES / 4]; // first, so that it is moved by words
    elem at[VECTOR];
} vec;
//? else
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;
//? end

//? define stored
// What one store writes.
//? if HAS_FINISH
typedef struct __align__(WRITE * RESULT_BYTES) { output at[WRITE]; } stored;
//? else
typedef struct __align__(WRITE * ACCUM_BYTES) { accum at[WRITE]; } stored;
//? end

//? define identity
// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    //? if COMBINE == ADD || COMBINE == OR || COMBINE == XOR
    return 0;
    //? elif COMBINE == MULTIPLY
    return 1;
    //? elif COMBINE == AND
    return ~(accum)0;
    //? elif COMBINE == LEAST || COMBINE == FIRST_LEAST
    //? if ACC == I32
    return 0x7fffffff;
    //? elif ACC == U32
    return 0xffffffff;
    //? elif ACC == I64
    return 0x7fffffffffffffffLL;
    //? elif ACC == U64
    return 0xffffffffffffffffULL;
    //? elif ACC == F32
    return __int_as_float(0x7f800000);
    //? elif ACC == F64
    return __longlong_as_double(0x7ff0000000000000LL);
    //? end
    //? elif COMBINE == GREATEST || COMBINE == FIRST_GREATEST
    //? if ACC == I32
    return -0x7fffffff - 1;
    //? elif ACC == U32 || ACC == U64
    return 0;
    //? elif ACC == I64
    return -0x7fffffffffffffffLL - 1;
    //? elif ACC == F32
    return __int_as_float(0xff800000);
    //? elif ACC == F64
    return __longlong_as_double(0xfff0000000000000LL);
    //? end
    //? end
}

//? define map
// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    //? if TYPE == F16
    const accum x = half_value(value);
    //? elif (ORDER == BY_N || ANY_FLAGS) && TYPE == BF16 && ACC == F64
    const accum x = widened(bfloat_value(value));
    //? elif TYPE == BF16
    const accum x = bfloat_value(value);
    //? elif (ORDER == BY_N || ANY_FLAGS) && TYPE == F32 && ACC == F64
    const accum x = widened(value);
    //? elif MAP == SQUARE
    const accum x = (accum)value;
    //? end
    //? if MAP == SQUARE && ORDER == BY_N
    return rounded_product(x, x);
    //? elif MAP == SQUARE && ACC == F32 && ANY_FLAGS
    return __nvvm_reflect("__CUDA_FTZ") ? rounded_product(x, x) : x * x;
    //? elif MAP == SQUARE
    return x * x;
    //? elif TYPE == F16 || TYPE == BF16 || ((ORDER == BY_N || ANY_FLAGS) && TYPE == F32 && ACC == F64)
    return x;
    //? else
    return (accum)value;
    //? end
}

//? define combine
__device__ __forceinline__ accum combine(accum a, accum b)
{
    //? if COMBINE == ADD && ORDER == BY_N
    return rounded_sum(a, b);
    //? elif COMBINE == ADD && ACC == F32 && ANY_FLAGS
    return __nvvm_reflect("__CUDA_FTZ") ? rounded_sum(a, b) : a + b;
    //? elif COMBINE == ADD
    return a + b;
    //? elif COMBINE == MULTIPLY && ORDER == BY_N
    return rounded_product(a, b);
    //? elif COMBINE == MULTIPLY && ACC == F32 && ANY_FLAGS
    return __nvvm_reflect("__CUDA_FTZ") ? rounded_product(a, b) : a * b;
    //? elif COMBINE == MULTIPLY
    return a * b;
    //? elif COMBINE == AND
    return a & b;
    //? elif COMBINE == OR
    return a | b;
    //? elif COMBINE == XOR
    return a ^ b;
    //? elif COMBINE == LEAST || COMBINE == FIRST_LEAST
    //? if ACC == F32 || ACC == F64
    return minimum(a, b);
    //? else
    return a < b ? a : b;
    //? end
    //? elif COMBINE == GREATEST || COMBINE == FIRST_GREATEST
    //? if ACC == F32 || ACC == F64
    return maximum(a, b);
    //? else
    return a > b ? a : b;
    //? end
    //? end
}

//? define combine_into
// combine(*to, a), written to *to as one step that no other thread can come between.
__device__ __forceinline__ void combine_into(accum *to, accum a)
{
    //? if COMBINE == ADD
    atomicAdd(to, a);
    //? elif COMBINE == AND
    atomicAnd(to, a);
    //? elif COMBINE == OR
    atomicOr(to, a);
    //? elif COMBINE == XOR
    atomicXor(to, a);
    //? elif COMBINE == LEAST
    atomicMin(to, a);
    //? elif COMBINE == GREATEST
    atomicMax(to, a);
    //? end
}

//? define further_places
// Where a thread's elements of the further inputs begin, and whether every load of them is aligned.
typedef struct {
    //? each INPUTS
    const elem$ *x$;
    //? if VECTOR > 1
    bool x$_is_even;
    //? end
    //? next
} further_places;

//? define find_further
// Those of result (o, column), or of the first of several side by side.
__device__ __forceinline__ further_places find_further(unsigned long long o, unsigned long long column)
{
    further_places to;
    //? each INPUTS
    to.x$ = given.x$ + (o * given.x$_outer_stride + column * given.x$_inner_stride);
    //? if VECTOR > 1 && WALK == ALONG
    to.x$_is_even = given.x$_depth_stride == 1 &&
                    ((unsigned long long)to.x$ / sizeof(elem$) | given.x$_span_stride) % VECTOR == 0;
    //? elif VECTOR > 1
    to.x$_is_even = given.x$_inner_stride == 1 &&
                    ((unsigned long long)to.x$ / sizeof(elem$) | given.x$_depth_stride |
                     given.x$_span_stride) % VECTOR == 0;
    //? end
    //? next
    return to;
}

//? define further_load
// What one load of each further input brings.
//? each INPUTS
typedef struct __align__(VECTOR * sizeof(elem$) < 16 ? VECTOR * sizeof(elem$) : 16) { elem$ at[VECTOR]; } vec$;
//? next
typedef struct {
    //? each INPUTS
    vec$ x$;
    //? next
} further_load;

//? define load_further
// That of load i of span s, of which `some` elements are there at least.
__device__ __forceinline__ further_load load_further(const further_places from, unsigned s, unsigned i,
                                                     unsigned long long some)
{
    further_load got;
    //? each INPUTS
    //? if WALK == ALONG
    const elem$ *const in$ =
        from.x$ + (s * given.x$_span_stride + i * (VECTOR * given.x$_depth_stride));
    //? else
    const elem$ *const in$ = from.x$ + (s * given.x$_span_stride + i * given.x$_depth_stride);
    //? end
    //? if VECTOR == 1
    got.x$.at[0] = *in$;
    //? else
    //? if WALK == ALONG
    const unsigned long long aside$ = given.x$_depth_stride;
    //? else
    const unsigned long long aside$ = given.x$_inner_stride;
    //? end
    //? if HOST
    if (from.x$_is_even && some >= VECTOR)
        host_aligned(in$, sizeof(vec$) < 16 ? sizeof(vec$) : 16);
    //? end
    if (from.x$_is_even && some >= VECTOR)
        got.x$ = *(const vec$ *)in$;
    else
        for (int j = 0; j < VECTOR; j++)
            got.x$.at[j] = in$[j < some ? j * aside$ : 0];
    //? end
    //? next
    return got;
}

//? define fold
//? if HAS_INDEX
// Combines what one load brought, whose elements are at `first` and on of their result.
__device__ __forceinline__ accum fold(accum a, vec got, unsigned long long first)
//? else
// Combines what one load brought.
__device__ __forceinline__ accum fold(accum a, vec got)
//? end
{
    //? if (TYPE == I8 || TYPE == U8) && COMBINE == ADD && (MAP == SAME || MAP == SQUARE) && VECTOR % 4 == 0
    // Four bytes a step; what one load brings stays far below 2^31.
    //? if TYPE == I8
    int sum = 0;
    //? else
    unsigned sum = 0;
    //? end
    for (int k = 0; k < VECTOR / 4; k++)
        //? if TYPE == I8 && MAP == SAME
        sum = __dp4a((int)got.word[k], 0x01010101, sum);
        //? elif TYPE == I8
        sum = __dp4a((int)got.word[k], (int)got.word[k], sum);
        //? elif MAP == SAME
        sum = __dp4a(got.word[k], 0x01010101u, sum);
        //? else
        sum = __dp4a(got.word[k], got.word[k], sum);
        //? end
    return a + (accum)sum;
    //? elif (TYPE == I16 || TYPE == U16) && COMBINE == ADD && MAP == SAME && VECTOR % 2 == 0
    // Two halves of a word a step; what one load brings stays far below 2^31.
    //? if TYPE == I16
    int sum = 0;
    for (int k = 0; k < VECTOR / 2; k++)
        sum = __dp2a_lo((int)got.word[k], 0x0101, sum);
    //? else
    unsigned sum = 0;
    for (int k = 0; k < VECTOR / 2; k++)
        sum = __dp2a_lo(got.word[k], 0x0101u, sum);
    //? end
    return a + (accum)sum;
    //? elif ELEM_BYTES < 4 && VECTOR * ELEM_BYTES % 4 == 0 && MAP == SAME && (COMBINE == AND || COMBINE == OR || COMBINE == XOR)
    // Word by word, then the parts of the last.
    accum w = got.word[0];
    for (int k = 1; k < VECTOR * ELEM_BYTES / 4; k++)
        w = combine(w, got.word[k]);
    w = combine(w, w >> 16);
    //? if ELEM_BYTES == 1
    w = combine(w, w >> 8);
    //? end
    return combine(a, map((elem)w));
    //? elif HAS_INDEX
    return combine(a, fold_alone(got, first));
    //? elif COMBINE == OTHER
    return combine(a, fold_alone(got));
    //? else
    for (int k = 0; k < VECTOR; k++)
        a = combine(a, map(got.at[k]));
    return a;
    //? end
}

//? define fold_alone
// Combines what one load brought, as a tree: what values of as many elements share, as their
// count, is known where it is compiled, and joins that divide by it cost little.
//? if HAS_INDEX
__device__ __forceinline__ accum fold_alone(vec got, unsigned long long first)
//? else
__device__ __forceinline__ accum fold_alone(vec got)
//? end
{
    accum all[VECTOR];
    #pragma unroll
    for (int k = 0; k < VECTOR; k++)
        //? if HAS_INDEX
        all[k] = map(got.at[k], first + k);
        //? else
        all[k] = map(got.at[k]);
        //? end
    return fold_tree(all, VECTOR);
}

//? define fold_tree
// Combines a thread's `count` values, neighbours first.
__device__ __forceinline__ accum fold_tree(accum *all, const int count)
{
    #pragma unroll
    for (int width = 1; width < count; width *= 2)
        #pragma unroll
        for (int i = 0; i + width < count; i += 2 * width)
            all[i] = combine(all[i], all[i + width]);
    return all[0];
}

//? define to_neighbours
// Of `count` loads of each lane, which come load by load of every `lanes` lanes, gives each lane `count` that
// are neighbours. `room` is the warp's own shared memory.
__device__ __forceinline__ void to_neighbours(vec *got, vec *room, const int lanes, const int count)
{
    const unsigned lane = threadIdx.x % 32, first = lane / lanes * lanes * count + lane % lanes;
    __syncwarp(); // all have read what the loads before have left
    #pragma unroll
    for (int k = 0; k < count; k++)
        room[room_place(first + k * lanes, count)] = got[k];
    __syncwarp();
    #pragma unroll
    for (int k = 0; k < count; k++)
        got[k] = room[room_place(lane * count + k, count)];
}

//? define room_place
// Where a warp's load `at` is kept, so that neither loads side by side nor those `count` apart share banks.
__device__ __forceinline__ unsigned room_place(unsigned at, const int count)
{
    const unsigned row = 128 / (VECTOR * ELEM_BYTES); // loads in all banks
    return at ^ (at / (count > row ? count : row) % row);
}

//? define beats
// Does a value come before the best so far? A NaN does before all numbers; an equal does not.
__device__ __forceinline__ bool beats(accum value, accum best)
{
    //? if COMBINE == FIRST_LEAST && ACC == F32 && ANY_FLAGS
    return !(__nvvm_reflect("__CUDA_FTZ") ? at_most(best, value) : value >= best) && best == best;
    //? elif COMBINE == FIRST_LEAST && (ACC == F32 || ACC == F64)
    return !(value >= best) && best == best;
    //? elif ACC == F32 && ANY_FLAGS
    return !(__nvvm_reflect("__CUDA_FTZ") ? at_most(value, best) : value <= best) && best == best;
    //? elif ACC == F32 || ACC == F64
    return !(value <= best) && best == best;
    //? elif COMBINE == FIRST_LEAST
    return value < best;
    //? else
    return value > best;
    //? end
}

//? define equals
__device__ __forceinline__ bool equals(accum a, accum b)
{
    //? if ACC == F32 && ANY_FLAGS
    return (__nvvm_reflect("__CUDA_FTZ") ? same_number(a, b) : a == b) ||
           (a != a && b != b);
    //? elif ACC == F32 || ACC == F64
    return a == b || (a != a && b != b);
    //? else
    return a == b;
    //? end
}

//? define found
// A value, and the place of the first like it: all ones where none was seen that beats the
// identity.
typedef struct __align__(16) {
    accum value;
    unsigned long long place;
} found;

//? define nearer
// Of two the one that comes first: by value, then by place.
__device__ __forceinline__ found nearer(found a, found b)
{
    return beats(b.value, a.value) || (equals(b.value, a.value) && b.place < a.place) ? b : a;
}

//? define neutral
// The element that changes nothing.
__device__ __forceinline__ elem neutral(void)
{
    //? if COMBINE == ADD
    return 0;
    //? elif TYPE == F16
    return 0x3c00;
    //? elif TYPE == BF16
    return 0x3f80;
    //? else
    return 1;
    //? end
}

//? define leaf_loads
// What one of LANES threads loads of a leaf. The leaf has FRAME accumulators, which take its elements
// in turn, ROUNDS times. VECTOR neighbours are a load, and a thread has PARTS loads a round, LANES
// loads apart. Loads are aligned: where the leaf begins `skip` elements past an aligned address,
// the first thread's first load begins before it. Where the elements end within a load, one
// thread has `rest` of them in `last`, for accumulators of its part `part`.
typedef struct {
    unsigned skip, rest, part;
    vec got[PARTS][ROUNDS], last;
} leaf_loads;

//? define load_partly
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

//? define load_leaf
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

//? define join_load
// Combines what one load brought with VECTOR accumulators.
__device__ __forceinline__ void join_load(accum a[VECTOR], vec got)
{
    #pragma unroll
    for (int i = 0; i < VECTOR; i++)
        a[i] = combine(a[i], map(got.at[i]));
}

//? define join_leaf
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

//? define lanes_tree
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

//? define take_leaves
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

//? define values_tree
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

//? define block_tree
// Combines one value a warp by the tree over neighbours; every thread gets the result. `turn` is 0
// and 1 by turns, so that one barrier is enough.
__device__ __forceinline__ accum block_tree(accum a, unsigned turn)
{
    //? if BLOCK > 32
    __shared__ accum shared[2][BLOCK / 32];
    if (threadIdx.x % 32 == 0)
        shared[turn % 2][threadIdx.x / 32] = a;
    __syncthreads();
    a = shared[turn % 2][threadIdx.x % (BLOCK / 32)];
    #pragma unroll
    for (int d = 1; d < BLOCK / 32; d *= 2)
        a = combine(a, __shfl_xor_sync(~0u, a, d));
    //? end
    return a;
}

//? define carry
// Adds the value of the next subtree, of so many before it, as a binary counter carries: level[k]
// is the value of 2^k of them.
__device__ __forceinline__ void carry(accum level[32], unsigned before, accum a)
{
    unsigned k = 0;
    for (; before >> k & 1; k++)
        a = combine(level[k], a);
    level[k] = a;
}

//? define carried
// The value of all subtrees that were carried: those without a neighbour are joined, the last first.
__device__ __forceinline__ accum carried(const accum level[32], unsigned count)
{
    accum all = identity();
    for (unsigned k = 0; count >> k; k++)
        if (count >> k & 1)
            all = combine(level[k], all);
    return all;
}

//? define vec_accum
// A value for each column of a load.
typedef struct { accum at[VECTOR]; } vec_accum;
