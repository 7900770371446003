/* sweep_drawing: sorted pointers into a heap of records. */
#include "autotune/command/sweep_drawing.h"

#include "autotune/command/setup.h"
#include "autotune/tune/sweep.h"

#include <stdlib.h>

void sweep_drawing_head(struct text *out, const struct problem *problem)
{
    text_addf(out, "%ssweep     %s %s", out->length ? "\n" : "", problem_ops[problem->op].name,
              problem_types[problem->type].name);
    if (problem->acc != problem_default_acc(problem->type))
        text_addf(out, " in %s", problem_types[problem->acc].name);
    if (problem->is_deterministic)
        text_adds(out, " deterministic");
}

static int by_size(const void *a, const void *b)
{
    const struct record *x = *(const struct record *const *)a;
    const struct record *y = *(const struct record *const *)b;
    if (x->problem.regime != y->problem.regime)
        return x->problem.regime < y->problem.regime ? -1 : 1;
    return (dims_n(&x->problem.dims) > dims_n(&y->problem.dims)) - (dims_n(&x->problem.dims) < dims_n(&y->problem.dims));
}

void sweep_drawing_sort(const struct record **records, size_t count)
{
    if (count)
        qsort(records, count, sizeof *records, by_size);
}

const struct record *sweep_drawing_interval(const struct sweep_drawing *drawing,
                                            const struct record *size)
{
    for (size_t i = 0; i < drawing->interval_count; i++) {
        const struct record *interval = drawing->intervals[i];
        if (interval->problem.regime == size->problem.regime &&
            interval->n_from <= dims_n(&size->problem.dims) && dims_n(&size->problem.dims) <= interval->n_to)
            return interval;
    }
    return NULL;
}

uint64_t sweep_drawing_compared(const struct record *records, size_t count,
                                const struct record *like)
{
    size_t most = 0;
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t votes = 0;
        for (size_t k = 0; k < count && records[i].single_ps; k++)
            votes += records[k].single_ps && records[k].single_n == records[i].single_n &&
                     record_is_same_but_size(&records[k], like);
        if (votes > most) {
            most = votes;
            found = records[i].single_n;
        }
    }
    return found;
}

bool sweep_drawing_has_single(const struct sweep_drawing *drawing, const struct record *size)
{
    return size->single_ps && size->single_n == drawing->compared;
}

/* Where records do not say: what the sizes of the first regime are compared with, the others are
 * too. */
static uint64_t guess_single(const struct sweep_drawing *drawing)
{
    uint64_t sizes[SWEEP_SIZES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < drawing->size_count && count < SWEEP_SIZES_MAX; i++)
        if (drawing->sizes[i]->problem.regime == drawing->sizes[0]->problem.regime)
            sizes[count++] = dims_n(&drawing->sizes[i]->problem.dims);
    const bool is_host = count && drawing->sizes[0]->source == RECORD_EMULATED;
    return count ? sizes[sweep_nearest(sizes, count, setup_usual_n(is_host))] : 0;
}

/* The part of a sweep that --n names. */
static void leave_others(struct sweep_drawing *drawing, const struct request *request)
{
    const uint64_t low = dims_n(&request->problem.dims), high = request->n_high ? request->n_high : low;
    size_t sizes = 0, intervals = 0;
    for (size_t i = 0; i < drawing->size_count && request->has_n; i++)
        if (low <= dims_n(&drawing->sizes[i]->problem.dims) && dims_n(&drawing->sizes[i]->problem.dims) <= high)
            drawing->sizes[sizes++] = drawing->sizes[i];
    for (size_t i = 0; i < drawing->interval_count && request->has_n; i++)
        if (drawing->intervals[i]->n_from <= high && low <= drawing->intervals[i]->n_to)
            drawing->intervals[intervals++] = drawing->intervals[i];
    if (request->has_n) {
        drawing->size_count = sizes;
        drawing->interval_count = intervals;
    }
}

bool sweep_drawing_is_first(const struct record *records, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (records[k].n_to && record_is_same_but_size(&records[k], &records[i]))
            return false;
    return records[i].n_to != 0;
}

void sweep_drawing_collect(struct sweep_drawing *out, const struct request *request,
                           const struct record *first, const struct record *records,
                           size_t count)
{
    out->interval_count = out->size_count = 0;
    for (size_t i = 0; i < count; i++)
        if (records[i].n_to && record_is_same_but_size(&records[i], first))
            out->intervals[out->interval_count++] = &records[i];
    for (size_t i = 0; i < count; i++)
        if (!records[i].n_to && (records[i].interval_ps || records[i].single_ps) &&
            record_is_same_but_size(&records[i], first) &&
            sweep_drawing_interval(out, &records[i]))
            out->sizes[out->size_count++] = &records[i];
    sweep_drawing_sort(out->intervals, out->interval_count);
    sweep_drawing_sort(out->sizes, out->size_count);
    out->compared = sweep_drawing_compared(records, count, first);
    out->single_n = out->compared ? out->compared : guess_single(out);
    leave_others(out, request);
}
