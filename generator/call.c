/* call: keeps, for each pass of a config, the values of all names, and which derived values and
 * keys must be evaluated again for other dims. The parts of a result are decided once, for all
 * calls. */
#include "generator/call.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A pass that applies to the config. */
struct pass_values {
    size_t index; /* in the space */
    const struct pass *pass;
    int64_t values[SPACE_NAMES_MAX];
    int64_t keys[PLANNER_KEYS];
    bool is_changing[PLANNER_KEYS];
    size_t derived[SPACE_NAMES_MAX]; /* derived values to be evaluated again, in order */
    size_t derived_count;
};

struct call {
    const struct space *space;
    struct planner_passes passes;
    struct planner_parts parts;
    struct pass_values at[]; /* of the planner's passes */
};

/* --- What depends on dims ----------------------------------------------------------------- */

/* Each derived value needs only those before it: so forwards for what changes from call to
 * call, backwards for what the first `key_count` keys need. */
static void list_changing(struct pass_values *at, const struct space *space, size_t key_count)
{
    bool is_changing[SPACE_NAMES_MAX] = {false}, is_needed[SPACE_NAMES_MAX] = {false};
    for (size_t slot = SPACE_N; slot <= SPACE_BLOCKS; slot++)
        is_changing[slot] = true;
    for (size_t i = 0; i < space->derived_count; i++)
        is_changing[space->derived[i].slot] =
            expr_uses_any(space->derived[i].expr, is_changing);
    is_needed[space->parts] = true;
    for (size_t k = 0; k < key_count; k++)
        if (at->pass->keys[k]) {
            at->is_changing[k] = expr_uses_any(at->pass->keys[k], is_changing);
            expr_mark(at->pass->keys[k], is_needed);
        }
    for (size_t i = space->derived_count; i-- > 0;)
        if (is_needed[space->derived[i].slot])
            expr_mark(space->derived[i].expr, is_needed);
    for (size_t i = 0; i < space->derived_count; i++)
        if (is_changing[space->derived[i].slot] && is_needed[space->derived[i].slot])
            at->derived[at->derived_count++] = i;
}

/* For one plan alone all is evaluated as it comes. */
static void list_all(struct pass_values *at, const struct space *space)
{
    for (; at->derived_count < space->derived_count; at->derived_count++)
        at->derived[at->derived_count] = at->derived_count;
    for (size_t k = 0; k < PLANNER_KEYS; k++)
        at->is_changing[k] = true;
}

/* --- Evaluation --------------------------------------------------------------------------- */

static int eval_key(const struct pass_values *at, size_t key, const int64_t *values,
                    int64_t *out, struct error *error)
{
    *out = space_pass_keys[key].missing;
    return at->pass->keys[key] ? expr_eval(at->pass->keys[key], values, out, error) : 0;
}

/* The derived values; parts that are decided already stay. */
static int eval_derived(const struct pass_values *at, const struct space *space,
                        const int64_t *parts, int64_t *values, struct error *error)
{
    for (size_t i = 0; i < at->derived_count; i++) {
        const struct derived *derived = &space->derived[at->derived[i]];
        if (derived->slot == space->parts && *parts > 0)
            values[derived->slot] = *parts;
        else if (expr_eval(derived->expr, values, &values[derived->slot], error))
            return -1;
    }
    return 0;
}

static int eval_pass(const struct pass_values *at, const struct space *space,
                     const struct dims *dims, int64_t *parts, int64_t keys[PLANNER_KEYS],
                     struct error *error)
{
    int64_t values[SPACE_NAMES_MAX];
    memcpy(values, at->values, space->name_count * sizeof *values);
    memcpy(keys, at->keys, sizeof at->keys);
    point_set_dims(values, dims);
    if (eval_derived(at, space, parts, values, error))
        return -1;
    if (*parts == 0)
        *parts = space->parts ? values[space->parts] : 1;
    for (size_t k = 0; k < PLANNER_KEYS; k++) {
        if (at->is_changing[k] && eval_key(at, k, values, &keys[k], error))
            return -1;
        if (k == PLANNER_GRID)
            values[SPACE_BLOCKS] = keys[k];
    }
    return 0;
}

/* The context of eval, which the planner calls. */
struct asking {
    const struct call *call;
    struct error *error;
};

static int eval(void *context, int pass, const struct dims *dims, int64_t *parts,
                int64_t keys[PLANNER_KEYS])
{
    const struct asking *asking = context;
    return eval_pass(&asking->call->at[pass], asking->call->space, dims, parts, keys,
                     asking->error);
}

/* --- What the planner refuses ------------------------------------------------------------- */

static int refuse_range(const struct planner_plan *plan, const struct call *call,
                        struct error *error)
{
    const struct planner_launch *launch = &plan->launches[plan->count];
    const struct pass *pass = call->at[launch->pass].pass;
    const enum planner_key key = plan->refused.key;
    const struct expr *expr = key < PLANNER_KEYS ? pass->keys[key] : NULL;
    const char *name = key < PLANNER_KEYS ? space_pass_keys[key].name : "parts";
    return error_set(error, ERROR_USAGE,
                     "%s: '%s' gives %" PRId64 " for %" PRIu64
                     " elements, which is not within %" PRId64 "..%" PRId64
                     ": correct '%s' of pass '%s'",
                     call->space->file, expr ? expr_source(expr) : name, plan->refused.value,
                     dims_n(&launch->dims), plan->refused.low, plan->refused.high, name,
                     pass->name);
}

static int refuse_unfinished(const struct planner_plan *plan, const struct call *call,
                             const struct dims *dims, struct error *error)
{
    uint64_t left = dims_n(dims);
    for (int i = 0; i < plan->count; i++)
        if (plan->launches[i].keys[PLANNER_OUTPUTS] > 0)
            left = (uint64_t)plan->launches[i].keys[PLANNER_OUTPUTS];
    return error_set(error, ERROR_USAGE,
                     "%s: the passes leave %" PRIu64
                     " values, not one for each result: add a pass with 'repeat = until one'",
                     call->space->file, left);
}

static int refuse(enum planner_status status, const struct planner_plan *plan,
                  const struct call *call, const struct dims *dims, struct error *error)
{
    switch (status) {
    case PLANNER_OUT_OF_RANGE: return refuse_range(plan, call, error);
    case PLANNER_TOO_MANY:
        return error_set(
            error, ERROR_USAGE,
            "%s: pass '%s' would be repeated more than %d times: correct its outputs",
            call->space->file, call->at[plan->launches[plan->count - 1].pass].pass->name,
            PLANNER_LAUNCHES);
    case PLANNER_NO_OUTPUT:
        return error_set(error, ERROR_USAGE,
                         "%s: no pass writes a value, outputs is 0 in all that apply: add one "
                         "that reads the inputs and has 'outputs = 1'",
                         call->space->file);
    case PLANNER_UNFINISHED: return refuse_unfinished(plan, call, dims, error);
    default: return -1; /* eval has said what is wrong */
    }
}

/* --- Making ------------------------------------------------------------------------------- */

static int fill_pass(struct pass_values *out, const struct point_context *context,
                     const int64_t *config, size_t index, bool is_once, struct error *error)
{
    const struct pass *pass = &context->space->passes[index];
    int64_t effective[SPACE_NAMES_MAX];
    out->index = index;
    out->pass = pass;
    out->derived_count = 0;
    memset(out->is_changing, 0, sizeof out->is_changing);
    if (point_pass_config(context, config, index, effective, error))
        return -1;
    point_known(context, effective, pass->reads_partials, out->values);
    if (is_once) {
        list_all(out, context->space);
        return 0;
    }
    list_changing(out, context->space, PLANNER_NEEDED);
    if (point_values(context, effective, pass->reads_partials, out->values, error))
        return -1;
    for (size_t k = 0; k < PLANNER_NEEDED; k++)
        if (!out->is_changing[k] && eval_key(out, k, out->values, &out->keys[k], error))
            return -1;
    return 0;
}

static struct planner_passes passes_of(const struct point_context *context, bool is_once,
                                       struct asking *asking)
{
    return (struct planner_passes){.key_count = is_once ? PLANNER_KEYS : PLANNER_NEEDED,
                                   .threads_per_block = context->target->threads_per_block,
                                   .partial_bytes =
                                       (uint64_t)problem_partial_bytes(context->problem),
                                   .eval = eval,
                                   .context = asking};
}

/* The passes that apply. */
static int fill(struct call *call, const struct point_context *context, const int64_t *config,
                bool is_once, struct error *error)
{
    for (size_t p = 0; p < context->space->pass_count; p++) {
        bool applies;
        if (point_applies(context, config, p, &applies, error) ||
            (applies &&
             fill_pass(&call->at[call->passes.count], context, config, p, is_once, error)))
            return -1;
        if (applies)
            call->passes.is_repeated[call->passes.count++] =
                context->space->passes[p].until_one;
    }
    return 0;
}

static struct call *alloc(const struct space *space, struct error *error)
{
    const size_t bytes = sizeof(struct call) + space->pass_count * sizeof(struct pass_values);
    struct call *call = malloc(bytes);
    if (call)
        call->space = space;
    else
        error_memory(error, bytes);
    return call;
}

/* Until here a launch has its pass as an index into call->at; from here on as one into the
 * space's passes. */
static void name_passes(struct planner_plan *plan, const struct call *call)
{
    for (int i = 0; i < plan->count; i++)
        plan->launches[i].pass = (int)call->at[plan->launches[i].pass].index;
}

static int make(struct call **out, struct planner_plan *plan,
                const struct point_context *context, const int64_t *config, bool is_once,
                struct error *error)
{
    struct call *call = *out = alloc(context->space, error);
    struct asking asking = {call, error};
    plan->status = PLANNER_NO_VALUE;
    if (!call)
        return -1;
    assert(context->space->parts < context->space->name_count);
    call->passes = passes_of(context, is_once, &asking);
    if (fill(call, context, config, is_once, error))
        return -1;
    const enum planner_status status =
        planner_shape(plan, &call->parts, &call->passes, &context->problem->dims);
    if (status != PLANNER_DONE)
        return refuse(status, plan, call, &context->problem->dims, error);
    assert(plan->count <= PLANNER_LAUNCHES);
    assert((plan->count > 0) == (dims_results(&context->problem->dims) > 0));
    assert(plan->count == 0 || (0 <= plan->first && plan->first < plan->count));
    name_passes(plan, call);
    return 0;
}

int call_make(struct call **out, struct planner_plan *plan, const struct point_context *context,
              const int64_t *config, struct error *error)
{
    if (make(out, plan, context, config, false, error) == 0)
        return 0;
    call_free(*out);
    *out = NULL;
    return -1;
}

void call_free(struct call *call)
{
    free(call);
}

int call_plan(struct planner_plan *out, const struct point_context *context,
              const int64_t *config, struct error *error)
{
    struct call *call;
    const int failed = make(&call, out, context, config, true, error);
    call_free(call);
    return failed;
}

/* --- Asking ------------------------------------------------------------------------------- */

int call_ask(const struct call *call, struct planner_plan *out, const struct dims *dims,
             struct error *error)
{
    assert(call->passes.count > 0);
    struct asking asking = {call, error};
    struct planner_passes passes = call->passes;
    passes.context = &asking;
    const enum planner_status status = planner_call(out, &call->parts, &passes, dims);
    if (status != PLANNER_DONE)
        return refuse(status, out, call, dims, error);
    name_passes(out, call);
    return 0;
}

int call_pass(struct planner_launch *out, bool *applies, const struct point_context *context,
              const int64_t *config, size_t pass, const struct dims *dims, struct error *error)
{
    struct call *call;
    struct asking asking;
    struct planner_plan plan = {.first = -1};
    int64_t parts = 0;
    if (point_applies(context, config, pass, applies, error))
        return -1;
    if (!*applies)
        return 0;
    asking = (struct asking){call = alloc(context->space, error), error};
    if (!call)
        return -1;
    call->passes = passes_of(context, true, &asking);
    int failed = fill_pass(call->at, context, config, pass, true, error);
    if (!failed) {
        const enum planner_status status = planner_add(&plan, &call->passes, 0, dims, &parts);
        failed = status == PLANNER_DONE ? 0 : refuse(status, &plan, call, dims, error);
        *out = plan.launches[0];
    }
    call_free(call);
    return failed;
}

uint64_t call_height(const struct planner_plan *plan)
{
    uint64_t height = 0;
    for (int i = 0; i < plan->count; i++)
        height += (uint64_t)plan->launches[i].keys[PLANNER_HEIGHT];
    return height;
}
