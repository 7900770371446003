/* Rows, columns and a middle axis without elements, which exports promise to reduce to what changes nothing:
 * on the host device, by kernels of every way of splitting. */
#include "autotune/device/bind.h"
#include "autotune/device/device.h"
#include "generator/call.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>

static struct error error;

enum { RESULTS = 22, ROOM = 1 << 16 };

static const struct {
    const char *name, *params;
} variants[] = {
    {"rows",
     "BLOCK=64 LANES=8 VECTOR=4 ROUNDS=2 UNROLL=2 EDGES=MASKED SPLIT=WHOLE PIECES=0 GRID=0"},
    {"rows",
     "BLOCK=64 LANES=1 VECTOR=4 ROUNDS=2 UNROLL=2 EDGES=SIMPLE SPLIT=WHOLE PIECES=0 GRID=0"},
    {"rows",
     "BLOCK=64 LANES=64 VECTOR=4 ROUNDS=2 UNROLL=1 EDGES=MASKED SPLIT=PARTS PIECES=2 GRID=0"},
    {"rows",
     "BLOCK=64 LANES=64 VECTOR=4 ROUNDS=2 UNROLL=1 EDGES=SIMPLE SPLIT=LAST_BLOCK PIECES=2 "
     "GRID=0"},
    {"columns", "BLOCK=64 LANES=8 VECTOR=4 UNROLL=2 SPLIT=WHOLE PIECES=0"},
    {"columns", "BLOCK=64 LANES=8 VECTOR=1 UNROLL=2 SPLIT=PARTS PIECES=2"},
    {"columns", "BLOCK=64 LANES=8 VECTOR=4 EDGES=MASKED UNROLL=2 SPLIT=LAST_BLOCK PIECES=2"},
    {"middle", "BLOCK=64 LANES=8 VECTOR=4 UNROLL=2 SPLIT=WHOLE PIECES=0 BATCH=SEVERAL"},
    {"strided", "BLOCK=64 WALK=ALONG LANES=8 VECTOR=4 UNROLL=2 SPLIT=WHOLE PIECES=0"},
    {"strided", "BLOCK=64 WALK=ACROSS LANES=8 VECTOR=4 UNROLL=2 SPLIT=LAST_BLOCK PIECES=2"},
    {"middle", "BLOCK=64 LANES=8 VECTOR=4 UNROLL=2 SPLIT=LAST_BLOCK PIECES=2 BATCH=ONE"},
};

/* Runs all passes of a variant; `memory` holds input, output, scratch and state. */
static void run_variant(struct device *device, const struct point_context *context,
                        const struct emit_sources *sources, const int64_t *row, uint64_t memory)
{
    const struct planner_buffers buffers = {memory, memory + ROOM, memory + 2 * ROOM,
                                            memory + 3 * ROOM, 0};
    const struct device_kernel *of_pass[SPACE_PASSES_MAX] = {0};
    struct device_source texts[SPACE_PASSES_MAX];
    struct device_kernel kernels[SPACE_PASSES_MAX];
    struct device_launch launches[PLANNER_LAUNCHES];
    struct device_module *module;
    struct device_image image;
    struct emit_variant variant;
    struct planner_plan plan;
    assert_int_equal(emit_variant(&variant, context, sources, row, &error), 0);
    for (size_t i = 0; i < variant.count; i++)
        texts[i] = (struct device_source){variant.texts[i].at, context->space->kernel};
    if (device->ops->compile(device, texts, variant.count, &image, &error) ||
        device->ops->load(device, &image, &module, kernels, &error) ||
        call_plan(&plan, context, row, &error))
        fail_msg("%s", error.text);
    assert_true(plan.scratch_bytes <= ROOM && plan.state_bytes <= ROOM);
    for (size_t pass = 0; pass < context->space->pass_count; pass++)
        if (variant.text_of_pass[pass] >= 0)
            of_pass[pass] = &kernels[variant.text_of_pass[pass]];
    bind_launches(launches, &plan, context->space, context->problem, of_pass, &buffers, NULL);
    if (device->ops->launch(device, launches, (size_t)plan.count, NULL, &error) ||
        device->ops->sync(device, NULL, &error))
        fail_msg("%s", error.text);
    device->ops->unload(device, module);
    device_dispose_image(&image);
    emit_dispose(&variant);
}

static void check_variant(struct device *device, size_t v)
{
    char space_path[64], template_path[64];
    snprintf(space_path, sizeof space_path, "configs/%s.ini", variants[v].name);
    struct space *space = load_space(space_path);
    snprintf(template_path, sizeof template_path, "templates/%s", space->template_name);
    struct emit_sources sources = load_sources();
    struct problem problem = {.op = op_of(PROD),
                              .type = F32,
                              .acc = F32,
                              .dims = DIMS_VALUE(1 << 20)};
    const struct point_context context = {space, &problem, &device->info.target};
    int64_t row[SPACE_NAMES_MAX];
    float results[RESULTS];
    uint64_t memory;
    sources.template = (struct emit_file){template_path, find_file(template_path)->bytes};
    assert_true(space_find_dims(space, &problem, 1 << 20, 1024, 0));
    assert_int_equal(space_settle_default(space, &problem, &device->info.target, &error), 0);
    make_row(space, variants[v].params, row);
    problem.dims = dims_resized(&problem.dims, RESULTS, 0, 3);
    assert_int_equal(device->ops->alloc(device, 4 * ROOM, &memory, &error), 0);
    assert_int_equal(device->ops->fill(device, memory, 0x7f, 3 * ROOM, NULL, &error), 0);
    assert_int_equal(device->ops->fill(device, memory + 3 * ROOM, 0, ROOM, NULL, &error), 0);
    run_variant(device, &context, &sources, row, memory);
    assert_int_equal(device->ops->read(device, results, memory + ROOM, sizeof results, &error),
                     0);
    for (size_t i = 0; i < RESULTS; i++)
        if (results[i] < 1 || results[i] > 1)
            fail_msg("%s %s: result %zu is %g", variants[v].name, variants[v].params, i,
                     (double)results[i]);
    device->ops->free(device, memory);
    space_free(space);
}

static void test_identity(void **state)
{
    const struct device_options options = {"host", NULL, 1};
    struct device *device;
    (void)state;
    assert_int_equal(device_open(&device, &options, &error), 0);
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
        check_variant(device, v);
    device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_identity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
