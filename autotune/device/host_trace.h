/* host_trace: what the warps of a block do with shared memory, and each atomic operation: the
 * addresses of all lanes, put together to accesses of a warp as a GPU makes them. */
#ifndef AUTOTUNE_HOST_TRACE_H
#define AUTOTUNE_HOST_TRACE_H

#include "templates/host_shim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HOST_TRACE_LANES = 32 };

/* One instruction of a warp, for the lanes that are active. */
struct host_access {
    enum host_touch touch;
    bool is_shared;                /* else an atomic operation on global memory */
    unsigned warp;                 /* of the block */
    unsigned step;                 /* barriers, of block and warp, that its lanes had passed */
    unsigned bytes;                /* of a lane */
    const void *site;              /* where it stands in the code */
    uint32_t lanes;                /* bit l: lane l takes part */
    uint64_t at[HOST_TRACE_LANES]; /* bytes from the start of shared memory, or an address */
};

/* Initialise with `struct host_trace t = {0};`. */
struct host_trace {
    struct host_access *accesses;
    size_t count, capacity;
    bool failed; /* no memory was left: some are missing */
};
void host_trace_dispose(struct host_trace *trace);

/* Adds what one lane does to the access that it belongs to: the first of its warp at that place
 * in the code and step in which this lane has no part yet. Of `access`, lanes and at are not
 * read. */
void host_trace_note(struct host_trace *trace, const struct host_access *access, unsigned lane,
                     uint64_t at);

#endif
