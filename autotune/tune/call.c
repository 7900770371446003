/* call: walks over the passes of a candidate until one value is left and fills in each launch.
 * Hides where partial results lie between passes. */
#include "autotune/tune/call.h"

#include <inttypes.h>

static uint64_t align_up(uint64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Takes `values` accumulators from the scratch memory. */
static uint64_t take_scratch(struct call *call, const struct call_buffers *buffers,
                             uint64_t values, int accum_bytes)
{
    uint64_t address = buffers->scratch + call->scratch_bytes;
    call->scratch_bytes += align_up(values * (uint64_t)accum_bytes);
    return address;
}

struct stage {
    uint64_t input, n; /* what the next pass reads */
};

static int add_launch(struct call *call, const struct pass *pass, const struct point_pass *shape,
                      const struct device_kernel *kernel, const struct call_buffers *buffers,
                      int accum_bytes, struct stage *stage, struct error *error)
{
    if (call->count == CALL_LAUNCHES_MAX)
        return error_set(error, ERROR_USAGE,
                         "pass '%s' would be repeated more than %d times: correct its outputs",
                         pass->name, CALL_LAUNCHES_MAX);
    uint64_t output = shape->outputs == 1
                          ? buffers->output
                          : take_scratch(call, buffers, shape->outputs, accum_bytes);
    const uint64_t args[PASS_ARG_KINDS] = {
        [ARG_INPUT] = stage->input,
        [ARG_N] = stage->n,
        [ARG_OUTPUT] = output,
        [ARG_PARTIALS] =
            shape->partials ? take_scratch(call, buffers, shape->partials, accum_bytes) : 0,
        [ARG_COUNTER] = buffers->counter,
    };
    struct device_launch *launch = &call->launches[call->count++];
    *launch = (struct device_launch){.kernel = kernel, .grid = shape->grid,
                                     .block = shape->block, .arg_count = pass->arg_count};
    for (size_t i = 0; i < pass->arg_count; i++)
        launch->args[i] = args[pass->args[i]];
    call->height += shape->height;
    *stage = (struct stage){output, shape->outputs};
    return 0;
}

int call_build(struct call *out, const struct point_context *context, const int64_t *row,
               const struct device_kernel *const kernels[SPACE_PASSES_MAX], uint64_t n,
               const struct call_buffers *buffers, struct error *error)
{
    const struct space *space = context->space;
    const int accum_bytes = problem_types[context->problem->acc].bytes;
    struct stage stage = {buffers->input, n};
    out->count = 0;
    out->scratch_bytes = out->height = 0;
    for (size_t p = 0; p < space->pass_count; p++) {
        const struct pass *pass = &space->passes[p];
        struct point_pass shape;
        do {
            if (out->count > 0 && stage.n == 1)
                break;
            if (point_pass(context, row, p, stage.n, &shape, error))
                return -1;
            if (!shape.applies)
                break;
            if (out->count == 0) {
                out->block = shape.block;
                out->tile = shape.tile;
            }
            if (add_launch(out, pass, &shape, kernels[p], buffers, accum_bytes, &stage, error))
                return -1;
        } while (pass->until_one);
    }
    if (out->count == 0 || stage.n != 1)
        return error_set(error, ERROR_USAGE,
                         "%s: the passes leave %" PRIu64 " values, not one: add a pass with "
                         "'repeat = until one'",
                         space->file, stage.n);
    return 0;
}
