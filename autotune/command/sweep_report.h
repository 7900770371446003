/* sweep_report: sweeps drawn: of each size its interval's variant, what that takes and loses,
 * and what one variant for all sizes would take. */
#ifndef AUTOTUNE_SWEEP_REPORT_H
#define AUTOTUNE_SWEEP_REPORT_H

#include "autotune/command/request.h"
#include "cache/store.h"

/* Draws every sweep among the records, whose intervals are computed. Writes JSON and CSV too.
 * `count` (may be NULL) gets how many sweeps there are; without any nothing is printed but
 * empty JSON and CSV. */
int sweep_report_print(const struct request *request, const struct records *records,
                       size_t *count, struct error *error);

#endif
