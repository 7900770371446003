/* tune: runs the whole search for one problem on one kind of device: compile, prove, measure,
 * race. It never opens the device: worker processes do, and a kernel that crashes or hangs
 * costs its variant, not the run. No output; the only file is the journal it is given. */
#ifndef AUTOTUNE_TUNE_H
#define AUTOTUNE_TUNE_H

#include "autotune/search/tune_job.h"
#include "autotune/search/tune_result.h"

/* The points that a run tries: the strategy's, the default and the winner of a similar problem
 * where they can run, and the configs asked for. point_dispose frees them. */
int tune_points(struct points *out, const struct point_context *context,
                const struct tune_options *options, struct error *error);

/* -1 only when nothing can be tuned: no candidate is right (ERROR_WRONG), no room, too noisy to
 * decide (ERROR_NOISY), interrupted. `out` is then disposed of. */
int tune_run(struct tune_result *out, const struct tune_job *job,
             const struct tune_options *options, struct error *error);

#endif
