/* ladder_figures: what is computed of a rung, not measured: of its warps in shared memory, by
 * the emulator, and of its machine code on a GPU that may be elsewhere. */
#ifndef AUTOTUNE_LADDER_FIGURES_H
#define AUTOTUNE_LADDER_FIGURES_H

#include "autotune/cli/setup.h"
#include "autotune/ladder/ladder.h"
#include "autotune/ladder/ladder_rung.h"

struct nvrtc;

/* What figures are of, and what makes them. */
struct ladder_figures {
    const struct setup *setup;
    char gpu[128];        /* its name; "" = no GPU is meant, and nothing is known of one */
    struct target target; /* of that GPU */
    struct problem problem;
    uint64_t peak_bytes; /* per second */
    int clock_khz;
    struct nvrtc *nvrtc; /* compiles for it; NULL = none does */
    struct error why;    /* the first thing that cannot be computed; ERROR_NONE = none */
};

/* Of the device of `setup`; with the host as device of the GPU of --gpu, if any, for the n that
 * is usual there unless one was given. ERROR_USAGE: there is no such GPU, or the device is
 * another. */
int ladder_figures_open(struct ladder_figures *out, const struct setup *setup,
                        const struct request *request, struct error *error);
void ladder_figures_close(struct ladder_figures *figures);

/* A cell whose pattern and analysis are wanted, and the rung and the config of its that it is of. */
struct ladder_wanted {
    struct ladder_cell *cell;
    const struct ladder_rung *rung;
    const int64_t *config;
};

/* Fills the cells in, in threads, one a CPU: the compilers take a second for each. What cannot
 * be had is left unknown, and `why` says it; what an interrupt leaves is unknown too. */
void ladder_figures_fill(struct ladder_figures *figures, const struct ladder_wanted *wanted,
                         size_t count);

#endif
