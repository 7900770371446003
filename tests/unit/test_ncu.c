/* Nsight Compute's CSV read back: as `ncu --csv --page raw` writes it, with its own lines and
 * the program's around, thousands separated, units scaled, what it does not know left out. */
#include "autotune/analysis/ncu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define STALL(name) "\"smsp__average_warps_issue_stalled_" name "_per_issue_active.ratio\""

static const char sample[] =
    "==PROF== Connected to process 4711 (/usr/local/bin/autotune)\n"
    "a line of the program, with \"quotes\", that is none of ours\n"
    "==PROF== Profiling \"reduce\" - 0: 0%....50%....100% - 14 passes\n"
    "==PROF== Disconnected from process 4711\n"
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
    "\"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed\","
    "\"gpu__time_duration.sum\","
    "\"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum\","
    "\"launch__registers_per_thread\","
    "\"memory_l1_wavefronts_shared\",\"memory_l1_wavefronts_shared_ideal\","
    "\"smsp__inst_executed.sum\",\"smsp__sass_inst_executed_op_shared.sum\",\"smsp__inst_executed_op_shared_ldsm.sum\","
    "\"sm__throughput.avg.pct_of_peak_sustained_elapsed\","
    "\"dram__throughput.avg.pct_of_peak_sustained_elapsed\","
    "\"lts__throughput.avg.pct_of_peak_sustained_elapsed\","
    "\"l1tex__throughput.avg.pct_of_peak_sustained_active\","
    "\"sm__inst_issued.avg.pct_of_peak_sustained_active\","
    "\"sm__warps_active.avg.pct_of_peak_sustained_active\","
    "\"smsp__average_warp_latency_per_inst_issued.ratio\"," STALL("barrier") "," STALL("gmma") "," STALL("long_scoreboard") "," STALL(
        "selected") ","
                    "\"smsp__inst_executed_op_shared_atom.sum\","
                    "\"smsp__thread_inst_executed_per_inst_executed.ratio\","
                    "\"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio\","
                    "\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\","
                    "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\"\n"
                    "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"%\",\"ns\",\"\","
                    "\"register/thread\",\"\",\"\",\"inst\",\"inst\",\"inst\",\"%\",\"%\",\"%\",\"%\",\"%\",\"%\",\"cycle\",\"inst\",\"inst\","
                    "\"inst\",\"inst\",\"inst\",\"\",\"\",\"\",\"sector\"\n"
                    "\"0\",\"4711\",\"autotune\",\"127.0.0.1\",\"v0::reduce(const int *, unsigned long long, int "
                    "*)\",\"1\",\"13\",\"(128, 1, 1)\",\"(3125000, 1, 1)\",\"0\",\"9.0\",\"91.14\","
                    "\"2,156,900\",\"187,654,321\",\"16\",\"300,000,000\",\"200,000,000\",\"400,000,000\",\"200,000,000\","
                    "\"50,000,000\",\"89.75\",\"15.5\",\"14\",\"91.14\",\"70.25\",\"66.67\",\"20.50\",\"6.15\",\"n/a\",\"8.2\",\"1\",\"0\",\"31.50\",\"17.59\",\"12,500,000\",\"50,000,000\"\n"
                    "\"1\",\"4711\",\"autotune\",\"127.0.0.1\",\"v0::reduce(\"\"it\"\")\",\"1\",\"13\","
                    "\"(128, 1, 1)\",\"(24415, 1, 1)\",\"0\",\"9.0\",\"n/a\",\"17,408\",\"\",\"16\",\"0\",\"0\",\"0\","
                    "\"0\",\"0\",\"3.5\",\"1\",\"1\",\"1\",\"1\",\"60\",\"n/a\",\"n/a\",\"n/a\",\"n/a\",\"n/a\",\"0\",\"32\",\"30.25\",\"0\",\"0\"\n";

/* What ncu printed, with nothing on its standard error. */
static int parse(struct ncu_launch *out, size_t most, size_t *count, const char *said,
                 struct error *error)
{
    const struct text none = {0};
    struct text text = {0};
    text_adds(&text, said);
    const int failed = ncu_parse(out, most, count, &text, &none, error);
    text_dispose(&text);
    return failed;
}

/* The unit is told by its own figure: ncu's "memory" is the busiest of all but issue, and names none. */
static void test_busiest(void **state)
{
    (void)state;
    struct ncu_launch launch;
    for (int i = 0; i < NCU_FIGURES; i++)
        launch.figures[i] = -1;
    launch.figures[NCU_MEMORY] = 89.1;
    launch.figures[NCU_COMPUTE] = 70.4;
    assert_null(ncu_busiest(&launch)); /* of none of them anything is known */
    for (size_t i = 0; i < NCU_UNITS; i++)
        launch.figures[ncu_units[i].figure] = 10;
    launch.figures[NCU_L1] = 89.1;
    assert_int_equal(ncu_busiest(&launch)->figure, NCU_L1);
    launch.figures[NCU_ISSUE] = 90;
    assert_int_equal(ncu_busiest(&launch)->figure, NCU_ISSUE);
    launch.figures[NCU_DRAM] = 91;
    assert_int_equal(ncu_busiest(&launch)->figure, NCU_DRAM);
    launch.figures[NCU_L2] = 92;
    assert_string_equal(ncu_busiest(&launch)->name, "L2 cache");
}

static bool is_near(double a, double b)
{
    return a - b < 1e-6 && b - a < 1e-6;
}

static void test_figures(void **state)
{
    (void)state;
    struct ncu_launch launches[4];
    struct error error;
    size_t count;
    static const double expected[NCU_FIGURES] = {
        [NCU_NS] = 2156900,
        [NCU_MEMORY] = 91.14,
        [NCU_COMPUTE] = 89.75,
        [NCU_OCCUPANCY] = 66.67,
        [NCU_REGISTERS] = 16,
        [NCU_SHARED] = 200e6,
        [NCU_WAVEFRONTS] = 300e6,
        [NCU_WAVEFRONTS_IDEAL] = 200e6,
        [NCU_CONFLICTS] = 187654321,
        [NCU_THREADS] = 31.5,
        [NCU_THREADS_ON] = 17.59,
        [NCU_LOADS] = 12500000,
        [NCU_SECTORS] = 50000000,
        [NCU_LATENCY] = 20.5,
        [NCU_INSTRUCTIONS] = 400e6,
        [NCU_DRAM] = 15.5,
        [NCU_L2] = 14,
        [NCU_L1] = 91.14,
        [NCU_ISSUE] = 70.25,
    };
    assert_int_equal(parse(launches, 4, &count, sample, &error), 0);
    assert_int_equal(count, 2);
    for (int i = 0; i < NCU_FIGURES; i++)
        if (!is_near(launches[0].figures[i], expected[i]))
            fail_msg("figure %d is %g", i, launches[0].figures[i]);
    assert_string_equal(launches[0].kernel,
                        "v0::reduce(const int *, unsigned long long, int *)");
    assert_string_equal(launches[0].grid, "(3125000, 1, 1)");
    assert_string_equal(launches[0].block, "(128, 1, 1)");
    assert_string_equal(launches[0].stall->name, "long_scoreboard");
    assert_true(is_near(launches[0].stall_cycles, 8.2));
    assert_true(is_near(ncu_excess(&launches[0]), 0.5));
    assert_true(is_near(ncu_sectors(&launches[0]), 4));
}

static void test_unknown(void **state)
{
    (void)state;
    struct ncu_launch launches[4];
    struct error error;
    size_t count;
    assert_int_equal(parse(launches, 4, &count, sample, &error), 0);
    assert_string_equal(launches[1].kernel, "v0::reduce(\"it\")");
    assert_true(launches[1].figures[NCU_MEMORY] < 0);
    assert_true(launches[1].figures[NCU_CONFLICTS] < 0);
    assert_true(is_near(launches[1].figures[NCU_NS], 17408));
    assert_null(launches[1].stall);
    assert_true(is_near(ncu_excess(&launches[1]), 0)); /* no instruction, no conflict */
    assert_true(ncu_sectors(&launches[1]) < 0);        /* no load */
    assert_int_equal(parse(launches, 1, &count, sample, &error), 0);
    assert_int_equal(count, 1);
}

/* The names and units of older versions, and no units at all. */
static void test_units(void **state)
{
    (void)state;
    static const struct {
        const char *units, *value;
        double ns;
    } rows[] = {{"\"\",\"usecond\"\n", "343.37", 343370},
                {"\"\",\"us\"\n", "1.5", 1500},
                {"\"\",\"msecond\"\n", "1,000.25", 1000250000},
                {"\"\",\"s\"\n", "2", 2e9},
                {"\"\",\"nsecond\"\n", "7", 7},
                {"", "1.2e+06", 1.2e6},
                {"\"\",\"ns\"\r\n", "9", 9}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ncu_launch launch;
        struct error error;
        char text[200];
        size_t count;
        snprintf(text, sizeof text, "\"ID\",\"gpu__time_duration.sum\"\n%s\"0\",\"%s\"",
                 rows[i].units, rows[i].value);
        assert_int_equal(parse(&launch, 1, &count, text, &error), 0);
        if (!is_near(launch.figures[NCU_NS] / rows[i].ns, 1))
            fail_msg("%s of %s is %g ns", rows[i].value, rows[i].units, launch.figures[NCU_NS]);
        assert_true(launch.figures[NCU_REGISTERS] < 0);
        assert_true(launch.figures[NCU_SHARED] < 0);
        assert_true(ncu_excess(&launch) < 0);
    }
}

static void test_no_launch(void **state)
{
    (void)state;
    static const struct {
        const char *said, *errors, *says;
        enum error_code code;
    } rows[] = {
        {"==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to "
         "access NVIDIA GPU Performance Counters on the target device 0.\n",
         "", "NVreg_RestrictProfilingToAdminUsers", ERROR_NO_DEVICE},
        {"", "==ERROR== ERR_NVGPUCTRPERM\n", "NVreg_RestrictProfilingToAdminUsers",
         ERROR_NO_DEVICE},
        {"==ERROR== Failed to initialize the profiler: LibraryNotLoaded.\n", "",
         "no launch here: Failed to initialize the profiler: LibraryNotLoaded; see",
         ERROR_NO_DEVICE},
        {"==ERROR== An error occurred\n", "==ERROR== Driver resource was unavailable\r\n",
         "no launch here: Driver resource was unavailable; see", ERROR_NO_DEVICE},
        {"==PROF== Connected\n", "==WARNING== No kernels were profiled.\n==PROF== Gone\n",
         "no launch here: No kernels were profiled; see", ERROR_NO_DEVICE},
        {"\n==PROF== Connected\n", "\nenv: 'ncu': Permission denied\nmore\n",
         "no launch here: env: 'ncu': Permission denied; see", ERROR_NO_DEVICE},
        {"==PROF== Connected\n==WARNING== No kernels were profiled.\n",
         "autotune: no room on GPU 0\n", "no room on GPU 0", ERROR_FAILED},
        {"==ERROR== Not supported\n", "autotune: warning: a record is passed over\n\n",
         "no launch here: Not supported; see", ERROR_NO_DEVICE},
        {"", "autotune: warning: a record is passed over\n", "no reason", ERROR_NO_DEVICE},
        {"\"ID\",\"Kernel Name\"\n\"0\",\"reduce\"\n", "autotune: wrong result at n = 5\n",
         "profiled: wrong result at n = 5", ERROR_FAILED},
        {"", "\"ID\"\n\"0\"\n", "no reason", ERROR_NO_DEVICE}, /* no table there */
        {"", "", "no reason", ERROR_NO_DEVICE},
        {"\"ID\",\"Kernel Name\"\n\"\",\"\"\n", "", "no reason", ERROR_NO_DEVICE},
        {"\"0\",\"a row without names\"\n", "", "no reason", ERROR_NO_DEVICE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ncu_launch launch;
        struct error error = {.code = ERROR_NONE};
        struct text said = {0}, errors = {0};
        size_t count = 1;
        text_adds(&said, rows[i].said);
        text_adds(&errors, rows[i].errors);
        assert_int_equal(ncu_parse(&launch, 1, &count, &said, &errors, &error), -1);
        assert_int_equal(count, 0);
        assert_int_equal(error.code, rows[i].code);
        if (!strstr(error.text, rows[i].says))
            fail_msg("'%s' does not say '%s'", error.text, rows[i].says);
        text_dispose(&said);
        text_dispose(&errors);
    }
}

/* ncu's raw page has hundreds of columns, of the device and the launch, before the last metrics. */
static void test_many_columns(void **state)
{
    (void)state;
    struct text text = {0};
    struct ncu_launch launch;
    struct error error;
    size_t count;
    text_adds(&text, "\"ID\"");
    for (int i = 0; i < 1000; i++)
        text_addf(&text, ",\"device__attribute_%d\"", i);
    text_adds(&text, ",\"sm__throughput.avg.pct_of_peak_sustained_elapsed\"\n\"\"");
    for (int i = 0; i < 1000; i++)
        text_adds(&text, ",\"\"");
    text_adds(&text, ",\"%\"\n\"0\"");
    for (int i = 0; i < 1000; i++)
        text_addf(&text, ",\"%0300d\"", i);
    text_adds(&text, ",\"12.5\"\n");
    assert_int_equal(parse(&launch, 1, &count, text.at, &error), 0);
    assert_int_equal(count, 1);
    assert_true(is_near(launch.figures[NCU_COMPUTE], 12.5));
    text_dispose(&text);
}

/* An end in the middle does no harm, and is no launch half read. */
static void test_damaged(void **state)
{
    (void)state;
    struct text text = {0};
    struct ncu_launch launches[4];
    struct error error;
    size_t count;
    for (size_t length = 0; length < sizeof sample; length++) {
        text_add(&text, sample, length);
        parse(launches, 4, &count, text.at ? text.at : "", &error);
        assert_true(count <= 2);
        text_dispose(&text);
        text = (struct text){0};
    }
}

/* Each metric is asked for once, in a list without blanks. */
static void test_metrics(void **state)
{
    (void)state;
    struct text text = {0};
    size_t count = 1;
    ncu_metrics(&text);
    assert_null(strchr(text.at, ' '));
    for (const char *at = strchr(text.at, ','); at; at = strchr(at + 1, ','), count++) {
        char name[120];
        snprintf(name, sizeof name, "%.*s,", (int)strcspn(at + 1, ","), at + 1);
        assert_int_equal(strncmp(at + 1, name, strlen(name) - 1), 0);
        const char *first = strstr(text.at, name);
        if (first)
            assert_null(strstr(first + 1, name));
    }
    assert_true(count >= 28);
    assert_non_null(strstr(text.at, "sm__throughput.avg.pct_of_peak_sustained_elapsed,"));
    text_dispose(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_busiest),   cmocka_unit_test(test_figures),
        cmocka_unit_test(test_unknown),   cmocka_unit_test(test_units),
        cmocka_unit_test(test_no_launch), cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_metrics),   cmocka_unit_test(test_many_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
