/* Tests of cover: every pair of the configs given occurs in some config chosen, none chosen
 * could be left out, choices are small and made in bounded work, the same seed makes the
 * same. */
#include "generator/pair_cover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum {
    WIDTH_MAX = 20,
    VALUES_MAX = 16,
    PAIRS = WIDTH_MAX * WIDTH_MAX * VALUES_MAX * VALUES_MAX
};

static struct error error;

/* Rows of a product of axes for which `is_valid` holds. */
struct product {
    size_t counts[WIDTH_MAX], width;
    bool (*is_valid)(const unsigned char *row);
};

struct choice {
    struct cover *cover;
    size_t width, rows, *chosen, count;
};

static struct cover *open_cover(const size_t *counts, size_t width)
{
    struct cover *cover;
    if (cover_open(&cover, counts, width, &error))
        fail_msg("%s", error.text);
    return cover;
}

static void choose(struct choice *choice, unsigned seed)
{
    free(choice->chosen);
    if (cover_choose(&choice->chosen, &choice->count, choice->cover, seed, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < choice->count; i++)
        assert_true(choice->chosen[i] < choice->rows);
}

static bool next_row(const struct product *product, unsigned char *row)
{
    for (size_t i = 0; i < product->width; i++) {
        if (++row[i] < product->counts[i])
            return true;
        row[i] = 0;
    }
    return false;
}

/* All valid rows; `is_asked_for`: or those that bring a pair alone. */
static struct choice list_rows(const struct product *product, bool is_asked_for)
{
    struct choice choice = {.width = product->width,
                            .cover = open_cover(product->counts, product->width)};
    unsigned char row[WIDTH_MAX] = {0};
    do {
        if (product->is_valid && !product->is_valid(row))
            continue;
        const int kept = cover_add(choice.cover, row, is_asked_for, &error);
        assert_in_range(kept, is_asked_for, 1);
        if (kept)
            assert_memory_equal(cover_config(choice.cover, choice.rows), row, product->width);
        choice.rows += (size_t)kept;
    } while (next_row(product, row));
    return choice;
}

static void dispose(struct choice *choice)
{
    cover_close(choice->cover);
    free(choice->chosen);
}

/* --- What must hold, counted anew --------------------------------------------------------- */

static size_t find_pair(size_t a, size_t va, size_t b, size_t vb)
{
    return ((a * WIDTH_MAX + b) * VALUES_MAX + va) * VALUES_MAX + vb;
}

/* How many of the rows hold each pair of values. */
static uint32_t *count_pairs(const struct choice *choice, const size_t *rows, size_t count)
{
    uint32_t *held = calloc(PAIRS, sizeof *held);
    assert_non_null(held);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *row = cover_config(choice->cover, rows ? rows[i] : i);
        for (size_t b = 0; b < choice->width; b++)
            for (size_t a = 0; a <= b; a++) /* a == b: the value alone */
                held[find_pair(a, row[a], b, row[b])]++;
    }
    return held;
}

static size_t count_held(const uint32_t *held)
{
    size_t count = 0;
    for (size_t i = 0; i < PAIRS; i++)
        count += held[i] > 0;
    return count;
}

/* The choice holds the pairs of all rows, and each of its rows one that no other holds. */
static void assert_covered(const struct choice *choice)
{
    uint32_t *given = count_pairs(choice, NULL, choice->rows);
    uint32_t *chosen = count_pairs(choice, choice->chosen, choice->count);
    assert_int_equal(count_held(given), count_held(chosen));
    for (size_t i = 0; i < choice->count; i++) {
        const unsigned char *row = cover_config(choice->cover, choice->chosen[i]);
        bool is_needed = choice->width < 2;
        for (size_t b = 0; b < choice->width; b++)
            for (size_t a = 0; a <= b; a++)
                is_needed |= chosen[find_pair(a, row[a], b, row[b])] == 1;
        assert_true(is_needed);
    }
    free(given);
    free(chosen);
}

/* Pairs of two columns that no row holds. */
static size_t count_missed(const struct product *product, const struct choice *choice)
{
    uint32_t *given = count_pairs(choice, NULL, choice->rows);
    size_t missed = 0;
    for (size_t b = 1; b < product->width; b++)
        for (size_t a = 0; a < b; a++)
            for (size_t va = 0; va < product->counts[a]; va++)
                for (size_t vb = 0; vb < product->counts[b]; vb++)
                    missed += !given[find_pair(a, va, b, vb)];
    free(given);
    return missed;
}

/* --- Products ----------------------------------------------------------------------------- */

/* Shaped like a kernel's space: block, items, vector, unroll, warp step, load, two switches,
 * grid. */
static bool is_kernel(const unsigned char *row)
{
    const unsigned block = 64u << row[0], items = 4u << row[1], vector = 1u << row[2];
    const unsigned unroll = 1u << row[3];
    return items % (vector * unroll) == 0 && block * items <= 16384 && row[4] != 3 &&
           !(row[4] == 1 && row[6] == 1) && !(row[5] == 2 && vector < 4) &&
           !(row[7] == 1 && row[8] == 0);
}

/* Each value at most one away from the column before. */
static bool is_chain(const unsigned char *row)
{
    for (size_t i = 1; i < 6; i++)
        if (row[i] + 1 < row[i - 1] || row[i] > row[i - 1] + 1)
            return false;
    return true;
}

/* No change of one value leads from one row to another. */
static bool is_sum(const unsigned char *row)
{
    return (row[0] + row[1] + row[2] + row[3] + row[4] + row[5]) % 5 == 0;
}

static bool is_single(const unsigned char *row)
{
    return row[0] == 4 && row[1] == 0 && row[2] == 6 && row[3] == 2;
}

static bool is_odd(const unsigned char *row)
{
    return row[0] % 2 == 1;
}

static bool is_nothing(const unsigned char *row)
{
    (void)row;
    return false;
}

static const struct {
    struct product product;
    size_t least, most, missed; /* rows chosen; pairs, or 1: some */
} cases[] = {
    {{{10, 10}, 2, NULL}, 100, 100, 0},
    {{{7, 6}, 2, NULL}, 42, 42, 0},
    {{{7, 6, 2, 3, 2}, 5, NULL}, 42, 46, 0},
    {{{5, 5, 3, 5, 4, 3, 2, 2, 8}, 9, NULL}, 40, 56, 0},
    {{{3, 3, 3, 3}, 4, NULL}, 9, 11, 0},
    {{{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 15, NULL}, 7, 12, 0},
    {{{10, 1, 1, 2}, 4, NULL}, 20, 20, 0},
    {{{1, 1, 1}, 3, NULL}, 1, 1, 0},
    {{{5, 5, 3, 5, 4, 3, 2, 2, 8}, 9, is_kernel}, 40, 60, 1},
    {{{4, 4, 4, 4, 4, 4}, 6, is_chain}, 16, 32, 1},
    {{{5, 6, 7, 5, 5, 8}, 6, is_sum}, 56, 90, 0},
    {{{5, 6, 7, 5}, 4, is_single}, 1, 1, 1},
    {{{7}, 1, is_odd}, 3, 3, 4},
    {{{3, 4}, 2, is_nothing}, 0, 0, 12},
};

static void test_products(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct product *product = &cases[i].product;
        struct choice choice = list_rows(product, true);
        const size_t missed = cover_missed(choice.cover);
        if (product->width > 1)
            assert_int_equal(missed, count_missed(product, &choice));
        if (cases[i].missed == 1)
            assert_true(missed > 10);
        else
            assert_int_equal(missed, cases[i].missed);
        for (unsigned seed = 0; seed < 2; seed++) {
            choose(&choice, seed);
            assert_in_range(choice.count, cases[i].least, cases[i].most);
            assert_covered(&choice);
        }
        dispose(&choice);
    }
}

/* Rows that are not asked for stay if they bring a pair: then none is lost. */
static void test_only_news(void **state)
{
    (void)state;
    const struct product product = {{5, 5, 3, 5, 4, 3, 2, 2, 8}, 9, is_kernel};
    struct choice all = list_rows(&product, true), few = list_rows(&product, false);
    assert_true(few.rows * 20 < all.rows);
    assert_int_equal(cover_missed(few.cover), cover_missed(all.cover));
    uint32_t *held = count_pairs(&all, NULL, all.rows);
    uint32_t *still = count_pairs(&few, NULL, few.rows);
    assert_int_equal(count_held(held), count_held(still));
    free(held);
    free(still);
    choose(&few, 1);
    assert_covered(&few);
    dispose(&all);
    dispose(&few);
}

/* 500,000 rows of 17 columns; the best arrays known for 8 values each have over 100 rows. */
static void test_many_rows(void **state)
{
    (void)state;
    enum { ROWS = 500000, WIDTH = 17 };
    size_t counts[WIDTH];
    uint32_t random = 1;
    for (size_t i = 0; i < WIDTH; i++)
        counts[i] = 8;
    struct choice choice = {.width = WIDTH, .rows = ROWS, .cover = open_cover(counts, WIDTH)};
    const clock_t start = clock();
    for (size_t i = 0; i < ROWS; i++) {
        unsigned char row[WIDTH];
        for (size_t k = 0; k < WIDTH; k++)
            row[k] = (unsigned char)((random = random * 1664525 + 1013904223) >> 29);
        assert_int_equal(cover_add(choice.cover, row, true, &error), 1);
    }
    choose(&choice, 1);
    assert_true(clock() - start < 20 * CLOCKS_PER_SEC); /* under 1 s when optimised */
    assert_int_equal(cover_missed(choice.cover), 0);
    assert_in_range(choice.count, 100, 190);
    assert_covered(&choice);
    dispose(&choice);
}

static void test_seeds(void **state)
{
    (void)state;
    const struct product product = {{5, 5, 3, 5, 4, 3, 2, 2, 8}, 9, is_kernel};
    struct choice a = list_rows(&product, true), b = list_rows(&product, true);
    choose(&a, 7);
    choose(&b, 7);
    assert_int_equal(a.count, b.count);
    assert_memory_equal(a.chosen, b.chosen, a.count * sizeof *a.chosen);
    choose(&b, 8);
    assert_true(a.count != b.count ||
                memcmp(a.chosen, b.chosen, a.count * sizeof *a.chosen) != 0);
    dispose(&a);
    dispose(&b);
}

/* No columns: rows are all alike, and one shows them. */
static void test_no_columns(void **state)
{
    (void)state;
    struct choice choice = {.cover = open_cover(NULL, 0)};
    choose(&choice, 1);
    assert_int_equal(choice.count, 0);
    assert_null(choice.chosen);
    for (choice.rows = 0; choice.rows < 3; choice.rows++)
        assert_int_equal(cover_add(choice.cover, NULL, true, &error), 1);
    choose(&choice, 1);
    assert_int_equal(choice.count, 1);
    dispose(&choice);
}

static void test_too_many(void **state)
{
    (void)state;
    size_t counts[300] = {COVER_VALUES_MAX + 1, 2};
    struct cover *cover;
    assert_int_equal(cover_open(&cover, counts, 2, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_non_null(strstr(error.text, "fewer values"));
    for (size_t i = 0; i < 300; i++) /* 300 x 299 / 2 pairs of columns of 400 pairs each */
        counts[i] = 20;
    assert_int_equal(cover_open(&cover, counts, 300, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    counts[1] = COVER_VALUES_MAX;
    assert_int_equal(cover_open(&cover, counts, 2, &error), 0);
    cover_close(cover);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),   cmocka_unit_test(test_only_news),
        cmocka_unit_test(test_many_rows),  cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_no_columns), cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
