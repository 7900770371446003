/* sweep: chooses the sizes that a sweep tunes, and finds the fewest intervals of n in each of
 * which one config loses little at every size. Arithmetic alone: what a config loses is
 * measured elsewhere. The method: docs/measuring.md. */
#ifndef AUTOTUNE_SWEEP_H
#define AUTOTUNE_SWEEP_H

#include <stdbool.h>
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
 * rounded down; below `high`. low < high. An even size beside an odd one has no other n: what wins there
 * may do so because each thread's loads are full. */
uint64_t sweep_border(uint64_t low, uint64_t high);

/* The time at n on the line through two measured ones, of low < high; low may be 0 with 0 ps. */
double sweep_line(uint64_t n, uint64_t low, double low_ps, uint64_t high, double high_ps);

/* An odd number about half way between two, as a factor; 0 where high is at most `apart` times low, or
 * none lies between. */
uint64_t sweep_half_way(uint64_t low, uint64_t high, double apart);

/* What a config loses at a size, as a part of the time of the size's own winner. */
struct sweep_loss {
    size_t config;
    double loss;
};

struct sweep_size {
    const struct sweep_loss *at; /* of what was raced there, ascending by config */
    size_t count;                /* at least one */
    double limit;                /* what a config may lose there */
    bool is_apart; /* measured otherwise than the size before: no config serves both */
};

/* Sizes first..last are served by one config, which loses `loss` at most. */
struct sweep_interval {
    size_t first, last, config;
    double loss;
};

/* The fewest intervals that cover the sizes in order such that no config loses more than a size
 * allows; of several configs that serve an interval the one that loses least, the first of
 * equals. A size where all lose more is an interval by itself. Each interval is as long as it
 * can be, from the left: that is the fewest, because a part of an interval that holds holds
 * too. `room` is for the most that were raced at a size, `out` for all sizes. Returns how many. */
size_t sweep_intervals(struct sweep_interval *out, const struct sweep_size *sizes, size_t count,
                       struct sweep_loss *room);

/* The configs that would still serve the last of these intervals, and what each loses in it at
 * most, into `room`: those that lose least first. Returns how many. */
size_t sweep_survivors(struct sweep_loss *room, const struct sweep_size *sizes, size_t count);

#endif
