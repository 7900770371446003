/* point_expand: lists all points of a space that its rules and prunes leave, or draws one that
 * its rules leave. It gives the params their values one after the other, and evaluates derived
 * values and rules as soon as the params that they need have values, so that it never walks
 * through what a rule rejects. */
#include "generator/array.h"
#include "generator/point.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static int add_row(struct points *points, const int64_t *config, struct error *error)
{
    if (array_grow(&points->configs, points->count, points->width * sizeof *config, error))
        return -1;
    memcpy(points->configs + points->count++ * points->width, config,
           points->width * sizeof *config);
    return 0;
}

static int add_variant(struct points *points, size_t first, struct error *error)
{
    if (array_grow(&points->variants, points->variant_count, sizeof *points->variants, error))
        return -1;
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

struct walk {
    struct points *points; /* NULL: one is drawn, and prunes do not count */
    const struct space *space;
    int64_t *values; /* by slot */
    int64_t *config;
    size_t order[SPACE_NAMES_MAX];   /* params by depth */
    uint64_t below[SPACE_NAMES_MAX]; /* points that share their params up to a depth */
    size_t compile_depth;            /* the depth at which a variant is fixed */
    size_t derived_depth[SPACE_NAMES_MAX], *rule_depth; /* from where on they are known */
};

static size_t find_depth(const struct walk *walk, const struct expr *expr)
{
    const struct space *space = walk->space;
    bool is_used[SPACE_NAMES_MAX] = {0}; /* by slot */
    size_t depth = 0;
    expr_mark(expr, is_used);
    for (size_t d = 0; d < space->param_count; d++)
        if (is_used[space->params[walk->order[d]].slot])
            depth = d;
    for (size_t i = 0; i < space->derived_count; i++)
        if (is_used[space->derived[i].slot] && walk->derived_depth[i] > depth)
            depth = walk->derived_depth[i];
    return depth;
}

/* Finds at which depth each derived value and rule is known, with the params in this order. */
static void find_depths(struct walk *walk)
{
    const struct space *space = walk->space;
    for (size_t i = 0; i < space->derived_count; i++)
        walk->derived_depth[i] = find_depth(walk, space->derived[i].expr);
    for (size_t i = 0; i < space->rule_count; i++)
        walk->rule_depth[i] = find_depth(walk, space->rules[i].expr);
}

/* Compile-time params come first. */
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
    find_depths(walk);
}

/* Evaluates what is known from this depth on: -1, 0, or 1 + the rule that rejects all below. */
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
        if (walk->rule_depth[i] == depth && (walk->points || !space->rules[i].is_prune) &&
            expr_eval(space->rules[i].expr, walk->values, &holds, error))
            return -1;
        if (!holds)
            return (int)i + 1;
    }
    return 0;
}

static int descend(struct walk *walk, size_t depth, struct error *error)
{
    const struct space *space = walk->space;
    const size_t first = walk->points->count;
    if (depth == space->param_count)
        return add_row(walk->points, walk->config, error);
    const size_t at = walk->order[depth];
    const struct param *param = &space->params[at];
    for (size_t i = 0; i < param->count; i++) {
        const size_t before = walk->points->count;
        walk->values[param->slot] = walk->config[at] = param->values[i];
        const int rejected = settle(walk, depth, error);
        if (rejected < 0 || (!rejected && descend(walk, depth + 1, error)))
            return -1;
        if (rejected)
            walk->points->rejected[rejected - 1] += walk->below[depth];
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
                        .config = calloc(width, sizeof *walk.config),
                        .rule_depth = calloc(rules, sizeof *walk.rule_depth)};
    int failed = !out->rejected || !walk.config || !walk.rule_depth
                     ? error_memory(error, width * sizeof *walk.config)
                     : 0;
    if (!failed) {
        point_builtins(context, false, values);
        plan_walk(&walk);
        failed = descend(&walk, 0, error);
    }
    if (!failed && out->count == 0)
        failed = refuse_empty(out, space, error);
    free(walk.config);
    free(walk.rule_depth);
    if (failed)
        point_dispose(out);
    return failed;
}

/* --- One at random ------------------------------------------------------------------------ */

enum { DRAW_STEPS = 5000 }; /* values given to params before a draw gives up */

struct draw {
    struct walk walk;
    const bool *is_fixed;
    uint64_t *random; /* a linear congruential generator's state */
    size_t steps;
};

static size_t draw_below(struct draw *draw, size_t limit)
{
    *draw->random = *draw->random * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((*draw->random >> 33) % limit);
}

static int draw_rest(struct draw *draw, size_t depth, struct error *error);

static int draw_value(struct draw *draw, size_t depth, int64_t value, struct error *error)
{
    struct walk *walk = &draw->walk;
    const size_t at = walk->order[depth];
    if (draw->steps++ == DRAW_STEPS)
        return 0;
    walk->values[walk->space->params[at].slot] = walk->config[at] = value;
    const int rejected = settle(walk, depth, error);
    return rejected ? (rejected < 0 ? -1 : 0) : draw_rest(draw, depth + 1, error);
}

/* 1 when all params from this depth on have found values. */
static int draw_rest(struct draw *draw, size_t depth, struct error *error)
{
    const struct walk *walk = &draw->walk;
    if (depth == walk->space->param_count)
        return 1;
    const size_t at = walk->order[depth];
    const struct param *param = &walk->space->params[at];
    if (draw->is_fixed[at])
        return draw_value(draw, depth, walk->config[at], error);
    const size_t begin = draw_below(draw, param->count);
    int found = 0;
    for (size_t i = 0; i < param->count && !found && draw->steps <= DRAW_STEPS; i++)
        found = draw_value(draw, depth, param->values[(begin + i) % param->count], error);
    return found;
}

int point_draw(int64_t *config, const bool *is_fixed, const struct point_context *context,
               uint64_t *random, struct error *error)
{
    const struct space *space = context->space;
    int64_t values[SPACE_NAMES_MAX];
    struct draw draw = {.walk = {.space = space, .values = values, .config = config},
                        .is_fixed = is_fixed,
                        .random = random};
    size_t count = 0;
    for (int is_free = 0; is_free < 2; is_free++)
        for (size_t i = 0; i < space->param_count; i++)
            if (is_fixed[i] != is_free)
                draw.walk.order[count++] = i;
    draw.walk.rule_depth = calloc(space->rule_count + 1, sizeof *draw.walk.rule_depth);
    if (!draw.walk.rule_depth)
        return error_memory(error, space->rule_count * sizeof *draw.walk.rule_depth);
    point_builtins(context, false, values);
    find_depths(&draw.walk);
    const int found = draw_rest(&draw, 0, error);
    free(draw.walk.rule_depth);
    return found;
}

/* --- Configs by hand ---------------------------------------------------------------------- */

int point_single(struct points *out, const struct space *space, const int64_t *config,
                 struct error *error)
{
    *out = (struct points){.width = space->param_count, .total = 1};
    out->rejected = calloc(space->rule_count + 1, sizeof *out->rejected);
    if (out->rejected && add_row(out, config, error) == 0 && add_variant(out, 0, error) == 0)
        return 0;
    point_dispose(out);
    return error_memory(error, space->param_count * sizeof *config);
}

int point_add(struct points *points, const int64_t *config, struct error *error)
{
    assert(points->width > 0);
    const size_t first = points->count;
    return add_row(points, config, error) || add_variant(points, first, error) ? -1 : 0;
}

void point_dispose(struct points *points)
{
    free(points->configs);
    free(points->variants);
    free(points->rejected);
    *points = (struct points){0};
}

uint64_t point_hash(const struct points *points)
{
    return XXH3_64bits(points->configs,
                       points->count * points->width * sizeof *points->configs) ^
           points->variant_count;
}
