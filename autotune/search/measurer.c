/* measurer: the reference kernel is the space's default: it is proven first, warms the
 * device up, and is timed with every unit, so that times taken at different moments can be
 * compared. */
#include "autotune/search/measurer.h"

#include "autotune/device/monotonic.h"
#include "autotune/measure/stats.h"
#include "generator/random.h"

#include <stdio.h>
#include <string.h>
#include <sys/time.h> /* setitimer */

enum {
    SAMPLES = 3,          /* measurements in a step of warming up */
    HOST_POSITIONS = 512, /* positions tried one by one on the emulator */
    MARKS = 3,            /* more places of the deciding element at full n */
};
static const double HOPELESS = 1.03;    /* a first time this far from the best is the last */
static const double DEFAULT_LIMIT = 30; /* seconds of its first proofs on the emulator */
static const double WARM_UP_LEAST = 0.1, WARM_UP_MOST = 1; /* seconds */

static uint64_t microseconds_since(double start)
{
    return (uint64_t)((monotonic_s() - start) * 1e6);
}

/* --- Opening ------------------------------------------------------------------------------ */

int measure_blame_default(const struct measure *measure, const char *reason,
                          struct error *error)
{
    const struct space *space = measure->context->space;
    struct text params = {0};
    point_format(&params, space, space->default_row, true);
    error_set(error, ERROR_WRONG,
              "%s: the kernel of %s is wrong: %s; correct the template or the space",
              space->file, params.at ? params.at : "", reason);
    text_dispose(&params);
    return -1;
}

/* The device failed while the default's kernel ran: to blame is the kernel, unless the device goes
 * on. */
static int blame_crash(const struct measure *measure, struct error *error)
{
    char reason[JOB_REASON];
    if (measure_is_alive(measure))
        return -1;
    snprintf(reason, sizeof reason, "it crashed (%.200s)", error->text);
    return measure_blame_default(measure, reason, error);
}

/* An endless kernel of the emulator uses up processor time, whatever else the machine does: then
 * SIGPROF ends the worker. 0 = no limit any more. */
static void limit_default(const struct measure *measure, double seconds)
{
    const struct itimerval limit = {.it_value.tv_sec = (time_t)seconds};
    if (measure->device->info.target.is_host)
        setitimer(ITIMER_PROF, &limit, NULL);
}

/* What the default does next, for it is to blame if the worker ends there. */
static int announce_default(const struct measure *measure, enum job_phase phase,
                            struct error *error)
{
    return measure_announce(measure, phase, JOB_NO_CANDIDATE, JOB_NO_CANDIDATE, error);
}

/* Compiles, loads and proves the default variant. */
static int open_default(struct measure *measure, const struct emit_sources *sources,
                        double *prove_s, struct error *error)
{
    const struct space *space = measure->context->space;
    const struct check_rows rows = {space->default_row, space->default_row};
    struct compiled_unit *unit = &measure->default_unit;
    struct check_verdict verdict;
    if (compiler_compile_row(unit, measure->device, measure->context, sources,
                             space->default_row, error))
        return -1;
    if (unit->variants[0].is_failed) {
        *error = unit->variants[0].reason;
        return -1;
    }
    if (measure->device->ops->load(measure->device, &unit->image, &measure->default_module,
                                   measure->default_loaded, error))
        return -1;
    compiler_kernels(&unit->variants[0], measure->default_loaded, measure->default_kernels);
    if (announce_default(measure, PHASE_PROVE, error))
        return -1;
    const double start = monotonic_s();
    limit_default(measure, DEFAULT_LIMIT);
    const int failed = check_small(measure->check, measure->context, rows,
                                   measure->default_kernels, &verdict, error);
    limit_default(measure, 0);
    if (failed)
        return blame_crash(measure, error);
    *prove_s = monotonic_s() - start;
    if (!verdict.is_right)
        return measure_blame_default(measure, verdict.reason, error);
    return announce_default(measure, PHASE_LOAD, error);
}

static int prepare_reference(struct measure *measure, size_t calls, struct error *error)
{
    bench_release(&measure->bench, &measure->reference);
    return bench_prepare(&measure->reference, &measure->bench, measure->context,
                         measure->context->space->default_row, measure->default_kernels, calls,
                         error);
}

int measure_reference(struct measure *measure, uint64_t *out_ps, struct error *error)
{
    if ((bench_is_lost(&measure->bench, &measure->reference) &&
         prepare_reference(measure, bench_search_calls(&measure->bench), error)) ||
        bench_time(&measure->bench, &measure->reference, out_ps, error))
        return -1;
    measure->reference_ps = *out_ps;
    return 0;
}

/* Runs the reference for a while, and on until two medians in a row agree within 1 %: the
 * clocks have settled, or never will. On the host once: there are no clocks to wait for. */
static int warm_up(struct measure *measure, struct error *error)
{
    const bool is_host = measure->device->info.target.is_host;
    const double start = monotonic_s();
    uint64_t before, median = 0, apart, times[SAMPLES];
    do {
        for (size_t i = 0; i < SAMPLES; i++)
            if (measure_reference(measure, &times[i], error))
                return -1;
        before = median;
        median = stats_median(times, SAMPLES);
        apart = median > before ? median - before : before - median;
    } while (!is_host && monotonic_s() - start < WARM_UP_MOST &&
             (monotonic_s() - start < WARM_UP_LEAST || apart * 100 >= median));
    measure->reference_ps = median;
    return 0;
}

/* The default is proven at full n like any candidate. */
static int open_reference(struct measure *measure, struct error *error)
{
    struct bench_verdict verdict;
    uint64_t ps;
    if (prepare_reference(measure, bench_proof_calls(&measure->bench), error) ||
        announce_default(measure, PHASE_MEASURE, error))
        return -1;
    if (measure_proof(measure, JOB_NO_CANDIDATE, &measure->reference, &ps, &verdict, error))
        return blame_crash(measure, error);
    if (!verdict.is_right)
        return measure_blame_default(measure, verdict.reason, error);
    return announce_default(measure, PHASE_LOAD, error) ||
                   bench_prepare_more(&measure->reference, &measure->bench, measure->context,
                                      measure->context->space->default_row,
                                      measure->default_kernels,
                                      bench_search_calls(&measure->bench), error) ||
                   warm_up(measure, error)
               ? -1
               : 0;
}

int measure_open(struct measure *out, struct device *device,
                 const struct point_context *context, const struct emit_sources *sources,
                 uint64_t seed, int socket, struct job_ready *ready, struct error *error)
{
    const struct problem *problem = context->problem;
    const uint64_t positions = device->info.target.is_host ? HOST_POSITIONS : UINT64_MAX;
    *out =
        (struct measure){.device = device, .context = context, .seed = seed, .socket = socket};
    *ready = (struct job_ready){.inputs = input_count(problem, &device->info)};
    if (input_open(&out->input, device, problem, ready->inputs, seed, error) ||
        check_open(&out->check, device, problem, positions, seed, error) ||
        open_default(out, sources, &ready->prove_s, error) ||
        bench_open(&out->bench, device, &out->input, context, context->space->default_row,
                   out->default_kernels, error) ||
        open_reference(out, error))
        return -1;
    ready->calls = out->bench.calls;
    ready->reference_ps = out->reference_ps;
    return 0;
}

void measure_close(struct measure *measure)
{
    bench_release(&measure->bench, &measure->reference);
    if (measure->bench.device)
        bench_close(&measure->bench);
    if (measure->default_module)
        measure->device->ops->unload(measure->device, measure->default_module);
    compiler_dispose(&measure->default_unit);
    if (measure->check)
        check_close(measure->check);
    if (measure->input.device)
        input_close(&measure->input);
}

/* --- Reports ------------------------------------------------------------------------------ */

int measure_announce(const struct measure *measure, enum job_phase phase, uint64_t variant,
                     uint64_t candidate, struct error *error)
{
    const struct job_at at = {phase, variant, candidate};
    return job_send(measure->socket, JOB_AT, &at, sizeof at, error);
}

int measure_reject(const struct measure *measure, uint64_t candidate, enum trial_status status,
                   const char *reason, struct error *error)
{
    struct job_trial trial = {.candidate = candidate, .status = status};
    snprintf(trial.reason, sizeof trial.reason, "%.230s", reason);
    return job_send(measure->socket, JOB_TRIAL, &trial, sizeof trial, error);
}

bool measure_is_alive(const struct measure *measure)
{
    struct error ignored;
    return measure->device->ops->sync(measure->device, &ignored) == 0;
}

/* --- Proofs ------------------------------------------------------------------------------- */

int measure_variant(struct measure *measure, const struct job_variant *variant,
                    const struct device_kernel *const kernels[SPACE_PASSES_MAX], bool *is_right,
                    struct error *error)
{
    struct job_proven proven = {.variant = variant->compiled.variant, .is_loaded = true};
    struct check_verdict verdict = {.is_right = false};
    struct check_rows rows;
    const double start = monotonic_s();
    if (check_choose(&rows, measure->context, variant->rows, variant->count, error) ||
        check_small(measure->check, measure->context, rows, kernels, &verdict, error)) {
        if (!measure_is_alive(measure))
            return -1;
        snprintf(verdict.reason, sizeof verdict.reason, "%.230s", error->text);
    }
    *is_right = proven.is_right = verdict.is_right;
    proven.cases = verdict.cases;
    proven.prove_us = microseconds_since(start);
    if (!verdict.is_right)
        memcpy(proven.reason, verdict.reason, sizeof proven.reason);
    return job_send(measure->socket, JOB_PROVEN, &proven, sizeof proven, error);
}

/* Another proof with the deciding element elsewhere. */
static int prove_mark(struct measure *measure, const struct bench_entry *entry,
                      uint64_t position, struct bench_verdict *verdict, struct error *error)
{
    const uint64_t last = input_last(&measure->input);
    uint64_t ignored_ps;
    return input_mark(&measure->input, last, position, error) ||
                   bench_prove(&measure->bench, entry, &ignored_ps, verdict, error) ||
                   input_mark(&measure->input, position, last, error)
               ? -1
               : 0;
}

/* Where one element decides, more runs follow with it at the other edge and at places drawn for
 * this candidate: what is not read is found by some. */
int measure_proof(struct measure *measure, uint64_t candidate, const struct bench_entry *entry,
                  uint64_t *out_ps, struct bench_verdict *out, struct error *error)
{
    const uint64_t n = dims_n(&measure->input.problem.dims);
    uint64_t random = measure->seed ^ candidate << 32;
    if (bench_prove(&measure->bench, entry, out_ps, out, error))
        return -1;
    if (!input_has_mark(&measure->input) || n < 2)
        return 0;
    for (int i = 0; i < MARKS && out->is_right; i++)
        if (prove_mark(measure, entry, i == 0 ? 0 : random_next(&random) % n, out, error))
            return -1;
    return 0;
}

/* --- Candidates --------------------------------------------------------------------------- */

int measure_first(struct measure *measure, const struct bench_entry *entry,
                  struct job_trial *trial, struct error *error)
{
    struct bench_verdict verdict;
    trial->time_count = 1;
    trial->grid = entry->grid;
    trial->block = entry->block;
    if (measure_proof(measure, trial->candidate, entry, &trial->times_ps[0], &verdict, error))
        return -1;
    if (!verdict.is_right) {
        trial->status = TRIAL_WRONG;
        memcpy(trial->reason, verdict.reason, sizeof trial->reason);
        return 0;
    }
    trial->status =
        trial->times_ps[0] < bench_floor_ps(&measure->bench) ? TRIAL_TOO_FAST : TRIAL_MEASURED;
    return 0;
}

/* The proof's time is the first, unless it was of fewer calls. More are taken unless it is
 * hopeless. */
static int sample(struct measure *measure, const struct job_unit *unit, const int64_t *row,
                  const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                  struct bench_entry *entry, struct job_trial *trial, struct error *error)
{
    const size_t calls = bench_search_calls(&measure->bench), proven = entry->calls;
    const uint64_t most = unit->samples < JOB_SAMPLES ? unit->samples : JOB_SAMPLES;
    if (bench_prepare_more(entry, &measure->bench, measure->context, row, kernels, calls,
                           error) ||
        (proven < calls && bench_time(&measure->bench, entry, &trial->times_ps[0], error)))
        return -1;
    const bool is_hopeless =
        unit->best_ps && (double)trial->times_ps[0] > HOPELESS * (double)unit->best_ps;
    while (!is_hopeless && trial->time_count < most)
        if (bench_time(&measure->bench, entry, &trial->times_ps[trial->time_count++], error))
            return -1;
    return 0;
}

static int try_candidate(struct measure *measure, const struct job_unit *unit,
                         const struct job_variant *variant, size_t which,
                         const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                         struct job_trial *trial, struct error *error)
{
    const int64_t *row = variant->rows + which * measure->context->space->param_count;
    struct bench_entry entry;
    const double start = monotonic_s();
    *trial = (struct job_trial){.candidate = variant->ids[which],
                                .status = TRIAL_FAILED,
                                .reference_ps = measure->reference_ps};
    trial->registers = compiler_registers(kernels);
    if (measure_announce(measure, PHASE_MEASURE, variant->compiled.variant, trial->candidate,
                         error))
        return -1;
    int failed = bench_prepare(&entry, &measure->bench, measure->context, row, kernels,
                               bench_proof_calls(&measure->bench), error) ||
                 measure_first(measure, &entry, trial, error) ||
                 (trial->status != TRIAL_WRONG &&
                  sample(measure, unit, row, kernels, &entry, trial, error));
    bench_release(&measure->bench, &entry);
    if (failed) {
        if (!measure_is_alive(measure))
            return -1;
        trial->status = TRIAL_FAILED;
        snprintf(trial->reason, sizeof trial->reason, "%.230s", error->text);
    }
    trial->measure_us = microseconds_since(start);
    return job_send(measure->socket, JOB_TRIAL, trial, sizeof *trial, error);
}

/* --- Units -------------------------------------------------------------------------------- */

static bool is_time_over(struct measure *measure)
{
    measure->is_cut |= measure->until > 0 && monotonic_s() > measure->until;
    return measure->is_cut;
}

static int try_variant(struct measure *measure, const struct job_unit *unit,
                       const struct job_variant *variant, const struct device_kernel *loaded,
                       struct error *error)
{
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    bool is_right = true;
    if (variant->count == 0 ||
        is_time_over(measure)) /* none: all judged when a worker was lost */
        return 0;
    compiler_kernels(&variant->compiled, loaded, kernels);
    if (!variant->is_proven &&
        (measure_announce(measure, PHASE_PROVE, variant->compiled.variant, JOB_NO_CANDIDATE,
                          error) ||
         measure_variant(measure, variant, kernels, &is_right, error)))
        return -1;
    for (size_t i = 0; i < variant->count && is_right && !is_time_over(measure); i++) {
        struct job_trial trial;
        if (try_candidate(measure, unit, variant, i, kernels, &trial, error))
            return -1;
        if (i == 0 && variant->limit > 0 && unit->best_ps && trial.status == TRIAL_MEASURED &&
            (double)trial.times_ps[0] > variant->limit * (double)unit->best_ps)
            break;
    }
    return 0;
}

/* The image does not load: its variants are named, to be tried one by one. */
static int report_unloadable(const struct measure *measure, const struct job_unit *unit,
                             const char *reason, struct error *error)
{
    for (size_t i = 0; i < unit->count; i++) {
        struct job_proven proven = {.variant = unit->variants[i].compiled.variant};
        if (unit->variants[i].compiled.is_failed)
            continue;
        snprintf(proven.reason, sizeof proven.reason, "%.230s", reason);
        if (job_send(measure->socket, JOB_PROVEN, &proven, sizeof proven, error))
            return -1;
    }
    return 0;
}

int measure_unit(struct measure *measure, const struct job_unit *unit, bool *is_cut,
                 struct error *error)
{
    struct device_kernel loaded[COMPILER_KERNELS];
    struct device_module *module = NULL;
    struct error cause;
    *is_cut = measure->is_cut = false;
    measure->until = unit->seconds > 0 ? monotonic_s() + unit->seconds : 0;
    if (unit->image.count == 0)
        return 0;
    if (measure_announce(measure, PHASE_LOAD, unit->variants[0].compiled.variant,
                         JOB_NO_CANDIDATE, error))
        return -1;
    if (measure->device->ops->load(measure->device, &unit->image, &module, loaded, &cause)) {
        *error = cause;
        return measure_is_alive(measure) ? report_unloadable(measure, unit, cause.text, error)
                                         : -1;
    }
    int failed = 0;
    for (size_t i = 0; i < unit->count && !failed; i++)
        if (!unit->variants[i].compiled.is_failed)
            failed = try_variant(measure, unit, &unit->variants[i], loaded, error);
    measure->device->ops->unload(measure->device, module);
    *is_cut = measure->is_cut;
    return failed;
}
