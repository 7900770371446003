/* Tests of plans of several inputs: what each call gives, how the further ones lie beside the first, and what is
 * refused in which words. */
#include "tests/unit/host_plans.h"

enum { ROWS = 3, LEN = 5 };
static const float x[ROWS * LEN] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const float y[ROWS * LEN] = {2, 0, 1, 0, 0, 0, 3, 0, 0, 1, 1, 1, 1, 1, 1};
static float results[LEN];

static struct autotune_call call_of(const void *first, const void *second, uint64_t n)
{
    return (struct autotune_call){.size = sizeof(struct autotune_call),
                                  .inputs = {{.data = first}, {.data = second}},
                                  .outputs = {results},
                                  .n = n};
}

static void assert_results(const struct host_call *fixture, const struct autotune_call *call,
                           const float *wanted, size_t count)
{
    memset(results, 0x5a, sizeof results);
    if (autotune_execute_call(fixture->workspace, call, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++)
        if (results[i] < wanted[i] || results[i] > wanted[i])
            fail_msg("result %zu: %g, not %g", i, (double)results[i], (double)wanted[i]);
}

static void test_one_value(void **state)
{
    (void)state;
    const struct autotune_problem problem = {.op = "dot", .type = "f32", .n = ROWS * LEN};
    struct host_call fixture;
    open_call(&fixture, &problem);
    const float all = 1 * 2 + 3 + 7 * 3 + 10 + 11 + 12 + 13 + 14 + 15, squares = 1240;
    const float none = 0, off = 2 * 2 + 4 + 8 * 3 + 11 + 12 + 13 + 14 + 15;
    struct autotune_call call = call_of(x, y, ROWS * LEN);
    assert_results(&fixture, &call, &all, 1);
    call = call_of(x, x, ROWS * LEN); /* one array twice */
    assert_results(&fixture, &call, &squares, 1);
    call = call_of(x + 1, y, ROWS * LEN - 1); /* starts that differ */
    assert_results(&fixture, &call, &off, 1);
    call = call_of(NULL, NULL, 0);
    assert_results(&fixture, &call, &none, 1);
    assert_int_equal(autotune_plan_input_count(fixture.plan), 2);
    assert_string_equal(autotune_plan_input_name(fixture.plan, 1), "y");
    assert_string_equal(autotune_plan_input_type(fixture.plan, 1), "f32");
    close_call(&fixture);
}

/* Rows and columns, with a further input that lies alike, of an element for each result, of one for each element
 * of a result, or of one in all. */
static void test_how_they_lie(void **state)
{
    (void)state;
    static const struct {
        const char *lies;
        int axis;
        float wanted[LEN];
    } cases[] = {
        {NULL, 1, {5, 31, 65}},
        {"y=result", 1, {30, 0, 65}},
        {"y=element", 1, {5, 20, 35}},
        {"y=one", 1, {30, 80, 130}},
        {NULL, 0, {13, 33, 16, 14, 25}},
        {"y=result", 0, {36, 0, 24, 0, 0}},
        {"y=element", 0, {13, 16, 19, 22, 25}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct autotune_problem problem = {.op = "dot",
                                                 .type = "f32",
                                                 .rows = ROWS,
                                                 .len = LEN,
                                                 .axis = cases[i].axis,
                                                 .lies = cases[i].lies};
        struct host_call fixture;
        open_call(&fixture, &problem);
        const struct autotune_call call = call_of(x, y, ROWS);
        assert_results(&fixture, &call, cases[i].wanted, cases[i].axis ? ROWS : LEN);
        close_call(&fixture);
    }
}

static void test_types_of_their_own(void **state)
{
    (void)state;
    static const char text[] = "[operation]\nmeaning = elements where a mask is set\n"
                               "inputs = x mask:u8\nmap = mask != 0 ? x : 0\ncombine = a + b\n";
    static const uint8_t mask[4] = {1, 0, 7, 1};
    const float wanted = 1 + 3 + 4;
    const char *op;
    struct host_call fixture;
    if (autotune_operation_read(&op, "masked", text, &error))
        fail_msg("%s", error.text);
    const struct autotune_problem problem = {.op = op, .type = "f32", .n = 4};
    open_call(&fixture, &problem);
    const struct autotune_call call = call_of(x, mask, 4);
    assert_results(&fixture, &call, &wanted, 1);
    assert_string_equal(autotune_plan_input_type(fixture.plan, 1), "u8");
    close_call(&fixture);
}

static void test_refused(void **state)
{
    (void)state;
    struct autotune_problem problem = {.op = "dot", .type = "f32", .n = ROWS * LEN};
    struct autotune_plan *plan;
    struct host_call fixture;
    open_call(&fixture, &problem);
    assert_refused(autotune_execute(fixture.workspace, x, 4, results, NULL, &error),
                   AUTOTUNE_BAD_ARGUMENT, "give them by autotune_execute_call");
    struct autotune_call call = call_of(x, NULL, 4);
    assert_refused(autotune_execute_call(fixture.workspace, &call, &error),
                   AUTOTUNE_BAD_ARGUMENT, "inputs[1].data is NULL");
    call = call_of(x, (const char *)y + 2, 4);
    assert_refused(autotune_execute_call(fixture.workspace, &call, &error), AUTOTUNE_MISALIGNED,
                   "input y is at");
    call = call_of(x, results, 4);
    assert_refused(autotune_execute_call(fixture.workspace, &call, &error),
                   AUTOTUNE_BAD_ARGUMENT, "lies within the elements of input y");
    problem.lies = "z=one";
    assert_refused(autotune_plan_create(&plan, fixture.context, &problem, NULL, &error),
                   AUTOTUNE_BAD_ARGUMENT, "'z'");
    problem.lies = "y=other";
    assert_refused(autotune_plan_create(&plan, fixture.context, &problem, NULL, &error),
                   AUTOTUNE_BAD_ARGUMENT, "'y=other' does not say how the input lies");
    close_call(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_value),
        cmocka_unit_test(test_how_they_lie),
        cmocka_unit_test(test_types_of_their_own),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
