/* Counting instructions: by kind and width in each language, the loop that reads most, and a
 * real kernel where NVRTC is here. */
#include "autotune/analysis/disasm.h"
#include "autotune/analysis/sass.h"
#include "autotune/device/nvrtc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct sass_mix count(const char *text, bool is_ptx)
{
    struct sass_mix mix;
    struct error error;
    if (sass_count(&mix, text, is_ptx, &error))
        fail_msg("%s", error.text);
    return mix;
}

static void test_kinds_of_sass(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum sass_kind kind;
        unsigned load_bytes;
    } rows[] = {
        {"LDG.E.128 R4, desc[UR6][R32.64]", SASS_LOAD, 16},
        {"@!P1 LDG.E.64.CONSTANT R14, desc[UR6][R6.64]", SASS_LOAD, 8},
        {"LDG.E.U8 R4, [R2]", SASS_LOAD, 1},
        {"LDG.E.U16.CONSTANT R4, [R2]", SASS_LOAD, 2},
        {"LDG.E R4, [R2]", SASS_LOAD, 4},
        {"LDGSTS.E.BYPASS.128 [R3], [R2]", SASS_LOAD, 16},
        {"LDG.E.ENL2.256 R8, R4, [R2]", SASS_LOAD, 32},
        {"UBLKCP.S.G [UR8], [UR4], UR7", SASS_LOAD, 0}, /* of the block, in bytes of UR7 */
        {"STG.E [R2], R4", SASS_STORE, 0},
        {"ATOMG.E.ADD.STRONG.GPU PT, R2, [R4], R5", SASS_ATOMIC, 0},
        {"ATOMS.ADD RZ, [R0], R3", SASS_SHARED, 0},
        {"RED.E.ADD.STRONG.GPU [R2], R5", SASS_ATOMIC, 0},
        {"REDUX.SUM UR4, R2", SASS_WARP, 0},
        {"LDS R0, [R2]", SASS_SHARED, 0},
        {"STL [R1], R0", SASS_LOCAL, 0},
        {"SHFL.DOWN PT, R3, R0, 0x10, 0x1f", SASS_WARP, 0},
        {"BAR.SYNC.DEFER_BLOCKING 0x0", SASS_BARRIER, 0},
        {"EXIT", SASS_BRANCH, 0},
        {"IADD3 R0, R1, R2, RZ", SASS_OTHER, 0},
        {"FADD R0, R1, R2", SASS_OTHER, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        snprintf(text, sizeof text, "        /*0010*/               %s ;   /* 0x00 */\n",
                 rows[i].text);
        const struct sass_mix mix = count(text, false);
        if (mix.total != 1 || mix.counts[rows[i].kind] != 1 ||
            mix.load_bytes != rows[i].load_bytes)
            fail_msg("%s: %d of its kind, %d bytes", rows[i].text,
                     (int)mix.counts[rows[i].kind], (int)mix.load_bytes);
        assert_false(mix.is_ptx);
    }
}

static void test_kinds_of_ptx(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum sass_kind kind;
        unsigned load_bytes;
    } rows[] = {
        {"ld.global.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd2];", SASS_LOAD, 16},
        {"@%p1 ld.global.nc.L1::no_allocate.v2.u64 {%rd1, %rd2}, [%rd3];", SASS_LOAD, 16},
        {"ld.global.u8 %rs1, [%rd2];", SASS_LOAD, 1},
        {"ld.global.b16 %rs1, [%rd2];", SASS_LOAD, 2},
        {"st.global.f32 [%rd1], %f1;", SASS_STORE, 0},
        {"ld.shared.f32 %f1, [%r1];", SASS_SHARED, 0},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, "
         "[%r3];",
         SASS_LOAD, 0},
        {"ld.param.u64 %rd1, [p];", SASS_OTHER, 0},
        {"atom.global.add.u32 %r1, [%rd1], 1;", SASS_ATOMIC, 0},
        {"red.global.add.u32 [%rd1], 1;", SASS_ATOMIC, 0},
        {"redux.sync.add.s32 %r1, %r2, %r3;", SASS_WARP, 0},
        {"shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;", SASS_WARP, 0},
        {"bar.sync 0;", SASS_BARRIER, 0},
        {"ret;", SASS_BRANCH, 0},
        {"add.s32 %r1, %r2, %r3;", SASS_OTHER, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        snprintf(text, sizeof text, "\t.reg .b32 \t%%r<5>;\n{\n\t%s\n}\n", rows[i].text);
        const struct sass_mix mix = count(text, true);
        if (mix.total != 1 || mix.counts[rows[i].kind] != 1 ||
            mix.load_bytes != rows[i].load_bytes)
            fail_msg("%s: total %d, %d bytes", rows[i].text, (int)mix.total,
                     (int)mix.load_bytes);
    }
}

/* A loop of six instructions with 32 bytes, inside one of eleven with the same bytes. */
static const char loops[] =
    "\t.section .text.k\n"
    "k:\n"
    ".text.k:\n"
    "        /*0000*/                   MOV R1, c[0x0][0x28] ;\n"
    ".L_x_1:\n"
    "        /*0010*/                   MOV R2, RZ ;\n"
    "        /*0020*/                   MOV R3, RZ ;\n"
    ".L_x_2:\n"
    "        /*0030*/                   LDG.E.128 R4, [R2] ;\n"
    "        /*0040*/                   LDG.E.128 R8, [R2+0x10] ;\n"
    "        /*0050*/                   FADD R0, R4, R8 ;\n"
    "        /*0060*/                   IADD3 R2, R2, 0x20, RZ ;\n"
    "        /*0070*/                   ISETP.GE.AND P0, PT, R2, R3, PT ;\n"
    "        /*0080*/              @!P0 BRA `(.L_x_2) ;\n"
    "        /*0090*/                   IADD3 R5, R5, 0x1, RZ ;\n"
    "        /*00a0*/                   ISETP.GE.AND P1, PT, R5, R3, PT ;\n"
    "        /*00b0*/              @!P1 BRA `(.L_x_1) ;\n"
    "        /*00c0*/                   STG.E [R2], R0 ;\n"
    "        /*00d0*/                   EXIT ;\n"
    ".L_x_3:\n"
    "        /*00e0*/                   BRA `(.L_x_3);\n"
    "        /*00f0*/                   NOP;\n";

static void test_loops(void **state)
{
    (void)state;
    const struct sass_mix mix = count(loops, false);
    assert_int_equal(mix.total, 15);
    assert_int_equal(mix.counts[SASS_LOAD], 2);
    assert_int_equal(mix.counts[SASS_BRANCH], 4);
    assert_int_equal(mix.loop_total, 6);
    assert_int_equal(mix.loop_bytes, 32);
    assert_true(sass_per_element(&mix, 4) == 6.0 / 8);
}

/* The same as cuobjdump writes it: jumps by address. */
static void test_addresses(void **state)
{
    (void)state;
    const struct sass_mix mix =
        count("        /*0010*/                   LDG.E.64 R4, [R2] ;   /* 0x0000 */\n"
              "                                                           /* 0x000f */\n"
              "        /*0020*/                   FADD R0, R4, R0 ;\n"
              "        /*0030*/              @!P0 BRA 0x10 ;\n"
              "        /*0040*/                   LDG.E.64 R4, [R2] ;\n"
              "        /*0050*/                   EXIT ;\n",
              false);
    assert_int_equal(mix.total, 5);
    assert_int_equal(mix.loop_total, 3);
    assert_int_equal(mix.loop_bytes, 8);
}

static void test_ptx_loop(void **state)
{
    (void)state;
    const struct sass_mix mix = count("\tmov.u32 %r1, 0;\n"
                                      "$L__BB0_2:\n"
                                      "\t.loc 1 2 3\n"
                                      "\tld.global.v2.f32 \t{%f1, %f2}, [%rd1];\n"
                                      "\tadd.f32 \t%f3, %f1, %f2;\n"
                                      "\t@%p1 bra \t$L__BB0_2;\n"
                                      "\tret;\n",
                                      true);
    assert_int_equal(mix.total, 5);
    assert_int_equal(mix.loop_total, 3);
    assert_int_equal(mix.loop_bytes, 8);
    assert_true(mix.is_ptx);
}

/* A tile at once, and a loop for the tail: it is not what the kernel does. */
static void test_left_over(void **state)
{
    static const char text[] = "/*0000*/ LDG.E.128 R4, [R2] ;\n/*0010*/ LDG.E.128 R8, [R2] ;\n"
                               "/*0020*/ LDG.E.128 R12, [R2] ;\n/*0030*/ LDG.E R1, [R2] ;\n"
                               "/*0040*/ @P0 BRA 0x30 ;\n/*0050*/ EXIT ;\n";
    (void)state;
    const struct sass_mix mix = count(text, false), tail = count(strstr(text, "R12"), false);
    assert_int_equal(mix.loop_total, 0);
    assert_int_equal(mix.load_bytes, 3 * 16 + 4);
    assert_true(sass_per_element(&mix, 4) == 6.0 / 13);
    assert_int_equal(tail.loop_total, 2); /* nothing else: then it is */
}

/* Bulk copies: a loop that takes its tile from shared memory, 32 bytes a thread in eleven
 * instructions, and starts the next one; the wait is moved behind the end and comes back into its
 * middle. Then a loop of as many bytes for what is no whole tile. */
static const char bulk[] = "/*0000*/ UBLKCP.S.G [UR8], [UR4], UR7 ;\n"
                           "/*0010*/ @P0 BRA.U.ANY `(.L_first) ;\n"
                           ".L_first:\n"
                           ".L_tile:\n"
                           "/*0020*/ SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9], R5 ;\n"
                           "/*0030*/ @!P0 BRA `(.L_wait) ;\n"
                           ".L_filled:\n"
                           "/*0040*/ LDS.128 R8, [R20] ;\n"
                           "/*0050*/ LDS.128 R12, [R20+0x1000] ;\n"
                           "/*0060*/ FADD R0, R8, R12 ;\n"
                           "/*0070*/ BAR.SYNC.DEFER_BLOCKING 0x0 ;\n"
                           "/*0080*/ @P1 BRA `(.L_next) ;\n"
                           ".L_copy:\n"
                           "/*0090*/ UBLKCP.S.G [UR8], [UR14], UR12 ;\n"
                           "/*00a0*/ @P0 BRA.U.ANY `(.L_copy) ;\n"
                           ".L_next:\n"
                           "/*00b0*/ IADD3 R5, R5, 0x1, RZ ;\n"
                           "/*00c0*/ @!P2 BRA `(.L_tile) ;\n"
                           ".L_rest:\n"
                           "/*00d0*/ LDG.E.128 R8, [R2] ;\n"
                           "/*00e0*/ LDG.E.128 R12, [R2+0x10] ;\n"
                           "/*00f0*/ @!P3 BRA `(.L_rest) ;\n"
                           "/*0100*/ @P4 EXIT ;\n"
                           "/*0110*/ LDS R4, [R6] ;\n"
                           "/*0120*/ EXIT ;\n"
                           ".L_wait:\n"
                           "/*0130*/ SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9], R5 ;\n"
                           "/*0140*/ @!P0 BRA `(.L_wait) ;\n"
                           "/*0150*/ BRA `(.L_filled) ;\n";

static void test_bulk(void **state)
{
    (void)state;
    const struct sass_mix mix = count(bulk, false);
    assert_int_equal(mix.counts[SASS_LOAD], 4);
    assert_int_equal(mix.load_bytes, 2 * 16 + 2 * 16 + 4);
    assert_int_equal(mix.loop_total, 11);
    assert_int_equal(mix.loop_bytes, 32);
}

/* The wait where it is written: a loop of its own, at the start of that of the tiles or with the
 * same start. */
static void test_bulk_waits_inside(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\tcp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, "
        "[%r3];\n"
        "$L_tile:\n"
        "\tmov.u32 %r7, %r8;\n"
        "$L_wait:\n"
        "\tmbarrier.try_wait.parity.shared.b64 done, [%r4], %r5;\n"
        "\t@%p1 bra $L_wait;\n"
        "\tld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r6];\n"
        "\tadd.f32 %f5, %f5, %f1;\n"
        "\t@%p2 bra $L_tile;\n"
        "\tret;\n",
        "$L_tile:\n"
        "\tmbarrier.try_wait.parity.shared.b64 done, [%r4], %r5;\n"
        "\t@%p1 bra $L_tile;\n"
        "\tld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r6];\n"
        "\tadd.f32 %f5, %f5, %f1;\n"
        "\tcp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, "
        "[%r3];\n"
        "\t@%p2 bra $L_tile;\n"
        "\tret;\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct sass_mix mix = count(texts[i], true);
        assert_int_equal(mix.loop_total, 6);
        assert_int_equal(mix.loop_bytes, 16);
        assert_true(sass_per_element(&mix, 4) == 1.5);
    }
}

/* What shared memory holds is no data of a kernel without bulk copies. */
static void test_shared_alone(void **state)
{
    (void)state;
    const struct sass_mix mix = count("/*0000*/ LDG.E R1, [R2] ;\n/*0010*/ LDS.128 R4, [R3] ;\n"
                                      "/*0020*/ @P0 BRA 0x10 ;\n/*0030*/ EXIT ;\n",
                                      false);
    assert_int_equal(mix.load_bytes, 4);
    assert_int_equal(mix.loop_total, 0);
}

static void test_no_loop(void **state)
{
    (void)state;
    const struct sass_mix mix = count("/*0000*/ LDG.E R1, [R2] ;\n/*0010*/ STG.E [R2], R1 ;\n"
                                      "/*0020*/ EXIT ;\n",
                                      false);
    assert_int_equal(mix.loop_total, 0);
    assert_true(sass_per_element(&mix, 4) == 3);
    assert_true(sass_per_element(&mix, 1) == 0.75);
    const struct sass_mix none = count("/*0000*/ EXIT ;\n", false);
    assert_true(sass_per_element(&none, 4) == 0);
}

static void test_nothing(void **state)
{
    (void)state;
    static const char *const rows[] = {"",      "\n\n",     "// comment\n.version 8.8\n",
                                       "/*",    "@",        "$",
                                       ".",     "/*0000*/", "/*zz*/ ;",
                                       "$L:\n", "`(",       ";;;\n"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int is_ptx = 0; is_ptx < 2; is_ptx++) {
            struct sass_mix mix;
            struct error error;
            assert_int_equal(sass_count(&mix, rows[i], is_ptx, &error), -1);
            assert_int_equal(error.code, ERROR_FAILED);
        }
}

/* One loop of four independent 16-byte loads, in PTX as in machine code. */
static void test_real(void **state)
{
    (void)state;
    static const char text[] =
        "struct __align__(16) v { float at[4]; };\n"
        "__global__ void k(const v *in, unsigned long long n, float *out)\n"
        "{\n"
        "    float sum = 0;\n"
        "#pragma unroll 1\n"
        "    for (unsigned long long i = 0; i < n; i++) {\n"
        "        const v a = in[4 * i], b = in[4 * i + 1], c = in[4 * i + 2], d = in[4 * i + "
        "3];\n"
        "        for (int k = 0; k < 4; k++) sum += a.at[k] + b.at[k] + c.at[k] + d.at[k];\n"
        "    }\n"
        "    *out = sum;\n"
        "}\n";
    const struct device_source source = {text, "k"};
    struct nvrtc *nvrtc;
    struct device_image image;
    struct error error;
    struct text sass = {0};
    if (nvrtc_open(&nvrtc, NULL, 90, &error)) {
        print_message("no NVRTC here\n");
        skip();
    }
    assert_int_equal(nvrtc_compile(nvrtc, 90, NVRTC_PTX, &source, 1, &image, &error), 0);
    struct sass_mix mix = count(image.bytes, true);
    assert_int_equal(mix.loop_bytes, 64);
    assert_in_range(mix.loop_total, 16 + 4, 40);
    device_dispose_image(&image);
    assert_int_equal(nvrtc_compile(nvrtc, 90, NVRTC_CUBIN, &source, 1, &image, &error), 0);
    if (disasm_run(&sass, image.bytes, image.size, &error) == 0) {
        mix = count(sass.at, false);
        assert_int_equal(mix.loop_bytes, 64);
        assert_in_range(mix.loop_total, 16 + 4, 40);
    } else {
        assert_int_equal(error.code, ERROR_NO_DEVICE);
        assert_non_null(strstr(error.text, "install"));
    }
    text_dispose(&sass);
    device_dispose_image(&image);
    nvrtc_close(nvrtc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_of_sass),
        cmocka_unit_test(test_kinds_of_ptx),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_ptx_loop),
        cmocka_unit_test(test_bulk),
        cmocka_unit_test(test_bulk_waits_inside),
        cmocka_unit_test(test_shared_alone),
        cmocka_unit_test(test_left_over),
        cmocka_unit_test(test_no_loop),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
