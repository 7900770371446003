/* verified: what was proven where is found again, by each part of what it is; a file that may not be trusted says
 * nothing, and one that got too long is begun anew. */
#include "cache/verified.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test-verified-XXXXXX", path[80];
static struct error error;

static struct problem problem_of(enum op op, enum type type, enum type acc)
{
    return (struct problem){.op = op_of(op), .type = type, .acc = acc, .dims = DIMS_VALUE(5)};
}

static void add(const struct problem *problem, const char *gpu, const char *driver)
{
    const struct verified what = {problem, gpu, driver};
    if (verified_add(folder, &what, &error))
        fail_msg("%s", error.text);
}

static bool has(const struct problem *problem, const char *gpu, const char *driver)
{
    const struct verified what = {problem, gpu, driver};
    return verified_has(folder, &what);
}

static long size_of(void)
{
    struct stat status;
    return stat(path, &status) ? -1 : (long)status.st_size;
}

static void finds_the_same(void **state)
{
    (void)state;
    const struct problem sum = problem_of(SUM, F32, F32), wide = problem_of(SUM, F32, F64),
                         max = problem_of(MAX, F32, F32);
    struct problem longer = sum;
    longer.dims = dims_value(1000);
    assert_false(has(&sum, "NVIDIA H200", "580"));
    add(&sum, "NVIDIA H200", "580");
    assert_true(has(&sum, "NVIDIA H200", "580"));
    assert_true(has(&longer, "NVIDIA H200", "580"));
    assert_false(has(&wide, "NVIDIA H200", "580"));
    assert_false(has(&max, "NVIDIA H200", "580"));
    assert_false(has(&sum, "NVIDIA H20", "580"));
    assert_false(has(&sum, "NVIDIA H200", "58"));
    const long size = size_of();
    add(&longer, "NVIDIA H200", "580");
    assert_int_equal(size_of(), size);
    add(&max, "a\nb", "580");
    assert_true(has(&max, "a\nb", "580") && has(&sum, "NVIDIA H200", "580"));
}

static void trusts_no_other_file(void **state)
{
    (void)state;
    const struct problem sum = problem_of(SUM, F32, F32);
    const struct verified what = {&sum, "NVIDIA H200", "581"};
    char other[sizeof path + 6];
    snprintf(other, sizeof other, "%s.other", path);
    add(&sum, "NVIDIA H200", "581");
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_false(has(&sum, "NVIDIA H200", "581"));
    assert_int_equal(verified_add(folder, &what, &error), -1);
    assert_int_equal(error.code, ERROR_IO);
    assert_int_equal(unlink(path), 0);
}

static void stays_short(void **state)
{
    (void)state;
    const struct problem sum = problem_of(SUM, F32, F32);
    char gpu[2000];
    memset(gpu, 'x', sizeof gpu);
    gpu[sizeof gpu - 1] = '\0';
    for (int i = 0; i < 300; i++) {
        snprintf(gpu, 12, "GPU %d", i);
        gpu[strlen(gpu)] = ' ';
        add(&sum, gpu, "580");
        assert_true(has(&sum, gpu, "580"));
        assert_true(size_of() < 300 << 10);
    }
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/proven.txt", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char command[200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_same),
        cmocka_unit_test(trusts_no_other_file),
        cmocka_unit_test(stays_short),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
