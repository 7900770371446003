/* sweep_table: what a race says of rows, kept by row and size. */
#include "autotune/tune/sweep_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 2 };
static struct error error;

/* A place whose interval is 1 % to each side. */
static struct tune_place place_of(const int64_t *row, double ratio)
{
    const uint64_t ps = (uint64_t)(1000000 * ratio);
    return (struct tune_place){row, ps, ps - ps / 100, ps + ps / 100, ratio, 32};
}

static struct tune_result result_of(struct tune_place *places, size_t count)
{
    return (struct tune_result){
        .points = {.width = WIDTH}, .places = places, .place_count = count};
}

static double loss_of(const struct sweep_table *table, const int64_t *row, size_t size)
{
    const struct sweep_losses losses = sweep_table_losses(table);
    for (size_t i = 0; i < losses.rows; i++)
        if (memcmp(sweep_table_row(table, i), row, WIDTH * sizeof *row) == 0)
            return losses.at[i * losses.stride + size];
    return -1;
}

static void test_losses(void **state)
{
    static const int64_t fast[] = {1, 2}, winner[] = {3, 4}, slow[] = {5, 6}, other[] = {7, 8};
    struct tune_place places[] = {place_of(fast, 1), place_of(winner, 1.004),
                                  place_of(slow, 1.2048), place_of(winner, 1.004)};
    const struct tune_result result = result_of(places, 4);
    struct sweep_table table = {.width = WIDTH};
    (void)state;
    assert_null(sweep_table_place(&result, other));
    assert_ptr_equal(sweep_table_place(&result, winner), &places[1]);
    assert_int_equal(sweep_table_take(&table, 5, &result, winner, 2000000, &error), 0);
    assert_int_equal(table.count, 3); /* the winner twice is one row */

    /* Times are the winner's, scaled; losses the upper end. */
    const struct sweep_cell *cell = sweep_table_find(&table, slow, 5);
    assert_non_null(cell);
    assert_int_equal(cell->ps, 2400000);
    assert_in_range(cell->low_ps, 2375990, 2376010);
    assert_in_range(cell->high_ps, 2423990, 2424010);
    assert_int_equal(cell->registers, 32);
    assert_true(fabs(loss_of(&table, slow, 5) - 0.212) < 1e-4);
    assert_true(loss_of(&table, winner, 5) == 0);
    assert_int_equal(sweep_table_find(&table, winner, 5)->ps, 2000000);
    assert_true(fabs(loss_of(&table, fast, 5) - (1.01 / 1.004 - 1)) < 1e-4);
    assert_true(sweep_table_find(&table, fast, 5)->ps < 2000000);

    /* Elsewhere nothing is known. */
    assert_null(sweep_table_find(&table, slow, 4));
    assert_true(isinf(loss_of(&table, slow, 4)));
    assert_null(sweep_table_find(&table, other, 5));
    sweep_table_dispose(&table);
}

/* A second race at a size takes the place of the first; other sizes stay. */
static void test_again(void **state)
{
    static const int64_t a[] = {1, 1}, b[] = {2, 2};
    struct tune_place first[] = {place_of(a, 1), place_of(b, 1.5)};
    struct tune_place second[] = {place_of(b, 1)};
    struct tune_result result = result_of(first, 2);
    struct sweep_table table = {.width = WIDTH};
    (void)state;
    for (size_t size = 0; size < 2; size++)
        assert_int_equal(sweep_table_take(&table, size, &result, a, 100000, &error), 0);
    result = result_of(second, 1);
    assert_int_equal(sweep_table_take(&table, 0, &result, b, 100000, &error), 0);
    assert_null(sweep_table_find(&table, a, 0));
    assert_true(isinf(loss_of(&table, a, 0)));
    assert_true(loss_of(&table, b, 0) == 0);
    assert_true(loss_of(&table, a, 1) == 0);
    assert_true(loss_of(&table, b, 1) > 0.5);
    sweep_table_dispose(&table);
}

/* Sizes behind the one that is left out move up, and the last has room again. */
static void test_dropped(void **state)
{
    static const int64_t a[] = {1, 1}, b[] = {2, 2};
    struct sweep_table table = {.width = WIDTH};
    (void)state;
    for (size_t size = 0; size < SWEEP_SIZES_MAX; size += SWEEP_SIZES_MAX - 1) {
        struct tune_place places[] = {place_of(a, 1), place_of(b, size ? 1.5 : 1.25)};
        const struct tune_result result = result_of(places, 2);
        assert_int_equal(sweep_table_take(&table, size, &result, a, 100000 + size, &error), 0);
    }
    sweep_table_drop(&table, 1, SWEEP_SIZES_MAX);
    assert_int_equal(sweep_table_find(&table, a, 0)->ps, 100000);
    assert_true(loss_of(&table, b, 0) < 0.3);
    assert_int_equal(sweep_table_find(&table, a, SWEEP_SIZES_MAX - 2)->ps,
                     100000 + SWEEP_SIZES_MAX - 1);
    assert_true(loss_of(&table, b, SWEEP_SIZES_MAX - 2) > 0.5);
    assert_null(sweep_table_find(&table, a, SWEEP_SIZES_MAX - 1));
    assert_true(isinf(loss_of(&table, b, SWEEP_SIZES_MAX - 1)));
    sweep_table_drop(&table, 0, SWEEP_SIZES_MAX - 1);
    assert_null(sweep_table_find(&table, a, 0));
    sweep_table_dispose(&table);
}

static void test_many_rows(void **state)
{
    struct sweep_table table = {.width = WIDTH};
    (void)state;
    for (int64_t i = 0; i < 500; i++) {
        const int64_t row[] = {i, -i};
        struct tune_place place = place_of(row, 1);
        const struct tune_result result = result_of(&place, 1);
        assert_int_equal(sweep_table_take(&table, (size_t)i % SWEEP_SIZES_MAX, &result, row,
                                          1000 + (uint64_t)i, &error),
                         0);
    }
    assert_int_equal(table.count, 500);
    for (int64_t i = 500 - SWEEP_SIZES_MAX; i < 500; i++) { /* each the last of its size */
        const int64_t row[] = {i, -i};
        assert_int_equal(sweep_table_find(&table, row, (size_t)i % SWEEP_SIZES_MAX)->ps,
                         1000 + i);
    }
    sweep_table_dispose(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_many_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
