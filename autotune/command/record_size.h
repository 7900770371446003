/* record_size: what a record is for, as cells of a table: people read the size in a word, programs
 * each number of it. */
#ifndef AUTOTUNE_RECORD_SIZE_H
#define AUTOTUNE_RECORD_SIZE_H

#include "autotune/report/table.h"
#include "cache/interval.h"
#include "generator/shape.h"

/* "400M", "1K..1414" for the interval of a sweep, or "16Ki x 128 rows". Returns out. */
const char *record_size_format(char out[SHAPE_CHARS], const struct interval *served);

/* Four cells: shape, rows, len, pitch; of one value nothing but that it is one. */
void record_size_add_shape(struct table *table, const struct record *record);

#endif
