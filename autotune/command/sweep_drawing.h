/* sweep_drawing: the sizes and intervals of one sweep: of one problem on one GPU. */
#ifndef AUTOTUNE_SWEEP_DRAWING_H
#define AUTOTUNE_SWEEP_DRAWING_H

#include "autotune/command/request.h"
#include "cache/store.h"
#include "generator/text.h"

/* The config that all sizes are compared with: of those raced at most sizes the best at `n`,
 * which is the size nearest to the usual one, cold if any is. 0 without sizes. */
struct sweep_single {
    uint64_t config, n;
};

/* Initialise with the records, whose intervals are computed, and room for as many pointers as
 * there are of each. */
struct sweep_drawing {
    const struct records *records;
    const struct interval **intervals; /* by regime and n */
    const struct record **sizes;       /* likewise */
    size_t interval_count, size_count;
    struct sweep_single single;
};

/* Begins a sweep's drawing, behind others: "sweep     sum i8 in i64 deterministic". */
void sweep_drawing_head(struct text *out, const struct problem *problem);

/* Is at[i] a size of a sweep, and the first of it? */
bool sweep_drawing_is_first(const struct records *records, size_t i);

/* Collects the sweep of the size `first`, of --n only what that names. */
void sweep_drawing_collect(struct sweep_drawing *out, const struct request *request,
                           const struct record *first);

struct sweep_single sweep_drawing_single(const struct records *records,
                                         const struct record *like);

/* The interval that a size is in; NULL where --n leaves that out. */
const struct interval *sweep_drawing_interval(const struct sweep_drawing *drawing,
                                              const struct record *size);

#endif
