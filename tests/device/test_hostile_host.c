/* Tests the library in programs that do to it what programs do: test_hostile_host [host]. Each step
 * runs in a process of its own: threads that make and destroy at once, storms of signals, children
 * that are reaped or ignored, streams that are closed, fork without exec, an arithmetic that is not
 * the usual one, small stacks, a loader that keeps libraries, dlopen and dlclose a hundred times; and
 * nothing of the caller's is changed by a call. Without `host` the GPU whose context is current.
 * Exit code 0 = all held, 69 = no GPU; last line "N passed, N failed, N skipped". */
#include "autotune/device/driver.h"
#include "autotune/device/fiber.h"
#include "generator/error.h"
#include "include/autotune.h"
#include "include/autotune_reference.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#if defined(FIBER_ASAN) || defined(FIBER_TSAN)
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

enum { N = 3000, SLOW = 10, STEP_SECONDS = 100 };

static bool is_gpu;
static struct autotune_error error;
static int32_t values[N];
static char folder[] = "/tmp/test-hostile-XXXXXX";

static void expect(bool is_so, const char *what, const char *said)
{
    if (is_so)
        return;
    fprintf(stderr, "failed: %s; got: %s\n", what, said);
    _exit(1);
}

static void expect_code(int got, int wanted, const char *what)
{
    char said[sizeof error.text + 40];
    snprintf(said, sizeof said, "code %d: %s", got, got ? error.text : "no error");
    expect(got == wanted, what, said);
}

/* --- The device --------------------------------------------------------------------------- */

#ifdef HAVE_CUDA

static struct driver cu;
static CUcontext primary;

static void check(CUresult result, const char *doing)
{
    const char *text = "unknown";
    cu.error_string(result, &text);
    expect(result == CUDA_SUCCESS, doing, text);
}

static bool open_gpu(void)
{
    struct error why;
    int count;
    if (driver_open(&cu, &count, &why))
        return false;
    check(cu.context_retain(&primary, 0), "a context");
    check(cu.context_set(primary), "it current");
    return true;
}

/* To the device (`to_device`) or from it. */
static void copy(void *to, const void *from, size_t bytes, bool to_device)
{
    if (!is_gpu)
        memcpy(to, from, bytes);
    else if (to_device)
        check(cu.copy_to((uintptr_t)to, from, bytes, NULL), "copying");
    else
        check(cu.copy_from(to, (uintptr_t)from, bytes, NULL), "copying");
    if (is_gpu)
        check(cu.stream_sync(NULL), "waiting");
}

static void *room(size_t bytes)
{
    CUdeviceptr at = 0;
    if (!is_gpu)
        return malloc(bytes);
    check(cu.memory_alloc(&at, bytes), "room");
    return (void *)(uintptr_t)at;
}

static void leave(void *at)
{
    if (is_gpu)
        check(cu.memory_free((uintptr_t)at), "freeing");
    else
        free(at);
}

static void make_current(void)
{
    if (is_gpu)
        check(cu.context_set(primary), "a current context");
}

#else

static bool open_gpu(void)
{
    return false;
}

static void copy(void *to, const void *from, size_t bytes, bool to_device)
{
    (void)to_device;
    memcpy(to, from, bytes);
}

static void *room(size_t bytes)
{
    return malloc(bytes);
}

static void leave(void *at)
{
    free(at);
}

static void make_current(void)
{
}

#endif

/* --- The library -------------------------------------------------------------------------- */

static struct autotune_context *open_context(void)
{
    const struct autotune_context_options options = {
        .device = is_gpu ? NULL : "host",
        .records = folder,
        .kernels = folder,
    };
    struct autotune_context *context = NULL;
    expect_code(autotune_context_create(&context, &options, &error), 0, "a context");
    return context;
}

static struct autotune_plan *make_plan(struct autotune_context *context,
                                       const struct autotune_problem *problem)
{
    static const struct autotune_plan_options options = {.from = AUTOTUNE_FROM_DEFAULT};
    struct autotune_plan *plan = NULL;
    expect_code(autotune_plan_create(&plan, context, problem, &options, &error), 0, "a plan");
    return plan;
}

static void end_plan(struct autotune_plan *plan)
{
    expect_code(autotune_plan_destroy(plan, &error), 0, "a plan's end");
}

static void end_context(struct autotune_context *context)
{
    expect_code(autotune_context_destroy(context, &error), 0, "a context's end");
}

/* Of the first n elements, in device memory of its own; the results' size is `size`. */
static void reduce(struct autotune_plan *plan, const void *elements, size_t size, uint64_t n,
                   void *result)
{
    struct autotune_workspace *workspace = NULL;
    void *input = room(N * size), *output = room(size);
    copy(input, elements, N * size, true);
    expect_code(autotune_workspace_create(&workspace, plan, NULL, NULL, &error), 0,
                "a workspace");
    expect_code(autotune_execute(workspace, input, n, output, NULL, &error), 0, "a call");
    copy(result, output, size, false);
    expect_code(autotune_workspace_destroy(workspace, &error), 0, "a workspace's end");
    leave(input);
    leave(output);
}

static int32_t sum_of(uint64_t n)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint32_t)values[i];
    return (int32_t)sum;
}

static int32_t most_of(uint64_t n)
{
    int32_t most = INT32_MIN;
    for (uint64_t i = 0; i < n; i++)
        most = values[i] > most ? values[i] : most;
    return most;
}

static const struct autotune_problem sum = {.op = "sum", .type = "i32", .n = N};
static const struct autotune_problem most = {.op = "max", .type = "i32", .n = N};

static void check_sum(struct autotune_plan *plan, uint64_t n)
{
    int32_t got = 0;
    reduce(plan, values, sizeof got, n, &got);
    expect(got == sum_of(n), "the sum", "another");
}

/* A context, a plan, a call, and their ends. */
static void use_all(void)
{
    struct autotune_context *context = open_context();
    struct autotune_plan *plan = make_plan(context, &sum);
    check_sum(plan, N);
    end_plan(plan);
    end_context(context);
}

static struct autotune_pipeline *make_pipeline(struct autotune_context *context)
{
    static const struct autotune_plan_options from = {.from = AUTOTUNE_FROM_DEFAULT};
    static const struct autotune_pipeline_options options = {.chunk_bytes = 4096, .copiers = 3};
    struct autotune_pipeline *pipeline = NULL;
    expect_code(autotune_pipeline_create(&pipeline, context, &sum, &from, &options, &error), 0,
                "a pipeline");
    return pipeline;
}

static void check_pipeline(struct autotune_pipeline *pipeline)
{
    int32_t got = 0;
    expect_code(autotune_execute_host(pipeline, values, N, &got, &error), 0,
                "a pipeline's call");
    expect(got == sum_of(N), "a pipeline's sum", "another");
}

/* The same, and a pipeline. */
static void use_everything(void)
{
    use_all();
    struct autotune_context *context = open_context();
    struct autotune_pipeline *pipeline = make_pipeline(context);
    check_pipeline(pipeline);
    expect_code(autotune_pipeline_destroy(pipeline, &error), 0, "a pipeline's end");
    end_context(context);
}

/* --- Threads ------------------------------------------------------------------------------ */

static void *make_and_destroy(void *shared)
{
    static const struct autotune_problem problems[] = {
        {.op = "sum", .type = "i32", .n = N},
        {.op = "sum", .type = "i32", .n = 17},
        {.op = "sum", .type = "i32", .rows = 30, .len = 100, .axis = 1},
    };
    enum { ROUNDS = 30, PROBLEMS = sizeof problems / sizeof *problems };
    make_current();
    for (int i = 0; i < ROUNDS; i++) {
        struct autotune_plan *plan = make_plan(shared, &problems[i % PROBLEMS]);
        if (problems[i % PROBLEMS].n)
            check_sum(plan, problems[i % PROBLEMS].n - (uint64_t)i % 3);
        end_plan(plan);
    }
    return NULL;
}

static void *use_contexts(void *unused)
{
    make_current();
    use_all();
    return unused;
}

static void *use_pipelines(void *shared)
{
    make_current();
    for (int i = 0; i < 3; i++) {
        struct autotune_pipeline *pipeline = make_pipeline(shared);
        check_pipeline(pipeline);
        expect_code(autotune_pipeline_destroy(pipeline, &error), 0, "a pipeline's end");
    }
    return NULL;
}

/* Plans, contexts and pipelines come and go in all threads at once. */
static void step_threads(void)
{
    static void *(*const bodies[])(void *) = {make_and_destroy, make_and_destroy, use_contexts,
                                              use_pipelines,    make_and_destroy, use_contexts};
    enum { THREADS = sizeof bodies / sizeof *bodies };
    struct autotune_context *context = open_context();
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        expect(pthread_create(&threads[i], NULL, bodies[i], context) == 0, "a thread", "none");
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    end_context(context);
}

/* --- Signals ------------------------------------------------------------------------------ */

static atomic_int signals_seen;

/* As a careless program has it: errno is spoilt. ThreadSanitizer would say so each time. */
static void spoil(int number)
{
    (void)number;
    signals_seen++;
#ifndef FIBER_TSAN
    errno = EBADF;
#endif
}

/* A timer that goes off all the time, whose handler lets calls go on or not. */
static void step_alarms(void)
{
    static const int flags[] = {SA_RESTART, 0};
    static const struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < 2; i++) {
        struct sigaction action = {.sa_handler = spoil, .sa_flags = flags[i]};
        sigaction(SIGALRM, &action, NULL);
        signals_seen = 0;
        setitimer(ITIMER_REAL, &often, NULL);
        struct autotune_context *context = open_context();
        struct autotune_plan *plan = make_plan(context, &sum);
        struct autotune_pipeline *pipeline = make_pipeline(context);
        for (uint64_t n = 0; n <= N; n += 300) {
            check_sum(plan, n);
            check_pipeline(pipeline);
        }
        expect_code(autotune_pipeline_destroy(pipeline, &error), 0, "a pipeline's end");
        end_plan(plan);
        end_context(context);
        setitimer(ITIMER_REAL, &never, NULL);
        expect(signals_seen > 5, "a storm", "hardly a signal");
    }
}

static void use_stack(int number)
{
    volatile char much[100 << 10];
    for (size_t i = 0; i < sizeof much; i += 512)
        much[i] = (char)number;
    signals_seen += much[0] == number;
}

/* A handler may need more stack than a thread of an emulated block has. */
static void step_deep_handler(void)
{
    static const struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = use_stack, .sa_flags = SA_RESTART};
    struct autotune_context *context = open_context();
    struct autotune_plan *plan = make_plan(context, &sum);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 300; i++)
        check_sum(plan, N);
    setitimer(ITIMER_REAL, &never, NULL);
    expect(signals_seen > 5, "a storm", "hardly a signal");
    end_plan(plan);
    end_context(context);
}

static void reap_all(int number)
{
    const int before = errno;
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    errno = before;
}

/* Where the caller has the system or a handler of its own take away all children, nobody learns how
 * a compiler ended. */
static void step_children(void)
{
    static const struct {
        void (*handler)(int);
        int flags;
    } ways[] = {{SIG_IGN, 0}, {SIG_DFL, SA_NOCLDWAIT}, {reap_all, SA_RESTART}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct sigaction action = {.sa_handler = ways[i].handler, .sa_flags = ways[i].flags};
        sigaction(SIGCHLD, &action, NULL);
        use_all();
        sigaction(SIGCHLD, NULL, &action);
        expect(action.sa_handler == ways[i].handler, "SIGCHLD as it was", "another action");
    }
}

/* A script before the compilers that are sought, and then as one of them. */
static void write_compiler(const char *script)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    static char before[4000], search[4200];
    char path[200];
    if (!*before)
        snprintf(before, sizeof before, "%s", getenv("PATH"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        FILE *file = fopen(path, "w");
        expect(file != NULL, "a script", strerror(errno));
        fprintf(file, "#!/bin/sh\n%s\nPATH='%s' exec %s \"$@\"\n", script, before, names[i]);
        fclose(file);
        chmod(path, 0700);
    }
    snprintf(search, sizeof search, "%s:%s", folder, before);
    setenv("PATH", search, 1);
}

/* What the caller blocks or ignores is not for a compiler, who waits for processes of its own and
 * must end on Ctrl-C. */
static void step_blocked(void)
{
    char script[600], seen[400] = "", path[200];
    sigset_t all, after;
    snprintf(script, sizeof script, "grep -E 'SigBlk|SigIgn' /proc/self/status > %s/seen",
             folder);
    write_compiler(script);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    signal(SIGCHLD, SIG_IGN);
    use_all();
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i < 32; i++)
        expect(i == SIGKILL || i == SIGSTOP || sigismember(&after, i), "a mask as it was",
               "another");
    snprintf(path, sizeof path, "%s/seen", folder);
    FILE *file = fopen(path, "r");
    expect(file != NULL, "the compiler's signals", "none");
    seen[fread(seen, 1, sizeof seen - 1, file)] = '\0';
    fclose(file);
    const char *blocked = strstr(seen, "SigBlk:"), *ignored = strstr(seen, "SigIgn:");
    expect(blocked && strtoull(blocked + 7, NULL, 16) == 0, "a compiler with no signal blocked",
           seen);
    expect(ignored && !(strtoull(ignored + 7, NULL, 16) >> (SIGCHLD - 1) & 1),
           "a compiler that can wait", seen);
}

/* --- Streams and descriptors -------------------------------------------------------------- */

/* A program may have closed its streams. What a compiler says is then lost if its descriptors mix
 * with theirs, and what the program prints goes to whoever has the number. */
static void step_closed_streams(void)
{
    struct autotune_context *context;
    struct autotune_plan *plan = NULL;
    const int kept = fcntl(2, F_DUPFD_CLOEXEC, 100);
    for (int i = 0; i < 3; i++)
        close(i);
    write_compiler("case $* in *unit*) echo no such thing as this >&2; exit 1;; esac");
    context = open_context();
    const int failed = autotune_plan_create(&plan, context, &sum, NULL, &error);
    dup2(kept, 2);
    expect(failed && strstr(error.text, "no such thing as this"), "a compiler's own words",
           error.text);
    close(2);
    end_context(context);
    write_compiler(":");
    context = open_context();
    plan = make_plan(context, &sum);
    check_sum(plan, N);
    static const char line[] = "a line that the program prints, though nobody reads it\n";
    bool is_written = false;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3000; k++)
            is_written |= write(i, line, sizeof line) > 0;
    check_sum(plan, N);
    end_plan(plan);
    end_context(context);
    dup2(kept, 2);
    expect(!is_written, "closed streams that stay closed", "a line that was written somewhere");
}

/* A program that becomes a daemon closes every descriptor, and opens others, which are not the
 * library's to close. */
static void step_taken_descriptors(void)
{
    enum { FILES = 200 };
    struct autotune_context *context = open_context();
    struct autotune_plan *plan = make_plan(context, &sum);
    check_sum(plan, N);
    for (int i = 3; i < FILES; i++)
        close(i);
    for (int i = 3; i < FILES; i++)
        expect(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0, "a file", strerror(errno));
    check_sum(plan, N);
    struct autotune_plan *second = make_plan(context, &most);
    int32_t got = 0;
    reduce(second, values, sizeof got, N, &got);
    expect(got == most_of(N), "the greatest", "another");
    end_plan(second);
    end_plan(plan);
    end_context(context);
    for (int i = 3; i < FILES; i++)
        expect(fcntl(i, F_GETFD) >= 0, "a file of the caller's that is open", "closed");
}

static bool keeps_libraries;

/* Some hold libraries for good: profilers, and who wants names in reports of leaks. */
int dlclose(void *library)
{
    int (*real)(void *);
    *(void **)&real = dlsym(RTLD_NEXT, "dlclose");
    return keeps_libraries ? 0 : real(library);
}

/* The loader knows a library by its name; a kernel's that it still has must not be another's. */
static void step_kept_libraries(void)
{
    int32_t got = 0;
    keeps_libraries = true;
    use_all();
    struct autotune_context *context = open_context();
    struct autotune_plan *plan = make_plan(context, &most);
    reduce(plan, values, sizeof got, N, &got);
    expect(got == most_of(N), "the greatest", got == sum_of(N) ? "the sum" : "another");
    end_plan(plan);
    end_context(context);
    keeps_libraries = false;
}

/* --- Nothing is changed ------------------------------------------------------------------- */

/* An action without what the C library leaves in its gaps. */
struct action {
    uint64_t handler, flags, mask;
};

/* What belongs to the caller. */
struct scene {
    mode_t mask;
    char place[PATH_MAX], locale[200];
    locale_t of_thread;
    sigset_t blocked;
    struct action actions[NSIG];
    stack_t stack;
    struct itimerval timers[3];
    int rounding;
    unsigned control; /* of vector units */
    struct rlimit limits[RLIM_NLIMITS];
    uint64_t environment;
    size_t files, threads;
};

static size_t count_entries(const char *path)
{
    size_t count = 0;
    DIR *list = opendir(path);
    while (list && readdir(list))
        count++;
    if (list)
        closedir(list);
    return count;
}

extern char **environ;

static void look(struct scene *out)
{
    memset(out, 0, sizeof *out);
    umask(out->mask = umask(0));
    expect(getcwd(out->place, sizeof out->place) != NULL, "a place", strerror(errno));
    snprintf(out->locale, sizeof out->locale, "%s", setlocale(LC_ALL, NULL));
    out->of_thread = uselocale((locale_t)0);
    pthread_sigmask(SIG_SETMASK, NULL, &out->blocked);
    for (int i = 1; i < NSIG; i++) {
        struct sigaction now;
        if (sigaction(i, NULL, &now))
            continue;
        out->actions[i].handler = (uintptr_t)now.sa_handler;
        out->actions[i].flags = (unsigned)now.sa_flags;
        for (int k = 1; k < NSIG; k++)
            out->actions[i].mask |= (uint64_t)(sigismember(&now.sa_mask, k) > 0) << (k - 1);
    }
    sigaltstack(NULL, &out->stack);
    for (unsigned i = 0; i < 3; i++) {
        getitimer(i, &out->timers[i]);
        out->timers[i].it_value.tv_sec = out->timers[i].it_value.tv_sec > 0; /* it runs */
        out->timers[i].it_value.tv_usec = 0;
    }
    out->rounding = fegetround();
#ifdef __x86_64__
    out->control = _mm_getcsr() & ~0x3fu; /* without what has come up */
#endif
    for (unsigned i = 0; i < RLIM_NLIMITS; i++)
        getrlimit(i, &out->limits[i]);
    for (char **at = environ; *at; at++) {
        out->environment = out->environment * 31 + (uintptr_t)*at;
        for (const char *c = *at; *c; c++)
            out->environment = out->environment * 31 + (unsigned char)*c;
    }
    out->files = count_entries("/proc/self/fd");
    out->threads = count_entries("/proc/self/task");
}

static void expect_same(const struct scene *before, const char *behind, bool has_ended)
{
    static struct scene now;
    look(&now);
    /* A thread that was joined may be seen for a moment more. */
    for (int i = 0; i < 1000 && has_ended && now.threads != before->threads; i++) {
        usleep(1000);
        look(&now);
    }
    if (!has_ended) { /* what it holds until its end */
        now.files = before->files;
        now.threads = before->threads;
    }
#define SAME(field)                                                                            \
    expect(memcmp(&now.field, &before->field, sizeof now.field) == 0, #field " unchanged",     \
           behind)
    SAME(mask);
    SAME(place);
    SAME(locale);
    SAME(of_thread);
    SAME(blocked);
    SAME(actions);
    SAME(stack);
    SAME(timers);
    SAME(rounding);
    SAME(control);
    SAME(limits);
    SAME(environment);
    SAME(files);
    SAME(threads);
#undef SAME
}

enum { DESCRIPTORS = 1000 };
static bool was_open[DESCRIPTORS];

/* Each descriptor that is open now and was not before ends at exec. */
static void expect_closed_at_exec(void)
{
    for (int i = 0; i < DESCRIPTORS; i++) {
        const int flags = was_open[i] ? -1 : fcntl(i, F_GETFD);
        expect(flags < 0 || (flags & FD_CLOEXEC), "a descriptor that ends at exec", "another");
    }
}

static int64_t read_values(void *context, void *to, uint64_t at, size_t bytes)
{
    const uint64_t left = at < sizeof values ? sizeof values - at : 0;
    (void)context;
    if (left)
        memcpy(to, (const char *)values + at, bytes < left ? bytes : left);
    errno = EDOM; /* the reader's own */
    return (int64_t)(bytes < left ? bytes : left);
}

enum { MARK = 4321 };
static struct scene scene;

/* Behind a call: its code is as wanted, errno and all else as it was. */
static void after(int got, int wanted, const char *what)
{
    const int number = errno;
    expect_code(got, wanted, what);
    expect(number == MARK, "errno as it was", what);
    expect_same(&scene, what, false);
    errno = MARK;
}

static void step_unchanged(void)
{
    const struct autotune_context_options options = {.device = is_gpu ? NULL : "host",
                                                     .records = folder,
                                                     .kernels = folder};
    const struct autotune_context_options wrong = {.device = "nowhere"};
    const struct autotune_problem bad = {.op = "sum", .type = "i33", .n = 1};
    const struct autotune_source source = {.read = read_values, .is_parallel = 1};
    struct autotune_context *context = NULL;
    struct autotune_plan *plan = NULL;
    struct autotune_workspace *workspace = NULL;
    struct autotune_pipeline *pipeline = NULL;
    struct autotune_pipeline_info info;
    int32_t got = 0;
    uint64_t n = 0;
    const bool has_locale = setlocale(LC_ALL, "de_DE.UTF-8");
    umask(027);
    expect(chdir("/") == 0, "a place", strerror(errno));
    signal(SIGPIPE, SIG_IGN);
    signal(SIGUSR1, spoil);
    use_everything(); /* what comes to stay with the first use: a driver's own, a sanitizer's */
    void *input = room(sizeof values), *output = room(sizeof got);
    copy(input, values, sizeof values, true);
    for (int i = 0; i < DESCRIPTORS; i++)
        was_open[i] = fcntl(i, F_GETFD) >= 0;
    look(&scene);
    errno = MARK;
    after(autotune_context_create(&context, &wrong, &error), AUTOTUNE_BAD_ARGUMENT,
          "no context");
    after(autotune_context_create(&context, &options, &error), 0, "a context");
    after(autotune_plan_create(&plan, context, &bad, NULL, &error), AUTOTUNE_BAD_ARGUMENT,
          "no plan");
    after(autotune_plan_create(&plan, context, &sum, NULL, &error), 0, "a plan");
    after(autotune_workspace_create(&workspace, plan, (void *)1, NULL, &error),
          AUTOTUNE_MISALIGNED, "no workspace");
    after(autotune_workspace_create(&workspace, plan, NULL, NULL, &error), 0, "a workspace");
    after(autotune_execute(workspace, input, N, output, NULL, &error), 0, "a call");
    after(autotune_execute(workspace, input, N + 1, output, NULL, &error), AUTOTUNE_N_TOO_LARGE,
          "a refused call");
    after(autotune_workspace_reset(workspace, NULL, &error), 0, "a reset");
    after(autotune_pipeline_create(&pipeline, context, &bad, NULL, NULL, &error),
          AUTOTUNE_BAD_ARGUMENT, "no pipeline");
    after(autotune_pipeline_create(&pipeline, context, &sum, NULL, NULL, &error), 0,
          "a pipeline");
    autotune_pipeline_describe(pipeline, &info);
    after(0, 0, "a description");
    after(autotune_execute_host(pipeline, values, N, &got, &error), 0, "a pipeline's call");
    after(autotune_execute_source(pipeline, &source, &got, NULL, &n, &error), 0, "a source");
    expect(got == sum_of(N) && n == N, "a sum", "another");
    after(autotune_plan_destroy(plan, &error), AUTOTUNE_BAD_ARGUMENT, "a plan that is used");
    expect_closed_at_exec();
    errno = MARK;
    after(autotune_pipeline_destroy(pipeline, &error), 0, "a pipeline's end");
    after(autotune_workspace_destroy(workspace, &error), 0, "a workspace's end");
    after(autotune_plan_destroy(plan, &error), 0, "a plan's end");
    after(autotune_context_destroy(context, &error), 0, "a context's end");
    expect_same(&scene, "the end of all", true);
    if (!has_locale)
        printf("        (no locale de_DE here)\n");
    leave(input);
    leave(output);
}

/* --- Fork --------------------------------------------------------------------------------- */

/* The code of a fork's use of what was made before it, and what is left of it. */
static void use_in_child(struct autotune_context *context, struct autotune_plan *plan,
                         struct autotune_workspace *workspace,
                         struct autotune_pipeline *pipeline)
{
    struct autotune_plan *other = NULL;
    int32_t got = 0;
    alarm(STEP_SECONDS / 2); /* what waits for a thread of the parent's waits for ever */
    expect_code(autotune_execute_host(pipeline, values, N, &got, &error), AUTOTUNE_NO_CONTEXT,
                "a pipeline behind a fork");
    expect_code(autotune_execute(workspace, values, 1, &got, NULL, &error), AUTOTUNE_NO_CONTEXT,
                "a call behind a fork");
    expect_code(autotune_plan_create(&other, context, &sum, NULL, &error), AUTOTUNE_NO_CONTEXT,
                "a plan behind a fork");
    expect_code(autotune_pipeline_destroy(pipeline, &error), AUTOTUNE_NO_CONTEXT,
                "a pipeline's end behind a fork");
    expect_code(autotune_workspace_destroy(workspace, &error), AUTOTUNE_NO_CONTEXT,
                "a workspace's end behind a fork");
    end_plan(plan);
    expect_code(autotune_context_destroy(context, &error), AUTOTUNE_NO_CONTEXT,
                "a context's end behind a fork");
    if (!is_gpu)
        use_all(); /* a context of the child's own; a GPU's driver has none for a fork */
}

static atomic_bool is_over;

static void *make_plans(void *shared)
{
    make_current();
    while (!is_over)
        end_plan(make_plan(shared, &sum));
    return NULL;
}

/* While a thread makes plans all the time, others fork; the child has no such thread, but its
 * locks. */
static void step_fork(void)
{
    struct autotune_context *context = open_context();
    struct autotune_plan *plan = make_plan(context, &sum);
    struct autotune_workspace *workspace = NULL;
    struct autotune_pipeline *pipeline = make_pipeline(context);
    pthread_t thread;
    expect_code(autotune_workspace_create(&workspace, plan, NULL, NULL, &error), 0,
                "a workspace");
    check_pipeline(pipeline); /* its threads run */
    for (int i = 0; i < 6; i++) {
        if (i == 1)
            expect(pthread_create(&thread, NULL, make_plans, context) == 0, "a thread", "none");
        const pid_t child = fork();
        if (child == 0) {
            if (i == 0 || is_gpu || !IS_SANITIZED)
                use_in_child(context, plan, workspace, pipeline);
            _exit(0);
        }
        int status = 0;
        expect(child > 0 && waitpid(child, &status, 0) == child, "a fork", strerror(errno));
        expect(status == 0, "a child that ends well",
               WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "one that waits for ever"
                                                                  : "another");
        check_pipeline(pipeline);
        check_sum(plan, N);
    }
    is_over = true;
    pthread_join(thread, NULL);
    expect_code(autotune_workspace_destroy(workspace, &error), 0, "a workspace's end");
    expect_code(autotune_pipeline_destroy(pipeline, &error), 0, "a pipeline's end");
    end_plan(plan);
    end_context(context);
}

/* --- Arithmetic --------------------------------------------------------------------------- */

/* Rounds up, takes denormals for zeros, and traps: as far as this processor can. */
static void set_odd_arithmetic(void)
{
    fesetround(FE_UPWARD);
#ifdef __x86_64__
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
}

/* The bits of a fixed order do not depend on the caller's rounding, and a NaN is no trap. */
static void step_arithmetic(void)
{
    static const struct autotune_problem problem = {.op = "sum",
                                                    .type = "f32",
                                                    .n = N,
                                                    .order = AUTOTUNE_ORDER_BY_N};
    static float floats[N];
    float wanted = 0, got = 0, tiny = 0;
    static float denormals[N];
    for (int i = 0; i < N; i++) {
        floats[i] = 1.0f / (float)(i + 1);
        denormals[i] = 1e-42f;
    }
    struct autotune_context *context = open_context();
    struct autotune_plan *plan = make_plan(context, &problem);
    reduce(plan, floats, sizeof *floats, N, &wanted);
    reduce(plan, denormals, sizeof *floats, N, &tiny);
    expect(tiny > 0, "a sum of denormals", "zero");
    set_odd_arithmetic();
    reduce(plan, floats, sizeof *floats, N, &got);
    expect(memcmp(&got, &wanted, sizeof got) == 0, "the bits of another rounding", "others");
    reduce(plan, denormals, sizeof *floats, N, &got);
    expect(memcmp(&got, &tiny, sizeof got) == 0, "denormals", "others");
    floats[1] = INFINITY, floats[2] = -INFINITY;
    reduce(plan, floats, sizeof *floats, N, &got);
    end_plan(plan);
    plan = make_plan(context, &problem);
    end_plan(plan);
    end_context(context);
    use_all();
    expect(fegetround() == FE_UPWARD, "rounding as it was", "another");
    expect(fegetexcept() == (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW), "traps as they were",
           "others");
}

/* --- Stacks ------------------------------------------------------------------------------- */

static void *use_all_in_thread(void *unused)
{
    make_current();
    use_everything();
    return unused;
}

/* autotune.h says how much stack a call needs. */
static void step_small_stack(void)
{
    enum { STACK_BYTES = (128 << 10) * (IS_SANITIZED ? 8 : 1) };
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    expect(pthread_create(&thread, &attributes, use_all_in_thread, NULL) == 0, "a thread",
           "none");
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

/* --- Loading ------------------------------------------------------------------------------ */

/* The functions of the library that was loaded. */
struct loaded {
    void *library;
    __typeof__(autotune_context_create) *context_create;
    __typeof__(autotune_context_destroy) *context_destroy;
    __typeof__(autotune_plan_create) *plan_create;
    __typeof__(autotune_plan_destroy) *plan_destroy;
};

static void load(struct loaded *out, const char *path)
{
    out->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    expect(out->library != NULL, "the library", out->library ? "" : dlerror());
    *(void **)&out->context_create = dlsym(out->library, "autotune_context_create");
    *(void **)&out->context_destroy = dlsym(out->library, "autotune_context_destroy");
    *(void **)&out->plan_create = dlsym(out->library, "autotune_plan_create");
    *(void **)&out->plan_destroy = dlsym(out->library, "autotune_plan_destroy");
    expect(out->plan_destroy && out->context_create, "its functions", "none");
}

static void use_loaded(const struct loaded *loaded, bool has_plan)
{
    const struct autotune_context_options wrong = {.device = "nowhere"};
    const struct autotune_context_options right = {.device = is_gpu ? NULL : "host",
                                                   .records = folder,
                                                   .kernels = folder};
    struct autotune_context *context = NULL;
    struct autotune_plan *plan = NULL;
    expect_code(loaded->context_create(&context, &wrong, &error), AUTOTUNE_BAD_ARGUMENT,
                "no context");
    if (!has_plan)
        return;
    expect_code(loaded->context_create(&context, &right, &error), 0, "a context");
    expect_code(loaded->plan_create(&plan, context, &sum, NULL, &error), 0, "a plan");
    expect_code(loaded->plan_destroy(plan, &error), 0, "a plan's end");
    expect_code(loaded->context_destroy(context, &error), 0, "a context's end");
}

static size_t count_maps(void)
{
    size_t lines = 0;
    int c;
    FILE *file = fopen("/proc/self/maps", "re");
    while (file && (c = fgetc(file)) != EOF)
        lines += c == '\n';
    if (file)
        fclose(file);
    return lines;
}

/* Loaded and unloaded a hundred times, and used now and then: it goes each time, and leaves nothing:
 * no memory, descriptor, thread, mapping or handler. */
static void step_load(void)
{
    enum { TIMES = 100, EVERY = 20, SETTLED = 2 * EVERY, MORE_BYTES = 16 << 10, MORE_MAPS = 8 };
    static struct scene settled;
    char path[PATH_MAX];
    size_t maps = 0, bytes = 0;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 100);
    expect(length > 0, "a path", "none");
    path[length] = '\0';
    for (int i = 0; i < 2; i++)
        *strrchr(path, '/') = '\0';
    snprintf(path + strlen(path), 100, "/libautotune.so.%s", autotune_version());
    for (int i = 0; i <= TIMES; i++) {
        struct loaded loaded;
        load(&loaded, path);
        use_loaded(&loaded, i % EVERY == 0);
        dlclose(loaded.library);
        expect(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL, "a library that goes",
               "one that stays");
        if (i == SETTLED) {
            look(&settled);
            maps = count_maps();
            bytes = mallinfo2().uordblks;
        }
    }
    expect_same(&settled, "a hundred times", true);
    char said[100];
    snprintf(said, sizeof said, "%zu then %zu", maps, count_maps());
    expect(IS_SANITIZED || count_maps() <= maps + MORE_MAPS, "as many mappings", said);
    const size_t now = mallinfo2().uordblks;
    snprintf(said, sizeof said, "%zu then %zu", bytes, now);
    expect(IS_SANITIZED || now <= bytes + MORE_BYTES, "as much memory", said);
}

/* --- The whole ---------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*body)(void);
    bool is_of_emulator; /* what has no like on a GPU */
} steps[] = {
    {"threads", step_threads, false},
    {"alarms", step_alarms, false},
    {"deep-handler", step_deep_handler, true},
    {"children", step_children, false},
    {"blocked", step_blocked, true},
    {"closed-streams", step_closed_streams, true},
    {"taken-descriptors", step_taken_descriptors, true},
    {"kept-libraries", step_kept_libraries, true},
    {"unchanged", step_unchanged, false},
    {"fork", step_fork, false},
    {"arithmetic", step_arithmetic, false},
    {"small-stack", step_small_stack, false},
    {"load", step_load, false},
};
enum { STEPS = sizeof steps / sizeof *steps };

static int run_step(const char *name)
{
    for (int i = 0; i < N; i++)
        values[i] = (int32_t)((unsigned)i * 2654435761u);
    expect(!is_gpu || open_gpu(), "a GPU", "none");
    for (size_t i = 0; i < STEPS; i++)
        if (strcmp(steps[i].name, name) == 0) {
            steps[i].body();
            return 0;
        }
    return 64;
}

/* A process of its own, with a folder of its own. */
static bool run_process(const char *step)
{
    char command[sizeof folder + 20];
    int status = -1;
    expect(mkdtemp(folder) != NULL, "a folder", strerror(errno));
    const pid_t child = fork();
    if (child == 0) {
        alarm(STEP_SECONDS);
        execl("/proc/self/exe", "test_hostile_host", is_gpu ? "gpu" : "host", step, folder,
              (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command))
        return false;
    memset(folder + strlen(folder) - 6, 'X', 6);
    if (status)
        printf("not ok  %s: it ended by %s %d\n", step,
               WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    else
        printf("ok      %s\n", step);
    fflush(stdout);
    return status == 0;
}

int main(int count, char **args)
{
    int passed = 0, failed = 0;
    is_gpu = count < 2 || strcmp(args[1], "host") != 0;
    if (count > 3) {
        snprintf(folder, sizeof folder, "%s", args[3]);
        return run_step(args[2]);
    }
    if (is_gpu && !open_gpu()) {
        fprintf(stderr, "no GPU\n");
        return 69;
    }
    for (size_t i = 0; i < STEPS; i++) {
        if ((is_gpu && steps[i].is_of_emulator) ||
            (count > 2 && strcmp(steps[i].name, args[2])))
            continue;
        if (run_process(steps[i].name))
            passed++;
        else
            failed++;
    }
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
