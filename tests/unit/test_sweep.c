/* sweep: the sizes, the borders, and the intervals against all ways to cut. */
#include "cache/sweep.h"
#include "generator/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* --- Sizes -------------------------------------------------------------------------------- */

static void assert_sizes(uint64_t low, uint64_t high, const uint64_t *expected, size_t count)
{
    uint64_t sizes[SWEEP_SIZES_MAX];
    assert_int_equal(sweep_sizes(sizes, low, high), count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(sizes[i], expected[i]);
}

static void test_sizes(void **state)
{
    static const uint64_t decimal[] = {1000,      2000,      4000,      10000,      20000,
                                       40000,     100000,    200000,    400000,     1000000,
                                       2000000,   4000000,   10000000,  20000000,   40000000,
                                       100000000, 200000000, 400000000, 1000000000, 2000000000,
                                       4000000000};
    static const uint64_t binary[] = {1024, 2048, 4096, 5000};
    static const uint64_t between[] = {3000, 4000, 10000, 15000};
    static const uint64_t small[] = {1, 2, 4, 10, 12};
    static const uint64_t one[] = {7};
    (void)state;
    assert_sizes(1000, 4000000000, decimal, 21);
    assert_sizes(1024, 5000, binary, 4);
    assert_sizes(3000, 15000, between, 4);
    assert_sizes(1, 12, small, 5);
    assert_sizes(7, 7, one, 1);
}

/* Whatever the ends: ascending, the ends in it, no gap wider than 2.5, and room for all. */
static void test_sizes_of_any_range(void **state)
{
    static const uint64_t ends[] =
        {1,         2, 3, 5, 64, 1000, 1024, 999999, 1ull << 40, 1ull << 59, (1ull << 63) + 1,
         UINT64_MAX};
    enum { ENDS = sizeof ends / sizeof *ends };
    (void)state;
    for (size_t a = 0; a < ENDS; a++)
        for (size_t b = a; b < ENDS; b++) {
            uint64_t sizes[SWEEP_SIZES_MAX];
            const size_t count = sweep_sizes(sizes, ends[a], ends[b]);
            assert_true(count >= 1 && count <= SWEEP_SIZES_MAX);
            assert_int_equal(sizes[0], ends[a]);
            assert_int_equal(sizes[count - 1], ends[b]);
            for (size_t i = 1; i < count; i++) {
                assert_true(sizes[i - 1] < sizes[i]);
                assert_true((double)sizes[i] <= 2.5 * (double)sizes[i - 1]);
            }
        }
}

static void test_nearest(void **state)
{
    static const uint64_t sizes[] = {1000, 2000, 4000, 10000};
    (void)state;
    assert_int_equal(sweep_nearest(sizes, 4, 1), 0);
    assert_int_equal(sweep_nearest(sizes, 4, 2000), 1);
    assert_int_equal(sweep_nearest(sizes, 4, 2828), 1);
    assert_int_equal(sweep_nearest(sizes, 4, 2829), 2);
    assert_int_equal(sweep_nearest(sizes, 4, 1000000000), 3);
    assert_int_equal(sweep_nearest(sizes, 1, 5), 0);
}

static void test_border(void **state)
{
    (void)state;
    assert_int_equal(sweep_border(1000, 4000), 2000);
    assert_int_equal(sweep_border(1000, 2000), 1414);
    assert_int_equal(sweep_border(1, 2), 1);
    assert_int_equal(sweep_border(7, 8), 7);
    assert_int_equal(sweep_border(1ull << 58, 1ull << 59), 0x5a827999fcef324);
    for (uint64_t low = 1; low < 60; low++)
        for (uint64_t high = low + 1; high < 200; high++) {
            const uint64_t border = sweep_border(low, high);
            assert_true(low <= border && border < high);
            if (low % 2 != high % 2) {
                assert_int_equal(border, low % 2 ? high - 1 : low);
                continue;
            }
            assert_true(border * border <= low * high);
            assert_true(border + 1 == high || (border + 1) * (border + 1) > low * high);
        }
}

/* Odd, between both, and none where these are near. */
static void test_half_way(void **state)
{
    (void)state;
    assert_int_equal(sweep_half_way(1000, 4000, 1.1), 2001);
    assert_int_equal(sweep_half_way(1001, 1101, 1.1), 0);
    assert_int_equal(sweep_half_way(1001, 1102, 1.1), 1051);
    assert_int_equal(sweep_half_way(5, 5, 1), 0);
    assert_int_equal(sweep_half_way(1, 2, 1.1), 0);
    assert_int_equal(sweep_half_way(1, 3, 1.1), 0);
    assert_int_equal(sweep_half_way(2, 4, 1.1), 3);
    assert_int_equal(sweep_half_way(1ull << 62, 1ull << 63, 1.1) % 2, 1);
    for (uint64_t low = 1; low < 60; low++)
        for (uint64_t high = low; high < 200; high++) {
            const uint64_t half = sweep_half_way(low, high, 1.1);
            assert_true(half == 0 || (half % 2 && low < half && half < high));
            assert_true(half == 0 || 10 * high > 11 * low);
        }
}

static void test_line(void **state)
{
    (void)state;
    assert_true(sweep_line(3, 2, 20, 4, 40) == 30);
    assert_true(sweep_line(10, 0, 0, 4, 40) == 100);
    assert_true(sweep_line(4, 2, 20, 4, 40) == 40);
}

/* --- Intervals ---------------------------------------------------------------------------- */

enum { ROWS = 6, SIZES = 9 };
static const double LIMIT = 0.01;

/* The sizes of a table of losses by config and size; what is INFINITY was not raced. */
static void list(struct sweep_size sizes[SIZES], struct sweep_loss pool[ROWS * SIZES],
                 const double *losses, size_t rows, size_t count, size_t stride, double limit)
{
    for (size_t size = 0; size < count; size++) {
        sizes[size] = (struct sweep_size){.at = pool, .limit = limit};
        for (size_t row = 0; row < rows; row++)
            if (isfinite(losses[row * stride + size])) {
                *pool++ = (struct sweep_loss){row, losses[row * stride + size]};
                sizes[size].count++;
            }
    }
}

static size_t cut(struct sweep_interval *out, const double *losses, size_t rows, size_t count,
                  size_t stride, double limit)
{
    struct sweep_size sizes[SIZES];
    struct sweep_loss pool[ROWS * SIZES], room[ROWS];
    list(sizes, pool, losses, rows, count, stride, limit);
    return sweep_intervals(out, sizes, count, room);
}

/* Random losses; each size has a winner, which loses nothing. */
static void make_losses(double out[ROWS * SIZES], uint64_t *random, unsigned unknown_percent)
{
    for (size_t i = 0; i < ROWS * SIZES; i++) {
        out[i] = (double)(random_next(random) % 1000) / 50000; /* half lose too much */
        if (random_next(random) % 100 < unknown_percent)
            out[i] = INFINITY;
    }
    for (size_t size = 0; size < SIZES; size++)
        out[random_next(random) % ROWS * SIZES + size] = 0;
}

static bool is_served(const double *losses, size_t first, size_t last)
{
    for (size_t row = 0; row < ROWS; row++) {
        bool is = true;
        for (size_t size = first; size <= last; size++)
            is = is && losses[row * SIZES + size] <= LIMIT;
        if (is)
            return true;
    }
    return false;
}

/* Every way to cut: a bit for each border. */
static size_t fewest_by_force(const double *losses)
{
    size_t fewest = SIZES;
    for (unsigned cuts = 0; cuts < 1u << (SIZES - 1); cuts++) {
        size_t count = 0, first = 0;
        bool is = true;
        for (size_t size = 0; size < SIZES; size++)
            if (size == SIZES - 1 || cuts & 1u << size) {
                is = is && is_served(losses, first, size);
                first = size + 1;
                count++;
            }
        if (is && count < fewest)
            fewest = count;
    }
    return fewest;
}

static void assert_holds(const double *losses, const struct sweep_interval *intervals,
                         size_t count)
{
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        double worst = 0;
        assert_int_equal(intervals[i].first, next);
        assert_true(intervals[i].last >= next && intervals[i].last < SIZES);
        for (size_t size = next; size <= intervals[i].last; size++)
            worst = fmax(worst, losses[intervals[i].config * SIZES + size]);
        assert_true(worst <= LIMIT);
        assert_true(worst == intervals[i].loss);
        for (size_t row = 0; row < ROWS; row++) { /* no other serves it and loses less */
            double other = 0;
            for (size_t size = next; size <= intervals[i].last; size++)
                other = fmax(other, losses[row * SIZES + size]);
            assert_true(other >= worst);
        }
        next = intervals[i].last + 1;
    }
    assert_int_equal(next, SIZES);
}

static void test_fewest(void **state)
{
    uint64_t random = 1;
    size_t seen[SIZES + 1] = {0};
    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        double losses[ROWS * SIZES];
        struct sweep_interval intervals[SWEEP_SIZES_MAX];
        make_losses(losses, &random, round % 60);
        const size_t count = cut(intervals, losses, ROWS, SIZES, SIZES, LIMIT);
        assert_holds(losses, intervals, count);
        assert_int_equal(count, fewest_by_force(losses));
        seen[count]++;
    }
    assert_true(seen[3] && seen[4] && seen[5] && seen[6]); /* no test of one case alone */
}

static void test_one_for_all_and_one_for_each(void **state)
{
    double losses[3 * 3] = {0, 0.01, 0.005, 0, 0.01, 0.004, 1, 0, 0};
    struct sweep_interval intervals[SWEEP_SIZES_MAX];
    (void)state;
    assert_int_equal(cut(intervals, losses, 3, 3, 3, 0.01), 1);
    assert_int_equal(intervals[0].config, 0); /* of two that lose as much the first */
    assert_true(intervals[0].loss == 0.01);
    assert_int_equal(cut(intervals, losses, 3, 3, 3, 0.004), 2);
    assert_int_equal(intervals[0].last, 0);
    assert_int_equal(intervals[1].config, 2);
    assert_int_equal(cut(intervals, losses, 3, 1, 3, 0), 1);
    assert_int_equal(cut(intervals, losses, 3, 0, 3, 0), 0);
}

/* Where none serves, the one that loses least does, alone: the others are not harmed. */
static void test_unserved_size(void **state)
{
    double losses[2 * 3] = {0, 0.5, 0, 0.2, 0.3, INFINITY};
    struct sweep_interval intervals[SWEEP_SIZES_MAX];
    (void)state;
    assert_int_equal(cut(intervals, losses, 2, 3, 3, 0.01), 3);
    assert_int_equal(intervals[1].config, 1);
    assert_true(intervals[1].loss == 0.3);
    assert_int_equal(intervals[2].config, 0);
}

/* Each size has its own limit, and what was measured otherwise is not compared. */
static void test_limits_and_parts(void **state)
{
    const double losses[2 * 3] = {0, 0.02, 0, INFINITY, 0, 0.03};
    struct sweep_size sizes[SIZES];
    struct sweep_loss pool[ROWS * SIZES], room[ROWS];
    struct sweep_interval intervals[SIZES];
    (void)state;
    list(sizes, pool, losses, 2, 3, 3, 0.05);
    assert_int_equal(sweep_intervals(intervals, sizes, 3, room), 1);
    sizes[1].limit = 0.01;
    assert_int_equal(sweep_intervals(intervals, sizes, 3, room), 2);
    assert_int_equal(intervals[1].config, 1);
    sizes[1].limit = 0.05;
    sizes[2].is_apart = true;
    assert_int_equal(sweep_intervals(intervals, sizes, 3, room), 2);
    assert_int_equal(intervals[0].last, 1);
    assert_int_equal(intervals[1].config, 0);
}

/* The rows that reach the end of what is known, and no others, the best first. */
static void test_survivors(void **state)
{
    uint64_t random = 2;
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        double losses[ROWS * SIZES];
        struct sweep_interval intervals[SWEEP_SIZES_MAX];
        size_t rows[ROWS + 1];
        make_losses(losses, &random, 5);
        struct sweep_size listed[SIZES];
        struct sweep_loss pool[ROWS * SIZES], room[ROWS];
        const size_t sizes = 1 + random_next(&random) % SIZES;
        list(listed, pool, losses, ROWS, sizes, SIZES, LIMIT);
        const size_t count = sweep_survivors(room, listed, sizes);
        for (size_t i = 0; i < count; i++)
            rows[i] = room[i].config;
        const size_t first =
            intervals[cut(intervals, losses, ROWS, sizes, SIZES, LIMIT) - 1].first;
        double worst[ROWS], last = 0;
        size_t all = 0;
        for (size_t row = 0; row < ROWS; row++) {
            worst[row] = 0;
            for (size_t size = first; size < sizes; size++)
                worst[row] = fmax(worst[row], losses[row * SIZES + size]);
            all += worst[row] <= LIMIT;
        }
        assert_int_equal(count, all);
        assert_true(count >= 1);
        for (size_t i = 0; i < count; i++) {
            size_t better = 0;
            assert_true(worst[rows[i]] <= LIMIT && worst[rows[i]] >= last);
            assert_true(worst[rows[i]] == room[i].loss);
            for (size_t k = 0; k < i; k++)
                assert_int_not_equal(rows[i], rows[k]);
            for (size_t row = 0; row < ROWS; row++)
                better += worst[row] < worst[rows[i]];
            assert_true(better <= i);
            last = worst[rows[i]];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_sizes_of_any_range),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_border),
        cmocka_unit_test(test_half_way),
        cmocka_unit_test(test_line),
        cmocka_unit_test(test_fewest),
        cmocka_unit_test(test_one_for_all_and_one_for_each),
        cmocka_unit_test(test_unserved_size),
        cmocka_unit_test(test_limits_and_parts),
        cmocka_unit_test(test_survivors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
