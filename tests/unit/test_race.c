/* Tests of race on simulated measurements: lognormal noise, slow drift that all share, outliers to
 * the slow side. Seeded, so each race is the same everywhere; thousands of races stand for the
 * probabilities that race.h promises. */
#include "autotune/measure/race.h"
#include "autotune/measure/race_ranking.h"
#include "autotune/measure/stats.h"
#include "generator/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double BASE_PS = 5e6;
static const double NOISES[] = {0.003, 0.01, 0.04};

struct sim {
    uint64_t random;
    double noise, outliers; /* standard deviation; probability */
    double wave, slope;     /* drift: amplitude, and the growth with each measurement */
    size_t step_at;         /* from this measurement on everything is 10 % slower; 0 = never */
    size_t fail_at;         /* this measurement fails; 0 = never */
    double ps[RACE_ENTRANTS_MAX]; /* the truth */
    size_t measured[RACE_ENTRANTS_MAX], calls;
    size_t log[64]; /* who was measured first, second, ... */
};

static double uniform(uint64_t *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *random)
{
    double radius = sqrt(-2 * log(uniform(random)));
    return radius * cos(6.283185307179586 * uniform(random));
}

static int measure(void *context, size_t entrant, uint64_t *out_ps, struct error *error)
{
    struct sim *sim = context;
    const double call = (double)++sim->calls;
    sim->measured[entrant]++;
    if (sim->calls <= sizeof sim->log / sizeof *sim->log)
        sim->log[sim->calls - 1] = entrant;
    if (sim->calls == sim->fail_at)
        return error_set(error, ERROR_FAILED, "the simulated device is gone; start again");
    double factor = exp(sim->noise * normal(&sim->random) + sim->slope * call +
                        sim->wave * sin(6.283185307179586 * call / 997));
    if (uniform(&sim->random) < sim->outliers)
        factor *= 1.1 + 0.9 * uniform(&sim->random);
    if (sim->step_at && sim->calls >= sim->step_at)
        factor *= 1.1;
    *out_ps = (uint64_t)(sim->ps[entrant] * factor);
    return 0;
}

static struct sim make_sim(uint64_t seed, double noise)
{
    struct sim sim = {.random = seed * 7919 + 1,
                      .noise = noise,
                      .outliers = 0.02,
                      .wave = 0.02};
    for (size_t i = 0; i < RACE_ENTRANTS_MAX; i++)
        sim.ps[i] = BASE_PS;
    return sim;
}

/* All within `spread` of each other, at random; the index of the true best. */
static size_t spread_out(struct sim *sim, size_t count, double spread)
{
    size_t best = 0;
    for (size_t i = 0; i < count; i++) {
        sim->ps[i] = BASE_PS * (1 + spread * uniform(&sim->random));
        best = sim->ps[i] < sim->ps[best] ? i : best;
    }
    return best;
}

static struct race_options make_options(uint64_t seed, size_t rounds_max)
{
    return (struct race_options){.seconds = 1e9,
                                 .rounds_min = 11,
                                 .rounds_max = rounds_max,
                                 .error = 0.01,
                                 .margin = 0.005,
                                 .drift_max = 0.02,
                                 .noise_max = 0.03,
                                 .seed = seed};
}

static void run(struct race_result *out, struct sim *sim, size_t count,
                const struct race_options *options)
{
    struct error error;
    assert_int_equal(race_run(out, count, measure, sim, options, &error), 0);
    assert_int_equal(out->count, count);
}

static const struct race_place *find_place(const struct race_result *result, size_t entrant)
{
    for (size_t i = 0; i < result->count; i++)
        if (result->places[i].entrant == entrant)
            return &result->places[i];
    fail_msg("entrant %zu has no place", entrant);
    return NULL;
}

/* The same kernel twice, as in half a second: 300 rounds of 3 measurements of 0.5 ms. */
static void test_same_is_tie(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof NOISES / sizeof *NOISES; k++) {
        size_t ties = 0, noisy = 0, firsts = 0;
        for (uint64_t seed = 0; seed < 300; seed++) {
            struct sim sim = make_sim(seed, NOISES[k]);
            struct race_options options = make_options(seed, 300);
            struct race_result result;
            run(&result, &sim, 2, &options);
            ties += result.ties == 1;
            noisy += result.is_noisy;
            firsts += result.places[0].entrant == 0;
        }
        assert_in_range(ties, 297, 300);
        assert_int_equal(noisy, 0);
        assert_in_range(firsts, 105, 195); /* being the reference is no advantage */
    }
}

static void test_planted_wins(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof NOISES / sizeof *NOISES; k++) {
        size_t wins = 0;
        for (uint64_t seed = 0; seed < 300; seed++) {
            struct sim sim = make_sim(seed, NOISES[k]);
            struct race_options options = make_options(seed, 500);
            struct race_result result;
            size_t planted = seed % 2; /* the reference, or the other */
            sim.ps[planted] *= 0.97;
            run(&result, &sim, 2, &options);
            wins += result.places[0].entrant == planted && result.ties == 0 && !result.is_noisy;
            assert_false(find_place(&result, 0)->is_dropped);
        }
        assert_in_range(wins, 297, 300);
    }
}

static void test_many_come_down(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof NOISES / sizeof *NOISES; k++) {
        size_t near = 0, hopeless = 0, wasted = 0;
        for (uint64_t seed = 0; seed < 60; seed++) {
            struct sim sim = make_sim(seed, NOISES[k]);
            struct race_options options = make_options(seed, 300);
            struct race_result result;
            const size_t best = spread_out(&sim, 64, 0.3);
            const double least = sim.ps[best];
            run(&result, &sim, 64, &options);
            near += sim.ps[result.places[0].entrant] <= 1.01 * least;
            for (size_t i = 1; i < 64; i++)
                if (sim.ps[i] > 1.2 * least) {
                    hopeless++;
                    wasted += sim.measured[i];
                }
            assert_true(sim.calls < 64 * 110); /* all in to the end would be 64 x 300 */
        }
        assert_in_range(near, 60, 60);
        assert_true(wasted <= 7 * hopeless);
    }
}

/* Where it is hardest: many close to the best, much noise, many outliers, a long race. */
static void test_best_stays(void **state)
{
    (void)state;
    size_t lost = 0;
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct sim sim = make_sim(seed, 0.04);
        struct race_options options = make_options(seed, 60);
        struct race_result result;
        sim.outliers = 0.05;
        const size_t best = spread_out(&sim, 16, 0.05);
        run(&result, &sim, 16, &options);
        lost += find_place(&result, best)->is_dropped;
    }
    assert_in_range(lost, 0, 10);
}

/* Among equals the fastest is fast by luck: its time is right all the same, for it is measured anew
 * once it is chosen, and so is what the reference takes beside it. The median of noise with 2 % of
 * outliers lies 0.0256 of its deviation above 1. */
static void test_interval_holds(void **state)
{
    (void)state;
    static const double noises[] = {0.001, 0.01, 0.03};
    const char *wanted = getenv("RACES");
    const size_t races = wanted ? strtoul(wanted, NULL, 10) : 300;
    for (size_t count = 2; count < RACE_ENTRANTS_MAX;
         count = count < 32 ? count * 4 : count * 2 - 1) {
        size_t held = 0, low = 0, ratios = 0;
        for (uint64_t seed = 0; seed < races; seed++) {
            struct sim sim = make_sim(seed, noises[seed % 3]);
            struct race_options options = make_options(seed, 44 + seed % 50);
            struct race_result result;
            sim.wave = 0;
            run(&result, &sim, count, &options);
            const double truth = BASE_PS * exp(0.0256 * sim.noise);
            const struct race_place *first = &result.places[0];
            const struct race_place *reference = find_place(&result, 0);
            held += (double)first->low_ps <= truth && truth <= (double)first->high_ps + 1;
            low += (double)first->high_ps + 1 < truth;
            ratios += reference->ratio_low <= 1 && 1 <= reference->ratio_high;
        }
        print_message("%2zu entrants: of %zu intervals %zu hold, %zu are too low; of the "
                      "reference's ratio %zu hold\n",
                      count, races, held, low, ratios);
        assert_in_range(100 * held, 93 * races, 98 * races);
        assert_in_range(100 * low, 0, 4 * races);
        assert_in_range(100 * ratios, 93 * races, 100 * races);
    }
}

/* The reference around all others, whose order is reversed in the round after; then a new one. */
static void test_order(void **state)
{
    (void)state;
    struct sim sim = {.random = 1, .noise = 1e-4};
    struct race_options options = make_options(1, 11);
    struct race_result result;
    size_t same = 0;
    for (size_t i = 0; i < 7; i++)
        sim.ps[i] = BASE_PS;
    options.reference = 3;
    run(&result, &sim, 7, &options);
    const size_t *even = sim.log + 9, *odd = even + 8, *next = odd + 8; /* after the warm-up */
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(even[i], odd[7 - i]);
        assert_int_equal(even[i] == 3, i == 0 || i == 7);
        same += even[i] == next[i];
    }
    assert_true(same < 8);
    assert_int_equal(sim.calls, 9 + 2 * 11 * 8);
    assert_int_equal(result.fresh, 11);
}

/* By place: what stayed by ratio, then what was dropped by median; each with its own rounds. */
static void test_places(void **state)
{
    (void)state;
    static const size_t dropped[] = {4, 5, 0, 1};
    struct sim sim = make_sim(5, 0.01);
    struct race_options options = make_options(5, 100);
    struct race_result result;
    options.reference = 2;
    for (size_t i = 0; i < 6; i++)
        sim.ps[i] *= 1 + 0.2 * (double)((i + 4) % 6); /* 2 is the best, 1 the worst */
    sim.ps[3] = sim.ps[2];
    run(&result, &sim, 6, &options);
    assert_int_equal(result.ties, 1);
    assert_int_equal(result.places[0].entrant + result.places[1].entrant, 5);
    for (size_t i = 0; i < 6; i++) {
        const struct race_place *place = &result.places[i];
        assert_int_equal(place->is_dropped, i >= 2);
        assert_int_equal(place->is_tie, i < 2);
        assert_true(place->low_ps <= place->median_ps && place->median_ps <= place->high_ps);
        assert_true(place->ratio_low <= place->ratio && place->ratio <= place->ratio_high);
        assert_true(i < 2 || place->entrant == dropped[i - 2]);
        assert_true(i < 2 ? place->rounds == result.rounds : place->rounds < 30);
    }
    assert_true(result.places[0].ratio >= 1 && result.places[0].ratio <= 1);
    assert_true(fabs(find_place(&result, 4)->ratio - 1.4) < 0.05);
}

/* Of `count` entrants the last is 3 % slower than the leader in all but `fast` of 40 rounds, in which
 * it is as much faster; all others are like the leader. */
static bool is_last_tied(size_t count, size_t fast)
{
    enum { ROUNDS = 40 };
    static uint64_t times_ps[RACE_ENTRANTS_MAX * ROUNDS];
    double work[ROUNDS];
    struct race_times times = {.count = count,
                               .most = ROUNDS,
                               .times_ps = times_ps,
                               .work = work};
    struct race_result result;
    for (size_t i = 0; i < count; i++) {
        times.taken[i] = ROUNDS;
        for (size_t round = 0; round < ROUNDS; round++)
            times_ps[i * ROUNDS + round] = i < count - 1  ? 100000
                                           : round < fast ? 97000
                                                          : 103000;
    }
    race_ranking_fill(&result, &times, 0.005);
    assert_int_equal(result.count, count);
    return find_place(&result, count - 1)->is_tie;
}

/* The doubt of one in a hundred is of all entrants together, so the more there are the more it takes
 * to tell one of them from the leader. How many rounds: by the binomial distribution. */
static void test_doubt_is_split(void **state)
{
    (void)state;
    for (size_t count = 2; count <= RACE_ENTRANTS_MAX; count *= 2) {
        const double doubt = 0.01 / (double)(count - 1);
        size_t fast = 0; /* so few that both tails together are no more than that */
        while (2 * stats_binomial_tail(40, 40 - fast - 1, 0.5) <= doubt)
            fast++;
        assert_false(is_last_tied(count, fast));
        assert_true(is_last_tied(count, fast + 1));
        assert_in_range(fast, 6, 12);
    }
}

/* A reference that cannot win is measured to the end, is no tie, and lets the race end early. */
static void test_slow_reference(void **state)
{
    (void)state;
    struct sim sim = make_sim(1, 0.01);
    struct race_options options = make_options(1, 500);
    struct race_result result;
    sim.ps[0] *= 1.5;
    sim.ps[2] *= 1.3;
    run(&result, &sim, 3, &options);
    assert_int_equal(result.places[0].entrant, 1);
    assert_int_equal(result.places[1].entrant, 0);
    assert_false(result.places[1].is_dropped || result.places[1].is_tie);
    assert_int_equal(result.places[1].rounds, result.rounds);
    assert_true(result.places[2].is_dropped);
    assert_true(result.rounds >= 22 && result.rounds < 45);
}

/* A step in the middle of the third round of 2 + 7 measurements, after 9 to warm up. */
static void test_step_is_repeated(void **state)
{
    (void)state;
    struct sim sim = {.random = 3, .noise = 0.003, .step_at = 9 + 2 * 9 + 5};
    struct race_options options = make_options(3, 40);
    struct race_result result;
    for (size_t i = 0; i < 8; i++)
        sim.ps[i] = BASE_PS;
    run(&result, &sim, 8, &options);
    assert_int_equal(result.repeated, 1);
    assert_int_equal(result.ties, 7);
}

/* One slow time of the reference is no drift: nothing is repeated for it. */
static void test_outlier_is_not_repeated(void **state)
{
    (void)state;
    size_t repeated = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct sim sim = make_sim(seed, 0.003);
        struct race_options options = make_options(seed, 100);
        struct race_result result;
        sim.outliers = 0.05;
        run(&result, &sim, 2, &options);
        repeated += result.repeated;
    }
    assert_in_range(repeated, 0, 40); /* of 2000 rounds, 200 of them with an outlier */
}

static void test_drift_is_noisy(void **state)
{
    (void)state;
    struct sim sim = make_sim(1, 0.003);
    struct race_options options = make_options(1, 50);
    struct race_result result;
    sim.slope = 0.02;
    sim.outliers = 0;
    run(&result, &sim, 8, &options);
    assert_true(result.is_noisy);
    assert_true(result.repeated > result.rounds);
    assert_true(result.drift > 0.1 && result.drift < 0.3);
    assert_non_null(strstr(result.why, "rounds drifted by more than"));
    options.seconds = 0; /* no time: gives up as soon as it may */
    sim.calls = 0;
    run(&result, &sim, 8, &options);
    assert_true(result.is_noisy && result.rounds + result.repeated <= 12);
}

static void test_noise_is_noisy(void **state)
{
    (void)state;
    struct sim sim = make_sim(1, 0.5);
    struct race_options options = make_options(1, 40);
    struct race_result result;
    run(&result, &sim, 3, &options);
    assert_true(result.is_noisy);
    assert_non_null(strstr(result.why, "not to 3.0 %"));
    assert_true(result.ties > 0);
}

static void test_same_seed(void **state)
{
    (void)state;
    struct sim sims[3] = {make_sim(9, 0.04), make_sim(9, 0.04), make_sim(9, 0.04)};
    static struct race_result results[3]; /* static: no padding to differ */
    for (size_t i = 0; i < 3; i++) {
        struct race_options options = make_options(i < 2 ? 4 : 5, 50);
        spread_out(&sims[i], 20, 0.1);
        run(&results[i], &sims[i], 20, &options);
    }
    for (size_t i = 0; i < 20; i++) {
        const struct race_place *a = &results[0].places[i], *b = &results[1].places[i];
        assert_int_equal(a->entrant, b->entrant);
        assert_int_equal(a->median_ps, b->median_ps);
        assert_int_equal(a->rounds, b->rounds);
    }
    assert_int_equal(sims[0].calls, sims[1].calls);
    assert_true(results[0].places[0].low_ps != results[2].places[0].low_ps);
}

static void test_failure(void **state)
{
    (void)state;
    struct race_options options = make_options(1, 50);
    static const size_t when[] = {1, 9, 10, 11, 12, 13, 50};
    for (size_t i = 0; i < sizeof when / sizeof *when; i++) {
        struct sim sim = make_sim(1, 0.01);
        struct race_result result;
        struct error error = {0};
        sim.fail_at = when[i];
        assert_int_equal(race_run(&result, 3, measure, &sim, &options, &error), -1);
        assert_int_equal(sim.calls, when[i]);
        assert_non_null(strstr(error.text, "simulated device"));
    }
}

static void test_alone(void **state)
{
    (void)state;
    struct sim sim = make_sim(2, 0.01);
    struct race_options options = make_options(2, 0);
    struct race_result result;
    run(&result, &sim, 1, &options);
    assert_int_equal(result.rounds, 11);
    assert_int_equal(result.ties, 0);
    assert_true(result.places[0].is_tie && !result.is_noisy);
    assert_true(fabs((double)result.places[0].median_ps / BASE_PS - 1) < 0.05);
}

/* rounds_min is kept when there is no time at all; a time of 0 does no harm. */
static void test_no_time(void **state)
{
    (void)state;
    struct sim sim = make_sim(2, 0.01);
    struct race_options options = make_options(2, 0);
    struct race_result result;
    options.seconds = 0;
    run(&result, &sim, 2, &options);
    assert_int_equal(result.rounds, 22);
    assert_int_equal(result.fresh, 11);
    sim.ps[0] = sim.ps[1] = 0;
    run(&result, &sim, 2, &options);
    assert_int_equal(result.ties, 1);
}

/* A comparison keeps all to its end, and tells each over the base, whoever is fastest; the default, which is the
 * reference, is far behind. */
static void test_comparison(void **state)
{
    (void)state;
    struct sim sim = make_sim(5, 0.003);
    struct race_options options = make_options(5, 200);
    struct race_result result;
    options.is_comparison = true;
    options.base = 1;
    sim.ps[0] *= 2;
    sim.ps[2] *= 0.9;
    run(&result, &sim, 3, &options);
    assert_int_equal(result.rounds, 200);
    assert_int_equal(result.fresh, 200);
    assert_int_equal(result.places[0].entrant, 2);
    for (size_t i = 0; i < 3; i++) {
        const struct race_place *place = find_place(&result, i);
        const double truth = sim.ps[i] / sim.ps[1];
        assert_int_equal(place->rounds, 200);
        assert_false(place->is_dropped);
        assert_true(place->ratio_low <= truth * 1.0001 && truth <= place->ratio_high * 1.0001);
        assert_true(place->ratio_high / place->ratio_low < 1.005);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_is_tie),
        cmocka_unit_test(test_comparison),
        cmocka_unit_test(test_planted_wins),
        cmocka_unit_test(test_many_come_down),
        cmocka_unit_test(test_best_stays),
        cmocka_unit_test(test_interval_holds),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_doubt_is_split),
        cmocka_unit_test(test_slow_reference),
        cmocka_unit_test(test_step_is_repeated),
        cmocka_unit_test(test_outlier_is_not_repeated),
        cmocka_unit_test(test_drift_is_noisy),
        cmocka_unit_test(test_noise_is_noisy),
        cmocka_unit_test(test_same_seed),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
