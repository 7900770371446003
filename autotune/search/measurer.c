/* measurer: proves and times units. Its reference kernel is the space's default: it is proven
 * first, warms the device up, and is timed with every unit, so that times taken at different
 * moments can be compared. */
#include "autotune/search/measurer.h"

#include "autotune/device/monotonic.h"
#include "autotune/measure/stats.h"
#include "autotune/search/kernel_limit.h"
#include "autotune/verify/threads.h"
#include "generator/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 3,          /* measurements in a step of warming up */
    HOST_POSITIONS = 512, /* positions tried one by one on the emulator */
};
static const double HOPELESS = 1.03; /* a first time this far from the best is the last */
static const double FAR = 1.25;      /* likewise, of fewer calls than a measurement has */
static const double WARM_UP_LEAST = 0.1, WARM_UP_MOST = 1; /* seconds */
static const double STAYS_WARM =
    0.3; /* seconds without work that a GPU's clocks hardly notice */

static uint64_t microseconds_since(double start)
{
    return (uint64_t)((monotonic_s() - start) * 1e6);
}

/* --- Defaults that were compiled before --------------------------------------------------- */

enum { DEFAULTS_MAX = 32 }; /* that are kept; then the oldest goes */

static void close_default(struct measurer_default *own)
{
    loaded_close(&own->loaded);
    compiler_dispose(&own->shadow);
}

static void remove_default(struct measurer_rest *rest, size_t at)
{
    struct measurer_default *place = &rest->defaults[at];
    memmove(place, place + 1, (--rest->count - at) * sizeof *place);
}

static void keep_default(struct measurer_rest *rest, struct measurer_default *own)
{
    struct error ignored;
    if (!own->loaded.module ||
        array_grow(&rest->defaults, rest->count, sizeof *rest->defaults, &ignored)) {
        close_default(own);
        return;
    }
    if (rest->count == DEFAULTS_MAX) {
        close_default(&rest->defaults[0]);
        remove_default(rest, 0);
    }
    rest->defaults[rest->count++] = *own;
}

/* Takes the default's kernels where one before had this text; equal texts have equal shadows. */
static int take_default(struct measurer *measurer, struct measurer_rest *rest,
                        const struct point_context *context, const struct emit_sources *sources,
                        struct error *error)
{
    uint64_t hash;
    if (emit_hash_config(&hash, context, sources, context->space->default_config, error))
        return -1;
    for (size_t i = 0; i < rest->count; i++)
        if (rest->defaults[i].loaded.unit.variants[0].sources_hash == hash) {
            measurer->loaded = rest->defaults[i].loaded;
            measurer->shadow = rest->defaults[i].shadow;
            remove_default(rest, i);
            break;
        }
    return 0;
}

/* --- Opening ------------------------------------------------------------------------------ */

int measurer_fault_default(const struct measurer *measurer, const char *reason,
                           struct error *error)
{
    const struct space *space = measurer->session.context->space;
    struct text params = {0};
    point_format(&params, space, space->default_config, true);
    error_set(error, ERROR_WRONG,
              "%s: the kernel of %s is wrong: %s; correct the template or the space",
              space->file, params.at ? params.at : "", reason);
    text_dispose(&params);
    return -1;
}

static bool is_alive(const struct measurer *measurer)
{
    struct error ignored;
    return measurer->session.device->ops->sync(measurer->session.device, NULL, &ignored) == 0;
}

/* The device failed while the default's kernel ran: the kernel is at fault, unless the device
 * still works. */
static int fault_crash(const struct measurer *measurer, struct error *error)
{
    char reason[TRIAL_REASON];
    if (error->code == ERROR_IO || is_alive(measurer))
        return -1;
    snprintf(reason, sizeof reason, "it crashed (%.200s)", error->text);
    return measurer_fault_default(measurer, reason, error);
}

/* Announces the default's next step: the default is at fault if the worker ends there. */
static int announce_default(const struct measurer *measurer, enum job_phase phase,
                            struct error *error)
{
    return measurer_announce(measurer, phase, JOB_NO_CANDIDATE, JOB_NO_CANDIDATE, error);
}

/* What is opened at the same time as another: most of the input's time is other threads', or waits
 * for memory. */
struct opening {
    int (*open)(struct opening *opening);
    struct measurer *measurer;
    struct device *device;
    const struct point_context *context;
    const struct emit_sources *sources;
    uint64_t seed;
    int failed;
    struct error error;
};

static int compile_default(struct opening *o)
{
    return o->measurer->loaded.module
               ? 0
               : loaded_compile(&o->measurer->loaded, o->device, o->context, o->sources,
                                o->context->space->default_config, 1, &o->error);
}

static int compile_shadow(struct opening *o)
{
    const int64_t *config = o->context->space->default_config;
    struct problem problem;
    const struct point_context shadow = {o->context->space, &problem, o->context->target};
    return o->measurer->shadow.count || !check_has_shadow(&problem, o->context, config)
               ? 0
               : compiler_compile_configs(&o->measurer->shadow, o->device, &shadow, o->sources,
                                          config, 1, &o->error);
}

static int open_session(struct opening *o)
{
    const struct session_options options = {.sources = o->sources,
                                            .seed = o->seed,
                                            .positions = HOST_POSITIONS};
    return session_open(&o->measurer->session, o->device, o->context, &options, &o->error);
}

static void *run_opening(void *argument)
{
    struct opening *opening = argument;
    opening->failed = opening->open(opening);
    return NULL;
}

/* Compiles the default variant and its shadow while the session is opened, by this thread: it has the
 * device. */
static int open_all(struct opening common, struct error *error)
{
    enum { OPENINGS = 3 };
    struct opening all[OPENINGS] = {common, common, common};
    all[0].open = compile_default;
    all[1].open = compile_shadow;
    all[2].open = open_session;
    threads_run(run_opening, all, sizeof *all, OPENINGS);
    for (size_t i = 0; i < OPENINGS; i++)
        if (all[i].failed) {
            *error = all[i].error;
            return -1;
        }
    return 0;
}

void measurer_offer_default(const struct measurer *measurer)
{
    const struct compiled_unit *shadow = &measurer->shadow;
    check_offer_shadow(measurer->session.check, shadow->count ? &shadow->image : NULL,
                       shadow->variants);
}

void measurer_offer(const struct measurer *measurer, const struct job_unit *unit,
                    const struct job_variant *variant)
{
    check_offer_shadow(measurer->session.check, job_shadow_image(unit, variant),
                       &variant->shadow);
}

/* Loads and proves the default variant. */
static int open_default(struct measurer *measurer, double *prove_s, struct error *error)
{
    const struct session *session = &measurer->session;
    struct session_kernel *reference = &measurer->reference;
    const bool is_host = session->device->info.target.is_host;
    const int64_t *config = session->context->space->default_config;
    struct check_outcome outcome;
    if (!measurer->loaded.module && loaded_load(&measurer->loaded, error))
        return -1;
    *reference = (struct session_kernel){.context = session->context, .config = config};
    loaded_kernels(&measurer->loaded, 0, reference->kernels);
    if (announce_default(measurer, PHASE_PROVE, error))
        return -1;
    const double start = monotonic_s();
    measurer_offer_default(measurer);
    if (is_host)
        check_tell(session->check, kernel_limit_begin_small, kernel_limit_end);
    if (session_prove_small(&measurer->session, reference, config, 1, CHECK_ALL, &outcome,
                            error))
        return fault_crash(measurer, error);
    *prove_s = monotonic_s() - start;
    if (!outcome.is_right)
        return measurer_fault_default(measurer, outcome.reason, error);
    return announce_default(measurer, PHASE_LOAD, error);
}

int measurer_reference(struct measurer *measurer, uint64_t *out_ps, struct error *error)
{
    struct session *session = &measurer->session;
    if (session_prepare(session, &measurer->reference, bench_search_calls(&session->bench),
                        error) ||
        session_time(session, &measurer->reference, false, out_ps, error))
        return -1;
    measurer->reference_ps = *out_ps;
    return 0;
}

/* Runs the reference for a while, unless the device is warm, and on until two medians in a row agree
 * within 1 %: the clocks have settled, or never will. On the host once: there are no clocks to wait
 * for. */
static int warm_up(struct measurer *measurer, bool is_warm, struct error *error)
{
    const bool is_host = measurer->session.device->info.target.is_host;
    const double least = is_warm ? 0 : WARM_UP_LEAST;
    const double start = monotonic_s();
    uint64_t before, median = 0, apart, times[SAMPLES];
    do {
        for (size_t i = 0; i < SAMPLES; i++)
            if (measurer_reference(measurer, &times[i], error))
                return -1;
        before = median;
        median = stats_median(times, SAMPLES);
        apart = median > before ? median - before : before - median;
    } while (!is_host && monotonic_s() - start < WARM_UP_MOST &&
             (monotonic_s() - start < least || apart * 100 >= median));
    measurer->reference_ps = median;
    return 0;
}

/* Proves a prepared kernel at full n, which is its first timing. */
static int prove_at_n(struct measurer *measurer, struct session_kernel *kernel,
                      measurer_proof *prove, uint64_t draw, uint64_t *out_ps,
                      struct bench_outcome *out, struct error *error)
{
    const struct session *session = &measurer->session;
    const double n = (double)dims_n(&session->context->problem->dims);
    if (session->device->info.target.is_host)
        kernel_limit_begin(n * (double)kernel->entry.calls);
    const int failed = prove(&measurer->session, kernel, draw, out_ps, out, error);
    kernel_limit_end();
    return failed;
}

/* The default is proven at full n like any candidate. */
static int open_reference(struct measurer *measurer, bool is_warm, double *prove_n_s,
                          struct error *error)
{
    struct session *session = &measurer->session;
    struct bench_outcome outcome;
    uint64_t ps;
    if (session_prepare(session, &measurer->reference, bench_proof_calls(&session->bench),
                        error) ||
        announce_default(measurer, PHASE_MEASURE, error))
        return -1;
    const double start = monotonic_s();
    if (prove_at_n(measurer, &measurer->reference, session_prove, JOB_NO_CANDIDATE, &ps,
                   &outcome, error))
        return fault_crash(measurer, error);
    *prove_n_s = monotonic_s() - start;
    if (!outcome.is_right)
        return measurer_fault_default(measurer, outcome.reason, error);
    return announce_default(measurer, PHASE_LOAD, error) || warm_up(measurer, is_warm, error)
               ? -1
               : 0;
}

int measurer_open(struct measurer *out, struct device *device,
                  const struct point_context *context, const struct emit_sources *sources,
                  uint64_t seed, int socket, struct measurer_rest *rest,
                  struct job_ready *ready, struct error *error)
{
    const struct opening opening = {.measurer = out,
                                    .device = device,
                                    .context = context,
                                    .sources = sources,
                                    .seed = seed};
    *out = (struct measurer){.socket = socket, .proven = &rest->proven};
    if (take_default(out, rest, context, sources, error) || open_all(opening, error) ||
        open_default(out, &ready->prove_s, error) ||
        session_open_bench(&out->session, &out->reference, error) ||
        open_reference(out, monotonic_s() < rest->until, &ready->prove_n_s, error))
        return -1;
    out->worked_s = monotonic_s();
    ready->inputs = out->session.input.count;
    ready->calls = out->session.bench.calls;
    ready->reference_ps = out->reference_ps;
    return 0;
}

void measurer_close(struct measurer *measurer, struct measurer_rest *rest)
{
    session_release(&measurer->session, &measurer->reference);
    session_close(&measurer->session);
    keep_default(rest, &(struct measurer_default){measurer->loaded, measurer->shadow});
    rest->until = measurer->worked_s + STAYS_WARM;
}

void measurer_drop(struct measurer_rest *rest)
{
    for (size_t i = 0; i < rest->count; i++)
        close_default(&rest->defaults[i]);
    free(rest->defaults);
    proven_dispose(&rest->proven);
}

/* --- Reports ------------------------------------------------------------------------------ */

int measurer_announce(const struct measurer *measurer, enum job_phase phase, uint64_t variant,
                      uint64_t candidate, struct error *error)
{
    const struct job_at at = {phase, variant, candidate};
    return job_send(measurer->socket, JOB_AT, &at, sizeof at, error);
}

int measurer_reject(const struct measurer *measurer, uint64_t candidate,
                    enum trial_status status, const char *reason, struct error *error)
{
    struct job_trial message = {.candidate = candidate, .trial = {.status = status}};
    trial_set_reason(message.trial.reason, reason);
    return job_send(measurer->socket, JOB_TRIAL, &message, sizeof message, error);
}

bool measurer_is_at_fault(const struct measurer *measurer, const struct error *cause)
{
    return cause->code != ERROR_IO && is_alive(measurer);
}

/* --- Proofs ------------------------------------------------------------------------------- */

int measurer_variant(struct measurer *measurer, struct session_kernel *kernel, uint64_t variant,
                     const int64_t *configs, size_t count, uint64_t draw, bool *has_run,
                     struct error *error)
{
    struct job_proven proven = {.variant = variant, .has_run = true};
    struct check_outcome outcome = {.is_right = false};
    const double start = monotonic_s();
    if (measurer_announce(measurer, PHASE_PROVE, variant, JOB_NO_CANDIDATE, error))
        return -1;
    if (session_prove_small(&measurer->session, kernel, configs, count, draw, &outcome,
                            error)) {
        if (!measurer_is_at_fault(measurer, error))
            return -1;
        proven.has_run = outcome.is_right = false;
        trial_set_reason(outcome.reason, error->text);
    }
    *has_run = proven.has_run;
    if (outcome.is_cut) {
        measurer->is_cut = true;
        return 0;
    }
    proven.is_right = outcome.is_right;
    proven.cases = outcome.cases;
    proven.prove_us = microseconds_since(start);
    if (!outcome.is_right)
        memcpy(proven.reason, outcome.reason, sizeof proven.reason);
    return job_send(measurer->socket, JOB_PROVEN, &proven, sizeof proven, error);
}

uint64_t measurer_draw(const struct measurer *measurer, uint64_t variant)
{
    return measurer->session.seed + (variant << 32);
}

/* --- Candidates --------------------------------------------------------------------------- */

int measurer_first(struct measurer *measurer, struct session_kernel *kernel,
                   measurer_proof *prove, uint64_t candidate, struct trial *trial,
                   struct error *error)
{
    const struct session *session = &measurer->session;
    struct bench_outcome outcome;
    trial->time_count = 1;
    trial->grid = kernel->entry.grid;
    trial->block = kernel->entry.block;
    if (prove_at_n(measurer, kernel, prove, candidate, &trial->times_ps[0], &outcome, error))
        return -1;
    trial->status = TRIAL_MEASURED;
    if (!outcome.is_right) {
        trial->status = TRIAL_WRONG;
        trial_set_reason(trial->reason, outcome.reason);
    } else if (trial->times_ps[0] < bench_floor_ps(&session->bench)) {
        trial->status = TRIAL_TOO_FAST;
    }
    return 0;
}

/* Is one call, which may seem a few percent faster than several, too slow for any to matter? Short ones of
 * warm data tell nothing. */
static bool is_far(const struct measurer *measurer, const struct job_unit *unit,
                   const struct trial *trial)
{
    const bool is_cold = measurer->session.context->problem->regime == COLD;
    return is_cold && unit->samples == 1 && unit->best_ps &&
           (double)trial->times_ps[0] > FAR * (double)unit->best_ps;
}

/* Takes the proof's time as the first, unless it was of fewer calls, and more times unless the
 * candidate is hopeless. */
static int sample(struct measurer *measurer, const struct job_unit *unit,
                  struct session_kernel *kernel, struct trial *trial, struct error *error)
{
    struct session *session = &measurer->session;
    const size_t calls = bench_search_calls(&session->bench), proven = kernel->entry.calls;
    const uint64_t most = unit->samples < TRIAL_SAMPLES ? unit->samples : TRIAL_SAMPLES;
    if (proven < calls && is_far(measurer, unit, trial))
        return 0;
    if (session_prepare(session, kernel, calls, error) ||
        (proven < calls && session_time(session, kernel, false, &trial->times_ps[0], error)))
        return -1;
    const bool is_hopeless =
        unit->best_ps && (double)trial->times_ps[0] > HOPELESS * (double)unit->best_ps;
    while (!is_hopeless && trial->time_count < most)
        if (session_time(session, kernel, false, &trial->times_ps[trial->time_count++], error))
            return -1;
    return 0;
}

/* `kernel` is the variant's; it takes the candidate's config. */
static int try_candidate(struct measurer *measurer, const struct job_unit *unit,
                         const struct job_variant *variant, size_t which,
                         struct session_kernel *kernel, struct trial *trial,
                         struct error *error)
{
    struct session *session = &measurer->session;
    struct job_trial message = {.candidate = variant->ids[which]};
    const double start = monotonic_s();
    *trial = (struct trial){.status = TRIAL_FAILED,
                            .reference_ps = measurer->reference_ps,
                            .registers = compiler_registers(kernel->kernels)};
    kernel->config = variant->configs + which * session->context->space->param_count;
    kernel->is_right = false;
    if (measurer_announce(measurer, PHASE_MEASURE, variant->compiled.variant, message.candidate,
                          error))
        return -1;
    int failed =
        session_prepare(session, kernel, bench_proof_calls(&session->bench), error) ||
        measurer_first(measurer, kernel, session_prove_once, message.candidate, trial, error) ||
        (trial->status != TRIAL_WRONG && sample(measurer, unit, kernel, trial, error));
    session_release(session, kernel);
    if (failed) {
        if (!measurer_is_at_fault(measurer, error))
            return -1;
        trial->status = TRIAL_FAILED;
        trial_set_reason(trial->reason, error->text);
    }
    trial->measure_us = microseconds_since(start);
    message.trial = *trial;
    return job_send(measurer->socket, JOB_TRIAL, &message, sizeof message, error);
}

/* --- Units -------------------------------------------------------------------------------- */

static bool is_time_over(struct measurer *measurer)
{
    measurer->is_cut |=
        measurer->until > 0 && !measurer->owes_result && monotonic_s() > measurer->until;
    return measurer->is_cut;
}

static struct proven_key key_of(const struct measurer *measurer,
                                const struct measurer_code *code, enum proven_what what)
{
    const struct check_configs configs = {code->config, code->config};
    return proven_key(measurer->session.context, code->image, code->compiled, &configs, what);
}

bool measurer_has_proven(const struct measurer *measurer, const struct measurer_code *code,
                         enum proven_what what)
{
    const struct proven_key key = key_of(measurer, code, what);
    return proven_has(measurer->proven, &key);
}

int measurer_add_proven(const struct measurer *measurer, const struct measurer_code *code,
                        enum proven_what what, struct error *error)
{
    const struct proven_key key = key_of(measurer, code, what);
    return proven_has(measurer->proven, &key) ? 0 : proven_add(measurer->proven, &key, error);
}

/* What a proof of the variant is of. False where it cannot begin: the proof says why. */
static bool find_key(struct proven_key *out, const struct measurer *measurer,
                     const struct job_unit *unit, const struct job_variant *variant)
{
    const struct point_context *context = measurer->session.context;
    struct check_configs configs;
    struct error ignored;
    if (check_choose(&configs, context, variant->configs, variant->count, &ignored))
        return false;
    *out = proven_key(context, &unit->image, &variant->compiled, &configs, PROVEN_SMALL);
    return true;
}

/* Proves a variant, unless the very same was proven in this process. */
static int prove_variant(struct measurer *measurer, const struct job_unit *unit,
                         const struct job_variant *variant, struct session_kernel *kernel,
                         struct error *error)
{
    const uint64_t v = variant->compiled.variant;
    const struct job_proven again = {.variant = v, .is_right = true, .has_run = true};
    struct proven_key key;
    bool ignored;
    const bool has_key = find_key(&key, measurer, unit, variant);
    kernel->is_right_small = has_key && proven_has(measurer->proven, &key);
    if (kernel->is_right_small)
        return job_send(measurer->socket, JOB_PROVEN, &again, sizeof again, error);
    measurer_offer(measurer, unit, variant);
    check_limit(measurer->session.check, measurer->owes_result ? 0 : measurer->until);
    const int failed = measurer_variant(measurer, kernel, v, variant->configs, variant->count,
                                        measurer_draw(measurer, v), &ignored, error);
    check_limit(measurer->session.check, 0);
    measurer_offer_default(measurer);
    if (failed)
        return -1;
    return has_key && kernel->is_right_small ? proven_add(measurer->proven, &key, error) : 0;
}

static int try_variant(struct measurer *measurer, const struct job_unit *unit,
                       const struct job_variant *variant, const struct device_kernel *loaded,
                       struct error *error)
{
    struct session_kernel kernel = {.context = measurer->session.context,
                                    .config = variant->configs,
                                    .is_right_small = variant->is_proven};
    if (variant->count == 0 ||
        is_time_over(measurer)) /* none: all were judged when a worker was lost */
        return 0;
    compiler_kernels(&variant->compiled, loaded, kernel.kernels);
    if (!variant->is_proven && prove_variant(measurer, unit, variant, &kernel, error))
        return -1;
    for (size_t i = 0; i < variant->count && kernel.is_right_small && !is_time_over(measurer);
         i++) {
        struct trial trial;
        if (try_candidate(measurer, unit, variant, i, &kernel, &trial, error))
            return -1;
        measurer->owes_result = measurer->owes_result && trial.status != TRIAL_MEASURED;
        if (i == 0 && variant->limit > 0 && unit->best_ps && trial.status == TRIAL_MEASURED &&
            (double)trial.times_ps[0] > variant->limit * (double)unit->best_ps)
            break;
    }
    return 0;
}

/* Reports that the image does not load: its variants are named, to be tried one by one. */
static int report_unloadable(const struct measurer *measurer, const struct job_unit *unit,
                             const char *reason, struct error *error)
{
    for (size_t i = 0; i < unit->count; i++) {
        struct job_proven proven = {.variant = unit->variants[i].compiled.variant};
        if (unit->variants[i].compiled.is_failed)
            continue;
        trial_set_reason(proven.reason, reason);
        if (job_send(measurer->socket, JOB_PROVEN, &proven, sizeof proven, error))
            return -1;
    }
    return 0;
}

int measurer_unit(struct measurer *measurer, const struct job_unit *unit, bool *is_cut,
                  struct error *error)
{
    struct device_kernel loaded[COMPILER_KERNELS];
    struct device_module *module = NULL;
    struct error cause;
    *is_cut = measurer->is_cut = false;
    measurer->owes_result = unit->owes_result;
    measurer->until = unit->seconds > 0 ? monotonic_s() + unit->seconds : 0;
    if (unit->image.count == 0)
        return 0;
    if (measurer_announce(measurer, PHASE_LOAD, unit->variants[0].compiled.variant,
                          JOB_NO_CANDIDATE, error))
        return -1;
    if (measurer->session.device->ops->load(measurer->session.device, &unit->image, &module,
                                            loaded, &cause)) {
        *error = cause;
        return measurer_is_at_fault(measurer, &cause)
                   ? report_unloadable(measurer, unit, cause.text, error)
                   : -1;
    }
    int failed = 0;
    for (size_t i = 0; i < unit->count && !failed; i++)
        if (!unit->variants[i].compiled.is_failed)
            failed = try_variant(measurer, unit, &unit->variants[i], loaded, error);
    measurer->session.device->ops->unload(measurer->session.device, module);
    *is_cut = measurer->is_cut;
    return failed;
}
