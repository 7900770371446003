// max of f32 accumulated in f32, for sm_75: pass 'main' of reduce, made from reduce.cu by
// autotune emit --op max --type f32 --acc f32 --arch sm_75 --pass main --variant BLOCK=128,ITEMS=32,VECTOR=4,UNROLL=8,WARP=SHUFFLE,LOAD=NONCOHERENT,MIN_BLOCKS=1,FINISH=PASSES

enum {
    BLOCK = 128,    // threads per block
    VECTOR = 4,     // elements per load
    UNROLL = 8,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    LOADS = 8,      // ITEMS / VECTOR
    ELEM_BYTES = 4, // bytes of an element
};

typedef float elem;

typedef float accum;

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return __int_as_float(0xff800000);
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    return (accum)value;
}

// IEEE 754-2019 maximum: NaN if either is NaN, and +0 is greater than -0.
__device__ __forceinline__ accum maximum(accum a, accum b)
{
    return a != a || b != b ? a + b : fmaxf(a, b);
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return maximum(a, b);
}

__device__ __forceinline__ vec load(const vec *from)
{
    union { vec value; unsigned word[VECTOR * ELEM_BYTES / 4]; } to;
    asm("ld.global.nc"
        ".v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3]) : "l"(from));
    return to.value;
}

// Combines the values of the first `lanes` lanes of a warp; lane 0 gets the result.
__device__ __forceinline__ accum warp_reduce(accum a, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2)
        a = combine(a, __shfl_down_sync(~0u, a, d));
    return a;
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
