/* record_size: how the size of a record is written. */
#include "autotune/command/record_size.h"

#include "generator/number.h"

#include <stdio.h>

const char *record_size_format(char out[DIMS_TEXT_CHARS], const struct interval *served)
{
    char from[NUMBER_CHARS], to[NUMBER_CHARS];
    if (served->from == served->to)
        return dims_text_format(out, &served->record.problem.dims);
    snprintf(out, DIMS_TEXT_CHARS, "%s..%s", number_format_count(from, served->from),
             number_format_count(to, served->to));
    return out;
}

void record_size_add_dims(struct table *table, const struct record *record)
{
    char number[NUMBER_CHARS];
    for (size_t i = 0; i < DIMS_TEXT_CELLS; i++)
        table_add(table, dims_text_cell(number, &record->problem.dims, i));
}
