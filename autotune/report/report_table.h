/* report_table: checks that a table of bench or ladder is of the report's GPU. */
#ifndef AUTOTUNE_REPORT_TABLE_H
#define AUTOTUNE_REPORT_TABLE_H

#include "autotune/compare/table_file.h"
#include "autotune/report/report_sections.h"

/* Finds the table's subject (table_file_check), whose GPU must be that of the report: else
 * ERROR_USAGE. */
int report_table_check(struct table_file *table, const struct report *report, bool has_sizes,
                       struct error *error);

/* Is its problem that of the report's title, by operation and type? */
bool report_table_is_of_title(const struct table_file *table, const struct report *report);

/* Adds a sentence, and warns, where the table's problem is not that of the report's title. */
void report_table_note(const struct table_file *table, struct report *report);

#endif
