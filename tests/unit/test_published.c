/* Published figures: the documents' tables stand here as the documents have them. Each of their
 * numbers is read back digit by digit, and nothing else is there; what a file gets wrong is
 * refused with its line. */
#include "autotune/compare/published.h"
#include "autotune/device/gpus.h"
#include "autotune/embedded.h"
#include "autotune/ladder/rungs.h"
#include "autotune/print/figures.h"
#include "generator/number.h"
#include "tests/unit/named_op.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct published published;

static void load(const char *name)
{
    char path[100];
    struct error error;
    snprintf(path, sizeof path, "configs/published/%s.ini", name);
    const struct embedded *file = embedded_find(path);
    if (!file)
        fail_msg("%s is not embedded", path);
    if (published_load(&published, path, file->bytes, file->length, &error))
        fail_msg("%s", error.text);
}

static void check_number(const struct published_figure *figure, enum published_column column,
                         const char *want)
{
    char got[NUMBER_CHARS];
    published_write(got, &figure->at[column]);
    if (strcmp(got, want) != 0)
        fail_msg("%s, %s: \"%s\", not \"%s\"", published.kernels[figure->kernel].kernel,
                 published_columns[column], got, want);
}

/* --- The documents' tables ---------------------------------------------------------------- */

static bool is_seen[PUBLISHED_FIGURES_MAX][PUBLISHED_COLUMNS];

/* The figure of a kernel whose `key` is written so; with key NONE its only one. */
enum { NONE = PUBLISHED_COLUMNS };
static size_t find_figure(size_t kernel, int key, const char *word)
{
    const size_t first = published.kernels[kernel].first;
    const size_t count = published.kernels[kernel].count;
    char got[NUMBER_CHARS];
    if (key == NONE) {
        assert_int_equal(count, 1);
        return first;
    }
    for (size_t i = first; i < first + count; i++)
        if (strcmp(published_write(got, &published.figures[i].at[key]), word) == 0)
            return i;
    fail_msg("%s has none at %s = %s", published.kernels[kernel].kernel, published_columns[key],
             word);
    return 0;
}

/* The next number of a line, as "5,017.23" or "2.33x" or "-" for none; false at its end. */
static bool next_number(const char **at, char out[NUMBER_CHARS])
{
    for (;;) {
        size_t length = 0;
        *at += strspn(*at, " \t|");
        if (!**at || **at == '\n')
            return false;
        const char first = **at;
        for (; **at && !strchr(" \t|\n", **at); ++*at)
            if (**at != ',' && **at != 'x' && length < NUMBER_CHARS - 1)
                out[length++] = **at;
        out[length] = '\0';
        if ((first >= '0' && first <= '9') || first == '-')
            return true;
    }
}

/* What a number of a line is: of which kernel, in which column. */
struct place {
    size_t kernel;
    int column; /* NONE: of no interest, or said elsewhere */
};

/* A table of a document: with a key each line begins with its value; without one each line is of
 * a kernel of its own, the first of places[0].kernel. */
static void check_table(const char *text, int key, const struct place *places)
{
    size_t line = 0;
    for (const char *at = text; *at; line++) {
        char value[NUMBER_CHARS] = "", word[NUMBER_CHARS];
        if (key != NONE)
            assert_true(next_number(&at, value));
        for (size_t i = 0; next_number(&at, word); i++) {
            if (strcmp(word, "-") == 0 || places[i].column == NONE)
                continue;
            const size_t kernel = places[i].kernel + (key == NONE ? line : 0);
            const size_t figure = find_figure(kernel, key, value);
            check_number(&published.figures[figure], (enum published_column)places[i].column,
                         word);
            is_seen[figure][places[i].column] = true;
        }
        assert_true(*at == '\n');
        at++;
    }
}

/* A number that stands in the document's text. */
static void check_word(size_t kernel, int key, const char *value, int column, const char *want)
{
    const size_t figure = find_figure(kernel, key, value);
    check_number(&published.figures[figure], (enum published_column)column, want);
    is_seen[figure][column] = true;
}

/* Nothing is there that the tables above do not have; and so many numbers are. */
static void check_seen(size_t want)
{
    size_t count = 0;
    for (size_t i = 0; i < published.figure_count; i++)
        for (int c = PUBLISHED_MS; c < PUBLISHED_COLUMNS; c++) {
            if (published.figures[i].at[c].is_there && !is_seen[i][c])
                fail_msg("%s: the document has no %s",
                         published.kernels[published.figures[i].kernel].kernel,
                         published_columns[c]);
            count += is_seen[i][c];
        }
    assert_int_equal(count, want);
    memset(is_seen, 0, sizeof is_seen);
}

static void check_head(const char *gpu, const char *peak, enum type type, uint64_t n)
{
    char got[NUMBER_CHARS];
    if (gpu)
        assert_string_equal(published.gpu, gpu);
    else
        assert_null(published.gpu);
    assert_string_equal(published_write(got, &published.peak_gbs), peak);
    assert_ptr_equal(published.problem.op, op_of(SUM));
    assert_int_equal(published.problem.type, type);
    assert_int_equal(dims_n(&published.problem.dims), n);
}

static void test_reduction_part_1(void **state)
{
    (void)state;
    static const char by_threads[] = "| 128 | 5,017.23 | 431.366 | 48.14 |\n"
                                     "| 256 | 5,098.87 | 423.229 | 47.23 |\n"
                                     "| 512 | 5,652.35 | 380.67 | 42.48 |\n"
                                     "| 1,024 | 10,193.5 | 210.878 | 23.53 |\n";
    static const char by_kernel[] = "| 5,017.23 | 431.366 | 48.14 |\n"
                                    "| 4,962.33 | 436.138 | 48.67 |\n";
    static const struct place places[] = {{0, PUBLISHED_US},
                                          {0, PUBLISHED_GBS},
                                          {0, PUBLISHED_PEAK}};
    load("reduction-part-1");
    check_head("RTX 5070 Ti", "896", F32, 2048ull * 1024 * 256);
    check_table(by_threads, PUBLISHED_THREADS, places);
    check_table(strchr(by_kernel, '\n') + 1, NONE,
                (const struct place[]){{1, PUBLISHED_US},
                                       {1, PUBLISHED_GBS},
                                       {1, PUBLISHED_PEAK}});
    /* "the other thread configurations are able to achieve 100% theoretical occupancy" */
    check_word(0, PUBLISHED_THREADS, "1024", PUBLISHED_OCCUPANCY, "66.67");
    check_word(0, PUBLISHED_THREADS, "512", PUBLISHED_OCCUPANCY, "100");
    check_word(0, PUBLISHED_THREADS, "256", PUBLISHED_OCCUPANCY, "100");
    check_word(0, PUBLISHED_THREADS, "128", PUBLISHED_OCCUPANCY, "100");
    check_seen(4 * 3 + 3 + 4);
    /* a row has an element a thread; the kernels are the document's own */
    for (size_t i = 0; i < published.figure_count; i++)
        assert_int_equal(published.figures[i].at[PUBLISHED_ROW].digits,
                         published.figures[i].at[PUBLISHED_THREADS].digits);
    assert_string_equal(published.kernels[0].rung, "batched-0");
    assert_string_equal(published.kernels[1].rung, "batched-1");
    assert_int_equal(published.figures[0].ps, 5017230000);
    published_dispose(&published);
}

static void test_cuda_006(void **state)
{
    (void)state;
    static const char text[] = "reduce_naive 6.73 20.91 38.26\n"
                               "reduce_shared_memory 3.93 55.48 65.01\n"
                               "reduce_0 7.15 89.75 89.75\n"
                               "reduce_1 7.24 88.58 88.58\n"
                               "reduce_2 7.04 91.14 91.14\n"
                               "reduce_3 3.90 91.17 91.17\n"
                               "reduce_4 2.86 65.34 90.23\n"
                               "reduce_5 2.65 36.17 96.50\n";
    static const struct place places[] = {{0, PUBLISHED_MS},
                                          {0, PUBLISHED_COMPUTE},
                                          {0, PUBLISHED_MEMORY}};
    static const char *const rungs[] = {"wangyu-naive", "wangyu-shared", "wangyu-0",
                                        "wangyu-1",     "wangyu-2",      "wangyu-3",
                                        "wangyu-4",     "wangyu-5"};
    load("cuda-006");
    check_head("RTX 5070", "", I32, 400000000);
    check_table(text, NONE, places);
    check_seen(8 * 3);
    for (size_t i = 0; i < 8; i++)
        assert_string_equal(published.kernels[i].rung, rungs[i]);
    /* "performs better than the previous ones when using 4 chunks" */
    check_number(&published.figures[7], PUBLISHED_ITEMS, "4");
    assert_int_equal(published.figures[7].ps, 2650000000);
    published_dispose(&published);
}

static void test_cs599(void **state)
{
    (void)state;
    static const char first[] = "32\t54.05\t0.02\t84.59\n64\t26.60\t0.04\t166.56\n"
                                "128\t20.58\t0.05\t212.01\n256\t23.70\t0.05\t182.67\n"
                                "512\t27.65\t0.04\t155.94\n1024\t34.50\t0.03\t124.75\n";
    static const char second[] = "32\t54.05\t84.59\t54.06\t84.57\t0.99\n"
                                 "64\t26.60\t166.56\t26.61\t166.51\t0.99\n"
                                 "128\t20.58\t212.01\t14.50\t300.92\t1.42\n"
                                 "256\t23.70\t182.67\t15.04\t287.91\t1.58\n"
                                 "512\t27.65\t155.94\t17.05\t252.96\t1.62\n"
                                 "1024\t34.50\t124.75\t20.73\t207.64\t1.66\n";
    static const char third[] =
        "32\t54.05\t84.59\t54.06\t84.57\t54.06\t84.58\t1.00\t\t\t0.99\n"
        "64\t26.60\t166.56\t26.61\t166.51\t26.61\t166.53\t1.00\t\t\t0.99\n"
        "128\t20.58\t212.01\t14.50\t300.92\t13.21\t330.20\t1.10\t\t\t1.57\n"
        "256\t23.70\t182.67\t15.04\t287.91\t11.32\t382.45\t1.32\t\t\t2.09\n"
        "512\t27.65\t155.94\t17.05\t252.96\t12.96\t332.61\t1.31\t\t\t2.13\n"
        "1024\t34.50\t124.75\t20.73\t207.64\t16.46\t261.41\t1.26\t\t\t2.10\n";
    static const char fourth[] = "32\t54.06\t84.58\t26.61\t166.56\t2.03\t2.03\n"
                                 "64\t26.61\t166.53\t13.21\t330.19\t2.01\t2.01\n"
                                 "128\t13.21\t330.20\t6.59\t656.86\t2.00\t3.12\n"
                                 "256\t11.32\t382.45\t6.30\t684.03\t1.80\t3.75\n"
                                 "512\t12.96\t332.61\t7.11\t605.13\t1.82\t3.88\n"
                                 "1024\t16.46\t261.41\t8.77\t490.22\t1.88\t3.93\n";
    static const char others[] =
        "32\t13.21\t330.33\t-\t-\t5.03\t857.25\t4.96\t867.67\t-\t-\n"
        "64\t6.60\t656.33\t5.03\t856.16\t5.00\t864.60\t-\t-\t4.93\t871.31\n"
        "128\t4.97\t867.23\t4.96\t867.15\t-\t-\t4.91\t874.29\t4.92\t872.82\n"
        "256\t4.94\t870.91\t4.92\t873.42\t4.91\t875.47\t4.91\t875.18\t4.93\t872.02\n"
        "512\t5.00\t859.36\t4.91\t875.77\t4.90\t876.47\t4.93\t872.14\t4.99\t860.51\n"
        "1024\t5.46\t786.22\t4.90\t876.63\t4.91\t873.41\t4.92\t872.98\t-\t\n";
    static const char *const items[] = {"1", "1", "1", "2", "4", "8", "16", "32", "64"};
    enum { MS = PUBLISHED_MS, GBS = PUBLISHED_GBS, T = PUBLISHED_THREADS };
    load("cs599-lecture-6");
    check_head("V100", "898", F32, 1ull << 30);
    check_table(first, T, (const struct place[]){{0, MS}, {0, PUBLISHED_TFLOPS}, {0, GBS}});
    check_table(
        second, T,
        (const struct place[]){{0, MS}, {0, GBS}, {1, MS}, {1, GBS}, {1, PUBLISHED_STEP}});
    check_table(third, T,
                (const struct place[]){{0, MS},
                                       {0, GBS},
                                       {1, MS},
                                       {1, GBS},
                                       {2, MS},
                                       {2, GBS},
                                       {2, PUBLISHED_STEP},
                                       {2, PUBLISHED_TOTAL}});
    check_table(fourth, T,
                (const struct place[]){{2, MS},
                                       {2, GBS},
                                       {3, MS},
                                       {3, GBS},
                                       {3, PUBLISHED_STEP},
                                       {3, PUBLISHED_TOTAL}});
    check_table(others, T,
                (const struct place[]){{4, MS},
                                       {4, GBS},
                                       {5, MS},
                                       {5, GBS},
                                       {6, MS},
                                       {6, GBS},
                                       {7, MS},
                                       {7, GBS},
                                       {8, MS},
                                       {8, GBS}});
    for (size_t k = 0; k < 9; k++)
        for (size_t i = 0; i < published.kernels[k].count; i++)
            check_number(&published.figures[published.kernels[k].first + i], PUBLISHED_ITEMS,
                         items[k]);
    /* the occupancy calculator's page, for blocks of 512 */
    static const struct {
        int column;
        const char *want;
    } page[] = {{PUBLISHED_OCCUPANCY, "100"},       {PUBLISHED_REGISTERS, "16"},
                {PUBLISHED_SHARED, "2048"},         {PUBLISHED_SM_THREADS, "2048"},
                {PUBLISHED_SM_WARPS, "64"},         {PUBLISHED_SM_BLOCKS, "4"},
                {PUBLISHED_BLOCK_WARPS, "16"},      {PUBLISHED_LIMIT_WARPS, "64"},
                {PUBLISHED_LIMIT_REGISTERS, "128"}, {PUBLISHED_LIMIT_SHARED, "98304"},
                {PUBLISHED_FIT_WARPS, "4"},         {PUBLISHED_FIT_REGISTERS, "8"},
                {PUBLISHED_FIT_SHARED, "48"}};
    for (size_t i = 0; i < sizeof page / sizeof *page; i++)
        check_word(9, T, "512", page[i].column, page[i].want);
    check_seen(49 * 2 + 6 + 6 + 12 + 12 + 13);
    published_dispose(&published);
}

static void test_cs759(void **state)
{
    (void)state;
    static const char text[] = "8.054 ms 2.083 GB/s\n"
                               "3.456 ms 4.854 GB/s 2.33x 2.33x\n"
                               "1.722 ms 9.741 GB/s 2.01x 4.68x\n"
                               "0.965 ms 17.377 GB/s 1.78x 8.34x\n"
                               "0.536 ms 31.289 GB/s 1.8x 15.01x\n"
                               "0.381 ms 43.996 GB/s 1.41x 21.16x\n"
                               "0.268 ms 62.671 GB/s 1.42x 30.04x\n";
    static const struct place places[] = {{0, PUBLISHED_MS},
                                          {0, PUBLISHED_GBS},
                                          {0, PUBLISHED_STEP},
                                          {0, PUBLISHED_TOTAL}};
    load("cs759-lecture");
    check_head(NULL, "86.4", I32, 1 << 22);
    check_table(text, NONE, places);
    check_word(7, NONE, "", PUBLISHED_GBS, "73"); /* "Kernel 7 on 32M elements: 73 GB/s!" */
    check_seen(7 * 4 - 2 + 1);
    assert_int_equal(dims_n(&published.kernels[7].problem.dims), 32000000);
    for (size_t k = 0; k < 7; k++)
        check_number(&published.figures[k], PUBLISHED_THREADS, "128");
    published_dispose(&published);
}

static void test_scan(void **state)
{
    (void)state;
    static const char text[] = "1024 0.002231 0.079492 0.03\n"
                               "32768 0.072663 0.106159 0.68\n"
                               "65536 0.146326 0.137006 1.07\n"
                               "131072 0.726429 0.200257 3.63\n"
                               "262144 1.454742 0.326900 4.45\n"
                               "524288 2.911067 0.624104 4.66\n"
                               "1048576 5.900097 1.118091 5.28\n"
                               "2097152 11.848376 2.099666 5.64\n"
                               "4194304 23.835931 4.062923 5.87\n"
                               "8388688 47.390906 7.987311 5.93\n"
                               "16777216 94.794598 15.854781 5.98\n";
    static const struct place places[] = {{0, PUBLISHED_CPU_MS},
                                          {0, PUBLISHED_MS},
                                          {0, PUBLISHED_CPU_RATIO}};
    load("cs759-scan");
    check_head(NULL, "", F32, 1 << 24);
    check_table(text, PUBLISHED_ELEMENTS, places);
    check_seen(11 * 3);
    assert_string_equal(published.kernels[0].task, "exclusive prefix scan");
    assert_int_equal(published.figures[10].ps, 15854781000);
    published_dispose(&published);
}

/* Each file of the folder is one of the five; its GPU and its rungs are there. */
static void test_files(void **state)
{
    (void)state;
    const struct embedded *ladder = embedded_find("configs/ladder/rungs.ini");
    size_t count = 0;
    struct rungs rungs;
    struct error error;
    if (rungs_load(&rungs, ladder->name, ladder->bytes, ladder->length, &error))
        fail_msg("%s", error.text);
    for (const struct embedded *file = NULL;
         (file = embedded_next(file, "configs/published/"));) {
        bool is_chosen[RUNGS_MAX] = {false};
        if (published_load(&published, file->name, file->bytes, file->length, &error))
            fail_msg("%s", error.text);
        assert_true(!published.gpu || gpus_knows_model(published.gpu));
        assert_true(published.conditions.count > 0);
        for (size_t k = 0; k < published.kernel_count; k++)
            if (published.kernels[k].rung &&
                rungs_choose(&rungs, published.kernels[k].rung, is_chosen, &error))
                fail_msg("%s: %s", file->name, error.text);
        published_dispose(&published);
        count++;
    }
    rungs_dispose(&rungs);
    assert_int_equal(count, 5);
}

/* The best of as many elements, but with a result for each so many. */
static const struct published_figure *best_of_each(const struct problem *problem,
                                                   uint64_t depth)
{
    struct problem other = *problem;
    other.dims = dims_resized(&other.dims, dims_n(&other.dims) / depth, depth, 0);
    return published_best(&published, &other);
}

static void test_best(void **state)
{
    (void)state;
    load("cs599-lecture-6");
    struct problem problem = published.problem;
    const struct published_figure *best = published_best(&published, &problem);
    assert_non_null(best);
    check_number(best, PUBLISHED_MS, "4.90");
    check_number(best, PUBLISHED_THREADS, "1024");
    assert_null(best_of_each(&problem, 128));
    problem.dims.depth.n++;
    assert_null(published_best(&published, &problem));
    published_dispose(&published);
    load("reduction-part-1");
    assert_null(published_best(&published, &published.problem)); /* rows are no one value */
    check_number(best_of_each(&published.problem, 128), PUBLISHED_US, "4962.33");
    check_number(best_of_each(&published.problem, 512), PUBLISHED_US, "5652.35");
    published_dispose(&published);
    load("cs759-lecture");
    problem = published.kernels[7].problem; /* a figure without a time is one */
    check_number(published_best(&published, &problem), PUBLISHED_GBS, "73");
    problem = published.problem; /* but one that has a time is taken before it */
    check_number(published_best(&published, &problem), PUBLISHED_MS, "0.268");
    published_dispose(&published);
    load("cs759-scan"); /* a scan is no reduction */
    assert_null(published_best(&published, &published.problem));
    published_dispose(&published);
}

static void check_value(const struct published_value *value, const char *want, bool is_own)
{
    char got[NUMBER_CHARS];
    assert_string_equal(figures_short(got, value->value, value->digits), want);
    assert_int_equal(value->is_own, is_own);
}

/* A figure is shown as its document writes it; what is computed has as many digits as what it
 * comes from: "4.90 876.63" of 898, "2.65" alone, "10,193.5 210.878 23.53", "0.268 ms 62.671
 * GB/s", "73 GB/s". */
static void test_shown(void **state)
{
    (void)state;
    static const struct {
        const char *file, *rung, *threads, *time, *us, *gbs, *share;
        double peak;
        bool own_gbs, own_share;
    } rows[] = {
        {"cs599-lecture-6", "cs599-6", "1024", "4.90 ms", "4900", "876.63", "97.6", 898.048,
         true, false}, /* 876.63 / 898 */
        {"cs599-lecture-6", "cs599-1", "32", "54.05 ms", "54050", "84.59", "9.4", 898.048, true,
         false},
        {"cuda-006", "wangyu-5", "", "2.65 ms", "2650", "604", "89.8", 672, false,
         false}, /* 1.6 GB in 2.65 ms are 603.77 GB/s */
        {"cuda-006", "wangyu-3", "", "3.90 ms", "3900", "410", "61.1", 672, false, false},
        {"reduction-part-1", "batched-0", "1024", "10193.5 us", "10193.5", "210.878", "23.53",
         896, true, true},
        {"reduction-part-1", "batched-0", "512", "5652.35 us", "5652.35", "380.67", "42.48",
         896, true, true},
        {"cs759-lecture", "harris-7", "128", "0.268 ms", "268", "62.671", "72.5", 86.4, true,
         false},
        {"cs759-lecture", "harris-7", "", "", "", "73", "84", 86.4, true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct published_figure *figure = NULL;
        char got[NUMBER_CHARS];
        load(rows[i].file);
        for (size_t f = 0; f < published.figure_count; f++)
            if (strcmp(published.kernels[published.figures[f].kernel].rung, rows[i].rung) ==
                    0 &&
                strcmp(published_write(got, &published.figures[f].at[PUBLISHED_THREADS]),
                       rows[i].threads) == 0 &&
                !published.kernels[published.figures[f].kernel].task)
                figure = &published.figures[f];
        assert_non_null(figure);
        assert_string_equal(published_time(got, figure), rows[i].time);
        assert_string_equal(published_us(got, figure), rows[i].us);
        const struct published_value gbs = published_gbs(&published, figure);
        const struct published_value share = published_share(&published, figure, rows[i].peak);
        check_value(&gbs, rows[i].gbs, rows[i].own_gbs);
        check_value(&share, rows[i].share, rows[i].own_share);
        published_dispose(&published);
    }
}

#define HEAD                                                                                   \
    "[published]\nschema = 1\nsource = S\ngpu = -\ngpu_name = G\nop = sum\ntype = i32\n"
#define WHOLE HEAD "n = 1K\ncondition = c\n"

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {
        {WHOLE, "no [figures NAME]"},
        {"", "no [figures NAME]"},
        {WHOLE "[figures a]\nms = 1\n", "needs kernel"},
        {WHOLE "[figures a]\nkernel = k\n", "a figure, as ms, us or gbs"},
        {WHOLE "[figures a]\nkernel = k\nms = 1\nnote =\n", "t:13: [figures a] note: is empty"},
        {WHOLE "[figures a]\nkernel = k\nms = 1\nnotes = n\n", "no key of [figures]"},
        {WHOLE "[figures a]\nkernel = k\nthreads = 1 2\n", "ms, us or gbs"},
        {WHOLE "[figures a]\nkernel = k\nms = 1 2\nthreads = 1 2 3\n",
         "t:13: [figures a] threads"},
        {WHOLE "[figures a]\nkernel = k\nms = 1\nus = 1\n", "both ms and us"},
        {WHOLE "[figures a]\nkernel = k\nms = 1.\n", "t:12:"},
        {WHOLE "[figures a]\nkernel = k\nms = .5\n", "no list of numbers"},
        {WHOLE "[figures a]\nkernel = k\nms = 1,5\n", "no list of numbers"},
        {WHOLE "[figures a]\nkernel = k\nms = 1e3\n", "no list of numbers"},
        {WHOLE "[figures a]\nkernel = k\nms = 1.2.3\n", "no list of numbers"},
        {WHOLE "[figures a]\nkernel = k\nms = -1\n", "no list of numbers"},
        {WHOLE "[figures a]\nkernel = k\nms = 1  2\n", "no list of numbers"},
        {WHOLE "[figures a]\nkernel = k\nms =\n", "no list of numbers"},
        {WHOLE "[figures a]\nkernel = k\nms = 1234567890123\n", "no list of numbers"},
        {WHOLE "[figures a]\nkernel = k\nms = 1 0.00\n", "t:12: [figures a] ms: has a 0"},
        {WHOLE "[figures a]\nkernel = k\nms = 1\ngbs = 0\n", "t:13: [figures a] gbs: has a 0"},
        {WHOLE "[figures a]\nkernel = k\nms = 1\nmemory_pct = 100.1\n", "more than 100 %"},
        {WHOLE "[figures a]\nkernel = \xff\nms = 1\n", "t:11: bytes that are not UTF-8"},
        {WHOLE "[figures a]\nkernel = k\nms = 1\nwatts = 5\n", "t:13: [figures a] watts"},
        {WHOLE "[figures a]\nkernel = k\nms = 1\nrung =\n", "is empty"},
        {WHOLE "[figures a]\nkernel = k\nms = 1\n[other]\nx = 1\n", "t:14: [other]"},
        {WHOLE "watts = 5\n[figures a]\nkernel = k\nms = 1\n", "t:10: [published] watts"},
        {WHOLE "peak_gbs = 0\n[figures a]\nkernel = k\nms = 1\n", "above 0"},
        {HEAD "condition = c\n[figures a]\nkernel = k\nms = 1\n", "lacks n"},
        {HEAD "n = 1K\n[figures a]\nkernel = k\nms = 1\n", "lacks condition"},
        {"[published]\nschema = 1\ntype = i31\n", "t:3: unknown type 'i31'"},
        {"[published]\nop = summ\n", "t:2: unknown operation 'summ'"},
        {WHOLE "[figures a]\nkernel = k\ntype = q\nms = 1\n", "t:12: unknown type 'q'"},
        {"[published]\nschema = 2\n", "schema 1 only"},
        {"[figures a]\nkernel = k\nms = 1\n", "lacks schema"},
        {"[figures a]\nkernel = k\nms = 1\n" HEAD "n = 1K\ncondition = c\n", "lacks schema"},
        {"[record 1]\nop = sum\n", "is in neither"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error;
        if (published_load(&published, "t", rows[i].text, strlen(rows[i].text), &error) == 0)
            fail_msg("row %zu was taken", i);
        assert_int_equal(error.code, ERROR_USAGE);
        if (!strstr(error.text, rows[i].says))
            fail_msg("row %zu: %s", i, error.text);
    }
}

/* What is left out of a list, and a value that stands for all. */
static void test_lists(void **state)
{
    (void)state;
    static const char text[] = WHOLE
        "[figures a]\nkernel = k\nitems = 7\nms = 1 - 3.25\nthreads = 32 64 128\nstep = 2 - 4\n"
        "[figures b]\nkernel = l\nus = 0.5\n";
    struct error error;
    if (published_load(&published, "t", text, sizeof text - 1, &error))
        fail_msg("%s", error.text);
    assert_int_equal(published.figure_count, 3);
    check_table("32 7 1 2\n128 7 3.25 4\n", PUBLISHED_THREADS,
                (const struct place[]){{0, PUBLISHED_ITEMS},
                                       {0, PUBLISHED_MS},
                                       {0, PUBLISHED_STEP}});
    check_table("0.5\n", NONE, (const struct place[]){{1, PUBLISHED_US}});
    check_seen(2 * 2 + 1);
    assert_int_equal(published.figures[1].ps, 3250000000);
    assert_int_equal(published.figures[2].ps, 500000);
    assert_true(published_real(&published.figures[1].at[PUBLISHED_MS]) == 3.25);
    published_dispose(&published);
}

/* Every byte of every file changed, every length cut: refused or read, and no harm done. */
static void test_damage(void **state)
{
    (void)state;
    static const char bytes[] = {'9', '-', ' ', '\n', '[', '='};
    size_t refused = 0, taken = 0;
    for (const struct embedded *file = NULL;
         (file = embedded_next(file, "configs/published/"));) {
        char copy[8192];
        struct error error;
        assert_true(file->length < sizeof copy);
        for (size_t at = 0; at < file->length * 7; at++) {
            const size_t place = at / 7, length = at % 7 == 6 ? place : file->length;
            memcpy(copy, file->bytes, file->length);
            if (at % 7 < 6)
                copy[place] = bytes[at % 7];
            if (published_load(&published, "t", copy, length, &error)) {
                refused++;
                continue;
            }
            taken++;
            assert_true(published.figure_count <= PUBLISHED_FIGURES_MAX);
            published_dispose(&published);
        }
    }
    assert_true(refused > 1000 && taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduction_part_1),
        cmocka_unit_test(test_cuda_006),
        cmocka_unit_test(test_cs599),
        cmocka_unit_test(test_cs759),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_best),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
