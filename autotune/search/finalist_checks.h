/* finalist_checks: proves finalists with inputs that take too long for every candidate: special
 * values, random floats that round, and n past 2^31. Used by final_race only. */
#ifndef AUTOTUNE_FINALIST_CHECKS_H
#define AUTOTUNE_FINALIST_CHECKS_H

#include "autotune/search/measurer.h"

/* Random floats on the device, and their exact sums; without an input (0) the check is
 * skipped. */
struct finalist_checks_rounding {
    struct problem problem;
    uint64_t input, further[PROBLEM_FURTHER_MAX]; /* addresses */
    struct oracle_reference
        *references;             /* of each result; of an operation with a map or a finish of */
    unsigned char *expects;      /* its own these, */
    struct oracle_doubt *doubts; /* and these */
};

struct finalist_checks {
    struct measurer *measurer;
    struct finalist_checks_rounding rounding;
    struct input
        past;      /* 2^31 elements and more, made where one needs them; n = 0 where there is no
                        * room, or no need */
    bool has_past; /* one was proven with them, or there is no room */
    uint64_t
        past_n; /* elements of the proof past 2^31, of this race or of one before; 0 = none */
};

/* Close after a failure too. */
int finalist_checks_open(struct finalist_checks *out, struct measurer *measurer,
                         struct error *error);
void finalist_checks_close(struct finalist_checks *checks);

struct finalist_checks_candidate {
    struct measurer_code code;
    const struct device_kernel *const *kernels; /* by pass */
};

/* Runs all checks but those that this code has passed in this process and that do not depend on n, up to
 * the first that fails; the error of floats goes to the report. -1 only when the device fails. */
int finalist_checks_prove(struct finalist_checks *checks,
                          const struct finalist_checks_candidate *candidate,
                          struct job_entrant *report, struct check_outcome *out,
                          struct error *error);

#endif
