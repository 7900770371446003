/* oracle_positions: makes cases for the positions of two tiles and a tail, one by one: windows
 * slide past a deciding element in the middle of a longer array. Hides which positions are
 * tried. */
#include "autotune/verify/oracle_layout.h"
#include "autotune/verify/oracle_ops.h"

#include <stdlib.h>
#include <string.h>

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* --- min, max and their positions: the mark at each place --------------------------------- */

/* Chooses each multiple of `stride` and the position before it; all, or as many as `budget`
 * allows. */
static uint64_t choose_edges(bool *chosen, uint64_t n, uint64_t stride, uint64_t budget,
                             uint64_t *state)
{
    uint64_t count = 0;
    if (stride == 0 || budget < 2)
        return 0;
    const uint64_t skip = (2 * (n / stride) + budget - 1) / budget * stride;
    for (uint64_t at = skip > 0 ? layout_random(state) % skip / stride * stride : n; at < n;
         at += skip)
        for (uint64_t p = at > 0 ? at - 1 : at; p <= at; p++) {
            count += !chosen[p];
            chosen[p] = true;
        }
    return count;
}

static void choose_positions(const struct layout *layout, bool *chosen, uint64_t n)
{
    const struct oracle_shape *shape = &layout->shape;
    const uint64_t strides[] = {shape->tile,  shape->block * layout->starts,
                                shape->block, 32 * layout->starts,
                                32,           shape->tile / shape->block};
    uint64_t state = layout->seed, count = 0;
    if (n <= shape->positions_max) {
        memset(chosen, true, n);
        return;
    }
    for (size_t i = 0; i < LAYOUT_EDGES; i++) {
        const uint64_t at = layout_edge(layout, i, n, &state);
        count += !chosen[at];
        chosen[at] = true;
    }
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++)
        if (count < shape->positions_max)
            count +=
                choose_edges(chosen, n, strides[i], (shape->positions_max - count) / 2, &state);
    while (count < shape->positions_max) {
        uint64_t at = layout_random(&state) % n;
        while (chosen[at])
            at = (at + 1) % n;
        chosen[at] = true;
        count++;
    }
}

/* As many arrays as starts, the mark one element further in each: for each position there is
 * one whose window starts where wanted. */
struct slides {
    uint64_t marks[LAYOUT_STARTS];
    oracle_bits expect[LAYOUT_STARTS];
    bool is_folded; /* there is no saying what a mark gives beside the others */
};

static int add_slides(struct layout *layout, struct slides *slides)
{
    const uint64_t n = layout->sweep_n;
    const uint64_t lead = (n + LAYOUT_ALIGN - 1) / LAYOUT_ALIGN * LAYOUT_ALIGN;
    for (uint64_t i = 0; i < layout->starts; i++) {
        const uint64_t seed = 2 * (layout->seed + i) + i % 2;
        uint64_t first;
        if (layout_add_elements(layout, layout->guard + lead + i + n + layout->guard, &first))
            return -1;
        layout_fill(layout, first + layout->guard, lead + i + n, seed);
        slides->marks[i] = first + layout->guard + lead + i;
        layout_put_mark(layout, slides->marks[i], seed);
        slides->is_folded = !layout_fold_one(layout, slides->marks[i], n, &slides->expect[i]);
    }
    return 0;
}

/* What was added last is a step of the sweep. */
static void note_step(struct layout *layout, uint64_t step)
{
    layout->out->cases[layout->out->count - 1].step = step;
}

static int add_slide(struct layout *layout, const struct slides *slides, uint64_t position,
                     uint64_t start)
{
    const uint64_t i = (start + position) % layout->starts;
    const bool is_position = problem_law(&layout->problem)->is_position;
    if (slides->is_folded)
        return layout_add_folded(layout, slides->marks[i] - position, layout->sweep_n);
    return layout_add_run(layout, slides->marks[i] - position, layout->sweep_n,
                          is_position ? position : slides->expect[i]);
}

/* Elements that a block reads at a time, 16 bytes a thread; of small tiles, a tile. */
static uint64_t count_line(const struct layout *layout)
{
    return least(layout->shape.tile, layout->shape.block * layout->starts);
}

/* Does the position begin or end a share? Then each draw has it. */
static bool is_edge(const struct layout *layout, uint64_t position, uint64_t n)
{
    uint64_t ignored = 0;
    size_t i = 0;
    while (i < LAYOUT_EDGES && layout_edge(layout, i, n, &ignored) != position)
        i++;
    return i < LAYOUT_EDGES;
}

/* Where only a sample of the positions is tried, nothing more is left out. */
static void describe_sweep(const struct layout *layout, uint64_t columns, uint64_t share,
                           uint64_t steps)
{
    layout->out->sweep = (struct oracle_sweep){.columns = most(columns, 1),
                                               .share = most(share, 1),
                                               .steps = steps,
                                               .starts = layout->starts};
}

static int sweep_order(struct layout *layout)
{
    struct slides slides;
    uint64_t state = layout->seed;
    const uint64_t n = layout->sweep_n, block = layout->shape.block;
    const bool is_all = n <= layout->shape.positions_max;
    int result = -1;
    if (is_all)
        describe_sweep(layout, block, count_line(layout) / block, n);
    bool *chosen = calloc(n, sizeof *chosen);
    if (chosen == NULL)
        return error_memory(layout->error, n);
    choose_positions(layout, chosen, n);
    if (add_slides(layout, &slides))
        goto out;
    for (uint64_t p = 0; p < n; p++) {
        if (chosen[p] && add_slide(layout, &slides, p, 0))
            goto out;
        if (is_all && !is_edge(layout, p, n))
            note_step(layout, p);
    }
    for (uint64_t start = 1; start < layout->starts; start++)
        for (size_t i = 0; i < LAYOUT_EDGES; i++)
            if (add_slide(layout, &slides, layout_edge(layout, i, n, &state), start))
                goto out;
    result = 0;
out:
    free(chosen);
    return result;
}

/* --- argmin, argmax: equals --------------------------------------------------------------- */

/* Puts the mark at each edge, and again every `distance` elements behind it: in other lanes,
 * warps, blocks and tiles. The first counts. It is `phase` elements past alignment: with 0 it
 * is the first of a load, or in the tail; else it may also be before the first load. With no
 * distance it is alone among elements that are worse by the least step, which a narrower type
 * takes for equals: of floats at several sizes, for their steps differ. */
static int add_ties(struct layout *layout, uint64_t distance, uint64_t phase, uint64_t seed,
                    uint64_t *state)
{
    const uint64_t n = layout->sweep_n;
    const uint64_t lead = (n + LAYOUT_ALIGN - 1) / LAYOUT_ALIGN * LAYOUT_ALIGN + phase;
    uint64_t first;
    if (layout_add_elements(layout, layout->guard + lead + n + layout->guard, &first))
        return -1;
    if (distance == 0)
        layout_fill_rivals(layout, first + layout->guard, lead + n, seed);
    else
        layout_fill(layout, first + layout->guard, lead + n, seed);
    const uint64_t mark = first + layout->guard + lead;
    for (uint64_t at = 0; at < n; at += distance > 0 ? distance : n)
        layout_put_mark(layout, mark + at, seed);
    for (size_t i = 0; i < LAYOUT_EDGES; i++) {
        const uint64_t position = layout_edge(layout, i, n, state);
        if (layout_add_run(layout, mark - position, n, position))
            return -1;
    }
    return 0;
}

/* Adds equal elements, worse than or as good as a likely start value of a kernel: the first
 * counts. */
static int add_flats(struct layout *layout)
{
    const struct oracle_shape *shape = &layout->shape;
    const uint64_t sizes[] = {1, 2, 33, shape->block + 1, shape->tile + 1, layout->sweep_n};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint64_t start = 0; start < layout->starts; start++) {
            uint64_t first;
            if (layout_add_elements(layout, layout->guard + start + sizes[i], &first))
                return -1;
            layout_fill_worst(layout, first + layout->guard + start, sizes[i]);
            if (layout_add_run(layout, first + layout->guard + start, sizes[i], 0))
                return -1;
        }
    uint64_t last;
    return layout_add_elements(layout, layout->guard, &last);
}

static int sweep_ties(struct layout *layout)
{
    const uint64_t block = layout->shape.block, tile = layout->shape.tile;
    const uint64_t late = layout->starts - 1; /* the last of a load, or before the first */
    const struct {
        uint64_t distance, phase;
    } ties[] = {
        {0, 0},        {0, late},
        {0, 1},        {0, 0},
        {0, late},     {0, 1}, /* of floats alone up to here */
        {0, 0},        {0, late},
        {1, 0},        {1, 1},
        {2, 0},        {2, late},
        {31, late},    {32, 0},
        {33, late},    {block - 1, 0},
        {block, late}, {tile, late},
        {tile - 1, 0}, {block * layout->starts, 0},
    };
    const size_t first = problem_types[layout->problem.type].is_float ? 0 : 6;
    uint64_t state = layout->seed;
    for (size_t i = first; i < sizeof ties / sizeof *ties; i++)
        if (add_ties(layout, ties[i].distance, ties[i].phase, 2 * (layout->seed + i) + i % 2,
                     &state))
            return -1;
    return add_flats(layout);
}

/* --- and, or: one bit at each of as many neighbours --------------------------------------- */

/* Adds the window in which the element of bit 0 is at run * bits - start. Its result is the
 * combination of the bits inside and one element of the background. */
static int add_run(struct layout *layout, uint64_t pattern, uint64_t run, uint64_t start)
{
    const uint64_t bits = layout_bits(layout), n = layout->sweep_n;
    const uint64_t window = pattern + start - run * bits;
    const uint64_t from = most(pattern, window), to = least(pattern + bits, window + n);
    struct oracle_fold fold;
    oracle_bits expect;
    oracle_fold_init(&fold, &layout->problem);
    oracle_fold_add(&fold, layout_element(layout, from), to - from);
    oracle_fold_add(&fold, layout_element(layout, pattern - 1), 1);
    fold.count = n;
    if (layout->is_doubted)
        return layout_add_folded(layout, window, n);
    if (oracle_fold_finish(&fold, &expect, layout->error))
        return -1;
    return layout_add_run(layout, window, n, expect);
}

/* The first of the neighbours, in as many arrays as it takes for one to be aligned as any run
 * is: where bits are fewer than starts, a run is no whole number of 16 bytes. */
struct patterns {
    uint64_t at[LAYOUT_STARTS];
    uint64_t count;
};

static int add_patterns(struct layout *layout, struct patterns *patterns)
{
    const uint64_t n = layout->sweep_n, bits = layout_bits(layout);
    const uint64_t lead = (n + bits + LAYOUT_ALIGN - 1) / LAYOUT_ALIGN * LAYOUT_ALIGN;
    const uint64_t room = lead + layout->starts + bits + n + bits;
    patterns->count = layout->starts > bits ? layout->starts / bits : 1;
    for (uint64_t i = 0; i < patterns->count; i++) {
        uint64_t first;
        if (layout_add_elements(layout, layout->guard + room + layout->guard, &first))
            return -1;
        layout_fill_flat(layout, first + layout->guard, room);
        patterns->at[i] = first + layout->guard + lead + i * bits;
        for (unsigned bit = 0; bit < bits; bit++)
            layout_flip_bit(layout, patterns->at[i] + bit, bit);
    }
    return 0;
}

/* Every run at every start where positions_max allows; else a seeded part of them, with the
 * first, the last and those at the ends of tiles. */
static int sweep_bits(struct layout *layout)
{
    const uint64_t n = layout->sweep_n, bits = layout_bits(layout), tile = layout->shape.tile;
    const uint64_t runs = (n + layout->starts + bits - 1) / bits;
    const uint64_t wanted = most(1, layout->shape.positions_max / layout->starts);
    const uint64_t skip = (runs + wanted - 1) / wanted;
    uint64_t state = layout->seed;
    struct patterns patterns;
    if (add_patterns(layout, &patterns))
        return -1;
    if (skip == 1)
        describe_sweep(layout, count_line(layout) / bits, 1, runs);
    for (uint64_t start = 0; start < layout->starts; start++) {
        const uint64_t phase = layout_random(&state) % skip, last = (n - 1 + start) / bits;
        const uint64_t earliest = start / bits; /* all of a run before lies before the window */
        for (uint64_t run = earliest; run <= last; run++) {
            const uint64_t low = run * bits - least(start, run * bits), high = low + bits;
            const bool is_edge = run == earliest || run == last ||
                                 (low <= tile && tile <= high) ||
                                 (low <= 2 * tile && 2 * tile <= high);
            if (!is_edge && run % skip != phase)
                continue;
            if (add_run(layout, patterns.at[run % patterns.count], run, start))
                return -1;
            if (skip == 1 && !is_edge)
                note_step(layout, run);
        }
    }
    return 0;
}

/* Each column has its row and its place of a load; rows that the last line lacks are the one before. */
bool oracle_is_drawn(const struct oracle_cases *cases, size_t i, uint64_t draw)
{
    const struct oracle_sweep *sweep = &cases->sweep;
    const uint64_t step = cases->cases[i].step, line = sweep->columns * sweep->share;
    if (step == ORACLE_KEPT)
        return true;
    const uint64_t start = cases->cases[i].offset % sweep->starts;
    const uint64_t hash = oracle_mix(oracle_mix(draw) ^ start);
    const uint64_t rows = (sweep->steps + line - 1) / line;
    const uint64_t column = step / sweep->share % sweep->columns;
    const uint64_t place = (column * sweep->share / sweep->columns + hash) % sweep->share;
    const uint64_t row = ((hash >> 32) + column) % rows;
    const uint64_t at = row * line + column * sweep->share + place;
    return step == (at < sweep->steps ? at : at - line);
}

int oracle_sweep(struct layout *layout)
{
    if (layout_is_bits(layout))
        return sweep_bits(layout);
    if (sweep_order(layout))
        return -1;
    return problem_law(&layout->problem)->is_position ? sweep_ties(layout) : 0;
}
