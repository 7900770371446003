/* deadline: multiples of what the default took, on top of a few seconds. */
#include "autotune/search/deadline.h"

/* Seconds; the latter two on top of a multiple of the default's time. */
static const double PROVE_LIMIT = 5, PROVE_TIMES = 50;
static const double MEASURE_LIMIT = 3, MEASURE_TIMES = 1000;
/* Of many results each may be judged by the host, which takes as long for a kernel as for another. */
static const double PROVE_N_TIMES = 4;
static const double RACE_LIMIT = 30, RACE_TIMES = 4;
/* Who has little time for the whole search has no more of it for a kernel that does not end; and what
 * takes so many times as long is not what is looked for. */
static const double LIMIT_LEAST = 1, PROVE_TIMES_SHORT = 20, MEASURE_TIMES_SHORT = 200;
/* For the default's proofs: far more than any take, and at n more again for each element of the
 * problem. On the emulator an endless kernel is ended by its own processor time (kernel_limit.h), long
 * before. */
static const double DEFAULT_LIMIT = 20, DEFAULT_LEAST = 4, BUDGETS = 5, ELEMENT_LIMIT = 1e-8;
static const double DEFAULT_LIMIT_HOST = 180, ELEMENT_LIMIT_HOST = 1e-6;

/* `most`; of a budget, where there is one, no more than `budgets`, but `least`. The emulator's time is
 * other programs' too. */
static double within_budget(const struct pace *pace, double least, double budgets, double most)
{
    const double asked = pace->is_host ? 0 : budgets * pace->budget_s;
    return asked <= 0 || asked > most ? most : asked < least ? least : asked;
}

static double default_limit(const struct pace *pace, enum job_phase phase)
{
    const double n = (double)pace->n;
    if (pace->is_host)
        return DEFAULT_LIMIT_HOST + n * ELEMENT_LIMIT_HOST;
    return within_budget(pace, DEFAULT_LEAST, BUDGETS, DEFAULT_LIMIT) +
           (phase == PHASE_PROVE ? 0 : n * ELEMENT_LIMIT);
}

double deadline_without_result_s(double budget_s)
{
    return BUDGETS * budget_s < DEFAULT_LEAST ? DEFAULT_LEAST : BUDGETS * budget_s;
}

/* A kernel may be slow, not endless: it has many times as long as the default took. The
 * default's own deadlines: there is nothing yet to compare it with. */
double deadline_s(const struct pace *pace, enum job_phase phase)
{
    const double call = (double)pace->ready.reference_ps * 1e-12 * (double)pace->ready.calls;
    const double prove = within_budget(pace, LIMIT_LEAST, 1, PROVE_LIMIT);
    const bool is_short = prove < PROVE_LIMIT;
    const double measure = (is_short ? MEASURE_TIMES_SHORT : MEASURE_TIMES) * call;
    if (pace->is_opening && phase == PHASE_LOAD)
        return DEADLINE_OPEN_S;
    if (pace->is_opening)
        return default_limit(pace, phase);
    switch (phase) {
    case PHASE_PROVE:
        return prove + measure +
               (is_short ? PROVE_TIMES_SHORT : PROVE_TIMES) * pace->ready.prove_s;
    case PHASE_MEASURE:
        return within_budget(pace, LIMIT_LEAST, 1, MEASURE_LIMIT) + measure +
               PROVE_N_TIMES * pace->ready.prove_n_s;
    case PHASE_RACE:
        return within_budget(pace, DEFAULT_LEAST, BUDGETS, RACE_LIMIT) + measure +
               RACE_TIMES * pace->race_s;
    default: return DEADLINE_LOAD_S;
    }
}
