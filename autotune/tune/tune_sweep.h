/* tune_sweep: tunes a range of n, and draws the intervals in which one variant serves; or ranges
 * of rows and lengths, which sweep_grid does. */
#ifndef AUTOTUNE_TUNE_SWEEP_H
#define AUTOTUNE_TUNE_SWEEP_H

#include "autotune/cli/request.h"

/* --n LOW..HIGH: each size is tuned and kept like any n, in the order of n, cold and then,
 * where the data fits the L2 cache, warm (--cold or --warm: that alone). Prints the sweep. What
 * was done is kept after an error or an interruption. */
int tune_sweep(const struct request *request, struct error *error);

#endif
