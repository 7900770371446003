/* judge_source: makes a template of a file that somebody wrote for nvcc: takes out what is for the host,
 * as main and its launches, and leaves each line where it was. */
#ifndef AUTOTUNE_JUDGE_SOURCE_H
#define AUTOTUNE_JUDGE_SOURCE_H

#include "generator/text.h"

#include <stdint.h>

/* What of a kernel's launches its text must know. */
struct judge_source {
    const char *file, *kernel; /* as sentences and the compiler's messages name them */
    int zeroed_bytes;      /* of a result, where results are zeros before; 0: they are not */
    uint64_t shared_bytes; /* of a block's dynamic shared memory */
    size_t args;           /* how many it is given */
};

/* Appends the template. ERROR_USAGE where the text has no such kernel, and names those that it has; or where it
 * has another number of parameters. */
int judge_source_write(struct text *out, const struct judge_source *source, const char *text,
                       struct error *error);

#endif
