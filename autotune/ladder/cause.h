/* cause: why a rung of the ladder is not faster, in one sentence made of computed figures: the
 * first that applies of atomic operations, divergence, bank conflicts, the tree in shared
 * memory, bytes in flight; else the memory itself. docs/measuring.md has the rules. */
#ifndef AUTOTUNE_CAUSE_H
#define AUTOTUNE_CAUSE_H

#include "autotune/ladder/ladder.h"

/* Writes the cell's cause, from its pattern, its analysis and its time; "" where nothing is known
 * for it. */
void cause_find(struct ladder_cell *cell, const struct ladder *ladder);

/* Appends what the causes of a group's rungs are made of, as a table, and the causes below it;
 * nothing where none is known. Of the first size of a block. */
void cause_print(struct text *out, const struct ladder *ladder, const struct rungs_group *group,
                 bool bold_titles);

/* Appends what is said below all tables: whose figures these are, of what size
 * those of machine code are, and that times on the host are no GPU's. */
void cause_print_basis(struct text *out, const struct ladder *ladder,
                       const struct problem *problem);

#endif
