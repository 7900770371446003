/* oracle_specials: makes inputs of special values, chosen so that the result is the same in any
 * order: limits of integers; NaN, infinities, zeros of both signs, denormals and overflow of
 * floats. Each row of an operation's table is tried with two of them first, in the middle and
 * last. Hides where they lie. */
#include "autotune/verify/oracle_layout.h"
#include "autotune/verify/oracle_ops.h"

#include <assert.h>
#include <math.h>

enum { GAP = 64, PLACES = 4 };

static uint64_t word_of(enum type type, enum oracle_special_value value)
{
    const struct type_row *row = &problem_types[type];
    const uint64_t ones = UINT64_MAX >> (64 - 8 * row->bytes);
    const uint64_t greatest = row->is_signed ? ones >> 1 : ones, least = ones ^ greatest;
    const uint64_t words[] = {
        [ZERO] = 0,
        [ONE] = 1,
        [MINUS_ONE] = ones,
        [TOP_BIT] = ones ^ ones >> 1,
        [LEAST] = least,
        [NEAR_LEAST] = least + 1,
        [NEAR_GREATEST] = greatest - 1,
        [GREATEST] = greatest,
        [HALF_GREATEST] = (UINT64_C(1) << (4 * row->bytes - 1)) - 1,
        [PAST_HALF] = UINT64_C(1) << (4 * row->bytes - 1),
    };
    assert(value < sizeof words / sizeof *words); /* of floats there are more */
    return words[value];
}

static double number_of(enum type type, enum oracle_special_value value)
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
        [WIDE] = fmin(problem_types[type].bytes == 8 ? 0x1p52 : 0x1p23,
                      exp2(floor(log2(range.largest)))),
        [LARGEST] = range.largest,
    };
    return values[value];
}

/* Combines in the accumulator's type: an f32 sum or product of two floats, made in double and
 * rounded once more, is correctly rounded. No square is rounded at all, or it overflows or
 * underflows for certain. A total that one of the others leaves as it is, all of them do. */
static oracle_bits reduce(const struct problem *problem, const struct oracle_special *special,
                          uint64_t n)
{
    const double values[3] = {number_of(problem->type, special->one),
                              number_of(problem->type, special->two),
                              number_of(problem->type, special->others)};
    const struct oracle_op *op = &oracle_ops[problem->op];
    oracle_bits total = 0;
    element_store(problem->acc, op->start, &total, 0);
    for (uint64_t i = 0; i < n; i++) {
        const oracle_bits old = total;
        const double before = element_load(problem->acc, &total, 0);
        element_store(problem->acc, op->step(before, values[i < 2 ? i : 2]), &total, 0);
        if (i >= 2 && total == old)
            break;
    }
    return total;
}

/* The position of the first in order: a NaN comes before all numbers, the first of equals
 * before the others. */
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

/* A NaN: the usual quiet one, the least signalling one, the greatest, or the same with a sign. */
static uint64_t nan_word(enum type type, uint64_t turn)
{
    const uint64_t ones = UINT64_MAX >> (64 - 8 * problem_types[type].bytes);
    uint64_t inf = 0;
    element_store(type, HUGE_VAL, &inf, 0);
    const uint64_t quiet = inf | (inf & -inf) >> 1, sign = ones ^ ones >> 1;
    const uint64_t words[] = {quiet, sign | quiet, inf + 1, ones, ones ^ sign};
    return words[turn % (sizeof words / sizeof *words)];
}

/* Writes one value to elements [first, end). The kinds of NaN take turns by the case. */
static void put(const struct layout *layout, enum oracle_special_value value, uint64_t first,
                uint64_t end)
{
    const enum type type = layout->problem.type;
    uint64_t word = 0;
    if (value == NOT_A_NUMBER)
        word = nan_word(type, layout->out->count);
    else if (problem_types[type].is_float)
        element_store(type, number_of(type, value), &word, 0);
    else
        word = word_of(type, value);
    for (uint64_t at = first; at < end; at++)
        element_store_word(type, word, layout->out->elements, at);
}

/* The results of a scan, step by step: of floats, with what a NaN turns into, as above. */
static void scan(const struct layout *layout, uint64_t offset, uint64_t n, oracle_bits *out)
{
    const struct problem *problem = &layout->problem;
    const struct oracle_op *op = &oracle_ops[problem->op];
    oracle_bits total = 0;
    element_store(problem->acc, op->start, &total, 0);
    for (uint64_t i = 0; i < n; i++) {
        const oracle_bits old = total;
        const double x = element_load(problem->type, layout->out->elements, offset + i);
        const double before = element_load(problem->acc, &total, 0);
        element_store(problem->acc, op->step(before, x), &total, 0);
        out[i] = problem->dims.scan == DIMS_EXCLUSIVE ? old : total;
    }
}

/* The expected result: integers are folded as always, floats as docs/correctness.md
 * promises. */
static int expect(struct layout *layout, const struct oracle_special *special, uint64_t offset,
                  uint64_t n, oracle_bits *out)
{
    const struct problem *problem = &layout->problem;
    if (!problem_types[problem->type].is_float)
        return layout_fold(layout, offset, n, out);
    *out = problem_ops[problem->op].is_position
               ? find_first(problem, layout->out->elements, offset, n)
               : reduce(problem, special, n);
    return 0;
}

/* Adds a window between loud gaps (NaN for floats); place `which` holds the first special
 * value. Of two places in the middle one at least is not first in its load, and one not last,
 * for the start moves by one from case to case: so others come before the value, and behind.
 * From `turn` to turn it moves by one more, so that each place gets each start. */
static int add_special(struct layout *layout, const struct oracle_special *special, uint64_t n,
                       uint64_t which, uint64_t turn)
{
    const uint64_t places[PLACES] = {0, n / 2, n / 2 + 2 < n ? n / 2 + 2 : n - 1, n - 1};
    const uint64_t start = (layout->out->count + turn) % (LAYOUT_LINE * layout->starts);
    const struct dims dims = oracle_resize(&layout->problem.dims, 1, n, 0);
    const bool is_float = problem_types[layout->problem.type].is_float;
    uint64_t first;
    oracle_bits result, *at;
    if (layout_add_elements(layout, GAP + start + n + GAP, &first))
        return -1;
    const uint64_t offset = first + GAP + start;
    const uint64_t one = offset + places[which], two = offset + places[(which + 2) % PLACES];
    if (is_float)
        put(layout, NOT_A_NUMBER, first, layout->out->element_count);
    put(layout, special->others, offset, offset + n);
    put(layout, special->one, one, one + 1);
    put(layout, special->two, two, two + 1);
    if (dims.scan && !is_float)
        return layout_add_folded(layout, offset, n);
    if (!dims.scan && expect(layout, special, offset, n, &result))
        return -1;
    at = layout_add_case(layout, offset, &dims);
    if (at == NULL)
        return -1;
    if (dims.scan)
        scan(layout, offset, n, at);
    else
        *at = result;
    return 0;
}

/* Is one of its values denormal, or its square? Atomics of f32 may take it for 0. */
static bool is_denormal(const struct oracle_special *special)
{
    const enum oracle_special_value values[] = {special->one, special->two, special->others};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i] == TINY || values[i] == NTINY || values[i] == ROOT)
            return true;
    return false;
}

int oracle_add_specials(struct layout *layout)
{
    const struct problem *problem = &layout->problem;
    const bool is_flushed = problem->order == ORDER_ANY && problem->acc == F32;
    const uint64_t sizes[] = {3, layout->shape.tile + 33};
    const struct oracle_kind *kind = oracle_kind(&layout->problem);
    for (size_t i = 0; i < kind->special_count; i++) {
        const struct oracle_special *special = &kind->specials[i];
        if (is_flushed && is_denormal(special))
            continue;
        const bool is_alike =
            special->one == special->others && special->two == special->others;
        for (uint64_t k = 0; k < UINT64_C(2) * PLACES; k++)
            if ((k % PLACES == 0 || !is_alike) &&
                add_special(layout, special, sizes[k / PLACES], k % PLACES, 2 * i + k / PLACES))
                return -1;
    }
    return 0;
}
