/* table_fit: a table for a terminal that it is too wide for: what all rows have alike is said once,
 * and the last column goes below each row. */
#ifndef AUTOTUNE_TABLE_FIT_H
#define AUTOTUNE_TABLE_FIT_H

#include "autotune/print/table.h"

/* As table_print where the table fits into `width` columns, 40 at least. Else columns that all rows
 * have alike, and words of the last column that all rows have, stand in a line "in all" below; and
 * if that is still too wide the last column, broken at spaces, below each row. */
void table_fit(struct text *out, const struct table *table, int width, bool bold_titles);

#endif
