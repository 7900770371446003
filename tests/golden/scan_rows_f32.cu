// inclusive scan, sum of f32 accumulated in f32, for sm_90: pass 'rows' of scan-rows, made from scan_rows.cu by
// autotune emit --space scan-rows --op sum --type f32 --acc f32 --scan inclusive --arch sm_90 --pass rows --variant BLOCK=256,LANES=16,VECTOR=4,LOADS=1,ROWS=2,LOAD=PLAIN,WRITE=4,STORE=KEEP,MIN_BLOCKS=1

enum {
    BLOCK = 256,     // threads per block
    LANES = 16,      // threads that have a row: some of a warp, or a block
    VECTOR = 4,      // elements per load
    LOADS = 1,       // loads of a row that a thread has under way
    ROWS = 2,        // rows that are scanned at a time
    WRITE = 4,       // results per store, where they may be stored together
    MIN_BLOCKS = 1,  // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    GROUP = 16,      // min(LANES, 32)
    STEP = 64,       // LANES * LOADS * VECTOR
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

// What a step takes of a row: its places begin at x and at y; those in [low, high) are of the row.
typedef struct {
    const elem *x;
    accum *y;
    unsigned low, high;
} part;

// The places from `begin` on of a row at x, of which `skip` come before it, so that all loads are
// aligned; none where there is no such row.
__device__ __forceinline__ part find_part(const elem *x, accum *y, unsigned long long len,
                                          unsigned long long begin, const bool is_there)
{
    const unsigned skip = (unsigned)((unsigned long long)x / ELEM_BYTES % VECTOR);
    const unsigned long long end = len + skip;
    part it;
    it.x = x + (begin - skip);
    it.y = y + (begin - skip);
    it.low = begin == 0 ? skip : 0;
    it.high = !is_there || begin >= end ? 0 : end - begin < STEP ? (unsigned)(end - begin) : STEP;
    if (it.high == 0)
        it.low = 0;
    return it;
}

// Is this place one of the row?
__device__ __forceinline__ bool holds(const part *in, unsigned place)
{
    return place - in->low < in->high - in->low;
}

// Where a thread's load r lies.
__device__ __forceinline__ unsigned place_of(int r)
{
    return (r * LANES + threadIdx.x % LANES) * VECTOR;
}

// Loads VECTOR elements; those that are not of the row stay undefined.
__device__ __forceinline__ vec load_places(const part *from, unsigned place)
{
    vec got;
    if (holds(from, place) && holds(from, place + (VECTOR - 1))) {
        got = load((const vec *)(from->x + place));
    } else {
        for (int j = 0; j < VECTOR; j++)
            if (holds(from, place + j))
                got.at[j] = from->x[place + j];
    }
    return got;
}

// What an element counts for: the identity where it is not of the row.
__device__ __forceinline__ accum value_of(const vec *mine, int j, const part *in, unsigned place)
{
    return holds(in, place + j) ? map(mine->at[j]) : identity();
}

// Combines each lane's value with those of the lanes before it, of its own LANES or of a warp.
__device__ __forceinline__ accum lanes_scan(accum a)
{
    #pragma unroll
    for (int d = 1; d < GROUP; d *= 2) {
        const accum before = __shfl_up_sync(~0u, a, d, GROUP);
        if (threadIdx.x % GROUP >= d)
            a = combine(before, a);
    }
    return a;
}

// Turns the sums of a thread's loads into what comes before each in this step of the row; *all is
// the step's own sum.
__device__ __forceinline__ void scan_step(accum sums[LOADS], accum *all)
{
    const unsigned lane = threadIdx.x % GROUP;
    #pragma unroll
    for (int r = 0; r < LOADS; r++)
        sums[r] = lanes_scan(sums[r]);
    accum before = identity();
    #pragma unroll
    for (int r = 0; r < LOADS; r++) {
        const accum own = __shfl_up_sync(~0u, sums[r], 1, GROUP);
        const accum whole = __shfl_sync(~0u, sums[r], GROUP - 1, GROUP);
        sums[r] = lane > 0 ? combine(before, own) : before;
        before = combine(before, whole);
    }
    *all = before;
}

// Writes WRITE results from a place on: as one where they may be, else those of the row.
__device__ __forceinline__ void put(const part *to, unsigned place, const stored *from)
{
    const bool is_one = (unsigned long long)to->y % (WRITE * ACCUM_BYTES) == 0;
    if (is_one && holds(to, place) && holds(to, place + (WRITE - 1)))
        store((stored *)(to->y + place), *from);
    else
        for (int k = 0; k < WRITE; k++)
            if (holds(to, place + k))
                to->y[place + k] = from->at[k];
}

// Scans each of `rows` rows of `len` elements, the first at x, each `pitch` elements behind the one
// before; results lie one behind another. LANES threads have ROWS rows at a time, each by steps of
// STEP elements.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
scan_rows(const elem *x, unsigned long long rows, unsigned long long pitch, unsigned long long len,
          accum *y)
{
    const unsigned long long first =
        (unsigned long long)blockIdx.x * (ROWS * (BLOCK / LANES)) + threadIdx.x / LANES;
    // Places before a row, where it does not begin with a whole load: the most of any.
    const bool is_even = (unsigned long long)x / ELEM_BYTES % VECTOR == 0 && pitch % VECTOR == 0;
    const unsigned long long end = is_even ? len : len + (VECTOR - 1);
    accum so_far[ROWS];
    #pragma unroll
    for (int u = 0; u < ROWS; u++)
        so_far[u] = identity();
    for (unsigned long long begin = 0; begin < end; begin += STEP) {
        vec mine[ROWS][LOADS];
        part own[ROWS];
        #pragma unroll
        for (int u = 0; u < ROWS; u++) {
            const unsigned long long row = first + u * (BLOCK / LANES);
            own[u] = find_part(x + row * pitch, y + row * len, len, begin, row < rows);
            #pragma unroll
            for (int r = 0; r < LOADS; r++)
                mine[u][r] = load_places(&own[u], place_of(r));
        }
        #pragma unroll
        for (int u = 0; u < ROWS; u++) {
            accum sums[LOADS], all;
            #pragma unroll
            for (int r = 0; r < LOADS; r++) {
                sums[r] = value_of(&mine[u][r], 0, &own[u], place_of(r));
                #pragma unroll
                for (int j = 1; j < VECTOR; j++)
                    sums[r] = combine(sums[r], value_of(&mine[u][r], j, &own[u], place_of(r)));
            }
            scan_step(sums, &all);
            #pragma unroll
            for (int r = 0; r < LOADS; r++) {
                accum a = combine(so_far[u], sums[r]);
                stored out[VECTOR / WRITE];
                #pragma unroll
                for (int j = 0; j < VECTOR; j++) {
                    const accum b = combine(a, value_of(&mine[u][r], j, &own[u], place_of(r)));
                    out[j / WRITE].at[j % WRITE] = b;
                    a = b;
                }
                #pragma unroll
                for (int j = 0; j < VECTOR / WRITE; j++)
                    put(&own[u], place_of(r) + j * WRITE, &out[j]);
            }
            so_far[u] = combine(so_far[u], all);
        }
    }
}
