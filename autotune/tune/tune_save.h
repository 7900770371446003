/* tune_save: saves the record of a tuning's winner, and opens the journal of its trials. A
 * failed write never costs the result: for a record it is an error afterwards, for trials a
 * warning. */
#ifndef AUTOTUNE_TUNE_SAVE_H
#define AUTOTUNE_TUNE_SAVE_H

#include "autotune/cli/setup.h"
#include "autotune/search/tune.h"

/* ERROR_USAGE, before the search, where a winner may be too long for a record. */
int tune_save_check(const struct space *space, struct error *error);

/* Writes a config into the record as its params, with the hash of its code for the record's
 * key. */
void tune_save_config(struct record *record, const struct setup *setup, const int64_t *config);

/* The record of the winner. */
void tune_save_make(struct record *record, const struct setup *setup,
                    const struct tune_result *result);

/* Adds what the config that ships took by turns with the winner. */
void tune_save_shipped(struct record *record, const struct tune_result *result,
                       const int64_t *config);

/* Notes what the kernel whose record is replaced took by turns with the winner, or of the same kernel what its record
 * said. */
void tune_save_note_replaced(const struct request *request, const struct record *record,
                             const struct tune_result *result,
                             const struct find_result *replaced);

/* Writes the time now as records have it. */
enum { TUNE_SAVE_TIME_CHARS = 32 };
void tune_save_now(char out[TUNE_SAVE_TIME_CHARS]);

/* Writes records of one GPU, one at least, all or none; `path` (appended) is the file. Warns of
 * what `earlier` (may be NULL) says, and where an old file was moved, if it is written. */
int tune_save_write(struct text *path, const struct request *request,
                    const struct records *records, const struct error *earlier,
                    struct error *error);

/* Writes the record, and notes where. `earlier` is the warning from reading: left out when the
 * file cannot be written either. */
int tune_save_record(const struct request *request, const struct record *record,
                     const struct error *earlier, struct error *error);

/* What was warned of already. */
struct tune_save_told {
    bool trials, record;
};

/* Warns where the record cannot be kept. */
void tune_save_warn(const struct request *request, const struct setup *setup);

/* How it went. */
struct tune_save_opened {
    bool is_open; /* there is a journal */
    /* For another process, which may have made the record that is looked for. */
    bool has_waited;
};

/* Opens the problem's journal. Where another process tunes the problem, says so and waits for its end;
 * one that tries nothing for ten minutes is ERROR_BUSY. Warns, once in `told`, where trials or the
 * record cannot be kept. ERROR_INTERRUPTED after a signal while it waited; ERROR_FAILED: no memory. */
int tune_save_journal(struct journal *out, struct tune_save_opened *opened,
                      const struct request *request, const struct setup *setup,
                      struct tune_save_told *told, struct error *error);

/* Why the record does not answer, so that the tuning goes on: its search left candidates
 * untried and this request has no budget, the space may have more to try, or a later tuning
 * was begun and not ended. NULL when it answers. */
const char *tune_save_unfinished(const struct request *request, const struct setup *setup,
                                 const struct record *record);

/* Notes that a kernel of the set-up was proven here: of an operation of the user's own, for plans that the library makes
 * without a record of this GPU (cache/verified.h). */
void tune_save_proven(const struct request *request, const struct setup *setup);

#endif
