/* other_space: proves and times a kernel of another space. Meanwhile the measurer's context is
 * that space's; the worker's own is restored afterwards. */
#include "autotune/search/other_space.h"

#include "autotune/device/monotonic.h"
#include "autotune/embedded.h"

#include <stdio.h>
#include <string.h>

/* No measurement is begun after so many seconds of them, and none is longer than LONGEST. */
static const double SECONDS = 0.25, LONGEST = 0.1;

struct other_space {
    struct measurer *measurer;
    const int64_t *config;
    struct compiled_unit unit;
    struct device_module *module;
    struct device_kernel loaded[COMPILER_KERNELS];
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct bench_entry entry;
    struct job_trial message; /* of candidate 0 */
};

/* Takes measurements of several calls, where these are not too long. */
static int sample(struct other_space *other_kernel, struct error *error)
{
    struct measurer *measurer = other_kernel->measurer;
    struct bench *bench = &measurer->bench;
    struct trial *trial = &other_kernel->message.trial;
    const double start = monotonic_s();
    const double seconds = (double)trial->times_ps[0] * 1e-12 * (double)bench->calls;
    if (seconds > LONGEST)
        return 0;
    if (bench_prepare_more(&other_kernel->entry, bench, measurer->context, other_kernel->config,
                           other_kernel->kernels, bench->calls, error))
        return -1;
    trial->time_count = 0;
    do
        if (bench_time(bench, &other_kernel->entry, &trial->times_ps[trial->time_count++],
                       error))
            return -1;
    while (trial->time_count < TRIAL_SAMPLES && monotonic_s() - start < SECONDS);
    return 0;
}

/* Proves at full n, which is the first measurement. */
static int time_other(struct other_space *other_kernel, struct error *error)
{
    struct measurer *measurer = other_kernel->measurer;
    if (measurer_announce(measurer, PHASE_MEASURE, 0, 0, error) ||
        bench_prepare(&other_kernel->entry, &measurer->bench, measurer->context,
                      other_kernel->config, other_kernel->kernels, measurer->input.count,
                      error) ||
        measurer_first(measurer, &other_kernel->entry, 0, &other_kernel->message.trial, error))
        return -1;
    return other_kernel->message.trial.status == TRIAL_MEASURED ? sample(other_kernel, error)
                                                                : 0;
}

/* A fault at small sizes was reported by measurer_variant; it is the trial's outcome too. */
static int prove_and_time(struct other_space *other_kernel, struct error *error)
{
    struct measurer *measurer = other_kernel->measurer;
    const uint64_t id = 0;
    const struct job_variant variant = {.compiled = other_kernel->unit.variants[0],
                                        .count = 1,
                                        .ids = &id,
                                        .configs = other_kernel->config};
    bool is_right = true;
    if (measurer_announce(measurer, PHASE_LOAD, 0, 0, error) ||
        measurer->device->ops->load(measurer->device, &other_kernel->unit.image,
                                    &other_kernel->module, other_kernel->loaded, error))
        return -1;
    compiler_kernels(&other_kernel->unit.variants[0], other_kernel->loaded,
                     other_kernel->kernels);
    other_kernel->message.trial.registers = compiler_registers(other_kernel->kernels);
    if (measurer_announce(measurer, PHASE_PROVE, 0, 0, error) ||
        measurer_variant(measurer, &variant, other_kernel->kernels, &is_right, error))
        return -1;
    other_kernel->message.trial.status = TRIAL_WRONG;
    return is_right ? time_other(other_kernel, error) : 0;
}

static int run(struct other_space *other_kernel, const struct emit_sources *sources,
               struct error *error)
{
    struct measurer *measurer = other_kernel->measurer;
    struct trial *trial = &other_kernel->message.trial;
    trial->status = TRIAL_FAILED;
    if (measurer_announce(measurer, PHASE_LOAD, 0, 0, error) ||
        compiler_compile_config(&other_kernel->unit, measurer->device, measurer->context,
                                sources, other_kernel->config, error))
        return -1;
    if (other_kernel->unit.variants[0].is_failed) {
        trial_set_reason(trial->reason, other_kernel->unit.variants[0].reason.text);
        return 0;
    }
    int failed = prove_and_time(other_kernel, error);
    bench_release(&measurer->bench, &other_kernel->entry);
    if (other_kernel->module)
        measurer->device->ops->unload(measurer->device, other_kernel->module);
    if (failed && measurer_is_alive(measurer)) { /* the device still works */
        trial->status = TRIAL_FAILED;
        trial_set_reason(trial->reason, error->text);
        failed = 0;
    }
    return failed;
}

int other_space_try(struct measurer *measurer, const struct emit_sources *sources,
                    const struct job_other_space *other_kernel, struct error *error)
{
    const struct point_context *own = measurer->context;
    struct emit_sources its_sources = *sources;
    struct other_space state = {.measurer = measurer, .config = other_kernel->config};
    struct space *space;
    if (space_load(&space, other_kernel->space.name, other_kernel->space.text,
                   strlen(other_kernel->space.text), embedded_space, error))
        return -1;
    const struct point_context context = {space, own->problem, own->target};
    its_sources.template = other_kernel->template;
    its_sources.has_own_template = false;
    int failed =
        other_kernel->width == space->param_count
            ? 0
            : error_set(error, ERROR_FAILED, "%s: another space than the coordinator's",
                        other_kernel->space.name);
    measurer->context = &context;
    failed = failed || run(&state, &its_sources, error) ||
             job_send(measurer->socket, JOB_TRIAL, &state.message, sizeof state.message, error);
    measurer->context = own;
    compiler_dispose(&state.unit);
    space_free(space);
    return failed ? -1 : 0;
}
