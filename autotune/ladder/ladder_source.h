/* ladder_source: the CUDA source of a rung, in its historical form too where that is wrong
 * today.
 */
#ifndef AUTOTUNE_LADDER_SOURCE_H
#define AUTOTUNE_LADDER_SOURCE_H

#include "autotune/cli/setup.h"
#include "autotune/ladder/ladder_rung.h"

/* Appends it; the params of `opened` are then those of the last form. */
int ladder_source_add(struct text *out, const struct setup *setup, const struct rung *rung,
                      struct ladder_rung *opened, struct error *error);

#endif
