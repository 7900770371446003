/* host: the device that every machine has: struct device_ops over the system's C compiler, the
 * loader and ordinary memory. Hides that each block under way has an instance of the kernel's
 * library of its own, so that shared memory needs no copying and has an address of its own. */
#include "autotune/device/device.h"
#include "autotune/device/host_compile.h"
#include "autotune/device/host_run.h"
#include "autotune/device/monotonic.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

enum { ALIGNMENT = 256, MEMORY_LINES_MAX = 1 << 14 };

struct host {
    struct device device; /* first: what callers hold */
    struct host_compiler compiler;
    struct host_runner *runner;
    struct host_trace *trace; /* or NULL */
};

/* One copy of an image in memory. The file stays open: the loader knows a library by its name,
 * which has the number of the file in it. */
struct instance {
    int file;
    void *library;
};

struct device_module {
    char *bytes; /* of the image, for more instances */
    size_t size;
    struct instance instances[HOST_SLOTS_MAX];
    unsigned instance_count;
    struct entry *entries; /* by kernel */
    size_t entry_count;
};

/* A kernel in each instance; what device_kernel.function points to. */
struct entry {
    struct device_module *module;
    char *symbol;
    const struct host_unit *units[HOST_SLOTS_MAX];
};

struct device_graph {
    device_enqueue *enqueue; /* instead of launches */
    void *context;
    size_t count;
    struct device_launch launches[];
};

/* --- Modules ------------------------------------------------------------------------------ */

static int write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(file, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        bytes += n;
        size -= (size_t)n;
    }
    return 0;
}

static int open_instance(struct instance *out, const char *bytes, size_t size,
                         struct error *error)
{
    const int file = memfd_create("kernel", MFD_CLOEXEC);
    if (file < 0 || write_all(file, bytes, size) != 0) {
        error_set(error, ERROR_FAILED, "cannot lay a kernel of %zu bytes in memory: %s", size,
                  strerror(errno));
        if (file >= 0)
            close(file);
        return -1;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), file);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        error_set(error, ERROR_FAILED, "cannot load a kernel: %s", dlerror());
        close(file);
        return -1;
    }
    *out = (struct instance){file, library};
    return 0;
}

/* The kernel in the instance for `slot`, which is loaded when first asked for. */
static const struct host_unit *find_unit(void *context, unsigned slot, struct error *error)
{
    struct entry *entry = context;
    struct device_module *module = entry->module;
    while (module->instance_count <= slot) {
        if (open_instance(&module->instances[module->instance_count], module->bytes,
                          module->size, error) != 0)
            return NULL;
        module->instance_count++;
    }
    if (!entry->units[slot])
        entry->units[slot] = dlsym(module->instances[slot].library, entry->symbol);
    if (!entry->units[slot])
        error_set(error, ERROR_FAILED, "the image has no kernel '%s': compile it again",
                  entry->symbol);
    return entry->units[slot];
}

static void host_unload(struct device *device, struct device_module *module)
{
    (void)device;
    if (!module)
        return;
    for (unsigned i = 0; i < module->instance_count; i++) {
        dlclose(module->instances[i].library);
        close(module->instances[i].file);
    }
    for (size_t i = 0; i < module->entry_count; i++)
        free(module->entries[i].symbol);
    free(module->entries);
    free(module->bytes);
    free(module);
}

static int copy_image(struct device_module *module, const struct device_image *image,
                      struct error *error)
{
    module->bytes = malloc(image->size ? image->size : 1);
    module->entries = calloc(image->count ? image->count : 1, sizeof *module->entries);
    if (!module->bytes || !module->entries)
        return error_memory(error, image->size + image->count * sizeof *module->entries);
    if (image->size)
        memcpy(module->bytes, image->bytes, image->size);
    module->size = image->size;
    for (size_t i = 0; i < image->count; i++) {
        struct entry *entry = &module->entries[i];
        entry->module = module;
        entry->symbol = strdup(image->names[i]);
        if (!entry->symbol)
            return error_memory(error, strlen(image->names[i]) + 1);
        module->entry_count++;
    }
    return 0;
}

static int host_load(struct device *device, const struct device_image *image,
                     struct device_module **out, struct device_kernel *kernels,
                     struct error *error)
{
    struct device_module *module = calloc(1, sizeof *module);
    if (!module)
        return error_memory(error, sizeof *module);
    int status = copy_image(module, image, error);
    for (size_t i = 0; i < image->count && status == 0; i++) {
        const struct host_unit *unit = find_unit(&module->entries[i], 0, error);
        if (!unit) {
            status = -1;
            break;
        }
        kernels[i] = (struct device_kernel){.module = module,
                                            .function = &module->entries[i],
                                            .shared_bytes = unit->shared_end - unit->shared,
                                            .threads_max = HOST_THREADS_MAX};
    }
    if (status != 0) {
        host_unload(device, module);
        return -1;
    }
    *out = module;
    return 0;
}

static int host_compile(struct device *device, const struct device_source *sources,
                        size_t count, struct device_image *out, struct error *error)
{
    const struct host *host = (const struct host *)device;
    return host_compile_image(&host->compiler, sources, count, out, error);
}

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
        return error_set(error, ERROR_FAILED,
                         "no room on the host for %" PRIu64 " bytes: %" PRIu64
                         " are free; take a smaller --n", bytes, available);
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
                     struct error *error)
{
    (void)device;
    (void)error;
    if (bytes)
        memset(pointer(to), byte, bytes);
    return 0;
}

/* --- Launches ----------------------------------------------------------------------------- */

static int launch_one(struct host *host, const struct device_launch *launch,
                      struct error *error)
{
    struct entry *entry = launch->kernel->function;
    const struct host_unit *unit = entry->units[0];
    if (launch->block < 1 || launch->block > HOST_THREADS_MAX || launch->grid < 1)
        return error_set(error, ERROR_FAILED,
                         "kernel '%s' cannot run as %u blocks of %u threads: blocks have 1 to "
                         "%d threads, a grid at least one block", unit->name, launch->grid,
                         launch->block, HOST_THREADS_MAX);
    if (launch->arg_count != unit->arg_count)
        return error_set(error, ERROR_FAILED, "kernel '%s' takes %u arguments, not %zu",
                         unit->name, unit->arg_count, launch->arg_count);
    unsigned long long args[LAUNCH_ARGS_MAX];
    for (size_t i = 0; i < launch->arg_count; i++)
        args[i] = launch->args[i];
    const struct host_job job = {.kernel = unit->name, .grid = launch->grid,
                                 .block = launch->block, .args = args, .unit = find_unit,
                                 .context = entry, .trace = host->trace};
    return host_run(host->runner, &job, error);
}

static int host_launch(struct device *device, const struct device_launch *launches,
                       size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++)
        if (launch_one((struct host *)device, &launches[i], error) != 0)
            return -1;
    return 0;
}

/* A launch has ended, and has said what went wrong, before it returns. */
static int host_sync(struct device *device, struct error *error)
{
    (void)device;
    (void)error;
    return 0;
}

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
    if (host_launch(device, before, before_count, error) != 0)
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
    if (host_launch(device, before, before_count, error) != 0)
        return -1;
    const uint64_t start = monotonic_ns();
    if (host_launch(device, graph->launches, graph->count, error) != 0)
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
    host_runner_free(host->runner);
    free(host);
}

static const struct device_ops ops = {
    .close = host_close, .compile = host_compile, .load = host_load, .unload = host_unload,
    .alloc = host_alloc, .free = host_free, .write = host_write, .read = host_read,
    .copy = host_copy, .fill = host_fill, .free_bytes = host_free_bytes,
    .launch = host_launch, .sync = host_sync, .prepare = host_prepare, .time = host_time,
    .release = host_release, .capture = host_capture, .time_queued = host_time_queued,
};

/* Limits as those of a small GPU of compute capability 9.0. */
static void describe(struct device_info *info, const struct host_compiler *compiler)
{
    struct sysinfo system;
    const long l2_bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    *info = (struct device_info){
        .name = "host", .spec = "host", .driver = "none",
        .target = {.cc = 90, .sms = HOST_SMS, .l2_bytes = l2_bytes > 0 ? l2_bytes : 1 << 20,
                   .threads_per_block = HOST_THREADS_MAX, .threads_per_sm = HOST_SM_THREADS,
                   .shared_per_block = 48 << 10, .shared_per_sm = 228 << 10,
                   .registers_per_sm = 65536, .is_host = true},
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
    if (host_compile_find(&host->compiler, error) != 0 ||
        host_runner_load(&host->runner, options->seed, error) != 0) {
        free(host);
        return -1;
    }
    describe(&host->device.info, &host->compiler);
    *out = &host->device;
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

void host_sweep(void)
{
    host_compile_sweep();
}
