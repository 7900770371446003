/* sweep_race: holds a sweep under way, and tunes one size of it, races it again, or races there what is
 * at hand. */
#ifndef AUTOTUNE_SWEEP_RACE_H
#define AUTOTUNE_SWEEP_RACE_H

#include "autotune/cli/device_set.h"
#include "autotune/tune/sweep_regime.h"
#include "autotune/tune/tune_task.h"

struct sweep {
    const struct request *request;
    struct device_set device_set;
    struct setup setup;
    struct worker_pool *workers; /* that stay from size to size */
    struct unit_cache *units;    /* what they compiled */
    struct collection records;   /* at hand */
    struct tune_candidates candidates;
    struct sweep_regime regimes[REGIME_COUNT];
    size_t regime_count;
    int64_t single[SPACE_NAMES_MAX]; /* the config that all sizes are compared with; in a grid
                                      * the winner at the length before */
    char swept[32];                  /* when it began, as in records */
    bool has_single;
    size_t done, total; /* sizes */
    size_t noisy;       /* of these left out, for nothing could be told apart */
    uint64_t start_ns;  /* of the first */
    struct tune_save_told told;
    bool has_lost;        /* records that could not be kept */
    struct request quiet; /* of the task under way, */
    struct tune_task task;
};

/* --- A size ------------------------------------------------------------------------------- */

/* Loads the records of the setup's GPU. Warns of a damaged file; without a file there are none. */
int sweep_race_load(struct sweep *sweep, struct error *error);

/* The record of the setup's problem and n, if it is exact and its tuning came to an end; or if a sweep
 * raced what was at hand there (`is_raced` may be NULL). */
int sweep_race_find(struct record *out, bool *is_known, bool *is_raced, struct sweep *sweep,
                    struct error *error);

/* Tunes a size, or races it again where it is known, and writes the winner's record at once, so
 * that an interruption costs one size. The race has the single config and the configs that
 * serve the interval so far. A size at which nothing can be told apart is warned of and not done. */
int sweep_race_tune(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                    struct error *error);

/* The same without a search, where what is at hand takes no longer than 1 % above the line through two
 * done sizes, `low` and `high`; where they are one, the line through 0. */
int sweep_race_tune_between(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                            size_t low, size_t high, struct error *error);

/* A race of what is at hand at a size. */
struct sweep_raced {
    /* Its user sets these. */
    double most_ps; /* the size is not added where the winner takes longer; 0 = it always is */
    const char *place; /* printed before the size; NULL: nothing is */
    bool
        leaves_untuned; /* no race where what serves the size is what would without this sweep */
    const int64_t *served;            /* the config that serves; NULL: as the regime says */
    const struct record *const *near; /* others whose configs race; may be NULL with none */
    size_t near_count;

    bool is_added;
    bool is_noisy;       /* nothing could be told apart, so there is nothing else */
    uint64_t served_ps;  /* of the config whose interval has the size; 0 = there is none */
    uint64_t untuned_ps; /* of what would serve without this sweep; 0 = it is that */
};

/* Races what is at hand for these dims, and searches for nothing else: the configs that serve and won at
 * the sizes around, the single one, what ships and the default. They become a size of the regime. */
int sweep_race_at_hand(struct sweep_raced *raced, struct sweep *sweep,
                       struct sweep_regime *regime, const struct dims *dims,
                       struct error *error);

/* Races the winner of a recorded size, one of `records`, against its interval's variant; the
 * record gets the times. */
int sweep_race_confirm(struct sweep *sweep, const struct records *records,
                       struct record *record, struct error *error);

/* Appends how long --budget lets the sweep search at each size. */
void sweep_race_add_budget(struct text *out, const struct sweep *sweep);

/* Writes one record that only says who won. -1 only for memory: what cannot be written is warned of. */
int sweep_race_keep_winner(struct sweep *sweep, const struct record *record,
                           struct error *error);

/* Writes records, all or none, and returns whether it did. All failures together cost one
 * warning, which was given already where it was seen to come. */
bool sweep_race_keep(struct sweep *sweep, const struct records *records);

#endif
