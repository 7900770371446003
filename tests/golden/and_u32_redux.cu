// and of u32 accumulated in u32, for sm_80: pass 'whole' of reduce, made from reduce.cu by
// autotune emit --op and --type u32 --acc u32 --arch sm_80 --pass whole --variant BLOCK=1024,ITEMS=8,VECTOR=4,UNROLL=2,WARP=REDUX,LOAD=PLAIN,MIN_BLOCKS=0,FINISH=LAST_BLOCK

enum {
    BLOCK = 1024,   // threads per block
    VECTOR = 4,     // elements per load
    UNROLL = 2,     // loads issued before combining
    LOADS = 2,      // ITEMS / VECTOR
    ELEM_BYTES = 4, // bytes of an element
};

typedef unsigned elem;

typedef unsigned accum;

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return ~(accum)0;
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    return (accum)value;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a & b;
}

__device__ __forceinline__ vec load(const vec *from)
{
    return *from;
}

// All lanes' values combined by one instruction.
__device__ __forceinline__ accum warp_redux(accum a)
{
    return __reduce_and_sync(~0u, a);
}

// Counts a block in and says how many came before it. Releases what this thread wrote and
// acquires what the others released. The count wraps to 0 after the last: ready for the next call.
__device__ __forceinline__ unsigned arrive(unsigned *arrived)
{
    unsigned before;
    asm volatile("atom.inc.acq_rel.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before) : "l"(arrived), "r"(gridDim.x - 1) : "memory");
    return before;
}

// Combines the values of the first `lanes` lanes of a warp; lane 0 gets the result.
__device__ __forceinline__ accum warp_reduce(accum a, int lanes)
{
    return warp_redux(a); // lanes past `lanes` hold the identity
}

// Combines one value a thread; thread 0 gets the result.
__device__ __forceinline__ accum block_reduce(accum a)
{
    const unsigned t = threadIdx.x;
    a = warp_reduce(a, 32);
    __shared__ accum shared[BLOCK / 32];
    if (t % 32 == 0)
        shared[t / 32] = a;
    __syncthreads();
    if (t < 32)
        a = warp_reduce(t < BLOCK / 32 ? shared[t] : identity(), BLOCK / 32);
    return a;
}

// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is spread over all threads.
// The last block to arrive reduces what the others left in `partials` (gridDim.x values) to *y;
// *arrived is zero before and after. An aborted launch leaves it above zero: clear it then.
__global__ void
__launch_bounds__(BLOCK)
reduce(const elem *x, unsigned long long n, accum *y, accum *partials, unsigned *arrived)
{
    const unsigned long long thread = (unsigned long long)blockIdx.x * BLOCK + threadIdx.x;
    accum a = identity();

    // Elements before the first address aligned for a vector, and after the last vector.
    unsigned long long head = -(unsigned long long)x / ELEM_BYTES % VECTOR;
    if (head > n)
        head = n;
    const unsigned long long tail = (n - head) % VECTOR;
    if (thread < head)
        a = combine(a, map(x[thread]));
    if (thread < tail)
        a = combine(a, map(x[n - tail + thread]));

    const vec *v = (const vec *)(x + head);
    const unsigned long long vectors = (n - head) / VECTOR;
    const unsigned tiles = (unsigned)(vectors / (BLOCK * LOADS));
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const vec *from = v + (unsigned long long)tile * (BLOCK * LOADS) + threadIdx.x;
        #pragma unroll 1
        for (int i = 0; i < LOADS; i += UNROLL) {
            vec got[UNROLL];
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                got[u] = load(from + (i + u) * BLOCK);
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                for (int k = 0; k < VECTOR; k++)
                    a = combine(a, map(got[u].at[k]));
        }
    }

    // Fewer vectors than a tile has are left.
    for (unsigned long long i = (unsigned long long)tiles * (BLOCK * LOADS) + thread; i < vectors;
         i += (unsigned long long)gridDim.x * BLOCK) {
        const vec got = load(v + i);
        for (int k = 0; k < VECTOR; k++)
            a = combine(a, map(got.at[k]));
    }

    a = block_reduce(a);
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = a;
        is_last = arrive(arrived) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;

    // The last block to arrive combines the partial results, in the same order every time.
    a = identity();
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK)
        a = combine(a, partials[i]);
    a = block_reduce(a);
    if (threadIdx.x == 0)
        *y = a;
}
