/* race_ranking: ranks entrants by medians with intervals from order statistics, of times and of
 * ratios paired by round. Rounds that choose and fresh rounds never mix in one figure. */
#include "autotune/measure/race_ranking.h"

#include "autotune/measure/stats.h"
#include "generator/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double CONFIDENCE = 0.95; /* of times, and of ratios that are told */
static const double COMPARED = 0.99;   /* of the ratios of a comparison */
static const double TIE_DOUBT = 0.01;  /* the chance that any tie is wrong */

bool race_ranking_is_in(const struct race_times *times, size_t entrant)
{
    assert(entrant < times->count);
    return !times->is_beaten[entrant] || entrant == times->reference;
}

uint64_t *race_ranking_times(const struct race_times *times, size_t entrant)
{
    assert(entrant < times->count);
    return times->times_ps + entrant * times->most;
}

/* Rounds from `first` on, before `end`. */
struct rounds {
    size_t first, end;
};

static struct rounds choosing(const struct race_times *times, size_t entrant)
{
    const size_t taken = times->taken[entrant];
    return (struct rounds){0, times->chosen && taken > times->chosen ? times->chosen : taken};
}

/* The rounds of which an entrant's figures are told: fresh ones where it has any. */
static struct rounds telling(const struct race_times *times, size_t entrant)
{
    const size_t taken = times->taken[entrant];
    return (struct rounds){taken > times->chosen ? times->chosen : 0, taken};
}

static struct stats_interval ratio_interval(const struct race_times *times, size_t entrant,
                                            struct rounds rounds, double confidence)
{
    return stats_ratio_interval(race_ranking_times(times, entrant) + rounds.first,
                                race_ranking_times(times, times->leader) + rounds.first,
                                rounds.end - rounds.first, confidence);
}

static struct stats_interval time_interval(struct race_times *times, size_t entrant)
{
    const struct rounds rounds = telling(times, entrant);
    const uint64_t *times_ps = race_ranking_times(times, entrant) + rounds.first;
    const size_t count = rounds.end - rounds.first;
    for (size_t i = 0; i < count; i++)
        times->work[i] = (double)times_ps[i];
    return stats_median_interval(times->work, count, CONFIDENCE);
}

double race_ranking_ratio(const struct race_times *times, size_t entrant)
{
    assert(times->taken[entrant] > 0);
    return entrant == times->leader
               ? 1
               : ratio_interval(times, entrant, choosing(times, entrant), CONFIDENCE).middle;
}

/* Medians of all times would contain the drift between rounds; so an entrant that beats the
 * leader round by round takes its place. That need not end (a beats b beats c beats a), hence
 * the bound. */
void race_ranking_lead(struct race_times *times)
{
    for (size_t tries = 0; tries < times->count; tries++) {
        size_t best = times->leader;
        double least = 1;
        for (size_t i = 0; i < times->count; i++) {
            double ratio =
                race_ranking_is_in(times, i) ? race_ranking_ratio(times, i) : INFINITY;
            if (ratio < least) {
                least = ratio;
                best = i;
            }
        }
        if (best == times->leader)
            return;
        times->leader = best;
    }
}

double race_ranking_width(struct race_times *times)
{
    const struct stats_interval interval = time_interval(times, times->leader);
    return fmax(interval.high - interval.middle, interval.middle - interval.low) /
           interval.middle;
}

static void fill_place(struct race_place *out, struct race_times *times, size_t entrant,
                       double margin, double confidence)
{
    const bool is_beaten = times->is_beaten[entrant];
    *out = (struct race_place){.entrant = entrant,
                               .ratio = 1,
                               .ratio_low = 1,
                               .ratio_high = 1,
                               .choice = 1,
                               .rounds = times->taken[entrant],
                               .is_dropped = !race_ranking_is_in(times, entrant),
                               .is_tie = !is_beaten};
    if (out->rounds == 0)
        return;
    struct stats_interval interval = time_interval(times, entrant);
    out->median_ps = (uint64_t)interval.middle;
    out->low_ps = (uint64_t)interval.low;
    out->high_ps = (uint64_t)interval.high;
    if (entrant == times->leader)
        return;
    interval = ratio_interval(times, entrant, telling(times, entrant),
                              times->is_comparison ? COMPARED : CONFIDENCE);
    out->ratio = interval.middle;
    out->ratio_low = interval.low;
    out->ratio_high = interval.high;
    interval = ratio_interval(times, entrant, choosing(times, entrant), confidence);
    out->choice = interval.middle;
    if (interval.confidence >= confidence && interval.low > 1 + margin)
        out->is_tie = false;
}

static int by_place(const void *left, const void *right)
{
    const struct race_place *a = left, *b = right;
    if (a->is_dropped != b->is_dropped)
        return a->is_dropped ? 1 : -1;
    double x = a->is_dropped ? (double)a->median_ps : a->choice;
    double y = b->is_dropped ? (double)b->median_ps : b->choice;
    if (x != y)
        return x < y ? -1 : 1;
    return number_compare(a->entrant, b->entrant);
}

void race_ranking_fill(struct race_result *out, struct race_times *times, double margin)
{
    size_t others = 0;
    for (size_t i = 0; i < times->count; i++)
        others += i != times->leader && !times->is_beaten[i];
    const double confidence = 1 - TIE_DOUBT / (double)(others ? others : 1);
    for (size_t i = 0; i < times->count; i++)
        fill_place(&out->places[i], times, i, margin, confidence);
    qsort(out->places, times->count, sizeof *out->places, by_place);
    out->count = times->count;
    out->ties = 0;
    for (size_t i = 0; i < times->count; i++)
        out->ties += out->places[i].is_tie && out->places[i].entrant != times->leader;
}
