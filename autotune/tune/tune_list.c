/* tune_list: goes through the list in order, and writes a line as each problem is done, in one write,
 * for the parts of a list may share an output. */
#include "autotune/tune/tune_list.h"

#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/cli/problem_file.h"
#include "autotune/cli/record_cells.h"
#include "autotune/cli/request_part.h"
#include "autotune/device/claim.h"
#include "autotune/device/cores.h"
#include "autotune/device/monotonic.h"
#include "autotune/print/figures.h"
#include "autotune/tune/tune_list_plan.h"
#include "autotune/tune/tune_recorded.h"
#include "autotune/tune/tune_save.h"
#include "autotune/tune/tune_task.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct table_column columns[] = {
    {NULL, "line", true},    {NULL, "gpu", false},     {NULL, "op", false},
    {NULL, "type", false},   {NULL, "acc", false},     {NULL, "n", true},
    {NULL, "regime", false}, {NULL, "order", false},   {NULL, "us", true},
    {NULL, "gbs", true},     {NULL, "result", false},  {NULL, "seconds", true},
    {NULL, "params", false}, {NULL, "error", false},   DIMS_TEXT_COLUMNS,
    {NULL, "default_us", true}, {NULL, "shipped_us", true},
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };

/* What became of a problem on a kind of device. */
enum outcome { LIST_TUNED, LIST_RECORDED, LIST_KNOWN, LIST_FAILED, LIST_OUTCOMES };
static const char *const outcomes[LIST_OUTCOMES] = {"tuned", "recorded", "known", "failed"};

struct list {
    const struct request *request;
    struct problem_file file;
    struct tune_parts parts;
    struct device_set *device_set;
    struct table table;
    size_t counts[LIST_OUTCOMES];
    size_t line;        /* the problem's place in the list */
    double start;       /* of the problem, seconds of CLOCK_MONOTONIC */
    struct error first; /* of the failures */
};

/* --- Output ------------------------------------------------------------------------------- */

static void add_row(struct list *list, const struct record *record, enum outcome outcome,
                    double seconds, const struct error *cause)
{
    struct table *table = &list->table;
    const struct problem *problem = &record->problem;
    const bool is_timed = outcome != LIST_FAILED;
    char us[NUMBER_CHARS];
    table_addf(table, "%zu", list->line + 1);
    record_cells_add_problem(table, record);
    table_addf(table, "%" PRIu64, dims_n(&problem->dims));
    table_add(table, problem_regimes[problem->regime]);
    table_add(table, problem_orders[problem->order].name);
    table_add(table, is_timed ? figures_us(us, record->median_ps) : NULL);
    table_add_number(table, is_timed, 3, figures_gbs(problem, record->median_ps));
    table_add(table, outcomes[outcome]);
    table_addf(table, "%.3f", seconds);
    table_add(table, is_timed ? record->params : NULL);
    table_add(table, cause ? cause->text : NULL);
    record_cells_add_dims(table, record);
    table_add(table,
              is_timed && record->default_ps ? figures_us(us, record->default_ps) : NULL);
    table_add(table,
              is_timed && record->shipped_ps ? figures_us(us, record->shipped_ps) : NULL);
}

static void add_speed(struct text *out, const struct record *record)
{
    char us[NUMBER_CHARS], speed[NUMBER_CHARS];
    text_addf(out, "  %11s us %8s GB/s  ", figures_us(us, record->median_ps),
              figures_speed(speed, figures_gbs(&record->problem, record->median_ps)));
}

/* One line: "3 of 30  sum i32 400M cold   341.75 us   4681.8 GB/s  tuned in 2.24 s". */
static int add_line(struct list *list, const struct record *record, enum outcome outcome,
                    const struct error *cause, struct error *error)
{
    const double seconds = monotonic_s() - list->start;
    struct text line = {0};
    char problem[PROBLEM_CHARS];
    text_addf(&line, "%zu of %zu  %-24s", list->line + 1, list->file.count,
              problem_format(problem, &record->problem));
    if (list->device_set->count > 1)
        text_addf(&line, " on %s", record->gpu);
    if (outcome != LIST_FAILED)
        add_speed(&line, record);
    if (outcome == LIST_TUNED)
        text_addf(&line, "tuned in %.2f s\n", seconds);
    else if (outcome == LIST_FAILED)
        text_addf(&line, "  failed: %s\n", cause->text);
    else
        text_addf(&line, "%s\n", outcome == LIST_KNOWN ? "known" : "from its journal");
    list->counts[outcome]++;
    if (outcome == LIST_FAILED && list->first.code == ERROR_NONE)
        list->first = *cause;
    add_row(list, record, outcome, seconds, cause);
    const int failed = output_is_taken(list->request) ? 0 : output_write("-", &line, error);
    text_dispose(&line);
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

static void warn_of_cores(void)
{
    const unsigned own = cores_own(), all = cores_of_machine();
    if (own == 1 && all > request_part_local())
        output_warn("this process is bound to one of %u cores, and kernels are compiled on all "
                    "that it has: give it more by mpirun --bind-to none, or by srun "
                    "--cpus-per-task",
                    all);
}

/* Notes the devices, and which others measure on. */
static int note_devices(const struct list *list, struct error *error)
{
    for (size_t i = 0; i < list->device_set->count; i++) {
        const struct device_set_kind *kind = &list->device_set->kinds[i];
        for (size_t k = 0; k < kind->count; k++) {
            const struct device_options options = {kind->list[k], list->request->nvrtc, 1};
            struct device *device;
            if (device_open(&device, &options, error))
                return -1;
            if (k == 0)
                tune_notes_device(list->request, &device->info, kind->count);
            if (!list->request->dry_run && !list->request->replay &&
                !claim_gpu(device->info.uuid))
                output_warn("another autotune measures on GPU %s (%s), and each spoils the "
                            "other's times: give each a GPU of its own, by srun "
                            "--gpus-per-task=1 or CUDA_VISIBLE_DEVICES",
                            device->info.spec, device->info.uuid);
            device_close(device);
        }
    }
    return 0;
}

static void note_sum(const struct list *list, double seconds)
{
    const struct request *request = list->request;
    const size_t *counts = list->counts;
    if (request->has_part)
        output_note(request, "part      %u of %u: ", request->part.index + 1,
                    request->part.count);
    else
        output_note(request, "list      ");
    output_note(request, "%zu tuned, %zu known, %zu failed in %.2f s; records in %s\n",
                counts[LIST_TUNED] + counts[LIST_RECORDED], counts[LIST_KNOWN],
                counts[LIST_FAILED], seconds, list->parts.own.at);
    if (request->has_part)
        output_note(request,
                    "          when all parts are done: autotune merge --cache %s "
                    "%s/parts/*\n",
                    list->parts.base.at, list->parts.base.at);
}

static int write_tables(const struct list *list, struct error *error)
{
    const struct request *request = list->request;
    const struct text none = {0};
    return request->json || request->csv
               ? output_forms(request, &none, &list->table, NULL, error)
               : 0;
}

static int tune_parts_of(struct list *list, struct error *error)
{
    const double start = monotonic_s();
    warn_of_cores();
    if (note_devices(list, error))
        return -1;
    int failed = run_all(list, error);
    note_sum(list, monotonic_s() - start);
    if (!failed)
        failed = write_tables(list, error);
    if (!failed && list->counts[LIST_FAILED])
        failed = error_set(error, list->first.code,
                           "%zu of %zu problems failed, the first because: %s",
                           list->counts[LIST_FAILED], list->table.row_count, list->first.text);
    return failed;
}

int tune_list(const struct request *request, struct error *error)
{
    struct list list = {.request = request,
                        .table = {.columns = columns, .column_count = COLUMNS}};
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
