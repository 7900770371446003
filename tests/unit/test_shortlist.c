/* Tests of autotune/search/shortlist.c: which candidates race, by their times, the noise and what was
 * asked for. */
#include "autotune/search/shortlist.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 40, DEFAULT = 1000 };

/* Candidates whose one param is their number, measured; the default is none of them. */
struct example {
    struct space space;
    int64_t default_config;
    struct point_context context;
    struct device_info info;
    struct tune_job job;
    struct tune_options options;
    struct tune_trial trials[MANY];
    int64_t configs[MANY];
    struct tune_result result;
    size_t chosen[SHORTLIST_MAX], count;
};
static struct example now;

/* The first is the fastest; each of the next takes `more` longer than the one before. */
static void set_up(uint64_t more)
{
    memset(&now, 0, sizeof now);
    now.space.param_count = 1;
    now.default_config = DEFAULT;
    now.space.default_config = &now.default_config;
    now.context.space = &now.space;
    now.job = (struct tune_job){.context = &now.context, .info = &now.info};
    now.result =
        (struct tune_result){.points = {.width = 1, .configs = now.configs, .count = MANY},
                             .trials = now.trials};
    for (size_t i = 0; i < MANY; i++) {
        now.configs[i] = (int64_t)i;
        now.trials[i] = (struct tune_trial){.is_judged = true,
                                            .status = TRIAL_MEASURED,
                                            .score = 100000 + i * more};
    }
}

static size_t choose(void)
{
    struct error error;
    assert_int_equal(shortlist_choose(&now.result, &now.job, &now.options, now.chosen,
                                      &now.count, &error),
                     0);
    return now.count;
}

static void assert_chosen(size_t place, size_t candidate)
{
    assert_true(place < now.count);
    assert_int_equal(now.chosen[place], candidate);
}

static void test_close_ones_race(void **state)
{
    (void)state;
    set_up(99); /* 15 more within 1.5 % */
    assert_int_equal(choose(), 16);
    for (size_t i = 0; i < 16; i++)
        assert_chosen(i, i);
    set_up(101);
    assert_int_equal(choose(), 15);
    set_up(10); /* all, but there are too many */
    assert_int_equal(choose(), SHORTLIST_MAX);
    set_up(5000); /* none, but a few race anyway */
    assert_int_equal(choose(), 12);
    now.info.target.is_host = true;
    assert_int_equal(choose(), 8);
}

/* Where the reference's times spread, more may be the best. */
static void test_noise(void **state)
{
    (void)state;
    set_up(99);
    now.result.noise = 0.004;
    assert_int_equal(choose(), 16);
    now.result.noise = 0.0055;
    assert_int_equal(choose(), 17);
    now.result.noise = 0.0075;
    assert_int_equal(choose(), 23);
}

static void test_who_cannot_race(void **state)
{
    (void)state;
    set_up(5000);
    now.trials[0].is_judged = false;
    now.trials[1].status = TRIAL_WRONG;
    now.configs[2] = DEFAULT; /* races anyway */
    assert_int_equal(choose(), 12);
    for (size_t i = 0; i < 12; i++)
        assert_chosen(i, i + 3);
    for (size_t i = 0; i < MANY; i++)
        now.trials[i].is_judged = i == 7;
    assert_int_equal(choose(), 1);
    assert_chosen(0, 7);
}

/* By time, equal ones by number. */
static void test_order(void **state)
{
    (void)state;
    set_up(0);
    now.trials[20].score = 99999;
    choose();
    assert_chosen(0, 20);
    assert_chosen(1, 0);
    assert_chosen(2, 1);
}

/* What was asked for races first, however slow; one that is equal to another by that one. */
static void test_asked(void **state)
{
    static const int64_t asked[] = {39, 38, 1};
    (void)state;
    set_up(5000);
    now.options.configs = asked;
    now.options.config_count = 3;
    assert_int_equal(shortlist_asked(&now.result, &now.options, 0), 39);
    assert_int_equal(shortlist_asked(&now.result, &now.options, 2), 1);
    assert_int_equal(choose(), 12);
    assert_chosen(0, 1);
    assert_chosen(1, 38);
    assert_chosen(2, 39);
    assert_chosen(3, 0);
    assert_chosen(4, 2);
    now.trials[38].status = TRIAL_EQUAL;
    now.trials[38].equal_to = 30;
    assert_int_equal(shortlist_asked(&now.result, &now.options, 1), 30);
    choose();
    assert_chosen(1, 30);
    assert_chosen(2, 39);
    now.trials[38].is_judged = false;
    assert_int_equal(shortlist_asked(&now.result, &now.options, 1), 38);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_close_ones_race), cmocka_unit_test(test_noise),
        cmocka_unit_test(test_who_cannot_race), cmocka_unit_test(test_order),
        cmocka_unit_test(test_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
