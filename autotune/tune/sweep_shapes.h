/* sweep_shapes: sweeps of a matrix drawn: a line a shape, what each takes and which variant that
 * is. */
#ifndef AUTOTUNE_SWEEP_SHAPES_H
#define AUTOTUNE_SWEEP_SHAPES_H

#include "autotune/tune/sweep_drawing.h"

extern const struct sweep_kind sweep_shapes;

#endif
