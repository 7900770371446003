// inclusive scan, sum of i32 accumulated in i32, for sm_90: pass 'look_back' of scan, made from scan.cu by
// autotune emit --space scan --op sum --type i32 --acc i32 --scan inclusive --arch sm_90 --pass look_back --variant BLOCK=256,ITEMS=16,VECTOR=4,ARRANGE=STRIPED,LOAD=PLAIN,WRITE=4,STORE=KEEP,MIN_BLOCKS=1,METHOD=LOOK_BACK,STAGES=0,CLUSTER=1,NUMBERING=TICKET,LOOK=32,PREFIXES=EVERY,PAUSE=0

enum {
    BLOCK = 256,     // threads per block
    ITEMS = 16,      // elements per thread per tile
    VECTOR = 4,      // elements per load
    WRITE = 4,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    LOOK = 32,       // tiles looked back at together: up to 32 by one warp, more by so many warps of the block
    TILE = 4096,     // BLOCK * ITEMS
    LOADS = 4,       // ITEMS / VECTOR
    WIDTH = 4,       // ARRANGE == BLOCKED ? ITEMS : VECTOR
    RUNS = 4,        // ITEMS / WIDTH
    ELEM_BYTES = 4,  // bytes of an element
    ACCUM_BYTES = 4, // bytes of an accumulator
};

typedef int elem;

// Unsigned, because unsigned arithmetic wraps around; the bits are those of the signed result.
typedef unsigned accum;

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// What one store writes.
typedef struct __align__(WRITE * ACCUM_BYTES) { accum at[WRITE]; } stored;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0;
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    return (accum)value;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a + b;
}

__device__ __forceinline__ vec load(const vec *from)
{
    return *from;
}

// Writes results, where a store of so many may begin.
__device__ __forceinline__ void store(stored *to, stored from)
{
    // Written as C, the compiler would make a store of each result.
    const union { stored value; unsigned word[WRITE * ACCUM_BYTES / 4]; } bits = {from};
    asm volatile("st.global"
        ".v4.u32 [%0], {%1, %2, %3, %4};"
        :: "l"(to), "r"(bits.word[0]), "r"(bits.word[1]), "r"(bits.word[2]), "r"(bits.word[3])
        : "memory");
}

// A number for this block: blocks get 0, 1, 2 ... in the order in which they ask, below an epoch in
// the high half. Orders nothing else.
__device__ __forceinline__ unsigned long long take_ticket(unsigned long long *taken)
{
    unsigned long long number;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(number) : "l"(taken), "l"(1ULL) : "memory");
    return number;
}

__device__ __forceinline__ void post_half(unsigned long long *word, unsigned bits, unsigned flag)
{
    const unsigned long long both = (unsigned long long)bits << 32 | flag;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(both) : "memory");
}

// The epoch of the next call, in which no block has a number yet.
__device__ __forceinline__ void begin_epoch(unsigned long long *word, unsigned epoch)
{
    post_half(word, epoch, 0);
}

// Leaves a value for a tile and says by a flag what it is, so that who sees the flag has the value:
// no fence.
__device__ __forceinline__ void post_tile(unsigned long long *words, unsigned tile, accum value,
                                          unsigned flag)
{
    const union { accum value; unsigned bits; } from = {value};
    post_half(words + tile, from.bits, flag);
}

__device__ __forceinline__ unsigned long long read_word(const unsigned long long *word)
{
    unsigned long long both;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(both) : "l"(word) : "memory");
    return both;
}

// The value that was left for a tile, and its flag: 0 where there is none yet.
__device__ __forceinline__ unsigned read_tile(const unsigned long long *words, unsigned tile,
                                              accum *value)
{
    const unsigned long long both = read_word(words + tile);
    union { unsigned bits; accum value; } to = {(unsigned)(both >> 32)};
    *value = to.value;
    return (unsigned)both;
}

// Lets others go on before the next look.
__device__ __forceinline__ void wait_a_bit(void)
{
}

// What a thread has of a tile: RUNS loads, each 32 loads behind the one before.
typedef vec run;

// A tile: its places begin at x and, if it is written, at y; those in [low, high) are of the input.
typedef struct {
    const elem *x;
    accum *y;
    unsigned low, high;
} tile;

// The tile of this number; tile 0 begins where a load may, so that all loads are aligned.
__device__ __forceinline__ tile find_tile(const elem *x, unsigned long long n, accum *y,
                                          unsigned number)
{
    const unsigned skip = (unsigned)((unsigned long long)x / ELEM_BYTES % VECTOR);
    const unsigned long long first = (unsigned long long)number * TILE, end = n + skip;
    tile it;
    it.x = x + (first - skip);
    it.y = y + (first - skip);
    it.low = number == 0 ? skip : 0;
    it.high = first >= end ? 0 : end - first < TILE ? (unsigned)(end - first) : TILE;
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
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        mine[r] = got[r];
}

// What an element counts for: the identity where it is not of the input.
__device__ __forceinline__ accum value_of(const run *mine, int j, const tile *in, unsigned place,
                                          const bool is_whole)
{
    return is_whole || holds(in, place + j) ? map(mine->at[j]) : identity();
}

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

// Combines each lane's value with those of the lanes before it.
__device__ __forceinline__ accum lanes_scan(accum a, int lanes)
{
    #pragma unroll
    for (int d = 1; d < lanes; d *= 2) {
        const accum before = __shfl_up_sync(~0u, a, d);
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
    *all = __shfl_sync(~0u, to, BLOCK / 32 - 1);
    const accum before = __shfl_sync(~0u, to, warp > 0 ? warp - 1 : 0);
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
        const accum before = __shfl_up_sync(~0u, sums[r], 1), row = __shfl_sync(~0u, sums[r], 31);
        sums[r] = lane > 0 ? combine(warp, before) : warp;
        warp = combine(warp, row);
    }
    const accum warps = warps_scan(warp, all);
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        sums[r] = combine(warps, sums[r]);
}

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
        stored row[WIDTH / WRITE];
        #pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            const accum b = combine(a, value_of(&mine[r], j, to, run_place(r), is_one));
            row[j / WRITE].at[j % WRITE] = b;
            a = b;
        }
        #pragma unroll
        for (int j = 0; j < WIDTH / WRITE; j++)
            put(to, run_place(r) + j * WRITE, &row[j], is_one);
    }
}

__device__ __forceinline__ void write_tile(const accum before[RUNS], const run mine[RUNS],
                                           const tile *to)
{
    if (to->low == 0 && to->high == TILE && (unsigned long long)to->y % (WRITE * ACCUM_BYTES) == 0)
        write_runs(before, mine, to, true);
    else
        write_runs(before, mine, to, false);
}

// What is known of a tile: the sum of its own elements, or of all up to it. With a flag the word has
// the epoch of the call that left it: what calls before have left counts for nothing.
enum { OWN = 1, ALL_UP_TO = 2 };

__device__ __forceinline__ void tell(unsigned long long *words, unsigned number, accum sum,
                                     unsigned what, unsigned epoch)
{
    post_tile(words, number, sum, epoch << 2 | what);
}

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
        const unsigned what = look(words, last - lane, &a, epoch);
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
        a = combine(__shfl_down_sync(~0u, a, d), a);
    return a;
}

// The sum of all tiles before this one, by a whole warp: LOOK tiles at a time, the nearest first,
// until one is known with all before it.
__device__ __forceinline__ accum look_back(const unsigned long long *words, unsigned number,
                                           unsigned epoch)
{
    accum so_far = identity();
    for (long long last = (long long)number - 1;; last -= LOOK) {
        bool is_all;
        const accum a = look_together(words, last, epoch, &is_all);
        so_far = combine(__shfl_sync(~0u, a, 0), so_far);
        if (is_all)
            return so_far;
    }
}

// Scans n elements of x, n is not 0: a tile a block. Each leaves the sum of its tile in `state`
// with a flag in the same word, looks back at those before it for what to begin with, and leaves
// the sum of all up to it. The first word of `state` has the call's epoch, to which the block of the
// last tile adds one: it has waited for all others to begin. Zero all before the first call, and
// after an aborted one.
// Blocks take tiles in the order in which they start, so that none waits for one that has not.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    unsigned long long *const words = state + 1;
    __shared__ unsigned long long ticket;
    if (threadIdx.x == 0)
        ticket = take_ticket(state);
    __syncthreads();
    const unsigned number = (unsigned)ticket, epoch = (unsigned)(ticket >> 32);
    const tile own = find_tile(x, n, y, number);
    const bool is_whole = own.low == 0 && own.high == TILE;
    if (is_whole)
        sum_tile(sums, mine, &own, true);
    else
        sum_tile(sums, mine, &own, false);
    scan_runs(sums, &all);
    accum so_far = identity();
    __shared__ accum before_all;
    if (threadIdx.x < 32) {
        if (number > 0 && threadIdx.x == 0)
            tell(words, number, all, OWN, epoch);
        if (number > 0)
            so_far = look_back(words, number, epoch);
        if (threadIdx.x == 0) {
                tell(words, number, combine(so_far, all), ALL_UP_TO, epoch);
            if (number == gridDim.x - 1)
                begin_epoch(state, (epoch + 1) % (1u << 30));
            before_all = so_far;
        }
    }
    __syncthreads();
    so_far = before_all;
    #pragma unroll
    for (int r = 0; r < RUNS; r++)
        sums[r] = combine(so_far, sums[r]);
    write_tile(sums, mine, &own);
}
