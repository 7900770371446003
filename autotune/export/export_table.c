/* export_table: writes tables and functions of C99 and C++17 that find the row for a device and
 * n, and its launches. Names of the space that are known for each step become members of a
 * table, those that depend on n or on the SMs variables, the others plain numbers. */
#include "autotune/export/export_text.h"

#include "autotune/export/expr_c.h"
#include "generator/dims_text.h"
#include "generator/operation_param.h"
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

static const char variables[] =
    " context depth depth_stride dims held here inner inner_stride keys n "
    "outer outer_stride parts pass row sms step ";

/* A name of the space in lower case, with '_' after names that C, C++ or, for a variable, the
 * code here uses. */
static void add_small(struct text *out, const char *name, bool is_variable)
{
    char word[80];
    size_t length = 0;
    for (; *name && length < sizeof word - 1; name++)
        word[length++] = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
    word[length] = 0;
    text_add(out, word, length);
    if (export_is_reserved(word) || (is_variable && words_has(variables, word)))
        text_adds(out, "_");
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

/* The expression of each name that a launch's numbers need. */
static void find_names(struct names *names)
{
    const struct export *export = names->export;
    const struct space *space = export->source.space;
    for (size_t i = 0; i < export->step_count; i++)
        for (size_t k = 0; k < PLANNER_NEEDED; k++)
            use_expr(names, space->passes[export->steps[i].pass].keys[k]);
    if (space->parts)
        use_slot(names, space->parts);
    for (size_t slot = 0; slot < space->name_count; slot++) {
        struct text *text = &names->texts[slot];
        const char *builtin = slot == space->parts && slot ? "parts" : export_builtin(slot);
        text_adds(text, names->kinds[slot] == MEMBER ? "step->given." : "");
        if (builtin)
            text_adds(text, builtin);
        else
            add_small(text, space->names[slot], names->kinds[slot] == VARIABLE);
        names->all[slot] = (struct expr_c_name){text->at, names->kinds[slot] == NUMBER,
                                                export->steps[0].values[slot]};
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
    text_adds(out, "/* What neither dims nor the device change. */\nstruct prefix_given {\n");
    for (size_t slot = 0; slot < space->name_count; slot++)
        if (names->kinds[slot] == MEMBER) {
            text_adds(out, "    int64_t ");
            add_small(out, space->names[slot], false);
            text_adds(out, ";\n");
        }
    text_adds(out, "};\n\n");
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
    text_adds(out, "/* What was tuned; of a param with named values its number. */\n"
                   "struct prefix_params {\n");
    for (size_t i = 0; i < space->param_count; i++) {
        text_adds(out, "    int64_t ");
        add_small(out, space->params[i].name, false);
        text_adds(out, "; /* ");
        export_add_words(out, space->params[i].meaning ? space->params[i].meaning : "");
        add_symbols(out, &space->params[i]);
        text_adds(out, " */\n");
    }
    text_adds(out, "};\n\n");
}

static void add_count(struct text *out, uint64_t count)
{
    text_addf(out, count > INT32_MAX ? "UINT64_C(%" PRIu64 ")" : "%" PRIu64, count);
}

/* "{7, 1}, {5, 7}" */
static void add_axes(struct text *out, const struct dim *axes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_adds(out, i ? ", {" : "{");
        add_count(out, axes[i].n);
        text_adds(out, ", ");
        add_count(out, axes[i].stride);
        text_adds(out, "}");
    }
}

static void add_dims(struct text *out, const struct dims *dims)
{
    text_adds(out, "{");
    add_axes(out, &dims->outer, 1);
    text_adds(out, ", ");
    add_axes(out, &dims->depth, 1);
    text_adds(out, ", ");
    add_axes(out, &dims->inner, 1);
    text_addf(out, ", DIMS_%s, ", dims_text_scan_symbols[dims->scan]);
    if (dims_has_spans(dims) || dims_has_slices(dims)) {
        text_adds(out, "{");
        add_axes(out, dims->spans, DIMS_SPANS);
        text_adds(out, "}, {");
        add_axes(out, dims->slices, DIMS_SLICES);
        text_adds(out, "}");
    } else {
        text_adds(out, "DIMS_WHOLE");
    }
    text_adds(out, "}, ");
}

static void add_prefix_row(struct text *out, const struct export *export,
                           const struct export_row *row)
{
    const struct space *space = export->source.space;
    text_addf(out, "    {%zu, %zu, ", row->first_tuned, row->tuned_count);
    add_count(out, row->last);
    text_addf(out, ", %zu, %zu,\n     \"", row->first_step, row->step_count);
    point_format(out, space, row->values, true);
    text_adds(out, "\",\n     {");
    for (size_t i = 0; i < space->param_count; i++)
        text_addf(out, "%s%" PRId64, i ? ", " : "", row->values[i]);
    text_adds(out, "}},\n");
}

/* What the records of the rows, in their order, were tuned for. */
static void add_tuned(struct text *out, const struct export *export)
{
    text_adds(out, "static const struct selector_entry prefix_tuned[] = {\n");
    for (size_t gpu = 0; gpu < export->gpu_count; gpu++) {
        const struct export_row *first = &export->rows[export->gpus[gpu].first];
        const struct export_row *last = first + export->gpus[gpu].count - 1;
        for (size_t i = first->first_tuned; i < last->first_tuned + last->tuned_count; i++) {
            const struct interval *at = export->tuned[i];
            text_adds(out, "    {{");
            add_dims(out, &at->record.problem.dims);
            text_addf(out, "%d, %d, %d, %zu}, ", (int)export->source.problem.regime,
                      at->record.cc, at->record.sms, gpu);
            add_count(out, at->from);
            text_adds(out, ", ");
            add_count(out, at->to);
            text_adds(out, ", 0, 0, 0},\n");
        }
    }
    text_adds(out, "};\n\n");
}

static void add_step(struct text *out, const struct names *names,
                     const struct export_step *step)
{
    const struct space *space = names->export->source.space;
    const struct pass *pass = &space->passes[step->pass];
    const char *between = "";
    text_addf(out,
              "    {%zu, %zu, %d, %" PRId64 ", %" PRId64 ", %" PRId64 ", %d, %d, %" PRId64
              ", %zu, {",
              step->pass, step->kernel,
              export_kernel_needs(&names->export->kernels[step->kernel]), step->block,
              step->cluster, step->shared_bytes, pass->is_cooperative, pass->until_one,
              step->tile, pass->arg_count);
    for (size_t i = 0; i < pass->arg_count; i++) {
        text_adds(out, i ? ", PLANNER_ARG_" : "PLANNER_ARG_");
        export_add_capitals(out, space_pass_args[pass->args[i]]);
    }
    text_adds(out, has_members(names) ? "}, {" : "}");
    for (size_t slot = 0; slot < space->name_count; slot++)
        if (names->kinds[slot] == MEMBER) {
            text_addf(out, "%s%" PRId64, between, step->values[slot]);
            between = ", ";
        }
    text_adds(out, has_members(names) ? "}},\n" : "},\n");
}

/* What kernels take behind the arguments of a step. */
static void add_op_params(struct text *out, const struct problem *problem)
{
    const size_t count = operation_param_count(problem->op);
    if (count == 0)
        return;
    text_addf(
        out,
        "/* The operation's own params, which a call gives: each an argument of its type, "
        "of every kernel,\n * behind those of its step. */\n"
        "enum { PREFIX_OP_PARAMS = %zu };\n\n"
        "static const char *const prefix_op_params_of[][2] = { /* name and type */\n",
        count);
    for (size_t k = 0; k < count; k++)
        text_addf(out, "    {\"%s\", \"%s\"},\n", operation_param_name(problem->op, k),
                  problem_types[problem_param_type(problem, k)].name);
    text_adds(out, "};\n\n");
}

static void add_tables(struct text *out, const struct names *names)
{
    const struct export *export = names->export;
    add_tuned(out, export);
    text_adds(out, "/* The last is the default, tuned for nothing. */\n"
                   "static const struct prefix_row prefix_rows[] = {\n");
    for (size_t i = 0; i < export->row_count; i++)
        add_prefix_row(out, export, &export->rows[i]);
    text_adds(out, "};\n\n");
    text_adds(out, "static const struct prefix_gpu prefix_gpus[] = {\n");
    for (size_t i = 0; i < export->gpu_count; i++) {
        const struct export_gpu *gpu = &export->gpus[i];
        text_adds(out, "    {");
        text_add_json(out, gpu->name);
        text_addf(out, ", %d, %d, %d, %d, %zu, %zu},\n", gpu->cc, gpu->sms,
                  gpu->memory_clock_khz, gpu->bus_bits, gpu->first, gpu->count);
    }
    text_adds(out, "};\n\nstatic const struct prefix_step prefix_steps[] = {\n");
    for (size_t i = 0; i < export->step_count; i++)
        add_step(out, names, &export->steps[i]);
    text_addf(
        out,
        "};\n\nenum { PREFIX_GPUS = %zu, PREFIX_DEFAULT_ROW = %zu, PREFIX_PARTIAL_BYTES = "
        "%d, PREFIX_REGIME = %d };\n\nstatic const uint64_t prefix_n_max = UINT64_C(%" PRIu64
        "); /* no integer below overflows up to here */\n\n",
        export->gpu_count, export->row_count - 1,
        problem_partial_bytes(&export->source.problem), (int)export->source.problem.regime,
        export->n_max);
    add_op_params(out, &export->source.problem);
}

/* --- The numbers of a launch -------------------------------------------------------------- */

static int add_keys(struct text *out, const struct names *names, const struct pass *pass,
                    struct error *error)
{
    for (size_t k = 0; k < PLANNER_NEEDED; k++) {
        text_adds(out, "        keys[PLANNER_");
        export_add_capitals(out, space_pass_keys[k].name);
        text_adds(out, "] = ");
        if (!pass->keys[k])
            text_addf(out, "%" PRId64, space_pass_keys[k].missing);
        else if (expr_c_print(out, pass->keys[k], names->all, "prefix", error))
            return -1;
        text_adds(out, ";\n");
    }
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
    text_adds(out, "    *held = ");
    if (space->parts == 0)
        text_adds(out, "1");
    else if (names->kinds[space->parts] == NUMBER)
        text_addf(out, "%" PRId64, names->all[space->parts].value);
    else
        text_adds(out, names->texts[space->parts].at);
    text_adds(out, ";\n    switch (step->pass) {\n");
    for (size_t p = 0; p < space->pass_count; p++) {
        if (!is_launched(names->export, p))
            continue;
        text_addf(out, "    case %zu: /* %s */\n", p, space->passes[p].name);
        if (add_keys(out, names, &space->passes[p], error))
            return -1;
        text_adds(out, "        break;\n");
    }
    text_adds(out, "    default:\n        return -1;\n    }\n    return 0;\n}\n");
    return 0;
}

/* Puts before the code the derived values that it uses once known values are folded. They are
 * in an order in which each needs only those before it. Decided parts stay. */
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
        text_addf(&longer, "    const int64_t %s = %s", name,
                  derived->slot == space->parts ? "*held > 0 ? *held : " : "");
        failed = expr_c_print(&longer, derived->expr, names->all, "prefix", error);
        text_addf(&longer, ";\n%s", code->at);
        text_dispose(code);
        *code = longer;
        failed = failed || text_check(code, error);
    }
    return failed;
}

/* prefix_eval: what planner.h asks for. */
static int add_eval(struct text *out, const struct names *names, struct error *error)
{
    struct text code = {0};
    int failed = add_passes(&code, names, error) || add_variables(&code, names, error);
    if (!failed) {
        text_adds(
            out,
            "/* The numbers of a launch of one of `context`'s steps. */\n"
            "static inline int prefix_eval(void *context, int pass, const struct dims *dims, "
            "int64_t *held,\n    int64_t keys[PLANNER_KEYS])\n{\n"
            "    const struct prefix_here *const here = (const struct prefix_here *)context;\n"
            "    const struct prefix_step *const step = here->steps + pass;\n"
            "    const int64_t sms = here->sms;\n");
        export_add_builtins(out, code.at);
        text_addf(out, "    (void)dims;\n    (void)sms;\n%s\n", code.at);
    }
    text_dispose(&code);
    return failed ? -1 : 0;
}

/* --- The whole ---------------------------------------------------------------------------- */

/* Prints the part for these records, between the parts that all exports have. */
static int add_printed(struct text *out, const struct names *names, struct error *error)
{
    const struct export *export = names->export;
    struct text code = {0}, helpers = {0};
    add_tables(out, names);
    int failed = add_eval(&code, names, error) || export_add_rules(&code, export, error) ||
                 text_check(&code, error);
    if (!failed) {
        expr_c_helpers(&helpers, code.at, "prefix");
        text_addf(out, "%s%s", helpers.at ? helpers.at : "", code.at);
        failed = text_check(&helpers, error);
    }
    text_dispose(&code);
    text_dispose(&helpers);
    return failed ? -1 : 0;
}

static int add_all(struct text *out, const struct names *names, struct error *error)
{
    static const char *const carried[] = {"generator/dims.h", "generator/planner.h",
                                          "generator/selector.h",
                                          "templates/export/exported_match.h"};
    const struct export *export = names->export;
    struct text code = {0};
    for (size_t i = 0; i < sizeof carried / sizeof *carried; i++) {
        if (export_add_file_part(out, export, carried[i], EXPORT_TABLE, error))
            return -1;
        text_adds(out, "\n");
    }
    add_params(&code, export);
    add_members(&code, names);
    export_take_code(out, export, &code);
    if (export_add_file_part(out, export, "templates/export/exported_table.h", EXPORT_TABLE,
                             error))
        return -1;
    const int failed = add_printed(&code, names, error);
    export_take_code(out, export, &code);
    if (failed || export_add_file_part(out, export, "templates/export/exported_choice.h",
                                       EXPORT_TABLE, error))
        return -1;
    text_adds(out, "\n");
    return export_add_sizes(out, export, EXPORT_TABLE, error);
}

int export_add_table(struct text *out, const struct export *export, struct error *error)
{
    struct names *names = calloc(1, sizeof *names);
    struct export own = *export;
    int failed = 0;
    if (!names)
        return error_memory(error, sizeof *names);
    names->export = &own;
    find_names(names);
    own.has_given = has_members(names);
    for (size_t slot = 0; !failed && slot < SPACE_NAMES_MAX; slot++)
        failed = text_check(&names->texts[slot], error);
    failed = failed || add_all(out, names, error);
    for (size_t slot = 0; slot < SPACE_NAMES_MAX; slot++)
        text_dispose(&names->texts[slot]);
    free(names);
    return failed ? -1 : 0;
}
