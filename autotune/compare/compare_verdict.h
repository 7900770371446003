/* compare_verdict: answers a comparison of GPUs in a few sentences: what is equal, what differs, from
 * which n on, what is not known, and which command would settle that. */
#ifndef AUTOTUNE_COMPARE_OUTCOME_H
#define AUTOTUNE_COMPARE_OUTCOME_H

#include "autotune/compare/compare.h"
#include "generator/text.h"

/* Appends the sentences, each behind its label, and an empty line; prediction_run comes before. The
 * first GPU is set beside each of the others. A failed allocation is remembered in `out`. */
void compare_outcome(struct text *out, const struct compare *compare);

#endif
