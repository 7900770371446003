/* effects: finds what each param of a space does: of the candidates that were measured, the best
 * with each of its values, whatever its other values are. Knows trials alone: where they are from,
 * tune_effects.h says. */
#ifndef AUTOTUNE_EFFECTS_H
#define AUTOTUNE_EFFECTS_H

#include "autotune/print/table.h"
#include "generator/space.h"

/* The times of one candidate. */
struct effects_trial {
    uint64_t ps;    /* per call, in the search: compares all */
    unsigned times; /* measurements behind what is shown: of the race, else of the search; 0 =
                     * unknown */
    unsigned registers; /* per thread; 0 = unknown */
    /* By turns in the race: its time, and that over the time of the fastest there, with the 95 %
     * interval; the same in the rounds that chose the fastest, by which all are compared: who is
     * chosen for a low time was lucky, too. Zeros: it was not raced. */
    uint64_t raced_ps;
    double ratio, ratio_low, ratio_high, choice;
};

struct effects_value {
    int64_t value;
    size_t tried; /* candidates with it that have a time */
    size_t best;  /* the trial of the fastest of them */
    /* Its time over that of the best of all: by turns where both were raced, with the 95 %
     * interval; else by the search's times, low and high are 0 then. */
    double ratio, low, high;
};

enum { EFFECTS_WHY = 480 };

struct effects_param {
    size_t param; /* of the space */
    /* In the order of the space, those that were tried: two at least. */
    struct effects_value *values;
    size_t count;
    size_t best, worst;    /* two of the values */
    double effect;         /* the worst's time over the best's, at least 1 */
    char why[EFFECTS_WHY]; /* a sentence, by effects_cause.h; "" = none yet */
};

/* Initialise with zeros and the space, which it refers to. */
struct effects {
    const struct space *space;
    struct effects_trial *trials;
    int64_t *configs; /* of the trials, one after the other */
    size_t count;
    size_t candidates; /* that there were to try; 0 = unknown */
    double noise; /* how far the search's times of one kernel spread, relative; 0 = unknown */
    size_t best;  /* the trial that is the best of all */
    struct effects_param *params; /* of several values, in the order of the space */
    size_t param_count;
};
void effects_dispose(struct effects *effects);

/* Adds a trial that has a time; copies the config. */
int effects_add(struct effects *effects, const int64_t *config,
                const struct effects_trial *trial, struct error *error);

/* Finds the params of which several values were tried, from all that was added; once. */
int effects_find(struct effects *effects, struct error *error);

const int64_t *effects_config(const struct effects *effects, size_t trial);

/* Can the worst value be told apart from the best? Where both were raced their intervals do not
 * meet; else the times differ by more than three spreads, and a hundredth. */
bool effects_is_told(const struct effects *effects, const struct effects_param *one);

/* The two of the greatest effects, by their numbers; false where there are not two. */
bool effects_greatest(const struct effects *effects, size_t two[2]);

/* Fills a table, all zeros, with a row for each value of each param. */
void effects_table(struct table *out, const struct effects *effects);

#endif
