/* space_params: reads the names of a space file and its params: which values each has, as
 * integers or as symbols. */
#include "generator/space_read.h"

#include "generator/dims_text.h"
#include "generator/number.h"
#include "generator/problem.h"

#include <stdio.h>
#include <string.h>

enum { NAME_CHARS_MAX = 63 };
static const uint64_t POINTS_MAX = (uint64_t)1 << 40;

/* --- Names -------------------------------------------------------------------------------- */

static int find_slot(const struct space *space, const char *name)
{
    for (size_t i = 0; i < space->name_count; i++)
        if (strcmp(space->names[i], name) == 0)
            return (int)i;
    return -1;
}

static bool is_name(const char *string)
{
    if (*string < 'A' || *string > 'Z')
        return false;
    return string[strspn(string, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == 0;
}

int space_add_name(struct space *space, const char *name, int64_t constant,
                   const struct ini_item *item, size_t *slot, struct error *error)
{
    const char *const what =
        !is_name(name)                  ? "a name is capital letters, digits and '_', not"
        : find_slot(space, name) >= 0   ? "this name is taken already: choose another for"
        : strlen(name) > NAME_CHARS_MAX ? "a name has at most 63 characters: shorten"
        : space->name_count == SPACE_NAMES_MAX ? "more than 256 names: drop some, or drop"
                                               : NULL;
    *slot = SPACE_N; /* where there is no room */
    if (space->name_count < SPACE_NAMES_MAX) {
        *slot = space->name_count++;
        space->names[*slot] = name;
        space->constants[*slot] = constant;
    }
    return what ? space_complain(item, error, what, name) : 0;
}

struct expr_scope space_scope(const struct space *space)
{
    static const char *const operations[] = {"OP",  "PARTIAL", "SUM",    "SUMSQ",  "PROD",
                                             "MIN", "MAX",     "ARGMIN", "ARGMAX", NULL};
    static const struct expr_former former =
        {operations,
         "ask what COMBINE is (ADD for SUM and SUMSQ, MULTIPLY for PROD, LEAST for "
         "MIN, GREATEST for MAX, FIRST_LEAST for ARGMIN, FIRST_GREATEST for ARGMAX) "
         "and MAP (SQUARE for SUMSQ, else SAME)"};
    return (struct expr_scope){space->names, space->name_count, &former};
}

void space_add_builtins(struct space *space)
{
    for (size_t i = 0; i < SPACE_BUILTINS; i++)
        space->names[space->name_count++] = space_builtins[i].name;
    for (size_t i = 0; i < COMBINE_LAWS; i++) {
        space->constants[space->name_count] = (int64_t)i;
        space->names[space->name_count++] = operation_combines[i].symbol;
    }
    for (size_t i = 0; i < MAP_LAWS; i++) {
        space->constants[space->name_count] = (int64_t)i;
        space->names[space->name_count++] = operation_maps[i];
    }
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        space->constants[space->name_count] = (int64_t)i;
        space->names[space->name_count++] = problem_types[i].symbol;
    }
    for (size_t i = 0; i < ORDER_COUNT; i++) {
        space->constants[space->name_count] = (int64_t)i;
        space->names[space->name_count++] = problem_orders[i].symbol;
    }
    for (int scan = DIMS_INCLUSIVE; scan < DIMS_SCANS; scan++) {
        space->constants[space->name_count] = scan;
        space->names[space->name_count++] = dims_text_scan_symbols[scan];
    }
}

/* --- Params ------------------------------------------------------------------------------- */

int space_split_words(struct space *space, const char *value, char ***words, size_t *count,
                      struct error *error)
{
    char *copy = space_alloc(space, strlen(value) + 1, error);
    char **list = space_alloc(space, (strlen(value) / 2 + 1) * sizeof *list, error);
    if (!copy || !list)
        return -1;
    strcpy(copy, value);
    *count = 0;
    *words = list;
    char *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        list[(*count)++] = word;
    return 0;
}

static int read_symbol(struct space *space, struct param *param, size_t i, const char *word,
                       const struct ini_item *item, struct error *error)
{
    size_t slot;
    param->values[i] = (int64_t)i;
    param->symbols[i] = word;
    return space_add_name(space, word, (int64_t)i, item, &slot, error);
}

static int read_value(struct space *space, struct param *param, size_t i, const char *word,
                      const struct ini_item *item, struct error *error)
{
    struct error inner;
    if (param->symbols)
        return read_symbol(space, param, i, word, item, error);
    if (number_parse_int(&param->values[i], word, param->name, &inner))
        return error_set(error, ERROR_USAGE, "%s:%d: %s", item->file, item->line, inner.text);
    for (size_t k = 0; k < i; k++)
        if (param->values[k] == param->values[i])
            return space_complain(item, error, "the same value twice:", word);
    return 0;
}

static int read_values(struct space *space, struct param *param, const struct ini_item *item,
                       struct error *error)
{
    char **words;
    if (space_split_words(space, item->value, &words, &param->count, error))
        return -1;
    param->values = space_alloc(space, (param->count + 1) * sizeof *param->values, error);
    if (param->values && param->count == 0)
        return space_complain(item, error, "no values: name at least one for", param->name);
    const bool named = param->count && words[0][0] >= 'A' && words[0][0] <= 'Z';
    if (named)
        param->symbols = space_alloc(space, param->count * sizeof *param->symbols, error);
    if (!param->values || (named && !param->symbols))
        return -1;
    for (size_t i = 0; i < param->count; i++)
        if (space_keep_fault(space, read_value(space, param, i, words[i], item, error), error))
            return -1;
    return 0;
}

int space_read_param(struct space *space, struct param *param, const struct ini_item *item,
                     struct error *error)
{
    if (strcmp(item->key, "meaning") == 0) {
        const size_t length = strlen(item->value);
        param->meaning = item->value;
        if (length && item->value[length - 1] == '\\') /* it would join two lines of a kernel */
            return space_complain(item, error,
                                  "a meaning does not end with a backslash:", item->value);
        return 0;
    }
    if (strcmp(item->key, "values") == 0)
        return read_values(space, param, item, error);
    if (strcmp(item->key, "when") == 0) {
        param->is_launch = strcmp(item->value, "launch") == 0;
        if (param->is_launch || strcmp(item->value, "compile") == 0)
            return 0;
        return space_complain(item, error, "'when' is launch or compile, not", item->value);
    }
    if (strcmp(item->key, "absent") == 0) {
        param->absent = item->value;
        return 0;
    }
    return space_complain(item, error, "a [param] has meaning, values, when and absent, not",
                          item->key);
}

int space_add_param(struct space *space, const struct ini_item *first, struct param **out,
                    struct error *error)
{
    *out = NULL;
    if (space->param_count == SPACE_PARAMS_MAX)
        return space_complain(first, error, "more than 63 params: drop some, or drop",
                              first->section);
    struct param *param = &space->params[space->param_count++];
    *out = param;
    param->name = first->section + strlen("param ");
    return space_add_name(space, param->name, 0, first, &param->slot, error);
}

int space_check_params(const struct space *space, struct error *error)
{
    uint64_t points = 1;
    for (size_t i = 0; i < space->param_count; i++) {
        const struct param *param = &space->params[i];
        int failed = 0;
        if (!param->values)
            failed = space_error(space, "param ", param->name, error,
                                 "[param %s] has no values: add 'values = ...'", param->name);
        points *= param->count ? param->count : 1;
        if (points > POINTS_MAX)
            return space_keep_fault(
                space,
                space_error(space, "param ", param->name, error,
                            "with [param %s] the space has more than 2^40 points: name fewer "
                            "values",
                            param->name),
                error);
        if (space_keep_fault(space, failed, error))
            return -1;
    }
    return 0;
}

int space_find_param(const struct space *space, const char *name, size_t length)
{
    for (size_t i = 0; i < space->param_count; i++)
        if (strlen(space->params[i].name) == length &&
            memcmp(space->params[i].name, name, length) == 0)
            return (int)i;
    return -1;
}

int space_find_value(const struct param *param, const char *name, size_t length, int64_t *out)
{
    for (size_t i = 0; i < param->count; i++) {
        char digits[NUMBER_CHARS];
        snprintf(digits, sizeof digits, "%lld", (long long)param->values[i]);
        const char *shown = param->symbols ? param->symbols[i] : digits;
        if (strlen(shown) == length && memcmp(shown, name, length) == 0) {
            *out = param->values[i];
            return 0;
        }
    }
    return -1;
}
