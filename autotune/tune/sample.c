/* sample: expands the space for one place after the other, first for a covering sample of the
 * places themselves, and gives the points to a cover. Of a large expansion a part drawn at
 * random is kept beside whatever brings a pair not seen before, so that no pair is lost. */
#include "autotune/tune/sample.h"

#include "autotune/tune/stats.h"
#include "generator/cover.h"
#include "generator/shape.h"

#include <stdlib.h>

enum {
    LISTED = 2500000,  /* points after which no more places are expanded than cover all pairs */
    KEPT = 400,        /* points of an expansion, about: those that bring new pairs aside */
    PLACE_COLUMNS = 4, /* operation, type, accumulator, target; and behind them: */
    SIZE_COLUMN = PLACE_COLUMNS,
};

static const unsigned char sizes[] = {10, 14, 16, 20, 24, 30}; /* powers of two */
enum { SIZES = sizeof sizes / sizeof *sizes };
/* Of a matrix those of n that are elements of each result; the other powers count results. Every
 * other has a gap between its rows, so that they begin between whole loads. */
static const unsigned char depths[SIZES] = {1, 5, 14, 8, 22, 12};

static void set_size(struct problem *problem, const struct space *space, size_t i)
{
    const struct dims dims = shape_dims((struct problem_shape){space->shape, 2, 2, 2});
    problem->dims = dims_value((uint64_t)1 << sizes[i]);
    if (space->shape)
        problem->dims = dims_resized(&dims, (uint64_t)1 << (sizes[i] - depths[i]),
                                     (uint64_t)1 << depths[i], i % 2);
}

/* --- Places ------------------------------------------------------------------------------- */

int sample_places(struct sample_place **out, size_t *count, const struct space *space,
                  size_t target_count, struct error *error)
{
    const size_t total = (size_t)OP_COUNT * TYPE_COUNT * TYPE_COUNT * target_count * SIZES;
    struct sample_place *places = calloc(total, sizeof *places);
    *count = 0;
    if (!places)
        return error_memory(error, total * sizeof *places);
    for (size_t i = 0; i < total; i++) {
        size_t rest = i;
        struct sample_place place = {.problem = {.regime = COLD}};
        struct error ignored;
        set_size(&place.problem, space, rest % SIZES);
        place.target = (rest /= SIZES) % target_count;
        place.problem.acc = (enum type)((rest /= target_count) % TYPE_COUNT);
        place.problem.type = (enum type)((rest /= TYPE_COUNT) % TYPE_COUNT);
        place.problem.op = (enum op)(rest / TYPE_COUNT);
        if (problem_check(&place.problem, &ignored) == 0 &&
            space_check_problem(space, &place.problem, &ignored) == 0)
            places[(*count)++] = place;
    }
    *out = places;
    return 0;
}

/* Types that can be accumulators have places among these alone. */
static size_t find_acc(enum type acc)
{
    size_t place = 0;
    for (int type = 0; type < (int)acc; type++)
        place += problem_types[type].acc == (enum type)type;
    return place;
}

/* The place as values of columns, the size's the last. */
static void format_place(const struct sample_place *place, unsigned char *out)
{
    size_t size = 0;
    while ((uint64_t)1 << sizes[size] != dims_n(&place->problem.dims))
        size++;
    out[0] = (unsigned char)place->problem.op;
    out[1] = (unsigned char)place->problem.type;
    out[2] = (unsigned char)find_acc(place->problem.acc);
    out[3] = (unsigned char)place->target;
    out[SIZE_COLUMN] = (unsigned char)size;
}

static void count_values(size_t counts[SIZE_COLUMN + 1], size_t target_count)
{
    counts[0] = OP_COUNT;
    counts[1] = TYPE_COUNT;
    counts[2] = find_acc(TYPE_COUNT);
    counts[3] = target_count;
    counts[SIZE_COLUMN] = SIZES;
}

/* Moves the chosen places to the front; the others are shuffled behind them. */
static void order_places(struct sample_place *places, size_t count, size_t *chosen,
                         size_t chosen_count, uint64_t *random)
{
    for (size_t i = 0; i < count; i++) {
        const size_t left = i < chosen_count ? 0 : count - i;
        const size_t at = left ? i + stats_random(random) % left : chosen[i];
        const struct sample_place place = places[at];
        places[at] = places[i];
        places[i] = place;
        for (size_t k = i + 1; k < chosen_count; k++) /* what stood here has moved */
            if (chosen[k] == i)
                chosen[k] = at;
    }
}

/* Brings a covering sample of the places to the front. A type and its accumulator are one more
 * column: what is for some of them in one operation alone is listed too. */
static int cover_places(struct sample_place *places, size_t count, size_t target_count,
                        size_t *covering, uint64_t *random, struct error *error)
{
    enum { BOTH = SIZE_COLUMN + 1 };
    size_t counts[BOTH + 1], *chosen = NULL;
    unsigned char values[BOTH + 1];
    struct cover *cover;
    int failed = 0;
    count_values(counts, target_count);
    counts[BOTH] = counts[1] * counts[2];
    if (cover_open(&cover, counts, BOTH + 1, error))
        return -1;
    for (size_t i = 0; !failed && i < count; i++) {
        format_place(&places[i], values);
        values[BOTH] = (unsigned char)(values[1] * counts[2] + values[2]);
        failed = cover_add(cover, values, true, error) < 0;
    }
    if (!failed)
        failed = cover_choose(&chosen, covering, cover, (unsigned)stats_random(random), error);
    if (!failed)
        order_places(places, count, chosen, *covering, random);
    free(chosen);
    cover_close(cover);
    return failed ? -1 : 0;
}

/* --- Points ------------------------------------------------------------------------------- */

struct pool {
    const struct space *space;
    const struct target *targets;
    struct cover *cover; /* columns: the params, then those of a place without its size */
    uint64_t random;
    uint64_t listed; /* points */
};

void sample_index_row(const struct space *space, const int64_t *row, unsigned char *out)
{
    for (size_t i = 0; i < space->param_count; i++) {
        size_t value = 0;
        while (space->params[i].values[value] != row[i])
            value++;
        out[i] = (unsigned char)value;
    }
}

/* A place without points is none that a proof needs; the error then stands. */
static int add_points(struct pool *pool, const struct sample_place *place, struct error *error)
{
    const struct point_context context = {pool->space, &place->problem,
                                          &pool->targets[place->target]};
    unsigned char values[SPACE_NAMES_MAX + SIZE_COLUMN + 1];
    struct points points;
    int failed = 0;
    if (point_expand(&points, &context, error))
        return error->code == ERROR_USAGE ? 0 : -1;
    format_place(place, values + pool->space->param_count);
    for (size_t i = 0; !failed && i < points.count; i++) {
        const bool is_drawn = stats_random(&pool->random) % points.count < KEPT;
        sample_index_row(pool->space, points.rows + i * points.width, values);
        failed = cover_add(pool->cover, values, is_drawn, error) < 0;
    }
    pool->listed += points.count;
    point_dispose(&points);
    return failed;
}

static int fill_pool(struct pool *pool, size_t target_count, struct error *error)
{
    struct sample_place *places = NULL;
    size_t count = 0, covering = 0;
    if (sample_places(&places, &count, pool->space, target_count, error))
        return -1;
    int failed = cover_places(places, count, target_count, &covering, &pool->random, error);
    for (size_t i = 0; !failed && i < count && (i < covering || pool->listed < LISTED); i++)
        failed = add_points(pool, &places[i], error);
    free(places);
    return failed || !pool->listed ? -1 : 0;
}

/* --- The sample --------------------------------------------------------------------------- */

/* The place of a row of the pool, whose n is the first that its rules take. */
static struct sample_place find_place(const struct pool *pool, const unsigned char *columns,
                                      const int64_t *row)
{
    struct sample_place place = {
        .problem = {.op = (enum op)columns[0], .type = (enum type)columns[1], .regime = COLD},
        .target = columns[3]};
    for (int acc = 0; acc < TYPE_COUNT; acc++)
        if (problem_types[acc].acc == (enum type)acc && find_acc((enum type)acc) == columns[2])
            place.problem.acc = (enum type)acc;
    for (size_t i = 0; i < SIZES; i++) {
        const struct point_context context = {pool->space, &place.problem,
                                              &pool->targets[place.target]};
        struct error ignored;
        set_size(&place.problem, pool->space, i);
        if (point_reject(&context, row, &ignored) == POINT_VALID)
            break;
    }
    return place;
}

static int take_rows(struct sample *out, const struct pool *pool, const size_t *chosen,
                     size_t count, struct error *error)
{
    const struct space *space = pool->space;
    out->places = calloc(count, sizeof *out->places);
    out->rows = calloc(count, space->param_count * sizeof *out->rows);
    if (!out->places || !out->rows)
        return error_memory(error, count * space->param_count * sizeof *out->rows);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *values = cover_row(pool->cover, chosen[i]);
        int64_t *row = out->rows + i * space->param_count;
        for (size_t p = 0; p < space->param_count; p++)
            row[p] = space->params[p].values[values[p]];
        out->places[i] = find_place(pool, values + space->param_count, row);
    }
    out->width = space->param_count;
    out->count = count;
    out->missed = cover_missed(pool->cover);
    return 0;
}

int sample_draw(struct sample *out, const struct space *space, const struct target *targets,
                size_t target_count, uint64_t seed, struct error *error)
{
    struct pool pool = {.space = space, .targets = targets, .random = seed};
    size_t counts[SPACE_NAMES_MAX + SIZE_COLUMN + 1], *chosen = NULL, count = 0;
    for (size_t i = 0; i < space->param_count; i++)
        counts[i] = space->params[i].count;
    count_values(counts + space->param_count, target_count);
    *out = (struct sample){.width = 0};
    if (cover_open(&pool.cover, counts, space->param_count + PLACE_COLUMNS, error))
        return -1;
    int failed = fill_pool(&pool, target_count, error) ||
                 cover_choose(&chosen, &count, pool.cover, (unsigned)seed, error) ||
                 take_rows(out, &pool, chosen, count, error);
    if (failed)
        sample_dispose(out);
    free(chosen);
    cover_close(pool.cover);
    return failed ? -1 : 0;
}

void sample_dispose(struct sample *sample)
{
    free(sample->places);
    free(sample->rows);
    *sample = (struct sample){.width = 0};
}
