/* space_default: reads and evaluates the [default] of a space file, whose values may depend on
 * problem and target. */
#include "generator/point.h"
#include "generator/space_read.h"

#include <inttypes.h>
#include <string.h>

/* --- Reading ------------------------------------------------------------------------------ */

/* The names of a space include the very strings of its params' symbols. */
static bool is_symbol_of(const struct param *param, const char *name)
{
    for (size_t i = 0; param->symbols && i < param->count; i++)
        if (param->symbols[i] == name)
            return true;
    return false;
}

/* A problem of each operation: of i32, then of f32 in order n. */
static size_t count_examples(void)
{
    return 2 * operation_count();
}

static struct problem example(size_t i)
{
    const bool is_ordered = i >= operation_count();
    const enum type type = is_ordered ? F32 : I32;
    return (struct problem){.op = operation_at(i % operation_count()),
                            .type = type,
                            .acc = type,
                            .order = is_ordered ? ORDER_BY_N : ORDER_FREE};
}

static bool is_of_params(const struct derived *derived)
{
    return derived->uses & ~SPACE_USES_PROBLEM;
}

/* A name that a default must not use, or NULL: one that is known only once a config is chosen, or a
 * symbol of another param, whose number would pass for a value of this one. It may use the dims:
 * what is best for few elements is slow for many. */
static const char *find_refused(const struct space *space, const struct expr *expr, size_t own)
{
    bool is_used[SPACE_NAMES_MAX] = {0}; /* by slot */
    expr_mark(expr, is_used);
    const char *name = is_used[SPACE_BLOCKS] ? space_builtins[SPACE_BLOCKS].name : NULL;
    for (size_t i = 0; i < space->derived_count; i++) {
        const struct derived *derived = &space->derived[i];
        if (is_used[derived->slot] && is_of_params(derived))
            name = derived->name;
    }
    for (size_t i = 0; i < space->param_count; i++) {
        const struct param *param = &space->params[i];
        if (is_used[param->slot])
            name = param->name;
        for (size_t k = 0; i != own && k < space->name_count; k++)
            if (is_used[k] && is_symbol_of(param, space->names[k]))
                name = space->names[k];
    }
    return name;
}

static bool is_expression(const struct space *space, const char *value)
{
    for (size_t i = 0; i < SPACE_BUILTINS; i++)
        if (strcmp(space_builtins[i].name, value) == 0)
            return true;
    for (size_t i = 0; i < space->derived_count; i++)
        if (strcmp(space->names[space->derived[i].slot], value) == 0)
            return true;
    return strpbrk(value, " ?:|&=!<>+*/%()") != NULL;
}

/* A word alone is one of the param's values, a name that every space has or a derived one; anything
 * longer is an expression. */
int space_read_default(struct space *space, const struct ini_item *item, struct error *error)
{
    const int i = space_find_param(space, item->key, strlen(item->key));
    if (i < 0)
        return space_complain(item, error,
                              "[default] names no param of this space:", item->key);
    struct space_default *value = &space->defaults[i];
    value->file = item->file;
    value->line = item->line;
    if (space->params[i].count == 0 || /* said where it is */
        space_find_value(&space->params[i], item->value, strlen(item->value),
                         &space->default_config[i]) == 0)
        return 0;
    if (!is_expression(space, item->value))
        return space_complain(item, error,
                              "[default] names a value that the param lacks:", item->value);
    if (space_read_expr(space, &value->expr, item, error))
        return -1;
    const char *refused = find_refused(space, value->expr, (size_t)i);
    if (refused)
        return space_complain(
            item, error, "[default] knows problem and target, and this param's values, not",
            refused);
    return 0;
}

/* --- Evaluating --------------------------------------------------------------------------- */

static bool is_value(const struct param *param, int64_t value)
{
    for (size_t i = 0; i < param->count; i++)
        if (param->values[i] == value)
            return true;
    return false;
}

/* The derived values that depend on no param: a default may name them. */
static int set_derived(const struct space *space, int64_t *values, struct error *error)
{
    for (size_t i = 0; i < space->derived_count; i++) {
        const struct derived *derived = &space->derived[i];
        if (!is_of_params(derived) &&
            expr_eval(derived->expr, values, &values[derived->slot], error))
            return -1;
    }
    return 0;
}

int space_settle_default(struct space *space, const struct problem *problem,
                         const struct target *target, struct error *error)
{
    const struct point_context context = {space, problem, target};
    int64_t values[SPACE_NAMES_MAX];
    if (space_check_problem(space, problem, error))
        return -1;
    point_builtins(&context, false, values);
    if (set_derived(space, values, error))
        return -1;
    for (size_t i = 0; i < space->param_count; i++) {
        const struct space_default *from = &space->defaults[i];
        char shown[PROBLEM_CHARS];
        int64_t value;
        if (!from->expr)
            continue;
        if (space->params[i].count == 1) { /* as in a space that narrows another's */
            space->default_config[i] = space->params[i].values[0];
            continue;
        }
        if (expr_eval(from->expr, values, &value, error))
            return -1;
        if (!is_value(&space->params[i], value))
            return error_set(error, ERROR_USAGE,
                             "%s:%d: [default] gives %s = %" PRId64
                             " for %s, which is none of its "
                             "values: correct '%s'",
                             from->file, from->line, space->params[i].name, value,
                             problem_format(shown, problem), expr_source(from->expr));
        space->default_config[i] = value;
    }
    return 0;
}

int space_default_of_many(int64_t *config, struct space *space, const struct problem *problem,
                          const struct target *target, struct error *error)
{
    struct problem many = *problem;
    if (dims_kept(&many.dims) <= 1 && many.dims.depth.n < PROBLEM_USUAL_N)
        many.dims.depth.n = PROBLEM_USUAL_N;
    if (space_settle_default(space, &many, target, error))
        return -1;
    memcpy(config, space->default_config, space->param_count * sizeof *config);
    return space_settle_default(space, problem, target, error);
}

/* Settles the default for a first problem, so that it is never unset: the first example
 * that the space serves, on a GPU of the kind that most have. */
int space_first_default(struct space *space, struct error *error)
{
    static const struct target target = {
        .cc = 80,
        .sms = 108,
        .l2_bytes = 40 << 20,
        .threads_per_block = 1024,
        .threads_per_sm = 2048,
        .shared_per_block = 163 << 10,
        .shared_per_sm = 164 << 10,
        .registers_per_sm = 65536,
    };
    for (size_t i = 0; i < count_examples(); i++) {
        struct problem problem = example(i);
        if (space_find_dims(space, &problem, PROBLEM_USUAL_N, 1000, 0))
            return space_settle_default(space, &problem, &target, error);
    }
    return space_error(space, "space", "", error, "'serves' holds for no problem: %s",
                       expr_source(space->serves));
}
