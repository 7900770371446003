/* proof: emits, compiles and runs variants, and notes which are wrong. Units that fail are
 * tried again variant by variant. */
#include "autotune/verify/proof.h"

#include <stdio.h>
#include <string.h>

enum { HOST_POSITIONS = 256 };

void proof_dispose(struct proof *proof)
{
    if (proof->check)
        check_close(proof->check);
    proof->check = NULL;
}

const int64_t *proof_config(const struct points *points, size_t variant)
{
    return points->configs + points->variants[variant].first * points->width;
}

/* Names the problem, architecture and variant. */
static void name_variant(char *out, size_t size, const struct point_context *context,
                         const int64_t *config)
{
    struct text params = {0};
    char problem[PROBLEM_CHARS];
    point_format(&params, context->space, config, true);
    snprintf(out, size, "%s sm_%d %s", problem_format(problem, context->problem),
             context->target->cc, params.at ? params.at : "");
    text_dispose(&params);
}

static void note_failure(struct proof *proof, const struct point_context *context,
                         const int64_t *config, const char *reason)
{
    struct proof_result *result = proof->result;
    if (result->wrong < PROOF_FAILURES_MAX) {
        struct proof_failure *failure = &result->failures[result->wrong];
        name_variant(failure->what, sizeof failure->what, context, config);
        snprintf(failure->reason, sizeof failure->reason, "%.230s", reason);
    }
    result->wrong++;
}

struct dims proof_dims(const struct dims *dims)
{
    enum { RESULTS = 1 << DIMS_AXES }; /* two along each axis that is kept */
    const uint64_t results = dims_kept(dims);
    return dims_resized(dims, results < RESULTS ? results : RESULTS, PROBLEM_USUAL_N, 0);
}

static int open_check(struct proof *proof, const struct problem *problem, struct error *error)
{
    const struct problem *open = &proof->check_problem; /* regime and n are the same for all */
    if (proof->check && open->op == problem->op && open->type == problem->type &&
        open->acc == problem->acc && dims_is_alike(&open->dims, &problem->dims))
        return 0;
    if (proof->check)
        check_close(proof->check);
    proof->check = NULL;
    proof->check_problem = *problem;
    proof->check_problem.dims = proof_dims(&problem->dims);
    const uint64_t usual = proof->device->info.target.is_host ? HOST_POSITIONS : UINT64_MAX;
    if (check_open(&proof->check, proof->device, &proof->check_problem, proof->sources,
                   proof->positions ? proof->positions : usual, proof->seed, error))
        return -1;
    if (proof->watch)
        check_tell(proof->check, proof->watch->answer, proof->watch->answer);
    return 0;
}

/* Compiles kernels for the real architecture; a variant that does not compile is wrong. Several
 * together, and one by one only if that fails. */
int proof_compile(struct proof *proof, const struct point_context *context,
                  const struct points *points, const struct proof_batch *batch,
                  struct nvrtc *nvrtc, struct error *error)
{
    struct device_source sources[COMPILER_KERNELS] = {{0}};
    struct emit_variant emitted[COMPILER_UNIT];
    struct device_image image = {0};
    struct error reason;
    size_t count = 0, done = 0;
    for (; done < batch->count; done++) {
        const int64_t *config = proof_config(points, batch->variants[done]);
        if (emit_variant(&emitted[done], context, proof->sources, config, error))
            break;
        for (size_t i = 0; i < emitted[done].count; i++)
            sources[count++] =
                (struct device_source){emit_source(&emitted[done], i), context->space->kernel};
    }
    int failed = done < batch->count ? -1 : 0;
    bool is_good = !failed && nvrtc_compile(nvrtc, context->target->cc, NVRTC_CUBIN, sources,
                                            count, &image, &reason) == 0;
    device_dispose_image(&image);
    for (size_t i = 0; i < done; i++)
        emit_dispose(&emitted[i]);
    if (is_good)
        proof->result->compiled += count;
    else if (!failed && reason.code != ERROR_FAILED)
        failed = error_set(error, reason.code, "%s", reason.text);
    else if (!failed && batch->count == 1)
        note_failure(proof, context, proof_config(points, batch->variants[0]), reason.text);
    for (size_t i = 0; !failed && !is_good && batch->count > 1 && i < batch->count; i++) {
        const struct proof_batch alone = {.variants = {batch->variants[i]}, .count = 1};
        failed = proof_compile(proof, context, points, &alone, nvrtc, error);
    }
    return failed;
}

/* Must all blocks of a pass be under way at once? */
static bool needs_residence(const struct point_context *context, const int64_t *config)
{
    for (size_t pass = 0; pass < context->space->pass_count; pass++) {
        struct error ignored;
        bool applies;
        if (context->space->passes[pass].is_cooperative &&
            point_applies(context, config, pass, &applies, &ignored) == 0 && applies)
            return true;
    }
    return false;
}

/* Reports that the config's kernels run, or, with `config` NULL, run no longer. */
static void watch(const struct proof *proof, const struct point_context *context,
                  const int64_t *config)
{
    char what[sizeof((struct proof_failure *)0)->what];
    if (!proof->watch)
        return;
    if (config)
        name_variant(what, sizeof what, context, config);
    proof->watch->kernel(config ? what : NULL);
}

static int prove_variant(struct proof *proof, const struct point_context *context,
                         const struct points *points, const struct compiled_variant *compiled,
                         const struct device_kernel *loaded, struct error *error)
{
    const struct point_variant *variant = &points->variants[compiled->variant];
    const int64_t *first = proof_config(points, compiled->variant);
    struct check_configs configs;
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct check_outcome small = {.is_right = true}, specials = {.is_right = true};
    struct target resident = *context->target;
    const struct point_context launch = {context->space, context->problem, &resident};
    if (compiled->is_failed) {
        note_failure(proof, context, first, compiled->reason.text);
        return 0;
    }
    if (needs_residence(context, first)) /* blocks run on the SMs that the device has */
        resident.sms = proof->device->info.target.sms;
    compiler_kernels(compiled, loaded, kernels);
    if (check_choose(&configs, &launch, first, variant->count, error))
        return -1;
    watch(proof, context, first);
    const int failed = check_small(proof->check, &launch, configs, kernels,
                                   proof->is_drawn ? proof->seed : CHECK_ALL, &small, error) ||
                       (small.is_right && check_specials(proof->check, &launch, configs,
                                                         kernels, &specials, error));
    watch(proof, context, NULL);
    if (failed)
        return -1;
    proof->result->cases += small.cases + specials.cases;
    if (!small.is_right || !specials.is_right)
        note_failure(proof, context, first, small.is_right ? specials.reason : small.reason);
    else
        proof->result->variants++;
    return 0;
}

int proof_unit(struct proof *proof, const struct point_context *context,
               const struct points *points, const struct compiled_unit *unit,
               struct error *error)
{
    struct device_kernel loaded[COMPILER_KERNELS];
    struct device_module *module = NULL;
    if (open_check(proof, context->problem, error))
        return -1;
    int failed = unit->image.count &&
                 proof->device->ops->load(proof->device, &unit->image, &module, loaded, error);
    for (size_t i = 0; !failed && i < unit->count; i++)
        failed = prove_variant(proof, context, points, &unit->variants[i], loaded, error);
    if (module)
        proof->device->ops->unload(proof->device, module);
    return failed ? -1 : 0;
}

int proof_run(struct proof *proof, const struct point_context *context,
              const struct points *points, const struct proof_batch *batch, struct error *error)
{
    struct compiled_unit unit;
    if (compiler_compile(&unit, proof->device, context, proof->sources, points, batch->variants,
                         batch->count, error))
        return -1;
    const int failed = proof_unit(proof, context, points, &unit, error);
    compiler_dispose(&unit);
    return failed;
}
