/* sweep_drawing_dims: writes one table of all shapes and one of their variants for programs; for
 * people two tables for each group, with a legend of the variants. */
#include "autotune/tune/sweep_drawing.h"

#include "autotune/cli/record_cells.h"
#include "cache/find.h"
#include "generator/dims_text.h"

#include <inttypes.h>

/* Without a key: for people only. Without a title: for programs only. */
/* clang-format off */
static const struct table_column columns[] = {
    {NULL, "gpu", false},           {NULL, "op", false},
    {NULL, "type", false},          {NULL, "acc", false},
    {NULL, "order", false},         DIMS_TEXT_SHOWN,
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

/* --- Shapes ------------------------------------------------------------------------------- */

static void add_shape(struct table *table, const struct record *record)
{
    const struct problem *problem = &record->problem;
    char text[DIMS_TEXT_CHARS];
    for (size_t i = 0; i < DIMS_TEXT_SHOWN_CELLS; i++)
        table_add(table, dims_text_shown(text, &problem->dims, i));
    record_cells_add_dims(table, record);
    table_addf(table, "%" PRIu64, dims_n(&problem->dims));
    table_add(table, problem_regimes[problem->regime]);
}

static void add_record(struct table *table, struct sweep_drawing *drawing,
                       const struct record *record)
{
    const struct problem *problem = &record->problem;
    char name[NUMBER_CHARS];
    record_cells_add_problem(table, record);
    table_add(table, problem_orders[problem->order].name);
    add_shape(table, record);
    record_cells_add_speed(table, record, record->median_ps);
    table_addf(table, "%u", record->ties);
    table_add(table, legend_name(name, legend_add(&drawing->legend, record->params)));
    table_add(table, record->params);
}

static void add_shapes(struct table *table, struct sweep_drawing *drawing)
{
    for (size_t i = 0; i < drawing->size_count; i++)
        add_record(table, drawing, drawing->sizes[i]);
}

/* --- Variants ----------------------------------------------------------------------------- */

static void add_variant(struct table *table, struct sweep_drawing *drawing, size_t letter)
{
    const char *params = drawing->legend.kernels[letter];
    struct dims_text_spans spans = {.has_some = false};
    struct text words = {0};
    char name[NUMBER_CHARS], text[DIMS_TEXT_CHARS];
    size_t shapes = 0;
    for (size_t i = 0; i < drawing->size_count; i++)
        if (legend_add(&drawing->legend, drawing->sizes[i]->params) == letter) {
            dims_text_widen(&spans, &drawing->sizes[i]->problem.dims);
            shapes++;
        }
    record_cells_add_problem(table, drawing->sizes[0]);
    table_add(table, dims_text_name(&drawing->sizes[0]->problem.dims));
    table_add(table, legend_name(name, letter));
    table_addf(table, "%zu", shapes);
    for (size_t i = 0; i < DIMS_TEXT_SPANS_CELLS; i++)
        table_add(table, dims_text_span(text, &spans, i));
    legend_add_words(&words, &drawing->legend, params, false);
    table_add(table, words.length ? words.at : "as below");
    table_add(table, params);
    text_dispose(&words);
}

static void add_variants(struct table *table, struct sweep_drawing *drawing)
{
    for (size_t i = 0; i < drawing->legend.count; i++)
        add_variant(table, drawing, i);
}

/* --- The whole ---------------------------------------------------------------------------- */

/* Prints which record answers for a shape without one (cache/find.h). */
static void print_decision(struct text *out, const struct sweep_drawing *drawing)
{
    text_addf(
        out,
        "decided   %zu variant%s for %zu shape%s; one within %d %% takes that of the nearest, "
        "in %s\n",
        drawing->legend.count, drawing->legend.count == 1 ? "" : "s", drawing->size_count,
        drawing->size_count == 1 ? "" : "s", FIND_LENGTH_PERCENT,
        dims_text_nearness(&drawing->sizes[0]->problem.dims));
}

static void add_title(struct text *out, const struct sweep_drawing *drawing)
{
    const struct record *first = drawing->sizes[0];
    text_addf(out, " of %s on %s: %zu shape%s", dims_text_name(&first->problem.dims),
              first->gpu, drawing->size_count, drawing->size_count == 1 ? "" : "s");
}

/* A single value is not a shape: sizes of n are drawn by sweep_drawing_n. */
static bool is_shape(const struct record *record)
{
    static const struct dims one_value = DIMS_VALUE(1);
    return !dims_is_alike(&record->problem.dims, &one_value);
}

const struct sweep_kind sweep_drawing_dims = {
    .name = "shapes",
    .variants_name = "variants",
    .columns = columns,
    .column_count = COLUMNS,
    .variant_columns = variant_columns,
    .variant_column_count = VARIANT_COLUMNS,
    .is_size = is_shape,
    .is_alike = record_is_same_but_size,
    .title = add_title,
    .add_sizes = add_shapes,
    .add_variants = add_variants,
    .print_end = print_decision,
};
