/* trials_map: makes the heat map of a search's trials by two params, of each pair of values the best
 * GB/s. Knows params as text, so that it draws trials of a space that is not here too. */
#ifndef AUTOTUNE_TRIALS_MAP_H
#define AUTOTUNE_TRIALS_MAP_H

#include "autotune/report/heat_map.h"
#include "autotune/tune/effects.h"

/* Makes an empty map by the params that `axes` names, down and across, "BLOCK,ITEMS"; NULL: the first
 * two of `params`, which has all of them: "BLOCK=256 ITEMS=16 ...". ERROR_USAGE names them where
 * `axes` is not two of them. free() it, or give it to a document. */
int trials_map_make(struct heat_map **out, const char *axes, const char *params,
                    const struct problem *problem, struct error *error);

/* Explains the axes by the space. */
void trials_map_explain(struct heat_map *map, const struct space *space);

/* Adds a trial that has both params. */
void trials_map_add(struct heat_map *map, const struct problem *problem, const char *params,
                    uint64_t ps);

/* The same for all trials of `effects`, with the meaning of the axes, which are those of the greatest
 * effects where `axes` is NULL. */
int trials_map_of_effects(struct heat_map **out, const char *axes,
                          const struct effects *effects, const struct problem *problem,
                          struct error *error);

#endif
