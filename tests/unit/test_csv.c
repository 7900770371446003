/* Tests of csv: columns by their titles, quotes, and what is no table. */
#include "autotune/print/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct csv load(const char *bytes)
{
    struct csv csv;
    struct error error;
    if (csv_load(&csv, "t.csv", bytes, strlen(bytes), &error))
        fail_msg("%s", error.text);
    return csv;
}

static void check_refused(const char *bytes, size_t length, const char *why)
{
    struct csv csv;
    struct error error;
    assert_int_equal(csv_load(&csv, "t.csv", bytes, length, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    if (!strstr(error.text, why))
        fail_msg("no '%s' in: %s", why, error.text);
}

static void test_columns(void **state)
{
    (void)state;
    struct csv csv =
        load("n,us,variant\r\n1024,1.334,\"A=1,B=2\"\r\n400,,\"say \"\"x\"\"\n!\"\n");
    double us = 0;
    assert_int_equal(csv.rows, 2);
    assert_int_equal(csv.columns, 3);
    assert_string_equal(csv_at(&csv, 0, csv_find(&csv, "variant")), "A=1,B=2");
    assert_string_equal(csv_at(&csv, 1, csv_find(&csv, "variant")), "say \"x\"\n!");
    assert_string_equal(csv_at(&csv, 1, csv_find(&csv, "n")), "400");
    assert_int_equal(csv_find(&csv, "N"), -1);
    assert_string_equal(csv_at(&csv, 0, -1), "");
    assert_true(csv_real(&us, &csv, 0, csv_find(&csv, "us")));
    assert_true(us > 1.33399 && us < 1.33401);
    assert_false(csv_real(&us, &csv, 1, csv_find(&csv, "us")));
    assert_false(csv_real(&us, &csv, 0, csv_find(&csv, "variant")));
    csv_dispose(&csv);
}

static void test_ends(void **state)
{
    (void)state;
    struct csv csv = load("a,b\n1,");
    assert_int_equal(csv.rows, 1);
    assert_string_equal(csv_at(&csv, 0, 1), "");
    csv_dispose(&csv);
    csv = load("a");
    assert_int_equal(csv.rows, 0);
    assert_int_equal(csv_find(&csv, "a"), 0);
    csv_dispose(&csv);
    csv = load("a\n\"\"");
    assert_int_equal(csv.rows, 1);
    assert_string_equal(csv_at(&csv, 0, 0), "");
    csv_dispose(&csv);
}

/* Within quotes they are text; outside them only tabs are. */
static void test_control_characters(void **state)
{
    (void)state;
    struct csv csv = load("a\tb\n\"\033[2J\ta\r\n\177\"\n");
    assert_int_equal(csv_find(&csv, "a\tb"), 0);
    assert_string_equal(csv_at(&csv, 0, 0), "\033[2J\ta\r\n\177");
    csv_dispose(&csv);
    check_refused("a\n\a\n", 4, "t.csv:2: there is a control character");
    check_refused("a\nx\v\n", 5, "t.csv:2: there is a control character");
}

static void test_refused(void **state)
{
    (void)state;
    check_refused("", 0, "t.csv:1: there are no titles");
    check_refused("a,b\n1,2\n3\n", 10, "t.csv:3: the line has not as many cells");
    check_refused("a\n\"x", 4, "t.csv:2: a quote is not closed");
    check_refused("a\n\"x\"y\n", 7, "t.csv:2: there is text behind");
    check_refused("a\n\033[2J\n", 7, "t.csv:2: there is a control character");
    check_refused("a\n\"\0\"\n", 6, "t.csv:2: a NUL byte");
    check_refused("a\n\0\n", 4, "t.csv:2: a NUL byte");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_control_characters),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
