/* Tests of interrupt and supervise: what a signal ends and what it leaves, and how the end of a process
 * that ran kernels is told. Each case has a process of its own, for a signal that came stays noted. */
#include "autotune/cli/interrupt.h"
#include "autotune/cli/supervise.h"
#include "autotune/device/fiber.h" /* FIBER_ASAN */

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static struct error error;

/* In a process of a case, where cmocka cannot fail. */
#define CHECK(condition)                                                                       \
    do                                                                                         \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, error.text);   \
            _exit(1);                                                                          \
        }                                                                                      \
    while (0)

/* The status of waitpid. */
static int run_case(void (*run)(void))
{
    int status;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        run();
        exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void assert_case(void (*run)(void))
{
    const int status = run_case(run);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* --- A guarded device ----------------------------------------------------------------------- */

static int called;

static int stub_compile(struct device *device, const struct device_source *sources,
                        size_t count, struct device_image *out, struct error *why)
{
    (void)device, (void)sources, (void)count, (void)out, (void)why;
    return called++, 0;
}

static int stub_load(struct device *device, const struct device_image *image,
                     struct device_module **out, struct device_kernel *kernels,
                     struct error *why)
{
    (void)device, (void)image, (void)out, (void)kernels, (void)why;
    return called++, 0;
}

static int stub_launch(struct device *device, const struct device_launch *launches,
                       size_t count, void *stream, struct error *why)
{
    (void)device, (void)launches, (void)count, (void)stream, (void)why;
    return called++, 0;
}

static int stub_sync(struct device *device, void *stream, struct error *why)
{
    (void)device, (void)stream, (void)why;
    return called++, 0;
}

static int stub_prepare(struct device *device, const struct device_launch *launches,
                        size_t count, struct device_graph **out, struct error *why)
{
    (void)device, (void)launches, (void)count, (void)out, (void)why;
    return called++, 0;
}

static int stub_time(struct device *device, struct device_graph *graph,
                     const struct device_launch *before, size_t before_count, uint64_t *out_ps,
                     struct error *why)
{
    (void)device, (void)graph, (void)before, (void)before_count, (void)out_ps, (void)why;
    return called++, 0;
}

enum { GUARDED = 6 };
static const struct device_ops stub_ops = {.compile = stub_compile,
                                           .load = stub_load,
                                           .launch = stub_launch,
                                           .sync = stub_sync,
                                           .prepare = stub_prepare,
                                           .time = stub_time};

/* How many of the device's operations fail as interrupted. */
static int count_refused(struct device *device)
{
    int refused = 0;
    for (int i = 0; i < GUARDED; i++) {
        error = (struct error){.code = ERROR_NONE};
        const int failed = i == 0   ? device->ops->compile(device, NULL, 0, NULL, &error)
                           : i == 1 ? device->ops->load(device, NULL, NULL, NULL, &error)
                           : i == 2 ? device->ops->launch(device, NULL, 0, NULL, &error)
                           : i == 3 ? device->ops->sync(device, NULL, &error)
                           : i == 4 ? device->ops->prepare(device, NULL, 0, NULL, &error)
                                    : device->ops->time(device, NULL, NULL, 0, NULL, &error);
        CHECK(failed == (error.code == ERROR_INTERRUPTED ? -1 : 0));
        CHECK(!failed || strstr(error.text, "run the same command again"));
        refused += failed != 0;
    }
    return refused;
}

static void wait_for_signal(void)
{
    for (int i = 0; i < 1000 && !interrupt_came(); i++)
        usleep(10000);
}

static void check_guard(void)
{
    struct device device = {.ops = &stub_ops};
    struct interrupt_guard guard;
    interrupt_begin(&guard, &device);
    CHECK(count_refused(&device) == 0 && called == GUARDED && !interrupt_came());
    kill(getpid(), SIGINT);
    wait_for_signal();
    CHECK(interrupt_signal() == SIGINT);
    CHECK(count_refused(&device) == GUARDED && called == GUARDED);
    interrupt_end(&guard);
    CHECK(device.ops == &stub_ops);
    CHECK(interrupt_signal() == SIGINT);
    CHECK(count_refused(&device) == 0);
}

static void test_guard(void **state)
{
    (void)state;
    assert_case(check_guard);
}

/* Behind the end a signal is the program's own again, and one that was ignored stays so. */
static void check_signals_are_back(void)
{
    struct device device = {.ops = &stub_ops};
    struct interrupt_guard guard;
    struct sigaction now;
    sigset_t blocked;
    for (int with_device = 0; with_device < 2; with_device++) {
        signal(SIGINT, SIG_IGN);
        interrupt_begin(&guard, with_device ? &device : NULL);
        raise(SIGINT);
        usleep(20000);
        CHECK(!interrupt_came());
        CHECK(sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler != SIG_DFL);
        interrupt_end(&guard);
        CHECK(sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
        CHECK(sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
        CHECK(sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
        CHECK(pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0);
        CHECK(!sigismember(&blocked, SIGTERM) && !sigismember(&blocked, SIGINT));
    }
    interrupt_begin(&guard, NULL);
    raise(SIGTERM);
    raise(SIGHUP);
    CHECK(interrupt_signal() == SIGTERM); /* the first counts */
    interrupt_end(&guard);
}

static void test_signals_are_back(void **state)
{
    (void)state;
    assert_case(check_signals_are_back);
}

/* Asked again, later, the program ends by that signal. */
static void ask_twice(struct device *device)
{
    struct interrupt_guard guard;
    interrupt_begin(&guard, device);
    kill(getpid(), SIGTERM);
    wait_for_signal();
    CHECK(interrupt_came());
    usleep(700000);
    kill(getpid(), SIGTERM);
    sleep(5);
}

static void ask_twice_with_device(void)
{
    struct device device = {.ops = &stub_ops};
    ask_twice(&device);
}

static void ask_twice_without(void)
{
    ask_twice(NULL);
}

static void test_twice(void **state)
{
    (void)state;
    void (*const cases[])(void) = {ask_twice_with_device, ask_twice_without};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int status = run_case(cases[i]);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGTERM);
    }
}

/* --- A supervised process ------------------------------------------------------------------- */

struct seen {
    int how, number;
    pid_t process;
};

enum { RIGHT, WRONG, EXIT, ABORT, KILLED, SILENT_END };

static int run_as_told(void *context, struct error *why)
{
    struct seen *seen = context;
    seen->number = 42;
    seen->process = getpid();
    switch (seen->how) {
    case WRONG: return error_set(why, ERROR_WRONG, "a wrong result at n = 5");
    case EXIT: _exit(3);
    case ABORT: signal(SIGABRT, SIG_DFL); abort();
    case KILLED: raise(SIGKILL); break;
    case SILENT_END: _exit(0);
    default: break;
    }
    return 0;
}

static void test_endings(void **state)
{
    static const struct {
        int how;
        enum error_code code;
        const char *says;
    } rows[] = {
        {RIGHT, ERROR_NONE, ""},
        {WRONG, ERROR_WRONG, "a wrong result at n = 5"},
        {EXIT, ERROR_FAILED, "did not come to its end: "},
        {ABORT, ERROR_FAILED, "did not come to its end: "},
        {KILLED, ERROR_FAILED, "did not come to its end: "},
        {SILENT_END, ERROR_FAILED, "did not come to its end: "},
    };
    (void)state;
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seen *seen = supervise_alloc(sizeof *seen);
        assert_non_null(seen);
        assert_int_equal(seen->number, 0);
        seen->how = rows[i].how;
        error = (struct error){.code = ERROR_NONE};
        assert_int_equal(supervise_run(run_as_told, seen, &error), rows[i].code ? -1 : 0);
        assert_int_equal(error.code, rows[i].code);
        if (!strstr(error.text, rows[i].says))
            fail_msg("row %zu: '%s'", i, error.text);
        assert_int_equal(seen->number, 42);
        assert_int_not_equal(seen->process, getpid());
        assert_int_equal(kill(seen->process, 0), -1); /* nothing is left of it */
        supervise_free(seen, sizeof *seen);
    }
    supervise_free(NULL, 1);
}

static int pause_and_interrupt(void *context, struct error *why)
{
    struct seen *seen = context;
    (void)why;
    seen->process = getpid();
    if (seen->how == KILLED) /* does not end by a signal that can be caught */
        signal(SIGTERM, SIG_IGN);
    kill(getppid(), SIGTERM);
    while (pause())
        continue;
    return 0;
}

/* The process gets the signal too; one that does not end by it is killed after a while. */
static void check_interrupted(void)
{
    struct interrupt_guard guard;
    const int cases[] = {RIGHT, KILLED};
    interrupt_begin(&guard, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen *seen = supervise_alloc(sizeof *seen);
        CHECK(seen);
        seen->how = cases[i];
        CHECK(supervise_run(pause_and_interrupt, seen, &error) == -1);
        CHECK(error.code == ERROR_INTERRUPTED && strstr(error.text, "run the same command"));
        CHECK(seen->process > 0 && kill(seen->process, 0) == -1 && errno == ESRCH);
        supervise_free(seen, sizeof *seen);
    }
    interrupt_end(&guard);
}

static void test_interrupted(void **state)
{
    (void)state;
    assert_case(check_interrupted);
}

static void test_no_room(void **state)
{
    (void)state;
    struct rlimit before;
    struct seen seen = {.how = RIGHT};
    const int next = dup(STDIN_FILENO);
    assert_true(next >= 0);
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit none = {(rlim_t)next, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const int got = supervise_run(run_as_told, &seen, &error);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(got, -1);
    assert_int_equal(error.code, ERROR_FAILED);
    assert_non_null(strstr(error.text, "no memory or no pipe for another process: Too many"));
    assert_null(supervise_alloc(SIZE_MAX / 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if !defined(FIBER_ASAN) || defined(__clang__)
        /* gcc's takes what a cancelled thread leaves on its stack for an overrun. */
        cmocka_unit_test(test_guard),       cmocka_unit_test(test_signals_are_back),
#endif
        cmocka_unit_test(test_twice),       cmocka_unit_test(test_endings),
        cmocka_unit_test(test_interrupted), cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
