/* sass_walk: follows a warp through a kernel's code as far as branches can be told: loops run as often as
 * a thread has bytes to load, or a block barriers to pass. Counts what is issued, not what is
 * written, and how often a thread waits for what it loads. */
#ifndef AUTOTUNE_SASS_WALK_H
#define AUTOTUNE_SASS_WALK_H

#include "generator/error.h"

#include <stdbool.h>

/* What a full block does. */
struct sass_block {
    double bytes; /* that each of its threads loads */
    unsigned warps;
    unsigned barriers; /* of the block that a thread passes; 0 = not known, or none */
};

/* What its warps issue, all together. Once the last barrier is passed, what a branch may leave out
 * counts for one warp. */
struct sass_issue {
    double instructions;
    double in_tree; /* of these, in loops with a barrier and without a load */
    double memory; /* cycles that the pipe to shared memory and L1 cache takes for them, without
                       * bank conflicts */
    double divisions; /* of whole numbers by ones that the compiler does not know: / and % */
    double joined;    /* values of a warp that REDUX adds */
    double waits;     /* of a thread for what it loaded: loads between two of them are in flight
                       * together */
};

/* Of code that sass_count takes. A thread that loads more than a MiB is followed so far, and the counts
 * are scaled. Calls count as one instruction. ERROR_FAILED: no memory is left. */
int sass_walk(struct sass_issue *out, const char *text, bool is_ptx,
              const struct sass_block *block, struct error *error);

#endif
