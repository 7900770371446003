/* export_rules: writes the space's rules as conditions of C99 and C++17, for each row of the
 * table the rules that still depend on a matrix or on the SMs. */
#include "autotune/export/export_text.h"

#include <stdlib.h>
#include <string.h>

/* --- One rule ----------------------------------------------------------------------------- */

int export_name_row(struct export_names *names, const struct export *export,
                    const struct export_row *row, const char *prefix, struct error *error)
{
    const struct point_context context = {export->source.space, &row->problem, &row->target};
    int64_t values[SPACE_NAMES_MAX];
    return point_values(&context, row->values, false, values, error) ||
                   export_name_all(names, export, values, prefix, false, error)
               ? -1
               : 0;
}

int export_add_condition(struct text *out, const struct rule *rule,
                         const struct export_names *names, const char *prefix,
                         struct error *error)
{
    int64_t value;
    if (!rule->is_launch || rule->is_prune)
        return 0;
    if (expr_c_print(out, rule->expr, names->all, prefix, error))
        return -1;
    if (export_is_number(out->at, &value) && value != 0)
        text_clear(out);
    return 0;
}

/* --- As C --------------------------------------------------------------------------------- */

/* A condition without the cast that makes it a number. */
static const char *find_condition(const struct text *text)
{
    static const char cast[] = "(int64_t)(";
    const size_t skip = sizeof cast - 2;
    return strncmp(text->at, cast, skip + 1) == 0 && export_is_closed(text->at + skip)
               ? text->at + skip
               : text->at;
}

static int add_conditions(struct text *out, const struct export *export,
                          const struct export_names *names, struct error *error)
{
    const struct space *space = export->source.space;
    for (size_t i = 0; i < space->rule_count; i++) {
        struct text condition = {0};
        const int failed =
            export_add_condition(&condition, &space->rules[i], names, "prefix", error);
        if (condition.length) {
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
    struct export_names *names = calloc(1, sizeof *names);
    struct text *conditions = calloc(count + 1, sizeof *conditions), cases = {0};
    int failed = names && conditions
                     ? 0
                     : error_memory(error, sizeof *names + count * sizeof *conditions);
    for (size_t r = 0; !failed && r < count; r++)
        failed = export_name_row(names, export, &export->rows[r], "prefix", error) ||
                 add_conditions(&conditions[r], export, names, error) ||
                 text_check(&conditions[r], error);
    if (!failed) {
        add_cases(&cases, conditions, count);
        failed = text_check(&cases, error);
    }
    if (!failed)
        add_function(out, cases.at ? cases.at : "");
    text_dispose(&cases);
    export_dispose_names(names);
    for (size_t r = 0; conditions && r < count; r++)
        text_dispose(&conditions[r]);
    free(conditions);
    return failed ? -1 : 0;
}
