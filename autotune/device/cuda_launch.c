/* cuda_launch: launches kernels, in the stream or as nodes of a graph, and times them between
 * two events. Asks the driver for what a launch needs permission for. */
#ifdef HAVE_CUDA

#include "autotune/device/cuda_launch.h"

#include "autotune/device/cuda_gpu.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The driver reads the arguments at once, and takes them by pointer to non-const. */
static void point_args(void *out[LAUNCH_ARGS_MAX], const struct device_launch *launch)
{
    assert(launch->arg_count <= LAUNCH_ARGS_MAX);
    for (size_t i = 0; i < launch->arg_count; i++)
        out[i] = (void *)(uintptr_t)&launch->args[i];
}

enum {
    ATTRIBUTES_MAX = 2,
    SHARED_PLAIN = 48 * 1024, /* bytes of shared memory that need no permission */
    CLUSTER_PLAIN = 8,        /* blocks of a cluster, likewise */
};

/* The attributes of a launch, beside grid and block. */
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

/* Others may launch the same kernel, so what is permitted is never taken back. */
static CUresult allow_shared(const struct gpu *gpu, const struct device_launch *launch)
{
    static const CUfunction_attribute which = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    const CUfunction function = launch->kernel->function;
    int allowed = 0;
    if (launch->shared_bytes + launch->kernel->shared_bytes <= SHARED_PLAIN)
        return CUDA_SUCCESS;
    const CUresult result = gpu->cu.function_attribute(&allowed, which, function);
    return result || allowed >= (int)launch->shared_bytes
               ? result
               : gpu->cu.function_set_attribute(function, which, (int)launch->shared_bytes);
}

static CUresult allow(const struct gpu *gpu, const struct device_launch *launch)
{
    const CUresult result = allow_shared(gpu, launch);
    return result != CUDA_SUCCESS || launch->cluster <= CLUSTER_PLAIN
               ? result
               : gpu->cu.function_set_attribute(
                     launch->kernel->function,
                     CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
}

static const char allowing[] = "allowing a kernel more shared memory or a larger cluster";

int cuda_allow(struct device *device, const struct device_launch *launches, size_t count,
               struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = allow(gpu, &launches[i]);
    return cuda_check(gpu, result, allowing, error);
}

static CUlaunchConfig configure(CUlaunchAttribute attributes[ATTRIBUTES_MAX],
                                const struct device_launch *launch, CUstream stream)
{
    return (CUlaunchConfig){
        .gridDimX = launch->grid,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = launch->block,
        .blockDimY = 1,
        .blockDimZ = 1,
        .sharedMemBytes = launch->shared_bytes,
        .hStream = stream,
        .attrs = attributes,
        .numAttrs = list_attributes(attributes, launch),
    };
}

/* Does a result say that the GPU has not what a kernel asks for? */
static bool is_refusal(CUresult result)
{
    return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_INVALID_CLUSTER_SIZE ||
           result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES || result == CUDA_ERROR_NOT_SUPPORTED;
}

/* Is there a place for a cluster? */
static CUresult find_place(const struct gpu *gpu, const struct device_launch *launch)
{
    CUlaunchAttribute attributes[ATTRIBUTES_MAX];
    const CUlaunchConfig config = configure(attributes, launch, NULL);
    int clusters = 0;
    const CUresult result =
        gpu->cu.function_clusters(&clusters, launch->kernel->function, &config);
    return result == CUDA_SUCCESS && clusters == 0 ? CUDA_ERROR_INVALID_CLUSTER_SIZE : result;
}

int cuda_grant(struct device *device, const struct device_launch *launches, size_t count,
               struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    for (size_t i = 0; i < count; i++) {
        const struct device_launch *launch = &launches[i];
        CUresult result = allow(gpu, launch);
        if (result == CUDA_SUCCESS && launch->cluster > 1)
            result = find_place(gpu, launch);
        if (is_refusal(result))
            return error_set(error, ERROR_NOT_GRANTED,
                             "%s has no place for a kernel's cluster of %u blocks, or for its "
                             "%u bytes of shared memory in each",
                             device->info.name, launch->cluster ? launch->cluster : 1,
                             launch->shared_bytes);
        if (cuda_check(gpu, result, allowing, error))
            return -1;
    }
    return 0;
}

CUresult cuda_queue(const struct gpu *gpu, const struct device_launch *launch, CUstream stream)
{
    CUlaunchAttribute attributes[ATTRIBUTES_MAX];
    void *args[LAUNCH_ARGS_MAX];
    const CUlaunchConfig config = configure(attributes, launch, stream);
    point_args(args, launch);
    return gpu->cu.launch(&config, launch->kernel->function, args, NULL);
}

int cuda_launch(struct device *device, const struct device_launch *launches, size_t count,
                void *stream, struct error *error)
{
    assert(count == 0 || launches);
    struct gpu *gpu = cuda_enter(device);
    for (size_t i = 0; i < count; i++)
        if (cuda_allow(device, &launches[i], 1, error) ||
            cuda_check(gpu, cuda_queue(gpu, &launches[i], stream ? stream : gpu->stream),
                       "launching a kernel", error))
            return -1;
    return 0;
}

int cuda_sync(struct device *device, void *stream, struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    if (!gpu->context) /* nothing was queued */
        return 0;
    return cuda_check(gpu, gpu->cu.stream_sync(stream ? stream : gpu->stream), "running",
                      error);
}

/* --- Graphs and their time --------------------------------------------------------------- */

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
        if (cuda_check(gpu,
                       gpu->cu.graph_node_set_attribute(node, attributes[i].id,
                                                        &attributes[i].value),
                       "setting an attribute of a kernel in a graph", error))
            return -1;
    return 0;
}

/* Each launch waits for the one before it: a chain of kernel nodes. */
static int add_nodes(struct gpu *gpu, CUgraph graph, const struct device_launch *launches,
                     size_t count, struct error *error)
{
    CUgraphNode before = NULL;
    for (size_t i = 0; i < count; i++) {
        void *args[LAUNCH_ARGS_MAX];
        point_args(args, &launches[i]);
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
        if (cuda_allow(&gpu->device, &launches[i], 1, error) ||
            cuda_check(gpu, gpu->cu.graph_add(&node, graph, &before, before ? 1 : 0, &params),
                       "adding a kernel to a graph", error) ||
            set_attributes(gpu, node, &launches[i], error))
            return -1;
        before = node;
    }
    return 0;
}

void cuda_release(struct device *device, struct device_graph *graph)
{
    struct gpu *gpu = cuda_enter(device);
    if (graph->exec)
        gpu->cu.graph_exec_destroy(graph->exec);
    if (graph->graph)
        gpu->cu.graph_destroy(graph->graph);
    free(graph);
}

static int make_ready(const struct gpu *gpu, struct device_graph *made, struct error *error)
{
    made->gpu = gpu;
    return cuda_check(gpu, gpu->cu.graph_instantiate(&made->exec, made->graph, 0),
                      "making a graph ready", error) ||
                   cuda_check(gpu, gpu->cu.graph_upload(made->exec, gpu->stream),
                              "uploading a graph", error)
               ? -1
               : 0;
}

int cuda_prepare(struct device *device, const struct device_launch *launches, size_t count,
                 struct device_graph **out, struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    struct device_graph *made = calloc(1, sizeof *made);
    *out = NULL;
    if (!made)
        return error_memory(error, sizeof *made);
    if (cuda_check(gpu, gpu->cu.graph_create(&made->graph, 0), "making a graph", error) ||
        add_nodes(gpu, made->graph, launches, count, error) || make_ready(gpu, made, error)) {
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
    if (cuda_check(gpu, gpu->cu.capture_begin(gpu->stream, CU_STREAM_CAPTURE_MODE_RELAXED),
                   "recording a stream", error))
        return -1;
    const int failed = enqueue(context, gpu->stream, error);
    return cuda_check(gpu, gpu->cu.capture_end(gpu->stream, &made->graph), "recording a stream",
                      failed ? &second : error) ||
                   failed
               ? -1
               : 0;
}

int cuda_capture(struct device *device, device_enqueue *enqueue, void *context,
                 struct device_graph **out, struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    struct device_graph *made = calloc(1, sizeof *made);
    *out = NULL;
    if (!made)
        return error_memory(error, sizeof *made);
    if (cuda_open_context(gpu, error) || capture_nodes(gpu, made, enqueue, context, error) ||
        make_ready(gpu, made, error)) {
        cuda_release(device, made);
        return -1;
    }
    *out = made;
    return 0;
}

int cuda_time_queued(struct device *device, device_enqueue *enqueue, void *context,
                     const struct device_launch *before, size_t before_count, uint64_t *out_ps,
                     struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    float elapsed_ms = 0;
    if (cuda_open_context(gpu, error) ||
        cuda_launch(device, before, before_count, NULL, error) ||
        cuda_check(gpu, gpu->cu.event_record(gpu->start, gpu->stream), "timing", error) ||
        enqueue(context, gpu->stream, error) ||
        cuda_check(gpu, gpu->cu.event_record(gpu->stop, gpu->stream), "timing", error) ||
        cuda_sync(device, NULL, error) ||
        cuda_check(gpu, gpu->cu.event_elapsed(&elapsed_ms, gpu->start, gpu->stop), "timing",
                   error))
        return -1;
    *out_ps = (uint64_t)llround((double)elapsed_ms * 1e9);
    return 0;
}

static int run_graph(void *context, void *stream, struct error *error)
{
    const struct device_graph *graph = context;
    return cuda_check(graph->gpu, graph->gpu->cu.graph_launch(graph->exec, stream),
                      "running a graph", error);
}

int cuda_time(struct device *device, struct device_graph *graph,
              const struct device_launch *before, size_t before_count, uint64_t *out_ps,
              struct error *error)
{
    if (before_count == 0 && run_graph(graph, cuda_enter(device)->stream, error))
        return -1;
    return cuda_time_queued(device, run_graph, graph, before, before_count, out_ps, error);
}

int cuda_occupancy(struct device *device, const struct device_kernel *kernel, unsigned block,
                   unsigned shared_bytes, int *out, struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    const struct device_launch launch = {.kernel = kernel, .shared_bytes = shared_bytes};
    if (cuda_allow(device, &launch, 1, error))
        return -1;
    return cuda_check(gpu,
                      gpu->cu.function_occupancy(out, kernel->function, (int)block,
                                                 shared_bytes),
                      "asking how many blocks an SM holds", error);
}

#endif
