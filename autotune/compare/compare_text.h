/* compare_text: prints a comparison of GPUs for people, in at most 120 columns: first the answer and what
 * decides a port; then a table of the sizes of each problem with some columns for each GPU, a
 * legend of the kernels, what limits these, and sentences with the conclusions. */
#ifndef AUTOTUNE_COMPARE_TEXT_H
#define AUTOTUNE_COMPARE_TEXT_H

#include "autotune/compare/compare.h"

/* Appends the first screen; it needs no analysis of a kernel. */
void compare_screen(struct text *out, const struct compare *compare, bool is_bold);

/* Appends the rest; call prediction_run first. Two records that name one kernel by
 * the same params share a letter. A failed allocation is remembered in `out`. */
void compare_text(struct text *out, const struct compare *compare, bool is_bold);

#endif
