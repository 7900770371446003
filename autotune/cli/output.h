/* output: writes results to stdout or a file, and context to stderr; a failed write is an
 * error. */
#ifndef AUTOTUNE_OUTPUT_H
#define AUTOTUNE_OUTPUT_H

#include "autotune/print/table.h"
#include "generator/error.h"
#include "generator/text.h"

#include <stdbool.h>

/* Where results go besides what people read, and whether context is printed. */
struct output {
    const char *json, *csv; /* files, "-" = stdout; NULL = none */
    bool quiet;
};

/* Writes the text to a file, or to stdout for "-": a whole file or none, see output_file.h. ERROR_IO with
 * path and cause. */
int output_write(const char *path, const struct text *text, struct error *error);

/* Writes text for people to stdout, its lines folded where its terminal is narrower. */
int output_text(const struct text *text, struct error *error);

/* Writes bytes the same way as output_write. */
int output_bytes(const char *path, const void *bytes, size_t length, struct error *error);

/* Writes the table to stdout, unless --json - or --csv - takes its place, and to those files.
 * `json` is the text for --json; NULL = the table as JSON. If one fails, the others are still
 * written. */
int output_table(const struct output *output, const struct table *table,
                 const struct text *json, struct error *error);

/* The same without --csv, whose rows were written as they were done: see output_rows.h. */
int output_table_rest(const struct output *output, const struct table *table,
                      const struct text *json, struct error *error);

/* As output_table, with `text` in place of the table for people. */
int output_forms(const struct output *output, const struct text *text,
                 const struct table *table, const struct text *json, struct error *error);

/* The same with two tables: --csv gets the first and --json both, by these names. */
int output_both(const struct output *output, const struct text *text, const char *name,
                const struct table *table, const char *second_name, const struct table *second,
                struct error *error);

/* Prints a message, with its line end, on stderr. This and what follows are folded where its terminal is
 * narrower. */
void output_error(const char *message);

/* Prints a warning on stderr: "autotune: warning: ...", also with --quiet. */
void output_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Do --json or --csv write to stdout? Then nothing else may be printed there. */
bool output_is_taken(const struct output *output);

/* Prints whole lines of context on stderr, unless --quiet. */
void output_note(const struct output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same of a line that was put together, without its end. Takes its memory. */
void output_line(const struct output *output, struct text *line);

#endif
