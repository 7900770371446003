/* comparison: GPUs that are set side by side, problem by problem. */
#ifndef AUTOTUNE_COMPARISON_H
#define AUTOTUNE_COMPARISON_H

#include "autotune/compare/compare_input.h"
#include "autotune/ladder/rungs.h"

struct comparison {
    const struct request *request;
    struct compare_input inputs[COMPARE_SIDES_MAX]; /* one a side */
    struct rungs rungs;
    struct compare compare;
};

/* Opens an input for each name (compare_input_open). More than COMPARE_SIDES_MAX are
 * ERROR_USAGE. `request` lives as long. */
int comparison_open(struct comparison **out, const struct request *request,
                    const char *const *names, size_t count, struct error *error);
void comparison_close(struct comparison *comparison); /* NULL is none */

/* Adds a line of autotune's kernels for the problem, unless it has one. */
int comparison_add(struct comparison *comparison, const struct problem *problem,
                   struct error *error);

/* Adds a line for each problem that documents about this input's GPU have a figure for, and of
 * which the request `wanted` asks for the n, the operation and the type; `with_rows`, also those
 * of many results. */
int comparison_add_published(struct comparison *comparison, const struct compare_input *input,
                             const struct request *wanted, bool with_rows, struct error *error);

/* Adds a line for each problem that some side has a figure for and the request asks for; where no
 * record is there, one of autotune's kernels for the request's own problem, or that of the
 * documents. */
int comparison_gather(struct comparison *comparison, struct error *error);

/* Sorts the lines and fills them in. */
void comparison_fill(struct comparison *comparison);

#endif
