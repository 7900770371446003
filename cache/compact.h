/* compact: writes and reads what ships for one GPU, one space and one cost class: a table of
 * configs, and which of them serves which sizes. It is a tenth of the records that it is made from:
 * what they share, and how they were measured, stands once. */
#ifndef AUTOTUNE_COMPACT_H
#define AUTOTUNE_COMPACT_H

#include "cache/store.h"
#include "generator/cost_class.h"

enum { COMPACT_NAME_CHARS = 96 };

/* The name of the file that serves the problem, without folder and ending: its space, its cost class,
 * and what else no config is shared across: "reduce-adding-4-i32", "scan-adding-4-f32-inclusive".
 * Any order but order n has the configs of none; rules say which of them keep it. */
char *compact_name(char out[COMPACT_NAME_CHARS], const char *space,
                   const struct problem *problem);

/* Appends a file of these records, of which compact_name is the same and the key is but for size and
 * tools; each serves the depths from..to, and from the last on to the next of its regime. */
int compact_emit(struct text *out, const struct interval *sizes, size_t count,
                 struct error *error);

/* Appends what a file holds: a record of each size, and an interval where it serves more than its
 * own. What is wrong in any way gives none of the file, and is counted and named as by
 * store_load_bytes. -1 for memory alone. */
int compact_load(struct records *out, const char *name, const char *bytes, size_t length,
                 struct error *error);

#endif
