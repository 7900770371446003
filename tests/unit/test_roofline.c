/* Roofs by hand counts, the lowest of them, the table, and the drawing's lines. */
#include "autotune/compare/roofline.h"
#include "autotune/report/roofline_chart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* 1000 GB/s, 8000 G instructions, a block a ns, an atomic operation in 10 ns. */
static const struct roofline_gpu gpu = {.sms = 100,
                                        .memory = 1e12,
                                        .l2 = 3e12,
                                        .instructions = 8e12,
                                        .blocks = 1e9,
                                        .atomics = 1e8};

static bool is_near(double value, double want)
{
    return value > want * 0.999 && value < want * 1.001;
}

static void test_by_hand(void **state)
{
    (void)state;
    /* 4 GB by 4 million blocks: 4 ms to start them; 16 G instructions: 2 ms; half of the bytes in
     * flight that memory wants: 8 ms; a million atomic operations: 10 ms. */
    const struct roofline_work work = {.bytes = 4e9,
                                       .instructions = 16e9,
                                       .blocks = 4e6,
                                       .atomics = 1e6,
                                       .in_flight = 5000,
                                       .wanted = 10000};
    struct roofline_kernel kernel = {.gbs = 0};
    enum roofline_roof lowest;
    roofline_fill(&kernel, &gpu, &work, 390);
    assert_true(is_near(kernel.roofs[ROOFLINE_MEMORY], 1000));
    assert_true(is_near(kernel.roofs[ROOFLINE_BLOCKS], 1000));
    assert_true(is_near(kernel.roofs[ROOFLINE_ISSUE], 2000));
    assert_true(is_near(kernel.roofs[ROOFLINE_FLIGHT], 500));
    assert_true(is_near(kernel.roofs[ROOFLINE_ATOMICS], 400));
    assert_true(is_near(kernel.per_byte, 4));
    assert_true(roofline_lowest(&lowest, &kernel));
    assert_int_equal(lowest, ROOFLINE_ATOMICS);
}

/* A kernel of one block has a hundredth of the SMs, and no more in flight than there is to read. */
static void test_few_blocks(void **state)
{
    (void)state;
    struct roofline_work work = {.bytes = 4e9,
                                 .instructions = 16e9,
                                 .blocks = 1,
                                 .in_flight = 5000,
                                 .wanted = 10000};
    struct roofline_kernel kernel = {.gbs = 0};
    roofline_fill(&kernel, &gpu, &work, 3);
    assert_true(is_near(kernel.roofs[ROOFLINE_FLIGHT], 5));
    assert_true(is_near(kernel.roofs[ROOFLINE_ISSUE], 20));
    work.blocks = 1000;
    work.bytes = 3500;
    roofline_fill(&kernel, &gpu, &work, 3);
    assert_true(is_near(kernel.roofs[ROOFLINE_FLIGHT], 10)); /* 3500 bytes in 0.35 us */
}

/* What the L2 cache has is limited by it, and neither by the memory nor by bytes in flight to it. */
static void test_warm(void **state)
{
    (void)state;
    const struct roofline_work work = {.bytes = 4e6,
                                       .in_flight = 5000,
                                       .wanted = 10000,
                                       .is_warm = true};
    struct roofline_kernel kernel = {.gbs = 0};
    enum roofline_roof lowest;
    roofline_fill(&kernel, &gpu, &work, 2000);
    assert_true(roofline_lowest(&lowest, &kernel));
    assert_int_equal(lowest, ROOFLINE_L2);
    assert_true(kernel.roofs[ROOFLINE_MEMORY] <= 0 && kernel.roofs[ROOFLINE_FLIGHT] <= 0);
}

/* A winner with atomic operations has one a block; one without has no such roof. */
static void test_atomics_of_a_winner(void **state)
{
    (void)state;
    static const struct record record;
    struct compare_line line = {.problem = {.op = operation_usual(), .type = F32, .acc = F32}};
    struct compare_cell *cell = &line.cells[0];
    struct roofline_kernel kernel;
    line.problem.dims = dims_value(1000000); /* 4 MB */
    *cell = (struct compare_cell){.basis = COMPARE_MEASURED,
                                  .record = &record,
                                  .winner = "BLOCK=256",
                                  .ps = 4000000,
                                  .gbs = 1000,
                                  .analysis = {.is_compiled = true, .grid = 1000}};
    assert_true(roofline_cell(&kernel, &gpu, &line, 0));
    assert_true(kernel.roofs[ROOFLINE_ATOMICS] <= 0);
    cell->analysis.mix.counts[SASS_ATOMIC] = 1;
    assert_true(roofline_cell(&kernel, &gpu, &line, 0));
    assert_true(is_near(kernel.roofs[ROOFLINE_ATOMICS], 400)); /* 1000 operations: 10 us */
}

static void test_unknown(void **state)
{
    (void)state;
    const struct roofline_gpu none = {.memory = 0};
    const struct roofline_work work = {.bytes = 4e6};
    struct roofline_kernel kernel = {.gbs = 0};
    enum roofline_roof lowest;
    roofline_fill(&kernel, &none, &work, 2000);
    assert_false(roofline_lowest(&lowest, &kernel));
}

static void make_chart(struct roofline_chart *out)
{
    static const struct {
        const char *name;
        struct roofline_work work;
        double gbs;
    } kernels[] = {{"fast", {.bytes = 4e9, .instructions = 4e9, .blocks = 1e3}, 950},
                   {"blocks", {.bytes = 4e9, .instructions = 40e9, .blocks = 2e7}, 190},
                   {"unplaced", {.bytes = 4e9, .blocks = 1e3}, 900}};
    *out = (struct roofline_chart){.gpu = gpu};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct roofline_kernel kernel = {.group = roofline_chart_group(out, "rungs")};
        snprintf(kernel.name, sizeof kernel.name, "%s", kernels[i].name);
        roofline_fill(&kernel, &out->gpu, &kernels[i].work, kernels[i].gbs);
        roofline_chart_add(out, &kernel);
    }
}

static void test_chart(void **state)
{
    (void)state;
    struct roofline_chart chart;
    struct text text = {0};
    const struct terminal_style style = {.width = 100};
    make_chart(&chart);
    roofline_chart_kind.text(&text, &chart.figure, &style);
    assert_string_equal(text.at, "kernel      GB/s  memory  issue  blocks  lowest roof\n"
                                 "1 fast       950    1000   8000       -  memory\n"
                                 "2 blocks     190    1000    800     200  blocks\n"
                                 "3 unplaced   900    1000              -  memory\n");
    text_clear(&text);
    roofline_chart_kind.html(&text, &chart.figure);
    assert_non_null(strstr(text.at, "the memory, 1000 GB/s"));
    assert_non_null(strstr(text.at, "the L2 cache, 3000 GB/s as measured"));
    assert_non_null(strstr(text.at, "the start of its blocks"));
    assert_null(strstr(text.at, "its atomic operations"));
    assert_non_null(strstr(text.at, "2 blocks: 190.0 GB/s; lowest roof: blocks"));
    assert_null(strstr(text.at, "unplaced: 900"));
    text_dispose(&text);
    roofline_chart_kind.dispose(&chart.figure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_few_blocks),
        cmocka_unit_test(test_warm),    cmocka_unit_test(test_atomics_of_a_winner),
        cmocka_unit_test(test_unknown), cmocka_unit_test(test_chart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
