// inclusive scan, sum of i32 accumulated in i32, for sm_90: pass 'waves' of scan, made from scan.cu by
// autotune emit --space scan --op sum --type i32 --acc i32 --scan inclusive --arch sm_90 --pass waves --variant BLOCK=512,ITEMS=16,VECTOR=4,ARRANGE=STRIPED,LOAD=PLAIN,WRITE=4,STORE=KEEP,MIN_BLOCKS=1,METHOD=WAVES,STAGES=3,CLUSTER=1,NUMBERING=TICKET,LOOK=256,PREFIXES=EVERY,PAUSE=0

enum {
    BLOCK = 512,     // threads per block
    ITEMS = 16,      // elements per thread per tile
    VECTOR = 4,      // elements per load
    WRITE = 4,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    STAGES = 3,      // tiles that a block of waves copies ahead
    LOOK = 256,      // tiles looked back at together: up to 32 by one warp, more by so many warps of the block
    TILE = 8192,     // BLOCK * ITEMS
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

// Starts a copy of 16 bytes into shared memory, past the L1.
__device__ __forceinline__ void copy_async(vec *to, const vec *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}

// The copies that this thread started since the last group are one group.
__device__ __forceinline__ void close_group(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for this thread's groups but the youngest STAGES - 1.
__device__ __forceinline__ void wait_group(void)
{
    asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 1) : "memory");
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

// What an element counts for: the identity where it is not of the input.
__device__ __forceinline__ accum value_of(const run *mine, int j, const tile *in, unsigned place,
                                          const bool is_whole)
{
    return is_whole || holds(in, place + j) ? map(mine->at[j]) : identity();
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

// A thread's own places of the ring, into which it copies ahead: it waits for nobody to do so.
__device__ __forceinline__ vec *places_of(unsigned slot, int u)
{
    extern __shared__ __align__(16) vec ring[];
    return ring + (slot * LOADS + u) * BLOCK + threadIdx.x;
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
            a = combine(a, __shfl_down_sync(~0u, a, d));
        if (lane == 0)
            seen[turn][warp] = a;
    }
    __syncthreads();
    accum sum = seen[turn][0];
    for (int w = 1; w < LOOK / 32; w++)
        sum = combine(sum, seen[turn][w]);
    return sum;
}

// Scans n elements of x, n is not 0: of each wave of tiles a block has one, all blocks resident. It
// leaves the sum of its next tile in `state` before it ends the one it has, and copies those behind
// it meanwhile. What is before a tile is what was before its last one, that, and the sums of the
// other blocks' tiles between. The first word of `state` has the call's epoch, to which the block of
// the last tile adds one: it has waited for all others to begin. Zero all before the first call, and
// after an aborted one.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    unsigned long long *const words = state + 1;
    const unsigned epoch = (unsigned)(read_word(state) >> 32);
    const unsigned long long end = n + (unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = (unsigned)((end + TILE - 1) / TILE);
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
}
