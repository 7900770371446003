/* The table of architectures: every name is there, whole and plausible; other names are not. */
#include "autotune/device/gpus.h"
#include "autotune/device/nvrtc.h"
#include "autotune/embedded.h"
#include "generator/ini.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_every_name(void **state)
{
    (void)state;
    size_t count = 0;
    int last = 0;
    for (const char *const *name = gpus_names(); *name; name++, count++) {
        struct target target;
        struct error error;
        if (gpus_find(&target, *name, &error))
            fail_msg("%s", error.text);
        assert_true(target.cc > last);
        assert_int_equal(target.cc, atoi(*name + 3));
        assert_in_range(target.sms, 16, 512);
        assert_in_range(target.l2_bytes, 1 << 20, 1 << 28);
        assert_int_equal(target.threads_per_block, 1024);
        assert_int_equal(target.threads_per_sm % 512, 0);
        assert_true(target.shared_per_block <= target.shared_per_sm);
        assert_int_equal(target.registers_per_sm, 65536);
        assert_false(target.is_host);
        last = target.cc;
    }
    assert_int_equal(count, 13);
}

static void test_figures(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        struct target target;
    } rows[] = {
        {"sm_70", {70, 80, 6291456, 1024, 2048, 49152, 98304, 65536, false}},
        {"sm_75", {75, 40, 4194304, 1024, 1024, 49152, 65536, 65536, false}},
        {"sm_90", {90, 132, 52428800, 1024, 2048, 49152, 233472, 65536, false}},
        {"sm_120", {120, 170, 100663296, 1024, 1536, 49152, 102400, 65536, false}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct target target, wanted = rows[i].target;
        struct error error;
        assert_int_equal(gpus_find(&target, rows[i].arch, &error), 0);
        assert_int_equal(target.cc, wanted.cc);
        assert_int_equal(target.sms, wanted.sms);
        assert_int_equal(target.l2_bytes, wanted.l2_bytes);
        assert_int_equal(target.threads_per_sm, wanted.threads_per_sm);
        assert_int_equal(target.shared_per_block, wanted.shared_per_block);
        assert_int_equal(target.shared_per_sm, wanted.shared_per_sm);
    }
}

static void test_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        int cc;
    } rows[] = {{"sm_90", 90},   {"90", 90},    {"9.0", 90},  {"7.5", 75},  {"75", 75},
                {"sm_100", 100}, {"10.0", 100}, {"120", 120}, {"12.0", 120}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct target target;
        struct error error;
        if (gpus_find(&target, rows[i].arch, &error))
            fail_msg("%s", error.text);
        assert_int_equal(target.cc, rows[i].cc);
    }
}

static void test_unknown(void **state)
{
    (void)state;
    /* clang-format off */
    static const char *const rows[] = {
        "",      "sm_",   "sm_60", "9",     "9.",     ".90",  "9.00",
        "sm_9.0", "SM_90", "sm_90a", "sm_90 ", " 90",  "-90",  "900",
        "a string much longer than any architecture has a right to be in this world",
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct target target;
        struct error error;
        if (gpus_find(&target, rows[i], &error) == 0)
            fail_msg("\"%s\" was taken", rows[i]);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, "sm_70, sm_75, sm_80, sm_86, sm_87, sm_88, sm_89, "
                                           "sm_90, sm_100, sm_103, sm_110, sm_120, sm_121"));
    }
}

/* The file has a section for each name and for GPUs, no other, and each names its sources. */
static void test_file(void **state)
{
    (void)state;
    const struct embedded *source = embedded_find("configs/gpus.ini");
    struct ini ini;
    struct error error;
    assert_non_null(source);
    if (ini_load(&ini, source->name, source->bytes, source->length, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < ini.count; i++) {
        const char *section = ini.items[i].section;
        struct target target;
        struct gpus_model model;
        if (strncmp(section, "gpu ", 4) != 0)
            assert_int_equal(gpus_find(&target, section, &error), 0);
        else if (gpus_find_model(&model, section + 4, &error))
            fail_msg("%s", error.text);
        else
            assert_non_null(ini_find(&ini, section, "source"));
    }
    for (const char *const *name = gpus_names(); *name; name++) {
        assert_non_null(ini_find(&ini, *name, "source"));
        assert_non_null(ini_find(&ini, *name, "gpu"));
        assert_non_null(ini_find(&ini, *name, "gpu_source"));
    }
    ini_dispose(&ini);
}

/* Figures as the data sheets have them, typed here a second time. */
static void test_models(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int cc, sms, peak_gbs, l2_kib, bus_bits;
    } rows[] = {
        /* clang-format off */
        {"V100", 70, 80, 898, 6144, 4096},
        {"T4", 75, 40, 320, 4096, 256},
        {"RTX 2080 Ti", 75, 68, 616, 5632, 352},
        {"A100", 80, 108, 1555, 40960, 5120},
        {"A100 80GB", 80, 108, 2039, 40960, 5120},
        {"A10", 86, 72, 600, 6144, 384},
        {"RTX 3080", 86, 68, 760, 5120, 320},
        {"RTX 3090", 86, 82, 936, 6144, 384},
        {"AGX Orin", 87, 16, 204, 4096, 256},
        {"L4", 89, 58, 300, 49152, 192},
        {"L40S", 89, 142, 864, 98304, 384},
        {"RTX 6000 Ada", 89, 142, 960, 0, 0},
        {"RTX 4080", 89, 76, 716, 65536, 256},
        {"RTX 4090", 89, 128, 1008, 73728, 384},
        {"H100", 90, 132, 3352, 51200, 5120},
        {"H200", 90, 132, 4814, 61440, 6016},
        {"GH200", 90, 132, 4022, 61440, 6144},
        {"B200", 100, 148, 7672, 129536, 7680},
        {"RTX 5070", 120, 48, 672, 49152, 192},
        {"RTX 5070 Ti", 120, 70, 896, 49152, 256},
        {"RTX 5080", 120, 84, 960, 65536, 256},
        {"RTX 5090", 120, 170, 1792, 98304, 512},
        {"DGX Spark", 121, 48, 273, 24576, 0},
        /* clang-format on */
    };
    char names[GPUS_MODELS_MAX][64];
    const size_t count = gpus_list_models(names);
    assert_int_equal(count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < count; i++) {
        struct gpus_model model;
        struct error error;
        assert_string_equal(names[i], rows[i].name);
        if (gpus_find_model(&model, rows[i].name, &error))
            fail_msg("%s", error.text);
        assert_string_equal(model.name, rows[i].name);
        assert_int_equal(model.target.cc, rows[i].cc);
        assert_int_equal(model.target.sms, rows[i].sms);
        assert_int_equal(model.peak_bytes / 1000000000, rows[i].peak_gbs);
        assert_int_equal(model.has_l2 ? model.target.l2_bytes : 0, rows[i].l2_kib * 1024);
        assert_int_equal(model.bus_bits, rows[i].bus_bits);
        assert_true(model.target.threads_per_sm > 0 && !model.target.is_host);
    }
}

static void test_spellings_of_models(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"v100", "V100"},
        {"rtx5070ti", "RTX 5070 Ti"},
        {"RTX-5070 ti", "RTX 5070 Ti"},
        {"rtx5070", "RTX 5070"},
        {"NVIDIA H200", "H200"},
        {"NVIDIA GeForce RTX 4090", "RTX 4090"},
        {"Tesla V100 SXM2", "V100"},
        {"a10080gb", "A100 80GB"},
    };
    static const char *const unknown[] = {"",       "rtx",   "5070", "h2000",
                                          "nvidia", "sm_90", "V1OO"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gpus_model model;
        struct error error;
        if (gpus_find_model(&model, rows[i][0], &error))
            fail_msg("%s", error.text);
        assert_string_equal(model.name, rows[i][1]);
        assert_true(gpus_knows_model(rows[i][0]));
    }
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        struct gpus_model model;
        struct error error;
        assert_int_equal(gpus_find_model(&model, unknown[i], &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, "V100, T4, "));
        assert_false(gpus_knows_model(unknown[i]));
    }
}

/* What people call a GPU, and what its driver does. */
static void test_names_of_people(void **state)
{
    static const char *const named[][2] = {
        {"NVIDIA A100-SXM4-80GB", "a100"},
        {"NVIDIA A100-SXM4-80GB", "A100-SXM4"},
        {"NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB"},
        {"NVIDIA A100-SXM4-80GB", "A100 80GB"}, /* by the table */
        {"NVIDIA H100 80GB HBM3", "h100"},
        {"Tesla V100-SXM2-16GB", "V100"},
        {"Tesla T4", "tesla t4"},
        {"NVIDIA GeForce RTX 5070 Ti", "5070 ti"},
        {"NVIDIA GeForce RTX 5070 Ti", "rtx5070ti"},
        {"NVIDIA TITAN V", "Titan"},
        {"NVIDIA GB10", "dgx spark"},
    };
    static const char *const others[][2] = {
        {"NVIDIA GH200 480GB", "h200"},
        {"NVIDIA GH200 480GB", "h100"},
        {"NVIDIA H200", "h20"},
        {"NVIDIA L40S", "L40"},
        {"NVIDIA GeForce RTX 5070 Ti", "rtx5070"},
        {"NVIDIA RTX 6000 Ada Generation", "rtx 6000"},
        {"NVIDIA A100-SXM4-80GB", "a10"},
        {"NVIDIA A100-SXM4-80GB", "Titan"},
        {"NVIDIA A100-SXM4-80GB", ""},
        {"NVIDIA A100-SXM4-80GB", "nvidia"},
        {"", "a100"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (!gpus_is_named(named[i][0], named[i][1]))
            fail_msg("%s is not %s", named[i][0], named[i][1]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (gpus_is_named(others[i][0], others[i][1]))
            fail_msg("%s is %s", others[i][0], others[i][1]);
}

/* What each architecture is said to have is what its compiler takes, and no other. */
static void test_instructions(void **state)
{
    static const struct {
        const char *name, *body;
    } probes[] = {
        {"redux", "y[0] = __reduce_add_sync(~0u, (int)threadIdx.x);"},
        {"cp.async", "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: "
                     "\"r\"(y[1]), \"l\"(y));"},
        {"bulk copies", "asm volatile(\"cp.async.bulk.commit_group;\");"},
        {"clusters", "asm volatile(\"barrier.cluster.arrive;\");"},
        {"32-byte loads",
         "int a, b, c, d, e, f, g, h; asm volatile(\"ld.global.v8.s32 {%0, %1, %2, %3, %4, "
         "%5, %6, %7}, [%8];\" : \"=r\"(a), \"=r\"(b), \"=r\"(c), \"=r\"(d), "
         "\"=r\"(e), \"=r\"(f), \"=r\"(g), \"=r\"(h) : \"l\"(y)); y[0] = a + b + c + "
         "d + e + f + g + h;"},
    };
    char has[GPUS_WORDS];
    struct nvrtc *nvrtc;
    struct error error;
    (void)state;
    assert_int_equal(gpus_instructions(has, 70, &error), 0);
    assert_string_equal(has, "none");
    assert_int_equal(gpus_instructions(has, 69, &error), -1);
    if (nvrtc_open(&nvrtc, NULL, 121, &error)) { /* an older one does not know all */
        print_message("%s\n", error.text);
        skip();
    }
    for (const char *const *arch = gpus_names(); *arch; arch++) {
        const int cc = atoi(*arch + 3);
        assert_int_equal(gpus_instructions(has, cc, &error), 0);
        for (size_t i = 0; i < sizeof probes / sizeof *probes && cc >= 75; i++) {
            char text[600];
            struct device_image image = {0};
            snprintf(text, sizeof text, "__global__ void k(int *y)\n{\n%s\n}\n",
                     probes[i].body);
            const struct device_source source = {text, "k"};
            const bool is_taken =
                nvrtc_compile(nvrtc, cc, NVRTC_CUBIN, &source, 1, &image, &error) == 0;
            if (is_taken != (strstr(has, probes[i].name) != NULL))
                fail_msg("%s of %s: %s; it has %s", probes[i].name, *arch,
                         is_taken ? "compiles" : error.text, has);
            if (is_taken)
                device_dispose_image(&image);
        }
    }
    nvrtc_close(nvrtc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_name),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_spellings_of_models),
        cmocka_unit_test(test_names_of_people),
        cmocka_unit_test(test_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
