/* Tests of the cases by which kernels of rows, columns and a middle axis are proven: a plain loop finds the results
 * that they expect. */
#include "autotune/verify/oracle.h"
#include "tests/unit/matrix_dims.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <math.h>

/* --- The cases ---------------------------------------------------------------------------- */

static int64_t add_up(const struct problem *problem, const int32_t *elements, uint64_t result)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < problem->dims.depth.n; i++)
        sum += (uint32_t)elements[dims_at(&problem->dims, result, i)];
    return sum;
}

static void test_cases_expect_sums(void **state)
{
    (void)state;
    const struct oracle_shape shape = {.block = 64,
                                       .tile = 96,
                                       .positions_max = 64,
                                       .at_once = 8};
    const struct dims kinds[] = {matrix_dims((struct matrix){2, 2, 2, OF_COLUMNS}),
                                 matrix_dims((struct matrix){2, 2, 2, OF_ROWS}),
                                 {{3, 6}, {2, 3}, {3, 1}, DIMS_ALL, DIMS_WHOLE}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        struct problem problem = {.op = op_of(SUM),
                                  .type = I32,
                                  .acc = I32,
                                  .dims = kinds[kind]};
        struct oracle_cases cases;
        struct error error;
        uint64_t gaps = 0, results = 0;
        assert_int_equal(oracle_make_cases(&cases, &problem, &shape, 3, &error), 0);
        for (size_t i = 0; i < cases.count; i++) {
            const struct oracle_case *c = &cases.cases[i];
            problem.dims = c->dims;
            gaps += dims_extent(&c->dims) > dims_n(&c->dims);
            for (uint64_t r = 0; r < dims_results(&c->dims); r++, results++)
                assert_int_equal(cases.expects[c->first + r],
                                 add_up(&problem, (const int32_t *)cases.elements + c->offset,
                                        r));
        }
        assert_true(gaps > 10 && results > 300);
        oracle_dispose_cases(&cases);
    }
}

/* Of rows, columns, a middle axis and a value, all with gaps: filled and folded in pieces as at once,
 * loud in the gaps, and the results are those of a plain loop. */
static void test_any_share_gives_the_same(void **state)
{
    (void)state;
    enum { EXTENT = 10000, RESULTS = 200, PIECE = 3001 };
    static const struct dims all[] = {
        {{70, 133}, {130, 1}, {1, 1}, DIMS_ALL, DIMS_WHOLE},
        {{1, 1}, {70, 133}, {130, 1}, DIMS_ALL, DIMS_WHOLE},
        {{6, 1500}, {70, 20}, {13, 1}, DIMS_ALL, DIMS_WHOLE},
        {{1, 1}, {3000, 3}, {1, 1}, DIMS_ALL, DIMS_WHOLE},
    };
    for (size_t d = 0; d < sizeof all / sizeof *all; d++) {
        struct oracle_input input =
            {.problem = {.op = op_of(MAX), .type = F32, .acc = F32, .dims = all[d]}, .seed = 5};
        static float whole[EXTENT], pieces[EXTENT];
        float expects[RESULTS], expected[RESULTS], loud, most = -HUGE_VALF;
        double largest = 0;
        struct error error;
        const struct problem *problem = &input.problem;
        const uint64_t results = dims_results(&all[d]), half = results / 2;
        const uint64_t extent = dims_extent(&all[d]);
        size_t gaps = 0;
        oracle_fill(&input, 0, extent, whole);
        for (uint64_t done = 0, take; done < extent; done += take) {
            take = extent - done < PIECE ? extent - done : PIECE;
            oracle_fill(&input, done, take, pieces + done);
        }
        assert_memory_equal(whole, pieces, extent * sizeof *whole);
        assert_int_equal(oracle_fold_results(problem, 0, results, whole, expects, NULL,
                                             &largest, &error),
                         0);
        assert_int_equal(oracle_fold_results(problem, half, results - half, whole,
                                             expected + half, NULL, &largest, &error),
                         0);
        assert_int_equal(oracle_fold_results(problem, 0, half, whole, expected, NULL, &largest,
                                             &error),
                         0);
        assert_memory_equal(expects, expected, results * sizeof *expects);
        for (uint64_t r = 0; r < results; r++) {
            float greatest = -HUGE_VALF;
            for (uint64_t i = 0; i < all[d].depth.n; i++)
                greatest = fmaxf(greatest, whole[dims_at(&all[d], r, i)]);
            assert_memory_equal(&greatest, &expects[r], sizeof greatest);
            most = fmaxf(most, greatest);
        }
        oracle_guard(problem, &loud);
        for (uint64_t i = 0; i < extent; i++)
            gaps += memcmp(&whole[i], &loud, sizeof loud) == 0;
        assert_int_equal(gaps, extent - dims_n(&all[d]));
        assert_true(loud > most);
    }
}

/* --- Shapes ------------------------------------------------------------------------------- */

static void test_shapes(void **state)
{
    (void)state;
    struct problem problem = {.op = op_of(SUM), .type = F32, .acc = F32};
    char text[DIMS_TEXT_CHARS];
    problem.dims = dims_value(400000000);
    assert_string_equal(dims_text_format(text, &problem.dims), "400M");
    problem.dims = matrix_dims((struct matrix){6, 4, 0, OF_ROWS});
    assert_int_equal(dims_n(&problem.dims), 24);
    assert_int_equal(problem.dims.outer.stride, 4);
    assert_int_equal(dims_results(&problem.dims), 6);
    assert_int_equal(dims_at(&problem.dims, 5, 3), 23);
    assert_string_equal(dims_text_format(text, &problem.dims), "6 x 4 rows");
    assert_true(problem_bytes(&problem) == 24 * 4 + 6 * 4);
    problem.dims = matrix_dims((struct matrix){6, 4, 7, OF_COLUMNS});
    assert_int_equal(dims_results(&problem.dims), 4);
    assert_int_equal(problem.dims.depth.n, 6);
    assert_int_equal(dims_extent(&problem.dims), 39);
    assert_int_equal(dims_at(&problem.dims, 3, 5), 38);
    assert_string_equal(dims_text_format(text, &problem.dims), "6 x 4 columns pitch 7");
    problem.dims = dims_left(&problem.dims,
                             8 / dims_results(&problem.dims)); /* two parts of each column */
    assert_int_equal(problem.dims.depth.n, 2);
    assert_int_equal(problem.dims.depth.stride, 4);
}

static void test_shapes_out_of_range(void **state)
{
    (void)state;
    static const struct {
        struct matrix shape;
        const char *why;
    } refused[] = {
        {{0, 4, 0, OF_ROWS}, "one row"},
        {{4, 0, 0, OF_ROWS}, "one row"},
        {{4, 5, 4, OF_ROWS}, "--pitch is 4"},
        {{UINT64_C(1) << 32, UINT64_C(1) << 31, UINT64_C(1) << 32, OF_ROWS}, "any memory"},
        {{UINT64_C(1) << 41, 1 << 20, 0, OF_ROWS}, "any memory"},
        {{UINT64_MAX, UINT64_MAX, 0, OF_ROWS}, "any memory"},
        {{2, (UINT64_C(1) << 31) + 1, 0, OF_ROWS}, "2^31"},
        {{(UINT64_C(1) << 31) + 1, 2, 0, OF_COLUMNS}, "2^31"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct problem problem = {.op = op_of(SUM),
                                  .type = F32,
                                  .acc = F32,
                                  .dims = DIMS_VALUE(7)};
        struct error error;
        assert_int_equal(dims_text_read(&problem.dims, &refused[i].shape, 4, &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, refused[i].why));
    }
}

/* What is said of dims, and dims that no option gives. */
static void test_words(void **state)
{
    (void)state;
    static const struct dims middle = {{4, 700}, {100, 7}, {7, 1}, DIMS_ALL, DIMS_WHOLE};
    static const struct dims strided = {{4, 900}, {100, 9}, {7, 1}, DIMS_ALL, DIMS_WHOLE};
    const struct dims value = dims_value(400000000);
    const struct dims rows = matrix_dims((struct matrix){5, 7, 8, OF_ROWS});
    const struct dims columns = matrix_dims((struct matrix){5, 7, 8, OF_COLUMNS});
    char text[DIMS_TEXT_CHARS], number[NUMBER_CHARS];
    assert_string_equal(dims_text_options(text, &value), "--n 400000000");
    assert_string_equal(dims_text_options(text, &rows), "--rows 5 --len 7 --pitch 8 --axis 1");
    assert_string_equal(dims_text_options(text, &columns),
                        "--rows 5 --len 7 --pitch 8 --axis 0");
    assert_string_equal(dims_text_file_part(text, &rows), "rows-5x7-8-35");
    assert_string_equal(dims_text_identifier(text, &rows), "5x7_pitch8");
    assert_string_equal(dims_text_format_named(text, &value), "n = 400M");
    assert_string_equal(dims_text_format(text, &middle), "4 x 100 x 7 middle axis");
    assert_string_equal(dims_text_format(text, &strided),
                        "4 x 100 x 7 middle axis strides 900 9 1");
    assert_string_equal(dims_text_cell(number, &columns, 0), "columns");
    assert_string_equal(dims_text_cell(number, &columns, 3), "8");
    assert_null(dims_text_cell(number, &value, 3));
    assert_ptr_equal(dims_text_find_name("rows"), dims_text_name(&rows));
    assert_null(dims_text_find_name("value"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_shapes_out_of_range),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_cases_expect_sums),
        cmocka_unit_test(test_any_share_gives_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
