/* ladder_choice: chooses the rungs of a ladder run, and the block sizes of each. */
#ifndef AUTOTUNE_LADDER_CHOICE_H
#define AUTOTUNE_LADDER_CHOICE_H

#include "autotune/cli/request.h"
#include "autotune/ladder/ladder.h"
#include "autotune/ladder/ladder_rung.h"

#define LADDER_GRID_BLOCKS "32..1024" /* the sizes of a grid where none are given */

enum { LADDER_RUNGS_ASKED = 64 };

/* What ladder alone has options for. */
struct ladder_request {
    const char *blocks, *source;           /* sizes; the rung to print; NULL = none */
    const char *rungs[LADDER_RUNGS_ASKED]; /* names of rungs or groups; none = all */
    size_t rung_count;
    bool grid, published; /* published: show what documents say, run nothing */
};

struct ladder_choice {
    struct rungs rungs;
    bool is_chosen[RUNGS_MAX];
    struct ladder_rung opened[RUNGS_MAX]; /* the chosen rungs */
    unsigned blocks[LADDER_COLUMNS_MAX];
    size_t block_count; /* 0: each rung has its own */
};

/* Chooses by --rung, --grid and --blocks; without them all rungs. Rungs of one value and of
 * rows are not run together; where rungs of rows are named and no matrix is given, the request
 * gets the usual one. Initialise with zeros; close it in any case. */
int ladder_choice_open(struct ladder_choice *out, struct request *request, struct error *error);
/* Settles the params of the chosen rungs, for the problem and the target of the run. */
int ladder_choice_settle(struct ladder_choice *choice, const struct problem *problem,
                         const struct target *target, struct error *error);
void ladder_choice_close(struct ladder_choice *choice);

#endif
