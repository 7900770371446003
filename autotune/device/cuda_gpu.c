/* cuda_gpu: opens the primary context with its one stream and two events, and reports errors of
 * the driver. */
#ifdef HAVE_CUDA

#include "autotune/device/cuda_gpu.h"

#include <stdio.h>

/* Calls may come from any thread, and a process may hold several GPUs: each operation makes
 * its context the current one, which costs nothing when it already is. */
struct gpu *cuda_enter(struct device *device)
{
    struct gpu *gpu = (struct gpu *)(void *)device;
    if (!gpu->is_borrowed)
        gpu->cu.context_set(gpu->context);
    return gpu;
}

int cuda_check(const struct gpu *gpu, CUresult result, const char *doing, struct error *error)
{
    static const struct {
        CUresult result;
        enum error_code code;
    } rows[] = {
        {CUDA_ERROR_OUT_OF_MEMORY, ERROR_NO_MEMORY},
        {CUDA_ERROR_INVALID_CONTEXT, ERROR_NO_CONTEXT},
        {CUDA_ERROR_CONTEXT_IS_DESTROYED, ERROR_NO_CONTEXT},
    };
    enum error_code code = ERROR_FAILED;
    char what[1400];
    if (result == CUDA_SUCCESS)
        return 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].result == result)
            code = rows[i].code;
    snprintf(what, sizeof what, "%.1200s on %.100s (GPU %.15s) failed", doing,
             gpu->device.info.name, gpu->device.info.spec);
    return driver_report(&gpu->cu, result, code, what, error);
}

void cuda_close_context(struct gpu *gpu)
{
    if (!gpu->context)
        return;
    cuda_enter(&gpu->device);
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

/* Opened at first need, so that a caller that only asks what the GPU is does not wait for it;
 * whole or not at all, so that a GPU that had no room for it can be tried again. */
int cuda_open_context(struct gpu *gpu, struct error *error)
{
    const struct driver *cu = &gpu->cu;
    if (gpu->context)
        return 0;
    if (cuda_check(gpu, cu->context_retain(&gpu->context, gpu->number), "opening a context",
                   error)) {
        gpu->context = NULL;
        return -1;
    }
    cuda_enter(&gpu->device);
    CUresult result = cu->stream_create(&gpu->stream, CU_STREAM_NON_BLOCKING);
    if (result == CUDA_SUCCESS)
        result = cu->event_create(&gpu->start, CU_EVENT_DEFAULT);
    if (result == CUDA_SUCCESS)
        result = cu->event_create(&gpu->stop, CU_EVENT_DEFAULT);
    if (cuda_check(gpu, result, "opening a stream", error)) {
        cuda_close_context(gpu);
        return -1;
    }
    return 0;
}

#endif
