/* space: reads a space file into params (space_params.c), derived values, rules and passes
 * (space_passes.c), and refuses what is inconsistent, with file:line. Names are read before the
 * expressions that use them. */
#include "generator/space_read.h"

#include "generator/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MORE_CHARS = 32 }; /* "and 12 more" */

#define XXH_INLINE_ALL
#include <xxhash.h>

const struct space_builtin_row space_builtins[SPACE_BUILTINS] = {
    [SPACE_N] = {"N", "elements", true},
    [SPACE_OUTER] = {"OUTER", "kept, outside what is combined", true},
    [SPACE_OUTER_STRIDE] = {"OUTER_STRIDE", "elements from one of them to the next", true},
    [SPACE_DEPTH] = {"DEPTH", "elements combined to a result", true},
    [SPACE_DEPTH_STRIDE] = {"DEPTH_STRIDE", "elements from one of them to the next", true},
    [SPACE_INNER] = {"INNER", "kept, inside what is combined", true},
    [SPACE_INNER_STRIDE] = {"INNER_STRIDE", "elements from one of them to the next", true},
    [SPACE_SPAN] = {"SPAN", "elements of a span of what is combined, 1 where it is in one",
                    true},
    [SPACE_SPAN_STRIDE] = {"SPAN_STRIDE", "elements from one span to the next", true},
    [SPACE_MORE_AXES] = {"MORE_AXES",
                         "1 where more than two axes are combined, or more than two kept",
                         true},
    [SPACE_MORE_STRIDES] = {"MORE_STRIDES",
                            "the bits of all strides of further axes, 0 where there are none",
                            true},
    [SPACE_BLOCKS] = {"BLOCKS", "blocks of the grid", true},
    [SPACE_COMBINE] = {"COMBINE", "how two values are combined: ADD, LEAST, ...", false},
    [SPACE_MAP] = {"MAP", "what is combined of an element: SAME, SQUARE or MAPPED", false},
    [SPACE_POSITION] = {"POSITION", "1 where the result is where an element stands", false},
    [SPACE_SCAN] = {"SCAN", "INCLUSIVE or EXCLUSIVE where each element has a result, else 0",
                    false},
    [SPACE_TYPE] = {"TYPE", "type of an element", false},
    [SPACE_ACC] = {"ACC", "type of an accumulator", false},
    [SPACE_COMMUTES] = {"COMMUTES", "1 where values may be combined in any order", false},
    [SPACE_HAS_INDEX] = {"HAS_INDEX",
                         "1 where what is combined of an element depends on its index", false},
    [SPACE_HAS_FINISH] = {"HAS_FINISH", "1 where the result is made of the last value", false},
    [SPACE_RESULT] = {"RESULT", "type of a result", false},
    [SPACE_RESULT_BYTES] = {"RESULT_BYTES", "bytes of a result", false},
    [SPACE_OFFSETS] = {"OFFSETS", "type of the offsets of segments, 0 where there are none",
                       false},
    [SPACE_ORDER] = {"ORDER", "order of combining: FREE, RUN, BY_N or ANY", false},
    [SPACE_ELEM_BYTES] = {"ELEM_BYTES", "bytes of an element", false},
    [SPACE_ACCUM_BYTES] = {"ACCUM_BYTES", "bytes of an accumulator", false},
    [SPACE_INPUTS] = {"INPUTS", "arrays that are read", false},
    [SPACE_INPUT_BYTES] = {"INPUT_BYTES", "bytes of an element of each of them together",
                           false},
    [SPACE_HOST] = {"HOST", "1 on the host emulator", false},
    [SPACE_ANY_FLAGS] = {"ANY_FLAGS",
                         "1 in source for users' compilers, whatever their options", false},
    [SPACE_CC] = {"CC", "compute capability, 90 for 9.0", false},
    [SPACE_SMS] = {"SMS", "multiprocessors", false},
    [SPACE_L2_BYTES] = {"L2_BYTES", "bytes of the L2 cache", false},
    [SPACE_THREADS_PER_BLOCK] = {"THREADS_PER_BLOCK", "most threads of a block", false},
    [SPACE_THREADS_PER_SM] = {"THREADS_PER_SM", "most threads on an SM", false},
    [SPACE_SHARED_PER_BLOCK] = {"SHARED_PER_BLOCK", "most shared bytes of a block", false},
    [SPACE_SHARED_PER_SM] = {"SHARED_PER_SM", "shared bytes of an SM", false},
    [SPACE_REGISTERS_PER_SM] = {"REGISTERS_PER_SM", "registers of an SM", false},
};

void *space_alloc(struct space *space, size_t bytes, struct error *error)
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

int space_complain(const struct ini_item *item, struct error *error, const char *what,
                   const char *name)
{
    return error_set(error, ERROR_USAGE, "%s:%d: %s '%s'", item->file, item->line, what, name);
}

int space_error(const struct space *space, const char *kind, const char *name,
                struct error *error, const char *format, ...)
{
    const struct space_memory *memory = space->memory;
    const struct ini *own = &memory->files[0];
    const char *file = own->file;
    int line = own->count ? own->items[own->count - 1].line : 1;
    const size_t length = strlen(kind);
    char text[sizeof error->text / 2];
    va_list args;
    for (size_t i = memory->item_count; i-- > 0;)
        if (strncmp(memory->items[i].section, kind, length) == 0 &&
            strcmp(memory->items[i].section + length, name) == 0) {
            file = memory->items[i].file;
            line = memory->items[i].section_line;
        }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_set(error, ERROR_USAGE, "%s:%d: %s", file, line, text);
}

/* --- Faults ------------------------------------------------------------------------------- */

/* Where a fault is: in which of the files, and the line there. */
static void find_place(const struct space_memory *memory, struct space_fault *fault)
{
    for (size_t i = 0; i < memory->file_count; i++) {
        const size_t length = strlen(memory->files[i].file);
        if (strncmp(fault->text, memory->files[i].file, length) != 0 ||
            fault->text[length] != ':')
            continue;
        fault->file = i;
        fault->line = atoi(fault->text + length + 1);
    }
}

static bool is_before(const struct space_fault *one, const struct space_fault *other)
{
    return one->file != other->file ? one->file < other->file : one->line < other->line;
}

static size_t count_kept(const struct space_memory *memory)
{
    return memory->fault_count < SPACE_FAULTS_MAX ? memory->fault_count : SPACE_FAULTS_MAX;
}

/* By place; where there is no more room, the first ones. */
static void insert_fault(struct space_memory *memory, const struct space_fault *fault)
{
    struct space_fault *const all = memory->faults;
    size_t at = count_kept(memory);
    while (at > 0 && is_before(fault, &all[at - 1]))
        at--;
    memory->fault_count++;
    if (at == SPACE_FAULTS_MAX)
        return;
    memmove(&all[at + 1], &all[at], (count_kept(memory) - 1 - at) * sizeof *all);
    all[at] = *fault;
}

int space_keep_fault(const struct space *space, int failed, const struct error *error)
{
    struct space_fault fault = {.line = 0};
    if (!failed)
        return 0;
    if (error->code != ERROR_USAGE)
        return -1;
    snprintf(fault.text, sizeof fault.text, "%.*s", (int)sizeof fault.text - 1, error->text);
    for (size_t i = 0; i < count_kept(space->memory); i++)
        if (strcmp(space->memory->faults[i].text, fault.text) == 0)
            return 0;
    find_place(space->memory, &fault);
    insert_fault(space->memory, &fault);
    return 0;
}

int space_tell_faults(const struct space *space, struct error *error)
{
    const struct space_memory *memory = space->memory;
    char text[sizeof error->text];
    size_t used = 0, told = 0;
    if (memory->fault_count == 0)
        return 0;
    for (; told < count_kept(memory); told++) {
        const char *const fault = memory->faults[told].text;
        if (used + strlen(fault) + MORE_CHARS > sizeof text)
            break;
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s", told ? "\n" : "", fault);
    }
    if (told < memory->fault_count)
        snprintf(text + used, sizeof text - used, "\nand %zu more", memory->fault_count - told);
    return error_set_lines(error, ERROR_USAGE, "%s", text);
}

/* --- Expressions -------------------------------------------------------------------------- */

int space_read_expr(struct space *space, struct expr **out, const struct ini_item *item,
                    struct error *error)
{
    const struct expr_scope scope = space_scope(space);
    const int failed = expr_parse(out, item->value, &scope, item->file, item->line, error);
    if (!failed)
        return 0;
    return space_keep_fault(space, failed, error) ||
                   expr_parse(out, "0", &scope, item->file, item->line, error)
               ? -1
               : 0;
}

const char *space_launch_name(const struct space *space, const struct expr *expr)
{
    bool is_used[SPACE_NAMES_MAX] = {0}; /* by slot */
    const char *name = NULL;
    expr_mark(expr, is_used);
    for (size_t i = 0; i < SPACE_BUILTINS; i++)
        if (space_builtins[i].is_launch && is_used[i])
            name = space_builtins[i].name;
    for (size_t i = 0; i < space->param_count; i++)
        if (space->params[i].is_launch && is_used[space->params[i].slot])
            name = space->params[i].name;
    for (size_t i = 0; i < space->derived_count; i++)
        if (space->derived[i].is_launch && is_used[space->derived[i].slot])
            name = space->derived[i].name;
    return name;
}

static uint64_t find_uses(const struct space *space, const struct expr *expr)
{
    bool is_used[SPACE_NAMES_MAX] = {0}; /* by slot */
    uint64_t uses = 0;
    expr_mark(expr, is_used);
    for (size_t i = 0; i < SPACE_BUILTINS; i++)
        if (is_used[i])
            uses = SPACE_USES_PROBLEM;
    for (size_t i = 0; i < space->param_count; i++)
        if (is_used[space->params[i].slot])
            uses |= UINT64_C(1) << i;
    for (size_t i = 0; i < space->derived_count; i++)
        if (is_used[space->derived[i].slot])
            uses |= space->derived[i].uses;
    return uses;
}

int space_refuse_blocks(const struct expr *expr, const struct ini_item *item,
                        struct error *error)
{
    if (expr_uses(expr, SPACE_BLOCKS))
        return space_complain(item, error,
                              "only a pass's outputs, partials, state and height know",
                              "BLOCKS");
    return 0;
}

static int read_derived(struct space *space, const struct ini_item *item,
                        struct derived *derived, struct error *error)
{
    if (space_read_expr(space, &derived->expr, item, error))
        return -1;
    return space_keep_fault(space, space_refuse_blocks(derived->expr, item, error), error);
}

/* The error for a cycle among all[done ..], each of which needs another one: from any of them,
 * the chain of needs ends in the cycle, and one of that is named. */
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
    const struct ini_item *item = space_find_item(space, "derived", all[at].name);
    return error_set(error, ERROR_USAGE,
                     "%s:%d: derived value '%s' depends on itself, maybe through others: break "
                     "the cycle",
                     item->file, item->line, all[at].name);
}

/* Puts derived values in an order in which each needs only those before it. */
static int sort_derived(struct space *space, struct error *error)
{
    struct derived *all = space->derived;
    bool is_left[SPACE_NAMES_MAX] = {0}; /* by slot */
    for (size_t i = 0; i < space->derived_count; i++)
        is_left[all[i].slot] = true;
    for (size_t done = 0; done < space->derived_count; done++) {
        size_t next = done;
        while (next < space->derived_count && expr_uses_any(all[next].expr, is_left))
            next++;
        if (next == space->derived_count)
            return space_keep_fault(space, refuse_cycle(space, done, error), error);
        struct derived chosen = all[next];
        memmove(&all[done + 1], &all[done], (next - done) * sizeof *all);
        all[done] = chosen;
        is_left[chosen.slot] = false;
    }
    for (size_t i = 0; i < space->derived_count; i++) {
        all[i].is_launch = space_launch_name(space, all[i].expr) != NULL;
        all[i].uses = find_uses(space, all[i].expr);
    }
    return 0;
}

static int read_rule(struct space *space, const struct ini_item *item, bool is_prune,
                     struct error *error)
{
    struct rule *rule = &space->rules[space->rule_count++];
    rule->reason = item->key;
    rule->is_prune = is_prune;
    if (space_read_expr(space, &rule->expr, item, error) ||
        space_refuse_blocks(rule->expr, item, error))
        return -1;
    rule->is_launch = space_launch_name(space, rule->expr) != NULL;
    rule->uses = find_uses(space, rule->expr);
    return 0;
}

static int read_model_item(struct space *space, const struct ini_item *item,
                           struct error *error)
{
    if (strcmp(item->key, "in_flight") != 0)
        return space_complain(item, error, "[model] has in_flight, not", item->key);
    return space_read_expr(space, &space->in_flight, item, error) ||
                   space_refuse_blocks(space->in_flight, item, error)
               ? -1
               : 0;
}

/* --- The file ----------------------------------------------------------------------------- */

/* One letter or '_', then letters, digits, '_' and the characters of `also`: the word is used
 * in kernels. */
static bool is_word(const char *string, const char *also)
{
    if (!text_is_word(*string) || (*string >= '0' && *string <= '9'))
        return false;
    for (; *string; string++)
        if (!text_is_word(*string) && !strchr(also, *string))
            return false;
    return true;
}

static int read_parts(struct space *space, const struct ini_item *item, struct error *error)
{
    for (size_t i = 0; i < space->derived_count; i++)
        if (strcmp(item->value, space->derived[i].name) == 0) {
            space->parts = space->derived[i].slot;
            return 0;
        }
    space->parts = SPACE_OUTER; /* said once */
    return space_complain(item, error, "'parts' names a derived value, not", item->value);
}

static int read_space_item(struct space *space, const struct ini_item *item,
                           struct error *error)
{
    const struct {
        const char *key;
        const char **value, *also;
    } keys[] = {{"name", &space->name, "-."},
                {"template", &space->template_name, "-./"},
                {"kernel", &space->kernel, ""}};
    if (strcmp(item->key, "serves") == 0)
        return 0; /* read before all others */
    if (strcmp(item->key, "parts") == 0)
        return read_parts(space, item, error);
    if (strcmp(item->key, "strategy") == 0) {
        space->strategy = (struct space_strategy){item->value, item->file, item->line};
        return 0;
    }
    for (size_t i = 0; i < 3; i++)
        if (strcmp(item->key, keys[i].key) == 0) {
            *keys[i].value = item->value;
            if (!is_word(item->value, keys[i].also))
                return space_complain(item, error,
                                      "no name of a space, template or kernel:", item->value);
            return 0;
        }
    return space_complain(
        item, error,
        "[space] has name, extends, template, kernel, serves, parts and strategy, not",
        item->key);
}

static bool is_section(const struct ini_item *item, const char *prefix)
{
    return strncmp(item->section, prefix, strlen(prefix)) == 0;
}

/* First round: params and the names of derived values, so that expressions know every name. */
static int read_names(struct space *space, struct error *error)
{
    const struct space_memory *memory = space->memory;
    struct param *param = NULL;
    for (size_t i = 0; i < memory->item_count; i++) {
        const struct ini_item *item = &memory->items[i];
        bool opens = i == 0 || strcmp(item->section, memory->items[i - 1].section) != 0;
        if (is_section(item, "param ")) {
            if (opens &&
                space_keep_fault(space, space_add_param(space, item, &param, error), error))
                return -1;
            if (param &&
                space_keep_fault(space, space_read_param(space, param, item, error), error))
                return -1;
        } else if (strcmp(item->section, "derived") == 0) {
            struct derived *derived = &space->derived[space->derived_count++];
            derived->name = item->key;
            if (space_keep_fault(space,
                                 space_add_name(space, item->key, 0, item, &derived->slot,
                                                error),
                                 error))
                return -1;
        }
    }
    return space_check_params(space, error);
}

static int read_derived_values(struct space *space, struct error *error)
{
    const struct space_memory *memory = space->memory;
    size_t next = 0;
    for (size_t i = 0; i < memory->item_count; i++)
        if (strcmp(memory->items[i].section, "derived") == 0 &&
            read_derived(space, &memory->items[i], &space->derived[next++], error))
            return -1;
    return sort_derived(space, error);
}

/* Last round: everything that uses names. */
static int read_rest(struct space *space, struct error *error)
{
    const struct space_memory *memory = space->memory;
    struct pass *pass = NULL;
    for (size_t i = 0; i < memory->item_count; i++) {
        const struct ini_item *item = &memory->items[i];
        bool opens = i == 0 || strcmp(item->section, memory->items[i - 1].section) != 0;
        int failed = 0;
        if (is_section(item, "param ") || strcmp(item->section, "derived") == 0)
            continue;
        else if (strcmp(item->section, "space") == 0)
            failed = read_space_item(space, item, error);
        else if (strcmp(item->section, "rule") == 0)
            failed = read_rule(space, item, false, error);
        else if (strcmp(item->section, "prune") == 0)
            failed = read_rule(space, item, true, error);
        else if (strcmp(item->section, "model") == 0)
            failed = read_model_item(space, item, error);
        else if (strcmp(item->section, "default") == 0)
            failed = space_read_default(space, item, error);
        else if (is_section(item, "pass ") && opens)
            failed = space_add_pass(space, item, &pass, error);
        else if (opens && !is_section(item, "pass "))
            failed = space_complain(item, error, "a space file has no section", item->section);
        if (space_keep_fault(space, failed, error))
            return -1;
        if (is_section(item, "pass ") && pass &&
            space_keep_fault(space, space_read_pass(space, pass, item, error), error))
            return -1;
    }
    return space_check_passes(space, error);
}

/* Each param has a value there. */
static int check_defaults(const struct space *space, struct error *error)
{
    struct text lacking = {0};
    for (size_t i = 0; i < space->param_count; i++)
        if (!space->defaults[i].line)
            text_addf(&lacking, "%s%s", lacking.length ? ", " : "", space->params[i].name);
    int failed = text_check(&lacking, error);
    if (!failed && lacking.length)
        failed = space_keep_fault(space,
                                  space_error(space, "default", "", error,
                                              "[default] lacks %s: add a value for each",
                                              lacking.at),
                                  error);
    text_dispose(&lacking);
    return failed;
}

static int check_space(const struct space *space, struct error *error)
{
    if ((!space->name || !space->template_name || !space->kernel) &&
        space_keep_fault(
            space,
            space_error(space, "space", "", error,
                        "[space] needs name, template and kernel: add what is missing"),
            error))
        return -1;
    if (space->param_count == 0)
        return space_keep_fault(space,
                                space_error(space, "param", "", error,
                                            "no [param ...]: add at least one"),
                                error);
    return check_defaults(space, error);
}

/* Of what the items say: comments and the order of two files do not count. */
static uint64_t hash_items(const struct space_memory *memory)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < memory->item_count; i++) {
        const struct ini_item *item = &memory->items[i];
        const char *const strings[] = {item->section, item->key, item->value};
        for (size_t k = 0; k < 3; k++)
            hash = XXH3_64bits_withSeed(strings[k], strlen(strings[k]) + 1, hash);
    }
    return hash;
}

static int read_space(struct space *space, const char *file, const char *bytes, size_t length,
                      space_builtin_fn *builtin, struct error *error)
{
    if (space_read_items(space, file, bytes, length, builtin, error))
        return -1;
    space->file = space->memory->files[0].file;
    space->hash = hash_items(space->memory);
    const size_t items = space->memory->item_count + 1;
    space->params = space_alloc(space, items * sizeof *space->params, error);
    space->derived = space_alloc(space, items * sizeof *space->derived, error);
    space->rules = space_alloc(space, items * sizeof *space->rules, error);
    space->default_config = space_alloc(space, items * sizeof *space->default_config, error);
    space->defaults = space_alloc(space, items * sizeof *space->defaults, error);
    if (!space->params || !space->derived || !space->rules || !space->default_config ||
        !space->defaults)
        return -1;
    space_add_builtins(space);
    return space_read_serves(space, error) || read_names(space, error) ||
                   read_derived_values(space, error) || read_rest(space, error) ||
                   check_space(space, error) || space_tell_faults(space, error) ||
                   space_first_default(space, error)
               ? -1
               : 0;
}

int space_load(struct space **out, const char *file, const char *bytes, size_t length,
               space_builtin_fn *builtin, struct error *error)
{
    struct space *space = calloc(1, sizeof *space);
    struct space_memory *memory = calloc(1, sizeof *memory);
    if (!space || !memory) {
        free(space);
        free(memory);
        return error_memory(error, sizeof *space);
    }
    space->memory = memory;
    if (read_space(space, file, bytes, length, builtin, error)) {
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
    expr_free(space->in_flight);
    expr_free(space->serves);
    for (size_t i = 0; i < space->param_count; i++)
        expr_free(space->defaults[i].expr);
    for (size_t i = 0; i < space->pass_count; i++) {
        struct pass *pass = &space->passes[i];
        expr_free(pass->when);
        for (size_t k = 0; k < PLANNER_KEYS; k++)
            expr_free(pass->keys[k]);
        for (size_t k = 0; k < pass->override_count; k++)
            expr_free(pass->overrides[k].expr);
    }
    while (space->memory->blocks) {
        struct block *block = space->memory->blocks;
        space->memory->blocks = block->next;
        free(block);
    }
    for (size_t i = 0; i < space->memory->file_count; i++)
        ini_dispose(&space->memory->files[i]);
    free(space->memory);
    free(space);
}
