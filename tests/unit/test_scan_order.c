/* Tests that scan.cu keeps the order of its operands. What commutes cannot show operands that are
 * exchanged, so its template is proven with an operation that does not: affine maps modulo a power of two.
 * Each fault runs on the host device in a process of its own. */
#include "autotune/device/bind.h"
#include "generator/call.h"
#include "tests/unit/named_op.h"
#include "tests/unit/plant_fault.h"

/* Small blocks, so that few threads make many blocks and tiles; a fault names those that show it
 * by their letters. */
static const struct variant {
    char letter;
    enum op op;
    enum type type, acc;
    enum dims_scan scan;
    const char *params;
} variants[] = {
    {'A', SUM, U16, U32, DIMS_INCLUSIVE,
     "BLOCK=64 ITEMS=4 VECTOR=2 WRITE=2 METHOD=LOOK_BACK NUMBERING=TICKET LOOK=32"},
    {'W', SUM, U16, U32, DIMS_INCLUSIVE,
     "BLOCK=128 ITEMS=4 VECTOR=2 WRITE=2 METHOD=LOOK_BACK NUMBERING=TICKET LOOK=64 "
     "PREFIXES=GROUPS"},
    {'V', SUM, U32, U64, DIMS_EXCLUSIVE,
     "BLOCK=64 ITEMS=4 VECTOR=4 WRITE=2 MIN_BLOCKS=4 METHOD=WAVES STAGES=1 LOOK=32"},
    {'M', SUM, U16, U32, DIMS_INCLUSIVE,
     "BLOCK=64 ITEMS=2 VECTOR=2 WRITE=2 METHOD=LOOK_BACK NUMBERING=TICKET LOOK=64"},
    {'C', SUM, U32, U64, DIMS_EXCLUSIVE,
     "BLOCK=64 ITEMS=4 VECTOR=2 WRITE=2 METHOD=ONE_CLUSTER CLUSTER=2"},
    {'B', SUM, U32, U64, DIMS_EXCLUSIVE,
     "BLOCK=128 ITEMS=3 VECTOR=1 ARRANGE=BLOCKED WRITE=1 METHOD=LOOK_BACK NUMBERING=TICKET "
     "LOOK=1"},
    {'G', SUM, U64, U64, DIMS_INCLUSIVE,
     "BLOCK=64 ITEMS=4 VECTOR=2 WRITE=2 METHOD=LOOK_BACK NUMBERING=BLOCK_INDEX LOOK=32 "
     "PREFIXES=GROUPS"},
    {'O', SUM, U32, U64, DIMS_INCLUSIVE, "BLOCK=64 ITEMS=8 VECTOR=4 WRITE=2 METHOD=ONE_BLOCK"},
    {'R', SUM, U16, U32, DIMS_EXCLUSIVE,
     "BLOCK=64 ITEMS=8 VECTOR=8 ARRANGE=BLOCKED WRITE=4 METHOD=REDUCE_FIRST"},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static const struct fault {
    const char *legend, *from, *to;
} faults[] = {
    /* A block. */
    {"R", "if (lane == 31)", "if (lane == 30)"},

    /* Looking back. */
    {"W", "last - warp * 32,", "last - warp * 31,"},
    {"W", "ends[warp] = is_all;", "ends[warp] = true;"},

    /* Waves. */
    {"V", "combine(so_far, sum_between(words, first, number, epoch, turn, flag, early))",
     "combine(sum_between(words, first, number, epoch, turn, flag, early), so_far)"},
    {"V", "a = combine(a, __shfl_down_sync(~0u, a, d));",
     "a = combine(__shfl_down_sync(~0u, a, d), a);"},

    /* Exchanged operands. */
    {"B", "combine(sums[r], value_of(&mine[r], j, in, run_place(r), is_whole));",
     "combine(value_of(&mine[r], j, in, run_place(r), is_whole), sums[r]);"},
    {"A", "a = combine(before, a);", "a = combine(a, before);"},
    {"O", "combine(warp, before) : warp;", "combine(before, warp) : warp;"},
    {"A", "warp = combine(warp, row);", "warp = combine(row, warp);"},
    {"O", "sums[r] = combine(warps, sums[r]);", "sums[r] = combine(sums[r], warps);"},
    {"A", "combine(a, value_of(&mine[r], j, to, run_place(r), is_one));",
     "combine(value_of(&mine[r], j, to, run_place(r), is_one), a);"},
    {"A", "a = combine(__shfl_down_sync(~0u, a, d), a);",
     "a = combine(a, __shfl_down_sync(~0u, a, d));"},
    {"B", "so_far = combine(__shfl_sync(~0u, a, 0), so_far);",
     "so_far = combine(so_far, __shfl_sync(~0u, a, 0));"},
    {"W",
     "for (int d = 1; d < LOOK / 32; d *= 2)\n            //? if COMBINE == OTHER\n"
     "            a = combine(shuffle_down(a, d), a);\n            //? else\n"
     "            a = combine(__shfl_down_sync(~0u, a, d), a);",
     "for (int d = 1; d < LOOK / 32; d *= 2)\n            //? if COMBINE == OTHER\n"
     "            a = combine(shuffle_down(a, d), a);\n            //? else\n"
     "            a = combine(a, __shfl_down_sync(~0u, a, d));"},
    {"C", "sum = combine(sum, i == rank ? all : with->value[turn][i]);",
     "sum = combine(i == rank ? all : with->value[turn][i], sum);"},
    {"A", "combine(so_far, all), ALL_UP_TO", "combine(all, so_far), ALL_UP_TO"},
    {"B", "sums[r] = combine(so_far, sums[r]);\n    write",
     "sums[r] = combine(sums[r], so_far);\n    write"},
    {"O", "so_far = combine(so_far, all);", "so_far = combine(all, so_far);"},
    {"R", "so_far = combine(so_far, partials[i]);", "so_far = combine(partials[i], so_far);"},
};
enum { FAULTS = sizeof faults / sizeof *faults };

/* --- Affine maps -------------------------------------------------------------------------- */

/* An accumulator is a factor, in its high half, and a term: x -> factor x + term. Of two maps the
 * left is applied first. */
static const struct {
    const char *from, *to;
} as_maps[] = {
    {"    return a + b;",
     "    const accum low = ~(accum)0 >> (4 * ACCUM_BYTES);\n"
     "    const accum f = (a >> (4 * ACCUM_BYTES)) * (b >> (4 * ACCUM_BYTES));\n"
     "    const accum t = (b >> (4 * ACCUM_BYTES)) * (a & low) + b;\n"
     "    return f << (4 * ACCUM_BYTES) | (t & low);"},
    {"    return 0;", "    return (accum)1 << (4 * ACCUM_BYTES);"},
    {"    return (accum)value;",
     "    const accum low = ~(accum)0 >> (4 * ACCUM_BYTES);\n"
     "    return ((accum)value * 0x9e3779b1 | 1) << (4 * ACCUM_BYTES) |\n"
     "           (((accum)value ^ 0x2c7b) & low);"},
};

static uint64_t low_half(uint64_t map, int bits)
{
    return map & (UINT64_MAX >> (64 - bits));
}

static uint64_t map_of(uint64_t element, int bits)
{
    const uint64_t factor = element * 0x9e3779b1 | 1, term = element ^ 0x2c7b;
    return low_half(factor, bits) << bits | low_half(term, bits);
}

static uint64_t apply_both(uint64_t a, uint64_t b, int bits)
{
    const uint64_t factor = (a >> bits) * (b >> bits);
    const uint64_t term = (b >> bits) * low_half(a, bits) + b;
    return low_half(factor, bits) << bits | low_half(term, bits);
}

/* --- One process a fault ------------------------------------------------------------------ */

struct fixture {
    struct space *space;
    struct emit_sources sources;
    struct target target;
    char *maps; /* types of affine maps */
};

static const struct variant *find_variant(char letter)
{
    for (size_t i = 0; i < VARIANTS; i++)
        if (variants[i].letter == letter)
            return &variants[i];
    fail_msg("no variant '%c'", letter);
    return NULL;
}

static struct problem problem_of(const struct variant *variant)
{
    struct problem problem = {.op = op_of(variant->op),
                              .type = variant->type,
                              .acc = variant->acc,
                              .dims = DIMS_VALUE(400000000)};
    problem.dims.scan = variant->scan;
    return problem;
}

static void make_rows(const struct space *space, const struct variant *variant, int64_t *rows)
{
    char params[300];
    const bool is_shared =
        strstr(variant->params, "REDUCE_FIRST") || strstr(variant->params, "WAVES");
    for (size_t i = 0; i < GRIDS; i++) {
        snprintf(params, sizeof params, "%s GRID=%zu", variant->params, is_shared ? i + 1 : 0);
        make_row(space, params, rows + i * space->param_count);
    }
}

/* One call, at `start` elements past alignment, results at another. */
static bool is_right_call(struct device *device, const struct point_context *context,
                          const int64_t *row, const struct device_kernel *const *kernels,
                          uint64_t start, char note[NOTE_CHARS])
{
    const struct problem *problem = context->problem;
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    const size_t result_bytes = (size_t)problem_types[problem->acc].bytes;
    const uint64_t n = problem->dims.depth.n;
    const int bits = (int)result_bytes * 4;
    uint64_t map = (uint64_t)1 << bits, input, output, scratch, state;
    struct device_launch launches[PLANNER_LAUNCHES];
    struct planner_plan plan;
    struct error error;
    unsigned char *elements = malloc((n + start) * bytes), *results = malloc(n * result_bytes);
    const struct device_ops *ops = device->ops;
    for (uint64_t i = 0; i < (n + start) * bytes; i++)
        elements[i] = (unsigned char)((i * 2654435761u) >> 13);
    assert_int_equal(call_plan(&plan, context, row, &error), 0);
    assert_int_equal(ops->alloc(device, (n + start) * bytes + 256, &input, &error), 0);
    assert_int_equal(ops->alloc(device, n * result_bytes + 256, &output, &error), 0);
    assert_int_equal(ops->alloc(device, plan.scratch_bytes + 256, &scratch, &error), 0);
    assert_int_equal(ops->alloc(device, plan.state_bytes + 256, &state, &error), 0);
    assert_int_equal(ops->fill(device, state, 0, plan.state_bytes + 256, NULL, &error), 0);
    assert_int_equal(ops->write(device, input, elements, (n + start) * bytes, &error), 0);
    const struct planner_buffers buffers = {.input = input + start * bytes,
                                            .output = output + (start * 3 % 4) * result_bytes,
                                            .scratch = scratch,
                                            .state = state};
    bind_launches(launches, &plan, context->space, context->problem, kernels, &buffers, NULL);
    bool is_good = ops->launch(device, launches, (size_t)plan.count, NULL, &error) == 0;
    if (!is_good)
        snprintf(note, NOTE_CHARS, "%.300s", error.text);
    else
        assert_int_equal(ops->read(device, results, buffers.output, n * result_bytes, &error),
                         0);
    for (uint64_t i = 0; i < n && is_good; i++) {
        uint64_t element = 0, got = 0;
        memcpy(&element, elements + (start + i) * bytes, bytes);
        memcpy(&got, results + i * result_bytes, result_bytes);
        const uint64_t next = apply_both(map, map_of(element, bits), bits);
        is_good = got == (problem->dims.scan == DIMS_EXCLUSIVE ? map : next);
        if (!is_good)
            snprintf(note, NOTE_CHARS, "map %d of %d is wrong", (int)i, (int)n);
        map = next;
    }
    ops->free(device, input);
    ops->free(device, output);
    ops->free(device, scratch);
    ops->free(device, state);
    free(elements);
    free(results);
    return is_good;
}

/* Sizes around tiles, at several starts, with each grid. */
static enum outcome check_maps(const struct point_context *context,
                               const struct emit_sources *sources, int64_t *rows, uint64_t seed,
                               char note[NOTE_CHARS])
{
    static const uint64_t sizes[] = {1,   2,   31,  33,  63,  64,  65,   127,  191,  255,  256,
                                     257, 383, 385, 511, 512, 513, 1100, 4096, 9999, 70001};
    struct loaded_variant variant;
    bool is_good = true;
    if (!load_variant(&variant, context, sources, rows, seed, note))
        return FAILED;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && is_good; i++)
        for (uint64_t start = 0; start < 4 && is_good; start++) {
            struct problem problem = *context->problem;
            const struct point_context sized = {context->space, &problem, context->target};
            problem.dims.depth.n = sizes[i];
            is_good = is_right_call(variant.device, &sized,
                                    rows + (start + i) % GRIDS * context->space->param_count,
                                    variant.of_passes, start, note);
        }
    unload_variant(&variant);
    return is_good ? RIGHT : WRONG;
}

static enum outcome check_letter(const void *all, const struct emit_sources *sources,
                                 char letter, uint64_t seed, char *note)
{
    const struct fixture *fixture = all;
    const struct variant *variant = find_variant(letter);
    const struct problem problem = problem_of(variant);
    struct target target = fixture->target;
    const struct point_context context = {fixture->space, &problem, &target};
    struct emit_sources own = *sources;
    int64_t rows[GRIDS * SPACE_NAMES_MAX];
    make_rows(fixture->space, variant, rows);
    own.types.text = fixture->maps;
    if (letter == 'R')
        target.sms = 64; /* more shares than threads, so that some have two to combine */
    return check_maps(&context, &own, rows, seed, note);
}

/* --- Tests -------------------------------------------------------------------------------- */

static void test_order_is_kept(void **state)
{
    const struct fixture *fixture = *state;
    for (size_t i = 0; i < VARIANTS; i++) {
        const char legend[] = {variants[i].letter, '\0'};
        char note[NOTE_CHARS];
        const int status =
            run_child(check_letter, fixture, &fixture->sources, legend, choose_seeds(2), note);
        if (!is_right(status))
            fail_msg("%s: %s", variants[i].params, note);
    }
}

static void test_faults(void **state)
{
    const struct fixture *fixture = *state;
    size_t missed = 0;
    for (size_t i = 0; i < FAULTS; i++) {
        const struct fault *fault = &faults[i];
        struct emit_sources sources = fixture->sources;
        missed += !is_caught(check_letter, fixture, &sources, &sources.template.text,
                             fault->from, fault->to, fault->legend);
    }
    assert_int_equal(missed, 0);
}

static char *make_maps(const char *types)
{
    char *text = strdup(types);
    for (size_t i = 0; i < sizeof as_maps / sizeof *as_maps; i++) {
        const char *at = strstr(text, as_maps[i].from);
        assert_non_null(at);
        char *next = replace(text, at, strlen(as_maps[i].from), as_maps[i].to);
        free(text);
        text = next;
    }
    return text;
}

static int setup(void **state)
{
    static struct fixture fixture;
    const struct device_options options = {.spec = "host"};
    struct device *device;
    struct error error;
    if (host_open(&device, &options, &error) != 0)
        return -1;
    fixture.target = device->info.target;
    device_close(device);
    fixture.space = load_space("configs/scan.ini");
    fixture.sources = load_sources();
    fixture.sources.template =
        (struct emit_file){"templates/scan.cu", find_file("templates/scan.cu")->bytes};
    fixture.maps = make_maps(fixture.sources.types.text);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    free(((struct fixture *)*state)->maps);
    space_free(((struct fixture *)*state)->space);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_is_kept),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
