/* pipeline: defines what reduces data on the host: lanes, each a stream with room for a chunk on the
 * GPU, and tickets, each a chunk under way, with its pinned buffers. Chunks take lanes and tickets in
 * turn. */
#ifndef AUTOTUNE_PIPELINE_H
#define AUTOTUNE_PIPELINE_H

#include "autotune/library/copiers.h"
#include "autotune/library/plan.h"

enum {
    PIPELINE_LANES = 16,
    PIPELINE_TICKETS = 2 * PIPELINE_LANES,
    PIPELINE_LEVELS = 64,       /* of the tree of chunks, for order n */
    PIPELINE_LIST = 1 << 16,    /* results of chunks that are kept before they are combined */
    PIPELINE_CHUNK_STEP = 1024, /* elements: a leaf of order 1 */
    PIPELINE_RESULT_BYTES = 64, /* of a pinned place for a result */
};

struct pipeline_lane {
    void *stream;
    /* A chunk; of a scan room for one element lies before it, and for one behind. */
    uint64_t input;
    uint64_t output; /* its result; of a scan its results, the one before the first in front */
    struct autotune_workspace *workspace;
    struct autotune_workspace *first; /* of an exclusive scan's first chunk */
    void *carried;                    /* event: of a scan, its last result is there */
};

/* When the pieces of a chunk's work were done, from the beginning of the run, in ns. */
struct pipeline_bar {
    double copy_from_ns, copy_to_ns, kernel_to_ns;
};

/* Watches a run: `bars` has room for `most` chunks. */
struct pipeline_watch {
    struct pipeline_bar *bars;
    size_t most, count;
};

enum pipeline_mark { MARK_COPY, MARK_COPIED, MARK_REDUCED, PIPELINE_MARKS };

struct pipeline_ticket {
    void *done;             /* event */
    unsigned char *filled;  /* pinned, a chunk's elements; NULL until it is needed */
    unsigned char *results; /* pinned, of a reduction one; of a scan NULL until it is needed */
    void *marks[PIPELINE_MARKS]; /* events, if the run is watched */
    const unsigned char *elements;
    unsigned char *to; /* where its results are copied to */
    uint64_t chunk, count;
    bool is_queued;
};

struct autotune_pipeline {
    struct autotune_context *context;
    struct problem problem; /* n: what it is made fast for */
    struct autotune_plan *plan, *first_plan, *list_plan;
    uint64_t element_bytes, result_bytes;
    uint64_t chunk; /* elements */
    unsigned streams, copier_count;
    bool is_tuned;
    bool is_breadth_first; /* copies of a round of lanes, then kernels */
    bool leaves_pageable;  /* pageable memory is left to the driver to copy */
    struct pipeline_watch *watch;
    void *start; /* event, if the run is watched */
    struct pipeline_lane lanes[PIPELINE_LANES];
    struct pipeline_ticket tickets[PIPELINE_TICKETS];
    unsigned char *places; /* pinned: a result for each ticket, and one more */
    uint64_t pinned_bytes, device_bytes;
    struct copiers *copiers;
    atomic_bool is_running; /* a call is under way */
    /* Results of chunks. */
    struct autotune_workspace *list_workspace;
    uint64_t list_memory; /* on the device */
    unsigned char *list;  /* PIPELINE_LIST results, or the elements that positions point to */
    uint64_t *list_positions; /* of these */
    size_t list_count, list_most;
};

/* What a run reads and writes. */
struct pipeline_run {
    struct autotune_pipeline *pipeline;
    const unsigned char *memory; /* all elements, or NULL: `read` gives them */
    bool is_direct;              /* the GPU copies from `memory` itself */
    copiers_copy *read;          /* the caller's: what it answers is not trusted */
    void *context;
    bool is_parallel;
    uint64_t bytes;        /* of `memory` */
    unsigned char *output; /* the result; of a scan all results, or NULL: `sink` takes them */
    bool is_output_direct;
    const struct autotune_sink *sink;
    /* So far: */
    uint64_t chunks, elements, retired;
    unsigned tickets;              /* of the pipeline's that are used */
    double level[PIPELINE_LEVELS]; /* for order n: a subtree of 2^k chunks */
};

/* `host` is the problem of data on the host. Arguments are checked before they come here. */
int pipeline_make(struct autotune_pipeline **out, struct autotune_context *context,
                  const struct problem *host, const struct autotune_plan_options *from,
                  const struct autotune_pipeline_options *options, struct error *error);
/* `is_current`: the device can still be used. */
void pipeline_free(struct autotune_pipeline *pipeline, bool is_current);

/* Starts or ends watching: what `watch` says of the runs from now on; NULL: nothing. */
int pipeline_set_watch(struct autotune_pipeline *pipeline, struct pipeline_watch *watch,
                       struct error *error);

/* Reduces or scans it all; `run` has how many elements there were. Nothing is under way any more
 * when it returns, after an error too. */
int pipeline_execute(struct pipeline_run *run, struct error *error);

/* Puts the results of chunks together, in their order: to the end of what is known, with what
 * `ticket` brought. */
int pipeline_take(struct pipeline_run *run, const struct pipeline_ticket *ticket,
                  struct error *error);

/* Writes the one result of all chunks. */
int pipeline_finish(struct pipeline_run *run, struct error *error);

#endif
