/* strategy: chooses the points to try, orders them, and decides which variants to leave out. It
 * uses points and times only, so that a live search and a replay of recorded trials share it.
 * The rule and its error probability: docs/measuring.md. */
#ifndef AUTOTUNE_STRATEGY_H
#define AUTOTUNE_STRATEGY_H

#include "generator/point.h"

enum strategy {
    STRATEGY_RACE,       /* every variant, the likely ones first; no other candidate of a
                          * variant whose first shows that it cannot win */
    STRATEGY_EXHAUSTIVE, /* every candidate */
    STRATEGY_RANDOM,     /* every candidate, in random order whatever is known: a baseline */
    STRATEGY_COVER,      /* a small sample that has each pair of values that rules allow */
    STRATEGY_COUNT
};
extern const char *const strategy_names[STRATEGY_COUNT]; /* "race", "exhaustive", ... */

int strategy_find(enum strategy *out, const char *name, struct error *error);

/* Does the space itself say that every candidate is measured? Then it was made to show what each
 * param does. */
bool strategy_space_is_whole(const struct space *space);

/* The points to try; point_dispose frees them. rejected and total are the whole space's. */
int strategy_points(struct points *out, const struct point_context *context,
                    enum strategy strategy, unsigned seed, struct error *error);

/* The order of variants, and of the candidates within each. */
struct strategy_order {
    size_t *variants;   /* variant_count indices */
    size_t *candidates; /* count indices: those of variant v at points.variants[v].first on */
    bool *is_whole;     /* by variant: all its candidates are tried, and teach the rule */
};

/* `prior` by candidate: the higher, the likelier it is fast (speed_estimate.h); NULL = nothing is known.
 * `seeds`: indices of candidates that won similar problems, tried first and in this order.
 *
 * Race: the variants of the seeds, then in turn the likeliest variant left (by its likeliest
 * candidate) and one drawn at random from those left; within a variant by prior, the seeds
 * first; equals in random order. Only variants drawn at random are marked is_whole, and of
 * these the first: a tenth of all variants, 19 at least and 99 at most; none with one candidate
 * alone, which can neither teach nor be left out. Others: variants shuffled and the candidates
 * of each shuffled, so that drift does not follow the space, whatever is known; all are whole.
 * Only variants, variant_count and count of `points` are read: its configs may be missing. */
int strategy_order(struct strategy_order *out, const struct points *points,
                   enum strategy strategy, const double *prior, const size_t *seeds,
                   size_t seed_count, uint64_t seed, struct error *error);
void strategy_dispose(struct strategy_order *order);

/* What the variants tried whole taught: how many times faster than its first candidate a
 * variant's best is. With m of them, drawn at random, another variant gains more than all with
 * probability 1 / (m + 1) at most; only then can it beat the best so far though its first
 * candidate took more than the largest gain times the best. So this is the chance that a
 * variant left out would have beaten the best, as far as its gain is one among the others': the
 * seeds and the likeliest teach nothing, for they were not drawn at random. */
enum { STRATEGY_LESSONS_MAX = 512, STRATEGY_LESSONS_MIN = 19 };
struct strategy_rule {
    double gains[STRATEGY_LESSONS_MAX]; /* first time / best time, >= 1 */
    size_t count;
};
/* Of a variant marked is_whole, once all its candidates were tried: the time of the first in
 * its order that has one, and the least of all. A zero teaches nothing (none was measured). */
void strategy_learn(struct strategy_rule *rule, uint64_t first_ps, uint64_t best_ps);

/* A variant whose first candidate takes more than this many times the best time so far is left
 * out; 0 = too little is known, none is left out. It is the largest gain g, times g over the
 * third largest, for the best is no variant drawn at random. `noise`: the relative difference
 * that two measurements of the same may show; it widens the limit, so that a candidate which
 * could tie with the best is kept for the final race too. `error` (may be NULL) gets the
 * probability stated above, of the lessons so far; for a whole run it is that of the first
 * limit by which a variant was left out. */
double strategy_limit(const struct strategy_rule *rule, double noise, double *error);

#endif
