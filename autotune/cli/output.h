/* output: results to stdout or a file, context to stderr; whatever cannot be written is an
 * error. */
#ifndef AUTOTUNE_OUTPUT_H
#define AUTOTUNE_OUTPUT_H

#include "autotune/cli/request.h"
#include "autotune/print/table.h"
#include "generator/error.h"
#include "generator/text.h"

/* Writes the text to a file, or to stdout for "-". ERROR_IO with path and cause. */
int output_write(const char *path, const struct text *text, struct error *error);

/* Writes bytes the same way. */
int output_bytes(const char *path, const void *bytes, size_t length, struct error *error);

/* The table to stdout, unless --json - or --csv - takes its place, and to those files. `json`
 * is what --json writes; NULL = the table as JSON. Where one of them fails the others are still
 * written. */
int output_table(const struct request *request, const struct table *table,
                 const struct text *json, struct error *error);

/* The same where people read something else than the table: `text`. */
int output_forms(const struct request *request, const struct text *text,
                 const struct table *table, const struct text *json, struct error *error);

/* The same with two tables, of which --csv gets the first and --json both, by these names. */
int output_both(const struct request *request, const struct text *text, const char *name,
                const struct table *table, const char *second_name, const struct table *second,
                struct error *error);

/* A warning on stderr: "autotune: warning: ...", also with --quiet. */
void output_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Is stdout what --json or --csv write to? Then nothing else may go there. */
bool output_is_taken(const struct request *request);

/* A line of context on stderr, unless --quiet. */
void output_note(const struct request *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
