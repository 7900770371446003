/* decide: says what follows from what a worker did: who is judged, what becomes of the unit it
 * had and of the worker. Pure functions: search alone acts. */
#ifndef AUTOTUNE_DECIDE_H
#define AUTOTUNE_DECIDE_H

#include "autotune/search/job.h"
#include "autotune/search/trials.h"

/* Times in a row that a worker may be lost before it is ready. */
enum { DECIDE_FAILURES = 3 };

/* Variants that are compiled together. */
struct decide_unit {
    size_t variants[COMPILER_UNIT];
    size_t count;
};

struct decision {
    enum { JUDGE_NONE, JUDGE_CANDIDATE, JUDGE_VARIANT } judge; /* as `status` */
    enum trial_status status;
    uint64_t variant, candidate;
    struct decide_unit retry; /* these are compiled again, each alone */
    bool requeues;            /* what is not judged yet of its compiled unit waits again */
    bool forgives;            /* the variant, this once */
    bool trusts;              /* the variant's code is right at small sizes */
    bool loses_race;
    enum { WORKER_STAYS, WORKER_RESTARTS, WORKER_DROPS, RUN_ENDS, DEFAULT_FAULTY } worker;
};

enum decide_work { WORK_NONE, WORK_OPEN, WORK_COMPILE, WORK_TRY, WORK_RACE };

/* A worker that ended, or was too late. */
struct decide_loss {
    enum decide_work work;   /* that it was doing */
    struct decide_unit unit; /* of WORK_COMPILE and WORK_TRY */
    struct job_at at;        /* its last announcement: it names the cause */
    bool was_ready;          /* once at least */
    unsigned failures;       /* times in a row, with this one, before it was ready */
    bool has_other;          /* another worker of its role */
    bool is_late;
    bool was_killed;                     /* from outside, as when memory is short */
    bool is_racing;                      /* units are for the race: all are measured */
    size_t candidates;                   /* of the run */
    const struct trials_index *forgiven; /* keys of variants: decide_key */
};

/* A kill from outside is forgiven once for each variant; while a unit of several is compiled or
 * loaded, no one is at fault: each is tried alone. */
struct decision decide_lost(const struct decide_loss *loss);
uint64_t decide_key(uint64_t variant);

/* The proofs at small sizes of a variant of `unit`, which is NULL in the race. */
struct decision decide_proven(const struct job_proven *proven, const struct decide_unit *unit,
                              size_t variants);

/* After the loss of a race: did the worker announce this candidate, or its variant? */
bool decide_is_announced(const struct job_at *at, uint64_t candidate, uint64_t variant);

/* Could a worker have sent this? On the emulator a kernel runs in the worker's own memory. */
bool decide_is_trial(const struct job_trial *trial, size_t candidates);
bool decide_is_race(const struct job_raced *raced, size_t candidates);

#endif
