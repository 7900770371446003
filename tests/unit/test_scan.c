/* Tests of the proof of scan.cu: check finds it right as it is, and wrong with any of the faults
 * planted here. What commutes cannot show operands that are exchanged, so a second proof has an
 * operation that does not: affine maps modulo a power of two, by the same template. As in
 * test_kernels each fault runs on the host device in a process of its own. */
#include "autotune/device/bind.h"
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
    {'t', SUM, I32, I32, DIMS_INCLUSIVE,
     "BLOCK=64 ITEMS=12 VECTOR=2 WRITE=2 METHOD=LOOK_BACK NUMBERING=TICKET LOOK=32"},
    {'x', XOR, U64, U64, DIMS_EXCLUSIVE,
     "BLOCK=64 ITEMS=11 VECTOR=1 ARRANGE=BLOCKED WRITE=1 METHOD=LOOK_BACK NUMBERING=TICKET "
     "LOOK=1"},
    {'i', MAX, F32, F32, DIMS_EXCLUSIVE,
     "BLOCK=64 ITEMS=12 VECTOR=4 WRITE=4 METHOD=LOOK_BACK NUMBERING=BLOCK_INDEX LOOK=64"},
    {'g', SUM, F16, F32, DIMS_INCLUSIVE,
     "BLOCK=128 ITEMS=8 VECTOR=8 ARRANGE=BLOCKED WRITE=4 METHOD=LOOK_BACK NUMBERING=TICKET "
     "LOOK=8 PREFIXES=GROUPS"},
    {'w', SUM, I64, I64, DIMS_INCLUSIVE,
     "BLOCK=128 ITEMS=4 VECTOR=2 WRITE=2 METHOD=LOOK_BACK NUMBERING=BLOCK_INDEX LOOK=128"},
    {'v', SUM, I32, I32, DIMS_INCLUSIVE,
     "BLOCK=64 ITEMS=8 VECTOR=4 WRITE=4 MIN_BLOCKS=4 METHOD=WAVES STAGES=2 LOOK=64"},
    {'o', MIN, I16, I32, DIMS_INCLUSIVE, "BLOCK=64 ITEMS=16 VECTOR=4 WRITE=2 METHOD=ONE_BLOCK"},
    {'c', SUM, F32, F32, DIMS_INCLUSIVE,
     "BLOCK=64 ITEMS=4 VECTOR=4 WRITE=4 METHOD=ONE_CLUSTER CLUSTER=4"},
    {'r', PROD, U32, U32, DIMS_EXCLUSIVE,
     "BLOCK=64 ITEMS=16 VECTOR=4 ARRANGE=BLOCKED WRITE=4 METHOD=REDUCE_FIRST"},
    /* Of affine maps. */
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
static const char by_check[] = "txigwvorc", by_maps[] = "ABGOWMVCR";

enum source { TEMPLATE, INTRINSICS };

static const struct fault {
    enum source source;
    const char *legend, *from, *to;
} faults[] = {
    /* Where a tile lies. */
    {TEMPLATE, "r", "% VECTOR);\n    //? else\n    const unsigned skip = 0;",
     "% 1);\n    //? else\n    const unsigned skip = 0;"},
    {TEMPLATE, "t", "it.x = x + (first - skip);", "it.x = x + first;"},
    {TEMPLATE, "r", "it.y = y + (first - skip);", "it.y = y + first;"},
    {TEMPLATE, "t", "it.low = number == 0 ? skip : 0;", "it.low = 0;"},
    {TEMPLATE, "x", "(unsigned)(end - first) : TILE;", "(unsigned)(end - first) - 1 : TILE;"},
    {TEMPLATE, "t", "(unsigned)(end - first) : TILE;", "(unsigned)(end - first) + 1 : TILE;"},
    {TEMPLATE, "r", "threadIdx.x / 32 * (32 * ITEMS);", "threadIdx.x / 32 * 32;"},
    {TEMPLATE, "t", "r * (32 * WIDTH) +", "r * 32 +"},
    {TEMPLATE, "r", "first + u * (32 * VECTOR)) = got[u]", "first + u * 32) = got[u]"},

    /* A block. */
    {TEMPLATE, "t", "for (int j = 1; j < WIDTH; j++)\n            sums",
     "for (int j = 2; j < WIDTH; j++)\n            sums"},
    {TEMPLATE, "x", "threadIdx.x % 32 >= d)", "threadIdx.x % 32 > d)"},
    {TEMPLATE, "t", "for (int d = 1; d < lanes; d *= 2)", "for (int d = 1; d < 16; d *= 2)"},
    {TEMPLATE, "R", "if (lane == 31)", "if (lane == 30)"},
    {TEMPLATE, "t", "warp > 0 ? warp - 1 : 0);", "warp);"},
    {TEMPLATE, "x", "*all = __shfl_sync(~0u, to, BLOCK / 32 - 1);",
     "*all = __shfl_sync(~0u, to, 0);"},
    {TEMPLATE, "t", "return warp > 0 ? before : identity();", "return before;"},
    {TEMPLATE, "o", "lane > 0 ? combine(warp, before) : warp;", "combine(warp, before);"},
    {TEMPLATE, "t", "        warp = combine(warp, row);\n", ""},
    {TEMPLATE, "t", "row[j / WRITE].at[j % WRITE] = b;", "row[j / WRITE].at[j % WRITE] = a;"},
    {TEMPLATE, "x", "staged()->out[run_place(r) + j] = a;",
     "staged()->out[run_place(r) + j] = b;"},
    {TEMPLATE, "r", "    __syncwarp();\n    #pragma unroll\n    for (int j", "    for (int j"},
    {TEMPLATE, "x", "    __syncwarp();\n    #pragma unroll\n    for (int u", "    for (int u"},
    {TEMPLATE, "g", "to->y % (WRITE * ACCUM_BYTES) == 0", "to->y % ACCUM_BYTES == 0"},

    /* A tile's border. */
    {TEMPLATE, "t", "combine(so_far, all), ALL_UP_TO", "all, ALL_UP_TO"},
    {TEMPLATE, "x", "combine(so_far, all), ALL_UP_TO", "so_far, ALL_UP_TO"},
    {TEMPLATE, "t", "        sums[r] = combine(so_far, sums[r]);\n    write",
     "        ;\n    write"},
    {TEMPLATE, "x", "before_all = so_far;", "before_all = all;"},
    {TEMPLATE, "o", "        so_far = combine(so_far, all);\n", ""},
    {TEMPLATE, "r", "so_far = combine(so_far, all);", "so_far = all;"},
    {TEMPLATE, "r", "i < blockIdx.x; i++)", "i <= blockIdx.x; i++)"},
    {TEMPLATE, "r", "    so_far = all;\n", ""},

    /* Looking back. */
    {TEMPLATE, "t", "(long long)number - 1;;", "(long long)number - 2;;"},
    {TEMPLATE, "x", "last -= LOOK)", "last -= LOOK + 1)"},
    {TEMPLATE, "x", "last -= LOOK)", "last -= LOOK - 1)"},
    {TEMPLATE, "t", "if (done != 0 && lane >= __ffs(done))\n        a",
     "if (lane == 32)\n        a"},
    {TEMPLATE, "t", "const unsigned needed = (done & -done) - 1;",
     "const unsigned needed = 0;"},
    {TEMPLATE, "g", "if (number % LOOK == LOOK - 1) //", "if (number % LOOK == 0) //"},
    {TEMPLATE, "x", "if (lane < LOOK)", "if (lane <= LOOK)"},
    {TEMPLATE, "W", "last - warp * 32,", "last - warp * 31,"},
    {TEMPLATE, "w", "lane < __ffs(done)))", "lane <= __ffs(done)))"},
    {TEMPLATE, "W", "ends[warp] = is_all;", "ends[warp] = true;"},
    {TEMPLATE, "i", "        __syncthreads();\n        const unsigned done",
     "        const unsigned done"},

    /* Flags and values. */
    {INTRINSICS, "x", "(unsigned)low == (unsigned)high ? (unsigned)low : 0", "(unsigned)low"},
    {INTRINSICS, "i", "    post_half(words + tile, from.bits, flag);",
     "    post_half(words + tile, 0, flag);\n    host_yield();\n"
     "    post_half(words + tile, from.bits, flag);"},

    /* The epoch: what calls before have left counts for nothing. */
    {TEMPLATE, "t", "if (number == gridDim.x - 1)", "if (false)"},
    {TEMPLATE, "i", "if (number == gridDim.x - 1)", "if (number == 0)"},
    {TEMPLATE, "v", "(epoch + 1) % (1u << 30)", "epoch"},
    {TEMPLATE, "t", "flag >> 2 == epoch ? flag & 3 : 0", "flag & 3"},

    /* A look-back that depends on the order in which blocks start. */
    {TEMPLATE, "t", "ticket = take_ticket(state);",
     "ticket = (read_word(state) & -1ULL << 32) | blockIdx.x;"},

    /* Waves. */
    {TEMPLATE, "v", "number - step + 1;", "number - step + 2;"},
    {TEMPLATE, "v", "number - step + 1;", "number - step;"},
    {TEMPLATE, "v", "(STAGES + 1) * step);", "STAGES * step);"},
    {TEMPLATE, "v", "slot = slot + 1 == STAGES ? 0 : slot + 1;", "slot = 0;"},
    {TEMPLATE, "v", "&coming, words, number + step, epoch);",
     "&coming, words, number, epoch);"},
    {TEMPLATE, "v", "if (number == tiles - 1 && threadIdx.x == 0)", "if (false)"},
    {TEMPLATE, "v", "so_far = combine(before, all);\n", "so_far = before;\n"},
    {TEMPLATE, "v", "        all = next_all;\n", ""},
    {TEMPLATE, "V",
     "combine(so_far, sum_between(words, first, number, epoch, turn, flag, early))",
     "combine(sum_between(words, first, number, epoch, turn, flag, early), so_far)"},
    {TEMPLATE, "V", "a = combine(a, __shfl_down_sync(~0u, a, d));",
     "a = combine(__shfl_down_sync(~0u, a, d), a);"},

    /* A cluster. */
    {TEMPLATE, "c", "(is_last ? rank : CLUSTER - 1) * sizeof", "rank * sizeof"},
    {TEMPLATE, "c", "lane > rank || (lane < rank && !is_last)", "lane != rank"},
    {TEMPLATE, "c", "        if (round == 0)\n            cluster_wait();",
     "        if (false)\n            ;"},
    {TEMPLATE, "c", "turn = round % 2,", "turn = 0,"},
    {TEMPLATE, "c", "round / 2 % 2", "round % 2"},
    {TEMPLATE, "c", "    *so_far = sum;\n", ""},
    {TEMPLATE, "c", "if (i == rank)\n            before", "if (i == 0)\n            before"},
    {TEMPLATE, "c", "round * CLUSTER + cluster_rank();", "round + cluster_rank();"},

    /* Exchanged operands. */
    {TEMPLATE, "B", "combine(sums[r], value_of(&mine[r], j, in, run_place(r), is_whole));",
     "combine(value_of(&mine[r], j, in, run_place(r), is_whole), sums[r]);"},
    {TEMPLATE, "A", "a = combine(before, a);", "a = combine(a, before);"},
    {TEMPLATE, "O", "combine(warp, before) : warp;", "combine(before, warp) : warp;"},
    {TEMPLATE, "A", "warp = combine(warp, row);", "warp = combine(row, warp);"},
    {TEMPLATE, "O", "sums[r] = combine(warps, sums[r]);", "sums[r] = combine(sums[r], warps);"},
    {TEMPLATE, "A", "combine(a, value_of(&mine[r], j, to, run_place(r), is_one));",
     "combine(value_of(&mine[r], j, to, run_place(r), is_one), a);"},
    {TEMPLATE, "A", "a = combine(__shfl_down_sync(~0u, a, d), a);",
     "a = combine(a, __shfl_down_sync(~0u, a, d));"},
    {TEMPLATE, "B", "so_far = combine(__shfl_sync(~0u, a, 0), so_far);",
     "so_far = combine(so_far, __shfl_sync(~0u, a, 0));"},
    {TEMPLATE, "W",
     "for (int d = 1; d < LOOK / 32; d *= 2)\n            a = combine(__shfl_down_sync(~0u, a, d), a);",
     "for (int d = 1; d < LOOK / 32; d *= 2)\n            a = combine(a, __shfl_down_sync(~0u, a, d));"},
    {TEMPLATE, "C", "sum = combine(sum, i == rank ? all : with->value[turn][i]);",
     "sum = combine(i == rank ? all : with->value[turn][i], sum);"},
    {TEMPLATE, "A", "combine(so_far, all), ALL_UP_TO", "combine(all, so_far), ALL_UP_TO"},
    {TEMPLATE, "B", "sums[r] = combine(so_far, sums[r]);\n    write",
     "sums[r] = combine(sums[r], so_far);\n    write"},
    {TEMPLATE, "O", "so_far = combine(so_far, all);", "so_far = combine(all, so_far);"},
    {TEMPLATE, "R", "so_far = combine(so_far, partials[i]);",
     "so_far = combine(partials[i], so_far);"},
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
    struct problem problem = {.op = variant->op,
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
    bind_launches(launches, &plan, context->space, kernels, &buffers);
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
    const struct device_options options = {.spec = "host", .seed = seed};
    const size_t first = 0;
    const struct device_kernel *kernels[SPACE_PASSES_MAX];
    struct device_kernel loaded[COMPILER_KERNELS];
    struct point_variant only = {0, GRIDS};
    const struct points points = {.width = context->space->param_count,
                                  .configs = rows,
                                  .count = GRIDS,
                                  .variants = &only,
                                  .variant_count = 1};
    struct device_module *module;
    struct compiled_unit unit;
    struct device *device;
    struct error error;
    bool is_good = true;
    if (host_open(&device, &options, &error) ||
        compiler_compile(&unit, device, context, sources, &points, &first, 1, &error) ||
        unit.variants[0].is_failed ||
        device->ops->load(device, &unit.image, &module, loaded, &error)) {
        snprintf(note, NOTE_CHARS, "does not compile");
        return FAILED;
    }
    compiler_kernels(&unit.variants[0], loaded, kernels);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && is_good; i++)
        for (uint64_t start = 0; start < 4 && is_good; start++) {
            struct problem problem = *context->problem;
            const struct point_context sized = {context->space, &problem, context->target};
            problem.dims.depth.n = sizes[i];
            is_good = is_right_call(device, &sized,
                                    rows + (start + i) % GRIDS * context->space->param_count,
                                    kernels, start, note);
        }
    device->ops->unload(device, module);
    compiler_dispose(&unit);
    device_close(device);
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
    if (!strchr(by_maps, letter))
        return check_rows_of(&context, sources, rows, seed, note);
    own.types.text = fixture->maps;
    if (letter == 'R')
        target.sms = 64; /* more shares than threads, so that some have two to combine */
    return check_maps(&context, &own, rows, seed, note);
}

/* --- Tests -------------------------------------------------------------------------------- */

static void expect_right(const struct fixture *fixture, const char *letters)
{
    for (; *letters; letters++) {
        const char legend[] = {*letters, '\0'};
        char note[NOTE_CHARS];
        const int status =
            run_child(check_letter, fixture, &fixture->sources, legend, choose_seeds(2), note);
        if (!is_right(status))
            fail_msg("%s: %s", find_variant(*letters)->params, note);
    }
}

static void test_right_as_it_is(void **state)
{
    expect_right(*state, by_check);
}

static void test_order_is_kept(void **state)
{
    expect_right(*state, by_maps);
}

static void test_faults(void **state)
{
    const struct fixture *fixture = *state;
    size_t missed = 0;
    for (size_t i = 0; i < FAULTS; i++) {
        const struct fault *fault = &faults[i];
        struct emit_sources sources = fixture->sources;
        const char **text =
            fault->source == TEMPLATE ? &sources.template.text : &sources.intrinsics.text;
        missed += !is_caught(check_letter, fixture, &sources, text, fault->from, fault->to,
                             fault->legend);
    }
    assert_int_equal(missed, 0);
}

/* Not the second of a wide look back, behind which a warp may begin the next look while others still
 * read this one's: the emulator does not let a warp run that far ahead. */
static void test_without_a_barrier(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const legend[] = {"o", "i", "", "v", "v", "t", "x", "r", "o"};
    assert_int_equal(count_barriers(check_letter, fixture, &fixture->sources, legend, 9), 9);
}

/* A block too few leaves the last tile; of inputs that begin within a load, the last elements. */
static void test_a_block_too_few(void **state)
{
    struct fixture changed = *(struct fixture *)*state;
    static const char *const wrong[] = {"max(1, ceil_div(N, TILE))",
                                        "max(1, (N + VECTOR - 1) / TILE)"};
    const struct embedded *file = find_file("configs/scan.ini");
    static const char right[] = "max(1, ceil_div(N + VECTOR - 1, TILE))";
    const char *at = strstr(file->bytes, right);
    assert_non_null(at);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error error;
        char *text = replace(file->bytes, at, strlen(right), wrong[i]);
        if (space_load(&changed.space, file->name, text, strlen(text), embedded_space, &error))
            fail_msg("%s", error.text);
        assert_true(each_shows(check_letter, &changed, &changed.sources, "t", 1, wrong[i]));
        space_free(changed.space);
        free(text);
    }
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
        cmocka_unit_test(test_right_as_it_is),  cmocka_unit_test(test_order_is_kept),
        cmocka_unit_test(test_faults),          cmocka_unit_test(test_without_a_barrier),
        cmocka_unit_test(test_a_block_too_few),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
