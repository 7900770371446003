/* finals: the extra proofs of the finalists (special values, rounding, n past 2^31) and the race
 * between them: many interleaved rounds, the order reversed on alternate ones. */
#ifndef AUTOTUNE_FINALS_H
#define AUTOTUNE_FINALS_H

#include "autotune/tune/bench.h"
#include "autotune/tune/check.h"
#include "autotune/tune/compiler.h"
#include "autotune/tune/tune.h"

/* What the search hands over. `units` holds the compiled units by index, empty where it was not
 * worth keeping: the finalists come from those kept, and are the very kernels proven before. */
struct finals {
    struct device *device;
    const struct point_context *context;
    struct bench *bench;
    struct check *check;
    const struct compiled_unit *units;
    uint64_t seed;
};

/* Fills finalists, rounds, winner, ties and past_32_bits of the result. ERROR_WRONG when no
 * finalist is right. */
int finals_run(struct tune_result *result, const struct finals *finals, struct error *error);

#endif
