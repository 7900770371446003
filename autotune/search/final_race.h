/* final_race: runs the last part of a search on the device: races the best candidates
 * against the space's default, and checks the finalists with special values, rounding, and n
 * past 2^31. */
#ifndef AUTOTUNE_FINAL_RACE_H
#define AUTOTUNE_FINAL_RACE_H

#include "autotune/search/measurer.h"

/* Entrant 0 of the race is the default. Every entrant is proven on the way; a wrong one is
 * reported and left out, so the first entrant of `out` that was not reported has won. -1: the
 * device or the coordinator is lost, or no entrant is right (ERROR_WRONG). */
int final_race_run(struct measurer *measurer, const struct job_race *job, struct job_raced *out,
                   struct error *error);

#endif
