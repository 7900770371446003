/* What warps do in shared memory: the cost of known patterns of addresses, and the rungs of the
 * ladder as the emulator sees them against what follows from their arithmetic. And causes. */
#include "autotune/analysis/banks.h"
#include "autotune/analysis/pattern.h"
#include "autotune/analysis/sectors.h"
#include "autotune/device/gpus.h"
#include "autotune/device/host_trace.h"
#include "autotune/device/nvrtc.h"
#include "autotune/embedded.h"
#include "autotune/ladder/cause.h"
#include "autotune/ladder/ladder_rung.h"
#include "generator/call.h"
#include "tests/unit/named_op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static unsigned largest(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned divisor(unsigned a, unsigned b)
{
    return b ? divisor(b, a % b) : a;
}

/* --- Banks -------------------------------------------------------------------------------- */

/* Lanes 0 .. count - 1, each `stride` bytes after the one before. */
static struct banks count_stride(unsigned count, unsigned stride, unsigned bytes)
{
    uint64_t at[BANKS_LANES];
    struct banks banks;
    for (unsigned lane = 0; lane < BANKS_LANES; lane++)
        at[lane] = lane * stride;
    banks_count(&banks, count == BANKS_LANES ? UINT32_MAX : (UINT32_C(1) << count) - 1, at,
                bytes);
    return banks;
}

/* 32 / gcd(s, 32) banks take turns. */
static void test_strides(void **state)
{
    (void)state;
    for (unsigned stride = 1; stride <= 128; stride++) {
        const struct banks banks = count_stride(32, 4 * stride, 4);
        assert_int_equal(banks.ways, divisor(stride, 32));
        assert_int_equal(banks.wavefronts, banks.ways);
        assert_int_equal(banks.ideal, 1);
    }
}

/* Half a warp after the other, each with 2 words a lane. */
static void test_wide_strides(void **state)
{
    (void)state;
    for (unsigned stride = 1; stride <= 64; stride++) {
        const struct banks banks = count_stride(32, 8 * stride, 8);
        assert_int_equal(banks.ways, divisor(stride, 16));
        assert_int_equal(banks.wavefronts, 2 * banks.ways);
        assert_int_equal(banks.ideal, 2);
    }
    assert_int_equal(count_stride(16, 8, 8).wavefronts, 1);
    assert_int_equal(count_stride(17, 8, 8).wavefronts, 2);
    assert_int_equal(count_stride(32, 16, 16).wavefronts, 4);
    assert_int_equal(count_stride(32, 16, 16).ways, 1);
    assert_int_equal(count_stride(32, 32, 32).wavefronts, 16); /* as two of 16, 2-way each */
}

static void test_broadcast(void **state)
{
    (void)state;
    const struct banks same = count_stride(32, 0, 4), bytes = count_stride(32, 1, 1);
    const struct banks none = count_stride(0, 4, 4), halves = count_stride(32, 2, 2);
    assert_int_equal(same.wavefronts, 1);
    assert_int_equal(bytes.wavefronts, 1);
    assert_int_equal(halves.wavefronts, 1);
    assert_int_equal(none.wavefronts + none.ideal + none.ways, 0);
    assert_int_equal(count_stride(32, 64, 1).ways, 16);
}

/* --- Sectors ------------------------------------------------------------------------------ */

/* All lanes, each `stride` bytes after the one before, from `from` on. */
static struct sectors load_stride(unsigned from, unsigned stride, unsigned bytes,
                                  uint32_t lanes)
{
    uint64_t at[SECTORS_LANES];
    struct sectors sectors;
    for (unsigned lane = 0; lane < SECTORS_LANES; lane++)
        at[lane] = from + lane * stride;
    sectors_count(&sectors, lanes, at, bytes);
    return sectors;
}

/* By hand: 32 lanes of 4 bytes side by side are 128 bytes, 4 sectors; of 16 bytes 16. */
static void test_sectors(void **state)
{
    static const struct {
        unsigned from, stride, bytes;
        uint32_t lanes;
        unsigned touched, ideal;
    } rows[] = {
        {0, 4, 4, UINT32_MAX, 4, 4},
        {0, 16, 16, UINT32_MAX, 16, 16},
        {0, 8, 8, UINT32_MAX, 8, 8},
        {0, 1, 1, UINT32_MAX, 1, 1},
        {0, 8, 4, UINT32_MAX, 8, 4},
        {0, 32, 4, UINT32_MAX, 32, 4},
        {0, 128, 4, UINT32_MAX, 32, 4},
        {4, 4, 4, UINT32_MAX, 5, 4},
        {0, 0, 4, UINT32_MAX, 1, 4},
        {28, 32, 8, UINT32_MAX, 33, 8},
        {24, 64, 16, UINT32_MAX, 64, 16},
        {0, 4, 4, 0xff, 1, 1},
        {0, 32, 4, 5, 2, 1},
        {0, 4, 4, 0, 0, 0},
        {0, 32, 32, UINT32_MAX, 32, 32},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sectors got =
            load_stride(rows[i].from, rows[i].stride, rows[i].bytes, rows[i].lanes);
        if (got.touched != rows[i].touched || got.ideal != rows[i].ideal)
            fail_msg("row %zu: %u, %u", i, got.touched, got.ideal);
    }
}

/* --- Accesses ----------------------------------------------------------------------------- */

/* Lanes in any order, one twice at the same place: its second time is another access. */
static void test_note(void **state)
{
    static const char code[2];
    const unsigned lanes[] = {5, 31, 0, 5, 7};
    struct host_trace trace;
    struct error error;
    (void)state;
    assert_int_equal(host_trace_init(&trace, &error), 0);
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        host_trace_note(&trace, &(struct host_place){.is_shared = true, .site = code}, lanes[i],
                        lanes[i] * 4);
    host_trace_note(&trace, &(struct host_place){.is_shared = true, .site = code + 1}, 5, 0);
    host_trace_note(&trace, &(struct host_place){.is_shared = true, .site = code, .warp = 1}, 5,
                    0);
    host_trace_note(&trace, &(struct host_place){.is_shared = true, .site = code, .step = 1}, 5,
                    0);
    assert_int_equal(trace.count, 5);
    assert_true(trace.accesses[0].lanes == (1u << 5 | 1u << 31 | 1 | 1u << 7));
    assert_int_equal(trace.accesses[0].at[31], 31 * 4);
    assert_int_equal(trace.accesses[1].lanes, 1u << 5);
    for (unsigned step = 2; trace.count < HOST_TRACE_MAX; step++)
        host_trace_note(&trace,
                        &(struct host_place){.is_shared = true, .site = code, .step = step}, 0,
                        0);
    assert_false(trace.is_full);
    host_trace_note(&trace, &(struct host_place){.is_shared = true, .site = code, .step = 1}, 6,
                    0); /* room */
    assert_false(trace.is_full);
    host_trace_note(&trace, &(struct host_place){.is_shared = true, .site = code}, 5, 0);
    assert_true(trace.is_full);
    host_trace_dispose(&trace);
}

/* Loads are a sample, and leave room for all else. */
static void test_note_loads(void **state)
{
    static const char code[1];
    struct host_trace trace;
    struct error error;
    (void)state;
    assert_int_equal(host_trace_init(&trace, &error), 0);
    trace.input_from = 1000;
    trace.input_end = 1400;
    assert_true(host_trace_is_load(&trace, HOST_READ, 1000));
    assert_false(host_trace_is_load(&trace, HOST_WRITE, 1000));
    assert_false(host_trace_is_load(&trace, HOST_READ, 999));
    assert_false(host_trace_is_load(&trace, HOST_READ, 1400));
    for (unsigned i = 0; i < 2 * HOST_TRACE_LOADS_MAX; i++)
        host_trace_note(&trace, &(struct host_place){.touch = HOST_READ, .site = code}, 3, i);
    assert_int_equal(trace.loads, HOST_TRACE_LOADS_MAX);
    assert_int_equal(trace.count, HOST_TRACE_LOADS_MAX);
    assert_false(trace.is_full);
    host_trace_dispose(&trace);
}

/* --- Rungs -------------------------------------------------------------------------------- */

static struct rungs rungs;

static int load_list(void **state)
{
    struct error error;
    (void)state;
    return ladder_rung_list(&rungs, &error);
}

static int dispose_list(void **state)
{
    (void)state;
    rungs_dispose(&rungs);
    return 0;
}

static struct emit_file built_in(const char *name)
{
    const struct embedded *file = embedded_find(name);
    assert_non_null(file);
    return (struct emit_file){file->name, file->bytes};
}

/* The usual problem, or as large a one in rows of as many elements as a block has threads. */
static struct problem problem_of(const struct space *space, enum type type, unsigned threads)
{
    struct problem problem = {.op = op_of(SUM),
                              .type = type,
                              .acc = problem_default_acc(type),
                              .dims = DIMS_VALUE(400000000),
                              .regime = COLD};
    const struct dims value = problem.dims;
    if (!space_serves(space, &problem))
        problem.dims = dims_resized(&value, dims_n(&value) / threads, threads, 0);
    if (!space_serves(space, &problem))
        problem.dims = dims_run(dims_n(&value), DIMS_INCLUSIVE);
    return problem;
}

static struct pattern run_rung(const char *name, enum type type, unsigned threads)
{
    struct ladder_rung rung;
    struct target target;
    struct pattern pattern;
    struct error error;
    size_t r = 0;
    while (r < rungs.count && strcmp(rungs.rungs[r].name, name) != 0)
        r++;
    assert_true(r < rungs.count);
    if (ladder_rung_open(&rung, &rungs, &rungs.rungs[r], &error) ||
        gpus_find(&target, "sm_90", &error))
        fail_msg("%s", error.text);
    const struct problem problem = problem_of(rung.space, type, threads);
    const struct point_context context = {rung.space, &problem, &target};
    const struct emit_sources sources = {.template = rung.template,
                                         .types = built_in("templates/types.cu"),
                                         .intrinsics = built_in("templates/intrinsics.cu")};
    assert_true(ladder_rung_resize(&rung, threads));
    if (pattern_run(&pattern, &context, &sources, rung.config, &error))
        fail_msg("%s: %s", name, error.text);
    ladder_rung_close(&rung);
    assert_true(pattern.is_known);
    return pattern;
}

static const enum type types[] = {I32, F32, I64, F64};
enum { TYPES = sizeof types / sizeof *types };

static unsigned bytes_of(enum type type)
{
    return (unsigned)problem_types[problem_default_acc(type)].bytes;
}

/* n of the conflict when the first `lanes` lanes reach for every `stride`-th value. */
static unsigned expect_ways(unsigned lanes, unsigned stride, unsigned bytes)
{
    const unsigned at_once = 32 * 4 / bytes, positions = at_once / divisor(stride, at_once);
    const unsigned active = lanes < at_once ? lanes : at_once;
    return (active + positions - 1) / positions;
}

/* index = 2 * d * t: 2-way, 4-way ... up to 32-way with 1024 threads, and down again as fewer
 * lanes are left. */
static void test_strided(void **state)
{
    (void)state;
    for (size_t k = 0; k < TYPES; k++)
        for (unsigned threads = 32; threads <= 1024; threads *= 4) {
            const struct pattern pattern = run_rung("harris-2", types[k], threads);
            unsigned worst = 1;
            size_t step = 1; /* the first stores one value a thread */
            assert_int_equal(pattern.steps[0].ways, 1);
            for (unsigned d = 1; d < threads; d *= 2, step++) {
                const unsigned active = threads / (2 * d), lanes = active < 32 ? active : 32;
                const unsigned ways = expect_ways(lanes, 2 * d, bytes_of(types[k]));
                assert_int_equal(pattern.steps[step].ways, ways);
                worst = largest(worst, ways);
                if (d * 2 < threads) /* the last also reads the result */
                    assert_int_equal(pattern.steps[step].lanes, 3 * active);
            }
            assert_int_equal(pattern.step_count, step);
            assert_int_equal(pattern.ways, worst);
            assert_true((pattern.wavefronts > pattern.ideal) == (worst > 1));
        }
    const struct pattern pattern = run_rung("harris-2", I32, 128);
    assert_int_equal(pattern.site_count, 5); /* before the tree, three in it, the result */
    for (size_t i = 0; i < 5; i++) {
        const bool is_tree = i > 0 && i < 4;
        assert_int_equal(pattern.sites[i].requests, is_tree ? 2 + 6 : i == 0 ? 4 : 1);
        assert_int_equal(pattern.sites[i].wavefronts - pattern.sites[i].ideal,
                         is_tree ? 2 * 1 + 3 + 3 + 3 + 3 + 1 : 0);
    }
    assert_int_equal(run_rung("harris-2", I32, 1024).ways, 32);
    assert_int_equal(run_rung("harris-2", I32, 256).ways, 8);
    assert_int_equal(run_rung("harris-2", I32, 128).wavefronts, 74); /* by hand */
}

/* Neighbouring words, whole warps as long as there are some. */
static void test_sequential(void **state)
{
    (void)state;
    for (size_t k = 0; k < TYPES; k++) {
        const struct pattern pattern = run_rung("harris-3", types[k], 512);
        assert_int_equal(pattern.ways, 1);
        assert_int_equal(pattern.wavefronts, pattern.ideal);
        assert_int_equal(pattern.step_count, 10);
        for (unsigned step = 1; step < 9; step++) {
            const unsigned d = 512u >> step, warps = d < 32 ? 1 : d / 32;
            assert_int_equal(pattern.steps[step].requests, 3 * warps);
            assert_int_equal(pattern.steps[step].lanes, 3 * d);
        }
    }
}

/* t % (2 * d) == 0: ever fewer lanes, of all warps to begin with. */
static void test_modulo(void **state)
{
    (void)state;
    const struct pattern pattern = run_rung("harris-1", F32, 256);
    for (unsigned step = 1; step < 8; step++) {
        const unsigned active = 256u >> step, warps = active < 8 ? active : 8;
        assert_int_equal(pattern.steps[step].requests, 3 * warps);
        assert_int_equal(pattern.steps[step].lanes, 3 * active);
        assert_int_equal(pattern.steps[step].ways, 1);
    }
    assert_int_equal(pattern.requests, 8 + 3 * (5 * 8 + 4 + 2 + 1) + 1);
    assert_int_equal(pattern.wavefronts, pattern.ideal);
}

/* Unrolled: the last warp's lanes all take part, at a step of their own each. */
static void test_last_warp(void **state)
{
    (void)state;
    const struct pattern pattern = run_rung("harris-5", I32, 128);
    assert_int_equal(pattern.requests, 4 + 2 * 3 + 12);
    assert_int_equal(pattern.lanes, 32 * pattern.requests);
    assert_int_equal(pattern.ways, 1);
    const struct pattern shuffles = run_rung("wangyu-4", I32, 128);
    assert_int_equal(shuffles.requests, 4 + 2 * (2 + 1));
}

/* What a rung says of its differences, all lines. */
static void say_differences(char out[2000], const char *name)
{
    size_t r = 0;
    while (r < rungs.count && strcmp(rungs.rungs[r].name, name) != 0)
        r++;
    assert_true(r < rungs.count);
    out[0] = '\0';
    for (size_t i = 0; i < rungs.rungs[r].differs.count; i++)
        snprintf(out + strlen(out), 2000 - strlen(out), "%s ", rungs.rungs[r].differs.at[i]);
}

/* Where rungs keep a lane's value in a register and documents read it again, they say what that saves: the
 * old form of harris-5 and -6 is there to be counted; of WangYu's tree by hand, three accesses of each
 * warp in each step, where the rungs have two, and one to end. */
static void test_kept_registers(void **state)
{
    static const struct {
        const char *rung;
        unsigned threads, ours, document;
    } rows[] = {
        {"harris-5", 128, 22, 4 + 2 * 3 + 6 * 3 + 1},
        {"harris-6", 128, 22, 4 + 2 * 3 + 6 * 3 + 1},
        {"wangyu-4", 256, 22, 8 + 3 * (4 + 2 + 1) + 1},
        {"wangyu-5", 256, 22, 8 + 3 * (4 + 2 + 1) + 1},
        {"wangyu-5-loop", 256, 22, 8 + 3 * (4 + 2 + 1) + 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char says[2000], ours[40], document[40];
        say_differences(says, rows[i].rung);
        snprintf(ours, sizeof ours, "%u accesses of shared memory", rows[i].ours);
        snprintf(document, sizeof document, "the document's form has %u ", rows[i].document);
        assert_int_equal(run_rung(rows[i].rung, I32, rows[i].threads).requests, rows[i].ours);
        if (!strstr(says, ours) || !strstr(says, document))
            fail_msg("%s: '%s'", rows[i].rung, says);
    }
}

static void test_atomics(void **state)
{
    (void)state;
    for (size_t k = 0; k < TYPES; k++) {
        const struct pattern each = run_rung("wangyu-naive", types[k], 256);
        assert_int_equal(each.atomics_global, 256);
        assert_int_equal(each.atomics_shared + each.requests + each.ways, 0);
        const struct pattern shared = run_rung("wangyu-shared", types[k], 256);
        assert_int_equal(shared.atomics_shared, 256);
        assert_int_equal(shared.atomics_global, 1);
        assert_int_equal(shared.requests, 2);
    }
}

/* Sectors of a warp's loads, and what would do, as their addresses have it. */
static void test_loads(void **state)
{
    static const struct {
        const char *rung;
        enum type type;
        unsigned threads, loads, sectors, ideal; /* of a load */
    } rows[] = {
        {"harris-3", F32, 128, 4, 4, 4},     {"harris-3", F64, 128, 4, 8, 8},
        {"harris-4", I32, 128, 8, 4, 4},     {"cs599-9", F32, 64, 128, 4, 4},
        {"loads-pairs", F32, 256, 16, 8, 4}, {"loads-apart", F32, 256, 16, 4, 4},
        {"scan-up", F32, 256, 16, 8, 4},     {"loads-parts", F32, 64, 64, 32, 4},
        {"loads-parts", F16, 64, 64, 32, 2}, {"wangyu-naive", F32, 256, 8, 4, 4},
        {"lab04-atomic", I32, 256, 8, 4, 4}, {"next-launches", F32, 64, 4, 16, 16},
        {"next-async", I32, 64, 4, 16, 16},
#ifndef __clang__ /* which loads by halves what it passes in two registers */
        {"tensor-1", F16, 64, 16, 16, 16},
#endif
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct pattern pattern = run_rung(rows[i].rung, rows[i].type, rows[i].threads);
        if (pattern.loads != rows[i].loads ||
            pattern.sectors != rows[i].loads * rows[i].sectors ||
            pattern.sectors_ideal != rows[i].loads * rows[i].ideal)
            fail_msg("%s: %u loads, %u sectors, %u", rows[i].rung, pattern.loads,
                     pattern.sectors, pattern.sectors_ideal);
    }
#ifndef __clang__ /* nor does it copy once */
    /* 4 loads of 16 bytes a lane, copied and read back: 4 wavefronts each. */
    const struct pattern ring = run_rung("next-async", I32, 64);
    assert_int_equal(ring.passing_requests, 2 * 4);
    assert_int_equal(ring.passing_wavefronts, 2 * 4 * 4);
    assert_true(ring.elements == 64 * 8);
#endif
    assert_int_equal(run_rung("next-launches", I32, 64).passing_requests, 0);
    assert_int_equal(run_rung("harris-1", I32, 64).passing_requests, 0);
}

/* The type that stands for `usual` in a rung that does not take it. */
static enum type type_for(const struct rung *rung, enum type usual)
{
    return strcmp(rung->space, "tensor") == 0 ? F16
           : strstr(rung->params, "REDUX")    ? I32
                                              : usual;
}

/* The tree of part 1 has a bound that the compiler knows: it writes each step anew; so it does the
 * two elements of a thread of a scan's tree. */
static bool is_unrolled(const struct rung *rung)
{
    return strcmp(rung->space, "rows_modulo") == 0 ||
           strcmp(rung->space, "rows_strided") == 0 || strstr(rung->params, "METHOD=TREE");
}

/* Each rung and type has a pattern, and no access without a lane. Lanes that share a row need no
 * shared memory. */
static void test_all(void **state)
{
    (void)state;
    for (size_t r = 0; r < rungs.count; r++) {
        const bool is_lanes = strcmp(rungs.rungs[r].space, "rows_lanes") == 0;
        const struct pattern pattern =
            run_rung(rungs.rungs[r].name, type_for(&rungs.rungs[r], F32), is_lanes ? 128 : 64);
        assert_int_equal(pattern.requests + pattern.atomics_global > 0, !is_lanes);
        assert_true(pattern.lanes >= pattern.requests);
        assert_true(pattern.wavefronts >= pattern.ideal);
    }
}

/* NVRTC keeps every access: it writes as many instructions as the emulator saw places, or more
 * where it unrolls. */
static void test_sites(void **state)
{
    struct nvrtc *nvrtc;
    struct error error;
    (void)state;
    if (nvrtc_open(&nvrtc, NULL, 90, &error)) {
        print_message("%s\n", error.text);
        skip();
    }
    for (size_t r = 0; r < rungs.count; r++) {
        struct ladder_rung rung;
        struct target target;
        unsigned instructions = 0;
        assert_int_equal(ladder_rung_open(&rung, &rungs, &rungs.rungs[r], &error), 0);
        assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
        assert_true(ladder_rung_resize(&rung, 128));
        const struct problem problem =
            problem_of(rung.space, type_for(&rungs.rungs[r], F16), 128);
        const struct point_context context = {rung.space, &problem, &target};
        const struct emit_sources sources = {.template = rung.template,
                                             .types = built_in("templates/types.cu"),
                                             .intrinsics = built_in("templates/intrinsics.cu")};
        struct planner_plan plan;
        assert_int_equal(call_plan(&plan, &context, rung.config, &error), 0);
        for (int i = 0; i <= pattern_launch(&plan, rung.space); i++) {
            const size_t pass = (size_t)plan.launches[i].pass;
            struct text text = {0};
            struct device_image image;
            struct sass_mix mix;
            assert_int_equal(emit_kernel(&text, &context, &sources, rung.config, pass, &error),
                             0);
            const struct device_source source = {text.at, rung.space->kernel};
            assert_int_equal(nvrtc_compile(nvrtc, 90, NVRTC_PTX, &source, 1, &image, &error),
                             0);
            assert_int_equal(sass_count(&mix, image.bytes, true, &error), 0);
            instructions += (unsigned)mix.counts[SASS_SHARED];
            device_dispose_image(&image);
            text_dispose(&text);
        }
        const struct pattern pattern =
            run_rung(rungs.rungs[r].name, type_for(&rungs.rungs[r], F16), 128);
        const size_t sites = pattern.site_count + (pattern.atomics_shared > 0);
        const bool is_copying = strstr(rungs.rungs[r].params, "ASYNC"); /* no ld, no st */
        if (is_copying                     ? sites < instructions
            : is_unrolled(&rungs.rungs[r]) ? sites >= instructions
                                           : sites != instructions)
            fail_msg("%s: %zu places, %u instructions", rungs.rungs[r].name, sites,
                     instructions);
        ladder_rung_close(&rung);
    }
    nvrtc_close(nvrtc);
}

/* A kernel that cannot be compiled is an error, and one that hangs. */
static void test_refused(void **state)
{
    static const char *const bodies[] = {"    y[0] = nothing;\n",
                                         "    if (threadIdx.x) __syncthreads();\n"
                                         "    else __syncwarp(~0u);\n"};
    const struct problem problem = {.op = op_of(SUM),
                                    .type = I32,
                                    .acc = I32,
                                    .dims = DIMS_VALUE(1000),
                                    .regime = COLD};
    struct ladder_rung rung;
    struct target target;
    struct error error;
    (void)state;
    assert_int_equal(gpus_find(&target, "sm_90", &error), 0);
    assert_int_equal(ladder_rung_open(&rung, &rungs, &rungs.rungs[2], &error), 0);
    const struct point_context context = {rung.space, &problem, &target};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[300];
        struct pattern pattern;
        snprintf(text, sizeof text,
                 "__global__ void reduce(const elem *x, unsigned long long n, accum *y)\n"
                 "{\n%s}\n",
                 bodies[i]);
        const struct emit_sources sources = {.template = {"bad.cu", text},
                                             .types = built_in("templates/types.cu"),
                                             .intrinsics = built_in("templates/intrinsics.cu")};
        assert_int_equal(pattern_run(&pattern, &context, &sources, rung.config, &error), -1);
        assert_true(error.code == ERROR_FAILED || error.code == ERROR_WRONG);
        assert_false(pattern.is_known);
    }
    ladder_rung_close(&rung);
}

/* --- Causes ------------------------------------------------------------------------------- */

static const struct {
    const char *rung;
    unsigned threads;
    double in_flight; /* bytes, where 18 kB are wanted; 0 = of no GPU */
    const char *says;
} causes[] = {
    {"harris-1", 128, 0,
     "divergence: 6.9 of 32 lanes active in an access of shared memory (32 16 8 4 2 1 1 1 by "
     "step), 18.5 accesses for 32 elements"},
    {"harris-2", 128, 0,
     "bank conflicts, up to 4-way (1 2 4 4 4 4 2 1 by step): 74 wavefronts a block where 29 "
     "would do, 18.5 for 32 elements"},
    {"harris-2", 1024, 9000,
     "bank conflicts, up to 32-way (1 2 4 8 16 32 16 8 4 2 1 by step): "},
    {"harris-2", 1024, 9000, "; 9.0 of 18.0 kB in flight"},
    {"cs599-3", 256, 9000, "the tree, which combines few elements: 5.6 accesses"},
    {"cs599-6", 256, 9000,
     "bytes in flight: 9.0 kB an SM of the 12.6 to 18.0 that the memory wants"},
    {"cs599-6", 256, 36000,
     "the loads: they ask for 36.0 kB an SM at a time, and 18.0 should do; 0.7 accesses"},
    {"cs599-6", 256, 0, "the loads; 0.7 accesses of shared memory for 32 elements"},
    {"wangyu-naive", 256, 0,
     "atomic operations: 256 for the 256 elements of a block, all on one word of global "
     "memory"},
    {"wangyu-shared", 256, 0, "all on one word of its shared memory"},
    {"lab04-atomic", 256, 9000,
     "; 256 atomic operations a block, all on one word of global memory"},
    {"scan-up", 256, 0,
     "bank conflicts, up to 16-way (2 2 4 8 16 16 8 4 2 1 by step): 318 wavefronts a block where "
     "77 would do"},
    {"scan-up-padded", 256, 0,
     "the tree, which combines few elements: 9.6 accesses of shared memory"},
    {"scan-naive", 256, 0,
     "the tree, which combines few elements: 23.4 accesses of shared memory"},
    {"scan-buffers", 256, 0,
     "the tree, which combines few elements: 24.1 accesses of shared memory"},
    {"scan-tree", 256, 0,
     "bank conflicts, up to 16-way (1 2 4 8 16 16 8 4 2 1 1 1 1 2 4 8 16 16 8 4 2 1 by step): 706 "
     "wavefronts a block where 181 would do"},
    {"scan-tree-padded", 256, 0,
     "the tree, which combines few elements: 22.6 accesses of shared memory"},
    {"harris-1-masked", 128, 0, "divergence: 6.9 of 32 lanes active"},
    {"harris-2-padded", 128, 0,
     "the tree, which combines few elements: 7.2 accesses of shared memory"},
    {"loads-pairs", 256, 0, "; 8 sectors a request of a load where 4 would do"},
};

static void test_causes(void **state)
{
    const struct ladder ladder = {.sms = 132};
    (void)state;
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        const unsigned items = strcmp(causes[i].rung, "cs599-6") == 0        ? 8
                               : strcmp(causes[i].rung, "lab04-atomic") == 0 ? 64
                                                                             : 1;
        struct ladder_cell cell = {.pattern = run_rung(causes[i].rung, F32, causes[i].threads),
                                   .elements = items * causes[i].threads,
                                   .analysis = {.in_flight = causes[i].in_flight,
                                                .wanted = 18000,
                                                .wanted_least = 12600}};
        cause_find(&cell, &ladder);
        if (!strstr(cell.cause, causes[i].says))
            fail_msg("%s: '%s', not '%s'", causes[i].rung, cell.cause, causes[i].says);
    }
}

/* A kernel that never uses shared memory. */
static void test_cause_without_shared(void **state)
{
    const struct ladder ladder = {.sms = 132};
    struct ladder_cell cell = {.pattern = {.is_known = true}, .elements = 1024};
    (void)state;
    cause_find(&cell, &ladder);
    assert_string_equal(cell.cause, "the loads");
    cell.analysis =
        (struct analysis){.in_flight = 36000, .wanted = 18000, .wanted_least = 12600};
    cause_find(&cell, &ladder);
    assert_string_equal(cell.cause,
                        "the loads: they ask for 36.0 kB an SM at a time, and 18.0 should do");
}

/* The memory is blamed only for a time near its peak: as wangyu-5 on the H200, whose loads ask
 * for enough at 57 % of it. All move 1 TB/s at the peak, which 1000 bytes do in 1000 ps. */
static void test_cause_of_share(void **state)
{
    static const struct {
        const char *rung;
        uint64_t ps;
        double in_flight;
        const char *says, *says_not;
        bool is_host, no_peak;
    } rows[] = {
        {"cs599-6", 1745, 32800,
         "not known: less than 80 % of the peak, though loads ask for 32.8 kB an SM at a time and "
         "18.0 should do; 0.7 accesses of shared memory for 32 elements; an SM takes 230 ns a "
         "block",
         "the memory:", false, false},
        {"cs599-6", 1251, 32800, "not known: less than 80 %", "the memory:", false, false},
        {"cs599-6", 1249, 32800,
         "the memory: loads ask for 32.8 kB an SM at a time, 18.0 are enough; 0.7 accesses",
         "not known", false, false},
        {"cs599-6", 1745, 0, "not known: less than 80 % of the peak; 0.7 accesses", "though",
         false, false},
        {"cs599-6", 1745, 32800, "the loads: they ask for 32.8 kB", "the memory", true, false},
        {"cs599-6", 1249, 32800, "the loads: they ask for 32.8 kB", "the memory", false, true},
        {"cs599-6", 1745, 9000, "bytes in flight: 9.0 kB", "not known", false, false},
        {"cs599-6", 1249, 9000, "the memory; 0.7 accesses", "enough", false, false},
        {"cs599-3", 1745, 32800, "the tree, which combines few elements: 5.6", "not known",
         false, false},
        {"cs599-3", 1249, 32800, "the memory: loads ask for", "a tree", false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ladder ladder = {.sms = 132,
                                      .peak = rows[i].no_peak ? 0 : 1000000000000,
                                      .is_host = rows[i].is_host};
        const unsigned items = strcmp(rows[i].rung, "cs599-6") == 0 ? 8 : 1;
        struct ladder_cell cell = {.pattern = run_rung(rows[i].rung, F32, 256),
                                   .elements = items * 256,
                                   .ps = rows[i].ps,
                                   .bytes = 1000,
                                   .grid = 1,
                                   .analysis = {.grid = 132,
                                                .sms = 132,
                                                .in_flight = rows[i].in_flight,
                                                .wanted = 18000,
                                                .wanted_least = 12600}};
        cause_find(&cell, &ladder);
        if (!strstr(cell.cause, rows[i].says) || strstr(cell.cause, rows[i].says_not))
            fail_msg("row %zu: '%s'", i, cell.cause);
    }
}

/* Times of an H200 (bench/results/h200-ladder.txt and -grid.txt), with what a block issues by hand from its
 * machine code (test_sass_walk): what is busy for most of the time is the cause. */
static const struct {
    const char *rung;
    enum type type;
    unsigned threads, items;
    double ms, n;
    double instructions, in_tree, memory, divisions, in_flight;
    const char *says, *beside;
} measured[] = {
    {"harris-1", I32, 128, 1, 3.3493, 4e8, 923, 812, 112, 28, 8192,
     "instructions: a warp issues 231 for 32 elements, 203 of them in the tree, which divides in each step "
     "for its % (I2F, MUFU.RCP, F2I); that takes 82 % of the time",
     "; divergence: 6.9 of 32 lanes active"},
    {"harris-2", I32, 128, 1, 2.1567, 4e8, 500, 392, 112, 0, 8192,
     "bank conflicts, up to 4-way (1 2 4 4 4 4 2 1 by step): 74 wavefronts a block where 29 would do, "
     "18.5 for 32 elements; that takes 87 % of the time",
     "; the start of blocks takes 88 %"},
    {"harris-3", I32, 128, 1, 1.9048, 4e8, 419, 308, 112, 0, 8192,
     "the rate of blocks: it starts 3125000, each for 128 elements; that takes 100 % of the time",
     "; an SM takes 80 ns a block, 16 at once, so each lives 1.29 us"},
    {"harris-4", I32, 128, 2, 0.9562, 4e8, 460, 308, 128, 0, 16384,
     "the rate of blocks: it starts 1562500, each for 256 elements",
     "; 16.4 of 18.2 kB in flight"},
    {"harris-6", I32, 128, 2, 0.9486, 4e8, 160, 0, 57, 0, 16384,
     "the rate of blocks: it starts 1562500", ""},
    {"cs599-1", F32, 256, 1, 3.8350, 4e8, 2067, 1856, 244, 64, 8192,
     "instructions: a warp issues 258 for 32 elements, 232 of them in the tree, which divides",
     "81 %"},
    {"cs599-2", F32, 256, 1, 2.3215, 4e8, 1104, 896, 244, 0, 8192,
     "bank conflicts, up to 8-way", "that takes 90 % of the time"},
    {"cs599-3", F32, 256, 1, 1.8416, 4e8, 915, 704, 244, 0, 8192,
     "shared memory: 5.6 accesses for 32 elements; that takes 79 % of the time",
     "; 8.2 of 18.2 kB in flight"},
    {"wangyu-5", F32, 256, 4, 0.5805, 4e8, 793, 264, 130, 0, 10923,
     "bytes in flight: 10.9 kB an SM of the 12.8 to 18.2 that the memory wants", ""},
};

static void test_cause_of_units(void **state)
{
    const struct problem problem = {.type = F32};
    struct ladder ladder = {.sms = 132,
                            .peak = 4814304000000,
                            .problem = &problem,
                            .machine = {4814304000000, 1980000, 1.64e9}};
    (void)state;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const double elements = measured[i].items * measured[i].threads;
        const unsigned grid = (unsigned)(measured[i].n / elements);
        struct ladder_cell cell = {.pattern = run_rung(measured[i].rung, measured[i].type,
                                                       measured[i].threads),
                                   .threads = measured[i].threads,
                                   .elements = elements,
                                   .ps = (uint64_t)(measured[i].ms * 1e9),
                                   .bytes = measured[i].n * 4,
                                   .grid = grid,
                                   .analysis = {.grid = grid,
                                                .sms = 132,
                                                .resident = 2048. / measured[i].threads,
                                                .elements = elements,
                                                .issue = {.instructions =
                                                              measured[i].instructions,
                                                          .in_tree = measured[i].in_tree,
                                                          .memory = measured[i].memory,
                                                          .divisions = measured[i].divisions},
                                                .in_flight = measured[i].in_flight,
                                                .wanted = 18236,
                                                .wanted_least = 12765}};
        cause_find(&cell, &ladder);
        if (strncmp(cell.cause, measured[i].says, strlen(measured[i].says)) != 0 ||
            !strstr(cell.cause, measured[i].beside))
            fail_msg("%s: '%s'", measured[i].rung, cell.cause);
        cell.analysis.mix.is_ptx = true; /* not what runs */
        cause_find(&cell, &ladder);
        assert_null(strstr(cell.cause, "instructions"));
    }
}

/* Without a time the longest of the units is named, of the GPU that was asked for. */
static void test_cause_of_a_gpu_that_is_not_here(void **state)
{
    const struct problem problem = {.type = I32};
    const struct ladder ladder = {.is_host = true,
                                  .problem = &problem,
                                  .machine = {4814304000000, 1980000, 1.64e9}};
    struct ladder_cell cell = {.pattern = run_rung("harris-3", I32, 128),
                               .threads = 128,
                               .elements = 128,
                               .ps = 1000000, /* of the emulator: it says nothing */
                               .grid = 157,
                               .analysis = {.grid = 3125000,
                                            .sms = 132,
                                            .elements = 128,
                                            .issue = {.instructions = 419, .memory = 112},
                                            .in_flight = 8192,
                                            .wanted = 18236,
                                            .wanted_least = 12765}};
    (void)state;
    cause_find(&cell, &ladder);
    assert_string_equal(cell.cause,
                        "the rate of blocks: it starts 3125000, each for 128 elements; "
                        "8.2 of 18.2 kB in flight");
    cell.analysis.mix.is_ptx = true;
    cause_find(&cell, &ladder);
    assert_string_equal(cell.cause,
                        "the rate of blocks: it starts 3125000, each for 128 elements; "
                        "8.2 of 18.2 kB in flight");
    cell.analysis.mix.is_ptx = false;
    cell.analysis.issue.instructions = 4 * 419;
    cause_find(&cell, &ladder);
    assert_string_equal(cell.cause,
                        "instructions: a warp issues 419 for 32 elements; 8.2 of 18.2 kB in "
                        "flight");
}

/* Compilers join a warp's integer atomics by REDUX: the GPU gets eight of a block's 256. */
static void test_cause_of_joined_atomics(void **state)
{
    static const struct {
        double joined;
        const char *says;
    } rows[] = {
        {0,
         "atomic operations: 256 for the 256 elements of a block, all on one word of global memory"},
        {8,
         "atomic operations: 8 for the 256 elements of a block, all on one word of global memory; "
         "each adds what a warp's REDUX has added first"},
    };
    const struct ladder ladder = {.sms = 132};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct ladder_cell cell = {.pattern = run_rung("wangyu-naive", I32, 256),
                                   .threads = 256,
                                   .elements = 256,
                                   .analysis = {.issue = {.joined = rows[i].joined}}};
        cause_find(&cell, &ladder);
        assert_string_equal(cell.cause, rows[i].says);
    }
}

/* SMs without a block, and a last wave of few: only where too little is in flight. */
static void test_cause_of_grid(void **state)
{
    static const struct {
        unsigned grid, sectors;
        double in_flight, resident;
        const char *says, *says_not;
        uint64_t ps;
    } rows[] = {
        {64, 4, 1000, 1, "idle SMs: 64 blocks for 132 SMs; 1.0 kB in flight where", "wave", 0},
        {1, 4, 4000, 1, "idle SMs: 1 block for 132 SMs; 4.0 kB in flight where", "wave", 0},
        {64, 4, 100000, 1, "the loads: ", "idle", 0}, /* 48 kB an SM, on average */
        {64, 32, 1000, 1,
         "not coalesced: 32 sectors a request where 4 would do; 0.5 of 18.0 kB in "
         "flight: 64 blocks for 132 SMs",
         "wave", 0},
        {132, 4, 1000, 1, "bytes in flight: 1.0 kB", "idle", 0},
        {264 + 10, 4, 36000, 2, "; the last of 2 waves has 10 of 274 blocks", "idle", 0},
        {264 + 200, 4, 36000, 2, "the loads: ", "wave", 0}, /* 27 kB an SM in it */
        {264, 4, 36000, 2, "the loads: ", "wave", 0},
        {264 * 40 + 10, 4, 36000, 2, "the loads: ", "wave", 0},
        {264 + 10, 4, 36000, 2, "the memory: ", "wave", 100}, /* 0.9 of the peak all the same */
    };
    const struct ladder ladder = {.sms = 132, .peak = 1000000000000};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ladder_cell cell = {.pattern = {.is_known = true,
                                               .loads = 1,
                                               .sectors = rows[i].sectors,
                                               .sectors_ideal = 4},
                                   .elements = 1024,
                                   .ps = rows[i].ps,
                                   .bytes = 90,
                                   .grid = rows[i].grid,
                                   .analysis = {.grid = rows[i].grid,
                                                .sms = 132,
                                                .resident = rows[i].resident,
                                                .occupancy = {.blocks = 2},
                                                .in_flight = rows[i].in_flight,
                                                .wanted = 18000,
                                                .wanted_least = 12600}};
        cause_find(&cell, &ladder);
        if (!strstr(cell.cause, rows[i].says) || strstr(cell.cause, rows[i].says_not))
            fail_msg("row %zu: '%s'", i, cell.cause);
    }
}

/* Bytes in flight that explain the time are its cause; atomic operations of each thread of a
 * block are where it is twice as long: lab04-atomic on an H200, i32 and f32. */
static void test_cause_of_queued_atomics(void **state)
{
    static const struct {
        uint64_t ps;
        unsigned atomics;
        const char *says;
    } rows[] = {
        {618600000, 256, "bytes in flight: 8.2 kB an SM of the 12.8 to 18.2"},
        {1055100000, 256, "atomic operations: 256 for the 378788 elements of a block"},
        {1055100000, 1, "bytes in flight: 8.2 kB an SM of the 12.8 to 18.2"},
    };
    const struct ladder ladder = {.sms = 132, .peak = 4814304000000};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ladder_cell cell = {.pattern = {.is_known = true,
                                               .atomics_global = rows[i].atomics},
                                   .elements = 378788,
                                   .ps = rows[i].ps,
                                   .bytes = 1600000000,
                                   .grid = 1056,
                                   .analysis = {.grid = 1056,
                                                .sms = 132,
                                                .in_flight = 8192,
                                                .wanted = 18236,
                                                .wanted_least = 12765}};
        cause_find(&cell, &ladder);
        if (strncmp(cell.cause, rows[i].says, strlen(rows[i].says)) != 0)
            fail_msg("row %zu: '%s'", i, cell.cause);
    }
}

/* What an SM holds, and how long a block takes it: 1 ms for 1320 blocks on 132 SMs. */
static void test_cause_of_gpu(void **state)
{
    const struct ladder ladder = {.sms = 132}, host = {.sms = 132, .is_host = true};
    const struct occupancy_limits limits = {.threads = 2048,
                                            .blocks = 32,
                                            .registers = 65536,
                                            .threads_per_block = 1024,
                                            .registers_per_thread = 255,
                                            .register_unit = 256,
                                            .shared = 233472,
                                            .shared_opt_in = 232448,
                                            .shared_reserved = 1024,
                                            .shared_unit = 128};
    struct ladder_cell cell = {.pattern = run_rung("cs599-3", F32, 32),
                               .elements = 32,
                               .ps = 1000000000,
                               .grid = 1320,
                               .analysis = {.is_compiled = true}};
    (void)state;
    occupancy_compute(&cell.analysis.occupancy, &limits,
                      &(struct occupancy_kernel){32, 16, 128});
    cause_find(&cell, &ladder);
    assert_non_null(strstr(cell.cause, "; an SM holds 32 of 64 warps, limited by blocks"));
    assert_non_null(strstr(cell.cause, "; an SM takes 100000 ns a block"));
    cause_find(&cell, &host);
    assert_null(strstr(cell.cause, " ns a block"));
    cell.pattern = (struct pattern){.is_known = false};
    cause_find(&cell, &ladder);
    assert_string_equal(cell.cause, "");
    cell.analysis.in_flight = 1000;
    cell.analysis.wanted = 2000;
    cell.analysis.wanted_least = 1400;
    cause_find(&cell, &ladder);
    assert_non_null(strstr(cell.cause, "bytes in flight: 1.0 kB an SM of the 1.4 to 2.0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_wide_strides),
        cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_note),
        cmocka_unit_test(test_strided),
        cmocka_unit_test(test_sequential),
        cmocka_unit_test(test_modulo),
        cmocka_unit_test(test_last_warp),
        cmocka_unit_test(test_kept_registers),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_sites),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_causes),
        cmocka_unit_test(test_cause_without_shared),
        cmocka_unit_test(test_cause_of_queued_atomics),
        cmocka_unit_test(test_cause_of_gpu),
        cmocka_unit_test(test_sectors),
        cmocka_unit_test(test_note_loads),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_cause_of_grid),
        cmocka_unit_test(test_cause_of_share),
        cmocka_unit_test(test_cause_of_units),
        cmocka_unit_test(test_cause_of_a_gpu_that_is_not_here),
        cmocka_unit_test(test_cause_of_joined_atomics),
    };
    return cmocka_run_group_tests(tests, load_list, dispose_list);
}
