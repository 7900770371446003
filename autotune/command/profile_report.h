/* profile_report: prints what Nsight Compute measured of a call's launches, as a table and in
 * words. */
#ifndef AUTOTUNE_PROFILE_REPORT_H
#define AUTOTUNE_PROFILE_REPORT_H

#include "autotune/analysis/ncu.h"
#include "autotune/analysis/pattern.h"
#include "autotune/cli/request.h"

/* Writes the measurements of the `count` launches of a call of `plan`, in their order; for
 * people also, below the table, what limits the longest one. `pattern` is what the emulator counts
 * of pattern_launch; NULL = unknown. */
int profile_report(const struct request *request, const struct planner_plan *plan,
                   const struct space *space, const struct ncu_launch *launches, size_t count,
                   const struct pattern *pattern, struct error *error);

#endif
