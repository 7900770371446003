/* Tests of the proof of ordered.cu: check finds it right as it is, and wrong where it combines in
 * another order, although every exact input comes out right then; where it fuses or flushes; and
 * without any one of its barriers. As in test_kernels each fault runs on the host device in a
 * process of its own. */
#include "tests/unit/plant_fault.h"

/* Small blocks, so that few threads make many blocks and tiles; a fault names those that show
 * it by their letters. */
static const struct variant {
    char letter;
    enum op op;
    enum type type;
    const char *params;
} variants[] = {
    {'f', SUM, F32, "BLOCK=64 LEAVES=4 UNROLL=2 TAKE=4 FINISH=LAST_BLOCK"},
    {'h', SUM, F16, "BLOCK=64 LEAVES=2 UNROLL=2 TAKE=1 FINISH=FLAGGED"},
    {'d', PROD, F64, "BLOCK=64 LEAVES=1 UNROLL=1 TAKE=4 FINISH=PASSES GRID=0"},
    {'q', SUMSQ, F32, "BLOCK=32 LEAVES=1 UNROLL=1 TAKE=1 FINISH=LAST_BLOCK"},
    {'b', SUM, BF16, "BLOCK=32 LEAVES=1 UNROLL=1 TAKE=1 FINISH=FLAGGED"},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

enum source { TEMPLATE, TYPES, INTRINSICS };

static const struct fault {
    enum source source;
    const char *legend, *from, *to;
} faults[] = {
    /* Another order, of the same elements. */
    {TYPES, "fhdqb", "for (int d = SPREAD; d < LANES; d *= 2)",
     "for (int d = LANES / 2; d >= SPREAD; d /= 2)"},
    {TYPES, "fhqb", "a[p][i] = combine(a[p][2 * i], a[p][2 * i + 1]);",
     "a[p][i] = combine(a[p][i], a[p][i + width]);"},
    {TYPES, "fhdqb", "skip & by", "skip & by & 0"},
    {TYPES, "d", "next[(p + 1) % PARTS] : next[p]", "next[p] : next[p]"},
    {TYPES, "fhqb", "lane + 1, LANES", "lane, LANES"},
    {TYPES, "f", "const accum even = a[2 * i], odd = a[2 * i + 1];",
     "const accum even = a[i], odd = a[i + HELD / 2 / d];"},
    {TEMPLATE, "fh", "(warp * LEAVES + i + u) * (32 / LANES) + share",
     "((i + u) * (BLOCK / 32) + warp) * (32 / LANES) + share"},
    {TEMPLATE, "f", "part[i] = combine(part[2 * i], part[2 * i + 1]);",
     "part[i] = combine(part[i], part[i + width]);"},
    {TEMPLATE, "qb", "for (; rounds >> k & 1; k++)", "for (; k == 0 && rounds & 1; k++)"},
    {TEMPLATE, "q", "for (unsigned k = 0; rounds >> k; k++)",
     "for (unsigned k = 31; k < 32; k--)"},

    /* Another arithmetic. */
    {TYPES, "q", "a[i] = combine(a[i], map(got.at[i]));",
     "a[i] = __builtin_fmaf(got.at[i], got.at[i], a[i]);"},
    {INTRINSICS, "fqb", "return a + b;",
     "return __builtin_fabsf(a + b) < 0x1p-126f ? 0 : a + b;"},
    {INTRINSICS, "d", "return a * b;", "return __builtin_fabs(a * b) < 0x1p-1022 ? 0 : a * b;"},
    {TYPES, "fhqb", "return 0;", "return -0.0f;"},

    /* Lost, or taken twice. */
    {TEMPLATE, "h", "for (int d = LANES; d < 32; d *= 2)", "for (int d = 32; d < 32; d *= 2)"},
    {TEMPLATE, "fh", "for (int d = 1; d < HELD; d *= 2)", "for (int d = 2; d < HELD; d *= 2)"},
    {TEMPLATE, "fhb", "first < n ? n - first : 0", "n - first"},
    {TEMPLATE, "fhdqb", "left < LEAF ? (unsigned)left : LEAF", "LEAF"},
    {TYPES, "fhdqb", "ROUNDS * FRAME - skip < count)", "ROUNDS * FRAME - skip < count - 1)"},
    {TYPES, "fhdqb", "if (lane == 0 && skip > 0)\n            join_piece",
     "if (lane == 0 && skip > 1)\n            join_piece"},
    {TYPES, "fhdqb", "if (e + i >= 0 && e + i < count)", "if (e + i < count)"},
    {TYPES, "fhqb", "if (e + i >= 0 && e + i < count)", "if (e + i >= 0 && e + i + 1 < count)"},
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
                                    .regime = COLD,
                                    .order = ORDER_BY_N};
    const struct point_context context = {fixture->space, &problem, &fixture->target};
    char params[200];
    int64_t rows[GRIDS * SPACE_NAMES_MAX];
    for (size_t i = 0; i < GRIDS; i++) {
        const bool is_set = strstr(variant->params, "GRID") != NULL;
        snprintf(params, sizeof params, is_set ? "%s" : "%s GRID=%zu", variant->params, i);
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
        const int status = run_child(check_letter, fixture, &fixture->sources, legend, 3, note);
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

/* Leaves of another size, of which each element counts once. */
static void test_other_leaf(void **state)
{
    struct fixture fixture = *(const struct fixture *)*state;
    static const char right[] = "ROUNDS = 8\n";
    const struct embedded *file = find_file("configs/ordered.ini");
    char *space =
        replace(file->bytes, strstr(file->bytes, right), strlen(right), "ROUNDS = 4\n");
    struct error error;
    char note[NOTE_CHARS];
    if (space_load(&fixture.space, file->name, space, strlen(space), embedded_space, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < VARIANTS; i++) {
        const char legend[] = {variants[i].letter, '\0'};
        if (!is_found(run_child(check_letter, &fixture, &fixture.sources, legend, 1, note)))
            fail_msg("leaves of 512 elements are not seen by '%s'", legend);
        if (!strstr(note, "wrong result"))
            fail_msg("leaves of 512 elements are another fault: %s", note);
    }
    space_free(fixture.space);
    free(space);
}

static void test_without_a_barrier(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const legend[] = {"fh", "f"};
    assert_int_equal(count_barriers(check_letter, fixture, &fixture->sources, legend, 2), 2);
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
    fixture.space = load_space("configs/ordered.ini");
    fixture.sources = load_sources();
    fixture.sources.template =
        (struct emit_file){"templates/ordered.cu", find_file("templates/ordered.cu")->bytes};
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
        cmocka_unit_test(test_other_leaf),
        cmocka_unit_test(test_without_a_barrier),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
