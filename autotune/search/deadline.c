/* deadline: multiples of what the default took, on top of a few seconds. */
#include "autotune/search/deadline.h"

/* Seconds; the latter two on top of a multiple of the default's time. */
static const double PROVE_LIMIT = 5, PROVE_TIMES = 50;
static const double MEASURE_LIMIT = 3, MEASURE_TIMES = 1000;
static const double RACE_LIMIT = 30, RACE_TIMES = 4;
/* For the default's proofs: far more than any take, and more again for each element of the
 * problem. Who has little time for the whole search does not wait so long for an endless kernel. On the
 * emulator it is ended by its own processor time (kernel_limit.h), long before. */
static const double DEFAULT_LIMIT = 20, DEFAULT_LEAST = 6, BUDGETS = 5, ELEMENT_LIMIT = 1e-8;
static const double DEFAULT_LIMIT_HOST = 180, ELEMENT_LIMIT_HOST = 1e-6;

static double default_limit(const struct pace *pace)
{
    const double asked = BUDGETS * pace->budget_s;
    if (pace->is_host)
        return DEFAULT_LIMIT_HOST + (double)pace->n * ELEMENT_LIMIT_HOST;
    return (asked <= 0 || asked > DEFAULT_LIMIT ? DEFAULT_LIMIT
            : asked < DEFAULT_LEAST             ? DEFAULT_LEAST
                                                : asked) +
           (double)pace->n * ELEMENT_LIMIT;
}

/* A kernel may be slow, not endless: it has many times as long as the default took. The
 * default's own deadlines: there is nothing yet to compare it with. */
double deadline_s(const struct pace *pace, enum job_phase phase)
{
    const double call = (double)pace->ready.reference_ps * 1e-12 * (double)pace->ready.calls;
    if (pace->is_opening && phase == PHASE_LOAD)
        return DEADLINE_OPEN_S;
    if (pace->is_opening)
        return default_limit(pace);
    switch (phase) {
    case PHASE_PROVE:
        return PROVE_LIMIT + PROVE_TIMES * pace->ready.prove_s + MEASURE_TIMES * call;
    case PHASE_MEASURE: return MEASURE_LIMIT + MEASURE_TIMES * call;
    case PHASE_RACE: return RACE_LIMIT + RACE_TIMES * pace->race_s + MEASURE_TIMES * call;
    default: return DEADLINE_LOAD_S;
    }
}
