// PTX, and whatever differs between a GPU and the host emulator.
// Each part begins with //? define NAME; a kernel gets the parts whose names it uses.

//? define load
__device__ __forceinline__ vec load(const vec *from)
{
    //? if HOST
    host_aligned(from, sizeof *from);
    //? end
    //? if HOST || LOAD == PLAIN
    return *from;
    //? else
    //? if VECTOR * ELEM_BYTES < 4
    union { vec value; unsigned word[1]; } to;
    //? else
    union { vec value; unsigned word[VECTOR * ELEM_BYTES / 4]; } to;
    //? end
    //? if LOAD == NONCOHERENT
    asm("ld.global.nc"
    //? elif LOAD == NO_ALLOCATE
    asm("ld.global.nc.L1::no_allocate"
    //? elif LOAD == STREAMING
    asm("ld.global.cs"
    //? else
    asm("ld.global.L2::256B"
    //? end
    //? if VECTOR * ELEM_BYTES == 1
        ".u8 %0, [%1];" : "=r"(to.word[0]) : "l"(from));
    //? elif VECTOR * ELEM_BYTES == 2
        ".u16 %0, [%1];" : "=r"(to.word[0]) : "l"(from));
    //? elif VECTOR * ELEM_BYTES == 4
        ".u32 %0, [%1];" : "=r"(to.word[0]) : "l"(from));
    //? elif VECTOR * ELEM_BYTES == 8
        ".v2.u32 {%0, %1}, [%2];" : "=r"(to.word[0]), "=r"(to.word[1]) : "l"(from));
    //? elif VECTOR * ELEM_BYTES == 16
        ".v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3]) : "l"(from));
    //? elif VECTOR * ELEM_BYTES == 32
        ".v8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
        : "=r"(to.word[0]), "=r"(to.word[1]), "=r"(to.word[2]), "=r"(to.word[3]),
          "=r"(to.word[4]), "=r"(to.word[5]), "=r"(to.word[6]), "=r"(to.word[7]) : "l"(from));
    //? end
    return to.value;
    //? end
}

//? define store
// Writes results, where a store of so many may begin.
__device__ __forceinline__ void store(stored *to, stored from)
{
    //? if HOST
    host_aligned(to, sizeof *to);
    *to = from;
    //? else
    // Written as C, the compiler would make a store of each result.
    const union { stored value; unsigned word[WRITE * ACCUM_BYTES / 4]; } bits = {from};
    //? if STORE == KEEP
    asm volatile("st.global"
    //? elif STORE == LEAVE_FIRST
    asm volatile("st.global.cs"
    //? elif STORE == PAST_L1
    asm volatile("st.global.cg"
    //? else
    asm volatile("st.global.L1::no_allocate"
    //? end
    //? if WRITE * ACCUM_BYTES == 4
        ".u32 [%0], %1;" :: "l"(to), "r"(bits.word[0]) : "memory");
    //? elif WRITE * ACCUM_BYTES == 8
        ".v2.u32 [%0], {%1, %2};" :: "l"(to), "r"(bits.word[0]), "r"(bits.word[1]) : "memory");
    //? else
        ".v4.u32 [%0], {%1, %2, %3, %4};"
        :: "l"(to), "r"(bits.word[0]), "r"(bits.word[1]), "r"(bits.word[2]), "r"(bits.word[3])
        : "memory");
    //? end
    //? end
}

//? define half_value
// The value of an f16, exactly.
__device__ __forceinline__ float half_value(unsigned short bits)
{
    //? if HOST
    // The fields moved to where a float has them: its exponent is then too small by 112.
    const unsigned moved = (bits & 0x7fffu) << 13, sign = (bits & 0x8000u) << 16;
    if (moved >= 0x0f800000u)
        return __uint_as_float(moved | 0x7f800000u | sign);
    return __uint_as_float(__float_as_uint(__uint_as_float(moved) * 0x1p112f) | sign);
    //? else
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
    //? end
}

//? define bfloat_value
// The value of a bf16: the upper half of a float.
__device__ __forceinline__ float bfloat_value(unsigned short bits)
{
    return __uint_as_float((unsigned)bits << 16);
}

//? define __nvvm_reflect
// With "__CUDA_FTZ": does the compiler take denormals of floats for zeros, as -use_fast_math and
// -ftz=true make it? A constant, which it knows while it compiles.
extern "C" __device__ int __nvvm_reflect(const char *option);

//? define rounded_sum
// a + b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_sum(accum a, accum b)
{
    //? if HOST
    return a + b;
    //? else
    accum sum;
    //? if ACC == F32
    asm("add.rn.f32 %0, %1, %2;" : "=f"(sum) : "f"(a), "f"(b));
    //? else
    asm("add.rn.f64 %0, %1, %2;" : "=d"(sum) : "d"(a), "d"(b));
    //? end
    return sum;
    //? end
}

//? define rounded_product
// a b, rounded by itself: whatever the compiler's options, nothing is fused or flushed.
__device__ __forceinline__ accum rounded_product(accum a, accum b)
{
    //? if HOST
    return a * b;
    //? else
    accum product;
    //? if ACC == F32
    asm("mul.rn.f32 %0, %1, %2;" : "=f"(product) : "f"(a), "f"(b));
    //? else
    asm("mul.rn.f64 %0, %1, %2;" : "=d"(product) : "d"(a), "d"(b));
    //? end
    return product;
    //? end
}

//? define at_most
// a <= b, whatever the compiler's options: nothing is flushed.
__device__ __forceinline__ bool at_most(accum a, accum b)
{
    unsigned all_ones;
    asm("set.le.u32.f32 %0, %1, %2;" : "=r"(all_ones) : "f"(a), "f"(b));
    return all_ones != 0;
}

//? define same_number
// a == b, whatever the compiler's options: nothing is flushed.
__device__ __forceinline__ bool same_number(accum a, accum b)
{
    unsigned all_ones;
    asm("set.eq.u32.f32 %0, %1, %2;" : "=r"(all_ones) : "f"(a), "f"(b));
    return all_ones != 0;
}

//? define widened
// The value of an f32, exactly, denormals too.
__device__ __forceinline__ double widened(float value)
{
    //? if HOST
    return value;
    //? else
    //? if ANY_FLAGS && ORDER != BY_N
    if (!__nvvm_reflect("__CUDA_FTZ"))
        return value;
    //? end
    double wide;
    asm("cvt.f64.f32 %0, %1;" : "=d"(wide) : "f"(value));
    return wide;
    //? end
}

//? define narrowed
// The f32 nearest to a value, whatever the compiler's options: nothing is flushed.
__device__ __forceinline__ float narrowed(double value)
{
    float narrow;
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(narrow) : "d"(value));
    return narrow;
}

//? define warp_redux
// All lanes' values combined by one instruction.
__device__ __forceinline__ accum warp_redux(accum a)
{
    //? if COMBINE == ADD
    return __reduce_add_sync(~0u, a);
    //? elif COMBINE == LEAST
    return __reduce_min_sync(~0u, a);
    //? elif COMBINE == GREATEST
    return __reduce_max_sync(~0u, a);
    //? elif COMBINE == AND
    return __reduce_and_sync(~0u, a);
    //? elif COMBINE == OR
    return __reduce_or_sync(~0u, a);
    //? elif COMBINE == XOR
    return __reduce_xor_sync(~0u, a);
    //? end
}

//? define frag
// The sums of 16 rows, spread over a warp: lane l has that of row l / 4 in at[0] and at[1], and
// that of row l / 4 + 8 in at[2] and at[3].
typedef struct { accum at[4]; } frag;

//? define fold_tensor
// Adds what one load brought to each lane of a warp, by a product with ones: the loads are a
// matrix of 16 rows, and every column of the product has the sums of its rows. Words 0 and 2 of
// lane l are of row l / 4, words 1 and 3 of row l / 4 + 8.
__device__ __forceinline__ frag fold_tensor(frag rows, vec got)
{
    //? if HOST
    accum low = 0, high = 0;
    for (int k = 0; k < VECTOR; k++)
        if (k * ELEM_BYTES / 4 % 2 == 0)
            low = combine(low, map(got.at[k]));
        else
            high = combine(high, map(got.at[k]));
    for (int d = 1; d < 4; d *= 2) {
        low = combine(low, __shfl_xor_sync(~0u, low, d));
        high = combine(high, __shfl_xor_sync(~0u, high, d));
    }
    for (int i = 0; i < 4; i++)
        rows.at[i] = combine(rows.at[i], i < 2 ? low : high);
    //? else
    const union { vec value; unsigned word[4]; } from = {got};
    //? if TYPE == F16
    const unsigned ones = 0x3c003c00;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
    //? elif TYPE == BF16
    const unsigned ones = 0x3f803f80;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
    //? elif TYPE == I8
    const unsigned ones = 0x01010101;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
    //? else
    const unsigned ones = 0x01010101;
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
    //? end
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %8}, {%0, %1, %2, %3};"
    //? if ACC == F32
                 : "+f"(rows.at[0]), "+f"(rows.at[1]), "+f"(rows.at[2]), "+f"(rows.at[3])
    //? else
                 : "+r"(rows.at[0]), "+r"(rows.at[1]), "+r"(rows.at[2]), "+r"(rows.at[3])
    //? end
                 : "r"(from.word[0]), "r"(from.word[1]), "r"(from.word[2]), "r"(from.word[3]),
                   "r"(ones));
    //? end
    return rows;
}

//? define minimum
// IEEE 754-2019 minimum: NaN if either is NaN, and -0 is less than +0.
__device__ __forceinline__ accum minimum(accum a, accum b)
{
    //? if HOST
    if (a != a || b != b)
        return a + b;
    return a < b || (a == b && __builtin_signbit(a)) ? a : b;
    //? elif ACC == F32 && CC >= 80
    accum least;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
    return least;
    //? elif ACC == F32
    //? if ANY_FLAGS
    if (__nvvm_reflect("__CUDA_FTZ")) {
        accum least;
        asm("min.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
        return a != a ? a : b != b ? b : least;
    }
    //? end
    return a != a || b != b ? a + b : fminf(a, b);
    //? else
    return a != a || b != b ? a + b : fmin(a, b);
    //? end
}

//? define maximum
// IEEE 754-2019 maximum: NaN if either is NaN, and +0 is greater than -0.
__device__ __forceinline__ accum maximum(accum a, accum b)
{
    //? if HOST
    if (a != a || b != b)
        return a + b;
    return a > b || (a == b && !__builtin_signbit(a)) ? a : b;
    //? elif ACC == F32 && CC >= 80
    accum most;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
    return most;
    //? elif ACC == F32
    //? if ANY_FLAGS
    if (__nvvm_reflect("__CUDA_FTZ")) {
        accum most;
        asm("max.f32 %0, %1, %2;" : "=f"(most) : "f"(a), "f"(b));
        return a != a ? a : b != b ? b : most;
    }
    //? end
    return a != a || b != b ? a + b : fmaxf(a, b);
    //? else
    return a != a || b != b ? a + b : fmax(a, b);
    //? end
}

//? define arrive
// Counts a block in and says how many came before it. Releases what this thread wrote and
// acquires what the others released. The count wraps to 0 after the last of `blocks`: ready for
// the next call.
__device__ __forceinline__ unsigned arrive(unsigned *arrived, unsigned blocks)
{
    //? if HOST
    return host_arrive(arrived, blocks);
    //? else
    unsigned before;
    asm volatile("atom.inc.acq_rel.gpu.global.u32 %0, [%1], %2;"
                 : "=r"(before) : "l"(arrived), "r"(blocks - 1) : "memory");
    return before;
    //? end
}

//? define meet
// A barrier of all `blocks`: counts[0] those that came, counts[1] those that left again; the last
// to leave sets both back to 0. Releases and acquires like arrive.
__device__ __forceinline__ void meet(unsigned *counts, unsigned blocks)
{
    //? if HOST
    __atomic_fetch_add(counts, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(counts, __ATOMIC_ACQUIRE) != blocks)
        host_yield();
    //? else
    unsigned came;
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(counts) : "memory");
    do
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(came) : "l"(counts) : "memory");
    while (came != blocks);
    //? end
    if (arrive(counts + 1, blocks) == blocks - 1)
        counts[0] = 0;
}

//? define post
// Leaves the value of block i with a flag, so that who sees the flag has the value: no fence.
__device__ __forceinline__ void post(unsigned long long *words, unsigned i, accum value)
{
    //? if COMBINE == OTHER
    // A part of the value in each word.
    const union { accum value; unsigned part[ACCUM_BYTES / 4]; } from = {value};
    #pragma unroll
    for (int k = 0; k < ACCUM_BYTES / 4; k++)
        post_word(words + i * (ACCUM_BYTES / 4) + k, from.part[k]);
    //? elif ACCUM_BYTES == 8
    // Half of the value in each of two words.
    const union { accum value; unsigned half[2]; } from = {value};
    post_word(words + 2 * i, from.half[0]);
    post_word(words + 2 * i + 1, from.half[1]);
    //? else
    const union { accum value; unsigned bits; } from = {value};
    post_word(words + i, from.bits);
    //? end
}

//? define post_word
__device__ __forceinline__ void post_word(unsigned long long *word, unsigned bits)
{
    const unsigned long long flagged = (unsigned long long)bits << 32 | 1;
    //? if HOST
    __atomic_store_n(word, flagged, __ATOMIC_RELAXED);
    //? else
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(flagged) : "memory");
    //? end
}

//? define take
// Waits for the value of block i and clears its place for the next call.
__device__ __forceinline__ accum take(unsigned long long *words, unsigned i)
{
    //? if COMBINE == OTHER
    union { accum value; unsigned part[ACCUM_BYTES / 4]; } to;
    #pragma unroll
    for (int k = 0; k < ACCUM_BYTES / 4; k++)
        to.part[k] = take_word(words + i * (ACCUM_BYTES / 4) + k);
    //? elif ACCUM_BYTES == 8
    union { accum value; unsigned half[2]; } to;
    to.half[0] = take_word(words + 2 * i);
    to.half[1] = take_word(words + 2 * i + 1);
    //? else
    union { accum value; unsigned bits; } to;
    to.bits = take_word(words + i);
    //? end
    return to.value;
}

//? define take_word
__device__ __forceinline__ unsigned take_word(unsigned long long *word)
{
    unsigned long long flagged;
    //? if HOST
    while ((flagged = __atomic_load_n(word, __ATOMIC_RELAXED)) == 0)
        host_yield();
    //? else
    do
        asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(flagged) : "l"(word) : "memory");
    while (flagged == 0);
    //? end
    clear_word(word);
    return (unsigned)(flagged >> 32);
}

//? define clear_word
// Sets a word back to 0 by a store that is strong, as are all other accesses to it.
__device__ __forceinline__ void clear_word(unsigned long long *word)
{
    //? if HOST
    __atomic_store_n(word, 0, __ATOMIC_RELAXED);
    //? else
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(0ULL) : "memory");
    //? end
}

//? define take_ticket
// A number for this block: blocks get 0, 1, 2 ... in the order in which they ask, below an epoch in
// the high half. Orders nothing else.
__device__ __forceinline__ unsigned long long take_ticket(unsigned long long *taken)
{
    //? if HOST
    return __atomic_fetch_add(taken, 1, __ATOMIC_RELAXED);
    //? else
    unsigned long long number;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(number) : "l"(taken), "l"(1ULL) : "memory");
    return number;
    //? end
}

//? define begin_epoch
// The epoch of the next call, in which no block has a number yet.
__device__ __forceinline__ void begin_epoch(unsigned long long *word, unsigned epoch)
{
    post_half(word, epoch, 0);
}

//? define post_tile
// Leaves a value for a tile and says by a flag what it is, so that who sees the flag has the value:
// no fence.
__device__ __forceinline__ void post_tile(unsigned long long *words, unsigned tile, accum value,
                                          unsigned flag)
{
    //? if COMBINE == OTHER
    // A part of the value in each word.
    const union { accum value; unsigned part[ACCUM_BYTES / 4]; } from = {value};
    #pragma unroll
    for (int k = 0; k < ACCUM_BYTES / 4; k++) {
        post_half(words + (unsigned long long)tile * (ACCUM_BYTES / 4) + k, from.part[k], flag);
        //? if HOST
        host_yield(); // others may see some parts alone
        //? end
    }
    //? elif ACCUM_BYTES == 8
    // Half of the value in each of two words.
    const union { accum value; unsigned half[2]; } from = {value};
    post_half(words + 2ULL * tile, from.half[0], flag);
    //? if HOST
    host_yield(); // others may see one half alone
    //? end
    post_half(words + 2ULL * tile + 1, from.half[1], flag);
    //? else
    const union { accum value; unsigned bits; } from = {value};
    post_half(words + tile, from.bits, flag);
    //? end
}

//? define post_half
__device__ __forceinline__ void post_half(unsigned long long *word, unsigned bits, unsigned flag)
{
    const unsigned long long both = (unsigned long long)bits << 32 | flag;
    //? if HOST
    __atomic_store_n(word, both, __ATOMIC_RELAXED);
    //? else
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(word), "l"(both) : "memory");
    //? end
}

//? define read_tile
// The value that was left for a tile, and its flag: 0 where there is none yet.
__device__ __forceinline__ unsigned read_tile(const unsigned long long *words, unsigned tile,
                                              accum *value)
{
    //? if COMBINE == OTHER
    // While the tile's value is replaced its parts may be of two.
    union { accum value; unsigned part[ACCUM_BYTES / 4]; } to;
    unsigned flag = 0;
    bool is_one = true;
    #pragma unroll
    for (int k = 0; k < ACCUM_BYTES / 4; k++) {
        const unsigned long long both =
            read_word(words + (unsigned long long)tile * (ACCUM_BYTES / 4) + k);
        to.part[k] = (unsigned)(both >> 32);
        is_one = is_one && (k == 0 || (unsigned)both == flag);
        flag = (unsigned)both;
    }
    *value = to.value;
    return is_one ? flag : 0;
    //? elif ACCUM_BYTES == 8
    // While the tile's value is replaced its halves may be of two.
    const unsigned long long low = read_word(words + 2ULL * tile);
    const unsigned long long high = read_word(words + 2ULL * tile + 1);
    union { unsigned half[2]; accum value; } to = {{(unsigned)(low >> 32), (unsigned)(high >> 32)}};
    *value = to.value;
    return (unsigned)low == (unsigned)high ? (unsigned)low : 0;
    //? else
    const unsigned long long both = read_word(words + tile);
    union { unsigned bits; accum value; } to = {(unsigned)(both >> 32)};
    *value = to.value;
    return (unsigned)both;
    //? end
}

//? define read_word
__device__ __forceinline__ unsigned long long read_word(const unsigned long long *word)
{
    //? if HOST
    return __atomic_load_n(word, __ATOMIC_RELAXED);
    //? else
    unsigned long long both;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(both) : "l"(word) : "memory");
    return both;
    //? end
}

//? define wait_a_bit
// Lets others go on before the next look.
__device__ __forceinline__ void wait_a_bit(void)
{
    //? if HOST
    host_yield();
    //? elif PAUSE > 0
    __nanosleep(PAUSE);
    //? end
}

//? define early_address
// An address that lane 0 uses, computed where this stands, ahead of the loads: what uses it later
// need not wait for it.
__device__ __forceinline__ void *early_address(void *address)
{
    //? if HOST
    return address;
    //? else
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
    //? end
}

//? define places
// Where a thread's warp leaves its value in shared memory, and where the value of the warp of the
// thread's number is.
//? if HOST
typedef struct { accum *warp, *thread; } places;
//? else
typedef struct { unsigned warp, thread; } places;
//? end

//? define places_in
// The places in `shared`, of one value a warp, computed where this stands, ahead of the loads.
__device__ __forceinline__ places places_in(accum *shared)
{
    const unsigned t = threadIdx.x;
    //? if HOST
    const places at = {shared + t / 32, shared + t};
    //? else
    places at;
    const unsigned first = (unsigned)__cvta_generic_to_shared(shared);
    asm volatile("mad.lo.u32 %0, %1, %2, %3;"
                 : "=r"(at.warp) : "r"(t / 32), "n"(sizeof(accum)), "r"(first));
    asm volatile("mad.lo.u32 %0, %1, %2, %3;"
                 : "=r"(at.thread) : "r"(t), "n"(sizeof(accum)), "r"(first));
    //? end
    return at;
}

//? define put_shared
//? if HOST
__device__ __forceinline__ void put_shared(accum *at, accum value)
{
    *at = value;
}
//? else
__device__ __forceinline__ void put_shared(unsigned at, accum value)
{
    //? if ACCUM_BYTES == 8
    const union { accum value; unsigned long long bits; } from = {value};
    asm volatile("st.shared.u64 [%0], %1;" :: "r"(at), "l"(from.bits) : "memory");
    //? else
    const union { accum value; unsigned bits; } from = {value};
    asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(from.bits) : "memory");
    //? end
}
//? end

//? define get_shared
//? if HOST
__device__ __forceinline__ accum get_shared(const accum *at)
{
    return *at;
}
//? else
__device__ __forceinline__ accum get_shared(unsigned at) // of 4 bytes
{
    union { unsigned bits; accum value; } to;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(to.bits) : "r"(at) : "memory");
    return to.value;
}
//? end

//? define gather_warps
//? if FINISH == BINNED
// Combines the values of all warps, which begin at `from`, in the order of warp_reduce, and adds up
// their magnitudes to *size.
//? if HOST
__device__ __forceinline__ accum gather_warps(const accum *from, accum *size)
//? else
__device__ __forceinline__ accum gather_warps(unsigned from, accum *size)
//? end
//? else
// Combines the values of all warps, which begin at `from`, in the order of warp_reduce.
//? if HOST
__device__ __forceinline__ accum gather_warps(const accum *from)
//? else
__device__ __forceinline__ accum gather_warps(unsigned from)
//? end
//? end
{
    //? if HOST
    accum value[BLOCK / 32];
    for (int i = 0; i < BLOCK / 32; i++)
        value[i] = from[i];
    //? else
    union { accum value[BLOCK / 32]; unsigned word[BLOCK / 32 * sizeof(accum) / 4]; } got;
    accum *const value = got.value;
    //? if BLOCK == 64 && ACCUM_BYTES == 4
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(got.word[0]), "=r"(got.word[1]) : "r"(from) : "memory");
    //? else
    #pragma unroll
    for (int i = 0; i < BLOCK / 32 * (int)sizeof(accum) / 4; i += 4)
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(got.word[i]), "=r"(got.word[i + 1]), "=r"(got.word[i + 2]),
                       "=r"(got.word[i + 3])
                     : "r"(from + i * 4) : "memory");
    //? end
    //? end
    //? if FINISH == BINNED
    accum sizes[BLOCK / 32];
    #pragma unroll
    for (int i = 0; i < BLOCK / 32; i++)
        sizes[i] = magnitude(value[i]);
    //? end
    #pragma unroll
    for (int d = BLOCK / 64; d > 0; d /= 2)
        #pragma unroll
        for (int i = 0; i < d; i++) {
            value[i] = combine(value[i], value[i + d]);
            //? if FINISH == BINNED
            //? if ANY_FLAGS
            sizes[i] = combine(sizes[i], sizes[i + d]);
            //? else
            sizes[i] += sizes[i + d];
            //? end
            //? end
        }
    //? if FINISH == BINNED
    *size = sizes[0];
    //? end
    return value[0];
}

//? define add_word
// Adds to a word, for lane 0 alone, and says what it is then. Orders nothing else.
__device__ __forceinline__ unsigned long long add_word(unsigned long long *word,
                                                       unsigned long long value)
{
    //? if HOST
    return atomicAdd(word, value) + value;
    //? elif IS_AHEAD
    unsigned long long before;
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(before) : "l"(word), "l"(value) : "memory");
    return before + value;
    //? else
    // At one address for all lanes the assembler would first add up what the warp's lanes have.
    unsigned lane;
    unsigned long long before;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
                 : "=l"(before) : "l"(word + lane), "l"(value) : "memory");
    return before + value;
    //? end
}

//? define add_binned
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
    //? if HOST
    const unsigned long long all = add_word(state, one);
    host_yield(); // the last to be counted may come before others' values
    //? end
    const unsigned long long own =
        add_word(bin, ((unsigned long long)multiple & ~4095ULL) | 1);
    //? if !HOST
    const unsigned long long all = add_word(state, one);
    //? end
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
            //? if HOST
            host_yield();
            //? end
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
    //? if ANY_FLAGS
    *total = __nvvm_reflect("__CUDA_FTZ") ? narrowed(sum) : (float)sum;
    //? else
    *total = (float)sum;
    //? end
    return true;
}

//? define magnitude
__device__ __forceinline__ float magnitude(float value)
{
    //? if HOST
    return __builtin_fabsf(value);
    //? else
    return fabsf(value);
    //? end
}

//? define bin_value
// The sum of values in a word of range i.
__device__ __forceinline__ double bin_value(unsigned long long word, unsigned i)
{
    // The scale is a power of two, by its exponent.
    return (double)((long long)word >> 12) * __longlong_as_double((873LL + 16 * i) << 52);
}

//? define value_bits
//? if ACCUM_BYTES == 8
typedef unsigned long long value_bits;
//? else
typedef unsigned value_bits;
//? end

//? define encode
// A value written so that zero is the identity and, for min and max, order is that of unsigned
// integers; its own inverse.
__device__ __forceinline__ value_bits encode(value_bits bits)
{
    //? if COMBINE == AND || (COMBINE == LEAST && (ACC == U32 || ACC == U64))
    return ~bits;
    //? elif COMBINE == GREATEST && ACC == I32
    return bits ^ 0x80000000;
    //? elif COMBINE == LEAST && ACC == I32
    return bits ^ 0x7fffffff;
    //? elif COMBINE == GREATEST && ACC == I64
    return bits ^ 0x8000000000000000ULL;
    //? elif COMBINE == LEAST && ACC == I64
    return bits ^ 0x7fffffffffffffffULL;
    //? else
    return bits;
    //? end
}

//? define update
// Combines a value into the one at `word`, in no order.
__device__ __forceinline__ void update(unsigned long long *word, accum value)
{
    //? if ACC == F32 || ACC == F64
    atomicAdd((accum *)word, value);
    //? else
    value_bits *at = (value_bits *)word;
    const value_bits bits = encode((value_bits)value);
    //? if COMBINE == LEAST || COMBINE == GREATEST
    atomicMax(at, bits);
    //? elif COMBINE == AND || COMBINE == OR
    atomicOr(at, bits);
    //? elif COMBINE == XOR
    atomicXor(at, bits);
    //? else
    atomicAdd(at, bits);
    //? end
    //? end
}

//? define take_value
// The value that all have combined into, set back to the identity.
__device__ __forceinline__ accum take_value(unsigned long long *word)
{
    //? if ACC == F32 || ACC == F64
    union { value_bits bits; accum value; } to;
    to.bits = atomicExch((value_bits *)word, (value_bits)0);
    return to.value;
    //? else
    return (accum)encode(atomicExch((value_bits *)word, (value_bits)0));
    //? end
}

//? define combine_at
// Combines a value into *at, in no order.
__device__ __forceinline__ void combine_at(accum *at, accum value)
{
    //? if COMBINE == LEAST
    atomicMin(at, value);
    //? elif COMBINE == GREATEST
    atomicMax(at, value);
    //? elif COMBINE == AND
    atomicAnd(at, value);
    //? elif COMBINE == OR
    atomicOr(at, value);
    //? elif COMBINE == XOR
    atomicXor(at, value);
    //? else
    atomicAdd(at, value);
    //? end
}

//? define copy_async
// Starts a copy of 16 bytes into shared memory, past the L1.
__device__ __forceinline__ void copy_async(vec *to, const vec *from)
{
    //? if HOST
    host_aligned(to, sizeof *to);
    host_aligned(from, sizeof *from);
    *to = *from;
    //? else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
    //? end
}

//? define close_group
// The copies that this thread started since the last group are one group.
__device__ __forceinline__ void close_group(void)
{
    //? if !HOST
    asm volatile("cp.async.commit_group;" ::: "memory");
    //? end
}

//? define wait_group
// Waits for this thread's groups but the youngest STAGES - 1.
__device__ __forceinline__ void wait_group(void)
{
    //? if !HOST
    asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 1) : "memory");
    //? end
}

//? define barrier_init
// A barrier that one arrival and the bytes it announces complete.
__device__ __forceinline__ void barrier_init(unsigned long long *barrier)
{
    //? if HOST
    host_barrier(HOST_BARRIER_INIT, barrier, 1);
    //? else
    asm volatile("mbarrier.init.shared.b64 [%0], 1;"
                 :: "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
    //? end
}

//? define barrier_publish
//? if CLUSTER > 1
// Makes barriers just made known to the copy engine and to the cluster.
//? else
// Makes barriers just made known to the copy engine.
//? end
__device__ __forceinline__ void barrier_publish(void)
{
    //? if !HOST
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    //? end
}

//? define barrier_expect
// The arrival, which announces so many bytes.
__device__ __forceinline__ void barrier_expect(unsigned long long *barrier, unsigned bytes)
{
    //? if HOST
    host_barrier(HOST_BARRIER_EXPECT, barrier, bytes);
    //? else
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :: "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
    //? end
}

//? define barrier_wait
// Waits for the end of a phase (0, 1, 0, ...).
__device__ __forceinline__ void barrier_wait(unsigned long long *barrier, unsigned phase)
{
    //? if HOST
    host_barrier(HOST_BARRIER_WAIT, barrier, phase);
    //? else
    unsigned is_done;
    do
        asm volatile("{\n\t"
                     ".reg .pred done;\n\t"
    //? if CLUSTER > 1
                     "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], %2;\n\t"
    //? else
                     "mbarrier.try_wait.parity.shared.b64 done, [%1], %2;\n\t"
    //? end
                     "selp.u32 %0, 1, 0, done;\n\t"
                     "}"
                     : "=r"(is_done)
                     : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(phase)
                     : "memory");
    while (!is_done);
    //? end
}

//? define copy_bulk
// Starts the copy of a tile into shared memory by the copy engine; its arrival completes a phase.
__device__ __forceinline__ void copy_bulk(vec *to, const vec *from, unsigned long long *barrier)
{
    const unsigned bytes = BLOCK * LOADS * sizeof(vec);
    const unsigned at = (unsigned)__cvta_generic_to_shared(barrier);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 :: "r"(at), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];"
                 :: "r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes), "r"(at)
                 : "memory");
}

//? define cluster_rank
__device__ __forceinline__ unsigned cluster_rank(void)
{
    //? if HOST
    return host_self->rank;
    //? else
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
    //? end
}

//? define cluster_arrive
// Says that this thread of the cluster has started; orders no memory. Lanes may come one by one.
__device__ __forceinline__ void cluster_arrive(void)
{
    //? if HOST
    host_cluster_arrive();
    //? else
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    //? end
}

//? define cluster_wait
// Waits until all threads of the cluster have arrived; for whole warps. Acquires what they made
// known of their barriers.
__device__ __forceinline__ void cluster_wait(void)
{
    //? if HOST
    host_cluster_wait();
    //? else
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    //? end
}

//? define send
// Sends a value to where `to` lies in the cluster's first block, whose barrier counts the bytes
// that have come.
__device__ __forceinline__ void send(accum *to, accum value, unsigned long long *barrier)
{
    //? if ACCUM_BYTES == 8
    const union { accum value; unsigned long long bits; } from = {value};
    //? else
    const union { accum value; unsigned bits; } from = {value};
    //? end
    //? if HOST
    host_send(0, to, from.bits, sizeof from, barrier);
    //? else
    unsigned there, counter;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;"
                 : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(to)));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;"
                 : "=r"(counter) : "r"((unsigned)__cvta_generic_to_shared(barrier)));
    //? if ACCUM_BYTES == 8
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0], %1, [%2];"
                 :: "r"(there), "l"(from.bits), "r"(counter) : "memory");
    //? else
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 :: "r"(there), "r"(from.bits), "r"(counter) : "memory");
    //? end
    //? end
}

//? define cluster_values
// What the first block of a cluster gathers: a value of each block after it, and a barrier that
// counts their bytes.
typedef struct { accum value[CLUSTER]; unsigned long long barrier; } cluster_values;

//? define cluster_begin
// Before anything else: the first block prepares to be sent to, and all say that they have started.
__device__ __forceinline__ void cluster_begin(cluster_values *to)
{
    if (threadIdx.x == 0 && cluster_rank() == 0) {
        barrier_init(&to->barrier);
        barrier_publish();
        barrier_expect(&to->barrier, (CLUSTER - 1) * sizeof(accum));
    }
    cluster_arrive();
}

//? define send_to
// Sends a value to where `to` lies in a block of the cluster, whose barrier counts the bytes that
// have come.
__device__ __forceinline__ void send_to(unsigned rank, accum *to, accum value,
                                        unsigned long long *barrier)
{
    //? if ACCUM_BYTES == 8
    const union { accum value; unsigned long long bits; } from = {value};
    //? else
    const union { accum value; unsigned bits; } from = {value};
    //? end
    //? if HOST
    host_send(rank, to, from.bits, sizeof from, barrier);
    //? else
    unsigned there, counter;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(to)), "r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(counter) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(rank));
    //? if ACCUM_BYTES == 8
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [%0], %1, [%2];"
                 :: "r"(there), "l"(from.bits), "r"(counter) : "memory");
    //? else
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];"
                 :: "r"(there), "r"(from.bits), "r"(counter) : "memory");
    //? end
    //? end
}

//? define post_found
// Leaves what block i found, a word with a flag for each 4 bytes of it.
__device__ __forceinline__ void post_found(unsigned long long *words, unsigned i, found a)
{
    unsigned long long *at = words + i * (ACCUM_BYTES / 4 + 2);
    post(at, 0, a.value);
    post_word(at + ACCUM_BYTES / 4, (unsigned)a.place);
    post_word(at + ACCUM_BYTES / 4 + 1, (unsigned)(a.place >> 32));
}

//? define take_found
// Waits for what block i found and clears its words for the next call.
__device__ __forceinline__ found take_found(unsigned long long *words, unsigned i)
{
    unsigned long long *at = words + i * (ACCUM_BYTES / 4 + 2);
    found a;
    a.value = take(at, 0);
    a.place = take_word(at + ACCUM_BYTES / 4);
    a.place |= (unsigned long long)take_word(at + ACCUM_BYTES / 4 + 1) << 32;
    return a;
}
