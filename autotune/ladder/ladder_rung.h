/* ladder_rung: opens a rung of the ladder so that it can be emitted and run: its space,
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
    const struct rung *listed;       /* its entry in the list, which must outlive this */
};

/* The list of the ladder. */
int ladder_rung_list(struct rungs *out, struct error *error);

int ladder_rung_open(struct ladder_rung *out, const struct rungs *rungs,
                     const struct rung *rung, struct error *error);
void ladder_rung_close(struct ladder_rung *rung);

/* Sets the rung's usual dims, for a request without a size. */
void ladder_rung_dims(const struct ladder_rung *rung, struct problem *problem);

/* Does the rung reduce such dims? The second sets ERROR_USAGE if not. */
bool ladder_rung_serves(const struct ladder_rung *rung, const struct problem *problem);
int ladder_rung_match(const struct ladder_rung *rung, const struct problem *problem,
                      struct error *error);

/* Sets the params for this problem and target, where the space's default depends on them; keeps
 * the block size of the list. */
int ladder_rung_settle(struct ladder_rung *rung, const struct problem *problem,
                       const struct target *target, struct error *error);

/* Sets the block size; false when the space has no such size. */
bool ladder_rung_resize(struct ladder_rung *rung, unsigned threads);

/* The block size. */
unsigned ladder_rung_threads(const struct ladder_rung *rung);

#endif
