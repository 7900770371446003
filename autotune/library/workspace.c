/* workspace: implements the public functions of workspaces: the memory that a plan's calls need. */
#include "autotune/library/caller.h"
#include "autotune/library/fail.h"
#include "autotune/library/plan.h"

#include <stdlib.h>

enum { WORKSPACE_ALIGNMENT = 256 };

size_t autotune_plan_workspace_bytes(const struct autotune_plan *plan)
{
    const uint64_t bytes = plan ? plan->scratch_bytes + plan->state_bytes : 0;
    return bytes || !plan ? bytes : 1;
}

static int clear(struct autotune_workspace *workspace, void *stream, struct error *error)
{
    const struct autotune_plan *plan = workspace->plan;
    struct device *device = plan->context->device;
    return device->ops->fill(device, workspace->memory + plan->scratch_bytes, 0,
                             plan->state_bytes, stream, error);
}

static int fill_workspace(struct autotune_workspace *workspace, void *memory, void *stream,
                          struct error *error)
{
    struct device *device = workspace->plan->context->device;
    workspace->memory = (uintptr_t)memory;
    if (device_check(device, error))
        return -1;
    if (!memory) {
        if (device->ops->alloc(device, autotune_plan_workspace_bytes(workspace->plan),
                               &workspace->memory, error))
            return -1;
        workspace->is_own = true;
    }
    const int failed =
        clear(workspace, stream, error) || device->ops->sync(device, stream, error);
    if (failed && workspace->is_own)
        device->ops->free(device, workspace->memory);
    return failed ? -1 : 0;
}

int workspace_make(struct autotune_workspace **out, struct autotune_plan *plan, void *memory,
                   void *stream, struct error *error)
{
    struct autotune_workspace *workspace = calloc(1, sizeof *workspace);
    *out = NULL;
    if (!workspace)
        return fail_memory(error);
    workspace->plan = plan;
    if (fill_workspace(workspace, memory, stream, error)) {
        free(workspace);
        return -1;
    }
    atomic_fetch_add(&plan->workspaces, 1);
    *out = workspace;
    return 0;
}

int workspace_reset(struct autotune_workspace *workspace, void *stream, struct error *error)
{
    struct device *device = workspace->plan->context->device;
    return device_check(device, error) || clear(workspace, stream, error) ? -1 : 0;
}

void workspace_free(struct autotune_workspace *workspace, bool is_current)
{
    if (!workspace)
        return;
    struct device *device = workspace->plan->context->device;
    if (is_current && workspace->is_own)
        device->ops->free(device, workspace->memory);
    atomic_fetch_sub(&workspace->plan->workspaces, 1);
    free(workspace);
}

int autotune_workspace_create(struct autotune_workspace **out, struct autotune_plan *plan,
                              void *memory, void *stream, struct autotune_error *error)
{
    KEEP_ERRNO;
    struct error cause;
    if (!out)
        return fail_null("out", error);
    *out = NULL;
    if (!plan)
        return fail_null("plan", error);
    if ((uintptr_t)memory % WORKSPACE_ALIGNMENT)
        return fail(error, AUTOTUNE_MISALIGNED,
                    "memory is at %p, not a multiple of %d bytes: align it, or give NULL",
                    memory, WORKSPACE_ALIGNMENT);
    return workspace_make(out, plan, memory, stream, &cause) ? fail_for(error, &cause) : 0;
}

int autotune_workspace_reset(struct autotune_workspace *workspace, void *stream,
                             struct autotune_error *error)
{
    KEEP_ERRNO;
    struct error cause;
    if (!workspace)
        return fail_null("workspace", error);
    return workspace_reset(workspace, stream, &cause) ? fail_for(error, &cause) : 0;
}

int autotune_workspace_destroy(struct autotune_workspace *workspace,
                               struct autotune_error *error)
{
    KEEP_ERRNO;
    if (!workspace)
        return 0;
    struct device *device = workspace->plan->context->device;
    struct error cause;
    const int lost = device_check(device, &cause);
    workspace_free(workspace, !lost);
    return lost ? fail_for(error, &cause) : 0;
}
