/* oracle_specials: inputs with NaN, infinities, zeros of both signs, denormals and overflow,
 * chosen so that the result is the same in any order. Each row of the table is tried with the
 * special values first, in the middle and last. Hides where they lie. */
#include "autotune/tune/element.h"
#include "autotune/tune/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 64, PLACES = 3 };

/* Values by name, because the largest and the least depend on the type. */
enum value {
    NOT_A_NUMBER,
    INF,
    NINF,
    ZERO,
    NZERO,
    ONE,
    MINUS_ONE,
    TWO,
    TINY,
    NTINY,
    SMALL,
    ROOT,
    LARGEST
};

struct special {
    enum op op;
    enum value others, one, two; /* the elements at large, and two of them */
};

static const struct special specials[] = {
    {SUM, ONE, NOT_A_NUMBER, ONE},      /* NaN */
    {SUM, ONE, INF, ONE},               /* +Inf */
    {SUM, MINUS_ONE, NINF, MINUS_ONE},  /* -Inf */
    {SUM, ONE, INF, NINF},              /* NaN */
    {SUM, ONE, NOT_A_NUMBER, INF},      /* NaN */
    {SUM, NZERO, NZERO, NZERO},         /* +0: the identity is +0 */
    {SUM, NZERO, ZERO, NZERO},          /* +0 */
    {SUM, ZERO, TINY, ZERO},            /* the denormal itself */
    {SUM, NZERO, NTINY, NZERO},         /* the denormal itself */
    {SUM, ZERO, TINY, NTINY},           /* +0 */
    {SUM, ZERO, TINY, TINY},            /* twice the denormal */
    {SUM, ZERO, LARGEST, ZERO},         /* the largest finite value */
    {SUM, ZERO, LARGEST, LARGEST},      /* +Inf, or twice the value in a wider accumulator */
    {SUMSQ, ONE, NOT_A_NUMBER, ONE},    /* NaN */
    {SUMSQ, ONE, INF, ONE},             /* +Inf */
    {SUMSQ, ONE, NINF, ONE},            /* +Inf */
    {SUMSQ, ONE, INF, NINF},            /* +Inf */
    {SUMSQ, ONE, NOT_A_NUMBER, INF},    /* NaN */
    {SUMSQ, NZERO, NZERO, NZERO},       /* +0 */
    {SUMSQ, ZERO, MINUS_ONE, ZERO},     /* 1 */
    {SUMSQ, ZERO, TINY, ZERO},          /* +0 by underflow, or exact in a wider accumulator */
    {SUMSQ, NZERO, ROOT, ZERO},         /* a denormal, or exact in a wider accumulator */
    {SUMSQ, ZERO, LARGEST, ZERO},       /* +Inf, or exact in a wider accumulator */
    {PROD, ONE, NOT_A_NUMBER, ONE},     /* NaN */
    {PROD, ONE, INF, ONE},              /* +Inf */
    {PROD, ONE, NINF, ONE},             /* -Inf */
    {PROD, ONE, INF, MINUS_ONE},        /* -Inf */
    {PROD, ONE, INF, ZERO},             /* NaN */
    {PROD, ONE, ZERO, ONE},             /* +0 */
    {PROD, ONE, NZERO, ONE},            /* -0 */
    {PROD, ONE, NZERO, MINUS_ONE},      /* +0 */
    {PROD, ONE, TINY, ONE},             /* the denormal itself */
    {PROD, ONE, TINY, MINUS_ONE},       /* its negative */
    {PROD, ONE, SMALL, TINY},           /* +0 by underflow, or exact in a wider accumulator */
    {PROD, ONE, LARGEST, TWO},          /* +Inf, or exact in a wider accumulator */
    {MIN, ONE, NOT_A_NUMBER, ONE},      /* NaN */
    {MIN, ONE, NOT_A_NUMBER, NINF},     /* NaN */
    {MIN, ONE, NINF, ONE},              /* -Inf */
    {MIN, INF, INF, INF},               /* +Inf */
    {MIN, INF, LARGEST, INF},           /* the largest finite value */
    {MIN, ZERO, NZERO, ZERO},           /* -0 */
    {MIN, NZERO, ZERO, NZERO},          /* -0 */
    {MIN, ONE, TINY, ONE},              /* the denormal */
    {MIN, ZERO, NTINY, NZERO},          /* the negative denormal */
    {MIN, TINY, ZERO, TINY},            /* +0, not the denormal */
    {MAX, ONE, NOT_A_NUMBER, ONE},      /* NaN */
    {MAX, ONE, NOT_A_NUMBER, INF},      /* NaN */
    {MAX, ONE, INF, ONE},               /* +Inf */
    {MAX, NINF, NINF, NINF},            /* -Inf */
    {MAX, NZERO, ZERO, NZERO},          /* +0 */
    {MAX, ZERO, NZERO, ZERO},           /* +0 */
    {MAX, MINUS_ONE, NTINY, MINUS_ONE}, /* the negative denormal */
    {MAX, ZERO, TINY, NZERO},           /* the denormal */
    {MAX, NTINY, NZERO, NTINY},         /* -0, not the denormal */
    {ARGMIN, ONE, NOT_A_NUMBER, ONE},   /* the NaN's place, as below */
    {ARGMIN, ONE, NOT_A_NUMBER, NINF},
    {ARGMIN, INF, NOT_A_NUMBER, INF},
    {ARGMIN, ONE, NOT_A_NUMBER, NOT_A_NUMBER}, /* the first NaN's */
    {ARGMIN, ONE, NINF, ONE},           /* the infinity's */
    {ARGMIN, INF, INF, INF},            /* 0 */
    {ARGMIN, INF, LARGEST, INF},        /* that of the finite value */
    {ARGMIN, ZERO, NZERO, ZERO},        /* 0: zeros are equal */
    {ARGMIN, NZERO, ZERO, NZERO},       /* 0 */
    {ARGMIN, ONE, ZERO, NZERO},         /* the first zero's */
    {ARGMIN, ONE, TINY, ONE},           /* the denormal's */
    {ARGMIN, ZERO, NTINY, NZERO},       /* the negative denormal's */
    {ARGMIN, TINY, ZERO, TINY},         /* the zero's */
    {ARGMAX, ONE, NOT_A_NUMBER, ONE},   /* the same, turned over */
    {ARGMAX, ONE, NOT_A_NUMBER, INF},
    {ARGMAX, NINF, NOT_A_NUMBER, NINF},
    {ARGMAX, ONE, NOT_A_NUMBER, NOT_A_NUMBER},
    {ARGMAX, ONE, INF, ONE},
    {ARGMAX, NINF, NINF, NINF},
    {ARGMAX, MINUS_ONE, NZERO, ZERO},
    {ARGMAX, NZERO, ZERO, NZERO},
    {ARGMAX, ZERO, NZERO, ZERO},
    {ARGMAX, MINUS_ONE, NTINY, MINUS_ONE},
    {ARGMAX, ZERO, TINY, NZERO},
    {ARGMAX, NTINY, NZERO, NTINY},
};
enum { SPECIAL_COUNT = sizeof specials / sizeof specials[0] };

static double value_of(enum type type, enum value value)
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

/* One step as the kernels promise it, in double. */
static double combine(enum op op, double a, double b)
{
    if (op == SUM)
        return a + b;
    if (op == SUMSQ)
        return a + b * b;
    if (op == PROD)
        return a * b;
    if (isnan(a) || isnan(b))
        return NAN;
    const bool a_is_less = a < b || (!(b < a) && signbit(a));
    return (op == MIN) == a_is_less ? a : b;
}

/* The steps in the accumulator's type: an f32 sum or product of two floats, made in double
 * and rounded once more, is correctly rounded. Of the squares above none is rounded at all, or
 * it overflows or underflows for certain. */
static oracle_bits reduce(const struct problem *problem, const struct special *special,
                          uint64_t n)
{
    const enum value values[3] = {special->one, special->two, special->others};
    const double starts[] = {
        [SUM] = 0.0, [SUMSQ] = 0.0, [PROD] = 1.0, [MIN] = HUGE_VAL, [MAX] = -HUGE_VAL};
    double total = starts[problem->op];
    float narrow;
    for (uint64_t i = 0; i < n; i++) {
        total = combine(problem->op, total, value_of(problem->type, values[i < 2 ? i : 2]));
        if (problem->acc == F32)
            total = (float)total;
    }
    narrow = (float)total;
    oracle_bits bits = 0;
    if (problem->acc == F32)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &total, sizeof total);
    return bits;
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

static void put(enum type type, enum value value, void *elements, uint64_t at)
{
    element_store(type, value_of(type, value), elements, at);
}

/* Appends one window after a gap of NaN; `which` place holds the first special value. */
static void add_special(struct oracle_cases *out, const struct problem *problem,
                        const struct special *special, uint64_t n, int which)
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
    out->cases[out->count++] = (struct oracle_case){
        .offset = offset,
        .n = n,
        .expect = problem_ops[problem->op].is_position
                      ? find_first(problem, out->elements, offset, n)
                      : reduce(problem, special, n),
    };
}

int oracle_make_specials(struct oracle_cases *out, const struct problem *problem,
                         const struct oracle_shape *shape, struct error *error)
{
    const uint64_t sizes[] = {3, shape->tile + 33};
    const uint64_t window = 3 * GAP + shape->tile + 33;
    size_t count = 0;
    *out = (struct oracle_cases){0};
    for (size_t i = 0; i < SPECIAL_COUNT; i++)
        count += specials[i].op == problem->op ? 2 * PLACES : 0;
    if (!problem_types[problem->acc].is_float || count == 0)
        return 0;
    const uint64_t bytes =
        (count * window + GAP) * (uint64_t)problem_types[problem->type].bytes;
    out->elements = malloc(bytes);
    out->cases = malloc(count * sizeof *out->cases);
    if (out->elements == NULL || out->cases == NULL) {
        oracle_dispose_cases(out);
        return error_memory(error, bytes);
    }
    for (size_t i = 0; i < SPECIAL_COUNT; i++)
        for (size_t k = 0; specials[i].op == problem->op && k < 2 * PLACES; k++)
            add_special(out, problem, &specials[i], sizes[k / PLACES], (int)(k % PLACES));
    out->element_count += GAP;
    return 0;
}
