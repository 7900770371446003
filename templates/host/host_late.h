/* host_late: for kernels whose stores other blocks see late. The compiler calls the functions below
 * before each store, for that is what it does for AddressSanitizer, whose library is not there. Behind
 * host_shim.h; read by kernels that are compiled to be run only. */
#define HOST_HOOK __attribute__((used, weak, visibility("hidden"), no_sanitize_address)) void

/* Most stores that are seen here are to the thread's own arrays, which lie above on its stack. */
static inline __attribute__((always_inline, no_sanitize_address)) void
host_store(void *at, unsigned long bytes)
{
    if ((unsigned long)at - (unsigned long)__builtin_frame_address(0) >= 1 << 14)
        host_self->calls->store(host_self, at, bytes);
}

/* gcc's names for what runs without that library, and clang's. */
#define HOST_STORE(bytes)                                                                      \
    HOST_HOOK __asan_store##bytes##_noabort(void *at) { host_store(at, bytes); }               \
    HOST_HOOK __asan_store##bytes(void *at) { host_store(at, bytes); }
HOST_STORE(1)
HOST_STORE(2)
HOST_STORE(4)
HOST_STORE(8)
HOST_STORE(16)

HOST_HOOK __asan_storeN_noabort(void *at, unsigned long bytes)
{
    host_store(at, bytes);
}

HOST_HOOK __asan_storeN(void *at, unsigned long bytes)
{
    host_store(at, bytes);
}

/* --- Of no interest here ------------------------------------------------------------------- */

HOST_HOOK __asan_loadN_noabort(void *at, unsigned long bytes)
{
}

HOST_HOOK __asan_loadN(void *at, unsigned long bytes)
{
}

HOST_HOOK __asan_handle_no_return(void)
{
}
