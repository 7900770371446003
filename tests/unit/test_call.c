/* Tests of call: passes follow each other until one value is left, each has memory of its own
 * between them, and arguments stand where the space says; a call that is asked often gives what
 * one planned alone gives; fewer results keep their parts. */
#include "autotune/device/bind.h"
#include "autotune/device/fiber.h" /* FIBER_ASAN */
#include "autotune/device/gpus.h"
#include "generator/call.h"
#include "tests/unit/named_op.h"
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

/* The plan for n elements of the context's problem. */
static int plan_n(struct planner_plan *out, const struct point_context *context,
                  const int64_t *row, uint64_t n)
{
    struct problem problem = *context->problem;
    const struct point_context here = {context->space, &problem, context->target};
    problem.dims = dims_value(n);
    return call_plan(out, &here, row, &error);
}

/* Each launch's inputs are the outputs of the one before, but of one that only prepares; the
 * last has one. State is for the launch that needs most. */
static void assert_chain(const struct planner_plan *plan, uint64_t n)
{
    uint64_t left = n, height = 0;
    int64_t state = 0;
    int first = 0;
    assert_in_range(plan->count, 1, PLANNER_LAUNCHES);
    for (int i = 0; i < plan->count; i++) {
        const int64_t *keys = plan->launches[i].keys;
        assert_int_equal(dims_n(&plan->launches[i].dims), left);
        height += (uint64_t)keys[PLANNER_HEIGHT];
        state = keys[PLANNER_STATE] > state ? keys[PLANNER_STATE] : state;
        if (keys[PLANNER_OUTPUTS] == 0) {
            assert_int_equal(i, first++);
            continue;
        }
        assert_true(i == first || (uint64_t)keys[PLANNER_OUTPUTS] < left);
        left = (uint64_t)keys[PLANNER_OUTPUTS];
    }
    assert_int_equal(left, 1);
    assert_int_equal(call_height(plan), height);
    assert_int_equal(plan->state_bytes, 8 * state);
    assert_int_equal(plan->first, first);
}

/* What a launch writes to scratch: [from, to), empty when it is one value. */
struct span {
    uint64_t from, to;
};

/* Outputs and partials of all launches lie within the scratch memory and do not overlap. */
static void assert_scratch(const struct planner_plan *plan, uint64_t accum_bytes)
{
    struct span spans[2 * PLANNER_LAUNCHES];
    size_t count = 0;
    uint64_t sum = 0;
    for (int i = 0; i < plan->count; i++) {
        const struct planner_launch *launch = &plan->launches[i];
        const uint64_t outputs = (uint64_t)launch->keys[PLANNER_OUTPUTS];
        const uint64_t partials = (uint64_t)launch->keys[PLANNER_PARTIALS];
        assert_int_equal(launch->writes_scratch, outputs > 1);
        spans[count++] =
            (struct span){launch->output,
                          launch->output + (outputs > 1 ? outputs * accum_bytes : 0)};
        spans[count++] =
            (struct span){launch->partials, launch->partials + partials * accum_bytes};
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
        {"FINISH=PASSES GRID=0", I32},
        {"FINISH=PASSES GRID=4", I32},
        {"FINISH=PASSES GRID=0", I64},
        {"FINISH=LAST_BLOCK GRID=0", I32},
        {"FINISH=LAST_BLOCK GRID=16", I64},
        {"FINISH=PASSES GRID=0 BLOCK=64 ITEMS=4 UNROLL=1", I32},
        {"FINISH=PACKED GRID=0", I32},
        {"FINISH=PACKED_WARPS GRID=1", I32},
        {"FINISH=FLAGGED GRID=0", I32},
        {"FINISH=FLAGGED GRID=2", I64},
        {"FINISH=VALUE GRID=0", I64},
        {"FINISH=BARRIER GRID=2", I32},
        {"FINISH=ATOMIC GRID=0", I32},
        {"FINISH=ATOMIC GRID=8", I64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < SIZES; k++) {
            const struct problem problem = {.op = op_of(SUM),
                                            .type = I32,
                                            .acc = cases[i].acc,
                                            .dims = DIMS_VALUE(5),
                                            .regime = COLD};
            const struct point_context context = {space, &problem, &target};
            int64_t row[SPACE_NAMES_MAX];
            struct planner_plan plan;
            make_row(space, cases[i].params, row);
            if (plan_n(&plan, &context, row, sizes[k]) != 0)
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
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(5),
                                    .regime = COLD};
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
        struct planner_plan plan;
        make_row(space, "FINISH=PASSES GRID=0 ITEMS=16", row);
        assert_int_equal(plan_n(&plan, &context, row, cases[i].n), 0);
        assert_int_equal(plan.count, cases[i].passes);
        make_row(space, "FINISH=LAST_BLOCK GRID=0 ITEMS=16", row);
        assert_int_equal(plan_n(&plan, &context, row, cases[i].n), 0);
        assert_int_equal(plan.count, cases[i].last_block);
    }
}

static void test_bind(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target();
    const struct problem problem = {.op = op_of(SUM),
                                    .type = F32,
                                    .acc = F64,
                                    .dims = DIMS_VALUE(5),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &target};
    const struct device_kernel kernels[3] = {{.registers = 1},
                                             {.registers = 2},
                                             {.registers = 3}};
    const struct device_kernel *const of_pass[SPACE_PASSES_MAX] = {&kernels[0], &kernels[1],
                                                                   &kernels[2]};
    const struct planner_buffers buffers = {.input = 1000004,
                                            .output = 2000000,
                                            .scratch = 3000064,
                                            .state = 4000000};
    struct device_launch launches[PLANNER_LAUNCHES];
    struct planner_plan plan;
    int64_t row[SPACE_NAMES_MAX];

    make_row(space, "FINISH=PASSES GRID=0 ITEMS=16", row); /* 16777217 -> 4097 -> 2 -> 1 */
    assert_int_equal(plan_n(&plan, &context, row, 4096 * 4096 + 1), 0);
    bind_launches(launches, &plan, space, &problem, of_pass, &buffers, NULL);
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
    assert_int_equal(plan_n(&plan, &context, row, 400000000), 0);
    bind_launches(launches, &plan, space, &problem, of_pass, &buffers, NULL);
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan.scratch_bytes, (132 * 8 + 255) / 256 * 256);
    const uint64_t args[] = {buffers.input, 400000000, buffers.output, buffers.scratch,
                             buffers.state};
    assert_ptr_equal(launches[0].kernel, &kernels[2]);
    assert_int_equal(launches[0].arg_count, 5);
    assert_memory_equal(launches[0].args, args, sizeof args);
    assert_int_equal(launches[0].grid, 132);
    assert_int_equal(plan.state_bytes, 8);
}

/* The pass of this name. */
static size_t find_pass(const struct space *space, const char *name)
{
    for (size_t p = 0; p < space->pass_count; p++)
        if (strcmp(space->passes[p].name, name) == 0)
            return p;
    fail_msg("no pass '%s'", name);
    return 0;
}

/* A pass that prepares the result has the inputs of the next, which combines into it. */
static void test_bind_prepared(void **state)
{
    const struct space *space = *state;
    const struct target target = find_target();
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(5),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &target};
    const struct device_kernel init = {.registers = 1}, atomic = {.registers = 2};
    const struct device_kernel *of_pass[SPACE_PASSES_MAX] = {NULL};
    const struct planner_buffers buffers = {.input = 1000004,
                                            .output = 2000000,
                                            .scratch = 3000064,
                                            .state = 4000000};
    const uint64_t inits[] = {buffers.output};
    const uint64_t atomics[] = {buffers.input, 1000000, buffers.output};
    struct device_launch launches[PLANNER_LAUNCHES];
    struct planner_plan plan;
    int64_t row[SPACE_NAMES_MAX];
    of_pass[find_pass(space, "init")] = &init;
    of_pass[find_pass(space, "atomic")] = &atomic;
    make_row(space, "FINISH=ATOMIC GRID=2 BLOCK=128 ITEMS=16", row);
    assert_int_equal(plan_n(&plan, &context, row, 1000000), 0);
    bind_launches(launches, &plan, space, &problem, of_pass, &buffers, NULL);
    assert_int_equal(plan.count, 2);
    assert_int_equal(plan.scratch_bytes, 0);
    assert_int_equal(plan.state_bytes, 0);
    const int64_t *keys = plan.launches[plan.first].keys; /* of what reads the elements */
    assert_int_equal(keys[PLANNER_BLOCK], 128);
    assert_int_equal(keys[PLANNER_TILE], 2048);
    assert_int_equal(keys[PLANNER_GRID], 2 * 132);
    assert_ptr_equal(launches[0].kernel, &init);
    assert_int_equal(launches[0].grid, 1);
    assert_int_equal(launches[0].block, 1);
    assert_int_equal(launches[0].arg_count, 1);
    assert_memory_equal(launches[0].args, inits, sizeof inits);
    assert_ptr_equal(launches[1].kernel, &atomic);
    assert_int_equal(launches[1].grid, 2 * 132);
    assert_int_equal(launches[1].arg_count, 3);
    assert_memory_equal(launches[1].args, atomics, sizeof atomics);
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
    if (space_load(&space, "a.ini", bytes, strlen(bytes), NULL, &error) != 0)
        fail_msg("%s", error.text);
    return space;
}

#define PASS(name, outputs, more) PASS_HEIGHT(name, outputs, "1", more)
#define PASS_HEIGHT(name, outputs, height, more)                                               \
    "[pass " name "]\nblock = 32\ngrid = N + 1\ntile = 32\noutputs = " outputs "\n"            \
    "args = input n output\nheight = " height "\n" more

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
        {PASS("a", "0", "") PASS("b", "1", ""), NULL, 2},
        {PASS("a", "0", "repeat = until one\n") PASS("b", "1", ""), NULL, 2},
        {PASS("a", "0", ""), "no pass writes a value", 0},
        {PASS("a", "0", "") PASS("b", "0", ""), "no pass writes a value", 0},
        {PASS("a", "0", "") PASS("b", "2", ""), "leave 2 values", 0},
        {PASS("a", "5", "") PASS("b", "0", ""), "leave 5 values", 0},
        {PASS_HEIGHT("a", "1", "1 - N", ""),
         "a.ini: '1 - N' gives -999 for 1000 elements, which is not within "
         "0..1152921504606846975: correct 'height' of pass 'a'",
         0},
    };
    const struct target target = find_target();
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(5),
                                    .regime = COLD};
    const int64_t row[] = {1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct space *space = make_space(cases[i].passes);
        const struct point_context context = {space, &problem, &target};
        struct planner_plan plan;
        const int failed = plan_n(&plan, &context, row, 1000);
        assert_int_equal(failed, cases[i].said ? -1 : 0);
        if (cases[i].said && (!strstr(error.text, cases[i].said) || error.code != ERROR_USAGE))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].said);
        if (!cases[i].said)
            assert_int_equal(plan.count, cases[i].launches);
        space_free(space);
    }
}

/* A pass's cluster, shared memory, residence and state reach the launch and the plan. */
static void test_launch_attributes(void **state)
{
    (void)state;
    static const struct {
        const char *more;
        unsigned cluster, shared_bytes;
        bool is_cooperative;
        uint64_t state_bytes;
    } cases[] = {
        {"", 1, 0, false, 0},
        {"cluster = 4\n", 4, 0, false, 0},
        {"shared_bytes = 100000\n", 1, 100000, false, 0},
        {"cooperative = yes\n", 1, 0, true, 0},
        {"cooperative = no\nstate = 0\n", 1, 0, false, 0},
        {"state = 2 * BLOCKS + P\ncluster = 2 * P\nshared_bytes = N\n", 2, 1000, false,
         8 * (2 * 1001 + 1)},
    };
    const struct target target = find_target();
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(5),
                                    .regime = COLD};
    const struct device_kernel kernel = {.registers = 1};
    const struct device_kernel *const of_pass[SPACE_PASSES_MAX] = {&kernel};
    const struct planner_buffers buffers = {.input = 4};
    const int64_t row[] = {1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char passes[400];
        struct device_launch launches[PLANNER_LAUNCHES];
        struct planner_plan plan;
        snprintf(passes, sizeof passes, PASS("a", "1", "%s"), cases[i].more);
        struct space *space = make_space(passes);
        const struct point_context context = {space, &problem, &target};
        if (plan_n(&plan, &context, row, 1000))
            fail_msg("%s: %s", cases[i].more, error.text);
        bind_launches(launches, &plan, space, &problem, of_pass, &buffers, NULL);
        assert_int_equal(launches[0].cluster, cases[i].cluster);
        assert_int_equal(launches[0].shared_bytes, cases[i].shared_bytes);
        assert_int_equal(launches[0].is_cooperative, cases[i].is_cooperative);
        assert_int_equal(plan.state_bytes, cases[i].state_bytes);
        space_free(space);
    }
}

/* --- Asked for often ---------------------------------------------------------------------- */

/* Equal launches are of the same blocks with the same arguments. */
static void assert_same_plan(const struct planner_plan *have, const struct planner_plan *want)
{
    assert_int_equal(have->count, want->count);
    assert_int_equal(have->first, want->first);
    assert_int_equal(have->scratch_bytes, want->scratch_bytes);
    assert_int_equal(have->state_bytes, want->state_bytes);
    for (int i = 0; i < want->count; i++) {
        const struct planner_launch *a = &have->launches[i], *b = &want->launches[i];
        assert_int_equal(a->pass, b->pass);
        assert_true(dims_is_same(&a->dims, &b->dims));
        assert_int_equal(a->parts, b->parts);
        assert_int_equal(a->reads_scratch, b->reads_scratch);
        assert_int_equal(a->writes_scratch, b->writes_scratch);
        assert_int_equal(a->input, b->input);
        assert_int_equal(a->output, b->output);
        assert_int_equal(a->partials, b->partials);
        assert_memory_equal(a->keys, b->keys, PLANNER_NEEDED * sizeof *a->keys);
    }
}

static void check_row(const struct point_context *context, const char *params)
{
    int64_t row[SPACE_NAMES_MAX];
    struct call *call;
    struct planner_plan all;
    make_row(context->space, params, row);
    if (call_make(&call, &all, context, row, &error))
        fail_msg("%s: %s", params, error.text);
    for (size_t i = 0; i < SIZES; i++) {
        struct planner_plan have, want;
        const struct dims dims = dims_value(sizes[i]);
        memset(&have, 0xa5, sizeof have);
        if (plan_n(&want, context, row, sizes[i]) || call_ask(call, &have, &dims, &error))
            fail_msg("%s: %s", params, error.text);
        assert_same_plan(&have, &want);
    }
    call_free(call);
}

static void test_same_as_planned_alone(void **state)
{
    (void)state;
    static const char *const params[] = {
        "FINISH=PASSES GRID=0",
        "FINISH=PASSES GRID=4",
        "FINISH=LAST_BLOCK GRID=0",
        "FINISH=LAST_BLOCK GRID=16",
        "FINISH=FLAGGED GRID=4",
        "FINISH=PACKED GRID=2",
        "FINISH=VALUE GRID=1",
        "FINISH=BARRIER GRID=2",
        "FINISH=ATOMIC GRID=3",
        "FINISH=PASSES GRID=0 BLOCK=64 ITEMS=4 VECTOR=1 UNROLL=1",
        "FINISH=PASSES GRID=1 LOAD=BULK STAGES=4",
    };
    const struct problem problems[] = {
        {.op = op_of(SUM), .type = I32, .acc = I32, .dims = DIMS_VALUE(5)},
        {.op = op_of(SUMSQ), .type = F16, .acc = F32, .dims = DIMS_VALUE(400000000)},
        {.op = op_of(SUM), .type = I8, .acc = I64, .dims = DIMS_VALUE(UINT64_C(1) << 33)},
    };
    static const char *const spaces[] = {"configs/reduce.ini", "configs/reduce-wide.ini"};
    struct target target;
    assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
    for (size_t s = 0; s < 2; s++) {
        struct space *space = load_space(spaces[s]);
        for (size_t p = 0; p < sizeof problems / sizeof *problems; p++)
            for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
                const struct point_context context = {space, &problems[p], &target};
                check_row(&context, params[i]);
            }
        space_free(space);
    }
}

/* For the first results of many: fewer blocks, but of each result as many parts. */
static void test_fewer(void **state)
{
    (void)state;
    static const struct {
        const char *space, *params;
        struct dims most;
        bool is_outer; /* which axis is shortened, to 5 */
        int launches;
    } cases[] = {
        {"rows",
         "SPLIT=WHOLE PIECES=0",
         {{900, 71}, {70, 1}, {1, 1}, DIMS_ALL, DIMS_WHOLE},
         true,
         1},
        {"rows",
         "SPLIT=PARTS PIECES=2",
         {{90, 70000}, {70000, 1}, {1, 1}, DIMS_ALL, DIMS_WHOLE},
         true,
         2},
        {"rows",
         "SPLIT=LAST_BLOCK PIECES=2",
         {{9, 80000}, {70000, 1}, {1, 1}, DIMS_ALL, DIMS_WHOLE},
         true,
         1},
        {"columns",
         "SPLIT=WHOLE PIECES=0",
         {{1, 1}, {900, 70}, {70, 1}, DIMS_ALL, DIMS_WHOLE},
         false,
         1},
        {"columns",
         "SPLIT=PARTS PIECES=2",
         {{1, 1}, {9000, 71}, {70, 1}, DIMS_ALL, DIMS_WHOLE},
         false,
         2},
        {"columns",
         "SPLIT=LAST_BLOCK PIECES=2",
         {{1, 1}, {9000, 71}, {70, 1}, DIMS_ALL, DIMS_WHOLE},
         false,
         1},
        {"middle",
         "SPLIT=WHOLE PIECES=0 BATCH=SEVERAL",
         {{40, 900}, {90, 10}, {10, 1}, DIMS_ALL, DIMS_WHOLE},
         true,
         1},
        {"middle",
         "SPLIT=PARTS PIECES=2 BATCH=ONE EDGES=SIMPLE",
         {{8, 700000}, {9000, 71}, {70, 1}, DIMS_ALL, DIMS_WHOLE},
         true,
         2},
        {"middle",
         "SPLIT=LAST_BLOCK PIECES=2 BATCH=SEVERAL",
         {{8, 700000}, {9000, 71}, {70, 1}, DIMS_ALL, DIMS_WHOLE},
         true,
         1},
    };
    const struct target target = find_target();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct problem problem = {.op = op_of(SUM),
                                        .type = F32,
                                        .acc = F32,
                                        .dims = cases[i].most};
        struct dims fewer = cases[i].most, none = cases[i].most;
        struct planner_plan all, alone, some;
        int64_t row[SPACE_NAMES_MAX];
        struct call *call;
        char path[64];
        snprintf(path, sizeof path, "configs/%s.ini", cases[i].space);
        struct space *space = load_space(path);
        const struct point_context context = {space, &problem, &target};
        *(cases[i].is_outer ? &fewer.outer.n : &fewer.depth.n) = 5;
        *(cases[i].is_outer ? &none.outer.n : &none.inner.n) = 0;
        assert_int_equal(space_settle_default(space, &problem, &target, &error), 0);
        make_row(space, cases[i].params, row);
        if (call_make(&call, &all, &context, row, &error) ||
            call_plan(&alone, &context, row, &error) ||
            call_ask(call, &some, &cases[i].most, &error))
            fail_msg("%s: %s", cases[i].params, error.text);
        assert_int_equal(all.count, cases[i].launches);
        assert_same_plan(&all, &alone);
        assert_same_plan(&some, &alone);
        assert_int_equal(call_ask(call, &some, &fewer, &error), 0);
        assert_int_equal(some.count, all.count);
        assert_true(dims_is_same(&some.launches[0].dims, &fewer));
        for (int k = 0; k < all.count; k++) {
            assert_int_equal(some.launches[k].parts, all.launches[k].parts);
            assert_true(some.launches[k].keys[PLANNER_GRID] <=
                        all.launches[k].keys[PLANNER_GRID]);
            assert_int_equal(some.launches[k].keys[PLANNER_OUTPUTS],
                             dims_results(&fewer) * (some.launches[k].writes_scratch
                                                         ? (uint64_t)some.launches[k].parts
                                                         : 1));
        }
        assert_true(some.scratch_bytes <= all.scratch_bytes);
        assert_int_equal(call_ask(call, &some, &none, &error), 0);
        assert_int_equal(some.count, 0);
        call_free(call);
        space_free(space);
    }
}

/* A derived value of a derived value of N, and passes that do not end or leave too much. */
static void test_refused_as_planned_alone(void **state)
{
    (void)state;
    static const struct {
        const char *passes, *said;
    } cases[] = {
        {PASS("a", "max(1, HALF)", "repeat = until one\n"), NULL},
        {PASS("a", "BLOCKS - HALF", "") PASS("b", "1", ""), NULL},
        {PASS("a", "max(1, N - 1)", "repeat = until one\n"), "more than 64 times"},
        {PASS("a", "max(1, HALF)", ""), "leave 500 values"},
        {PASS("a", "1", "when = P == 2\n"), "leave 1000 values"},
        {PASS("a", "N > 600 ? 1 : 600 - N", ""), "not within 0.."},
        {PASS("a", "1", "cluster = 16 + P\n"),
         "a.ini: '16 + P' gives 17 for 1000 elements, which "
         "is not within 0..16: correct 'cluster' of pass "
         "'a'"},
        {PASS("a", "1", "cluster = 1 / (P - 1)\n"), "division by zero"},
        {PASS("a", "1", "when = 1 / (P - 1)\n"), "division by zero"},
        {PASS("a", "1", "P = 1 / (P - 1)\n"), "division by zero"},
        {PASS("a", "N > 938 ? N - 1 : 0", "repeat = until one\n")
             PASS("b", "N - 1", "repeat = until one\n"), /* b is the 64th */
         "pass 'b' would be repeated more than 64 times"},
    };
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000)};
    const int64_t row[] = {1};
    struct target target;
    assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[1000];
        struct space *space;
        struct call *call;
        struct planner_plan have, want;
        const uint64_t n = i == 5 ? 200 : 1000; /* one that is asked for after others */
        snprintf(bytes, sizeof bytes,
                 "[space]\nname = a\ntemplate = a.cu\nkernel = a\n[param P]\nvalues = 1\n"
                 "[derived]\nHALF = QUARTER * 2\nQUARTER = N / 4\n%s[default]\nP = 1\n",
                 cases[i].passes);
        if (space_load(&space, "a.ini", bytes, strlen(bytes), NULL, &error))
            fail_msg("%s", error.text);
        const struct point_context context = {space, &problem, &target};
        const struct dims dims = dims_value(n);
        const int wanted = plan_n(&want, &context, row, n);
        error.text[0] = 0;
        assert_int_equal(call_make(&call, &have, &context, row, &error) ||
                                 call_ask(call, &have, &dims, &error)
                             ? -1
                             : 0,
                         wanted);
        if (!cases[i].said && !wanted)
            assert_same_plan(&have, &want);
        else if (!cases[i].said || !wanted || !strstr(error.text, cases[i].said))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].said);
        call_free(call);
        space_free(space);
    }
}

/* One launch of a pass: what the plan has of it, keys for reports too; nothing where the config lacks
 * the pass. */
static void test_one_pass(void **state)
{
    (void)state;
    const struct target target = find_target();
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I64,
                                    .dims = DIMS_VALUE(1000)};
    const int64_t row[] = {1};
    struct space *space = make_space(PASS("a", "N / 10", "when = P == 1\n")
                                         PASS_HEIGHT("b", "N", "7", "when = P == 2\n")
                                             PASS_HEIGHT("c", "1", "9 + N", "partials = N\n"));
    const struct point_context context = {space, &problem, &target};
    const struct dims left = dims_value(100);
    struct planner_plan plan;
    struct planner_launch launch, untouched;
    bool applies[] = {true, true};
    assert_int_equal(call_plan(&plan, &context, row, &error), 0);
    assert_int_equal(plan.count, 2);
    assert_int_equal(call_pass(&launch, applies, &context, row, 0, &problem.dims, &error), 0);
    assert_true(applies[0]);
    assert_memory_equal(launch.keys, plan.launches[0].keys, sizeof launch.keys);
    applies[0] = applies[1] = false;
    assert_int_equal(call_pass(&launch, applies, &context, row, 2, &left, &error), 0);
    assert_true(applies[0]);
    assert_memory_equal(launch.keys, plan.launches[1].keys, sizeof launch.keys);
    assert_int_equal(launch.keys[PLANNER_HEIGHT], 109);
    assert_int_equal(launch.keys[PLANNER_PARTIALS], 100);
    memset(&launch, 0xa5, sizeof launch);
    untouched = launch;
    applies[0] = applies[1] = true;
    assert_int_equal(call_pass(&launch, applies, &context, row, 1, &left, &error), 0);
    assert_false(applies[0]);
    assert_memory_equal(&launch, &untouched, sizeof launch);
    space_free(space);
}

/* A pass that cannot be planned says so, in the same words as a plan. */
static void test_one_pass_refused(void **state)
{
    (void)state;
    static const struct {
        const char *passes, *said;
    } cases[] = {
        {PASS("a", "1", "cluster = 16 + P\n"), "'16 + P' gives 17 for 1000 elements"},
        {PASS("a", "1", "cluster = 1 / (P - 1)\n"), "division by zero"},
        {PASS("a", "1", "when = 1 / (P - 1)\n"), "division by zero"},
        {PASS("a", "1", "P = 1 / (P - 1)\n"), "division by zero"},
    };
    const struct target target = find_target();
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000)};
    const int64_t row[] = {1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct space *space = make_space(cases[i].passes);
        const struct point_context context = {space, &problem, &target};
        struct planner_launch launch;
        bool applies;
        error.text[0] = 0;
        assert_int_equal(call_pass(&launch, &applies, &context, row, 0, &problem.dims, &error),
                         -1);
        if (!strstr(error.text, cases[i].said))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].said);
        space_free(space);
    }
}

/* Asked for another n, a call evaluates what changes and a key needs, and no more; planning the whole
 * evaluates all. */
static void test_derived_without_value(void **state)
{
    (void)state;
    const struct target target = find_target();
    struct problem problem = {.op = op_of(SUM),
                              .type = I32,
                              .acc = I32,
                              .dims = DIMS_VALUE(1000)};
    const int64_t row[] = {1};
    struct space *space = make_space(
        "[derived]\nUNUSED = 100 / (N - 5)\nUSED = 100 / (N - 7)\n" PASS("a",
                                                                         "max(1, USED * 0)",
                                                                         ""));
    const struct point_context context = {space, &problem, &target};
    const struct dims unused = dims_value(5), used = dims_value(7);
    struct planner_plan plan;
    struct call *call;
    assert_int_equal(call_make(&call, &plan, &context, row, &error), 0);
    assert_int_equal(call_ask(call, &plan, &unused, &error), 0);
    assert_int_equal(plan.count, 1);
    error.text[0] = 0;
    assert_int_equal(call_ask(call, &plan, &used, &error), -1);
    assert_non_null(strstr(error.text, "division by zero"));
    call_free(call);
    problem.dims = unused;
    error.text[0] = 0;
    assert_int_equal(call_make(&call, &plan, &context, row, &error), -1);
    assert_non_null(strstr(error.text, "division by zero"));
    assert_null(call);
    space_free(space);
}

/* How many parts a result has is decided by a pass's first launch, and stays so while it is repeated;
 * a single launch decides it too. */
static void test_parts(void **state)
{
    (void)state;
    static const char text[] =
        "[space]\nname = a\ntemplate = a.cu\nkernel = a\nparts = CUTS\n[param P]\nvalues = 1\n"
        "[derived]\nCUTS = N > 500 ? 3 : N > 80 ? 2 : 4\n" PASS_HEIGHT("a", "90", "CUTS", "")
            PASS_HEIGHT("b", "N > 80 ? 40 : 1", "CUTS",
                        "repeat = until one\n") "[default]\nP = 1\n";
    static const int wanted[] = {3, 2, 2};
    enum { LAUNCHES = sizeof wanted / sizeof *wanted };
    const struct target target = find_target();
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000)};
    const int64_t row[] = {1};
    struct space *space;
    struct planner_launch launch;
    struct planner_plan all, needed;
    struct call *call;
    bool applies;
    if (space_load(&space, "a.ini", text, sizeof text - 1, NULL, &error))
        fail_msg("%s", error.text);
    const struct point_context context = {space, &problem, &target};
    assert_int_equal(call_plan(&all, &context, row, &error), 0);
    assert_int_equal(call_make(&call, &needed, &context, row, &error), 0);
    assert_int_equal(all.count, LAUNCHES);
    assert_int_equal(needed.count, LAUNCHES);
    for (int i = 0; i < LAUNCHES; i++) {
        assert_int_equal(all.launches[i].parts, wanted[i]);
        assert_int_equal(all.launches[i].keys[PLANNER_HEIGHT], wanted[i]);
        assert_int_equal(needed.launches[i].parts, wanted[i]);
    }
    assert_int_equal(call_pass(&launch, &applies, &context, row, 0, &problem.dims, &error), 0);
    assert_int_equal(launch.parts, 3);
    call_free(call);
    space_free(space);
}

#if !defined(FIBER_ASAN) && !defined(FIBER_TSAN)

/* The last error says so, and how much was asked for: of structs of words. */
static void assert_out_of_memory(void)
{
    unsigned long long bytes = 1;
    assert_int_equal(sscanf(error.text, "out of memory: no room for %llu bytes", &bytes), 1);
    assert_int_equal(bytes % sizeof(uint64_t), 0);
    error.text[0] = '\0';
}

#endif

/* Room that no machine has, for want of another way to be out of memory at one place. */
static void test_no_memory(void **state)
{
#if defined(FIBER_ASAN) || defined(FIBER_TSAN)
    (void)state;
    print_message("a sanitizer ends the program at such a size\n");
    skip();
#else
    struct space space = *(const struct space *)*state;
    const struct target target = find_target();
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000)};
    const struct point_context context = {&space, &problem, &target};
    int64_t row[SPACE_NAMES_MAX];
    struct planner_plan plan;
    struct planner_launch launch;
    struct call *call;
    bool applies;
    make_row(&space, "FINISH=PASSES GRID=0", row);
    space.pass_count = (size_t)1 << 38;
    assert_int_equal(call_make(&call, &plan, &context, row, &error), -1);
    assert_null(call);
    assert_out_of_memory();
    assert_int_equal(call_plan(&plan, &context, row, &error), -1);
    assert_int_equal(plan.status, PLANNER_NO_VALUE);
    assert_out_of_memory();
    assert_int_equal(call_pass(&launch, &applies, &context, row, find_pass(*state, "main"),
                               &problem.dims, &error),
                     -1);
    assert_out_of_memory();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_number_of_launches),
        cmocka_unit_test(test_bind),
        cmocka_unit_test(test_bind_prepared),
        cmocka_unit_test(test_launch_attributes),
        cmocka_unit_test(test_passes_that_do_not_end),
        cmocka_unit_test(test_same_as_planned_alone),
        cmocka_unit_test(test_fewer),
        cmocka_unit_test(test_refused_as_planned_alone),
        cmocka_unit_test(test_one_pass),
        cmocka_unit_test(test_one_pass_refused),
        cmocka_unit_test(test_derived_without_value),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
