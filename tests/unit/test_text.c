/* Tests of generator/text.c, generator/command.c and generator/error.c. */
#include "generator/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above before it */
#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_error_is_cut_and_may_quote_itself(void **state)
{
    struct error error = {0};
    char longer[3000];

    (void)state;
    assert_int_equal(error_set(&error, ERROR_IO, "inner %d", 7), -1);
    assert_int_equal(error_set(&error, ERROR_USAGE, "outer: %s", error.text), -1);
    assert_string_equal(error.text, "outer: inner 7");
    assert_int_equal(error.code, ERROR_USAGE);
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    error_set(&error, ERROR_FAILED, "%s", longer);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_int_equal(error_memory(&error, 12345), -1);
    assert_non_null(strstr(error.text, "12345 bytes"));
    assert_int_equal(error.code, ERROR_FAILED);
}

/* What is quoted from outside steers no terminal; a compiler's lines stay lines. */
static void test_errors_show_control_characters(void **state)
{
    static const struct {
        const char *quoted, *line, *lines;
    } rows[] = {
        {"a\nb\tc", "'a\\x0ab\\x09c'", "'a\nb\tc'"},
        {"\033[31mred\x7f", "'\\x1b[31mred\\x7f'", "'\\x1b[31mred\\x7f'"},
        {"\xc2\x9b"
         "31m",
         "'\\xc2\\x9b31m'", "'\\xc2\\x9b31m'"},          /* C1 */
        {"\xff\xc3(", "'\\xff\\xc3('", "'\\xff\\xc3('"}, /* no UTF-8 */
        {"gr\xc3\xbc\xc3\x9f", "'gr\xc3\xbc\xc3\x9f'", "'gr\xc3\xbc\xc3\x9f'"},
    };
    struct error error;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        error_set(&error, ERROR_IO, "'%s'", rows[i].quoted);
        assert_string_equal(error.text, rows[i].line);
        error_set(&error, ERROR_IO, "%s", error.text); /* again: nothing is escaped twice */
        assert_string_equal(error.text, rows[i].line);
        error_set_lines(&error, ERROR_IO, "'%s'", rows[i].quoted);
        assert_string_equal(error.text, rows[i].lines);
    }
    /* Cut, but within no escape. */
    char longest[sizeof error.text];
    memset(longest, 1, sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    error_set(&error, ERROR_IO, ".%s", longest);
    assert_int_equal(strlen(error.text), 1 + (sizeof error.text - 2) / 4 * 4);
}

static void test_add_grows(void **state)
{
    struct text text = {0};
    struct error error = {0};

    (void)state;
    text_adds(&text, "");
    assert_string_equal(text.at, "");
    for (int i = 0; i < 10000; i++)
        text_addf(&text, "%d,", i % 10);
    text_add(&text, "a\0b", 3);
    assert_int_equal(text.length, 20003);
    assert_memory_equal(text.at + 19998, "9,a\0b", 6);
    for (size_t i = 0; i < 10000; i++)
        assert_int_equal(text.at[2 * i], '0' + (int)(i % 10));
    assert_int_equal(text_check(&text, &error), 0);
    text_clear(&text);
    assert_string_equal(text.at, "");
    assert_int_equal(text.length, 0);
    text_dispose(&text);
    assert_null(text.at);
    text_clear(&text);
    text_dispose(&text);
}

/* Every length around the first capacity, by both ways of adding. */
static void test_add_at_every_boundary(void **state)
{
    (void)state;
    for (size_t length = 250; length < 262; length++) {
        for (int formatted = 0; formatted < 2; formatted++) {
            struct text text = {0};
            char *string = malloc(length + 1);
            memset(string, 'y', length);
            string[length] = '\0';
            if (formatted)
                text_addf(&text, "%s", string);
            else
                text_adds(&text, string);
            assert_string_equal(text.at, string);
            assert_true(text.capacity > text.length);
            free(string);
            text_dispose(&text);
        }
    }
}

static void test_failure_is_sticky(void **state)
{
    struct text text = {0};
    struct error error = {0};

    (void)state;
    text_adds(&text, "kept");
    text_add(&text, "x", SIZE_MAX - 2);
    assert_true(text.failed);
    text_adds(&text, "more");
    text_addf(&text, "%d", 1);
    assert_string_equal(text.at, "kept");
    assert_int_equal(text_check(&text, &error), -1);
    assert_int_equal(error.code, ERROR_FAILED);
    assert_non_null(strstr(error.text, "out of memory"));
    text_dispose(&text);
    assert_false(text.failed);
}

/* Needs a locale with a decimal comma to show anything; skipped where none is installed. */
static void test_addf_ignores_locale(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    const char *found = NULL;
    struct text text = {0};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; i++)
        found = setlocale(LC_ALL, names[i]);
    if (!found)
        skip();
    text_addf(&text, "%.2f %d", 1.5, 1000000);
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_ALL, "C");
    assert_string_equal(text.at, "1.50 1000000");
    text_dispose(&text);
}

static void assert_json(const char *string, const char *expected)
{
    struct text text = {0};

    text_add_json(&text, string);
    assert_string_equal(text.at, expected);
    text_dispose(&text);
}

static void test_json(void **state)
{
    (void)state;
    assert_json("", "\"\"");
    assert_json("a \"b\" \\ /", "\"a \\\"b\\\" \\\\ /\"");
    assert_json("\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"");
    assert_json("\xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80",
                "\"\xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80\"");
}

/* `json` is the same text and a quote. For a terminal each such byte is one '?'. */
static void assert_utf8(const char *string, const char *json, int marks, const char *rest)
{
    struct text text = {0}, visible = {0};
    text_add_utf8(&text, string);
    assert_int_equal(text.length, strlen(json) - 1);
    assert_memory_equal(text.at, json, text.length);
    text_add_visible(&visible, string);
    assert_int_equal(strspn(visible.at, "?"), marks);
    assert_string_equal(visible.at + marks, rest);
    text_dispose(&text);
    text_dispose(&visible);
}

static void test_json_replaces_what_is_not_utf8(void **state)
{
    static const char mark[] = "\xef\xbf\xbd";
    static const struct {
        const char *string;
        int marks;
        const char *rest;
    } cases[] = {
        {"\xff", 1, ""},         {"\x80z", 1, "z"},
        {"\xc3", 1, ""},         {"\xc3(", 1, "("},
        {"\xe2\x82", 2, ""},     {"\xc0\xaf", 2, ""},         /* cut; overlong */
        {"\xed\xa0\x80", 3, ""}, {"\xf4\x90\x80\x80", 4, ""}, /* surrogate; past U+10FFFF */
        {"\xe0\x80\x80", 3, ""}, {"\xf0\x9f\x98", 3, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[64] = "\"";
        for (int k = 0; k < cases[i].marks; k++)
            strcat(expected, mark);
        strcat(strcat(expected, cases[i].rest), "\"");
        assert_json(cases[i].string, expected);
        assert_utf8(cases[i].string, expected + 1, cases[i].marks, cases[i].rest);
    }
}

static void test_next_item(void **state)
{
    const char *at = "a,bcdefgh,,i,";
    char item[5];
    (void)state;
    assert_int_equal(text_next_item(&at, item, sizeof item), 1);
    assert_string_equal(item, "a");
    assert_int_equal(text_next_item(&at, item, sizeof item), 7);
    assert_string_equal(item, "bcde");
    assert_int_equal(text_next_item(&at, item, sizeof item), 0);
    assert_string_equal(item, "");
    assert_int_equal(text_next_item(&at, item, sizeof item), 1);
    assert_string_equal(item, "i");
    assert_non_null(at);
    assert_int_equal(text_next_item(&at, item, sizeof item), 0);
    assert_string_equal(item, "");
    assert_null(at);
}

static void test_is_word(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        bool expected = c != 0 && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_",
                                         c) != NULL;
        assert_int_equal(text_is_word((char)c), expected);
    }
}

static void test_nearest(void **state)
{
    static const char *const names[] = {
        "BLOCK",
        "BLOCKS",
        "block_size",
        "GRID",
        "a_name_that_is_longer_than_what_is_compared_at_all_0123456789_abc",
    };
    static const struct {
        const char *word, *nearest;
    } cases[] = {
        {"BLOK", "BLOCK"}, {"BLOCXS", "BLOCKS"},         {"block", "BLOCK"},
        {"grid", "GRID"},  {"BLOCK_SIZE", "block_size"}, {"", "GRID"},
        {"XXXX", "GRID"},  {"BLOCKSS", "BLOCKS"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(text_nearest(cases[i].word, strlen(cases[i].word), names, 5),
                            cases[i].nearest);
    assert_string_equal(text_nearest("BLOCKS = 3", 5, names, 5), "BLOCK");
    assert_null(text_nearest("X", 1, names, 0));

    static const char *const gpus[] = {"RTX 3080", "RTX 6000 Ada", "RTX 5070 Ti", "RTX 5070"};
    static const char *const typed[][2] = {
        {"rtx6000", "RTX 6000 Ada"}, {"rtx-6000", "RTX 6000 Ada"}, {"ADA", "RTX 6000 Ada"},
        {"5070", "RTX 5070"},        {"5070ti", "RTX 5070 Ti"},    {"rtx3090", "RTX 3080"},
    };
    for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++) {
        char hint[TEXT_HINT_CHARS], expected[TEXT_HINT_CHARS];
        snprintf(expected, sizeof expected, "did you mean '%s'? ", typed[i][1]);
        assert_string_equal(text_hint(hint, typed[i][0], gpus, 4), expected);
    }
    assert_string_equal(text_hint((char[TEXT_HINT_CHARS]){0}, "quadro", gpus, 4), "");
    static const char *const ops[] = {"sum", "prod", "min", "max", "xor", "or", "i64", "show"};
    static const char *const meant[][2] = {
        {"summ", "sum"}, {"smu", "sum"}, {"shwo", "show"}, {"proud", "prod"}, {"mean", NULL},
        {"dot", NULL},   {"c64", NULL},  {"on", NULL},     {"x", NULL},       {"SUN", "sum"},
    };
    for (size_t i = 0; i < sizeof meant / sizeof meant[0]; i++) {
        const char *const similar = text_similar(meant[i][0], strlen(meant[i][0]), ops, 8);
        assert_true(meant[i][1] ? similar && strcmp(similar, meant[i][1]) == 0 : !similar);
    }
    assert_null(text_nearest("X", 1, names + 4, 1));
    assert_null(text_nearest(names[4], strlen(names[4]), names, 5));
}

static char folder[] = "/tmp/test_text_XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink("file");
    unlink("fifo");
    return chdir("/") || rmdir(folder);
}

static void write_file(const char *path, size_t length)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    for (size_t i = 0; i < length; i++)
        fputc((int)(i * 31 % 251), file);
    assert_int_equal(fclose(file), 0);
}

static void test_read(void **state)
{
    static const size_t lengths[] = {0, 1, 255, 256, 65535, 65536, 65537, 200000};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct text text = {0};
        struct error error = {0};
        write_file("file", lengths[i]);
        text_adds(&text, "before");
        assert_int_equal(text_read(&text, "file", lengths[i], &error), 0);
        assert_int_equal(text.length, 6 + lengths[i]);
        assert_memory_equal(text.at, "before", 6);
        for (size_t k = 0; k < lengths[i]; k++)
            assert_int_equal((unsigned char)text.at[6 + k], k * 31 % 251);
        text_dispose(&text);
    }
}

static void assert_read_fails(const char *path, size_t limit, const char *reason)
{
    struct text text = {0};
    struct error error = {0};

    text_adds(&text, "before");
    assert_int_equal(text_read(&text, path, limit, &error), -1);
    assert_int_equal(error.code, ERROR_IO);
    assert_non_null(strstr(error.text, path));
    assert_non_null(strstr(error.text, reason));
    assert_string_equal(text.at, "before");
    text_dispose(&text);
}

static void test_read_refuses(void **state)
{
    (void)state;
    write_file("file", 100);
    assert_read_fails("file", 99, "larger than the 99 bytes");
    assert_read_fails("missing", 99, "No such file");
    assert_read_fails(".", 99, "not a regular file");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_read_fails("fifo", 99, "not a regular file");
    assert_read_fails("/dev/zero", 99, "not a regular file");
    /* says 0 bytes, gives more */
    assert_read_fails("/proc/self/status", 10, "larger than the 10 bytes");
}

/* Words that are written are read again, by us and by a shell. */
static void test_command_words(void **state)
{
    static const struct {
        const char *word, *written;
    } cases[] = {
        {"configs/reduce.ini", "configs/reduce.ini"},
        {"", "''"},
        {"a b", "'a b'"},
        {"d'e", "'d'\\''e'"},
        {"$(x) `y` \"z\" \\", "'$(x) `y` \"z\" \\'"},
        {"two\nlines' \\", "$'two\\012lines\\' \\\\'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        command_add_option(&text, "--space", NULL);
        assert_null(text.at);
        command_add_option(&text, "--space", cases[i].word);
        assert_string_equal(text.at + strlen(" --space "), cases[i].written);
        char *line = text.at;
        assert_string_equal(command_next_word(&line), "--space");
        if (!strchr(cases[i].word, '\n'))
            assert_string_equal(command_next_word(&line), cases[i].word);
        text_dispose(&text);
    }
    char line[] = "  one \"t w'o\"\t th\\ ree 'a\\b'c '  open \n", *rest = line;
    static const char *const words[] = {"one", "t w'o", "th ree", "a\\bc", "  open \n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_string_equal(command_next_word(&rest), words[i]);
    assert_null(command_next_word(&rest));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_is_cut_and_may_quote_itself),
        cmocka_unit_test(test_errors_show_control_characters),
        cmocka_unit_test(test_add_grows),
        cmocka_unit_test(test_add_at_every_boundary),
        cmocka_unit_test(test_failure_is_sticky),
        cmocka_unit_test(test_addf_ignores_locale),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_replaces_what_is_not_utf8),
        cmocka_unit_test(test_next_item),
        cmocka_unit_test(test_is_word),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_read_refuses),
        cmocka_unit_test(test_command_words),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
