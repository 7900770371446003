/* finalist_checks: proofs that take too long for every candidate: special values, the rounding of
 * random floats, n past 2^31. Part of finals. */
#ifndef AUTOTUNE_FINALIST_CHECKS_H
#define AUTOTUNE_FINALIST_CHECKS_H

#include "autotune/search/measurer.h"

/* Random floats on the device, and their exact sums; without an input nothing is proven by
 * them. */
struct further_rounding {
    struct problem problem;
    uint64_t input;
    struct oracle_reference *references; /* of each result */
};

struct further {
    struct measure *measure;
    struct further_rounding rounding;
    struct input past; /* 2^31 elements and more; n = 0 where there is no room, or no need */
};

/* Close after a failure too. */
int further_open(struct further *out, struct measure *measure, struct error *error);
void further_close(struct further *further);

struct further_candidate {
    const int64_t *row;
    const struct device_kernel *const *kernels; /* by pass */
};

/* All of them, up to the first that fails; the error of floats goes to the report. -1 only when
 * the device fails. */
int further_prove(const struct further *further, const struct further_candidate *candidate,
                  struct job_entrant *report, struct check_verdict *out, struct error *error);

#endif
