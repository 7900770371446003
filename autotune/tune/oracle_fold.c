/* oracle_fold: the right answer. Elements are widened 256 at a time to 64-bit words (min and
 * max to integers in the same order) and folded there exactly. Hides the state in words[]. */
#include "autotune/tune/oracle.h"
#include "autotune/tune/oracle_position.h"
#include "autotune/tune/oracle_widen.h"

#include <math.h>
#include <string.h>

enum { BLOCK = WIDEN_BLOCK, LANES = 8 };

/* What words[] holds; floats keep the sum, or the sign and exponent of the product. */
enum { TOTAL, EXPONENT, FLAWED, HAS_NAN };

static bool is_float(const struct problem *problem)
{
    return problem_types[problem->type].is_float;
}

static bool is_squared(const struct problem *problem)
{
    return problem->op == SUMSQ;
}

static bool is_position(const struct problem *problem)
{
    return problem_ops[problem->op].is_position;
}

static bool is_order(const struct problem *problem)
{
    return problem->op == MIN || problem->op == MAX;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* --- Before combining ------------------------------------------------------------------- */

static void square_words(union widened *block)
{
    for (int i = 0; i < BLOCK; i++)
        block->u64[i] *= block->u64[i];
}

/* Integers in the order of the values: -0 below +0; unsigned words above 2^63 turned over. The
 * step is its own inverse. */
static int64_t order_key(enum type type, uint64_t word)
{
    if (problem_types[type].is_float)
        return (int64_t)(word ^ (0 - (word >> 63)) >> 1);
    return (int64_t)(type == U64 ? word ^ (uint64_t)1 << 63 : word);
}

static bool turn_floats(union widened *block)
{
    bool has_nan = false;
    for (int i = 0; i < BLOCK; i++)
        has_nan |= block->f64[i] != block->f64[i];
    for (int i = 0; i < BLOCK; i++)
        block->u64[i] ^= (0 - (block->u64[i] >> 63)) >> 1;
    return has_nan;
}

static void turn_unsigned(union widened *block)
{
    for (int i = 0; i < BLOCK; i++)
        block->u64[i] ^= (uint64_t)1 << 63;
}

/* --- One block, by operation -------------------------------------------------------------- */

typedef uint64_t combine_block(uint64_t total, const union widened *block);

static uint64_t combine_sum(uint64_t total, const union widened *block)
{
    for (int i = 0; i < BLOCK; i++)
        total += block->u64[i];
    return total;
}

static uint64_t combine_prod(uint64_t total, const union widened *block)
{
    uint64_t lanes[4] = {total, 1, 1, 1};
    for (int i = 0; i < BLOCK; i += 4)
        for (int k = 0; k < 4; k++)
            lanes[k] *= block->u64[i + k];
    return lanes[0] * lanes[1] * lanes[2] * lanes[3];
}

static uint64_t combine_min(uint64_t total, const union widened *block)
{
    int64_t lanes[4] = {(int64_t)total, (int64_t)total, (int64_t)total, (int64_t)total};
    for (int i = 0; i < BLOCK; i += 4)
        for (int k = 0; k < 4; k++)
            lanes[k] = block->i64[i + k] < lanes[k] ? block->i64[i + k] : lanes[k];
    for (int k = 1; k < 4; k++)
        lanes[0] = lanes[k] < lanes[0] ? lanes[k] : lanes[0];
    return (uint64_t)lanes[0];
}

static uint64_t combine_max(uint64_t total, const union widened *block)
{
    int64_t lanes[4] = {(int64_t)total, (int64_t)total, (int64_t)total, (int64_t)total};
    for (int i = 0; i < BLOCK; i += 4)
        for (int k = 0; k < 4; k++)
            lanes[k] = block->i64[i + k] > lanes[k] ? block->i64[i + k] : lanes[k];
    for (int k = 1; k < 4; k++)
        lanes[0] = lanes[k] > lanes[0] ? lanes[k] : lanes[0];
    return (uint64_t)lanes[0];
}

static uint64_t combine_and(uint64_t total, const union widened *block)
{
    for (int i = 0; i < BLOCK; i++)
        total &= block->u64[i];
    return total;
}

static uint64_t combine_or(uint64_t total, const union widened *block)
{
    for (int i = 0; i < BLOCK; i++)
        total |= block->u64[i];
    return total;
}

static uint64_t combine_xor(uint64_t total, const union widened *block)
{
    for (int i = 0; i < BLOCK; i++)
        total ^= block->u64[i];
    return total;
}

static const struct {
    combine_block *combine;
    uint64_t identity;
} steps[OP_COUNT] = {
    [SUM] = {combine_sum, 0},
    [SUMSQ] = {combine_sum, 0},
    [PROD] = {combine_prod, 1},
    [MIN] = {combine_min, INT64_MAX},
    [MAX] = {combine_max, (uint64_t)INT64_MIN},
    [AND] = {combine_and, UINT64_MAX},
    [OR] = {combine_or, 0},
    [XOR] = {combine_xor, 0},
};

static void see_partial(struct oracle_fold *fold, double partial)
{
    fold->largest = fmax(fold->largest, fabs(partial));
}

/* Eight strided sums of elements or of squares, whose running values are partial results too.
 * An integer in a double comes back unchanged from adding and taking away 1.5 * 2^52. */
static void sum_floats(struct oracle_fold *fold, const union widened *block)
{
    const double round = 0x1.8p52;
    const bool squares = is_squared(&fold->problem);
    double lanes[LANES] = {0}, flaws[LANES] = {0}, total = double_of(fold->words[TOTAL]);
    for (int i = 0; i < BLOCK; i += LANES) {
        for (int k = 0; k < LANES; k++) {
            const double x = block->f64[i + k];
            flaws[k] += fabs(x + round - round - x);
            lanes[k] += squares ? x * x : x;
        }
    }
    for (int k = 0; k < LANES; k++) {
        fold->words[FLAWED] |= !(flaws[k] <= 0);
        see_partial(fold, lanes[k]);
        total += lanes[k];
        see_partial(fold, total);
    }
    fold->words[TOTAL] = bits_of(total);
}

/* Powers of two: signs and exponents are all there is to multiply. */
static void multiply_floats(struct oracle_fold *fold, const union widened *block)
{
    const uint64_t fraction = ((uint64_t)1 << 52) - 1;
    uint64_t signs = 0, fractions = 0, exponents = 0;
    for (int i = 0; i < BLOCK; i++) {
        signs ^= block->u64[i];
        fractions |= block->u64[i] & fraction;
        exponents += block->u64[i] << 1 >> 53;
    }
    fold->words[TOTAL] ^= signs >> 63;
    fold->words[FLAWED] |= fractions != 0;
    fold->words[EXPONENT] += exponents - (uint64_t)BLOCK * 1023;
    see_partial(fold, (double)(int64_t)fold->words[EXPONENT]);
}

static void add_block(struct oracle_fold *fold, union widened *block)
{
    const struct problem *problem = &fold->problem;
    if (is_order(problem) && is_float(problem))
        fold->words[HAS_NAN] |= turn_floats(block);
    else if (is_order(problem) && problem->type == U64)
        turn_unsigned(block);
    else if (is_squared(problem) && !is_float(problem))
        square_words(block);
    if (is_order(problem) || !is_float(problem))
        fold->words[TOTAL] = steps[problem->op].combine(fold->words[TOTAL], block);
    else if (problem_is_rounded_sum(problem))
        sum_floats(fold, block);
    else
        multiply_floats(fold, block);
}

/* A word that changes nothing, before min and max are turned into their order. */
static uint64_t neutral(const struct problem *problem)
{
    if (is_float(problem) && problem->op == PROD)
        return bits_of(1.0);
    if (is_float(problem) && is_order(problem))
        return bits_of(problem->op == MIN ? INFINITY : -INFINITY);
    if (is_order(problem))
        return (uint64_t)order_key(problem->type, steps[problem->op].identity);
    return steps[problem->op].identity;
}

static void add_rest(struct oracle_fold *fold, const void *elements, size_t count)
{
    union widened raw = {.u64 = {0}}, block;
    memcpy(&raw, elements, count * (size_t)problem_types[fold->problem.type].bytes);
    widen_table[fold->problem.type](&block, &raw);
    for (size_t i = count; i < BLOCK; i++)
        block.u64[i] = neutral(&fold->problem);
    add_block(fold, &block);
}

/* --- The fold ----------------------------------------------------------------------------- */

void oracle_fold_init(struct oracle_fold *fold, const struct problem *problem)
{
    *fold = (struct oracle_fold){.problem = *problem};
    if (is_position(problem))
        position_init(fold);
    else if (is_order(problem) || !is_float(problem))
        fold->words[TOTAL] = steps[problem->op].identity;
}

void oracle_fold_add(struct oracle_fold *fold, const void *elements, uint64_t count)
{
    const size_t bytes = (size_t)problem_types[fold->problem.type].bytes;
    const unsigned char *from = elements;
    widen_elements *widen = widen_table[fold->problem.type];
    union widened block;
    if (is_position(&fold->problem)) {
        position_add(fold, elements, count);
        return;
    }
    fold->count += count;
    for (; count >= BLOCK; count -= BLOCK, from += BLOCK * bytes) {
        widen(&block, from);
        add_block(fold, &block);
    }
    if (count > 0)
        add_rest(fold, from, count);
}

void oracle_fold_merge(struct oracle_fold *into, const struct oracle_fold *from)
{
    const enum op op = into->problem.op;
    union widened block;
    if (is_position(&into->problem)) {
        position_merge(into, from);
        return;
    }
    into->count += from->count;
    into->largest = fmax(into->largest, from->largest);
    into->words[FLAWED] |= from->words[FLAWED];
    into->words[HAS_NAN] |= from->words[HAS_NAN];
    if (is_order(&into->problem) || !is_float(&into->problem)) {
        for (int i = 0; i < BLOCK; i++)
            block.u64[i] = i == 0 ? from->words[TOTAL] : steps[op].identity;
        into->words[TOTAL] = steps[op].combine(into->words[TOTAL], &block);
    } else if (problem_is_rounded_sum(&into->problem)) {
        const double total = double_of(into->words[TOTAL]) + double_of(from->words[TOTAL]);
        into->words[TOTAL] = bits_of(total);
        see_partial(into, total);
    } else {
        into->words[TOTAL] ^= from->words[TOTAL];
        into->words[EXPONENT] += from->words[EXPONENT];
        see_partial(into, (double)(int64_t)into->words[EXPONENT]);
    }
}

/* Puts what decides in the place of the plain element. A plain element of and, or, min, max and
 * their positions counts for nothing beside it; one of a float product is its own inverse. */
static void decide(struct oracle_fold *fold, const struct oracle_input *input, uint64_t at)
{
    uint64_t plain = 0, decided = 0;
    oracle_fill_plain(input, at, 1, &plain);
    oracle_fill(input, at, 1, &decided);
    fold->next = at;
    oracle_fold_add(fold, &plain, 1);
    fold->next = at;
    oracle_fold_add(fold, &decided, 1);
}

/* The first of a period's equals stands in the first period, where `rest` says it is too.
 * Totals of one sign pile up: the largest is that of all whole periods and a part of one. Those
 * of squares only grow, so that the last is the largest. */
void oracle_fold_periods(struct oracle_fold *out, const struct oracle_input *input,
                         const struct oracle_fold *period, const struct oracle_fold *rest)
{
    const uint64_t times = dims_n(&input->problem.dims) / input->period;
    uint64_t deciding[ORACLE_DECIDING_MAX];
    const size_t count = oracle_list_deciding(input, deciding);
    oracle_fold_init(out, &input->problem);
    for (uint64_t i = 0; i < times; i++)
        oracle_fold_merge(out, period);
    if (out->problem.op == SUM && is_float(&out->problem))
        see_partial(out, fabs(double_of(out->words[TOTAL])) + period->largest);
    oracle_fold_merge(out, rest);
    for (size_t i = 0; i < count; i++)
        decide(out, input, deciding[i]);
    out->count = dims_n(&input->problem.dims);
}

/* --- The result --------------------------------------------------------------------------- */

static oracle_bits float_result(enum type acc, double value)
{
    const float narrow = (float)value;
    uint32_t low;
    if (acc == F64)
        return bits_of(value);
    memcpy(&low, &narrow, sizeof low);
    return low;
}

static oracle_bits integer_result(enum type acc, uint64_t value)
{
    return problem_types[acc].bytes == 4 ? value & UINT32_MAX : value;
}

static oracle_bits empty_order(enum op op, enum type acc)
{
    const struct type_row *row = &problem_types[acc];
    const uint64_t ones = row->bytes == 4 ? UINT32_MAX : UINT64_MAX;
    const uint64_t highest = row->is_signed ? ones >> 1 : ones;
    if (row->is_float)
        return float_result(acc, op == MIN ? INFINITY : -INFINITY);
    return op == MIN ? highest : ones ^ highest;
}

static oracle_bits order_result(const struct oracle_fold *fold)
{
    const struct problem *problem = &fold->problem;
    const uint64_t value = (uint64_t)order_key(problem->type, fold->words[TOTAL]);
    if (fold->count == 0)
        return empty_order(problem->op, problem->acc);
    if (!is_float(problem))
        return integer_result(problem->acc, value);
    return float_result(problem->acc, fold->words[HAS_NAN] ? NAN : double_of(value));
}

int oracle_fold_finish(const struct oracle_fold *fold, oracle_bits *out, struct error *error)
{
    const struct problem *problem = &fold->problem;
    const int exact = problem_types[problem->acc].exact_bits;
    if (is_position(problem)) {
        *out = position_result(fold);
        return 0;
    }
    if (is_order(problem) || !is_float(problem)) {
        *out = is_order(problem) ? order_result(fold)
                                 : integer_result(problem->acc, fold->words[TOTAL]);
        return 0;
    }
    const bool is_sum = problem_is_rounded_sum(problem);
    const double limit = is_sum ? ldexp(0.75, exact) : problem->acc == F32 ? 126 : 1022;
    if (fold->words[FLAWED] || !(fold->largest <= limit))
        return error_set(error, ERROR_FAILED,
                         "the input of %s %s is not exact: %s; use another --seed or a wider "
                         "--acc",
                         problem_ops[problem->op].name, problem_types[problem->type].name,
                         fold->words[FLAWED] ? "an element rounds"
                                             : "a partial result leaves the exact range");
    const double sign = fold->words[TOTAL] & 1 ? -1.0 : 1.0;
    *out =
        float_result(problem->acc, is_sum ? double_of(fold->words[TOTAL])
                                          : ldexp(sign, (int)(int64_t)fold->words[EXPONENT]));
    return 0;
}
