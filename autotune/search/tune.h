/* tune: runs the whole search for one problem on one kind of device: compile, prove, measure,
 * race. It never opens the device: worker processes do, and a kernel that crashes or hangs
 * costs its variant, not the run. No output; the only file is the journal it is given. */
#ifndef AUTOTUNE_TUNE_H
#define AUTOTUNE_TUNE_H

#include "autotune/search/final_race.h"
#include "autotune/search/job.h"
#include "autotune/search/strategy.h"
#include "cache/journal.h"
#include "generator/emit.h"

extern const char *const tune_statuses[TRIAL_STATUSES]; /* "measured", "wrong", ... */

/* What happened to one candidate. */
struct trial {
    enum trial_status status;
    bool is_judged;     /* false before its turn */
    bool is_recalled;   /* from the journal, not of this run */
    unsigned registers; /* per thread, of its first pass; 0 = unknown */
    int reason;         /* index of tune_result.reasons, -1 = none */
    uint32_t equal_to;  /* of TRIAL_EQUAL: the candidate that was measured instead */
    uint64_t time_ps;   /* per call: the median of its measurements in the search; 0 = none */
    uint64_t score;     /* time_ps, as if the reference had not drifted since the first time */
};

enum {
    TUNE_FINALISTS = FINAL_RACE_PROVEN + 1,
    TUNE_REASONS_MAX = 64,
    TUNE_CONFIGS_MAX =
        16, /* configs that can be asked for, and are raced where they are right */
};

/* An entrant of the race, whose figures are those of a struct finalist. */
struct tune_place {
    const int64_t *config;
    uint64_t median_ps, low_ps, high_ps;
    double ratio;
    unsigned registers;
};

struct finalist {
    const int64_t *config;
    uint64_t median_ps, low_ps, high_ps; /* of all its rounds, with its 95 % interval */
    double ratio;                        /* time over the fastest's, paired by round */
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
    struct trial *trials;                      /* by candidate */
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
    char reasons[TUNE_REASONS_MAX][JOB_REASON]; /* of wrong and failed candidates */
    size_t reason_count;
    size_t inputs, calls;  /* distinct inputs; calls in a measurement of the race */
    uint64_t past_32_bits; /* elements of the proof past 2^31; 0 = no room, or not needed */
    double left_out_error; /* the chance that a variant left out would have won; 0 = none was */
    double noise;          /* the relative spread of the reference's times in the search */
    bool is_cut;           /* the budget ended the search before all was tried */
    bool is_spent;         /* and before a candidate was measured, for which tune_run failed */
    struct error journal_warning; /* the journal could not be written */
    double seconds, seconds_open, seconds_search, seconds_final;
};

/* Told about progress between candidates; may be NULL. */
struct tune_progress {
    void (*show)(void *context, uint64_t done, uint64_t total, uint64_t best_ps);
    void *context;
};

/* What is tuned, where. */
struct tune_job {
    const struct point_context *context;
    const struct emit_sources *sources;
    struct emit_file space; /* the space file that `context` was loaded from */
    const struct device_info *info;
    const char *const *specs; /* devices like `info`, one measuring worker each: "0", "host" */
    size_t spec_count;
    const char *nvrtc;  /* path, or NULL to look for one */
    unsigned compilers; /* worker processes that compile */
};

struct tune_options {
    enum strategy strategy;
    const int64_t
        *configs;        /* tried first and raced, whatever rules, strategy and times say ... */
    size_t config_count; /* ... so many, one after the other; TUNE_CONFIGS_MAX at most */
    bool is_only_configs;       /* nothing else is tried */
    bool is_proof;              /* times are not asked for: none is too noisy */
    const int64_t *seed_config; /* what won a similar problem, tried first; or NULL */
    uint64_t seed;
    double budget_s; /* the search ends after about this long with what it has; 0 = none */
    double race_s;   /* 0 = the usual */
    struct journal *journal;   /* trials in it are not repeated, new ones appended; or NULL */
    bool is_retune;            /* for the advice after an interruption */
    bool (*is_stopping)(void); /* asked between messages; true: ERROR_INTERRUPTED */
    struct tune_progress progress;
};

/* -1 only when nothing can be tuned: no candidate is right (ERROR_WRONG), no room, too noisy to
 * decide (ERROR_NOISY), interrupted, the budget spent. `out` is then disposed of. */
int tune_run(struct tune_result *out, const struct tune_job *job,
             const struct tune_options *options, struct error *error);
void tune_dispose(struct tune_result *result);

const int64_t *tune_config(const struct tune_result *result, size_t candidate);

#endif
