/* tune_sweep: runs a sweep of n in order. Tunes the winner of the usual n first, the one
 * variant that all sizes are compared with; does not tune again what is on record. */
#include "autotune/tune/tune_sweep.h"

#include "autotune/cli/output.h"
#include "autotune/device/monotonic.h"
#include "autotune/search/unit_cache.h"
#include "autotune/search/worker_pool.h"
#include "autotune/tune/sweep_between.h"
#include "autotune/tune/sweep_dims.h"
#include "autotune/tune/sweep_drawing.h"
#include "autotune/tune/sweep_race.h"
#include "autotune/tune/tune_notes.h"
#include "autotune/tune/tune_save.h"
#include "generator/number.h"

#include <math.h>
#include <stdlib.h>

/* --- Plan --------------------------------------------------------------------------------- */

static void add_regime(struct sweep *sweep, enum regime regime, bool is_within_l2)
{
    struct sweep_regime *added = &sweep->regimes[sweep->regime_count];
    sweep_regime_init(added, &sweep->setup, regime, dims_n(&sweep->request->problem.dims),
                      sweep->request->n_high, is_within_l2);
    sweep->regime_count += added->count > 0;
}

static int plan(struct sweep *sweep, struct error *error)
{
    const struct request *request = sweep->request;
    char low[NUMBER_CHARS], high[NUMBER_CHARS];
    struct text line = {0};
    for (enum regime regime = COLD; regime < REGIME_COUNT; regime++)
        if (request_sweeps(request, regime))
            add_regime(sweep, regime, regime == WARM && !request->warm);
    text_addf(&line, "sweep     %s %s %s..%s:", sweep->setup.problem.op->name,
              problem_types[sweep->setup.problem.type].name,
              number_format_count(low, dims_n(&request->problem.dims)),
              number_format_count(high, request->n_high));
    for (size_t i = 0; i < sweep->regime_count; i++)
        text_addf(&line, "%s %zu size%s %s", i ? "," : "", sweep->regimes[i].count,
                  sweep->regimes[i].count == 1 ? "" : "s",
                  problem_regimes[sweep->regimes[i].regime]);
    for (size_t i = 0; i < sweep->regime_count; i++)
        sweep->total += sweep->regimes[i].count;
    sweep_race_add_budget(&line, sweep);
    text_addf(&line, "; a variant may lose %.3g %% in its interval", 100 * request->loss);
    output_line(&request->out, &line);
    const struct dims most = dims_run(request->n_high, request->problem.dims.scan);
    return setup_resize(&sweep->setup, &most, sweep->regimes->regime, error) ||
                   setup_check_room(&sweep->setup, error) ||
                   tune_save_check(sweep->setup.space, error)
               ? -1
               : 0;
}

/* --- Known records ------------------------------------------------------------------------ */

/* Was all of this swept before? */
static int find_answer(struct sweep *sweep, bool *is_answered, struct error *error)
{
    const struct request *request = sweep->request;
    *is_answered = !request->retune && (!request->has_loss || request->confirm);
    for (size_t l = 0; l < sweep->regime_count; l++)
        for (size_t i = 0; i < sweep->regimes[l].count && *is_answered; i++) {
            struct sweep_regime *regime = &sweep->regimes[l];
            if (setup_resize(&sweep->setup, &regime->sizes[i], regime->regime, error))
                return -1;
            struct record record;
            bool is_known, is_raced;
            if (sweep_race_find(&record, &is_known, &is_raced, sweep, error))
                return -1;
            *is_answered = (is_known || is_raced) && *record.swept;
        }
    return 0;
}

/* --- All sizes ---------------------------------------------------------------------------- */

/* The winner of the size nearest to the usual n. */
static int find_single(struct sweep *sweep, struct error *error)
{
    struct sweep_regime *regime = &sweep->regimes[0];
    const size_t size =
        sweep_regime_nearest(regime, setup_usual_n(sweep->setup.target.is_host));
    struct record record;
    bool is_known;
    if (setup_resize(&sweep->setup, &regime->sizes[size], regime->regime, error) ||
        sweep_race_find(&record, &is_known, NULL, sweep, error) ||
        (!is_known && sweep_race_tune(sweep, regime, size, error)))
        return -1;
    const struct record *made = sweep_regime_record(regime, size);
    if (!is_known && !made) { /* too noisy: it is tried again among the others */
        sweep->noisy = 0;
        return 0;
    }
    if (!is_known)
        record = *made;
    sweep->has_single =
        point_parse_record(sweep->setup.space, record.params, sweep->single, error) == 0;
    return sweep->has_single ? 0 : -1;
}

/* The sizes between two that are done, the middle first: what is at hand is known best there. */
static int tune_between(struct sweep *sweep, struct sweep_regime *regime, size_t low,
                        size_t high, struct error *error)
{
    const size_t middle = low + (high - low) / 2;
    if (middle == low)
        return 0;
    return sweep_race_tune_between(sweep, regime, middle, low, high, error) ||
                   tune_between(sweep, regime, low, middle, error) ||
                   tune_between(sweep, regime, middle, high, error)
               ? -1
               : 0;
}

/* On a GPU the ends first, then what lies between them and the size done already. */
static int tune_regime(struct sweep *sweep, struct sweep_regime *regime, struct error *error)
{
    const size_t last = regime->count - 1;
    size_t middle = 0;
    for (size_t i = 0; i < regime->count; i++)
        middle = regime->is_done[i] ? i : middle;
    if (!regime->is_done[0] && sweep_race_tune(sweep, regime, 0, error))
        return -1;
    if (last && !regime->is_done[last] &&
        (middle ? sweep_race_tune_between(sweep, regime, last, middle, middle, error)
                : sweep_race_tune(sweep, regime, last, error)))
        return -1;
    return tune_between(sweep, regime, 0, middle, error) ||
                   tune_between(sweep, regime, middle, last, error)
               ? -1
               : 0;
}

/* The emulator's times follow no line: there each size is searched, in the order of n. The first size
 * tuned is raced again among the others, unless it has none before it. */
static int tune_in_order(struct sweep *sweep, struct sweep_regime *regime, struct error *error)
{
    for (size_t i = 0; i < regime->count; i++)
        if (!(i == 0 && regime->is_done[0]) && sweep_race_tune(sweep, regime, i, error))
            return -1;
    return 0;
}

static int tune_sizes(struct sweep *sweep, struct error *error)
{
    const bool is_host = sweep->setup.target.is_host;
    for (size_t l = 0; l < sweep->regime_count; l++)
        if ((is_host ? tune_in_order : tune_regime)(sweep, &sweep->regimes[l], error))
            return -1;
    return 0;
}

/* --- After -------------------------------------------------------------------------------- */

static int finish(struct sweep *sweep, struct error *error)
{
    struct records all = {.count = 0};
    int failed = 0;
    for (size_t l = 0; l < sweep->regime_count && !failed; l++)
        failed = sweep_regime_collect(&all, &sweep->regimes[l], error);
    failed = failed || store_tidy(&all, error) || interval_compute(&all, error);
    if (!failed && all.count) {
        sweep_race_keep(sweep, &all);
        failed = sweep_drawing_print(&sweep_drawing_n, sweep->request, &all, NULL, error);
    }
    store_dispose(&all);
    return failed ? -1 : 0;
}

/* --- From the records alone --------------------------------------------------------------- */

/* Of other n too: those whose kernels have changed no longer answer. */
static bool is_swept(const struct sweep *sweep, const struct record *record,
                     const struct record *want, struct code_memo *memo)
{
    return request_sweeps(sweep->request, record->problem.regime) && *record->swept &&
           record_is_same_but_size(record, want) &&
           setup_is_current(&sweep->setup, record, memo);
}

/* Chooses the swept sizes of the problem in the request's regimes, with their intervals.
 * store_dispose frees them, after an error too. */
static int choose_swept(struct records *out, const struct sweep *sweep, struct error *error)
{
    const struct records *own = &sweep->records.own;
    struct code_memo memo = {.next = 0};
    struct record want;
    int failed = 0;
    *out = (struct records){.count = 0};
    setup_record(&want, &sweep->setup);
    for (size_t i = 0; i < own->count && !failed; i++)
        if (is_swept(sweep, &own->at[i], &want, &memo))
            failed = store_copy(out, own, &own->at[i], error);
    return failed || store_tidy(out, error) || interval_compute(out, error) ? -1 : 0;
}

/* The report leaves other n out. */
static int answer(struct sweep *sweep, struct error *error)
{
    struct records all;
    int failed = choose_swept(&all, sweep, error);
    if (!failed) {
        output_note(&sweep->request->out, "records   exact: --retune measures again\n");
        failed = sweep_drawing_print(&sweep_drawing_n, sweep->request, &all, NULL, error);
    }
    store_dispose(&all);
    return failed ? -1 : 0;
}

/* --- Once more ---------------------------------------------------------------------------- */

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
            output_note(&sweep->request->out,
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
    if (!failed && again.count && !sweep_race_keep(sweep, &again))
        failed = error_set(error, ERROR_IO,
                           "what was measured again could not be kept: see the warning above, "
                           "then run the same command again");
    store_dispose(&again);
    return failed;
}

static int confirm(struct sweep *sweep, struct error *error)
{
    const struct request *request = sweep->request;
    struct records all;
    int failed = choose_swept(&all, sweep, error);
    for (size_t i = 0; i < all.count && !failed; i++) {
        struct record *size = &all.at[i];
        if (!is_asked_for(sweep, size))
            continue;
        failed = sweep_race_confirm(sweep, &all, size, error);
        if (request->has_loss)
            size->loss_ppm = (uint64_t)llround(request->loss * 1e6);
    }
    failed = failed || sweep_drawing_print(&sweep_drawing_n, request, &all, NULL, error) ||
             keep_again(sweep, &all, error);
    if (!failed)
        note_cuts(sweep, &all);
    store_dispose(&all);
    return failed ? -1 : 0;
}

/* --- The whole ---------------------------------------------------------------------------- */

static int sweep_n(struct sweep *sweep, struct error *error)
{
    const double start = monotonic_s();
    bool is_answered;
    tune_notes_device(sweep->request, &sweep->setup.device->info,
                      sweep->device_set.kinds[0].count);
    if (plan(sweep, error) || sweep_race_load(sweep, error) ||
        find_answer(sweep, &is_answered, error))
        return -1;
    if (is_answered)
        return (sweep->request->confirm ? confirm : answer)(sweep, error);
    if (sweep->request->confirm)
        return error_set(error, ERROR_USAGE,
                         "--confirm measures a sweep again that is kept, and this one is not: "
                         "leave --confirm out first");
    if (find_single(sweep, error) || tune_sizes(sweep, error) || sweep_between(sweep, error))
        return -1;
    output_note(&sweep->request->out, "took      %.2f s\n", monotonic_s() - start);
    return finish(sweep, error);
}

static int open_sweep(struct sweep *sweep, struct error *error)
{
    struct request own = *sweep->request;
    if (device_set_open(&sweep->device_set, sweep->request, error))
        return -1;
    if (sweep->device_set.count > 1)
        return error_set(error, ERROR_USAGE,
                         "--device %.100s names devices of %zu kinds, and a sweep is of one: "
                         "sweep one kind at a time",
                         sweep->request->device, sweep->device_set.count);
    own.device = sweep->device_set.kinds[0].list[0];
    return setup_open(&sweep->setup, &own, true, error) ||
                   (own.n_high && setup_require_value(&sweep->setup, "a sweep of n", error))
               ? -1
               : 0;
}

int tune_sweep(const struct request *request, struct error *error)
{
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return error_memory(error, sizeof *sweep);
    sweep->request = request;
    sweep->records = setup_collection(request);
    sweep->start_ns = monotonic_ns();
    tune_save_now(sweep->swept);
    int failed = open_sweep(sweep, error) || worker_pool_open(&sweep->workers, error) ||
                 unit_cache_open(&sweep->units, UNIT_CACHE_BYTES, error);
    if (!failed) {
        failed = (request->n_high ? sweep_n : sweep_dims)(sweep, error);
        if (!failed && sweep->has_lost)
            failed =
                error_set(error, ERROR_IO,
                          "records of this sweep are not kept: see the warning above, then run "
                          "the same command again");
        else if (!failed && sweep->noisy)
            failed =
                error_set(error, ERROR_NOISY,
                          "%zu size%s left out, too noisy to decide: the same command tries "
                          "again",
                          sweep->noisy, sweep->noisy == 1 ? " is" : "s are");
    }
    worker_pool_close(sweep->workers);
    unit_cache_close(sweep->units);
    setup_close(&sweep->setup);
    for (size_t l = 0; l < REGIME_COUNT; l++)
        sweep_regime_dispose(&sweep->regimes[l]);
    collection_dispose(&sweep->records);
    tune_candidates_dispose(&sweep->candidates);
    free(sweep);
    return failed ? -1 : 0;
}
