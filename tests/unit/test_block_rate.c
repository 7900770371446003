/* The rate of blocks: the median of a device's times, of the launch that was asked for; a failure of each
 * step; and the emulator's. */
#include "autotune/measure/block_rate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A device that answers with times of ours, and fails at one step. */
enum step { NONE, COMPILE, LOAD, PREPARE, TIME };
static struct {
    enum step fails;
    unsigned grid, block;
    size_t timed, loaded, prepared;
} seen;

static int answer(enum step step, struct error *error)
{
    return seen.fails == step ? error_set(error, ERROR_FAILED, "step %d", (int)step) : 0;
}

static int compile(struct device *device, const struct device_source *sources, size_t count,
                   struct device_image *out, struct error *error)
{
    (void)device;
    assert_non_null(strstr(sources->text, "{ }"));
    assert_int_equal(count, 1);
    memset(out, 0, sizeof *out);
    return answer(COMPILE, error);
}

static int load(struct device *device, const struct device_image *image,
                struct device_module **out, struct device_kernel *kernels, struct error *error)
{
    (void)device;
    (void)image;
    (void)out;
    memset(kernels, 0, sizeof *kernels);
    seen.loaded += seen.fails != LOAD;
    return answer(LOAD, error);
}

static void unload(struct device *device, struct device_module *module)
{
    (void)device;
    (void)module;
    seen.loaded--;
}

static int prepare(struct device *device, const struct device_launch *launches, size_t count,
                   struct device_graph **out, struct error *error)
{
    (void)device;
    (void)out;
    assert_int_equal(count, 1);
    seen.grid = launches->grid;
    seen.block = launches->block;
    seen.prepared += seen.fails != PREPARE;
    return answer(PREPARE, error);
}

static int time_graph(struct device *device, struct device_graph *graph,
                      const struct device_launch *before, size_t before_count, uint64_t *out_ps,
                      struct error *error)
{
    static const uint64_t us[] = {900, 2, 1, 2, 3}; /* the first warms up */
    (void)device;
    (void)graph;
    (void)before;
    (void)before_count;
    *out_ps = us[seen.timed++ % 5] * 1000000 - 1;
    return answer(TIME, error);
}

static void release(struct device *device, struct device_graph *graph)
{
    (void)device;
    (void)graph;
    seen.prepared--;
}

static const struct device_ops ops = {.compile = compile,
                                      .load = load,
                                      .unload = unload,
                                      .prepare = prepare,
                                      .time = time_graph,
                                      .release = release};

static void test_rate(void **state)
{
    struct device device = {.ops = &ops};
    struct error error;
    double rate = 0;
    (void)state;
    memset(&seen, 0, sizeof seen);
    assert_int_equal(block_rate_measure(&device, 4000, &rate, &error), 0);
    assert_true(rate > 1.999e9 && rate < 2.001e9); /* 4000 in 2 us */
    assert_int_equal(seen.grid, 4000);
    assert_int_equal(seen.block, 32);
    assert_int_equal(seen.timed, 5);
    assert_int_equal(seen.loaded + seen.prepared, 0);
}

static void test_failures(void **state)
{
    struct device device = {.ops = &ops};
    (void)state;
    for (enum step step = COMPILE; step <= TIME; step++) {
        struct error error;
        double rate = -1;
        memset(&seen, 0, sizeof seen);
        seen.fails = step;
        assert_int_equal(block_rate_measure(&device, 4000, &rate, &error), -1);
        assert_true(error.text[5] == (char)('0' + step));
        assert_int_equal(seen.loaded + seen.prepared, 0);
    }
}

static void test_host(void **state)
{
    const struct device_options options = {.spec = "host", .seed = 1};
    struct device *device;
    struct error error;
    double rate = 0;
    (void)state;
    assert_int_equal(device_open(&device, &options, &error), 0);
    if (block_rate_measure(device, 64, &rate, &error))
        fail_msg("%s", error.text);
    assert_true(rate > 0 && rate < 1e9);
    device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
