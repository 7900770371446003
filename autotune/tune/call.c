/* call: walks over the passes of a candidate until one value is left. Hides where partial
 * results lie between passes. */
#include "autotune/tune/call.h"

#include "generator/shape.h"

#include <inttypes.h>

/* Takes `values` accumulators from the scratch memory. */
static uint64_t take_scratch(struct call_plan *plan, uint64_t values, int accum_bytes)
{
    const uint64_t offset = plan->scratch_bytes;
    plan->scratch_bytes += (values * (uint64_t)accum_bytes + 255) / 256 * 256;
    return offset;
}

static int add_step(struct call_plan *plan, const struct pass *pass,
                    const struct call_step *step, int accum_bytes, struct error *error)
{
    if (plan->count == CALL_LAUNCHES_MAX)
        return error_set(error, ERROR_USAGE,
                         "pass '%s' would be repeated more than %d times: correct its outputs",
                         pass->name, CALL_LAUNCHES_MAX);
    struct call_step *added = &plan->steps[plan->count++];
    *added = *step;
    if (8 * step->shape.state > plan->state_bytes)
        plan->state_bytes = 8 * step->shape.state;
    if (step->shape.outputs > plan->results)
        added->output_offset = take_scratch(plan, step->shape.outputs, accum_bytes);
    if (step->shape.partials)
        added->partials_offset = take_scratch(plan, step->shape.partials, accum_bytes);
    plan->height += step->shape.height;
    return 0;
}

/* All launches, of `left` elements at first; then what the last leaves. */
static int add_steps(struct call_plan *out, const struct point_context *context,
                     const int64_t *row, uint64_t *left, bool *is_started, struct error *error)
{
    const struct space *space = context->space;
    const int accum_bytes = problem_partial_bytes(context->problem);
    struct problem problem = *context->problem; /* what is left of it */
    if (*left != dims_n(&problem.dims))
        problem.dims = dims_left(&problem.dims, *left / dims_results(&problem.dims));
    for (size_t p = 0; p < space->pass_count; p++) {
        const struct pass *pass = &space->passes[p];
        do {
            struct call_step step = {.pass = p, .n = *left, .dims = problem.dims};
            if (*is_started && *left == out->results)
                break;
            if (point_pass(context, row, p, *left, &step.shape, error))
                return -1;
            if (!step.shape.applies)
                break;
            if (add_step(out, pass, &step, accum_bytes, error))
                return -1;
            if (step.shape.outputs == 0)
                break;
            *is_started = true;
            *left = step.shape.outputs;
            problem.dims = dims_left(&problem.dims, *left / dims_results(&problem.dims));
        } while (pass->until_one);
    }
    return 0;
}

int call_plan(struct call_plan *out, const struct point_context *context, const int64_t *row,
              uint64_t n, struct error *error)
{
    const struct space *space = context->space;
    uint64_t left = n;
    bool is_started = false; /* a pass has read the inputs */
    out->count = 0;
    out->scratch_bytes = out->state_bytes = out->height = 0;
    out->n = n;
    out->results = dims_results(&context->problem->dims);
    if (add_steps(out, context, row, &left, &is_started, error))
        return -1;
    if (out->count > 0 && !is_started)
        return error_set(error, ERROR_USAGE,
                         "%s: no pass writes a value, outputs is 0 in all that apply: add one "
                         "that reads the inputs and has 'outputs = 1'",
                         space->file);
    if (!is_started || left != out->results)
        return error_set(error, ERROR_USAGE,
                         "%s: the passes leave %" PRIu64 " values, not %s: add a pass with "
                         "'repeat = until one'",
                         space->file, left, out->results > 1 ? "one a result" : "one");
    const struct call_step *first = out->steps;
    while (first->shape.outputs == 0)
        first++;
    out->grid = first->shape.grid;
    out->block = first->shape.block;
    out->tile = first->shape.tile;
    out->at_once = first->shape.results;
    return 0;
}

void call_bind(struct device_launch *out, const struct call_plan *plan,
               const struct space *space,
               const struct device_kernel *const kernels[SPACE_PASSES_MAX],
               const struct call_buffers *buffers)
{
    uint64_t input = buffers->input;
    for (size_t i = 0; i < plan->count; i++) {
        const struct call_step *step = &plan->steps[i];
        const struct pass *pass = &space->passes[step->pass];
        const uint64_t output = step->shape.outputs <= plan->results
                                    ? buffers->output
                                    : buffers->scratch + step->output_offset;
        const uint64_t args[PASS_ARG_KINDS] = {
            [ARG_INPUT] = input,
            [ARG_N] = step->n,
            [ARG_OUTPUT] = output,
            [ARG_PARTIALS] = buffers->scratch + step->partials_offset,
            [ARG_STATE] = buffers->state,
            [ARG_OUTER] = step->dims.outer.n,
            [ARG_OUTER_STRIDE] = step->dims.outer.stride,
            [ARG_DEPTH] = step->dims.depth.n,
            [ARG_DEPTH_STRIDE] = step->dims.depth.stride,
            [ARG_INNER] = step->dims.inner.n,
            [ARG_INNER_STRIDE] = step->dims.inner.stride,
            [ARG_PARTS] = step->shape.parts,
        };
        out[i] = (struct device_launch){.kernel = kernels[step->pass],
                                        .grid = step->shape.grid,
                                        .block = step->shape.block,
                                        .cluster = step->shape.cluster,
                                        .shared_bytes = step->shape.shared_bytes,
                                        .is_cooperative = pass->is_cooperative,
                                        .arg_count = pass->arg_count};
        for (size_t k = 0; k < pass->arg_count; k++)
            out[i].args[k] = args[pass->args[k]];
        if (step->shape.outputs > 0)
            input = output;
    }
}
