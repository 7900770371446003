/* oracle_ops: defines the table of operations, and the steps of each operation that its table
 * row names. */
#include "autotune/verify/oracle_ops.h"

#include "autotune/verify/oracle_mapped.h"

#include <math.h>

/* --- The value of an element -------------------------------------------------------------- */

static void square_words(union element_block *block)
{
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        block->u64[i] *= block->u64[i];
}

/* Only f64 leaves a rest when it is rounded to double. */
static void square_floats(union element_block *block, double rests[ORACLE_LANES])
{
    double *values = block->f64;
    for (int i = 0; rests && i < ELEMENT_BLOCK; i++)
        rests[i % ORACLE_LANES] += fma(values[i], values[i], -(values[i] * values[i]));
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        values[i] *= values[i];
}

/* --- Blocks of words ---------------------------------------------------------------------- */

static uint64_t combine_sum(uint64_t total, const union element_block *block)
{
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        total += block->u64[i];
    return total;
}

static uint64_t combine_prod(uint64_t total, const union element_block *block)
{
    uint64_t lanes[4] = {total, 1, 1, 1};
    for (int i = 0; i < ELEMENT_BLOCK; i += 4)
        for (int k = 0; k < 4; k++)
            lanes[k] *= block->u64[i + k];
    return lanes[0] * lanes[1] * lanes[2] * lanes[3];
}

static uint64_t combine_min(uint64_t total, const union element_block *block)
{
    int64_t lanes[4] = {(int64_t)total, (int64_t)total, (int64_t)total, (int64_t)total};
    for (int i = 0; i < ELEMENT_BLOCK; i += 4)
        for (int k = 0; k < 4; k++)
            lanes[k] = block->i64[i + k] < lanes[k] ? block->i64[i + k] : lanes[k];
    for (int k = 1; k < 4; k++)
        lanes[0] = lanes[k] < lanes[0] ? lanes[k] : lanes[0];
    return (uint64_t)lanes[0];
}

static uint64_t combine_max(uint64_t total, const union element_block *block)
{
    int64_t lanes[4] = {(int64_t)total, (int64_t)total, (int64_t)total, (int64_t)total};
    for (int i = 0; i < ELEMENT_BLOCK; i += 4)
        for (int k = 0; k < 4; k++)
            lanes[k] = block->i64[i + k] > lanes[k] ? block->i64[i + k] : lanes[k];
    for (int k = 1; k < 4; k++)
        lanes[0] = lanes[k] > lanes[0] ? lanes[k] : lanes[0];
    return (uint64_t)lanes[0];
}

static uint64_t combine_and(uint64_t total, const union element_block *block)
{
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        total &= block->u64[i];
    return total;
}

static uint64_t combine_or(uint64_t total, const union element_block *block)
{
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        total |= block->u64[i];
    return total;
}

static uint64_t combine_xor(uint64_t total, const union element_block *block)
{
    for (int i = 0; i < ELEMENT_BLOCK; i++)
        total ^= block->u64[i];
    return total;
}

static uint64_t add_word(uint64_t total, uint64_t word)
{
    return total + word;
}

static uint64_t multiply_word(uint64_t total, uint64_t word)
{
    return total * word;
}

static uint64_t least_word(uint64_t total, uint64_t word)
{
    return (int64_t)word < (int64_t)total ? word : total;
}

static uint64_t greatest_word(uint64_t total, uint64_t word)
{
    return (int64_t)word > (int64_t)total ? word : total;
}

static uint64_t and_word(uint64_t total, uint64_t word)
{
    return total & word;
}

static uint64_t or_word(uint64_t total, uint64_t word)
{
    return total | word;
}

static uint64_t xor_word(uint64_t total, uint64_t word)
{
    return total ^ word;
}

/* --- One step of floats ------------------------------------------------------------------- */

static double step_sum(double total, double x)
{
    return total + x;
}

static double step_sumsq(double total, double x)
{
    return total + x * x;
}

static double step_prod(double total, double x)
{
    return total * x;
}

static bool is_less(double a, double b)
{
    return a < b || (!(b < a) && signbit(a));
}

static double step_min(double total, double x)
{
    return isnan(total) || isnan(x) ? NAN : is_less(total, x) ? total : x;
}

static double step_max(double total, double x)
{
    return isnan(total) || isnan(x) ? NAN : is_less(total, x) ? x : total;
}

/* --- Special values ----------------------------------------------------------------------- */

static const struct oracle_special sum_specials[] = {
    {ONE, NOT_A_NUMBER, ONE},     /* NaN */
    {ONE, INF, ONE},              /* +Inf */
    {MINUS_ONE, NINF, MINUS_ONE}, /* -Inf */
    {ONE, INF, NINF},             /* NaN */
    {ONE, NOT_A_NUMBER, INF},     /* NaN */
    {NZERO, NZERO, NZERO},        /* +0: the identity is +0 */
    {NZERO, ZERO, NZERO},         /* +0 */
    {ONE, WIDE, ONE},             /* all bits of the accumulator between 1 and the sum */
    {NZERO, NTINY, NZERO},        /* the denormal itself */
    {ZERO, TINY, NTINY},          /* +0 */
    {ZERO, TINY, TINY},           /* twice the denormal */
    {ZERO, LARGEST, ZERO},        /* the largest finite value */
    {ZERO, LARGEST, LARGEST},     /* +Inf, or twice the value in a wider accumulator */
};

static const struct oracle_special sumsq_specials[] = {
    {ONE, NOT_A_NUMBER, ONE}, /* NaN */
    {ONE, INF, ONE},          /* +Inf */
    {ONE, NINF, ONE},         /* +Inf */
    {ONE, INF, NINF},         /* +Inf */
    {ONE, NOT_A_NUMBER, INF}, /* NaN */
    {NZERO, NZERO, NZERO},    /* +0 */
    {ZERO, MINUS_ONE, ZERO},  /* 1 */
    {ZERO, TINY, ZERO},       /* +0 by underflow, or exact in a wider accumulator */
    {NZERO, ROOT, ZERO},      /* a denormal, or exact in a wider accumulator */
    {ZERO, LARGEST, ZERO},    /* +Inf, or exact in a wider accumulator */
};

static const struct oracle_special prod_specials[] = {
    {ONE, NOT_A_NUMBER, ONE}, /* NaN */
    {ONE, INF, ONE},          /* +Inf */
    {ONE, NINF, ONE},         /* -Inf */
    {ONE, INF, MINUS_ONE},    /* -Inf */
    {ONE, INF, ZERO},         /* NaN */
    {ONE, ZERO, ONE},         /* +0 */
    {ONE, NZERO, ONE},        /* -0 */
    {ONE, NZERO, MINUS_ONE},  /* +0 */
    {ONE, TINY, ONE},         /* the denormal itself */
    {ONE, TINY, MINUS_ONE},   /* its negative */
    {ONE, SMALL, TINY},       /* +0 by underflow, or exact in a wider accumulator */
    {ONE, LARGEST, TWO},      /* +Inf, or exact in a wider accumulator */
};

static const struct oracle_special min_specials[] = {
    {ONE, NOT_A_NUMBER, ONE},  /* NaN */
    {ONE, NOT_A_NUMBER, NINF}, /* NaN */
    {ONE, NINF, ONE},          /* -Inf */
    {INF, INF, INF},           /* +Inf */
    {INF, LARGEST, INF},       /* the largest finite value */
    {ZERO, NZERO, ZERO},       /* -0 */
    {NZERO, ZERO, NZERO},      /* -0 */
    {ONE, TINY, ONE},          /* the denormal */
    {ZERO, NTINY, NZERO},      /* the negative denormal */
    {TINY, ZERO, TINY},        /* +0, not the denormal */
};

static const struct oracle_special max_specials[] = {
    {ONE, NOT_A_NUMBER, ONE},      /* NaN */
    {ONE, NOT_A_NUMBER, INF},      /* NaN */
    {ONE, INF, ONE},               /* +Inf */
    {NINF, NINF, NINF},            /* -Inf */
    {NZERO, ZERO, NZERO},          /* +0 */
    {ZERO, NZERO, ZERO},           /* +0 */
    {MINUS_ONE, NTINY, MINUS_ONE}, /* the negative denormal */
    {ZERO, TINY, NZERO},           /* the denormal */
    {NTINY, NZERO, NTINY},         /* -0, not the denormal */
};

static const struct oracle_special argmin_specials[] = {
    {ONE, NOT_A_NUMBER, ONE}, /* the NaN's place, as below */
    {ONE, NOT_A_NUMBER, NINF},
    {INF, NOT_A_NUMBER, INF},
    {ONE, NOT_A_NUMBER, NOT_A_NUMBER}, /* the first NaN's */
    {ONE, NINF, ONE},                  /* the infinity's */
    {INF, INF, INF},                   /* 0 */
    {INF, LARGEST, INF},               /* that of the finite value */
    {ZERO, NZERO, ZERO},               /* 0: zeros are equal */
    {NZERO, ZERO, NZERO},              /* 0 */
    {ONE, ZERO, NZERO},                /* the first zero's */
    {ONE, TINY, ONE},                  /* the denormal's */
    {ZERO, NTINY, NZERO},              /* the negative denormal's */
    {TINY, ZERO, TINY},                /* the zero's */
};

static const struct oracle_special argmax_specials[] = {
    {ONE, NOT_A_NUMBER, ONE}, /* the same, turned over */
    {ONE, NOT_A_NUMBER, INF}, {NINF, NOT_A_NUMBER, NINF}, {ONE, NOT_A_NUMBER, NOT_A_NUMBER},
    {ONE, INF, ONE},          {NINF, NINF, NINF},         {MINUS_ONE, NZERO, ZERO},
    {NZERO, ZERO, NZERO},     {ZERO, NZERO, ZERO},        {MINUS_ONE, NTINY, MINUS_ONE},
    {ZERO, TINY, NZERO},      {NTINY, NZERO, NTINY},
};

/* Limits of integers. Whatever wraps around is the same in any order. */
static const struct oracle_special sum_limits[] = {
    {ONE, TOP_BIT, GREATEST}, /* each by its value */
    {MINUS_ONE, NEAR_LEAST, NEAR_GREATEST},
    {TOP_BIT, TOP_BIT, TOP_BIT}, /* what saturates, and what is kept in too few bits */
    {GREATEST, GREATEST, GREATEST},
};

static const struct oracle_special prod_limits[] = {
    {ONE, ZERO, ONE},  /* 0 */
    {ONE, LEAST, ONE}, /* the least; 0 of unsigned types */
    {ONE, GREATEST, NEAR_GREATEST},
    {ONE, MINUS_ONE, NEAR_LEAST},
};

/* Each value decides once; values worse than all others decide only where there are no
 * others. */
static const struct oracle_special min_limits[] = {
    {GREATEST, LEAST, NEAR_LEAST}, /* both ends: their difference overflows */
    {GREATEST, NEAR_LEAST, MINUS_ONE},
    {ZERO, MINUS_ONE, GREATEST},
    {GREATEST, ZERO, NEAR_GREATEST},
    {GREATEST, NEAR_GREATEST, GREATEST},   /* the neighbour of the identity */
    {GREATEST, GREATEST, GREATEST},        /* the identity */
    {NEAR_LEAST, LEAST, NEAR_LEAST},       /* neighbours that a float takes for equals */
    {PAST_HALF, HALF_GREATEST, PAST_HALF}, /* the low halves differ: they have no sign */
};

static const struct oracle_special max_limits[] = {
    {LEAST, GREATEST, NEAR_GREATEST}, /* the same, turned over */
    {LEAST, NEAR_GREATEST, ZERO},
    {MINUS_ONE, ZERO, LEAST},
    {LEAST, MINUS_ONE, NEAR_LEAST},
    {LEAST, NEAR_LEAST, LEAST},
    {LEAST, LEAST, LEAST},
    {NEAR_GREATEST, GREATEST, NEAR_GREATEST},
    {HALF_GREATEST, PAST_HALF, HALF_GREATEST},
};

static const struct oracle_special and_limits[] = {
    {MINUS_ONE, LEAST, GREATEST},
    {MINUS_ONE, NEAR_LEAST, NEAR_GREATEST},
    {MINUS_ONE, ZERO, MINUS_ONE},
};

static const struct oracle_special or_limits[] = {
    {ZERO, LEAST, GREATEST},
    {ZERO, NEAR_LEAST, NEAR_GREATEST},
    {ZERO, MINUS_ONE, ZERO},
};

/* --- The table ---------------------------------------------------------------------------- */

#define SPECIALS(table) (table), sizeof(table) / sizeof *(table)

static const struct oracle_op oracle_ops[COMBINE_LAWS] = {
    [COMBINE_ADD] = {.integers = {&oracle_words, &oracle_fold_words, SPECIALS(sum_limits)},
                     .floats = {&oracle_dense, &oracle_fold_sum, SPECIALS(sum_specials)},
                     .combine = combine_sum,
                     .combine_one = add_word,
                     .step = step_sum},
    [COMBINE_MULTIPLY] = {.integers = {&oracle_odds, &oracle_fold_words, SPECIALS(prod_limits)},
                          .floats = {&oracle_signs, &oracle_fold_product,
                                     SPECIALS(prod_specials)},
                          .combine = combine_prod,
                          .combine_one = multiply_word,
                          .identity = 1,
                          .step = step_prod,
                          .start = 1.0},
    [COMBINE_LEAST] = {.integers = {&oracle_nears, &oracle_fold_order, SPECIALS(min_limits)},
                       .floats = {&oracle_keys, &oracle_fold_order, SPECIALS(min_specials)},
                       .combine = combine_min,
                       .combine_one = least_word,
                       .identity = INT64_MAX,
                       .step = step_min,
                       .start = HUGE_VAL},
    [COMBINE_GREATEST] = {.integers = {&oracle_nears, &oracle_fold_order, SPECIALS(max_limits)},
                          .floats = {&oracle_keys, &oracle_fold_order, SPECIALS(max_specials)},
                          .combine = combine_max,
                          .combine_one = greatest_word,
                          .identity = (uint64_t)INT64_MIN,
                          .step = step_max,
                          .start = -HUGE_VAL},
    [COMBINE_AND] = {.integers = {&oracle_flats, &oracle_fold_words, SPECIALS(and_limits)},
                     .combine = combine_and,
                     .combine_one = and_word,
                     .identity = UINT64_MAX},
    [COMBINE_OR] = {.integers = {&oracle_flats, &oracle_fold_words, SPECIALS(or_limits)},
                    .combine = combine_or,
                    .combine_one = or_word},
    [COMBINE_XOR] = {.integers = {&oracle_words, &oracle_fold_words, SPECIALS(sum_limits)},
                     .combine = combine_xor,
                     .combine_one = xor_word},
    [COMBINE_FIRST_LEAST] = {.integers = {&oracle_nears, &oracle_fold_position,
                                          SPECIALS(min_limits)},
                             .floats = {&oracle_keys, &oracle_fold_position,
                                        SPECIALS(argmin_specials)}},
    [COMBINE_FIRST_GREATEST] = {.integers = {&oracle_nears, &oracle_fold_position,
                                             SPECIALS(max_limits)},
                                .floats = {&oracle_keys, &oracle_fold_position,
                                           SPECIALS(argmax_specials)}},
};

static const struct oracle_op sum_of_squares = {.integers = {&oracle_odds, &oracle_fold_words,
                                                             SPECIALS(sum_limits)},
                                                .floats = {&oracle_sparse, &oracle_fold_sum,
                                                           SPECIALS(sumsq_specials)},
                                                .map_words = square_words,
                                                .map_floats = square_floats,
                                                .power = 2,
                                                .combine = combine_sum,
                                                .combine_one = add_word,
                                                .step = step_sumsq};

const struct oracle_op *oracle_op(const struct problem *problem)
{
    return problem_map(problem) == MAP_SQUARE ? &sum_of_squares
                                              : &oracle_ops[problem_combine(problem)];
}

/* --- Values that a map makes -------------------------------------------------------------- */

/* Elements of which a map may make anything. */
static const struct oracle_special float_elements[] = {
    {ONE, NOT_A_NUMBER, ONE}, {ONE, INF, ONE},          {ONE, NINF, ONE},
    {ZERO, INF, NINF},        {ONE, NOT_A_NUMBER, INF}, {NZERO, NZERO, NZERO},
    {NZERO, ZERO, NZERO},     {ZERO, TINY, NTINY},      {ZERO, TINY, ZERO},
    {ONE, TINY, ONE},         {ZERO, SMALL, ZERO},      {ZERO, LARGEST, ZERO},
    {ZERO, MINUS_ONE, TWO},   {ONE, ZERO, MINUS_ONE},   {MINUS_ONE, ZERO, ONE},
};

static const struct oracle_special integer_elements[] = {
    {ZERO, LEAST, GREATEST},
    {ZERO, MINUS_ONE, ONE},
    {ONE, ZERO, ONE},
    {MINUS_ONE, ZERO, MINUS_ONE},
    {ONE, NEAR_LEAST, NEAR_GREATEST},
    {ZERO, TOP_BIT, HALF_GREATEST},
    {GREATEST, GREATEST, GREATEST},
    {TOP_BIT, TOP_BIT, TOP_BIT},
};

static const struct oracle_op mapped_all = {.integers = {&oracle_drawn, NULL,
                                                         SPECIALS(integer_elements)},
                                            .floats = {&oracle_drawn, NULL,
                                                       SPECIALS(float_elements)}};
static const struct oracle_op mapped_by_one = {.integers = {&oracle_drawn_marks, NULL,
                                                            SPECIALS(integer_elements)},
                                               .floats = {&oracle_drawn_marks, NULL,
                                                          SPECIALS(float_elements)}};

static const struct oracle_op *mapped_op(const struct problem *problem)
{
    const enum combine_law law = problem_combine(problem);
    if (!oracle_has_map(problem))
        return NULL;
    return problem_law(problem)->seeks || law == COMBINE_AND || law == COMBINE_OR
               ? &mapped_by_one
               : &mapped_all;
}

const struct oracle_kind *oracle_kind(const struct problem *problem)
{
    const struct oracle_op *mapped = mapped_op(problem);
    const struct oracle_op *op = mapped ? mapped : oracle_op(problem);
    return problem_types[problem->type].is_float ? &op->floats : &op->integers;
}
