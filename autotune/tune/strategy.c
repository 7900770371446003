/* strategy: all points, or a covering sample of them. Hides how rows of a sample become variants. */
#include "autotune/tune/strategy.h"

#include "generator/cover.h"

#include <stdlib.h>
#include <string.h>

const char *const strategy_names[STRATEGY_COUNT] = {
    [STRATEGY_EXHAUSTIVE] = "exhaustive",
    [STRATEGY_COVER] = "cover",
};

int strategy_find(enum strategy *out, const char *name, struct error *error)
{
    for (size_t i = 0; i < STRATEGY_COUNT; i++)
        if (strcmp(name, strategy_names[i]) == 0) {
            *out = (enum strategy)i;
            return 0;
        }
    return error_set(error, ERROR_USAGE,
                     "unknown strategy '%s': choose exhaustive or cover", name);
}

static void choose_row(const struct space *space, const size_t *choice, int64_t *row)
{
    for (size_t i = 0; i < space->param_count; i++)
        row[i] = space->params[i].values[choice[i]];
}

static bool is_valid(void *argument, const size_t *choice)
{
    const struct point_context *context = argument;
    int64_t row[SPACE_NAMES_MAX];
    struct error ignored;
    choose_row(context->space, choice, row);
    return point_reject(context, row, &ignored) == POINT_VALID;
}

static bool is_same_variant(const struct space *space, const int64_t *a, const int64_t *b)
{
    for (size_t i = 0; i < space->param_count; i++)
        if (!space->params[i].is_launch && a[i] != b[i])
            return false;
    return true;
}

/* Keeps of `points` the rows for which is_kept is set; variants without rows go. */
static void keep_rows(struct points *points, const bool *is_kept)
{
    size_t rows = 0, variants = 0;
    for (size_t v = 0; v < points->variant_count; v++) {
        const struct point_variant from = points->variants[v];
        const size_t first = rows;
        for (size_t i = from.first; i < from.first + from.count; i++)
            if (is_kept[i])
                memmove(points->rows + rows++ * points->width, points->rows + i * points->width,
                        points->width * sizeof *points->rows);
        if (rows > first)
            points->variants[variants++] = (struct point_variant){first, rows - first};
    }
    points->count = rows;
    points->variant_count = variants;
}

/* Marks the rows of `points` that stand in the sample. */
static void mark_rows(const struct points *points, const struct space *space,
                      const size_t *choices, size_t choice_count, bool *is_kept)
{
    int64_t row[SPACE_NAMES_MAX];
    for (size_t c = 0; c < choice_count; c++) {
        choose_row(space, choices + c * points->width, row);
        for (size_t v = 0; v < points->variant_count; v++) {
            const struct point_variant *variant = &points->variants[v];
            const int64_t *first = points->rows + variant->first * points->width;
            if (!is_same_variant(space, first, row))
                continue;
            for (size_t i = 0; i < variant->count; i++)
                if (memcmp(first + i * points->width, row, points->width * sizeof *row) == 0)
                    is_kept[variant->first + i] = true;
        }
    }
}

static int sample(struct points *points, const struct point_context *context, unsigned seed,
                  struct error *error)
{
    const struct space *space = context->space;
    struct cover_axis axes[SPACE_NAMES_MAX];
    size_t *choices = NULL, choice_count, missed;
    struct point_context copy = *context;
    for (size_t i = 0; i < space->param_count; i++)
        axes[i].count = space->params[i].count;
    if (cover_pairs(&choices, &choice_count, &missed, axes, space->param_count, is_valid, &copy,
                    seed, error))
        return -1;
    bool *is_kept = calloc(points->count, sizeof *is_kept);
    int failed = is_kept ? 0 : error_memory(error, points->count);
    if (!failed) {
        mark_rows(points, space, choices, choice_count, is_kept);
        keep_rows(points, is_kept);
    }
    free(is_kept);
    free(choices);
    return failed;
}

int strategy_points(struct points *out, const struct point_context *context,
                    enum strategy strategy, unsigned seed, struct error *error)
{
    if (point_expand(out, context, error))
        return -1;
    if (strategy == STRATEGY_EXHAUSTIVE || sample(out, context, seed, error) == 0)
        return 0;
    point_dispose(out);
    return -1;
}
