/* The library on the emulator, through its public face: plans from the default and from
 * records, what is reduced, what is refused and with which words, threads at once, tuning in
 * another process. Run from the tree's root; AUTOTUNE names the program where there is one. */
#include "cache/verified.h"
#include "tests/unit/host_plans.h"
#include "tests/unit/named_op.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Plans, calls, records ---------------------------------------------------------------- */

static struct autotune_plan *make_plan_of(struct autotune_context *context, const char *op,
                                          const char *type, uint64_t n, enum autotune_from from)
{
    const struct autotune_problem problem = {.op = op, .type = type, .n = n};
    return make_plan(context, &problem, from);
}

static struct record make_record_of(uint64_t n, const char *params)
{
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(n)};
    return make_record(&problem, params);
}

static struct autotune_workspace *make_workspace(struct autotune_plan *plan)
{
    struct autotune_workspace *workspace = NULL;
    if (autotune_workspace_create(&workspace, plan, NULL, NULL, &error))
        fail_msg("%s", error.text);
    return workspace;
}

static void close_all(struct autotune_context *context, struct autotune_plan *plan,
                      struct autotune_workspace *workspace)
{
    assert_int_equal(autotune_workspace_destroy(workspace, &error), 0);
    assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

enum { N = 20000 };
static int32_t elements[N + 1];

static int32_t sum_of(const int32_t *x, uint64_t n)
{
    uint32_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint32_t)x[i];
    return (int32_t)sum;
}

static void assert_sums(struct autotune_workspace *workspace, uint64_t limit)
{
    static const uint64_t sizes[] = {0, 1, 2, 31, 4097, 8192, 8193, 19999, N};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= limit; i++)
        for (size_t start = 0; start < 2; start++) {
            const uint64_t n = sizes[i] == N ? N - start : sizes[i];
            int32_t result = -1;
            if (autotune_execute(workspace, elements + start, n, &result, NULL, &error))
                fail_msg("%s", error.text);
            assert_int_equal(result, sum_of(elements + start, n));
        }
}

#define SHAPE                                                                                  \
    "BLOCK=64 ITEMS=16 VECTOR=4 UNROLL=4 ACCUMS=1 WARP=REDUX LOAD=PLAIN STAGES=0 "             \
    "WALK=STRIDED MIN_BLOCKS=1 CLUSTER=1 "

/* --- Tests ----------------------------------------------------------------------------------
 */

static void test_default(void **state)
{
    (void)state;
    struct autotune_context *context = open_context("/nowhere", NULL);
    /* the bits are those of i32 */
    struct autotune_plan *plan = make_plan_of(context, "sum", "u32", N, AUTOTUNE_FROM_DEFAULT);
    struct autotune_workspace *workspace = make_workspace(plan);
    assert_int_equal(autotune_plan_grade(plan), AUTOTUNE_DEFAULT);
    assert_int_equal(autotune_plan_kernels(plan), AUTOTUNE_COMPILED);
    assert_int_equal(autotune_plan_n(plan), N);
    assert_int_equal(autotune_plan_element_bytes(plan), 4);
    assert_int_equal(autotune_plan_result_bytes(plan), 4);
    assert_string_equal(autotune_plan_origin(plan), "");
    assert_string_equal(autotune_plan_advice(plan),
                        "the space's default, not measured here: tuning takes seconds");
    assert_string_equal(autotune_plan_warning(plan), "");
    assert_true(strstr(autotune_plan_params(plan), "BLOCK=") == autotune_plan_params(plan));
    assert_true(autotune_plan_workspace_bytes(plan) >= 8);
    assert_sums(workspace, N);
    close_all(context, plan, workspace);
}

/* Several launches with scratch memory between them, in memory of the caller's; the variant was
 * tuned for many more elements. */
static void test_record(void **state)
{
    (void)state;
    struct record record =
        make_record_of(400000000, "BLOCK=128 ITEMS=64 VECTOR=4 UNROLL=16 ACCUMS=1 WARP=SHUFFLE "
                                  "LOAD=PLAIN STAGES=0 WALK=STRIDED MIN_BLOCKS=1 CLUSTER=1 "
                                  "FINISH=PASSES GRID=0");
    record.problem.type = record.problem.acc = F32;
    struct autotune_context *context = open_context(keep("passes.ini", &record), NULL);
    struct autotune_plan *plan = make_plan_of(context, "sum", "f32", N, AUTOTUNE_FROM_RECORD);
    struct autotune_workspace *workspace = NULL;
    static float input[N];
    void *memory = NULL;
    float sum = 0;
    assert_int_equal(autotune_plan_grade(plan), AUTOTUNE_OTHER_N);
    assert_int_equal(autotune_plan_launches(plan), 2);
    assert_non_null(
        strstr(autotune_plan_params(plan), "BLOCK=128 ITEMS=64 VECTOR=4 UNROLL=16"));
    assert_non_null(strstr(autotune_plan_params(plan), "FINISH=PASSES GRID=0"));
    assert_string_equal(autotune_plan_origin(plan), "host, sum f32 400M cold");
    assert_non_null(strstr(autotune_plan_advice(plan),
                           ": tuning this size takes seconds and may find a faster kernel"));
    const size_t bytes = autotune_plan_workspace_bytes(plan);
    assert_int_equal(posix_memalign(&memory, 256, bytes + 8), 0);
    memset(memory, 0xa5, bytes + 8);
    assert_int_equal(autotune_workspace_create(&workspace, plan, memory, NULL, &error), 0);
    for (size_t n = 0; n < N; n++) {
        float result = -1;
        if (n % 4999 == 0 || n == N - 1) {
            assert_int_equal(autotune_execute(workspace, input, n, &result, NULL, &error), 0);
            assert_true(result >= sum && result <= sum);
        }
        sum += input[n] = (float)(n % 17);
    }
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(((unsigned char *)memory)[bytes + i], 0xa5);
    close_all(context, plan, workspace);
    free(memory);
}

/* Another n, and another record with the same variant, share what is loaded. */
static void test_another_n(void **state)
{
    (void)state;
    struct record record = make_record_of(N, SHAPE "FINISH=PACKED GRID=1");
    const char *path = keep("shared.ini", &record);
    struct autotune_context *context = open_context(path, NULL);
    struct autotune_plan *plan = make_plan_of(context, "sum", "i32", N, AUTOTUNE_FROM_RECORD);
    struct autotune_plan *smaller =
        make_plan_of(context, "sum", "i32", 6000, AUTOTUNE_FROM_BEST);
    assert_int_equal(autotune_plan_kernels(plan), AUTOTUNE_COMPILED);
    assert_int_equal(autotune_plan_kernels(smaller), AUTOTUNE_LOADED);
    assert_int_equal(autotune_plan_grade(smaller), AUTOTUNE_OTHER_N);
    record = make_record_of(6000, SHAPE "FINISH=PACKED GRID=0"); /* the file is read again */
    keep("shared.ini", &record);
    struct autotune_plan *exact = make_plan_of(context, "sum", "i32", 6000, AUTOTUNE_FROM_BEST);
    assert_int_equal(autotune_plan_kernels(exact), AUTOTUNE_LOADED);
    assert_int_equal(autotune_plan_grade(exact), AUTOTUNE_EXACT);
    struct autotune_workspace *workspace = make_workspace(exact), *other = make_workspace(plan);
    assert_sums(workspace, 6000);
    assert_sums(other, N);
    assert_int_equal(autotune_workspace_destroy(other, &error), 0);
    assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    assert_int_equal(autotune_plan_destroy(smaller, &error), 0);
    close_all(context, exact, workspace);
}

static void test_stale(void **state)
{
    (void)state;
    struct record record = make_record_of(N, SHAPE "FINISH=PACKED GRID=1");
    snprintf(record.compiler, sizeof record.compiler, "another 1.0");
    struct autotune_context *context = open_context(keep("stale.ini", &record), NULL);
    struct autotune_plan *plan = make_plan_of(context, "sum", "i32", N, AUTOTUNE_FROM_RECORD);
    assert_int_equal(autotune_plan_grade(plan), AUTOTUNE_STALE);
    close_all(context, plan, NULL);
}

/* Records that are no use here: of another GPU, of a variant that the rules forbid for so many
 * elements, of no variant at all. */
static void test_records_refused(void **state)
{
    (void)state;
    static const struct autotune_plan_options from = {.from = AUTOTUNE_FROM_RECORD};
    const struct autotune_problem problem = {.op = "sum", .type = "i32", .n = N};
    struct autotune_plan *plan;
    struct record record = make_record_of(N, SHAPE "FINISH=PACKED GRID=1");
    snprintf(record.gpu, sizeof record.gpu, "Quadro of old");
    record.source = RECORD_MEASURED;
    struct autotune_context *context = open_context(keep("other.ini", &record), NULL);
    assert_refused(autotune_plan_create(&plan, context, &problem, &from, &error),
                   AUTOTUNE_OTHER_GPU, "there is one for Quadro of old (sm_90), which is not");
    assert_null(plan);
    plan = make_plan_of(context, "sum", "i32", N, AUTOTUNE_FROM_BEST);
    assert_int_equal(autotune_plan_grade(plan), AUTOTUNE_SAME_CC);
    close_all(context, plan, NULL);

    record = make_record_of(10, SHAPE "FINISH=BARRIER GRID=0"); /* resident only by chance */
    context = open_context(keep("wrong.ini", &record), NULL);
    assert_refused(autotune_plan_create(&plan, context, &problem, &from, &error),
                   AUTOTUNE_NO_RECORD, "a record of host is passed over: ");
    plan = make_plan_of(context, "sum", "i32", N, AUTOTUNE_FROM_BEST);
    assert_true(autotune_plan_grade(plan) >= AUTOTUNE_SHIPPED); /* not that record */
    assert_true(strstr(autotune_plan_warning(plan), "passed over") != NULL);
    close_all(context, plan, NULL);

    record = make_record_of(N, SHAPE "FINISH=MAGIC GRID=0");
    context = open_context(keep("unknown.ini", &record), NULL);
    assert_refused(autotune_plan_create(&plan, context, &problem, &from, &error),
                   AUTOTUNE_NO_RECORD, "MAGIC");
    assert_int_equal(autotune_context_destroy(context, &error), 0);

    char alone[60], command[400];
    snprintf(alone, sizeof alone, "%s/alone", folder); /* damaged, and of another GPU's name */
    snprintf(
        command, sizeof command,
        "mkdir -m 700 %s && sed 's/^depth = .*/depth = 7/' %s/wrong.ini > %s/nvidia-h200.ini && "
        "chmod 600 %s/*",
        alone, folder, alone, alone);
    assert_int_equal(system(command), 0);
    context = open_context(alone, NULL);
    assert_refused(autotune_plan_create(&plan, context, &problem, &from, &error),
                   AUTOTUNE_NO_RECORD, "alone/nvidia-h200.ini:");
    plan = make_plan_of(context, "sum", "i32", N, AUTOTUNE_FROM_BEST);
    assert_non_null(strstr(autotune_plan_warning(plan), "alone/nvidia-h200.ini:"));
    assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    record = make_record_of(N, SHAPE "FINISH=PACKED GRID=0");
    keep("alone/host.ini", &record); /* which fits: what else is there does not matter */
    plan = make_plan_of(context, "sum", "i32", N, AUTOTUNE_FROM_BEST);
    assert_int_equal(autotune_plan_grade(plan), AUTOTUNE_EXACT);
    assert_string_equal(autotune_plan_warning(plan), "");
    close_all(context, plan, NULL);

    context = open_context("/nowhere/records", NULL);
    assert_refused(autotune_plan_create(&plan, context, &problem, &from, &error),
                   AUTOTUNE_NO_RECORD, "there is no file or folder /nowhere/records");
    plan = make_plan_of(context, "sum", "i32", N, AUTOTUNE_FROM_BEST);
    assert_non_null(strstr(autotune_plan_warning(plan), "no file or folder /nowhere/records"));
    close_all(context, plan, NULL);

    context = open_context(folder, NULL); /* the GPU's own file is not among them */
    const struct autotune_problem product = {.op = "prod", .type = "i32", .n = N};
    assert_refused(autotune_plan_create(&plan, context, &product, &from, &error),
                   AUTOTUNE_NO_RECORD, "no record of prod i32 20K cold for host");
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* Two GPUs' records, of which the nearer has what the rules do not allow here. */
static void test_second_best(void **state)
{
    (void)state;
    struct record nearer = make_record_of(N, "LOAD=BULK");
    struct record farther = make_record_of(3 * N, SHAPE "FINISH=PACKED GRID=0");
    nearer.source = farther.source = RECORD_MEASURED;
    snprintf(nearer.gpu, sizeof nearer.gpu, "Quadro of old");
    snprintf(farther.gpu, sizeof farther.gpu, "Quadro of late");
    keep("two.ini", &nearer);
    struct autotune_context *context = open_context(keep("two.ini", &farther), NULL);
    struct autotune_plan *plan = make_plan_of(context, "sum", "i32", N, AUTOTUNE_FROM_BEST);
    assert_int_equal(autotune_plan_grade(plan), AUTOTUNE_SAME_CC);
    assert_string_equal(autotune_plan_origin(plan), "Quadro of late, sum i32 60K cold");
    assert_string_equal(autotune_plan_warning(plan), "");
    close_all(context, plan, NULL);
}

/* A sweep's variant may be one that the rules leave out at this n: here it was proven. */
static void test_proven_here(void **state)
{
    (void)state;
    struct record record = make_record_of(N, SHAPE "FINISH=PACKED GRID=16");
    struct autotune_context *context = open_context(keep("proven.ini", &record), NULL);
    struct autotune_plan *plan = make_plan_of(context, "sum", "i32", N, AUTOTUNE_FROM_RECORD);
    struct autotune_workspace *workspace = make_workspace(plan);
    assert_int_equal(autotune_plan_grade(plan), AUTOTUNE_EXACT);
    assert_string_equal(autotune_plan_warning(plan), "");
    assert_sums(workspace, N);
    close_all(context, plan, workspace);
}

/* What ships may grow: a plan from it says so, and the default is none. */
static void test_shipped(void **state)
{
    (void)state;
    const struct autotune_plan_options from = {.from = AUTOTUNE_FROM_SHIPPED};
    const struct autotune_problem problem = {.op = "prod", .type = "i8", .acc = "i64", .n = 77};
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_plan *plan;
    const int got = autotune_plan_create(&plan, context, &problem, &from, &error);
    if (got)
        assert_refused(got, AUTOTUNE_NO_RECORD, "for host came with the library");
    else
        assert_int_equal(autotune_plan_grade(plan), AUTOTUNE_SHIPPED);
    close_all(context, plan, NULL);
}

/* Every operation and type has a default that reduces one element to itself, or to where it
 * stands. */
static void test_every_type(void **state)
{
    (void)state;
    static const struct {
        const char *op, *type, *acc;
        size_t element, result;
        const char *result_type;
    } cases[] = {
        {"max", "i8", NULL, 1, 4, "i32"},     {"min", "f64", NULL, 8, 8, "f64"},
        {"sum", "u8", "u64", 1, 8, "u64"},    {"sumsq", "f16", NULL, 2, 4, "f32"},
        {"xor", "u64", NULL, 8, 8, "u64"},    {"prod", "i16", NULL, 2, 4, "i32"},
        {"argmax", "f32", NULL, 4, 8, "u64"},
    };
    struct autotune_context *context = open_context(folder, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct autotune_problem problem = {.op = cases[i].op,
                                                 .type = cases[i].type,
                                                 .acc = cases[i].acc,
                                                 .n = 100,
                                                 .order = i % 2};
        const struct autotune_plan_options options = {.from = AUTOTUNE_FROM_DEFAULT};
        struct autotune_plan *plan;
        if (autotune_plan_create(&plan, context, &problem, &options, &error))
            fail_msg("%s", error.text);
        assert_int_equal(autotune_plan_element_bytes(plan), cases[i].element);
        assert_int_equal(autotune_plan_result_bytes(plan), cases[i].result);
        assert_string_equal(autotune_plan_result_type(plan), cases[i].result_type);
        struct autotune_workspace *workspace = make_workspace(plan);
        uint64_t input[2] = {0, 0}, output[2] = {UINT64_MAX, UINT64_MAX};
        assert_int_equal(autotune_execute(workspace, input, 1, output, NULL, &error), 0);
        assert_int_equal(output[1], UINT64_MAX);
        assert_memory_equal(output, input, cases[i].result);
        assert_int_equal(autotune_workspace_destroy(workspace, &error), 0);
        assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

static void test_bad_problems(void **state)
{
    (void)state;
    static const struct {
        struct autotune_problem problem;
        enum autotune_code code;
        const char *said;
    } cases[] = {
        {{.type = "i32", .n = 1}, AUTOTUNE_BAD_ARGUMENT, "autotune_problem.op is NULL"},
        {{.op = "sum", .n = 1}, AUTOTUNE_BAD_ARGUMENT, "autotune_problem.type is NULL"},
        {{.op = "average", .type = "i32", .n = 1},
         AUTOTUNE_BAD_ARGUMENT,
         "unknown operation 'average': it is called mean; choose one of sum"},
        {{.op = "sum", .type = "float", .n = 1}, AUTOTUNE_BAD_ARGUMENT, "unknown type 'float'"},
        {{.op = "s\n\033", .type = "f32", .n = 1}, AUTOTUNE_BAD_ARGUMENT, "'s\\x0a\\x1b'"},
        {{.op = "and", .type = "f32", .n = 1},
         AUTOTUNE_BAD_ARGUMENT,
         "choose another autotune_problem.type"},
        {{.op = "sum", .type = "i64", .acc = "i32", .n = 1},
         AUTOTUNE_BAD_ARGUMENT,
         "use i64 for autotune_problem.acc"},
        {{.op = "sum", .type = "i32"}, AUTOTUNE_BAD_ARGUMENT, "autotune_problem.n is 0"},
        {{.op = "sum", .type = "i32", .n = UINT64_MAX}, AUTOTUNE_N_TOO_LARGE, "in parts"},
        {{.op = "sum", .type = "i32", .n = (UINT64_C(1) << 42) + 1},
         AUTOTUNE_N_TOO_LARGE,
         "4398046511105"},
        {{.op = "sum", .type = "i32", .n = 1, .reserved = {(void *)folder}},
         AUTOTUNE_BAD_ARGUMENT,
         "autotune_problem.reserved is not zero"},
        {{.op = "sum", .type = "f32", .n = 1, .order = 4},
         AUTOTUNE_BAD_ARGUMENT,
         "autotune_problem.order is 4"},
    };
    const struct autotune_problem good = {.op = "sum", .type = "i32", .n = 1};
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_plan *plan;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        plan = (struct autotune_plan *)(void *)folder;
        assert_refused(autotune_plan_create(&plan, context, &cases[i].problem, NULL, &error),
                       cases[i].code, cases[i].said);
        assert_null(plan);
    }
    struct autotune_plan_options options = {.from = (enum autotune_from)9};
    assert_refused(autotune_plan_create(&plan, context, &good, &options, &error),
                   AUTOTUNE_BAD_ARGUMENT, "autotune_plan_options.from is 9");
    options = (struct autotune_plan_options){.budget_seconds = -1};
    assert_refused(autotune_plan_create(&plan, context, &good, &options, &error),
                   AUTOTUNE_BAD_ARGUMENT, "budget_seconds");
    assert_refused(autotune_plan_create(&plan, NULL, &good, NULL, &error),
                   AUTOTUNE_BAD_ARGUMENT, "context is NULL");
    assert_refused(autotune_plan_create(&plan, context, NULL, NULL, &error),
                   AUTOTUNE_BAD_ARGUMENT, "problem is NULL");
    assert_refused(autotune_plan_create(NULL, context, &good, NULL, &error),
                   AUTOTUNE_BAD_ARGUMENT, "out is NULL");
    assert_int_equal(autotune_plan_create(NULL, context, &good, NULL, NULL),
                     AUTOTUNE_BAD_ARGUMENT);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
    struct autotune_context_options other = {.device = "0"};
    assert_refused(autotune_context_create(&context, &other, &error), AUTOTUNE_BAD_ARGUMENT,
                   "autotune_context_options.device is \"0\"");
    assert_null(context);
}

static void test_bad_calls(void **state)
{
    (void)state;
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_plan *plan =
        make_plan_of(context, "sum", "i32", 1000, AUTOTUNE_FROM_DEFAULT);
    struct autotune_workspace *workspace = make_workspace(plan), *other;
    int32_t result = 7;
    char *odd = (char *)elements + 1;
    const struct {
        const void *input;
        uint64_t n;
        void *output;
        enum autotune_code code;
        const char *said;
    } cases[] = {
        {elements, 1001, &result, AUTOTUNE_N_TOO_LARGE,
         "n is 1001, but the plan is for at most 1000 elements"},
        {odd, 1, &result, AUTOTUNE_MISALIGNED, "not a multiple of the 4 bytes of an element"},
        {elements, 1, odd, AUTOTUNE_MISALIGNED, "not a multiple of the 4 bytes of a result"},
        {NULL, 1, &result, AUTOTUNE_BAD_ARGUMENT, "input is NULL"},
        {elements, 1, NULL, AUTOTUNE_BAD_ARGUMENT, "output is NULL"},
        {elements, 1000, elements + 999, AUTOTUNE_BAD_ARGUMENT, "lies within the elements"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(autotune_execute(workspace, cases[i].input, cases[i].n, cases[i].output,
                                        NULL, &error),
                       cases[i].code, cases[i].said);
    assert_refused(autotune_execute(NULL, elements, 1, &result, NULL, &error),
                   AUTOTUNE_BAD_ARGUMENT, "workspace is NULL");
    assert_int_equal(result, 7);
    assert_int_equal(autotune_execute(workspace, NULL, 0, &result, NULL, NULL), 0);
    assert_int_equal(result, 0);
    assert_refused(autotune_workspace_create(&other, plan, odd, NULL, &error),
                   AUTOTUNE_MISALIGNED, "not a multiple of 256");
    assert_refused(autotune_plan_destroy(plan, &error), AUTOTUNE_BAD_ARGUMENT,
                   "still has 1 workspace:");
    assert_refused(autotune_context_destroy(context, &error), AUTOTUNE_BAD_ARGUMENT,
                   "still has 1 plan:");
    assert_int_equal(autotune_workspace_reset(workspace, NULL, &error), 0);
    assert_sums(workspace, 31);
    close_all(context, plan, workspace);
    assert_int_equal(autotune_context_destroy(NULL, NULL), 0);
    assert_int_equal(autotune_plan_destroy(NULL, NULL), 0);
    assert_int_equal(autotune_workspace_destroy(NULL, NULL), 0);
}

/* What an aborted launch leaves behind spoils the next result until it is cleared. */
static void test_reset(void **state)
{
    (void)state;
    struct autotune_context *context = open_context(folder, NULL);
    const struct record record = make_record_of(N, SHAPE "FINISH=PACKED GRID=1");
    keep("host.ini", &record); /* the emulator's own file in the folder */
    struct autotune_plan *plan = make_plan_of(context, "sum", "i32", N, AUTOTUNE_FROM_RECORD);
    struct autotune_workspace *workspace = NULL;
    const size_t bytes = autotune_plan_workspace_bytes(plan);
    void *memory = NULL;
    int32_t result = 0;
    assert_int_equal(posix_memalign(&memory, 256, bytes), 0);
    assert_int_equal(autotune_workspace_create(&workspace, plan, memory, NULL, &error), 0);
    memset(memory, 1, bytes);
    assert_int_equal(autotune_execute(workspace, elements, N, &result, NULL, &error), 0);
    assert_int_not_equal(result, sum_of(elements, N));
    assert_int_equal(autotune_workspace_reset(workspace, NULL, &error), 0);
    assert_sums(workspace, N);
    close_all(context, plan, workspace);
    free(memory);
}

/* Threads share a context and a plan; each has a workspace. */
static void *reduce_in_thread(void *shared)
{
    struct autotune_plan *plan = shared;
    struct autotune_workspace *workspace = NULL;
    intptr_t wrong = autotune_workspace_create(&workspace, plan, NULL, NULL, NULL);
    for (uint64_t n = 0; n < 300 && !wrong; n += 7) {
        int32_t result = -1;
        wrong = autotune_execute(workspace, elements, n, &result, NULL, NULL) ||
                result != sum_of(elements, n);
    }
    return (void *)(wrong || autotune_workspace_destroy(workspace, NULL) ? shared : NULL);
}

static void test_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_plan *plan = make_plan_of(context, "sum", "i32", N, AUTOTUNE_FROM_DEFAULT);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, reduce_in_thread, plan), 0);
    struct autotune_plan *second =
        make_plan_of(context, "sum", "i32", 9, AUTOTUNE_FROM_DEFAULT);
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    assert_int_equal(autotune_plan_destroy(second, &error), 0);
    close_all(context, plan, NULL);
}

/* --- Tuning ---------------------------------------------------------------------------------
 */

/* A program that keeps its arguments and ends as it is told to. */
static const char *write_program(const char *ending)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/program", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\necho \"$*\" > %s/arguments\necho nothing to see\n%s\n", folder,
            ending);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

static void test_tuning_refused(void **state)
{
    (void)state;
    const struct autotune_problem problem = {.op = "sum",
                                             .type = "f16",
                                             .n = 12345,
                                             .is_warm = 1,
                                             .order = 1};
    const struct autotune_plan_options options = {.from = AUTOTUNE_FROM_TUNING,
                                                  .budget_seconds = 1.5};
    const struct {
        const char *program;
        enum autotune_code code;
        const char *said;
    } cases[] = {
        {NULL, AUTOTUNE_NO_PROGRAM, "set autotune_context_options.program"},
        {"/nowhere/autotune", AUTOTUNE_NO_PROGRAM,
         "/nowhere/autotune cannot be started: No such"},
        {"exit 0", AUTOTUNE_TUNE_FAILED, "ended well, but left no record"},
        {"echo first >&2; echo autotune: no more GPUs >&2; exit 69", AUTOTUNE_TUNE_FAILED,
         "exit status 69: autotune: no more GPUs"},
        {"exit 70", AUTOTUNE_TUNE_FAILED, "exit status 70: it said nothing"},
        {"kill -9 $$", AUTOTUNE_TUNE_FAILED, "ended by signal 9"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct autotune_context *context =
            open_context(folder, i < 2 ? cases[i].program : write_program(cases[i].program));
        struct autotune_plan *plan;
        assert_refused(autotune_plan_create(&plan, context, &problem, &options, &error),
                       cases[i].code, cases[i].said);
        assert_int_equal(autotune_context_destroy(context, &error), 0);
    }
    char path[200], said[600] = "", wanted[600];
    snprintf(path, sizeof path, "%s/arguments", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(said, sizeof said, file));
    fclose(file);
    snprintf(wanted, sizeof wanted,
             "tune --quiet --device host --op sum --type f16 --acc f32 --n 12345 --warm "
             "--order run --cache %s --budget 1500ms\n",
             folder);
    assert_string_equal(said, wanted);
}

/* A file of records is no place for new ones; a host that ignores its children loses nothing.
 */
static void test_tuning_odd_hosts(void **state)
{
    (void)state;
    const struct autotune_problem problem = {.op = "max", .type = "u8", .n = 12345};
    const struct autotune_plan_options options = {.from = AUTOTUNE_FROM_TUNING};
    const struct record record = make_record_of(N, SHAPE "FINISH=PACKED GRID=1");
    struct autotune_context *context =
        open_context(keep("alone.ini", &record), write_program("exit 0"));
    struct autotune_plan *plan;
    assert_refused(autotune_plan_create(&plan, context, &problem, &options, &error),
                   AUTOTUNE_BAD_ARGUMENT, "give a folder");
    assert_int_equal(autotune_context_destroy(context, &error), 0);
    context = open_context(folder, write_program("exit 3"));
    signal(SIGCHLD, SIG_IGN);
    assert_refused(autotune_plan_create(&plan, context, &problem, &options, &error),
                   AUTOTUNE_TUNE_FAILED, "left no record");
    signal(SIGCHLD, SIG_DFL);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* Nothing of a call lies in the workspace, not even in part. */
static void test_workspace_is_apart(void **state)
{
    enum { COUNT = 1 << 20, ASIDE = 4096 };
    static int32_t many[COUNT];
    const struct autotune_problem problem = {.op = "sum", .type = "i32", .n = COUNT};
    struct autotune_context *context = open_context(folder, NULL);
    struct autotune_plan *plan = make_plan(context, &problem, AUTOTUNE_FROM_DEFAULT);
    const size_t bytes = autotune_plan_workspace_bytes(plan) / 4 * 4;
    unsigned char *const memory = aligned_alloc(256, ASIDE + (bytes / 256 + 2) * 256);
    unsigned char *const start = memory + ASIDE;
    struct autotune_workspace *workspace;
    int32_t result;
    (void)state;
    assert_true(bytes >= 8);
    assert_non_null(memory);
    memset(memory, 0, ASIDE);
    assert_int_equal(autotune_workspace_create(&workspace, plan, start, NULL, &error), 0);
    const struct {
        const void *input;
        uint64_t n;
        void *output;
        const char *said;
    } cases[] = {
        {start, 1, &result, "input lies in the workspace's memory"},
        {start + bytes - 4, 10, &result, "input lies in the workspace's memory"},
        {memory, ASIDE / 4 + 1, &result, "input lies in the workspace's memory"},
        {many, 1, start, "output lies in the workspace's memory"},
        {many, 0, start + bytes - 4, "output lies in the workspace's memory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(autotune_execute(workspace, cases[i].input, cases[i].n, cases[i].output,
                                        NULL, &error),
                       AUTOTUNE_BAD_ARGUMENT, cases[i].said);
    assert_int_equal(autotune_execute(workspace, memory, ASIDE / 4, start + bytes + 4, NULL,
                                      &error),
                     0);
    assert_int_equal(autotune_workspace_destroy(workspace, &error), 0);
    assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    assert_int_equal(autotune_context_destroy(context, &error), 0);
    free(memory);
}

/* As where a create has failed and nobody looked. */
static void test_no_plan(void **state)
{
    struct autotune_pipeline_info info = {.streams = 9};
    (void)state;
    assert_int_equal(autotune_plan_grade(NULL), AUTOTUNE_DEFAULT);
    assert_int_equal(autotune_plan_kernels(NULL), AUTOTUNE_LOADED);
    assert_int_equal(autotune_plan_n(NULL), 0);
    assert_int_equal(autotune_plan_results(NULL), 0);
    assert_int_equal(autotune_plan_launches(NULL), 0);
    assert_int_equal(autotune_plan_element_bytes(NULL), 0);
    assert_int_equal(autotune_plan_result_bytes(NULL), 0);
    assert_int_equal(autotune_plan_workspace_bytes(NULL), 0);
    assert_string_equal(autotune_plan_result_type(NULL), "");
    assert_string_equal(autotune_plan_params(NULL), "");
    assert_string_equal(autotune_plan_origin(NULL), "");
    assert_string_equal(autotune_plan_advice(NULL), "");
    assert_string_equal(autotune_plan_warning(NULL), "");
    autotune_pipeline_describe(NULL, &info);
    assert_int_equal(info.streams, 0);
    assert_null(info.plan);
    autotune_pipeline_describe(NULL, NULL);
}

static int setup(void **state)
{
    for (size_t i = 0; i <= N; i++)
        elements[i] = (int32_t)(i * 2654435761u);
    return make_folder(state);
}

/* A plan that no record of this device serves says that its operation was never proven here, until it was. */
static void test_own_operation(void **state)
{
    (void)state;
    static const char text[] = "[operation]\nmeaning = sum of thirds\nname = thirds\n"
                               "map = x / 3\ncombine = a + b\n";
    struct problem proven = {.type = F32, .acc = F32, .dims = DIMS_VALUE(N)};
    struct error cause;
    const char *op;
    char records[80];
    snprintf(records, sizeof records, "%s/own", folder);
    assert_int_equal(autotune_operation_read(&op, "thirds.ini", text, &error), 0);
    assert_int_equal(operation_find_key(&proven.op, op, &cause), 0);
    struct autotune_context *context = open_context(records, NULL);
    const struct verified what = {&proven, "host", "none"};
    const struct verified others[] = {{&proven, "NVIDIA H200", "none"},
                                      {&proven, "host", "1.0"}};
    for (int added = -1; added < 3; added++) {
        const struct verified *add = added == 2 ? &what : &others[added < 0 ? 0 : added];
        if (added >= 0)
            assert_int_equal(verified_add(records, add, &cause), 0);
        struct autotune_plan *plan = make_plan_of(context, op, "f32", N, AUTOTUNE_FROM_DEFAULT);
        if (added < 2)
            assert_non_null(strstr(autotune_plan_warning(plan),
                                   "operation 'thirds' was not proven on this GPU"));
        else
            assert_string_equal(autotune_plan_warning(plan), "");
        assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    }
    struct autotune_plan *other = make_plan_of(context, op, "f64", N, AUTOTUNE_FROM_DEFAULT);
    assert_non_null(strstr(autotune_plan_warning(other), "was not proven"));
    close_all(context, other, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_another_n),
        cmocka_unit_test(test_stale),
        cmocka_unit_test(test_records_refused),
        cmocka_unit_test(test_second_best),
        cmocka_unit_test(test_proven_here),
        cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_every_type),
        cmocka_unit_test(test_bad_problems),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_tuning_refused),
        cmocka_unit_test(test_workspace_is_apart),
        cmocka_unit_test(test_no_plan),
        cmocka_unit_test(test_own_operation),
        cmocka_unit_test(test_tuning_odd_hosts),
    };
    return cmocka_run_group_tests(tests, setup, remove_folder);
}
