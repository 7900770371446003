/* sweep_leg: the sizes of a sweep in one cache regime: what came of each, and the intervals
 * that follow from it. */
#ifndef AUTOTUNE_SWEEP_LEG_H
#define AUTOTUNE_SWEEP_LEG_H

#include "autotune/command/setup.h"
#include "autotune/tune/sweep_table.h"

struct sweep_leg {
    enum regime regime;
    uint64_t sizes[SWEEP_SIZES_MAX];
    size_t count;
    struct record records[SWEEP_SIZES_MAX]; /* winners, of sizes that are done */
    bool is_done[SWEEP_SIZES_MAX];
    struct sweep_table table;
};

/* Without sizes. */
void sweep_leg_open(struct sweep_leg *out, const struct setup *setup, enum regime regime);

/* The sizes of low..high; with `is_within_l2` those alone whose data fits the L2 cache. */
void sweep_leg_init(struct sweep_leg *out, const struct setup *setup, enum regime regime,
                    uint64_t low, uint64_t high, bool is_within_l2);
void sweep_leg_dispose(struct sweep_leg *leg);

/* Leaves out a size that has no winner: its neighbours' intervals go across it. */
void sweep_leg_drop(struct sweep_leg *leg, size_t size);

/* Once all sizes are done: the record of each, with what its interval's row and `single` take
 * there, and of each interval: 2 * count at most, behind those in `out`, which has room. */
void sweep_leg_records(struct records *out, const struct sweep_leg *leg,
                       const struct setup *setup, const int64_t *single, uint64_t single_n,
                       double limit);

#endif
