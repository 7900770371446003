/* finalists: the end of a search: chooses who is raced, has them raced on the first device, and
 * names the winner. Hides how many are in and what makes one simpler than another. */
#ifndef AUTOTUNE_FINALISTS_H
#define AUTOTUNE_FINALISTS_H

#include "autotune/search/search.h"

/* Fills finalists, winner, ties and what the race was like. ERROR_WRONG when nothing right is
 * left, ERROR_NOISY when the race cannot decide. */
int finalists_run(struct search *search, struct error *error);

#endif
