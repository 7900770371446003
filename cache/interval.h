/* interval: what becomes of the intervals of a sweep, and of what its sizes say of them, where
 * another takes a part of the range. */
#ifndef AUTOTUNE_INTERVAL_H
#define AUTOTUNE_INTERVAL_H

#include "cache/store.h"

/* The interval of the size's sweep (its key but for the size, its regime) that covers its n;
 * NULL when there is none. */
const struct record *interval_find(const struct record *records, size_t count,
                                   const struct record *size);

/* The part from..to of an interval, with its variant, as one of a size in that part: its own,
 * else the nearest to that among `sizes`, which are of its file. False, and `out` left as it
 * is, when from > to or no size was measured there. */
bool interval_part(struct record *out, const struct record *interval,
                   const struct records *sizes, uint64_t from, uint64_t to);

/* The size was swept among `records`, and is covered by `now` from now on (NULL: by none). An
 * interval_ps of another variant than that of `now` goes, or becomes the size's own time where
 * that is the variant of its winner. */
void interval_settle(struct record *size, const struct records *records,
                     const struct record *now);

#endif
