/* cuda_differ: implements the operation of a cuda device that compares memory, as device_ops
 * describes it. Private to cuda.c, and only in builds with the CUDA headers. */
#ifndef AUTOTUNE_CUDA_DIFFER_H
#define AUTOTUNE_CUDA_DIFFER_H

#include "autotune/device/device.h"

int cuda_differ(struct device *device, uint64_t a, uint64_t b, uint64_t bytes, uint64_t *first,
                struct error *error);

/* Gives back what the first comparison loaded, while the context is still open. */
void cuda_close_differ(struct device *device);

#endif
