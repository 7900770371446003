/* Tests of axis: which values get a tick, how these are labelled, and where values stand. */
#include "autotune/report/axis.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void check_ticks(const struct axis *axis, const char *want)
{
    char got[400] = "", label[NUMBER_CHARS];
    for (size_t i = 0; i < axis->tick_count; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? " " : "",
                 axis_label(label, axis, axis->ticks[i]));
    assert_string_equal(got, want);
}

static void test_log_ticks(void **state)
{
    (void)state;
    struct axis axis;
    axis_fit_log(&axis, 1024, 65536, 7);
    check_ticks(&axis, "1Ki 2Ki 4Ki 8Ki 16Ki 32Ki 64Ki");
    axis_fit_log(&axis, 1024, 65536, 6);
    check_ticks(&axis, "1Ki 4Ki 16Ki 64Ki");
    axis_fit_log(&axis, 1000, 0x1p32, 8); /* from no power of two */
    check_ticks(&axis, "1Ki 8Ki 64Ki 512Ki 4Mi 32Mi 256Mi 2Gi");
    axis_fit_log(&axis, 1000, 0x1p32, 1);
    check_ticks(&axis, "1Ki");
    axis_fit_log(&axis, 400000000, 400000000, 5); /* one size */
    check_ticks(&axis, "256Mi 512Mi");
    axis_fit_log(&axis, 1, 1, 5);
    check_ticks(&axis, "1 2");
    axis_fit_log(&axis, 3, 5, 5);
    check_ticks(&axis, "2 4 8");
}

static void test_decades(void **state)
{
    (void)state;
    struct axis axis;
    axis_fit_decades(&axis, 1000, 100000, 7);
    check_ticks(&axis, "1K 2K 5K 10K 20K 50K 100K");
    axis_fit_decades(&axis, 1000, 4000000000, 7);
    check_ticks(&axis, "1K 10K 100K 1M 10M 100M 1G");
    axis_fit_decades(&axis, 1000, 4000000000, 4);
    check_ticks(&axis, "10K 1M 100M");
    axis_fit_decades(&axis, 1.3, 866.7, 6); /* microseconds */
    check_ticks(&axis, "10 100");
    axis_fit_decades(&axis, 0.02, 0.3, 6);
    check_ticks(&axis, "0.02 0.05 0.1 0.2");
    axis_fit_decades(&axis, 400e6, 400e6, 5); /* one size */
    assert_true(axis.low <= 400e6 && axis.high > axis.low && axis.tick_count > 0);
}

static void test_linear_ticks(void **state)
{
    (void)state;
    struct axis axis;
    axis_fit_linear(&axis, 0, 4814, 7);
    check_ticks(&axis, "0 1000 2000 3000 4000 5000");
    axis_fit_linear(&axis, 0.98, 1.68, 7);
    check_ticks(&axis, "0.8 1 1.2 1.4 1.6 1.8");
    axis_fit_linear(&axis, 0, 0.06, 4);
    check_ticks(&axis, "0 0.02 0.04 0.06");
    axis_fit_linear(&axis, 5, 5, 4); /* all the same */
    assert_true(axis.low <= 5 && axis.high > axis.low);
    axis_fit_linear(&axis, 0, 0, 4);
    assert_true(axis.high > axis.low);
}

/* Whatever the range: no more ticks than asked for, all within, and the range within the axis.
 */
static void test_any_range(void **state)
{
    (void)state;
    for (double least = 1e-3; least < 1e13; least *= 3.7)
        for (double ratio = 1; ratio < 1e7; ratio *= 2.9)
            for (size_t count = 3; count <= AXIS_TICKS_MAX; count++) {
                struct axis axes[2];
                axis_fit_log(&axes[0], least, least * ratio, count);
                axis_fit_linear(&axes[1], least, least * ratio, count);
                for (size_t a = 0; a < 2; a++) {
                    const double slack = 1e-9 * (fabs(axes[a].high) + fabs(axes[a].low));
                    assert_in_range(axes[a].tick_count, 1, count);
                    assert_true(axes[a].low <= least + slack);
                    assert_true(axes[a].high >= least * ratio - slack);
                    for (size_t i = 0; i < axes[a].tick_count; i++)
                        assert_true(axes[a].ticks[i] >= axes[a].low - slack &&
                                    axes[a].ticks[i] <= axes[a].high + slack);
                }
            }
}

static void test_place(void **state)
{
    (void)state;
    struct axis axis;
    axis_fit_log(&axis, 1024, 4096, 4);
    axis.from = 100;
    axis.to = 300;
    assert_true(fabs(axis_place(&axis, 1024) - 100) < 1e-6);
    assert_true(fabs(axis_place(&axis, 2048) - 200) < 1e-6);
    assert_true(fabs(axis_place(&axis, 4096) - 300) < 1e-6);
    assert_true(fabs(axis_place(&axis, 1) - 100) < 1e-6); /* beyond the ends: at the end */
    assert_true(fabs(axis_place(&axis, 1e9) - 300) < 1e-6);
    assert_true(fabs(axis_place(&axis, 0) - 100) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_log_ticks),
                                       cmocka_unit_test(test_decades),
                                       cmocka_unit_test(test_linear_ticks),
                                       cmocka_unit_test(test_any_range),
                                       cmocka_unit_test(test_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
