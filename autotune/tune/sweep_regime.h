/* sweep_regime: holds the sizes of a sweep in one cache regime, with the results of their races, and the
 * intervals that follow from these. */
#ifndef AUTOTUNE_SWEEP_REGIME_H
#define AUTOTUNE_SWEEP_REGIME_H

#include "autotune/cli/setup.h"
#include "autotune/search/tune.h"

struct sweep_regime {
    enum regime regime;
    struct dims sizes[SWEEP_SIZES_MAX];
    bool is_done[SWEEP_SIZES_MAX];
    size_t count;
    struct records swept; /* of the finished sizes, by n, with the configs raced there */
};

/* Without sizes. */
void sweep_regime_open(struct sweep_regime *out, enum regime regime);

/* The sizes of low..high; with `is_within_l2` only those whose data fits the L2 cache. */
void sweep_regime_init(struct sweep_regime *out, const struct setup *setup, enum regime regime,
                       uint64_t low, uint64_t high, bool is_within_l2);
void sweep_regime_dispose(struct sweep_regime *regime);

/* The size nearest to n elements. */
size_t sweep_regime_nearest(const struct sweep_regime *regime, uint64_t n);

/* The record of a finished size, or NULL. */
const struct record *sweep_regime_record(const struct sweep_regime *regime, size_t size);

/* The record of the sweep's interval that has n; NULL without sizes around it. */
const struct record *sweep_regime_serving(const struct sweep_regime *regime, uint64_t n);

/* Takes a size, one of regime->swept, away again, unless the intervals would be others. */
int sweep_regime_drop(struct sweep_regime *regime, size_t at, struct error *error);

/* After all sizes: appends their records, each with the raced configs that were raced at other
 * sizes too or won one. No interval uses any other config, so those are dropped. */
int sweep_regime_collect(struct records *out, struct sweep_regime *regime, struct error *error);

/* The number of finished smaller sizes. */
size_t sweep_regime_below(const struct sweep_regime *regime, uint64_t n);

/* The configs that serve the interval that ends before n (interval_survivors). */
size_t sweep_regime_survivors(uint64_t *numbers, size_t most, const struct sweep_regime *regime,
                              uint64_t n);

/* Takes all entrants of the race that made the record, and replaces what was known of its size.
 * ERROR_NOISY when the winner has no time. */
int sweep_regime_take(struct sweep_regime *regime, const struct setup *setup,
                      const struct record *record, const struct tune_result *result,
                      struct error *error);

#endif
