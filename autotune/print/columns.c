/* columns: asks each column for its cell, in their order. */
#include "autotune/print/columns.h"

#include <assert.h>
#include <string.h>

static size_t width_of(const struct column *column)
{
    return column->group ? column->count : 1;
}

void columns_begin(struct table *out, struct columns *columns)
{
    size_t at = 0;
    for (size_t i = 0; i < columns->count; i++) {
        const struct column *column = &columns->columns[i];
        const struct table_column one = {column->title, column->key, column->is_number};
        assert(at + width_of(column) <= COLUMNS_MAX);
        memcpy(&columns->as[at], column->group ? column->group : &one,
               width_of(column) * sizeof one);
        at += width_of(column);
    }
    columns->as_count = at;
    *out = (struct table){.columns = columns->as, .column_count = at};
}

void columns_add(struct table *table, const struct columns *columns, const void *row)
{
    for (size_t i = 0; i < columns->count; i++) {
        const size_t before = table->cell_count;
        columns->columns[i].add(table, row);
        assert(table->failed || table->cell_count == before + width_of(&columns->columns[i]));
        (void)before;
    }
}
