/* ladder_measure: proves and times kernels of many spaces for one problem, one after the other,
 * in one worker process. The input and the bench are made once; a kernel that ends the worker
 * costs only its own step. */
#ifndef AUTOTUNE_LADDER_MEASURE_H
#define AUTOTUNE_LADDER_MEASURE_H

#include "autotune/search/job.h"
#include "autotune/search/tune_job.h"

struct ladder_measure_step {
    struct job_other_space other_kernel;
    struct trial trial; /* from here on set by ladder_measure_all */
    uint64_t proofs;    /* small runs compared */
};

struct ladder_measure_options {
    uint64_t seed;
    double limit_s;            /* a step without a message for so long is hung; 0 = the usual */
    bool (*is_stopping)(void); /* asked between messages; true: ERROR_INTERRUPTED */
    void (*show)(void *context, uint64_t done, uint64_t total); /* progress; NULL = none */
    void *context;
};

/* Judges every step, and gives the blocks that the device starts in a second, 0 where that is not known.
 * `job` says where: its problem, sources, first device and NVRTC; its space
 * is the worker's own, whose default warms the device up and flushes the L2. -1: no worker can
 * serve, a step's space or template cannot be read, or interrupted. */
int ladder_measure_all(struct ladder_measure_step *steps, size_t count,
                       const struct tune_job *job, const struct ladder_measure_options *options,
                       double *out_blocks, struct error *error);

#endif
