/* tune_replay: a strategy run on a journal's trials, and what it would have found, as a
 * table. */
#ifndef AUTOTUNE_TUNE_REPLAY_H
#define AUTOTUNE_TUNE_REPLAY_H

#include "autotune/cli/request.h"

/* --replay: with --strategy, else each of race, exhaustive and random in turn. */
int tune_replay(const struct request *request, struct error *error);

#endif
