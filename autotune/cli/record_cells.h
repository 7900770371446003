/* record_cells: records as cells of a table: what one is for, and how fast it is. */
#ifndef AUTOTUNE_RECORD_CELLS_H
#define AUTOTUNE_RECORD_CELLS_H

#include "autotune/print/table.h"
#include "cache/interval.h"
#include "generator/dims_text.h"

/* GPU, operation, type and accumulator. */
void record_cells_add_problem(struct table *table, const struct record *record);

/* For people the size in a word: "400M", "1K..1414" for the interval of a sweep, or
 * "16Ki x 128 rows". Returns out. */
const char *record_cells_size(char out[DIMS_TEXT_CHARS], const struct interval *served);

/* For programs each number of it: the cells of DIMS_TEXT_COLUMNS. */
void record_cells_add_dims(struct table *table, const struct record *record);

/* us, GB/s and percent of the record's peak, for a time of its problem. */
void record_cells_add_speed(struct table *table, const struct record *record, uint64_t ps);

#endif
