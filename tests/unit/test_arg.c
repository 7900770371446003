/* Tests of the proof of arg.cu: check finds it right as it is, and wrong without any one of its
 * barriers and with indices, bounds and comparisons changed. As in test_kernels each fault runs
 * on the host device in a process of its own. */
#include "tests/unit/plant_fault.h"

/* Small blocks, so that few threads make many blocks and tiles; a fault names those that show
 * it by their letters. */
static const struct variant {
    char letter;
    enum op op;
    enum type type;
    const char *params;
} variants[] = {
    {'p', ARGMIN, I32, "BLOCK=64 VECTOR=4 UNROLL=4 LOAD=PLAIN FINISH=PASSES"},
    {'g', ARGMIN, I32, "BLOCK=64 VECTOR=1 UNROLL=4 LOAD=PLAIN FINISH=PASSES"},
    {'l', ARGMAX, F32, "BLOCK=128 VECTOR=4 UNROLL=1 LOAD=PLAIN FINISH=LAST_BLOCK"},
    {'f', ARGMIN, F64, "BLOCK=64 VECTOR=2 UNROLL=2 LOAD=PLAIN FINISH=FLAGGED"},
    {'1', ARGMAX, U8, "BLOCK=64 VECTOR=1 UNROLL=4 LOAD=PLAIN FINISH=LAST_BLOCK"},
    {'w', ARGMIN, U32, "BLOCK=32 VECTOR=1 UNROLL=1 LOAD=PLAIN FINISH=FLAGGED"},
    {'h', ARGMAX, BF16, "BLOCK=64 VECTOR=8 UNROLL=2 LOAD=PLAIN FINISH=PASSES"},
    {'q', ARGMAX, I64, "BLOCK=64 VECTOR=2 UNROLL=2 LOAD=PLAIN FINISH=FLAGGED"},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

enum source { TEMPLATE, TYPES, INTRINSICS };

static const struct fault {
    enum source source;
    const char *legend, *from, *to;
} faults[] = {
    /* A block. */
    {TEMPLATE, "p", "int d = 16;", "int d = 8;"},
    {TEMPLATE, "pl", "values[threadIdx.x / 32] = a", "values[threadIdx.x / 64] = a"},
    {TEMPLATE, "pl", "a = values[threadIdx.x % (BLOCK / 32)]", "a = values[0]"},
    {TEMPLATE, "l", "int d = BLOCK / 64;", "int d = BLOCK / 128;"},
    {TEMPLATE, "pl", "return b < a ? b : a;", "return b > a ? b : a;"},
    {TEMPLATE, "pl", "places[threadIdx.x / 32] = place", "places[threadIdx.x / 64] = place"},
    {TEMPLATE, "pl", "place = places[threadIdx.x % (BLOCK / 32)]", "place = places[0]"},

    /* Where it stands. */
    {TEMPLATE, "pf", "u * (BLOCK * VECTOR) + k;", "u * BLOCK + k;"},
    {TEMPLATE, "pf", "u * (BLOCK * VECTOR) + k;", "u * (BLOCK * VECTOR);"},
    {TEMPLATE, "pf", "load(from + u * BLOCK);\n        for", "load(from + u);\n        for"},
    {TEMPLATE, "pf", "if (equals(map(got.at[k]), value))", "if (true)"},
    {TEMPLATE, "pf", "(unsigned long long)at * TILE", "(unsigned long long)at * BLOCK"},
    {TEMPLATE, "pf", "threadIdx.x * VECTOR;", "threadIdx.x;"},
    {TEMPLATE, "pf", "head + start + look", "start + look"},
    {TEMPLATE, "pf", "at != ~0u && equals(best, value)", "at != ~0u"},
    {TEMPLATE, "pf", "        place = lower(place, head +", "        place = (head +"},
    {TEMPLATE, "pf", "equals(end.value, value) ? end.place", "true ? end.place"},

    /* What is no whole tile. */
    {TEMPLATE, "pf", "if (thread < front)", "if (thread + 1 < front)"},
    {TEMPLATE, "pf", "map(x[thread]), thread)", "map(x[thread]), thread + 1)"},
    {TEMPLATE, "pf", "n - left + i * VECTOR + k", "n - left + i * VECTOR"},
    {TEMPLATE, "p1", "i < left / VECTOR;", "i + 1 < left / VECTOR;"},
    {TEMPLATE, "p1", "i += threads", "i += 2 * threads"},
    {TEMPLATE, "p", "n - left % VECTOR + thread;", "n - left % VECTOR;"},
    {TEMPLATE, "pf", "if (thread < left % VECTOR)", "if (thread < left % VECTOR - 1)"},
    {TEMPLATE, "p1", "blockIdx.x < UNROLL) {", "blockIdx.x == 1) {"},

    /* Whole tiles. */
    {TEMPLATE, "p1", "tile += gridDim.x", "tile += gridDim.x + 1"},
    {TEMPLATE, "p1", "tile < tiles;", "tile + 1 < tiles;"},
    {TEMPLATE, "p1", "a = fold(a, got[u]);", "a = fold(a, got[0]);"},
    {TEMPLATE, "p1", "if (beats(a, best)) {", "if (!beats(best, a)) {"},
    {TEMPLATE, "p1", "            at = tile;", "            at = tiles - 1;"},

    /* The blocks together. */
    {TEMPLATE, "p", "a = nearer(a, partials[i]);\n    const", "a = partials[i];\n    const"},
    {TEMPLATE, "g", "i < n; i += BLOCK)", "i + 1 < n; i += BLOCK)"},
    {TEMPLATE, "p", "*y = place == ~0ULL ? 0 : place;", "*y = place;"},
    {TEMPLATE, "p", "place == ~0ULL && n > 0 ? 0 : place;\n    }", "place;\n    }"},
    {TEMPLATE, "p", "place == ~0ULL && n > 0 ? 0 : place;\n    }",
     "place == ~0ULL ? 0 : place;\n    }"},
    {TEMPLATE, "1", "i < gridDim.x; i += BLOCK)", "i + 1 < gridDim.x; i += BLOCK)"},
    {TEMPLATE, "l", "gridDim.x) == gridDim.x - 1;", "gridDim.x) == 0;"},
    {TEMPLATE, "f", "i < gridDim.x - 1; i += BLOCK)", "i + 1 < gridDim.x - 1; i += BLOCK)"},
    {TEMPLATE, "lf", "equals(a.value, first) ? a.place", "true ? a.place"},
    {TEMPLATE, "lf", "*y = place == ~0ULL && n > 0 ? 0 : place;\n    //? end",
     "*y = place;\n    //? end"},

    /* What comes first. */
    {TYPES, "f", "!(value >= best) && best == best", "value < best"},
    {TYPES, "l", "!(value <= best) && best == best", "!(value <= best)"},
    {TYPES, "p", "return value < best;", "return value <= best;"},
    {TYPES, "1q", "return value > best;", "return value >= best;"},
    {TYPES, "f", "a == b || (a != a && b != b)", "a == b"},
    {TYPES, "pl", "b.place < a.place) ? b : a", "b.place > a.place) ? b : a"},
    {TYPES, "l", "(equals(b.value, a.value) && b.place < a.place)", "false"},
    {TYPES, "p", "(OP == MIN || OP == ARGMIN) && ACC == I32\n    return 0x7fffffff;",
     "(OP == MIN || OP == ARGMIN) && ACC == I32\n    return 0;"},
    {INTRINSICS, "fq", "a.place |= (unsigned long long)",
     "a.place += 1 + (unsigned long long)"},
    {INTRINSICS, "fq", "words + i * (ACCUM_BYTES / 4 + 2);\n    found", "words;\n    found"},
};
enum { FAULTS = sizeof faults / sizeof *faults };

/* --- One process a fault ------------------------------------------------------------------ */

struct fixture {
    struct space *space;
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
                                    .dims = DIMS_VALUE(400000000),
                                    .regime = COLD};
    const struct point_context context = {fixture->space, &problem, &fixture->target};
    char params[200];
    int64_t rows[GRIDS * SPACE_NAMES_MAX];
    for (size_t i = 0; i < GRIDS; i++) {
        snprintf(params, sizeof params, "%s GRID=%zu", variant->params, i);
        make_row(fixture->space, params, rows + i * fixture->space->param_count);
    }
    return check_rows_of(&context, sources, rows, seed, note);
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
        const char **text = fault->source == TEMPLATE ? &sources.template.text
                            : fault->source == TYPES  ? &sources.types.text
                                                      : &sources.intrinsics.text;
        missed += !is_caught(check_letter, fixture, &sources, text, fault->from, fault->to,
                             fault->legend);
    }
    assert_int_equal(missed, 0);
}

static void test_without_a_barrier(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const legend[] = {"pl", "pl", "l"};
    assert_int_equal(count_barriers(check_letter, fixture, &fixture->sources, legend, 3), 3);
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
    fixture.space = load_space("configs/arg.ini");
    fixture.sources = load_sources();
    fixture.sources.template =
        (struct emit_file){"templates/arg.cu", find_file("templates/arg.cu")->bytes};
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
        cmocka_unit_test(test_right_as_it_is),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_without_a_barrier),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
