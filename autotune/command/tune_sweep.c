/* tune_sweep: one tuning after another. Each race has, beside the size's own best, the rows
 * that serve the interval so far, so that what they lose is measured on the way; and the winner
 * of the usual n, the single variant that the sweep is compared with, which is therefore tuned
 * first. Hides that, and what is known from an earlier run. */
#include "autotune/command/tune_sweep.h"

#include "autotune/command/interrupt.h"
#include "autotune/command/keep.h"
#include "autotune/command/output.h"
#include "autotune/command/sweep_known.h"
#include "autotune/command/sweep_leg.h"
#include "autotune/command/sweep_report.h"
#include "autotune/command/tune_begin.h"
#include "autotune/command/tune_keep.h"
#include "autotune/command/tune_notes.h"
#include "autotune/device/monotonic.h"
#include "autotune/report/figures.h"

#include <stdlib.h>
#include <string.h>

enum { SURVIVORS = TUNE_ROWS_MAX - 2, SURVIVORS_HOST = 4 };

static const double RACE_SECONDS = 0.4; /* a size; neighbours bear each other out */
static const double STAYS = 1.005; /* a known winner is replaced by what is faster than that */

struct sweep {
    const struct request *request;
    struct fleet fleet;
    struct setup setup;
    struct records kept; /* before the sweep */
    struct sweep_leg legs[REGIME_COUNT];
    size_t leg_count;
    int64_t single[SPACE_NAMES_MAX]; /* the row that all sizes are compared with */
    bool has_single, has_warned;
};

/* --- Plan --------------------------------------------------------------------------------- */

static void add_leg(struct sweep *sweep, enum regime regime, bool is_within_l2)
{
    struct sweep_leg *leg = &sweep->legs[sweep->leg_count];
    sweep_leg_init(leg, &sweep->setup, regime, sweep->request->problem.n,
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
                number_format_count(low, request->problem.n),
                number_format_count(high, request->n_high));
    for (size_t i = 0; i < sweep->leg_count; i++)
        output_note(request, "%s %zu sizes %s", i ? "," : "", sweep->legs[i].count,
                    problem_regimes[sweep->legs[i].regime]);
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
    *is_answered = !sweep->request->retune && !sweep->request->has_loss;
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

/* --- One size ----------------------------------------------------------------------------- */

/* The rows that are to be in the race whatever comes: the single one, the known winner, and as
 * many as may serve on. */
static int ask_rows(const struct sweep *sweep, const struct sweep_leg *leg, size_t size,
                    const int64_t *known, int64_t *rows, size_t *count, struct error *error)
{
    const size_t width = leg->table.width;
    const struct setup *setup = &sweep->setup;
    size_t survivors[SURVIVORS], most = setup->target.is_host ? SURVIVORS_HOST : SURVIVORS;
    *count = 0;
    if (sweep->has_single)
        memcpy(rows + width * (*count)++, sweep->single, width * sizeof *rows);
    if (known)
        memcpy(rows + width * (*count)++, known, width * sizeof *rows);
    most = sweep_survivors(survivors, most, sweep_table_losses(&leg->table), size,
                           sweep->request->loss);
    for (size_t i = 0; i < most; i++) {
        const int64_t *row = sweep_table_row(&leg->table, survivors[i]);
        const int broken = point_reject(&setup->context, row, error);
        if (broken == POINT_FAILED)
            return -1;
        if (broken == POINT_VALID)
            memcpy(rows + width * (*count)++, row, width * sizeof *rows);
    }
    return 0;
}

/* Noise that was too much once may be less the second time; trials are in the journal. */
static int run_twice(struct sweep *sweep, struct tune_result *out, struct tune_options *options,
                     struct error *error)
{
    struct tune_notes_watch watch = {.problem = &sweep->setup.problem};
    struct tune_job job;
    int failed = -1;
    tune_begin_job(&job, sweep->request, &sweep->setup, &sweep->fleet.kinds[0], 1);
    options->progress = (struct tune_progress){tune_notes_progress, &watch};
    if (sweep->request->quiet)
        options->progress.show = NULL;
    else
        terminal_progress_start(&watch.progress, stderr);
    for (int tries = 0; tries < 2 && failed; tries++) {
        failed = tune_run(out, &job, options, error);
        if (!failed || error->code != ERROR_NOISY)
            break;
    }
    if (!sweep->request->quiet)
        terminal_progress_end(&watch.progress);
    if (failed)
        keep_explain(&sweep->setup, sweep->setup.space->default_row, error);
    return failed;
}

/* Each winner is kept at once, so that an interruption costs one size. */
static void keep_records(struct sweep *sweep, const struct record *records, size_t count)
{
    struct text path = {0};
    struct error cause;
    if (tune_keep_save(&path, sweep->request, records, count, &cause) == 0) {
        if (count > 1)
            output_note(sweep->request, "records   %s\n", path.at);
    } else if (!sweep->has_warned) {
        output_warn("the records are not kept: %s", cause.text);
        sweep->has_warned = true;
    }
    text_dispose(&path);
}

/* A known winner stays the winner, with its time in this race, unless it clearly lost. */
static int take_result(struct sweep *sweep, struct sweep_leg *leg, size_t size,
                       const struct tune_result *result, const struct record *known,
                       const int64_t *known_row, struct error *error)
{
    const struct tune_place *place = known ? sweep_table_place(result, known_row) : NULL;
    if (place && place->ratio > STAYS)
        place = NULL;
    const int64_t *own = place ? known_row : result->finalists[result->winner].row;
    struct record *record = &leg->records[size];
    tune_keep_make(record, &sweep->setup, result);
    if (place) {
        const struct record made = *record;
        *record = *known;
        record->interval_ps = record->single_ps = 0;
        record->median_ps = place->median_ps;
        record->low_ps = place->low_ps;
        record->high_ps = place->high_ps;
        memcpy(record->tuned, made.tuned, sizeof record->tuned);
    }
    keep_records(sweep, record, 1);
    leg->is_done[size] = true;
    return sweep_table_take(&leg->table, size, result, own, record->median_ps, error);
}

static void note_size(const struct sweep *sweep, const struct record *record, double seconds)
{
    char n[NUMBER_CHARS], us[NUMBER_CHARS];
    output_note(sweep->request, "size      %6s %s %11s us %8.1f GB/s  %5.2f s  %s\n",
                number_format_count(n, record->problem.n),
                problem_regimes[record->problem.regime], figures_us(us, record->median_ps),
                figures_gbs(&record->problem, record->median_ps), seconds, record->params);
}

static int read_row(int64_t *out, const struct setup *setup, const struct record *record,
                    struct error *error)
{
    memcpy(out, setup->space->default_row, setup->space->param_count * sizeof *out);
    return point_parse(setup->space, record->params, out, error);
}

/* A known winner whose trials are gone is raced with what is asked for alone. */
static int tune_with(struct sweep *sweep, struct sweep_leg *leg, size_t size,
                     const struct record *known, struct journal *journal, struct error *error)
{
    const struct request *request = sweep->request;
    int64_t rows[TUNE_ROWS_MAX * SPACE_NAMES_MAX], row[SPACE_NAMES_MAX];
    struct tune_options options = {.strategy = tune_begin_strategy(request, &sweep->setup),
                                   .rows = rows,
                                   .seed = request->seed,
                                   .budget_s = request->budget_s,
                                   .race_s = sweep->setup.target.is_host ? 0 : RACE_SECONDS,
                                   .is_retune = request->retune,
                                   .is_stopping = interrupt_came};
    struct tune_result result;
    const double start = monotonic_s();
    if ((known && read_row(row, &sweep->setup, known, error)) ||
        ask_rows(sweep, leg, size, known ? row : NULL, rows, &options.row_count, error))
        return -1;
    options.is_only_rows = known && (!journal || journal->count == 0);
    options.journal = options.is_only_rows ? NULL : journal;
    if (run_twice(sweep, &result, &options, error))
        return -1;
    if (result.journal_warning.code != ERROR_NONE)
        output_warn("trials are not all kept: %s", result.journal_warning.text);
    int failed = take_result(sweep, leg, size, &result, known, row, error);
    if (!failed)
        note_size(sweep, &leg->records[size], monotonic_s() - start);
    tune_dispose(&result);
    return failed;
}

static int tune_size(struct sweep *sweep, struct sweep_leg *leg, size_t size,
                     struct error *error)
{
    struct request own = *sweep->request;
    struct journal journal;
    struct record record;
    bool has_journal;
    if (setup_resize(&sweep->setup, leg->sizes[size], leg->regime, error))
        return -1;
    own.quiet = true;
    own.retune = own.retune && !leg->is_done[size];
    const struct record *known =
        leg->is_done[size] ? &leg->records[size]
        : own.retune       ? NULL
                           : sweep_known_size(&sweep->kept, sweep->request, &sweep->setup);
    if (known) {
        record = *known;
        known = &record;
    }
    if (tune_keep_journal(&journal, &has_journal, &own, &sweep->setup, error))
        return -1;
    int failed = tune_with(sweep, leg, size, known, has_journal ? &journal : NULL, error);
    if (has_journal)
        journal_close(&journal);
    return failed;
}

/* --- All sizes ---------------------------------------------------------------------------- */

/* The winner of the size nearest to the usual n. */
static int find_single(struct sweep *sweep, struct error *error)
{
    struct sweep_leg *leg = &sweep->legs[0];
    const size_t size =
        sweep_nearest(leg->sizes, leg->count, setup_usual_n(sweep->setup.target.is_host));
    const struct record *record = NULL;
    if (setup_resize(&sweep->setup, leg->sizes[size], leg->regime, error))
        return -1;
    if (!sweep->request->retune)
        record = sweep_known_size(&sweep->kept, sweep->request, &sweep->setup);
    if (!record) {
        if (tune_size(sweep, leg, size, error))
            return -1;
        record = &leg->records[size];
    }
    sweep->has_single = read_row(sweep->single, &sweep->setup, record, error) == 0;
    return sweep->has_single ? 0 : -1;
}

/* The first size tuned is raced again among the others, unless it has none before it. */
static int tune_sizes(struct sweep *sweep, struct error *error)
{
    for (size_t l = 0; l < sweep->leg_count; l++)
        for (size_t i = 0; i < sweep->legs[l].count; i++)
            if (!(i == 0 && sweep->legs[l].is_done[0]) &&
                tune_size(sweep, &sweep->legs[l], i, error))
                return -1;
    return 0;
}

/* --- After -------------------------------------------------------------------------------- */

static int finish(struct sweep *sweep, struct error *error)
{
    struct records all = {0};
    size_t room = 0;
    for (size_t l = 0; l < sweep->leg_count; l++)
        room += 2 * sweep->legs[l].count;
    all.at = calloc(room, sizeof *all.at);
    if (!all.at)
        return error_memory(error, room * sizeof *all.at);
    for (size_t l = 0; l < sweep->leg_count; l++)
        sweep_leg_records(&all, &sweep->legs[l], sweep->setup.space, sweep->single,
                          sweep->request->loss);
    keep_records(sweep, all.at, all.count);
    int failed = sweep_report_print(sweep->request, all.at, all.count, NULL, error);
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
        return answer(sweep, error);
    if (find_single(sweep, error) || tune_sizes(sweep, error))
        return -1;
    output_note(sweep->request, "took      %.2f s\n", monotonic_s() - start);
    return finish(sweep, error);
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
    return setup_open(&sweep->setup, &own, true, error);
}

int tune_sweep(const struct request *request, struct error *error)
{
    struct sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return error_memory(error, sizeof *sweep);
    sweep->request = request;
    int failed = open_sweep(sweep, error);
    if (!failed) {
        failed = run(sweep, error);
        setup_close(&sweep->setup);
    }
    for (size_t l = 0; l < REGIME_COUNT; l++)
        sweep_leg_dispose(&sweep->legs[l]);
    store_dispose(&sweep->kept);
    free(sweep);
    return failed ? -1 : 0;
}
