/* ladder_figures: computes figures of a rung without measuring: its bank conflicts, by the
 * emulator, and its machine code for a GPU that may be elsewhere. */
#ifndef AUTOTUNE_LADDER_FIGURES_H
#define AUTOTUNE_LADDER_FIGURES_H

#include "autotune/cli/setup.h"
#include "autotune/ladder/ladder.h"
#include "autotune/ladder/ladder_rung.h"

struct nvrtc;

/* The GPU and problem of the figures, and the compiler for them. */
struct ladder_figures {
    const struct setup *setup;
    char gpu[128];        /* its name; "" = no GPU was named */
    struct target target; /* of that GPU */
    struct problem problem;
    uint64_t peak_bytes; /* per second */
    int clock_khz;
    double blocks;       /* that it starts in a second, as its table has it; 0 = not known */
    struct nvrtc *nvrtc; /* compiles for that GPU; NULL = not available */
    struct error why;    /* the first thing that cannot be computed; ERROR_NONE = none */
};

/* Opens for the device of `setup`; with the host as device for the GPU of --gpu, if any, and
 * for that GPU's usual n unless one was given. ERROR_USAGE: there is no such GPU, or the device
 * is another. */
int ladder_figures_open(struct ladder_figures *out, const struct setup *setup,
                        const struct request *request, struct error *error);
void ladder_figures_close(struct ladder_figures *figures);

/* A cell whose pattern and analysis are wanted, with its rung and config. */
struct ladder_wanted {
    struct ladder_cell *cell;
    const struct ladder_rung *rung;
    const int64_t *config;
};

/* Fills the cells in, with a thread for each CPU: the compilers take a second for each cell.
 * Figures that fail are left unknown, with the reason in `why`; so are those after an
 * interrupt. */
void ladder_figures_fill(struct ladder_figures *figures, const struct ladder_wanted *wanted,
                         size_t count);

#endif
