/* nearest_variant: changes a config as little as the rules of its space demand. */
#ifndef AUTOTUNE_NEAREST_VARIANT_H
#define AUTOTUNE_NEAREST_VARIANT_H

#include "generator/point.h"

/* If a rule rejects the config (the values of all params) for the problem and the target, changes
 * it to the nearest that all rules allow: with the fewest params changed, of these with the last
 * ones of the space (as launch params are), of these with the nearest values, of named values the
 * default's. `changed` lists the changes ("LOAD=PLAIN STAGES=0"; "" = none). An error says that
 * the rules allow none. */
int nearest_variant(int64_t *config, char *changed, size_t size,
                    const struct point_context *context, struct error *error);

#endif
