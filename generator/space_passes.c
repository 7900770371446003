/* space_passes: reads the passes of a space file: how each launches its kernel, and what must
 * hold for all of them together. */
#include "generator/space_read.h"

#include "generator/text.h"

#include <string.h>

const char *const space_pass_args[PLANNER_ARGS] = {
    [PLANNER_ARG_INPUT] = "input",       [PLANNER_ARG_N] = "n",
    [PLANNER_ARG_OUTER] = "outer",       [PLANNER_ARG_OUTER_STRIDE] = "outer_stride",
    [PLANNER_ARG_DEPTH] = "depth",       [PLANNER_ARG_DEPTH_STRIDE] = "depth_stride",
    [PLANNER_ARG_INNER] = "inner",       [PLANNER_ARG_INNER_STRIDE] = "inner_stride",
    [PLANNER_ARG_SPAN] = "span",         [PLANNER_ARG_SPAN_STRIDE] = "span_stride",
    [PLANNER_ARG_PARTS] = "parts",       [PLANNER_ARG_OUTPUT] = "output",
    [PLANNER_ARG_PARTIALS] = "partials", [PLANNER_ARG_STATE] = "state",
    [PLANNER_ARG_OFFSETS] = "offsets",
};

const struct pass_key_row space_pass_keys[PLANNER_KEYS] = {
    [PLANNER_BLOCK] = {"block", "threads of a block", true, false, 0},
    [PLANNER_GRID] = {"grid", "blocks", true, false, 0},
    [PLANNER_OUTPUTS] =
        {"outputs",
         "values written through `output`; 0: the pass prepares the call's result, "
         "and the next one has its inputs",
         true, true, 0},
    [PLANNER_PARTIALS] = {"partials", "accumulators of scratch", false, true, 0},
    [PLANNER_STATE] = {"state", "words of state", false, true, 0},
    [PLANNER_SHARED_BYTES] = {"shared_bytes", "dynamic shared memory of a block", false, false,
                              0},
    [PLANNER_CLUSTER] = {"cluster", "blocks of a cluster", false, false, 1},
    [PLANNER_TILE] = {"tile", "elements that a block takes at a time", true, false, 0},
    [PLANNER_RESULTS] = {"results", "results that a block makes at a time", false, false, 1},
    [PLANNER_HEIGHT] = {"height", "additions on the longest path from an input to an output",
                        true, true, 0},
};

static int read_args(struct space *space, struct pass *pass, const struct ini_item *item,
                     struct error *error)
{
    char **words;
    size_t count;
    if (space_split_words(space, item->value, &words, &count, error))
        return -1;
    for (size_t i = 0; i < count && i < PASS_ARGS_MAX; i++) {
        size_t kind = 0;
        while (kind < PLANNER_ARGS && strcmp(words[i], space_pass_args[kind]) != 0)
            kind++;
        pass->args[pass->arg_count++] =
            kind < PLANNER_ARGS ? (enum planner_arg)kind : PLANNER_ARG_N;
        if (kind == PLANNER_ARGS &&
            space_keep_fault(
                space,
                space_complain(
                    item, error,
                    "an arg is input, n, outer, outer_stride, depth, depth_stride, "
                    "inner, inner_stride, span, span_stride, parts, offsets, output, partials or "
                    "state, not",
                    words[i]),
                error))
            return -1;
    }
    return count > PASS_ARGS_MAX
               ? space_complain(item, error, "at most 14 args fit in", item->section)
               : 0;
}
_Static_assert(PASS_ARGS_MAX == 14, "read_args says so");

static int read_override(struct space *space, struct pass *pass, size_t param,
                         const struct ini_item *item, struct error *error)
{
    if (space->params[param].is_launch)
        return space_complain(item, error, "a pass overrides compile-time params only, not",
                              item->key);
    struct pass_override *override = &pass->overrides[pass->override_count++];
    override->param = param;
    if (space_read_expr(space, &override->expr, item, error))
        return -1;
    if (space_launch_name(space, override->expr))
        return space_complain(item, error, "a launch-time name cannot decide compile-time",
                              item->key);
    return 0;
}

static int read_choice(bool *out, const char *no, const char *yes, const struct ini_item *item,
                       struct error *error)
{
    *out = strcmp(item->value, yes) == 0;
    if (*out || strcmp(item->value, no) == 0)
        return 0;
    return error_set(error, ERROR_USAGE, "%s:%d: '%s' is %s or %s, not '%s'", item->file,
                     item->line, item->key, no, yes, item->value);
}

static int read_number(struct space *space, struct expr **out, bool knows_blocks,
                       const struct ini_item *item, struct error *error)
{
    return space_read_expr(space, out, item, error) ||
                   (!knows_blocks && space_refuse_blocks(*out, item, error))
               ? -1
               : 0;
}

int space_read_pass(struct space *space, struct pass *pass, const struct ini_item *item,
                    struct error *error)
{
    if (strcmp(item->key, "when") == 0)
        return read_number(space, &pass->when, false, item, error);
    for (size_t i = 0; i < PLANNER_KEYS; i++)
        if (strcmp(item->key, space_pass_keys[i].name) == 0)
            return read_number(space, &pass->keys[i], space_pass_keys[i].knows_blocks, item,
                               error);
    if (strcmp(item->key, "args") == 0)
        return read_args(space, pass, item, error);
    if (strcmp(item->key, "reads") == 0)
        return read_choice(&pass->reads_partials, "elements", "partials", item, error);
    if (strcmp(item->key, "repeat") == 0)
        return read_choice(&pass->until_one, "1", "until one", item, error);
    if (strcmp(item->key, "cooperative") == 0)
        return read_choice(&pass->is_cooperative, "no", "yes", item, error);
    if (strcmp(item->key, "starts") == 0)
        return read_choice(&pass->starts_in_any_order, "in order", "in any order", item, error);
    if (strcmp(item->key, "leaves") == 0)
        return read_choice(&pass->leaves_epoch, "zeros", "an epoch", item, error);
    if (strcmp(item->key, "timed") == 0)
        return read_choice(&pass->is_timed, "no", "yes", item, error);
    int param = space_find_param(space, item->key, strlen(item->key));
    if (param >= 0)
        return read_override(space, pass, (size_t)param, item, error);
    return space_complain(item, error, "a [pass] has no key and the space no param", item->key);
}

int space_add_pass(struct space *space, const struct ini_item *first, struct pass **out,
                   struct error *error)
{
    *out = NULL;
    if (space->pass_count == SPACE_PASSES_MAX)
        return space_complain(first, error, "at most 8 passes: drop", first->section);
    struct pass *pass = &space->passes[space->pass_count++];
    *out = pass;
    pass->name = first->section + strlen("pass ");
    pass->is_timed = true;
    pass->overrides = space_alloc(space, space->param_count * sizeof *pass->overrides, error);
    return pass->overrides ? 0 : -1;
}

bool space_leaves_epoch(const struct space *space, const struct planner_plan *plan)
{
    for (int i = 0; i < plan->count; i++)
        if (space->passes[plan->launches[i].pass].leaves_epoch)
            return true;
    return false;
}

bool pass_has_arg(const struct pass *pass, enum planner_arg arg)
{
    for (size_t i = 0; i < pass->arg_count; i++)
        if (pass->args[i] == arg)
            return true;
    return false;
}

static void add_missing(struct text *out, const char *name)
{
    text_addf(out, "%s'%s'", out->length ? ", " : "", name);
}

/* The keys that it needs, and those that its args need. */
static void list_missing(struct text *out, const struct space *space, const struct pass *pass)
{
    for (size_t i = 0; i < PLANNER_KEYS; i++)
        if (!pass->keys[i] && space_pass_keys[i].is_required)
            add_missing(out, space_pass_keys[i].name);
    if (!pass->arg_count)
        add_missing(out, "args");
    if (!pass->keys[PLANNER_PARTIALS] && pass_has_arg(pass, PLANNER_ARG_PARTIALS))
        add_missing(out, "partials");
    if (!pass->keys[PLANNER_STATE] && pass_has_arg(pass, PLANNER_ARG_STATE))
        add_missing(out, "state");
    if (!space->parts && pass_has_arg(pass, PLANNER_ARG_PARTS))
        add_missing(out, "parts = NAME' in '[space]");
}

static int check_pass(const struct space *space, const struct pass *pass, struct error *error)
{
    struct text missing = {0};
    list_missing(&missing, space, pass);
    int failed = text_check(&missing, error);
    if (!failed && missing.length)
        failed =
            space_keep_fault(space,
                             space_error(space, "pass ", pass->name, error,
                                         "[pass %s] lacks %s: add %s", pass->name, missing.at,
                                         strchr(missing.at, ',') ? "them" : "it"),
                             error);
    text_dispose(&missing);
    if (!failed && pass->when && space_launch_name(space, pass->when))
        failed =
            space_error(space, "pass ", pass->name, error,
                        "'when' of [pass %s] uses a launch-time name: use only compile-time "
                        "params",
                        pass->name);
    return space_keep_fault(space, failed, error);
}

/* Untimed passes come last, so that what is timed is one piece, and never alone. */
static int check_timed(const struct space *space, struct error *error)
{
    for (size_t i = 1; i < space->pass_count; i++)
        if (space->passes[i].is_timed && !space->passes[i - 1].is_timed)
            return space_error(
                space, "pass ", space->passes[i].name, error,
                "[pass %s] is timed, but [pass %s] before it is not: move untimed "
                "passes behind all timed ones",
                space->passes[i].name, space->passes[i - 1].name);
    if (!space->passes[0].is_timed)
        return space_error(space, "pass ", space->passes[0].name, error,
                           "no pass is timed: drop 'timed = no' from [pass %s] at least",
                           space->passes[0].name);
    return 0;
}

int space_check_passes(const struct space *space, struct error *error)
{
    if (space->pass_count == 0)
        return space_keep_fault(space,
                                space_error(space, "pass", "", error,
                                            "no [pass ...]: add at least one"),
                                error);
    for (size_t i = 0; i < space->pass_count; i++)
        if (check_pass(space, &space->passes[i], error))
            return -1;
    return space_keep_fault(space, check_timed(space, error), error);
}
