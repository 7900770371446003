/* replay: makes candidates of a journal's trials again, and lets a strategy try them on a
 * simulated clock. Hides the grouping by variant and the scheduling of compilers beside the
 * device. */
#include "autotune/search/replay.h"

#include "autotune/measure/stats.h"
#include "generator/number.h"

#include <stdlib.h>
#include <string.h>

static const double NEAR = 1.01; /* times the best */

/* What is known of a candidate and of a variant; the time is 0 where none was measured. */
struct outcome {
    uint64_t time_ps;
    double seconds;
};
struct work {
    double compile_s, prove_s;
};

/* A journal as points to try: `points` without configs; priors, outcomes by candidate. */
struct table {
    const struct journal_trial **trials; /* sorted by variant */
    struct points points;
    double *prior;
    struct outcome *outcomes;
    struct work *work; /* by variant */
};

/* The state of a simulated run. */
struct run {
    const struct table *table;
    const struct replay_options *options;
    struct replay_result *result;
    struct strategy_order order;
    struct strategy_rule rule;
    double *free_s; /* by compiler: when it is done with what it has */
    double device_s;
    bool is_over; /* the budget is spent */
};

/* --- The journal -------------------------------------------------------------------------- */

/* Compares identities; all are in one array, so their addresses are in the order of the
 * file. */
static int compare_identities(const void *a, const void *b)
{
    const struct journal_trial *x = *(struct journal_trial *const *)a;
    const struct journal_trial *y = *(struct journal_trial *const *)b;
    return x->identity != y->identity ? number_compare(x->identity, y->identity)
           : x < y                    ? -1
                                      : x > y;
}

static int compare_variants(const void *a, const void *b)
{
    const struct journal_trial *x = *(struct journal_trial *const *)a;
    const struct journal_trial *y = *(struct journal_trial *const *)b;
    return x->variant != y->variant ? number_compare(x->variant, y->variant)
           : x < y                  ? -1
                                    : x > y;
}

/* Selects the last trial of each identity, sorted by variant. */
static size_t select_trials(const struct journal_trial **out, const struct journal *journal)
{
    size_t kept = 0;
    for (size_t i = 0; i < journal->count; i++)
        out[i] = &journal->trials[i];
    qsort(out, journal->count, sizeof *out, compare_identities);
    for (size_t i = 0; i < journal->count; i++)
        if (i + 1 == journal->count || out[i + 1]->identity != out[i]->identity)
            out[kept++] = out[i];
    qsort(out, kept, sizeof *out, compare_variants);
    return kept;
}

static struct outcome read_outcome(const struct trial *trial)
{
    uint64_t times[TRIAL_SAMPLES];
    const size_t count = trial->time_count < TRIAL_SAMPLES ? trial->time_count : TRIAL_SAMPLES;
    struct outcome out = {0, (double)trial->measure_us / 1e6};
    if (count == 0 || trial->status != TRIAL_MEASURED)
        return out;
    memcpy(times, trial->times_ps, count * sizeof *times);
    out.time_ps = stats_median(times, count);
    return out;
}

/* Adds a candidate. Trials of a variant that came later paid nothing for compiling and proofs:
 * the largest cost counts. */
static void add_candidate(struct table *table, const struct journal_trial *trial)
{
    struct points *points = &table->points;
    const size_t at = points->count++;
    if (at == 0 || trial->variant != table->trials[at - 1]->variant)
        points->variants[points->variant_count++] = (struct point_variant){at, 0};
    const size_t v = points->variant_count - 1;
    const double compile_s = (double)trial->trial.compile_us / 1e6;
    const double prove_s = (double)trial->trial.prove_us / 1e6;
    points->variants[v].count++;
    table->work[v].compile_s =
        compile_s > table->work[v].compile_s ? compile_s : table->work[v].compile_s;
    table->work[v].prove_s =
        prove_s > table->work[v].prove_s ? prove_s : table->work[v].prove_s;
    table->prior[at] = trial->prior;
    table->outcomes[at] = read_outcome(&trial->trial);
}

static void table_dispose(struct table *table)
{
    free(table->trials);
    free(table->points.variants);
    free(table->prior);
    free(table->outcomes);
    free(table->work);
}

static int table_init(struct table *table, const struct journal *journal, struct error *error)
{
    const size_t most = journal->count + 1;
    *table = (struct table){
        .trials = calloc(most, sizeof *table->trials),
        .points.variants = calloc(most, sizeof *table->points.variants),
        .prior = calloc(most, sizeof *table->prior),
        .outcomes = calloc(most, sizeof *table->outcomes),
        .work = calloc(most, sizeof *table->work),
    };
    if (!table->trials || !table->points.variants || !table->prior || !table->outcomes ||
        !table->work) {
        table_dispose(table);
        return error_memory(error, most * sizeof *table->outcomes);
    }
    const size_t count = select_trials(table->trials, journal);
    for (size_t i = 0; i < count; i++)
        add_candidate(table, table->trials[i]);
    return 0;
}

/* Summarizes what the whole journal knows: the best time, and the numbers of candidates and
 * variants. */
static void summarize(struct replay_result *out, const struct table *table)
{
    *out = (struct replay_result){.seconds_until_near = -1};
    for (size_t v = 0; v < table->points.variant_count; v++) {
        const struct point_variant *variant = &table->points.variants[v];
        const size_t before = out->candidates;
        for (size_t i = variant->first; i < variant->first + variant->count; i++) {
            const uint64_t time_ps = table->outcomes[i].time_ps;
            if (time_ps == 0)
                continue;
            out->candidates++;
            if (out->best_ps == 0 || time_ps < out->best_ps)
                out->best_ps = time_ps;
        }
        out->variants += out->candidates > before;
    }
}

/* --- The run ------------------------------------------------------------------------------ */

/* When a variant is compiled: by the compiler that is free first. */
static double compile(struct run *run, size_t variant)
{
    size_t next = 0;
    for (size_t i = 1; i < run->options->compilers; i++)
        if (run->free_s[i] < run->free_s[next])
            next = i;
    return run->free_s[next] += run->table->work[variant].compile_s;
}

/* The device is busy from `start_s` for `seconds`, unless the budget ends before. */
static bool spend(struct run *run, double start_s, double seconds)
{
    const double budget_s = run->options->budget_s, end_s = start_s + seconds;
    run->is_over = budget_s > 0 && end_s > budget_s;
    run->device_s = run->is_over ? budget_s : end_s;
    return !run->is_over;
}

static void note_time(struct run *run, uint64_t time_ps)
{
    struct replay_result *result = run->result;
    if (result->found_ps == 0 || time_ps < result->found_ps)
        result->found_ps = time_ps;
    if (result->until_near == 0 && (double)time_ps <= NEAR * (double)result->best_ps) {
        result->until_near = result->tried;
        result->seconds_until_near = run->device_s;
    }
}

static bool is_left(const struct run *run, uint64_t first_ps)
{
    const double limit = strategy_limit(&run->rule, run->options->noise, NULL);
    return limit > 0 && (double)first_ps > limit * (double)run->result->found_ps;
}

static void try_variant(struct run *run, size_t v)
{
    const struct point_variant *variant = &run->table->points.variants[v];
    uint64_t first_ps = 0, best_ps = 0;
    const size_t tried = run->result->tried;
    for (size_t i = variant->first; i < variant->first + variant->count; i++) {
        const struct outcome *outcome = &run->table->outcomes[run->order.candidates[i]];
        if (first_ps && !run->order.is_whole[v] && is_left(run, first_ps))
            break;
        if (!spend(run, run->device_s, outcome->seconds))
            break;
        run->result->tried++;
        if (outcome->time_ps == 0)
            continue;
        note_time(run, outcome->time_ps);
        first_ps = first_ps ? first_ps : outcome->time_ps;
        best_ps = best_ps && best_ps < outcome->time_ps ? best_ps : outcome->time_ps;
    }
    run->result->tried_variants += run->result->tried > tried;
    if (run->order.is_whole[v] && !run->is_over)
        strategy_learn(&run->rule, first_ps, best_ps);
}

static void run_order(struct run *run)
{
    for (size_t i = 0; i < run->table->points.variant_count && !run->is_over; i++) {
        const size_t v = run->order.variants[i];
        const double compiled_s = compile(run, v);
        const double start_s = compiled_s > run->device_s ? compiled_s : run->device_s;
        if (spend(run, start_s, run->table->work[v].prove_s))
            try_variant(run, v);
    }
    run->result->seconds = run->device_s;
}

static int replay(struct replay_result *out, const struct table *table,
                  const struct replay_options *options, struct error *error)
{
    struct run run = {.table = table, .options = options, .result = out};
    if (strategy_order(&run.order, &table->points, options->strategy, table->prior, NULL, 0,
                       options->seed, error))
        return -1;
    run.free_s = calloc(options->compilers, sizeof *run.free_s);
    int failed = run.free_s ? 0 : error_memory(error, options->compilers * sizeof *run.free_s);
    if (!failed)
        run_order(&run);
    free(run.free_s);
    strategy_dispose(&run.order);
    return failed;
}

static int check_options(const struct replay_options *options, struct error *error)
{
    if ((unsigned)options->strategy >= STRATEGY_COUNT || options->strategy == STRATEGY_COVER)
        return error_set(error, ERROR_USAGE,
                         "a journal has no space to sample: replay race, exhaustive or random");
    if (options->compilers == 0)
        return error_set(error, ERROR_USAGE,
                         "a replay with no compiler never ends: give it one at least");
    return 0;
}

/* Refuses a single candidate, which leaves nothing to choose from. */
static int refuse_few(size_t measured, struct error *error)
{
    return error_set(error, ERROR_USAGE,
                     "the journal holds %s, and a replay needs two at least: replay one that "
                     "--strategy exhaustive wrote",
                     measured ? "only one measured candidate" : "no measured candidate");
}

int replay_run(struct replay_result *out, const struct journal *journal,
               const struct replay_options *options, struct error *error)
{
    struct table table;
    if (check_options(options, error) || table_init(&table, journal, error))
        return -1;
    summarize(out, &table);
    int failed = out->candidates < 2 ? refuse_few(out->candidates, error)
                                     : replay(out, &table, options, error);
    table_dispose(&table);
    return failed;
}
