/* record_cells: writes a record as cells of a table: its problem, and its speed. */
#ifndef AUTOTUNE_RECORD_CELLS_H
#define AUTOTUNE_RECORD_CELLS_H

#include "autotune/print/table.h"
#include "cache/interval.h"
#include "generator/dims_text.h"

/* GPU, operation, type and accumulator. */
void record_cells_add_problem(struct table *table, const struct record *record);

/* The size as one text for people: "400M", "1K..1414" for the interval of a sweep, or "16Ki x
 * 128 rows". Returns out. */
const char *record_cells_size(char out[DIMS_TEXT_CHARS], const struct interval *served);

/* Adds each number of the size for programs: the cells of DIMS_TEXT_COLUMNS. */
void record_cells_add_dims(struct table *table, const struct record *record);

/* us, GB/s and percent of the record's peak, for a time of its problem. */
void record_cells_add_speed(struct table *table, const struct record *record, uint64_t ps);

#endif
