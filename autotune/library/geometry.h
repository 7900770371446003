/* geometry: the launches of a row for any n, fast enough to be asked for in every call: what
 * does not depend on n is evaluated once. Gives what call_plan of tune/call.h gives; for fewer
 * rows of a matrix than it was made for, the launches of all of them. */
#ifndef AUTOTUNE_GEOMETRY_H
#define AUTOTUNE_GEOMETRY_H

#include "autotune/tune/call.h"

struct geometry; /* never changes once made: any number of threads may ask it */

/* The space must outlive it; problem, target and row need not. `dims_n(&context->problem->dims)` is one of
 * the n that will be asked for; of a matrix, its rows are the most. */
int geometry_make(struct geometry **out, const struct point_context *context,
                  const int64_t *row, struct error *error);
void geometry_free(struct geometry *geometry);

/* As call_plan, for these dims, of which there may be fewer; but `height`, `block` and `tile`
 * of the call and of its steps, which no launch needs, are not to be relied on. */
int geometry_call(const struct geometry *geometry, const struct dims *dims,
                  struct call_plan *out, struct error *error);

#endif
