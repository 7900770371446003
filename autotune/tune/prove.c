/* prove: walks over problems and architectures and proves the variants of each. Hides how the sample
 * is drawn and which NVRTC serves which architecture. */
#include "autotune/tune/prove.h"

#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "autotune/tune/check.h"
#include "autotune/tune/compiler.h"
#include "generator/cover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KERNELS_MAX = COMPILER_UNIT * SPACE_PASSES_MAX,
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
    uint64_t done, total;
};

/* --- The axes ---------------------------------------------------------------------------------- */

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

/* --- One unit of variants ---------------------------------------------------------------------- */

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
    if (prove->check && memcmp(&prove->check_problem, problem, sizeof *problem) == 0)
        return 0;
    if (prove->check)
        check_close(prove->check);
    prove->check = NULL;
    prove->check_problem = *problem;
    return check_open(&prove->check, prove->device, problem,
                      prove->device->info.target.is_host ? HOST_POSITIONS : UINT64_MAX,
                      prove->options->seed, error);
}

/* Compiles the unit's kernels for the real architecture; whoever does not compile is wrong. */
static int compile_real(struct prove *prove, const struct point_context *context,
                        const int64_t *row, struct nvrtc *nvrtc, struct error *error)
{
    struct target real = *context->target;
    const struct point_context inner = {context->space, context->problem, &real};
    struct device_source sources[SPACE_PASSES_MAX];
    struct device_image image = {0};
    struct emit_variant emitted;
    struct error reason;
    real.is_host = false;
    if (emit_variant(&emitted, &inner, prove->sources, row, error))
        return -1;
    for (size_t i = 0; i < emitted.count; i++)
        sources[i] = (struct device_source){emitted.texts[i].at, context->space->kernel};
    if (nvrtc_compile(nvrtc, real.cc, NVRTC_CUBIN, sources, emitted.count, &image, &reason))
        note_failure(prove, context, row, reason.text);
    else
        prove->result->compiled += emitted.count;
    device_dispose_image(&image);
    emit_dispose(&emitted);
    return 0;
}

static int prove_variant(struct prove *prove, const struct point_context *context,
                         const struct points *points, const struct compiled_variant *compiled,
                         const struct device_kernel *loaded, struct error *error)
{
    const struct point_variant *variant = &points->variants[compiled->variant];
    const int64_t *first = points->rows + variant->first * points->width;
    const struct check_rows rows = {first, first + (variant->count - 1) * points->width};
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct check_verdict small = {.is_right = true}, specials = {.is_right = true};
    if (compiled->is_failed) {
        note_failure(prove, context, first, compiled->reason.text);
        return 0;
    }
    compiler_kernels(compiled, loaded, kernels);
    if (check_small(prove->check, context, rows, kernels, &small, error) ||
        (small.is_right &&
         check_specials(prove->check, context, rows, kernels, &specials, error))) {
        if (error->code != ERROR_WRONG)
            return -1;
        note_failure(prove, context, first, error->text);
        return 0;
    }
    prove->result->cases += small.cases + specials.cases;
    if (!small.is_right || !specials.is_right)
        note_failure(prove, context, first, small.is_right ? specials.reason : small.reason);
    else
        prove->result->variants++;
    return 0;
}

static int prove_unit(struct prove *prove, const struct point_context *context,
                      const struct points *points, const size_t *variants, size_t count,
                      struct nvrtc *nvrtc, struct error *error)
{
    struct compiled_unit unit;
    struct device_kernel loaded[KERNELS_MAX];
    struct device_module *module = NULL;
    if (open_check(prove, context->problem, error) ||
        compiler_compile(&unit, prove->device, context, prove->sources, points, variants, count,
                         error))
        return -1;
    int failed = unit.image.count && prove->device->ops->load(prove->device, &unit.image, &module,
                                                              loaded, error);
    for (size_t i = 0; !failed && i < count; i++) {
        const size_t first = points->variants[variants[i]].first;
        failed = prove_variant(prove, context, points, &unit.variants[i], loaded, error) ||
                 (nvrtc && compile_real(prove, context, points->rows + first * points->width, nvrtc,
                                        error));
    }
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

/* --- A covering sample ------------------------------------------------------------------------- */

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
    struct problem problem;
    size_t target, only = 0;
    int64_t row[SPACE_NAMES_MAX];
    struct point_variant variant = {0, 1};
    choose(prove, choice, &problem, &target, row);
    const struct point_context context = {prove->space, &problem, &prove->targets[target]};
    const struct points points = {.width = prove->space->param_count, .rows = row, .count = 1,
                                  .variants = &variant, .variant_count = 1};
    int failed = prove_unit(prove, &context, &points, &only, 1, prove->nvrtc[target], error);
    show_progress(prove, 1);
    return failed;
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

/* --- The whole product ------------------------------------------------------------------------- */

static int prove_points(struct prove *prove, const struct point_context *context,
                        struct nvrtc *nvrtc, bool counts_only, uint64_t *unit_index,
                        struct error *error)
{
    struct points points;
    if (point_expand(&points, context, error))
        return -1;
    int failed = 0;
    for (size_t v = 0; !failed && v < points.variant_count; v += COMPILER_UNIT) {
        size_t variants[COMPILER_UNIT], count = 0;
        while (count < COMPILER_UNIT && v + count < points.variant_count) {
            variants[count] = v + count;
            count++;
        }
        if ((*unit_index)++ % prove->options->parts != prove->options->part)
            continue;
        if (counts_only) {
            prove->total += count;
            continue;
        }
        failed = prove_unit(prove, context, &points, variants, count, nvrtc, error);
        show_progress(prove, count);
    }
    point_dispose(&points);
    return failed;
}

static int walk_product(struct prove *prove, bool counts_only, struct error *error)
{
    uint64_t unit_index = 0;
    for (int op = 0; op < OP_COUNT; op++)
        for (size_t e = 0; e < prove->element_count; e++)
            for (size_t t = 0; t < prove->target_count; t++) {
                struct problem problem = {(enum op)op, prove->elements[e].type,
                                          prove->elements[e].acc, N, COLD};
                const struct point_context context = {prove->space, &problem, &prove->targets[t]};
                struct error ignored;
                if (problem_check(&problem, &ignored) == 0 &&
                    prove_points(prove, &context, prove->nvrtc[t], counts_only, &unit_index, error))
                    return -1;
            }
    return 0;
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
    for (size_t i = 0; i < ARCHS; i++)
        if (prove.nvrtc[i])
            nvrtc_close(prove.nvrtc[i]);
    return failed ? -1 : 0;
}
