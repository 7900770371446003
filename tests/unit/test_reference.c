/* Tests of autotune_reference.h: against the contract of docs/reproducible.md, written a second time
 * in another way: level by level, in the accumulator's own type. */
#include "include/autotune_reference.h"

#include "autotune/verify/element.h"
#include "generator/random.h"
#include "tests/unit/named_op.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { N_MAX = 40000, PITCH = 3 };
static const size_t sizes[] = {0,    1,    2,    31,   127,  128,  129,   1023,  1024,
                               1025, 2047, 2048, 3073, 5120, 7169, 16385, 39999, 40000};
enum { SIZES = sizeof sizes / sizeof *sizes };

#define LEVELS(type, name, map, join, identity)                                                \
    static type name(const type *x, size_t n)                                                  \
    {                                                                                          \
        static type v[N_MAX / 1024 + 1];                                                       \
        size_t count = (n + 1023) / 1024;                                                      \
        for (size_t leaf = 0; leaf < count; leaf++) {                                          \
            volatile type a[128];                                                              \
            for (size_t i = 0; i < 128; i++) {                                                 \
                a[i] = identity;                                                               \
                for (size_t e = leaf * 1024 + i; e < n && e < leaf * 1024 + 1024; e += 128) {  \
                    const volatile type one = map(x[e]);                                       \
                    a[i] = join(a[i], one);                                                    \
                }                                                                              \
            }                                                                                  \
            for (size_t d = 1; d < 128; d *= 2)                                                \
                for (size_t i = 0; i < 128; i += 2 * d)                                        \
                    a[i] = join(a[i], a[i + d]);                                               \
            v[leaf] = a[0];                                                                    \
        }                                                                                      \
        for (; count > 1; count = (count + 1) / 2)                                             \
            for (size_t i = 0; i < (count + 1) / 2; i++)                                       \
                v[i] = 2 * i + 1 < count ? (type)join(v[2 * i], v[2 * i + 1]) : v[2 * i];      \
        return count ? v[0] : identity;                                                        \
    }
#define SELF(x) (x)
#define SQUARE(x) ((x) * (x))
#define ADD(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))
LEVELS(float, levels_sum_f32, SELF, ADD, 0)
LEVELS(float, levels_sumsq_f32, SQUARE, ADD, 0)
LEVELS(float, levels_prod_f32, SELF, TIMES, 1)
LEVELS(double, levels_sum_f64, SELF, ADD, 0)
LEVELS(double, levels_sumsq_f64, SQUARE, ADD, 0)
LEVELS(double, levels_prod_f64, SELF, TIMES, 1)

/* Around one, or where results are denormals. */
static double draw(uint64_t *random, int power)
{
    const uint64_t word = random_next(random);
    return ldexp((word & 1 ? -1 : 1) * (1 + (double)(word >> 12) * 0x1p-52),
                 power + (int)(word >> 1 & 7) - 4);
}

static void test_levels(void **state)
{
    static const int powers[] = {0, -60, -124};
    static float narrow[N_MAX];
    static double wide[N_MAX];
    uint64_t random = 1;
    (void)state;
    for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
        for (size_t i = 0; i < N_MAX; i++) {
            narrow[i] = (float)draw(&random, powers[p]);
            wide[i] = draw(&random, 8 * powers[p]);
        }
        for (size_t i = 0; i < SIZES; i++) {
            const float f32[] = {levels_sum_f32(narrow, sizes[i]),
                                 levels_sumsq_f32(narrow, sizes[i]),
                                 levels_prod_f32(narrow, sizes[i])};
            const double f64[] = {levels_sum_f64(wide, sizes[i]),
                                  levels_sumsq_f64(wide, sizes[i]),
                                  levels_prod_f64(wide, sizes[i])};
            for (size_t op = 0; op < 3; op++) {
                const char *name = named_ops[op];
                float one;
                double other;
                assert_int_equal(autotune_reference(&one, name, "f32", "f32", narrow, sizes[i],
                                                    1),
                                 0);
                assert_int_equal(autotune_reference(&other, name, "f64", "f64", wide, sizes[i],
                                                    1),
                                 0);
                assert_memory_equal(&one, &f32[op], sizeof one);
                assert_memory_equal(&other, &f64[op], sizeof other);
            }
        }
    }
}

/* Elements of each type, and every one of 16 bits, are what the rest of the program takes them
 * for. */
static void test_elements(void **state)
{
    static uint16_t halves[1 << 16];
    static const enum type types[] = {F16, BF16};
    static const char letters[] = "hb";
    (void)state;
    for (size_t i = 0; i < 1 << 16; i++)
        halves[i] = (uint16_t)i;
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < 1 << 16; i++) {
            const double want = element_load(types[t], halves, i);
            const double got = autotune_element(letters[t], halves, i);
            assert_true(isnan(want) ? isnan(got) : memcmp(&want, &got, sizeof got) == 0);
        }
}

static void test_strides_and_accumulators(void **state)
{
    static float x[N_MAX], apart[PITCH * N_MAX];
    static double wide[N_MAX];
    uint64_t random = 2;
    float near, far;
    double in_f64, of_f64;
    (void)state;
    for (size_t i = 0; i < N_MAX; i++) {
        x[i] = apart[PITCH * i] = (float)draw(&random, -126);
        wide[i] = (double)x[i];
    }
    for (size_t i = 0; i < SIZES; i++) {
        autotune_reference(&near, "sum", "f32", "f32", x, sizes[i], 1);
        autotune_reference(&far, "sum", "f32", "f32", apart, sizes[i], PITCH);
        autotune_reference(&in_f64, "sumsq", "f32", "f64", x, sizes[i], 1);
        autotune_reference(&of_f64, "sumsq", "f64", "f64", wide, sizes[i], 1);
        assert_memory_equal(&near, &far, sizeof far);
        assert_memory_equal(&in_f64, &of_f64, sizeof of_f64);
    }
}

/* What docs/reproducible.md says of zeros, infinities and NaNs. */
static void test_specials(void **state)
{
    const float zeros[] = {-0.0f, -0.0f}, infinities[] = {HUGE_VALF, 1, -HUGE_VALF};
    const float plus = 0, one = 1;
    float y;
    (void)state;
    for (size_t n = 0; n <= 2; n++) {
        autotune_reference(&y, "sum", "f32", "f32", zeros, n, 1);
        assert_memory_equal(&y, &plus, sizeof y);
    }
    autotune_reference(&y, "prod", "f32", "f32", zeros, 0, 1);
    assert_memory_equal(&y, &one, sizeof y);
    autotune_reference(&y, "prod", "f32", "f32", zeros, 1, 1);
    assert_memory_equal(&y, zeros, sizeof y);
    autotune_reference(&y, "sum", "f32", "f32", infinities, 2, 1);
    assert_true(isinf(y));
    autotune_reference(&y, "sum", "f32", "f32", infinities, 3, 1);
    assert_true(isnan(y));
}

static void test_unknown_names(void **state)
{
    static const char *const wrong[][3] = {{"max", "f32", "f32"},
                                           {"sum", "i32", "f32"},
                                           {"sum", "f32", "f16"},
                                           {"sum", "f64", "f32"},
                                           {"", "f32", "f32"}};
    const float x = 1;
    double y = 5;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(autotune_reference(&y, wrong[i][0], wrong[i][1], wrong[i][2], &x, 1,
                                            1),
                         -1);
    assert_true(y >= 5 && y <= 5);
}

/* Parts that begin and end at any leaves, in any order, give the bits of the whole. */
static void test_parts(void **state)
{
    static double x[N_MAX];
    uint64_t random = 3;
    (void)state;
    for (size_t i = 0; i < N_MAX; i++)
        x[i] = draw(&random, 0);
    for (size_t turn = 0; turn < 300; turn++) {
        struct autotune_subtree all[4 * AUTOTUNE_SUBTREES];
        const char *op = named_ops[turn % 3];
        const uint64_t n = turn < SIZES ? sizes[turn] : random_next(&random) % N_MAX;
        uint64_t cuts[] = {random_next(&random) % (n + 1) / 1024 * 1024,
                           random_next(&random) % (n + 1) / 1024 * 1024};
        const uint64_t low = cuts[0] < cuts[1] ? cuts[0] : cuts[1],
                       high = cuts[0] + cuts[1] - low;
        const uint64_t ends[][2] = {{high, n}, {0, low}, {low, high}};
        double whole, parts;
        size_t count = 0;
        for (size_t p = 0; p < 3; p++) {
            const int got = autotune_subtrees(all + count, ends[p][0], ends[p][1], n);
            assert_in_range(got, 0, 2 * 6);
            count += (size_t)got;
        }
        for (size_t i = 0; i < count; i++)
            autotune_reference(&all[i].value, op, "f64", "f64", x + all[i].first, all[i].count,
                               1);
        assert_int_equal(autotune_combine(&parts, op, "f64", all, count, n), 0);
        autotune_reference(&whole, op, "f64", "f64", x, n, 1);
        assert_memory_equal(&parts, &whole, sizeof whole);
        if (count == 0)
            continue;
        assert_int_equal(autotune_combine(&parts, op, "f64", all, count - 1, n), -1);
        all[count] = all[0];
        assert_int_equal(autotune_combine(&parts, op, "f64", all, count + 1, n), -1);
        assert_int_equal(autotune_combine(&parts, "max", "f64", all, count, n), -1);
    }
}

/* No more than there must be. */
static void test_few_parts(void **state)
{
    static const struct {
        uint64_t first, end, n; /* first: leaves */
        int count;
    } rows[] = {
        {0, 2048, 4096, 1}, {0, 3072, 4096, 2}, {0, 4096, 8192, 1},
        {0, 3072, 3072, 1}, {0, 5125, 5125, 1}, {1, 3077, 3077, 2},
        {1, 4096, 5000, 2}, {3, 8192, 8192, 2}, {1, 16384, 16385, 4},
    };
    struct autotune_subtree out[AUTOTUNE_SUBTREES];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(autotune_subtrees(out, 1024 * rows[i].first, rows[i].end, rows[i].n),
                         rows[i].count);
}

/* What lies behind the list is none of it, even where it would fit: neither the next nor the one
 * behind that. */
static void test_missing_part(void **state)
{
    const uint64_t n = 7 * 1024;
    struct autotune_subtree all[AUTOTUNE_SUBTREES];
    double sum;
    (void)state;
    for (int behind = 0; behind < 2; behind++) {
        int count = 0;
        for (uint64_t at = 0; at < n; at += 1024)
            all[count++] = (struct autotune_subtree){at, 1024, 0, 1};
        const struct autotune_subtree missing = all[3];
        all[3] =
            (struct autotune_subtree){n, 1024, 0, 1}; /* so many, but one of them elsewhere */
        all[count] = all[count + 1] = all[3];
        assert_int_equal(autotune_combine(&sum, "sum", "f64", all, (size_t)count, n), -1);
        all[count + behind] = missing;
        assert_int_equal(autotune_combine(&sum, "sum", "f64", all, (size_t)count, n), -1);
    }
}

/* A list whose subtrees do not join, as none of autotune_subtrees is: as many as there is room for. */
static void test_unlike_parts(void **state)
{
    static struct autotune_subtree all[AUTOTUNE_LEVELS + 1];
    float sum;
    (void)state;
    for (uint64_t i = 0; i <= AUTOTUNE_LEVELS; i++)
        all[i] = (struct autotune_subtree){1024 * i, 1024, (int)(i % 2), 1};
    assert_int_equal(autotune_combine(&sum, "sum", "f32", all, AUTOTUNE_LEVELS,
                                      UINT64_C(1024) * AUTOTUNE_LEVELS),
                     0);
    assert_true(sum == AUTOTUNE_LEVELS);
    assert_int_equal(autotune_combine(&sum, "sum", "f32", all, AUTOTUNE_LEVELS + 1,
                                      UINT64_C(1024) * (AUTOTUNE_LEVELS + 1)),
                     -1);
}

static void test_no_parts(void **state)
{
    struct autotune_subtree out[AUTOTUNE_SUBTREES];
    (void)state;
    assert_int_equal(autotune_subtrees(out, 1, 2048, 4096), -1);
    assert_int_equal(autotune_subtrees(out, 0, 2047, 4096), -1);
    assert_int_equal(autotune_subtrees(out, 0, AUTOTUNE_LEAF / 2, 4096), -1);
    assert_int_equal(autotune_subtrees(out, AUTOTUNE_LEAF / 2, 2048, 4096), -1);
    assert_int_equal(autotune_subtrees(out, 2048, 1024, 4096), -1);
    assert_int_equal(autotune_subtrees(out, 0, 5120, 4096), -1);
    assert_int_equal(autotune_subtrees(out, 1024, 1024, 4096), 0);
    assert_int_equal(autotune_subtrees(out, 0, UINT64_MAX, UINT64_MAX), 1);
    assert_int_equal(out[0].count, UINT64_MAX);
    assert_in_range(autotune_subtrees(out, 1024, UINT64_MAX - 1023, UINT64_MAX), 1,
                    AUTOTUNE_SUBTREES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_strides_and_accumulators),
        cmocka_unit_test(test_specials),
        cmocka_unit_test(test_unknown_names),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_few_parts),
        cmocka_unit_test(test_missing_part),
        cmocka_unit_test(test_unlike_parts),
        cmocka_unit_test(test_no_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
