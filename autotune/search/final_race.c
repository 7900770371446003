/* final_race: entrants are the loaded kernels of the units sent, and the default. Hides the modules
 * that hold them. */
#include "autotune/search/final_race.h"

#include "autotune/search/finalist_checks.h"

#include <stdlib.h>
#include <string.h>

static const struct race_options RULES = {.rounds_min = 11,
                                          .error = 0.01,
                                          .margin = 0.005,
                                          .drift_max = 0.02,
                                          .noise_max = 0.03,
                                          .reference = 0};

struct entrant {
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    const int64_t *row;
    struct bench_entry entry;
    uint64_t variant, candidate;
    bool is_out; /* wrong */
};

struct finals {
    struct measure *measure;
    const struct job_race *job;
    struct job_raced *out;
    struct device_module *modules[JOB_RACE_UNITS];
    struct device_kernel (*loaded)[COMPILER_KERNELS]; /* by unit */
    struct entrant entrants[RACE_ENTRANTS_MAX];
    size_t count;
    size_t in_race[RACE_ENTRANTS_MAX]; /* entrants by the race's number */
};

/* --- Entrants ----------------------------------------------------------------------------- */

/* The entrant is wrong after all. */
static int reject(struct finals *finals, struct entrant *entrant, const char *reason,
                  struct error *error)
{
    entrant->is_out = true;
    if (entrant->candidate == JOB_NO_CANDIDATE)
        return measure_blame_default(finals->measure, reason, error);
    return measure_reject(finals->measure, entrant->candidate, TRIAL_WRONG, reason, error);
}

/* It cannot run, for want of memory perhaps, on a device that works: the others go on. */
static int exclude(struct finals *finals, struct entrant *entrant, struct error *error)
{
    const struct error cause = *error;
    if (entrant->candidate == JOB_NO_CANDIDATE || !measure_is_alive(finals->measure))
        return -1;
    entrant->is_out = true;
    return measure_reject(finals->measure, entrant->candidate, TRIAL_FAILED, cause.text, error);
}

static int announce(const struct finals *finals, const struct entrant *entrant,
                    struct error *error)
{
    return measure_announce(finals->measure, PHASE_PROVE, entrant->variant, entrant->candidate,
                            error);
}

static struct entrant *add_entrant(struct finals *finals, const int64_t *row, uint64_t variant,
                                   uint64_t candidate)
{
    struct entrant *entrant = &finals->entrants[finals->count];
    *entrant = (struct entrant){.row = row, .variant = variant, .candidate = candidate};
    finals->out->entrants[finals->count] =
        (struct job_entrant){.candidate = candidate, .error = -1, .bound = -1};
    finals->count++;
    return entrant;
}

/* A variant's candidates become entrants, when it is right. */
static int enter_variant(struct finals *finals, const struct job_variant *variant,
                         const struct device_kernel *loaded, struct error *error)
{
    struct measure *measure = finals->measure;
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    bool is_right = true;
    compiler_kernels(&variant->compiled, loaded, kernels);
    if (!variant->is_proven &&
        (measure_announce(measure, PHASE_PROVE, variant->compiled.variant, JOB_NO_CANDIDATE,
                          error) ||
         measure_variant(measure, variant, kernels, &is_right, error)))
        return -1;
    for (size_t i = 0; i < variant->count && is_right && finals->count < RACE_ENTRANTS_MAX;
         i++) {
        struct entrant *entrant =
            add_entrant(finals, variant->rows + i * measure->context->space->param_count,
                        variant->compiled.variant, variant->ids[i]);
        memcpy(entrant->kernels, kernels, sizeof kernels);
    }
    return 0;
}

static int enter_unit(struct finals *finals, size_t u, struct error *error)
{
    const struct job_unit *unit = &finals->job->units[u];
    struct measure *measure = finals->measure;
    if (unit->image.count == 0)
        return 0;
    if (measure_announce(measure, PHASE_LOAD, unit->variants[0].compiled.variant,
                         JOB_NO_CANDIDATE, error) ||
        measure->device->ops->load(measure->device, &unit->image, &finals->modules[u],
                                   finals->loaded[u], error))
        return -1;
    for (size_t i = 0; i < unit->count; i++)
        if (!unit->variants[i].compiled.is_failed &&
            enter_variant(finals, &unit->variants[i], finals->loaded[u], error))
            return -1;
    return 0;
}

static int enter_all(struct finals *finals, struct error *error)
{
    struct measure *measure = finals->measure;
    struct entrant *first = add_entrant(finals, measure->context->space->default_row,
                                        JOB_NO_CANDIDATE, JOB_NO_CANDIDATE);
    memcpy(first->kernels, measure->default_kernels, sizeof first->kernels);
    for (size_t u = 0; u < finals->job->count; u++)
        if (enter_unit(finals, u, error))
            return -1;
    return 0;
}

static int reserve(struct finals *finals, struct entrant *entrant, struct error *error)
{
    struct measure *measure = finals->measure;
    if (announce(finals, entrant, error))
        return -1;
    return bench_reserve(&measure->bench, measure->context, entrant->row, error)
               ? exclude(finals, entrant, error)
               : 0;
}

static int prepare(struct finals *finals, struct entrant *entrant, struct error *error)
{
    struct measure *measure = finals->measure;
    struct job_entrant *report = &finals->out->entrants[entrant - finals->entrants];
    report->registers = compiler_registers(entrant->kernels);
    if (announce(finals, entrant, error))
        return -1;
    return bench_prepare(&entrant->entry, &measure->bench, measure->context, entrant->row,
                         entrant->kernels, measure->bench.calls, error)
               ? exclude(finals, entrant, error)
               : 0;
}

static int prove_full(struct finals *finals, struct entrant *entrant, struct error *error)
{
    struct bench_verdict verdict;
    uint64_t ignored_ps;
    if (announce(finals, entrant, error) ||
        measure_proof(finals->measure, entrant->candidate, &entrant->entry, &ignored_ps,
                      &verdict, error))
        return -1;
    return verdict.is_right ? 0 : reject(finals, entrant, verdict.reason, error);
}

/* --- Further proofs ----------------------------------------------------------------------- */

/* And the proof at full n once more: nothing that ran since has disturbed it. */
static int prove_further(struct finals *finals, struct entrant *entrant,
                         const struct further *further, struct error *error)
{
    const struct further_candidate candidate = {entrant->row, entrant->kernels};
    struct job_entrant *report = &finals->out->entrants[entrant - finals->entrants];
    struct check_verdict verdict;
    if (announce(finals, entrant, error) ||
        further_prove(further, &candidate, report, &verdict, error))
        return -1;
    finals->out->proofs += verdict.cases;
    return verdict.is_right ? prove_full(finals, entrant, error)
                            : reject(finals, entrant, verdict.reason, error);
}

static int prove_first(struct finals *finals, const struct further *further,
                       struct error *error)
{
    const struct race_result *result = &finals->out->result;
    size_t right = 0;
    for (size_t i = 0; i < result->count && right < FINALS_PROVEN; i++) {
        struct entrant *entrant = &finals->entrants[result->places[i].entrant];
        if (prove_further(finals, entrant, further, error))
            return -1;
        right += !entrant->is_out;
    }
    return 0;
}

static int run_proofs(struct finals *finals, struct error *error)
{
    struct measure *measure = finals->measure;
    struct further further;
    if (measure_announce(measure, PHASE_PROVE, JOB_NO_CANDIDATE, JOB_NO_CANDIDATE, error))
        return -1;
    int failed = further_open(&further, measure, error) || prove_first(finals, &further, error);
    finals->out->past_32_bits = failed ? 0 : dims_n(&further.past.problem.dims);
    further_close(&further);
    return failed ? -1 : 0;
}

/* --- The race ----------------------------------------------------------------------------- */

static int measure_entrant(void *context, size_t number, uint64_t *out_ps, struct error *error)
{
    struct finals *finals = context;
    const struct entrant *entrant = &finals->entrants[finals->in_race[number]];
    return measure_announce(finals->measure, PHASE_RACE, entrant->variant, entrant->candidate,
                            error) ||
                   bench_time(&finals->measure->bench, &entrant->entry, out_ps, error)
               ? -1
               : 0;
}

/* The race knows those that are right, by numbers of its own. */
static int run_race(struct finals *finals, struct error *error)
{
    struct race_options options = RULES;
    struct race_result *result = &finals->out->result;
    size_t count = 0;
    for (size_t i = 0; i < finals->count; i++)
        if (!finals->entrants[i].is_out)
            finals->in_race[count++] = i;
    options.seconds = finals->job->seconds;
    options.seed = finals->measure->seed;
    if (race_run(result, count, measure_entrant, finals, &options, error))
        return -1;
    struct error ignored;
    nvml_read(&finals->out->reading, &finals->measure->device->info, &ignored);
    for (size_t i = 0; i < result->count; i++)
        result->places[i].entrant = finals->in_race[result->places[i].entrant];
    return 0;
}

static int run_all(struct finals *finals, struct error *error)
{
    /* Scratch memory for all first: making room for one loses what was prepared before. */
    static int (*const steps[])(struct finals *, struct entrant *,
                                struct error *) = {reserve, prepare, prove_full};
    if (enter_all(finals, error))
        return -1;
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        for (size_t i = 0; i < finals->count; i++)
            if (!finals->entrants[i].is_out && steps[s](finals, &finals->entrants[i], error))
                return -1;
    finals->out->count = finals->count;
    return run_race(finals, error) || run_proofs(finals, error) ? -1 : 0;
}

int finals_run(struct measure *measure, const struct job_race *job, struct job_raced *out,
               struct error *error)
{
    struct finals *finals = calloc(1, sizeof *finals);
    memset(out, 0, sizeof *out);
    if (finals)
        finals->loaded = calloc(job->count + 1, sizeof *finals->loaded);
    if (!finals || !finals->loaded) {
        free(finals);
        return error_memory(error, sizeof *finals);
    }
    finals->measure = measure;
    finals->job = job;
    finals->out = out;
    int failed = run_all(finals, error);
    for (size_t i = 0; i < finals->count; i++)
        bench_release(&measure->bench, &finals->entrants[i].entry);
    for (size_t u = 0; u < job->count; u++)
        if (finals->modules[u])
            measure->device->ops->unload(measure->device, finals->modules[u]);
    free(finals->loaded);
    free(finals);
    return failed;
}
