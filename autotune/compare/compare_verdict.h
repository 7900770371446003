/* compare_verdict: answers a comparison of GPUs in a few sentences: what is equal, what
 * differs, from which n on, what is not known, and which command would settle that. */
#ifndef AUTOTUNE_COMPARE_VERDICT_H
#define AUTOTUNE_COMPARE_VERDICT_H

#include "autotune/compare/compare.h"
#include "generator/text.h"

/* Appends the sentences, each after its label, and an empty line; call prediction_run first.
 * The first GPU is compared with each of the others. A failed allocation is remembered in
 * `out`. */
void compare_verdict(struct text *out, const struct compare *compare);

/* The options of a sweep of such dims, of sizes that 8 GB hold: "--n 1K..1G". */
const char *compare_sweep_options(const struct dims *dims);

#endif
