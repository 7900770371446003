/* prove: walks over problems and architectures and proves the variants of each. Hides how the
 * sample is drawn and which NVRTC serves which architecture. */
#include "autotune/verify/prove.h"

#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "autotune/verify/proof.h"
#include "autotune/verify/sample.h"
#include "generator/random.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARCHS = 3 };
static const char *const archs[ARCHS] = {"sm_75", "sm_90", "sm_120"};

struct prove {
    const struct space *space;
    const struct prove_options *options;
    struct proof_result *result;
    struct proof proof;
    struct target targets[ARCHS]; /* as they are: never the host */
    struct nvrtc *nvrtc[ARCHS];   /* NULL: none */
    size_t target_count;
    uint64_t *texts; /* hashes of the kernels seen so far, an open hash table */
    size_t text_count, text_capacity;
    uint64_t done, total;
    bool any; /* some place has points */
};

/* --- Targets ------------------------------------------------------------------------------ */

/* Finds the targets. On the host: several architectures, and NVRTC to compile for each. */
static int find_targets(struct prove *prove, struct error *error)
{
    prove->target_count = 0;
    if (!prove->proof.device->info.target.is_host) {
        prove->targets[prove->target_count++] = prove->proof.device->info.target;
        snprintf(prove->result->skipped, sizeof prove->result->skipped,
                 "the device's own compiler compiled every kernel");
        return 0;
    }
    for (size_t i = 0; i < ARCHS; i++) {
        struct error reason;
        struct target *target = &prove->targets[i];
        if (gpus_find(target, archs[i], error))
            return -1;
        if (nvrtc_open(&prove->nvrtc[i], prove->options->nvrtc, target->cc, &reason)) {
            prove->nvrtc[i] = NULL;
            snprintf(prove->result->skipped, sizeof prove->result->skipped, "%.390s",
                     reason.text);
        }
        prove->target_count++;
    }
    return 0;
}

/* The target as the device runs it: the emulator can be each architecture. */
static struct target find_own(const struct prove *prove, const struct target *target)
{
    struct target own = *target;
    own.is_host = prove->proof.device->info.target.is_host;
    return own;
}

static bool is_valid(const struct point_context *context, const int64_t *config)
{
    struct error ignored;
    return point_reject(context, config, &ignored) == POINT_VALID;
}

/* --- Progress ----------------------------------------------------------------------------- */

static void show_progress(struct prove *prove)
{
    prove->done++;
    if (prove->options->show)
        prove->options->show(prove->options->context, prove->done, prove->total);
}

/* --- A covering sample -------------------------------------------------------------------- */

static bool is_stopping(const struct prove *prove)
{
    return prove->options->is_stopping && prove->options->is_stopping();
}

/* A config as points of one variant, which must outlive them. */
static struct points make_points(const int64_t *config, size_t width,
                                 struct point_variant *variant)
{
    *variant = (struct point_variant){0, 1};
    return (struct points){.width = width,
                           .configs = (int64_t *)(uintptr_t)config,
                           .count = 1,
                           .variants = variant,
                           .variant_count = 1};
}

static struct points find_points(const struct sample *sample, size_t index,
                                 struct point_variant *variant)
{
    return make_points(sample->configs + index * sample->width, sample->width, variant);
}

static const struct proof_batch only = {.variants = {0}, .count = 1};

static int run_config(struct prove *prove, const struct sample *sample, size_t index,
                      struct error *error)
{
    const struct sample_place *place = &sample->places[index];
    const struct target own = find_own(prove, &prove->targets[place->target]);
    const struct point_context context = {prove->space, &place->problem, &own};
    struct point_variant variant;
    const struct points points = find_points(sample, index, &variant);
    if (is_valid(&context, points.configs))
        return proof_run(&prove->proof, &context, &points, &only, error);
    prove->result->not_run++;
    return 0;
}

/* A sample compiled by NVRTC, beside the emulator's runs and with a result of its own. */
struct compile_run {
    const struct prove *prove;
    const struct sample *sample;
    struct proof proof;
    struct proof_result result;
    atomic_bool is_over; /* the other thread failed: the rest is not needed */
    struct error error;
    int failed;
};

static bool is_other_part(const struct prove *prove, size_t config)
{
    const struct part *part = &prove->options->part;
    return part_of(config, part->count) != part->index;
}

static void *compile_configs(void *argument)
{
    struct compile_run *run = argument;
    const struct prove *prove = run->prove;
    for (size_t i = 0; i < run->sample->count && !run->failed && !is_stopping(prove); i++) {
        const struct sample_place *place = &run->sample->places[i];
        const struct point_context real = {prove->space, &place->problem,
                                           &prove->targets[place->target]};
        struct nvrtc *nvrtc = prove->nvrtc[place->target];
        struct point_variant variant;
        const struct points points = find_points(run->sample, i, &variant);
        if (atomic_load(&run->is_over))
            break;
        if (nvrtc && !is_other_part(prove, i))
            run->failed = proof_compile(&run->proof, &real, &points, &only, nvrtc, &run->error);
    }
    return NULL;
}

static void add_result(struct proof_result *to, const struct proof_result *from)
{
    for (uint64_t i = 0; i < from->wrong && i < PROOF_FAILURES_MAX; i++)
        if (to->wrong + i < PROOF_FAILURES_MAX)
            to->failures[to->wrong + i] = from->failures[i];
    to->wrong += from->wrong;
    to->compiled += from->compiled;
}

static int prove_configs(struct prove *prove, const struct sample *sample, struct error *error)
{
    struct compile_run run = {.prove = prove, .sample = sample, .proof = prove->proof};
    pthread_t thread;
    int failed = 0;
    run.proof.result = &run.result;
    const bool is_beside = pthread_create(&thread, NULL, compile_configs, &run) == 0;
    for (size_t i = 0; !failed && i < sample->count && !is_stopping(prove); i++) {
        failed = is_other_part(prove, i) ? 0 : run_config(prove, sample, i, error);
        show_progress(prove);
    }
    atomic_store(&run.is_over, failed != 0);
    if (is_beside)
        pthread_join(thread, NULL);
    else
        compile_configs(&run);
    add_result(prove->result, &run.result);
    if (!failed && run.failed)
        *error = run.error;
    return failed || run.failed ? -1 : 0;
}

static int prove_sample(struct prove *prove, struct error *error)
{
    struct sample sample;
    if (sample_draw(&sample, prove->space, prove->targets, prove->target_count,
                    prove->options->seed, error))
        return -1;
    prove->result->missed = sample.missed;
    prove->total = sample.count;
    const int failed = prove_configs(prove, &sample, error);
    sample_dispose(&sample);
    return failed;
}

/* --- The whole product -------------------------------------------------------------------- */

/* Adds a hash; true if it was there. */
static int add_text(struct prove *prove, uint64_t hash, bool *was_there, struct error *error)
{
    if (2 * (prove->text_count + 1) > prove->text_capacity) {
        const size_t old = prove->text_capacity, grown = old ? 2 * old : 1024;
        uint64_t *before = prove->texts, *texts = calloc(grown, sizeof *texts);
        if (!texts)
            return error_memory(error, grown * sizeof *texts);
        for (size_t i = 0; i < old; i++)
            for (size_t at = before[i]; before[i]; at++)
                if (!texts[at % grown]) {
                    texts[at % grown] = before[i];
                    break;
                }
        free(before);
        prove->texts = texts;
        prove->text_capacity = grown;
    }
    size_t at = hash % prove->text_capacity;
    while (prove->texts[at] && prove->texts[at] != hash)
        at = (at + 1) % prove->text_capacity;
    *was_there = prove->texts[at] == hash;
    prove->text_count += !*was_there;
    prove->texts[at] = hash;
    return 0;
}

/* Is the text emitted for a variant new? Equal texts of different `use` differ. */
static int is_new(struct prove *prove, const struct point_context *context,
                  const int64_t *config, uint64_t use, bool *out, struct error *error)
{
    struct emit_variant emitted;
    bool was_there = false;
    if (emit_variant(&emitted, context, prove->proof.sources, config, error))
        return -1;
    uint64_t state = emit_hash_variant(&emitted) ^ use;
    emit_dispose(&emitted);
    if (add_text(prove, random_next(&state) | 1, &was_there, error))
        return -1;
    *out = !was_there;
    return 0;
}

/* The part of the whole product that a variant belongs to: the same on every architecture. */
static uint64_t find_part(const struct prove *prove, const struct problem *problem,
                          const int64_t *config)
{
    uint64_t state = (uint64_t)problem->type << 8 | problem->acc;
    for (const char *name = problem->op->key; *name; name++)
        state = random_next(&state) ^ (unsigned char)*name;
    for (size_t i = 0; i < prove->space->param_count; i++)
        if (!prove->space->params[i].is_launch)
            state = random_next(&state) ^ (uint64_t)config[i];
    return random_next(&state) % prove->options->part.count;
}

/* A place to prove: its points as the device runs them, and as they are. */
struct place {
    struct point_context context, real;
    struct points points;
    struct nvrtc *nvrtc; /* or NULL */
};

/* Adds a variant to the batches it belongs in: only if its text is new there. */
static int sort_variant(struct prove *prove, const struct place *place, size_t variant,
                        struct proof_batch *runs, struct proof_batch *compiles,
                        struct error *error)
{
    const int64_t *config = proof_config(&place->points, variant);
    bool is_fresh = false, is_compiled = false;
    if (find_part(prove, place->context.problem, config) != prove->options->part.index)
        return 0;
    const bool is_run = is_valid(&place->context, config);
    if ((is_run && is_new(prove, &place->context, config, 0, &is_fresh, error)) ||
        (place->nvrtc && is_new(prove, &place->real, config, (uint64_t)place->real.target->cc,
                                &is_compiled, error)))
        return -1;
    if (is_fresh)
        runs->variants[runs->count++] = variant;
    if (is_compiled)
        compiles->variants[compiles->count++] = variant;
    prove->result->same += is_run && !is_fresh;
    prove->result->not_run += !is_run && (is_compiled || !place->nvrtc);
    return 0;
}

static int prove_points(struct prove *prove, const struct place *place, struct error *error)
{
    const struct points *points = &place->points;
    struct proof_batch runs = {.count = 0}, compiles = {.count = 0};
    for (size_t v = 0; v < points->variant_count; v++) {
        const bool is_last = v + 1 == points->variant_count;
        if (sort_variant(prove, place, v, &runs, &compiles, error))
            return -1;
        if (runs.count == COMPILER_UNIT || (is_last && runs.count)) {
            if (proof_run(&prove->proof, &place->context, points, &runs, error))
                return -1;
            runs.count = 0;
        }
        if (compiles.count == COMPILER_UNIT || (is_last && compiles.count)) {
            if (proof_compile(&prove->proof, &place->real, points, &compiles, place->nvrtc,
                              error))
                return -1;
            compiles.count = 0;
        }
    }
    return 0;
}

/* Proves a place; one for which the space has no points is skipped. */
static int prove_place(struct prove *prove, const struct sample_place *at, struct error *error)
{
    const struct target *target = &prove->targets[at->target];
    const struct target own = find_own(prove, target);
    struct place place = {.context = {prove->space, &at->problem, &own},
                          .real = {prove->space, &at->problem, target},
                          .nvrtc = prove->nvrtc[at->target]};
    if (point_expand(&place.points, &place.real, error))
        return error->code == ERROR_USAGE ? 0 : -1;
    const int failed = prove_points(prove, &place, error);
    prove->any = true;
    point_dispose(&place.points);
    return failed;
}

static int prove_product(struct prove *prove, struct error *error)
{
    struct sample_place *places = NULL;
    size_t count = 0;
    if (sample_places(&places, &count, prove->space, prove->target_count, error))
        return -1;
    int failed = 0;
    prove->total = count;
    for (size_t i = 0; !failed && i < count && !is_stopping(prove); i++) {
        failed = prove_place(prove, &places[i], error);
        show_progress(prove);
    }
    free(places);
    return failed || (!prove->any && !is_stopping(prove)) ? -1 : 0;
}

/* --- Public functions --------------------------------------------------------------------- */

int prove_run(struct proof_result *out, struct device *device, const struct space *space,
              const struct emit_sources *sources, const struct prove_options *options,
              struct error *error)
{
    struct prove prove = {
        .space = space,
        .options = options,
        .result = out,
        .proof = {.device = device,
                  .sources = sources,
                  .result = out,
                  .seed = options->seed,
                  .watch = options->watch},
    };
    *out = (struct proof_result){.variants = 0};
    int failed = find_targets(&prove, error);
    if (!failed)
        failed = options->all ? prove_product(&prove, error) : prove_sample(&prove, error);
    proof_dispose(&prove.proof);
    free(prove.texts);
    for (size_t i = 0; i < ARCHS; i++)
        if (prove.nvrtc[i])
            nvrtc_close(prove.nvrtc[i]);
    return failed ? -1 : 0;
}

int prove_config(struct proof_result *out, struct device *device,
                 const struct point_context *context, const struct emit_sources *sources,
                 const int64_t *config, uint64_t seed, const struct proof_watch *watch,
                 struct error *error)
{
    struct proof proof = {.device = device,
                          .sources = sources,
                          .result = out,
                          .seed = seed,
                          .watch = watch};
    struct point_variant variant;
    const struct points points = make_points(config, context->space->param_count, &variant);
    *out = (struct proof_result){.variants = 0};
    const int failed = proof_run(&proof, context, &points, &only, error);
    proof_dispose(&proof);
    return failed;
}
