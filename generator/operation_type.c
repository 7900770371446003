/* operation_type: types the nodes of each function from its root, which knows what it must be, to the
 * leaves: a node with numbers alone below it takes what is wanted of it, any other says what it is. */
#include "generator/operation_type.h"

#include "generator/operation_canonical.h"
#include "generator/operation_node.h"
#include "generator/text.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of the types. */
static const struct limits {
    enum type type;
    int bytes;
    uint64_t most, most_below; /* of an integer: the largest, and the largest size below zero */
} limits[CONCRETE_TYPES] = {
    [BOOL_TYPE] = {TYPE_COUNT, 0, 0, 0},  [I32_TYPE] = {I32, 4, INT32_MAX, 1ull << 31},
    [U32_TYPE] = {U32, 4, UINT32_MAX, 0}, [I64_TYPE] = {I64, 8, INT64_MAX, 1ull << 63},
    [U64_TYPE] = {U64, 8, UINT64_MAX, 0}, [F32_TYPE] = {F32, 4, 0, 0},
    [F64_TYPE] = {F64, 8, 0, 0},
};

struct typing {
    const struct operation_text *text;
    enum operation_type acc;
    struct operation_types *types;
    struct error *error;
};

static enum operation_type type_node(struct typing *typing, int node, enum operation_type want);

/* NO_TYPE stands for a fault, which is set. */
static enum operation_type fault_at(struct typing *typing, int node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static enum operation_type fault_at(struct typing *typing, int node, const char *format, ...)
{
    char sentence[sizeof typing->error->text];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    operation_fault(typing->text, typing->text->nodes[node].place, typing->error, "%s",
                    sentence);
    return NO_TYPE;
}

static enum operation_type concrete(const struct typing *typing, enum operation_type type)
{
    return operation_concrete(type, typing->acc);
}

static const char *name_of(enum operation_type type)
{
    return type == STRUCT_TYPE ? "a value of several fields" : operation_type_names[type];
}

/* As the file would best say it: "acc" for the accumulator's own type. */
static const char *word_of(const struct typing *typing, enum operation_type type)
{
    return type == typing->acc ? "acc" : operation_type_names[type];
}

/* "x + 1", or "..." where that is long. */
static void show_node(char out[48], const struct typing *typing, int node)
{
    struct text shown = {0};
    operation_write_source(&shown, typing->text, node, NO_TYPE, false);
    snprintf(out, 48, "%s", shown.at && shown.length < 40 ? shown.at : "...");
    text_dispose(&shown);
}

/* --- Numbers ------------------------------------------------------------------------------ */

static bool fits_integer(const struct operation_node *node, enum operation_type type)
{
    return node->integer <= (node->is_negative ? limits[type].most_below : limits[type].most);
}

/* A float's integer is exact; another number is rounded, but not to infinity or zero. */
static bool fits_float(const struct operation_node *node, enum operation_type type)
{
    const bool is_narrow = type == F32_TYPE;
    const bool is_zero = is_narrow ? node->narrow == 0 : node->wide == 0;
    const bool is_infinite = is_narrow ? isinf(node->narrow) : isinf(node->wide);
    if (node->is_integer) {
        const uint64_t most = is_narrow ? 1ull << FLT_MANT_DIG : 1ull << DBL_MANT_DIG;
        uint64_t odd = node->integer;
        while (odd && odd % 2 == 0)
            odd /= 2;
        return odd < most;
    }
    return !is_infinite &&
           (!is_zero || strspn(node->digits, "0.") == strcspn(node->digits, "eE"));
}

static enum operation_type type_literal(struct typing *typing, int at, enum operation_type type)
{
    const struct operation_node *node = &typing->text->nodes[at];
    const bool is_float = operation_is_float(type);
    if (is_float ? fits_float(node, type) : node->is_integer && fits_integer(node, type))
        return type;
    const char *sign = node->is_negative ? "-" : "";
    if (!is_float && !node->is_integer)
        return fault_at(
            typing, at,
            "%s%s is no integer, and %s is needed here: write an integer, or convert "
            "what it stands beside, as f64(...)",
            sign, node->digits, name_of(type));
    if (is_float && node->is_integer)
        return fault_at(typing, at,
                        "%s%s is no %s exactly: write a float, which is rounded, as 3e9", sign,
                        node->digits, name_of(type));
    return fault_at(typing, at,
                    "%s%s does not fit %s, which is needed here: write a number that does, or "
                    "convert what it stands beside to a wider type",
                    sign, node->digits, name_of(type));
}

/* --- Nodes -------------------------------------------------------------------------------- */

static bool takes(enum operation_class class, enum operation_type type)
{
    const bool is_float = operation_is_float(type), is_bool = type == BOOL_TYPE;
    if (type == STRUCT_TYPE)
        return class == ANY_CLASS;
    switch (class) {
    case ANY_CLASS:
    case WORD_CLASS: return true;
    case BOOL_CLASS: return is_bool;
    case INTEGER_CLASS: return !is_float && !is_bool;
    case NUMBER_CLASS: return !is_bool;
    case FLOAT_CLASS: return is_float;
    }
    return false;
}

static enum operation_type fault_class(struct typing *typing, int node, int arg,
                                       enum operation_type type)
{
    const enum operation_kind kind = typing->text->nodes[node].kind;
    const enum operation_class class = operation_kinds[kind].takes;
    const char *symbol = operation_kinds[kind].symbol;
    char shown[48];
    show_node(shown, typing, arg);
    if (type == STRUCT_TYPE)
        return fault_at(typing, node,
                        "'%s' takes numbers, and %s has several fields: name one, as %s.%s",
                        symbol, shown, shown, typing->text->fields[0].name);
    if (class == BOOL_CLASS)
        return fault_at(typing, node,
                        "'%s' takes what is true or false, and %s is %s: write %s != 0", symbol,
                        shown, name_of(type), shown);
    if (type == BOOL_TYPE && class == INTEGER_CLASS)
        return fault_at(typing, node,
                        "'%s' takes integers, and %s is true or false: comparisons bind more "
                        "strongly, so write parentheses around '%s', or && and ||",
                        symbol, shown, symbol);
    if (type == BOOL_TYPE)
        return fault_at(typing, node,
                        "'%s' takes numbers, and %s is true or false: write u32(%s) for 1 or 0",
                        symbol, shown, shown);
    if (class == FLOAT_CLASS)
        return fault_at(typing, node,
                        "%s takes f32 or f64, and %s is %s: write real(%s), or types = floats",
                        symbol, shown, name_of(type), shown);
    return fault_at(
        typing, node,
        "'%s' takes integers, and %s is %s: convert it, as u32(%s), or write types = "
        "integers%s",
        symbol, shown, name_of(type), shown,
        kind == NODE_BIT_XOR ? "; a power is power(a, b)" : "");
}

/* Arguments of two types. The one that has not the accumulator's is to be converted. */
static enum operation_type fault_two(struct typing *typing, int node, const int args[2],
                                     enum operation_type first, enum operation_type second)
{
    const struct operation_node *of = &typing->text->nodes[node];
    const enum operation_class class = operation_kinds[of->kind].takes;
    if (class == BOOL_CLASS)
        return fault_class(typing, node, args[first == BOOL_TYPE],
                           first == BOOL_TYPE ? second : first);
    if (class == INTEGER_CLASS && (first == BOOL_TYPE || second == BOOL_TYPE))
        return fault_class(typing, node, args[first != BOOL_TYPE], BOOL_TYPE);
    const bool is_second = second != typing->acc || first == typing->acc;
    const bool is_mixed = first >= CONCRETE_TYPES || second >= CONCRETE_TYPES;
    char shown[2][48], remedy[128] = "name a field, or write make(...)";
    show_node(shown[0], typing, args[0]);
    show_node(shown[1], typing, args[1]);
    const bool is_cut =
        of->kind == NODE_DIVIDE && !operation_is_float(first) && !operation_is_float(second);
    if (!is_mixed && is_cut)
        snprintf(remedy, sizeof remedy, "write real(%s) / real(%s)", shown[0], shown[1]);
    else if (!is_mixed)
        snprintf(remedy, sizeof remedy, "write %s(%s)",
                 word_of(typing, is_second ? first : second), shown[is_second]);
    if (of->kind == NODE_CHOOSE)
        return fault_at(typing, node,
                        "both sides of ':' must have one type, and %s is %s, %s is %s: %s",
                        shown[0], name_of(first), shown[1], name_of(second), remedy);
    return fault_at(typing, node,
                    "'%s' takes arguments of one type, and %s is %s, %s is %s: %s",
                    operation_kinds[of->kind].symbol, shown[0], name_of(first), shown[1],
                    name_of(second), remedy);
}

/* Types arguments that must have one type, which is returned: of the first that is not made of numbers
 * alone, else what is wanted, else the accumulator's. */
static enum operation_type type_alike(struct typing *typing, int at, const int *args, int count,
                                      enum operation_type want)
{
    const struct operation_node *nodes = typing->text->nodes;
    enum operation_type type = want == NO_TYPE ? typing->acc : want;
    int first = 0;
    while (first < count && nodes[args[first]].is_loose)
        first++;
    const bool is_loose = first == count;
    if (is_loose)
        first = 0;
    if (count > 0)
        type = type_node(typing, args[first], is_loose ? type : NO_TYPE);
    if (type == NO_TYPE)
        return NO_TYPE;
    for (int k = 0; k < count; k++) {
        const enum operation_type own = k == first ? type : type_node(typing, args[k], type);
        if (own == NO_TYPE)
            return NO_TYPE;
        if (own != type)
            return fault_two(typing, at, (const int[2]){args[first], args[k]}, type, own);
    }
    return type;
}

static enum operation_type type_plain(struct typing *typing, int at, enum operation_type want)
{
    const struct operation_node *node = &typing->text->nodes[at];
    const struct operation_kind_row *row = &operation_kinds[node->kind];
    if (row->gives != NO_TYPE)
        want = NO_TYPE;
    else if (row->takes == FLOAT_CLASS && !operation_is_float(want))
        want = concrete(typing, REAL_TYPE);
    const enum operation_type type = type_alike(typing, at, node->args, node->arg_count, want);
    if (type == NO_TYPE)
        return NO_TYPE;
    if (node->arg_count > 0 && !takes(row->takes, type))
        return fault_class(typing, at, node->args[0], type);
    return row->gives == NO_TYPE ? type : row->gives;
}

static enum operation_type type_choose(struct typing *typing, int at, enum operation_type want)
{
    const struct operation_node *node = &typing->text->nodes[at];
    const enum operation_type condition = type_node(typing, node->args[0], BOOL_TYPE);
    if (condition == NO_TYPE)
        return NO_TYPE;
    if (condition != BOOL_TYPE) {
        char shown[48];
        show_node(shown, typing, node->args[0]);
        return fault_at(
            typing, at,
            "'?' takes what is true or false before it, and %s is %s: write %s != 0", shown,
            name_of(condition), shown);
    }
    return type_alike(typing, at, node->args + 1, 2, want);
}

static enum operation_type fault_field(struct typing *typing, int arg, int field,
                                       enum operation_type got)
{
    const struct operation_field *of = &typing->text->fields[field];
    const char *want = name_of(concrete(typing, of->type));
    char shown[48];
    show_node(shown, typing, arg);
    if (got == STRUCT_TYPE)
        return fault_at(typing, arg,
                        "field %s is %s, and %s has several fields: name one, as %s.%s",
                        of->name, want, shown, shown, typing->text->fields[0].name);
    return fault_at(typing, arg, "field %s is %s, and %s is %s: write %s(%s)", of->name, want,
                    shown, name_of(got), operation_type_names[of->type], shown);
}

static enum operation_type type_make(struct typing *typing, int at)
{
    const struct operation_node *node = &typing->text->nodes[at];
    for (int k = 0; k < node->arg_count; k++) {
        const enum operation_type want = concrete(typing, typing->text->fields[k].type);
        const enum operation_type got = type_node(typing, node->args[k], want);
        if (got != want)
            return got == NO_TYPE ? NO_TYPE : fault_field(typing, node->args[k], k, got);
    }
    return STRUCT_TYPE;
}

static enum operation_type type_convert(struct typing *typing, int at)
{
    const struct operation_node *node = &typing->text->nodes[at];
    const enum operation_type to = concrete(typing, (enum operation_type)node->index);
    const bool is_loose = typing->text->nodes[node->args[0]].is_loose;
    const enum operation_type want = is_loose && to != BOOL_TYPE ? to : NO_TYPE;
    const enum operation_type from = type_node(typing, node->args[0], want);
    if (from != STRUCT_TYPE)
        return from == NO_TYPE ? NO_TYPE : to;
    char shown[48];
    show_node(shown, typing, node->args[0]);
    return fault_at(typing, at,
                    "%s takes a number, and %s has several fields: name one, as %s.%s",
                    operation_type_names[node->index], shown, shown,
                    typing->text->fields[0].name);
}

static enum operation_type type_field(struct typing *typing, int at)
{
    const struct operation_node *node = &typing->text->nodes[at];
    const enum operation_type of = type_node(typing, node->args[0], NO_TYPE);
    if (of == STRUCT_TYPE)
        return concrete(typing, typing->text->fields[node->index].type);
    return of == NO_TYPE ? NO_TYPE
                         : fault_at(typing, at, "a number has no fields: remove the '.'");
}

static enum operation_type type_name(const struct typing *typing, enum operation_name name)
{
    if (name == OPERATION_I || name == OPERATION_N)
        return U64_TYPE;
    return name == OPERATION_X || name >= OPERATION_INPUT_2
               ? typing->acc
               : concrete(typing, typing->text->value);
}

static enum operation_type find_type(struct typing *typing, int at, enum operation_type want)
{
    const struct operation_node *node = &typing->text->nodes[at];
    if (node->is_loose && (want == BOOL_TYPE || want == STRUCT_TYPE))
        return fault_at(
            typing, at,
            want == BOOL_TYPE
                ? "a number, where what is true or false is needed: compare it, as x != 0"
                : "a number, where a value of several fields is needed: write make(...)");
    switch (node->kind) {
    case NODE_LITERAL: return type_literal(typing, at, want == NO_TYPE ? typing->acc : want);
    case NODE_NAME: return type_name(typing, (enum operation_name)node->index);
    case NODE_LET:
        return (enum operation_type)
            typing->types->of_node[typing->text->lets[node->index].root];
    case NODE_PARAM: return concrete(typing, typing->text->params[node->index].type);
    case NODE_FIELD: return type_field(typing, at);
    case NODE_CONVERT: return type_convert(typing, at);
    case NODE_CHOOSE: return type_choose(typing, at, want);
    case NODE_MAKE: return type_make(typing, at);
    default: return type_plain(typing, at, want);
    }
}

static enum operation_type type_node(struct typing *typing, int node, enum operation_type want)
{
    const enum operation_type type = find_type(typing, node, want);
    typing->types->of_node[node] = (uint8_t)type;
    return type;
}

/* --- Functions ---------------------------------------------------------------------------- */

/* Types a function, which must give `want`; NO_TYPE wants nothing. */
static enum operation_type type_part(struct typing *typing, enum operation_part part,
                                     enum operation_type want)
{
    const struct operation_source *source = &typing->text->parts[part];
    const enum operation_type got = type_node(typing, source->root, want);
    const char *name = operation_part_names[part];
    char shown[48];
    if (got == NO_TYPE || want == NO_TYPE || got == want)
        return got;
    show_node(shown, typing, source->root);
    if (want == STRUCT_TYPE)
        operation_fault(typing->text, source->place, typing->error,
                        "%s must give a value of several fields, and %s is %s: write make(...)",
                        name, shown, name_of(got));
    else if (got == STRUCT_TYPE)
        operation_fault(typing->text, source->place, typing->error,
                        "%s must give %s, and %s has several fields: name one, as a.%s", name,
                        name_of(want), shown, typing->text->fields[0].name);
    else if (part == OPERATION_FINISH)
        operation_fault(typing->text, source->place, typing->error,
                        "finish gives %s, and the result is %s: write %s(%s), or result = %s",
                        name_of(got), name_of(want), name_of(want), shown, name_of(got));
    else
        operation_fault(typing->text, source->place, typing->error,
                        "%s must give %s, and %s is %s: write %s(%s), or declare another value",
                        name, name_of(want), shown, name_of(got), word_of(typing, want), shown);
    return NO_TYPE;
}

/* As C places the fields. */
static int value_bytes(const struct operation_text *text, enum operation_type acc)
{
    int bytes = 0, widest = 1;
    if (text->field_count == 0)
        return limits[operation_concrete(text->value, acc)].bytes;
    for (int k = 0; k < text->field_count; k++) {
        const int own = limits[operation_concrete(text->fields[k].type, acc)].bytes;
        bytes = (bytes + own - 1) / own * own + own;
        widest = own > widest ? own : widest;
    }
    return (bytes + widest - 1) / widest * widest;
}

static int type_finish(struct typing *typing)
{
    const struct operation_text *text = typing->text;
    const enum operation_type want =
        text->result == NO_TYPE ? NO_TYPE : concrete(typing, text->result);
    const enum operation_type got = type_part(typing, OPERATION_FINISH, want);
    if (got == NO_TYPE)
        return -1;
    char shown[48];
    show_node(shown, typing, text->parts[OPERATION_FINISH].root);
    if (got == BOOL_TYPE)
        return operation_fault(text, text->parts[OPERATION_FINISH].place, typing->error,
                               "finish gives true or false: write u32(%s) for 1 or 0", shown);
    if (got == STRUCT_TYPE)
        return operation_fault(text, text->parts[OPERATION_FINISH].place, typing->error,
                               "finish must give one number, and %s has several fields: write "
                               "finish = a.%s, or what it makes of them",
                               shown, text->fields[0].name);
    typing->types->result = got;
    return 0;
}

static int type_functions(struct typing *typing)
{
    const struct operation_text *text = typing->text;
    const enum operation_type value = concrete(typing, text->value);
    const int bytes = value_bytes(text, typing->acc);
    if (bytes > OPERATION_VALUE_BYTES_MAX)
        return operation_fault(
            text, text->value_place, typing->error,
            "a value takes %d bytes where acc is %s, and has room for %d: give "
            "it fewer or smaller fields",
            bytes, name_of(typing->acc), OPERATION_VALUE_BYTES_MAX);
    for (int k = 0; k < text->param_count; k++) {
        const struct operation_param *param = &text->params[k];
        if (param->usual >= 0 &&
            type_node(typing, param->usual, concrete(typing, param->type)) == NO_TYPE)
            return -1;
    }
    for (int k = 0; k < text->let_count; k++)
        if (type_node(typing, text->lets[k].root, NO_TYPE) == NO_TYPE)
            return -1;
    for (int part = OPERATION_MAP; part < OPERATION_FINISH; part++)
        if (type_part(typing, (enum operation_part)part, value) == NO_TYPE)
            return -1;
    return type_finish(typing);
}

int operation_type_all(struct operation_text *text, struct error *error)
{
    for (int acc = I32_TYPE; acc < CONCRETE_TYPES; acc++) {
        struct operation_types *types = &text->of[acc];
        struct error fault = {0};
        struct typing typing = {.text = text,
                                .acc = (enum operation_type)acc,
                                .types = types,
                                .error = &fault};
        types->of_node = calloc((size_t)text->node_count, 1);
        if (!types->of_node)
            return error_memory(error, (unsigned long long)text->node_count);
        if (type_functions(&typing) == 0)
            continue;
        types->fault = strdup(fault.text);
        if (!types->fault)
            return error_memory(error, sizeof fault.text);
    }
    return 0;
}

/* --- What others ask ---------------------------------------------------------------------- */

bool operation_takes(const struct operation_text *text, enum type type)
{
    return text->types == FOR_ALL ||
           problem_types[type].is_float == (text->types == FOR_FLOATS);
}

int operation_check_types(const struct operation_text *text, enum type type, enum type acc,
                          struct error *error)
{
    assert(operation_type_of(acc) != NO_TYPE);
    static const char *const whats[OPERATION_FORS] = {"", "integers", "floats"};
    const char *fault = text->of[operation_type_of(acc)].fault;
    if (!operation_takes(text, type))
        return operation_fault(text, text->types_place, error,
                               "%s is for %s, not for %s: choose another type", text->name,
                               whats[text->types], problem_types[type].name);
    return fault ? error_set(error, ERROR_USAGE, "%s", fault) : 0;
}

int operation_field_count(const struct operation_text *text)
{
    return text->field_count ? text->field_count : 1;
}

const char *operation_field_name(const struct operation_text *text, int field)
{
    assert(field < text->field_count);
    return text->fields[field].name;
}

enum type operation_field_type(const struct operation_text *text, int field, enum type acc)
{
    assert(field >= 0 && field < operation_field_count(text));
    const enum operation_type type = text->field_count ? text->fields[field].type : text->value;
    return limits[operation_concrete(type, operation_type_of(acc))].type;
}

int operation_value_bytes(const struct operation_text *text, enum type acc)
{
    return value_bytes(text, operation_type_of(acc));
}

enum type operation_value_type(const struct operation_text *text, enum type acc)
{
    const bool is_first =
        text->combine == COMBINE_FIRST_LEAST || text->combine == COMBINE_FIRST_GREATEST;
    return text->field_count && !is_first ? TYPE_COUNT : operation_field_type(text, 0, acc);
}

enum type operation_result_type(const struct operation_text *text, enum type acc)
{
    return limits[text->of[operation_type_of(acc)].result].type;
}
