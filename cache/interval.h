/* interval: computes which config serves which n, from the races at the sizes of sweeps:
 * whenever records are loaded. Intervals are stored nowhere. */
#ifndef AUTOTUNE_INTERVAL_H
#define AUTOTUNE_INTERVAL_H

#include "cache/record.h"
#include "cache/sweep.h"

struct records;

/* One config serves every depth of from..to. A record of no sweep serves its own depth
 * alone. */
struct interval {
    uint64_t from, to;
    struct record record; /* of the size where it loses least, with what it takes there */
};

/* Computes the intervals of all records in place of those there are. A sweep's range is cut
 * into the fewest (sweep_intervals), which meet half way, as a factor, between two of its
 * sizes. Where two sweeps meet, a config that both raced goes on; else the border is the newer
 * sweep's range. -1 only for memory. */
int interval_compute(struct records *records, struct error *error);

/* What a config took at a size. False where it was not raced there. */
bool interval_raced(struct raced *out, const struct record *size, uint64_t config);

/* The interval of the record's sweep that covers its n; NULL where there is none. */
const struct interval *interval_find(const struct records *records,
                                     const struct record *record);

/* Is it a size of a sweep? */
bool interval_is_size(const struct record *record);

/* Are both of one problem on one GPU, whatever the size, so that one sweep has them? */
bool interval_is_alike(const struct record *a, const struct record *b);

/* The configs that serve the last of the intervals of the first `count` records, by number:
 * those that lose least first, `most` at most. These are sizes of one sweep, in the order of n.
 * Returns how many; 0 for want of memory. */
size_t interval_survivors(uint64_t *numbers, size_t most, const struct records *records,
                          size_t count);

/* Prepares `record` to replace `before`, of the same problem and file. Where `before` is of a
 * newer sweep, or `record` of none, and both were measured with the same tools, `record`
 * becomes a size of that sweep: configs that were raced with `before` count as raced with
 * `record` too, unless it has them itself. */
void interval_inherit(struct record *record, const struct record *before);

#endif
