/* Tests of judge_source: what is the host's goes, and each line keeps its number; the kernels of a file are
 * found; dynamic shared memory gets its size where it is the emulator's. */
#include "autotune/command/judge_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct error error;

static const char *write(struct text *out, const char *text, int zeroed_bytes)
{
    const struct judge_source source = {"a.cu", "total", zeroed_bytes, 1024, 1};
    text_clear(out);
    assert_int_equal(judge_source_write(out, &source, text, &error), 0);
    return out->at;
}

/* The template's lines that are the file's, which begin behind #line 1. */
static const char *code(const char *template)
{
    static const char mark[] = "#line 1 \"a.cu\"\n";
    const char *at = strstr(template, mark);
    assert_non_null(at);
    return at + sizeof mark - 1;
}

static void test_host_goes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *is, *isnt;
    } rows[] = {
        {"#include <stdio.h>\n", "", "#include"},
        {"#define SQUARE(x) \\\n    ((x) * (x)) // main(\n",
         "#define SQUARE(x) \\\n    ((x) * (x))", NULL},
        {"int main()\n{\n    total<<<1, 2>>>(\"}\", '}');\n}\n", "", "<<<"},
        {"static float cpu(const float *x) { /* } */ return x[0]; }\n", "", "cpu"},
        {"using namespace std;\n", "", "using"},
        {"struct pair { int a, b; };\n", "struct pair { int a, b; };", NULL},
        {"typedef struct __align__(8) { int a; } vec;\n",
         "typedef struct __align__(8) { int a; } vec;", NULL},
        {"__device__ int twice(int a)\n{\n    return 2 * a;\n}\n", "return 2 * a;", NULL},
        {"template <int B> void run() { go<B>(); }\n", "", "go<B>"},
        {"const int width = 4;\nenum { HEIGHT = 5 };\n",
         "const int width = 4;\nenum { HEIGHT = 5 };", NULL},
    };
    struct text whole = {0}, out = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        text_clear(&whole);
        text_addf(&whole, "%s__global__ void total(int *x) { x[0] = 1; }\n", rows[i].text);
        const char *kept = code(write(&out, whole.at, 0));
        assert_non_null(strstr(kept, rows[i].is));
        assert_non_null(strstr(kept, "__global__ void total(int *x) { x[0] = 1; }"));
        assert_true(!rows[i].isnt || !strstr(kept, rows[i].isnt));
        const char *a = whole.at, *b = kept; /* the same ends of lines at the same places */
        for (; *a; a++, b++)
            assert_true((*a == '\n') == (*b == '\n'));
    }
    text_dispose(&whole);
    text_dispose(&out);
}

static void test_linkage(void **state)
{
    (void)state;
    struct text out = {0};
    const char *one = code(write(&out, "extern \"C\" __global__ void total(int *x) {}\n", 0));
    assert_null(strstr(one, "extern"));
    const char *block = code(
        write(&out, "extern \"C\" {\n__global__ void total(int *x) { { } }\n}\nint a;\n", 0));
    assert_null(strstr(block, "extern"));
    assert_string_equal(strstr(block, "__global__"),
                        "__global__ void total(int *x) { { } }\n \nint a;\n\n");
    text_dispose(&out);
}

static void test_dynamic(void **state)
{
    (void)state;
    struct text out = {0};
    const char *text =
        write(&out,
              "__global__ void total(int *x) { extern __shared__ volatile float s[]; "
              "extern int b[]; }\n",
              0);
    assert_non_null(strstr(text, "__shared__ type name[1024 / sizeof(type)]"));
    assert_non_null(
        strstr(code(text), "{ JUDGED_DYNAMIC(volatile float, s); extern int b[]; }"));
    text_dispose(&out);
}

static void test_zeros(void **state)
{
    (void)state;
    struct text out = {0};
    const char *text = write(&out, "__global__ void total(int *x) {}\n", 8);
    assert_non_null(
        strstr(text, "//? if STEP == ZEROS\n__global__ void total(unsigned char *y"));
    assert_non_null(strstr(text, "i < outer * inner * 8"));
    assert_string_equal(strstr(text, "\n//? end"), "\n//? end\n");
    text_dispose(&out);
}

static void test_kernels(void **state)
{
    (void)state;
    struct text out = {0};
    const struct judge_source source = {"a.cu", "total", 0, 0, 1};
    const char *text = "// __global__ void total(int *)\nvoid total(int);\n"
                       "__global__ void __launch_bounds__(256) first(int *x) { total(1); }\n"
                       "__global__ void second(int *x) {}\n";
    assert_int_equal(judge_source_write(&out, &source, text, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_non_null(strstr(error.text, "those that it has to --kernel: first, second"));
    text_dispose(&out);
}

static void test_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
    } rows[] = {
        {"__global__ void total() {}\n", 0},
        {"__global__ void total(const pair<int, 4> *x, int (*y)[2], /* , */ int n) {}\n", 3},
        {"__global__ void __cluster_dims__(1, 1, 1) total(int *x, int *y) { f(1, 2, 3); }\n",
         2},
    };
    struct text out = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct judge_source source = {"a.cu", "total", 0, 0, rows[i].count};
        assert_int_equal(judge_source_write(&out, &source, rows[i].text, &error), 0);
        source.args++;
        assert_int_equal(judge_source_write(&out, &source, rows[i].text, &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, "name each of them, in their order"));
    }
    text_dispose(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_goes), cmocka_unit_test(test_linkage),
        cmocka_unit_test(test_dynamic),   cmocka_unit_test(test_zeros),
        cmocka_unit_test(test_kernels),   cmocka_unit_test(test_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
