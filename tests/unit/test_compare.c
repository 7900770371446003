/* Side by side: the harmonic mean and what it may be made of, the rows, the sentences. */
#include "autotune/compare/compare_portability.h"
#include "autotune/compare/compare_text.h"
#include "autotune/compare/compare_verdict.h"
#include "autotune/compare/prediction.h"
#include "tests/unit/named_op.h"

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
    lines[0] = (struct compare_line){.problem = {.op = op_of(SUM),
                                                 .type = F32,
                                                 .acc = F32,
                                                 .dims = DIMS_VALUE(400000),
                                                 .regime = COLD},
                                     .cells = {measured, measured}};
    lines[0].cells[1].peak_pct = 50;
    lines[0].cells[1].gbs = 500;
    snprintf(lines[0].cells[1].winner, sizeof lines[0].cells[1].winner, "BLOCK=512");
    compare = (struct compare){.sides = {{.name = "One",
                                          .sms = 10,
                                          .peak_bytes = 1000000000000,
                                          .cc = 90,
                                          .threads_per_sm = 2048},
                                         {.name = "Two",
                                          .sms = 10,
                                          .peak_bytes = 1000000000000,
                                          .cc = 90,
                                          .threads_per_sm = 2048}},
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

static void test_mixed_is_at_most(void **state)
{
    (void)state;
    enum compare_basis basis;
    make();
    lines[0].cells[1].basis = COMPARE_PUBLISHED;
    set_bounds(1, 1); /* shares that are known go before bounds: 2 / (1/80 + 1/50) */
    assert_true(portability(&basis) > 61.538 && portability(&basis) < 61.539);
    assert_int_equal(basis, COMPARE_BOUND);
    lines[0].cells[1].basis = COMPARE_BOUND;
    lines[0].cells[1].peak_pct = 20; /* the share of a bound elsewhere: 2 / (1/80 + 1/20) */
    assert_true(portability(&basis) > 31.99 && portability(&basis) < 32.01);
    assert_int_equal(basis, COMPARE_BOUND);
    lines[0].cells[1].peak_pct = -1;
    set_bounds(1, 0);
    assert_true(portability(&basis) < 0);
    assert_int_equal(basis, COMPARE_NOTHING);
    lines[0].cells[0].basis = COMPARE_BOUND; /* both by a bound: 2 / (1/75 + 1/25) */
    lines[0].cells[0].peak_pct = 75;
    lines[0].cells[1].peak_pct = 25;
    assert_true(portability(&basis) > 37.49 && portability(&basis) < 37.51);
    lines[0].cells[0].peak_pct = 99; /* which is no finding */
    assert_true(portability(&basis) < 0);
    assert_int_equal(basis, COMPARE_NOTHING);
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

/* Wherever lines are broken. */
static void check_says(const char *text, const char *part)
{
    static const char gap[] = "\n          ";
    struct text flat = {0};
    for (const char *at = text, *next; *at; at = next) {
        const char *end = strstr(at, gap);
        next = end ? end + sizeof gap - 1 : at + strlen(at);
        text_addf(&flat, "%.*s%s", (int)(end ? end - at : next - at), at, end ? " " : "");
    }
    check_holds(flat.at, part);
    text_dispose(&flat);
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
    struct text json = {0};
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
    lines[0].problem.dims = dims_resized(&lines[0].problem.dims, 3125, 128, 0);
    compare_table(&table, &compare);
    assert_int_equal(table.row_count, 2);
    table_json(&json, &table);
    check_holds(
        json.at,
        "\"n\": 400000, \"shape\": \"rows\", \"rows\": 3125, \"len\": 128, \"pitch\": 128, \"regime\": \"cold\", \"gpu\": \"One\", "
        "\"basis\": \"measured\", \"us\": 2.00, \"time\": \"2.00 us\", \"gbs\": 800.0, "
        "\"peak_pct\": 80.0, \"low_us\": null, \"high_us\": null, \"bound_us\": null, \"computed\": null, \"withheld_by\": null, "
        "\"occupancy_pct\": null");
    check_holds(json.at, "\"occupancy_pct\": 66.7, \"occupancy_limiter\": \"threads\", "
                         "\"blocks_per_sm\": 1, \"registers\": 40, \"shared_bytes\": 1152, "
                         "\"local_bytes\": 0, \"in_flight_kib\": 4.0, \"wanted_kib\": 8.0, "
                         "\"instructions_per_element\": 1.00, \"instructions_from\": \"PTX\", "
                         "\"bound_pct\": 50.0, \"bound_by\": \"bytes in flight\"");
    check_holds(json.at, "\"portability_pct\": 61.5, \"portability_basis\": \"measured\"");
    text_dispose(&json);
    table_dispose(&table);
}

/* Both measured: beside one another, with what differs, is lost and is portable. */
static void test_text(void **state)
{
    (void)state;
    struct text text = {0};
    make();
    lines[0].cells[1].has_loss = true;
    lines[0].cells[1].loss_pct = 12.96;
    lines[0].cells[0].analysis = (struct analysis){.block = 256,
                                                   .is_compiled = true,
                                                   .needs = {.registers = 32},
                                                   .occupancy = {.blocks = 3,
                                                                 .share = 0.375,
                                                                 .limiter = OCCUPANCY_SHARED},
                                                   .in_flight = 4096,
                                                   .wanted = 8192,
                                                   .bound = 0.5,
                                                   .limiter = ANALYSIS_IN_FLIGHT};
    lines[0].problem.dims = dims_value(40000000);
    compare_screen(&text, &compare, false);
    compare_text(&text, &compare, false);
    check_holds(text.at, "GPU  arch   SMs  MHz  threads/SM  L2  peak GB/s  KiB/SM  measured\n"
                         "One  sm_90   10             2048           1000      49         1\n");
    check_holds(text.at,
                "\nsum f32 cold: autotune's kernels\n"
                "  n  One           us   GB/s     %  Two           us   GB/s     %  loss %  "
                "portable %\n"
                "40M  A measured  2.00  800.0  80.0  B measured  2.00  500.0  50.0    13.0  "
                "      61.5\n"
                "\nA         BLOCK=256\nB         BLOCK=512\n"
                "\nbound by         One  Two\n"
                "bytes in flight  A\n"
                "\noccupancy by   One  Two\n"
                "shared memory  A\n\n");
    check_says(
        text.at,
        "\ndiffer    One and Two have different winners at 1 of 1 size; at 40M A on One "
        "3 blocks of 256 on an SM with 32 registers a thread, 38 % of its warps "
        "(limited by shared memory), 4 KiB in flight of the 8 wanted: its bound is by "
        "bytes in flight; B on Two not analysed\n"
        "loss      One's winners take 13.0 % longer on Two than its own (known of 1 size)\n");
    check_lacks(text.at, "published");
    check_lacks(text.at, "predicted");
    check_lacks(text.at, "rank correlation");
    check_says(text.at,
               "faster    neither: One and Two are equally fast, within 2 %, from 40M on\n"
               "evidence  both were measured by autotune: sum f32, cold, at 1 size (40M)\n");
    check_lacks(text.at, "to settle");
    text_dispose(&text);
}

/* Many GPUs stand below one another, and no line is wider than 120 characters. */
static void test_width(void **state)
{
    (void)state;
    struct text text = {0};
    make();
    compare.side_count = COMPARE_SIDES_MAX;
    for (size_t s = 0; s < compare.side_count; s++) {
        compare.sides[s] = compare.sides[0];
        lines[0].cells[s] = lines[0].cells[0];
    }
    compare_text(&text, &compare, false);
    size_t widest = 0, tables = 0;
    for (const char *line = text.at; *line; line += strcspn(line, "\n") + 1) {
        widest = strcspn(line, "\n") > widest ? strcspn(line, "\n") : widest;
        tables += strncmp(line, "400K  A measured", 16) == 0;
    }
    assert_in_range(widest, 80, 120);
    assert_in_range(tables, 2, 4);
    text_dispose(&text);
}

/* --- Predictions -------------------------------------------------------------------------- */

enum { SIZES = 6 };
static struct compare_line sweep[SIZES];

/* Ten times more elements each, 1K to 100M: the first of two GPUs measured them all, in 2 us
 * and the time of its bytes. */
static void make_sweep(void)
{
    make();
    memset(sweep, 0, sizeof sweep);
    compare.lines = sweep;
    compare.line_count = SIZES;
    compare.sides[1].peak_bytes = 500000000000;
    compare.sides[0].l2_bytes = compare.sides[1].l2_bytes = 10000000;
    for (size_t i = 0, n = 1000; i < SIZES; i++, n *= 10) {
        sweep[i].problem = (struct problem){.op = op_of(SUM),
                                            .type = F32,
                                            .acc = F32,
                                            .dims = DIMS_VALUE(n),
                                            .regime = COLD};
        sweep[i].latency_ps[0] = 2004000;
        for (size_t s = 0; s < 2; s++) {
            struct compare_cell *cell = &sweep[i].cells[s];
            cell->analysis.is_compiled = true;
            cell->analysis.bound = 1;
            cell->analysis.occupancy.share = 1;
            snprintf(cell->winner, sizeof cell->winner, "BLOCK=256 ITEMS=%zu", i);
        }
        sweep[i].cells[0].basis = COMPARE_MEASURED;
        sweep[i].cells[0].ps = 2000000 + n * 4;
        sweep[i].cells[0].gbs = (double)n * 4e3 / (double)sweep[i].cells[0].ps;
        sweep[i].cells[0].peak_pct = sweep[i].cells[0].gbs / 10;
        sweep[i].cells[1].peak_pct = -1;
        sweep[i].cells[1].basis = COMPARE_BOUND;
    }
}

static void check_why(size_t line, enum compare_why why, uint64_t ps)
{
    const struct compare_cell *cell = &sweep[line].cells[1];
    assert_int_equal(cell->why, why);
    assert_int_equal(cell->basis, why == COMPARE_SAID ? COMPARE_BOUND : COMPARE_WITHHELD);
    assert_in_range(cell->ps, ps - ps / 1000, ps + ps / 1000);
}

/* 2.004 us at 500 GB/s are 250K elements; the bound halves the bandwidth of the last. */
static void test_latency_decides(void **state)
{
    (void)state;
    struct text text = {0};
    make_sweep();
    sweep[5].cells[1].analysis.bound = 0.5;
    prediction_run(&compare);
    for (size_t i = 0; i < 3; i++)
        check_why(i, COMPARE_LATENCY, 0);
    check_why(3, COMPARE_SAID, 500000 + 8000000);
    check_why(5, COMPARE_SAID, 500000 + UINT64_C(1600000000));
    assert_true(sweep[5].cells[1].gbs > 249 && sweep[5].cells[1].gbs < 250);
    assert_true(sweep[5].cells[1].peak_pct > 49 && sweep[5].cells[1].peak_pct < 50);
    /* what was measured keeps its time, and is predicted too */
    assert_int_equal(sweep[5].cells[0].ps, 2000000 + 400000000);
    assert_in_range(sweep[5].cells[0].bound_ps, 400499000, 400501000);
    assert_int_equal(sweep[0].cells[0].bound_ps, 0);
    compare_text(&text, &compare, false);
    check_holds(text.at, "  1K  A measured    2.00   2.00   0.2  - withheld\n");
    check_says(text.at,
               "withheld  below 251K on Two: latency may decide there, for memory "
               "alone would take less than the least that any size took on One, 2.00 us\n");
    check_says(text.at,
               "evidence  One, 1M to 100M: the bounds of its own winners are 75 to 100 "
               "% of the time measured\n");
    check_holds(text.at, "ITEMS=5\nin all    BLOCK=256\n");
    check_holds(text.at, "\nmemory    D-F  D-F\nlatency   A-C\n");
    text_dispose(&text);
}

/* What no compiler is there for has the peak as its bound, and bears witness to nothing: here one
 * that took twice as long. */
static void test_not_analysed(void **state)
{
    (void)state;
    struct text text = {0};
    struct table table;
    make_sweep();
    for (size_t i = 0; i < SIZES; i++)
        for (size_t s = 0; s < 2; s++)
            sweep[i].cells[s].analysis.is_compiled = false;
    sweep[5].cells[0].ps *= 2;
    prediction_run(&compare);
    check_why(5, COMPARE_SAID, 500000 + 800000000);
    compare_text(&text, &compare, false);
    check_holds(text.at, "\nbound by        One  Two\nthe peak alone  A-F  D-F\n");
    check_lacks(text.at, "evidence");
    text_clear(&text);
    compare_table(&table, &compare);
    table_json(&text, &table);
    check_holds(text.at, "\"bound_us\": 400.50, ");
    check_holds(text.at, "\"bound_pct\": null, \"bound_by\": \"the peak alone\"");
    check_lacks(text.at, "\"bound_by\": \"memory\"");
    table_dispose(&table);
    text_dispose(&text);
}

/* A kernel that took 2.4 us for 100K on One, of which its bound allows 0.9, has no bound on Two,
 * also where latency decides on One. */
static void test_latency_refutes(void **state)
{
    (void)state;
    make_sweep();
    compare.sides[1].peak_bytes = 100000000000;
    prediction_run(&compare);
    check_why(1, COMPARE_LATENCY, 0);
    check_why(2, COMPARE_ACCURACY, 0);
    check_why(3, COMPARE_SAID, 500000 + 40000000);
}

/* Nothing small was measured: the latency is that of Little's law, 0.5 us. */
static void test_latency_unknown(void **state)
{
    (void)state;
    struct text text = {0};
    make_sweep();
    compare.lines = &sweep[1];
    compare.line_count = SIZES - 1;
    for (size_t i = 0; i < SIZES; i++) {
        sweep[i].cells[0].basis = COMPARE_PUBLISHED;
        sweep[i].latency_ps[0] = 0;
    }
    prediction_run(&compare);
    check_why(1, COMPARE_LATENCY, 0);
    check_why(2, COMPARE_ACCURACY, 0);
    check_why(3, COMPARE_SAID, 500000 + 8000000);
    compare_text(&text, &compare, false);
    check_says(text.at, "latency may decide there, for memory alone would take less than a "
                        "latency of 0.50 us, which nobody measured\n");
    text_dispose(&text);
}

/* Of a warm input the cache may hold 10 MB: from 20 MB on memory decides. */
static void test_cache_decides(void **state)
{
    (void)state;
    make_sweep();
    for (size_t i = 0; i < SIZES; i++)
        sweep[i].problem.regime = WARM;
    prediction_run(&compare);
    for (size_t i = 0; i < 3; i++)
        check_why(i, COMPARE_LATENCY, 0);
    check_why(3, COMPARE_CACHE, 0);
    check_why(4, COMPARE_SAID, 500000 + 60000000);
}

/* Bounds that rank no better than chance somewhere say nothing there and below. */
static void test_bounds_must_rank(void **state)
{
    static const struct {
        double rank;
        size_t count;
    } evidence[SIZES] = {{0.9, 100}, {-0.6, 100}, {0.9, 100},
                         {0.1, 100}, {0.2, 100},  {0.6, 100}};
    (void)state;
    struct text text = {0};
    make_sweep();
    for (size_t i = 0; i < SIZES; i++) {
        sweep[i].cells[0].evidence.count = evidence[i].count;
        sweep[i].cells[0].evidence.bound = evidence[i].rank;
        sweep[i].cells[0].evidence.prior = 0.25;
    }
    prediction_run(&compare);
    check_why(2, COMPARE_LATENCY, 0);
    check_why(3, COMPARE_RANKS, 0); /* 0.1 * sqrt(99) is 0.99: chance */
    check_why(4, COMPARE_SAID, 500000 + 80000000);
    compare_text(&text, &compare, false);
    check_says(text.at,
               "withheld  below 10M on Two: there bounds did not rank what was measured "
               "(evidence)\n");
    check_says(text.at,
               "evidence  One, 10M to 100M: rank correlation of bounds with the speed of "
               "100 candidates 0.20 to 0.60 (prior 0.25); 0 of 200 are faster than their "
               "bound\n");
    check_says(text.at,
               "evidence  One, 1K to 1M: rank correlation of bounds with the speed of 100 "
               "candidates -0.60 to 0.90: no use there (prior 0.25); 0 of 400 ");
    text_dispose(&text);
}

/* The first took 64 us for 10M, of which 40.5 are less than two thirds, and 600 for 100M, of
 * which 400.5 are more; what it took with another kernel, twice what is predicted, says nothing. */
static void test_prediction_must_be_near(void **state)
{
    (void)state;
    struct text text = {0};
    make_sweep();
    sweep[3].cells[0].ps = 6004000 * 2;
    sweep[4].cells[0].ps = 64000000;
    sweep[5].cells[0].ps = 600000000;
    snprintf(sweep[3].cells[0].winner, sizeof sweep[3].cells[0].winner, "BLOCK=32");
    prediction_run(&compare);
    check_why(3, COMPARE_SAID, 500000 + 8000000);
    check_why(4, COMPARE_ACCURACY, 0);
    assert_int_equal(sweep[4].cells[1].bound_ps, 0);
    assert_true(sweep[4].cells[1].peak_pct < 0 && sweep[4].cells[1].gbs <= 0);
    check_why(5, COMPARE_SAID, 500000 + 800000000);
    compare_text(&text, &compare, false);
    check_holds(text.at, "- withheld\n100M");
    check_says(text.at,
               "withheld  at 1 of 6 sizes (10M) on Two: such a bound says little, being less "
               "than two thirds of the time that the same kernel took on another GPU\n");
    text_dispose(&text);
}

/* A bound of the peak, or of more where the L2 cache may have a part, is no finding: neither people nor
 * programs get a speed of it. */
static void test_free_bounds(void **state)
{
    static const struct {
        double percent;
        bool is_free;
    } rows[] = {{98.9, false}, {99, true}, {100, true}, {153.5, true}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = {0}, json = {0};
        struct table table;
        make();
        struct compare_cell *cell = &lines[0].cells[1];
        cell->basis = COMPARE_BOUND;
        cell->ps = 3000000;
        cell->peak_pct = rows[i].percent;
        cell->gbs = 1378;
        cell->analysis.bound = 1;
        assert_int_equal(compare_is_free(cell), rows[i].is_free);
        compare_text(&text, &compare, false);
        compare_table(&table, &compare);
        table_json(&json, &table);
        (rows[i].is_free ? check_holds : check_lacks)(text.at, "no bound");
        (rows[i].is_free ? check_lacks : check_holds)(text.at, "at most");
        (rows[i].is_free ? check_lacks : check_holds)(text.at, "1378");
        (rows[i].is_free ? check_lacks : check_holds)(json.at, "1378");
        (rows[i].is_free ? check_lacks : check_holds)(text.at, "portable");
        text_dispose(&text);
        text_dispose(&json);
        table_dispose(&table);
    }
    make(); /* what was measured is one, whatever its share */
    lines[0].cells[0].peak_pct = 103.3;
    assert_false(compare_is_free(&lines[0].cells[0]));
}

/* A prediction is of another's winner: no difference; a param that had to change has a star;
 * and what is not known is said once. */
static void test_prediction_in_words(void **state)
{
    (void)state;
    struct text text = {0};
    make_sweep();
    for (size_t i = 0; i < SIZES; i++) {
        snprintf(sweep[i].cells[1].changed, sizeof sweep[i].cells[1].changed, "WARP=SHUFFLE");
        if (i == SIZES - 1)
            sweep[i].cells[1].basis = COMPARE_NOTHING;
        snprintf(sweep[i].cells[1].analysis.why, sizeof sweep[i].cells[1].analysis.why,
                 "no NVRTC\nat all");
    }
    prediction_run(&compare);
    compare_text(&text, &compare, false);
    check_lacks(text.at, "differ ");
    check_lacks(text.at, "portable %");
    check_holds(text.at, "D* at most");
    check_holds(text.at, "100M  F measured  402.00  995.0  99.5  - unknown\n");
    check_says(text.at, "*         D, E on Two with WARP=SHUFFLE: without, a rule of the "
                        "space rejects them there\n");
    check_says(text.at, "note      Two: no NVRTC\n");
    assert_null(strstr(strstr(text.at, "no NVRTC") + 1, "no NVRTC"));
    check_says(text.at, "portable  at most 78.0 to 99.8 % of peak");
    check_says(
        text.at,
        "nothing was run; the latency is taken as 0.5 us everywhere, and for bytes in flight as 0.35 us\n");
    text_dispose(&text);
}

/* Three GPUs that were measured, and whose bounds are 100, 80 and 50 % of their times, make the bound
 * of a fourth a prediction: a range of these; two make none. */
static void test_three_gpus_predict(void **state)
{
    (void)state;
    struct text text = {0};
    for (size_t gpus = 2; gpus <= 3; gpus++) {
        static const double shares[] = {1, 0.8, 0.7};
        make_sweep();
        compare.lines = &sweep[5];
        compare.line_count = 1;
        compare.side_count = gpus + 1;
        for (size_t s = 0; s <= gpus; s++) {
            struct compare_cell *cell = &sweep[5].cells[s];
            *cell = sweep[5].cells[0];
            compare.sides[s] = compare.sides[0];
            snprintf(compare.sides[s].name, sizeof compare.sides[s].name, "GPU %zu", s);
            snprintf(cell->winner, sizeof cell->winner, "BLOCK=%zu", s);
            cell->ps = s < gpus ? (uint64_t)(402004000 / shares[s]) : 0;
            cell->basis = s < gpus ? COMPARE_MEASURED : COMPARE_BOUND;
        }
        prediction_run(&compare);
        const struct compare_cell *last = &sweep[5].cells[gpus];
        assert_int_equal(last->basis, gpus == 3 ? COMPARE_PREDICTED : COMPARE_BOUND);
        if (gpus == 3) {
            assert_in_range(last->low_ps, 401000000, 403000000);
            assert_in_range(last->high_ps, 574000000, 574600000);
            assert_true(last->ps > last->low_ps && last->ps < last->high_ps);
        }
        text_clear(&text);
        compare_text(&text, &compare, false);
        if (gpus == 3)
            check_holds(text.at, "D predicted  402.0-574.3  697-995  70-100\n");
        else
            check_holds(text.at, "C no bound");
        if (gpus == 2)
            check_lacks(text.at, "predicted");
    }
    text_dispose(&text);
}

/* The slower GPU by its factor, from the size on from which it is that throughout. */
static void test_outcome(void **state)
{
    (void)state;
    struct text text = {0};
    make_sweep();
    for (size_t i = 0; i < SIZES; i++) {
        sweep[i].cells[1] = sweep[i].cells[0];
        sweep[i].cells[1].ps = sweep[i].cells[0].ps * (i < 3 ? 100 : i < 4 ? 150 : 200) / 100;
    }
    compare_verdict(&text, &compare);
    check_says(text.at,
               "faster    One, 1.50 to 2.00 times as fast as Two, from 1M on\n"
               "below     neither by more than 2 %\n"
               "evidence  both were measured by autotune: sum f32, cold, at 6 sizes (1K to "
               "100M)\n");
    check_lacks(text.at, "to settle");
    text_clear(&text);
    /* Equal where memory decides, and not below it. */
    for (size_t i = 0; i < SIZES; i++)
        sweep[i].cells[1].ps = sweep[i].cells[0].ps * (i == 3 ? 143 : i == 2 ? 80 : 101) / 100;
    compare_verdict(&text, &compare);
    check_says(
        text.at,
        "faster    neither: One and Two are equally fast, within 2 %, from 10M on\n"
        "below     One up to 1.43 times as fast, at 1M, and Two up to 1.25 times as fast, at "
        "100K\n"
        "evidence  both were measured by autotune: sum f32, cold, at 6 sizes (1K to 100M)\n");
    text_clear(&text);
    make_sweep();
    compare.sides[0].l2_bytes = 40000000;
    compare_verdict(&text, &compare);
    check_says(
        text.at,
        "faster    One, probably about 2.0 times as fast on large inputs: the memory of One "
        "gives up to 1000 GB/s, that of Two 500\n"
        "from n    well above 1.3 million elements of f32, read in 5 us, 10 times the latency "
        "assumed; with fewer, latency decides: 2.00 us at least on One, not measured on the "
        "other\n"
        "warm      2.5 million to 10 million elements fit the L2 cache of One alone: read again, they "
        "come from there\n"
        "evidence  data sheets; no times of Two are here; One was "
        "measured at up to 995 GB/s, 99.5 % of its peak");
    text_clear(&text);
    compare.sides[0].l2_bytes =
        50300000; /* 12.6 million: what is not that small is left out, */
    compare.sides[1].l2_bytes = 10100000; /* and what is not larger than 2.53 million */
    for (size_t i = 0; i < SIZES; i++)
        sweep[i].latency_ps[0] = 0;
    compare_verdict(&text, &compare);
    check_says(
        text.at,
        "latency decides, which nobody measured\nwarm      2.6 million to 12 million elements fit "
        "the L2 cache of One alone");
    check_says(text.at, "to settle run 'autotune --op sum --type f32 --n 1K..1G' on Two, and");
    text_dispose(&text);
}

/* At how many shapes each is faster, for no n decides. */
static void test_outcome_of_shapes(void **state)
{
    (void)state;
    struct text text = {0};
    make_sweep();
    for (size_t i = 0; i < SIZES; i++) {
        struct dims *dims = &sweep[i].problem.dims;
        *dims = dims_resized(dims, 8, dims_n(dims) / 8, 0);
        sweep[i].cells[1] = sweep[i].cells[0];
        sweep[i].cells[1].ps = sweep[i].cells[0].ps * (i == 1 ? 80 : i == 2 ? 100 : 150) / 100;
    }
    compare_verdict(&text, &compare);
    check_says(text.at,
               "faster    One at 4 of 6 shapes, 1.50 times as fast; Two at 1 of 6 shapes, 1.25 "
               "times as fast\n"
               "evidence  both were measured by autotune: sum f32, for each of the rows of a "
               "matrix, cold, at 6 sizes (1K to 100M)\n");
    text_dispose(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_harmonic_mean),
        cmocka_unit_test(test_mixed_is_at_most),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_latency_decides),
        cmocka_unit_test(test_not_analysed),
        cmocka_unit_test(test_latency_refutes),
        cmocka_unit_test(test_latency_unknown),
        cmocka_unit_test(test_cache_decides),
        cmocka_unit_test(test_bounds_must_rank),
        cmocka_unit_test(test_prediction_must_be_near),
        cmocka_unit_test(test_free_bounds),
        cmocka_unit_test(test_prediction_in_words),
        cmocka_unit_test(test_three_gpus_predict),
        cmocka_unit_test(test_outcome),
        cmocka_unit_test(test_outcome_of_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
