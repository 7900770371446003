/* tune_list: goes through the list in order, and writes a line and a row of --csv as each problem is
 * done, in one write, for the parts of a list may share an output. */
#include "autotune/tune/tune_list.h"

#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/cli/output_rows.h"
#include "autotune/cli/problem_file.h"
#include "autotune/cli/request_part.h"
#include "autotune/device/monotonic.h"
#include "autotune/tune/tune_list_devices.h"
#include "autotune/tune/tune_list_line.h"
#include "autotune/tune/tune_list_plan.h"
#include "autotune/tune/tune_recorded.h"
#include "autotune/tune/tune_save.h"
#include "autotune/tune/tune_task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
    const struct request *request;
    struct problem_file file;
    struct tune_parts parts;
    struct device_set *device_set;
    struct table table;
    struct output_rows csv;
    size_t counts[LIST_OUTCOMES];
    size_t line;        /* the problem's place in the list */
    double start;       /* of the problem, seconds of CLOCK_MONOTONIC */
    struct error first; /* of the failures */
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
    struct text line = {0};
    list->counts[outcome]++;
    if (outcome == LIST_FAILED && list->first.code == ERROR_NONE)
        list->first = *cause;
    tune_list_line_text(&line, &result);
    text_adds(&line, "\n");
    tune_list_line_cells(&list->table, &result);
    int failed = output_is_taken(list->request) ? 0 : output_text(&line, error);
    text_dispose(&line);
    if (!failed)
        failed = output_rows_write(&list->csv, &list->table, error);
    return failed;
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
        return add_failure(list, task->request, &task->setup, &task->error, error);
    if (task->warning.code != ERROR_NONE)
        output_warn("%s", task->warning.text);
    if (tune_task_take(&record, task, &lost))
        return add_line(list, &record, LIST_FAILED, &lost, error);
    if (!task->is_answered && tune_parts_add(&list->parts, &record, error))
        return -1;
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
                                   .parts = &list->parts};
        if (tune_task_prepare(task, kinds, &cause) == 0) {
            ready++;
            continue;
        }
        failed = add_failure(list, own, &task->setup, &cause, error);
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
static int replay_on(struct list *list, const struct request *own, const struct setup *setup,
                     struct error *error)
{
    const struct request *request = list->request;
    struct find_result found;
    struct record record;
    struct error cause, warning;
    if (tune_parts_find(&found, &list->parts, setup, &warning, error))
        return -1;
    if (found.grade == SELECTOR_EXACT && !request->retune)
        return add_line(list, &found.record, LIST_KNOWN, NULL, error);
    if (tune_recorded_make(&record, setup, request->replay, &cause) ||
        tune_save_record(own, &record, &warning, &cause))
        return add_failure(list, own, setup, &cause, error);
    return tune_parts_add(&list->parts, &record, error) ||
                   add_line(list, &record, LIST_RECORDED, NULL, error)
               ? -1
               : 0;
}

static int replay_problem(struct list *list, const struct request *own, struct error *error)
{
    int failed = 0;
    for (size_t i = 0; i < list->device_set->count && !failed; i++) {
        struct request on = *own;
        struct setup setup;
        struct error cause;
        on.device = list->device_set->kinds[i].list[0];
        if (setup_open(&setup, &on, true, &cause)) {
            failed = add_failure(list, own, &setup, &cause, error);
            continue;
        }
        failed = replay_on(list, own, &setup, error);
        setup_close(&setup);
    }
    return failed;
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
    const size_t *counts = list->counts;
    struct text line = {0};
    if (request->has_part)
        text_addf(&line, "part      %u of %u: ", request->part.index + 1, request->part.count);
    else
        text_adds(&line, "list      ");
    text_addf(&line, "%zu tuned, %zu known, %zu failed in %.2f s; records in %s",
              counts[LIST_TUNED] + counts[LIST_RECORDED], counts[LIST_KNOWN],
              counts[LIST_FAILED], seconds, list->parts.own.at);
    output_line(request, &line);
    if (request->has_part)
        output_note(request,
                    "          when all parts are done: autotune merge --cache %s "
                    "%s/parts/*\n",
                    list->parts.base.at, list->parts.base.at);
}

static int tune_parts_of(struct list *list, struct error *error)
{
    const double start = monotonic_s();
    tune_list_warn_of_cores(request_part_local());
    if (tune_list_note_devices(list->request, list->device_set, error))
        return -1;
    int failed = run_all(list, error);
    note_sum(list, monotonic_s() - start);
    failed = output_rows_end(&list->csv, list->request, &list->table, failed, error);
    if (!failed && list->counts[LIST_FAILED])
        failed =
            error_set_lines(error, list->first.code,
                            "%zu of %zu problems failed, the first because: %s",
                            list->counts[LIST_FAILED], list->table.row_count, list->first.text);
    return failed;
}

int tune_list(const struct request *request, struct error *error)
{
    struct list list = {.request = request,
                        .table = tune_list_line_table(),
                        .csv = {.path = request->csv}};
    list.device_set = malloc(sizeof *list.device_set);
    int failed = list.device_set ? 0 : error_memory(error, sizeof *list.device_set);
    failed = failed || problem_file_read(&list.file, request, error) ||
             tune_parts_open(&list.parts, request, error) ||
             device_set_open(list.device_set, request, error);
    if (!failed)
        failed = request->dry_run
                     ? tune_list_plan(request, &list.file, &list.parts, list.device_set, error)
                     : tune_parts_of(&list, error);
    tune_parts_dispose(&list.parts);
    problem_file_dispose(&list.file);
    table_dispose(&list.table);
    free(list.device_set);
    return failed ? -1 : 0;
}
