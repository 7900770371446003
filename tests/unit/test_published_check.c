/* Figures computed again: those that docs/documents.md finds wrong, and no other; each with a digit
 * changed; and blocks, by hand. */
#include "autotune/compare/published_check.h"
#include "autotune/embedded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct published published;

/* Checks configs/published/NAME.ini with `from` written as `to` at its first place. */
static void check(struct text *out, struct table *table, const char *name, const char *from,
                  const char *to)
{
    char path[100];
    struct text changed = {0};
    struct error error;
    snprintf(path, sizeof path, "configs/published/%s.ini", name);
    const struct embedded *file = embedded_find(path);
    assert_non_null(file);
    const char *at = strstr(file->bytes, from);
    assert_non_null(at);
    text_add(&changed, file->bytes, (size_t)(at - file->bytes));
    text_addf(&changed, "%s%s", to, at + strlen(from));
    if (published_load(&published, path, changed.at, changed.length, &error))
        fail_msg("%s", error.text);
    published_check_init(table);
    if (published_check(out, table, &published, false, &error))
        fail_msg("%s", error.text);
    published_dispose(&published);
    text_dispose(&changed);
}

/* Cells of a row for programs. */
enum { SOURCE, KERNEL, THREADS, N, FIGURE, SHOWN, PRINTED, LOW, HIGH, FOLLOWS };

static const char *cell(const struct table *table, size_t row, size_t column)
{
    const char *at = table->cells[row * table->column_count + column];
    return at ? at : "";
}

/* The figures that do not follow, as "1024 gbs 786.22; ". */
static void list_wrong(struct text *out, const struct table *table)
{
    for (size_t row = 0; row < table->row_count; row++)
        if (strcmp(cell(table, row, FOLLOWS), "no") == 0)
            text_addf(out, "%s %s %s; ", cell(table, row, THREADS), cell(table, row, FIGURE),
                      cell(table, row, PRINTED));
}

static const char cs599_wrong[] =
    "128 total 1.57; 1024 gbs 786.22; 64 gbs 856.16; 64 gbs 864.60; 1024 gbs 873.41; ";

static void test_documents(void **state)
{
    static const struct {
        const char *name, *says, *wrong;
    } rows[] = {
        {"cs599-lecture-6", "CS599 Lecture 6 on V100: 88 of 93 figures follow", cs599_wrong},
        {"cs759-lecture", "on G80: 19 of 19 figures follow", ""},
        {"cs759-scan", "on a GPU not named: 11 of 11 figures follow", ""},
        {"cuda-006", "on RTX 5070: no figure of it follows from others", ""},
        {"reduction-part-1", "on RTX 5070 Ti: 13 of 14 figures follow", "256 gbs 423.229; "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = {0}, wrong = {0};
        struct table table;
        check(&text, &table, rows[i].name, "schema", "schema");
        list_wrong(&wrong, &table);
        if (!strstr(text.at, rows[i].says))
            fail_msg("%s: %s", rows[i].name, text.at);
        assert_string_equal(wrong.at ? wrong.at : "", rows[i].wrong);
        text_dispose(&text);
        text_dispose(&wrong);
        table_dispose(&table);
    }
}

/* One digit is enough, in the figure or in what it follows from; cut figures do follow. */
static void test_changed(void **state)
{
    static const struct {
        const char *name, *from, *to, *wrong;
    } rows[] = {
        {"cs759-lecture", "gbs = 4.854", "gbs = 4.864", "128 gbs 4.864; "},
        {"cs759-lecture", "step = 2.01", "step = 2.03", "128 step 2.03; "},
        {"cs759-lecture", "total = 15.01", "total = 15.05", "128 total 15.05; "},
        {"cs759-lecture", "total = 15.01", "total = 15.02", ""}, /* 15.026, cut */
        {"cs759-lecture", "total = 15.01", "total = 15.03", ""}, /* rounded */
        {"cs759-scan", "4.45", "4.46", " cpu_ratio 4.46; "},
        {"reduction-part-1", "peak_pct = 48.14 47.23 42.48", "peak_pct = 48.14 47.23 42.50",
         "256 gbs 423.229; 512 peak_pct 42.50; "},
        {"reduction-part-1", "100 100 100 66.67", "100 100 100 66.68",
         "256 gbs 423.229; 1024 occupancy_pct 66.68; "},
        {"cs599-lecture-6", "tflops = 0.02", "tflops = 0.03",
         "32 tflops 0.03; 128 total 1.57; 1024 gbs 786.22; 64 gbs 856.16; 64 gbs 864.60; 1024 gbs "
         "873.41; "},
        {"cs599-lecture-6", "fit_shared = 48", "fit_shared = 47",
         "128 total 1.57; 1024 gbs 786.22; 64 gbs 856.16; 64 gbs 864.60; 1024 gbs 873.41; 512 "
         "fit_shared 47; "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = {0}, wrong = {0};
        struct table table;
        check(&text, &table, rows[i].name, rows[i].from, rows[i].to);
        list_wrong(&wrong, &table);
        if (strcmp(wrong.at ? wrong.at : "", rows[i].wrong) != 0)
            fail_msg("%s: '%s'", rows[i].to, wrong.at ? wrong.at : "");
        text_dispose(&text);
        text_dispose(&wrong);
        table_dispose(&table);
    }
}

static double computed(const struct table *table, const char *threads, const char *figure)
{
    for (size_t row = 0; row < table->row_count; row++)
        if (strcmp(cell(table, row, THREADS), threads) == 0 &&
            strcmp(cell(table, row, FIGURE), figure) == 0)
            return strtod(cell(table, row, LOW), NULL);
    return 0;
}

/* Of part 1: a block a row, 12, 6, 3 and 1 at once on each of 70 SMs. */
static void test_lives(void **state)
{
    static const struct {
        const char *threads;
        double us, blocks, at_once;
    } rows[] = {{"128", 5017.23, 4194304, 12},
                {"256", 5098.87, 2097152, 6},
                {"512", 5652.35, 1048576, 3},
                {"1024", 10193.5, 524288, 1}};
    struct text text = {0};
    struct table table;
    (void)state;
    check(&text, &table, "reduction-part-1", "schema", "schema");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double life = rows[i].at_once * 70 * rows[i].us / rows[i].blocks;
        const double rate = rows[i].blocks / rows[i].us;
        const double got = computed(&table, rows[i].threads, "block_us");
        const double per_us = computed(&table, rows[i].threads, "blocks_per_us");
        assert_true(got > life - 0.001 && got < life + 0.001);
        assert_true(per_us > rate - 0.001 && per_us < rate + 0.001);
    }
    assert_null(strstr(text.at, "as many as this GPU can")); /* which nobody measured */
    text_dispose(&text);
    table_dispose(&table);
}

/* Of CS599: all blocks of all launches, 2^25 and 2^20 and 2^15 and so on of 32 threads in 54.05 ms. */
static void test_rate(void **state)
{
    const double blocks = 33554432 + 1048576 + 32768 + 1024 + 32 + 1;
    struct text text = {0};
    struct table table;
    size_t named = 0;
    (void)state;
    check(&text, &table, "cs599-lecture-6", "schema", "schema");
    const double got = computed(&table, "32", "blocks_per_us");
    assert_true(got > blocks / 54050 - 0.001 && got < blocks / 54050 + 0.001);
    assert_non_null(
        strstr(text.at, "12 of 49 start 638 to 641 blocks a us, as many as this GPU can"));
    for (const char *at = text.at; (at = strstr(at, "the rate of blocks")); at++)
        named++;
    assert_int_equal(named, 12);
    text_dispose(&text);
    table_dispose(&table);
}

/* What bytes a document counts is one of four words. */
static void test_counts(void **state)
{
    static const char *const words[] = {"nothing", "elements", "rows", "levels", "bytes"};
    const struct embedded *file = embedded_find("configs/published/cs759-lecture.ini");
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = strstr(file->bytes, "gbs_counts = elements");
        struct text changed = {0};
        struct error error;
        text_add(&changed, file->bytes, (size_t)(at - file->bytes));
        text_addf(&changed, "gbs_counts = %s%s", words[i], strchr(at, '\n'));
        const int failed =
            published_load(&published, "x.ini", changed.at, changed.length, &error);
        assert_int_equal(failed, i == 4 ? -1 : 0);
        if (failed)
            assert_non_null(strstr(error.text, "none of nothing, elements, rows, levels"));
        else
            published_dispose(&published);
        text_dispose(&changed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents), cmocka_unit_test(test_changed),
        cmocka_unit_test(test_lives),     cmocka_unit_test(test_rate),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
