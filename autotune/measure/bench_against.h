/* bench_against: times a kernel of ours against the reductions of other libraries, for one
 * problem: the same inputs, proven results, one timer, interleaved rounds. */
#ifndef AUTOTUNE_BENCH_AGAINST_H
#define AUTOTUNE_BENCH_AGAINST_H

#include "autotune/measure/baseline.h"
#include "autotune/measure/paired.h"
#include "generator/emit.h"
#include "generator/point.h"

struct bench_against_options {
    const struct baseline *const *baselines; /* each supports the problem */
    size_t baseline_count;                   /* 1 .. PAIRED_SIDES_MAX - 1 */
    size_t rounds;
    /* Bytes the inputs start past a 256-byte boundary: whole elements, < 256. */
    uint64_t offset;
    uint64_t seed;  /* of the inputs */
    bool is_queued; /* calls in plain stream order, not as a graph */
};

struct bench_against_result {
    struct paired_result ours;
    struct paired_result theirs[PAIRED_SIDES_MAX - 1]; /* by baseline, with the ratio to ours */
    size_t best;                                       /* the fastest baseline */
    size_t calls;                                      /* in a measurement of either */
};

/* Compiles the kernel of `config`, proves it at small sizes and at n, proves the results of the
 * baselines at n, then measures. A wrong result, or one sooner than the memory can deliver the
 * data, is ERROR_WRONG, and the sentence names the side. */
int bench_against_run(struct bench_against_result *out, struct device *device,
                      const struct point_context *context, const struct emit_sources *sources,
                      const int64_t *config, const struct bench_against_options *options,
                      struct error *error);

#endif
