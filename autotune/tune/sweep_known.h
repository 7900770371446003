/* sweep_known: finds the records that exist for a sweep before it begins. */
#ifndef AUTOTUNE_SWEEP_KNOWN_H
#define AUTOTUNE_SWEEP_KNOWN_H

#include "autotune/cli/setup.h"

/* Loads the records of the setup's GPU. Warns of a damaged file; without a file there are no
 * records. */
int sweep_known_load(struct records *out, const struct request *request,
                     const struct setup *setup, struct error *error);

/* The record of the setup's problem and n, if it is exact and its tuning came to an end; NULL
 * otherwise. */
const struct record *sweep_known_size(const struct records *records,
                                      const struct request *request, const struct setup *setup);

/* Chooses the swept sizes of the setup's problem, that match exactly except for the size, in
 * the request's regimes, with their intervals. store_dispose frees them, after an error too. */
int sweep_known_choose(struct records *out, const struct records *records,
                       const struct request *request, const struct setup *setup,
                       struct error *error);

#endif
