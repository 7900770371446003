/* strategy: which points of a space to try. */
#ifndef AUTOTUNE_STRATEGY_H
#define AUTOTUNE_STRATEGY_H

#include "generator/point.h"

enum strategy {
    STRATEGY_EXHAUSTIVE, /* every point */
    STRATEGY_COVER,      /* a sample in which each pair of values stands together */
    STRATEGY_COUNT
};
extern const char *const strategy_names[STRATEGY_COUNT]; /* "exhaustive", "cover" */

int strategy_find(enum strategy *out, const char *name, struct error *error);

/* The points to try; point_dispose frees them. rejected and total are the whole space's. */
int strategy_points(struct points *out, const struct point_context *context,
                    enum strategy strategy, unsigned seed, struct error *error);

#endif
