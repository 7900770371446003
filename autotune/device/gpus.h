/* gpus: the limits of each architecture, from configs/gpus.ini: what a kernel may use on a GPU
 * that is not here. Sources of the figures stand in that file. */
#ifndef AUTOTUNE_GPUS_H
#define AUTOTUNE_GPUS_H

#include "generator/error.h"
#include "generator/problem.h"

/* Fills `target` for "sm_90" (or "90", "9.0"); ERROR_USAGE lists the known ones. */
int gpus_find(struct target *target, const char *arch, struct error *error);

/* The names known, in order, NULL-terminated: "sm_70", "sm_75", ... */
const char *const *gpus_names(void);

#endif
