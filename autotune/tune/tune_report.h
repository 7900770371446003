/* tune_report: prints the result of a tuning on stdout: the table of the best, the winner, JSON
 * and CSV. The same forms serve an answer from a record. */
#ifndef AUTOTUNE_TUNE_REPORT_H
#define AUTOTUNE_TUNE_REPORT_H

#include "autotune/cli/setup.h"
#include "autotune/search/tune.h"
#include "autotune/tune/effects.h"

/* Writes table, winner, JSON and CSV. `result` is NULL for an answer from a record: then the
 * record is the only row of CSV and JSON, and people see no table. `effects` are for JSON alone;
 * NULL: they are not asked for. */
int tune_report_print(const struct request *request, const struct setup *setup,
                      const struct record *record, const struct tune_result *result,
                      const struct effects *effects, struct error *error);

#endif
