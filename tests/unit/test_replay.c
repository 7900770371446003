/* Tests of replay: small journals whose simulated runs were worked out by hand, journals that
 * say too little, and that on made-up ones the race is near the best sooner than chance. */
#include "autotune/search/replay.h"
#include "generator/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TRIALS_MAX = 4096 };

static struct error error;
static struct journal_trial trials[TRIALS_MAX];

static struct journal make_journal(size_t count)
{
    return (struct journal){.trials = trials, .count = count, .file = -1};
}

/* A trial with the times base, base + 2, base + 1 (median base + 1) in ps; all else in ms. */
static struct journal_trial make_trial(uint64_t variant, uint64_t candidate, const char *status,
                                       uint64_t base_ps, double prior, unsigned compile_ms,
                                       unsigned prove_ms, unsigned measure_ms)
{
    struct journal_trial trial = {
        .identity = candidate,
        .variant = variant,
        .prior = prior,
        .trial.compile_us = 1000 * compile_ms,
        .trial.prove_us = 1000 * prove_ms,
        .trial.measure_us = 1000 * measure_ms,
    };
    trial.trial.status = trial_find_status(status);
    if (base_ps) {
        trial.trial.times_ps[0] = base_ps;
        trial.trial.times_ps[1] = base_ps + 2;
        trial.trial.times_ps[2] = base_ps + 1;
        trial.trial.time_count = 3;
    }
    return trial;
}

static struct replay_result run(const struct journal *journal,
                                const struct replay_options *options)
{
    struct replay_result result;
    if (replay_run(&result, journal, options, &error) != 0)
        fail_msg("%s", error.text);
    return result;
}

static void assert_seconds(double seconds, double expected)
{
    if (fabs(seconds - expected) > 1e-9)
        fail_msg("%.6f s, not %.6f s", seconds, expected);
}

/* --- By hand ------------------------------------------------------------------------------ */

/* Three variants that the priors put in the order 30, 10 (drawn: or 20), ...; two compilers. */
static struct journal make_three(void)
{
    size_t count = 0;
    trials[count++] = make_trial(10, 1, "measured", 2000, 0.2, 100, 10, 50);
    trials[count++] = make_trial(30, 5, "measured", 1500, 0.9, 300, 20, 40);
    trials[count++] = make_trial(30, 6, "measured", 999, 0.8, 300, 20, 30);
    trials[count++] = make_trial(30, 7, "wrong", 0, 0.7, 299, 19, 5); /* the longest count */
    return make_journal(count);
}

static void test_one_after_another(void **state)
{
    (void)state;
    const struct journal journal = make_three();
    for (unsigned compilers = 1; compilers <= 2; compilers++) {
        const struct replay_options options = {.strategy = STRATEGY_RACE,
                                               .seed = 1,
                                               .compilers = compilers};
        const struct replay_result result = run(&journal, &options);
        assert_int_equal(result.candidates, 3);
        assert_int_equal(result.variants, 2);
        assert_int_equal(result.best_ps, 1000); /* the median of 999, 1001, 1000 */
        assert_int_equal(result.tried, 4);
        assert_int_equal(result.tried_variants, 2);
        assert_int_equal(result.until_near, 2); /* variant 30 by prior: 1501, then 1000 */
        assert_int_equal(result.found_ps, 1000);
        assert_seconds(result.seconds_until_near, 0.300 + 0.020 + 0.040 + 0.030);
        /* Variant 10: alone a compiler has it at 0.400, beside another long before 0.395. */
        assert_seconds(result.seconds,
                       (compilers == 1 ? 0.400 : 0.300 + 0.020 + 0.075) + 0.010 + 0.050);
    }
}

static void test_budget(void **state)
{
    (void)state;
    static const struct {
        double budget_s;
        size_t tried, tried_variants, until_near;
        uint64_t found_ps;
    } cases[] = {
        {0.100, 0, 0, 0, 0},                            /* nothing is compiled */
        {0.310, 0, 0, 0, 0},                            /* nor proven */
        {0.359, 0, 0, 0, 0},                            /* nor measured */
        {0.361, 1, 1, 0, 1501},                         /* variant 30's first */
        {0.391, 2, 1, 2, 1000}, {0.396, 3, 1, 2, 1000}, /* the wrong one too */
        {0.454, 3, 1, 2, 1000}, {0.456, 4, 2, 2, 1000},
    };
    const struct journal journal = make_three();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct replay_options options = {.strategy = STRATEGY_RACE,
                                               .seed = 1,
                                               .compilers = 2,
                                               .budget_s = cases[i].budget_s};
        const struct replay_result result = run(&journal, &options);
        assert_int_equal(result.tried, cases[i].tried);
        assert_int_equal(result.tried_variants, cases[i].tried_variants);
        assert_int_equal(result.until_near, cases[i].until_near);
        assert_int_equal(result.found_ps, cases[i].found_ps);
        assert_int_equal(result.best_ps, 1000); /* whatever the budget */
        assert_true(result.until_near ? result.seconds_until_near > 0.38
                                      : result.seconds_until_near < 0);
        assert_seconds(result.seconds, i < 7 ? cases[i].budget_s : 0.455);
    }
}

/* Of an identity the last trial counts, wherever its variant's others stand. */
static void test_last_of_an_identity(void **state)
{
    (void)state;
    size_t count = 0;
    trials[count++] = make_trial(30, 5, "measured", 10, 0.9, 300, 20, 40);
    trials[count++] = make_trial(10, 1, "hung", 0, 0.2, 100, 10, 9000);
    trials[count++] = make_trial(30, 6, "measured", 1999, 0.9, 0, 0, 40);
    trials[count++] = make_trial(30, 5, "measured", 2999, 0.9, 0, 0, 40);
    trials[count++] = make_trial(10, 1, "measured", 999, 0.2, 100, 10, 50);
    trials[count++] = make_trial(10, 2, "crashed", 777, 0.2, 100, 10, 50); /* its times: none */
    const struct journal journal = make_journal(count);
    const struct replay_options options = {.strategy = STRATEGY_EXHAUSTIVE,
                                           .seed = 1,
                                           .compilers = 2};
    const struct replay_result result = run(&journal, &options);
    assert_int_equal(result.candidates, 3);
    assert_int_equal(result.variants, 2);
    assert_int_equal(result.best_ps, 1000);
    assert_int_equal(result.tried, 4);
}

static void test_too_little(void **state)
{
    (void)state;
    struct replay_result result;
    struct replay_options options = {.strategy = STRATEGY_RACE, .compilers = 1};
    struct journal journal = make_three();
    for (size_t count = 0; count < 2; count++) {
        journal.count = count;
        assert_int_equal(replay_run(&result, &journal, &options, &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, "--strategy exhaustive"));
        assert_non_null(strstr(error.text, count ? "only one measured" : "no measured"));
    }
    journal = make_three();
    options.compilers = 0;
    assert_int_equal(replay_run(&result, &journal, &options, &error), -1);
    assert_non_null(strstr(error.text, "no compiler"));
    options = (struct replay_options){.strategy = STRATEGY_COVER, .compilers = 1};
    assert_int_equal(replay_run(&result, &journal, &options, &error), -1);
    assert_non_null(strstr(error.text, "replay race, exhaustive or random"));
}

/* --- Made-up journals --------------------------------------------------------------------- */

static double draw(uint64_t *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

/* 150 variants of 8 candidates: slow for their own reasons and by their launch, told by the
 * priors as far as `known` (0 .. 1). */
static struct journal make_space(uint64_t seed, double known)
{
    size_t count = 0;
    for (uint64_t v = 0; v < 150; v++) {
        const double own = 1 + 1.5 * draw(&seed) * draw(&seed);
        for (uint64_t c = 0; c < 8; c++) {
            const double time = own * (1 + 0.4 * draw(&seed));
            const double prior = known / time + (1 - known) * draw(&seed);
            trials[count] = make_trial(v * 31 + 7, v * 100 + c, "measured",
                                       (uint64_t)(1e8 * time), prior, 80, 20, 30);
            count++;
        }
    }
    return make_journal(count);
}

struct means {
    double near, tried, seconds, loss;
};

static struct means replay_many(enum strategy strategy, double known, size_t runs)
{
    struct means means = {0, 0, 0, 0};
    for (size_t i = 0; i < runs; i++) {
        const struct journal journal = make_space(i, known);
        const struct replay_options options = {.strategy = strategy,
                                               .seed = i + 1,
                                               .compilers = 4,
                                               .noise = 0.01};
        const struct replay_result result = run(&journal, &options);
        assert_int_equal(result.candidates, 1200);
        assert_int_equal(result.tried_variants, 150);
        assert_true(result.until_near > 0 || strategy == STRATEGY_RACE);
        means.near += (double)(result.until_near ? result.until_near : 1200) / (double)runs;
        means.tried += (double)result.tried / (double)runs;
        means.seconds += result.seconds / (double)runs;
        means.loss += ((double)result.found_ps / (double)result.best_ps - 1) / (double)runs;
    }
    return means;
}

static void test_race_is_sooner_than_chance(void **state)
{
    (void)state;
    enum { RUNS = 60 };
    static const double known[] = {0, 0.5, 0.9};
    for (size_t i = 0; i < 3; i++) {
        const struct means race = replay_many(STRATEGY_RACE, known[i], RUNS);
        const struct means all = replay_many(STRATEGY_EXHAUSTIVE, known[i], RUNS);
        const struct means random = replay_many(STRATEGY_RANDOM, known[i], RUNS);
        print_message("prior %.1f: until near %.0f (random %.0f, exhaustive %.0f), tried %.0f, "
                      "%.1f s (%.1f s), loss %.5f\n",
                      known[i], race.near, random.near, all.near, race.tried, race.seconds,
                      all.seconds, race.loss);
        assert_true(race.near < random.near && race.near < all.near);
        assert_true(i < 1 || race.near < 0.6 * random.near);
        assert_true(race.tried < 0.8 * all.tried && race.seconds < 0.8 * all.seconds);
        assert_true(all.tried == 1200 && random.tried == 1200);
        assert_true(all.loss == 0 && random.loss == 0 && race.loss < 0.002);
    }
}

/* A prior that says the opposite of what is true costs little: every other variant is drawn. */
static void test_wrong_prior(void **state)
{
    (void)state;
    double race = 0, random = 0;
    for (size_t i = 0; i < 60; i++) {
        struct journal journal = make_space(i, 1);
        for (size_t k = 0; k < journal.count; k++)
            trials[k].prior = 1 - trials[k].prior;
        struct replay_options options = {.strategy = STRATEGY_RACE,
                                         .seed = i,
                                         .compilers = 4,
                                         .noise = 0.01};
        const struct replay_result raced = run(&journal, &options);
        options.strategy = STRATEGY_RANDOM;
        race += (double)(raced.until_near ? raced.until_near : 1200);
        random += (double)run(&journal, &options).until_near;
    }
    print_message("until near: %.0f, random %.0f\n", race / 60, random / 60);
    assert_true(race < 2 * random);
}

/* Results of one seed, noted once: a change of them is a change of what a search tries. */
static void test_golden(void **state)
{
    (void)state;
    static const struct {
        enum strategy strategy;
        size_t tried, until_near;
        uint64_t found_ps;
        double seconds;
    } golden[] = {
        {STRATEGY_RACE, 710, 4, 101664642, 24.380},
        {STRATEGY_EXHAUSTIVE, 1200, 205, 101664642, 39.080},
        {STRATEGY_RANDOM, 1200, 136, 101664642, 39.080},
    };
    const struct journal journal = make_space(42, 0.3);
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        const struct replay_options options = {.strategy = golden[i].strategy,
                                               .seed = 7 + i,
                                               .compilers = 4,
                                               .noise = 0.01};
        const struct replay_result result = run(&journal, &options);
        const struct replay_result again = run(&journal, &options);
        assert_memory_equal(&result, &again, sizeof result);
        assert_int_equal(result.tried, golden[i].tried);
        assert_int_equal(result.until_near, golden[i].until_near);
        assert_int_equal(result.found_ps, golden[i].found_ps);
        assert_seconds(result.seconds, golden[i].seconds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_after_another),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_last_of_an_identity),
        cmocka_unit_test(test_too_little),
        cmocka_unit_test(test_race_is_sooner_than_chance),
        cmocka_unit_test(test_wrong_prior),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
