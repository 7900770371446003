/* compare_gather: builds a comparison of GPUs, problem by problem. */
#ifndef AUTOTUNE_COMPARE_GATHER_H
#define AUTOTUNE_COMPARE_GATHER_H

#include "autotune/compare/compare_input.h"
#include "autotune/ladder/rungs.h"

struct comparison {
    const struct request *request;
    /* All false when opened. */
    bool is_brief;      /* nothing is compiled or ranked: for the first screen alone */
    bool with_evidence; /* compile what the journals know, to rank predictions */
    bool with_progress; /* a line of it on a terminal, if nothing else shows its own */
    struct compare_input inputs[COMPARE_SIDES_MAX]; /* one a side */
    struct rungs rungs;
    struct compare compare;
};

/* Opens an input for each name (compare_input_open). More than COMPARE_SIDES_MAX are
 * ERROR_USAGE. `request` must outlive the comparison. */
int compare_gather_open(struct comparison **out, const struct request *request,
                        const char *const *names, size_t count, struct error *error);
void compare_gather_close(struct comparison *comparison); /* NULL is none */

/* Adds a line of autotune's kernels for the problem, unless it has one. */
int compare_gather_add(struct comparison *comparison, const struct problem *problem,
                       struct error *error);

/* Adds a line for each problem with a figure in a document about this input's GPU, if its n,
 * operation and type are those of the request `wanted`; `with_rows`, also problems with many
 * results. */
int compare_gather_add_published(struct comparison *comparison,
                                 const struct compare_input *input,
                                 const struct request *wanted, bool with_rows,
                                 struct error *error);

/* Adds a line for each requested problem with a figure of some side; without any record, a line
 * of autotune's kernels for the request's own problem, or that of the documents. */
int compare_gather_gather(struct comparison *comparison, struct error *error);

/* Sorts the lines and fills them in. */
void compare_gather_fill(struct comparison *comparison);

#endif
