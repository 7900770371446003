/* race: measures several entrants again and again, interleaved; drops those that cannot win,
 * until the others are told apart, or cannot be; then measures those that stayed anew: who is
 * chosen for a low time was lucky, too, and is rarely as fast again. Knows nothing of devices: a
 * callback measures. The rules and their error probabilities: docs/measuring.md. */
#ifndef AUTOTUNE_RACE_H
#define AUTOTUNE_RACE_H

#include "generator/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RACE_ENTRANTS_MAX = 64, RACE_ROUNDS_MAX = 2001 };

/* Takes one measurement of an entrant: picoseconds per call. */
typedef int race_measure(void *context, size_t entrant, uint64_t *out_ps, struct error *error);

struct race_options {
    double seconds;    /* the race ends after about this long, sooner when all is decided */
    size_t rounds_min; /* of measurements of every entrant still in, at least (>= 5): to choose,
                        * and as many fresh ones */
    size_t rounds_max; /* accepted ones, at most; 0 = RACE_ROUNDS_MAX; both minima are kept */
    double error;      /* the most probability that the best is dropped, over the whole race:
                         * 0.01 */
    double margin;     /* entrants closer than this factor - 1 are ties whatever the
                         * statistics: 0.005 */
    double drift_max;  /* a round whose two reference times are further apart, and further than
                         * noise explains, is repeated: 0.02 */
    double noise_max;  /* the winner's 95 % interval may be this wide to each side, relative:
                         * 0.03 */
    size_t reference;  /* the entrant measured before and after each round; never dropped */
    bool
        is_comparison; /* nobody is chosen or dropped, all rounds count, and ratios are those to
                         * `base`, with 99 % intervals */
    size_t base;       /* of a comparison: the entrant whose times the others' are divided by */
    uint64_t seed;     /* of the orders */
};

struct race_place {
    size_t entrant;
    /* Of its fresh rounds (of a dropped one: of all that it took part in), with the 95 %
     * interval. */
    uint64_t median_ps, low_ps, high_ps;
    /* Time over the fastest's, of a comparison over the base's, paired by round, in the same rounds,
     * with the 95 % interval (of a comparison 99 %). */
    double ratio, ratio_low, ratio_high;
    /* The ratio in the rounds that chose the fastest: it decides places and ties. */
    double choice;
    size_t rounds;   /* accepted ones that it took part in */
    bool is_dropped; /* left before the end */
    bool is_tie;     /* not told apart from the fastest (itself one too) */
};

struct race_result {
    struct race_place places[RACE_ENTRANTS_MAX]; /* by choice; dropped ones behind, by median */
    size_t count;
    size_t rounds, repeated; /* accepted rounds; rounds thrown away for drift */
    size_t fresh;            /* of the accepted ones, those behind the choice */
    size_t ties;             /* others tied with the fastest */
    bool is_noisy;           /* too noisy to decide: `why` tells the noise seen */
    char why[200];
    double drift; /* the median relative difference of a round's reference times */
};

/* Runs a race of 2 <= count <= RACE_ENTRANTS_MAX, or of 1, which is not chosen: all its rounds
 * are fresh.
 * -1 only when measuring fails or memory runs out. CLOCK_MONOTONIC is used only for `seconds`:
 * with the same measurements, and rounds_max reached first, the result is the same. When every
 * round drifted, `rounds` and all times are 0 and the result is noisy. */
int race_run(struct race_result *out, size_t count, race_measure *measure, void *context,
             const struct race_options *options, struct error *error);

#endif
