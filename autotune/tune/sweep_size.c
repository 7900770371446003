/* sweep_size: tunes one size. Its race has the size's own best config and the configs that
 * serve the interval so far, so that their losses are measured on the way. */
#include "autotune/tune/sweep_size.h"

#include "autotune/cli/failing_source.h"
#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/device/monotonic.h"
#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"
#include "autotune/tune/sweep_known.h"
#include "autotune/tune/tune_defaults.h"
#include "autotune/tune/tune_notes.h"
#include "autotune/tune/tune_save.h"
#include "generator/call.h"
#include "generator/dims_text.h"

#include <math.h>
#include <string.h>

enum { SURVIVORS = TUNE_CONFIGS_MAX - 2, SURVIVORS_HOST = 4 };
enum {
    PLACE_CHARS = 48,
    PLACE_WIDTH = 10, /* characters, so that lines are aligned */
    N_WIDTH = 6,
    WORDS_WIDTH = 22,
    INDENT = 10,
    LINE_WIDTH = 100,
};

static const double RACE_SECONDS = 0.4; /* for each size; neighbours confirm each other */
static const double STAYS = 1.005; /* a known winner is replaced by a config that is faster by
                                    * more than this */

/* --- One size ----------------------------------------------------------------------------- */

/* The rules may reject the config here; it only needs launches. */
static bool can_run(const struct setup *setup, const int64_t *values)
{
    struct planner_plan plan;
    struct error ignored;
    return call_plan(&plan, &setup->context, values, &ignored) == 0;
}

/* The configs that must be in the race: the single one, the known winner, and as many as may go
 * on serving. */
static int ask_configs(const struct sweep *sweep, const struct sweep_regime *regime,
                       size_t size, const int64_t *known, int64_t *configs, size_t *count,
                       struct error *error)
{
    const struct setup *setup = &sweep->setup;
    const size_t width = setup->space->param_count;
    uint64_t survivors[SURVIVORS];
    size_t most = setup->target.is_host ? SURVIVORS_HOST : SURVIVORS;
    *count = 0;
    if (sweep->has_single && can_run(setup, sweep->single))
        memcpy(configs + width * (*count)++, sweep->single, width * sizeof *configs);
    if (known)
        memcpy(configs + width * (*count)++, known, width * sizeof *configs);
    most = sweep_regime_survivors(survivors, most, regime, size);
    for (size_t i = 0; i < most; i++) {
        int64_t *values = configs + width * *count;
        const struct config *config = configs_find(&regime->swept.configs, survivors[i]);
        if (point_parse_record(setup->space, config->params, values, error))
            return -1;
        const int broken = point_reject(&setup->context, values, error);
        if (broken == POINT_FAILED)
            return -1;
        *count += broken == POINT_VALID;
    }
    return 0;
}

/* "4 of 10"; "again" for one that is done. */
static void format_place(char out[PLACE_CHARS], const struct sweep *sweep, bool is_again)
{
    if (is_again)
        snprintf(out, PLACE_CHARS, "again");
    else
        snprintf(out, PLACE_CHARS, "%zu of %zu", sweep->done + 1, sweep->total);
}

/* The bar says which size it is, "4 of 10, 16K cold: ", and how long all of them will take. */
static void start_progress(struct terminal_progress *progress, char *subject, size_t most,
                           const struct sweep *sweep, bool is_again)
{
    char place[PLACE_CHARS], size[DIMS_TEXT_CHARS];
    const struct problem *problem = &sweep->setup.problem;
    const size_t left = sweep->total - sweep->done;
    format_place(place, sweep, is_again);
    snprintf(subject, most, "%s, %s %s: ", place, dims_text_format(size, &problem->dims),
             problem_regimes[problem->regime]);
    terminal_progress_start(progress, stderr);
    progress->subject = subject;
    if (!left)
        return;
    progress->before = sweep->done;
    progress->behind = left - !is_again;
    progress->first_ns = sweep->start_ns;
}

/* Too much noise may be gone the second time; the trials are in the journal. */
static int run_twice(struct sweep *sweep, bool is_again, struct tune_result *out,
                     struct tune_options *options, struct error *error)
{
    struct tune_notes_watch watch = {.problem = &sweep->setup.problem};
    struct tune_job job;
    char subject[PLACE_CHARS + DIMS_TEXT_CHARS + 16];
    int failed = -1;
    tune_defaults_job(&job, sweep->request, &sweep->setup, &sweep->device_set.kinds[0], 1);
    options->progress = (struct tune_progress){tune_notes_progress, &watch};
    if (!options->is_only_configs) /* these need no search */
        options->budget_s = sweep->request->budget_s;
    if (sweep->request->quiet)
        options->progress.show = NULL;
    else
        start_progress(&watch.progress, subject, sizeof subject, sweep, is_again);
    for (int tries = 0; tries < 2 && failed; tries++) {
        failed = tune_run(out, &job, options, error);
        if (!failed || error->code != ERROR_NOISY)
            break;
    }
    if (!sweep->request->quiet)
        terminal_progress_end(&watch.progress);
    if (failed)
        failing_source_explain(&sweep->setup, sweep->setup.space->default_config, error);
    return failed;
}

bool sweep_size_keep(struct sweep *sweep, const struct records *records)
{
    struct text path = {0};
    struct error cause;
    const bool is_kept = tune_save_write(&path, sweep->request, records, NULL, &cause) == 0;
    if (is_kept) {
        if (records->count > 1)
            output_note(sweep->request, "records   %s\n", path.at);
    } else {
        if (!sweep->told.record)
            output_warn("the records are not kept: %s", cause.text);
        sweep->told.record = true;
        sweep->has_lost = true;
    }
    text_dispose(&path);
    return is_kept;
}

/* Writes one record that only says who won: an interruption then costs one size. */
static int keep_winner(struct sweep *sweep, const struct record *record, struct error *error)
{
    struct records one = {.count = 0};
    struct record winner = *record;
    winner.swept[0] = '\0';
    winner.loss_ppm = 0;
    if (store_add(&one, &winner, error))
        return -1;
    sweep_size_keep(sweep, &one);
    store_dispose(&one);
    return 0;
}

/* A known winner remains, with its time in this race, unless it clearly lost. */
static int take_result(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                       const struct tune_result *result, const struct record *known,
                       const int64_t *known_config, struct error *error)
{
    const struct tune_place *place = known ? sweep_regime_place(result, known_config) : NULL;
    if (place && place->ratio > STAYS)
        place = NULL;
    const int64_t *own = place ? known_config : result->finalists[result->winner].config;
    struct record record;
    tune_save_make(&record, &sweep->setup, result);
    if (place) {
        const struct record made = record;
        record = *known;
        record_set_time(&record, place->median_ps, place->low_ps, place->high_ps);
        record.sm_mhz = made.sm_mhz;
        record.memory_mhz = made.memory_mhz;
        record.celsius = made.celsius;
        record.milliwatts = made.milliwatts;
        memcpy(record.tuned, made.tuned, sizeof record.tuned);
    }
    memcpy(record.swept, sweep->swept, sizeof record.swept);
    record.loss_ppm = (uint64_t)llround(sweep->request->loss * 1e6);
    if (keep_winner(sweep, &record, error) ||
        sweep_regime_take(regime, &sweep->setup, &record, result, own, error))
        return -1;
    sweep->done += !regime->is_done[size];
    regime->is_done[size] = true;
    return 0;
}

/* Appends "size", the place of a size among the sizes of a sweep of n, and the size. */
static void add_size(struct text *out, const struct sweep *sweep, const char *place)
{
    const struct problem *problem = &sweep->setup.problem;
    char size[DIMS_TEXT_CHARS];
    text_adds(out, "size      ");
    if (sweep->request->n_high)
        text_addf(out, "%-*s  ", PLACE_WIDTH, place);
    text_addf(out, "%*s %s", request_dims_is_sweep(sweep->request) ? WORDS_WIDTH : N_WIDTH,
              dims_text_format(size, &problem->dims), problem_regimes[problem->regime]);
}

static size_t line_width(void)
{
    return (size_t)terminal_room(stderr, LINE_WIDTH);
}

/* The params in which the record differs from the space's default; below where they are too
 * many for the line. */
static void add_params(struct text *out, const struct space *space, const struct record *record)
{
    int64_t values[SPACE_NAMES_MAX];
    struct text words = {0};
    struct error ignored;
    if (point_parse_record(space, record->params, values, &ignored) == 0)
        point_format_unlike(&words, space, values, space->default_config);
    const char *shown = words.length ? words.at : "the default";
    if (out->length + 2 + strlen(shown) > line_width())
        text_addf(out, "\n%*s", INDENT, "");
    else
        text_adds(out, "  ");
    sentence_wrap(out, shown, INDENT, line_width());
    text_dispose(&words);
}

static void note_size(const struct sweep *sweep, const char *place, const struct record *record,
                      double seconds)
{
    char us[NUMBER_CHARS], speed[NUMBER_CHARS];
    struct text line = {0};
    add_size(&line, sweep, place);
    text_addf(&line, " %9s us %8s GB/s  %5.2f s", figures_us(us, record->median_ps),
              figures_speed(speed, figures_gbs(&record->problem, record->median_ps)), seconds);
    add_params(&line, sweep->setup.space, record);
    if (!line.failed)
        output_note(sweep->request, "%s", line.at);
    text_dispose(&line);
}

void sweep_size_add_budget(struct text *out, const struct sweep *sweep)
{
    if (sweep->request->budget_s > 0)
        text_addf(out, ", each searched for %.3g s at most", sweep->request->budget_s);
}

static struct tune_options options_of(const struct sweep *sweep, const int64_t *configs)
{
    const struct request *request = sweep->request;
    return (struct tune_options){.strategy = tune_defaults_strategy(request, &sweep->setup),
                                 .configs = configs,
                                 .seed = request->seed,
                                 .race_s = sweep->setup.target.is_host ? 0 : RACE_SECONDS,
                                 .is_retune = request->retune,
                                 .is_stopping = interrupt_came};
}

/* A known winner whose trials are gone is raced with the requested configs only. */
static int tune_with(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                     const struct record *known, struct journal *journal, struct error *error)
{
    int64_t configs[TUNE_CONFIGS_MAX * SPACE_PARAMS_MAX], values[SPACE_NAMES_MAX];
    struct tune_options options = options_of(sweep, configs);
    struct tune_result result;
    const double start = monotonic_s();
    char place[PLACE_CHARS];
    format_place(place, sweep, regime->is_done[size]);
    if ((known && point_parse_record(sweep->setup.space, known->params, values, error)) ||
        ask_configs(sweep, regime, size, known ? values : NULL, configs, &options.config_count,
                    error))
        return -1;
    options.is_only_configs = known && (!journal || journal->count == 0);
    options.journal = options.is_only_configs ? NULL : journal;
    if (run_twice(sweep, regime->is_done[size], &result, &options, error))
        return -1;
    if (result.journal_warning.code != ERROR_NONE)
        output_warn("trials are not all kept: %s", result.journal_warning.text);
    int failed = take_result(sweep, regime, size, &result, known, values, error);
    if (!failed)
        note_size(sweep, place, sweep_regime_record(regime, size), monotonic_s() - start);
    tune_result_dispose(&result);
    return failed;
}

int sweep_size_tune(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                    struct error *error)
{
    struct request own = *sweep->request;
    struct journal journal;
    struct record record;
    struct tune_save_opened opened;
    if (setup_resize(&sweep->setup, &regime->sizes[size], regime->regime, error))
        return -1;
    own.quiet = true;
    own.retune = own.retune && !regime->is_done[size];
    const struct record *known =
        regime->is_done[size] ? sweep_regime_record(regime, size)
        : own.retune          ? NULL
                              : sweep_known_size(&sweep->kept, sweep->request, &sweep->setup);
    if (known) {
        record = *known;
        known = &record;
    }
    if (tune_save_journal(&journal, &opened, &own, &sweep->setup, &sweep->told, error))
        return -1;
    int failed = tune_with(sweep, regime, size, known, opened.is_open ? &journal : NULL, error);
    if (opened.is_open)
        journal_close(&journal);
    return failed;
}

/* The winner's time and that of the interval's config are from this race; configs raced before
 * keep their ratio to the winner. A second race confirms the first, so its median counts, not
 * the upper end. */
static void take_again(struct record *record, uint64_t config, const struct tune_place *own,
                       const struct tune_place *other)
{
    const double scale = (double)own->median_ps / (double)record->median_ps;
    struct raced *raced = record->raced;
    const uint64_t ps = (uint64_t)llround((double)own->median_ps * other->ratio / own->ratio);
    for (size_t i = 0; i < record->raced_count; i++) {
        raced[i].ps = (uint64_t)llround((double)raced[i].ps * scale);
        raced[i].high_ps = (uint64_t)llround((double)raced[i].high_ps * scale);
        if (raced[i].config == config)
            raced[i].ps = raced[i].high_ps = ps;
    }
    record_set_time(record, own->median_ps,
                    own->low_ps < own->median_ps ? own->low_ps : own->median_ps,
                    own->high_ps > own->median_ps ? own->high_ps : own->median_ps);
}

int sweep_size_confirm(struct sweep *sweep, struct records *records, struct record *record,
                       struct error *error)
{
    const size_t width = sweep->setup.space->param_count;
    int64_t configs[2 * SPACE_NAMES_MAX];
    struct tune_options options = options_of(sweep, configs);
    struct tune_result result;
    const double start = monotonic_s();
    if (setup_resize(&sweep->setup, &record->problem.dims, record->problem.regime, error))
        return -1;
    const struct interval *interval = interval_find(records, record);
    if (!interval || interval->record.config == record->config)
        return 0; /* the winner of the size serves it */
    options.config_count = 2;
    options.is_only_configs = true;
    if (point_parse_record(sweep->setup.space, record->params, configs, error) ||
        point_parse_record(sweep->setup.space, interval->record.params, configs + width,
                           error) ||
        run_twice(sweep, true, &result, &options, error))
        return -1;
    const struct tune_place *own = sweep_regime_place(&result, configs);
    const struct tune_place *other = sweep_regime_place(&result, configs + width);
    int failed = 0;
    if (own && other) {
        take_again(record, interval->record.config, own, other);
        note_size(sweep, "again", record, monotonic_s() - start);
    } else {
        failed = error_set(error, ERROR_WRONG,
                           "n = %llu: %s is not right any more: tune again with --retune",
                           (unsigned long long)dims_n(&record->problem.dims),
                           own ? "its interval's variant" : "its winner");
    }
    tune_result_dispose(&result);
    return failed;
}
