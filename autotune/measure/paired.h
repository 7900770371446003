/* paired: measures two or more sides by turns, and gives the ratio of each side's time to the
 * first side's. Knows nothing of devices: a callback measures. */
#ifndef AUTOTUNE_PAIRED_H
#define AUTOTUNE_PAIRED_H

#include "autotune/measure/stats.h"
#include "generator/error.h"

#include <stddef.h>
#include <stdint.h>

enum { PAIRED_SIDES_MAX = 8, PAIRED_ROUNDS_MAX = 10001 };

/* One measurement of a side: picoseconds per call. */
typedef int paired_measure(void *context, size_t side, uint64_t *out_ps, struct error *error);

struct paired_result {
    uint64_t median_ps;          /* of all rounds */
    struct stats_interval ratio; /* its time over that of side 0 in the same round: the median
                                  * and its 95 % interval; exactly 1 for side 0 */
};

/* Measures all `sides` once a round, in their order and in the reverse order by turns, so that
 * steady drift favours none. -1 only when measuring fails or memory runs out. */
int paired_run(struct paired_result out[PAIRED_SIDES_MAX], size_t sides, size_t rounds,
               paired_measure *measure, void *context, struct error *error);

#endif
