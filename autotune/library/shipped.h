/* shipped: loads the records that come with the program and the library. */
#ifndef AUTOTUNE_SHIPPED_H
#define AUTOTUNE_SHIPPED_H

#include "cache/store.h"

/* All of them as one set; store_dispose frees it. -1 for memory alone. */
int shipped_load(struct records *out, struct error *error);

#endif
