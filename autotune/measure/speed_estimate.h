/* speed_estimate: estimates which candidates are fast, before anything is compiled, from the bytes in
 * flight on an SM: the space's [model] section, the geometry and the occupancy. It orders
 * candidates; it never decides. The formula and its source: docs/measuring.md. */
#ifndef AUTOTUNE_SPEED_ESTIMATE_H
#define AUTOTUNE_SPEED_ESTIMATE_H

#include "generator/point.h"

/* Fills `prior` (by candidate): 0 .. 1, the higher the likelier it is fast; all 0 when the
 * space has no [model]. Needs neither device nor compiler. A wrong [model] (a pass or in_flight
 * whose value is no use) is ERROR_USAGE. */
int speed_estimate_prior(double *prior, const struct points *points,
                         const struct point_context *context, struct error *error);

#endif
