/* driver: opens NVIDIA's driver at run time, for its functions. Only in builds with the CUDA
 * headers; the types of the functions are those of cuda.h. */
#ifndef AUTOTUNE_DRIVER_H
#define AUTOTUNE_DRIVER_H

#include "generator/error.h"

#include <cuda.h>

struct driver {
    __typeof__(cuInit) *init;
    __typeof__(cuDriverGetVersion) *version;
    __typeof__(cuGetErrorName) *error_name;
    __typeof__(cuGetErrorString) *error_string;
    __typeof__(cuDeviceGetCount) *device_count;
    __typeof__(cuDeviceGet) *device_get;
    __typeof__(cuDeviceGetName) *device_name;
    __typeof__(cuDeviceGetUuid) *device_uuid;
    __typeof__(cuDeviceGetAttribute) *device_attribute;
    __typeof__(cuDeviceTotalMem) *device_memory;
    __typeof__(cuDevicePrimaryCtxRetain) *context_retain;
    __typeof__(cuDevicePrimaryCtxRelease) *context_release;
    __typeof__(cuCtxSetCurrent) *context_set;
    __typeof__(cuCtxGetCurrent) *context_get;
    __typeof__(cuCtxGetDevice) *context_device;
    __typeof__(cuCtxGetId) *context_id;
    __typeof__(cuStreamCreate) *stream_create;
    __typeof__(cuStreamDestroy) *stream_destroy;
    __typeof__(cuStreamSynchronize) *stream_sync;
    __typeof__(cuStreamBeginCapture) *capture_begin;
    __typeof__(cuStreamEndCapture) *capture_end;
    __typeof__(cuEventCreate) *event_create;
    __typeof__(cuEventDestroy) *event_destroy;
    __typeof__(cuEventRecord) *event_record;
    __typeof__(cuEventElapsedTime) *event_elapsed;
    __typeof__(cuEventSynchronize) *event_sync;
    __typeof__(cuStreamWaitEvent) *stream_wait_event;
    __typeof__(cuModuleLoadDataEx) *module_load;
    __typeof__(cuModuleUnload) *module_unload;
    __typeof__(cuModuleGetFunction) *module_function;
    __typeof__(cuFuncGetAttribute) *function_attribute;
    __typeof__(cuFuncSetAttribute) *function_set_attribute;
    __typeof__(cuOccupancyMaxActiveBlocksPerMultiprocessor) *function_occupancy;
    __typeof__(cuOccupancyMaxActiveClusters) *function_clusters;
    __typeof__(cuMemAlloc) *memory_alloc;
    __typeof__(cuMemFree) *memory_free;
    __typeof__(cuMemGetInfo) *memory_info;
    __typeof__(cuMemHostAlloc) *host_alloc;
    __typeof__(cuMemFreeHost) *host_free;
    __typeof__(cuPointerGetAttribute) *pointer_attribute;
    __typeof__(cuMemcpyHtoDAsync) *copy_to;
    __typeof__(cuMemcpyDtoHAsync) *copy_from;
    __typeof__(cuMemcpyDtoDAsync) *copy_within;
    __typeof__(cuMemsetD8Async) *fill;
    __typeof__(cuLaunchKernelEx) *launch;
    __typeof__(cuGraphCreate) *graph_create;
    __typeof__(cuGraphDestroy) *graph_destroy;
    __typeof__(cuGraphAddKernelNode) *graph_add;
    __typeof__(cuGraphKernelNodeSetAttribute) *graph_node_set_attribute;
    __typeof__(cuGraphInstantiateWithFlags) *graph_instantiate;
    __typeof__(cuGraphExecDestroy) *graph_exec_destroy;
    __typeof__(cuGraphUpload) *graph_upload;
    __typeof__(cuGraphLaunch) *graph_launch;
};

/* Opens and initialises the driver; `count` GPUs, at least one. ERROR_NO_DEVICE says what is
 * missing. There is nothing to close. */
int driver_open(struct driver *cu, int *count, struct error *error);

/* Sets an error: "DOING: CUDA_ERROR_NAME (its text); what it means". Returns -1. */
int driver_report(const struct driver *cu, CUresult result, enum error_code code,
                  const char *doing, struct error *error);

#endif
