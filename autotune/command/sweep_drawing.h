/* sweep_drawing: the records that belong to one sweep: the intervals of one problem on one GPU,
 * made with the same tools, and the sizes within them. */
#ifndef AUTOTUNE_SWEEP_DRAWING_H
#define AUTOTUNE_SWEEP_DRAWING_H

#include "autotune/command/request.h"
#include "cache/record.h"
#include "generator/text.h"

/* Initialise with room for as many pointers as there are records, twice. */
struct sweep_drawing {
    const struct record **intervals, **sizes; /* by regime and n */
    size_t interval_count, size_count;
    uint64_t single_n; /* whose winner most are compared with */
    uint64_t compared; /* single_n of their records: 0 in older ones */
};

/* Begins a sweep's drawing, behind others: "sweep     sum i8 in i64 deterministic". */
void sweep_drawing_head(struct text *out, const struct problem *problem);

/* Is at[i] an interval whose sweep is no earlier one's? */
bool sweep_drawing_is_first(const struct record *records, size_t i);

/* By regime and n. */
void sweep_drawing_sort(const struct record **records, size_t count);

/* Collects the sweep of the interval `first`, of --n only what that names. */
void sweep_drawing_collect(struct sweep_drawing *out, const struct request *request,
                           const struct record *first, const struct record *records,
                           size_t count);

/* single_n of most of the sizes that are alike but for the size: a later sweep of a part compares
 * that with another size's winner. */
uint64_t sweep_drawing_compared(const struct record *records, size_t count,
                                const struct record *like);

/* Has the size a time of the variant that most are compared with? */
bool sweep_drawing_has_single(const struct sweep_drawing *drawing, const struct record *size);

/* The interval that a size is in; one of the sizes collected is always in one. */
const struct record *sweep_drawing_interval(const struct sweep_drawing *drawing,
                                            const struct record *size);

#endif
