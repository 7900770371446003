/* search: runs the coordinator's state machine: hands units of variants to the workers that
 * compile and compiled units to the workers that measure, takes what they say, and replaces
 * lost workers. Hides workers, queues and deadlines; `decide` says what an event means. */
#ifndef AUTOTUNE_SEARCH_H
#define AUTOTUNE_SEARCH_H

#include "autotune/search/outcomes.h"
#include "autotune/search/unit_cache.h"
#include "autotune/search/worker.h"

struct search;

/* What a search is about; all of it outlives the search. */
struct search_task {
    const struct tune_job *job;
    const struct tune_options *options;
    struct tune_result *result; /* with its points, and the trials that the journal told */
    const struct strategy_order *order;
    const double *prior;      /* by candidate */
    struct unit_cache *units; /* what was compiled before, and is from now on */
    const struct worker_ops *ops;
    void *workers; /* of `ops` */
};

/* Starts the measuring and the compiling workers. NULL with the error. Close it before the
 * workers: of those that are kept, what is not idle is stopped. */
struct search *search_open(const struct search_task *task, struct error *error);
void search_close(struct search *search);

/* Tries all candidates not judged yet, until the budget is over; then equal ones are judged
 * like those they are equal to, and result->noise is set. */
int search_run(struct search *search, struct error *error);

/* Races these candidates and the default, on the first device: 1 with the result; 0 when one of
 * them dropped out before it (does not compile any more, ended the worker), or the worker was
 * lost for the first time. */
int search_race(struct search *search, const size_t *candidates, size_t count,
                struct job_raced *out, struct error *error);

/* Are trials kept for the next run? */
bool search_keeps_trials(const struct search *search);

#endif
