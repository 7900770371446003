/* report_table: reads a table of bench or ladder and finds its subject: the GPU, the operation,
 * the type. A table without these, or of another GPU than the report, is refused. */
#ifndef AUTOTUNE_REPORT_TABLE_H
#define AUTOTUNE_REPORT_TABLE_H

#include "autotune/print/csv.h"
#include "autotune/report/report_sections.h"

struct report_table {
    const char *option, *file; /* "--bench", "cub.csv" */
    struct csv csv;
    const char *gpu, *op, *type; /* of all lines alike; in `csv` */
    const char *regime;          /* "cold", "warm"; "" = the table has no such column */
    char how[80];                /* "" or ", from 4 bytes past alignment" */
    bool has_sizes;              /* its lines are of several n */
};

/* Reads the file. Dispose of it after a success only. ERROR_IO, or ERROR_USAGE if it is no
 * CSV. */
int report_table_open(struct report_table *out, const char *option, const char *file,
                      struct error *error);
void report_table_close(struct report_table *table);

/* Finds its subject: the columns gpu (or device), op and type must exist and be alike in all
 * lines, as must regime, offset, order and shape where the table has them, and unless it
 * `has_sizes` its n, rows and len. ERROR_USAGE: they are not, or the GPU is not that of the
 * report. */
int report_table_check(struct report_table *table, const struct report *report, bool has_sizes,
                       struct error *error);

/* Is its problem that of the report's title, by operation and type? */
bool report_table_is_of_title(const struct report_table *table, const struct report *report);

/* Adds a sentence where the table's problem is not that of the report's title. */
void report_table_note(const struct report_table *table, struct report *report);

#endif
