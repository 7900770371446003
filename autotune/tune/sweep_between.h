/* sweep_between: measures what serves between the sizes of a sweep: finds the borders of its intervals,
 * and holds what it chose beside what would serve without it, at n or shapes drawn at random. */
#ifndef AUTOTUNE_SWEEP_BETWEEN_H
#define AUTOTUNE_SWEEP_BETWEEN_H

#include "autotune/tune/sweep_race.h"

/* After all sizes of a sweep of n. Each n at which a border or a loss was found becomes a size of its
 * regime. Says what tuning gained. */
int sweep_between(struct sweep *sweep, struct error *error);

/* A shape to look at. */
struct sweep_drawn {
    struct dims dims;
    enum regime regime;
};

/* After all shapes of a grid, `done` and written, of which there are no intervals. Where what serves one
 * of these others is slower than what is at hand, its winner is written too and added to `done`. Says
 * what tuning gained. */
int sweep_between_shapes(struct sweep *sweep, const struct sweep_drawn *drawn, size_t count,
                         struct records *done, struct error *error);

#endif
