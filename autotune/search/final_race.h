/* final_race: the last part of a search, on the device: the best candidates and the space's default
 * raced against each other, and further proofs of those that came in first: special values,
 * rounding, n past 2^31. */
#ifndef AUTOTUNE_FINAL_RACE_H
#define AUTOTUNE_FINAL_RACE_H

#include "autotune/search/measurer.h"

enum { FINAL_RACE_PROVEN = 10 }; /* places that get the further proofs */

/* Entrant 0 of the race is the default. Every entrant is proven on the way; one that is wrong
 * is reported and left out, so that the first of `out` not reported has won. -1: the device is
 * lost, or the coordinator, or nothing right is left (ERROR_WRONG). */
int final_race_run(struct measurer *measurer, const struct job_race *job, struct job_raced *out,
                   struct error *error);

#endif
