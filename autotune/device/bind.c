/* bind: gives each launch the arguments that planner.h computes, in the order of its pass. */
#include "autotune/device/bind.h"

#include "generator/operation_param.h"

#include <assert.h>

void bind_launches(struct device_launch *out, const struct planner_plan *plan,
                   const struct space *space, const struct problem *problem,
                   const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                   const struct planner_buffers *buffers)
{
    assert(plan->count <= PLANNER_LAUNCHES);
    for (int i = 0; i < plan->count; i++) {
        const struct planner_launch *launch = &plan->launches[i];
        const struct pass *pass = &space->passes[launch->pass];
        uint64_t values[PLANNER_ARGS];
        assert(kernels[launch->pass]);
        assert(pass->arg_count + operation_param_count(problem->op) <= LAUNCH_ARGS_MAX);
        planner_bind(values, launch, buffers);
        out[i] =
            (struct device_launch){.kernel = kernels[launch->pass],
                                   .grid = (unsigned)launch->keys[PLANNER_GRID],
                                   .block = (unsigned)launch->keys[PLANNER_BLOCK],
                                   .cluster = (unsigned)launch->keys[PLANNER_CLUSTER],
                                   .shared_bytes = (unsigned)launch->keys[PLANNER_SHARED_BYTES],
                                   .is_cooperative = pass->is_cooperative,
                                   .starts_in_any_order = pass->starts_in_any_order,
                                   .arg_count = pass->arg_count};
        for (size_t k = 0; k < pass->arg_count; k++)
            out[i].args[k] = values[pass->args[k]];
        for (size_t k = 0; k < operation_param_count(problem->op); k++)
            out[i].args[out[i].arg_count++] = problem_param_bits(problem, k);
    }
}
