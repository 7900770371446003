/* pairs: proves pairs possible by rows that hold them. Values come first, since one that stands
 * in no valid row settles all its pairs. Where few rows hold a pair all are tried; elsewhere
 * tries are bounded: at random, then along walks through rows known to be valid. */
#include "generator/pairs.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAIRS_MAX = 1 << 24,
    TRIES = 4096,            /* rows tried for a pair before it is given up */
    VALUE_TRIES = 4 * TRIES, /* and for a value: there are few, and much hangs on each */
    SPREAD = 64,             /* rows tried at random before known rows are changed */
    WALK = 128,              /* steps from one known row */
};

/* splitmix64; the remainder's bias is of no account for limits this small. */
size_t pairs_random(struct pairs *pairs, size_t limit)
{
    uint64_t z = pairs->random += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (size_t)((z ^ (z >> 31)) % limit);
}

bool pairs_is_valid(const struct pairs *pairs, const size_t *row)
{
    return !pairs->valid || pairs->valid(pairs->context, row);
}

void pairs_impose(const struct pairs_fixed *fixed, size_t *row)
{
    row[fixed->a] = fixed->va;
    row[fixed->b] = fixed->vb;
}

void pairs_change_one(struct pairs *pairs, size_t *row)
{
    size_t axis = pairs_random(pairs, pairs->width);
    row[axis] = pairs_random(pairs, pairs->axes[axis].count);
}

static void randomise(struct pairs *pairs, size_t *row)
{
    for (size_t axis = 0; axis < pairs->width; axis++)
        row[axis] = pairs_random(pairs, pairs->axes[axis].count);
}

const size_t *pairs_row(const struct pairs *pairs, const struct rows *rows, size_t index)
{
    return rows->at + index * pairs->width;
}

void pairs_copy_row(const struct pairs *pairs, size_t *to, const size_t *from)
{
    memcpy(to, from, pairs->width * sizeof *to);
}

void pairs_add_row(const struct pairs *pairs, struct rows *rows, const size_t *row)
{
    if (rows->count == rows->capacity) {
        size_t capacity = rows->capacity ? 2 * rows->capacity : 64;
        size_t *at = reallocarray(rows->at, capacity, pairs->width * sizeof *at);
        if (!at) {
            rows->failed = true;
            return;
        }
        rows->at = at;
        rows->capacity = capacity;
    }
    pairs_copy_row(pairs, rows->at + rows->count++ * pairs->width, row);
}

/* Keeps a valid row if it is the first to hold some pair. */
static void learn(struct pairs *pairs, const size_t *row)
{
    bool is_news = false;
    for (size_t b = 1; b < pairs->width; b++) {
        for (size_t a = 0; a < b; a++) {
            struct pair *pair = pairs_get(pairs, a, row[a], b, row[b]);
            if (pair->state >= WANTED)
                continue;
            *pair = (struct pair){.witness = (uint32_t)pairs->known.count, .state = WANTED};
            is_news = true;
        }
    }
    if (is_news)
        pairs_add_row(pairs, &pairs->known, row);
}

/* How many rows hold the fixed values, TRIES + 1 where there are more. */
static size_t count_rows(const struct pairs *pairs, const struct pairs_fixed *fixed)
{
    size_t count = 1;
    for (size_t axis = 0; axis < pairs->width; axis++) {
        if (axis == fixed->a || axis == fixed->b)
            continue;
        if (pairs->axes[axis].count > TRIES / count)
            return TRIES + 1;
        count *= pairs->axes[axis].count;
    }
    return count;
}

/* The next row in counting order, over the axes not fixed; after the last comes the first. */
static void count_up(const struct pairs *pairs, const struct pairs_fixed *fixed, size_t *row)
{
    for (size_t axis = 0; axis < pairs->width; axis++) {
        if (axis == fixed->a || axis == fixed->b)
            continue;
        row[axis] = (row[axis] + 1) % pairs->axes[axis].count;
        if (row[axis])
            return;
    }
}

/* A known row with `value` on `axis`, or any where there is none; known.count > 0. */
static const size_t *pick_known(struct pairs *pairs, size_t axis, size_t value)
{
    size_t count = pairs->known.count, first = pairs_random(pairs, count);
    for (size_t i = 0; i < count; i++) {
        const size_t *row = pairs_row(pairs, &pairs->known, (first + i) % count);
        if (row[axis] == value)
            return row;
    }
    return pairs_row(pairs, &pairs->known, first);
}

/* A step of a walk through valid rows: a change or two, unless the row would not be valid. The
 * value on `held` stays. */
static void walk(struct pairs *pairs, size_t held, size_t *row, size_t *scratch)
{
    pairs_copy_row(pairs, scratch, row);
    for (size_t changes = 1 + pairs_random(pairs, 2); changes; changes--)
        pairs_change_one(pairs, scratch);
    scratch[held] = row[held];
    if (pairs_is_valid(pairs, scratch))
        pairs_copy_row(pairs, row, scratch);
}

static bool try_all(struct pairs *pairs, const struct pairs_fixed *fixed, size_t count,
                    size_t *row)
{
    randomise(pairs, row);
    pairs_impose(fixed, row);
    for (; count; count--) {
        if (pairs_is_valid(pairs, row))
            return true;
        count_up(pairs, fixed, row);
    }
    return false;
}

static bool try_random(struct pairs *pairs, const struct pairs_fixed *fixed, size_t *row)
{
    for (size_t number = 0; number < (pairs->known.count ? SPREAD : TRIES); number++) {
        randomise(pairs, row);
        pairs_impose(fixed, row);
        if (pairs_is_valid(pairs, row))
            return true;
    }
    return false;
}

/* Walks through valid rows, often those with one of the fixed values, and imposes the rest on
 * each: rules that ask several axes for certain values are met one axis at a time. */
static bool try_walks(struct pairs *pairs, const struct pairs_fixed *fixed, size_t *row)
{
    size_t *at = row + pairs->width, held = fixed->a;
    size_t tries = fixed->a == fixed->b ? VALUE_TRIES : TRIES;

    for (size_t number = 0; number < tries && pairs->known.count; number++) {
        if (number % WALK == 0) {
            bool is_a = number / WALK % 2 == 0;
            held = is_a ? fixed->a : fixed->b;
            pairs_copy_row(pairs, at, pick_known(pairs, held, is_a ? fixed->va : fixed->vb));
        }
        pairs_copy_row(pairs, row, at);
        pairs_impose(fixed, row);
        if (pairs_is_valid(pairs, row))
            return true;
        walk(pairs, held, at, row);
    }
    return false;
}

/* `row` has room for two. */
static bool find_witness(struct pairs *pairs, const struct pairs_fixed *fixed, size_t *row)
{
    size_t count = count_rows(pairs, fixed);
    bool is_found = count <= TRIES
                        ? try_all(pairs, fixed, count, row)
                        : try_random(pairs, fixed, row) || try_walks(pairs, fixed, row);
    if (is_found)
        learn(pairs, row);
    return is_found;
}

/* A row that holds the value holds a pair of it with any other axis, so one axis tells. */
static bool has_witness(const struct pairs *pairs, size_t axis, size_t value)
{
    size_t other = axis == 0;
    for (size_t v = 0; v < pairs->axes[other].count; v++)
        if (pairs_get(pairs, axis, value, other, v)->state >= WANTED)
            return true;
    return false;
}

static void give_up(struct pair *pair)
{
    if (pair->state == UNKNOWN)
        pair->state = GIVEN_UP;
}

static void give_up_value(struct pairs *pairs, size_t axis, size_t value)
{
    for (size_t other = 0; other < pairs->width; other++)
        for (size_t v = 0; other != axis && v < pairs->axes[other].count; v++)
            give_up(pairs_get(pairs, axis, value, other, v));
}

static void find_values(struct pairs *pairs, size_t *row)
{
    for (size_t axis = 0; axis < pairs->width; axis++) {
        for (size_t value = 0; value < pairs->axes[axis].count; value++) {
            struct pairs_fixed fixed = {axis, value, axis, value};
            if (!has_witness(pairs, axis, value) && !find_witness(pairs, &fixed, row))
                give_up_value(pairs, axis, value);
        }
        if (!pairs->known.count)
            return; /* every value of this axis was tried: nothing is valid */
    }
}

static void find_pairs_of(struct pairs *pairs, struct pairs_fixed fixed, size_t *row)
{
    for (fixed.va = 0; fixed.va < pairs->axes[fixed.a].count; fixed.va++) {
        for (fixed.vb = 0; fixed.vb < pairs->axes[fixed.b].count; fixed.vb++) {
            struct pair *pair = pairs_get(pairs, fixed.a, fixed.va, fixed.b, fixed.vb);
            if (pair->state == UNKNOWN && !find_witness(pairs, &fixed, row))
                give_up(pair);
        }
    }
}

static bool is_product_empty(const struct pairs *pairs)
{
    for (size_t axis = 0; axis < pairs->width; axis++)
        if (!pairs->axes[axis].count)
            return true;
    return false;
}

int pairs_find(struct pairs *pairs, struct error *error)
{
    if (is_product_empty(pairs))
        return 0;
    size_t *row = calloc(pairs->width, 2 * sizeof *row);
    if (!row)
        return error_memory(error, pairs->width * sizeof *row);
    find_values(pairs, row);
    for (size_t b = 1; b < pairs->width && pairs->known.count; b++)
        for (size_t a = 0; a < b && !pairs->known.failed; a++)
            find_pairs_of(pairs, (struct pairs_fixed){.a = a, .b = b}, row);
    free(row);
    return pairs->known.failed ? error_memory(error, sizeof *row * pairs->width) : 0;
}

static bool number_pairs(struct pairs *pairs)
{
    for (size_t b = 1; b < pairs->width; b++) {
        for (size_t a = 0; a < b; a++) {
            size_t left = pairs->axes[a].count, right = pairs->axes[b].count;
            if (right && left > (PAIRS_MAX - pairs->count) / right)
                return false;
            pairs->base[a * pairs->width + b] = pairs->count;
            pairs->count += left * right;
        }
    }
    return true;
}

int pairs_init(struct pairs *pairs, struct error *error)
{
    pairs->base = calloc(pairs->width, pairs->width * sizeof *pairs->base);
    if (!pairs->base)
        return error_memory(error, pairs->width * pairs->width * sizeof *pairs->base);
    if (!number_pairs(pairs))
        return error_set(error, ERROR_USAGE,
                         "a covering sample over these %zu axes has more than %d pairs of "
                         "values; give them fewer values",
                         pairs->width, PAIRS_MAX);
    pairs->at = calloc(pairs->count + 1, sizeof *pairs->at);
    return pairs->at ? 0 : error_memory(error, (pairs->count + 1) * sizeof *pairs->at);
}

void pairs_dispose(struct pairs *pairs)
{
    free(pairs->base);
    free(pairs->at);
    free(pairs->known.at);
}
