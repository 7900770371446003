/* sweep_drawing: sorts pointers to records and their intervals, and draws them sweep by
 * sweep. */
#include "autotune/tune/sweep_drawing.h"

#include "autotune/cli/output.h"
#include "autotune/cli/setup.h"
#include "autotune/print/table_fit.h"
#include "autotune/print/terminal.h"
#include "generator/number.h"

#include <math.h>
#include <stdlib.h>

/* --- The single config to compare with ---------------------------------------------------- */

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

/* --- One sweep ---------------------------------------------------------------------------- */

static bool is_first(const struct sweep_kind *kind, const struct records *records, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (kind->is_size(&records->at[k]) && kind->is_alike(&records->at[k], &records->at[i]))
            return false;
    return kind->is_size(&records->at[i]);
}

/* Does --n name a part of low..high? */
static bool is_asked_for(const struct request *request, uint64_t low, uint64_t high)
{
    const uint64_t n = dims_n(&request->problem.dims);
    const uint64_t n_high = request->n_high ? request->n_high : n;
    return !request->has_n || (low <= n_high && n <= high);
}

static void collect_intervals(struct sweep_drawing *out, const struct request *request,
                              const struct record *first)
{
    for (size_t i = 0; i < out->records->interval_count; i++) {
        const struct interval *interval = &out->records->intervals[i];
        if (!interval_is_alike(&interval->record, first) ||
            !is_asked_for(request, interval->from, interval->to))
            continue;
        out->intervals[out->interval_count++] = interval;
        legend_add(&out->legend, interval->record.params);
    }
}

static int by_size(const void *a, const void *b)
{
    const struct problem *x = &(*(const struct record *const *)a)->problem;
    const struct problem *y = &(*(const struct record *const *)b)->problem;
    const int orders[] = {number_compare(x->regime, y->regime),
                          number_compare(x->dims.depth.n, y->dims.depth.n),
                          number_compare(dims_results(&x->dims), dims_results(&y->dims)),
                          number_compare(dims_extent(&x->dims), dims_extent(&y->dims))};
    return number_decide(orders, sizeof orders / sizeof *orders);
}

static void collect(struct sweep_drawing *out, const struct sweep_kind *kind,
                    const struct request *request, const struct record *first)
{
    const struct records *records = out->records;
    out->interval_count = out->size_count = out->legend.count = 0;
    if (kind->has_intervals)
        collect_intervals(out, request, first);
    for (size_t i = 0; i < records->count; i++) {
        const struct record *size = &records->at[i];
        const uint64_t n = dims_n(&size->problem.dims);
        if (kind->is_size(size) && kind->is_alike(size, first) &&
            (!kind->has_intervals || is_asked_for(request, n, n)))
            out->sizes[out->size_count++] = size;
    }
    if (out->size_count)
        qsort(out->sizes, out->size_count, sizeof *out->sizes, by_size);
    for (size_t i = 0; i < out->size_count && !kind->has_intervals; i++)
        legend_add(&out->legend, out->sizes[i]->params);
    out->single = sweep_drawing_single(records, first);
}

static void print_title(struct text *out, const struct sweep_kind *kind,
                        const struct sweep_drawing *drawing)
{
    const struct record *first = drawing->sizes[0];
    const struct problem *problem = &first->problem;
    text_addf(out, "%ssweep     %s %s", out->length ? "\n" : "", problem->op->name,
              problem_types[problem->type].name);
    if (problem->acc != problem_default_acc(problem->type))
        text_addf(out, " in %s", problem_types[problem->acc].name);
    text_adds(out, problem_orders[problem->order].shown);
    kind->title(out, drawing);
    text_adds(out, first->source == RECORD_EMULATED ? "; emulated: no model of a GPU's speed\n"
                                                    : "\n");
}

static void print_table(struct text *out, struct table *table)
{
    table_show(out, table, terminal_has_color(stdout));
    table_dispose(table);
}

static void print_sweep(struct text *out, const struct sweep_kind *kind,
                        struct sweep_drawing *drawing)
{
    struct table sizes = {.columns = kind->columns, .column_count = kind->column_count};
    struct table variants = {.columns = kind->variant_columns,
                             .column_count = kind->variant_column_count};
    struct text shared = {0};
    print_title(out, kind, drawing);
    if (kind->print_sizes) {
        kind->print_sizes(out, drawing);
    } else {
        kind->add_sizes(&sizes, drawing);
        print_table(out, &sizes);
    }
    text_adds(out, "\n");
    kind->add_variants(&variants, drawing);
    print_table(out, &variants);
    legend_add_words(&shared, &drawing->legend, drawing->legend.kernels[0], true);
    if (shared.length)
        text_addf(out, "in all    %s\n", shared.at);
    if (kind->print_end)
        kind->print_end(out, drawing);
    text_dispose(&shared);
}

/* --- All of them -------------------------------------------------------------------------- */

int sweep_drawing_print(const struct sweep_kind *kind, const struct request *request,
                        const struct records *records, size_t *count, struct error *error)
{
    struct table sizes = {.columns = kind->columns, .column_count = kind->column_count};
    struct table variants = {.columns = kind->variant_columns,
                             .column_count = kind->variant_column_count};
    const size_t most = records->count + 1; /* of sizes, and so of intervals and variants */
    struct sweep_drawing drawing = {.records = records,
                                    .intervals = calloc(most, sizeof *drawing.intervals),
                                    .sizes = calloc(most, sizeof *drawing.sizes),
                                    .legend = {calloc(most, sizeof(char *)), 0}};
    struct text text = {0};
    size_t drawn = 0;
    int failed = drawing.intervals && drawing.sizes && drawing.legend.kernels
                     ? 0
                     : error_memory(error, 3 * most * sizeof *drawing.sizes);
    for (size_t i = 0; i < records->count && !failed; i++) {
        if (!is_first(kind, records, i))
            continue;
        collect(&drawing, kind, request, &records->at[i]);
        if (drawing.size_count == 0)
            continue;
        print_sweep(&text, kind, &drawing);
        kind->add_sizes(&sizes, &drawing);
        kind->add_variants(&variants, &drawing);
        drawn++;
    }
    failed = failed || output_both(&request->out, &text, kind->name, &sizes,
                                   kind->variants_name, &variants, error);
    if (count)
        *count = drawn;
    table_dispose(&sizes);
    table_dispose(&variants);
    text_dispose(&text);
    free(drawing.legend.kernels);
    free(drawing.intervals);
    free(drawing.sizes);
    return failed ? -1 : 0;
}
