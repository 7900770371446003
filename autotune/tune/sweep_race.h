/* sweep_race: holds a sweep under way, with its sizes and the results of their races, and tunes one
 * size of it or races it again. */
#ifndef AUTOTUNE_SWEEP_RACE_H
#define AUTOTUNE_SWEEP_RACE_H

#include "autotune/cli/device_set.h"
#include "autotune/tune/tune_task.h"

/* Its sizes in one cache regime. */
struct sweep_regime {
    enum regime regime;
    struct dims sizes[SWEEP_SIZES_MAX];
    bool is_done[SWEEP_SIZES_MAX];
    size_t count;
    struct records swept; /* of the finished sizes, by n, with the configs raced there */
};

struct sweep {
    const struct request *request;
    struct device_set device_set;
    struct setup setup;
    struct collection records; /* at hand */
    struct sweep_regime regimes[REGIME_COUNT];
    size_t regime_count;
    int64_t single[SPACE_NAMES_MAX]; /* the config that all sizes are compared with; in a grid
                                      * the winner at the length before */
    char swept[32];                  /* when it began, as in records */
    bool has_single;
    size_t done, total; /* sizes */
    uint64_t start_ns;  /* of the first */
    struct tune_save_told told;
    bool has_lost;        /* records that could not be kept */
    struct request quiet; /* of the task under way, */
    struct tune_task task;
};

/* --- A regime ----------------------------------------------------------------------------- */

/* Without sizes. */
void sweep_race_open(struct sweep_regime *out, enum regime regime);

/* The sizes of low..high; with `is_within_l2` only those whose data fits the L2 cache. */
void sweep_race_init(struct sweep_regime *out, const struct setup *setup, enum regime regime,
                     uint64_t low, uint64_t high, bool is_within_l2);
void sweep_race_dispose(struct sweep_regime *regime);

/* The size nearest to n elements. */
size_t sweep_race_nearest(const struct sweep_regime *regime, uint64_t n);

/* The record of a finished size, or NULL. */
const struct record *sweep_race_record(const struct sweep_regime *regime, size_t size);

/* After all sizes: appends their records, each with the raced configs that were raced at other
 * sizes too or won one. No interval uses any other config, so those are dropped. */
int sweep_race_collect(struct records *out, struct sweep_regime *regime, struct error *error);

/* --- A size ------------------------------------------------------------------------------- */

/* Loads the records of the setup's GPU. Warns of a damaged file; without a file there are none. */
int sweep_race_load(struct sweep *sweep, struct error *error);

/* The record of the setup's problem and n, if it is exact and its tuning came to an end. */
int sweep_race_find(struct record *out, bool *is_known, struct sweep *sweep,
                    struct error *error);

/* Tunes a size, or races it again where it is known, and writes the winner's record at once, so
 * that an interruption costs one size. The race has the single config and the configs that
 * serve the interval so far. ERROR_NOISY when the winner has no time. */
int sweep_race_tune(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                    struct error *error);

/* Races the winner of a recorded size, one of `records`, against its interval's variant; the
 * record gets the times. */
int sweep_race_confirm(struct sweep *sweep, const struct records *records,
                       struct record *record, struct error *error);

/* Appends how long --budget lets the sweep search at each size. */
void sweep_race_add_budget(struct text *out, const struct sweep *sweep);

/* Writes records, all or none, and returns whether it did. All failures together cost one
 * warning, which was given already where it was seen to come. */
bool sweep_race_keep(struct sweep *sweep, const struct records *records);

#endif
