/* The ladder: its list names the kernels of the documents in their order, each can be emitted,
 * planned and compiled; its figures are those that the documents computed; and a rung that is
 * wrong, crashes or does not compile costs itself alone. */
#include "autotune/device/fiber.h" /* FIBER_ASAN */
#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "autotune/embedded.h"
#include "autotune/ladder/ladder.h"
#include "autotune/ladder/ladder_grid.h"
#include "autotune/ladder/ladder_rung.h"
#include "autotune/print/figures.h"
#include "autotune/search/ladder_measure.h"
#include "autotune/search/tune_result.h"
#include "autotune/search/worker.h"
#include "generator/call.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct rungs rungs;

static int load_list(void **state)
{
    struct error error;
    (void)state;
    if (ladder_rung_list(&rungs, &error))
        fail_msg("%s", error.text);
    return 0;
}

static int dispose_list(void **state)
{
    (void)state;
    rungs_dispose(&rungs);
    return 0;
}

static const struct rung *find_rung(const char *name)
{
    for (size_t i = 0; i < rungs.count; i++)
        if (strcmp(rungs.rungs[i].name, name) == 0)
            return &rungs.rungs[i];
    fail_msg("no rung %s", name);
    return NULL;
}

static struct ladder_rung open_rung(const struct rung *rung)
{
    struct ladder_rung opened;
    struct error error;
    if (ladder_rung_open(&opened, &rungs, rung, &error))
        fail_msg("%s", error.text);
    return opened;
}

/* --- The list ----------------------------------------------------------------------------- */

static void test_names(void **state)
{
    static const char *const names[] =
        {"harris-1",         "harris-2",        "harris-3",        "harris-4",
         "harris-5",         "harris-6",        "harris-7",        "harris-7-64",
         "harris-7-256",     "cs599-1",         "cs599-2",         "cs599-3",
         "cs599-4",          "cs599-5",         "cs599-6",         "cs599-7",
         "cs599-8",          "cs599-9",         "single-block",    "tensor-1",
         "tensor-2",         "next-launches",   "next-barrier",    "next-async",
         "wangyu-naive",     "wangyu-shared",   "wangyu-0",        "wangyu-1",
         "wangyu-2",         "wangyu-3",        "wangyu-4",        "wangyu-4-redux",
         "wangyu-5-loop",    "wangyu-5",        "lab04-atomic",    "lab04-shared",
         "loads-pairs",      "loads-apart",     "loads-parts",     "scan-up",
         "scan-up-padded",   "scan-naive",      "scan-buffers",    "scan-tree",
         "scan-tree-padded", "harris-1-masked", "harris-2-padded", "wangyu-5-hoisted",
         "batched-0",        "batched-1",       "batched-lanes"};
    (void)state;
    assert_int_equal(rungs.count, sizeof names / sizeof *names);
    for (size_t i = 0; i < rungs.count; i++)
        assert_string_equal(rungs.rungs[i].name, names[i]);
    assert_int_equal(rungs.group_count, 12);
    for (size_t g = 0, first = 0; g < 12; first += rungs.groups[g++].count)
        assert_int_equal(rungs.groups[g].first, first);
}

/* Tensor cores add small types alone: the one that stands for `type` there. */
static bool is_tensor(const struct rung *rung)
{
    return strstr(rung->params, "TENSOR") != NULL;
}

/* One instruction for the last warp takes integers. */
static bool is_redux(const struct rung *rung)
{
    return strstr(rung->params, "REDUX") != NULL;
}

static bool is_batched(const struct rung *rung)
{
    return strncmp(rung->space, "rows_", 5) == 0;
}

static struct problem problem_of(const struct rung *rung, enum type type, uint64_t n)
{
    const enum type small = type == F32 ? F16 : I8;
    const enum type own = is_redux(rung) ? I32 : type;
    struct problem problem = {.op = op_of(SUM),
                              .type = is_tensor(rung) ? small : own,
                              .acc = own,
                              .dims = DIMS_VALUE(n),
                              .regime = COLD};
    if (is_batched(rung)) {
        problem.dims = dims_resized(&problem.dims, n / 128, 128, 0);
    }
    if (strncmp(rung->space, "scan_", 5) == 0)
        problem.dims = dims_run(n, DIMS_INCLUSIVE);
    return problem;
}

/* Every rung at every size of a block, for as many elements as a GPU may hold. */
static void test_plans(void **state)
{
    static const uint64_t counts[] = {0, 1, 400000000, 1ull << 32};
    static const char *const archs[] = {"sm_70", "sm_90", "sm_120"};
    struct error error;
    size_t planned = 0;
    (void)state;
    for (size_t i = 0; i < rungs.count; i++)
        for (size_t a = 0; a < 3; a++)
            for (size_t k = 0; k < 4; k++)
                for (unsigned threads = 32; threads <= 1024; threads *= 2) {
                    if (is_batched(&rungs.rungs[i]) && counts[k] < 128)
                        continue;
                    struct ladder_rung rung = open_rung(&rungs.rungs[i]);
                    struct problem problem = problem_of(&rungs.rungs[i], F32, counts[k]);
                    struct target target;
                    struct planner_plan plan;
                    assert_int_equal(gpus_find(&target, archs[a], &error), 0);
                    const struct point_context context = {rung.space, &problem, &target};
                    const bool is_too_old =
                        target.cc < 80 &&
                        (is_tensor(&rungs.rungs[i]) || is_redux(&rungs.rungs[i]) ||
                         strstr(rungs.rungs[i].params, "ASYNC"));
                    if (ladder_rung_resize(&rung, threads) && !is_too_old) {
                        if (point_reject(&context, rung.config, &error) != POINT_VALID ||
                            call_plan(&plan, &context, rung.config, &error))
                            fail_msg("%s at %u: %s", rungs.rungs[i].name, threads, error.text);
                        assert_int_equal(ladder_rung_threads(&rung), threads);
                        planned++;
                    }
                    ladder_rung_close(&rung);
                }
    /* Harris 5 and 7 begin with 64 threads, tensor cores, redux and cp.async with sm_80, lanes of
     * rows with 128; `next` ends with 256; no matrix has less than a row */
    assert_int_equal(planned, ((45 * 6 - 4 + 3 * 4) * 3 - 12 - 4) * 4 + (6 + 6 + 4) * 3 * 2);
}

/* The form that is wrong today is never tried, and the rule says why. */
static void test_historical(void **state)
{
    struct error error;
    size_t count = 0;
    (void)state;
    for (size_t i = 0; i < rungs.count; i++) {
        const struct rung *rung = &rungs.rungs[i];
        struct problem problem = {.op = op_of(SUM),
                                  .type = I32,
                                  .acc = I32,
                                  .dims = DIMS_VALUE(1000),
                                  .regime = COLD};
        struct target target;
        if (!rung->historical)
            continue;
        struct ladder_rung opened = open_rung(rung);
        assert_int_equal(gpus_find(&target, "sm_70", &error), 0);
        const struct point_context context = {opened.space, &problem, &target};
        assert_int_equal(point_reject(&context, opened.config, &error), POINT_VALID);
        assert_int_equal(point_parse(opened.space, rung->historical, opened.config, &error), 0);
        const int broken = point_reject(&context, opened.config, &error);
        assert_true(broken >= 0);
        assert_non_null(strstr(opened.space->rules[broken].reason, "lock-step"));
        ladder_rung_close(&opened);
        count++;
    }
    assert_int_equal(count, 3);
}

static void test_choose(void **state)
{
    bool is_chosen[RUNGS_MAX] = {false};
    struct error error;
    (void)state;
    assert_int_equal(rungs_choose(&rungs, "lab04", is_chosen, &error), 0);
    assert_int_equal(rungs_choose(&rungs, "harris-2", is_chosen, &error), 0);
    for (size_t i = 0; i < rungs.count; i++)
        assert_int_equal(is_chosen[i], i == 1 || i == 34 || i == 35);
    assert_int_equal(rungs_choose(&rungs, "harris-8", is_chosen, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_non_null(strstr(error.text, "harris-"));
}

static void test_refused(void **state)
{
#define LADDER "[ladder]\nthreads = BLOCK\n"
#define GROUP "[group a]\ntitle = A\n"
#define RUNG "[rung a-1]\nkernel = 1\nspace = a\nparams = BLOCK=32\n"
    static const struct {
        const char *text, *says; /* NULL: it is right */
    } lists[] = {
        {LADDER GROUP RUNG, NULL},
        {LADDER "items = ITEMS\n" GROUP RUNG, NULL},
        {LADDER "differs = a\ndiffers 2 = b\n" GROUP RUNG "differs = c\n", NULL},
        {LADDER GROUP "differs = c\n" RUNG, "list:5: "},
        {LADDER GROUP RUNG "differ = c\n", "differs, no other key"},
        {LADDER GROUP "note = b\nnote 2 = c\n" RUNG "historical = A=B\n", NULL},
        {GROUP RUNG, "no [ladder] threads"},
        {LADDER GROUP, "no [rung]"},
        {LADDER RUNG, "list:4: "},
        {LADDER "[group a]\nnote = b\n" RUNG, "no title"},
        {LADDER GROUP "[rung a-1]\nkernel = 1\nspace = a\n", "[rung a-1] needs"},
        {LADDER GROUP RUNG "colour = red\n", "list:9: "},
        {LADDER GROUP "colour = red\n" RUNG, "list:5: "},
        {LADDER "colour = red\n" GROUP RUNG, "list:3: "},
        {LADDER "[other]\na = b\n" GROUP RUNG, "list:4: "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct rungs list;
        struct error error;
        const int got = rungs_load(&list, "list", lists[i].text, strlen(lists[i].text), &error);
        assert_int_equal(got, lists[i].says ? -1 : 0);
        if (!got) {
            rungs_dispose(&list);
            continue;
        }
        assert_int_equal(error.code, ERROR_USAGE);
        if (!strstr(error.text, lists[i].says))
            fail_msg("'%s' does not say '%s'", error.text, lists[i].says);
    }
}

/* --- Figures ------------------------------------------------------------------------------ */

/* What the documents' kernels are: of the rungs that have a figure, that they have its params. */
static void test_documents(void **state)
{
    static const struct {
        const char *name, *space, *param;
        int64_t value;
    } rows[] = {
        {"wangyu-5", "chunks", "ITEMS", 4},
        {"wangyu-5-loop", "chunks", "ITEMS", 4},
        {"lab04-shared", "shared_thread", NULL, 0},
        {"harris-7-64", "grid_stride", "GRID", 64},
        {"harris-7-256", "grid_stride", "GRID", 256},
        {"batched-0", "rows_modulo", "BLOCK", 128},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ladder_rung rung = open_rung(find_rung(rows[i].name));
        assert_string_equal(rung.listed->space, rows[i].space);
        if (rows[i].param)
            assert_int_equal(
                rung.config[space_find_param(rung.space, rows[i].param, strlen(rows[i].param))],
                rows[i].value);
        ladder_rung_close(&rung);
    }
    /* NUM_THREADS is a template's there, X and Y are __restrict__ */
    for (int i = 0; i < 2; i++) {
        struct ladder_rung rung = open_rung(find_rung(i ? "batched-1" : "batched-0"));
        assert_non_null(strstr(rung.template.text, "d < BLOCK;"));
        assert_non_null(strstr(rung.template.text, "*__restrict__ x"));
        assert_null(strstr(rung.template.text, "blockDim"));
        ladder_rung_close(&rung);
    }
}

static double count_bytes(const char *name, unsigned threads, struct problem problem)
{
    struct ladder_rung rung = open_rung(find_rung(name));
    struct target target;
    struct planner_plan plan;
    struct error error;
    assert_int_equal(gpus_find(&target, "sm_70", &error), 0);
    const struct point_context context = {rung.space, &problem, &target};
    assert_true(ladder_rung_resize(&rung, threads));
    assert_int_equal(call_plan(&plan, &context, rung.config, &error), 0);
    const double bytes = ladder_bytes(&plan, rung.space, &problem);
    ladder_rung_close(&rung);
    return bytes;
}

static void test_bytes(void **state)
{
    const struct problem small = {.op = op_of(SUM),
                                  .type = I32,
                                  .acc = I32,
                                  .dims = DIMS_VALUE(1000),
                                  .regime = COLD};
    const struct problem wide = {.op = op_of(SUM),
                                 .type = I32,
                                 .acc = I64,
                                 .dims = DIMS_VALUE(1000),
                                 .regime = COLD};
    (void)state;
    /* 1000 -> 32 -> 1; 1000 -> 16 -> 1; widened partial results; an identity, then the sum */
    assert_true(count_bytes("cs599-1", 32, small) == 4 * (1000 + 32 + 32 + 1));
    assert_true(count_bytes("harris-4", 128, small) == 4 * (1000 + 4 + 4 + 1));
    assert_true(count_bytes("cs599-5", 32, small) == 4 * (1000 + 8 + 8 + 1));
    assert_true(count_bytes("cs599-1", 32, wide) == 4 * 1000 + 8 * (32 + 32 + 1));
    assert_true(count_bytes("wangyu-naive", 256, small) == 4 * (1 + 1000 + 1));
}

/* GB/s as CS599 computed them for 2^30 f32, from its own times, which have three digits. */
static void test_gbs(void **state)
{
    static const struct {
        const char *name;
        unsigned threads;
        double ms, gbs;
    } figures[] = {
        {"cs599-5", 32, 13.21, 330.33}, {"cs599-5", 64, 6.60, 656.33},
        {"cs599-5", 128, 4.97, 867.23}, {"cs599-5", 1024, 5.46, 786.22},
        {"cs599-6", 512, 4.91, 875.77}, {"cs599-6", 1024, 4.90, 876.63},
        {"cs599-7", 256, 4.91, 875.47}, {"cs599-8", 32, 4.96, 867.67},
        {"cs599-9", 256, 4.93, 872.02},
    };
    const struct problem problem = {.op = op_of(SUM),
                                    .type = F32,
                                    .acc = F32,
                                    .dims = DIMS_VALUE(1ull << 30),
                                    .regime = COLD};
    (void)state;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        const struct ladder_cell cell = {.ps = (uint64_t)(figures[i].ms * 1e9),
                                         .bytes = count_bytes(figures[i].name,
                                                              figures[i].threads, problem)};
        const double apart = fabs(ladder_gbs(&cell) / figures[i].gbs - 1);
        if (apart > 0.0015)
            fail_msg("%s at %u: %.2f GB/s, not %.2f", figures[i].name, figures[i].threads,
                     ladder_gbs(&cell), figures[i].gbs);
    }
}

/* Harris' own times give his steps and totals. */
static const double harris_ms[] = {8.054, 3.456, 1.722, 0.965, 0.536, 0.381, 0.268};
static const double harris_step[] = {0, 2.33, 2.01, 1.78, 1.8, 1.41, 1.42};
static const double harris_total[] = {0, 2.33, 4.68, 8.34, 15.01, 21.16, 30.04};

static struct problem harris_problem = {.type = I32,
                                        .acc = I32,
                                        .dims = DIMS_VALUE(1 << 22),
                                        .regime = COLD};
NAMED_PROBLEM(name_harris_problem, harris_problem, SUM)

static void fill_harris(struct ladder *ladder, struct ladder_cell cells[RUNGS_MAX])
{
    *ladder = (struct ladder){.rungs = &rungs,
                              .columns = 1,
                              .cells = cells,
                              .peak = 86400000000,
                              .problem = &harris_problem,
                              .device = "G80",
                              .gpu = "G80"};
    memset(cells, 0, RUNGS_MAX * sizeof *cells);
    for (size_t i = 0; i < 7; i++)
        cells[i] = (struct ladder_cell){.is_there = true,
                                        .threads = 128,
                                        .status = "measured",
                                        .ps = (uint64_t)(harris_ms[i] * 1e9 + 0.5),
                                        .bytes = 4.0 * (1 << 22)};
}

static void test_compare(void **state)
{
    struct ladder_cell cells[RUNGS_MAX];
    struct ladder ladder;
    (void)state;
    fill_harris(&ladder, cells);
    ladder_compare(&ladder);
    for (size_t i = 0; i < 7; i++) {
        assert_true(fabs(cells[i].step - harris_step[i]) < 0.011);
        assert_true(fabs(cells[i].total - harris_total[i]) < 0.025);
    }
    cells[1].ps = 0; /* passed over */
    ladder_compare(&ladder);
    assert_true(fabs(cells[2].step - 8.054 / 1.722) < 1e-6);
    assert_true(fabs(cells[2].total - 8.054 / 1.722) < 1e-6);
    cells[0].ps = 0;
    ladder_compare(&ladder);
    assert_true(cells[2].step == 0 && cells[2].total == 0);
    assert_true(fabs(cells[6].total - 1.722 / 0.268) < 1e-6);
}

static void test_print(void **state)
{
    struct ladder_cell cells[RUNGS_MAX];
    struct ladder ladder;
    struct text text = {0};
    struct table table;
    (void)state;
    fill_harris(&ladder, cells);
    cells[3] = (struct ladder_cell){.is_there = true,
                                    .threads = 128,
                                    .status = "wrong",
                                    .reason = "no result at n = 3"};
    ladder_compare(&ladder);
    ladder_print(&text, &ladder, false);
    static const char *const lines[] = {
        "\nkernel                                  threads      ms  GB/s  % peak   step   "
        "total\n",
        "\n1 interleaved, divergent                    128  8.0540  2.08     2.4\n",
        "\n2 interleaved, bank conflicts               128  3.4560  4.85     5.6  2.33x   "
        "2.33x\n",
        "\n4 first add during load                     128   wrong\n",
        "\n7 several adds per thread, grid-stride      128  0.2680  62.6    72.5  1.42x  "
        "30.05x\n",
        "\nharris-4: wrong: no result at n = 3\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text.at, lines[i]))
            fail_msg("no line%sin\n%s", lines[i], text.at);
    assert_null(strstr(text.at, "CS599")); /* nothing of it is there */
    text_clear(&text);
    ladder_table(&table, &ladder);
    table_csv(&text, &table);
    assert_non_null(strstr(text.at,
                           "\r\nharris,harris-4,4 first add during load,128,wrong,,,,0,,"
                           ",,,,no result at n = 3,G80,ladder/first_add,4194304,sum,i32,"));
    assert_non_null(strstr(text.at, "128,measured,8.0540,"));
    assert_int_equal(table.row_count, 7);
    table_dispose(&table);
    text_dispose(&text);
}

/* What is computed of a rung: below the table, and at the end of its row. */
static void test_figures(void **state)
{
    struct ladder_cell cells[RUNGS_MAX];
    struct ladder ladder;
    struct text text = {0};
    struct table table;
    (void)state;
    fill_harris(&ladder, cells);
    cells[1].elements = 128;
    cells[1].grid = 32768;
    cells[1].pattern = (struct pattern){.is_known = true,
                                        .requests = 29,
                                        .lanes = 510,
                                        .wavefronts = 74,
                                        .ideal = 29,
                                        .ways = 4,
                                        .steps = {{4, 128, 1}, {6, 96, 2}},
                                        .step_count = 2,
                                        .sites = {{NULL, 7, 22, 7}},
                                        .site_count = 1,
                                        .loads = 4,
                                        .sectors = 32,
                                        .sectors_ideal = 16};
    cells[1].analysis =
        (struct analysis){.is_compiled = true,
                          .occupancy = {12, 24, 0.5, {16, 12, 40, 32}, OCCUPANCY_REGISTERS},
                          .elements = 128,
                          .issue = {.instructions = 50},
                          .in_flight = 6144,
                          .wanted = 18200,
                          .wanted_least = 12740};
    strcpy(cells[1].cause, "conflicts");
    ladder_print(&text, &ladder, false);
    static const char lines[] =
        "\nrung      lanes of 32  conflicts  wavefronts  sectors  warps an SM  limit      kB in flight  "
        "instructions\n"
        "harris-2         17.6      4-way       18.50      8/4        24/48  registers           6.1     "
        "12.5 SASS\n"
        "harris-2: conflicts\n";
    if (!strstr(text.at, lines))
        fail_msg("not%sin\n%s", lines, text.at);
    text_clear(&text);
    ladder_table(&table, &ladder);
    table_csv(&text, &table);
    static const char row[] =
        ",G80,ladder/interleaved_strided,4194304,sum,i32,1,32768,29,74,29,4,17.59,32 16,1 2,0,0,"
        "12,24,50.0,registers,6144,18200,12.50,SASS,conflicts,7,15,G80,16 12 40 32,4,32,16,,,value,,,\r\n";
    if (!strstr(text.at, row))
        fail_msg("not%sin\n%s", row, text.at);
    table_dispose(&table);
    text_dispose(&text);
}

/* Of each space with elements per thread a group, of each of its values a rung. */
static void test_grid(void **state)
{
    bool is_chosen[RUNGS_MAX];
    struct rungs grid;
    struct error error;
    (void)state;
    memset(is_chosen, true, sizeof is_chosen);
    assert_int_equal(ladder_rung_list(&grid, &error), 0);
    assert_int_equal(ladder_grid_make(&grid, is_chosen, &error), 0);
    static const char *const names[] = {"grid-several_at_load", "grid-next",
                                        "grid-next-BARRIER",    "grid-next-ASYNC-4",
                                        "grid-chunks-COUNTED",  "grid-chunks",
                                        "grid-chunks-HOISTED"};
    assert_int_equal(grid.group_count, 7);
    for (size_t g = 0; g < 7; g++)
        assert_string_equal(grid.groups[g].name, names[g]);
    assert_int_equal(grid.count, 4 * 5 + 3 * 9);
    assert_true(is_chosen[46] && !is_chosen[47]);
    assert_string_equal(grid.rungs[4].name, "several_at_load-64");
    for (size_t i = 0; i < grid.count; i++) {
        struct ladder_rung opened;
        if (ladder_rung_open(&opened, &grid, &grid.rungs[i], &error))
            fail_msg("%s", error.text);
        const int items = space_find_param(opened.space, "ITEMS", 5);
        const bool is_next = strcmp(grid.rungs[i].space, "next") == 0; /* from 1 element on */
        const size_t first = grid.groups[grid.rungs[i].group].first;
        assert_int_equal(opened.config[items], (is_next ? 1 : 4) << (i - first));
        ladder_rung_close(&opened);
    }
    rungs_dispose(&grid);
    for (size_t i = 0; i < RUNGS_MAX; i++)
        is_chosen[i] = i < 7;
    assert_int_equal(ladder_rung_list(&grid, &error), 0);
    assert_int_equal(ladder_grid_make(&grid, is_chosen, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_non_null(strstr(error.text, "no rung that was chosen has a param ITEMS"));
    rungs_dispose(&grid);
}

/* A rung that was disturbed is named, on a GPU; times of the emulator are no model. */
static void test_print_spread(void **state)
{
    struct ladder_cell cells[RUNGS_MAX];
    struct ladder ladder;
    struct text text = {0};
    (void)state;
    fill_harris(&ladder, cells);
    cells[2].low_ps = 1600000000;
    cells[2].high_ps = 1759000000;
    cells[3].low_ps = 960800000;
    cells[3].high_ps = 1531800000;
    ladder_print(&text, &ladder, false);
    assert_non_null(
        strstr(text.at, "\nharris-4: not steady: 0.9608 to 1.5318 ms with 128 threads"));
    assert_null(strstr(text.at, "harris-3: not steady"));
    text_clear(&text);
    ladder.is_host = true;
    ladder_print(&text, &ladder, false);
    assert_null(strstr(text.at, "not steady"));
    text_dispose(&text);
}

static void test_speed(void **state)
{
    static const struct {
        double gbs;
        const char *shown;
    } cases[] = {{4636.24, "4636.2"}, {10, "10.0"},         {9.996, "10.0"},
                 {9.99, "9.99"},      {0.9996, "1.00"},     {0.5, "0.500"},
                 {0.024, "0.0240"},   {0.00123, "0.00123"}, {1e-6, "0.000001"},
                 {1e-12, "0.000000"}, {0, "0.0"},           {-1, "0.0"}};
    char shown[NUMBER_CHARS];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(figures_speed(shown, cases[i].gbs), cases[i].shown);
}

static void test_bound(void **state)
{
    static const struct {
        double bound;
        bool is_most;
        const char *shown;
    } cases[] = {{897.8, true, "898"},   {897.8, false, "897"}, {885.1, true, "886"},
                 {1554.4, true, "1555"}, {99.74, true, "99.8"}, {99.96, true, "100"},
                 {100, true, "100"},     {100, false, "100"},   {9.991, true, "10.0"},
                 {2.341, false, "2.34"}, {0.1, true, "0.10"}};
    char shown[NUMBER_CHARS];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(figures_bound(shown, cases[i].bound, cases[i].is_most),
                            cases[i].shown);
}

static void test_print_by_size(void **state)
{
    static const unsigned blocks[] = {64, 512};
    struct ladder_cell cells[2 * RUNGS_MAX] = {{.is_there = false}};
    struct ladder ladder = {.rungs = &rungs, .columns = 2, .blocks = blocks, .cells = cells};
    struct text text = {0};
    (void)state;
    cells[2 * 34] = (struct ladder_cell){.is_there = true, .ps = 1500000000};
    cells[2 * 35 + 1] = (struct ladder_cell){.is_there = true, .ps = 12345678901};
    ladder_print(&text, &ladder, false);
    assert_string_equal(
        text.at,
        "Lab 04 (CUDA Reduce Optimization)\n"
        "ms by threads per block                                          64      512\n"
        "atomic_reduce: grid-stride sum, one atomic per thread        1.5000        -\n"
        "shared_reduce: a local sum, tree in shared memory, partials       -  12.3457\n"
        "lab04-atomic differs: the grid is all blocks that fit, which the lab leaves open; a launch before\n"
        "  it writes the identity, and is timed\n"
        "lab04-shared differs: the lab leaves open how local_sum_for_this_thread comes about: here as in\n"
        "  its atomic_reduce; the grid is all blocks that fit\n"
        "best: atomic_reduce: grid-stride sum, one atomic per thread, 64 threads: "
        "1.5000 ms, 0.0 GB/s\n\n"
        "all rungs differ from the documents' kernels: they take any type and operation, count elements in\n"
        "  64 bits, have shared memory of a size known to the compiler, and a barrier before each step of a\n"
        "  tree, where documents have one behind it\n");
    text_dispose(&text);
}

/* --- Kernels ------------------------------------------------------------------------------ */

/* By NVRTC, for each type the table is shown for and the sizes at both ends. */
static void test_compiles(void **state)
{
    static const enum type types[] = {I32, F32};
    struct nvrtc *nvrtc;
    struct error error;
    (void)state;
    if (nvrtc_open(&nvrtc, NULL, 90, &error)) {
        print_message("%s\n", error.text);
        skip();
    }
    for (size_t i = 0; i < rungs.count; i++)
        for (size_t k = 0; k < 2; k++) {
            struct ladder_rung rung = open_rung(&rungs.rungs[i]);
            struct problem problem = problem_of(&rungs.rungs[i], types[k], 400000000);
            struct emit_sources sources = load_sources();
            struct device_source units[SPACE_PASSES_MAX];
            struct device_image image;
            struct emit_variant variant;
            struct target target;
            sources.template = rung.template;
            assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
            const struct point_context context = {rung.space, &problem, &target};
            ladder_rung_resize(&rung, k ? 1024 : 64);
            assert_int_equal(emit_variant(&variant, &context, &sources, rung.config, &error),
                             0);
            for (size_t t = 0; t < variant.count; t++)
                units[t] = (struct device_source){variant.texts[t].at, rung.space->kernel};
            if (nvrtc_compile(nvrtc, 90, NVRTC_CUBIN, units, variant.count, &image, &error))
                fail_msg("%s: %s", rungs.rungs[i].name, error.text);
            assert_true(image.size > 0);
            device_dispose_image(&image);
            emit_dispose(&variant);
            ladder_rung_close(&rung);
        }
    nvrtc_close(nvrtc);
}

/* Rungs of one space on the emulator, among them a sound one before and after the bad. */
#define KERNEL(body)                                                                           \
    "__global__ void __launch_bounds__(BLOCK)\n"                                               \
    "reduce(const elem *x, unsigned long long n, accum *y)\n{\n" body "}\n"
static const struct {
    const char *template; /* NULL: its own */
    enum trial_status status;
    const char *says;
} other_kernels[] = {
    {NULL, TRIAL_MEASURED, ""},
    {KERNEL("    if (threadIdx.x == 0) y[blockIdx.x] = combine(identity(), 1);\n"), TRIAL_WRONG,
     "wrong result"},
    {KERNEL("    y[blockIdx.x] = map(x[n + (1ull << 44)]);\n"), TRIAL_CRASHED, "it "},
    {NULL, TRIAL_MEASURED, ""},
    {KERNEL("    for (;;) ;\n"), TRIAL_HUNG, "did not answer"},
    {KERNEL("    y[blockIdx.x] = nothing;\n"), TRIAL_FAILED, "nothing"},
    {NULL, TRIAL_MEASURED, ""},
};
enum { OTHER_KERNELS = sizeof other_kernels / sizeof *other_kernels };

/* Blocks that the emulator starts in a second; 0 where the last kernel ended the worker. */
static double started;

/* The worker's own space is a rung's too. */
static int measure_host(struct ladder_measure_step *steps, size_t count, double limit_s,
                        struct error *error)
{
    const struct device_options options = {.spec = "host", .seed = 1};
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(3000),
                                    .regime = COLD};
    const char *const specs[] = {"host"};
    const struct ladder_measure_options rules = {.seed = 1, .limit_s = limit_s};
    struct ladder_rung own = open_rung(find_rung("harris-4"));
    struct emit_sources sources = load_sources();
    struct device *device;
    sources.template = own.template;
    assert_int_equal(device_open(&device, &options, error), 0);
    const struct point_context context = {own.space, &problem, &device->info.target};
    const struct tune_job job = {.context = &context,
                                 .sources = &sources,
                                 .space = own.space_file,
                                 .info = &device->info,
                                 .specs = specs,
                                 .spec_count = 1};
    const int failed = ladder_measure_all(steps, count, &job, &rules, &started, error);
    device_close(device);
    ladder_rung_close(&own);
    return failed;
}

static int measure_rungs(struct ladder_measure_step *steps, const struct ladder_rung *rung,
                         double limit_s, struct error *error)
{
    for (size_t i = 0; i < OTHER_KERNELS; i++) {
        steps[i] = (struct ladder_measure_step){
            .other_kernel = {rung->space_file, rung->template, rung->space->param_count,
                             rung->config}};
        if (other_kernels[i].template)
            steps[i].other_kernel.template =
                (struct emit_file){"guest.cu", other_kernels[i].template};
    }
    return measure_host(steps, OTHER_KERNELS, limit_s, error);
}

/* Does one that ends count as hung? */
static bool is_too_soon(const struct ladder_measure_step *steps)
{
    for (size_t i = 0; i < OTHER_KERNELS; i++)
        if (steps[i].trial.status == TRIAL_HUNG && other_kernels[i].status != TRIAL_HUNG)
            return true;
    return false;
}

static void test_ladder(void **state)
{
    struct ladder_measure_step steps[OTHER_KERNELS];
    struct ladder_rung rung = open_rung(find_rung("harris-3"));
    struct error error;
    (void)state;
    for (double limit_s = 3;; limit_s *= 4) { /* longer where others have the machine */
        const bool is_failed = measure_rungs(steps, &rung, limit_s, &error) != 0;
        if (!is_failed && !is_too_soon(steps))
            break;
        if (limit_s > 100)
            fail_msg("%s", is_failed ? error.text : "one that ends counts as hung");
    }
    for (size_t i = 0; i < OTHER_KERNELS; i++) {
        if (steps[i].trial.status != other_kernels[i].status ||
            !strstr(steps[i].trial.reason, other_kernels[i].says))
            fail_msg("guest %zu is %s: %s", i, trial_statuses[steps[i].trial.status],
                     steps[i].trial.reason);
        assert_int_equal(steps[i].trial.time_count > 0 && steps[i].trial.times_ps[0] > 0,
                         other_kernels[i].status == TRIAL_MEASURED);
    }
    assert_true(steps[0].proofs > 100);
    assert_true(started > 0);
    ladder_rung_close(&rung);
}

/* A template that cannot be read at all is a mistake, and named. */
static void test_ladder_refuses(void **state)
{
    struct ladder_rung rung = open_rung(find_rung("harris-3"));
    struct ladder_measure_step steps[OTHER_KERNELS];
    struct error error;
    (void)state;
    rung.template = (struct emit_file){"open.cu", "//? if BLOCK == 32\n"};
    assert_int_equal(measure_rungs(steps, &rung, 100, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_non_null(strstr(error.text, "open.cu:"));
    ladder_rung_close(&rung);
}

/* --- Faults ------------------------------------------------------------------------------- */

/* What is changed, at each of its places in turn. Which thread of a block combines its word
 * into the result makes no difference. */
static const struct {
    const char *from, *to;
} faults[] = {
    {"__syncthreads();", ";"},
    {"__syncwarp();", ";"},
    {"i < n", "i <= n"},
    {"j < n", "j <= n"},
    {"BLOCK < n", "BLOCK <= n"},
    {"t + d]", "t + d + 1]"},
    {"at + d]", "at + d + 1]"},
    {"d > 0", "d > 1"},
    {"d *= 2", "d *= 4"},
    {"d = 16", "d = 8"},
    {"(2 * d)", "(4 * d)"},
    {"(2 * d - 1)", "(4 * d - 1)"},
    {"(ITEMS - 1)", "(ITEMS - 2)"},
    {"k < ITEMS", "k + 1 < ITEMS"},
    {"= identity();", "= 1;"},
    {"t == 0)\n        y[", "t == 1)\n        y["},
    {"t == 0)\n            y[", "t == 1)\n            y["},
    {"shared[t + 1])", "shared[t])"},
    {"i + 1 < n", "i + 1 <= n"},
    {"(2 * t + 1) - 1", "(2 * t + 1)"},
    {"left + stride", "left + 2 * stride"},
    {"stride *= 2", "stride *= 4"},
    {"2 * blockDim.x - 1)", "2 * blockDim.x - 2)"},
    {"(i) + (i) / 32", "(i) - (i) / 32"},
};
/* The rungs whose kernels are all lines of the templates, at a size that has them all. */
static const struct {
    const char *name;
    unsigned threads;
} mutated[] = {
    {"harris-1", 64},        {"harris-2", 64},        {"harris-3", 64},
    {"harris-4", 64},        {"harris-5", 128},       {"harris-6", 1024},
    {"harris-7", 1024},      {"cs599-5", 64},         {"wangyu-naive", 64},
    {"wangyu-shared", 64},   {"wangyu-3", 64},        {"wangyu-4", 64},
    {"wangyu-5", 64},        {"lab04-atomic", 64},    {"tensor-1", 1024},
    {"wangyu-4-redux", 64},  {"wangyu-5-loop", 64},   {"lab04-shared", 64},
    {"single-block", 64},    {"loads-pairs", 64},     {"loads-apart", 64},
    {"loads-parts", 64},     {"scan-up", 64},         {"scan-up-padded", 64},
    {"harris-1-masked", 64}, {"harris-2-padded", 64}, {"wangyu-5-hoisted", 64},
};
enum { MUTATED = sizeof mutated / sizeof *mutated, MUTANTS_MAX = 400 };

struct mutants {
    struct ladder_measure_step steps[MUTANTS_MAX];
    char *texts[MUTANTS_MAX], names[MUTANTS_MAX][100];
    size_t count;
};

/* After the instruction each lane of the warp has the result: any may write it. */
static bool is_harmless(const struct ladder_rung *rung, size_t fault)
{
    return is_redux(rung->listed) && strncmp(faults[fault].from, "t == 0)", 7) == 0;
}

/* Does the rung's kernel change with its template? A param leaves lines out. */
static bool is_in_kernel(const struct ladder_rung *rung, const char *template)
{
    const struct problem problem = problem_of(rung->listed, I32, 1000);
    struct target target;
    struct error error;
    struct emit_variant variants[2];
    bool is_same = true;
    assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
    const struct point_context context = {rung->space, &problem, &target};
    for (size_t i = 0; i < 2; i++) {
        struct emit_sources sources = load_sources();
        sources.template = (struct emit_file){"t.cu", i ? template : rung->template.text};
        if (emit_variant(&variants[i], &context, &sources, rung->config, &error))
            fail_msg("%s", error.text);
    }
    for (size_t p = 0; p < variants[0].count; p++)
        is_same &= strcmp(variants[0].texts[p].at, variants[1].texts[p].at) == 0;
    emit_dispose(&variants[0]);
    emit_dispose(&variants[1]);
    return !is_same;
}

/* The template's kernel, past what is only shown, with each fault in each of its places. */
static void add_mutants(struct mutants *mutants, const struct ladder_rung *rung)
{
    const char *text = rung->template.text, *shown = strstr(text, "//? else\n");
    const char *start = strncmp(text, "//? if LOCKSTEP", 15) == 0 ? shown : text;
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++)
        for (const char *at = is_harmless(rung, f) ? "" : start;
             (at = strstr(at, faults[f].from)); at++) {
            const size_t i = mutants->count++;
            assert_true(i < MUTANTS_MAX);
            assert_true(asprintf(&mutants->texts[i], "%.*s%s%s", (int)(at - text), text,
                                 faults[f].to, at + strlen(faults[f].from)) > 0);
            if (!is_in_kernel(rung, mutants->texts[i])) {
                free(mutants->texts[i]);
                mutants->count--;
                continue;
            }
            snprintf(mutants->names[i], sizeof mutants->names[i], "%s at %zu: %s for %s",
                     rung->template.name, (size_t)(at - text), faults[f].to, faults[f].from);
            mutants->steps[i] =
                (struct ladder_measure_step){.other_kernel = {rung->space_file,
                                                              {"mutant.cu", mutants->texts[i]},
                                                              rung->space->param_count,
                                                              rung->config}};
        }
}

/* Each barrier of each rung is needed, each bound and index right: another is found out. */
static void test_faults(void **state)
{
    struct mutants *mutants = calloc(1, sizeof *mutants);
    struct ladder_rung opened[MUTATED];
    struct error error;
    size_t missed = 0;
    (void)state;
    assert_non_null(mutants);
    for (size_t i = 0; i < MUTATED; i++) {
        opened[i] = open_rung(find_rung(mutated[i].name));
        assert_true(ladder_rung_resize(&opened[i], mutated[i].threads));
        add_mutants(mutants, &opened[i]);
    }
    if (measure_host(mutants->steps, mutants->count, 10, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < mutants->count; i++) {
        const struct ladder_measure_step *step = &mutants->steps[i];
        if (step->trial.status != TRIAL_WRONG && step->trial.status != TRIAL_CRASHED &&
            step->trial.status != TRIAL_HUNG) {
            print_message("%s is %s %s\n", mutants->names[i],
                          trial_statuses[step->trial.status], step->trial.reason);
            missed++;
        }
        free(mutants->texts[i]);
    }
    print_message("%zu faults\n", mutants->count);
    for (size_t i = 0; i < MUTATED; i++)
        ladder_rung_close(&opened[i]);
    free(mutants);
    assert_int_equal(missed, 0);
}

/* With AddressSanitizer a fault is found by it, and says nothing of the proof. */
#ifdef FIBER_ASAN
enum { IS_JUDGE = 0 };
#else
enum { IS_JUDGE = 1 };
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),          cmocka_unit_test(test_plans),
        cmocka_unit_test(test_historical),     cmocka_unit_test(test_documents),
        cmocka_unit_test(test_choose),         cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bytes),          cmocka_unit_test(test_gbs),
        cmocka_unit_test(test_compare),        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_print),          cmocka_unit_test(test_print_spread),
        cmocka_unit_test(test_bound),          cmocka_unit_test(test_print_by_size),
        cmocka_unit_test(test_figures),        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_compiles),       cmocka_unit_test(test_ladder),
        cmocka_unit_test(test_ladder_refuses),
    };
    const struct CMUnitTest wrong[] = {cmocka_unit_test(test_faults)};
    struct error error;
    if (argc > 1 && strcmp(argv[1], WORKER_ARGUMENT) == 0)
        return worker_run(&error) ? 1 : 0;
    int failed = cmocka_run_group_tests(tests, load_list, dispose_list);
    if (IS_JUDGE)
        failed += cmocka_run_group_tests(wrong, load_list, dispose_list);
    return failed;
}
