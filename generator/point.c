/* point: evaluates configs: values, rules and passes; reads and writes them as text.
 * point_expand.c lists all that the rules leave. */
#include "generator/point.h"

#include "generator/operation_input.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- Values ------------------------------------------------------------------------------------ */

void point_set_dims(int64_t values[SPACE_NAMES_MAX], const struct dims *dims)
{
    values[SPACE_N] = (int64_t)dims_n(dims);
    values[SPACE_OUTER] = (int64_t)dims->outer.n;
    values[SPACE_OUTER_STRIDE] = (int64_t)dims->outer.stride;
    values[SPACE_DEPTH] = (int64_t)dims->depth.n;
    values[SPACE_DEPTH_STRIDE] = (int64_t)dims->depth.stride;
    values[SPACE_INNER] = (int64_t)dims->inner.n;
    values[SPACE_INNER_STRIDE] = (int64_t)dims->inner.stride;
    values[SPACE_SPAN] = dims_has_spans(dims) ? (int64_t)dims->spans[0].n : 1;
    values[SPACE_SPAN_STRIDE] = dims_has_spans(dims) ? (int64_t)dims->spans[0].stride : 1;
    values[SPACE_MORE_AXES] = dims_has_more_axes(dims);
    values[SPACE_MORE_STRIDES] = (int64_t)dims_more_strides(dims);
}

void point_builtins(const struct point_context *context, bool reads_partials,
                    int64_t values[SPACE_NAMES_MAX])
{
    const struct problem *problem = context->problem;
    const struct target *target = context->target;
    const enum type value = problem_value(problem), result = problem_result(problem);
    const enum type type = reads_partials ? value : problem->type;
    memcpy(values, context->space->constants, SPACE_NAMES_MAX * sizeof *values);
    point_set_dims(values, &problem->dims);
    values[SPACE_COMBINE] = problem_combine(problem);
    values[SPACE_MAP] = reads_partials ? MAP_SAME : problem_map(problem);
    values[SPACE_POSITION] = problem_law(problem)->is_position;
    values[SPACE_SCAN] = problem->dims.scan;
    values[SPACE_TYPE] = type;
    values[SPACE_ACC] = value;
    values[SPACE_COMMUTES] = problem_commutes(problem);
    values[SPACE_HAS_INDEX] = problem_has_index(problem);
    values[SPACE_HAS_FINISH] = problem_has_finish(problem);
    values[SPACE_RESULT] = result;
    values[SPACE_RESULT_BYTES] = problem_types[result].bytes;
    values[SPACE_OFFSETS] = dims_is_segmented(&problem->dims) ? (int64_t)problem->offsets : 0;
    values[SPACE_ORDER] = problem->order;
    values[SPACE_ELEM_BYTES] = problem_types[type].bytes;
    values[SPACE_ACCUM_BYTES] = problem_value_bytes(problem);
    values[SPACE_INPUTS] = (int64_t)problem_inputs(problem);
    values[SPACE_INPUT_BYTES] = problem_types[type].bytes;
    for (size_t k = 1; k < problem_inputs(problem); k++)
        values[SPACE_INPUT_BYTES] += problem_types[problem_input_type(problem, k)].bytes;
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

static void set_config(const struct space *space, const int64_t *config, int64_t *values)
{
    for (size_t i = 0; i < space->param_count; i++)
        values[space->params[i].slot] = config[i];
}

void point_known(const struct point_context *context, const int64_t *config,
                 bool reads_partials, int64_t values[SPACE_NAMES_MAX])
{
    point_builtins(context, reads_partials, values);
    set_config(context->space, config, values);
}

static int set_derived(const struct space *space, int64_t *values, struct error *error)
{
    for (size_t i = 0; i < space->derived_count; i++)
        if (expr_eval(space->derived[i].expr, values, &values[space->derived[i].slot], error))
            return -1;
    return 0;
}

int point_values(const struct point_context *context, const int64_t *config,
                 bool reads_partials, int64_t values[SPACE_NAMES_MAX], struct error *error)
{
    point_known(context, config, reads_partials, values);
    return set_derived(context->space, values, error);
}

/* --- Rules ------------------------------------------------------------------------------------- */

/* The first rule or prune, launch-time or not, that the values break. Derived values are set one by
 * one before the rules that may need them, so a rule can guard against a division by zero only in
 * its own text. */
static int find_broken(const struct space *space, const int64_t *values, bool is_prune,
                       bool is_launch, struct error *error)
{
    for (size_t i = 0; i < space->rule_count; i++) {
        const struct rule *rule = &space->rules[i];
        int64_t holds;
        if (rule->is_prune != is_prune || rule->is_launch != is_launch)
            continue;
        if (expr_eval(rule->expr, values, &holds, error))
            return POINT_FAILED;
        if (!holds)
            return (int)i;
    }
    return POINT_VALID;
}

/* The rules, or with `most` 2 the prunes behind them; of each those known first. */
static int find_first(const struct point_context *context, const int64_t *config, int most,
                      struct error *error)
{
    int64_t values[SPACE_NAMES_MAX];
    int broken = POINT_VALID;
    if (space_check_problem(context->space, context->problem, error) ||
        point_values(context, config, false, values, error))
        return POINT_FAILED;
    for (int i = 0; i < 2 * most && broken == POINT_VALID; i++)
        broken = find_broken(context->space, values, i / 2 == 1, i % 2 == 1, error);
    return broken;
}

int point_reject(const struct point_context *context, const int64_t *config,
                 struct error *error)
{
    return find_first(context, config, 1, error);
}

int point_prune(const struct point_context *context, const int64_t *config, struct error *error)
{
    return find_first(context, config, 2, error);
}

int point_reject_order(const struct point_context *context, const int64_t *config,
                       struct error *error)
{
    const struct space *space = context->space;
    int64_t values[SPACE_NAMES_MAX], holds;
    if (point_values(context, config, false, values, error))
        return POINT_FAILED;
    for (size_t i = 0; i < space->rule_count; i++) {
        if (space->rules[i].is_prune || !expr_uses(space->rules[i].expr, SPACE_ORDER))
            continue;
        if (expr_eval(space->rules[i].expr, values, &holds, error))
            return POINT_FAILED;
        if (!holds)
            return (int)i;
    }
    return POINT_VALID;
}

/* --- Passes ------------------------------------------------------------------------------------ */

static bool uses_derived(const struct space *space, const struct expr *expr)
{
    bool is_derived[SPACE_NAMES_MAX] = {false};
    for (size_t i = 0; i < space->derived_count; i++)
        is_derived[space->derived[i].slot] = true;
    return expr_uses_any(expr, is_derived);
}

/* Most passes tell a config by its params: then no derived value is needed, of which a space has
 * dozens. */
static int fill_values(const struct point_context *context, const int64_t *config,
                       bool reads_partials, bool has_derived, int64_t values[SPACE_NAMES_MAX],
                       struct error *error)
{
    if (has_derived)
        return point_values(context, config, reads_partials, values, error);
    point_known(context, config, reads_partials, values);
    return 0;
}

int point_pass_config(const struct point_context *context, const int64_t *config, size_t pass,
                      int64_t *out, struct error *error)
{
    assert(pass < context->space->pass_count);
    const struct pass *p = &context->space->passes[pass];
    int64_t values[SPACE_NAMES_MAX];
    memcpy(out, config, context->space->param_count * sizeof *out);
    if (p->override_count == 0)
        return 0;
    bool has_derived = false;
    for (size_t i = 0; i < p->override_count; i++)
        has_derived = has_derived || uses_derived(context->space, p->overrides[i].expr);
    if (fill_values(context, config, p->reads_partials, has_derived, values, error))
        return -1;
    for (size_t i = 0; i < p->override_count; i++)
        if (expr_eval(p->overrides[i].expr, values, &out[p->overrides[i].param], error))
            return -1;
    return 0;
}

int point_applies(const struct point_context *context, const int64_t *config, size_t pass,
                  bool *out, struct error *error)
{
    assert(pass < context->space->pass_count);
    const struct pass *p = &context->space->passes[pass];
    int64_t values[SPACE_NAMES_MAX], applies = 1;
    if (p->when && (fill_values(context, config, false, uses_derived(context->space, p->when),
                                values, error) ||
                    expr_eval(p->when, values, &applies, error)))
        return -1;
    *out = applies != 0;
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

static void add_param(struct text *out, size_t start, const struct param *param, int64_t value)
{
    text_addf(out, "%s%s=", out->length > start ? " " : "", param->name);
    point_format_value(out, param, value);
}

void point_format(struct text *out, const struct space *space, const int64_t *config,
                  bool launch_too)
{
    const size_t start = out->length;
    for (size_t i = 0; i < space->param_count; i++)
        if (launch_too || !space->params[i].is_launch)
            add_param(out, start, &space->params[i], config[i]);
}

void point_format_unlike(struct text *out, const struct space *space, const int64_t *config,
                         const int64_t *other)
{
    const size_t start = out->length;
    for (size_t i = 0; i < space->param_count; i++)
        if (config[i] != other[i])
            add_param(out, start, &space->params[i], config[i]);
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
    const char *names[SPACE_NAMES_MAX];
    char hint[TEXT_HINT_CHARS], name[80];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    for (size_t i = 0; i < space->param_count; i++) {
        names[i] = space->params[i].name;
        text_addf(&known, "%s%s", i ? " " : "", names[i]);
    }
    error_set(error, ERROR_USAGE,
              "'%s' names no param of the space '%s': %sit has %s, each written NAME=VALUE",
              word, space->name, text_hint(hint, name, names, space->param_count),
              known.at ? known.at : "");
    text_dispose(&known);
    return -1;
}

static int parse_word(const struct space *space, const char *word, size_t length,
                      int64_t *config, bool *seen, struct error *error)
{
    char shown[80];
    snprintf(shown, sizeof shown, "%.*s", (int)(length < 79 ? length : 79), word);
    const char *equals = memchr(word, '=', length);
    int i = equals ? space_find_param(space, word, (size_t)(equals - word)) : -1;
    if (i < 0)
        return refuse_param(space, shown, error);
    if (seen[i])
        return error_set(error, ERROR_USAGE, "%s is given twice: keep one",
                         space->params[i].name);
    seen[i] = true;
    const size_t rest = length - (size_t)(equals + 1 - word);
    if (space_find_value(&space->params[i], equals + 1, rest, &config[i]))
        return refuse_value(&space->params[i], shown, error);
    return 0;
}

static int parse_words(const struct space *space, const char *string, int64_t *config,
                       bool *seen, struct error *error)
{
    for (const char *word = string; *word;) {
        size_t length = strcspn(word, " ,");
        if (length && parse_word(space, word, length, config, seen, error))
            return -1;
        word += length + (word[length] != 0);
    }
    return 0;
}

int point_parse(const struct space *space, const char *string, int64_t *config,
                struct error *error)
{
    bool seen[SPACE_NAMES_MAX] = {false};
    return parse_words(space, string, config, seen, error);
}

int point_parse_record(const struct space *space, const char *string, int64_t *config,
                       struct error *error)
{
    bool seen[SPACE_NAMES_MAX] = {false};
    if (parse_words(space, string, config, seen, error))
        return -1;
    for (size_t i = 0; i < space->param_count; i++) {
        const struct param *param = &space->params[i];
        const char *absent = param->absent ? param->absent : "";
        if (!seen[i] && space_find_value(param, absent, strlen(absent), &config[i]))
            return error_set(error, ERROR_USAGE,
                             "%s is not named, and the space '%s' has no value for where it is "
                             "absent: name it",
                             param->name, space->name);
    }
    return 0;
}
