/* roofline_chart: draws kernels under the roofs of their GPU: GB/s over the instructions that threads
 * issue for a byte, both logarithmic; from one set of kernels as SVG, as a table and as text. */
#ifndef AUTOTUNE_ROOFLINE_CHART_H
#define AUTOTUNE_ROOFLINE_CHART_H

#include "autotune/compare/roofline.h"
#include "autotune/report/figure.h"

enum { ROOFLINE_GROUPS_MAX = 5 };

/* Initialise with zeros and the GPU. */
struct roofline_chart {
    struct figure figure;
    struct roofline_gpu gpu;
    struct roofline_kernel *kernels;
    size_t count;
    char groups[ROOFLINE_GROUPS_MAX][80]; /* what the legend calls kernels of each group */
    size_t group_count;
    bool failed; /* an allocation failed; the chart is left out */
    struct table_column columns[ROOFLINE_COLUMNS];
};

/* The number of the group of this name, which is added if it is new; the last where there is no room. */
unsigned roofline_chart_group(struct roofline_chart *chart, const char *name);

/* Adds a kernel. Only one with a speed and instructions has a place in the drawing; the table has all. */
void roofline_chart_add(struct roofline_chart *chart, const struct roofline_kernel *kernel);

/* The memory, the L2 cache and the issue of instructions are lines; where another roof of a kernel is
 * lower, a stroke above its mark is at it. Kernels are numbered as in the table. */
extern const struct figure_kind roofline_chart_kind;

#endif
