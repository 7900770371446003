/* problem: holds the table of element types, and looks them up. */
#include "generator/problem.h"

#include "generator/text.h"

#include "generator/dims_text.h"
#include "generator/find_name.h"
#include "generator/operation_input.h"
#include "generator/operation_law.h"
#include "generator/operation_type.h"

#include <stdio.h>
#include <string.h>

const struct type_row problem_types[TYPE_COUNT] = {
    [I8] = {"i8", "I8", 1, false, true, 0, I32, "int8_t"},
    [U8] = {"u8", "U8", 1, false, false, 0, U32, "uint8_t"},
    [I16] = {"i16", "I16", 2, false, true, 0, I32, "int16_t"},
    [U16] = {"u16", "U16", 2, false, false, 0, U32, "uint16_t"},
    [I32] = {"i32", "I32", 4, false, true, 0, I32, "int32_t"}, /* wraps around */
    [U32] = {"u32", "U32", 4, false, false, 0, U32, "uint32_t"},
    [I64] = {"i64", "I64", 8, false, true, 0, I64, "int64_t"}, /* wraps around */
    [U64] = {"u64", "U64", 8, false, false, 0, U64, "uint64_t"},
    [F16] = {"f16", "F16", 2, true, true, 11, F32, "uint16_t"},   /* IEEE binary16 */
    [BF16] = {"bf16", "BF16", 2, true, true, 8, F32, "uint16_t"}, /* the upper half of an f32 */
    [F32] = {"f32", "F32", 4, true, true, 24, F32, "float"},      /* IEEE binary32 */
    [F64] = {"f64", "F64", 8, true, true, 53, F64, "double"},     /* IEEE binary64 */
};

const char *const problem_regimes[REGIME_COUNT] = {
    [COLD] = "cold",
    [WARM] = "warm",
    [PINNED] = "pinned",
    [PAGEABLE] = "pageable",
};

/* A name is for ever: a later order of the elements gets another. */
const struct order_row problem_orders[ORDER_COUNT] = {
    [ORDER_FREE] = {"free", "FREE", "", "", "", ""},
    [ORDER_RUN] = {"run", "RUN", " deterministic", " --deterministic", "deterministic",
                   ", in a fixed order"},
    [ORDER_BY_N] = {"n", "BY_N", " order n", " --order n", "order1",
                    ", in order 1 of reproducible.md"},
    [ORDER_ANY] = {"any", "ANY", " any order", " --order any", "any",
                   ", in any order, denormal sums perhaps 0"},
};

const char *const problem_lengths[LENGTHS_COUNT] = {"any", "equal", "uniform", "skewed"};

static const char *type_name(size_t i)
{
    return i < TYPE_COUNT ? problem_types[i].name : NULL;
}

static const char *lengths_name(size_t i)
{
    return i < LENGTHS_COUNT ? problem_lengths[i] : NULL;
}

static const char *order_name(size_t i)
{
    return i < ORDER_COUNT ? problem_orders[i].name : NULL;
}

char *problem_list_types(char out[PROBLEM_NAMES_CHARS])
{
    return find_name_list(out, PROBLEM_NAMES_CHARS, type_name);
}

#define ABSENT_COMPLEX                                                                         \
    "no type is complex; sum the real and the imaginary parts as arrays of their own"

/* What a user of other libraries asks for. */
static const struct absent_name absent_types[] = {
    {"float", "it is called f32"},
    {"float32", "it is called f32"},
    {"double", "it is called f64"},
    {"float64", "it is called f64"},
    {"half", "it is called f16"},
    {"bfloat16", "it is called bf16"},
    {"int", "it is called i32"},
    {"int32", "it is called i32"},
    {"int64", "it is called i64"},
    {"bool", "bytes of 0 and 1 are u8, of which 'any' and 'all' are operations"},
    {"c64", ABSENT_COMPLEX},
    {"c128", ABSENT_COMPLEX},
    {"complex", ABSENT_COMPLEX},
    {"complex64", ABSENT_COMPLEX},
    {"complex128", ABSENT_COMPLEX},
    {NULL, NULL},
};

int problem_find_type(enum type *out, const char *name, struct error *error)
{
    size_t i = 0;
    if (find_name(&i, name, "type", type_name, absent_types,
                  ", or add one: docs/kernels.md, \"Adding a type\"", error))
        return -1;
    *out = (enum type)i;
    return 0;
}

int problem_find_order(enum order *out, const char *name, struct error *error)
{
    size_t i = 0;
    if (find_name(&i, name, "order", order_name, NULL, NULL, error))
        return -1;
    *out = (enum order)i;
    return 0;
}

int problem_find_lengths(enum lengths *out, const char *name, struct error *error)
{
    size_t i = 0;
    if (find_name(&i, name, "distribution of lengths", lengths_name, NULL, NULL, error))
        return -1;
    *out = (enum lengths)i;
    return 0;
}

int problem_find_offsets(enum type *out, const char *name, struct error *error)
{
    static const enum type types[] = {I32, U32, I64, U64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(name, problem_types[types[i]].name) == 0) {
            *out = types[i];
            return 0;
        }
    return error_set(error, ERROR_USAGE,
                     "'%.40s' is no type of offsets: choose i32, u32, i64 or u64", name);
}

bool problem_has_same_segments(const struct problem *a, const struct problem *b)
{
    return a->offsets == b->offsets && a->lengths == b->lengths;
}

uint64_t problem_offset_bytes(const struct problem *problem)
{
    return dims_is_segmented(&problem->dims)
               ? (dims_kept(&problem->dims) + 1) *
                     (uint64_t)problem_types[problem->offsets].bytes
               : 0;
}

enum type problem_default_acc(enum type type)
{
    return problem_types[type].acc;
}

enum combine_law problem_combine(const struct problem *problem)
{
    const struct operation_text *text = problem->op->text;
    const enum combine_law law = problem->op->combine;
    if (!text || law == COMBINE_OTHER)
        return law;
    if (operation_keeps_order(text) || problem_inputs(problem) > 1)
        return COMBINE_OTHER;
    if (operation_combines[law].is_position)
        return dims_is_value(&problem->dims) &&
                       operation_map_law(text, problem->acc) == MAP_SAME
                   ? law
                   : COMBINE_OTHER;
    return operation_mentions(text, OPERATION_MAP, OPERATION_I) ? COMBINE_OTHER : law;
}

const struct combine_row *problem_law(const struct problem *problem)
{
    return &operation_combines[problem_combine(problem)];
}

bool problem_commutes(const struct problem *problem)
{
    return !(problem->op->text && operation_keeps_order(problem->op->text));
}

bool problem_is_joined(const struct problem *problem)
{
    return problem->op->text && problem_combine(problem) == COMBINE_OTHER;
}

enum map_law problem_map(const struct problem *problem)
{
    const struct operation_text *text = problem->op->text;
    return text && !problem_is_joined(problem) ? operation_map_law(text, problem->acc)
                                               : MAP_MAPPED;
}

bool problem_has_index(const struct problem *problem)
{
    return problem_is_joined(problem) &&
           operation_mentions(problem->op->text, OPERATION_MAP, OPERATION_I);
}

enum type problem_value(const struct problem *problem)
{
    const struct operation_text *text = problem->op->text;
    const enum type value = text ? operation_value_type(text, problem->acc) : TYPE_COUNT;
    return value == TYPE_COUNT ? problem->acc : value;
}

bool problem_has_fields(const struct problem *problem)
{
    return problem_is_joined(problem) && operation_field_count(problem->op->text) > 1;
}

int problem_value_bytes(const struct problem *problem)
{
    return problem_is_joined(problem) ? operation_value_bytes(problem->op->text, problem->acc)
                                      : problem_types[problem_value(problem)].bytes;
}

bool problem_has_finish(const struct problem *problem)
{
    const struct operation_text *text = problem->op->text;
    const bool is_part = operation_law(problem->op)->is_position &&
                         problem_is_joined(problem); /* of the value joined */
    return text && (is_part || operation_has_finish(text, problem->acc));
}

enum type problem_result(const struct problem *problem)
{
    const struct operation_text *text = problem->op->text;
    const enum type result = text ? operation_result_type(text, problem->acc) : TYPE_COUNT;
    return result == TYPE_COUNT ? problem->acc : result;
}

int problem_partial_bytes(const struct problem *problem)
{
    return problem_law(problem)->is_position ? 16 : problem_value_bytes(problem);
}

bool problem_rounds(const struct problem *problem)
{
    if (problem_is_joined(problem))
        return operation_rounds(problem->op->text, problem->acc);
    return problem_types[problem_value(problem)].is_float && problem_law(problem)->rounds;
}

bool problem_rounds_floats(const struct problem *problem)
{
    struct problem floats = *problem;
    struct error ignored;
    floats.type = floats.acc = F32;
    return floats.op->text && operation_takes(floats.op->text, F32) &&
           operation_check_types(floats.op->text, F32, F32, &ignored) == 0 &&
           problem_rounds(&floats);
}

bool problem_is_on_host(const struct problem *problem)
{
    return problem->regime == PINNED || problem->regime == PAGEABLE;
}

void problem_simplify(struct problem *problem)
{
    if (!problem_rounds(problem))
        problem->order = ORDER_FREE;
}

static int refuse(const struct problem *problem, struct error *error, const char *why)
{
    return error_set(error, ERROR_USAGE, "operation '%s': %s", problem->op->name, why);
}

/* What the tree of order n says nothing of; NULL: nothing. */
static const char *beyond_order(const struct problem *problem)
{
    return problem_is_joined(problem)
               ? problem_commutes(problem) ? "its combine is another text" : "it keeps order"
           : problem_map(problem) == MAP_MAPPED ? "its map is another text"
           : problem_has_finish(problem)        ? "it has a finish"
                                                : NULL;
}

/* Refuses what the language can say and no kernel does. */
static int check_kernels(const struct problem *problem, struct error *error)
{
    if (dims_is_segmented(&problem->dims) && problem->dims.scan)
        return refuse(problem, error, "there are no scans of segments yet: leave --scan out");
    if (dims_is_segmented(&problem->dims) && problem_is_on_host(problem))
        return refuse(
            problem, error,
            "segments of data in the host's memory are not reduced yet: copy it first");
    if (operation_law(problem->op)->is_position && problem->dims.scan)
        return refuse(problem, error, "a scan gives values, no positions: use min or max");
    if (problem->order == ORDER_BY_N && problem_rounds(problem) && beyond_order(problem))
        return error_set(
            error, ERROR_USAGE,
            "operation '%s': order n is of elements or their squares, combined by a + b or a * b, "
            "with no finish, and %s: leave --order n out, or take --order run, whose bits are the "
            "same run after run on one GPU",
            problem->op->name, beyond_order(problem));
    if (problem_inputs(problem) == 1)
        return 0;
    if (problem->dims.scan)
        return refuse(problem, error,
                      "a scan is of one input so far: reduce to values instead");
    if (dims_is_segmented(&problem->dims))
        return refuse(problem, error,
                      "segments are of one input so far: make one array of its inputs first");
    if (dims_has_more_axes(&problem->dims))
        return refuse(
            problem, error,
            "several inputs are combined along two axes at most so far, with two kept "
            "ones: make contiguous copies, whose neighbouring axes are one");
    if (!problem_commutes(problem))
        return refuse(problem, error,
                      "order is kept of one input so far: leave keeps_order out, or make one "
                      "array of its inputs");
    if (problem_is_on_host(problem))
        return refuse(problem, error,
                      "data on the host is of one input so far: leave --data out");
    return 0;
}

int problem_check_text(const struct problem *problem, struct error *error)
{
    return problem->op->text
               ? 0
               : refuse(problem, error, "its text is not at hand: name its file by --op");
}

int problem_check(const struct problem *problem, struct error *error)
{
    const struct type_row *type = &problem_types[problem->type];
    const struct type_row *acc = &problem_types[problem->acc];
    if (problem_check_text(problem, error))
        return -1;
    if (!operation_takes(problem->op->text, problem->type))
        return error_set(error, ERROR_USAGE,
                         "operation '%s' needs %s type, not %s: choose another --type",
                         problem->op->name, type->is_float ? "an integer" : "a float",
                         type->name);
    if (acc->acc != problem->acc)
        return error_set(error, ERROR_USAGE,
                         "%s is no type to accumulate in: use %s or a wider type of its kind "
                         "for --acc",
                         acc->name, problem_types[type->acc].name);
    if (type->is_float != acc->is_float || type->is_signed != acc->is_signed)
        return error_set(error, ERROR_USAGE,
                         "elements of type %s cannot be accumulated in %s: use %s or a wider "
                         "type of its kind for --acc",
                         type->name, acc->name, problem_types[type->acc].name);
    if (acc->bytes < type->bytes)
        return error_set(
            error, ERROR_USAGE,
            "accumulator %s is narrower than the elements' type %s: use %s for --acc",
            acc->name, type->name, type->name);
    return operation_check_types(problem->op->text, problem->type, problem->acc, error) ||
                   problem_check_inputs(problem, error) || check_kernels(problem, error)
               ? -1
               : 0;
}

char *problem_format(char out[PROBLEM_CHARS], const struct problem *problem)
{
    char n[DIMS_TEXT_CHARS];
    dims_text_format(n, &problem->dims);
    bool named = problem->acc != problem_default_acc(problem->type);
    const bool has_offsets = dims_is_segmented(&problem->dims);
    const bool has_lengths = has_offsets && problem->lengths != LENGTHS_ANY;
    struct text lies = {0};
    problem_add_lies(&lies, problem);
    snprintf(out, PROBLEM_CHARS, "%s %s%s%s %s%s%s%s%s%s%s %s%s", problem->op->name,
             problem_types[problem->type].name, named ? " acc " : "",
             named ? problem_types[problem->acc].name : "", n, lies.at ? lies.at : "",
             has_offsets ? " by " : "", has_offsets ? problem_types[problem->offsets].name : "",
             has_lengths ? " of " : "", has_lengths ? problem_lengths[problem->lengths] : "",
             has_lengths ? " lengths" : "", problem_regimes[problem->regime],
             problem_orders[problem->order].shown);
    text_dispose(&lies);
    return out;
}

double problem_bytes_read(const struct problem *problem)
{
    double bytes = (double)problem_offset_bytes(problem);
    for (size_t k = 0; k < problem_inputs(problem); k++)
        bytes += (double)problem_input_n(problem, k) *
                 problem_types[problem_input_type(problem, k)].bytes;
    return bytes;
}

double problem_bytes_written(const struct problem *problem)
{
    return (double)dims_results(&problem->dims) * problem_types[problem_result(problem)].bytes;
}

double problem_bytes(const struct problem *problem)
{
    return problem_bytes_read(problem) + problem_bytes_written(problem);
}

const char *problem_space(const struct problem *problem)
{
    const char *ordered =
        problem->order == ORDER_BY_N ? dims_text_ordered_space(&problem->dims) : NULL;
    if (problem_inputs(problem) > 1)
        return "strided";
    return ordered ? ordered : dims_text_space(&problem->dims, problem_law(problem)->space);
}
