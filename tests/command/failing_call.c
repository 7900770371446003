/* failing_call: a library for LD_PRELOAD in which one call of the C library fails: the N-th of
 * those that FAILING_CALL=NAME:N names, and with FAILING_ONWARD=1 each after it. Every process
 * counts for itself, and none but autotune's own fails. A file of the name in FAILING_HIT says that
 * it was reached. "short" is a write of half the bytes. Memory is not zero when it is given, and is
 * overwritten when it is given back. test_failing_library.c includes this. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#pragma GCC visibility push(default) /* for the C library's own calls too */

static const char *failing;
static long failing_at; /* 0: none fails */
static bool is_onward;
static atomic_long seen_calls;
static bool poisons;
static atomic_long alive; /* pieces of memory that were given and not given back */

__attribute__((constructor)) static void begin(void)
{
    static char copy[40];
    const char *call = getenv("FAILING_CALL"), *onward = getenv("FAILING_ONWARD");
    const char *colon = call ? strchr(call, ':') : NULL;
    char program[4096] = "";
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0 ||
        !strstr(program, "/autotune") || !colon || (size_t)(colon - call) >= sizeof copy)
        return;
    memcpy(copy, call, (size_t)(colon - call));
    poisons = true;
    failing = copy;
    is_onward = onward && *onward == '1';
    failing_at = strtol(colon + 1, NULL, 10);
}

/* Is it this call's turn? Says so by a file, whatever else fails. */
static bool fails(const char *call)
{
    if (failing_at == 0 || strcmp(call, failing) != 0)
        return false;
    const long number = atomic_fetch_add(&seen_calls, 1) + 1;
    if (number != failing_at && !(is_onward && number > failing_at))
        return false;
    static int (*real_open)(const char *, int, ...);
    const char *hit = getenv("FAILING_HIT");
    if (!real_open)
        *(void **)&real_open = dlsym(RTLD_NEXT, "open");
    const int file = hit ? real_open(hit, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0)
        close(file);
    return true;
}

/* The function itself, found when first called. */
#define REAL(type, symbol, ...)                                                                \
    static type (*real)(__VA_ARGS__);                                                          \
    if (!real)                                                                                 \
    *(void **)&real = dlsym(RTLD_NEXT, symbol)

static void *refuse_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

static int refuse(int why)
{
    errno = why;
    return -1;
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *from, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *at);

/* Memory as the caller gets it. */
static void *give(void *memory, size_t size, bool is_new)
{
    alive += memory && is_new;
    if (memory && is_new && poisons)
        memset(memory, 0xa5, size);
    return memory;
}

void *malloc(size_t size)
{
    return fails("malloc") ? refuse_memory() : give(__libc_malloc(size), size, true);
}

void *calloc(size_t many, size_t size)
{
    if (fails("malloc"))
        return refuse_memory();
    void *memory = __libc_calloc(many, size);
    alive += memory != NULL;
    return memory;
}

void *realloc(void *from, size_t size)
{
    return fails("malloc") ? refuse_memory() : give(__libc_realloc(from, size), size, !from);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails("malloc"))
        return ENOMEM;
    *out = give(__libc_memalign(alignment, size), size, true);
    return *out ? 0 : ENOMEM;
}

void free(void *memory)
{
    if (memory && poisons)
        memset(memory, 0x5a, malloc_usable_size(memory));
    alive -= memory != NULL;
    __libc_free(memory);
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    REAL(int, "open", const char *, int, ...);
    return fails("open") ? refuse(EMFILE) : real(path, flags, mode);
}

ssize_t read(int file, void *to, size_t size)
{
    REAL(ssize_t, "read", int, void *, size_t);
    return fails("read") ? refuse(EIO) : real(file, to, size);
}

ssize_t write(int file, const void *from, size_t size)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    if (fails("short") && size > 1)
        return real(file, from, size / 2);
    return fails("write") ? refuse(ENOSPC) : real(file, from, size);
}

int fsync(int file)
{
    REAL(int, "fsync", int);
    return fails("fsync") ? refuse(EIO) : real(file);
}

int close(int file)
{
    REAL(int, "close", int);
    const int result = real(file);
    return fails("close") ? refuse(EIO) : result;
}

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *);
    return fails("rename") ? refuse(EACCES) : real(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    REAL(int, "mkdir", const char *, mode_t);
    return fails("mkdir") ? refuse(EROFS) : real(path, mode);
}

int flock(int file, int how)
{
    REAL(int, "flock", int, int);
    return fails("flock") ? refuse(ENOLCK) : real(file, how);
}

void *mmap(void *to, size_t size, int how, int flags, int file, off_t from)
{
    REAL(void *, "mmap", void *, size_t, int, int, int, off_t);
    return fails("mmap") ? (refuse(ENOMEM), MAP_FAILED)
                         : real(to, size, how, flags, file, from);
}

int memfd_create(const char *label, unsigned flags)
{
    REAL(int, "memfd_create", const char *, unsigned);
    return fails("memfd_create") ? refuse(ENFILE) : real(label, flags);
}

pid_t fork(void)
{
    REAL(pid_t, "fork", void);
    return fails("fork") ? refuse(EAGAIN) : real();
}

int socketpair(int domain, int type, int protocol, int ends[2])
{
    REAL(int, "socketpair", int, int, int, int *);
    return fails("socketpair") ? refuse(EMFILE) : real(domain, type, protocol, ends);
}

int posix_spawnp(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[],
                 char *const environment[])
{
    REAL(int, "posix_spawnp", pid_t *, const char *, const posix_spawn_file_actions_t *,
         const posix_spawnattr_t *, char *const[], char *const[]);
    return fails("posix_spawnp") ? EAGAIN
                                 : real(child, path, actions, attributes, argv, environment);
}

void *dlopen(const char *path, int flags)
{
    REAL(void *, "dlopen", const char *, int);
    return fails("dlopen") ? NULL : real(path, flags);
}

#pragma GCC visibility pop
