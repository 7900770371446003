/* Tests of output_file: a file is there whole or as it was, and nothing is left beside it; what cannot
 * be written is told of with its path. */
#include "autotune/cli/interrupt.h"
#include "autotune/cli/output_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/autotune-test-output-XXXXXX";
static struct error error;

static int setup(void **state)
{
    (void)state;
    return !mkdtemp(folder) || chdir(folder);
}

static int teardown(void **state)
{
    (void)state;
    return chdir("/") || rmdir(folder);
}

static void put(const char *path, const char *bytes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(bytes, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_has(const char *path, const char *bytes)
{
    char got[100] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(got, bytes);
}

/* All that is here but the names given, which are removed. */
static void assert_only(const char *name, const char *other)
{
    DIR *list = opendir(".");
    assert_non_null(list);
    for (const struct dirent *entry; (entry = readdir(list));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strcmp(entry->d_name, name) != 0 && strcmp(entry->d_name, other) != 0)
            fail_msg("'%s' is left", entry->d_name);
    closedir(list);
    remove(name);
    remove(other);
}

static int open_with(struct output_file *out, const char *path, const char *bytes)
{
    if (output_file_open(out, path, &error))
        return -1;
    assert_int_equal(write(out->file, bytes, strlen(bytes)), strlen(bytes));
    return 0;
}

static void test_whole_or_not(void **state)
{
    struct output_file out;
    struct stat status;
    (void)state;
    put("a", "before");
    assert_int_equal(chmod("a", 0640), 0);
    assert_int_equal(open_with(&out, "a", "after"), 0);
    assert_has("a", "before");
    assert_int_equal(output_file_close(&out, "a", -1, &error), -1); /* its writer failed */
    assert_has("a", "before");
    assert_int_equal(open_with(&out, "a", "after"), 0);
    assert_int_equal(output_file_close(&out, "a", 0, &error), 0);
    assert_has("a", "after");
    assert_int_equal(stat("a", &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_only("a", "");
}

/* A link stays one, and what it leads to is written: a file, none yet, and no file at all. */
static void test_links(void **state)
{
    struct output_file out;
    struct stat status;
    (void)state;
    put("a", "before");
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(open_with(&out, "link", "after"), 0);
    assert_int_equal(output_file_close(&out, "link", 0, &error), 0);
    assert_has("a", "after");
    assert_int_equal(lstat("link", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_only("a", "link");
    /* What is led to is not there: by a chain, from another folder. */
    assert_int_equal(mkdir("far", 0700), 0);
    assert_int_equal(symlink("far/next", "link"), 0);
    assert_int_equal(symlink("../made", "far/next"), 0);
    assert_int_equal(open_with(&out, "link", "after"), 0);
    assert_int_equal(output_file_close(&out, "link", 0, &error), 0);
    assert_has("made", "after");
    assert_true(lstat("link", &status) == 0 && S_ISLNK(status.st_mode));
    assert_true(lstat("far/next", &status) == 0 && S_ISLNK(status.st_mode));
    assert_int_equal(unlink("far/next"), 0);
    assert_int_equal(rmdir("far"), 0);
    assert_only("made", "link");
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(open_with(&out, "loop", "after"), -1);
    assert_int_equal(error.code, ERROR_IO);
    assert_non_null(strstr(error.text, "loop: cannot be written: Too many levels"));
    assert_only("loop", "");
}

static void test_refused(void **state)
{
    char far[PATH_MAX + 10], near[300];
    struct output_file out;
    (void)state;
    memset(far, 'a', sizeof far - 1);
    far[sizeof far - 1] = '\0';
    memset(near, 'a', sizeof near - 1);
    near[sizeof near - 1] = '\0';
    put("file", "kept");
    const struct {
        const char *path, *says;
    } rows[] = {
        {far, "cannot be written: File name too long"},
        {near, "cannot be written: File name too long"},
        {"file/below", "file/below: cannot be written: Not a directory"},
        {"nowhere/file", "nowhere/file: cannot be written: No such file or directory"},
        {".", ".: cannot be written: Is a directory"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        error = (struct error){.code = ERROR_NONE};
        if (output_file_open(&out, rows[i].path, &error) == 0) /* shows when it gets its name */
            assert_int_equal(output_file_close(&out, rows[i].path, 0, &error), -1);
        if (error.code != ERROR_IO || !strstr(error.text, rows[i].says))
            fail_msg("row %zu: '%s' does not say '%s'", i, error.text, rows[i].says);
    }
    assert_has("file", "kept");
    assert_only("file", "");
}

/* Its place is taken by a folder while it is written: it is told of, and its part goes. */
static void test_place_is_lost(void **state)
{
    struct output_file out;
    (void)state;
    assert_int_equal(open_with(&out, "a", "after"), 0);
    assert_int_equal(mkdir("a", 0700), 0);
    assert_int_equal(output_file_close(&out, "a", 0, &error), -1);
    assert_int_equal(error.code, ERROR_IO);
    assert_non_null(strstr(error.text, "a: cannot be written: Is a directory"));
    assert_only("a", "");
}

static void test_no_file(void **state)
{
    struct output_file out;
    (void)state;
    assert_int_equal(open_with(&out, "/dev/null", "after"), 0);
    assert_int_equal(output_file_close(&out, "/dev/null", 0, &error), 0);
    assert_int_equal(mkfifo("fifo", 0600), 0);
    const int reader = open("fifo", O_RDONLY | O_NONBLOCK);
    char got[10] = "";
    assert_true(reader >= 0);
    assert_int_equal(open_with(&out, "fifo", "after"), 0);
    assert_int_equal(output_file_close(&out, "fifo", 0, &error), 0);
    assert_int_equal(read(reader, got, sizeof got - 1), 5);
    assert_string_equal(got, "after");
    close(reader);
    assert_only("fifo", "");
}

/* Without a reader it waits, until a signal comes: in another process, for that stays noted. */
static void test_fifo_of_none(void **state)
{
    struct output_file out;
    struct interrupt_guard guard;
    int status;
    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        interrupt_begin(&guard, NULL);
        raise(SIGINT);
        const int failed = output_file_open(&out, "fifo", &error);
        exit(failed && error.code == ERROR_INTERRUPTED &&
                     strstr(error.text, "fifo is a FIFO without a reader")
                 ? 0
                 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_only("fifo", "");
}

/* Parts of processes that are gone are removed, whatever else is called alike stays. */
static void test_left_parts(void **state)
{
    struct output_file out;
    struct stat found;
    struct output_file own;
    (void)state;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        assert_int_equal(open_with(&out, "b", "half"), 0);
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(open_with(&own, "c", "another thread's"), 0);
    put(".autotune-0-0.part", "of nobody");
    assert_int_equal(open_with(&out, "a", "after"), 0);
    assert_int_equal(output_file_close(&out, "a", 0, &error), 0);
    assert_int_equal(output_file_close(&own, "c", 0, &error), 0);
    assert_has("c", "another thread's");
    assert_int_equal(remove("c"), 0);
    assert_int_equal(stat("b", &found), -1);
    assert_only("a", ".autotune-0-0.part");
}

/* Where locks are those of one machine alone, what another wrote is left for a day. */
static void test_parts_of_other_machines(void **state)
{
    static const char new[] = ".autotune-elsewhere-1-0.part",
                      old[] = ".autotune-elsewhere-1-1.part";
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct output_file out;
    struct stat found;
    (void)state;
    put(new, "being written");
    put(old, "half");
    assert_int_equal(utimensat(AT_FDCWD, old, long_ago, 0), 0);
    assert_int_equal(open_with(&out, "a", "after"), 0);
    assert_int_equal(output_file_close(&out, "a", 0, &error), 0);
    assert_int_equal(stat(old, &found), -1);
    assert_only("a", new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_or_not), cmocka_unit_test(test_links),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_place_is_lost),
        cmocka_unit_test(test_no_file),      cmocka_unit_test(test_fifo_of_none),
        cmocka_unit_test(test_left_parts),   cmocka_unit_test(test_parts_of_other_machines),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
