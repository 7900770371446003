/* sweep_size: tunes or measures again one size of a sweep. */
#ifndef AUTOTUNE_SWEEP_SIZE_H
#define AUTOTUNE_SWEEP_SIZE_H

#include "autotune/cli/device_set.h"
#include "autotune/tune/sweep_regime.h"
#include "autotune/tune/tune_save.h"

/* A sweep under way. */
struct sweep {
    const struct request *request;
    struct device_set device_set;
    struct setup setup;
    struct records kept; /* before the sweep */
    struct sweep_regime regimes[REGIME_COUNT];
    size_t regime_count;
    int64_t single[SPACE_NAMES_MAX]; /* the config that all sizes are compared with; in a grid
                                      * the winner at the length before */
    char swept[32];                  /* when it began, as in records */
    bool has_single;
    size_t done, total; /* sizes */
    uint64_t start_ns;  /* of the first */
    struct tune_save_told told;
    bool has_lost; /* records that could not be kept */
};

/* Tunes a size, or races it again where it is known, and writes the winner's record at once, so
 * that an interruption costs one size. The race has the single config and the configs that
 * serve the interval so far. */
int sweep_size_tune(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                    struct error *error);

/* Appends how long --budget lets the sweep search at each size. */
void sweep_size_add_budget(struct text *out, const struct sweep *sweep);

/* Races the winner of a recorded size, one of `records`, against its interval's variant; the
 * record gets the times. */
int sweep_size_confirm(struct sweep *sweep, struct records *records, struct record *record,
                       struct error *error);

/* Writes records, all or none, and returns whether it did. All failures together cost one
 * warning, which was given already where it was seen to come. */
bool sweep_size_keep(struct sweep *sweep, const struct records *records);

#endif
