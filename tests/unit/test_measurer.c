/* Tests of autotune/search/measurer.c on the emulator: what it tells of a unit, and when the unit's time is
 * over in the middle of a proof. */
#include "autotune/search/measurer.h"

#include "autotune/device/monotonic.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define DEFAULT "BLOCK=32 ITEMS=2 VECTOR=2 UNROLL=1 WARP=SHUFFLE FINISH=PASSES"
#define OTHER "BLOCK=64 ITEMS=2 VECTOR=2 UNROLL=1 WARP=SHUFFLE FINISH=PASSES"

static struct error error;

/* A measurer, what it says, and a unit of one variant with its shadow. */
struct fixture {
    struct space *space;
    struct device *device;
    struct emit_sources sources;
    struct problem problem, shadow;
    struct point_context context;
    int64_t config[SPACE_NAMES_MAX];
    uint64_t id;
    struct compiled_unit compiled, shadows;
    struct job_unit unit;
    struct measurer measurer;
    struct measurer_rest rest;
    struct job_ready ready;
    int sockets[2];
};

static void set_problem(struct fixture *f)
{
    static const char text[] = "[operation]\nmeaning = m\nlet size = magnitude(x)\n"
                               "map = size <= 1 ? 0.5 * x * x : size - 0.5\ncombine = a + b\n";
    f->problem =
        (struct problem){.type = F32, .acc = F32, .dims = DIMS_VALUE(1000), .regime = COLD};
    assert_int_equal(operation_load(&f->problem.op, "m.ini", text, sizeof text - 1, &error), 0);
}

static void make_unit(struct fixture *f)
{
    const struct point_context shadow = {f->space, &f->shadow, f->context.target};
    make_row(f->space, OTHER, f->config);
    assert_true(check_has_shadow(&f->shadow, &f->context, f->config));
    if (compiler_compile_configs(&f->compiled, f->device, &f->context, &f->sources, f->config,
                                 1, &error) ||
        compiler_compile_configs(&f->shadows, f->device, &shadow, &f->sources, f->config, 1,
                                 &error))
        fail_msg("%s", error.text);
    f->unit = (struct job_unit){.image = f->compiled.image,
                                .shadows = {f->shadows.image},
                                .shadow_count = 1,
                                .count = 1,
                                .samples = 1};
    f->unit.variants[0] = (struct job_variant){.compiled = f->compiled.variants[0],
                                               .count = 1,
                                               .ids = &f->id,
                                               .configs = f->config,
                                               .shadow_image = 1,
                                               .shadow = f->shadows.variants[0]};
}

static int setup(void **state)
{
    static struct fixture fixture;
    struct fixture *f = &fixture;
    const struct device_options options = {.spec = "host", .seed = 5};
    *f = (struct fixture){.space = load_space("configs/reduce.ini"), .sources = load_sources()};
    set_problem(f);
    make_row(f->space, DEFAULT, f->space->default_config);
    if (host_open(&f->device, &options, &error) ||
        socketpair(AF_UNIX, SOCK_STREAM, 0, f->sockets))
        return -1;
    f->context = (struct point_context){f->space, &f->problem, &f->device->info.target};
    make_unit(f);
    if (measurer_open(&f->measurer, f->device, &f->context, &f->sources, 1, f->sockets[1],
                      &f->rest, &f->ready, &error))
        fail_msg("%s", error.text);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    measurer_close(&f->measurer, &f->rest);
    measurer_drop(&f->rest);
    compiler_dispose(&f->compiled);
    compiler_dispose(&f->shadows);
    device_close(f->device);
    space_free(f->space);
    close(f->sockets[0]);
    close(f->sockets[1]);
    return 0;
}

/* Runs the unit, and counts the messages of a kind that it was told of; true when it was cut. */
static bool run_unit(struct fixture *f, size_t told[JOB_OTHER_SPACE + 1])
{
    struct frame frame = {.kind = 0};
    bool is_cut;
    if (measurer_unit(&f->measurer, &f->unit, &is_cut, &error) ||
        job_send(f->sockets[1], JOB_TRIED, &is_cut, sizeof is_cut, &error))
        fail_msg("%s", error.text);
    memset(told, 0, (JOB_OTHER_SPACE + 1) * sizeof *told);
    do {
        assert_int_equal(frame_receive(f->sockets[0], &frame, &error), 1);
        assert_true(frame.kind <= JOB_OTHER_SPACE);
        told[frame.kind]++;
    } while (frame.kind != JOB_TRIED);
    frame_dispose(&frame);
    return is_cut;
}

static void test_unit(void **state)
{
    struct fixture *f = *state;
    size_t told[JOB_OTHER_SPACE + 1];
    assert_false(run_unit(f, told));
    assert_int_equal(told[JOB_PROVEN], 1);
    assert_int_equal(told[JOB_TRIAL], 1);
}

/* A proof takes ten times as long as the unit may: it ends early, and says nothing of the variant. */
static void test_time_is_over(void **state)
{
    struct fixture *f = *state;
    size_t told[JOB_OTHER_SPACE + 1];
    f->unit.seconds = f->ready.prove_s / 10;
    const double start = monotonic_s();
    assert_true(run_unit(f, told));
    printf("cut after %.3f s of %.3f\n", monotonic_s() - start, f->ready.prove_s);
    assert_int_equal(told[JOB_PROVEN], 0);
    assert_int_equal(told[JOB_TRIAL], 0);
    f->unit.seconds = 0;
    assert_false(run_unit(f, told));
    assert_int_equal(told[JOB_PROVEN], 1);
    assert_int_equal(told[JOB_TRIAL], 1);
}

/* Nothing was measured yet: the time does not count. */
static void test_owes_result(void **state)
{
    struct fixture *f = *state;
    size_t told[JOB_OTHER_SPACE + 1];
    f->unit.seconds = f->ready.prove_s / 10;
    f->unit.owes_result = true;
    run_unit(f, told);
    assert_int_equal(told[JOB_PROVEN], 1);
    assert_int_equal(told[JOB_TRIAL], 1);
}

#define WITH_MEASURER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_MEASURER(test_unit),
        WITH_MEASURER(test_time_is_over),
        WITH_MEASURER(test_owes_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
