/* sweep_mend: what becomes of an interval whose variant, measured again, loses too much at a size:
 * that size has an interval of its own, and what is left of the other keeps its variant. */
#ifndef AUTOTUNE_SWEEP_MEND_H
#define AUTOTUNE_SWEEP_MEND_H

#include "autotune/command/sweep_size.h"

/* `again` are the sweep's records, its sizes with the times measured again. Each size at which
 * its interval's variant loses more than the request allows is mended in the file, all or none, and
 * noted on stderr. */
int sweep_mend(struct sweep *sweep, const struct records *again, struct error *error);

#endif
