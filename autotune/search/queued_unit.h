/* queued_unit: keeps a compiled unit from the worker that compiled it to one that measures.
 * Hides which of its candidates are still to be tried, and which equal others. */
#ifndef AUTOTUNE_QUEUED_UNIT_H
#define AUTOTUNE_QUEUED_UNIT_H

#include "autotune/search/search.h"

/* Takes over a JOB_COMPILED frame, the answer to `unit`. NULL with the error. */
struct queued_unit *queued_unit_open(struct search *search, struct frame *frame,
                                     const struct search_unit *unit, struct error *error);
void queued_unit_free(struct queued_unit *queued);

/* Lists the candidates still to be tried, in the strategy's order, and queues the unit; frees
 * it when there are none. A unit for the race is kept as it is. */
int queued_unit_add(struct search *search, struct queued_unit *queued, struct error *error);

/* The unit queued first, or NULL. */
struct queued_unit *queued_unit_take(struct search *search);

/* Lists those of these candidates that belong to the unit's variant `i`, without any that would
 * run the very same code and launches as one `seen` before. */
int queued_unit_choose(struct search *search, struct queued_unit *queued, size_t i,
                       const size_t *candidates, size_t count, struct trials_index *seen,
                       struct error *error);

/* The place of a variant in the unit; unit.count when it is not there. */
size_t queued_unit_find(const struct queued_unit *queued, uint64_t variant);

/* A hash of a variant's machine code, or where that is unknown of its sources: one compiler
 * makes the same machine code of the same sources. */
uint64_t queued_unit_hash(const struct queued_unit *queued, size_t i);

#endif
