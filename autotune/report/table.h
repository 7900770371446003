/* table: rows of text in aligned columns, and the same rows as CSV (RFC 4180) or JSON. One
 * description of the columns serves all three. */
#ifndef AUTOTUNE_TABLE_H
#define AUTOTUNE_TABLE_H

#include "generator/error.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stddef.h>

struct table_column {
    const char *title; /* for people: "GB/s" */
    const char *key;   /* for programs: "gbs"; NULL = left out of CSV and JSON */
    bool is_number;    /* right-aligned; bare in JSON */
};

/* Initialise with `struct table t = { .columns = ..., .column_count = ... };` */
struct table {
    const struct table_column *columns;
    size_t column_count;
    char **cells; /* row-major, owned */
    size_t row_count, capacity;
    bool failed;
};
void table_dispose(struct table *table);

/* Adds a cell (copied); rows fill from left to right. NULL is an empty cell (null in JSON). */
void table_add(struct table *table, const char *cell);
void table_addf(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends the table: columns two spaces apart, widths in characters (UTF-8 counted as such). */
void table_print(struct text *out, const struct table *table, bool bold_titles);
void table_csv(struct text *out, const struct table *table);
void table_json(struct text *out, const struct table *table); /* an array of objects */

#endif
