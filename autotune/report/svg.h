/* svg: draws the few shapes that charts are made of. Classes of templates/report/report.html
 * give their style, so that one drawing serves light, dark and paper. */
#ifndef AUTOTUNE_SVG_H
#define AUTOTUNE_SVG_H

#include "generator/text.h"

#include <stddef.h>

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

struct svg_point {
    double x, y;
};

/* Opens a drawing of that size; `alternative` is the text for screen readers. */
void svg_open(struct text *out, const char *class, double width, double height,
              const char *alternative);
void svg_close(struct text *out);

void svg_line(struct text *out, const char *class, struct svg_point from, struct svg_point to);
void svg_polyline(struct text *out, const char *class, const struct svg_point *points,
                  size_t count);

/* A filled area. */
void svg_polygon(struct text *out, const char *class, const struct svg_point *points,
                 size_t count);

/* The text's baseline is at `at`. */
void svg_text(struct text *out, const char *class, enum svg_anchor anchor, struct svg_point at,
              const char *string);

/* A mark of the `shape`th kind (circle, square, triangle, diamond, and again), so that series
 * can be told apart without colour; `title` is its tooltip, NULL = none. */
void svg_mark(struct text *out, const char *class, size_t shape, struct svg_point at,
              double size, const char *title);

#endif
