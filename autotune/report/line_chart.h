/* line_chart: draws a figure over n: lines over a logarithmic axis, from one set of points as
 * SVG, as a table and as text. */
#ifndef AUTOTUNE_LINE_CHART_H
#define AUTOTUNE_LINE_CHART_H

#include "autotune/report/figure.h"

#include <stdbool.h>
#include <stddef.h>

enum { LINE_CHART_SERIES_MAX = 5 };

struct line_point {
    double x, y;
    double low, high; /* an interval around y; equal = none */
};

struct line_series {
    char name[80];
    struct line_point *points;
    size_t count;
};

/* Initialise with zeros and the titles. */
struct line_chart {
    struct figure figure;
    char x_title[80], y_title[80];
    char limit_name[80]; /* the name of a level line: "theoretical peak, 4814 GB/s" */
    double limit;        /* 0 = none */
    bool from_zero;      /* the y axis begins there */
    bool is_log;         /* the y axis is logarithmic, as the x axis always is */
    struct line_series series[LINE_CHART_SERIES_MAX];
    size_t series_count;
    bool failed; /* an allocation failed; the chart is left out */
    struct table_column columns[1 + LINE_CHART_SERIES_MAX]; /* of its table */
};

/* Begins another series for line_chart_add. Series without room are dropped. */
void line_chart_begin(struct line_chart *chart, const char *name);

/* Adds a point, x and y above 0; they may come in any order. */
void line_chart_add(struct line_chart *chart, struct line_point point);

/* A line joins two points of a series only where no other series has a point between them.
 * Ticks of n are at powers of two where all n are such, else of ten. HTML: a legend, and a
 * drawing for wide screens and one for narrow ones. Tables: a row for each x, a column for each
 * series. As text the first series, as bars. */
extern const struct figure_kind line_chart_kind;

#endif
