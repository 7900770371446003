/* deadline: says how many seconds a worker has for each step, before its kernel counts as one
 * that never ends. */
#ifndef AUTOTUNE_DEADLINE_H
#define AUTOTUNE_DEADLINE_H

#include "autotune/search/job.h"

enum {
    DEADLINE_OPEN_S = 180,    /* to get ready, without the default's proofs ... */
    DEADLINE_LOAD_S = 30,     /* ... to announce the first step of a unit ... */
    DEADLINE_COMPILE_S = 120, /* ... and to compile one */
};

/* How long things take here. */
struct pace {
    bool is_host, is_opening;
    uint64_t n;
    double race_s, budget_s; /* budget_s 0: none */
    struct job_ready ready;  /* the default's times, unless the worker is opening */
};
/* Seconds after which a worker that announced this step is given up. */
double deadline_s(const struct pace *pace, enum job_phase phase);

/* Seconds, from when the first worker was ready, after which a search with this budget ends even if no
 * candidate was measured: those that were tried did not end, or were wrong. */
double deadline_without_result_s(double budget_s);

#endif
