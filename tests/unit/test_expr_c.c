/* expr_c: expressions as C, compiled by the system's compiler as C99 without a warning, give
 * what expr_eval gives. */
#include "autotune/export/expr_c.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const words[] = {"N", "SMS", "GRID", "ONE", "BIG"};
enum { NAMES = sizeof words / sizeof *words };
static const struct expr_scope scope = {.names = words, .count = NAMES};

static const char *const sources[] = {
    "N",
    "-N",
    "!N",
    "N + SMS * 2 - GRID / 3 % 5",
    "(N + SMS) * (2 - GRID)",
    "N - (SMS - GRID)",
    "N / (SMS / 3 + 1)",
    "N * ONE",
    "ONE * N",
    "N / ONE",
    "ceil_div(N, ONE)",
    "(N > 3) * ONE + (SMS > 3)",
    "N + (SMS < GRID)",
    "-(N < SMS)",
    "N < SMS == GRID < 4",
    "(N < SMS) < (GRID < 4)",
    "N == 0 || SMS > 3 && GRID",
    "(N || SMS) && GRID",
    "N && SMS || GRID && ONE",
    "!(N > 2 && SMS)",
    "!N + 1",
    "N ? SMS : GRID",
    "N > 5 ? SMS > 5 ? 1 : 2 : GRID > 5 ? 3 : 4",
    "(N ? 1 : 0) ? SMS : GRID",
    "(N ? SMS : GRID) + 1",
    "min(N, SMS, GRID)",
    "max(N, min(SMS, 7), GRID)",
    "ceil_div(N, 4) * 4",
    "log2(N + 1)",
    "is_pow2(N) + is_pow2(SMS)",
    "floor_pow2(max(1, N)) + floor_pow2(SMS)",
    "GRID == 0 ? min(N, 2147483647) : min(N, GRID * SMS)",
    "ONE ? N : N / 0",
    "ONE == 1 && N",
    "ONE == 0 || N",
    "ONE == 0 && N / 0",
    "N && ONE",
    "N || ONE == 0",
    "min(N, BIG) * 4",
    "BIG - 1 - N",
    "0 - BIG",
    "N * -3 + -SMS",
    "5",
    "ONE + 1",
    "N != SMS",
    "(N >= 4) - (SMS <= 4)",
    "N % 7 - -GRID",
};
enum { SOURCES = sizeof sources / sizeof *sources };

static const int64_t values[][NAMES] = {
    {0, 1, 0, 1, INT64_C(1) << 40},   {1, 8, 2, 1, INT64_C(1) << 40},
    {5, 132, 4, 1, INT64_C(1) << 40}, {400000000, 70, 16, 1, INT64_C(1) << 40},
    {64, 3, 6, 1, INT64_C(1) << 40},  {INT64_C(1) << 45, 132, 0, 1, INT64_C(1) << 40},
};
enum { ROWS = sizeof values / sizeof *values };

static struct error error;

static struct expr *parse(const char *source)
{
    struct expr *expr;
    if (expr_parse(&expr, source, &scope, "test", 1, &error) != 0)
        fail_msg("%s", error.text);
    return expr;
}

/* A program that prints every expression for every row; ONE and BIG are known. */
static void write_program(struct text *out)
{
    struct text code = {0};
    const struct expr_c_name names[NAMES] = {{"n", false, 0},
                                             {"sms", false, 0},
                                             {"given.grid", false, 0},
                                             {NULL, true, 1},
                                             {NULL, true, INT64_C(1) << 40}};
    for (size_t i = 0; i < SOURCES; i++) {
        struct expr *expr = parse(sources[i]);
        text_adds(&code, "    value = ");
        if (expr_c_print(&code, expr, names, "my", &error) != 0)
            fail_msg("%s: %s", sources[i], error.text);
        text_adds(&code, ";\n    printf(\"%lld\\n\", (long long)value);\n");
        expr_free(expr);
    }
    text_adds(out, "#include <stdint.h>\n#include <stdio.h>\n");
    expr_c_helpers(out, code.at, "my");
    text_adds(out, "struct given { int64_t grid; };\n"
                   "static void show(int64_t n, int64_t sms, struct given given)\n{\n"
                   "    int64_t value;\n    (void)n; (void)sms; (void)given;\n");
    text_add(out, code.at, code.length);
    text_adds(out, "}\nint main(void)\n{\n    struct given given;\n");
    for (size_t r = 0; r < ROWS; r++)
        text_addf(out,
                  "    given.grid = %" PRId64 ";\n    show(INT64_C(%" PRId64 "), %" PRId64
                  ", given);\n",
                  values[r][2], values[r][0], values[r][1]);
    text_adds(out, "    return 0;\n}\n");
    text_dispose(&code);
}

static void compile(const char *folder, const struct text *program)
{
    char path[200], command[700];
    snprintf(path, sizeof path, "%s/program.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(program->at, 1, program->length, file), program->length);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command,
             "${CC:-cc} -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "
             "-o %s/program %s/program.c && %s/program > %s/out",
             folder, folder, folder, folder);
    assert_int_equal(system(command), 0);
}

static void test_same_as_eval(void **state)
{
    char folder[] = "/tmp/autotune-expr-XXXXXX", path[200], line[64];
    struct text program = {0};
    (void)state;
    assert_non_null(mkdtemp(folder));
    write_program(&program);
    compile(folder, &program);
    snprintf(path, sizeof path, "%s/out", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t i = 0; i < SOURCES; i++) {
            struct expr *expr = parse(sources[i]);
            int64_t want;
            assert_int_equal(expr_eval(expr, values[r], &want, &error), 0);
            assert_non_null(fgets(line, sizeof line, file));
            if (strtoll(line, NULL, 10) != want)
                fail_msg("'%s' in row %zu: C gives %s, expr_eval %" PRId64, sources[i], r, line,
                         want);
            expr_free(expr);
        }
    fclose(file);
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
    text_dispose(&program);
}

static void assert_printed(const char *source, const char *want, const char *prefix)
{
    const struct expr_c_name names[NAMES] = {{"n", false, 0},
                                             {"sms", false, 0},
                                             {"grid", false, 0},
                                             {NULL, true, 1},
                                             {NULL, true, 8}};
    struct text out = {0};
    struct expr *expr = parse(source);
    assert_int_equal(expr_c_print(&out, expr, names, prefix, &error), 0);
    assert_string_equal(out.at, want);
    text_dispose(&out);
    expr_free(expr);
}

/* It is to be read: no parentheses without need, nothing that is known. */
static void test_reads_well(void **state)
{
    (void)state;
    assert_printed("(N * 2) + SMS", "n * 2 + sms", "p");
    assert_printed("BIG / 4 * N", "2 * n", "p");
    assert_printed("ceil_div(max(1, N), ONE) * ONE", "p_max(1, n)", "p");
    assert_printed("BIG == 8 ? GRID : N", "grid", "p");
    assert_printed("GRID == 0 ? N : GRID * SMS", "grid == 0 ? n : grid * sms", "p");
    assert_printed("N && SMS || GRID", "(int64_t)((n && (sms != 0)) || (grid != 0))", "p");
}

/* Plain, it has nothing that is C's alone. */
static void test_plain(void **state)
{
    (void)state;
    assert_printed("ceil_div(max(1, N), ONE) * BIG", "max(1, n) * 8", NULL);
    assert_printed("N && SMS || GRID", "(n && (sms != 0)) || (grid != 0)", NULL);
    assert_printed("(N < SMS) + ONE", "(n < sms) + 1", NULL);
    assert_printed("N + BIG * 1099511627776", "n + 8796093022208", NULL);
    assert_printed("N * (0 - BIG)", "n * (-8)", NULL);
    assert_printed("N - 9223372036854775807 * ONE", "n - 9223372036854775807", NULL);
}

static void test_known_fault(void **state)
{
    const struct expr_c_name names[NAMES] = {{"n", false, 0},
                                             {"sms", false, 0},
                                             {"grid", false, 0},
                                             {NULL, true, 1},
                                             {NULL, true, 0}};
    struct text out = {0};
    struct expr *expr = parse("N + ONE / BIG");
    (void)state;
    assert_int_equal(expr_c_print(&out, expr, names, "p", &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_non_null(strstr(error.text, "test:1"));
    text_dispose(&out);
    expr_free(expr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_eval),
        cmocka_unit_test(test_reads_well),
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_known_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
