/* Tests of calls as a struct: params by value at each call, what of it must be zero, and programs that were built
 * with another version's header. */
#include "tests/unit/host_plans.h"

static const char clipped[] =
    "[operation]\nmeaning = a sum of what is cut at two values, shifted\n"
    "params = low:acc=-1 high:acc shift:i32=0\n"
    "map = x < low ? low : x > high ? high : x\ncombine = a + b\n"
    "finish = a + acc(shift)\n";
static const float x[] = {-9, 0.5f, 4, 9};
static float result;

struct fixture {
    struct host_call host;
    struct autotune_call call;
};

static void open_clipped(struct fixture *out, const char *params)
{
    const char *op;
    if (autotune_operation_read(&op, "clipped", clipped, &error))
        fail_msg("%s", error.text);
    const struct autotune_problem problem = {.op = op, .type = "f32", .n = 4, .params = params};
    open_call(&out->host, &problem);
    out->call = (struct autotune_call){.size = sizeof out->call,
                                       .inputs = {{.data = x}},
                                       .outputs = {&result},
                                       .n = 4};
}

static void assert_result(const struct fixture *fixture, float wanted)
{
    result = -77;
    if (autotune_execute_call(fixture->host.workspace, &fixture->call, &error))
        fail_msg("%s", error.text);
    if (result < wanted || result > wanted)
        fail_msg("%g, not %g", (double)result, (double)wanted);
}

static void test_values_of_each_call(void **state)
{
    (void)state;
    struct fixture fixture;
    open_clipped(&fixture, "high=5 shift=1");
    float low = 0, high = 2;
    int32_t shift = -100;
    assert_result(&fixture, -1 + 0.5f + 4 + 5 + 1);
    assert_int_equal(autotune_execute(fixture.host.workspace, x, 4, &result, NULL, &error), 0);
    assert_true(result > 9.4f && result < 9.6f);
    fixture.call.params[0] = &low;
    fixture.call.params[1] = &high;
    fixture.call.params[2] = &shift;
    assert_result(&fixture, 0 + 0.5f + 2 + 2 - 100);
    high = 3; /* what was queued has its own copy */
    assert_result(&fixture, 0 + 0.5f + 3 + 3 - 100);
    fixture.call.params[1] = NULL;
    assert_result(&fixture, 0 + 0.5f + 4 + 5 - 100);
    assert_int_equal(autotune_plan_op_param_count(fixture.host.plan), 3);
    assert_string_equal(autotune_plan_op_param_name(fixture.host.plan, 2), "shift");
    assert_string_equal(autotune_plan_op_param_type(fixture.host.plan, 1), "f32");
    assert_string_equal(autotune_plan_op_param_type(fixture.host.plan, 2), "i32");
    assert_string_equal(autotune_plan_op_param_name(fixture.host.plan, 3), "");
    assert_int_equal(autotune_plan_op_param_count(NULL), 0);
    close_call(&fixture.host);
}

static void test_a_value_is_missing(void **state)
{
    (void)state;
    struct fixture fixture;
    const float low = 0;
    open_clipped(&fixture, NULL);
    fixture.call.params[0] = &low;
    assert_refused(autotune_execute_call(fixture.host.workspace, &fixture.call, &error),
                   AUTOTUNE_BAD_ARGUMENT,
                   "operation 'clipped' takes a value for its param 'high'");
    assert_refused(autotune_execute(fixture.host.workspace, x, 4, &result, NULL, &error),
                   AUTOTUNE_BAD_ARGUMENT, "takes a value for its param 'high'");
    close_call(&fixture.host);
}

static void test_bad_params_of_a_problem(void **state)
{
    (void)state;
    static const struct {
        const char *params, *said;
    } cases[] = {
        {"hihg=2", "has no param 'hihg': its params are low, high, shift"},
        {"high=2 high=3", "param high is given twice"},
        {"shift=0.5", "param shift is '0.5': give a whole number of type i32"},
        {"high", "a param is NAME=NUMBER, not 'high'"},
    };
    struct fixture fixture;
    open_clipped(&fixture, NULL);
    const char *op;
    assert_int_equal(autotune_operation_read(&op, "clipped", clipped, &error), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct autotune_problem problem = {.op = op, .type = "f32", .n = 4};
        struct autotune_plan *plan;
        problem.params = cases[i].params;
        assert_refused(autotune_plan_create(&plan, fixture.host.context, &problem, NULL,
                                            &error),
                       AUTOTUNE_BAD_ARGUMENT, cases[i].said);
        problem.op = "sum";
        assert_refused(autotune_plan_create(&plan, fixture.host.context, &problem, NULL,
                                            &error),
                       AUTOTUNE_BAD_ARGUMENT,
                       i == 3 ? "NAME=NUMBER" : "operation 'sum' has no params");
    }
    close_call(&fixture.host);
}

/* A program that was built with a later header: what it uses of that must be known here. */
static void test_another_version(void **state)
{
    (void)state;
    struct fixture fixture;
    struct {
        struct autotune_call call;
        uint64_t later[3];
    } longer = {.later = {0, 0, 0}};
    open_clipped(&fixture, "high=5");
    longer.call = fixture.call;
    longer.call.size = sizeof longer;
    result = 0;
    assert_int_equal(autotune_execute_call(fixture.host.workspace, &longer.call, &error), 0);
    assert_true(result > 8.4f && result < 8.6f);
    longer.later[2] = 1;
    assert_refused(autotune_execute_call(fixture.host.workspace, &longer.call, &error),
                   AUTOTUNE_BAD_ARGUMENT, "install the version whose autotune.h");
    longer.later[2] = 0;
    longer.call.size = 0;
    assert_refused(autotune_execute_call(fixture.host.workspace, &longer.call, &error),
                   AUTOTUNE_BAD_ARGUMENT, "autotune_call.size is 0, less than any version's");
    close_call(&fixture.host);
}

static void test_what_must_be_zero(void **state)
{
    (void)state;
    struct fixture fixture;
    open_clipped(&fixture, "high=5");
    struct autotune_call good = fixture.call, *call = &fixture.call;
    struct autotune_workspace *workspace = fixture.host.workspace;
    call->reserved[14] = 1;
    assert_refused(autotune_execute_call(workspace, call, &error), AUTOTUNE_BAD_ARGUMENT,
                   "a field reserved of autotune_call is not zero");
    *call = good;
    call->inputs[2].reserved[6] = 1;
    assert_refused(autotune_execute_call(workspace, call, &error), AUTOTUNE_BAD_ARGUMENT,
                   "a field reserved of autotune_call is not zero");
    *call = good;
    call->inputs[1].data = x;
    assert_refused(autotune_execute_call(workspace, call, &error), AUTOTUNE_BAD_ARGUMENT,
                   "more inputs than operation");
    *call = good;
    call->outputs[3] = &result;
    assert_refused(autotune_execute_call(workspace, call, &error), AUTOTUNE_BAD_ARGUMENT,
                   "more than one output");
    *call = good;
    call->params[3] = x;
    assert_refused(autotune_execute_call(workspace, call, &error), AUTOTUNE_BAD_ARGUMENT,
                   "autotune_call.params[3] is not NULL");
    *call = good;
    call->n = 5;
    assert_refused(autotune_execute_call(workspace, call, &error), AUTOTUNE_N_TOO_LARGE,
                   "n is 5");
    assert_refused(autotune_execute_call(NULL, call, &error), AUTOTUNE_BAD_ARGUMENT,
                   "workspace is NULL");
    assert_refused(autotune_execute_call(workspace, NULL, &error), AUTOTUNE_BAD_ARGUMENT,
                   "call is NULL");
    close_call(&fixture.host);
}

/* What is laid down for programs that are built already. */
static void test_layout(void **state)
{
    (void)state;
    assert_int_equal(offsetof(struct autotune_call, size), 0);
    assert_int_equal(offsetof(struct autotune_call, inputs), 8);
    assert_int_equal(sizeof(struct autotune_input), 64);
    assert_int_equal(offsetof(struct autotune_call, outputs), 264);
    assert_int_equal(offsetof(struct autotune_call, n), 296);
    assert_int_equal(offsetof(struct autotune_call, params), 304);
    assert_int_equal(offsetof(struct autotune_call, stream), 368);
    assert_int_equal(sizeof(struct autotune_call), 504);
    /* 0.2.0's, whose last field was four reserved pointers */
    assert_int_equal(sizeof(struct autotune_problem), 104);
    assert_int_equal(offsetof(struct autotune_problem, params), 72);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_each_call),
        cmocka_unit_test(test_a_value_is_missing),
        cmocka_unit_test(test_bad_params_of_a_problem),
        cmocka_unit_test(test_another_version),
        cmocka_unit_test(test_what_must_be_zero),
        cmocka_unit_test(test_layout),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
