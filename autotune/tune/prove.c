/* prove: walks over problems and architectures and proves the variants of each. Hides how the
 * sample is drawn and which NVRTC serves which architecture. */
#include "autotune/tune/prove.h"

#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "autotune/tune/check.h"
#include "autotune/tune/compiler.h"
#include "autotune/tune/stats.h"
#include "generator/cover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HOST_POSITIONS = 256,
    ARCHS = 3,
    ELEMENTS_MAX = 16, /* pairs of type and accumulator */
};
static const uint64_t N = 400000000; /* the rules judge the space for this n */
static const char *const archs[ARCHS] = {"sm_75", "sm_90", "sm_120"};

/* An element type with an accumulator. */
struct element {
    enum type type, acc;
};

/* Variants that are compiled together. */
struct batch {
    size_t variants[COMPILER_UNIT], count;
};

struct prove {
    struct device *device;
    const struct space *space;
    const struct emit_sources *sources;
    const struct prove_options *options;
    struct prove_result *result;
    struct element elements[ELEMENTS_MAX];
    size_t element_count;
    struct target targets[ARCHS];
    struct nvrtc *nvrtc[ARCHS]; /* NULL: none */
    size_t target_count;
    struct check *check;        /* of check_problem */
    struct problem check_problem;
    uint64_t *texts;            /* hashes of the kernels proven so far, an open hash table */
    size_t text_count, text_capacity;
    uint64_t done, total;
};

static const int64_t *first_row(const struct points *points, size_t variant)
{
    return points->rows + points->variants[variant].first * points->width;
}

/* --- The axes ----------------------------------------------------------------------------- */

/* Every type with its default accumulator and with the widest of its kind. */
static void find_elements(struct prove *prove)
{
    for (int type = 0; type < TYPE_COUNT; type++)
        for (int acc = 0; acc < TYPE_COUNT; acc++) {
            struct problem problem = {SUM, (enum type)type, (enum type)acc, N, COLD};
            struct error ignored;
            if (problem_check(&problem, &ignored) == 0 && prove->element_count < ELEMENTS_MAX)
                prove->elements[prove->element_count++] =
                    (struct element){(enum type)type, (enum type)acc};
        }
}

/* On the host: its own target as each architecture, and NVRTC to compile for the real one. */
static int find_targets(struct prove *prove, struct error *error)
{
    prove->target_count = 0;
    if (!prove->device->info.target.is_host) {
        prove->targets[prove->target_count++] = prove->device->info.target;
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
            snprintf(prove->result->skipped, sizeof prove->result->skipped, "%.390s", reason.text);
        }
        target->is_host = true;
        prove->target_count++;
    }
    return 0;
}

/* --- One unit of variants ----------------------------------------------------------------- */

static void note_failure(struct prove *prove, const struct point_context *context,
                         const int64_t *row, const char *reason)
{
    struct prove_result *result = prove->result;
    struct text params = {0};
    char problem[PROBLEM_CHARS];
    if (result->wrong < PROVE_FAILURES_MAX) {
        struct prove_failure *failure = &result->failures[result->wrong];
        point_format(&params, context->space, row, true);
        snprintf(failure->what, sizeof failure->what, "%s sm_%d %s",
                 problem_format(problem, context->problem), context->target->cc,
                 params.at ? params.at : "");
        snprintf(failure->reason, sizeof failure->reason, "%.230s", reason);
        text_dispose(&params);
    }
    result->wrong++;
}

static int open_check(struct prove *prove, const struct problem *problem, struct error *error)
{
    const struct problem *open = &prove->check_problem; /* n and regime are the same for all */
    if (prove->check && open->op == problem->op && open->type == problem->type &&
        open->acc == problem->acc)
        return 0;
    if (prove->check)
        check_close(prove->check);
    prove->check = NULL;
    prove->check_problem = *problem;
    return check_open(&prove->check, prove->device, problem,
                      prove->device->info.target.is_host ? HOST_POSITIONS : UINT64_MAX,
                      prove->options->seed, error);
}

/* Compiles kernels for the real architecture; a variant that does not compile is wrong. Several
 * together, and one by one only if that fails. */
static int compile_real(struct prove *prove, const struct point_context *context,
                        const struct points *points, const struct batch *batch,
                        struct nvrtc *nvrtc, struct error *error)
{
    struct target real = *context->target;
    const struct point_context inner = {context->space, context->problem, &real};
    struct device_source sources[COMPILER_KERNELS] = {{0}};
    struct emit_variant emitted[COMPILER_UNIT];
    struct device_image image = {0};
    struct error reason;
    size_t count = 0, done = 0;
    real.is_host = false;
    for (; done < batch->count; done++) {
        const int64_t *row = first_row(points, batch->variants[done]);
        if (emit_variant(&emitted[done], &inner, prove->sources, row, error))
            break;
        for (size_t i = 0; i < emitted[done].count; i++)
            sources[count++] =
                (struct device_source){emitted[done].texts[i].at, context->space->kernel};
    }
    int failed = done < batch->count ? -1 : 0;
    bool is_good = !failed && nvrtc_compile(nvrtc, real.cc, NVRTC_CUBIN, sources, count, &image,
                                            &reason) == 0;
    device_dispose_image(&image);
    for (size_t i = 0; i < done; i++)
        emit_dispose(&emitted[i]);
    if (is_good)
        prove->result->compiled += count;
    else if (!failed && batch->count == 1)
        note_failure(prove, context, first_row(points, batch->variants[0]), reason.text);
    for (size_t i = 0; !failed && !is_good && batch->count > 1 && i < batch->count; i++) {
        const struct batch alone = {.variants = {batch->variants[i]}, .count = 1};
        failed = compile_real(prove, context, points, &alone, nvrtc, error);
    }
    return failed;
}

static int prove_variant(struct prove *prove, const struct point_context *context,
                         const struct points *points, const struct compiled_variant *compiled,
                         const struct device_kernel *loaded, struct error *error)
{
    const struct point_variant *variant = &points->variants[compiled->variant];
    const int64_t *first = first_row(points, compiled->variant);
    struct check_rows rows;
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct check_verdict small = {.is_right = true}, specials = {.is_right = true};
    if (compiled->is_failed) {
        note_failure(prove, context, first, compiled->reason.text);
        return 0;
    }
    compiler_kernels(compiled, loaded, kernels);
    if (check_choose(&rows, context, first, variant->count, error) ||
        check_small(prove->check, context, rows, kernels, &small, error) ||
        (small.is_right &&
         check_specials(prove->check, context, rows, kernels, &specials, error)))
        return -1;
    prove->result->cases += small.cases + specials.cases;
    if (!small.is_right || !specials.is_right)
        note_failure(prove, context, first, small.is_right ? specials.reason : small.reason);
    else
        prove->result->variants++;
    return 0;
}

static int prove_batch(struct prove *prove, const struct point_context *context,
                       const struct points *points, const struct batch *batch,
                       struct error *error)
{
    struct compiled_unit unit;
    struct device_kernel loaded[COMPILER_KERNELS];
    struct device_module *module = NULL;
    if (open_check(prove, context->problem, error) ||
        compiler_compile(&unit, prove->device, context, prove->sources, points, batch->variants,
                         batch->count, error))
        return -1;
    int failed = unit.image.count && prove->device->ops->load(prove->device, &unit.image, &module,
                                                              loaded, error);
    for (size_t i = 0; !failed && i < batch->count; i++)
        failed = prove_variant(prove, context, points, &unit.variants[i], loaded, error);
    if (module)
        prove->device->ops->unload(prove->device, module);
    compiler_dispose(&unit);
    return failed ? -1 : 0;
}

static void show_progress(struct prove *prove, uint64_t more)
{
    prove->done += more;
    if (prove->options->show)
        prove->options->show(prove->options->context, prove->done, prove->total);
}

/* --- A covering sample -------------------------------------------------------------------- */

/* The axes of the sample: the space's params, then operation, element and target. */
static void choose(const struct prove *prove, const size_t *choice, struct problem *problem,
                   size_t *target, int64_t *row)
{
    const struct space *space = prove->space;
    for (size_t i = 0; i < space->param_count; i++)
        row[i] = space->params[i].values[choice[i]];
    const struct element *element = &prove->elements[choice[space->param_count + 1]];
    *problem = (struct problem){(enum op)choice[space->param_count], element->type, element->acc,
                                N, COLD};
    *target = choice[space->param_count + 2];
}

static bool is_valid(void *argument, const size_t *choice)
{
    const struct prove *prove = argument;
    struct problem problem;
    struct error ignored;
    size_t target;
    int64_t row[SPACE_NAMES_MAX];
    choose(prove, choice, &problem, &target, row);
    const struct point_context context = {prove->space, &problem, &prove->targets[target]};
    return problem_check(&problem, &ignored) == 0 &&
           point_reject(&context, row, &ignored) == POINT_VALID;
}

static int prove_choice(struct prove *prove, const size_t *choice, struct error *error)
{
    const struct batch only = {.variants = {0}, .count = 1};
    struct problem problem;
    size_t target;
    int64_t row[SPACE_NAMES_MAX];
    struct point_variant variant = {0, 1};
    choose(prove, choice, &problem, &target, row);
    const struct point_context context = {prove->space, &problem, &prove->targets[target]};
    const struct points points = {.width = prove->space->param_count, .rows = row, .count = 1,
                                  .variants = &variant, .variant_count = 1};
    struct nvrtc *nvrtc = prove->nvrtc[target];
    int failed = prove_batch(prove, &context, &points, &only, error) ||
                 (nvrtc && compile_real(prove, &context, &points, &only, nvrtc, error));
    show_progress(prove, 1);
    return failed ? -1 : 0;
}

static int prove_sample(struct prove *prove, struct error *error)
{
    const size_t params = prove->space->param_count;
    struct cover_axis axes[SPACE_NAMES_MAX + 3];
    size_t *choices = NULL, count = 0, missed = 0;
    for (size_t i = 0; i < params; i++)
        axes[i].count = prove->space->params[i].count;
    axes[params].count = OP_COUNT;
    axes[params + 1].count = prove->element_count;
    axes[params + 2].count = prove->target_count;
    if (cover_pairs(&choices, &count, &missed, axes, params + 3, is_valid, prove,
                    (unsigned)prove->options->seed, error))
        return -1;
    prove->result->missed = missed;
    prove->total = count;
    int failed = 0;
    for (size_t i = 0; !failed && i < count; i++)
        failed = prove_choice(prove, choices + i * (params + 3), error);
    free(choices);
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

/* A hash of what is emitted for a variant; never 0. */
static int hash_variant(struct prove *prove, const struct point_context *context,
                        const int64_t *row, uint64_t *out, struct error *error)
{
    struct emit_variant emitted;
    if (emit_variant(&emitted, context, prove->sources, row, error))
        return -1;
    *out = emit_hash_variant(&emitted) | 1;
    emit_dispose(&emitted);
    return 0;
}

/* The part that a variant belongs to: the same on every architecture. */
static uint64_t find_part(const struct prove *prove, const struct problem *problem,
                          const int64_t *row)
{
    uint64_t state = (uint64_t)problem->op << 16 | (uint64_t)problem->type << 8 | problem->acc;
    for (size_t i = 0; i < prove->space->param_count; i++)
        if (!prove->space->params[i].is_launch)
            state = stats_random(&state) ^ (uint64_t)row[i];
    return stats_random(&state) % prove->options->parts;
}

/* Adds a variant to the batches it belongs in: the emulator's only if its text is new. */
static int sort_variant(struct prove *prove, const struct point_context *context,
                        const struct points *points, size_t variant, struct batch *fresh,
                        struct batch *all, struct error *error)
{
    const int64_t *row = first_row(points, variant);
    uint64_t hash;
    bool was_there = false;
    if (find_part(prove, context->problem, row) != prove->options->part)
        return 0;
    if (hash_variant(prove, context, row, &hash, error) ||
        add_text(prove, hash, &was_there, error))
        return -1;
    if (!was_there)
        fresh->variants[fresh->count++] = variant;
    all->variants[all->count++] = variant;
    prove->result->same += was_there;
    return 0;
}

static int prove_points(struct prove *prove, const struct point_context *context,
                        const struct points *points, struct nvrtc *nvrtc, struct error *error)
{
    struct batch fresh = {.count = 0}, all = {.count = 0};
    for (size_t v = 0; v < points->variant_count; v++) {
        const bool is_last = v + 1 == points->variant_count;
        if (sort_variant(prove, context, points, v, &fresh, &all, error))
            return -1;
        if (fresh.count == COMPILER_UNIT || (is_last && fresh.count)) {
            if (prove_batch(prove, context, points, &fresh, error))
                return -1;
            fresh.count = 0;
        }
        if (all.count == COMPILER_UNIT || (is_last && all.count)) {
            if (nvrtc && compile_real(prove, context, points, &all, nvrtc, error))
                return -1;
            all.count = 0;
        }
        show_progress(prove, 1);
    }
    return 0;
}

/* Every problem on every target; in the first walk only to count. */
static int walk_product(struct prove *prove, bool counts_only, struct error *error)
{
    int failed = 0;
    for (int op = 0; op < OP_COUNT; op++)
        for (size_t e = 0; e < prove->element_count; e++)
            for (size_t t = 0; !failed && t < prove->target_count; t++) {
                struct problem problem = {(enum op)op, prove->elements[e].type,
                                          prove->elements[e].acc, N, COLD};
                const struct point_context context = {prove->space, &problem, &prove->targets[t]};
                struct points points;
                struct error ignored;
                if (problem_check(&problem, &ignored))
                    continue;
                if (point_expand(&points, &context, error))
                    return -1;
                if (counts_only)
                    prove->total += points.variant_count;
                else
                    failed = prove_points(prove, &context, &points, prove->nvrtc[t], error);
                point_dispose(&points);
            }
    return failed;
}

/* ----------------------------------------------------------------------------------------------- */

int prove_run(struct prove_result *out, struct device *device, const struct space *space,
              const struct emit_sources *sources, const struct prove_options *options,
              struct error *error)
{
    struct prove prove = {.device = device, .space = space, .sources = sources,
                          .options = options, .result = out};
    *out = (struct prove_result){.variants = 0};
    find_elements(&prove);
    int failed = find_targets(&prove, error);
    if (!failed && options->all)
        failed = walk_product(&prove, true, error) || walk_product(&prove, false, error);
    else if (!failed)
        failed = prove_sample(&prove, error);
    if (prove.check)
        check_close(prove.check);
    free(prove.texts);
    for (size_t i = 0; i < ARCHS; i++)
        if (prove.nvrtc[i])
            nvrtc_close(prove.nvrtc[i]);
    return failed ? -1 : 0;
}
