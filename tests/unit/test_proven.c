/* Tests of autotune/search/proven.c: what is the very same proof, and what is another. */
#include "autotune/search/proven.h"

#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

static struct error error;

struct fixture {
    struct space *space;
    struct problem problem;
    struct target target;
    struct point_context context;
    char bytes[8];
    struct device_image image;
    struct compiled_variant compiled;
    int64_t wide[SPACE_NAMES_MAX], narrow[SPACE_NAMES_MAX];
    struct check_configs configs;
    enum proven_what what;
    struct proven proven;
};

static bool has(const struct fixture *f)
{
    const struct proven_key key =
        proven_key(&f->context, &f->image, &f->compiled, &f->configs, f->what);
    return proven_has(&f->proven, &key);
}

/* A proof of a run of elements is known. */
static int setup(void **state)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    *f = (struct fixture){.space = load_space("configs/reduce.ini"),
                          .problem = {.op = op_of(SUM),
                                      .type = I32,
                                      .acc = I32,
                                      .dims = DIMS_VALUE(400000000),
                                      .regime = COLD},
                          .bytes = "machine",
                          .compiled = {.kernel_of_pass = {0, 1}}};
    f->context = (struct point_context){f->space, &f->problem, &f->target};
    f->image = (struct device_image){.bytes = f->bytes, .size = sizeof f->bytes, .count = 2};
    make_row(f->space, "BLOCK=128", f->wide);
    make_row(f->space, "BLOCK=128 GRID=1", f->narrow);
    f->configs = (struct check_configs){f->wide, f->narrow};
    assert_false(has(f));
    const struct proven_key key =
        proven_key(&f->context, &f->image, &f->compiled, &f->configs, f->what);
    assert_int_equal(proven_add(&f->proven, &key, &error), 0);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    proven_dispose(&f->proven);
    assert_false(has(f));
    space_free(f->space);
    return 0;
}

static void test_another_n(void **state)
{
    struct fixture *f = *state;
    assert_true(has(f));
    f->problem.dims = dims_value(1000);
    assert_true(has(f));
    f->problem.regime = WARM;
    assert_true(has(f));
}

/* Whatever else differs, it is another proof. */
static void test_others(void **state)
{
    struct fixture *f = *state;
    const struct problem problems[] =
        {{.op = op_of(MAX), .type = I32, .acc = I32, .dims = DIMS_VALUE(1000), .regime = COLD},
         {.op = op_of(SUM), .type = U32, .acc = I32, .dims = DIMS_VALUE(1000), .regime = COLD},
         {.op = op_of(SUM), .type = I32, .acc = I64, .dims = DIMS_VALUE(1000), .regime = COLD},
         {.op = op_of(SUM),
          .type = I32,
          .acc = I32,
          .dims = DIMS_VALUE(1000),
          .regime = COLD,
          .order = ORDER_RUN}};
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        f->problem = problems[i];
        assert_false(has(f));
    }
    f->problem = problems[0];
    f->problem.op = op_of(SUM);
    assert_true(has(f));
    f->problem.dims = dims_run(1000, DIMS_INCLUSIVE);
    assert_false(has(f));
    f->problem.dims = dims_value(1000);
    f->bytes[3]++;
    assert_false(has(f));
    f->bytes[3]--;
    f->compiled.kernel_of_pass[1] = -1;
    assert_false(has(f));
    f->compiled.kernel_of_pass[1] = 1;
    f->configs.narrow = f->wide;
    assert_false(has(f));
    f->configs.narrow = f->narrow;
    assert_true(has(f));
    f->what = PROVEN_SPECIALS;
    assert_false(has(f));
    f->what = PROVEN_SMALL;
    f->space->hash++;
    assert_false(has(f));
}

/* Small cases of rows follow the shape: each is proven. */
static void test_other_rows(void **state)
{
    struct fixture *f = *state;
    f->problem.dims = (struct dims){.outer = {10, 64}, .depth = {64, 1}, .inner = {1, 1}};
    const struct proven_key key =
        proven_key(&f->context, &f->image, &f->compiled, &f->configs, f->what);
    assert_int_equal(proven_add(&f->proven, &key, &error), 0);
    assert_true(has(f));
    f->problem.dims.outer.n = 11;
    assert_false(has(f));
}

#define WITH_PROOF(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_PROOF(test_another_n),
        WITH_PROOF(test_others),
        WITH_PROOF(test_other_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
