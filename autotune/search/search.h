/* search: runs the coordinator's loop: hands units of variants to the workers that compile and
 * compiled units to the workers that measure, takes their trials, and replaces lost workers.
 * Hides processes, queues and deadlines. */
#ifndef AUTOTUNE_SEARCH_H
#define AUTOTUNE_SEARCH_H

#include "autotune/search/trials.h"
#include "autotune/search/worker.h"

enum {
    SEARCH_REFERENCES = 5, /* reference times whose median counts */
    SEARCH_OPEN_S =
        180,            /* seconds in which a worker gets ready, without the default's proofs */
    SEARCH_LOAD_S = 30, /* seconds in which a worker announces its first step of a unit */
};

/* The step of a worker that has not announced one yet. */
#define SEARCH_NOWHERE ((struct job_at){PHASE_LOAD, JOB_NO_CANDIDATE, JOB_NO_CANDIDATE})

/* Variants that are compiled together. */
struct search_unit {
    size_t variants[COMPILER_UNIT];
    size_t count;
};

/* A compiled unit on its way to a measuring worker, or kept for the race. */
struct queued_unit {
    struct frame frame;   /* holds what `unit` points to */
    struct job_unit unit; /* ids and configs are the queued unit's own */
    uint64_t prove_us[COMPILER_UNIT];
    struct queued_unit *next;
};

/* A worker, of either role. */
struct search_worker {
    enum { WORKER_OFF, WORKER_OPENING, WORKER_IDLE, WORKER_BUSY } state;
    size_t device;              /* of a measuring worker: index among job->specs */
    unsigned failures;          /* times in a row that it was lost before it was ready */
    bool was_ready;             /* once at least */
    struct search_unit unit;    /* the unit that it compiles */
    struct queued_unit *queued; /* the unit that it tries */
    struct job_at at;           /* the step it announced last */
    char last_words[JOB_REASON];
    enum error_code last_code;
    struct job_ready ready;
    uint64_t references[SEARCH_REFERENCES]; /* the last ones */
    size_t reference_count;                 /* of all so far */
};

struct search {
    const struct tune_job *job;
    const struct tune_options *options;
    struct tune_result *result;
    const struct worker_ops *ops;
    void *pool;                    /* of `ops` */
    struct search_worker *workers; /* first those that measure, then those that compile */
    size_t measurer_count, worker_count;
    const struct strategy_order *order;
    const double *prior;         /* by candidate */
    size_t next;                 /* in order->variants */
    struct search_unit *retries; /* to be compiled again, each alone */
    size_t retry_count;
    struct queued_unit *queued_units; /* compiled, not tried yet; oldest first */
    size_t queued_count;
    bool keeps_units;             /* for the race: compiled units are not tried */
    struct search_lost {          /* the worker that ran the race is gone */
        bool is_lost, was_killed; /* killed: no kernel is at fault */
        struct job_at at;         /* the step it announced last */
        struct job_trial trial;   /* status and reason for the candidate at fault */
        enum error_code code;     /* of its last message */
    } lost;
    struct trials_index forgiven; /* whose worker was killed, forgiven once each */
    struct trials_index proven;   /* machine code proven at small sizes */
    struct trials_index seen;     /* candidates by machine code and launches */
    struct strategy_rule rule;
    double limit_error; /* of the last limit: strategy_limit's `error` */
    uint64_t best_ps;
    uint64_t *hashes;         /* of the sources, by variant; 0 = not compiled yet */
    uint64_t references[512]; /* of all measuring workers, for the noise */
    size_t reference_count;
    double start, last_sync; /* of the run, of the journal; seconds of CLOCK_MONOTONIC */
    uint64_t done;           /* candidates, for the progress */
};

/* Starts the measuring and the compiling workers. `search` holds job, options, result, order,
 * prior and the workers' ops already. Close after a failure too. */
int search_open(struct search *search, struct error *error);
void search_close(struct search *search);

/* Tries all candidates not judged yet, until the budget is over. */
int search_run(struct search *search, struct error *error);

/* One event of any worker. JOB_RACED goes to `raced` (which may be NULL while there is no
 * race): 1. */
int search_step(struct search *search, struct job_raced *raced, struct error *error);

/* ERROR_INTERRUPTED when the options say that it is time to stop. */
int search_check_stop(const struct search *search, struct error *error);

/* Each variant of the unit is to be compiled again, alone. */
int search_retry_alone(struct search *search, const struct search_unit *unit,
                       struct error *error);

/* The measuring worker that a race runs on: the first that is not given up. */
size_t search_first_measurer(const struct search *search);
/* Is there another worker of this slot's role that is not given up? */
bool search_has_other(const struct search *search, size_t slot);
/* Are trials kept for the next run? */
bool search_keeps_trials(const struct search *search);

/* Starts the worker of this slot, or another in place of a lost one. */
int search_start(struct search *search, size_t slot, struct error *error);
bool search_measures(const struct search *search, size_t slot); /* otherwise it compiles */
void search_free_units(struct search *search);
double search_seconds(const struct search *search); /* since search_open */

/* The spread of the reference's times. */
double search_noise(const struct search *search);

#endif
