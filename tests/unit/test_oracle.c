/* test_oracle: reductions simulated on the CPU, right ones and faulty ones, over the oracle's
 * inputs; the simulation shares no code with the oracle. */
#include "autotune/verify/element.h"
#include "autotune/verify/oracle.h"
#include "include/autotune_reference.h"
#include "tests/unit/named_op.h"
#include "tests/unit/plain_op.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* --- A reduction, element by element, in the accumulator's type --------------------------- */

enum kind {
    RIGHT,
    DROP,
    TWICE,
    BEFORE,
    AFTER,
    DROP_TAIL,
    NO_WORK,
    ALIGN_DOWN,
    FROM_ZERO,
    OTHER_SIGN,
    NARROW,
    DROP_VALUE, /* `value`, wherever it stands; FIRST_VALUE, LAST_VALUE: only there */
    FIRST_VALUE,
    LAST_VALUE,
    CLAMP,           /* to what is CLAMPED short of the limits */
    TRUNCATE,        /* floats to integers */
    NO_FRACTION,     /* floats within 1 to zero */
    COARSE,          /* large floats without their lowest bits */
    SATURATE,        /* sums */
    DIFFERENCE,      /* comparisons by the sign of a difference, which may overflow */
    LATE_DIFFERENCE, /* the same of partial results alone */
    FRONT_FORGOTTEN, /* of equals not that before the first load */
    FRONT_LAST,      /* of equals before the first load the last */
};
enum { CLAMPED = 20 };

struct fault {
    enum kind kind;
    uint64_t at;
    uint64_t value; /* bits of the element's type */
};

union value {
    uint64_t bits;
    int64_t i;
    double f;
};

static bool is_float(enum type type)
{
    return problem_types[type].is_float;
}

static bool is_signed(enum type type)
{
    return problem_types[type].is_signed;
}

static int width(enum type type)
{
    return problem_types[type].bytes;
}

/* A number of `fraction` bits after the point, whose exponent is 1 at 2^least. */
static double half(uint16_t bits, int fraction, int least)
{
    const int exponent = (bits & 0x7fff) >> fraction, rest = bits & ((1 << fraction) - 1);
    const bool is_top = exponent == 0x7fff >> fraction;
    const double size = is_top ? rest ? NAN : INFINITY
                        : exponent == 0
                            ? rest * exp2(least - fraction)
                            : (1 + rest * exp2(-fraction)) * exp2(exponent - 1 + least);
    return bits >> 15 ? -size : size;
}

/* The same, of which each of the 65536 is worked out once. */
static double find_half(double table[1 << 16], uint16_t bits, int fraction, int least)
{
    if (table[1] == 0) /* it is empty */
        for (uint32_t i = 0; i < 1 << 16; i++)
            table[i] = half((uint16_t)i, fraction, least);
    return table[bits];
}

static double f16_values[1 << 16], bf16_values[1 << 16];

static union value load(enum type type, const void *elements, uint64_t at)
{
    union value v = {0};
    switch (type) {
    case I8: v.i = ((const int8_t *)elements)[at]; break;
    case U8: v.bits = ((const uint8_t *)elements)[at]; break;
    case I16: v.i = ((const int16_t *)elements)[at]; break;
    case U16: v.bits = ((const uint16_t *)elements)[at]; break;
    case I32: v.i = ((const int32_t *)elements)[at]; break;
    case U32: v.bits = ((const uint32_t *)elements)[at]; break;
    case F16: v.f = find_half(f16_values, ((const uint16_t *)elements)[at], 10, -14); break;
    case BF16: v.f = find_half(bf16_values, ((const uint16_t *)elements)[at], 7, -126); break;
    case F32: v.f = ((const float *)elements)[at]; break;
    case F64: v.f = ((const double *)elements)[at]; break;
    default: v.bits = ((const uint64_t *)elements)[at]; break;
    }
    return v;
}

static union value step_float(enum op op, enum type acc, union value a, union value b)
{
    union value r = {0};
    const bool unordered = a.f != a.f || b.f != b.f;
    switch (plain_ops[op].step) {
    case PLAIN_ADD: r.f = acc == F32 ? (float)a.f + (float)b.f : a.f + b.f; break;
    case PLAIN_MULTIPLY: r.f = acc == F32 ? (float)a.f * (float)b.f : a.f * b.f; break;
    case PLAIN_LEAST:
        r.f = unordered ? NAN : a.f < b.f || (a.f == b.f && signbit(a.f)) ? a.f : b.f;
        break;
    default:
        r.f = unordered ? NAN : a.f > b.f || (a.f == b.f && !signbit(a.f)) ? a.f : b.f;
        break;
    }
    return r;
}

static union value step(enum op op, enum type acc, union value a, union value b)
{
    union value r = {0};
    if (is_float(acc))
        return step_float(op, acc, a, b);
    const bool less = is_signed(acc) ? a.i < b.i : a.bits < b.bits;
    switch (plain_ops[op].step) {
    case PLAIN_ADD: r.bits = a.bits + b.bits; break;
    case PLAIN_MULTIPLY: r.bits = a.bits * b.bits; break;
    case PLAIN_LEAST: r = less ? a : b; break;
    case PLAIN_GREATEST: r = less ? b : a; break;
    case PLAIN_AND: r.bits = a.bits & b.bits; break;
    case PLAIN_OR: r.bits = a.bits | b.bits; break;
    case PLAIN_XOR: r.bits = a.bits ^ b.bits; break;
    case PLAIN_UNKNOWN: fail_msg("%s has no row in plain_op.h", named_ops[op]);
    }
    return r;
}

/* What an element contributes. */
static union value map(enum op op, enum type acc, union value v)
{
    if (is_float(acc))
        return (union value){.f = plain_map_float(op, v.f)};
    return (union value){.bits = plain_map_word(op, v.bits)};
}

static union value start_of(enum op op, enum type acc)
{
    const enum plain_step kind = plain_ops[op].step;
    static const int64_t least[] = {[I32] = INT32_MIN, [U32] = 0, [I64] = INT64_MIN, [U64] = 0};
    static const uint64_t most[] =
        {[I32] = INT32_MAX, [U32] = UINT32_MAX, [I64] = INT64_MAX, [U64] = UINT64_MAX};
    if (kind == PLAIN_LEAST && is_float(acc))
        return (union value){.f = INFINITY};
    if (kind == PLAIN_GREATEST && is_float(acc))
        return (union value){.f = -INFINITY};
    if (kind == PLAIN_LEAST)
        return (union value){.bits = most[acc]};
    if (kind == PLAIN_GREATEST)
        return (union value){.i = least[acc]};
    if (kind == PLAIN_AND)
        return (union value){.bits = UINT64_MAX};
    if (kind == PLAIN_MULTIPLY && is_float(acc))
        return (union value){.f = 1.0};
    return (union value){.bits = kind == PLAIN_MULTIPLY};
}

static oracle_bits pack(enum type acc, union value v)
{
    if (acc == F32) {
        const float narrow = (float)v.f;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    return width(acc) == 4 ? (uint32_t)v.bits : v.bits;
}

static enum type other_sign(enum type type)
{
    for (int other = 0; other < TYPE_COUNT && !is_float(type); other++)
        if (!is_float((enum type)other) && width((enum type)other) == width(type) &&
            is_signed((enum type)other) != is_signed(type))
            return (enum type)other;
    return type;
}

/* The lowest bits of the type's width, as a number of the type. */
static union value cut(enum type type, uint64_t bits)
{
    const int drop = 64 - 8 * width(type);
    if (is_signed(type))
        return (union value){.i = (int64_t)(bits << drop) >> drop};
    return (union value){.bits = bits << drop >> drop};
}

/* The greatest as an integer of the type; the least is what follows on it. */
static uint64_t greatest_of(enum type type)
{
    const uint64_t ones = UINT64_MAX >> (64 - 8 * width(type));
    return is_signed(type) ? ones >> 1 : ones;
}

/* Less by the sign of the difference. */
static bool is_less_by_difference(enum type type, union value a, union value b)
{
    const uint64_t difference = a.bits - b.bits;
    return difference >> (8 * width(type) - 1) & 1;
}

static union value step_by_difference(enum op op, enum type type, union value a, union value b)
{
    return is_less_by_difference(type, a, b) == (op == MIN) ? a : b;
}

static union value saturated(enum type acc, union value a, union value b)
{
    const union value sum = cut(acc, a.bits + b.bits);
    const union value greatest = cut(acc, greatest_of(acc));
    const union value least = cut(acc, greatest_of(acc) + 1);
    if (!is_signed(acc))
        return sum.bits < cut(acc, a.bits).bits ? greatest : sum;
    if (b.i > 0 ? sum.i < cut(acc, a.bits).i : sum.i > cut(acc, a.bits).i)
        return b.i > 0 ? greatest : least;
    return sum;
}

static union value clamped(enum type type, union value v)
{
    const union value most = cut(type, greatest_of(type) - CLAMPED);
    const union value least = cut(type, greatest_of(type) + 1 + CLAMPED);
    if (is_signed(type))
        return v.i > most.i ? most : v.i < least.i ? least : v;
    return v.bits > most.bits ? most : v.bits < least.bits ? least : v;
}

/* The value that a kernel takes in the place of an element's. */
static union value changed(enum kind kind, enum type type, union value v)
{
    const double unit = type == F32 ? 0x1p8 : type == F64 ? 0x1p20 : 0x1p3;
    switch (kind) {
    case CLAMP: return clamped(type, v);
    case NARROW: return (union value){.f = (float)v.f};
    case TRUNCATE: return (union value){.f = trunc(v.f)};
    case NO_FRACTION: return fabs(v.f) < 1 ? (union value){.f = 0} : v;
    case COARSE:
        return fabs(v.f) < unit ? v
                                : (union value){.f = v.f - fmod(v.f, exp2(ilogb(v.f)) / 64)};
    default: return v;
    }
}

/* Does the fault leave out the element at i, whose value is v? */
static bool is_dropped(struct fault fault, enum type type, union value v, uint64_t i,
                       uint64_t n)
{
    const bool has_value = cut(type, fault.value).bits == v.bits;
    switch (fault.kind) {
    case DROP: return fault.at == i;
    case DROP_VALUE: return has_value;
    case FIRST_VALUE: return has_value && i == 0;
    case LAST_VALUE: return has_value && i == n - 1;
    default: return false;
    }
}

/* Is `v` as good as `best`? 1: better, 0: as good, -1: worse. A NaN is better than all else. */
static int judge(enum op op, enum type type, union value v, union value best)
{
    const bool seeks_least = plain_ops[op].step == PLAIN_LEAST;
    if (is_float(type)) {
        const bool is_less = v.f<best.f, is_more = v.f> best.f;
        if (v.f != v.f || best.f != best.f)
            return (v.f != v.f) - (best.f != best.f);
        return seeks_least ? is_less - is_more : is_more - is_less;
    }
    const bool is_less = is_signed(type) ? v.i < best.i : v.bits < best.bits;
    const bool is_more = is_signed(type) ? v.i > best.i : v.bits > best.bits;
    return seeks_least ? is_less - is_more : is_more - is_less;
}

/* A kernel may take the type's last choice for nothing found, which is the first element. */
static bool is_worst(enum op op, enum type type, union value v)
{
    if (is_float(type))
        return v.f == (op == ARGMIN ? INFINITY : -INFINITY);
    return v.bits == cut(type, greatest_of(type) + (op == ARGMAX)).bits;
}

/* The same for positions, from the last element to the first. */
static oracle_bits reduce_position(const struct problem *problem, const void *elements,
                                   uint64_t offset, uint64_t n, struct fault fault)
{
    const uint64_t starts = 16 / (uint64_t)width(problem->type);
    const enum type type = fault.kind == OTHER_SIGN ? other_sign(problem->type) : problem->type;
    union value best = {0};
    bool is_set = fault.kind == FROM_ZERO;
    oracle_bits place = UINT64_MAX;
    n = fault.kind == NO_WORK ? 0 : fault.kind == DROP_TAIL ? n - n % starts : n;
    if (fault.kind == ALIGN_DOWN)
        offset -= offset % starts;
    const uint64_t first = fault.kind == BEFORE ? UINT64_MAX : 0;
    const uint64_t front = (starts - offset % starts) % starts;
    for (uint64_t i = n + (fault.kind == AFTER); i-- != first;) {
        const union value v = changed(fault.kind, type, load(type, elements, offset + i));
        if (is_dropped(fault, type, v, i, n))
            continue;
        int outcome = is_set ? judge(op_in(problem->op), type, v, best) : 1;
        if (fault.kind == DIFFERENCE && is_set && outcome != 0)
            outcome =
                is_less_by_difference(type, v, best) == (problem->op == op_of(ARGMIN)) ? 1 : -1;
        if (outcome == 0 && i < front && !is_worst(op_in(problem->op), type, v) &&
            (fault.kind == FRONT_FORGOTTEN || (fault.kind == FRONT_LAST && place < front)))
            continue;
        if (outcome > 0 || (outcome == 0 && place != UINT64_MAX)) {
            best = v;
            place = i == UINT64_MAX ? i - 1 : i;
            is_set = true;
        }
    }
    return place == UINT64_MAX && n > 0 ? 0 : place;
}

/* Is each element taken as it is, once? */
static bool is_plain(enum kind kind)
{
    switch (kind) {
    case DROP:
    case TWICE:
    case NARROW:
    case DROP_VALUE:
    case FIRST_VALUE:
    case LAST_VALUE:
    case CLAMP:
    case TRUNCATE:
    case NO_FRACTION:
    case COARSE:
    case SATURATE:
    case DIFFERENCE: return false;
    default: return true;
    }
}

/* Element i with its fault; i is the place in the input. */
static union value take(const struct problem *problem, enum type type, enum type acc,
                        union value lane, union value v, uint64_t i, struct fault fault)
{
    v = map(op_in(problem->op), acc, fault.kind == NARROW ? v : changed(fault.kind, type, v));
    if (fault.kind == NARROW)
        v.f = (float)v.f;
    for (int times = fault.at == i && fault.kind == TWICE ? 2 : 1; times > 0; times--)
        lane = fault.kind == SATURATE ? saturated(acc, lane, v)
               : fault.kind == DIFFERENCE && i >= 4
                   ? step_by_difference(op_in(problem->op), type, lane, v)
               : fault.kind == DIFFERENCE ? v
                                          : step(op_in(problem->op), acc, lane, v);
    if (fault.kind == NARROW)
        lane.f = (float)lane.f;
    return lane;
}

/* Four strided partial results, combined in the end, as lanes would. */
static oracle_bits reduce(const struct problem *problem, const void *elements, uint64_t offset,
                          uint64_t n, struct fault fault)
{
    const enum op op = op_in(problem->op);
    const uint64_t starts = 16 / (uint64_t)width(problem->type);
    const bool turned = fault.kind == OTHER_SIGN;
    const enum type type = turned ? other_sign(problem->type) : problem->type;
    const enum type acc = turned ? other_sign(problem->acc) : problem->acc;
    union value lanes[4];
    if (plain_ops[op].is_position)
        return reduce_position(problem, elements, offset, n, fault);
    for (int k = 0; k < 4; k++)
        lanes[k] = fault.kind == FROM_ZERO ? (union value){0} : start_of(op, acc);
    if (fault.kind == NO_WORK)
        n = 0;
    if (fault.kind == DROP_TAIL)
        n -= n % starts;
    if (fault.kind == ALIGN_DOWN)
        offset -= offset % starts;
    if (fault.kind == BEFORE)
        lanes[0] = step(op, acc, lanes[0], map(op, acc, load(type, elements, offset - 1)));
    if (fault.kind == AFTER)
        lanes[0] = step(op, acc, lanes[0], map(op, acc, load(type, elements, offset + n)));
    const bool is_whole = is_plain(fault.kind),
               is_at = fault.kind == DROP || fault.kind == TWICE;
    for (uint64_t i = 0; i < n; i++) {
        const union value v = load(type, elements, offset + i);
        if (is_whole || (is_at && i != fault.at))
            lanes[i % 4] = step(op, acc, lanes[i % 4], map(op, acc, v));
        else if (!is_dropped(fault, type, v, i, n))
            lanes[i % 4] = take(problem, type, acc, lanes[i % 4], v, i, fault);
    }
    const bool by_difference = fault.kind == LATE_DIFFERENCE && n >= 4;
    for (int k = 1; k < 4; k++)
        lanes[0] = by_difference ? step_by_difference(op, type, lanes[0], lanes[k])
                                 : step(op, acc, lanes[0], lanes[k]);
    return pack(problem->acc, lanes[0]);
}

static const struct fault right = {RIGHT, UINT64_MAX, 0};

/* --- Every problem ------------------------------------------------------------------------ */

static bool goes_together(enum op op, enum type type, enum type acc)
{
    return is_float(type) == is_float(acc) && is_signed(type) == is_signed(acc) &&
           width(acc) >= width(type) && width(acc) >= 4 &&
           !(is_float(type) && plain_is_bitwise(op));
}

typedef void visit(const struct problem *problem);

static void for_each_problem(visit *each)
{
    for (int op = 0; op < OP_COUNT; op++)
        for (int type = 0; type < TYPE_COUNT; type++)
            for (int acc = 0; acc < TYPE_COUNT; acc++)
                if (goes_together((enum op)op, (enum type)type, (enum type)acc))
                    each(&(struct problem){.op = op_of((enum op)op),
                                           .type = (enum type)type,
                                           .acc = (enum type)acc,
                                           .dims = DIMS_VALUE(0),
                                           .regime = COLD});
}

/* Elements where a kernel would find them: at a 256-byte aligned address. */
static void *laid_out(const struct oracle_cases *cases, const struct problem *problem)
{
    const size_t bytes = cases->element_count * (size_t)width(problem->type);
    void *at = aligned_alloc(256, (bytes + 255) / 256 * 256);
    assert_non_null(at);
    memcpy(at, cases->elements, bytes);
    return at;
}

static void make(struct oracle_cases *cases, const struct problem *problem, uint64_t block,
                 uint64_t tile, uint64_t positions)
{
    const struct oracle_shape shape = {.block = block,
                                       .tile = tile,
                                       .positions_max = positions};
    struct error error = {0};
    if (oracle_make_cases(cases, problem, &shape, 11, &error))
        fail_msg("%s", error.text);
}

static void name_problem(const struct problem *problem, const char *what)
{
    print_error("%s %s acc %s: %s\n", problem->op->name, problem_types[problem->type].name,
                problem_types[problem->acc].name, what);
}

/* --- Right reductions pass ---------------------------------------------------------------- */

enum { LARGE = 10000 }; /* elements of a case: these are nearly all that there are */

/* Of large cases one in `large` is tried. */
static void pass_all(const struct problem *problem, uint64_t block, uint64_t tile,
                     uint64_t positions, size_t large)
{
    struct oracle_cases cases;
    size_t larges = 0;
    make(&cases, problem, block, tile, positions);
    void *elements = laid_out(&cases, problem);
    for (size_t i = 0; i < cases.count; i++) {
        const struct oracle_case *c = &cases.cases[i];
        assert_true(c->offset >= 64);
        assert_true(c->offset + dims_n(&c->dims) + 64 <= cases.element_count);
        if (dims_n(&c->dims) > LARGE && larges++ % large > 0)
            continue;
        const oracle_bits got = reduce(problem, elements, c->offset, dims_n(&c->dims), right);
        if (!oracle_equal(problem_result(problem), cases.expects[c->first], got)) {
            name_problem(problem, "a right reduction fails");
            assert_int_equal(got, cases.expects[c->first]);
        }
    }
    free(elements);
    oracle_dispose_cases(&cases);
}

/* Large cases of another accumulator or tile differ in where few elements lie: 5 is no part of the
 * number of starts. */
static void right_passes(const struct problem *problem)
{
    const bool is_usual = problem->acc == problem_default_acc(problem->type);
    pass_all(problem, 32, 64, 500, is_usual ? 1 : 5);
    pass_all(problem, 96, 288, 100, 5);
}

static void test_right_passes(void **state)
{
    (void)state;
    for_each_problem(right_passes);
}

/* --- Every fault is caught ---------------------------------------------------------------- */

enum { BLOCK = 32, TILE = 64, SWEEP = 2 * TILE + TILE / 8 + 1, SHORT = 200 };

/* Is the fault seen by some case of this size and start? */
static bool is_caught(const struct problem *problem, const struct oracle_cases *cases,
                      const void *elements, uint64_t n, uint64_t start, struct fault fault)
{
    const uint64_t starts = 16 / (uint64_t)width(problem->type);
    for (size_t i = 0; i < cases->count; i++) {
        const struct oracle_case *c = &cases->cases[i];
        if (dims_n(&c->dims) == n && c->offset % starts == start &&
            !oracle_equal(problem_result(problem), cases->expects[c->first],
                          reduce(problem, elements, c->offset, n, fault)))
            return true;
    }
    return false;
}

static void must_catch(const struct problem *problem, const struct oracle_cases *cases,
                       const void *elements, uint64_t n, uint64_t start, enum kind kind,
                       uint64_t at)
{
    if (!is_caught(problem, cases, elements, n, start, (struct fault){kind, at, 0})) {
        name_problem(problem, "a fault passes");
        fail_msg("fault %d at %llu of n = %llu, start %llu", kind, (unsigned long long)at,
                 (unsigned long long)n, (unsigned long long)start);
    }
}

/* What a chance can hide where few values fit a type: nothing done, and elements before the
 * start in the place of those at the end. */
static size_t count_missed(const struct problem *problem, const struct oracle_cases *cases,
                           const void *elements, uint64_t n, uint64_t start)
{
    const struct fault nothing = {NO_WORK, UINT64_MAX, 0},
                       exchange = {ALIGN_DOWN, UINT64_MAX, 0};
    size_t missed = 0;
    if (n > 0)
        missed += !is_caught(problem, cases, elements, n, start, nothing);
    if (n > 0 && start > 0)
        missed += !is_caught(problem, cases, elements, n, start, exchange);
    return missed;
}

static void catch_at_size(const struct problem *problem, const struct oracle_cases *cases,
                          const void *elements, uint64_t n, uint64_t start)
{
    const bool counts_all = plain_counts_all(op_in(problem->op));
    const bool is_bits = plain_is_mask(op_in(problem->op));
    must_catch(problem, cases, elements, n, start, BEFORE, UINT64_MAX);
    must_catch(problem, cases, elements, n, start, AFTER, UINT64_MAX);
    const bool sweeps = n == SWEEP && (start == 0 || is_bits);
    for (uint64_t p = 0; p < n && (counts_all || sweeps); p++) {
        must_catch(problem, cases, elements, n, start, DROP, p);
        if (counts_all)
            must_catch(problem, cases, elements, n, start, TWICE, p);
    }
}

static void catch_sometimes(const struct problem *problem, const struct oracle_cases *cases,
                            const void *elements, enum kind kind)
{
    bool caught = false;
    for (uint64_t n = 1; n <= SWEEP && !caught; n++)
        caught = is_caught(problem, cases, elements, n, 0, (struct fault){kind, UINT64_MAX, 0});
    if (!caught) {
        name_problem(problem, "a fault passes everywhere");
        fail_msg("fault %d", kind);
    }
}

static void faults_fail(const struct problem *problem)
{
    const uint64_t sizes[] = {0,    1,         2,         9,
                              15,   17,        31,        32,
                              33,   BLOCK - 1, BLOCK + 1, TILE - 1,
                              TILE, TILE + 1,  SWEEP,     2 * TILE + TILE / 2 + 1};
    const uint64_t starts = 16 / (uint64_t)width(problem->type);
    const bool is_order = operation_law(problem->op)->seeks != 0;
    size_t missed = 0;
    struct oracle_cases cases;
    make(&cases, problem, BLOCK, TILE, 1000);
    void *elements = laid_out(&cases, problem);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint64_t start = 0; start < starts; start++) {
            catch_at_size(problem, &cases, elements, sizes[i], start);
            missed += count_missed(problem, &cases, elements, sizes[i], start);
        }
    const struct plain_op *op = &plain_ops[op_in(problem->op)];
    /* The position of one element alone is always 0. Of a long input few squares differ. */
    const bool is_alike = op->is_position || (is_float(problem->type) && op->map_float);
    if (missed > (is_alike ? starts - 1 : width(problem->type) > 2 ? 0 : starts / 4))
        fail_msg("%s of %s: %zu faults pass", problem->op->name,
                 problem_types[problem->type].name, missed);
    catch_sometimes(problem, &cases, elements, DROP_TAIL);
    if (is_order && is_signed(problem->type))
        catch_sometimes(problem, &cases, elements, FROM_ZERO);
    if (is_order && !is_float(problem->type))
        catch_sometimes(problem, &cases, elements, OTHER_SIGN);
    if (problem->type == F64 && op->step != PLAIN_MULTIPLY)
        catch_sometimes(problem, &cases, elements, NARROW);
    free(elements);
    oracle_dispose_cases(&cases);
}

static void test_faults_fail(void **state)
{
    (void)state;
    for_each_problem(faults_fail);
}

/* --- Limits of integers, and equals before the first load --------------------------------- */

/* Is the fault seen by some case that starts so far past alignment? */
static bool is_seen(const struct problem *problem, const struct oracle_cases *cases,
                    const void *elements, uint64_t start, struct fault fault)
{
    const uint64_t starts = 16 / (uint64_t)width(problem->type);
    for (size_t i = cases->count; i-- > 0;) {
        const struct oracle_case *c = &cases->cases[i];
        const uint64_t n = dims_n(&c->dims);
        if (c->offset % starts == start && n > 0 && n <= SWEEP &&
            !oracle_equal(problem_result(problem), cases->expects[c->first],
                          reduce(problem, elements, c->offset, n, fault)))
            return true;
    }
    return false;
}

/* At any start; what concerns the first element, where it stands before the first load. */
static void must_see(const struct problem *problem, const struct oracle_cases *cases,
                     const void *elements, struct fault fault)
{
    const uint64_t starts = 16 / (uint64_t)width(problem->type);
    for (uint64_t start = fault.kind == FIRST_VALUE; start < starts; start++)
        if (is_seen(problem, cases, elements, start, fault))
            return;
    name_problem(problem, "a fault passes");
    fail_msg("fault %d, value %llx", (int)fault.kind, (unsigned long long)fault.value);
}

/* Does leaving this value out change nothing? */
static bool is_neutral(const struct problem *problem, uint64_t bits)
{
    const union value v = cut(problem->type, bits);
    const uint64_t greatest = greatest_of(problem->type);
    switch (op_in(problem->op)) {
    case AND: return cut(problem->type, ~bits).bits == 0;
    case PROD: return v.bits == 1;
    case MIN:
    case ARGMIN: return v.bits == cut(problem->type, greatest).bits;
    case MAX:
    case ARGMAX: return v.bits == cut(problem->type, greatest + 1).bits;
    case SUMSQ: return cut(problem->acc, v.bits * v.bits).bits == 0;
    default: return v.bits == 0;
    }
}

static void limits_fail(const struct problem *problem)
{
    const uint64_t greatest = greatest_of(problem->type);
    const uint64_t values[] = {0,           UINT64_MAX, greatest, greatest - 1, greatest + 1,
                               greatest + 2};
    const bool is_order = operation_law(problem->op)->seeks != 0;
    const bool is_position = operation_law(problem->op)->is_position;
    const bool is_whole = width(problem->type) == width(problem->acc);
    struct oracle_cases cases;
    if (is_float(problem->type))
        return;
    make(&cases, problem, BLOCK, TILE, 1000);
    void *elements = laid_out(&cases, problem);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (enum kind kind = DROP_VALUE; kind <= LAST_VALUE; kind++)
            if (!is_neutral(problem, values[i]))
                must_see(problem, &cases, elements, (struct fault){kind, 0, values[i]});
    if (is_order || problem->op == op_of(SUM))
        must_see(problem, &cases, elements, (struct fault){CLAMP, 0, 0});
    if (problem->op == op_of(SUM) && is_whole)
        must_see(problem, &cases, elements, (struct fault){SATURATE, 0, 0});
    if (is_order)
        must_see(problem, &cases, elements, (struct fault){DIFFERENCE, 0, 0});
    if (is_order && !is_position)
        must_see(problem, &cases, elements, (struct fault){LATE_DIFFERENCE, 0, 0});
    free(elements);
    oracle_dispose_cases(&cases);
}

static void test_limits_fail(void **state)
{
    (void)state;
    for_each_problem(limits_fail);
}

/* A selection of floats shows what becomes of any of them: its result is an element. */
static void every_float_counts(const struct problem *problem)
{
    struct oracle_cases cases;
    if (!is_float(problem->type) || operation_law(problem->op)->seeks == 0)
        return;
    make(&cases, problem, BLOCK, TILE, 1000);
    void *elements = laid_out(&cases, problem);
    for (enum kind kind = TRUNCATE; kind <= COARSE; kind++)
        must_see(problem, &cases, elements, (struct fault){kind, 0, 0});
    free(elements);
    oracle_dispose_cases(&cases);
}

static void test_every_float_counts(void **state)
{
    (void)state;
    for_each_problem(every_float_counts);
}

static void front_counts(const struct problem *problem)
{
    const uint64_t starts = 16 / (uint64_t)width(problem->type);
    struct oracle_cases cases;
    if (!operation_law(problem->op)->is_position)
        return;
    make(&cases, problem, BLOCK, TILE, 1000);
    void *elements = laid_out(&cases, problem);
    for (enum kind kind = FRONT_FORGOTTEN; kind <= FRONT_LAST; kind++)
        if (kind == FRONT_FORGOTTEN || starts > 2) /* else there is but one */
            must_see(problem, &cases, elements, (struct fault){kind, 0, 0});
    free(elements);
    oracle_dispose_cases(&cases);
}

static void test_front_counts(void **state)
{
    (void)state;
    for_each_problem(front_counts);
}

/* --- Sizes, budget, bad shapes ------------------------------------------------------------ */

static size_t count_cases(const struct oracle_cases *cases, uint64_t n, uint64_t start)
{
    size_t count = 0;
    for (size_t i = 0; i < cases->count; i++)
        count += dims_n(&cases->cases[i].dims) == n && cases->cases[i].offset % 4 == start;
    return count;
}

static void test_sizes_and_budget(void **state)
{
    (void)state;
    const uint64_t block = 1024, tile = 65536;
    const uint64_t sizes[] = {0,
                              1,
                              2,
                              31,
                              32,
                              33,
                              block - 1,
                              block,
                              block + 1,
                              tile - 1,
                              tile,
                              tile + 1,
                              2 * tile + tile / 8 + 1,
                              2 * tile + tile / 2 + 1};
    for (int op = 0; op < OP_COUNT; op++) {
        const struct problem problem = {.op = op_of((enum op)op),
                                        .type = I32,
                                        .acc = I32,
                                        .dims = DIMS_VALUE(0),
                                        .regime = COLD};
        struct oracle_cases cases;
        const clock_t began = clock();
        make(&cases, &problem, block, tile, 512);
        print_message("%-4s i32, tile %llu: %zu cases, %.1f MB, %.1f ms\n", named_ops[op],
                      (unsigned long long)tile, cases.count, 4e-6 * (double)cases.element_count,
                      1e3 * (double)(clock() - began) / CLOCKS_PER_SEC);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (uint64_t start = 0; start < 4; start++)
                assert_true(count_cases(&cases, sizes[i], start) >= 1);
        assert_int_equal(count_cases(&cases, 100003, 0), 0);
        const size_t ties = law_of((enum op)op)->is_position ? 14 * 20 + 6 * 4 : 0;
        const size_t limits = 8 * 8;
        assert_true(cases.count <= 42 * 4 + 512 + 4 * 20 + ties + limits);
        oracle_dispose_cases(&cases);
    }
}

/* With too many positions to try them all, exactly positions_max different ones are tried. */
static void test_positions_are_sampled(void **state)
{
    (void)state;
    const struct problem problem = {.op = op_of(MIN),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(0),
                                    .regime = COLD};
    const uint64_t n = 2 * 4096 + 4096 / 8 + 1;
    struct oracle_cases cases;
    make(&cases, &problem, 256, 4096, 700);
    void *elements = laid_out(&cases, &problem);
    size_t different = 0;
    for (uint64_t p = 0; p < n; p++) {
        bool tried = false;
        for (size_t i = 0; i < cases.count && !tried; i++) {
            const struct oracle_case *c = &cases.cases[i];
            const int32_t *x = (const int32_t *)elements + c->offset;
            tried = dims_n(&c->dims) == n && c->offset % 4 == 0 &&
                    (uint32_t)x[p] == (uint32_t)cases.expects[c->first];
        }
        different += tried;
        if (p == 0 || p == n - 1 || p == 4095 || p == 4096 || p == 8191 || p == 8192)
            assert_true(tried);
    }
    assert_int_equal(different, 700);
    free(elements);
    oracle_dispose_cases(&cases);
}

/* Steps of the sweep that a draw chooses, by column; and of all draws so far in `seen`. */
static size_t count_columns(const struct oracle_cases *cases, uint64_t draw, bool *seen)
{
    const struct oracle_sweep *sweep = &cases->sweep;
    bool *columns = calloc(sweep->columns, sizeof *columns);
    size_t count = 0, drawn = 0;
    assert_non_null(columns);
    for (size_t i = 0; i < cases->count; i++) {
        const uint64_t step = cases->cases[i].step;
        if (!oracle_is_drawn(cases, i, draw) || step == ORACLE_KEPT)
            continue;
        const uint64_t column = step / sweep->share % sweep->columns;
        assert_true(step < sweep->steps);
        count += !columns[column];
        columns[column] = seen[i] = true;
        drawn++;
    }
    free(columns);
    assert_true(drawn <= sweep->columns * sweep->starts);
    return count;
}

/* Each draw has a step of nearly each column, the others being edges, which are always tried; a few
 * hundred draws have all. */
static void test_draws(void **state)
{
    enum { DRAWS = 600, EDGES = 20 };
    static const struct {
        enum op op;
        enum type type;
        uint64_t block, tile;
    } rows[] = {{MAX, I32, 64, 1024},    {MIN, U8, 64, 1024},  {ARGMIN, F32, 32, 32},
                {ARGMAX, F64, 128, 256}, {AND, U32, 64, 1024}, {OR, I16, 128, 128},
                {MIN, F16, 256, 1024},   {MAX, I64, 32, 96}};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct problem problem = {.op = op_of(rows[r].op),
                                        .type = rows[r].type,
                                        .acc = problem_default_acc(rows[r].type),
                                        .dims = DIMS_VALUE(0),
                                        .regime = COLD};
        struct oracle_cases cases;
        make(&cases, &problem, rows[r].block, rows[r].tile, UINT64_MAX);
        bool *seen = calloc(cases.count, sizeof *seen);
        size_t unseen = 0, steps = 0;
        assert_non_null(seen);
        for (uint64_t draw = 0; draw < DRAWS; draw++)
            assert_true(count_columns(&cases, draw << 32, seen) + EDGES >= cases.sweep.columns);
        for (size_t i = 0; i < cases.count; i++) {
            steps += cases.cases[i].step != ORACLE_KEPT;
            unseen += cases.cases[i].step != ORACLE_KEPT && !seen[i];
        }
        assert_true(steps > 0);
        assert_int_equal(unseen, 0);
        free(seen);
        oracle_dispose_cases(&cases);
    }
}

/* Where each element counts anyway, or a sample is all that there is, nothing is left out. */
static void test_draws_leave_nothing_out(void **state)
{
    (void)state;
    const struct problem problems[] =
        {{.op = op_of(SUM), .type = I32, .acc = I32, .dims = DIMS_VALUE(0), .regime = COLD},
         {.op = op_of(MAX), .type = I32, .acc = I32, .dims = DIMS_VALUE(0), .regime = COLD}};
    for (size_t r = 0; r < sizeof problems / sizeof *problems; r++) {
        struct oracle_cases cases;
        make(&cases, &problems[r], 64, 1024, r == 0 ? UINT64_MAX : 100);
        for (size_t i = 0; i < cases.count; i++)
            assert_true(oracle_is_drawn(&cases, i, 5));
        oracle_dispose_cases(&cases);
    }
}

static void test_bad_shape(void **state)
{
    (void)state;
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(0),
                                    .regime = COLD};
    struct oracle_cases cases;
    struct error error = {0};
    assert_int_equal(oracle_make_cases(&cases, &problem,
                                       &(struct oracle_shape){.positions_max = 1}, 0, &error),
                     -1);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_int_equal(oracle_make_cases(&cases, &problem,
                                       &(struct oracle_shape){.block = 64,
                                                              .tile = 32,
                                                              .positions_max = 1},
                                       0, &error),
                     -1);
    pass_all(&problem, 1, 1, 10, 1);
    pass_all(&(struct problem){.op = op_of(MAX), .type = F64, .acc = F64, .regime = COLD}, 1, 1,
             0, 1);
    pass_all(&(struct problem){.op = op_of(AND), .type = I64, .acc = I64, .regime = COLD}, 1, 3,
             0, 1);
}

/* --- Fill --------------------------------------------------------------------------------- */

static void chunks_agree(const struct problem *problem)
{
    enum { COUNT = 3000 };
    const uint64_t base = (UINT64_C(1) << 33) - 1111;
    const size_t bytes = (size_t)width(problem->type);
    struct oracle_input input = {.problem = *problem, .seed = 21, .mark = base + 1500};
    input.problem.dims = dims_value(base + COUNT);
    unsigned char *whole = malloc(COUNT * bytes), *parts = malloc(COUNT * bytes);
    assert_true(whole != NULL && parts != NULL);
    for (int random = 0; random < 2; random++) {
        (random ? oracle_fill_random : oracle_fill)(&input, base, COUNT, whole);
        for (uint64_t done = 0, take = 1; done < COUNT;
             done += take, take = take * 3 % 701 + 1) {
            take = take < COUNT - done ? take : COUNT - done;
            (random ? oracle_fill_random : oracle_fill)(&input, base + done, take,
                                                        parts + done * bytes);
        }
        assert_memory_equal(whole, parts, COUNT * bytes);
    }
    oracle_fill(&input, base, COUNT, whole);
    for (uint64_t i = 0; i < COUNT; i += 100) {
        unsigned char one[8];
        oracle_element(&input, base + i, base + i == input.mark, one);
        assert_memory_equal(one, whole + i * bytes, bytes);
        oracle_element(&input, base + i, !(base + i == input.mark), one);
        assert_int_equal(memcmp(one, whole + i * bytes, bytes) != 0, oracle_has_mark(problem));
    }
    free(whole);
    free(parts);
}

static void test_chunks_agree(void **state)
{
    (void)state;
    for_each_problem(chunks_agree);
}

/* At full n: dropping the mark or any element that counts changes the result, and so does the
 * guard. */
static void full_catches(const struct problem *p)
{
    enum { N = 5000 };
    struct problem problem = *p;
    problem.dims = dims_value(N);
    const size_t bytes = (size_t)width(problem.type);
    const bool by_sign =
        plain_ops[op_in(problem.op)].step == PLAIN_MULTIPLY && is_float(problem.type);
    unsigned char *elements = malloc((N + 2) * bytes);
    oracle_bits expect[2];
    struct error error = {0};
    assert_non_null(elements);
    oracle_guard(&problem, elements);
    oracle_guard(&problem, elements + (N + 1) * bytes);
    bool *caught = calloc(N, sizeof *caught);
    assert_non_null(caught);
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct oracle_input input = {.problem = problem, .seed = seed, .mark = 4321};
        struct oracle_fold fold;
        oracle_fill(&input, 0, N, elements + bytes);
        oracle_fold_init(&fold, &problem);
        oracle_fold_add(&fold, elements + bytes, N);
        assert_int_equal(oracle_fold_finish(&fold, &expect[seed], &error), 0);
        assert_int_equal(reduce(&problem, elements, 1, N, right), expect[seed]);
        for (enum kind kind = BEFORE; kind <= AFTER; kind++)
            assert_int_not_equal(reduce(&problem, elements, 1, N,
                                        (struct fault){kind, UINT64_MAX, 0}),
                                 expect[seed]);
        for (uint64_t at = 0; at < N; at += oracle_has_mark(&problem) ? N : 97)
            caught[at] |=
                reduce(&problem, elements, 1, N, (struct fault){DROP, at, 0}) != expect[seed];
        caught[4321] |=
            reduce(&problem, elements, 1, N, (struct fault){DROP, 4321, 0}) != expect[seed];
        if (!by_sign)
            assert_true(caught[4321]);
    }
    for (uint64_t at = 0; at < N; at += 97)
        assert_true(caught[at] || oracle_has_mark(&problem));
    assert_true(caught[4321]);
    free(caught);
    free(elements);
}

static void test_full_catches(void **state)
{
    (void)state;
    for_each_problem(full_catches);
}

/* Moving the mark leaves the result as it was, wherever it goes; a position goes with it. */
static void mark_moves(const struct problem *p)
{
    enum { N = 700 };
    static uint64_t elements[N];
    struct problem problem = *p;
    problem.dims = dims_value(N);
    const size_t bytes = (size_t)width(problem.type);
    const struct oracle_input input = {.problem = problem, .seed = 9, .mark = N - 1};
    unsigned char *x = (unsigned char *)elements;
    if (!oracle_has_mark(&problem))
        return;
    oracle_fill(&input, 0, N, x);
    const bool is_position = plain_ops[op_in(problem.op)].is_position;
    oracle_bits expect = reduce(&problem, x, 0, N, right);
    for (uint64_t to = N - 1; to > 0; to--) {
        oracle_element(&input, to, false, x + to * bytes);
        if (!is_position) /* where the next best may stand */
            assert_int_not_equal(reduce(&problem, x, 0, N, right), expect);
        oracle_element(&input, to - 1, true, x + (to - 1) * bytes);
        expect = is_position ? to - 1 : expect;
        assert_int_equal(reduce(&problem, x, 0, N, right), expect);
    }
}

static void test_mark_moves(void **state)
{
    (void)state;
    for_each_problem(mark_moves);
}

/* Float sums: dense and small enough. */
static void test_sum_span(void **state)
{
    (void)state;
    const uint64_t sizes[] = {1, 1000, 65536, 1000000, 400000000, UINT64_C(1) << 32};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        enum { COUNT = 20000 };
        static float x[COUNT];
        const struct oracle_input input = {.problem = {.op = op_of(SUM),
                                                       .type = F32,
                                                       .acc = F32,
                                                       .dims = DIMS_VALUE(sizes[i]),
                                                       .regime = COLD},
                                           .seed = 3};
        float largest = 0;
        oracle_fill(&input, 0, COUNT, x);
        for (int k = 0; k < COUNT; k++) {
            assert_true(x[k] != 0 && x[k] == rintf(x[k]));
            largest = fmaxf(largest, fabsf(x[k]));
        }
        const double n = (double)sizes[i], range = 0x1p24;
        assert_true(n * largest <= range || 5.5 * largest * sqrt(n / 3) <= range);
        print_message("n = %llu: integers of +-%g\n", (unsigned long long)sizes[i],
                      (double)largest);
    }
}

/* Float sums of squares: no element is 0 as long as that fits, and the total always does. */
static void test_sumsq_span(void **state)
{
    (void)state;
    static const struct {
        uint64_t n;
        enum type type, acc;
        double zeros_min, zeros_max, largest; /* shares of all elements */
    } rows[] = {
        {1000, F32, F32, 0, 0, 112},
        {100003, F16, F32, 0, 0, 11},
        {3000000, F32, F32, 0, 0, 2},
        {4000000, BF16, F32, 0.05, 0.15, 2},
        {400000000, F32, F32, 0.98, 0.99, 2},
        {400000000, F32, F64, 0, 0, 4109},
        {400000000, BF16, F64, 0, 0, 256},
        {UINT64_C(1) << 32, F32, F32, 0.998, 0.999, 2},
        {UINT64_C(1) << 32, F64, F64, 0, 0, 1254},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum { COUNT = 200000 };
        static uint64_t x[COUNT];
        const struct oracle_input input = {.problem = {.op = op_of(SUMSQ),
                                                       .type = rows[i].type,
                                                       .acc = rows[i].acc,
                                                       .dims = DIMS_VALUE(rows[i].n),
                                                       .regime = COLD},
                                           .seed = 3};
        double largest = 0, sum = 0, zeros = 0;
        oracle_fill(&input, 0, COUNT, x);
        for (uint64_t k = 0; k < COUNT; k++) {
            const double v = load(rows[i].type, x, k).f;
            assert_true(v >= rint(v) && v <= rint(v));
            largest = fmax(largest, fabs(v));
            sum += v * v / COUNT;
            zeros += (fabs(v) < 1) / (double)COUNT;
        }
        print_message("n = %llu: up to +-%g, %.2f %% are 0\n", (unsigned long long)rows[i].n,
                      largest, 100 * zeros);
        assert_true(sum * (double)rows[i].n < (rows[i].acc == F32 ? 0x1.8p23 : 0x1.8p52));
        assert_true(zeros >= rows[i].zeros_min && zeros <= rows[i].zeros_max);
        assert_true(largest >= rows[i].largest && largest <= rows[i].largest);
    }
}

/* --- Fold --------------------------------------------------------------------------------- */

static void folds_agree(const struct problem *p)
{
    enum { N = 10000 };
    struct problem problem = *p;
    problem.dims = dims_value(N);
    const size_t bytes = (size_t)width(problem.type);
    const struct oracle_input input = {.problem = problem, .seed = 77, .mark = 9999};
    unsigned char *elements = malloc(N * bytes);
    struct error error = {0};
    struct oracle_fold whole, merged, part;
    oracle_bits a, b;
    assert_non_null(elements);
    oracle_fill(&input, 0, N, elements);
    oracle_fold_init(&whole, &problem);
    oracle_fold_init(&merged, &problem);
    oracle_fold_add(&whole, elements, N);
    for (uint64_t end = N, take = 1; end > 0; end -= take, take = take * 5 % 1201) {
        take = take < end ? take : end;
        oracle_fold_init(&part, &problem);
        part.next = end - take;
        oracle_fold_add(&part, elements + (end - take) * bytes, take);
        oracle_fold_merge(&merged, &part);
    }
    assert_int_equal(oracle_fold_finish(&whole, &a, &error), 0);
    assert_int_equal(oracle_fold_finish(&merged, &b, &error), 0);
    assert_int_equal(a, b);
    assert_int_equal(a, reduce(&problem, elements, 0, N, right));
    assert_int_equal(merged.count, N);
    oracle_fold_init(&part, &problem);
    assert_int_equal(oracle_fold_finish(&part, &a, &error), 0);
    if (plain_ops[op_in(problem.op)].is_position)
        assert_int_equal(a, UINT64_MAX);
    else
        assert_int_equal(a, pack(problem.acc, start_of(op_in(problem.op), problem.acc)));
    free(elements);
}

static void test_folds_agree(void **state)
{
    (void)state;
    for_each_problem(folds_agree);
}

static void test_wide_reference(void **state)
{
    (void)state;
    static int64_t x[4096];
    const struct oracle_input input = {.problem = {.op = op_of(SUM),
                                                   .type = I64,
                                                   .acc = I64,
                                                   .dims = DIMS_VALUE(4096),
                                                   .regime = COLD},
                                       .seed = 5};
    struct oracle_fold fold;
    struct error error = {0};
    oracle_bits got;
    __int128 sum = 0;
    oracle_fill(&input, 0, 4096, x);
    for (int i = 0; i < 4096; i++)
        sum += x[i];
    oracle_fold_init(&fold, &input.problem);
    oracle_fold_add(&fold, x, 4096);
    assert_int_equal(oracle_fold_finish(&fold, &got, &error), 0);
    assert_int_equal(got, (uint64_t)sum);
}

/* What is not exact is refused: fractions, NaN, and partial results out of range. */
static void test_inexact_is_refused(void **state)
{
    (void)state;
    const struct problem sum = {.op = op_of(SUM),
                                .type = F32,
                                .acc = F32,
                                .dims = DIMS_VALUE(2),
                                .regime = COLD},
                         prod = {.op = op_of(PROD),
                                 .type = F32,
                                 .acc = F32,
                                 .dims = DIMS_VALUE(2),
                                 .regime = COLD};
    const struct {
        const struct problem *problem;
        float x[2];
        bool ok;
    } rows[] = {
        {&sum, {1, 2}, true},         {&sum, {0.5f, 1}, false},
        {&sum, {NAN, 1}, false},      {&sum, {INFINITY, 1}, false},
        {&sum, {16777216, 1}, false}, {&sum, {-16777216, 1}, false},
        {&prod, {-1, 2}, true},       {&prod, {3, 1}, false},
        {&prod, {0, 1}, false},       {&prod, {0x1p100f, 0x1p100f}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct oracle_fold fold;
        struct error error = {0};
        oracle_bits got;
        oracle_fold_init(&fold, rows[i].problem);
        oracle_fold_add(&fold, rows[i].x, 2);
        assert_int_equal(oracle_fold_finish(&fold, &got, &error), rows[i].ok ? 0 : -1);
        if (!rows[i].ok)
            assert_int_equal(error.code, ERROR_FAILED);
    }
}

/* --- Specials ----------------------------------------------------------------------------- */

static void specials_hold(const struct problem *problem)
{
    const struct oracle_shape shape = {.block = 32, .tile = 64};
    struct oracle_cases cases;
    struct error error = {0};
    size_t nans = 0, zeros = 0;
    assert_int_equal(oracle_make_specials(&cases, problem, &shape, &error), 0);
    assert_true(cases.count > 0);
    void *elements = laid_out(&cases, problem);
    for (size_t i = 0; i < cases.count; i++) {
        const struct oracle_case *c = &cases.cases[i];
        assert_true(c->offset + dims_n(&c->dims) <= cases.element_count);
        assert_true(
            oracle_equal(problem_result(problem), cases.expects[c->first],
                         reduce(problem, elements, c->offset, dims_n(&c->dims), right)));
        if (plain_ops[op_in(problem->op)].is_position || !is_float(problem->acc))
            continue;
        nans += isnan(oracle_to_double(problem->acc, cases.expects[c->first])) != 0;
        zeros += fpclassify(oracle_to_double(problem->acc, cases.expects[c->first])) == FP_ZERO;
    }
    if (is_float(problem->acc) && !plain_ops[op_in(problem->op)].is_position)
        assert_true(nans >= 6 && zeros >= 2);
    free(elements);
    oracle_dispose_cases(&cases);
}

static void test_specials_hold(void **state)
{
    (void)state;
    for_each_problem(specials_hold);
}

/* Kernels that get a rule wrong are caught: NaN dropped by fmin, -0 not below +0, denormals
 * flushed, NaN instead of overflow. */
static oracle_bits broken(const struct problem *problem, const float *x, uint64_t n, int how)
{
    double total = problem->op == op_of(MIN) ? INFINITY : 0.0;
    for (uint64_t i = 0; i < n; i++) {
        double v = x[i];
        if (how == 1 && fabs(v) < FLT_MIN)
            v = 0 * v;
        if (problem->op == op_of(SUM))
            total = (float)(total + v);
        else if (how == 0)
            total = fmin(total, v);
        else if (v != v || total != total)
            total = NAN;
        else
            total = v < total ? v : total;
    }
    return pack(F32, (union value){.f = total});
}

static void test_broken_rules_fail(void **state)
{
    (void)state;
    const struct {
        enum op op;
        int how;
    } rows[] = {{MIN, 0}, {MIN, 1}, {MIN, 2}, {SUM, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct problem problem = {.op = op_of(rows[r].op),
                                        .type = F32,
                                        .acc = F32,
                                        .dims = DIMS_VALUE(0),
                                        .regime = COLD};
        struct oracle_cases cases;
        struct error error = {0};
        bool caught = false;
        assert_int_equal(oracle_make_specials(&cases, &problem,
                                              &(struct oracle_shape){.block = 32, .tile = 64},
                                              &error),
                         0);
        for (size_t i = 0; i < cases.count; i++) {
            const struct oracle_case *c = &cases.cases[i];
            const float *x = (const float *)cases.elements + c->offset;
            caught |= !oracle_equal(F32, cases.expects[c->first],
                                    broken(&problem, x, dims_n(&c->dims), rows[r].how));
        }
        assert_true(caught);
        oracle_dispose_cases(&cases);
    }
}

/* Is a sum that takes no element of this exponent wrong somewhere? */
static bool shows_loss(const struct oracle_cases *cases, const struct problem *problem,
                       int exponent)
{
    for (size_t i = 0; i < cases->count; i++) {
        const struct oracle_case *c = &cases->cases[i];
        const oracle_bits wanted = cases->expects[c->first];
        double all = 0, kept = 0;
        for (uint64_t k = 0; k < dims_n(&c->dims); k++) {
            const double x = element_load(problem->type, cases->elements, c->offset + k);
            const double term = problem->op == op_of(SUMSQ) ? x * x : x;
            all += term;
            kept += isfinite(x) && ilogb(x) == exponent ? 0 : term;
        }
        if (oracle_to_double(problem->acc, wanted) == all && kept != all) /* exact at all */
            return true;
    }
    return false;
}

/* A kernel that loses elements of one size is caught, whatever size that is. */
static void test_every_exponent_counts(void **state)
{
    static const struct {
        enum op op;
        enum type type, acc;
        int least, most;
    } rows[] = {
        {SUM, F32, F32, -125, 110},   {SUMSQ, F32, F32, -61, 56}, {SUM, F64, F64, -1021, 1005},
        {SUMSQ, F64, F64, -509, 500}, {SUM, F16, F32, -13, 15},   {SUM, BF16, F32, -125, 110},
    };
    const struct oracle_shape shape = {.block = 32, .tile = 256};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct problem problem = {.op = op_of(rows[r].op),
                                        .type = rows[r].type,
                                        .acc = rows[r].acc,
                                        .dims = DIMS_VALUE(0)};
        struct oracle_cases cases;
        struct error error = {0};
        assert_int_equal(oracle_make_specials(&cases, &problem, &shape, &error), 0);
        for (int e = rows[r].least; e <= rows[r].most; e++)
            if (!shows_loss(&cases, &problem, e))
                fail_msg("%zu: elements of 2^%d are not missed", r, e);
        oracle_dispose_cases(&cases);
    }
}

/* Are the elements powers of two, or three times ones, of both signs and several sizes? */
static bool is_window(const struct oracle_cases *cases, const struct oracle_case *c,
                      enum type type)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (uint64_t k = 0; k < dims_n(&c->dims); k++) {
        const double x = element_load(type, cases->elements, c->offset + k);
        int exponent;
        const double fraction = fabs(frexp(x, &exponent));
        if (fraction != 0.5 && fraction != 0.75)
            return false;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    return least < 0 && most > 0 && dims_n(&c->dims) > 33;
}

/* The sums of a window are those of its very elements, and exact in any order: all sizes together are
 * less than the bits of an accumulator can tell apart. True where the sizes are far apart, too. */
static bool sums_exactly(const struct oracle_cases *cases, const struct oracle_case *c,
                         const struct problem *problem)
{
    const enum dims_scan scan = c->dims.scan;
    const oracle_bits *expects = cases->expects + c->first;
    double total = 0, unit = HUGE_VAL, sizes = 0, largest = 0;
    for (uint64_t k = 0; k < dims_n(&c->dims); k++) {
        const double x = element_load(problem->type, cases->elements, c->offset + k);
        const double term = problem->op == op_of(SUMSQ) ? x * x : x, before = total;
        total += term;
        sizes += fabs(term);
        unit = fmin(unit, exp2(ilogb(x) - 1) *
                              (problem->op == op_of(SUMSQ) ? exp2(ilogb(x) - 1) : 1));
        largest = fmax(largest, fabs(term));
        if (scan)
            assert_true(oracle_to_double(problem->acc, expects[k]) ==
                        (scan == DIMS_EXCLUSIVE ? before : total));
    }
    if (!scan)
        assert_true(oracle_to_double(problem->acc, *expects) == total);
    assert_true(sizes <= unit * exp2(problem_types[problem->acc].exact_bits));
    return largest >= 64 * unit;
}

/* Windows of exponents have several each, and the results of their very elements, of scans too. */
static void test_windows_of_exponents(void **state)
{
    static const struct {
        enum op op;
        enum type type;
        enum dims_scan scan;
        size_t windows;
    } rows[] = {
        {SUM, F32, DIMS_ALL, 20},       {SUM, F64, DIMS_INCLUSIVE, 53},
        {SUM, F32, DIMS_EXCLUSIVE, 20}, {SUMSQ, F32, DIMS_ALL, 24},
        {SUM, F16, DIMS_EXCLUSIVE, 2},  {SUM, BF16, DIMS_INCLUSIVE, 20},
        {SUMSQ, BF16, DIMS_ALL, 24},    {SUM, F64, DIMS_EXCLUSIVE, 53},
    };
    const struct oracle_shape shape = {.block = 32, .tile = 256};
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct problem problem = {.op = op_of(rows[r].op),
                                        .type = rows[r].type,
                                        .acc = problem_default_acc(rows[r].type),
                                        .dims = dims_run(0, rows[r].scan)};
        struct oracle_cases cases;
        struct error error = {0};
        size_t windows = 0;
        assert_int_equal(oracle_make_specials(&cases, &problem, &shape, &error), 0);
        for (size_t i = 0; i < cases.count; i++)
            windows += is_window(&cases, &cases.cases[i], problem.type) &&
                       sums_exactly(&cases, &cases.cases[i], &problem);
        assert_in_range(windows, rows[r].windows, rows[r].windows + 1);
        oracle_dispose_cases(&cases);
    }
}

/* --- Order n ------------------------------------------------------------------------------ */

/* What some result of the cases of order n is of. */
struct variety {
    bool infinities, zeros,
        only_minus_zeros;         /* several among others; of both signs; nothing else */
    bool wide, tiny, is_denormal; /* far apart; of denormals; and it is one */
    uint64_t longest;
    uint16_t starts[1026]; /* by the depth: a bit for each */
};

static void see_result(struct variety *seen, const struct problem *problem,
                       const struct oracle_cases *cases, const struct oracle_case *c,
                       uint64_t r)
{
    const struct element_range range = element_range(problem->acc);
    const uint64_t first = c->offset + dims_at(&c->dims, r, 0), depth = c->dims.depth.n;
    oracle_bits wanted = 0;
    const double result = fabs(oracle_to_double(problem->acc, cases->expects[c->first + r]));
    uint64_t finite = 0, plus = 0, minus = 0, tiny = 0;
    double least = HUGE_VAL, most = 0;
    autotune_reference(&wanted, problem->op->name, problem_types[problem->type].name,
                       problem_types[problem->acc].name,
                       (const char *)cases->elements + first * (uint64_t)width(problem->type),
                       depth, c->dims.depth.stride);
    assert_int_equal(wanted, cases->expects[c->first + r]);
    for (uint64_t k = 0; k < depth; k++) {
        const double x =
            element_load(problem->type, cases->elements, c->offset + dims_at(&c->dims, r, k));
        const double size = fabs(x);
        finite += isfinite(x) ? 1 : 0;
        plus += x == 0 && !signbit(x);
        minus += x == 0 && signbit(x);
        tiny += size > 0 && size < range.small;
        least = size > 0 ? fmin(least, size) : least;
        most = isfinite(x) ? fmax(most, size) : most;
    }
    seen->infinities |= depth > finite + 1 && finite > 1;
    seen->zeros |= plus > 0 && minus > 0;
    seen->only_minus_zeros |= minus == depth;
    seen->wide |= most > least * 0x1p28;
    seen->tiny |= tiny > 0;
    seen->is_denormal |= result > 0 && result < range.small;
}

/* All that lies next to the case must show when it is read. */
static void assert_alone(const struct problem *problem, const struct oracle_cases *cases,
                         const struct oracle_case *c)
{
    const size_t bytes = (size_t)width(problem->type);
    const unsigned char *elements = cases->elements;
    const uint64_t end = c->offset + dims_extent(&c->dims);
    unsigned char guard[16];
    oracle_guard(problem, guard);
    assert_true(c->offset >= 64 && end + 64 <= cases->element_count);
    for (uint64_t i = 1; i <= 64; i++) {
        assert_memory_equal(elements + (c->offset - i) * bytes, guard, bytes);
        assert_memory_equal(elements + (end + i - 1) * bytes, guard, bytes);
    }
}

static void see_ordered(struct variety *seen, const struct problem *problem)
{
    const struct oracle_shape shape = {.block = 64,
                                       .tile = 2048,
                                       .positions_max = 64,
                                       .at_once = 4};
    const uint64_t starts = 16 / (uint64_t)width(problem->type);
    struct oracle_cases all, others;
    struct problem other = *problem;
    struct error error = {0};
    other.order = ORDER_FREE;
    assert_int_equal(oracle_make_specials(&others, &other, &shape, &error), 0);
    assert_int_equal(oracle_make_specials(&all, problem, &shape, &error), 0);
    for (size_t i = others.count; i < all.count; i++) {
        const struct oracle_case *c = &all.cases[i];
        const uint64_t depth = c->dims.depth.n;
        assert_alone(problem, &all, c);
        for (uint64_t r = 0; depth < 5000 && r < dims_results(&c->dims); r++)
            see_result(seen, problem, &all, c, r);
        seen->longest = depth > seen->longest ? depth : seen->longest;
        if (depth <= 1025)
            seen->starts[depth] |= (uint16_t)(1u << c->offset % starts);
    }
    oracle_dispose_cases(&all);
    oracle_dispose_cases(&others);
}

/* Its own cases are behind those of every order. Each kind of element is in some of them, many tiles
 * are, and short ones begin at every start. */
static void test_order_n_cases(void **state)
{
    static const struct dims dims[] = {DIMS_VALUE(400000),
                                       {.outer = {100, 9000}, .depth = {2, 1}, .inner = {1, 1}},
                                       {.outer = {1, 1}, .depth = {2, 100}, .inner = {100, 1}}};
    static const enum type types[] = {F16, BF16, F32, F64};
    static const enum op ops[] = {SUM, SUMSQ, PROD};
    static const uint64_t depths[] = {1, 2, 3, 4, 5, 14, 31, 60, 127, 128, 129, 1000, 1025};
    size_t denormals[OP_COUNT] = {0};
    (void)state;
    for (size_t i = 0; i < 3 * 4; i++) {
        const enum type type = types[i % 4];
        const enum op op = ops[i / 4];
        const struct problem problem = {.op = op_of(op),
                                        .type = type,
                                        .acc = problem_default_acc(type),
                                        .dims = dims[i % 3],
                                        .order = ORDER_BY_N};
        const bool is_own = problem.acc == type; /* else the least elements are not its least */
        struct variety seen = {.longest = 0};
        see_ordered(&seen, &problem);
        assert_true(seen.infinities && seen.only_minus_zeros);
        assert_true(op == PROD || seen.zeros);
        assert_true((op == PROD && type == F16) || seen.wide);
        assert_true(op != SUM || !is_own || seen.tiny);
        denormals[op] += seen.is_denormal;
        assert_true(seen.longest > UINT64_C(100) * 2048);
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++)
            if (depths[d] < 1024 || i % 3 == 0)
                assert_int_equal(seen.starts[depths[d]], (1u << 16 / width(type)) - 1);
    }
    assert_true(denormals[SUM] && denormals[SUMSQ] && denormals[PROD]);
}

/* --- Floats that round -------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Sums (or multiplies) by pairs in a random order; the height is that of the tree. */
static double by_pairs(const struct problem *problem, union value *v, uint64_t n,
                       uint64_t *height)
{
    *height = 0;
    for (; n > 1; n = (n + 1) / 2, ++*height)
        for (uint64_t i = 0; i < n / 2; i++) {
            v[i] = step(op_in(problem->op), problem->acc, v[i], v[n - 1 - i]);
        }
    return v[0].f;
}

static void bound_holds(const struct problem *p)
{
    enum { N = 20011 };
    static union value v[N];
    struct problem problem = *p;
    problem.dims = dims_value(N);
    const bool is_product = plain_ops[op_in(problem.op)].step == PLAIN_MULTIPLY;
    assert_int_equal(problem_rounds(&problem),
                     is_float(problem.type) && plain_rounds(op_in(problem.op)));
    if (!problem_rounds(&problem))
        return;
    unsigned char *x = malloc(N * 8);
    assert_non_null(x);
    for (uint64_t seed = 0; seed < 8; seed++) {
        const struct oracle_input input = {.problem = problem, .seed = seed};
        struct oracle_reference reference = {0}, once = {0};
        double rest = 0, other = 0;
        uint64_t height, state = seed;
        long double naive = is_product;
        oracle_fill_random(&input, 0, N, x);
        const size_t cut = 7777 * (size_t)width(problem.type);
        oracle_reference_add(&reference, &problem, x, 7777, &rest);
        oracle_reference_add(&reference, &problem, x + cut, N - 7777, &rest);
        oracle_reference_add(&once, &problem, x, N, &other);
        assert_true(fabs(once.value - reference.value) <= 1e-15 * fabs(once.value));
        for (uint64_t i = 0; i < N; i++) {
            v[i] = load(problem.type, x, i);
            assert_true(isfinite(v[i].f) && fabs(v[i].f) > 0);
            v[i] = map(op_in(problem.op), problem.acc, v[i]);
            naive = is_product ? naive * v[i].f : naive + v[i].f;
        }
        assert_true(fabsl(naive - reference.value) <= 1e-14L * reference.sum_abs);
        for (uint64_t i = N - 1; i > 0; i--) {
            const uint64_t k = next_random(&state) % (i + 1);
            const union value t = v[i];
            v[i] = v[k];
            v[k] = t;
        }
        const double got = by_pairs(&problem, v, N, &height);
        height += plain_ops[op_in(problem.op)].map_float != NULL; /* which may be rounded too */
        const double bound = oracle_bound(problem.acc, height, reference.sum_abs);
        assert_true(fabs(got - reference.value) <= bound);
        if (problem.acc == F32)
            assert_true(fabs(got - reference.value) > 0);
        if (!is_product) /* and it says something: 200 lost elements do not fit in */
            assert_true(bound < 200 * reference.sum_abs / N);
    }
    free(x);
}

static void test_bound_holds(void **state)
{
    (void)state;
    for_each_problem(bound_holds);
    assert_true(oracle_bound(I32, 10, 5.0) <= 0);
    assert_true(isinf(oracle_bound(F32, 1 << 24, 5.0)));
}

static void test_cancellation(void **state)
{
    (void)state;
    const struct problem problem = {.op = op_of(SUM),
                                    .type = F64,
                                    .acc = F64,
                                    .dims = DIMS_VALUE(4),
                                    .regime = COLD};
    const double x[] = {1e100, 1.0, -1e100, 0x1p-60};
    struct oracle_reference reference = {0};
    double rest = 0;
    oracle_reference_add(&reference, &problem, x, 4, &rest);
    assert_true(fabs(reference.value - 1.0) <= 0x1p-52);
}

/* --- Comparing and printing --------------------------------------------------------------- */

static void test_equal(void **state)
{
    (void)state;
    assert_true(oracle_equal(F32, 0x7fc00000, 0xffc00001));
    assert_true(oracle_equal(F64, 0x7ff8000000000000, 0xfff0000000000001));
    assert_false(oracle_equal(F32, 0x7fc00000, 0x7f800000));
    assert_false(oracle_equal(F32, 0, 0x80000000));
    assert_false(oracle_equal(I32, 0x7fc00000, 0x7fc00001));
    assert_false(oracle_equal(F64, 0x7ff8000000000000, 0x7ff0000000000000));
}

static void test_format(void **state)
{
    (void)state;
    const struct {
        enum type acc;
        oracle_bits bits;
        const char *text;
    } rows[] = {
        {I32, 0xffffffff, "-1"},          {U32, 0xffffffff, "4294967295"},
        {I64, UINT64_MAX, "-1"},          {U64, UINT64_MAX, "18446744073709551615"},
        {F32, 0x3fc00000, "1.5"},         {F32, 0x80000000, "-0"},
        {F32, 0xffc00000, "nan"},         {F32, 0xff800000, "-inf"},
        {F64, 0x3ff8000000000000, "1.5"}, {F64, 0x3fb999999999999a, "0.10000000000000001"},
    };
    const bool comma = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[ORACLE_CHARS];
        assert_string_equal(oracle_format(out, rows[i].acc, rows[i].bits), rows[i].text);
    }
    print_message("locale with a comma: %s\n", comma ? "yes" : "not installed");
    setlocale(LC_ALL, "C");
}

/* --- Speed, for people -------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_speed(const struct problem *problem)
{
    enum { N = 1 << 18 };
    static unsigned char x[N * 8];
    const struct oracle_input input = {.problem = *problem, .seed = 1};
    struct oracle_fold fold;
    if (problem->type != problem->acc)
        return;
    oracle_fold_init(&fold, problem);
    oracle_fill(&input, 0, N, x);
    const double begin = seconds();
    oracle_fill(&input, 0, N, x);
    const double middle = seconds();
    oracle_fold_add(&fold, x, N);
    const double end = seconds();
    print_message("%-4s %s: fill %5.0f, fold %5.0f million elements a second\n",
                  problem->op->name, problem_types[problem->type].name,
                  1e-6 * N / (middle - begin), 1e-6 * N / (end - middle));
}

static void test_speed(void **state)
{
    (void)state;
    for_each_problem(print_speed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_passes),
        cmocka_unit_test(test_faults_fail),
        cmocka_unit_test(test_limits_fail),
        cmocka_unit_test(test_every_float_counts),
        cmocka_unit_test(test_front_counts),
        cmocka_unit_test(test_sizes_and_budget),
        cmocka_unit_test(test_positions_are_sampled),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_draws_leave_nothing_out),
        cmocka_unit_test(test_bad_shape),
        cmocka_unit_test(test_chunks_agree),
        cmocka_unit_test(test_full_catches),
        cmocka_unit_test(test_mark_moves),
        cmocka_unit_test(test_sum_span),
        cmocka_unit_test(test_sumsq_span),
        cmocka_unit_test(test_folds_agree),
        cmocka_unit_test(test_wide_reference),
        cmocka_unit_test(test_inexact_is_refused),
        cmocka_unit_test(test_specials_hold),
        cmocka_unit_test(test_every_exponent_counts),
        cmocka_unit_test(test_windows_of_exponents),
        cmocka_unit_test(test_order_n_cases),
        cmocka_unit_test(test_broken_rules_fail),
        cmocka_unit_test(test_bound_holds),
        cmocka_unit_test(test_cancellation),
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
