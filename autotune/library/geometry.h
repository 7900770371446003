/* geometry: the launches of a row for any n, fast enough to be asked for in every call: what
 * does not depend on n is evaluated once. Gives what call_plan of tune/call.h gives. */
#ifndef AUTOTUNE_GEOMETRY_H
#define AUTOTUNE_GEOMETRY_H

#include "autotune/tune/call.h"

struct geometry; /* never changes once made: any number of threads may ask it */

/* The space must outlive it; problem, target and row need not. `context->problem->n` is one of
 * the n that will be asked for. */
int geometry_make(struct geometry **out, const struct point_context *context,
                  const int64_t *row, struct error *error);
void geometry_free(struct geometry *geometry);

/* As call_plan, but for `height`, `block` and `tile` of the call and of its steps, which no
 * launch needs: they are 0. */
int geometry_call(const struct geometry *geometry, uint64_t n, struct call_plan *out,
                  struct error *error);

#endif
