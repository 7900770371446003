/* bench_against: opens everything for one problem, measures, and closes it. The L2 of cold
 * measurements is flushed by the space's default, which is proven too: our config may be made
 * for a small n. */
#include "autotune/measure/bench_against.h"

#include "autotune/device/monotonic.h"
#include "autotune/measure/session.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    OURS, /* our compiled config; also the first of the sides */
    FLUSH,
    CONFIGS,
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
    const struct point_context *context;
    const struct bench_against_options *options;
    struct session session;
    struct loaded loaded;
    struct session_kernel sides[PAIRED_SIDES_MAX]; /* ours, then the baselines' */
    struct rival rivals[PAIRED_SIDES_MAX];
    size_t side_count;
};

/* --- Our kernel --------------------------------------------------------------------------- */

static int prove_small(struct bench_against *against, struct session_kernel *kernel,
                       struct error *error)
{
    struct check_outcome outcome;
    struct text params = {0};
    if (session_prove_small(&against->session, kernel, kernel->config, 1, CHECK_ALL, &outcome,
                            error))
        return -1;
    if (outcome.is_right)
        return 0;
    point_format(&params, kernel->context->space, kernel->config, true);
    error_set(error, ERROR_WRONG, "the kernel of %s is wrong: %s: tune again with --retune",
              params.at ? params.at : "the record", outcome.reason);
    text_dispose(&params);
    return -1;
}

/* Ours, and the default where the L2 is flushed: not on the host. */
static int open_kernels(struct bench_against *against, const struct emit_sources *sources,
                        const int64_t *config, struct error *error)
{
    const struct point_context *context = against->context;
    const struct space *space = context->space;
    const size_t width = space->param_count;
    const size_t count = against->session.device->info.target.is_host ? 1 : CONFIGS;
    int64_t configs[CONFIGS * SPACE_NAMES_MAX];
    struct session_kernel kernels[CONFIGS] = {
        [OURS] = {.context = context, .config = config},
        [FLUSH] = {.context = context, .config = space->default_config},
    };
    memcpy(configs, config, width * sizeof *configs);
    memcpy(configs + width, space->default_config, width * sizeof *configs);
    if (loaded_open(&against->loaded, against->session.device, context, sources, configs, count,
                    error))
        return -1;
    for (size_t i = 0; i < count; i++) {
        loaded_kernels(&against->loaded, i, kernels[i].kernels);
        if (prove_small(against, &kernels[i], error))
            return -1;
    }
    against->sides[OURS] = kernels[OURS];
    return session_open_bench(&against->session, &kernels[count - 1], error);
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
    against->sides[1 + i].is_right_small = true; /* it is proven at n alone */
    *rival = (struct rival){.baseline = against->options->baselines[i], .against = against};
    return baseline_temp_bytes(rival->baseline, problem, &rival->temp_bytes, error) ||
                   against->session.device->ops->alloc(against->session.device,
                                                       rival->temp_bytes, &rival->temp,
                                                       error) ||
                   bench_adopt(&against->sides[1 + i].entry, &against->session.bench,
                               queue_other, rival, against->session.bench.calls, error)
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
    if (session_prove(&against->session, &against->sides[side], side, &ignored_ps, &outcome,
                      error))
        return -1;
    return outcome.is_right ? 0
                            : error_set(error, ERROR_WRONG, "%s is wrong: %s",
                                        name_of(against, side), outcome.reason);
}

static int measure_side(void *context, size_t side, uint64_t *out_ps, struct error *error)
{
    struct bench_against *against = context;
    return session_time(&against->session, &against->sides[side], against->options->is_queued,
                        out_ps, error);
}

static int warm_up(struct bench_against *against, struct error *error)
{
    const double start = monotonic_s();
    uint64_t ignored_ps;
    while (!against->session.device->info.target.is_host && monotonic_s() - start < WARM_UP)
        for (size_t side = 0; side < against->side_count; side++)
            if (measure_side(against, side, &ignored_ps, error))
                return -1;
    return 0;
}

static int measure_all(struct bench_against_result *out, struct bench_against *against,
                       struct error *error)
{
    struct paired_result results[PAIRED_SIDES_MAX];
    const uint64_t floor_ps = bench_floor_ps(&against->session.bench);
    for (size_t side = 0; side < against->side_count; side++)
        if (prove_side(against, side, error))
            return -1;
    if (warm_up(against, error) ||
        paired_run(results, against->side_count, against->options->rounds, measure_side,
                   against, error))
        return -1;
    size_t best = 1;
    for (size_t side = 0; side < against->side_count; side++) {
        if (results[side].median_ps < floor_ps)
            return error_set(error, ERROR_WRONG,
                             "%s took less time than the memory needs to deliver the data: "
                             "do not believe this machine's clocks; see 'autotune doctor'",
                             name_of(against, side));
        if (side > 0 && results[side].ratio.middle < results[best].ratio.middle)
            best = side;
    }
    *out = (struct bench_against_result){.ours = results[OURS],
                                         .best = best - 1,
                                         .calls = against->session.bench.calls};
    memcpy(out->theirs, results + 1, (against->side_count - 1) * sizeof *results);
    return 0;
}

/* --- The whole comparison ----------------------------------------------------------------- */

static int open_sides(struct bench_against *against, struct device *device,
                      const struct emit_sources *sources, const int64_t *config,
                      struct error *error)
{
    const struct bench_against_options *options = against->options;
    const struct session_options inputs = {sources, options->seed, options->offset,
                                           HOST_POSITIONS};
    if (session_open(&against->session, device, against->context, &inputs, error) ||
        open_kernels(against, sources, config, error) ||
        session_prepare(&against->session, &against->sides[OURS], against->session.bench.calls,
                        error))
        return -1;
    against->side_count = 1 + options->baseline_count;
    for (size_t i = 0; i < options->baseline_count; i++)
        if (open_other(against, i, error))
            return -1;
    return 0;
}

static void close_sides(struct bench_against *against)
{
    struct device *device = against->session.device;
    for (size_t side = 0; side < against->side_count; side++)
        session_release(&against->session, &against->sides[side]);
    for (size_t i = 0; i < against->options->baseline_count; i++)
        if (against->rivals[i].temp)
            device->ops->free(device, against->rivals[i].temp);
    session_close(&against->session);
    loaded_close(&against->loaded);
}

int bench_against_run(struct bench_against_result *out, struct device *device,
                      const struct point_context *context, const struct emit_sources *sources,
                      const int64_t *config, const struct bench_against_options *options,
                      struct error *error)
{
    assert(1 <= options->baseline_count && options->baseline_count < PAIRED_SIDES_MAX);
    assert(options->offset < 256);
    struct bench_against *against = malloc(sizeof *against);
    if (!against)
        return error_memory(error, sizeof *against);
    *against = (struct bench_against){.context = context, .options = options};
    int failed =
        open_sides(against, device, sources, config, error) || measure_all(out, against, error);
    close_sides(against);
    free(against);
    return failed ? -1 : 0;
}
