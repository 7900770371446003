/* oracle_float: floats that round. Random elements of several magnitudes, a compensated
 * reference in double, and the bound that any order of summation keeps. Hides the
 * distribution. */
#include "autotune/tune/element.h"
#include "autotune/tune/oracle.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK = 256,
    LANES = 8,
    FACTORS_MAX = 1024, /* elements of a product that are not +-1 */
};

static double unit(uint64_t word)
{
    return (double)(word >> 11) * 0x1p-53;
}

/* +-(1 .. 2) * 2^(-8 .. 7). */
static double random_term(uint64_t word)
{
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

bool oracle_rounds(const struct problem *problem)
{
    return problem_types[problem->type].is_float &&
           (problem->op == PROD || problem_is_rounded_sum(problem));
}

void oracle_fill_random(const struct oracle_input *input, uint64_t first, uint64_t count,
                        void *out)
{
    const struct oracle_input source = {.problem = {.op = XOR, .type = U64, .acc = U64},
                                        .seed = ~input->seed};
    const uint64_t stride = (dims_n(&input->problem.dims) + FACTORS_MAX - 1) / FACTORS_MAX;
    uint64_t words[CHUNK];
    if (!oracle_rounds(&input->problem)) {
        oracle_fill(input, first, count, out);
        return;
    }
    for (uint64_t done = 0; done < count;) {
        const uint64_t take = count - done < CHUNK ? count - done : CHUNK;
        oracle_fill(&source, first + done, take, words);
        for (uint64_t i = 0; i < take; i++)
            element_store(input->problem.type,
                          input->problem.op == PROD ? random_factor(words[i], first + done + i,
                                                                    stride > 0 ? stride : 1)
                                                    : random_term(words[i]),
                          out, done + i);
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

static void widen(double out[CHUNK], const struct problem *problem, const void *elements,
                  uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < CHUNK; i++)
        out[i] = i < count ? element_load(problem->type, elements, first + i) : 0.0;
}

/* Elements to squares and what their rounding to double leaves: nothing but for f64. */
static void square(double chunk[CHUNK], double rests[LANES])
{
    for (int i = 0; i < CHUNK; i++) {
        const double x = chunk[i];
        chunk[i] = x * x;
        rests[i % LANES] += fma(x, x, -chunk[i]);
    }
}

static void add_terms(struct oracle_reference *reference, const struct problem *problem,
                      const void *elements, uint64_t count, double *rest)
{
    double chunk[CHUNK], sums[LANES] = {0}, rests[LANES] = {0}, sizes[LANES] = {0};
    for (uint64_t done = 0; done < count; done += CHUNK) {
        widen(chunk, problem, elements, done, count - done);
        if (problem->op == SUMSQ)
            square(chunk, rests);
        for (int i = 0; i < CHUNK; i += LANES)
            for (int k = 0; k < LANES; k++) {
                sums[k] = two_sum(sums[k], chunk[i + k], &rests[k]);
                sizes[k] += fabs(chunk[i + k]);
            }
    }
    for (int k = 0; k < LANES; k++) {
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
    if (problem_is_rounded_sum(problem))
        add_terms(reference, problem, elements, count, compensation);
    else if (oracle_rounds(problem))
        multiply_terms(reference, problem, elements, count, compensation);
}

double oracle_bound(enum type acc, uint64_t height, double sum_abs)
{
    const int bits = problem_types[acc].exact_bits;
    const double hu = ldexp((double)height, -bits);
    if (bits == 0)
        return 0.0;
    return hu < 1.0 ? hu / (1.0 - hu) * sum_abs : HUGE_VAL;
}
