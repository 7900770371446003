/* final_race: loads the kernels of the units sent, races them with the default, and checks the
 * finalists. Hides the loaded modules. */
#include "autotune/search/final_race.h"

#include "autotune/device/monotonic.h"
#include "autotune/search/finalist_checks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct race_options RULES = {.rounds_min = 11,
                                          .error = 0.01,
                                          .margin = 0.005,
                                          .drift_max = 0.02,
                                          .noise_max = 0.03,
                                          .reference = 0};

struct entrant {
    struct session_kernel kernel;
    uint64_t variant, candidate;
    const struct job_unit *unit; /* that its variant came in; NULL: the default */
    const struct job_variant *job;
    bool is_out;        /* wrong */
    bool is_cut;        /* the time for its last proofs was over */
    bool has_positions; /* its code is right at all positions, not only at drawn ones */
};

struct final_race {
    struct measurer *measurer;
    const struct job_race *job;
    struct job_raced *out;
    struct device_module *modules[JOB_RACE_UNITS];
    struct device_kernel (*loaded)[COMPILER_KERNELS]; /* by unit */
    struct entrant entrants[RACE_ENTRANTS_MAX];
    size_t count;
    size_t in_race[RACE_ENTRANTS_MAX]; /* entrants by the race's number */
};

/* --- Entrants ----------------------------------------------------------------------------- */

/* Takes out an entrant that proves wrong after all. */
static int reject(struct final_race *final_race, struct entrant *entrant, const char *reason,
                  struct error *error)
{
    entrant->is_out = true;
    if (entrant->candidate == JOB_NO_CANDIDATE)
        return measurer_fault_default(final_race->measurer, reason, error);
    return measurer_reject(final_race->measurer, entrant->candidate, TRIAL_WRONG, reason,
                           error);
}

/* Takes out an entrant that cannot run, perhaps for want of memory, on a device that works; the
 * others go on. */
static int exclude(struct final_race *final_race, struct entrant *entrant, struct error *error)
{
    const struct error cause = *error;
    if (entrant->candidate == JOB_NO_CANDIDATE ||
        !measurer_is_at_fault(final_race->measurer, &cause))
        return -1;
    entrant->is_out = true;
    return measurer_reject(final_race->measurer, entrant->candidate, TRIAL_FAILED, cause.text,
                           error);
}

static int announce(const struct final_race *final_race, const struct entrant *entrant,
                    struct error *error)
{
    return measurer_announce(final_race->measurer, PHASE_PROVE, entrant->variant,
                             entrant->candidate, error);
}

static void offer_shadow(const struct final_race *final_race, const struct entrant *entrant)
{
    if (entrant->unit)
        measurer_offer(final_race->measurer, entrant->unit, entrant->job);
    else
        measurer_offer_default(final_race->measurer);
}

static void add_entrant(struct final_race *final_race, const struct entrant *entrant)
{
    final_race->entrants[final_race->count] = *entrant;
    final_race->out->entrants[final_race->count++] =
        (struct job_entrant){.candidate = entrant->candidate, .error = -1, .bound = -1};
}

/* Makes entrants of a variant's candidates, when it is right. */
static int enter_variant(struct final_race *final_race, const struct job_unit *unit,
                         const struct job_variant *variant, const struct device_kernel *loaded,
                         struct error *error)
{
    struct measurer *measurer = final_race->measurer;
    const uint64_t v = variant->compiled.variant;
    struct entrant entrant = {.kernel = {.context = measurer->session.context,
                                         .is_right_small = variant->is_proven},
                              .variant = v,
                              .unit = unit,
                              .job = variant};
    struct session_kernel *kernel = &entrant.kernel;
    bool ignored;
    compiler_kernels(&variant->compiled, loaded, kernel->kernels);
    offer_shadow(final_race, &entrant);
    if (!variant->is_proven &&
        measurer_variant(measurer, kernel, v, variant->configs, variant->count,
                         measurer_draw(measurer, v), &ignored, error))
        return -1;
    for (size_t i = 0;
         i < variant->count && kernel->is_right_small && final_race->count < RACE_ENTRANTS_MAX;
         i++) {
        kernel->config = variant->configs + i * measurer->session.context->space->param_count;
        entrant.candidate = variant->ids[i];
        add_entrant(final_race, &entrant);
    }
    return 0;
}

/* An image that does not load. What is compiled now was loaded before; old code may be refused. */
static int refuse_unit(const struct measurer *measurer, const struct job_unit *unit,
                       struct error *error)
{
    const struct error cause = *error;
    if (unit->variants[0].compiled.variant != JOB_OLD_CODE ||
        !measurer_is_at_fault(measurer, &cause))
        return -1;
    return measurer_reject(measurer, JOB_OLD_CODE, TRIAL_FAILED, cause.text, error);
}

static int enter_unit(struct final_race *final_race, size_t u, struct error *error)
{
    const struct job_unit *unit = &final_race->job->units[u];
    struct measurer *measurer = final_race->measurer;
    if (unit->image.count == 0)
        return 0;
    if (measurer_announce(measurer, PHASE_LOAD, unit->variants[0].compiled.variant,
                          JOB_NO_CANDIDATE, error))
        return -1;
    if (measurer->session.device->ops->load(measurer->session.device, &unit->image,
                                            &final_race->modules[u], final_race->loaded[u],
                                            error))
        return refuse_unit(measurer, unit, error);
    for (size_t i = 0; i < unit->count; i++)
        if (!unit->variants[i].compiled.is_failed &&
            enter_variant(final_race, unit, &unit->variants[i], final_race->loaded[u], error))
            return -1;
    return 0;
}

static int enter_all(struct final_race *final_race, struct error *error)
{
    struct measurer *measurer = final_race->measurer;
    struct entrant first = {.kernel = measurer->reference,
                            .variant = JOB_NO_CANDIDATE,
                            .candidate = JOB_NO_CANDIDATE,
                            .has_positions = true}; /* proven as the measurer was opened */
    first.kernel.entry = (struct bench_entry){.graph = NULL}; /* the reference keeps its own */
    add_entrant(final_race, &first);
    for (size_t u = 0; u < final_race->job->count; u++)
        if (enter_unit(final_race, u, error))
            return -1;
    return 0;
}

static int reserve(struct final_race *final_race, struct entrant *entrant, struct error *error)
{
    struct measurer *measurer = final_race->measurer;
    if (announce(final_race, entrant, error))
        return -1;
    return bench_reserve(&measurer->session.bench, measurer->session.context,
                         entrant->kernel.config, error)
               ? exclude(final_race, entrant, error)
               : 0;
}

static int prepare(struct final_race *final_race, struct entrant *entrant, struct error *error)
{
    struct measurer *measurer = final_race->measurer;
    struct job_entrant *report = &final_race->out->entrants[entrant - final_race->entrants];
    report->registers = compiler_registers(entrant->kernel.kernels);
    if (announce(final_race, entrant, error))
        return -1;
    return session_prepare(&measurer->session, &entrant->kernel, measurer->session.bench.calls,
                           error)
               ? exclude(final_race, entrant, error)
               : 0;
}

static int prove_full(struct final_race *final_race, struct entrant *entrant,
                      struct error *error)
{
    struct bench_outcome outcome;
    uint64_t ignored_ps;
    if (announce(final_race, entrant, error) ||
        session_prove(&final_race->measurer->session, &entrant->kernel, entrant->candidate,
                      &ignored_ps, &outcome, error))
        return -1;
    return outcome.is_right ? 0 : reject(final_race, entrant, outcome.reason, error);
}

/* --- Finalist checks ---------------------------------------------------------------------- */

static struct measurer_code code_of(const struct final_race *final_race,
                                    const struct entrant *entrant)
{
    const struct compiled_unit *own = &final_race->measurer->loaded.unit;
    return (struct measurer_code){.image = entrant->unit ? &entrant->unit->image : &own->image,
                                  .compiled = entrant->unit ? &entrant->job->compiled
                                                            : &own->variants[0],
                                  .config = entrant->kernel.config};
}

/* Tries the positions that draws have left out, once for all entrants of a variant. Their proof in the
 * search was of two launches of the variant too. */
static int prove_positions(struct final_race *final_race, struct entrant *entrant,
                           struct error *error)
{
    const struct measurer *measurer = final_race->measurer;
    const struct check_configs configs = {entrant->kernel.config, entrant->kernel.config};
    const struct measurer_code code = code_of(final_race, entrant);
    struct check_outcome outcome = {.is_right = true};
    for (size_t i = 0; i < final_race->count; i++)
        entrant->has_positions |= final_race->entrants[i].has_positions &&
                                  final_race->entrants[i].variant == entrant->variant;
    entrant->has_positions =
        entrant->has_positions || measurer_has_proven(measurer, &code, PROVEN_POSITIONS);
    if (entrant->has_positions)
        return 0;
    if (announce(final_race, entrant, error) ||
        check_positions(measurer->session.check, measurer->session.context, configs,
                        entrant->kernel.kernels, &outcome, error))
        return -1;
    final_race->out->proofs += outcome.cases;
    entrant->has_positions = outcome.is_right;
    entrant->is_cut = outcome.is_cut;
    if (outcome.is_cut)
        return 0;
    return outcome.is_right ? measurer_add_proven(measurer, &code, PROVEN_POSITIONS, error)
                            : reject(final_race, entrant, outcome.reason, error);
}

/* Repeats the proof at full n too: nothing that ran since may have disturbed the kernel. */
static int prove_finalist(struct final_race *final_race, struct entrant *entrant,
                          struct finalist_checks *checks, struct error *error)
{
    const struct finalist_checks_candidate candidate = {code_of(final_race, entrant),
                                                        entrant->kernel.kernels};
    struct job_entrant *report = &final_race->out->entrants[entrant - final_race->entrants];
    struct check_outcome outcome;
    if (prove_positions(final_race, entrant, error))
        return -1;
    if (entrant->is_out || entrant->is_cut)
        return 0;
    if (announce(final_race, entrant, error) ||
        finalist_checks_prove(checks, &candidate, report, &outcome, error))
        return -1;
    final_race->out->proofs += outcome.cases;
    entrant->is_cut = outcome.is_cut;
    if (outcome.is_cut)
        return 0;
    return outcome.is_right ? prove_full(final_race, entrant, error)
                            : reject(final_race, entrant, outcome.reason, error);
}

/* Outside the first places. */
static bool may_be_kept(const struct final_race *final_race, const struct entrant *entrant)
{
    const struct job_race *job = final_race->job;
    bool is_kept = job->keeps_all;
    for (size_t i = 0; i < job->kept_count; i++)
        is_kept |= job->kept[i] == entrant->candidate;
    return is_kept;
}

/* Proves a place: as a finalist while there is time, behind them the positions of what may be kept. */
static int prove_place(struct final_race *final_race, struct entrant *entrant,
                       struct finalist_checks *checks, bool *is_finalist, double until,
                       struct error *error)
{
    struct check *check = final_race->measurer->session.check;
    offer_shadow(final_race, entrant);
    if (*is_finalist) {
        check_limit(check, until);
        const int failed = prove_finalist(final_race, entrant, checks, error);
        check_limit(check, 0);
        *is_finalist = !entrant->is_cut;
        if (failed)
            return -1;
    }
    return !*is_finalist && may_be_kept(final_race, entrant) && !entrant->is_out
               ? prove_positions(final_race, entrant, error)
               : 0;
}

/* The first places; of others that may be kept the positions. */
static int prove_first(struct final_race *final_race, struct finalist_checks *checks,
                       struct error *error)
{
    const struct race_result *result = &final_race->out->result;
    const double limit_s = final_race->job->check_s, until = monotonic_s() + limit_s;
    uint64_t *right = &final_race->out->checked;
    bool is_finalist = true;
    for (size_t i = 0; i < result->count; i++) {
        struct entrant *entrant = &final_race->entrants[result->places[i].entrant];
        const bool is_limited = limit_s > 0 && *right > 0;
        is_finalist =
            is_finalist && *right < JOB_CHECKED && !(is_limited && monotonic_s() > until);
        if (prove_place(final_race, entrant, checks, &is_finalist, is_limited ? until : 0,
                        error))
            return -1;
        *right += is_finalist && !entrant->is_out;
    }
    return 0;
}

static int run_proofs(struct final_race *final_race, struct error *error)
{
    struct measurer *measurer = final_race->measurer;
    struct finalist_checks checks;
    if (measurer_announce(measurer, PHASE_LOAD, JOB_NO_CANDIDATE, JOB_NO_CANDIDATE, error))
        return -1;
    int failed = finalist_checks_open(&checks, measurer, error) ||
                 prove_first(final_race, &checks, error);
    final_race->out->past_32_bits = failed ? 0 : checks.past_n;
    finalist_checks_close(&checks);
    return failed ? -1 : 0;
}

/* --- The race ----------------------------------------------------------------------------- */

static int measure_entrant(void *context, size_t number, uint64_t *out_ps, struct error *error)
{
    struct final_race *final_race = context;
    const struct entrant *entrant = &final_race->entrants[final_race->in_race[number]];
    return measurer_announce(final_race->measurer, PHASE_RACE, entrant->variant,
                             entrant->candidate, error) ||
                   session_time(&final_race->measurer->session, &entrant->kernel, false, out_ps,
                                error)
               ? -1
               : 0;
}

/* The number, in the race, of the one that a comparison is of; the default where that is wrong. */
static size_t find_base(const struct final_race *final_race, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t candidate = final_race->entrants[final_race->in_race[i]].candidate;
        if (candidate != JOB_NO_CANDIDATE && candidate != JOB_OLD_CODE)
            return i;
    }
    return RULES.reference;
}

/* Races the entrants that are right, numbered from 0 for the race. */
static int run_race(struct final_race *final_race, struct error *error)
{
    struct race_options options = RULES;
    struct race_result *result = &final_race->out->result;
    size_t count = 0;
    for (size_t i = 0; i < final_race->count; i++)
        if (!final_race->entrants[i].is_out)
            final_race->in_race[count++] = i;
    options.seconds = final_race->job->seconds;
    options.seed = final_race->measurer->session.seed;
    options.is_comparison = final_race->job->is_comparison;
    options.base = find_base(final_race, count);
    if (race_run(result, count, measure_entrant, final_race, &options, error))
        return -1;
    struct error ignored;
    nvml_read(&final_race->out->reading, &final_race->measurer->session.device->info, &ignored);
    for (size_t i = 0; i < result->count; i++)
        result->places[i].entrant = final_race->in_race[result->places[i].entrant];
    return 0;
}

static int run_all(struct final_race *final_race, struct error *error)
{
    /* Makes room in scratch memory for all first: growing it loses the entries prepared
     * before. */
    static int (*const steps[])(struct final_race *, struct entrant *,
                                struct error *) = {reserve, prepare, prove_full};
    if (enter_all(final_race, error))
        return -1;
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        for (size_t i = 0; i < final_race->count; i++)
            if (!final_race->entrants[i].is_out &&
                steps[s](final_race, &final_race->entrants[i], error))
                return -1;
    final_race->out->count = final_race->count;
    return run_race(final_race, error) || run_proofs(final_race, error) ? -1 : 0;
}

int final_race_run(struct measurer *measurer, const struct job_race *job, struct job_raced *out,
                   struct error *error)
{
    assert(job->count <= JOB_RACE_UNITS);
    struct final_race *final_race = calloc(1, sizeof *final_race);
    memset(out, 0, sizeof *out);
    if (final_race)
        final_race->loaded = calloc(job->count + 1, sizeof *final_race->loaded);
    if (!final_race || !final_race->loaded) {
        free(final_race);
        return error_memory(error, sizeof *final_race);
    }
    final_race->measurer = measurer;
    final_race->job = job;
    final_race->out = out;
    int failed = run_all(final_race, error);
    measurer_offer_default(measurer);
    for (size_t i = 0; i < final_race->count; i++)
        session_release(&measurer->session, &final_race->entrants[i].kernel);
    for (size_t u = 0; u < job->count; u++)
        if (final_race->modules[u])
            measurer->session.device->ops->unload(measurer->session.device,
                                                  final_race->modules[u]);
    free(final_race->loaded);
    free(final_race);
    return failed;
}
