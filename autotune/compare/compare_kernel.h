/* compare_kernel: opens the kernel of a winner, so that it can be compiled for another GPU. */
#ifndef AUTOTUNE_COMPARE_KERNEL_H
#define AUTOTUNE_COMPARE_KERNEL_H

#include "autotune/compare/published.h"
#include "autotune/ladder/ladder_rung.h"
#include "cache/record.h"

/* The best kernel for a problem on one GPU: a record, or a figure of a document, or neither. */
struct compare_winner {
    const struct record *record;
    const struct published *document;
    const struct published_figure *figure;
};

struct compare_kernel {
    struct ladder_rung rung; /* its space and config, from any of the three */
    struct emit_sources sources;
};

/* Without record and figure it is the default of the operation's space. An error says why there
 * is no such kernel here; close only after a success. */
int compare_kernel_open(struct compare_kernel *out, const struct compare_winner *winner,
                        const struct rungs *rungs, const struct problem *problem,
                        const struct target *target, struct error *error);

/* Changes the kernel as nearest_variant does, for the target. */
int compare_kernel_fit(struct compare_kernel *kernel, char *changed, size_t size,
                       const struct problem *problem, const struct target *target,
                       struct error *error);
void compare_kernel_close(struct compare_kernel *kernel);

#endif
