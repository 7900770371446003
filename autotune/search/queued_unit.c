/* queued_unit: owns a compiled unit that waits to be measured. Its candidates are copied into
 * arrays of its own; everything else stays in the frame it came in. */
#include "autotune/search/queued_unit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void clear_variant(struct job_variant *variant)
{
    free((void *)(uintptr_t)variant->ids);
    free((void *)(uintptr_t)variant->configs);
    variant->ids = NULL;
    variant->configs = NULL;
    variant->count = 0;
}

void queued_unit_free(struct queued_unit *queued)
{
    if (!queued)
        return;
    for (size_t i = 0; i < queued->unit.count; i++)
        clear_variant(&queued->unit.variants[i]);
    frame_dispose(&queued->frame);
    free(queued);
}

struct queued_unit *queued_unit_open(struct search *search, struct frame *frame,
                                     const struct search_unit *unit, struct error *error)
{
    assert(unit->count <= COMPILER_UNIT);
    struct queued_unit *queued = calloc(1, sizeof *queued);
    if (!queued) {
        error_memory(error, sizeof *queued);
        return NULL;
    }
    queued->frame = *frame;
    *frame = (struct frame){.kind = 0};
    int failed =
        job_code_unit(&queued->frame, &queued->unit, search->result->points.width, true, error);
    for (size_t i = 0; i < queued->unit.count;
         i++) { /* the lists point into the frame: nothing to free */
        queued->unit.variants[i].ids = NULL;
        queued->unit.variants[i].configs = NULL;
        queued->unit.variants[i].count = 0;
        queued->unit.variants[i].compiled.variant = unit->variants[i];
    }
    if (!failed && queued->unit.count != unit->count)
        failed = error_set(error, ERROR_FAILED, "a worker compiled %u variants of %zu",
                           (unsigned)queued->unit.count, unit->count);
    if (!failed)
        return queued;
    queued_unit_free(queued);
    return NULL;
}

uint64_t queued_unit_hash(const struct queued_unit *queued, size_t i)
{
    assert(i < queued->unit.count);
    const struct compiled_variant *compiled = &queued->unit.variants[i].compiled;
    const uint64_t hash = compiler_hash(compiled, &queued->unit.image);
    return hash ? hash : compiled->sources_hash;
}

size_t queued_unit_find(const struct queued_unit *queued, uint64_t variant)
{
    size_t i = 0;
    while (i < queued->unit.count && queued->unit.variants[i].compiled.variant != variant)
        i++;
    return i;
}

/* --- Candidates --------------------------------------------------------------------------- */

/* 1 when the candidate is still to be tried, 0 when it is judged, or when its code and launches
 * equal those of another. */
static int is_needed(struct search *search, size_t candidate, uint64_t hash,
                     struct error *error)
{
    struct trial *trial = &search->result->trials[candidate];
    uint64_t identity, other;
    if (trial->is_judged)
        return 0;
    if (trials_identity(&identity, search->job->context, tune_config(search->result, candidate),
                        hash, error))
        return -1;
    const int seen = trials_index_add(&search->seen, identity, candidate, &other, error);
    if (seen <= 0 || other == candidate)
        return seen < 0 ? -1 : 1;
    trials_judge(search->result, candidate, TRIAL_EQUAL, NULL);
    trial->equal_to = (uint32_t)other;
    search->done++;
    return 0;
}

static int make_room(struct job_variant *variant, size_t count, size_t width,
                     struct error *error)
{
    uint64_t *ids = malloc((count + 1) * sizeof *ids);
    int64_t *configs = malloc((count + 1) * width * sizeof *configs);
    clear_variant(variant);
    variant->ids = ids;
    variant->configs = configs;
    return ids && configs ? 0 : error_memory(error, (count + 1) * width * sizeof *configs);
}

static void add_candidate(const struct search *search, struct job_variant *variant,
                          size_t candidate)
{
    const size_t width = search->result->points.width;
    ((uint64_t *)(uintptr_t)variant->ids)[variant->count] = candidate;
    memcpy((int64_t *)(uintptr_t)variant->configs + variant->count * width,
           tune_config(search->result, candidate), width * sizeof(int64_t));
    variant->count++;
}

static int list_candidates(struct search *search, struct queued_unit *queued, size_t i,
                           struct error *error)
{
    struct job_variant *variant = &queued->unit.variants[i];
    const struct points *points = &search->result->points;
    const struct point_variant *v = &points->variants[variant->compiled.variant];
    const uint64_t hash = queued_unit_hash(queued, i);
    if (make_room(variant, v->count, points->width, error))
        return -1;
    for (size_t k = v->first; k < v->first + v->count; k++) {
        const size_t candidate = search->order->candidates[k];
        const int needed = is_needed(search, candidate, hash, error);
        if (needed < 0)
            return -1;
        if (needed)
            add_candidate(search, variant, candidate);
    }
    return 0;
}

int queued_unit_choose(struct search *search, struct queued_unit *queued, size_t i,
                       const size_t *candidates, size_t count, struct trials_index *seen,
                       struct error *error)
{
    assert(i < queued->unit.count);
    struct job_variant *variant = &queued->unit.variants[i];
    const struct points *points = &search->result->points;
    const struct point_variant *v = &points->variants[variant->compiled.variant];
    if (make_room(variant, count, points->width, error))
        return -1;
    const uint64_t hash = queued_unit_hash(queued, i);
    for (size_t k = 0; k < count; k++) {
        uint64_t identity, other;
        if (candidates[k] < v->first || candidates[k] >= v->first + v->count)
            continue;
        if (trials_identity(&identity, search->job->context,
                            tune_config(search->result, candidates[k]), hash, error))
            return -1;
        const int got = trials_index_add(seen, identity, candidates[k], &other, error);
        if (got < 0)
            return -1;
        if (got == 0)
            add_candidate(search, variant, candidates[k]);
    }
    return 0;
}

/* --- The queue ---------------------------------------------------------------------------- */

static bool is_worth_trying(const struct queued_unit *queued)
{
    for (size_t i = 0; i < queued->unit.count; i++)
        if (!queued->unit.variants[i].compiled.is_failed && queued->unit.variants[i].count)
            return true;
    return false;
}

int queued_unit_add(struct search *search, struct queued_unit *queued, struct error *error)
{
    struct queued_unit **at = &search->queued_units;
    int failed = 0;
    for (size_t i = 0; i < queued->unit.count && !search->keeps_units && !failed; i++)
        if (!queued->unit.variants[i].compiled.is_failed)
            failed = list_candidates(search, queued, i, error);
    if (failed || (!search->keeps_units && !is_worth_trying(queued))) {
        queued_unit_free(queued);
        return failed;
    }
    while (*at)
        at = &(*at)->next;
    *at = queued;
    queued->next = NULL;
    search->queued_count++;
    return 0;
}

struct queued_unit *queued_unit_take(struct search *search)
{
    struct queued_unit *queued = search->queued_units;
    if (queued) {
        search->queued_units = queued->next;
        search->queued_count--;
    }
    return queued;
}
