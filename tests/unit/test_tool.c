/* Another program's output, its errors apart from it, and how it ended. */
#include "autotune/analysis/tool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_endings(void **state)
{
    (void)state;
    static const struct {
        const char *script, *out, *errors;
        int status;
    } rows[] = {
        {"echo a; echo b >&2; echo c; exit 3", "a\nc\n", "b\n", 3},
        {"cat; exit 0", "", "", 0}, /* there is nothing to read */
        {"echo a; kill -9 $$", "a\n", "", -1},
        {"exit 127", "", "", TOOL_MISSING},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int with_errors = 0; with_errors < 2; with_errors++) {
            const char *const command[] = {"sh", "-c", rows[i].script, NULL};
            struct text out = {0}, errors = {0};
            assert_int_equal(tool_run(&out, with_errors ? &errors : NULL, command),
                             rows[i].status);
            assert_string_equal(out.at ? out.at : "", rows[i].out);
            assert_string_equal(errors.at ? errors.at : "", with_errors ? rows[i].errors : "");
            text_dispose(&out);
            text_dispose(&errors);
        }
}

/* More of both than a pipe holds: neither waits for the other. */
static void test_long(void **state)
{
    (void)state;
    const char *const command[] =
        {"sh", "-c",
         "i=0; while [ $i -lt 20000 ]; do echo 012345678; echo 9 >&2; i=$((i+1)); done", NULL};
    struct text out = {0}, errors = {0};
    assert_int_equal(tool_run(&out, &errors, command), 0);
    assert_int_equal(out.length, 20000 * strlen("012345678\n"));
    assert_int_equal(errors.length, 20000 * strlen("9\n"));
    text_dispose(&out);
    text_dispose(&errors);
}

static void test_missing(void **state)
{
    (void)state;
    const char *const command[] = {"/nonexistent/ncu", NULL};
    struct text text = {0};
    assert_int_equal(tool_run(&text, &text, command), TOOL_MISSING);
    assert_int_equal(text.length, 0);
    text_dispose(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
