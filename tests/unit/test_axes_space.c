/* Tests the space axes: that its five axes are fully crossed, as far as a tile can have such loads,
 * that nothing else varies, and that it is searched whole. */
#include "autotune/device/gpus.h"
#include "autotune/search/strategy.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>

enum { AXES = 5 };
static const char *const axes[AXES] = {"BLOCK", "ITEMS", "VECTOR", "UNROLL", "WARP"};

static struct error error;

static int find_param(const struct space *space, const char *name)
{
    const int at = space_find_param(space, name, strlen(name));
    assert_true(at >= 0);
    return at;
}

static bool is_axis(const char *name)
{
    for (size_t i = 0; i < AXES; i++)
        if (strcmp(axes[i], name) == 0)
            return true;
    return false;
}

/* How many of the points have these values of the axes. */
static size_t count_with(const struct points *points, const struct space *space,
                         const int64_t wanted[AXES])
{
    int at[AXES];
    size_t count = 0;
    for (size_t a = 0; a < AXES; a++)
        at[a] = find_param(space, axes[a]);
    for (size_t i = 0; i < points->count; i++) {
        bool is_so = true;
        for (size_t a = 0; a < AXES; a++)
            is_so = is_so && points->configs[i * points->width + (size_t)at[a]] == wanted[a];
        count += is_so;
    }
    return count;
}

/* Of a crossing each combination is there once; loads are whole, at most so wide, and unrolled
 * evenly. */
static size_t check_crossed(const struct points *points, const struct space *space,
                            int64_t vector_most)
{
    static const int64_t blocks[] = {32, 64, 128, 256, 512, 1024};
    size_t count = 0;
    int64_t shuffle, volatiles;
    const struct param *warp = &space->params[find_param(space, "WARP")];
    assert_int_equal(space_find_value(warp, "SHUFFLE", 7, &shuffle), 0);
    assert_int_equal(space_find_value(warp, "VOLATILE", 8, &volatiles), 0);
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
        for (int64_t items = 1; items <= 64; items *= 2)
            for (int64_t vector = 1; vector <= vector_most && vector <= items; vector *= 2)
                for (int64_t unroll = 1; unroll <= 16 && unroll <= items / vector; unroll *= 2)
                    for (int w = 0; w < 2; w++) {
                        const int64_t wanted[AXES] = {blocks[b], items, vector, unroll,
                                                      w ? volatiles : shuffle};
                        assert_int_equal(count_with(points, space, wanted), 1);
                        count++;
                    }
    return count;
}

static void check_type(enum type type, const char *arch, int64_t vector_most, size_t wanted)
{
    struct space *space = load_space("configs/axes.ini");
    struct target target;
    struct points points;
    const struct problem problem = {.op = op_of(SUM),
                                    .type = type,
                                    .acc = problem_default_acc(type),
                                    .regime = COLD,
                                    .dims = dims_value(400000000)};
    const struct point_context context = {space, &problem, &target};
    assert_int_equal(gpus_find(&target, arch, &error), 0);
    if (point_expand(&points, &context, &error))
        fail_msg("%s", error.text);
    assert_int_equal(points.count, wanted);
    assert_int_equal(check_crossed(&points, space, vector_most), wanted);
    for (size_t p = 0; p < space->param_count; p++)
        for (size_t i = 1; i < points.count && !is_axis(space->params[p].name); i++)
            assert_int_equal(points.configs[i * points.width + p], points.configs[p]);
    assert_int_equal(space_settle_default(space, &problem, &target, &error), 0);
    assert_int_equal(point_prune(&context, space->default_config, &error), POINT_VALID);
    point_dispose(&points);
    space_free(space);
}

static void test_crossed(void **state)
{
    (void)state;
    check_type(I32, "sm_90", 4, 720);
    check_type(F64, "sm_90", 2, 540);
    check_type(F16, "sm_90", 8, 840);
    check_type(I8, "sm_75", 16, 912);
    check_type(F32, "sm_120", 8, 840); /* whose loads have up to 32 bytes */
}

static void test_searched_whole(void **state)
{
    (void)state;
    struct space *space = load_space("configs/axes.ini");
    struct space *usual = load_space("configs/reduce.ini");
    assert_string_equal(space->strategy.name, "exhaustive");
    assert_string_equal(space->strategy.file, "configs/axes.ini");
    assert_true(space->strategy.line > 0);
    assert_true(strategy_space_is_whole(space));
    assert_null(usual->strategy.name);
    assert_false(strategy_space_is_whole(usual));
    usual->strategy.name = "random";
    assert_false(strategy_space_is_whole(usual));
    space_free(usual);
    space_free(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crossed),
        cmocka_unit_test(test_searched_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
