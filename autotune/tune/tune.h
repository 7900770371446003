/* tune: the whole search for one problem on one device: compile, prove, measure, race. No
 * output and no files: what happened is in the result. */
#ifndef AUTOTUNE_TUNE_H
#define AUTOTUNE_TUNE_H

#include "autotune/device/device.h"
#include "autotune/tune/strategy.h"
#include "generator/emit.h"

enum trial_status {
    TRIAL_MEASURED,
    TRIAL_WRONG,    /* gave a wrong result: never timed, or its time does not count */
    TRIAL_FAILED,   /* does not compile, load or launch */
    TRIAL_TOO_FAST, /* faster than memory allows: a fault, not a win */
    TRIAL_STATUSES
};
extern const char *const tune_statuses[TRIAL_STATUSES]; /* "measured", "wrong", ... */

/* What happened to one candidate. */
struct trial {
    enum trial_status status;
    uint64_t best_ps;      /* per call, of the few measurements of the search; 0 = none */
    unsigned registers;    /* per thread, of its first pass */
    int reason;            /* index of tune_result.reasons, -1 = none */
    bool is_judged;        /* false before its turn */
};

enum { TUNE_FINALISTS = 10, TUNE_ROUNDS_MAX = 101, TUNE_REASONS_MAX = 64 };

struct finalist {
    size_t candidate; /* index among the points' rows */
    uint64_t median_ps, low_ps, high_ps; /* of all rounds, with its 95 % interval */
    double ratio, ratio_low, ratio_high; /* time over the fastest's, paired by round */
    bool is_tie;                         /* not told apart from the fastest */
    unsigned registers;
    uint64_t height;                     /* depth of the summation tree */
    double error, bound;                 /* relative to sum|x|, on random floats; < 0 = none */
    uint64_t times_ps[TUNE_ROUNDS_MAX];
};

struct tune_result {
    struct points points;
    struct trial *trials; /* by candidate */
    struct finalist finalists[TUNE_FINALISTS]; /* fastest first */
    size_t finalist_count, rounds;
    size_t winner;        /* index among finalists: the simplest of those tied with the fastest */
    size_t ties;          /* other finalists tied with the fastest */
    size_t counts[TRIAL_STATUSES];
    uint64_t proofs;      /* small runs compared */
    char reasons[TUNE_REASONS_MAX][240]; /* why variants were wrong or failed, the first ones */
    size_t reason_count;
    size_t inputs, calls; /* distinct inputs; calls in a measurement */
    uint64_t past_32_bits; /* elements of the extra proof past 2^31, 0 = no room or not needed */
    double seconds, seconds_input, seconds_search, seconds_final;
};

/* Told about progress between candidates; may be NULL. */
struct tune_progress {
    void (*show)(void *context, uint64_t done, uint64_t total, uint64_t best_ps);
    void *context;
};

struct tune_options {
    enum strategy strategy;
    const int64_t *only; /* this row alone, whatever the rules and the strategy say; or NULL */
    uint64_t seed;
    struct tune_progress progress;
};

/* -1 only when nothing can be tuned: no candidate is right (ERROR_WRONG), the device failed, no room.
 * `out` is then disposed of. */
int tune_run(struct tune_result *out, struct device *device, const struct point_context *context,
             const struct emit_sources *sources, const struct tune_options *options,
             struct error *error);
void tune_dispose(struct tune_result *result);

/* What became of a candidate; a later verdict replaces an earlier one. `reason` may be NULL. */
void tune_judge(struct tune_result *result, size_t candidate, enum trial_status status,
                const char *reason);

const int64_t *tune_row(const struct tune_result *result, size_t candidate);

#endif
