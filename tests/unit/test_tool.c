/* Another program's output, its errors apart from it, and how it ended. */
#include "autotune/analysis/tool.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

static void test_endings(void **state)
{
    (void)state;
    static const struct {
        const char *script, *out, *errors;
        int status;
    } rows[] = {
        {"echo a; echo b >&2; echo c; exit 3", "a\nc\n", "b\n", 3},
        {"cat; exit 0", "", "", 0}, /* there is nothing to read */
        {"echo a; kill -9 $$", "a\n", "", -1},
        {"exit 127", "", "", TOOL_MISSING},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int with_errors = 0; with_errors < 2; with_errors++) {
            const char *const command[] = {"sh", "-c", rows[i].script, NULL};
            struct text out = {0}, errors = {0};
            assert_int_equal(tool_run(&out, with_errors ? &errors : NULL, command),
                             rows[i].status);
            assert_string_equal(out.at ? out.at : "", rows[i].out);
            assert_string_equal(errors.at ? errors.at : "", with_errors ? rows[i].errors : "");
            text_dispose(&out);
            text_dispose(&errors);
        }
}

/* More of both than a pipe holds: neither waits for the other. */
static void test_long(void **state)
{
    (void)state;
    const char *const command[] =
        {"sh", "-c",
         "i=0; while [ $i -lt 20000 ]; do echo 012345678; echo 9 >&2; i=$((i+1)); done", NULL};
    struct text out = {0}, errors = {0};
    assert_int_equal(tool_run(&out, &errors, command), 0);
    assert_int_equal(out.length, 20000 * strlen("012345678\n"));
    assert_int_equal(errors.length, 20000 * strlen("9\n"));
    text_dispose(&out);
    text_dispose(&errors);
}

static void test_missing(void **state)
{
    (void)state;
    const char *const command[] = {"/nonexistent/ncu", NULL};
    struct text text = {0};
    assert_int_equal(tool_run(&text, &text, command), TOOL_MISSING);
    assert_int_equal(text.length, 0);
    text_dispose(&text);
}

/* A child of which another has taken the ending, and no room for a pipe or for the errors: no ending
 * is known, and no file stays open. */
static void test_no_ending(void **state)
{
    (void)state;
    const char *const command[] = {"sh", "-c", "echo a; exit 3", NULL};
    struct text out = {0}, errors = {0};
    struct rlimit before;
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(tool_run(&out, &errors, command), -1);
    signal(SIGCHLD, SIG_DFL);
    assert_string_equal(out.at, "a\n");
    text_clear(&out);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const int next = dup(STDIN_FILENO); /* files below it are open */
    assert_true(next >= 0);
    close(next);
    for (int room = 0; room < 3; room++) {
        const struct rlimit few = {(rlim_t)(next + room), before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        assert_int_equal(tool_run(&out, &errors, command), -1);
        if (room < 2)
            assert_int_equal(tool_run(&out, NULL, command), -1);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        const int after = dup(STDIN_FILENO);
        assert_int_equal(after, next);
        close(after);
    }
    assert_int_equal(out.length, 0);
    assert_int_equal(tool_run(&out, &errors, command), 3);
    text_dispose(&out);
    text_dispose(&errors);
}

/* A signal that comes while it waits is no end. */
static void take_signal(int number)
{
    (void)number;
}

static void test_signals(void **state)
{
    (void)state;
    const char *const command[] = {"sh", "-c",
                                   "sleep 0.2; echo a; exec >&- 2>&-; sleep 0.2; exit 3", NULL};
    const struct sigaction action = {.sa_handler =
                                         take_signal}; /* which does not restart calls */
    const struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
    struct sigaction before;
    struct text out = {0};
    assert_int_equal(sigaction(SIGALRM, &action, &before), 0);
    setitimer(ITIMER_REAL, &often, NULL);
    const int status = tool_run(&out, NULL, command);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_int_equal(status, 3);
    assert_string_equal(out.at, "a\n");
    text_dispose(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endings), cmocka_unit_test(test_long),
        cmocka_unit_test(test_missing), cmocka_unit_test(test_no_ending),
        cmocka_unit_test(test_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
