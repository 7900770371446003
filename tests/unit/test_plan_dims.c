/* Plans of arrays of several axes through the library's public face, on the emulator: every result
 * beside plain loops over shape, strides and axes, of all that lies along the first axis and of
 * less; what is refused and with which words. */
#include "tests/unit/host_plans.h"

#include <inttypes.h>

enum { ROOM = 1 << 16, RESULTS = 4096, NDIM = 8 };

static int32_t elements[ROOM];
static uint64_t results[RESULTS + 1]; /* of either type */

static const struct array {
    const char *op;
    unsigned ndim, axes;
    uint64_t shape[NDIM], strides[NDIM]; /* strides[0] 0: none are given */
} arrays[] = {
    {"sum", 3, 0x2, {4, 20, 30}, {0}},
    {"sum", 4, 0x2, {3, 8, 5, 7}, {0}},
    {"argmin", 3, 0x2, {4, 50, 6}, {0}},
    {"max", 3, 0x2, {5, 9, 7}, {100, 10, 1}},
    {"sum", 5, 0xc, {2, 3, 4, 5, 6}, {0}},
    {"sum", 3, 0x7, {4, 5, 6}, {0}},
    {"sum", 3, 0x6, {40, 5, 6}, {0}},
    {"max", 3, 0x3, {4, 5, 60}, {0}},
    {"argmin", 2, 0x1, {100, 9}, {0}},
    {"sum", 2, 0x2, {1, 300}, {0}},
    {"sum", 3, 0x4, {1, 70, 11}, {0}},
    {"max", 2, 0x2, {300, 7}, {1, 300}}, /* transposed: what is kept is the inner side */
    {"sum", 8, 0x20, {1, 2, 1, 3, 1, 7, 1, 5}, {0}},
    {"sum", 1, 0x1, {500}, {3}},
    {"sum", 4, 0xd, {8, 5, 7, 4}, {0}},
    {"argmin", 4, 0xa, {3, 6, 5, 9}, {0}},
    {"max", 4, 0x5, {6, 4, 7, 33}, {0}},
    {"sum", 3, 0x2, {4, 5, 6}, {200, 30, 3}},
    {"sum", 3, 0x4, {4, 5, 60}, {1000, 64, 1}},
    {"max", 2, 0x3, {40, 30}, {31, 1}},
    {"sum", 2, 0x2, {30, 4}, {9, 2}},
    {"argmin", 3, 0x5, {50, 6, 32}, {0}},
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static int32_t element_at(uint64_t i)
{
    return (int32_t)(i * UINT64_C(0x9e3779b97f4a7c15) >> 60) - 7;
}

static void strides_of(const struct array *array, uint64_t strides[NDIM])
{
    uint64_t stride = 1;
    for (unsigned i = array->ndim; i-- > 0; stride *= array->shape[i])
        strides[i] = array->strides[0] ? array->strides[i] : stride;
}

/* The elements of a result in the order of the combined axes. */
struct folded {
    int64_t sum, most, least;
    uint64_t n, least_at;
};

/* Adds the element of these indices to its result, of which there are as many as what is kept has
 * places, in their order. */
static void fold(const struct array *array, const uint64_t shape[NDIM],
                 const uint64_t strides[NDIM], uint64_t index, struct folded *folded)
{
    uint64_t at[NDIM], result = 0, place = 0;
    for (unsigned i = array->ndim; i-- > 0; index /= shape[i])
        at[i] = index % shape[i];
    for (unsigned i = 0; i < array->ndim; i++) {
        place += at[i] * strides[i];
        if (!(array->axes >> i & 1))
            result = result * shape[i] + at[i];
    }
    struct folded *of = &folded[result];
    const int32_t element = elements[place];
    if (of->n == 0 || element > of->most)
        of->most = element;
    if (of->n == 0 || element < of->least) {
        of->least = element;
        of->least_at = of->n;
    }
    of->sum += element;
    of->n++;
}

static void check_call(struct autotune_workspace *workspace, const struct array *array,
                       uint64_t first)
{
    static struct folded folded[RESULTS];
    uint64_t shape[NDIM], strides[NDIM], all = 1, kept = 1;
    memcpy(shape, array->shape, sizeof shape);
    strides_of(array, strides);
    shape[0] = first;
    for (unsigned i = 0; i < array->ndim; i++) {
        all *= shape[i];
        kept *= array->axes >> i & 1 ? 1 : shape[i];
    }
    memset(folded, 0, sizeof folded);
    memset(results, 0xa5, sizeof results);
    for (uint64_t index = 0; index < all; index++)
        fold(array, shape, strides, index, folded);
    if (autotune_execute(workspace, elements, first, results, NULL, &error))
        fail_msg("%s", error.text);
    for (uint64_t r = 0; r < kept; r++) {
        const int32_t narrow = ((const int32_t *)(const void *)results)[r];
        const bool is_right = array->op[0] == 'a'   ? results[r] == folded[r].least_at
                              : array->op[0] == 's' ? narrow == folded[r].sum
                                                    : narrow == folded[r].most;
        if (!is_right && first > 0)
            fail_msg("array %zu, %" PRIu64 " along the first axis: result %" PRIu64,
                     (size_t)(array - arrays), first, r);
        assert_true(first > 0 || array->op[0] != 's' || narrow == 0);
    }
    const size_t bytes = kept * (array->op[0] == 'a' ? 8 : 4);
    for (size_t i = bytes; i < bytes + 4; i++)
        assert_int_equal(((unsigned char *)results)[i], 0xa5);
}

static struct autotune_dims dims_of(const struct array *array)
{
    return (struct autotune_dims){.size = sizeof(struct autotune_dims),
                                  .ndim = array->ndim,
                                  .axes = array->axes,
                                  .shape = array->shape,
                                  .strides = array->strides[0] ? array->strides : NULL};
}

static void test_every_result(void **state)
{
    (void)state;
    struct autotune_context *context = open_context("/nowhere", NULL);
    for (uint64_t i = 0; i < ROOM; i++)
        elements[i] = element_at(i);
    for (size_t i = 0; i < ARRAYS; i++) {
        const struct array *array = &arrays[i];
        const struct autotune_dims dims = dims_of(array);
        const struct autotune_problem problem = {.op = array->op, .type = "i32", .dims = &dims};
        struct autotune_plan *plan = make_plan(context, &problem, AUTOTUNE_FROM_DEFAULT);
        struct autotune_workspace *workspace = NULL;
        const uint64_t most = array->shape[0];
        assert_int_equal(autotune_plan_n(plan), most);
        assert_int_equal(autotune_workspace_create(&workspace, plan, NULL, NULL, &error), 0);
        check_call(workspace, array, most);
        check_call(workspace, array, most / 2 + 1);
        check_call(workspace, array, 1);
        check_call(workspace, array, 0);
        assert_int_not_equal(autotune_execute(workspace, elements, most + 1, results, NULL,
                                              &error),
                             0);
        assert_non_null(strstr(error.text, "along the first axis"));
        assert_int_equal(autotune_workspace_destroy(workspace, &error), 0);
        assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* --- What is refused ---------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    static const uint64_t two[] = {2, 2, 2, 2, 2, 2}, apart[] = {3, 70, 900, 11000, 130000, 1};
    static const uint64_t shape[] = {3, 4, 5}, none[] = {3, 0, 5}, strides[] = {100, 0, 1},
                          large[] = {1 << 20, 1 << 21, 1 << 22};
    enum { SIZE = sizeof(struct autotune_dims) };
    static const struct {
        struct autotune_dims dims;
        uint64_t n;
        const char *said;
    } cases[] = {
        {{SIZE - 1, 3, 2, shape, NULL, 0, NULL, NULL}, 0, "autotune_dims.size is"},
        {{SIZE, 0, 2, shape, NULL, 0, NULL, NULL}, 0, "autotune_dims.ndim is 0: give 1 to 8"},
        {{SIZE, 9, 2, shape, NULL, 0, NULL, NULL}, 0, "autotune_dims.ndim is 9"},
        {{SIZE, 3, 0, shape, NULL, 0, NULL, NULL}, 0, "autotune_dims.axes is 0"},
        {{SIZE, 3, 8, shape, NULL, 0, NULL, NULL}, 0, "autotune_dims.axes is 0x8"},
        {{SIZE, 3, 2, NULL, NULL, 0, NULL, NULL}, 0, "autotune_dims.shape"},
        {{SIZE, 3, 2, shape, NULL, 0, NULL, NULL}, 7, "leave n, rows, len"},
        {{SIZE, 3, 2, none, NULL, 0, NULL, NULL}, 0, "autotune_dims.shape has a 0"},
        {{SIZE, 3, 2, shape, strides, 0, NULL, NULL}, 0, "autotune_dims.strides has a 0"},
        {{SIZE, 3, 2, large, NULL, 0, NULL, NULL}, 0, "more than any memory holds"},
        {{SIZE, 6, 0x20, two, apart, 0, NULL, NULL}, 0, "what is kept lies as 5 axes"},
    };
    struct autotune_context *context = open_context("/nowhere", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct autotune_problem problem = {.op = "sum",
                                                 .type = "i32",
                                                 .n = cases[i].n,
                                                 .dims = &cases[i].dims};
        struct autotune_plan *plan = NULL;
        if (autotune_plan_create(&plan, context, &problem, NULL, &error) !=
                AUTOTUNE_BAD_ARGUMENT ||
            !strstr(error.text, cases[i].said))
            fail_msg("case %zu: %s", i, error.text);
        assert_null(plan);
    }
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

/* A struct of a later version may be longer by zeros, and by nothing else. */
static void test_longer_struct(void **state)
{
    (void)state;
    static const uint64_t shape[] = {3, 4, 5};
    struct {
        struct autotune_dims dims;
        uint64_t later;
    } longer = {{sizeof longer, 3, 2, shape, NULL, 0, NULL, NULL}, 0};
    struct autotune_context *context = open_context("/nowhere", NULL);
    const struct autotune_problem problem = {.op = "sum", .type = "i32", .dims = &longer.dims};
    struct autotune_plan *plan = make_plan(context, &problem, AUTOTUNE_FROM_DEFAULT);
    assert_int_equal(autotune_plan_results(plan), 15);
    assert_int_equal(autotune_plan_destroy(plan, &error), 0);
    longer.later = 1;
    plan = NULL;
    assert_int_equal(autotune_plan_create(&plan, context, &problem, NULL, &error),
                     AUTOTUNE_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "fields of a later version"));
    assert_int_equal(autotune_context_destroy(context, &error), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_result),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_longer_struct)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
