/* call: one reduction as launches, all passes of a candidate for given buffers. */
#ifndef AUTOTUNE_CALL_H
#define AUTOTUNE_CALL_H

#include "autotune/device/device.h"
#include "generator/point.h"

enum { CALL_LAUNCHES_MAX = 64 };

/* Where a call reads and writes; device addresses. */
struct call_buffers {
    uint64_t input;   /* n elements, aligned to an element */
    uint64_t output;  /* one accumulator */
    uint64_t scratch; /* call.scratch_bytes, 256-byte aligned */
    uint64_t counter; /* an unsigned, zero */
};

struct call {
    struct device_launch launches[CALL_LAUNCHES_MAX];
    size_t count;
    uint64_t scratch_bytes;
    uint64_t height; /* additions on the longest path through all passes */
    uint64_t block, tile; /* of the first pass */
};

/* The launches of `row` for `n` elements. `kernels[p]` is the kernel of pass p (NULL where the pass
 * does not apply, or for all to learn only sizes: then launches hold no kernel). */
int call_build(struct call *out, const struct point_context *context, const int64_t *row,
               const struct device_kernel *const kernels[SPACE_PASSES_MAX], uint64_t n,
               const struct call_buffers *buffers, struct error *error);

#endif
