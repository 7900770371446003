/* operation_param: keeps each value as the word that operation_eval.h takes, and makes a kernel's bits of it.
 * Values are read by the type's own rules: an integer of its range, a float in any notation of C. */
#include "generator/operation_param.h"

#include "generator/operation_node.h"
#include "generator/operation_word.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_CHARS = 32 }; /* a number with all of its digits */

static const struct operation_param *param_at(const struct operation *op, size_t param)
{
    assert(param < operation_param_count(op));
    return &op->text->params[param];
}

size_t operation_param_count(const struct operation *op)
{
    return op->text ? (size_t)op->text->param_count : 0;
}

const char *operation_param_name(const struct operation *op, size_t param)
{
    return param_at(op, param)->name;
}

int operation_find_param(size_t *out, const struct operation *op, const char *name,
                         struct error *error)
{
    const size_t count = operation_param_count(op);
    struct text names = {0};
    for (size_t k = 0; k < count; k++) {
        if (strcmp(operation_param_name(op, k), name) == 0) {
            *out = k;
            text_dispose(&names);
            return 0;
        }
        text_addf(&names, "%s%s", k ? ", " : "", operation_param_name(op, k));
    }
    if (count)
        error_set(error, ERROR_USAGE, "operation '%s' has no param '%.40s': its params are %s",
                  op->name, name, names.at ? names.at : "others");
    else
        error_set(error, ERROR_USAGE,
                  "operation '%s' has no params: leave '%.40s' out, or declare it in the file, "
                  "as params = %.40s:real",
                  op->name, name, name);
    text_dispose(&names);
    return -1;
}

enum type problem_param_type(const struct problem *problem, size_t param)
{
    static const enum type types[CONCRETE_TYPES] =
        {[I32_TYPE] = I32, [U32_TYPE] = U32, [I64_TYPE] = I64,
         [U64_TYPE] = U64, [F32_TYPE] = F32, [F64_TYPE] = F64};
    const enum operation_type type = param_at(problem->op, param)->type;
    return types[operation_concrete(type, operation_type_of(problem->acc))];
}

/* --- Words -------------------------------------------------------------------------------- */

static uint64_t round_float(enum type type, double value)
{
    return word_of_double(type == F32 ? (double)(float)value : value);
}

/* An integer extended by its own sign. */
static uint64_t extend(enum type type, uint64_t bits)
{
    return type == I32 ? (uint64_t)(int64_t)(int32_t)bits : type == U32 ? (uint32_t)bits : bits;
}

static uint64_t literal_word(const struct operation_node *node, enum type type)
{
    if (problem_types[type].is_float)
        return round_float(type, type == F32 ? (double)node->narrow : node->wide);
    return node->is_negative ? 0 - node->integer : node->integer;
}

uint64_t problem_param(const struct problem *problem, size_t param)
{
    const enum type type = problem_param_type(problem, param);
    const int usual = param_at(problem->op, param)->usual;
    if (problem->params.given >> param & 1)
        return problem->params.words[param];
    if (usual >= 0)
        return literal_word(&problem->op->text->nodes[usual], type);
    return problem_types[type].is_float ? word_of_double(1) : 1;
}

void problem_param_words(const struct problem *problem, uint64_t words[PROBLEM_PARAMS_MAX])
{
    for (size_t k = 0; k < operation_param_count(problem->op); k++)
        words[k] = problem_param(problem, k);
}

uint64_t problem_param_bits(const struct problem *problem, size_t param)
{
    const enum type type = problem_param_type(problem, param);
    const uint64_t word = problem_param(problem, param);
    if (type == F32) {
        const float value = (float)double_of_word(word);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    return problem_types[type].bytes == 4 ? (uint32_t)word : word;
}

int problem_check_params(const struct problem *problem, struct error *error)
{
    for (size_t k = 0; k < operation_param_count(problem->op); k++)
        if (!(problem->params.given >> k & 1) && param_at(problem->op, k)->usual < 0)
            return error_set(error, ERROR_USAGE,
                             "operation '%s' takes a value for its param '%s': give one, or "
                             "write one in its file, as %s:%s=1",
                             problem->op->name, operation_param_name(problem->op, k),
                             operation_param_name(problem->op, k),
                             operation_type_names[param_at(problem->op, k)->type]);
    return 0;
}

/* --- Giving ------------------------------------------------------------------------------- */

static void give_word(struct problem *problem, size_t param, uint64_t word)
{
    problem->params.words[param] = word;
    problem->params.given |= 1u << param;
}

static int refuse_value(const struct problem *problem, size_t param, const char *value,
                        struct error *error)
{
    const enum type type = problem_param_type(problem, param);
    return error_set(error, ERROR_USAGE, "param %s is '%.40s': give %s of type %s",
                     operation_param_name(problem->op, param), value,
                     problem_types[type].is_float ? "a number" : "a whole number",
                     problem_types[type].name);
}

/* Is it a whole number of an integer type's range? The limits are exact as doubles, one past the most. */
static bool fits(enum type type, double value)
{
    const int bits = 8 * problem_types[type].bytes;
    const double past = ldexp(1, problem_types[type].is_signed ? bits - 1 : bits);
    return value >= (problem_types[type].is_signed ? -past : 0) && value < past &&
           floor(value) >= value;
}

int problem_give_number(struct problem *problem, size_t param, double value,
                        struct error *error)
{
    const enum type type = problem_param_type(problem, param);
    char shown[VALUE_CHARS];
    if (problem_types[type].is_float) {
        give_word(problem, param, round_float(type, value));
        return 0;
    }
    if (!fits(type, value)) {
        snprintf(shown, sizeof shown, "%.17g", value);
        return refuse_value(problem, param, shown, error);
    }
    give_word(problem, param,
              problem_types[type].is_signed ? (uint64_t)(int64_t)value : (uint64_t)value);
    return 0;
}

void problem_give_bits(struct problem *problem, size_t param, uint64_t bits)
{
    const enum type type = problem_param_type(problem, param);
    const uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    give_word(problem, param,
              type == F32   ? word_of_double((double)value)
              : type == F64 ? bits
                            : extend(type, bits));
}

/* Reads a whole number of the type. */
static bool read_integer(enum type type, const char *value, uint64_t *word)
{
    const bool is_negative = *value == '-';
    const char *digits = value + is_negative;
    char *end;
    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    const uint64_t size = strtoull(digits, &end, 10);
    const int bits = 8 * problem_types[type].bytes;
    const bool is_signed = problem_types[type].is_signed;
    const uint64_t most = UINT64_MAX >> (64 - bits + is_signed);
    *word = is_negative ? 0 - size : size;
    return errno == 0 && !*end && size <= (is_negative ? (is_signed ? most + 1 : 0) : most);
}

static bool read_float(enum type type, const char *value, uint64_t *word)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *end = NULL;
    if (!plain)
        return false;
    *word = type == F32 ? word_of_double((double)strtof_l(value, &end, plain))
                        : word_of_double(strtod_l(value, &end, plain));
    freelocale(plain);
    const bool is_too_large = isinf(double_of_word(*word)) && !strpbrk(value, "iI");
    return *value && !isspace((unsigned char)*value) && !*end && !is_too_large;
}

int problem_give_text(struct problem *problem, const char *text, struct error *error)
{
    char name[OPERATION_NAME_MAX + 1];
    const size_t width = strcspn(text, "=");
    size_t param;
    uint64_t word;
    if (!text[width] || width == 0)
        return error_set(error, ERROR_USAGE,
                         "a param is NAME=NUMBER, not '%.40s': write as delta=0.5", text);
    snprintf(name, sizeof name, "%.*s", width < sizeof name ? (int)width : (int)sizeof name - 1,
             text);
    if (operation_find_param(&param, problem->op, name, error))
        return -1;
    if (problem->params.given >> param & 1)
        return error_set(error, ERROR_USAGE, "param %s is given twice: give it once", name);
    const enum type type = problem_param_type(problem, param);
    if (!(problem_types[type].is_float ? read_float : read_integer)(type, text + width + 1,
                                                                    &word))
        return refuse_value(problem, param, text + width + 1, error);
    give_word(problem, param, word);
    return 0;
}

/* --- Values that proofs draw --------------------------------------------------------------- */

static uint64_t draw_float(enum type type, size_t param, int set)
{
    static const double plain[PROBLEM_PARAMS_MAX] = {2.5,  0.375, 7,    0.0625,
                                                     1.75, 12,    0.75, 3.25};
    static const double special[PROBLEM_PARAMS_MAX] =
        {0, (double)NAN, (double)INFINITY, -1.5, -0.0, -(double)INFINITY, 0x1p-100, 1};
    return round_float(type, set ? special[param] : plain[param]);
}

static uint64_t draw_integer(enum type type, size_t param, int set)
{
    static const uint64_t plain[PROBLEM_PARAMS_MAX] = {3, 7, 2, 11, 5, 13, 1, 17};
    const uint64_t top = UINT64_C(1) << (8 * problem_types[type].bytes - 1);
    const uint64_t special[PROBLEM_PARAMS_MAX] = {0,       UINT64_MAX, top, top - 1,
                                                  top + 1, 1,          0,   UINT64_MAX};
    return extend(type, set ? special[param] : plain[param]);
}

void problem_draw_params(struct problem *problem, int set)
{
    assert(set >= 0 && set < PROBLEM_PARAM_SETS);
    for (size_t k = 0; k < operation_param_count(problem->op); k++) {
        const enum type type = problem_param_type(problem, k);
        give_word(problem, k,
                  problem_types[type].is_float ? draw_float(type, k, set)
                                               : draw_integer(type, k, set));
    }
}

void problem_add_param(struct text *out, const struct problem *problem, size_t param)
{
    const enum type type = problem_param_type(problem, param);
    const uint64_t word = problem_param(problem, param);
    text_addf(out, " %s=", operation_param_name(problem->op, param));
    if (problem_types[type].is_float)
        text_addf(out, type == F32 ? "%.9g" : "%.17g", double_of_word(word));
    else if (problem_types[type].is_signed)
        text_addf(out, "%" PRId64, (int64_t)word);
    else
        text_addf(out, "%" PRIu64, word);
}

void problem_add_params(struct text *out, const struct problem *problem)
{
    for (size_t k = 0; k < operation_param_count(problem->op); k++)
        problem_add_param(out, problem, k);
}
