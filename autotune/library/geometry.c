/* geometry: keeps, for each pass of a row, the values of all names, and which derived values
 * must be evaluated again when n is another. Hides that the walk over the passes is that of
 * tune/call.c, and that a matrix is walked over but once. */
#include "autotune/library/geometry.h"
#include "generator/shape.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A pass that applies to the row. */
struct shape {
    size_t pass;
    const struct pass *keys;
    int64_t values[SPACE_NAMES_MAX];
    const struct expr *exprs[SPACE_NAMES_MAX]; /* of derived values, to be evaluated in order */
    size_t slots[SPACE_NAMES_MAX];
    size_t count;
};

struct geometry {
    const struct space *space;
    size_t name_count;
    int threads_per_block;
    uint64_t partial_bytes;
    struct call_plan *matrix; /* of all its rows; NULL: one value, of the shapes below */
    size_t count;
    struct shape shapes[];
};

/* --- Making ------------------------------------------------------------------------------- */

static bool uses_any(const struct space *space, const struct expr *expr, const bool *is_marked)
{
    for (size_t i = 0; i < space->derived_count; i++)
        if (is_marked[i] && expr_uses(expr, space->derived[i].slot))
            return true;
    return false;
}

/* The derived values that are needed for a launch and change with n. Each needs only those
 * before it: so forwards for what changes, backwards for what is needed. */
static void list_derived(struct shape *shape, const struct space *space)
{
    struct expr *const *keys = shape->keys->keys;
    const struct expr *const needs[] = {keys[PASS_BLOCK],       keys[PASS_GRID],
                                        keys[PASS_OUTPUTS],     keys[PASS_PARTIALS],
                                        keys[PASS_STATE],       keys[PASS_CLUSTER],
                                        keys[PASS_SHARED_BYTES]};
    bool is_changing[SPACE_NAMES_MAX] = {false}, is_needed[SPACE_NAMES_MAX] = {false};
    for (size_t i = 0; i < space->derived_count; i++) {
        const struct expr *expr = space->derived[i].expr;
        is_changing[i] = expr_uses(expr, SPACE_N) || uses_any(space, expr, is_changing);
    }
    for (size_t i = space->derived_count; i-- > 0;) {
        for (size_t k = 0; k < sizeof needs / sizeof *needs && !is_needed[i]; k++)
            is_needed[i] = needs[k] && expr_uses(needs[k], space->derived[i].slot);
        for (size_t k = i + 1; k < space->derived_count && !is_needed[i]; k++)
            is_needed[i] =
                is_needed[k] && expr_uses(space->derived[k].expr, space->derived[i].slot);
    }
    for (size_t i = 0; i < space->derived_count; i++)
        if (is_changing[i] && is_needed[i]) {
            shape->exprs[shape->count] = space->derived[i].expr;
            shape->slots[shape->count++] = space->derived[i].slot;
        }
}

static int add_shape(struct geometry *geometry, const struct point_context *context,
                     const int64_t *row, size_t pass, struct error *error)
{
    struct shape *shape = &geometry->shapes[geometry->count];
    int64_t effective[SPACE_NAMES_MAX];
    struct point_pass all;
    if (point_pass(context, row, pass, dims_n(&context->problem->dims), &all, error))
        return -1;
    if (!all.applies)
        return 0;
    shape->pass = pass;
    shape->keys = &context->space->passes[pass];
    if (point_pass_row(context, row, pass, effective, error) ||
        point_values(context, effective, shape->keys->reads_partials, shape->values, error))
        return -1;
    list_derived(shape, context->space);
    geometry->count++;
    return 0;
}

static int add_shapes(struct geometry *geometry, const struct point_context *context,
                      const int64_t *row, struct error *error)
{
    for (size_t p = 0; p < context->space->pass_count; p++)
        if (add_shape(geometry, context, row, p, error))
            return -1;
    return 0;
}

static int plan_matrix(struct geometry *geometry, const struct point_context *context,
                       const int64_t *row, struct error *error)
{
    geometry->matrix = malloc(sizeof *geometry->matrix);
    return geometry->matrix
               ? call_plan(geometry->matrix, context, row, dims_n(&context->problem->dims), error)
               : error_memory(error, sizeof *geometry->matrix);
}

int geometry_make(struct geometry **out, const struct point_context *context,
                  const int64_t *row, struct error *error)
{
    const struct space *space = context->space;
    const size_t bytes = sizeof(struct geometry) + space->pass_count * sizeof(struct shape);
    struct geometry *made = calloc(1, bytes);
    *out = NULL;
    if (!made)
        return error_memory(error, bytes);
    made->space = space;
    made->name_count = space->name_count;
    made->threads_per_block = context->target->threads_per_block;
    made->partial_bytes = (uint64_t)problem_partial_bytes(context->problem);
    if (shape_kind(&context->problem->dims) ? plan_matrix(made, context, row, error)
                                     : add_shapes(made, context, row, error)) {
        geometry_free(made);
        return -1;
    }
    *out = made;
    return 0;
}

void geometry_free(struct geometry *geometry)
{
    if (geometry)
        free(geometry->matrix);
    free(geometry);
}

/* --- Asking ------------------------------------------------------------------------------- */

static int eval(const struct geometry *geometry, const struct expr *expr, const int64_t *values,
                int64_t low, int64_t high, int64_t *out, struct error *error)
{
    if (!expr)
        return 0;
    if (expr_eval(expr, values, out, error))
        return -1;
    if (*out < low || *out > high)
        return error_set(error, ERROR_USAGE,
                         "%s: '%s' gives %" PRId64 " for %" PRId64 " elements, which is not "
                         "within %" PRId64 "..%" PRId64 ": correct the pass",
                         geometry->space->file, expr_source(expr), *out, values[SPACE_N], low,
                         high);
    return 0;
}

/* One launch of the pass for n inputs. */
static int eval_shape(const struct geometry *geometry, const struct shape *shape, uint64_t n,
                      struct point_pass *out, struct error *error)
{
    struct expr *const *keys = shape->keys->keys;
    int64_t values[SPACE_NAMES_MAX];
    int64_t block = 0, grid = 0, outputs = 0, partials = 0, state = 0, cluster = 1, shared = 0;
    memcpy(values, shape->values, geometry->name_count * sizeof *values);
    values[SPACE_N] = (int64_t)n;
    for (size_t i = 0; i < shape->count; i++)
        if (expr_eval(shape->exprs[i], values, &values[shape->slots[i]], error))
            return -1;
    if (eval(geometry, keys[PASS_BLOCK], values, 1, geometry->threads_per_block, &block,
             error) ||
        eval(geometry, keys[PASS_GRID], values, 1, INT32_MAX, &grid, error))
        return -1;
    values[SPACE_BLOCKS] = grid;
    if (eval(geometry, keys[PASS_OUTPUTS], values, 0, grid, &outputs, error) ||
        eval(geometry, keys[PASS_PARTIALS], values, 0, INT64_MAX / 8, &partials, error) ||
        eval(geometry, keys[PASS_STATE], values, 0, INT64_MAX / 8, &state, error) ||
        eval(geometry, keys[PASS_CLUSTER], values, 0, INT32_MAX, &cluster, error) ||
        eval(geometry, keys[PASS_SHARED_BYTES], values, 0, INT32_MAX, &shared, error))
        return -1;
    *out = (struct point_pass){.applies = true,
                               .block = (unsigned)block,
                               .grid = (unsigned)grid,
                               .cluster = (unsigned)cluster,
                               .shared_bytes = (unsigned)shared,
                               .outputs = (uint64_t)outputs,
                               .partials = (uint64_t)partials,
                               .state = (uint64_t)state};
    return 0;
}

static uint64_t take_scratch(struct call_plan *plan, uint64_t values, uint64_t partial_bytes)
{
    const uint64_t offset = plan->scratch_bytes;
    plan->scratch_bytes += (values * partial_bytes + 255) / 256 * 256;
    return offset;
}

/* The pass once more for the inputs that are left; `*left` becomes what it leaves. */
static int add_step(const struct geometry *geometry, const struct shape *shape,
                    struct call_plan *plan, uint64_t *left, struct error *error)
{
    struct call_step *step = &plan->steps[plan->count];
    if (plan->count == CALL_LAUNCHES_MAX)
        return error_set(error, ERROR_USAGE,
                         "%s: pass '%s' would be repeated more than %d times: correct its "
                         "outputs",
                         geometry->space->file, shape->keys->name, CALL_LAUNCHES_MAX);
    step->pass = shape->pass;
    step->n = *left;
    step->dims = dims_value(*left);
    step->output_offset = step->partials_offset = 0;
    if (eval_shape(geometry, shape, *left, &step->shape, error))
        return -1;
    plan->count++;
    if (8 * step->shape.state > plan->state_bytes)
        plan->state_bytes = 8 * step->shape.state;
    if (step->shape.outputs > 1)
        step->output_offset = take_scratch(plan, step->shape.outputs, geometry->partial_bytes);
    if (step->shape.partials)
        step->partials_offset =
            take_scratch(plan, step->shape.partials, geometry->partial_bytes);
    if (step->shape.outputs)
        *left = step->shape.outputs;
    return 0;
}

/* With fewer rows the launches stay as they are, and blocks that find no row do nothing. So the
 * parts of a result stay too, the memory they need, and the order they are combined in. */
static void take_dims(const struct call_plan *matrix, const struct dims *dims,
                      struct call_plan *out)
{
    memcpy(out, matrix,
           offsetof(struct call_plan, steps) + matrix->count * sizeof *matrix->steps);
    for (size_t i = 0; i < out->count; i++) {
        struct dims *of_step = &out->steps[i].dims;
        of_step->outer.n = dims->outer.n;
        of_step->inner.n = dims->inner.n;
        if (i == 0) /* what it leaves stays as it was, however much it is of */
            of_step->depth.n = dims->depth.n;
        out->steps[i].n = dims_n(of_step);
    }
    out->n = out->steps[0].n;
}

int geometry_call(const struct geometry *geometry, const struct dims *dims,
                  struct call_plan *out, struct error *error)
{
    const uint64_t n = dims->depth.n;
    uint64_t left = n;
    if (geometry->matrix) {
        take_dims(geometry->matrix, dims, out);
        return 0;
    }
    bool is_started = false; /* a pass has read the inputs */
    out->count = 0;
    out->n = n;
    out->results = 1;
    out->scratch_bytes = out->state_bytes = out->height = out->block = out->tile = 0;
    out->grid = 0;
    if (dims_results(dims) == 0)
        return 0;
    for (size_t i = 0; i < geometry->count; i++) {
        const struct shape *shape = &geometry->shapes[i];
        bool is_last = false;
        while (!is_last && !(is_started && left == 1)) {
            if (add_step(geometry, shape, out, &left, error))
                return -1;
            const struct point_pass *made = &out->steps[out->count - 1].shape;
            if (made->outputs && !is_started)
                out->grid = made->grid;
            is_started = is_started || made->outputs;
            is_last = made->outputs == 0 || !shape->keys->until_one;
        }
    }
    if (out->count > 0 && !is_started)
        return error_set(error, ERROR_USAGE,
                         "%s: no pass writes a value, outputs is 0 in all that apply: add one "
                         "that reads the inputs and has 'outputs = 1'",
                         geometry->space->file);
    if (!is_started || left != 1)
        return error_set(error, ERROR_USAGE,
                         "%s: the passes leave %" PRIu64 " values, not one: add a pass with "
                         "'repeat = until one'",
                         geometry->space->file, left);
    return 0;
}
