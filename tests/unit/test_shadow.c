/* Tests of the shadow's kernels in check_small.c: which of those that are offered a proof takes, and
 * which it compiles. */
#include "autotune/verify/check_small.h"
#include "autotune/verify/loaded.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>

enum { POSITIONS = 16 };
#define PARAMS "BLOCK=32 ITEMS=2 VECTOR=2 UNROLL=1 FINISH=PASSES"

static struct error error;

struct fixture {
    struct space *space;
    struct device *device;
    struct device_ops ops; /* the device's, but for compile */
    struct emit_sources sources;
    struct problem problem, shadow;
    struct point_context context;
    int64_t config[SPACE_NAMES_MAX];
    struct loaded loaded; /* of the config */
    struct compiled_unit offered;
    struct check *check;
};

static int (*compile)(struct device *device, const struct device_source *sources, size_t count,
                      struct device_image *out, struct error *cause);
static unsigned compiles;

static int count_compile(struct device *device, const struct device_source *sources,
                         size_t count, struct device_image *out, struct error *cause)
{
    compiles++;
    return compile(device, sources, count, out, cause);
}

static void open_check(struct fixture *f)
{
    if (check_open(&f->check, f->device, &f->problem, &f->sources, POSITIONS, 1, &error))
        fail_msg("%s", error.text);
}

static void reopen(struct fixture *f)
{
    check_close(f->check);
    compiler_dispose(&f->offered);
    open_check(f);
}

static int setup(void **state)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    const struct device_options options = {.spec = "host", .seed = 5};
    *f = (struct fixture){.space = load_space("configs/reduce.ini"),
                          .sources = load_sources(),
                          .problem = {.type = I32,
                                      .acc = I32,
                                      .dims = DIMS_VALUE(1000),
                                      .regime = COLD}};
    if (operation_find(&f->problem.op, "asum", &error) ||
        host_open(&f->device, &options, &error))
        return -1;
    f->ops = *f->device->ops;
    compile = f->ops.compile;
    f->ops.compile = count_compile;
    f->device->ops = &f->ops;
    f->context = (struct point_context){f->space, &f->problem, &f->device->info.target};
    make_row(f->space, PARAMS, f->config);
    assert_true(check_has_shadow(&f->shadow, &f->context, f->config));
    if (loaded_open(&f->loaded, f->device, &f->context, &f->sources, f->config, 1, &error))
        return -1;
    open_check(f);
    compiles = 0;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    check_close(f->check);
    loaded_close(&f->loaded);
    compiler_dispose(&f->offered);
    device_close(f->device);
    space_free(f->space);
    return 0;
}

/* Compiles what is offered: the config's kernels for a problem. */
static void offer(struct fixture *f, const struct problem *problem, const int64_t *config)
{
    const struct point_context context = {f->space, problem, f->context.target};
    if (compiler_compile_configs(&f->offered, f->device, &context, &f->sources, config, 1,
                                 &error))
        fail_msg("%s", error.text);
    check_offer_shadow(f->check, &f->offered.image, f->offered.variants);
    compiles = 0;
}

static struct check_outcome prove(struct fixture *f, const int64_t *config)
{
    const struct check_configs configs = {config, config};
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct check_outcome outcome;
    loaded_kernels(&f->loaded, 0, kernels);
    if (check_small(f->check, &f->context, configs, kernels, CHECK_ALL, &outcome, &error))
        fail_msg("%s", error.text);
    return outcome;
}

/* Once for all launches of a variant. */
static void test_compiled_on_the_way(void **state)
{
    struct fixture *f = *state;
    int64_t other[SPACE_NAMES_MAX];
    make_row(f->space, PARAMS " GRID=3", other);
    const struct check_outcome first = prove(f, f->config);
    assert_true(first.is_right && first.cases > 0);
    assert_int_equal(compiles, 1);
    assert_true(prove(f, other).is_right);
    assert_int_equal(compiles, 1);
}

static void test_taken(void **state)
{
    struct fixture *f = *state;
    const uint64_t cases = prove(f, f->config).cases;
    reopen(f);
    offer(f, &f->shadow, f->config);
    const struct check_outcome outcome = prove(f, f->config);
    assert_true(outcome.is_right);
    assert_int_equal(outcome.cases, cases);
    assert_int_equal(compiles, 0);
}

/* Kernels of another config, and the config's own. */
static void test_of_another_text(void **state)
{
    struct fixture *f = *state;
    const struct problem *const problems[] = {&f->shadow, &f->problem};
    int64_t other[SPACE_NAMES_MAX];
    make_row(f->space, "BLOCK=64 ITEMS=2 VECTOR=2 UNROLL=1 FINISH=PASSES", other);
    const int64_t *const configs[] = {other, f->config};
    for (size_t i = 0; i < 2; i++) {
        reopen(f);
        offer(f, problems[i], configs[i]);
        assert_true(prove(f, f->config).is_right);
        assert_int_equal(compiles, 1);
    }
}

/* What is taken is what runs. */
static void test_wrong(void **state)
{
    struct fixture *f = *state;
    struct problem other = f->shadow;
    offer(f, &f->shadow, f->config);
    const uint64_t hash = f->offered.variants[0].sources_hash;
    compiler_dispose(&f->offered);
    other.op = op_of(XOR);
    offer(f, &other, f->config);
    f->offered.variants[0].sources_hash = hash;
    const struct check_outcome outcome = prove(f, f->config);
    assert_false(outcome.is_right);
    assert_non_null(strstr(outcome.reason, "with the plain sum i32 in its place: wrong"));
}

static void test_does_not_compile(void **state)
{
    struct fixture *f = *state;
    offer(f, &f->shadow, f->config);
    f->offered.variants[0].is_failed = true;
    error_set(&f->offered.variants[0].reason, ERROR_FAILED, "no such type");
    const struct check_outcome outcome = prove(f, f->config);
    assert_false(outcome.is_right);
    assert_string_equal(outcome.reason, "with the plain sum i32 in its place: no such type");
    assert_int_equal(compiles, 0);
}

/* Past its time a proof ends before the shadow's first launch; the next one is whole. */
static void test_limit(void **state)
{
    struct fixture *f = *state;
    const uint64_t cases = prove(f, f->config).cases;
    check_limit(f->check, 1e-9);
    const struct check_outcome cut = prove(f, f->config);
    assert_true(cut.is_cut && !cut.is_right);
    assert_int_equal(cut.cases, 0);
    check_limit(f->check, 0);
    const struct check_outcome whole = prove(f, f->config);
    assert_true(whole.is_right && !whole.is_cut);
    assert_int_equal(whole.cases, cases);
}

#define WITH_CHECK(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CHECK(test_compiled_on_the_way), WITH_CHECK(test_taken),
        WITH_CHECK(test_of_another_text),     WITH_CHECK(test_wrong),
        WITH_CHECK(test_does_not_compile),    WITH_CHECK(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
