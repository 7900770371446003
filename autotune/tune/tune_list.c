/* tune_list: goes through the list in order, and writes a line and a row of --csv as each problem is
 * done, in one write, for the parts of a list may share an output. Of a dry run it says what is left
 * to do: a problem without a journal takes the median of what those with one took. */
#include "autotune/tune/tune_list.h"

#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/cli/problem_file.h"
#include "autotune/cli/request_part.h"
#include "autotune/device/claim.h"
#include "autotune/device/cores.h"
#include "autotune/device/device.h"
#include "autotune/device/monotonic.h"
#include "autotune/measure/stats.h"
#include "autotune/tune/tune_list_line.h"
#include "autotune/tune/tune_notes.h"
#include "autotune/tune/tune_replay.h"
#include "autotune/tune/tune_save.h"
#include "autotune/tune/tune_task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
    const struct request *request;
    struct problem_file file;
    struct tune_parts parts;
    struct tune_candidates candidates;
    struct device_set *device_set;
    struct tune_list_lines lines;
    size_t line;  /* the problem's place in the list */
    double start; /* of the problem, seconds of CLOCK_MONOTONIC */
};

/* --- Output ------------------------------------------------------------------------------- */

static int add_line(struct list *list, const struct record *record, enum list_outcome outcome,
                    const struct error *cause, struct error *error)
{
    const struct tune_list_line result = {.place = list->line,
                                          .count = list->file.count,
                                          .names_gpu = list->device_set->count > 1,
                                          .record = record,
                                          .outcome = outcome,
                                          .seconds = monotonic_s() - list->start,
                                          .cause = cause};
    return tune_list_lines_add(&list->lines, &result, error);
}

/* --- A problem ---------------------------------------------------------------------------- */

/* After these the other problems would fail as well. */
static bool ends_all(const struct error *cause)
{
    return cause->code == ERROR_INTERRUPTED || cause->code == ERROR_NO_DEVICE;
}

/* Where the setup could not be opened there is the request alone. */
static int add_failure(struct list *list, const struct request *own, const struct setup *setup,
                       const struct error *cause, struct error *error)
{
    struct record record = {.problem = own->problem};
    if (ends_all(cause)) {
        *error = *cause;
        return -1;
    }
    if (setup->device)
        setup_record(&record, setup);
    return add_line(list, &record, LIST_FAILED, cause, error);
}

static int add_result(struct list *list, struct tune_task *task, struct error *error)
{
    struct record record;
    struct error lost;
    if (task->failed)
        return add_failure(list, task->request, task->setup, &task->error, error);
    if (task->warning.code != ERROR_NONE)
        output_warn("%s", task->warning.text);
    if (tune_task_take(&record, task, &lost))
        return add_line(list, &record, LIST_FAILED, &lost, error);
    return add_line(list, &record, task->is_answered ? LIST_KNOWN : LIST_TUNED, NULL, error);
}

/* On every kind of device at the same time. */
static int tune_problem(struct list *list, const struct request *own, struct error *error)
{
    const size_t kinds = list->device_set->count;
    struct tune_task *tasks = calloc(kinds, sizeof *tasks);
    size_t ready = 0;
    int failed = tasks ? 0 : error_memory(error, kinds * sizeof *tasks);
    for (size_t i = 0; i < kinds && !failed; i++) {
        struct tune_task *task = &tasks[ready];
        struct error cause;
        *task = (struct tune_task){.request = own,
                                   .kind = &list->device_set->kinds[i],
                                   .kinds = kinds,
                                   .parts = &list->parts,
                                   .candidates = &list->candidates};
        if (tune_task_prepare(task, &cause) == 0) {
            ready++;
            continue;
        }
        failed = add_failure(list, own, task->setup, &cause, error);
        tune_task_close(task);
    }
    if (!failed)
        tune_task_run(tasks, ready);
    for (size_t i = 0; i < ready; i++) {
        failed = failed || add_result(list, &tasks[i], error);
        tune_task_close(&tasks[i]);
    }
    free(tasks);
    return failed ? -1 : 0;
}

/* From the journal in --replay's folder; an exact record answers here too. */
static int replay_on(struct list *list, struct tune_task *task, struct error *error)
{
    const struct request *request = list->request;
    struct record record;
    struct error cause;
    if (tune_task_look(task, &cause))
        return add_failure(list, task->request, task->setup, &cause, error);
    if (task->found.grade == SELECTOR_EXACT && !request->retune)
        return add_line(list, &task->found.record, LIST_KNOWN, NULL, error);
    if (tune_replay_record(&record, task->setup, request->replay, &cause) ||
        tune_save_record(task->request, &record, &task->warning, &cause))
        return add_failure(list, task->request, task->setup, &cause, error);
    return add_line(list, &record, LIST_RECORDED, NULL, error);
}

static int replay_problem(struct list *list, const struct request *own, struct error *error)
{
    struct tune_task *task = malloc(sizeof *task);
    int failed = task ? 0 : error_memory(error, sizeof *task);
    for (size_t i = 0; i < list->device_set->count && !failed; i++) {
        *task = (struct tune_task){.request = own,
                                   .kind = &list->device_set->kinds[i],
                                   .parts = &list->parts,
                                   .candidates = &list->candidates};
        failed = replay_on(list, task, error);
        tune_task_close(task);
    }
    free(task);
    return failed;
}

/* --- What is left to do: --dry-run -------------------------------------------------------- */

/* Of a problem's final race, which no journal keeps. */
static const double RACE_S = 1;

static const struct table_column plan_columns[] = {
    {"part", "part", true},    {"line", "line", true}, {"problem", "problem", false},
    {"state", "state", false}, {"s", "seconds", true},
};
enum { PLAN_COLUMNS = sizeof plan_columns / sizeof *plan_columns };

struct planned {
    char problem[PROBLEM_CHARS];
    bool is_done;
    double seconds; /* of its journal; 0 = has none */
};

struct plan {
    const struct request *request;
    struct tune_parts *parts;
    const struct device_set *device_set;
    struct planned *problems;
    size_t count, done, timed; /* timed: done, with a journal */
    unsigned compilers;
    struct tune_task *task; /* under way */
};

static double find_seconds(const struct plan *plan, const struct setup *setup)
{
    const char *folder;
    struct record key;
    double most = 0;
    setup_record(&key, setup);
    for (size_t i = 0; (folder = tune_parts_folder(plan->parts, i)); i++) {
        const double seconds = tune_replay_seconds(&key, folder, plan->compilers);
        most = seconds > most ? seconds : most;
    }
    return most;
}

static int plan_problem(struct plan *plan, struct planned *out, struct request *own,
                        struct error *error)
{
    const struct device_set_kind *kind = &plan->device_set->kinds[0];
    struct tune_task *task = plan->task;
    *task = (struct tune_task){.request = own, .kind = kind, .parts = plan->parts};
    own->cache = plan->parts->own.at;
    const int failed = tune_task_look(task, error);
    if (!failed) {
        plan->compilers = tune_task_compilers(task->setup, kind, 1);
        problem_format(out->problem, &task->setup->problem);
        out->is_done = task->is_known;
        out->seconds = find_seconds(plan, task->setup);
        plan->done += out->is_done;
        plan->timed += out->is_done && out->seconds > 0;
    }
    tune_task_close(task);
    return failed;
}

/* Of one problem, in milliseconds; 0 where nothing is known. */
static uint64_t find_usual_ms(const struct plan *plan, struct error *error)
{
    uint64_t *times = malloc((plan->count + 1) * sizeof *times);
    size_t count = 0;
    if (!times) {
        error_memory(error, (plan->count + 1) * sizeof *times);
        return 0;
    }
    for (size_t i = 0; i < plan->count; i++)
        if (plan->problems[i].is_done && plan->problems[i].seconds > 0)
            times[count++] = (uint64_t)llround(1000 * (plan->problems[i].seconds + RACE_S));
    const uint64_t usual = count ? stats_median(times, count) : 0;
    free(times);
    return usual;
}

static void add_planned(struct table *table, const struct plan *plan, size_t i, unsigned part,
                        double usual_s)
{
    const struct planned *planned = &plan->problems[i];
    table_addf(table, "%u", part + 1);
    table_addf(table, "%zu", i + 1);
    table_add(table, planned->problem);
    table_add(table, planned->is_done ? "done" : planned->seconds > 0 ? "begun" : "to do");
    table_add_number(table, planned->is_done || usual_s > 0, 1, planned->is_done ? 0 : usual_s);
}

static void note_parts(const struct plan *plan, double usual_s)
{
    const struct request *request = plan->request;
    const unsigned parts = request->part.count;
    for (unsigned part = 0; part < parts; part++) {
        size_t all = 0, left = 0;
        for (size_t i = 0; i < plan->count; i++)
            if (part_of(i, parts) == part) {
                all++;
                left += !plan->problems[i].is_done;
            }
        struct text line = {0};
        text_addf(&line, "part      %u of %u: %zu problems, %zu to do", part + 1, parts, all,
                  left);
        if (usual_s > 0)
            text_addf(&line, ", about %.0f s", (double)left * usual_s);
        output_line(&request->out, &line);
    }
    if (usual_s > 0)
        output_note(
            &request->out,
            "estimate  %.1f s a problem: the median of the %zu that are done and have a "
            "journal here, with %u compilers, and %.0f s for the final race\n",
            usual_s, plan->timed, plan->compilers, RACE_S);
    else
        output_note(&request->out,
                    "estimate  none: no problem of the list is done and has a journal "
                    "here\n");
}

static int print_plan(const struct plan *plan, struct error *error)
{
    struct table table = {.columns = plan_columns, .column_count = PLAN_COLUMNS};
    error->code = ERROR_NONE;
    const double usual_s = (double)find_usual_ms(plan, error) / 1000;
    if (error->code != ERROR_NONE)
        return -1;
    for (unsigned part = 0; part < plan->request->part.count; part++)
        for (size_t i = 0; i < plan->count; i++)
            if (part_of(i, plan->request->part.count) == part)
                add_planned(&table, plan, i, part, usual_s);
    note_parts(plan, usual_s);
    const int failed = output_table(&plan->request->out, &table, NULL, error);
    table_dispose(&table);
    return failed;
}

/* Prints a line for each problem and a note for each part, on devices of the first kind. Nothing is
 * tuned or written. */
static int plan_list(struct list *list, struct error *error)
{
    const size_t count = list->file.count;
    struct plan plan = {.request = list->request,
                        .parts = &list->parts,
                        .device_set = list->device_set,
                        .problems = calloc(count, sizeof *plan.problems),
                        .count = count,
                        .task = malloc(sizeof *plan.task)};
    int failed = plan.problems && plan.task
                     ? 0
                     : error_memory(error, count * sizeof *plan.problems + sizeof *plan.task);
    for (size_t i = 0; i < count && !failed; i++)
        failed = plan_problem(&plan, &plan.problems[i], &list->file.at[i], error);
    failed = failed || print_plan(&plan, error);
    free(plan.problems);
    free(plan.task);
    return failed ? -1 : 0;
}

/* --- The devices -------------------------------------------------------------------------- */

/* One of a machine that has more than one for each of its `local` processes. */
static void warn_of_cores(unsigned local)
{
    const unsigned own = cores_own(), all = cores_of_machine();
    if (own == 1 && all > local)
        output_warn("this process is bound to one of %u cores, and kernels are compiled on all "
                    "that it has: give it more by mpirun --bind-to none, or by srun "
                    "--cpus-per-task",
                    all);
}

/* Opens each once, and warns of those that other processes measure on. */
static int note_devices(const struct request *request, const struct device_set *set,
                        struct error *error)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct device_set_kind *kind = &set->kinds[i];
        for (size_t k = 0; k < kind->count; k++) {
            const struct device_options options = {kind->list[k], request->nvrtc, 1};
            struct device *device;
            if (device_open(&device, &options, error))
                return -1;
            if (k == 0)
                tune_notes_device(request, &device->info, kind->count);
            if (!request->dry_run && !request->replay && !claim_gpu(device->info.uuid))
                output_warn("another autotune measures on GPU %s (%s), and each spoils the "
                            "other's times: give each a GPU of its own, by srun "
                            "--gpus-per-task=1 or CUDA_VISIBLE_DEVICES",
                            device->info.spec, device->info.uuid);
            device_close(device);
        }
    }
    return 0;
}

/* --- The list ----------------------------------------------------------------------------- */

static int run_all(struct list *list, struct error *error)
{
    const struct part *part = &list->request->part;
    for (list->line = 0; list->line < list->file.count; list->line++) {
        struct request *own = &list->file.at[list->line];
        if (part_of(list->line, part->count) != part->index)
            continue;
        if (interrupt_came())
            return error_set(
                error, ERROR_INTERRUPTED,
                "interrupted: what was measured is kept, and the same command goes "
                "on from there");
        own->cache = list->parts.own.at;
        list->start = monotonic_s();
        if (list->request->replay ? replay_problem(list, own, error)
                                  : tune_problem(list, own, error))
            return -1;
    }
    return 0;
}

static void note_sum(const struct list *list, double seconds)
{
    const struct request *request = list->request;
    const size_t *counts = list->lines.counts;
    struct text line = {0};
    if (request->has_part)
        text_addf(&line, "part      %u of %u: ", request->part.index + 1, request->part.count);
    else
        text_adds(&line, "list      ");
    text_addf(&line, "%zu tuned, %zu known, %zu failed in %.2f s; records in %s",
              counts[LIST_TUNED] + counts[LIST_RECORDED], counts[LIST_KNOWN],
              counts[LIST_FAILED], seconds, list->parts.own.at);
    output_line(&request->out, &line);
    if (request->has_part)
        output_note(&request->out,
                    "          when all parts are done: autotune merge --cache %s "
                    "%s/parts/*\n",
                    list->parts.base.at, list->parts.base.at);
}

static int tune_parts_of(struct list *list, struct error *error)
{
    const double start = monotonic_s();
    warn_of_cores(request_part_local());
    if (note_devices(list->request, list->device_set, error))
        return -1;
    int failed = run_all(list, error);
    note_sum(list, monotonic_s() - start);
    return tune_list_lines_end(&list->lines, failed, error);
}

int tune_list(const struct request *request, struct error *error)
{
    struct list list = {.request = request};
    tune_list_lines_open(&list.lines, &request->out);
    list.device_set = malloc(sizeof *list.device_set);
    int failed = list.device_set ? 0 : error_memory(error, sizeof *list.device_set);
    failed = failed || problem_file_read(&list.file, request, error) ||
             tune_parts_open(&list.parts, request, error) ||
             device_set_open(list.device_set, request, error);
    if (!failed)
        failed = request->dry_run ? plan_list(&list, error) : tune_parts_of(&list, error);
    tune_parts_dispose(&list.parts);
    tune_candidates_dispose(&list.candidates);
    problem_file_dispose(&list.file);
    tune_list_lines_dispose(&list.lines);
    free(list.device_set);
    return failed ? -1 : 0;
}
