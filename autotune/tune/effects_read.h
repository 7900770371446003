/* effects_read: takes the trials whose effects are asked for, of a search that has just ended or
 * from its journal. */
#ifndef AUTOTUNE_EFFECTS_READ_H
#define AUTOTUNE_EFFECTS_READ_H

#include "autotune/search/tune_result.h"
#include "autotune/tune/effects.h"
#include "cache/journal.h"

/* Fills `out`, which has its space, with all that were measured, and finds the params. */
int effects_read_result(struct effects *out, const struct tune_result *result,
                        struct error *error);

/* The same from a journal, which also has trials of other spaces: of these those alone that the
 * context's space would try. No trial was raced then. */
int effects_read_journal(struct effects *out, const struct point_context *context,
                         const struct journal *journal, struct error *error);

#endif
