/* cuda_stream: declares the operations of streams that own and borrowed GPUs share, as device_ops
 * describes them. */
#ifndef AUTOTUNE_CUDA_STREAM_H
#define AUTOTUNE_CUDA_STREAM_H

#include "autotune/device/device.h"

int cuda_stream_open(struct device *device, bool joins_default, void **out,
                     struct error *error);
void cuda_stream_close(struct device *device, void *stream);
int cuda_event_open(struct device *device, void **out, struct error *error);
void cuda_event_close(struct device *device, void *event);
int cuda_record(struct device *device, void *event, void *stream, struct error *error);
int cuda_follow(struct device *device, void *stream, void *event, struct error *error);
int cuda_await(struct device *device, void *event, struct error *error);
int cuda_elapsed(struct device *device, void *from, void *to, double *out_ns,
                 struct error *error);
int cuda_pin(struct device *device, uint64_t bytes, void **out, struct error *error);
void cuda_unpin(struct device *device, void *at);
enum device_memory cuda_kind_of(struct device *device, const void *at);
int cuda_write_async(struct device *device, uint64_t to, const void *from, uint64_t bytes,
                     void *stream, struct error *error);
int cuda_read_async(struct device *device, void *to, uint64_t from, uint64_t bytes,
                    void *stream, struct error *error);
int cuda_copy_async(struct device *device, uint64_t to, uint64_t from, uint64_t bytes,
                    void *stream, struct error *error);
int cuda_prefer_shared(struct device *device, const struct device_kernel *kernel, int percent,
                       struct error *error);

#define CUDA_STREAM_OPS                                                                        \
    .stream_open = cuda_stream_open, .stream_close = cuda_stream_close,                        \
    .event_open = cuda_event_open, .event_close = cuda_event_close, .record = cuda_record,     \
    .follow = cuda_follow, .await = cuda_await, .elapsed = cuda_elapsed, .pin = cuda_pin,      \
    .unpin = cuda_unpin, .kind_of = cuda_kind_of, .write_async = cuda_write_async,             \
    .read_async = cuda_read_async, .copy_async = cuda_copy_async,                              \
    .prefer_shared = cuda_prefer_shared

#endif
