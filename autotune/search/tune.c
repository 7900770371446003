/* tune: expands the points, recalls earlier trials, runs the search and then the final race.
 * Owns everything that lives as long as a run. */
#include "autotune/search/tune.h"

#include "autotune/device/monotonic.h"
#include "autotune/device/temporary.h"
#include "autotune/measure/speed_estimate.h"
#include "autotune/search/search.h"
#include "autotune/search/winner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const double RACE_SECONDS = 0.7, RACE_SECONDS_HOST = 0.3;
/* Of a budget, at most; so that a short one is not followed by finals that take longer. */
static const double RACE_PART = 0.25, CHECK_PART = 0.25;

/* Everything that a run owns. */
struct run {
    const struct tune_job *job;
    struct tune_options options;
    struct tune_result *result;
    struct strategy_order order;
    double *prior;
    struct worker_pool *pool, *own_pool;
    struct unit_cache *units, *own_units;
    struct search *search;
};

static bool is_host(const struct run *run)
{
    return run->job->info->target.is_host;
}

static bool is_point(const struct points *points, size_t candidate, const int64_t *config)
{
    return config && memcmp(points->configs + candidate * points->width, config,
                            points->width * sizeof *config) == 0;
}

static bool is_config(const struct run *run, size_t candidate, const int64_t *config)
{
    return is_point(&run->result->points, candidate, config);
}

/* --- Before the search -------------------------------------------------------------------- */

static bool is_listed(const struct points *points, const int64_t *config)
{
    for (size_t i = 0; i < points->count; i++)
        if (is_point(points, i, config))
            return true;
    return false;
}

static int add_unlisted(struct points *points, const int64_t *config, struct error *error)
{
    return is_listed(points, config) ? 0 : point_add(points, config, error);
}

/* Adds the untuned default and winners of similar problems even where the space prunes them, or a
 * sample leaves them out. */
static int add_pruned(struct points *points, const struct point_context *context,
                      const struct tune_options *options, struct error *error)
{
    const int64_t *const configs[] = {context->space->default_config, options->seed_config};
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        if (!configs[i])
            continue;
        const int broken = point_prune(context, configs[i], error);
        const bool is_right =
            broken == POINT_VALID || (broken >= 0 && context->space->rules[broken].is_prune);
        if (broken == POINT_FAILED || (is_right && add_unlisted(points, configs[i], error)))
            return -1;
    }
    return 0;
}

static int add_configs(struct points *points, const struct point_context *context,
                       const struct tune_options *options, struct error *error)
{
    if (!options->is_only_configs && add_pruned(points, context, options, error))
        return -1;
    for (size_t i = 0; i < options->config_count; i++)
        if (add_unlisted(points, options->configs + i * points->width, error))
            return -1;
    return 0;
}

int tune_points(struct points *out, const struct point_context *context,
                const struct tune_options *options, struct error *error)
{
    if (options->is_only_configs
            ? point_single(out, context->space, options->configs, error)
            : strategy_points(out, context, options->strategy, (unsigned)options->seed, error))
        return -1;
    if (add_configs(out, context, options, error) == 0)
        return 0;
    point_dispose(out);
    return -1;
}

static int list_points(struct run *run, struct error *error)
{
    struct tune_result *result = run->result;
    if (tune_points(&result->points, run->job->context, &run->options, error))
        return -1;
    result->trials = calloc(result->points.count, sizeof *result->trials);
    run->prior = calloc(result->points.count, sizeof *run->prior);
    if (!result->trials || !run->prior)
        return error_memory(error, result->points.count * sizeof *result->trials);
    for (size_t i = 0; i < result->points.count; i++)
        result->trials[i].reason = -1;
    return 0;
}

static bool is_asked(const struct run *run, size_t candidate)
{
    for (size_t i = 0; i < run->options.config_count; i++)
        if (is_config(run, candidate, run->options.configs + i * run->result->points.width))
            return true;
    return false;
}

static int plan_search(struct run *run, struct error *error)
{
    enum { SEEDS = 2 + TUNE_CONFIGS_MAX };
    const struct points *points = &run->result->points;
    size_t seeds[SEEDS], count = 0;
    for (size_t i = 0; i < points->count; i++)
        if (count < SEEDS && (is_config(run, i, run->options.seed_config) || is_asked(run, i) ||
                              is_config(run, i, run->job->context->space->default_config)))
            seeds[count++] = i;
    return speed_estimate_prior(run->prior, points, run->job->context, error) ||
                   strategy_order(&run->order, points, run->options.strategy, run->prior, seeds,
                                  count, run->options.seed, error)
               ? -1
               : 0;
}

static int open_search(struct run *run, struct error *error)
{
    run->pool = run->job->workers;
    if (!run->pool && worker_pool_open(&run->own_pool, error))
        return -1;
    if (!run->pool)
        run->pool = run->own_pool;
    run->units = run->job->units;
    if (!run->units && unit_cache_open(&run->own_units, UNIT_CACHE_BYTES, error))
        return -1;
    if (!run->units)
        run->units = run->own_units;
    const struct search_task task = {.job = run->job,
                                     .options = &run->options,
                                     .result = run->result,
                                     .order = &run->order,
                                     .prior = run->prior,
                                     .units = run->units,
                                     .ops = &worker_processes,
                                     .workers = run->pool};
    run->search = search_open(&task, error);
    return run->search ? 0 : -1;
}

/* --- The run ------------------------------------------------------------------------------ */

static int run_all(struct run *run, struct error *error)
{
    const double start = monotonic_s();
    struct tune_result *result = run->result;
    struct journal *journal = run->options.journal;
    if (list_points(run, error) ||
        (journal && trials_recall(result, run->job, journal, run->options.strategy, error)) ||
        plan_search(run, error) || open_search(run, error) || search_run(run->search, error))
        return -1;
    result->seconds_search = monotonic_s() - start;
    if (winner_choose(run->search, run->job, &run->options, result, error))
        return -1;
    result->seconds = monotonic_s() - start;
    result->seconds_final = result->seconds - result->seconds_search;
    return 0;
}

static void fill_defaults(struct run *run)
{
    const double budget_s = run->options.budget_s;
    if (run->options.race_s <= 0) {
        run->options.race_s = is_host(run) ? RACE_SECONDS_HOST : RACE_SECONDS;
        if (budget_s > 0 && run->options.race_s > RACE_PART * budget_s)
            run->options.race_s = RACE_PART * budget_s;
    }
    if (run->options.check_s <= 0)
        run->options.check_s = CHECK_PART * budget_s;
}

int tune_run(struct tune_result *out, const struct tune_job *job,
             const struct tune_options *options, struct error *error)
{
    assert(job->spec_count > 0);
    assert(options->config_count <= TUNE_CONFIGS_MAX);
    struct run run = {.job = job, .options = *options, .result = out};
    struct error ignored;
    *out = (struct tune_result){.rounds = 0};
    fill_defaults(&run);
    int failed = run_all(&run, error);
    search_close(run.search);
    unit_cache_close(run.own_units);
    worker_pool_close(run.own_pool);
    if (run.pool && is_host(&run))
        temporary_sweep();
    if (options->journal)
        journal_sync(options->journal, &ignored); /* the trials are in the file already */
    strategy_dispose(&run.order);
    free(run.prior);
    if (failed)
        tune_result_dispose(out);
    return failed ? -1 : 0;
}
