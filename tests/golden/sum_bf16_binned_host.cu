// sum of bf16 accumulated in f32, for host: pass 'gather' of reduce, made from reduce.cu by
// autotune emit --op sum --type bf16 --acc f32 --arch host --pass gather --variant BLOCK=64,ITEMS=32,VECTOR=8,UNROLL=4,ACCUMS=1,MATH=CUDA,WARP=SHUFFLE,LOAD=PLAIN,STAGES=0,WALK=STRIDED,MIN_BLOCKS=1,CLUSTER=1,FINISH=BINNED

enum {
    BLOCK = 64,     // threads per block
    VECTOR = 8,     // elements per load
    UNROLL = 4,     // loads issued before combining
    MIN_BLOCKS = 1, // blocks per SM promised to the compiler (0: none, it may stop at 32 registers)
    TILE = 2048,    // BLOCK * ITEMS
    LOADS = 4,      // ITEMS / VECTOR
    ENDS = 4,       // min(UNROLL, 4)
    GROUP = 2048,   // 2048
    WORDS = 17,     // 17
    ELEM_BYTES = 2, // bytes of an element
};

typedef unsigned short elem; // its bits

typedef float accum;

// What one load brings.
typedef union __align__(VECTOR * ELEM_BYTES) {
    unsigned word[VECTOR * ELEM_BYTES / 4]; // first, so that it is moved by words
    elem at[VECTOR];
} vec;

// The value that changes nothing.
__device__ __forceinline__ accum identity(void)
{
    return 0;
}

// The value of a bf16: the upper half of a float.
__device__ __forceinline__ float bfloat_value(unsigned short bits)
{
    return __uint_as_float((unsigned)bits << 16);
}

// What is combined of an element.
__device__ __forceinline__ accum map(elem value)
{
    const accum x = bfloat_value(value);
    return x;
}

__device__ __forceinline__ accum combine(accum a, accum b)
{
    return a + b;
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
    host_aligned(from, sizeof *from);
    return *from;
}

__device__ __forceinline__ void post_word(unsigned long long *word, unsigned bits)
{
    const unsigned long long flagged = (unsigned long long)bits << 32 | 1;
    __atomic_store_n(word, flagged, __ATOMIC_RELAXED);
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
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

__device__ __forceinline__ unsigned take_word(unsigned long long *word)
{
    unsigned long long flagged;
    while ((flagged = __atomic_load_n(word, __ATOMIC_RELAXED)) == 0)
        host_yield();
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
    return address;
}

// Where a thread's warp leaves its value in shared memory, and where the value of the warp of the
// thread's number is.
typedef struct { accum *warp, *thread; } places;

// The places in `shared`, of one value a warp, computed where this stands, ahead of the loads.
__device__ __forceinline__ places places_in(accum *shared)
{
    const unsigned t = threadIdx.x;
    const places at = {shared + t / 32, shared + t};
    return at;
}

__device__ __forceinline__ void put_shared(accum *at, accum value)
{
    *at = value;
}

__device__ __forceinline__ float magnitude(float value)
{
    return __builtin_fabsf(value);
}

// Combines the values of all warps, which begin at `from`, in the order of warp_reduce, and adds up
// their magnitudes to *size.
__device__ __forceinline__ accum gather_warps(const accum *from, accum *size)
{
    accum value[BLOCK / 32];
    for (int i = 0; i < BLOCK / 32; i++)
        value[i] = from[i];
    accum sizes[BLOCK / 32];
    #pragma unroll
    for (int i = 0; i < BLOCK / 32; i++)
        sizes[i] = magnitude(value[i]);
    #pragma unroll
    for (int d = BLOCK / 64; d > 0; d /= 2)
        #pragma unroll
        for (int i = 0; i < d; i++) {
            value[i] = combine(value[i], value[i + d]);
            sizes[i] += sizes[i + d];
        }
    *size = sizes[0];
    return value[0];
}

__device__ __forceinline__ unsigned long long read_word(const unsigned long long *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

// Adds to a word, for lane 0 alone, and says what it is then. Orders nothing else.
__device__ __forceinline__ unsigned long long add_word(unsigned long long *word,
                                                       unsigned long long value)
{
    return atomicAdd(word, value) + value;
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
    const unsigned long long all = add_word(state, one);
    host_yield(); // the last to be counted may come before others' values
    const unsigned long long own =
        add_word(bin, ((unsigned long long)multiple & ~4095ULL) | 1);
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
            host_yield();
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
    *total = (float)sum;
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

// What is no whole tile: `front` elements of x, and the last `left` of all n, which begin at
// `rest`.
__device__ __forceinline__ accum ends(const elem *x, unsigned long long n, const vec *rest,
                                      unsigned front, unsigned left)
{
    const unsigned threads = (gridDim.x < LOADS ? gridDim.x : LOADS) * BLOCK;
    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned whole = left / VECTOR;
    accum a = identity();
    accum first = identity(), last = identity();
    if (thread < front)
        first = map(x[thread]);
    if (thread < left % VECTOR)
        last = map(x[n - left % VECTOR + thread]);
    #pragma unroll 1
    for (unsigned i = thread; i < whole; i += ENDS * threads) {
        vec got[ENDS];
        #pragma unroll
        for (unsigned u = 0; u < ENDS; u++) {
            const unsigned at = i + u * threads < whole ? i + u * threads : i; // there, at least
            got[u] = load(rest + at);
        }
        #pragma unroll
        for (unsigned u = 0; u < ENDS; u++)
            if (i + u * threads < whole)
                a = fold(a, got[u]);
    }
    a = combine(a, combine(first, last));
    return a;
}

// Reduces n elements of x, n may be 0. The blocks walk over whole tiles of BLOCK * LOADS loads;
// what is left over is for the first blocks.
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
    // Elements before the first address aligned for a vector.
    const unsigned head = -(unsigned)(unsigned long long)x / ELEM_BYTES % VECTOR;
    const unsigned tiles = n < head ? 0 : (unsigned)((n - head) / TILE);
    const vec *v = (const vec *)(x + head);
    const unsigned step = gridDim.x, first = blockIdx.x, end = tiles;
    const vec *mine = v + threadIdx.x;
    for (unsigned tile = first; tile < end; tile += step) {
        const vec *from = mine + (unsigned long long)tile * (BLOCK * LOADS);
        #pragma unroll 1
        for (int i = 0; i < LOADS; i += UNROLL) {
            vec got[UNROLL];
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                got[u] = load(from + (i + u) * BLOCK);
            #pragma unroll
            for (int u = 0; u < UNROLL; u++)
                a = fold(a, got[u]);
        }
    }

    // Less than a tile is left, and at both ends less than a vector: for the first LOADS blocks.
    if (blockIdx.x < LOADS) {
        const unsigned front = n < head ? (unsigned)n : head;
        const unsigned left = (unsigned)n - front - tiles * TILE;
        if ((front | left) != 0)
            a = combine(a, ends(x, n, v + (unsigned long long)tiles * (BLOCK * LOADS), front,
                                left));
    }

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
