/* segment_rounds: reduces segments whose elements and offsets are on the host, in rounds of as many segments as
 * fit a buffer on the device, with one plan for all rounds. */
#ifndef AUTOTUNE_SEGMENT_ROUNDS_H
#define AUTOTUNE_SEGMENT_ROUNDS_H

#include "autotune/command/offsets_file.h"
#include "autotune/measure/host_context.h"

struct segment_rounds {
    const struct host_context *host;
    const struct problem *problem; /* its dims are not asked */
    const struct offsets *offsets;
    const char *name;              /* of the elements, in sentences */
    struct autotune_source source; /* of elements; before the first segment it is passed over */
    uint64_t elements;             /* of the source; UINT64_MAX: only its end says */
    struct autotune_sink sink;     /* of results, round by round */
    uint64_t bytes_most;      /* of a round's elements, unless one segment alone has more */
    uint64_t stage_bytes;     /* that are read before they are copied, by turns */
    uint64_t segments_most;   /* of a round */
    uint64_t n, rounds;       /* found out: elements that segments have */
    uint64_t open_ns, run_ns; /* likewise: until the first byte is read, and from there on */
};

/* ERROR_IO: the elements end before the last segment does, or cannot be read; a sink that fails ends it with
 * ERROR_IO too, and the caller knows why. */
int segment_rounds_run(struct segment_rounds *rounds, struct error *error);

#endif
