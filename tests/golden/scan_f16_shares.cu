// exclusive scan, sum of f16 accumulated in f32, for sm_90: pass 'shares' of scan, made from scan.cu by
// autotune emit --space scan --op sum --type f16 --acc f32 --scan exclusive --arch sm_90 --pass shares --variant BLOCK=256,ITEMS=8,VECTOR=8,ARRANGE=STRIPED,LOAD=PLAIN,WRITE=4,STORE=PAST_L1,MIN_BLOCKS=1,METHOD=REDUCE_FIRST,STAGES=0,CLUSTER=1,NUMBERING=TICKET,LOOK=32,PREFIXES=EVERY,PAUSE=0

enum {
    BLOCK = 256,     // threads per block
    ITEMS = 8,       // elements per thread per tile
    VECTOR = 8,      // elements per load
    WRITE = 4,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 2048,     // BLOCK * ITEMS
    LOADS = 1,       // ITEMS / VECTOR
    WIDTH = 8,       // ARRANGE == BLOCKED ? ITEMS : VECTOR
    RUNS = 1,        // ITEMS / WIDTH
    ELEM_BYTES = 2,  // bytes of an element
    ACCUM_BYTES = 4, // bytes of an accumulator
};

typedef unsigned short elem; // its bits

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

// The value of an f16, exactly.
__device__ __forceinline__ float half_value(unsigned short bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const accum x = half_value(value);
    return x;
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
    asm volatile("st.global.cg"
        ".v4.u32 [%0], {%1, %2, %3, %4};"
        :: "l"(to), "r"(bits.word[0]), "r"(bits.word[1]), "r"(bits.word[2]), "r"(bits.word[3])
        : "memory");
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
            row[j / WRITE].at[j % WRITE] = a;
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

// The second step: each block scans its share of the tiles, behind the sum of all shares before it.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan(const elem *x, unsigned long long n, accum *y, const accum *partials)
{
    run mine[RUNS];
    accum sums[RUNS], all;
    const unsigned long long end = n + (unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = (unsigned)((end + TILE - 1) / TILE);
    accum so_far = identity();
    const unsigned first = (unsigned)((unsigned long long)tiles * blockIdx.x / gridDim.x);
    const unsigned last = (unsigned)((unsigned long long)tiles * (blockIdx.x + 1) / gridDim.x);
    const unsigned share = (blockIdx.x + BLOCK - 1) / BLOCK; // of the shares before, a thread's
    for (unsigned i = threadIdx.x * share; i < (threadIdx.x + 1) * share && i < blockIdx.x; i++)
        so_far = combine(so_far, partials[i]);
    warps_scan(lanes_scan(so_far, 32), &all);
    so_far = all;
    __syncthreads(); // all have read what warps_scan writes again
    for (unsigned number = first; number < last; number++) {
        const tile own = find_tile(x, n, y, number);
        const bool is_whole = own.low == 0 && own.high == TILE;
        if (is_whole)
            sum_tile(sums, mine, &own, true);
        else
            sum_tile(sums, mine, &own, false);
        scan_runs(sums, &all);
        const accum before = so_far;
        #pragma unroll
        for (int r = 0; r < RUNS; r++)
            sums[r] = combine(before, sums[r]);
        write_tile(sums, mine, &own);
        so_far = combine(so_far, all);
        __syncthreads(); // all have read what the next tile writes
    }
}
