/* Tests of plans of segments: results of calls with offsets of each type, of fewer elements than the plan has, and
 * with offsets that are none; and what is refused. */
#include "tests/unit/host_plans.h"

#include <math.h>
#include <string.h>

enum { COUNT = 50, N = 4000 };
static int32_t x[N];
static float xf[N];
static uint64_t borders[COUNT + 1];

/* Lengths of 0, of few and of hundreds; elements before the first segment and behind the last. */
static int make_elements(void **state)
{
    uint64_t at = 3;
    for (size_t i = 0; i <= COUNT; i++) {
        borders[i] = at;
        at += i % 3 == 0 ? 0 : i % 7 == 0 ? 300 : i % 11;
    }
    assert_true(at < N);
    for (size_t i = 0; i < N; i++) {
        x[i] = (int32_t)(i * UINT64_C(2654435761));
        xf[i] = (float)(i * UINT64_C(2654435761) % 1000);
    }
    return make_folder(state);
}

static void open_segments(struct host_call *out, const char *op, const char *type,
                          const char *offsets)
{
    static const uint64_t n = N;
    const struct autotune_dims dims = {.size = sizeof dims,
                                       .ndim = 1,
                                       .axes = 1,
                                       .shape = &n,
                                       .segments = COUNT,
                                       .offsets = offsets};
    const struct autotune_problem problem = {.op = op, .type = type, .dims = &dims};
    open_call(out, &problem);
    assert_int_equal(autotune_plan_n(out->plan), N);
    assert_int_equal(autotune_plan_results(out->plan), COUNT);
}

static int call(const struct host_call *fixture, const void *elements, uint64_t n,
                const void *offsets, void *results)
{
    const struct autotune_call call = {.size = sizeof call,
                                       .inputs = {{.data = elements}},
                                       .outputs = {results},
                                       .n = n,
                                       .offsets = offsets};
    return autotune_execute_call(fixture->workspace, &call, &error);
}

static uint64_t within(uint64_t border, uint64_t n)
{
    return border < n ? border : n;
}

/* Sums of the plan's n and of fewer, which cut segments off. */
static void check_sums(const struct host_call *fixture, const void *offsets)
{
    static const uint64_t counts[] = {N, 700, 3, 0};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        int32_t results[COUNT + 1];
        memset(results, 0x5a, sizeof results);
        if (call(fixture, x, counts[k], offsets, results))
            fail_msg("%s", error.text);
        for (size_t i = 0; i < COUNT; i++) {
            uint32_t sum = 0;
            for (uint64_t at = within(borders[i], counts[k]);
                 at < within(borders[i + 1], counts[k]); at++)
                sum += (uint32_t)x[at];
            assert_int_equal(results[i], (int32_t)sum);
        }
        assert_int_equal(results[COUNT], 0x5a5a5a5a);
    }
}

static void test_offsets_of_each_type(void **state)
{
    int32_t narrow[COUNT + 1];
    struct host_call fixture;
    (void)state;
    for (size_t i = 0; i <= COUNT; i++)
        narrow[i] = (int32_t)borders[i];
    static const char *const types[] = {NULL, "i32", "u32", "i64", "u64"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        open_segments(&fixture, "sum", "i32", types[i]);
        check_sums(&fixture, i < 3 ? (const void *)narrow : (const void *)borders);
        close_call(&fixture);
    }
}

/* Of no elements a mean is no number, and a position 2^64 - 1. */
static void test_empty_segments(void **state)
{
    float means[COUNT];
    uint64_t positions[COUNT];
    struct host_call fixture;
    (void)state;
    open_segments(&fixture, "mean", "f32", "u64");
    assert_int_equal(call(&fixture, xf, N, borders, means), 0);
    close_call(&fixture);
    open_segments(&fixture, "argmax", "f32", "u64");
    assert_int_equal(call(&fixture, xf, N, borders, positions), 0);
    close_call(&fixture);
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t best = borders[i];
        for (uint64_t at = borders[i]; at < borders[i + 1]; at++)
            best = xf[at] > xf[best] ? at : best;
        const bool is_empty = borders[i] == borders[i + 1];
        assert_int_equal(positions[i], is_empty ? UINT64_MAX : best - borders[i]);
        assert_int_equal(isnan(means[i]) != 0, is_empty);
    }
}

/* Whatever offsets hold, a call writes its results alone, and the next one is right. */
static void test_offsets_that_are_none(void **state)
{
    uint64_t wild[COUNT + 1];
    struct host_call fixture;
    (void)state;
    open_segments(&fixture, "sum", "i32", "u64");
    for (uint64_t seed = 1; seed < 9; seed++) {
        int32_t results[COUNT + 2];
        memset(results, 0x5a, sizeof results);
        for (uint64_t i = 0; i <= COUNT; i++)
            wild[i] = (seed * UINT64_C(0x9e3779b97f4a7c15) * (i + 1)) >> (seed % 2 ? 50 : 0);
        assert_int_equal(call(&fixture, x, N, wild, results + 1), 0);
        assert_int_equal(results[0], 0x5a5a5a5a);
        assert_int_equal(results[COUNT + 1], 0x5a5a5a5a);
        check_sums(&fixture, borders);
    }
    close_call(&fixture);
}

static void test_refused_calls(void **state)
{
    int32_t results[COUNT + 1];
    struct host_call fixture;
    (void)state;
    open_segments(&fixture, "sum", "i32", "u64");
    assert_refused(autotune_execute(fixture.workspace, x, N, results, NULL, &error),
                   AUTOTUNE_BAD_ARGUMENT, "the plan is of segments, and there are no offsets");
    assert_refused(call(&fixture, x, N, (const char *)borders + 4, results),
                   AUTOTUNE_MISALIGNED, "not a multiple of the 8 bytes of one of type u64");
    assert_refused(call(&fixture, x, N, x, x + 10), AUTOTUNE_BAD_ARGUMENT, "lies within");
    assert_refused(call(&fixture, x, N, borders, (int32_t *)(void *)borders + 2),
                   AUTOTUNE_BAD_ARGUMENT, "lie within the output or the workspace's memory");
    assert_refused(call(&fixture, x, N + 1, borders, results), AUTOTUNE_N_TOO_LARGE,
                   "at most 4000 elements");
    close_call(&fixture);
    const struct autotune_problem one = {.op = "sum", .type = "i32", .n = N};
    open_call(&fixture, &one);
    assert_refused(call(&fixture, x, N, borders, results), AUTOTUNE_BAD_ARGUMENT,
                   "the plan is of no segments");
    close_call(&fixture);
}

static void test_refused_problems(void **state)
{
    static const uint64_t shape[] = {7, 5};
    enum { SIZE = sizeof(struct autotune_dims) };
    static const struct {
        struct autotune_dims dims;
        const char *said;
    } cases[] = {
        {{SIZE, 2, 1, shape, NULL, 3, NULL, NULL}, "are of one axis without gaps"},
        {{SIZE, 1, 1, shape, shape, 3, NULL, NULL}, "are of one axis without gaps"},
        {{SIZE, 1, 1, shape, NULL, 3, "i16", NULL}, "'i16' is no type of offsets"},
        {{SIZE, 1, 1, shape, NULL, 3, NULL, "long"}, "unknown distribution of lengths 'long'"},
        {{SIZE, 1, 1, shape, NULL, 0, "i32", NULL}, "are of segments: give segments too"},
    };
    struct autotune_context *context = open_context(folder, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct autotune_problem problem = {.op = "sum",
                                                 .type = "i32",
                                                 .dims = &cases[i].dims};
        struct autotune_plan *plan = NULL;
        assert_refused(autotune_plan_create(&plan, context, &problem, NULL, &error),
                       AUTOTUNE_BAD_ARGUMENT, cases[i].said);
        assert_null(plan);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offsets_of_each_type),  cmocka_unit_test(test_empty_segments),
        cmocka_unit_test(test_offsets_that_are_none), cmocka_unit_test(test_refused_calls),
        cmocka_unit_test(test_refused_problems),
    };
    return cmocka_run_group_tests(tests, make_elements, remove_folder);
}
