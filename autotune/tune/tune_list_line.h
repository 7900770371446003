/* tune_list_line: says what became of the problems of a list: a line on stdout and a row of --csv as each is
 * done, and in the end which failed. */
#ifndef AUTOTUNE_TUNE_LIST_LINE_H
#define AUTOTUNE_TUNE_LIST_LINE_H

#include "autotune/cli/output_rows.h"
#include "cache/record.h"

enum list_outcome { LIST_TUNED, LIST_RECORDED, LIST_KNOWN, LIST_FAILED, LIST_OUTCOMES };

struct tune_list_line {
    size_t place, count; /* in the list, from 0; of so many */
    bool names_gpu;
    const struct record *record; /* of LIST_FAILED: the problem alone counts */
    enum list_outcome outcome;
    double seconds;
    const struct error *cause; /* of LIST_FAILED, or NULL */
    const char *host;          /* where, or NULL */
};

/* All of them. */
struct tune_list_lines {
    const struct output *output; /* where they go */
    struct table table;
    struct output_rows csv;
    size_t counts[LIST_OUTCOMES];
    struct error first; /* of the failures */
};

void tune_list_lines_open(struct tune_list_lines *out, const struct output *output);
void tune_list_lines_dispose(struct tune_list_lines *lines);

/* "3 of 30  sum i32 400M cold   341.75 us   4681.8 GB/s  tuned in 2.24 s", and its row. -1 where one of both
 * could not be written. */
int tune_list_lines_add(struct tune_list_lines *lines, const struct tune_list_line *line,
                        struct error *error);

/* Writes what is left of --csv and --json. -1 where something failed before, or a problem has. */
int tune_list_lines_end(struct tune_list_lines *lines, int failed, struct error *error);

/* "tuned", "recorded", ... as the table has them; LIST_OUTCOMES for what is none. */
enum list_outcome tune_list_line_outcome(const char *name);

#endif
