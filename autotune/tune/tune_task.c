/* tune_task: looks for the record, opens the journal and runs the search, in a thread a kind. */
#include "autotune/tune/tune_task.h"

#include "autotune/cli/failing_source.h"
#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/device/cores.h"
#include "autotune/tune/tune_candidates.h"

#include <pthread.h>
#include <string.h>

enum { RACES_MOST = 3 };           /* of one that is too noisy to decide */
static const double STAYS = 1.005; /* a known winner is replaced by a config that is faster by
                                    * more than this */

/* --- What is known ------------------------------------------------------------------------ */

/* A race asks for the record of its own size, which is in the GPU's own file. */
static int find(struct tune_task *task, struct error *error)
{
    const unsigned sources = task->is_race ? COLLECTION_OWN : setup_sources(task->request);
    if (setup_find_in(&task->found, task->setup, task->records, sources, &task->warning, error))
        return -1;
    if (task->parts)
        tune_parts_warn(task->parts, &task->warning);
    else if (task->warning.code == ERROR_NONE)
        task->warning = task->found.damaged;
    return 0;
}

/* Is it the problem's own record? One of an interval is another size's. */
static bool is_of_problem(const struct tune_task *task)
{
    struct record want;
    setup_record(&want, task->setup);
    return !record_key_difference(&want, &task->found.record);
}

static void note_found(const struct tune_task *task, const char *unfinished)
{
    const struct request *request = task->request;
    const struct find_result *found = &task->found;
    if (unfinished)
        output_note(&request->out, "record    %s: going on with that\n", unfinished);
    if (found->grade == SELECTOR_STALE)
        output_note(&request->out,
                    "record    stale, for its %s is another now: measuring again\n",
                    found->difference);
    else if (*found->other)
        output_note(&request->out,
                    "record    of this problem, but its %s is another now: measuring again\n",
                    found->other);
    if (!unfinished && !request->retune && found->rejected.code != ERROR_NONE)
        output_note(&request->out, "record    %s\n", found->rejected.text);
}

static int take_again(struct tune_task *task, struct error *error)
{
    task->found = (struct find_result){.record = *task->again, .grade = SELECTOR_EXACT};
    task->is_known = true;
    return point_parse_record(task->setup->space, task->again->params, task->found.config,
                              error);
}

/* Is the problem answered by a record? */
static int look(struct tune_task *task, bool is_noted, struct error *error)
{
    if (task->again)
        return take_again(task, error);
    if (find(task, error))
        return -1;
    const struct request *request = task->request;
    const bool is_asked = task->found.grade == SELECTOR_EXACT && !request->retune &&
                          (!task->is_race || is_of_problem(task));
    const char *unfinished =
        is_asked ? tune_save_unfinished(request, task->setup, &task->found.record) : NULL;
    task->is_known = is_asked && !unfinished;
    if (tune_candidates_are_new(&task->has_candidates, task->candidates, request, task->setup,
                                error))
        return -1;
    task->is_answered = task->is_known && !task->is_race && !task->has_candidates;
    if (!task->is_answered && is_noted)
        note_found(task, unfinished);
    return 0;
}

static int open_setup(struct tune_task *task, struct error *error)
{
    struct request own = *task->request;
    own.device = task->kind->list[0];
    task->setup = &task->own_setup;
    return setup_open(task->setup, &own, true, error);
}

/* Where its user gives none, they are the request's. */
static void choose_records(struct tune_task *task)
{
    if (!task->candidates)
        task->candidates = &task->own_candidates;
    if (task->parts)
        task->records = &task->parts->records;
    if (task->records)
        return;
    task->own_records = setup_collection(task->request);
    task->records = &task->own_records;
}

int tune_task_look(struct tune_task *task, struct error *error)
{
    choose_records(task);
    if (!task->setup) {
        if (open_setup(task, error))
            return -1;
        tune_notes_setup(task->request, task->setup, task->kind->count);
    }
    return look(task, true, error);
}

/* --- The journal -------------------------------------------------------------------------- */

/* Another process that had it since the record was looked for may have left one. */
static int open_journal(struct tune_task *task, struct error *error)
{
    struct tune_save_told told = {.record = false};
    struct tune_save_opened opened;
    if (task->has_no_trials)
        return 0;
    if (tune_save_journal(&task->journal, &opened, task->request, task->setup,
                          task->told ? task->told : &told, error))
        return -1;
    task->has_journal = opened.is_open;
    if (!task->has_journal || !(opened.has_waited || task->journal.count))
        return 0;
    const int failed = look(task, false, error);
    if (failed || task->is_answered) {
        journal_close(&task->journal);
        task->has_journal = false;
    }
    return failed;
}

/* Of a list the trials of other parts are taken over. */
static int adopt(struct tune_task *task, struct error *error)
{
    return task->parts && task->has_journal && !task->request->retune
               ? tune_parts_adopt(&task->journal, task->parts, task->setup, error)
               : 0;
}

/* --- What is tried ------------------------------------------------------------------------ */

/* Every core of this process compiles except one for each GPU; on the host the emulator runs at the same
 * time. */
unsigned tune_task_compilers(const struct setup *setup, const struct device_set_kind *kind,
                             size_t kinds)
{
    const long cores = cores_own();
    const long busy = setup->target.is_host ? 0 : (long)kind->count;
    const long mine = cores / (long)kinds - busy;
    return mine < 1 ? 1 : (unsigned)mine;
}

/* The strategy that was asked for, else the space's, else the device's usual one. */
static int choose_strategy(enum strategy *out, const struct tune_task *task,
                           struct error *error)
{
    const struct space_strategy *own = &task->setup->space->strategy;
    struct error cause;
    *out = task->setup->target.is_host ? STRATEGY_COVER : STRATEGY_RACE;
    if (task->request->has_strategy)
        *out = task->request->strategy;
    else if (own->name && strategy_find(out, own->name, &cause))
        return error_set(error, ERROR_USAGE, "%s:%d: %s", own->file, own->line, cause.text);
    return 0;
}

static int describe_job(struct tune_task *task, struct error *error)
{
    const struct setup *setup = task->setup;
    const struct request *request = task->request;
    enum strategy strategy;
    if (choose_strategy(&strategy, task, error))
        return -1;
    task->job =
        (struct tune_job){.context = &setup->context,
                          .sources = &setup->sources,
                          .space = setup->space_file,
                          .info = &setup->device->info,
                          .specs = task->kind->list,
                          .spec_count = task->kind->count,
                          .nvrtc = request->nvrtc,
                          .compilers = tune_task_compilers(setup, task->kind, task->kinds),
                          .workers = task->workers,
                          .units = task->units};
    task->options = (struct tune_options){.strategy = strategy,
                                          .seed = request->seed,
                                          .budget_s = request->budget_s,
                                          .is_retune = request->retune,
                                          .journal = task->has_journal ? &task->journal : NULL,
                                          .is_stopping = interrupt_came};
    task->watch = (struct tune_notes_watch){.problem = &setup->problem};
    if (!request->out.quiet && task->kinds == 1)
        task->options.progress = (struct tune_progress){tune_notes_progress, &task->watch};
    return 0;
}

int tune_task_find_shipped(struct tune_task *task, struct error *error)
{
    struct error ignored;
    return setup_find_in(&task->shipped, task->setup, task->records, COLLECTION_SHIPPED,
                         &ignored, error);
}

/* Does the record found go when this tuning's is kept? */
static bool is_replaced(const struct tune_task *task)
{
    struct record own;
    setup_record(&own, task->setup);
    return task->found.grade <= SELECTOR_STALE && record_has_run(&task->found.record) &&
           record_is_same_problem(&own, &task->found.record);
}

static bool races_shipped(const struct tune_task *task)
{
    return task->shipped.grade != SELECTOR_NONE && !task->setup->target.is_host;
}

/* The winner of a similar problem is tried first. What ships is raced too, and the kernel whose record goes,
 * so that what tuning gained is said; of a known problem the winner and the candidates that were asked for
 * alone. */
static int add_seeds(struct tune_task *task, struct error *error)
{
    struct tune_options *options = &task->options;
    task->asked = (struct sweep_configs){.setup = task->setup, .most = TUNE_CONFIGS_MAX};
    if (tune_task_find_shipped(task, error))
        return -1;
    if (task->found.grade != SELECTOR_NONE)
        options->seed_config = task->found.config;
    task->replaces = is_replaced(task);
    if (task->is_known || task->replaces)
        sweep_configs_add(&task->asked, task->found.config);
    if (races_shipped(task))
        sweep_configs_add(&task->asked, task->shipped.config);
    if (tune_candidates_add(&task->asked, task->candidates, task->request, error))
        return -1;
    options->configs = task->asked.configs;
    options->config_count = task->asked.count;
    options->is_only_configs = task->is_known;
    return tune_candidates_note(task->candidates, task->request, task->setup, error);
}

/* Notes the number of candidates; the search expands the space again. */
static int note_points(const struct tune_task *task, struct error *error)
{
    struct points points;
    if (tune_points(&points, &task->setup->context, &task->options, error))
        return -1;
    tune_notes_space(task->request, task->setup, &points, task->options.strategy);
    point_dispose(&points);
    return 0;
}

bool tune_task_has_effects(const struct tune_task *task)
{
    const struct request *request = task->request;
    const bool is_other = request->has_strategy && request->strategy != STRATEGY_EXHAUSTIVE;
    return request->effects || request->axes ||
           (strategy_space_is_whole(task->setup->space) && !is_other);
}

int tune_task_prepare(struct tune_task *task, struct error *error)
{
    if (tune_task_look(task, error))
        return -1;
    if (task->is_answered)
        return 0;
    if (tune_save_check(task->setup->space, error) || setup_check_room(task->setup, error) ||
        open_journal(task, error))
        return -1;
    if (task->is_answered)
        return 0;
    if (adopt(task, error) || describe_job(task, error))
        return -1;
    return task->is_race ? 0 : add_seeds(task, error) || note_points(task, error) ? -1 : 0;
}

/* --- Tuning ------------------------------------------------------------------------------- */

/* Too much noise in a race may be gone the next time, and a longer one tells more: each takes twice as
 * long as the one before. The trials are in the journal. */
static void *tune(void *argument)
{
    struct tune_task *task = argument;
    task->failed = -1;
    for (int tries = task->is_race ? RACES_MOST : 1; tries > 0 && task->failed; tries--) {
        task->failed = tune_run(&task->result, &task->job, &task->options, &task->error);
        if (task->error.code != ERROR_NOISY)
            break;
        task->options.race_s *= 2;
    }
    if (task->failed)
        failing_source_explain(task->setup, task->setup->space->default_config, &task->error);
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

/* A known winner remains, with its time in this race, unless it clearly lost. */
static void let_known_stay(struct record *record, const struct tune_task *task)
{
    const struct tune_place *place = tune_result_place(&task->result, task->found.config);
    const struct record made = *record;
    if (!place || place->ratio > STAYS)
        return;
    *record = task->found.record;
    record_set_time(record, place->median_ps, place->low_ps, place->high_ps);
    record->sm_mhz = made.sm_mhz;
    record->memory_mhz = made.memory_mhz;
    record->celsius = made.celsius;
    record->milliwatts = made.milliwatts;
    memcpy(record->tuned, made.tuned, sizeof record->tuned);
}

void tune_task_record(struct record *out, const struct tune_task *task)
{
    if (task->is_answered) {
        *out = task->found.record;
        return;
    }
    tune_save_make(out, task->setup, &task->result);
    if (task->is_known)
        let_known_stay(out, task);
    else if (!task->is_race && races_shipped(task))
        tune_save_shipped(out, &task->result, task->shipped.config);
}

int tune_task_take(struct record *out, struct tune_task *task, struct error *lost)
{
    tune_task_record(out, task);
    if (task->replaces && !task->is_answered)
        tune_save_note_replaced(task->request, out, &task->result, &task->found);
    return task->is_answered ? 0 : tune_save_record(task->request, out, &task->warning, lost);
}

void tune_task_close(struct tune_task *task)
{
    if (task->is_tuned)
        tune_result_dispose(&task->result);
    if (task->has_journal)
        journal_close(&task->journal);
    collection_dispose(&task->own_records);
    tune_candidates_dispose(&task->own_candidates);
    setup_close(&task->own_setup);
}
