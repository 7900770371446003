/* Tests of cover: every possible pair stands in some row, rows are valid, samples are small,
 * the same seed gives the same rows. Possible pairs are counted by trying every assignment. */
#include "generator/cover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

struct sample {
    const struct cover_axis *axes;
    size_t axis_count;
    size_t *rows, row_count, missed;
};

static struct sample make_sample(const struct cover_axis *axes, size_t axis_count,
                                 cover_valid *valid, void *context, unsigned seed)
{
    struct sample sample = {.axes = axes, .axis_count = axis_count, .missed = 12345};
    struct error error;
    assert_int_equal(cover_pairs(&sample.rows, &sample.row_count, &sample.missed, axes,
                                 axis_count, valid, context, seed, &error),
                     0);
    return sample;
}

/* Do values va on axis a and vb on axis b stand together in one of the rows? */
static bool has_pair(const struct sample *sample, size_t a, size_t va, size_t b, size_t vb)
{
    for (size_t i = 0; i < sample->row_count; i++) {
        const size_t *row = sample->rows + i * sample->axis_count;
        if (row[a] == va && row[b] == vb)
            return true;
    }
    return false;
}

static size_t count_absent(const struct sample *sample)
{
    size_t absent = 0;
    for (size_t b = 1; b < sample->axis_count; b++)
        for (size_t a = 0; a < b; a++)
            for (size_t va = 0; va < sample->axes[a].count; va++)
                for (size_t vb = 0; vb < sample->axes[b].count; vb++)
                    absent += !has_pair(sample, a, va, b, vb);
    return absent;
}

static void assert_rows_valid(const struct sample *sample, cover_valid *valid, void *context)
{
    for (size_t i = 0; i < sample->row_count; i++) {
        const size_t *row = sample->rows + i * sample->axis_count;
        for (size_t axis = 0; axis < sample->axis_count; axis++)
            assert_true(row[axis] < sample->axes[axis].count);
        assert_true(valid(context, row));
    }
}

static bool next_assignment(const struct cover_axis *axes, size_t axis_count, size_t *row)
{
    for (size_t axis = 0; axis < axis_count; axis++) {
        row[axis]++;
        if (row[axis] < axes[axis].count)
            return true;
        row[axis] = 0;
    }
    return false;
}

/* Pairs in no valid assignment: a sample of all valid assignments lacks just those. */
static size_t count_impossible(const struct cover_axis *axes, size_t axis_count,
                               cover_valid *valid, void *context)
{
    struct sample all = {.axes = axes, .axis_count = axis_count};
    size_t total = 1, row[16] = {0};
    for (size_t axis = 0; axis < axis_count; axis++)
        total *= axes[axis].count;
    all.rows = calloc(total, axis_count * sizeof *all.rows);
    assert_non_null(all.rows);
    do {
        if (valid(context, row))
            memcpy(all.rows + all.row_count++ * axis_count, row, axis_count * sizeof *row);
    } while (next_assignment(axes, axis_count, row));
    size_t impossible = count_absent(&all);
    free(all.rows);
    return impossible;
}

static bool is_anything(void *context, const size_t *choice)
{
    (void)choice;
    if (context)
        ++*(size_t *)context;
    return true;
}

/* Free products and the most rows a sample of them may have. */
static const struct {
    struct cover_axis axes[15];
    size_t axis_count, least, most;
} frees[] = {
    {{{10}, {10}}, 2, 100, 100},
    {{{7}, {6}}, 2, 42, 42},
    {{{7}, {6}, {2}, {3}, {2}}, 5, 42, 43},
    {{{7}, {6}, {6}, {5}, {5}, {4}, {3}, {2}, {2}, {2}, {3}}, 11, 42, 57},
    {{{5}, {5}, {3}, {5}, {4}, {3}, {2}, {2}, {8}}, 9, 40, 50},
    {{{3}, {3}, {3}, {3}}, 4, 9, 11},
    {{{2}, {2}, {2}, {2}, {2}, {2}, {2}, {2}, {2}, {2}, {2}, {2}, {2}, {2}, {2}}, 15, 7, 11},
    {{{10}, {1}, {1}, {2}}, 4, 20, 20},
    {{{1}, {1}, {1}}, 3, 1, 1},
};

static void test_free_products(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof frees / sizeof *frees; i++) {
        for (unsigned seed = 0; seed < 5; seed++) {
            struct sample sample =
                make_sample(frees[i].axes, frees[i].axis_count, is_anything, NULL, seed);
            assert_int_equal(count_absent(&sample), 0);
            assert_int_equal(sample.missed, 0);
            assert_rows_valid(&sample, is_anything, NULL);
            assert_in_range(sample.row_count, frees[i].least, frees[i].most);
            free(sample.rows);
        }
    }
}

/* 15 axes of 8 values: the best arrays known have over 100 rows; ask for 125, in bounded work.
 */
static void test_large_product(void **state)
{
    (void)state;
    struct cover_axis axes[15];
    size_t calls = 0;
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        axes[i].count = 8;
    clock_t start = clock();
    struct sample sample =
        make_sample(axes, sizeof axes / sizeof *axes, is_anything, &calls, 1);
    assert_true(clock() - start < 10 * CLOCKS_PER_SEC); /* 0.2 s when optimised */
    assert_int_equal(count_absent(&sample), 0);
    assert_int_equal(sample.missed, 0);
    assert_in_range(sample.row_count, 64, 125);
    assert_in_range(calls, 1, 100000);
    free(sample.rows);
}

/* Shaped like a kernel's space: block, items, vector, unroll, warp step, load, two switches,
 * grid; about one assignment in nine is valid. */
static const struct cover_axis kernel_axes[] = {{5}, {5}, {3}, {5}, {4}, {3}, {2}, {2}, {8}};

static bool is_kernel(void *context, const size_t *choice)
{
    (void)context;
    size_t block = 64u << choice[0], items = 4u << choice[1], vector = 1u << choice[2];
    size_t unroll = 1u << choice[3];
    return items % (vector * unroll) == 0 && block * items <= 16384 && choice[4] != 3 &&
           !(choice[4] == 1 && choice[6] == 1) && !(choice[5] == 2 && vector < 4) &&
           !(choice[7] == 1 && choice[8] == 0);
}

/* A chain: each value at most one away from the axis before. Far pairs are possible, but only
 * in assignments that a change of one value does not reach. */
static const struct cover_axis chain_axes[] = {{4}, {4}, {4}, {4}, {4}, {4}};

static bool is_chain(void *context, const size_t *choice)
{
    (void)context;
    for (size_t i = 1; i < sizeof chain_axes / sizeof *chain_axes; i++)
        if (choice[i] + 1 < choice[i - 1] || choice[i] > choice[i - 1] + 1)
            return false;
    return true;
}

/* The sum of all values is a multiple of 5: no pair is impossible, no change of one value is
 * valid, one assignment in five is. */
static const struct cover_axis sum_axes[] = {{5}, {6}, {7}, {5}, {5}, {8}};

static bool is_sum(void *context, const size_t *choice)
{
    (void)context;
    size_t sum = 0;
    for (size_t i = 0; i < sizeof sum_axes / sizeof *sum_axes; i++)
        sum += choice[i];
    return sum % 5 == 0;
}

/* One valid assignment in all. */
static bool is_single(void *context, const size_t *choice)
{
    (void)context;
    return choice[0] == 4 && choice[1] == 0 && choice[2] == 6 && choice[3] == 2;
}

static const struct cover_axis single_axes[] = {{5}, {6}, {7}, {5}};

static bool is_nothing(void *context, const size_t *choice)
{
    (void)context;
    (void)choice;
    return false;
}

static const struct {
    const struct cover_axis *axes;
    size_t axis_count;
    cover_valid *valid;
    size_t most;
} constrained[] = {
    {kernel_axes, sizeof kernel_axes / sizeof *kernel_axes, is_kernel, 54},
    {chain_axes, sizeof chain_axes / sizeof *chain_axes, is_chain, 30},
    {sum_axes, sizeof sum_axes / sizeof *sum_axes, is_sum, 90},
    {single_axes, sizeof single_axes / sizeof *single_axes, is_single, 1},
    {chain_axes, sizeof chain_axes / sizeof *chain_axes, is_nothing, 0},
};

static void test_constraints(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof constrained / sizeof *constrained; i++) {
        const struct cover_axis *axes = constrained[i].axes;
        size_t count = constrained[i].axis_count;
        cover_valid *valid = constrained[i].valid;
        size_t impossible = count_impossible(axes, count, valid, NULL);
        for (unsigned seed = 0; seed < 5; seed++) {
            struct sample sample = make_sample(axes, count, valid, NULL, seed);
            assert_rows_valid(&sample, valid, NULL);
            assert_int_equal(sample.missed, impossible);
            assert_int_equal(count_absent(&sample), impossible);
            assert_in_range(sample.row_count, 0, constrained[i].most);
            free(sample.rows);
        }
    }
}

/* The constraints above do make pairs impossible, or the test says nothing of `missed`. */
static void test_constraints_bite(void **state)
{
    (void)state;
    assert_true(count_impossible(kernel_axes, sizeof kernel_axes / sizeof *kernel_axes,
                                 is_kernel, NULL) > 10);
    assert_true(count_impossible(chain_axes, sizeof chain_axes / sizeof *chain_axes, is_chain,
                                 NULL) > 10);
    assert_int_equal(
        count_impossible(sum_axes, sizeof sum_axes / sizeof *sum_axes, is_sum, NULL), 0);
}

/* One value in a product too large to try: its pairs are missed, without a search for each. */
static bool is_not_dead(void *context, const size_t *choice)
{
    ++*(size_t *)context;
    return choice[3] != 7;
}

static void test_dead_value(void **state)
{
    (void)state;
    struct cover_axis axes[12];
    size_t calls = 0;
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        axes[i].count = 8;
    struct sample sample =
        make_sample(axes, sizeof axes / sizeof *axes, is_not_dead, &calls, 3);
    assert_int_equal(sample.missed, 11 * 8);
    assert_int_equal(count_absent(&sample), 11 * 8);
    assert_in_range(calls, 1, 100000);
    free(sample.rows);
}

/* Two values that ask three other axes for one value each, in a product too large to try: one
 * assignment in 216 goes with each. Just the pairs the rule names are impossible. */
static bool is_demanding(void *context, const size_t *choice)
{
    (void)context;
    return (choice[0] != 3 || !(choice[1] || choice[2] || choice[3])) &&
           (choice[9] != 1 || (choice[6] == 5 && choice[7] == 5 && choice[8] == 5));
}

/* A long chain of steps of at most one: of axes d < 4 apart, (4 - d)(5 - d) pairs are
 * impossible, 210 in all. A pair far off the diagonal goes with very few assignments. */
static bool is_long_chain(void *context, const size_t *choice)
{
    (void)context;
    for (size_t i = 1; i < 12; i++)
        if (choice[i] + 1 < choice[i - 1] || choice[i] > choice[i - 1] + 1)
            return false;
    return true;
}

static void test_rare_pairs(void **state)
{
    (void)state;
    struct cover_axis sixes[10], fives[12];
    for (size_t i = 0; i < sizeof sixes / sizeof *sixes; i++)
        sixes[i].count = 6;
    for (size_t i = 0; i < sizeof fives / sizeof *fives; i++)
        fives[i].count = 5;
    for (unsigned seed = 0; seed < 5; seed++) {
        struct sample sample = make_sample(sixes, 10, is_demanding, NULL, seed);
        /* The two values together, one assignment in 46,656, may be given up. */
        assert_in_range(sample.missed, 2 * 3 * 5, 2 * 3 * 5 + 1);
        assert_int_equal(count_absent(&sample), sample.missed);
        assert_rows_valid(&sample, is_demanding, NULL);
        free(sample.rows);
        sample = make_sample(fives, 12, is_long_chain, NULL, seed);
        assert_in_range(sample.missed, 210, 215);
        assert_int_equal(count_absent(&sample), sample.missed);
        assert_rows_valid(&sample, is_long_chain, NULL);
        free(sample.rows);
    }
}

static void test_seeds(void **state)
{
    (void)state;
    size_t bytes = sizeof kernel_axes / sizeof *kernel_axes * sizeof(size_t);
    struct sample a =
        make_sample(kernel_axes, sizeof kernel_axes / sizeof *kernel_axes, is_kernel, NULL, 7);
    struct sample b =
        make_sample(kernel_axes, sizeof kernel_axes / sizeof *kernel_axes, is_kernel, NULL, 7);
    struct sample c =
        make_sample(kernel_axes, sizeof kernel_axes / sizeof *kernel_axes, is_kernel, NULL, 8);
    assert_int_equal(a.row_count, b.row_count);
    assert_memory_equal(a.rows, b.rows, a.row_count * bytes);
    assert_true(a.row_count != c.row_count || memcmp(a.rows, c.rows, a.row_count * bytes) != 0);
    free(a.rows);
    free(b.rows);
    free(c.rows);
}

static bool is_odd(void *context, const size_t *choice)
{
    (void)context;
    return choice[0] % 2 == 1;
}

/* No two axes: no pairs, but the one axis still shows each of its values. */
static void test_one_axis(void **state)
{
    (void)state;
    const struct cover_axis axis = {7};
    struct sample sample = make_sample(&axis, 1, is_odd, NULL, 0);
    assert_int_equal(sample.row_count, 3);
    assert_int_equal(sample.rows[0] + sample.rows[1] + sample.rows[2], 1 + 3 + 5);
    assert_rows_valid(&sample, is_odd, NULL);
    assert_int_equal(sample.missed, 4);
    free(sample.rows);
}

static void test_empty(void **state)
{
    (void)state;
    const struct cover_axis axes[] = {{3}, {0}, {4}};
    struct sample sample = make_sample(axes, 3, is_anything, NULL, 0);
    assert_int_equal(sample.row_count, 0);
    assert_int_equal(sample.missed, 12);
    free(sample.rows);
    sample = make_sample(NULL, 0, is_anything, NULL, 0);
    assert_int_equal(sample.row_count, 0);
    assert_int_equal(sample.missed, 0);
    free(sample.rows);
}

static void test_too_many(void **state)
{
    (void)state;
    static const struct cover_axis large[][2] = {
        {{1 << 13}, {1 << 13}}, {{SIZE_MAX}, {2}}, {{2}, {SIZE_MAX}}, {{SIZE_MAX}, {SIZE_MAX}}};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        size_t *rows, row_count, missed;
        struct error error = {0};
        assert_int_equal(
            cover_pairs(&rows, &row_count, &missed, large[i], 2, is_anything, NULL, 0, &error),
            -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, "fewer values"));
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_products), cmocka_unit_test(test_large_product),
        cmocka_unit_test(test_constraints),   cmocka_unit_test(test_constraints_bite),
        cmocka_unit_test(test_dead_value),    cmocka_unit_test(test_rare_pairs),
        cmocka_unit_test(test_seeds),         cmocka_unit_test(test_one_axis),
        cmocka_unit_test(test_empty),         cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
