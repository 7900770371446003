/* bar_chart: things side by side by one figure: bars of HTML, a table, and text. */
#ifndef AUTOTUNE_BAR_CHART_H
#define AUTOTUNE_BAR_CHART_H

#include "autotune/report/table.h"
#include "autotune/report/terminal.h"

#include <stdbool.h>
#include <stddef.h>

/* What a figure is, so that none is taken for another. */
enum bar_kind { BAR_MEASURED, BAR_EMULATED, BAR_PUBLISHED, BAR_PREDICTED, BAR_NONE, BAR_KINDS };
extern const char *const bar_kinds[BAR_KINDS]; /* "measured", ... */

struct bar {
    char label[160];
    char note[240]; /* beside the figure; "" = nothing */
    double value;
    char text[48]; /* stands where the value would; "" = the value, with its unit */
    enum bar_kind kind;
};

/* Initialise with zeros and the titles. */
struct bar_chart {
    char title[200], unit[24];
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

/* Appends what stands within a <figure>. */
void bar_chart_html(struct text *out, struct bar_chart *chart);

/* A row a bar. Dispose of the table before the chart. */
void bar_chart_table(struct table *out, struct bar_chart *chart);

void bar_chart_draw(struct text *out, struct bar_chart *chart,
                    const struct terminal_style *style);

void bar_chart_dispose(struct bar_chart *chart);

#endif
