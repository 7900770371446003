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

struct queued_unit *queued_unit_open(struct frame *frame, const struct decide_unit *unit,
                                     size_t width, struct error *error)
{
    assert(unit->count <= COMPILER_UNIT);
    struct queued_unit *queued = calloc(1, sizeof *queued);
    if (!queued) {
        error_memory(error, sizeof *queued);
        return NULL;
    }
    queued->frame = *frame;
    *frame = (struct frame){.kind = 0};
    int failed = job_code_unit(&queued->frame, &queued->unit, width, true, error);
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

struct queued_unit *queued_unit_share(const struct queued_unit *of, const size_t *places,
                                      const struct decide_unit *variants, struct error *error)
{
    struct queued_unit *queued = calloc(1, sizeof *queued);
    if (!queued) {
        error_memory(error, sizeof *queued);
        return NULL;
    }
    queued->unit.image = of->unit.image;
    queued->unit.count = variants->count;
    for (size_t i = 0; i < variants->count; i++) {
        assert(places[i] < of->unit.count);
        struct compiled_variant *compiled = &queued->unit.variants[i].compiled;
        *compiled = of->unit.variants[places[i]].compiled;
        compiled->variant = variants->variants[i];
    }
    return queued;
}

struct queued_unit *queued_unit_shadows(const struct queued_unit *of,
                                        size_t places[COMPILER_UNIT], struct error *error)
{
    struct queued_unit *shadows = calloc(1, sizeof *shadows);
    if (!shadows) {
        error_memory(error, sizeof *shadows);
        return NULL;
    }
    shadows->unit.image = of->unit.shadows[0];
    for (size_t i = 0; i < of->unit.count; i++) {
        const struct job_variant *variant = &of->unit.variants[i];
        if (variant->shadow_image != 1)
            continue;
        places[shadows->unit.count] = i;
        shadows->unit.variants[shadows->unit.count++].compiled = variant->shadow;
    }
    return shadows;
}

/* The place of an image among the unit's shadows; behind them where it is none. */
static size_t find_image(const struct job_unit *unit, const struct device_image *image)
{
    size_t i = 0;
    while (i < unit->shadow_count && unit->shadows[i].bytes != image->bytes)
        i++;
    return i;
}

void queued_unit_give_shadow(struct queued_unit *queued, size_t i, const struct queued_unit *of,
                             size_t at)
{
    struct job_unit *unit = &queued->unit;
    const size_t place = find_image(unit, &of->unit.image);
    assert(i < unit->count && place < COMPILER_UNIT && !unit->variants[i].shadow_image);
    if (place == unit->shadow_count)
        unit->shadows[unit->shadow_count++] = of->unit.image;
    unit->variants[i].shadow = of->unit.variants[at].compiled;
    unit->variants[i].shadow_image = place + 1;
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

struct decide_unit queued_unit_variants(const struct queued_unit *queued)
{
    struct decide_unit out = {.count = queued->unit.count};
    for (size_t i = 0; i < out.count; i++)
        out.variants[i] = queued->unit.variants[i].compiled.variant;
    return out;
}

/* --- Candidates --------------------------------------------------------------------------- */

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

static void add_candidate(struct job_variant *variant, const struct points *points,
                          size_t candidate)
{
    const size_t width = points->width;
    ((uint64_t *)(uintptr_t)variant->ids)[variant->count] = candidate;
    memcpy((int64_t *)(uintptr_t)variant->configs + variant->count * width,
           points->configs + candidate * width, width * sizeof(int64_t));
    variant->count++;
}

int queued_unit_list(struct queued_unit *queued, size_t i, const struct points *points,
                     const size_t *candidates, size_t count, queued_unit_filter *filter,
                     void *context, struct error *error)
{
    assert(i < queued->unit.count);
    struct job_variant *variant = &queued->unit.variants[i];
    const struct point_variant *v = &points->variants[variant->compiled.variant];
    const uint64_t hash = queued_unit_hash(queued, i);
    if (make_room(variant, count, points->width, error))
        return -1;
    for (size_t k = 0; k < count; k++) {
        if (candidates[k] < v->first || candidates[k] >= v->first + v->count)
            continue;
        const int passes = filter(context, candidates[k], hash, error);
        if (passes < 0)
            return -1;
        if (passes)
            add_candidate(variant, points, candidates[k]);
    }
    return 0;
}

bool queued_unit_has_candidates(const struct queued_unit *queued)
{
    for (size_t i = 0; i < queued->unit.count; i++)
        if (!queued->unit.variants[i].compiled.is_failed && queued->unit.variants[i].count)
            return true;
    return false;
}

/* --- The queue ---------------------------------------------------------------------------- */

void queued_units_add(struct queued_units *queue, struct queued_unit *queued)
{
    struct queued_unit **at = &queue->first;
    while (*at)
        at = &(*at)->next;
    *at = queued;
    queued->next = NULL;
    queue->count++;
}

struct queued_unit *queued_units_take(struct queued_units *queue)
{
    struct queued_unit *queued = queue->first;
    if (queued) {
        queue->first = queued->next;
        queue->count--;
    }
    return queued;
}

static bool is_of(const struct queued_unit *queued, size_t variant)
{
    return queued->unit.variants[0].compiled.variant == variant;
}

bool queued_units_has(const struct queued_units *queue, size_t variant)
{
    const struct queued_unit *queued = queue->first;
    while (queued && !is_of(queued, variant))
        queued = queued->next;
    return queued != NULL;
}

void queued_units_dispose(struct queued_units *queue)
{
    while (queue->first)
        queued_unit_free(queued_units_take(queue));
}
