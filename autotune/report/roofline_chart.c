/* roofline_chart: lays two logarithmic axes around all kernels and roofs, and draws these. */
#include "autotune/report/roofline_chart.h"

#include "autotune/print/figures.h"
#include "autotune/print/table_fit.h"
#include "autotune/report/axis.h"
#include "autotune/report/markup.h"
#include "autotune/report/svg.h"
#include "generator/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Kernels ------------------------------------------------------------------------------ */

unsigned roofline_chart_group(struct roofline_chart *chart, const char *name)
{
    for (size_t g = 0; g < chart->group_count; g++)
        if (strncmp(chart->groups[g], name, sizeof chart->groups[g] - 1) == 0)
            return (unsigned)g;
    if (chart->group_count == ROOFLINE_GROUPS_MAX)
        return ROOFLINE_GROUPS_MAX - 1;
    snprintf(chart->groups[chart->group_count], sizeof chart->groups[0], "%s", name);
    return (unsigned)chart->group_count++;
}

void roofline_chart_add(struct roofline_chart *chart, const struct roofline_kernel *kernel)
{
    struct error ignored;
    if (array_grow(&chart->kernels, chart->count, sizeof *chart->kernels, &ignored)) {
        chart->failed = true;
        return;
    }
    struct roofline_kernel *added = &chart->kernels[chart->count++];
    *added = *kernel;
    snprintf(added->name, sizeof added->name, "%zu %.150s", chart->count, kernel->name);
}

static bool has_place(const struct roofline_kernel *kernel)
{
    return kernel->gbs > 0 && kernel->per_byte > 0;
}

static void dispose(struct figure *figure)
{
    struct roofline_chart *const chart = (struct roofline_chart *)figure;
    free(chart->kernels);
    chart->kernels = NULL;
    chart->count = 0;
}

static void write_table(struct table *out, struct figure *figure)
{
    struct roofline_chart *const chart = (struct roofline_chart *)figure;
    roofline_table(out, chart->columns, chart->kernels, chart->count);
}

/* --- The drawing -------------------------------------------------------------------------- */

/* Room around the plot for the labels, in the drawing's own units; text is 12 high. */
enum { LEFT = 50, RIGHT = 22, TOP = 26, BOTTOM = 46, MARK = 9, STROKE = 7, NUMBER = 9 };

static const struct size {
    const char *class;
    double width, height;
} sizes[] = {{"wide", 760, 420}, {"narrow", 360, 320}};

struct plot {
    struct axis x, y;
};

static void fit(struct plot *out, const struct roofline_chart *chart, const struct size *size)
{
    double left = INFINITY, right = 0, low = INFINITY, high = 0;
    for (size_t i = 0; i < chart->count; i++) {
        const struct roofline_kernel *kernel = &chart->kernels[i];
        if (!has_place(kernel))
            continue;
        left = fmin(left, kernel->per_byte);
        right = fmax(right, kernel->per_byte);
        low = fmin(low, kernel->gbs);
        high = fmax(high, kernel->gbs);
    }
    high = fmax(high, fmax(chart->gpu.memory, chart->gpu.l2) / 1e9);
    axis_fit_decades(&out->x, left / 1.5, fmax(right, 2 * left) * 1.5, 12);
    axis_fit_decades(&out->y, fmin(low, high / 10) / 1.5, high * 1.5, 10);
    out->x.from = LEFT;
    out->x.to = size->width - RIGHT;
    out->y.from = size->height - BOTTOM;
    out->y.to = TOP;
}

static struct svg_point place(const struct plot *plot, double x, double y)
{
    return (struct svg_point){axis_place(&plot->x, x), axis_place(&plot->y, y)};
}

static void draw_axes(struct text *out, const struct plot *plot, const struct size *size)
{
    char label[NUMBER_CHARS];
    for (size_t i = 0; i < plot->y.tick_count; i++) {
        const double y = axis_place(&plot->y, plot->y.ticks[i]);
        svg_line(out, "grid", (struct svg_point){plot->x.from, y},
                 (struct svg_point){plot->x.to, y});
        svg_text(out, "tick", SVG_END, (struct svg_point){plot->x.from - 8, y + 4},
                 axis_label(label, &plot->y, plot->y.ticks[i]));
    }
    for (size_t i = 0; i < plot->x.tick_count; i++) {
        const double x = axis_place(&plot->x, plot->x.ticks[i]);
        svg_line(out, "grid", (struct svg_point){x, plot->y.to},
                 (struct svg_point){x, plot->y.from});
        svg_text(out, "tick", SVG_MIDDLE, (struct svg_point){x, plot->y.from + 18},
                 axis_label(label, &plot->x, plot->x.ticks[i]));
    }
    svg_text(out, "axis", SVG_START, (struct svg_point){0, 11}, "GB/s");
    svg_text(out, "axis", SVG_END, (struct svg_point){plot->x.to, size->height - 5},
             "instructions of threads for a byte");
}

/* A level line, where its unit is known. */
static void draw_level(struct text *out, const struct plot *plot, const char *class,
                       double bytes)
{
    const double y = axis_place(&plot->y, bytes / 1e9);
    if (bytes > 0)
        svg_line(out, class, (struct svg_point){plot->x.from, y},
                 (struct svg_point){plot->x.to, y});
}

/* The slope of the issue, from where it comes into the plot to where it leaves it. */
static void draw_issue(struct text *out, const struct plot *plot, double per_second)
{
    const double gbs = per_second / 1e9;
    const double left = fmax(plot->x.low, gbs / plot->y.high);
    const double right = fmin(plot->x.high, gbs / plot->y.low);
    if (per_second > 0 && left < right)
        svg_line(out, "line s1", place(plot, left, gbs / left),
                 place(plot, right, gbs / right));
}

/* A roof that no line of the plot has. */
static bool own_roof(enum roofline_roof *out, const struct roofline_kernel *kernel)
{
    return roofline_lowest(out, kernel) && *out != ROOFLINE_MEMORY && *out != ROOFLINE_L2 &&
           *out != ROOFLINE_ISSUE;
}

static const char *const strokes[ROOFLINE_ROOFS] = {[ROOFLINE_FLIGHT] = "line s2",
                                                    [ROOFLINE_BLOCKS] = "line s3",
                                                    [ROOFLINE_ATOMICS] = "line s0"};

static void draw_kernel(struct text *out, const struct plot *plot,
                        const struct roofline_kernel *kernel, size_t number)
{
    const struct svg_point at = place(plot, kernel->per_byte, kernel->gbs);
    char class[24], label[NUMBER_CHARS], speed[NUMBER_CHARS], title[300];
    enum roofline_roof roof;
    if (own_roof(&roof, kernel)) {
        const double y = axis_place(&plot->y, kernel->roofs[roof]);
        svg_line(out, "grid", at, (struct svg_point){at.x, y});
        svg_line(out, strokes[roof], (struct svg_point){at.x - STROKE, y},
                 (struct svg_point){at.x + STROKE, y});
    }
    roofline_lowest(&roof, kernel);
    snprintf(title, sizeof title, "%s: %s GB/s; lowest roof: %s", kernel->name,
             figures_short(speed, kernel->gbs, 4), roofline_names[roof]);
    snprintf(class, sizeof class, "mark s%u", kernel->group);
    svg_mark(out, class, kernel->group, at, MARK, title);
    snprintf(label, sizeof label, "%zu", number);
    svg_text(out, "tick", SVG_START, (struct svg_point){at.x + MARK - 2, at.y + NUMBER}, label);
}

static void describe(struct text *out, const struct roofline_chart *chart)
{
    char speed[NUMBER_CHARS];
    text_adds(out, "Kernels under the roofs of their GPU.");
    for (size_t i = 0; i < chart->count; i++) {
        enum roofline_roof roof;
        if (has_place(&chart->kernels[i]) && roofline_lowest(&roof, &chart->kernels[i]))
            text_addf(out, " %s: %s GB/s, under %s.", chart->kernels[i].name,
                      figures_short(speed, chart->kernels[i].gbs, 4), roofline_names[roof]);
    }
}

static void draw(struct text *out, const struct roofline_chart *chart, const struct size *size,
                 const char *alternative)
{
    struct plot plot;
    fit(&plot, chart, size);
    svg_open(out, size->class, size->width, size->height, alternative);
    draw_axes(out, &plot, size);
    draw_level(out, &plot, "limit", chart->gpu.memory);
    draw_level(out, &plot, "line s4", chart->gpu.l2);
    draw_issue(out, &plot, chart->gpu.instructions);
    for (size_t i = 0; i < chart->count; i++)
        if (has_place(&chart->kernels[i]))
            draw_kernel(out, &plot, &chart->kernels[i], i + 1);
    svg_close(out);
}

/* --- The legend --------------------------------------------------------------------------- */

enum { KEY_WIDTH = 28, KEY_HEIGHT = 12 };

static void add_key(struct text *out, const char *class, const char *name)
{
    text_adds(out, "<li>");
    svg_open(out, "key", KEY_WIDTH, KEY_HEIGHT, "");
    svg_line(out, class, (struct svg_point){1, KEY_HEIGHT / 2.0},
             (struct svg_point){KEY_WIDTH - 1, KEY_HEIGHT / 2.0});
    svg_close(out);
    markup_element(out, "span", NULL, name);
    text_adds(out, "</li>\n");
}

static bool has_stroke(const struct roofline_chart *chart, enum roofline_roof roof)
{
    enum roofline_roof own;
    for (size_t i = 0; i < chart->count; i++)
        if (has_place(&chart->kernels[i]) && own_roof(&own, &chart->kernels[i]) && own == roof)
            return true;
    return false;
}

static void add_groups(struct text *out, const struct roofline_chart *chart)
{
    char class[24];
    for (size_t g = 0; g < chart->group_count; g++) {
        text_adds(out, "<li>");
        svg_open(out, "key", KEY_WIDTH, KEY_HEIGHT, "");
        snprintf(class, sizeof class, "mark s%u", (unsigned)g);
        svg_mark(out, class, g, (struct svg_point){KEY_WIDTH / 2.0, KEY_HEIGHT / 2.0}, MARK,
                 NULL);
        svg_close(out);
        markup_element(out, "span", NULL, chart->groups[g]);
        text_adds(out, "</li>\n");
    }
}

static void add_legend(struct text *out, const struct roofline_chart *chart)
{
    static const struct {
        enum roofline_roof roof;
        const char *name;
    } own[] = {{ROOFLINE_FLIGHT, "a kernel's bytes in flight"},
               {ROOFLINE_BLOCKS, "the start of its blocks"},
               {ROOFLINE_ATOMICS, "its atomic operations"}};
    char name[80];
    text_adds(out, "<ul class=\"legend\">\n");
    add_groups(out, chart);
    if (chart->gpu.memory > 0) {
        snprintf(name, sizeof name, "the memory, %.0f GB/s", chart->gpu.memory / 1e9);
        add_key(out, "limit", name);
    }
    if (chart->gpu.l2 > 0) {
        snprintf(name, sizeof name, "the L2 cache, %.0f GB/s as measured", chart->gpu.l2 / 1e9);
        add_key(out, "line s4", name);
    }
    if (chart->gpu.instructions > 0)
        add_key(out, "line s1", "the issue of instructions");
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (has_stroke(chart, own[i].roof))
            add_key(out, strokes[own[i].roof], own[i].name);
    text_adds(out, "</ul>\n");
}

static void write_html(struct text *out, struct figure *figure)
{
    struct roofline_chart *const chart = (struct roofline_chart *)figure;
    struct text alternative = {0};
    bool is_any = false;
    out->failed |= chart->failed;
    for (size_t i = 0; i < chart->count; i++)
        is_any |= has_place(&chart->kernels[i]);
    describe(&alternative, chart);
    out->failed |= alternative.failed;
    add_legend(out, chart);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && is_any; i++)
        draw(out, chart, &sizes[i], alternative.at ? alternative.at : "");
    text_dispose(&alternative);
}

static void write_text(struct text *out, struct figure *figure,
                       const struct terminal_style *style)
{
    struct table table;
    write_table(&table, figure);
    table_fit(out, &table, style->width, false);
    table_dispose(&table);
}

const struct figure_kind roofline_chart_kind = {write_html, write_table, write_table,
                                                write_text, dispose};
