/* ladder_source: prints the CUDA source of a rung, also in its historical form where that is
 * wrong today. */
#ifndef AUTOTUNE_LADDER_SOURCE_H
#define AUTOTUNE_LADDER_SOURCE_H

#include "autotune/cli/setup.h"
#include "autotune/ladder/ladder_rung.h"

/* Appends the source; afterwards `opened` has the params of the last form. */
int ladder_source_add(struct text *out, const struct setup *setup, const struct rung *rung,
                      struct ladder_rung *opened, struct error *error);

#endif
