/* host_context: opens a device and the library on it, for commands that reduce data on the host as
 * other programs do. */
#ifndef AUTOTUNE_HOST_CONTEXT_H
#define AUTOTUNE_HOST_CONTEXT_H

#include "autotune/device/device.h"
#include "autotune/library/plan.h"

struct host_context {
    struct device *device; /* its context is current to this thread */
    struct autotune_context *library;
};

/* `spec`, `nvrtc` and `seed` as in device_options; `records`: the folder of records, whose kernels
 * are kept in it, or NULL for the usual one. */
int host_context_open(struct host_context *out, const char *spec, const char *nvrtc,
                      const char *records, uint64_t seed, struct error *error);
void host_context_close(struct host_context *host);

/* A pipeline for a problem whose regime is PINNED or PAGEABLE; `options`: NULL or what is asked. */
int host_context_pipeline(struct autotune_pipeline **out, const struct host_context *host,
                          const struct problem *problem,
                          const struct autotune_pipeline_options *options, struct error *error);

/* A plan for segments whose elements and offsets are copied to the device. */
int host_context_segments(struct autotune_plan **out, const struct host_context *host,
                          const struct problem *problem, struct error *error);

/* The plan of its chunks. */
const struct autotune_plan *host_context_plan(const struct autotune_pipeline *pipeline);

/* The program's error for one of the library's. Returns -1. */
int host_context_error(const struct autotune_error *cause, struct error *error);

#endif
