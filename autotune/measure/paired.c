/* paired: runs rounds of all sides, in reverse order on alternate rounds, and takes ratios
 * within rounds. */
#include "autotune/measure/paired.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CONFIDENCE_PERCENT = 95 };

/* `times` holds `rounds` times of each side, one side behind the other. */
static int run_rounds(uint64_t *times, size_t sides, size_t rounds, paired_measure *measure,
                      void *context, struct error *error)
{
    for (size_t round = 0; round < rounds; round++)
        for (size_t i = 0; i < sides; i++) {
            const size_t side = round % 2 ? sides - 1 - i : i;
            if (measure(context, side, &times[side * rounds + round], error))
                return -1;
        }
    return 0;
}

int paired_run(struct paired_result out[PAIRED_SIDES_MAX], size_t sides, size_t rounds,
               paired_measure *measure, void *context, struct error *error)
{
    assert(2 <= sides && sides <= PAIRED_SIDES_MAX);
    assert(1 <= rounds && rounds <= PAIRED_ROUNDS_MAX);
    uint64_t *times = calloc(sides * rounds, sizeof *times);
    if (!times)
        return error_memory(error, sides * rounds * sizeof *times);
    int failed = run_rounds(times, sides, rounds, measure, context, error);
    for (size_t side = 0; side < sides && !failed; side++)
        out[side].ratio = stats_ratio_interval(times + side * rounds, times, rounds,
                                               CONFIDENCE_PERCENT / 100.0);
    for (size_t side = 0; side < sides && !failed; side++) /* sorts times: pairs are lost */
        out[side].median_ps = stats_median(times + side * rounds, rounds);
    free(times);
    return failed;
}
