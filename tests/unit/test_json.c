/* Tests of generator/json.c: commas, nesting, lines of their own, and what has no value. */
#include "generator/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_items(void **state)
{
    struct text text = {0};
    struct json json = {.out = &text};
    (void)state;
    json_open(&json, NULL, '{');
    json_string(&json, "name", "a \"quoted\"\n");
    json_string(&json, "none", NULL);
    json_count(&json, "most", UINT64_MAX);
    json_signed(&json, "least", INT64_MIN);
    json_real(&json, "part", 0.25, 1);
    json_number(&json, "as", "1e9");
    json_number(&json, "unknown", NULL);
    json_bool(&json, "is", true);
    json_close(&json, '}');
    assert_string_equal(text.at, "{\"name\": \"a \\\"quoted\\\"\\n\", \"none\": null, "
                                 "\"most\": 18446744073709551615, "
                                 "\"least\": -9223372036854775808, \"part\": 0.2, "
                                 "\"as\": 1e9, \"unknown\": null, \"is\": true}");
    text_dispose(&text);
}

static void test_nesting(void **state)
{
    struct text text = {0};
    struct json json = {.out = &text};
    (void)state;
    json_open(&json, NULL, '[');
    for (uint64_t i = 0; i < 2; i++) {
        json_line(&json, "\n ");
        json_open(&json, NULL, '{');
        json_open(&json, "empty", '[');
        json_close(&json, ']');
        json_open(&json, "numbers", '[');
        json_count(&json, NULL, i);
        json_count(&json, NULL, i + 1);
        json_close(&json, ']');
        json_line(&json, "\n  ");
        json_count(&json, "last", i);
        json_close(&json, '}');
    }
    json_line(&json, "\n");
    json_close(&json, ']');
    assert_string_equal(text.at, "[\n {\"empty\": [], \"numbers\": [0, 1],\n  \"last\": 0},"
                                 "\n {\"empty\": [], \"numbers\": [1, 2],\n  \"last\": 1}\n]");
    text_dispose(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
