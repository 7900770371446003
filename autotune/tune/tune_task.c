/* tune_task: looks for the record, opens the journal and runs the search, in a thread a kind. */
#include "autotune/tune/tune_task.h"

#include "autotune/cli/failing_source.h"
#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/tune/tune_defaults.h"
#include "autotune/tune/tune_save.h"

#include <inttypes.h>
#include <pthread.h>

/* --- Before ------------------------------------------------------------------------------- */

static void describe_job(struct tune_task *task, size_t kinds)
{
    const struct setup *setup = &task->setup;
    const struct request *request = task->request;
    tune_defaults_job(&task->job, request, setup, task->kind, kinds);
    const bool has_seed = task->found.grade != SELECTOR_NONE; /* the winner of a similar
                                                               * problem */
    /* What ships is raced too, so that the record says what tuning gained. */
    const bool is_shipped = task->shipped.grade != SELECTOR_NONE && !setup->target.is_host;
    task->options = (struct tune_options){.strategy = tune_defaults_strategy(request, setup),
                                          .configs = task->shipped.config,
                                          .config_count = is_shipped,
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
static int note_points(const struct tune_task *task, struct error *error)
{
    struct points points;
    if (tune_points(&points, &task->setup.context, &task->options, error))
        return -1;
    tune_notes_space(task->request, &task->setup, &points, task->options.strategy);
    point_dispose(&points);
    return 0;
}

static int find(struct tune_task *task, const struct request *request, struct error *error)
{
    return task->parts
               ? tune_parts_find(&task->found, task->parts, &task->setup, &task->warning, error)
               : setup_find(&task->found, &task->setup, request, &task->warning, error);
}

/* Of a list the trials of other parts are taken over. */
static int adopt(struct tune_task *task, struct error *error)
{
    return task->parts && task->has_journal && !task->request->retune
               ? tune_parts_adopt(&task->journal, task->parts, &task->setup, error)
               : 0;
}

static void note_found(const struct tune_task *task, const struct request *own,
                       const char *unfinished)
{
    const struct find_result *found = &task->found;
    if (unfinished)
        output_note(own, "record    %s: going on with that\n", unfinished);
    if (found->grade == SELECTOR_STALE)
        output_note(own, "record    stale, for its %s is another now: measuring again\n",
                    found->difference);
    else if (*found->other)
        output_note(own,
                    "record    of this problem, but its %s is another now: measuring again\n",
                    found->other);
    if (!unfinished && !own->retune && found->rejected.code != ERROR_NONE)
        output_note(own, "record    %s\n", found->rejected.text);
}

/* Is the problem answered by a record? */
static int look(struct tune_task *task, const struct request *own, bool is_noted,
                struct error *error)
{
    if (find(task, own, error))
        return -1;
    const bool is_asked = task->found.grade == SELECTOR_EXACT && !own->retune;
    const char *unfinished =
        is_asked ? tune_save_unfinished(own, &task->setup, &task->found.record) : NULL;
    task->is_answered = is_asked && !unfinished;
    if (!task->is_answered && is_noted)
        note_found(task, own, unfinished);
    return 0;
}

/* Opens the journal. Another process that had it since the record was looked for may have left one. */
static int open_journal(struct tune_task *task, const struct request *own, struct error *error)
{
    struct tune_save_told told = {.record = false};
    struct tune_save_opened opened;
    if (tune_save_journal(&task->journal, &opened, own, &task->setup, &told, error))
        return -1;
    task->has_journal = opened.is_open;
    if (!task->has_journal || !(opened.has_waited || task->journal.count))
        return 0;
    const int failed = look(task, own, false, error);
    if (failed || task->is_answered) {
        journal_close(&task->journal);
        task->has_journal = false;
    }
    return failed;
}

int tune_task_prepare(struct tune_task *task, size_t kinds, struct error *error)
{
    struct request own = *task->request;
    own.device = task->kind->list[0];
    if (setup_open(&task->setup, &own, true, error))
        return -1;
    tune_notes_setup(&own, &task->setup, task->kind->count);
    if (look(task, &own, true, error))
        return -1;
    if (task->is_answered)
        return 0;
    if (tune_save_check(task->setup.space, error) || setup_check_room(&task->setup, error) ||
        open_journal(task, &own, error))
        return -1;
    if (task->is_answered)
        return 0;
    if (adopt(task, error) || setup_find_shipped(&task->shipped, &task->setup, error))
        return -1;
    describe_job(task, kinds);
    return note_points(task, error);
}

/* --- Tuning ------------------------------------------------------------------------------- */

static void *tune(void *argument)
{
    struct tune_task *task = argument;
    task->failed = tune_run(&task->result, &task->job, &task->options, &task->error);
    if (task->failed)
        failing_source_explain(&task->setup, task->setup.space->default_config, &task->error);
    task->is_tuned = !task->failed;
    return NULL;
}

/* Kinds run at the same time; a single one needs no thread. */
void tune_task_run(struct tune_task *tasks, size_t count)
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

int tune_task_take(struct record *out, struct tune_task *task, struct error *lost)
{
    if (task->is_answered) {
        *out = task->found.record;
        return 0;
    }
    tune_save_make(out, &task->setup, &task->result);
    if (task->options.config_count)
        tune_save_shipped(out, &task->result, task->options.configs);
    return tune_save_record(task->request, out, &task->warning, lost);
}

void tune_task_close(struct tune_task *task)
{
    if (task->is_tuned)
        tune_result_dispose(&task->result);
    if (task->has_journal)
        journal_close(&task->journal);
    setup_close(&task->setup);
}
