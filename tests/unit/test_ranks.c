/* Rank correlation: cases by hand. */
#include "autotune/compare/ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_by_hand(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        double a[6], b[6], want;
    } rows[] = {
        {0, {0}, {0}, 0},
        {1, {3}, {4}, 0},
        {4, {1, 2, 3, 4}, {10, 20, 21, 1000}, 1},
        {4, {1, 2, 3, 4}, {4, 3, 2, 1}, -1},
        {4, {7, 7, 7, 7}, {4, 3, 2, 1}, 0},
        {5, {1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}, 0.8},          /* 1 - 6 * 4 / (5 * 24) */
        {4, {1, 1, 2, 2}, {1, 2, 3, 4}, 0.8944271909999159}, /* 4 / sqrt(4 * 5) */
        {3, {-1, 0, 1}, {5, 5, 6}, 0.8660254037844386},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error;
        double got, turned;
        assert_int_equal(ranks_correlation(&got, rows[i].a, rows[i].b, rows[i].count, &error),
                         0);
        assert_int_equal(ranks_correlation(&turned, rows[i].b, rows[i].a, rows[i].count,
                                           &error),
                         0);
        if (got < rows[i].want - 1e-12 || got > rows[i].want + 1e-12)
            fail_msg("row %zu: %.15f", i, got);
        assert_true(turned > got - 1e-12 && turned < got + 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
