/* oracle_rough: folds sums and products of floats that round, as the values that a map makes are: to twice the
 * precision of double, with what is needed to say how far a right result may be from that. Hides the
 * cases of NaN, infinities, overflow and underflow. */
#include "autotune/verify/oracle_mapped.h"
#include "autotune/verify/oracle_ops.h"
#include "autotune/verify/oracle_own.h"
#include "generator/operation_file.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    HAS_NAN = 1,
    HAS_INF = 2,
    HAS_NINF = 4,
    HAS_ZERO = 8,
    IS_NEGATIVE = 16, /* a product */
    IS_ROUNDED = 32,  /* a product: a factor is no power of two */
    POINTS = 8,       /* places on each side of the expected value that are tried by finish */
    NO_GRID = 2000,   /* of no value but 0 */
};

static bool is_product(const struct oracle_fold *fold)
{
    return problem_combine(&fold->problem) == COMBINE_MULTIPLY;
}

static void init(struct oracle_fold *fold)
{
    fold->rough = (struct oracle_rough){.value = is_product(fold) ? 1 : 0, .grid = NO_GRID};
}

/* a + b = sum + the value added to `rest`, without error (Knuth's two-sum). */
static double two_sum(double a, double b, double *rest)
{
    const double sum = a + b, part = sum - a;
    *rest += (a - (sum - part)) + (b - part);
    return sum;
}

/* The power of two of a double's last bit that is not 0. */
static int last_bit(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int exponent = (int)(bits << 1 >> 53);
    const uint64_t fraction = bits << 12 >> 12;
    const uint64_t whole = exponent ? fraction | UINT64_C(1) << 52 : fraction;
    return (exponent ? exponent : 1) - 1075 + __builtin_ctzll(whole);
}

static void add_term(struct oracle_rough *rough, double x)
{
    if (!(fabs(x) > 0))
        return;
    const int grid = last_bit(x);
    rough->value = two_sum(rough->value, x, &rough->rest);
    rough->sum_abs += fabs(x);
    rough->grid = grid < rough->grid ? grid : rough->grid;
}

/* The value stays between 1/2 and 1, its exponent apart. */
static void normalise(struct oracle_rough *rough)
{
    int exponent;
    rough->value = frexp(rough->value, &exponent);
    rough->rest = ldexp(rough->rest, -exponent);
    rough->exponent += exponent;
}

static void multiply_by(struct oracle_rough *rough, double x, double rest)
{
    const double product = rough->value * x;
    rough->rest = rough->rest * x + fma(rough->value, x, -product) + rough->value * rest;
    rough->value = product;
    normalise(rough);
}

static void add_factor(struct oracle_rough *rough, double x)
{
    int exponent;
    const double fraction = frexp(fabs(x), &exponent), power = log2(fabs(x));
    rough->flags ^= signbit(x) ? IS_NEGATIVE : 0;
    if (!(fabs(x) > 0)) {
        rough->flags |= HAS_ZERO;
        return;
    }
    rough->flags |= fraction > 0.5 ? IS_ROUNDED : 0;
    rough->above += fmax(power, 0);
    rough->below += fmax(-power, 0);
    rough->sum_abs += fabs(x) < 1 || fabs(x) > 1;
    multiply_by(rough, fraction, 0);
    rough->exponent += exponent;
}

/* Atomics of f32 may take what is below the least normal for 0. */
static bool is_flushed(const struct problem *problem, double x)
{
    const bool may_be = problem->order == ORDER_ANY && problem->acc == F32;
    return may_be && fabs(x) < element_range(F32).small && fabs(x) > 0;
}

static void add_one(struct oracle_fold *fold, double x)
{
    struct oracle_rough *rough = &fold->rough;
    if (x != x)
        rough->flags |= HAS_NAN;
    else if (isinf(x) && is_product(fold))
        rough->flags = (rough->flags | HAS_INF) ^ (signbit(x) ? IS_NEGATIVE : 0);
    else if (isinf(x))
        rough->flags |= x > 0 ? HAS_INF : HAS_NINF;
    else if (is_product(fold))
        add_factor(rough, x);
    else
        add_term(rough, x);
    if (is_flushed(&fold->problem, x))
        rough->slack += is_product(fold) ? 1 : fabs(x);
}

static void add(struct oracle_fold *fold, union element_block *block, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        add_one(fold, block->f64[i]);
}

static void merge(struct oracle_fold *into, const struct oracle_fold *other)
{
    struct oracle_rough *to = &into->rough;
    const struct oracle_rough *from = &other->rough;
    to->flags = (to->flags | from->flags) ^ (to->flags & from->flags & IS_NEGATIVE);
    to->sum_abs += from->sum_abs;
    to->above += from->above;
    to->below += from->below;
    to->grid = from->grid < to->grid ? from->grid : to->grid;
    if (is_product(into)) {
        multiply_by(to, from->value, from->rest);
        to->exponent += from->exponent;
    } else {
        to->value = two_sum(to->value, from->value, &to->rest);
        to->rest += from->rest;
    }
}

/* --- The result --------------------------------------------------------------------------- */

/* What a NaN or an infinity makes of it; false where it is made of numbers alone. */
static bool is_special(const struct oracle_fold *fold, double *out)
{
    const unsigned flags = fold->rough.flags;
    const bool is_nan = (flags & HAS_NAN) || ((flags & HAS_INF) && (flags & HAS_NINF)) ||
                        ((flags & HAS_INF) && (flags & HAS_ZERO));
    const double sign = flags & IS_NEGATIVE ? -1 : 1;
    *out = is_nan             ? NAN
           : flags & HAS_INF  ? sign * HUGE_VAL
           : flags & HAS_NINF ? -HUGE_VAL
                              : sign * 0.0;
    return is_nan || (flags & (HAS_INF | HAS_NINF | HAS_ZERO));
}

static double value_of(const struct oracle_fold *fold)
{
    const struct oracle_rough *rough = &fold->rough;
    const double sign = rough->flags & IS_NEGATIVE ? -1 : 1;
    double special;
    if (is_special(fold, &special))
        return special;
    return is_product(fold) ? sign * ldexp(rough->value + rough->rest, rough->exponent)
                            : rough->value + rough->rest;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static int finish(const struct oracle_fold *fold, oracle_bits *out, struct error *error)
{
    (void)error;
    *out = 0;
    element_store(fold->problem.acc, value_of(fold), out, 0);
    return 0;
}

const struct oracle_folding oracle_fold_rough = {.init = init,
                                                 .add = add,
                                                 .merge = merge,
                                                 .finish = finish};

/* Does every partial sum have all its bits, in any order? */
static bool is_exact_sum(const struct oracle_fold *fold)
{
    const struct oracle_rough *rough = &fold->rough;
    return rough->sum_abs <=
           ldexp(1, problem_types[fold->problem.acc].exact_bits + rough->grid);
}

/* Sums whose terms go beyond the type's range, in both directions, may be anything. */
static void doubt_sum(const struct oracle_fold *fold, struct oracle_doubt *doubt)
{
    const double largest = element_range(fold->problem.acc).largest;
    const double sum_abs = fold->rough.sum_abs;
    if (is_exact_sum(fold) && sum_abs <= largest)
        return;
    doubt->sum_abs = sum_abs;
    doubt->slack += oracle_bound(fold->problem.acc, 1, sum_abs); /* a square's own rounding */
    doubt->is_open = sum_abs > largest / 2 && fabs(value_of(fold)) < sum_abs * 0.999;
}

/* A product may leave the type's range on its way up or down and not come back. */
static void doubt_product(const struct oracle_fold *fold, struct oracle_doubt *doubt)
{
    const struct element_range range = element_range(fold->problem.acc);
    const struct oracle_rough *rough = &fold->rough;
    const bool is_past = rough->above > ilogb(range.largest),
               is_lost = rough->below > -ilogb(range.small);
    const bool is_special = rough->flags & (HAS_INF | HAS_ZERO);
    doubt->slack *= fabs(value_of(fold)); /* it is relative */
    if (rough->flags & IS_ROUNDED)
        doubt->sum_abs = rough->sum_abs * fabs(value_of(fold));
    if (is_lost)
        doubt->slack += (rough->sum_abs + 1) * range.tiny;
    doubt->is_open = (is_past && (rough->below > 0 || is_special)) ||
                     (is_lost && (rough->above > 0 || is_special));
}

void oracle_fold_roughly(struct oracle_fold *fold)
{
    if (!fold->mapped || mapped_own(fold->mapped) || !problem_rounds(&fold->problem) ||
        fold->is_rough)
        return;
    fold->is_rough = true;
    init(fold);
}

bool oracle_fold_has_ends(const struct oracle_fold *fold)
{
    return fold->mapped && mapped_has_spread(fold->mapped) &&
           problem_types[fold->problem.acc].is_float && problem_law(&fold->problem)->seeks != 0;
}

struct oracle_doubt oracle_fold_doubt(const struct oracle_fold *fold)
{
    const struct oracle_rough *rough = &fold->rough;
    const enum type type = fold->problem.acc;
    struct oracle_doubt doubt = {.n = fold->count, .slack = rough->slack};
    double special;
    if (fold->mapped && mapped_own(fold->mapped)) {
        own_fold_finish(mapped_own(fold->mapped), fold, &doubt);
        return doubt;
    }
    if (fold->is_rough) {
        doubt.value = bits_of(value_of(fold));
        if (is_special(fold, &special) && !is_product(fold))
            doubt.slack = 0;
        else if (is_product(fold) && !(rough->flags & HAS_NAN))
            doubt_product(fold, &doubt);
        else if (!(rough->flags & HAS_NAN))
            doubt_sum(fold, &doubt);
        return doubt;
    }
    oracle_bits bits = 0;
    struct error ignored;
    union element_block raw = {.u64 = {0}}, wide;
    oracle_fold_value(fold, &bits, &ignored);
    memcpy(&raw, &bits, sizeof bits);
    element_widen(type, &wide, &raw);
    doubt.value = wide.u64[0];
    if (oracle_fold_has_ends(fold) && fold->count > 0 && isfinite(wide.f64[0]))
        doubt.slack = fmax(rough->above - wide.f64[0], wide.f64[0] - rough->below);
    return doubt;
}

/* --- Comparing ---------------------------------------------------------------------------- */

bool oracle_is_certain(const struct problem *problem)
{
    const struct oracle_mapped *mapped = oracle_mapped(problem);
    if (!mapped)
        return true;
    if (mapped_own(mapped))
        return own_is_certain(mapped_own(mapped));
    const bool is_exact =
        !mapped_has_map(mapped) || (!problem_rounds(problem) && !mapped_has_spread(mapped));
    return is_exact && !mapped_finish_has_spread(mapped);
}

/* One value, as element_widen makes a block of them. */
static uint64_t widen_bits(enum type type, oracle_bits bits)
{
    const struct type_row *row = &problem_types[type];
    const int above = 64 - 8 * row->bytes;
    const double value = row->is_float ? element_load(type, &bits, 0) : 0;
    uint64_t word = bits << above;
    if (row->is_float)
        memcpy(&word, &value, sizeof word);
    else
        word = row->is_signed ? (uint64_t)((int64_t)word >> above) : word >> above;
    return word;
}

/* Values from `far` below the expected one to as far above, to the nearest of the type. */
static uint64_t list_values(uint64_t values[ELEMENT_BLOCK], enum type type,
                            const struct oracle_doubt *doubt, double far)
{
    uint64_t count = 0;
    values[count++] = doubt->value;
    if (!problem_types[type].is_float || !(far > 0))
        return count;
    const double middle = element_double_of(doubt->value);
    for (int i = -POINTS; i <= POINTS; i++) {
        oracle_bits bits = 0;
        element_store(type, middle + far * i / POINTS, &bits, 0);
        values[count++] = widen_bits(type, bits);
    }
    return count;
}

/* Results from `least` to `greatest` are right, as words; `has_nan`: a NaN, too. */
struct right {
    uint64_t least, greatest;
    bool has_nan, is_open;
};

/* How far the last value may be from the expected one: a file may declare more. */
static double find_far(const struct problem *problem, const struct oracle_doubt *doubt,
                       uint64_t height)
{
    const double far =
        oracle_bound(problem_value(problem), height, doubt->sum_abs) + doubt->slack;
    return far * fmax(1, operation_tolerance(problem->op->text));
}

static struct right find_right(const struct problem *problem, const struct oracle_doubt *doubt,
                               uint64_t height)
{
    const enum type value = problem_value(problem);
    const double far = find_far(problem, doubt, height);
    uint64_t values[ELEMENT_BLOCK];
    struct right right = {.is_open = doubt->is_open || far > element_range(F64).largest};
    if (right.is_open)
        return right;
    const uint64_t count = list_values(values, value, doubt, far);
    right.has_nan = !mapped_finish_range(oracle_mapped(problem), values, doubt->n, count,
                                         &right.least, &right.greatest);
    return right;
}

static bool is_within(const struct right *right, enum type type, uint64_t word)
{
    const double number = element_double_of(word);
    if (right->is_open)
        return true;
    if (problem_types[type].is_float)
        return number != number ? right->has_nan
                                : number >= element_double_of(right->least) &&
                                      number <= element_double_of(right->greatest);
    return problem_types[type].is_signed ? (int64_t)word >= (int64_t)right->least &&
                                               (int64_t)word <= (int64_t)right->greatest
                                         : word >= right->least && word <= right->greatest;
}

bool oracle_accepts(const struct problem *problem, oracle_bits expect,
                    const struct oracle_doubt *doubt, uint64_t height, oracle_bits got)
{
    const enum type type = problem_result(problem);
    if (problem_is_joined(problem))
        return own_accepts(problem, expect, doubt, height, got);
    if (oracle_equal(type, expect, got))
        return true;
    if (!doubt)
        return false;
    const struct right right = find_right(problem, doubt, height);
    return is_within(&right, type, widen_bits(type, got));
}

/* Both relative to the result. */
static bool judge_own(const struct problem *problem, oracle_bits expect,
                      const struct oracle_doubt *doubt, uint64_t height, oracle_bits got,
                      double *error, double *bound)
{
    const enum type type = problem_result(problem);
    const double middle = oracle_to_double(type, expect), value = oracle_to_double(type, got);
    *error = *bound = 0;
    if (!doubt->is_open && isfinite(value) && fabs(middle) > 0 && isfinite(middle)) {
        *bound = own_bound(problem, expect, doubt, height) / fabs(middle);
        *error = fabs(value - middle) / fabs(middle);
    }
    return own_accepts(problem, expect, doubt, height, got);
}

/* What finish makes of an error is as much of what it makes of the bound. */
bool oracle_judge(const struct problem *problem, oracle_bits expect,
                  const struct oracle_doubt *doubt, uint64_t height, oracle_bits got,
                  double *error, double *bound)
{
    const enum type type = problem_result(problem);
    if (problem_is_joined(problem))
        return judge_own(problem, expect, doubt, height, got, error, bound);
    const struct right right = find_right(problem, doubt, height);
    const double value = oracle_to_double(type, got);
    const double middle = problem_has_finish(problem) ? oracle_to_double(type, expect)
                                                      : element_double_of(doubt->value);
    *error = *bound = 0;
    if (!right.is_open && doubt->sum_abs > 0 && isfinite(value)) {
        const double least = oracle_to_double(type, mapped_narrow(type, right.least));
        const double greatest = oracle_to_double(type, mapped_narrow(type, right.greatest));
        const double most = fmax(middle - least, greatest - middle);
        *bound = find_far(problem, doubt, height) / doubt->sum_abs;
        *error = most > 0 ? *bound * fabs(value - middle) / most : 0;
    }
    return oracle_equal(type, expect, got) || is_within(&right, type, widen_bits(type, got));
}
