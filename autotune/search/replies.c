/* replies: handles the messages of workers. Deadlines of kernels are multiples of the default
 * kernel's times: a kernel may be slow, not endless. */
#include "autotune/search/replies.h"

#include "autotune/measure/stats.h"
#include "autotune/search/faults.h"
#include "autotune/search/queued_unit.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Seconds after which a worker is given up; the latter two on top of a multiple of the
 * default's time. */
static const double PROVE_LIMIT = 5, PROVE_TIMES = 50;
static const double MEASURE_LIMIT = 3, MEASURE_TIMES = 1000;
static const double RACE_LIMIT = 30, RACE_TIMES = 4;
/* For the default's proofs: far more than any take, and more again for each element of the
 * problem. */
static const double DEFAULT_LIMIT = 20, ELEMENT_LIMIT = 1e-8;
static const double DEFAULT_LIMIT_HOST = 180, ELEMENT_LIMIT_HOST = 1e-6;

/* --- Judging ------------------------------------------------------------------------------ */

static void record(struct search *search, const struct job_trial *trial,
                   const struct queued_unit *queued)
{
    const size_t variant = trials_find_variant(&search->result->points, trial->candidate);
    const size_t i = queued ? queued_unit_find(queued, variant) : 0;
    struct trials_cost cost = {.sources_hash = search->hashes[variant],
                               .prior = search->prior[trial->candidate]};
    if (queued && i < queued->unit.count) {
        cost.compile_us = queued->unit.compile_us / queued->unit.count;
        cost.prove_us = queued->prove_us[i];
    }
    /* A failed candidate is tried again by the next run: it may have failed for want of
     * memory. */
    if (cost.sources_hash && trial->status != TRIAL_FAILED)
        trials_record(search->result, search->job, search->options->journal, trial, &cost);
}

void replies_judge(struct search *search, const struct job_trial *trial)
{
    trials_judge(search->result, trial->candidate, trial->status, trial->reason);
    search->done++;
    record(search, trial, NULL);
}

/* Judges each candidate of a variant that is not yet judged, or again each that was measured.
 * True when there was any. */
static bool judge_all(struct search *search, size_t variant, enum trial_status status,
                      const char *reason, bool is_again)
{
    assert(variant < search->result->points.variant_count);
    const struct point_variant *v = &search->result->points.variants[variant];
    struct job_trial trial = {.status = status};
    bool is_any = false;
    snprintf(trial.reason, sizeof trial.reason, "%.230s", reason);
    for (size_t i = v->first; i < v->first + v->count; i++) {
        const struct trial *known = &search->result->trials[i];
        if (is_again ? !known->is_judged || known->status != TRIAL_MEASURED : known->is_judged)
            continue;
        trial.candidate = i;
        replies_judge(search, &trial);
        is_any = true;
    }
    return is_any;
}

void replies_judge_variant(struct search *search, size_t variant, enum trial_status status,
                           const char *reason)
{
    judge_all(search, variant, status, reason, false);
}

void replies_leave_out(struct search *search, size_t variant)
{
    if (judge_all(search, variant, TRIAL_LEFT_OUT, "", false) &&
        search->result->left_out_error <= 0)
        search->result->left_out_error = search->limit_error;
}

void replies_withdraw(struct search *search, size_t variant, enum trial_status status,
                      const char *reason)
{
    judge_all(search, variant, status, reason, true);
}

/* --- Compiled units ----------------------------------------------------------------------- */

int replies_compiled(struct search *search, size_t slot, struct frame *frame,
                     struct error *error)
{
    assert(!search_measures(search, slot));
    struct search_worker *worker = &search->workers[slot];
    struct queued_unit *queued = queued_unit_open(search, frame, &worker->unit, error);
    worker->state = WORKER_IDLE;
    search->ops->set_deadline(search->pool, slot, 0);
    if (!queued)
        return -1;
    for (size_t i = 0; i < queued->unit.count; i++) {
        const struct compiled_variant *compiled = &queued->unit.variants[i].compiled;
        search->hashes[compiled->variant] = compiled->sources_hash;
        if (!compiled->is_failed)
            continue;
        replies_judge_variant(search, compiled->variant, TRIAL_FAILED, compiled->reason.text);
        if (search->keeps_units)
            replies_withdraw(search, compiled->variant, TRIAL_FAILED, compiled->reason.text);
    }
    return queued_unit_add(search, queued, error);
}

/* --- Proofs and trials -------------------------------------------------------------------- */

static int take_proven(struct search *search, struct search_worker *worker,
                       const struct job_proven *proven, struct error *error)
{
    struct queued_unit *queued = worker->queued;
    uint64_t ignored;
    search->result->proofs += proven->cases;
    if (!queued) { /* in the race */
        if (!proven->is_right && proven->variant < search->result->points.variant_count)
            replies_withdraw(search, (size_t)proven->variant, TRIAL_WRONG, proven->reason);
        return 0;
    }
    const size_t i = queued_unit_find(queued, proven->variant);
    if (i == queued->unit.count)
        return 0;
    queued->prove_us[i] = proven->prove_us;
    if (proven->is_right)
        return trials_index_add(&search->proven, queued_unit_hash(queued, i), 1, &ignored,
                                error) < 0;
    const struct search_unit alone = {.variants = {(size_t)proven->variant}, .count = 1};
    if (!proven->is_loaded && queued->unit.count > 1)
        return search_retry_alone(search, &alone, error);
    replies_judge_variant(search, (size_t)proven->variant,
                          proven->is_loaded ? TRIAL_WRONG : TRIAL_FAILED, proven->reason);
    return 0;
}

/* The reference's time now, smoothed over the last few. */
static uint64_t smooth_reference(const struct search_worker *worker)
{
    uint64_t times[SEARCH_REFERENCES];
    const size_t count = worker->reference_count < SEARCH_REFERENCES ? worker->reference_count
                                                                     : SEARCH_REFERENCES;
    memcpy(times, worker->references, sizeof times);
    return count ? stats_median(times, count) : 0;
}

static void note_reference(struct search *search, struct search_worker *worker, uint64_t ps)
{
    enum { KEPT = sizeof search->references / sizeof *search->references };
    worker->references[worker->reference_count++ % SEARCH_REFERENCES] = ps;
    search->references[search->reference_count++ % KEPT] = ps;
    if (!search->result->reference_ps)
        search->result->reference_ps = ps;
}

static void take_trial(struct search *search, const struct search_worker *worker,
                       struct job_trial *trial)
{
    const struct trial *kept = &search->result->trials[trial->candidate];
    trial->reason[JOB_REASON - 1] = '\0';
    trial->reference_ps = smooth_reference(worker);
    trials_take(search->result, trial);
    record(search, trial, worker->queued);
    search->done++;
    if (kept->status == TRIAL_MEASURED && (!search->best_ps || kept->time_ps < search->best_ps))
        search->best_ps = kept->time_ps;
}

/* Learns from a variant that was tried whole: the time of its first candidate, and its best. */
static void learn(struct search *search, size_t variant)
{
    const struct tune_result *result = search->result;
    const struct point_variant *v = &result->points.variants[variant];
    const size_t *order = search->order->candidates + v->first;
    uint64_t best_ps = UINT64_MAX;
    if (v->count < 2 || !search->order->is_whole[variant])
        return;
    for (size_t i = 0; i < v->count; i++) {
        const struct trial *trial = &result->trials[order[i]];
        if (!trial->is_judged || trial->status != TRIAL_MEASURED)
            return;
        best_ps = trial->time_ps < best_ps ? trial->time_ps : best_ps;
    }
    strategy_learn(&search->rule, result->trials[order[0]].time_ps, best_ps);
}

void replies_learn(struct search *search)
{
    for (size_t v = 0; v < search->result->points.variant_count; v++)
        learn(search, v);
}

/* Ends a unit: candidates without a trial were left out, unless their variant is to be compiled
 * again. */
static void finish_unit(struct search *search, struct search_worker *worker, bool is_cut)
{
    struct queued_unit *queued = worker->queued;
    for (size_t i = 0; i < queued->unit.count; i++) {
        const struct job_variant *variant = &queued->unit.variants[i];
        if (variant->compiled.is_failed ||
            !trials_index_find(&search->proven, queued_unit_hash(queued, i)))
            continue;
        if (variant->count)
            learn(search, variant->compiled.variant);
        if (variant->count && !is_cut)
            replies_leave_out(search, variant->compiled.variant);
    }
    queued_unit_free(queued);
    worker->queued = NULL;
    worker->state = WORKER_IDLE;
}

/* --- Messages ----------------------------------------------------------------------------- */

/* The default's deadlines: there is nothing yet to compare it with. */
static double limit_of_default(const struct search *search, enum job_phase phase)
{
    const double n = (double)dims_n(&search->job->context->problem->dims);
    const bool is_host = search->job->info->target.is_host;
    if (phase == PHASE_LOAD)
        return SEARCH_OPEN_S;
    return is_host ? DEFAULT_LIMIT_HOST + n * ELEMENT_LIMIT_HOST
                   : DEFAULT_LIMIT + n * ELEMENT_LIMIT;
}

static double limit_at(const struct search *search, const struct search_worker *worker)
{
    if (worker->state == WORKER_OPENING)
        return limit_of_default(search, worker->at.phase);
    const double call =
        (double)worker->ready.reference_ps * 1e-12 * (double)worker->ready.calls;
    switch (worker->at.phase) {
    case PHASE_PROVE:
        return PROVE_LIMIT + PROVE_TIMES * worker->ready.prove_s + MEASURE_TIMES * call;
    case PHASE_MEASURE: return MEASURE_LIMIT + MEASURE_TIMES * call;
    case PHASE_RACE:
        return RACE_LIMIT + RACE_TIMES * search->options->race_s + MEASURE_TIMES * call;
    default: return SEARCH_LOAD_S;
    }
}

static int take_ready(struct search *search, size_t slot, const struct job_ready *ready)
{
    struct search_worker *worker = &search->workers[slot];
    worker->state = WORKER_IDLE;
    worker->failures = 0;
    worker->was_ready = true;
    worker->ready = *ready;
    search->ops->set_deadline(search->pool, slot, 0);
    if (!search_measures(search, slot))
        return 0;
    note_reference(search, worker, ready->reference_ps);
    search->result->inputs = ready->inputs;
    search->result->calls = ready->calls;
    if (search->result->seconds_open == 0)
        search->result->seconds_open = search_seconds(search);
    return 0;
}

/* Takes a worker's fatal error. A template that is wrong ends the run, and so does the first
 * worker of its role that cannot serve before it is ready; any other error concerns one kernel,
 * or passes. */
static int take_fatal(struct search *search, size_t slot, struct job_fatal *fatal,
                      struct error *error)
{
    struct search_worker *worker = &search->workers[slot];
    fatal->text[sizeof fatal->text - 1] = '\0';
    if (fatal->code == ERROR_USAGE || (worker->state == WORKER_OPENING && !worker->was_ready))
        return error_set(error, fatal->code, "%s", fatal->text);
    worker->last_code = fatal->code;
    snprintf(worker->last_words, sizeof worker->last_words, "%.230s", fatal->text);
    return 0;
}

static int take_tried(struct search *search, size_t slot, const struct job_tried *tried)
{
    struct search_worker *worker = &search->workers[slot];
    note_reference(search, worker, tried->reference_ps);
    search->ops->set_deadline(search->pool, slot, 0);
    search->result->is_cut |= tried->is_cut;
    if (worker->queued)
        finish_unit(search, worker, tried->is_cut);
    return 0;
}

static int take_at(struct search *search, size_t slot, const struct job_at *at)
{
    struct search_worker *worker = &search->workers[slot];
    worker->at = *at;
    search->ops->set_deadline(search->pool, slot, limit_at(search, worker));
    return 0;
}

static bool is_possible(const struct search *search, const struct job_trial *trial)
{
    return trial->candidate < search->result->points.count && trial->status < TRIAL_STATUSES &&
           trial->time_count <= JOB_SAMPLES;
}

/* Handles a message that cannot be read. On the emulator a kernel runs in the worker's own
 * memory, and may have changed the message. */
static int distrust(struct search *search, size_t slot, struct error *error)
{
    const struct worker_pool_event event =
        {.kind = WORKER_POOL_LOST,
         .slot = slot,
         .how = "it sent what no worker sends: its memory was damaged"};
    search->ops->stop(search->pool, slot);
    return faults_lost(search, slot, &event, error);
}

int replies_message(struct search *search, size_t slot, struct frame *frame,
                    struct error *error)
{
    assert(slot < search->worker_count);
    union job_told message;
    if (job_read_told(frame, &message, error))
        return distrust(search, slot, error);
    switch (frame->kind) {
    case JOB_READY: return take_ready(search, slot, &message.ready);
    case JOB_FATAL: return take_fatal(search, slot, &message.fatal, error);
    case JOB_AT: return take_at(search, slot, &message.at);
    case JOB_PROVEN: return take_proven(search, &search->workers[slot], &message.proven, error);
    case JOB_TRIAL:
        if (!is_possible(search, &message.trial))
            return distrust(search, slot, error);
        take_trial(search, &search->workers[slot], &message.trial);
        return 0;
    default: return take_tried(search, slot, &message.tried);
    }
}

/* --- The race's result -------------------------------------------------------------------- */

static bool is_result(const struct search *search, const struct job_raced *raced)
{
    const struct race_result *race = &raced->result;
    if (raced->count == 0 || raced->count > RACE_ENTRANTS_MAX || race->count == 0 ||
        race->count > raced->count || raced->entrants[0].candidate != JOB_NO_CANDIDATE)
        return false;
    for (size_t i = 1; i < raced->count; i++)
        if (raced->entrants[i].candidate >= search->result->points.count)
            return false;
    for (size_t i = 0; i < race->count; i++)
        if (race->places[i].entrant >= raced->count)
            return false;
    return true;
}

int replies_raced(struct search *search, size_t slot, struct frame *frame,
                  struct job_raced *out, struct error *error)
{
    assert(search_measures(search, slot));
    if (job_read(frame, out, sizeof *out, error) || !is_result(search, out))
        return distrust(search, slot, error);
    out->result.why[sizeof out->result.why - 1] = '\0';
    search->workers[slot].state = WORKER_IDLE;
    search->ops->set_deadline(search->pool, slot, 0);
    return 1;
}

/* --- The end ------------------------------------------------------------------------------ */

void replies_settle(struct search *search)
{
    const struct tune_result *result = search->result;
    trials_settle(search->result);
    for (size_t i = 0; i < result->points.count; i++) {
        const struct trial *trial = &result->trials[i];
        if (!trial->is_judged || trial->status != TRIAL_EQUAL)
            continue;
        const struct job_trial line = {.candidate = i,
                                       .status = TRIAL_EQUAL,
                                       .time_count = 1,
                                       .times_ps = {trial->score},
                                       .reference_ps = result->reference_ps,
                                       .registers = trial->registers};
        record(search, &line, NULL);
    }
}
