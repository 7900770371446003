/* cover: builds rows greedily: each starts from a pair still wanted and is filled and improved
 * value by value for the most pairs still wanted; the smallest of several samples is kept.
 * Hides the search. Pairs that no known valid row holds are steered around. */
#include "generator/cover.h"

#include "generator/pairs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    REPAIRS = 64, /* changes tried on a filled row that is not valid */
    STARTS = 10,  /* rows built for each one that is taken */
    BUILT = 500,  /* rows in all the samples built for the one that is kept */
};

struct cover {
    struct pairs pairs;
    struct rows rows, other;    /* the smallest sample so far, and the one being built */
    size_t *row, *best, *order; /* of `width` each: values, values, axes */
};

/* What `value` on `axis` adds beside the values the row has on `count` axes of the order. */
static long score(const struct cover *cover, const size_t *row, size_t axis, size_t value,
                  size_t count)
{
    static const long worth[] = {
        [UNKNOWN] = -10000, [GIVEN_UP] = -10000, [WANTED] = 1, [COVERED] = 0};
    long sum = 0;

    for (size_t i = 0; i < count; i++) {
        size_t other = cover->order[i];
        if (other != axis)
            sum += worth[pairs_get(&cover->pairs, axis, value, other, row[other])->state];
    }
    return sum;
}

/* The value with the highest score above `floor`; `keep` when there is none. */
static size_t best_value(struct cover *cover, const size_t *row, size_t axis, size_t count,
                         long floor, size_t keep)
{
    size_t values = cover->pairs.axes[axis].count, first = pairs_random(&cover->pairs, values);
    for (size_t i = 0; i < values; i++) {
        size_t value = (first + i) % values;
        long points = score(cover, row, axis, value, count);
        if (points > floor) {
            floor = points;
            keep = value;
        }
    }
    return keep;
}

static void shuffle_axes(struct cover *cover)
{
    for (size_t i = 0; i < cover->pairs.width; i++) {
        size_t at = pairs_random(&cover->pairs, i + 1);
        cover->order[i] = cover->order[at];
        cover->order[at] = i;
    }
}

static void swap_to(struct cover *cover, size_t axis, size_t place)
{
    size_t at = 0;
    while (cover->order[at] != axis)
        at++;
    cover->order[at] = cover->order[place];
    cover->order[place] = axis;
}

static void fill_row(struct cover *cover, const struct pairs_fixed *seed, size_t *row)
{
    shuffle_axes(cover);
    swap_to(cover, seed->a, 0);
    swap_to(cover, seed->b, 1);
    pairs_impose(seed, row);
    for (size_t i = 2; i < cover->pairs.width; i++)
        row[cover->order[i]] = best_value(cover, row, cover->order[i], i, LONG_MIN, 0);
}

static const size_t *witness_of(const struct cover *cover, const struct pairs_fixed *fixed)
{
    const struct pairs *pairs = &cover->pairs;
    const struct pair *pair = pairs_get(pairs, fixed->a, fixed->va, fixed->b, fixed->vb);
    return pairs_row(pairs, &pairs->known, pair->witness);
}

/* Makes a filled row valid by a few changes, or falls back on the seed's witness. */
static void repair_row(struct cover *cover, const struct pairs_fixed *seed, size_t *row)
{
    for (size_t tries = 1; tries <= REPAIRS; tries++) {
        if (pairs_is_valid(&cover->pairs, row))
            return;
        if (tries % 4 == 0)
            fill_row(cover, seed, row);
        else
            pairs_change_one(&cover->pairs, row);
        pairs_impose(seed, row);
    }
    pairs_copy_row(&cover->pairs, row, witness_of(cover, seed));
}

/* Changes a valid row one value at a time for as long as that gains wanted pairs. */
static void improve_row(struct cover *cover, size_t *row)
{
    size_t width = cover->pairs.width, unchanged = 0; /* axes in a row that gave nothing */
    for (size_t i = 0; unchanged < width; i = (i + 1) % width) {
        size_t axis = cover->order[i], before = row[axis];
        long now = score(cover, row, axis, before, width);
        row[axis] = best_value(cover, row, axis, width, now, before);
        if (row[axis] != before && pairs_is_valid(&cover->pairs, row)) {
            unchanged = 0;
        } else {
            row[axis] = before;
            unchanged++;
        }
    }
}

static size_t count_wanted(const struct cover *cover, const size_t *row)
{
    size_t wanted = 0;
    for (size_t b = 1; b < cover->pairs.width; b++)
        for (size_t a = 0; a < b; a++)
            wanted += pairs_get(&cover->pairs, a, row[a], b, row[b])->state == WANTED;
    return wanted;
}

static size_t count_wanted_of(const struct pairs *pairs, size_t a, size_t b)
{
    const struct pair *first = pairs_get(pairs, a, 0, b, 0);
    size_t wanted = 0;
    for (size_t i = 0; i < pairs->axes[a].count * pairs->axes[b].count; i++)
        wanted += first[i].state == WANTED;
    return wanted;
}

/* A wanted pair of the two axes that have most of them left, so that the longest axes, which
 * decide how many rows there must be, never wait. False when nothing is wanted. */
static bool choose_seed(struct pairs *pairs, struct pairs_fixed *seed)
{
    size_t most = 0;
    for (size_t b = 1; b < pairs->width; b++) {
        for (size_t a = 0; a < b; a++) {
            size_t wanted = count_wanted_of(pairs, a, b);
            if (wanted <= most)
                continue;
            most = wanted;
            seed->a = a;
            seed->b = b;
        }
    }
    if (!most)
        return false;
    do {
        seed->va = pairs_random(pairs, pairs->axes[seed->a].count);
        seed->vb = pairs_random(pairs, pairs->axes[seed->b].count);
    } while (pairs_get(pairs, seed->a, seed->va, seed->b, seed->vb)->state != WANTED);
    return true;
}

/* The best of some rows into cover->best. It starts from the seed's witness, so a row always
 * holds a wanted pair and the work ends. */
static void build_row(struct cover *cover, const struct pairs_fixed *seed)
{
    pairs_copy_row(&cover->pairs, cover->best, witness_of(cover, seed));
    size_t most = count_wanted(cover, cover->best);
    for (size_t start = 0; start < STARTS; start++) {
        fill_row(cover, seed, cover->row);
        repair_row(cover, seed, cover->row);
        improve_row(cover, cover->row);
        size_t wanted = count_wanted(cover, cover->row);
        if (wanted > most) {
            most = wanted;
            pairs_copy_row(&cover->pairs, cover->best, cover->row);
        }
    }
}

/* The pairs of the row that are in state `from` or beyond are covered. */
static void mark_covered(struct cover *cover, const size_t *row, enum pair_state from)
{
    for (size_t b = 1; b < cover->pairs.width; b++) {
        for (size_t a = 0; a < b; a++) {
            struct pair *pair = pairs_get(&cover->pairs, a, row[a], b, row[b]);
            if (pair->state >= from)
                pair->state = COVERED;
        }
    }
}

/* One whole sample into `rows`. */
static void build_rows(struct cover *cover, struct rows *rows)
{
    struct pairs *pairs = &cover->pairs;
    struct pairs_fixed seed;

    for (size_t i = 0; i < pairs->count; i++)
        if (pairs->at[i].state == COVERED)
            pairs->at[i].state = WANTED;
    rows->count = 0;
    while (!rows->failed && choose_seed(pairs, &seed)) {
        build_row(cover, &seed);
        mark_covered(cover, cover->best, WANTED);
        pairs_add_row(pairs, rows, cover->best);
    }
}

static int build_samples(struct cover *cover, struct error *error)
{
    size_t width = cover->pairs.width;

    cover->row = calloc(width, 3 * sizeof *cover->row);
    if (!cover->row)
        return error_memory(error, width * 3 * sizeof *cover->row);
    cover->best = cover->row + width;
    cover->order = cover->row + 2 * width;
    build_rows(cover, &cover->rows);
    size_t built = cover->rows.count ? cover->rows.count : BUILT; /* none: nothing is valid */
    for (; built < BUILT; built += cover->other.count) {
        build_rows(cover, &cover->other);
        if (cover->other.failed)
            break;
        if (cover->other.count >= cover->rows.count)
            continue;
        struct rows larger = cover->rows;
        cover->rows = cover->other;
        cover->other = larger;
    }
    return cover->rows.failed ? error_memory(error, width * sizeof *cover->row) : 0;
}

static void hand_over(struct cover *cover, size_t width, size_t **rows, size_t *row_count,
                      size_t *missed)
{
    struct rows *from = &cover->rows;
    *missed = 0;
    /* A row may hold pairs that were given up before. */
    for (size_t i = 0; i < from->count; i++)
        mark_covered(cover, pairs_row(&cover->pairs, from, i), UNKNOWN);
    for (size_t i = 0; i < cover->pairs.count; i++)
        *missed += cover->pairs.at[i].state < WANTED;
    for (size_t i = 0; i < from->count; i++)
        memmove(from->at + i * width, pairs_row(&cover->pairs, from, i), width * sizeof **rows);
    *rows = from->at;
    *row_count = from->count;
    from->at = NULL;
}

static void dispose(struct cover *cover)
{
    pairs_dispose(&cover->pairs);
    free(cover->rows.at);
    free(cover->other.at);
    free(cover->row);
}

int cover_pairs(size_t **rows, size_t *row_count, size_t *missed, const struct cover_axis *axes,
                size_t axis_count, cover_valid *valid, void *context, unsigned seed,
                struct error *error)
{
    /* A lone axis is paired with one of a single value: each of its values is a pair. */
    const struct cover_axis lone[] = {axis_count ? axes[0] : (struct cover_axis){0}, {1}};
    struct cover cover = {0};
    cover.pairs = (struct pairs){
        .axes = axis_count < 2 ? lone : axes,
        .width = axis_count < 2 ? 2 : axis_count,
        .valid = valid,
        .context = context,
        .random = seed,
    };
    int status = pairs_init(&cover.pairs, error);
    if (status == 0)
        status = pairs_find(&cover.pairs, error);
    if (status == 0)
        status = build_samples(&cover, error);
    if (status == 0)
        hand_over(&cover, axis_count, rows, row_count, missed);
    dispose(&cover);
    return status;
}
