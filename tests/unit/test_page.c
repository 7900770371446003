/* Tests of document and its three forms: every kind of block stands in each, in order, and what
 * it holds is text in all of them. */
#include "autotune/report/page_html.h"
#include "autotune/report/page_markdown.h"
#include "autotune/report/page_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char hostile[] = "<b>*x*</b>|`y`\033[2J";

static void add_figures(struct document *document)
{
    struct line_chart *lines = calloc(1, sizeof *lines);
    struct heat_map *heat = calloc(1, sizeof *heat);
    struct bar_chart *bars = calloc(1, sizeof *bars);
    assert_true(lines && heat && bars);
    *lines = (struct line_chart){.figure = {"the lines"}, .x_title = "n", .y_title = "GB/s"};
    line_chart_begin(lines, hostile);
    line_chart_add(lines, (struct line_point){1024, 1, 0, 0});
    line_chart_add(lines, (struct line_point){2048, 2, 0, 0});
    snprintf(heat->figure.title, sizeof heat->figure.title, "the heat");
    snprintf(heat->unit, sizeof heat->unit, "GB/s");
    snprintf(heat->rows.name, sizeof heat->rows.name, "BLOCK");
    snprintf(heat->columns.name, sizeof heat->columns.name, "ITEMS");
    heat_map_add(heat, "64", "<b>", 3, hostile);
    *bars = (struct bar_chart){.figure = {"the bars"}, .unit = "GB/s", .digits = 3};
    struct bar bar = {.value = 4, .kind = BAR_PUBLISHED};
    snprintf(bar.label, sizeof bar.label, "%s", hostile);
    bar_chart_add(bars, &bar);
    document_figure(document, &line_chart_kind, lines);
    document_figure(document, &heat_map_kind, heat);
    document_figure(document, &bar_chart_kind, bars);
}

static void fill(struct document *document)
{
    static const struct table_column columns[] = {{"a|b", NULL, false}, {"n", NULL, true}};
    *document = (struct document){.title = "the title <b>", .subtitle = "the subtitle"};
    struct table *tiles = document_table(document, DOCUMENT_TILES, NULL, NULL, 0);
    table_add(tiles, "speed");
    table_add(tiles, "4 GB/s");
    table_add(tiles, hostile);
    document_add(document, DOCUMENT_SECTION, "the %s", "section");
    document_add(document, DOCUMENT_TEXT, "%s", hostile);
    add_figures(document);
    document_add(document, DOCUMENT_SECTION, "another");
    document_add(document, DOCUMENT_MISSING, "it is missing");
    struct table *facts = document_table(document, DOCUMENT_FACTS, NULL, NULL, 0);
    table_add(facts, "when");
    table_add(facts, "today");
    table_add(facts, "");
    struct table *table = document_table(document, DOCUMENT_TABLE, "the table", columns, 2);
    table_add(table, hostile);
    table_add(table, "7");
    document_add(document, DOCUMENT_NOTES,
                 "note      one\n          goes on\nlate      two\033\n");
    struct document_source *source = document_source(document, "the source");
    text_adds(&source->code, "int BLOCK; // <b>\n");
    document_mark(source, "BLOCK", "64: threads");
}

/* Each part behind the one before. */
static void check_order(const struct text *text, const char *const *parts)
{
    const char *at = text->at;
    for (; *parts; parts++) {
        const char *found = strstr(at, *parts);
        if (!found)
            fail_msg("\"%s\" is not there, or too early, in:\n%s", *parts, text->at);
        at = found;
    }
}

static void check_lacks(const struct text *text, const char *part)
{
    if (strstr(text->at, part))
        fail_msg("\"%s\" is in:\n%s", part, text->at);
}

static void test_html(void **state)
{
    (void)state;
    struct document document;
    struct text out = {0};
    struct error error;
    fill(&document);
    assert_int_equal(page_html(&out, &document, &error), 0);
    check_order(&out, (const char *const[]){
                          "<title>the title &lt;b&gt;</title>",
                          "<h1>the title &lt;b&gt;</h1>",
                          "<dd class=\"figure\">4 GB/s</dd>",
                          "<a href=\"#section-1\">the section",
                          "<section id=\"section-1\"><h2>the section</h2>",
                          "&lt;b&gt;*x*&lt;/b&gt;|`y`?[2J",
                          "<figcaption>the lines",
                          "<svg",
                          "<figcaption>the heat",
                          "class=\"h8 best\"",
                          "<figcaption>the bars",
                          "fill published",
                          "</section>\n<section id=\"section-6\">",
                          "<p class=\"missing\">it is missing",
                          "<dt>when</dt><dd>today</dd>",
                          "<summary>the table",
                          "<th>a|b</th><th class=\"n\">n</th>",
                          "<dt>note</dt><dd>one goes on</dd>\n<dt>late</dt><dd>two?</dd>",
                          "<mark title=\"64: threads\">BLOCK</mark>; <i>// &lt;b&gt;</i>",
                          "</section>",
                          "</main>",
                          NULL});
    check_lacks(&out, "<b>*x");
    check_lacks(&out, "\033");
    text_dispose(&out);
    document_dispose(&document);
}

static void test_markdown(void **state)
{
    (void)state;
    struct document document;
    struct text out = {0};
    struct error error;
    fill(&document);
    assert_int_equal(page_markdown(&out, &document, &error), 0);
    check_order(&out,
                (const char *const[]){
                    "# the title \\<b\\>\n\nthe subtitle\n\n", "| speed | 4 GB/s | ",
                    "## the section\n\n\\<b\\>\\*x\\*\\</b\\>\\|\\`y\\` \\[2J\n\n",
                    "**the lines**\n\n| n | \\<b\\>", "\n|---:|---:|\n| 1Ki | 1.000 |\n",
                    "**the heat**\n\n| BLOCK, ITEMS | \\<b\\> |", "| 64 | 3.000 |",
                    "**the bars**", "| 4.00 | published |", "## another", "*it is missing*\n",
                    "| when | today |", "**the table**\n\n| a\\|b | n |",
                    "```\nnote      one\n          goes on\nlate      two?\n```\n",
                    "the source\n\n```cuda\nint BLOCK; // <b>\n```\n", NULL});
    check_lacks(&out, "\033");
    text_dispose(&out);
    document_dispose(&document);
}

static void test_text(void **state)
{
    (void)state;
    const struct terminal_style plain = {false, false, 40};
    struct document document;
    struct text out = {0};
    struct error error;
    fill(&document);
    document_add(&document, DOCUMENT_TEXT, "%s",
                 "this line has so many words that it does not fit into forty columns");
    assert_int_equal(page_text(&out, &document, &plain, &error), 0);
    check_order(&out,
                (const char *const[]){"the title <b>\nthe subtitle\n", "speed: 4 GB/s, ",
                                      "\nthe section\n<b>*x*</b>|`y`?[2J\n", "\nthe lines\n",
                                      "       2Ki  ####", "\nthe heat\n", "64  3.000*",
                                      "\nthe bars\n", "4.00 GB/s, published",
                                      "\nanother\nit is missing\n", "when: today\n",
                                      "note      one\n          goes on\n",
                                      "this line has so many words that it does\n"
                                      "not fit into forty columns\n",
                                      NULL});
    check_lacks(&out, "the source"); /* for which emit is there */
    check_lacks(&out, "\033");
    text_dispose(&out);
    document_dispose(&document);
}

/* Without sections there is nothing to list, and nothing to close. */
static void test_empty(void **state)
{
    (void)state;
    struct document document = {.title = "t"};
    struct text out = {0};
    struct error error;
    assert_int_equal(page_html(&out, &document, &error), 0);
    check_lacks(&out, "<nav");
    check_lacks(&out, "section>");
    text_dispose(&out);
    document.failed = true;
    assert_int_equal(page_html(&out, &document, &error), -1);
    assert_int_equal(page_markdown(&out, &document, &error), -1);
    assert_int_equal(error.code, ERROR_FAILED);
    document_add(&document, DOCUMENT_TEXT, "too late");
    assert_int_equal(document.count, 0);
    assert_null(document_table(&document, DOCUMENT_FACTS, NULL, NULL, 0));
    text_dispose(&out);
    document_dispose(&document);
}

/* A section that only says what is missing goes to the end, one that has more stays whole. */
static void test_missing(void **state)
{
    static const struct {
        enum document_kind kind;
        const char *text;
    } before[] = {{DOCUMENT_TEXT, "a"},    {DOCUMENT_SECTION, "b"}, {DOCUMENT_MISSING, "c"},
                  {DOCUMENT_SECTION, "d"}, {DOCUMENT_TEXT, "e"},    {DOCUMENT_MISSING, "f"},
                  {DOCUMENT_SECTION, "g"}, {DOCUMENT_MISSING, "h"}, {DOCUMENT_SECTION, "i"},
                  {DOCUMENT_TEXT, "j"}},
      behind[] = {{DOCUMENT_TEXT, "a"},
                  {DOCUMENT_SECTION, "d"},
                  {DOCUMENT_TEXT, "e"},
                  {DOCUMENT_MISSING, "f"},
                  {DOCUMENT_SECTION, "i"},
                  {DOCUMENT_TEXT, "j"},
                  {DOCUMENT_SECTION, "Not in this report"},
                  {DOCUMENT_MISSING, "c"},
                  {DOCUMENT_MISSING, "h"}};
    struct document document = {.count = 0};
    (void)state;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        document_add(&document, before[i].kind, "%s", before[i].text);
    for (int twice = 0; twice < 2; twice++) {
        document_gather_missing(&document);
        assert_int_equal(document.count, sizeof behind / sizeof *behind);
        for (size_t i = 0; i < document.count; i++) {
            assert_int_equal(document.blocks[i].kind, behind[i].kind);
            assert_string_equal(document.blocks[i].text, behind[i].text);
        }
    }
    document_dispose(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_html),
                                       cmocka_unit_test(test_markdown),
                                       cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_missing),
                                       cmocka_unit_test(test_empty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
