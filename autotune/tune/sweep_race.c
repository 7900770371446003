/* sweep_race: tunes one size, or races it again. Its race has the size's own best config and the
 * configs that serve the interval so far, so that their losses are measured on the way. */
#include "autotune/tune/sweep_race.h"

#include "autotune/cli/output.h"
#include "autotune/device/monotonic.h"
#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"
#include "autotune/tune/sweep_configs.h"
#include "autotune/tune/tune_candidates.h"
#include "generator/dims_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SURVIVORS = TUNE_CONFIGS_MAX - 3, SURVIVORS_HOST = 4, AT_HAND = 8 };
enum {
    PLACE_CHARS = 48,
    PLACE_WIDTH = 10, /* characters, so that lines are aligned */
    N_WIDTH = 6,
    WORDS_WIDTH = 22,
    INDENT = 10,
    LINE_WIDTH = 100,
};

static const double RACE_SECONDS = 0.3;       /* for each size; neighbours confirm each other */
static const double SHORT_RACE_SECONDS = 0.1; /* of what is at hand */
static const double CHECK_SECONDS = 1e-6; /* of that the first place alone is checked again */
static const double ABOVE_LINE = 1.01;    /* from here on the size is worth a search */

/* --- What is said ------------------------------------------------------------------------ */

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
                           const struct sweep *sweep, const char *place, bool is_again)
{
    char size[DIMS_TEXT_CHARS];
    const struct problem *problem = &sweep->setup.problem;
    const size_t left = sweep->total - sweep->done;
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
static void add_words(struct text *out, const struct space *space, const struct record *record)
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
    add_words(&line, sweep->setup.space, record);
    if (!line.failed)
        output_note(&sweep->request->out, "%s", line.at);
    text_dispose(&line);
}

void sweep_race_add_budget(struct text *out, const struct sweep *sweep)
{
    if (sweep->request->budget_s > 0)
        text_addf(out, ", each searched for %.3g s at most", sweep->request->budget_s);
}

/* --- One size ---------------------------------------------------------------------------- */

/* The configs that must be in the race: the single one, the known winner, what ships, and as many as
 * may go on serving. */
static int ask_configs(struct sweep_configs *out, struct sweep *sweep,
                       const struct sweep_regime *regime, size_t size,
                       const struct tune_task *task, struct error *error)
{
    const struct setup *setup = &sweep->setup;
    uint64_t survivors[SURVIVORS];
    size_t count = setup->target.is_host ? SURVIVORS_HOST : SURVIVORS;
    *out = (struct sweep_configs){.setup = setup, .most = TUNE_CONFIGS_MAX};
    if (sweep->has_single)
        sweep_configs_add(out, sweep->single);
    if (task->is_known)
        sweep_configs_add(out, task->found.config);
    if (!setup->target.is_host && task->shipped.grade != SELECTOR_NONE)
        sweep_configs_add(out, task->shipped.config);
    if (tune_candidates_add(out, &sweep->candidates, sweep->request, error))
        return -1;
    count = sweep_regime_survivors(survivors, count, regime, dims_n(&regime->sizes[size]));
    return sweep_configs_add_numbers(out, &regime->swept, survivors, count, error);
}

bool sweep_race_keep(struct sweep *sweep, const struct records *records)
{
    struct text path = {0};
    struct error cause;
    const bool is_kept = tune_save_write(&path, sweep->request, records, NULL, &cause) == 0;
    if (is_kept) {
        if (records->count > 1)
            output_note(&sweep->request->out, "records   %s\n", path.at);
    } else {
        if (!sweep->told.record)
            output_warn("the records are not kept: %s", cause.text);
        sweep->told.record = true;
        sweep->has_lost = true;
    }
    text_dispose(&path);
    return is_kept;
}

/* An interruption then costs one size. */
int sweep_race_keep_winner(struct sweep *sweep, const struct record *record,
                           struct error *error)
{
    struct records one = {.count = 0};
    struct record winner = *record;
    winner.swept[0] = '\0';
    winner.loss_ppm = 0;
    if (store_add(&one, &winner, error))
        return -1;
    sweep_race_keep(sweep, &one);
    store_dispose(&one);
    return 0;
}

/* A task on this size, for which a record does not answer, and which says nothing itself. */
static struct tune_task *begin_task(struct sweep *sweep, bool is_retune)
{
    struct tune_task *task = &sweep->task;
    sweep->quiet = *sweep->request;
    sweep->quiet.out.quiet = true;
    sweep->quiet.retune = is_retune;
    *task = (struct tune_task){.request = &sweep->quiet,
                               .kind = &sweep->device_set.kinds[0],
                               .kinds = 1,
                               .records = &sweep->records,
                               .candidates = &sweep->candidates,
                               .setup = &sweep->setup,
                               .told = &sweep->told,
                               .workers = sweep->workers,
                               .units = sweep->units,
                               .is_race = true};
    return task;
}

int sweep_race_load(struct sweep *sweep, struct error *error)
{
    struct error no_folder = {.code = ERROR_NONE};
    struct record want;
    setup_record(&want, &sweep->setup);
    if (collection_load(&sweep->records, want.gpu, &no_folder, error))
        return -1;
    if (sweep->records.own.skipped)
        output_warn("%s", sweep->records.own.reason.text);
    return 0;
}

int sweep_race_find(struct record *out, bool *is_known, bool *is_raced, struct sweep *sweep,
                    struct error *error)
{
    struct tune_task *task = begin_task(sweep, sweep->request->retune);
    const int failed = tune_task_look(task, error);
    *is_known = !failed && task->is_known && !task->has_candidates;
    if (is_raced)
        *is_raced = !failed && !sweep->request->retune && task->found.grade == SELECTOR_EXACT &&
                    task->found.record.raced_only;
    *out = task->found.record;
    tune_task_close(task);
    return failed;
}

/* Makes the record one of this sweep. */
static void mark_swept(struct record *record, const struct sweep *sweep)
{
    memcpy(record->swept, sweep->swept, sizeof record->swept);
    record->loss_ppm = (uint64_t)llround(sweep->request->loss * 1e6);
}

/* Runs the race of a task that is ready. */
static int run_race(struct tune_task *task, const struct sweep *sweep, const char *place,
                    struct error *error)
{
    char subject[PLACE_CHARS + DIMS_TEXT_CHARS + 16];
    const bool shows = !sweep->request->out.quiet;
    if (!sweep->setup.target.is_host && task->options.race_s == 0)
        task->options.race_s = RACE_SECONDS;
    task->options.is_retune = sweep->request->retune;
    task->options.keeps_all = true;
    if (task->options.check_s == 0) /* others than the first place may serve too */
        task->options.check_s = INFINITY;
    if (task->options.is_only_configs) /* these need no search */
        task->options.budget_s = 0;
    if (shows) {
        task->options.progress = (struct tune_progress){tune_notes_progress, &task->watch};
        start_progress(&task->watch.progress, subject, sizeof subject, sweep, place,
                       task->again != NULL);
    }
    tune_task_run(task, 1);
    if (shows)
        terminal_progress_end(&task->watch.progress);
    if (task->failed)
        *error = task->error;
    else if (task->result.journal_warning.code != ERROR_NONE)
        output_warn("trials are not all kept: %s", task->result.journal_warning.text);
    return task->failed;
}

static int take_result(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                       const struct tune_task *task, struct error *error)
{
    struct record record;
    tune_task_record(&record, task);
    mark_swept(&record, sweep);
    if (sweep_race_keep_winner(sweep, &record, error) ||
        sweep_regime_take(regime, &sweep->setup, &record, &task->result, error))
        return -1;
    sweep->done += !regime->is_done[size];
    regime->is_done[size] = true;
    return 0;
}

/* A known winner whose trials are gone is raced with the requested configs only. */
static int tune_with(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                     struct tune_task *task, struct error *error)
{
    struct sweep_configs hand;
    struct tune_options *options = &task->options;
    const double start = monotonic_s();
    char place[PLACE_CHARS];
    format_place(place, sweep, regime->is_done[size]);
    if (tune_task_find_shipped(task, error) ||
        ask_configs(&hand, sweep, regime, size, task, error))
        return -1;
    options->configs = hand.configs;
    options->config_count = hand.count;
    const bool has_trials = task->has_journal && task->journal.count > 0;
    options->is_only_configs = task->is_known && (!has_trials || task->has_candidates);
    if (options->is_only_configs && !task->has_candidates)
        options->journal = NULL;
    if (run_race(task, sweep, place, error) || take_result(sweep, regime, size, task, error))
        return -1;
    note_size(sweep, place, sweep_regime_record(regime, size), monotonic_s() - start);
    return 0;
}

static void warn_noisy(struct sweep *sweep, const struct dims *dims, const struct error *why)
{
    char size[DIMS_TEXT_CHARS];
    sweep->noisy++;
    output_warn("%s %s is left out: %s", dims_text_format(size, dims),
                problem_regimes[sweep->setup.problem.regime], why->text);
}

int sweep_race_tune(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                    struct error *error)
{
    const struct record *before = sweep_regime_record(regime, size);
    struct tune_task *task = begin_task(sweep, sweep->request->retune && !before);
    struct record again;
    if (setup_resize(&sweep->setup, &regime->sizes[size], regime->regime, error))
        return -1;
    if (before) {
        again = *before;
        task->again = &again;
    }
    int failed = tune_task_prepare(task, error) || tune_with(sweep, regime, size, task, error);
    tune_task_close(task);
    if (failed && error->code == ERROR_NOISY) {
        warn_noisy(sweep, &regime->sizes[size], error);
        failed = 0;
    }
    return failed ? -1 : 0;
}

/* --- What is at hand ---------------------------------------------------------------------- */

/* What serves and won at the sizes around, and of those that may go on serving as many as there is room
 * for. */
static int list_at_hand(struct sweep_configs *out, const struct sweep_raced *raced,
                        const struct sweep *sweep, const struct sweep_regime *regime,
                        const struct tune_task *task, struct error *error)
{
    const struct records *swept = &regime->swept;
    const uint64_t n = dims_n(&sweep->setup.problem.dims);
    const size_t below = sweep_regime_below(regime, n);
    const struct record *serving[] = {sweep_regime_serving(regime, n),
                                      below ? &swept->at[below - 1] : NULL,
                                      below < swept->count ? &swept->at[below] : NULL};
    uint64_t survivors[AT_HAND];
    *out = (struct sweep_configs){.setup = &sweep->setup, .most = AT_HAND};
    if (task->found.grade <= SELECTOR_STALE) /* of this n, whose record is replaced */
        sweep_configs_add(out, task->found.config);
    if (task->shipped.grade != SELECTOR_NONE)
        sweep_configs_add(out, task->shipped.config);
    if (raced->served)
        sweep_configs_add(out, raced->served);
    for (size_t i = 0; i < sizeof serving / sizeof *serving; i++) {
        if (!serving[i])
            continue;
        const struct record *around =
            sweep_regime_serving(regime, dims_n(&serving[i]->problem.dims));
        if (sweep_configs_add_params(out, serving[i]->params, error) ||
            (around && sweep_configs_add_params(out, around->params, error)))
            return -1;
    }
    for (size_t i = 0; i < raced->near_count; i++)
        if (sweep_configs_add_params(out, raced->near[i]->params, error))
            return -1;
    if (sweep->has_single)
        sweep_configs_add(out, sweep->single);
    if (sweep_configs_add_numbers(out, swept, survivors,
                                  sweep_regime_survivors(survivors, AT_HAND, regime, n), error))
        return -1;
    if (out->count == 0) /* the rules refuse them all here; the default races in any case */
        sweep_configs_add(out, sweep->setup.space->default_config);
    return 0;
}

/* What a config took in the race that made the record; 0 = it was not in it. */
static uint64_t raced_ps(const struct tune_result *result, const struct record *record,
                         const int64_t *winner, const int64_t *config)
{
    const struct tune_place *place = tune_result_place(result, config);
    const struct tune_place *first = tune_result_place(result, winner);
    return place && first
               ? (uint64_t)llround((double)record->median_ps * place->ratio / first->ratio)
               : 0;
}

/* What would serve the task's size without the sweep. */
static const int64_t *untuned_config(const struct tune_task *task)
{
    return task->shipped.grade != SELECTOR_NONE ? task->shipped.config
                                                : task->setup->space->default_config;
}

/* `served` is what serves the size so far, or NULL. */
static int take_at_hand(struct sweep_raced *raced, struct sweep *sweep,
                        struct sweep_regime *regime, const struct tune_task *task,
                        const int64_t *served, struct error *error)
{
    struct record record;
    int64_t winner[SPACE_NAMES_MAX];
    tune_save_make(&record, &sweep->setup, &task->result);
    if (task->shipped.grade != SELECTOR_NONE)
        tune_save_shipped(&record, &task->result, task->shipped.config);
    mark_swept(&record, sweep);
    record.raced_only = 1;
    if (point_parse_record(sweep->setup.space, record.params, winner, error))
        return -1;
    raced->untuned_ps = raced_ps(&task->result, &record, winner, untuned_config(task));
    raced->served_ps = served ? raced_ps(&task->result, &record, winner, served) : 0;
    raced->is_added = raced->most_ps <= 0 || (double)record.median_ps <= raced->most_ps;
    return raced->is_added
               ? sweep_regime_take(regime, &sweep->setup, &record, &task->result, error)
               : 0;
}

/* Races for a task that is ready, unless there is nothing to tell. */
static int race_at_hand(struct sweep_raced *raced, struct sweep *sweep,
                        struct sweep_regime *regime, struct tune_task *task,
                        struct error *error)
{
    const struct space *space = sweep->setup.space;
    const struct record *serving =
        sweep_regime_serving(regime, dims_n(&sweep->setup.problem.dims));
    const int64_t *served = raced->served;
    int64_t of_interval[SPACE_NAMES_MAX];
    struct sweep_configs hand = {.count = 0};
    if (!served && serving) {
        served = of_interval;
        if (point_parse_record(space, serving->params, of_interval, error))
            return -1;
    }
    if (raced->leaves_untuned && served &&
        memcmp(served, untuned_config(task), space->param_count * sizeof *served) == 0)
        return 0;
    if (list_at_hand(&hand, raced, sweep, regime, task, error))
        return -1;
    task->options.configs = hand.configs;
    task->options.config_count = hand.count;
    task->options.is_only_configs = true;
    task->options.race_s = sweep->setup.target.is_host ? 0 : SHORT_RACE_SECONDS;
    task->options.check_s = CHECK_SECONDS;
    return run_race(task, sweep, raced->place ? raced->place : "between", error) ||
                   take_at_hand(raced, sweep, regime, task, served, error)
               ? -1
               : 0;
}

int sweep_race_at_hand(struct sweep_raced *raced, struct sweep *sweep,
                       struct sweep_regime *regime, const struct dims *dims,
                       struct error *error)
{
    const double start = monotonic_s();
    if (setup_resize(&sweep->setup, dims, regime->regime, error) ||
        interval_compute(&regime->swept, error))
        return -1;
    struct tune_task *task = begin_task(sweep, true);
    task->has_no_trials = true;
    const int failed = tune_task_prepare(task, error) || tune_task_find_shipped(task, error) ||
                       race_at_hand(raced, sweep, regime, task, error);
    tune_task_close(task);
    raced->is_noisy = failed && error->code == ERROR_NOISY;
    if (raced->is_noisy) {
        raced->is_added = false;
        return 0;
    }
    if (!failed && raced->is_added && raced->place) {
        const size_t at = sweep_regime_below(regime, dims_n(dims));
        note_size(sweep, raced->place, &regime->swept.at[at], monotonic_s() - start);
    }
    return failed ? -1 : 0;
}

/* What is at hand must do for it: the time on the line, and 1 %; 1 ps, which nothing does, where an end
 * was left out. */
static double most_at(const struct sweep_regime *regime, size_t size, size_t low, size_t high)
{
    const struct record *a = sweep_regime_record(regime, low),
                        *b = sweep_regime_record(regime, high);
    const uint64_t n = dims_n(&regime->sizes[size]);
    if (!a || !b)
        return 1;
    const double line =
        low == high ? sweep_line(n, 0, 0, dims_n(&regime->sizes[low]), (double)a->median_ps)
                    : sweep_line(n, dims_n(&regime->sizes[low]), (double)a->median_ps,
                                 dims_n(&regime->sizes[high]), (double)b->median_ps);
    return ABOVE_LINE * line;
}

int sweep_race_tune_between(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                            size_t low, size_t high, struct error *error)
{
    char place[PLACE_CHARS];
    struct sweep_raced raced = {.place = place};
    struct record known;
    bool is_known = true;
    if (setup_resize(&sweep->setup, &regime->sizes[size], regime->regime, error) ||
        sweep_race_find(&known, &is_known, NULL, sweep, error))
        return -1;
    format_place(place, sweep, false);
    raced.most_ps = most_at(regime, size, low, high);
    if (!is_known && !sweep->setup.target.is_host &&
        sweep_race_at_hand(&raced, sweep, regime, &regime->sizes[size], error))
        return -1;
    if (!raced.is_added)
        return sweep_race_tune(sweep, regime, size, error);
    sweep->done++;
    regime->is_done[size] = true;
    return 0;
}

/* --- Once more ---------------------------------------------------------------------------- */

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

/* The record gets the times of both. */
static int take_confirmed(struct sweep *sweep, const struct tune_task *task,
                          struct record *record, uint64_t config, double start,
                          struct error *error)
{
    const size_t width = sweep->setup.space->param_count;
    const struct tune_place *own = tune_result_place(&task->result, task->options.configs);
    const struct tune_place *other =
        tune_result_place(&task->result, task->options.configs + width);
    if (!own || !other)
        return error_set(error, ERROR_WRONG,
                         "n = %llu: %s is not right any more: tune again with --retune",
                         (unsigned long long)dims_n(&record->problem.dims),
                         own ? "its interval's variant" : "its winner");
    take_again(record, config, own, other);
    note_size(sweep, "again", record, monotonic_s() - start);
    return 0;
}

int sweep_race_confirm(struct sweep *sweep, const struct records *records,
                       struct record *record, struct error *error)
{
    const size_t width = sweep->setup.space->param_count;
    const struct interval *interval = interval_find(records, record);
    int64_t configs[2 * SPACE_NAMES_MAX];
    const double start = monotonic_s();
    if (!interval || interval->record.config == record->config)
        return 0; /* the winner of the size serves it */
    if (setup_resize(&sweep->setup, &record->problem.dims, record->problem.regime, error))
        return -1;
    struct tune_task *task = begin_task(sweep, sweep->request->retune);
    task->again = record;
    task->has_no_trials = true;
    int failed =
        tune_task_prepare(task, error) ||
        point_parse_record(sweep->setup.space, record->params, configs, error) ||
        point_parse_record(sweep->setup.space, interval->record.params, configs + width, error);
    task->options.configs = configs;
    task->options.config_count = 2;
    task->options.is_only_configs = true;
    failed = failed || run_race(task, sweep, "again", error) ||
             take_confirmed(sweep, task, record, interval->record.config, start, error);
    tune_task_close(task);
    return failed ? -1 : 0;
}
