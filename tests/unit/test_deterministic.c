/* What --order run promises: of a covering sample of the variants that it keeps, each gives
 * the same bits whatever order warps and blocks run in; and those that it leaves out do not, so
 * that a rule too few, or an order that is not fixed, is seen. A third of them is tried a day. */
#include "autotune/device/bind.h"
#include "autotune/verify/compiler.h"
#include "autotune/verify/oracle.h"
#include "generator/call.h"
#include "generator/pair_cover.h"
#include "tests/unit/is_turn.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>
#include <stdlib.h>

enum { N = 60013, SEEDS = 2, ALL_SEEDS = 3, RACY_SEEDS = 12, PARTS = 3 };

struct fixture {
    struct space *space;
    struct emit_sources sources;
    struct target target;
    float elements[N];
};

static struct device *open_host(uint64_t seed)
{
    const struct device_options options = {.spec = "host", .seed = seed};
    struct device *device;
    struct error error;
    if (host_open(&device, &options, &error) != 0)
        fail_msg("%s", error.text);
    return device;
}

/* The elements on a device, and room for all else. */
struct place {
    struct device *device;
    uint64_t input, output, scratch;
};

enum { SCRATCH_BYTES = 1 << 20 };

static void open_place(struct place *place, const struct fixture *fixture, uint64_t seed)
{
    struct error error;
    place->device = open_host(seed);
    const struct device_ops *ops = place->device->ops;
    assert_int_equal(ops->alloc(place->device, sizeof fixture->elements, &place->input, &error),
                     0);
    assert_int_equal(ops->alloc(place->device, 256, &place->output, &error), 0);
    assert_int_equal(ops->alloc(place->device, SCRATCH_BYTES, &place->scratch, &error), 0);
    assert_int_equal(ops->write(place->device, place->input, fixture->elements,
                                sizeof fixture->elements, &error),
                     0);
}

static void close_place(struct place *place)
{
    const uint64_t buffers[] = {place->input, place->output, place->scratch};
    for (size_t i = 0; i < 3; i++)
        place->device->ops->free(place->device, buffers[i]);
    device_close(place->device);
}

/* The bits of the sum by a compiled candidate, run in an order that the seed decides. */
static uint32_t run(const struct fixture *fixture, const struct point_context *context,
                    const int64_t *row, const struct compiled_unit *unit, uint64_t seed)
{
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct device_kernel loaded[COMPILER_KERNELS];
    struct device_launch launches[PLANNER_LAUNCHES];
    struct device_module *module;
    struct planner_plan plan;
    struct place place;
    struct error error = {0};
    uint32_t bits = 0;
    open_place(&place, fixture, seed);
    const struct device_ops *ops = place.device->ops;
    struct planner_buffers buffers = {.input = place.input,
                                      .output = place.output,
                                      .scratch = place.scratch};
    assert_int_equal(ops->load(place.device, &unit->image, &module, loaded, &error), 0);
    compiler_kernels(&unit->variants[0], loaded, kernels);
    assert_int_equal(call_plan(&plan, context, row, &error), 0);
    assert_true(plan.scratch_bytes + plan.state_bytes <= SCRATCH_BYTES);
    buffers.state = place.scratch + plan.scratch_bytes;
    bind_launches(launches, &plan, context->space, context->problem, kernels, &buffers, NULL);
    if (ops->fill(place.device, buffers.scratch, 0, SCRATCH_BYTES, NULL, &error) ||
        ops->launch(place.device, launches, (size_t)plan.count, NULL, &error) ||
        ops->read(place.device, &bits, place.output, sizeof bits, &error))
        fail_msg("%s", error.text);
    ops->unload(place.device, module);
    close_place(&place);
    return bits;
}

/* How many of the seeds give other bits than the first. */
static unsigned count_other_bits(const struct fixture *fixture,
                                 const struct point_context *context, const int64_t *row,
                                 unsigned seeds)
{
    const struct point_variant only = {0, 1};
    const struct points points = {.width = context->space->param_count,
                                  .configs = (int64_t *)row,
                                  .count = 1,
                                  .variants = (struct point_variant *)&only,
                                  .variant_count = 1};
    const size_t first = 0;
    struct device *device = open_host(0);
    struct compiled_unit unit;
    struct error error;
    unsigned others = 0;
    if (compiler_compile(&unit, device, context, &fixture->sources, &points, &first, 1, &error))
        fail_msg("%s", error.text);
    if (unit.variants[0].is_failed)
        fail_msg("%s", unit.variants[0].reason.text);
    const uint32_t bits = run(fixture, context, row, &unit, 1);
    for (unsigned seed = 2; seed <= seeds; seed++)
        others += run(fixture, context, row, &unit, seed) != bits;
    compiler_dispose(&unit);
    device_close(device);
    return others;
}

static void index_row(const struct space *space, const int64_t *row, unsigned char *out)
{
    for (size_t p = 0; p < space->param_count; p++) {
        out[p] = 0;
        while (space->params[p].values[out[p]] != row[p])
            out[p]++;
    }
}

/* Few rows of the points with each pair of values that stands together in one. */
static size_t *choose(const struct space *space, const struct points *points, size_t *count)
{
    size_t counts[SPACE_NAMES_MAX], *chosen;
    unsigned char indices[SPACE_NAMES_MAX];
    struct cover *cover;
    struct error error;
    for (size_t p = 0; p < space->param_count; p++)
        counts[p] = space->params[p].count;
    assert_int_equal(cover_open(&cover, counts, space->param_count, &error), 0);
    for (size_t i = 0; i < points->count; i++) {
        index_row(space, points->configs + i * points->width, indices);
        assert_true(cover_add(cover, indices, true, &error) >= 0);
    }
    assert_int_equal(cover_choose(&chosen, count, cover, 1, &error), 0);
    cover_close(cover);
    return chosen;
}

static int64_t value_of(const struct space *space, const int64_t *row, const char *name)
{
    const int param = space_find_param(space, name, strlen(name));
    assert_true(param >= 0);
    return row[param];
}

static bool is_atomic(const struct space *space, const int64_t *row)
{
    const struct param *param =
        &space->params[space_find_param(space, "FINISH", strlen("FINISH"))];
    int64_t atomic;
    assert_int_equal(space_find_value(param, "ATOMIC", strlen("ATOMIC"), &atomic), 0);
    return value_of(space, row, "FINISH") == atomic;
}

/* --- Tests -------------------------------------------------------------------------------- */

static void test_same_bits_in_every_order(void **state)
{
    const struct fixture *fixture = *state;
    const struct problem problem = {.op = op_of(SUM),
                                    .type = F32,
                                    .acc = F32,
                                    .dims = DIMS_VALUE(N),
                                    .regime = COLD,
                                    .order = ORDER_RUN};
    const struct point_context context = {fixture->space, &problem, &fixture->target};
    struct points points;
    struct error error;
    size_t count;
    assert_int_equal(point_expand(&points, &context, &error), 0);
    size_t *chosen = choose(fixture->space, &points, &count);
    const unsigned seeds = getenv("EVERY") ? ALL_SEEDS : SEEDS;
    assert_true(count >= 20);
    for (size_t i = 0; i < count; i++) {
        const int64_t *row = points.configs + chosen[i] * points.width;
        assert_false(is_atomic(fixture->space, row));
        if (!is_turn(i, PARTS) || count_other_bits(fixture, &context, row, seeds) == 0)
            continue;
        struct text params = {0};
        point_format(&params, fixture->space, row, true);
        fail_msg("other bits in another order: %s", params.at);
    }
    free(chosen);
    point_dispose(&points);
}

/* Else the test above could not fail. */
static void test_other_bits_where_it_is_not_asked_for(void **state)
{
    const struct fixture *fixture = *state;
    const struct problem problem = {.op = op_of(SUM),
                                    .type = F32,
                                    .acc = F32,
                                    .dims = DIMS_VALUE(N),
                                    .regime = COLD,
                                    .order = ORDER_ANY};
    const struct problem fixed = {.op = op_of(SUM),
                                  .type = F32,
                                  .acc = F32,
                                  .dims = DIMS_VALUE(N),
                                  .regime = COLD,
                                  .order = ORDER_RUN};
    const struct point_context context = {fixture->space, &problem, &fixture->target};
    const struct point_context asked = {fixture->space, &fixed, &fixture->target};
    int64_t row[SPACE_NAMES_MAX];
    struct error error;
    make_row(fixture->space, "BLOCK=64 ITEMS=4 VECTOR=4 UNROLL=1 FINISH=ATOMIC GRID=0", row);
    assert_int_equal(point_reject_order(&context, row, &error), POINT_VALID);
    const int broken = point_reject_order(&asked, row, &error);
    assert_true(broken >= 0);
    assert_non_null(strstr(fixture->space->rules[broken].reason, "atomics of f32"));
    assert_true(count_other_bits(fixture, &context, row, RACY_SEEDS) > 0);
}

/* Of integers every order is the same. */
static void test_integers_keep_all(void **state)
{
    const struct fixture *fixture = *state;
    size_t counts[2];
    for (int k = 0; k < 2; k++) {
        const struct problem problem = {.op = op_of(SUM),
                                        .type = I32,
                                        .acc = I32,
                                        .dims = DIMS_VALUE(N),
                                        .regime = COLD,
                                        .order = k ? ORDER_RUN : ORDER_FREE};
        const struct point_context context = {fixture->space, &problem, &fixture->target};
        struct points points;
        struct error error;
        assert_int_equal(point_expand(&points, &context, &error), 0);
        counts[k] = points.count;
        point_dispose(&points);
    }
    assert_int_equal(counts[0], counts[1]);
}

/* No other space that comes along has atomics of floats and no rule for them. */
static void test_rungs(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const names[] = {"configs/ladder/atomic_each.ini",
                                        "configs/ladder/atomic_shared.ini",
                                        "configs/ladder/atomic_thread.ini"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct space *space = load_space(names[i]);
        for (int k = 0; k < 4; k++) {
            const enum type type = k < 2 ? F32 : I32;
            const struct problem problem = {.op = op_of(SUM),
                                            .type = type,
                                            .acc = type,
                                            .dims = DIMS_VALUE(1000),
                                            .regime = COLD,
                                            .order = k % 2 ? ORDER_RUN : ORDER_FREE};
            const struct point_context context = {space, &problem, &fixture->target};
            struct error error;
            const int broken = point_reject(&context, space->default_config, &error);
            assert_int_equal(broken >= 0, k == 1);
            assert_int_equal(point_reject_order(&context, space->default_config, &error),
                             broken);
        }
        space_free(space);
    }
}

static int setup(void **state)
{
    static struct fixture fixture;
    const struct oracle_input source = {.problem = {.op = op_of(SUM),
                                                    .type = F32,
                                                    .acc = F32,
                                                    .dims = DIMS_VALUE(N),
                                                    .regime = COLD,
                                                    .order = ORDER_RUN},
                                        .seed = 7};
    struct device *device = open_host(0);
    fixture.target = device->info.target;
    device_close(device);
    fixture.space = load_space("configs/reduce-wide.ini");
    struct error error;
    if (space_settle_default(fixture.space, &source.problem, &fixture.target, &error))
        fail_msg("%s", error.text);
    fixture.sources = load_sources();
    oracle_fill_random(&source, 0, N, fixture.elements);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    space_free(((struct fixture *)*state)->space);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_in_every_order),
        cmocka_unit_test(test_other_bits_where_it_is_not_asked_for),
        cmocka_unit_test(test_integers_keep_all),
        cmocka_unit_test(test_rungs),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
