/* tune: runs the whole search for one problem on one kind of device: compile, prove, measure,
 * race. It never opens the device: worker processes do, and a kernel that crashes or hangs
 * costs its variant, not the run. No output; the only file is the journal it is given. */
#ifndef AUTOTUNE_TUNE_H
#define AUTOTUNE_TUNE_H

#include "autotune/search/tune_job.h"
#include "autotune/search/tune_result.h"

/* -1 only when nothing can be tuned: no candidate is right (ERROR_WRONG), no room, too noisy to
 * decide (ERROR_NOISY), interrupted, the budget spent. `out` is then disposed of. */
int tune_run(struct tune_result *out, const struct tune_job *job,
             const struct tune_options *options, struct error *error);

#endif
