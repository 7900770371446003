/* compare_portability: says in one figure how well a problem's best kernels do on all GPUs. */
#ifndef AUTOTUNE_COMPARE_PORTABILITY_H
#define AUTOTUNE_COMPARE_PORTABILITY_H

#include "autotune/compare/compare.h"

/* Performance portability of a line, in percent: the harmonic mean over all GPUs of the share
 * of the theoretical bandwidth (architectural efficiency). S. J. Pennycook, J. D. Sewall, V. W.
 * Lee, "Implications of a metric for performance portability", Future Generation Computer
 * Systems 92 (2019). From measured figures, or published ones, where all GPUs have these:
 * `basis` says which. Else, with COMPARE_BOUND, an upper limit: from the known shares, and the
 * bound of each other GPU. Negative, with COMPARE_NOTHING: some GPU has not even a bound. */
double compare_portability(const struct compare *compare, const struct compare_line *line,
                           enum compare_basis *basis);

#endif
