/* bench_against: opens everything for one problem, measures, and closes it. The L2 of cold
 * measurements is flushed by the space's default, which is proven too: our config may be made
 * for a small n. */
#include "autotune/measure/bench_against.h"

#include "autotune/device/monotonic.h"
#include "autotune/measure/bench.h"
#include "autotune/verify/check_small.h"
#include "autotune/verify/compiler.h"

#include <assert.h>
#include <string.h>

enum {
    OURS, /* our compiled variants; also the first of the sides */
    SWEEP,
    VARIANTS,
    HOST_POSITIONS = 256, /* positions tried one by one on the emulator */
};
static const double WARM_UP = 0.1; /* seconds, for the clocks to settle */

/* Another library, and what its calls need. */
struct rival {
    const struct baseline *baseline;
    const struct bench_against *against;
    uint64_t temp, temp_bytes;
};

struct bench_against {
    struct device *device;
    const struct point_context *context;
    const struct bench_against_options *options;
    struct input input;
    struct compiled_unit unit;
    struct device_module *module;
    struct device_kernel loaded[COMPILER_KERNELS];
    const struct device_kernel *kernels[VARIANTS][SPACE_PASSES_MAX];
    struct bench bench;
    struct rival rivals[PAIRED_SIDES_MAX];
    struct bench_entry entries[PAIRED_SIDES_MAX]; /* ours, then the baselines' */
    size_t sides;
};

/* --- Our kernel --------------------------------------------------------------------------- */

static int prove_small(struct bench_against *against, struct check *check,
                       const int64_t *config,
                       const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                       struct error *error)
{
    const struct check_configs configs = {config, config};
    struct check_outcome outcome;
    struct text params = {0};
    if (check_small(check, against->context, configs, kernels, &outcome, error))
        return -1;
    if (outcome.is_right)
        return 0;
    point_format(&params, against->context->space, config, true);
    error_set(error, ERROR_WRONG, "the kernel of %s is wrong: %s: tune again with --retune",
              params.at ? params.at : "the record", outcome.reason);
    text_dispose(&params);
    return -1;
}

/* Proves ours and the default at small sizes. On the host the L2 is not flushed, and the
 * default not needed. */
static int prove_kernels(struct bench_against *against, const int64_t *config,
                         struct error *error)
{
    const bool is_host = against->device->info.target.is_host;
    struct check *check;
    if (check_open(&check, against->device, against->context->problem,
                   is_host ? HOST_POSITIONS : UINT64_MAX, against->options->seed, error))
        return -1;
    int failed = prove_small(against, check, config, against->kernels[OURS], error);
    if (!failed && !is_host)
        failed = prove_small(against, check, against->context->space->default_config,
                             against->kernels[SWEEP], error);
    check_close(check);
    return failed;
}

static int open_kernels(struct bench_against *against, const struct emit_sources *sources,
                        const int64_t *config, struct error *error)
{
    const struct space *space = against->context->space;
    const size_t width = space->param_count, which[VARIANTS] = {OURS, SWEEP};
    int64_t configs[VARIANTS * SPACE_NAMES_MAX];
    struct point_variant variants[VARIANTS] = {{OURS, 1}, {SWEEP, 1}};
    const struct points points = {.width = width,
                                  .configs = configs,
                                  .count = VARIANTS,
                                  .variants = variants,
                                  .variant_count = VARIANTS};
    struct compiled_unit *unit = &against->unit;
    memcpy(configs, config, width * sizeof *configs);
    memcpy(configs + width, space->default_config, width * sizeof *configs);
    if (compiler_compile(unit, against->device, against->context, sources, &points, which,
                         VARIANTS, error))
        return -1;
    for (size_t i = 0; i < VARIANTS; i++)
        if (unit->variants[i].is_failed) {
            *error = unit->variants[i].reason;
            return -1;
        }
    if (against->device->ops->load(against->device, &unit->image, &against->module,
                                   against->loaded, error))
        return -1;
    for (size_t i = 0; i < VARIANTS; i++)
        compiler_kernels(&unit->variants[i], against->loaded, against->kernels[i]);
    return prove_kernels(against, config, error);
}

/* --- Other libraries ---------------------------------------------------------------------- */

static int queue_other(void *context, uint64_t input, uint64_t output, void *stream,
                       struct error *error)
{
    const struct rival *rival = context;
    const struct baseline_call call = {.problem = rival->against->context->problem,
                                       .input = input,
                                       .output = output,
                                       .temp = rival->temp,
                                       .temp_bytes = rival->temp_bytes};
    return baseline_queue(rival->baseline, &call, stream, error);
}

static int open_other(struct bench_against *against, size_t i, struct error *error)
{
    struct rival *rival = &against->rivals[i];
    const struct problem *problem = against->context->problem;
    *rival = (struct rival){.baseline = against->options->baselines[i], .against = against};
    return baseline_temp_bytes(rival->baseline, problem, &rival->temp_bytes, error) ||
                   against->device->ops->alloc(against->device, rival->temp_bytes, &rival->temp,
                                               error) ||
                   bench_adopt(&against->entries[1 + i], &against->bench, queue_other, rival,
                               against->bench.calls, error)
               ? -1
               : 0;
}

/* --- Measuring ---------------------------------------------------------------------------- */

static const char *name_of(const struct bench_against *against, size_t side)
{
    return side == OURS ? "our kernel" : against->rivals[side - 1].baseline->face->name;
}

static int prove_side(struct bench_against *against, size_t side, struct error *error)
{
    struct bench_outcome outcome;
    uint64_t ignored_ps;
    if (bench_prove(&against->bench, &against->entries[side], &ignored_ps, &outcome, error))
        return -1;
    return outcome.is_right ? 0
                            : error_set(error, ERROR_WRONG, "%s is wrong: %s",
                                        name_of(against, side), outcome.reason);
}

static int measure_side(void *context, size_t side, uint64_t *out_ps, struct error *error)
{
    struct bench_against *against = context;
    const struct bench_entry *entry = &against->entries[side];
    return against->options->is_queued
               ? bench_time_queued(&against->bench, entry, out_ps, error)
               : bench_time(&against->bench, entry, out_ps, error);
}

static int warm_up(struct bench_against *against, struct error *error)
{
    const double start = monotonic_s();
    uint64_t ignored_ps;
    while (!against->device->info.target.is_host && monotonic_s() - start < WARM_UP)
        for (size_t side = 0; side < against->sides; side++)
            if (measure_side(against, side, &ignored_ps, error))
                return -1;
    return 0;
}

static int measure_all(struct bench_against_result *out, struct bench_against *against,
                       struct error *error)
{
    struct paired_result results[PAIRED_SIDES_MAX];
    const uint64_t floor_ps = bench_floor_ps(&against->bench);
    for (size_t side = 0; side < against->sides; side++)
        if (prove_side(against, side, error))
            return -1;
    if (warm_up(against, error) || paired_run(results, against->sides, against->options->rounds,
                                              measure_side, against, error))
        return -1;
    size_t best = 1;
    for (size_t side = 0; side < against->sides; side++) {
        if (results[side].median_ps < floor_ps)
            return error_set(error, ERROR_WRONG,
                             "%s took less time than the memory needs to deliver the data: "
                             "do not believe this machine's clocks; see 'autotune doctor'",
                             name_of(against, side));
        if (side > 0 && results[side].ratio.middle < results[best].ratio.middle)
            best = side;
    }
    *out = (struct bench_against_result){.ours = results[OURS],
                                         .theirs = results[best],
                                         .best = best - 1,
                                         .calls = against->bench.calls};
    return 0;
}

/* --- The whole comparison ----------------------------------------------------------------- */

static int open_sides(struct bench_against *against, const struct emit_sources *sources,
                      const int64_t *config, struct error *error)
{
    const struct bench_against_options *options = against->options;
    const struct point_context *context = against->context;
    struct device *device = against->device;
    if (open_kernels(against, sources, config, error) ||
        input_open_offset(&against->input, device, context->problem,
                          input_count(context->problem, &device->info), options->seed,
                          options->offset, error) ||
        bench_open(&against->bench, device, &against->input, context,
                   context->space->default_config, against->kernels[SWEEP], error) ||
        bench_prepare(&against->entries[OURS], &against->bench, context, config,
                      against->kernels[OURS], against->bench.calls, error))
        return -1;
    against->sides = 1 + options->baseline_count;
    for (size_t i = 0; i < options->baseline_count; i++)
        if (open_other(against, i, error))
            return -1;
    return 0;
}

static void close_sides(struct bench_against *against)
{
    const struct device_ops *ops = against->device->ops;
    for (size_t side = 0; side < against->sides; side++)
        bench_release(&against->bench, &against->entries[side]);
    for (size_t i = 0; i < against->options->baseline_count; i++)
        if (against->rivals[i].temp)
            ops->free(against->device, against->rivals[i].temp);
    if (against->bench.device)
        bench_close(&against->bench);
    if (against->input.device)
        input_close(&against->input);
    if (against->module)
        ops->unload(against->device, against->module);
    compiler_dispose(&against->unit);
}

int bench_against_run(struct bench_against_result *out, struct device *device,
                      const struct point_context *context, const struct emit_sources *sources,
                      const int64_t *config, const struct bench_against_options *options,
                      struct error *error)
{
    assert(1 <= options->baseline_count && options->baseline_count < PAIRED_SIDES_MAX);
    assert(options->offset < 256);
    struct bench_against against = {.device = device, .context = context, .options = options};
    int failed =
        open_sides(&against, sources, config, error) || measure_all(out, &against, error);
    close_sides(&against);
    return failed ? -1 : 0;
}
