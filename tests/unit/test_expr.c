/* Tests of generator/expr.c. */
#include "generator/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above before it */
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const char *const names[] = {"BLOCK", "ITEMS",      "N",  "LEAST",
                                    "MOST",  "min_blocks", "ONE"};
static const int64_t values[] = {256, 16, 400000000, INT64_MIN, INT64_MAX, 2, 1};
static const struct expr_scope scope = {.names = names, .count = COUNT_OF(names)};

static void assert_value(const char *source, int64_t expected)
{
    struct expr *expr;
    struct error error = {0};
    int64_t value = 99;

    if (expr_parse(&expr, source, &scope, "f", 1, &error) ||
        expr_eval(expr, values, &value, &error))
        fail_msg("%s", error.text);
    if (value != expected)
        fail_msg("'%s' gave %lld, not %lld", source, (long long)value, (long long)expected);
    assert_string_equal(expr_source(expr), source);
    expr_free(expr);
}

static void test_values(void **state)
{
    /* clang-format off */
    static const struct {
        const char *source;
        int64_t value;
    } cases[] = {
        {"0", 0}, {" 42\t", 42}, {"9223372036854775807", INT64_MAX}, {"BLOCK", 256},
        {"1+2*3", 7}, {"(1+2)*3", 9}, {"10-4-3", 3}, {"100/7/2", 7}, {"100/7*2", 28},
        {"-7/2", -3}, {"-7%3", -1}, {"7%-3", 1}, {"- -5", 5}, {"--5", 5}, {"!0", 1}, {"!!7", 1},
        {"-BLOCK*2", -512}, {"!BLOCK+1", 1}, {"-9223372036854775807-1", INT64_MIN},
        {"1<2", 1}, {"2<1", 0}, {"1<=1", 1}, {"1>=2", 0}, {"2>1", 1}, {"1==1", 1}, {"1!=1", 0},
        {"1+1==2", 1}, {"1<2==1", 1}, {"3>2>1", 0}, {"1==1<2", 1}, {"1!=2==1", 1},
        {"0||0", 0}, {"0||7", 1}, {"7||0", 1}, {"3&&4", 1}, {"3&&0", 0}, {"0&&3", 0},
        {"1||0&&0", 1}, {"(1||0)&&0", 0}, {"1&&2==2", 1}, {"0&&0||1", 1}, {"2+(3&&4)", 3},
        {"0||0||5||0", 1}, {"1&&2&&3&&0", 0}, {"1&&(0||3)", 1},
        {"1?2:3", 2}, {"0?2:3", 3}, {"0?1:0?2:3", 3}, {"1?0?4:5:6", 5}, {"1+1?7:8", 7},
        {"(0?1:2)+10", 12}, {"1||0?3:4", 3}, {"10+(1?2:3)*2", 14},
        {"min(3,2)", 2}, {"min(3,2,1,4)", 1}, {"max ( -1 , 5, 2 )", 5}, {"max(1,2)*2", 4},
        {"min(1?2:3,max(4,5))", 2}, {"1+min(2,3)+4", 7},
        {"ceil_div(0,5)", 0}, {"ceil_div(1,5)", 1}, {"ceil_div(10,5)", 2},
        {"ceil_div(11,5)", 3},
        {"ceil_div(MOST,1)", INT64_MAX}, {"ceil_div(MOST,2)", INT64_MAX / 2 + 1},
        {"ceil_div(1,MOST)", 1}, {"ceil_div(N, BLOCK * ITEMS)", 97657},
        {"is_pow2(0)", 0}, {"is_pow2(1)", 1}, {"is_pow2(64)", 1}, {"is_pow2(65)", 0},
        {"floor_pow2(1)", 1}, {"floor_pow2(2)", 2}, {"floor_pow2(127)", 64}, {"floor_pow2(128)", 128},
        {"floor_pow2(9223372036854775807)", 4611686018427387904},
        {"is_pow2(-4)", 0}, {"is_pow2(LEAST)", 0}, {"is_pow2(4611686018427387904)", 1},
        {"log2(1)", 0}, {"log2(2)", 1}, {"log2(3)", 1}, {"log2(1024)", 10}, {"log2(MOST)", 62},
        {"LEAST", INT64_MIN}, {"MOST+LEAST", -1}, {"LEAST/ONE", INT64_MIN}, {"LEAST%2", 0},
        {"min_blocks*3", 6}, {"ITEMS % 4 == 0 && BLOCK >= 32", 1}, {"007", 7},
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_value(cases[i].source, cases[i].value);
}

/* What is not needed is not evaluated: each other side would be an error. */
static void test_lazy(void **state)
{
    (void)state;
    assert_value("0 && 1/0", 0);
    assert_value("1 || 1/0", 1);
    assert_value("1 ? 5 : 1/0", 5);
    assert_value("0 ? 1/0 : 6", 6);
    assert_value("0 && 1/0 || 1", 1);
    assert_value("1 || 1/0 && 1/0", 1);
    assert_value("(0 && log2(0)) + (1 || MOST + 1)", 1);
    assert_value("ITEMS > 0 && BLOCK % ITEMS == 0 ? 1 : BLOCK % 0", 1);
}

static void test_eval_errors(void **state)
{
    static const struct {
        const char *source, *message;
    } cases[] = {
        {"1/0", "f.ini:7: division by zero (1 / 0) in '1/0'"},
        {"BLOCK % (ITEMS - 16)",
         "f.ini:7: division by zero (256 % 0) in 'BLOCK % (ITEMS - 16)'"},
        {"LEAST / -1", "f.ini:7: overflow: -9223372036854775808 / -1 does not fit in 64 bits "
                       "in 'LEAST / -1'"},
        {"LEAST % -1", "f.ini:7: overflow: -9223372036854775808 % -1 does not fit in 64 bits "
                       "in 'LEAST % -1'"},
        {"MOST + 1", "f.ini:7: overflow: 9223372036854775807 + 1 does not"},
        {"LEAST - 1", "f.ini:7: overflow: -9223372036854775808 - 1 does not"},
        {"N * N * N", "f.ini:7: overflow: 160000000000000000 * 400000000 does not"},
        {"-LEAST", "f.ini:7: overflow: -(-9223372036854775808) does not"},
        {"log2(0)", "f.ini:7: log2(0), which needs"},
        {"log2(-1)", "f.ini:7: log2(-1), which needs"},
        {"floor_pow2(0)", "f.ini:7: floor_pow2(0), which needs"},
        {"ceil_div(-1, 2)", "f.ini:7: ceil_div(-1, 2), which needs"},
        {"ceil_div(1, 0)", "f.ini:7: ceil_div(1, 0), which needs"},
        {"ceil_div(1, -1)", "f.ini:7: ceil_div(1, -1), which needs"},
        {"1 && 1/0", "f.ini:7: division by zero"},
        {"0 || 1/0", "f.ini:7: division by zero"},
        {"0 ? 1 : 1/0", "f.ini:7: division by zero"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct expr *expr;
        struct error error = {0};
        int64_t value;
        assert_int_equal(expr_parse(&expr, cases[i].source, &scope, "f.ini", 7, &error), 0);
        assert_int_equal(expr_eval(expr, values, &value, &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        if (strncmp(error.text, cases[i].message, strlen(cases[i].message)) != 0)
            fail_msg("%s", error.text);
        expr_free(expr);
    }
}

static void assert_refused(const char *source, const char *message)
{
    struct expr *expr = (struct expr *)(uintptr_t)&scope; /* must become NULL */
    struct error error = {0};

    assert_int_equal(expr_parse(&expr, source, &scope, "f.ini", 7, &error), -1);
    assert_null(expr);
    assert_int_equal(error.code, ERROR_USAGE);
    assert_int_equal(strncmp(error.text, "f.ini:7: ", 9), 0);
    if (strncmp(error.text + 9, message, strlen(message)) != 0)
        fail_msg("%s", error.text);
}

/* Where a name of the scope is gone, its place is told, but a name that is there again is that. */
static void test_former(void **state)
{
    (void)state;
    static const char *const gone[] = {"OP", "BLOCK", NULL};
    static const struct expr_former former = {gone, "ask for A"};
    const struct expr_scope with = {names, COUNT_OF(names), &former};
    struct expr *expr;
    struct error error = {0};
    assert_int_equal(expr_parse(&expr, "1 + OP", &with, "f.ini", 7, &error), -1);
    assert_string_equal(error.text, "f.ini:7: 'OP' is gone: ask for A in '1 + OP'");
    assert_int_equal(expr_parse(&expr, "OPS", &with, "f.ini", 7, &error), -1);
    assert_non_null(strstr(error.text, "unknown name 'OPS'"));
    assert_int_equal(expr_parse(&expr, "BLOCK", &with, "f.ini", 7, &error), 0);
    expr_free(expr);
}

static void test_parse_errors(void **state)
{
    static const struct {
        const char *source, *message;
    } cases[] = {
        {"", "expected a value at the end in ''"},
        {"  ", "expected a value at the end"},
        {"1 +", "expected a value at the end in '1 +'"},
        {"1 2", "expected an operator, found '2' at character 3 in '1 2'"},
        {"(1", "expected ')' at the end"},
        {"1)", "expected an operator, found ')' at character 2"},
        {"()", "expected a value, found ')' at character 2"},
        {"1 = 2", "expected an operator, found '=' at character 3"},
        {"1 & 2", "expected an operator, found '&' at character 3"},
        {"1 << 2", "expected a value, found '<' at character 4"},
        {"!=3", "expected a value, found '=' at character 2"},
        {"* 3", "expected a value, found '*'"},
        {"+3", "expected a value, found '+'"},
        {"1.5", "expected an operator, found '.'"},
        {"1 ? 2", "expected ':' of a '?' at the end"},
        {"1 : 2", "expected an operator, found ':'"},
        {"1 ? : 2", "expected a value, found ':'"},
        {"0x10", "expected a decimal integer, found '0x10'"},
        {"400M", "expected a decimal integer, found '400M' at character 1"},
        {"9223372036854775808", "an integer too large for 64 bits"},
        {"99999999999999999999999", "an integer too large for 64 bits"},
        {"BLOK * 2", "unknown name 'BLOK' (did you mean 'BLOCK'?) in 'BLOK * 2'"},
        {"block", "unknown name 'block' (did you mean 'BLOCK'?)"},
        {"ITEM", "unknown name 'ITEM' (did you mean 'ITEMS'?)"},
        {"minblocks", "unknown name 'minblocks' (did you mean 'min_blocks'?)"},
        {"min", "unknown name 'min'"},
        {"BLOCK(1)", "unknown function 'BLOCK'"},
        {"log(8)", "unknown function 'log' (did you mean 'log2'?)"},
        {"CEILDIV(8, 1)", "unknown function 'CEILDIV' (did you mean 'ceil_div'?)"},
        {"min(1)", "expected ',' and another argument, found ')'"},
        {"min()", "expected a value, found ')'"},
        {"min(1,)", "expected a value, found ')'"},
        {"min(1,2", "expected ')' at the end"},
        {"log2(1,2)", "expected ')', found ','"},
        {"ceil_div(1)", "expected ',' and another argument"},
        {"ceil_div(1,2,3)", "expected ')', found ','"},
        {"1 \n+ 2", "expected an operator, found '\\x0a'"},
        {"\xc2\xb5", "expected a value, found"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_refused(cases[i].source, cases[i].message);
}

static void test_no_names(void **state)
{
    static const struct expr_scope empty = {.count = 0};
    struct expr *expr;
    struct error error = {0};

    (void)state;
    assert_int_equal(expr_parse(&expr, "X", &empty, "f", 3, &error), -1);
    assert_string_equal(error.text, "f:3: unknown name 'X' in 'X'");
    assert_int_equal(expr_parse(&expr, "2*3", &empty, "f", 3, &error), 0);
    int64_t value;
    assert_int_equal(expr_eval(expr, NULL, &value, &error), 0);
    assert_int_equal(value, 6);
    expr_free(expr);
    expr_free(NULL);
}

/* `count` times `piece`, then `tail`. */
static char *repeat(const char *piece, size_t count, const char *tail)
{
    size_t length = strlen(piece);
    char *out = malloc(length * count + strlen(tail) + 1);

    assert_non_null(out);
    for (size_t i = 0; i < count; i++)
        memcpy(out + i * length, piece, length);
    strcpy(out + length * count, tail);
    return out;
}

static void test_deep_nesting_is_refused(void **state)
{
    static const char *const pieces[] = {
        "(",     "-",   "!",    "1?",  "1?1:", "min(1,", "1||1&&1==1<1+1*(",
        "log2(", "1+(", "0||(", "1?(",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        char *source = repeat(pieces[i], 10000, "1");
        assert_refused(source, "nested too deeply");
        free(source);
    }
    char *open = repeat("(", 10000, "1"), *both = repeat(")", 10000, "");
    char *whole = malloc(strlen(open) + strlen(both) + 1);
    assert_non_null(whole);
    strcat(strcpy(whole, open), both);
    assert_refused(whole, "nested too deeply");
    free(open);
    free(both);
    free(whole);
}

static void assert_long(const char *head, const char *piece, size_t count, const char *tail,
                        int64_t expected)
{
    char *body = repeat(piece, count, tail);
    char *source = malloc(strlen(head) + strlen(body) + 1);

    assert_non_null(source);
    strcat(strcpy(source, head), body);
    assert_value(source, expected);
    free(source);
    free(body);
}

/* As deep as is allowed, each level keeping as many values waiting as it can. */
static void test_nesting_that_fits(void **state)
{
    char *closing = repeat(")", 30, "");
    char source[200] = "";

    (void)state;
    memset(source, '(', 90);
    strcpy(source + 90, "5");
    memset(source + 91, ')', 90);
    assert_value(source, 5);
    char tail[64] = "1";
    strcat(tail, closing);
    assert_long("", "0||1&&1==1<1+1*(", 30, tail, 1);
    strcpy(tail, "1");
    strcat(tail, closing);
    assert_long("", "1+min(7,", 30, tail, 8);
    free(closing);
}

static void test_long_chains(void **state)
{
    (void)state;
    assert_long("1", "+1", 100000, "", 100001);
    assert_long("1", "&&1", 100000, "", 1);
    assert_long("0", "||0", 100000, "", 0);
    assert_long("max(0", ",1", 100000, ")", 1);
    assert_long("1", "-1*1", 100000, "", -99999);
}

static void test_uses(void **state)
{
    struct expr *expr;
    struct error error = {0};

    (void)state;
    assert_int_equal(expr_parse(&expr, "1 || ITEMS > 3 ? N : 4", &scope, "f", 1, &error), 0);
    for (size_t slot = 0; slot < COUNT_OF(names); slot++)
        assert_int_equal(expr_uses(expr, slot), slot == 1 || slot == 2);
    assert_false(expr_uses(expr, 4)); /* the constant 4 is no slot */
    expr_free(expr);
}

/* The expression outlives the strings it was made from. */
static void test_owns_its_strings(void **state)
{
    char *source = strdup("1 / ONE - 1 / (ONE - 1)"), *file = strdup("gone.ini");
    struct expr *expr;
    struct error error = {0};
    int64_t value;

    (void)state;
    assert_int_equal(expr_parse(&expr, source, &scope, file, 12, &error), 0);
    free(source);
    free(file);
    assert_int_equal(expr_eval(expr, values, &value, &error), -1);
    assert_string_equal(error.text, "gone.ini:12: division by zero (1 / 0) in "
                                    "'1 / ONE - 1 / (ONE - 1)'");
    expr_free(expr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_lazy),
        cmocka_unit_test(test_eval_errors),
        cmocka_unit_test(test_former),
        cmocka_unit_test(test_parse_errors),
        cmocka_unit_test(test_no_names),
        cmocka_unit_test(test_deep_nesting_is_refused),
        cmocka_unit_test(test_nesting_that_fits),
        cmocka_unit_test(test_long_chains),
        cmocka_unit_test(test_uses),
        cmocka_unit_test(test_owns_its_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
