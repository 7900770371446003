/* find: the grade and the named difference for each change of a key, and the choice among
 * several records. */
#include "cache/find.h"

#include "tests/unit/example_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Looks for the example among `own` (and `shipped`), `count` records each. */
static struct find_result found(struct record *own, size_t own_count, struct record *shipped,
                                size_t shipped_count)
{
    const struct records set = {.at = own, .count = own_count};
    const struct records with = {.at = shipped, .count = shipped_count};
    struct find_result result;
    find_record(&result, &example_record, &set, 1, shipped ? &with : NULL);
    return result;
}

static void assert_grade(const struct find_result *result, enum find_grade grade,
                         const char *difference)
{
    assert_string_equal(find_grades[result->grade], find_grades[grade]);
    assert_string_equal(result->difference, difference);
}

static void change_op(struct record *record) { record->problem.op = MAX; }
static void change_type(struct record *record) { record->problem.type = U32; }
static void change_acc(struct record *record) { record->problem.acc = I64; }
static void change_order(struct record *record) { record->problem.is_deterministic = true; }
static void change_n(struct record *record) { record->problem.n += 1; }
static void change_regime(struct record *record) { record->problem.regime = WARM; }
static void change_to_interval(struct record *record)
{
    record->n_from = 1;
    record->n_to = UINT64_C(1) << 40;
}
static void change_space(struct record *record) { strcpy(record->space, "rows"); }
static void change_space_hash(struct record *record) { record->space_hash++; }
static void change_sources_hash(struct record *record) { record->sources_hash++; }
static void change_method(struct record *record) { record->method++; }
static void change_gpu(struct record *record) { strcpy(record->gpu, "NVIDIA H100"); }
static void change_cc(struct record *record) { record->cc = 100; }
static void change_sms(struct record *record) { record->sms = 66; }
static void change_clock(struct record *record) { record->memory_clock_khz = 2619000; }
static void change_bus(struct record *record) { record->bus_bits = 5120; }
static void change_driver(struct record *record) { strcpy(record->driver, "590.1"); }
static void change_compiler(struct record *record) { strcpy(record->compiler, "NVRTC 12.9"); }

static const struct {
    void (*change)(struct record *record);
    enum find_grade grade;
    const char *difference;
} changes[] = {
    {change_op, FIND_NONE, "op"},
    {change_type, FIND_NONE, "type"},
    {change_acc, FIND_NONE, "acc"},
    {change_order, FIND_NONE, "deterministic"},
    {change_n, FIND_OTHER_N, "n"},
    {change_regime, FIND_OTHER_N, "regime"},
    {change_to_interval, FIND_OTHER_N, "n_from"},
    {change_space, FIND_NONE, "space"},
    {change_space_hash, FIND_NONE, "space_hash"},
    {change_sources_hash, FIND_NONE, "sources_hash"},
    {change_method, FIND_NONE, "method"},
    {change_gpu, FIND_SAME_CC, "gpu"},
    {change_cc, FIND_NONE, "cc"},
    {change_sms, FIND_SAME_CC, "sms"},
    {change_clock, FIND_SAME_CC, "memory_clock_khz"},
    {change_bus, FIND_SAME_CC, "bus_bits"},
    {change_driver, FIND_STALE, "driver"},
    {change_compiler, FIND_STALE, "compiler"},
};
enum { CHANGES = sizeof changes / sizeof *changes };

static void test_each_key_field(void **state)
{
    (void)state;
    for (int i = 0; i < CHANGES; i++) {
        struct record record = example_record;
        changes[i].change(&record);
        struct find_result result = found(&record, 1, NULL, 0);
        assert_grade(&result, changes[i].grade, changes[i].difference);
    }
}

/* The reason must be the change that matters, also when others come with it. */
static void test_pairs_of_changes(void **state)
{
    (void)state;
    for (int a = 0; a < CHANGES; a++) {
        for (int b = 0; b < CHANGES; b++) {
            int worse = changes[a].grade >= changes[b].grade ? a : b;
            struct record record = example_record;
            if (changes[a].grade == changes[b].grade)
                continue;
            changes[a].change(&record);
            changes[b].change(&record);
            struct find_result result = found(&record, 1, NULL, 0);
            assert_grade(&result, changes[worse].grade, changes[worse].difference);
        }
    }
}

static void test_exact(void **state)
{
    struct record record = example_record;
    (void)state;

    record.median_ps = 1;
    strcpy(record.params, "BLOCK=1024");
    struct find_result result = found(&record, 1, NULL, 0);
    assert_grade(&result, FIND_EXACT, "");
    assert_string_equal(result.record.params, "BLOCK=1024");
}

static void test_nothing(void **state)
{
    struct find_result result;
    (void)state;

    find_record(&result, &example_record, NULL, 0, NULL);
    assert_grade(&result, FIND_NONE, "");
    result = found(NULL, 0, NULL, 0);
    assert_grade(&result, FIND_NONE, "");
}

/* One record of every grade, in every rotation: the best is taken, wherever it stands. */
static void test_best_grade_wins(void **state)
{
    enum { GRADES = 4 };
    struct record records[GRADES];
    (void)state;

    for (int i = 0; i < GRADES; i++)
        records[i] = example_record;
    change_driver(&records[1]);
    change_n(&records[2]);
    change_gpu(&records[3]);
    for (int best = 0; best < GRADES; best++) {
        struct record rotated[GRADES];
        int count = GRADES - best;
        for (int first = 0; first < count; first++) {
            for (int i = 0; i < count; i++)
                rotated[i] = records[best + (first + i) % count];
            struct find_result result = found(rotated, (size_t)count, NULL, 0);
            assert_int_equal(result.grade, FIND_EXACT + best);
        }
    }
}

static uint64_t chosen_n(const uint64_t *sizes, const enum regime *regimes, size_t count)
{
    struct record records[8];
    assert_true(count <= 8);
    for (size_t i = 0; i < count; i++) {
        records[i] = example_record;
        records[i].problem.n = sizes[i];
        records[i].problem.regime = regimes ? regimes[i] : COLD;
    }
    struct find_result result = found(records, count, NULL, 0);
    assert_int_equal(result.grade, FIND_OTHER_N);
    return result.record.problem.n;
}

static void test_nearest_n(void **state)
{
    static const uint64_t near_below[] = {1, 100000000, 300000000, 600000000, 1600000000};
    static const uint64_t by_factor[] = {40000000, 3900000000}; /* nearer by difference: 40M */
    static const uint64_t huge[] = {1, UINT64_C(1) << 62};
    static const uint64_t regime_sizes[] = {400000000, 200000000, 50000000};
    static const enum regime warm_first[] = {WARM, COLD, COLD};
    static const enum regime warm_two[] = {WARM, WARM, COLD};
    (void)state;

    assert_int_equal(chosen_n(near_below, NULL, 5), 300000000);
    assert_int_equal(chosen_n(by_factor, NULL, 2), 3900000000);
    assert_int_equal(chosen_n(huge, NULL, 2), 1);
    assert_int_equal(chosen_n(regime_sizes, warm_first, 3), 200000000);
    assert_int_equal(chosen_n(regime_sizes, warm_two, 3), 400000000);
}

/* The example's n is 400M. */
static void test_interval_around_n(void **state)
{
    struct record records[3] = {example_record, example_record, example_record};
    (void)state;

    records[0].problem.n = 400000001; /* one n, ever so near */
    records[1].n_from = 300000000;
    records[1].n_to = 400000000;
    records[1].problem.n = 300000000;
    records[2].n_from = 400000001;
    records[2].n_to = 900000000;
    records[2].problem.n = 400000001;
    struct find_result result = found(records, 3, NULL, 0);
    assert_grade(&result, FIND_OTHER_N, "n");
    assert_int_equal(result.record.n_to, 400000000);

    records[1].problem.regime = WARM; /* an n as near in the right regime counts more */
    result = found(records, 2, NULL, 0);
    assert_int_equal(result.record.n_to, 0);
    result = found(records, 3, NULL, 0);
    assert_int_equal(result.record.problem.regime, COLD);

    records[1].problem.regime = COLD; /* around no n: as far as its nearer end */
    records[1].n_to = 390000000;
    records[0].problem.n = 385000000;
    result = found(records, 2, NULL, 0);
    assert_int_equal(result.record.n_to, 390000000);
    records[0].problem.n = 395000000;
    result = found(records, 2, NULL, 0);
    assert_int_equal(result.record.n_to, 0);

    records[0].problem.n = 400000000; /* nothing goes before the record of this very n */
    records[1].n_to = 500000000;
    result = found(records, 2, NULL, 0);
    assert_grade(&result, FIND_EXACT, "");
    change_driver(&records[0]);
    result = found(records, 2, NULL, 0);
    assert_grade(&result, FIND_STALE, "driver");
}

static void test_other_gpus_nearest_n_then_sms(void **state)
{
    struct record records[3];
    (void)state;

    for (int i = 0; i < 3; i++) {
        records[i] = example_record;
        change_gpu(&records[i]);
    }
    records[0].problem.n = 1000;
    records[1].sms = 20;
    records[2].sms = 114;
    struct find_result result = found(records, 3, NULL, 0);
    assert_grade(&result, FIND_SAME_CC, "gpu");
    assert_int_equal(result.record.sms, 114);
    assert_int_equal(result.record.problem.n, 400000000);
}

static void test_first_set_wins_among_equals(void **state)
{
    struct record first = example_record, second = example_record;
    const struct records sets[] = {{.at = &first, .count = 1}, {.at = &second, .count = 1}};
    struct find_result result;
    (void)state;

    first.ties = 10;
    second.ties = 20;
    find_record(&result, &example_record, sets, 2, NULL);
    assert_int_equal(result.record.ties, 10);
    change_driver(&first);
    find_record(&result, &example_record, sets, 2, NULL);
    assert_grade(&result, FIND_EXACT, "");
    assert_int_equal(result.record.ties, 20);
}

static void test_shipped(void **state)
{
    struct record own = example_record, shipped[5];
    (void)state;

    for (int i = 0; i < 5; i++)
        shipped[i] = example_record;
    change_cc(&shipped[0]); /* newer: may not run here */
    struct find_result result = found(NULL, 0, shipped, 1);
    assert_grade(&result, FIND_NONE, "cc");

    shipped[1].cc = 70;
    shipped[2].cc = 86;
    result = found(NULL, 0, shipped, 3);
    assert_grade(&result, FIND_SHIPPED, "cc");
    assert_int_equal(result.record.cc, 86);

    change_gpu(&shipped[3]);
    result = found(NULL, 0, shipped, 4);
    assert_grade(&result, FIND_SHIPPED, "gpu");

    shipped[4].problem.n = 5;
    result = found(NULL, 0, shipped, 5);
    assert_grade(&result, FIND_SHIPPED, "n");

    change_gpu(&own); /* any record of one's own is better */
    result = found(&own, 1, shipped, 5);
    assert_grade(&result, FIND_SAME_CC, "gpu");
}

static void test_emulated_stands_for_its_own_device_only(void **state)
{
    struct record record = example_record;
    (void)state;

    record.source = RECORD_EMULATED;
    struct find_result result = found(&record, 1, NULL, 0);
    assert_grade(&result, FIND_EXACT, "");
    strcpy(record.gpu, "host");
    result = found(&record, 1, NULL, 0);
    assert_grade(&result, FIND_NONE, "gpu");
    result = found(NULL, 0, &record, 1);
    assert_grade(&result, FIND_NONE, "gpu");
}

static void test_published_is_never_found(void **state)
{
    struct record record = example_record;
    (void)state;

    record.source = RECORD_PUBLISHED;
    struct find_result result = found(&record, 1, NULL, 0);
    assert_grade(&result, FIND_NONE, "source");
}

/* With several unfit records, the one that fits best but for one field gives the reason. */
static void test_reason_comes_from_the_nearest(void **state)
{
    struct record records[2] = {example_record, example_record};
    (void)state;

    change_op(&records[0]);
    change_space_hash(&records[0]);
    change_gpu(&records[0]);
    change_sources_hash(&records[1]);
    struct find_result result = found(records, 2, NULL, 0);
    assert_grade(&result, FIND_NONE, "sources_hash");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_key_field),
        cmocka_unit_test(test_pairs_of_changes),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_best_grade_wins),
        cmocka_unit_test(test_nearest_n),
        cmocka_unit_test(test_interval_around_n),
        cmocka_unit_test(test_other_gpus_nearest_n_then_sms),
        cmocka_unit_test(test_first_set_wins_among_equals),
        cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_emulated_stands_for_its_own_device_only),
        cmocka_unit_test(test_published_is_never_found),
        cmocka_unit_test(test_reason_comes_from_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
