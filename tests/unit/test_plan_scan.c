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

/* What an aborted launch leaves: blocks that were counted, and sums of some tiles with the flags of
 * the call that was to be. Cleared, the workspace serves again. */
static void test_after_an_aborted_launch(void **state)
{
    (void)state;
    static uint32_t x[MOST], y[MOST], expected[MOST];
    static _Alignas(256) unsigned char memory[1 << 20];
    const struct autotune_problem problem = {.op = "sum",
                                             .type = "u32",
                                             .n = MOST,
                                             .scan = AUTOTUNE_INCLUSIVE};
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_plan *plan = make_plan(context, &problem, AUTOTUNE_FROM_DEFAULT);
    struct autotune_workspace *workspace;
    const size_t bytes = autotune_plan_workspace_bytes(plan);
    for (uint32_t i = 0; i < MOST; i++)
        x[i] = i * 2654435761u >> 9;
    scan_of(expected, x, MOST, AUTOTUNE_INCLUSIVE);
    assert_true(bytes <= sizeof memory);
    assert_int_equal(autotune_workspace_create(&workspace, plan, memory, NULL, &error), 0);
    for (int i = 0; i < 3; i++) {
        memset(y, 0, sizeof y);
        assert_int_equal(autotune_execute(workspace, x, MOST, y, NULL, &error), 0);
        assert_memory_equal(y, expected, sizeof y);
    }
    uint64_t *words = (uint64_t *)(void *)memory; /* the state: of this variant all there is */
    assert_int_equal(words[0] >> 32, 3);          /* calls */
    for (size_t i = 1; i < bytes / sizeof *words; i++)
        words[i] = (uint64_t)77 << 32 | 3 << 2 | 2; /* of all tiles up to it */
    words[0] += 2;                                  /* blocks that have started */
    assert_int_equal(autotune_workspace_reset(workspace, NULL, &error), 0);
    assert_int_equal(autotune_execute(workspace, x, MOST, y, NULL, &error), 0);
    assert_memory_equal(y, expected, sizeof y);
    assert_int_equal(autotune_workspace_destroy(workspace, &error), 0);
    assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* Each row on its own, with gaps between rows; fewer than the plan's; in place where none are. */
static void test_rows(void **state)
{
    (void)state;
    enum { ROWS = 37, LEN = 101, PITCH = 103 };
    static uint32_t x[ROWS * PITCH + 1], y[ROWS * LEN + 2], expected[ROWS * LEN];
    struct autotune_context *context = open_context(folder, NULL);
    for (uint32_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = i * 2654435761u >> 5;
    for (int gaps = 0; gaps < 2; gaps++) {
        const uint64_t pitch = gaps ? PITCH : LEN;
        const struct autotune_problem problem = {.op = "sum",
                                                 .type = "u32",
                                                 .rows = ROWS,
                                                 .len = LEN,
                                                 .pitch = pitch,
                                                 .axis = 1,
                                                 .scan = AUTOTUNE_EXCLUSIVE};
        struct autotune_plan *plan = make_plan(context, &problem, AUTOTUNE_FROM_DEFAULT);
        struct autotune_workspace *workspace = open_workspace(plan);
        assert_int_equal(autotune_plan_results(plan), ROWS * LEN);
        for (uint64_t rows = ROWS; rows > 0; rows /= 3) {
            for (uint64_t r = 0; r < rows; r++)
                scan_of(expected + r * LEN, x + 1 + r * pitch, LEN, AUTOTUNE_EXCLUSIVE);
            memset(y, 0xa5, sizeof y);
            assert_int_equal(autotune_execute(workspace, x + 1, rows, y + 1, NULL, &error), 0);
            assert_memory_equal(y + 1, expected, rows * LEN * sizeof *y);
            assert_int_equal(y[0], 0xa5a5a5a5);
            assert_int_equal(y[rows * LEN + 1], 0xa5a5a5a5);
        }
        if (gaps) {
            assert_refused(autotune_execute(workspace, x, ROWS, x, NULL, &error),
                           AUTOTUNE_BAD_ARGUMENT, "lies within the elements");
        } else {
            memcpy(y, x, sizeof y);
            assert_int_equal(autotune_execute(workspace, y, 5, y, NULL, &error), 0);
            for (uint64_t r = 0; r < 5; r++)
                scan_of(expected + r * LEN, x + r * LEN, LEN, AUTOTUNE_EXCLUSIVE);
            assert_memory_equal(y, expected, 5 * LEN * sizeof *y);
        }
        assert_int_equal(autotune_workspace_destroy(workspace, &error), 0);
        assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_after_an_aborted_launch),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
