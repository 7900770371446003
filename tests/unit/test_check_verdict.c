/* Tests of check_verdict: each verdict by each basis, and how often simulated races of kernels that are 0, 1, 3 and
 * 10 % slower are told, with the noise of a GPU. Seeded, so that counts are the same everywhere. */
#include "autotune/command/check_verdict.h"
#include "autotune/measure/race.h"
#include "generator/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct check_ratio about(double middle, double spread)
{
    return (struct check_ratio){middle, middle * (1 - spread), middle * (1 + spread)};
}

/* --- Each basis --------------------------------------------------------------------------- */

static void test_old_code(void **state)
{
    static const struct {
        double middle, spread;
        enum check_verdict verdict;
    } rows[] = {
        {1, 0.002, CHECK_SAME},      {1.004, 0.002, CHECK_SAME}, {1.01, 0.002, CHECK_SLOWER},
        {0.99, 0.002, CHECK_FASTER}, {1.01, 0.02, CHECK_SAME},   {1.01, 0.05, CHECK_UNTOLD},
        {1.5, 0.2, CHECK_SLOWER},    {0.5, 0.2, CHECK_FASTER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct check_ratios ratios = {.old = about(rows[i].middle, rows[i].spread),
                                            .claimed = about(2, 0.01)};
        const struct check_judgement judgement = check_judge(&ratios);
        assert_int_equal(judgement.verdict, rows[i].verdict);
        assert_int_equal(judgement.basis, CHECK_BY_OLD);
        assert_int_equal(*judgement.why != 0, rows[i].verdict == CHECK_UNTOLD);
    }
}

/* The lead over the default was 2, and is what `untuned` says; the time is `claimed` of that on record. */
static void test_lead(void **state)
{
    static const struct {
        double untuned, claimed;
        enum check_verdict verdict;
        bool has_why;
    } rows[] = {
        {0.5, 1, CHECK_SAME, false},
        {0.52, 1.04, CHECK_SLOWER, false},
        {0.48, 0.96, CHECK_FASTER, false},
        {0.52, 1, CHECK_SAME, true}, /* the default changed */
        {0.48, 1, CHECK_SAME, true},
        {0.5, 1.05, CHECK_UNTOLD, true}, /* both are slower */
        {0.5, 0.9, CHECK_SAME, false},
        {0.503, 1.02, CHECK_SAME, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct check_ratios ratios = {.untuned = about(rows[i].untuned, 0.001),
                                            .untuned_then = about(0.5, 0.001),
                                            .claimed = about(rows[i].claimed, 0.002)};
        const struct check_judgement judgement = check_judge(&ratios);
        assert_int_equal(judgement.verdict, rows[i].verdict);
        assert_int_equal(judgement.basis, CHECK_BY_DEFAULT);
        assert_int_equal(*judgement.why != 0, rows[i].has_why);
    }
}

/* Times of two days only warn. */
static void test_claim(void **state)
{
    (void)state;
    const double claims[] = {1, 1.02, 1.1, 0.9};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const struct check_ratios ratios = {.claimed = about(claims[i], 0.002)};
        const struct check_judgement judgement = check_judge(&ratios);
        assert_int_equal(judgement.verdict, claims[i] > 1.05 ? CHECK_UNTOLD : CHECK_SAME);
        assert_int_equal(judgement.basis, CHECK_BY_CLAIM);
        assert_int_equal(*judgement.why != 0, i >= 2);
    }
}

static void test_nothing(void **state)
{
    (void)state;
    const struct check_ratios none = {.is_emulated = false};
    const struct check_ratios emulated = {.claimed = about(3, 0.01), .is_emulated = true};
    const struct check_ratios raced = {.old = about(3, 0.01), .is_emulated = true};
    assert_int_equal(check_judge(&none).verdict, CHECK_SAME);
    assert_int_equal(check_judge(&none).basis, CHECK_BY_NOTHING);
    assert_int_equal(check_judge(&emulated).verdict, CHECK_SAME);
    assert_int_equal(check_judge(&raced).verdict, CHECK_SLOWER);
}

static void test_ratios(void **state)
{
    (void)state;
    const struct check_ratio inverse = check_ratio_inverse((struct check_ratio){2, 1, 4});
    assert_true(inverse.middle == 0.5 && inverse.low == 0.25 && inverse.high == 1);
    const struct check_ratio over =
        check_ratio_over((struct check_ratio){2, 1, 4}, (struct check_ratio){2, 1, 4});
    assert_true(over.middle == 1 && over.low == 0.25 && over.high == 4);
    assert_true(check_ratio_inverse((struct check_ratio){0, 0, 0}).middle == 0);
    assert_true(check_ratio_over(about(1, 0), (struct check_ratio){0, 0, 0}).middle == 0);
}

/* --- Counts ------------------------------------------------------------------------------- */

enum { DEFAULT, NOW, OLD, ENTRANTS, RUNS = 100 };

struct sim {
    uint64_t random;
    double noise, ps[ENTRANTS];
};

static double uniform(uint64_t *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

/* Lognormal noise, 2 % outliers to the slow side. */
static int measure(void *context, size_t entrant, uint64_t *out_ps, struct error *error)
{
    struct sim *sim = context;
    (void)error;
    const double normal =
        sqrt(-2 * log(uniform(&sim->random))) * cos(6.283185307179586 * uniform(&sim->random));
    const double outlier = uniform(&sim->random) < 0.02 ? 1.1 + uniform(&sim->random) : 1;
    *out_ps = (uint64_t)(sim->ps[entrant] * exp(sim->noise * normal) * outlier);
    return 0;
}

/* How many of 100 checks of a kernel so much slower than its old code say `verdict`. */
static size_t count(double slower, double noise, enum check_verdict verdict)
{
    size_t told = 0;
    for (uint64_t seed = 0; seed < RUNS; seed++) {
        struct sim sim = {seed * 7919 + 1, noise, {9e6, 5e6 * (1 + slower), 5e6}};
        const struct race_options options = {.seconds = 1e9,
                                             .rounds_min = 11,
                                             .rounds_max = 200,
                                             .drift_max = 0.02,
                                             .noise_max = 0.03,
                                             .is_comparison = true,
                                             .base = NOW,
                                             .seed = seed};
        struct race_result result;
        struct error error;
        struct check_ratios ratios = {.is_emulated = false};
        assert_int_equal(race_run(&result, ENTRANTS, measure, &sim, &options, &error), 0);
        for (size_t i = 0; i < result.count; i++)
            if (result.places[i].entrant == OLD)
                ratios.old = check_ratio_inverse(
                    (struct check_ratio){result.places[i].ratio, result.places[i].ratio_low,
                                         result.places[i].ratio_high});
        told += check_judge(&ratios).verdict == verdict;
    }
    return told;
}

static void test_counts(void **state)
{
    static const double noises[] = {0.003, 0.01};
    (void)state;
    for (size_t i = 0; i < sizeof noises / sizeof *noises; i++) {
        assert_in_range(count(0.01, noises[i], CHECK_SLOWER), 60, RUNS);
        assert_in_range(count(0.03, noises[i], CHECK_SLOWER), 95, RUNS);
        assert_int_equal(count(0.10, noises[i], CHECK_SLOWER), RUNS);
        assert_in_range(count(0, noises[i], CHECK_SAME), 99, RUNS);
        assert_in_range(count(-0.03, noises[i], CHECK_FASTER), 95, RUNS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old_code), cmocka_unit_test(test_lead),
        cmocka_unit_test(test_claim),    cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_ratios),   cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
