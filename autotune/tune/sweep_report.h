/* sweep_report: sweeps of n drawn: of each size its interval's variant, what that takes and loses,
 * and what one variant for all sizes would take. */
#ifndef AUTOTUNE_SWEEP_REPORT_H
#define AUTOTUNE_SWEEP_REPORT_H

#include "autotune/tune/sweep_drawing.h"

extern const struct sweep_kind sweep_report;

#endif
