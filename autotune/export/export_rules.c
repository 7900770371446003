/* export_rules: writes the space's rules as conditions of C99 and C++17, for each row of the
 * table the rules that still depend on a matrix or on the SMs. Derived values are written out,
 * and what a row's params decide is folded away. */
#include "autotune/export/export_text.h"

#include "autotune/export/expr_c.h"
#include "generator/words.h"

#include <stdlib.h>
#include <string.h>

struct row_names {
    const struct export *export;
    struct text texts[SPACE_NAMES_MAX]; /* in terms of values known when it runs */
    struct expr_c_name all[SPACE_NAMES_MAX];
};

/* --- Names that every space has ----------------------------------------------------------- */

static const struct {
    const char *name, *value; /* in prefix_eval and prefix_allows; value NULL: the name exists
                               * already */
} builtins[SPACE_BUILTINS] = {
    [SPACE_N] = {"n", "dims_n(dims)"},
    [SPACE_OUTER] = {"outer", "dims->outer.n"},
    [SPACE_OUTER_STRIDE] = {"outer_stride", "dims->outer.stride"},
    [SPACE_DEPTH] = {"depth", "dims->depth.n"},
    [SPACE_DEPTH_STRIDE] = {"depth_stride", "dims->depth.stride"},
    [SPACE_INNER] = {"inner", "dims->inner.n"},
    [SPACE_INNER_STRIDE] = {"inner_stride", "dims->inner.stride"},
    [SPACE_BLOCKS] = {"keys[PLANNER_GRID]", NULL},
    [SPACE_SMS] = {"sms", NULL},
};

const char *export_builtin(size_t slot)
{
    return slot < SPACE_BUILTINS ? builtins[slot].name : NULL;
}

void export_add_builtins(struct text *out, const char *code)
{
    for (size_t i = 0; i < SPACE_BUILTINS; i++) {
        bool is_mentioned = false;
        if (builtins[i].value)
            words_find(code, &builtins[i].name, 1, &is_mentioned);
        if (is_mentioned)
            text_addf(out, "    const int64_t %s = (int64_t)%s;\n", builtins[i].name,
                      builtins[i].value);
    }
}

/* --- Conditions --------------------------------------------------------------------------- */

/* Is it a name, a call, or an expression in parentheses? */
static bool is_closed(const char *at)
{
    int depth = 0;
    at += strcspn(at, " (");
    for (; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0)
            return !at[1];
    }
    return true;
}

/* Prints a derived value that depends on params only as a number. */
static void take_number(struct expr_c_name *name)
{
    char *end;
    const int64_t value = strtoll(name->text, &end, 10);
    if (end != name->text && !*end)
        *name = (struct expr_c_name){name->text, true, value};
}

/* The expression of each name of the space in the rules of a row. Derived values are in an
 * order in which each needs only those before it. */
static int name_all(struct row_names *names, const struct export_row *row, struct error *error)
{
    const struct export *export = names->export;
    const struct space *space = export->source.space;
    const struct point_context context = {space, &row->problem, &row->target};
    int64_t values[SPACE_NAMES_MAX];
    if (point_values(&context, row->values, false, values, error))
        return -1;
    for (size_t slot = 0; slot < space->name_count; slot++)
        names->all[slot] =
            (struct expr_c_name){export_builtin(slot), !export->is_runtime[slot], values[slot]};
    for (size_t i = 0; i < space->derived_count; i++) {
        const size_t slot = space->derived[i].slot;
        struct text whole = {0}, *text = &names->texts[slot];
        if (!export->is_runtime[slot])
            continue;
        text_dispose(text);
        if (expr_c_print(&whole, space->derived[i].expr, names->all, "prefix", error)) {
            text_dispose(&whole);
            return -1;
        }
        names->all[slot].text = whole.at;
        take_number(&names->all[slot]);
        text_addf(text, is_closed(whole.at) ? "%s" : "(%s)", whole.at);
        names->all[slot].text = text->at;
        text_dispose(&whole);
        if (text_check(text, error))
            return -1;
    }
    return 0;
}

static bool is_number(const struct text *text)
{
    struct expr_c_name name = {text->at, false, 0};
    take_number(&name);
    return name.is_known && name.value != 0;
}

/* A condition without the cast that makes it a number. */
static const char *find_condition(const struct text *text)
{
    static const char cast[] = "(int64_t)(";
    const size_t skip = sizeof cast - 2;
    return strncmp(text->at, cast, skip + 1) == 0 && is_closed(text->at + skip)
               ? text->at + skip
               : text->at;
}

/* A rule that holds for the row with any matrix has no condition. */
static int add_conditions(struct text *out, const struct row_names *names, struct error *error)
{
    const struct space *space = names->export->source.space;
    for (size_t i = 0; i < space->rule_count; i++) {
        struct text condition = {0};
        if (!space->rules[i].is_launch || space->rules[i].is_prune)
            continue;
        const int failed =
            expr_c_print(&condition, space->rules[i].expr, names->all, "prefix", error);
        if (!failed && !is_number(&condition)) {
            const char *found = find_condition(&condition);
            text_addf(out, *found == '(' ? "        if (!%s)" : "        if (!(%s))", found);
            text_adds(out, "\n            return 0; /* not: ");
            export_add_words(out, space->rules[i].reason);
            text_adds(out, " */\n");
        }
        text_dispose(&condition);
        if (failed)
            return -1;
    }
    return 0;
}

/* Rows that differ in no condition share a case. */
static void add_cases(struct text *out, struct text *conditions, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        if (!conditions[r].length)
            continue;
        text_addf(out, "    case %zu:\n", r);
        for (size_t later = r + 1; later < count; later++)
            if (conditions[later].length &&
                strcmp(conditions[later].at, conditions[r].at) == 0) {
                text_addf(out, "    case %zu:\n", later);
                text_dispose(&conditions[later]);
            }
        text_addf(out, "%s        return 1;\n", conditions[r].at);
    }
}

static void add_function(struct text *out, const char *cases)
{
    text_adds(
        out, "/* Is a row of the table meant for these dims? */\n"
             "static inline int prefix_allows(int row, const struct dims *dims, int device_sms)"
             "\n{\n    const int64_t sms = device_sms;\n");
    export_add_builtins(out, cases);
    text_addf(out,
              "    (void)dims;\n    (void)sms;\n    switch (row) {\n%s    default:\n"
              "        return 1;\n    }\n}\n\n",
              cases);
}

int export_add_rules(struct text *out, const struct export *export, struct error *error)
{
    const size_t count = export->row_count - 1; /* without the default, the last */
    struct row_names *names = calloc(1, sizeof *names);
    struct text *conditions = calloc(count + 1, sizeof *conditions), cases = {0};
    int failed = 0;
    if (names && conditions)
        names->export = export;
    else
        failed = error_memory(error, sizeof *names + count * sizeof *conditions);
    for (size_t r = 0; !failed && r < count; r++)
        failed = name_all(names, &export->rows[r], error) ||
                 add_conditions(&conditions[r], names, error) ||
                 text_check(&conditions[r], error);
    if (!failed) {
        add_cases(&cases, conditions, count);
        failed = text_check(&cases, error);
    }
    if (!failed)
        add_function(out, cases.at ? cases.at : "");
    text_dispose(&cases);
    for (size_t slot = 0; names && slot < SPACE_NAMES_MAX; slot++)
        text_dispose(&names->texts[slot]);
    for (size_t r = 0; conditions && r < count; r++)
        text_dispose(&conditions[r]);
    free(conditions);
    free(names);
    return failed ? -1 : 0;
}
