/* line_chart: fits two axes around all points, lays the chart out and draws it. */
#include "autotune/report/line_chart.h"

#include "autotune/print/figures.h"
#include "autotune/report/axis.h"
#include "autotune/report/markup.h"
#include "autotune/report/svg.h"
#include "generator/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Points ------------------------------------------------------------------------------- */

void line_chart_begin(struct line_chart *chart, const char *name)
{
    if (chart->series_count == LINE_CHART_SERIES_MAX)
        return;
    struct line_series *series = &chart->series[chart->series_count++];
    *series = (struct line_series){.count = 0};
    snprintf(series->name, sizeof series->name, "%s", name);
}

/* In the order of x. */
void line_chart_add(struct line_chart *chart, struct line_point point)
{
    struct line_series *series = &chart->series[chart->series_count - 1];
    struct error ignored;
    if (array_grow(&series->points, series->count, sizeof *series->points, &ignored)) {
        chart->failed = true;
        return;
    }
    size_t at = series->count++;
    for (; at > 0 && series->points[at - 1].x > point.x; at--)
        series->points[at] = series->points[at - 1];
    series->points[at] = point;
}

static size_t count_points(const struct line_chart *chart)
{
    size_t count = 0;
    for (size_t s = 0; s < chart->series_count; s++)
        count += chart->series[s].count;
    return count;
}

static void dispose(struct figure *figure)
{
    struct line_chart *const chart = (struct line_chart *)figure;
    for (size_t s = 0; s < chart->series_count; s++)
        free(chart->series[s].points);
    chart->series_count = 0;
}

static double least_of(double a, double b)
{
    return a > 0 && a < b ? a : b;
}

/* The smallest and the largest of the drawn values. */
static void find_range(const struct line_chart *chart, struct line_point *least,
                       struct line_point *most)
{
    *least =
        (struct line_point){.x = INFINITY, .y = chart->limit > 0 ? chart->limit : INFINITY};
    *most = (struct line_point){.x = 0, .y = chart->limit};
    for (size_t s = 0; s < chart->series_count; s++)
        for (size_t i = 0; i < chart->series[s].count; i++) {
            const struct line_point *point = &chart->series[s].points[i];
            least->x = fmin(least->x, point->x);
            least->y = fmin(least->y, least_of(point->low, point->y));
            most->x = fmax(most->x, point->x);
            most->y = fmax(most->y, fmax(point->high, point->y));
        }
    least->y = chart->from_zero ? 0 : least->y;
}

/* --- The table ---------------------------------------------------------------------------- */

/* The next x above `after` that some series has; 0 = none. */
static double next_x(const struct line_chart *chart, double after)
{
    double next = 0;
    for (size_t s = 0; s < chart->series_count; s++)
        for (size_t i = 0; i < chart->series[s].count; i++) {
            const double x = chart->series[s].points[i].x;
            if (x > after && (next <= 0 || x < next))
                next = x;
        }
    return next;
}

static const struct line_point *find_point(const struct line_series *series, double x)
{
    for (size_t i = 0; i < series->count; i++)
        if (!(series->points[i].x < x) && !(series->points[i].x > x))
            return &series->points[i];
    return NULL;
}

/* The figure, with its interval where it has one. */
static void add_cell(struct table *table, const struct line_point *point)
{
    char y[NUMBER_CHARS], low[NUMBER_CHARS], high[NUMBER_CHARS];
    if (!point)
        table_add(table, NULL);
    else if (point->high > point->low)
        table_addf(table, "%s (%s to %s)", figures_short(y, point->y, 4),
                   figures_short(low, point->low, 4), figures_short(high, point->high, 4));
    else
        table_add(table, figures_short(y, point->y, 4));
}

static void write_table(struct table *out, struct figure *figure)
{
    struct line_chart *const chart = (struct line_chart *)figure;
    chart->columns[0] = (struct table_column){chart->x_title, NULL, true};
    for (size_t s = 0; s < chart->series_count; s++)
        chart->columns[1 + s] = (struct table_column){chart->series[s].name, NULL, true};
    *out = (struct table){.columns = chart->columns, .column_count = 1 + chart->series_count};
    for (double x = next_x(chart, 0); x > 0; x = next_x(chart, x)) {
        char number[NUMBER_CHARS];
        table_add(out, number_format_count(number, (uint64_t)x));
        for (size_t s = 0; s < chart->series_count; s++) {
            add_cell(out, find_point(&chart->series[s], x));
        }
    }
}

/* --- The drawing -------------------------------------------------------------------------- */

/* Room around the plot for the labels, in the drawing's own units; text is 12 high. */
enum { LEFT = 50, RIGHT = 22, TOP = 26, BOTTOM = 46, LABEL = 58, MARK = 8 };

static const struct size {
    const char *class;
    double width, height;
    size_t y_ticks;
} sizes[] = {{"wide", 760, 340, 7}, {"narrow", 360, 280, 6}};

struct plot {
    struct axis x, y;
    double left, right, top, bottom;
};

/* Are most n powers of two? */
static bool is_binary(const struct line_chart *chart)
{
    size_t powers = 0, all = 0;
    for (double x = next_x(chart, 0); x > 0; x = next_x(chart, x)) {
        const uint64_t n = (uint64_t)x;
        powers += (n & (n - 1)) == 0;
        all++;
    }
    return 2 * powers >= all;
}

static void fit(struct plot *out, const struct line_chart *chart, const struct size *size)
{
    struct line_point least, most;
    find_range(chart, &least, &most);
    *out = (struct plot){.left = LEFT,
                         .right = size->width - RIGHT,
                         .top = TOP,
                         .bottom = size->height - BOTTOM};
    const size_t x_ticks = (size_t)((out->right - out->left) / LABEL) + 1;
    (is_binary(chart) ? axis_fit_log : axis_fit_decades)(&out->x, least.x, most.x, x_ticks);
    (chart->is_log ? axis_fit_decades : axis_fit_linear)(&out->y, least.y, most.y,
                                                         size->y_ticks);
    out->x.from = out->left;
    out->x.to = out->right;
    out->y.from = out->bottom;
    out->y.to = out->top;
}

static struct svg_point place(const struct plot *plot, double x, double y)
{
    return (struct svg_point){axis_place(&plot->x, x), axis_place(&plot->y, y)};
}

static void draw_axes(struct text *out, const struct plot *plot, const struct line_chart *chart,
                      const struct size *size)
{
    char label[NUMBER_CHARS];
    for (size_t i = 0; i < plot->y.tick_count; i++) {
        const double y = axis_place(&plot->y, plot->y.ticks[i]);
        svg_line(out, "grid", (struct svg_point){plot->left, y},
                 (struct svg_point){plot->right, y});
        svg_text(out, "tick", SVG_END, (struct svg_point){plot->left - 8, y + 4},
                 axis_label(label, &plot->y, plot->y.ticks[i]));
    }
    for (size_t i = 0; i < plot->x.tick_count; i++) {
        const double x = axis_place(&plot->x, plot->x.ticks[i]);
        svg_line(out, "grid", (struct svg_point){x, plot->top},
                 (struct svg_point){x, plot->bottom});
        svg_text(out, "tick", SVG_MIDDLE, (struct svg_point){x, plot->bottom + 18},
                 axis_label(label, &plot->x, plot->x.ticks[i]));
    }
    svg_text(out, "axis", SVG_START, (struct svg_point){0, 11}, chart->y_title);
    svg_text(out, "axis", SVG_END, (struct svg_point){plot->right, size->height - 5},
             chart->x_title);
}

/* The end of the points from `first` on that no other series has a point between. */
static size_t end_of_run(const struct line_chart *chart, const struct line_series *series,
                         size_t first)
{
    size_t end = first + 1;
    while (end < series->count &&
           next_x(chart, series->points[end - 1].x) >= series->points[end].x)
        end++;
    return end;
}

static void draw_band(struct text *out, const struct plot *plot,
                      const struct line_series *series, size_t first, size_t end,
                      const char *class)
{
    struct svg_point *points = calloc(2 * (end - first), sizeof *points);
    size_t count = 0;
    out->failed |= !points;
    for (size_t i = first; i < end && points; i++)
        if (series->points[i].high > series->points[i].low)
            points[count++] = place(plot, series->points[i].x, series->points[i].high);
    for (size_t i = end; i-- > first && points;)
        if (series->points[i].high > series->points[i].low)
            points[count++] = place(plot, series->points[i].x, series->points[i].low);
    if (count > 2)
        svg_polygon(out, class, points, count);
    free(points);
}

static void draw_line(struct text *out, const struct plot *plot,
                      const struct line_series *series, size_t first, size_t end,
                      const char *class)
{
    struct svg_point *points = calloc(end - first, sizeof *points);
    out->failed |= !points;
    for (size_t i = first; i < end && points; i++)
        points[i - first] = place(plot, series->points[i].x, series->points[i].y);
    if (points && end > first + 1)
        svg_polyline(out, class, points, end - first);
    free(points);
}

static void draw_marks(struct text *out, const struct plot *plot,
                       const struct line_chart *chart, size_t s, const char *class)
{
    const struct line_series *series = &chart->series[s];
    for (size_t i = 0; i < series->count; i++) {
        const struct line_point *point = &series->points[i];
        char x[NUMBER_CHARS], y[NUMBER_CHARS], title[200];
        snprintf(title, sizeof title, "%s: %s %s at %s", series->name,
                 figures_short(y, point->y, 4), chart->y_title,
                 number_format_count(x, (uint64_t)point->x));
        svg_mark(out, class, s, place(plot, point->x, point->y), MARK, title);
    }
}

/* The first series is drawn last, on top of the others. */
static void draw_series(struct text *out, const struct plot *plot,
                        const struct line_chart *chart)
{
    char class[24];
    for (size_t s = chart->series_count; s-- > 0;) {
        const struct line_series *series = &chart->series[s];
        for (size_t first = 0, end; first < series->count; first = end) {
            end = end_of_run(chart, series, first);
            snprintf(class, sizeof class, "band s%u", (unsigned)s);
            draw_band(out, plot, series, first, end, class);
            snprintf(class, sizeof class, "line s%u", (unsigned)s);
            draw_line(out, plot, series, first, end, class);
        }
        snprintf(class, sizeof class, "mark s%u", (unsigned)s);
        draw_marks(out, plot, chart, s, class);
    }
}

/* Describes the drawing, in a sentence for each series: its ends and its greatest value. */
static void describe(struct text *out, const struct line_chart *chart)
{
    char x[NUMBER_CHARS], y[NUMBER_CHARS];
    text_addf(out, "Line chart, %s over %s.", chart->y_title, chart->x_title);
    for (size_t s = 0; s < chart->series_count; s++) {
        const struct line_series *series = &chart->series[s];
        if (!series->count)
            continue;
        const struct line_point *first = series->points, *most = first;
        const struct line_point *last = &series->points[series->count - 1];
        for (size_t i = 0; i < series->count; i++)
            most = series->points[i].y > most->y ? &series->points[i] : most;
        text_addf(out, " %s: %s at %s", series->name, figures_short(y, first->y, 4),
                  number_format_count(x, (uint64_t)first->x));
        text_addf(out, ", at most %s at %s", figures_short(y, most->y, 4),
                  number_format_count(x, (uint64_t)most->x));
        text_addf(out, ", %s at %s.", figures_short(y, last->y, 4),
                  number_format_count(x, (uint64_t)last->x));
    }
    if (chart->limit > 0)
        text_addf(out, " A level: %s.", chart->limit_name);
}

static void draw(struct text *out, const struct line_chart *chart, const struct size *size,
                 const char *alternative)
{
    struct plot plot;
    fit(&plot, chart, size);
    svg_open(out, size->class, size->width, size->height, alternative);
    draw_axes(out, &plot, chart, size);
    if (chart->limit > 0) {
        const double y = axis_place(&plot.y, chart->limit);
        svg_line(out, "limit", (struct svg_point){plot.left, y},
                 (struct svg_point){plot.right, y});
    }
    draw_series(out, &plot, chart);
    svg_close(out);
}

/* Each name with a piece of its line. The legend is outside of the drawing, where it has all
 * the room it needs. */
static void add_legend(struct text *out, const struct line_chart *chart)
{
    enum { KEY_WIDTH = 28, KEY_HEIGHT = 12 };
    const struct svg_point from = {1, KEY_HEIGHT / 2.0}, to = {KEY_WIDTH - 1, KEY_HEIGHT / 2.0};
    const struct svg_point middle = {KEY_WIDTH / 2.0, KEY_HEIGHT / 2.0};
    char class[24];
    text_adds(out, "<ul class=\"legend\">\n");
    for (size_t s = 0; s < chart->series_count; s++) {
        text_adds(out, "<li>");
        svg_open(out, "key", KEY_WIDTH, KEY_HEIGHT, "");
        snprintf(class, sizeof class, "line s%u", (unsigned)s);
        svg_line(out, class, from, to);
        snprintf(class, sizeof class, "mark s%u", (unsigned)s);
        svg_mark(out, class, s, middle, MARK, NULL);
        svg_close(out);
        markup_element(out, "span", NULL, chart->series[s].name);
        text_adds(out, "</li>\n");
    }
    if (chart->limit > 0) {
        text_adds(out, "<li>");
        svg_open(out, "key", KEY_WIDTH, KEY_HEIGHT, "");
        svg_line(out, "limit", from, to);
        svg_close(out);
        markup_element(out, "span", NULL, chart->limit_name);
        text_adds(out, "</li>\n");
    }
    text_adds(out, "</ul>\n");
}

static void write_html(struct text *out, struct figure *figure)
{
    struct line_chart *const chart = (struct line_chart *)figure;
    struct text alternative = {0};
    out->failed |= chart->failed;
    describe(&alternative, chart);
    out->failed |= alternative.failed;
    add_legend(out, chart);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && count_points(chart); i++)
        draw(out, chart, &sizes[i], alternative.at ? alternative.at : "");
    text_dispose(&alternative);
}

/* --- As text ------------------------------------------------------------------------------ */

static void write_text(struct text *out, struct figure *figure,
                       const struct terminal_style *style)
{
    struct line_chart *const chart = (struct line_chart *)figure;
    enum { BESIDE = 20, BAR_MAX = 60 }; /* the columns of n and of the figure */
    struct line_point least, most;
    const int columns = style->width - BESIDE > BAR_MAX ? BAR_MAX : style->width - BESIDE;
    const struct line_series *series = &chart->series[0];
    out->failed |= chart->failed;
    find_range(chart, &least, &most);
    text_add_visible(out, series->name);
    text_addf(out, ": %s by %s", chart->y_title, chart->x_title);
    text_addf(out, "%s%s\n", chart->limit > 0 ? "; " : "",
              chart->limit > 0 ? chart->limit_name : "");
    for (size_t i = 0; i < series->count; i++) {
        const struct line_point *point = &series->points[i];
        char x[NUMBER_CHARS], y[NUMBER_CHARS];
        text_addf(out, "%10s  ", number_format_count(x, (uint64_t)point->x));
        terminal_bar(out, point->y / most.y, columns > 0 ? columns : 1, style);
        text_addf(out, "%7s\n", figures_short(y, point->y, 4));
    }
}

const struct figure_kind line_chart_kind = {write_html, write_table, write_table, write_text,
                                            dispose};
