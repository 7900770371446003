/* pair_cover: chooses configs greedily: it looks at a bounded number that hold a pair still wanted
 * and takes the one that holds most wanted pairs; the smallest of several samples is kept. An
 * index by value finds the configs of a pair. */
#include "generator/pair_cover.h"

#include "generator/array.h"
#include "generator/random.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAIRS_MAX = 1 << 24,
    PROBES = 4096, /* configs looked at for one that is taken */
    TRIES = 256,   /* and those of them that hold the pair */
    BUILT = 1500,  /* configs in all the samples built for the one that is kept */
};

struct cover {
    size_t width, given; /* columns: 2 at least, those beyond the given ones hold zeros */
    size_t *counts;      /* values, by column */
    size_t *firsts;      /* where the pairs of columns a < b begin, by b (b - 1) / 2 + a */
    size_t column_pairs, pair_count;
    uint32_t *witnesses; /* by pair: 1 + the first config that held it, 0 = none did */
    unsigned char *configs;
    size_t config_count;
};

/* --- Configs ------------------------------------------------------------------------------ */

static int refuse_size(struct error *error)
{
    return error_set(
        error, ERROR_USAGE,
        "a covering sample takes %d values of a param and %d pairs of values: name "
        "fewer values",
        COVER_VALUES_MAX, PAIRS_MAX);
}

/* Fills the tables of a cover whose arrays are allocated. */
static int lay_pairs(struct cover *cover, const size_t *counts, struct error *error)
{
    for (size_t b = 0; b < cover->width; b++) {
        cover->counts[b] = b < cover->given ? counts[b] : 1;
        if (cover->counts[b] > COVER_VALUES_MAX)
            return refuse_size(error);
        for (size_t a = 0; a < b; a++) {
            cover->firsts[cover->column_pairs++] = cover->pair_count;
            cover->pair_count += cover->counts[a] * cover->counts[b];
            if (cover->pair_count > PAIRS_MAX)
                return refuse_size(error);
        }
    }
    cover->witnesses = calloc(cover->pair_count + 1, sizeof *cover->witnesses);
    return cover->witnesses ? 0 : error_memory(error, cover->pair_count);
}

int cover_open(struct cover **out, const size_t *counts, size_t width, struct error *error)
{
    struct cover *cover = calloc(1, sizeof *cover);
    if (!cover)
        return error_memory(error, sizeof *cover);
    cover->given = width;
    cover->width = width < 2 ? 2 : width; /* each value of a single column is a pair */
    cover->counts = calloc(cover->width, sizeof *cover->counts);
    cover->firsts = calloc(cover->width, cover->width * sizeof *cover->firsts);
    int failed = !cover->counts || !cover->firsts
                     ? error_memory(error, cover->width * cover->width * sizeof *cover->firsts)
                     : lay_pairs(cover, counts, error);
    if (failed)
        cover_close(cover);
    else
        *out = cover;
    return failed;
}

void cover_close(struct cover *cover)
{
    free(cover->counts);
    free(cover->firsts);
    free(cover->witnesses);
    free(cover->configs);
    free(cover);
}

const unsigned char *cover_config(const struct cover *cover, size_t index)
{
    assert(index < cover->config_count);
    return cover->configs + index * cover->width;
}

size_t cover_missed(const struct cover *cover)
{
    size_t missed = 0;
    for (size_t i = 0; i < cover->pair_count; i++)
        missed += cover->witnesses[i] == 0;
    return missed;
}

bool cover_has(const struct cover *cover, size_t a, size_t va, size_t b, size_t vb)
{
    assert(a < b && b < cover->width);
    assert(va < cover->counts[a] && vb < cover->counts[b]);
    const size_t first = cover->firsts[b * (b - 1) / 2 + a];
    return cover->witnesses[first + va * cover->counts[b] + vb] != 0;
}

int cover_add(struct cover *cover, const unsigned char *config, bool is_asked_for,
              struct error *error)
{
    if (cover->config_count == UINT32_MAX)
        return error_memory(error, cover->config_count * cover->width);
    if (array_grow(&cover->configs, cover->config_count, cover->width, error))
        return -1;
    unsigned char *kept = cover->configs + cover->config_count * cover->width;
    const size_t *first = cover->firsts;
    bool is_kept = is_asked_for;
    memset(kept, 0, cover->width);
    if (cover->given)
        memcpy(kept, config, cover->given);
    for (size_t b = 0; b < cover->width; b++)
        assert(kept[b] < cover->counts[b]);
    for (size_t b = 1; b < cover->width; b++)
        for (size_t a = 0; a < b; a++) {
            uint32_t *witness =
                &cover->witnesses[*first++ + kept[a] * cover->counts[b] + kept[b]];
            if (*witness)
                continue;
            *witness = (uint32_t)cover->config_count + 1;
            is_kept = true;
        }
    cover->config_count += is_kept;
    return is_kept;
}

/* --- The choice --------------------------------------------------------------------------- */

struct sample {
    size_t *configs, count; /* no config is taken twice, so there is room for one of each */
};

struct choice {
    const struct cover *cover;
    uint64_t random;
    uint32_t *lists;  /* by column: all configs by value, in one random order within each */
    uint32_t *starts; /* by column and value: where its configs begin in the column's list */
    unsigned char *wanted; /* by pair: 1 or 0 */
    size_t *left;          /* wanted pairs, by pair of columns */
    uint32_t *held;        /* configs of a sample, by pair */
    struct sample best, other;
};

/* The remainder's bias is of no account for limits this small. */
static size_t draw(struct choice *choice, size_t limit)
{
    return (size_t)(random_next(&choice->random) % limit);
}

/* Configs next to each other are alike, so a part of a list is a fair draw only if shuffled. */
static void shuffle_configs(struct choice *choice, uint32_t *order)
{
    for (size_t i = 0; i < choice->cover->config_count; i++) {
        const size_t at = draw(choice, i + 1);
        order[i] = order[at];
        order[at] = (uint32_t)i;
    }
}

static void index_configs(struct choice *choice, const uint32_t *order)
{
    const struct cover *cover = choice->cover;
    for (size_t column = 0; column < cover->width; column++) {
        uint32_t *starts = choice->starts + column * (COVER_VALUES_MAX + 1);
        uint32_t ends[COVER_VALUES_MAX];
        for (size_t i = 0; i < cover->config_count; i++)
            starts[cover_config(cover, i)[column] + 1]++;
        for (size_t value = 0; value < COVER_VALUES_MAX; value++) {
            ends[value] = starts[value];
            starts[value + 1] += starts[value];
        }
        for (size_t i = 0; i < cover->config_count; i++)
            choice->lists[column * cover->config_count +
                          ends[cover_config(cover, order[i])[column]]++] = order[i];
    }
}

static size_t count_wanted(const struct choice *choice, const unsigned char *config)
{
    const struct cover *cover = choice->cover;
    const size_t *first = cover->firsts;
    size_t wanted = 0;
    for (size_t b = 1; b < cover->width; b++)
        for (size_t a = 0; a < b; a++)
            wanted += choice->wanted[*first++ + config[a] * cover->counts[b] + config[b]];
    return wanted;
}

static void take_config(struct choice *choice, const unsigned char *config)
{
    const struct cover *cover = choice->cover;
    for (size_t b = 1, at = 0; b < cover->width; b++)
        for (size_t a = 0; a < b; a++, at++) {
            unsigned char *wanted =
                &choice->wanted[cover->firsts[at] + config[a] * cover->counts[b] + config[b]];
            choice->left[at] -= *wanted;
            *wanted = 0;
        }
}

/* The values va and vb in columns a and b. */
struct seed {
    size_t a, b, va, vb, pair;
};

/* A wanted pair of the two columns that have most of them left, so that the longest columns,
 * which decide how many configs there must be, never wait. False when nothing is wanted. */
static bool choose_seed(struct choice *choice, struct seed *out)
{
    const struct cover *cover = choice->cover;
    size_t most = 0, best = 0;
    for (size_t b = 1, at = 0; b < cover->width; b++)
        for (size_t a = 0; a < b; a++, at++)
            if (choice->left[at] > most) {
                most = choice->left[at];
                best = at;
                out->a = a;
                out->b = b;
            }
    if (!most)
        return false;
    const size_t pairs = cover->counts[out->a] * cover->counts[out->b];
    size_t i = draw(choice, pairs);
    while (!choice->wanted[cover->firsts[best] + i])
        i = (i + 1) % pairs;
    out->va = i / cover->counts[out->b];
    out->vb = i % cover->counts[out->b];
    out->pair = cover->firsts[best] + i;
    return true;
}

/* The best of the configs looked at; the pair's witness is one of them, so there always is one. */
static size_t choose_config(struct choice *choice, const struct seed *seed)
{
    const struct cover *cover = choice->cover;
    const uint32_t *starts_a = choice->starts + seed->a * (COVER_VALUES_MAX + 1) + seed->va;
    const uint32_t *starts_b = choice->starts + seed->b * (COVER_VALUES_MAX + 1) + seed->vb;
    const bool is_a = starts_a[1] - starts_a[0] <= starts_b[1] - starts_b[0];
    const uint32_t *starts = is_a ? starts_a : starts_b;
    const uint32_t *list =
        choice->lists + (is_a ? seed->a : seed->b) * cover->config_count + *starts;
    const size_t length = starts[1] - starts[0], begin = draw(choice, length);
    size_t best = cover->witnesses[seed->pair] - 1, tries = 0;
    size_t most = count_wanted(choice, cover_config(cover, best));
    for (size_t i = 0; i < length && i < PROBES && tries < TRIES; i++) {
        const size_t index = list[(begin + i) % length];
        const unsigned char *config = cover_config(cover, index);
        if (config[seed->a] != seed->va || config[seed->b] != seed->vb)
            continue;
        const size_t wanted = count_wanted(choice, config);
        tries++;
        if (wanted > most) {
            most = wanted;
            best = index;
        }
    }
    return best;
}

/* Adds `by` to the count of each of the config's pairs; the smallest count before. */
static uint32_t count_held(struct choice *choice, const unsigned char *config, uint32_t by)
{
    const struct cover *cover = choice->cover;
    const size_t *first = cover->firsts;
    uint32_t least = UINT32_MAX;
    for (size_t b = 1; b < cover->width; b++)
        for (size_t a = 0; a < b; a++) {
            uint32_t *held = &choice->held[*first++ + config[a] * cover->counts[b] + config[b]];
            least = *held < least ? *held : least;
            *held += by;
        }
    return least;
}

/* Drops configs whose pairs are all in other configs too, which may have been chosen later. */
static void drop_superfluous(struct choice *choice, struct sample *sample)
{
    const struct cover *cover = choice->cover;
    size_t kept = 0;
    memset(choice->held, 0, cover->pair_count * sizeof *choice->held);
    for (size_t i = 0; i < sample->count; i++)
        count_held(choice, cover_config(cover, sample->configs[i]), 1);
    for (size_t i = 0; i < sample->count; i++) {
        const unsigned char *config = cover_config(cover, sample->configs[i]);
        if (count_held(choice, config, 0) > 1)
            count_held(choice, config, (uint32_t)-1);
        else
            sample->configs[kept++] = sample->configs[i];
    }
    sample->count = kept;
}

static void want_all(struct choice *choice)
{
    const struct cover *cover = choice->cover;
    for (size_t at = 0; at < cover->column_pairs; at++) {
        const size_t first = cover->firsts[at];
        const size_t end =
            at + 1 < cover->column_pairs ? cover->firsts[at + 1] : cover->pair_count;
        choice->left[at] = 0;
        for (size_t i = first; i < end; i++)
            choice->left[at] += choice->wanted[i] = cover->witnesses[i] != 0;
    }
}

/* One whole sample; how many configs it took. */
static size_t build_sample(struct choice *choice, struct sample *sample)
{
    struct seed seed;
    want_all(choice);
    sample->count = 0;
    while (choose_seed(choice, &seed)) {
        const size_t config = choose_config(choice, &seed);
        take_config(choice, cover_config(choice->cover, config));
        sample->configs[sample->count++] = config;
    }
    const size_t built = sample->count;
    drop_superfluous(choice, sample);
    return built;
}

static void build_samples(struct choice *choice)
{
    size_t built = build_sample(choice, &choice->best);
    while (built < BUILT) {
        built += build_sample(choice, &choice->other);
        if (choice->other.count >= choice->best.count)
            continue;
        const struct sample larger = choice->best;
        choice->best = choice->other;
        choice->other = larger;
    }
}

int cover_choose(size_t **chosen, size_t *count, const struct cover *cover, unsigned seed,
                 struct error *error)
{
    const size_t configs = cover->config_count;
    *chosen = NULL;
    *count = 0;
    if (configs == 0)
        return 0;
    struct choice choice = {
        .cover = cover,
        .random = seed,
        .lists = calloc(configs, cover->width * sizeof *choice.lists),
        .starts = calloc(cover->width, (COVER_VALUES_MAX + 1) * sizeof *choice.starts),
        .wanted = calloc(cover->pair_count, sizeof *choice.wanted),
        .left = calloc(cover->column_pairs, sizeof *choice.left),
        .held = calloc(cover->pair_count, sizeof *choice.held),
        .best = {.configs = calloc(configs, sizeof *choice.best.configs)},
        .other = {.configs = calloc(configs, sizeof *choice.other.configs)},
    };
    uint32_t *order = calloc(configs, sizeof *order);
    int failed = 0;
    if (!choice.lists || !choice.starts || !choice.wanted || !choice.left || !choice.held ||
        !choice.best.configs || !choice.other.configs || !order) {
        failed = error_memory(error, configs * cover->width * sizeof *choice.lists);
    } else {
        shuffle_configs(&choice, order);
        index_configs(&choice, order);
        build_samples(&choice);
    }
    if (!failed) {
        *chosen = choice.best.configs;
        *count = choice.best.count;
        choice.best.configs = NULL;
    }
    free(order);
    free(choice.lists);
    free(choice.starts);
    free(choice.wanted);
    free(choice.left);
    free(choice.held);
    free(choice.best.configs);
    free(choice.other.configs);
    return failed;
}
