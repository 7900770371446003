/* request_part: parses --part: K/M, or auto for what a launcher of processes says. */
#ifndef AUTOTUNE_REQUEST_PART_H
#define AUTOTUNE_REQUEST_PART_H

#include "generator/error.h"
#include "generator/part.h"

/* "1/8" or "auto": the place among the processes that mpirun, srun or a job array of Slurm started,
 * by their variables. ERROR_USAGE. */
int request_part_parse(struct part *out, const char *value, struct error *error);

/* How many of the processes of a launcher are on this machine; 1 where it does not say. */
unsigned request_part_local(void);

#endif
