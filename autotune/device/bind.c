/* bind: gives each launch the arguments that planner.h computes, in the order of its pass. */
#include "autotune/device/bind.h"

#include "generator/operation_input.h"
#include "generator/operation_param.h"

#include <assert.h>

static void add_arg(struct device_launch *launch, uint64_t value)
{
    assert(launch->arg_count < LAUNCH_ARGS_MAX);
    launch->args[launch->arg_count++] = value;
}

static void add_further(struct device_launch *launch, const struct problem *problem,
                        const uint64_t *further)
{
    for (size_t input = 1; input < problem_inputs(problem); input++) {
        const struct dims dims = problem_input_dims(problem, input);
        uint64_t strides[INPUT_STRIDES];
        problem_input_strides(&dims, strides);
        add_arg(launch, further[input - 1]);
        for (size_t s = 0; s < INPUT_STRIDES; s++)
            add_arg(launch, strides[s]);
    }
}

void bind_launches(struct device_launch *out, const struct planner_plan *plan,
                   const struct space *space, const struct problem *problem,
                   const struct device_kernel *const kernels[SPACE_PASSES_MAX],
                   const struct planner_buffers *buffers, const uint64_t *further)
{
    assert(plan->count <= PLANNER_LAUNCHES);
    for (int i = 0; i < plan->count; i++) {
        const struct planner_launch *launch = &plan->launches[i];
        const struct pass *pass = &space->passes[launch->pass];
        uint64_t values[PLANNER_ARGS];
        assert(kernels[launch->pass]);
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
            add_arg(&out[i], problem_param_bits(problem, k));
        add_further(&out[i], problem, further);
    }
}
