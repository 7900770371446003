/* record_size: what a record is for, as cells of a table: people read the size in a word, programs
 * each number of it. */
#ifndef AUTOTUNE_RECORD_SIZE_H
#define AUTOTUNE_RECORD_SIZE_H

#include "autotune/report/table.h"
#include "cache/interval.h"
#include "generator/dims_text.h"

/* "400M", "1K..1414" for the interval of a sweep, or "16Ki x 128 rows". Returns out. */
const char *record_size_format(char out[DIMS_TEXT_CHARS], const struct interval *served);

/* The cells of DIMS_TEXT_COLUMNS. */
void record_size_add_dims(struct table *table, const struct record *record);

#endif
