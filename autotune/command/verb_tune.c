/* verb_tune: the main job. Answers from an exact record, or tunes, keeps what won, and has it
 * reported. Hides the order of all that. */
#include "autotune/command/interrupt.h"
#include "autotune/command/keep.h"
#include "autotune/command/output.h"
#include "autotune/command/setup.h"
#include "autotune/command/tune_notes.h"
#include "autotune/command/tune_report.h"
#include "autotune/command/verbs.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- The record --------------------------------------------------------------------------- */

/* A winner that no record can hold would be found in vain: said before the search. */
static int check_params(const struct space *space, struct error *error)
{
    enum { HOLDS = sizeof((struct record *)0)->params - 1 };
    size_t length = 0;
    for (size_t i = 0; i < space->param_count; i++) {
        const struct param *param = &space->params[i];
        size_t longest = 0;
        for (size_t k = 0; k < param->count; k++) {
            struct text value = {0};
            point_format_value(&value, param, param->values[k]);
            longest = value.length > longest ? value.length : longest;
            text_dispose(&value);
        }
        length += strlen(param->name) + 2 + longest; /* '=' and the blank before the next */
    }
    if (length <= HOLDS + 1)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "%s: the params of a variant may take %zu characters, and a "
                     "record holds %d: shorten names and values",
                     space->file, length - 1, HOLDS);
}

static void make_record(struct record *record, const struct setup *setup,
                        const struct tune_result *result)
{
    const struct finalist *winner = &result->finalists[result->winner];
    struct text params = {0};
    time_t now = time(NULL);
    struct tm utc;
    setup_record(record, setup);
    point_format(&params, setup->space, tune_row(result, winner->candidate), true);
    snprintf(record->params, sizeof record->params, "%s", params.at ? params.at : "");
    text_dispose(&params);
    record->median_ps = winner->median_ps;
    record->low_ps = winner->low_ps;
    record->high_ps = winner->high_ps;
    record->ties = (unsigned)result->ties;
    record->registers = winner->registers;
    record->candidates = (unsigned)result->counts[TRIAL_MEASURED];
    if (winner->error >= 0)
        snprintf(record->error, sizeof record->error, "%.1e", winner->error);
    gmtime_r(&now, &utc);
    strftime(record->tuned, sizeof record->tuned, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static int save_record(struct text *path, const struct request *request,
                       const struct record *record, struct error *error)
{
    struct text folder = {0};
    int failed = store_folder(&folder, request->cache, error) ||
                 store_path(path, folder.at, record->gpu, error) ||
                 store_save(path->at, record, error);
    text_dispose(&folder);
    return failed;
}

/* Keeps the record; a cache that cannot be written costs a warning, not the result. `earlier`
 * is what reading it warned of: not said when it cannot be written either. */
static void keep_record(const struct request *request, const struct record *record,
                        const struct error *earlier)
{
    struct text path = {0};
    struct error cause;
    if (record->problem.n == 0) { /* nothing could be answered from it */
        output_note(request, "record    none is kept of n = 0, whose result is the identity\n");
    } else if (save_record(&path, request, record, &cause)) {
        output_warn("the record is not kept: %s", cause.text);
    } else {
        if (earlier->code != ERROR_NONE)
            output_warn("%s", earlier->text);
        output_note(request, "record    %s\n", path.at);
    }
    text_dispose(&path);
}

/* --- The job ------------------------------------------------------------------------------ */

static enum strategy choose_strategy(const struct request *request, const struct setup *setup)
{
    if (request->has_strategy)
        return request->strategy;
    return setup->target.is_host ? STRATEGY_COVER : STRATEGY_EXHAUSTIVE;
}

static int search(struct tune_result *result, const struct request *request,
                  const struct setup *setup, struct error *error)
{
    struct tune_notes_watch watch = {.problem = &setup->problem};
    const struct tune_options options = {
        .strategy = choose_strategy(request, setup),
        .seed = request->seed,
        .progress = {request->quiet ? NULL : tune_notes_progress, &watch},
    };
    struct points points;
    if (check_params(setup->space, error) || setup_check_room(setup, error) ||
        strategy_points(&points, &setup->context, options.strategy, (unsigned)options.seed,
                        error))
        return -1;
    tune_notes_space(request, setup, &points, options.strategy);
    if (!request->quiet)
        terminal_progress_start(&watch.progress, stderr);
    int failed =
        tune_run(result, setup->device, &setup->context, &setup->sources, &options, error);
    if (!request->quiet)
        terminal_progress_end(&watch.progress);
    if (failed)
        keep_explain(setup, points.rows, error);
    point_dispose(&points);
    return failed;
}

static int tune(const struct request *request, const struct setup *setup,
                const struct error *warning, struct error *error)
{
    struct tune_result result;
    struct record record;
    if (search(&result, request, setup, error))
        return -1;
    tune_notes_trials(request, setup, &result);
    make_record(&record, setup, &result);
    keep_record(request, &record, warning);
    int failed = tune_report_print(request, setup, &record, &result, error);
    tune_dispose(&result);
    return failed;
}

static int run(const struct request *request, const struct setup *setup, struct error *error)
{
    struct find_result found;
    struct error warning;
    tune_notes_setup(request, setup);
    if (setup_find(&found, setup, request, &warning, error))
        return -1;
    if (found.grade == FIND_EXACT && !request->retune) {
        if (warning.code != ERROR_NONE)
            output_warn("%s", warning.text);
        output_note(request, "record    exact, measured %s: --retune measures again\n",
                    found.record.tuned);
        return tune_report_print(request, setup, &found.record, NULL, error);
    }
    if (found.grade == FIND_STALE)
        output_note(request, "record    stale, for its %s is another now: measuring again\n",
                    found.difference);
    return tune(request, setup, &warning, error);
}

int verb_tune(int argc, char **argv, struct error *error)
{
    struct interrupt_guard guard;
    struct request request;
    struct setup setup;
    if (request_parse(&request, VERB_TUNE, argc, argv, error) ||
        setup_open(&setup, &request, true, error))
        return -1;
    interrupt_begin(&guard, setup.device);
    int failed = run(&request, &setup, error);
    interrupt_end(&guard);
    setup_close(&setup);
    return failed;
}
