/* cuda_stream: gives a GPU streams, events and pinned memory, and copies in the order of a stream. Of
 * a GPU that is not borrowed the context is open once memory was asked for. */
#ifdef HAVE_CUDA

#include "autotune/device/cuda_stream.h"

#include "autotune/device/cuda_gpu.h"

#include <stdio.h>

int cuda_stream_open(struct device *device, bool joins_default, void **out, struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    CUstream stream = NULL;
    const CUresult result =
        gpu->cu.stream_create(&stream,
                              joins_default ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING);
    *out = stream;
    return cuda_check(gpu, result, "opening a stream", error);
}

void cuda_stream_close(struct device *device, void *stream)
{
    const struct gpu *gpu = cuda_enter(device);
    gpu->cu.stream_sync(stream);
    gpu->cu.stream_destroy(stream);
}

int cuda_event_open(struct device *device, void **out, struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    CUevent event = NULL;
    const CUresult result = gpu->cu.event_create(&event, CU_EVENT_DEFAULT);
    *out = event;
    return cuda_check(gpu, result, "making an event", error);
}

void cuda_event_close(struct device *device, void *event)
{
    const struct gpu *gpu = cuda_enter(device);
    gpu->cu.event_destroy(event);
}

int cuda_record(struct device *device, void *event, void *stream, struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    return cuda_check(gpu, gpu->cu.event_record(event, stream), "recording an event", error);
}

int cuda_follow(struct device *device, void *stream, void *event, struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    return cuda_check(gpu, gpu->cu.stream_wait_event(stream, event, 0), "making a stream wait",
                      error);
}

int cuda_await(struct device *device, void *event, struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    return cuda_check(gpu, gpu->cu.event_sync(event), "copying and reducing a chunk", error);
}

int cuda_elapsed(struct device *device, void *from, void *to, double *out_ns,
                 struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    float elapsed_ms = 0;
    const CUresult result = gpu->cu.event_elapsed(&elapsed_ms, from, to);
    *out_ns = (double)elapsed_ms * 1e6;
    return cuda_check(gpu, result, "timing", error);
}

int cuda_pin(struct device *device, uint64_t bytes, void **out, struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    char doing[80];
    snprintf(doing, sizeof doing, "allocating %llu bytes of pinned host memory",
             (unsigned long long)bytes);
    *out = NULL;
    return cuda_check(gpu, gpu->cu.host_alloc(out, bytes, 0), doing, error);
}

void cuda_unpin(struct device *device, void *at)
{
    const struct gpu *gpu = cuda_enter(device);
    gpu->cu.host_free(at);
}

/* The driver does not know ordinary memory: an error, and no harm. */
enum device_memory cuda_kind_of(struct device *device, const void *at)
{
    const struct gpu *gpu = cuda_enter(device);
    unsigned kind = 0;
    if (gpu->cu.pointer_attribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (uintptr_t)at))
        return DEVICE_PAGEABLE;
    return kind == CU_MEMORYTYPE_HOST     ? DEVICE_PINNED
           : kind == CU_MEMORYTYPE_DEVICE ? DEVICE_OWN
                                          : DEVICE_PAGEABLE;
}

int cuda_write_async(struct device *device, uint64_t to, const void *from, uint64_t bytes,
                     void *stream, struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    return cuda_check(gpu, gpu->cu.copy_to(to, from, bytes, stream), "copying to the GPU",
                      error);
}

int cuda_read_async(struct device *device, void *to, uint64_t from, uint64_t bytes,
                    void *stream, struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    return cuda_check(gpu, gpu->cu.copy_from(to, from, bytes, stream), "copying from the GPU",
                      error);
}

int cuda_copy_async(struct device *device, uint64_t to, uint64_t from, uint64_t bytes,
                    void *stream, struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    return cuda_check(gpu, gpu->cu.copy_within(to, from, bytes, stream),
                      "copying within the GPU", error);
}

int cuda_prefer_shared(struct device *device, const struct device_kernel *kernel, int percent,
                       struct error *error)
{
    const struct gpu *gpu = cuda_enter(device);
    return cuda_check(gpu,
                      gpu->cu.function_set_attribute(
                          kernel->function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                          percent),
                      "choosing between L1 cache and shared memory", error);
}

#endif
