/* Tests of model: priors of the default space follow the bytes in flight on an SM, for large
 * and for small n, come without a device, quickly, and never without a reason when they do not
 * come. */
#include "autotune/device/fiber.h" /* FIBER_ASAN */
#include "autotune/device/gpus.h"
#include "autotune/measure/speed_estimate.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct error error;

static struct target find_target(const char *arch)
{
    struct target target;
    if (gpus_find(&target, arch, &error) != 0)
        fail_msg("%s", error.text);
    return target;
}

/* The prior of the space's default with some params changed, for a sum of n i32 or i64. */
static double prior_of(const struct space *space, const struct target *target,
                       const char *params, enum type type, uint64_t n)
{
    const struct problem problem = {.op = op_of(SUM),
                                    .type = type,
                                    .acc = type,
                                    .dims = DIMS_VALUE(n),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, target};
    int64_t row[SPACE_NAMES_MAX];
    struct points points;
    double prior = -1;
    make_row(space, params, row);
    assert_int_equal(point_single(&points, space, row, &error), 0);
    if (speed_estimate_prior(&prior, &points, &context, &error) != 0)
        fail_msg("%s", error.text);
    point_dispose(&points);
    return prior;
}

static void test_formula(void **state)
{
    (void)state;
    enum { KI = 1024 };
    static const struct {
        const char *params;
        enum type type;
        uint64_t n;
        double in_flight, low, high;
    } cases[] = {
        /* 132 SMs of 2048 threads; blocks per SM are those of the grid. */
        {"BLOCK=256 UNROLL=16 VECTOR=4 ITEMS=64 GRID=3", I32, 400000000, 192 * KI, 64 * KI,
         192 * KI},
        {"BLOCK=512 UNROLL=8 VECTOR=4 ITEMS=32 GRID=2", I32, 400000000, 128 * KI, 64 * KI,
         192 * KI},
        {"BLOCK=256 UNROLL=16 VECTOR=4 ITEMS=64 GRID=6", I32, 400000000, 384 * KI, 64 * KI,
         192 * KI},
        {"BLOCK=64 UNROLL=1 VECTOR=4 ITEMS=4 GRID=1", I32, 400000000, KI, 64 * KI, 192 * KI},
        /* One tile per block: as many as 2048 threads are. */
        {"BLOCK=256 UNROLL=1 VECTOR=4 ITEMS=4 GRID=0", I32, 400000000, 32 * KI, 64 * KI,
         192 * KI},
        {"BLOCK=1024 UNROLL=16 VECTOR=4 ITEMS=64 GRID=0", I32, 400000000, 512 * KI, 64 * KI,
         192 * KI},
        /* The last block finishes: another pass, the same bytes. */
        {"FINISH=LAST_BLOCK BLOCK=256 UNROLL=1 VECTOR=4 ITEMS=4 GRID=0", I32, 400000000,
         32 * KI, 64 * KI, 192 * KI},
        /* Elements of 8 bytes. */
        {"BLOCK=256 UNROLL=4 VECTOR=2 ITEMS=8 GRID=2", I64, 400000000, 32 * KI, 64 * KI,
         192 * KI},
        /* 4 MiB: 31775 bytes for each SM; then 4 KiB in all, and nothing. */
        {"BLOCK=256 UNROLL=4 VECTOR=4 ITEMS=16 GRID=0", I32, 1 << 20, 32 * KI,
         (4 << 20) / 132.0, (4 << 20) / 132.0},
        {"BLOCK=256 UNROLL=1 VECTOR=4 ITEMS=4 GRID=0", I32, 1 << 10, 4 * KI, 4 * KI, 4 * KI},
        {"BLOCK=64 UNROLL=1 VECTOR=4 ITEMS=4 GRID=0", I32, 1 << 10, KI, 4 * KI, 4 * KI},
        {"BLOCK=256 UNROLL=4 VECTOR=4 ITEMS=16 GRID=0", I32, 0, 16 * KI, 4 * KI, 4 * KI},
    };
    struct space *space = load_space("configs/reduce.ini");
    const struct target target = find_target("sm_90");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double in_flight = cases[i].in_flight;
        const double octaves = in_flight < cases[i].low    ? log2(cases[i].low / in_flight)
                               : in_flight > cases[i].high ? log2(in_flight / cases[i].high)
                                                           : 0;
        const double prior =
            prior_of(space, &target, cases[i].params, cases[i].type, cases[i].n);
        if (fabs(prior - 1 / (1 + octaves)) > 1e-9)
            fail_msg("%s: %g, not %g", cases[i].params, prior, 1 / (1 + octaves));
    }
    space_free(space);
}

/* What won on an H200 (bench/results) is among the likely, and few others are. */
static void test_winners_are_likely(void **state)
{
    (void)state;
    static const char *const winners[] = {
        "BLOCK=256 ITEMS=64 VECTOR=4 UNROLL=16 WARP=REDUX FINISH=PASSES GRID=3",
        "BLOCK=512 ITEMS=32 VECTOR=4 UNROLL=8 LOAD=NONCOHERENT FINISH=LAST_BLOCK GRID=2",
        "BLOCK=1024 ITEMS=16 VECTOR=4 UNROLL=4 FINISH=LAST_BLOCK GRID=2",
    };
    struct space *space = load_space("configs/reduce.ini");
    const struct target target = find_target("sm_90");
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(400000000),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &target};
    struct points points;
    size_t likely = 0;
    for (size_t i = 0; i < 3; i++)
        assert_true(prior_of(space, &target, winners[i], I32, 400000000) == 1);
    assert_int_equal(point_expand(&points, &context, &error), 0);
    double *prior = calloc(points.count, sizeof *prior);
    assert_non_null(prior);
    assert_int_equal(speed_estimate_prior(prior, &points, &context, &error), 0);
    for (size_t i = 0; i < points.count; i++)
        likely += prior[i] == 1;
    print_message("%zu of %zu candidates are the likeliest\n", likely, points.count);
    assert_true(likely > 100 && likely < points.count / 2);
    free(prior);
    point_dispose(&points);
    space_free(space);
}

static void test_every_prior_is_a_share(void **state)
{
    (void)state;
    static const char *const archs[] = {"sm_70", "sm_90", "sm_120"};
    static const uint64_t counts[] = {0, 1, 1000, 1 << 20, 400000000, UINT64_C(1) << 40};
    struct space *space = load_space("configs/reduce.ini");
    for (size_t a = 0; a < 3; a++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            const struct target target = find_target(archs[a]);
            const struct problem problem = {.op = op_of(SUM),
                                            .type = F32,
                                            .acc = F64,
                                            .dims = DIMS_VALUE(counts[i]),
                                            .regime = COLD};
            const struct point_context context = {space, &problem, &target};
            struct points points;
            assert_int_equal(point_expand(&points, &context, &error), 0);
            double *prior = calloc(points.count, sizeof *prior), least = 1, most = 0;
            assert_non_null(prior);
            assert_int_equal(speed_estimate_prior(prior, &points, &context, &error), 0);
            for (size_t k = 0; k < points.count; k++) {
                least = fmin(least, prior[k]);
                most = fmax(most, prior[k]);
            }
            assert_true(least > 0 && most <= 1 && least < most);
            free(prior);
            point_dispose(&points);
        }
    space_free(space);
}

/* A space of one param P, of which the model and a pass's grid are told. */
static struct space *load_little(const char *model, const char *when)
{
    char bytes[400];
    struct space *space = NULL;
    snprintf(bytes, sizeof bytes,
             "[space]\nname = a\ntemplate = a.cu\nkernel = a\n[param P]\nvalues = 1 2\n%s"
             "[pass a]\nwhen = %s\nblock = 32\ngrid = N\ntile = 1\noutputs = 1\nargs = n\n"
             "height = 1\n[default]\nP = 1\n",
             model, when);
    if (space_load(&space, "a.ini", bytes, strlen(bytes), NULL, &error) != 0)
        fail_msg("%s", error.text);
    return space;
}

static void test_no_model(void **state)
{
    (void)state;
    const struct target target = find_target("sm_90");
    struct space *space = load_little("", "1");
    assert_true(prior_of(space, &target, "P=2", I32, 0) ==
                0); /* not even the pass is looked at */
    space_free(space);
    space = load_little("[model]\nin_flight = P\n", "P == 1");
    assert_true(prior_of(space, &target, "P=1", I32, 50) > 0);
    assert_true(prior_of(space, &target, "P=2", I32, 50) == 0); /* no pass applies */
    space_free(space);
}

static void test_bad_models(void **state)
{
    (void)state;
    static const struct {
        const char *model, *said;
        uint64_t n;
    } cases[] = {
        {"[model]\nin_flight = 1 - P\n", "'in_flight = 1 - P' gives 0 bytes", 5},
        {"[model]\nin_flight = 0 - N\n", "gives -5 bytes", 5},
        {"[model]\nin_flight = 8 / (P - 1)\n", "a.ini:8: ", 5},
        {"[model]\nin_flight = P\n", "'N' gives 0", 0},
    };
    const struct target target = find_target("sm_90");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct space *space = load_little(cases[i].model, "1");
        const struct problem problem = {.op = op_of(SUM),
                                        .type = I32,
                                        .acc = I32,
                                        .dims = DIMS_VALUE(cases[i].n),
                                        .regime = COLD};
        const struct point_context context = {space, &problem, &target};
        const int64_t row[] = {1};
        struct points points;
        double prior;
        assert_int_equal(point_single(&points, space, row, &error), 0);
        assert_int_equal(speed_estimate_prior(&prior, &points, &context, &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        if (!strstr(error.text, cases[i].said) || !strstr(error.text, "a.ini"))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].said);
        point_dispose(&points);
        space_free(space);
    }
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds for 100,000 candidates, here of the full ranges: 1.5 on a slow machine, 15 with a
 * sanitizer and not optimized. */
#if defined(FIBER_ASAN) || defined(FIBER_TSAN)
static const double MOST_S = 30;
#else
static const double MOST_S = 3;
#endif

static void test_fast(void **state)
{
    (void)state;
    struct space *space = load_space("configs/reduce-wide.ini");
    const struct target target = find_target("sm_90");
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(400000000),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &target};
    struct points points;
    assert_int_equal(point_expand(&points, &context, &error), 0);
    double *prior = calloc(points.count, sizeof *prior);
    assert_non_null(prior);
    const double start_s = now_s();
    assert_int_equal(speed_estimate_prior(prior, &points, &context, &error), 0);
    const double seconds = (now_s() - start_s) * 100000 / (double)points.count;
    print_message("%zu candidates; %.3f s for each 100,000\n", points.count, seconds);
    assert_true(seconds < MOST_S);
    free(prior);
    point_dispose(&points);
    space_free(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formula),
        cmocka_unit_test(test_winners_are_likely),
        cmocka_unit_test(test_every_prior_is_a_share),
        cmocka_unit_test(test_no_model),
        cmocka_unit_test(test_bad_models),
        cmocka_unit_test(test_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
