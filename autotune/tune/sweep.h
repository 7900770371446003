/* sweep: which sizes a sweep tunes, and the fewest intervals of n of which each has one row
 * that loses little at every size in it. Arithmetic alone: what a row loses is measured
 * elsewhere. The method: docs/measuring.md. */
#ifndef AUTOTUNE_SWEEP_H
#define AUTOTUNE_SWEEP_H

#include <stddef.h>
#include <stdint.h>

enum { SWEEP_SIZES_MAX = 72 }; /* more fit between 1 and 2^64 in no step */

/* Sizes from `low` to `high`, both included, about a factor of two apart, ascending: 1, 2 and 4
 * times powers of ten, or the powers of two where `low` is one (but 1). 1 <= low <= high.
 * Returns how many. */
size_t sweep_sizes(uint64_t out[SWEEP_SIZES_MAX], uint64_t low, uint64_t high);

/* Which of the sizes is nearest to n, as a factor; the smaller of two. count >= 1. */
size_t sweep_nearest(const uint64_t *sizes, size_t count, uint64_t n);

/* The last n that belongs to `low` of two sizes next to each other: their geometric mean,
 * rounded down; below `high`. low < high. */
uint64_t sweep_border(uint64_t low, uint64_t high);

/* What rows lose: at[row * stride + size], as a part of the time of the size's own winner;
 * INFINITY where that is not known. */
struct sweep_losses {
    const double *at;
    size_t rows, stride; /* stride >= the sizes asked about */
};

/* Sizes first..last are served by one row, which loses `loss` at most. */
struct sweep_interval {
    size_t first, last, row;
    double loss;
};

/* The fewest intervals that cover sizes 0..sizes-1 in order such that no row loses more than
 * `limit`; of several rows that serve an interval the one that loses least. A size where all
 * lose more is an interval by itself. Each interval is as long as it can be, from the left:
 * that is the fewest, because a part of an interval that holds holds too. Returns how many. */
size_t sweep_intervals(struct sweep_interval out[SWEEP_SIZES_MAX], struct sweep_losses losses,
                       size_t sizes, double limit);

/* The rows that would still serve the last of the intervals of sizes 0..sizes-1: those that
 * lose least first, `most` at most. Returns how many. */
size_t sweep_survivors(size_t *out, size_t most, struct sweep_losses losses, size_t sizes,
                       double limit);

#endif
