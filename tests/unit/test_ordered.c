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
    {'f', SUM, F32, "BLOCK=64 LEAVES=2 UNROLL=4 TAKE=4 FINISH=LAST_BLOCK"},
    {'h', SUM, F16, "BLOCK=64 LEAVES=2 UNROLL=8 TAKE=1 FINISH=FLAGGED"},
    {'d', PROD, F64, "BLOCK=64 LEAVES=1 UNROLL=2 TAKE=4 FINISH=PASSES GRID=0"},
    {'q', SUMSQ, F32, "BLOCK=32 LEAVES=1 UNROLL=8 TAKE=1 FINISH=LAST_BLOCK"},
    {'b', SUM, BF16, "BLOCK=32 LEAVES=1 UNROLL=4 TAKE=1 FINISH=FLAGGED"},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

enum source { TEMPLATE, TYPES, INTRINSICS };

static const struct fault {
    enum source source;
    const char *legend, *from, *to;
} faults[] = {
    /* Another order, of the same elements. */
    {TEMPLATE, "fhdq", "for (int d = HELD; d < 32; d *= 2)",
     "for (int d = 16; d >= HELD; d /= 2)"},
    {TEMPLATE, "fh", "for (int d = 1; d < HELD; d *= 2)\n        all",
     "for (int d = HELD / 2; d > 32; d *= 2)\n        all"},
    {TEMPLATE, "fh", "(warp * LEAVES + i) * (32 / LANES) + share",
     "(i * (BLOCK / 32) + warp) * (32 / LANES) + share"},
    {TEMPLATE, "fhqb", "a[p][i] = combine(a[p][2 * i], a[p][2 * i + 1]);",
     "a[p][i] = combine(a[p][i], a[p][i + width]);"},
    {TEMPLATE, "fd", "part[i] = combine(part[2 * i], part[2 * i + 1]);",
     "part[i] = combine(part[i], part[i + width]);"},
    {TEMPLATE, "qb", "for (; rounds >> k & 1; k++)", "for (; k == 0 && rounds & 1; k++)"},
    {TEMPLATE, "q", "for (unsigned k = 0; rounds >> k; k++)",
     "for (unsigned k = 31; k < 32; k--)"},
    {TEMPLATE, "fhdqb", "skip & by", "skip & by & 0"},
    {TEMPLATE, "d", "next[(p + 1) % PARTS] : next[p]", "next[p] : next[p]"},
    {TEMPLATE, "fhqb", "lane + 1, LANES", "lane, LANES"},

    /* Another arithmetic. */
    {TEMPLATE, "q", "a[p][i] = combine(a[p][i], map(got[u].at[i]));",
     "a[p][i] = __builtin_fmaf(got[u].at[i], got[u].at[i], a[p][i]);"},
    {INTRINSICS, "fqb", "return a + b;",
     "return __builtin_fabsf(a + b) < 0x1p-126f ? 0 : a + b;"},
    {INTRINSICS, "d", "return a * b;", "return __builtin_fabs(a * b) < 0x1p-1022 ? 0 : a * b;"},
    {TYPES, "fhqb", "return 0;", "return -0.0f;"},

    /* Lost, or taken twice. */
    {TEMPLATE, "fhdqb", "const int begin = at < skip;", "const int begin = 0;"},
    {TEMPLATE, "fhdqb", "begin > end ? 0 : left - end * 128", "0"},
    {TEMPLATE, "fhqb", "i >= (int)skip && i < left)\n                            front",
     "i >= (int)skip + 1 && i < left)\n                            front"},
    {TEMPLATE, "fhdqb", "left < 1024 ? (unsigned)left : 1024", "1024"},
    {TEMPLATE, "fhb", "first < n ? n - first : 0", "n - first"},
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

/* The text with 512 for each 1024 from `from` on; owned by the caller. */
static char *halve(const char *text, const char *from)
{
    struct text out = {0};
    const char *first = strstr(text, from);
    assert_non_null(first);
    text_add(&out, text, (size_t)(first - text));
    text = first;
    for (const char *at; (at = strstr(text, "1024")); text = at + 4) {
        text_add(&out, text, (size_t)(at - text));
        text_adds(&out, "512");
    }
    text_adds(&out, text);
    return out.at;
}

/* Leaves of another size: space and template agree, and each element counts once. */
static void test_other_leaf(void **state)
{
    struct fixture fixture = *(const struct fixture *)*state;
    char *template = halve(fixture.sources.template.text, "");
    const struct embedded *file = find_file("configs/ordered.ini");
    char *space = halve(file->bytes, "[derived]");
    struct error error;
    char note[NOTE_CHARS];
    fixture.sources.template.text = template;
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
    free(template);
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
