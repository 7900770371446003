/* timeline: draws bars as polygons, at least two units wide so that a short kernel is seen. */
#include "autotune/report/timeline.h"

#include "autotune/report/axis.h"
#include "autotune/report/markup.h"
#include "autotune/report/svg.h"
#include "generator/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 860,
    LEFT = 4,
    RIGHT = 850,
    ROW = 46,
    LABEL = 13,
    BAR = 11,
    AXIS = 34,
    TICKS = 9
};

static const char *const lane_names[TIMELINE_LANES] = {"copies to the GPU", "kernels"};
static const char *const lane_classes[TIMELINE_LANES] = {"mark s0", "mark s1"};

void timeline_begin(struct timeline *timeline, const char *label)
{
    struct error ignored;
    if (timeline->failed ||
        array_grow(&timeline->rows, timeline->count, sizeof *timeline->rows, &ignored)) {
        timeline->failed = true;
        return;
    }
    struct timeline_row *row = &timeline->rows[timeline->count++];
    *row = (struct timeline_row){.count = 0};
    snprintf(row->label, sizeof row->label, "%s", label);
}

void timeline_add(struct timeline *timeline, struct timeline_bar bar)
{
    struct error ignored;
    if (timeline->failed || !timeline->count)
        return;
    struct timeline_row *row = &timeline->rows[timeline->count - 1];
    if (array_grow(&row->bars, row->count, sizeof *row->bars, &ignored))
        timeline->failed = true;
    else
        row->bars[row->count++] = bar;
}

static void dispose(struct figure *figure)
{
    struct timeline *const timeline = (struct timeline *)figure;
    for (size_t i = 0; i < timeline->count; i++)
        free(timeline->rows[i].bars);
    free(timeline->rows);
    timeline->rows = NULL;
    timeline->count = 0;
}

/* --- Sums --------------------------------------------------------------------------------- */

static double sum_of(const struct timeline_row *row, enum timeline_lane lane)
{
    double sum = 0;
    for (size_t i = 0; i < row->count; i++)
        sum += row->bars[i].lane == lane ? row->bars[i].to - row->bars[i].from : 0;
    return sum;
}

static double end_of(const struct timeline_row *row)
{
    double end = 0;
    for (size_t i = 0; i < row->count; i++)
        end = fmax(end, row->bars[i].to);
    return end;
}

double timeline_overlap(const struct timeline_row *row)
{
    double both = 0;
    const double kernels = sum_of(row, TIMELINE_KERNEL);
    for (size_t i = 0; i < row->count; i++)
        for (size_t k = 0; k < row->count && row->bars[i].lane == TIMELINE_KERNEL; k++)
            if (row->bars[k].lane == TIMELINE_COPY)
                both += fmax(0, fmin(row->bars[i].to, row->bars[k].to) -
                                    fmax(row->bars[i].from, row->bars[k].from));
    return kernels > 0 ? fmin(1, both / kernels) : 0;
}

static double last_end(const struct timeline *timeline)
{
    double end = 1;
    for (size_t i = 0; i < timeline->count; i++)
        end = fmax(end, end_of(&timeline->rows[i]));
    return end;
}

static void write_table(struct table *out, struct figure *figure)
{
    struct timeline *const timeline = (struct timeline *)figure;
    static const struct table_column columns[] = {{"", NULL, false},
                                                  {"copies, ms", NULL, true},
                                                  {"kernels, ms", NULL, true},
                                                  {"end, ms", NULL, true},
                                                  {"kernels beside copies, %", NULL, true}};
    memcpy(timeline->columns, columns, sizeof columns);
    *out = (struct table){.columns = timeline->columns,
                          .column_count = sizeof columns / sizeof *columns};
    for (size_t i = 0; i < timeline->count; i++) {
        const struct timeline_row *row = &timeline->rows[i];
        table_add(out, row->label);
        table_addf(out, "%.3f", sum_of(row, TIMELINE_COPY) / 1e3);
        table_addf(out, "%.3f", sum_of(row, TIMELINE_KERNEL) / 1e3);
        table_addf(out, "%.3f", end_of(row) / 1e3);
        table_addf(out, "%.0f", 100 * timeline_overlap(row));
    }
}

/* --- HTML --------------------------------------------------------------------------------- */

static void draw_bar(struct text *out, const struct axis *axis, double top,
                     const struct timeline_bar *bar)
{
    const double from = axis_place(axis, bar->from / 1e3);
    const double to = fmax(axis_place(axis, bar->to / 1e3), from + 2);
    const double y = top + LABEL + 4 + (bar->lane == TIMELINE_KERNEL ? BAR + 1 : 0);
    const struct svg_point corners[] = {{from, y}, {to, y}, {to, y + BAR}, {from, y + BAR}};
    svg_polygon(out, lane_classes[bar->lane], corners, 4);
}

static void draw_axis(struct text *out, const struct axis *axis, double bottom)
{
    char label[NUMBER_CHARS];
    for (size_t i = 0; i < axis->tick_count; i++) {
        const double x = axis_place(axis, axis->ticks[i]);
        svg_line(out, "grid", (struct svg_point){x, 0}, (struct svg_point){x, bottom});
        svg_text(out, "",
                 i + 1 == axis->tick_count ? SVG_END
                 : i                       ? SVG_MIDDLE
                                           : SVG_START,
                 (struct svg_point){x, bottom + 14}, axis_label(label, axis, axis->ticks[i]));
    }
    svg_text(out, "axis", SVG_END, (struct svg_point){RIGHT, bottom + 29}, "milliseconds");
}

static void draw(struct text *out, const struct timeline *timeline, const char *alternative)
{
    const double bottom = (double)timeline->count * ROW;
    struct axis axis;
    axis_fit_linear(&axis, 0, last_end(timeline) / 1e3, TICKS);
    axis.from = LEFT;
    axis.to = RIGHT;
    svg_open(out, "wide", WIDTH, bottom + AXIS, alternative);
    draw_axis(out, &axis, bottom);
    for (size_t i = 0; i < timeline->count; i++) {
        const struct timeline_row *row = &timeline->rows[i];
        const double top = (double)i * ROW;
        svg_text(out, "axis", SVG_START, (struct svg_point){LEFT, top + LABEL}, row->label);
        for (size_t k = 0; k < row->count; k++)
            draw_bar(out, &axis, top, &row->bars[k]);
    }
    svg_close(out);
}

static void add_legend(struct text *out)
{
    enum { KEY_WIDTH = 28, KEY_HEIGHT = 12 };
    const struct svg_point corners[] = {{1, 1},
                                        {KEY_WIDTH - 1, 1},
                                        {KEY_WIDTH - 1, KEY_HEIGHT - 1},
                                        {1, KEY_HEIGHT - 1}};
    text_adds(out, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < TIMELINE_LANES; i++) {
        text_adds(out, "<li>");
        svg_open(out, "key", KEY_WIDTH, KEY_HEIGHT, "");
        svg_polygon(out, lane_classes[i], corners, 4);
        svg_close(out);
        markup_element(out, "span", NULL, lane_names[i]);
        text_adds(out, "</li>\n");
    }
    text_adds(out, "</ul>\n");
}

static void write_html(struct text *out, struct figure *figure)
{
    struct timeline *const timeline = (struct timeline *)figure;
    struct text alternative = {0};
    for (size_t i = 0; i < timeline->count; i++)
        text_addf(&alternative, "%s%s: %.3f ms, %.0f %% of the kernels' time beside copies",
                  i ? "; " : "", timeline->rows[i].label, end_of(&timeline->rows[i]) / 1e3,
                  100 * timeline_overlap(&timeline->rows[i]));
    out->failed |= timeline->failed || alternative.failed;
    add_legend(out);
    draw(out, timeline, alternative.at ? alternative.at : "");
    text_dispose(&alternative);
}

/* --- As text ------------------------------------------------------------------------------ */

static void write_line(struct text *out, const struct timeline_row *row,
                       enum timeline_lane lane, double end, int columns)
{
    static const char *const marks[TIMELINE_LANES] = {"#", "="};
    for (int i = 0; i < columns; i++) {
        const double from = end * i / columns, to = end * (i + 1) / columns;
        bool is_there = false;
        for (size_t k = 0; k < row->count && !is_there; k++)
            is_there =
                row->bars[k].lane == lane && row->bars[k].from < to && row->bars[k].to > from;
        text_adds(out, is_there ? marks[lane] : ".");
    }
    text_addf(out, "  %s\n", lane_names[lane]);
}

static void write_text(struct text *out, struct figure *figure,
                       const struct terminal_style *style)
{
    enum { BESIDE = 22, COLUMNS_MAX = 72 };
    struct timeline *const timeline = (struct timeline *)figure;
    const int room = style->width - BESIDE;
    const int columns = room > COLUMNS_MAX ? COLUMNS_MAX : room > 1 ? room : 1;
    const double end = last_end(timeline);
    out->failed |= timeline->failed;
    for (size_t i = 0; i < timeline->count; i++) {
        text_add_visible(out, timeline->rows[i].label);
        text_addf(out, ": %.3f ms\n", end_of(&timeline->rows[i]) / 1e3);
        for (int lane = 0; lane < TIMELINE_LANES; lane++)
            write_line(out, &timeline->rows[i], (enum timeline_lane)lane, end, columns);
    }
}

const struct figure_kind timeline_kind = {write_html, write_table, write_table, write_text,
                                          dispose};
