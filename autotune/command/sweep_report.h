/* sweep_report: sweeps drawn: of each size its interval's variant, what that takes and loses,
 * and what one variant for all sizes would take. */
#ifndef AUTOTUNE_SWEEP_REPORT_H
#define AUTOTUNE_SWEEP_REPORT_H

#include "autotune/command/request.h"
#include "cache/record.h"

/* Draws every sweep among the records: the intervals of one problem on one GPU, made with the
 * same tools, and the sizes within them. Writes JSON and CSV too. `count` (may be NULL) gets
 * how many sweeps there are; without any nothing is printed but empty JSON and CSV. */
int sweep_report_print(const struct request *request, const struct record *records,
                       size_t record_count, size_t *count, struct error *error);

#endif
