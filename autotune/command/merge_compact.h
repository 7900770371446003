/* merge_compact: writes records as the program ships them: a file for each GPU, space and cost class,
 * which says which config serves which sizes. */
#ifndef AUTOTUNE_MERGE_COMPACT_H
#define AUTOTUNE_MERGE_COMPACT_H

#include "cache/store.h"

/* Says for each record of the files, one after the other, whether it ships: whether a built-in space
 * still gives its kernels, which a warning says where it does not, and none of the same problem is
 * better (merge_choice_is_better). Writes FOLDER/GPU/NAME.ini for those. `*bytes` is the length of
 * what was written. */
int merge_compact(bool *ships, const char *folder, const struct records *files, size_t count,
                  size_t *bytes, struct error *error);

#endif
