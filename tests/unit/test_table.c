/* Tests of table: alignment, and CSV and JSON as Python's strict readers understand them. */
#include "autotune/print/sentence.h"
#include "autotune/print/table_fit.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct table_column columns[] = {
    {"GPU", "gpu", false},
    {"µs", "median_us", true},
    {"note", NULL, false},
    {"GB/s", "gbs", true},
};

static struct table empty_table(void)
{
    return (struct table){.columns = columns, .column_count = sizeof columns / sizeof *columns};
}

static struct table sample_table(void)
{
    struct table table = empty_table();
    table_add(&table, "NVIDIA H200");
    table_addf(&table, "%.2f", 343.375);
    table_add(&table, "best");
    table_add(&table, "4660");
    table_add(&table, "Größe µ€𝄞");
    table_add(&table, "nan");
    table_add(&table, NULL);
    table_add(&table, NULL);
    return table;
}

static void test_print(void **state)
{
    (void)state;
    struct table table = sample_table();
    struct text out = {0};
    table_print(&out, &table, false);
    assert_string_equal(out.at, "GPU              µs  note  GB/s\n"
                                "NVIDIA H200  343.38  best  4660\n"
                                "Größe µ€𝄞       nan\n");
    text_dispose(&out);
    table_dispose(&table);
}

/* One row is as bold as the titles, also where the table is made to fit. */
static void test_print_marked(void **state)
{
    (void)state;
    struct table table = sample_table();
    struct text out = {0};
    table.marked = 1;
    table_print(&out, &table, true);
    assert_non_null(strstr(out.at, "\n\033[1mNVIDIA H200  343.38  best  4660\033[0m\nGr"));
    text_clear(&out);
    table_print(&out, &table, false);
    assert_null(strchr(out.at, '\033'));
    text_clear(&out);
    table_add(&table, "a name that is too wide for a line of forty characters");
    table_fit(&out, &table, 40, true);
    assert_non_null(strstr(out.at, "\n\033[1mNVIDIA H200"));
    text_dispose(&out);
    table_dispose(&table);
}

static void test_print_titles(void **state)
{
    (void)state;
    struct table table = empty_table();
    struct text out = {0};
    text_adds(&out, "before\n");
    table_print(&out, &table, true);
    assert_string_equal(out.at, "before\n\033[1mGPU  µs  note  GB/s\033[0m\n");
    text_dispose(&out);
    table_dispose(&table);
}

/* A short last row, and cells that would steer the terminal. */
static void test_print_hostile(void **state)
{
    (void)state;
    struct table table = empty_table();
    struct text out = {0};
    table_add(&table, "a\n\033[2J\x7f");
    table_add(&table, "\xc2\x9b"
                      "1");
    table_add(&table, "");
    table_print(&out, &table, false);
    assert_string_equal(out.at, "GPU      µs  note  GB/s\n"
                                "a??[2J?  ?1\n");
    text_dispose(&out);
    table_dispose(&table);
}

static void test_csv(void **state)
{
    (void)state;
    struct table table = sample_table();
    struct text out = {0};
    table_add(&table, "a,b");
    table_add(&table, "1");
    table_add(&table, "left, out");
    table_add(&table, "he said \"no\"");
    table_add(&table, "two\nlines");
    table_add(&table, "\r");
    table_add(&table, NULL);
    table_add(&table, "\033[0m");
    table_csv(&out, &table);
    assert_string_equal(out.at, "gpu,median_us,gbs\r\n"
                                "NVIDIA H200,343.38,4660\r\n"
                                "Größe µ€𝄞,nan,\r\n"
                                "\"a,b\",1,\"he said \"\"no\"\"\"\r\n"
                                "\"two\nlines\",\"\r\",\"\033[0m\"\r\n");
    text_dispose(&out);
    table_dispose(&table);
}

/* A single empty field is written so that it stays a record. */
static void test_csv_one_column(void **state)
{
    (void)state;
    static const struct table_column one[] = {{"Name", "name", false}};
    struct table table = {.columns = one, .column_count = 1};
    struct text out = {0};
    table_add(&table, NULL);
    table_add(&table, "x");
    table_csv(&out, &table);
    assert_string_equal(out.at, "name\r\n\"\"\r\nx\r\n");
    text_dispose(&out);
    table_dispose(&table);
}

static void test_json(void **state)
{
    (void)state;
    struct table table = sample_table();
    struct text out = {0};
    table_json(&out, &table);
    assert_string_equal(
        out.at, "[\n {\"gpu\": \"NVIDIA H200\", \"median_us\": 343.38, \"gbs\": 4660},\n"
                " {\"gpu\": \"Größe µ€𝄞\", \"median_us\": \"nan\", \"gbs\": null}\n]\n");
    text_dispose(&out);
    table_dispose(&table);
}

static void test_json_empty(void **state)
{
    (void)state;
    struct table table = empty_table();
    struct text out = {0};
    table_json(&out, &table);
    assert_string_equal(out.at, "[]\n");
    text_dispose(&out);
    table_dispose(&table);
}

/* Bare only where JSON's grammar has such a number. */
static void test_json_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *cell;
        bool is_bare;
    } cases[] = {
        {"0", true},       {"-0", true},        {"7", true},
        {"-12", true},     {"0.5", true},       {"10.25", true},
        {"3.1e-08", true}, {"1E+9", true},      {"18446744073709551615", true},
        {"1e5", true},     {"", false},         {"-", false},
        {"+1", false},     {"01", false},       {"-01", false},
        {".5", false},     {"5.", false},       {"1.e5", false},
        {"1e", false},     {"1e+", false},      {"0x10", false},
        {"nan", false},    {"inf", false},      {"-inf", false},
        {"400M", false},   {"1 ", false},       {" 1", false},
        {"1,5", false},    {"1.5.2", false},    {"--1", false},
        {"1-2", false},    {"343.4 us", false}, {"00", false},
        {"1}", false},     {"null", false},
    };
    static const struct table_column one[] = {{"n", "n", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct table table = {.columns = one, .column_count = 1};
        struct text out = {0};
        char expect[64];
        const char *quote = cases[i].is_bare ? "" : "\"";
        snprintf(expect, sizeof expect, "[\n {\"n\": %s%s%s}\n]\n", quote, cases[i].cell,
                 quote);
        table_add(&table, cases[i].cell);
        table_json(&out, &table);
        assert_string_equal(out.at, expect);
        text_dispose(&out);
        table_dispose(&table);
    }
}

/* Cells with every byte that needs care; then Python reads what was written and says what it
 * got, so a slip in both writer and expectation cannot hide. */
static struct table awkward_table(void)
{
    struct table table = empty_table();
    static const char *const awkward[] = {"q\"uote", "back\\slash",  "tab\t", "new\nline",
                                          "cr\r",    "\x01\x1f\x7f", "µ€𝄞",   "",
                                          ",",       "\"",           "1",     "-",
                                          "{}"};
    for (size_t i = 0; i < sizeof awkward / sizeof *awkward; i++) {
        table_add(&table, awkward[i]);
        table_add(&table, awkward[sizeof awkward / sizeof *awkward - 1 - i]);
        table_add(&table, "not shown");
        table_add(&table, i % 2 ? "2.5" : awkward[i]);
    }
    return table;
}

/* Runs `program` in Python with `text` as standard input; its exit status. */
static int run_python(const char *program, const struct text *text)
{
    char path[] = "/tmp/test_table_XXXXXX", command[2048];
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text->at, text->length), (ssize_t)text->length);
    close(file);
    snprintf(command, sizeof command, "python3 -c '%s' < %s", program, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    int status = pclose(pipe);
    unlink(path);
    return status;
}

#define AWKWARD_PYTHON                                                                         \
    "import json, csv, sys\n"                                                                  \
    "a = [\"q\\\"uote\", \"back\\\\slash\", \"tab\\t\", \"new\\nline\", \"cr\\r\","            \
    " \"\\x01\\x1f\\x7f\", \"\\u00b5\\u20ac\\U0001d11e\", \"\", \",\", \"\\\"\", \"1\","       \
    " \"-\", \"{}\"]\n"                                                                        \
    "text = sys.stdin.buffer.read().decode(\"utf-8\", \"strict\")\n"                           \
    "number = lambda s: 1 if s == \"1\" else 2.5 if s == \"2.5\" else s\n"                     \
    "want = [[a[i], a[12 - i], \"2.5\" if i % 2 else a[i]] for i in range(13)]\n"

static void test_json_parses(void **state)
{
    (void)state;
    struct table table = awkward_table();
    struct text out = {0};
    table_json(&out, &table);
    assert_int_equal(run_python(AWKWARD_PYTHON "rows = json.loads(text)\n"
                                               "want = [{\"gpu\": g, \"median_us\": number(m),"
                                               " \"gbs\": number(b)} for g, m, b in want]\n"
                                               "sys.exit(rows != want)\n",
                                &out),
                     0);
    text_dispose(&out);
    table_dispose(&table);
}

static void test_csv_parses(void **state)
{
    (void)state;
    struct table table = awkward_table();
    struct text out = {0};
    table_csv(&out, &table);
    assert_int_equal(run_python(AWKWARD_PYTHON
                                "import io\n"
                                "lines = csv.reader(io.StringIO(text, newline=\"\"),"
                                " strict=True)\n"
                                "sys.exit(list(lines) != [[\"gpu\", \"median_us\", \"gbs\"]]"
                                " + want)\n",
                                &out),
                     0);
    text_dispose(&out);
    table_dispose(&table);
}

/* Bytes that are no UTF-8 still give JSON that parses. */
static void test_json_bad_utf8(void **state)
{
    (void)state;
    struct table table = empty_table();
    struct text out = {0};
    table_add(&table, "a\xff\xc3(\xed\xa0\x80");
    table_json(&out, &table);
    assert_int_equal(run_python("import json, sys\n"
                                "text = sys.stdin.buffer.read().decode(\"utf-8\", \"strict\")\n"
                                "sys.exit(json.loads(text)[0][\"gpu\"][0] != \"a\")\n",
                                &out),
                     0);
    text_dispose(&out);
    table_dispose(&table);
}

static void test_many_rows(void **state)
{
    (void)state;
    struct table table = empty_table();
    for (int i = 0; i < 4000; i++)
        table_addf(&table, "%d", i);
    assert_int_equal(table.row_count, 1000);
    assert_string_equal(table.cells[3999], "3999");
    table_add(&table, "one more");
    assert_int_equal(table.row_count, 1001);
    table_dispose(&table);
    assert_int_equal(table.row_count, 0);
}

static void test_failed(void **state)
{
    (void)state;
    struct table table = sample_table();
    table.failed = true;
    table_add(&table, "ignored");
    assert_int_equal(table.cell_count, 8);
    void (*const writers[])(struct text *, const struct table *) = {table_csv, table_json};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        struct text out = {0};
        writers[i](&out, &table);
        assert_true(out.failed);
        text_dispose(&out);
    }
    struct text out = {0};
    table_print(&out, &table, false);
    assert_true(out.failed);
    text_dispose(&out);
    table_dispose(&table);
}

/* Skipped where no locale with a decimal comma is installed. */
static void test_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        skip();
    struct table table = empty_table();
    table_addf(&table, "%.1f", 0.5);
    setlocale(LC_ALL, "C");
    assert_string_equal(table.cells[0], "0.5");
    table_dispose(&table);
}

/* What all rows have alike is said once; the last column goes below the rows where that is not
 * enough; and what fits is left alone. */
static void test_fit(void **state)
{
    static const struct table_column fitted[] = {{"gpu", "gpu", false},
                                                 {"n", "n", true},
                                                 {NULL, "hidden", false},
                                                 {"params", "params", false}};
    static const char *const lines[][4] = {{"NVIDIA H200", "1K", "x",
                                            "BLOCK=256 ITEMS=4 LOAD=PLAIN"},
                                           {"NVIDIA H200", "400M", "x",
                                            "BLOCK=512 ITEMS=32 LOAD=PLAIN"}};
    struct table table = {.columns = fitted, .column_count = 4};
    struct text out = {0};
    (void)state;
    for (size_t r = 0; r < 2; r++)
        for (size_t c = 0; c < 4; c++)
            table_add(&table, lines[r][c]);
    table_fit(&out, &table, 100, false);
    assert_string_equal(out.at, "gpu             n  params\n"
                                "NVIDIA H200    1K  BLOCK=256 ITEMS=4 LOAD=PLAIN\n"
                                "NVIDIA H200  400M  BLOCK=512 ITEMS=32 LOAD=PLAIN\n");
    text_clear(&out);
    table_fit(&out, &table, 44, false);
    assert_string_equal(out.at, "   n  params\n"
                                "  1K  BLOCK=256 ITEMS=4\n"
                                "400M  BLOCK=512 ITEMS=32\n"
                                "in all    gpu NVIDIA H200, LOAD=PLAIN\n");
    text_clear(&out);
    for (size_t c = 0; c < 4; c++)
        table_add(&table, c == 0   ? "Tesla V100"
                          : c == 3 ? "BLOCK=64 ITEMS=16 VECTOR=4 UNROLL=8 LOAD=PLAIN"
                                   : "8");
    table_fit(&out, &table, 40, false);
    assert_string_equal(out.at, "gpu             n\n"
                                "NVIDIA H200    1K\n    BLOCK=256 ITEMS=4\n"
                                "NVIDIA H200  400M\n    BLOCK=512 ITEMS=32\n"
                                "Tesla V100      8\n    BLOCK=64 ITEMS=16 VECTOR=4 UNROLL=8\n"
                                "in all    LOAD=PLAIN\n");
    table_dispose(&table);
    text_dispose(&out);
}

/* Where the others are too wide too, as many from the end as must go below, with their titles. */
static void test_fit_narrow(void **state)
{
    static const struct table_column fitted[] = {{"gpu", "gpu", false},
                                                 {"source", "source", false},
                                                 {"tuned", "tuned", false},
                                                 {"", "outcome", false},
                                                 {"params", "params", false}};
    struct table table = {.columns = fitted, .column_count = 5};
    struct text out = {0};
    (void)state;
    static const char *const cells[] = {"NVIDIA GeForce RTX 5070 Ti",
                                        "measured",
                                        "2026-11-27",
                                        "tie",
                                        "BLOCK=256",
                                        "host",
                                        "emulated",
                                        "2026-11-26",
                                        NULL,
                                        "BLOCK=64"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        table_add(&table, cells[i]);
    table_fit(&out, &table, 40, false);
    assert_string_equal(out.at, "gpu                         source\n"
                                "NVIDIA GeForce RTX 5070 Ti  measured\n"
                                "    tuned 2026-11-27, tie, BLOCK=256\n"
                                "host                        emulated\n"
                                "    tuned 2026-11-26, BLOCK=64\n");
    table_dispose(&table);
    text_dispose(&out);
}

/* Lines are folded at spaces, below the text behind their label; what fits stays as it is. */
static void test_fold(void **state)
{
    static const struct {
        const char *lines, *folded;
    } cases[] = {
        {"short\n  two  columns\n", "short\n  two  columns\n"},
        {"cub       none: make bench builds it from headers\nnext\n",
         "cub       none: make bench\n          builds it from\n          headers\nnext\n"},
        {"not known how fast the kernels are there", "not known how fast the kernels\n"
                                                     "          are there"},
        {"autotune: the file of records is damaged\n",
         "autotune: the file of records\n          is damaged\n"},
        {"    indented words that are too many for it", "    indented words that are\n"
                                                        "    too many for it"},
        {"A_WORD_THAT_IS_LONGER_THAN_THE_WHOLE_LINE_IS",
         "A_WORD_THAT_IS_LONGER_THAN_THE_WHOLE_LINE_IS"},
        {"\033[1mbold words do not count the colours\033[0m\n",
         "\033[1mbold words do not count the\ncolours\033[0m\n"},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = {0};
        sentence_fold(&out, cases[i].lines, 30);
        assert_string_equal(out.at ? out.at : "", cases[i].folded);
        text_dispose(&out);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_fit_narrow),
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_print_titles),
        cmocka_unit_test(test_print_marked),
        cmocka_unit_test(test_print_hostile),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_one_column),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_empty),
        cmocka_unit_test(test_json_numbers),
        cmocka_unit_test(test_json_parses),
        cmocka_unit_test(test_csv_parses),
        cmocka_unit_test(test_json_bad_utf8),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_failed),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
