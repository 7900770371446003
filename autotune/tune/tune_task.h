/* tune_task: tunes one problem on one kind of device: answers from a record, or opens the journal,
 * searches and keeps the winner. All that is tuned is such a task: a problem, each one of a list,
 * each size of a sweep. Prints context alone; what becomes of the result is its user's. */
#ifndef AUTOTUNE_TUNE_TASK_H
#define AUTOTUNE_TUNE_TASK_H

#include "autotune/cli/device_set.h"
#include "autotune/cli/setup.h"
#include "autotune/search/tune.h"
#include "autotune/tune/sweep_configs.h"
#include "autotune/tune/tune_candidates.h"
#include "autotune/tune/tune_notes.h"
#include "autotune/tune/tune_parts.h"
#include "autotune/tune/tune_save.h"

struct tune_task {
    /* Its user sets these. */
    const struct request *request;
    const struct device_set_kind *kind;
    size_t kinds;                       /* that are tuned at the same time */
    struct tune_parts *parts;           /* of a list of problems, or NULL */
    struct collection *records;         /* that are at hand for several tasks; NULL: its own */
    struct tune_candidates *candidates; /* of --candidates, for several tasks; NULL: its own */
    struct setup *setup;                /* that is open for several tasks; NULL: its own */
    struct tune_save_told *told;        /* what several tasks have warned of; NULL: its own */
    struct worker_pool
        *workers;             /* that serve several tasks, one after the other; NULL: its own */
    struct unit_cache *units; /* what was compiled for them; NULL: its own */
    /* A record does not answer: it is raced again, among configs that the user sets in `options`
     * before the run (tune_options.configs), and stays the winner unless another is clearly faster. */
    bool is_race;
    const struct record *again; /* of a race: that record, where it is the user's; or NULL */
    bool has_no_trials;         /* of a race: no journal is opened */

    /* What there is. */
    struct find_result found;
    struct error warning; /* of the records */
    bool is_known;        /* an exact record of a finished search: that of `found` */
    bool has_candidates;  /* the request has some that its journal lacks */
    bool is_answered;     /* by it: no measuring needed */
    struct journal journal;
    bool has_journal;

    /* What is tried, and what came of it. */
    struct find_result shipped; /* raced too, for the record says what tuning gained */
    bool replaces;              /* the kernel of `found` races, for its record goes */
    struct sweep_configs asked; /* of the options, unless the user sets these */
    struct tune_job job;
    struct tune_options options;
    struct tune_notes_watch watch;
    struct tune_result result;
    bool is_tuned;
    int failed;
    struct error error; /* why it failed */

    struct setup own_setup;
    struct collection own_records;
    struct tune_candidates own_candidates;
};

/* Opens the setup, unless it is open, and looks for a record. tune_task_close frees the task, after an
 * error too. */
int tune_task_look(struct tune_task *task, struct error *error);

/* The same; without an answer all is made ready to tune. */
int tune_task_prepare(struct tune_task *task, struct error *error);

/* Are the effects of params asked for, by the request or by the space? After the setup is open. */
bool tune_task_has_effects(const struct tune_task *task);

/* Finds what would serve without records of one's own, for `shipped`; after the setup is open. */
int tune_task_find_shipped(struct tune_task *task, struct error *error);

/* Tunes what no record answers, side by side; how each ended is in it. */
void tune_task_run(struct tune_task *tasks, size_t count);

/* The record of a task that has not failed: the answer, or the winner's. */
void tune_task_record(struct record *out, const struct tune_task *task);

/* The same, which is kept. -1 with `lost` where that cannot be; the record is there all the same. */
int tune_task_take(struct record *out, struct tune_task *task, struct error *lost);

void tune_task_close(struct tune_task *task);

/* Processes that compile, of a task on one of `kinds` kinds of devices. */
unsigned tune_task_compilers(const struct setup *setup, const struct device_set_kind *kind,
                             size_t kinds);

#endif
