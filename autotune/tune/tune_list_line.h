/* tune_list_line: says what became of a problem of a list: a line for people, cells for programs. */
#ifndef AUTOTUNE_TUNE_LIST_LINE_H
#define AUTOTUNE_TUNE_LIST_LINE_H

#include "autotune/print/table.h"
#include "cache/record.h"

enum list_outcome { LIST_TUNED, LIST_RECORDED, LIST_KNOWN, LIST_FAILED, LIST_OUTCOMES };

struct tune_list_line {
    size_t place, count; /* in the list, from 0; of so many */
    bool names_gpu;
    const struct record *record; /* of LIST_FAILED: the problem alone counts */
    enum list_outcome outcome;
    double seconds;
    const struct error *cause; /* of LIST_FAILED, or NULL */
};

/* "3 of 30  sum i32 400M cold   341.75 us   4681.8 GB/s  tuned in 2.24 s" */
void tune_list_line_text(struct text *out, const struct tune_list_line *line);

/* "tuned", "recorded", ... as the table has them; LIST_OUTCOMES for what is none. */
enum list_outcome tune_list_line_outcome(const char *name);

/* An empty table, and a row of it. */
struct table tune_list_line_table(void);
void tune_list_line_cells(struct table *table, const struct tune_list_line *line);

#endif
