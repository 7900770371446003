/* verified: notes which operations of a user's own were proven on which GPU, by a tuning or by verify, so that what
 * serves without a record of that GPU need not be warned of. One file in the folder of the records. */
#ifndef AUTOTUNE_VERIFIED_H
#define AUTOTUNE_VERIFIED_H

#include "generator/error.h"
#include "generator/problem.h"

#include <stdbool.h>

/* What was proven, where: its operation, type and accumulator count, not its size. */
struct verified {
    const struct problem *problem;
    const char *gpu, *driver; /* as of struct device_info */
};

/* False, too, where the file is not there or may not be trusted. */
bool verified_has(const char *folder, const struct verified *what);

/* Adds it, unless it is there; makes the folder. ERROR_IO says why it is not kept. */
int verified_add(const char *folder, const struct verified *what, struct error *error);

#endif
