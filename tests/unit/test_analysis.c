/* Static analysis: what is known of a kernel without NVRTC and with it, the figures that follow
 * by hand, and that no published figure lies above its bound. */
#include "autotune/analysis/analysis.h"
#include "autotune/compare/published.h"
#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "autotune/ladder/rungs.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A kernel of some space for a GPU. */
struct fixture {
    struct space *space;
    struct emit_sources sources;
    struct gpus_model gpu;
    struct problem problem;
    struct point_context context;
    int64_t row[SPACE_NAMES_MAX];
    struct analysis_subject subject;
};

static void open_fixture(struct fixture *f, const char *config, const char *gpu,
                         const struct problem *problem, const char *params)
{
    char path[100];
    struct error error;
    snprintf(path, sizeof path, "configs/%s.ini", config);
    *f = (struct fixture){.problem = *problem, .sources = load_sources()};
    const struct embedded *file = find_file(path);
    if (space_load(&f->space, file->name, file->bytes, file->length, embedded_space, &error) ||
        gpus_find_model(&f->gpu, gpu, &error) ||
        space_settle_default(f->space, problem, &f->gpu.target, &error))
        fail_msg("%s", error.text);
    snprintf(path, sizeof path, "templates/%s", f->space->template_name);
    f->sources.template = (struct emit_file){f->space->template_name, find_file(path)->bytes};
    make_row(f->space, params, f->row);
    f->context = (struct point_context){f->space, &f->problem, &f->gpu.target};
    f->subject = (struct analysis_subject){.context = &f->context,
                                           .sources = &f->sources,
                                           .config = f->row,
                                           .peak_bytes = f->gpu.peak_bytes,
                                           .clock_khz = f->gpu.clock_khz};
    if (nvrtc_open(&f->subject.nvrtc, NULL, f->gpu.target.cc, &error))
        f->subject.nvrtc = NULL;
}

static struct analysis analyse(const struct fixture *f)
{
    struct analysis analysis;
    struct error error;
    if (analysis_run(&analysis, &f->subject, &error))
        fail_msg("%s", error.text);
    return analysis;
}

static struct analysis rerun(const struct fixture *f, const struct analysis *like)
{
    struct analysis analysis;
    struct error error;
    if (analysis_rerun(&analysis, like, &f->subject, &error))
        fail_msg("%s", error.text);
    return analysis;
}

static void close_fixture(struct fixture *f)
{
    nvrtc_close(f->subject.nvrtc);
    space_free(f->space);
}

static struct problem sum_f32 = {.type = F32,
                                 .acc = F32,
                                 .dims = DIMS_VALUE(400000000),
                                 .regime = COLD};
NAMED_PROBLEM(name_sum_f32, sum_f32, SUM)

static void test_without_nvrtc(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "reduce", "V100", &sum_f32, "BLOCK=512");
    nvrtc_close(f.subject.nvrtc);
    f.subject.nvrtc = NULL;
    const struct analysis analysis = analyse(&f);
    assert_false(analysis.is_compiled);
    assert_non_null(strstr(analysis.why, "NVRTC"));
    assert_int_equal(analysis.block, 512);
    assert_true(analysis.bound == 0 && analysis.mix.total == 0);
    close_fixture(&f);
}

/* Blocks of 256 with 8 loads of 16 bytes in flight are 32 KiB each; an H200 wants 4814.304 GB/s
 * x 0.5 us / 132 SMs, and at least 0.7 of that. */
static void test_in_flight(void **state)
{
    (void)state;
    static const struct {
        const char *params;
        double in_flight;
        bool is_bound;
    } rows[] = {
        {"BLOCK=256 ITEMS=32 VECTOR=4 UNROLL=8 GRID=4", 4 * 32768, false},
        {"BLOCK=256 ITEMS=32 VECTOR=4 UNROLL=8 GRID=1", 32768, false},
        {"BLOCK=256 ITEMS=4 VECTOR=4 UNROLL=1 GRID=1", 4096, true},
        {"BLOCK=32 ITEMS=1 VECTOR=1 UNROLL=1 GRID=0", 32 * 32 * 4, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        open_fixture(&f, "reduce", "H200", &sum_f32, rows[i].params);
        if (!f.subject.nvrtc) {
            close_fixture(&f);
            print_message("no NVRTC for sm_90\n");
            skip();
        }
        const struct analysis analysis = analyse(&f);
        assert_true(analysis.is_compiled);
        assert_in_range(analysis.needs.registers, 10, 128);
        assert_int_equal(analysis.needs.local_bytes, 0);
        assert_true(analysis.mix.counts[SASS_LOAD] > 0);
        assert_true(analysis.wanted > 18235 && analysis.wanted < 18237);
        assert_true(analysis.wanted_least > 12764 && analysis.wanted_least < 12766);
        if (analysis.in_flight < rows[i].in_flight || analysis.in_flight > rows[i].in_flight)
            fail_msg("%s: %f bytes, %d blocks", rows[i].params, analysis.in_flight,
                     analysis.occupancy.blocks);
        assert_int_equal(analysis.limiter,
                         rows[i].is_bound ? ANALYSIS_IN_FLIGHT : ANALYSIS_MEMORY);
        const double share = rows[i].in_flight / analysis.wanted_least;
        const double want = share < 1 ? share : 1;
        assert_true(analysis.bound > want - 1e-6 && analysis.bound < want + 1e-6);
        close_fixture(&f);
    }
}

/* A thread waits for what it loads: in wangyu-5 three times, for a branch lies between its loads (with
 * integers twice, by a predicate), so a third of its 16 bytes are in flight on 1536 or 2048
 * threads; a row of as many elements as its block has threads is one load each, whatever the
 * compiler unrolled. */
static void test_in_flight_of_rungs(void **state)
{
    static const struct {
        const char *space, *gpu, *params;
        enum type type;
        uint64_t len;
        double in_flight;
    } rows[] = {
        {"ladder/chunks", "H200", "BLOCK=256 ITEMS=4 CHUNKS=UNROLLED", F32, 0, 16. / 3 * 2048},
        {"ladder/chunks", "H200", "BLOCK=256 ITEMS=4 CHUNKS=UNROLLED", I32, 0, 8 * 2048},
        {"ladder/chunks", "H200", "BLOCK=256 ITEMS=4 CHUNKS=COUNTED", I32, 0, 4 * 2048},
        {"ladder/chunks", "RTX 5070", "BLOCK=256 ITEMS=4 CHUNKS=UNROLLED", I32, 0, 8 * 1536},
        {"ladder/rows_modulo", "RTX 5070 Ti", "BLOCK=128", F32, 128, 4 * 1536},
        {"ladder/rows_strided", "RTX 5070 Ti", "BLOCK=128", F32, 128, 4 * 1536},
        {"ladder/rows_modulo", "RTX 5070 Ti", "BLOCK=128", F32, 64, 2 * 1536},
        {"ladder/rows_strided", "H200", "BLOCK=128", F32, 128, 4 * 2048},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        struct problem problem = sum_f32;
        problem.type = problem.acc = rows[i].type;
        if (rows[i].len)
            problem.dims = dims_resized(&problem.dims, 1 << 20, rows[i].len, 0);
        open_fixture(&f, rows[i].space, rows[i].gpu, &problem, rows[i].params);
        if (!f.subject.nvrtc) {
            close_fixture(&f);
            print_message("no NVRTC for %s\n", rows[i].gpu);
            skip();
        }
        const struct analysis analysis = analyse(&f), again = rerun(&f, &analysis);
        if (analysis.in_flight < rows[i].in_flight - 0.5 ||
            analysis.in_flight > rows[i].in_flight + 0.5)
            fail_msg("%s %s: %.0f bytes, not %.0f", rows[i].space, rows[i].gpu,
                     analysis.in_flight, rows[i].in_flight);
        assert_true(again.in_flight >= analysis.in_flight &&
                    again.in_flight <= analysis.in_flight);
        close_fixture(&f);
    }
}

/* Puts a disassembler with this script before all others on the PATH. */
static void use_disassembler(const char *folder, const char *script)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/nvdisasm", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

/* A loop that loads 16 bytes, with so many other instructions. */
static void add_loop(struct text *out, int others)
{
    text_adds(out, "cat << 'END'\n.L_x_1:\n        /*0010*/  LDG.E.128 R4, [R2] ;\n");
    for (int i = 0; i < others; i++)
        text_addf(out, "        /*%04x*/  FADD R0, R4, R0 ;\n", 0x20 + 16 * i);
    text_adds(out, "        /*f000*/  @!P0 BRA `(.L_x_1) ;\n        /*f010*/  EXIT ;\nEND\n");
}

static void check_loop(struct fixture *f, const char *folder, int others,
                       enum analysis_limiter limiter)
{
    struct text script = {0};
    add_loop(&script, others);
    use_disassembler(folder, script.at);
    text_dispose(&script);
    const struct analysis analysis = analyse(f);
    assert_false(analysis.mix.is_ptx);
    assert_int_equal(analysis.mix.loop_total, others + 2);
    assert_true(analysis.per_element > (others + 1) / 4.0 &&
                analysis.per_element < (others + 3) / 4.0);
    /* 4 schedulers of 132 SMs, 32 lanes, each element in (others + 2) / 4 cycles, 4 bytes each */
    const double issued = 4.0 * 32 * 132 * f->gpu.clock_khz * 1000.0 * 16 / (others + 2) /
                          (double)f->gpu.peak_bytes;
    assert_int_equal(analysis.limiter, limiter);
    if (limiter == ANALYSIS_INSTRUCTIONS)
        assert_true(analysis.bound > issued * 0.999 && analysis.bound < issued * 1.001);
    else
        assert_true(issued > 1 && analysis.bound >= 1);
}

/* The instructions are the machine's own where a disassembler knows them; where it fails, or prints
 * what is none, those of the PTX. */
static void test_disassemblers(void **state)
{
    static const char *const broken[] = {"exit 1", "exit 0", "echo nonsense",
                                         "printf '/*0010*/ LDG.E.128'", "kill -9 $$"};
    (void)state;
    struct fixture f;
    char folder[] = "/tmp/autotune-test-analysis-XXXXXX", path[4096 + 64];
    const char *usual = getenv("PATH");
    assert_non_null(mkdtemp(folder));
    open_fixture(&f, "reduce", "H200", &sum_f32, "BLOCK=256 ITEMS=32 VECTOR=4 UNROLL=8 GRID=4");
    if (!f.subject.nvrtc) {
        close_fixture(&f);
        rmdir(folder);
        print_message("no NVRTC for sm_90\n");
        skip();
    }
    char *kept = strdup(usual ? usual : "");
    snprintf(path, sizeof path, "%s:%.4000s", folder, kept);
    setenv("PATH", path, 1);
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        use_disassembler(folder, broken[i]);
        const struct analysis analysis = analyse(&f);
        assert_true(analysis.is_compiled);
        assert_string_equal(analysis.why, "");
        assert_true(analysis.mix.total > 20);
        /* cuobjdump may know what nvdisasm does not */
        assert_true(analysis.mix.is_ptx || analysis.mix.counts[SASS_LOAD] > 0);
    }
    check_loop(&f, folder, 10, ANALYSIS_MEMORY);
    check_loop(&f, folder, 300, ANALYSIS_INSTRUCTIONS);
    setenv("PATH", kept, 1);
    free(kept);
    snprintf(path, sizeof path, "%s/nvdisasm", folder);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
    close_fixture(&f);
}

/* A template that is no C is no error of the analysis: it says what the compiler says. */
static void test_not_compiled(void **state)
{
    (void)state;
    struct fixture f;
    open_fixture(&f, "reduce", "H200", &sum_f32, "BLOCK=256");
    if (!f.subject.nvrtc) {
        close_fixture(&f);
        print_message("no NVRTC for sm_90\n");
        skip();
    }
    f.sources.template.text = "extern \"C\" __global__ void reduce() { this is no C }\n";
    const struct analysis analysis = analyse(&f);
    assert_false(analysis.is_compiled);
    assert_non_null(strstr(analysis.why, "error: "));
    assert_true(analysis.bound == 0);
    close_fixture(&f);
}

/* What cannot be launched has no bound, and the error names the pass. */
static void test_not_planned(void **state)
{
    (void)state;
    struct fixture f;
    struct analysis analysis;
    struct error error;
    double bound = -1;
    open_fixture(&f, "reduce", "H200", &sum_f32, "BLOCK=256");
    const struct analysis like = {.is_compiled = true};
    const int block = space_find_param(f.space, "BLOCK", 5);
    assert_true(block >= 0);
    f.row[block] = 2048; /* no block has as many */
    const int got[] = {analysis_run(&analysis, &f.subject, &error),
                       analysis_rerun(&analysis, &like, &f.subject, &error),
                       analysis_bound(&bound, &f.subject, 32, &error)};
    for (size_t i = 0; i < sizeof got / sizeof *got; i++)
        assert_int_equal(got[i], -1);
    assert_non_null(strstr(error.text, "of pass '"));
    close_fixture(&f);
}

/* Registers alone bound the blocks, and so the bytes in flight; another launch needs no compiler. */
static void test_without_compiler(void **state)
{
    (void)state;
    struct fixture f;
    struct analysis analysis;
    struct error error;
    double few, many;
    open_fixture(&f, "reduce", "H200", &sum_f32, "BLOCK=256 ITEMS=32 VECTOR=4 UNROLL=8 GRID=4");
    assert_int_equal(analysis_bound(&few, &f.subject, 32, &error), 0);
    assert_int_equal(analysis_bound(&many, &f.subject, 255, &error), 0);
    assert_true(few >= 0 && few <= 1 && many >= 0 && many <= few);
    const struct analysis none = {.is_compiled = false};
    assert_int_equal(analysis_rerun(&analysis, &none, &f.subject, &error), 0);
    assert_false(analysis.is_compiled);
    assert_int_equal(analysis.block, 256);
    if (f.subject.nvrtc) {
        const struct analysis run = analyse(&f);
        assert_int_equal(analysis_rerun(&analysis, &run, &f.subject, &error), 0);
        assert_true(analysis.bound <= run.bound && analysis.bound >= run.bound);
        assert_int_equal(analysis.occupancy.blocks, run.occupancy.blocks);
    }
    f.subject.peak_bytes = 0; /* of a GPU whose memory is not known */
    assert_int_equal(analysis_bound(&few, &f.subject, 32, &error), 0);
    assert_true(few <= 0);
    close_fixture(&f);
}

/* The same figure as a space's kernel: the bound of the rung that a document's kernel is. */
static double bound_of(const struct published *published, const struct published_figure *figure,
                       const struct rungs *rungs)
{
    const struct published_kernel *kernel = &published->kernels[figure->kernel];
    bool is_chosen[RUNGS_MAX] = {false};
    char config[80], params[200];
    struct fixture f;
    struct error error;
    size_t i = 0;
    assert_int_equal(rungs_choose(rungs, kernel->rung, is_chosen, &error), 0);
    while (!is_chosen[i])
        i++;
    snprintf(config, sizeof config, "ladder/%s", rungs->rungs[i].space);
    snprintf(params, sizeof params, "%s", rungs->rungs[i].params);
    if (figure->at[PUBLISHED_THREADS].is_there) {
        const char *rest = strchr(params, ' ');
        char sized[220];
        snprintf(sized, sizeof sized, "BLOCK=%d%s", (int)figure->at[PUBLISHED_THREADS].digits,
                 rest ? rest : "");
        snprintf(params, sizeof params, "%.199s", sized);
    }
    struct problem problem = kernel->problem;
    const uint64_t len = figure->at[PUBLISHED_ROW].digits;
    if (len)
        problem.dims = dims_resized(&problem.dims, dims_n(&problem.dims) / len, len, 0);
    open_fixture(&f, config, published->gpu, &problem, params);
    const double bound = f.subject.nvrtc ? analyse(&f).bound : 0;
    close_fixture(&f);
    return bound;
}

/* A bound below what was reached would be no bound. */
static void test_bounds_hold(void **state)
{
    (void)state;
    static struct published published;
    const struct embedded *ladder = find_file("configs/ladder/rungs.ini");
    struct rungs rungs;
    struct error error;
    size_t compared = 0;
    assert_int_equal(rungs_load(&rungs, ladder->name, ladder->bytes, ladder->length, &error),
                     0);
    for (const struct embedded *file = NULL;
         (file = embedded_next(file, "configs/published/"));) {
        assert_int_equal(published_load(&published, file->name, file->bytes, file->length,
                                        &error),
                         0);
        for (size_t i = 0; i < published.figure_count && published.gpu; i++) {
            const struct published_figure *figure = &published.figures[i];
            struct gpus_model gpu;
            if (!figure->ps)
                continue;
            assert_int_equal(gpus_find_model(&gpu, published.gpu, &error), 0);
            const struct problem *problem = &published.kernels[figure->kernel].problem;
            const double reached = (double)dims_n(&problem->dims) *
                                   problem_types[problem->type].bytes /
                                   ((double)figure->ps * 1e-12) / (double)gpu.peak_bytes;
            const double bound = bound_of(&published, figure, &rungs);
            if (bound > 0 && bound < reached)
                fail_msg("%s, %s: bound %.3f, reached %.3f", file->name,
                         published.kernels[figure->kernel].kernel, bound, reached);
            compared += bound > 0;
        }
        published_dispose(&published);
    }
    rungs_dispose(&rungs);
    print_message("%zu published figures compared\n", compared);
    if (!compared)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_nvrtc), cmocka_unit_test(test_in_flight),
        cmocka_unit_test(test_disassemblers), cmocka_unit_test(test_not_compiled),
        cmocka_unit_test(test_not_planned),   cmocka_unit_test(test_without_compiler),
        cmocka_unit_test(test_bounds_hold),   cmocka_unit_test(test_in_flight_of_rungs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
