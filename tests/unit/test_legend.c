/* Tests of legend: which letters kernels get, which follow Z, and which params all kernels have
 * in common. */
#include "autotune/print/legend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check_words(const struct legend *legend, size_t place, bool is_shared,
                        const char *expected)
{
    struct text text = {0};
    legend_add_words(&text, legend, legend->kernels[place], is_shared);
    assert_string_equal(text.at ? text.at : "", expected);
    text_dispose(&text);
}

static void test_places(void **state)
{
    (void)state;
    const char *room[3];
    char name[NUMBER_CHARS];
    struct legend legend = {room, 0};
    char again[] = "A=1";
    assert_int_equal(legend_add(&legend, "A=1"), 0);
    assert_int_equal(legend_add(&legend, "A=12"), 1);
    assert_int_equal(legend_add(&legend, again), 0);
    assert_int_equal(legend.count, 2);
    assert_string_equal(legend_name(name, 0), "A");
    assert_string_equal(legend_name(name, 25), "Z");
    assert_string_equal(legend_name(name, 26), "27");
}

/* A=1 is no part of A=12; a kernel by its name shares nothing and hinders nothing. */
static void test_words(void **state)
{
    (void)state;
    const char *room[4];
    struct legend legend = {room, 0};
    legend_add(&legend, "A=1 B=2 C=3");
    check_words(&legend, 0, false, "A=1 B=2 C=3"); /* alone */
    check_words(&legend, 0, true, "");
    legend_add(&legend, "A=12 B=2 C=3");
    legend_add(&legend, "#6 8 elements a thread");
    check_words(&legend, 0, false, "A=1");
    check_words(&legend, 1, false, "A=12");
    check_words(&legend, 0, true, "B=2 C=3");
    check_words(&legend, 2, false, "#6 8 elements a thread");
    check_words(&legend, 2, true, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
