/* strategy: orders points and limits variants. Hides how configs of a sample become variants,
 * and how likely and random variants take turns. */
#include "autotune/search/strategy.h"

#include "autotune/verify/sample.h"
#include "generator/pair_cover.h"
#include "generator/random.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LESSONS_WANTED = 99 }; /* an error of 1 % */

const char *const strategy_names[STRATEGY_COUNT] = {
    [STRATEGY_RACE] = "race",
    [STRATEGY_EXHAUSTIVE] = "exhaustive",
    [STRATEGY_RANDOM] = "random",
    [STRATEGY_COVER] = "cover",
};

static int refuse_name(const char *name, struct error *error)
{
    struct text known = {0};
    char hint[TEXT_HINT_CHARS];
    for (size_t i = 0; i < STRATEGY_COUNT; i++)
        text_addf(&known, "%s%s",
                  i == 0                   ? ""
                  : i + 1 < STRATEGY_COUNT ? ", "
                                           : " or ",
                  strategy_names[i]);
    error_set(error, ERROR_USAGE, "unknown strategy '%s': %schoose %s", name,
              text_hint(hint, name, strategy_names, STRATEGY_COUNT),
              known.at ? known.at : "another");
    text_dispose(&known);
    return -1;
}

int strategy_find(enum strategy *out, const char *name, struct error *error)
{
    for (size_t i = 0; i < STRATEGY_COUNT; i++)
        if (strcmp(name, strategy_names[i]) == 0) {
            *out = (enum strategy)i;
            return 0;
        }
    return refuse_name(name, error);
}

bool strategy_space_is_whole(const struct space *space)
{
    const char *const own = space->strategy.name;
    return own && strcmp(own, strategy_names[STRATEGY_EXHAUSTIVE]) == 0;
}

/* --- Points ------------------------------------------------------------------------------- */

/* Keeps the configs of `points` for which is_kept is set; variants without configs are
 * removed. */
static void keep_configs(struct points *points, const bool *is_kept)
{
    size_t configs = 0, variants = 0;
    for (size_t v = 0; v < points->variant_count; v++) {
        const struct point_variant from = points->variants[v];
        const size_t first = configs;
        for (size_t i = from.first; i < from.first + from.count; i++)
            if (is_kept[i])
                memmove(points->configs + configs++ * points->width,
                        points->configs + i * points->width,
                        points->width * sizeof *points->configs);
        if (configs > first)
            points->variants[variants++] = (struct point_variant){first, configs - first};
    }
    points->count = configs;
    points->variant_count = variants;
}

/* Chooses among the configs of `points`; an open `cover` takes them. */
static int choose_configs(struct points *points, const struct space *space, struct cover *cover,
                          unsigned seed, struct error *error)
{
    unsigned char values[SPACE_NAMES_MAX];
    size_t *chosen = NULL, count;
    for (size_t i = 0; i < points->count; i++) {
        sample_index_config(space, points->configs + i * points->width, values);
        if (cover_add(cover, values, true, error) < 0)
            return -1;
    }
    if (cover_choose(&chosen, &count, cover, seed, error))
        return -1;
    bool *is_kept = calloc(points->count + 1, sizeof *is_kept);
    int failed = is_kept ? 0 : error_memory(error, points->count);
    for (size_t i = 0; !failed && i < count; i++)
        is_kept[chosen[i]] = true;
    if (!failed)
        keep_configs(points, is_kept);
    free(is_kept);
    free(chosen);
    return failed;
}

static int keep_sample(struct points *points, const struct space *space, unsigned seed,
                       struct error *error)
{
    struct cover *cover;
    size_t counts[SPACE_NAMES_MAX];
    for (size_t i = 0; i < space->param_count; i++)
        counts[i] = space->params[i].count;
    if (cover_open(&cover, counts, space->param_count, error))
        return -1;
    int failed = choose_configs(points, space, cover, seed, error);
    cover_close(cover);
    return failed;
}

int strategy_points(struct points *out, const struct point_context *context,
                    enum strategy strategy, unsigned seed, struct error *error)
{
    assert(strategy < STRATEGY_COUNT);
    if (point_expand(out, context, error))
        return -1;
    if (strategy != STRATEGY_COVER || keep_sample(out, context->space, seed, error) == 0)
        return 0;
    point_dispose(out);
    return -1;
}

/* --- Order -------------------------------------------------------------------------------- */

/* The sort key of a candidate, or of a variant by its likeliest candidate. */
struct key {
    size_t seed; /* its place among the seeds, from 1; 0 = no seed */
    double prior;
    uint64_t tie; /* drawn at random */
    size_t index;
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->seed != y->seed)
        return x->seed > y->seed ? -1 : 1;
    if (x->prior != y->prior)
        return x->prior > y->prior ? -1 : 1;
    return x->tie < y->tie ? -1 : x->tie > y->tie;
}

/* The candidates of all variants in the order of their keys; `keys` of variants get that of the
 * first. */
static void order_candidates(struct strategy_order *out, const struct points *points,
                             struct key *candidates, struct key *variants, uint64_t *random)
{
    for (size_t v = 0; v < points->variant_count; v++) {
        const struct point_variant *variant = &points->variants[v];
        struct key *first = candidates + variant->first;
        qsort(first, variant->count, sizeof *first, compare_keys);
        for (size_t i = 0; i < variant->count; i++)
            out->candidates[variant->first + i] = first[i].index;
        variants[v] = *first;
        variants[v].tie = random_next(random);
        variants[v].index = v;
    }
}

/* How many variants are tried whole: a tenth, so that they cost little beside what they save,
 * within the least that makes the rule usable and the most that makes it good. */
static size_t count_lessons(size_t variants)
{
    const size_t share = variants / 10;
    return share < STRATEGY_LESSONS_MIN ? STRATEGY_LESSONS_MIN
           : share > LESSONS_WANTED     ? LESSONS_WANTED
                                        : share;
}

/* Takes seeds, then in turn the likeliest of `keys` (in order) left and one drawn at random.
 * `drawn` holds all variants, shuffled: those not yet taken are in random order whatever was
 * taken. */
static void take_turns(struct strategy_order *out, const struct points *points,
                       const struct key *keys, const size_t *drawn, bool *is_taken)
{
    const size_t count = points->variant_count;
    size_t likely = 0, random = 0, lessons = count_lessons(count), taken = 0;
    for (bool is_drawn = false; taken < count;) {
        while (!is_drawn && is_taken[keys[likely].index])
            likely++;
        while (is_drawn && is_taken[drawn[random]])
            random++;
        const size_t variant = is_drawn ? drawn[random] : keys[likely].index;
        is_taken[variant] = true;
        out->variants[taken++] = variant;
        /* A variant with one candidate gains nothing, and must not teach that. */
        if (is_drawn && lessons && points->variants[variant].count > 1) {
            out->is_whole[variant] = true;
            lessons--;
        }
        is_drawn = !is_drawn && !keys[likely].seed;
    }
}

static void order_race(struct strategy_order *out, const struct points *points,
                       struct key *candidates, struct key *variants, bool *is_taken,
                       size_t *drawn, uint64_t *random)
{
    order_candidates(out, points, candidates, variants, random);
    qsort(variants, points->variant_count, sizeof *variants, compare_keys);
    for (size_t v = 0; v < points->variant_count; v++)
        drawn[v] = v;
    random_shuffle(drawn, points->variant_count, random);
    take_turns(out, points, variants, drawn, is_taken);
}

static int try_race(struct strategy_order *out, const struct points *points,
                    const double *prior, const size_t *seeds, size_t seed_count,
                    uint64_t *random, struct error *error)
{
    struct key *keys = calloc(points->count + points->variant_count + 1, sizeof *keys);
    size_t *drawn = calloc(points->variant_count + 1, sizeof *drawn);
    bool *is_taken = calloc(points->variant_count + 1, sizeof *is_taken);
    int failed =
        keys && drawn && is_taken ? 0 : error_memory(error, points->count * sizeof *keys);
    for (size_t i = 0; !failed && i < points->count; i++)
        keys[i] = (struct key){0, prior ? prior[i] : 0, random_next(random), i};
    for (size_t i = seed_count;
         !failed && i-- > 0;) /* of a seed named twice the first counts */
        keys[seeds[i]].seed = seed_count - i;
    if (!failed)
        order_race(out, points, keys, keys + points->count, is_taken, drawn, random);
    free(keys);
    free(drawn);
    free(is_taken);
    return failed;
}

static void order_shuffled(struct strategy_order *out, const struct points *points,
                           uint64_t *random)
{
    for (size_t v = 0; v < points->variant_count; v++) {
        const struct point_variant *variant = &points->variants[v];
        out->variants[v] = v;
        out->is_whole[v] = true;
        for (size_t i = variant->first; i < variant->first + variant->count; i++)
            out->candidates[i] = i;
        random_shuffle(out->candidates + variant->first, variant->count, random);
    }
    random_shuffle(out->variants, points->variant_count, random);
}

int strategy_order(struct strategy_order *out, const struct points *points,
                   enum strategy strategy, const double *prior, const size_t *seeds,
                   size_t seed_count, uint64_t seed, struct error *error)
{
    assert(strategy < STRATEGY_COUNT);
    assert(seeds || seed_count == 0);
    int failed = 0;
    out->variants = calloc(points->variant_count + 1, sizeof *out->variants);
    out->candidates = calloc(points->count + 1, sizeof *out->candidates);
    out->is_whole = calloc(points->variant_count + 1, sizeof *out->is_whole);
    if (!out->variants || !out->candidates || !out->is_whole)
        failed = error_memory(error, points->count * sizeof *out->candidates);
    else if (strategy != STRATEGY_RACE)
        order_shuffled(out, points, &seed);
    else
        failed = try_race(out, points, prior, seeds, seed_count, &seed, error);
    if (failed)
        strategy_dispose(out);
    return failed;
}

void strategy_dispose(struct strategy_order *order)
{
    free(order->variants);
    free(order->candidates);
    free(order->is_whole);
    *order = (struct strategy_order){0};
}

/* --- The rule ----------------------------------------------------------------------------- */

void strategy_learn(struct strategy_rule *rule, uint64_t first_ps, uint64_t best_ps)
{
    if (first_ps == 0 || best_ps == 0)
        return;
    const double gain = first_ps > best_ps ? (double)first_ps / (double)best_ps : 1;
    if (rule->count < STRATEGY_LESSONS_MAX) {
        rule->gains[rule->count++] = gain;
        return;
    }
    size_t least = 0; /* the largest decide; the stated error stays as it is */
    for (size_t i = 1; i < STRATEGY_LESSONS_MAX; i++)
        if (rule->gains[i] < rule->gains[least])
            least = i;
    if (gain > rule->gains[least])
        rule->gains[least] = gain;
}

/* The largest gain alone would do for a variant like the others. The best is not: it is the
 * best partly because it gains much. So the limit is as far above the largest as that is above
 * the third (the second is often close by chance): an estimate of the end that gains may have,
 * after Robson and Whitlock 1964. */
double strategy_limit(const struct strategy_rule *rule, double noise, double *error)
{
    assert(rule->count <= STRATEGY_LESSONS_MAX);
    double most[3] = {1, 1, 1}; /* the largest three, in order */
    for (size_t i = 0; i < rule->count; i++) {
        size_t place = 3;
        while (place > 0 && rule->gains[i] > most[place - 1])
            place--;
        for (size_t k = 2; k > place; k--)
            most[k] = most[k - 1];
        if (place < 3)
            most[place] = rule->gains[i];
    }
    if (error)
        *error = 1 / ((double)rule->count + 1);
    if (rule->count < STRATEGY_LESSONS_MIN)
        return 0;
    return most[0] * (most[0] / most[2]) * (1 + (noise > 0 ? noise : 0));
}
