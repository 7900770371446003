/* record_cells: writes the cells that all tables of records share. */
#include "autotune/cli/record_cells.h"

#include "autotune/device/device.h"
#include "autotune/print/figures.h"

#include <stdio.h>

void record_cells_add_problem(struct table *table, const struct record *record)
{
    table_add(table, record->gpu);
    table_add(table, record->problem.op->name);
    table_add(table, problem_types[record->problem.type].name);
    table_add(table, problem_types[record->problem.acc].name);
}

const char *record_cells_size(char out[DIMS_TEXT_CHARS], const struct interval *served)
{
    char from[NUMBER_CHARS], to[NUMBER_CHARS];
    if (served->from == served->to)
        return dims_text_format(out, &served->record.problem.dims);
    snprintf(out, DIMS_TEXT_CHARS, "%s..%s", number_format_count(from, served->from),
             number_format_count(to, served->to));
    return out;
}

void record_cells_add_dims(struct table *table, const struct record *record)
{
    char number[NUMBER_CHARS];
    for (size_t i = 0; i < DIMS_TEXT_CELLS; i++)
        table_add(table, dims_text_cell(number, &record->problem.dims, i));
}

void record_cells_add_speed(struct table *table, const struct record *record, uint64_t ps)
{
    const uint64_t peak = device_peak_of(record->memory_clock_khz, record->bus_bits);
    const double percent = figures_peak_percent(&record->problem, ps, peak);
    char number[NUMBER_CHARS];
    table_add(table, figures_us(number, ps));
    table_add(table, figures_speed(number, figures_gbs(&record->problem, ps)));
    table_add_number(table, percent >= 0, 1, percent);
}
