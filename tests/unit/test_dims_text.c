/* Tests of dims_text: what options give is written back as options that give it again; names of files
 * differ where dims do; what is out of range is refused by a sentence that says what to do. */
#include "generator/dims_text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct error error;

/* What is written of the dims of each kind. */
static const struct {
    struct dims dims;
    const char *format, *named, *options, *identifier, *file_part, *name, *each, *promise,
        *space, *ordered;
} table[] = {
    {{{1, 1}, {4096, 1}, {1, 1}, DIMS_ALL, {1, 1}},
     "4Ki",
     "n = 4Ki",
     "--n 4096",
     "4096",
     "4096",
     "value",
     "",
     "",
     "usual",
     "ordered"},
    {{{37, 100}, {100, 1}, {1, 1}, DIMS_ALL, {1, 1}},
     "37 x 100 rows",
     "37 x 100 rows",
     "--rows 37 --len 100 --pitch 100 --axis 1",
     "37x100",
     "rows-37x100-100-3700",
     "rows",
     "rows",
     ", for each of the rows of a matrix",
     "rows",
     "ordered-rows"},
    {{{37, 104}, {100, 1}, {1, 1}, DIMS_ALL, {1, 1}},
     "37 x 100 rows pitch 104",
     "37 x 100 rows pitch 104",
     "--rows 37 --len 100 --pitch 104 --axis 1",
     "37x100_pitch104",
     "rows-37x100-104-3700",
     "rows",
     "rows",
     ", for each of the rows of a matrix",
     "rows",
     "ordered-rows"},
    {{{1, 1}, {37, 104}, {100, 1}, DIMS_ALL, {1, 1}},
     "37 x 100 columns pitch 104",
     "37 x 100 columns pitch 104",
     "--rows 37 --len 100 --pitch 104 --axis 0",
     "37x100_pitch104",
     "columns-37x100-104-3700",
     "columns",
     "columns",
     ", for each of the columns of a matrix",
     "columns",
     "ordered-columns"},
    {{{1, 1}, {37, 104}, {1, 1}, DIMS_ALL, {1, 1}},
     "37 x 1 columns pitch 104",
     "37 x 1 columns pitch 104",
     "--rows 37 --len 1 --pitch 104 --axis 0",
     "37x1_pitch104",
     "columns-37x1-104-37",
     "columns",
     "columns",
     ", for each of the columns of a matrix",
     "columns",
     "ordered-columns"},
    {{{4, 600}, {20, 30}, {30, 1}, DIMS_ALL, {1, 1}},
     "4 x 20 x 30 middle axis",
     "4 x 20 x 30 middle axis",
     "--dims 4,20,30 --axis 1",
     "4x20x30",
     "600-20x30-30x2400",
     "middle",
     "middle",
     ", along a middle axis",
     "middle",
     NULL},
    {{{4, 640}, {20, 32}, {30, 1}, DIMS_ALL, {1, 1}},
     "4 x 20 x 30 middle axis strides 640 32 1",
     "4 x 20 x 30 middle axis strides 640 32 1",
     "--dims 4,20,30 --strides 640,32,1 --axis 1",
     "4x20x30_strides640_32_1",
     "640-20x32-30x2400",
     "middle",
     "middle",
     ", along a middle axis",
     "middle",
     NULL},
    {{{64, 3136}, {100352, 1}, {1, 1}, DIMS_ALL, {3136, 200704}},
     "32 x 64 x 3136 axes 0,2",
     "32 x 64 x 3136 axes 0,2",
     "--dims 32,64,3136 --axis 0,2",
     "32x64x3136_axes0_2",
     "strided-32x64x3136_axes0_2-6422528",
     "strided",
     "strided",
     ", along several axes",
     "strided",
     NULL},
    {{{5, 100}, {7, 3}, {6, 25}, DIMS_ALL, {1, 1}},
     "5 x 6 x 7 axes 2 strides 100 25 3",
     "5 x 6 x 7 axes 2 strides 100 25 3",
     "--dims 5,6,7 --strides 100,25,3 --axis 2",
     "5x6x7_axes2_strides100_25_3",
     "strided-5x6x7_axes2_strides100_25_3-210",
     "strided",
     "strided",
     ", along several axes",
     "strided",
     NULL},
    {{{1, 1}, {4096, 1}, {1, 1}, DIMS_INCLUSIVE, {1, 1}},
     "4Ki inclusive scan",
     "n = 4Ki inclusive scan",
     "--scan inclusive --n 4096",
     "inclusive-4096",
     "inclusive-4096",
     "scan",
     "inclusive",
     ", inclusive scan",
     "scan",
     NULL},
    {{{1, 1}, {4096, 1}, {1, 1}, DIMS_EXCLUSIVE, {1, 1}},
     "4Ki exclusive scan",
     "n = 4Ki exclusive scan",
     "--scan exclusive --n 4096",
     "exclusive-4096",
     "exclusive-4096",
     "scan",
     "exclusive",
     ", exclusive scan",
     "scan",
     NULL},
    {{{37, 104}, {100, 1}, {1, 1}, DIMS_INCLUSIVE, {1, 1}},
     "37 x 100 rows pitch 104 scan inclusive",
     "37 x 100 rows pitch 104 scan inclusive",
     "--scan inclusive --rows 37 --len 100 --pitch 104 --axis 1",
     "37x100_pitch104",
     "inclusive-rows-37x100-104-3700",
     "scan-rows",
     "inclusive_rows",
     ", inclusive scan of each row of a matrix",
     "scan-rows",
     NULL},
    {{{300, 0}, {4096, 1}, {1, 1}, DIMS_ALL, {1, 1}},
     "4Ki in 300 segments",
     "4Ki in 300 segments",
     "--segments 300 --n 4096",
     "4096in300",
     "segments-300-4096",
     "segments",
     "segments",
     ", for each of the segments that offsets give",
     "segments",
     NULL},
};
enum { ROWS = sizeof table / sizeof *table };

static void assert_same(const char *got, const char *wanted, const char *what, size_t row)
{
    if (wanted ? !got || strcmp(got, wanted) != 0 : got != NULL)
        fail_msg("row %zu: %s is '%s', not '%s'", row, what, got ? got : "NULL",
                 wanted ? wanted : "NULL");
}

static void test_words(void **state)
{
    char out[DIMS_TEXT_CHARS];
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const struct dims *dims = &table[i].dims;
        assert_same(dims_text_format(out, dims), table[i].format, "format", i);
        assert_same(dims_text_format_named(out, dims), table[i].named, "named", i);
        if (table[i].options)
            assert_same(dims_text_options(out, dims), table[i].options, "options", i);
        assert_same(dims_text_identifier(out, dims), table[i].identifier, "identifier", i);
        assert_same(dims_text_file_part(out, dims), table[i].file_part, "file part", i);
        assert_same(dims_text_name(dims), table[i].name, "name", i);
        assert_same(dims_text_each(dims), table[i].each, "each", i);
        assert_same(dims_text_promise(out, dims), table[i].promise, "promise", i);
        assert_same(dims_text_space(dims, "usual"), table[i].space, "space", i);
        assert_same(dims_text_ordered_space(dims), table[i].ordered, "ordered space", i);
    }
}

/* Sentences name options that the dims have: --n where size is n alone, else --rows. */
static void test_advice(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const struct dims *dims = &table[i].dims;
        const bool is_by_n = strncmp(table[i].named, "n = ", 4) == 0;
        const bool has_axes = dims_is_middle(dims) || dims_is_strided(dims);
        const char *const said[] = {dims_text_option_names(dims), dims_text_another(dims),
                                    dims_text_smaller(dims)};
        for (size_t k = 0; k < sizeof said / sizeof *said; k++) {
            assert_int_equal(strstr(said[k], "--n") != NULL,
                             is_by_n || dims_is_segmented(dims));
            assert_int_equal(strstr(said[k], "--rows") != NULL,
                             !is_by_n && !has_axes && !dims_is_segmented(dims));
            assert_int_equal(strstr(said[k], "--segments") != NULL, dims_is_segmented(dims));
            assert_int_equal(strstr(said[k], "--dims") != NULL, has_axes);
        }
        assert_non_null(strstr(dims_text_others(dims), "there are records of"));
        assert_non_null(strstr(dims_text_nearness(dims), "rows x len"));
        assert_int_equal(strncmp(dims_text_nearness(dims), "rows first", 10) == 0,
                         strcmp(table[i].name, "columns") == 0);
    }
    assert_null(strstr(dims_text_sweep(dims_text_find_name("rows")), "--axis 0"));
    assert_non_null(strstr(dims_text_sweep(dims_text_find_name("columns")), "--axis 0"));
    assert_null(dims_text_find_name("value"));
    assert_null(dims_text_find_name("Rows"));
}

/* Numbers with commas between; how many there are. */
static size_t read_numbers(const char *at, uint64_t out[DIMS_TEXT_AXES])
{
    size_t count = 0;
    char *end;
    do
        out[count++] = strtoull(at, &end, 10);
    while (*end == ',' && (at = end + 1));
    return count;
}

static struct dims read_array(const char *options)
{
    const char *strides = strstr(options, "--strides "), *axis = strstr(options, "--axis ");
    struct dims_axis axes[DIMS_TEXT_AXES] = {{0, 0, false}};
    uint64_t numbers[DIMS_TEXT_AXES];
    struct dims out;
    const size_t count = read_numbers(options + strlen("--dims "), numbers);
    for (size_t i = 0; i < count; i++)
        axes[i].n = numbers[i];
    dims_text_pack(axes, count);
    if (strides)
        assert_int_equal(read_numbers(strides + strlen("--strides "), numbers), count);
    for (size_t i = 0; strides && i < count; i++)
        axes[i].stride = numbers[i];
    for (size_t i = read_numbers(axis + strlen("--axis "), numbers); i-- > 0;)
        axes[numbers[i]].is_combined = true;
    if (dims_text_read_axes(&out, axes, count, 4, &error))
        fail_msg("%s: %s", options, error.text);
    return out;
}

/* The dims that the options ask for, as the command line reads them. */
static struct dims read_options(const char *options)
{
    struct matrix matrix = {0};
    struct dims out;
    char scan[16] = "none";
    uint64_t n, count;
    enum dims_scan kind;
    const char *at = options;
    if (sscanf(at, "--segments %" SCNu64 " --n %" SCNu64, &count, &n) == 2)
        return dims_segments(count, n);
    if (sscanf(at, "--scan %15s", scan) == 1)
        at = strstr(at, scan) + strlen(scan) + 1;
    assert_int_equal(dims_text_find_scan(&kind, scan, &error), 0);
    if (sscanf(at, "--n %" SCNu64, &n) == 1)
        return dims_run(n, kind);
    if (strncmp(at, "--dims ", 7) == 0)
        return read_array(at);
    assert_int_equal(sscanf(at,
                            "--rows %" SCNu64 " --len %" SCNu64 " --pitch %" SCNu64
                            " --axis %d",
                            &matrix.rows, &matrix.len, &matrix.pitch, &matrix.axis),
                     4);
    if (dims_text_read(&out, &matrix, 4, &error))
        fail_msg("%s: %s", options, error.text);
    out.scan = kind;
    return out;
}

/* Every matrix of few rows, elements and gaps, by either axis. */
enum { MOST = 4, GAPS = 3, MATRICES = MOST * MOST * GAPS * 2 };

static struct dims make_matrix(size_t i)
{
    const struct matrix matrix = {.axis = (int)(i % 2),
                                  .rows = 1 + i / 2 % MOST,
                                  .len = 1 + i / 2 / MOST % MOST,
                                  .pitch = 1 + i / 2 / MOST % MOST + i / 2 / MOST / MOST};
    struct dims out;
    assert_int_equal(dims_text_read(&out, &matrix, 4, &error), 0);
    return out;
}

static void test_options_give_the_same(void **state)
{
    char out[DIMS_TEXT_CHARS];
    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        if (table[i].options) {
            const struct dims again = read_options(dims_text_options(out, &table[i].dims));
            assert_true(dims_is_same(&again, &table[i].dims));
        }
    for (size_t i = 0; i < MATRICES; i++) {
        const struct dims dims = make_matrix(i);
        const struct dims again = read_options(dims_text_options(out, &dims));
        assert_true(dims_is_same(&again, &dims));
    }
}

/* A journal's name is of its problem alone: other dims, another name. */
static void test_file_parts_differ(void **state)
{
    char one[DIMS_TEXT_CHARS], other[DIMS_TEXT_CHARS];
    (void)state;
    for (size_t i = 0; i < MATRICES; i++)
        for (size_t k = 0; k < MATRICES; k++) {
            const struct dims a = make_matrix(i), b = make_matrix(k);
            const bool is_same =
                strcmp(dims_text_file_part(one, &a), dims_text_file_part(other, &b)) == 0;
            if (is_same != (dims_is_same(&a, &b) != 0))
                fail_msg("'%s' and '%s'", one, other);
        }
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(table[i].file_part, table[k].file_part);
}

static void test_refused(void **state)
{
    static const struct {
        struct matrix given;
        int bytes;
        const char *says;
    } rows[] = {
        {{0, 5, 0, 1}, 4, "one row and one element"},
        {{5, 0, 0, 1}, 4, "one row and one element"},
        {{5, 8, 7, 1}, 4, "--pitch is 7, less than a row's 8 elements"},
        {{UINT64_C(1) << 40, 1 << 24, 0, 1}, 1, "smaller --rows or --len"},
        {{UINT64_C(1) << 40, 2, 1 << 24, 0}, 1, "smaller --rows or --pitch"},
        {{UINT64_C(1) << 30, UINT64_C(1) << 30, 0, 1}, 8, "more than any memory holds"},
        {{UINT64_C(1) << 30, UINT64_C(1) << 30, 0, 1}, 4, NULL},
        {{UINT64_MAX, 1, 0, 1}, 2, "more than any memory holds"},
        {{2, (UINT64_C(1) << 31) + 1, 0, 1}, 4, "2147483649 elements, and 2^31 is the most"},
        {{2, UINT64_C(1) << 31, 0, 1}, 4, NULL},
        {{(UINT64_C(1) << 31) + 1, 2, 0, 0}, 4, "2147483649 elements, and 2^31 is the most"},
        {{1, (UINT64_C(1) << 31) + 1, 0, 1}, 4, NULL}, /* it is one value */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dims out;
        error = (struct error){.code = ERROR_NONE};
        const int got = dims_text_read(&out, &rows[i].given, rows[i].bytes, &error);
        if (rows[i].says && (!got || !strstr(error.text, rows[i].says)))
            fail_msg("row %zu: '%s' does not say '%s'", i, error.text, rows[i].says);
        if (!rows[i].says && got)
            fail_msg("row %zu: %s", i, error.text);
        assert_int_equal(error.code, rows[i].says ? ERROR_USAGE : ERROR_NONE);
    }
    enum dims_scan scan = DIMS_ALL;
    assert_int_equal(dims_text_find_scan(&scan, "Inclusive", &error), -1);
    assert_non_null(strstr(error.text, "choose inclusive, exclusive or none"));
}

/* What is given in its place makes the kernel serve: it is not what was asked for already. */
static void test_refuse_kinds(void **state)
{
    struct dims forms[DIMS_TEXT_FORMS];
    char out[DIMS_TEXT_CHARS], sentence[DIMS_TEXT_SENTENCE_CHARS];
    (void)state;
    dims_text_forms(forms, 24, 6, 2);
    for (size_t own = 0; own < DIMS_TEXT_FORMS; own++)
        for (size_t asked = 0; asked < DIMS_TEXT_FORMS; asked++) {
            if (strcmp(dims_text_name(&forms[own]), dims_text_name(&forms[asked])) == 0)
                continue;
            dims_text_refuse(out, &forms[own], &forms[asked]);
            const char *advice = strstr(out, ": give ");
            assert_non_null(advice);
            assert_true(strlen(out) + 1 < DIMS_TEXT_CHARS);
            if (forms[own].scan && !forms[asked].scan)
                assert_non_null(strstr(advice, "--scan inclusive"));
            else if (!forms[own].scan && forms[asked].scan)
                assert_non_null(strstr(advice, "no --scan"));
            else if (dims_is_middle(&forms[own]) || dims_is_strided(&forms[own]))
                assert_non_null(strstr(advice, "--dims and --axis"));
            else if (dims_is_segmented(&forms[own]))
                assert_non_null(strstr(advice, "--segments and --n"));
            else if (forms[own].outer.n == 1 && forms[own].depth.stride == 1)
                assert_non_null(strstr(advice, dims_is_segmented(&forms[asked])
                                                   ? "no --segments"
                                                   : "--n in place of --rows"));
            else if ((forms[asked].outer.n == 1 && forms[asked].depth.stride == 1) ||
                     dims_is_segmented(&forms[asked]))
                assert_non_null(strstr(advice, "--rows and --len"));
            else
                assert_non_null(
                    strstr(advice, forms[own].outer.n > 1 ? "--axis 1" : "--axis 0"));
            dims_text_refuse_space(sentence, &forms[own], &forms[asked], "other");
            assert_non_null(strstr(sentence, ": use --space other"));
            assert_int_equal(strstr(sentence, "--rows") != NULL,
                             strcmp(dims_text_name(&forms[asked]), "value") == 0 &&
                                 !forms[own].scan && !dims_is_middle(&forms[own]) &&
                                 !dims_is_strided(&forms[own]) &&
                                 !dims_is_segmented(&forms[own]));
        }
}

static void test_order(void **state)
{
    const struct dims sorted[] = {
        {{9, 4}, {4, 1}, {1, 1}, DIMS_ALL, {1, 1}},
        {{2, 5}, {5, 1}, {1, 1}, DIMS_ALL, {1, 1}},
        {{3, 5}, {5, 1}, {1, 1}, DIMS_ALL, {1, 1}},
        {{3, 6}, {5, 1}, {1, 1}, DIMS_ALL, {1, 1}},
    };
    const struct dims small = dims_value(5), large = dims_value(6),
                      scan = dims_run(5, DIMS_INCLUSIVE);
    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 4; k++) {
            const int got = dims_text_compare_sizes(&sorted[i], &sorted[k]);
            assert_int_equal((got > 0) - (got < 0), (i > k) - (i < k));
        }
    assert_true(dims_text_compare_sizes(&small, &large) < 0);
    assert_int_equal(dims_text_compare_sizes(&small, &scan), 0);
    assert_true(dims_text_compare(&small, &sorted[0]) < 0);
    assert_int_equal(dims_text_compare(&small, &large), 0);
}

static void test_cells(void **state)
{
    char number[NUMBER_CHARS], out[DIMS_TEXT_CHARS];
    struct dims_text_spans spans = {.has_some = false};
    (void)state;
    for (size_t i = 0; i < DIMS_TEXT_CELLS; i++) {
        static const char *const rows[] = {"rows", "37", "100", "104"},
                                 *const columns[] = {"columns", "37", "100", "104"},
                                 *const value[] = {"value", NULL, NULL, NULL};
        assert_same(dims_text_cell(number, &table[2].dims, i), rows[i], "cell", i);
        assert_same(dims_text_cell(number, &table[3].dims, i), columns[i], "cell", i);
        assert_same(dims_text_cell(number, &table[0].dims, i), value[i], "cell", i);
    }
    assert_string_equal(dims_text_shown(out, &table[1].dims, 0), "37");
    assert_string_equal(dims_text_shown(out, &table[1].dims, 1), "100");
    assert_string_equal(dims_text_shown(out, &table[2].dims, 1), "100 pitch 104");
    dims_text_widen(&spans, &table[1].dims);
    assert_string_equal(dims_text_span(out, &spans, 0), "37");
    dims_text_widen(&spans, &(struct dims){{9, 200}, {200, 1}, {1, 1}, DIMS_ALL, {1, 1}});
    dims_text_widen(&spans, &(struct dims){{50, 7}, {7, 1}, {1, 1}, DIMS_ALL, {1, 1}});
    static const char *const wide[] = {"9..50", "7..200", "9", "50", "7", "200"};
    for (size_t i = 0; i < DIMS_TEXT_SPANS_CELLS; i++)
        assert_same(dims_text_span(out, &spans, i), wide[i], "span", i);
}

static void test_result(void **state)
{
    char out[DIMS_TEXT_CHARS];
    (void)state;
    assert_string_equal(dims_text_result(out, &table[0].dims, 0), "at n = 4096");
    assert_string_equal(dims_text_result(out, &table[1].dims, 3), "3 of 37");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_advice),
        cmocka_unit_test(test_options_give_the_same),
        cmocka_unit_test(test_file_parts_differ),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_refuse_kinds),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
