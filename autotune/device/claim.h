/* claim: tells processes of one machine that they use the same GPU, whose times each would spoil. */
#ifndef AUTOTUNE_CLAIM_H
#define AUTOTUNE_CLAIM_H

#include <stdbool.h>

/* Claims a GPU by its UUID until this process ends, however it ends. False where another process has
 * it; true too where that cannot be known: between containers with networks of their own, or without
 * a UUID (""). */
bool claim_gpu(const char *uuid);

#endif
