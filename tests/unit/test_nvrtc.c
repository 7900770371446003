/* Compiling without a GPU: units, logs, architectures, threads. Each test is skipped where no
 * NVRTC is found, as the program itself then says so. */
#include "autotune/device/locate.h"
#include "autotune/device/nvrtc.h"
#include "autotune/embedded.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct device_source pair[] = {
    {"__global__ void reduce(const int *in, unsigned long long n, int *out)\n"
     "{\n"
     "    __shared__ int total;\n"
     "    if (threadIdx.x == 0) total = 0;\n"
     "    __syncthreads();\n"
     "    for (unsigned long long i = threadIdx.x; i < n; i += blockDim.x)\n"
     "        atomicAdd(&total, in[i]);\n"
     "    __syncthreads();\n"
     "    if (threadIdx.x == 0) *out = total;\n"
     "}\n",
     "reduce"},
    {"typedef double elem;\n"
     "__global__ void reduce(elem *out) { asm volatile(\"\" ::: \"memory\"); *out = 1; }",
     "reduce"},
};

/* Opens an NVRTC for cc 80, which all versions know, or skips the test. */
static struct nvrtc *open_any(void)
{
    struct nvrtc *nvrtc;
    struct error error;
    if (nvrtc_open(&nvrtc, NULL, 80, &error)) {
        assert_int_equal(error.code, ERROR_NO_DEVICE);
        skip();
    }
    return nvrtc;
}

static bool holds(const struct device_image *image, const char *needle)
{
    return memmem(image->bytes, image->size, needle, strlen(needle)) != NULL;
}

static void test_units(void **state)
{
    (void)state;
    static const int archs[] = {75, 90, 120};
    struct error error;
    nvrtc_close(open_any());
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        struct nvrtc *nvrtc;
        struct device_image image;
        char target[32];
        if (nvrtc_open(&nvrtc, NULL, archs[i], &error))
            continue;
        if (nvrtc_compile(nvrtc, archs[i], NVRTC_CUBIN, pair, 2, &image, &error))
            fail_msg("%s", error.text);
        assert_false(image.is_ptx);
        assert_int_equal(image.count, 2);
        assert_memory_equal(image.bytes, "\177ELF", 4);
        assert_string_not_equal(image.names[0], image.names[1]);
        assert_true(holds(&image, image.names[0]) && holds(&image, image.names[1]));
        assert_true(image.hashes && image.hashes[0] && image.hashes[1]);
        assert_true(image.hashes[0] != image.hashes[1]);
        device_dispose_image(&image);
        assert_null(image.bytes);
        assert_null(image.hashes);

        if (nvrtc_compile(nvrtc, archs[i], NVRTC_PTX, pair, 2, &image, &error))
            fail_msg("%s", error.text);
        snprintf(target, sizeof target, ".target sm_%d\n", archs[i]);
        assert_true(image.is_ptx && holds(&image, target));
        assert_null(image.hashes);
        assert_true(holds(&image, image.names[0]) && holds(&image, image.names[1]));
        assert_int_equal(((const char *)image.bytes)[image.size - 1], 0);
        device_dispose_image(&image);
        nvrtc_close(nvrtc);
    }
}

/* What bench reads with before cold scans: no emulator runs it. */
static void test_sweep(void **state)
{
    (void)state;
    const struct device_source source = {embedded_find("templates/device/sweep.cu")->bytes,
                                         "sweep"};
    struct nvrtc *nvrtc = open_any();
    struct device_image image;
    struct error error;
    if (nvrtc_compile(nvrtc, 80, NVRTC_CUBIN, &source, 1, &image, &error))
        fail_msg("%s", error.text);
    assert_int_equal(image.count, 1);
    device_dispose_image(&image);
    nvrtc_close(nvrtc);
}

static void test_same_bytes(void **state)
{
    (void)state;
    struct nvrtc *nvrtc = open_any();
    struct device_image first, second;
    struct error error;
    assert_int_equal(nvrtc_compile(nvrtc, 80, NVRTC_CUBIN, pair, 2, &first, &error), 0);
    assert_int_equal(nvrtc_compile(nvrtc, 80, NVRTC_CUBIN, pair, 2, &second, &error), 0);
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.bytes, second.bytes, first.size);
    assert_memory_equal(first.hashes, second.hashes, 2 * sizeof *first.hashes);
    device_dispose_image(&first);
    device_dispose_image(&second);
    nvrtc_close(nvrtc);
}

static void test_log(void **state)
{
    (void)state;
    struct nvrtc *nvrtc = open_any();
    const struct device_source broken[] = {
        pair[0],
        {"__global__ void reduce(int *out)\n{\n    *out = missing;\n}\n", "reduce"},
    };
    const struct device_source marked[] = {
        pair[0],
        {"int a;\n#line 20 \"own \\\" file.cu\"\n__global__ void reduce(int *out)\n{\n"
         "#line 30 \"own \\\" file.cu\"\n    *out = missing;\n}\n",
         "reduce"},
        pair[1],
    };
    struct device_image image;
    struct error error;
    assert_int_equal(nvrtc_compile(nvrtc, 80, NVRTC_CUBIN, broken, 2, &image, &error), -1);
    assert_int_equal(error.code, ERROR_FAILED);
    assert_non_null(strstr(error.text, "<kernel 1>(3): error"));
    assert_non_null(strstr(error.text, "missing"));
    assert_null(strstr(error.text, "<kernel 0>"));
    assert_null(image.bytes);
    assert_null(image.names);

    assert_int_equal(nvrtc_compile(nvrtc, 80, NVRTC_CUBIN, marked, 3, &image, &error), -1);
    assert_non_null(strstr(error.text, "own \" file.cu(30): error"));
    assert_null(image.hashes);
    nvrtc_close(nvrtc);
}

/* A long log is cut to its first lines, whole ones. */
static void test_long_log(void **state)
{
    (void)state;
    struct nvrtc *nvrtc = open_any();
    char text[4000] = "__global__ void reduce(int *out)\n{\n";
    struct device_image image;
    struct error error;
    int lines = 0, length = (int)strlen(text);
    for (int i = 0; i < 90; i++)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "    *out = missing_%d;\n", i);
    snprintf(text + length, sizeof text - (size_t)length, "}\n");
    const struct device_source broken = {text, "reduce"};
    assert_int_equal(nvrtc_compile(nvrtc, 80, NVRTC_CUBIN, &broken, 1, &image, &error), -1);
    for (const char *at = error.text; *at; at++)
        lines += *at == '\n';
    assert_in_range(lines, 2, 7);
    assert_non_null(strstr(error.text, "missing_0"));
    assert_null(strstr(error.text, "missing_89"));
    nvrtc_close(nvrtc);
}

static void test_names(void **state)
{
    (void)state;
    struct nvrtc *nvrtc = open_any();
    const struct device_source other = {pair[0].text, "absent"};
    struct device_image image;
    struct error error;
    assert_int_equal(nvrtc_compile(nvrtc, 80, NVRTC_CUBIN, &other, 1, &image, &error), -1);
    assert_int_equal(error.code, ERROR_FAILED);
    assert_non_null(strstr(error.text, "absent"));
    assert_int_equal(nvrtc_compile(nvrtc, 80, NVRTC_CUBIN, NULL, 0, &image, &error), -1);
    assert_int_equal(error.code, ERROR_FAILED);
    nvrtc_close(nvrtc);
}

/* Architectures no library has: the advice names the versions that do. */
static void test_advice(void **state)
{
    (void)state;
    struct nvrtc *any = open_any(), *nvrtc;
    struct error error;
    char found[40];
    snprintf(found, sizeof found, "(NVRTC %s, sm_", nvrtc_version(any));
    if (nvrtc_arch(any, 70) == 0) {
        assert_int_equal(nvrtc_open(&nvrtc, nvrtc_path(any), 70, &error), -1);
        assert_int_equal(error.code, ERROR_NO_DEVICE);
        assert_null(nvrtc);
        assert_non_null(strstr(error.text, found));
        assert_non_null(strstr(error.text, nvrtc_path(any)));
        assert_non_null(strstr(error.text,
                               "sm_70 needs NVRTC 12.x (13.0 dropped it): run `pip install "
                               "nvidia-cuda-nvrtc-cu12` or name a library with --nvrtc FILE"));
        assert_int_equal(nvrtc_open_older(&nvrtc, nvrtc_path(any), 70, &error), -1);
    }
    assert_int_equal(nvrtc_open(&nvrtc, nvrtc_path(any), 999, &error), -1);
    assert_non_null(strstr(error.text, "sm_999 needs NVRTC of a release later than 13.0"));
    assert_int_equal(nvrtc_open_older(&nvrtc, nvrtc_path(any), 999, &error), 0);
    assert_true(nvrtc_arch(nvrtc, 999) >= 90);
    assert_int_equal(nvrtc_arch(nvrtc, 85), 80);
    nvrtc_close(nvrtc);
    nvrtc_close(any);
}

static void test_bad_path(void **state)
{
    (void)state;
    nvrtc_close(open_any());
    static const struct {
        const char *path, *says;
    } rows[] = {
        {"/nonexistent/libnvrtc.so", "no such file"},
        {"/dev/null", "cannot be used"},
        {"/proc/self/exe", "cannot be used"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nvrtc *nvrtc;
        struct error error;
        assert_int_equal(nvrtc_open(&nvrtc, rows[i].path, 90, &error), -1);
        assert_int_equal(error.code, ERROR_NO_DEVICE);
        assert_non_null(strstr(error.text, rows[i].says));
        assert_non_null(strstr(error.text, "--nvrtc"));
        assert_null(nvrtc);
    }
}

struct last {
    int count;
    char says[200];
};

static void note_last(void *context, const char *path, const char *version, const char *archs)
{
    struct last *found = context;
    (void)path;
    found->count++;
    snprintf(found->says, sizeof found->says, "%s: %s", version, archs);
}

/* A stand-in for an NVRTC whose builtins are not beside it, or damaged. */
static void test_no_builtins(void **state)
{
    static const char functions[] =
        "int nvrtcVersion(int *a, int *b) { return *a = 99, *b = 1, 0; }\n"
        "const char *nvrtcGetErrorString(int i) { return i == 7 ? \"seven\" : \"?\"; }\n"
        "int nvrtcGetNumSupportedArchs(int *n) { return *n = 1, 0; }\n"
        "int nvrtcGetSupportedArchs(int *a) { return *a = 90, 0; }\n"
        "int nvrtcCreateProgram(void **p) { return *p = \"\", 0; }\n"
        "int nvrtcCompileProgram(void) { return 7; }\n"
        "#define NONE(name) int name(void) { return 0; }\n"
        "NONE(nvrtcDestroyProgram) NONE(nvrtcAddNameExpression) NONE(nvrtcGetProgramLogSize)\n"
        "NONE(nvrtcGetProgramLog) NONE(nvrtcGetLoweredName) NONE(nvrtcGetCUBINSize)\n"
        "NONE(nvrtcGetCUBIN) NONE(nvrtcGetPTXSize) NONE(nvrtcGetPTX)\n";
    char folder[] = "/tmp/test_nvrtc_XXXXXX", path[80], builtins[80], command[200];
    struct device_image image;
    struct last found = {0};
    struct nvrtc *nvrtc;
    struct error error;
    (void)state;
    nvrtc_close(open_any());
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/libnvrtc.so", folder);
    snprintf(builtins, sizeof builtins, "%s/libnvrtc-builtins.so.99.1", folder);
    snprintf(command, sizeof command, "cc -w -shared -fPIC -o %s -x c -", path);
    FILE *compiler = popen(command, "w");
    assert_true(compiler && fputs(functions, compiler) >= 0 && pclose(compiler) == 0);

    nvrtc_list(path, note_last, &found);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.says, "99.1: sm_90 .. sm_90, but compiles nothing: there is no "
                                    "libnvrtc-builtins.so.99.1 beside it");
    assert_int_equal(nvrtc_open(&nvrtc, path, 90, &error), 0);
    assert_int_equal(nvrtc_compile(nvrtc, 90, NVRTC_CUBIN, pair, 1, &image, &error), -1);
    assert_int_equal(error.code, ERROR_NO_DEVICE);
    assert_non_null(strstr(error.text, "without libnvrtc-builtins.so.99.1: "));
    nvrtc_close(nvrtc);

    FILE *file = fopen(builtins, "w"); /* what NVRTC itself would open, to its end */
    assert_true(file && fputs("\177ELF", file) >= 0 && fclose(file) == 0);
    assert_int_equal(nvrtc_open(&nvrtc, path, 90, &error), -1);
    assert_non_null(strstr(error.text, "its libnvrtc-builtins.so.99.1: it is cut short"));
    unlink(builtins);
    unlink(path);
    rmdir(folder);
}

struct job {
    struct nvrtc *nvrtc;
    int failures;
};

static void *compile_some(void *context)
{
    struct job *job = context;
    for (int i = 0; i < 3; i++) {
        struct device_image image;
        struct error error;
        if (nvrtc_compile(job->nvrtc, 90, NVRTC_CUBIN, pair, 2, &image, &error))
            job->failures++;
        device_dispose_image(&image);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    struct nvrtc *nvrtc = open_any();
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){.nvrtc = nvrtc};
        assert_int_equal(pthread_create(&threads[i], NULL, compile_some, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(jobs[i].failures, 0);
    }
    nvrtc_close(nvrtc);
}

struct seen {
    int usable, broken;
    char last_path[4096];
};

static void note(void *context, const char *path, const char *version, const char *archs)
{
    struct seen *seen = context;
    assert_true(*archs != '\0');
    assert_string_not_equal(path, seen->last_path);
    seen->usable += *version && strncmp(archs, "sm_", 3) == 0;
    seen->broken += !*version;
    snprintf(seen->last_path, sizeof seen->last_path, "%s", path);
}

static void test_list(void **state)
{
    (void)state;
    struct seen seen = {0};
    nvrtc_close(open_any());
    nvrtc_list(NULL, note, &seen);
    assert_true(seen.usable > 0);
    seen = (struct seen){0};
    nvrtc_list("/dev/null", note, &seen);
    assert_int_equal(seen.usable, 0);
    assert_int_equal(seen.broken, 1);
}

struct tour {
    const char *folder;
    int seen, seen_there, most;
};

static bool visit(void *context, const char *path)
{
    struct tour *tour = context;
    assert_int_equal(path[0], '/');
    tour->seen++;
    tour->seen_there += strncmp(path, tour->folder, strlen(tour->folder)) == 0;
    return tour->seen < tour->most;
}

/* Each file once, by whatever names, and none any more after the visitor has had enough. */
static void test_locate(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_nvrtc_XXXXXX", command[400];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "cd %s && mkdir lib64 && touch lib64/libnvrtc.so.98 lib64/libnvrtc.so.99 && "
             "ln -s libnvrtc.so.98 lib64/libnvrtc.so",
             folder);
    assert_int_equal(system(command), 0);
    setenv("CUDA_HOME", folder, 1);
    struct tour all = {.folder = folder, .most = 1000}, few = {.folder = folder};
    locate_nvrtc(NULL, visit, &all);
    assert_int_equal(all.seen_there, 2);
    for (few.most = 1; few.most < all.seen; few.most++) {
        few.seen = few.seen_there = 0;
        locate_nvrtc(NULL, visit, &few);
        assert_int_equal(few.seen, few.most);
    }
    unsetenv("CUDA_HOME");
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),       cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_same_bytes),  cmocka_unit_test(test_log),
        cmocka_unit_test(test_long_log),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_advice),      cmocka_unit_test(test_bad_path),
        cmocka_unit_test(test_no_builtins), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_list),        cmocka_unit_test(test_locate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
