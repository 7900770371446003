/* operation_node: holds the table of what an expression of an operation may do, one row for each
 * operator and function, and what the files operation_*.c share. */
#include "generator/operation_node.h"

#include "generator/text.h"

#include <stdarg.h>
#include <stdio.h>

/* clang-format off */
const struct operation_kind_row operation_kinds[NODE_KINDS] = {
    /*                    symbol       args precedence takes    gives      f32        f64      ulps of either */
    [NODE_LITERAL]     = {"",           0,  0, ANY_CLASS,     NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_NAME]        = {"",           0,  0, ANY_CLASS,     NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_LET]         = {"",           0,  0, ANY_CLASS,     NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_PARAM]       = {"",           0,  0, ANY_CLASS,     NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_FIELD]       = {".",          1,  0, ANY_CLASS,     NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_CONVERT]     = {"",           1,  0, ANY_CLASS,     NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_CHOOSE]      = {"?",          3,  0, ANY_CLASS,     NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_MAKE]        = {"make",      -1,  0, ANY_CLASS,     STRUCT_TYPE, NULL,    NULL,    0, 0},
    [NODE_NEGATE]      = {"-",          1,  0, NUMBER_CLASS,  NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_NOT]         = {"!",          1,  0, BOOL_CLASS,    BOOL_TYPE, NULL,      NULL,    0, 0},
    [NODE_INVERT]      = {"~",          1,  0, INTEGER_CLASS, NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_OR_ELSE]     = {"||",         2,  1, BOOL_CLASS,    BOOL_TYPE, NULL,      NULL,    0, 0},
    [NODE_AND_THEN]    = {"&&",         2,  2, BOOL_CLASS,    BOOL_TYPE, NULL,      NULL,    0, 0},
    [NODE_EQUAL]       = {"==",         2,  6, WORD_CLASS,    BOOL_TYPE, NULL,      NULL,    0, 0},
    [NODE_UNEQUAL]     = {"!=",         2,  6, WORD_CLASS,    BOOL_TYPE, NULL,      NULL,    0, 0},
    [NODE_SHIFT_LEFT]  = {"<<",         2,  8, INTEGER_CLASS, NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_SHIFT_RIGHT] = {">>",         2,  8, INTEGER_CLASS, NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_AT_MOST]     = {"<=",         2,  7, NUMBER_CLASS,  BOOL_TYPE, NULL,      NULL,    0, 0},
    [NODE_AT_LEAST]    = {">=",         2,  7, NUMBER_CLASS,  BOOL_TYPE, NULL,      NULL,    0, 0},
    [NODE_LESS]        = {"<",          2,  7, NUMBER_CLASS,  BOOL_TYPE, NULL,      NULL,    0, 0},
    [NODE_MORE]        = {">",          2,  7, NUMBER_CLASS,  BOOL_TYPE, NULL,      NULL,    0, 0},
    [NODE_BIT_OR]      = {"|",          2,  3, INTEGER_CLASS, NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_BIT_XOR]     = {"^",          2,  4, INTEGER_CLASS, NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_BIT_AND]     = {"&",          2,  5, INTEGER_CLASS, NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_ADD]         = {"+",          2,  9, NUMBER_CLASS,  NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_SUBTRACT]    = {"-",          2,  9, NUMBER_CLASS,  NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_MULTIPLY]    = {"*",          2, 10, NUMBER_CLASS,  NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_DIVIDE]      = {"/",          2, 10, NUMBER_CLASS,  NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_REMAINDER]   = {"%",          2, 10, INTEGER_CLASS, NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_MAGNITUDE]   = {"magnitude",  1,  0, NUMBER_CLASS,  NO_TYPE,   "fabsf",   "fabs",  0, 0},
    [NODE_LEAST]       = {"least",      2,  0, NUMBER_CLASS,  NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_GREATEST]    = {"greatest",   2,  0, NUMBER_CLASS,  NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_LOWEST]      = {"lowest",     0,  0, NUMBER_CLASS,  NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_HIGHEST]     = {"highest",    0,  0, NUMBER_CLASS,  NO_TYPE,   NULL,      NULL,    0, 0},
    [NODE_NONE]        = {"none",       0,  0, ANY_CLASS,     U64_TYPE,  NULL,      NULL,    0, 0},
    [NODE_BELOW]       = {"below",      2,  0, NUMBER_CLASS,  BOOL_TYPE, NULL,      NULL,    0, 0},
    [NODE_ABOVE]       = {"above",      2,  0, NUMBER_CLASS,  BOOL_TYPE, NULL,      NULL,    0, 0},
    [NODE_EQUALS]      = {"equals",     2,  0, NUMBER_CLASS,  BOOL_TYPE, NULL,      NULL,    0, 0},
    [NODE_IS_NAN]      = {"is_nan",     1,  0, NUMBER_CLASS,  BOOL_TYPE, NULL,      NULL,    0, 0},
    /* The last two are as CUDA's manuals have it from version 11 on, where they differ the most. The host's
     * C library is nearer. */
    [NODE_SQRT]        = {"sqrt",       1,  0, FLOAT_CLASS,   NO_TYPE,   "sqrtf",   "sqrt",  0, 0},
    [NODE_EXP]         = {"exp",        1,  0, FLOAT_CLASS,   NO_TYPE,   "expf",    "exp",   2, 1},
    [NODE_EXP2]        = {"exp2",       1,  0, FLOAT_CLASS,   NO_TYPE,   "exp2f",   "exp2",  2, 1},
    [NODE_LOG]         = {"log",        1,  0, FLOAT_CLASS,   NO_TYPE,   "logf",    "log",   1, 1},
    [NODE_LOG2]        = {"log2",       1,  0, FLOAT_CLASS,   NO_TYPE,   "log2f",   "log2",  1, 1},
    [NODE_LOG1P]       = {"log1p",      1,  0, FLOAT_CLASS,   NO_TYPE,   "log1pf",  "log1p", 1, 1},
    [NODE_EXPM1]       = {"expm1",      1,  0, FLOAT_CLASS,   NO_TYPE,   "expm1f",  "expm1", 1, 1},
    [NODE_TANH]        = {"tanh",       1,  0, FLOAT_CLASS,   NO_TYPE,   "tanhf",   "tanh",  2, 2},
    [NODE_SIN]         = {"sin",        1,  0, FLOAT_CLASS,   NO_TYPE,   "sinf",    "sin",   2, 2},
    [NODE_COS]         = {"cos",        1,  0, FLOAT_CLASS,   NO_TYPE,   "cosf",    "cos",   2, 2},
    [NODE_FLOOR]       = {"floor",      1,  0, FLOAT_CLASS,   NO_TYPE,   "floorf",  "floor", 0, 0},
    [NODE_CEIL]        = {"ceil",       1,  0, FLOAT_CLASS,   NO_TYPE,   "ceilf",   "ceil",  0, 0},
    [NODE_FMA]         = {"fma",        3,  0, FLOAT_CLASS,   NO_TYPE,   "fmaf",    "fma",   0, 0},
    [NODE_POWER]       = {"power",      2,  0, FLOAT_CLASS,   NO_TYPE,   "powf",    "pow",   8, 2},
};

const char *const operation_type_names[TYPE_WORDS] = {
    [BOOL_TYPE] = "bool", [I32_TYPE] = "i32", [U32_TYPE] = "u32", [I64_TYPE] = "i64",
    [U64_TYPE] = "u64",   [F32_TYPE] = "f32", [F64_TYPE] = "f64", [ACC_TYPE] = "acc",
    [REAL_TYPE] = "real",
};
/* clang-format on */

const char *const operation_names[OPERATION_NAMES] = {"x", "i",  "a",  "b",
                                                      "n", "x2", "x3", "x4"};
const char *const operation_part_names[OPERATION_PARTS] = {"map", "combine", "identity",
                                                           "finish"};

int operation_fault(const struct operation_text *text, struct operation_place place,
                    struct error *error, const char *format, ...)
{
    char sentence[sizeof error->text];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return error_set(error, ERROR_USAGE, "%s:%d:%d: %s", text->file, place.line, place.column,
                     sentence);
}

bool operation_is_float(enum operation_type type)
{
    return type == F32_TYPE || type == F64_TYPE;
}

enum operation_type operation_concrete(enum operation_type type, enum operation_type acc)
{
    if (type == ACC_TYPE)
        return acc;
    if (type == REAL_TYPE)
        return operation_is_float(acc) ? acc : F64_TYPE;
    return type;
}

int operation_first_node(const struct operation_text *text, int root)
{
    while (text->nodes[root].arg_count)
        root = text->nodes[root].args[0];
    return root;
}

const char *operation_shown_name(const struct operation_text *text, int name)
{
    const bool is_further = name >= OPERATION_INPUT_2;
    const int input = is_further ? 1 + name - OPERATION_INPUT_2 : 0;
    if (name != OPERATION_X && !is_further)
        return operation_names[name];
    if (input < text->input_count)
        return text->inputs[input].name;
    return is_further ? NULL : operation_names[OPERATION_X];
}

enum operation_type operation_type_of(enum type type)
{
    static const enum operation_type types[TYPE_COUNT] = {
        [I8] = NO_TYPE,   [U8] = NO_TYPE,   [I16] = NO_TYPE,  [U16] = NO_TYPE,
        [I32] = I32_TYPE, [U32] = U32_TYPE, [I64] = I64_TYPE, [U64] = U64_TYPE,
        [F16] = NO_TYPE,  [BF16] = NO_TYPE, [F32] = F32_TYPE, [F64] = F64_TYPE,
    };
    return types[type];
}
