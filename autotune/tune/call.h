/* call: one reduction as launches, all passes of a candidate. Planned once for an n, then bound
 * to kernels and buffers as often as needed. */
#ifndef AUTOTUNE_CALL_H
#define AUTOTUNE_CALL_H

#include "autotune/device/device.h"
#include "generator/point.h"

enum { CALL_LAUNCHES_MAX = 64 };

/* The shape of a call: what is known before any buffer. */
struct call_plan {
    size_t count;
    uint64_t n;
    uint64_t results; /* written to the output */
    uint64_t scratch_bytes;
    uint64_t state_bytes; /* zero before the call and after it */
    uint64_t height;      /* additions on the longest path through all passes */
    unsigned grid;        /* of the first pass that reads the elements */
    uint64_t block, tile, at_once; /* likewise; results that a block makes at a time */
    struct call_step {
        size_t pass;
        uint64_t n; /* inputs */
        struct dims dims; /* of those */
        struct point_pass shape;
        uint64_t output_offset, partials_offset; /* in the scratch memory, bytes */
    } steps[CALL_LAUNCHES_MAX]; /* `count` of them; last, so that the others need no copy */
};

/* The passes of `row` for `n` elements, until one value is left; of a matrix, whose n must be the
 * problem's, until one for each result. */
int call_plan(struct call_plan *out, const struct point_context *context, const int64_t *row,
              uint64_t n, struct error *error);

/* Where a call reads and writes; device addresses. */
struct call_buffers {
    uint64_t input;   /* n elements, aligned to an element */
    uint64_t output;  /* as many results as the problem has */
    uint64_t scratch; /* plan.scratch_bytes, 256-byte aligned */
    uint64_t state;   /* plan.state_bytes of zeros, 8-byte aligned */
};

/* Writes plan->count launches to `out`. `kernels[p]` is the kernel of pass p. */
void call_bind(struct device_launch *out, const struct call_plan *plan,
               const struct space *space,
               const struct device_kernel *const kernels[SPACE_PASSES_MAX],
               const struct call_buffers *buffers);

#endif
