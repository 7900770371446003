/* sweep_dims_report: draws sweeps of a matrix: for each shape a line with its time and its
 * variant. */
#ifndef AUTOTUNE_SWEEP_DIMS_REPORT_H
#define AUTOTUNE_SWEEP_DIMS_REPORT_H

#include "autotune/tune/sweep_drawing.h"

extern const struct sweep_kind sweep_shapes;

#endif
