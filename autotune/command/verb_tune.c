/* verb_tune: answers from an exact record, or tunes, saves the winner and has it reported.
 * Devices of several kinds are tuned at the same time. */
#include "autotune/cli/device_set.h"
#include "autotune/cli/failing_source.h"
#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/cli/setup.h"
#include "autotune/cli/verbs.h"
#include "autotune/tune/tune_defaults.h"
#include "autotune/tune/tune_notes.h"
#include "autotune/tune/tune_replay.h"
#include "autotune/tune/tune_report.h"
#include "autotune/tune/tune_save.h"
#include "autotune/tune/tune_sweep.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A kind of device, and the tuning that runs on it. */
struct task {
    const struct request *request;
    const struct device_set_kind *kind;
    struct setup setup;
    struct find_result found;
    struct error warning; /* of the records */
    bool is_answered;     /* by a record: no measuring needed */
    struct journal journal;
    bool has_journal;
    struct tune_job job;
    struct tune_options options;
    struct tune_notes_watch watch;
    struct tune_result result;
    bool is_tuned;
    int failed;
    struct error error;
};

/* --- Before ------------------------------------------------------------------------------- */

static void describe_job(struct task *task, size_t kinds)
{
    const struct setup *setup = &task->setup;
    const struct request *request = task->request;
    tune_defaults_job(&task->job, request, setup, task->kind, kinds);
    const bool has_seed = task->found.grade != SELECTOR_NONE; /* the winner of a similar
                                                               * problem */
    task->options = (struct tune_options){.strategy = tune_defaults_strategy(request, setup),
                                          .seed_config = has_seed ? task->found.config : NULL,
                                          .seed = request->seed,
                                          .budget_s = request->budget_s,
                                          .is_retune = request->retune,
                                          .journal = task->has_journal ? &task->journal : NULL,
                                          .is_stopping = interrupt_came};
    task->watch = (struct tune_notes_watch){.problem = &setup->problem};
    if (!request->quiet && kinds == 1)
        task->options.progress = (struct tune_progress){tune_notes_progress, &task->watch};
}

/* Notes the number of candidates; the search expands the space again. */
static int note_points(const struct task *task, struct error *error)
{
    struct points points;
    if (strategy_points(&points, &task->setup.context, task->options.strategy,
                        (unsigned)task->options.seed, error))
        return -1;
    tune_notes_space(task->request, &task->setup, &points, task->options.strategy);
    point_dispose(&points);
    return 0;
}

/* Opens the kind and looks for a record; without an exact one all is made ready to tune. */
static int prepare(struct task *task, size_t kinds, struct error *error)
{
    struct request own = *task->request;
    own.device = task->kind->list[0];
    if (setup_open(&task->setup, &own, true, error))
        return -1;
    tune_notes_setup(&own, &task->setup, task->kind->count);
    if (setup_find(&task->found, &task->setup, &own, &task->warning, error))
        return -1;
    const bool is_asked = task->found.grade == SELECTOR_EXACT && !own.retune;
    const char *unfinished =
        is_asked ? tune_save_unfinished(&own, &task->setup, &task->found.record) : NULL;
    task->is_answered = is_asked && !unfinished;
    if (task->is_answered)
        return 0;
    if (unfinished)
        output_note(&own, "record    %s: going on with that\n", unfinished);
    if (task->found.grade == SELECTOR_STALE)
        output_note(&own, "record    stale, for its %s is another now: measuring again\n",
                    task->found.difference);
    else if (*task->found.other)
        output_note(&own,
                    "record    of this problem, but its %s is another now: measuring again\n",
                    task->found.other);
    if (!unfinished && !own.retune && task->found.rejected.code != ERROR_NONE)
        output_note(&own, "record    %s\n", task->found.rejected.text);
    if (tune_save_check(task->setup.space, error) || setup_check_room(&task->setup, error) ||
        tune_save_journal(&task->journal, &task->has_journal, &own, &task->setup, error))
        return -1;
    describe_job(task, kinds);
    return note_points(task, error);
}

/* --- Tuning ------------------------------------------------------------------------------- */

static void *tune(void *argument)
{
    struct task *task = argument;
    task->failed = tune_run(&task->result, &task->job, &task->options, &task->error);
    task->is_tuned = !task->failed;
    return NULL;
}

/* Kinds run at the same time; a single one needs no thread. */
static void tune_all(struct task *tasks, size_t count)
{
    pthread_t threads[DEVICE_SET_MAX] = {0};
    bool is_started[DEVICE_SET_MAX] = {false};
    for (size_t i = 0; i < count; i++)
        if (!tasks[i].is_answered) {
            is_started[i] =
                count > 1 && pthread_create(&threads[i], NULL, tune, &tasks[i]) == 0;
            if (!is_started[i])
                tune(&tasks[i]);
        }
    for (size_t i = 0; i < count; i++)
        if (is_started[i])
            pthread_join(threads[i], NULL);
}

/* --- After -------------------------------------------------------------------------------- */

static int report(struct task *task, struct error *error)
{
    const struct request *request = task->request;
    struct record record;
    if (task->is_answered) {
        if (task->warning.code != ERROR_NONE)
            output_warn("%s", task->warning.text);
        record = task->found.record;
        const struct nvml_reading reading = {record.sm_mhz, record.memory_mhz, record.celsius,
                                             record.milliwatts};
        if (record.untried)
            output_note(request,
                        "budget    it left %" PRIu64
                        " candidates untried: without --budget they "
                        "are tried\n",
                        record.untried);
        output_note(request, "record    exact, measured %s: --retune measures again\n",
                    record.tuned);
        tune_notes_reading(request, &reading);
        return tune_report_print(request, &task->setup, &record, NULL, error);
    }
    if (task->failed) {
        *error = task->error;
        failing_source_explain(&task->setup, task->setup.space->default_config, error);
        return -1;
    }
    tune_notes_trials(request, &task->setup, &task->result);
    tune_save_make(&record, &task->setup, &task->result);
    struct error lost;
    const int is_lost = tune_save_record(request, &record, &task->warning, &lost);
    const int failed = tune_report_print(request, &task->setup, &record, &task->result, error);
    if (!failed && is_lost) /* the result was printed all the same */
        *error = lost;
    return failed || is_lost ? -1 : 0;
}

static void close_task(struct task *task)
{
    if (task->is_tuned)
        tune_result_dispose(&task->result);
    if (task->has_journal)
        journal_close(&task->journal);
    setup_close(&task->setup);
}

static int run_tasks(struct task *tasks, const struct device_set *device_set,
                     const struct request *request, struct error *error)
{
    int failed = 0;
    for (size_t i = 0; i < device_set->count && !failed; i++) {
        tasks[i].request = request;
        tasks[i].kind = &device_set->kinds[i];
        failed = prepare(&tasks[i], device_set->count, error);
    }
    if (failed)
        return -1;
    const bool shows = !request->quiet && !tasks[0].is_answered && device_set->count == 1;
    if (shows)
        terminal_progress_start(&tasks[0].watch.progress, stderr);
    tune_all(tasks, device_set->count);
    if (shows)
        terminal_progress_end(&tasks[0].watch.progress);
    for (size_t i = 0; i < device_set->count; i++) {
        struct error cause;
        if (report(&tasks[i], &cause) == 0)
            continue;
        if (failed) /* main prints the last one */
            output_warn("%s", error->text);
        *error = cause;
        failed = -1;
    }
    return failed;
}

static int run(const struct request *request, struct error *error)
{
    struct device_set *device_set = malloc(sizeof *device_set);
    struct task *tasks = NULL;
    int failed = device_set ? device_set_open(device_set, request, error)
                            : error_memory(error, sizeof *device_set);
    if (!failed && device_set->count > 1 && (request->json || request->csv))
        failed =
            error_set(error, ERROR_USAGE,
                      "--device %.100s names devices of %zu kinds, and --json and --csv write "
                      "one file: tune one kind at a time",
                      request->device, device_set->count);
    if (!failed) {
        tasks = calloc(device_set->count, sizeof *tasks);
        failed = tasks ? run_tasks(tasks, device_set, request, error)
                       : error_memory(error, device_set->count * sizeof *tasks);
    }
    for (size_t i = 0; tasks && i < device_set->count; i++)
        close_task(&tasks[i]);
    free(tasks);
    free(device_set);
    return failed;
}

int verb_tune(int argc, char **argv, struct error *error)
{
    struct interrupt_guard guard;
    struct request request;
    if (request_parse(&request, VERB_TUNE, argc, argv, error))
        return -1;
    if (request.replay)
        return tune_replay(&request, error);
    interrupt_begin(&guard, NULL);
    int failed =
        request_is_sweep(&request) ? tune_sweep(&request, error) : run(&request, error);
    interrupt_end(&guard);
    return failed;
}
