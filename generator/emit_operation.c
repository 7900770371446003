/* emit_operation: puts a function's head before the lines that operation_write.h gives, and turns what it is
 * given, an element or a value as kernels keep it, into what the text calculates with. */
#include "generator/emit_operation.h"

#include "generator/emit_inputs.h"
#include "generator/operation_input.h"
#include "generator/operation_param.h"
#include "generator/operation_type.h"
#include "generator/operation_write.h"

#include <stdio.h>

/* An element as the accumulator's type has it, exactly. Widened without a flush of denormals where the
 * compiler may have been told to flush them. */
static void add_element(struct text *out, const struct problem *problem, enum type type,
                        const char *value, bool any_flags)
{
    const char *const half = type == F16 ? "half_value(" : type == BF16 ? "bfloat_value(" : "";
    const bool is_widened = any_flags && problem->acc == F64 && (type == F32 || type == BF16);
    text_addf(out, "%s%s%s%s%s", is_widened ? "widened(" : "", half, value, *half ? ")" : "",
              is_widened ? ")" : "");
}

/* Those of the further inputs, by the names that the text has for them in kernels. */
static void add_further(struct text *out, const struct problem *problem, bool any_flags)
{
    for (size_t k = 1; k < problem_inputs(problem); k++) {
        char value[48];
        snprintf(value, sizeof value, "further.x%zu.at[j]", k + 1);
        text_addf(out, "    const %s x%zu = ", operation_c_type(problem->acc), k + 1);
        add_element(out, problem, problem_input_type(problem, k), value, any_flags);
        text_addf(out, "; // %s\n", operation_input_name(problem->op, k));
    }
}

static void add_map(struct text *out, const struct problem *problem, bool any_flags)
{
    const bool is_plain = problem->type == problem->acc,
               has_further = problem_inputs(problem) > 1;
    text_addf(out,
              "//? define map\n"
              "// What is combined of an element%s%s.\n"
              "__device__ __forceinline__ accum map(elem %s%s%s)\n{\n",
              has_further ? " of each input, the j-th of what a load brought" : "",
              problem_has_index(problem) ? ", the one at i of its result" : "",
              is_plain ? "x" : "value",
              has_further ? ", const further_load further, const int j" : "",
              problem_has_index(problem) ? ", unsigned long long i" : "");
    if (!is_plain && operation_mentions(problem->op->text, OPERATION_MAP, OPERATION_X)) {
        text_addf(out, "    const %s x = ", operation_c_type(problem->acc));
        add_element(out, problem, problem->type, "value", any_flags);
        text_adds(out, ";\n");
    }
    add_further(out, problem, any_flags);
    operation_write(out, problem->op->text, OPERATION_MAP, problem->acc);
    text_adds(out, "}\n\n");
}

/* Kernels keep a signed value as an unsigned one, which wraps around, where its order does not matter. */
static bool is_kept_unsigned(const struct problem *problem)
{
    const enum type value = problem_value(problem);
    return (value == I32 || value == I64) && problem_law(problem)->seeks == 0 &&
           !problem_is_joined(problem);
}

/* --- Values that the operation's own text joins ------------------------------------------- */

static void add_value(struct text *out, const struct problem *problem)
{
    const struct operation_text *text = problem->op->text;
    text_adds(out, "//? define accum\n");
    if (problem_has_fields(problem))
        operation_write_struct(out, text, problem->acc);
    else
        text_addf(out, "typedef %s accum;\n",
                  operation_c_type(operation_field_type(text, 0, problem->acc)));
    text_adds(out, "\n");
}

static void add_identity(struct text *out, const struct problem *problem)
{
    text_adds(out, "//? define identity\n"
                   "// The value that changes nothing.\n"
                   "__device__ __forceinline__ accum identity(void)\n{\n");
    operation_write(out, problem->op->text, OPERATION_IDENTITY, problem->acc);
    text_adds(out, "}\n\n");
}

static void add_combine(struct text *out, const struct problem *problem)
{
    text_adds(out, "//? define combine\n"
                   "__device__ __forceinline__ accum combine(accum a, accum b)\n{\n");
    operation_write(out, problem->op->text, OPERATION_COMBINE, problem->acc);
    text_adds(out, "}\n\n");
}

/* A shuffle of all fields: its name here and CUDA's, what it takes, and whose value it gives. */
struct shuffle {
    const char *name, *cuda, *params, *args, *whose;
};

static const struct shuffle shuffles[] = {
    {"shuffle_down", "__shfl_down_sync", "int d", "d", "that is d further"},
    {"shuffle_xor", "__shfl_xor_sync", "int d", "d", "whose number differs in the bits of d"},
    {"shuffle_up", "__shfl_up_sync", "int d, int lanes", "d, lanes",
     "that is d before, of so many lanes"},
    {"shuffle_at", "__shfl_sync", "int lane, int lanes", "lane, lanes",
     "of this number among so many lanes"},
};

static void add_shuffle(struct text *out, const struct problem *problem,
                        const struct shuffle *shuffle)
{
    const struct operation_text *text = problem->op->text;
    text_addf(out,
              "//? define %s\n"
              "// The value of the lane %s.\n"
              "__device__ __forceinline__ accum %s(accum a, %s)\n{\n",
              shuffle->name, shuffle->whose, shuffle->name, shuffle->params);
    for (int k = 0; problem_has_fields(problem) && k < operation_field_count(text); k++)
        text_addf(out, "    a.%s_ = %s(~0u, a.%s_, %s);\n", operation_field_name(text, k),
                  shuffle->cuda, operation_field_name(text, k), shuffle->args);
    if (!problem_has_fields(problem))
        text_addf(out, "    a = %s(~0u, a, %s);\n", shuffle->cuda, shuffle->args);
    text_adds(out, "    return a;\n}\n\n");
}

static void add_joining(struct text *out, const struct problem *problem)
{
    add_value(out, problem);
    add_identity(out, problem);
    add_combine(out, problem);
    for (size_t i = 0; i < sizeof shuffles / sizeof *shuffles; i++)
        add_shuffle(out, problem, &shuffles[i]);
}

/* --- Results ------------------------------------------------------------------------------ */

static void add_finish(struct text *out, const struct problem *problem)
{
    const bool is_unsigned = is_kept_unsigned(problem);
    text_addf(out,
              "//? define finish\n"
              "// The result of n elements, whose value is known.\n"
              "__device__ __forceinline__ output finish(accum %s, unsigned long long n)\n{\n",
              is_unsigned ? "value" : "a");
    if (is_unsigned) {
        const char *type = operation_c_type(problem_value(problem));
        text_addf(out, "    const %s a = (%s)value;\n", type, type);
    }
    operation_write(out, problem->op->text, OPERATION_FINISH, problem->acc);
    text_adds(out, "}\n");
}

/* --- Params ------------------------------------------------------------------------------- */

static void add_given(struct text *out, const struct problem *problem)
{
    text_adds(out, "//? define given\n"
                   "// What a call gives.\n"
                   "typedef struct {\n");
    for (size_t k = 0; k < operation_param_count(problem->op); k++)
        text_addf(out, "    %s %s_;\n", operation_c_type(problem_param_type(problem, k)),
                  operation_param_name(problem->op, k));
    emit_inputs_members(out, problem);
    text_adds(out, "} given_params;\n\n");
}

void emit_operation(struct text *out, const struct problem *problem,
                    const int64_t values[SPACE_NAMES_MAX])
{
    if (operation_param_count(problem->op) || problem_inputs(problem) > 1)
        add_given(out, problem);
    if (problem_inputs(problem) > 1)
        emit_inputs(out, problem);
    if (problem_is_joined(problem))
        add_joining(out, problem);
    if (values[SPACE_MAP] == MAP_MAPPED)
        add_map(out, problem, values[SPACE_ANY_FLAGS]);
    if (values[SPACE_HAS_FINISH])
        add_finish(out, problem);
}
