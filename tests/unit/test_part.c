/* Tests how a list is dealt to parts, and how a process finds which part it is. */
#include "autotune/cli/request_part.h"
#include "autotune/device/cores.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_rows_are_dealt_evenly(void **state)
{
    (void)state;
    for (unsigned count = 1; count < 40; count++)
        for (uint64_t row = 0; row < 20; row++) {
            unsigned got[40] = {0};
            for (unsigned i = 0; i < count; i++)
                got[part_of(row * count + i, count)]++;
            for (unsigned i = 0; i < count; i++)
                assert_int_equal(got[i], 1);
        }
}

/* What one of `lost` parts leaves, `most` of the parts of another number would get at most. */
static void test_what_a_part_leaves_is_shared(void **state)
{
    enum { ITEMS = 4000 };
    (void)state;
    for (unsigned lost = 2; lost <= 16; lost *= 2)
        for (unsigned count = 2; count <= lost; count *= 2) {
            unsigned got[16] = {0}, all = 0;
            for (uint64_t i = 0; i < ITEMS; i++)
                if (part_of(i, lost) == lost - 1) {
                    got[part_of(i, count)]++;
                    all++;
                }
            for (unsigned i = 0; i < count && count != lost; i++)
                assert_in_range(got[i], all / count / 2, all / count * 2);
        }
}

static const char *const names[] = {
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "PMIX_RANK",
    "PMI_RANK",
    "PMI_SIZE",
    "MPI_LOCALNRANKS",
    "SLURM_PROCID",
    "SLURM_NTASKS",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_STEP_ID",
    "SLURM_STEP_TASKS_PER_NODE",
    "SLURM_NTASKS_PER_NODE",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_ARRAY_TASK_COUNT",
    "SLURM_ARRAY_TASK_MIN",
    "SLURM_ARRAY_TASK_STEP",
};

/* "A=1 B=2", and no other of these variables. */
static void set_environment(const char *text)
{
    char copy[400];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    strcpy(copy, text);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        setenv(word, value, 1);
    }
}

static void test_launchers(void **state)
{
    static const struct {
        const char *environment;
        unsigned index, count; /* count 0: refused */
    } cases[] = {
        {"OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=8", 3, 8},
        {"OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1", 0, 1},
        /* mpirun in a job of Slurm hands on the job's variables */
        {"OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 PMIX_RANK=1 SLURM_PROCID=0 "
         "SLURM_NTASKS=16 SLURM_STEP_ID=0",
         1, 4},
        {"PMIX_RANK=2 SLURM_NTASKS=3", 2, 3},
        {"PMI_RANK=5 PMI_SIZE=6", 5, 6},
        {"SLURM_PROCID=7 SLURM_NTASKS=8 SLURM_STEP_ID=0", 7, 8},
        {"SLURM_PROCID=1 SLURM_NTASKS=8 SLURM_STEP_NUM_TASKS=2 SLURM_STEP_ID=0", 1, 2},
        {"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=2", 1, 2},
        {"SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_COUNT=8 SLURM_ARRAY_TASK_MIN=1", 7, 8},
        {"SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_STEP=4 "
         "SLURM_ARRAY_TASK_MIN=0",
         1, 3},
        /* the script of an array's task, which is one process */
        {"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=2 SLURM_PROCID=0 SLURM_NTASKS=4", 1, 2},
        {"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=2 SLURM_PROCID=3 SLURM_NTASKS=4 "
         "SLURM_STEP_ID=0",
         7, 8},
        {"", 0, 0},
        {"SLURM_PROCID=0 SLURM_NTASKS=8", 0, 0},
        {"PMI_RANK=5", 0, 0},
        {"PMI_RANK=6 PMI_SIZE=6", 0, 0},
        {"PMI_RANK=0 PMI_SIZE=0", 0, 0},
        {"PMI_RANK=x PMI_SIZE=6", 0, 0},
        {"PMI_RANK=-1 PMI_SIZE=6", 0, 0},
        {"PMI_RANK=1 PMI_SIZE=9999999", 0, 0},
        {"SLURM_ARRAY_TASK_ID=1", 0, 0},
        {"SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=3", 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct part part = {0, 0};
        struct error error = {.code = ERROR_NONE};
        set_environment(cases[i].environment);
        const int failed = request_part_parse(&part, "auto", &error);
        if (!!failed != (cases[i].count == 0) || part.index != cases[i].index ||
            part.count != cases[i].count)
            fail_msg("'%s': %u of %u, %s", cases[i].environment, part.index, part.count,
                     failed ? error.text : "taken");
        if (failed)
            assert_int_equal(error.code, ERROR_USAGE);
    }
    set_environment("");
}

static void test_processes_here(void **state)
{
    (void)state;
    set_environment("");
    assert_int_equal(request_part_local(), 1);
    set_environment("OMPI_COMM_WORLD_LOCAL_SIZE=4");
    assert_int_equal(request_part_local(), 4);
    set_environment("SLURM_STEP_TASKS_PER_NODE=8(x2)");
    assert_int_equal(request_part_local(), 8);
    set_environment("");
}

static void test_cores(void **state)
{
    cpu_set_t all, one;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(cores_own(), CPU_COUNT(&all));
    assert_true(cores_of_machine() >= 1);
    size_t core = 0;
    while (!CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(cores_own(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

/* Processes that may use all cores get each of them once, or one each where there are too few; one that is
 * bound stays so. */
static void test_shares_of_cores(void **state)
{
    cpu_set_t all, own;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    if (cores_own() != cores_of_machine() || cores_own() > 64) {
        print_message("this process may not use all cores, or there are many\n");
        skip();
    }
    for (unsigned count = 1; count < 2 * cores_of_machine() + 3; count++) {
        unsigned got = 0;
        for (unsigned i = 0; i < count; i++) {
            cores_take_share(i, count);
            assert_int_equal(sched_getaffinity(0, sizeof own, &own), 0);
            got += (unsigned)CPU_COUNT(&own);
            cores_take_share((i + 1) % count, count);
            assert_int_equal(cores_own(), CPU_COUNT(&own));
            assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
        }
        assert_int_equal(got, count < cores_of_machine() ? cores_of_machine() : count);
    }
    cores_take_share(3, 3);
    assert_int_equal(cores_own(), CPU_COUNT(&all));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_dealt_evenly),
        cmocka_unit_test(test_what_a_part_leaves_is_shared),
        cmocka_unit_test(test_launchers),
        cmocka_unit_test(test_processes_here),
        cmocka_unit_test(test_cores),
        cmocka_unit_test(test_shares_of_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
