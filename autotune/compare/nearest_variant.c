/* nearest_variant: finds the allowed variant nearest to one that a rule rejects: the distance of
 * two configs is the number of params that differ, then how early these come, then the values in
 * between. */
#include "autotune/compare/nearest_variant.h"

#include <stdio.h>
#include <string.h>

/* Of named values none is nearer than the default's. */
struct distance {
    size_t params, early, steps;
};

static size_t place_of(const struct param *param, int64_t value)
{
    size_t place = 0;
    while (place < param->count && param->values[place] != value)
        place++;
    return place;
}

static size_t count_steps(const struct space *space, size_t p, int64_t from, int64_t to)
{
    const struct param *param = &space->params[p];
    const size_t a = place_of(param, from), b = place_of(param, to);
    return param->symbols ? to != space->default_config[p] : a < b ? b - a : a - b;
}

static struct distance measure(const struct space *space, const int64_t *from,
                               const int64_t *to)
{
    struct distance distance = {0, 0, 0};
    for (size_t p = 0; p < space->param_count; p++) {
        if (from[p] == to[p])
            continue;
        distance.params++;
        distance.early += space->param_count - p;
        distance.steps += count_steps(space, p, from[p], to[p]);
    }
    return distance;
}

static bool is_less(struct distance a, struct distance b)
{
    return a.params != b.params ? a.params < b.params
           : a.early != b.early ? a.early < b.early
                                : a.steps < b.steps;
}

static const int64_t *find_nearest(const struct points *points, const struct space *space,
                                   const int64_t *config)
{
    const int64_t *nearest = points->configs;
    for (size_t i = 1; i < points->count; i++) {
        const int64_t *other = points->configs + i * points->width;
        if (is_less(measure(space, config, other), measure(space, config, nearest)))
            nearest = other;
    }
    return nearest;
}

/* Writes "LOAD=PLAIN STAGES=0": the values of `now` that differ from `config`. */
static void name_changes(char *out, size_t size, const struct space *space,
                         const int64_t *config, const int64_t *now)
{
    struct text text = {0};
    for (size_t p = 0; p < space->param_count; p++) {
        if (config[p] == now[p])
            continue;
        text_addf(&text, "%s%s=", text.length ? " " : "", space->params[p].name);
        point_format_value(&text, &space->params[p], now[p]);
    }
    snprintf(out, size, "%s", text.at ? text.at : "");
    text_dispose(&text);
}

int nearest_variant(int64_t *config, char *changed, size_t size,
                    const struct point_context *context, struct error *error)
{
    const struct space *space = context->space;
    struct points points;
    struct error why;
    const int rejected = point_reject(context, config, error);
    snprintf(changed, size, "%s", "");
    if (rejected < 0)
        return rejected == POINT_VALID ? 0 : -1;
    if (point_expand(&points, context, &why))
        return error_set(error, ERROR_FAILED, "%s has no variant for this GPU: %.500s",
                         space->name, why.text);
    const int64_t *const nearest = find_nearest(&points, space, config);
    name_changes(changed, size, space, config, nearest);
    memcpy(config, nearest, space->param_count * sizeof *config);
    point_dispose(&points);
    return 0;
}
