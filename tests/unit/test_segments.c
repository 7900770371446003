/* Tests of the cases by which kernels of segments are proven, of the lengths of full inputs, and of the launches:
 * a plain loop finds the results that cases expect, and they have what shows a wrong kernel. */
#include "autotune/verify/oracle.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

static struct error error;

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint32_t add_up(const int32_t *x, uint64_t n, const uint64_t *borders)
{
    uint32_t sum = 0;
    for (uint64_t i = least(borders[0], n); i < least(borders[1], n); i++)
        sum += (uint32_t)x[i];
    return sum;
}

/* What a case has. */
struct seen {
    uint64_t results, empty_most, longest, leads, unaligned, open;
};

static void see_case(struct seen *seen, const struct oracle_cases *cases,
                     const struct oracle_case *c)
{
    const uint64_t count = dims_results(&c->dims), *borders = cases->borders + c->borders;
    uint64_t empty = 0;
    assert_true(dims_is_segmented(&c->dims));
    assert_true(c->borders + count < cases->border_count);
    assert_true(c->offset + c->dims.depth.n <= cases->element_count);
    seen->open += c->is_open;
    for (uint64_t r = 0; r < count && !c->is_open; r++, seen->results++) {
        const uint64_t length = borders[r + 1] - borders[r];
        assert_true(borders[r] <= borders[r + 1] && borders[r + 1] <= c->dims.depth.n);
        assert_int_equal(cases->expects[c->first + r],
                         add_up((const int32_t *)cases->elements + c->offset, c->dims.depth.n,
                                borders + r));
        empty = length ? 0 : empty + 1;
        seen->empty_most = empty > seen->empty_most ? empty : seen->empty_most;
        seen->longest = length > seen->longest ? length : seen->longest;
        seen->unaligned += length > 0 && (c->offset + borders[r]) % 4 != 0;
    }
    seen->leads += !c->is_open && borders[0] > 0;
}

static void test_cases_expect_sums(void **state)
{
    enum { TILE = 320 };
    const struct oracle_shape shape = {.tile = TILE, .positions_max = 64, .at_once = TILE};
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = dims_segments(3, 30),
                                    .offsets = I64};
    struct oracle_cases cases;
    struct seen seen = {0};
    (void)state;
    assert_int_equal(oracle_make_cases(&cases, &problem, &shape, 3, &error), 0);
    for (size_t i = 0; i < cases.count; i++)
        see_case(&seen, &cases, &cases.cases[i]);
    assert_true(seen.results > 5000 && seen.empty_most > 1000);
    assert_true(seen.longest >
                UINT64_C(64) * TILE); /* over more blocks than one look has threads */
    assert_true(seen.leads > 10 && seen.unaligned > 100 && seen.open > 3);
    oracle_dispose_cases(&cases);
}

static void test_lengths(void **state)
{
    enum { COUNT = 1000, N = 64000 };
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = dims_segments(COUNT, N),
                                    .offsets = U32};
    static const uint64_t longest[LENGTHS_COUNT] =
        {[LENGTHS_EQUAL] = 64, [LENGTHS_UNIFORM] = 150, [LENGTHS_SKEWED] = N};
    (void)state;
    for (int kind = LENGTHS_EQUAL; kind < LENGTHS_COUNT; kind++) {
        uint64_t borders[COUNT + 1], most = 0, empty = 0;
        uint32_t offsets[COUNT + 1];
        oracle_make_borders(borders, &problem, (enum lengths)kind, 7);
        oracle_store_borders(&problem, borders, COUNT + 1, offsets);
        assert_int_equal(borders[0], 0);
        assert_int_equal(borders[COUNT], N);
        for (size_t i = 0; i < COUNT; i++) {
            assert_true(borders[i] <= borders[i + 1]);
            assert_int_equal(offsets[i], borders[i]);
            const uint64_t length = borders[i + 1] - borders[i];
            most = length > most ? length : most;
            empty += length == 0;
        }
        assert_true(most <= longest[kind]);
        assert_int_equal(most >= N / 2, kind == LENGTHS_SKEWED);
        assert_int_equal(empty > COUNT / 2, kind == LENGTHS_SKEWED);
    }
}

/* No elements, no segments but one, and far more of either: the launch writes each result once. */
static void test_dims(void **state)
{
    static const struct {
        uint64_t count, n;
    } all[] = {{1, 0}, {1, 1}, {1000, 1}, {1, 1000}, {1000, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct dims dims = dims_segments(all[i].count, all[i].n);
        const struct dims canonical = dims_canonical(&dims), left = dims_left(&dims, 1);
        assert_true(dims_is_same(&dims, &canonical) && dims_is_segmented(&dims));
        assert_int_equal(dims_n(&dims), all[i].n);
        assert_int_equal(dims_extent(&dims), all[i].n);
        assert_int_equal(dims_results(&dims), all[i].count);
        assert_false(dims_is_value(&dims) || dims_are_reduced(&dims));
        assert_true(dims_are_reduced(&left) && !dims_is_segmented(&left));
        assert_int_equal(dims_results(&left), all[i].count);
    }
    const struct dims other = dims_value(9), some = dims_segments(1, 9),
                      more = dims_segments(7, 2);
    assert_false(dims_is_alike(&other, &some));
    assert_true(dims_is_alike(&some, &more));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases_expect_sums),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_dims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
