/* sweep_dims: sweeps a matrix: all shapes of a range of rows and a range of lengths. */
#ifndef AUTOTUNE_SWEEP_DIMS_H
#define AUTOTUNE_SWEEP_DIMS_H

#include "autotune/tune/sweep_race.h"

/* Runs --rows LOW..HIGH --len LOW..HIGH of an open sweep: tunes every shape without a record
 * and stores it like any other, cold and, where the data fits the L2 cache, warm (with --cold
 * or --warm only that regime). Prints them all. Finished shapes stay on record after an error
 * or an interruption. */
int sweep_dims(struct sweep *sweep, struct error *error);

#endif
