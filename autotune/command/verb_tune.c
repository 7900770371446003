/* verb_tune: tunes a problem, a range of them or a list, and has the result reported. Devices of
 * several kinds are tuned at the same time. */
#include "autotune/cli/device_set.h"
#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/cli/verbs.h"
#include "autotune/command/effects_show.h"
#include "autotune/tune/tune_host.h"
#include "autotune/tune/tune_list.h"
#include "autotune/tune/tune_replay.h"
#include "autotune/tune/tune_report.h"
#include "autotune/tune/tune_sweep.h"
#include "autotune/tune/tune_task.h"

#include <inttypes.h>
#include <stdlib.h>

struct tuning {
    struct request request;
    struct interrupt_guard guard;
    /* Of one problem; else NULL: what tunes several opens its own. */
    struct device_set *device_set;
    struct tune_task *tasks; /* one for each kind of device */
};

/* --- One problem -------------------------------------------------------------------------- */

static int prepare(struct tuning *tuning, struct error *error)
{
    const struct request *request = &tuning->request;
    struct device_set *device_set = tuning->device_set = malloc(sizeof *device_set);
    if (!device_set)
        return error_memory(error, sizeof *device_set);
    if (device_set_open(device_set, request, error))
        return -1;
    if (device_set->count > 1 && (request->out.json || request->out.csv))
        return error_set(
            error, ERROR_USAGE,
            "--device %.100s names devices of %zu kinds, and --json and --csv write "
            "one file: tune one kind at a time",
            request->device, device_set->count);
    tuning->tasks = calloc(device_set->count, sizeof *tuning->tasks);
    if (!tuning->tasks)
        return error_memory(error, device_set->count * sizeof *tuning->tasks);
    for (size_t i = 0; i < device_set->count; i++) {
        tuning->tasks[i].request = request;
        tuning->tasks[i].kind = &device_set->kinds[i];
        tuning->tasks[i].kinds = device_set->count;
        if (tune_task_prepare(&tuning->tasks[i], error) ||
            effects_show_check(request, tuning->tasks[i].setup->space, error))
            return -1;
        tuning->tasks[i].options.races_values = tune_task_has_effects(&tuning->tasks[i]);
    }
    return 0;
}

static void run_tasks(struct tuning *tuning)
{
    struct tune_task *tasks = tuning->tasks;
    const size_t count = tuning->device_set->count;
    const bool shows = !tuning->request.out.quiet && !tasks[0].is_answered && count == 1;
    if (shows)
        terminal_progress_start(&tasks[0].watch.progress, stderr);
    tune_task_run(tasks, count);
    if (shows)
        terminal_progress_end(&tasks[0].watch.progress);
}

static void note_answer(const struct tune_task *task, const struct record *record)
{
    const struct request *request = task->request;
    const struct nvml_reading reading = {record->sm_mhz, record->memory_mhz, record->celsius,
                                         record->milliwatts};
    if (task->warning.code != ERROR_NONE)
        output_warn("%s", task->warning.text);
    if (record->untried)
        output_note(&request->out,
                    "budget    it left %" PRIu64 " candidates untried: without --budget they "
                    "are tried\n",
                    record->untried);
    output_note(&request->out, "record    exact, %s %s: --retune measures again\n",
                record_has_run(record) ? "measured" : "as it ships",
                record_has_run(record) ? record->tuned : "with this program");
    tune_notes_reading(request, &reading);
}

/* Prints the result, and behind it what each param does, which is no reason to lose the result. */
static int print(const struct tune_task *task, const struct record *record, struct error *error)
{
    const struct tune_result *result = task->is_answered ? NULL : &task->result;
    const bool is_asked = tune_task_has_effects(task);
    struct effects effects = {.space = task->setup->space};
    struct error lost;
    const int is_lost = is_asked ? effects_show_find(&effects, task, record, &lost) : 0;
    const struct effects *found = is_asked && !is_lost ? &effects : NULL;
    const int failed =
        tune_report_print(task->request, task->setup, record, result, found, error) ||
        (found && effects_show(found, task, error));
    effects_dispose(&effects);
    if (!failed && is_lost)
        *error = lost;
    return failed || is_lost ? -1 : 0;
}

static int report(struct tune_task *task, struct error *error)
{
    struct record record;
    if (task->is_answered) {
        record = task->found.record;
        note_answer(task, &record);
        return print(task, &record, error);
    }
    if (task->failed) {
        *error = task->error;
        return -1;
    }
    tune_notes_trials(task->request, task->setup, &task->result);
    struct error lost;
    const int is_lost = tune_task_take(&record, task, &lost);
    const int failed = print(task, &record, error);
    if (!failed && is_lost) /* the result was printed all the same */
        *error = lost;
    return failed || is_lost ? -1 : 0;
}

static int report_all(struct tuning *tuning, struct error *error)
{
    int failed = 0;
    for (size_t i = 0; i < tuning->device_set->count; i++) {
        struct error cause;
        if (report(&tuning->tasks[i], &cause) == 0)
            continue;
        if (failed) /* main prints the last one */
            output_warn("%s", error->text);
        *error = cause;
        failed = -1;
    }
    return failed;
}

/* --- The verb ----------------------------------------------------------------------------- */

static bool is_replay(const struct request *request)
{
    return request->replay && !request->problems;
}

static int set_up(void *shared, struct error *error)
{
    struct tuning *tuning = shared;
    const struct request *request = &tuning->request;
    const bool is_one = !request->data && !request->problems && !request_is_sweep(request);
    if (is_replay(request))
        return 0;
    interrupt_begin(&tuning->guard, NULL);
    return is_one ? prepare(tuning, error) : 0;
}

static int gather(void *shared, struct error *error)
{
    struct tuning *tuning = shared;
    const struct request *request = &tuning->request;
    if (!tuning->device_set)
        return is_replay(request)  ? tune_replay(request, error)
               : request->data     ? tune_host(request, error)
               : request->problems ? tune_list(request, error)
                                   : tune_sweep(request, error);
    run_tasks(tuning);
    return 0;
}

/* Of several problems each was shown when it was done. */
static int show(void *shared, struct error *error)
{
    struct tuning *tuning = shared;
    return tuning->device_set ? report_all(tuning, error) : 0;
}

static void clean_up(void *shared)
{
    struct tuning *tuning = shared;
    for (size_t i = 0; tuning->tasks && i < tuning->device_set->count; i++)
        tune_task_close(&tuning->tasks[i]);
    free(tuning->tasks);
    free(tuning->device_set);
    interrupt_end(&tuning->guard);
}

/* clang-format off */
const struct verb_row verb_tune = {
    .verb = VERB_TUNE,
    .name = "tune",
    .summary = "find the fastest reduction for a problem on a device (the default)",
    .help =
        "Finds the fastest reduction for a problem on a device: generates, compiles, proves and "
        "measures every candidate of a space, and keeps the winner. The same command again "
        "answers from the record; after an interruption it goes on where it was.\v"
        "Examples:\n"
        "  autotune --device 0 --n 400M\n"
        "  autotune --device 0 --n 64Mi --type f32 --op max --json winner.json\n"
        "  autotune --device host --n 100K --retune\n"
        "  autotune --device 0 --n 1K..4G --loss 0.5\n"
        "  autotune --device 0 " DIMS_TEXT_SWEEP " --type f32\n"
        "  autotune --device all --n 400M --budget 30s\n"
        "  autotune --device 0 --n 400M --space axes --axes BLOCK,ITEMS\n"
        "  autotune --problems problems.txt --part 1/8\n"
        "  autotune --replay ~/.cache/autotune/journal/FILE --strategy random --seed 2\n\n" VERBS_EXIT,
    .bytes = sizeof(struct tuning),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */
