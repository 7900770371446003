/* table: writes rows of text in aligned columns, and the same rows as CSV (RFC 4180) or JSON.
 * One description of the columns serves all three. */
#ifndef AUTOTUNE_TABLE_H
#define AUTOTUNE_TABLE_H

#include "generator/error.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stddef.h>

struct table_column {
    const char *title; /* for people: "GB/s"; NULL = not shown to them */
    const char *key;   /* for programs: "gbs"; NULL = left out of CSV and JSON */
    bool is_number;    /* right-aligned; bare in JSON */
};

/* Initialise with `struct table t = { .columns = ..., .column_count = ... };` */
struct table {
    const struct table_column *columns;
    size_t column_count;
    char **cells;     /* row-major, owned */
    size_t row_count; /* rows begun */
    size_t cell_count;
    size_t marked; /* the row, from 1 on, that is as bold as the titles; 0 = none */
    bool failed;
};
void table_dispose(struct table *table);

/* Adds a cell (copied); rows fill from left to right. NULL is an empty cell (null in JSON), and
 * so are cells missing from the last row. Numbers are written with a point in every locale. A
 * failed allocation is remembered and makes the text of every output below fail. */
void table_add(struct table *table, const char *cell);
void table_addf(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a row of cells by their columns' keys, or titles of those that have no key; a column that
 * is not among them is empty. So tables of different columns take the same values. */
struct table_value {
    const char *title, *key, *cell;
};
void table_add_named(struct table *table, const struct table_value *values, size_t count);

/* Adds a number with so many decimals; an empty cell where it is not known. */
void table_add_number(struct table *table, bool is_known, int decimals, double value);

/* The cell; NULL where it is empty. */
const char *table_cell(const struct table *table, size_t row, size_t column);

/* Has the column the same text in every row? No cell is the same as an empty one. */
bool table_is_alike(const struct table *table, size_t column);

/* Appends the table: columns two spaces apart, widths in characters (UTF-8 counted as such),
 * control characters shown as '?', no spaces at the ends of lines. */
void table_print(struct text *out, const struct table *table, bool bold_titles);

/* How many characters the widest line of table_print has. */
size_t table_width(const struct table *table);

/* Appends a line of keys and a line for each row, each ended by CR LF as in RFC 4180. */
void table_csv(struct text *out, const struct table *table);

/* Appends the lines of the rows from `first` on, 0 being the first, without keys. */
void table_csv_rows(struct text *out, const struct table *table, size_t first);

/* Appends an array of objects, one a line. A number is written as it is where JSON has such a
 * number, else (nan, 400M) as a string. */
void table_json(struct text *out, const struct table *table);

#endif
