/* search: takes one event at a time: a worker is ready, has compiled, has tried, or is lost.
 * After each event idle workers get the next unit; the search is over when no unit is left and
 * all workers are idle. */
#include "autotune/search/search.h"

#include "autotune/device/monotonic.h"
#include "autotune/measure/stats.h"
#include "autotune/search/faults.h"
#include "autotune/search/queued_unit.h"
#include "autotune/search/replies.h"
#include "generator/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    AHEAD = 48,  /* compiled units that wait, at most */
    SAMPLES = 2, /* measurements of a candidate when all are tried */
};

/* Seconds after which a worker is given up. */
static const double COMPILE_LIMIT = 120;
static const double TICK =
    0.2; /* at most so long between looks at progress, journal and budget */
static const double SYNC = 0.5; /* the journal goes to the disk that often */

double search_seconds(const struct search *search)
{
    return monotonic_s() - search->start;
}

bool search_measures(const struct search *search, size_t slot)
{
    return slot < search->measurer_count;
}

size_t search_first_measurer(const struct search *search)
{
    size_t slot = 0;
    while (slot + 1 < search->measurer_count && search->workers[slot].state == WORKER_OFF)
        slot++;
    return slot;
}

bool search_has_other(const struct search *search, size_t slot)
{
    assert(slot < search->worker_count);
    const bool measures = search_measures(search, slot);
    for (size_t i = 0; i < search->worker_count; i++)
        if (i != slot && search_measures(search, i) == measures &&
            search->workers[i].state != WORKER_OFF)
            return true;
    return false;
}

/* --- Workers ------------------------------------------------------------------------------ */

int search_start(struct search *search, size_t slot, struct error *error)
{
    assert(slot < search->worker_count);
    struct search_worker *worker = &search->workers[slot];
    const char *spec =
        search_measures(search, slot) ? search->job->specs[worker->device] : NULL;
    worker->state = WORKER_OPENING;
    worker->at = SEARCH_NOWHERE;
    worker->last_words[0] = '\0';
    if (search->ops->start(search->pool, slot, search->job, search->options->seed, spec, error))
        return -1;
    search->ops->set_deadline(search->pool, slot, SEARCH_OPEN_S);
    return 0;
}

int search_open(struct search *search, struct error *error)
{
    assert(search->job->spec_count > 0);
    const size_t wanted = search->job->compilers ? search->job->compilers : 1;
    const size_t units =
        (search->result->points.variant_count + COMPILER_UNIT - 1) / COMPILER_UNIT;
    search->start = monotonic_s();
    search->measurer_count = search->job->spec_count;
    search->worker_count = search->measurer_count + (wanted < units ? wanted : units);
    if (search->worker_count > WORKER_POOL_MAX)
        search->worker_count = WORKER_POOL_MAX;
    search->workers = calloc(search->worker_count, sizeof *search->workers);
    search->hashes = calloc(search->result->points.variant_count, sizeof *search->hashes);
    if (!search->workers || !search->hashes)
        return error_memory(error, search->worker_count * sizeof *search->workers);
    for (size_t slot = 0; slot < search->worker_count; slot++) {
        search->workers[slot].device = slot;
        if (search_start(search, slot, error))
            return -1;
    }
    return 0;
}

void search_free_units(struct search *search)
{
    while (search->queued_units) {
        struct queued_unit *next = search->queued_units->next;
        queued_unit_free(search->queued_units);
        search->queued_units = next;
    }
    search->queued_count = 0;
}

void search_close(struct search *search)
{
    if (search->job->info->target.is_host)
        host_sweep();
    for (size_t i = 0; search->workers && i < search->worker_count; i++)
        queued_unit_free(search->workers[i].queued);
    free(search->workers);
    free(search->retries);
    free(search->hashes);
    search_free_units(search);
    trials_index_dispose(&search->proven);
    trials_index_dispose(&search->seen);
    trials_index_dispose(&search->forgiven);
}

/* --- Units -------------------------------------------------------------------------------- */

/* How many times the best time a variant's first candidate may take; 0 = all candidates are
 * tried. */
static double find_limit(struct search *search, size_t variant)
{
    if (search->options->strategy != STRATEGY_RACE || search->order->is_whole[variant])
        return 0;
    return strategy_limit(&search->rule, search_noise(search), &search->limit_error);
}

/* In a resumed run: leaves out a variant whose first candidate was measured before and cannot
 * win. */
static void leave_out_recalled(struct search *search, size_t variant)
{
    const struct point_variant *v = &search->result->points.variants[variant];
    const struct trial *first = &search->result->trials[search->order->candidates[v->first]];
    if (!first->is_judged || first->status != TRIAL_MEASURED)
        return;
    const double limit = find_limit(search, variant);
    if (limit > 0 && (double)first->time_ps > limit * (double)search->best_ps)
        replies_leave_out(search, variant);
}

static bool has_unjudged(const struct search *search, size_t variant)
{
    const struct point_variant *v = &search->result->points.variants[variant];
    for (size_t i = v->first; i < v->first + v->count; i++)
        if (!search->result->trials[i].is_judged)
            return true;
    return false;
}

int search_retry_alone(struct search *search, const struct search_unit *unit,
                       struct error *error)
{
    assert(unit->count <= COMPILER_UNIT);
    for (size_t i = 0; i < unit->count; i++) {
        if (array_grow(&search->retries, search->retry_count, sizeof *search->retries, error))
            return -1;
        search->retries[search->retry_count++] =
            (struct search_unit){.variants = {unit->variants[i]}, .count = 1};
    }
    return 0;
}

static bool is_over_budget(const struct search *search)
{
    const double budget = search->options->budget_s;
    return budget > 0 && search_seconds(search) > budget;
}

/* Skips variants that are judged already, and past the budget all. True when a variant is
 * left. */
static bool find_next(struct search *search)
{
    const size_t count = search->result->points.variant_count;
    for (; search->next < count; search->next++) {
        leave_out_recalled(search, search->order->variants[search->next]);
        if (has_unjudged(search, search->order->variants[search->next]))
            break;
    }
    if (search->next < count && is_over_budget(search)) {
        search->result->is_cut = true;
        search->next = count;
    }
    return search->next < count;
}

/* Takes the next variants to compile; an empty unit when none is left. */
static struct search_unit take_unit(struct search *search)
{
    struct search_unit unit = {.count = 0};
    if (search->retry_count)
        return search->retries[--search->retry_count];
    while (unit.count < COMPILER_UNIT && find_next(search))
        unit.variants[unit.count++] = search->order->variants[search->next++];
    return unit;
}

static int send_compile(struct search *search, size_t slot, const struct search_unit *unit,
                        struct error *error)
{
    const struct points *points = &search->result->points;
    struct frame frame = {.kind = JOB_COMPILE};
    int64_t *configs = malloc(unit->count * points->width * sizeof *configs);
    const struct job_configs message = {unit->count, configs};
    if (!configs)
        return error_memory(error, unit->count * points->width * sizeof *configs);
    for (size_t i = 0; i < unit->count; i++)
        memcpy(configs + i * points->width,
               tune_config(search->result, points->variants[unit->variants[i]].first),
               points->width * sizeof *configs);
    int failed = job_code_configs(&frame, (struct job_configs *)(uintptr_t)&message,
                                  points->width, false, error) ||
                 search->ops->send(search->pool, slot, &frame, error);
    frame_dispose(&frame);
    free(configs);
    search->workers[slot].unit = *unit;
    search->workers[slot].state = WORKER_BUSY;
    search->ops->set_deadline(search->pool, slot, COMPILE_LIMIT);
    return failed;
}

/* --- Units to be tried -------------------------------------------------------------------- */

/* Sets the limit for a variant's first candidate; none when that candidate is not to be tried
 * any more. */
static void set_limit(struct search *search, struct job_variant *variant)
{
    const size_t v = variant->compiled.variant;
    const size_t first = search->order->candidates[search->result->points.variants[v].first];
    variant->limit = variant->count && variant->ids[0] == first ? find_limit(search, v) : 0;
}

static int send_unit(struct search *search, size_t slot, struct queued_unit *queued,
                     struct error *error)
{
    struct search_worker *worker = &search->workers[slot];
    struct frame frame = {.kind = JOB_TRY};
    struct job_unit *unit = &queued->unit;
    const double budget = search->options->budget_s;
    unit->best_ps = search->best_ps;
    unit->seconds = budget > 0 ? budget - search_seconds(search) : 0;
    unit->samples = search->options->strategy == STRATEGY_EXHAUSTIVE ? SAMPLES : 1;
    for (size_t i = 0; i < unit->count; i++)
        if (!unit->variants[i].compiled.is_failed) {
            set_limit(search, &unit->variants[i]);
            unit->variants[i].is_proven =
                trials_index_find(&search->proven, queued_unit_hash(queued, i)) != NULL;
        }
    worker->queued = queued;
    worker->state = WORKER_BUSY;
    worker->at = SEARCH_NOWHERE;
    search->ops->set_deadline(search->pool, slot, SEARCH_LOAD_S);
    int failed = job_code_unit(&frame, unit, search->result->points.width, false, error) ||
                 search->ops->send(search->pool, slot, &frame, error);
    frame_dispose(&frame);
    return failed;
}

/* --- Work for idle workers ---------------------------------------------------------------- */

static int feed_measurer(struct search *search, size_t slot, struct error *error)
{
    if (search->queued_units && !search->keeps_units && is_over_budget(search)) {
        search->result->is_cut = true;
        search_free_units(search);
    }
    struct queued_unit *queued = search->keeps_units ? NULL : queued_unit_take(search);
    return queued ? send_unit(search, slot, queued, error) : 0;
}

static int feed_compiler(struct search *search, size_t slot, struct error *error)
{
    if (search->queued_count >= AHEAD + search->measurer_count && !search->keeps_units)
        return 0;
    const struct search_unit unit = take_unit(search);
    return unit.count ? send_compile(search, slot, &unit, error) : 0;
}

static int feed(struct search *search, struct error *error)
{
    for (size_t slot = 0; slot < search->worker_count; slot++)
        if (search->workers[slot].state == WORKER_IDLE &&
            (search_measures(search, slot) ? feed_measurer : feed_compiler)(search, slot,
                                                                            error))
            return -1;
    return 0;
}

/* True when no work is left and none is under way. */
static bool is_over(struct search *search)
{
    for (size_t slot = 0; slot < search->worker_count; slot++)
        if (search->workers[slot].state == WORKER_BUSY)
            return false;
    return (search->keeps_units || !search->queued_units) && !search->retry_count &&
           !find_next(search);
}

/* --- The loop ----------------------------------------------------------------------------- */

bool search_keeps_trials(const struct search *search)
{
    return search->options->journal && search->result->journal_warning.code == ERROR_NONE;
}

int search_check_stop(const struct search *search, struct error *error)
{
    const struct tune_options *options = search->options;
    if (!options->is_stopping || !options->is_stopping())
        return 0;
    if (search_keeps_trials(search))
        return error_set(
            error, ERROR_INTERRUPTED,
            "interrupted: what was measured is kept, and the same command%s goes on from "
            "there",
            options->is_retune ? " without --retune" : "");
    return error_set(error, ERROR_INTERRUPTED, "interrupted: the same command starts again%s%s",
                     options->journal ? "; trials were not kept: " : "",
                     options->journal ? search->result->journal_warning.text : "");
}

/* Between messages: syncs the journal to the disk, so that it survives a power failure. */
static void tick(struct search *search)
{
    const struct tune_progress *progress = &search->options->progress;
    struct error *warning = &search->result->journal_warning;
    if (monotonic_s() - search->last_sync > SYNC && search->options->journal) {
        search->last_sync = monotonic_s();
        if (warning->code == ERROR_NONE)
            journal_sync(search->options->journal, warning);
    }
    if (progress->show)
        progress->show(progress->context, search->done, search->result->points.count,
                       search->best_ps);
}

int search_step(struct search *search, struct job_raced *raced, struct error *error)
{
    struct worker_pool_event event;
    int got = 0;
    if (search->ops->wait(search->pool, &event, TICK, error))
        return -1;
    tick(search);
    switch (event.kind) {
    case WORKER_POOL_FRAME:
        if (event.frame.kind == JOB_COMPILED && !search_measures(search, event.slot))
            got = replies_compiled(search, event.slot, &event.frame, error);
        else if (event.frame.kind == JOB_RACED && raced)
            got = replies_raced(search, event.slot, &event.frame, raced, error);
        else
            got = replies_message(search, event.slot, &event.frame, error);
        frame_dispose(&event.frame);
        break;
    case WORKER_POOL_LOST:
    case WORKER_POOL_LATE: got = faults_lost(search, event.slot, &event, error); break;
    default: break;
    }
    return got;
}

int search_run(struct search *search, struct error *error)
{
    for (;;) {
        if (search_check_stop(search, error) || feed(search, error))
            return -1;
        if (is_over(search))
            return 0;
        if (search_step(search, NULL, error))
            return -1;
    }
}

double search_noise(const struct search *search)
{
    enum { KEPT = sizeof search->references / sizeof *search->references };
    uint64_t times[KEPT];
    const size_t count = search->reference_count < KEPT ? search->reference_count : KEPT;
    memcpy(times, search->references, count * sizeof *times);
    return stats_spread(times, count);
}
