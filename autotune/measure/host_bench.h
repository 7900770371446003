/* host_bench: times pipelines over elements in the host's memory, whose result is known, and beside
 * them plain copies of the same bytes: their rate is what a pipeline can reach at most. */
#ifndef AUTOTUNE_HOST_BENCH_H
#define AUTOTUNE_HOST_BENCH_H

#include "autotune/library/pipeline.h"
#include "autotune/measure/host_context.h"
#include "autotune/verify/oracle.h"

struct host_bench {
    struct host_context host;
    struct problem problem; /* of n elements; a reduction */
    uint64_t bytes;
    void *pageable, *pinned; /* the same elements; NULL: not made */
    oracle_bits expect;
    struct oracle_doubt doubt;
    void *stream;              /* for copies */
    uint64_t room, room_bytes; /* device memory that copies go to, in pieces */
};

/* Makes the elements in ordinary memory, where no GPU has been used yet. ERROR_FAILED where the
 * machine has no room for them twice. */
int host_bench_make(struct host_bench *out, const struct problem *problem, uint64_t seed,
                    struct error *error);
/* Opens the device, and copies the elements to pinned memory too. `host` is taken over, also when
 * it fails. */
int host_bench_open(struct host_bench *bench, const struct host_context *host,
                    struct error *error);
void host_bench_close(struct host_bench *bench);

/* A call over pinned or pageable elements, from its begin to its end. ERROR_WRONG where the result
 * is not the expected one. */
int host_bench_run(struct host_bench *bench, struct autotune_pipeline *pipeline,
                   enum regime regime, uint64_t *out_ps, struct error *error);

/* A plain copy of all bytes, pinned or pageable, to the GPU. */
int host_bench_copy(struct host_bench *bench, enum regime regime, uint64_t *out_ps,
                    struct error *error);

#endif
