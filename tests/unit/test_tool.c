/* Another program's output and how it ended. */
#include "autotune/device/tool.h"

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
        const char *script, *out, *all;
        int status;
    } rows[] = {
        {"echo a; echo b >&2; exit 3", "a\n", "a\nb\n", 3},
        {"cat; exit 0", "", "", 0}, /* there is nothing to read */
        {"echo a; kill -9 $$", "a\n", "a\n", -1},
        {"exit 127", "", "", TOOL_MISSING},
        {"i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done", NULL, NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int with_errors = 0; with_errors < 2; with_errors++) {
            const char *const command[] = {"sh", "-c", rows[i].script, NULL};
            const char *expected = with_errors ? rows[i].all : rows[i].out;
            struct text text = {0};
            assert_int_equal(tool_run(&text, command, with_errors), rows[i].status);
            if (expected)
                assert_string_equal(text.at ? text.at : "", expected);
            else
                assert_int_equal(text.length, 20000 * strlen("0123456789\n"));
            text_dispose(&text);
        }
}

static void test_missing(void **state)
{
    (void)state;
    const char *const command[] = {"/nonexistent/ncu", NULL};
    struct text text = {0};
    assert_int_equal(tool_run(&text, command, true), TOOL_MISSING);
    assert_int_equal(text.length, 0);
    text_dispose(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
