/* Tests of generator/number.c. */
#include "generator/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the three above before it */
#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void test_count(void **state)
{
    /* clang-format off */
    static const struct {
        const char *string;
        uint64_t value;
    } cases[] = {
        {"0", 0}, {"007", 7}, {"1", 1}, {"400M", 400000000}, {"400Mi", 400ull << 20},
        {"1K", 1000}, {"1Ki", 1024}, {"3G", 3000000000}, {"3Gi", 3ull << 30},
        {"2T", 2000000000000}, {"2Ti", 2ull << 40}, {"0T", 0},
        {"18446744073709551615", UINT64_MAX}, {"16777215Ti", 16777215ull << 40},
        {"00000000000000000000000000000000001K", 1000}, {"1e6", 1000000}, {"4e8", 400000000},
        {"0e99", 0}, {"7e0", 7},
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t value = 99;
        struct error error = {0};
        assert_int_equal(number_parse_count(&value, cases[i].string, "--n", &error), 0);
        assert_int_equal(value, cases[i].value);
    }
}

/* What is meant is named, with the form that is read. */
static void test_count_names_the_form(void **state)
{
    static const char *const cases[][2] = {
        {"400m", "if 400000000 is meant write 400M"},
        {"1k", "if 1000 is meant write 1K"},
        {"1KI", "if 1024 is meant write 1Ki"},
        {"4KiB", "if 4096 is meant write 4Ki"},
        {"400MB", "if 400000000 is meant write 400M"},
        {"1_000_000", "if 1000000 is meant write 1M"},
        {"1,000", "if 1000 is meant write 1K"},
        {"1.5M", "if 1500000 is meant write 1500K"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t value;
        struct error error = {0};
        assert_int_equal(number_parse_count(&value, cases[i][0], "--n", &error), -1);
        if (!strstr(error.text, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], error.text);
    }
}

static void test_count_refuses(void **state)
{
    static const char *const malformed[] = {
        "",         " ",  "-1",   "+1", " 1",   "1 ",  "1kib1", "K",   "Ki",       "1Kii",
        "1.23456K", "1e", "1e6K", "e6", "0x10", "4M4", "1\n",   "--1", "\xd9\xa1",
    };
    static const char *const large[] = {
        "18446744073709551616",
        "99999999999999999999999999999999",
        "16777216Ti",
        "18446745T",
        "2e19",
        "1e99999999999999999999",
        "18014398509481984Ki",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(malformed) + COUNT_OF(large); i++) {
        bool is_large = i >= COUNT_OF(malformed);
        const char *string = is_large ? large[i - COUNT_OF(malformed)] : malformed[i];
        uint64_t value;
        struct error error = {0};
        assert_int_equal(number_parse_count(&value, string, "--n", &error), -1);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_int_equal(strncmp(error.text, "--n is '", 8), 0);
        assert_non_null(strstr(error.text, is_large ? "does not fit" : "such as 400M"));
    }
}

static void test_range(void **state)
{
    static const struct {
        const char *string;
        int status;
        uint64_t low, high;
        bool is_open; /* an end is missing */
    } cases[] = {
        {"1K..4G", 0, 1000, 4000000000, false},
        {"7", 0, 7, 7, false},
        {"7..7", 0, 7, 7, false},
        {"0..1Ki", 0, 0, 1024, false},
        {"8..7", -1, 0, 0, false},
        {"..7", -1, 0, 0, true},
        {"7..", -1, 0, 0, true},
        {"..", -1, 0, 0, true},
        {"1...7", -1, 0, 0, false},
        {"1..2..3", -1, 0, 0, false},
        {"1 .. 2", -1, 0, 0, false},
        {"1.2", -1, 0, 0, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t low, high;
        struct error error = {0};
        int status = number_parse_range(&low, &high, cases[i].string, "--n", &error);
        assert_int_equal(status, cases[i].status);
        assert_int_equal(error.code, status ? ERROR_USAGE : ERROR_NONE);
        if (cases[i].is_open)
            assert_non_null(strstr(error.text, "a range without one of its ends"));
        if (status == 0) {
            assert_int_equal(low, cases[i].low);
            assert_int_equal(high, cases[i].high);
        }
    }
}

static void test_int(void **state)
{
    /* clang-format off */
    static const struct {
        const char *string;
        int status;
        int64_t value;
    } cases[] = {
        {"0", 0, 0}, {"-0", 0, 0}, {"-1", 0, -1}, {"42", 0, 42},
        {"9223372036854775807", 0, INT64_MAX}, {"-9223372036854775808", 0, INT64_MIN},
        {"9223372036854775808", -1, 0}, {"-9223372036854775809", -1, 0},
        {"18446744073709551616", -1, 0}, {"-18446744073709551616", -1, 0},
        {"", -1, 0}, {"-", -1, 0}, {"--1", -1, 0}, {"+1", -1, 0}, {"1 ", -1, 0}, {" 1", -1, 0},
        {"1K", -1, 0}, {"0x1", -1, 0}, {"1.0", -1, 0},
    };
    /* clang-format on */

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t value = 99;
        struct error error = {0};
        int status = number_parse_int(&value, cases[i].string, "sms", &error);
        assert_int_equal(status, cases[i].status);
        assert_int_equal(error.code, cases[i].status ? ERROR_USAGE : ERROR_NONE);
        if (cases[i].status == 0)
            assert_int_equal(value, cases[i].value);
    }
}

static void test_format_count(void **state)
{
    /* clang-format off */
    static const struct {
        uint64_t value;
        const char *string;
    } cases[] = {
        {0, "0"}, {1, "1"}, {999, "999"}, {1000, "1K"}, {1024, "1Ki"}, {100003, "100003"},
        {400000000, "400M"}, {65536, "64Ki"}, {1ull << 31, "2Gi"}, {64000, "64K"},
        {UINT64_MAX, "18446744073709551615"}, {10112000, "10112K"}, {1ull << 63, "8388608Ti"},
        {4000000000, "4G"}, {5000000000000, "5T"}, {1500, "1500"}, {123456000, "123456K"},
    };
    /* clang-format on */
    char form[NUMBER_CHARS];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(number_format_count(form, cases[i].value), cases[i].string);
}

static void test_format_count_reads_back(void **state)
{
    uint64_t value = 1;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        char form[NUMBER_CHARS];
        uint64_t back;
        struct error error = {0};
        uint64_t rounded = i % 3 == 0   ? value
                           : i % 3 == 1 ? value & ~0xfffffull
                                        : value / 1000 * 1000;
        number_format_count(form, rounded);
        assert_int_equal(number_parse_count(&back, form, "it", &error), 0);
        assert_int_equal(back, rounded);
        value = value * 6364136223846793005ull + 1442695040888963407ull;
    }
}

static void test_format_fixed(void **state)
{
    /* clang-format off */
    static const struct {
        uint64_t value;
        int digits;
        const char *string;
    } cases[] = {
        {343370, 3, "343.370"}, {0, 3, "0.000"}, {5, 3, "0.005"}, {999, 3, "0.999"},
        {1000, 3, "1.000"}, {42, 0, "42"}, {42, -1, "42"}, {0, 0, "0"},
        {UINT64_MAX, 1, "1844674407370955161.5"}, {UINT64_MAX, 20, "0.18446744073709551615"},
        {7, 29, "0.00000000000000000000000000007"},
        {7, 1000, "0.00000000000000000000000000007"},
    };
    /* clang-format on */
    char form[NUMBER_CHARS];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(number_format_fixed(form, cases[i].value, cases[i].digits),
                            cases[i].string);
}

static void test_parse_fixed(void **state)
{
    static const struct {
        const char *string;
        int digits;
        uint64_t value;
    } cases[] = {
        {"1", 3, 1000},
        {"0.5", 3, 500},
        {"0", 3, 0},
        {"12.345", 3, 12345},
        {"1.20", 2, 120},
        {"7", 0, 7},
        {"1844674407370955161.5", 1, UINT64_MAX},
        {"00.05", 2, 5},
    };
    /* clang-format off */
    static const struct {
        const char *string;
        int digits;
    } refused[] = {
        {"", 3}, {".5", 3}, {"5.", 3}, {"1.2345", 3}, {"1.5", 0}, {"-1", 3}, {"+1", 3}, {"1%", 3},
        {"1 ", 3}, {" 1", 3}, {"1.2.3", 3}, {"1,5", 3}, {"1e1", 3}, {"1K", 3}, {"0x1", 3},
        {"1844674407370955161.6", 1}, {"18446744073709551616", 0}, {"99999999999999999999.9", 1},
    };
    /* clang-format on */
    struct error error;
    uint64_t value;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(number_parse_fixed(&value, cases[i].string, cases[i].digits, "it",
                                            &error),
                         0);
        assert_int_equal(value, cases[i].value);
    }
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        if (number_parse_fixed(&value, refused[i].string, refused[i].digits, "it", &error) == 0)
            fail_msg("accepted: %s", refused[i].string);
        assert_int_equal(error.code, ERROR_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_count_names_the_form),
        cmocka_unit_test(test_count_refuses),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_int),
        cmocka_unit_test(test_format_count),
        cmocka_unit_test(test_format_count_reads_back),
        cmocka_unit_test(test_format_fixed),
        cmocka_unit_test(test_parse_fixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
