/* space: reads a space file into params, derived values, rules and passes, and refuses whatever
 * does not hold together, with file:line. Hides the order in which names become known. */
#include "generator/space.h"

#include "generator/ini.h"
#include "generator/number.h"
#include "generator/problem.h"
#include "generator/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { NAME_CHARS_MAX = 63 };
static const uint64_t POINTS_MAX = (uint64_t)1 << 30;

const struct space_builtin_row space_builtins[SPACE_BUILTINS] = {
    [SPACE_N] = {"N", "elements", true},
    [SPACE_BLOCKS] = {"BLOCKS", "blocks of the grid", true},
    [SPACE_OP] = {"OP", "operation", false},
    [SPACE_TYPE] = {"TYPE", "type of an element", false},
    [SPACE_ACC] = {"ACC", "type of an accumulator", false},
    [SPACE_ELEM_BYTES] = {"ELEM_BYTES", "bytes of an element", false},
    [SPACE_ACCUM_BYTES] = {"ACCUM_BYTES", "bytes of an accumulator", false},
    [SPACE_HOST] = {"HOST", "1 on the host emulator", false},
    [SPACE_CC] = {"CC", "compute capability, 90 for 9.0", false},
    [SPACE_SMS] = {"SMS", "multiprocessors", false},
    [SPACE_L2_BYTES] = {"L2_BYTES", "bytes of the L2 cache", false},
    [SPACE_THREADS_PER_BLOCK] = {"THREADS_PER_BLOCK", "most threads of a block", false},
    [SPACE_THREADS_PER_SM] = {"THREADS_PER_SM", "most threads on an SM", false},
    [SPACE_SHARED_PER_BLOCK] = {"SHARED_PER_BLOCK", "most shared bytes of a block", false},
    [SPACE_SHARED_PER_SM] = {"SHARED_PER_SM", "shared bytes of an SM", false},
    [SPACE_REGISTERS_PER_SM] = {"REGISTERS_PER_SM", "registers of an SM", false},
};

const char *const space_pass_args[PASS_ARG_KINDS] = {
    [ARG_INPUT] = "input",       [ARG_N] = "n",
    [ARG_OUTPUT] = "output",     [ARG_PARTIALS] = "partials",
    [ARG_COUNTER] = "counter",
};

/* Everything a space points to: the file's strings and a chain of blocks, freed together. */
struct block {
    struct block *next;
};
struct space_memory {
    struct ini ini;
    struct block *blocks;
};

static void *space_alloc(struct space *space, size_t bytes, struct error *error)
{
    struct block *block = calloc(1, sizeof *block + bytes);
    if (!block) {
        error_memory(error, bytes);
        return NULL;
    }
    block->next = space->memory->blocks;
    space->memory->blocks = block;
    return block + 1;
}

static int complain(const struct space *space, const struct ini_item *item, struct error *error,
                    const char *what, const char *name)
{
    return error_set(error, ERROR_USAGE, "%s:%d: %s '%s'", space->file, item->line, what, name);
}

/* The line of the header [kind name], or the file's last where that section is missing. */
static int find_line(const struct space *space, const char *kind, const char *name)
{
    const struct ini *ini = &space->memory->ini;
    const size_t length = strlen(kind);
    for (size_t i = 0; i < ini->count; i++) {
        const struct ini_item *item = &ini->items[i];
        if (strncmp(item->section, kind, length) == 0 && strcmp(item->section + length, name) == 0)
            return item->section_line;
    }
    return ini->count ? ini->items[ini->count - 1].line : 1;
}

/* --- Names ----------------------------------------------------------------------------------- */

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

static int add_name(struct space *space, const char *name, int64_t constant,
                    const struct ini_item *item, size_t *slot, struct error *error)
{
    if (!is_name(name))
        return complain(space, item, error, "a name is capital letters, digits and '_', not", name);
    if (find_slot(space, name) >= 0)
        return complain(space, item, error, "this name is taken already: choose another for", name);
    if (strlen(name) > NAME_CHARS_MAX)
        return complain(space, item, error, "a name has at most 63 characters: shorten", name);
    if (space->name_count == SPACE_NAMES_MAX)
        return complain(space, item, error, "more than 256 names: drop some, or drop", name);
    *slot = space->name_count++;
    space->names[*slot] = name;
    space->constants[*slot] = constant;
    return 0;
}

static void add_builtin_names(struct space *space)
{
    for (size_t i = 0; i < SPACE_BUILTINS; i++)
        space->names[space->name_count++] = space_builtins[i].name;
    for (size_t i = 0; i < OP_COUNT; i++) {
        space->constants[space->name_count] = (int64_t)i;
        space->names[space->name_count++] = problem_ops[i].symbol;
    }
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        space->constants[space->name_count] = (int64_t)i;
        space->names[space->name_count++] = problem_types[i].symbol;
    }
}

/* --- Params ---------------------------------------------------------------------------------- */

/* Splits a value at spaces into words, in place of a copy owned by the space. */
static int split_words(struct space *space, const char *value, char ***words, size_t *count,
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
    return add_name(space, word, (int64_t)i, item, &slot, error);
}

static int read_values(struct space *space, struct param *param, const struct ini_item *item,
                       struct error *error)
{
    char **words;
    if (split_words(space, item->value, &words, &param->count, error))
        return -1;
    if (param->count == 0)
        return complain(space, item, error, "no values: name at least one for", param->name);
    param->values = space_alloc(space, param->count * sizeof *param->values, error);
    bool named = words[0][0] >= 'A' && words[0][0] <= 'Z';
    if (named)
        param->symbols = space_alloc(space, param->count * sizeof *param->symbols, error);
    if (!param->values || (named && !param->symbols))
        return -1;
    for (size_t i = 0; i < param->count; i++) {
        struct error inner;
        if (named) {
            if (read_symbol(space, param, i, words[i], item, error))
                return -1;
        } else if (number_parse_int(&param->values[i], words[i], param->name, &inner)) {
            return error_set(error, ERROR_USAGE, "%s:%d: %s", space->file, item->line, inner.text);
        }
        for (size_t k = 0; k < i; k++)
            if (param->values[k] == param->values[i])
                return complain(space, item, error, "the same value twice:", words[i]);
    }
    return 0;
}

static int read_param_item(struct space *space, struct param *param, const struct ini_item *item,
                           struct error *error)
{
    if (strcmp(item->key, "meaning") == 0) {
        const size_t length = strlen(item->value);
        param->meaning = item->value;
        if (length && item->value[length - 1] == '\\') /* it would join two lines of a kernel */
            return complain(space, item, error, "a meaning does not end with a backslash:",
                            item->value);
        return 0;
    }
    if (strcmp(item->key, "values") == 0)
        return read_values(space, param, item, error);
    if (strcmp(item->key, "when") == 0) {
        param->is_launch = strcmp(item->value, "launch") == 0;
        if (param->is_launch || strcmp(item->value, "compile") == 0)
            return 0;
        return complain(space, item, error, "'when' is launch or compile, not", item->value);
    }
    return complain(space, item, error, "a [param] has meaning, values and when, not", item->key);
}

static int add_param(struct space *space, const struct ini_item *first, struct param **out,
                     struct error *error)
{
    struct param *param = &space->params[space->param_count++];
    *out = param;
    param->name = first->section + strlen("param ");
    return add_name(space, param->name, 0, first, &param->slot, error);
}

static int check_params(const struct space *space, struct error *error)
{
    uint64_t points = 1;
    for (size_t i = 0; i < space->param_count; i++) {
        const struct param *param = &space->params[i];
        const int line = find_line(space, "param ", param->name);
        if (param->count == 0)
            return error_set(error, ERROR_USAGE,
                             "%s:%d: [param %s] has no values: add 'values = ...'", space->file,
                             line, param->name);
        points *= param->count;
        if (points > POINTS_MAX)
            return error_set(error, ERROR_USAGE,
                             "%s:%d: with [param %s] the space has more than 2^30 points: name "
                             "fewer values",
                             space->file, line, param->name);
    }
    return 0;
}

/* --- Expressions ------------------------------------------------------------------------------ */

static int read_expr(struct space *space, struct expr **out, const struct ini_item *item,
                     struct error *error)
{
    struct expr_scope scope = {space->names, space->name_count};
    return expr_parse(out, item->value, &scope, space->file, item->line, error);
}

const char *space_launch_name(const struct space *space, const struct expr *expr)
{
    const char *name = NULL;
    for (size_t i = 0; i < SPACE_BUILTINS; i++)
        if (space_builtins[i].is_launch && expr_uses(expr, i))
            name = space_builtins[i].name;
    for (size_t i = 0; i < space->param_count; i++)
        if (space->params[i].is_launch && expr_uses(expr, space->params[i].slot))
            name = space->params[i].name;
    for (size_t i = 0; i < space->derived_count; i++)
        if (space->derived[i].is_launch && expr_uses(expr, space->derived[i].slot))
            name = space->derived[i].name;
    return name;
}

static int refuse_blocks(const struct space *space, const struct expr *expr,
                         const struct ini_item *item, struct error *error)
{
    if (expr_uses(expr, SPACE_BLOCKS))
        return complain(space, item, error, "only a pass's outputs, partials and height know",
                        "BLOCKS");
    return 0;
}

static int read_derived(struct space *space, const struct ini_item *item, struct derived *derived,
                        struct error *error)
{
    return read_expr(space, &derived->expr, item, error) ||
           refuse_blocks(space, derived->expr, item, error) ? -1 : 0;
}

/* Blames one of all[done ..], of which each needs another: who is needed by who is needed ... comes
 * round in the end. */
static int refuse_cycle(const struct space *space, size_t done, struct error *error)
{
    const struct derived *all = space->derived;
    size_t at = done;
    for (size_t step = 0; step < space->derived_count; step++)
        for (size_t i = done; i < space->derived_count; i++)
            if (expr_uses(all[at].expr, all[i].slot)) {
                at = i;
                break;
            }
    return error_set(error, ERROR_USAGE,
                     "%s:%d: derived value '%s' depends on itself, maybe through others: break "
                     "the cycle",
                     space->file, ini_find(&space->memory->ini, "derived", all[at].name)->line,
                     all[at].name);
}

/* Puts derived values in an order in which each needs only those before it. */
static int sort_derived(struct space *space, struct error *error)
{
    struct derived *all = space->derived;
    for (size_t done = 0; done < space->derived_count; done++) {
        size_t next = done;
        for (; next < space->derived_count; next++) {
            bool ready = true;
            for (size_t i = done; i < space->derived_count; i++)
                ready = ready && !expr_uses(all[next].expr, all[i].slot);
            if (ready)
                break;
        }
        if (next == space->derived_count)
            return refuse_cycle(space, done, error);
        struct derived chosen = all[next];
        memmove(&all[done + 1], &all[done], (next - done) * sizeof *all);
        all[done] = chosen;
    }
    for (size_t i = 0; i < space->derived_count; i++)
        all[i].is_launch = space_launch_name(space, all[i].expr) != NULL;
    return 0;
}

static int read_rule(struct space *space, const struct ini_item *item, struct error *error)
{
    struct rule *rule = &space->rules[space->rule_count++];
    rule->reason = item->key;
    if (read_expr(space, &rule->expr, item, error) ||
        refuse_blocks(space, rule->expr, item, error))
        return -1;
    rule->is_launch = space_launch_name(space, rule->expr) != NULL;
    return 0;
}

/* --- Passes ---------------------------------------------------------------------------------- */

static int read_args(struct space *space, struct pass *pass, const struct ini_item *item,
                     struct error *error)
{
    char **words;
    size_t count;
    if (split_words(space, item->value, &words, &count, error))
        return -1;
    if (count > PASS_ARGS_MAX)
        return complain(space, item, error, "at most 8 args fit in", item->section);
    for (size_t i = 0; i < count; i++) {
        size_t kind = 0;
        while (kind < PASS_ARG_KINDS && strcmp(words[i], space_pass_args[kind]) != 0)
            kind++;
        if (kind == PASS_ARG_KINDS)
            return complain(space, item, error,
                            "an arg is input, n, output, partials or counter, not", words[i]);
        pass->args[pass->arg_count++] = (enum pass_arg)kind;
    }
    return 0;
}

static int read_override(struct space *space, struct pass *pass, size_t param,
                         const struct ini_item *item, struct error *error)
{
    if (space->params[param].is_launch)
        return complain(space, item, error, "a pass overrides compile-time params only, not",
                        item->key);
    struct pass_override *override = &pass->overrides[pass->override_count++];
    override->param = param;
    if (read_expr(space, &override->expr, item, error))
        return -1;
    if (space_launch_name(space, override->expr))
        return complain(space, item, error, "a launch-time name cannot decide compile-time", item->key);
    return 0;
}

/* A key with two possible values: sets `out` to whether it is the second. */
static int read_choice(struct space *space, bool *out, const char *no, const char *yes,
                       const struct ini_item *item, struct error *error)
{
    *out = strcmp(item->value, yes) == 0;
    if (*out || strcmp(item->value, no) == 0)
        return 0;
    return error_set(error, ERROR_USAGE, "%s:%d: '%s' is %s or %s, not '%s'", space->file,
                     item->line, item->key, no, yes, item->value);
}

static int read_pass_item(struct space *space, struct pass *pass, const struct ini_item *item,
                          struct error *error)
{
    const struct { const char *key; struct expr **expr; bool knows_blocks; } exprs[] = {
        {"when", &pass->when, false},         {"block", &pass->block, false},
        {"grid", &pass->grid, false},         {"tile", &pass->tile, false},
        {"outputs", &pass->outputs, true},    {"partials", &pass->partials, true},
        {"height", &pass->height, true},
    };
    for (size_t i = 0; i < sizeof exprs / sizeof *exprs; i++)
        if (strcmp(item->key, exprs[i].key) == 0)
            return read_expr(space, exprs[i].expr, item, error) ||
                           (!exprs[i].knows_blocks &&
                            refuse_blocks(space, *exprs[i].expr, item, error))
                       ? -1
                       : 0;
    if (strcmp(item->key, "args") == 0)
        return read_args(space, pass, item, error);
    if (strcmp(item->key, "reads") == 0)
        return read_choice(space, &pass->reads_partials, "elements", "partials", item, error);
    if (strcmp(item->key, "repeat") == 0)
        return read_choice(space, &pass->until_one, "1", "until one", item, error);
    int param = space_find_param(space, item->key, strlen(item->key));
    if (param >= 0)
        return read_override(space, pass, (size_t)param, item, error);
    return complain(space, item, error, "a [pass] has no key and the space no param", item->key);
}

static int add_pass(struct space *space, const struct ini_item *first, struct pass **out,
                    struct error *error)
{
    if (space->pass_count == SPACE_PASSES_MAX)
        return complain(space, first, error, "at most 8 passes: drop", first->section);
    struct pass *pass = &space->passes[space->pass_count++];
    *out = pass;
    pass->name = first->section + strlen("pass ");
    pass->overrides = space_alloc(space, space->param_count * sizeof *pass->overrides, error);
    return pass->overrides ? 0 : -1;
}

static bool has_arg(const struct pass *pass, enum pass_arg arg)
{
    for (size_t i = 0; i < pass->arg_count; i++)
        if (pass->args[i] == arg)
            return true;
    return false;
}

static const char *find_missing(const struct pass *pass)
{
    return !pass->block       ? "block"
           : !pass->grid      ? "grid"
           : !pass->tile      ? "tile"
           : !pass->outputs   ? "outputs"
           : !pass->height    ? "height"
           : !pass->arg_count ? "args"
           : !pass->partials && has_arg(pass, ARG_PARTIALS) ? "partials"
                                                            : NULL;
}

static int check_passes(const struct space *space, struct error *error)
{
    if (space->pass_count == 0)
        return error_set(error, ERROR_USAGE, "%s:%d: no [pass ...]: add at least one", space->file,
                         find_line(space, "pass", ""));
    for (size_t i = 0; i < space->pass_count; i++) {
        const struct pass *pass = &space->passes[i];
        const char *missing = find_missing(pass);
        const int line = find_line(space, "pass ", pass->name);
        if (missing)
            return error_set(error, ERROR_USAGE, "%s:%d: [pass %s] lacks '%s': add it",
                             space->file, line, pass->name, missing);
        if (pass->when && space_launch_name(space, pass->when))
            return error_set(error, ERROR_USAGE,
                             "%s:%d: 'when' of [pass %s] uses a launch-time name: use only "
                             "compile-time params",
                             space->file, line, pass->name);
    }
    return 0;
}

/* --- The file --------------------------------------------------------------------------------- */

/* One letter or '_', then letters, digits, '_' and the characters of `also`: it stands in kernels. */
static bool is_word(const char *string, const char *also)
{
    if (!text_is_word(*string) || (*string >= '0' && *string <= '9'))
        return false;
    for (; *string; string++)
        if (!text_is_word(*string) && !strchr(also, *string))
            return false;
    return true;
}

static int read_space_item(struct space *space, const struct ini_item *item, struct error *error)
{
    const struct { const char *key; const char **value, *also; } keys[] = {
        {"name", &space->name, "-."},
        {"template", &space->template_name, "-."},
        {"kernel", &space->kernel, ""}};
    for (size_t i = 0; i < 3; i++)
        if (strcmp(item->key, keys[i].key) == 0) {
            *keys[i].value = item->value;
            if (!is_word(item->value, keys[i].also))
                return complain(space, item, error, "no name of a space, template or kernel:",
                                item->value);
            return 0;
        }
    return complain(space, item, error, "[space] has name, template and kernel, not", item->key);
}

static int read_default(struct space *space, const struct ini_item *item, bool *seen,
                        struct error *error)
{
    int param = space_find_param(space, item->key, strlen(item->key));
    if (param < 0)
        return complain(space, item, error, "[default] names no param of this space:", item->key);
    if (space_find_value(&space->params[param], item->value, strlen(item->value),
                         &space->default_row[param]))
        return complain(space, item, error, "[default] names a value that the param lacks:",
                        item->value);
    seen[param] = true;
    return 0;
}

static bool is_section(const struct ini_item *item, const char *prefix)
{
    return strncmp(item->section, prefix, strlen(prefix)) == 0;
}

/* First round: params and the names of derived values, so that expressions know every name. */
static int read_names(struct space *space, const struct ini *ini, struct error *error)
{
    struct param *param = NULL;
    for (size_t i = 0; i < ini->count; i++) {
        const struct ini_item *item = &ini->items[i];
        bool opens = i == 0 || strcmp(item->section, ini->items[i - 1].section) != 0;
        if (is_section(item, "param ")) {
            if ((opens && add_param(space, item, &param, error)) ||
                read_param_item(space, param, item, error))
                return -1;
        } else if (strcmp(item->section, "derived") == 0) {
            struct derived *derived = &space->derived[space->derived_count++];
            derived->name = item->key;
            if (add_name(space, item->key, 0, item, &derived->slot, error))
                return -1;
        }
    }
    return check_params(space, error);
}

static int read_derived_values(struct space *space, const struct ini *ini, struct error *error)
{
    size_t next = 0;
    for (size_t i = 0; i < ini->count; i++)
        if (strcmp(ini->items[i].section, "derived") == 0 &&
            read_derived(space, &ini->items[i], &space->derived[next++], error))
            return -1;
    return sort_derived(space, error);
}

/* Last round: everything that uses names. */
static int read_rest(struct space *space, const struct ini *ini, bool *in_default,
                     struct error *error)
{
    struct pass *pass = NULL;
    for (size_t i = 0; i < ini->count; i++) {
        const struct ini_item *item = &ini->items[i];
        bool opens = i == 0 || strcmp(item->section, ini->items[i - 1].section) != 0;
        int failed = 0;
        if (is_section(item, "param ") || strcmp(item->section, "derived") == 0)
            continue;
        else if (strcmp(item->section, "space") == 0)
            failed = read_space_item(space, item, error);
        else if (strcmp(item->section, "rule") == 0)
            failed = read_rule(space, item, error);
        else if (strcmp(item->section, "default") == 0)
            failed = read_default(space, item, in_default, error);
        else if (is_section(item, "pass "))
            failed = (opens && add_pass(space, item, &pass, error)) ||
                     read_pass_item(space, pass, item, error);
        else
            failed = complain(space, item, error, "a space file has no section", item->section);
        if (failed)
            return -1;
    }
    return check_passes(space, error);
}

static int check_space(const struct space *space, const bool *in_default, struct error *error)
{
    if (!space->name || !space->template_name || !space->kernel)
        return error_set(error, ERROR_USAGE,
                         "%s:%d: [space] needs name, template and kernel: add what is missing",
                         space->file, find_line(space, "space", ""));
    if (space->param_count == 0)
        return error_set(error, ERROR_USAGE, "%s:%d: no [param ...]: add at least one",
                         space->file, find_line(space, "param", ""));
    for (size_t i = 0; i < space->param_count; i++)
        if (!in_default[i])
            return error_set(error, ERROR_USAGE, "%s:%d: [default] lacks %s: add its value",
                             space->file, find_line(space, "default", ""),
                             space->params[i].name);
    return 0;
}

static int read_space(struct space *space, const char *file, const char *bytes, size_t length,
                      struct error *error)
{
    struct ini *ini = &space->memory->ini;
    if (ini_load(ini, file, bytes, length, error))
        return -1;
    space->file = ini->file;
    space->hash = XXH3_64bits(bytes, length);
    size_t items = ini->count + 1;
    space->params = space_alloc(space, items * sizeof *space->params, error);
    space->derived = space_alloc(space, items * sizeof *space->derived, error);
    space->rules = space_alloc(space, items * sizeof *space->rules, error);
    space->default_row = space_alloc(space, items * sizeof *space->default_row, error);
    bool *in_default = space_alloc(space, items * sizeof *in_default, error);
    if (!space->params || !space->derived || !space->rules || !space->default_row || !in_default)
        return -1;
    add_builtin_names(space);
    return read_names(space, ini, error) || read_derived_values(space, ini, error) ||
           read_rest(space, ini, in_default, error) || check_space(space, in_default, error) ? -1 : 0;
}

int space_load(struct space **out, const char *file, const char *bytes, size_t length,
               struct error *error)
{
    struct space *space = calloc(1, sizeof *space);
    struct space_memory *memory = calloc(1, sizeof *memory);
    if (!space || !memory) {
        free(space);
        free(memory);
        return error_memory(error, sizeof *space);
    }
    space->memory = memory;
    if (read_space(space, file, bytes, length, error)) {
        space_free(space);
        return -1;
    }
    *out = space;
    return 0;
}

void space_free(struct space *space)
{
    if (!space)
        return;
    for (size_t i = 0; i < space->derived_count; i++)
        expr_free(space->derived[i].expr);
    for (size_t i = 0; i < space->rule_count; i++)
        expr_free(space->rules[i].expr);
    for (size_t i = 0; i < space->pass_count; i++) {
        struct pass *pass = &space->passes[i];
        struct expr *exprs[] = {pass->when,    pass->block,    pass->grid,  pass->tile,
                                pass->outputs, pass->partials, pass->height};
        for (size_t k = 0; k < sizeof exprs / sizeof *exprs; k++)
            expr_free(exprs[k]);
        for (size_t k = 0; k < pass->override_count; k++)
            expr_free(pass->overrides[k].expr);
    }
    while (space->memory->blocks) {
        struct block *block = space->memory->blocks;
        space->memory->blocks = block->next;
        free(block);
    }
    ini_dispose(&space->memory->ini);
    free(space->memory);
    free(space);
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
