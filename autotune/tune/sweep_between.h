/* sweep_between: measures what serves between the sizes of a sweep: finds the borders of its intervals,
 * and holds what it chose beside what would serve without it, at n drawn at random. */
#ifndef AUTOTUNE_SWEEP_BETWEEN_H
#define AUTOTUNE_SWEEP_BETWEEN_H

#include "autotune/tune/sweep_race.h"

/* After all sizes of a sweep of n. Each n at which a border or a loss was found becomes a size of its
 * regime. Says what tuning gained. */
int sweep_between(struct sweep *sweep, struct error *error);

#endif
