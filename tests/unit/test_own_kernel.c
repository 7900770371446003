/* Tests of the proof of kernels that a user writes: two small templates are right as they are,
 * and wrong with faults that a careless author makes and no index shows: of values, of ties, of
 * sizes and addresses, of accumulators too narrow. Each fault runs in a process of its own. */
#include "autotune/verify/check_small.h"
#include "tests/unit/named_op.h"
#include "tests/unit/plant_fault.h"

enum { POSITIONS = 192 };

static const char value_kernel[] =
    "__global__ void __launch_bounds__(BLOCK)\n"
    "own(const elem *x, unsigned long long n, accum *y, accum *partials, unsigned *state)\n"
    "{\n"
    "    const unsigned t = threadIdx.x;\n"
    "    const unsigned long long step = (unsigned long long)gridDim.x * BLOCK;\n"
    "    accum a = identity();\n"
    "    for (unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + t; i < n; i += step)\n"
    "        a = combine(a, map(x[i]));\n"
    "    __shared__ accum shared[BLOCK];\n"
    "    __shared__ bool is_last;\n"
    "    shared[t] = a;\n"
    "    for (unsigned d = BLOCK / 2; d > 0; d /= 2) {\n"
    "        __syncthreads();\n"
    "        if (t < d)\n"
    "            shared[t] = combine(shared[t], shared[t + d]);\n"
    "    }\n"
    "    if (t == 0) {\n"
    "        partials[blockIdx.x] = shared[0];\n"
    "        is_last = arrive(state, gridDim.x) == gridDim.x - 1;\n"
    "    }\n"
    "    __syncthreads();\n"
    "    if (!is_last)\n"
    "        return;\n"
    "    if (t == 0) {\n"
    "        accum r = identity();\n"
    "        for (unsigned b = 0; b < gridDim.x; b++)\n"
    "            r = combine(r, partials[b]);\n"
    "        *y = r;\n"
    "    }\n"
    "}\n";

static const char position_kernel[] =
    "__global__ void __launch_bounds__(BLOCK)\n"
    "own(const elem *x, unsigned long long n, unsigned long long *y, found *partials, unsigned *state)\n"
    "{\n"
    "    const unsigned t = threadIdx.x;\n"
    "    const unsigned long long step = (unsigned long long)gridDim.x * BLOCK;\n"
    "    found a = {identity(), ~0ULL};\n"
    "    for (unsigned long long i = (unsigned long long)blockIdx.x * BLOCK + t; i < n; i += step) {\n"
    "        const found b = {map(x[i]), i};\n"
    "        a = nearer(a, b);\n"
    "    }\n"
    "    __shared__ found shared[BLOCK];\n"
    "    shared[t] = a;\n"
    "    __syncthreads();\n"
    "    if (t != 0)\n"
    "        return;\n"
    "    for (unsigned i = 1; i < BLOCK; i++)\n"
    "        a = nearer(a, shared[i]);\n"
    "    partials[blockIdx.x] = a;\n"
    "    if (arrive(state, gridDim.x) != gridDim.x - 1)\n"
    "        return;\n"
    "    a = partials[0];\n"
    "    for (unsigned b = 1; b < gridDim.x; b++)\n"
    "        a = nearer(a, partials[b]);\n"
    "    *y = a.place;\n"
    "}\n";

#define SPACE(name, more)                                                                      \
    "[space]\nname = " name "\ntemplate = own.cu\nkernel = own\n" more                         \
    "[param BLOCK]\nvalues = 64\n[param GRID]\nvalues = 1 2\nwhen = launch\n"                  \
    "[derived]\nSHARE = max(1, ceil_div(N, BLOCK))\n"                                          \
    "[pass main]\nblock = BLOCK\ngrid = min(SHARE, GRID * SMS)\ntile = BLOCK\noutputs = 1\n"   \
    "partials = BLOCKS\nstate = 1\nargs = input n output partials state\nheight = N\n"         \
    "[default]\nBLOCK = 64\nGRID = 1\n"

enum { KERNELS = 2 };
static const struct {
    const char *text, *space;
} kernels[KERNELS] = {
    {value_kernel, SPACE("value", "")},
    {position_kernel, SPACE("position", "serves = OUTER == 1 && INNER == 1 && POSITION\n")},
};

static const struct variant {
    char letter;
    enum op op;
    enum type type;
} variants[] = {
    {'s', SUM, I32},    {'u', SUM, U32},   {'i', SUM, I16},    {'b', SUM, I8},
    {'h', SUM, F16},    {'f', SUM, F32},   {'x', XOR, U32},    {'m', MAX, I32},
    {'n', MAX, F32},    {'d', MIN, F64},   {'H', MAX, F16},    {'P', ARGMIN, I32},
    {'Q', ARGMAX, F32}, {'R', ARGMIN, U8}, {'S', ARGMAX, I64},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

#define LOAD "a = combine(a, map(x[i]));"
#define HALF(a) "__uint_as_float((__float_as_uint(" a ") + 0xfff) & ~0x1fffu)"

static const struct fault {
    const char *legend, *from, *to;
} faults[] = {
    /* Elements of certain values. */
    {"s", LOAD, "if (x[i] != 1) " LOAD},
    {"ux", LOAD, "if (x[i] != 0x80000000u) " LOAD},
    {"n", LOAD, "if (__float_as_uint(x[i]) <= 0xff800000u) " LOAD}, /* by the order of keys */
    {"n", LOAD, "if (__float_as_uint(x[i]) != 0x7fffffffu) " LOAD},
    {"d", LOAD, "if (x[i] == x[i] || __double_as_longlong(x[i]) << 12 != 4096) " LOAD},
    {"H", LOAD, "if (x[i] <= 0xfc00) " LOAD},
    {"Q", "a = nearer(a, b);", "if (__float_as_uint(x[i]) <= 0xff800000u) a = nearer(a, b);"},

    /* Accumulators too narrow. */
    {"i", "r = combine(r, partials[b]);",
     "r = (int)((float)(int)r + (float)(int)partials[b]);"},
    {"b", "*y = r;", "*y = (int)(r << 10) >> 10;"},
    {"h", LOAD,
     "{\n    accum p = map(x[i]);\n    if (i + step < n)\n        p += map(x[i += step]);\n"
     "    a += " HALF("p") ";\n    }"},
    {"f", LOAD, "if (!(__builtin_fabsf(map(x[i])) < __builtin_fabsf(a) * 1e-5f)) " LOAD},

    /* Certain sizes and addresses. */
    {"sf", "*y = r;", "*y = n > 0 && n % 1024 == 0 ? r + 1 : r;"},
    {"m", "i < n; i += step", "i < (n > 500 && n % step == 0 ? n - step : n); i += step"},
    {"sb", "*y = r;", "*y = (unsigned long long)x % 32 == 16 ? r + 1 : r;"},
    {"sd", "*y = r;", "*y = (unsigned long long)y % 16 == 8 ? r + 1 : r;"},
    {"s", "*y = r;", "*y = (unsigned long long)y % 16 == 4 ? r + 1 : r;"},
    {"s", "*y = r;", "*y = r, partials[-1] = 0;"},

    /* Of equals in several blocks the one of the lowest block. */
    {"PQRS", "a = nearer(a, partials[b]);",
     "if (beats(partials[b].value, a.value)) a = partials[b];"},
};
enum { FAULTS = sizeof faults / sizeof *faults };

struct fixture {
    struct space *spaces[KERNELS];
    struct emit_sources sources[KERNELS];
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

static size_t kernel_of(char letter)
{
    return law_of(find_variant(letter)->op)->is_position;
}

/* `points` are candidates of one variant, of which it chooses two; why not goes to the note. */
static enum outcome check_kernels(struct device *device, const struct point_context *context,
                                  const struct points *points,
                                  const struct device_kernel *const of_passes[SPACE_PASSES_MAX],
                                  uint64_t seed, char note[NOTE_CHARS])
{
    struct check *check;
    struct check_configs rows;
    struct check_outcome outcome = {.is_right = false};
    struct error error = {0};
    if (check_open(&check, device, context->problem, NULL, POSITIONS, seed, &error)) {
        snprintf(note, NOTE_CHARS, "%.300s", error.text);
        return FAILED;
    }
    int failed = check_choose(&rows, context, points->configs, points->count, &error) ||
                 check_small(check, context, rows, of_passes, CHECK_ALL, &outcome, &error);
    if (!failed && outcome.is_right)
        failed = check_specials(check, context, rows, of_passes, &outcome, &error);
    check_close(check);
    snprintf(note, NOTE_CHARS, "%.300s", failed ? error.text : outcome.reason);
    return failed ? FAILED : outcome.is_right ? RIGHT : WRONG;
}

/* `rows` are GRIDS candidates of one variant. */
static enum outcome check_rows_of(const struct point_context *context,
                                  const struct emit_sources *sources, int64_t *rows,
                                  uint64_t seed, char note[NOTE_CHARS])
{
    struct loaded_variant variant;
    if (!load_variant(&variant, context, sources, rows, seed, note))
        return FAILED;
    const enum outcome outcome =
        check_kernels(variant.device, context, &variant.points, variant.of_passes, seed, note);
    unload_variant(&variant);
    return outcome;
}

static enum outcome check_letter(const void *all, const struct emit_sources *sources,
                                 char letter, uint64_t seed, char *note)
{
    const struct fixture *fixture = all;
    const struct variant *variant = find_variant(letter);
    const struct space *space = fixture->spaces[kernel_of(letter)];
    const struct problem problem = {.op = op_of(variant->op),
                                    .type = variant->type,
                                    .acc = problem_default_acc(variant->type),
                                    .dims = DIMS_VALUE(400000000),
                                    .regime = COLD};
    const struct point_context context = {space, &problem, &fixture->target};
    int64_t rows[GRIDS * SPACE_NAMES_MAX];
    make_row(space, "GRID=1", rows);
    make_row(space, "GRID=2", rows + space->param_count);
    return check_rows_of(&context, sources, rows, seed, note);
}

static void test_right_as_they_are(void **state)
{
    const struct fixture *fixture = *state;
    for (size_t i = 0; i < VARIANTS; i++) {
        const char legend[] = {variants[i].letter, '\0'};
        char note[NOTE_CHARS];
        const int status =
            run_child(check_letter, fixture, &fixture->sources[kernel_of(*legend)], legend,
                      choose_seeds(2), note);
        if (!is_right(status))
            fail_msg("%s: %s", legend, note);
    }
}

static void test_faults(void **state)
{
    const struct fixture *fixture = *state;
    size_t missed = 0;
    for (size_t i = 0; i < FAULTS; i++) {
        struct emit_sources sources = fixture->sources[kernel_of(*faults[i].legend)];
        missed += !is_caught(check_letter, fixture, &sources, &sources.template.text,
                             faults[i].from, faults[i].to, faults[i].legend);
    }
    assert_int_equal(missed, 0);
}

/* How many barriers a template has; each must be missed by each variant that has it: `letters` of
 * the first barrier, then of the next, `most` of them. */
static size_t count_barriers(letter_check *check, const void *fixture,
                             const struct emit_sources *right, const char *const *legend,
                             size_t most)
{
    static const char barrier[] = "__syncthreads();";
    const char *template = right->template.text;
    size_t count = 0;
    for (const char *at = template; (at = strstr(at, barrier)); at++, count++) {
        struct emit_sources sources = *right;
        char what[100];
        if (count == most)
            fail_msg("%s has more than %zu barriers", right->template.name, most);
        char *changed = replace(template, at, strlen(barrier), "");
        sources.template.text = changed;
        snprintf(what, sizeof what, "barrier %zu of %s left out", count, right->template.name);
        if (!each_shows(check, fixture, &sources, legend[count], 20, what))
            fail_msg("%s: not needed, or not seen", what);
        free(changed);
    }
    return count;
}

static void test_without_a_barrier(void **state)
{
    const struct fixture *fixture = *state;
    static const char *const legend[] = {"PS"};
    assert_int_equal(count_barriers(check_letter, fixture, &fixture->sources[1], legend, 1), 1);
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
    for (size_t i = 0; i < KERNELS; i++) {
        if (space_load(&fixture.spaces[i], "own.ini", kernels[i].space,
                       strlen(kernels[i].space), NULL, &error) != 0)
            fail_msg("%s", error.text);
        fixture.sources[i] = load_sources();
        fixture.sources[i].template = (struct emit_file){"own.cu", kernels[i].text};
    }
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    for (size_t i = 0; i < KERNELS; i++)
        space_free(((struct fixture *)*state)->spaces[i]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_as_they_are),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_without_a_barrier),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
