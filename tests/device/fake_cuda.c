/* A stand-in for libcuda.so.1: enough of the driver API for one GPU whose memory is the host's
 * and whose every kernel stores its second argument where its first points, but for the one that
 * compares memory. It is written without cuda.h, so that the names and layouts the program
 * relies on are checked against a second reading of the interface. Build:
 * cc -shared -fPIC -Wl,-soname,libcuda.so.1
 *   -DOLDER           only the names of CUDA 12.0
 *   -DWITHOUT_UPLOAD  a driver too old for this program */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int result;
typedef void *handle;
/* clang-format off: a driver of one line a call */
enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700,
    DESTROYED = 709
};

/* What the tests set and see. */
int fake_count = 1, fake_major = 9, fake_minor = 0;
int fake_init_result = OK, fake_sync_result = OK, fake_load_result = OK, fake_event_result = OK;
uint64_t fake_memory = 1 << 20, fake_used;
int fake_launches, fake_objects, fake_contexts;
int fake_cluster, fake_cooperative, fake_shared;         /* of the last launch or node */
int fake_shared_most, fake_clusters_allowed;             /* what was allowed beyond the usual */
int fake_shared_limit = 232448, fake_cluster_limit = 16; /* the most that it has a place for */
uint64_t fake_context_ids[8] = {1, 2, 3, 4, 5, 6, 7, 8}; /* by device; 0: destroyed */

result cuInit(unsigned flags)
{
    return flags ? INVALID_VALUE : fake_init_result;
}
result cuDriverGetVersion(int *out)
{
    return *out = 13000, OK;
}

/* NVRTC looks for private tables in a driver that is loaded beside it. */
result cuGetExportTable(const void **out, const void *id)
{
    (void)id;
    *out = NULL;
    return NOT_FOUND;
}

result cuGetErrorName(result code, const char **out)
{
    *out = code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
           : code == NO_DEVICE     ? "CUDA_ERROR_NO_DEVICE"
                                   : NULL;
    return *out ? OK : INVALID_VALUE;
}

result cuGetErrorString(result code, const char **out)
{
    *out = code == ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : NULL;
    return *out ? OK : INVALID_VALUE;
}

/* The numbers of the GPUs that CUDA_VISIBLE_DEVICES leaves, in its order; all without it. */
static int list_visible(int out[8])
{
    const char *names = getenv("CUDA_VISIBLE_DEVICES");
    int count = 0;
    if (!names)
        while (count < fake_count && count < 8)
            out[count] = count, count++;
    for (char *end; names && *names && count < 8; names = *end ? end + 1 : end) {
        const int number = (int)strtol(names, &end, 10);
        if (end == names || number < 0 || number >= fake_count)
            break;
        out[count++] = number;
    }
    return count;
}

result cuDeviceGetCount(int *out)
{
    int visible[8];
    return *out = list_visible(visible), OK;
}

/* The last byte is one more than the number that the GPU has without CUDA_VISIBLE_DEVICES. */
result cuDeviceGetUuid_v2(unsigned char *out, int device)
{
    int visible[8];
    if (device >= list_visible(visible))
        return INVALID_DEVICE;
    memset(out, 0xa0, 16);
    out[15] = (unsigned char)(visible[device] + 1);
    return OK;
}

result cuDeviceGet(int *out, int number)
{
    *out = number;
    return number < fake_count ? OK : INVALID_DEVICE;
}

result cuDeviceGetName(char *out, int size, int device)
{
    (void)device;
    strncpy(out, "Stand-in GPU", (size_t)size);
    return OK;
}

/* By the numbers of CUdevice_attribute. */
result cuDeviceGetAttribute(int *out, int which, int device)
{
    (void)device;
    switch (which) {
    case 1: *out = 1024; return OK;     /* threads per block */
    case 8: *out = 49152; return OK;    /* shared per block */
    case 13: *out = 1980000; return OK; /* clock, kHz */
    case 16: *out = 132; return OK;     /* SMs */
    case 33: *out = 27; return OK;      /* PCI bus, device, domain */
    case 34: *out = 0; return OK;
    case 50: *out = 1; return OK;
    case 36: *out = 3201000; return OK;  /* memory clock, kHz */
    case 37: *out = 6016; return OK;     /* bus, bits */
    case 38: *out = 62914560; return OK; /* L2 */
    case 39: *out = 2048; return OK;     /* threads per SM */
    case 75: *out = fake_major; return OK;
    case 76: *out = fake_minor; return OK;
    case 81: *out = 233472; return OK; /* shared per SM */
    case 82: *out = 65536; return OK;  /* registers per SM */
    default: return INVALID_VALUE;
    }
}

result cuDeviceTotalMem_v2(size_t *out, int device)
{
    (void)device;
    return *out = fake_memory, OK;
}

result cuDevicePrimaryCtxRetain(handle *out, int device)
{
    fake_contexts++;
    *out = &fake_context_ids[device];
    return OK;
}

result cuDevicePrimaryCtxRelease_v2(int device)
{
    return (void)device, fake_contexts--, OK;
}

/* A context is the place of its id. */
static _Thread_local handle current;
result cuCtxSetCurrent(handle context)
{
    return current = context, OK;
}
result cuCtxGetCurrent(handle *out)
{
    return *out = current, OK;
}

result cuCtxGetId(handle context, unsigned long long *out)
{
    const uint64_t *id = context ? context : current;
    *out = id ? *id : 0;
    return !id ? INVALID_CONTEXT : *id ? OK : DESTROYED;
}

result cuCtxGetDevice(int *out)
{
    unsigned long long id;
    *out = current ? (int)((uint64_t *)current - fake_context_ids) : -1;
    return cuCtxGetId(NULL, &id);
}

static result make(handle *out, size_t bytes)
{
    *out = current ? calloc(1, bytes) : NULL;
    fake_objects += *out != NULL;
    return *out ? OK : INVALID_VALUE;
}

static result drop(handle object)
{
    free(object);
    fake_objects--;
    return OK;
}

result cuStreamCreate(handle *out, unsigned flags)
{
    return (void)flags, make(out, 1);
}
result cuStreamDestroy_v2(handle stream)
{
    return drop(stream);
}
result cuStreamSynchronize(handle stream)
{
    return (void)stream, fake_sync_result;
}
result cuCtxSynchronize(void)
{
    return current ? fake_sync_result : INVALID_CONTEXT;
}
result cuEventCreate(handle *out, unsigned flags)
{
    return (void)flags, fake_event_result ? fake_event_result : make(out, 4);
}
result cuEventDestroy_v2(handle event)
{
    return drop(event);
}

/* An event holds how many launches there were before it; a launch takes 0.5 us. */
result cuEventRecord(handle event, handle stream)
{
    (void)stream;
    return *(int *)event = fake_launches, OK;
}

#ifdef OLDER
result cuEventElapsedTime(float *out_ms, handle start, handle stop)
#else
result cuEventElapsedTime_v2(float *out_ms, handle start, handle stop)
#endif
{
    *out_ms = (float)(*(int *)stop - *(int *)start) * 0.0005f;
    return OK;
}

result cuEventSynchronize(handle event)
{
    return event ? fake_sync_result : INVALID_VALUE;
}
result cuStreamWaitEvent(handle stream, handle event, unsigned flags)
{
    return stream && event && !flags ? OK : INVALID_VALUE;
}

/* Options 5 and 6 are the buffer of the error log and its size. */
result cuModuleLoadDataEx(handle *out, const void *image, unsigned count, const int *options,
                          void **values)
{
    if (fake_load_result && count == 2 && options[0] == 5 && options[1] == 6)
        strncpy(values[0], "ptxas: stand-in log", (size_t)(uintptr_t)values[1]);
    return fake_load_result ? fake_load_result : image ? make(out, 1) : INVALID_VALUE;
}

static handle comparing; /* the function that compares memory: each is its module */

result cuModuleUnload(handle module)
{
    comparing = comparing == module ? NULL : comparing;
    return drop(module);
}

result cuModuleGetFunction(handle *out, handle module, const char *name)
{
    *out = module;
    comparing = strcmp(name, "differ") == 0 ? module : comparing;
    return module == comparing || strstr(name, "reduce") || strstr(name, "scan") ||
                   strstr(name, "rows") || strstr(name, "columns") || strstr(name, "strided")
               ? OK
               : NOT_FOUND;
}

result cuFuncGetAttribute(int *out, int which, handle function)
{
    /* Threads, shared, constant and local bytes, registers. */
    static const int values[] = {256, 1024, 0, 16, 40};
    if (function && which == 8) /* the most dynamic shared memory that is allowed */
        return *out = fake_shared_most, OK;
    if (!function || which < 0 || which > 4)
        return INVALID_VALUE;
    return *out = values[which], OK;
}

/* By the numbers of CUfunction_attribute. */
result cuFuncSetAttribute(handle function, int which, int value)
{
    if (!function || value < 0 || (which != 8 && which != 14) ||
        (which == 8 && value > fake_shared_limit))
        return INVALID_VALUE;
    *(which == 8 ? &fake_shared_most : &fake_clusters_allowed) = value;
    return OK;
}

/* Registers are what limits the stand-in's kernels: 40 a thread, 12 warps in each of four parts
 * of an SM. */
result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, handle function, int block,
                                                   size_t shared)
{
    if (!function || block < 1 || block > 1024 || shared)
        return INVALID_VALUE;
    return *out = 12 * 4 / ((block + 31) / 32), OK;
}

result cuMemAlloc_v2(unsigned long long *out, size_t bytes)
{
    if (bytes == 0 || bytes > fake_memory - fake_used)
        return bytes ? OUT_OF_MEMORY : INVALID_VALUE;
    fake_used += bytes;
    fake_objects++;
    *out = (unsigned long long)(uintptr_t)malloc(bytes);
    return OK;
}

result cuMemFree_v2(unsigned long long address)
{
    return drop((void *)(uintptr_t)address);
}

result cuMemGetInfo_v2(size_t *out_free, size_t *out_total)
{
    *out_free = fake_memory - fake_used;
    *out_total = fake_memory;
    return OK;
}

result cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    *out = flags ? NULL : malloc(bytes);
    fake_objects += *out != NULL;
    return *out ? OK : OUT_OF_MEMORY;
}
result cuMemFreeHost(void *at)
{
    return drop(at);
}

/* Attribute 2 is the kind of memory; what it does not know is ordinary memory. */
result cuPointerGetAttribute(void *out, int which, unsigned long long at)
{
    (void)out, (void)at;
    return which == 2 ? INVALID_VALUE : NOT_FOUND;
}

result cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes,
                            handle stream)
{
    (void)stream;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return OK;
}

result cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes, handle stream)
{
    (void)stream;
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return OK;
}

result cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes,
                            handle stream)
{
    return cuMemcpyHtoDAsync_v2(to, (void *)(uintptr_t)from, bytes, stream);
}

result cuMemsetD8Async(unsigned long long to, unsigned char byte, size_t bytes, handle stream)
{
    (void)stream;
    memset((void *)(uintptr_t)to, byte, bytes);
    return OK;
}

static void store(void *const args[])
{
    uint64_t value;
    void *to;
    memcpy(&to, args[0], sizeof to);
    memcpy(&value, args[1], sizeof value);
    memcpy(to, &value, sizeof value);
    fake_launches++;
}

/* Of two addresses, words of 16 bytes, bytes, and where the first that differs is left; where an
 * address is no multiple of 16 there are no words. */
static result compare(void *const args[])
{
    uint64_t values[5];
    for (int i = 0; i < 5; i++)
        memcpy(&values[i], args[i], sizeof values[i]);
    const unsigned char *a = (const unsigned char *)(uintptr_t)values[0];
    const unsigned char *b = (const unsigned char *)(uintptr_t)values[1];
    uint64_t *first = (uint64_t *)(uintptr_t)values[4], at = 0;
    if (values[2] != ((values[0] | values[1]) % 16 ? 0 : values[3] / 16) ||
        *first != UINT64_MAX)
        return INVALID_VALUE;
    while (at < values[3] && a[at] == b[at])
        at++;
    if (at < values[3])
        *first = at;
    return OK;
}

/* CUlaunchAttribute. */
struct launch_attribute {
    int id, padding;
    union {
        unsigned words[3];
        char bytes[64];
    } value;
};

/* CUlaunchConfig. */
struct launch_config {
    unsigned grid[3], block[3], shared;
    handle stream;
    const struct launch_attribute *attributes;
    unsigned attribute_count;
};

/* Beyond 48 KiB with the kernel's own 1024 bytes, leave is needed. */
static int has_shared(unsigned shared)
{
    fake_cluster = fake_cooperative = 0;
    fake_shared = (int)shared;
    return shared <= 49152 - 1024 || (int)shared <= fake_shared_most;
}

/* By the numbers of CUlaunchAttributeID. */
static result take_attribute(int which, const unsigned *words)
{
    if (which == 2)
        fake_cooperative = (int)words[0];
    else if (which == 4 && words[1] == 1 && words[2] == 1)
        fake_cluster = (int)words[0];
    else
        return INVALID_VALUE;
    return fake_cluster <= (fake_clusters_allowed ? 16 : 8) &&
                   fake_cluster <= fake_cluster_limit
               ? OK
               : INVALID_VALUE;
}

result cuOccupancyMaxActiveClusters(int *out, handle function,
                                    const struct launch_config *config)
{
    if (!function || config->attributes[0].id != 4)
        return INVALID_VALUE;
    return *out = config->attributes[0].value.words[0] <= (unsigned)fake_cluster_limit, OK;
}

enum { NODES_MAX = 128 };
struct graph {
    size_t count;
    uint64_t args[NODES_MAX][2];
};

/* What launches go to between the beginning of a capture and its end. */
static struct graph *recording;

result cuStreamBeginCapture_v2(handle stream, int mode)
{
    return stream && mode == 2 && !recording ? make((handle *)&recording, sizeof *recording)
                                             : INVALID_VALUE;
}

result cuStreamEndCapture(handle stream, handle *out)
{
    *out = recording;
    recording = NULL;
    return stream && *out ? OK : INVALID_VALUE;
}

static void record(void *const args[])
{
    for (int i = 0; i < 2; i++)
        memcpy(&recording->args[recording->count][i], args[i], sizeof(uint64_t));
    recording->count++;
}

result cuLaunchKernelEx(const struct launch_config *config, handle function, void **args,
                        void **extra)
{
    const unsigned *grid = config->grid, *block = config->block;
    if (!function || !grid[0] || grid[1] != 1 || grid[2] != 1 || !block[0] || block[0] > 1024 ||
        block[1] != 1 || block[2] != 1 || !has_shared(config->shared) || !config->stream ||
        extra || (recording && recording->count == NODES_MAX))
        return INVALID_VALUE;
    for (unsigned i = 0; i < config->attribute_count; i++)
        if (take_attribute(config->attributes[i].id, config->attributes[i].value.words))
            return INVALID_VALUE;
    if (function == comparing)
        return compare(args);
    if (recording)
        record(args);
    else
        store(args);
    return OK;
}

/* CUDA_KERNEL_NODE_PARAMS_v2. */
struct node_params {
    handle function;
    unsigned grid[3], block[3], shared;
    void **args, **extra;
    handle kernel, context;
};

result cuGraphCreate(handle *out, unsigned flags)
{
    return flags ? INVALID_VALUE : make(out, sizeof(struct graph));
}
result cuGraphDestroy(handle graph)
{
    return drop(graph);
}

static handle newest; /* node */

/* Only chains: each node depends on the one before it. A node is its index + 1. */
result cuGraphAddKernelNode_v2(handle *out, handle object, const handle *needs, size_t count,
                               const struct node_params *params)
{
    struct graph *graph = object;
    if (count != (graph->count > 0) || (count && (uintptr_t)*needs != graph->count) ||
        graph->count == NODES_MAX || !params->function || !params->grid[0] ||
        params->grid[1] != 1 || params->block[2] != 1 || !has_shared(params->shared) ||
        params->extra || params->kernel || params->context)
        return INVALID_VALUE;
    for (int i = 0; i < 2; i++)
        memcpy(&graph->args[graph->count][i], params->args[i], sizeof(uint64_t));
    newest = *out = (handle)(uintptr_t)++graph->count;
    return OK;
}

result cuGraphKernelNodeSetAttribute(handle node, int which, const void *value)
{
    return node && node == newest ? take_attribute(which, value) : INVALID_VALUE;
}

result cuGraphInstantiateWithFlags(handle *out, handle graph, unsigned long long flags)
{
    if (flags || make(out, sizeof(struct graph)))
        return INVALID_VALUE;
    memcpy(*out, graph, sizeof(struct graph));
    return OK;
}
result cuGraphExecDestroy(handle graph)
{
    return drop(graph);
}
#ifndef WITHOUT_UPLOAD
result cuGraphUpload(handle graph, handle stream)
{
    return graph && stream ? OK : INVALID_VALUE;
}
#endif

result cuGraphLaunch(handle object, handle stream)
{
    struct graph *graph = object;
    for (size_t i = 0; i < graph->count; i++)
        store((void *[]){&graph->args[i][0], &graph->args[i][1]});
    return stream ? OK : INVALID_VALUE;
}
/* clang-format on */
