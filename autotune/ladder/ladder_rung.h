/* ladder_rung: a rung of the ladder as something that can be emitted and run: its space,
 * template and params, from the files built into the program. */
#ifndef AUTOTUNE_LADDER_RUNG_H
#define AUTOTUNE_LADDER_RUNG_H

#include "autotune/ladder/rungs.h"
#include "generator/emit.h"

struct ladder_rung {
    struct space *space;
    struct emit_file space_file, template;
    int64_t config[SPACE_NAMES_MAX]; /* its params over the space's default */
    int threads;                     /* the param that is the size of a block */
    const struct rung *listed;       /* as the list has it, which outlives this */
};

/* The list of the ladder. */
int ladder_rung_list(struct rungs *out, struct error *error);

int ladder_rung_open(struct ladder_rung *out, const struct rungs *rungs,
                     const struct rung *rung, struct error *error);
void ladder_rung_close(struct ladder_rung *rung);

/* Gives the problem dims that it reduces, where no size is asked for. */
void ladder_rung_dims(const struct ladder_rung *rung, struct problem *problem);

/* Does it reduce such dims? And ERROR_USAGE unless it does. */
bool ladder_rung_serves(const struct ladder_rung *rung, const struct problem *problem);
int ladder_rung_match(const struct ladder_rung *rung, const struct problem *problem,
                      struct error *error);

/* Its params for this problem and target, where the space's default depends on them; the size of the
 * block is the list's again. */
int ladder_rung_settle(struct ladder_rung *rung, const struct problem *problem,
                       const struct target *target, struct error *error);

/* Sets the size of the block; false when the space has none such. */
bool ladder_rung_resize(struct ladder_rung *rung, unsigned threads);

/* The size of its block. */
unsigned ladder_rung_threads(const struct ladder_rung *rung);

#endif
