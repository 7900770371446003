/* finals: entrants are the loaded kernels of the units sent, and the default. Hides the modules
 * that hold them and the memory of the further proofs. */
#include "autotune/tune/finals.h"

#include "autotune/tune/poison.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t RANDOM_MAX = (16u << 20) + 7; /* elements of the rounding proof */
static const uint64_t PAST_32_BITS =
    (1ull << 31) + 100003; /* elements of the proof past 2^31 */
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

/* One run of n elements at `input`; the bits of the result. */
static int run_once(const struct finals *finals, const struct entrant *entrant,
                    const struct problem *problem, uint64_t input, uint64_t *height,
                    oracle_bits *out, struct error *error)
{
    struct device *device = finals->measure->device;
    const struct device_ops *ops = device->ops;
    const struct bench *bench = &finals->measure->bench;
    const struct point_context context = {finals->measure->context->space, problem,
                                          finals->measure->context->target};
    struct call_buffers buffers = {.input = input, .output = bench->outputs};
    struct device_launch launches[CALL_LAUNCHES_MAX];
    struct call_plan plan;
    *out = 0;
    if (call_plan(&plan, &context, entrant->row, problem->n, error) ||
        ops->alloc(device, plan.scratch_bytes + plan.state_bytes + 256, &buffers.scratch, error))
        return -1;
    buffers.state = buffers.scratch + plan.scratch_bytes;
    *height = plan.height;
    call_bind(launches, &plan, context.space, entrant->kernels, &buffers);
    int failed =
        ops->fill(device, buffers.output, POISON_OUTPUT, sizeof *out, error) ||
        ops->fill(device, buffers.scratch, POISON_SCRATCH, plan.scratch_bytes, error) ||
        ops->fill(device, buffers.state, 0, plan.state_bytes, error) ||
        ops->launch(device, launches, plan.count, error) ||
        ops->read(device, out, buffers.output,
                  (uint64_t)problem_types[problem_result(problem)].bytes, error);
    ops->free(device, buffers.scratch);
    return failed ? -1 : 0;
}

static int prove_specials(struct finals *finals, struct entrant *entrant, struct error *error)
{
    const struct check_rows rows = {entrant->row, entrant->row};
    struct measure *measure = finals->measure;
    struct check_verdict verdict;
    if (check_specials(measure->check, measure->context, rows, entrant->kernels, &verdict,
                       error))
        return -1;
    finals->out->proofs += verdict.cases;
    return verdict.is_right ? 0 : reject(finals, entrant, verdict.reason, error);
}

/* Random floats on the device, and their exact sum; without an input nothing is proven by
 * them. */
struct rounding {
    struct problem problem;
    uint64_t input;
    struct oracle_reference reference;
};

static int open_rounding(struct rounding *out, const struct measure *measure,
                         struct error *error)
{
    struct device *device = measure->device;
    *out = (struct rounding){.problem = *measure->context->problem};
    if (out->problem.n == 0 || !oracle_rounds(&out->problem))
        return 0;
    out->problem.n = out->problem.n < RANDOM_MAX ? out->problem.n : RANDOM_MAX;
    const struct oracle_input source = {.problem = out->problem, .seed = measure->seed};
    const uint64_t bytes = out->problem.n * (uint64_t)problem_types[out->problem.type].bytes;
    double compensation = 0;
    struct error no_room;
    void *elements = malloc(bytes);
    if (!elements || device->ops->alloc(device, bytes, &out->input, &no_room)) {
        free(elements);
        out->input = 0;
        return 0; /* no room, as for the proof past 2^31 */
    }
    oracle_fill_random(&source, 0, out->problem.n, elements);
    oracle_reference_add(&out->reference, &out->problem, elements, out->problem.n,
                         &compensation);
    int failed = device->ops->write(device, out->input, elements, bytes, error);
    free(elements);
    return failed;
}

static int prove_rounding(struct finals *finals, struct entrant *entrant,
                          const struct rounding *rounding, struct error *error)
{
    struct job_entrant *report = &finals->out->entrants[entrant - finals->entrants];
    const struct problem *problem = &rounding->problem;
    const double sum_abs = rounding->reference.sum_abs;
    oracle_bits bits;
    if (!rounding->input)
        return 0;
    if (run_once(finals, entrant, problem, rounding->input, &report->height, &bits, error))
        return -1;
    const double got = oracle_to_double(problem->acc, bits);
    report->error = fabs(got - rounding->reference.value) / sum_abs;
    report->bound = oracle_bound(problem->acc, report->height, sum_abs) / sum_abs;
    if (report->error <= report->bound) /* false for NaN too */
        return 0;
    char reason[JOB_REASON];
    snprintf(reason, sizeof reason, "error %.2e of %s on random floats is past the bound %.2e",
             report->error, problem_ops[problem->op].scale, report->bound);
    return reject(finals, entrant, reason, error);
}

/* An input past 2^31 elements; none where memory does not allow it or n is past it anyway. */
static int open_past(struct input *out, const struct measure *measure, struct error *error)
{
    struct device *device = measure->device;
    struct problem problem = *measure->context->problem;
    const size_t count = input_least(&problem);
    const uint64_t bytes = count * PAST_32_BITS * (uint64_t)problem_types[problem.type].bytes;
    uint64_t free_bytes;
    struct error no_room;
    *out = (struct input){.device = NULL};
    if (device->info.target.is_host || problem.n >= PAST_32_BITS)
        return 0;
    if (device->ops->free_bytes(device, &free_bytes, error))
        return -1;
    problem.n = PAST_32_BITS;
    if (free_bytes < bytes + bytes / 4 ||
        input_open(out, device, &problem, count, measure->seed, &no_room)) {
        *out = (struct input){.device = NULL};
        return 0; /* no room: too small, fragmented, or taken meanwhile */
    }
    /* The deciding element belongs in a whole tile, not in what is left over after the last. */
    return input_mark(out, input_last(out), PAST_32_BITS - 50000, error);
}

static int prove_past(struct finals *finals, struct entrant *entrant, const struct input *past,
                      struct error *error)
{
    bool is_right = true;
    for (size_t k = 0; k < past->count; k++) {
        oracle_bits bits;
        uint64_t height;
        if (run_once(finals, entrant, &past->problem, input_address(past, k), &height, &bits,
                     error))
            return -1;
        is_right = is_right && oracle_equal(problem_result(&past->problem),
                                             past->expect[k], bits);
    }
    if (is_right)
        return 0;
    char reason[JOB_REASON];
    snprintf(reason, sizeof reason, "wrong result at n = %" PRIu64 ", past 2^31",
             past->problem.n);
    return reject(finals, entrant, reason, error);
}

/* All further proofs of one, and the proof at full n once more: nothing that ran since has
 * disturbed it. */
static int prove_further(struct finals *finals, struct entrant *entrant,
                         const struct rounding *rounding, const struct input *past,
                         struct error *error)
{
    if (announce(finals, entrant, error) || prove_specials(finals, entrant, error) ||
        (!entrant->is_out && prove_rounding(finals, entrant, rounding, error)) ||
        (!entrant->is_out && prove_past(finals, entrant, past, error)))
        return -1;
    return entrant->is_out ? 0 : prove_full(finals, entrant, error);
}

static int prove_first(struct finals *finals, const struct rounding *rounding,
                       const struct input *past, struct error *error)
{
    const struct race_result *result = &finals->out->result;
    size_t right = 0;
    for (size_t i = 0; i < result->count && right < FINALS_PROVEN; i++) {
        struct entrant *entrant = &finals->entrants[result->places[i].entrant];
        if (prove_further(finals, entrant, rounding, past, error))
            return -1;
        right += !entrant->is_out;
    }
    return 0;
}

static int run_proofs(struct finals *finals, struct error *error)
{
    struct measure *measure = finals->measure;
    struct rounding rounding = {.input = 0};
    struct input past = {.device = NULL};
    int failed =
        measure_announce(measure, PHASE_PROVE, JOB_NO_CANDIDATE, JOB_NO_CANDIDATE, error) ||
        open_rounding(&rounding, measure, error) || open_past(&past, measure, error) ||
        prove_first(finals, &rounding, &past, error);
    finals->out->past_32_bits = past.device && !failed ? past.problem.n : 0;
    if (past.device)
        input_close(&past);
    measure->device->ops->free(measure->device, rounding.input);
    return failed;
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
