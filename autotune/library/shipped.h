/* shipped: loads the records that come with the program and the library. */
#ifndef AUTOTUNE_SHIPPED_H
#define AUTOTUNE_SHIPPED_H

#include "cache/store.h"

/* Those that may serve the key `want`, by its space and its problem's cost class; all of them for
 * NULL. store_dispose frees the set. -1 for memory alone. */
int shipped_load(struct records *out, const struct record *want, struct error *error);

#endif
