/* tune_task: tunes one problem on one kind of device, or answers from an exact record. Prints
 * context alone; what becomes of the result is its user's. */
#ifndef AUTOTUNE_TUNE_TASK_H
#define AUTOTUNE_TUNE_TASK_H

#include "autotune/cli/device_set.h"
#include "autotune/cli/setup.h"
#include "autotune/search/tune.h"
#include "autotune/tune/tune_notes.h"
#include "autotune/tune/tune_parts.h"

/* A kind of device, and the tuning that runs on it. The user sets the first three. */
struct tune_task {
    const struct request *request;
    const struct device_set_kind *kind;
    struct tune_parts *parts; /* of a list of problems, or NULL */
    struct setup setup;
    struct find_result found, shipped;
    struct error warning; /* of the records */
    bool is_answered;     /* by a record: no measuring needed */
    struct journal journal;
    bool has_journal;
    struct tune_job job;
    struct tune_options options;
    struct tune_notes_watch watch;
    struct tune_result result;
    bool is_tuned;
    int failed;
    struct error error; /* why it failed */
};

/* Opens the setup and looks for a record; without an exact one all is made ready to tune, on one of
 * `kinds` kinds of devices at the same time. tune_task_close frees it, after an error too. */
int tune_task_prepare(struct tune_task *task, size_t kinds, struct error *error);

/* Tunes what no record answers, side by side; how each ended is in it. */
void tune_task_run(struct tune_task *tasks, size_t count);

/* The record of a task that has not failed: the answer, or the winner's, which is kept. -1 with
 * `lost` where that cannot be; the record is there all the same. */
int tune_task_take(struct record *out, struct tune_task *task, struct error *lost);

void tune_task_close(struct tune_task *task);

#endif
