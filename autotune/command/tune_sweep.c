/* tune_sweep: the order of a sweep of n. The winner of the usual n, the one variant that all sizes
 * are compared with, is tuned first; what is kept already is not tuned again. */
#include "autotune/command/tune_sweep.h"

#include "autotune/command/output.h"
#include "autotune/command/sweep_grid.h"
#include "autotune/command/sweep_known.h"
#include "autotune/command/sweep_mend.h"
#include "autotune/command/sweep_report.h"
#include "autotune/command/sweep_size.h"
#include "autotune/command/tune_keep.h"
#include "autotune/command/tune_notes.h"
#include "autotune/device/monotonic.h"
#include "generator/number.h"

#include <stdlib.h>

/* --- Plan --------------------------------------------------------------------------------- */

static void add_leg(struct sweep *sweep, enum regime regime, bool is_within_l2)
{
    struct sweep_leg *leg = &sweep->legs[sweep->leg_count];
    sweep_leg_init(leg, &sweep->setup, regime, dims_n(&sweep->request->problem.dims),
                   sweep->request->n_high, is_within_l2);
    sweep->leg_count += leg->count > 0;
}

static int plan(struct sweep *sweep, struct error *error)
{
    const struct request *request = sweep->request;
    char low[NUMBER_CHARS], high[NUMBER_CHARS];
    if (!request->warm)
        add_leg(sweep, COLD, false);
    if (!request->cold)
        add_leg(sweep, WARM, !request->warm);
    output_note(request, "sweep     %s %s %s..%s:", problem_ops[sweep->setup.problem.op].name,
                problem_types[sweep->setup.problem.type].name,
                number_format_count(low, dims_n(&request->problem.dims)),
                number_format_count(high, request->n_high));
    for (size_t i = 0; i < sweep->leg_count; i++)
        output_note(request, "%s %zu size%s %s", i ? "," : "", sweep->legs[i].count,
                    sweep->legs[i].count == 1 ? "" : "s",
                    problem_regimes[sweep->legs[i].regime]);
    sweep_size_note_budget(sweep);
    output_note(request, "; a variant may lose %.3g %% in its interval\n", 100 * request->loss);
    return setup_resize(&sweep->setup, request->n_high, sweep->legs->regime, error) ||
                   setup_check_room(&sweep->setup, error) ||
                   tune_keep_check(sweep->setup.space, error)
               ? -1
               : 0;
}

/* --- What is known ------------------------------------------------------------------------ */

/* Was all of this swept before? */
static int find_answer(struct sweep *sweep, bool *is_answered, struct error *error)
{
    const struct request *request = sweep->request;
    *is_answered = !request->retune && (!request->has_loss || request->confirm);
    for (size_t l = 0; l < sweep->leg_count; l++)
        for (size_t i = 0; i < sweep->legs[l].count && *is_answered; i++) {
            struct sweep_leg *leg = &sweep->legs[l];
            if (setup_resize(&sweep->setup, leg->sizes[i], leg->regime, error))
                return -1;
            const struct record *record =
                sweep_known_size(&sweep->kept, sweep->request, &sweep->setup);
            *is_answered = record && record->interval_ps &&
                           sweep_known_interval(&sweep->kept, &sweep->setup);
        }
    return 0;
}

/* --- All sizes ---------------------------------------------------------------------------- */

/* The winner of the size nearest to the usual n that has one. */
static int find_single(struct sweep *sweep, struct error *error)
{
    struct sweep_leg *leg = &sweep->legs[0];
    const struct record *record = NULL;
    while (!record) {
        if (!leg->count)
            return sweep_size_check_spent(sweep, error);
        const size_t size =
            sweep_nearest(leg->sizes, leg->count, setup_usual_n(sweep->setup.target.is_host));
        if (setup_resize(&sweep->setup, leg->sizes[size], leg->regime, error))
            return -1;
        if (!sweep->request->retune)
            record = sweep_known_size(&sweep->kept, sweep->request, &sweep->setup);
        if (!record && sweep_size_tune(sweep, leg, size, error))
            return -1;
        if (leg->is_done[size])
            record = &leg->records[size];
        else if (!record)
            sweep_leg_drop(leg, size);
    }
    sweep->single_n = dims_n(&record->problem.dims);
    sweep->has_single = sweep_size_row(sweep->single, &sweep->setup, record, error) == 0;
    return sweep->has_single ? 0 : -1;
}

/* The first size tuned is raced again among the others, unless it has none before it. */
static int tune_sizes(struct sweep *sweep, struct error *error)
{
    for (size_t l = 0; l < sweep->leg_count; l++) {
        struct sweep_leg *leg = &sweep->legs[l];
        for (size_t i = 0; i < leg->count;) {
            if (!(i == 0 && leg->is_done[0]) && sweep_size_tune(sweep, leg, i, error))
                return -1;
            if (leg->is_done[i])
                i++;
            else
                sweep_leg_drop(leg, i);
        }
    }
    return 0;
}

/* --- After -------------------------------------------------------------------------------- */

static int finish(struct sweep *sweep, struct error *error)
{
    struct records all = {0};
    size_t room = 0;
    for (size_t l = 0; l < sweep->leg_count; l++)
        room += 2 * sweep->legs[l].count;
    if (!room)
        return 0; /* no size has a result, which is said at the end */
    all.at = calloc(room, sizeof *all.at);
    if (!all.at)
        return error_memory(error, room * sizeof *all.at);
    for (size_t l = 0; l < sweep->leg_count; l++)
        sweep_leg_records(&all, &sweep->legs[l], &sweep->setup, sweep->single,
                          sweep->single_n, sweep->request->loss);
    const size_t own = all.count;
    int failed = sweep_mend_rests(&all, sweep, error);
    if (!failed) {
        sweep_size_keep(sweep, all.at, all.count);
        failed = sweep_report_print(sweep->request, all.at, own, NULL, error);
    }
    free(all.at);
    return failed;
}

/* From the records alone; the report leaves other n out. */
static int answer(struct sweep *sweep, struct error *error)
{
    struct records all;
    if (sweep_known_choose(&all, &sweep->kept, sweep->request, &sweep->setup, error))
        return -1;
    output_note(sweep->request, "records   exact: --retune measures again\n");
    int failed = sweep_report_print(sweep->request, all.at, all.count, NULL, error);
    store_dispose(&all);
    return failed;
}

/* --- Again -------------------------------------------------------------------------------- */

/* Each size's winner against its interval's variant; what loses too much is mended. */
static int confirm(struct sweep *sweep, struct error *error)
{
    struct records all;
    if (sweep_known_choose(&all, &sweep->kept, sweep->request, &sweep->setup, error))
        return -1;
    int failed = 0;
    for (size_t i = 0; i < all.count && !failed; i++)
        if (!all.at[i].n_to && all.at[i].interval_ps &&
            dims_n(&sweep->request->problem.dims) <= dims_n(&all.at[i].problem.dims) &&
            dims_n(&all.at[i].problem.dims) <= sweep->request->n_high)
            failed = sweep_size_confirm(sweep, &all.at[i], error);
    failed = failed || sweep_report_print(sweep->request, all.at, all.count, NULL, error) ||
             sweep_mend(sweep, &all, error);
    store_dispose(&all);
    return failed ? -1 : 0;
}

/* --- The whole ---------------------------------------------------------------------------- */

static int run(struct sweep *sweep, struct error *error)
{
    const double start = monotonic_s();
    bool is_answered;
    tune_notes_device(sweep->request, &sweep->setup.device->info, sweep->fleet.kinds[0].count);
    if (plan(sweep, error) ||
        sweep_known_load(&sweep->kept, sweep->request, &sweep->setup, error) ||
        find_answer(sweep, &is_answered, error))
        return -1;
    if (is_answered)
        return (sweep->request->confirm ? confirm : answer)(sweep, error);
    if (sweep->request->confirm)
        return error_set(error, ERROR_USAGE,
                         "--confirm measures a sweep again that is kept, and this one is not: "
                         "leave --confirm out first");
    if (find_single(sweep, error) || tune_sizes(sweep, error))
        return -1;
    output_note(sweep->request, "took      %.2f s\n", monotonic_s() - start);
    return finish(sweep, error) || sweep_size_check_spent(sweep, error) ? -1 : 0;
}

static int open_sweep(struct sweep *sweep, struct error *error)
{
    struct request own = *sweep->request;
    if (fleet_open(&sweep->fleet, sweep->request, error))
        return -1;
    if (sweep->fleet.count > 1)
        return error_set(error, ERROR_USAGE,
                         "--device %.100s names devices of %zu kinds, and a sweep is of one: "
                         "sweep one kind at a time",
                         sweep->request->device, sweep->fleet.count);
    own.device = sweep->fleet.kinds[0].list[0];
    return setup_open(&sweep->setup, &own, true, error) ||
                   (own.n_high && setup_refuse_matrix(&sweep->setup, "a sweep of n", error))
               ? -1
               : 0;
}

int tune_sweep(const struct request *request, struct error *error)
{
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return error_memory(error, sizeof *sweep);
    sweep->request = request;
    int failed = open_sweep(sweep, error);
    if (!failed) {
        failed = (request->n_high ? run : sweep_grid)(sweep, error);
        setup_close(&sweep->setup);
    }
    for (size_t l = 0; l < REGIME_COUNT; l++)
        sweep_leg_dispose(&sweep->legs[l]);
    store_dispose(&sweep->kept);
    free(sweep);
    return failed ? -1 : 0;
}
