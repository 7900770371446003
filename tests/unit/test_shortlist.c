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
    size_t chosen[SHORTLIST_ROOM], count;
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

/* The best with each value races too, behind the others; one that equals another by that one. */
static void test_values(void **state)
{
    static const int64_t seven[] = {7};
    (void)state;
    set_up(5000); /* each has a value of its own */
    now.options.races_values = true;
    assert_int_equal(choose(), MANY);
    for (size_t i = 0; i < MANY; i++)
        assert_chosen(i, i);
    for (size_t i = 0; i < MANY; i++)
        now.configs[i] = (int64_t)i / 10; /* the first of each ten */
    assert_int_equal(choose(), 14);
    assert_chosen(12, 20);
    assert_chosen(13, 30);
    now.trials[20].status = TRIAL_EQUAL;
    now.trials[20].equal_to = 25;
    now.trials[30].is_judged = false;
    choose();
    assert_chosen(12, 25);
    assert_chosen(13, 31);
    now.configs[31] = DEFAULT; /* races anyway, and is the best with its value */
    assert_int_equal(choose(), 14);
    assert_chosen(13, 32);
    now.options.configs = seven; /* who was asked for is no better for it */
    now.options.config_count = 1;
    now.configs[7] = 7;
    choose();
    assert_chosen(0, 7);
    assert_chosen(12, 25);
}

/* Of many values those of the fastest race. */
static void test_many_values(void **state)
{
    enum { VALUES = SHORTLIST_ROOM + 20 };
    static struct tune_trial trials[VALUES];
    static int64_t configs[VALUES];
    (void)state;
    set_up(0);
    for (size_t i = 0; i < VALUES; i++) {
        configs[i] = (int64_t)i;
        trials[i] = (struct tune_trial){.is_judged = true,
                                        .status = TRIAL_MEASURED,
                                        .score = 100000 + (VALUES - i) * 10};
    }
    now.result.points = (struct points){.width = 1, .configs = configs, .count = VALUES};
    now.result.trials = trials;
    now.options.races_values = true;
    assert_int_equal(choose(), SHORTLIST_ROOM);
    assert_chosen(0, VALUES - 1);
    assert_chosen(SHORTLIST_ROOM - 1, VALUES - SHORTLIST_ROOM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_close_ones_race), cmocka_unit_test(test_noise),
        cmocka_unit_test(test_who_cannot_race), cmocka_unit_test(test_order),
        cmocka_unit_test(test_asked),           cmocka_unit_test(test_values),
        cmocka_unit_test(test_many_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
