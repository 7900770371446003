/* sweep_drawing_n: writes one table of all sizes for programs; for people a table for each sweep,
 * with bars where there is room, and a legend of its variants. */
#include "autotune/tune/sweep_drawing.h"

#include "autotune/cli/record_cells.h"
#include "autotune/print/figures.h"
#include "autotune/print/table_fit.h"
#include "autotune/print/terminal.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    BAR_MIN = 12, /* characters; a narrower bar shows nothing */
    BAR_MAX = 40,
};

/* --- Sizes -------------------------------------------------------------------------------- */

/* Without a key: for people only. Without a title: for programs only. */
enum { SINGLE_US = 17 };
static const struct table_column columns[] = {
    {NULL, "gpu", false},
    {NULL, "op", false},
    {NULL, "type", false},
    {NULL, "acc", false},
    {NULL, "order", false},
    {"n", NULL, true},
    {NULL, "n", true},
    {"regime", "regime", false},
    {"variant", NULL, false},
    {NULL, "n_from", true},
    {NULL, "n_to", true},
    {"us", "us", true},
    {"GB/s", "gbs", true},
    {"% peak", "peak_pct", true},
    {"loss %", "loss_pct", true},
    {NULL, "own_us", true},
    {NULL, "single_n", true},
    [SINGLE_US] = {"us of one", "single_us", true},
    {"x", "single_ratio", true},
    {NULL, "params", false},
    {"", NULL, false},
    {NULL, "own_params", false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* No "-0.0". */
static void add_tenths(struct table *table, double value)
{
    table_addf(table, "%.1f", value > -0.05 && value < 0.05 ? 0 : value);
}

/* The time of the interval's config at the size; never 0, for it was raced there. */
static uint64_t interval_ps(const struct sweep_drawing *drawing, const struct record *size)
{
    const struct interval *interval = interval_find(drawing->records, size);
    struct raced raced = {.ps = 0};
    if (interval)
        interval_raced(&raced, size, interval->record.config);
    assert(raced.ps);
    return raced.ps;
}

static double loss_percent(const struct sweep_drawing *drawing, const struct record *size)
{
    return 100 * ((double)interval_ps(drawing, size) / (double)size->median_ps - 1);
}

static void add_problem(struct table *table, const struct record *size)
{
    const struct problem *problem = &size->problem;
    char n[NUMBER_CHARS];
    record_cells_add_problem(table, size);
    table_add(table, problem_orders[problem->order].name);
    table_add(table, number_format_count(n, dims_n(&problem->dims)));
    table_addf(table, "%" PRIu64, dims_n(&problem->dims));
    table_add(table, problem_regimes[problem->regime]);
}

static void add_empty(struct table *table, int count)
{
    for (int i = 0; i < count; i++)
        table_add(table, NULL);
}

static void add_figures(struct table *table, const struct sweep_drawing *drawing,
                        const struct record *size)
{
    char us[NUMBER_CHARS];
    record_cells_add_speed(table, size, interval_ps(drawing, size));
    add_tenths(table, loss_percent(drawing, size));
    table_add(table, figures_us(us, size->median_ps));
}

/* A later sweep of a part may not have raced the single config. */
static void add_single(struct table *table, const struct sweep_drawing *drawing,
                       const struct record *size)
{
    char us[NUMBER_CHARS];
    struct raced raced;
    if (!interval_raced(&raced, size, drawing->single.config)) {
        add_empty(table, 3);
        return;
    }
    table_addf(table, "%" PRIu64, drawing->single.n);
    table_add(table, figures_us(us, raced.ps));
    table_addf(table, "%.2f", (double)raced.ps / (double)interval_ps(drawing, size));
}

static double most_gbs(const struct sweep_drawing *drawing)
{
    double most = 0;
    for (size_t i = 0; i < drawing->size_count; i++)
        most = fmax(most, figures_gbs(&drawing->sizes[i]->problem,
                                      interval_ps(drawing, drawing->sizes[i])));
    return most;
}

/* Adds a bar in proportion to the maximum, which takes `room`. */
static void add_bar(struct table *table, const struct sweep_drawing *drawing,
                    const struct record *size, double most, int room)
{
    struct terminal_style style = terminal_style(stdout);
    struct text bar = {0};
    style.has_color = false; /* cells hold none */
    terminal_bar(&bar, figures_gbs(&size->problem, interval_ps(drawing, size)) / most, room,
                 &style);
    while (bar.length && bar.at[bar.length - 1] == ' ')
        bar.at[--bar.length] = '\0';
    table->failed |= bar.failed;
    table_add(table, bar.at);
    text_dispose(&bar);
}

/* An odd n that the sweep chose itself, between its sizes. */
static bool is_between(const struct record *size)
{
    return size->raced_only && dims_n(&size->problem.dims) % 2;
}

static size_t count_between(const struct sweep_drawing *drawing)
{
    size_t count = 0;
    for (size_t i = 0; i < drawing->size_count; i++)
        count += is_between(drawing->sizes[i]);
    return count;
}

/* People get the sizes that were asked for. */
static void add_drawn(struct table *table, struct sweep_drawing *drawing, bool has_between,
                      int bar_columns)
{
    const double most = most_gbs(drawing);
    for (size_t i = 0; i < drawing->size_count; i++) {
        const struct record *size = drawing->sizes[i];
        if (is_between(size) && !has_between)
            continue;
        const struct interval *interval = interval_find(drawing->records, size);
        const char *params = interval->record.params;
        char name[NUMBER_CHARS];
        add_problem(table, size);
        table_add(table, legend_name(name, legend_add(&drawing->legend, params)));
        table_addf(table, "%" PRIu64, interval->from);
        table_addf(table, "%" PRIu64, interval->to);
        add_figures(table, drawing, size);
        add_single(table, drawing, size);
        table_add(table, params);
        add_bar(table, drawing, size, most, bar_columns);
        table_add(table, size->params);
    }
}

static void add_sizes(struct table *table, struct sweep_drawing *drawing)
{
    add_drawn(table, drawing, true, 0);
}

static void print_sizes(struct text *out, struct sweep_drawing *drawing)
{
    struct table_column own[COLUMNS];
    char n[NUMBER_CHARS], title[NUMBER_CHARS + 8];
    const int room = terminal_style(stdout).width;
    int bar_columns = 0;
    snprintf(title, sizeof title, "us of %s's", number_format_count(n, drawing->single.n));
    memcpy(own, columns, sizeof own);
    own[SINGLE_US].title = title;
    for (int pass = 0; pass < 2; pass++) { /* the first pass finds the width */
        struct table table = {.columns = own, .column_count = COLUMNS};
        add_drawn(&table, drawing, false, bar_columns);
        if (pass == 1)
            table_show(out, &table, terminal_has_color(stdout));
        const int width = (int)table_width(&table) + 2;
        table_dispose(&table);
        bar_columns = room < width + BAR_MIN   ? 0
                      : room - width < BAR_MAX ? room - width
                                               : BAR_MAX;
    }
}

/* --- Intervals ---------------------------------------------------------------------------- */

static const struct table_column interval_columns[] = {
    {NULL, "gpu", false},        {NULL, "op", false},      {NULL, "type", false},
    {NULL, "acc", false},        {"variant", NULL, false}, {"from", NULL, true},
    {"to", NULL, true},          {NULL, "n_from", true},   {NULL, "n_to", true},
    {"regime", "regime", false}, {"sizes", "sizes", true}, {"loss %", "loss_pct", true},
    {"params", NULL, false},     {NULL, "params", false},
};
enum { INTERVAL_COLUMNS = sizeof interval_columns / sizeof *interval_columns };

static void add_interval(struct table *table, struct sweep_drawing *drawing,
                         const struct interval *interval)
{
    const struct record *record = &interval->record;
    char text[NUMBER_CHARS];
    struct text words = {0};
    size_t sizes = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < drawing->size_count; i++)
        if (interval_find(drawing->records, drawing->sizes[i]) == interval) {
            most = fmax(most, loss_percent(drawing, drawing->sizes[i]));
            sizes++;
        }
    record_cells_add_problem(table, record);
    table_add(table, legend_name(text, legend_add(&drawing->legend, record->params)));
    table_add(table, number_format_count(text, interval->from));
    table_add(table, number_format_count(text, interval->to));
    table_addf(table, "%" PRIu64, interval->from);
    table_addf(table, "%" PRIu64, interval->to);
    table_add(table, problem_regimes[record->problem.regime]);
    table_addf(table, "%zu", sizes);
    if (isfinite(most)) /* else --n has none of the sizes */
        add_tenths(table, most);
    else
        add_empty(table, 1);
    legend_add_words(&words, &drawing->legend, record->params, false);
    table_add(table, words.length ? words.at : "as below");
    table_add(table, record->params);
    text_dispose(&words);
}

static void add_intervals(struct table *table, struct sweep_drawing *drawing)
{
    for (size_t i = 0; i < drawing->interval_count; i++)
        add_interval(table, drawing, drawing->intervals[i]);
}

/* --- The whole ---------------------------------------------------------------------------- */

static void add_title(struct text *out, const struct sweep_drawing *drawing)
{
    const size_t between = count_between(drawing), own = drawing->size_count - between;
    text_addf(out, " on %s: %zu size%s", drawing->sizes[0]->gpu, own, own == 1 ? "" : "s");
    if (between)
        text_addf(out, " and %zu between", between);
    text_addf(out, ", %zu interval%s", drawing->interval_count,
              drawing->interval_count == 1 ? "" : "s");
}

const struct sweep_kind sweep_drawing_n = {
    .name = "sizes",
    .variants_name = "intervals",
    .columns = columns,
    .column_count = COLUMNS,
    .variant_columns = interval_columns,
    .variant_column_count = INTERVAL_COLUMNS,
    .has_intervals = true,
    .is_size = interval_is_size,
    .is_alike = interval_is_alike,
    .title = add_title,
    .add_sizes = add_sizes,
    .print_sizes = print_sizes,
    .add_variants = add_intervals,
};
