/* winner: ends a search: chooses the race's entrants, has them raced on the first device,
 * and names the winner. Hides the number of entrants and what makes one config simpler than
 * another. */
#ifndef AUTOTUNE_WINNER_H
#define AUTOTUNE_WINNER_H

#include "autotune/search/search.h"

/* Fills finalists, winner, ties and the race's figures. ERROR_WRONG when no candidate is right,
 * ERROR_NOISY when the race cannot decide. */
int winner_choose(struct search *search, const struct tune_job *job,
                  const struct tune_options *options, struct tune_result *result,
                  struct error *error);

#endif
