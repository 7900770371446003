/* table_fit: fits a table into a terminal that is too narrow for it: values that all rows share
 * are printed once, and the last column goes below each row. */
#ifndef AUTOTUNE_TABLE_FIT_H
#define AUTOTUNE_TABLE_FIT_H

#include "autotune/print/table.h"

/* As table_print where the table fits into `width` columns, 40 at least. Else columns with one
 * value in all rows, and words of the last column that all rows have, are printed in a line "in
 * all" below; and if that is still too wide the last column, and as many before it as must, below
 * each row, broken at spaces. */
void table_fit(struct text *out, const struct table *table, int width, bool bold_titles);

/* For stdout: fitted into its terminal, as table_print where it is none. */
void table_show(struct text *out, const struct table *table, bool bold_titles);

#endif
