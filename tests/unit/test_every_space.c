/* Tests of the spaces that come with the program: each problem that one serves has points that its
 * rules and prunes leave, and a default that its rules allow, on old and new architectures and on
 * GPUs of one, four and sixteen SMs. */
#include "autotune/device/gpus.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdlib.h>
#include <string.h>

static struct error error;

/* Of kernels of one value and of scans: elements. Of a matrix: those of each result, and all. */
static const uint64_t counts[] = {1,       1000,     65536,     1000000,
                                  8388608, 30000000, 400000000, UINT64_C(1) << 32};
static const uint64_t depths[] = {1, 3, 33, 1000, 65536, 4000000};
enum { COUNTS = sizeof counts / sizeof *counts, DEPTHS = sizeof depths / sizeof *depths };

enum { TARGETS_MAX = 8, FOUND_MAX = 96 };

/* The oldest and the newest architecture, and one between with all that there is; the newest also with
 * few SMs and a small cache. */
static size_t find_targets(struct target targets[TARGETS_MAX])
{
    static const char *const archs[] = {"sm_75", "sm_90", "sm_120"};
    static const int sms[] = {1, 4, 16};
    size_t count = 0;
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        assert_int_equal(gpus_find(&targets[count++], archs[i], &error), 0);
    for (size_t i = 0; i < sizeof sms / sizeof *sms; i++, count++) {
        targets[count] = targets[count - 1];
        targets[count].sms = sms[i];
        targets[count].l2_bytes = UINT64_C(1) << 20;
    }
    return count;
}

struct seen {
    size_t problems, wrong;
    int64_t found[FOUND_MAX]
                 [SPACE_NAMES_MAX]; /* points of earlier problems: the last found_count */
    size_t found_count;
};

static void complain(struct seen *seen, const struct point_context *context, const char *what)
{
    char words[PROBLEM_CHARS];
    print_error("%s of %s: %s on sm_%d with %d SMs: %s\n", what, context->space->name,
                problem_format(words, context->problem), context->target->cc,
                context->target->sms, error.text);
    seen->wrong++;
}

/* Is a point known, the default or one of those found? With EVERY=1 each problem's are walked. */
static bool is_point_known(const struct seen *seen, const struct point_context *context)
{
    if (getenv("EVERY"))
        return false;
    if (point_prune(context, context->space->default_config, &error) == POINT_VALID)
        return true;
    for (size_t i = 0; i < FOUND_MAX && i < seen->found_count; i++)
        if (point_prune(context, seen->found[i], &error) == POINT_VALID)
            return true;
    return false;
}

/* Walks through all points, and keeps the first, the last and one between for other problems. */
static void find_points(struct seen *seen, const struct point_context *context)
{
    struct points points;
    if (point_expand(&points, context, &error)) {
        complain(seen, context, "points");
        return;
    }
    const size_t kept[] = {0, points.count / 2, points.count - 1};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        memcpy(seen->found[seen->found_count++ % FOUND_MAX],
               points.configs + kept[i] * points.width, points.width * sizeof *points.configs);
    point_dispose(&points);
}

static void try_problem(struct seen *seen, struct space *space, const struct problem *problem,
                        const struct target *target)
{
    const struct point_context context = {space, problem, target};
    seen->problems++;
    if (space_settle_default(space, problem, target, &error) ||
        point_reject(&context, space->default_config, &error) != POINT_VALID)
        complain(seen, &context, "default");
    if (!is_point_known(seen, &context))
        find_points(seen, &context);
}

/* The sizes of the problem that the space serves. */
static void try_sizes(struct seen *seen, struct space *space, struct problem problem,
                      const struct target *target)
{
    for (size_t i = 0; i < COUNTS; i++)
        for (size_t d = 0; d < DEPTHS; d++) {
            struct problem sized = problem;
            if (depths[d] > counts[i] ||
                !space_find_dims(space, &sized, counts[i], depths[d], d % 2))
                continue;
            if (d > 0 && dims_kept(&sized.dims) <= 1)
                continue; /* n alone counts */
            try_problem(seen, space, &sized, target);
        }
}

static void test_space_of(void **state)
{
    static const enum op ops[] = {SUM, ARGMIN};
    static const enum type types[] = {I8, F32, F64};
    const char *name = *state;
    struct target targets[TARGETS_MAX];
    const size_t target_count = find_targets(targets);
    struct space *space = load_space(name);
    struct seen seen = {0};
    for (size_t t = 0; t < target_count; t++)
        for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
            for (size_t k = 0; k < sizeof types / sizeof *types; k++)
                for (int order = 0; order < ORDER_COUNT; order++)
                    for (int scan = 0; scan < DIMS_SCANS; scan++) {
                        struct problem problem = {.op = op_of(ops[i]),
                                                  .type = types[k],
                                                  .acc = problem_default_acc(types[k]),
                                                  .order = (enum order)order,
                                                  .regime = COLD};
                        problem.dims.scan = (enum dims_scan)scan;
                        if (problem_check(&problem, &error) == 0)
                            try_sizes(&seen, space, problem, &targets[t]);
                    }
    space_free(space);
    assert_true(seen.problems > 40);
    print_message("%zu of %zu problems walked whole\n", seen.found_count / 3, seen.problems);
    if (seen.wrong)
        fail_msg("%zu of %zu problems have no points or no default", seen.wrong, seen.problems);
}

int main(void)
{
    static const char *const names[] =
        {"configs/axes.ini",         "configs/reduce.ini",
         "configs/arg.ini",          "configs/rows.ini",
         "configs/columns.ini",      "configs/scan.ini",
         "configs/scan-rows.ini",    "configs/ordered.ini",
         "configs/ordered-rows.ini", "configs/ordered-columns.ini",
         "configs/middle.ini",       "configs/strided.ini",
         "configs/segments.ini"};
    /* A prune that was found on a large GPU may leave nothing on a small one: as of scans, whose
     * tiles were to be few for each SM. */
    struct CMUnitTest tests[sizeof names / sizeof *names];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = test_space_of,
                                       .initial_state = (void *)(uintptr_t)names[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
