/* tune_result: holds what a search found: the trial of each candidate, the finalists of the
 * race, and the winner. */
#ifndef AUTOTUNE_TUNE_RESULT_H
#define AUTOTUNE_TUNE_RESULT_H

#include "autotune/search/job.h"
#include "generator/point.h"

/* What is kept of the trial of every candidate: there may be many. */
struct tune_trial {
    enum trial_status status;
    bool is_judged;     /* false before its turn */
    bool is_recalled;   /* from the journal, not of this run */
    unsigned registers; /* per thread, of its first pass; 0 = unknown */
    unsigned times;     /* measurements behind time_ps */
    int reason;         /* index of tune_result.reasons, -1 = none */
    uint32_t equal_to;  /* of TRIAL_EQUAL: the candidate that was measured instead */
    uint64_t time_ps;   /* per call: the median of its measurements in the search; 0 = none */
    uint64_t score;     /* time_ps, as if the reference had not drifted since the first time */
};

enum {
    TUNE_FINALISTS = JOB_CHECKED + 1,
    TUNE_REASONS_MAX = 64,
    TUNE_CONFIGS_MAX =
        16, /* configs that can be asked for, and are raced where they are right */
};

/* An entrant of the race, whose figures are those of a struct finalist; of a comparison the ratio is that to
 * the first config. */
struct tune_place {
    const int64_t *config;
    uint64_t median_ps, low_ps, high_ps;
    double ratio, ratio_low, ratio_high; /* time over the fastest's, with its 95 % interval */
    double choice;                       /* the ratio in the rounds that chose the fastest */
    size_t rounds;                       /* behind these figures */
    unsigned registers;
    bool is_old_code; /* tune_options.old */
};

struct finalist {
    const int64_t *config;
    uint64_t median_ps, low_ps, high_ps; /* of its fresh rounds, with its 95 % interval */
    double ratio;                        /* time over the fastest's, paired by round */
    double choice;                       /* the same in the rounds that chose the fastest */
    size_t rounds;
    bool is_tie;     /* not told apart from the fastest */
    bool is_proven;  /* passed the finalist checks too: may win */
    bool is_default; /* the space's default */
    unsigned registers;
    uint64_t height;     /* depth of the summation tree */
    double error, bound; /* relative to sum|x|, on random floats; < 0 = none */
};

struct tune_result {
    struct points points;
    struct tune_trial *trials;                 /* by candidate */
    struct finalist finalists[TUNE_FINALISTS]; /* fastest first; with the default */
    size_t finalist_count;
    struct tune_place *places; /* all entrants, and configs asked for that are equal to one */
    size_t place_count;
    size_t winner;   /* index among finalists: the simplest of those tied with the fastest */
    size_t ties;     /* other finalists tied with the fastest */
    size_t entrants; /* that the race began with */
    size_t rounds, repeated; /* of the race; thrown away, for the device had drifted */
    size_t counts[TRIAL_STATUSES];
    size_t recalled;             /* candidates whose trial came from the journal */
    size_t restarts;             /* workers replaced */
    uint64_t reference_ps;       /* the reference's first time, which scores are scaled to */
    uint64_t proofs;             /* small runs compared */
    struct nvml_reading reading; /* of the GPU as the race ended; zeros where it does not say */
    char reasons[TUNE_REASONS_MAX][TRIAL_REASON]; /* of wrong and failed candidates */
    size_t reason_count;
    char old_reason[TRIAL_REASON]; /* why it dropped out; "" = it did not */
    char noise_why[200];  /* of a comparison that was too noisy to choose by; "" = it was not */
    size_t inputs, calls; /* distinct inputs; calls in a measurement of the race */
    uint64_t past_32_bits; /* elements of the proof past 2^31; 0 = no room, or not needed */
    double left_out_error; /* the chance that a variant left out would have won; 0 = none was */
    double noise;          /* the relative spread of the reference's times in the search */
    bool is_cut;           /* the budget ended the search before all was tried */
    struct error lacking;  /* why the compiler left variants untried; ERROR_NONE: it did not */
    struct error journal_warning; /* the journal could not be written */
    double seconds, seconds_open, seconds_search, seconds_final;
};
void tune_result_dispose(struct tune_result *result);

const int64_t *tune_result_config(const struct tune_result *result, size_t candidate);

/* The place of a config in the race, as it is compiled now, or NULL; and that of the old code. */
const struct tune_place *tune_result_place(const struct tune_result *result,
                                           const int64_t *config);
const struct tune_place *tune_result_old(const struct tune_result *result);

/* The variant that a candidate belongs to. */
size_t tune_result_variant(const struct points *points, size_t candidate);

#endif
