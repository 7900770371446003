/* record_size: how the size of a record is written. */
#include "autotune/command/record_size.h"

#include "generator/number.h"

#include <inttypes.h>
#include <stdio.h>

const char *record_size_format(char out[DIMS_TEXT_CHARS], const struct record *record)
{
    char from[NUMBER_CHARS], to[NUMBER_CHARS];
    if (!record->n_to)
        return dims_text_format(out, &record->problem.dims);
    snprintf(out, DIMS_TEXT_CHARS, "%s..%s", number_format_count(from, record->n_from),
             number_format_count(to, record->n_to));
    return out;
}

static void add_if(struct table *table, bool is_there, uint64_t value)
{
    if (is_there)
        table_addf(table, "%" PRIu64, value);
    else
        table_add(table, NULL);
}

void record_size_add_n(struct table *table, const struct record *record)
{
    add_if(table, true, dims_n(&record->problem.dims));
    add_if(table, record->n_to, record->n_from);
    add_if(table, record->n_to, record->n_to);
}

void record_size_add_dims(struct table *table, const struct record *record)
{
    char number[NUMBER_CHARS];
    for (size_t i = 0; i < DIMS_TEXT_CELLS; i++)
        table_add(table, dims_text_cell(number, &record->problem.dims, i));
}
