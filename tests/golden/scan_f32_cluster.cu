// inclusive scan, sum of f32 accumulated in f32, for sm_90: pass 'one' of scan, made from scan.cu by
// autotune emit --space scan --op sum --type f32 --acc f32 --scan inclusive --arch sm_90 --pass one --variant BLOCK=128,ITEMS=8,VECTOR=4,ARRANGE=STRIPED,LOAD=PLAIN,WRITE=4,STORE=KEEP,MIN_BLOCKS=1,METHOD=ONE_CLUSTER,STAGES=0,CLUSTER=8,NUMBERING=TICKET,LOOK=32,PREFIXES=EVERY,PAUSE=0

enum {
    BLOCK = 128,     // threads per block
    ITEMS = 8,       // elements per thread per tile
    VECTOR = 4,      // elements per load
    WRITE = 4,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    CLUSTER = 8,     // blocks of the one cluster
    TILE = 1024,     // BLOCK * ITEMS
    LOADS = 2,       // ITEMS / VECTOR
    WIDTH = 4,       // ARRANGE == BLOCKED ? ITEMS : VECTOR
    RUNS = 2,        // ITEMS / WIDTH
    ELEM_BYTES = 4,  // bytes of an element
    ACCUM_BYTES = 4, // bytes of an accumulator
};

typedef float elem;

typedef float accum;

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

// With "__CUDA_FTZ": does the compiler take denormals of floats for zeros, as -use_fast_math and
// -ftz=true make it? A constant, which it knows while it compiles.
extern "C" __device__ int __nvvm_reflect(const char *option);

// a + b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_sum(accum a, accum b)
{
    accum sum;
    asm("add.rn.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
    return sum;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return __nvvm_reflect("__CUDA_FTZ") ? rounded_sum(a, b) : a + b;
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

// A barrier that one arrival and the bytes it announces complete.
__device__ __forceinline__ void barrier_init(unsigned long long *barrier)
{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;"
                 :: "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}

// Makes barriers just made known to the copy engine and to the cluster.
__device__ __forceinline__ void barrier_publish(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// The arrival, which announces so many bytes.
__device__ __forceinline__ void barrier_expect(unsigned long long *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :: "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}

// Waits for the end of a phase (0, 1, 0, ...).
__device__ __forceinline__ void barrier_wait(unsigned long long *barrier, unsigned phase)
{
    unsigned is_done;
    do
        asm volatile("{\n\t"
                     ".reg .pred done;\n\t"
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, done;\n\t"
                     "}"
                     : "=r"(is_done)
                     : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(phase)
                     : "memory");
    while (!is_done);
}

__device__ __forceinline__ unsigned cluster_rank(void)
{
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// Says that this thread of the cluster has started; orders no memory. Lanes may come one by one.
__device__ __forceinline__ void cluster_arrive(void)
{
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}

// Waits until all threads of the cluster have arrived; for whole warps. Acquires what they made
// known of their barriers.
__device__ __forceinline__ void cluster_wait(void)
{
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

// Sends a value to where `to` lies in a block of the cluster, whose barrier counts the bytes that
// have come.
__device__ __forceinline__ void send_to(unsigned rank, accum *to, accum value,
                                        unsigned long long *barrier)
{
    const union { accum value; unsigned bits; } from = {value};
    unsigned there, counter;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(to)), "r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(counter) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(rank));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 :: "r"(there), "r"(from.bits), "r"(counter) : "memory");
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

// Scans n elements of x, n is not 0, by one cluster: a tile a block, round by round.
__global__ void
__cluster_dims__(CLUSTER, 1, 1)
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan(const elem *x, unsigned long long n, accum *y)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    const unsigned long long end = n + (unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = (unsigned)((end + TILE - 1) / TILE);
    accum so_far = identity();
    __shared__ gathered cluster;
    gather_begin(&cluster);
    const unsigned rounds = (tiles + CLUSTER - 1) / CLUSTER;
    for (unsigned round = 0; round < rounds; round++) {
        const unsigned number = round * CLUSTER + cluster_rank();
        const tile own = find_tile(x, n, y, number);
        const bool is_whole = own.low == 0 && own.high == TILE;
        if (is_whole)
            sum_tile(sums, mine, &own, true);
        else
            sum_tile(sums, mine, &own, false);
        scan_runs(sums, &all);
        const accum before =
            cluster_scan(all, &so_far, &cluster, round, round == rounds - 1);
        #pragma unroll
        for (int r = 0; r < RUNS; r++)
            sums[r] = combine(before, sums[r]);
        write_tile(sums, mine, &own);
        __syncthreads(); // all have read what the next tile writes
    }
}
