// sum of f32 accumulated in f32, for sm_90: pass 'gather' of reduce, made from reduce.cu by
// autotune emit --op sum --type f32 --acc f32 --arch sm_90 --pass gather --variant BLOCK=256,ITEMS=16,VECTOR=4,UNROLL=4,ACCUMS=1,MATH=CUDA,WARP=SHUFFLE,LOAD=PLAIN,STAGES=0,WALK=ONE,MIN_BLOCKS=1,CLUSTER=1,FINISH=BINNED

enum {
    BLOCK = 256,    // threads per block
    VECTOR = 4,     // elements per load
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 4096,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    GROUP = 2048,   // 2048
    WORDS = 17,     // 17
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

// Combines what one load brought.
__device__ __forceinline__ accum fold(accum a, vec got)
{
    for (int k = 0; k < VECTOR; k++)
        a = combine(a, map(got.at[k]));
    return a;
}

__device__ __forceinline__ vec load(const vec *from)
{
    return *from;
}

__device__ __forceinline__ void post_word(unsigned long long *word, unsigned bits)
{
    const unsigned long long flagged = (unsigned long long)bits << 32 | 1;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(flagged) : "memory");
}

// Leaves the value of block i with a flag, so that who sees the flag has the value: no fence.
__device__ __forceinline__ void post(unsigned long long *words, unsigned i, accum value)
{
    const union { accum value; unsigned bits; } from = {value};
    post_word(words + i, from.bits);
}

// Sets a word back to 0 by a store that is strong, as are all other accesses to it.
__device__ __forceinline__ void clear_word(unsigned long long *word)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(0ULL) : "memory");
}

__device__ __forceinline__ unsigned take_word(unsigned long long *word)
{
    unsigned long long flagged;
    do
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(flagged) : "l"(word) : "memory");
    while (flagged == 0);
    clear_word(word);
    return (unsigned)(flagged >> 32);
}

// Waits for the value of block i and clears its place for the next call.
__device__ __forceinline__ accum take(unsigned long long *words, unsigned i)
{
    union { accum value; unsigned bits; } to;
    to.bits = take_word(words + i);
    return to.value;
}

// An address that lane 0 uses, computed where this stands, ahead of the loads: what uses it later
// need not wait for it.
__device__ __forceinline__ void *early_address(void *address)
{
    // The lane's number in it keeps the assembler from computing it later, and from taking it for
    // an address of all lanes, whose values it would first add up.
    void *to;
    asm volatile("{\n\t"
                 ".reg .u32 lane;\n\t"
                 "mov.u32 lane, %%laneid;\n\t"
                 "mad.wide.u32 %0, lane, 8, %1;\n\t"
                 "}"
                 : "=l"(to) : "l"(address));
    __builtin_assume(__isGlobal(to));
    return to;
}

// Where a thread's warp leaves its value in shared memory, and where the value of the warp of the
// thread's number is.
typedef struct { unsigned warp, thread; } places;

// The places in `shared`, of one value a warp, computed where this stands, ahead of the loads.
__device__ __forceinline__ places places_in(accum *shared)
{
    const unsigned t = threadIdx.x;
    places at;
    const unsigned first = (unsigned)__cvta_generic_to_shared(shared);
    asm volatile("mad.lo.u32 %0, %1, %2, %3;"
                 : "=r"(at.warp) : "r"(t / 32), "n"(sizeof(accum)), "r"(first));
    asm volatile("mad.lo.u32 %0, %1, %2, %3;"
                 : "=r"(at.thread) : "r"(t), "n"(sizeof(accum)), "r"(first));
    return at;
}

__device__ __forceinline__ void put_shared(unsigned at, accum value)
{
    const union { accum value; unsigned bits; } from = {value};
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(from.bits) : "memory");
}

__device__ __forceinline__ float magnitude(float value)
{
    return fabsf(value);
}

// Combines the values of all warps, which begin at `from`, in the order of warp_reduce, and adds up
// their magnitudes to *size.
__device__ __forceinline__ accum gather_warps(unsigned from, accum *size)
{
    union { accum value[BLOCK / 32]; unsigned word[BLOCK / 32 * sizeof(accum) / 4]; } got;
    accum *const value = got.value;
    #pragma unroll
    for (int i = 0; i < BLOCK / 32 * (int)sizeof(accum) / 4; i += 4)
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(got.word[i]), "=r"(got.word[i + 1]), "=r"(got.word[i + 2]),
                       "=r"(got.word[i + 3])
                     : "r"(from + i * 4) : "memory");
    accum sizes[BLOCK / 32];
    #pragma unroll
    for (int i = 0; i < BLOCK / 32; i++)
        sizes[i] = magnitude(value[i]);
    #pragma unroll
    for (int d = BLOCK / 64; d > 0; d /= 2)
        #pragma unroll
        for (int i = 0; i < d; i++) {
            value[i] = combine(value[i], value[i + d]);
            sizes[i] = combine(sizes[i], sizes[i + d]);
        }
    *size = sizes[0];
    return value[0];
}

// The f32 nearest to a value, whatever the compiler's options: nothing is flushed.
__device__ __forceinline__ float narrowed(double value)
{
    float narrow;
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(narrow) : "d"(value));
    return narrow;
}

__device__ __forceinline__ unsigned long long read_word(const unsigned long long *word)
{
    unsigned long long both;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(both) : "l"(word) : "memory");
    return both;
}

// Adds to a word, for lane 0 alone, and says what it is then. Orders nothing else.
__device__ __forceinline__ unsigned long long add_word(unsigned long long *word,
                                                       unsigned long long value)
{
    unsigned long long before;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(before) : "l"(word), "l"(value) : "memory");
    return before + value;
}

// The sum of values in a word of range i.
__device__ __forceinline__ double bin_value(unsigned long long word, unsigned i)
{
    // The scale is a power of two, by its exponent.
    return (double)((long long)word >> 12) * __longlong_as_double((873LL + 16 * i) << 52);
}

// Adds the value of one of `blocks`, fewer than 4096, for lane 0 alone. True for the last to
// arrive, which gets the sum of all in *total and has set `state` back to zero. state[1 + i] is for
// blocks whose `size`, the sum of their warps' magnitudes, has an exponent of 16 i to 16 i + 15:
// the sum of their values, in multiples of 2^(16 i - 150), above their number, which takes 12 bits.
// state[0] counts all blocks, and above them, in 13 bits each, infinities of both signs and NaNs,
// beside which no sum counts. Integers make every order of the blocks alike, and each word is right
// by itself: no order between them is needed.
__device__ __forceinline__ bool add_binned(unsigned long long *state, float value, float size,
                                           unsigned blocks, float *total)
{
    const unsigned bits = __float_as_uint(value), exponent = bits >> 23 & 255;
    const unsigned low = bits & 0x7fffff, i = (__float_as_uint(size) >> 23 & 255) / 16;
    unsigned long long *const bin = state + 1 + i;
    int whole = exponent == 0 ? low << 1 : low | 0x800000;
    if (bits >> 31)
        whole = -whole;
    unsigned long long one = 1;
    if (exponent == 255)
        one |= 1ULL << (low != 0 ? 38 : bits >> 31 ? 25 : 12);
    // What is less than a multiple is cut: less than 2^-23 of `size`.
    const unsigned right = 20 + 16 * i - exponent;
    const long long multiple = whole * (1LL << 32) >> (right < 63 ? right : 63);
    const unsigned long long own =
        add_word(bin, ((unsigned long long)multiple & ~4095ULL) | 1);
    const unsigned long long all = add_word(state, one);
    if ((all & 4095) != blocks)
        return false;

    double sum;
    if ((own & 4095) == blocks) {
        sum = bin_value(own, i);
        clear_word(bin);
    } else { // of several ranges, or not all are there yet
        unsigned count;
        do {
            count = 0;
            sum = 0;
            for (int k = 15; k >= 0; k--) {
                const unsigned long long word = read_word(state + 1 + k);
                count += word & 4095;
                sum += bin_value(word, k);
            }
        } while (count != blocks);
        for (int k = 0; k < 16; k++)
            clear_word(state + 1 + k);
    }
    clear_word(state);
    if (all >> 12 != 0) {
        const float infinity = __uint_as_float(0x7f800000);
        sum = (all >> 12 & 8191 ? infinity : 0) - (all >> 25 & 8191 ? infinity : 0);
        if (all >> 38 != 0)
            sum = infinity - infinity;
    }
    *total = __nvvm_reflect("__CUDA_FTZ") ? narrowed(sum) : (float)sum;
    return true;
}

// Combines the values of the first `lanes` lanes of a warp; lane 0 gets the result.
__device__ __forceinline__ accum warp_reduce(accum a, int lanes)
{
    for (int d = lanes / 2; d > 0; d /= 2)
        a = combine(a, __shfl_down_sync(~0u, a, d));
    return a;
}

// Combines one value a thread; thread 0 gets the result.
// It also gets the sum of the warps' magnitudes.
__device__ __forceinline__ accum block_reduce(accum a, places at, accum *size)
{
    const unsigned t = threadIdx.x;
    a = warp_reduce(a, 32);
    if (t % 32 == 0)
        put_shared(at.warp, a);
    __syncthreads();
    if (t == 0)
        a = gather_warps(at.thread, size);
    return a;
}

// Reduces n elements of x, n may be 0. Each block has a tile of BLOCK * LOADS loads, and there are
// as many as n takes; the first also has what is less than a load at both ends.
// `state` gathers the blocks' values as integers, so that their order does not matter: a word for
// each range of exponents, and one that counts the blocks. The last to arrive sets them back to
// zero and writes *y, or, of several groups of blocks, leaves a value for the last group. An
// aborted launch leaves some above zero: clear them then.
__global__ void
__launch_bounds__(BLOCK, MIN_BLOCKS)
reduce(const elem *x, unsigned long long n, accum *y, unsigned long long *state)
{
    accum a = identity();
    __shared__ __align__(16) accum shared[BLOCK / 32]; // a value of each warp
    const places at = places_in(shared);
    // Groups of blocks, of which the last may have fewer, add up their values.
    const unsigned group = blockIdx.x / GROUP;
    const unsigned groups = (gridDim.x + GROUP - 1) / GROUP;
    const unsigned members = group + 1 < groups ? GROUP : gridDim.x - group * GROUP;
    unsigned long long *const words =
        (unsigned long long *)early_address(state + group * WORDS);
    accum *const result = (accum *)early_address(y);
    // All loads of the block are under way before the first is waited for, wherever x starts and
    // n ends: those that are not whole are masked. Blocks past the last tile do nothing.
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const long long left = (long long)(n - head) - (long long)blockIdx.x * TILE;
    const vec *v = (const vec *)(x + head);
    const int mine = (left < TILE ? (int)left : TILE) - (int)threadIdx.x * VECTOR;
    const vec *from = v + (unsigned long long)blockIdx.x * (BLOCK * LOADS) + threadIdx.x;
    vec got[LOADS] = {}; // zeros change nothing, so that what is masked can be added, too
    #pragma unroll
    for (int u = 0; u < LOADS; u++)
        if (mine >= (u * BLOCK + 1) * VECTOR)
            got[u] = load(from + u * BLOCK);
    const unsigned front = n < head ? (unsigned)n : head;
    const unsigned last = ((unsigned)n - front) % VECTOR;
    accum before = identity(), behind = identity();
    // No `&&`: a branch would make the loads behind it wait.
    if ((blockIdx.x == 0) & (threadIdx.x < front))
        before = map(x[threadIdx.x]);
    if ((blockIdx.x == 0) & (threadIdx.x < last))
        behind = map(x[n - 1 - threadIdx.x]);
    #pragma unroll
    for (int u = 0; u < LOADS; u++)
            a = fold(a, got[u]);
    a = combine(a, combine(before, behind));

    accum size;
    a = block_reduce(a, at, &size);
    if (threadIdx.x == 0 && add_binned(words, a, size, members, &a)) {
        // Of several groups the last, whose blocks were started last, gathers in their order.
        unsigned long long *const others = state + groups * WORDS;
        if (group != groups - 1) {
            post(others, group, a);
        } else {
            accum sum = identity();
            for (unsigned i = 0; i + 1 < groups; i++)
                sum = combine(sum, take(others, i));
            *result = combine(sum, a);
        }
    }
}
