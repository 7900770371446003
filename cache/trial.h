/* trial: says what happened to one candidate: the same struct from the worker that tried it to
 * the journal. */
#ifndef AUTOTUNE_TRIAL_H
#define AUTOTUNE_TRIAL_H

#include <stddef.h>
#include <stdint.h>

enum trial_status {
    TRIAL_MEASURED,
    TRIAL_EQUAL, /* the same machine code and launch as another candidate, which was measured */
    TRIAL_LEFT_OUT, /* could not win, by its variant's first candidate */
    TRIAL_WRONG,    /* gave a wrong result: never timed, or its time does not count */
    TRIAL_FAILED,   /* does not compile, load or launch */
    TRIAL_CRASHED,  /* ended its process, or broke the device's context */
    TRIAL_HUNG,     /* did not end in time */
    TRIAL_TOO_FAST, /* faster than memory allows: a fault, not a win */
    TRIAL_STATUSES  /* none that is known: a journal may be another version's */
};
extern const char *const trial_statuses[TRIAL_STATUSES + 1]; /* "measured", "wrong", ... */

/* TRIAL_STATUSES for a word that is none of these. */
enum trial_status trial_find_status(const char *word);

enum { TRIAL_REASON = 240, TRIAL_SAMPLES = 8 };

struct trial {
    enum trial_status status;
    uint64_t times_ps[TRIAL_SAMPLES]; /* per call, in the order taken */
    size_t time_count;                /* at most TRIAL_SAMPLES, more are not kept */
    uint64_t reference_ps;            /* the reference kernel's time around then; 0 = none */
    unsigned registers, grid, block;  /* of the first pass; registers per thread, 0 = unknown */
    uint64_t compile_us;              /* what its variant took to compile */
    uint64_t prove_us, measure_us;    /* its variant's small proofs; its own proof and times */
    char reason[TRIAL_REASON];        /* why it is wrong or failed; any bytes */
};

/* A reason, cut to what is kept; control characters but tab and newline are '?'. */
void trial_set_reason(char out[TRIAL_REASON], const char *reason);

#endif
