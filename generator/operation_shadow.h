/* operation_shadow: writes the operation that takes the place of one with a combine of its own while its kernels are
 * proven. Its values lie as the other's do, but every word of them is a sum of integers: exact in any order, changed by
 * each element that is lost or taken twice, and by each word of a value that is lost or exchanged. Where order is kept
 * each word is an affine map, which two neighbours that are exchanged change, too. */
#ifndef AUTOTUNE_OPERATION_SHADOW_H
#define AUTOTUNE_OPERATION_SHADOW_H

#include "generator/problem.h"

/* The problem of the shadow: unsigned elements, values and results of the same bytes; map has i, and finish n,
 * where they have them in the other. No identity is 0, so that memory that nobody has set shows. */
int operation_shadow(struct problem *out, const struct problem *problem, struct error *error);

#endif
