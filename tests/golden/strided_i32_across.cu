// mean of i32 as i32, accumulated in f64, for sm_90: pass 'main' of strided, made from strided.cu by
// autotune emit --space strided --op mean --type i32 --acc i32 --arch sm_90 --pass main --variant BLOCK=256,WALK=ACROSS,LANES=32,VECTOR=4,UNROLL=4,LOAD=PLAIN,MIN_BLOCKS=1,SPLIT=WHOLE

enum {
    BLOCK = 256,    // threads per block
    LANES = 32,     // threads side by side
    VECTOR = 4,     // elements per load, of a result or of as many
    UNROLL = 4,     // loads that a thread has under way
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    DOWN = 8,       // max(1, BLOCK / LANES)
    ELEM_BYTES = 4, // bytes of an element
};

typedef int elem;

typedef double accum;

// What is combined of an element.
__device__ __forceinline__ accum map(elem x)
{
    return (double)x;
}

// A result: what finish makes of the last value.
typedef double output;

// The result of n elements, whose value is known.
__device__ __forceinline__ output finish(accum a, unsigned long long n)
{
    return a / (double)n;
}

// What one load brings.
typedef struct __align__(VECTOR * ELEM_BYTES) { elem at[VECTOR]; } vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a + b;
}

__device__ __forceinline__ vec load(const vec *from)
{
    return *from;
}

// Reduces an array whose results are kept along two axes, of `outer` and `inner`, and whose elements
// lie in spans of `span` elements, `depth` in all: element d of result (o, i) is
// x[o * outer_stride + d / span * span_stride + d % span * depth_stride + i * inner_stride], and
// the result y[o * inner + i].
// LANES threads side by side take VECTOR results each, that lie side by side, and DOWN threads below
// one another their elements.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
strided(const elem *x, unsigned long long outer, unsigned long long outer_stride,
        unsigned long long depth, unsigned long long depth_stride, unsigned long long span,
        unsigned long long span_stride, unsigned long long inner, unsigned long long inner_stride,
        output *y)
{
    const unsigned lane = threadIdx.x % LANES, down = threadIdx.x / LANES;
    const unsigned long long loads = (inner + VECTOR - 1) / VECTOR; // of results side by side
    const unsigned long long tiles = (outer * loads + LANES - 1) / LANES;
    const unsigned step = DOWN, start = down;
    const unsigned of_span = (unsigned)span;
    const unsigned long long along = depth_stride, aside = inner_stride;
    const unsigned long long tile = blockIdx.x % tiles;
    const unsigned total = (unsigned)(depth / span) * of_span; // loads of a result
    const unsigned from = 0, to = total;

    // The thread's results: `result` is the first, of `own`.
    const unsigned long long at_load = tile * LANES + lane;
    const unsigned long long o = at_load / loads, column = at_load % loads * VECTOR;
    const unsigned long long result = o * inner + column;
    const unsigned own = o < outer ? (inner - column < VECTOR ? inner - column : VECTOR) : 0;
    const elem *first = x + (o * outer_stride + column * inner_stride);
    // Every load is whole and aligned.
    const bool even = aside == 1 && ((unsigned long long)first / ELEM_BYTES | inner | depth_stride |
                                     span_stride) % VECTOR == 0;

    accum a[VECTOR];
    for (int j = 0; j < VECTOR; j++)
        a[j] = identity();
    const unsigned spans = step / of_span, rest = step % of_span; // in a step
    unsigned s = (from + start) / of_span, i = (from + start) % of_span;
    for (unsigned at = from + start; own && at < to; at += step * UNROLL) {
        vec got[UNROLL];
        #pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (at + u * step < to) {
                const elem *in = first + (s * span_stride + i * along);
                const unsigned long long some = own;
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
                    a[j] = combine(a[j], map(got[u].at[j]));
                }
    }

    __shared__ __align__(16) accum shared[DOWN][LANES * VECTOR];
    for (int j = 0; j < VECTOR; j++)
        shared[down][lane * VECTOR + j] = a[j];
    __syncthreads();
    const bool writes = down == 0;
    for (unsigned j = 0; writes && j < own; j++) {
        accum b = shared[0][lane * VECTOR + j];
        for (int d = 1; d < DOWN; d++)
            b = combine(b, shared[d][lane * VECTOR + j]);
        y[result + j] = finish(b, depth);
    }
}
