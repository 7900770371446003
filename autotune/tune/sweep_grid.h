/* sweep_grid: the sweep of a matrix: all shapes of a range of rows and a range of lengths. */
#ifndef AUTOTUNE_SWEEP_GRID_H
#define AUTOTUNE_SWEEP_GRID_H

#include "autotune/tune/sweep_size.h"

/* --rows LOW..HIGH --len LOW..HIGH of an open sweep: every shape without a record is tuned and kept
 * like any other, cold and, where the data fits the L2 cache, warm (--cold or --warm: that alone).
 * Prints them all. What was done is kept after an error or an interruption. */
int sweep_grid(struct sweep *sweep, struct error *error);

#endif
