/* bar_chart: draws bars with a length in proportion to the limit. Bars are elements of HTML,
 * whose labels wrap. */
#include "autotune/report/bar_chart.h"

#include "autotune/print/figures.h"
#include "autotune/report/markup.h"
#include "generator/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[BAR_KINDS] = {
    [BAR_MEASURED] = "measured", [BAR_EMULATED] = "emulated",   [BAR_PUBLISHED] = "published",
    [BAR_COMPUTED] = "computed", [BAR_PREDICTED] = "predicted", [BAR_BOUND] = "bound",
    [BAR_NONE] = "not known",
};

void bar_chart_add(struct bar_chart *chart, const struct bar *bar)
{
    struct error ignored;
    if (array_grow(&chart->bars, chart->count, sizeof *chart->bars, &ignored))
        chart->failed = true;
    else
        chart->bars[chart->count++] = *bar;
}

static void dispose(struct figure *figure)
{
    struct bar_chart *const chart = (struct bar_chart *)figure;
    free(chart->bars);
    chart->bars = NULL;
    chart->count = 0;
}

/* 0 .. 1; what lies beyond the limit has all of the length. */
static double share_of(const struct bar_chart *chart, const struct bar *bar)
{
    double most = chart->limit;
    for (size_t i = 0; i < chart->count && chart->limit <= 0; i++)
        most = fmax(most, chart->bars[i].value);
    return most > 0 ? fmin(bar->value / most, 1) : 0;
}

static char *write_value(char out[NUMBER_CHARS], const struct bar_chart *chart,
                         const struct bar *bar)
{
    return figures_short(out, bar->value, bar->digits ? bar->digits : chart->digits);
}

/* Of a bar without a value: what is said in its place. */
static const char *name_kind(const struct bar *bar)
{
    return bar->kind == BAR_NONE && *bar->text ? bar->text : kind_names[bar->kind];
}

static void add_value(struct text *out, const struct bar_chart *chart, const struct bar *bar)
{
    char value[NUMBER_CHARS];
    if (*bar->text || bar->kind == BAR_NONE)
        text_adds(out, *bar->text ? bar->text : name_kind(bar));
    else
        text_addf(out, "%s%s %s", bar->kind == BAR_PREDICTED ? "about " : "",
                  write_value(value, chart, bar), chart->unit);
}

static void write_table(struct table *out, struct figure *figure)
{
    struct bar_chart *const chart = (struct bar_chart *)figure;
    const struct table_column columns[] = {{"", NULL, false},
                                           {chart->unit, NULL, true},
                                           {"which is", NULL, false},
                                           {"note", NULL, false}};
    char value[NUMBER_CHARS];
    memcpy(chart->columns, columns, sizeof columns);
    *out = (struct table){.columns = chart->columns,
                          .column_count = sizeof columns / sizeof *columns};
    for (size_t i = 0; i < chart->count; i++) {
        const struct bar *bar = &chart->bars[i];
        table_add(out, bar->label);
        table_add(out, bar->kind == BAR_NONE ? NULL : write_value(value, chart, bar));
        table_add(out, name_kind(bar));
        table_add(out, bar->note);
    }
}

/* --- HTML --------------------------------------------------------------------------------- */

/* Adds a legend where there is more than one kind of bar. */
static void add_legend(struct text *out, const struct bar_chart *chart)
{
    bool is_there[BAR_KINDS] = {false};
    unsigned kinds = 0;
    for (size_t i = 0; i < chart->count; i++) {
        kinds += !is_there[chart->bars[i].kind] && chart->bars[i].kind != BAR_NONE;
        is_there[chart->bars[i].kind] = true;
    }
    text_adds(out, "<ul class=\"legend\">\n");
    const bool has_legend = kinds > 1 || !is_there[BAR_MEASURED];
    for (size_t k = 0; k < BAR_NONE && has_legend; k++)
        if (is_there[k])
            text_addf(out, "<li><i class=\"swatch %s\"></i><span>%s</span></li>\n",
                      kind_names[k], kind_names[k]);
    if (chart->limit > 0) {
        text_adds(out, "<li class=\"muted\"><span>full length: ");
        markup_text(out, chart->limit_name);
        text_adds(out, "</span></li>\n");
    }
    text_adds(out, "</ul>\n");
}

static void add_bar(struct text *out, const struct bar_chart *chart, const struct bar *bar)
{
    struct text value = {0};
    text_adds(out, "<li>");
    markup_element(out, "span", "label", bar->label);
    text_adds(out, "<span class=\"track\">");
    if (bar->kind != BAR_NONE) {
        text_addf(out, "<i class=\"fill %s\" style=\"width:", kind_names[bar->kind]);
        markup_number(out, share_of(chart, bar) * 100);
        text_adds(out, "%\"></i>");
    }
    text_adds(out, "</span>");
    add_value(&value, chart, bar);
    out->failed |= value.failed;
    markup_element(out, "span", "value", value.at ? value.at : "");
    text_dispose(&value);
    if (*bar->note)
        markup_element(out, "span", "note", bar->note);
    text_adds(out, "</li>\n");
}

static void write_html(struct text *out, struct figure *figure)
{
    struct bar_chart *const chart = (struct bar_chart *)figure;
    out->failed |= chart->failed;
    add_legend(out, chart);
    text_adds(out, "<ul class=\"bars\">\n");
    for (size_t i = 0; i < chart->count; i++)
        add_bar(out, chart, &chart->bars[i]);
    text_adds(out, "</ul>\n");
}

/* --- As text ------------------------------------------------------------------------------ */

enum { LABEL_LEAST = 12, BAR_LEAST = 20, BAR_MAX = 40, GAPS = 4 };

/* What stands behind a bar. */
static void add_beside(struct text *out, const struct bar_chart *chart, const struct bar *bar)
{
    add_value(out, chart, bar);
    if (bar->kind > BAR_MEASURED && bar->kind < BAR_NONE)
        text_addf(out, ", %s", kind_names[bar->kind]);
}

/* The columns beside the longest bar, without the label. */
static int beside_columns(const struct bar_chart *chart)
{
    int most = 0;
    for (size_t i = 0; i < chart->count; i++) {
        struct text beside = {0};
        add_beside(&beside, chart, &chart->bars[i]);
        const int columns = beside.length ? terminal_columns(beside.at) : 0;
        most = columns > most ? columns : most;
        text_dispose(&beside);
    }
    return most + GAPS;
}

/* The width of the longest label, if that leaves room for the bars. */
static int label_columns(const struct bar_chart *chart, int beside,
                         const struct terminal_style *style)
{
    const int room = style->width - beside - BAR_LEAST;
    const int limit = room > LABEL_LEAST ? room : LABEL_LEAST;
    int most = 0;
    for (size_t i = 0; i < chart->count; i++) {
        const int columns = terminal_columns(chart->bars[i].label);
        most = columns > most ? columns : most;
    }
    return most < limit ? most : limit;
}

static void write_text(struct text *out, struct figure *figure,
                       const struct terminal_style *style)
{
    struct bar_chart *const chart = (struct bar_chart *)figure;
    const int beside = beside_columns(chart), label = label_columns(chart, beside, style);
    const int room = style->width - label - beside;
    const int columns = room > BAR_MAX ? BAR_MAX : room > 1 ? room : 1;
    out->failed |= chart->failed;
    for (size_t i = 0; i < chart->count; i++) {
        const struct bar *bar = &chart->bars[i];
        struct text value = {0};
        terminal_label(out, bar->label, label, false, style);
        text_adds(out, "  ");
        terminal_bar(out, bar->kind == BAR_NONE ? 0 : share_of(chart, bar), columns, style);
        add_beside(&value, chart, bar);
        out->failed |= value.failed;
        text_addf(out, "  %s\n", value.at ? value.at : "");
        text_dispose(&value);
    }
    if (chart->limit > 0)
        text_addf(out, "full length: %s\n", chart->limit_name);
}

const struct figure_kind bar_chart_kind = {write_html, write_table, write_table, write_text,
                                           dispose};
