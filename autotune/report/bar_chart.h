/* bar_chart: draws a chart of one figure for several things: bars of HTML, a table, and
 * text. */
#ifndef AUTOTUNE_BAR_CHART_H
#define AUTOTUNE_BAR_CHART_H

#include "autotune/report/figure.h"

#include <stdbool.h>
#include <stddef.h>

/* The kind of a figure, shown so that kinds are not confused. */
enum bar_kind {
    BAR_MEASURED,
    BAR_EMULATED,
    BAR_PUBLISHED,
    BAR_COMPUTED, /* from published figures */
    BAR_PREDICTED,
    BAR_BOUND, /* at most the value */
    BAR_NONE,
    BAR_KINDS
};

struct bar {
    char label[160];
    char note[480]; /* next to the figure; "" = no note */
    double value;
    int digits;    /* significant digits of the value; 0 = the chart's */
    char text[48]; /* shown in place of the value; "" = the value, with its unit */
    enum bar_kind kind;
};

/* Initialise with zeros and the titles. */
struct bar_chart {
    struct figure figure;
    char unit[24];
    int digits;          /* significant digits of each value */
    char limit_name[96]; /* the meaning of a bar of full length */
    double limit;        /* its value; 0 = the longest bar's */
    struct bar *bars;
    size_t count;
    bool failed;
    struct table_column columns[4];
};

/* Adds a bar (copied). */
void bar_chart_add(struct bar_chart *chart, const struct bar *bar);

/* HTML and text: a line for each bar; tables: a row. */
extern const struct figure_kind bar_chart_kind;

#endif
