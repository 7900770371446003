/* export_json: writes PREFIX.json, which describes all that an export has for programs of any
 * language: rows, what each launches, with sizes as expressions of n and the device, and the files
 * with the kernels. docs/export.md defines it. */
#include "autotune/export/export_text.h"

#include "generator/dims_text.h"
#include "generator/json.h"
#include "generator/operation_param.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCHEMA = 1
}; /* of the description: another number where a reader of this one would be wrong */

static void add_params(struct json *json, const struct export *export,
                       const struct export_row *row)
{
    const struct space *space = export->source.space;
    json_open(json, "params", '{');
    for (size_t i = 0; i < space->param_count; i++) {
        struct text value = {0};
        point_format_value(&value, &space->params[i], row->values[i]);
        (space->params[i].symbols ? json_string : json_number)(json, space->params[i].name,
                                                               value.at ? value.at : "");
        json->out->failed |= value.failed;
        text_dispose(&value);
    }
    json_close(json, '}');
}

/* --- Expressions -------------------------------------------------------------------------- */

/* What a row's launches are described with. */
struct describing {
    struct json *json;
    const struct export *export;
    struct export_names *names;
    struct error *error;
    bool failed;
};

static void add_text(struct describing *it, const char *key, struct text *text)
{
    json_string(it->json, key, text->at ? text->at : "");
    it->json->out->failed |= text->failed;
    text_dispose(text);
}

/* The expression of a pass's key. */
static void print_key(struct text *out, struct describing *it, const struct pass *pass,
                      enum planner_key key)
{
    if (!pass->keys[key])
        text_addf(out, "%" PRId64, space_pass_keys[key].missing);
    else if (expr_c_print(out, pass->keys[key], it->names->all, NULL, it->error))
        it->failed = true;
}

/* "(a + b) * 4", or the number. */
static void add_product(struct text *out, const struct text *factor, int by)
{
    int64_t value;
    if (!factor->at || by == 1)
        text_adds(out, factor->at ? factor->at : "0");
    else if (export_is_number(factor->at, &value))
        text_addf(out, "%" PRId64, value * by);
    else
        text_addf(out, export_is_closed(factor->at) ? "%s * %d" : "(%s) * %d", factor->at, by);
}

/* Bytes of so many partial results in the scratch memory. */
static void add_scratch(struct text *out, struct describing *it, const struct text *count)
{
    struct text bytes = {0};
    int64_t value;
    add_product(&bytes, count, problem_partial_bytes(&it->export->source.problem));
    if (bytes.at && export_is_number(bytes.at, &value))
        text_addf(out, "%" PRId64,
                  (value + PLANNER_ALIGNMENT - 1) / PLANNER_ALIGNMENT * PLANNER_ALIGNMENT);
    else
        text_addf(out, "ceil_div(%s, %d) * %d", bytes.at ? bytes.at : "", PLANNER_ALIGNMENT,
                  PLANNER_ALIGNMENT);
    out->failed |= bytes.failed;
    text_dispose(&bytes);
}

/* Outputs lie in the scratch memory, too, unless they are the results. */
static void add_output_bytes(struct describing *it, const char *outputs)
{
    const char *results = dims_text_results(&it->export->source.problem.dims);
    const struct text name = {.at = "outputs"};
    struct text bytes = {0};
    if (strcmp(outputs, results) == 0 || strcmp(outputs, "0") == 0 ||
        strcmp(outputs, "1") == 0) {
        text_adds(&bytes, "0");
    } else {
        text_addf(&bytes, "outputs > %s ? ", results);
        add_scratch(&bytes, it, &name);
        text_adds(&bytes, " : 0");
    }
    add_text(it, "output_bytes", &bytes);
}

/* Says "blocks" for what is as many. */
static void shorten(struct text *count, const struct text *grid)
{
    int64_t value;
    if (count->at && grid->at && strcmp(count->at, grid->at) == 0 &&
        !export_is_number(count->at, &value)) {
        text_clear(count);
        text_adds(count, "blocks");
    }
}

/* --- Launches ----------------------------------------------------------------------------- */

static const struct {
    const char *name, *type, *meaning;
} roles[PLANNER_ARGS] = {
    [PLANNER_ARG_INPUT] = {"input", "pointer", "what the launch reads"},
    [PLANNER_ARG_N] = {"n", "u64", "elements that the launch reads"},
    [PLANNER_ARG_OUTPUT] = {"output", "pointer", "what it writes, `outputs` values"},
    [PLANNER_ARG_PARTIALS] = {"partials", "pointer",
                              "partials_bytes of scratch memory; behind a launch of no outputs "
                              "that has some, the same"},
    [PLANNER_ARG_STATE] = {"state", "pointer", "state_bytes of the state memory"},
    [PLANNER_ARG_OUTER] = {"outer", "u64", "as in expressions"},
    [PLANNER_ARG_OUTER_STRIDE] = {"outer_stride", "u64", "as in expressions"},
    [PLANNER_ARG_DEPTH] = {"depth", "u64", "as in expressions"},
    [PLANNER_ARG_DEPTH_STRIDE] = {"depth_stride", "u64", "as in expressions"},
    [PLANNER_ARG_INNER] = {"inner", "u64", "as in expressions"},
    [PLANNER_ARG_INNER_STRIDE] = {"inner_stride", "u64", "as in expressions"},
    [PLANNER_ARG_SPAN] = {"span", "u64", "as in expressions"},
    [PLANNER_ARG_SPAN_STRIDE] = {"span_stride", "u64", "as in expressions"},
    [PLANNER_ARG_PARTS] = {"parts", "u64", "as in expressions"},
    [PLANNER_ARG_OFFSETS] = {"offsets", "pointer",
                             "where each segment begins and, one more, where the last ends"},
};

static const struct {
    const char *name, *meaning;
} names_of_expressions[] = {
    {"n", "elements that the launch reads: outer * depth * inner"},
    {"outer", "kept indices outside of what is combined; 1 where there is one result"},
    {"outer_stride", "elements from one of them to the next"},
    {"depth", "elements combined to one result"},
    {"depth_stride", "elements from one of them to the next"},
    {"inner", "kept indices inside of what is combined; 1 where there is one result"},
    {"inner_stride", "elements from one of them to the next"},
    {"span", "depth: what is combined lies in one span"},
    {"span_stride", "0"},
    {"parts", "what `parts` of the pass gave when the call launched it first"},
    {"blocks", "what `grid` of the launch gives"},
    {"outputs", "what `outputs` of the launch gives"},
    {"sms", "multiprocessors of the device"},
};

/* The operation's own params are the last arguments of every kernel. */
static void add_op_params(struct json *json, const struct problem *problem)
{
    for (size_t k = 0; k < operation_param_count(problem->op); k++) {
        json_open(json, NULL, '{');
        json_string(json, "role", "param");
        json_string(json, "type", problem_types[problem_param_type(problem, k)].name);
        json_string(json, "name", operation_param_name(problem->op, k));
        json_close(json, '}');
    }
}

static void add_args(struct json *json, const struct pass *pass, const struct problem *problem)
{
    json_open(json, "args", '[');
    for (size_t i = 0; i < pass->arg_count; i++) {
        json_open(json, NULL, '{');
        json_string(json, "role", roles[pass->args[i]].name);
        json_string(json, "type", roles[pass->args[i]].type);
        json_close(json, '}');
    }
    add_op_params(json, problem);
    json_close(json, ']');
}

/* What a kernel must be granted before it is launched, in the driver's names. */
static void add_attributes(struct json *json, const struct export_step *step)
{
    json_open(json, "attributes", '[');
    for (int i = 0; i < 2; i++) {
        const int64_t value = i ? step->cluster > 8 : step->shared_bytes;
        if (!value)
            continue;
        json_open(json, NULL, '{');
        json_string(json, "name",
                    i ? "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED"
                      : "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES");
        json_signed(json, "value", value);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_parts(struct describing *it, const struct export_step *step)
{
    const struct export *export = it->export;
    const size_t parts = export->source.space->parts;
    struct text text = {0};
    it->failed |= export_name_all(it->names, export, step->values, NULL, false, it->error) != 0;
    if (!parts)
        text_adds(&text, "1");
    else if (it->names->all[parts].is_known)
        text_addf(&text, "%" PRId64, it->names->all[parts].value);
    else
        text_adds(&text, it->names->all[parts].text);
    add_text(it, "parts", &text);
    it->failed |= export_name_all(it->names, export, step->values, NULL,
                                  export->is_runtime[parts] && parts, it->error) != 0;
}

/* The sizes of a launch, as expressions. */
static void add_sizes(struct describing *it, const struct export_step *step)
{
    const struct pass *pass = &it->export->source.space->passes[step->pass];
    struct text grid = {0}, outputs = {0}, partials = {0}, partials_bytes = {0}, state = {0},
                state_bytes = {0};
    add_parts(it, step);
    if (it->failed)
        return;
    print_key(&grid, it, pass, PLANNER_GRID);
    print_key(&outputs, it, pass, PLANNER_OUTPUTS);
    print_key(&partials, it, pass, PLANNER_PARTIALS);
    print_key(&state, it, pass, PLANNER_STATE);
    shorten(&outputs, &grid);
    shorten(&partials, &grid);
    add_scratch(&partials_bytes, it, &partials);
    add_product(&state_bytes, &state, 8);
    add_text(it, "grid", &grid);
    json_string(it->json, "outputs", outputs.at ? outputs.at : "");
    add_output_bytes(it, outputs.at ? outputs.at : "");
    add_text(it, "partials_bytes", &partials_bytes);
    add_text(it, "state_bytes", &state_bytes);
    text_dispose(&outputs);
    text_dispose(&partials);
    text_dispose(&state);
}

static void add_pass(struct describing *it, const struct export_step *step)
{
    struct json *json = it->json;
    const struct pass *pass = &it->export->source.space->passes[step->pass];
    json_line(json, "\n         ");
    json_open(json, NULL, '{');
    json_string(json, "pass", pass->name);
    json_count(json, "kernel", step->kernel);
    json_string(json, "symbol", it->export->kernels[step->kernel].symbol);
    json_string(json, "repeat", pass->until_one ? "until one" : "once");
    json_string(json, "reads", pass->reads_partials ? "partials" : "elements");
    json_signed(json, "block", step->block);
    json_signed(json, "tile", step->tile);
    json_signed(json, "cluster", step->cluster);
    json_bool(json, "cooperative", pass->is_cooperative);
    json_signed(json, "shared_bytes", step->shared_bytes);
    add_attributes(json, step);
    add_sizes(it, step);
    json_string(json, "state_after", pass->leaves_epoch ? "ready for the next call" : "zero");
    add_args(json, pass, &it->export->source.problem);
    json_close(json, '}');
}

static void add_passes(struct describing *it, const struct export_row *row)
{
    json_open(it->json, "passes", '[');
    for (size_t i = 0; !it->failed && i < row->step_count; i++)
        add_pass(it, &it->export->steps[row->first_step + i]);
    json_close(it->json, ']');
}

/* What the row's kernels are meant for; the default takes all. */
static void add_conditions(struct describing *it, const struct export_row *row)
{
    const struct space *space = it->export->source.space;
    if (export_name_row(it->names, it->export, row, NULL, it->error)) {
        it->failed = true;
        return;
    }
    json_open(it->json, "conditions", '[');
    for (size_t i = 0; row->record && !it->failed && i < space->rule_count; i++) {
        struct text condition = {0};
        it->failed =
            export_add_condition(&condition, &space->rules[i], it->names, NULL, it->error) != 0;
        if (condition.length) {
            json_open(it->json, NULL, '{');
            json_string(it->json, "holds", condition.at);
            json_string(it->json, "reason", space->rules[i].reason);
            json_close(it->json, '}');
        }
        text_dispose(&condition);
    }
    json_close(it->json, ']');
}

/* --- Rows --------------------------------------------------------------------------------- */

static void add_record(struct json *json, const struct export_row *row)
{
    const struct record *record = row->record;
    char number[NUMBER_CHARS], code[17];
    for (size_t i = 1; i < DIMS_TEXT_CELLS && dims_text_cell(number, &record->problem.dims, i);
         i++)
        json_number(json, dims_text_keys[i], number);
    json_count(json, "n", dims_n(&record->problem.dims));
    if (record->median_ps) /* else it is of a problem that costs the same */
        json_count(json, "median_ps", record->median_ps);
    if (record_has_run(record)) {
        json_count(json, "low_ps", record->low_ps);
        json_count(json, "high_ps", record->high_ps);
        json_count(json, "ties", record->ties);
        json_count(json, "registers", record->registers);
        json_string(json, "tuned", record->tuned);
        if (*record->proof)
            json_string(json, "proof", record->proof);
    }
    json_string(json, "driver", record->driver);
    json_string(json, "compiler", record->compiler);
    snprintf(code, sizeof code, "%016" PRIx64, record->code);
    json_string(json, "code", code);
    json_line(json, "\n       ");
    if (row->from < row->to) {
        json_count(json, "n_from", row->from);
        json_count(json, "n_to", row->to);
    }
}

/* The sizes that were tuned, where they are several. */
static void add_tuned_sizes(struct json *json, const struct export *export,
                            const struct export_row *row)
{
    const struct interval *size = export_next_size(export, row, NULL);
    if (!size || !export_next_size(export, row, size))
        return;
    json_open(json, "sizes", '[');
    for (; size; size = export_next_size(export, row, size)) {
        json_open(json, NULL, '{');
        json_count(json, "n", dims_n(&size->record.problem.dims));
        if (size->record.median_ps)
            json_count(json, "median_ps", size->record.median_ps);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void describe_row(struct describing *it, const char *key, const struct export_row *row)
{
    struct json *json = it->json;
    json_open(json, key, '{');
    if (row->record)
        add_record(json, row);
    if (row->record && row->first <= row->last) {
        json_count(json, "serves_from", row->first);
        if (row->last != UINT64_MAX)
            json_count(json, "serves_up_to", row->last);
    }
    add_tuned_sizes(json, it->export, row);
    add_params(json, it->export, row);
    json_line(json, "\n       ");
    add_conditions(it, row);
    json_line(json, "\n       ");
    add_passes(it, row);
    json_close(json, '}');
}

static void add_gpus(struct describing *it)
{
    struct json *json = it->json;
    const struct export *export = it->export;
    json_open(json, "gpus", '[');
    for (size_t i = 0; i < export->gpu_count; i++) {
        const struct export_gpu *gpu = &export->gpus[i];
        json_line(json, "\n    ");
        json_open(json, NULL, '{');
        json_string(json, "name", gpu->name);
        json_signed(json, "cc", gpu->cc);
        json_signed(json, "sms", gpu->sms);
        if (gpu->memory_clock_khz && gpu->bus_bits) {
            json_signed(json, "memory_clock_khz", gpu->memory_clock_khz);
            json_signed(json, "bus_bits", gpu->bus_bits);
        }
        json_open(json, "rows", '[');
        for (size_t r = 0; r < gpu->count; r++) {
            json_line(json, "\n      ");
            describe_row(it, NULL, &export->rows[gpu->first + r]);
        }
        json_close(json, ']');
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* --- What all rows have in common --------------------------------------------------------- */

static void add_problem(struct json *json, const struct problem *problem)
{
    const enum type result = problem_result(problem);
    json_open(json, "problem", '{');
    json_string(json, "op", problem->op->name);
    json_string(json, "type", problem_types[problem->type].name);
    json_string(json, "acc", problem_types[problem->acc].name);
    json_string(json, "result", problem_types[result].name);
    json_string(json, "regime", problem_regimes[problem->regime]);
    json_string(json, "order", problem_orders[problem->order].name);
    if (*dims_text_each(&problem->dims))
        json_string(json, "shape", dims_text_each(&problem->dims));
    json_string(json, "scan", dims_text_scans[problem->dims.scan]);
    json_count(json, "element_bytes", (uint64_t)problem_types[problem->type].bytes);
    json_count(json, "partial_bytes", (uint64_t)problem_partial_bytes(problem));
    json_count(json, "result_bytes", (uint64_t)problem_types[result].bytes);
    json_close(json, '}');
}

/* Is the image a file, or only in C? */
static bool is_file(const struct export *export, const struct export_image *image)
{
    return export_has_format(export, image->kind == EXPORT_PTX ? &export_ptx : &export_cubin);
}

static void add_files(struct json *json, const struct export *export)
{
    char name[EXPORT_PREFIX_CHARS + 24];
    json_open(json, "files", '[');
    for (size_t i = 0; i < export->image_count; i++) {
        const struct export_image *image = &export->images[i];
        if (!is_file(export, image))
            continue;
        export_image_name(name, export, image);
        json_line(json, "\n    ");
        json_open(json, NULL, '{');
        json_string(json, "file", name);
        json_string(json, "kind", image->kind == EXPORT_PTX ? "ptx" : "cubin");
        json_signed(json, "cc", image->cc);
        json_string(json, "compiler", image->compiler);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void add_kernels(struct json *json, const struct export *export)
{
    char name[EXPORT_PREFIX_CHARS + 24];
    json_open(json, "kernels", '[');
    for (size_t k = 0; k < export->kernel_count; k++) {
        const struct export_kernel *kernel = &export->kernels[k];
        struct text in_source = {0};
        text_addf(&in_source, "%s_kernels::v%zu::%s", export->source.prefix, k,
                  export->source.space->kernel);
        json_line(json, "\n    ");
        json_open(json, NULL, '{');
        json_string(json, "name", in_source.at);
        json_string(json, "symbol", kernel->symbol);
        json_signed(json, "needs_cc", export_kernel_needs(kernel));
        json_open(json, "files", '[');
        for (size_t i = 0; i < export->image_count; i++)
            if (is_file(export, &export->images[i]) &&
                export_kernel_needs(kernel) <= export->images[i].cc) {
                export_image_name(name, export, &export->images[i]);
                json_string(json, NULL, name);
            }
        json_close(json, ']');
        json_close(json, '}');
        json->out->failed |= in_source.failed;
        text_dispose(&in_source);
    }
    json_close(json, ']');
}

static void add_meanings(struct json *json, const struct problem *problem)
{
    json_open(json, "names", '{');
    for (size_t i = 0; i < sizeof names_of_expressions / sizeof *names_of_expressions; i++)
        json_string(json, names_of_expressions[i].name, names_of_expressions[i].meaning);
    json_close(json, '}');
    json_line(json, "\n  ");
    json_open(json, "roles", '{');
    for (size_t i = 0; i < PLANNER_ARGS; i++)
        json_string(json, roles[i].name, roles[i].meaning);
    if (operation_param_count(problem->op))
        json_string(json, "param", "the value that the call gives the operation's own param");
    json_close(json, '}');
}

static void add_workspace(struct json *json)
{
    json_open(json, "workspace", '{');
    json_count(json, "alignment", PLANNER_ALIGNMENT);
    json_string(
        json, "scratch",
        "the output_bytes and partials_bytes of all launches of a call, one behind another; "
        "contents do not matter");
    json_string(json, "state",
                "the most state_bytes of any launch, apart from the scratch memory");
    json_string(
        json, "cleared",
        "set the state to zeros before the first call, and after one that was cut short; "
        "each call leaves it as the next one needs it, of any row and size");
    json_close(json, '}');
}

/* --- The whole ---------------------------------------------------------------------------- */

static bool is_one_value(const struct dims *dims)
{
    const struct dims run = dims_run(1, dims->scan);
    return dims_is_alike(dims, &run);
}

static void add_all(struct describing *it)
{
    struct json *json = it->json;
    const struct export *export = it->export;
    struct text origin = {0};
    text_addf(&origin, "%s %s", export_mark, export->source.version);
    json_open(json, NULL, '{');
    json_count(json, "schema", SCHEMA);
    add_text(it, "origin", &origin);
    json_line(json, "\n  ");
    json_string(json, "command", export->source.command);
    json_line(json, "\n  ");
    add_problem(json, &export->source.problem);
    json_line(json, "\n  ");
    json_string(json, "space", export->source.space->name);
    json_count(json, "n_max", export->n_max);
    json_count(json, "depth_max",
               is_one_value(&export->source.problem.dims)
                   ? export->n_max
                   : UINT64_C(1) << 31); /* of a matrix, as elsewhere */
    json_line(json, "\n  ");
    add_files(json, export);
    json_line(json, "\n  ");
    add_kernels(json, export);
    json_line(json, "\n  ");
    add_meanings(json, &export->source.problem);
    json_line(json, "\n  ");
    add_workspace(json);
    json_line(json, "\n  ");
    add_gpus(it);
    json_line(json, "\n  ");
    describe_row(it, "default", &export->rows[export->row_count - 1]);
    json_close(json, '}');
    text_adds(json->out, "\n");
}

int export_write_description(struct export_files *out, const struct export *export,
                             struct error *error)
{
    struct json json = {.out = export_add_file(out, export, ".json")};
    struct export_names *names = calloc(1, sizeof *names);
    struct describing it = {&json, export, names, error, false};
    if (!names)
        return error_memory(error, sizeof *names);
    add_all(&it);
    export_dispose_names(names);
    return it.failed ? -1 : 0;
}

const struct export_format export_json =
    {"json", "PREFIX.json", "what was tuned and how it is launched, for anything else",
     0,      true,          export_write_description};
