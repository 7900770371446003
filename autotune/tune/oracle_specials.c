/* oracle_specials: inputs with NaN, infinities, zeros of both signs, denormals and overflow,
 * chosen so that the result is the same in any order. Each row of the table is tried with the
 * special values first, in the middle and last. Hides where they lie. */
#include "autotune/tune/oracle_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 64, PLACES = 3 };

static double value_of(enum type type, enum oracle_special_value value)
{
    const struct element_range range = element_range(type);
    const double values[] = {
        [NOT_A_NUMBER] = NAN,
        [INF] = HUGE_VAL,
        [NINF] = -HUGE_VAL,
        [ZERO] = 0.0,
        [NZERO] = -0.0,
        [ONE] = 1.0,
        [MINUS_ONE] = -1.0,
        [TWO] = 2.0,
        [TINY] = range.tiny,
        [NTINY] = -range.tiny,
        [SMALL] = range.small,
        [ROOT] = exp2(floor(log2(range.small) / 2) - 2),
        [LARGEST] = range.largest,
    };
    return values[value];
}

/* The steps in the accumulator's type: an f32 sum or product of two floats, made in double
 * and rounded once more, is correctly rounded. Of the squares none is rounded at all, or it
 * overflows or underflows for certain. */
static oracle_bits reduce(const struct problem *problem, const struct oracle_special *special,
                          uint64_t n)
{
    const enum oracle_special_value values[3] = {special->one, special->two, special->others};
    const struct oracle_op *op = &oracle_ops[problem->op];
    oracle_bits total = 0;
    element_store(problem->acc, op->start, &total, 0);
    for (uint64_t i = 0; i < n; i++) {
        const double x = value_of(problem->type, values[i < 2 ? i : 2]);
        const double before = element_load(problem->acc, &total, 0);
        element_store(problem->acc, op->step(before, x), &total, 0);
    }
    return total;
}

/* A NaN comes before all numbers, the first of equals before the others. */
static oracle_bits find_first(const struct problem *problem, const void *elements,
                              uint64_t offset, uint64_t n)
{
    uint64_t first = 0;
    for (uint64_t i = 1; i < n; i++) {
        const double best = element_load(problem->type, elements, offset + first);
        const double value = element_load(problem->type, elements, offset + i);
        const bool is_before = problem_ops[problem->op].seeks < 0 ? value < best : value > best;
        if (!isnan(best) && (isnan(value) || is_before))
            first = i;
    }
    return first;
}

static void put(enum type type, enum oracle_special_value value, void *elements, uint64_t at)
{
    element_store(type, value_of(type, value), elements, at);
}

/* Appends one window after a gap of NaN; `which` place holds the first special value. */
static void add_special(struct oracle_cases *out, const struct problem *problem,
                        const struct oracle_special *special, uint64_t n, int which)
{
    const uint64_t places[PLACES] = {0, n / 2, n - 1};
    const uint64_t starts = 16 / (uint64_t)problem_types[problem->type].bytes;
    const uint64_t offset = out->element_count + GAP + out->count % starts;
    const uint64_t end = (offset + n + GAP - 1) / GAP * GAP;
    for (uint64_t i = out->element_count; i < end + GAP; i++)
        put(problem->type, i < offset || i >= offset + n ? NOT_A_NUMBER : special->others,
            out->elements, i);
    put(problem->type, special->one, out->elements, offset + places[which]);
    put(problem->type, special->two, out->elements, offset + places[(which + 2) % PLACES]);
    out->element_count = end;
    out->expects[out->count] = problem_ops[problem->op].is_position
                                   ? find_first(problem, out->elements, offset, n)
                                   : reduce(problem, special, n);
    out->cases[out->count] = (struct oracle_case){
        .offset = offset,
        .dims = oracle_resize(&problem->dims, 1, n, 0),
        .first = out->count,
    };
    out->count++;
}

int oracle_make_specials(struct oracle_cases *out, const struct problem *problem,
                         const struct oracle_shape *shape, struct error *error)
{
    const uint64_t sizes[] = {3, shape->tile + 33};
    const uint64_t window = (uint64_t)3 * GAP + shape->tile + 33;
    const struct oracle_op *op = &oracle_ops[problem->op];
    const size_t count = op->special_count * 2 * PLACES;
    *out = (struct oracle_cases){0};
    if (!problem_types[problem->acc].is_float || count == 0)
        return 0;
    const uint64_t bytes =
        (count * window + GAP) * (uint64_t)problem_types[problem->type].bytes;
    out->elements = malloc(bytes);
    out->cases = malloc(count * sizeof *out->cases);
    out->expects = malloc(count * sizeof *out->expects);
    if (out->elements == NULL || out->cases == NULL || out->expects == NULL) {
        oracle_dispose_cases(out);
        return error_memory(error, bytes);
    }
    for (size_t i = 0; i < op->special_count; i++)
        for (size_t k = 0; k < (size_t)2 * PLACES; k++)
            add_special(out, problem, &op->specials[i], sizes[k / PLACES], (int)(k % PLACES));
    out->element_count += GAP;
    return 0;
}
