/* shortlist: chooses the configs asked for, and the candidates that only noise may have kept
 * from being the best. Hides how near to the best that is. */
#include "autotune/search/shortlist.h"

#include "generator/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHORTLIST_MIN = 12, /* entrants at the start of the race, where there are so many */
    BUDGET_LEAST = 4,   /* entrants of a race with a budget, at most ... */
    BUDGET_EACH = 8,    /* ... and for each second of it */
    SHORTLIST_HOST = 8, /* the emulator is slow, and no model of speed anyway */
};
_Static_assert((int)SHORTLIST_ROOM < (int)RACE_ENTRANTS_MAX, "the default races too");
_Static_assert((int)TUNE_CONFIGS_MAX <= (int)SHORTLIST_MAX, "all that are asked for are raced");

static const double MARGIN = 0.015;    /* candidates so close to the best time race ... */
static const double MARGIN_NOISES = 3; /* ... or so many spreads of the reference */

size_t shortlist_asked(const struct tune_result *result, const struct tune_options *options,
                       size_t number)
{
    assert(number < options->config_count);
    const size_t width = result->points.width;
    const int64_t *config = options->configs + number * width;
    size_t i = 0;
    while (i + 1 < result->points.count &&
           memcmp(tune_result_config(result, i), config, width * sizeof *config) != 0)
        i++;
    return result->trials[i].is_judged && result->trials[i].status == TRIAL_EQUAL
               ? result->trials[i].equal_to
               : i;
}

struct ranked {
    size_t candidate;
    uint64_t score;
    bool is_asked;
};

static int by_score(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->is_asked != y->is_asked)
        return x->is_asked ? -1 : 1;
    return x->score != y->score ? (x->score < y->score ? -1 : 1)
                                : number_compare(x->candidate, y->candidate);
}

/* Ranks the measured candidates: those asked for, then the best first; the default races
 * anyway. */
static size_t rank(const struct tune_result *result, const struct tune_job *job,
                   const struct tune_options *options, struct ranked *out)
{
    const int64_t *const default_config = job->context->space->default_config;
    const size_t bytes = result->points.width * sizeof *default_config;
    size_t asked[TUNE_CONFIGS_MAX], count = 0;
    for (size_t k = 0; k < options->config_count; k++)
        asked[k] = shortlist_asked(result, options, k);
    for (size_t i = 0; i < result->points.count; i++)
        if (result->trials[i].is_judged && result->trials[i].status == TRIAL_MEASURED &&
            memcmp(tune_result_config(result, i), default_config, bytes) != 0)
            out[count++] = (struct ranked){i, result->trials[i].score, false};
    for (size_t r = 0; r < count; r++)
        for (size_t k = 0; k < options->config_count; k++)
            out[r].is_asked |= out[r].candidate == asked[k];
    qsort(out, count, sizeof *out, by_score);
    return count;
}

/* --- The best with each value -------------------------------------------------------------- */

/* Ranks all that have a time by it, also those that equal another. */
static size_t rank_all(const struct tune_result *result, struct ranked *out)
{
    size_t count = 0;
    for (size_t i = 0; i < result->points.count; i++) {
        const struct tune_trial *trial = &result->trials[i];
        if (trial->is_judged &&
            (trial->status == TRIAL_MEASURED || trial->status == TRIAL_EQUAL))
            out[count++] = (struct ranked){i, trial->score, false};
    }
    qsort(out, count, sizeof *out, by_score);
    return count;
}

/* Has it a value of a param that none of those before it has, which are faster? */
static bool has_new_value(const struct tune_result *result, const struct ranked *ranked,
                          size_t place)
{
    const int64_t *config = tune_result_config(result, ranked[place].candidate);
    for (size_t p = 0; p < result->points.width; p++) {
        size_t i = 0;
        while (i < place && tune_result_config(result, ranked[i].candidate)[p] != config[p])
            i++;
        if (i == place)
            return true;
    }
    return false;
}

static bool is_listed(const size_t *list, size_t count, size_t candidate)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == candidate)
            return true;
    return false;
}

/* Adds them, by those that they equal; the default races anyway. */
static void add_values(const struct tune_result *result, const int64_t *default_config,
                       struct ranked *ranked, size_t out[SHORTLIST_ROOM], size_t *out_count)
{
    const size_t most = *out_count + SHORTLIST_VALUES, count = rank_all(result, ranked);
    const size_t bytes = result->points.width * sizeof *default_config;
    for (size_t i = 0; i < count && *out_count < most; i++) {
        const struct tune_trial *trial = &result->trials[ranked[i].candidate];
        const size_t runs =
            trial->status == TRIAL_EQUAL ? trial->equal_to : ranked[i].candidate;
        if (has_new_value(result, ranked, i) && !is_listed(out, *out_count, runs) &&
            memcmp(tune_result_config(result, runs), default_config, bytes) != 0)
            out[(*out_count)++] = runs;
    }
}

/* A short race has few entrants. */
static size_t within_budget(double budget_s, size_t usual)
{
    const double most = BUDGET_LEAST + BUDGET_EACH * budget_s;
    return budget_s > 0 && most < (double)usual ? (size_t)most : usual;
}

int shortlist_choose(const struct tune_result *result, const struct tune_job *job,
                     const struct tune_options *options, size_t out[SHORTLIST_ROOM],
                     size_t *out_count, struct error *error)
{
    struct ranked *ranked = malloc((result->points.count + 1) * sizeof *ranked);
    const double margin = fmax(MARGIN, MARGIN_NOISES * result->noise);
    const size_t usual = job->info->target.is_host ? SHORTLIST_HOST : SHORTLIST_MAX;
    const size_t most = within_budget(options->budget_s, usual);
    if (!ranked)
        return error_memory(error, result->points.count * sizeof *ranked);
    const size_t count = rank(result, job, options, ranked);
    uint64_t best = UINT64_MAX;
    for (size_t i = 0; i < count; i++)
        best = ranked[i].score < best ? ranked[i].score : best;
    *out_count = 0;
    for (size_t i = 0; i < count && (i < most || ranked[i].is_asked); i++)
        if (i < SHORTLIST_MIN || ranked[i].is_asked ||
            (double)ranked[i].score <= (1 + margin) * (double)best)
            out[(*out_count)++] = ranked[i].candidate;
    if (options->races_values)
        add_values(result, job->context->space->default_config, ranked, out, out_count);
    free(ranked);
    return 0;
}
