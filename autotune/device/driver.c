/* driver: opens libcuda.so.1 and binds its functions, by the names that each version has, and
 * says what CUDA's errors mean for what comes next. */
#ifdef HAVE_CUDA

#include "autotune/device/driver.h"

#include "autotune/device/shared_object.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The names that cuda.h maps these to. Where an older driver lacks the first, the second is
 * used, which has the same parameters. */
static const struct symbol {
    const char *name, *older;
    size_t offset;
} symbols[] = {
    {"cuInit", NULL, offsetof(struct driver, init)},
    {"cuDriverGetVersion", NULL, offsetof(struct driver, version)},
    {"cuGetErrorName", NULL, offsetof(struct driver, error_name)},
    {"cuGetErrorString", NULL, offsetof(struct driver, error_string)},
    {"cuDeviceGetCount", NULL, offsetof(struct driver, device_count)},
    {"cuDeviceGet", NULL, offsetof(struct driver, device_get)},
    {"cuDeviceGetName", NULL, offsetof(struct driver, device_name)},
    {"cuDeviceGetUuid_v2", "cuDeviceGetUuid", offsetof(struct driver, device_uuid)},
    {"cuDeviceGetAttribute", NULL, offsetof(struct driver, device_attribute)},
    {"cuDeviceTotalMem_v2", NULL, offsetof(struct driver, device_memory)},
    {"cuDevicePrimaryCtxRetain", NULL, offsetof(struct driver, context_retain)},
    {"cuDevicePrimaryCtxRelease_v2", NULL, offsetof(struct driver, context_release)},
    {"cuCtxSetCurrent", NULL, offsetof(struct driver, context_set)},
    {"cuCtxGetCurrent", NULL, offsetof(struct driver, context_get)},
    {"cuCtxGetDevice", NULL, offsetof(struct driver, context_device)},
    {"cuCtxGetId", NULL, offsetof(struct driver, context_id)},
    {"cuStreamCreate", NULL, offsetof(struct driver, stream_create)},
    {"cuStreamDestroy_v2", NULL, offsetof(struct driver, stream_destroy)},
    {"cuStreamSynchronize", NULL, offsetof(struct driver, stream_sync)},
    {"cuStreamBeginCapture_v2", NULL, offsetof(struct driver, capture_begin)},
    {"cuStreamEndCapture", NULL, offsetof(struct driver, capture_end)},
    {"cuEventCreate", NULL, offsetof(struct driver, event_create)},
    {"cuEventDestroy_v2", NULL, offsetof(struct driver, event_destroy)},
    {"cuEventRecord", NULL, offsetof(struct driver, event_record)},
    {"cuEventElapsedTime_v2", "cuEventElapsedTime", offsetof(struct driver, event_elapsed)},
    {"cuEventSynchronize", NULL, offsetof(struct driver, event_sync)},
    {"cuStreamWaitEvent", NULL, offsetof(struct driver, stream_wait_event)},
    {"cuModuleLoadDataEx", NULL, offsetof(struct driver, module_load)},
    {"cuModuleUnload", NULL, offsetof(struct driver, module_unload)},
    {"cuModuleGetFunction", NULL, offsetof(struct driver, module_function)},
    {"cuFuncGetAttribute", NULL, offsetof(struct driver, function_attribute)},
    {"cuFuncSetAttribute", NULL, offsetof(struct driver, function_set_attribute)},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessor", NULL,
     offsetof(struct driver, function_occupancy)},
    {"cuOccupancyMaxActiveClusters", NULL, offsetof(struct driver, function_clusters)},
    {"cuMemAlloc_v2", NULL, offsetof(struct driver, memory_alloc)},
    {"cuMemFree_v2", NULL, offsetof(struct driver, memory_free)},
    {"cuMemGetInfo_v2", NULL, offsetof(struct driver, memory_info)},
    {"cuMemHostAlloc", NULL, offsetof(struct driver, host_alloc)},
    {"cuMemFreeHost", NULL, offsetof(struct driver, host_free)},
    {"cuPointerGetAttribute", NULL, offsetof(struct driver, pointer_attribute)},
    {"cuMemcpyHtoDAsync_v2", NULL, offsetof(struct driver, copy_to)},
    {"cuMemcpyDtoHAsync_v2", NULL, offsetof(struct driver, copy_from)},
    {"cuMemcpyDtoDAsync_v2", NULL, offsetof(struct driver, copy_within)},
    {"cuMemsetD8Async", NULL, offsetof(struct driver, fill)},
    {"cuLaunchKernelEx", NULL, offsetof(struct driver, launch)},
    {"cuGraphCreate", NULL, offsetof(struct driver, graph_create)},
    {"cuGraphDestroy", NULL, offsetof(struct driver, graph_destroy)},
    {"cuGraphAddKernelNode_v2", NULL, offsetof(struct driver, graph_add)},
    {"cuGraphKernelNodeSetAttribute", NULL, offsetof(struct driver, graph_node_set_attribute)},
    {"cuGraphInstantiateWithFlags", NULL, offsetof(struct driver, graph_instantiate)},
    {"cuGraphExecDestroy", NULL, offsetof(struct driver, graph_exec_destroy)},
    {"cuGraphUpload", NULL, offsetof(struct driver, graph_upload)},
    {"cuGraphLaunch", NULL, offsetof(struct driver, graph_launch)},
};
enum { SYMBOL_COUNT = sizeof symbols / sizeof *symbols };

static int bind(struct driver *cu, void *library, struct error *error)
{
    for (int i = 0; i < SYMBOL_COUNT; i++) {
        void *function = dlsym(library, symbols[i].name);
        if (!function && symbols[i].older)
            function = dlsym(library, symbols[i].older);
        if (!function)
            return error_set(error, ERROR_NO_DEVICE,
                             "the NVIDIA driver's libcuda.so.1 lacks %s; install a driver for "
                             "CUDA 12.0 or later (525 or later)",
                             symbols[i].name);
        memcpy((char *)cu + symbols[i].offset, &function, sizeof function);
    }
    return 0;
}

/* What an error means for what comes next, where its own text does not say so. */
static const char *meaning(CUresult result)
{
    static const char lost[] =
        "the kernel broke the context: nothing more can run in this process";
    static const struct {
        CUresult result;
        const char *text;
    } rows[] = {
        {CUDA_ERROR_ILLEGAL_ADDRESS, lost},
        {CUDA_ERROR_MISALIGNED_ADDRESS, lost},
        {CUDA_ERROR_ILLEGAL_INSTRUCTION, lost},
        {CUDA_ERROR_INVALID_ADDRESS_SPACE, lost},
        {CUDA_ERROR_INVALID_PC, lost},
        {CUDA_ERROR_HARDWARE_STACK_ERROR, lost},
        {CUDA_ERROR_LAUNCH_FAILED, lost},
        {CUDA_ERROR_ASSERT, lost},
        {CUDA_ERROR_LAUNCH_TIMEOUT, "the driver ended a kernel that ran too long, and the "
                                    "context with it: nothing more can run in this process"},
        {CUDA_ERROR_ECC_UNCORRECTABLE, "the GPU's memory is faulty: see `nvidia-smi -q`"},
        {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
         "the block needs more registers or threads than the GPU has: use a smaller one"},
        {CUDA_ERROR_NO_BINARY_FOR_GPU,
         "it was compiled for another architecture, or by an NVRTC newer than the driver: name "
         "an older one with --nvrtc FILE"},
        {CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
         "the driver is older than NVRTC: name an older NVRTC with --nvrtc FILE"},
        {CUDA_ERROR_NO_DEVICE, "no GPU shows: see `nvidia-smi` and CUDA_VISIBLE_DEVICES"},
        {CUDA_ERROR_DEVICE_UNAVAILABLE, "another process has it for itself: wait for its end"},
        {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
         "the driver's kernel module and libraries differ: reboot after an update"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].result == result)
            return rows[i].text;
    return "see the CUDA driver API's list of errors";
}

int driver_report(const struct driver *cu, CUresult result, enum error_code code,
                  const char *doing, struct error *error)
{
    const char *name = NULL, *text = NULL;
    cu->error_name(result, &name);
    cu->error_string(result, &text);
    return error_set_lines(error, code, "%s: %s (%s); %s", doing,
                           name ? name : "unknown CUDA error", text ? text : "no description",
                           meaning(result));
}

/* The toolkit has a library of that name for linkers alone. */
static int report_stub(void *library, struct error *error)
{
    struct link_map *map = NULL;
    const bool is_known = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map;
    return error_set(error, ERROR_NO_DEVICE,
                     "no NVIDIA driver: %.1000s is the CUDA toolkit's stub of one, for linking "
                     "alone; take its folder out of LD_LIBRARY_PATH, or use --device host",
                     is_known ? map->l_name : "libcuda.so.1");
}

int driver_open(struct driver *cu, int *count, struct error *error)
{
    /* Never closed: a driver that was initialised may have threads of its own. */
    char why[SHARED_OBJECT_WHY];
    void *library = shared_object_open("libcuda.so.1", RTLD_NOW | RTLD_LOCAL, why);
    if (!library)
        return error_set(error, ERROR_NO_DEVICE,
                         "no NVIDIA driver: libcuda.so.1 cannot be opened (%s); install the "
                         "NVIDIA driver (525 or later), or use --device host",
                         why);
    if (bind(cu, library, error))
        return -1;
    CUresult result = cu->init(0);
    if (result == CUDA_ERROR_STUB_LIBRARY)
        return report_stub(library, error);
    if (result == CUDA_SUCCESS)
        result = cu->device_count(count);
    if (result == CUDA_SUCCESS && *count == 0)
        result = CUDA_ERROR_NO_DEVICE;
    if (result)
        return driver_report(cu, result, ERROR_NO_DEVICE, "the NVIDIA driver shows no GPU",
                             error);
    return 0;
}

#endif
