/* cuda_gpu: defines an open GPU for the files of the cuda device. Private to them, and only in
 * builds with the CUDA headers. */
#ifndef AUTOTUNE_CUDA_GPU_H
#define AUTOTUNE_CUDA_GPU_H

#include "autotune/device/device.h"
#include "autotune/device/driver.h"

struct gpu {
    struct device device; /* first: a struct device * is a struct gpu * */
    struct driver cu;
    CUdevice number;
    CUcontext context;
    bool is_borrowed;               /* the context is a caller's; else opened at first need */
    unsigned long long borrowed_id; /* of a caller's context: it may be gone */
    CUstream stream; /* the only one: once a second was used, each kernel takes 0.3 us longer */
    CUevent start, stop;
    struct nvrtc *nvrtc;
    int compile_cc; /* what NVRTC compiles for: below target.cc when it gives PTX */
    struct {        /* from the first comparison of memory on (cuda.c) */
        struct device_module *module;
        struct device_kernel kernel;
        uint64_t first; /* where the kernel leaves its answer */
    } differ;
};

/* The GPU that the device is, its context current to this thread: every operation starts so. A
 * borrowed context is current already, as `check` has seen. */
struct gpu *cuda_enter(struct device *device);

/* 0 when the driver succeeded, else -1: "DOING on NAME (GPU N) failed" and the driver's
 * words. */
int cuda_check(const struct gpu *gpu, CUresult result, const char *doing, struct error *error);

/* Opens the context, its stream and its events; nothing when they are open. */
int cuda_open_context(struct gpu *gpu, struct error *error);
void cuda_close_context(struct gpu *gpu);

/* The operations that own and borrowed GPUs share, as device_ops describes them. */
int cuda_load(struct device *device, const struct device_image *image,
              struct device_module **out, struct device_kernel *kernels, struct error *error);
void cuda_unload(struct device *device, struct device_module *module);
int cuda_alloc(struct device *device, uint64_t bytes, uint64_t *out, struct error *error);
void cuda_free(struct device *device, uint64_t address);
int cuda_fill(struct device *device, uint64_t to, uint8_t byte, uint64_t bytes, void *stream,
              struct error *error);
int cuda_free_bytes(struct device *device, uint64_t *out, struct error *error);

#endif
