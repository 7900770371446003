/* svg: draws shapes, one function for each; coordinates have tenths. */
#include "autotune/report/svg.h"

#include "autotune/report/markup.h"

void svg_open(struct text *out, const char *class, double width, double height,
              const char *alternative)
{
    text_addf(out, "<svg class=\"%s\" viewBox=\"0 0 ", class);
    markup_number(out, width);
    text_adds(out, " ");
    markup_number(out, height);
    text_adds(out, "\" role=\"img\" aria-label=\"");
    markup_text(out, alternative);
    text_adds(out, "\">\n");
}

void svg_close(struct text *out)
{
    text_adds(out, "</svg>\n");
}

static void add_attribute(struct text *out, const char *name, double value)
{
    text_addf(out, " %s=\"", name);
    markup_number(out, value);
    text_adds(out, "\"");
}

void svg_line(struct text *out, const char *class, struct svg_point from, struct svg_point to)
{
    text_addf(out, "<line class=\"%s\"", class);
    add_attribute(out, "x1", from.x);
    add_attribute(out, "y1", from.y);
    add_attribute(out, "x2", to.x);
    add_attribute(out, "y2", to.y);
    text_adds(out, "/>\n");
}

static void add_points(struct text *out, const char *name, const char *class,
                       const struct svg_point *points, size_t count)
{
    text_addf(out, "<%s class=\"%s\" points=\"", name, class);
    for (size_t i = 0; i < count; i++) {
        text_adds(out, i ? " " : "");
        markup_number(out, points[i].x);
        text_adds(out, ",");
        markup_number(out, points[i].y);
    }
    text_adds(out, "\"");
}

void svg_polyline(struct text *out, const char *class, const struct svg_point *points,
                  size_t count)
{
    add_points(out, "polyline", class, points, count);
    text_adds(out, "/>\n");
}

void svg_polygon(struct text *out, const char *class, const struct svg_point *points,
                 size_t count)
{
    add_points(out, "polygon", class, points, count);
    text_adds(out, "/>\n");
}

void svg_text(struct text *out, const char *class, enum svg_anchor anchor, struct svg_point at,
              const char *string)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    text_addf(out, "<text class=\"%s\" text-anchor=\"%s\"", class, anchors[anchor]);
    add_attribute(out, "x", at.x);
    add_attribute(out, "y", at.y);
    text_adds(out, ">");
    markup_text(out, string);
    text_adds(out, "</text>\n");
}

/* Corners of the shapes, in halves of their size; a circle has none. */
static const struct {
    size_t count;
    struct svg_point at[4];
} shapes[] = {
    {0, {{0, 0}}},
    {4, {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}},
    {3, {{0, -1.2}, {1.1, 0.9}, {-1.1, 0.9}}},
    {4, {{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

void svg_mark(struct text *out, const char *class, size_t shape, struct svg_point at,
              double size, const char *title)
{
    const size_t kind = shape % SHAPES, count = shapes[kind].count;
    struct svg_point corners[4];
    for (size_t i = 0; i < count; i++)
        corners[i] = (struct svg_point){at.x + shapes[kind].at[i].x * size / 2,
                                        at.y + shapes[kind].at[i].y * size / 2};
    if (count) {
        add_points(out, "polygon", class, corners, count);
    } else {
        text_addf(out, "<circle class=\"%s\"", class);
        add_attribute(out, "cx", at.x);
        add_attribute(out, "cy", at.y);
        add_attribute(out, "r", size / 2);
    }
    text_adds(out, ">");
    if (title)
        markup_element(out, "title", NULL, title);
    text_adds(out, count ? "</polygon>\n" : "</circle>\n");
}
