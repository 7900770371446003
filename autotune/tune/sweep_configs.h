/* sweep_configs: lists the configs that are raced at a size of a sweep, none twice. */
#ifndef AUTOTUNE_SWEEP_CONFIGS_H
#define AUTOTUNE_SWEEP_CONFIGS_H

#include "autotune/cli/setup.h"
#include "autotune/search/tune.h"

/* Set the first two, and no more than `most` are listed: TUNE_CONFIGS_MAX at most. */
struct sweep_configs {
    const struct setup *setup; /* of the size */
    size_t most, count;
    int64_t configs[TUNE_CONFIGS_MAX * SPACE_PARAMS_MAX];
};

/* Adds one that can run at the size, whatever the rules say. */
void sweep_configs_add(struct sweep_configs *list, const int64_t *values);

/* Adds one of another size, given by a record's params, where the rules allow it here. -1: these are none
 * of the space's. */
int sweep_configs_add_params(struct sweep_configs *list, const char *params,
                             struct error *error);

/* The same for configs of `records`, by number. */
int sweep_configs_add_numbers(struct sweep_configs *list, const struct records *records,
                              const uint64_t *numbers, size_t count, struct error *error);

#endif
