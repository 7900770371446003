/* other_space: while a guest is proven and timed, `measure` works for its space; the worker's own
 * comes back afterwards. */
#include "autotune/search/other_space.h"

#include "autotune/device/monotonic.h"
#include "autotune/embedded.h"

#include <stdio.h>
#include <string.h>

/* No measurement is begun after so many seconds of them, and none is longer than LONGEST. */
static const double SECONDS = 0.25, LONGEST = 0.1;

struct guest {
    struct measure *measure;
    const int64_t *row;
    struct compiled_unit unit;
    struct device_module *module;
    struct device_kernel loaded[COMPILER_KERNELS];
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct bench_entry entry;
    struct job_trial trial;
};

/* Measurements of several calls, where these are not too long. */
static int sample(struct guest *guest, struct error *error)
{
    struct measure *measure = guest->measure;
    struct bench *bench = &measure->bench;
    struct job_trial *trial = &guest->trial;
    const double start = monotonic_s();
    const double seconds = (double)trial->times_ps[0] * 1e-12 * (double)bench->calls;
    if (seconds > LONGEST)
        return 0;
    if (bench_prepare_more(&guest->entry, bench, measure->context, guest->row, guest->kernels,
                           bench->calls, error))
        return -1;
    trial->time_count = 0;
    do
        if (bench_time(bench, &guest->entry, &trial->times_ps[trial->time_count++], error))
            return -1;
    while (trial->time_count < JOB_SAMPLES && monotonic_s() - start < SECONDS);
    return 0;
}

/* The proof at full n is the first measurement. */
static int time_guest(struct guest *guest, struct error *error)
{
    struct measure *measure = guest->measure;
    if (measure_announce(measure, PHASE_MEASURE, 0, 0, error) ||
        bench_prepare(&guest->entry, &measure->bench, measure->context, guest->row,
                      guest->kernels, measure->input.count, error) ||
        measure_first(measure, &guest->entry, &guest->trial, error))
        return -1;
    return guest->trial.status == TRIAL_MEASURED ? sample(guest, error) : 0;
}

/* What is wrong at small sizes was reported by measure_variant; it is the verdict too. */
static int prove_and_time(struct guest *guest, struct error *error)
{
    struct measure *measure = guest->measure;
    const uint64_t id = 0;
    const struct job_variant variant = {.compiled = guest->unit.variants[0],
                                        .count = 1,
                                        .ids = &id,
                                        .rows = guest->row};
    bool is_right = true;
    if (measure_announce(measure, PHASE_LOAD, 0, 0, error) ||
        measure->device->ops->load(measure->device, &guest->unit.image, &guest->module,
                                   guest->loaded, error))
        return -1;
    compiler_kernels(&guest->unit.variants[0], guest->loaded, guest->kernels);
    guest->trial.registers = compiler_registers(guest->kernels);
    if (measure_announce(measure, PHASE_PROVE, 0, 0, error) ||
        measure_variant(measure, &variant, guest->kernels, &is_right, error))
        return -1;
    guest->trial.status = TRIAL_WRONG;
    return is_right ? time_guest(guest, error) : 0;
}

static int run(struct guest *guest, const struct emit_sources *sources, struct error *error)
{
    struct measure *measure = guest->measure;
    struct job_trial *trial = &guest->trial;
    trial->status = TRIAL_FAILED;
    if (measure_announce(measure, PHASE_LOAD, 0, 0, error) ||
        compiler_compile_row(&guest->unit, measure->device, measure->context, sources,
                             guest->row, error))
        return -1;
    if (guest->unit.variants[0].is_failed) {
        snprintf(trial->reason, sizeof trial->reason, "%.230s",
                 guest->unit.variants[0].reason.text);
        return 0;
    }
    int failed = prove_and_time(guest, error);
    bench_release(&measure->bench, &guest->entry);
    if (guest->module)
        measure->device->ops->unload(measure->device, guest->module);
    if (failed && measure_is_alive(measure)) { /* its own failure: the device goes on */
        trial->status = TRIAL_FAILED;
        snprintf(trial->reason, sizeof trial->reason, "%.230s", error->text);
        failed = 0;
    }
    return failed;
}

int guest_try(struct measure *measure, const struct emit_sources *sources,
              const struct job_guest *guest, struct error *error)
{
    const struct point_context *own = measure->context;
    struct emit_sources its_sources = *sources;
    struct guest state = {.measure = measure, .row = guest->row};
    struct space *space;
    if (space_load(&space, guest->space.name, guest->space.text, strlen(guest->space.text),
                   embedded_space, error))
        return -1;
    const struct point_context context = {space, own->problem, own->target};
    its_sources.template = guest->template;
    int failed = guest->width == space->param_count
                     ? 0
                     : error_set(error, ERROR_FAILED,
                                 "%s: another space than the coordinator's", guest->space.name);
    measure->context = &context;
    failed = failed || run(&state, &its_sources, error) ||
             job_send(measure->socket, JOB_TRIAL, &state.trial, sizeof state.trial, error);
    measure->context = own;
    compiler_dispose(&state.unit);
    space_free(space);
    return failed ? -1 : 0;
}
