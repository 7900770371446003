/* cause: explains why a rung of the ladder is not faster, in one sentence made of computed
 * figures: the memory near its peak; else atomic operations, loads that are not coalesced, idle SMs;
 * else the busiest of shared memory, the issue of instructions, bytes in flight and the start of
 * blocks; without machine code what the accesses of shared memory are like. docs/measuring.md has
 * the rules. */
#ifndef AUTOTUNE_CAUSE_H
#define AUTOTUNE_CAUSE_H

#include "autotune/ladder/ladder.h"

/* Writes the cell's cause, from its pattern, its analysis and its time; "" where none is
 * known. */
void cause_find(struct ladder_cell *cell, const struct ladder *ladder);

/* Appends a table of the figures that a group's causes rest on, and the causes below it;
 * nothing where none is known. For the first size of a block. */
void cause_print(struct text *out, const struct ladder *ladder, const struct rungs_group *group,
                 bool bold_titles);

/* Appends the notes below all tables: which GPU and size the figures of machine code are for,
 * and that times on the host are not those of a GPU. */
void cause_print_basis(struct text *out, const struct ladder *ladder,
                       const struct problem *problem);

#endif
