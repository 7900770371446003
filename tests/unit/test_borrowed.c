/* Tests of borrowed: the library in its caller's CUDA context, over the stand-in driver
 * (tests/device/fake_cuda.c): what is launched where, kernels kept on disk, contexts that are
 * not the plan's, destroyed or reset. Each test runs in a process that loads the stand-in under
 * the driver's name. Run from the tree's root. */
#include "autotune/device/nvrtc.h"
#include "include/autotune.h"

#include <dirent.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef HAVE_CUDA

static void *fake;
static char folder[] = "/tmp/test-borrowed-XXXXXX", kept[80];
static struct autotune_error error;

/* --- The stand-in ------------------------------------------------------------------------- */

static void expect(int is_so, const char *wanted, const char *got)
{
    if (is_so)
        return;
    print_error("wanted %s, got %s\n", wanted, got);
    _exit(1);
}

static int get(const char *name)
{
    return *(int *)dlsym(fake, name);
}

static void set(const char *name, int value)
{
    *(int *)dlsym(fake, name) = value;
}

/* The context of a GPU: the place of its id. */
static uint64_t *context_of(int device)
{
    return (uint64_t *)dlsym(fake, "fake_context_ids") + device;
}

static void make_current(void *context)
{
    int (*set_current)(void *);
    *(void **)&set_current = dlsym(fake, "cuCtxSetCurrent");
    expect(set_current(context) == 0, "it current", "an error");
}

/* --- The library -------------------------------------------------------------------------- */

static struct autotune_context *open_context(void)
{
    struct autotune_context_options options = {0};
    struct autotune_context *context = NULL;
    options.records = "/nowhere";
    options.kernels = kept;
    expect(autotune_context_create(&context, &options, &error) == 0, "a context", error.text);
    return context;
}

static struct autotune_plan *make_plan(struct autotune_context *context, uint64_t n)
{
    const struct autotune_problem problem = {.op = "sum", .type = "f32", .n = n};
    const struct autotune_plan_options options = {.from = AUTOTUNE_FROM_DEFAULT};
    struct autotune_plan *plan = NULL;
    expect(autotune_plan_create(&plan, context, &problem, &options, &error) == 0, "a plan",
           error.text);
    return plan;
}

static void expect_code(int got, enum autotune_code code, const char *said)
{
    char number[20];
    snprintf(number, sizeof number, "%d", got);
    expect(got == (int)code && error.code == got, said, number);
    expect(strstr(error.text, said) != NULL, said, error.text);
    error.code = 0;
}

/* What a test works with: a plan for 1000 elements on GPU 0, and a call's addresses. */
struct gear {
    struct autotune_context *context;
    struct autotune_plan *plan;
    struct autotune_workspace *workspace;
    void *stream;
    uint64_t input[500], output; /* of 1000 floats */
};

static void open_gear(struct gear *gear)
{
    static int stream;
    make_current(context_of(0));
    *gear = (struct gear){.stream = &stream};
    gear->context = open_context();
    gear->plan = make_plan(gear->context, 1000);
    expect(autotune_workspace_create(&gear->workspace, gear->plan, NULL, gear->stream,
                                     &error) == 0,
           "a workspace", error.text);
}

static void close_gear(struct gear *gear)
{
    expect(autotune_workspace_destroy(gear->workspace, &error) == 0 &&
               autotune_plan_destroy(gear->plan, &error) == 0 &&
               autotune_context_destroy(gear->context, &error) == 0,
           "an end", error.text);
    expect(get("fake_objects") == 0, "nothing left", "leaks");
}

/* The stand-in's kernels store their second argument, n, where the first points. */
static int run(struct gear *gear, uint64_t n)
{
    return autotune_execute(gear->workspace, gear->input, n, &gear->output, gear->stream,
                            &error);
}

/* --- Tests -------------------------------------------------------------------------------- */

static void run_calls(void)
{
    struct gear gear;
    open_gear(&gear);
    expect(get("fake_contexts") == 0, "no context of its own", "one");
    expect(autotune_plan_grade(gear.plan) == AUTOTUNE_DEFAULT, "the default", "another");
    const int objects = get("fake_objects");
    for (uint64_t n = 1000; n > 990; n--) {
        expect(run(&gear, n) == 0, "a call", error.text);
        expect(gear.input[0] == n, "its n as the kernel's", "another");
    }
    expect(get("fake_launches") == 10, "a launch each", "others");
    expect(get("fake_objects") == objects, "nothing made for a call", "something");
    expect(gear.output == 0 && gear.input[1] == 0, "nothing else written", "something");
    close_gear(&gear);
}

/* Launches become nodes of a graph while a stream is captured. */
static void run_capture(void)
{
    struct gear gear;
    int (*begin)(void *, int), (*end)(void *, void **), (*make)(void **, void *, uint64_t);
    int (*launch)(void *, void *);
    void *graph = NULL, *exec = NULL;
    *(void **)&begin = dlsym(fake, "cuStreamBeginCapture_v2");
    *(void **)&end = dlsym(fake, "cuStreamEndCapture");
    *(void **)&make = dlsym(fake, "cuGraphInstantiateWithFlags");
    *(void **)&launch = dlsym(fake, "cuGraphLaunch");
    open_gear(&gear);
    expect(begin(gear.stream, 2) == 0, "a capture", "none");
    expect(run(&gear, 700) == 0 && run(&gear, 800) == 0, "two calls", error.text);
    expect(get("fake_launches") == 0, "nothing run", "something");
    expect(end(gear.stream, &graph) == 0 && make(&exec, graph, 0) == 0, "a graph", "none");
    expect(launch(exec, gear.stream) == 0, "a run", "none");
    expect(get("fake_launches") == 2 && gear.input[0] == 800, "both, in order", "another");
}

static int count_files(char last[400])
{
    int count = 0;
    DIR *open = opendir(kept);
    for (struct dirent *entry; open && (entry = readdir(open)) != NULL;)
        if (strstr(entry->d_name, ".kernels") && !strstr(entry->d_name, ".lock")) {
            snprintf(last, 400, "%s/%s", kept, entry->d_name);
            count++;
        }
    if (open)
        closedir(open);
    return count;
}

static void expect_kernels(enum autotune_kernels wanted, const char *warning)
{
    struct gear gear;
    open_gear(&gear);
    expect(autotune_plan_kernels(gear.plan) == wanted, "kernels of another kind",
           autotune_plan_warning(gear.plan));
    expect(*warning ? strstr(autotune_plan_warning(gear.plan), warning) != NULL
                    : !*autotune_plan_warning(gear.plan),
           warning, autotune_plan_warning(gear.plan));
    struct autotune_plan *other = make_plan(gear.context, 999);
    expect(autotune_plan_kernels(other) == AUTOTUNE_LOADED, "what is loaded", "another");
    expect(autotune_plan_destroy(other, &error) == 0, "its end", error.text);
    close_gear(&gear);
}

/* Compiled once; taken from disk from then on, but not when it was changed, is open to others
 * or is refused by the driver. */
static void run_kept(void)
{
    char path[400];
    struct stat status;
    expect_kernels(AUTOTUNE_COMPILED, "");
    expect(count_files(path) == 1 && stat(path, &status) == 0, "one file", "others");
    expect((status.st_mode & 0777) == 0600, "mode 0600", "another");
    expect(stat(kept, &status) == 0 && (status.st_mode & 0777) == 0700, "mode 0700", "another");
    expect_kernels(AUTOTUNE_CACHED, "");
    FILE *file = fopen(path, "r+");
    expect(file && fseek(file, 900, SEEK_SET) == 0, "a file to change", path);
    const int byte = fgetc(file);
    expect(fseek(file, 900, SEEK_SET) == 0 && fputc(byte ^ 1, file) != EOF && fclose(file) == 0,
           "a changed bit", path);
    expect_kernels(AUTOTUNE_COMPILED, "is damaged");
    expect_kernels(AUTOTUNE_CACHED, "");
    expect(chmod(path, 0622) == 0, "a file that others can write", path);
    expect_kernels(AUTOTUNE_COMPILED, "can be written by others");
    expect_kernels(AUTOTUNE_CACHED, "");
    expect(count_files(path) == 1, "one file", "others");
}

static void run_not_kept(void)
{
    FILE *file = fopen(kept, "w"); /* no folder can be made there */
    expect(file && fclose(file) == 0, "a file", kept);
    expect_kernels(AUTOTUNE_COMPILED, kept);
    expect_kernels(AUTOTUNE_COMPILED, kept);
}

static void run_no_context(void)
{
    struct autotune_context *context;
    make_current(NULL);
    expect_code(autotune_context_create(&context, NULL, &error), AUTOTUNE_NO_CONTEXT,
                "no CUDA context is current to this thread: call cudaSetDevice");
    expect(!context, "none", "one");
    *context_of(0) = 0;
    make_current(context_of(0));
    expect_code(autotune_context_create(&context, NULL, &error), AUTOTUNE_NO_CONTEXT,
                "was destroyed");
}

/* Whatever a call in a context that is not the plan's does, it launches nothing. */
static void run_other_context(void)
{
    struct gear gear;
    struct autotune_plan *plan;
    const struct autotune_problem problem = {.op = "sum", .type = "f32", .n = 5};
    set("fake_count", 2);
    open_gear(&gear);
    make_current(context_of(1));
    expect_code(run(&gear, 5), AUTOTUNE_OTHER_CONTEXT,
                "this is for Stand-in GPU (GPU 0), but GPU 1 is current to this thread: call "
                "cudaSetDevice(0)");
    expect_code(autotune_plan_create(&plan, gear.context, &problem, NULL, &error),
                AUTOTUNE_OTHER_CONTEXT, "GPU 1 is current");
    expect_code(autotune_workspace_reset(gear.workspace, gear.stream, &error),
                AUTOTUNE_OTHER_CONTEXT, "GPU 1 is current");
    make_current(NULL);
    expect_code(run(&gear, 5), AUTOTUNE_NO_CONTEXT,
                "no CUDA context is current to this thread");
    expect(get("fake_launches") == 0, "nothing launched", "something");
    make_current(context_of(0));
    expect(run(&gear, 5) == 0, "a call", error.text);
    close_gear(&gear);
}

/* Everything that was there is gone, and so is what the host had of it; no handle of the old
 * context is given to the driver. */
static void expect_lost(struct gear *gear, const char *said)
{
    const int objects = get("fake_objects");
    expect_code(run(gear, 5), AUTOTUNE_NO_CONTEXT, said);
    expect_code(autotune_workspace_destroy(gear->workspace, &error), AUTOTUNE_NO_CONTEXT, said);
    expect(autotune_plan_destroy(gear->plan, &error) == 0, "a plan's end", error.text);
    expect_code(autotune_context_destroy(gear->context, &error), AUTOTUNE_NO_CONTEXT, said);
    expect(get("fake_launches") == 0 && get("fake_objects") == objects, "no use of handles",
           "some");
}

static void run_destroyed(void)
{
    struct gear gear;
    open_gear(&gear);
    *context_of(0) = 0;
    expect_lost(&gear, "the CUDA context on Stand-in GPU was destroyed or reset");
}

static void run_reset(void)
{
    struct gear gear;
    open_gear(&gear);
    *context_of(0) = 100; /* another context at the same address */
    expect_lost(&gear, "the CUDA context on Stand-in GPU was destroyed or reset");
}

static void run_no_room(void)
{
    struct gear gear;
    struct autotune_workspace *workspace;
    open_gear(&gear);
    *(uint64_t *)dlsym(fake, "fake_memory") = *(uint64_t *)dlsym(fake, "fake_used");
    expect_code(autotune_workspace_create(&workspace, gear.plan, NULL, gear.stream, &error),
                AUTOTUNE_NO_MEMORY, "no room on Stand-in GPU (GPU 0): ");
    expect(!workspace, "none", "one");
    close_gear(&gear);
}

static void run_no_compiler(void)
{
    const struct autotune_context_options options = {.nvrtc = "/nowhere/libnvrtc.so",
                                                     .kernels = ""};
    const struct autotune_problem problem = {.op = "sum", .type = "f32", .n = 5};
    struct autotune_context *context;
    struct autotune_plan *plan;
    make_current(context_of(0));
    expect(autotune_context_create(&context, &options, &error) == 0, "a context", error.text);
    expect_code(autotune_plan_create(&plan, context, &problem, NULL, &error),
                AUTOTUNE_NO_DEVICE,
                "autotune_context_options.nvrtc /nowhere/libnvrtc.so: no such file");
    expect(autotune_context_destroy(context, &error) == 0, "its end", error.text);
}

/* What ships for it, and serves here; "" = it is the default. */
static void choose(char params[300], const struct autotune_problem *problem)
{
    const struct autotune_context_options options = {.records = "/nowhere", .kernels = ""};
    const struct autotune_plan_options from = {.from = AUTOTUNE_FROM_BEST};
    struct autotune_context *context;
    struct autotune_plan *plan;
    expect(autotune_context_create(&context, &options, &error) == 0, "a context", error.text);
    expect(autotune_plan_create(&plan, context, problem, &from, &error) == 0, "a plan",
           error.text);
    snprintf(params, 300, "%s",
             autotune_plan_grade(plan) == AUTOTUNE_DEFAULT ? "" : autotune_plan_params(plan));
    expect(autotune_plan_destroy(plan, &error) == 0, "its end", error.text);
    expect(autotune_context_destroy(context, &error) == 0, "its end", error.text);
}

/* A GPU that has not what a record's kernels need gets the next best. */
static void run_not_granted(void)
{
    static const struct {
        struct autotune_problem problem;
        const char *limit, *needs;
        int less;
    } asks[] = {
        {{.op = "sum", .type = "f32", .n = 1 << 30}, "fake_shared_limit", "LOAD=BULK", 65536},
        {{.op = "sum", .type = "f32", .n = 16384, .scan = AUTOTUNE_INCLUSIVE},
         "fake_cluster_limit",
         "CLUSTER=16",
         8},
    };
    make_current(context_of(0));
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
        const int most = get(asks[i].limit);
        char params[300];
        choose(params, &asks[i].problem);
        expect(strstr(params, asks[i].needs) != NULL, asks[i].needs, params);
        set(asks[i].limit, asks[i].less);
        set("fake_shared_most", 0); /* the stand-in's kernels share it */
        choose(params, &asks[i].problem);
        expect((i > 0 || *params) && !strstr(params, asks[i].needs), "the next best", params);
        set(asks[i].limit, most);
    }
}

static const struct {
    const char *name;
    void (*body)(void);
} runs[] = {
    {"calls", run_calls},
    {"capture", run_capture},
    {"kept kernels", run_kept},
    {"kernels that cannot be kept", run_not_kept},
    {"no context", run_no_context},
    {"another context", run_other_context},
    {"a destroyed context", run_destroyed},
    {"a reset context", run_reset},
    {"no room", run_no_room},
    {"no compiler", run_no_compiler},
    {"what is not granted", run_not_granted},
};

static int run_child(size_t i, const char *path)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        fake = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        expect(fake != NULL, "the stand-in", path);
        snprintf(kept, sizeof kept, "%s/kernels-%zu", folder, i);
        runs[i].body();
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_stand_in(void **state)
{
    (void)state;
    struct nvrtc *nvrtc = NULL;
    struct error cause;
    char path[64], command[400];
    int failures = 0;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY);
    if (driver || nvrtc_open(&nvrtc, NULL, 90, &cause)) {
        print_message("a driver is here, or no NVRTC\n");
        skip();
    }
    nvrtc_close(nvrtc);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/libcuda.so.1", folder);
    snprintf(command, sizeof command,
             "cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o %s tests/device/fake_cuda.c", path);
    assert_int_equal(system(command), 0);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (run_child(i, path) != 0) {
            print_error("failed over the stand-in: %s\n", runs[i].name);
            failures++;
        }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(failures, 0);
}

#endif

/* Where there is neither driver nor context, a sentence that says which. */
static void test_nothing_here(void **state)
{
    (void)state;
    struct autotune_context *context = (struct autotune_context *)state;
    struct autotune_error said = {0, ""};
    const int got = autotune_context_create(&context, NULL, &said);
    assert_true(got == AUTOTUNE_NO_DEVICE || got == AUTOTUNE_NO_CONTEXT);
    assert_int_equal(said.code, got);
    assert_null(context);
    assert_true(strstr(said.text, "install") || strstr(said.text, "cudaSetDevice"));
    assert_null(strstr(said.text, "--"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef HAVE_CUDA
        cmocka_unit_test(test_stand_in),
#endif
        cmocka_unit_test(test_nothing_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
