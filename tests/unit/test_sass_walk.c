/* What warps issue, and when they wait for loads: of machine code counted by hand, against what Nsight
 * Compute measured of the same kernels, and of what NVRTC makes here. */
#include "autotune/analysis/disasm.h"
#include "autotune/analysis/sass_walk.h"
#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "autotune/embedded.h"
#include "autotune/ladder/ladder_rung.h"
#include "tests/unit/machine_code.h"
#include "tests/unit/named_op.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct sass_issue walk(const char *text, bool is_ptx, double bytes, unsigned warps,
                              unsigned barriers)
{
    const struct sass_block block = {bytes, warps, barriers};
    struct sass_issue issue;
    struct error error;
    if (sass_walk(&issue, text, is_ptx, &block, &error))
        fail_msg("%s", error.text);
    return issue;
}

static void expect(const char *what, double got, double want)
{
    if (got < want || got > want)
        fail_msg("%s: %g, not %g", what, got, want);
}

/* Blocks of 128: seven turns of the tree by four warps, then one warp alone. By hand: what stands before
 * the tree, in it and behind it. */
static const struct {
    const char *text;
    unsigned before, turn, alone, divisions;
    unsigned conflicts; /* wavefronts of a block beyond its accesses: test_pattern has them */
    /* Nsight Compute of an H200 (bench/results/h200-profile*.txt): us, % of issue slots and of the
     * memory's busiest part, blocks. */
    double us, compute, memory, blocks;
} trees[] = {
    {modulo, 24, 29, 11, 4 * 7, 0, 558.75, 82.97, 40.39, 524288},
    {strided, 24, 14, 8, 0, 45, 360.83, 69.58, 88.01, 524288},
    {sequential, 24, 11, 11, 0, 0, 1889.57, 66.45, 71.19, 3125000},
    {masked, 23, 12, 8, 0, 0, 0, 0, 0, 0},
};

static void test_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        const struct sass_issue got = walk(trees[i].text, false, 4, 4, 7);
        expect("all", got.instructions,
               4 * (trees[i].before + 7 * trees[i].turn + 1) + trees[i].alone);
        expect("in the tree", got.in_tree, 4 * 7 * trees[i].turn);
        expect("divisions", got.divisions, trees[i].divisions);
        /* A load, a store and three special registers, seven turns of three; at the end one of each. */
        expect("memory", got.memory, 4 * (2 + 1 + 3 + 7 * 3) + 1 + 1 + 2);
        expect("waits", got.waits, 1);
    }
}

static void expect_near(size_t row, double got, double measured)
{
    if (got < measured * 0.99 || got > measured * 1.01)
        fail_msg("row %zu: %g, measured %g", row, got, measured);
}

/* Four instructions a cycle on each of 132 SMs, one wavefront, at 1980 MHz. */
static void test_trees_as_measured(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        if (trees[i].blocks <= 0)
            continue;
        const double cycles =
            trees[i].us * 1980 * 132 / trees[i].blocks; /* of a block, an SM */
        const struct sass_issue got = walk(trees[i].text, false, 4, 4, 7);
        expect_near(i, got.instructions, trees[i].compute / 100 * 4 * cycles);
        expect_near(i, got.memory + trees[i].conflicts, trees[i].memory / 100 * cycles);
    }
}

/* Without the barriers of a block known, a tree is one turn. */
static void test_unknown_barriers(void **state)
{
    (void)state;
    expect("in the tree", walk(modulo, false, 4, 4, 0).in_tree, 4 * 29);
}

/* wangyu-5: load, add, branch; load, add, branch; two loads, of which one has a predicate. */
static void test_branches_between_loads(void **state)
{
    (void)state;
    expect("waits", walk(chunks, false, 16, 8, 3).waits, 3);
    expect("a quarter", walk(chunks, false, 4, 8, 3).waits, 1);
}

/* A loop of four loads at a time, and one of one for what is left. */
static const char rolled[] = "/*0000*/ @P0 BRA `(.L_rest) ;\n"
                             ".L_four:\n"
                             "/*0010*/ LDG.E R4, [R2] ;\n"
                             "/*0020*/ LDG.E R5, [R2+0x4] ;\n"
                             "/*0030*/ LDG.E R6, [R2+0x8] ;\n"
                             "/*0040*/ LDG.E R7, [R2+0xc] ;\n"
                             "/*0050*/ FADD R0, R4, R0 ;\n"
                             "/*0060*/ @P1 BRA `(.L_four) ;\n"
                             "/*0070*/ @P2 BRA `(.L_end) ;\n"
                             ".L_rest:\n"
                             "/*0080*/ LDG.E R4, [R2] ;\n"
                             "/*0090*/ FADD R0, R4, R0 ;\n"
                             "/*00a0*/ @P3 BRA `(.L_rest) ;\n"
                             ".L_end:\n"
                             "/*00b0*/ STG.E [R2], R0 ;\n"
                             "/*00c0*/ EXIT ;\n";

static void test_loops_run_as_often_as_there_is_to_load(void **state)
{
    static const struct {
        unsigned elements, instructions, waits;
    } rows[] = {
        {1, 1 + 3 + 2, 1}, /* the loop of four does not run */
        {3, 1 + 3 * 3 + 2, 3},     {4, 1 + 6 + 1 + 2, 1},
        {8, 1 + 2 * 6 + 1 + 2, 2}, {11, 1 + 2 * 6 + 1 + 3 * 3 + 2, 2 + 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sass_issue got = walk(rolled, false, 4 * rows[i].elements, 1, 0);
        expect("instructions", got.instructions, rows[i].instructions);
        expect("waits", got.waits, rows[i].waits);
    }
    const double long_row = 16.0 * (1 << 20); /* followed for a MiB of 16 */
    const struct sass_issue all = walk(rolled, false, long_row, 1, 0);
    assert_true(all.waits > long_row / 16 * 0.999 && all.waits < long_row / 16 * 1.001);
    assert_true(all.instructions > long_row / 16 * 6 * 0.999 &&
                all.instructions < long_row / 16 * 6 * 1.001);
}

/* Loads of several registers: the last of them is waited for as well, and not the one behind it. */
static void test_wide_loads(void **state)
{
    static const struct {
        const char *load, *use;
        unsigned bytes, waits;
    } rows[] = {
        {"LDG.E.128 R4, [R2]", "FADD R0, R7, R0", 16, 2},
        {"LDG.E.128 R4, [R2]", "FADD R0, R8, R0", 16, 1},
        {"LDG.E.64 R4, [R2]", "FADD R0, R5, R0", 8, 2},
        {"LDG.E.64 R4, [R2]", "FADD R0, R6, R0", 8, 1},
        {"LDG.E.ENL2.256 R8, R4, [R2]", "FADD R0, R11, R0", 32, 2},
        {"LDG.E.ENL2.256 R8, R4, [R2]", "FADD R0, R7, R0", 32, 2},
        {"LDG.E.ENL2.256 R8, R4, [R2]", "FADD R0, R12, R0", 32, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "/*0000*/ %s ;\n/*0010*/ %s ;\n/*0020*/ LDG.E R20, [R2] ;\n/*0030*/ EXIT ;\n",
                 rows[i].load, rows[i].use);
        expect(rows[i].use, walk(text, false, rows[i].bytes + 4, 1, 0).waits, rows[i].waits);
    }
}

/* Jumps by address, of cuobjdump; one whose condition is among its operands; code that ends in a jump to
 * itself; no code. */
static void test_jumps(void **state)
{
    (void)state;
    expect("by address",
           walk("/*0010*/ LDG.E R4, [R2] ;\n/*0020*/ FADD R0, R4, R0 ;\n"
                "/*0030*/ @!P0 BRA 0x10 ;\n/*0040*/ EXIT ;\n",
                false, 40, 1, 0)
               .instructions,
           31);
    expect("uniform",
           walk("/*0010*/ BRA.U !UP0, `(.L_1) ;\n/*0020*/ IADD3 R0, R0, R0, RZ ;\n.L_1:\n"
                "/*0030*/ EXIT ;\n",
                false, 4, 1, 0)
               .instructions,
           3);
    expect("for good",
           walk("/*0010*/ BRA `(.L_1) ;\n/*0020*/ IADD3 R0, R0, R0, RZ ;\n.L_2:\n.L_1:\n"
                "/*0030*/ EXIT ;\n.L_3:\n/*0040*/ BRA `(.L_3) ;\n",
                false, 4, 1, 0)
               .instructions,
           2);
    expect("nothing", walk("", false, 4, 1, 0).instructions, 0);
    expect("nowhere", walk("/*0010*/ @P0 BRA `(.L_9) ;\n", true, 4, 1, 0).instructions, 0);
}

/* --- What NVRTC makes here ---------------------------------------------------------------- */

static const struct {
    const char *rung, *arch;
    enum type type;
    unsigned bytes, barriers; /* of a thread */
    double least, most;       /* waits in machine code */
    double portable;          /* in PTX */
} made[] = {
    {"wangyu-5", "sm_90", F32, 16, 3, 3, 3, 3},
    {"wangyu-5", "sm_120", F32, 16, 3, 3, 3, 3},
    {"wangyu-5", "sm_90", I32, 16, 3, 2, 2, 2},
    {"wangyu-5-loop", "sm_90", I32, 16, 3, 4, 4, 4},
    {"wangyu-5-hoisted", "sm_90", F32, 16, 3, 1, 1, 1},
    {"wangyu-5-hoisted", "sm_120", I32, 16, 3, 1, 1, 1},
    {"batched-0", "sm_120", F32, 4, 7, 1, 1, 1}, /* its loop of 16 loads does not run */
    {"batched-1", "sm_120", F32, 4, 7, 1, 1, 1},
    {"batched-1", "sm_90", F32, 4, 7, 1, 1, 1},
    {"cs599-6", "sm_90", F32, 32, 8, 1, 1, 1}, /* all loads at once: predicates, no branch */
    {"harris-4", "sm_90", I32, 8, 7, 1, 1, 1},
};

/* The code of a rung's first kernel; false where the compiler or, for machine code, the disassembler is
 * not here. */
static bool compile(struct text *out, const char *name, const char *arch, enum type type,
                    bool is_ptx)
{
    struct rungs rungs;
    struct ladder_rung rung;
    struct target target;
    struct nvrtc *nvrtc = NULL;
    struct device_image image;
    struct text source = {0};
    struct error error;
    size_t r = 0;
    if (ladder_rung_list(&rungs, &error) || gpus_find(&target, arch, &error))
        fail_msg("%s", error.text);
    while (r < rungs.count && strcmp(rungs.rungs[r].name, name) != 0)
        r++;
    assert_true(r < rungs.count);
    if (ladder_rung_open(&rung, &rungs, &rungs.rungs[r], &error))
        fail_msg("%s", error.text);
    struct problem problem = {.op = op_of(SUM),
                              .type = type,
                              .acc = type,
                              .dims = DIMS_VALUE(400000000),
                              .regime = COLD};
    const struct dims value = problem.dims;
    if (!space_serves(rung.space, &problem))
        problem.dims = dims_resized(&value, 1 << 20, 128, 0);
    const struct point_context context = {rung.space, &problem, &target};
    const struct embedded *types = embedded_find("templates/types.cu");
    const struct embedded *intrinsics = embedded_find("templates/intrinsics.cu");
    const struct emit_sources sources = {.template = rung.template,
                                         .types = {types->name, types->bytes},
                                         .intrinsics = {intrinsics->name, intrinsics->bytes}};
    if (emit_kernel(&source, &context, &sources, rung.config, 0, &error))
        fail_msg("%s", error.text);
    const struct device_source unit = {source.at, rung.space->kernel};
    bool is_there = nvrtc_open(&nvrtc, NULL, target.cc, &error) == 0;
    if (is_there) {
        const int failed = nvrtc_compile(nvrtc, target.cc, is_ptx ? NVRTC_PTX : NVRTC_CUBIN,
                                         &unit, 1, &image, &error);
        assert_int_equal(failed, 0);
        if (is_ptx)
            text_adds(out, image.bytes);
        else
            is_there = disasm_run(out, image.bytes, image.size, &error) == 0;
        device_dispose_image(&image);
        nvrtc_close(nvrtc);
    }
    text_dispose(&source);
    ladder_rung_close(&rung);
    rungs_dispose(&rungs);
    return is_there;
}

static void test_made(void **state)
{
    size_t seen = 0;
    (void)state;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        for (int is_ptx = 0; is_ptx < 2; is_ptx++) {
            struct text text = {0};
            if (compile(&text, made[i].rung, made[i].arch, made[i].type, is_ptx)) {
                const double got =
                    walk(text.at, is_ptx, made[i].bytes, 8, made[i].barriers).waits;
                if (is_ptx ? got < made[i].portable || got > made[i].portable
                           : got < made[i].least || got > made[i].most)
                    fail_msg("%s, %s, %s: %g waits", made[i].rung, made[i].arch,
                             is_ptx ? "PTX" : "SASS", got);
                seen++;
            }
            text_dispose(&text);
        }
    print_message("%zu of %zu codes\n", seen, 2 * sizeof made / sizeof *made);
    if (!seen) {
        print_message("no disassembler here\n");
        skip();
    }
}

/* The remainder of harris-1 is divided for on sm_90, and masked on sm_120. */
static void test_remainders(void **state)
{
    static const struct {
        const char *rung, *arch;
        bool divides;
    } rows[] = {{"harris-1", "sm_80", true},
                {"harris-1", "sm_90", true},
                {"harris-1", "sm_120", false},
                {"harris-1-masked", "sm_80", false},
                {"harris-1-masked", "sm_90", false}};
    size_t seen = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = {0};
        if (compile(&text, rows[i].rung, rows[i].arch, I32, false)) {
            expect(rows[i].arch, walk(text.at, false, 4, 4, 7).divisions,
                   rows[i].divides ? 28 : 0);
            seen++;
        }
        text_dispose(&text);
    }
    if (!seen) {
        print_message("no disassembler here\n");
        skip();
    }
}

/* batched-1 says for which architectures its first step's two loads become one. */
static void test_joined_loads(void **state)
{
    static const struct {
        const char *arch;
        bool is_joined;
    } rows[] = {{"sm_80", true}, {"sm_90", true}, {"sm_120", false}};
    const struct embedded *list = embedded_find("configs/ladder/rungs.ini");
    size_t seen = 0;
    (void)state;
    assert_non_null(
        strstr(list->bytes, "For sm_80 and sm_90 NVRTC 13.0 joins a thread's two loads"));
    assert_non_null(strstr(list->bytes, "not for sm_120"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = {0};
        if (compile(&text, "batched-1", rows[i].arch, F32, false)) {
            assert_int_equal(strstr(text.at, "LDS.64") != NULL, rows[i].is_joined);
            seen++;
        }
        text_dispose(&text);
    }
    if (!seen) {
        print_message("no disassembler here\n");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_trees_as_measured),
        cmocka_unit_test(test_unknown_barriers),
        cmocka_unit_test(test_branches_between_loads),
        cmocka_unit_test(test_loops_run_as_often_as_there_is_to_load),
        cmocka_unit_test(test_wide_loads),
        cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_made),
        cmocka_unit_test(test_remainders),
        cmocka_unit_test(test_joined_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
