/* point: evaluates the rows of a space: values, rules, launch geometry, and the list of all
 * valid rows. Hides the walk over them. */
#include "generator/point.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Values ------------------------------------------------------------------------------------ */

void point_builtins(const struct point_context *context, bool reads_partials,
                    int64_t values[SPACE_NAMES_MAX])
{
    const struct problem *problem = context->problem;
    const struct target *target = context->target;
    const enum type type = reads_partials ? problem->acc : problem->type;
    memcpy(values, context->space->constants, SPACE_NAMES_MAX * sizeof *values);
    values[SPACE_N] = (int64_t)problem->n;
    values[SPACE_OP] = reads_partials ? problem_ops[problem->op].partial : problem->op;
    values[SPACE_TYPE] = type;
    values[SPACE_ACC] = problem->acc;
    values[SPACE_DETERMINISTIC] = problem->is_deterministic;
    values[SPACE_ELEM_BYTES] = problem_types[type].bytes;
    values[SPACE_ACCUM_BYTES] = problem_types[problem->acc].bytes;
    values[SPACE_HOST] = target->is_host;
    values[SPACE_CC] = target->cc;
    values[SPACE_SMS] = target->sms;
    values[SPACE_L2_BYTES] = target->l2_bytes;
    values[SPACE_THREADS_PER_BLOCK] = target->threads_per_block;
    values[SPACE_THREADS_PER_SM] = target->threads_per_sm;
    values[SPACE_SHARED_PER_BLOCK] = target->shared_per_block;
    values[SPACE_SHARED_PER_SM] = target->shared_per_sm;
    values[SPACE_REGISTERS_PER_SM] = target->registers_per_sm;
}

static void set_row(const struct space *space, const int64_t *row, int64_t *values)
{
    for (size_t i = 0; i < space->param_count; i++)
        values[space->params[i].slot] = row[i];
}

static int set_derived(const struct space *space, int64_t *values, struct error *error)
{
    for (size_t i = 0; i < space->derived_count; i++)
        if (expr_eval(space->derived[i].expr, values, &values[space->derived[i].slot], error))
            return -1;
    return 0;
}

int point_values(const struct point_context *context, const int64_t *row, bool reads_partials,
                 int64_t values[SPACE_NAMES_MAX], struct error *error)
{
    point_builtins(context, reads_partials, values);
    set_row(context->space, row, values);
    return set_derived(context->space, values, error);
}

/* --- Rules ------------------------------------------------------------------------------------- */

/* The first rule of one kind (launch-time or not) that the values break. Derived values are set one
 * by one before the rules that may need them, so a rule can guard against a division by zero only
 * in its own text. */
static int find_broken(const struct space *space, const int64_t *values, bool is_launch,
                       struct error *error)
{
    for (size_t i = 0; i < space->rule_count; i++) {
        int64_t holds;
        if (space->rules[i].is_launch != is_launch)
            continue;
        if (expr_eval(space->rules[i].expr, values, &holds, error))
            return POINT_FAILED;
        if (!holds)
            return (int)i;
    }
    return POINT_VALID;
}

int point_reject(const struct point_context *context, const int64_t *row, struct error *error)
{
    int64_t values[SPACE_NAMES_MAX];
    if (space_check_problem(context->space, context->problem, error) ||
        point_values(context, row, false, values, error))
        return POINT_FAILED;
    int broken = find_broken(context->space, values, false, error);
    return broken == POINT_VALID ? find_broken(context->space, values, true, error) : broken;
}

int point_reject_order(const struct point_context *context, const int64_t *row,
                       struct error *error)
{
    const struct space *space = context->space;
    int64_t values[SPACE_NAMES_MAX], holds;
    if (point_values(context, row, false, values, error))
        return POINT_FAILED;
    for (size_t i = 0; i < space->rule_count; i++) {
        if (!expr_uses(space->rules[i].expr, SPACE_DETERMINISTIC))
            continue;
        if (expr_eval(space->rules[i].expr, values, &holds, error))
            return POINT_FAILED;
        if (!holds)
            return (int)i;
    }
    return POINT_VALID;
}

/* --- All points -------------------------------------------------------------------------------- */

static int add_row(struct points *points, const int64_t *row, size_t *capacity,
                   struct error *error)
{
    if (points->count == *capacity) {
        size_t grown = *capacity ? 2 * *capacity : 1024;
        int64_t *rows = realloc(points->rows, grown * points->width * sizeof *rows);
        if (!rows)
            return error_memory(error, grown * points->width * sizeof *rows);
        points->rows = rows;
        *capacity = grown;
    }
    memcpy(points->rows + points->count++ * points->width, row, points->width * sizeof *row);
    return 0;
}

static int add_variant(struct points *points, size_t first, struct error *error)
{
    size_t count = points->variant_count;
    if ((count & (count - 1)) == 0) { /* full at each power of two */
        size_t bytes = (count ? 2 * count : 1) * sizeof *points->variants;
        struct point_variant *variants = realloc(points->variants, bytes);
        if (!variants)
            return error_memory(error, bytes);
        points->variants = variants;
    }
    points->variants[points->variant_count++] =
        (struct point_variant){first, points->count - first};
    return 0;
}

static int refuse_empty(const struct points *points, const struct space *space,
                        struct error *error)
{
    size_t most = 0;
    for (size_t i = 1; i < space->rule_count; i++)
        if (points->rejected[i] > points->rejected[most])
            most = i;
    return error_set(error, ERROR_USAGE,
                     "%s: no point of the space is left; the rule that rejected most (%" PRIu64
                     " of %" PRIu64 ") is '%s': change it, the values or the problem",
                     space->file, points->rejected[most], points->total,
                     space->rules[most].reason);
}

/* The walk gives the params their values one after the other, compile-time ones first; derived
 * values and rules are evaluated as soon as all they need is known, so that what a rule rejects
 * is never walked through. */
struct walk {
    struct points *points;
    const struct space *space;
    int64_t *values; /* by slot */
    int64_t *row;
    size_t capacity; /* of points->rows */
    size_t order[SPACE_NAMES_MAX];    /* params by depth */
    uint64_t below[SPACE_NAMES_MAX];  /* points that share their params up to a depth */
    size_t compile_depth;             /* the depth at which a variant is fixed */
    size_t derived_depth[SPACE_NAMES_MAX], *rule_depth; /* from where on they are known */
};

static size_t find_depth(const struct walk *walk, const struct expr *expr)
{
    const struct space *space = walk->space;
    size_t depth = 0;
    for (size_t d = 0; d < space->param_count; d++)
        if (expr_uses(expr, space->params[walk->order[d]].slot))
            depth = d;
    for (size_t i = 0; i < space->derived_count; i++)
        if (expr_uses(expr, space->derived[i].slot) && walk->derived_depth[i] > depth)
            depth = walk->derived_depth[i];
    return depth;
}

static void plan_walk(struct walk *walk)
{
    const struct space *space = walk->space;
    size_t count = 0;
    for (int is_launch = 0; is_launch < 2; is_launch++) {
        for (size_t i = 0; i < space->param_count; i++)
            if (space->params[i].is_launch == is_launch)
                walk->order[count++] = i;
        if (!is_launch)
            walk->compile_depth = count;
    }
    uint64_t below = 1;
    for (size_t d = count; d-- > 0;) {
        walk->below[d] = below;
        below *= space->params[walk->order[d]].count;
    }
    walk->points->total = below;
    for (size_t i = 0; i < space->derived_count; i++)
        walk->derived_depth[i] = find_depth(walk, space->derived[i].expr);
    for (size_t i = 0; i < space->rule_count; i++)
        walk->rule_depth[i] = find_depth(walk, space->rules[i].expr);
}

/* What is known from this depth on: -1, 0, or 1 when a rule rejects everything below. */
static int settle(struct walk *walk, size_t depth, struct error *error)
{
    const struct space *space = walk->space;
    for (size_t i = 0; i < space->derived_count; i++)
        if (walk->derived_depth[i] == depth &&
            expr_eval(space->derived[i].expr, walk->values,
                      &walk->values[space->derived[i].slot], error))
            return -1;
    for (size_t i = 0; i < space->rule_count; i++) {
        int64_t holds = 1;
        if (walk->rule_depth[i] == depth &&
            expr_eval(space->rules[i].expr, walk->values, &holds, error))
            return -1;
        if (!holds) {
            walk->points->rejected[i] += walk->below[depth];
            return 1;
        }
    }
    return 0;
}

static int descend(struct walk *walk, size_t depth, struct error *error)
{
    const struct space *space = walk->space;
    const size_t first = walk->points->count;
    if (depth == space->param_count)
        return add_row(walk->points, walk->row, &walk->capacity, error);
    const size_t at = walk->order[depth];
    const struct param *param = &space->params[at];
    for (size_t i = 0; i < param->count; i++) {
        const size_t before = walk->points->count;
        walk->values[param->slot] = walk->row[at] = param->values[i];
        const int rejected = settle(walk, depth, error);
        if (rejected < 0 || (!rejected && descend(walk, depth + 1, error)))
            return -1;
        if (depth + 1 == walk->compile_depth && walk->points->count > before &&
            add_variant(walk->points, before, error))
            return -1;
    }
    return walk->compile_depth == 0 && depth == 0 && walk->points->count > first
               ? add_variant(walk->points, first, error)
               : 0;
}

int point_expand(struct points *out, const struct point_context *context, struct error *error)
{
    const struct space *space = context->space;
    const size_t width = space->param_count, rules = space->rule_count + 1;
    int64_t values[SPACE_NAMES_MAX];
    if (space_check_problem(space, context->problem, error))
        return -1;
    *out = (struct points){.width = width, .rejected = calloc(rules, sizeof *out->rejected)};
    struct walk walk = {.points = out,
                        .space = space,
                        .values = values,
                        .row = calloc(width, sizeof *walk.row),
                        .rule_depth = calloc(rules, sizeof *walk.rule_depth)};
    int failed = !out->rejected || !walk.row || !walk.rule_depth
                     ? error_memory(error, width * sizeof *walk.row)
                     : 0;
    if (!failed) {
        point_builtins(context, false, values);
        plan_walk(&walk);
        failed = descend(&walk, 0, error);
    }
    if (!failed && out->count == 0)
        failed = refuse_empty(out, space, error);
    free(walk.row);
    free(walk.rule_depth);
    if (failed)
        point_dispose(out);
    return failed;
}

int point_single(struct points *out, const struct space *space, const int64_t *row,
                 struct error *error)
{
    size_t capacity = 0;
    *out = (struct points){.width = space->param_count, .total = 1};
    out->rejected = calloc(space->rule_count + 1, sizeof *out->rejected);
    if (out->rejected && add_row(out, row, &capacity, error) == 0 &&
        add_variant(out, 0, error) == 0)
        return 0;
    point_dispose(out);
    return error_memory(error, space->param_count * sizeof *row);
}

int point_add(struct points *points, const int64_t *row, struct error *error)
{
    const size_t first = points->count;
    size_t capacity = first; /* none is known to be left */
    return add_row(points, row, &capacity, error) || add_variant(points, first, error) ? -1 : 0;
}

void point_dispose(struct points *points)
{
    free(points->rows);
    free(points->variants);
    free(points->rejected);
    *points = (struct points){0};
}

/* --- Passes ------------------------------------------------------------------------------------ */

int point_pass_row(const struct point_context *context, const int64_t *row, size_t pass,
                   int64_t *out, struct error *error)
{
    const struct pass *p = &context->space->passes[pass];
    int64_t values[SPACE_NAMES_MAX];
    memcpy(out, row, context->space->param_count * sizeof *out);
    if (p->override_count == 0)
        return 0;
    if (point_values(context, row, p->reads_partials, values, error))
        return -1;
    for (size_t i = 0; i < p->override_count; i++)
        if (expr_eval(p->overrides[i].expr, values, &out[p->overrides[i].param], error))
            return -1;
    return 0;
}

/* Evaluates one key of a pass, which must come out within low..high. */
static int eval_within(const struct expr *expr, const int64_t *values, int64_t low, int64_t high,
                       const struct space *space, int64_t *out, struct error *error)
{
    if (expr_eval(expr, values, out, error))
        return -1;
    if (*out < low || *out > high)
        return error_set(error, ERROR_USAGE,
                         "%s: '%s' gives %" PRId64 ", which is not within %" PRId64 "..%" PRId64
                         ": correct the pass",
                         space->file, expr_source(expr), *out, low, high);
    return 0;
}

enum { CLUSTER_MAX = 16 }; /* blocks: 8 anywhere, 16 where the GPU has them */

/* A key that may be missing: then `out` keeps its value. */
static int eval_optional(const struct expr *expr, const int64_t *values, int64_t high,
                         const struct space *space, int64_t *out, struct error *error)
{
    return expr ? eval_within(expr, values, 0, high, space, out, error) : 0;
}

int point_pass(const struct point_context *context, const int64_t *row, size_t pass, uint64_t n,
               struct point_pass *out, struct error *error)
{
    const struct space *space = context->space;
    const struct pass *p = &space->passes[pass];
    struct problem problem = *context->problem;
    const struct point_context inner = {space, &problem, context->target};
    int64_t values[SPACE_NAMES_MAX], effective[SPACE_NAMES_MAX], applies = 1;
    int64_t block, grid, tile, outputs, partials = 0, state = 0, height, cluster = 1, shared = 0;
    problem.n = n;
    *out = (struct point_pass){0};
    if (p->when && (point_values(&inner, row, false, values, error) ||
                    expr_eval(p->when, values, &applies, error)))
        return -1;
    if (!applies)
        return 0;
    if (point_pass_row(context, row, pass, effective, error) ||
        point_values(&inner, effective, p->reads_partials, values, error))
        return -1;
    if (eval_within(p->block, values, 1, context->target->threads_per_block, space, &block, error) ||
        eval_within(p->grid, values, 1, INT32_MAX, space, &grid, error) ||
        eval_within(p->tile, values, 1, INT64_MAX / 8, space, &tile, error))
        return -1;
    values[SPACE_BLOCKS] = grid;
    if (eval_within(p->outputs, values, 0, grid, space, &outputs, error) ||
        eval_optional(p->partials, values, INT64_MAX / 8, space, &partials, error) ||
        eval_optional(p->state, values, INT64_MAX / 8, space, &state, error) ||
        eval_optional(p->cluster, values, CLUSTER_MAX, space, &cluster, error) ||
        eval_optional(p->shared_bytes, values, INT32_MAX, space, &shared, error) ||
        eval_within(p->height, values, 0, INT64_MAX, space, &height, error))
        return -1;
    *out = (struct point_pass){.applies = true,
                               .block = (unsigned)block,
                               .grid = (unsigned)grid,
                               .cluster = (unsigned)cluster,
                               .shared_bytes = (unsigned)shared,
                               .tile = (uint64_t)tile,
                               .outputs = (uint64_t)outputs,
                               .partials = (uint64_t)partials,
                               .state = (uint64_t)state,
                               .height = (uint64_t)height};
    return 0;
}

/* --- Text -------------------------------------------------------------------------------------- */

void point_format_value(struct text *out, const struct param *param, int64_t value)
{
    for (size_t i = 0; param->symbols && i < param->count; i++)
        if (param->values[i] == value) {
            text_adds(out, param->symbols[i]);
            return;
        }
    text_addf(out, "%" PRId64, value);
}

void point_format(struct text *out, const struct space *space, const int64_t *row,
                  bool launch_too)
{
    const char *between = "";
    for (size_t i = 0; i < space->param_count; i++) {
        if (space->params[i].is_launch && !launch_too)
            continue;
        text_addf(out, "%s%s=", between, space->params[i].name);
        point_format_value(out, &space->params[i], row[i]);
        between = " ";
    }
}

static int refuse_value(const struct param *param, const char *word, struct error *error)
{
    struct text known = {0};
    for (size_t i = 0; i < param->count; i++) {
        text_adds(&known, i ? " " : "");
        point_format_value(&known, param, param->values[i]);
    }
    error_set(error, ERROR_USAGE, "'%s': %s (%s) has the values %s: choose one of them", word,
              param->name, param->meaning ? param->meaning : "", known.at ? known.at : "");
    text_dispose(&known);
    return -1;
}

static int refuse_param(const struct space *space, const char *word, struct error *error)
{
    struct text known = {0};
    for (size_t i = 0; i < space->param_count; i++)
        text_addf(&known, "%s%s", i ? " " : "", space->params[i].name);
    error_set(error, ERROR_USAGE, "'%s' names no param of the space '%s': it has %s, each written NAME=VALUE",
              word, space->name, known.at ? known.at : "");
    text_dispose(&known);
    return -1;
}

static int parse_word(const struct space *space, const char *word, size_t length, int64_t *row,
                      bool *seen, struct error *error)
{
    char shown[80];
    snprintf(shown, sizeof shown, "%.*s", (int)(length < 79 ? length : 79), word);
    const char *equals = memchr(word, '=', length);
    int i = equals ? space_find_param(space, word, (size_t)(equals - word)) : -1;
    if (i < 0)
        return refuse_param(space, shown, error);
    if (seen[i])
        return error_set(error, ERROR_USAGE, "%s is given twice: keep one", space->params[i].name);
    seen[i] = true;
    if (space_find_value(&space->params[i], equals + 1, length - (size_t)(equals + 1 - word), &row[i]))
        return refuse_value(&space->params[i], shown, error);
    return 0;
}

int point_parse(const struct space *space, const char *string, int64_t *row, struct error *error)
{
    bool seen[SPACE_NAMES_MAX] = {false};
    for (const char *word = string; *word;) {
        size_t length = strcspn(word, " ,");
        if (length && parse_word(space, word, length, row, seen, error))
            return -1;
        word += length + (word[length] != 0);
    }
    return 0;
}
