/* rung_shares_print: prints the shares of the ladder's kernels for people, and as a table for
 * programs. */
#ifndef AUTOTUNE_RUNG_SHARES_PRINT_H
#define AUTOTUNE_RUNG_SHARES_PRINT_H

#include "autotune/compare/rung_shares.h"

/* Appends the sides, the kernels' shares on each, the rungs of each kernel with its cause, and
 * how figures came about. */
void rung_shares_print(struct text *out, struct rung_shares *shares, bool bold_titles);

/* A row for each figure, with every size of a block. */
void rung_shares_table(struct table *out, const struct rung_shares *shares);

#endif
