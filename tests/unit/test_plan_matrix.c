/* Plans of matrices through the library's public face, on the emulator: each row's and each
 * column's result, with gaps, of all rows and of fewer, from the default and from records with
 * results in parts; which record serves; what is refused and with which words. */
#include "autotune/verify/element.h"
#include "tests/unit/host_plans.h"
#include "tests/unit/matrix_dims.h"
#include "tests/unit/named_op.h"

#include <inttypes.h>
#include <sys/stat.h>

/* --- Every result ------------------------------------------------------------------------- */

enum { ROOM = 1 << 18, RESULTS = 1200 };

static struct tested {
    struct autotune_problem problem;
    enum op op;
    enum type type, acc;
    uint64_t pitch; /* never 0 */
} matrix;
static uint64_t elements[ROOM / 8 + 1], results[RESULTS + 1]; /* of any type */

/* Small whole numbers, so that every type holds each result; the gaps have some too. */
static int64_t element_at(uint64_t i)
{
    const uint64_t hash = i * UINT64_C(0x9e3779b97f4a7c15);
    return (int64_t)(hash >> 61) - (problem_types[matrix.type].is_signed ? 3 : 0);
}

static void fill(uint64_t count)
{
    assert_true(count * (uint64_t)problem_types[matrix.type].bytes <= sizeof elements);
    for (uint64_t i = 0; i < count; i++)
        if (problem_types[matrix.type].is_float)
            element_store(matrix.type, (double)element_at(i), elements, i);
        else
            element_store_word(matrix.type, (uint64_t)element_at(i), elements, i);
}

static int64_t combine(int64_t a, int64_t b)
{
    switch (matrix.op) {
    case SUM: return a + b;
    case SUMSQ: return a + b * b;
    case MAX: return a > b ? a : b;
    case XOR: return a ^ b;
    default: fail(); return 0;
    }
}

/* Of `rows` rows from element `start` on. */
static int64_t expect(uint64_t start, uint64_t rows, uint64_t result)
{
    const bool is_rows = matrix.problem.axis == 1;
    const uint64_t depth = is_rows ? matrix.problem.len : rows;
    const uint64_t first = start + (is_rows ? result * matrix.pitch : result);
    int64_t value = matrix.op == MAX ? -1000 : 0;
    for (uint64_t i = 0; i < depth; i++)
        value = combine(value, element_at(first + (is_rows ? i : i * matrix.pitch)));
    return value;
}

static int64_t result_at(uint64_t result)
{
    const enum type acc = matrix.acc;
    const int bits = 8 * problem_types[acc].bytes;
    if (problem_types[acc].is_float)
        return (int64_t)element_load(acc, results, result);
    const uint64_t word = element_load_word(acc, results, result);
    return bits == 32 && problem_types[acc].is_signed ? (int32_t)word : (int64_t)word;
}

/* A call of the first rows: every result, and nothing behind the last. */
static void check_call(struct autotune_workspace *workspace, uint64_t start, uint64_t rows)
{
    const bool is_rows = matrix.problem.axis == 1;
    const uint64_t count = is_rows ? rows : matrix.problem.len;
    const size_t at = (size_t)start * (size_t)problem_types[matrix.type].bytes;
    const size_t bytes = (size_t)count * (size_t)problem_types[matrix.acc].bytes;
    assert_true(bytes + 8 <= sizeof results);
    memset(results, 0xa5, sizeof results);
    if (autotune_execute(workspace, (const char *)elements + at, rows, results, NULL, &error))
        fail_msg("%s", error.text);
    for (uint64_t r = 0; r < count && (rows || matrix.op != MAX); r++)
        if (result_at(r) != expect(start, rows, r))
            fail_msg("%s %s, %" PRIu64 " rows from %" PRIu64 ": result %" PRIu64 " is %" PRId64
                     ", not %" PRId64,
                     matrix.problem.op, matrix.problem.type, rows, start, r, result_at(r),
                     expect(start, rows, r));
    for (size_t i = bytes; i < bytes + 8; i++)
        assert_int_equal(((unsigned char *)results)[i], 0xa5);
}

static void set_matrix(const struct autotune_problem *problem)
{
    struct error cause;
    matrix.problem = *problem;
    matrix.pitch = problem->pitch ? problem->pitch : problem->len;
    const struct operation *op;
    assert_int_equal(operation_find(&op, problem->op, &cause), 0);
    matrix.op = op_in(op);
    assert_int_equal(problem_find_type(&matrix.type, problem->type, &cause), 0);
    matrix.acc = problem_default_acc(matrix.type);
    if (problem->acc)
        assert_int_equal(problem_find_type(&matrix.acc, problem->acc, &cause), 0);
    fill(problem->rows * matrix.pitch + 2);
}

/* In memory of the caller's, behind which nothing is written. */
static void check_plan(struct autotune_plan *plan)
{
    const uint64_t most = matrix.problem.rows;
    const uint64_t rows[] = {most, most - 1, most / 2 + 1, most / 3, 1, 0, most};
    const size_t bytes = autotune_plan_workspace_bytes(plan);
    struct autotune_workspace *workspace = NULL;
    void *memory = NULL;
    assert_int_equal(autotune_plan_n(plan), most);
    assert_int_equal(autotune_plan_results(plan),
                     matrix.problem.axis ? most : matrix.problem.len);
    assert_int_equal(posix_memalign(&memory, 256, bytes + 8), 0);
    memset(memory, 0xa5, bytes + 8);
    if (autotune_workspace_create(&workspace, plan, memory, NULL, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_call(workspace, i % 2, rows[i]);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(((unsigned char *)memory)[bytes + i], 0xa5);
    assert_int_equal(autotune_workspace_destroy(workspace, &error), 0);
    free(memory);
}

static void test_every_result(void **state)
{
    (void)state;
    static const struct autotune_problem problems[] = {
        {.op = "sum", .type = "f32", .rows = 37, .len = 100, .axis = 1},
        {.op = "sum", .type = "i8", .rows = 19, .len = 33, .pitch = 40, .axis = 1},
        {.op = "max", .type = "f16", .rows = 300, .len = 7, .pitch = 9, .axis = 1},
        {.op = "xor", .type = "u64", .rows = 3, .len = 3001, .axis = 1},
        {.op = "sumsq", .type = "bf16", .rows = 5, .len = 1000, .axis = 1},
        {.op = "sum", .type = "u8", .acc = "u64", .rows = 1000, .len = 1, .axis = 1},
        {.op = "sum", .type = "i32", .rows = 1, .len = 20000, .axis = 1},
        {.op = "sum", .type = "f32", .rows = 37, .len = 100, .axis = 0},
        {.op = "max", .type = "i16", .rows = 300, .len = 33, .pitch = 34, .axis = 0},
        {.op = "sum", .type = "f64", .rows = 41, .len = 700, .pitch = 701, .axis = 0},
        {.op = "xor", .type = "u8", .rows = 5000, .len = 3, .axis = 0},
        {.op = "sum", .type = "f16", .acc = "f64", .rows = 2, .len = 1000, .axis = 0},
        {.op = "sum", .type = "i64", .rows = 100, .len = 1, .pitch = 5, .order = 1},
    };
    struct autotune_context *context = open_context("/nowhere", NULL);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        struct autotune_plan *plan = make_plan(context, &problems[i], AUTOTUNE_FROM_DEFAULT);
        set_matrix(&problems[i]);
        assert_int_equal(autotune_plan_grade(plan), AUTOTUNE_DEFAULT);
        assert_string_equal(autotune_plan_warning(plan), "");
        check_plan(plan);
        assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* A row's sum of floats that round has the same bits among all rows and among the first few. */
static void check_bits(struct autotune_plan *plan)
{
    const uint64_t most = matrix.problem.rows, extent = most * matrix.pitch;
    const uint64_t fewer[] = {most / 2 + 1, 2, 1};
    static uint32_t all[RESULTS];
    struct autotune_workspace *workspace = NULL;
    float *x = (float *)elements;
    assert_true(extent * sizeof *x <= sizeof elements && most <= RESULTS);
    for (uint64_t i = 0; i < extent; i++)
        x[i] = (float)(1 + i * UINT64_C(2654435761) % 1000003) / 3;
    if (autotune_workspace_create(&workspace, plan, NULL, NULL, &error) ||
        autotune_execute(workspace, x, most, all, NULL, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < sizeof fewer / sizeof *fewer; i++) {
        assert_int_equal(autotune_execute(workspace, x, fewer[i], results, NULL, &error), 0);
        assert_memory_equal(results, all, fewer[i] * sizeof *all);
    }
    assert_int_equal(autotune_workspace_destroy(workspace, &error), 0);
}

/* Parts leave scratch memory and state words between launches and blocks. */
static void test_parts(void **state)
{
    (void)state;
#define LONG_ROWS                                                                              \
    "BLOCK=64 LANES=64 VECTOR=1 ROUNDS=1 UNROLL=1 EDGES=MASKED LOAD=PLAIN MIN_BLOCKS=1 "
    static const struct {
        struct matrix matrix;
        const char *params;
        unsigned launches;
        size_t least_bytes;
    } cases[] = {
        {{7, 3000, 3001, OF_ROWS}, LONG_ROWS "SPLIT=PARTS PIECES=4 GRID=0", 2, 2 * 7 * 4},
        {{7, 3000, 3001, OF_ROWS},
         LONG_ROWS "SPLIT=LAST_BLOCK PIECES=4 GRID=0",
         1,
         2 * 7 * 4 + 7 * 8},
        {{90, 300, 300, OF_ROWS},
         LONG_ROWS "SPLIT=LAST_BLOCK PIECES=1 GRID=0",
         1,
         2 * 90 * 4 + 90 * 8},
        {{90, 130, 130, OF_ROWS}, LONG_ROWS "SPLIT=WHOLE PIECES=0 GRID=2", 1, 1},
        {{700, 30, 31, OF_COLUMNS},
         "BLOCK=64 LANES=4 VECTOR=4 EDGES=SIMPLE UNROLL=1 LOAD=PLAIN MIN_BLOCKS=1 SPLIT=PARTS "
         "PIECES=2",
         2,
         2 * 30 * 4},
        {{700, 30, 31, OF_COLUMNS},
         "BLOCK=64 LANES=4 VECTOR=4 EDGES=MASKED UNROLL=1 LOAD=PLAIN MIN_BLOCKS=1 "
         "SPLIT=LAST_BLOCK PIECES=2",
         1,
         2 * 30 * 4 + 3 * 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct problem tuned = {.op = op_of(SUM),
                                      .type = F32,
                                      .acc = F32,
                                      .dims = matrix_dims(cases[i].matrix)};
        const struct autotune_problem problem = {.op = "sum",
                                                 .type = "f32",
                                                 .rows = cases[i].matrix.rows,
                                                 .len = cases[i].matrix.len,
                                                 .pitch = cases[i].matrix.pitch,
                                                 .axis = cases[i].matrix.axis};
        char name[32];
        snprintf(name, sizeof name, "parts-%zu.ini", i);
        const struct record record = make_record(&tuned, cases[i].params);
        struct autotune_context *context = open_context(keep(name, &record), NULL);
        struct autotune_plan *plan = make_plan(context, &problem, AUTOTUNE_FROM_RECORD);
        set_matrix(&problem);
        assert_string_equal(autotune_plan_warning(plan), "");
        assert_int_equal(autotune_plan_grade(plan), AUTOTUNE_EXACT);
        assert_string_equal(autotune_plan_params(plan), cases[i].params);
        assert_int_equal(autotune_plan_launches(plan), cases[i].launches);
        assert_true(autotune_plan_workspace_bytes(plan) >= cases[i].least_bytes);
        check_plan(plan);
        if (cases[i].matrix.axis)
            check_bits(plan);
        assert_int_equal(autotune_plan_destroy(plan, &error), 0);
        assert_int_equal(autotune_context_destroy(context, &error), 0);
    }
}

/* --- Which record ------------------------------------------------------------------------- */

static void keep_shape(const char *name, uint64_t rows, uint64_t len, const char *lanes)
{
    const struct problem problem =
        {.op = op_of(SUM),
         .type = F32,
         .acc = F32,
         .dims = {{rows, len}, {len, 1}, {1, 1}, DIMS_ALL, DIMS_WHOLE}};
    char params[200];
    snprintf(params, sizeof params,
             "BLOCK=128 LANES=%s VECTOR=4 ROUNDS=1 UNROLL=1 EDGES=SIMPLE LOAD=PLAIN "
             "MIN_BLOCKS=1 SPLIT=WHOLE PIECES=0 GRID=0",
             lanes);
    const struct record record = make_record(&problem, params);
    keep(name, &record);
}

static void test_record_by_shape(void **state)
{
    (void)state;
    static const struct {
        struct autotune_problem problem;
        enum autotune_grade grade;
        const char *origin, *lanes;
    } cases[] = {
        {{.rows = 60, .len = 64, .axis = 1},
         AUTOTUNE_EXACT,
         "host, sum f32 60 x 64 rows cold",
         " LANES=8 "},
        {{.rows = 64, .len = 64, .axis = 1},
         AUTOTUNE_OTHER_N,
         "host, sum f32 60 x 64 rows cold",
         " LANES=8 "},
        {{.rows = 70, .len = 128, .axis = 1},
         AUTOTUNE_OTHER_N,
         "host, sum f32 30 x 128 rows cold",
         " LANES=16 "},
        {{.rows = 60, .len = 64}, AUTOTUNE_DEFAULT, "", ""}, /* columns */
        {{.n = 3840}, AUTOTUNE_DEFAULT, "", ""},
    };
    keep_shape("shapes.ini", 60, 64, "8");
    keep_shape("shapes.ini", 30, 128, "16");
    char path[200];
    snprintf(path, sizeof path, "%s/shapes.ini", folder);
    struct autotune_context *context = open_context(path, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct autotune_problem problem = cases[i].problem;
        problem.op = "sum";
        problem.type = "f32";
        struct autotune_plan *plan = make_plan(context, &problem, AUTOTUNE_FROM_BEST);
        if (autotune_plan_grade(plan) != cases[i].grade &&
            !(cases[i].grade == AUTOTUNE_DEFAULT &&
              autotune_plan_grade(plan) == AUTOTUNE_SHIPPED)) /* what ships may grow */
            fail_msg("case %zu: grade %d, %s", i, (int)autotune_plan_grade(plan),
                     autotune_plan_warning(plan));
        if (cases[i].grade != AUTOTUNE_DEFAULT)
            assert_string_equal(autotune_plan_origin(plan), cases[i].origin);
        assert_non_null(strstr(autotune_plan_params(plan), cases[i].lanes));
        assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* Plans of other rows share kernels. */
static void test_shared_kernels(void **state)
{
    (void)state;
    const struct autotune_problem one = {.op = "sum",
                                         .type = "f32",
                                         .rows = 2000,
                                         .len = 40,
                                         .axis = 1};
    struct autotune_problem other = one;
    other.rows = 4000;
    struct autotune_context *context = open_context("/nowhere", NULL);
    struct autotune_plan *first = make_plan(context, &one, AUTOTUNE_FROM_DEFAULT);
    struct autotune_plan *second = make_plan(context, &other, AUTOTUNE_FROM_DEFAULT);
    assert_int_equal(autotune_plan_kernels(first), AUTOTUNE_COMPILED);
    assert_int_equal(autotune_plan_kernels(second), AUTOTUNE_LOADED);
    assert_int_equal(autotune_plan_destroy(first, &error), 0);
    assert_int_equal(autotune_plan_destroy(second, &error), 0);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* --- What is refused ---------------------------------------------------------------------- */

static void test_bad_shapes(void **state)
{
    (void)state;
    static const struct {
        struct autotune_problem problem; /* op and type may be missing */
        enum autotune_code code;
        const char *said;
    } cases[] = {
        {{.rows = 5, .axis = 1},
         AUTOTUNE_BAD_ARGUMENT,
         "give autotune_problem.rows and autotune_problem.len of 1 or more"},
        {{.len = 5}, AUTOTUNE_BAD_ARGUMENT, "a matrix has one row"},
        {{.axis = 1}, AUTOTUNE_BAD_ARGUMENT, "a matrix has one row"},
        {{.n = 5, .axis = 1}, AUTOTUNE_BAD_ARGUMENT, "give n for one value, or rows"},
        {{.n = 35, .rows = 5, .len = 7}, AUTOTUNE_BAD_ARGUMENT, "autotune_problem.n is not 0"},
        {{.rows = 5, .len = 7, .pitch = 6, .axis = 1},
         AUTOTUNE_BAD_ARGUMENT,
         "autotune_problem.pitch is 6, less than a row's 7"},
        {{.rows = 5, .len = 7, .axis = 2},
         AUTOTUNE_BAD_ARGUMENT,
         "autotune_problem.axis is 2: 1 gives a result for each row"},
        {{.rows = 5, .len = 7, .axis = -1}, AUTOTUNE_BAD_ARGUMENT, "problem.axis is -1"},
        {{.rows = UINT64_MAX, .len = 2, .axis = 1},
         AUTOTUNE_BAD_ARGUMENT,
         "give smaller autotune_problem.rows or autotune_problem.len"},
        {{.rows = 2, .len = 2, .pitch = UINT64_MAX},
         AUTOTUNE_BAD_ARGUMENT,
         "give smaller autotune_problem.rows or autotune_problem.pitch"},
        {{.rows = 2, .len = (UINT64_C(1) << 31) + 1, .axis = 1},
         AUTOTUNE_BAD_ARGUMENT,
         "2^31 is the most: for one value of more use autotune_problem.n"},
        {{.rows = 2, .len = 1, .pitch = UINT64_C(1) << 43, .axis = 1},
         AUTOTUNE_N_TOO_LARGE,
         "of 8796093022209 elements, first to last"},
        {{.rows = 1, .len = (UINT64_C(63) << 30) + 1},
         AUTOTUNE_N_TOO_LARGE,
         "of 67645734913 elements, first to last"},
    };
    struct autotune_context *context = open_context(folder, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct autotune_problem problem = cases[i].problem;
        struct autotune_plan *plan = NULL;
        problem.op = problem.op ? problem.op : "sum";
        problem.type = "i32";
        assert_refused(autotune_plan_create(&plan, context, &problem, NULL, &error),
                       cases[i].code, cases[i].said);
        assert_null(plan);
        assert_null(strstr(error.text, "--"));
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

static void test_bad_calls(void **state)
{
    (void)state;
    static int32_t x[100];
    char *odd = (char *)x + 1;
    const struct {
        int axis;
        const void *input;
        uint64_t n;
        void *output;
        enum autotune_code code;
        const char *said;
    } cases[] = {
        {1, x, 6, results, AUTOTUNE_N_TOO_LARGE, "n is 6, but the plan is for at most 5 rows"},
        {1, x, 35, results, AUTOTUNE_N_TOO_LARGE, "at most 5 rows"}, /* not elements */
        {1, odd, 5, results, AUTOTUNE_MISALIGNED, "of an element"},
        {1, x, 5, odd, AUTOTUNE_MISALIGNED, "of a result"},
        {0, NULL, 1, results, AUTOTUNE_BAD_ARGUMENT, "input is NULL"},
        {0, x, 0, NULL, AUTOTUNE_BAD_ARGUMENT, "output is NULL"},
        {1, x + 10, 5, x + 10 + 38, AUTOTUNE_BAD_ARGUMENT, "lies within the elements"},
        {1, x + 10, 5, x + 10 + 7, AUTOTUNE_BAD_ARGUMENT, "lies within"}, /* a gap */
        {1, x + 10, 5, x + 6, AUTOTUNE_BAD_ARGUMENT, "lies within"}, /* the last of 5 results */
        {0, x + 10, 1, x + 4, AUTOTUNE_BAD_ARGUMENT, "lies within"}, /* the last of 7 */
        {1, x + 10, 5, x + 10 + 39, AUTOTUNE_OK, ""},
        {1, x + 10, 4, x + 10 + 31, AUTOTUNE_OK, ""}, /* behind fewer rows */
        {1, x + 10, 5, x + 5, AUTOTUNE_OK, ""},
        {0, x + 10, 5, x + 3, AUTOTUNE_OK, ""},
        {1, NULL, 0, results, AUTOTUNE_OK, ""},
        {0, NULL, 0, results, AUTOTUNE_OK, ""},
    };
    struct autotune_context *context = open_context("/nowhere", NULL);
    struct autotune_problem problem = {.op = "sum",
                                       .type = "i32",
                                       .rows = 5,
                                       .len = 7,
                                       .pitch = 8};
    struct autotune_plan *plans[2];
    struct autotune_workspace *workspaces[2];
    for (int axis = 0; axis < 2; axis++) {
        problem.axis = axis;
        plans[axis] = make_plan(context, &problem, AUTOTUNE_FROM_DEFAULT);
        assert_int_equal(autotune_workspace_create(&workspaces[axis], plans[axis], NULL, NULL,
                                                   &error),
                         0);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int got = autotune_execute(workspaces[cases[i].axis], cases[i].input, cases[i].n,
                                         cases[i].output, NULL, &error);
        if (cases[i].code)
            assert_refused(got, cases[i].code, cases[i].said);
        else
            assert_int_equal(got, 0);
    }
    for (int axis = 0; axis < 2; axis++) {
        assert_int_equal(autotune_workspace_destroy(workspaces[axis], &error), 0);
        assert_int_equal(autotune_plan_destroy(plans[axis], &error), 0);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* The program is asked for the shape, not for n. */
static void test_tuning(void **state)
{
    (void)state;
    const struct autotune_plan_options options = {.from = AUTOTUNE_FROM_TUNING};
    struct autotune_problem problem = {.op = "sum", .type = "f16", .rows = 12, .len = 345};
    char program[200], arguments[200], said[600] = "", wanted[600];
    struct autotune_plan *plan;
    snprintf(program, sizeof program, "%s/program", folder);
    snprintf(arguments, sizeof arguments, "%s/arguments", folder);
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\necho \"$*\" > %s\n", arguments);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(program, 0700), 0);
    for (int axis = 0; axis < 2; axis++) {
        struct autotune_context *context = open_context(folder, program);
        problem.axis = axis;
        assert_refused(autotune_plan_create(&plan, context, &problem, &options, &error),
                       AUTOTUNE_TUNE_FAILED, "left no record");
        assert_int_equal(autotune_context_destroy(context, &error), 0);
        file = fopen(arguments, "r");
        assert_non_null(file);
        assert_non_null(fgets(said, sizeof said, file));
        fclose(file);
        snprintf(wanted, sizeof wanted,
                 "tune --quiet --device host --op sum --type f16 --acc f32 --rows 12 --len 345 "
                 "--pitch 345 --axis %d --cold --cache %s\n",
                 axis, folder);
        assert_string_equal(said, wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_result),    cmocka_unit_test(test_parts),
        cmocka_unit_test(test_record_by_shape), cmocka_unit_test(test_shared_kernels),
        cmocka_unit_test(test_bad_shapes),      cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_tuning),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
