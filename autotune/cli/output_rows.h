/* output_rows: writes the --csv of a command that takes long: each row as it is done, so that
 * whatever ends the command, Ctrl-C or the power, the rows that were done are there. A file of
 * that name is replaced when the first row is done: a command that did nothing leaves it. */
#ifndef AUTOTUNE_OUTPUT_ROWS_H
#define AUTOTUNE_OUTPUT_ROWS_H

#include "autotune/cli/output.h"
#include "autotune/cli/output_file.h"
#include "autotune/print/table.h"

struct output_rows {
    const char *path; /* NULL: nothing is written; "-": to stdout */
    struct output_file file;
    bool is_begun, has_failed;
    size_t count; /* of the table's rows, that are written */
};

/* Writes the rows of the table that were not written yet, below the titles. ERROR_IO with path and
 * cause; after that nothing is written, and closing fails. */
int output_rows_write(struct output_rows *rows, const struct table *table, struct error *error);

/* Writes what is left, the titles alone where there is no row, unless `failed`. Returns `failed`, or -1
 * with ERROR_IO. Does nothing the second time. */
int output_rows_close(struct output_rows *rows, const struct table *table, int failed,
                      struct error *error);

/* The same, and the table as --json, which has the rows that were done even if `failed`, where there is
 * one. */
int output_rows_end(struct output_rows *rows, const struct output *output,
                    const struct table *table, int failed, struct error *error);

#endif
