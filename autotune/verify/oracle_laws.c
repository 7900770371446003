/* oracle_laws: combines values of drawn elements in two ways that a law says are one, 256 at a time. Two values are
 * the same where nothing tells them apart: their fields are alike, or what finish makes of them, alone and
 * combined with others. Where they round, as far as their bounds reach. */
#include "autotune/verify/oracle_laws.h"

#include "autotune/verify/element.h"
#include "autotune/verify/oracle_further.h"
#include "autotune/verify/oracle_mapped.h"
#include "autotune/verify/oracle_ops.h"
#include "generator/operation_input.h"
#include "generator/operation_param.h"
#include "generator/operation_type.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = OPERATION_LANES,
    ROUNDS = 8,
    DOUBLINGS = 12,
    MOST = 4,     /* elements that one of the values is made of */
    OPERANDS = 3, /* a, b, c */
    PROBES = 3,   /* values with which two are told apart */
    PLACES = OPERANDS * MOST + PROBES,
    SLACK = 4, /* times its bound two results may differ */
};

/* The elements of a value, by lane. */
struct operand {
    uint64_t words[MOST][LANES], places[MOST][LANES];
    int count;
    struct operation_values value;
};

struct trying {
    const struct problem *problem;
    struct operation_eval *eval;
    struct operation_error *bounds;
    struct laws *laws;
    int fields;
    enum type types[OPERATION_FIELDS_MAX], result;
    struct operand operands[OPERANDS];
    struct operation_values identity, left, right, part, results[2];
    uint64_t n[LANES];
    uint64_t random, kinds;
    bool is_empty; /* identities alone are compared */
};

/* --- Values ------------------------------------------------------------------------------- */

static uint8_t class_of_field(enum type type, uint64_t word)
{
    const double size = fabs(element_double_of(word));
    const double large = type == F32 ? 0x1p32 : 0x1p256;
    if (!problem_types[type].is_float)
        return 0;
    return size != size                                       ? LAWS_NAN
           : isinf(size)                                      ? LAWS_INFINITE
           : size >= large || (size > 0 && size <= 1 / large) ? LAWS_EXTREME
                                                              : 0;
}

uint8_t laws_class(const enum type *types, int fields, const struct operation_values *values,
                   size_t k)
{
    unsigned class = 0;
    for (int f = 0; f < fields; f++)
        class |= class_of_field(types[f], values->words[f][k]);
    return (uint8_t) class;
}

static uint8_t class_of(const struct trying *trying, const struct operation_values *value,
                        size_t k)
{
    return laws_class(trying->types, trying->fields, value, k);
}

static uint64_t draw(struct trying *trying)
{
    return oracle_mix(trying->random++);
}

/* Small ones, special ones, the same again, or any: a sentence has the simplest that show a breach. */
static uint64_t draw_element(struct trying *trying, uint64_t before)
{
    const uint64_t hash = draw(trying), which = hash >> 8;
    const enum type type = trying->problem->type;
    switch (hash % trying->kinds) {
    case 0:
    case 1: return mapped_draw(type, which % MAPPED_PLAIN);
    case 2:
    case 3: return mapped_draw(type, MAPPED_PLAIN + which % MAPPED_SPECIAL);
    case 4: return before;
    default: return mapped_draw(type, which % MAPPED_DRAWN);
    }
}

/* Near others or far from them; no two of one lane have the same `own`. */
static uint64_t draw_place(struct trying *trying, size_t k, uint64_t own)
{
    return draw(trying) % (k % 2 ? UINT64_C(1) << 35 : 4) * PLACES + own;
}

/* A further input's element beside this one at this place: the simplest where that is one. */
static uint64_t further_beside(const struct trying *trying, size_t input, uint64_t word,
                               uint64_t place)
{
    const uint64_t hash = oracle_mix(word + (place << 20) + input);
    const uint64_t kinds = trying->kinds <= 2 ? MAPPED_PLAIN : MAPPED_DRAWN;
    return mapped_draw(problem_input_type(trying->problem, input), hash % kinds);
}

static void map(struct trying *trying, const uint64_t *words, const uint64_t *places,
                struct operation_values *out)
{
    const struct problem *problem = trying->problem;
    const enum type type = problem->type;
    const size_t bytes = (size_t)problem_types[type].bytes;
    unsigned char elements[LANES * sizeof(uint64_t)] = {0};
    union element_block x[PROBLEM_INPUTS_MAX];
    for (size_t k = 0; k < LANES; k++)
        memcpy(elements + k * bytes, &words[k], bytes);
    element_widen(type, &x[0], elements);
    for (size_t input = 1; input < problem_inputs(problem); input++)
        for (size_t k = 0; k < LANES; k++)
            x[input].u64[k] = further_word(problem_input_type(problem, input), problem->acc,
                                           further_beside(trying, input, words[k], places[k]));
    operation_error_map(trying->bounds, x[0].u64, places, out, LANES);
}

/* Draws elements, `count` of each lane, and combines them. No two have one place. */
static void make_operand(struct trying *trying, struct operand *out, int count)
{
    const uint64_t own = (uint64_t)(out - trying->operands) * MOST;
    out->count = count;
    for (int i = 0; i < count; i++) {
        for (size_t k = 0; k < LANES; k++) {
            const uint64_t before =
                i > 0 ? out->words[i - 1][k] : trying->operands[0].words[0][k];
            out->words[i][k] = draw_element(trying, before);
            out->places[i][k] = draw_place(trying, k, own + (uint64_t)i);
        }
        struct operation_values *to = i > 0 ? &trying->part : &out->value;
        map(trying, out->words[i], out->places[i], to);
        if (i > 0)
            operation_error_combine(trying->bounds, &out->value, to, &out->value, LANES);
    }
}

/* --- Are two values the same? ------------------------------------------------------------- */

/* Are words of this type alike, or as near as their bounds? */
static bool is_alike(enum type type, uint64_t a, uint64_t b, double bound)
{
    const bool is_float = problem_types[type].is_float;
    const double x = is_float ? element_double_of(a) : (double)(int64_t)a;
    const double y = is_float ? element_double_of(b) : (double)(int64_t)b;
    if (a == b || bound >= OPERATION_ERROR_OPEN)
        return true;
    if (!is_float && !(bound > 0)) /* of 64 bits, a double has not all */
        return false;
    return is_float && x != x ? y != y : (is_float && x == y) || fabs(x - y) <= SLACK * bound;
}

static bool has_same_fields(const struct trying *trying, size_t k)
{
    const struct operation_values *a = &trying->left, *b = &trying->right;
    bool is_same = true;
    for (int f = 0; f < trying->fields; f++)
        is_same = is_same && is_alike(trying->types[f], a->words[f][k], b->words[f][k],
                                      a->errors[f][k] + b->errors[f][k]);
    return is_same;
}

/* A result is rounded once more. */
static double unit_of(enum type type, uint64_t word)
{
    const double value = element_double_of(word);
    if (!problem_types[type].is_float || !isfinite(value))
        return 0;
    return fabs(value) * (type == F32 ? 0x1p-23 : 0x1p-52) + (type == F32 ? 0x1p-149 : 0);
}

static bool has_same_result(const struct trying *trying, size_t k)
{
    const struct operation_values *a = &trying->results[0], *b = &trying->results[1];
    const uint64_t x = a->words[0][k], y = b->words[0][k];
    const double bound = a->errors[0][k] + a->errors[1][k] + b->errors[0][k] + b->errors[1][k];
    if ((a->flags[k] | b->flags[k]) & OPERATION_MAY_BE_NAN)
        return true;
    return is_alike(trying->result, x, y, bound > 0 ? bound + unit_of(trying->result, x) : 0);
}

/* Notes lanes of which something went beyond its range; what has infinite or extreme values there is no
 * breach, but no law either. Of identities alone nothing may. */
static bool is_lost(struct trying *trying, const struct operation_values *a,
                    const struct operation_values *b, size_t k, unsigned class)
{
    const bool is = !trying->is_empty && ((a->flags[k] | b->flags[k]) & OPERATION_IS_LOST) != 0;
    trying->laws->lose_infinite |= is && class & LAWS_INFINITE;
    trying->laws->lose_extreme |= is && class & LAWS_EXTREME;
    return is;
}

/* A NaN may reach other fields only when its value is combined, though with the identity. */
static bool has_spread(struct trying *trying, int operands, const struct operation_values *left,
                       const struct operation_values *right, size_t k, unsigned class)
{
    const double l = element_double_of(left->words[0][k]),
                 r = element_double_of(right->words[0][k]);
    const bool is = operands == 1 && (class & LAWS_NAN) &&
                    problem_types[trying->result].is_float && l != l && r == r;
    trying->laws->lose_nan |= is;
    return is;
}

static void finish(struct trying *trying, const struct operation_values *left,
                   const struct operation_values *right)
{
    operation_error_finish(trying->bounds, left, trying->n, &trying->results[0], LANES);
    operation_error_finish(trying->bounds, right, trying->n, &trying->results[1], LANES);
}

/* The lane of the first that finish tells apart, of those in question; -1: none. */
static int find_told_apart(struct trying *trying, int operands, const bool *is_open,
                           const unsigned *classes)
{
    for (size_t k = 0; k < LANES; k++)
        if (is_open[k] && !has_same_result(trying, k) &&
            !is_lost(trying, &trying->results[0], &trying->results[1], k, classes[k]) &&
            !has_spread(trying, operands, &trying->results[0], &trying->results[1], k,
                        classes[k]))
            return (int)k;
    return -1;
}

/* The same once another element is combined with both. */
static int probe(struct trying *trying, int operands, bool *is_open, const unsigned *classes)
{
    int found = -1;
    struct operand *probe = calloc(1, sizeof *probe);
    for (size_t k = 0; k < LANES; k++)
        trying->n[k]++;
    for (int i = 0; probe && found < 0 && i < PROBES; i++) {
        for (size_t k = 0; k < LANES; k++) {
            probe->words[0][k] =
                mapped_draw(trying->problem->type, draw(trying) % MAPPED_PLAIN);
            probe->places[0][k] =
                draw_place(trying, k, UINT64_C(1) * OPERANDS * MOST + (uint64_t)i);
        }
        map(trying, probe->words[0], probe->places[0], &probe->value);
        operation_error_combine(trying->bounds, &trying->left, &probe->value, &trying->part,
                                LANES);
        operation_error_combine(trying->bounds, &trying->right, &probe->value, &probe->value,
                                LANES);
        for (size_t k = 0; k < LANES; k++)
            is_open[k] =
                is_open[k] && !is_lost(trying, &trying->part, &probe->value, k, classes[k]);
        finish(trying, &trying->part, &probe->value);
        found = find_told_apart(trying, operands, is_open, classes);
    }
    free(probe);
    return found;
}

/* The first lane of which left and right, of n elements, are not the same; results then tell. */
static int find_breach(struct trying *trying, int operands)
{
    bool is_open[LANES];
    unsigned classes[LANES] = {0};
    trying->is_empty = operands == 0;
    for (size_t k = 0; k < LANES; k++) {
        trying->n[k] = 0;
        for (int i = 0; i < operands; i++) {
            classes[k] |= class_of(trying, &trying->operands[i].value, k);
            trying->n[k] += (uint64_t)trying->operands[i].count;
        }
        is_open[k] = !has_same_fields(trying, k) &&
                     !is_lost(trying, &trying->left, &trying->right, k, classes[k]);
    }
    finish(trying, &trying->left, &trying->right);
    const int found = find_told_apart(trying, operands, is_open, classes);
    return found >= 0 ? found : probe(trying, operands, is_open, classes);
}

/* --- Sentences ---------------------------------------------------------------------------- */

enum { ELEMENTS_CHARS = 1200, BESIDE_CHARS = 200 };

/* " (i = 7)", " (y = 2)": what else its value is made of. */
static char *format_beside(const struct trying *trying, uint64_t word, uint64_t place,
                           char out[BESIDE_CHARS])
{
    const struct problem *problem = trying->problem;
    size_t used = 0;
    *out = '\0';
    if (operation_mentions(problem->op->text, OPERATION_MAP, OPERATION_I))
        used += (size_t)snprintf(out, BESIDE_CHARS, " (i = %" PRIu64 ")", place);
    for (size_t input = 1; input < problem_inputs(problem); input++) {
        char number[ORACLE_CHARS];
        used += (size_t)snprintf(out + used, BESIDE_CHARS - used, " (%.31s = %s)",
                                 operation_input_name(problem->op, input),
                                 oracle_format(number, problem_input_type(problem, input),
                                               further_beside(trying, input, word, place)));
    }
    return out;
}

/* "3, 5 and 1"; of a value of several "(3, 5)". */
static void format_elements(const struct trying *trying, int operands, size_t k,
                            char out[ELEMENTS_CHARS])
{
    const struct problem *problem = trying->problem;
    size_t used = 0;
    *out = '\0';
    for (int i = 0; i < operands; i++) {
        const struct operand *operand = &trying->operands[i];
        for (int j = 0; j < operand->count && used < ELEMENTS_CHARS; j++) {
            char number[ORACLE_CHARS], beside[BESIDE_CHARS];
            used += (size_t)snprintf(out + used, ELEMENTS_CHARS - used, "%s%s%s%s%s",
                                     i + j > 0 ? ", " : " ",
                                     operand->count > 1 && j == 0 ? "(" : "",
                                     oracle_format(number, problem->type, operand->words[j][k]),
                                     format_beside(trying, operand->words[j][k],
                                                   operand->places[j][k], beside),
                                     operand->count > 1 && j + 1 == operand->count ? ")" : "");
        }
    }
}

static const char *format_result(const struct trying *trying, int which, int k,
                                 char out[ORACLE_CHARS])
{
    const uint64_t word = trying->results[which].words[0][k];
    return oracle_format(out, trying->result, mapped_narrow(trying->result, word));
}

/* What a breach is called, and the words around the elements and both results. */
struct law {
    int operands;
    const char *breach, *first, *second, *help;
};

static int refuse(const struct trying *trying, const struct law *law, int k,
                  struct error *error)
{
    char elements[ELEMENTS_CHARS], left[ORACLE_CHARS], right[ORACLE_CHARS];
    struct text params = {0};
    problem_add_params(&params, trying->problem);
    format_elements(trying, law->operands, (size_t)k, elements);
    error_set(error, ERROR_USAGE, "%s%s%.80s: %s%s %s %s, %s %s; %s",
              operation_option(trying->problem->op), params.at ? ", with" : "",
              params.at ? params.at : "", law->breach, elements, law->first,
              format_result(trying, 0, k, left), law->second,
              format_result(trying, 1, k, right), law->help);
    text_dispose(&params);
    return -1;
}

/* --- Laws --------------------------------------------------------------------------------- */

static const struct law empty = {0, "combine(identity, identity) is not the identity:",
                                 "with one more element it gives", "which alone gives",
                                 "let combine give the other value where one is the identity"};
static const struct law neutral = {1, "the identity changes a value: with it, x =", "gives",
                                   "and alone", "write one that changes no value"};
static const struct law commuting = {2, "combine is not commutative: of x =", "a with b gives",
                                     "and b with a gives",
                                     "write it so that a and b may be exchanged"};
static const struct law associative = {3, "combine is not associative: of x =", "(a b) c gives",
                                       "and a (b c) gives",
                                       "write it so that any two may be combined first"};

/* Left and right should be the same. */
static int compare(struct trying *trying, const struct law *law, struct error *error)
{
    const int k = find_breach(trying, law->operands);
    return k < 0 ? 0 : refuse(trying, law, k, error);
}

static void combine(struct trying *trying, const struct operation_values *a,
                    const struct operation_values *b, struct operation_values *out)
{
    operation_error_combine(trying->bounds, a, b, out, LANES);
}

static int try_identity(struct trying *trying, struct error *error)
{
    struct operand *a = &trying->operands[0];
    make_operand(trying, a, 1);
    trying->right = a->value;
    combine(trying, &trying->identity, &a->value, &trying->left);
    if (compare(trying, &neutral, error))
        return -1;
    combine(trying, &a->value, &trying->identity, &trying->left);
    if (compare(trying, &neutral, error))
        return -1;
    combine(trying, &trying->identity, &trying->identity, &trying->left);
    trying->right = trying->identity;
    return compare(trying, &empty, error);
}

static int try_commutes(struct trying *trying, int count, struct error *error)
{
    struct operand *a = &trying->operands[0], *b = &trying->operands[1];
    make_operand(trying, a, count);
    make_operand(trying, b, 1 + count / 2);
    combine(trying, &a->value, &b->value, &trying->left);
    combine(trying, &b->value, &a->value, &trying->right);
    return compare(trying, &commuting, error);
}

static int try_associates(struct trying *trying, int count, struct error *error)
{
    struct operand *a = &trying->operands[0], *b = &trying->operands[1],
                   *c = &trying->operands[2];
    make_operand(trying, a, count);
    make_operand(trying, b, 1 + count / 2);
    make_operand(trying, c, 1);
    combine(trying, &a->value, &b->value, &trying->left);
    combine(trying, &trying->left, &c->value, &trying->left);
    combine(trying, &b->value, &c->value, &trying->right);
    combine(trying, &a->value, &trying->right, &trying->right);
    return compare(trying, &associative, error);
}

static void start(struct trying *trying)
{
    const struct problem *problem = trying->problem;
    const struct operation_text *text = problem->op->text;
    trying->fields = operation_field_count(text);
    trying->result = problem_result(problem);
    for (int f = 0; f < trying->fields; f++)
        trying->types[f] = operation_field_type(text, f, problem->acc);
    operation_eval_identity(trying->eval, trying->identity.words[0], LANES);
}

/* Combines the value of an element with itself, again and again. */
static bool grows_from(struct trying *trying, double x)
{
    const enum type type = trying->problem->type;
    struct operation_values *value = &trying->left;
    uint64_t words[LANES] = {0}, places[LANES] = {0};
    bool grows = false;
    if (problem_types[type].is_float)
        element_store(type, x, words, 0);
    else
        words[0] = (uint64_t)x;
    map(trying, words, places, value);
    for (int i = 0; i < DOUBLINGS && !grows; i++) {
        operation_error_combine(trying->bounds, value, value, value, 1);
        grows = (value->flags[0] & OPERATION_IS_LOST) ||
                (class_of(trying, value, 0) & (LAWS_INFINITE | LAWS_EXTREME));
    }
    return grows;
}

int laws_try(struct laws *out, const struct problem *problem, struct operation_eval *eval,
             struct operation_error *bounds, struct error *error)
{
    struct trying *trying = calloc(1, sizeof *trying);
    int failed = 0;
    *out = (struct laws){.grow = false};
    if (!trying)
        return error_memory(error, sizeof *trying);
    trying->problem = problem;
    trying->eval = eval;
    trying->bounds = bounds;
    trying->laws = out;
    start(trying);
    for (int round = 0; !failed && round < ROUNDS; round++) {
        const int count = round < ROUNDS / 2 ? 1 : 1 + round % MOST;
        trying->kinds = round == 0 ? 2 : round == 1 ? 4 : 8;
        failed = (problem_commutes(problem) && try_commutes(trying, count, error)) ||
                 try_associates(trying, count, error) || try_identity(trying, error);
    }
    out->grow = grows_from(trying, 2) || grows_from(trying, 3) || grows_from(trying, 0.5);
    free(trying);
    return failed ? -1 : 0;
}
