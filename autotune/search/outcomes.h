/* outcomes: keeps what has become of a run's candidates: judges them, records each trial in the
 * journal, and learns from variants that were tried whole which others to leave out. */
#ifndef AUTOTUNE_OUTCOMES_H
#define AUTOTUNE_OUTCOMES_H

#include "autotune/search/trials.h"

enum { OUTCOMES_REFERENCES = 512 };

struct outcomes {
    const struct tune_job *job;
    const struct tune_options *options;
    struct tune_result *result;
    const struct strategy_order *order;
    const double *prior; /* by candidate */
    uint64_t best_ps;    /* 0 = none yet */
    uint64_t done;       /* candidates, for the progress */
    /* more, private */
    uint64_t *hashes;         /* of the sources, by variant; 0 = not compiled yet */
    struct trials_index seen; /* candidates by machine code and launches */
    struct strategy_rule rule;
    double limit_error;                       /* of the last limit: strategy_limit's `error` */
    uint64_t references[OUTCOMES_REFERENCES]; /* the last ones of all workers, for the noise */
    size_t reference_count;                   /* of all so far */
};

/* The first five are set already. Takes in what the journal told. Dispose of after a failure
 * too. */
int outcomes_open(struct outcomes *outcomes, struct error *error);
void outcomes_dispose(struct outcomes *outcomes);

/* Judges a candidate without a time, and records the trial. */
void outcomes_judge(struct outcomes *outcomes, size_t candidate, enum trial_status status,
                    const char *reason);
/* Judges the candidates of a variant that are not judged yet; with `withdraws` those that were
 * measured too: their times do not count any more. True when there was any. */
bool outcomes_judge_variant(struct outcomes *outcomes, size_t variant, enum trial_status status,
                            const char *reason, bool withdraws);

/* A variant is compiled; a candidate is tried. */
void outcomes_compiled(struct outcomes *outcomes, size_t variant, uint64_t sources_hash);
void outcomes_take(struct outcomes *outcomes, size_t candidate, const struct trial *trial);

/* The candidates sent of a variant that is right are tried: learns from it, and leaves out
 * those that were not tried, unless the time was over. */
void outcomes_finish(struct outcomes *outcomes, size_t variant, bool is_cut);

/* Is anything of the variant left to be tried? In a resumed run this leaves out a variant whose
 * first candidate was measured before and cannot win. */
bool outcomes_is_open(struct outcomes *outcomes, size_t variant);
/* How many times the best time a variant's first candidate may take; 0 = all candidates are
 * tried. */
double outcomes_limit(struct outcomes *outcomes, size_t variant);
/* 1 when the candidate is still to be tried, 0 when it is judged, or as equal to another: the
 * same code and launches. */
int outcomes_is_needed(struct outcomes *outcomes, size_t candidate, uint64_t code_hash,
                       struct error *error);

/* Another time of the reference; the spread of these times. */
void outcomes_reference(struct outcomes *outcomes, uint64_t ps);
double outcomes_noise(const struct outcomes *outcomes);

/* When all is tried: judges equal candidates like those they are equal to, and records them. */
void outcomes_settle(struct outcomes *outcomes);

#endif
