/* export_table: which row serves a device and n, and what it launches, as tables and functions
 * of C99 and C++17. Hides which names of the space become members of a table (what is known for
 * each step), which become variables (what depends on n or on the SMs), and which plain
 * numbers. */
#include "autotune/library/export_text.h"

#include "generator/expr_c.h"
#include "generator/shape.h"
#include "generator/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum kind { UNUSED, NUMBER, MEMBER, VARIABLE };

struct names {
    const struct export *export;
    enum kind kinds[SPACE_NAMES_MAX];
    struct text texts[SPACE_NAMES_MAX]; /* "step->given.tile", "tiles" */
    struct expr_c_name all[SPACE_NAMES_MAX];
};

/* --- Names -------------------------------------------------------------------------------- */

static const char keywords[] =
    " and asm auto bool break case catch char class const continue default delete do double "
    "else "
    "enum explicit export extern false float for friend goto if inline int long mutable "
    "namespace "
    "new not operator or private protected public register restrict return short signed sizeof "
    "static struct switch template this throw true try typedef union unsigned using virtual "
    "void "
    "volatile while xor ";
static const char variables[] =
    " device_sms grid inputs matrix n out outputs partials parts sms state step ";

/* A name of the space in small letters, and '_' where C, C++ or, for a variable, the code here
 * has it. */
static void add_small(struct text *out, const char *name, bool is_variable)
{
    char word[80];
    size_t length = 0;
    word[length++] = ' ';
    for (; *name && length < sizeof word - 2; name++)
        word[length++] = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
    word[length++] = ' ';
    word[length] = 0;
    text_add(out, word + 1, length - 2);
    text_adds(out,
              strstr(keywords, word) || (is_variable && strstr(variables, word)) ? "_" : "");
}

static bool is_same_in_all(const struct export *export, size_t slot)
{
    for (size_t i = 1; i < export->step_count; i++)
        if (export->steps[i].values[slot] != export->steps[0].values[slot])
            return false;
    return true;
}

static void use_expr(struct names *names, const struct expr *expr);

static void use_slot(struct names *names, size_t slot)
{
    const struct space *space = names->export->source.space;
    if (names->kinds[slot] != UNUSED)
        return;
    names->kinds[slot] = names->export->is_runtime[slot]       ? VARIABLE
                         : is_same_in_all(names->export, slot) ? NUMBER
                                                               : MEMBER;
    for (size_t i = 0; i < space->derived_count; i++)
        if (names->kinds[slot] == VARIABLE && space->derived[i].slot == slot)
            use_expr(names, space->derived[i].expr);
}

static void use_expr(struct names *names, const struct expr *expr)
{
    for (size_t slot = 0; expr && slot < names->export->source.space->name_count; slot++)
        if (expr_uses(expr, slot))
            use_slot(names, slot);
}

/* What stands for each name that the geometry needs. */
static void find_names(struct names *names)
{
    const struct space *space = names->export->source.space;
    for (size_t i = 0; i < names->export->step_count; i++) {
        const struct pass *pass = &space->passes[names->export->steps[i].pass];
        use_expr(names, pass->keys[PASS_GRID]);
        use_expr(names, pass->keys[PASS_OUTPUTS]);
        use_expr(names, pass->keys[PASS_PARTIALS]);
        use_expr(names, pass->keys[PASS_STATE]);
        use_expr(names, pass->keys[PASS_PARTS]);
    }
    for (size_t slot = 0; slot < space->name_count; slot++) {
        struct text *text = &names->texts[slot];
        const char *builtin = export_builtin(names->export, slot);
        text_adds(text, names->kinds[slot] == MEMBER ? "step->given." : "");
        if (builtin)
            text_adds(text, builtin);
        else
            add_small(text, space->names[slot], names->kinds[slot] == VARIABLE);
        names->all[slot] = (struct expr_c_name){text->at, names->kinds[slot] == NUMBER,
                                                names->export->steps[0].values[slot]};
    }
}

/* --- Tables ------------------------------------------------------------------------------- */

static bool has_members(const struct names *names)
{
    for (size_t slot = 0; slot < SPACE_NAMES_MAX; slot++)
        if (names->kinds[slot] == MEMBER)
            return true;
    return false;
}

static void add_members(struct text *out, const struct names *names)
{
    const struct space *space = names->export->source.space;
    if (!has_members(names))
        return;
    text_adds(out, "    struct { /* what n and the device do not change */\n");
    for (size_t slot = 0; slot < space->name_count; slot++)
        if (names->kinds[slot] == MEMBER) {
            text_adds(out, "        int64_t ");
            add_small(out, space->names[slot], false);
            text_adds(out, ";\n");
        }
    text_adds(out, "    } given;\n");
}

/* " (0 PLAIN, 1 BULK)": what the numbers of a param mean. */
static void add_symbols(struct text *out, const struct param *param)
{
    for (size_t i = 0; param->symbols && i < param->count; i++)
        text_addf(out, "%s%" PRId64 " %s", i ? ", " : " (", param->values[i],
                  param->symbols[i]);
    text_adds(out, param->symbols ? ")" : "");
}

static void add_params(struct text *out, const struct export *export)
{
    const struct space *space = export->source.space;
    for (size_t i = 0; i < space->param_count; i++) {
        text_adds(out, "    int64_t ");
        add_small(out, space->params[i].name, false);
        text_adds(out, "; /* ");
        export_add_words(out, space->params[i].meaning ? space->params[i].meaning : "");
        add_symbols(out, &space->params[i]);
        text_adds(out, " */\n");
    }
}

static void add_row(struct text *out, const struct export *export, const struct export_row *row)
{
    const struct space *space = export->source.space;
    const struct record *record = row->record;
    const uint64_t n = record ? dims_n(&record->problem.dims) : 0;
    const struct problem_shape shape =
        record ? shape_of(&record->problem.dims) : (struct problem_shape){0};
    if (export_is_matrix(export))
        text_addf(out, "    {{%" PRIu64 ", %" PRIu64 ", %" PRIu64 "}", shape.rows, shape.len,
                  shape.pitch);
    else
        text_addf(out,
                  "    {UINT64_C(%" PRIu64 "), UINT64_C(%" PRIu64 "), UINT64_C(%" PRIu64
                  "), UINT64_C(%" PRIu64 ")",
                  n, record && record->n_to ? record->n_from : n,
                  record && record->n_to ? record->n_to : n, row->last);
    text_addf(out, ", %zu, %zu,\n     \"", row->first_step, row->step_count);
    point_format(out, space, row->values, true);
    text_adds(out, "\",\n     {");
    for (size_t i = 0; i < space->param_count; i++)
        text_addf(out, "%s%" PRId64, i ? ", " : "", row->values[i]);
    text_adds(out, "}},\n");
}

static void add_step(struct text *out, const struct names *names,
                     const struct export_step *step)
{
    const bool is_columns = shape_kind(&names->export->source.problem.dims) == SHAPE_COLUMNS;
    const char *const args[PASS_ARG_KINDS] = {
        [ARG_INPUT] = "INPUT",       [ARG_N] = "N",         [ARG_OUTPUT] = "OUTPUT",
        [ARG_PARTIALS] = "PARTIALS", [ARG_STATE] = "STATE", [ARG_PARTS] = "PARTS",
        [ARG_OUTER] = "ROWS",        [ARG_OUTER_STRIDE] = "PITCH",
        [ARG_DEPTH] = is_columns ? "ROWS" : "LEN",
        [ARG_DEPTH_STRIDE] = "PITCH", [ARG_INNER] = "LEN",
    };
    const struct space *space = names->export->source.space;
    const struct pass *pass = &space->passes[step->pass];
    const char *between = "";
    text_addf(out,
              "    {%zu, %zu, %" PRId64 ", %" PRId64 ", %" PRId64 ", %d, %d, %" PRId64
              ", %zu, {",
              step->pass, step->kernel, step->block, step->cluster, step->shared_bytes,
              pass->is_cooperative, pass->until_one, step->tile, pass->arg_count);
    for (size_t i = 0; i < pass->arg_count; i++) {
        text_adds(out, i ? ", " : "");
        export_add_form(out, names->export, "@_");
        text_adds(out, args[pass->args[i]]);
    }
    text_adds(out, has_members(names) ? "}, {" : "}");
    for (size_t slot = 0; slot < space->name_count; slot++)
        if (names->kinds[slot] == MEMBER) {
            text_addf(out, "%s%" PRId64, between, step->values[slot]);
            between = ", ";
        }
    text_adds(out, has_members(names) ? "}},\n" : "},\n");
}

static void add_tables(struct text *out, const struct names *names)
{
    const struct export *export = names->export;
    export_add_form(out, export,
                    "/* The last is the default, tuned for nothing. */\n"
                    "static const struct $_row $_rows[] = {\n");
    for (size_t i = 0; i < export->row_count; i++)
        add_row(out, export, &export->rows[i]);
    export_add_form(out, export, "};\n\nstatic const struct $_gpu $_gpus[] = {\n");
    for (size_t i = 0; i < export->gpu_count; i++) {
        const struct export_gpu *gpu = &export->gpus[i];
        text_adds(out, "    {");
        text_add_json(out, gpu->name);
        text_addf(out, ", %d, %d, %zu, %zu},\n", gpu->cc, gpu->sms, gpu->first, gpu->count);
    }
    export_add_form(out, export, "};\n\nstatic const struct $_step $_steps[] = {\n");
    for (size_t i = 0; i < export->step_count; i++)
        add_step(out, names, &export->steps[i]);
    text_adds(out, "};\n\n");
    export_add_form(out, export, "enum { ");
    export_add_form(out, export, "@_GPUS = ");
    text_addf(out, "%zu, ", export->gpu_count);
    export_add_form(out, export, "@_DEFAULT_ROW = ");
    text_addf(out, "%zu, ", export->row_count - 1);
    export_add_form(out, export, "@_LAUNCHES = ");
    text_addf(out, "%d, ", EXPORT_LAUNCHES_MAX);
    export_add_form(out, export, "@_PARTIAL_BYTES = ");
    text_addf(out, "%d };\n\n", problem_partial_bytes(&export->source.problem));
    export_add_form(out, export, "static const uint64_t $_n_max = ");
    text_addf(out, "UINT64_C(%" PRIu64 "); /* no integer below overflows up to here */\n",
              export->n_max);
}

/* --- The geometry ------------------------------------------------------------------------- */

static int add_assignment(struct text *out, const struct names *names, const char *variable,
                          const struct expr *expr, struct error *error)
{
    if (!expr)
        return 0;
    text_addf(out, "        %s = ", variable);
    if (expr_c_print(out, expr, names->all, names->export->source.prefix, error))
        return -1;
    text_adds(out, ";\n");
    return 0;
}

static bool is_launched(const struct export *export, size_t pass)
{
    for (size_t i = 0; i < export->step_count; i++)
        if (export->steps[i].pass == pass)
            return true;
    return false;
}

static int add_passes(struct text *out, const struct names *names, struct error *error)
{
    const struct space *space = names->export->source.space;
    text_adds(out, "    switch (step->pass) {\n");
    for (size_t p = 0; p < space->pass_count; p++) {
        const struct pass *pass = &space->passes[p];
        if (!is_launched(names->export, p))
            continue;
        text_addf(out, "    case %zu: /* %s */\n", p, pass->name);
        if (add_assignment(out, names, "grid", pass->keys[PASS_GRID], error) ||
            add_assignment(out, names, "outputs", pass->keys[PASS_OUTPUTS], error) ||
            add_assignment(out, names, "partials", pass->keys[PASS_PARTIALS], error) ||
            add_assignment(out, names, "state", pass->keys[PASS_STATE], error) ||
            add_assignment(out, names, "parts", pass->keys[PASS_PARTS], error))
            return -1;
        text_adds(out, "        break;\n");
    }
    text_adds(out, "    default:\n        break;\n    }\n");
    return 0;
}

/* Puts before the code the derived values that it mentions once what is known is folded. They
 * stand in an order in which each needs only those before it. */
static int add_variables(struct text *code, const struct names *names, struct error *error)
{
    const struct space *space = names->export->source.space;
    int failed = text_check(code, error);
    for (size_t i = space->derived_count; !failed && i-- > 0;) {
        const struct derived *derived = &space->derived[i];
        const char *name = names->texts[derived->slot].at;
        struct text longer = {0};
        bool is_mentioned = false;
        if (names->kinds[derived->slot] == VARIABLE)
            words_find(code->at, &name, 1, &is_mentioned);
        if (!is_mentioned)
            continue;
        text_addf(&longer, "    const int64_t %s = ", name);
        failed = expr_c_print(&longer, derived->expr, names->all,
                              names->export->source.prefix, error);
        text_addf(&longer, ";\n%s", code->at);
        text_dispose(code);
        *code = longer;
        failed = failed || text_check(code, error);
    }
    return failed;
}

/* --- The whole ---------------------------------------------------------------------------- */

enum { MATCH, PARAMS, ROW, GIVEN, TABLES, CHOICE, INSERTS };

/* The selector and the plan of launches. */
static int add_choice(struct text *out, const struct names *names, struct error *error)
{
    const struct export *export = names->export;
    struct text helpers = {0}, rules = {0}, shape = {0}, code = {0};
    const struct export_insert inserts[] = {
        {"helpers", &helpers}, {"rules", &rules}, {"shape", &shape}};
    int failed = (export_is_matrix(export) && export_add_rules(&rules, export, error)) ||
                 add_passes(&shape, names, error) || add_variables(&shape, names, error) ||
                 text_check(&shape, error);
    if (!failed) {
        text_addf(&code, "%s%s", rules.at ? rules.at : "", shape.at);
        expr_c_helpers(&helpers, code.at ? code.at : "", export->source.prefix);
        failed =
            text_check(&code, error) || text_check(&helpers, error) ||
            export_fill(out, export,
                        export_either(export, "exported_choice.h", "exported_choice_matrix.h"),
                        inserts, 3, error);
    }
    text_dispose(&helpers);
    text_dispose(&rules);
    text_dispose(&shape);
    text_dispose(&code);
    return failed ? -1 : 0;
}

static int fill(struct text texts[INSERTS], const struct names *names, struct error *error)
{
    const struct export *export = names->export;
    const char *match = export_either(export, "exported_match.h", "exported_match_matrix.h");
    const char *row = export_either(export, "exported_row.h", "exported_row_matrix.h");
    if (export_fill(&texts[MATCH], export, match, NULL, 0, error) ||
        export_fill(&texts[ROW], export, row, NULL, 0, error) ||
        add_choice(&texts[CHOICE], names, error))
        return -1;
    add_params(&texts[PARAMS], export);
    add_members(&texts[GIVEN], names);
    add_tables(&texts[TABLES], names);
    for (size_t i = 0; i < INSERTS; i++)
        if (text_check(&texts[i], error))
            return -1;
    return 0;
}

int export_add_table(struct text *out, const struct export *export, struct error *error)
{
    static const char *const inserts[INSERTS] = {"match", "params", "row",
                                                 "given", "tables", "choice"};
    struct names *names = calloc(1, sizeof *names);
    struct text texts[INSERTS] = {{0}};
    struct export_insert all[INSERTS];
    int failed = 0;
    if (!names)
        return error_memory(error, sizeof *names);
    names->export = export;
    find_names(names);
    for (size_t i = 0; i < INSERTS; i++)
        all[i] = (struct export_insert){inserts[i], &texts[i]};
    for (size_t slot = 0; !failed && slot < SPACE_NAMES_MAX; slot++)
        failed = text_check(&names->texts[slot], error);
    failed = failed || fill(texts, names, error) ||
             export_fill(out, export, "exported_table.h", all, INSERTS, error);
    for (size_t i = 0; i < INSERTS; i++)
        text_dispose(&texts[i]);
    for (size_t slot = 0; slot < SPACE_NAMES_MAX; slot++)
        text_dispose(&names->texts[slot]);
    free(names);
    return failed ? -1 : 0;
}
