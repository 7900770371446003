/* tune_list_plan: looks for the record and the journal of each problem. A problem that has none takes
 * the median of what those with a journal took. */
#include "autotune/tune/tune_list_plan.h"

#include "autotune/cli/output.h"
#include "autotune/measure/stats.h"
#include "autotune/tune/tune_recorded.h"
#include "autotune/tune/tune_task.h"

#include <math.h>
#include <stdlib.h>

/* Of a problem's final race, which no journal keeps. */
static const double RACE_S = 1;

static const struct table_column columns[] = {
    {"part", "part", true},    {"line", "line", true}, {"problem", "problem", false},
    {"state", "state", false}, {"s", "seconds", true},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

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
    double most = 0;
    for (size_t i = 0; (folder = tune_parts_folder(plan->parts, i)); i++) {
        const double seconds = tune_recorded_seconds(setup, folder, plan->compilers);
        most = seconds > most ? seconds : most;
    }
    return most;
}

static int look_up(struct plan *plan, struct planned *out, struct request *own,
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

static void add_problem(struct table *table, const struct plan *plan, size_t i, unsigned part,
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
        output_line(request, &line);
    }
    if (usual_s > 0)
        output_note(
            request,
            "estimate  %.1f s a problem: the median of the %zu that are done and have a "
            "journal here, with %u compilers, and %.0f s for the final race\n",
            usual_s, plan->timed, plan->compilers, RACE_S);
    else
        output_note(request, "estimate  none: no problem of the list is done and has a journal "
                             "here\n");
}

static int print(const struct plan *plan, struct error *error)
{
    struct table table = {.columns = columns, .column_count = COLUMNS};
    error->code = ERROR_NONE;
    const double usual_s = (double)find_usual_ms(plan, error) / 1000;
    if (error->code != ERROR_NONE)
        return -1;
    for (unsigned part = 0; part < plan->request->part.count; part++)
        for (size_t i = 0; i < plan->count; i++)
            if (part_of(i, plan->request->part.count) == part)
                add_problem(&table, plan, i, part, usual_s);
    note_parts(plan, usual_s);
    const int failed = output_table(plan->request, &table, NULL, error);
    table_dispose(&table);
    return failed;
}

int tune_list_plan(const struct request *request, struct problem_file *file,
                   struct tune_parts *parts, const struct device_set *device_set,
                   struct error *error)
{
    struct plan plan = {.request = request,
                        .parts = parts,
                        .device_set = device_set,
                        .problems = calloc(file->count, sizeof *plan.problems),
                        .count = file->count,
                        .task = malloc(sizeof *plan.task)};
    int failed = plan.problems && plan.task
                     ? 0
                     : error_memory(error, file->count * sizeof *plan.problems);
    for (size_t i = 0; i < file->count && !failed; i++)
        failed = look_up(&plan, &plan.problems[i], &file->at[i], error);
    failed = failed || print(&plan, error);
    free(plan.problems);
    free(plan.task);
    return failed ? -1 : 0;
}
