/* tune_result: finds a candidate's config and variant, and a config's place in the race. Candidates of a variant are neighbours. */
#include "autotune/search/tune_result.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

const struct tune_place *tune_result_place(const struct tune_result *result,
                                           const int64_t *config)
{
    const size_t bytes = result->points.width * sizeof *config;
    for (size_t i = 0; i < result->place_count; i++)
        if (!result->places[i].is_old_code &&
            memcmp(result->places[i].config, config, bytes) == 0)
            return &result->places[i];
    return NULL;
}

const struct tune_place *tune_result_old(const struct tune_result *result)
{
    for (size_t i = 0; i < result->place_count; i++)
        if (result->places[i].is_old_code)
            return &result->places[i];
    return NULL;
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
