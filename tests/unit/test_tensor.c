/* Sums by tensor cores, proven on the host device, whose fragments are spread over a warp as a
 * GPU's are: right as they are; what the rules allow; and that the error bound of floats holds where each addition truncates. */
#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "autotune/ladder/ladder_rung.h"
#include "autotune/search/ladder_measure.h"
#include "autotune/search/tune_result.h"
#include "autotune/search/worker.h"
#include "autotune/verify/oracle.h"
#include "generator/call.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct fixture {
    struct rungs rungs;
    struct ladder_rung cuda, tensor; /* of the ladder */
    struct space *wide;
    struct emit_sources sources;
} fixture;

static struct error error;

static void open_rung(struct ladder_rung *out, const char *name)
{
    const struct rungs *rungs = &fixture.rungs;
    size_t i = 0;
    while (strcmp(rungs->rungs[i].name, name) != 0)
        assert_true(++i < rungs->count);
    if (ladder_rung_open(out, rungs, &rungs->rungs[i], &error))
        fail_msg("%s", error.text);
}

static int setup(void **state)
{
    (void)state;
    assert_int_equal(ladder_rung_list(&fixture.rungs, &error), 0);
    open_rung(&fixture.cuda, "tensor-1");
    open_rung(&fixture.tensor, "tensor-2");
    fixture.wide = load_space("configs/reduce-wide.ini");
    fixture.sources = load_sources();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    space_free(fixture.wide);
    ladder_rung_close(&fixture.cuda);
    ladder_rung_close(&fixture.tensor);
    rungs_dispose(&fixture.rungs);
    return 0;
}

static struct problem sum_of(enum type type, uint64_t n)
{
    return (struct problem){.op = op_of(SUM),
                            .type = type,
                            .acc = problem_default_acc(type),
                            .dims = DIMS_VALUE(n),
                            .regime = COLD};
}

/* --- Proofs ------------------------------------------------------------------------------- */

/* Small blocks of few loads: many tiles. */
#define HALVES "MATH=TENSOR BLOCK=64 ITEMS=16 VECTOR=8 UNROLL=2 GRID=1 "
#define BYTES "MATH=TENSOR BLOCK=64 ITEMS=32 VECTOR=16 UNROLL=2 GRID=1 "
static const struct variant {
    char letter;
    enum type type;
    const char *params; /* NULL: of the ladder */
} variants[] = {
    {'h', F16, HALVES "WARP=SHUFFLE FINISH=FLAGGED"},
    {'p', F16, HALVES "WARP=TREE FINISH=PASSES"},
    {'r', F16, HALVES "LOAD=ASYNC STAGES=3 WARP=SHUFFLE FINISH=PASSES"},
    {'b', BF16, HALVES "WARP=SHUFFLE FINISH=LAST_BLOCK"},
    {'i', I8, BYTES "WARP=REDUX FINISH=PACKED"},
    {'j', I8, BYTES "LOAD=ASYNC STAGES=2 WARP=REDUX FINISH=PACKED"},
    {'u', U8, BYTES "WARP=REDUX FINISH=PACKED_WARPS"},
    {'F', F16, NULL},
    {'B', BF16, NULL},
    {'I', I8, NULL},
    {'U', U8, NULL},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void try(struct ladder_measure_step *step, const struct variant *variant)
{
    const struct device_options options = {.spec = "host", .seed = 1};
    const struct problem problem = sum_of(variant->type, 5000);
    const struct ladder_measure_options rules = {.seed = 1, .limit_s = 20};
    const struct embedded *wide = find_file("configs/reduce-wide.ini");
    const struct ladder_rung *rung = &fixture.tensor;
    struct emit_sources sources = fixture.sources;
    int64_t row[SPACE_NAMES_MAX];
    struct device *device;
    double blocks;
    *step =
        (struct ladder_measure_step){.other_kernel = {rung->space_file, rung->template,
                                                      rung->space->param_count, rung->config}};
    if (variant->params) {
        make_row(fixture.wide, variant->params, row);
        step->other_kernel = (struct job_other_space){{wide->name, wide->bytes},
                                                      sources.template,
                                                      fixture.wide->param_count,
                                                      row};
    }
    sources.template = fixture.cuda.template;
    assert_int_equal(device_open(&device, &options, &error), 0);
    const struct point_context context = {fixture.cuda.space, &problem, &device->info.target};
    const struct tune_job job = {.context = &context,
                                 .sources = &sources,
                                 .space = fixture.cuda.space_file,
                                 .info = &device->info,
                                 .specs = (const char *const[]){"host"},
                                 .spec_count = 1};
    if (ladder_measure_all(step, 1, &job, &rules, &blocks, &error))
        fail_msg("%s", error.text);
    device_close(device);
}

/* Those whose calls are short enough are measured more than once. */
static void test_right_as_it_is(void **state)
{
    (void)state;
    size_t most = 0;
    for (size_t i = 0; i < VARIANTS; i++) {
        struct ladder_measure_step step;
        try(&step, &variants[i]);
        if (step.trial.status != TRIAL_MEASURED)
            fail_msg("%c: %s", variants[i].letter, step.trial.reason);
        assert_true(step.proofs > 100);
        most = step.trial.time_count > most ? step.trial.time_count : most;
    }
    assert_in_range(most, 2, TRIAL_SAMPLES);
}

static void compile(struct nvrtc *nvrtc, int arch, const struct variant *variant)
{
    const struct ladder_rung *rung = &fixture.tensor;
    const struct problem problem = sum_of(variant->type, 400000000);
    const struct target target = {.cc = arch, .sms = 132};
    const struct space *space = variant->params ? fixture.wide : rung->space;
    const struct point_context context = {space, &problem, &target};
    struct emit_sources sources = fixture.sources;
    struct device_source units[SPACE_PASSES_MAX];
    struct emit_variant emitted;
    struct device_image image;
    int64_t row[SPACE_NAMES_MAX];
    memcpy(row, rung->config, rung->space->param_count * sizeof *row);
    if (variant->params)
        make_row(space, variant->params, row);
    else
        sources.template = rung->template;
    assert_int_equal(emit_variant(&emitted, &context, &sources, row, &error), 0);
    assert_non_null(strstr(emitted.texts[0].at, "mma.sync"));
    for (size_t t = 0; t < emitted.count; t++)
        units[t] = (struct device_source){emitted.texts[t].at, space->kernel};
    if (nvrtc_compile(nvrtc, arch, NVRTC_CUBIN, units, emitted.count, &image, &error))
        fail_msg("%c for sm_%d: %s", variant->letter, arch, error.text);
    device_dispose_image(&image);
    emit_dispose(&emitted);
}

/* By NVRTC, for the first architecture that has the instructions to the newest. */
static void test_compiles(void **state)
{
    static const int archs[] = {80, 90, 120};
    size_t count = 0;
    (void)state;
    for (size_t a = 0; a < sizeof archs / sizeof *archs; a++) {
        struct nvrtc *nvrtc;
        if (nvrtc_open(&nvrtc, NULL, archs[a], &error)) {
            print_message("%s\n", error.text);
            continue;
        }
        for (size_t i = 0; i < VARIANTS; i++, count++)
            compile(nvrtc, archs[a], &variants[i]);
        nvrtc_close(nvrtc);
    }
    if (!count)
        skip();
}

/* --- Rules -------------------------------------------------------------------------------- */

static void test_rules(void **state)
{
    static const char types[] = "tensor cores add f16, bf16, i8 and u8 in 32 bits";
    static const struct {
        enum op op;
        enum type type, acc;
        int cc;
        const char *params, *reason;
    } cases[] = {
        {SUM, F16, F32, 80, "", NULL},
        {SUM, BF16, F32, 90, "", NULL},
        {SUM, I8, I32, 120, "", NULL},
        {SUM, U8, U32, 90, "", NULL},
        {SUM, F16, F32, 90, "LOAD=BULK STAGES=2 ITEMS=32 UNROLL=4 GRID=2", NULL},
        {SUM, F16, F64, 90, "", types},
        {SUM, I16, I32, 90, "", types},
        {SUMSQ, F16, F32, 90, "", types},
        {MAX, I8, I32, 90, "", types},
        {SUM, F16, F32, 75, "", "these products of tensor cores need sm_80"},
        {SUM, F16, F32, 90, "VECTOR=4", "a tensor core takes a load of 16 bytes a thread"},
        {SUM, F16, F32, 90, "ACCUMS=2", "tensor cores have one accumulator a thread"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct problem problem = {.op = op_of(cases[i].op),
                                        .type = cases[i].type,
                                        .acc = cases[i].acc,
                                        .dims = DIMS_VALUE(400000000),
                                        .regime = COLD};
        struct target target;
        struct text params = {0};
        int64_t row[SPACE_NAMES_MAX];
        assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
        target.cc = cases[i].cc;
        const struct point_context context = {fixture.wide, &problem, &target};
        assert_int_equal(space_settle_default(fixture.wide, &problem, &target, &error), 0);
        text_addf(&params, "MATH=TENSOR %s", cases[i].params);
        make_row(fixture.wide, params.at, row);
        const int broken = point_reject(&context, row, &error);
        const char *got = broken >= 0 ? fixture.wide->rules[broken].reason : "";
        if (broken == POINT_FAILED || strcmp(got, cases[i].reason ? cases[i].reason : ""))
            fail_msg("case %zu: got '%s'", i, got);
        text_dispose(&params);
    }
}

/* --- The error bound ---------------------------------------------------------------------- */

/* Cut to whole multiples of 2^(exponent - 23), towards zero. */
static double cut(double x, int exponent)
{
    const double unit = ldexp(1.0, exponent - 23);
    return trunc(x / unit) * unit;
}

/* A tensor core at its worst: `count` products are aligned to the largest with the sum so far,
 * to 24 bits and cut, added, and the sum is cut to 24 bits. */
static double add_cut(double sum, const double *x, size_t count)
{
    int largest = sum != 0 ? ilogb(sum) : -1000;
    for (size_t i = 0; i < count; i++)
        if (x[i] != 0 && ilogb(x[i]) > largest)
            largest = ilogb(x[i]);
    double total = cut(sum, largest);
    for (size_t i = 0; i < count; i++)
        total += cut(x[i], largest);
    return total != 0 ? cut(total, ilogb(total)) : 0;
}

/* One row takes all that is not zero: 2, and so many elements of just under 2^-22, of which
 * aligning to 24 bits leaves nothing; or numbers of many sizes. Halves of a matrix may be added
 * by 2, 4, 8 or all 16 products at a time. */
static double find_error(size_t products, size_t steps, bool is_lost, double *sum_abs)
{
    enum { ROW = 16 };
    double sum = 0, exact = 0;
    unsigned random = 1;
    *sum_abs = 0;
    for (size_t s = 0; s < steps; s++) {
        double x[ROW];
        for (size_t i = 0; i < ROW; i++) {
            random = random * 1664525 + 1013904223;
            x[i] = is_lost ? ldexp(1.75, -23) : ldexp(1 + (random >> 9) / 8388608.0, -(int)i);
            if (is_lost && s == 0)
                x[i] = i == 0 ? 2 : 0;
            exact += x[i];
            *sum_abs += fabs(x[i]);
        }
        for (size_t i = 0; i < ROW; i += products)
            sum = add_cut(sum, x + i, products);
    }
    return fabs(sum - exact);
}

/* The height of one warp that takes so many loads of 8 elements a thread, and has little to do
 * beside that. */
#define WARP "BLOCK=32 ITEMS=8 VECTOR=8 UNROLL=1 GRID=1 FINISH=PASSES "
static uint64_t find_height(const char *params, size_t loads)
{
    const struct problem problem = sum_of(F16, 32 * 8 * loads);
    struct target target;
    struct planner_plan plan;
    int64_t row[SPACE_NAMES_MAX];
    assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
    target.sms = 1;
    const struct point_context context = {fixture.wide, &problem, &target};
    make_row(fixture.wide, params, row);
    assert_int_equal(call_plan(&plan, &context, row, &error), 0);
    assert_int_equal(plan.launches[plan.first].keys[PLANNER_GRID], 1);
    return call_height(&plan);
}

static void test_bound(void **state)
{
    enum { STEPS = 1000 };
    double sum_abs, worst = 0;
    (void)state;
    for (size_t products = 2; products <= 16; products *= 2)
        for (int is_lost = 0; is_lost < 2; is_lost++) {
            const double error_seen = find_error(products, STEPS, is_lost, &sum_abs);
            const double bound =
                oracle_bound(F32, find_height(WARP "MATH=TENSOR", STEPS), sum_abs);
            if (error_seen > bound)
                fail_msg("%zu at a time: %g is over %g", products, error_seen, bound);
            if (is_lost && error_seen / sum_abs > worst)
                worst = error_seen / sum_abs;
        }
    /* What CUDA cores are held to would not do. */
    assert_true(worst > oracle_bound(F32, find_height(WARP "MATH=CUDA", STEPS), 1));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_as_it_is),
        cmocka_unit_test(test_compiles),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_bound),
    };
    if (argc > 1 && strcmp(argv[1], WORKER_ARGUMENT) == 0)
        return worker_run(&error) ? 1 : 0;
    return cmocka_run_group_tests(tests, setup, teardown);
}
