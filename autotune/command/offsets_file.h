/* offsets_file: reads the offsets of segments from a file, one more than there are segments, as raw integers or
 * with NumPy's header, and refuses those that no segments have. */
#ifndef AUTOTUNE_OFFSETS_FILE_H
#define AUTOTUNE_OFFSETS_FILE_H

#include "generator/error.h"
#include "generator/problem.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stdint.h>

struct offsets {
    const char *name; /* of the file, in sentences */
    enum type type;   /* i32, u32, i64 or u64 */
    uint64_t count;   /* segments; 0 or more */
    uint64_t first;   /* bytes before the first offset */
    struct text bytes;
};

/* Offset i, up to the last, `count`. */
uint64_t offsets_at(const struct offsets *offsets, uint64_t i);

/* Reads a file, or whatever else ends. `type` is of raw ones; `is_given`: somebody asked for it, and a header must
 * say the same. None is below 0, or less than the one before it. ERROR_IO: what is wrong of it, and where; ERROR_USAGE
 * where the header says another type. To be disposed in either case. */
int offsets_read(struct offsets *out, const char *path, enum type type, bool is_given,
                 struct error *error);
void offsets_dispose(struct offsets *offsets);

#endif
