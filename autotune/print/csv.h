/* csv: reads a table in the form of RFC 4180, whose columns are known by their titles: a reader
 * takes the columns that it knows and ignores the others, in any order. Writes cells in that form. */
#ifndef AUTOTUNE_CSV_H
#define AUTOTUNE_CSV_H

#include "generator/text.h"

#include <stdbool.h>
#include <stddef.h>

struct csv {
    char *bytes;          /* the text that the cells point into */
    const char **cells;   /* row by row, the titles first */
    size_t columns, rows; /* rows: without the titles */
};

/* `file` names the bytes in errors. The first line has the titles. ERROR_USAGE with FILE:LINE:
 * no titles, a line with more or fewer cells than these, a quote that is never closed or has
 * text after it, a zero byte, or outside quotes a control character other than tab. Within
 * quotes all others are text: show cells with text_add_visible. Dispose of it after a success
 * only. */
int csv_load(struct csv *out, const char *file, const char *bytes, size_t length,
             struct error *error);
void csv_dispose(struct csv *csv);

/* The column of this title, or -1. */
int csv_find(const struct csv *csv, const char *title);

/* A cell; "" for the column -1. */
const char *csv_at(const struct csv *csv, size_t row, int column);

/* A cell as a number of at most 6 decimals; false when it is none. */
bool csv_real(double *out, const struct csv *csv, size_t row, int column);

/* Appends a cell, in quotes where it needs them. */
void csv_add(struct text *out, const char *field);

#endif
