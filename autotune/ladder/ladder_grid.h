/* ladder_grid: makes the list of a grid, threads per block by elements per thread: each kernel
 * among the chosen rungs whose space has a param for the latter is a group, each of its values
 * a rung. */
#ifndef AUTOTUNE_LADDER_GRID_H
#define AUTOTUNE_LADDER_GRID_H

#include "autotune/ladder/rungs.h"

/* Replaces `list` by the list of the grid, all of it chosen. ERROR_USAGE when no chosen rung
 * has such a param. */
int ladder_grid_make(struct rungs *list, bool is_chosen[RUNGS_MAX], struct error *error);

#endif
