/* every_kernel: writes a line for each kernel that the spaces give, with a hash of its text: of a covering
 * sample of each space, of its defaults, and of the records that ship; and for points drawn at random
 * what the rules say of them, and their launches. Two builds that write the same lines give the same
 * kernels. An argument chooses the files of configs/ whose names have it in them. */
#include "autotune/device/gpus.h"
#include "autotune/embedded.h"
#include "autotune/verify/sample.h"
#include "cache/compact.h"
#include "generator/call.h"
#include "generator/emit.h"
#include "generator/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { ARCHS = 4, DRAWN = 40 };
static struct target targets[ARCHS];

static _Noreturn void die(const char *why)
{
    fprintf(stderr, "every_kernel: %s\n", why);
    exit(1);
}

static struct emit_file find_file(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "templates/%.150s", name);
    const struct embedded *file = embedded_find(path);
    if (!file)
        die(path);
    return (struct emit_file){name, file->bytes};
}

static struct emit_sources find_sources(const struct space *space)
{
    return (struct emit_sources){.template = find_file(space->template_name),
                                 .types = find_file("types.cu"),
                                 .intrinsics = find_file("intrinsics.cu"),
                                 .operation = find_file("operation.cu")};
}

static struct space *load_space(const char *name, const char *bytes)
{
    struct space *space;
    struct error error;
    if (space_load(&space, name, bytes, strlen(bytes), embedded_space, &error))
        die(error.text);
    return space;
}

/* --- Kernels ------------------------------------------------------------------------------ */

static void write_name(const struct point_context *context, const char *what)
{
    char shown[PROBLEM_CHARS];
    printf("%s %s | %s | sm_%d%s |", what, context->space->file,
           problem_format(shown, context->problem), context->target->cc,
           context->target->is_host ? " host" : "");
}

static void write_variant(const struct point_context *context,
                          const struct emit_sources *sources, const int64_t *config,
                          const char *what)
{
    struct emit_variant variant;
    struct text params = {0};
    struct error error;
    point_format(&params, context->space, config, true);
    write_name(context, what);
    printf(" %s |", params.at ? params.at : "");
    text_dispose(&params);
    if (emit_variant(&variant, context, sources, config, &error)) {
        printf(" %s\n", error.text);
        return;
    }
    for (size_t i = 0; i < variant.count; i++)
        printf(" %016" PRIx64,
               (uint64_t)XXH3_64bits(variant.texts[i].at, variant.texts[i].length));
    printf("\n");
    emit_dispose(&variant);
}

/* As the GPU's, emulated, and for a user's compiler. */
static void write_each_way(const struct space *space, const struct sample_place *place,
                           const struct emit_sources *sources, const int64_t *config)
{
    struct emit_sources any_flags = *sources;
    struct target emulated = targets[place->target];
    const struct point_context own = {space, &place->problem, &targets[place->target]},
                               host = {space, &place->problem, &emulated};
    emulated.is_host = true;
    any_flags.any_flags = true;
    write_variant(&own, sources, config, "own");
    write_variant(&host, sources, config, "own");
    write_variant(&own, &any_flags, config, "any-flags");
}

static void write_sample(const struct space *space, const struct emit_sources *sources)
{
    struct sample sample;
    struct error error;
    if (sample_draw(&sample, space, targets, ARCHS, 1, &error))
        die(error.text);
    for (size_t i = 0; i < sample.count; i++)
        write_each_way(space, &sample.places[i], sources, sample.configs + i * sample.width);
    sample_dispose(&sample);
}

/* --- Rules and launches ------------------------------------------------------------------- */

static uint64_t hash_plan(const struct point_context *context, const int64_t *config,
                          uint64_t hash)
{
    static struct planner_plan plan;
    struct error error;
    if (call_plan(&plan, context, config, &error) || plan.status != PLANNER_DONE)
        return hash;
    for (int i = 0; i < plan.count; i++)
        hash = XXH3_64bits_withSeed(plan.launches[i].keys, sizeof plan.launches[i].keys, hash);
    return hash;
}

static void write_drawn(const struct point_context *context, uint64_t *random)
{
    const struct space *space = context->space;
    int64_t config[SPACE_NAMES_MAX];
    uint64_t rules = 0, plans = 0;
    struct error error;
    for (int i = 0; i < DRAWN; i++) {
        for (size_t p = 0; p < space->param_count; p++)
            config[p] = space->params[p].values[random_next(random) % space->params[p].count];
        const int said[] = {point_prune(context, config, &error),
                            point_reject_order(context, config, &error)};
        rules = XXH3_64bits_withSeed(said, sizeof said, rules);
        plans = hash_plan(context, config, plans);
    }
    write_name(context, "drawn");
    printf(" %016" PRIx64 " %016" PRIx64 "\n", rules, plans);
}

static void write_places(struct space *space, const struct emit_sources *sources)
{
    struct sample_place *places;
    size_t count;
    struct error error;
    uint64_t random = 1;
    if (sample_places(&places, &count, space, ARCHS, &error))
        die(error.text);
    for (size_t i = 0; i < count; i++) {
        const struct point_context context = {space, &places[i].problem,
                                              &targets[places[i].target]};
        if (space_settle_default(space, context.problem, context.target, &error))
            die(error.text);
        write_each_way(space, &places[i], sources, space->default_config);
        write_drawn(&context, &random);
    }
    free(places);
}

static void write_space(const struct embedded *file)
{
    struct space *space = load_space(file->name, file->bytes);
    const struct emit_sources sources = find_sources(space);
    write_sample(space, &sources);
    write_places(space, &sources);
    space_free(space);
}

/* --- What ships --------------------------------------------------------------------------- */

static void write_record(const struct record *record)
{
    const char *name, *bytes = embedded_space(record->space, &name);
    int64_t config[SPACE_NAMES_MAX];
    struct target target = targets[0];
    struct error error;
    if (!bytes)
        die(record->space);
    struct space *space = load_space(name, bytes);
    const struct emit_sources sources = find_sources(space);
    const struct point_context context = {space, &record->problem, &target};
    target.cc = record->cc;
    target.sms = record->sms;
    if (point_parse_record(space, record->params, config, &error))
        die(error.text);
    write_variant(&context, &sources, config, "record");
    space_free(space);
}

static void write_records(const struct embedded *file)
{
    struct records records = {0};
    struct error error;
    if (compact_load(&records, file->name, file->bytes, file->length, &error))
        die(error.text);
    if (records.skipped)
        die(records.reason.text);
    for (size_t i = 0; i < records.count; i++)
        write_record(&records.at[i]);
    store_dispose(&records);
}

int main(int argc, char **argv)
{
    static const char *const archs[ARCHS] = {"sm_75", "sm_80", "sm_90", "sm_120"};
    struct error error;
    for (size_t i = 0; i < ARCHS; i++)
        if (gpus_find(&targets[i], archs[i], &error))
            die(error.text);
    for (size_t i = 0; i < embedded_count; i++) {
        const struct embedded *file = &embedded_files[i];
        if (strncmp(file->name, "configs/", 8) != 0 ||
            (argc > 1 && !strstr(file->name, argv[1])))
            continue;
        if (strncmp(file->name, "configs/tuned/", 14) == 0)
            write_records(file);
        else if (strstr(file->bytes, "[space]\n"))
            write_space(file);
    }
    return fflush(stdout) ? 1 : 0;
}
