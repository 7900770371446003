/* host: implements the device that every machine has, the emulator, by the system's C compiler,
 * the loader and ordinary memory. */
#include "autotune/device/device.h"
#include "autotune/device/host_compile.h"
#include "autotune/device/host_module.h"
#include "autotune/device/host_queue.h"
#include "autotune/device/host_run.h"
#include "autotune/device/monotonic.h"
#include "autotune/device/temporary.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

enum { ALIGNMENT = 256, MEMORY_LINES_MAX = 1 << 14 };

struct host {
    struct device device; /* first: what callers hold */
    struct host_compiler compiler;
    struct host_runner *runner;
    struct host_trace *trace; /* or NULL */
    struct host_queue *queue; /* of streams */
    pthread_mutex_t mutex;    /* callers of a borrowed device may be several threads */
    pid_t owner;              /* the process that borrowed it; 0: it was opened */
};

struct device_graph {
    device_enqueue *enqueue; /* instead of launches */
    void *context;
    size_t count;
    struct device_launch launches[];
};

/* --- Memory ------------------------------------------------------------------------------- */

static void *pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

/* What can be had without swapping, from /proc/meminfo; less well known elsewhere. */
static int host_free_bytes(struct device *device, uint64_t *out, struct error *error)
{
    (void)device;
    struct sysinfo info;
    if (sysinfo(&info) != 0)
        return error_set(error, ERROR_FAILED, "cannot find out how much memory is free: %s",
                         strerror(errno));
    *out = (uint64_t)info.freeram * info.mem_unit;
    FILE *file = fopen("/proc/meminfo", "re");
    if (!file)
        return 0;
    char line[256];
    for (int i = 0; i < MEMORY_LINES_MAX && fgets(line, sizeof line, file); i++) {
        uint64_t kib;
        if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
            *out = kib * 1024;
    }
    fclose(file);
    return 0;
}

static int host_alloc(struct device *device, uint64_t bytes, uint64_t *out, struct error *error)
{
    uint64_t available;
    if (host_free_bytes(device, &available, error) != 0)
        return -1;
    /* Asked first: a system that overcommits would say yes and end the process later. */
    void *at = NULL;
    if (bytes > available || posix_memalign(&at, ALIGNMENT, bytes ? bytes : 1) != 0)
        return error_set(error, ERROR_NO_MEMORY,
                         "no room on the host for %" PRIu64 " bytes: %" PRIu64
                         " are free; take a smaller --n",
                         bytes, available);
    *out = (uintptr_t)at;
    return 0;
}

static void host_free(struct device *device, uint64_t address)
{
    (void)device;
    free(pointer(address));
}

static int host_copy(struct device *device, uint64_t to, uint64_t from, uint64_t bytes,
                     struct error *error)
{
    (void)device;
    (void)error;
    if (bytes)
        memmove(pointer(to), pointer(from), bytes);
    return 0;
}

static int host_write(struct device *device, uint64_t to, const void *from, uint64_t bytes,
                      struct error *error)
{
    return host_copy(device, to, (uintptr_t)from, bytes, error);
}

static int host_read(struct device *device, void *to, uint64_t from, uint64_t bytes,
                     struct error *error)
{
    return host_copy(device, (uintptr_t)to, from, bytes, error);
}

static int host_fill(struct device *device, uint64_t to, uint8_t byte, uint64_t bytes,
                     void *stream, struct error *error)
{
    struct host_queue *queue = ((struct host *)device)->queue;
    if (stream && host_queue_has(queue, stream))
        return host_queue_fill(queue, stream, pointer(to), byte, bytes, error);
    if (bytes)
        memset(pointer(to), byte, bytes);
    return 0;
}

/* By pages: only one in which something differs is looked through byte by byte. */
static int host_differ(struct device *device, uint64_t a, uint64_t b, uint64_t bytes,
                       uint64_t *first, struct error *error)
{
    enum { PAGE_BYTES = 4096 };
    const unsigned char *x = pointer(a), *y = pointer(b);
    uint64_t at = 0;
    (void)device;
    (void)error;
    while (bytes - at >= PAGE_BYTES && memcmp(x + at, y + at, PAGE_BYTES) == 0)
        at += PAGE_BYTES;
    while (at < bytes && x[at] == y[at])
        at++;
    *first = at;
    return 0;
}

/* --- Launches ----------------------------------------------------------------------------- */

static int launch_one(struct host *host, const struct device_launch *launch,
                      struct error *error)
{
    const struct host_unit *unit = host_module_unit(launch->kernel->function, 0, error);
    if (!unit)
        return -1;
    if (launch->block < 1 || launch->block > HOST_THREADS_MAX || launch->grid < 1)
        return error_set(error, ERROR_FAILED,
                         "kernel '%s' cannot run as %u blocks of %u threads: blocks have 1 to "
                         "%d threads, a grid at least one block",
                         unit->name, launch->grid, launch->block, HOST_THREADS_MAX);
    if (launch->arg_count != unit->arg_count)
        return error_set(error, ERROR_FAILED, "kernel '%s' takes %u arguments, not %zu",
                         unit->name, unit->arg_count, launch->arg_count);
    const unsigned cluster = launch->cluster > 1 ? launch->cluster : 1;
    if (launch->grid % cluster)
        return error_set(error, ERROR_FAILED,
                         "kernel '%s' cannot run as %u blocks in clusters of %u", unit->name,
                         launch->grid, cluster);
    unsigned long long args[LAUNCH_ARGS_MAX];
    for (size_t i = 0; i < launch->arg_count; i++)
        args[i] = launch->args[i];
    const struct host_job job = {.kernel = unit->name,
                                 .grid = launch->grid,
                                 .block = launch->block,
                                 .cluster = cluster,
                                 .starts_in_any_order = launch->starts_in_any_order,
                                 .args = args,
                                 .unit = host_module_unit,
                                 .context = launch->kernel->function,
                                 .trace = host->trace};
    return host_run(host->runner, &job, error);
}

static int host_load(struct device *device, const struct device_image *image,
                     struct device_module **out, struct device_kernel *kernels,
                     struct error *error)
{
    struct host *host = (struct host *)device;
    pthread_mutex_lock(&host->mutex);
    const int failed = host_module_load(device, image, out, kernels, error);
    pthread_mutex_unlock(&host->mutex);
    return failed;
}

static void host_unload(struct device *device, struct device_module *module)
{
    struct host *host = (struct host *)device;
    pthread_mutex_lock(&host->mutex);
    host_module_unload(device, module);
    pthread_mutex_unlock(&host->mutex);
}

/* Any thread may call, but no fork of the process, as with a GPU's context. */
static int host_check(const struct device *device, struct error *error)
{
    const struct host *host = (const struct host *)device;
    if (host->owner == 0 || host->owner == getpid())
        return 0;
    return error_set(
        error, ERROR_NO_CONTEXT,
        "this was made by process %ld, of which this one is a fork, where it cannot "
        "be used: create context, plans and workspaces anew",
        (long)host->owner);
}

/* Signals wait for the launch to end: the stacks of emulated threads are small, and a handler of the
 * caller's that jumps out of one would leave the others. Not those of a crash. */
static void hold_signals(sigset_t *before)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t held;
    sigfillset(&held);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigdelset(&held, crashes[i]);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

static int launch_all(struct host *host, const struct device_launch *launches, size_t count,
                      struct error *error)
{
    int failed = 0;
    pthread_mutex_lock(&host->mutex);
    for (size_t i = 0; i < count && !failed; i++)
        failed = launch_one(host, &launches[i], error);
    pthread_mutex_unlock(&host->mutex);
    return failed;
}

static int host_launch(struct device *device, const struct device_launch *launches,
                       size_t count, void *stream, struct error *error)
{
    struct host *host = (struct host *)device;
    sigset_t before;
    if (host_check(device, error))
        return -1;
    if (stream && host_queue_has(host->queue, stream))
        return host_queue_launch(host->queue, stream, launches, count, error);
    if (host->owner == 0)
        return launch_all(host, launches, count, error);
    hold_signals(&before);
    const int failed = launch_all(host, launches, count, error);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* A launch without a stream has ended, and has said what went wrong, before it returns. */
static int host_sync(struct device *device, void *stream, struct error *error)
{
    struct host_queue *queue = ((struct host *)device)->queue;
    return stream && host_queue_has(queue, stream) ? host_queue_drain(queue, stream, error) : 0;
}

/* --- Streams ------------------------------------------------------------------------------ */

static struct host_queue *queue_of(struct device *device)
{
    return ((struct host *)device)->queue;
}

static int host_stream_open(struct device *device, bool joins_default, void **out,
                            struct error *error)
{
    struct host_stream *stream;
    (void)joins_default;
    const int failed = host_queue_add_stream(queue_of(device), &stream, error);
    *out = stream;
    return failed;
}

static void host_stream_close(struct device *device, void *stream)
{
    host_queue_drop_stream(queue_of(device), stream);
}

static int host_event_open(struct device *device, void **out, struct error *error)
{
    struct host_event *event;
    (void)device;
    const int failed = host_queue_add_event(&event, error);
    *out = event;
    return failed;
}

static void host_event_close(struct device *device, void *event)
{
    (void)device;
    host_queue_drop_event(event);
}

static int host_record(struct device *device, void *event, void *stream, struct error *error)
{
    return host_queue_record(queue_of(device), stream, event, error);
}

static int host_follow(struct device *device, void *stream, void *event, struct error *error)
{
    return host_queue_follow(queue_of(device), stream, event, error);
}

static int host_await(struct device *device, void *event, struct error *error)
{
    return host_queue_await(queue_of(device), event, error);
}

static int host_elapsed(struct device *device, void *from, void *to, double *out_ns,
                        struct error *error)
{
    (void)error;
    *out_ns = host_queue_elapsed_ns(queue_of(device), from, to);
    return 0;
}

static int host_pin(struct device *device, uint64_t bytes, void **out, struct error *error)
{
    return host_queue_pin(queue_of(device), bytes, out, error);
}

static void host_unpin(struct device *device, void *at)
{
    host_queue_unpin(queue_of(device), at);
}

static enum device_memory host_kind_of(struct device *device, const void *at)
{
    return host_queue_is_pinned(queue_of(device), at) ? DEVICE_PINNED : DEVICE_PAGEABLE;
}

static int host_write_async(struct device *device, uint64_t to, const void *from,
                            uint64_t bytes, void *stream, struct error *error)
{
    return host_queue_copy(queue_of(device), stream, pointer(to), from, bytes, error);
}

static int host_read_async(struct device *device, void *to, uint64_t from, uint64_t bytes,
                           void *stream, struct error *error)
{
    return host_queue_copy(queue_of(device), stream, to, pointer(from), bytes, error);
}

static int host_copy_async(struct device *device, uint64_t to, uint64_t from, uint64_t bytes,
                           void *stream, struct error *error)
{
    return host_queue_copy(queue_of(device), stream, pointer(to), pointer(from), bytes, error);
}

/* --- Graphs ------------------------------------------------------------------------------- */

static int host_prepare(struct device *device, const struct device_launch *launches,
                        size_t count, struct device_graph **out, struct error *error)
{
    (void)device;
    const size_t bytes = count * sizeof *launches;
    struct device_graph *graph = malloc(sizeof *graph + bytes);
    if (!graph)
        return error_memory(error, sizeof *graph + bytes);
    *graph = (struct device_graph){.count = count};
    if (bytes)
        memcpy(graph->launches, launches, bytes);
    *out = graph;
    return 0;
}

static int host_capture(struct device *device, device_enqueue *enqueue, void *context,
                        struct device_graph **out, struct error *error)
{
    if (host_prepare(device, NULL, 0, out, error) != 0)
        return -1;
    (*out)->enqueue = enqueue;
    (*out)->context = context;
    return 0;
}

static int host_time_queued(struct device *device, device_enqueue *enqueue, void *context,
                            const struct device_launch *before, size_t before_count,
                            uint64_t *out_ps, struct error *error)
{
    if (host_launch(device, before, before_count, NULL, error) != 0)
        return -1;
    const uint64_t start = monotonic_ns();
    if (enqueue(context, NULL, error) != 0)
        return -1;
    *out_ps = (monotonic_ns() - start) * 1000;
    return 0;
}

static int host_time(struct device *device, struct device_graph *graph,
                     const struct device_launch *before, size_t before_count, uint64_t *out_ps,
                     struct error *error)
{
    if (graph->enqueue)
        return host_time_queued(device, graph->enqueue, graph->context, before, before_count,
                                out_ps, error);
    if (host_launch(device, before, before_count, NULL, error) != 0)
        return -1;
    const uint64_t start = monotonic_ns();
    if (host_launch(device, graph->launches, graph->count, NULL, error) != 0)
        return -1;
    *out_ps = (monotonic_ns() - start) * 1000;
    return 0;
}

static void host_release(struct device *device, struct device_graph *graph)
{
    (void)device;
    free(graph);
}

/* --- The device --------------------------------------------------------------------------- */

static void host_close(struct device *device)
{
    struct host *host = (struct host *)device;
    struct error ignored;
    if (host_check(device,
                   &ignored)) { /* another thread may have been within, which is not here */
        free(host);
        return;
    }
    host_queue_close(host->queue);
    host_runner_free(host->runner);
    pthread_mutex_destroy(&host->mutex);
    free(host);
}

static int host_compile(struct device *device, const struct device_source *sources,
                        size_t count, struct device_image *out, struct error *error)
{
    const struct host *host = (const struct host *)device;
    return host_compile_image(&host->compiler, sources, count, out, error);
}

/* Nothing to allow: any thread may launch anything that fits. */
/* clang-format off */
static const struct device_ops ops = {
    .close = host_close, .check = host_check, .compile = host_compile,
    .load = host_load, .unload = host_unload,
    .alloc = host_alloc, .free = host_free, .write = host_write, .read = host_read,
    .copy = host_copy, .fill = host_fill, .differ = host_differ,
    .free_bytes = host_free_bytes,
    .launch = host_launch, .sync = host_sync, .prepare = host_prepare, .time = host_time,
    .release = host_release, .capture = host_capture, .time_queued = host_time_queued,
    .stream_open = host_stream_open, .stream_close = host_stream_close,
    .event_open = host_event_open, .event_close = host_event_close, .record = host_record,
    .follow = host_follow, .await = host_await, .elapsed = host_elapsed, .pin = host_pin,
    .unpin = host_unpin, .kind_of = host_kind_of, .write_async = host_write_async,
    .read_async = host_read_async, .copy_async = host_copy_async,
};
/* clang-format on */

/* The limits of the emulator, as those of a small GPU of compute capability 9.0. */
static void describe(struct device_info *info, const struct host_compiler *compiler)
{
    struct sysinfo system;
    const long l2_bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    *info = (struct device_info){
        .name = "host",
        .spec = "host",
        .driver = "none",
        .target = {.cc = 90,
                   .sms = HOST_SMS,
                   .l2_bytes = l2_bytes > 0 ? l2_bytes : 1 << 20,
                   .threads_per_block = HOST_THREADS_MAX,
                   .threads_per_sm = HOST_SM_THREADS,
                   .shared_per_block = 48 << 10,
                   .shared_per_sm = 228 << 10,
                   .registers_per_sm = 65536,
                   .is_host = true},
        .memory_bytes = sysinfo(&system) == 0 ? (uint64_t)system.totalram * system.mem_unit : 0,
    };
    snprintf(info->compiler, sizeof info->compiler, "%s", compiler->version);
}

int host_open(struct device **out, const struct device_options *options, struct error *error)
{
    struct host *host = calloc(1, sizeof *host);
    if (!host)
        return error_memory(error, sizeof *host);
    host->device.ops = &ops;
    temporary_sweep();
    if (host_compile_find(&host->compiler, error) != 0 ||
        host_runner_load(&host->runner, options->seed, error) != 0) {
        free(host);
        return -1;
    }
    if (host_queue_open(&host->queue, &host->device, error)) {
        host_runner_free(host->runner);
        free(host);
        return -1;
    }
    pthread_mutex_init(&host->mutex, NULL);
    describe(&host->device.info, &host->compiler);
    *out = &host->device;
    return 0;
}

int host_borrow(struct device **out, struct error *error)
{
    const struct device_options options = {.spec = "host"};
    if (host_open(out, &options, error))
        return -1;
    ((struct host *)*out)->owner = getpid();
    return 0;
}

int host_open_tracing(struct device **out, struct host_trace *trace, struct error *error)
{
    const struct device_options options = {.spec = "host", .seed = 1};
    if (host_open(out, &options, error))
        return -1;
    struct host *host = (struct host *)*out;
    host->trace = trace;
    host->compiler.is_tracing = true;
    return 0;
}
