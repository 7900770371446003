/* sweep_known: what records say of a sweep before it begins. */
#ifndef AUTOTUNE_SWEEP_KNOWN_H
#define AUTOTUNE_SWEEP_KNOWN_H

#include "autotune/cli/setup.h"

/* The records of the setup's GPU; a damaged file is warned of, no file is no records. */
int sweep_known_load(struct records *out, const struct request *request,
                     const struct setup *setup, struct error *error);

/* The record of the setup's problem and n, if it is exact and its tuning came to an end; NULL
 * otherwise. */
const struct record *sweep_known_size(const struct records *records,
                                      const struct request *request, const struct setup *setup);

/* The sizes of the setup's problem that were swept, all as exact but for the size, of the regimes
 * that the request has, and their intervals. store_dispose frees them, after an error too. */
int sweep_known_choose(struct records *out, const struct records *records,
                       const struct request *request, const struct setup *setup,
                       struct error *error);

#endif
