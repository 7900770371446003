/* sweep_mend: one size cut out of its interval at a time, in memory; all of them written at once. */
#include "autotune/command/sweep_mend.h"

#include "autotune/command/output.h"
#include "autotune/command/sweep_known.h"
#include "cache/interval.h"
#include "generator/number.h"

#include <inttypes.h>
#include <stdlib.h>

/* Appends what is left of the interval on both sides of from..to, where it has sizes. */
static void add_rests_of(struct records *out, const struct record *interval,
                         const struct records *sizes, uint64_t from, uint64_t to)
{
    out->count += interval_part(&out->at[out->count], interval, sizes, interval->n_from,
                                from - 1);
    out->count += interval_part(&out->at[out->count], interval, sizes, to + 1, interval->n_to);
}

/* The sizes of the interval next to the one cut out; NULL where there is none. */
static void find_neighbours(const struct record **before, const struct record **after,
                            const struct records *again, const struct record *cut,
                            const struct record *interval)
{
    *before = *after = NULL;
    for (size_t i = 0; i < again->count; i++) {
        const struct record *size = &again->at[i];
        const uint64_t n = dims_n(&size->problem.dims);
        if (size->n_to || !size->interval_ps || size->problem.regime != cut->problem.regime ||
            n < interval->n_from || n > interval->n_to)
            continue;
        if (n < dims_n(&cut->problem.dims) && (!*before || n > dims_n(&(*before)->problem.dims)))
            *before = size;
        if (n > dims_n(&cut->problem.dims) && (!*after || n < dims_n(&(*after)->problem.dims)))
            *after = size;
    }
}

static struct record *find_interval(const struct records *records, const struct record *size)
{
    for (size_t i = 0; i < records->count; i++) {
        struct record *record = &records->at[i];
        if (record->n_to && record->problem.regime == size->problem.regime &&
            record->n_from <= dims_n(&size->problem.dims) && dims_n(&size->problem.dims) <= record->n_to)
            return record;
    }
    return NULL;
}

/* --- Beside a sweep ----------------------------------------------------------------------- */

/* A sweep's outer intervals end where its range does; beside others, as far as those allow. */
static void widen(struct records *out, const struct sweep_leg *leg, uint64_t from, uint64_t to)
{
    const uint64_t low = leg->sizes[0], high = leg->sizes[leg->count - 1];
    for (size_t i = 0; i < out->count; i++) {
        struct record *own = &out->at[i];
        if (!own->n_to || own->problem.regime != leg->regime)
            continue;
        if (own->n_from == low && from < low)
            own->n_from = from;
        if (own->n_to == high && to > high)
            own->n_to = to;
    }
}

/* Of each interval that reaches beyond the leg's sizes: the part with sizes of its own. */
static void add_rests(struct records *out, const struct records *kept,
                      const struct sweep_leg *leg)
{
    const uint64_t low = leg->sizes[0], high = leg->sizes[leg->count - 1];
    for (size_t i = 0; i < kept->count; i++) {
        const struct record *interval = &kept->at[i], *before, *after, *ignored;
        struct record first = *interval, last = *interval;
        first.problem.dims = dims_value(low);
        last.problem.dims = dims_value(high);
        if (!interval->n_to || interval->problem.regime != leg->regime ||
            interval->n_from > high || interval->n_to < low)
            continue;
        find_neighbours(&before, &ignored, kept, &first, interval);
        find_neighbours(&ignored, &after, kept, &last, interval);
        const uint64_t from =
            before ? sweep_border(dims_n(&before->problem.dims), low) + 1 : interval->n_from;
        const uint64_t to = after ? sweep_border(high, dims_n(&after->problem.dims)) : interval->n_to;
        widen(out, leg, from, to);
        add_rests_of(out, interval, kept, from, to);
    }
}

int sweep_mend_rests(struct records *out, const struct sweep *sweep, struct error *error)
{
    struct records kept;
    if (sweep_known_choose(&kept, &sweep->kept, sweep->request, &sweep->setup, error))
        return -1;
    struct record *at = realloc(out->at, (out->count + 2 * kept.count) * sizeof *at);
    if (at) {
        out->at = at;
        for (size_t l = 0; l < sweep->leg_count; l++)
            if (sweep->legs[l].count) /* else all its sizes were dropped */
                add_rests(out, &kept, &sweep->legs[l]);
    }
    store_dispose(&kept);
    return at ? 0 : error_memory(error, (out->count + 2 * kept.count) * sizeof *at);
}

/* --- Cut out ------------------------------------------------------------------------------ */

enum { CUT_RECORDS = 4 };

/* To `mended`: the size's record and what is left of the interval on both sides; to `own` the
 * size's interval, in the place of the other where that was cut before. */
static void cut_out(struct records *mended, struct record *own, const struct record *found,
                    const struct records *again, const struct record *size)
{
    const struct record *before, *after, interval = *found;
    struct record winner = *size;
    find_neighbours(&before, &after, again, size, &interval);
    const uint64_t n = dims_n(&size->problem.dims);
    const uint64_t from = before ? sweep_border(dims_n(&before->problem.dims), n) + 1 : interval.n_from;
    const uint64_t to = after ? sweep_border(n, dims_n(&after->problem.dims)) : interval.n_to;
    winner.interval_ps = winner.median_ps;
    winner.low_ps = winner.low_ps < winner.median_ps ? winner.low_ps : winner.median_ps;
    winner.high_ps = winner.high_ps > winner.median_ps ? winner.high_ps : winner.median_ps;
    mended->at[mended->count++] = *own = winner;
    own->interval_ps = own->single_ps = own->single_n = 0;
    own->n_from = from;
    own->n_to = to;
    add_rests_of(mended, &interval, again, from, to);
}

/* What its interval's variant loses at a size of this sweep; 0 where the request allows it. */
static double loss_at(const struct sweep *sweep, const struct record *size)
{
    if (size->n_to || !size->interval_ps || dims_n(&size->problem.dims) < dims_n(&sweep->request->problem.dims) ||
        dims_n(&size->problem.dims) > sweep->request->n_high)
        return 0;
    const double loss = (double)size->interval_ps / (double)size->median_ps - 1;
    return loss > sweep->request->loss ? loss : 0;
}

static int cut_all(struct records *mended, const struct sweep *sweep,
                   const struct records *again, struct error *error)
{
    for (size_t i = 0; i < again->count; i++) {
        const struct record *size = &again->at[i];
        if (!(loss_at(sweep, size) > 0))
            continue;
        struct record *place = find_interval(mended, size);
        const struct record *interval = place ? place : find_interval(again, size);
        if (!interval)
            return error_set(error, ERROR_IO,
                             "no interval is kept around n = %" PRIu64 ", which loses %.2f %%: "
                             "sweep these sizes again, without --confirm",
                             dims_n(&size->problem.dims), 100 * loss_at(sweep, size));
        cut_out(mended, place ? place : &mended->at[mended->count++], interval, again, size);
    }
    return 0;
}

static void note(const struct sweep *sweep, const struct record *size)
{
    char n[NUMBER_CHARS];
    output_note(sweep->request,
                "mended    n = %s %s: its interval's variant lost %.2f %%, more than %.3g %%; its "
                "own winner has an interval now\n",
                number_format_count(n, dims_n(&size->problem.dims)), problem_regimes[size->problem.regime],
                100 * loss_at(sweep, size), 100 * sweep->request->loss);
}

int sweep_mend(struct sweep *sweep, const struct records *again, struct error *error)
{
    struct records mended = {.at = calloc(again->count + 1, CUT_RECORDS * sizeof *mended.at)};
    if (!mended.at)
        return error_memory(error, (again->count + 1) * CUT_RECORDS * sizeof *mended.at);
    int failed = cut_all(&mended, sweep, again, error);
    if (!failed && mended.count && !sweep_size_keep(sweep, mended.at, mended.count))
        failed = error_set(error, ERROR_IO,
                           "what loses too much could not be cut out: see the warning above, then "
                           "run the same command again");
    for (size_t i = 0; i < again->count && !failed; i++)
        if (loss_at(sweep, &again->at[i]) > 0)
            note(sweep, &again->at[i]);
    free(mended.at);
    return failed;
}
