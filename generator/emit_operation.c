/* emit_operation: puts a function's head before the lines that operation_write.h gives, and turns what it is
 * given, an element or a value as kernels keep it, into what the text calculates with. */
#include "generator/emit_operation.h"

#include "generator/operation_write.h"

/* An element as the accumulator's type has it, exactly. Widened without a flush of denormals where the
 * compiler may have been told to flush them. */
static void add_element(struct text *out, const struct problem *problem, bool any_flags)
{
    const char *const halves = problem->type == F16    ? "half_value(value)"
                               : problem->type == BF16 ? "bfloat_value(value)"
                                                       : "value";
    const bool is_widened =
        any_flags && problem->acc == F64 && (problem->type == F32 || problem->type == BF16);
    text_addf(out, is_widened ? "widened(%s)" : "%s", halves);
}

static void add_map(struct text *out, const struct problem *problem, bool any_flags)
{
    const bool is_plain = problem->type == problem->acc;
    text_addf(out,
              "//? define map\n"
              "// What is combined of an element.\n"
              "__device__ __forceinline__ accum map(elem %s)\n{\n",
              is_plain ? "x" : "value");
    if (!is_plain && operation_mentions(problem->op->text, OPERATION_MAP, OPERATION_X)) {
        text_addf(out, "    const %s x = ", operation_c_type(problem->acc));
        add_element(out, problem, any_flags);
        text_adds(out, ";\n");
    }
    operation_write(out, problem->op->text, OPERATION_MAP, problem->acc);
    text_adds(out, "}\n\n");
}

/* Kernels keep a signed value as an unsigned one, which wraps around, where its order does not matter. */
static bool is_kept_unsigned(const struct problem *problem)
{
    const struct combine_row *law = operation_law(problem->op);
    const enum type value = problem_value(problem);
    return (value == I32 || value == I64) && law->seeks == 0;
}

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

void emit_operation(struct text *out, const struct problem *problem,
                    const int64_t values[SPACE_NAMES_MAX])
{
    if (values[SPACE_MAP] == MAP_MAPPED)
        add_map(out, problem, values[SPACE_ANY_FLAGS]);
    if (values[SPACE_HAS_FINISH])
        add_finish(out, problem);
}
