/* Tests of paired: the order of the sides, the effect of drift, and ratios within rounds, over
 * a made-up clock. */
#include "autotune/measure/paired.h"
#include "generator/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A machine on which a side takes its own time, slower by the moment, with noise. */
struct machine {
    double times_us[PAIRED_SIDES_MAX];
    double drift;    /* relative, from one measurement to the next */
    double noise;    /* relative, uniform to each side */
    size_t fails_at; /* the measurement that fails; 0 = none */
    uint64_t random;
    size_t count;
    char order[200]; /* sides in the order in which they were measured */
};

static int measure(void *context, size_t side, uint64_t *out_ps, struct error *error)
{
    struct machine *machine = context;
    const double uniform = (double)(random_next(&machine->random) >> 11) / 9007199254740992.0;
    if (machine->count < sizeof machine->order - 1)
        machine->order[machine->count] = (char)('0' + side);
    if (++machine->count == machine->fails_at)
        return error_set(error, ERROR_FAILED, "measurement %zu failed", machine->count);
    *out_ps = (uint64_t)(machine->times_us[side] * 1e6 *
                         (1 + machine->drift * (double)machine->count) *
                         (1 + machine->noise * (2 * uniform - 1)));
    return 0;
}

static void run(struct paired_result *out, struct machine *machine, size_t sides, size_t rounds)
{
    struct error error;
    if (paired_run(out, sides, rounds, measure, machine, &error))
        fail_msg("%s", error.text);
    assert_int_equal(machine->count, sides * rounds);
}

static void test_turns(void **state)
{
    (void)state;
    struct paired_result results[PAIRED_SIDES_MAX];
    struct machine two = {.times_us = {1, 2}}, three = {.times_us = {1, 2, 3}};
    run(results, &two, 2, 5);
    assert_string_equal(two.order, "0110011001");
    run(results, &three, 3, 3);
    assert_string_equal(three.order, "012210012");
}

static void test_exact(void **state)
{
    (void)state;
    struct paired_result results[PAIRED_SIDES_MAX];
    struct machine machine = {.times_us = {10, 15, 8}};
    run(results, &machine, 3, 21);
    const double ratios[] = {1, 1.5, 0.8};
    for (size_t side = 0; side < 3; side++) {
        assert_int_equal(results[side].median_ps, (uint64_t)(machine.times_us[side] * 1e6));
        assert_true(results[side].ratio.middle == ratios[side]);
        assert_true(results[side].ratio.low == ratios[side]);
        assert_true(results[side].ratio.high == ratios[side]);
        assert_true(results[side].ratio.confidence >= 0.95);
    }
}

/* A machine that slows down all the time favours neither: without turns, or with the ratio of
 * the medians of separate blocks, side 1 would look slower by a measurement's drift or more. */
static void test_drift(void **state)
{
    (void)state;
    struct paired_result results[PAIRED_SIDES_MAX];
    struct machine machine = {.times_us = {10, 10}, .drift = 0.01};
    run(results, &machine, 2, 100);
    assert_true(fabs(results[1].ratio.middle - 1) < 0.0005);
    assert_true(results[1].ratio.low < 1 && results[1].ratio.high > 1);
}

/* The interval holds the truth as often as it says. */
static void test_coverage(void **state)
{
    (void)state;
    enum { RUNS = 1000, ROUNDS = 31 };
    int held = 0;
    double width = 0;
    for (uint64_t seed = 1; seed <= RUNS; seed++) {
        struct paired_result results[PAIRED_SIDES_MAX];
        struct machine machine = {.times_us = {100, 103}, .noise = 0.05, .random = seed};
        run(results, &machine, 2, ROUNDS);
        held += results[1].ratio.low <= 1.03 && 1.03 <= results[1].ratio.high;
        width += results[1].ratio.high - results[1].ratio.low;
    }
    assert_in_range(held, RUNS * 93 / 100, RUNS * 99 / 100);
    assert_true(width / RUNS < 0.06); /* and says something */
}

static void test_one_round(void **state)
{
    (void)state;
    struct paired_result results[PAIRED_SIDES_MAX];
    struct machine machine = {.times_us = {4, 6}};
    run(results, &machine, 2, 1);
    assert_true(results[1].ratio.middle == 1.5 && results[1].ratio.confidence < 0.95);
}

static void test_failure(void **state)
{
    (void)state;
    struct paired_result results[PAIRED_SIDES_MAX];
    struct machine machine = {.times_us = {4, 6}, .fails_at = 7};
    struct error error;
    assert_int_equal(paired_run(results, 2, 10, measure, &machine, &error), -1);
    assert_string_equal(error.text, "measurement 7 failed");
    assert_int_equal(machine.count, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),     cmocka_unit_test(test_exact),
        cmocka_unit_test(test_drift),     cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_one_round), cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
