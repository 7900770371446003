/* operation_input: reads names and types from the operation's text, and makes the strides of inputs that lie in one
 * of a few ways beside the first. */
#include "generator/operation_input.h"

#include "generator/operation_node.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *const problem_lies[PROBLEM_LIES] = {
    [LIES_ALIKE] = "alike", [LIES_BY_RESULT] = "result", [LIES_BY_ELEMENT] = "element",
    [LIES_ALONE] = "one",   [LIES_APART] = "apart",
};

const char *const problem_stride_names[INPUT_STRIDES] = {"outer_stride", "depth_stride",
                                                         "span_stride", "inner_stride"};

size_t operation_input_count(const struct operation *op)
{
    return op->text && op->text->input_count ? (size_t)op->text->input_count : 1;
}

const char *operation_input_name(const struct operation *op, size_t input)
{
    assert(input < operation_input_count(op));
    return op->text && op->text->input_count ? op->text->inputs[input].name : "x";
}

bool operation_input_has_type(const struct operation *op, size_t input, enum type *out)
{
    assert(input < operation_input_count(op));
    if (!op->text || !op->text->input_count || !op->text->inputs[input].is_typed)
        return false;
    *out = op->text->inputs[input].type;
    return true;
}

size_t problem_inputs(const struct problem *problem)
{
    return operation_input_count(problem->op);
}

enum type problem_input_type(const struct problem *problem, size_t input)
{
    enum type type = problem->type;
    if (input > 0)
        operation_input_has_type(problem->op, input, &type);
    return type;
}

/* --- Places ------------------------------------------------------------------------------- */

struct dims problem_input_dims(const struct problem *problem, size_t input)
{
    const enum problem_lie lie = input > 0 ? problem->further[input - 1].lie : LIES_ALIKE;
    struct dims dims = problem->dims;
    if (lie == LIES_ALIKE)
        return dims;
    if (lie == LIES_APART) {
        const uint64_t *strides = problem->further[input - 1].strides;
        dims.outer.stride = strides[0];
        dims.depth.stride = strides[1];
        dims.spans[0].stride = strides[2];
        dims.inner.stride = strides[3];
        return dims;
    }
    dims.outer.stride = lie == LIES_BY_RESULT ? dims.inner.n : 0;
    dims.inner.stride = lie == LIES_BY_RESULT;
    dims.depth.stride = lie == LIES_BY_ELEMENT;
    dims.spans[0].stride = lie == LIES_BY_ELEMENT ? dims.spans[0].n : 0;
    return dims;
}

uint64_t problem_input_n(const struct problem *problem, size_t input)
{
    const struct dims dims = problem_input_dims(problem, input);
    const uint64_t spans = dims_has_spans(&dims) ? dims.depth.n / dims.spans[0].n : 1;
    if (dims_n(&dims) == 0)
        return 0;
    return (dims.outer.stride ? dims.outer.n : 1) * (dims.inner.stride ? dims.inner.n : 1) *
           (dims.depth.stride ? dims_span(&dims) : 1) * (dims.spans[0].stride ? spans : 1);
}

uint64_t problem_input_extent(const struct problem *problem, size_t input)
{
    const struct dims dims = problem_input_dims(problem, input);
    return dims_extent(&dims);
}

void problem_input_strides(const struct dims *dims, uint64_t out[INPUT_STRIDES])
{
    out[0] = dims->outer.stride;
    out[1] = dims->depth.stride;
    out[2] = dims_has_spans(dims) ? dims->spans[0].stride : 0;
    out[3] = dims->inner.stride;
}

/* --- Types -------------------------------------------------------------------------------- */

/* Is each element of the type a number of the accumulator's type? */
static bool holds(enum type acc, enum type type)
{
    const struct type_row *to = &problem_types[acc], *from = &problem_types[type];
    if (from->is_float)
        return to->is_float && to->bytes >= from->bytes;
    if (to->is_float)
        return 8 * from->bytes - from->is_signed <= to->exact_bits;
    return to->is_signed == from->is_signed ? to->bytes >= from->bytes
                                            : to->is_signed && to->bytes > from->bytes;
}

/* The types of the operation's inputs where the first is this. */
static struct problem with_type(const struct operation *op, enum type type)
{
    return (struct problem){.op = op, .type = type, .acc = problem_default_acc(type)};
}

enum type problem_usual_acc(const struct operation *op, enum type type)
{
    static const enum type accs[] = {I32, U32, F32, I64, U64, F64};
    const struct problem problem = with_type(op, type);
    if (operation_input_count(op) == 1)
        return problem.acc;
    for (size_t i = 0; i < sizeof accs / sizeof *accs; i++) {
        bool holds_all = true;
        for (size_t k = 0; k < operation_input_count(op); k++)
            holds_all = holds_all && holds(accs[i], problem_input_type(&problem, k));
        /* of the first one's kind, as its own accumulator is */
        if (holds_all && problem_types[accs[i]].is_float == problem_types[type].is_float &&
            problem_types[accs[i]].is_signed == problem_types[type].is_signed)
            return accs[i];
    }
    return problem.acc;
}

int problem_check_inputs(const struct problem *problem, struct error *error)
{
    enum type type;
    if (operation_input_has_type(problem->op, 0, &type) && type != problem->type)
        return error_set(error, ERROR_USAGE,
                         "operation '%s': its input %s is %s, not %s: use --type %s",
                         problem->op->name, operation_input_name(problem->op, 0),
                         problem_types[type].name, problem_types[problem->type].name,
                         problem_types[type].name);
    for (size_t k = 1; k < problem_inputs(problem); k++) {
        type = problem_input_type(problem, k);
        if (!holds(problem->acc, type))
            return error_set(error, ERROR_USAGE,
                             "operation '%s': not every %s of its input %s is a number of the "
                             "accumulator's type %s: choose a wider --acc",
                             problem->op->name, problem_types[type].name,
                             operation_input_name(problem->op, k),
                             problem_types[problem->acc].name);
    }
    return 0;
}

/* --- Words -------------------------------------------------------------------------------- */

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

int problem_give_lie(struct problem *problem, const char *text, struct error *error)
{
    const size_t width = strcspn(text, "=");
    size_t input = 1, lie = 0;
    while (input < problem_inputs(problem) &&
           !is_word(text, width, operation_input_name(problem->op, input)))
        input++;
    while (text[width] && lie < LIES_APART && strcmp(text + width + 1, problem_lies[lie]) != 0)
        lie++;
    if (input == problem_inputs(problem))
        return error_set(error, ERROR_USAGE, "operation '%s' has no further input '%.*s': %s%s",
                         problem->op->name, width > 40 ? 40 : (int)width, text,
                         input > 1 ? "name one as in its file, as "
                                   : "leave --lies out, for it has one input",
                         input > 1 ? operation_input_name(problem->op, 1) : "");
    if (!text[width] || lie == LIES_APART)
        return error_set(error, ERROR_USAGE,
                         "'%.60s' does not say how the input lies: write %s=alike, =result, "
                         "=element or =one",
                         text, operation_input_name(problem->op, input));
    problem->further[input - 1] = (struct problem_further){.lie = (enum problem_lie)lie};
    return 0;
}

void problem_add_lie(struct text *out, const struct problem *problem, size_t input)
{
    const enum problem_lie lie = problem->further[input - 1].lie;
    if (lie != LIES_ALIKE)
        text_addf(out, " %s=%s", operation_input_name(problem->op, input), problem_lies[lie]);
}

void problem_add_lies(struct text *out, const struct problem *problem)
{
    for (size_t k = 1; k < problem_inputs(problem); k++)
        problem_add_lie(out, problem, k);
}
