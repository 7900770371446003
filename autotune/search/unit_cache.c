/* unit_cache: lists the variants of all units that are kept, each with its key: a text of what compiles
 * it and of its code. Texts are compared whole; a hash only passes over those that are not the same. */
#include "autotune/search/unit_cache.h"

#include "generator/array.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

struct cached_variant {
    uint64_t hash; /* of the key */
    struct text key;
    struct unit_place place;
};

struct unit_cache {
    struct queued_units units;
    struct cached_variant *variants; /* the last ones count */
    size_t count;
    size_t bytes, most_bytes;
};

int unit_cache_open(struct unit_cache **out, size_t most_bytes, struct error *error)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return error_memory(error, sizeof **out);
    (*out)->most_bytes = most_bytes;
    return 0;
}

static void empty(struct unit_cache *cache)
{
    for (size_t i = 0; i < cache->count; i++)
        text_dispose(&cache->variants[i].key);
    cache->count = cache->bytes = 0;
    queued_units_dispose(&cache->units);
}

void unit_cache_close(struct unit_cache *cache)
{
    if (!cache)
        return;
    empty(cache);
    free(cache->variants);
    free(cache);
}

void unit_cache_begin(struct unit_cache *cache)
{
    if (cache->bytes >= cache->most_bytes)
        empty(cache);
}

bool unit_cache_is_empty(const struct unit_cache *cache)
{
    return cache->count == 0;
}

/* --- Keys --------------------------------------------------------------------------------- */

/* All that decides the machine code: the compiler, what it compiles for, and the code of each pass. */
static int make_key(struct text *out, const struct tune_job *job, const int64_t *config,
                    struct error *error)
{
    const struct space *space = job->context->space;
    const struct device_info *info = job->info;
    struct emit_variant emitted;
    if (emit_variant(&emitted, job->context, job->sources, config, error))
        return -1;
    text_addf(out, "%s\n%s\n%d %d\n%s\n", info->compiler, job->nvrtc ? job->nvrtc : "",
              info->target.is_host, info->target.cc, space->kernel);
    for (size_t pass = 0; pass < space->pass_count; pass++)
        text_addf(out, "%d\n", emitted.text_of_pass[pass]);
    emit_add_code(out, &emitted);
    emit_dispose(&emitted);
    return text_check(out, error);
}

static bool is_same(const struct cached_variant *variant, uint64_t hash, const struct text *key)
{
    return variant->hash == hash && variant->key.length == key->length &&
           memcmp(variant->key.at, key->at, key->length) == 0;
}

int unit_cache_find(struct unit_place *out, const struct unit_cache *cache,
                    const struct tune_job *job, const int64_t *config, struct error *error)
{
    struct text key = {0};
    *out = (struct unit_place){.unit = NULL};
    const int failed = make_key(&key, job, config, error);
    const uint64_t hash = failed ? 0 : XXH3_64bits(key.at, key.length);
    for (size_t i = cache->count; !failed && !out->unit && i-- > 0;)
        if (is_same(&cache->variants[i], hash, &key))
            *out = cache->variants[i].place;
    text_dispose(&key);
    return failed;
}

/* --- What is kept ------------------------------------------------------------------------- */

static int add_variant(struct unit_cache *cache, const struct tune_job *job,
                       const struct queued_unit *unit, size_t at, const int64_t *config,
                       struct error *error)
{
    struct cached_variant variant = {.place = {unit, at}};
    if (array_grow(&cache->variants, cache->count, sizeof variant, error) ||
        make_key(&variant.key, job, config, error)) {
        text_dispose(&variant.key);
        return -1;
    }
    variant.hash = XXH3_64bits(variant.key.at, variant.key.length);
    cache->bytes += variant.key.length;
    cache->variants[cache->count++] = variant;
    return 0;
}

/* Written again, and read as if it came from a worker. */
static struct queued_unit *copy_unit(const struct queued_unit *unit, struct error *error)
{
    struct job_unit message = unit->unit;
    struct frame frame = {.kind = JOB_COMPILED};
    const struct decide_unit variants = queued_unit_variants(unit);
    struct queued_unit *copy = NULL;
    message.shadow_count = 0;
    for (size_t i = 0; i < message.count; i++)
        message.variants[i].shadow_image = 0;
    if (job_code_unit(&frame, &message, 0, false, error) == 0)
        copy = queued_unit_open(&frame, &variants, 0, error);
    frame_dispose(&frame);
    return copy;
}

int unit_cache_add(struct unit_cache *cache, const struct tune_job *job,
                   const struct queued_unit *unit, const int64_t *const *configs,
                   struct error *error)
{
    if (cache->bytes >= cache->most_bytes)
        return 0;
    struct queued_unit *copy = copy_unit(unit, error);
    if (!copy)
        return -1;
    queued_units_add(&cache->units, copy);
    cache->bytes += copy->frame.body.length;
    for (size_t i = 0; i < copy->unit.count; i++) {
        const struct compiled_variant *compiled = &copy->unit.variants[i].compiled;
        const bool is_known = !compiled->is_failed || compiled->reason.code == ERROR_FAILED;
        if (is_known && add_variant(cache, job, copy, i, configs[i], error))
            return -1;
    }
    return 0;
}
