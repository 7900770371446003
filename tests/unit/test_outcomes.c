/* Tests of what a race leaves out: variants whose first candidate is too slow, by what those that were
 * tried whole have taught. Candidates have no config here: nothing is compiled or recorded. */
#include "autotune/search/outcomes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* As many lessons as it takes, then one variant that is tried first by its first candidate alone. */
enum {
    LESSONS = STRATEGY_LESSONS_MIN,
    VARIANTS = LESSONS + 1,
    EACH = 3,
    LAST = LESSONS * EACH
};

struct fixture {
    struct tune_result result;
    struct tune_options options;
    struct strategy_order order;
    struct outcomes outcomes;
};

static void take(struct fixture *f, size_t candidate, uint64_t ps)
{
    const struct trial trial = {.status = TRIAL_MEASURED, .times_ps = {ps}, .time_count = 1};
    outcomes_take(&f->outcomes, candidate, &trial);
}

/* Each variant but the last is tried whole; its second candidate is a tenth faster than its first. */
static int setup(void **state)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    struct error error;
    *f = (struct fixture){.options.strategy = STRATEGY_RACE};
    f->result.points =
        (struct points){.count = VARIANTS * EACH,
                        .variants = calloc(VARIANTS, sizeof(struct point_variant)),
                        .variant_count = VARIANTS};
    f->result.trials = calloc(VARIANTS * EACH, sizeof *f->result.trials);
    f->order.candidates = calloc(VARIANTS * EACH, sizeof *f->order.candidates);
    f->order.is_whole = calloc(VARIANTS, sizeof *f->order.is_whole);
    for (size_t v = 0; v < VARIANTS; v++) {
        f->result.points.variants[v] = (struct point_variant){v * EACH, EACH};
        f->order.is_whole[v] = v < LESSONS;
    }
    for (size_t i = 0; i < VARIANTS * EACH; i++) {
        f->order.candidates[i] = i;
        f->result.trials[i].reason = -1;
    }
    f->outcomes =
        (struct outcomes){.options = &f->options, .result = &f->result, .order = &f->order};
    assert_int_equal(outcomes_open(&f->outcomes, &error), 0);
    for (size_t v = 0; v < LESSONS; v++) {
        take(f, v * EACH, 1100);
        take(f, v * EACH + 1, 1000);
        take(f, v * EACH + 2, 1200);
        outcomes_finish(&f->outcomes, v, false);
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    outcomes_dispose(&f->outcomes);
    free(f->order.candidates);
    free(f->order.is_whole);
    free(f->result.points.variants);
    free(f->result.trials);
    return 0;
}

static void assert_left_out(const struct fixture *f, size_t count)
{
    assert_int_equal(f->result.counts[TRIAL_LEFT_OUT], count);
    for (size_t i = LAST + 1; i < VARIANTS * EACH; i++)
        assert_int_equal(f->result.trials[i].is_judged, count > 0);
    if (count)
        assert_true(f->result.left_out_error > 0);
}

/* The gain was a tenth everywhere: who is twice as slow at first cannot win. */
static void test_slow_variant_is_closed(void **state)
{
    struct fixture *f = *state;
    take(f, LAST, 2000);
    assert_false(outcomes_is_open(&f->outcomes, VARIANTS - 1));
    assert_left_out(f, EACH - 1);
}

static void test_near_variant_stays_open(void **state)
{
    struct fixture *f = *state;
    take(f, LAST, 1050);
    assert_true(outcomes_is_open(&f->outcomes, VARIANTS - 1));
    assert_left_out(f, 0);
}

/* What a worker did not try, as it saw the limit passed. */
static void test_finished_variant_is_judged_whole(void **state)
{
    struct fixture *f = *state;
    assert_true(outcomes_limit(&f->outcomes, VARIANTS - 1) > 1);
    take(f, LAST, 2000);
    outcomes_finish(&f->outcomes, VARIANTS - 1, false);
    assert_left_out(f, EACH - 1);
    assert_false(outcomes_is_open(&f->outcomes, VARIANTS - 1));
}

/* Where the time was over they are tried by the next run. */
static void test_cut_variant_stays_open(void **state)
{
    struct fixture *f = *state;
    take(f, LAST, 1050);
    outcomes_finish(&f->outcomes, VARIANTS - 1, true);
    assert_left_out(f, 0);
    assert_true(outcomes_is_open(&f->outcomes, VARIANTS - 1));
}

#define PREPARED(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PREPARED(test_slow_variant_is_closed),
        PREPARED(test_near_variant_stays_open),
        PREPARED(test_finished_variant_is_judged_whole),
        PREPARED(test_cut_variant_stays_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
