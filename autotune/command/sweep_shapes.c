/* sweep_shapes: one table of all shapes and one of their variants for programs; for people two
 * tables a group, where letters stand for the variants. */
#include "autotune/command/sweep_shapes.h"

#include "autotune/command/output.h"
#include "autotune/command/sweep_drawing.h"
#include "autotune/device/device.h"
#include "autotune/report/figures.h"
#include "autotune/report/letters.h"
#include "autotune/report/terminal.h"
#include "generator/dims_text.h"

#include <inttypes.h>
#include <stdlib.h>

/* Without a key: for people only. Without a title: for programs only. */
/* clang-format off */
static const struct table_column columns[] = {
    {NULL, "gpu", false},           {NULL, "op", false},
    {NULL, "type", false},          {NULL, "acc", false},
    {NULL, "deterministic", false}, DIMS_TEXT_SHOWN,
    DIMS_TEXT_COLUMNS,              {NULL, "n", true},
    {"regime", "regime", false},    {"us", "us", true},
    {"GB/s", "gbs", true},          {"% peak", "peak_pct", true},
    {"ties", "ties", true},         {"variant", NULL, false},
    {NULL, "params", false},
};
/* clang-format on */
static const struct table_column variant_columns[] = {
    {NULL, "gpu", false},       {NULL, "op", false},    {NULL, "type", false},
    {NULL, "acc", false},       {NULL, "shape", false}, {"variant", NULL, false},
    {"shapes", "shapes", true}, DIMS_TEXT_SPANS,        {"params", NULL, false},
    {NULL, "params", false},
};
enum {
    COLUMNS = sizeof columns / sizeof *columns,
    VARIANT_COLUMNS = sizeof variant_columns / sizeof *variant_columns,
};

/* What is drawn together. */
struct group {
    const struct record **at; /* by regime, elements of a result, results */
    size_t count;
    struct letters letters;
};

/* --- Groups ------------------------------------------------------------------------------- */

static const struct dims one_value = DIMS_VALUE(1); /* drawn apart: sizes of n */

static bool is_first(const struct record *records, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (record_is_same_but_size(&records[k], &records[i]))
            return false;
    return !dims_is_alike(&records[i].problem.dims, &one_value);
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_shape(const void *a, const void *b)
{
    const struct problem *x = &(*(const struct record *const *)a)->problem;
    const struct problem *y = &(*(const struct record *const *)b)->problem;
    const int orders[] = {compare(x->regime, y->regime),
                          compare(x->dims.depth.n, y->dims.depth.n),
                          compare(dims_results(&x->dims), dims_results(&y->dims)),
                          compare(dims_extent(&x->dims), dims_extent(&y->dims))};
    size_t i = 0;
    while (i + 1 < sizeof orders / sizeof *orders && !orders[i])
        i++;
    return orders[i];
}

static void collect(struct group *out, const struct record *first, const struct record *records,
                    size_t count)
{
    out->count = out->letters.count = 0;
    for (size_t i = 0; i < count; i++)
        if (record_is_same_but_size(&records[i], first))
            out->at[out->count++] = &records[i];
    qsort(out->at, out->count, sizeof *out->at, by_shape);
    for (size_t i = 0; i < out->count; i++)
        letters_add(&out->letters, out->at[i]->params);
}

/* --- Shapes ------------------------------------------------------------------------------- */

static void add_shape(struct table *table, const struct problem *problem)
{
    char text[DIMS_TEXT_CHARS], number[NUMBER_CHARS];
    for (size_t i = 0; i < DIMS_TEXT_SHOWN_CELLS; i++)
        table_add(table, dims_text_shown(text, &problem->dims, i));
    for (size_t i = 0; i < DIMS_TEXT_CELLS; i++)
        table_add(table, dims_text_cell(number, &problem->dims, i));
    table_addf(table, "%" PRIu64, dims_n(&problem->dims));
    table_add(table, problem_regimes[problem->regime]);
}

static void add_problem(struct table *table, const struct record *record)
{
    table_add(table, record->gpu);
    table_add(table, problem_ops[record->problem.op].name);
    table_add(table, problem_types[record->problem.type].name);
    table_add(table, problem_types[record->problem.acc].name);
}

static void add_record(struct table *table, struct group *group, const struct record *record)
{
    const struct problem *problem = &record->problem;
    const uint64_t peak = device_peak_of(record->memory_clock_khz, record->bus_bits);
    const double percent = figures_peak_percent(problem, record->median_ps, peak);
    char text[NUMBER_CHARS];
    add_problem(table, record);
    table_add(table, problem->order == ORDER_RUN ? "yes" : "no");
    add_shape(table, problem);
    table_add(table, figures_us(text, record->median_ps));
    table_add(table, figures_speed(text, figures_gbs(problem, record->median_ps)));
    table_add_number(table, percent >= 0, 1, percent);
    table_addf(table, "%u", record->ties);
    table_add(table, letters_name(text, letters_add(&group->letters, record->params)));
    table_add(table, record->params);
}

static void add_group(struct table *table, struct group *group)
{
    for (size_t i = 0; i < group->count; i++)
        add_record(table, group, group->at[i]);
}

/* --- Variants ----------------------------------------------------------------------------- */

static void add_variant(struct table *table, struct group *group, size_t letter)
{
    const char *params = group->letters.kernels[letter];
    struct dims_text_spans spans = {.has_some = false};
    struct text words = {0};
    char name[NUMBER_CHARS], text[DIMS_TEXT_CHARS];
    size_t shapes = 0;
    for (size_t i = 0; i < group->count; i++)
        if (letters_add(&group->letters, group->at[i]->params) == letter) {
            dims_text_widen(&spans, &group->at[i]->problem.dims);
            shapes++;
        }
    add_problem(table, group->at[0]);
    table_add(table, dims_text_name(&group->at[0]->problem.dims));
    table_add(table, letters_name(name, letter));
    table_addf(table, "%zu", shapes);
    for (size_t i = 0; i < DIMS_TEXT_SPANS_CELLS; i++)
        table_add(table, dims_text_span(text, &spans, i));
    letters_add_words(&words, &group->letters, params, false);
    table_add(table, words.length ? words.at : "as below");
    table_add(table, params);
    text_dispose(&words);
}

static void add_variants(struct table *table, struct group *group)
{
    for (size_t i = 0; i < group->letters.count; i++)
        add_variant(table, group, i);
}

/* --- The whole ---------------------------------------------------------------------------- */

/* Which record answers for a shape without one, as find chooses. */
static void print_decision(struct text *out, const struct group *group)
{
    text_addf(
        out,
        "decided   %zu variant%s for %zu shape%s; any other shape takes that of the nearest, "
        "in %s\n",
        group->letters.count, group->letters.count == 1 ? "" : "s", group->count,
        group->count == 1 ? "" : "s", dims_text_nearness(&group->at[0]->problem.dims));
}

static void print_group(struct text *out, struct group *group)
{
    const struct record *first = group->at[0];
    struct table shapes = {.columns = columns, .column_count = COLUMNS};
    struct table variants = {.columns = variant_columns, .column_count = VARIANT_COLUMNS};
    struct text shared = {0};
    sweep_drawing_head(out, &first->problem);
    text_addf(out, " of %s on %s: %zu shape%s%s\n", dims_text_name(&first->problem.dims),
              first->gpu, group->count, group->count == 1 ? "" : "s",
              first->source == RECORD_EMULATED ? "; emulated: no model of a GPU's speed" : "");
    add_group(&shapes, group);
    add_variants(&variants, group);
    table_print(out, &shapes, terminal_has_color(stdout));
    text_adds(out, "\n");
    table_print(out, &variants, terminal_has_color(stdout));
    letters_add_words(&shared, &group->letters, first->params, true);
    if (shared.length)
        text_addf(out, "in all    %s\n", shared.at);
    print_decision(out, group);
    table_dispose(&shapes);
    table_dispose(&variants);
    text_dispose(&shared);
}

int sweep_shapes_print(const struct request *request, const struct record *records,
                       size_t record_count, size_t *count, struct error *error)
{
    struct table shapes = {.columns = columns, .column_count = COLUMNS};
    struct table variants = {.columns = variant_columns, .column_count = VARIANT_COLUMNS};
    struct group group = {.at = calloc(record_count + 1, sizeof *group.at),
                          .letters = {calloc(record_count + 1, sizeof(char *)), 0}};
    struct text text = {0};
    size_t drawn = 0;
    int failed = group.at && group.letters.kernels
                     ? 0
                     : error_memory(error, 2 * record_count * sizeof *group.at);
    for (size_t i = 0; i < record_count && !failed; i++) {
        if (!is_first(records, i))
            continue;
        collect(&group, &records[i], records, record_count);
        print_group(&text, &group);
        add_group(&shapes, &group);
        add_variants(&variants, &group);
        drawn++;
    }
    failed =
        failed || output_both(request, &text, "shapes", &shapes, "variants", &variants, error);
    if (count)
        *count = drawn;
    table_dispose(&shapes);
    table_dispose(&variants);
    text_dispose(&text);
    free(group.letters.kernels);
    free(group.at);
    return failed ? -1 : 0;
}
