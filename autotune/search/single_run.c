/* single_run: runs one candidate for a profiler. The buffers of all calls are made before the
 * first call, so that nothing is launched between calls. */
#include "autotune/search/single_run.h"

#include "autotune/device/bind.h"
#include "autotune/verify/input.h"
#include "autotune/verify/loaded.h"
#include "autotune/verify/poison.h"
#include "generator/call.h"
#include "generator/dims_text.h"

#include <stdlib.h>
#include <string.h>

enum { CALLS = SINGLE_RUN_BEFORE + 1, ALIGNED = 256 };

struct once {
    struct device *device;
    const struct point_context *context;
    struct loaded loaded;
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct input input;
    struct planner_plan plan;
    /* `output`: of the first call, slot_bytes before the next's. */
    struct planner_buffers buffers;
    uint64_t slot_bytes; /* of a call's results, ALIGNED */
};

static int reserve(struct once *once, uint64_t *out, uint64_t bytes, uint8_t filled_with,
                   struct error *error)
{
    const struct device_ops *ops = once->device->ops;
    return ops->alloc(once->device, bytes, out, error) ||
                   ops->fill(once->device, *out, filled_with, bytes, NULL, error)
               ? -1
               : 0;
}

static int prepare(struct once *once, const int64_t *config, uint64_t seed, struct error *error)
{
    const struct problem *problem = once->context->problem;
    struct planner_buffers *buffers = &once->buffers;
    once->slot_bytes = (input_expects_bytes(problem) + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (call_plan(&once->plan, once->context, config, error) ||
        input_open(&once->input, once->device, problem, oracle_inputs_least(problem), seed,
                   error) ||
        reserve(once, &buffers->output, CALLS * once->slot_bytes, POISON_OUTPUT, error) ||
        reserve(once, &buffers->scratch, once->plan.scratch_bytes + 256, POISON_SCRATCH,
                error) ||
        reserve(once, &buffers->state, once->plan.state_bytes + 256, 0, error))
        return -1;
    buffers->input = input_address(&once->input, 0);
    buffers->offsets = input_offsets(&once->input, 0);
    return once->device->ops->sync(once->device, NULL, error);
}

static int launch(struct once *once, uint64_t call, struct error *error)
{
    struct device_launch launches[PLANNER_LAUNCHES];
    struct planner_buffers buffers = once->buffers;
    uint64_t further[PROBLEM_FURTHER_MAX];
    input_further(&once->input, 0, further);
    buffers.output += call * once->slot_bytes;
    bind_launches(launches, &once->plan, once->context->space, once->context->problem,
                  once->kernels, &buffers, further);
    return once->device->ops->launch(once->device, launches, (size_t)once->plan.count, NULL,
                                     error) ||
                   once->device->ops->sync(once->device, NULL, error)
               ? -1
               : 0;
}

static int compare_result(const struct once *once, uint64_t result, oracle_bits expect,
                          oracle_bits got, struct error *error)
{
    const struct problem *problem = &once->input.problem;
    const enum type type = problem_result(problem);
    char expected[ORACLE_CHARS], gotten[ORACLE_CHARS], where[DIMS_TEXT_CHARS];
    if (input_accepts(&once->input, 0, result, call_height(&once->plan), got))
        return 0;
    return error_set(error, ERROR_WRONG,
                     "wrong result %s: expected %s, got %s; 'autotune verify' says more",
                     dims_text_result(where, &problem->dims, result),
                     oracle_format(expected, type, expect), oracle_format(gotten, type, got));
}

static int compare(const struct once *once, uint64_t call, struct error *error)
{
    const struct input *input = &once->input;
    const uint64_t all = input_expects_bytes(&input->problem);
    const uint64_t count = dims_results(&input->problem.dims), bytes = all / count;
    unsigned char *results = malloc(all);
    if (!results)
        return error_memory(error, all);
    int failed =
        once->device->ops->read(once->device, results,
                                once->buffers.output + call * once->slot_bytes, all, error);
    for (uint64_t i = 0; i < count && !failed; i++) {
        oracle_bits got = 0;
        memcpy(&got, results + i * bytes, bytes);
        failed = compare_result(once, i, input_expect(input, 0, i), got, error);
    }
    free(results);
    return failed;
}

static void dispose(struct once *once)
{
    const uint64_t buffers[] = {once->buffers.output, once->buffers.scratch,
                                once->buffers.state};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        if (buffers[i])
            once->device->ops->free(once->device, buffers[i]);
    if (once->input.device)
        input_close(&once->input);
    loaded_close(&once->loaded);
}

int single_run(struct device *device, const struct point_context *context,
               const struct emit_sources *sources, const int64_t *config, uint64_t seed,
               struct error *error)
{
    struct once once = {.device = device, .context = context};
    int failed = loaded_open(&once.loaded, device, context, sources, config, 1, error);
    if (!failed) {
        loaded_kernels(&once.loaded, 0, once.kernels);
        failed = prepare(&once, config, seed, error);
    }
    for (uint64_t call = 0; call < CALLS && !failed; call++)
        failed = launch(&once, call, error);
    for (uint64_t call = 0; call < CALLS && !failed; call++)
        failed = compare(&once, call, error);
    dispose(&once);
    return failed ? -1 : 0;
}
