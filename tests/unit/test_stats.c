/* Tests of stats: medians and intervals against exact binomial sums, the coverage the intervals
 * promise against simulated runs, and the random numbers against published ones. */
#include "autotune/measure/stats.h"
#include "generator/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 1000 };

static void assert_near(double got, double expect, double tolerance)
{
    if (!(fabs(got - expect) <= tolerance))
        fail_msg("%.17g is not within %g of %.17g", got, tolerance, expect);
}

static void test_median(void **state)
{
    (void)state;
    static const struct {
        uint64_t values[6];
        size_t count;
        uint64_t median;
    } cases[] = {
        {{7}, 1, 7},
        {{9, 4}, 2, 6},
        {{3, 1, 2}, 3, 2},
        {{4, 1, 3, 2}, 4, 2},
        {{5, 5, 5, 1, 9}, 5, 5},
        {{UINT64_MAX, UINT64_MAX - 1}, 2, UINT64_MAX - 1},
        {{0, UINT64_MAX}, 2, UINT64_MAX / 2},
        {{10, 1, 30, 20, 50, 1000000}, 6, 25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t values[6];
        memcpy(values, cases[i].values, sizeof values);
        assert_int_equal(stats_median(values, cases[i].count), cases[i].median);
    }
}

/* 1 .. count, so that a value is its own rank, in an order that is not sorted. */
static void fill_ranks(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = (double)(i % 2 ? i + 1 : count - (count % 2 ? 0 : 1) - i);
}

/* Ranks and coverage from exact rational sums of binomial coefficients. */
static void test_known_intervals(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        double wanted;
        size_t rank;
        double covered;
    } cases[] = {
        {1, 0.95, 1, 0},
        {2, 0.95, 1, 0.5},
        {5, 0.95, 1, 0.9375},
        {6, 0.95, 1, 0.96875},
        {7, 0.95, 1, 0.984375},
        {8, 0.95, 1, 0.9921875},
        {9, 0.95, 2, 0.9609375},
        {9, 0.99, 1, 0.99609375},
        {10, 0.95, 2, 0.978515625},
        {11, 0.95, 2, 0.98828125},
        {15, 0.99, 3, 0.992614746094},
        {20, 0.95, 6, 0.958610534668},
        {25, 0.95, 8, 0.956714749336},
        {30, 0.99, 8, 0.994777120650},
        {50, 0.95, 18, 0.967160862436},
        {75, 0.95, 29, 0.963045095973},
        {99, 0.95, 40, 0.956124706413},
        {100, 0.95, 40, 0.964799799782},
        {100, 0.99, 37, 0.993362879484},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double values[100];
        fill_ranks(values, cases[i].count);
        struct stats_interval got =
            stats_median_interval(values, cases[i].count, cases[i].wanted);
        assert_near(got.low, (double)cases[i].rank, 0);
        assert_near(got.high, (double)(cases[i].count + 1 - cases[i].rank), 0);
        assert_near(got.middle, (double)(cases[i].count + 1) / 2, 0);
        assert_near(got.confidence, cases[i].covered, 1e-12);
    }
}

/* With many samples the rank nears n/2 - 1.96 sqrt(n)/2 and nothing underflows. */
static void test_many_samples(void **state)
{
    (void)state;
    enum { COUNT_MANY = 100000 };
    double *values = malloc(COUNT_MANY * sizeof *values);
    assert_non_null(values);
    fill_ranks(values, COUNT_MANY);
    struct stats_interval got = stats_median_interval(values, COUNT_MANY, 0.95);
    free(values);
    assert_near(got.low, COUNT_MANY / 2.0 - 1.96 * sqrt(COUNT_MANY) / 2, 2);
    assert_near(got.low + got.high, COUNT_MANY + 1, 0);
    assert_true(got.confidence >= 0.95 && got.confidence < 0.952);
}

static void test_ratio_interval(void **state)
{
    (void)state;
    static const uint64_t a[] = {103, 206, 309, 412, 515, 618, 721};
    static const uint64_t b[] = {100, 200, 300, 400, 500, 600, 700};
    struct stats_interval got = stats_ratio_interval(a, b, sizeof a / sizeof *a, 0.95);
    assert_near(got.middle, 1.03, 1e-15);
    assert_near(got.low, 1.03, 1e-15);
    assert_near(got.high, 1.03, 1e-15);
    assert_near(got.confidence, 0.984375, 1e-12);
}

/* Paired: a drift that both candidates share must vanish, and the inputs stay as they were. */
static void test_ratio_is_paired(void **state)
{
    (void)state;
    static const uint64_t a[] = {500, 100, 900, 300, 700, 1100, 1300};
    static const uint64_t b[] = {1000, 200, 1800, 600, 1400, 2200, 2600};
    struct stats_interval got = stats_ratio_interval(a, b, sizeof a / sizeof *a, 0.95);
    assert_near(got.low, 0.5, 0);
    assert_near(got.high, 0.5, 0);
    assert_int_equal(a[0], 500);
    assert_int_equal(b[6], 2600);
}

static void test_ratio_of_zero(void **state)
{
    (void)state;
    static const uint64_t a[] = {0, 5, 0}, b[] = {0, 0, 5};
    struct stats_interval got = stats_ratio_interval(a, b, 3, 0.95);
    assert_near(got.middle, 1, 0);
    assert_near(got.low, 0.2, 1e-15);
    assert_near(got.high, 5, 0);
}

/* Half of what lies between the tenths at both ends, of the median; of fewer than ten nothing is known. */
static void test_spread(void **state)
{
    (void)state;
    uint64_t ten[] = {1000, 100, 900, 200, 800, 300, 700, 400, 600, 500};
    assert_near(stats_spread(ten, 9), 0, 0);
    assert_near(stats_spread(ten, 10), 350.0 / 550, 1e-15);
    uint64_t many[29];
    for (uint64_t i = 0; i < 29; i++)
        many[i] = i * i;
    assert_near(stats_spread(many, 29), (26 * 26 - 2 * 2) / 2.0 / (14 * 14), 1e-15);
    uint64_t zeros[20] = {6, 6, 6, 6, 6, 6, 6, 6};
    assert_near(stats_spread(zeros, 20), 3, 0);
}

static double random_unit(uint64_t *state)
{
    return ((double)(random_next(state) >> 11) + 0.5) / 9007199254740992.0;
}

/* How often the interval holds the true median, over 2000 runs of skewed noise: exponential
 * (median ln 2) with an outlier in every tenth sample on the far side. */
static double simulate_coverage(size_t count, double wanted, uint64_t seed)
{
    enum { RUNS = 2000 };
    size_t covered = 0;

    for (size_t run = 0; run < RUNS; run++) {
        double values[100];
        for (size_t i = 0; i < count; i++) {
            values[i] = -log(random_unit(&seed));
            if (values[i] > log(2) && random_unit(&seed) < 0.2)
                values[i] *= 50;
        }
        struct stats_interval got = stats_median_interval(values, count, wanted);
        covered += got.low <= log(2) && log(2) <= got.high;
    }
    return (double)covered / RUNS;
}

static void test_coverage(void **state)
{
    (void)state;
    static const size_t counts[] = {6, 7, 9, 12, 20, 31, 50, 100};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double values[100] = {0};
        double promised = stats_median_interval(values, counts[i], 0.95).confidence;
        double seen = simulate_coverage(counts[i], 0.95, 17 + i);
        assert_true(seen >= 0.93);
        assert_near(seen, promised, 0.02);
    }
    /* Too few for 95 %: what is promised instead must hold too. */
    assert_near(simulate_coverage(5, 0.95, 5), 0.9375, 0.02);
    assert_near(simulate_coverage(3, 0.95, 3), 0.75, 0.03);
}

/* The first numbers of splitmix64 from the seeds 0 and 1234567, as its author prints them. */
static void test_random_known(void **state)
{
    (void)state;
    static const uint64_t expect[] = {6457827717110365317u, 3203168211198807973u,
                                      9817491932198370423u, 4593380528125082431u,
                                      16408922859458223821u};
    uint64_t zero = 0, seed = 1234567;
    assert_true(random_next(&zero) == 0xe220a8397b1dcdafu);
    for (size_t i = 0; i < sizeof expect / sizeof *expect; i++)
        assert_true(random_next(&seed) == expect[i]);
}

static void test_shuffle_keeps_all(void **state)
{
    (void)state;
    size_t order[MOST];
    uint64_t seed = 42;
    size_t moved = 0, sum = 0;
    for (size_t i = 0; i < MOST; i++)
        order[i] = i;
    random_shuffle(order, MOST, &seed);
    bool seen[MOST] = {false};
    for (size_t i = 0; i < MOST; i++) {
        assert_true(order[i] < MOST && !seen[order[i]]);
        seen[order[i]] = true;
        moved += order[i] != i;
        sum += order[i];
    }
    assert_true(moved > MOST * 9 / 10);
    assert_int_equal(sum, MOST * (MOST - 1) / 2);
}

static void test_shuffle_small(void **state)
{
    (void)state;
    size_t one = 7;
    uint64_t seed = 1;
    random_shuffle(&one, 1, &seed);
    random_shuffle(NULL, 0, &seed);
    assert_int_equal(one, 7);
}

/* Each of the 24 orders of four: chi-squared with 23 degrees of freedom, 49.7 at 0.1 %. */
static void test_shuffle_is_fair(void **state)
{
    (void)state;
    enum { RUNS = 24000 };
    size_t seen[256] = {0};
    uint64_t seed = 99;
    double chi_squared = 0;
    size_t orders = 0;
    for (size_t run = 0; run < RUNS; run++) {
        size_t order[] = {0, 1, 2, 3};
        random_shuffle(order, 4, &seed);
        seen[order[0] * 64 + order[1] * 16 + order[2] * 4 + order[3]]++;
    }
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        double off = (double)seen[i] - RUNS / 24.0;
        orders += seen[i] > 0;
        chi_squared += seen[i] ? off * off / (RUNS / 24.0) : 0;
    }
    assert_int_equal(orders, 24);
    assert_true(chi_squared < 49.7);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),          cmocka_unit_test(test_known_intervals),
        cmocka_unit_test(test_many_samples),    cmocka_unit_test(test_ratio_interval),
        cmocka_unit_test(test_ratio_is_paired), cmocka_unit_test(test_ratio_of_zero),
        cmocka_unit_test(test_spread),          cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_random_known),    cmocka_unit_test(test_shuffle_keeps_all),
        cmocka_unit_test(test_shuffle_small),   cmocka_unit_test(test_shuffle_is_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
