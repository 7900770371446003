/* operation_eval: runs the nodes of a function one after another, each over a block of numbers, so that what a
 * node costs is shared by 256 of them. Results wait in a stack of blocks, of which a node
 * takes its arguments and leaves its own in the first one's place. */
#include "generator/operation_eval.h"

#include "generator/operation_node.h"
#include "generator/operation_type.h"
#include "generator/operation_word.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of one type; bools are 0 and 1 in u32. */
union block {
    uint64_t u64[OPERATION_LANES];
    int64_t i64[OPERATION_LANES];
    double f64[OPERATION_LANES];
    uint32_t u32[OPERATION_LANES];
    int32_t i32[OPERATION_LANES];
    float f32[OPERATION_LANES];
};

/* The blocks of a value, one for each field. */
struct entry {
    const union block *at[OPERATION_FIELDS_MAX];
};

struct operation_eval {
    const struct operation_text *text;
    enum operation_type acc;
    const uint8_t *types;
    int fields;          /* of a value */
    union block *room;   /* `fields` blocks for each place of the stack */
    struct entry *stack; /* what is in it */
    union block *lets;   /* `fields` blocks for each */
    union block given[2]
                     [OPERATION_FIELDS_MAX]; /* x and further inputs, and i; a and b; a and n */
    union block scratch;
    struct entry names[OPERATION_NAMES];
    uint64_t params[OPERATION_PARAMS_MAX];
    int moved, sign;         /* the node whose results are moved, and where to; 0: none is */
    operation_eval_see *see; /* who is told of each node's results; NULL: nobody */
    void *context;
};

/* Each lane of `to` gets an expression of lane k. Of this file's own blocks more lanes are taken than are used, up to
 * a whole STEP: compilers run several of a known number at a time. */
enum { STEP = 16 };
#if defined __GNUC__ && !defined __clang__
#define APART _Pragma("GCC ivdep")
#else
#define APART
#endif
#define EACH_OF_STEP(to, first, expression)                                                    \
    APART for (size_t lane = 0; lane < STEP; lane++)                                           \
    {                                                                                          \
        const size_t k = (first) + lane;                                                       \
        (to)[k] = (expression);                                                                \
    }
#define EACH(to, expression)                                                                   \
    do {                                                                                       \
        for (size_t first = 0; first < count; first += STEP)                                   \
            EACH_OF_STEP(to, first, expression)                                                \
    } while (0)

/* The same of a caller's words: no more than there are. */
#define EACH_WORD(to, expression)                                                              \
    do {                                                                                       \
        size_t first = 0;                                                                      \
        for (; first + STEP <= count; first += STEP)                                           \
            EACH_OF_STEP(to, first, expression)                                                \
        for (size_t k = first; k < count; k++)                                                 \
            (to)[k] = (expression);                                                            \
    } while (0)

/* --- Words -------------------------------------------------------------------------------- */

/* Numbers as words; `to` is another block. */
static void widen(enum operation_type type, uint64_t *to, const union block *from, size_t count)
{
    switch (type) {
    case BOOL_TYPE:
    case U32_TYPE: EACH_WORD(to, from->u32[k]); break;
    case I32_TYPE: EACH_WORD(to, (uint64_t)(int64_t)from->i32[k]); break;
    case F32_TYPE: EACH_WORD(to, word_of_double((double)from->f32[k])); break;
    default: memcpy(to, from, count * sizeof *to); break;
    }
}

/* The same back; what the type does not hold is cut, a float rounded. */
static void narrow(enum operation_type type, union block *to, const uint64_t *from,
                   size_t count)
{
    switch (type) {
    case BOOL_TYPE: EACH_WORD(to->u32, from[k] != 0); break;
    case I32_TYPE:
    case U32_TYPE: EACH_WORD(to->u32, (uint32_t)from[k]); break;
    case F32_TYPE: EACH_WORD(to->f32, (float)double_of_word(from[k])); break;
    default: memcpy(to, from, count * sizeof *from); break;
    }
}

/* --- Conversions -------------------------------------------------------------------------- */

/* Truncated, as near as the type has it; NaN is 0. */
static uint64_t saturate(enum operation_type type, double value)
{
    switch (type) {
    case I32_TYPE:
        return (uint64_t)(value != value           ? 0
                          : value <= -2147483648.0 ? INT32_MIN
                          : value >= 2147483648.0  ? INT32_MAX
                                                   : (int64_t)value);
    case I64_TYPE:
        return (uint64_t)(value != value                    ? 0
                          : value <= -9223372036854775808.0 ? INT64_MIN
                          : value >= 9223372036854775808.0  ? INT64_MAX
                                                            : (int64_t)value);
    case U32_TYPE:
        return !(value > 0) ? 0 : value >= 4294967296.0 ? UINT32_MAX : (uint64_t)value;
    default:
        return !(value > 0)                      ? 0
               : value >= 18446744073709551616.0 ? UINT64_MAX
                                                 : (uint64_t)value;
    }
}

/* Words of an integer as those of a float. An integer goes to f32 in one step, as in C. */
static void float_words(enum operation_type to, enum operation_type from, uint64_t *words,
                        size_t count)
{
    const bool is_unsigned = from == U64_TYPE;
    if (to == F32_TYPE && is_unsigned)
        EACH(words, word_of_double((double)(float)words[k]));
    else if (to == F32_TYPE)
        EACH(words, word_of_double((double)(float)(int64_t)words[k]));
    else if (is_unsigned)
        EACH(words, word_of_double((double)words[k]));
    else
        EACH(words, word_of_double((double)(int64_t)words[k]));
}

static void convert(struct operation_eval *eval, enum operation_type to,
                    enum operation_type from, union block *out, const union block *a,
                    size_t count)
{
    uint64_t *words = eval->scratch.u64;
    const bool to_float = operation_is_float(to), from_float = operation_is_float(from);
    widen(from, words, a, count);
    if (to == BOOL_TYPE && from_float)
        EACH(words, double_of_word(words[k]) != 0);
    else if (from_float && !to_float)
        EACH(words, saturate(to, double_of_word(words[k])));
    else if (to_float && !from_float)
        float_words(to, from, words, count);
    narrow(to, out, words, count);
}

/* --- Integers, whatever their sign -------------------------------------------------------- */

/* What both widths have alike, in their member of the blocks. */
/* clang-format off */
#define CASES_OF_BITS(number, mask)                                                            \
    case NODE_ADD: EACH(out->number, a->number[k] + b->number[k]); break;                      \
    case NODE_SUBTRACT: EACH(out->number, a->number[k] - b->number[k]); break;                 \
    case NODE_MULTIPLY: EACH(out->number, a->number[k] * b->number[k]); break;                 \
    case NODE_NEGATE: EACH(out->number, 0 - a->number[k]); break;                              \
    case NODE_INVERT: EACH(out->number, ~a->number[k]); break;                                 \
    case NODE_BIT_OR: EACH(out->number, a->number[k] | b->number[k]); break;                   \
    case NODE_BIT_XOR: EACH(out->number, a->number[k] ^ b->number[k]); break;                  \
    case NODE_BIT_AND: EACH(out->number, a->number[k] & b->number[k]); break;                  \
    case NODE_SHIFT_LEFT: EACH(out->number, a->number[k] << (b->number[k] & (mask))); break;   \
    case NODE_EQUAL:                                                                           \
    case NODE_EQUALS: EACH(out->u32, a->number[k] == b->number[k]); break;                     \
    case NODE_UNEQUAL: EACH(out->u32, a->number[k] != b->number[k]); break;                    \
    case NODE_IS_NAN: EACH(out->u32, 0); break
/* clang-format on */

static bool run_32(enum operation_kind kind, union block *out, const union block *a,
                   const union block *b, size_t count)
{
    switch (kind) {
        CASES_OF_BITS(u32, 31);
    case NODE_NOT: EACH(out->u32, !a->u32[k]); break;
    case NODE_OR_ELSE: EACH(out->u32, a->u32[k] | b->u32[k]); break;
    case NODE_AND_THEN: EACH(out->u32, a->u32[k] & b->u32[k]); break;
    default: return false;
    }
    return true;
}

static bool run_64(enum operation_kind kind, union block *out, const union block *a,
                   const union block *b, size_t count)
{
    switch (kind) {
        CASES_OF_BITS(u64, 63);
    default: return false;
    }
    return true;
}

/* --- Integers by their sign --------------------------------------------------------------- */

/* What each integer type has alike. */
/* clang-format off */
#define CASES_BY_SIGN(number, mask)                                                            \
    case NODE_AT_MOST: EACH(out->u32, x[k] <= y[k]); break;                                    \
    case NODE_AT_LEAST: EACH(out->u32, x[k] >= y[k]); break;                                   \
    case NODE_LESS:                                                                            \
    case NODE_BELOW: EACH(out->u32, x[k] < y[k]); break;                                       \
    case NODE_MORE:                                                                            \
    case NODE_ABOVE: EACH(out->u32, x[k] > y[k]); break;                                       \
    case NODE_SHIFT_RIGHT: EACH(out->number, x[k] >> (y[k] & (mask))); break;                  \
    case NODE_LEAST: EACH(out->number, x[k] < y[k] ? x[k] : y[k]); break;                      \
    case NODE_GREATEST: EACH(out->number, x[k] > y[k] ? x[k] : y[k]); break
/* clang-format on */

static int32_t divide_i32(int32_t a, int32_t b)
{
    return b == 0 ? 0 : b == -1 ? (int32_t)(0 - (uint32_t)a) : a / b;
}

static int64_t divide_i64(int64_t a, int64_t b)
{
    return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static bool run_i32(enum operation_kind kind, union block *out, const union block *a,
                    const union block *b, size_t count)
{
    const int32_t *const x = a->i32, *const y = b->i32;
    switch (kind) {
        CASES_BY_SIGN(i32, 31);
    case NODE_DIVIDE: EACH(out->i32, divide_i32(x[k], y[k])); break;
    case NODE_REMAINDER: EACH(out->i32, y[k] == 0 || y[k] == -1 ? 0 : x[k] % y[k]); break;
    case NODE_MAGNITUDE: EACH(out->u32, x[k] < 0 ? 0 - (uint32_t)x[k] : (uint32_t)x[k]); break;
    default: return run_32(kind, out, a, b, count);
    }
    return true;
}

static bool run_u32(enum operation_kind kind, union block *out, const union block *a,
                    const union block *b, size_t count)
{
    const uint32_t *const x = a->u32, *const y = b->u32;
    switch (kind) {
        CASES_BY_SIGN(u32, 31);
    case NODE_DIVIDE: EACH(out->u32, y[k] == 0 ? 0 : x[k] / y[k]); break;
    case NODE_REMAINDER: EACH(out->u32, y[k] == 0 ? 0 : x[k] % y[k]); break;
    case NODE_MAGNITUDE: EACH(out->u32, x[k]); break;
    default: return run_32(kind, out, a, b, count);
    }
    return true;
}

static bool run_i64(enum operation_kind kind, union block *out, const union block *a,
                    const union block *b, size_t count)
{
    const int64_t *const x = a->i64, *const y = b->i64;
    switch (kind) {
        CASES_BY_SIGN(i64, 63);
    case NODE_DIVIDE: EACH(out->i64, divide_i64(x[k], y[k])); break;
    case NODE_REMAINDER: EACH(out->i64, y[k] == 0 || y[k] == -1 ? 0 : x[k] % y[k]); break;
    case NODE_MAGNITUDE: EACH(out->u64, x[k] < 0 ? 0 - (uint64_t)x[k] : (uint64_t)x[k]); break;
    default: return run_64(kind, out, a, b, count);
    }
    return true;
}

static bool run_u64(enum operation_kind kind, union block *out, const union block *a,
                    const union block *b, size_t count)
{
    const uint64_t *const x = a->u64, *const y = b->u64;
    switch (kind) {
        CASES_BY_SIGN(u64, 63);
    case NODE_DIVIDE: EACH(out->u64, y[k] == 0 ? 0 : x[k] / y[k]); break;
    case NODE_REMAINDER: EACH(out->u64, y[k] == 0 ? 0 : x[k] % y[k]); break;
    case NODE_MAGNITUDE: EACH(out->u64, x[k]); break;
    default: return run_64(kind, out, a, b, count);
    }
    return true;
}

/* --- Floats ------------------------------------------------------------------------------- */

static float least_f32(float a, float b)
{
    if (a != a || b != b)
        return a + b;
    return a < b || (a == b && signbit(a)) ? a : b;
}

static float greatest_f32(float a, float b)
{
    if (a != a || b != b)
        return a + b;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

static double least_f64(double a, double b)
{
    if (a != a || b != b)
        return a + b;
    return a < b || (a == b && signbit(a)) ? a : b;
}

static double greatest_f64(double a, double b)
{
    if (a != a || b != b)
        return a + b;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

/* Of one argument. */
static const struct function {
    float (*f32)(float);
    double (*f64)(double);
} functions[NODE_KINDS] = {
    [NODE_SQRT] = {sqrtf, sqrt},      [NODE_EXP] = {expf, exp},
    [NODE_EXP2] = {exp2f, exp2},      [NODE_LOG] = {logf, log},
    [NODE_LOG2] = {log2f, log2},      [NODE_LOG1P] = {log1pf, log1p},
    [NODE_EXPM1] = {expm1f, expm1},   [NODE_TANH] = {tanhf, tanh},
    [NODE_SIN] = {sinf, sin},         [NODE_COS] = {cosf, cos},
    [NODE_FLOOR] = {floorf, floor},   [NODE_CEIL] = {ceilf, ceil},
    [NODE_MAGNITUDE] = {fabsf, fabs},
};

/* What both floats have alike: all but POWER. */
/* clang-format off */
#define CASES_OF_FLOATS(number)                                                                \
    case NODE_ADD: EACH(out->number, x[k] + y[k]); break;                                      \
    case NODE_SUBTRACT: EACH(out->number, x[k] - y[k]); break;                                 \
    case NODE_MULTIPLY: EACH(out->number, x[k] * y[k]); break;                                 \
    case NODE_DIVIDE: EACH(out->number, x[k] / y[k]); break;                                   \
    case NODE_NEGATE: EACH(out->number, -x[k]); break;                                         \
    case NODE_EQUAL: EACH(out->u32, x[k] == y[k]); break;                                      \
    case NODE_UNEQUAL: EACH(out->u32, x[k] != y[k]); break;                                    \
    case NODE_AT_MOST: EACH(out->u32, x[k] <= y[k]); break;                                    \
    case NODE_AT_LEAST: EACH(out->u32, x[k] >= y[k]); break;                                   \
    case NODE_LESS: EACH(out->u32, x[k] < y[k]); break;                                        \
    case NODE_MORE: EACH(out->u32, x[k] > y[k]); break;                                        \
    case NODE_BELOW: EACH(out->u32, !(x[k] >= y[k]) & (y[k] == y[k])); break;                   \
    case NODE_ABOVE: EACH(out->u32, !(x[k] <= y[k]) & (y[k] == y[k])); break;                   \
    case NODE_EQUALS: EACH(out->u32, (x[k] == y[k]) | ((x[k] != x[k]) & (y[k] != y[k]))); break;   \
    case NODE_IS_NAN: EACH(out->u32, x[k] != x[k]); break;                                     \
    case NODE_LEAST: EACH(out->number, least_##number(x[k], y[k])); break;                     \
    case NODE_GREATEST: EACH(out->number, greatest_##number(x[k], y[k])); break;               \
    default:                                                                                   \
        if (!functions[kind].number)                                                           \
            return false;                                                                      \
        EACH(out->number, functions[kind].number(x[k]))
/* clang-format on */

static bool run_f32(enum operation_kind kind, union block *out, const union block *a,
                    const union block *b, size_t count)
{
    const float *const x = a->f32, *const y = b->f32;
    switch (kind) {
    case NODE_POWER:
        EACH(out->f32, powf(x[k], y[k]));
        break;
        CASES_OF_FLOATS(f32);
    }
    return true;
}

static bool run_f64(enum operation_kind kind, union block *out, const union block *a,
                    const union block *b, size_t count)
{
    const double *const x = a->f64, *const y = b->f64;
    switch (kind) {
    case NODE_POWER:
        EACH(out->f64, pow(x[k], y[k]));
        break;
        CASES_OF_FLOATS(f64);
    }
    return true;
}

/* --- Nodes -------------------------------------------------------------------------------- */

typedef bool run_typed(enum operation_kind kind, union block *out, const union block *a,
                       const union block *b, size_t count);

static run_typed *const by_type[CONCRETE_TYPES] = {
    [BOOL_TYPE] = run_32, [I32_TYPE] = run_i32, [U32_TYPE] = run_u32, [I64_TYPE] = run_i64,
    [U64_TYPE] = run_u64, [F32_TYPE] = run_f32, [F64_TYPE] = run_f64,
};

/* A number of the language as a word of its type. */
static uint64_t literal_word(const struct operation_node *node, enum operation_type type)
{
    if (operation_is_float(type))
        return word_of_double(type == F32_TYPE ? (double)node->narrow : node->wide);
    return node->is_negative ? 0 - node->integer : node->integer;
}

static uint64_t limit_word(enum operation_kind kind, enum operation_type type)
{
    const bool is_high = kind == NODE_HIGHEST;
    switch (type) {
    case I32_TYPE: return (uint64_t)(is_high ? INT32_MAX : INT32_MIN);
    case U32_TYPE: return is_high ? UINT32_MAX : 0;
    case I64_TYPE: return (uint64_t)(is_high ? INT64_MAX : INT64_MIN);
    case U64_TYPE: return is_high ? UINT64_MAX : 0;
    default: return word_of_double(is_high ? (double)INFINITY : -(double)INFINITY);
    }
}

static void fill(enum operation_type type, union block *out, uint64_t word, size_t count)
{
    switch (type) {
    case F32_TYPE: EACH(out->f32, (float)double_of_word(word)); break;
    case I32_TYPE:
    case U32_TYPE: EACH(out->u32, (uint32_t)word); break;
    default: EACH(out->u64, word); break;
    }
}

static int bytes_of(enum operation_type type)
{
    return type == I64_TYPE || type == U64_TYPE || type == F64_TYPE ? 8 : 4;
}

/* One block of a choice, by masks of bits; the condition, 0 or 1, is no block that is written. */
static void choose(int bytes, union block *out, const uint32_t *condition,
                   const union block *yes, const union block *no, size_t count)
{
    if (bytes == 8)
        EACH(out->u64,
             no->u64[k] ^ ((yes->u64[k] ^ no->u64[k]) & (0 - (uint64_t)condition[k])));
    else
        EACH(out->u32, no->u32[k] ^ ((yes->u32[k] ^ no->u32[k]) & (0 - condition[k])));
}

static enum operation_type field_type(const struct operation_eval *eval, int field)
{
    const struct operation_text *text = eval->text;
    return operation_concrete(text->field_count ? text->fields[field].type : text->value,
                              eval->acc);
}

/* A choice between numbers, or between values field by field. */
static void run_choose(struct operation_eval *eval, enum operation_type type, union block *out,
                       const struct entry *args, size_t count)
{
    memcpy(&eval->scratch, args[0].at[0], count * sizeof(uint32_t));
    const int fields = type == STRUCT_TYPE ? eval->fields : 1;
    for (int f = 0; f < fields; f++) {
        const enum operation_type own = type == STRUCT_TYPE ? field_type(eval, f) : type;
        choose(bytes_of(own), out + f, eval->scratch.u32, args[1].at[f], args[2].at[f], count);
    }
}

static void run_make(struct operation_eval *eval, union block *out, const struct entry *args,
                     size_t count)
{
    for (int f = 0; f < eval->fields; f++)
        if (args[f].at[0] != out + f)
            memcpy(out + f, args[f].at[0], count * (size_t)bytes_of(field_type(eval, f)));
}

static void run_fma(enum operation_type type, union block *out, const struct entry *args,
                    size_t count)
{
    const union block *a = args[0].at[0], *b = args[1].at[0], *c = args[2].at[0];
    if (type == F32_TYPE)
        EACH(out->f32, fmaf(a->f32[k], b->f32[k], c->f32[k]));
    else
        EACH(out->f64, fma(a->f64[k], b->f64[k], c->f64[k]));
}

/* The machines' own functions may be as far apart as the less exact one is from the truth, and one more. */
static void move(const struct operation_eval *eval, enum operation_kind kind,
                 enum operation_type type, union block *out, size_t count)
{
    const struct operation_kind_row *row = &operation_kinds[kind];
    const float to_f32 = eval->sign > 0 ? INFINITY : -INFINITY;
    const double to_f64 = (double)to_f32;
    for (int i = 0; type == F32_TYPE && i <= row->ulps_f32; i++)
        EACH(out->f32, nextafterf(out->f32[k], to_f32));
    for (int i = 0; type == F64_TYPE && i <= row->ulps_f64; i++)
        EACH(out->f64, nextafter(out->f64[k], to_f64));
}

/* A node whose arguments have one type. A truth about numbers of 8 bytes takes a way round, as its block must
 * not be theirs. */
static void run_numbers(struct operation_eval *eval, int at, union block *out,
                        const struct entry *args, size_t count)
{
    const struct operation_node *node = &eval->text->nodes[at];
    const enum operation_type type = (enum operation_type)eval->types[at];
    const enum operation_type from = (enum operation_type)eval->types[node->args[0]];
    const union block *first = args[0].at[0], *second = args[node->arg_count - 1].at[0];
    const bool shrinks = bytes_of(type) < bytes_of(from);
    const bool is_known =
        by_type[from](node->kind, shrinks ? &eval->scratch : out, first, second, count);
    assert(is_known);
    (void)is_known;
    if (shrinks)
        memcpy(out, &eval->scratch, count * (size_t)bytes_of(type));
}

/* A node that computes, of the arguments from args[0] on, into the blocks from `out` on. */
static void run_node(struct operation_eval *eval, int at, union block *out,
                     const struct entry *args, size_t count)
{
    const struct operation_node *node = &eval->text->nodes[at];
    const enum operation_type type = (enum operation_type)eval->types[at];
    switch (node->kind) {
    case NODE_LITERAL: fill(type, out, literal_word(node, type), count); break;
    case NODE_PARAM: fill(type, out, eval->params[node->index], count); break;
    case NODE_LOWEST:
    case NODE_HIGHEST: fill(type, out, limit_word(node->kind, type), count); break;
    case NODE_NONE: fill(type, out, UINT64_MAX, count); break;
    case NODE_CONVERT:
        convert(eval, type, (enum operation_type)eval->types[node->args[0]], out, args[0].at[0],
                count);
        break;
    case NODE_CHOOSE: run_choose(eval, type, out, args, count); break;
    case NODE_MAKE: run_make(eval, out, args, count); break;
    case NODE_FMA: run_fma(type, out, args, count); break;
    default: run_numbers(eval, at, out, args, count); break;
    }
    if (eval->sign && at == eval->moved)
        move(eval, node->kind, type, out, count);
}

/* What make puts together others have computed. */
static void tell(const struct operation_eval *eval, int at, const union block *out,
                 size_t count)
{
    const enum operation_type type = (enum operation_type)eval->types[at];
    const int fields = type == STRUCT_TYPE ? eval->fields : 1;
    uint64_t words[OPERATION_LANES];
    for (int f = 0; f < fields && eval->text->nodes[at].kind != NODE_MAKE; f++) {
        widen(type == STRUCT_TYPE ? field_type(eval, f) : type, words, out + f, count);
        eval->see(eval->context, at, f, words, count);
    }
}

static void set_entry(struct entry *entry, const union block *blocks, int fields)
{
    for (int f = 0; f < fields; f++)
        entry->at[f] = blocks + f;
}

/* Runs a tree; its value is then stack[0]. */
static void run_tree(struct operation_eval *eval, int root, size_t count)
{
    const struct operation_text *text = eval->text;
    int top = 0;
    for (int at = operation_first_node(text, root); at <= root; at++) {
        const struct operation_node *node = &text->nodes[at];
        top -= node->arg_count;
        struct entry *own = &eval->stack[top];
        union block *out = eval->room + (size_t)top++ * (size_t)eval->fields;
        if (node->kind == NODE_NAME) {
            *own = eval->names[node->index];
        } else if (node->kind == NODE_LET) {
            set_entry(own, eval->lets + (size_t)node->index * (size_t)eval->fields,
                      eval->fields);
        } else if (node->kind == NODE_FIELD) {
            own->at[0] = own->at[node->index];
        } else {
            run_node(eval, at, out, own, count);
            if (eval->see)
                tell(eval, at, out, count);
            set_entry(own, out, eval->fields);
        }
    }
    assert(top == 1);
}

static void run_part(struct operation_eval *eval, enum operation_part part, size_t count)
{
    const struct operation_text *text = eval->text;
    const struct operation_source *source = &text->parts[part];
    assert(count > 0 && count <= OPERATION_LANES);
    for (int k = 0; k < text->let_count; k++) {
        if (!(source->lets >> k & 1))
            continue;
        run_tree(eval, text->lets[k].root, count);
        const bool is_struct = eval->types[text->lets[k].root] == STRUCT_TYPE;
        for (int f = 0; f < (is_struct ? eval->fields : 1); f++)
            memcpy(&eval->lets[(size_t)k * (size_t)eval->fields + (size_t)f],
                   eval->stack[0].at[f], count * sizeof(uint64_t));
    }
    run_tree(eval, source->root, count);
}

/* --- What others call --------------------------------------------------------------------- */

/* The most values that wait at a time while a tree is run. */
static int stack_of(const struct operation_text *text, int root)
{
    int top = 0, most = 0;
    for (int at = operation_first_node(text, root); at <= root; at++) {
        top += 1 - text->nodes[at].arg_count;
        most = top > most ? top : most;
    }
    return most;
}

static int deepest_stack(const struct operation_text *text)
{
    int most = 1;
    for (int part = 0; part < OPERATION_PARTS; part++) {
        const int own = stack_of(text, text->parts[part].root);
        most = own > most ? own : most;
    }
    for (int k = 0; k < text->let_count; k++) {
        const int own = stack_of(text, text->lets[k].root);
        most = own > most ? own : most;
    }
    return most;
}

int operation_eval_open(struct operation_eval **out, const struct operation_text *text,
                        enum type acc, struct error *error)
{
    const enum operation_type own = operation_type_of(acc);
    const size_t fields = (size_t)operation_field_count(text);
    const size_t stack = (size_t)deepest_stack(text), lets = (size_t)text->let_count;
    const size_t blocks = (stack + lets) * fields;
    assert(!text->of[own].fault);
    struct operation_eval *eval = calloc(1, sizeof *eval);
    if (eval) {
        eval->room = calloc(blocks, sizeof *eval->room);
        eval->stack = calloc(stack, sizeof *eval->stack);
    }
    *out = eval;
    if (!eval || !eval->room || !eval->stack) {
        operation_eval_free(eval);
        *out = NULL;
        return error_memory(error, blocks * sizeof *eval->room);
    }
    eval->text = text;
    eval->acc = own;
    eval->types = text->of[own].of_node;
    eval->fields = (int)fields;
    eval->lets = eval->room + stack * fields;
    return 0;
}

void operation_eval_give(struct operation_eval *eval, const uint64_t *params)
{
    memcpy(eval->params, params, (size_t)eval->text->param_count * sizeof *params);
}

void operation_eval_free(struct operation_eval *eval)
{
    if (!eval)
        return;
    free(eval->room);
    free(eval->stack);
    free(eval);
}

static void give_number(struct operation_eval *eval, int slot, enum operation_name name,
                        enum operation_type type, const uint64_t *words, size_t count)
{
    if (words)
        narrow(type, eval->given[slot], words, count);
    set_entry(&eval->names[name], eval->given[slot], 1);
}

static void give_value(struct operation_eval *eval, int slot, enum operation_name name,
                       const uint64_t *words, size_t count)
{
    for (int f = 0; f < eval->fields; f++)
        narrow(field_type(eval, f), &eval->given[slot][f], words + (size_t)f * OPERATION_LANES,
               count);
    set_entry(&eval->names[name], eval->given[slot], eval->fields);
}

static void take_value(struct operation_eval *eval, uint64_t *words, size_t count)
{
    for (int f = 0; f < eval->fields; f++)
        widen(field_type(eval, f), words + (size_t)f * OPERATION_LANES, eval->stack[0].at[f],
              count);
}

void operation_eval_map(struct operation_eval *eval, const uint64_t *x, const uint64_t *i,
                        uint64_t *values, size_t count)
{
    assert(i || !operation_mentions(eval->text, OPERATION_MAP, OPERATION_I));
    for (int k = 1; k < eval->text->input_count; k++) {
        narrow(eval->acc, &eval->given[0][k], x + (size_t)k * OPERATION_LANES, count);
        set_entry(&eval->names[OPERATION_INPUT_2 + k - 1], &eval->given[0][k], 1);
    }
    give_number(eval, 0, OPERATION_X, eval->acc, x, count);
    give_number(eval, 1, OPERATION_I, U64_TYPE, i, count);
    run_part(eval, OPERATION_MAP, count);
    take_value(eval, values, count);
}

void operation_eval_combine(struct operation_eval *eval, const uint64_t *a, const uint64_t *b,
                            uint64_t *values, size_t count)
{
    give_value(eval, 0, OPERATION_A, a, count);
    give_value(eval, 1, OPERATION_B, b, count);
    run_part(eval, OPERATION_COMBINE, count);
    take_value(eval, values, count);
}

void operation_eval_identity(struct operation_eval *eval, uint64_t *values, size_t count)
{
    run_part(eval, OPERATION_IDENTITY, count);
    take_value(eval, values, count);
}

void operation_eval_finish(struct operation_eval *eval, const uint64_t *a, const uint64_t *n,
                           uint64_t *results, size_t count)
{
    assert(n || !operation_mentions(eval->text, OPERATION_FINISH, OPERATION_N));
    give_value(eval, 0, OPERATION_A, a, count);
    give_number(eval, 1, OPERATION_N, U64_TYPE, n, count);
    run_part(eval, OPERATION_FINISH, count);
    widen(eval->text->of[eval->acc].result, results, eval->stack[0].at[0], count);
}

/* --- Functions that are not exact --------------------------------------------------------- */

static bool is_inexact(const struct operation_eval *eval, int at)
{
    const struct operation_kind_row *row = &operation_kinds[eval->text->nodes[at].kind];
    return (eval->types[at] == F64_TYPE ? row->ulps_f64 : row->ulps_f32) > 0;
}

/* Counts a tree's from `count` on; the one numbered `which` is moved. */
static int count_tree(const struct operation_eval *eval, int root, int count, int which,
                      int *moved)
{
    for (int at = operation_first_node(eval->text, root); at <= root; at++)
        if (is_inexact(eval, at) && count++ == which)
            *moved = at;
    return count;
}

static int count_part(const struct operation_eval *eval, enum operation_part part, int which,
                      int *moved)
{
    const struct operation_source *source = &eval->text->parts[part];
    int count = 0;
    for (int k = 0; k < eval->text->let_count; k++)
        if (source->lets >> k & 1)
            count = count_tree(eval, eval->text->lets[k].root, count, which, moved);
    return count_tree(eval, source->root, count, which, moved);
}

int operation_eval_inexact(const struct operation_eval *eval, enum operation_part part)
{
    int ignored;
    return count_part(eval, part, -1, &ignored);
}

void operation_eval_move(struct operation_eval *eval, enum operation_part part, int which,
                         int sign)
{
    assert(which >= 0 && which < operation_eval_inexact(eval, part));
    count_part(eval, part, which, &eval->moved);
    eval->sign = sign;
}

void operation_eval_watch(struct operation_eval *eval, operation_eval_see *see, void *context)
{
    eval->see = see;
    eval->context = context;
}
