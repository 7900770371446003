/* sweep_mend: one size cut out of its interval at a time. */
#include "autotune/command/sweep_mend.h"

#include "autotune/command/output.h"
#include "autotune/command/sweep_known.h"
#include "generator/number.h"

#include <inttypes.h>

/* The record that stands for a part of an interval is one of a size in it, with the times of the
 * interval's variant there. */
static void make_part(struct record *out, const struct record *interval,
                      const struct record *size, uint64_t from, uint64_t to)
{
    *out = *interval;
    out->n_from = from;
    out->n_to = to;
    if (out->problem.n >= from && out->problem.n <= to)
        return;
    out->problem.n = size->problem.n;
    out->median_ps = out->low_ps = out->high_ps = size->interval_ps;
}

/* The sizes of the interval next to the one cut out; NULL where there is none. */
static void find_neighbours(const struct record **before, const struct record **after,
                            const struct records *again, const struct record *cut,
                            const struct record *interval)
{
    *before = *after = NULL;
    for (size_t i = 0; i < again->count; i++) {
        const struct record *size = &again->at[i];
        const uint64_t n = size->problem.n;
        if (size->n_to || !size->interval_ps || size->problem.regime != cut->problem.regime ||
            n < interval->n_from || n > interval->n_to)
            continue;
        if (n < cut->problem.n && (!*before || n > (*before)->problem.n))
            *before = size;
        if (n > cut->problem.n && (!*after || n < (*after)->problem.n))
            *after = size;
    }
}

/* In the file: the size's record, its interval, and what is left of the other on both sides. */
static bool cut_out(struct sweep *sweep, struct records *again, struct record *size,
                    const struct record *interval)
{
    const struct record *before, *after;
    struct record made[4];
    size_t count = 0;
    find_neighbours(&before, &after, again, size, interval);
    const uint64_t n = size->problem.n;
    const uint64_t from =
        before ? sweep_border(before->problem.n, n) + 1 : interval->n_from;
    const uint64_t to = after ? sweep_border(n, after->problem.n) : interval->n_to;
    size->interval_ps = size->median_ps;
    size->low_ps = size->low_ps < size->median_ps ? size->low_ps : size->median_ps;
    size->high_ps = size->high_ps > size->median_ps ? size->high_ps : size->median_ps;
    made[count++] = *size;
    made[count] = *size;
    made[count].interval_ps = made[count].single_ps = 0;
    made[count].n_from = from;
    made[count++].n_to = to;
    if (before)
        make_part(&made[count++], interval, before, interval->n_from, from - 1);
    if (after)
        make_part(&made[count++], interval, after, to + 1, interval->n_to);
    return sweep_size_keep(sweep, made, count);
}

static void note(const struct sweep *sweep, const struct record *size, double loss)
{
    char n[NUMBER_CHARS];
    output_note(sweep->request,
                "mended    n = %s %s: its interval's variant lost %.2f %%, more than %.3g %%; its "
                "own winner has an interval now\n",
                number_format_count(n, size->problem.n), problem_regimes[size->problem.regime],
                100 * loss, 100 * sweep->request->loss);
}

int sweep_mend(struct sweep *sweep, struct records *again, struct error *error)
{
    for (size_t i = 0; i < again->count; i++) {
        struct record *size = &again->at[i];
        if (size->n_to || !size->interval_ps || size->problem.n < sweep->request->problem.n ||
            size->problem.n > sweep->request->n_high)
            continue; /* no size of this sweep */
        const double loss = (double)size->interval_ps / (double)size->median_ps - 1;
        if (loss <= sweep->request->loss)
            continue;
        if (setup_resize(&sweep->setup, size->problem.n, size->problem.regime, error))
            return -1;
        const struct record *interval = sweep_known_interval(&sweep->kept, &sweep->setup);
        if (!interval || !cut_out(sweep, again, size, interval))
            return error_set(error, ERROR_IO,
                             "the interval around n = %" PRIu64 " loses %.2f %%, and could not be "
                             "cut: see the warning above, then run the same command again",
                             size->problem.n, 100 * loss);
        note(sweep, size, loss);
        store_dispose(&sweep->kept);
        if (sweep_known_load(&sweep->kept, sweep->request, &sweep->setup, error))
            return -1;
    }
    return 0;
}
