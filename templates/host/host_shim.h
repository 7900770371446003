/* host_shim: what an emitted kernel needs to be plain C on the host. The first part, the face
 * between a compiled kernel and the emulator, is read by both; the second, CUDA's words, only
 * by kernels. No header is included, so a kernel compiles fast and wherever a compiler is. */
#ifndef AUTOTUNE_HOST_SHIM_H
#define AUTOTUNE_HOST_SHIM_H

/* What the lanes of a warp can do together. */
enum host_op {
    HOST_SYNC,        /* __syncwarp: the only one that orders memory */
    HOST_SHFL,        /* the value of lane `lane` */
    HOST_SHFL_UP,     /* of `lane` lanes below */
    HOST_SHFL_DOWN,   /* of `lane` lanes above */
    HOST_SHFL_XOR,    /* of this lane's number ^ `lane` */
    HOST_REDUCE_ADD,  /* the rest: 32-bit values combined over the mask */
    HOST_REDUCE_AND,
    HOST_REDUCE_OR,
    HOST_REDUCE_XOR,
    HOST_REDUCE_MIN,  /* unsigned */
    HOST_REDUCE_MAX,
    HOST_REDUCE_IMIN, /* signed */
    HOST_REDUCE_IMAX,
    HOST_BALLOT,      /* bit i: the value of lane i is not zero */
};

/* What a thread does with a barrier that counts arrivals and bytes (an mbarrier), 8 bytes of its
 * block's shared memory. */
enum host_barrier {
    HOST_BARRIER_INIT,   /* `value` arrivals complete a phase, and what bytes they announce */
    HOST_BARRIER_EXPECT, /* arrives and announces `value` bytes */
    HOST_BARRIER_WAIT,   /* until a phase of that parity has ended */
};

/* What a thread does with memory. */
enum host_touch { HOST_READ, HOST_WRITE, HOST_ATOMIC };

/* What it is about to do, or has done, in view of other blocks. */
enum host_step {
    HOST_ACCESS,  /* a strong load or store */
    HOST_RELEASE, /* what it wrote and what it knows to be written is seen from now on */
    HOST_UPDATE,  /* a read and a write in one, up to: */
    HOST_UPDATED,
};

struct host_thread;

/* What a kernel calls. */
struct host_calls {
    /* Of all barriers in the source, that one. */
    void (*sync_threads)(struct host_thread *self, const char *file, unsigned line);
    void (*yield)(struct host_thread *self);
    unsigned long long (*warp)(struct host_thread *self, enum host_op op, unsigned mask,
                               unsigned long long value, unsigned lane, unsigned width);
    void (*cluster_arrive)(struct host_thread *self);
    void (*cluster_wait)(struct host_thread *self);
    void (*barrier)(struct host_thread *self, enum host_barrier what,
                    unsigned long long *barrier, unsigned value);
    /* To where `to` lies in the cluster's block `rank`, at some time; its bytes count at the
     * barrier of that block. */
    void (*send)(struct host_thread *self, unsigned rank, void *to, unsigned long long value,
                 unsigned bytes, unsigned long long *barrier);
    void (*step)(struct host_thread *self, enum host_step step, const volatile void *at);
    /* Before each store, of a kernel compiled so (host_late.h). */
    void (*store)(struct host_thread *self, void *at, unsigned long bytes);
    /* Only a kernel compiled to be traced does (host_tsan.h): before each access, with where
     * it stands in the code. */
    void (*touch)(struct host_thread *self, enum host_touch touch, const void *at,
                  unsigned bytes, const void *site);
};

struct host_dim {
    unsigned x, y, z;
};

/* One thread, as its kernel sees it. */
struct host_thread {
    const struct host_calls *calls;
    struct host_dim thread, block, block_dim, grid_dim;
    unsigned rank; /* its block's in the cluster */
};

/* One compiled kernel, as the emulator sees it. */
struct host_unit {
    const char *name;
    void (*run)(const unsigned long long *args); /* one thread, from start to end */
    struct host_thread **self;                   /* set before a thread goes on */
    unsigned char *shared, *shared_end;          /* its shared memory */
    unsigned arg_count;
};

#endif

#ifdef HOST_SHARED /* the section for shared memory, named by whoever compiles the kernel */

#ifndef HOST_SELF /* where the hooks of one kernel serve all that are linked with it */
#define HOST_SELF static
#endif
HOST_SELF struct host_thread *host_self;

#define bool _Bool
#define true 1
#define false 0

#define __global__ static
#define __device__ static inline /* functions only */
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __restrict__ __restrict
#define __shared__ static __attribute__((used, section(HOST_SHARED)))

#define threadIdx (host_self->thread)
#define blockIdx (host_self->block)
#define blockDim (host_self->block_dim)
#define gridDim (host_self->grid_dim)
enum { warpSize = 32 };

/* --- Waiting ------------------------------------------------------------------------------ */

static inline void host_sync_threads(const char *file, unsigned line)
{
    __asm__ volatile("" ::: "memory");
    host_self->calls->sync_threads(host_self, file, line);
    __asm__ volatile("" ::: "memory");
}

/* By its line: compilers make several calls of one. */
#define __syncthreads() host_sync_threads(__FILE__, __LINE__)

static inline unsigned long long host_warp(enum host_op op, unsigned mask,
                                           unsigned long long value, unsigned lane,
                                           unsigned width)
{
    __asm__ volatile("" ::: "memory");
    value = host_self->calls->warp(host_self, op, mask, value, lane, width);
    __asm__ volatile("" ::: "memory");
    return value;
}

/* Lets others run, of any block: for loops that wait for another block. */
static inline void host_yield(void)
{
    __asm__ volatile("" ::: "memory");
    host_self->calls->yield(host_self);
    __asm__ volatile("" ::: "memory");
}

/* Ends the process where a vector is not aligned, which a GPU refuses: clang's sanitizer does not
 * look at structures that are copied. */
static inline void host_aligned(const void *at, unsigned long bytes)
{
    if ((unsigned long)at % bytes != 0)
        __builtin_trap();
}

static inline void host_cluster_arrive(void)
{
    __asm__ volatile("" ::: "memory");
    host_self->calls->cluster_arrive(host_self);
    __asm__ volatile("" ::: "memory");
}

static inline void host_cluster_wait(void)
{
    __asm__ volatile("" ::: "memory");
    host_self->calls->cluster_wait(host_self);
    __asm__ volatile("" ::: "memory");
}

static inline void host_barrier(enum host_barrier what, unsigned long long *barrier,
                                unsigned value)
{
    __asm__ volatile("" ::: "memory");
    host_self->calls->barrier(host_self, what, barrier, value);
    __asm__ volatile("" ::: "memory");
}

static inline void host_send(unsigned rank, void *to, unsigned long long value, unsigned bytes,
                             unsigned long long *barrier)
{
    __asm__ volatile("" ::: "memory");
    host_self->calls->send(host_self, rank, to, value, bytes, barrier);
    __asm__ volatile("" ::: "memory");
}

/* The mask may be left out. */
#define __syncwarp(...) ((void)host_warp(HOST_SYNC, (~0u, ##__VA_ARGS__), 0, 0, 32))

/* --- Exchange within a warp: any type of 4 or 8 bytes; the width may be left out ---------- */

#define HOST_SHUFFLE(op, mask, from, lane, width, ...)                                         \
    ({                                                                                         \
        __typeof__((from) + 0) host_value = (from);                                            \
        unsigned long long host_bits = 0;                                                      \
        __builtin_memcpy(&host_bits, &host_value, sizeof host_value);                          \
        host_bits = host_warp(op, mask, host_bits, lane, width);                               \
        __builtin_memcpy(&host_value, &host_bits, sizeof host_value);                          \
        host_value;                                                                            \
    })
#define __shfl_sync(mask, value, ...) HOST_SHUFFLE(HOST_SHFL, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_up_sync(mask, value, ...)                                                       \
    HOST_SHUFFLE(HOST_SHFL_UP, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_down_sync(mask, value, ...)                                                     \
    HOST_SHUFFLE(HOST_SHFL_DOWN, mask, value, __VA_ARGS__, 32, 0)
#define __shfl_xor_sync(mask, value, ...)                                                      \
    HOST_SHUFFLE(HOST_SHFL_XOR, mask, value, __VA_ARGS__, 32, 0)

/* 32-bit integers only: any other type is refused. */
#define HOST_REDUCE(op_unsigned, op_signed, mask, value)                                       \
    _Generic((value),                                                                          \
        unsigned: (unsigned)host_warp(op_unsigned, mask, (unsigned)(value), 0, 32),            \
        int: (int)host_warp(op_signed, mask, (unsigned)(value), 0, 32))
#define __reduce_add_sync(mask, value) \
    HOST_REDUCE(HOST_REDUCE_ADD, HOST_REDUCE_ADD, mask, value)
#define __reduce_min_sync(mask, value) \
    HOST_REDUCE(HOST_REDUCE_MIN, HOST_REDUCE_IMIN, mask, value)
#define __reduce_max_sync(mask, value) \
    HOST_REDUCE(HOST_REDUCE_MAX, HOST_REDUCE_IMAX, mask, value)

/* CUDA has these for unsigned only. */
static inline unsigned __reduce_and_sync(unsigned mask, unsigned value)
{
    return (unsigned)host_warp(HOST_REDUCE_AND, mask, value, 0, 32);
}

static inline unsigned __reduce_or_sync(unsigned mask, unsigned value)
{
    return (unsigned)host_warp(HOST_REDUCE_OR, mask, value, 0, 32);
}

static inline unsigned __reduce_xor_sync(unsigned mask, unsigned value)
{
    return (unsigned)host_warp(HOST_REDUCE_XOR, mask, value, 0, 32);
}

static inline unsigned __ballot_sync(unsigned mask, int value)
{
    return (unsigned)host_warp(HOST_BALLOT, mask, value != 0, 0, 32);
}

static inline int __any_sync(unsigned mask, int value)
{
    return __ballot_sync(mask, value) != 0;
}

static inline int __all_sync(unsigned mask, int value)
{
    return __ballot_sync(mask, !value) == 0;
}

/* --- Other blocks ------------------------------------------------------------------------- */

static inline void host_step(enum host_step step, const volatile void *at)
{
    __asm__ volatile("" ::: "memory");
    host_self->calls->step(host_self, step, at);
    __asm__ volatile("" ::: "memory");
}

/* Before an access of this order. */
static inline void host_release(int order)
{
    if (order != __ATOMIC_RELAXED && order != __ATOMIC_CONSUME && order != __ATOMIC_ACQUIRE)
        host_step(HOST_RELEASE, 0);
}

/* The compiler's own, as the emulator's part of a template uses them. A store without release is seen
 * by others late, as any store. */
#define __atomic_load_n(at, order) (host_step(HOST_ACCESS, at), __atomic_load_n(at, order))
#define __atomic_store_n(at, value, order) \
    (host_release(order), host_step(HOST_ACCESS, at), __atomic_store_n(at, value, order))
#define __atomic_fetch_add(at, by, order)                                                      \
    ({                                                                                         \
        __typeof__(at) host_at = (at);                                                         \
        __typeof__(*(at) + 0) host_add = (by);                                                 \
        host_release(order);                                                                   \
        host_step(HOST_UPDATE, host_at);                                                       \
        host_add = __atomic_fetch_add(host_at, host_add, order);                               \
        host_step(HOST_UPDATED, host_at);                                                      \
        host_add;                                                                              \
    })

/* --- Atomics: relaxed, as CUDA's are ------------------------------------------------------ */

#define HOST_ATOMICALLY(at, by, result)                                                        \
    ({                                                                                         \
        __typeof__(at) host_at = (at);                                                         \
        __typeof__(*(at) + 0) host_old, host_new, host_by = (by);                              \
        host_step(HOST_UPDATE, host_at);                                                       \
        __atomic_load(host_at, &host_old, __ATOMIC_RELAXED);                                   \
        do                                                                                     \
            host_new = (result);                                                               \
        while (!__atomic_compare_exchange(host_at, &host_old, &host_new, 0, __ATOMIC_RELAXED,  \
                                          __ATOMIC_RELAXED));                                  \
        host_step(HOST_UPDATED, host_at);                                                      \
        host_old;                                                                              \
    })
/* A GPU's atomics of f32 take denormals for zeros. */
static inline float host_flushed(float value)
{
    return __builtin_fabsf(value) < 0x1p-126f ? __builtin_copysignf(0, value) : value;
}

static inline float host_sum_flushed(float a, float b)
{
    return host_flushed(host_flushed(a) + host_flushed(b));
}

#define atomicAdd(at, by)                                                                      \
    HOST_ATOMICALLY(at, by,                                                                     \
                _Generic(host_old, float: host_sum_flushed(host_old, host_by),                 \
                         default: host_old + host_by))
#define atomicAnd(at, by) HOST_ATOMICALLY(at, by, host_old & host_by)
#define atomicOr(at, by) HOST_ATOMICALLY(at, by, host_old | host_by)
#define atomicXor(at, by) HOST_ATOMICALLY(at, by, host_old ^ host_by)
#define atomicMin(at, by) HOST_ATOMICALLY(at, by, host_by < host_old ? host_by : host_old)
#define atomicMax(at, by) HOST_ATOMICALLY(at, by, host_by > host_old ? host_by : host_old)
#define atomicExch(at, by) HOST_ATOMICALLY(at, by, host_by)
#define atomicCAS(at, expect, by)                                                              \
    ({                                                                                         \
        __typeof__(at) host_at = (at);                                                         \
        __typeof__(*(at) + 0) host_expect = (expect), host_by = (by);                          \
        host_step(HOST_UPDATE, host_at);                                                       \
        __atomic_compare_exchange(host_at, &host_expect, &host_by, 0, __ATOMIC_RELAXED,        \
                                  __ATOMIC_RELAXED);                                           \
        host_step(HOST_UPDATED, host_at);                                                      \
        host_expect;                                                                           \
    })

/* Counts one of `blocks` in and says how many came before; the last sets the counter back to 0.
 * Releases what this thread wrote, acquires what those before released. */
static inline unsigned host_arrive(unsigned *counter, unsigned blocks)
{
    host_step(HOST_RELEASE, counter);
    unsigned before, after;
    host_step(HOST_UPDATE, counter);
    __atomic_load(counter, &before, __ATOMIC_RELAXED);
    do
        after = before >= blocks - 1 ? 0 : before + 1;
    while (!__atomic_compare_exchange_n(counter, &before, after, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
    host_step(HOST_UPDATED, counter);
    return before;
}

static inline void __threadfence(void)
{
    host_step(HOST_RELEASE, 0);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Within a block all is seen at once. */
static inline void __threadfence_block(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* --- Bits --------------------------------------------------------------------------------- */

static inline unsigned __float_as_uint(float value)
{
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline int __float_as_int(float value)
{
    return (int)__float_as_uint(value);
}

static inline float __uint_as_float(unsigned bits)
{
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

static inline float __int_as_float(int bits)
{
    return __uint_as_float((unsigned)bits);
}

static inline long long __double_as_longlong(double value)
{
    long long bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double __longlong_as_double(long long bits)
{
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

static inline int __popc(unsigned bits)
{
    return __builtin_popcount(bits);
}

static inline int __clz(int bits)
{
    return bits ? __builtin_clz((unsigned)bits) : 32;
}

static inline int __ffs(int bits)
{
    return __builtin_ffs(bits);
}

/* --- Packed arithmetic ---------------------------------------------------------------- */

/* The products of `count` fields of both words, added to the sum. Modulo 2^32 the sign makes no
 * difference once the fields are extended. */
static inline unsigned host_dot(unsigned a, int a_bits, unsigned b, int b_bits, unsigned sum,
                                int count, bool is_signed)
{
    for (int i = 0; i < count; i++) {
        const unsigned x = a << (32 - a_bits - a_bits * i), y = b << (32 - b_bits - b_bits * i);
        sum += is_signed ? (unsigned)((int)x >> (32 - a_bits)) * ((int)y >> (32 - b_bits))
                         : (x >> (32 - a_bits)) * (y >> (32 - b_bits));
    }
    return sum;
}

static inline int host_dp4a(int a, int b, int sum)
{
    return (int)host_dot((unsigned)a, 8, (unsigned)b, 8, (unsigned)sum, 4, true);
}

static inline unsigned host_dp4a_unsigned(unsigned a, unsigned b, unsigned sum)
{
    return host_dot(a, 8, b, 8, sum, 4, false);
}

static inline int host_dp2a(int a, int b, int sum)
{
    return (int)host_dot((unsigned)a, 16, (unsigned)b, 8, (unsigned)sum, 2, true);
}

static inline unsigned host_dp2a_unsigned(unsigned a, unsigned b, unsigned sum)
{
    return host_dot(a, 16, b, 8, sum, 2, false);
}

#define __dp4a(a, b, sum) \
    _Generic((sum), int: host_dp4a, unsigned: host_dp4a_unsigned)(a, b, sum)
#define __dp2a_lo(a, b, sum) \
    _Generic((sum), int: host_dp2a, unsigned: host_dp2a_unsigned)(a, b, sum)

#define __ldg(from) (*(from))

#endif
