/* operation_write: writes the tree of a function as C. Each node knows its type, so each case is plain: an
 * operator, a cast, or a call of a part. */
#include "generator/operation_write.h"

#include "generator/operation_law.h"
#include "generator/operation_node.h"
#include "generator/operation_type.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

struct writing {
    struct text *out;
    const struct operation_text *text;
    const uint8_t *types; /* of the nodes */
    enum operation_type acc;
};

/* As C's operators bind; those between two have the strength of their row. */
enum {
    CHOOSE_STRENGTH = 0,
    COMPARE_STRENGTH = 6,
    SUM_STRENGTH = 9,
    UNARY_STRENGTH = 11,
    VALUE_STRENGTH = 12,
};

/* By type. A number of an unsigned type that takes a signed one's sums has the same width. */
static const struct words {
    const char *c_name, *wrapping, *suffix, *zero, *lowest, *highest;
    int bits;
} words[] = {
    [BOOL_TYPE] = {"bool", "", "", "0", "", "", 1},
    [I32_TYPE] = {"int", "unsigned", "", "0u", "(-0x7fffffff - 1)", "0x7fffffff", 32},
    [U32_TYPE] = {"unsigned", "", "u", "0u", "0u", "0xffffffffu", 32},
    [I64_TYPE] = {"long long", "unsigned long long", "LL", "0ULL",
                  "(-0x7fffffffffffffffLL - 1)", "0x7fffffffffffffffLL", 64},
    [U64_TYPE] = {"unsigned long long", "", "ULL", "0ULL", "0ULL", "0xffffffffffffffffULL", 64},
    [F32_TYPE] = {"float", "", "f", "0.0f", "__int_as_float(0xff800000)",
                  "__int_as_float(0x7f800000)", 32},
    [F64_TYPE] = {"double", "", "", "0.0", "__longlong_as_double(0xfff0000000000000LL)",
                  "__longlong_as_double(0x7ff0000000000000LL)", 64},
};

static void write_node(const struct writing *writing, int at, int strength);

static const struct operation_node *node_at(const struct writing *writing, int at)
{
    return &writing->text->nodes[at];
}

static enum operation_type type_at(const struct writing *writing, int at)
{
    return (enum operation_type)writing->types[at];
}

static bool is_signed(enum operation_type type)
{
    return type == I32_TYPE || type == I64_TYPE;
}

static bool is_float_at(const struct writing *writing, int at)
{
    return operation_is_float(type_at(writing, at));
}

static void add(const struct writing *writing, const char *string)
{
    text_adds(writing->out, string);
}

/* --- Leaves ------------------------------------------------------------------------------- */

/* The digits of a number, without its sign. */
static void write_digits(const struct writing *writing, const struct operation_node *node,
                         enum operation_type type)
{
    const bool is_float = operation_is_float(type);
    if (node->is_integer)
        text_addf(writing->out, "%" PRIu64 "%s", node->integer, is_float ? ".0" : "");
    else
        add(writing, node->digits);
    add(writing, words[type].suffix);
}

/* Is it the integer below zero whose size is no integer of its type? */
static bool is_lowest(const struct operation_node *node, enum operation_type type)
{
    return node->is_negative && is_signed(type) &&
           node->integer == 1ull << (words[type].bits - 1);
}

static int literal_strength(const struct writing *writing, int at)
{
    const struct operation_node *node = node_at(writing, at);
    return node->is_negative && !is_lowest(node, type_at(writing, at)) ? UNARY_STRENGTH
                                                                       : VALUE_STRENGTH;
}

static void write_literal(const struct writing *writing, int at)
{
    const struct operation_node *node = node_at(writing, at);
    const enum operation_type type = type_at(writing, at);
    if (is_lowest(node, type)) {
        add(writing, words[type].lowest);
        return;
    }
    add(writing, node->is_negative ? "-" : "");
    write_digits(writing, node, type);
}

static void write_call(const struct writing *writing, const char *name, int at)
{
    const struct operation_node *node = node_at(writing, at);
    text_addf(writing->out, "%s(", name);
    for (int k = 0; k < node->arg_count; k++) {
        add(writing, k ? ", " : "");
        write_node(writing, node->args[k], CHOOSE_STRENGTH);
    }
    add(writing, ")");
}

/* A part of templates/operation.cu, by what it does and its arguments' type: "divide_i32". */
static void write_part_call(const struct writing *writing, const char *what, int at)
{
    char name[32];
    const enum operation_type type = type_at(writing, node_at(writing, at)->args[0]);
    snprintf(name, sizeof name, "%s_%s", what, operation_type_names[type]);
    write_call(writing, name, at);
}

/* --- Integers that wrap around ------------------------------------------------------------ */

/* Is it signed arithmetic that may overflow? */
static bool is_wrapping(const struct writing *writing, int at)
{
    const enum operation_kind kind = node_at(writing, at)->kind;
    return is_signed(type_at(writing, at)) && (kind == NODE_ADD || kind == NODE_SUBTRACT ||
                                               kind == NODE_MULTIPLY || kind == NODE_NEGATE);
}

static void write_unsigned(const struct writing *writing, int at, int strength);

/* An argument of an unsigned operator: the first decides that it is unsigned. */
static void write_unsigned_arg(const struct writing *writing, int at, int strength,
                               bool is_first)
{
    const struct operation_node *node = node_at(writing, at);
    const enum operation_type type = type_at(writing, at);
    if (is_wrapping(writing, at)) {
        write_unsigned(writing, at, strength);
    } else if (is_first && node->kind == NODE_LITERAL && !node->is_negative) {
        write_digits(writing, node, type == I32_TYPE ? U32_TYPE : U64_TYPE);
    } else if (is_first) {
        text_addf(writing->out, "(%s)", words[type].wrapping);
        write_node(writing, at, UNARY_STRENGTH);
    } else {
        write_node(writing, at, strength);
    }
}

/* Wrapping arithmetic as an unsigned value, so that a sum of several is cast back once. */
static void write_unsigned(const struct writing *writing, int at, int strength)
{
    const struct operation_node *node = node_at(writing, at);
    const bool is_negate = node->kind == NODE_NEGATE;
    const int own = is_negate ? SUM_STRENGTH : operation_kinds[node->kind].precedence;
    add(writing, own < strength ? "(" : "");
    if (is_negate)
        add(writing, words[type_at(writing, at)].zero);
    else
        write_unsigned_arg(writing, node->args[0], own, true);
    text_addf(writing->out, " %s ", operation_kinds[node->kind].symbol);
    write_unsigned_arg(writing, node->args[is_negate ? 0 : 1], own + 1, false);
    add(writing, own < strength ? ")" : "");
}

static void write_wrapping(const struct writing *writing, int at)
{
    text_addf(writing->out, "(%s)", words[type_at(writing, at)].c_name);
    write_unsigned(writing, at, VALUE_STRENGTH);
}

/* --- Operators ---------------------------------------------------------------------------- */

static bool is_compare(enum operation_kind kind)
{
    return operation_kinds[kind].precedence == 6 || operation_kinds[kind].precedence == 7;
}

static bool is_bitwise(enum operation_kind kind)
{
    return kind == NODE_BIT_AND || kind == NODE_BIT_OR || kind == NODE_BIT_XOR;
}

/* How strong an argument must be to stand without parentheses: more than C asks where readers would
 * have to know its table. */
static int arg_strength(enum operation_kind kind, enum operation_kind arg, bool is_first)
{
    const int own = operation_kinds[kind].precedence;
    if (arg == kind && is_first && !is_compare(kind))
        return own;
    if (is_bitwise(kind))
        return UNARY_STRENGTH;
    if (is_compare(kind))
        return SUM_STRENGTH;
    return kind == NODE_OR_ELSE ? COMPARE_STRENGTH : own + !is_first;
}

static void write_two(const struct writing *writing, int at, const char *symbol)
{
    const struct operation_node *node = node_at(writing, at);
    const enum operation_kind kind = node->kind < FIRST_FUNCTION ? node->kind : NODE_LESS;
    const int *args = node->args;
    write_node(writing, args[0], arg_strength(kind, node_at(writing, args[0])->kind, true));
    text_addf(writing->out, " %s ", symbol);
    write_node(writing, args[1], arg_strength(kind, node_at(writing, args[1])->kind, false));
}

/* Is the divisor a number that C divides any other by? */
static bool is_safe_divisor(const struct writing *writing, int at)
{
    const struct operation_node *node = node_at(writing, at);
    return node->kind == NODE_LITERAL && node->integer != 0 &&
           !(node->is_negative && node->integer == 1);
}

static bool divides_plainly(const struct writing *writing, int at)
{
    return is_float_at(writing, at) || is_safe_divisor(writing, node_at(writing, at)->args[1]);
}

/* The count is taken modulo the width. */
static void write_count(const struct writing *writing, int at, int bits)
{
    const struct operation_node *node = node_at(writing, at);
    if (node->kind == NODE_LITERAL) {
        const uint64_t count = node->is_negative ? 0 - node->integer : node->integer;
        text_addf(writing->out, "%d", (int)(count % (unsigned)bits));
        return;
    }
    add(writing, "(");
    write_node(writing, at, UNARY_STRENGTH);
    text_addf(writing->out, " & %d)", bits - 1);
}

static bool shifts_wrapping(const struct writing *writing, int at)
{
    return node_at(writing, at)->kind == NODE_SHIFT_LEFT && is_signed(type_at(writing, at));
}

static void write_shift(const struct writing *writing, int at)
{
    const struct operation_node *node = node_at(writing, at);
    const struct words *type = &words[type_at(writing, at)];
    const bool wraps = shifts_wrapping(writing, at);
    if (wraps)
        text_addf(writing->out, "(%s)((%s)", type->c_name, type->wrapping);
    write_node(writing, node->args[0], UNARY_STRENGTH);
    text_addf(writing->out, " %s ", operation_kinds[node->kind].symbol);
    write_count(writing, node->args[1], type->bits);
    add(writing, wraps ? ")" : "");
}

static void write_unary(const struct writing *writing, int at)
{
    const struct operation_node *node = node_at(writing, at);
    add(writing, operation_kinds[node->kind].symbol);
    /* "--" would be another operator */
    write_node(writing, node->args[0],
               node->kind == NODE_NEGATE ? VALUE_STRENGTH : UNARY_STRENGTH);
}

static void write_choose(const struct writing *writing, int at)
{
    const int *args = node_at(writing, at)->args;
    write_node(writing, args[0], CHOOSE_STRENGTH + 1);
    add(writing, " ? ");
    write_node(writing, args[1], CHOOSE_STRENGTH + 1);
    add(writing, " : ");
    write_node(writing, args[2], CHOOSE_STRENGTH);
}

/* --- Conversions -------------------------------------------------------------------------- */

/* What a conversion is in C. */
enum conversion { CONVERT_NOTHING, CONVERT_TO_BOOL, CONVERT_SATURATING, CONVERT_CAST };

static enum conversion conversion_at(const struct writing *writing, int at)
{
    const enum operation_type to = type_at(writing, at);
    const enum operation_type from = type_at(writing, node_at(writing, at)->args[0]);
    if (from == to)
        return CONVERT_NOTHING;
    if (to == BOOL_TYPE)
        return CONVERT_TO_BOOL;
    return operation_is_float(from) && !operation_is_float(to) ? CONVERT_SATURATING
                                                               : CONVERT_CAST;
}

static void write_conversion(const struct writing *writing, int at)
{
    const int arg = node_at(writing, at)->args[0];
    const enum operation_type to = type_at(writing, at), from = type_at(writing, arg);
    char name[16];
    switch (conversion_at(writing, at)) {
    case CONVERT_NOTHING: write_node(writing, arg, CHOOSE_STRENGTH); return;
    case CONVERT_TO_BOOL:
        write_node(writing, arg, SUM_STRENGTH);
        text_addf(writing->out, " != %s", words[from].zero);
        return;
    case CONVERT_SATURATING:
        snprintf(name, sizeof name, "%s_of_%s", operation_type_names[to],
                 operation_type_names[from]);
        write_call(writing, name, at);
        return;
    case CONVERT_CAST:
        text_addf(writing->out, "(%s)", words[to].c_name);
        write_node(writing, arg, UNARY_STRENGTH);
        return;
    }
}

/* --- Nodes -------------------------------------------------------------------------------- */

/* What a function becomes that is no call: an operator between its arguments; NULL = a call. */
static const char *operator_of(const struct writing *writing, int at)
{
    const struct operation_node *node = node_at(writing, at);
    if (node->kind < FIRST_FUNCTION || node->arg_count != 2 ||
        is_float_at(writing, node->args[0]))
        return NULL;
    return node->kind == NODE_BELOW    ? "<"
           : node->kind == NODE_ABOVE  ? ">"
           : node->kind == NODE_EQUALS ? "=="
                                       : NULL;
}

static void write_function(const struct writing *writing, int at)
{
    const struct operation_node *node = node_at(writing, at);
    const struct operation_kind_row *row = &operation_kinds[node->kind];
    const enum operation_type type = type_at(writing, at);
    switch (node->kind) {
    case NODE_LOWEST: add(writing, words[type].lowest); return;
    case NODE_HIGHEST: add(writing, words[type].highest); return;
    case NODE_NONE: add(writing, words[U64_TYPE].highest); return;
    case NODE_IS_NAN:
        if (is_float_at(writing, node->args[0]))
            write_part_call(writing, row->symbol, at);
        else
            add(writing, "false");
        return;
    case NODE_MAGNITUDE:
        if (is_signed(type))
            write_part_call(writing, row->symbol, at);
        else if (operation_is_float(type))
            write_call(writing, type == F32_TYPE ? row->c_f32 : row->c_f64, at);
        else
            write_node(writing, node->args[0], VALUE_STRENGTH);
        return;
    default: break;
    }
    if (row->c_f32)
        write_call(writing, type == F32_TYPE ? row->c_f32 : row->c_f64, at);
    else
        write_part_call(writing, row->symbol, at);
}

/* How strong the text of a node is. */
static int strength_of(const struct writing *writing, int at)
{
    const struct operation_node *node = node_at(writing, at);
    switch (node->kind) {
    case NODE_LITERAL: return literal_strength(writing, at);
    case NODE_CHOOSE: return CHOOSE_STRENGTH;
    case NODE_NEGATE:
    case NODE_NOT:
    case NODE_INVERT: return UNARY_STRENGTH;
    case NODE_CONVERT:
        switch (conversion_at(writing, at)) {
        case CONVERT_NOTHING: return strength_of(writing, node->args[0]);
        case CONVERT_TO_BOOL: return COMPARE_STRENGTH;
        case CONVERT_SATURATING: return VALUE_STRENGTH;
        case CONVERT_CAST: return UNARY_STRENGTH;
        }
        return CHOOSE_STRENGTH;
    case NODE_MULTIPLY:
        if (is_float_at(writing, at))
            return VALUE_STRENGTH;
        break;
    case NODE_DIVIDE:
    case NODE_REMAINDER:
        if (!divides_plainly(writing, at))
            return VALUE_STRENGTH;
        break;
    default: break;
    }
    if (is_wrapping(writing, at) || shifts_wrapping(writing, at))
        return UNARY_STRENGTH;
    if (operator_of(writing, at))
        return COMPARE_STRENGTH;
    return operation_kinds[node->kind].precedence ? operation_kinds[node->kind].precedence
                                                  : VALUE_STRENGTH;
}

/* A product of floats that no compiler fuses with a sum, so that the bits are the evaluator's. */
static void write_product(const struct writing *writing, int at)
{
    write_call(writing, type_at(writing, at) == F32_TYPE ? "__fmul_rn" : "__dmul_rn", at);
}

static void write_operator(const struct writing *writing, int at)
{
    const enum operation_kind kind = node_at(writing, at)->kind;
    const bool divides = kind == NODE_DIVIDE || kind == NODE_REMAINDER;
    if (is_wrapping(writing, at))
        write_wrapping(writing, at);
    else if (kind == NODE_MULTIPLY && is_float_at(writing, at))
        write_product(writing, at);
    else if (kind == NODE_SHIFT_LEFT || kind == NODE_SHIFT_RIGHT)
        write_shift(writing, at);
    else if (divides && !divides_plainly(writing, at))
        write_part_call(writing, kind == NODE_DIVIDE ? "divide" : "remainder", at);
    else
        write_two(writing, at, operation_kinds[kind].symbol);
}

static void write_bare(const struct writing *writing, int at)
{
    const struct operation_node *node = node_at(writing, at);
    switch (node->kind) {
    case NODE_LITERAL: write_literal(writing, at); return;
    case NODE_NAME: add(writing, operation_names[node->index]); return;
    case NODE_LET:
        text_addf(writing->out, "%s_", writing->text->let_names[node->index]);
        return;
    case NODE_PARAM:
        text_addf(writing->out, "given.%s_", writing->text->params[node->index].name);
        return;
    case NODE_FIELD:
        write_node(writing, node->args[0], VALUE_STRENGTH);
        text_addf(writing->out, ".%s_", writing->text->fields[node->index].name);
        return;
    case NODE_CONVERT: write_conversion(writing, at); return;
    case NODE_CHOOSE: write_choose(writing, at); return;
    case NODE_MAKE: write_call(writing, "make_accum", at); return;
    case NODE_NEGATE:
        if (is_wrapping(writing, at)) {
            write_wrapping(writing, at);
            return;
        }
        write_unary(writing, at);
        return;
    case NODE_NOT:
    case NODE_INVERT: write_unary(writing, at); return;
    default: break;
    }
    const char *symbol = operator_of(writing, at);
    if (symbol)
        write_two(writing, at, symbol);
    else if (node->kind < FIRST_FUNCTION)
        write_operator(writing, at);
    else
        write_function(writing, at);
}

static void write_node(const struct writing *writing, int at, int strength)
{
    const bool is_bare = strength_of(writing, at) >= strength;
    add(writing, is_bare ? "" : "(");
    write_bare(writing, at);
    add(writing, is_bare ? "" : ")");
}

/* --- Functions ---------------------------------------------------------------------------- */

static const char *c_type(enum operation_type type)
{
    return type == STRUCT_TYPE ? "accum" : words[type].c_name;
}

const char *operation_c_type(enum type type)
{
    assert(operation_type_of(type) != NO_TYPE);
    return words[operation_type_of(type)].c_name;
}

void operation_write(struct text *out, const struct operation_text *text,
                     enum operation_part part, enum type acc)
{
    const struct operation_types *types = &text->of[operation_type_of(acc)];
    const struct operation_source *source = &text->parts[part];
    const struct writing writing = {out, text, types->of_node, operation_type_of(acc)};
    assert(!types->fault);
    for (int k = 0; k < text->let_count; k++) {
        if (!(source->lets >> k & 1))
            continue;
        const int let = text->lets[k].root;
        text_addf(out, "    const %s %s_ = ", c_type(type_at(&writing, let)),
                  text->let_names[k]);
        write_node(&writing, let, CHOOSE_STRENGTH);
        text_adds(out, ";\n");
    }
    text_adds(out, "    return ");
    write_node(&writing, source->root, CHOOSE_STRENGTH);
    text_adds(out, ";\n");
}

void operation_write_struct(struct text *out, const struct operation_text *text, enum type acc)
{
    assert(text->field_count);
    const int bytes = operation_value_bytes(text, acc);
    /* as much as its size divides by, so that it is moved in large words */
    text_addf(out, "typedef struct __align__(%d) {\n",
              bytes % 16 == 0  ? 16
              : bytes % 8 == 0 ? 8
                               : 4);
    for (int k = 0; k < text->field_count; k++)
        text_addf(out, "    %s %s_;\n", operation_c_type(operation_field_type(text, k, acc)),
                  text->fields[k].name);
    text_adds(out, "} accum;\n\n__device__ __forceinline__ accum make_accum(");
    for (int k = 0; k < text->field_count; k++)
        text_addf(out, "%s%s %s_", k ? ", " : "",
                  operation_c_type(operation_field_type(text, k, acc)), text->fields[k].name);
    text_adds(out, ")\n{\n    accum made;\n");
    for (int k = 0; k < text->field_count; k++)
        text_addf(out, "    made.%s_ = %s_;\n", text->fields[k].name, text->fields[k].name);
    text_adds(out, "    return made;\n}\n");
}
