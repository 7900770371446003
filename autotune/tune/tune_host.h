/* tune_host: tunes how data gets from the host to the GPU: how large a chunk is, how many streams
 * there are and how many threads copy. */
#ifndef AUTOTUNE_TUNE_HOST_H
#define AUTOTUNE_TUNE_HOST_H

#include "autotune/cli/request.h"

/* Tunes the problem, whose regime is PINNED or PAGEABLE, in a process of its own, keeps the record
 * and prints the result; an exact record answers instead. */
int tune_host(const struct request *request, struct error *error);

#endif
