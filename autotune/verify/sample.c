/* sample: draws points of all places at random, then for each pair of values without a point
 * one that has it, and gives them to a cover. Where no place has one, the pair is missed: as
 * far as is known, no point has it. */
#include "autotune/verify/sample.h"

#include "generator/pair_cover.h"
#include "generator/random.h"

#include <limits.h>
#include <stdlib.h>

enum {
    DRAWN = 3000,      /* points drawn before pairs are looked for */
    TRIED = 600,       /* places in which a pair is looked for, those that cover all first */
    PLACE_COLUMNS = 4, /* operation, type, accumulator, target with scan; and behind them: */
    SIZE_COLUMN = PLACE_COLUMNS,
    VALUES_MAX = UCHAR_MAX + 1, /* of a column */
};

static const unsigned char sizes[] = {10, 14, 16, 20, 24, 30}; /* powers of two */
enum { SIZES = sizeof sizes / sizeof *sizes };
/* With several results: powers of two that are elements of each result; the rest of n's power
 * counts results. Most sizes have a gap between their rows, so that they begin between whole
 * loads. */
static const unsigned char depths[SIZES] = {1, 5, 14, 8, 22, 12};

/* False where the space does not serve the problem's operation, in any order. A scan stays one of its
 * kind. */
static bool set_size(struct problem *problem, const struct space *space, size_t i)
{
    static const enum order orders[] = {ORDER_ANY, ORDER_FREE, ORDER_BY_N};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        problem->order = orders[k];
        if (space_find_dims(space, problem, (uint64_t)1 << sizes[i], (uint64_t)1 << depths[i],
                            i % 3))
            return true;
    }
    return false;
}

/* --- Places ------------------------------------------------------------------------------- */

int sample_places(struct sample_place **out, size_t *count, const struct space *space,
                  size_t target_count, struct error *error)
{
    const size_t total =
        DIMS_SCANS * operation_count() * TYPE_COUNT * TYPE_COUNT * target_count * SIZES;
    struct sample_place *places = calloc(total, sizeof *places);
    *count = 0;
    if (!places)
        return error_memory(error, total * sizeof *places);
    for (size_t i = 0; i < total; i++) {
        size_t rest = i;
        struct sample_place place = {.problem = {.regime = COLD}};
        struct error ignored;
        const size_t size = rest % SIZES;
        place.target = (rest /= SIZES) % target_count;
        place.problem.acc = (enum type)((rest /= target_count) % TYPE_COUNT);
        place.problem.type = (enum type)((rest /= TYPE_COUNT) % TYPE_COUNT);
        place.problem.op = operation_at((rest /= TYPE_COUNT) % operation_count());
        const enum dims_scan scan = place.problem.dims.scan =
            (enum dims_scan)(rest / operation_count());
        if (problem_check(&place.problem, &ignored) == 0 &&
            set_size(&place.problem, space, size) && place.problem.dims.scan == scan)
            places[(*count)++] = place;
    }
    *out = places;
    return 0;
}

/* The index of `acc` among the types that can be accumulators. */
static size_t find_acc(enum type acc)
{
    size_t place = 0;
    for (int type = 0; type < (int)acc; type++)
        place += problem_types[type].acc == (enum type)type;
    return place;
}

/* Writes the place as values of columns, the size's the last. */
static void format_place(const struct sample_place *place, unsigned char *out)
{
    size_t size = 0;
    while ((uint64_t)1 << sizes[size] != dims_n(&place->problem.dims))
        size++;
    out[0] = (unsigned char)place->problem.op->place;
    out[1] = (unsigned char)place->problem.type;
    out[2] = (unsigned char)find_acc(place->problem.acc);
    out[3] = (unsigned char)(place->target * DIMS_SCANS + place->problem.dims.scan);
    out[SIZE_COLUMN] = (unsigned char)size;
}

static void count_values(size_t counts[SIZE_COLUMN + 1], size_t target_count)
{
    counts[0] = operation_count();
    counts[1] = TYPE_COUNT;
    counts[2] = find_acc(TYPE_COUNT);
    counts[3] = target_count * DIMS_SCANS;
    counts[SIZE_COLUMN] = SIZES;
}

/* Moves the chosen places to the front; the others are shuffled behind them. */
static void order_places(struct sample_place *places, size_t count, size_t *chosen,
                         size_t chosen_count, uint64_t *random)
{
    for (size_t i = 0; i < count; i++) {
        const size_t left = i < chosen_count ? 0 : count - i;
        const size_t at = left ? i + random_next(random) % left : chosen[i];
        const struct sample_place place = places[at];
        places[at] = places[i];
        places[i] = place;
        for (size_t k = i + 1; k < chosen_count; k++) /* the place from here has moved */
            if (chosen[k] == i)
                chosen[k] = at;
    }
}

/* Brings a covering sample of the places to the front. A type and its accumulator are one more
 * column: so pairs that only one operation allows are listed too. */
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
        failed = cover_choose(&chosen, covering, cover, (unsigned)random_next(random), error);
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
    struct sample_place *places; /* a covering sample of them first */
    size_t place_count;
    struct cover *cover; /* columns: the params, then those of a place without its size */
    size_t counts[SPACE_NAMES_MAX + SIZE_COLUMN + 1]; /* values, by column */
    /* A place that has a point with this value, by column: the first where another with it is looked for. */
    const struct sample_place *(*known)[VALUES_MAX];
    uint64_t random;
    size_t drawn; /* points */
};

void sample_index_config(const struct space *space, const int64_t *config, unsigned char *out)
{
    for (size_t i = 0; i < space->param_count; i++) {
        size_t value = 0;
        while (space->params[i].values[value] != config[i])
            value++;
        out[i] = (unsigned char)value;
    }
}

/* Draws a point of the place, with the given params fixed, for the cover. */
static int draw_point(enum point_drawn *drawn, struct pool *pool,
                      const struct sample_place *place, int64_t *config, const bool *is_fixed,
                      struct error *error)
{
    const struct point_context context = {pool->space, &place->problem,
                                          &pool->targets[place->target]};
    unsigned char values[SPACE_NAMES_MAX + SIZE_COLUMN + 1];
    *drawn = point_draw(config, is_fixed, &context, &pool->random);
    if (*drawn != POINT_DRAWN)
        return 0;
    sample_index_config(pool->space, config, values);
    format_place(place, values + pool->space->param_count);
    for (size_t i = 0; i < pool->space->param_count; i++)
        pool->known[i][values[i]] = place;
    pool->drawn++;
    return cover_add(pool->cover, values, true, error) < 0 ? -1 : 0;
}

static int draw_any(struct pool *pool, struct error *error)
{
    const bool is_fixed[SPACE_NAMES_MAX] = {false};
    int64_t config[SPACE_NAMES_MAX];
    enum point_drawn drawn;
    for (size_t i = 0; pool->place_count && i < DRAWN; i++)
        if (draw_point(&drawn, pool, &pool->places[i % pool->place_count], config, is_fixed,
                       error))
            return -1;
    return 0;
}

struct sample_pair {
    size_t columns[2], values[2];
};

/* Fixes the params of the pair; true when the place has the rest. */
static bool fix_pair(const struct pool *pool, const struct sample_pair *pair,
                     const struct sample_place *place, int64_t *config, bool *is_fixed)
{
    const size_t params = pool->space->param_count;
    unsigned char own[SIZE_COLUMN + 1];
    format_place(place, own);
    for (size_t k = 0; k < 2; k++) {
        const size_t column = pair->columns[k];
        if (column >= params && own[column - params] != pair->values[k])
            return false;
        if (column >= params)
            continue;
        config[column] = pool->space->params[column].values[pair->values[k]];
        is_fixed[column] = true;
    }
    return true;
}

/* Tries a place for a point with the pair, unless the place itself is another. */
static int try_place(enum point_drawn *drawn, size_t *tried, struct pool *pool,
                     const struct sample_pair *pair, const struct sample_place *place,
                     struct error *error)
{
    bool is_fixed[SPACE_NAMES_MAX] = {false};
    int64_t config[SPACE_NAMES_MAX];
    if (!fix_pair(pool, pair, place, config, is_fixed))
        return 0;
    ++*tried;
    return draw_point(drawn, pool, place, config, is_fixed, error);
}

/* Tries one place after the other until one has a point with the pair, or shows that none has; first
 * those that have one of its values. */
static int draw_pair(struct pool *pool, const struct sample_pair *pair, struct error *error)
{
    enum point_drawn drawn = POINT_NONE_HERE;
    size_t tried = 0;
    for (size_t k = 0; k < 2 && drawn == POINT_NONE_HERE; k++) {
        const struct sample_place *place = pool->known[pair->columns[k]][pair->values[k]];
        if (place && try_place(&drawn, &tried, pool, pair, place, error))
            return -1;
    }
    for (size_t i = 0; i < pool->place_count && drawn == POINT_NONE_HERE && tried < TRIED; i++)
        if (try_place(&drawn, &tried, pool, pair, &pool->places[i], error))
            return -1;
    return 0;
}

static int draw_pairs(struct pool *pool, struct error *error)
{
    const size_t width = pool->space->param_count + PLACE_COLUMNS;
    for (size_t b = 1; b < width; b++)
        for (size_t a = 0; a < b; a++)
            for (size_t i = 0; i < pool->counts[a] * pool->counts[b]; i++) {
                const struct sample_pair pair = {{a, b},
                                                 {i / pool->counts[b], i % pool->counts[b]}};
                if (!cover_has(pool->cover, a, pair.values[0], b, pair.values[1]) &&
                    draw_pair(pool, &pair, error))
                    return -1;
            }
    return 0;
}

/* Sets the error: why there is no point, as the first place reports it. */
static int explain_empty(const struct pool *pool, struct error *error)
{
    const struct sample_place *place = pool->places;
    struct points points;
    if (!pool->place_count)
        return error_set(error, ERROR_USAGE, "%s: the space serves no problem",
                         pool->space->file);
    const struct point_context context = {pool->space, &place->problem,
                                          &pool->targets[place->target]};
    if (point_expand(&points, &context, error))
        return -1;
    point_dispose(&points);
    return error_set(error, ERROR_USAGE, "%s: no point was drawn, so few do its rules leave",
                     pool->space->file);
}

static int fill_pool(struct pool *pool, size_t target_count, struct error *error)
{
    size_t covering = 0;
    if (sample_places(&pool->places, &pool->place_count, pool->space, target_count, error))
        return -1;
    return cover_places(pool->places, pool->place_count, target_count, &covering, &pool->random,
                        error) ||
                   draw_any(pool, error) || draw_pairs(pool, error) ||
                   (!pool->drawn && explain_empty(pool, error))
               ? -1
               : 0;
}

/* --- The sample --------------------------------------------------------------------------- */

/* The place of a config of the pool, whose n is the first that its rules take. */
static struct sample_place find_place(const struct pool *pool, const unsigned char *columns,
                                      const int64_t *config)
{
    struct sample_place place = {.problem = {.op = operation_at(columns[0]),
                                             .type = (enum type)columns[1],
                                             .regime = COLD},
                                 .target = columns[3] / DIMS_SCANS};
    place.problem.dims.scan = (enum dims_scan)(columns[3] % DIMS_SCANS);
    for (int acc = 0; acc < TYPE_COUNT; acc++)
        if (problem_types[acc].acc == (enum type)acc && find_acc((enum type)acc) == columns[2])
            place.problem.acc = (enum type)acc;
    for (size_t i = 0; i < SIZES; i++) {
        const struct point_context context = {pool->space, &place.problem,
                                              &pool->targets[place.target]};
        struct error ignored;
        set_size(&place.problem, pool->space, i);
        if (point_reject(&context, config, &ignored) == POINT_VALID)
            break;
    }
    return place;
}

static int take_configs(struct sample *out, const struct pool *pool, const size_t *chosen,
                        size_t count, struct error *error)
{
    const struct space *space = pool->space;
    out->places = calloc(count, sizeof *out->places);
    out->configs = calloc(count, space->param_count * sizeof *out->configs);
    if (!out->places || !out->configs)
        return error_memory(error, count * space->param_count * sizeof *out->configs);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *values = cover_config(pool->cover, chosen[i]);
        int64_t *config = out->configs + i * space->param_count;
        for (size_t p = 0; p < space->param_count; p++)
            config[p] = space->params[p].values[values[p]];
        out->places[i] = find_place(pool, values + space->param_count, config);
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
    const size_t width = space->param_count + PLACE_COLUMNS;
    size_t *chosen = NULL, count = 0;
    for (size_t i = 0; i < space->param_count; i++)
        pool.counts[i] = space->params[i].count;
    count_values(pool.counts + space->param_count, target_count);
    *out = (struct sample){.width = 0};
    if (cover_open(&pool.cover, pool.counts, width, error))
        return -1;
    pool.known = calloc(width, sizeof *pool.known);
    int failed = (!pool.known && error_memory(error, width * sizeof *pool.known)) ||
                 fill_pool(&pool, target_count, error) ||
                 cover_choose(&chosen, &count, pool.cover, (unsigned)seed, error) ||
                 take_configs(out, &pool, chosen, count, error);
    if (failed)
        sample_dispose(out);
    free(chosen);
    free(pool.known);
    free(pool.places);
    cover_close(pool.cover);
    return failed ? -1 : 0;
}

void sample_dispose(struct sample *sample)
{
    free(sample->places);
    free(sample->configs);
    *sample = (struct sample){.width = 0};
}
