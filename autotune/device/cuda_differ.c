/* cuda_differ: compares device memory in place, with a kernel in PTX
 * (templates/device/differ.ptx) that the driver itself compiles at first use. */
#ifdef HAVE_CUDA

#include "autotune/device/cuda_differ.h"

#include "autotune/device/cuda_gpu.h"
#include "autotune/embedded.h"

enum { WORD_BYTES = 16, BLOCK = 256, BLOCKS_PER_SM = 8 };

static int open_differ(struct gpu *gpu, struct error *error)
{
    static char name[] = "differ";
    const struct device_ops *ops = gpu->device.ops;
    const struct embedded *ptx = embedded_find("templates/device/differ.ptx");
    const struct device_image image = {.bytes = (void *)(uintptr_t)ptx->bytes,
                                       .size = ptx->length,
                                       .is_ptx = true,
                                       .names = (char *[]){name},
                                       .count = 1};
    if (!gpu->differ.first &&
        ops->alloc(&gpu->device, sizeof(uint64_t), &gpu->differ.first, error))
        return -1;
    return gpu->differ.module ? 0
                              : ops->load(&gpu->device, &image, &gpu->differ.module,
                                          &gpu->differ.kernel, error);
}

void cuda_close_differ(struct device *device)
{
    struct gpu *gpu = (struct gpu *)(void *)device;
    if (gpu->differ.module)
        device->ops->unload(device, gpu->differ.module);
    if (gpu->differ.first)
        device->ops->free(device, gpu->differ.first);
    gpu->differ.module = NULL;
    gpu->differ.first = 0;
}

/* As many threads as have something to do, up to a GPU full of them. */
static unsigned find_grid(const struct gpu *gpu, uint64_t words, uint64_t bytes)
{
    const uint64_t rest = bytes - words * WORD_BYTES, most = words > rest ? words : rest;
    const uint64_t blocks = (most + BLOCK - 1) / BLOCK;
    const uint64_t full = (uint64_t)gpu->device.info.target.sms * BLOCKS_PER_SM;
    return (unsigned)(blocks < full ? blocks : full);
}

int cuda_differ(struct device *device, uint64_t a, uint64_t b, uint64_t bytes, uint64_t *first,
                struct error *error)
{
    struct gpu *gpu = cuda_enter(device);
    const uint64_t words = a % WORD_BYTES || b % WORD_BYTES ? 0 : bytes / WORD_BYTES;
    *first = bytes;
    if (bytes == 0)
        return 0;
    if (open_differ(gpu, error))
        return -1;
    const struct device_launch launch = {.kernel = &gpu->differ.kernel,
                                         .grid = find_grid(gpu, words, bytes),
                                         .block = BLOCK,
                                         .args = {a, b, words, bytes, gpu->differ.first},
                                         .arg_count = 5};
    uint64_t found;
    if (device->ops->fill(device, gpu->differ.first, UINT8_MAX, sizeof found, NULL, error) ||
        device->ops->launch(device, &launch, 1, NULL, error) ||
        device->ops->read(device, &found, gpu->differ.first, sizeof found, error))
        return -1;
    *first = found < bytes ? found : bytes;
    return 0;
}

#endif
