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
    CUstream stream; /* the only one: once a second was used, each kernel takes 0.3 us longer */
    CUevent start, stop;
    struct nvrtc *nvrtc;
    int compile_cc; /* what NVRTC compiles for: below target.cc when it gives PTX */
    struct {        /* from the first comparison of memory on (cuda_differ.c) */
        struct device_module *module;
        struct device_kernel kernel;
        uint64_t first; /* where the kernel leaves its answer */
    } differ;
};

/* The GPU that the device is, its context current to this thread: every operation starts so. */
struct gpu *cuda_enter(struct device *device);

/* 0 when the driver succeeded, else -1: "DOING on NAME (GPU N) failed" and the driver's
 * words. */
int cuda_check(const struct gpu *gpu, CUresult result, const char *doing, struct error *error);

/* Opens the context, its stream and its events; nothing when they are open. */
int cuda_open_context(struct gpu *gpu, struct error *error);
void cuda_close_context(struct gpu *gpu);

#endif
