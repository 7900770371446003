/* sweep_race: tunes one size, or races it again. Its race has the size's own best config and the
 * configs that serve the interval so far, so that their losses are measured on the way. */
#include "autotune/tune/sweep_race.h"

#include "autotune/cli/output.h"
#include "autotune/device/monotonic.h"
#include "autotune/print/figures.h"
#include "autotune/print/sentence.h"
#include "generator/call.h"
#include "generator/dims_text.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
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

/* --- Sizes -------------------------------------------------------------------------------- */

void sweep_race_open(struct sweep_regime *out, enum regime regime)
{
    memset(out, 0, sizeof *out);
    out->regime = regime;
}

void sweep_race_init(struct sweep_regime *out, const struct setup *setup, enum regime regime,
                     uint64_t low, uint64_t high, bool is_within_l2)
{
    struct problem problem = setup->problem;
    uint64_t sizes[SWEEP_SIZES_MAX];
    sweep_race_open(out, regime);
    out->count = sweep_sizes(sizes, low, high);
    for (; is_within_l2 && out->count; out->count--) {
        problem.dims = dims_run(sizes[out->count - 1], problem.dims.scan);
        if (problem_bytes_read(&problem) <= (double)setup->target.l2_bytes)
            break;
    }
    for (size_t i = 0; i < out->count; i++)
        out->sizes[i] = dims_run(sizes[i], problem.dims.scan);
}

size_t sweep_race_nearest(const struct sweep_regime *regime, uint64_t n)
{
    uint64_t sizes[SWEEP_SIZES_MAX];
    for (size_t i = 0; i < regime->count; i++)
        sizes[i] = dims_n(&regime->sizes[i]);
    return sweep_nearest(sizes, regime->count, n);
}

void sweep_race_dispose(struct sweep_regime *regime)
{
    store_dispose(&regime->swept);
}

/* The number of finished smaller sizes. */
static size_t count_below(const struct sweep_regime *regime, uint64_t n)
{
    size_t count = 0;
    while (count < regime->swept.count && dims_n(&regime->swept.at[count].problem.dims) < n)
        count++;
    return count;
}

const struct record *sweep_race_record(const struct sweep_regime *regime, size_t size)
{
    const size_t at = count_below(regime, dims_n(&regime->sizes[size]));
    return regime->is_done[size] ? &regime->swept.at[at] : NULL;
}

/* The configs that serve the interval that ends before a size (interval_survivors). */
static size_t survivors_before(uint64_t *numbers, size_t most,
                               const struct sweep_regime *regime, size_t size)
{
    return interval_survivors(numbers, most, &regime->swept,
                              count_below(regime, dims_n(&regime->sizes[size])));
}

/* --- What was raced ---------------------------------------------------------------------- */

/* Keeps the configs that lose least, as many as there is room for. */
static void keep_raced(struct record *record, const struct raced *raced)
{
    size_t worst = 0;
    for (size_t i = 0; i < record->raced_count; i++) {
        if (record->raced[i].config == raced->config)
            return; /* a requested config may be in the list twice */
        worst = record->raced[i].ps > record->raced[worst].ps ? i : worst;
    }
    if (record->raced_count < RECORD_RACED_MAX)
        record->raced[record->raced_count++] = *raced;
    else if (raced->ps < record->raced[worst].ps)
        record->raced[worst] = *raced;
}

static int add_raced(struct records *swept, struct record *record, const struct setup *setup,
                     const struct tune_place *place, double ratio, struct error *error)
{
    struct record other = *record;
    struct raced raced;
    tune_save_config(&other, setup, place->config);
    const struct config config = store_config(&other);
    const double ps = (double)record->median_ps * ratio;
    const double high = ps * (double)place->high_ps / (double)place->median_ps;
    raced.ps = (uint64_t)llround(fmax(ps, 1));
    raced.high_ps = (uint64_t)llround(fmax(high, (double)raced.ps));
    if (configs_add(&raced.config, &swept->configs, &config, error))
        return -1;
    keep_raced(record, &raced);
    return 0;
}

/* Moves the last record to its place by n; it replaces another of the same n. */
static void sort_last(struct sweep_regime *regime)
{
    struct records *swept = &regime->swept;
    const struct record last = swept->at[--swept->count];
    const uint64_t n = dims_n(&last.problem.dims);
    const size_t at = count_below(regime, n);
    const bool is_there = at < swept->count && dims_n(&swept->at[at].problem.dims) == n;
    if (!is_there)
        memmove(swept->at + at + 1, swept->at + at, (swept->count++ - at) * sizeof *swept->at);
    swept->at[at] = last;
}

/* Takes all entrants of the race at a size, and replaces what was known of that size. The time of
 * another than the winner is the winner's time, times the race's ratio of the two, and its upper end
 * that of the ratio's interval: a bound, so that a second measurement is hardly higher. */
static int take_race(struct sweep_regime *regime, const struct setup *setup,
                     const struct record *record, const struct tune_result *result,
                     struct error *error)
{
    struct records *swept = &regime->swept;
    int64_t own[SPACE_NAMES_MAX];
    if (point_parse_record(setup->space, record->params, own, error))
        return -1;
    const struct tune_place *winner = tune_result_place(result, own);
    if (!winner)
        return error_set(error, ERROR_NOISY,
                         "too noisy to decide: no round of the race counts; end what else "
                         "uses this device and run the same command again");
    if (store_add(swept, record, error))
        return -1;
    struct record *added = &swept->at[swept->count - 1];
    for (size_t i = 0; i < result->place_count; i++) {
        const struct tune_place *place = &result->places[i];
        if (tune_result_place(result, place->config) != winner &&
            add_raced(swept, added, setup, place, place->ratio / winner->ratio, error))
            return -1;
    }
    sort_last(regime);
    return 0;
}

static void count_uses(size_t *uses, const struct records *swept)
{
    for (size_t i = 0; i < swept->count; i++) {
        const struct record *record = &swept->at[i];
        uses[record->config] += 2;
        for (size_t k = 0; k < record->raced_count; k++)
            uses[record->raced[k].config]++;
    }
}

static void leave_out(struct record *record, const size_t *uses)
{
    size_t kept = 0;
    for (size_t k = 0; k < record->raced_count; k++)
        if (uses[record->raced[k].config] > 1)
            record->raced[kept++] = record->raced[k];
    record->raced_count = kept;
}

int sweep_race_collect(struct records *out, struct sweep_regime *regime, struct error *error)
{
    struct records *swept = &regime->swept;
    const size_t room = swept->configs.count + 1;
    size_t *uses = calloc(room, sizeof *uses);
    if (!uses)
        return error_memory(error, room * sizeof *uses);
    count_uses(uses, swept);
    int failed = 0;
    for (size_t i = 0; i < swept->count && !failed; i++) {
        leave_out(&swept->at[i], uses);
        failed = store_copy(out, swept, &swept->at[i], error);
    }
    free(uses);
    return failed ? -1 : 0;
}

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
        output_note(&sweep->request->out, "%s", line.at);
    text_dispose(&line);
}

void sweep_race_add_budget(struct text *out, const struct sweep *sweep)
{
    if (sweep->request->budget_s > 0)
        text_addf(out, ", each searched for %.3g s at most", sweep->request->budget_s);
}

/* --- One size ---------------------------------------------------------------------------- */

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
    most = survivors_before(survivors, most, regime, size);
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

/* Writes one record that only says who won: an interruption then costs one size. */
static int keep_winner(struct sweep *sweep, const struct record *record, struct error *error)
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
                               .setup = &sweep->setup,
                               .told = &sweep->told,
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

int sweep_race_find(struct record *out, bool *is_known, struct sweep *sweep,
                    struct error *error)
{
    struct tune_task *task = begin_task(sweep, sweep->request->retune);
    const int failed = tune_task_look(task, error);
    *is_known = !failed && task->is_known;
    *out = task->found.record;
    tune_task_close(task);
    return failed;
}

/* Runs the race of a task that is ready. */
static int run_race(struct tune_task *task, const struct sweep *sweep, const char *place,
                    struct error *error)
{
    char subject[PLACE_CHARS + DIMS_TEXT_CHARS + 16];
    const bool shows = !sweep->request->out.quiet;
    task->options.race_s = sweep->setup.target.is_host ? 0 : RACE_SECONDS;
    task->options.is_retune = sweep->request->retune;
    task->options.keeps_all = true;
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
    memcpy(record.swept, sweep->swept, sizeof record.swept);
    record.loss_ppm = (uint64_t)llround(sweep->request->loss * 1e6);
    if (keep_winner(sweep, &record, error) ||
        take_race(regime, &sweep->setup, &record, &task->result, error))
        return -1;
    sweep->done += !regime->is_done[size];
    regime->is_done[size] = true;
    return 0;
}

/* A known winner whose trials are gone is raced with the requested configs only. */
static int tune_with(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                     struct tune_task *task, struct error *error)
{
    int64_t configs[TUNE_CONFIGS_MAX * SPACE_PARAMS_MAX];
    struct tune_options *options = &task->options;
    const double start = monotonic_s();
    char place[PLACE_CHARS];
    format_place(place, sweep, regime->is_done[size]);
    if (ask_configs(sweep, regime, size, task->is_known ? task->found.config : NULL, configs,
                    &options->config_count, error))
        return -1;
    options->configs = configs;
    options->is_only_configs =
        task->is_known && (!task->has_journal || task->journal.count == 0);
    if (options->is_only_configs)
        options->journal = NULL;
    if (run_race(task, sweep, place, error) || take_result(sweep, regime, size, task, error))
        return -1;
    note_size(sweep, place, sweep_race_record(regime, size), monotonic_s() - start);
    return 0;
}

int sweep_race_tune(struct sweep *sweep, struct sweep_regime *regime, size_t size,
                    struct error *error)
{
    const struct record *before = sweep_race_record(regime, size);
    struct tune_task *task = begin_task(sweep, sweep->request->retune && !before);
    struct record again;
    if (setup_resize(&sweep->setup, &regime->sizes[size], regime->regime, error))
        return -1;
    if (before) {
        again = *before;
        task->again = &again;
    }
    const int failed =
        tune_task_prepare(task, error) || tune_with(sweep, regime, size, task, error);
    tune_task_close(task);
    return failed ? -1 : 0;
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
