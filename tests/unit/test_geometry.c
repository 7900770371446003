/* Tests of geometry: for every n it gives the launches that call_plan gives, which evaluates
 * everything anew; of a matrix those of all rows; and what a space does wrong is refused as
 * there. */
#include "autotune/device/gpus.h"
#include "autotune/library/geometry.h"
#include "generator/shape.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>

static struct error error;

/* An equal step launches the same blocks with the same arguments. */
static void assert_same_call(const struct call_plan *have, const struct call_plan *want)
{
    assert_int_equal(have->count, want->count);
    assert_int_equal(have->n, want->n);
    assert_int_equal(have->results, want->results);
    assert_int_equal(have->grid, want->grid);
    assert_int_equal(have->scratch_bytes, want->scratch_bytes);
    assert_int_equal(have->state_bytes, want->state_bytes);
    for (size_t i = 0; i < want->count; i++) {
        const struct call_step *a = &have->steps[i], *b = &want->steps[i];
        assert_int_equal(a->pass, b->pass);
        assert_int_equal(a->n, b->n);
        assert_int_equal(a->output_offset, b->output_offset);
        assert_int_equal(a->partials_offset, b->partials_offset);
        assert_true(a->shape.applies);
        assert_int_equal(a->shape.block, b->shape.block);
        assert_int_equal(a->shape.grid, b->shape.grid);
        assert_int_equal(a->shape.cluster, b->shape.cluster);
        assert_int_equal(a->shape.shared_bytes, b->shape.shared_bytes);
        assert_int_equal(a->shape.outputs, b->shape.outputs);
        assert_int_equal(a->shape.partials, b->shape.partials);
        assert_int_equal(a->shape.state, b->shape.state);
        assert_true(!shape_kind(&a->dims) || dims_is_same(&a->dims, &b->dims));
        if (shape_kind(&a->dims))
            assert_int_equal(a->shape.parts, b->shape.parts);
    }
}

static const uint64_t sizes[] = {
    0,    1,    2,     31,      4095,     4096,      4097,
    8192, 8193, 65537, 1000000, 16777217, 400000000, UINT64_C(1) << 33};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void check_row(const struct point_context *context, const char *params)
{
    int64_t row[SPACE_NAMES_MAX];
    struct geometry *geometry;
    make_row(context->space, params, row);
    if (geometry_make(&geometry, context, row, &error))
        fail_msg("%s: %s", params, error.text);
    for (size_t i = 0; i < SIZES; i++) {
        struct call_plan have, want;
        memset(&have, 0xa5, sizeof have);
        if (call_plan(&want, context, row, sizes[i], &error) ||
            geometry_call(geometry, &(struct dims)DIMS_VALUE(sizes[i]), &have, &error))
            fail_msg("%s: %s", params, error.text);
        assert_same_call(&have, &want);
    }
    geometry_free(geometry);
}

static void test_same_as_call_plan(void **state)
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
    static const struct problem problems[] = {
        {.op = SUM, .type = I32, .acc = I32, .dims = DIMS_VALUE(5)},
        {.op = SUMSQ, .type = F16, .acc = F32, .dims = DIMS_VALUE(400000000)},
        {.op = SUM, .type = I8, .acc = I64, .dims = DIMS_VALUE(UINT64_C(1) << 33)},
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

/* Of a matrix: the very launches; for fewer rows the same, told of fewer. */
static void test_matrix(void **state)
{
    (void)state;
    static const struct {
        const char *space, *params;
        struct problem_shape shape;
        bool is_rest_fewer; /* does the second pass have fewer rows too? */
    } cases[] = {
        {"configs/rows.ini", "SPLIT=WHOLE PIECES=0", {SHAPE_ROWS, 900, 70, 71}, false},
        {"configs/rows.ini", "SPLIT=PARTS PIECES=2", {SHAPE_ROWS, 90, 70000, 70000}, true},
        {"configs/rows.ini", "SPLIT=LAST_BLOCK PIECES=2", {SHAPE_ROWS, 9, 70000, 80000}, false},
        {"configs/columns.ini", "SPLIT=WHOLE PIECES=0", {SHAPE_COLUMNS, 900, 70, 70}, false},
        {"configs/columns.ini", "SPLIT=PARTS PIECES=2", {SHAPE_COLUMNS, 9000, 70, 71}, false},
    };
    struct target target;
    assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t rows = cases[i].shape.rows, len = cases[i].shape.len;
        const struct problem problem = {
            .op = SUM, .type = F32, .acc = F32, .dims = shape_dims(cases[i].shape)};
        struct space *space = load_space(cases[i].space);
        const struct point_context context = {space, &problem, &target};
        int64_t row[SPACE_NAMES_MAX];
        struct geometry *geometry;
        struct call_plan have, want;
        assert_int_equal(space_settle_default(space, &problem, &target, &error), 0);
        make_row(space, cases[i].params, row);
        if (geometry_make(&geometry, &context, row, &error) ||
            geometry_call(geometry, &problem.dims, &have, &error) ||
            call_plan(&want, &context, row, rows * len, &error))
            fail_msg("%s: %s", cases[i].params, error.text);
        assert_int_equal(want.count, strstr(cases[i].params, "PARTS") ? 2 : 1);
        assert_same_call(&have, &want);
        struct dims fewer = problem.dims;
        const bool is_rows = cases[i].shape.kind == SHAPE_ROWS;
        *(is_rows ? &fewer.outer.n : &fewer.depth.n) = 5;
        assert_int_equal(geometry_call(geometry, &fewer, &have, &error), 0);
        want.n = want.steps[0].n = 5 * len;
        *(is_rows ? &want.steps[0].dims.outer.n : &want.steps[0].dims.depth.n) = 5;
        if (cases[i].is_rest_fewer) {
            want.steps[1].dims.outer.n = 5;
            want.steps[1].n = dims_n(&want.steps[1].dims);
        }
        assert_same_call(&have, &want);
        geometry_free(geometry);
        space_free(space);
    }
}

#define PASS(name, outputs, more)                                                              \
    "[pass " name "]\nblock = 32\ngrid = N + 1\ntile = 32\noutputs = " outputs "\n"            \
    "args = input n output\nheight = 1\n" more

/* A derived value of a derived value of N, and passes that do not end or leave too much. */
static void test_refused_as_call_plan(void **state)
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
    };
    const struct problem problem = {.op = SUM, .type = I32, .acc = I32, .dims = DIMS_VALUE(1000)};
    const int64_t row[] = {1};
    struct target target;
    assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char bytes[1000];
        struct space *space;
        struct geometry *geometry;
        struct call_plan have, want;
        const uint64_t n = i == 5 ? 200 : 1000; /* one that is asked for after others */
        snprintf(bytes, sizeof bytes,
                 "[space]\nname = a\ntemplate = a.cu\nkernel = a\n[param P]\nvalues = 1\n"
                 "[derived]\nHALF = QUARTER * 2\nQUARTER = N / 4\n%s[default]\nP = 1\n",
                 cases[i].passes);
        if (space_load(&space, "a.ini", bytes, strlen(bytes), NULL, &error))
            fail_msg("%s", error.text);
        const struct point_context context = {space, &problem, &target};
        if (geometry_make(&geometry, &context, row, &error))
            fail_msg("%s", error.text);
        const int wanted = call_plan(&want, &context, row, n, &error);
        assert_int_equal(geometry_call(geometry, &(struct dims)DIMS_VALUE(n), &have, &error), wanted);
        if (!cases[i].said && !wanted)
            assert_same_call(&have, &want);
        else if (!cases[i].said || !wanted || !strstr(error.text, cases[i].said))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].said);
        geometry_free(geometry);
        space_free(space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_call_plan),
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_refused_as_call_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
