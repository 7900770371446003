/* baseline: loads reductions of another library from a shared object with the interface of
 * baseline_face.h, to time ours against them. Opening one runs its code: it is trusted like the
 * program itself. */
#ifndef AUTOTUNE_BASELINE_H
#define AUTOTUNE_BASELINE_H

#include "autotune/device/device.h"
#include "autotune/measure/baseline_face.h"

struct baseline {
    void *library;
    const struct baseline_face *face; /* NULL: not open */
};

/* Opens the shared object `path`, for work on this device. ERROR_USAGE: it is no file, no
 * shared object, lacks this interface, or is not for this device. */
int baseline_open(struct baseline *out, const char *path, const struct device *device,
                  struct error *error);
void baseline_close(struct baseline *baseline);

bool baseline_supports(const struct baseline *baseline, const struct problem *problem);

/* The temporary memory that calls for `problem` need, in bytes. */
int baseline_temp_bytes(const struct baseline *baseline, const struct problem *problem,
                        uint64_t *out, struct error *error);

/* Queues one reduction on `stream`; addresses are the device's, `temp` of
 * `temp_bytes`. */
struct baseline_call {
    const struct problem *problem;
    uint64_t input, output, temp, temp_bytes;
};
int baseline_queue(const struct baseline *baseline, const struct baseline_call *call,
                   void *stream, struct error *error);

#endif
