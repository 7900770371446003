/* compare_text: GPUs side by side for people, in at most 120 columns: a table of the sizes of
 * each problem with some columns a GPU, what its letters stand for, what holds these back, and
 * in sentences what follows. */
#ifndef AUTOTUNE_COMPARE_TEXT_H
#define AUTOTUNE_COMPARE_TEXT_H

#include "autotune/compare/compare.h"

/* Appends all of it; prediction_run comes before. Two records that name one kernel by the same
 * params share a letter. A failed allocation is remembered in `out`. */
void compare_text(struct text *out, const struct compare *compare, bool is_bold);

#endif
