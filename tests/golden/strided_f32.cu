// sum of f32 accumulated in f32, for sm_90: pass 'last' of strided, made from strided.cu by
// autotune emit --space strided --op sum --type f32 --acc f32 --arch sm_90 --pass last --variant BLOCK=256,WALK=ALONG,LANES=256,VECTOR=4,UNROLL=4,LOAD=PLAIN,MIN_BLOCKS=1,SPLIT=LAST_BLOCK

enum {
    BLOCK = 256,    // threads per block
    LANES = 256,    // threads side by side
    VECTOR = 4,     // elements per load, of a result or of as many
    UNROLL = 4,     // loads that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    DOWN = 1,       // max(1, BLOCK / LANES)
    ELEM_BYTES = 4, // bytes of an element
};

typedef float elem;

typedef float accum;

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

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

// Counts a block in and says how many came before it. Releases what this thread wrote and
// acquires what the others released. The count wraps to 0 after the last of `blocks`: ready for
// the next call.
__device__ __forceinline__ unsigned arrive(unsigned *arrived, unsigned blocks)
{
    unsigned before;
    asm volatile("atom.inc.acq_rel.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before) : "l"(arrived), "r"(blocks - 1) : "memory");
    return before;
}

// Where a thread's warp leaves its value in shared memory, and where the value of the warp of the
// thread's number is.
typedef struct { unsigned warp, thread; } places;

// Combines the values of the LANES threads of each result; `shared` has room for all of a block.
// The first of them gets the result.
__device__ __forceinline__ accum lanes_reduce(accum *shared, accum a)
{
    const unsigned lane = threadIdx.x % LANES;
    shared[threadIdx.x] = a;
    __syncthreads();
    for (unsigned d = LANES / 2; d > 0; d /= 2) {
        if (lane < d)
            shared[threadIdx.x] = combine(shared[threadIdx.x], shared[threadIdx.x + d]);
        __syncthreads();
    }
    return shared[threadIdx.x - lane];
}

// Reduces an array whose results are kept along two axes, of `outer` and `inner`, and whose elements
// lie in spans of `span` elements, `depth` in all: element d of result (o, i) is
// x[o * outer_stride + d / span * span_stride + d % span * depth_stride + i * inner_stride], and
// the result y[o * inner + i].
// Each result is made in `parts` parts, a block each, whose values lie in `partials` until the last
// block to arrive combines them. `state` counts the blocks of each tile of results: zero before and
// after. An aborted launch leaves it above zero: clear it then.
// LANES threads side by side take a result's elements, in loads of VECTOR; a block has DOWN results.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
strided(const elem *x, unsigned long long outer, unsigned long long outer_stride,
        unsigned long long depth, unsigned long long depth_stride, unsigned long long span,
        unsigned long long span_stride, unsigned long long inner, unsigned long long inner_stride,
        unsigned long long parts, accum *y, accum *partials, unsigned *state)
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    const unsigned long long tiles = (outer * inner + DOWN - 1) / DOWN;
    const unsigned step = LANES, start = lane;
    const unsigned of_span = (unsigned)((span + VECTOR - 1) / VECTOR); // loads of a span
    const unsigned long long along = VECTOR * depth_stride;            // from one to the next
    const unsigned long long aside = depth_stride; // from an element of a load to the next
    const unsigned long long tile = blockIdx.x % tiles;
    const unsigned total = (unsigned)(depth / span) * of_span; // loads of a result
    const unsigned part = (unsigned)(blockIdx.x / tiles);
    const unsigned share = (total + (unsigned)parts - 1) / (unsigned)parts;
    const unsigned from = part * share < total ? part * share : total;
    const unsigned to = from + share < total ? from + share : total;

    // The thread's results: `result` is the first, of `own`.
    const unsigned long long result = tile * DOWN + down;
    const unsigned own = result < outer * inner;
    const unsigned long long o = result / inner, column = result % inner;
    const elem *first = x + (o * outer_stride + column * inner_stride);
    // Every load is whole and aligned.
    const bool even =
        aside == 1 && ((unsigned long long)first / ELEM_BYTES | span | span_stride) % VECTOR == 0;

    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    const unsigned spans = step / of_span, rest = step % of_span; // in a step
    unsigned s = (from + start) / of_span, i = (from + start) % of_span;
    for (unsigned at = from + start; own && at < to; at += step * UNROLL) {
        vec got[UNROLL];
        unsigned long long places[UNROLL]; // of a load's first element in its span
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (at + u * step < to) {
                const elem *in = first + (s * span_stride + i * along);
                places[u] = (unsigned long long)i * VECTOR;
                const unsigned long long some = span - places[u];
                if (even)
                    got[u] = load((const vec *)in);
                else
                    for (int j = 0; j < VECTOR; j++)
                        got[u].at[j] = in[j < some ? j * aside : 0];
            }
            s += spans;
            i += rest;
            if (i >= of_span) {
                i -= of_span;
                s++;
            }
        }
        #pragma unroll
        for (int u = 0; u < UNROLL; u++)
            if (at + u * step < to)
                for (int j = 0; j < VECTOR; j++) {
                    if (!even && places[u] + j >= span)
                        continue;
                    a[j] = combine(a[j], map(got[u].at[j]));
                }
    }

    __shared__ __align__(16) accum shared[BLOCK];
    for (int j = 1; j < VECTOR; j++)
        a[0] = combine(a[0], a[j]);
    a[0] = lanes_reduce(shared, a[0]);
    const bool writes = own && lane == 0;
    if (writes)
        partials[part * (outer * inner) + result] = a[0];
    __syncthreads(); // all of the block's are written, before it arrives
    __shared__ unsigned arrived; // blocks of these results that arrived before this one
    if (threadIdx.x == 0)
        arrived = arrive(state + tile, (unsigned)parts);
    __syncthreads();
    if (arrived != parts - 1)
        return;

    // The last block to arrive combines what all left, in the same order every time.
    a[0] = identity();
    for (unsigned k = lane; own && k < parts; k += LANES)
        a[0] = combine(a[0], partials[k * (outer * inner) + result]);
    a[0] = lanes_reduce(shared, a[0]);
    if (writes)
        y[result] = a[0];
}
