/* Tests of kernels of operations whose map, value type or finish is a text of their own: for each space,
 * configs of each type that its rules allow are compiled for the emulator and by NVRTC, and what the emulator
 * gives is what operation_eval.h gives of the same elements. A third of the operations is tried a day. */
#include "autotune/device/bind.h"
#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "autotune/verify/element.h"
#include "autotune/verify/loaded.h"
#include "generator/call.h"
#include "generator/operation_eval.h"
#include "generator/operation_law.h"
#include "generator/operation_type.h"
#include "generator/random.h"
#include "tests/unit/is_turn.h"
#include "tests/unit/reduce_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct error error;

/* What elements an operation gets. All results are exact, whatever the order, but where exp and the like
 * take part. */
enum drawn { SMALL, ANY_FLOATS };

/* clang-format off */
static const struct row {
    const char *name, *keys; /* no keys: a file of configs/operations/ */
    enum drawn drawn;
    double inexact; /* relative; 0 = the same bits */
} rows[] = {
    {"absmax", NULL, ANY_FLOATS, 0},
    {"absmin", NULL, ANY_FLOATS, 0},
    {"asum", NULL, SMALL, 0},
    {"nrm2", NULL, SMALL, 0},
    {"count_nonzero", NULL, ANY_FLOATS, 0},
    {"any", NULL, ANY_FLOATS, 0},
    {"all", NULL, ANY_FLOATS, 0},
    {"mean", NULL, SMALL, 0},
    {"lowered", "map = -x\ncombine = least(a, b)\n", ANY_FLOATS, 0},
    /* a map of 0 that is not 0 */
    {"raised", "map = x + 1\ncombine = a + b\n", SMALL, 0},
    {"positives", "map = x > 0 ? x : 0\ncombine = a + b\nfinish = a - 1\n", SMALL, 0},
    /* that mentions no element */
    {"share", "value = u32\nmap = 1\ncombine = a + b\nfinish = f64(a) / f64(n)\n", SMALL, 0},
    {"wide", "value = f64\nlet half = f64(x) * 0.5\nmap = half * half + 1\ncombine = a + b\nfinish = f32(a)\n",
     SMALL, 0},
    {"signs", "map = x > 0 ? 1 : -1\ncombine = a * b\nfinish = -a\n", SMALL, 0},
    {"inverted", "types = integers\nmap = ~x\ncombine = a ^ b\nfinish = magnitude(a)\n", ANY_FLOATS, 0},
    {"several", "value = u64\nmap = u64(x > 2)\ncombine = a + b\nfinish = i32(a > 3)\n", SMALL, 0},
    {"exponentials", "types = floats\nmap = exp(x)\ncombine = a + b\nfinish = log(a) / acc(n)\n", SMALL, 1e-5},
    {"plain", "map = x\ncombine = a + b\nfinish = a / 2\n", SMALL, 0},
    {"furthest", "value = size:acc at:u64\nmap = make(magnitude(x), i)\n"
     "combine = above(b.size, a.size) || (equals(b.size, a.size) && b.at < a.at) ? b : a\nfinish = a.at\n",
     ANY_FLOATS, 0},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct { enum type type, acc; } kinds[] = {
    {I8, I32}, {U8, U32}, {I16, I64}, {U16, U32}, {I32, I32}, {U32, U32}, {I64, I64}, {U64, U64},
    {F16, F32}, {BF16, F32}, {F32, F32}, {F32, F64}, {F64, F64}, {BF16, F64}, {I32, I64}, {U8, U64},
};
enum { KINDS = sizeof kinds / sizeof *kinds };
/* clang-format on */

static struct operation made[ROWS];

/* --- Operations --------------------------------------------------------------------------- */

static void read_row(struct operation *out, const struct row *row)
{
    struct text source = {0};
    struct operation_text *text = NULL;
    char path[100];
    snprintf(path, sizeof path, "configs/operations/%s.ini", row->name);
    text_addf(&source, "[operation]\nmeaning = m\n%s", row->keys ? row->keys : "");
    if (!row->keys) {
        text_clear(&source);
        assert_int_equal(text_read(&source, path, OPERATION_FILE_MAX, &error), 0);
    }
    if (operation_read(&text, path, source.at, source.length, &error))
        fail_msg("%s", error.text);
    text_dispose(&source);
    *out = (struct operation){.name = row->name,
                              .combine = operation_combine_law(text),
                              .scale = "m",
                              .text = text};
}

static int setup(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        read_row(&made[i], &rows[i]);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++)
        operation_free((struct operation_text *)made[i].text);
    return 0;
}

/* --- What is asked ------------------------------------------------------------------------ */

/* Of one value, of none, and of rows, columns and a middle axis that begin anywhere, few and many. */
static const struct asked {
    const char *space;
    struct dims dims;
} asked[] = {
    {"configs/reduce.ini", DIMS_VALUE(5003)},
    {"configs/reduce.ini", DIMS_VALUE(100)},
    {"configs/reduce.ini", DIMS_VALUE(0)},
    {"configs/reduce-wide.ini", DIMS_VALUE(3000)},
    {"configs/arg.ini", DIMS_VALUE(3001)},
    {"configs/rows.ini", {{37, 35}, {33, 1}, {1, 1}, DIMS_ALL, DIMS_WHOLE}},
    {"configs/rows.ini", {{3, 4000}, {4000, 1}, {1, 1}, DIMS_ALL, DIMS_WHOLE}},
    {"configs/columns.ini", {{1, 1}, {3000, 5}, {5, 1}, DIMS_ALL, DIMS_WHOLE}},
    {"configs/columns.ini", {{1, 1}, {70, 68}, {67, 1}, DIMS_ALL, DIMS_WHOLE}},
    {"configs/middle.ini", {{9, 700}, {60, 11}, {10, 1}, DIMS_ALL, DIMS_WHOLE}},
    {"configs/scan.ini", {{1, 1}, {2500, 1}, {1, 1}, DIMS_INCLUSIVE, DIMS_WHOLE}},
    {"configs/scan-rows.ini", {{7, 100}, {100, 1}, {1, 1}, DIMS_EXCLUSIVE, DIMS_WHOLE}},
    {"configs/ladder/sequential.ini", DIMS_VALUE(2000)},
};
enum { ASKED = sizeof asked / sizeof *asked, CONFIGS = 2, TRIES = 20000, DAYS = 3 };

struct fixture {
    struct device *device;
    struct nvrtc *nvrtc[2];
    struct space *spaces[ASKED];
    uint64_t random, kernels, compiled;
};

static struct emit_sources sources_of(const struct space *space)
{
    struct emit_sources sources = load_sources();
    char path[100];
    snprintf(path, sizeof path, "templates/%.80s", space->template_name);
    const struct embedded *file = find_file(path);
    sources.template = (struct emit_file){file->name, file->bytes};
    return sources;
}

/* The default, and others that the rules allow. How many. */
static size_t choose_configs(struct fixture *fixture, struct space *space,
                             const struct point_context *context, int64_t *configs)
{
    const size_t width = space->param_count;
    size_t count = 1;
    if (space_settle_default(space, context->problem, context->target, &error))
        fail_msg("%s", error.text);
    memcpy(configs, space->default_config, width * sizeof *configs);
    if (point_reject(context, configs, &error) != POINT_VALID) {
        char shown[PROBLEM_CHARS];
        fail_msg("default of %s: %s", problem_format(shown, context->problem), space->name);
    }
    for (int tries = 0; tries < TRIES && count < CONFIGS; tries++) {
        int64_t *config = configs + count * width;
        for (size_t i = 0; i < width; i++)
            config[i] =
                space->params[i].values[random_next(&fixture->random) % space->params[i].count];
        count += point_reject(context, config, &error) == POINT_VALID;
    }
    return count;
}

/* --- Elements and results ----------------------------------------------------------------- */

/* As operation_eval.h takes it: a double's bits, or an integer. */
static uint64_t word_of(enum type type, const void *elements, uint64_t at)
{
    const struct type_row *row = &problem_types[type];
    if (row->is_float) {
        const double value = element_load(type, elements, at);
        uint64_t word;
        memcpy(&word, &value, sizeof word);
        return word;
    }
    const uint64_t word = element_load_word(type, elements, at);
    const int shift = 64 - 8 * row->bytes;
    return row->is_signed ? (uint64_t)((int64_t)(word << shift) >> shift) : word;
}

static void draw(enum drawn drawn, enum type type, void *elements, uint64_t count,
                 uint64_t *random)
{
    static const double specials[] = {0, -0.0, INFINITY, -INFINITY, NAN, 1e-45, 1e-310};
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t word = random_next(random);
        const double small = (double)(word % 7) - 3;
        if (!problem_types[type].is_float)
            element_store_word(type, drawn == SMALL ? (uint64_t)(int64_t)small : word >> 7,
                               elements, i);
        else if (drawn == ANY_FLOATS && word >> 8 & 7)
            element_store(type, small / 8, elements, i);
        else
            element_store(type, drawn == SMALL ? small : specials[word % 7], elements, i);
    }
}

/* What an operation gives, by its text alone: elements one after another. */
struct reference {
    struct operation_eval *eval;
    int fields;
    uint64_t value[OPERATION_FIELDS_MAX * OPERATION_LANES];
};

static void begin(struct reference *reference)
{
    operation_eval_identity(reference->eval, reference->value, 1);
}

static void take(struct reference *reference, uint64_t x, uint64_t i)
{
    uint64_t mapped[OPERATION_FIELDS_MAX * OPERATION_LANES];
    operation_eval_map(reference->eval, &x, &i, mapped, 1);
    operation_eval_combine(reference->eval, reference->value, mapped, reference->value, 1);
}

/* The result of n elements. */
static uint64_t end(struct reference *reference, uint64_t n)
{
    uint64_t result;
    operation_eval_finish(reference->eval, reference->value, &n, &result, 1);
    return result;
}

static bool is_alike(enum type type, uint64_t got, uint64_t want, double inexact)
{
    double a, b;
    memcpy(&a, &got, sizeof a);
    memcpy(&b, &want, sizeof b);
    if (!problem_types[type].is_float || (got == want))
        return got == want;
    return (isnan(a) && isnan(b)) || fabs(a - b) <= inexact * fabs(b);
}

/* The first result that is not the text's; UINT64_MAX: all are. */
static uint64_t compare(const struct problem *problem, const void *elements,
                        const void *results, double inexact, uint64_t *got, uint64_t *want)
{
    const struct dims *dims = &problem->dims;
    const enum type type = problem_result(problem);
    struct reference reference = {.fields = 0};
    uint64_t wrong = UINT64_MAX, at = 0;
    if (operation_eval_open(&reference.eval, problem->op->text, problem->acc, &error))
        fail_msg("%s", error.text);
    for (uint64_t r = 0; r < dims_kept(dims) && wrong == UINT64_MAX; r++) {
        begin(&reference);
        for (uint64_t d = 0; d < dims->depth.n && wrong == UINT64_MAX; d++) {
            if (dims->scan == DIMS_EXCLUSIVE)
                *want = end(&reference, d);
            take(&reference, word_of(problem->type, elements, dims_at(dims, r, d)), d);
            if (dims->scan == DIMS_INCLUSIVE)
                *want = end(&reference, d + 1);
            if (!dims->scan)
                continue;
            *got = word_of(type, results, at);
            wrong = is_alike(type, *got, *want, inexact) ? wrong : at;
            at++;
        }
        if (dims->scan)
            continue;
        *want = end(&reference, dims->depth.n);
        *got = word_of(type, results, r);
        wrong = is_alike(type, *got, *want, inexact) ? wrong : r;
    }
    operation_eval_free(reference.eval);
    return wrong;
}

/* --- On the emulator ---------------------------------------------------------------------- */

static uint64_t allocate(struct fixture *fixture, uint64_t bytes)
{
    uint64_t address;
    const struct device_ops *ops = fixture->device->ops;
    if (ops->alloc(fixture->device, bytes + 64, &address, &error) ||
        ops->fill(fixture->device, address, 0, bytes + 64, NULL, &error))
        fail_msg("%s", error.text);
    return address;
}

/* Elements that begin one behind an aligned address. */
static void run_config(struct fixture *fixture, const struct point_context *context,
                       const int64_t *config, const struct device_kernel *const *kernels,
                       const void *elements, void *results)
{
    static struct planner_plan plan;
    struct device_launch launches[PLANNER_LAUNCHES];
    const struct problem *problem = context->problem;
    struct device *device = fixture->device;
    const uint64_t each = (uint64_t)problem_types[problem->type].bytes;
    const uint64_t bytes = dims_extent(&problem->dims) * each;
    const uint64_t result_bytes =
        dims_results(&problem->dims) * (uint64_t)problem_types[problem_result(problem)].bytes;
    if (call_plan(&plan, context, config, &error))
        fail_msg("%s", error.text);
    const uint64_t input = allocate(fixture, bytes);
    const struct planner_buffers buffers = {.input = input + each,
                                            .output = allocate(fixture, result_bytes),
                                            .scratch = allocate(fixture, plan.scratch_bytes),
                                            .state = allocate(fixture, plan.state_bytes)};
    bind_launches(launches, &plan, context->space, context->problem, kernels, &buffers, NULL);
    if (device->ops->write(device, buffers.input, elements, bytes, &error) ||
        device->ops->launch(device, launches, (size_t)plan.count, NULL, &error) ||
        device->ops->sync(device, NULL, &error) ||
        device->ops->read(device, results, buffers.output, result_bytes, &error))
        fail_msg("%s", error.text);
    device->ops->free(device, input);
    device->ops->free(device, buffers.output);
    device->ops->free(device, buffers.scratch);
    device->ops->free(device, buffers.state);
}

enum { BYTES = 1 << 17 };

static void check_configs(struct fixture *fixture, const struct point_context *context,
                          const int64_t *configs, size_t count, const struct row *row)
{
    static unsigned char elements[BYTES], results[BYTES];
    const struct emit_sources sources = sources_of(context->space);
    const struct problem *problem = context->problem;
    struct loaded loaded = {0};
    assert_true(dims_extent(&problem->dims) * 8 <= BYTES);
    if (loaded_open(&loaded, fixture->device, context, &sources, configs, count, &error))
        fail_msg("%s: %s", row->name, error.text);
    for (size_t i = 0; i < count; i++) {
        const int64_t *config = configs + i * context->space->param_count;
        const struct device_kernel *kernels[SPACE_PASSES_MAX];
        uint64_t got = 0, want = 0;
        draw(row->drawn, problem->type, elements, dims_extent(&problem->dims),
             &fixture->random);
        loaded_kernels(&loaded, i, kernels);
        run_config(fixture, context, config, kernels, elements, results);
        const uint64_t wrong = compare(problem, elements, results, row->inexact, &got, &want);
        if (wrong != UINT64_MAX) {
            struct text params = {0};
            char shown[PROBLEM_CHARS];
            point_format(&params, context->space, config, true);
            fail_msg("%s by %s: %s: result %llu is %llx, not %llx",
                     problem_format(shown, problem), context->space->name, params.at,
                     (unsigned long long)wrong, (unsigned long long)got,
                     (unsigned long long)want);
        }
        fixture->kernels++;
    }
    loaded_close(&loaded);
}

/* --- For a GPU ---------------------------------------------------------------------------- */

/* As for the program's own compiler, or for a user's. */
static void compile_config(struct fixture *fixture, const struct point_context *context,
                           const int64_t *config, size_t which)
{
    struct device_source units[SPACE_PASSES_MAX];
    struct emit_sources sources = sources_of(context->space);
    struct device_image image;
    struct emit_variant emitted;
    sources.any_flags = random_next(&fixture->random) % 2;
    if (emit_variant(&emitted, context, &sources, config, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < emitted.count; i++)
        units[i] = (struct device_source){emitted.texts[i].at, context->space->kernel};
    if (nvrtc_compile(fixture->nvrtc[which], context->target->cc, NVRTC_CUBIN, units,
                      emitted.count, &image, &error))
        fail_msg("%s\n%s", error.text, emitted.texts[0].at);
    device_dispose_image(&image);
    emit_dispose(&emitted);
    fixture->compiled++;
}

static void compile_some(struct fixture *fixture, struct space *space,
                         const struct problem *problem)
{
    static const char *const archs[] = {"sm_75", "sm_90"};
    const size_t which = random_next(&fixture->random) % 2;
    int64_t configs[CONFIGS * SPACE_NAMES_MAX];
    struct target target;
    if (!fixture->nvrtc[which])
        return;
    assert_int_equal(gpus_find(&target, archs[which], &error), 0);
    const struct point_context context = {space, problem, &target};
    const size_t count = choose_configs(fixture, space, &context, configs);
    compile_config(fixture, &context,
                   configs + random_next(&fixture->random) % count * space->param_count, which);
}

/* --- All ---------------------------------------------------------------------------------- */

static bool draw_kind(struct problem *problem, uint64_t *random)
{
    for (int tries = 0; tries < 100; tries++) {
        const size_t kind = random_next(random) % KINDS;
        problem->type = kinds[kind].type;
        problem->acc = kinds[kind].acc;
        if (operation_check_types(problem->op->text, problem->type, problem->acc, &error) == 0)
            return true;
    }
    return false;
}

static void try_space(struct fixture *fixture, size_t at, const struct row *row,
                      const struct operation *op)
{
    static const enum order orders[] = {ORDER_FREE, ORDER_RUN, ORDER_ANY};
    struct space *space = fixture->spaces[at];
    struct problem problem = {.op = op, .dims = asked[at].dims, .regime = COLD};
    int64_t configs[CONFIGS * SPACE_NAMES_MAX];
    assert_true(draw_kind(&problem, &fixture->random));
    problem.order = orders[random_next(&fixture->random) % 3];
    problem_simplify(&problem);
    if (!space_serves(space, &problem))
        return;
    const struct point_context context = {space, &problem, &fixture->device->info.target};
    const size_t count = choose_configs(fixture, space, &context, configs);
    check_configs(fixture, &context, configs, count, row);
    if (at % 3 == (size_t)(row - rows) % 3)
        compile_some(fixture, space, &problem);
}

static void test_row(void **state)
{
    const struct row *row = *state;
    const struct operation *op = &made[row - rows];
    const struct device_options options = {.spec = "host", .seed = 1};
    struct fixture fixture = {.random = (uint64_t)(row - rows)};
    assert_int_equal(device_open(&fixture.device, &options, &error), 0);
    for (int k = 0; k < 2; k++)
        if (nvrtc_open(&fixture.nvrtc[k], NULL, k ? 90 : 75, &error))
            fixture.nvrtc[k] = NULL;
    for (size_t i = 0; i < ASKED; i++) {
        fixture.spaces[i] = load_space(asked[i].space);
        try_space(&fixture, i, row, op);
        space_free(fixture.spaces[i]);
    }
    for (int k = 0; k < 2; k++)
        if (fixture.nvrtc[k])
            nvrtc_close(fixture.nvrtc[k]);
    device_close(fixture.device);
    print_message("%s: %llu configs are right, %llu compile for GPUs\n", row->name,
                  (unsigned long long)fixture.kernels, (unsigned long long)fixture.compiled);
    assert_true(fixture.kernels >= CONFIGS);
}

/* --- What is refused ---------------------------------------------------------------------- */

static const struct operation *op_named(const char *name)
{
    const struct operation *op;
    assert_int_equal(operation_find(&op, name, &error), 0);
    return op;
}

/* Spaces that know no finish, and no map of another kind. */
static void test_refused_spaces(void **state)
{
    static const struct {
        const char *space, *op;
        struct dims dims;
        enum order order;
        const char *says;
    } cases[] = {
        {"configs/scan.ini",
         "mean",
         {{1, 1}, {1000, 1}, {1, 1}, DIMS_INCLUSIVE, DIMS_WHOLE},
         ORDER_FREE,
         "operation 'mean': a scan gives values as they are, so it has no finish"},
        {"configs/ladder/sequential.ini", "nrm2", DIMS_VALUE(1000), ORDER_FREE,
         "its kernels are for other operations than 'nrm2', where OUTER == 1 && INNER == 1 && "
         "DEPTH_STRIDE == 1 && !POSITION && !HAS_FINISH && !HAS_INDEX && COMMUTES: use --space reduce"},
        {"configs/axes.ini", "mean", DIMS_VALUE(1000), ORDER_FREE, "use --space reduce"},
        {"configs/ordered.ini", "asum", DIMS_VALUE(1000), ORDER_BY_N,
         "its kernels are for other operations than 'asum'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct space *space = load_space(cases[i].space);
        const struct problem problem = {.op = op_named(cases[i].op),
                                        .type = F32,
                                        .acc = F32,
                                        .dims = cases[i].dims,
                                        .order = cases[i].order};
        assert_int_equal(space_check_problem(space, &problem, &error), -1);
        if (!strstr(error.text, cases[i].says))
            fail_msg("%s\nwanted: %s", error.text, cases[i].says);
        space_free(space);
    }
}

/* Configs that would finish a value twice, or what is not the last. */
static void test_refused_configs(void **state)
{
    static const struct {
        const char *space, *params, *reason;
        struct dims dims;
    } cases[] = {
        {"configs/reduce.ini", "FINISH=PASSES GRID=4 WALK=STRIDED CLUSTER=1",
         "a last value that is finished is known to a block", DIMS_VALUE(1 << 20)},
        {"configs/reduce.ini", "FINISH=ATOMIC",
         "a last value that is finished is known to a block", DIMS_VALUE(1 << 20)},
        {"configs/rows.ini",
         "SPLIT=PARTS PIECES=1",
         "a row that is finished is in one piece, or its last block's",
         {{4, 100000}, {100000, 1}, {1, 1}, DIMS_ALL, DIMS_WHOLE}},
        {"configs/columns.ini",
         "SPLIT=PARTS PIECES=1",
         "a column that is finished is in one piece, or its last block's",
         {{1, 1}, {100000, 4}, {4, 1}, DIMS_ALL, DIMS_WHOLE}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int finishes = 0; finishes < 2; finishes++) {
            struct space *space = load_space(cases[i].space);
            struct target target;
            int64_t config[SPACE_NAMES_MAX];
            const struct problem problem = {.op = op_named(finishes ? "mean" : "asum"),
                                            .type = F64,
                                            .acc = F64,
                                            .dims = cases[i].dims};
            assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
            const struct point_context context = {space, &problem, &target};
            assert_int_equal(space_settle_default(space, &problem, &target, &error), 0);
            make_row(space, cases[i].params, config);
            const int broken = point_reject(&context, config, &error);
            if (finishes &&
                (broken < 0 || strcmp(space->rules[broken].reason, cases[i].reason)))
                fail_msg("%s: %s", cases[i].params,
                         broken < 0 ? "allowed" : space->rules[broken].reason);
            if (!finishes && broken != POINT_VALID)
                fail_msg("%s: %s", cases[i].params, space->rules[broken].reason);
            space_free(space);
        }
}

int main(void)
{
    struct CMUnitTest tests[ROWS + 2] = {cmocka_unit_test(test_refused_spaces),
                                         cmocka_unit_test(test_refused_configs)};
    size_t count = 2;
    for (size_t i = 0; i < ROWS; i++)
        if (is_turn(i, DAYS))
            tests[count++] =
                (struct CMUnitTest){rows[i].name, test_row, NULL, NULL, (void *)&rows[i]};
    return cmocka_run_group_tests(tests, setup, teardown); /* which passes over what is empty */
}
