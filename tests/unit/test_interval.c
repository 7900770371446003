/* interval: which config serves which n follows from what was raced at each size, whatever file
 * or order the sizes come from. */
#include "cache/store.h"

#include "tests/unit/example_record.h"
#include "tests/unit/named_op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char january[] = "2026-01-01T00:00:00Z", february[] = "2026-02-01T00:00:00Z";
static struct error error;

static uint64_t number_of(struct records *records, const char *params)
{
    struct record record = example_record;
    uint64_t number;
    snprintf(record.params, sizeof record.params, "%s=1", params);
    const struct config config = store_config(&record);
    assert_int_equal(configs_add(&number, &records->configs, &config, &error), 0);
    return number;
}

/* Appends a size whose winner takes 1 us, and others "B 1.09 C 1.2": the upper end of each is as
 * much. A config may lose 10 %. */
static struct record *add(struct records *records, uint64_t n, const char *swept,
                          const char *winner, const char *others)
{
    struct record size = example_record;
    size.problem.dims = dims_value(n);
    size.median_ps = 1000000;
    size.low_ps = 900000;
    size.high_ps = 1100000;
    size.loss_ppm = 100000;
    snprintf(size.params, sizeof size.params, "%s=1", winner);
    snprintf(size.swept, sizeof size.swept, "%s", swept);
    assert_int_equal(store_add(records, &size, &error), 0);
    char name[2];
    double times;
    for (int used; sscanf(others, " %1s %lf%n", name, &times, &used) == 2; others += used) {
        struct raced raced = {number_of(records, name), (uint64_t)(times * 1e6 + .5),
                              (uint64_t)(times * 1e6 + .5)};
        struct record *last = &records->at[records->count - 1];
        last->raced[last->raced_count++] = raced;
    }
    return &records->at[records->count - 1];
}

/* "1000..3999 B, ..." of one regime, ascending; disposes of the records. */
static void assert_intervals(struct records *records, const char *expected)
{
    struct text text = {0};
    assert_int_equal(store_tidy(records, &error), 0);
    assert_int_equal(interval_compute(records, &error), 0);
    for (size_t i = 0; i < records->interval_count; i++) {
        const struct interval *interval = &records->intervals[i];
        text_addf(&text, "%s%llu..%llu %.1s", i ? ", " : "", (unsigned long long)interval->from,
                  (unsigned long long)interval->to, interval->record.params);
    }
    assert_string_equal(text.at ? text.at : "", expected);
    text_dispose(&text);
    store_dispose(records);
}

/* The fewest intervals, which meet half way as a factor, whatever order the sizes are in. */
static void test_one_sweep(void **state)
{
    struct records records = {0};
    (void)state;
    add(&records, 4000, january, "C", "B 1.2 A 1.05");
    add(&records, 1000, january, "B", "A 1.02");
    add(&records, 40000, january, "C", "A 1.3");
    add(&records, 2000, january, "A", "B 1.01");
    assert_intervals(&records, "1000..12649 A, 12650..40000 C");
    add(&records, 7, january, "A", "");
    assert_intervals(&records, "7..7 A");
    assert_intervals(&records, "");
}

/* A record that was not swept is of no interval, nor one only published. */
static void test_others_are_left_out(void **state)
{
    struct records records = {0};
    (void)state;
    add(&records, 1000, january, "A", "");
    add(&records, 2000, "", "B", "");
    add(&records, 4000, january, "C", "")->source = RECORD_PUBLISHED;
    add(&records, 10000, january, "A", "");
    assert_intervals(&records, "1000..10000 A");
}

/* Other problems, GPUs and regimes are other sweeps. */
static void test_sweeps_are_apart(void **state)
{
    struct records records = {0};
    (void)state;
    add(&records, 1000, january, "A", "");
    add(&records, 3000, january, "A", "");
    add(&records, 2000, january, "A", "")->problem.regime = WARM;
    add(&records, 2000, january, "A", "")->problem.op = op_of(MAX);
    strcpy(add(&records, 2000, january, "A", "")->gpu, "NVIDIA H100");
    assert_int_equal(interval_compute(&records, &error), 0);
    assert_int_equal(records.interval_count, 4);
    struct record *first = &records.at[0];
    const struct interval *interval = interval_find(&records, first);
    assert_true(interval->from == 1000 && interval->to == 3000);
    first->problem.dims = dims_value(3001);
    assert_null(interval_find(&records, first));
    store_dispose(&records);
}

/* Where two sweeps meet, the border is the newer one's range; a config that both raced goes on. */
static void test_two_sweeps_meet(void **state)
{
    struct records records = {0};
    (void)state;
    add(&records, 1000, january, "B", "");
    add(&records, 2000, january, "B", "A 1.09");
    add(&records, 4000, february, "A", "");
    add(&records, 10000, february, "B", "A 1.09");
    add(&records, 40000, january, "C", "");
    assert_intervals(&records, "1000..3999 B, 4000..10000 A, 10001..40000 C");
    add(&records, 1000, january, "B", "A 1.09");
    add(&records, 2000, january, "B", "A 1.09");
    add(&records, 4000, february, "A", "");
    assert_intervals(&records, "1000..4000 A");
}

/* Times of another driver say nothing of these. */
static void test_other_tools(void **state)
{
    struct records records = {0};
    (void)state;
    add(&records, 1000, january, "A", "");
    strcpy(add(&records, 4000, january, "A", "")->driver, "590");
    assert_intervals(&records, "1000..2000 A, 2001..4000 A");
}

/* Each size has the limit of its own sweep. */
static void test_limits(void **state)
{
    struct records records = {0};
    (void)state;
    add(&records, 1000, january, "A", "");
    add(&records, 4000, january, "B", "A 1.09")->loss_ppm = 90001;
    assert_intervals(&records, "1000..4000 A");
    add(&records, 1000, january, "A", "");
    add(&records, 4000, january, "B", "A 1.09")->loss_ppm = 89999;
    assert_intervals(&records, "1000..2000 A, 2001..4000 B");
}

/* The record of an interval is that of the size where its config loses least. */
static void test_record_of_an_interval(void **state)
{
    struct records records = {0};
    (void)state;
    add(&records, 1000, january, "B", "A 1.05");
    add(&records, 2000, january, "C", "A 1.02");
    add(&records, 4000, january, "D", "A 1.03");
    assert_int_equal(interval_compute(&records, &error), 0);
    assert_int_equal(records.interval_count, 1);
    const struct record *record = &records.intervals[0].record;
    assert_int_equal(dims_n(&record->problem.dims), 2000);
    assert_string_equal(record->params, "A=1");
    assert_int_equal(record->median_ps, 1020000);
    assert_true(record->low_ps <= record->median_ps && record->median_ps <= record->high_ps);
    struct raced raced;
    assert_true(interval_raced(&raced, &records.at[2], record->config));
    assert_int_equal(raced.ps, 1030000);
    assert_true(interval_raced(&raced, &records.at[2], records.at[2].config));
    assert_int_equal(raced.ps, 1000000);
    assert_false(interval_raced(&raced, &records.at[2], records.at[0].config));
    store_dispose(&records);
}

static void test_survivors(void **state)
{
    struct records records = {0};
    uint64_t numbers[4];
    (void)state;
    add(&records, 1000, january, "D", "");
    add(&records, 2000, january, "B", "A 1.05 C 1.02");
    add(&records, 4000, january, "B", "A 1.03 C 1.2");
    assert_int_equal(interval_survivors(numbers, 4, &records, 0), 0);
    assert_int_equal(interval_survivors(numbers, 4, &records, 1), 1);
    assert_int_equal(interval_survivors(numbers, 4, &records, 2), 3);
    assert_int_equal(interval_survivors(numbers, 4, &records, 3), 2);
    assert_int_equal(numbers[0], number_of(&records, "B"));
    assert_int_equal(numbers[1], number_of(&records, "A"));
    assert_int_equal(interval_survivors(numbers, 1, &records, 3), 1);
    store_dispose(&records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_sweep),
        cmocka_unit_test(test_others_are_left_out),
        cmocka_unit_test(test_sweeps_are_apart),
        cmocka_unit_test(test_two_sweeps_meet),
        cmocka_unit_test(test_other_tools),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_record_of_an_interval),
        cmocka_unit_test(test_survivors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
