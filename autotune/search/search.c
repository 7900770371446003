/* search: takes one event at a time: a worker is ready, has compiled, has tried, or is lost.
 * After each event idle workers get the next unit; the search is over when no unit is left and
 * all workers are idle. No other file changes its state. */
#include "autotune/search/search.h"

#include "autotune/device/monotonic.h"
#include "autotune/measure/stats.h"
#include "autotune/search/deadline.h"
#include "autotune/search/queued_unit.h"
#include "autotune/search/shortlist.h"
#include "autotune/verify/check_small.h"
#include "generator/array.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)TUNE_CONFIGS_MAX <= (int)JOB_KEPT_MAX,
               "a race names all that are asked for");

enum {
    AHEAD = 48,     /* compiled units that wait, at most */
    SAMPLES = 2,    /* measurements of a candidate when all are tried */
    REFERENCES = 5, /* of a worker's reference times, whose median counts */
};

/* With a budget up to this each variant is compiled alone: what is begun ends sooner. */
static const double SHORT_BUDGET = 5;
static const double TICK =
    0.2; /* at most so many seconds between looks at progress, journal and budget */
static const double SYNC = 0.5; /* the journal goes to the disk that often */

/* The step of a worker that has not announced one yet. */
#define NOWHERE ((struct job_at){PHASE_LOAD, JOB_NO_CANDIDATE, JOB_NO_CANDIDATE})

/* A worker, of either role. */
struct worker_slot {
    enum { WORKER_OFF, WORKER_OPENING, WORKER_IDLE, WORKER_BUSY } state;
    unsigned failures; /* times in a row that it was lost before it was ready */
    bool was_ready;    /* once at least */
    bool is_kept;      /* it served another search: what it lacks is no fault of this one */
    struct decide_unit unit;    /* the unit that it compiles */
    struct queued_unit *queued; /* the unit that it tries */
    struct job_at at;           /* the step it announced last */
    char last_words[TRIAL_REASON];
    enum error_code last_code;
    bool is_dropped; /* what it compiles is not waited for: the budget is over */
    struct job_ready ready;
    uint64_t references[REFERENCES]; /* the last ones */
    size_t reference_count;          /* of all so far */
};

/* The final race: units are compiled and kept, then a measuring worker gets them all. */
struct race {
    bool is_on;
    struct job_raced *out; /* while its worker runs it */
    bool is_lost;
    bool was_killed;          /* no kernel is at fault */
    struct job_at at;         /* of the lost worker */
    enum trial_status status; /* for the candidates at fault */
    char reason[TRIAL_REASON];
    enum error_code code; /* of its last message */
    unsigned forgiven;    /* losses without a candidate at fault */
};

/* A variant that was compiled before, by another search. */
struct compiled_before {
    struct unit_place place;
    bool is_taken; /* it is queued, or was */
};

struct search {
    struct search_task task;
    struct outcomes outcomes;
    struct worker_slot *slots; /* first those that measure, then those that compile */
    size_t measurer_count, slot_count;
    size_t next;                    /* in order->variants */
    struct compiled_before *before; /* by variant; NULL: none was */
    size_t unit_size; /* variants of a unit: fewer where there are few for each compiler */
    struct decide_unit *retries; /* to be compiled again, each alone */
    size_t retry_count;
    struct queued_units queue; /* compiled, not tried yet; in the race kept for it */
    struct race race;
    struct trials_index forgiven; /* whose worker was killed, forgiven once each */
    struct trials_index proven;   /* machine code proven at small sizes */
    double start, last_sync;      /* of the run, of the journal; seconds of CLOCK_MONOTONIC */
};

static double seconds(const struct search *search)
{
    return monotonic_s() - search->start;
}

static const struct points *points_of(const struct search *search)
{
    return &search->task.result->points;
}

/* The first config of a variant: its code is that of all. */
static const int64_t *config_of(const struct search *search, size_t variant)
{
    return tune_result_config(search->task.result, points_of(search)->variants[variant].first);
}

/* --- Workers ------------------------------------------------------------------------------ */

static bool measures(const struct search *search, size_t slot) /* otherwise it compiles */
{
    return slot < search->measurer_count;
}

/* The measuring worker that a race runs on: the first that is not given up. */
static size_t first_measurer(const struct search *search)
{
    size_t slot = 0;
    while (slot + 1 < search->measurer_count && search->slots[slot].state == WORKER_OFF)
        slot++;
    return slot;
}

static bool has_other(const struct search *search, size_t slot)
{
    for (size_t i = 0; i < search->slot_count; i++)
        if (i != slot && measures(search, i) == measures(search, slot) &&
            search->slots[i].state != WORKER_OFF)
            return true;
    return false;
}

static void set_deadline(const struct search *search, size_t slot, double limit_s)
{
    search->task.ops->set_deadline(search->task.workers, slot, limit_s);
}

/* Starts the worker of this slot, or another in place of a lost one. */
static int start_worker(struct search *search, size_t slot, struct error *error)
{
    const struct search_task *task = &search->task;
    struct worker_slot *worker = &search->slots[slot];
    worker->state = WORKER_OPENING;
    worker->is_dropped = false;
    worker->is_kept = task->ops->is_running(task->workers, slot);
    worker->at = NOWHERE;
    worker->last_words[0] = '\0';
    if (task->ops->start(task->workers, slot, task->job, task->options->seed,
                         measures(search, slot) ? task->job->specs[slot] : NULL, error))
        return -1;
    set_deadline(search, slot, DEADLINE_OPEN_S);
    return 0;
}

static void free_worker(struct search *search, size_t slot)
{
    search->slots[slot].state = WORKER_IDLE;
    search->slots[slot].is_dropped = false;
    set_deadline(search, slot, 0);
}

/* Sends a message that begins a worker's work. Takes the frame over. */
static int send_work(struct search *search, size_t slot, struct frame *frame, double limit_s,
                     struct error *error)
{
    search->slots[slot].state = WORKER_BUSY;
    search->slots[slot].at = NOWHERE;
    set_deadline(search, slot, limit_s);
    return search->task.ops->send(search->task.workers, slot, frame, error);
}

static bool is_short(const struct search *search)
{
    const double budget = search->task.options->budget_s;
    return budget > 0 && budget <= SHORT_BUDGET;
}

static int open_slots(struct search *search, struct error *error)
{
    const struct tune_job *job = search->task.job;
    const size_t wanted = job->compilers ? job->compilers : 1;
    const size_t variants = points_of(search)->variant_count;
    const size_t each = is_short(search) ? 1 : variants / wanted;
    search->unit_size = each < 1 ? 1 : each < COMPILER_UNIT ? each : COMPILER_UNIT;
    const size_t units = (variants + search->unit_size - 1) / search->unit_size;
    assert(job->spec_count > 0);
    search->measurer_count = job->spec_count;
    search->slot_count = job->spec_count + (wanted < units ? wanted : units);
    if (search->slot_count > WORKER_POOL_MAX)
        search->slot_count = WORKER_POOL_MAX;
    search->slots = calloc(search->slot_count, sizeof *search->slots);
    if (!search->slots)
        return error_memory(error, search->slot_count * sizeof *search->slots);
    for (size_t slot = 0; slot < search->slot_count; slot++)
        if (start_worker(search, slot, error))
            return -1;
    return 0;
}

/* Looks for what was compiled before, while the workers open. */
static int find_compiled(struct search *search, struct error *error)
{
    const struct search_task *task = &search->task;
    const struct points *points = points_of(search);
    unit_cache_begin(task->units);
    if (unit_cache_is_empty(task->units))
        return 0;
    search->before = calloc(points->variant_count + 1, sizeof *search->before);
    if (!search->before)
        return error_memory(error, points->variant_count * sizeof *search->before);
    for (size_t v = 0; v < points->variant_count; v++)
        if (unit_cache_find(&search->before[v].place, task->units, task->job,
                            config_of(search, v), error))
            return -1;
    return 0;
}

struct search *search_open(const struct search_task *task, struct error *error)
{
    struct search *search = calloc(1, sizeof *search);
    if (!search) {
        error_memory(error, sizeof *search);
        return NULL;
    }
    *search = (struct search){.task = *task,
                              .outcomes = {.job = task->job,
                                           .options = task->options,
                                           .result = task->result,
                                           .order = task->order,
                                           .prior = task->prior},
                              .start = monotonic_s()};
    if (outcomes_open(&search->outcomes, error) == 0 && open_slots(search, error) == 0 &&
        find_compiled(search, error) == 0)
        return search;
    search_close(search);
    return NULL;
}

void search_close(struct search *search)
{
    if (!search)
        return;
    for (size_t i = 0; search->slots && i < search->slot_count; i++) {
        queued_unit_free(search->slots[i].queued);
        if (search->task.job->workers && search->slots[i].state != WORKER_IDLE)
            search->task.ops->stop(search->task.workers, i);
    }
    free(search->slots);
    free(search->before);
    free(search->retries);
    queued_units_dispose(&search->queue);
    trials_index_dispose(&search->proven);
    trials_index_dispose(&search->forgiven);
    outcomes_dispose(&search->outcomes);
    free(search);
}

/* --- Shadows ------------------------------------------------------------------------------ */

/* The job with a config's shadow in the problem's place. */
struct shadow_job {
    struct problem problem;
    struct point_context context;
    struct tune_job job;
};

/* False where the variant has no shadow. */
static bool open_shadow(struct shadow_job *out, const struct search *search, size_t variant)
{
    const struct point_context *context = search->task.job->context;
    out->context = (struct point_context){context->space, &out->problem, context->target};
    out->job = *search->task.job;
    out->job.context = &out->context;
    return check_has_shadow(&out->problem, context, config_of(search, variant));
}

/* Looks for a variant's shadow among what was compiled so far. 1: it is to be compiled. */
static int find_shadow(struct unit_place *out, const struct search *search, size_t variant,
                       struct error *error)
{
    struct shadow_job shadow;
    *out = (struct unit_place){.unit = NULL};
    if (!open_shadow(&shadow, search, variant))
        return 0;
    if (unit_cache_find(out, search->task.units, &shadow.job, config_of(search, variant),
                        error))
        return -1;
    return out->unit == NULL;
}

/* Gives the unit's variants the shadows that were compiled with others. */
static int give_shadows(struct search *search, struct queued_unit *queued, struct error *error)
{
    for (size_t i = 0; i < queued->unit.count; i++) {
        const struct job_variant *variant = &queued->unit.variants[i];
        struct unit_place place;
        if (variant->compiled.is_failed || variant->shadow_image)
            continue;
        if (find_shadow(&place, search, variant->compiled.variant, error) < 0)
            return -1;
        if (place.unit)
            queued_unit_give_shadow(queued, i, place.unit, place.at);
    }
    return 0;
}

/* Keeps those that came with a unit. */
static int keep_shadows(struct search *search, const struct queued_unit *queued,
                        struct error *error)
{
    size_t places[COMPILER_UNIT];
    const int64_t *configs[COMPILER_UNIT];
    struct shadow_job shadow;
    struct queued_unit *shadows = queued_unit_shadows(queued, places, error);
    int failed = shadows ? 0 : -1;
    if (shadows && shadows->unit.count &&
        open_shadow(&shadow, search, queued->unit.variants[places[0]].compiled.variant)) {
        for (size_t i = 0; i < shadows->unit.count; i++)
            configs[i] = config_of(search, queued->unit.variants[places[i]].compiled.variant);
        failed = unit_cache_add(search->task.units, &shadow.job, shadows, configs, error);
    }
    queued_unit_free(shadows);
    return failed;
}

/* --- Units to compile --------------------------------------------------------------------- */

static int retry_alone(struct search *search, const struct decide_unit *unit,
                       struct error *error)
{
    for (size_t i = 0; i < unit->count; i++) {
        if (array_grow(&search->retries, search->retry_count, sizeof *search->retries, error))
            return -1;
        search->retries[search->retry_count++] =
            (struct decide_unit){.variants = {unit->variants[i]}, .count = 1};
    }
    return 0;
}

static bool has_result(const struct search *search)
{
    return search->task.result->counts[TRIAL_MEASURED] > 0;
}

/* Where inputs and first proofs take longer than the budget there would be no result: one candidate is
 * measured, however long that takes, unless several that were tried have none. */
static bool is_over_budget(const struct search *search)
{
    const double budget = search->task.options->budget_s;
    const double opened = search->task.result->seconds_open;
    if (budget <= 0 || seconds(search) <= budget)
        return false;
    return has_result(search) ||
           (opened > 0 && search->outcomes.done > search->task.result->recalled &&
            seconds(search) - opened > deadline_without_result_s(budget));
}

/* What a unit may take of the budget, 0 being no limit. */
static double seconds_left(const struct search *search)
{
    enum { PER_SECOND = 1000 };
    const double left = search->task.options->budget_s - seconds(search);
    const bool is_limited = search->task.options->budget_s > 0;
    return !is_limited ? 0 : left > 0 ? left : 1.0 / PER_SECOND;
}

/* The next variant in order was compiled before: it is queued without a compiler. */
static bool is_compiled(const struct search *search)
{
    const size_t variant = search->task.order->variants[search->next];
    return search->before && search->before[variant].place.unit;
}

static bool is_taken(const struct search *search, size_t variant)
{
    return search->before && search->before[variant].is_taken;
}

/* Skips variants that are judged or taken already, and past the budget all. True when a variant is
 * left. */
static bool find_next(struct search *search)
{
    const size_t count = points_of(search)->variant_count;
    const size_t *order = search->task.order->variants;
    while (search->next < count && (is_taken(search, order[search->next]) ||
                                    !outcomes_is_open(&search->outcomes, order[search->next])))
        search->next++;
    if (search->next < count && is_over_budget(search)) {
        search->task.result->is_cut = true;
        search->next = count;
    }
    return search->next < count;
}

static int send_compile(struct search *search, size_t slot, const struct decide_unit *unit,
                        struct error *error)
{
    const struct points *points = points_of(search);
    const size_t bytes = points->width * sizeof(int64_t);
    struct frame frame = {.kind = JOB_COMPILE};
    int64_t *configs = malloc(unit->count * bytes);
    struct job_configs message = {.count = unit->count, .configs = configs};
    int failed = configs ? 0 : error_memory(error, unit->count * bytes);
    for (size_t i = 0; i < unit->count && !failed; i++) {
        struct unit_place ignored;
        const int wants = find_shadow(&ignored, search, unit->variants[i], error);
        memcpy(configs + i * points->width, config_of(search, unit->variants[i]), bytes);
        message.wants_shadow[i] = wants > 0;
        failed = wants < 0;
    }
    search->slots[slot].unit = *unit;
    failed = failed || job_code_configs(&frame, &message, points->width, false, error) ||
             send_work(search, slot, &frame, DEADLINE_COMPILE_S, error);
    frame_dispose(&frame);
    free(configs);
    return failed ? -1 : 0;
}

/* --- Units to try ------------------------------------------------------------------------- */

static int is_needed(void *outcomes, size_t candidate, uint64_t code_hash, struct error *error)
{
    return outcomes_is_needed(outcomes, candidate, code_hash, error);
}

/* Lists the candidates still to be tried, in the strategy's order, and queues the unit; frees
 * it when there are none. A unit for the race is kept as it is. */
static int queue_unit(struct search *search, struct queued_unit *queued, struct error *error)
{
    const struct points *points = points_of(search);
    int failed = 0;
    for (size_t i = 0; i < queued->unit.count && !search->race.is_on && !failed; i++) {
        const struct compiled_variant *compiled = &queued->unit.variants[i].compiled;
        const struct point_variant *v = &points->variants[compiled->variant];
        if (!compiled->is_failed)
            failed =
                queued_unit_list(queued, i, points, search->task.order->candidates + v->first,
                                 v->count, is_needed, &search->outcomes, error);
    }
    if (!failed && (search->race.is_on || queued_unit_has_candidates(queued)))
        queued_units_add(&search->queue, queued);
    else
        queued_unit_free(queued);
    return failed;
}

/* Judges a variant that does not compile. Where that was the compiler's fault nothing is
 * known of it: it is left untried, and an entrant of the race, without which another would
 * win, ends the run. */
static int take_failed(struct search *search, const struct compiled_variant *compiled,
                       struct error *error)
{
    const struct error *reason = &compiled->reason;
    if (reason->code == ERROR_FAILED) {
        outcomes_judge_variant(&search->outcomes, compiled->variant, TRIAL_FAILED, reason->text,
                               search->race.is_on);
        return 0;
    }
    if (search->race.is_on)
        return error_set(error, reason->code, "%s", reason->text);
    search->task.result->lacking = *reason;
    return 0;
}

/* Takes a compiled unit, from a worker or from before: judges what does not compile, and queues the
 * rest. */
static int enter_unit(struct search *search, struct queued_unit *queued, struct error *error)
{
    int failed = give_shadows(search, queued, error);
    for (size_t i = 0; i < queued->unit.count && !failed; i++) {
        const struct compiled_variant *compiled = &queued->unit.variants[i].compiled;
        outcomes_compiled(&search->outcomes, compiled->variant, compiled->sources_hash);
        if (compiled->is_failed)
            failed = take_failed(search, compiled, error);
    }
    if (!failed)
        return queue_unit(search, queued, error);
    queued_unit_free(queued);
    return -1;
}

static bool is_proven(const struct search *search, const struct queued_unit *queued, size_t i)
{
    return trials_index_find(&search->proven, queued_unit_hash(queued, i)) != NULL;
}

/* Sets the limit for a variant's first candidate; none when that candidate is not to be tried
 * any more. */
static void set_limit(struct search *search, struct job_variant *variant)
{
    const size_t v = variant->compiled.variant;
    const size_t first = search->task.order->candidates[points_of(search)->variants[v].first];
    variant->limit =
        variant->count && variant->ids[0] == first ? outcomes_limit(&search->outcomes, v) : 0;
}

static int send_unit(struct search *search, size_t slot, struct queued_unit *queued,
                     struct error *error)
{
    const struct tune_options *options = search->task.options;
    struct frame frame = {.kind = JOB_TRY};
    struct job_unit *unit = &queued->unit;
    unit->best_ps = search->outcomes.best_ps;
    unit->seconds = seconds_left(search);
    unit->owes_result = !has_result(search);
    unit->samples = options->strategy == STRATEGY_EXHAUSTIVE ? SAMPLES : 1;
    for (size_t i = 0; i < unit->count; i++)
        if (!unit->variants[i].compiled.is_failed) {
            set_limit(search, &unit->variants[i]);
            unit->variants[i].is_proven = is_proven(search, queued, i);
        }
    search->slots[slot].queued = queued;
    int failed = job_code_unit(&frame, unit, points_of(search)->width, false, error) ||
                 send_work(search, slot, &frame, DEADLINE_LOAD_S, error);
    frame_dispose(&frame);
    return failed;
}

/* --- Work for idle workers ---------------------------------------------------------------- */

static int feed_measurer(struct search *search, size_t slot, struct error *error)
{
    if (search->race.is_on)
        return 0;
    if (search->queue.first && is_over_budget(search)) {
        search->task.result->is_cut = true;
        queued_units_dispose(&search->queue);
    }
    struct queued_unit *queued = queued_units_take(&search->queue);
    return queued ? send_unit(search, slot, queued, error) : 0;
}

static bool has_room(const struct search *search)
{
    return search->queue.count < AHEAD + search->measurer_count;
}

/* Queues a variant that was compiled before, and those of its unit that are still to be tried. */
static int take_unit_of(struct search *search, size_t variant, struct error *error)
{
    struct compiled_before *before = search->before;
    const struct queued_unit *of = before[variant].place.unit;
    struct decide_unit unit = {.variants = {variant}, .count = 1};
    size_t places[COMPILER_UNIT] = {before[variant].place.at};
    before[variant].is_taken = true;
    for (size_t v = 0; v < points_of(search)->variant_count && unit.count < COMPILER_UNIT;
         v++) {
        if (before[v].place.unit != of || before[v].is_taken ||
            !outcomes_is_open(&search->outcomes, v))
            continue;
        before[v].is_taken = true;
        places[unit.count] = before[v].place.at;
        unit.variants[unit.count++] = v;
    }
    struct queued_unit *queued = queued_unit_share(of, places, &unit, error);
    return queued ? enter_unit(search, queued, error) : -1;
}

/* Queues the next variants as far as they were compiled before and there is room. */
static int queue_compiled(struct search *search, struct error *error)
{
    while (has_room(search) && find_next(search) && is_compiled(search))
        if (take_unit_of(search, search->task.order->variants[search->next], error))
            return -1;
    return 0;
}

/* Takes the next variants to compile; an empty unit when none is left. */
static int take_unit(struct decide_unit *out, struct search *search, struct error *error)
{
    *out = (struct decide_unit){.count = 0};
    if (search->retry_count) {
        *out = search->retries[--search->retry_count];
        return 0;
    }
    while (out->count < search->unit_size) {
        if (queue_compiled(search, error))
            return -1;
        if (!find_next(search) || is_compiled(search))
            break;
        out->variants[out->count++] = search->task.order->variants[search->next++];
    }
    return 0;
}

static int feed_compiler(struct search *search, size_t slot, struct error *error)
{
    struct decide_unit unit;
    if (!has_room(search) && !search->race.is_on)
        return 0;
    if (take_unit(&unit, search, error))
        return -1;
    return unit.count ? send_compile(search, slot, &unit, error) : 0;
}

/* First those that compile: on the way to what is theirs variants are queued for those that measure. */
static int feed(struct search *search, struct error *error)
{
    if (search->retry_count && !search->race.is_on && is_over_budget(search)) {
        search->task.result->is_cut = true;
        search->retry_count = 0;
    }
    if (queue_compiled(search, error))
        return -1;
    for (size_t slot = search->slot_count; slot-- > 0;)
        if (search->slots[slot].state == WORKER_IDLE &&
            (measures(search, slot) ? feed_measurer : feed_compiler)(search, slot, error))
            return -1;
    return 0;
}

/* Past the budget nobody waits for what a compiling worker has begun; in the race for what it begins
 * then. */
static void drop_compiling(struct search *search, size_t slot)
{
    if (measures(search, slot) || search->race.is_on || !is_over_budget(search))
        return;
    search->slots[slot].is_dropped = true;
    search->task.result->is_cut = true;
}

/* True when no work is left and none is under way. */
static bool is_over(struct search *search)
{
    for (size_t slot = 0; slot < search->slot_count; slot++) {
        if (search->slots[slot].state != WORKER_BUSY)
            continue;
        drop_compiling(search, slot);
        if (!search->slots[slot].is_dropped)
            return false;
    }
    return (search->race.is_on || !search->queue.first) && !search->retry_count &&
           !find_next(search);
}

/* --- Decisions ---------------------------------------------------------------------------- */

/* Does what a decision says of candidates and units; `queued` (may be NULL) is the unit they
 * came in. */
static int carry_out(struct search *search, const struct decision *decision,
                     struct queued_unit *queued, const char *reason, struct error *error)
{
    uint64_t ignored;
    if (decision->judge == JUDGE_CANDIDATE)
        outcomes_judge(&search->outcomes, decision->candidate, decision->status, reason);
    if (decision->judge == JUDGE_VARIANT)
        outcomes_judge_variant(&search->outcomes, decision->variant, decision->status, reason,
                               search->race.is_on);
    if (decision->forgives && trials_index_add(&search->forgiven, decide_key(decision->variant),
                                               0, &ignored, error) < 0)
        return -1;
    if (decision->trusts &&
        trials_index_add(&search->proven,
                         queued_unit_hash(queued, queued_unit_find(queued, decision->variant)),
                         1, &ignored, error) < 0)
        return -1;
    return retry_alone(search, &decision->retry, error);
}

static int fault_default(const struct search *search, const char *how, bool is_late,
                         struct error *error)
{
    const struct space *space = search->task.job->context->space;
    struct text params = {0};
    point_format(&params, space, space->default_config, true);
    error_set(error, ERROR_WRONG,
              "%s: the kernel of %s %s: %s; correct the template or the space", space->file,
              params.at ? params.at : "", is_late ? "does not end" : "crashes", how);
    text_dispose(&params);
    return -1;
}

static void lose_race(struct race *race, const struct worker_slot *worker,
                      const struct decision *decision, bool was_killed, const char *how)
{
    race->is_lost = true;
    race->was_killed = was_killed;
    race->at = worker->at;
    race->status = decision->status;
    race->code = worker->last_code;
    trial_set_reason(race->reason, how);
}

static enum decide_work work_of(const struct search *search, size_t slot)
{
    const struct worker_slot *worker = &search->slots[slot];
    if (worker->state == WORKER_OPENING)
        return WORK_OPEN;
    if (worker->state != WORKER_BUSY || worker->is_dropped)
        return WORK_NONE;
    if (!measures(search, slot))
        return WORK_COMPILE;
    return worker->queued ? WORK_TRY : WORK_RACE;
}

static struct decision decide_loss(const struct search *search, size_t slot,
                                   const struct worker_pool_event *event)
{
    const struct worker_slot *worker = &search->slots[slot];
    const struct decide_loss loss = {.work = work_of(search, slot),
                                     .unit = worker->queued
                                                 ? queued_unit_variants(worker->queued)
                                                 : worker->unit,
                                     .at = worker->at,
                                     .was_ready = worker->was_ready || worker->is_kept,
                                     .failures = worker->failures,
                                     .has_other = has_other(search, slot),
                                     .is_late = event->kind == WORKER_POOL_LATE,
                                     .was_killed = event->was_killed,
                                     .is_racing = search->race.is_on,
                                     .candidates = points_of(search)->count,
                                     .forgiven = &search->forgiven};
    return decide_lost(&loss);
}

static int replace_worker(struct search *search, size_t slot, const struct decision *decision,
                          const char *how, struct error *error)
{
    if (decision->worker == RUN_ENDS)
        return error_set(error, ERROR_FAILED,
                         "a worker process was lost %d times before it was ready: %s; "
                         "correct the kernel of [default] in the template or the "
                         "space, or see 'autotune doctor'",
                         DECIDE_FAILURES, how);
    if (decision->worker == WORKER_DROPS) {
        search->slots[slot].state = WORKER_OFF;
        return 0;
    }
    search->task.result->restarts++;
    return start_worker(search, slot, error);
}

/* A worker has ended, or was too late: what was at fault is judged, its other work is done
 * again, and another takes its place. -1: no worker can go on. */
static int lose_worker(struct search *search, size_t slot,
                       const struct worker_pool_event *event, struct error *error)
{
    struct worker_slot *worker = &search->slots[slot];
    struct queued_unit *queued = worker->queued;
    char how[TRIAL_REASON], reason[TRIAL_REASON];
    const bool is_opening = worker->state == WORKER_OPENING;
    worker->failures += is_opening;
    const struct decision decision = decide_loss(search, slot, event);
    trial_set_reason(how, *worker->last_words ? worker->last_words : event->how);
    if (decision.worker == DEFAULT_FAULTY)
        return fault_default(search, how, event->kind == WORKER_POOL_LATE, error);
    snprintf(reason, sizeof reason, "%s%.180s",
             measures(search, slot) ? "" : "the compiler's process was lost: ", how);
    worker->queued = NULL;
    if (decision.loses_race)
        lose_race(&search->race, worker, &decision, event->was_killed, how);
    int failed =
        carry_out(search, &decision, queued, measures(search, slot) ? how : reason, error);
    if (decision.requeues && !failed)
        failed = queue_unit(search, queued, error);
    else
        queued_unit_free(queued);
    return failed ? -1 : replace_worker(search, slot, &decision, how, error);
}

/* Handles a message that cannot be, or not now. On the emulator a kernel runs in the worker's
 * own memory, and may have changed the message. */
static int distrust(struct search *search, size_t slot, struct error *error)
{
    const struct worker_pool_event event =
        {.kind = WORKER_POOL_LOST,
         .slot = slot,
         .how = "it sent what no worker sends: its memory was damaged"};
    search->task.ops->stop(search->task.workers, slot);
    return lose_worker(search, slot, &event, error);
}

/* --- Messages of compiling workers -------------------------------------------------------- */

static int keep_unit(struct search *search, const struct queued_unit *queued,
                     struct error *error)
{
    const int64_t *configs[COMPILER_UNIT];
    for (size_t i = 0; i < queued->unit.count; i++)
        configs[i] = config_of(search, queued->unit.variants[i].compiled.variant);
    return unit_cache_add(search->task.units, search->task.job, queued, configs, error) ||
                   keep_shadows(search, queued, error)
               ? -1
               : 0;
}

static int take_compiled(struct search *search, size_t slot, struct frame *frame,
                         struct error *error)
{
    struct queued_unit *queued =
        queued_unit_open(frame, &search->slots[slot].unit, points_of(search)->width, error);
    const bool is_dropped = search->slots[slot].is_dropped;
    free_worker(search, slot);
    if (!queued)
        return -1;
    const int failed = keep_unit(search, queued, error);
    if (!failed && !is_dropped)
        return enter_unit(search, queued, error);
    queued_unit_free(queued);
    return failed;
}

/* --- Messages of measuring workers -------------------------------------------------------- */

static void note_reference(struct search *search, struct worker_slot *worker, uint64_t ps)
{
    worker->references[worker->reference_count++ % REFERENCES] = ps;
    outcomes_reference(&search->outcomes, ps);
}

static int take_ready(struct search *search, size_t slot, const struct job_ready *ready)
{
    struct tune_result *result = search->task.result;
    struct worker_slot *worker = &search->slots[slot];
    free_worker(search, slot);
    worker->failures = 0;
    worker->was_ready = true;
    worker->ready = *ready;
    if (!measures(search, slot))
        return 0;
    note_reference(search, worker, ready->reference_ps);
    result->inputs = ready->inputs;
    result->calls = ready->calls;
    if (result->seconds_open == 0)
        result->seconds_open = seconds(search);
    return 0;
}

/* Takes a worker's fatal error. A template that is wrong ends the run, and so does what this
 * machine lacks, a compiler that is no more there, and the first worker of its role that cannot
 * serve before it is ready; any other error concerns one kernel, or passes. */
static int take_fatal(struct search *search, size_t slot, struct job_fatal *fatal,
                      struct error *error)
{
    struct worker_slot *worker = &search->slots[slot];
    fatal->text[sizeof fatal->text - 1] = '\0';
    if (fatal->code == ERROR_USAGE || fatal->code == ERROR_IO ||
        (fatal->code == ERROR_NO_DEVICE && !measures(search, slot)) ||
        (worker->state == WORKER_OPENING && !worker->was_ready && !worker->is_kept))
        return error_set_lines(error, fatal->code, "%s", fatal->text);
    worker->last_code = fatal->code;
    trial_set_reason(worker->last_words, fatal->text);
    return 0;
}

static int take_at(struct search *search, size_t slot, const struct job_at *at)
{
    const struct tune_job *job = search->task.job;
    struct worker_slot *worker = &search->slots[slot];
    /* The proofs of a finalist take their time, however short the search was to be. */
    const double budget_s =
        search->race.is_on && at->phase == PHASE_PROVE ? 0 : search->task.options->budget_s;
    const struct pace pace = {.is_host = job->info->target.is_host,
                              .is_opening = worker->state == WORKER_OPENING,
                              .n = dims_n(&job->context->problem->dims),
                              .race_s = search->task.options->race_s,
                              .budget_s = budget_s,
                              .ready = worker->ready};
    worker->at = *at;
    set_deadline(search, slot, deadline_s(&pace, at->phase));
    return 0;
}

/* The old code that races is out, for good. */
static void drop_old(struct search *search, const char *reason)
{
    trial_set_reason(search->task.result->old_reason, reason);
}

static int take_proven(struct search *search, struct worker_slot *worker,
                       struct job_proven *proven, struct error *error)
{
    struct queued_unit *queued = worker->queued;
    const struct decide_unit unit =
        queued ? queued_unit_variants(queued) : (struct decide_unit){.count = 0};
    const size_t i = queued ? queued_unit_find(queued, proven->variant) : 0;
    const struct decision decision =
        decide_proven(proven, queued ? &unit : NULL, points_of(search)->variant_count);
    proven->reason[TRIAL_REASON - 1] = '\0';
    search->task.result->proofs += proven->cases;
    if (proven->variant == JOB_OLD_CODE && !proven->is_right)
        drop_old(search, proven->reason);
    if (i < unit.count)
        queued->prove_us[i] = proven->prove_us;
    return carry_out(search, &decision, queued, proven->reason, error);
}

/* The reference's time now, smoothed over the last few. */
static uint64_t smooth_reference(const struct worker_slot *worker)
{
    uint64_t times[REFERENCES];
    const size_t count =
        worker->reference_count < REFERENCES ? worker->reference_count : REFERENCES;
    memcpy(times, worker->references, sizeof times);
    return count ? stats_median(times, count) : 0;
}

static int take_trial(struct search *search, size_t slot, struct job_trial *message,
                      struct error *error)
{
    const struct worker_slot *worker = &search->slots[slot];
    const struct queued_unit *queued = worker->queued;
    struct trial *trial = &message->trial;
    if (message->candidate == JOB_OLD_CODE && search->task.options->old) {
        trial->reason[TRIAL_REASON - 1] = '\0';
        drop_old(search, trial->reason);
        return 0;
    }
    if (!decide_is_trial(message, points_of(search)->count))
        return distrust(search, slot, error);
    const size_t variant = tune_result_variant(points_of(search), message->candidate);
    const size_t i = queued ? queued_unit_find(queued, variant) : 0;
    trial->reason[TRIAL_REASON - 1] = '\0';
    trial->reference_ps = smooth_reference(worker);
    if (queued && i < queued->unit.count) {
        trial->compile_us = queued->unit.compile_us / queued->unit.count;
        trial->prove_us = queued->prove_us[i];
    }
    outcomes_take(&search->outcomes, message->candidate, trial);
    return 0;
}

/* Ends a unit: candidates without a trial were left out, unless their variant is to be compiled
 * again. */
static int take_tried(struct search *search, size_t slot, const struct job_tried *tried)
{
    struct worker_slot *worker = &search->slots[slot];
    struct queued_unit *queued = worker->queued;
    note_reference(search, worker, tried->reference_ps);
    search->task.result->is_cut |= tried->is_cut;
    set_deadline(search, slot, 0);
    if (!queued)
        return 0;
    for (size_t i = 0; i < queued->unit.count; i++) {
        const struct job_variant *variant = &queued->unit.variants[i];
        if (!variant->compiled.is_failed && variant->count && is_proven(search, queued, i))
            outcomes_finish(&search->outcomes, variant->compiled.variant, tried->is_cut);
    }
    queued_unit_free(queued);
    worker->queued = NULL;
    worker->state = WORKER_IDLE;
    return 0;
}

/* The result of the race: the worker is idle again, `out` set to NULL. */
static int take_raced(struct search *search, size_t slot, struct frame *frame,
                      struct error *error)
{
    struct job_raced *out = search->race.out;
    if (job_read(frame, out, sizeof *out, error) ||
        !decide_is_race(out, points_of(search)->count))
        return distrust(search, slot, error);
    out->result.why[sizeof out->result.why - 1] = '\0';
    search->race.out = NULL;
    free_worker(search, slot);
    return 0;
}

static int take_message(struct search *search, size_t slot, struct frame *frame,
                        struct error *error)
{
    union job_told message;
    const enum decide_work work = work_of(search, slot);
    if (frame->kind == JOB_COMPILED && (work == WORK_COMPILE || search->slots[slot].is_dropped))
        return take_compiled(search, slot, frame, error);
    if (frame->kind == JOB_RACED && work == WORK_RACE && search->race.out)
        return take_raced(search, slot, frame, error);
    if (job_read_told(frame, &message, error))
        return distrust(search, slot, error);
    switch (frame->kind) {
    case JOB_READY: return take_ready(search, slot, &message.ready);
    case JOB_FATAL: return take_fatal(search, slot, &message.fatal, error);
    case JOB_AT: return take_at(search, slot, &message.at);
    case JOB_PROVEN: return take_proven(search, &search->slots[slot], &message.proven, error);
    case JOB_TRIAL: return take_trial(search, slot, &message.trial, error);
    default: return take_tried(search, slot, &message.tried);
    }
}

/* --- The loop ----------------------------------------------------------------------------- */

bool search_keeps_trials(const struct search *search)
{
    return search->task.options->journal &&
           search->task.result->journal_warning.code == ERROR_NONE;
}

/* ERROR_INTERRUPTED when the options say that it is time to stop. */
static int check_stop(const struct search *search, struct error *error)
{
    const struct tune_options *options = search->task.options;
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
                     options->journal ? search->task.result->journal_warning.text : "");
}

/* Between messages: syncs the journal to the disk, so that it survives a power failure. */
static void tick(struct search *search)
{
    const struct tune_options *options = search->task.options;
    const struct tune_progress *progress = &options->progress;
    struct error *warning = &search->task.result->journal_warning;
    if (monotonic_s() - search->last_sync > SYNC && options->journal) {
        search->last_sync = monotonic_s();
        if (warning->code == ERROR_NONE)
            journal_sync(options->journal, warning);
    }
    if (progress->show)
        progress->show(progress->context, search->outcomes.done, points_of(search)->count,
                       search->outcomes.best_ps);
}

/* One event of any worker. */
static int step(struct search *search, struct error *error)
{
    struct worker_pool_event event;
    int failed = 0;
    if (search->task.ops->wait(search->task.workers, &event, TICK, error))
        return -1;
    tick(search);
    if (event.slot >= search->slot_count) { /* kept from a run with more of them */
        frame_dispose(&event.frame);
    } else if (event.kind == WORKER_POOL_FRAME) {
        failed = take_message(search, event.slot, &event.frame, error);
        frame_dispose(&event.frame);
    } else if (event.kind == WORKER_POOL_LOST || event.kind == WORKER_POOL_LATE) {
        failed = lose_worker(search, event.slot, &event, error);
    }
    return failed;
}

/* Until no work is left. */
static int work_off(struct search *search, struct error *error)
{
    for (;;) {
        if (check_stop(search, error) || feed(search, error))
            return -1;
        if (is_over(search))
            return 0;
        if (step(search, error))
            return -1;
    }
}

int search_run(struct search *search, struct error *error)
{
    if (work_off(search, error))
        return -1;
    outcomes_settle(&search->outcomes);
    search->task.result->noise = outcomes_noise(&search->outcomes);
    return 0;
}

/* --- The race ----------------------------------------------------------------------------- */

static bool is_entrant(const struct search *search, size_t variant)
{
    bool is_listed = queued_units_has(&search->queue, variant);
    for (size_t k = 0; k < search->retry_count; k++)
        is_listed |= search->retries[k].variants[0] == variant;
    return is_listed;
}

/* Queues a variant for the race, or has it compiled, unless that is done. */
static int enter_variant(struct search *search, size_t variant, struct error *error)
{
    const struct decide_unit alone = {.variants = {variant}, .count = 1};
    struct unit_place place;
    if (is_entrant(search, variant))
        return 0;
    if (unit_cache_find(&place, search->task.units, search->task.job,
                        config_of(search, variant), error))
        return -1;
    if (!place.unit)
        return retry_alone(search, &alone, error);
    struct queued_unit *queued = queued_unit_share(place.unit, &place.at, &alone, error);
    return queued ? enter_unit(search, queued, error) : -1;
}

/* Makes a unit of the variant of each of these candidates, compiled before or now, and keeps them. A
 * variant that does not compile any more is judged on the way. */
static int compile_entrants(struct search *search, const size_t *candidates, size_t count,
                            struct error *error)
{
    search->race.is_on = true;
    search->next = points_of(search)->variant_count;
    queued_units_dispose(&search->queue);
    for (size_t i = 0; i < count; i++)
        if (enter_variant(search, tune_result_variant(points_of(search), candidates[i]), error))
            return -1;
    return work_off(search, error);
}

/* The entrants listed so far, by code and launches. */
struct listed {
    const struct search *search;
    struct trials_index seen;
};

/* An entrant races unless another runs the very same. */
static int is_new(void *context, size_t candidate, uint64_t code_hash, struct error *error)
{
    struct listed *listed = context;
    const struct search_task *task = &listed->search->task;
    uint64_t identity, other;
    if (trials_identity(&identity, task->job->context,
                        tune_result_config(task->result, candidate), code_hash, error))
        return -1;
    const int seen = trials_index_add(&listed->seen, identity, candidate, &other, error);
    return seen < 0 ? -1 : !seen;
}

/* Lists the units that take part: those of `candidates` that compiled. */
static int list_entrants(struct search *search, const size_t *candidates, size_t count,
                         struct job_race *race, struct error *error)
{
    struct listed listed = {.search = search};
    int failed = 0;
    for (struct queued_unit *p = search->queue.first; p && !failed; p = p->next) {
        struct job_variant *variant = &p->unit.variants[0];
        if (variant->compiled.is_failed)
            continue;
        failed = queued_unit_list(p, 0, points_of(search), candidates, count, is_new, &listed,
                                  error);
        variant->is_proven = is_proven(search, p, 0);
        if (variant->count)
            race->units[race->count++] = p->unit;
    }
    trials_index_dispose(&listed.seen);
    return failed;
}

/* Adds the old code of the first config, unless it dropped out before. */
static void add_old(struct search *search, const int64_t *config, struct job_race *race)
{
    static const uint64_t id = JOB_OLD_CODE;
    const struct tune_old_code *old = search->task.options->old;
    if (!old || *search->task.result->old_reason)
        return;
    race->units[race->count++] = (struct job_unit){.image = old->image,
                                                   .variants[0] = {.compiled = old->compiled,
                                                                   .count = 1,
                                                                   .ids = &id,
                                                                   .configs = config},
                                                   .count = 1};
    race->units[race->count - 1].variants[0].compiled.variant = JOB_OLD_CODE;
}

static int send_race(struct search *search, size_t slot, const size_t *candidates, size_t count,
                     struct error *error)
{
    struct job_race race = {.units = calloc(search->queue.count + 2, sizeof *race.units),
                            .seconds = search->task.options->race_s,
                            .check_s = search->task.options->check_s,
                            .is_comparison = search->task.options->is_comparison,
                            .keeps_all = search->task.options->keeps_all,
                            .kept_count = search->task.options->config_count};
    struct frame frame = {.kind = JOB_RACE};
    if (!race.units)
        return error_memory(error, search->queue.count * sizeof *race.units);
    for (size_t k = 0; k < race.kept_count; k++)
        race.kept[k] = shortlist_asked(search->task.result, search->task.options, k);
    int failed = list_entrants(search, candidates, count, &race, error);
    if (!failed)
        add_old(search, search->task.options->configs, &race);
    failed = failed || job_code_race(&frame, &race, points_of(search)->width, false, error) ||
             send_work(search, slot, &frame, DEADLINE_LOAD_S, error);
    frame_dispose(&frame);
    free(race.units);
    return failed;
}

/* Sends the race when its worker is idle, and takes events until it is over or lost. */
static int run_race(struct search *search, const size_t *candidates, size_t count,
                    struct job_raced *out, struct error *error)
{
    bool is_sent = false;
    search->race.is_lost = false;
    search->race.out = out;
    while (search->race.out && !search->race.is_lost) {
        const size_t slot = first_measurer(search);
        if (check_stop(search, error))
            return -1;
        if (!is_sent && search->slots[slot].state == WORKER_IDLE) {
            if (send_race(search, slot, candidates, count, error))
                return -1;
            is_sent = true;
        }
        if (step(search, error))
            return -1;
    }
    search->race.out = NULL;
    return 0;
}

/* Judges the entrants that the lost worker had announced; none when it was killed, since a kill
 * from outside says nothing about a kernel. A loss without one is forgiven once. */
static int judge_loss(struct search *search, const size_t *candidates, size_t count,
                      struct error *error)
{
    struct race *race = &search->race;
    bool is_any = false;
    if (!race->was_killed && decide_is_announced(&race->at, JOB_OLD_CODE, JOB_OLD_CODE)) {
        drop_old(search, race->reason);
        return 0;
    }
    for (size_t i = 0; i < count && !race->was_killed; i++) {
        const size_t variant = tune_result_variant(points_of(search), candidates[i]);
        if (!decide_is_announced(&race->at, candidates[i], variant))
            continue;
        outcomes_judge(&search->outcomes, candidates[i], race->status, race->reason);
        is_any = true;
    }
    if (is_any)
        return 0;
    if (race->code == ERROR_WRONG) /* the default itself */
        return error_set_lines(error, ERROR_WRONG, "%s", race->reason);
    if (++race->forgiven == 1)
        return 0;
    return error_set_lines(
        error, ERROR_FAILED,
        "the race of the finalists was lost twice: %s; what was measured is kept: end what "
        "else uses this device and run the same command again",
        race->reason);
}

int search_race(struct search *search, const size_t *candidates, size_t count,
                struct job_raced *out, struct error *error)
{
    const size_t *measured = &search->task.result->counts[TRIAL_MEASURED], before = *measured;
    if (compile_entrants(search, candidates, count, error))
        return -1;
    if (*measured < before)
        return 0;
    if (run_race(search, candidates, count, out, error))
        return -1;
    if (!search->race.is_lost)
        return 1;
    return judge_loss(search, candidates, count, error);
}
