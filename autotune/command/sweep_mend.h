/* sweep_mend: what becomes of an interval whose variant, measured again, loses too much at a size,
 * or of which another sweep takes a part: that has an interval of its own, and what is left of the
 * other keeps its variant. */
#ifndef AUTOTUNE_SWEEP_MEND_H
#define AUTOTUNE_SWEEP_MEND_H

#include "autotune/command/sweep_size.h"

/* `again` are the sweep's records, its sizes with the times measured again. Each size at which
 * its interval's variant loses more than the request allows is mended in the file, all or none, and
 * noted on stderr. */
int sweep_mend(struct sweep *sweep, const struct records *again, struct error *error);

/* Appends what is left of intervals that were kept, on both sides of this sweep's range: what
 * takes their place inside would else take all of them. `out` has records and is of the heap. */
int sweep_mend_rests(struct records *out, const struct sweep *sweep, struct error *error);

#endif
