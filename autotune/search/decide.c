/* decide: attributes losses. A worker announces each step before it takes
 * it, so its last announcement names the cause. */
#include "autotune/search/decide.h"

#include <assert.h>

/* --- Losses ------------------------------------------------------------------------------- */

uint64_t decide_key(uint64_t variant)
{
    return variant + 1;
}

static bool is_forgiven(const struct decide_loss *loss, uint64_t variant)
{
    return loss->was_killed && !trials_index_find(loss->forgiven, decide_key(variant));
}

/* The default's kernel is at fault where it ends the worker at its first run, or does not end.
 * Otherwise a worker that cannot be opened is given up, while there is another. */
static void lose_opening(struct decision *out, const struct decide_loss *loss)
{
    const bool runs = loss->at.phase == PHASE_PROVE || loss->at.phase == PHASE_MEASURE;
    if (runs && !loss->was_ready && !loss->was_killed)
        out->worker = DEFAULT_FAULTY;
    else if (loss->failures >= DECIDE_FAILURES)
        out->worker = loss->has_other ? WORKER_DROPS : RUN_ENDS;
}

static void lose_compiling(struct decision *out, const struct decide_loss *loss)
{
    out->variant = loss->unit.variants[0];
    out->forgives = loss->unit.count == 1 && is_forgiven(loss, out->variant);
    if (loss->unit.count > 1 || out->forgives) {
        out->retry = loss->unit;
        return;
    }
    out->judge = JUDGE_VARIANT;
    if (loss->is_racing) /* it was measured, and the next run may measure it again */
        out->status = TRIAL_FAILED;
}

static bool has_variant(const struct decide_unit *unit, uint64_t variant)
{
    size_t i = 0;
    while (i < unit->count && unit->variants[i] != variant)
        i++;
    return i < unit->count;
}

static void lose_trying(struct decision *out, const struct decide_loss *loss)
{
    if (loss->at.phase == PHASE_LOAD && loss->unit.count > 1) {
        out->retry = loss->unit;
        return;
    }
    out->variant =
        has_variant(&loss->unit, loss->at.variant) ? loss->at.variant : loss->unit.variants[0];
    out->candidate = loss->at.candidate;
    out->forgives = is_forgiven(loss, out->variant);
    out->requeues = true;
    if (!out->forgives)
        out->judge = out->candidate < loss->candidates ? JUDGE_CANDIDATE : JUDGE_VARIANT;
}

struct decision decide_lost(const struct decide_loss *loss)
{
    struct decision out = {.worker = WORKER_RESTARTS,
                           .status = loss->is_late ? TRIAL_HUNG : TRIAL_CRASHED};
    assert(loss->unit.count || (loss->work != WORK_COMPILE && loss->work != WORK_TRY));
    switch (loss->work) {
    case WORK_OPEN: lose_opening(&out, loss); break;
    case WORK_COMPILE: lose_compiling(&out, loss); break;
    case WORK_TRY: lose_trying(&out, loss); break;
    case WORK_RACE: out.loses_race = true; break;
    case WORK_NONE: break;
    }
    return out;
}

bool decide_is_announced(const struct job_at *at, uint64_t candidate, uint64_t variant)
{
    return at->candidate == candidate ||
           (at->candidate == JOB_NO_CANDIDATE && at->variant == variant);
}

/* --- Proofs ------------------------------------------------------------------------------- */

struct decision decide_proven(const struct job_proven *proven, const struct decide_unit *unit,
                              size_t variants)
{
    struct decision out = {.variant = proven->variant, .status = TRIAL_WRONG};
    if (!unit) {
        out.judge =
            !proven->is_right && proven->variant < variants ? JUDGE_VARIANT : JUDGE_NONE;
    } else if (!has_variant(unit, proven->variant)) {
        return out; /* of a unit that is over */
    } else if (proven->is_right) {
        out.trusts = true;
    } else if (!proven->has_run && unit->count > 1) {
        out.retry = (struct decide_unit){.variants = {(size_t)proven->variant}, .count = 1};
    } else {
        out.judge = JUDGE_VARIANT;
        out.status = proven->has_run ? TRIAL_WRONG : TRIAL_FAILED;
    }
    return out;
}

/* --- Messages ----------------------------------------------------------------------------- */

bool decide_is_trial(const struct job_trial *trial, size_t candidates)
{
    return trial->candidate < candidates && trial->trial.status < TRIAL_STATUSES &&
           trial->trial.time_count <= TRIAL_SAMPLES;
}

bool decide_is_race(const struct job_raced *raced, size_t candidates)
{
    const struct race_result *race = &raced->result;
    if (raced->count == 0 || raced->count > RACE_ENTRANTS_MAX || race->count == 0 ||
        raced->checked > JOB_CHECKED || race->count > raced->count ||
        raced->entrants[0].candidate != JOB_NO_CANDIDATE)
        return false;
    for (size_t i = 1; i < raced->count; i++)
        if (raced->entrants[i].candidate >= candidates &&
            raced->entrants[i].candidate != JOB_OLD_CODE)
            return false;
    for (size_t i = 0; i < race->count; i++)
        if (race->places[i].entrant >= raced->count)
            return false;
    return true;
}
