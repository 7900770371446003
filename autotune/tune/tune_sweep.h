/* tune_sweep: tunes a range of n and draws the intervals that one variant serves; or ranges of
 * rows and lengths, by sweep_dims. */
#ifndef AUTOTUNE_TUNE_SWEEP_H
#define AUTOTUNE_TUNE_SWEEP_H

#include "autotune/cli/request.h"

/* Runs --n LOW..HIGH: tunes and stores each size like any n, in the order of n, cold and then,
 * where the data fits the L2 cache, warm (with --cold or --warm only that regime). Prints the
 * sweep. Finished sizes stay on record after an error or an interruption. */
int tune_sweep(const struct request *request, struct error *error);

#endif
