/* tune_save: what a tuning leaves behind: the record of its winner, and the journal of its
 * trials. What cannot be kept never costs the result: a record is an error after it, trials a warning. */
#ifndef AUTOTUNE_TUNE_SAVE_H
#define AUTOTUNE_TUNE_SAVE_H

#include "autotune/cli/setup.h"
#include "autotune/search/tune.h"

/* A winner that no record can hold would be found in vain: ERROR_USAGE, before the search. */
int tune_save_check(const struct space *space, struct error *error);

/* Writes a config into the record as its params, and the code that it is for the record's key. */
void tune_save_config(struct record *record, const struct setup *setup, const int64_t *config);

/* The record of what won. */
void tune_save_make(struct record *record, const struct setup *setup,
                    const struct tune_result *result);

/* The time in the form that records have it. */
enum { TUNE_SAVE_TIME_CHARS = 32 };
void tune_save_now(char out[TUNE_SAVE_TIME_CHARS]);

/* Writes records of one GPU, one at least, all or none; `path` (appended) is the file. */
int tune_save_write(struct text *path, const struct request *request,
                    const struct records *records, struct error *error);

/* Writes the record, and notes where. `earlier` is what reading warned of: not said when the
 * file cannot be written either. */
int tune_save_record(const struct request *request, const struct record *record,
                     const struct error *earlier, struct error *error);

/* Opens the problem's journal; false with a warning when there is none to be had. -1 through
 * `error` only when another process holds it. */
int tune_save_journal(struct journal *out, bool *is_open, const struct request *request,
                      const struct setup *setup, struct error *error);

/* What the record is when it does not answer, and the tuning is to go on: a budget ended its
 * search and this request has none, the space may have more to try, or a tuning was begun after it
 * and not ended. NULL when it answers. */
const char *tune_save_unfinished(const struct request *request, const struct setup *setup,
                                 const struct record *record);

#endif
