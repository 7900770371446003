/* sweep_table: rows are few (a race has some dozens), so they are found by looking at each. */
#include "autotune/tune/sweep_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sweep_table_dispose(struct sweep_table *table)
{
    free(table->rows);
    free(table->losses);
    free(table->cells);
    *table = (struct sweep_table){.width = table->width};
}

const int64_t *sweep_table_row(const struct sweep_table *table, size_t row)
{
    return table->rows + row * table->width;
}

struct sweep_losses sweep_table_losses(const struct sweep_table *table)
{
    return (struct sweep_losses){table->losses, table->count, SWEEP_SIZES_MAX};
}

/* The row's number; the count where it is not there. */
static size_t find_row(const struct sweep_table *table, const int64_t *row)
{
    size_t i = 0;
    while (i < table->count &&
           memcmp(sweep_table_row(table, i), row, table->width * sizeof *row) != 0)
        i++;
    return i;
}

static int reserve(struct sweep_table *table, struct error *error)
{
    const size_t count = table->count;
    if (count & (count - 1))
        return 0; /* the room is the next power of two */
    const size_t room = count ? 2 * count : 1, cells = room * SWEEP_SIZES_MAX;
    int64_t *rows = realloc(table->rows, room * table->width * sizeof *rows);
    table->rows = rows ? rows : table->rows;
    double *losses = realloc(table->losses, cells * sizeof *losses);
    table->losses = losses ? losses : table->losses;
    struct sweep_cell *at = realloc(table->cells, cells * sizeof *at);
    table->cells = at ? at : table->cells;
    return rows && losses && at ? 0 : error_memory(error, cells * sizeof *at);
}

static void clear(struct sweep_table *table, size_t row, size_t size)
{
    table->losses[row * SWEEP_SIZES_MAX + size] = INFINITY;
    table->cells[row * SWEEP_SIZES_MAX + size] = (struct sweep_cell){.ps = 0};
}

static int add_row(struct sweep_table *table, const int64_t *row, struct error *error)
{
    if (reserve(table, error))
        return -1;
    memcpy(table->rows + table->count * table->width, row, table->width * sizeof *row);
    for (size_t size = 0; size < SWEEP_SIZES_MAX; size++)
        clear(table, table->count, size);
    table->count++;
    return 0;
}

const struct sweep_cell *sweep_table_find(const struct sweep_table *table, const int64_t *row,
                                          size_t size)
{
    const size_t i = find_row(table, row);
    const struct sweep_cell *cell =
        i < table->count ? &table->cells[i * SWEEP_SIZES_MAX + size] : NULL;
    return cell && cell->ps ? cell : NULL;
}

const struct tune_place *sweep_table_place(const struct tune_result *result, const int64_t *row)
{
    for (size_t i = 0; i < result->place_count; i++)
        if (memcmp(result->places[i].row, row, result->points.width * sizeof *row) == 0)
            return &result->places[i];
    return NULL;
}

static uint64_t scale(uint64_t ps, double factor)
{
    return (uint64_t)llround((double)ps * factor);
}

int sweep_table_take(struct sweep_table *table, size_t size, const struct tune_result *result,
                     const int64_t *own, uint64_t own_ps, struct error *error)
{
    const struct tune_place *winner = sweep_table_place(result, own);
    if (!winner)
        return error_set(error, ERROR_NOISY,
                         "too noisy to decide: no round of the race counts; end what else "
                         "uses this device and run the same command again");
    for (size_t row = 0; row < table->count; row++)
        clear(table, row, size);
    for (size_t i = 0; i < result->place_count; i++) {
        const struct tune_place *place = &result->places[i];
        const double ratio = place->ratio / winner->ratio, median = (double)place->median_ps;
        const double low = (double)place->low_ps / median;
        const double high = (double)place->high_ps / median;
        const size_t row = find_row(table, place->row);
        if (row == table->count && add_row(table, place->row, error))
            return -1;
        table->losses[row * SWEEP_SIZES_MAX + size] =
            sweep_table_place(result, place->row) == winner ? 0 : fmax(0, ratio * high - 1);
        table->cells[row * SWEEP_SIZES_MAX + size] =
            (struct sweep_cell){scale(own_ps, ratio), scale(own_ps, ratio * low),
                                scale(own_ps, ratio * high), place->registers};
    }
    return 0;
}

void sweep_table_drop(struct sweep_table *table, size_t size, size_t sizes)
{
    const size_t behind = sizes - size - 1;
    for (size_t row = 0; row < table->count; row++) {
        double *losses = table->losses + row * SWEEP_SIZES_MAX + size;
        struct sweep_cell *cells = table->cells + row * SWEEP_SIZES_MAX + size;
        memmove(losses, losses + 1, behind * sizeof *losses);
        memmove(cells, cells + 1, behind * sizeof *cells);
        clear(table, row, sizes - 1);
    }
}
