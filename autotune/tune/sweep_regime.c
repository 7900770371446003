/* sweep_regime: keeps the finished sizes in the order of n, each with what was raced there. */
#include "autotune/tune/sweep_regime.h"

#include "autotune/tune/tune_save.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Sizes -------------------------------------------------------------------------------- */

void sweep_regime_open(struct sweep_regime *out, enum regime regime)
{
    memset(out, 0, sizeof *out);
    out->regime = regime;
}

void sweep_regime_init(struct sweep_regime *out, const struct setup *setup, enum regime regime,
                       uint64_t low, uint64_t high, bool is_within_l2)
{
    struct problem problem = setup->problem;
    uint64_t sizes[SWEEP_SIZES_MAX];
    sweep_regime_open(out, regime);
    out->count = sweep_sizes(sizes, low, high);
    for (; is_within_l2 && out->count; out->count--) {
        problem.dims = dims_run(sizes[out->count - 1], problem.dims.scan);
        if (problem_bytes_read(&problem) <= (double)setup->target.l2_bytes)
            break;
    }
    for (size_t i = 0; i < out->count; i++)
        out->sizes[i] = dims_run(sizes[i], problem.dims.scan);
}

size_t sweep_regime_nearest(const struct sweep_regime *regime, uint64_t n)
{
    uint64_t sizes[SWEEP_SIZES_MAX];
    for (size_t i = 0; i < regime->count; i++)
        sizes[i] = dims_n(&regime->sizes[i]);
    return sweep_nearest(sizes, regime->count, n);
}

void sweep_regime_dispose(struct sweep_regime *regime)
{
    store_dispose(&regime->swept);
}

size_t sweep_regime_below(const struct sweep_regime *regime, uint64_t n)
{
    size_t count = 0;
    while (count < regime->swept.count && dims_n(&regime->swept.at[count].problem.dims) < n)
        count++;
    return count;
}

const struct record *sweep_regime_record(const struct sweep_regime *regime, size_t size)
{
    const size_t at = sweep_regime_below(regime, dims_n(&regime->sizes[size]));
    return regime->is_done[size] ? &regime->swept.at[at] : NULL;
}

const struct record *sweep_regime_serving(const struct sweep_regime *regime, uint64_t n)
{
    const struct records *swept = &regime->swept;
    for (size_t i = 0; i < swept->interval_count; i++)
        if (swept->intervals[i].from <= n && n <= swept->intervals[i].to)
            return &swept->intervals[i].record;
    return NULL;
}

static void put(struct records *swept, size_t at, const struct record *record)
{
    memmove(swept->at + at + 1, swept->at + at, (swept->count++ - at) * sizeof *swept->at);
    swept->at[at] = *record;
}

/* Do both have the same intervals of the same configs? */
static bool is_same_intervals(const struct interval *a, size_t count, const struct records *b)
{
    bool is_same = count == b->interval_count;
    for (size_t i = 0; i < count && is_same; i++)
        is_same = a[i].from == b->intervals[i].from && a[i].to == b->intervals[i].to &&
                  a[i].record.config == b->intervals[i].record.config;
    return is_same;
}

int sweep_regime_drop(struct sweep_regime *regime, size_t at, struct error *error)
{
    struct records *swept = &regime->swept;
    const struct record size = swept->at[at];
    const size_t count = swept->interval_count;
    struct interval *before = malloc((count + 1) * sizeof *before);
    if (!before)
        return error_memory(error, (count + 1) * sizeof *before);
    if (count)
        memcpy(before, swept->intervals, count * sizeof *before);
    memmove(swept->at + at, swept->at + at + 1, (--swept->count - at) * sizeof *swept->at);
    int failed = interval_compute(swept, error);
    if (!failed && !is_same_intervals(before, count, swept)) {
        put(swept, at, &size);
        failed = interval_compute(swept, error);
    }
    free(before);
    return failed ? -1 : 0;
}

size_t sweep_regime_survivors(uint64_t *numbers, size_t most, const struct sweep_regime *regime,
                              uint64_t n)
{
    return interval_survivors(numbers, most, &regime->swept, sweep_regime_below(regime, n));
}

/* --- What was raced ---------------------------------------------------------------------- */

/* Keeps the configs that lose least, as many as there is room for. */
static void keep_raced(struct record *record, const struct raced *raced)
{
    size_t worst = 0;
    for (size_t i = 0; i < record->raced_count; i++) {
        if (record->raced[i].config == raced->config)
            return; /* a requested config may be in the list twice */
        worst = record->raced[i].ps > record->raced[worst].ps ? i : worst;
    }
    if (record->raced_count < RECORD_RACED_MAX)
        record->raced[record->raced_count++] = *raced;
    else if (raced->ps < record->raced[worst].ps)
        record->raced[worst] = *raced;
}

static int add_raced(struct records *swept, struct record *record, const struct setup *setup,
                     const struct tune_place *place, double ratio, struct error *error)
{
    struct record other = *record;
    struct raced raced;
    tune_save_config(&other, setup, place->config);
    const struct config config = store_config(&other);
    const double ps = (double)record->median_ps * ratio;
    const double high = ps * (double)place->high_ps / (double)place->median_ps;
    raced.ps = (uint64_t)llround(fmax(ps, 1));
    raced.high_ps = (uint64_t)llround(fmax(high, (double)raced.ps));
    if (configs_add(&raced.config, &swept->configs, &config, error))
        return -1;
    keep_raced(record, &raced);
    return 0;
}

/* Moves the last record to its place by n; it replaces another of the same n. */
static void sort_last(struct sweep_regime *regime)
{
    struct records *swept = &regime->swept;
    const struct record last = swept->at[--swept->count];
    const uint64_t n = dims_n(&last.problem.dims);
    const size_t at = sweep_regime_below(regime, n);
    const bool is_there = at < swept->count && dims_n(&swept->at[at].problem.dims) == n;
    if (is_there)
        swept->at[at] = last;
    else
        put(swept, at, &last);
}

/* The time of another than the winner is the winner's time, times the race's ratio of the two, and its
 * upper end that of the ratio's interval: a bound, so that a second measurement is hardly higher. */
int sweep_regime_take(struct sweep_regime *regime, const struct setup *setup,
                      const struct record *record, const struct tune_result *result,
                      struct error *error)
{
    struct records *swept = &regime->swept;
    int64_t own[SPACE_NAMES_MAX];
    if (point_parse_record(setup->space, record->params, own, error))
        return -1;
    const struct tune_place *winner = tune_result_place(result, own);
    if (!winner)
        return error_set(error, ERROR_NOISY,
                         "too noisy to decide: no round of the race counts; end what else "
                         "uses this device and run the same command again");
    if (store_add(swept, record, error))
        return -1;
    struct record *added = &swept->at[swept->count - 1];
    for (size_t i = 0; i < result->place_count; i++) {
        const struct tune_place *place = &result->places[i];
        if (tune_result_place(result, place->config) != winner &&
            add_raced(swept, added, setup, place, place->ratio / winner->ratio, error))
            return -1;
    }
    sort_last(regime);
    return 0;
}

static void count_uses(size_t *uses, const struct records *swept)
{
    for (size_t i = 0; i < swept->count; i++) {
        const struct record *record = &swept->at[i];
        uses[record->config] += 2;
        for (size_t k = 0; k < record->raced_count; k++)
            uses[record->raced[k].config]++;
    }
}

static void leave_out(struct record *record, const size_t *uses)
{
    size_t kept = 0;
    for (size_t k = 0; k < record->raced_count; k++)
        if (uses[record->raced[k].config] > 1)
            record->raced[kept++] = record->raced[k];
    record->raced_count = kept;
}

int sweep_regime_collect(struct records *out, struct sweep_regime *regime, struct error *error)
{
    struct records *swept = &regime->swept;
    const size_t room = swept->configs.count + 1;
    size_t *uses = calloc(room, sizeof *uses);
    if (!uses)
        return error_memory(error, room * sizeof *uses);
    count_uses(uses, swept);
    int failed = 0;
    for (size_t i = 0; i < swept->count && !failed; i++) {
        leave_out(&swept->at[i], uses);
        failed = store_copy(out, swept, &swept->at[i], error);
    }
    free(uses);
    return failed ? -1 : 0;
}
