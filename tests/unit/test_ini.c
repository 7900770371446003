/* Tests of generator/ini.c. */
#include "generator/ini.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above before it */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void load(struct ini *ini, const char *text)
{
    struct error error = {0};

    if (ini_load(ini, "f.ini", text, strlen(text), &error))
        fail_msg("%s", error.text);
}

static void assert_item(const struct ini_item *item, const char *section, const char *key,
                        const char *value, int line)
{
    assert_string_equal(item->section, section);
    assert_string_equal(item->key, key);
    assert_string_equal(item->value, value);
    assert_int_equal(item->line, line);
}

static void test_reads_exactly(void **state)
{
    struct ini ini;

    (void)state;
    load(&ini, "; comment : = ;x\n#another\n\n  \t\n[param BLOCK]\n"
               "meaning = threads per block\n"
               "values=64 128\t \n[rule] \n; between\na vector load, by 100 % = A % B == 0\n"
               "empty =\nempty blanks =  \nq;r = a:b;c = d # no comment\n"
               "k=;x\n[\xc2\xb5]\na\xc3\xbf=\xc3\xa0z\n; \xff\n");
    assert_string_equal(ini.file, "f.ini");
    assert_int_equal(ini.count, 8);
    assert_item(&ini.items[0], "param BLOCK", "meaning", "threads per block", 6);
    assert_item(&ini.items[1], "param BLOCK", "values", "64 128", 7);
    assert_item(&ini.items[2], "rule", "a vector load, by 100 %", "A % B == 0", 10);
    assert_item(&ini.items[3], "rule", "empty", "", 11);
    assert_item(&ini.items[4], "rule", "empty blanks", "", 12);
    assert_item(&ini.items[5], "rule", "q;r", "a:b;c = d # no comment", 13);
    assert_item(&ini.items[6], "rule", "k", ";x", 14);
    assert_item(&ini.items[7], "\xc2\xb5", "a\xc3\xbf", "\xc3\xa0z", 16);
    assert_int_equal(ini.items[1].section_line, 5);
    assert_int_equal(ini.items[2].section_line, 8);
    ini_dispose(&ini);
    ini_dispose(&ini);
}

/* A value of several lines; its line is its first. */
static void test_more(void **state)
{
    struct ini ini;

    (void)state;
    load(&ini, "[a]\nb = 1\n+ = 2 3\n; between\n\n+= 4\nc =\n+ = 5\n[d]\n+e = 6\n");
    assert_int_equal(ini.count, 3);
    assert_item(&ini.items[0], "a", "b", "1 2 3 4", 2);
    assert_item(&ini.items[1], "a", "c", " 5", 7);
    assert_item(&ini.items[2], "d", "+e", "6", 10);
    assert_string_equal(ini.items[2].file, "f.ini");
    ini_dispose(&ini);
}

static void test_find(void **state)
{
    struct ini ini;

    (void)state;
    load(&ini, "[z]\nb = 1\na = 2\n[a]\nb = 3\n[m]\nc = 4\n");
    assert_item(ini_find(&ini, "z", "b"), "z", "b", "1", 2);
    assert_item(ini_find(&ini, "z", "a"), "z", "a", "2", 3);
    assert_item(ini_find(&ini, "a", "b"), "a", "b", "3", 5);
    assert_item(ini_find(&ini, "m", "c"), "m", "c", "4", 7);
    assert_null(ini_find(&ini, "a", "a"));
    assert_null(ini_find(&ini, "", "b"));
    assert_null(ini_find(&ini, "zz", "b"));
    ini_dispose(&ini);
}

static void test_nothing_in_it(void **state)
{
    static const char *const texts[] = {"", "\n", "# x\n", " \t\n\n;\n"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct ini ini;
        load(&ini, texts[i]);
        assert_int_equal(ini.count, 0);
        assert_null(ini_find(&ini, "a", "b"));
        ini_dispose(&ini);
    }
    struct ini ini;
    struct error error = {0};
    assert_int_equal(ini_load(&ini, "f.ini", NULL, 0, &error), 0);
    ini_dispose(&ini);
}

static void assert_refused(const char *bytes, size_t length, const char *start)
{
    struct ini ini;
    struct error error = {0};

    assert_int_equal(ini_load(&ini, "f.ini", bytes, length, &error), -1);
    assert_int_equal(error.code, ERROR_USAGE);
    if (strncmp(error.text, start, strlen(start)) != 0)
        fail_msg("'%s' does not start with '%s'", error.text, start);
    assert_null(ini.items);
    assert_int_equal(ini.count, 0);
}

static void test_refuses(void **state)
{
    static const struct {
        const char *text, *start;
    } cases[] = {
        {"[a]\nx = 1\r\n", "f.ini:2: a carriage return"},
        {"[a]\nx = \x01\n", "f.ini:2: a control character"},
        {"# \x1b[31m\n", "f.ini:1: a control character"},
        {"[a]\nx = \x7f\n", "f.ini:2: a control character"},
        {"[a]\nx = 1\v\n", "f.ini:2: a control character"},
        {"[a]\nx = 1", "f.ini:2: the last line has no line end"},
        {"[a]\nx = 1\n;", "f.ini:3: the last line has no line end"},
        {"[a]\nx = 1\n y = 2\n", "f.ini:3: an indented line"},
        {"[a]\nx = 1\n\ty\n", "f.ini:3: an indented line"},
        {"[a]\nx = 1\n [b]\ny = 1\n", "f.ini:3: an indented line"},
        {"[a]\nx = 1\nvalue\n", "f.ini:3: neither a comment, [section] nor key"},
        {"[a]\nx : 1\n", "f.ini:2: neither a comment, [section] nor key"},
        {"[a]\nx : 1 = 2\n", "f.ini:2: ':' before '='"},
        {"[a]\na:b=2\n", "f.ini:2: ':' before '='"},
        {"[a]\nx = 1 ;2\n", "f.ini:2: a blank before ';'"},
        {"[a]\nx = 1\t;2\n", "f.ini:2: a blank before ';'"},
        {"[a]\nx = ;2\n", "f.ini:2: a blank before ';'"},
        {"[a]\nx ;y = 2\n", "f.ini:2: a blank before ';'"},
        {"[a]\n= 1\n", "f.ini:2: '=' without a key"},
        {"[a]\n=\n", "f.ini:2: '=' without a key"},
        {"x = 1\n[a]\ny = 1\n", "f.ini:1: a key before the first [section]"},
        {"[a]\n+ = 1\n", "f.ini:2: '+' continues the value above it, and there is none"},
        {"+ = 1\n", "f.ini:1: '+' continues the value above it, and there is none"},
        {"[a]\nx = 1\n[b]\n+ = 1\n", "f.ini:4: '+' continues the value above it"},
        {"[a\nx = 1\n", "f.ini:1: a section header without ']'"},
        {"[a] b\nx = 1\n", "f.ini:1: text after the ']'"},
        {"[a]]\nx = 1\n", "f.ini:1: text after the ']'"},
        {"[a]b]\nx = 1\n", "f.ini:1: text after the ']'"},
        {"[]\nx = 1\n", "f.ini:1: a section without a name"},
        {"[ a]\nx = 1\n", "f.ini:1: a blank at the start or end"},
        {"[a\t]\nx = 1\n", "f.ini:1: a blank at the start or end"},
        {"[ ]\nx = 1\n", "f.ini:1: a blank at the start or end"},
        {"[a ;b]\nx = 1\n", "f.ini:1: a blank before ';'"},
        {"[a]\n\n[b]\nx = 1\n", "f.ini:1: a section without keys"},
        {"[b]\nx = 1\n[a]\n#\n", "f.ini:3: a section without keys"},
        {"[a]\nx = 1\ny = 2\n\nx = 3\n", "f.ini:5: key 'x' appears again, after line 2"},
        {"[a]\nx = 1\nx = 1\nx = 1\n", "f.ini:3: key 'x' appears again, after line 2"},
        {"[a]\nx = 1\n[b]\nx = 1\n\n[a]\ny = 3\n",
         "f.ini:6: section [a] appears again, after line 1"},
        {"[a]\nm = 1\n[b]\nx = 1\n[a]\nb = 3\nm = 1\n",
         "f.ini:5: section [a] appears again, after line 1"},
        {"\xef\xbb\xbf[a]\nx = 1\n", "f.ini:1: a byte-order mark"},
        {"[a]\n; \xff\nx = b\xff\n", "f.ini:3: bytes that are not UTF-8"},
        {"[a]\nx = \xe2\x82\n", "f.ini:2: bytes that are not UTF-8"},
        {"[\xc3]\nx = 1\n", "f.ini:1: bytes that are not UTF-8"},
        {"\xef\xbb\xbf# x\n", "f.ini:1: a byte-order mark"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_refused(cases[i].text, strlen(cases[i].text), cases[i].start);
    assert_refused("[a]\nx = 1\0\n", 11, "f.ini:2: a NUL byte");
    assert_refused("[a]\nx = 1\n\0", 11, "f.ini:3: a NUL byte");
}

/* A line of `length` bytes: x = 111... */
static size_t long_line(char *out, size_t length)
{
    size_t head = (size_t)sprintf(out, "[a]\nx = ");

    memset(out + head, '1', length - 4);
    strcpy(out + head + length - 4, "\ny = 2\n");
    return strlen(out);
}

static void test_line_length(void **state)
{
    char text[400];
    struct ini ini;

    (void)state;
    for (size_t length = INI_LINE_MAX - 2; length <= INI_LINE_MAX; length++) {
        long_line(text, length);
        load(&ini, text);
        assert_int_equal(ini.count, 2);
        assert_int_equal(strlen(ini.items[0].value), length - 4);
        assert_item(&ini.items[1], "a", "y", "2", 3);
        ini_dispose(&ini);
    }
    assert_refused(text, long_line(text, INI_LINE_MAX + 1), "f.ini:2: a line of more than 199");
    memset(text, '#', 300);
    strcpy(text + 300, "\n");
    assert_refused(text, 301, "f.ini:1: a line of more than 199");
}

static void test_section_length(void **state)
{
    char text[100] = "[";
    struct ini ini;

    (void)state;
    memset(text + 1, 's', INI_SECTION_MAX);
    strcpy(text + 1 + INI_SECTION_MAX, "]\nx = 1\n");
    load(&ini, text);
    assert_int_equal(strlen(ini.items[0].section), INI_SECTION_MAX);
    ini_dispose(&ini);
    strcpy(text + 1 + INI_SECTION_MAX, "s]\nx = 1\n");
    assert_refused(text, strlen(text), "f.ini:1: a section name of more than 49");
}

static void test_file_size(void **state)
{
    size_t length = INI_FILE_MAX + 1;
    char *text = malloc(length);
    struct ini ini;
    struct error error = {0};

    (void)state;
    assert_non_null(text);
    memset(text, '\n', length);
    assert_int_equal(ini_load(&ini, "f.ini", text, length - 1, &error), 0);
    ini_dispose(&ini);
    assert_refused(text, length, "f.ini: 16777217 bytes");
    free(text);
}

/* Many items: the strings fill their room to the last byte and the index stays quick. */
static void test_many_items(void **state)
{
    enum { COUNT = 20000 };
    char *text = malloc(COUNT * 16), *at = text;
    struct ini ini;

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < COUNT; i++) {
        if (i % 100 == 0)
            at += sprintf(at, "[%x]\n", i / 100);
        at += sprintf(at, "%x=\n", i * 7 % 100);
    }
    load(&ini, text);
    assert_int_equal(ini.count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        char section[16], key[16];
        sprintf(section, "%x", i / 100);
        sprintf(key, "%x", i * 7 % 100);
        assert_ptr_equal(ini_find(&ini, section, key), &ini.items[i]);
    }
    ini_dispose(&ini);
    free(text);
}

/* Each cut of a good file is refused or read as far as it goes; nothing is half a value. */
static void test_every_cut(void **state)
{
    static const char text[] = "[a]\nx = 12\n; c\n[b]\nlonger key = some value\n";
    struct ini ini;
    struct error error = {0};

    (void)state;
    for (size_t length = 0; length < sizeof text; length++) {
        if (ini_load(&ini, "f.ini", text, length, &error))
            continue;
        for (size_t i = 0; i < ini.count; i++)
            assert_true(strcmp(ini.items[i].value, "12") == 0 ||
                        strcmp(ini.items[i].value, "some value") == 0);
        assert_true(length == 0 || length == 11 || length == 15 || length == sizeof text - 1);
        ini_dispose(&ini);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_exactly),  cmocka_unit_test(test_more),
        cmocka_unit_test(test_find),           cmocka_unit_test(test_nothing_in_it),
        cmocka_unit_test(test_refuses),        cmocka_unit_test(test_line_length),
        cmocka_unit_test(test_section_length), cmocka_unit_test(test_file_size),
        cmocka_unit_test(test_many_items),     cmocka_unit_test(test_every_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
