/* Tests of which config the sizes of a sweep are compared with. */
#include "autotune/tune/sweep_drawing.h"
#include "tests/unit/named_op.h"
#include "tests/unit/record_files.h"

enum { SIZES = 4 };

/* A size of a sweep, won by `config`, in whose race `other` was too. */
static struct record size_of(enum regime regime, uint64_t n, uint64_t config, uint64_t other)
{
    struct record record = example_record;
    record.problem = (struct problem){.op = op_of(SUM),
                                      .type = F32,
                                      .acc = F32,
                                      .dims = DIMS_VALUE(n),
                                      .regime = regime};
    snprintf(record.swept, sizeof record.swept, "%s", record.tuned);
    record.config = config;
    record.median_ps = 1000;
    record.raced_count = 1;
    record.raced[0] = (struct raced){other, 1100, 1200};
    return record;
}

static void assert_single(struct record *sizes, size_t count, uint64_t config, uint64_t n)
{
    const struct records records = {.at = sizes, .count = count};
    const struct sweep_single single = sweep_drawing_single(&records, &sizes[0]);
    assert_int_equal(single.config, config);
    assert_int_equal(single.n, n);
}

/* The cold size that is nearest to the usual n, wherever it stands. */
static void test_cold_is_taken_before_warm(void **state)
{
    (void)state;
    const uint64_t usual = PROBLEM_USUAL_N;
    struct record sizes[SIZES] = {size_of(WARM, usual, 1, 5), size_of(COLD, usual / 64, 2, 6),
                                  size_of(COLD, usual / 2, 3, 7), size_of(WARM, usual, 4, 8)};
    assert_single(sizes, SIZES, 3, usual / 2);
    assert_single(sizes, 1, 1, usual);
}

/* Of the configs of that race the one that was raced at most sizes; of as many the fastest. */
static void test_most_raced_is_taken(void **state)
{
    (void)state;
    const uint64_t usual = PROBLEM_USUAL_N;
    struct record sizes[SIZES] = {size_of(COLD, usual, 1, 2), size_of(COLD, usual / 2, 2, 5),
                                  size_of(COLD, usual / 4, 2, 6),
                                  size_of(COLD, usual / 8, 7, 1)};
    assert_single(sizes, SIZES, 2, usual);
    assert_single(sizes, 2, 2, usual);
    assert_single(sizes, 1, 1, usual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cold_is_taken_before_warm),
        cmocka_unit_test(test_most_raced_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
