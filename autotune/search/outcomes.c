/* outcomes: changes the trials of a run. A failed candidate is not recorded: the next run tries
 * it again, for it may have failed for want of memory. */
#include "autotune/search/outcomes.h"

#include "autotune/measure/stats.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct point_variant *find_variant(const struct outcomes *outcomes, size_t variant)
{
    assert(variant < outcomes->result->points.variant_count);
    return &outcomes->result->points.variants[variant];
}

static bool is_measured(const struct tune_trial *trial)
{
    return trial->is_judged && trial->status == TRIAL_MEASURED;
}

/* --- Judging ------------------------------------------------------------------------------ */

static void record(struct outcomes *outcomes, size_t candidate, const struct trial *trial)
{
    const size_t variant = tune_result_variant(&outcomes->result->points, candidate);
    const uint64_t hash = outcomes->hashes[variant];
    if (hash && trial->status != TRIAL_FAILED)
        trials_record(outcomes->result, outcomes->job, outcomes->options->journal, candidate,
                      trial, hash, outcomes->prior[candidate]);
}

void outcomes_judge(struct outcomes *outcomes, size_t candidate, enum trial_status status,
                    const char *reason)
{
    struct trial trial = {.status = status};
    trial_set_reason(trial.reason, reason);
    trials_judge(outcomes->result, candidate, status, trial.reason);
    outcomes->done++;
    record(outcomes, candidate, &trial);
}

bool outcomes_judge_variant(struct outcomes *outcomes, size_t variant, enum trial_status status,
                            const char *reason, bool withdraws)
{
    const struct point_variant *v = find_variant(outcomes, variant);
    bool is_any = false;
    for (size_t i = v->first; i < v->first + v->count; i++) {
        const struct tune_trial *known = &outcomes->result->trials[i];
        if (known->is_judged && !(withdraws && is_measured(known)))
            continue;
        outcomes_judge(outcomes, i, status, reason);
        is_any = true;
    }
    return is_any;
}

void outcomes_compiled(struct outcomes *outcomes, size_t variant, uint64_t sources_hash)
{
    assert(variant < outcomes->result->points.variant_count);
    outcomes->hashes[variant] = sources_hash;
}

void outcomes_take(struct outcomes *outcomes, size_t candidate, const struct trial *trial)
{
    const struct tune_trial *kept = &outcomes->result->trials[candidate];
    trials_take(outcomes->result, candidate, trial);
    record(outcomes, candidate, trial);
    outcomes->done++;
    if (kept->status == TRIAL_MEASURED &&
        (!outcomes->best_ps || kept->time_ps < outcomes->best_ps))
        outcomes->best_ps = kept->time_ps;
}

/* --- Leaving out -------------------------------------------------------------------------- */

/* Learns from a variant that was tried whole: the time of its first candidate, and its best. */
static void learn(struct outcomes *outcomes, size_t variant)
{
    const struct tune_trial *trials = outcomes->result->trials;
    const struct point_variant *v = find_variant(outcomes, variant);
    const size_t *order = outcomes->order->candidates + v->first;
    uint64_t best_ps = UINT64_MAX;
    if (v->count < 2 || !outcomes->order->is_whole[variant])
        return;
    for (size_t i = 0; i < v->count; i++) {
        const struct tune_trial *trial = &trials[order[i]];
        if (!is_measured(trial))
            return;
        best_ps = trial->time_ps < best_ps ? trial->time_ps : best_ps;
    }
    strategy_learn(&outcomes->rule, trials[order[0]].time_ps, best_ps);
}

static void leave_out(struct outcomes *outcomes, size_t variant)
{
    if (outcomes_judge_variant(outcomes, variant, TRIAL_LEFT_OUT, "", false) &&
        outcomes->result->left_out_error <= 0)
        outcomes->result->left_out_error = outcomes->limit_error;
}

void outcomes_finish(struct outcomes *outcomes, size_t variant, bool is_cut)
{
    learn(outcomes, variant);
    if (!is_cut)
        leave_out(outcomes, variant);
}

double outcomes_limit(struct outcomes *outcomes, size_t variant)
{
    if (outcomes->options->strategy != STRATEGY_RACE || outcomes->order->is_whole[variant])
        return 0;
    return strategy_limit(&outcomes->rule, outcomes_noise(outcomes), &outcomes->limit_error);
}

bool outcomes_is_open(struct outcomes *outcomes, size_t variant)
{
    const struct tune_trial *trials = outcomes->result->trials;
    const struct point_variant *v = find_variant(outcomes, variant);
    const struct tune_trial *first = &trials[outcomes->order->candidates[v->first]];
    const double limit = is_measured(first) ? outcomes_limit(outcomes, variant) : 0;
    if (limit > 0 && (double)first->time_ps > limit * (double)outcomes->best_ps)
        leave_out(outcomes, variant);
    size_t i = v->first;
    while (i < v->first + v->count && trials[i].is_judged)
        i++;
    return i < v->first + v->count;
}

int outcomes_is_needed(struct outcomes *outcomes, size_t candidate, uint64_t code_hash,
                       struct error *error)
{
    struct tune_trial *trial = &outcomes->result->trials[candidate];
    uint64_t identity, other;
    if (trial->is_judged)
        return 0;
    if (trials_identity(&identity, outcomes->job->context,
                        tune_result_config(outcomes->result, candidate), code_hash, error))
        return -1;
    const int seen = trials_index_add(&outcomes->seen, identity, candidate, &other, error);
    if (seen <= 0 || other == candidate)
        return seen < 0 ? -1 : 1;
    trials_judge(outcomes->result, candidate, TRIAL_EQUAL, NULL);
    trial->equal_to = (uint32_t)other;
    outcomes->done++;
    return 0;
}

/* --- The reference ------------------------------------------------------------------------ */

void outcomes_reference(struct outcomes *outcomes, uint64_t ps)
{
    outcomes->references[outcomes->reference_count++ % OUTCOMES_REFERENCES] = ps;
    if (!outcomes->result->reference_ps)
        outcomes->result->reference_ps = ps;
}

double outcomes_noise(const struct outcomes *outcomes)
{
    uint64_t times[OUTCOMES_REFERENCES];
    const size_t count = outcomes->reference_count < OUTCOMES_REFERENCES
                             ? outcomes->reference_count
                             : OUTCOMES_REFERENCES;
    memcpy(times, outcomes->references, count * sizeof *times);
    return stats_spread(times, count);
}

/* --- Begin and end ------------------------------------------------------------------------ */

int outcomes_open(struct outcomes *outcomes, struct error *error)
{
    const struct tune_result *result = outcomes->result;
    const size_t variants = result->points.variant_count;
    outcomes->hashes = calloc(variants, sizeof *outcomes->hashes);
    if (!outcomes->hashes)
        return error_memory(error, variants * sizeof *outcomes->hashes);
    outcomes->done = result->recalled;
    for (size_t i = 0; i < result->points.count; i++) {
        const uint64_t ps = result->trials[i].time_ps;
        if (ps && (!outcomes->best_ps || ps < outcomes->best_ps))
            outcomes->best_ps = ps;
    }
    for (size_t v = 0; v < variants; v++)
        learn(outcomes, v);
    return 0;
}

void outcomes_dispose(struct outcomes *outcomes)
{
    free(outcomes->hashes);
    outcomes->hashes = NULL;
    trials_index_dispose(&outcomes->seen);
}

void outcomes_settle(struct outcomes *outcomes)
{
    const struct tune_result *result = outcomes->result;
    trials_settle(outcomes->result);
    for (size_t i = 0; i < result->points.count; i++) {
        const struct tune_trial *trial = &result->trials[i];
        if (!trial->is_judged || trial->status != TRIAL_EQUAL)
            continue;
        const struct trial line = {.status = TRIAL_EQUAL,
                                   .time_count = 1,
                                   .times_ps = {trial->score},
                                   .reference_ps = result->reference_ps,
                                   .registers = trial->registers};
        record(outcomes, i, &line);
    }
}
