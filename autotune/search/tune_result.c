/* tune_result: finds a candidate's config and variant. Candidates of a variant are neighbours. */
#include "autotune/search/tune_result.h"

#include <assert.h>
#include <stdlib.h>

void tune_result_dispose(struct tune_result *result)
{
    point_dispose(&result->points);
    free(result->trials);
    free(result->places);
    result->trials = NULL;
    result->places = NULL;
}

const int64_t *tune_result_config(const struct tune_result *result, size_t candidate)
{
    assert(candidate < result->points.count);
    return result->points.configs + candidate * result->points.width;
}

size_t tune_result_variant(const struct points *points, size_t candidate)
{
    assert(candidate < points->count);
    size_t low = 0, high = points->variant_count;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (points->variants[middle].first <= candidate)
            low = middle;
        else
            high = middle;
    }
    return low;
}
