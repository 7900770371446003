/* tune_recorded: makes the record of a problem from its journal alone; nothing is measured. */
#ifndef AUTOTUNE_TUNE_RECORDED_H
#define AUTOTUNE_TUNE_RECORDED_H

#include "autotune/cli/setup.h"

/* The record of the setup's problem, from the journal in this folder of records: the config of the
 * least median, whose times are its interval, as of when the journal was last written. ERROR_IO
 * without such a journal, ERROR_USAGE where fewer than two candidates were measured. */
int tune_recorded_make(struct record *out, const struct setup *setup, const char *folder,
                       struct error *error);

/* How long the trials of such a journal would take again, with so many compilers beside one device; 0
 * without a journal. */
double tune_recorded_seconds(const struct setup *setup, const char *folder, unsigned compilers);

#endif
