/* measured_figure: writes the numbers of a figure with the digits that its source has, and makes a cell of
 * each of its parts. */
#include "autotune/compare/measured_figure.h"

#include "autotune/print/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- Numbers ------------------------------------------------------------------------------ */

static void write_value(struct measured_number *out, const struct published_value *value)
{
    *out = (struct measured_number){.is_computed = !value->is_own};
    if (value->value > 0)
        figures_short(out->text, value->value, value->digits);
}

void measured_figure_of_values(struct measured_figure *out, const struct published_value *ms,
                               const struct published_value *gbs,
                               const struct published_value *share)
{
    write_value(&out->ms, ms);
    write_value(&out->gbs, gbs);
    write_value(&out->share, share);
}

/* With the document's digits. */
static void take_published(struct measured_figure *out, const struct compare_published *of)
{
    snprintf(out->us.text, sizeof out->us.text, "%s", of->us);
    snprintf(out->time.text, sizeof out->time.text, "%s", of->time);
    write_value(&out->gbs, &of->gbs);
    write_value(&out->share, &of->share);
}

/* A bound that is no finding has no speed, and a bound no time. */
static void take_own(struct measured_figure *out, const struct compare_cell *cell)
{
    if (cell->ps && cell->basis > COMPARE_PREDICTED) {
        figures_us(out->us.text, cell->ps);
        snprintf(out->time.text, sizeof out->time.text, "%.24s us", out->us.text);
    }
    if (compare_is_free(cell))
        return;
    if (cell->gbs > 0)
        figures_speed(out->gbs.text, cell->gbs);
    if (cell->peak_pct >= 0)
        snprintf(out->share.text, sizeof out->share.text, "%.1f", cell->peak_pct);
}

void measured_figure_of_cell(struct measured_figure *out, const struct compare *compare,
                             const struct compare_line *line, size_t side)
{
    const struct compare_cell *cell = &line->cells[side];
    *out = (struct measured_figure){.problem = &line->problem,
                                    .gpu = compare->sides[side].name,
                                    .kernel = cell->winner,
                                    .basis = compare_basis_word(cell),
                                    .source = cell->source,
                                    .cause = cell->analysis.bound > 0
                                                 ? compare_limiter(&cell->analysis)
                                                 : ""};
    if (cell->basis == COMPARE_PUBLISHED)
        take_published(out, &cell->published);
    else
        take_own(out, cell);
}

/* --- Cells -------------------------------------------------------------------------------- */

static void add_text(struct table *table, const char *text)
{
    table_add(table, text && *text ? text : NULL);
}

void measured_op(struct table *table, const void *row)
{
    table_add(table, ((const struct measured_figure *)row)->problem->op->name);
}

void measured_type(struct table *table, const void *row)
{
    table_add(table, problem_types[((const struct measured_figure *)row)->problem->type].name);
}

void measured_acc(struct table *table, const void *row)
{
    table_add(table, problem_types[((const struct measured_figure *)row)->problem->acc].name);
}

void measured_order(struct table *table, const void *row)
{
    table_add(table,
              problem_orders[((const struct measured_figure *)row)->problem->order].name);
}

static const struct dims *dims_of(const void *row)
{
    return &((const struct measured_figure *)row)->problem->dims;
}

void measured_n(struct table *table, const void *row)
{
    table_addf(table, "%" PRIu64, dims_n(dims_of(row)));
}

/* Of one of many results; empty where all are of one. */
void measured_depth(struct table *table, const void *row)
{
    const uint64_t elements = published_row(((const struct measured_figure *)row)->problem);
    if (elements)
        table_addf(table, "%" PRIu64, elements);
    else
        table_add(table, NULL);
}

const struct table_column measured_dims_columns[MEASURED_DIMS] = {DIMS_TEXT_SHOWN,
                                                                  DIMS_TEXT_COLUMNS};

void measured_dims(struct table *table, const void *row)
{
    char text[DIMS_TEXT_CHARS], number[NUMBER_CHARS];
    for (size_t i = 0; i < DIMS_TEXT_SHOWN_CELLS; i++)
        table_add(table, dims_text_shown(text, dims_of(row), i));
    for (size_t i = 0; i < DIMS_TEXT_CELLS; i++)
        table_add(table, dims_text_cell(number, dims_of(row), i));
}

void measured_gpu(struct table *table, const void *row)
{
    table_add(table, ((const struct measured_figure *)row)->gpu);
}

void measured_kernel(struct table *table, const void *row)
{
    add_text(table, ((const struct measured_figure *)row)->kernel);
}

void measured_basis(struct table *table, const void *row)
{
    table_add(table, ((const struct measured_figure *)row)->basis);
}

void measured_source(struct table *table, const void *row)
{
    add_text(table, ((const struct measured_figure *)row)->source);
}

void measured_cause(struct table *table, const void *row)
{
    add_text(table, ((const struct measured_figure *)row)->cause);
}

void measured_us(struct table *table, const void *row)
{
    add_text(table, ((const struct measured_figure *)row)->us.text);
}

void measured_ms(struct table *table, const void *row)
{
    add_text(table, ((const struct measured_figure *)row)->ms.text);
}

void measured_time(struct table *table, const void *row)
{
    add_text(table, ((const struct measured_figure *)row)->time.text);
}

void measured_gbs(struct table *table, const void *row)
{
    add_text(table, ((const struct measured_figure *)row)->gbs.text);
}

void measured_share(struct table *table, const void *row)
{
    add_text(table, ((const struct measured_figure *)row)->share.text);
}
