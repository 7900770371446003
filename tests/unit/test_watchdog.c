/* Tests of watchdog: a kernel that answers may take as long as it likes, one that does not ends the
 * process with a sentence and the status of a wrong kernel. Each runs in a process of its own.
 * With watchdog_answer empty test_answers fails, without setitimer test_silent. */
#include "autotune/command/watchdog.h"
#include "generator/error.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const double LIMIT_S = 0.2;

static double used(void)
{
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void use(double seconds)
{
    for (const double end = used() + seconds; used() < end;)
        continue;
}

static void answers(void)
{
    watchdog_kernel("the slow one");
    for (int i = 0; i < 12; i++) {
        use(LIMIT_S / 4);
        watchdog_answer();
    }
    watchdog_kernel(NULL);
    use(2 * LIMIT_S); /* the program's own work has no limit */
}

static void is_silent(void)
{
    watchdog_kernel("the first");
    watchdog_answer();
    watchdog_kernel(NULL);
    watchdog_kernel("the endless one");
    use(LIMIT_S / 2);
    watchdog_answer();
    use(100 * LIMIT_S);
}

static void crashes(void)
{
    watchdog_kernel("the first");
    watchdog_kernel(NULL);
    watchdog_kernel("the bad one");
    watchdog_answer();
    raise(SIGSEGV);
}

/* Runs `body` in a process; its exit status, and what it has said, "" for nothing. */
static int run(void (*body)(void), char *said, size_t size)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        watchdog_limit(LIMIT_S);
        body();
        _exit(0);
    }
    close(ends[1]);
    const ssize_t length = read(ends[0], said, size - 1);
    said[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_answers(void **state)
{
    char said[1200];
    (void)state;
    assert_int_equal(run(answers, said, sizeof said), 0);
    assert_string_equal(said, "");
}

static void test_silent(void **state)
{
    char said[1200];
    (void)state;
    assert_int_equal(run(is_silent, said, sizeof said), ERROR_WRONG);
    assert_string_equal(said, "autotune: the endless one is wrong: it gives no answer within "
                              "0.20 s of processor time (--limit); correct the template or the "
                              "space\n");
}

static void test_crash(void **state)
{
    char said[1200];
    (void)state;
    assert_int_equal(run(crashes, said, sizeof said), ERROR_WRONG);
    assert_string_equal(said,
                        "autotune: the bad one is wrong: it crashes; correct the template "
                        "or the space\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers),
                                       cmocka_unit_test(test_silent),
                                       cmocka_unit_test(test_crash)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
