/* race: takes rounds of measurements around a reference, and drops entrants that cannot win by
 * sign tests; race_ranking.c has the intervals that tell ties apart. All comparisons are ratios
 * within a round, so an effect that slows a whole round cancels. Hides the schedule of looks
 * and how the error is split over them. */
#include "autotune/measure/race.h"

#include "autotune/device/monotonic.h"
#include "autotune/measure/race_ranking.h"
#include "autotune/measure/stats.h"
#include "generator/random.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS = 101,       /* neighbouring reference times that the usual spread is taken from */
    WARM_UP = 9,       /* measurements of the reference before the first round */
    FIRST_LOOK = 4,    /* rounds before an entrant can be dropped */
    POOL_MIN = 20,     /* deviations that a scale needs */
    ATTEMPTS_MIN = 10, /* rounds before drift can end the race */
};

static const double SPREAD = 1.4826;   /* standard deviations in a median deviation */
static const double DRIFT_SPREADS = 3; /* noise rarely passes this */
static const double NEAR = 1.25;       /* ratio up to which noise is like the leader's */
static const double NARROW = 0.5;      /* of noise_max: enough to end early */
static const double CHOOSING = 0.6;    /* of the time and of the rounds; the rest is fresh */

/* A round counts against an entrant when it is slower than the leader by `shift` standard
 * deviations (and the margin). `chance` bounds how often that happens to an entrant that is no
 * slower. */
static const struct level {
    double chance, shift;
} LEVELS[] = {
    {0.07, 2.054}, /* 2 % of normal noise, and 5 % outliers */
    {0.25, 0.842}, /* 20 % of normal noise, and 5 % outliers */
    {0.50, 0},     /* the plain sign test: needs no scale or shape */
};
enum { LEVEL_COUNT = sizeof LEVELS / sizeof *LEVELS };

struct race {
    const struct race_options *options;
    race_measure *measure;
    void *context;
    struct race_times times;         /* with the leader and the beaten entrants */
    size_t order[RACE_ENTRANTS_MAX]; /* of the round */
    uint64_t now[RACE_ENTRANTS_MAX]; /* times of the round, accepted or not */
    double *drifts;                  /* of all rounds, repeated ones too */
    double steps[STEPS];             /* a ring */
    size_t step_count;
    uint64_t last; /* time of the reference, the latest; 0 = none yet */
    uint64_t random;
    double start_s;
    size_t rounds, repeated, looks, next_look;
    bool is_decided;
};

static size_t attempts(const struct race *race)
{
    return race->rounds + race->repeated;
}

static bool is_in(const struct race *race, size_t entrant)
{
    return race_ranking_is_in(&race->times, entrant);
}

static uint64_t *times_of(const struct race *race, size_t entrant)
{
    return race_ranking_times(&race->times, entrant);
}

static double median(double *values, size_t count)
{
    const double any = 0.5; /* the middle is the same for each confidence */
    return count ? stats_median_interval(values, count, any).middle : 0;
}

/* --- Rounds ------------------------------------------------------------------------------- */

static double distance(uint64_t a_ps, uint64_t b_ps)
{
    return fabs(log((double)a_ps / (double)b_ps));
}

static int measure(struct race *race, size_t entrant, uint64_t *out_ps, struct error *error)
{
    if (race->measure(race->context, entrant, out_ps, error))
        return -1;
    if (*out_ps == 0)
        *out_ps = 1; /* ratios need a time */
    return 0;
}

/* Measures the reference, right after it was measured last: the two times differ by noise,
 * hardly by drift. */
static int measure_again(struct race *race, uint64_t *out_ps, struct error *error)
{
    if (measure(race, race->options->reference, out_ps, error))
        return -1;
    if (race->last)
        race->steps[race->step_count++ % STEPS] = distance(*out_ps, race->last);
    race->last = *out_ps;
    return 0;
}

/* One standard deviation of the ratio of two neighbouring reference times. */
static double step_spread(const struct race *race)
{
    double steps[STEPS];
    size_t count = race->step_count < STEPS ? race->step_count : STEPS;
    memcpy(steps, race->steps, count * sizeof *steps);
    return SPREAD * median(steps, count);
}

/* How far apart the two reference times of a round may be. */
static double drift_limit(const struct race *race)
{
    return fmax(race->options->drift_max, DRIFT_SPREADS * step_spread(race));
}

static void accept_round(struct race *race)
{
    for (size_t i = 0; i < race->times.count; i++)
        if (is_in(race, i))
            times_of(race, i)[race->times.taken[i]++] = race->now[i];
    race->rounds++;
}

static int measure_others(struct race *race, struct error *error)
{
    const bool is_odd = race->rounds % 2;
    if (!is_odd)
        random_shuffle(race->order, race->times.count, &race->random);
    for (size_t i = 0; i < race->times.count; i++) {
        size_t who = race->order[is_odd ? race->times.count - 1 - i : i];
        if (who != race->options->reference && is_in(race, who) &&
            measure(race, who, &race->now[who], error))
            return -1;
    }
    return 0;
}

/* Did the reference change for good between `before` (two times, right before the round) and
 * `last`? It is measured once more then: a single slow time is no drift, and repeating rounds
 * for those would spare the reference the noise that all others have. */
static int judge_drift(struct race *race, const uint64_t before[2], uint64_t last,
                       bool *has_drifted, struct error *error)
{
    const double limit = drift_limit(race);
    uint64_t again;
    *has_drifted = false;
    if (distance(before[1], last) <= limit)
        return 0;
    if (measure_again(race, &again, error))
        return -1;
    *has_drifted = distance(before[1], again) > limit && distance(before[0], last) > limit &&
                   distance(before[0], again) > limit;
    return 0;
}

/* Runs a round. The reference's time is its first in even rounds, its last in odd ones:
 * mirrored as every entrant's place is. Not the mean of both: noise is skewed, and the median
 * of means differs from the median of times. */
static int run_round(struct race *race, struct error *error)
{
    const size_t reference = race->options->reference;
    uint64_t before[2] = {race->last, 0}, last;
    bool has_drifted;
    if (measure_again(race, &before[1], error) || measure_others(race, error) ||
        measure(race, reference, &last, error))
        return -1;
    race->last = last;
    race->now[reference] = race->rounds % 2 ? last : before[1];
    race->drifts[attempts(race)] = distance(before[1], last);
    if (judge_drift(race, before, last, &has_drifted, error))
        return -1;
    if (has_drifted)
        race->repeated++;
    else
        accept_round(race);
    return 0;
}

static int warm_up(struct race *race, struct error *error)
{
    uint64_t ps;
    for (size_t i = 0; i < WARM_UP; i++)
        if (measure_again(race, &ps, error))
            return -1;
    return 0;
}

/* --- Dropping ----------------------------------------------------------------------------- */

/* Appends the deviations of one entrant's ratios from their median. */
static size_t add_deviations(struct race *race, size_t entrant, double ratio, size_t filled)
{
    const uint64_t *a = times_of(race, entrant), *b = times_of(race, race->times.leader);
    for (size_t i = 0; i < race->rounds; i++)
        race->times.work[filled++] = fabs((double)a[i] / (double)b[i] / ratio - 1);
    return filled;
}

/* One standard deviation of a ratio without outliers, over all entrants up to `most` times the
 * leader's time; < 0 when there are too few. A median taken from n values is nearer to them
 * than the true one; n / (n - 0.8) makes up for it. */
static double pooled_spread(struct race *race, double most)
{
    size_t filled = 0;
    for (size_t i = 0; i < race->times.count; i++) {
        double ratio = i != race->times.leader && is_in(race, i)
                           ? race_ranking_ratio(&race->times, i)
                           : INFINITY;
        if (ratio <= most && isfinite(ratio))
            filled = add_deviations(race, i, ratio, filled);
    }
    double n = (double)race->rounds;
    return filled < POOL_MIN ? -1 : SPREAD * median(race->times.work, filled) * n / (n - 0.8);
}

/* Never less than the reference's own spread: the pooled deviations share the leader's few
 * times. */
static double find_spread(struct race *race)
{
    double spread = pooled_spread(race, NEAR);
    if (spread < 0)
        spread = pooled_spread(race, INFINITY);
    return spread < 0 ? -1 : fmax(spread, step_spread(race));
}

static size_t count_slower(const struct race *race, size_t entrant, double factor)
{
    const uint64_t *a = times_of(race, entrant), *b = times_of(race, race->times.leader);
    size_t slower = 0;
    for (size_t i = 0; i < race->rounds; i++)
        slower += (double)a[i] > (double)b[i] * factor;
    return slower;
}

static bool is_slower(const struct race *race, size_t entrant, double spread, double error)
{
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        const struct level *level = &LEVELS[i];
        if (level->shift > 0 && spread < 0)
            continue;
        double factor = (1 + race->options->margin) * exp(level->shift * fmax(spread, 0));
        size_t slower = count_slower(race, entrant, factor);
        if (stats_binomial_tail(race->rounds, slower, level->chance) <= error / LEVEL_COUNT)
            return true;
    }
    return false;
}

static bool is_decided(const struct race *race)
{
    for (size_t i = 0; i < race->times.count; i++)
        if (i != race->times.leader && !race->times.is_beaten[i])
            return false;
    return true;
}

/* Drops beaten entrants. The best may be mistaken for slower than any of the others, at any
 * look: look j has 1 / (j (j + 1)) of the error, which adds up to 1 however many there will
 * be. */
static void look(struct race *race)
{
    const double j = (double)++race->looks;
    const double error = race->options->error / (double)(race->times.count - 1) / (j * (j + 1));
    race_ranking_lead(&race->times);
    race->times.is_beaten[race->times.leader] = false; /* the reference may come back */
    const double spread = find_spread(race);
    for (size_t i = 0; i < race->times.count; i++)
        if (i != race->times.leader && !race->times.is_beaten[i])
            race->times.is_beaten[i] = is_slower(race, i, spread, error);
    race->is_decided = is_decided(race);
    race->next_look += race->next_look < 10 ? 1 : race->next_look / 5;
}

/* --- The end ------------------------------------------------------------------------------ */

static bool is_drifting(const struct race *race)
{
    return attempts(race) >= ATTEMPTS_MIN && 2 * race->repeated > attempts(race);
}

static bool is_late(const struct race *race, double share)
{
    return monotonic_s() - race->start_s >= share * race->options->seconds;
}

/* Are these rounds, of `most`, and the time for them enough to choose? */
static bool is_chosen(const struct race *race, size_t most)
{
    const bool is_enough = race->rounds >= race->options->rounds_min;
    if (race->options->is_comparison)
        return true;
    return race->times.count == 1 || race->rounds == most || attempts(race) >= 2 * most ||
           (is_enough && race->is_decided) ||
           ((is_enough || is_drifting(race)) && is_late(race, CHOOSING));
}

/* Does the leader's time need no more fresh rounds? */
static bool is_told(struct race *race)
{
    const size_t fresh = race->rounds - race->times.chosen;
    const bool is_enough = fresh >= race->options->rounds_min;
    if (race->rounds == race->times.most || attempts(race) >= 2 * race->times.most)
        return true;
    if (is_enough && race->times.count == 1)
        return true;
    if (is_enough && race->is_decided &&
        race_ranking_width(&race->times) <= NARROW * race->options->noise_max)
        return true;
    return (is_enough || is_drifting(race)) && is_late(race, 1);
}

/* Both these and the fresh ones are rounds_min or more: see most_rounds. */
static size_t rounds_to_choose(const struct race *race)
{
    const size_t least = race->options->rounds_min, last = race->times.most - least;
    const size_t share = (size_t)(CHOOSING * (double)race->times.most);
    return share < least ? least : share < last ? share : last;
}

static int choose(struct race *race, struct error *error)
{
    const size_t most = rounds_to_choose(race);
    while (!is_chosen(race, most)) {
        const size_t before = race->rounds;
        if (run_round(race, error))
            return -1;
        if (race->rounds > before && race->rounds == race->next_look)
            look(race);
    }
    return 0;
}

/* The leader is who leads when the choosing ends, and stays it. */
static void fix_leader(struct race *race)
{
    if (race->rounds == 0)
        return;
    race->times.is_beaten[race->times.leader] = false;
    race_ranking_lead(&race->times);
    race->times.is_beaten[race->times.leader] = false;
    race->times.chosen = race->times.count > 1 ? race->rounds : 0;
    race->is_decided = is_decided(race);
}

static int run_rounds(struct race *race, struct error *error)
{
    if (warm_up(race, error) || choose(race, error))
        return -1;
    fix_leader(race);
    while (!is_told(race))
        if (run_round(race, error))
            return -1;
    return 0;
}

static void judge_noise(struct race_result *out, struct race *race)
{
    if (is_drifting(race)) {
        out->is_noisy = true;
        snprintf(out->why, sizeof out->why, "%zu of %zu rounds drifted by more than %.1f %%",
                 race->repeated, attempts(race), 100 * drift_limit(race));
        return;
    }
    const double width = race_ranking_width(&race->times);
    out->is_noisy = width > race->options->noise_max;
    if (out->is_noisy)
        snprintf(out->why, sizeof out->why,
                 "after %zu rounds the fastest time is known to %.1f %%, not to %.1f %%",
                 race->rounds, 100 * width, 100 * race->options->noise_max);
}

static void fill_result(struct race_result *out, struct race *race)
{
    out->rounds = race->rounds;
    out->fresh = race->rounds - race->times.chosen;
    out->repeated = race->repeated;
    out->drift = expm1(median(race->drifts, attempts(race)));
    race_ranking_fill(out, &race->times, race->options->margin);
    judge_noise(out, race);
}

static size_t most_rounds(const struct race_options *options)
{
    size_t most = options->rounds_max ? options->rounds_max : RACE_ROUNDS_MAX;
    most = most < 2 * options->rounds_min ? 2 * options->rounds_min : most;
    return most < RACE_ROUNDS_MAX ? most : RACE_ROUNDS_MAX;
}

int race_run(struct race_result *out, size_t count, race_measure *measure_one, void *context,
             const struct race_options *options, struct error *error)
{
    assert(1 <= count && count <= RACE_ENTRANTS_MAX);
    assert(options->reference < count && (!options->is_comparison || options->base < count));
    assert(options->rounds_min >= 5);
    struct race race = {.options = options,
                        .measure = measure_one,
                        .context = context,
                        .times = {.count = count,
                                  .most = most_rounds(options),
                                  .reference = options->reference,
                                  .leader = options->is_comparison ? options->base
                                                                   : options->reference,
                                  .is_comparison = options->is_comparison},
                        .random = options->seed,
                        .start_s = monotonic_s(),
                        .next_look = FIRST_LOOK};
    const size_t cells = count * race.times.most;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < count; i++)
        race.order[i] = i;
    race.times.times_ps = calloc(cells, sizeof *race.times.times_ps);
    race.times.work = calloc(cells, sizeof *race.times.work);
    race.drifts = calloc(2 * race.times.most, sizeof *race.drifts);
    int failed = race.times.times_ps && race.times.work && race.drifts
                     ? run_rounds(&race, error)
                     : error_memory(error, cells * sizeof *race.times.times_ps);
    if (!failed)
        fill_result(out, &race);
    free(race.times.times_ps);
    free(race.times.work);
    free(race.drifts);
    return failed;
}
