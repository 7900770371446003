/* sweep_leg: intervals become records. Hides where one ends between two sizes, and which of its
 * sizes an interval's record is made of. */
#include "autotune/command/sweep_leg.h"

#include "autotune/command/tune_keep.h"
#include "autotune/report/figures.h"

#include <string.h>

void sweep_leg_open(struct sweep_leg *out, const struct setup *setup, enum regime regime)
{
    memset(out, 0, sizeof *out);
    out->regime = regime;
    out->table.width = setup->space->param_count;
}

void sweep_leg_init(struct sweep_leg *out, const struct setup *setup, enum regime regime,
                    uint64_t low, uint64_t high, bool is_within_l2)
{
    struct problem problem = setup->problem;
    sweep_leg_open(out, setup, regime);
    out->count = sweep_sizes(out->sizes, low, high);
    for (; is_within_l2 && out->count; out->count--) {
        problem.dims = dims_value(out->sizes[out->count - 1]);
        if (figures_bytes(&problem) <= (double)setup->target.l2_bytes)
            break;
    }
}

void sweep_leg_dispose(struct sweep_leg *leg)
{
    sweep_table_dispose(&leg->table);
}

void sweep_leg_drop(struct sweep_leg *leg, size_t size)
{
    const size_t behind = leg->count - size - 1;
    sweep_table_drop(&leg->table, size, leg->count);
    memmove(leg->sizes + size, leg->sizes + size + 1, behind * sizeof *leg->sizes);
    memmove(leg->records + size, leg->records + size + 1, behind * sizeof *leg->records);
    memmove(leg->is_done + size, leg->is_done + size + 1, behind * sizeof *leg->is_done);
    leg->is_done[--leg->count] = false;
}

/* A row that is not the size's own winner, in its record. */
static void replace_winner(struct record *record, const struct setup *setup,
                           const int64_t *row, const struct sweep_cell *cell)
{
    tune_keep_config(record, setup, row);
    record->median_ps = cell->ps;
    record->low_ps = cell->low_ps < cell->ps ? cell->low_ps : cell->ps;
    record->high_ps = cell->high_ps > cell->ps ? cell->high_ps : cell->ps;
    record->registers = cell->registers;
    record->ties = 0;
    record->error[0] = '\0';
}

/* Made of the record of the size where its row loses least. */
static void make_interval(struct record *out, const struct sweep_leg *leg,
                          const struct setup *setup, const struct sweep_interval *interval)
{
    const int64_t *row = sweep_table_row(&leg->table, interval->row);
    const double *losses = leg->table.losses + interval->row * SWEEP_SIZES_MAX;
    const uint64_t *sizes = leg->sizes;
    const size_t first = interval->first, last = interval->last;
    struct text params = {0};
    size_t best = first;
    for (size_t i = first; i <= last; i++)
        best = losses[i] < losses[best] ? i : best;
    *out = leg->records[best];
    out->n_from = first ? sweep_border(sizes[first - 1], sizes[first]) + 1 : sizes[0];
    out->n_to =
        last + 1 < leg->count ? sweep_border(sizes[last], sizes[last + 1]) : sizes[last];
    point_format(&params, setup->space, row, true);
    if (params.at && strcmp(params.at, out->params) != 0)
        replace_winner(out, setup, row, sweep_table_find(&leg->table, row, best));
    text_dispose(&params);
}

void sweep_leg_records(struct records *out, const struct sweep_leg *leg,
                       const struct setup *setup, const int64_t *single, uint64_t single_n,
                       double limit)
{
    struct sweep_interval intervals[SWEEP_SIZES_MAX];
    const struct sweep_table *table = &leg->table;
    const size_t count =
        sweep_intervals(intervals, sweep_table_losses(table), leg->count, limit);
    for (size_t k = 0; k < count; k++) {
        const int64_t *row = sweep_table_row(table, intervals[k].row);
        for (size_t i = intervals[k].first; i <= intervals[k].last; i++) {
            const struct sweep_cell *own = sweep_table_find(table, row, i);
            const struct sweep_cell *other = sweep_table_find(table, single, i);
            struct record *record = &out->at[out->count++];
            *record = leg->records[i];
            record->interval_ps = own->ps;
            record->single_ps = other ? other->ps : 0;
            record->single_n = other ? single_n : 0;
        }
        make_interval(&out->at[out->count++], leg, setup, &intervals[k]);
    }
}
