/* Tests of the proof of the templates that keep order n: check finds them right as they are, and
 * wrong where they combine in another order, although every exact input comes out right then; where
 * they fuse or flush; and without any one of their barriers. As in test_kernels each fault runs on the host device in a
 * process of its own. */
#include "tests/unit/plant_fault.h"

enum shape { VALUES, OF_ROWS, OF_COLUMNS, SHAPES };
static const struct {
    const char *space, *template;
    struct dims dims;
} shapes[SHAPES] = {
    {"configs/ordered.ini", "templates/ordered.cu", DIMS_VALUE(400000000)},
    {"configs/ordered-rows.ini",
     "templates/ordered_rows.cu",
     {.outer = {100, 9000}, .depth = {2, 1}, .inner = {1, 1}}},
    {"configs/ordered-columns.ini",
     "templates/ordered_columns.cu",
     {.outer = {1, 1}, .depth = {2, 100}, .inner = {100, 1}}},
};

/* Small blocks, so that few threads make many blocks and tiles; a fault names those that show
 * it by their letters. */
static const struct variant {
    char letter;
    enum shape shape;
    enum op op;
    enum type type;
    const char *params;
} variants[] = {
    {'f', VALUES, SUM, F32, "BLOCK=128 LEAVES=4 UNROLL=2 TAKE=4 CLUSTER=1 FINISH=LAST_BLOCK"},
    {'h', VALUES, SUM, F16, "BLOCK=64 LEAVES=4 UNROLL=4 TAKE=1 CLUSTER=1 FINISH=FLAGGED"},
    {'d', VALUES, PROD, F64,
     "BLOCK=64 LEAVES=1 UNROLL=1 TAKE=4 CLUSTER=1 FINISH=PASSES GRID=0"},
    {'q', VALUES, SUMSQ, F32, "BLOCK=32 LEAVES=1 UNROLL=1 TAKE=1 CLUSTER=1 FINISH=LAST_BLOCK"},
    {'b', VALUES, SUM, BF16, "BLOCK=32 LEAVES=1 UNROLL=1 TAKE=1 CLUSTER=1 FINISH=FLAGGED"},
    {'k', VALUES, SUM, F32, "BLOCK=64 LEAVES=1 UNROLL=1 TAKE=1 CLUSTER=4 FINISH=PASSES GRID=0"},
    {'r', OF_ROWS, SUM, F32,
     "BLOCK=64 SPLIT=BY_LANES LANES=8 PARTS=4 ROUNDS=2 LEAVES=2 UNROLL=2 TAKE=1"},
    {'s', OF_ROWS, SUM, BF16,
     "BLOCK=64 SPLIT=BY_LANES LANES=2 PARTS=4 ROUNDS=1 LEAVES=4 UNROLL=4 TAKE=1"},
    {'w', OF_ROWS, PROD, F64,
     "BLOCK=64 SPLIT=BY_BLOCK LANES=32 PARTS=2 ROUNDS=8 LEAVES=1 UNROLL=1 TAKE=1"},
    {'l', OF_ROWS, SUM, F32,
     "BLOCK=64 SPLIT=LAST_BLOCK LANES=32 PARTS=1 ROUNDS=8 LEAVES=1 UNROLL=1 TAKE=1"},
    {'m', OF_ROWS, SUM, F32,
     "BLOCK=32 SPLIT=LAST_BLOCK LANES=32 PARTS=1 ROUNDS=8 LEAVES=1 UNROLL=1 TAKE=1"},
    {'c', OF_COLUMNS, SUM, F32,
     "BLOCK=64 ACROSS=4 VECTOR=2 OWN=8 ROUNDS=8 UNROLL=2 SPLIT=WHOLE LEAVES=1 TAKE=1"},
    {'p', OF_COLUMNS, SUM, F16,
     "BLOCK=64 ACROSS=4 VECTOR=4 OWN=8 ROUNDS=8 UNROLL=1 SPLIT=LAST_BLOCK LEAVES=1 TAKE=4"},
    {'o', OF_COLUMNS, SUMSQ, F32,
     "BLOCK=64 ACROSS=64 VECTOR=4 OWN=4 ROUNDS=1 UNROLL=1 SPLIT=WHOLE LEAVES=1 TAKE=1"},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

enum source { TEMPLATE, TYPES, INTRINSICS };

static const struct fault {
    enum source source;
    const char *legend, *from, *to;
} faults[] = {
    /* Another order, of the same elements. */
    {TYPES, "fhdqblw", "for (int d = SPREAD; d < LANES; d *= 2)",
     "for (int d = LANES / 2; d >= SPREAD; d /= 2)"},
    {TYPES, "fhqbrsl", "a[p][i] = combine(a[p][2 * i], a[p][2 * i + 1]);",
     "a[p][i] = combine(a[p][i], a[p][i + width]);"},
    {TYPES, "fhdqbrswl", "skip & by ?", "skip & by & 0 ?"},
    {TYPES, "drsw", "next[(p + 1) % PARTS] : next[p]", "next[p] : next[p]"},
    {TYPES, "fhqbrl", "lane + 1, LANES", "lane, LANES"},
    {TYPES, "hr", "const accum even = a[2 * i], odd = a[2 * i + 1];",
     "const accum even = a[i], odd = a[i + HELD / 2 / d];"},
    {TEMPLATE, "f", "threadIdx.x / 32 * (32 / LANES * LEAVES);",
     "(threadIdx.x / 32 + 1) % (BLOCK / 32) * (32 / LANES * LEAVES);"},
    {TYPES, "d", "for (int d = 1; d < TAKE; d *= 2)\n        a[0]",
     "for (int d = TAKE / 2; d > 0; d /= 2)\n        a[0]"},
    {TEMPLATE, "k", "all[i] = combine(all[2 * i], all[2 * i + 1]);",
     "all[i] = combine(all[i], all[i + width]);"},
    {TYPES, "qbwmcp", "for (; before >> k & 1; k++)", "for (; k == 0 && before & 1; k++)"},
    {TYPES, "mcp", "for (unsigned k = 0; count >> k; k++)",
     "for (unsigned k = 31; k < 32; k--)"},
    {TEMPLATE, "r", "for (int d = 1; d < NEAR; d *= 2)",
     "for (int d = NEAR / 2; d > 0; d /= 2)"},
    {TEMPLATE, "cp", "below[d] = combine(below[2 * d], below[2 * d + 1]);",
     "below[d] = combine(below[d], below[d + width]);"},
    {TEMPLATE, "cpo", "combine(a[2 * o].at[i], a[2 * o + 1].at[i])",
     "combine(a[o].at[i], a[o + width].at[i])"},
    {TEMPLATE, "p", "joined[g] = combine(joined[2 * g], joined[2 * g + 1]);",
     "joined[g] = combine(joined[g], joined[g + width]);"},

    /* Another arithmetic. */
    {TYPES, "q", "a[i] = combine(a[i], map(got.at[i]));",
     "a[i] = __builtin_fmaf(got.at[i], got.at[i], a[i]);"},
    {INTRINSICS, "fqbrlc", "return a + b;",
     "return __builtin_fabsf(a + b) < 0x1p-126f ? 0 : a + b;"},
    {INTRINSICS, "dw", "return a * b;",
     "return __builtin_fabs(a * b) < 0x1p-1022 ? 0 : a * b;"},
    {TYPES, "fhb", "return 0;", "return -0.0f;"},

    /* Lost, or taken twice. */
    {TYPES, "h", "for (int d = LANES; d < 32; d *= 2)", "for (int d = 32; d < 32; d *= 2)"},
    {TYPES, "fh", "for (int d = 1; d < HELD; d *= 2)", "for (int d = 2; d < HELD; d *= 2)"},
    {TYPES, "fhb", "first < n ? (unsigned)(n - first) : 0", "(unsigned)(n - first)"},
    {TYPES, "fhdqbwl", "count = first + LEAF <= n ?", "count = n > 0 ?"},
    {TYPES, "f", "lane == i / UNROLL", "lane == i"},
    {TEMPLATE, "k", "send(&to->value[rank], a", "send(&to->value[rank ^ 2], a"},
    {TEMPLATE, "s",
     "i < LEAVES * width; i++)\n                a[i] = combine(a[2 * i], a[2 * i + 1]);",
     "i < LEAVES * width; i++)\n                a[i] = combine(a[i], a[i + LEAVES * width]);"},
    {TEMPLATE, "r", "i * (SPREAD / NEAR) + lane / NEAR", "i * (SPREAD / NEAR) + lane"},
    {TEMPLATE, "w", "y[row] = carried(level, tiles);", "y[row] = level[0];"},
    {TEMPLATE, "l", "arrive(state + row, tiles) == tiles - 1",
     "arrive(state + row, tiles) == 0"},
    {TEMPLATE, "cp", "LEAF + down * OWN;", "LEAF + down;"},
    {TEMPLATE, "p", "arrive(state + tile, parts) == parts - 1",
     "arrive(state + tile, parts) == 0"},
    {TEMPLATE, "cpo",
     "first + (r + u) * FRAME + o < end && column < len)\n                    #pragma",
     "first + (r + u) * FRAME + o <= end && column < len)\n                    #pragma"},
    {TYPES, "fhqb", "rest > 0 && (whole", "rest > 1 && (whole"},
    {TYPES, "fhqb", "leaf->rest > 0 && (PARTS", "leaf->rest > 1 && (PARTS"},
    {TYPES, "drw", "(PARTS == 1 || leaf->part == p)", "(PARTS == 1 || p == 0)"},
    {TYPES, "fhdqb", "if (i < from || i >= to)", "if (i >= to)"},
    {TYPES, "fhqb", "if (i < from || i >= to)", "if (i < from || i + 1 >= to)"},
    {TYPES, "dw", "return 0x3f80;\n    //? else\n    return 1;",
     "return 0x3f80;\n    //? else\n    return 2;"},
};
enum { FAULTS = sizeof faults / sizeof *faults };

/* --- One process a fault ------------------------------------------------------------------ */

struct fixture {
    struct space *spaces[SHAPES];
    struct emit_file templates[SHAPES];
    struct emit_sources sources;
    struct target target;
};

static const struct variant *find_variant(char letter)
{
    for (size_t i = 0; i < VARIANTS; i++)
        if (variants[i].letter == letter)
            return &variants[i];
    fail_msg("no variant '%c'", letter);
    return NULL;
}

static enum outcome check_letter(const void *all, const struct emit_sources *sources,
                                 char letter, uint64_t seed, char *note)
{
    const struct fixture *fixture = all;
    const struct variant *variant = find_variant(letter);
    const struct problem problem = {.op = variant->op,
                                    .type = variant->type,
                                    .acc = problem_default_acc(variant->type),
                                    .dims = shapes[variant->shape].dims,
                                    .regime = COLD,
                                    .order = ORDER_BY_N};
    struct space *space = fixture->spaces[variant->shape];
    const struct point_context context = {space, &problem, &fixture->target};
    struct emit_sources own = *sources;
    char params[200];
    int64_t rows[GRIDS * SPACE_NAMES_MAX];
    for (size_t i = 0; i < SHAPES; i++) /* unless one was changed */
        if (sources->template.text == fixture->templates[i].text)
            own.template = fixture->templates[variant->shape];
    for (size_t i = 0; i < GRIDS; i++) {
        const bool has_grid = space_find_param(space, "GRID", strlen("GRID")) >= 0 &&
                              !strstr(variant->params, "GRID");
        snprintf(params, sizeof params, has_grid ? "%s GRID=%zu" : "%s", variant->params,
                 2 * i);
        make_row(space, params, rows + i * space->param_count);
    }
    return check_rows_of(&context, &own, rows, seed, note);
}

/* --- Tests -------------------------------------------------------------------------------- */

static void test_right_as_it_is(void **state)
{
    const struct fixture *fixture = *state;
    for (size_t i = 0; i < VARIANTS; i++) {
        const char legend[] = {variants[i].letter, '\0'};
        char note[NOTE_CHARS];
        const int status =
            run_child(check_letter, fixture, &fixture->sources, legend, choose_seeds(3), note);
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
        if (fault->source == TEMPLATE)
            sources.template = fixture->templates[find_variant(*fault->legend)->shape];
        const char **text = fault->source == TEMPLATE ? &sources.template.text
                            : fault->source == TYPES  ? &sources.types.text
                                                      : &sources.intrinsics.text;
        missed += !is_caught(check_letter, fixture, &sources, text, fault->from, fault->to,
                             fault->legend);
    }
    assert_int_equal(missed, 0);
}

/* Leaves of another size, of which each element counts once. */
static void test_other_leaf(void **state)
{
    struct fixture fixture = *(const struct fixture *)*state;
    static const char right[] = "ROUNDS = 8\n", legend[] = "fhdqb";
    const struct embedded *file = find_file(shapes[VALUES].space);
    char *text =
        replace(file->bytes, strstr(file->bytes, right), strlen(right), "ROUNDS = 4\n");
    struct error error;
    char note[NOTE_CHARS];
    if (space_load(&fixture.spaces[VALUES], file->name, text, strlen(text), embedded_space,
                   &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; legend[i]; i++) {
        const char alone[] = {legend[i], '\0'};
        if (!is_found(run_child(check_letter, &fixture, &fixture.sources, alone, 1, note)))
            fail_msg("leaves of 512 elements are not seen by '%s'", alone);
        if (!strstr(note, "wrong result"))
            fail_msg("leaves of 512 elements are another fault: %s", note);
    }
    space_free(fixture.spaces[VALUES]);
    free(text);
}

static void test_without_a_barrier(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const legends[SHAPES][4] = {{"f"}, {"l"}, {"cp", "p", "p", "p"}};
    static const size_t counts[SHAPES] = {1, 1, 4};
    static const char barrier[] = "__syncthreads();";
    const char *types = fixture->sources.types.text;
    for (size_t i = 0; i < SHAPES; i++) {
        struct emit_sources sources = fixture->sources;
        sources.template = fixture->templates[i];
        assert_int_equal(count_barriers(check_letter, fixture, &sources, legends[i], counts[i]),
                         counts[i]);
    }
    struct emit_sources sources = fixture->sources;
    char *changed = replace(types, strstr(types, barrier), strlen(barrier), "");
    sources.types.text = changed;
    assert_true(
        each_shows(check_letter, fixture, &sources, "fhdwl", 20, "block_tree's barrier"));
    free(changed);
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
    fixture.sources = load_sources();
    for (size_t i = 0; i < SHAPES; i++) {
        fixture.spaces[i] = load_space(shapes[i].space);
        fixture.templates[i] =
            (struct emit_file){shapes[i].template, find_file(shapes[i].template)->bytes};
    }
    fixture.sources.template = fixture.templates[VALUES];
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    for (size_t i = 0; i < SHAPES; i++)
        space_free(((struct fixture *)*state)->spaces[i]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_as_it_is),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_other_leaf),
        cmocka_unit_test(test_without_a_barrier),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
