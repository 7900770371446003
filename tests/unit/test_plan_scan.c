/* Tests of the library's scans on the emulator: each result, in place and not, and what is
 * refused. */
#include "tests/unit/host_plans.h"

enum { MOST = 5003 };

static struct autotune_workspace *open_workspace(struct autotune_plan *plan)
{
    struct autotune_workspace *workspace = NULL;
    if (autotune_workspace_create(&workspace, plan, NULL, NULL, &error))
        fail_msg("%s", error.text);
    return workspace;
}

static void scan_of(uint32_t *out, const uint32_t *x, uint64_t n, int scan)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t before = sum;
        sum += x[i];
        out[i] = scan == AUTOTUNE_EXCLUSIVE ? before : sum;
    }
}

static void test_results(void **state)
{
    (void)state;
    static uint32_t x[MOST + 4], y[MOST + 4], expected[MOST];
    static const uint64_t sizes[] = {0, 1, 31, 257, 4095, 4097, MOST};
    struct autotune_context *context = open_context(folder, NULL);
    for (uint32_t i = 0; i < MOST + 4; i++)
        x[i] = i * 2654435761u >> 7;
    for (int scan = AUTOTUNE_INCLUSIVE; scan <= AUTOTUNE_EXCLUSIVE; scan++) {
        const struct autotune_problem problem = {.op = "sum",
                                                 .type = "u32",
                                                 .n = MOST,
                                                 .scan = scan};
        struct autotune_plan *plan = make_plan(context, &problem, AUTOTUNE_FROM_BEST);
        struct autotune_workspace *workspace = open_workspace(plan);
        assert_int_equal(autotune_plan_results(plan), MOST);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const uint64_t n = sizes[i], start = i % 4, to = 3 - i % 3;
            scan_of(expected, x + start, n, scan);
            memset(y, 0xa5, sizeof y);
            assert_int_equal(autotune_execute(workspace, x + start, n, y + to, NULL, &error),
                             0);
            assert_memory_equal(y + to, expected, n * sizeof *y);
            assert_int_equal(y[to + n], 0xa5a5a5a5);
            memcpy(y + to, x + start, n * sizeof *y);
            assert_int_equal(autotune_execute(workspace, y + to, n, y + to, NULL, &error), 0);
            assert_memory_equal(y + to, expected, n * sizeof *y);
        }
        assert_int_equal(autotune_workspace_destroy(workspace, &error), 0);
        assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

static void test_refused(void **state)
{
    (void)state;
    static uint32_t x[3 * MOST];
    struct autotune_context *context = open_context(folder, NULL);
    static const struct {
        struct autotune_problem problem;
        const char *said;
    } bad[] = {
        {{.op = "sum", .type = "u32", .n = 5, .scan = 3}, "autotune_problem.scan is 3"},
        {{.op = "sum", .type = "u32", .rows = 5, .len = 5, .scan = 1}, "only rows are scanned"},
        {{.op = "argmin", .type = "u32", .n = 5, .scan = 1}, ""},
        {{.op = "sum", .type = "f32", .n = 5, .scan = 1, .order = AUTOTUNE_ORDER_BY_N}, ""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct autotune_plan *plan = NULL;
        assert_refused(autotune_plan_create(&plan, context, &bad[i].problem, NULL, &error),
                       AUTOTUNE_BAD_ARGUMENT, bad[i].said);
    }
    const struct autotune_problem same = {.op = "sum", .type = "u32", .n = MOST, .scan = 1},
                                  wider = {.op = "sum", .type = "u16", .n = MOST, .scan = 1};
    struct autotune_plan *plan = make_plan(context, &same, AUTOTUNE_FROM_DEFAULT);
    struct autotune_workspace *workspace = open_workspace(plan);
    assert_refused(autotune_execute(workspace, x, 100, x + 1, NULL, &error),
                   AUTOTUNE_BAD_ARGUMENT, "lies within the elements");
    assert_refused(autotune_execute(workspace, x + 50, 100, x, NULL, &error),
                   AUTOTUNE_BAD_ARGUMENT, "lies within the elements");
    assert_int_equal(autotune_workspace_destroy(workspace, &error), 0);
    assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    plan = make_plan(context, &wider, AUTOTUNE_FROM_DEFAULT);
    workspace = open_workspace(plan);
    assert_refused(autotune_execute(workspace, x, 100, x, NULL, &error), AUTOTUNE_BAD_ARGUMENT,
                   "lies within the elements");
    assert_int_equal(autotune_workspace_destroy(workspace, &error), 0);
    assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
