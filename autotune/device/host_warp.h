/* host_warp: computes what an operation of a warp gives each of its lanes. Pure. */
#ifndef AUTOTUNE_HOST_WARP_H
#define AUTOTUNE_HOST_WARP_H

#include "templates/host/host_shim.h"

#include <stdint.h>

enum { HOST_LANES = 32 };

/* What a lane brings, and what it takes home. */
struct host_lane {
    uint64_t value; /* 4 or 8 bytes in the low end */
    uint64_t result;
    unsigned lane, width; /* a shuffle's operands */
};

/* Fills in the result of each lane of `mask`; lanes[i] is lane i. A shuffle from a lane that
 * takes no part, which CUDA leaves undefined, gives `garbage`. */
void host_warp_eval(enum host_op op, unsigned mask, struct host_lane lanes[HOST_LANES],
                    uint64_t garbage);

#endif
