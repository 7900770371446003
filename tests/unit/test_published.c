/* Published figures: the documents' tables, typed here a second time, are read back digit by
 * digit and nothing else is there; what a file gets wrong is refused with its line. */
#include "autotune/device/gpus.h"
#include "autotune/embedded.h"
#include "generator/number.h"
#include "generator/published.h"
#include "generator/rungs.h"

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

/* As written: {390, 2} is "3.90"; "-" where nothing is. */
static const char *write_number(char out[NUMBER_CHARS], const struct published_number *number)
{
    if (!number->is_there)
        return "-";
    return number_format_fixed(out, number->digits, (int)number->decimals);
}

static void check_number(const struct published_figure *figure, enum published_column column,
                         const char *want)
{
    char got[NUMBER_CHARS];
    write_number(got, &figure->at[column]);
    if (strcmp(write_number(got, &figure->at[column]), want) != 0)
        fail_msg("%s, %s: \"%s\", not \"%s\"", published.kernels[figure->kernel].kernel,
                 published_columns[column], write_number(got, &figure->at[column]), want);
}

/* One figure as a row: the columns in the order of the enum, NULL = not given. */
struct row {
    const char *kernel; /* how its kernel's name begins */
    const char *at[PUBLISHED_COLUMNS];
    uint64_t ps;
};

static void check_rows(const struct row *rows, size_t count)
{
    assert_int_equal(published.figure_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct published_figure *figure = &published.figures[i];
        const struct published_kernel *kernel = &published.kernels[figure->kernel];
        if (strncmp(kernel->kernel, rows[i].kernel, strlen(rows[i].kernel)) != 0)
            fail_msg("row %zu is of \"%s\"", i, kernel->kernel);
        for (int c = 0; c < PUBLISHED_COLUMNS; c++)
            check_number(figure, (enum published_column)c, rows[i].at[c] ? rows[i].at[c] : "-");
        assert_int_equal(figure->ps, rows[i].ps);
    }
}

static void check_head(const char *source, const char *gpu, const char *peak, enum type type,
                       uint64_t n)
{
    char got[NUMBER_CHARS];
    assert_string_equal(published.source, source);
    if (gpu)
        assert_string_equal(published.gpu, gpu);
    else
        assert_null(published.gpu);
    assert_string_equal(write_number(got, &published.peak_gbs), peak);
    assert_int_equal(published.problem.op, SUM);
    assert_int_equal(published.problem.type, type);
    assert_int_equal(dims_n(&published.problem.dims), n);
}

static void test_reduction_part_1(void **state)
{
    (void)state;
    /* threads, items, row, ms, us, gbs, peak, compute, memory, occupancy, step, total */
    static const struct row rows[] = {
        {"0 ", {"128", 0, "128", 0, "5017.23", "431.366", "48.14"}, 5017230000},
        {"0 ", {"256", 0, "256", 0, "5098.87", "423.229", "47.23"}, 5098870000},
        {"0 ", {"512", 0, "512", 0, "5652.35", "380.67", "42.48"}, 5652350000},
        {"0 ",
         {"1024", 0, "1024", 0, "10193.5", "210.878", "23.53", 0, 0, "66.67"},
         10193500000},
        {"1 ", {"128", 0, "128", 0, "4962.33", "436.138", "48.67"}, 4962330000},
    };
    load("reduction-part-1");
    check_head("Reduction (Sum): part 1 (blog, 2025-10-14)", "RTX 5070 Ti", "896", F32,
               2048ull * 1024 * 256);
    check_rows(rows, sizeof rows / sizeof *rows);
    published_dispose(&published);
}

static void test_cuda_006(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"naive: one global atomicAdd per element",
         {[PUBLISHED_MS] = "6.73", [PUBLISHED_COMPUTE] = "20.91", [PUBLISHED_MEMORY] = "38.26"},
         6730000000},
        {"shared: shared-memory atomicAdd",
         {[PUBLISHED_MS] = "3.93", [PUBLISHED_COMPUTE] = "55.48", [PUBLISHED_MEMORY] = "65.01"},
         3930000000},
        {"0 interleaved, modulo",
         {[PUBLISHED_MS] = "7.15", [PUBLISHED_COMPUTE] = "89.75", [PUBLISHED_MEMORY] = "89.75"},
         7150000000},
        {"1 interleaved, no divergence",
         {[PUBLISHED_MS] = "7.24", [PUBLISHED_COMPUTE] = "88.58", [PUBLISHED_MEMORY] = "88.58"},
         7240000000},
        {"2 sequential addressing",
         {[PUBLISHED_MS] = "7.04", [PUBLISHED_COMPUTE] = "91.14", [PUBLISHED_MEMORY] = "91.14"},
         7040000000},
        {"3 two loads per thread",
         {[PUBLISHED_MS] = "3.90", [PUBLISHED_COMPUTE] = "91.17", [PUBLISHED_MEMORY] = "91.17"},
         3900000000},
        {"4 warp shuffle for the last warp",
         {[PUBLISHED_MS] = "2.86", [PUBLISHED_COMPUTE] = "65.34", [PUBLISHED_MEMORY] = "90.23"},
         2860000000},
        {"5 several adds per thread",
         {[PUBLISHED_MS] = "2.65", [PUBLISHED_COMPUTE] = "36.17", [PUBLISHED_MEMORY] = "96.50"},
         2650000000},
    };
    load("cuda-006");
    check_head("CUDA 006 - Reduction (WangYu::Space)", "RTX 5070", "-", I32, 400000000);
    check_rows(rows, sizeof rows / sizeof *rows);
    published_dispose(&published);
}

/* By size of a block down, by kernel across; kernels #5 to #9 have 4 to 64 elements a thread.
 */
static void test_cs599(void **state)
{
    (void)state;
    enum { BLOCKS = 6, KERNELS = 9 };
    static const char *const blocks[BLOCKS] = {"32", "64", "128", "256", "512", "1024"};
    static const char *const items[KERNELS] = {"1", "1", "1", "2", "4", "8", "16", "32", "64"};
    static const char *const ms[BLOCKS][KERNELS] = {
        {"54.05", "54.06", "54.06", "26.61", "13.21", "-", "5.03", "4.96", "-"},
        {"26.60", "26.61", "26.61", "13.21", "6.60", "5.03", "5.00", "-", "4.93"},
        {"20.58", "14.50", "13.21", "6.59", "4.97", "4.96", "-", "4.91", "4.92"},
        {"23.70", "15.04", "11.32", "6.30", "4.94", "4.92", "4.91", "4.91", "4.93"},
        {"27.65", "17.05", "12.96", "7.11", "5.00", "4.91", "4.90", "4.93", "4.99"},
        {"34.50", "20.73", "16.46", "8.77", "5.46", "4.90", "4.91", "4.92", "-"},
    };
    static const char *const gbs[BLOCKS][KERNELS] = {
        {"-", "-", "-", "-", "330.33", "-", "857.25", "867.67", "-"},
        {"-", "-", "-", "-", "656.33", "856.16", "864.60", "-", "871.31"},
        {"-", "-", "-", "-", "867.23", "867.15", "-", "874.29", "872.82"},
        {"-", "-", "-", "-", "870.91", "873.42", "875.47", "875.18", "872.02"},
        {"-", "-", "-", "-", "859.36", "875.77", "876.47", "872.14", "860.51"},
        {"-", "-", "-", "-", "786.22", "876.63", "873.41", "872.98", "-"},
    };
    size_t next = 0;
    load("cs599-lecture-6");
    check_head("CS599 Lecture 6", "V100", "898", F32, 1ull << 30);
    for (int k = 0; k < KERNELS; k++)
        for (int b = 0; b < BLOCKS; b++) {
            const bool is_best = strcmp(gbs[b][k], "876.63") == 0;
            if (strcmp(ms[b][k], "-") == 0)
                continue;
            const struct published_figure *figure = &published.figures[next++];
            char name[4] = {'#', (char)('1' + k), ' ', '\0'};
            assert_memory_equal(published.kernels[figure->kernel].kernel, name, 3);
            check_number(figure, PUBLISHED_THREADS, blocks[b]);
            check_number(figure, PUBLISHED_ITEMS, items[k]);
            check_number(figure, PUBLISHED_MS, ms[b][k]);
            check_number(figure, PUBLISHED_GBS, gbs[b][k]);
            check_number(figure, PUBLISHED_PEAK, is_best ? "97.6" : "-");
        }
    assert_int_equal(published.figure_count, next);
    assert_int_equal(next, 4 * 6 + 25);
    published_dispose(&published);
}

static void test_cs759(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"1 interleaved, divergent",
         {"128", [PUBLISHED_MS] = "8.054", [PUBLISHED_GBS] = "2.083"},
         8054000000},
        {"2 interleaved, bank conflicts",
         {"128", [PUBLISHED_MS] = "3.456", [PUBLISHED_GBS] = "4.854", [PUBLISHED_STEP] = "2.33",
          [PUBLISHED_TOTAL] = "2.33"},
         3456000000},
        {"3 sequential addressing",
         {"128", [PUBLISHED_MS] = "1.722", [PUBLISHED_GBS] = "9.741", [PUBLISHED_STEP] = "2.01",
          [PUBLISHED_TOTAL] = "4.68"},
         1722000000},
        {"4 first add during load",
         {"128", [PUBLISHED_MS] = "0.965", [PUBLISHED_GBS] = "17.377",
          [PUBLISHED_STEP] = "1.78", [PUBLISHED_TOTAL] = "8.34"},
         965000000},
        {"5 last warp unrolled",
         {"128", [PUBLISHED_MS] = "0.536", [PUBLISHED_GBS] = "31.289", [PUBLISHED_STEP] = "1.8",
          [PUBLISHED_TOTAL] = "15.01"},
         536000000},
        {"6 completely unrolled",
         {"128", [PUBLISHED_MS] = "0.381", [PUBLISHED_GBS] = "43.996",
          [PUBLISHED_STEP] = "1.41", [PUBLISHED_TOTAL] = "21.16"},
         381000000},
        {"7 several adds per thread",
         {"128", [PUBLISHED_MS] = "0.268", [PUBLISHED_GBS] = "62.671",
          [PUBLISHED_STEP] = "1.42", [PUBLISHED_TOTAL] = "30.04"},
         268000000},
        {"7 several adds per thread", {[PUBLISHED_GBS] = "73"}, 0},
        {"work-efficient scan", {[PUBLISHED_MS] = "15.85"}, 15850000000},
    };
    load("cs759-lecture");
    check_head("CS759 lecture (Harris' reductions 1 to 7)", NULL, "86.4", I32, 1 << 22);
    check_rows(rows, sizeof rows / sizeof *rows);
    assert_int_equal(dims_n(&published.kernels[7].problem.dims), 32000000);
    assert_int_equal(dims_n(&published.kernels[8].problem.dims), 1 << 24);
    assert_int_equal(published.kernels[8].problem.type, F32);
    assert_string_equal(published.kernels[8].task, "exclusive prefix scan");
    published_dispose(&published);
}

/* Each file of the folder is one of the four; its GPU and its rungs are there. */
static void test_files(void **state)
{
    (void)state;
    const struct embedded *ladder = embedded_find("configs/ladder/rungs.ini");
    size_t count = 0;
    struct rungs rungs;
    struct error error;
    if (rungs_load(&rungs, ladder->name, ladder->bytes, ladder->length, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < embedded_count; i++) {
        const struct embedded *file = &embedded_files[i];
        bool is_chosen[RUNGS_MAX] = {false};
        if (strncmp(file->name, "configs/published/", 18) != 0)
            continue;
        if (published_load(&published, file->name, file->bytes, file->length, &error))
            fail_msg("%s", error.text);
        assert_true(!published.gpu || gpus_knows_model(published.gpu));
        assert_true(published.condition_count > 0);
        for (size_t k = 0; k < published.kernel_count; k++)
            if (published.kernels[k].rung &&
                rungs_choose(&rungs, published.kernels[k].rung, is_chosen, &error))
                fail_msg("%s: %s", file->name, error.text);
        published_dispose(&published);
        count++;
    }
    rungs_dispose(&rungs);
    assert_int_equal(count, 4);
}

static void test_best(void **state)
{
    (void)state;
    load("cs599-lecture-6");
    struct problem problem = published.problem;
    const struct published_figure *best = published_best(&published, &problem, 0);
    assert_non_null(best);
    check_number(best, PUBLISHED_MS, "4.90");
    check_number(best, PUBLISHED_THREADS, "1024");
    assert_null(published_best(&published, &problem, 128));
    problem.dims.depth.n++;
    assert_null(published_best(&published, &problem, 0));
    published_dispose(&published);
    load("reduction-part-1");
    assert_null(published_best(&published, &published.problem, 0)); /* rows are no one value */
    check_number(published_best(&published, &published.problem, 128), PUBLISHED_US, "4962.33");
    check_number(published_best(&published, &published.problem, 512), PUBLISHED_US, "5652.35");
    published_dispose(&published);
    load("cs759-lecture");
    problem = published.kernels[8].problem; /* a scan is no reduction */
    assert_null(published_best(&published, &problem, 0));
    problem = published.kernels[7].problem; /* nor has every figure a time */
    assert_null(published_best(&published, &problem, 0));
    published_dispose(&published);
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
        {WHOLE "[figures a]\nkernel = k\n", "ms, us or gbs"},
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
        {WHOLE "[figures a]\nkernel = k\nms = 1\nwatts = 5\n", "t:13: [figures a] watts"},
        {WHOLE "[figures a]\nkernel = k\nms = 1\nrung =\n", "is empty"},
        {WHOLE "[figures a]\nkernel = k\nms = 1\n[other]\nx = 1\n", "t:14: [other]"},
        {WHOLE "watts = 5\n[figures a]\nkernel = k\nms = 1\n", "t:10: [published] watts"},
        {WHOLE "peak_gbs = 0\n[figures a]\nkernel = k\nms = 1\n", "above 0"},
        {HEAD "condition = c\n[figures a]\nkernel = k\nms = 1\n", "lacks n"},
        {HEAD "n = 1K\n[figures a]\nkernel = k\nms = 1\n", "lacks condition"},
        {"[published]\nschema = 2\n", "schema 1 only"},
        {"[figures a]\nkernel = k\nms = 1\n", "lacks schema"},
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
        "[figures a]\nkernel = k\nitems = 7\nms = 1 - 3.25\nthreads = 32 64 128\nstep = 2\n"
        "[figures b]\nkernel = l\nus = 0.5\n";
    struct error error;
    if (published_load(&published, "t", text, sizeof text - 1, &error))
        fail_msg("%s", error.text);
    static const struct row rows[] = {
        {"k", {"32", "7", 0, "1", [PUBLISHED_STEP] = "2"}, 1000000000},
        {"k", {"128", "7", 0, "3.25", [PUBLISHED_STEP] = "2"}, 3250000000},
        {"l", {[PUBLISHED_US] = "0.5"}, 500000},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
    assert_true(published_real(&published.figures[1].at[PUBLISHED_MS]) == 3.25);
    published_dispose(&published);
}

/* Every byte of every file changed, every length cut: refused or read, and no harm done. */
static void test_damage(void **state)
{
    (void)state;
    static const char bytes[] = {'9', '-', ' ', '\n', '[', '='};
    size_t refused = 0, taken = 0;
    for (size_t i = 0; i < embedded_count; i++) {
        const struct embedded *file = &embedded_files[i];
        char copy[8192];
        struct error error;
        if (strncmp(file->name, "configs/published/", 18) != 0)
            continue;
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
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_best),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
