/* sweep_confirm: races winners against their intervals' variants, and keeps the new losses. */
#include "autotune/tune/sweep_confirm.h"

#include "autotune/cli/output.h"
#include "autotune/tune/sweep_known.h"
#include "autotune/tune/sweep_report.h"
#include "generator/number.h"

#include <math.h>

static bool is_asked_for(const struct sweep *sweep, const struct record *size)
{
    return dims_n(&sweep->request->problem.dims) <= dims_n(&size->problem.dims) &&
           dims_n(&size->problem.dims) <= sweep->request->n_high;
}

/* Notes sizes that get another variant, because their interval's lost more than the size
 * allows. */
static void note_cuts(const struct sweep *sweep, const struct records *before)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct record *size = &before->at[i];
        const struct interval *interval = interval_find(before, size);
        const double limit = (double)size->loss_ppm / 1e6;
        struct raced raced;
        char n[NUMBER_CHARS];
        if (!interval || !is_asked_for(sweep, size) ||
            !interval_raced(&raced, size, interval->record.config))
            continue;
        const double loss = (double)raced.ps / (double)size->median_ps - 1;
        if (loss > limit)
            output_note(sweep->request,
                        "cut       n = %s %s: its interval's variant lost %.2f %%, more than "
                        "%.3g %%; another serves it now\n",
                        number_format_count(n, dims_n(&size->problem.dims)),
                        problem_regimes[size->problem.regime], 100 * loss, 100 * limit);
    }
}

static int keep_again(struct sweep *sweep, const struct records *all, struct error *error)
{
    struct records again = {.count = 0};
    int failed = 0;
    for (size_t i = 0; i < all->count && !failed; i++)
        if (is_asked_for(sweep, &all->at[i]))
            failed = store_copy(&again, all, &all->at[i], error);
    if (!failed && again.count && !sweep_size_keep(sweep, &again))
        failed = error_set(error, ERROR_IO,
                           "what was measured again could not be kept: see the warning above, "
                           "then run the same command again");
    store_dispose(&again);
    return failed;
}

int sweep_confirm(struct sweep *sweep, struct error *error)
{
    const struct request *request = sweep->request;
    struct records all;
    int failed = sweep_known_choose(&all, &sweep->kept, request, &sweep->setup, error);
    for (size_t i = 0; i < all.count && !failed; i++) {
        struct record *size = &all.at[i];
        if (!is_asked_for(sweep, size))
            continue;
        failed = sweep_size_confirm(sweep, &all, size, error);
        if (request->has_loss)
            size->loss_ppm = (uint64_t)llround(request->loss * 1e6);
    }
    failed = failed || sweep_drawing_print(&sweep_report, request, &all, NULL, error) ||
             keep_again(sweep, &all, error);
    if (!failed)
        note_cuts(sweep, &all);
    store_dispose(&all);
    return failed ? -1 : 0;
}
