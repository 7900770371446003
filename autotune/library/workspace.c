/* workspace: implements the public functions of workspaces: the memory that a plan's calls need. */
#include "autotune/library/plan.h"

#include <stdlib.h>

enum { WORKSPACE_ALIGNMENT = 256 };

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
