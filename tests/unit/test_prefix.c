/* The prefix of an export: names that the headers of C, C++ and CUDA have are refused, and every
 * other name that stands in these headers compiles as a function of that name. Seen to fail with
 * any word of library_names.c left out that is no function of the C library, whose names are refused
 * anyway. */
#include "autotune/export/export.h"

#include "generator/text.h"
#include "tests/unit/named_op.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void test_names(void **state)
{
    static const char *const bad[] = {"min",   "max",         "abs",     "sqrt",
                                      "sqrtf", "std",         "assert",  "stdin",
                                      "NULL",  "EOF",         "div",     "cudaFree",
                                      "uint4", "atomicAdd",   "size_t",  "INT_MAX",
                                      "log",   "threadIdx",   "exit",    "read",
                                      "index", "make_float4", "strtok_r"};
    static const char *const good[] = {"sum",    "mine",   "sum_f32", "Sum4",
                                       "argmin", "my_min", "prod"};
    struct error error;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(export_check_prefix(bad[i], &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_non_null(strstr(error.text, "headers"));
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(export_check_prefix(good[i], &error), 0);
}

/* A function of an export that has the name of one of the C library's is called in its place, by
 * CUDA's libraries too. */
static void test_calls_of_others(void **state)
{
    static const char *const bad[] = {"fork", "access", "dup2", "error", "dlopen", "environ"};
    struct error error;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(export_check_prefix(bad[i], &error), -1);
        assert_non_null(strstr(error.text, "others would call yours"));
    }
}

/* Each operation and type gives a default that is no name of theirs. */
static void test_defaults(void **state)
{
    char name[EXPORT_PREFIX_CHARS];
    struct error error;
    (void)state;
    for (int op = 0; op < OP_COUNT; op++)
        for (int type = 0; type < TYPE_COUNT; type++) {
            const struct problem problem = {.op = op_of((enum op)op), .type = (enum type)type};
            export_default_prefix(name, &problem);
            assert_int_equal(export_check_prefix(name, &error), 0);
        }
}

/* --- Against the headers ------------------------------------------------------------------ */

static const char headers[] =
    "#include <stdbool.h>\n#include <cuda_runtime.h>\n#include <stddef.h>\n"
    "#include <stdint.h>\n#include <string.h>\n#include <stdio.h>\n#include <atomic>\n";

/* A command of the shell, in which $headers has a file of these lines, $names is one that it may
 * write, and $options are the places of CUDA's headers, which stand in a file beside the folder
 * of this program. */
static FILE *begin(const char *folder, const char *command)
{
    char self[PATH_MAX], words[2 * PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    *strrchr(self, '/') = '\0';
    snprintf(words, sizeof words,
             "cd %s && options=$(grep -o -- '-isystem [^ ]*' '%s/flags'); %s", folder, self,
             command);
    FILE *pipe = popen(words, "r");
    assert_non_null(pipe);
    return pipe;
}

static void test_headers(void **state)
{
    char word[256], folder[] = "/tmp/test-prefix-XXXXXX", path[PATH_MAX];
    struct error error;
    size_t count = 0;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/unit.cc", folder);
    FILE *unit = fopen(path, "w");
    assert_non_null(unit);
    fputs(headers, unit);
    fflush(unit);
    FILE *pipe = begin(folder, "g++ $options -E -dD unit.cc 2> errors | "
                               "grep -oE '\\b[A-Za-z][A-Za-z0-9_]*\\b' | sort -u");
    while (fgets(word, sizeof word, pipe)) {
        word[strcspn(word, "\n")] = '\0';
        if (export_check_prefix(word, &error))
            continue;
        fprintf(
            unit,
            "extern \"C\" cudaError_t %s(const int *in, size_t n, int *out, void *workspace, "
            "size_t bytes, cudaStream_t stream);\n",
            word);
        count++;
    }
    pclose(pipe);
    fclose(unit);
    pipe = begin(folder,
                 count > 500 ? "g++ $options -fsyntax-only unit.cc 2>&1 | grep error" : ":");
    bool is_wrong = false;
    while (fgets(word, sizeof word, pipe))
        is_wrong = printf("%s", word) > 0;
    pclose(pipe);
    pclose(begin(folder, "rm -f unit.cc errors"));
    rmdir(folder);
    assert_false(is_wrong);
    if (count <= 500) {
        puts("no g++, or no CUDA headers");
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_calls_of_others),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
