/* sweep_drawing: sorted pointers into the records and their intervals. */
#include "autotune/command/sweep_drawing.h"

#include "autotune/command/setup.h"

#include <math.h>
#include <stdlib.h>

void sweep_drawing_head(struct text *out, const struct problem *problem)
{
    text_addf(out, "%ssweep     %s %s", out->length ? "\n" : "", problem_ops[problem->op].name,
              problem_types[problem->type].name);
    if (problem->acc != problem_default_acc(problem->type))
        text_addf(out, " in %s", problem_types[problem->acc].name);
    if (problem->order == ORDER_RUN)
        text_adds(out, " deterministic");
}

static int by_size(const void *a, const void *b)
{
    const struct record *x = *(const struct record *const *)a;
    const struct record *y = *(const struct record *const *)b;
    if (x->problem.regime != y->problem.regime)
        return x->problem.regime < y->problem.regime ? -1 : 1;
    const uint64_t n = dims_n(&x->problem.dims), m = dims_n(&y->problem.dims);
    return (n > m) - (n < m);
}

const struct interval *sweep_drawing_interval(const struct sweep_drawing *drawing,
                                              const struct record *size)
{
    const uint64_t n = dims_n(&size->problem.dims);
    for (size_t i = 0; i < drawing->interval_count; i++) {
        const struct interval *interval = drawing->intervals[i];
        if (interval->record.problem.regime == size->problem.regime && interval->from <= n &&
            n <= interval->to)
            return interval;
    }
    return NULL;
}

static bool is_of_sweep(const struct record *record, const struct record *like)
{
    return interval_is_size(record) && interval_is_alike(record, like);
}

static double distance(const struct record *size)
{
    const bool is_host = size->source == RECORD_EMULATED;
    const double usual = (double)setup_usual_n(is_host);
    return fabs(log2((double)dims_n(&size->problem.dims) / usual));
}

static const struct record *find_usual(const struct records *records, const struct record *like)
{
    const struct record *best = NULL;
    for (size_t i = 0; i < records->count; i++) {
        const struct record *size = &records->at[i];
        if (!is_of_sweep(size, like))
            continue;
        if (!best || size->problem.regime < best->problem.regime ||
            (size->problem.regime == best->problem.regime && distance(size) < distance(best)))
            best = size;
    }
    return best;
}

static size_t count_raced(const struct records *records, const struct record *like,
                          uint64_t config)
{
    size_t count = 0;
    struct raced ignored;
    for (size_t i = 0; i < records->count; i++)
        count += is_of_sweep(&records->at[i], like) &&
                 interval_raced(&ignored, &records->at[i], config);
    return count;
}

struct sweep_single sweep_drawing_single(const struct records *records,
                                         const struct record *like)
{
    const struct record *usual = find_usual(records, like);
    if (!usual)
        return (struct sweep_single){0, 0};
    uint64_t best = usual->config, best_ps = usual->median_ps;
    size_t most = count_raced(records, like, best);
    for (size_t i = 0; i < usual->raced_count; i++) {
        const struct raced *raced = &usual->raced[i];
        const size_t count = count_raced(records, like, raced->config);
        if (count < most || (count == most && raced->ps >= best_ps))
            continue;
        best = raced->config;
        best_ps = raced->ps;
        most = count;
    }
    return (struct sweep_single){best, dims_n(&usual->problem.dims)};
}

bool sweep_drawing_is_first(const struct records *records, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (is_of_sweep(&records->at[k], &records->at[i]))
            return false;
    return interval_is_size(&records->at[i]);
}

/* Does --n name a part of low..high? */
static bool is_asked_for(const struct request *request, uint64_t low, uint64_t high)
{
    const uint64_t n = dims_n(&request->problem.dims);
    const uint64_t n_high = request->n_high ? request->n_high : n;
    return !request->has_n || (low <= n_high && n <= high);
}

void sweep_drawing_collect(struct sweep_drawing *out, const struct request *request,
                           const struct record *first)
{
    const struct records *records = out->records;
    out->interval_count = out->size_count = 0;
    for (size_t i = 0; i < records->interval_count; i++) {
        const struct interval *interval = &records->intervals[i];
        if (interval_is_alike(&interval->record, first) &&
            is_asked_for(request, interval->from, interval->to))
            out->intervals[out->interval_count++] = interval;
    }
    for (size_t i = 0; i < records->count; i++) {
        const struct record *size = &records->at[i];
        if (is_of_sweep(size, first) &&
            is_asked_for(request, dims_n(&size->problem.dims), dims_n(&size->problem.dims)))
            out->sizes[out->size_count++] = size;
    }
    if (out->size_count)
        qsort(out->sizes, out->size_count, sizeof *out->sizes, by_size);
    out->single = sweep_drawing_single(records, first);
}
