/* sweep_report: draws sweeps of n: for each size the variant of its interval, its time and
 * loss, and the time of one variant for all sizes. */
#ifndef AUTOTUNE_SWEEP_REPORT_H
#define AUTOTUNE_SWEEP_REPORT_H

#include "autotune/tune/sweep_drawing.h"

extern const struct sweep_kind sweep_report;

#endif
