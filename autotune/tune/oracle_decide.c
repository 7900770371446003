/* oracle_decide: the elements of an input that decide: the mark, the scattered bits, the 2 of a
 * product, and the loud values around it. Hides where they stand and how large they are. */
#include "autotune/tune/oracle_decide.h"

#include "autotune/tune/element.h"

#include <string.h>

uint64_t decide_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* --- Ranges ------------------------------------------------------------------------------- */

/* min and max work on a scale of sixteenths of the type's range (2^24 for floats, 2^11 for f16,
 * 2^8 for bf16): fillers within +-1, the mark at 2, loud values at 4; odd seeds move fillers
 * and mark by 6, to where all are on the identity's side of zero. */
static int range_bits(enum type type)
{
    const struct type_row *row = &problem_types[type];
    return !row->is_float ? 8 * row->bytes : row->exact_bits < 24 ? row->exact_bits : 24;
}

static int64_t sixteenths(enum type type, int count)
{
    return (int64_t)count * ((int64_t)1 << (range_bits(type) - 4));
}

static int64_t toward(enum op op)
{
    return problem_ops[op].seeks;
}

uint64_t decide_near_shift(const struct oracle_input *input)
{
    const enum type type = input->problem.type;
    const bool is_unsigned = !problem_types[type].is_signed;
    const int64_t side = input->seed % 2 ? -toward(input->problem.op) * sixteenths(type, 6) : 0;
    return (uint64_t)side +
           (is_unsigned ? (uint64_t)1 << (8 * problem_types[type].bytes - 1) : 0);
}

/* --- Single elements ---------------------------------------------------------------------- */

/* `value` counts in the scale of sixteenths(): an integer, or the float made from it. */
static void put_near(enum type type, uint64_t value, void *out)
{
    const double number = (double)(int64_t)value;
    if (problem_types[type].is_float)
        element_store(type, type == F64 ? number * DECIDE_FINE : number, out, 0);
    else
        element_store_word(type, value, out, 0);
}

static void put_mark(const struct oracle_input *input, void *out)
{
    const enum type type = input->problem.type;
    const int bits = range_bits(type) - 8 < 16 ? range_bits(type) - 8 : 16;
    const int64_t extra = (int64_t)(decide_mix(input->seed) & (((uint64_t)1 << bits) - 1));
    const int64_t depth = toward(input->problem.op) * (sixteenths(type, 2) + extra);
    put_near(type, decide_near_shift(input) + (uint64_t)depth, out);
}

/* Clears (and) or sets (or) one bit. */
static void put_bit(const struct problem *problem, unsigned bit, unsigned char *out)
{
    const uint64_t value = element_load_word(problem->type, out, 0), mask = (uint64_t)1 << bit;
    const uint64_t decided = problem->op == AND ? value & ~mask : value | mask;
    element_store_word(problem->type, decided, out, 0);
}

/* Doubles +-1. */
static void put_double(enum type type, unsigned char *out)
{
    element_store(type, 2 * element_load(type, out, 0), out, 0);
}

static uint64_t place(uint64_t seed, unsigned which, uint64_t n)
{
    return decide_mix(decide_mix(seed) ^ decide_mix(which)) % n;
}

void decide_put(const struct oracle_input *input, uint64_t first, uint64_t count,
                unsigned char *out)
{
    const struct problem *problem = &input->problem;
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    const unsigned bits = 8 * (unsigned)bytes;
    const bool marked = input->mark >= first && input->mark - first < count;
    unsigned char *at_mark = marked ? out + (input->mark - first) * bytes : NULL;
    if (problem_ops[problem->op].seeks) {
        if (marked)
            put_mark(input, at_mark);
    } else if (problem_ops[problem->op].is_bitwise && problem->op != XOR) {
        /* Bit 0 stays free: it shows what is read outside the input. */
        for (unsigned bit = 1; dims_n(&problem->dims) > 0 && bit < bits - 1; bit++) {
            const uint64_t at = place(input->seed, bit, dims_n(&problem->dims));
            if (at >= first && at - first < count)
                put_bit(problem, bit, out + (at - first) * bytes);
        }
        if (marked)
            put_bit(problem, bits - 1, at_mark);
    } else if (problem->op == PROD && problem_types[problem->type].is_float && dims_n(&problem->dims) > 0) {
        const uint64_t at = place(input->seed / 2, 0, dims_n(&problem->dims));
        if (at >= first && at - first < count)
            put_double(problem->type, out + (at - first) * bytes);
    }
}

/* --- The public face ---------------------------------------------------------------------- */

void oracle_element(const struct oracle_input *input, uint64_t position, bool marked, void *out)
{
    struct oracle_input at = *input;
    at.mark = marked ? position : ORACLE_NO_MARK;
    oracle_fill(&at, position, 1, out);
}

bool oracle_has_mark(const struct problem *problem)
{
    return problem_ops[problem->op].seeks || problem->op == AND || problem->op == OR;
}

size_t oracle_list_deciding(const struct oracle_input *input,
                            uint64_t out[ORACLE_DECIDING_MAX])
{
    const struct problem *problem = &input->problem;
    const bool is_bits = problem_ops[problem->op].is_bitwise && problem->op != XOR;
    const unsigned bits = 8 * (unsigned)problem_types[problem->type].bytes;
    size_t count = 0;
    if (dims_n(&problem->dims) == 0)
        return 0;
    for (unsigned bit = 1; is_bits && bit < bits - 1; bit++)
        out[count++] = place(input->seed, bit, dims_n(&problem->dims));
    if (problem->op == PROD && problem_types[problem->type].is_float)
        out[count++] = place(input->seed / 2, 0, dims_n(&problem->dims));
    if (oracle_has_mark(problem) && input->mark < dims_n(&problem->dims))
        out[count++] = input->mark;
    return count;
}

void oracle_guard(const struct problem *problem, void *out)
{
    const enum type type = problem->type;
    const bool is_unsigned = !problem_types[type].is_signed;
    const uint64_t zero = is_unsigned ? (uint64_t)1 << (8 * problem_types[type].bytes - 1) : 0;
    if (problem_ops[problem->op].seeks)
        put_near(type, zero + (uint64_t)(toward(problem->op) * sixteenths(type, 4)), out);
    else if (problem_types[type].is_float)
        put_near(type, (uint64_t)-3, out);
    else
        element_store_word(type,
                           problem->op == AND  ? 0
                           : problem->op == OR ? UINT64_MAX
                                               : UINT64_C(0xb5ad4eceda1ce2a9),
                           out, 0);
}
