/* What order n promises, through the library on the emulator: the bits of autotune_reference.h, for
 * values wherever they start, for rows alone, among others and with a pitch, for columns as for
 * rows, and for unequal parts. */
#include "tests/unit/host_plans.h"

#include "generator/random.h"
#include "include/autotune_reference.h"

#include <math.h>

enum { N_MAX = 9000, STARTS = 16, ROWS = 37 };

static const struct kind {
    const char *op, *type, *acc;
    size_t element, result;
} kinds[] = {
    {"sum", "f16", "f32", 2, 4},   {"sum", "bf16", "f64", 2, 8},  {"sumsq", "f32", "f32", 4, 4},
    {"prod", "f64", "f64", 8, 8},  {"sum", "f32", "f32", 4, 4},   {"sumsq", "f64", "f64", 8, 8},
    {"prod", "bf16", "f32", 2, 4}, {"sumsq", "f16", "f64", 2, 8},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static uint64_t memory[2 * ROWS * 1200];

/* Around one, whatever the type. */
static void fill(const struct kind *kind, unsigned char *at, size_t count)
{
    uint64_t random = 5;
    for (size_t i = 0; i < count; i++, at += kind->element) {
        const uint64_t word = random_next(&random);
        const float narrow =
            (float)((word & 1 ? -1 : 1) * exp2((double)(word >> 11) * 0x1p-52 - 1));
        const double wide = (double)narrow * (1 + 0x1p-40 * (double)(word >> 50));
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        const uint16_t upper = (uint16_t)(bits >> 16),
                       half = (uint16_t)((word & 1) << 15 | 0x3800 | (word >> 20 & 0x7ff));
        memcpy(at,
               kind->element == 8          ? (const void *)&wide
               : kind->element == 4        ? (const void *)&narrow
               : strcmp(kind->type, "f16") ? (const void *)&upper
                                           : (const void *)&half,
               kind->element);
    }
}

static struct autotune_problem problem_of(const struct kind *kind)
{
    return (struct autotune_problem){.op = kind->op,
                                     .type = kind->type,
                                     .acc = kind->acc,
                                     .order = AUTOTUNE_ORDER_BY_N};
}

/* Runs a plan of the default variant once. */
static void run(struct autotune_context *context, const struct autotune_problem *problem,
                const void *input, uint64_t n, void *output)
{
    struct autotune_plan *plan = make_plan(context, problem, AUTOTUNE_FROM_DEFAULT);
    struct autotune_workspace *workspace;
    if (autotune_workspace_create(&workspace, plan, NULL, NULL, &error) ||
        autotune_execute(workspace, input, n, output, NULL, &error) ||
        autotune_workspace_destroy(workspace, &error) || autotune_plan_destroy(plan, &error))
        fail_msg("%s", error.text);
}

static void reference(const struct kind *kind, const void *x, uint64_t n, uint64_t stride,
                      void *y)
{
    assert_int_equal(autotune_reference(y, kind->op, kind->type, kind->acc, x, n, stride), 0);
}

static void test_values(void **state)
{
    struct autotune_context *context = open_context(folder, NULL);
    (void)state;
    for (size_t k = 0; k < KINDS; k++)
        for (size_t start = 0; start < STARTS; start++) {
            const struct kind *kind = &kinds[k];
            unsigned char *x = (unsigned char *)memory + start * kind->element;
            const uint64_t n = N_MAX - 1021 * (start % 8);
            struct autotune_problem problem = problem_of(kind);
            uint64_t got = 0, want = 0;
            problem.n = N_MAX;
            fill(kind, x, n);
            run(context, &problem, x, n, &got);
            reference(kind, x, n, 1, &want);
            assert_memory_equal(&got, &want, kind->result);
        }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* Row r among `rows`, `pitch` apart, and column r of the matrix that lies there transposed. */
static void check_matrix(struct autotune_context *context, const struct kind *kind,
                         uint64_t rows, uint64_t len, uint64_t pitch, int axis)
{
    const uint64_t results = axis ? rows : len;
    struct autotune_problem problem = problem_of(kind);
    uint64_t got[ROWS * 4 + 1];
    problem.rows = rows;
    problem.len = len;
    problem.pitch = pitch;
    problem.axis = axis;
    assert_true(results * kind->result <= sizeof got);
    run(context, &problem, memory, rows, got);
    for (uint64_t r = 0; r < results; r++) {
        uint64_t want = 0;
        reference(kind, (unsigned char *)memory + r * (axis ? pitch : 1) * kind->element,
                  axis ? len : rows, axis ? 1 : pitch, &want);
        assert_memory_equal((unsigned char *)got + r * kind->result, &want, kind->result);
    }
}

static void test_matrices(void **state)
{
    static const uint64_t lens[] = {1, 7, 16, 100, 129, 1000, 1025};
    struct autotune_context *context = open_context(folder, NULL);
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        fill(&kinds[k], (unsigned char *)memory, sizeof memory / 8);
        for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
            check_matrix(context, &kinds[k], i % 2 ? 1 : ROWS, lens[i], lens[i], 1);
            check_matrix(context, &kinds[k], 7, lens[i], lens[i] + 5, 1);
            check_matrix(context, &kinds[k], lens[i], 33, i % 2 ? 33 : 40, 0);
        }
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

static void test_parts(void **state)
{
    static const uint64_t cuts[] = {0, 3 * AUTOTUNE_LEAF, 4 * AUTOTUNE_LEAF, N_MAX};
    struct autotune_context *context = open_context(folder, NULL);
    (void)state;
    for (size_t k = 0; k < KINDS; k++) {
        const struct kind *kind = &kinds[k];
        const unsigned char *x = (const unsigned char *)memory;
        struct autotune_subtree all[3 * AUTOTUNE_SUBTREES];
        struct autotune_problem problem = problem_of(kind);
        uint64_t got = 0, want = 0;
        size_t count = 0;
        problem.n = N_MAX;
        fill(kind, (unsigned char *)memory, N_MAX);
        for (size_t p = 0; p < 3; p++)
            count += (size_t)autotune_subtrees(all + count, cuts[p], cuts[p + 1], N_MAX);
        for (size_t i = 0; i < count; i++) {
            union {
                float narrow;
                double wide;
            } value;
            run(context, &problem, x + all[i].first * kind->element, all[i].count, &value);
            all[i].value = kind->result == 4 ? (double)value.narrow : value.wide;
        }
        assert_int_equal(autotune_combine(&got, kind->op, kind->acc, all, count, N_MAX), 0);
        reference(kind, x, N_MAX, 1, &want);
        assert_memory_equal(&got, &want, kind->result);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
