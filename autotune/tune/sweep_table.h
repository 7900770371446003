/* sweep_table: what rows take at the sizes of a sweep, each compared with the size's own winner
 * in one race. */
#ifndef AUTOTUNE_SWEEP_TABLE_H
#define AUTOTUNE_SWEEP_TABLE_H

#include "autotune/tune/sweep.h"
#include "autotune/tune/tune.h"

/* A row at a size. Its time is the winner's, times what the race says between the two. */
struct sweep_cell {
    uint64_t ps, low_ps, high_ps; /* 0 = it was not in the size's race */
    unsigned registers;
};

/* Initialise with `struct sweep_table t = {.width = params of a row};`. */
struct sweep_table {
    size_t width, count;
    int64_t *rows;            /* `count` of them */
    double *losses;           /* by row and size: SWEEP_SIZES_MAX a row */
    struct sweep_cell *cells; /* likewise */
};
void sweep_table_dispose(struct sweep_table *table);

/* Takes all entrants of a race at a size, in place of what was known of that size. `own` is the
 * size's winner, one of them, which takes `own_ps`. A row's loss is the upper end of the 95 %
 * interval, so that measured again it is hardly more; the winner loses nothing. ERROR_NOISY
 * when the winner has no time. */
int sweep_table_take(struct sweep_table *table, size_t size, const struct tune_result *result,
                     const int64_t *own, uint64_t own_ps, struct error *error);

/* Leaves a size out of `sizes`: those behind it move up. */
void sweep_table_drop(struct sweep_table *table, size_t size, size_t sizes);

/* NULL when the row was not raced there. */
const struct sweep_cell *sweep_table_find(const struct sweep_table *table, const int64_t *row,
                                          size_t size);

const int64_t *sweep_table_row(const struct sweep_table *table, size_t row);
struct sweep_losses sweep_table_losses(const struct sweep_table *table);

/* The place of a row in a race, or NULL. */
const struct tune_place *sweep_table_place(const struct tune_result *result,
                                           const int64_t *row);

#endif
