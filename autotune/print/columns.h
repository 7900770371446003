/* columns: makes a table of rows of one kind by a list of columns, each of which knows how its cell is
 * made: so that a column is one line, wherever it stands, and no two lists need the same order. */
#ifndef AUTOTUNE_COLUMNS_H
#define AUTOTUNE_COLUMNS_H

#include "autotune/print/table.h"

/* Makes the cell of a row: adds one, or those of a group. */
typedef void columns_cell(struct table *table, const void *row);

struct column {
    const char *title, *key; /* as of struct table_column */
    bool is_number;
    columns_cell *add;
    /* In their place several columns, whose titles stand elsewhere; NULL = it is one. */
    const struct table_column *group;
    size_t count;
};

#define COLUMN(title, key, is_number, add) {title, key, is_number, add, NULL, 0}
#define COLUMN_GROUP(group, add)                                                               \
    {NULL, NULL, false, add, group, sizeof(group) / sizeof *(group)}

enum { COLUMNS_MAX = 80 };

/* The columns of tables, which it must outlive. Set the first two. */
struct columns {
    const struct column *columns;
    size_t count;
    struct table_column as[COLUMNS_MAX]; /* by columns_begin */
    size_t as_count;
};

/* Makes an empty table with these columns; the first time for all. */
void columns_begin(struct table *out, struct columns *columns);

/* Adds a row of it. */
void columns_add(struct table *table, const struct columns *columns, const void *row);

#endif
