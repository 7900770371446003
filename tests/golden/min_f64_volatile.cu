// min of f64 accumulated in f64, for sm_90: pass 'main' of reduce, made from reduce.cu by
// autotune emit --op min --type f64 --acc f64 --arch sm_90 --pass main --variant BLOCK=256,ITEMS=8,VECTOR=2,UNROLL=4,WARP=VOLATILE,LOAD=PLAIN,MIN_BLOCKS=1,FINISH=PASSES

enum {
    BLOCK = 256,    // threads per block
    VECTOR = 2,     // elements per load
    UNROLL = 4,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    LOADS = 4,      // ITEMS / VECTOR
    ELEM_BYTES = 8, // bytes of an element
};

typedef double elem;

typedef double accum;

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return __longlong_as_double(0x7ff0000000000000LL);
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    return (accum)value;
}

// IEEE 754-2019 minimum: NaN if either is NaN, and -0 is less than +0.
__device__ __forceinline__ accum minimum(accum a, accum b)
{
    return a != a || b != b ? a + b : fmin(a, b);
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return minimum(a, b);
}

__device__ __forceinline__ vec load(const vec *from)
{
    return *from;
}

// Combines one value a thread; thread 0 gets the result.
__device__ __forceinline__ accum block_reduce(accum a)
{
    const unsigned t = threadIdx.x;
    __shared__ volatile accum shared[BLOCK + 16]; // lane 31 reads 16 beyond itself
    shared[t] = a;
    for (unsigned d = BLOCK / 2; d >= 32; d /= 2) {
        __syncthreads();
        if (t < d)
            shared[t] = a = combine(a, shared[t + d]);
    }
    if (t < 32) {
        for (unsigned d = 16; d > 0; d /= 2) {
            __syncwarp(); // all lanes have written ...
            a = combine(a, shared[t + d]);
            __syncwarp(); // ... and all have read
            shared[t] = a;
        }
    }
    return a;
}

// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is spread over all threads.
// Writes one value a block to y: reduce those again until one is left.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y)
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
    if (threadIdx.x == 0)
        y[blockIdx.x] = a;
}
