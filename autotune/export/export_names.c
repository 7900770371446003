/* export_names: prints what the names of a space stand for once a row of the table, or a pass of it,
 * is known: derived values are written out in terms of what is known only when an export runs, and
 * what params decide is folded away. */
#include "autotune/export/export_text.h"

#include "generator/words.h"

#include <stdlib.h>
#include <string.h>

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
    [SPACE_SPAN] = {"span", "(dims_has_spans(dims) ? dims->spans[0].n : 1)"},
    [SPACE_SPAN_STRIDE] = {"span_stride", "(dims_has_spans(dims) ? dims->spans[0].stride : 1)"},
    [SPACE_MORE_AXES] = {"more_axes", "dims_has_more_axes(dims)"},
    [SPACE_MORE_STRIDES] = {"more_strides", "dims_more_strides(dims)"},
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

/* --- Names of one space ------------------------------------------------------------------- */

/* Is it a name, a call, or an expression in parentheses? */
bool export_is_closed(const char *at)
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

bool export_is_number(const char *text, int64_t *out)
{
    char *end;
    *out = strtoll(text, &end, 10);
    return end != text && !*end;
}

/* Prints a derived value that depends on params only as a number. */
static void take_number(struct expr_c_name *name)
{
    int64_t value;
    if (export_is_number(name->text, &value))
        *name = (struct expr_c_name){name->text, true, value};
}

static int name_derived(struct export_names *names, const struct derived *derived,
                        const char *prefix, struct error *error)
{
    struct text whole = {0}, *text = &names->texts[derived->slot];
    struct expr_c_name *name = &names->all[derived->slot];
    text_clear(text);
    const int failed = expr_c_print(&whole, derived->expr, names->all, prefix, error);
    if (!failed) {
        name->text = whole.at;
        take_number(name);
        text_addf(text, export_is_closed(whole.at) ? "%s" : "(%s)", whole.at);
        name->text = text->at;
    }
    text_dispose(&whole);
    return failed ? -1 : text_check(text, error);
}

/* Derived values are in an order in which each needs only those before it. */
int export_name_all(struct export_names *names, const struct export *export,
                    const int64_t *values, const char *prefix, bool has_parts,
                    struct error *error)
{
    const struct space *space = export->source.space;
    for (size_t slot = 0; slot < space->name_count; slot++)
        names->all[slot] =
            (struct expr_c_name){export_builtin(slot), !export->is_runtime[slot], values[slot]};
    if (!prefix)
        names->all[SPACE_BLOCKS].text = "blocks";
    for (size_t i = 0; i < space->derived_count; i++) {
        const size_t slot = space->derived[i].slot;
        if (!export->is_runtime[slot])
            continue;
        if (has_parts && slot == space->parts)
            names->all[slot].text = "parts";
        else if (name_derived(names, &space->derived[i], prefix, error))
            return -1;
    }
    return 0;
}

void export_dispose_names(struct export_names *names)
{
    for (size_t slot = 0; names && slot < SPACE_NAMES_MAX; slot++)
        text_dispose(&names->texts[slot]);
    free(names);
}
