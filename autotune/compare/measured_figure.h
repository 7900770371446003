/* measured_figure: one figure of a kernel, whether a record, a document or a table of the ladder has
 * it: of which problem, on which GPU, how it came about, how fast; and the cells that tables make of
 * it. */
#ifndef AUTOTUNE_MEASURED_FIGURE_H
#define AUTOTUNE_MEASURED_FIGURE_H

#include "autotune/compare/compare.h"
#include "autotune/print/columns.h"
#include "generator/dims_text.h"

/* A number as it is written; "" = unknown. */
struct measured_number {
    char text[NUMBER_CHARS];
    bool is_computed; /* in no document */
};

struct measured_figure {
    const struct problem *problem;
    const char *gpu, *kernel;   /* kernel: with its params, or as the document calls it */
    const char *basis;          /* "measured", "published", "at most", ... */
    const char *source, *cause; /* "" = none, unknown */
    struct measured_number us, ms, time; /* time: with its unit */
    struct measured_number gbs, share;   /* share: percent of the peak */
};

/* Of a comparison's cell. */
void measured_figure_of_cell(struct measured_figure *out, const struct compare *compare,
                             const struct compare_line *line, size_t side);

/* Of a document's time, its GB/s and its share, each as far as it is known. */
void measured_figure_of_values(struct measured_figure *out, const struct published_value *ms,
                               const struct published_value *gbs,
                               const struct published_value *share);

/* Cells of rows whose first member is a figure; the dims' are those of MEASURED_DIMS columns. */
columns_cell measured_op, measured_type, measured_acc, measured_order, measured_n,
    measured_depth, measured_dims, measured_gpu, measured_kernel, measured_basis,
    measured_source, measured_cause, measured_us, measured_ms, measured_time, measured_gbs,
    measured_share;

enum { MEASURED_DIMS = DIMS_TEXT_SHOWN_CELLS + DIMS_TEXT_CELLS };
extern const struct table_column measured_dims_columns[MEASURED_DIMS];

#endif
