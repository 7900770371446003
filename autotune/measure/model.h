/* model: a rough guess of which candidates are fast, before anything is compiled: the bytes in
 * flight on an SM, from the space's [model] section, the geometry and the occupancy. It orders
 * what is tried; it never decides. The formula and its source: docs/measuring.md. */
#ifndef AUTOTUNE_MODEL_H
#define AUTOTUNE_MODEL_H

#include "generator/point.h"

/* Fills `prior` (by candidate): 0 .. 1, the higher the likelier it is fast; all 0 when the
 * space has no [model]. Needs neither device nor compiler. What the space file gets wrong (a
 * pass or in_flight that comes out as no use) is ERROR_USAGE. */
int model_prior(double *prior, const struct points *points, const struct point_context *context,
                struct error *error);

#endif
