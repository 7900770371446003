/* host_trace: records what the warps of a block do with shared memory, how they load the input,
 * and each atomic operation: the addresses of all lanes, put together to accesses of a warp as
 * a GPU makes them. */
#ifndef AUTOTUNE_HOST_TRACE_H
#define AUTOTUNE_HOST_TRACE_H

#include "generator/error.h"
#include "templates/host/host_shim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Loads are a sample, the first of the block: a long row has many, all alike. */
enum { HOST_TRACE_LANES = 32, HOST_TRACE_LOADS_MAX = 1024, HOST_TRACE_MAX = 5120 };

/* What lanes do together: an instruction, and when. */
struct host_place {
    enum host_touch touch;
    bool is_shared;   /* else an atomic operation on global memory, or a load of the input */
    unsigned warp;    /* of the block */
    unsigned step;    /* barriers, of block and warp, that its lanes had passed */
    unsigned bytes;   /* of a lane */
    const void *site; /* in the code */
};

/* One instruction of a warp, for the lanes that are active. */
struct host_access {
    struct host_place place;
    uint32_t lanes;                /* bit l: lane l takes part */
    uint64_t at[HOST_TRACE_LANES]; /* bytes from the start of shared memory, or of the input,
                                    * or an address */
};

struct host_trace {
    struct host_access *accesses; /* room for HOST_TRACE_MAX; allocated before kernels run, for
                                   * fibers allocate nothing */
    size_t count;
    bool is_full;                    /* there were more: they are missing */
    size_t loads;                    /* of these */
    unsigned barriers;               /* of the block, that its threads passed */
    uintptr_t input_from, input_end; /* where elements are; equal = loads are left out */
};
int host_trace_init(struct host_trace *out, struct error *error);
void host_trace_dispose(struct host_trace *trace);

/* Does a thread load elements? */
bool host_trace_is_load(const struct host_trace *trace, enum host_touch touch, uintptr_t at);

/* Adds what one lane does to the access that it belongs to: the first at that place in which it
 * has no part yet. */
void host_trace_note(struct host_trace *trace, const struct host_place *place, unsigned lane,
                     uint64_t at);

#endif
