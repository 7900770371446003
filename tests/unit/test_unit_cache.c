/* Tests of autotune/search/unit_cache.c: which variants of another search are found, and what is kept. */
#include "autotune/search/unit_cache.h"

#include "autotune/device/gpus.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>

static struct error error;

/* What is compiled, for whom; and the last unit, whose variants are these two configs. */
struct fixture {
    struct space *space;
    struct problem problem;
    struct target target;
    struct point_context context;
    struct device_info info;
    struct emit_sources sources;
    struct tune_job job;
    struct unit_cache *cache;
    int64_t a[SPACE_NAMES_MAX], b[SPACE_NAMES_MAX], c[SPACE_NAMES_MAX];
};

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
                          .sources = load_sources()};
    assert_int_equal(gpus_find(&f->target, "sm_90", &error), 0);
    f->context = (struct point_context){f->space, &f->problem, &f->target};
    f->info.target = f->target;
    snprintf(f->info.compiler, sizeof f->info.compiler, "NVRTC 13.0");
    f->job =
        (struct tune_job){.context = &f->context, .sources = &f->sources, .info = &f->info};
    make_row(f->space, "BLOCK=128 ITEMS=32", f->a);
    make_row(f->space, "BLOCK=256 ITEMS=32", f->b);
    make_row(f->space, "BLOCK=128 ITEMS=16", f->c);
    assert_int_equal(unit_cache_open(&f->cache, UNIT_CACHE_BYTES, &error), 0);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    unit_cache_close(f->cache);
    space_free(f->space);
    return 0;
}

/* Adds a unit of a and b, as a worker sends it: its image is `code`. Of `why` b is not compiled. */
static void add(struct fixture *f, const char *code, enum error_code why)
{
    static char names[2][8] = {"first", "second"};
    static struct job_unit unit;
    char bytes[16], *name_of[] = {names[0], names[1]};
    struct frame frame = {.kind = JOB_COMPILED};
    const struct decide_unit variants = {.variants = {70, 71}, .count = 2};
    const int64_t *const configs[] = {f->a, f->b};
    snprintf(bytes, sizeof bytes, "%s", code);
    unit = (struct job_unit){.image = {.bytes = bytes,
                                       .size = sizeof bytes,
                                       .names = name_of,
                                       .count = 2},
                             .count = 2};
    for (size_t i = 0; i < unit.count; i++) {
        struct compiled_variant *compiled = &unit.variants[i].compiled;
        *compiled = (struct compiled_variant){.variant = i, .kernel_of_pass = {(int)i}};
        for (size_t pass = 1; pass < SPACE_PASSES_MAX; pass++)
            compiled->kernel_of_pass[pass] = -1;
        compiled->is_failed = i == 1 && why != ERROR_NONE;
        compiled->reason.code = why;
    }
    assert_int_equal(job_code_unit(&frame, &unit, 0, false, &error), 0);
    struct queued_unit *queued = queued_unit_open(&frame, &variants, 0, &error);
    assert_non_null(queued);
    assert_int_equal(unit_cache_add(f->cache, &f->job, queued, configs, &error), 0);
    queued_unit_free(queued); /* what is kept is a copy */
}

static struct unit_place find(const struct fixture *f, const int64_t *config)
{
    struct unit_place place;
    if (unit_cache_find(&place, f->cache, &f->job, config, &error))
        fail_msg("%s", error.text);
    return place;
}

static void test_found(void **state)
{
    struct fixture *f = *state;
    assert_true(unit_cache_is_empty(f->cache));
    assert_null(find(f, f->a).unit);
    add(f, "code", ERROR_NONE);
    assert_false(unit_cache_is_empty(f->cache));
    const struct unit_place a = find(f, f->a), b = find(f, f->b);
    assert_non_null(a.unit);
    assert_ptr_equal(a.unit, b.unit);
    assert_int_equal(a.at, 0);
    assert_int_equal(b.at, 1);
    assert_string_equal(a.unit->unit.image.bytes, "code");
    assert_string_equal(a.unit->unit.image.names[1], "second");
    assert_int_equal(b.unit->unit.variants[1].compiled.kernel_of_pass[0], 1);
    assert_null(find(f, f->c).unit);
}

/* Neither the size nor params of the launch are in the code. */
static void test_same_code(void **state)
{
    struct fixture *f = *state;
    int64_t launch[SPACE_NAMES_MAX];
    add(f, "code", ERROR_NONE);
    f->problem.dims = (struct dims)DIMS_VALUE(1000);
    make_row(f->space, "BLOCK=128 ITEMS=32 GRID=1", launch);
    assert_non_null(find(f, f->a).unit);
    assert_non_null(find(f, launch).unit);
}

/* Other code, and the same for another architecture, by another compiler, or of another template. */
static void test_other_code(void **state)
{
    struct fixture *f = *state;
    struct text template = {0};
    add(f, "code", ERROR_NONE);
    f->problem.op = op_of(MAX);
    assert_null(find(f, f->a).unit);
    f->problem.op = op_of(SUM);
    f->info.target.cc = 100;
    assert_null(find(f, f->a).unit);
    f->info.target.cc = f->target.cc;
    snprintf(f->info.compiler, sizeof f->info.compiler, "NVRTC 12.8");
    assert_null(find(f, f->a).unit);
    snprintf(f->info.compiler, sizeof f->info.compiler, "NVRTC 13.0");
    f->job.nvrtc = "libnvrtc.so";
    assert_null(find(f, f->a).unit);
    f->job.nvrtc = NULL;
    text_addf(&template, "%s\n__device__ int more;\n", f->sources.template.text);
    f->sources.template.text = template.at;
    assert_null(find(f, f->a).unit);
    f->sources = load_sources();
    assert_non_null(find(f, f->a).unit);
    text_dispose(&template);
}

static void test_last_one_counts(void **state)
{
    struct fixture *f = *state;
    add(f, "old", ERROR_NONE);
    add(f, "new", ERROR_NONE);
    assert_string_equal(find(f, f->a).unit->unit.image.bytes, "new");
}

/* That it does not compile is kept, that the compiler lacks something is not. */
static void test_failures(void **state)
{
    struct fixture *f = *state;
    add(f, "lacks", ERROR_IO);
    assert_non_null(find(f, f->a).unit);
    assert_null(find(f, f->b).unit);
    add(f, "fails", ERROR_FAILED);
    const struct unit_place b = find(f, f->b);
    assert_non_null(b.unit);
    assert_true(b.unit->unit.variants[b.at].compiled.is_failed);
}

/* What is full keeps no more, and is emptied before the next search. */
static void test_full(void **state)
{
    struct fixture *f = *state;
    unit_cache_close(f->cache);
    assert_int_equal(unit_cache_open(&f->cache, 1, &error), 0);
    add(f, "first", ERROR_NONE);
    add(f, "second", ERROR_NONE);
    assert_string_equal(find(f, f->a).unit->unit.image.bytes, "first");
    unit_cache_begin(f->cache);
    assert_true(unit_cache_is_empty(f->cache));
    assert_null(find(f, f->a).unit);
    add(f, "third", ERROR_NONE);
    assert_string_equal(find(f, f->a).unit->unit.image.bytes, "third");
}

static void test_kept_where_there_is_room(void **state)
{
    struct fixture *f = *state;
    add(f, "first", ERROR_NONE);
    unit_cache_begin(f->cache);
    assert_non_null(find(f, f->a).unit);
}

#define WITH_CACHE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CACHE(test_found),
        WITH_CACHE(test_same_code),
        WITH_CACHE(test_other_code),
        WITH_CACHE(test_last_one_counts),
        WITH_CACHE(test_failures),
        WITH_CACHE(test_full),
        WITH_CACHE(test_kept_where_there_is_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
