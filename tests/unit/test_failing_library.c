/* Tests of the library over a C library that fails and spoils: the N-th call of a kind fails, for
 * all N there are (far ones in steps), while a context, plan, workspace, call and pipeline are made, used and destroyed.
 * What fails says so with a code and a sentence, what succeeds is right, and all memory is given
 * back, which is never zero when it is new (failing_call.c). EVERY=1 tries every N. */
#include "autotune/device/fiber.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#if defined(FIBER_ASAN) || defined(FIBER_TSAN)

static void test_failing(void **state)
{
    (void)state;
    print_message("a sanitizer has an allocator of its own\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_failing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

#include "tests/command/failing_call.c"
#include "tests/unit/host_plans.h"
#include "tests/unit/named_op.h"

enum { N = 3000 };
static int32_t elements[N];

static int32_t sum_of_all(void)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < N; i++)
        sum += (uint32_t)elements[i];
    return (int32_t)sum;
}

/* --- A program ---------------------------------------------------------------------------- */

/* A failure has a code and a sentence. False: it has failed. */
static bool is_well(int code)
{
    if (code == 0)
        return true;
    if (code > 0 || error.code != code || strlen(error.text) < 10)
        fail_msg("code %d, error %d '%s'", code, error.code, error.text);
    return false;
}

static void reduce(struct autotune_plan *plan)
{
    struct autotune_workspace *workspace = NULL;
    int32_t got = 0;
    if (!is_well(autotune_workspace_create(&workspace, plan, NULL, NULL, &error)))
        return;
    if (is_well(autotune_execute(workspace, elements, N, &got, NULL, &error)))
        assert_int_equal(got, sum_of_all());
    assert_true(is_well(autotune_workspace_destroy(workspace, &error)));
}

static void reduce_on_host(struct autotune_context *context,
                           const struct autotune_problem *problem)
{
    static const struct autotune_pipeline_options options = {.chunk_bytes = 4096,
                                                             .copiers = 2,
                                                             .streams = 2};
    struct autotune_pipeline *pipeline = NULL;
    int32_t got = 0;
    if (!is_well(autotune_pipeline_create(&pipeline, context, problem, NULL, &options, &error)))
        return;
    if (is_well(autotune_execute_host(pipeline, elements, N, &got, &error)))
        assert_int_equal(got, sum_of_all());
    assert_true(is_well(autotune_pipeline_destroy(pipeline, &error)));
}

/* Goes on with what there is, as a program would, and destroys all that was made. */
static void use_library(void)
{
    static const struct autotune_problem problem = {.op = "sum", .type = "i32", .n = N};
    const struct autotune_context_options options = {.device = "host",
                                                     .records = folder,
                                                     .kernels = folder};
    struct autotune_context *context = NULL;
    struct autotune_plan *plan = NULL;
    if (!is_well(autotune_context_create(&context, &options, &error)))
        return;
    if (is_well(autotune_plan_create(&plan, context, &problem, NULL, &error))) {
        reduce(plan);
        assert_true(is_well(autotune_plan_destroy(plan, &error)));
    }
    reduce_on_host(context, &problem);
    assert_true(is_well(autotune_context_destroy(context, &error)));
}

/* --- Failures ----------------------------------------------------------------------------- */

/* With the n-th such call failing. Was there one? */
static bool use_failing(const char *call, long n)
{
    failing = call;
    seen_calls = 0;
    failing_at = n;
    use_library();
    failing_at = 0;
    return seen_calls >= n;
}

/* No more memory is alive than before. */
static void try_each(const char *call)
{
    const bool is_each = getenv("EVERY") != NULL;
    long tried = 0;
    use_library();
    const long before = alive;
    for (long n = 1; use_failing(call, n); n += is_each ? 1 : 1 + n / 8) {
        tried++;
        if (alive > before)
            fail_msg("%s %ld: %ld pieces of memory are left, %ld before", call, n, alive + 0,
                     before);
    }
    print_message("%s: %ld failed one by one\n", call, tried);
    assert_true(tried > 0);
}

static void test_calls(void **state)
{
    static const char *const calls[] = {"malloc",       "open",         "read",
                                        "write",        "short",        "mmap",
                                        "memfd_create", "posix_spawnp", "dlopen"};
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        try_each(calls[i]);
}

/* Used again and again it takes no more memory, to the last piece. */
static void test_no_leak(void **state)
{
    (void)state;
    use_library();
    const long before = alive;
    for (int i = 0; i < 3; i++)
        use_library();
    assert_int_equal(alive, before);
}

static int setup(void **state)
{
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(N)};
    if (make_folder(state))
        return -1;
    const struct record record = make_record(
        &problem, "BLOCK=64 ITEMS=16 VECTOR=4 UNROLL=4 ACCUMS=1 WARP=REDUX LOAD=PLAIN STAGES=0 "
                  "WALK=STRIDED MIN_BLOCKS=1 CLUSTER=1 FINISH=PACKED GRID=1");
    keep("host.ini", &record);
    for (size_t i = 0; i < N; i++)
        elements[i] = (int32_t)(i * 2654435761u);
    poisons = true;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_leak),
        cmocka_unit_test(test_calls),
    };
    return cmocka_run_group_tests(tests, setup, remove_folder);
}

#endif
