/* oracle_own: combines values of any text as a tree, 256 lanes wide: neighbours in time are combined first, so that a
 * result is as many steps from its elements as the logarithm of their number. Where order is kept a lane has
 * neighbours, and neighbouring lanes are combined. Where values round, each has a bound.
 * Hides the rooms in which this is done, of which each thread borrows one. */
#include "autotune/verify/oracle_own.h"

#include "autotune/verify/element.h"
#include "autotune/verify/lending.h"
#include "autotune/verify/oracle_further.h"
#include "autotune/verify/oracle_laws.h"
#include "autotune/verify/oracle_mapped.h"
#include "generator/operation_input.h"
#include "generator/operation_param.h"
#include "generator/operation_type.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = OPERATION_LANES,
    LEVELS = 40,      /* of a tree: 2^40 blocks */
    MANY_RESULTS = 16 /* from here on each lane has a result */
};

/* How much larger what is rounded may be in another order of combining than in this one. */
static const double ANOTHER_ORDER = 4;

/* What blocks of one element alone become, by the height of their tree: each is combined once, and all of its lanes
 * are one. */
struct alike {
    uint64_t word; /* the element's bytes */
    struct oracle_own_value trees[LEVELS + 1];
    int known; /* heights below it */
};

/* A tree under way: the roots of trees of blocks, each half as high as the one before or less. */
struct own_room {
    struct operation_eval *eval;
    struct operation_error *bounds;
    struct operation_values levels[LEVELS + 3]; /* two for others than roots */
    uint64_t heights[LEVELS + 1];
    bool are_alike[LEVELS +
                   1]; /* is the root one of alike.trees? Then the level is not filled yet */
    int top;
    struct alike alike;
};

struct oracle_own {
    const struct operation *op;
    enum type type, acc, result;
    uint64_t params[PROBLEM_PARAMS_MAX];
    int fields;
    enum type types[OPERATION_FIELDS_MAX];
    bool is_certain, commutes, has_places; /* does the place of an element count? */
    size_t inputs;
    struct further *further; /* of each further input; NULL: there are none */
    struct laws laws;

    struct lending rooms; /* a struct own_room each */
};

/* --- Rooms -------------------------------------------------------------------------------- */

static void close_room(void *thing)
{
    struct own_room *room = thing;
    operation_eval_free(room->eval);
    operation_error_free(room->bounds);
    free(room);
}

static int open_room(void **out, const void *owner, struct error *error)
{
    const struct oracle_own *own = owner;
    struct own_room *room = calloc(1, sizeof *room);
    *out = NULL;
    if (!room)
        return error_memory(error, sizeof *room);
    if (operation_eval_open(&room->eval, own->op->text, own->acc, error) ||
        operation_error_open(&room->bounds, own->op->text, own->acc, error)) {
        close_room(room);
        return -1;
    }
    operation_eval_give(room->eval, own->params);
    operation_error_give(room->bounds, own->params);
    *out = room;
    return 0;
}

static struct own_room *borrow(const struct oracle_own *own)
{
    struct own_room *room = lending_borrow(&own->rooms);
    room->top = 0;
    return room;
}

static void give_back(const struct oracle_own *own, struct own_room *room)
{
    lending_return(&own->rooms, room);
}

/* --- Blocks of values --------------------------------------------------------------------- */

static uint8_t class_of(const struct oracle_own *own, const struct operation_values *values,
                        size_t k)
{
    return laws_class(own->types, own->fields, values, k);
}

/* What is combined with a value of some class has it, too, whichever of both is taken. Where values grow another
 * order may go beyond a range within which this one stays. */
static void combine(const struct oracle_own *own, struct own_room *room,
                    const struct operation_values *a, const struct operation_values *b,
                    struct operation_values *out, size_t count)
{
    uint8_t classes[LANES];
    if (own->is_certain) {
        operation_eval_combine(room->eval, a->words[0], b->words[0], out->words[0], count);
        return;
    }
    for (size_t k = 0; k < count; k++)
        classes[k] = (a->flags[k] | b->flags[k]) & LAWS_CLASSES;
    operation_error_combine(room->bounds, a, b, out, count);
    for (size_t k = 0; k < count; k++)
        out->flags[k] |= classes[k];
    for (size_t k = 0; own->laws.grow && k < count; k++)
        out->flags[k] |= class_of(own, out, k);
}

/* The values of elements, as element_widen has them, at these places. */
static void map(const struct oracle_own *own, struct own_room *room, const uint64_t *x,
                const uint64_t *places, struct operation_values *out, size_t count)
{
    if (own->is_certain) {
        operation_eval_map(room->eval, x, places, out->words[0], count);
        return;
    }
    operation_error_map(room->bounds, x, places, out, count);
    for (size_t k = 0; k < count; k++)
        out->flags[k] |= class_of(own, out, k);
}

/* Lanes [first, count) become the identity. */
static void put_identity(const struct oracle_own *own, struct own_room *room,
                         struct operation_values *out, size_t first, size_t count)
{
    uint64_t words[OPERATION_FIELDS_MAX][LANES];
    if (first >= count)
        return;
    operation_eval_identity(room->eval, words[0], count - first);
    for (int f = 0; f < own->fields; f++) {
        memcpy(out->words[f] + first, words[f], (count - first) * sizeof(uint64_t));
        memset(out->errors[f] + first, 0, (count - first) * sizeof(double));
    }
    memset(out->flags + first, 0, count - first);
}

static void put_value(const struct oracle_own *own, struct operation_values *to,
                      const struct oracle_own_value *from)
{
    for (int f = 0; f < own->fields; f++) {
        to->words[f][0] = from->words[f];
        to->errors[f][0] = from->errors[f];
    }
    to->flags[0] = (uint8_t)from->flags;
}

static void take_value(const struct oracle_own *own, struct oracle_own_value *to,
                       const struct operation_values *from)
{
    for (int f = 0; f < own->fields; f++) {
        to->words[f] = from->words[f][0];
        to->errors[f] = from->errors[f][0];
    }
    to->flags = from->flags[0];
}

/* --- Elements that are all alike ---------------------------------------------------------- */

/* Notes what trees of this height and all below become; the last of those known is combined with itself. */
static const struct oracle_own_value *find_alike(const struct oracle_own *own,
                                                 struct own_room *room, uint64_t height)
{
    struct alike *alike = &room->alike;
    struct operation_values *a = &room->levels[room->top], *b = a + 1;
    for (; (uint64_t)alike->known <= height; alike->known++) {
        put_value(own, a, &alike->trees[alike->known - 1]);
        put_value(own, b, &alike->trees[alike->known - 1]);
        combine(own, room, a, b, a, 1);
        take_value(own, &alike->trees[alike->known], a);
    }
    return &alike->trees[height];
}

/* Fills a level whose root is one of such trees. */
static void fill_alike(const struct oracle_own *own, struct own_room *room, int level,
                       size_t lanes)
{
    struct operation_values *out = &room->levels[level];
    if (!room->are_alike[level])
        return;
    const struct oracle_own_value *value = find_alike(own, room, room->heights[level]);
    for (size_t k = 0; k < lanes; k++) {
        for (int f = 0; f < own->fields; f++) {
            out->words[f][k] = value->words[f];
            out->errors[f][k] = value->errors[f];
        }
        out->flags[k] = (uint8_t)value->flags;
    }
    room->are_alike[level] = false;
}

/* --- Trees -------------------------------------------------------------------------------- */

static void combine_top(const struct oracle_own *own, struct own_room *room, size_t lanes)
{
    const int level = room->top - 2;
    struct operation_values *below = &room->levels[level];
    uint64_t *heights = &room->heights[level];
    bool *are_alike = &room->are_alike[level];
    if (!are_alike[0] || !are_alike[1] || heights[0] != heights[1]) {
        fill_alike(own, room, level, lanes);
        fill_alike(own, room, level + 1, lanes);
        combine(own, room, below, below + 1, below, lanes);
    }
    heights[0] = (heights[0] > heights[1] ? heights[0] : heights[1]) + 1;
    room->top--;
}

/* Puts the block at the top of the levels into the tree. */
static void push(const struct oracle_own *own, struct own_room *room, bool is_alike,
                 size_t lanes)
{
    room->are_alike[room->top] = is_alike;
    room->heights[room->top++] = 0;
    while (room->top > 1 && room->heights[room->top - 2] <= room->heights[room->top - 1])
        combine_top(own, room, lanes);
    assert(room->top <= LEVELS);
}

/* Makes one block of all, in levels[0]: the identity where there was none. Gives its height. */
static uint64_t end_tree(const struct oracle_own *own, struct own_room *room, size_t lanes)
{
    if (room->top == 0) {
        put_identity(own, room, &room->levels[0], 0, lanes);
        push(own, room, false, lanes);
    }
    while (room->top > 1)
        combine_top(own, room, lanes);
    fill_alike(own, room, 0, lanes);
    return room->heights[0];
}

static void move_lane(const struct oracle_own *own, struct operation_values *to, size_t at,
                      const struct operation_values *from, size_t k)
{
    for (int f = 0; f < own->fields; f++) {
        to->words[f][at] = from->words[f][k];
        to->errors[f][at] = from->errors[f][k];
    }
    to->flags[at] = from->flags[k];
}

/* Makes one value of the lanes, a power of two, in lane 0 of levels[0]. Gives how many steps that takes. */
static uint64_t reduce_lanes(const struct oracle_own *own, struct own_room *room, size_t lanes)
{
    struct operation_values *all = &room->levels[0], *half = &room->levels[1];
    uint64_t steps = 0;
    for (; lanes > 1; lanes /= 2, steps++) {
        for (size_t k = 0; k < lanes / 2; k++) {
            move_lane(own, half, k, all, 2 * k + 1);
            move_lane(own, all, k, all, 2 * k);
        }
        combine(own, room, all, half, all, lanes / 2);
    }
    return steps;
}

/* --- Folds -------------------------------------------------------------------------------- */

void own_fold_init(const struct oracle_own *own, struct oracle_fold *fold)
{
    struct own_room *room = borrow(own);
    put_identity(own, room, &room->levels[0], 0, 1);
    take_value(own, &fold->own, &room->levels[0]);
    fold->own.height = 0;
    give_back(own, room);
}

/* Combines the value in lane 0 of levels[0] with the fold's. */
static void add_value(const struct oracle_own *own, struct own_room *room,
                      struct oracle_own_value *value, uint64_t height)
{
    put_value(own, &room->levels[1], value);
    combine(own, room, &room->levels[1], &room->levels[0], &room->levels[0], 1);
    take_value(own, value, &room->levels[0]);
    value->height = (value->height > height ? value->height : height) + 1;
}

static size_t bytes_of(const struct oracle_own *own)
{
    return (size_t)problem_types[own->type].bytes;
}

static void widen(const struct oracle_own *own, union element_block *out, const void *elements,
                  size_t count)
{
    union element_block raw = {.u64 = {0}};
    if (count < LANES)
        memcpy(&raw, elements, count * bytes_of(own));
    element_widen(own->type, out, count < LANES ? (const void *)&raw : elements);
}

/* The first block says how many lanes there are; behind the last elements are identities. */
static size_t lanes_for(uint64_t count)
{
    size_t lanes = 1;
    while (lanes < LANES && lanes < count)
        lanes *= 2;
    return lanes;
}

static bool has_alike(const struct own_room *room)
{
    int level = 0;
    while (level < room->top && !room->are_alike[level])
        level++;
    return level < room->top;
}

/* Are these all the element that room->alike is of? It becomes so where no root needs the other one. */
static bool are_alike(const struct oracle_own *own, struct own_room *room,
                      const unsigned char *elements, size_t count)
{
    const size_t bytes = bytes_of(own);
    uint64_t word = 0;
    if (memcmp(elements, elements + bytes, (count - 1) * bytes) != 0)
        return false;
    memcpy(&word, elements, bytes);
    if (word != room->alike.word && !has_alike(room))
        room->alike = (struct alike){.word = word};
    return word == room->alike.word;
}

/* The elements of each input, as operation_eval_map takes them. */
struct own_block {
    union element_block of[PROBLEM_INPUTS_MAX];
};

/* Those of the further inputs: of each lane's result, the one at its place. */
static void find_further(const struct oracle_own *own, const struct problem *problem,
                         const uint64_t *results, const uint64_t *places, struct own_block *out,
                         size_t count)
{
    for (size_t input = 1; input < own->inputs; input++) {
        const struct dims dims = problem_input_dims(problem, input);
        const uint64_t first = problem->further[input - 1].first;
        for (size_t k = 0; k < count; k++)
            out->of[input].u64[k] =
                further_word_at(&own->further[input - 1], input,
                                first + dims_at(&dims, results[k], places[k]));
    }
}

uint64_t own_further_bits(const struct oracle_own *own, size_t input, uint64_t at)
{
    assert(input > 0 && input < own->inputs);
    return further_bits_at(&own->further[input - 1], input, at);
}

/* The values of a block of elements of the fold's result, whose first is at `place`, and the others so far apart.
 * Behind them are identities. */
static void map_block(const struct oracle_own *own, struct own_room *room,
                      const struct oracle_fold *fold, const void *elements, uint64_t place,
                      uint64_t apart, size_t count, size_t lanes)
{
    struct operation_values *to = &room->levels[room->top];
    struct own_block x;
    uint64_t places[LANES], results[LANES] = {0};
    widen(own, &x.of[0], elements, count);
    for (size_t k = 0; k < count; k++) {
        places[k] = place + k * apart;
        results[k] = fold->result;
    }
    find_further(own, &fold->problem, results, places, &x, count);
    map(own, room, x.of[0].u64, places, to, count);
    put_identity(own, room, to, count, lanes);
}

static void copy_apart(const struct oracle_own *own, unsigned char *to,
                       const unsigned char *from, uint64_t apart, size_t count)
{
    const size_t bytes = bytes_of(own);
    for (size_t k = 0; k < count; k++)
        memcpy(to + k * bytes, from + k * apart * bytes, bytes);
}

/* Combines a block of elements, that far apart in the input, with those before. */
static void push_block(const struct oracle_own *own, struct own_room *room,
                       const struct oracle_fold *fold, const void *elements, uint64_t place,
                       uint64_t apart, size_t count, size_t lanes)
{
    const bool is_alike =
        !own->has_places && count == LANES && are_alike(own, room, elements, count);
    if (!is_alike || room->alike.known == 0)
        map_block(own, room, fold, elements, place, apart, count, lanes);
    if (is_alike && room->alike.known == 0) {
        take_value(own, &room->alike.trees[0], &room->levels[room->top]);
        room->alike.known = 1;
    }
    push(own, room, is_alike, lanes);
}

/* Lanes have neighbours in turn; where order is kept each has neighbours of its own, one a step. */
void own_fold_add(const struct oracle_own *own, struct oracle_fold *fold, const void *elements,
                  uint64_t count)
{
    const size_t bytes = bytes_of(own), lanes = lanes_for(count);
    const uint64_t steps = (count + lanes - 1) / lanes;
    const unsigned char *at = elements;
    unsigned char copy[LANES * sizeof(uint64_t)];
    struct own_room *room = count > 0 ? borrow(own) : NULL;
    if (!room)
        return;
    for (uint64_t step = 0; step < steps; step++) {
        const uint64_t first = own->commutes ? step * lanes : step;
        const uint64_t apart = own->commutes ? 1 : steps;
        const uint64_t left = (count - first + apart - 1) / apart;
        const size_t take = left < lanes ? (size_t)left : lanes;
        if (!own->commutes)
            copy_apart(own, copy, at + first * bytes, apart, take);
        push_block(own, room, fold, own->commutes ? at + first * bytes : copy,
                   fold->next + first, apart, take, lanes);
    }
    const uint64_t height = end_tree(own, room, lanes);
    add_value(own, room, &fold->own, height + reduce_lanes(own, room, lanes));
    give_back(own, room);
    fold->count += count;
    fold->next += count;
}

void own_fold_merge(const struct oracle_own *own, struct oracle_fold *into,
                    const struct oracle_fold *from)
{
    struct own_room *room = borrow(own);
    put_value(own, &room->levels[0], &from->own);
    add_value(own, room, &into->own, from->own.height);
    give_back(own, room);
}

/* --- Results ------------------------------------------------------------------------------ */

/* A result where a law does not hold may be any. A value alone meets no other than identities. */
static bool is_open(const struct oracle_own *own, unsigned flags, uint64_t n)
{
    return flags & OPERATION_IS_LOST || (n == 1 && flags & LAWS_NAN && own->laws.lose_nan) ||
           (n > 1 && ((flags & LAWS_INFINITE && own->laws.lose_infinite) ||
                      (flags & LAWS_EXTREME && (own->laws.lose_extreme || own->laws.grow))));
}

/* The results of values of n elements each, which lie before a level that is free. Kernels combine them with the
 * identity from both sides: what that loses is lost here. */
static void finish(const struct oracle_own *own, struct own_room *room,
                   struct operation_values *values, const uint64_t *n, uint64_t height,
                   oracle_bits *out, struct oracle_doubt *doubts, size_t count)
{
    struct operation_values *results = values + 1;
    if (own->is_certain) {
        operation_eval_finish(room->eval, values->words[0], n, results->words[0], count);
    } else {
        put_identity(own, room, results, 0, count);
        combine(own, room, values, results, values, count);
        operation_error_finish(room->bounds, values, n, results, count);
    }
    for (size_t k = 0; k < count; k++) {
        out[k] = mapped_narrow(own->result, results->words[0][k]);
        if (!doubts)
            continue;
        const unsigned flags =
            own->is_certain ? 0u : (unsigned)(values->flags[k] | results->flags[k]);
        doubts[k] = (struct oracle_doubt){
            .n = n[k],
            .sum_abs = own->is_certain ? 0 : results->errors[0][k],
            .slack = own->is_certain ? 0 : results->errors[1][k],
            .height = (uint32_t)height + 1,
            .is_open = is_open(own, flags, n[k]),
            .may_be_nan = (flags & OPERATION_MAY_BE_NAN) != 0,
        };
    }
}

oracle_bits own_fold_finish(const struct oracle_own *own, const struct oracle_fold *fold,
                            struct oracle_doubt *doubt)
{
    struct own_room *room = borrow(own);
    oracle_bits bits;
    put_value(own, &room->levels[0], &fold->own);
    finish(own, room, &room->levels[0], &fold->count, fold->own.height, &bits, doubt, 1);
    give_back(own, room);
    return bits;
}

/* --- Scans -------------------------------------------------------------------------------- */

/* Levels of a tile under way: behind its steps what was before each lane, and two that are free. */
enum { STEPS = 32, BEFORE = STEPS, FREE };

/* A scan under way: what was before it, then the totals of tiles as a tree: each of fewer tiles than the one before. */
struct scan {
    struct oracle_own_value trees[LEVELS];
    uint64_t tiles[LEVELS];
    int top;
};

/* The elements of a tile: each lane has so many neighbours, the last one fewer. */
struct tile {
    uint64_t count, steps, lanes;
};

static struct tile find_tile(uint64_t left)
{
    const uint64_t count = left < (uint64_t)LANES * STEPS ? left : (uint64_t)LANES * STEPS;
    const uint64_t steps = (count + LANES - 1) / LANES;
    return (struct tile){count, steps, (count + steps - 1) / steps};
}

/* The lanes that have an element at this step. */
static size_t lanes_at(const struct tile *tile, uint64_t step)
{
    return (size_t)((tile->count - step + tile->steps - 1) / tile->steps);
}

/* One value of two neighbours. */
static struct oracle_own_value join(const struct oracle_own *own, struct own_room *room,
                                    const struct oracle_own_value *a,
                                    const struct oracle_own_value *b)
{
    struct operation_values *left = &room->levels[FREE], *right = left + 1;
    struct oracle_own_value out;
    put_value(own, left, a);
    put_value(own, right, b);
    combine(own, room, left, right, left, 1);
    take_value(own, &out, left);
    out.height = (a->height > b->height ? a->height : b->height) + 1;
    return out;
}

/* Level t becomes what each lane's elements up to step t are combined to. */
static void scan_steps(const struct oracle_own *own, struct own_room *room,
                       const struct oracle_fold *fold, const unsigned char *elements,
                       const struct tile *tile)
{
    unsigned char copy[LANES * sizeof(uint64_t)];
    for (uint64_t t = 0; t < tile->steps; t++) {
        struct operation_values *to = &room->levels[t];
        const size_t take = lanes_at(tile, t);
        copy_apart(own, copy, elements + t * bytes_of(own), tile->steps, take);
        room->top = (int)t;
        map_block(own, room, fold, copy, fold->next + t, tile->steps, take,
                  (size_t)tile->lanes);
        if (t > 0)
            combine(own, room, to - 1, to, to, (size_t)tile->lanes);
    }
}

/* Combines each of these values with those before it, twice as far each time. Gives how many steps that takes. */
static uint64_t scan_lanes(const struct oracle_own *own, struct own_room *room,
                           struct operation_values *all, size_t count)
{
    struct operation_values *before = &room->levels[FREE], *after = before + 1;
    uint64_t steps = 0;
    for (size_t d = 1; d < count; d *= 2, steps++) {
        for (size_t k = 0; k + d < count; k++) {
            move_lane(own, before, k, all, k);
            move_lane(own, after, k, all, k + d);
        }
        combine(own, room, before, after, before, count - d);
        for (size_t k = 0; k + d < count; k++)
            move_lane(own, all, k + d, before, k);
    }
    return steps;
}

/* What was before the tile: the least trees are combined first. */
static struct oracle_own_value find_before(const struct oracle_own *own, struct own_room *room,
                                           const struct scan *scan)
{
    struct oracle_own_value before = scan->trees[scan->top - 1];
    for (int i = scan->top - 1; i-- > 0;)
        before = join(own, room, &scan->trees[i], &before);
    return before;
}

/* Puts a tile's total, in lane `at` of a level, behind the others: trees of as many tiles become one. */
static void add_total(const struct oracle_own *own, struct own_room *room, struct scan *scan,
                      const struct operation_values *totals, size_t at, uint64_t height)
{
    struct operation_values *one = &room->levels[FREE];
    struct oracle_own_value *trees = scan->trees;
    move_lane(own, one, 0, totals, at);
    take_value(own, &trees[scan->top], one);
    trees[scan->top].height = height;
    scan->tiles[scan->top++] = 1;
    assert(scan->top < LEVELS);
    for (int i = scan->top - 1; i > 1 && scan->tiles[i - 1] == scan->tiles[i]; i--) {
        trees[i - 1] = join(own, room, &trees[i - 1], &trees[i]);
        scan->tiles[i - 1] *= 2;
        scan->top--;
    }
}

/* The level BEFORE becomes what was before each lane. Gives the height of its tree. */
static uint64_t scan_tile(const struct oracle_own *own, struct own_room *room,
                          struct scan *scan, const struct tile *tile)
{
    const size_t lanes = (size_t)tile->lanes;
    const struct oracle_own_value start = find_before(own, room, scan);
    struct operation_values *totals = &room->levels[BEFORE], *starts = &room->levels[FREE];
    for (size_t k = 0; k < lanes; k++)
        move_lane(own, totals, k, &room->levels[tile->steps - 1], k);
    const uint64_t height = tile->steps + scan_lanes(own, room, totals, lanes);
    add_total(own, room, scan, totals, lanes - 1, height);
    put_value(own, starts, &start);
    for (size_t k = 1; k < lanes; k++)
        move_lane(own, starts, k, starts, 0);
    if (lanes > 1)
        combine(own, room, starts, totals, totals, lanes - 1);
    for (size_t k = lanes - 1; k > 0; k--)
        move_lane(own, totals, k, totals, k - 1);
    move_lane(own, totals, 0, starts, 0);
    return (start.height > height ? start.height : height) + 1;
}

/* The results of the tile's elements at this step. */
static void finish_step(const struct oracle_own *own, struct own_room *room,
                        const struct oracle_fold *fold, const struct tile *tile, uint64_t step,
                        uint64_t height, void *expects, struct oracle_doubt *doubts)
{
    const bool is_inclusive = fold->problem.dims.scan == DIMS_INCLUSIVE;
    const size_t take = lanes_at(tile, step);
    struct operation_values *values = &room->levels[FREE];
    const struct operation_values *before = &room->levels[BEFORE];
    struct oracle_doubt own_doubts[LANES];
    oracle_bits bits[LANES];
    uint64_t n[LANES];
    const uint64_t upto = step + is_inclusive;
    if (upto > 0)
        combine(own, room, before, &room->levels[upto - 1], values, take);
    for (size_t k = 0; k < take; k++) {
        n[k] = fold->count + k * tile->steps + upto;
        if (upto == 0)
            move_lane(own, values, k, before, k);
    }
    finish(own, room, values, n, height + 1, bits, doubts ? own_doubts : NULL, take);
    for (size_t k = 0; k < take; k++) {
        element_store_word(own->result, bits[k], expects, k * tile->steps + step);
        if (doubts)
            doubts[k * tile->steps + step] = own_doubts[k];
    }
}

void own_fold_scan(const struct oracle_own *own, struct oracle_fold *fold, const void *elements,
                   uint64_t count, void *expects, struct oracle_doubt *doubts)
{
    const size_t result_bytes = (size_t)problem_types[own->result].bytes;
    struct own_room *room = borrow(own);
    struct scan scan = {.trees = {fold->own}, .top = 1};
    struct tile tile;
    for (uint64_t done = 0; done < count; done += tile.count) {
        tile = find_tile(count - done);
        scan_steps(own, room, fold, (const unsigned char *)elements + done * bytes_of(own),
                   &tile);
        const uint64_t height = scan_tile(own, room, &scan, &tile);
        for (uint64_t t = 0; t < tile.steps; t++)
            finish_step(own, room, fold, &tile, t, height,
                        (unsigned char *)expects + done * result_bytes,
                        doubts ? doubts + done : NULL);
        fold->count += tile.count;
        fold->next += tile.count;
    }
    fold->own = find_before(own, room, &scan);
    give_back(own, room);
}

/* --- Many results ------------------------------------------------------------------------- */

/* Element d of each of `count` results, in a lane for each. */
static void gather(const struct problem *problem, const void *elements, const uint64_t *firsts,
                   uint64_t d, size_t count, unsigned char *out)
{
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    const unsigned char *from = elements;
    const uint64_t place = dims_place(&problem->dims, d);
    for (size_t k = 0; k < count; k++)
        memcpy(out + k * bytes, from + (firsts[k] + place) * bytes, bytes);
}

static void fold_lanes(const struct oracle_own *own, const struct problem *problem,
                       uint64_t first, size_t count, const void *elements, oracle_bits *out,
                       struct oracle_doubt *doubts)
{
    struct own_room *room = borrow(own);
    uint64_t firsts[LANES], results[LANES], places[LANES], n[LANES];
    for (size_t k = 0; k < count; k++) {
        results[k] = first + k;
        firsts[k] = dims_at(&problem->dims, first + k, 0);
        n[k] = problem->dims.depth.n;
    }
    for (uint64_t d = 0; d < problem->dims.depth.n; d++) {
        unsigned char raw[LANES * sizeof(uint64_t)] = {0};
        struct own_block x;
        gather(problem, elements, firsts, d, count, raw);
        element_widen(own->type, &x.of[0], raw);
        for (size_t k = 0; k < count; k++)
            places[k] = d;
        find_further(own, problem, results, places, &x, count);
        map(own, room, x.of[0].u64, places, &room->levels[room->top], count);
        push(own, room, false, count);
    }
    uint64_t height = end_tree(own, room, count);
    put_identity(own, room, &room->levels[1], 0, count);
    combine(own, room, &room->levels[1], &room->levels[0], &room->levels[0], count);
    finish(own, room, &room->levels[0], n, height + 1, out, doubts, count);
    give_back(own, room);
}

/* Elements of one result, gathered so that they lie together. */
static void fold_one(const struct oracle_own *own, const struct problem *problem,
                     uint64_t result, const void *elements, oracle_bits *out,
                     struct oracle_doubt *doubt)
{
    enum { PIECE = 1 << 12 };
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    const uint64_t depth = problem->dims.depth.n;
    const bool lies_together = dims_lie_together(&problem->dims);
    const unsigned char *from =
        (const unsigned char *)elements + dims_at(&problem->dims, result, 0) * bytes;
    unsigned char room[PIECE * sizeof(uint64_t)];
    struct oracle_fold fold;
    oracle_fold_init(&fold, problem);
    fold.result = result;
    for (uint64_t d = 0, take; d < depth; d += take) {
        take = lies_together ? depth : depth - d < PIECE ? depth - d : PIECE;
        for (uint64_t i = 0; !lies_together && i < take; i++)
            memcpy(room + i * bytes, from + dims_place(&problem->dims, d + i) * bytes, bytes);
        own_fold_add(own, &fold, lies_together ? from : room, take);
    }
    *out = own_fold_finish(own, &fold, doubt);
}

void own_fold_results(const struct oracle_own *own, const struct problem *problem,
                      uint64_t first, uint64_t count, const void *elements, void *expects,
                      struct oracle_doubt *doubts)
{
    oracle_bits bits[LANES];
    for (uint64_t done = 0, take; done < count; done += take) {
        struct oracle_doubt *own_doubts = doubts ? doubts + done : NULL;
        take = count - done < LANES ? count - done : LANES;
        if (take >= MANY_RESULTS)
            fold_lanes(own, problem, first + done, take, elements, bits, own_doubts);
        for (uint64_t r = 0; take < MANY_RESULTS && r < take; r++)
            fold_one(own, problem, first + done + r, elements, &bits[r],
                     own_doubts ? own_doubts + r : NULL);
        for (uint64_t r = 0; r < take; r++)
            element_store_word(own->result, bits[r], expects, done + r);
    }
}

/* --- Comparing ---------------------------------------------------------------------------- */

/* The type's unit roundoff, twice, of the result. */
static double round_once(enum type type, double value)
{
    const int bits = problem_types[type].exact_bits;
    return problem_types[type].is_float
               ? ldexp(fabs(value), 1 - bits) + element_range(type).tiny
               : 0;
}

double own_bound(const struct problem *problem, oracle_bits expect,
                 const struct oracle_doubt *doubt, uint64_t height)
{
    const enum type type = problem_result(problem);
    const double times = fmax(1, (double)height / (double)doubt->height);
    const double bound = ANOTHER_ORDER * (1 + times) * doubt->sum_abs + 2 * doubt->slack;
    if (!(bound > 0))
        return 0;
    return fmax(1, operation_tolerance(problem->op->text)) * bound +
           round_once(type, oracle_to_double(type, expect));
}

bool own_accepts(const struct problem *problem, oracle_bits expect,
                 const struct oracle_doubt *doubt, uint64_t height, oracle_bits got)
{
    const enum type type = problem_result(problem);
    const double a = oracle_to_double(type, expect), b = oracle_to_double(type, got);
    /* zeros of both signs are one, and so are all NaNs */
    if (expect == got || (problem_types[type].is_float && (a == b || (a != a && b != b))))
        return true;
    if (!doubt)
        return false;
    const double bound = own_bound(problem, expect, doubt, height);
    return doubt->is_open || (b != b && doubt->may_be_nan) ||
           (bound > 0 && fabs(a - b) <= bound);
}

/* --- Making one --------------------------------------------------------------------------- */

bool own_is_certain(const struct oracle_own *own)
{
    return own->is_certain;
}

bool own_grows(const struct oracle_own *own)
{
    return own->laws.grow;
}

/* Is the value of these elements a number of usual size? */
static bool is_usual(const struct oracle_own *own, struct own_room *room,
                     const struct own_block *x)
{
    struct operation_values *value = &room->levels[0];
    const uint64_t place = 0;
    operation_eval_map(room->eval, x->of[0].u64, &place, value->words[0], 1);
    return class_of(own, value, 0) == 0;
}

/* The same of an input's element, as a word, beside some element of all others. */
static bool is_usual_beside(const struct oracle_own *own, size_t input, uint64_t word)
{
    static const double others[] = {1, 3, 0.5};
    struct own_room *room = borrow(own);
    bool is = false;
    for (size_t i = 0; i < sizeof others / sizeof *others && !is; i++) {
        struct own_block x;
        for (size_t k = 0; k < own->inputs; k++) {
            const enum type type = k > 0 ? own->further[k - 1].type : own->type;
            uint64_t bits = (uint64_t)others[i];
            if (problem_types[type].is_float)
                element_store(type, others[i], &bits, 0);
            x.of[k].u64[0] = further_word(type, own->acc, bits);
        }
        x.of[input].u64[0] = word;
        is = is_usual(own, room, &x);
    }
    give_back(own, room);
    return is;
}

bool own_is_usual(const struct oracle_own *own, uint64_t word)
{
    return is_usual_beside(own, 0, further_word(own->type, own->acc, word));
}

/* Keeps those of the drawn elements whose values are usual, where there are any. */
static void keep_usual(struct oracle_own *own, size_t input)
{
    struct further *further = &own->further[input - 1];
    size_t kept = 0;
    for (size_t i = 0; i < further->usual_count; i++)
        if (is_usual_beside(own, input, further->words[i])) {
            further->bits[kept] = further->bits[i];
            further->words[kept++] = further->words[i];
        }
    further->usual_count = kept > 0 ? kept : further->usual_count;
}

static int open_further(struct oracle_own *own, const struct problem *problem,
                        struct error *error)
{
    const size_t count = own->inputs - 1;
    if (count == 0)
        return 0;
    own->further = calloc(count, sizeof *own->further);
    if (!own->further)
        return error_memory(error, count * sizeof *own->further);
    for (size_t k = 1; k <= count; k++)
        further_draw(&own->further[k - 1], problem_input_type(problem, k), own->acc);
    for (size_t k = 1; k <= count; k++)
        keep_usual(own, k);
    return 0;
}

void own_close(struct oracle_own *own)
{
    if (!own)
        return;
    lending_end(&own->rooms);
    free(own->further);
    free(own);
}

static bool is_inexact(const struct operation_eval *eval)
{
    return operation_eval_inexact(eval, OPERATION_MAP) ||
           operation_eval_inexact(eval, OPERATION_COMBINE) ||
           operation_eval_inexact(eval, OPERATION_FINISH);
}

int own_open(struct oracle_own **out, const struct problem *problem, struct error *error)
{
    const struct operation_text *text = problem->op->text;
    struct oracle_own *own = calloc(1, sizeof *own);
    *out = NULL;
    if (!own)
        return error_memory(error, sizeof *own);
    own->op = problem->op;
    own->type = problem->type;
    own->acc = problem->acc;
    own->result = problem_result(problem);
    problem_param_words(problem, own->params);
    own->fields = operation_field_count(text);
    own->inputs = problem_inputs(problem);
    own->has_places = own->inputs > 1 || operation_mentions(text, OPERATION_MAP, OPERATION_I);
    for (int f = 0; f < own->fields; f++)
        own->types[f] = operation_field_type(text, f, problem->acc);
    if (lending_start(&own->rooms, open_room, close_room, own, error)) {
        own_close(own);
        return -1;
    }
    struct own_room *room = borrow(own);
    own->commutes = problem_commutes(problem);
    own->is_certain = !problem_rounds(problem) && !is_inexact(room->eval);
    int failed = laws_try(&own->laws, problem, room->eval, room->bounds, error);
    give_back(own, room);
    failed = failed || open_further(own, problem, error);
    if (failed)
        own_close(own);
    else
        *out = own;
    return failed ? -1 : 0;
}
