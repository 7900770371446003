/* ranks: computes how far two figures of the same things agree on their order. */
#ifndef AUTOTUNE_RANKS_H
#define AUTOTUNE_RANKS_H

#include "generator/error.h"

#include <stddef.h>

/* Spearman's rank correlation, -1 .. 1; equal values share the mean of their ranks. 0 where one
 * of the two has no order at all (fewer than two values, or all equal). ERROR_FAILED: no
 * memory. */
int ranks_correlation(double *out, const double *a, const double *b, size_t count,
                      struct error *error);

#endif
