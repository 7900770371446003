/* selector: which of some entries serves, and how well it fits. */
#include "generator/selector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { COLD, WARM, HERE = 7, ELSEWHERE };

static struct selector_key key_of(struct dims dims)
{
    return (struct selector_key){dims_canonical(&dims), COLD, 90, 132, HERE};
}

static struct selector_entry entry_of(struct dims dims)
{
    const struct selector_key key = key_of(dims);
    return (struct selector_entry){key, key.dims.depth.n, key.dims.depth.n, 0, 0, 0};
}

static struct dims rows_of(uint64_t rows, uint64_t length)
{
    return (struct dims){{rows, length}, {length, 1}, {1, 1}, DIMS_ALL, DIMS_WHOLE};
}

static struct dims columns_of(uint64_t rows, uint64_t length)
{
    return (struct dims){{1, 1}, {rows, length}, {length, 1}, DIMS_ALL, DIMS_WHOLE};
}

static enum selector_grade choose(size_t *out, const struct selector_key *want,
                                  const struct selector_entry *entries, size_t count)
{
    struct selector_place best = selector_rank(want, &entries[0]);
    *out = 0;
    for (size_t i = 1; i < count; i++) {
        const struct selector_place rank = selector_rank(want, &entries[i]);
        if (selector_is_better(&rank, &best)) {
            best = rank;
            *out = i;
        }
    }
    return best.grade;
}

/* Each entry is better than all behind it, wherever it stands. */
static void assert_order(const struct selector_key *want, const struct selector_entry *entries,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            const struct selector_place a = selector_rank(want, &entries[i]);
            const struct selector_place b = selector_rank(want, &entries[k]);
            if (selector_is_better(&a, &b) != (i < k))
                fail_msg("%zu against %zu", i, k);
        }
}

static void test_grades(void **state)
{
    const struct selector_key want = key_of(dims_value(1000));
    struct selector_entry entries[15];
    (void)state;
    for (size_t i = 0; i < 15; i++)
        entries[i] = entry_of(dims_value(1000));
    entries[1].is_stale = 1;
    entries[2].from = 1; /* an interval: its own depth went before */
    entries[2].to = 2000;
    entries[3].is_shipped = 1; /* for this GPU: before what is farther */
    entries[4].is_shipped = entries[4].is_class = 1;
    entries[5] = entry_of(dims_value(1001));
    entries[6] = entry_of(dims_value(3999));
    entries[7].key.gpu = ELSEWHERE;
    entries[8].key.gpu = ELSEWHERE;
    entries[8].key.sms = 66;
    for (size_t i = 9; i < 13; i++)
        entries[i].is_shipped = 1;
    entries[9].key.gpu = ELSEWHERE;
    entries[10].key.cc = 89;
    entries[11].key.cc = 70;
    entries[12].key.cc = 100; /* newer: where its rules allow it, behind all that are older */
    entries[13].key.regime = WARM; /* far: behind all that ships */
    entries[14] = entry_of(dims_value(4001));
    assert_order(&want, entries, 15);
    static const enum selector_grade grades[] = {SELECTOR_EXACT,      SELECTOR_STALE,
                                                 SELECTOR_OTHER_SIZE, SELECTOR_SHIPPED,
                                                 SELECTOR_CLASS,      SELECTOR_OTHER_SIZE,
                                                 SELECTOR_OTHER_SIZE, SELECTOR_SAME_CC,
                                                 SELECTOR_SAME_CC,    SELECTOR_SHIPPED,
                                                 SELECTOR_SHIPPED,    SELECTOR_SHIPPED,
                                                 SELECTOR_SHIPPED,    SELECTOR_OTHER_SIZE,
                                                 SELECTOR_OTHER_SIZE};
    for (size_t i = 0; i < 15; i++)
        assert_int_equal(selector_rank(&want, &entries[i]).grade, grades[i]);
    entries[0] = entry_of(dims_value(1000));
    entries[0].key.cc = 80; /* not shipped: of another architecture */
    assert_int_equal(selector_rank(&want, &entries[0]).grade, SELECTOR_NONE);
}

/* By the factor, from the nearer end of an interval; a regime is a factor of four. */
static void test_nearest_depth(void **state)
{
    static const struct {
        uint64_t want;
        struct {
            uint64_t n, from, to;
            int regime;
        } entries[4];
        size_t expected;
    } cases[] = {
        {400, {{100, 100, 100, COLD}, {300, 300, 300, COLD}, {600, 600, 600, COLD}}, 1},
        {400, {{40, 40, 40, COLD}, {3900, 3900, 3900, COLD}}, 1},
        {400,
         {{1, 1, 1, COLD}, {UINT64_C(1) << 62, UINT64_C(1) << 62, UINT64_C(1) << 62, COLD}},
         0},
        {400, {{400, 400, 400, WARM}, {200, 200, 200, COLD}, {50, 50, 50, COLD}}, 1},
        {400, {{400, 400, 400, WARM}, {200, 200, 200, WARM}, {50, 50, 50, COLD}}, 0},
        {400, {{401, 401, 401, COLD}, {300, 200, 400, COLD}}, 1},
        {400, {{400, 400, 400, COLD}, {300, 200, 500, COLD}}, 0},
        {400, {{385, 385, 385, COLD}, {300, 200, 390, COLD}}, 1},
        {400, {{395, 395, 395, COLD}, {300, 200, 390, COLD}}, 0},
        {0, {{2, 2, 2, COLD}, {1, 1, 1, COLD}}, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct selector_key want = key_of(dims_value(cases[i].want));
        struct selector_entry entries[4];
        size_t count = 0, best;
        for (; count < 4 && cases[i].entries[count].n; count++) {
            entries[count] = entry_of(dims_value(cases[i].entries[count].n));
            entries[count].from = cases[i].entries[count].from;
            entries[count].to = cases[i].entries[count].to;
            entries[count].key.regime = cases[i].entries[count].regime;
        }
        choose(&best, &want, entries, count);
        assert_int_equal(best, cases[i].expected);
    }
}

/* What a result is like decides more than how many there are, along either axis. */
static void test_nearest_dims(void **state)
{
    static const uint64_t tuned[][2] = {{1000, 128}, {4000, 128}, {16000, 128},
                                        {1000, 512}, {4000, 512}, {16000, 512}};
    enum { TUNED = sizeof tuned / sizeof *tuned };
    static const struct {
        uint64_t results, depth;
        size_t expected;
    } cases[] = {{1000, 128, 0}, {3000, 160, 1}, {3000, 400, 4},    {1500, 128, 0},
                 {9000, 512, 5}, {100, 500, 3},  {1000000, 120, 2}, {2500, 256, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct selector_entry rows[TUNED], columns[TUNED];
        size_t best;
        for (size_t k = 0; k < TUNED; k++) {
            rows[k] = entry_of(rows_of(tuned[k][0], tuned[k][1]));
            columns[k] = entry_of(columns_of(tuned[k][1], tuned[k][0]));
        }
        struct selector_key want = key_of(rows_of(cases[i].results, cases[i].depth));
        choose(&best, &want, rows, TUNED);
        assert_int_equal(best, cases[i].expected);
        want = key_of(columns_of(cases[i].depth, cases[i].results));
        choose(&best, &want, columns, TUNED);
        assert_int_equal(best, cases[i].expected);
    }
}

static void test_multiprocessors_then_the_first(void **state)
{
    const struct selector_key want = key_of(dims_value(1000));
    struct selector_entry entries[4];
    size_t best;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        entries[i] = entry_of(dims_value(2000));
        entries[i].key.gpu = ELSEWHERE;
        entries[i].key.sms = i == 0 ? 20 : i == 3 ? 131 : 114;
    }
    entries[3] = entry_of(dims_value(2001)); /* the size goes first */
    entries[3].key.gpu = ELSEWHERE;
    assert_int_equal(choose(&best, &want, entries, 4), SELECTOR_SAME_CC);
    assert_int_equal(best, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grades),
        cmocka_unit_test(test_nearest_depth),
        cmocka_unit_test(test_nearest_dims),
        cmocka_unit_test(test_multiprocessors_then_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
