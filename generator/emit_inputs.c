/* emit_inputs: numbers further inputs from 2 on, as templates do: x2 is an elem2. */
#include "generator/emit_inputs.h"

#include "generator/operation_input.h"

const char *emit_inputs_type(enum type type)
{
    static const char *const names[TYPE_COUNT] = {
        [I8] = "signed char",
        [U8] = "unsigned char",
        [I16] = "short",
        [U16] = "unsigned short",
        [I32] = "int",
        [U32] = "unsigned",
        [I64] = "long long",
        [U64] = "unsigned long long",
        [F16] = "unsigned short",
        [BF16] = "unsigned short",
        [F32] = "float",
        [F64] = "double",
    };
    return names[type];
}

/* --- Types -------------------------------------------------------------------------------- */

void emit_inputs(struct text *out, const struct problem *problem)
{
    for (size_t k = 1; k < problem_inputs(problem); k++)
        text_addf(out,
                  "//? define elem%zu\n"
                  "// An element of the input %s.\n"
                  "typedef %s elem%zu;\n\n",
                  k + 1, operation_input_name(problem->op, k),
                  emit_inputs_type(problem_input_type(problem, k)), k + 1);
}

/* --- Arguments ---------------------------------------------------------------------------- */

void emit_inputs_members(struct text *out, const struct problem *problem)
{
    for (size_t k = 2; k <= problem_inputs(problem); k++) {
        text_addf(out, "    const elem%zu *x%zu;\n    unsigned long long ", k, k);
        for (int s = 0; s < INPUT_STRIDES; s++)
            text_addf(out, "%sx%zu_%s", s ? ", " : "", k, problem_stride_names[s]);
        text_adds(out, ";\n");
    }
}

void emit_inputs_args(struct text *out, const struct problem *problem)
{
    for (size_t k = 2; k <= problem_inputs(problem); k++) {
        text_addf(out, ",\n        const elem%zu *x%zu", k, k);
        for (int s = 0; s < INPUT_STRIDES; s++)
            text_addf(out, ",%sunsigned long long x%zu_%s", s % 2 ? "\n        " : " ", k,
                      problem_stride_names[s]);
    }
}

void emit_inputs_values(struct text *out, const struct problem *problem)
{
    for (size_t k = 2; k <= problem_inputs(problem); k++) {
        text_addf(out, "%sx%zu", k > 2 ? ", " : "", k);
        for (int s = 0; s < INPUT_STRIDES; s++)
            text_addf(out, ", x%zu_%s", k, problem_stride_names[s]);
    }
}
