/* bar_chart: things side by side by one figure: bars of HTML, a table, and text. */
#ifndef AUTOTUNE_BAR_CHART_H
#define AUTOTUNE_BAR_CHART_H

#include "autotune/report/figure.h"

#include <stdbool.h>
#include <stddef.h>

/* What a figure is, so that none is taken for another. */
enum bar_kind { BAR_MEASURED, BAR_EMULATED, BAR_PUBLISHED, BAR_PREDICTED, BAR_NONE, BAR_KINDS };

struct bar {
    char label[160];
    char note[480]; /* beside the figure; "" = nothing */
    double value;
    char text[48]; /* stands where the value would; "" = the value, with its unit */
    enum bar_kind kind;
};

/* Initialise with zeros and the titles. */
struct bar_chart {
    struct figure figure;
    char unit[24];
    int digits;          /* that count, of each value */
    char limit_name[96]; /* what a bar of full length is */
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
