/* What users do with an emitted kernel: it compiles alone, by nvcc and by NVRTC, without a
 * warning, for each architecture; so do the golden files. Skipped where there is no compiler.
 */
#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "autotune/tune/compiler.h"
#include "tests/unit/reduce_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct error error;

static const char *const archs[] = {"sm_75", "sm_90", "sm_120"};
enum { ARCHS = sizeof archs / sizeof *archs };

/* Kernels like those that win, and one of each step that only some architectures have. */
static const struct kernel {
    const char *what;
    enum op op;
    enum type type, acc;
    int cc; /* the lowest */
    const char *params;
} kernels[] = {
    {"a winner", SUM, I32, I32, 75,
     "BLOCK=256 ITEMS=64 VECTOR=4 UNROLL=16 LOAD=NO_ALLOCATE FINISH=LAST_BLOCK"},
    {"a float maximum in passes", MAX, F32, F32, 75,
     "BLOCK=256 ITEMS=16 VECTOR=4 UNROLL=4 LOAD=NONCOHERENT FINISH=PASSES"},
    {"redux", AND, U32, U32, 80, "BLOCK=512 ITEMS=16 VECTOR=4 UNROLL=4 WARP=REDUX"},
    {"volatile shared memory", MIN, F64, F64, 75,
     "BLOCK=256 ITEMS=8 VECTOR=2 UNROLL=4 WARP=VOLATILE FINISH=LAST_BLOCK"},
    {"a tree", PROD, I32, I64, 75, "BLOCK=1024 ITEMS=4 VECTOR=1 UNROLL=4 WARP=TREE"},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

struct fixture {
    struct space *space;
    struct emit_sources sources;
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture.space = load_space("configs/reduce.ini");
    fixture.sources = load_sources();
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    space_free(((struct fixture *)*state)->space);
    return 0;
}

static void emit_all(struct emit_variant *out, const struct fixture *fixture,
                     const struct kernel *kernel, const struct target *target)
{
    const struct problem problem = {kernel->op, kernel->type, kernel->acc, 400000000, COLD};
    const struct point_context context = {fixture->space, &problem, target};
    int64_t row[SPACE_NAMES_MAX];
    make_row(fixture->space, kernel->params, row);
    if (emit_variant(out, &context, &fixture->sources, row, &error) != 0)
        fail_msg("%s", error.text);
}

static struct target find_target(const char *arch)
{
    struct target target;
    if (gpus_find(&target, arch, &error) != 0)
        fail_msg("%s", error.text);
    return target;
}

/* --- NVRTC -------------------------------------------------------------------------------- */

static void compile_by_nvrtc(const struct fixture *fixture, struct nvrtc *nvrtc,
                             const struct target *target)
{
    for (size_t k = 0; k < KERNELS; k++) {
        struct emit_variant variant;
        struct device_source sources[SPACE_PASSES_MAX];
        struct device_image image = {0};
        if (target->cc < kernels[k].cc)
            continue;
        emit_all(&variant, fixture, &kernels[k], target);
        for (size_t i = 0; i < variant.count; i++)
            sources[i] = (struct device_source){variant.texts[i].at, "reduce"};
        if (nvrtc_compile(nvrtc, target->cc, NVRTC_CUBIN, sources, variant.count, &image,
                          &error) != 0)
            fail_msg("%s for sm_%d: %s", kernels[k].what, target->cc, error.text);
        assert_int_equal(image.count, variant.count);
        assert_true(image.size > 0);
        device_dispose_image(&image);
        emit_dispose(&variant);
    }
}

static void test_nvrtc(void **state)
{
    size_t tried = 0;
    for (size_t i = 0; i < ARCHS; i++) {
        const struct target target = find_target(archs[i]);
        struct nvrtc *nvrtc;
        if (nvrtc_open(&nvrtc, NULL, target.cc, &error) != 0)
            continue;
        compile_by_nvrtc(*state, nvrtc, &target);
        nvrtc_close(nvrtc);
        tried++;
    }
    if (tried == 0) {
        print_message("%.200s\n", error.text);
        skip();
    }
}

/* --- nvcc --------------------------------------------------------------------------------- */

static const char *find_nvcc(void)
{
    static const char *const places[] = {"nvcc", "/usr/local/cuda/bin/nvcc"};
    for (size_t i = 0; i < 2; i++) {
        char command[100];
        snprintf(command, sizeof command, "%s --version > /dev/null 2>&1", places[i]);
        if (system(command) == 0)
            return places[i];
    }
    return NULL;
}

/* Every warning of every phase is an error. */
static void compile_by_nvcc(const char *nvcc, const char *text, const char *arch)
{
    char path[] = "/tmp/autotune-test-XXXXXX.cu", command[400], said[1500] = "";
    const int file = mkstemps(path, 3);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    snprintf(command, sizeof command,
             "%s -std=c++17 -arch=%s -cubin -Werror all-warnings -Xptxas -warn-spills "
             "-o /dev/null %s 2>&1",
             nvcc, arch, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    const int status = pclose(pipe);
    unlink(path);
    if (status != 0)
        fail_msg("%s: %s\n%s", arch, said, text);
}

/* The architectures that this nvcc knows: sm_75 is gone from later ones, sm_120 is new. */
static bool knows(const char *nvcc, const char *arch)
{
    char command[200];
    snprintf(command, sizeof command, "%s --list-gpu-code 2> /dev/null | grep -qx %s", nvcc,
             arch);
    return system(command) == 0;
}

static void test_nvcc(void **state)
{
    const char *nvcc = find_nvcc();
    size_t tried = 0;
    for (size_t i = 0; nvcc && i < ARCHS; i++) {
        const struct target target = find_target(archs[i]);
        if (!knows(nvcc, archs[i]))
            continue;
        for (size_t k = i; k < KERNELS; k += ARCHS) { /* the winner, and others by turns */
            struct emit_variant variant;
            const struct kernel *kernel =
                target.cc >= kernels[k].cc ? &kernels[k] : &kernels[1];
            emit_all(&variant, *state, kernel, &target);
            for (size_t t = 0; t < variant.count; t++)
                compile_by_nvcc(nvcc, variant.texts[t].at, archs[i]);
            emit_dispose(&variant);
        }
        struct emit_variant winner;
        emit_all(&winner, *state, &kernels[0], &target);
        compile_by_nvcc(nvcc, winner.texts[0].at, archs[i]);
        emit_dispose(&winner);
        tried++;
    }
    if (tried == 0) {
        print_message(
            "no nvcc on the PATH or in /usr/local/cuda/bin, or one that is too old\n");
        skip();
    }
}

/* --- The pool ----------------------------------------------------------------------------- */

static struct device *open_host(void)
{
    const struct device_options options = {.spec = "host"};
    struct device *device;
    if (host_open(&device, &options, &error) != 0)
        fail_msg("%s", error.text);
    return device;
}

/* Of the variants that share a unit, the one that does not compile is blamed and the others are
 * there; units come in order, whatever the number of threads. */
static void test_guilty_variants(void **state)
{
    struct fixture *fixture = *state;
    struct device *device = open_host();
    const struct problem problem = {SUM, I32, I32, 1000, COLD};
    const struct point_context context = {fixture->space, &problem, &device->info.target};
    struct emit_sources sources = fixture->sources;
    struct points points;
    struct compiler *compiler;
    struct compiled_unit unit;
    size_t next = 0, failed = 0;
    int got;
    struct text template = {0};
    text_addf(&template, "//? if UNROLL == 8 && WARP == TREE\nthis is no CUDA;\n//? end\n%s",
              sources.template.text);
    sources.template.text = template.at;
    assert_int_equal(point_expand(&points, &context, &error), 0);
    points.variant_count = 23; /* five units and a rest */
    for (size_t v = 0; v < points.variant_count; v++)
        make_row(fixture->space, v % 5 == 1 ? "WARP=TREE UNROLL=8" : "WARP=SHUFFLE",
                 points.rows + points.variants[v].first * points.width);
    assert_int_equal(compiler_start(&compiler, device, &context, &sources, &points, 3, &error),
                     0);
    while ((got = compiler_next(compiler, &unit, &error)) == 1) {
        size_t right = 0;
        for (size_t i = 0; i < unit.count; i++, next++) {
            assert_int_equal(unit.variants[i].variant, next);
            assert_int_equal(unit.variants[i].is_failed, next % 5 == 1);
            failed += unit.variants[i].is_failed;
            right += !unit.variants[i].is_failed;
            if (unit.variants[i].is_failed)
                assert_non_null(strstr(unit.variants[i].reason.text, "reduce"));
        }
        assert_int_equal(unit.image.count, right);
        compiler_dispose(&unit);
    }
    assert_int_equal(got, 0);
    assert_int_equal(next, 23);
    assert_int_equal(failed, 5);
    compiler_stop(compiler);
    point_dispose(&points);
    text_dispose(&template);
    device_close(device);
}

/* Stopping early, and a template that cannot be emitted. */
static void test_stop_and_errors(void **state)
{
    struct fixture *fixture = *state;
    struct device *device = open_host();
    const struct problem problem = {SUM, I32, I32, 1000, COLD};
    const struct point_context context = {fixture->space, &problem, &device->info.target};
    struct emit_sources sources = fixture->sources;
    struct points points;
    struct compiler *compiler;
    struct compiled_unit unit;
    assert_int_equal(point_expand(&points, &context, &error), 0);
    assert_int_equal(compiler_start(&compiler, device, &context, &sources, &points, 2, &error),
                     0);
    assert_int_equal(compiler_next(compiler, &unit, &error), 1);
    compiler_dispose(&unit);
    compiler_stop(compiler);
    points.variant_count = 3;
    sources.template = (struct emit_file){"bad.cu", "//? if\n"};
    assert_int_equal(compiler_start(&compiler, device, &context, &sources, &points, 2, &error),
                     0);
    assert_int_equal(compiler_next(compiler, &unit, &error), -1);
    assert_non_null(strstr(error.text, "bad.cu:1: "));
    compiler_stop(compiler);
    point_dispose(&points);
    device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nvrtc),
        cmocka_unit_test(test_nvcc),
        cmocka_unit_test(test_guilty_variants),
        cmocka_unit_test(test_stop_and_errors),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
