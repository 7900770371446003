/* Tests of emitted kernels as users compile them: each compiles alone, by nvcc and by NVRTC,
 * without a warning, for each architecture. And tests of units of several variants: which
 * fails, where its kernels are, and when two are the same. Skipped where there is no
 * compiler. */
#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "autotune/verify/compiler.h"
#include "tests/unit/named_op.h"
#include "tests/unit/reduce_files.h"

#include <glob.h>
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
    {"sum and count in one word", SUM, I32, I32, 75, "ITEMS=16 UNROLL=4 FINISH=PACKED"},
    {"one by each of few warps", SUMSQ, U32, U32, 80,
     "BLOCK=32 ITEMS=16 UNROLL=4 WARP=REDUX FINISH=PACKED_WARPS"},
    {"flags", SUM, F64, F64, 75, "BLOCK=32 ITEMS=16 VECTOR=2 FINISH=FLAGGED"},
    {"flags behind a tree", MIN, F32, F32, 75, "BLOCK=32 WARP=TREE FINISH=FLAGGED"},
    {"a value in place", MIN, I64, I64, 75, "ITEMS=16 VECTOR=2 FINISH=VALUE"},
    {"bits in place", AND, U32, U32, 75, "ACCUMS=4 FINISH=VALUE"},
    {"a barrier", MAX, F32, F32, 75, "BLOCK=32 ITEMS=4 VECTOR=1 UNROLL=4 FINISH=BARRIER"},
    {"atomics", SUM, F64, F64, 75, "ITEMS=16 VECTOR=2 FINISH=ATOMIC"},
    {"atomic bits", OR, U64, U64, 75, "ITEMS=16 VECTOR=2 WARP=VOLATILE FINISH=ATOMIC"},
    {"cp.async", SUM, F32, F32, 80,
     "BLOCK=128 ITEMS=16 UNROLL=4 ACCUMS=2 LOAD=ASYNC STAGES=3 WALK=CONTIGUOUS"},
    {"bulk copies", SUM, F32, F32, 90,
     "UNROLL=8 ACCUMS=4 LOAD=BULK STAGES=4 FINISH=LAST_BLOCK"},
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
    const struct problem problem = {.op = op_of(kernel->op),
                                    .type = kernel->type,
                                    .acc = kernel->acc,
                                    .dims = DIMS_VALUE(400000000),
                                    .regime = COLD};
    const struct point_context context = {fixture->space, &problem, target};
    int64_t row[SPACE_NAMES_MAX];
    if (space_settle_default(fixture->space, &problem, target, &error) != 0)
        fail_msg("%s", error.text);
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

/* The golden kernels, in a file each. */
static void make_golden(const char *folder, glob_t *found)
{
    char text[100];
    setenv("AUTOTUNE", "build/autotune", 0);
    snprintf(text, sizeof text, "tests/golden/make.sh %s", folder);
    assert_int_equal(system(text), 0);
    snprintf(text, sizeof text, "%s/*.cu", folder);
    assert_int_equal(glob(text, 0, NULL, found), 0);
}

/* Each for its own architecture: nothing in them is left unused. */
static void test_golden_kernels(void **state)
{
    const char *nvcc = find_nvcc();
    char folder[] = "/tmp/autotune-golden-XXXXXX";
    glob_t found;
    size_t tried = 0;
    (void)state;
    assert_non_null(mkdtemp(folder));
    make_golden(folder, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct text golden = {0};
        char arch[16];
        assert_int_equal(text_read(&golden, found.gl_pathv[i], 1 << 20, &error), 0);
        const char *at = strstr(golden.at, " --arch ");
        assert_true(at && sscanf(at, " --arch %15s", arch) == 1);
        if (nvcc && strcmp(arch, "host") != 0 && knows(nvcc, arch)) {
            compile_by_nvcc(nvcc, golden.at, arch);
            tried++;
        }
        text_dispose(&golden);
        unlink(found.gl_pathv[i]);
    }
    globfree(&found);
    rmdir(folder);
    if (tried == 0) {
        print_message("no nvcc for any of them\n");
        skip();
    }
}

/* --- Units -------------------------------------------------------------------------------- */

static struct device *open_host(void)
{
    const struct device_options options = {.spec = "host"};
    struct device *device;
    if (host_open(&device, &options, &error) != 0)
        fail_msg("%s", error.text);
    return device;
}

/* Variants of one candidate each, to be compiled together. */
struct batch {
    int64_t rows[COMPILER_UNIT * SPACE_NAMES_MAX];
    struct point_variant variants[COMPILER_UNIT];
    struct points points;
    size_t indices[COMPILER_UNIT];
};

static void add_row(struct batch *batch, const struct space *space, const char *params)
{
    const size_t i = batch->points.count++;
    batch->points.width = space->param_count;
    batch->points.configs = batch->rows;
    batch->points.variants = batch->variants;
    batch->points.variant_count = batch->points.count;
    make_row(space, params, batch->rows + i * space->param_count);
    batch->variants[i] = (struct point_variant){i, 1};
    batch->indices[i] = i;
}

static void compile(struct compiled_unit *out, struct device *device,
                    const struct point_context *context, const struct emit_sources *sources,
                    const struct batch *batch)
{
    if (compiler_compile(out, device, context, sources, &batch->points, batch->indices,
                         batch->points.count, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(out->count, batch->points.count);
}

static uint64_t hash_sources(const struct point_context *context,
                             const struct emit_sources *sources, const int64_t *row)
{
    uint64_t hash;
    assert_int_equal(emit_hash_config(&hash, context, sources, row, &error), 0);
    return hash;
}

/* Every kernel of the image serves a pass, and passes that do not apply have none. */
static void assert_kernels(const struct compiled_unit *unit, const struct space *space)
{
    bool is_used[COMPILER_KERNELS] = {false};
    size_t used = 0;
    for (size_t i = 0; i < unit->count; i++) {
        const int *places = unit->variants[i].kernel_of_pass;
        for (size_t p = 0; p < SPACE_PASSES_MAX && !unit->variants[i].is_failed; p++) {
            assert_true(places[p] >= -1 && places[p] < (int)unit->image.count);
            assert_true(places[p] < 0 || p < space->pass_count);
            used += places[p] >= 0 && !is_used[places[p]];
            if (places[p] >= 0)
                is_used[places[p]] = true;
        }
    }
    assert_int_equal(used, unit->image.count);
}

/* Of the variants that share a unit, those that do not compile are marked and the others are
 * there: for every set of failing ones. */
static void test_failing_variants(void **state)
{
    struct fixture *fixture = *state;
    struct device *device = open_host();
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000),
                                    .regime = COLD};
    const struct point_context context = {fixture->space, &problem, &device->info.target};
    struct emit_sources sources = fixture->sources;
    struct text template = {0};
    text_addf(&template, "//? if WARP == TREE\nthis is no CUDA;\n//? end\n%s",
              sources.template.text);
    sources.template.text = template.at;
    for (unsigned failing = 0; failing < 1u << COMPILER_UNIT; failing++) {
        struct batch batch = {.points = {.count = 0}};
        struct compiled_unit unit;
        size_t failed = 0;
        for (unsigned i = 0; i < COMPILER_UNIT; i++)
            add_row(&batch, fixture->space,
                    failing >> i & 1 ? "FINISH=LAST_BLOCK WARP=TREE" : "FINISH=LAST_BLOCK");
        compile(&unit, device, &context, &sources, &batch);
        for (unsigned i = 0; i < COMPILER_UNIT; i++) {
            assert_int_equal(unit.variants[i].variant, i);
            assert_int_equal(unit.variants[i].is_failed, failing >> i & 1);
            failed += unit.variants[i].is_failed;
            if (unit.variants[i].is_failed)
                assert_non_null(strstr(unit.variants[i].reason.text, "reduce"));
            assert_true(
                unit.variants[i].sources_hash ==
                hash_sources(&context, &sources, batch.rows + i * fixture->space->param_count));
        }
        assert_int_equal(unit.image.count, COMPILER_UNIT - failed);
        assert_kernels(&unit, fixture->space);
        compiler_dispose(&unit);
        assert_null(unit.image.bytes);
        assert_int_equal(unit.count, 0);
    }
    text_dispose(&template);
    device_close(device);
}

/* The indices are those of the points, in any order; a variant's first candidate is taken. */
static void test_chosen_variants(void **state)
{
    struct fixture *fixture = *state;
    struct device *device = open_host();
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000000),
                                    .regime = COLD};
    const struct point_context context = {fixture->space, &problem, &device->info.target};
    struct points points;
    struct compiled_unit unit;
    assert_int_equal(point_expand(&points, &context, &error), 0);
    const size_t chosen[] = {points.variant_count - 1, 0, 17};
    assert_int_equal(compiler_compile(&unit, device, &context, &fixture->sources, &points,
                                      chosen, 3, &error),
                     0);
    assert_int_equal(unit.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const int64_t *row = points.configs + points.variants[chosen[i]].first * points.width;
        assert_int_equal(unit.variants[i].variant, chosen[i]);
        assert_false(unit.variants[i].is_failed);
        assert_true(unit.variants[i].sources_hash ==
                    hash_sources(&context, &fixture->sources, row));
    }
    assert_true(unit.variants[0].sources_hash != unit.variants[1].sources_hash);
    assert_kernels(&unit, fixture->space);
    compiler_dispose(&unit);
    point_dispose(&points);
    device_close(device);
}

/* A template that cannot be emitted is no fault of a variant. */
static void test_a_template_that_cannot_be_emitted(void **state)
{
    struct fixture *fixture = *state;
    struct device *device = open_host();
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000),
                                    .regime = COLD};
    const struct point_context context = {fixture->space, &problem, &device->info.target};
    struct emit_sources sources = fixture->sources;
    struct batch batch = {.points = {.count = 0}};
    struct compiled_unit unit;
    sources.template = (struct emit_file){"bad.cu", "//? if\n"};
    add_row(&batch, fixture->space, "");
    add_row(&batch, fixture->space, "WARP=TREE");
    assert_int_equal(compiler_compile(&unit, device, &context, &sources, &batch.points,
                                      batch.indices, 2, &error),
                     -1);
    assert_non_null(strstr(error.text, "bad.cu:1: "));
    assert_null(unit.image.bytes);
    device_close(device);
}

static void test_kernels_by_pass(void **state)
{
    const struct compiled_variant variant = {.kernel_of_pass = {1, -1, 0, -1, -1, -1, -1, 1}};
    const struct device_kernel loaded[2] = {{.registers = 1}, {.registers = 2}};
    const struct device_kernel *of_pass[SPACE_PASSES_MAX];
    (void)state;
    compiler_kernels(&variant, loaded, of_pass);
    for (size_t p = 0; p < SPACE_PASSES_MAX; p++) {
        const int k = variant.kernel_of_pass[p];
        assert_ptr_equal(of_pass[p], k < 0 ? NULL : &loaded[k]);
    }
}

/* --- Hashes ------------------------------------------------------------------------------- */

static struct compiled_variant variant_of(int main, int rest, int whole)
{
    return (struct compiled_variant){.kernel_of_pass = {main, rest, whole, -1, -1, -1, -1, -1}};
}

/* Equal where each pass has the same machine code, wherever it stands in which image. */
static void test_hash_of_a_variant(void **state)
{
    uint64_t hashes[] = {7, 8, 7, 0, 8}, others[] = {8, 7};
    const struct device_image image = {.hashes = hashes, .count = 5};
    const struct device_image other = {.hashes = others, .count = 2};
    const struct device_image unknown = {.count = 5};
    const struct compiled_variant a = variant_of(0, 1, -1), same = variant_of(2, 4, -1),
                                  swapped = variant_of(1, 0, -1), one = variant_of(0, -1, -1),
                                  elsewhere = variant_of(-1, -1, 0),
                                  partly = variant_of(0, 3, -1);
    const uint64_t hash = compiler_hash(&a, &image);
    (void)state;
    assert_true(hash != 0);
    assert_true(compiler_hash(&same, &image) == hash);
    assert_true(compiler_hash(&swapped, &other) == hash);
    assert_true(compiler_hash(&swapped, &image) != hash);
    assert_true(compiler_hash(&one, &image) != hash);
    assert_true(compiler_hash(&one, &image) != compiler_hash(&elsewhere, &image));
    assert_true(compiler_hash(&partly, &image) == 0);
    assert_true(compiler_hash(&a, &unknown) == 0);
}

static struct device *open_gpu_compiler(const char *arch)
{
    struct device_info info = {.name = "a GPU", .spec = "0"};
    struct device *device;
    info.target = find_target(arch);
    if (device_open_compiler(&device, &info, NULL, &error) == 0)
        return device;
    assert_int_equal(error.code, ERROR_NO_DEVICE);
    return NULL;
}

/* One text is one machine code, whatever stands beside it; another finish and another block are
 * others. */
static void check_hashes(const struct fixture *fixture, struct device *device)
{
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(400000000),
                                    .regime = COLD};
    const struct point_context context = {fixture->space, &problem, &device->info.target};
    struct batch four = {.points = {.count = 0}}, alone = {.points = {.count = 0}};
    struct compiled_unit unit, single;
    if (space_settle_default(fixture->space, &problem, &device->info.target, &error) != 0)
        fail_msg("%s", error.text);
    add_row(&four, fixture->space, "FINISH=PASSES");
    add_row(&four, fixture->space, "FINISH=LAST_BLOCK");
    add_row(&four, fixture->space, "FINISH=PASSES BLOCK=512");
    add_row(&four, fixture->space, "FINISH=PASSES");
    add_row(&alone, fixture->space, "FINISH=PASSES");
    compile(&unit, device, &context, &fixture->sources, &four);
    compile(&single, device, &context, &fixture->sources, &alone);
    if (!unit.image.is_ptx) {
        uint64_t hashes[COMPILER_UNIT];
        assert_non_null(unit.image.hashes);
        for (size_t i = 0; i < COMPILER_UNIT; i++) {
            hashes[i] = compiler_hash(&unit.variants[i], &unit.image);
            assert_true(hashes[i] != 0);
        }
        assert_true(hashes[0] == hashes[3]);
        assert_true(hashes[0] == compiler_hash(&single.variants[0], &single.image));
        assert_true(hashes[0] != hashes[1] && hashes[0] != hashes[2] && hashes[1] != hashes[2]);
    }
    assert_true(unit.variants[0].sources_hash == unit.variants[3].sources_hash);
    assert_true(unit.variants[0].sources_hash != unit.variants[2].sources_hash);
    assert_kernels(&unit, fixture->space);
    compiler_dispose(&unit);
    compiler_dispose(&single);
}

static void test_hashes_of_machine_code(void **state)
{
    size_t tried = 0;
    for (size_t i = 0; i < ARCHS; i++) {
        struct device *device = open_gpu_compiler(archs[i]);
        if (!device)
            continue;
        check_hashes(*state, device);
        device_close(device);
        tried++;
    }
    if (tried == 0) {
        print_message("%.200s\n", error.text);
        skip();
    }
}

/* The variant at fault among NVRTC's; without it the others have hashes. */
static void test_failing_variant_of_nvrtc(void **state)
{
    struct fixture *fixture = *state;
    struct device *device = open_gpu_compiler("sm_90");
    struct emit_sources sources = fixture->sources;
    struct batch batch = {.points = {.count = 0}};
    struct compiled_unit unit;
    struct text template = {0};
    if (!device) {
        print_message("%.200s\n", error.text);
        skip();
        return;
    }
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(400000000),
                                    .regime = COLD};
    const struct point_context context = {fixture->space, &problem, &device->info.target};
    text_addf(&template, "//? if WARP == TREE\nthis is no CUDA;\n//? end\n%s",
              sources.template.text);
    sources.template.text = template.at;
    add_row(&batch, fixture->space, "");
    add_row(&batch, fixture->space, "WARP=TREE");
    add_row(&batch, fixture->space, "");
    compile(&unit, device, &context, &sources, &batch);
    assert_false(unit.variants[0].is_failed);
    assert_true(unit.variants[1].is_failed);
    assert_non_null(strstr(unit.variants[1].reason.text, "this is no CUDA"));
    assert_false(unit.variants[2].is_failed);
    assert_kernels(&unit, fixture->space);
    assert_true(unit.image.is_ptx || compiler_hash(&unit.variants[0], &unit.image) ==
                                         compiler_hash(&unit.variants[2], &unit.image));
    compiler_dispose(&unit);
    text_dispose(&template);
    device_close(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nvrtc),
        cmocka_unit_test(test_nvcc),
        cmocka_unit_test(test_golden_kernels),
        cmocka_unit_test(test_failing_variants),
        cmocka_unit_test(test_chosen_variants),
        cmocka_unit_test(test_a_template_that_cannot_be_emitted),
        cmocka_unit_test(test_kernels_by_pass),
        cmocka_unit_test(test_hash_of_a_variant),
        cmocka_unit_test(test_hashes_of_machine_code),
        cmocka_unit_test(test_failing_variant_of_nvrtc),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
