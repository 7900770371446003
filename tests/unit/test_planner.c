/* Tests of planner: which launches come out of passes whose keys are told here, what calls with
 * less keep, and what is refused. */
#include "generator/planner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A pass: parts so that there are `parts` results' parts in all, and what it writes. */
struct pass {
    int64_t parts, outputs, partials,
        state; /* outputs: -1 the results, -2 their parts, -3 a third
                * of what is read, at least 1; else so many */
    int is_repeated;
};

/* A value that a key has in the place of its own, or the parts by PLANNER_KEYS. */
static struct {
    bool is_set;
    enum planner_key key;
    int64_t value;
} other;

static int eval(void *context, int pass, const struct dims *dims, int64_t *parts,
                int64_t keys[PLANNER_KEYS])
{
    const struct pass *at = (const struct pass *)context + pass;
    const int64_t results = (int64_t)dims_results(dims), n = (int64_t)dims_n(dims);
    if (*parts == 0)
        *parts = at->parts ? at->parts / results : 1;
    for (int i = 0; i < PLANNER_KEYS; i++)
        keys[i] = i == PLANNER_GRID ? n + 1 : i == PLANNER_TILE || i == PLANNER_BLOCK;
    keys[PLANNER_OUTPUTS] = at->outputs == -1   ? results
                            : at->outputs == -2 ? results * *parts
                            : at->outputs == -3 ? (n > 3 ? n / 3 : 1)
                                                : at->outputs;
    keys[PLANNER_PARTIALS] = at->partials;
    keys[PLANNER_STATE] = at->state;
    if (other.is_set && other.key == PLANNER_KEYS)
        *parts = other.value;
    else if (other.is_set)
        keys[other.key] = other.value;
    return n == 666;
}

static struct planner_passes passes_of(const struct pass *passes, int count)
{
    struct planner_passes out = {.count = count,
                                 .key_count = PLANNER_KEYS,
                                 .threads_per_block = 1024,
                                 .partial_bytes = 8,
                                 .eval = eval,
                                 .context = (void *)(uintptr_t)passes};
    for (int i = 0; i < count; i++)
        out.is_repeated[i] = passes[i].is_repeated;
    return out;
}

static struct planner_plan plan;
static struct planner_parts parts;

static enum planner_status plan_value(const struct pass *passes, int count, uint64_t n)
{
    const struct planner_passes all = passes_of(passes, count);
    const struct dims dims = dims_value(n);
    return planner_shape(&plan, &parts, &all, &dims);
}

static void test_status(void **state)
{
    static const struct {
        struct pass passes[3];
        int count;
        uint64_t n;
        enum planner_status status;
        int launches, first;
    } cases[] = {
        {{{.outputs = 1}}, 1, 1000, PLANNER_DONE, 1, 0},
        {{{.outputs = 1}}, 1, 0, PLANNER_DONE, 1, 0},
        {{{.outputs = 1}, {.outputs = 1}}, 2, 1000, PLANNER_DONE, 1, 0},
        {{{.outputs = -3, .is_repeated = 1}}, 1, 1000, PLANNER_DONE, 6, 0}, /* 333 111 37 12 4 1
                                                                             */
        {{{.outputs = -3}, {.outputs = -3, .is_repeated = 1}}, 2, 1, PLANNER_DONE, 1, 0},
        {{{.outputs = 0}, {.outputs = 1}}, 2, 5, PLANNER_DONE, 2, 1},
        {{{.outputs = 0, .is_repeated = 1}, {.outputs = 1}}, 2, 5, PLANNER_DONE, 2, 1},
        {{{.outputs = 0}}, 1, 5, PLANNER_NO_OUTPUT, 1, -1},
        {{{.outputs = 2}}, 1, 5, PLANNER_UNFINISHED, 1, 0},
        {{{0}}, 0, 5, PLANNER_UNFINISHED, 0, -1},
        {{{.outputs = 2, .is_repeated = 1}}, 1, 5, PLANNER_TOO_MANY, PLANNER_LAUNCHES, 0},
        {{{.outputs = 1}}, 1, 666, PLANNER_NO_VALUE, 0, -1},
        {{{.outputs = -4}}, 1, 5, PLANNER_OUT_OF_RANGE, 0, -1},
        {{{.outputs = 7}}, 1, 5, PLANNER_OUT_OF_RANGE, 0, -1}, /* more than the 6 blocks */
        {{{.outputs = 1, .state = -1}}, 1, 5, PLANNER_OUT_OF_RANGE, 0, -1},
        {{{.outputs = 1}}, 1, INT32_MAX, PLANNER_OUT_OF_RANGE, 0, -1}, /* blocks */
        {{{.outputs = 1, .parts = -1}}, 1, 5, PLANNER_OUT_OF_RANGE, 0, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(plan_value(cases[i].passes, cases[i].count, cases[i].n),
                         cases[i].status);
        assert_int_equal(plan.count, cases[i].launches);
        assert_int_equal(plan.first, cases[i].first);
    }
}

/* A number past its range is told with it. */
static void test_refused(void **state)
{
    const struct pass many[] = {{.outputs = 7}}, one[] = {{.outputs = 1}};
    (void)state;
    plan_value(many, 1, 5);
    assert_int_equal(plan.refused.key, PLANNER_OUTPUTS);
    assert_int_equal(plan.refused.value, 7);
    assert_int_equal(plan.refused.high, 6);
    plan_value(one, 1, INT32_MAX - 1); /* as many blocks as a grid has */
    assert_int_equal(plan.count, 1);
    struct planner_passes all = passes_of(one, 1);
    const struct dims dims = {{1, 1}, {5, 1}, {1, 1}, DIMS_ALL, {1, 1}};
    all.threads_per_block = 0;
    assert_int_equal(planner_shape(&plan, &parts, &all, &dims), PLANNER_OUT_OF_RANGE);
    assert_int_equal(plan.refused.key, PLANNER_BLOCK);
}

static enum planner_status plan_with(enum planner_key key, int64_t value)
{
    const struct pass one[] = {{.outputs = 1}};
    other.is_set = true;
    other.key = key;
    other.value = value;
    const enum planner_status status = plan_value(one, 1, 5);
    other.is_set = false;
    return status;
}

/* Each key is taken from the least to the greatest of its range, and refused beyond them. */
static void test_ranges(void **state)
{
    static const struct {
        enum planner_key key;
        int64_t low, high;
    } rows[] = {
        {PLANNER_KEYS, 1, INT32_MAX},      {PLANNER_BLOCK, 1, 1024},
        {PLANNER_GRID, 1, INT32_MAX},      {PLANNER_PARTIALS, 0, INT64_MAX / 8},
        {PLANNER_STATE, 0, INT64_MAX / 8}, {PLANNER_SHARED_BYTES, 0, INT32_MAX},
        {PLANNER_CLUSTER, 0, 16},          {PLANNER_TILE, 1, INT64_MAX / 8},
        {PLANNER_RESULTS, 0, INT32_MAX},   {PLANNER_HEIGHT, 0, INT64_MAX / 8},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(plan_with(rows[i].key, rows[i].low), PLANNER_DONE);
        assert_int_equal(plan_with(rows[i].key, rows[i].high), PLANNER_DONE);
        for (int is_high = 0; is_high < 2; is_high++) {
            const int64_t beyond = is_high ? rows[i].high + 1 : rows[i].low - 1;
            assert_int_equal(plan_with(rows[i].key, beyond), PLANNER_OUT_OF_RANGE);
            assert_int_equal(plan.refused.key, rows[i].key);
            assert_int_equal(plan.refused.value, beyond);
            assert_int_equal(plan.refused.low, rows[i].low);
            assert_int_equal(plan.refused.high, rows[i].high);
        }
    }
}

/* Of each result there are as many outputs; a scan of nothing has none. */
static void test_uneven_outputs(void **state)
{
    const struct dims rows = {{3, 100}, {90, 1}, {1, 1}, DIMS_ALL, {1, 1}};
    const struct dims nothing = dims_run(0, DIMS_INCLUSIVE);
    (void)state;
    for (int64_t outputs = 0; outputs < 8; outputs++) {
        const struct pass pass[] = {{.outputs = outputs}};
        const struct planner_passes all = passes_of(pass, 1);
        const enum planner_status status = planner_shape(&plan, &parts, &all, &rows);
        assert_int_equal(status == PLANNER_OUT_OF_RANGE, outputs % 3 != 0);
        if (outputs % 3) {
            assert_int_equal(plan.refused.key, PLANNER_OUTPUTS);
            assert_int_equal(plan.refused.value, outputs);
            assert_int_equal(plan.refused.high, 0);
        }
        int64_t of_pass = 1;
        plan.count = 0;
        assert_int_equal(planner_add(&plan, &all, 0, &nothing, &of_pass),
                         outputs == 0 ? PLANNER_DONE : PLANNER_OUT_OF_RANGE);
    }
}

/* More results than a grid has blocks. */
static void test_many_results(void **state)
{
    const struct pass pass[] = {{.outputs = -1}};
    const struct planner_passes all = passes_of(pass, 1);
    const struct dims rows = {{UINT64_C(1) << 33, 2}, {2, 1}, {1, 1}, DIMS_ALL, {1, 1}};
    (void)state;
    other.is_set = true;
    other.key = PLANNER_GRID;
    other.value = 1;
    assert_int_equal(planner_shape(&plan, &parts, &all, &rows), PLANNER_DONE);
    other.is_set = false;
}

/* What is taken is rounded up to whole lines. */
static void test_rounding(void **state)
{
    static const uint64_t rows[][2] = {{1, 256},
                                       {255, 256},
                                       {256, 256},
                                       {257, 512},
                                       {513, 768}};
    const struct dims dims = dims_value(5);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pass one[] = {{.outputs = 1, .partials = (int64_t)rows[i][0]}};
        struct planner_passes all = passes_of(one, 1);
        all.partial_bytes = 1;
        assert_int_equal(planner_shape(&plan, &parts, &all, &dims), PLANNER_DONE);
        assert_int_equal(plan.scratch_bytes, rows[i][1]);
    }
}

/* A launch that prepares what the next one reads leaves it both its inputs and its values; the state is
 * as large as the largest of all. */
static void test_prepared(void **state)
{
    const struct pass passes[] = {{.outputs = -3, .state = 3},
                                  {.outputs = 0, .partials = 33, .state = 1},
                                  {.outputs = 1}};
    (void)state;
    assert_int_equal(plan_value(passes, 3, 300), PLANNER_DONE);
    assert_int_equal(plan.count, 3);
    assert_int_equal(plan.launches[1].partials, 1024); /* behind 100 of 8 bytes */
    assert_int_equal(plan.launches[2].partials, 1024);
    assert_true(plan.launches[1].reads_scratch && plan.launches[2].reads_scratch);
    assert_int_equal(plan.launches[2].input, plan.launches[0].output);
    assert_int_equal(plan.state_bytes, 24);
}

static void test_memory(void **state)
{
    const struct pass passes[] = {{.outputs = 0, .state = 1},
                                  {.outputs = -3, .partials = 33},
                                  {.outputs = 1, .state = 3}};
    const struct planner_buffers buffers = {1000, 2000, 3000, 4000, 0};
    uint64_t values[PLANNER_ARGS];
    (void)state;
    assert_int_equal(plan_value(passes, 3, 300), PLANNER_DONE);
    assert_int_equal(plan.count, 3);
    assert_int_equal(plan.state_bytes, 24);
    assert_int_equal(plan.scratch_bytes, 1024 + 512); /* 100 and 33 of 8 bytes */
    planner_bind(values, &plan.launches[0], &buffers);
    assert_int_equal(values[PLANNER_ARG_INPUT], 1000);
    assert_int_equal(values[PLANNER_ARG_OUTPUT], 2000);
    assert_int_equal(values[PLANNER_ARG_STATE], 4000);
    planner_bind(values, &plan.launches[1], &buffers);
    assert_int_equal(values[PLANNER_ARG_INPUT], 1000);
    assert_int_equal(values[PLANNER_ARG_N], 300);
    assert_int_equal(values[PLANNER_ARG_OUTPUT], 3000);
    assert_int_equal(values[PLANNER_ARG_PARTIALS], 4024);
    assert_int_equal(plan.launches[2].partials, 0); /* it has none */
    planner_bind(values, &plan.launches[2], &buffers);
    assert_int_equal(values[PLANNER_ARG_INPUT], 3000);
    assert_int_equal(values[PLANNER_ARG_N], 100);
    assert_int_equal(values[PLANNER_ARG_OUTPUT], 2000);
}

/* Results in parts, which a second launch combines; fewer of them have as many parts each. */
static void test_fewer(void **state)
{
    static const struct {
        struct dims most, fewer, left; /* left: what the second launch reads of the fewer */
    } cases[] = {
        {{{4, 100}, {90, 1}, {1, 1}, DIMS_ALL, {1, 1}},
         {{3, 100}, {90, 1}, {1, 1}, DIMS_ALL, {1, 1}},
         {{3, 6}, {6, 1}, {1, 1}, DIMS_ALL, {1, 1}}},
        {{{1, 1}, {90, 100}, {4, 1}, DIMS_ALL, {1, 1}},
         {{1, 1}, {50, 100}, {4, 1}, DIMS_ALL, {1, 1}},
         {{1, 24}, {6, 4}, {4, 1}, DIMS_ALL, {1, 1}}},
        {{{2, 900}, {9, 100}, {2, 1}, DIMS_ALL, {1, 1}},
         {{1, 900}, {9, 100}, {2, 1}, DIMS_ALL, {1, 1}},
         {{1, 12}, {6, 2}, {2, 1}, DIMS_ALL, {1, 1}}},
    };
    const struct pass passes[] = {{.outputs = -2, .parts = 24}, {.outputs = -1}};
    const struct planner_passes all = passes_of(passes, 2);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t results = dims_results(&cases[i].fewer);
        assert_int_equal(planner_shape(&plan, &parts, &all, &cases[i].most), PLANNER_DONE);
        assert_int_equal(planner_call(&plan, &parts, &all, &cases[i].fewer), PLANNER_DONE);
        assert_int_equal(plan.count, 2);
        assert_int_equal(plan.launches[0].parts, 6);
        assert_int_equal(plan.launches[0].keys[PLANNER_OUTPUTS], results * 6);
        assert_true(dims_is_same(&plan.launches[1].dims, &cases[i].left));
        assert_int_equal(plan.launches[1].parts, 1);
        assert_false(plan.launches[1].writes_scratch);
        assert_int_equal(plan.launches[1].keys[PLANNER_OUTPUTS], results);
    }
    const struct dims none = {{0, 100}, {90, 1}, {1, 1}, DIMS_ALL, {1, 1}};
    assert_int_equal(planner_call(&plan, &parts, &all, &none), PLANNER_DONE);
    assert_int_equal(plan.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_ranges),   cmocka_unit_test(test_uneven_outputs),
        cmocka_unit_test(test_rounding), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_prepared), cmocka_unit_test(test_many_results),
        cmocka_unit_test(test_fewer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
