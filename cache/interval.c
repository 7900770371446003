/* interval: finds the intervals of sweeps: sorts the sizes of one problem and regime by n,
 * lists the losses of each, and has sweep_intervals cut them. */
#include "cache/interval.h"

#include "cache/store.h"
#include "generator/array.h"
#include "generator/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OF_ONE_SWEEP = RECORD_PROBLEM | RECORD_SPACE | RECORD_CC | RECORD_GPU };

/* A record that was swept. */
struct size {
    const struct record *record;
    uint64_t group; /* equal for those of one problem on one GPU */
};

/* The sizes of one group, and room for what follows from them. */
struct cut {
    const struct records *records;
    const struct size *sizes;
    size_t count;
    struct sweep_size *losses;
    struct sweep_interval *intervals;
    struct sweep_loss *pool, *room; /* of all sizes; of one */
};

/* --- What is lost at a size --------------------------------------------------------------- */

static double loss_of(const struct record *record, const struct raced *raced)
{
    assert(record->median_ps > 0);
    return fmax(0, (double)raced->high_ps / (double)record->median_ps - 1);
}

static int by_config(const void *a, const void *b)
{
    const struct sweep_loss *x = a, *y = b;
    return number_compare(x->config, y->config);
}

/* The winner loses nothing. Returns the end of what it used of the pool. */
static struct sweep_loss *list_losses(struct sweep_size *out, struct sweep_loss *pool,
                                      const struct record *record)
{
    const struct raced *raced = record->raced;
    size_t count = 0;
    pool[count++] = (struct sweep_loss){record->config, 0};
    for (size_t i = 0; i < record->raced_count; i++)
        if (raced[i].config != record->config)
            pool[count++] = (struct sweep_loss){raced[i].config, loss_of(record, &raced[i])};
    qsort(pool, count, sizeof *pool, by_config);
    *out = (struct sweep_size){.at = pool,
                               .count = count,
                               .limit = (double)record->loss_ppm / 1e6};
    return pool + count;
}

/* Were both measured in the same way, so that their times can be compared? */
static bool is_alike(const struct record *a, const struct record *b)
{
    return a->method == b->method && a->source == b->source &&
           !record_group_difference(a, b, RECORD_TOOLS);
}

static void list_all(struct cut *cut)
{
    struct sweep_loss *pool = cut->pool;
    for (size_t i = 0; i < cut->count; i++) {
        const struct record *record = cut->sizes[i].record;
        pool = list_losses(&cut->losses[i], pool, record);
        cut->losses[i].is_apart = i && !is_alike(cut->sizes[i - 1].record, record);
    }
}

/* --- Intervals ---------------------------------------------------------------------------- */

/* The last n of the interval that ends with the lower of two sizes. */
static uint64_t find_border(const struct record *low, const struct record *high)
{
    const int order = strcmp(low->swept, high->swept);
    return order == 0  ? sweep_border(dims_n(&low->problem.dims), dims_n(&high->problem.dims))
           : order > 0 ? dims_n(&low->problem.dims)
                       : dims_n(&high->problem.dims) - 1;
}

/* The record of an interval: its size at which its config loses least, as if the config had won
 * there. */
static void choose_record(struct record *out, const struct cut *cut,
                          const struct sweep_interval *interval)
{
    const struct config *config = configs_find(&cut->records->configs, interval->config);
    struct raced raced, best = {0};
    double least = INFINITY;
    for (size_t i = interval->first; i <= interval->last; i++) {
        const struct record *size = cut->sizes[i].record;
        if (!interval_raced(&raced, size, interval->config))
            continue;
        const double loss = size->config == interval->config ? 0 : loss_of(size, &raced);
        if (loss >= least)
            continue;
        least = loss;
        best = raced;
        *out = *size;
    }
    assert(least < INFINITY); /* the config was raced at a size that it serves */
    if (out->config == interval->config)
        return;
    assert(config); /* record_parse refuses a number that is none */
    memcpy(out->params, config->params, sizeof out->params);
    out->code = config->code;
    out->config = interval->config;
    out->median_ps = out->low_ps = best.ps;
    out->high_ps = best.high_ps;
    out->registers = out->ties = 0;
    out->error[0] = '\0';
}

static int add_intervals(struct records *records, const struct cut *cut, struct error *error)
{
    const size_t count = sweep_intervals(cut->intervals, cut->losses, cut->count, cut->room);
    for (size_t k = 0; k < count; k++) {
        const struct sweep_interval *one = &cut->intervals[k];
        if (array_grow(&records->intervals, records->interval_count, sizeof *records->intervals,
                       error))
            return -1;
        struct interval *out = &records->intervals[records->interval_count++];
        const struct record *first = cut->sizes[one->first].record;
        const struct record *last = cut->sizes[one->last].record;
        choose_record(&out->record, cut, one);
        out->from = k ? out[-1].to + 1 : dims_n(&first->problem.dims);
        out->to = k + 1 < count ? find_border(last, cut->sizes[one->last + 1].record)
                                : dims_n(&last->problem.dims);
    }
    return 0;
}

/* --- Which sizes belong together ---------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    const struct size *x = a, *y = b;
    const struct problem *p = &x->record->problem, *q = &y->record->problem;
    const int orders[] = {number_compare(x->group, y->group),
                          number_compare(p->regime, q->regime),
                          number_compare(dims_n(&p->dims), dims_n(&q->dims))};
    return number_decide(orders, sizeof orders / sizeof *orders);
}

/* Lists the records of sweeps, sorted. Sizes of one sweep are mostly next to each other in a
 * file. */
static size_t find_sizes(struct size *out, const struct records *records)
{
    size_t count = 0;
    for (size_t i = 0; i < records->count; i++) {
        const struct record *record = &records->at[i];
        if (!interval_is_size(record))
            continue;
        const bool is_next = count && interval_is_alike(out[count - 1].record, record);
        out[count] = (struct size){record, is_next ? out[count - 1].group
                                                   : record_group_hash(record, OF_ONE_SWEEP)};
        count++;
    }
    qsort(out, count, sizeof *out, by_size);
    return count;
}

/* The sizes of one group and regime, from the first on. A size that is there twice, as only in
 * a file made by hand, ends it: the first counts. */
static size_t count_group(const struct size *sizes, size_t count)
{
    size_t end = 1;
    while (end < count && sizes[end].group == sizes->group &&
           sizes[end].record->problem.regime == sizes->record->problem.regime &&
           by_size(&sizes[end - 1], &sizes[end]) < 0)
        end++;
    return end;
}

static int cut_groups(struct records *records, struct cut *cut, const struct size *sizes,
                      size_t count, struct error *error)
{
    for (size_t first = 0; first < count; first += cut->count) {
        cut->sizes = sizes + first;
        cut->count = count_group(cut->sizes, count - first);
        list_all(cut);
        if (add_intervals(records, cut, error))
            return -1;
    }
    return 0;
}

static int open_cut(struct cut *out, const struct records *records, struct error *error)
{
    const size_t sizes = records->count + 1;
    size_t raced = sizes;
    for (size_t i = 0; i < records->count; i++)
        raced += records->at[i].raced_count;
    *out = (struct cut){.records = records,
                        .losses = malloc(sizes * sizeof *out->losses),
                        .intervals = malloc(sizes * sizeof *out->intervals),
                        .pool = malloc(raced * sizeof *out->pool),
                        .room = malloc(raced * sizeof *out->room)};
    return out->losses && out->intervals && out->pool && out->room
               ? 0
               : error_memory(error, 2 * raced * sizeof *out->pool);
}

static void close_cut(struct cut *cut)
{
    free(cut->losses);
    free(cut->intervals);
    free(cut->pool);
    free(cut->room);
}

int interval_compute(struct records *records, struct error *error)
{
    struct size *sizes = malloc((records->count + 1) * sizeof *sizes);
    struct cut cut;
    int failed = open_cut(&cut, records, error);
    records->interval_count = 0;
    if (!sizes)
        failed = error_memory(error, (records->count + 1) * sizeof *sizes);
    if (!failed)
        failed = cut_groups(records, &cut, sizes, find_sizes(sizes, records), error);
    close_cut(&cut);
    free(sizes);
    return failed ? -1 : 0;
}

/* --- What was raced ----------------------------------------------------------------------- */

bool interval_raced(struct raced *out, const struct record *size, uint64_t config)
{
    *out = (struct raced){size->config, size->median_ps, size->high_ps};
    bool is_there = size->config == config;
    for (size_t i = 0; i < size->raced_count && !is_there; i++) {
        *out = size->raced[i];
        is_there = out->config == config;
    }
    return is_there;
}

bool interval_is_size(const struct record *record)
{
    return *record->swept && record->source != RECORD_PUBLISHED;
}

bool interval_is_alike(const struct record *a, const struct record *b)
{
    return !record_group_difference(a, b, OF_ONE_SWEEP);
}

const struct interval *interval_find(const struct records *records, const struct record *record)
{
    const uint64_t n = dims_n(&record->problem.dims);
    for (size_t i = 0; i < records->interval_count; i++) {
        const struct interval *interval = &records->intervals[i];
        if (interval->from <= n && n <= interval->to &&
            interval->record.problem.regime == record->problem.regime &&
            interval_is_alike(&interval->record, record))
            return interval;
    }
    return NULL;
}

static size_t survive(uint64_t *numbers, size_t most, struct cut *cut)
{
    list_all(cut);
    const size_t count = sweep_survivors(cut->room, cut->losses, cut->count);
    for (size_t i = 0; i < count && i < most; i++)
        numbers[i] = cut->room[i].config;
    return count < most ? count : most;
}

size_t interval_survivors(uint64_t *numbers, size_t most, const struct records *records,
                          size_t count)
{
    struct size *sizes = malloc((count + 1) * sizeof *sizes);
    struct cut cut;
    struct error ignored;
    size_t found = 0;
    const bool is_open = open_cut(&cut, records, &ignored) == 0;
    cut.sizes = sizes;
    cut.count = count;
    for (size_t i = 0; i < count && sizes; i++)
        sizes[i].record = &records->at[i];
    if (is_open && sizes)
        found = survive(numbers, most, &cut);
    close_cut(&cut);
    free(sizes);
    return found;
}

static void inherit(struct record *record, const struct raced *raced)
{
    struct raced ignored;
    if (!interval_raced(&ignored, record, raced->config) &&
        record->raced_count < RECORD_RACED_MAX)
        record->raced[record->raced_count++] = *raced;
}

void interval_inherit(struct record *record, const struct record *before)
{
    const struct raced winner = {before->config, before->median_ps, before->high_ps};
    if (strcmp(record->swept, before->swept) >= 0 || !is_alike(record, before))
        return;
    inherit(record, &winner);
    for (size_t i = 0; i < before->raced_count; i++)
        inherit(record, &before->raced[i]);
    memcpy(record->swept, before->swept, sizeof record->swept);
    record->loss_ppm = before->loss_ppm;
}
