/* compare_params: says of each param in which the winners of two GPUs differ what is known of it: a rule
 * that the other's value breaks, what that value costs by the journal, how many warps an SM holds
 * with it. */
#ifndef AUTOTUNE_COMPARE_PARAMS_H
#define AUTOTUNE_COMPARE_PARAMS_H

#include "autotune/compare/compare_gather.h"

/* Appends a table for each problem and each other GPU: for the largest size at which the first GPU's
 * winner and that one's differ. Of a brief comparison no warps are counted, for nothing is
 * compiled. */
void compare_params_print(struct text *out, const struct comparison *comparison,
                          bool bold_titles);

#endif
