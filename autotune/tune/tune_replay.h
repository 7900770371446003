/* tune_replay: runs strategies on a journal's trials, and shows what each would have found, as
 * a table. */
#ifndef AUTOTUNE_TUNE_REPLAY_H
#define AUTOTUNE_TUNE_REPLAY_H

#include "autotune/cli/request.h"

/* Runs --replay: with --strategy, else each of race, exhaustive and random in turn. */
int tune_replay(const struct request *request, struct error *error);

#endif
