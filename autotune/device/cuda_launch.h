/* cuda_launch: implements the operations of a cuda device that run kernels, as device_ops
 * describes them: launches in stream order, graphs of them, their time, and how many blocks an
 * SM holds. Private to cuda.c, and only in builds with the CUDA headers. */
#ifndef AUTOTUNE_CUDA_LAUNCH_H
#define AUTOTUNE_CUDA_LAUNCH_H

#include "autotune/device/cuda_gpu.h"

int cuda_launch(struct device *device, const struct device_launch *launches, size_t count,
                void *stream, struct error *error);
int cuda_sync(struct device *device, void *stream, struct error *error);

/* The parts of a launch: a permission that stays with the kernel, and the queueing alone. */
int cuda_allow(struct device *device, const struct device_launch *launches, size_t count,
               struct error *error);
/* cuda_allow, and ERROR_NOT_GRANTED where the GPU has no place for such a block or cluster. */
int cuda_grant(struct device *device, const struct device_launch *launches, size_t count,
               struct error *error);
CUresult cuda_queue(const struct gpu *gpu, const struct device_launch *launch, CUstream stream);

int cuda_prepare(struct device *device, const struct device_launch *launches, size_t count,
                 struct device_graph **out, struct error *error);
int cuda_capture(struct device *device, device_enqueue *enqueue, void *context,
                 struct device_graph **out, struct error *error);
void cuda_release(struct device *device, struct device_graph *graph);

int cuda_time(struct device *device, struct device_graph *graph,
              const struct device_launch *before, size_t before_count, uint64_t *out_ps,
              struct error *error);
int cuda_time_queued(struct device *device, device_enqueue *enqueue, void *context,
                     const struct device_launch *before, size_t before_count, uint64_t *out_ps,
                     struct error *error);

int cuda_occupancy(struct device *device, const struct device_kernel *kernel, unsigned block,
                   unsigned shared_bytes, int *out, struct error *error);

#endif
