/* ladder_choice: the rungs of a run of the ladder, and the sizes of block that each is run with. */
#ifndef AUTOTUNE_LADDER_CHOICE_H
#define AUTOTUNE_LADDER_CHOICE_H

#include "autotune/cli/request.h"
#include "autotune/ladder/ladder.h"
#include "autotune/ladder/ladder_rung.h"

#define LADDER_GRID_BLOCKS "32..1024" /* the sizes of a grid where none are given */

struct ladder_choice {
    struct rungs rungs;
    bool is_chosen[RUNGS_MAX];
    struct ladder_rung opened[RUNGS_MAX]; /* those that are chosen */
    unsigned blocks[LADDER_COLUMNS_MAX];
    size_t block_count; /* 0: each rung has its own */
};

/* What --rung, --grid and --blocks ask for: of all rungs without. Rungs of one value and of rows
 * are not climbed together; where rungs of rows are named and no matrix is given, the request
 * gets the usual one. Initialise with zeros; close it in any case. */
int ladder_choice_open(struct ladder_choice *out, struct request *request, struct error *error);
/* The params of those chosen, for the problem and the target that they will run with. */
int ladder_choice_settle(struct ladder_choice *choice, const struct problem *problem,
                         const struct target *target, struct error *error);
void ladder_choice_close(struct ladder_choice *choice);

#endif
