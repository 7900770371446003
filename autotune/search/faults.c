/* faults: attributes the loss of a worker. A worker announces each step before it takes it, so
 * its last announcement names the cause. Neither a kill from outside nor a share in the same
 * unit makes a kernel faulty. */
#include "autotune/search/faults.h"

#include "autotune/search/queued_unit.h"
#include "autotune/search/replies.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { FAILURES_MAX = 3 }; /* times in a row that a worker may be lost before it is ready */

/* A kill from outside, as when memory is short, may have nothing to do with the kernel: it is
 * forgiven once for each variant. 1 = forgiven. */
static int forgive(struct search *search, uint64_t variant,
                   const struct worker_pool_event *event, struct error *error)
{
    uint64_t ignored;
    if (!event->was_killed)
        return 0;
    const int known = trials_index_add(&search->forgiven, variant + 1, 0, &ignored, error);
    return known < 0 ? -1 : !known;
}

static void judge_failing(struct search *search, const struct job_at *at, uint64_t variant,
                          enum trial_status status, const char *how)
{
    struct job_trial trial = {.candidate = at->candidate, .status = status};
    if (at->candidate >= search->result->points.count) {
        replies_judge_variant(search, (size_t)variant, status, how);
        return;
    }
    snprintf(trial.reason, sizeof trial.reason, "%.230s", how);
    replies_judge(search, &trial);
}

/* Records the fault: of the candidate last announced, or of the variant; while a unit of
 * several is loaded, of none yet: each variant is compiled again alone. The other candidates
 * are queued again. */
static int fault_tried(struct search *search, struct search_worker *worker,
                       enum trial_status status, const char *how,
                       const struct worker_pool_event *event, struct error *error)
{
    struct queued_unit *queued = worker->queued;
    const struct job_at *at = &worker->at;
    struct search_unit all = {.count = 0};
    for (size_t i = 0; i < queued->unit.count; i++)
        all.variants[all.count++] = queued->unit.variants[i].compiled.variant;
    worker->queued = NULL;
    if (at->phase == PHASE_LOAD && all.count > 1) {
        queued_unit_free(queued);
        return search_retry_alone(search, &all, error);
    }
    const size_t found = queued_unit_find(queued, at->variant);
    const uint64_t failing = all.variants[found < all.count ? found : 0];
    const int forgiven = forgive(search, failing, event, error);
    if (forgiven == 0)
        judge_failing(search, at, failing, status, how);
    if (forgiven >= 0)
        return queued_unit_add(search, queued, error);
    queued_unit_free(queued);
    return -1;
}

static int fault_compiled(struct search *search, struct search_worker *worker,
                          enum trial_status status, const char *how,
                          const struct worker_pool_event *event, struct error *error)
{
    char reason[JOB_REASON];
    const int forgiven =
        worker->unit.count > 1 ? 1 : forgive(search, worker->unit.variants[0], event, error);
    if (forgiven)
        return forgiven < 0 ? -1 : search_retry_alone(search, &worker->unit, error);
    snprintf(reason, sizeof reason, "the compiler's process was lost: %.180s", how);
    replies_judge_variant(search, worker->unit.variants[0], status, reason);
    if (search->keeps_units)
        replies_withdraw(search, worker->unit.variants[0], TRIAL_FAILED, reason);
    return 0;
}

/* Gives up a worker that cannot be opened again, while there is another. */
static int give_up(struct search *search, size_t slot, const char *how, struct error *error)
{
    search->workers[slot].state = WORKER_OFF;
    if (search_has_other(search, slot))
        return 0;
    return error_set(error, ERROR_FAILED,
                     "a worker process was lost %d times before it was ready: %s; "
                     "correct the kernel of [default] in the template or the "
                     "space, or see 'autotune doctor'",
                     FAILURES_MAX, how);
}

/* Did the default's kernel, at its first run, end the worker or not end itself? */
static bool is_default_failing(const struct search_worker *worker,
                               const struct worker_pool_event *event)
{
    return worker->state == WORKER_OPENING && !worker->was_ready && !event->was_killed &&
           (worker->at.phase == PHASE_PROVE || worker->at.phase == PHASE_MEASURE);
}

static int fault_default(const struct search *search, const char *how,
                         const struct worker_pool_event *event, struct error *error)
{
    const struct space *space = search->job->context->space;
    const bool is_endless = event->kind == WORKER_POOL_LATE || strstr(how, strsignal(SIGPROF));
    struct text params = {0};
    point_format(&params, space, space->default_config, true);
    error_set(error, ERROR_WRONG,
              "%s: the kernel of %s %s: %s; correct the template or the space", space->file,
              params.at ? params.at : "", is_endless ? "does not end" : "crashes", how);
    text_dispose(&params);
    return -1;
}

static int fault(struct search *search, size_t slot, const char *how,
                 const struct worker_pool_event *event, struct error *error)
{
    struct search_worker *worker = &search->workers[slot];
    const enum trial_status status =
        event->kind == WORKER_POOL_LATE ? TRIAL_HUNG : TRIAL_CRASHED;
    if (!search_measures(search, slot))
        return fault_compiled(search, worker, status, how, event, error);
    if (worker->queued)
        return fault_tried(search, worker, status, how, event, error);
    search->lost = (struct search_lost){.is_lost = true,
                                        .was_killed = event->was_killed,
                                        .at = worker->at,
                                        .trial = {.status = status},
                                        .code = worker->last_code};
    snprintf(search->lost.trial.reason, sizeof search->lost.trial.reason, "%.230s", how);
    return 0;
}

int faults_lost(struct search *search, size_t slot, const struct worker_pool_event *event,
                struct error *error)
{
    struct search_worker *worker = &search->workers[slot];
    char how[JOB_REASON];
    snprintf(how, sizeof how, "%.230s", *worker->last_words ? worker->last_words : event->how);
    if (is_default_failing(worker, event))
        return fault_default(search, how, event, error);
    if (worker->state == WORKER_OPENING && ++worker->failures == FAILURES_MAX)
        return give_up(search, slot, how, error);
    if (worker->state == WORKER_BUSY && fault(search, slot, how, event, error))
        return -1;
    search->result->restarts++;
    return search_start(search, slot, error);
}
