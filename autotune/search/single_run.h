/* single_run: launches one candidate by itself, without a graph and without a clock, for a
 * profiler: a call that warms up, then the call that counts. */
#ifndef AUTOTUNE_SINGLE_RUN_H
#define AUTOTUNE_SINGLE_RUN_H

#include "autotune/device/device.h"
#include "generator/emit.h"

/* Warm-up calls before the call that counts; each has the same number of launches. */
enum { SINGLE_RUN_BEFORE = 1 };

/* Compiles the config, and runs it at the problem's n on exact input, in this process. All
 * results are compared: ERROR_WRONG. */
int single_run(struct device *device, const struct point_context *context,
               const struct emit_sources *sources, const int64_t *config, uint64_t seed,
               struct error *error);

#endif
