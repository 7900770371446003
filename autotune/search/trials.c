/* trials: keeps the trials of a run, and finds those of earlier runs in the journal. An
 * identity is a hash of a candidate's kernels and of every launch of a call, so old trials
 * still count when a space grows or changes its names. */
#include "autotune/search/trials.h"

#include "autotune/measure/stats.h"
#include "generator/call.h"
#include "generator/random.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Index -------------------------------------------------------------------------------- */

void trials_index_dispose(struct trials_index *index)
{
    free(index->entries);
    *index = (struct trials_index){0};
}

static struct trials_entry *find_entry(const struct trials_index *index, uint64_t key)
{
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (index->capacity - 1);
    while (index->entries[at].key && index->entries[at].key != key)
        at = (at + 1) & (index->capacity - 1);
    return &index->entries[at];
}

static int grow(struct trials_index *index, struct error *error)
{
    struct trials_index larger = {.capacity = index->capacity ? 2 * index->capacity : 1024,
                                  .count = index->count};
    larger.entries = calloc(larger.capacity, sizeof *larger.entries);
    if (!larger.entries)
        return error_memory(error, larger.capacity * sizeof *larger.entries);
    for (size_t i = 0; i < index->capacity; i++)
        if (index->entries[i].key)
            *find_entry(&larger, index->entries[i].key) = index->entries[i];
    free(index->entries);
    *index = larger;
    return 0;
}

int trials_index_add(struct trials_index *index, uint64_t key, uint64_t value, uint64_t *out,
                     struct error *error)
{
    assert(index->count == 0 || index->count < index->capacity);
    key += !key;
    if (2 * index->count >= index->capacity && grow(index, error))
        return -1;
    struct trials_entry *entry = find_entry(index, key);
    if (entry->key) {
        *out = entry->value;
        return 1;
    }
    *entry = (struct trials_entry){key, value};
    index->count++;
    return 0;
}

const uint64_t *trials_index_find(const struct trials_index *index, uint64_t key)
{
    const struct trials_entry *entry = index->capacity ? find_entry(index, key + !key) : NULL;
    return entry && entry->key ? &entry->value : NULL;
}

/* --- Identity ----------------------------------------------------------------------------- */

static void mix(uint64_t *hash, uint64_t value)
{
    uint64_t state = *hash ^ value;
    *hash = random_next(&state);
}

int trials_identity(uint64_t *out, const struct point_context *context, const int64_t *config,
                    uint64_t kernels_hash, struct error *error)
{
    struct planner_plan plan;
    uint64_t hash = kernels_hash;
    if (call_plan(&plan, context, config, error))
        return -1;
    for (int i = 0; i < plan.count; i++) {
        const struct planner_launch *launch = &plan.launches[i];
        const struct pass *pass = &context->space->passes[launch->pass];
        const int64_t *keys = launch->keys;
        const uint64_t values[] = {(uint64_t)launch->pass,
                                   dims_n(&launch->dims),
                                   (uint64_t)keys[PLANNER_BLOCK],
                                   (uint64_t)keys[PLANNER_GRID],
                                   (uint64_t)keys[PLANNER_OUTPUTS],
                                   (uint64_t)keys[PLANNER_PARTIALS],
                                   pass->is_timed};
        if (launch->parts > 1)
            mix(&hash, (uint64_t)launch->parts);
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            mix(&hash, values[k]);
        for (size_t k = 0; k < pass->arg_count; k++)
            mix(&hash, pass->args[k]);
    }
    *out = hash;
    return 0;
}

/* --- Outcomes ----------------------------------------------------------------------------- */

void trials_judge(struct tune_result *result, size_t candidate, enum trial_status status,
                  const char *reason)
{
    assert(candidate < result->points.count);
    assert(status < TRIAL_STATUSES);
    struct tune_trial *trial = &result->trials[candidate];
    const size_t last = result->reason_count - 1;
    char kept[TRIAL_REASON];
    if (trial->is_judged)
        result->counts[trial->status]--;
    trial->is_judged = true;
    trial->status = status;
    trial->reason = -1;
    result->counts[status]++;
    if (!reason || !*reason)
        return;
    trial_set_reason(kept, reason);
    if (result->reason_count && strcmp(result->reasons[last], kept) == 0) {
        trial->reason = (int)last;
    } else if (result->reason_count < TUNE_REASONS_MAX) {
        trial->reason = (int)result->reason_count;
        memcpy(result->reasons[result->reason_count++], kept, sizeof kept);
    }
}

void trials_take(struct tune_result *result, size_t candidate, const struct trial *trial)
{
    assert(trial->time_count <= TRIAL_SAMPLES);
    struct tune_trial *kept = &result->trials[candidate];
    uint64_t times[TRIAL_SAMPLES];
    trials_judge(result, candidate, trial->status, trial->reason);
    kept->registers = trial->registers;
    if (trial->status != TRIAL_MEASURED || !trial->time_count)
        return;
    memcpy(times, trial->times_ps, sizeof times);
    kept->times = (unsigned)trial->time_count;
    kept->time_ps = stats_median(times, trial->time_count);
    kept->score = kept->time_ps;
    if (trial->reference_ps && result->reference_ps)
        kept->score = (uint64_t)((double)kept->time_ps * (double)result->reference_ps /
                                 (double)trial->reference_ps);
}

void trials_settle(struct tune_result *result)
{
    for (size_t i = 0; i < result->points.count; i++) {
        struct tune_trial *trial = &result->trials[i];
        if (!trial->is_judged || trial->status != TRIAL_EQUAL)
            continue;
        const struct tune_trial *other = &result->trials[trial->equal_to];
        trial->times = other->times;
        trial->time_ps = other->time_ps;
        trial->score = other->score;
        trial->registers = other->registers;
        if (!other->is_judged || other->status != TRIAL_MEASURED)
            trials_judge(result, i, other->is_judged ? other->status : TRIAL_LEFT_OUT,
                         other->reason >= 0 ? result->reasons[other->reason] : NULL);
    }
}

/* --- Journal ------------------------------------------------------------------------------ */

/* Takes the outcome of a journal's trial; false when it has none here. */
static bool read_trial(struct trial *out, const struct trial *from, enum strategy strategy)
{
    *out = *from;
    if (out->status >= TRIAL_STATUSES ||
        (out->status == TRIAL_LEFT_OUT && strategy != STRATEGY_RACE))
        return false;
    if (out->status == TRIAL_EQUAL) /* with the time of its equal */
        out->status = TRIAL_MEASURED;
    return out->status != TRIAL_MEASURED || out->time_count > 0;
}

/* A journal made searchable. */
struct memory {
    const struct journal *journal;
    enum strategy strategy;
    struct trials_index known; /* its trials by identity */
};

static int open_memory(struct memory *memory, uint64_t *reference_ps, struct error *error)
{
    const struct journal *journal = memory->journal;
    uint64_t ignored;
    for (size_t i = journal->count; i-- > 0;) { /* the last of an identity counts */
        if (trials_index_add(&memory->known, journal->trials[i].identity, i, &ignored, error) <
            0)
            return -1;
        if (journal->trials[i].trial.reference_ps)
            *reference_ps = journal->trials[i].trial.reference_ps;
    }
    return 0;
}

static void recall_candidate(struct tune_result *result, const struct memory *memory,
                             size_t candidate, uint64_t identity)
{
    const uint64_t *at = trials_index_find(&memory->known, identity);
    struct trial trial;
    if (!at || !read_trial(&trial, &memory->journal->trials[*at].trial, memory->strategy))
        return;
    trials_take(result, candidate, &trial);
    result->trials[candidate].is_recalled = true;
    result->recalled++;
}

static int recall_variant(struct tune_result *result, const struct tune_job *job,
                          const struct memory *memory, const struct point_variant *variant,
                          struct error *error)
{
    uint64_t hash, identity;
    if (emit_hash_config(&hash, job->context, job->sources,
                         tune_result_config(result, variant->first), error))
        return -1;
    for (size_t i = variant->first; i < variant->first + variant->count; i++) {
        if (trials_identity(&identity, job->context, tune_result_config(result, i), hash,
                            error))
            return -1;
        recall_candidate(result, memory, i, identity);
    }
    return 0;
}

int trials_recall(struct tune_result *result, const struct tune_job *job,
                  struct journal *journal, enum strategy strategy, struct error *error)
{
    struct memory memory = {.journal = journal, .strategy = strategy};
    int failed = open_memory(&memory, &result->reference_ps, error);
    for (size_t v = 0; v < result->points.variant_count && !failed && memory.known.count; v++)
        failed = recall_variant(result, job, &memory, &result->points.variants[v], error);
    trials_index_dispose(&memory.known);
    journal_forget(journal);
    return failed;
}

static void write_params(char *out, size_t size, const struct space *space,
                         const int64_t *config)
{
    struct text params = {0};
    point_format(&params, space, config, true);
    snprintf(out, size, "%s", params.at ? params.at : "");
    text_dispose(&params);
}

void trials_record(struct tune_result *result, const struct tune_job *job,
                   struct journal *journal, size_t candidate, const struct trial *trial,
                   uint64_t sources_hash, double prior)
{
    const int64_t *config = tune_result_config(result, candidate);
    struct journal_trial line = {.variant = sources_hash, .prior = prior, .trial = *trial};
    struct error error;
    if (!journal || result->journal_warning.code != ERROR_NONE)
        return;
    write_params(line.params, sizeof line.params, job->context->space, config);
    if (trials_identity(&line.identity, job->context, config, sources_hash, &error) ||
        journal_append(journal, &line, &error))
        result->journal_warning = error;
}
