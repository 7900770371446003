/* cuda_borrowed: borrows the GPU whose context is current to the caller, who keeps it. It
 * recognises the context by its id, which no other has as long as the process lives, even where
 * a context that was reset gets its old address back. */
#ifdef HAVE_CUDA

#include "autotune/device/cuda_gpu.h"
#include "autotune/device/cuda_launch.h"
#include "autotune/device/cuda_stream.h"

#include <stdlib.h>

/* The error where the current context is not the borrowed one. */
static int explain_context(const struct gpu *gpu, CUresult result, struct error *error)
{
    static const char anew[] = "create context, plans and workspaces anew";
    const char *name = gpu->device.info.name;
    CUcontext current = NULL;
    CUdevice number = gpu->number;
    gpu->cu.context_get(&current);
    gpu->cu.context_device(&number);
    if (!current)
        return error_set(
            error, ERROR_NO_CONTEXT,
            "no CUDA context is current to this thread: make the one of %s current "
            "(cudaSetDevice(%d) or cuCtxSetCurrent); if it was destroyed, %s",
            name, gpu->number, anew);
    if (result || current == gpu->context)
        return error_set(error, ERROR_NO_CONTEXT,
                         "the CUDA context on %s was destroyed or reset, and all that the "
                         "library had there with it: %s",
                         name, anew);
    if (number != gpu->number)
        return error_set(error, ERROR_OTHER_CONTEXT,
                         "this is for %s (GPU %d), but GPU %d is current to this thread: call "
                         "cudaSetDevice(%d), or use a plan of GPU %d's context",
                         name, gpu->number, number, gpu->number, number);
    return error_set(error, ERROR_OTHER_CONTEXT,
                     "another CUDA context of %s (GPU %d) is current to this thread than the "
                     "one this was created in: make that one current; if it was destroyed, %s",
                     name, number, anew);
}

static int borrowed_check(const struct device *device, struct error *error)
{
    const struct gpu *gpu = (const struct gpu *)(const void *)device;
    unsigned long long id = 0;
    const CUresult result = gpu->cu.context_id(NULL, &id);
    return result == CUDA_SUCCESS && id == gpu->borrowed_id
               ? 0
               : explain_context(gpu, result, error);
}

/* Checks, and queues: what needs permission has it from `allow`. */
static int borrowed_launch(struct device *device, const struct device_launch *launches,
                           size_t count, void *stream, struct error *error)
{
    const struct gpu *gpu = (const struct gpu *)(const void *)device;
    CUresult result = CUDA_SUCCESS;
    if (borrowed_check(device, error))
        return -1;
    for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = cuda_queue(gpu, &launches[i], stream);
    return result == CUDA_SUCCESS ? 0 : cuda_check(gpu, result, "launching a kernel", error);
}

static void borrowed_close(struct device *device)
{
    free(device);
}

static int take_context(struct gpu *gpu, struct error *error)
{
    const struct driver *cu = &gpu->cu;
    if (cu->context_get(&gpu->context) != CUDA_SUCCESS || !gpu->context)
        return error_set(error, ERROR_NO_CONTEXT,
                         "no CUDA context is current to this thread: call cudaSetDevice (and "
                         "cudaFree(0) before CUDA 12) or cuCtxSetCurrent first");
    if (cu->context_id(gpu->context, &gpu->borrowed_id) != CUDA_SUCCESS ||
        cu->context_device(&gpu->number) != CUDA_SUCCESS)
        return error_set(error, ERROR_NO_CONTEXT,
                         "the CUDA context that is current to this thread was destroyed: make "
                         "another one current");
    return cuda_describe(&gpu->device.info, gpu->number, error);
}

int cuda_borrow(struct device **out, struct error *error)
{
    static const struct device_ops ops = {
        .close = borrowed_close,
        .check = borrowed_check,
        .load = cuda_load,
        .unload = cuda_unload,
        .alloc = cuda_alloc,
        .free = cuda_free,
        .fill = cuda_fill,
        .free_bytes = cuda_free_bytes,
        .allow = cuda_grant,
        .launch = borrowed_launch,
        .sync = cuda_sync,
        CUDA_STREAM_OPS,
    };
    struct gpu *gpu = calloc(1, sizeof *gpu);
    int count;
    *out = NULL;
    if (!gpu)
        return error_memory(error, sizeof *gpu);
    gpu->device.ops = &ops;
    gpu->is_borrowed = true;
    if (driver_open(&gpu->cu, &count, error) || take_context(gpu, error)) {
        free(gpu);
        return -1;
    }
    *out = &gpu->device;
    return 0;
}

#endif
