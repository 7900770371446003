/* Tests of call: passes follow each other until one value is left, each has memory of its own
 * between them, and arguments stand where the space says. */
#include "autotune/device/gpus.h"
#include "autotune/tune/call.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>

static struct error error;

static const uint64_t sizes[] = {0,    1,    2,       4095,     4096,      4097,
                                 8192, 8193, 1000000, 16777217, 400000000, UINT64_C(1) << 33};
enum { SIZES = sizeof sizes / sizeof *sizes };

static int setup(void **state)
{
    *state = load_space("configs/reduce.ini");
    return 0;
}

static int teardown(void **state)
{
    space_free(*state);
    return 0;
}

static struct target find_target(void)
{
    struct target target;
    if (gpus_find(&target, "sm_90", &error) != 0)
        fail_msg("%s", error.text);
    return target;
}

/* Each step's inputs are the outputs of the step before; the last has one. */
static void assert_chain(const struct call_plan *plan, uint64_t n)
{
    uint64_t left = n, height = 0;
    assert_in_range(plan->count, 1, CALL_LAUNCHES_MAX);
    for (size_t i = 0; i < plan->count; i++) {
        assert_int_equal(plan->steps[i].n, left);
        assert_true(plan->steps[i].shape.applies);
        assert_true(i == 0 || plan->steps[i].shape.outputs < left);
        left = plan->steps[i].shape.outputs;
        height += plan->steps[i].shape.height;
    }
    assert_int_equal(left, 1);
    assert_int_equal(plan->height, height);
    assert_int_equal(plan->n, n);
    assert_int_equal(plan->block, plan->steps[0].shape.block);
    assert_int_equal(plan->tile, plan->steps[0].shape.tile);
}

/* What a step writes to scratch: [from, to), empty when it is one value. */
struct span {
    uint64_t from, to;
};

/* Outputs and partials of all steps lie within the scratch memory and do not overlap. */
static void assert_scratch(const struct call_plan *plan, uint64_t accum_bytes)
{
    struct span spans[2 * CALL_LAUNCHES_MAX];
    size_t count = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const struct call_step *step = &plan->steps[i];
        const uint64_t outputs = step->shape.outputs > 1 ? step->shape.outputs : 0;
        spans[count++] =
            (struct span){step->output_offset, step->output_offset + outputs * accum_bytes};
        spans[count++] = (struct span){
            step->partials_offset, step->partials_offset + step->shape.partials * accum_bytes};
    }
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(spans[i].from % 256, 0);
        assert_true(spans[i].to <= plan->scratch_bytes);
        sum += (spans[i].to - spans[i].from + 255) / 256 * 256;
        for (size_t k = 0; k < i; k++)
            assert_true(spans[i].from >= spans[k].to || spans[k].from >= spans[i].to);
    }
    assert_int_equal(plan->scratch_bytes, sum);
}

static void test_chains(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target();
    static const struct {
        const char *params;
        enum type acc;
    } cases[] = {
        {"FINISH=PASSES GRID=0", I32},      {"FINISH=PASSES GRID=4", I32},
        {"FINISH=PASSES GRID=0", I64},      {"FINISH=LAST_BLOCK GRID=0", I32},
        {"FINISH=LAST_BLOCK GRID=16", I64}, {"FINISH=PASSES GRID=0 BLOCK=64 ITEMS=4", I32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < SIZES; k++) {
            const struct problem problem = {SUM, I32, cases[i].acc, 5, COLD};
            const struct point_context context = {space, &problem, &target};
            int64_t row[SPACE_NAMES_MAX];
            struct call_plan plan;
            make_row(space, cases[i].params, row);
            if (call_plan(&plan, &context, row, sizes[k], &error) != 0)
                fail_msg("%s, n = %llu: %s", cases[i].params, (unsigned long long)sizes[k],
                         error.text);
            assert_chain(&plan, sizes[k]);
            assert_scratch(&plan, (uint64_t)problem_types[cases[i].acc].bytes);
        }
}

/* The numbers of launches that the tile of 4096 gives. */
static void test_number_of_launches(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target();
    const struct problem problem = {SUM, I32, I32, 5, COLD};
    const struct point_context context = {space, &problem, &target};
    static const struct {
        uint64_t n;
        size_t passes, last_block;
    } cases[] = {
        {0, 1, 1},
        {1, 1, 1},
        {4096, 1, 1},
        {4097, 2, 1},
        {4096 * 4096, 2, 1},
        {4096 * 4096 + 1, 3, 1},
        {UINT64_C(1) << 33, 3, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t row[SPACE_NAMES_MAX];
        struct call_plan plan;
        make_row(space, "FINISH=PASSES GRID=0", row);
        assert_int_equal(call_plan(&plan, &context, row, cases[i].n, &error), 0);
        assert_int_equal(plan.count, cases[i].passes);
        make_row(space, "FINISH=LAST_BLOCK GRID=0", row);
        assert_int_equal(call_plan(&plan, &context, row, cases[i].n, &error), 0);
        assert_int_equal(plan.count, cases[i].last_block);
    }
}

static void test_bind(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target();
    const struct problem problem = {SUM, F32, F64, 5, COLD};
    const struct point_context context = {space, &problem, &target};
    const struct device_kernel kernels[3] = {
        {.registers = 1}, {.registers = 2}, {.registers = 3}};
    const struct device_kernel *const of_pass[SPACE_PASSES_MAX] = {&kernels[0], &kernels[1],
                                                                   &kernels[2]};
    const struct call_buffers buffers = {
        .input = 1000004, .output = 2000000, .scratch = 3000064, .state = 4000000};
    struct device_launch launches[CALL_LAUNCHES_MAX];
    struct call_plan plan;
    int64_t row[SPACE_NAMES_MAX];

    make_row(space, "FINISH=PASSES GRID=0", row); /* 16777217 -> 4097 -> 2 -> 1 */
    assert_int_equal(call_plan(&plan, &context, row, 4096 * 4096 + 1, &error), 0);
    call_bind(launches, &plan, space, of_pass, &buffers);
    assert_int_equal(plan.count, 3);
    const uint64_t inputs[] = {buffers.input, buffers.scratch,
                               buffers.scratch + (4097 * 8 + 255) / 256 * 256};
    const uint64_t counts[] = {4096 * 4096 + 1, 4097, 2};
    for (size_t i = 0; i < 3; i++) {
        assert_ptr_equal(launches[i].kernel, &kernels[i ? 1 : 0]);
        assert_int_equal(launches[i].arg_count, 3);
        assert_int_equal(launches[i].args[0], inputs[i]);
        assert_int_equal(launches[i].args[1], counts[i]);
        assert_int_equal(launches[i].args[2], i == 2 ? buffers.output : inputs[i + 1]);
        assert_int_equal(launches[i].grid, i == 2 ? 1 : counts[i + 1]);
        assert_int_equal(launches[i].block, 256);
    }

    make_row(space, "FINISH=LAST_BLOCK GRID=1", row);
    assert_int_equal(call_plan(&plan, &context, row, 400000000, &error), 0);
    call_bind(launches, &plan, space, of_pass, &buffers);
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan.scratch_bytes, (132 * 8 + 255) / 256 * 256);
    const uint64_t args[] = {buffers.input, 400000000, buffers.output, buffers.scratch,
                             buffers.state};
    assert_ptr_equal(launches[0].kernel, &kernels[2]);
    assert_int_equal(launches[0].arg_count, 5);
    assert_memory_equal(launches[0].args, args, sizeof args);
    assert_int_equal(launches[0].grid, 132);
}

/* A space of one param whose passes are given. */
static struct space *make_space(const char *passes)
{
    char bytes[1000];
    struct space *space;
    snprintf(bytes, sizeof bytes,
             "[space]\nname = a\ntemplate = a.cu\nkernel = a\n[param P]\nvalues = 1\n%s"
             "[default]\nP = 1\n",
             passes);
    if (space_load(&space, "a.ini", bytes, strlen(bytes), &error) != 0)
        fail_msg("%s", error.text);
    return space;
}

#define PASS(name, outputs, more)                                                              \
    "[pass " name "]\nblock = 32\ngrid = N + 1\ntile = 32\noutputs = " outputs "\n"            \
    "args = input n output\nheight = 1\n" more

static void test_passes_that_do_not_end(void **state)
{
    (void)state;
    static const struct {
        const char *passes, *said;
        size_t launches;
    } cases[] = {
        {PASS("a", "1", ""), NULL, 1},
        {PASS("a", "max(1, N / 2)", "repeat = until one\n"), NULL,
         9}, /* 1000, 500, 250 .. 7, 3 */
        {PASS("a", "max(1, N - 1)", "repeat = until one\n"),
         "'a' would be repeated more than 64", 0},
        {PASS("a", "N", "repeat = until one\n"), "'a' would be repeated more than 64", 0},
        {PASS("a", "max(1, N / 2)", ""), "leave 500 values", 0},
        {PASS("a", "max(1, N / 2)", "") PASS("b", "2", ""), "leave 2 values", 0},
        {PASS("a", "2", "") PASS("b", "1", "") PASS("c", "1", ""), NULL, 2},
        {PASS("a", "1", "when = P == 2\n"), "leave 1000 values", 0},
        {PASS("a", "1", "when = P == 2\n") PASS("b", "1", ""), NULL, 1},
    };
    const struct target target = find_target();
    const struct problem problem = {SUM, I32, I32, 5, COLD};
    const int64_t row[] = {1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct space *space = make_space(cases[i].passes);
        const struct point_context context = {space, &problem, &target};
        struct call_plan plan;
        const int failed = call_plan(&plan, &context, row, 1000, &error);
        assert_int_equal(failed, cases[i].said ? -1 : 0);
        if (cases[i].said && (!strstr(error.text, cases[i].said) || error.code != ERROR_USAGE))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].said);
        if (!cases[i].said)
            assert_int_equal(plan.count, cases[i].launches);
        space_free(space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_number_of_launches),
        cmocka_unit_test(test_bind),
        cmocka_unit_test(test_passes_that_do_not_end),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
