/* sweep_size: one size of a sweep, tuned or measured again. */
#ifndef AUTOTUNE_SWEEP_SIZE_H
#define AUTOTUNE_SWEEP_SIZE_H

#include "autotune/cli/device_set.h"
#include "autotune/tune/sweep_regime.h"

/* A sweep under way. */
struct sweep {
    const struct request *request;
    struct device_set device_set;
    struct setup setup;
    struct records kept; /* before the sweep */
    struct sweep_regime regimes[REGIME_COUNT];
    size_t regime_count;
    int64_t single[SPACE_NAMES_MAX]; /* the row that all sizes are compared with; in a grid
                                      * what won at the length before */
    char swept[32];                  /* when it began, as in records */
    bool has_single, has_warned;
    size_t spent; /* sizes whose budget was over before a candidate was measured */
};

/* Tunes a size, or races it again where it is known, and keeps the winner's record at once, so
 * that an interruption costs one size. Takes part: the single config, and those that serve the
 * interval so far. A size whose budget is over before a candidate is measured is noted, counted,
 * and not done. */
int sweep_size_tune(struct sweep *sweep, struct sweep_regime *raced, size_t size,
                    struct error *error);

/* Behind what a sweep says it will do: how long --budget lets it search at each size. */
void sweep_size_note_budget(const struct sweep *sweep);

/* After all sizes: -1 when the budget of some was over. */
int sweep_size_check_spent(const struct sweep *sweep, struct error *error);

/* Races the winner of a kept size, one of `records`, against its interval's variant; the record
 * gets the times. */
int sweep_size_confirm(struct sweep *sweep, struct records *records, struct record *record,
                       struct error *error);

/* Writes records, all or none: were they? What cannot be written costs one warning in all. */
bool sweep_size_keep(struct sweep *sweep, const struct records *records);

#endif
