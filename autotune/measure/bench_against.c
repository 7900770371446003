/* bench_against: opens everything for one problem, measures, closes it. The sweep of cold
 * measurements is the space's default, which is proven too: ours may be made for a small n. */
#include "autotune/measure/bench_against.h"

#include "autotune/device/monotonic.h"
#include "autotune/measure/bench.h"
#include "autotune/verify/check.h"
#include "autotune/verify/compiler.h"

#include <string.h>

enum {
    OURS, /* variants that are compiled; also the first of the sides */
    SWEEP,
    VARIANTS,
    HOST_POSITIONS = 256, /* positions tried one by one on the emulator */
};
static const double WARM_UP = 0.1; /* seconds, for the clocks to settle */

/* One of the others, and what its calls need. */
struct rival {
    const struct baseline *baseline;
    const struct contest *contest;
    uint64_t temp, temp_bytes;
};

struct contest {
    struct device *device;
    const struct point_context *context;
    const struct contest_options *options;
    struct input input;
    struct compiled_unit unit;
    struct device_module *module;
    struct device_kernel loaded[COMPILER_KERNELS];
    const struct device_kernel *kernels[VARIANTS][SPACE_PASSES_MAX];
    struct bench bench;
    struct rival rivals[VERSUS_SIDES_MAX];
    struct bench_entry entries[VERSUS_SIDES_MAX]; /* ours, then the rivals' */
    size_t sides;
};

/* --- Ours --------------------------------------------------------------------------------- */

static int prove_small(struct contest *contest, struct check *check, const int64_t *row,
                       const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                       struct error *error)
{
    const struct check_rows rows = {row, row};
    struct check_verdict verdict;
    struct text params = {0};
    if (check_small(check, contest->context, rows, kernels, &verdict, error))
        return -1;
    if (verdict.is_right)
        return 0;
    point_format(&params, contest->context->space, row, true);
    error_set(error, ERROR_WRONG, "the kernel of %s is wrong: %s: tune again with --retune",
              params.at ? params.at : "the record", verdict.reason);
    text_dispose(&params);
    return -1;
}

/* On the host nothing is swept, and the default is left alone. */
static int prove_kernels(struct contest *contest, const int64_t *row, struct error *error)
{
    const bool is_host = contest->device->info.target.is_host;
    struct check *check;
    if (check_open(&check, contest->device, contest->context->problem,
                   is_host ? HOST_POSITIONS : UINT64_MAX, contest->options->seed, error))
        return -1;
    int failed = prove_small(contest, check, row, contest->kernels[OURS], error);
    if (!failed && !is_host)
        failed = prove_small(contest, check, contest->context->space->default_row,
                             contest->kernels[SWEEP], error);
    check_close(check);
    return failed;
}

static int open_kernels(struct contest *contest, const struct emit_sources *sources,
                        const int64_t *row, struct error *error)
{
    const struct space *space = contest->context->space;
    const size_t width = space->param_count, which[VARIANTS] = {OURS, SWEEP};
    int64_t rows[VARIANTS * SPACE_NAMES_MAX];
    struct point_variant variants[VARIANTS] = {{OURS, 1}, {SWEEP, 1}};
    const struct points points = {.width = width,
                                  .rows = rows,
                                  .count = VARIANTS,
                                  .variants = variants,
                                  .variant_count = VARIANTS};
    struct compiled_unit *unit = &contest->unit;
    memcpy(rows, row, width * sizeof *rows);
    memcpy(rows + width, space->default_row, width * sizeof *rows);
    if (compiler_compile(unit, contest->device, contest->context, sources, &points, which,
                         VARIANTS, error))
        return -1;
    for (size_t i = 0; i < VARIANTS; i++)
        if (unit->variants[i].is_failed) {
            *error = unit->variants[i].reason;
            return -1;
        }
    if (contest->device->ops->load(contest->device, &unit->image, &contest->module,
                                   contest->loaded, error))
        return -1;
    for (size_t i = 0; i < VARIANTS; i++)
        compiler_kernels(&unit->variants[i], contest->loaded, contest->kernels[i]);
    return prove_kernels(contest, row, error);
}

/* --- The others --------------------------------------------------------------------------- */

static int queue_rival(void *context, uint64_t input, uint64_t output, void *stream,
                       struct error *error)
{
    const struct rival *rival = context;
    const struct baseline_call call = {.problem = rival->contest->context->problem,
                                       .input = input,
                                       .output = output,
                                       .temp = rival->temp,
                                       .temp_bytes = rival->temp_bytes};
    return baseline_queue(rival->baseline, &call, stream, error);
}

static int open_rival(struct contest *contest, size_t i, struct error *error)
{
    struct rival *rival = &contest->rivals[i];
    const struct problem *problem = contest->context->problem;
    *rival = (struct rival){.baseline = contest->options->baselines[i], .contest = contest};
    return baseline_temp_bytes(rival->baseline, problem, &rival->temp_bytes, error) ||
                   contest->device->ops->alloc(contest->device, rival->temp_bytes, &rival->temp,
                                               error) ||
                   bench_adopt(&contest->entries[1 + i], &contest->bench, queue_rival, rival,
                               contest->bench.calls, error)
               ? -1
               : 0;
}

/* --- Measuring ---------------------------------------------------------------------------- */

static const char *name_of(const struct contest *contest, size_t side)
{
    return side == OURS ? "our kernel" : contest->rivals[side - 1].baseline->face->name;
}

static int prove_side(struct contest *contest, size_t side, struct error *error)
{
    struct bench_verdict verdict;
    uint64_t ignored_ps;
    if (bench_prove(&contest->bench, &contest->entries[side], &ignored_ps, &verdict, error))
        return -1;
    return verdict.is_right ? 0
                            : error_set(error, ERROR_WRONG, "%s is wrong: %s",
                                        name_of(contest, side), verdict.reason);
}

static int measure_side(void *context, size_t side, uint64_t *out_ps, struct error *error)
{
    struct contest *contest = context;
    const struct bench_entry *entry = &contest->entries[side];
    return contest->options->is_queued
               ? bench_time_queued(&contest->bench, entry, out_ps, error)
               : bench_time(&contest->bench, entry, out_ps, error);
}

static int warm_up(struct contest *contest, struct error *error)
{
    const double start = monotonic_s();
    uint64_t ignored_ps;
    while (!contest->device->info.target.is_host && monotonic_s() - start < WARM_UP)
        for (size_t side = 0; side < contest->sides; side++)
            if (measure_side(contest, side, &ignored_ps, error))
                return -1;
    return 0;
}

static int measure_all(struct contest_result *out, struct contest *contest, struct error *error)
{
    struct versus_result results[VERSUS_SIDES_MAX];
    const uint64_t floor_ps = bench_floor_ps(&contest->bench);
    for (size_t side = 0; side < contest->sides; side++)
        if (prove_side(contest, side, error))
            return -1;
    if (warm_up(contest, error) || versus_run(results, contest->sides, contest->options->rounds,
                                              measure_side, contest, error))
        return -1;
    size_t best = 1;
    for (size_t side = 0; side < contest->sides; side++) {
        if (results[side].median_ps < floor_ps)
            return error_set(error, ERROR_WRONG,
                             "%s took less time than the memory needs to deliver the data: "
                             "do not believe this machine's clocks; see 'autotune doctor'",
                             name_of(contest, side));
        if (side > 0 && results[side].ratio.middle < results[best].ratio.middle)
            best = side;
    }
    *out = (struct contest_result){.ours = results[OURS],
                                   .theirs = results[best],
                                   .best = best - 1,
                                   .calls = contest->bench.calls};
    return 0;
}

/* --- The whole ---------------------------------------------------------------------------- */

static int open_sides(struct contest *contest, const struct emit_sources *sources,
                      const int64_t *row, struct error *error)
{
    const struct contest_options *options = contest->options;
    const struct point_context *context = contest->context;
    struct device *device = contest->device;
    if (open_kernels(contest, sources, row, error) ||
        input_open_offset(&contest->input, device, context->problem,
                          input_count(context->problem, &device->info), options->seed,
                          options->offset, error) ||
        bench_open(&contest->bench, device, &contest->input, context,
                   context->space->default_row, contest->kernels[SWEEP], error) ||
        bench_prepare(&contest->entries[OURS], &contest->bench, context, row,
                      contest->kernels[OURS], contest->bench.calls, error))
        return -1;
    contest->sides = 1 + options->baseline_count;
    for (size_t i = 0; i < options->baseline_count; i++)
        if (open_rival(contest, i, error))
            return -1;
    return 0;
}

static void close_sides(struct contest *contest)
{
    const struct device_ops *ops = contest->device->ops;
    for (size_t side = 0; side < contest->sides; side++)
        bench_release(&contest->bench, &contest->entries[side]);
    for (size_t i = 0; i < contest->options->baseline_count; i++)
        if (contest->rivals[i].temp)
            ops->free(contest->device, contest->rivals[i].temp);
    if (contest->bench.device)
        bench_close(&contest->bench);
    if (contest->input.device)
        input_close(&contest->input);
    if (contest->module)
        ops->unload(contest->device, contest->module);
    compiler_dispose(&contest->unit);
}

int contest_run(struct contest_result *out, struct device *device,
                const struct point_context *context, const struct emit_sources *sources,
                const int64_t *row, const struct contest_options *options, struct error *error)
{
    struct contest contest = {.device = device, .context = context, .options = options};
    int failed = open_sides(&contest, sources, row, error) || measure_all(out, &contest, error);
    close_sides(&contest);
    return failed ? -1 : 0;
}
