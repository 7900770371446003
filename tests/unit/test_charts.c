/* Tests of markup, svg and the three kinds of charts: nothing that they are given becomes
 * markup, nothing is drawn outside the drawing, and tables say the same as pictures. */
#include "autotune/report/bar_chart.h"
#include "autotune/report/heat_map.h"
#include "autotune/report/highlight.h"
#include "autotune/report/line_chart.h"
#include "autotune/report/markup.h"
#include "autotune/report/svg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char hostile[] = "<script>\"a\" & 'b'\033</script>";
static const struct terminal_style plain = {false, false, 80};

static void check_holds(const struct text *text, const char *part)
{
    assert_false(text->failed);
    if (!text->at || !strstr(text->at, part))
        fail_msg("\"%s\" is not in:\n%s", part, text->at ? text->at : "");
}

static void check_lacks(const struct text *text, const char *part)
{
    if (text->at && strstr(text->at, part))
        fail_msg("\"%s\" is in:\n%s", part, text->at);
}

/* --- Text --------------------------------------------------------------------------------- */

static void test_escaping(void **state)
{
    (void)state;
    struct text out = {0};
    markup_text(&out, hostile);
    assert_string_equal(out.at,
                        "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;?&lt;/script&gt;");
    text_clear(&out);
    markup_text(&out, "\xc3\xa4\n\t\x7f");
    assert_string_equal(out.at, "\xc3\xa4\n\t?");
    text_clear(&out);
    markup_element(&out, "p", "x", "a<b");
    markup_element(&out, "b", NULL, "");
    assert_string_equal(out.at, "<p class=\"x\">a&lt;b</p><b></b>");
    text_dispose(&out);
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},     {-0.04, "0"},  {1.25, "1.3"},  {-1.5, "-1.5"},
                 {760, "760"}, {0.06, "0.1"}, {-0.26, "-0.3"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text out = {0};
        markup_number(&out, cases[i].value);
        assert_string_equal(out.at, cases[i].text);
        text_dispose(&out);
    }
}

static void test_highlight(void **state)
{
    (void)state;
    const struct highlight_word words[] = {{"BLOCK", "256: threads \"per\" block"}};
    struct text out = {0};
    highlight_html(&out, "int a = BLOCK; // BLOCK <b>\nBLOCKS /* BLOCK */ \"BLOCK\" & 'x'",
                   words, 1);
    assert_string_equal(
        out.at,
        "<b>int</b> a = <mark title=\"256: threads &quot;per&quot; block\">BLOCK</mark>; "
        "<i>// BLOCK &lt;b&gt;</i>\nBLOCKS <i>/* BLOCK */</i> &quot;BLOCK&quot; &amp; "
        "&#39;x&#39;");
    text_clear(&out);
    highlight_html(&out, "/* never closed", words, 1);
    assert_string_equal(out.at, "<i>/* never closed</i>");
    text_clear(&out);
    highlight_html(&out, "\"\\", words, 1);
    assert_string_equal(out.at, "&quot;\\");
    text_dispose(&out);
}

static void test_table(void **state)
{
    (void)state;
    const struct table_column columns[] = {{"a<b", NULL, false},
                                           {NULL, "key", true},
                                           {"n", NULL, true}};
    struct table table = {.columns = columns, .column_count = 3};
    struct text out = {0};
    table_add(&table, hostile);
    table_add(&table, "not shown");
    table_add(&table, NULL);
    markup_table(&out, &table, "what");
    check_holds(&out, "<th>a&lt;b</th><th class=\"n\">n</th>");
    check_holds(&out, "<td>&lt;script&gt;");
    check_holds(&out, "<td class=\"n\"></td>");
    check_lacks(&out, "not shown");
    text_dispose(&out);
    table_dispose(&table);
}

/* --- Lines -------------------------------------------------------------------------------- */

static void add_points(struct line_chart *chart, const char *name, double scale)
{
    line_chart_begin(chart, name);
    for (double x = 1000; x < 5e9; x *= 4) /* any order will do */
        line_chart_add(chart, (struct line_point){5e12 / x, scale * x, scale * x * 0.9,
                                                  scale * x * 1.1});
}

/* Every coordinate of the drawing, in what order they stand. */
static void check_within(const char *svg, double width, double height)
{
    static const char *const names[] = {" x=\"", " x1=\"", " x2=\"", " cx=\"",
                                        " y=\"", " y1=\"", " y2=\"", " cy=\""};
    const char *end = strstr(svg, "</svg>");
    for (size_t i = 0; i < 8; i++)
        for (const char *at = svg; (at = strstr(at, names[i])) && at < end; at++) {
            const double value = atof(at + strlen(names[i]));
            if (value < 0 || value > (i < 4 ? width : height))
                fail_msg("outside: %.80s", at);
        }
    for (const char *at = svg; (at = strstr(at, "points=\"")) && at < end;) {
        for (at += strlen("points=\""); *at != '"';) {
            double x = 0, y = 0;
            int used = 0;
            assert_int_equal(sscanf(at, "%lf,%lf%n", &x, &y, &used), 2);
            if (x < 0 || x > width || y < 0 || y > height)
                fail_msg("outside: %.80s", at);
            at += used + (at[used] == ' ');
        }
    }
}

/* Text takes 7 units a character at most: none of it leaves the drawing, none runs into
 * another. */
static void check_texts(const char *svg, double width)
{
    enum { WIDE = 7, HIGH = 12, MOST = 100 };
    struct box {
        double left, right, y;
    } boxes[MOST];
    size_t count = 0;
    const char *end = strstr(svg, "</svg>");
    for (const char *at = svg; (at = strstr(at, "<text ")) && at < end; at++) {
        char anchor[16], content[100];
        double x = 0, y = 0;
        assert_int_equal(sscanf(at,
                                "<text class=\"%*[a-z]\" text-anchor=\"%15[a-z]\" x=\"%lf\" "
                                "y=\"%lf\">%99[^<]",
                                anchor, &x, &y, content),
                         4);
        const double size = WIDE * (double)strlen(content);
        const double left = *anchor == 's' ? x : *anchor == 'm' ? x - size / 2 : x - size;
        assert_true(count < MOST);
        if (left < -1 || left + size > width + 1)
            fail_msg("outside: %s", content);
        for (size_t i = 0; i < count; i++)
            if (left < boxes[i].right && boxes[i].left < left + size && y < boxes[i].y + HIGH &&
                boxes[i].y < y + HIGH)
                fail_msg("runs into another: %s", content);
        boxes[count++] = (struct box){left, left + size, y};
    }
    assert_true(count > 4);
}

static void test_lines(void **state)
{
    (void)state;
    struct line_chart chart = {.figure = {"t"},
                               .x_title = "n, elements",
                               .y_title = "GB/s",
                               .limit_name = "peak, 90000",
                               .limit = 90000,
                               .from_zero = true};
    struct text out = {0};
    add_points(&chart, hostile, 1e-6);
    add_points(&chart, "other", 2e-5);
    line_chart_kind.html(&out, &chart.figure);
    check_lacks(&out, "<script");
    check_holds(&out, "Line chart, GB/s over n, elements. &lt;script&gt;");
    const char *wide = strstr(out.at, "<svg class=\"wide\""), *narrow;
    assert_non_null(wide);
    narrow = strstr(out.at, "<svg class=\"narrow\"");
    assert_non_null(narrow);
    check_within(wide, 760, 340);
    check_within(narrow, 360, 280);
    check_texts(wide, 760);
    check_texts(narrow, 360);
    text_dispose(&out);
    line_chart_kind.dispose(&chart.figure);
}

static void test_lines_table(void **state)
{
    (void)state;
    struct line_chart chart = {.x_title = "n", .y_title = "GB/s"};
    struct text out = {0};
    struct table table;
    line_chart_begin(&chart, "a");
    line_chart_add(&chart, (struct line_point){4096, 20, 0, 0});
    line_chart_add(&chart, (struct line_point){1024, 10.5, 0, 0});
    line_chart_begin(&chart, "b");
    line_chart_add(&chart, (struct line_point){2048, 3, 2.5, 3.25});
    line_chart_kind.table(&table, &chart.figure);
    table_print(&out, &table, false);
    assert_string_equal(out.at, "  n      a                       b\n"
                                "1Ki  10.50\n"
                                "2Ki         3.000 (2.500 to 3.250)\n"
                                "4Ki  20.00\n");
    table_dispose(&table);
    text_clear(&out);
    line_chart_kind.text(&out, &chart.figure, &plain);
    check_holds(&out, "a: GB/s by n\n       1Ki  ################################");
    check_holds(&out, "20.00\n");
    text_dispose(&out);
    line_chart_kind.dispose(&chart.figure);
}

/* A series that has no figure at an n of another is not joined across it. */
static void test_line_breaks(void **state)
{
    (void)state;
    struct line_chart chart = {.x_title = "n", .y_title = "us", .is_log = true};
    struct text out = {0};
    size_t lines = 0;
    line_chart_begin(&chart, "a");
    for (double n = 1000; n <= 1e6; n *= 10)
        line_chart_add(&chart, (struct line_point){n, n / 100, 0, 0});
    line_chart_begin(&chart, "b"); /* lacks 10K */
    line_chart_add(&chart, (struct line_point){1000, 12, 0, 0});
    line_chart_add(&chart, (struct line_point){100000, 1300, 0, 0});
    line_chart_add(&chart, (struct line_point){1000000, 14000, 0, 0});
    line_chart_kind.html(&out, &chart.figure);
    char *const narrow = strstr(out.at, "<svg class=\"narrow\"");
    assert_non_null(narrow);
    *narrow = '\0';
    for (const char *at = out.at; (at = strstr(at, "<polyline class=\"line s1\"")); lines++) {
        const char *const end = strchr(at, '>');
        size_t points = 0;
        for (; at < end; at++)
            points += *at == ',';
        assert_int_equal(points, 2); /* 100K and 1M: 1K stands alone */
    }
    assert_int_equal(lines, 1);
    check_holds(&out, ">10K</text>"); /* no powers of two, so neither are the ticks */
    check_lacks(&out, "Ki</text>");
    text_dispose(&out);
    line_chart_kind.dispose(&chart.figure);
}

/* One point, and none. */
static void test_few_points(void **state)
{
    (void)state;
    struct line_chart chart = {.x_title = "n", .y_title = "y", .from_zero = true};
    struct text out = {0};
    line_chart_begin(&chart, "a");
    line_chart_kind.html(&out, &chart.figure);
    check_lacks(&out, "viewBox=\"0 0 760");
    line_chart_add(&chart, (struct line_point){400e6, 4600, 0, 0});
    line_chart_kind.html(&out, &chart.figure);
    check_within(strstr(out.at, "<svg class=\"wide\""), 760, 340);
    check_lacks(&out, "nan");
    check_lacks(&out, "inf");
    text_dispose(&out);
    line_chart_kind.dispose(&chart.figure);
}

/* --- Heat --------------------------------------------------------------------------------- */

static struct heat_map *sample_map(void)
{
    struct heat_map *map = calloc(1, sizeof *map);
    assert_non_null(map);
    snprintf(map->unit, sizeof map->unit, "GB/s");
    snprintf(map->rows.name, sizeof map->rows.name, "BLOCK");
    snprintf(map->columns.name, sizeof map->columns.name, "ITEMS");
    heat_map_add(map, "1024", "16", 100, "A");
    heat_map_add(map, "64", "4", 1000, "B");
    heat_map_add(map, "64", "4", 900, "worse");
    heat_map_add(map, "128", "4", 4600.4, hostile);
    return map;
}

static void test_heat(void **state)
{
    (void)state;
    struct heat_map *map = sample_map();
    struct text out = {0};
    struct table table;
    const char *row = NULL, *column = NULL;
    heat_map_kind.table(&table, &map->figure);
    table_print(&out, &table, false);
    assert_string_equal(out.at, "BLOCK  ITEMS   GB/s  figures  the best with\n"
                                "   64      4   1000        2  B\n"
                                "  128      4   4600        1  <script>\"a\" & 'b'?</script>\n"
                                " 1024     16  100.0        1  A\n");
    table_dispose(&table);
    heat_map_kind.matrix(&table, &map->figure);
    text_clear(&out);
    table_print(&out, &table, false);
    assert_string_equal(out.at, "BLOCK, ITEMS     4     16\n"
                                "          64  1000\n"
                                "         128  4600\n"
                                "        1024        100.0\n");
    table_dispose(&table);
    assert_true(heat_map_best(map, &row, &column)->value > 4600);
    assert_string_equal(row, "128");
    assert_string_equal(column, "4");
    assert_int_equal(heat_map_step(map, 100), 0);
    assert_int_equal(heat_map_step(map, 4600.4), HEAT_MAP_STEPS - 1);
    assert_int_equal(heat_map_step(map, 4600.4 * 0.9801), HEAT_MAP_STEPS - 2);
    assert_int_equal(heat_map_step(map, 4600.4 * 0.2501), 1);
    text_clear(&out);
    heat_map_kind.html(&out, &map->figure);
    check_lacks(&out, "<script");
    check_holds(&out, "class=\"h8 best\"");
    check_holds(&out, "<td class=\"h0\" title=\"100.0 GB/s, the best of 1: A\">100</td>");
    check_holds(&out, "<td class=\"none\">");
    text_clear(&out);
    heat_map_kind.text(&out, &map->figure, &plain);
    assert_string_equal(
        out.at, "     BLOCK       4      16  ITEMS\n"
                "        64   1000       . \n"
                "       128   4600*      . \n"
                "      1024      .   100.0 \n"
                "GB/s, the best of all with these two; * the best of all, . no figure\n");
    text_clear(&out);
    heat_map_kind.text(&out, &map->figure, &(struct terminal_style){true, true, 80});
    check_holds(&out, "\033[48;5;227;38;5;16m   4600*\033[0m");
    text_dispose(&out);
    free(map);
}

/* More values than a side has room for are counted, not drawn. */
static void test_heat_is_full(void **state)
{
    (void)state;
    struct heat_map *map = calloc(1, sizeof *map);
    assert_non_null(map);
    for (int i = 0; i < HEAT_MAP_SIDE_MAX + 3; i++) {
        char label[16];
        snprintf(label, sizeof label, "%d", i);
        heat_map_add(map, label, "1", 1, "");
    }
    assert_int_equal(map->rows.count, HEAT_MAP_SIDE_MAX);
    assert_int_equal(map->dropped, 3);
    free(map);
}

/* --- Bars --------------------------------------------------------------------------------- */

static void test_bars(void **state)
{
    (void)state;
    struct bar_chart chart = {.unit = "GB/s", .digits = 4, .limit = 200, .limit_name = "peak"};
    const struct bar bars[] =
        {{.label = "one", .value = 50, .kind = BAR_MEASURED},
         {.label = "two", .value = 300, .kind = BAR_PREDICTED},
         {.label = "top", .value = 200, .text = "at most 200 GB/s", .kind = BAR_BOUND},
         {.label = "none", .note = "why", .kind = BAR_NONE}};
    struct text out = {0};
    for (size_t i = 0; i < 4; i++)
        bar_chart_add(&chart, &bars[i]);
    bar_chart_kind.html(&out, &chart.figure);
    check_holds(&out, "<i class=\"fill measured\" style=\"width:25%\"></i>");
    check_holds(&out, "<i class=\"fill predicted\" style=\"width:100%\"></i>"); /* no more */
    check_holds(&out, "about 300.0 GB/s");
    check_holds(&out, "<i class=\"fill bound\" style=\"width:100%\"></i>");
    check_holds(&out, "<span class=\"value\">not known</span><span class=\"note\">why</span>");
    text_clear(&out);
    bar_chart_kind.text(&out, &chart.figure, &plain);
    assert_string_equal(out.at, "one   ##########                                50.00 GB/s\n"
                                "two   ########################################  about 300.0 "
                                "GB/s, predicted\n"
                                "top   ########################################  at most 200 "
                                "GB/s, bound\n"
                                "none                                            not known\n"
                                "full length: peak\n");
    text_clear(&out);
    bar_chart_kind.text(&out, &chart.figure, &(struct terminal_style){true, true, 80});
    check_holds(&out,
                "\033[38;5;39m\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588"
                "\033[0m ");
    text_dispose(&out);
    bar_chart_kind.dispose(&chart.figure);
}

#define LABEL "a label of fifty-two characters, the last of"

/* Labels take what room the bars leave; what is cut shows an ellipsis. */
static void test_long_labels(void **state)
{
    static const char label[] = LABEL " which \u00b5";
    const struct bar bars[] = {{.label = "one", .value = 1, .kind = BAR_MEASURED},
                               {.value = 2, .kind = BAR_MEASURED}};
    const struct {
        struct terminal_style style;
        const char *line;
    } cases[] = {
        {{false, false, 100}, "\n" LABEL " which \u00b5  ####"},
        {{false, false, 86}, "\n" LABEL " which \u00b5  ####"},
        {{false, false, 85}, "\n" LABEL " whi...  ###"},
        {{false, true, 85}, "\n" LABEL " which\u2026  \u2588"},
        {{false, false, 20}, "\na label o...  #"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bar_chart chart = {.unit = "GB/s", .digits = 4};
        struct text out = {0};
        bar_chart_add(&chart, &bars[0]);
        bar_chart_add(&chart, &bars[1]);
        snprintf(chart.bars[1].label, sizeof chart.bars[1].label, "%s", label);
        bar_chart_kind.text(&out, &chart.figure, &cases[i].style);
        check_holds(&out, cases[i].line);
        text_dispose(&out);
        bar_chart_kind.dispose(&chart.figure);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] =
        {cmocka_unit_test(test_escaping),    cmocka_unit_test(test_numbers),
         cmocka_unit_test(test_highlight),   cmocka_unit_test(test_table),
         cmocka_unit_test(test_lines),       cmocka_unit_test(test_lines_table),
         cmocka_unit_test(test_line_breaks), cmocka_unit_test(test_few_points),
         cmocka_unit_test(test_heat),        cmocka_unit_test(test_heat_is_full),
         cmocka_unit_test(test_bars),        cmocka_unit_test(test_long_labels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
