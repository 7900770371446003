/* cuda: a GPU through the driver API. Hides the primary context (opened when something first
 * needs it), the stream, and which compiler serves. Never changes a setting of the GPU. */
#include "autotune/device/nvrtc.h"

#ifdef HAVE_CUDA

#include "autotune/device/driver.h"
#include "generator/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Opening and closing ----------------------------------------------------------------- */

struct gpu {
    struct device device; /* first: a struct device * is a struct gpu * */
    struct driver cu;
    CUdevice number;
    CUcontext context;
    CUstream stream; /* the only one: once a second was used, each kernel takes 0.3 us longer */
    CUevent start, stop;
    struct nvrtc *nvrtc;
    int compile_cc; /* what NVRTC compiles for: below target.cc when it gives PTX */
};

/* Calls may come from any thread, and a process may hold several GPUs: each operation makes
 * its context the current one, which costs nothing when it already is. */
static struct gpu *enter(struct device *device)
{
    struct gpu *gpu = (struct gpu *)(void *)device;
    gpu->cu.context_set(gpu->context);
    return gpu;
}

static int check(const struct gpu *gpu, CUresult result, const char *doing, struct error *error)
{
    char what[1400];
    if (result == CUDA_SUCCESS)
        return 0;
    snprintf(what, sizeof what, "%.1200s on %.100s (GPU %.15s) failed", doing,
             gpu->device.info.name, gpu->device.info.spec);
    return driver_report(&gpu->cu, result, ERROR_FAILED, what, error);
}

static int attribute(const struct gpu *gpu, CUdevice_attribute which)
{
    int value = 0;
    return gpu->cu.device_attribute(&value, which, gpu->number) ? 0 : value;
}

static struct target read_target(const struct gpu *gpu)
{
    return (struct target){
        .cc = 10 * attribute(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
              attribute(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        .sms = attribute(gpu, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        .l2_bytes = attribute(gpu, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
        .threads_per_block = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        .threads_per_sm = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
        .shared_per_block = attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
        .shared_per_sm =
            attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
        .registers_per_sm =
            attribute(gpu, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR),
    };
}

/* The kernel module's version: "580.159.04 ", or "" where there is none to ask (WSL). */
static void read_module_version(char out[40])
{
    FILE *file = fopen("/sys/module/nvidia/version", "re");
    *out = '\0';
    if (!file)
        return;
    if (!fgets(out, 38, file))
        *out = '\0';
    fclose(file);
    size_t length = strcspn(out, "\n");
    memcpy(out + length, length ? " " : "", length ? 2 : 1);
}

static int read_info(struct gpu *gpu, struct error *error)
{
    struct device_info *info = &gpu->device.info;
    char module[40];
    int version = 0;
    size_t bytes = 0;
    if (check(gpu, gpu->cu.device_get(&gpu->number, atoi(info->spec)), "opening", error) ||
        check(gpu, gpu->cu.device_name(info->name, sizeof info->name, gpu->number),
              "asking for the name", error) ||
        check(gpu, gpu->cu.device_memory(&bytes, gpu->number), "asking for memory", error) ||
        check(gpu, gpu->cu.version(&version), "asking for the driver's version", error))
        return -1;
    read_module_version(module);
    snprintf(info->driver, sizeof info->driver, "%s(CUDA %d.%d)", module, version / 1000,
             version % 1000 / 10);
    snprintf(info->bus_id, sizeof info->bus_id, "%08x:%02x:%02x.0",
             (unsigned)attribute(gpu, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
             (unsigned)attribute(gpu, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
             (unsigned)attribute(gpu, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
    info->target = read_target(gpu);
    info->memory_bytes = bytes;
    info->clock_khz = attribute(gpu, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    info->memory_clock_khz = attribute(gpu, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    info->bus_bits = attribute(gpu, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    return 0;
}

static void close_context(struct gpu *gpu)
{
    if (!gpu->context)
        return;
    enter(&gpu->device);
    if (gpu->start)
        gpu->cu.event_destroy(gpu->start);
    if (gpu->stop)
        gpu->cu.event_destroy(gpu->stop);
    if (gpu->stream)
        gpu->cu.stream_destroy(gpu->stream);
    gpu->cu.context_set(NULL);
    gpu->cu.context_release(gpu->number);
    gpu->stream = NULL;
    gpu->start = gpu->stop = NULL;
    gpu->context = NULL;
}

/* Opened at first need, so that whoever only asks what the GPU is does not wait for it; whole
 * or not at all, so that a GPU that had no room for it can be tried again. */
static int open_context(struct gpu *gpu, struct error *error)
{
    const struct driver *cu = &gpu->cu;
    if (gpu->context)
        return 0;
    if (check(gpu, cu->context_retain(&gpu->context, gpu->number), "opening a context",
              error)) {
        gpu->context = NULL;
        return -1;
    }
    enter(&gpu->device);
    CUresult result = cu->stream_create(&gpu->stream, CU_STREAM_NON_BLOCKING);
    if (result == CUDA_SUCCESS)
        result = cu->event_create(&gpu->start, CU_EVENT_DEFAULT);
    if (result == CUDA_SUCCESS)
        result = cu->event_create(&gpu->stop, CU_EVENT_DEFAULT);
    if (check(gpu, result, "opening a stream", error)) {
        close_context(gpu);
        return -1;
    }
    return 0;
}

/* The exact architecture first; else PTX for an older one, which the driver compiles on. The
 * error is the first one: it says how to get machine code. */
static int open_compiler(struct gpu *gpu, const char *path, struct error *error)
{
    struct device_info *info = &gpu->device.info;
    struct error second;
    if (nvrtc_open(&gpu->nvrtc, path, info->target.cc, error) &&
        nvrtc_open_older(&gpu->nvrtc, path, info->target.cc, &second))
        return -1;
    gpu->compile_cc = nvrtc_arch(gpu->nvrtc, info->target.cc);
    snprintf(info->compiler, sizeof info->compiler, "NVRTC %s", nvrtc_version(gpu->nvrtc));
    return 0;
}

static void cuda_close(struct device *device)
{
    struct gpu *gpu = (struct gpu *)(void *)device;
    close_context(gpu);
    nvrtc_close(gpu->nvrtc);
    free(gpu);
}

/* --- Kernels ----------------------------------------------------------------------------- */

static int cuda_compile(struct device *device, const struct device_source *sources,
                        size_t count, struct device_image *out, struct error *error)
{
    struct gpu *gpu = (struct gpu *)(void *)device;
    bool is_exact = gpu->compile_cc == device->info.target.cc;
    return nvrtc_compile(gpu->nvrtc, gpu->compile_cc, is_exact ? NVRTC_CUBIN : NVRTC_PTX,
                         sources, count, out, error);
}

struct device_module {
    CUmodule handle;
};

static int describe_kernel(const struct gpu *gpu, struct device_kernel *kernel,
                           struct error *error)
{
    enum { REGISTERS, SHARED, LOCAL, THREADS, COUNT };
    static const CUfunction_attribute which[COUNT] = {
        [REGISTERS] = CU_FUNC_ATTRIBUTE_NUM_REGS,
        [SHARED] = CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
        [LOCAL] = CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
        [THREADS] = CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    };
    int values[COUNT];
    for (int i = 0; i < COUNT; i++)
        if (check(gpu, gpu->cu.function_attribute(&values[i], which[i], kernel->function),
                  "asking about a kernel", error))
            return -1;
    kernel->registers = values[REGISTERS];
    kernel->shared_bytes = values[SHARED];
    kernel->local_bytes = values[LOCAL];
    kernel->threads_max = values[THREADS];
    return 0;
}

static void cuda_unload(struct device *device, struct device_module *module)
{
    struct gpu *gpu = enter(device);
    gpu->cu.module_unload(module->handle);
    free(module);
}

/* The driver's own compiler speaks when the image is PTX; its log says more than the code. */
static int load_module(const struct gpu *gpu, struct device_module *module, const void *bytes,
                       struct error *error)
{
    enum { LOG_BYTES = 1024 };
    char log[LOG_BYTES] = "", doing[LOG_BYTES + 40] = "loading a kernel";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(LOG_BYTES - 1)};
    CUresult result = gpu->cu.module_load(&module->handle, bytes, 2, options, values);
    if (*log)
        snprintf(doing, sizeof doing, "loading a kernel (%s)", log);
    return check(gpu, result, doing, error);
}

static int cuda_load(struct device *device, const struct device_image *image,
                     struct device_module **out, struct device_kernel *kernels,
                     struct error *error)
{
    struct gpu *gpu = enter(device);
    struct device_module *module = calloc(1, sizeof *module);
    *out = NULL;
    if (!module)
        return error_memory(error, sizeof *module);
    if (open_context(gpu, error) || load_module(gpu, module, image->bytes, error)) {
        free(module);
        return -1;
    }
    for (size_t i = 0; i < image->count; i++) {
        CUfunction function = NULL;
        if (check(gpu, gpu->cu.module_function(&function, module->handle, image->names[i]),
                  "finding a kernel in its image", error))
            goto fail;
        kernels[i] = (struct device_kernel){.module = module, .function = function};
        if (describe_kernel(gpu, &kernels[i], error))
            goto fail;
    }
    *out = module;
    return 0;
fail:
    cuda_unload(device, module);
    return -1;
}

/* --- Memory ------------------------------------------------------------------------------ */

enum { SIZE_CHARS = NUMBER_CHARS + 8 };

/* "1.49 GiB", always cut, never rounded up: 0.99 of something is not one. */
static char *format_bytes(char out[SIZE_CHARS], uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    char number[NUMBER_CHARS];
    uint64_t unit = 1024;
    size_t i = 0;
    while (bytes / unit >= 1024 && i < 3) {
        unit *= 1024;
        i++;
    }
    number_format_fixed(number, bytes / unit * 100 + bytes % unit * 100 / unit, 2);
    snprintf(out, SIZE_CHARS, "%s %s", number, units[i]);
    return out;
}

static int cuda_free_bytes(struct device *device, uint64_t *out, struct error *error)
{
    struct gpu *gpu = enter(device);
    size_t free_now = 0, total = 0;
    if (open_context(gpu, error) ||
        check(gpu, gpu->cu.memory_info(&free_now, &total), "asking for free memory", error))
        return -1;
    *out = free_now;
    return 0;
}

static int cuda_alloc(struct device *device, uint64_t bytes, uint64_t *out, struct error *error)
{
    struct gpu *gpu = enter(device);
    char wanted[SIZE_CHARS], room[SIZE_CHARS];
    uint64_t free_now = 0;
    CUdeviceptr address = 0;
    if (open_context(gpu, error))
        return -1;
    CUresult result = gpu->cu.memory_alloc(&address, bytes ? bytes : 1);
    if (result != CUDA_ERROR_OUT_OF_MEMORY) {
        *out = address;
        return check(gpu, result, "allocating memory", error);
    }
    if (cuda_free_bytes(device, &free_now, error))
        return -1;
    return error_set(error, ERROR_FAILED,
                     "no room on %s (GPU %s): %s wanted, %s free; use a smaller --n, or end "
                     "what else uses this GPU (see `nvidia-smi`)",
                     device->info.name, device->info.spec, format_bytes(wanted, bytes),
                     format_bytes(room, free_now));
}

static void cuda_free(struct device *device, uint64_t address)
{
    struct gpu *gpu = enter(device);
    if (address)
        gpu->cu.memory_free(address);
}

static int cuda_sync(struct device *device, struct error *error)
{
    struct gpu *gpu = enter(device);
    return gpu->context ? check(gpu, gpu->cu.stream_sync(gpu->stream), "running", error) : 0;
}

static int cuda_write(struct device *device, uint64_t to, const void *from, uint64_t bytes,
                      struct error *error)
{
    struct gpu *gpu = enter(device);
    if (bytes == 0)
        return 0;
    if (check(gpu, gpu->cu.copy_to(to, from, bytes, gpu->stream), "writing memory", error))
        return -1;
    return cuda_sync(device, error);
}

static int cuda_read(struct device *device, void *to, uint64_t from, uint64_t bytes,
                     struct error *error)
{
    struct gpu *gpu = enter(device);
    if (bytes == 0)
        return 0;
    if (check(gpu, gpu->cu.copy_from(to, from, bytes, gpu->stream), "reading memory",
              error))
        return -1;
    return cuda_sync(device, error);
}

static int cuda_copy(struct device *device, uint64_t to, uint64_t from, uint64_t bytes,
                     struct error *error)
{
    struct gpu *gpu = enter(device);
    if (bytes == 0)
        return 0;
    return check(gpu, gpu->cu.copy_within(to, from, bytes, gpu->stream), "copying memory",
                 error);
}

static int cuda_fill(struct device *device, uint64_t to, uint8_t byte, uint64_t bytes,
                     struct error *error)
{
    struct gpu *gpu = enter(device);
    if (bytes == 0)
        return 0;
    return check(gpu, gpu->cu.fill(to, byte, bytes, gpu->stream), "filling memory", error);
}

/* --- Launches ---------------------------------------------------------------------------- */

/* The driver copies the arguments at once, and takes them by pointer to non-const. */
static void point_args(void *out[LAUNCH_ARGS_MAX], uint64_t copies[LAUNCH_ARGS_MAX],
                       const struct device_launch *launch)
{
    for (size_t i = 0; i < LAUNCH_ARGS_MAX; i++) {
        copies[i] = i < launch->arg_count ? launch->args[i] : 0;
        out[i] = &copies[i];
    }
}

enum {
    ATTRIBUTES_MAX = 2,
    SHARED_PLAIN = 48 * 1024, /* bytes of shared memory that need no leave */
    CLUSTER_PLAIN = 8,        /* blocks of a cluster, likewise */
};

/* What a launch asks for beside grid and block. */
static unsigned list_attributes(CUlaunchAttribute out[ATTRIBUTES_MAX],
                                const struct device_launch *launch)
{
    unsigned count = 0;
    if (launch->cluster > 1)
        out[count++] = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                           .value.clusterDim = {launch->cluster, 1, 1}};
    if (launch->is_cooperative)
        out[count++] =
            (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    return count;
}

/* Leave for more than a kernel gets by default; stays with the kernel. */
static int allow(const struct gpu *gpu, const struct device_launch *launch, struct error *error)
{
    CUresult result = CUDA_SUCCESS;
    if (launch->shared_bytes + launch->kernel->shared_bytes > SHARED_PLAIN)
        result = gpu->cu.function_set_attribute(
            launch->kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            (int)launch->shared_bytes);
    if (launch->cluster > CLUSTER_PLAIN && result == CUDA_SUCCESS)
        result = gpu->cu.function_set_attribute(
            launch->kernel->function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    return check(gpu, result, "allowing a kernel more shared memory or a larger cluster",
                 error);
}

static int cuda_launch(struct device *device, const struct device_launch *launches,
                       size_t count, struct error *error)
{
    struct gpu *gpu = enter(device);
    for (size_t i = 0; i < count; i++) {
        const struct device_launch *launch = &launches[i];
        CUlaunchAttribute attributes[ATTRIBUTES_MAX];
        void *args[LAUNCH_ARGS_MAX];
        uint64_t copies[LAUNCH_ARGS_MAX];
        point_args(args, copies, launch);
        const CUlaunchConfig config = {
            .gridDimX = launch->grid,
            .gridDimY = 1,
            .gridDimZ = 1,
            .blockDimX = launch->block,
            .blockDimY = 1,
            .blockDimZ = 1,
            .sharedMemBytes = launch->shared_bytes,
            .hStream = gpu->stream,
            .attrs = attributes,
            .numAttrs = list_attributes(attributes, launch),
        };
        if (allow(gpu, launch, error) ||
            check(gpu, gpu->cu.launch(&config, launch->kernel->function, args, NULL),
                  "launching a kernel", error))
            return -1;
    }
    return 0;
}

struct device_graph {
    const struct gpu *gpu;
    CUgraph graph;
    CUgraphExec exec;
};

static int set_attributes(const struct gpu *gpu, CUgraphNode node,
                          const struct device_launch *launch, struct error *error)
{
    CUlaunchAttribute attributes[ATTRIBUTES_MAX];
    const unsigned count = list_attributes(attributes, launch);
    for (unsigned i = 0; i < count; i++)
        if (check(gpu,
                  gpu->cu.graph_node_set_attribute(node, attributes[i].id, &attributes[i].value),
                  "setting an attribute of a kernel in a graph", error))
            return -1;
    return 0;
}

/* Each launch waits for the one before it: a chain of kernel nodes. */
static int add_nodes(const struct gpu *gpu, CUgraph graph, const struct device_launch *launches,
                     size_t count, struct error *error)
{
    CUgraphNode before = NULL;
    for (size_t i = 0; i < count; i++) {
        void *args[LAUNCH_ARGS_MAX];
        uint64_t copies[LAUNCH_ARGS_MAX];
        point_args(args, copies, &launches[i]);
        CUDA_KERNEL_NODE_PARAMS params = {
            .func = launches[i].kernel->function,
            .gridDimX = launches[i].grid,
            .gridDimY = 1,
            .gridDimZ = 1,
            .blockDimX = launches[i].block,
            .blockDimY = 1,
            .blockDimZ = 1,
            .sharedMemBytes = launches[i].shared_bytes,
            .kernelParams = args,
        };
        CUgraphNode node;
        if (allow(gpu, &launches[i], error) ||
            check(gpu, gpu->cu.graph_add(&node, graph, &before, before ? 1 : 0, &params),
                  "adding a kernel to a graph", error) ||
            set_attributes(gpu, node, &launches[i], error))
            return -1;
        before = node;
    }
    return 0;
}

static void cuda_release(struct device *device, struct device_graph *graph)
{
    struct gpu *gpu = enter(device);
    if (graph->exec)
        gpu->cu.graph_exec_destroy(graph->exec);
    if (graph->graph)
        gpu->cu.graph_destroy(graph->graph);
    free(graph);
}

static int make_ready(const struct gpu *gpu, struct device_graph *made, struct error *error)
{
    made->gpu = gpu;
    return check(gpu, gpu->cu.graph_instantiate(&made->exec, made->graph, 0),
                 "making a graph ready", error) ||
                   check(gpu, gpu->cu.graph_upload(made->exec, gpu->stream),
                         "uploading a graph", error)
               ? -1
               : 0;
}

static int cuda_prepare(struct device *device, const struct device_launch *launches,
                        size_t count, struct device_graph **out, struct error *error)
{
    struct gpu *gpu = enter(device);
    struct device_graph *made = calloc(1, sizeof *made);
    *out = NULL;
    if (!made)
        return error_memory(error, sizeof *made);
    if (check(gpu, gpu->cu.graph_create(&made->graph, 0), "making a graph", error) ||
        add_nodes(gpu, made->graph, launches, count, error) ||
        make_ready(gpu, made, error)) {
        cuda_release(device, made);
        return -1;
    }
    *out = made;
    return 0;
}

/* A capture that was begun is ended whatever `enqueue` says, or the stream stays unusable. */
static int capture_nodes(const struct gpu *gpu, struct device_graph *made,
                         device_enqueue *enqueue, void *context, struct error *error)
{
    struct error second;
    if (check(gpu,
              gpu->cu.capture_begin(gpu->stream, CU_STREAM_CAPTURE_MODE_RELAXED),
              "recording a stream", error))
        return -1;
    const int failed = enqueue(context, gpu->stream, error);
    return check(gpu, gpu->cu.capture_end(gpu->stream, &made->graph), "recording a stream",
                 failed ? &second : error) ||
                   failed
               ? -1
               : 0;
}

static int cuda_capture(struct device *device, device_enqueue *enqueue, void *context,
                        struct device_graph **out, struct error *error)
{
    struct gpu *gpu = enter(device);
    struct device_graph *made = calloc(1, sizeof *made);
    *out = NULL;
    if (!made)
        return error_memory(error, sizeof *made);
    if (open_context(gpu, error) || capture_nodes(gpu, made, enqueue, context, error) ||
        make_ready(gpu, made, error)) {
        cuda_release(device, made);
        return -1;
    }
    *out = made;
    return 0;
}

static int cuda_time_queued(struct device *device, device_enqueue *enqueue, void *context,
                            const struct device_launch *before, size_t before_count,
                            uint64_t *out_ps, struct error *error)
{
    struct gpu *gpu = enter(device);
    float elapsed_ms = 0;
    if (open_context(gpu, error) || cuda_launch(device, before, before_count, error) ||
        check(gpu, gpu->cu.event_record(gpu->start, gpu->stream), "timing", error) ||
        enqueue(context, gpu->stream, error) ||
        check(gpu, gpu->cu.event_record(gpu->stop, gpu->stream), "timing", error) ||
        cuda_sync(device, error) ||
        check(gpu, gpu->cu.event_elapsed(&elapsed_ms, gpu->start, gpu->stop), "timing", error))
        return -1;
    *out_ps = (uint64_t)llround((double)elapsed_ms * 1e9);
    return 0;
}

static int run_graph(void *context, void *stream, struct error *error)
{
    const struct device_graph *graph = context;
    return check(graph->gpu, graph->gpu->cu.graph_launch(graph->exec, stream),
                 "running a graph", error);
}

static int cuda_time(struct device *device, struct device_graph *graph,
                     const struct device_launch *before, size_t before_count, uint64_t *out_ps,
                     struct error *error)
{
    if (before_count == 0 && run_graph(graph, enter(device)->stream, error))
        return -1;
    return cuda_time_queued(device, run_graph, graph, before, before_count, out_ps, error);
}

static int cuda_occupancy(struct device *device, const struct device_kernel *kernel,
                          unsigned block, unsigned shared_bytes, int *out, struct error *error)
{
    struct gpu *gpu = enter(device);
    const struct device_launch launch = {.kernel = kernel, .shared_bytes = shared_bytes};
    if (allow(gpu, &launch, error))
        return -1;
    return check(gpu,
                 gpu->cu.function_occupancy(out, kernel->function, (int)block, shared_bytes),
                 "asking how many blocks an SM holds", error);
}

static const struct device_ops ops = {
    .close = cuda_close,
    .compile = cuda_compile,
    .load = cuda_load,
    .unload = cuda_unload,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .write = cuda_write,
    .read = cuda_read,
    .copy = cuda_copy,
    .fill = cuda_fill,
    .free_bytes = cuda_free_bytes,
    .launch = cuda_launch,
    .sync = cuda_sync,
    .prepare = cuda_prepare,
    .time = cuda_time,
    .release = cuda_release,
    .capture = cuda_capture,
    .time_queued = cuda_time_queued,
    .occupancy = cuda_occupancy,
};

int cuda_count(char *why, size_t why_size)
{
    struct driver cu;
    struct error error;
    int count = 0;
    if (driver_open(&cu, &count, &error) == 0)
        return count;
    snprintf(why, why_size, "%s", error.text);
    return 0;
}

/* The driver and the GPU of this number. */
static int open_gpu(struct gpu *gpu, int number, struct error *error)
{
    int count;
    if (driver_open(&gpu->cu, &count, error))
        return -1;
    if (number >= count)
        return error_set(error, ERROR_NO_DEVICE,
                         "no GPU %d: there %s %d here, numbered from 0; see `autotune list`",
                         number, count == 1 ? "is" : "are", count);
    return read_info(gpu, error);
}

static void name_gpu(struct device_info *info, int number)
{
    snprintf(info->spec, sizeof info->spec, "%d", number);
    snprintf(info->name, sizeof info->name, "the GPU");
}

int cuda_describe(struct device_info *out, int number, struct error *error)
{
    struct gpu gpu = {.device.ops = &ops};
    name_gpu(&gpu.device.info, number);
    const int failed = open_gpu(&gpu, number, error);
    *out = gpu.device.info;
    return failed;
}

int cuda_open(struct device **out, int number, const struct device_options *options,
              struct error *error)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    *out = NULL;
    if (!gpu)
        return error_memory(error, sizeof *gpu);
    gpu->device.ops = &ops;
    name_gpu(&gpu->device.info, number);
    if (open_gpu(gpu, number, error) || open_compiler(gpu, options->nvrtc, error)) {
        cuda_close(&gpu->device);
        return -1;
    }
    *out = &gpu->device;
    return 0;
}

/* Without a driver: what is there of a struct gpu is the compiler. */
int cuda_open_compiler(struct device **out, const struct device_info *info, const char *nvrtc,
                       struct error *error)
{
    static const struct device_ops compiler_ops = {.close = cuda_close,
                                                   .compile = cuda_compile};
    struct gpu *gpu = calloc(1, sizeof *gpu);
    *out = NULL;
    if (!gpu)
        return error_memory(error, sizeof *gpu);
    gpu->device = (struct device){&compiler_ops, *info};
    if (open_compiler(gpu, nvrtc, error)) {
        cuda_close(&gpu->device);
        return -1;
    }
    *out = &gpu->device;
    return 0;
}

#endif
