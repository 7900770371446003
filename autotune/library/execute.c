/* execute: implements the public call: it is checked, laid out and queued, and nothing else. */
#include "autotune/library/api.h"
#include "autotune/library/caller.h"
#include "autotune/library/fail.h"
#include "autotune/library/plan.h"

static uint64_t elements_bytes(const struct autotune_plan *plan, uint64_t n)
{
    const struct dims dims = plan_dims(plan, n);
    return dims_extent(&dims) * plan->element_bytes;
}

static uint64_t results_bytes(const struct autotune_plan *plan, uint64_t n)
{
    const struct dims dims = plan_dims(plan, n);
    return dims_results(&dims) * plan->result_bytes;
}

static uint64_t workspace_bytes(const struct autotune_plan *plan)
{
    return plan->scratch_bytes + plan->state_bytes;
}

/* Do the results of a call begin behind its elements, or end before them, or may they take their
 * place? */
static bool is_apart(const struct autotune_plan *plan, uint64_t input, uint64_t n,
                     uint64_t output)
{
    const struct dims dims = plan_dims(plan, n);
    return (dims.scan && input == output && plan->result_bytes == plan->element_bytes &&
            dims_extent(&dims) == dims_n(&dims)) ||
           !api_overlap(output, results_bytes(plan, n), input, elements_bytes(plan, n));
}

/* Is a call's memory no part of the workspace? */
static bool is_beside(const struct autotune_workspace *workspace, uint64_t at, uint64_t bytes)
{
    return !api_overlap(at, bytes, workspace->memory, workspace_bytes(workspace->plan));
}

static int refuse_call(const struct autotune_workspace *workspace, const void *input,
                       uint64_t n, const void *output, struct autotune_error *error)
{
    const struct autotune_plan *plan = workspace->plan;
    if (!output || (!input && n))
        return fail_null(output ? "input" : "output", error);
    if (n > plan_most(plan))
        return fail(error, AUTOTUNE_N_TOO_LARGE,
                    "n is %llu, but the plan is for at most %llu %s: make a plan for more",
                    (unsigned long long)n, (unsigned long long)plan_most(plan),
                    plan->count.unit);
    if ((uintptr_t)input % plan->element_bytes)
        return fail(error, AUTOTUNE_MISALIGNED,
                    "input is at %p, not a multiple of the %u bytes of an element of type %s",
                    input, (unsigned)plan->element_bytes,
                    problem_types[plan->problem.type].name);
    if ((uintptr_t)output % plan->result_bytes)
        return fail(error, AUTOTUNE_MISALIGNED,
                    "output is at %p, not a multiple of the %u bytes of a result of type %s",
                    output, (unsigned)plan->result_bytes,
                    problem_types[problem_result(&plan->problem)].name);
    if (is_apart(plan, (uintptr_t)input, n, (uintptr_t)output))
        return fail(
            error, AUTOTUNE_BAD_ARGUMENT,
            "%s lies in the workspace's memory, of %llu bytes at %p: that holds nothing "
            "else, place it elsewhere",
            is_beside(workspace, (uintptr_t)input, elements_bytes(plan, n)) ? "output"
                                                                            : "input",
            (unsigned long long)workspace_bytes(plan), (void *)(uintptr_t)workspace->memory);
    return fail(error, AUTOTUNE_BAD_ARGUMENT,
                "output, at %p, lies within the elements that are reduced: place it elsewhere",
                output);
}

static bool is_good_call(const struct autotune_workspace *workspace, uint64_t input, uint64_t n,
                         uint64_t output)
{
    const struct autotune_plan *plan = workspace->plan;
    return output && (input || !n) && n <= plan_most(plan) &&
           (input & (plan->element_bytes - 1)) == 0 &&
           (output & (plan->result_bytes - 1)) == 0 && is_apart(plan, input, n, output) &&
           is_beside(workspace, input, elements_bytes(plan, n)) &&
           is_beside(workspace, output, results_bytes(plan, n));
}

int plan_execute(const struct autotune_workspace *workspace, uint64_t input, uint64_t n,
                 uint64_t output, void *stream, struct error *error)
{
    const struct autotune_plan *plan = workspace->plan;
    struct device_launch launches[PLANNER_LAUNCHES];
    size_t count;
    const struct planner_buffers buffers = {
        .input = input,
        .output = output,
        .scratch = workspace->memory,
        .state = workspace->memory + plan->scratch_bytes,
    };
    struct device *device = plan->context->device;
    return plan_call(plan, &buffers, n, launches, &count, error) ||
                   device->ops->launch(device, launches, count, stream, error)
               ? -1
               : 0;
}

int autotune_execute(struct autotune_workspace *workspace, const void *input, uint64_t n,
                     void *output, void *stream, struct autotune_error *error)
{
    KEEP_ERRNO;
    struct error cause;
    if (!workspace)
        return fail_null("workspace", error);
    if (!is_good_call(workspace, (uintptr_t)input, n, (uintptr_t)output))
        return refuse_call(workspace, input, n, output, error);
    return plan_execute(workspace, (uintptr_t)input, n, (uintptr_t)output, stream, &cause)
               ? fail_for(error, &cause)
               : 0;
}
