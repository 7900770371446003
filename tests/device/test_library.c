/* Proves the library on a GPU by using it as a program would: test_library [FOLDER]. Results at
 * many sizes and starts, of rows and columns, graphs, streams and threads at once, contexts
 * that are not the plan's or are gone; then what it costs: a plan from a record with kept
 * kernels in a fresh process (at most 2 ms), a call beside the bare launches of the same
 * kernels (at most 1.2 times the host's time). FOLDER, which is made, keeps a record and
 * kernels. Exit code 0 = all held, 69 = no GPU. */
#include "autotune/library/plan.h"
#include "cache/code.h"
#include "tests/unit/save_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_CUDA

#include "autotune/device/driver.h"
#include "autotune/device/monotonic.h"
#include "tests/unit/named_op.h"

#include <dlfcn.h>
#include <inttypes.h>

enum { N = 3000000, THREADS = 4, CALLS = 300, BATCH = 100, ROUNDS = 201, RESULTS_MAX = 3000 };
static const double PLAN_US = 2000, CALL_RATIO = 1.2;

static struct driver cu;
static struct error cause;
static CUcontext primary;
static CUdeviceptr elements; /* N + 1 of i32 */
static int32_t *values;
static const char *folder;

/* --- What tests do ------------------------------------------------------------------------ */

static void expect(bool is_so, const char *what, const char *said)
{
    if (is_so)
        return;
    fprintf(stderr, "failed: %s; got: %s\n", what, said);
    exit(1);
}

static void check(CUresult result, const char *doing)
{
    const char *text = "unknown";
    cu.error_string(result, &text);
    expect(result == CUDA_SUCCESS, doing, text);
}

static void check_library(int code, const char *doing, const struct autotune_error *error)
{
    expect(code == 0, doing, error->text);
}

/* A function that the program has no use for. */
static void *find(const char *name)
{
    void *function = dlsym(dlopen("libcuda.so.1", RTLD_NOW), name);
    expect(function != NULL, name, "no such function");
    return function;
}

static struct autotune_context *open_context(void)
{
    struct autotune_context_options options = {.records = folder};
    struct autotune_context *context;
    struct autotune_error error;
    char kept[1000];
    snprintf(kept, sizeof kept, "%s/kernels", folder);
    options.kernels = kept;
    check_library(autotune_context_create(&context, &options, &error), "a context", &error);
    return context;
}

static struct autotune_plan *make_plan(struct autotune_context *context, const char *op,
                                       uint64_t n, enum autotune_from from)
{
    const struct autotune_problem problem = {.op = op, .type = "i32", .n = n};
    const struct autotune_plan_options options = {.from = from};
    struct autotune_plan *plan;
    struct autotune_error error;
    check_library(autotune_plan_create(&plan, context, &problem, &options, &error), "a plan",
                  &error);
    return plan;
}

static struct autotune_workspace *make_workspace(struct autotune_plan *plan, CUstream stream)
{
    struct autotune_workspace *workspace;
    struct autotune_error error;
    check_library(autotune_workspace_create(&workspace, plan, NULL, stream, &error),
                  "a workspace", &error);
    return workspace;
}

static void close_all(struct autotune_context *context, struct autotune_plan *plan,
                      struct autotune_workspace *workspace)
{
    struct autotune_error error;
    check_library(autotune_workspace_destroy(workspace, &error), "a workspace's end", &error);
    check_library(autotune_plan_destroy(plan, &error), "a plan's end", &error);
    check_library(autotune_context_destroy(context, &error), "a context's end", &error);
}

/* Results of calls, in memory of their own: [0, count). */
static CUdeviceptr make_results(size_t count)
{
    CUdeviceptr results;
    check(cu.memory_alloc(&results, count * sizeof(int32_t)), "room for results");
    return results;
}

static int execute(struct autotune_workspace *workspace, uint64_t first, uint64_t n,
                   CUdeviceptr result, CUstream stream, struct autotune_error *error)
{
    return autotune_execute(workspace, (const void *)(uintptr_t)(elements + 4 * first), n,
                            (void *)(uintptr_t)result, stream, error);
}

static int32_t sum_of(uint64_t first, uint64_t n)
{
    uint32_t sum = 0;
    for (uint64_t i = first; i < first + n; i++)
        sum += (uint32_t)values[i];
    return (int32_t)sum;
}

/* --- Results ------------------------------------------------------------------------------ */

/* The i-th call of a test: any size, any start within a vector. */
static uint64_t size_of(size_t i)
{
    static const uint64_t small[] = {0, 1, 2, 31, 32, 33, 255, 4095, 4097, 8191, 8193, N - 7};
    enum { SMALL = sizeof small / sizeof *small };
    return i < SMALL ? small[i] : (i * UINT64_C(2654435761)) % (N - 7);
}

/* CALLS calls in a row on one stream, all different, then all results. */
static void run_calls(struct autotune_plan *plan, const char *what)
{
    struct autotune_error error;
    CUstream stream;
    int32_t got[CALLS];
    check(cu.context_set(primary), "a current context");
    check(cu.stream_create(&stream, CU_STREAM_NON_BLOCKING), "a stream");
    struct autotune_workspace *workspace = make_workspace(plan, stream);
    const CUdeviceptr results = make_results(CALLS);
    for (size_t i = 0; i < CALLS; i++)
        check_library(execute(workspace, i % 7, size_of(i), results + 4 * i, stream, &error),
                      what, &error);
    check(cu.copy_from(got, results, sizeof got, stream), "copying results");
    check(cu.stream_sync(stream), "running");
    for (size_t i = 0; i < CALLS; i++)
        expect(got[i] == sum_of(i % 7, size_of(i)), what, "a wrong sum");
    check_library(autotune_workspace_destroy(workspace, &error), what, &error);
    check(cu.memory_free(results), "freeing");
    check(cu.stream_destroy(stream), "a stream's end");
}

/* All results of the first rows, from an odd start; those of columns are of so many rows. */
static void run_matrix(struct autotune_workspace *workspace, const struct autotune_problem *of,
                       uint64_t rows, CUdeviceptr results, CUstream stream)
{
    static int32_t got[RESULTS_MAX];
    const uint64_t count = of->axis ? rows : of->len, depth = of->axis ? of->len : rows;
    struct autotune_error error;
    check(cu.fill(results, 0xff, sizeof got, stream), "clearing");
    check_library(execute(workspace, 1, rows, results, stream, &error), "a matrix", &error);
    check(cu.copy_from(got, results, sizeof got, stream), "copying results");
    check(cu.stream_sync(stream), "running");
    for (uint64_t r = 0; r < count; r++) {
        uint32_t sum = 0;
        for (uint64_t i = 0; i < depth; i++)
            sum += (uint32_t)values[1 + (of->axis ? r * of->pitch + i : i * of->pitch + r)];
        expect(got[r] == (int32_t)sum, "a matrix", "a wrong sum");
    }
    expect(got[count] == -1, "nothing behind the results", "something");
}

/* Rows in one piece, few long ones that blocks share, and long columns. */
static void test_matrices(struct autotune_context *context, CUstream stream)
{
    static const struct autotune_problem problems[] = {
        {.op = "sum", .type = "i32", .rows = 2900, .len = 1000, .pitch = 1003, .axis = 1},
        {.op = "sum", .type = "i32", .rows = 3, .len = 900001, .pitch = 900001, .axis = 1},
        {.op = "sum", .type = "i32", .rows = 30000, .len = 90, .pitch = 99, .axis = 0},
    };
    const struct autotune_plan_options options = {.from = AUTOTUNE_FROM_DEFAULT};
    const CUdeviceptr results = make_results(RESULTS_MAX);
    struct autotune_error error;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        const uint64_t most = problems[i].rows, rows[] = {most, most - 1, most / 2, 1, 0, most};
        struct autotune_plan *plan;
        check_library(autotune_plan_create(&plan, context, &problems[i], &options, &error),
                      "a matrix's plan", &error);
        struct autotune_workspace *workspace = make_workspace(plan, stream);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            run_matrix(workspace, &problems[i], rows[k], results, stream);
        printf("%" PRIu64 " x %" PRIu64 ", axis %d, %s: right, also of fewer rows\n", most,
               problems[i].len, problems[i].axis, autotune_plan_params(plan));
        check_library(autotune_workspace_destroy(workspace, &error), "an end", &error);
        check_library(autotune_plan_destroy(plan, &error), "an end", &error);
    }
    check(cu.memory_free(results), "freeing");
}

static void *run_thread(void *plan)
{
    run_calls(plan, "a call in a thread");
    return NULL;
}

static void test_threads(struct autotune_plan *plan)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        expect(pthread_create(&threads[i], NULL, run_thread, plan) == 0, "a thread", "none");
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d threads, each with a stream and a workspace: %d calls right\n", THREADS,
           THREADS * CALLS);
}

static void test_graph(struct autotune_plan *plan)
{
    enum { NODES = 12, RUNS = 3 };
    struct autotune_error error;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    int32_t got[NODES];
    check(cu.stream_create(&stream, CU_STREAM_NON_BLOCKING), "a stream");
    struct autotune_workspace *workspace = make_workspace(plan, stream);
    const CUdeviceptr results = make_results(NODES);
    check(cu.capture_begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "a capture");
    for (size_t i = 0; i < NODES; i++)
        check_library(execute(workspace, 0, size_of(i), results + 4 * i, stream, &error),
                      "a call in a capture", &error);
    check(cu.capture_end(stream, &graph), "a captured graph");
    check(cu.graph_instantiate(&exec, graph, 0), "a graph made ready");
    for (int run = 0; run < RUNS; run++) {
        check(cu.fill(results, 0xff, sizeof got, stream), "clearing");
        check(cu.graph_launch(exec, stream), "a graph's run");
        check(cu.copy_from(got, results, sizeof got, stream), "copying results");
        check(cu.stream_sync(stream), "running");
        for (size_t i = 0; i < NODES; i++)
            expect(got[i] == sum_of(0, size_of(i)), "a graph's result", "a wrong sum");
    }
    check(cu.graph_exec_destroy(exec), "a graph's end");
    check(cu.graph_destroy(graph), "a graph's end");
    check_library(autotune_workspace_destroy(workspace, &error), "an end", &error);
    check(cu.memory_free(results), "freeing");
    check(cu.stream_destroy(stream), "a stream's end");
    printf("a graph of %d calls, run %d times: right\n", NODES, RUNS);
}

/* --- Contexts ----------------------------------------------------------------------------- */

static void expect_code(int got, enum autotune_code code, const struct autotune_error *error)
{
    expect(got == (int)code && error->code == got, "another code", error->text);
    printf("%4d %s\n", got, error->text);
}

/* In a child: it loses contexts. */
static void lose_contexts(void)
{
    CUresult (*create)(CUcontext *, unsigned, CUdevice), (*destroy)(CUcontext),
        (*reset)(CUdevice);
    struct autotune_error error;
    CUcontext other = NULL;
    *(void **)&create = find("cuCtxCreate_v2");
    *(void **)&destroy = find("cuCtxDestroy_v2");
    *(void **)&reset = find("cuDevicePrimaryCtxReset_v2");
    const CUdeviceptr result = make_results(1);
    struct autotune_context *context = open_context();
    struct autotune_plan *plan = make_plan(context, "sum", N, AUTOTUNE_FROM_BEST);
    struct autotune_workspace *workspace = make_workspace(plan, NULL);
    expect_code(execute(workspace, 0, N + 1, result, NULL, &error), AUTOTUNE_N_TOO_LARGE,
                &error);
    expect_code(execute(workspace, 0, 1, result + 1, NULL, &error), AUTOTUNE_MISALIGNED,
                &error);

    check(create(&other, 0, 0), "another context"); /* and current */
    expect_code(execute(workspace, 0, 1, result, NULL, &error), AUTOTUNE_OTHER_CONTEXT, &error);
    struct autotune_context *lost = open_context();
    struct autotune_plan *lost_plan = make_plan(lost, "sum", N, AUTOTUNE_FROM_BEST);
    struct autotune_workspace *lost_workspace = make_workspace(lost_plan, NULL);
    check(destroy(other), "its end");
    check(cu.context_set(NULL), "none current");
    expect_code(execute(lost_workspace, 0, 1, result, NULL, &error), AUTOTUNE_NO_CONTEXT,
                &error);
    check(cu.context_set(primary), "the first current");
    expect_code(execute(lost_workspace, 0, 1, result, NULL, &error), AUTOTUNE_OTHER_CONTEXT,
                &error);
    expect_code(autotune_workspace_destroy(lost_workspace, &error), AUTOTUNE_OTHER_CONTEXT,
                &error);
    expect(autotune_plan_destroy(lost_plan, &error) == 0, "a plan's end", error.text);
    expect_code(autotune_context_destroy(lost, &error), AUTOTUNE_OTHER_CONTEXT, &error);

    check_library(execute(workspace, 0, 5, result, NULL, &error), "a call", &error);
    check(reset(0), "a reset"); /* as cudaDeviceReset does */
    cu.context_set(primary);
    expect_code(execute(workspace, 0, 1, result, NULL, &error), AUTOTUNE_NO_CONTEXT, &error);
    check(cu.context_retain(&primary, 0), "the context anew");
    check(cu.context_set(primary), "it current");
    expect_code(execute(workspace, 0, 1, result, NULL, &error), AUTOTUNE_NO_CONTEXT, &error);
    expect_code(autotune_workspace_destroy(workspace, &error), AUTOTUNE_NO_CONTEXT, &error);
    expect(autotune_plan_destroy(plan, &error) == 0, "a plan's end", error.text);
    expect_code(autotune_context_destroy(context, &error), AUTOTUNE_NO_CONTEXT, &error);
}

/* --- Costs -------------------------------------------------------------------------------- */

/* The default as if it had been tuned here, so that no tuning is needed for a record. */
static void keep_record(void)
{
    struct device *compiler = NULL;
    struct device_info info;
    const struct builtin_spaces *spaces = NULL;
    struct builtin_spaces *builtins = NULL;
    struct text params = {0}, path = {0};
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(N)};
    expect(cuda_describe(&info, 0, &cause) == 0, "a GPU", cause.text);
    expect(device_open_compiler(&compiler, &info, NULL, &cause) == 0, "NVRTC", cause.text);
    expect(builtin_spaces_find(&builtins, "reduce", &spaces, &cause) == 0, "a space",
           cause.text);
    expect(space_settle_default(spaces->space, &problem, &info.target, &cause) == 0,
           "its default", cause.text);
    struct record record = {
        .problem = problem,
        .method = RECORD_METHOD,
        .cc = info.target.cc,
        .sms = info.target.sms,
        .memory_clock_khz = info.memory_clock_khz,
        .bus_bits = info.bus_bits,
        .source = RECORD_MEASURED,
        .median_ps = 1000000,
        .low_ps = 1000000,
        .high_ps = 1000000,
        .candidates = 1,
        .tuned = "2026-11-21T01:25:00Z",
        .space = "reduce",
    };
    int64_t row[SPACE_NAMES_MAX];
    memcpy(row, spaces->space->default_config, spaces->space->param_count * sizeof *row);
    /* One that the rules allow, so that it can be found: sums of i32 can be packed. */
    expect(point_parse(spaces->space,
                       "FINISH=PACKED WARP=REDUX GRID=2 ITEMS=16 UNROLL=4 WALK=STRIDED", row,
                       &cause) == 0,
           "a row", cause.text);
    point_format(&params, spaces->space, row, true);
    snprintf(record.params, sizeof record.params, "%s", params.at);
    const struct point_context here = {spaces->space, &record.problem, &info.target};
    expect(code_hash(&record.code, &record, row, &here, &spaces->sources, &cause) == 0,
           "its code", cause.text);
    snprintf(record.gpu, sizeof record.gpu, "%s", info.name);
    snprintf(record.driver, sizeof record.driver, "%s", info.driver);
    snprintf(record.compiler, sizeof record.compiler, "%s", compiler->info.compiler);
    expect(store_path(&path, folder, info.name, &cause) == 0 &&
               save_record(path.at, &record, &cause) == 0,
           "a record", cause.text);
    text_dispose(&params);
    text_dispose(&path);
    device_close(compiler);
    builtin_spaces_free(builtins);
}

/* In a fresh process: nothing of the library or of NVRTC is in memory. */
static void time_plan(void)
{
    uint64_t start = monotonic_ns();
    struct autotune_context *context = open_context();
    const double context_us = (double)(monotonic_ns() - start) / 1000;
    start = monotonic_ns();
    struct autotune_plan *plan = make_plan(context, "sum", N, AUTOTUNE_FROM_RECORD);
    const double plan_us = (double)(monotonic_ns() - start) / 1000;
    start = monotonic_ns();
    struct autotune_plan *other = make_plan(context, "sum", N / 2, AUTOTUNE_FROM_RECORD);
    const double other_us = (double)(monotonic_ns() - start) / 1000;
    expect(autotune_plan_grade(plan) == AUTOTUNE_EXACT, "an exact record",
           autotune_plan_warning(plan));
    expect(autotune_plan_kernels(plan) == AUTOTUNE_CACHED, "kept kernels",
           autotune_plan_warning(plan));
    expect(autotune_plan_kernels(other) == AUTOTUNE_LOADED, "what is loaded", "another");
    printf("a fresh process: context %.0f us; plan from a record and kept kernels %.0f us; "
           "another n %.0f us\n",
           context_us, plan_us, other_us);
    expect(plan_us <= PLAN_US, "a plan within 2 ms", "more");
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The launches of one call without anything around them: configurations made beforehand. */
static void launch_bare(const struct device_launch *launches, size_t count, CUstream stream)
{
    for (size_t i = 0; i < count; i++) {
        void *args[LAUNCH_ARGS_MAX];
        for (size_t k = 0; k < launches[i].arg_count; k++)
            args[k] = (void *)(uintptr_t)&launches[i].args[k];
        const CUlaunchConfig config = {.gridDimX = launches[i].grid,
                                       .gridDimY = 1,
                                       .gridDimZ = 1,
                                       .blockDimX = launches[i].block,
                                       .blockDimY = 1,
                                       .blockDimZ = 1,
                                       .sharedMemBytes = launches[i].shared_bytes,
                                       .hStream = stream};
        cu.launch(&config, launches[i].kernel->function, args, NULL);
    }
}

/* By turns, in batches that the queue takes without waiting; every call of another n. */
static void time_calls(struct autotune_plan *plan, struct autotune_workspace *workspace,
                       CUstream stream, uint64_t n)
{
    static double bare_ns[ROUNDS], call_ns[ROUNDS], ratios[ROUNDS];
    struct device_launch launches[PLANNER_LAUNCHES];
    const CUdeviceptr result = make_results(1), memory = make_results(1 << 16);
    const struct planner_buffers buffers = {.input = elements,
                                            .output = result,
                                            .scratch = memory,
                                            .state = memory};
    struct error error;
    struct autotune_error refused;
    size_t count = 0;
    expect(autotune_plan_workspace_bytes(plan) <= 4 << 16, "a small workspace", "a large one");
    check(cu.fill(memory, 0, 4 << 16, stream), "clearing");
    expect(plan_call(plan, &plan->problem.params, &buffers, NULL, n, launches, &count,
                     &error) == 0,
           "launches", error.text);
    for (size_t round = 0; round < ROUNDS; round++) {
        check(cu.stream_sync(stream), "running");
        uint64_t start = monotonic_ns();
        for (int i = 0; i < BATCH; i++)
            launch_bare(launches, count, stream);
        bare_ns[round] = (double)(monotonic_ns() - start) / BATCH;
        check(cu.stream_sync(stream), "running");
        start = monotonic_ns();
        for (uint64_t i = 0; i < BATCH; i++)
            execute(workspace, 0, n - i % 50, result, stream, &refused);
        call_ns[round] = (double)(monotonic_ns() - start) / BATCH;
        ratios[round] = call_ns[round] / bare_ns[round];
    }
    check(cu.stream_sync(stream), "running");
    qsort(bare_ns, ROUNDS, sizeof *bare_ns, compare);
    qsort(call_ns, ROUNDS, sizeof *call_ns, compare);
    qsort(ratios, ROUNDS, sizeof *ratios, compare);
    printf("%zu launches for %" PRIu64 " elements: bare %.0f ns, a call %.0f ns of the host; "
           "ratio %.3f (median of %d rounds by turns)\n",
           count, n, bare_ns[ROUNDS / 2], call_ns[ROUNDS / 2], ratios[ROUNDS / 2], ROUNDS);
    expect(ratios[ROUNDS / 2] <= CALL_RATIO, "a call within 1.2 times its launches", "more");
    check(cu.memory_free(result), "freeing");
    check(cu.memory_free(memory), "freeing");
}

/* --- The whole ---------------------------------------------------------------------------- */

static void use_library(void)
{
    CUstream stream;
    values = malloc((N + 1) * sizeof *values);
    expect(values != NULL, "room", "none");
    for (size_t i = 0; i <= N; i++)
        values[i] = (int32_t)(i * 2654435761u);
    check(cu.stream_create(&stream, CU_STREAM_NON_BLOCKING), "a stream");
    check(cu.copy_to(elements, values, (N + 1) * sizeof *values, stream), "copying");
    check(cu.stream_sync(stream), "copying");

    struct autotune_context *context = open_context();
    struct autotune_plan *plan = make_plan(context, "sum", N, AUTOTUNE_FROM_RECORD);
    struct autotune_plan *basic = make_plan(context, "sum", N, AUTOTUNE_FROM_DEFAULT);
    printf("%s\n%s\n", autotune_plan_origin(plan), autotune_plan_params(plan));
    run_calls(plan, "a call");
    run_calls(basic, "a call of the default");
    printf("%d calls of many sizes and starts: right\n", 2 * CALLS);
    test_matrices(context, stream);
    test_graph(plan);
    test_threads(basic);
    struct autotune_workspace *workspace = make_workspace(plan, stream);
    time_calls(plan, workspace, stream, 1000);
    time_calls(plan, workspace, stream, 200000);
    check_library(autotune_plan_destroy(basic, NULL), "an end", &(struct autotune_error){0});
    close_all(context, plan, workspace);
    check(cu.stream_destroy(stream), "a stream's end");
    free(values);
}

/* Each in a process of its own, that has nothing of another's driver or library in it. */
static const struct {
    const char *name;
    void (*body)(void);
} steps[] = {
    {"record", keep_record},
    {"use", use_library}, /* compiles, and keeps what it compiled */
    {"plan", time_plan},
    {"contexts", lose_contexts},
};
enum { STEPS = sizeof steps / sizeof *steps };

static int run_step(const char *name)
{
    int count;
    expect(driver_open(&cu, &count, &cause) == 0, "a driver", cause.text);
    check(cu.context_retain(&primary, 0), "a context");
    check(cu.context_set(primary), "it current");
    check(cu.memory_alloc(&elements, (N + 1) * sizeof *values), "room");
    for (size_t i = 0; i < STEPS; i++)
        if (strcmp(steps[i].name, name) == 0) {
            steps[i].body();
            return 0;
        }
    return 64;
}

static void run_process(const char *step)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "test_library", folder, step, (char *)NULL);
        _exit(127);
    }
    expect(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
               WEXITSTATUS(status) == 0,
           "a step that ends well", step);
}

int main(int count, char **args)
{
    char made[] = "/tmp/test-library-XXXXXX", why[400] = "no folder can be made in /tmp";
    folder = count > 1 ? args[1] : mkdtemp(made);
    if (count > 2)
        return run_step(args[2]);
    if (!folder || device_count(why, sizeof why) == 0) {
        fprintf(stderr, "no GPU: %s\n", why);
        return 69;
    }
    for (size_t i = 0; i < STEPS; i++)
        run_process(steps[i].name);
    printf("all held\n");
    return 0;
}

#else

int main(void)
{
    fprintf(stderr, "built without the CUDA headers: there is no GPU to prove\n");
    return 69;
}

#endif
