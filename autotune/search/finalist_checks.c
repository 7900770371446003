/* finalist_checks: runs a kernel once more on each of several inputs, which are made once and
 * serve all finalists. Hides the sizes of these inputs, and which are left out for want of
 * room. */
#include "autotune/search/finalist_checks.h"

#include "autotune/device/bind.h"
#include "autotune/verify/element.h"
#include "autotune/verify/poison.h"
#include "autotune/verify/threads.h"
#include "generator/operation_input.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t RANDOM_MAX = (16u << 20) + 7; /* elements of the rounding proof */
static const uint64_t RANDOM_RESULTS = 1 << 14;     /* results, likewise */
static const uint64_t RANDOM_SLOW_MAX =
    (1u << 20) + 7; /* of a scan's, and of a text that is evaluated */
static const uint64_t PAST_32_BITS =
    (1ull << 31) + 100003; /* elements of the proof past 2^31 */

/* Runs the kernels once on the input at `input`, and gives the bits of its results, one behind
 * the other. */
static int run_once(const struct finalist_checks *checks,
                    const struct finalist_checks_candidate *candidate,
                    const struct problem *problem, uint64_t input, const uint64_t *further,
                    uint64_t *height, void *out, struct error *error)
{
    const struct measurer *measurer = checks->measurer;
    struct device *device = measurer->session.device;
    const uint64_t bytes =
        dims_results(&problem->dims) * (uint64_t)problem_types[problem_result(problem)].bytes;
    const struct device_ops *ops = device->ops;
    const struct point_context context = {measurer->session.context->space, problem,
                                          measurer->session.context->target};
    struct planner_buffers buffers = {.input = input,
                                      .output = measurer->session.bench.outputs};
    struct device_launch launches[PLANNER_LAUNCHES];
    struct planner_plan plan;
    if (call_plan(&plan, &context, candidate->code.config, error) ||
        ops->alloc(device, plan.scratch_bytes + plan.state_bytes + 256, &buffers.scratch,
                   error))
        return -1;
    buffers.state = buffers.scratch + plan.scratch_bytes;
    *height = call_height(&plan);
    bind_launches(launches, &plan, context.space, problem, candidate->kernels, &buffers,
                  further);
    int failed =
        ops->fill(device, buffers.output, POISON_OUTPUT, bytes, NULL, error) ||
        ops->fill(device, buffers.scratch, POISON_SCRATCH, plan.scratch_bytes, NULL, error) ||
        ops->fill(device, buffers.state, 0, plan.state_bytes, NULL, error) ||
        ops->launch(device, launches, (size_t)plan.count, NULL, error) ||
        ops->read(device, out, buffers.output, bytes, error);
    ops->free(device, buffers.scratch);
    return failed ? -1 : 0;
}

static void close_rounding(struct finalist_checks_rounding *rounding, struct device *device)
{
    if (rounding->input)
        device->ops->free(device, rounding->input);
    for (size_t k = 0; k < PROBLEM_FURTHER_MAX; k++)
        if (rounding->further[k])
            device->ops->free(device, rounding->further[k]);
    free(rounding->references);
    free(rounding->expects);
    free(rounding->doubts);
    *rounding = (struct finalist_checks_rounding){.input = 0};
}

/* Limits the problem to a size whose exact sums take little time. */
static void limit_rounding(struct problem *problem)
{
    struct dims *dims = &problem->dims;
    const bool is_slow = dims->scan || !oracle_is_plain(problem);
    const uint64_t longest = is_slow ? RANDOM_SLOW_MAX : RANDOM_MAX;
    const uint64_t elements = oracle_is_plain(problem) ? RANDOM_MAX : RANDOM_SLOW_MAX;
    const uint64_t depth = dims->depth.n < longest ? dims->depth.n : longest;
    const uint64_t most = elements / depth < RANDOM_RESULTS ? elements / depth : RANDOM_RESULTS;
    const uint64_t results = dims_kept(dims);
    *dims = oracle_resize(dims, results < most ? results : most, depth, 0);
}

/* A thread's share of the random elements. */
struct share {
    const struct oracle_input *source;
    uint64_t first, count;
    unsigned char *elements;
};

static void *fill_share(void *argument)
{
    const struct share *share = argument;
    oracle_fill_random(share->source, share->first, share->count, share->elements);
    return NULL;
}

/* Makes the right results, or the references. */
static int refer(struct finalist_checks_rounding *out, const void *elements,
                 struct error *error)
{
    const struct problem *problem = &out->problem;
    double ignored = 0;
    if (oracle_is_plain(problem)) {
        oracle_references(out->references, problem, elements);
        return 0;
    }
    return problem->dims.scan
               ? oracle_scan_rows(problem, 0, dims_kept(&problem->dims), elements, out->expects,
                                  out->doubts, &ignored, error)
               : oracle_fold_results(problem, 0, dims_results(&problem->dims), elements,
                                     out->expects, out->doubts, &ignored, error);
}

static int fill_rounding(struct finalist_checks_rounding *out, uint64_t seed, void *elements,
                         struct error *error)
{
    const struct oracle_input source = {.problem = out->problem, .seed = seed};
    const uint64_t n = dims_extent(&out->problem.dims), threads = threads_of_cores();
    const uint64_t bytes = (uint64_t)problem_types[out->problem.type].bytes;
    struct share shares[THREADS_MAX];
    for (uint64_t i = 0; i < threads; i++) {
        const uint64_t first = n * i / threads;
        shares[i] = (struct share){&source, first, n * (i + 1) / threads - first,
                                   (unsigned char *)elements + first * bytes};
    }
    threads_run(fill_share, shares, sizeof *shares, threads);
    return refer(out, elements, error);
}

/* False where there is no room. */
static bool allocate_references(struct finalist_checks_rounding *out)
{
    const uint64_t results = dims_results(&out->problem.dims);
    if (oracle_is_plain(&out->problem)) {
        out->references = calloc(results, sizeof *out->references);
        return out->references != NULL;
    }
    out->expects = malloc(input_expects_bytes(&out->problem));
    out->doubts = malloc(results * sizeof *out->doubts);
    return out->expects && out->doubts;
}

static int open_further(struct finalist_checks_rounding *out, struct device *device,
                        struct error *error)
{
    for (size_t k = 1; k < problem_inputs(&out->problem); k++) {
        const uint64_t extent = problem_input_extent(&out->problem, k);
        const uint64_t bytes =
            extent * (uint64_t)problem_types[problem_input_type(&out->problem, k)].bytes;
        void *elements = malloc(bytes);
        if (!elements)
            return error_memory(error, bytes);
        oracle_fill_further(&out->problem, k, ORACLE_USUAL, extent, elements);
        const int failed =
            device->ops->alloc(device, bytes, &out->further[k - 1], error) ||
            device->ops->write(device, out->further[k - 1], elements, bytes, error);
        free(elements);
        if (failed)
            return -1;
    }
    return 0;
}

static int open_rounding(struct finalist_checks_rounding *out, const struct measurer *measurer,
                         struct error *error)
{
    struct device *device = measurer->session.device;
    *out = (struct finalist_checks_rounding){.problem = *measurer->session.context->problem};
    /* Segments are proven with exact values alone. */
    if (dims_n(&out->problem.dims) == 0 || !problem_rounds(&out->problem) ||
        dims_is_segmented(&out->problem.dims))
        return 0;
    limit_rounding(&out->problem);
    const uint64_t bytes =
        dims_extent(&out->problem.dims) * (uint64_t)problem_types[out->problem.type].bytes;
    struct error no_room;
    for (size_t k = 0; k + 1 < problem_inputs(&out->problem); k++)
        out->problem.further[k].first = ORACLE_USUAL;
    void *elements = malloc(bytes);
    if (!allocate_references(out) || !elements ||
        device->ops->alloc(device, bytes, &out->input, &no_room) ||
        open_further(out, device, &no_room)) {
        free(elements);
        out->input = 0;
        return 0; /* no room, as for the proof past 2^31 */
    }
    int failed = fill_rounding(out, measurer->session.seed, elements, error) ||
                 device->ops->write(device, out->input, elements, bytes, error);
    free(elements);
    return failed ? -1 : 0;
}

/* Notes the error of a result if it is the largest so far; false when it exceeds its bound, which
 * is relative to the sum of absolute values, as the error is. */
static bool judge_rounding(struct job_entrant *report, double bound, double got,
                           const struct oracle_reference *reference)
{
    const double sum_abs = reference->sum_abs;
    if (!(sum_abs > 0)) /* a scan's result before its first element */
        return !(got < reference->value || got > reference->value);
    const double error = fabs(got - reference->value) / sum_abs;
    const bool is_right = error <= bound; /* false for NaN too */
    if (is_right && error < report->error)
        return true;
    report->error = error;
    report->bound = bound;
    return is_right;
}

/* The same of an operation with a map or a finish of its own. */
static bool judge_mapped(const struct finalist_checks_rounding *rounding,
                         struct job_entrant *report, const unsigned char *results, uint64_t r)
{
    const struct problem *problem = &rounding->problem;
    const enum type type = problem_result(problem);
    double error, bound;
    const bool is_right = oracle_judge(problem, element_load_word(type, rounding->expects, r),
                                       &rounding->doubts[r], report->height,
                                       element_load_word(type, results, r), &error, &bound);
    if (is_right && error <= report->error)
        return true;
    report->error = error;
    report->bound = bound;
    return is_right;
}

static bool judge(const struct finalist_checks_rounding *rounding, struct job_entrant *report,
                  const unsigned char *results, uint64_t r)
{
    const enum type acc = rounding->problem.acc;
    return rounding->references
               ? judge_rounding(report, oracle_bound(acc, report->height, 1.0),
                                element_load(acc, results, r), &rounding->references[r])
               : judge_mapped(rounding, report, results, r);
}

static int prove_rounding(const struct finalist_checks *checks,
                          const struct finalist_checks_candidate *candidate,
                          struct job_entrant *report, struct check_outcome *out,
                          struct error *error)
{
    const struct finalist_checks_rounding *rounding = &checks->rounding;
    const struct problem *problem = &rounding->problem;
    const size_t bytes = (size_t)problem_types[problem_result(problem)].bytes;
    if (!rounding->input)
        return 0;
    unsigned char *results = malloc(dims_results(&problem->dims) * bytes);
    if (!results)
        return error_memory(error, dims_results(&problem->dims) * bytes);
    if (run_once(checks, candidate, problem, rounding->input, rounding->further,
                 &report->height, results, error)) {
        free(results);
        return -1;
    }
    for (uint64_t r = 0; r < dims_results(&problem->dims) && out->is_right; r++)
        out->is_right = judge(rounding, report, results, r);
    free(results);
    if (!out->is_right)
        snprintf(out->reason, sizeof out->reason,
                 "error %.2e of %s on random floats is past the bound %.2e", report->error,
                 problem->op->scale, report->bound);
    return 0;
}

/* Opens an input past 2^31 elements; none where memory has no room for it, or n is past it
 * anyway. */
static int open_past(struct input *out, const struct measurer *measurer, struct error *error)
{
    struct device *device = measurer->session.device;
    struct problem problem = *measurer->session.context->problem;
    const size_t count = oracle_inputs_least(&problem);
    const uint64_t bytes = count * PAST_32_BITS * (uint64_t)problem_types[problem.type].bytes;
    uint64_t free_bytes;
    struct error no_room;
    *out = (struct input){.device = NULL};
    if (device->info.target.is_host || dims_n(&problem.dims) >= PAST_32_BITS ||
        !oracle_is_run(&problem.dims) || problem.dims.scan || /* whose results need room too */
        problem_inputs(&problem) > 1)                         /* their kernels are for less */
        return 0;
    if (device->ops->free_bytes(device, &free_bytes, error))
        return -1;
    problem.dims = dims_value(PAST_32_BITS);
    if (free_bytes < bytes + bytes / 4 ||
        input_open(out, device, &problem, count, measurer->session.seed, &no_room)) {
        *out = (struct input){.device = NULL};
        return 0; /* no room: too small, fragmented, or taken meanwhile */
    }
    /* The deciding element belongs in a whole tile, not in what is left over after the last. */
    return input_mark(out, input_last(out), PAST_32_BITS - 50000, error);
}

static int run_past(const struct finalist_checks *checks,
                    const struct finalist_checks_candidate *candidate,
                    struct check_outcome *out, struct error *error)
{
    const struct input *past = &checks->past;
    for (size_t k = 0; k < past->count; k++) {
        oracle_bits bits = 0;
        uint64_t height, further[PROBLEM_FURTHER_MAX];
        input_further(past, k, further);
        if (run_once(checks, candidate, &past->problem, input_address(past, k), further,
                     &height, &bits, error))
            return -1;
        out->is_right = out->is_right && input_accepts(past, k, 0, height, bits);
    }
    if (!out->is_right)
        snprintf(out->reason, sizeof out->reason, "wrong result at n = %" PRIu64 ", past 2^31",
                 dims_n(&past->problem.dims));
    return 0;
}

static int prove_past(struct finalist_checks *checks,
                      const struct finalist_checks_candidate *candidate,
                      struct check_outcome *out, struct error *error)
{
    struct measurer *measurer = checks->measurer;
    if (measurer_has_proven(measurer, &candidate->code, PROVEN_PAST)) {
        checks->past_n = PAST_32_BITS;
        return 0;
    }
    if (!checks->has_past && open_past(&checks->past, measurer, error))
        return -1;
    checks->has_past = true;
    if (!checks->past.device)
        return 0;
    checks->past_n = PAST_32_BITS;
    if (run_past(checks, candidate, out, error))
        return -1;
    return out->is_right ? measurer_add_proven(measurer, &candidate->code, PROVEN_PAST, error)
                         : 0;
}

static int prove_specials(const struct finalist_checks *checks,
                          const struct finalist_checks_candidate *candidate,
                          struct check_outcome *out, struct error *error)
{
    struct measurer *measurer = checks->measurer;
    const struct check_configs configs = {candidate->code.config, candidate->code.config};
    *out = (struct check_outcome){.is_right = true};
    if (measurer_has_proven(measurer, &candidate->code, PROVEN_SPECIALS))
        return 0;
    if (check_specials(measurer->session.check, measurer->session.context, configs,
                       candidate->kernels, out, error))
        return -1;
    return out->is_right
               ? measurer_add_proven(measurer, &candidate->code, PROVEN_SPECIALS, error)
               : 0;
}

int finalist_checks_open(struct finalist_checks *out, struct measurer *measurer,
                         struct error *error)
{
    *out = (struct finalist_checks){.measurer = measurer};
    return open_rounding(&out->rounding, measurer, error);
}

void finalist_checks_close(struct finalist_checks *checks)
{
    if (checks->past.device)
        input_close(&checks->past);
    close_rounding(&checks->rounding, checks->measurer->session.device);
}

int finalist_checks_prove(struct finalist_checks *checks,
                          const struct finalist_checks_candidate *candidate,
                          struct job_entrant *report, struct check_outcome *out,
                          struct error *error)
{
    return prove_specials(checks, candidate, out, error) ||
                   (out->is_right && prove_rounding(checks, candidate, report, out, error)) ||
                   (out->is_right && prove_past(checks, candidate, out, error))
               ? -1
               : 0;
}
