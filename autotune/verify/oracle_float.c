/* oracle_float: folds sums and products of floats. Exact inputs are folded without rounding;
 * random elements of several magnitudes have a compensated reference in double, and a bound
 * that any order of combining keeps. Hides the distribution. */
#include "autotune/verify/oracle_mapped.h"
#include "autotune/verify/oracle_ops.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK = ELEMENT_BLOCK,
    LANES = ORACLE_LANES,
    FACTORS_MAX = 1024, /* elements of a product that are not +-1 */
};

/* --- Exact sums and products -------------------------------------------------------------- */

/* The contents of words[]: the sum, or the sign and the exponent of the product. */
enum { TOTAL, EXPONENT, FLAWED };

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void see_partial(struct oracle_fold *fold, double partial)
{
    fold->largest = fmax(fold->largest, fabs(partial));
}

/* So many elements are looked at, the last ones 0: of a short row not all of a chunk. */
static int round_up(uint64_t count)
{
    return (int)((count + LANES - 1) / LANES * LANES);
}

/* An integer in a double comes back unchanged from adding and taking away 1.5 * 2^52. */
static bool has_fraction(const union element_block *block, int count)
{
    const double round = 0x1.8p52;
    double flaws[LANES] = {0}, worst = 0;
    for (int i = 0; i < count; i += LANES)
        for (int k = 0; k < LANES; k++)
            flaws[k] += fabs(block->f64[i + k] + round - round - block->f64[i + k]);
    for (int k = 0; k < LANES; k++)
        worst += flaws[k];
    return !(worst <= 0);
}

/* Eight strided sums, whose running values are partial results too. */
static void add_sum(struct oracle_fold *fold, union element_block *block, uint64_t count)
{
    const struct oracle_op *op = oracle_op(&fold->problem);
    const int end = round_up(count);
    double lanes[LANES] = {0}, total = element_double_of(fold->words[TOTAL]);
    for (int i = (int)count; i < end; i++)
        block->f64[i] = 0.0;
    fold->words[FLAWED] |= has_fraction(block, end);
    if (op->map_floats)
        op->map_floats(block, NULL);
    for (int i = 0; i < end; i += LANES)
        for (int k = 0; k < LANES; k++)
            lanes[k] += block->f64[i + k];
    for (int k = 0; k < LANES; k++) {
        see_partial(fold, lanes[k]);
        total += lanes[k];
        see_partial(fold, total);
    }
    fold->words[TOTAL] = bits_of(total);
}

static void scan_sum(struct oracle_fold *fold, union element_block *block, uint64_t count,
                     void *expects)
{
    const struct oracle_op *op = oracle_op(&fold->problem);
    const bool is_exclusive = fold->problem.dims.scan == DIMS_EXCLUSIVE;
    double total = element_double_of(fold->words[TOTAL]);
    const int end = round_up(count);
    for (int i = (int)count; i < end; i++)
        block->f64[i] = 0.0;
    fold->words[FLAWED] |= has_fraction(block, end);
    if (op->map_floats)
        op->map_floats(block, NULL);
    double least = 0, most = 0;
    for (uint64_t i = 0; i < count; i++) {
        const double before = total;
        total += block->f64[i];
        least = total < least ? total : least;
        most = total > most ? total : most;
        block->f64[i] = is_exclusive ? before : total;
    }
    see_partial(fold, least);
    see_partial(fold, most);
    element_store_block(fold->problem.acc, block, count, expects);
    fold->words[TOTAL] = bits_of(total);
}

static void merge_sum(struct oracle_fold *into, const struct oracle_fold *from)
{
    const double total =
        element_double_of(into->words[TOTAL]) + element_double_of(from->words[TOTAL]);
    into->words[FLAWED] |= from->words[FLAWED];
    into->words[TOTAL] = bits_of(total);
    see_partial(into, total);
}

/* Totals of one sign pile up: the largest is that of all whole periods and a part of one.
 * Totals of squares only grow, so that the last is the largest. */
static void see_period(struct oracle_fold *fold, const struct oracle_fold *period)
{
    if (!oracle_op(&fold->problem)->map_floats)
        see_partial(fold, fabs(element_double_of(fold->words[TOTAL])) + period->largest);
}

/* Multiplies powers of two: by their signs and exponents. */
static void add_product(struct oracle_fold *fold, union element_block *block, uint64_t count)
{
    const uint64_t fraction = ((uint64_t)1 << 52) - 1;
    uint64_t signs = 0, fractions = 0, exponents = 0;
    for (uint64_t i = count; i < CHUNK; i++)
        block->f64[i] = 1.0;
    for (int i = 0; i < CHUNK; i++) {
        signs ^= block->u64[i];
        fractions |= block->u64[i] & fraction;
        exponents += block->u64[i] << 1 >> 53;
    }
    fold->words[TOTAL] ^= signs >> 63;
    fold->words[FLAWED] |= fractions != 0;
    fold->words[EXPONENT] += exponents - (uint64_t)CHUNK * 1023;
    see_partial(fold, (double)(int64_t)fold->words[EXPONENT]);
}

static void scan_product(struct oracle_fold *fold, union element_block *block, uint64_t count,
                         void *expects)
{
    const bool is_exclusive = fold->problem.dims.scan == DIMS_EXCLUSIVE;
    const double sign = fold->words[TOTAL] & 1 ? -1.0 : 1.0;
    double total = ldexp(sign, (int)(int64_t)fold->words[EXPONENT]);
    for (uint64_t i = 0; i < count; i++) {
        const double before = total;
        total *= block->f64[i];
        element_store(fold->problem.acc, is_exclusive ? before : total, expects, i);
    }
    add_product(fold, block, count);
}

static void merge_product(struct oracle_fold *into, const struct oracle_fold *from)
{
    into->words[FLAWED] |= from->words[FLAWED];
    into->words[TOTAL] ^= from->words[TOTAL];
    into->words[EXPONENT] += from->words[EXPONENT];
    see_partial(into, (double)(int64_t)into->words[EXPONENT]);
}

/* Fails where an element, or a partial result that may reach `limit`, rounds. */
static int finish_exact(const struct oracle_fold *fold, double limit, double value,
                        oracle_bits *out, struct error *error)
{
    const struct problem *problem = &fold->problem;
    if (fold->words[FLAWED] || !(fold->largest <= limit))
        return error_set(error, ERROR_FAILED,
                         "the input of %s %s is not exact: %s; use another --seed or a wider "
                         "--acc",
                         problem->op->name, problem_types[problem->type].name,
                         fold->words[FLAWED] ? "an element rounds"
                                             : "a partial result leaves the exact range");
    *out = 0;
    element_store(problem->acc, value, out, 0);
    return 0;
}

static int finish_sum(const struct oracle_fold *fold, oracle_bits *out, struct error *error)
{
    const struct problem *problem = &fold->problem;
    /* Between two of a scan's sums, whose signs may differ, lies twice as much as in either. */
    const bool is_twice = problem->dims.scan && !oracle_op(problem)->map_floats;
    const double limit = ldexp(is_twice ? 0.5 : 0.75, problem_types[problem->acc].exact_bits);
    return finish_exact(fold, limit, element_double_of(fold->words[TOTAL]), out, error);
}

static int finish_product(const struct oracle_fold *fold, oracle_bits *out, struct error *error)
{
    const double limit = -ilogb(element_range(fold->problem.acc).small);
    const double sign = fold->words[TOTAL] & 1 ? -1.0 : 1.0;
    const int exponent = (int)(int64_t)fold->words[EXPONENT];
    return finish_exact(fold, limit, ldexp(sign, exponent), out, error);
}

/* --- Random elements ---------------------------------------------------------------------- */

static double unit(uint64_t word)
{
    return (double)(word >> 11) * 0x1p-53;
}

/* +-(1 .. 2) * 2^(-8 .. 7). */
static double random_term(uint64_t word, uint64_t position, uint64_t stride)
{
    (void)position, (void)stride;
    const uint64_t sign = word >> 59 & 1, exponent = 1023 - 8 + (word >> 60);
    const uint64_t bits = sign << 63 | exponent << 52 | (word << 5) >> 12;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* One of `stride` neighbours is +-(1 .. 1.5) or the reciprocal; the others are +-1, and
 * multiply without rounding. */
static double random_factor(uint64_t word, uint64_t position, uint64_t stride)
{
    const uint64_t place = (position / stride * 0x9e3779b97f4a7c15u >> 20) % stride;
    double value = 1.0;
    if (position % stride == place)
        value += unit(word << 5) / 2;
    if (word >> 60 & 1)
        value = 1.0 / value;
    return word >> 59 & 1 ? -value : value;
}

void oracle_fill_random(const struct oracle_input *input, uint64_t first, uint64_t count,
                        void *out)
{
    const struct oracle_recipe recipe = {.seed = ~input->seed};
    const struct oracle_folding *folding = oracle_kind(&input->problem)->folding;
    const uint64_t factors = (input->problem.dims.depth.n + FACTORS_MAX - 1) / FACTORS_MAX;
    const uint64_t stride = factors > 0 ? factors : 1;
    union element_block words;
    if (oracle_has_map(&input->problem)) {
        mapped_fill(oracle_mapped(&input->problem), input, true, first, count, out);
        return;
    }
    if (!folding->random) {
        oracle_fill(input, first, count, out);
        return;
    }
    for (uint64_t done = 0; done < count;) {
        const uint64_t at = first + done, skip = at % CHUNK, left = count - done;
        const uint64_t take = left < CHUNK - skip ? left : CHUNK - skip;
        oracle_words.wide(&words, &recipe, at / CHUNK);
        for (uint64_t i = 0; i < take; i++)
            element_store(input->problem.type,
                          folding->random(words.u64[skip + i], at + i, stride), out, done + i);
        done += take;
    }
}

/* --- Reference ---------------------------------------------------------------------------- */

/* a + b = sum + the value added to `rest`, without error (Knuth's two-sum). */
static double two_sum(double a, double b, double *rest)
{
    const double sum = a + b, part = sum - a;
    *rest += (a - (sum - part)) + (b - part);
    return sum;
}

static void add_terms(struct oracle_reference *reference, const struct problem *problem,
                      const void *elements, uint64_t count, double *rest)
{
    const struct oracle_op *op = oracle_op(problem);
    double sums[LANES] = {0}, rests[LANES] = {0}, sizes[LANES] = {0};
    union element_block chunk;
    const uint64_t bytes = (uint64_t)problem_types[problem->type].bytes;
    for (uint64_t done = 0; done < count; done += CHUNK) {
        const uint64_t left = count - done, take = left < CHUNK ? left : CHUNK;
        const uint64_t end = (take + LANES - 1) / LANES * LANES;
        const uint64_t zeros = op->map_floats ? CHUNK : end; /* up to here, behind the last */
        if (take == CHUNK)
            element_widen(problem->type, &chunk,
                          (const unsigned char *)elements + done * bytes);
        for (uint64_t i = 0; i < zeros && take < CHUNK; i++)
            chunk.f64[i] = i < take ? element_load(problem->type, elements, done + i) : 0.0;
        if (op->map_floats)
            op->map_floats(&chunk, rests);
        for (uint64_t i = 0; i < end; i += LANES)
            for (uint64_t k = 0; k < LANES; k++) {
                sums[k] = two_sum(sums[k], chunk.f64[i + k], &rests[k]);
                sizes[k] += fabs(chunk.f64[i + k]);
            }
    }
    for (uint64_t k = 0; k < LANES && k < count; k++) {
        reference->value = two_sum(reference->value, sums[k], rest);
        *rest += rests[k];
        reference->sum_abs += sizes[k];
    }
    const double carry = *rest;
    *rest = 0;
    reference->value = two_sum(reference->value, carry, rest);
}

/* sum_abs is kept at (factors + 1) * |product|, where factors counts those that are not +-1. */
static void multiply_terms(struct oracle_reference *reference, const struct problem *problem,
                           const void *elements, uint64_t count, double *rest)
{
    const bool is_first = !(reference->sum_abs > 0);
    double value = is_first ? 1.0 : reference->value;
    double factors = is_first ? 1.0 : nearbyint(reference->sum_abs / fabs(value));
    for (uint64_t i = 0; i < count; i++) {
        const double x = element_load(problem->type, elements, i);
        const double product = value * x;
        *rest = *rest * x + fma(value, x, -product);
        value = product;
        factors += fabs(x) < 1 || fabs(x) > 1;
    }
    const double carry = *rest;
    *rest = 0;
    reference->value = two_sum(value, carry, rest);
    reference->sum_abs = factors * fabs(reference->value);
}

void oracle_reference_add(struct oracle_reference *reference, const struct problem *problem,
                          const void *elements, uint64_t count, double *compensation)
{
    const struct oracle_folding *folding = oracle_kind(problem)->folding;
    if (folding->add_reference)
        folding->add_reference(reference, problem, elements, count, compensation);
}

double oracle_bound(enum type acc, uint64_t height, double sum_abs)
{
    const int bits = problem_types[acc].exact_bits;
    const double hu = ldexp((double)height, -bits);
    if (bits == 0)
        return 0.0;
    return hu < 1.0 ? hu / (1.0 - hu) * sum_abs : HUGE_VAL;
}

/* --- Foldings ----------------------------------------------------------------------------- */

const struct oracle_folding oracle_fold_sum = {
    .add = add_sum,
    .scan = scan_sum,
    .merge = merge_sum,
    .see_period = see_period,
    .finish = finish_sum,
    .random = random_term,
    .add_reference = add_terms,
};

const struct oracle_folding oracle_fold_product = {
    .add = add_product,
    .scan = scan_product,
    .merge = merge_product,
    .finish = finish_product,
    .random = random_factor,
    .add_reference = multiply_terms,
};
