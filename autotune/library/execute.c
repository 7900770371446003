/* execute: implements the public calls: each is checked, laid out and queued, and nothing else. */
#include "autotune/library/api.h"
#include "autotune/library/caller.h"
#include "autotune/library/fail.h"
#include "autotune/library/plan.h"
#include "generator/operation_input.h"
#include "generator/operation_param.h"

#include <assert.h>
#include <string.h>

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

static uint64_t offsets_bytes(const struct autotune_plan *plan)
{
    return problem_offset_bytes(&plan->problem);
}

/* Offsets are of a plan of segments, and of no other. */
static bool has_good_offsets(const struct autotune_workspace *workspace, uint64_t offsets,
                             uint64_t n, uint64_t output)
{
    const struct autotune_plan *plan = workspace->plan;
    const uint64_t bytes = offsets_bytes(plan);
    if (!bytes)
        return !offsets;
    return offsets && offsets % (uint64_t)problem_types[plan->problem.offsets].bytes == 0 &&
           !api_overlap(offsets, bytes, output, results_bytes(plan, n)) &&
           is_beside(workspace, offsets, bytes);
}

static int refuse_offsets(const struct autotune_workspace *workspace, const void *offsets,
                          struct autotune_error *error)
{
    const struct autotune_plan *plan = workspace->plan;
    const struct type_row *type = &problem_types[plan->problem.offsets];
    if (!offsets_bytes(plan))
        return fail(
            error, AUTOTUNE_BAD_ARGUMENT,
            "autotune_call.offsets is not NULL, and the plan is of no segments: give them "
            "to the plan, by autotune_dims.segments");
    if (!offsets)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "the plan is of segments, and there are no offsets: call "
                    "autotune_execute_call with autotune_call.offsets");
    if ((uintptr_t)offsets % (uintptr_t)type->bytes)
        return fail(error, AUTOTUNE_MISALIGNED,
                    "offsets are at %p, not a multiple of the %d bytes of one of type %s",
                    offsets, type->bytes, type->name);
    return fail(
        error, AUTOTUNE_BAD_ARGUMENT,
        "offsets, of %llu bytes at %p, lie within the output or the workspace's memory: "
        "place them elsewhere",
        (unsigned long long)offsets_bytes(plan), offsets);
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

/* Queues a call whose arguments are known to be good. */
static int queue(const struct autotune_workspace *workspace,
                 const struct problem_params *params, uint64_t input, const uint64_t *further,
                 uint64_t n, uint64_t offsets, uint64_t output, void *stream,
                 struct error *error)
{
    const struct autotune_plan *plan = workspace->plan;
    struct device_launch launches[PLANNER_LAUNCHES];
    size_t count;
    const struct planner_buffers buffers = {
        .input = input,
        .output = output,
        .scratch = workspace->memory,
        .state = workspace->memory + plan->scratch_bytes,
        .offsets = offsets,
    };
    struct device *device = plan->context->device;
    return plan_call(plan, params, &buffers, further, n, launches, &count, error) ||
                   device->ops->launch(device, launches, count, stream, error)
               ? -1
               : 0;
}

int plan_execute(const struct autotune_workspace *workspace, uint64_t input, uint64_t n,
                 uint64_t output, void *stream, struct error *error)
{
    assert(problem_inputs(&workspace->plan->problem) == 1);
    return queue(workspace, &workspace->plan->problem.params, input, NULL, n, 0, output, stream,
                 error);
}

/* The call of a plan for `problem`, which has the params that are given. */
static int execute(struct autotune_workspace *workspace, const struct problem *problem,
                   const void *input, const uint64_t *further, uint64_t n, const void *offsets,
                   void *output, void *stream, struct autotune_error *error)
{
    struct error cause;
    if (!is_good_call(workspace, (uintptr_t)input, n, (uintptr_t)output))
        return refuse_call(workspace, input, n, output, error);
    if (!has_good_offsets(workspace, (uintptr_t)offsets, n, (uintptr_t)output))
        return refuse_offsets(workspace, offsets, error);
    return problem_check_params(problem, &cause) ||
                   queue(workspace, &problem->params, (uintptr_t)input, further, n,
                         (uintptr_t)offsets, (uintptr_t)output, stream, &cause)
               ? fail_for(error, &cause)
               : 0;
}

int autotune_execute(struct autotune_workspace *workspace, const void *input, uint64_t n,
                     void *output, void *stream, struct autotune_error *error)
{
    KEEP_ERRNO;
    if (!workspace)
        return fail_null("workspace", error);
    if (problem_inputs(&workspace->plan->problem) > 1)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "operation '%s' has %zu inputs: give them by autotune_execute_call",
                    workspace->plan->problem.op->name,
                    problem_inputs(&workspace->plan->problem));
    return execute(workspace, &workspace->plan->problem, input, NULL, n, NULL, output, stream,
                   error);
}

/* --- A call as a struct ------------------------------------------------------------------- */

/* Takes what this library knows of a call; what the caller knows beyond it must not matter. */
static int read_call(struct autotune_call *out, const struct autotune_call *call,
                     struct autotune_error *error)
{
    if (call->size < sizeof *out)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_call.size is %zu, less than any version's: set it to "
                    "sizeof(struct autotune_call)",
                    call->size);
    if (!api_are_zeros((const unsigned char *)call + sizeof *out, call->size - sizeof *out))
        return fail(
            error, AUTOTUNE_BAD_ARGUMENT,
            "autotune_call has fields behind its first %zu bytes that are not zero, and "
            "this library, %s, knows none there: install the version whose autotune.h "
            "the program was built with, or leave them zero",
            sizeof *out, autotune_version());
    *out = *call;
    return 0;
}

static int check_reserved(const struct autotune_call *call, const struct problem *problem,
                          struct autotune_error *error)
{
    enum { INPUTS = sizeof call->inputs / sizeof *call->inputs };
    bool has_others = false;
    const bool is_one =
        api_are_zeros(call->outputs + 1, sizeof call->outputs - sizeof *call->outputs);
    bool is_known = api_are_zeros(call->reserved, sizeof call->reserved);
    for (size_t k = 0; k < INPUTS; k++) {
        has_others = has_others || (k >= problem_inputs(problem) && call->inputs[k].data);
        is_known = is_known &&
                   api_are_zeros(call->inputs[k].reserved, sizeof call->inputs[k].reserved);
    }
    if (!is_known)
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "a field reserved of autotune_call is not zero: fill it with zeros first");
    if (has_others)
        return fail(
            error, AUTOTUNE_BAD_ARGUMENT,
            "autotune_call has more inputs than operation '%s', which has %zu: leave the "
            "others NULL",
            problem->op->name, problem_inputs(problem));
    return is_one
               ? 0
               : fail(error, AUTOTUNE_BAD_ARGUMENT,
                      "autotune_call has more than one output, and an operation has one: leave "
                      "the others NULL");
}

/* Of input `k`, from 1 on, of a call of n: is its memory a good one? */
static int check_further(const struct autotune_workspace *workspace,
                         const struct autotune_call *call, size_t k,
                         struct autotune_error *error)
{
    const struct autotune_plan *plan = workspace->plan;
    const char *name = operation_input_name(plan->problem.op, k);
    const enum type type = problem_input_type(&plan->problem, k);
    struct problem problem = plan->problem;
    problem.dims = plan_dims(plan, call->n);
    const uint64_t at = (uintptr_t)call->inputs[k].data;
    const uint64_t each = (uint64_t)problem_types[type].bytes;
    const uint64_t bytes = problem_input_extent(&problem, k) * each;
    if (!at && bytes)
        return fail(
            error, AUTOTUNE_BAD_ARGUMENT,
            "autotune_call.inputs[%zu].data is NULL, and operation '%s' reads it as its "
            "input %s",
            k, plan->problem.op->name, name);
    if (at % each)
        return fail(
            error, AUTOTUNE_MISALIGNED,
            "input %s is at %p, not a multiple of the %u bytes of an element of type %s", name,
            call->inputs[k].data, (unsigned)each, problem_types[type].name);
    if (api_overlap((uintptr_t)call->outputs[0], results_bytes(plan, call->n), at, bytes))
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "output, at %p, lies within the elements of input %s: place it elsewhere",
                    call->outputs[0], name);
    if (!is_beside(workspace, at, bytes))
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "input %s lies in the workspace's memory, of %llu bytes at %p: that holds "
                    "nothing else, place it elsewhere",
                    name, (unsigned long long)workspace_bytes(plan),
                    (void *)(uintptr_t)workspace->memory);
    return 0;
}

/* The addresses of further inputs. What is wrong of n and the first input is told first. */
static int read_further(uint64_t out[PROBLEM_FURTHER_MAX],
                        const struct autotune_workspace *workspace,
                        const struct autotune_call *call, struct autotune_error *error)
{
    if (!is_good_call(workspace, (uintptr_t)call->inputs[0].data, call->n,
                      (uintptr_t)call->outputs[0]))
        return 0;
    for (size_t k = 1; k < problem_inputs(&workspace->plan->problem); k++) {
        const int wrong = check_further(workspace, call, k, error);
        if (wrong)
            return wrong;
        out[k - 1] = (uintptr_t)call->inputs[k].data;
    }
    return 0;
}

/* The values that the call gives, in the place of the plan's. */
static int read_params(struct problem *problem, const struct autotune_call *call,
                       struct autotune_error *error)
{
    const size_t count = operation_param_count(problem->op);
    for (size_t k = 0; k < sizeof call->params / sizeof *call->params; k++) {
        uint64_t bits = 0;
        if (!call->params[k])
            continue;
        if (k >= count)
            return fail(error, AUTOTUNE_BAD_ARGUMENT,
                        "autotune_call.params[%zu] is not NULL, and operation '%s' has %zu "
                        "params: leave the others NULL",
                        k, problem->op->name, count);
        memcpy(&bits, call->params[k],
               (size_t)problem_types[problem_param_type(problem, k)].bytes);
        problem_give_bits(problem, k, bits);
    }
    return 0;
}

int autotune_execute_call(struct autotune_workspace *workspace,
                          const struct autotune_call *call, struct autotune_error *error)
{
    KEEP_ERRNO;
    struct autotune_call known = {.size = 0};
    if (!workspace || !call)
        return fail_null(workspace ? "call" : "workspace", error);
    struct problem problem = workspace->plan->problem;
    const int failed = read_call(&known, call, error);
    if (failed)
        return failed;
    const int refused = check_reserved(&known, &problem, error);
    if (refused)
        return refused;
    uint64_t further[PROBLEM_FURTHER_MAX] = {0};
    int wrong = read_params(&problem, &known, error);
    if (!wrong)
        wrong = read_further(further, workspace, &known, error);
    return wrong ? wrong
                 : execute(workspace, &problem, known.inputs[0].data, further, known.n,
                           known.offsets, known.outputs[0], known.stream, error);
}
