/* emit_inputs: writes one line of each part for each further input, by the names that its file gives them. */
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

/* One further input. */
struct further {
    const char *name, *type;
    int bytes;
};

static struct further further_at(const struct problem *problem, size_t input)
{
    const enum type type = problem_input_type(problem, input);
    return (struct further){operation_input_name(problem->op, input), emit_inputs_type(type),
                            problem_types[type].bytes};
}

/* --- Arguments ---------------------------------------------------------------------------- */

void emit_inputs_members(struct text *out, const struct problem *problem)
{
    for (size_t k = 1; k < problem_inputs(problem); k++) {
        const struct further at = further_at(problem, k);
        text_addf(out, "    const %s *%s_;\n    unsigned long long ", at.type, at.name);
        for (int s = 0; s < INPUT_STRIDES; s++)
            text_addf(out, "%s%s_%s", s ? ", " : "", at.name, problem_stride_names[s]);
        text_adds(out, ";\n");
    }
}

void emit_inputs_args(struct text *out, const struct problem *problem)
{
    for (size_t k = 1; k < problem_inputs(problem); k++) {
        const struct further at = further_at(problem, k);
        text_addf(out, ",\n        const %s *%s_", at.type, at.name);
        for (int s = 0; s < INPUT_STRIDES; s++)
            text_addf(out, ",%sunsigned long long %s_%s", s % 2 ? "\n        " : " ", at.name,
                      problem_stride_names[s]);
    }
}

void emit_inputs_values(struct text *out, const struct problem *problem)
{
    for (size_t k = 1; k < problem_inputs(problem); k++) {
        const char *name = operation_input_name(problem->op, k);
        text_addf(out, "%s%s_", k > 1 ? ", " : "", name);
        for (int s = 0; s < INPUT_STRIDES; s++)
            text_addf(out, ", %s_%s", name, problem_stride_names[s]);
    }
}

/* --- Places ------------------------------------------------------------------------------- */

static void add_places(struct text *out, const struct problem *problem)
{
    text_adds(
        out,
        "//? define further_places\n"
        "// Where a thread's elements of the further inputs begin, and whether every load of them is\n"
        "// aligned.\n"
        "typedef struct {\n");
    for (size_t k = 1; k < problem_inputs(problem); k++) {
        const struct further at = further_at(problem, k);
        text_addf(out,
                  "    const %s *%s_;\n"
                  "    //? if VECTOR > 1\n"
                  "    bool %s_is_even;\n"
                  "    //? end\n",
                  at.type, at.name, at.name);
    }
    text_adds(out, "} further_places;\n\n");
}

static void add_find(struct text *out, const struct problem *problem)
{
    text_adds(
        out,
        "//? define find_further\n"
        "// Of result (o, column), or the first of those side by side.\n"
        "__device__ __forceinline__ further_places find_further(unsigned long long o,\n"
        "                                                       unsigned long long column)\n"
        "{\n"
        "    further_places to;\n");
    for (size_t k = 1; k < problem_inputs(problem); k++) {
        const struct further at = further_at(problem, k);
        text_addf(
            out,
            "    to.%s_ = given.%s_ + (o * given.%s_outer_stride + column * given.%s_inner_stride);\n"
            "    //? if VECTOR > 1 && WALK == ALONG\n"
            "    to.%s_is_even = given.%s_depth_stride == 1 &&\n"
            "        ((unsigned long long)to.%s_ / %d | given.%s_span_stride) %% VECTOR == 0;\n"
            "    //? elif VECTOR > 1\n"
            "    to.%s_is_even = given.%s_inner_stride == 1 &&\n"
            "        ((unsigned long long)to.%s_ / %d | given.%s_depth_stride | given.%s_span_stride) %%\n"
            "            VECTOR == 0;\n"
            "    //? end\n",
            at.name, at.name, at.name, at.name, at.name, at.name, at.name, at.bytes, at.name,
            at.name, at.name, at.name, at.bytes, at.name, at.name);
    }
    text_adds(out, "    return to;\n}\n\n");
}

/* --- Loads -------------------------------------------------------------------------------- */

static void add_load_type(struct text *out, const struct problem *problem)
{
    text_adds(out, "//? define further_load\n"
                   "// What one load of each further input brings.\n");
    for (size_t k = 1; k < problem_inputs(problem); k++) {
        const struct further at = further_at(problem, k);
        text_addf(
            out,
            "typedef struct __align__(VECTOR * %d < 16 ? VECTOR * %d : 16) { %s at[VECTOR]; } vec_%s;\n",
            at.bytes, at.bytes, at.type, at.name);
    }
    text_adds(out, "typedef struct {\n");
    for (size_t k = 1; k < problem_inputs(problem); k++) {
        const char *name = operation_input_name(problem->op, k);
        text_addf(out, "    vec_%s %s_;\n", name, name);
    }
    text_adds(out, "} further_load;\n\n");
}

static void add_one_load(struct text *out, const struct further *at)
{
    text_addf(
        out,
        "    {\n"
        "        //? if WALK == ALONG\n"
        "        const %s *in = from.%s_ + (s * given.%s_span_stride + i * (VECTOR * given.%s_depth_stride));\n"
        "        //? else\n"
        "        const %s *in = from.%s_ + (s * given.%s_span_stride + i * given.%s_depth_stride);\n"
        "        //? end\n",
        at->type, at->name, at->name, at->name, at->type, at->name, at->name, at->name);
    text_addf(out,
              "        //? if VECTOR > 1\n"
              "        //? if WALK == ALONG\n"
              "        const unsigned long long aside = given.%s_depth_stride;\n"
              "        //? else\n"
              "        const unsigned long long aside = given.%s_inner_stride;\n"
              "        //? end\n"
              "        //? if HOST\n"
              "        if (from.%s_is_even && some >= VECTOR)\n"
              "            host_aligned(in, sizeof got.%s_);\n"
              "        //? end\n"
              "        if (from.%s_is_even && some >= VECTOR)\n"
              "            got.%s_ = *(const vec_%s *)in;\n"
              "        else\n"
              "            for (int j = 0; j < VECTOR; j++)\n"
              "                got.%s_.at[j] = in[j < some ? j * aside : 0];\n"
              "        //? else\n"
              "        got.%s_.at[0] = *in;\n"
              "        //? end\n"
              "    }\n",
              at->name, at->name, at->name, at->name, at->name, at->name, at->name, at->name,
              at->name);
}

static void add_load(struct text *out, const struct problem *problem)
{
    text_adds(
        out,
        "//? define load_further\n"
        "// Of load i of span s, of which `some` elements are there at least.\n"
        "__device__ __forceinline__ further_load load_further(const further_places from, unsigned s, unsigned i,\n"
        "                                                     unsigned long long some)\n"
        "{\n"
        "    further_load got;\n");
    for (size_t k = 1; k < problem_inputs(problem); k++) {
        const struct further at = further_at(problem, k);
        add_one_load(out, &at);
    }
    text_adds(out, "    return got;\n}\n\n");
}

void emit_inputs(struct text *out, const struct problem *problem)
{
    add_places(out, problem);
    add_find(out, problem);
    add_load_type(out, problem);
    add_load(out, problem);
}
