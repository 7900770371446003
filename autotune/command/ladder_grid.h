/* ladder_grid: the list of a grid, threads per block by elements per thread: each space among
 * the chosen rungs that has a param for the latter is a group, each of its values a rung. */
#ifndef AUTOTUNE_LADDER_GRID_H
#define AUTOTUNE_LADDER_GRID_H

#include "generator/rungs.h"

/* Dispose of it as of any list. ERROR_USAGE when no chosen rung has such a param, with those
 * that have. */
int ladder_grid_list(struct rungs *out, const struct rungs *list,
                     const bool is_chosen[RUNGS_MAX], struct error *error);

#endif
