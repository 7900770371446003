/* effects_cause: explains the effect of a param in one sentence, from what can be computed of two
 * kernels: the best with the param's best value, and the best with its worst. Names the figures by
 * which the slower one is worse; where there are none, it says so. docs/measuring.md has the rules. */
#ifndef AUTOTUNE_EFFECTS_CAUSE_H
#define AUTOTUNE_EFFECTS_CAUSE_H

#include "autotune/analysis/analysis.h"
#include "autotune/analysis/pattern.h"
#include "autotune/tune/effects.h"

/* What the trials ran on. */
struct effects_subject {
    const struct point_context *context;
    const struct emit_sources
        *sources;        /* NULL: kernels are not run on the emulator, which counts
                                         * accesses of shared memory and loads: they may be a
                                         * stranger's */
    uint64_t peak_bytes; /* of the GPU's memory per second; 0 = unknown */
};

/* The figures of one candidate. */
enum effects_figure {
    EFFECTS_LOADS,    /* instructions of warps that load, for 1024 elements */
    EFFECTS_ACCESSES, /* of shared memory by warps, for 1024 elements */
    EFFECTS_STEPS,    /* in shared memory from barrier to barrier, of a block */
    EFFECTS_WARPS,    /* on an SM */
    EFFECTS_FLIGHT,   /* bytes that an SM has asked for at a time */
    EFFECTS_BLOCKS,   /* of the first launch */
    EFFECTS_LAUNCHES,
    EFFECTS_FIGURES
};
enum { EFFECTS_UNKNOWN = -1 };
struct effects_figures {
    double of[EFFECTS_FIGURES]; /* or EFFECTS_UNKNOWN */
    double wanted;              /* bytes in flight that are enough; 0 = unknown */
};

/* Computes the figures of a config with so many registers per thread. What cannot be computed is
 * unknown. */
void effects_figures(struct effects_figures *out, const struct effects_subject *subject,
                     const int64_t *config, unsigned registers);

/* Appends the sentence's clauses: by what the slower is worse, most first; nothing where by
 * nothing. */
void effects_cause_compare(struct text *out, const struct effects_figures *faster,
                           const struct effects_figures *slower);

/* Writes the sentence of each param. */
void effects_explain(struct effects *effects, const struct effects_subject *subject);

#endif
