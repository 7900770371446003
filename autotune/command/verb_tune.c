/* verb_tune: tunes a problem, a range of them or a list, and has the result reported. Devices of
 * several kinds are tuned at the same time. */
#include "autotune/cli/device_set.h"
#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/cli/verbs.h"
#include "autotune/tune/tune_host.h"
#include "autotune/tune/tune_list.h"
#include "autotune/tune/tune_replay.h"
#include "autotune/tune/tune_report.h"
#include "autotune/tune/tune_sweep.h"
#include "autotune/tune/tune_task.h"

#include <inttypes.h>
#include <stdlib.h>

static int report(struct tune_task *task, struct error *error)
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
        output_note(request, "record    exact, %s %s: --retune measures again\n",
                    record_has_run(&record) ? "measured" : "as it ships",
                    record_has_run(&record) ? record.tuned : "with this program");
        tune_notes_reading(request, &reading);
        return tune_report_print(request, task->setup, &record, NULL, error);
    }
    if (task->failed) {
        *error = task->error;
        return -1;
    }
    tune_notes_trials(request, task->setup, &task->result);
    struct error lost;
    const int is_lost = tune_task_take(&record, task, &lost);
    const int failed = tune_report_print(request, task->setup, &record, &task->result, error);
    if (!failed && is_lost) /* the result was printed all the same */
        *error = lost;
    return failed || is_lost ? -1 : 0;
}

static int run_tasks(struct tune_task *tasks, const struct device_set *device_set,
                     const struct request *request, struct error *error)
{
    int failed = 0;
    for (size_t i = 0; i < device_set->count && !failed; i++) {
        tasks[i].request = request;
        tasks[i].kind = &device_set->kinds[i];
        tasks[i].kinds = device_set->count;
        failed = tune_task_prepare(&tasks[i], error);
    }
    if (failed)
        return -1;
    const bool shows = !request->quiet && !tasks[0].is_answered && device_set->count == 1;
    if (shows)
        terminal_progress_start(&tasks[0].watch.progress, stderr);
    tune_task_run(tasks, device_set->count);
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
    struct tune_task *tasks = NULL;
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
        tune_task_close(&tasks[i]);
    free(tasks);
    free(device_set);
    return failed;
}

static int run_verb(int argc, char **argv, struct error *error)
{
    struct interrupt_guard guard;
    struct request request;
    if (request_parse(&request, &verb_tune, NULL, argc, argv, error))
        return -1;
    if (request.replay && !request.problems)
        return tune_replay(&request, error);
    interrupt_begin(&guard, NULL);
    int failed = request.data                 ? tune_host(&request, error)
                 : request.problems           ? tune_list(&request, error)
                 : request_is_sweep(&request) ? tune_sweep(&request, error)
                                              : run(&request, error);
    interrupt_end(&guard);
    return failed;
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
        "  autotune --problems problems.txt --part 1/8\n"
        "  autotune --replay ~/.cache/autotune/journal/FILE --strategy random --seed 2\n\n" VERBS_EXIT,
    .run = run_verb,
};
/* clang-format on */
