/* host_tsan: for kernels whose every access to memory is to be seen. The compiler calls the
 * functions below before each, for that is what it does for ThreadSanitizer, whose library is
 * not there. Behind host_shim.h; read by kernels that are compiled to be traced only. */
#define HOST_HOOK                                                                              \
    __attribute__((used, weak, visibility("hidden"), no_sanitize_thread)) __typeof__

#define HOST_TOUCH(kind, at, bytes)                                                            \
    host_self->calls->touch(host_self, kind, at, bytes, __builtin_return_address(0))

#define HOST_PLAIN(name, bytes)                                                                \
    HOST_HOOK(void) __tsan_read##name(void *at) { HOST_TOUCH(HOST_READ, at, bytes); }          \
    HOST_HOOK(void) __tsan_write##name(void *at) { HOST_TOUCH(HOST_WRITE, at, bytes); }
HOST_PLAIN(1, 1)
HOST_PLAIN(2, 2)
HOST_PLAIN(4, 4)
HOST_PLAIN(8, 8)
HOST_PLAIN(16, 16)

#define HOST_UNALIGNED(bytes)                                                                  \
    HOST_HOOK(void) __tsan_unaligned_read##bytes(void *at)                                     \
    {                                                                                          \
        HOST_TOUCH(HOST_READ, at, bytes);                                                      \
    }                                                                                          \
    HOST_HOOK(void) __tsan_unaligned_write##bytes(void *at)                                    \
    {                                                                                          \
        HOST_TOUCH(HOST_WRITE, at, bytes);                                                     \
    }
HOST_UNALIGNED(2)
HOST_UNALIGNED(4)
HOST_UNALIGNED(8)
HOST_UNALIGNED(16)

HOST_HOOK(void) __tsan_read_range(void *at, unsigned long bytes)
{
    HOST_TOUCH(HOST_READ, at, (unsigned)bytes);
}

HOST_HOOK(void) __tsan_write_range(void *at, unsigned long bytes)
{
    HOST_TOUCH(HOST_WRITE, at, (unsigned)bytes);
}

/* Clang's, which has calls of the library's own names up to version 14. */
#ifdef __clang__
HOST_HOOK(void *) __tsan_memcpy(void *to, const void *from, unsigned long bytes)
{
    HOST_TOUCH(HOST_READ, from, (unsigned)bytes);
    HOST_TOUCH(HOST_WRITE, to, (unsigned)bytes);
    for (unsigned long i = 0; i < bytes; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

HOST_HOOK(void *) __tsan_memset(void *to, int byte, unsigned long bytes)
{
    HOST_TOUCH(HOST_WRITE, to, (unsigned)bytes);
    for (unsigned long i = 0; i < bytes; i++)
        ((char *)to)[i] = (char)byte;
    return to;
}

HOST_HOOK(void *) memcpy(void *, const void *, unsigned long) __attribute__((alias("__tsan_memcpy")));
HOST_HOOK(void *) memset(void *, int, unsigned long) __attribute__((alias("__tsan_memset")));
#endif

/* --- Atomics: no other thread runs in between, for all are fibers of one ------------------- */

/* An update is a load and an exchange that succeeds: it is told once, by the latter. */
#define HOST_ATOMICS(bits, type)                                                               \
    HOST_HOOK(type) __tsan_atomic##bits##_load(const volatile type *at, int order)             \
    {                                                                                          \
        return *at;                                                                            \
    }                                                                                          \
    HOST_HOOK(void) __tsan_atomic##bits##_store(volatile type *at, type value, int order)      \
    {                                                                                          \
        *at = value;                                                                           \
    }                                                                                          \
    HOST_HOOK(type) __tsan_atomic##bits##_fetch_add(volatile type *at, type value, int order)  \
    {                                                                                          \
        const type before = *at;                                                               \
        HOST_TOUCH(HOST_ATOMIC, (const void *)at, sizeof(type));                               \
        *at = before + value;                                                                  \
        return before;                                                                         \
    }                                                                                          \
    HOST_HOOK(int) __tsan_atomic##bits##_compare_exchange_strong(                              \
        volatile type *at, type *expect, type value, int order, int order_failed)              \
    {                                                                                          \
        const type before = *at;                                                               \
        HOST_TOUCH(HOST_ATOMIC, (const void *)at, sizeof(type));                               \
        if (before == *expect) {                                                               \
            *at = value;                                                                       \
            return 1;                                                                          \
        }                                                                                      \
        *expect = before;                                                                      \
        return 0;                                                                              \
    }                                                                                          \
    HOST_HOOK(type) __tsan_atomic##bits##_compare_exchange_val(                                \
        volatile type *at, type expect, type value, int order, int order_failed)               \
    {                                                                                          \
        const type before = *at;                                                               \
        HOST_TOUCH(HOST_ATOMIC, (const void *)at, sizeof(type));                               \
        if (before == expect)                                                                  \
            *at = value;                                                                       \
        return before;                                                                         \
    }
HOST_ATOMICS(32, unsigned)
HOST_ATOMICS(64, unsigned long long)

HOST_HOOK(void) __tsan_atomic_thread_fence(int order)
{
}

HOST_HOOK(void) __tsan_atomic_signal_fence(int order)
{
}

/* --- Of no interest here ------------------------------------------------------------------- */

HOST_HOOK(void) __tsan_init(void)
{
}

HOST_HOOK(void) __tsan_func_entry(void *from)
{
}

HOST_HOOK(void) __tsan_func_exit(void)
{
}
