/* Side by side: the harmonic mean and what it may be made of, the rows, the sentences. */
#include "autotune/report/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct compare_line lines[2];
static struct compare compare;

/* Two GPUs and a line that both were measured on, at 80 and 50 % of the peak. */
static void make(void)
{
    const struct compare_cell measured = {.basis = COMPARE_MEASURED,
                                          .winner = "BLOCK=256",
                                          .source = "driver 1",
                                          .ps = 2000000,
                                          .gbs = 800,
                                          .peak_pct = 80};
    memset(lines, 0, sizeof lines);
    lines[0] = (struct compare_line){.problem = {SUM, F32, F32, 400000, COLD, false},
                                     .cells = {measured, measured}};
    lines[0].cells[1].peak_pct = 50;
    lines[0].cells[1].gbs = 500;
    snprintf(lines[0].cells[1].winner, sizeof lines[0].cells[1].winner, "BLOCK=512");
    compare =
        (struct compare){.sides = {{"One", 10, 1000000000000}, {"Two", 10, 1000000000000}},
                         .side_count = 2,
                         .lines = lines,
                         .line_count = 1};
}

static void set_bounds(double one, double two)
{
    lines[0].cells[0].analysis.bound = one;
    lines[0].cells[1].analysis.bound = two;
}

static double portability(enum compare_basis *basis)
{
    return compare_portability(&compare, &lines[0], basis);
}

static void test_harmonic_mean(void **state)
{
    (void)state;
    enum compare_basis basis;
    make();
    const double percent = portability(&basis); /* 2 / (1/80 + 1/50) */
    assert_true(percent > 61.538 && percent < 61.539);
    assert_int_equal(basis, COMPARE_MEASURED);
    lines[0].cells[0].basis = lines[0].cells[1].basis = COMPARE_PUBLISHED;
    assert_true(portability(&basis) == percent);
    assert_int_equal(basis, COMPARE_PUBLISHED);
}

static void test_never_mixed(void **state)
{
    (void)state;
    enum compare_basis basis;
    make();
    lines[0].cells[1].basis = COMPARE_PUBLISHED;
    assert_true(portability(&basis) < 0);
    assert_int_equal(basis, COMPARE_NOTHING);
    set_bounds(1, 0.25); /* now both have a bound: 2 / (1/100 + 1/25) */
    assert_true(portability(&basis) > 39.99 && portability(&basis) < 40.01);
    assert_int_equal(basis, COMPARE_PREDICTED);
    set_bounds(1, 0);
    assert_true(portability(&basis) < 0);
    make();
    lines[0].cells[0].basis = lines[0].cells[1].basis = COMPARE_EMULATED;
    assert_true(portability(&basis) < 0);
    make();
    lines[0].cells[1].basis = COMPARE_NOTHING;
    lines[0].cells[1].peak_pct = -1;
    assert_true(portability(&basis) < 0);
    make();
    lines[0].cells[1].peak_pct = -1; /* measured, but its peak is unknown */
    assert_true(portability(&basis) < 0);
}

static void check_holds(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void check_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" is in:\n%s", part, text);
}

static void test_table(void **state)
{
    (void)state;
    struct table table;
    struct text json = {0}, print = {0};
    make();
    lines[0].cells[1].analysis = (struct analysis){
        .block = 1024,
        .is_compiled = true,
        .needs = {.registers = 40, .shared_bytes = 128},
        .dynamic_bytes = 1024,
        .occupancy = {.blocks = 1, .share = 2.0 / 3, .limiter = OCCUPANCY_THREADS},
        .mix = {.is_ptx = true, .total = 9, .loop_total = 4, .loop_bytes = 16},
        .per_element = 1,
        .in_flight = 4096,
        .wanted = 8192,
        .bound = 0.5,
        .limiter = ANALYSIS_IN_FLIGHT};
    lines[0].row = 128;
    compare_table(&table, &compare);
    assert_int_equal(table.row_count, 2);
    table_json(&json, &table);
    check_holds(json.at, "\"n\": 400000, \"row\": 128, \"regime\": \"cold\", \"gpu\": \"One\", "
                         "\"basis\": \"measured\", \"us\": 2.00, \"gbs\": 800.0, "
                         "\"peak_pct\": 80.0, \"occupancy_pct\": null");
    check_holds(json.at, "\"occupancy_pct\": 66.7, \"occupancy_limiter\": \"threads\", "
                         "\"blocks_per_sm\": 1, \"registers\": 40, \"shared_bytes\": 1152, "
                         "\"local_bytes\": 0, \"in_flight_kib\": 4.0, \"wanted_kib\": 8.0, "
                         "\"instructions_per_element\": 1.00, \"instructions_from\": \"PTX\", "
                         "\"bound_pct\": 50.0, \"bound_by\": \"bytes in flight\"");
    check_holds(json.at, "\"portability_pct\": 61.5, \"portability_basis\": \"measured\"");
    table_print(&print, &table, false);
    check_holds(print.at, "in rows of 128");
    text_dispose(&json);
    text_dispose(&print);
    table_dispose(&table);
}

static void test_notes(void **state)
{
    (void)state;
    struct text notes = {0};
    make();
    lines[0].cells[1].has_loss = true;
    lines[0].cells[1].loss_pct = 12.96;
    lines[0].cells[0].analysis = (struct analysis){
        .block = 256,
        .is_compiled = true,
        .occupancy = {.blocks = 3, .share = 0.375, .limiter = OCCUPANCY_SHARED},
        .in_flight = 4096,
        .wanted = 8192,
        .bound = 0.5,
        .limiter = ANALYSIS_IN_FLIGHT};
    lines[0].cells[0].evidence = (struct compare_evidence){
        .count = 1980, .bound = -0.254, .prior = 0.996};
    compare_notes(&notes, &compare);
    check_holds(notes.at,
                "evidence  sum f32 400K cold on One: rank correlation with the speed of "
                "1980 candidates: bound -0.25, prior 1.00; 0 above the bound\n");
    check_holds(notes.at, "differ    sum f32 400K cold: BLOCK=256 on One, BLOCK=512 on Two\n");
    check_holds(notes.at,
                "on One 3 blocks of 256 on an SM, 38 % of its warps, limited by shared "
                "memory; 4 KiB in flight of the 8 wanted: bound by bytes in flight\n");
    check_holds(notes.at, "on Two not analysed\n");
    check_holds(notes.at,
                "loss      sum f32 400K cold: One's winner takes 13.0 % longer on Two");
    check_holds(notes.at,
                "portable  sum f32 400K cold: 61.5 % of peak, the harmonic mean over all, "
                "measured\n");
    check_lacks(notes.at, "published:");
    check_lacks(notes.at, "predicted:");
    text_dispose(&notes);
}

/* A prediction is of another's winner: no difference; and it says that nothing was run. */
static void test_notes_of_a_prediction(void **state)
{
    (void)state;
    struct text notes = {0};
    make();
    lines[0].cells[0].basis = COMPARE_PUBLISHED;
    lines[0].cells[1].basis = COMPARE_PREDICTED;
    snprintf(lines[0].cells[1].analysis.why, sizeof lines[0].cells[1].analysis.why, "no NVRTC");
    compare_notes(&notes, &compare);
    check_lacks(notes.at, "differ ");
    check_lacks(notes.at, "portable ");
    check_holds(notes.at, "predicted sum f32 400K cold: BLOCK=512\n");
    check_holds(notes.at, "note      Two: no NVRTC\n");
    check_holds(notes.at, "published: ");
    check_holds(notes.at, "nothing was run");
    text_dispose(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_harmonic_mean),
        cmocka_unit_test(test_never_mixed),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_notes_of_a_prediction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
