/* test_dims: the arithmetic of dims, and the one form that equal problems are brought to. */
#include "generator/dims.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Written as outer, depth, inner. */
#define DIMS(on, os, dn, ds, in, is) {{on, os}, {dn, ds}, {in, is}, DIMS_ALL, DIMS_WHOLE}

static const struct {
    const char *what;
    struct dims given, canonical;
} table[] = {
    {"one value", DIMS(1, 1, 1000, 1, 1, 1), DIMS(1, 1, 1000, 1, 1, 1)},
    {"one row", DIMS(1, 1000, 1000, 1, 1, 1), DIMS(1, 1, 1000, 1, 1, 1)},
    {"one row with a pitch", DIMS(1, 1024, 1000, 1, 1, 1), DIMS(1, 1, 1000, 1, 1, 1)},
    {"rows", DIMS(10, 1000, 1000, 1, 1, 1), DIMS(10, 1000, 1000, 1, 1, 1)},
    {"rows with a pitch", DIMS(10, 1024, 1000, 1, 1, 1), DIMS(10, 1024, 1000, 1, 1, 1)},
    {"rows of one", DIMS(10, 1, 1, 1, 1, 1), DIMS(10, 1, 1, 1, 1, 1)},
    {"rows of one with a pitch", DIMS(10, 8, 1, 1, 1, 1), DIMS(10, 8, 1, 1, 1, 1)},
    {"columns", DIMS(1, 1, 10, 1000, 1000, 1), DIMS(1, 1, 10, 1000, 1000, 1)},
    {"columns of one row", DIMS(1, 1, 1, 1000, 1000, 1), DIMS(1000, 1, 1, 1, 1, 1)},
    {"one column", DIMS(1, 1, 10, 1, 1, 1), DIMS(1, 1, 10, 1, 1, 1)},
    {"one column with a pitch", DIMS(1, 1, 10, 8, 1, 1), DIMS(1, 1, 10, 8, 1, 1)},
    {"one element", DIMS(1, 7, 1, 8, 1, 9), DIMS(1, 1, 1, 1, 1, 1)},
    {"a middle axis", DIMS(4, 600, 20, 30, 30, 1), DIMS(4, 600, 20, 30, 30, 1)},
    {"a middle axis of one", DIMS(4, 30, 1, 30, 30, 1), DIMS(120, 1, 1, 1, 1, 1)},
    {"kept axes that lie as one, combined before them", DIMS(4, 30, 20, 120, 30, 1),
     DIMS(1, 1, 20, 120, 120, 1)},
    {"kept axes that lie as one, combined behind them", DIMS(4, 300, 20, 1, 15, 20),
     DIMS(60, 20, 20, 1, 1, 1)},
    {"rows written as inner", DIMS(1, 1, 1000, 1, 10, 1024), DIMS(10, 1024, 1000, 1, 1, 1)},
    {"columns written as outer", DIMS(1000, 1, 10, 1000, 1, 1), DIMS(1, 1, 10, 1000, 1000, 1)},
    {"every other column, written as outer", DIMS(1000, 2, 10, 2000, 1, 1),
     DIMS(1, 1, 10, 2000, 1000, 2)},
    {"two columns of two", DIMS(1, 1, 2, 2, 2, 1), DIMS(1, 1, 2, 2, 2, 1)},
    {"a middle axis, two behind it", DIMS(4, 600, 20, 30, 2, 1), DIMS(4, 600, 20, 30, 2, 1)},
    {"kept axes that lie as one, two each", DIMS(4, 2, 20, 8, 2, 1), DIMS(1, 1, 20, 8, 8, 1)},
    {"windows that slide by one", DIMS(10, 1, 10, 1, 1, 1), DIMS(10, 1, 10, 1, 1, 1)},
};

/* One number of dims being another, they are not the same. */
static void test_same(void **state)
{
    (void)state;
    const struct dims dims = {{2, 3}, {4, 5}, {6, 7}, DIMS_INCLUSIVE, DIMS_WHOLE};
    assert_true(dims_is_same(&dims, &dims));
    for (int i = 0; i < 7; i++) {
        struct dims other = dims;
        uint64_t *const numbers[] = {&other.outer.n, &other.outer.stride,
                                     &other.depth.n, &other.depth.stride,
                                     &other.inner.n, &other.inner.stride};
        if (i < 6)
            ++*numbers[i];
        else
            other.scan = DIMS_EXCLUSIVE;
        assert_false(dims_is_same(&dims, &other));
        assert_false(dims_is_same(&other, &dims));
    }
}

static void test_run(void **state)
{
    (void)state;
    const struct dims run = dims_run(9, DIMS_INCLUSIVE);
    const struct dims expected = {{1, 1}, {9, 1}, {1, 1}, DIMS_INCLUSIVE, DIMS_WHOLE};
    assert_true(dims_is_same(&run, &expected));
}

static void test_canonical(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct dims once = dims_canonical(&table[i].given);
        const struct dims twice = dims_canonical(&once);
        if (!dims_is_same(&once, &table[i].canonical))
            fail_msg("%s", table[i].what);
        assert_true(dims_is_same(&once, &twice));
    }
}

/* The form is another name for the same results: each of the same elements, in the same order. */
static void test_same_elements(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct dims *given = &table[i].given;
        const struct dims made = dims_canonical(given);
        assert_int_equal(dims_results(&made), dims_results(given));
        assert_int_equal(dims_n(&made), dims_n(given));
        uint64_t last = 0;
        for (uint64_t result = 0; result < dims_results(given); result++)
            for (uint64_t d = 0; d < given->depth.n; d++) {
                const uint64_t at = dims_at(given, result, d);
                assert_int_equal(dims_at(&made, result, d), at);
                last = at > last ? at : last;
            }
        assert_int_equal(dims_extent(&made), last + 1);
        assert_int_equal(dims_extent(given), last + 1);
    }
}

static void test_left(void **state)
{
    (void)state;
    const struct dims rows = DIMS(10, 1024, 1000, 1, 1, 1),
                      columns = DIMS(1, 1, 10, 1024, 1000, 1);
    const struct dims of_rows = dims_left(&rows, 3), of_columns = dims_left(&columns, 3);
    const struct dims expected_rows = DIMS(10, 3, 3, 1, 1, 1);
    const struct dims expected_columns = DIMS(1, 3000, 3, 1000, 1000, 1);
    assert_true(dims_is_same(&of_rows, &expected_rows));
    assert_true(dims_is_same(&of_columns, &expected_columns));
    const struct dims apart = DIMS(1, 1, 10, 2000, 1000, 2);
    const struct dims of_apart = dims_left(&apart, 3);
    assert_true(dims_is_same(&of_apart, &expected_columns));
}

/* Of a middle axis two or more results stay on the outer side, where there are as many. */
static void test_resized(void **state)
{
    (void)state;
    const struct dims middle = DIMS(40, 600, 20, 30, 30, 1);
    static const struct {
        uint64_t results, depth, gap;
        struct dims made;
    } cases[] = {
        {70, 5, 0, DIMS(2, 150, 5, 30, 30, 1)},     {90, 5, 2, DIMS(3, 162, 5, 32, 30, 1)},
        {20, 7, 1, DIMS(2, 78, 7, 11, 10, 1)},      {4, 1, 0, DIMS(2, 2, 1, 2, 2, 1)},
        {1, 1000, 0, DIMS(1, 1000, 1000, 1, 1, 1)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct dims made =
            dims_resized(&middle, cases[i].results, cases[i].depth, cases[i].gap);
        assert_true(dims_is_same(&made, &cases[i].made));
        assert_int_equal(dims_gap(&made), cases[i].gap);
    }
}

/* Axes on both sides of what is kept: in spans, whose elements are all counted once. */
static void test_spans(void **state)
{
    (void)state;
    static const struct dims all[] = {
        {{5, 12},
         {36, 1},
         {1, 1},
         DIMS_ALL,
         {{12, 60}},
         {{1, 1}}}, /* combined, kept, combined */
        {{3, 240}, {24, 1}, {5, 6}, DIMS_ALL, {{6, 30}}, {{1, 1}}}, /* kept first, too */
        {{4, 30},
         {15, 6},
         {6, 1},
         DIMS_ALL,
         {{5, 120}},
         {{1, 1}}}, /* combined, kept, combined, kept */
        {{1, 1},
         {12, 1},
         {1, 1},
         DIMS_ALL,
         {{4, 9}},
         {{1, 1}}},                                      /* one value of spans with gaps */
        {{6, 20}, {3, 6}, {1, 1}, DIMS_ALL, DIMS_WHOLE}, /* rows of every sixth element */
        /* three of a kind, by turns, kept ones outside */
        {{6, 60}, {24, 1}, {5, 3}, DIMS_ALL, {{3, 15}, {12, 120}}, {{2, 240}}},
        /* four combined, four kept, with gaps, in another order than they lie */
        {{12, 1}, {16, 200}, {2, 9}, DIMS_ALL, {{2, 18}, {4, 37}, {8, 404}}, {{2, 3}, {6, 75}}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char seen[2000] = {0};
        const struct dims *dims = &all[i], made = dims_canonical(dims);
        uint64_t count = 0;
        assert_true(dims_is_same(dims, &made));
        assert_true(dims_is_strided(dims));
        for (uint64_t r = 0; r < dims_results(dims); r++)
            for (uint64_t d = 0; d < dims->depth.n; d++) {
                const uint64_t at = dims_at(dims, r, d);
                assert_true(at < dims_extent(dims) && !seen[at]);
                seen[at] = 1;
                count++;
            }
        assert_int_equal(count, dims_n(dims));
        assert_true(seen[dims_extent(dims) - 1]);
        for (uint64_t results = 1; results < 30; results++) {
            const struct dims resized = dims_resized(dims, results, 17, results % 3);
            assert_true(dims_results(&resized) >= 1 && dims_results(&resized) <= results);
            assert_true(resized.depth.n > 17 / 2 && resized.depth.n <= 17);
            assert_int_equal(resized.depth.n % dims_span(&resized), 0);
        }
    }
    const struct dims dense = DIMS(5, 36, 36, 1, 1, 1);
    struct dims spans = dense;
    spans.spans[0] = (struct dim){12, 12};
    spans = dims_canonical(&spans);
    assert_true(dims_is_same(&spans, &dense));
}

static void test_nothing(void **state)
{
    (void)state;
    const struct dims none = dims_value(0), no_rows = DIMS(0, 16, 8, 1, 1, 1);
    assert_int_equal(dims_extent(&none), 0);
    assert_int_equal(dims_results(&none), 1);
    assert_int_equal(dims_extent(&no_rows), 0);
    assert_int_equal(dims_results(&no_rows), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical), cmocka_unit_test(test_same_elements),
        cmocka_unit_test(test_spans),     cmocka_unit_test(test_resized),
        cmocka_unit_test(test_left),      cmocka_unit_test(test_same),
        cmocka_unit_test(test_run),       cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
