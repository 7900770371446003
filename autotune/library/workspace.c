/* workspace: implements the public functions of workspaces and of calls: a call is checked,
 * laid out and queued, and nothing else. */
#include "autotune/library/plan.h"

#include <stdlib.h>

enum { WORKSPACE_ALIGNMENT = 256 };

/* The state words lie behind the scratch memory, whose bytes are a multiple of 256. */
struct autotune_workspace {
    struct autotune_plan *plan;
    uint64_t memory;
    bool is_own; /* allocated here */
};

size_t autotune_plan_workspace_bytes(const struct autotune_plan *plan)
{
    const uint64_t bytes = plan->scratch_bytes + plan->state_bytes;
    return bytes ? bytes : 1;
}

static int clear(struct autotune_workspace *workspace, void *stream,
                 struct autotune_error *error)
{
    const struct autotune_plan *plan = workspace->plan;
    struct borrowed *borrowed = plan->context->borrowed;
    return plan->state_bytes
               ? borrowed->ops->clear(borrowed, workspace->memory + plan->scratch_bytes,
                                      plan->state_bytes, stream, error)
               : 0;
}

static int fill_workspace(struct autotune_workspace *workspace, void *memory, void *stream,
                          struct autotune_error *error)
{
    struct borrowed *borrowed = workspace->plan->context->borrowed;
    int failed = borrowed->ops->check(borrowed, error);
    workspace->memory = (uintptr_t)memory;
    if (!failed && !memory) {
        failed = borrowed->ops->alloc(borrowed, autotune_plan_workspace_bytes(workspace->plan),
                                      &workspace->memory, error);
        workspace->is_own = !failed;
    }
    if (!failed)
        failed = clear(workspace, stream, error);
    if (!failed)
        failed = borrowed->ops->wait(borrowed, stream, error);
    if (failed && workspace->is_own)
        borrowed->ops->free(borrowed, workspace->memory);
    return failed;
}

int autotune_workspace_create(struct autotune_workspace **out, struct autotune_plan *plan,
                              void *memory, void *stream, struct autotune_error *error)
{
    struct autotune_workspace *workspace;
    if (!out)
        return fail_null("out", error);
    *out = NULL;
    if (!plan)
        return fail_null("plan", error);
    if ((uintptr_t)memory % WORKSPACE_ALIGNMENT)
        return fail(error, AUTOTUNE_MISALIGNED,
                    "memory is at %p, not a multiple of %d bytes: align it, or give NULL",
                    memory, WORKSPACE_ALIGNMENT);
    workspace = calloc(1, sizeof *workspace);
    if (!workspace)
        return fail_memory(error);
    workspace->plan = plan;
    const int failed = fill_workspace(workspace, memory, stream, error);
    if (failed) {
        free(workspace);
        return failed;
    }
    atomic_fetch_add(&plan->workspaces, 1);
    *out = workspace;
    return 0;
}

int autotune_workspace_reset(struct autotune_workspace *workspace, void *stream,
                             struct autotune_error *error)
{
    if (!workspace)
        return fail_null("workspace", error);
    struct borrowed *borrowed = workspace->plan->context->borrowed;
    const int failed = borrowed->ops->check(borrowed, error);
    return failed ? failed : clear(workspace, stream, error);
}

int autotune_workspace_destroy(struct autotune_workspace *workspace,
                               struct autotune_error *error)
{
    if (!workspace)
        return 0;
    struct borrowed *borrowed = workspace->plan->context->borrowed;
    const int lost = borrowed->ops->check(borrowed, error);
    if (!lost && workspace->is_own)
        borrowed->ops->free(borrowed, workspace->memory);
    atomic_fetch_sub(&workspace->plan->workspaces, 1);
    free(workspace);
    return lost;
}

/* --- Execute ------------------------------------------------------------------------------ */

static int refuse_call(const struct autotune_plan *plan, const void *input, uint64_t n,
                       const void *output, struct autotune_error *error)
{
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
    return fail(error, AUTOTUNE_BAD_ARGUMENT,
                "output, at %p, lies within the elements that are reduced: place it elsewhere",
                output);
}

/* Do the results of a call begin behind its elements, or end before them, or may they take their
 * place? */
static bool is_apart(const struct autotune_plan *plan, uint64_t input, uint64_t n,
                     uint64_t output)
{
    const struct dims dims = plan_dims(plan, n);
    if (dims.scan && input == output && plan->result_bytes == plan->element_bytes)
        return true;
    return output + dims_results(&dims) * plan->result_bytes <= input ||
           output >= input + dims_extent(&dims) * plan->element_bytes;
}

static bool is_good_call(const struct autotune_plan *plan, uint64_t input, uint64_t n,
                         uint64_t output)
{
    return output && (input || !n) && n <= plan_most(plan) &&
           (input & (plan->element_bytes - 1)) == 0 &&
           (output & (plan->result_bytes - 1)) == 0 && is_apart(plan, input, n, output);
}

int autotune_execute(struct autotune_workspace *workspace, const void *input, uint64_t n,
                     void *output, void *stream, struct autotune_error *error)
{
    struct device_launch launches[PLANNER_LAUNCHES];
    size_t count;
    if (!workspace)
        return fail_null("workspace", error);
    const struct autotune_plan *plan = workspace->plan;
    if (!is_good_call(plan, (uintptr_t)input, n, (uintptr_t)output))
        return refuse_call(plan, input, n, output, error);
    const struct planner_buffers buffers = {
        .input = (uintptr_t)input,
        .output = (uintptr_t)output,
        .scratch = workspace->memory,
        .state = workspace->memory + plan->scratch_bytes,
    };
    const int failed = plan_call(plan, &buffers, n, launches, &count, error);
    struct borrowed *borrowed = plan->context->borrowed;
    return failed ? failed : borrowed->ops->launch(borrowed, launches, count, stream, error);
}
