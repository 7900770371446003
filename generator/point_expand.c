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

static int add_config(struct points *points, const int64_t *config, struct error *error)
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
    size_t order[SPACE_PARAMS_MAX];   /* params by depth */
    uint64_t later[SPACE_PARAMS_MAX]; /* a bit for each param that has no value at a depth */
    uint64_t below[SPACE_PARAMS_MAX]; /* points that share their params up to a depth */
    size_t compile_depth;             /* the depth at which a variant is fixed */
};

static uint64_t param_bit(const struct walk *walk, size_t depth)
{
    return UINT64_C(1) << walk->order[depth];
}

/* With the params in this order. */
static void find_later(struct walk *walk)
{
    uint64_t later = 0;
    for (size_t d = walk->space->param_count; d-- > 0; later |= param_bit(walk, d))
        walk->later[d] = later;
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
    find_later(walk);
}

/* Is what depends on `uses` known from this depth on, and not before? */
static bool is_known(const struct walk *walk, uint64_t uses, size_t depth)
{
    return !(uses & walk->later[depth]) && (depth == 0 || (uses & param_bit(walk, depth)));
}

/* Evaluates what is known from this depth on: -1, 0, or 1 + the rule that rejects all below. What
 * failed or rejects depends on `cause`. */
static int settle(struct walk *walk, size_t depth, uint64_t *cause, struct error *error)
{
    const struct space *space = walk->space;
    for (size_t i = 0; i < space->derived_count; i++) {
        const struct derived *derived = &space->derived[i];
        *cause = derived->uses;
        if (is_known(walk, *cause, depth) &&
            expr_eval(derived->expr, walk->values, &walk->values[derived->slot], error))
            return -1;
    }
    for (size_t i = 0; i < space->rule_count; i++) {
        const struct rule *rule = &space->rules[i];
        int64_t holds = 1;
        *cause = rule->uses;
        if (is_known(walk, *cause, depth) && (walk->points || !rule->is_prune) &&
            expr_eval(rule->expr, walk->values, &holds, error))
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
        return add_config(walk->points, walk->config, error);
    const size_t at = walk->order[depth];
    const struct param *param = &space->params[at];
    for (size_t i = 0; i < param->count; i++) {
        const size_t before = walk->points->count;
        uint64_t cause;
        walk->values[param->slot] = walk->config[at] = param->values[i];
        const int rejected = settle(walk, depth, &cause, error);
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
                        .config = calloc(width, sizeof *walk.config)};
    int failed =
        !out->rejected || !walk.config ? error_memory(error, width * sizeof *walk.config) : 0;
    if (!failed) {
        point_builtins(context, false, values);
        plan_walk(&walk);
        failed = descend(&walk, 0, error);
    }
    if (!failed && out->count == 0)
        failed = refuse_empty(out, space, error);
    free(walk.config);
    if (failed)
        point_dispose(out);
    return failed;
}

/* --- One at random ------------------------------------------------------------------------ */

enum { DRAW_STEPS = 5000 }; /* values given to params before a draw gives up */

/* Where no value of a param does, the next to change is the latest one that this depends on: what
 * lies between would fail in the same way ("conflict-directed backjumping", Prosser 1993). */
struct draw {
    struct walk walk;
    uint64_t fixed;   /* params */
    uint64_t *random; /* a linear congruential generator's state */
    size_t steps;
};

static size_t draw_below(struct draw *draw, size_t limit)
{
    *draw->random = *draw->random * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((*draw->random >> 33) % limit);
}

static bool draw_rest(struct draw *draw, size_t depth, uint64_t *cause);

/* A point without a value that is derived is none. Without steps left it is the problem's fault:
 * that ends the draw, and proves nothing. */
static bool draw_value(struct draw *draw, size_t depth, int64_t value, uint64_t *cause)
{
    struct walk *walk = &draw->walk;
    const size_t at = walk->order[depth];
    struct error ignored;
    *cause = SPACE_USES_PROBLEM;
    if (draw->steps++ >= DRAW_STEPS)
        return false;
    walk->values[walk->space->params[at].slot] = walk->config[at] = value;
    return settle(walk, depth, cause, &ignored) == 0 && draw_rest(draw, depth + 1, cause);
}

/* True when all params from this depth on have found values; else `cause` is what that depends
 * on. */
static bool draw_rest(struct draw *draw, size_t depth, uint64_t *cause)
{
    const struct walk *walk = &draw->walk;
    if (depth == walk->space->param_count)
        return true;
    const size_t at = walk->order[depth];
    const struct param *param = &walk->space->params[at];
    const uint64_t own = param_bit(walk, depth);
    if (draw->fixed & own)
        return draw_value(draw, depth, walk->config[at], cause);
    const size_t begin = draw_below(draw, param->count);
    uint64_t causes = 0;
    for (size_t i = 0; i < param->count; i++) {
        if (draw_value(draw, depth, param->values[(begin + i) % param->count], cause))
            return true;
        if (!(*cause & own))
            return false;
        causes |= *cause;
    }
    *cause = causes & ~own;
    return false;
}

/* The fixed params first, then always one of the rule that lacks fewest, so that what cannot be is
 * seen early. */
static void order_draw(struct draw *draw)
{
    const struct space *space = draw->walk.space;
    size_t count = 0;
    uint64_t left = 0;
    for (size_t i = 0; i < space->param_count; i++)
        if (draw->fixed >> i & 1)
            draw->walk.order[count++] = i;
        else
            left |= UINT64_C(1) << i;
    for (; left; left &= ~param_bit(&draw->walk, count++)) {
        uint64_t fewest = left;
        for (size_t i = 0; i < space->rule_count; i++) {
            const uint64_t lacks = space->rules[i].uses & left;
            if (lacks && !space->rules[i].is_prune &&
                __builtin_popcountll(lacks) < __builtin_popcountll(fewest))
                fewest = lacks;
        }
        draw->walk.order[count] = (size_t)__builtin_ctzll(fewest);
    }
    find_later(&draw->walk);
}

enum point_drawn point_draw(int64_t *config, const bool *is_fixed,
                            const struct point_context *context, uint64_t *random)
{
    const struct space *space = context->space;
    int64_t values[SPACE_NAMES_MAX];
    struct draw draw = {.walk = {.space = space, .values = values, .config = config},
                        .random = random};
    uint64_t cause = 0;
    for (size_t i = 0; i < space->param_count; i++)
        draw.fixed |= (uint64_t)is_fixed[i] << i;
    point_builtins(context, false, values);
    order_draw(&draw);
    if (draw_rest(&draw, 0, &cause))
        return POINT_DRAWN;
    return cause & SPACE_USES_PROBLEM ? POINT_NONE_HERE : POINT_NONE_EVER;
}

/* --- Configs by hand ---------------------------------------------------------------------- */

int point_single(struct points *out, const struct space *space, const int64_t *config,
                 struct error *error)
{
    *out = (struct points){.width = space->param_count, .total = 1};
    out->rejected = calloc(space->rule_count + 1, sizeof *out->rejected);
    if (out->rejected && add_config(out, config, error) == 0 && add_variant(out, 0, error) == 0)
        return 0;
    point_dispose(out);
    return error_memory(error, space->param_count * sizeof *config);
}

int point_add(struct points *points, const int64_t *config, struct error *error)
{
    assert(points->width > 0);
    const size_t first = points->count;
    return add_config(points, config, error) || add_variant(points, first, error) ? -1 : 0;
}

void point_dispose(struct points *points)
{
    free(points->configs);
    free(points->variants);
    free(points->rejected);
    *points = (struct points){0};
}
