/* oracle_segments: makes offsets and folds the segments that they give: of small cases, which have empty
 * segments in runs, giants among them, ends at the borders of loads and tiles, and offsets that no user
 * should give; and of inputs of full size, by distribution of lengths. */
#include "autotune/verify/element.h"
#include "autotune/verify/oracle_layout.h"
#include "autotune/verify/oracle_ops.h"

#include <stdlib.h>
#include <string.h>

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* --- Folding ------------------------------------------------------------------------------ */

/* One of several rows: so that a segment's operation is what it is among others. */
static struct dims dims_of(uint64_t length)
{
    const struct dims dims = {.outer = {2, length + 1}, .depth = {length, 1}, .inner = {1, 1}};
    return dims;
}

struct dims oracle_whole(const struct dims *dims)
{
    return dims_of(dims->depth.n);
}

int oracle_fold_segments(const struct problem *problem, const uint64_t *borders, uint64_t first,
                         uint64_t count, const void *elements, void *expects,
                         struct oracle_doubt *doubts, double *largest, struct error *error)
{
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    const size_t result_bytes = (size_t)problem_types[problem_result(problem)].bytes;
    const uint64_t n = problem->dims.depth.n;
    struct problem one = *problem;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t begin = least(borders[first + i], n);
        const uint64_t end = least(borders[first + i + 1], n);
        one.dims = dims_of(end > begin ? end - begin : 0);
        if (oracle_fold_results(&one, 0, 1, (const unsigned char *)elements + begin * bytes,
                                (unsigned char *)expects + i * result_bytes,
                                doubts ? doubts + i : NULL, largest, error))
            return -1;
    }
    return 0;
}

/* --- Lengths ------------------------------------------------------------------------------ */

/* What a segment counts for beside others: any up to twice the mean; or 0 of nine in ten, and else a power
 * of two. */
static uint64_t weigh(enum lengths lengths, uint64_t hash)
{
    if (lengths == LENGTHS_SKEWED)
        return hash % 10 ? 0 : (uint64_t)1 << (hash >> 8) % 16;
    return lengths == LENGTHS_UNIFORM ? hash % 65536 : 1;
}

void oracle_make_borders(uint64_t *out, const struct problem *problem, enum lengths lengths,
                         uint64_t seed)
{
    const uint64_t count = dims_kept(&problem->dims), n = problem->dims.depth.n;
    const uint64_t giant = lengths == LENGTHS_SKEWED ? n - n / 2 : 0;
    uint64_t all = 0, sum = 0;
    for (uint64_t i = 0; i < count; i++)
        all += weigh(lengths, oracle_mix(seed ^ oracle_mix(i)));
    for (uint64_t i = 0; i < count; i++) {
        const long double behind = (long double)sum * (long double)(n - giant);
        out[i] =
            (all ? (uint64_t)(behind / (long double)all) : 0) + (i > count / 2 ? giant : 0);
        sum += weigh(lengths, oracle_mix(seed ^ oracle_mix(i)));
    }
    out[count] = n;
}

void oracle_store_borders(const struct problem *problem, const uint64_t *borders,
                          uint64_t count, void *out)
{
    for (uint64_t i = 0; i < count; i++)
        element_store_word(problem->offsets, borders[i], out, i);
}

/* --- Small cases -------------------------------------------------------------------------- */

enum { LONG_MOST = 50000, FEW_MOST = 3000, HOSTILE_SEGMENTS = 67 };

/* The lengths of a case's segments. */
enum pattern {
    ONES,
    THREES,    /* ends inside loads */
    LOADS,     /* of 16 bytes */
    MIXED,     /* 0 to 7 */
    NEAR_TILE, /* with its end as long as a tile, one less and one more */
    NO_ELEMENTS,
    EMPTY_RUNS, /* hundreds of empty ones between short ones */
    EMPTY_FRONT,
    EMPTY_BACK,
    GIANT,      /* of several tiles among empty ones */
    GIANT_TINY, /* among short ones */
    LONG_GIANT, /* over many blocks */
    GEOMETRIC,
    LONE,
    LONE_EMPTY,
    PATTERNS
};

static uint64_t count_of(const struct layout *layout, enum pattern pattern)
{
    const uint64_t tile = layout->shape.tile, many = tile + tile / 4 + 700;
    const uint64_t turns = 2 * layout->shape.at_once + 3, few = least(turns, 2 * tile + 3);
    switch (pattern) {
    case NEAR_TILE: return 5;
    case LONG_GIANT: return 3;
    case NO_ELEMENTS:
    case EMPTY_RUNS:
    case GIANT: return many;
    case EMPTY_FRONT:
    case EMPTY_BACK:
    case GIANT_TINY: return many + 13;
    case LONE:
    case LONE_EMPTY: return 1;
    default: return least(few, FEW_MOST);
    }
}

static uint64_t length_of(const struct layout *layout, enum pattern pattern, uint64_t count,
                          uint64_t i)
{
    const uint64_t hash = oracle_mix(layout->seed ^ oracle_mix(i + 1)),
                   tile = layout->shape.tile;
    const uint64_t giant = 3 * tile + 5;
    switch (pattern) {
    case ONES: return 1;
    case THREES: return 3;
    case LOADS: return layout->starts;
    case MIXED: return hash % 8;
    case NEAR_TILE: return tile - 1 + i % 3 - (i == 4);
    case EMPTY_RUNS: return i % 411 == 0 ? 1 + hash % 5 : 0;
    case EMPTY_FRONT: return i < count - 13 ? 0 : hash % 50;
    case EMPTY_BACK: return i < 13 ? hash % 50 : 0;
    case GIANT: return i == count / 3 ? giant : 0;
    case GIANT_TINY: return i == count / 2 ? giant : hash % 3;
    case LONG_GIANT: return i == 1 ? least(70 * tile, LONG_MOST) + 3 : 5;
    case GEOMETRIC: return (hash >> 8) % (UINT64_C(1) << hash % 9);
    case LONE: return 2 * tile + 7;
    default: return 0;
    }
}

/* Each of these has the deciding elements at places of its own. */
static void fill_segment(const struct layout *layout, uint64_t at, uint64_t length,
                         uint64_t seed)
{
    struct oracle_input input = {.problem = layout->problem, .seed = seed};
    if (length == 0)
        return;
    input.mark = oracle_mix(seed) % length;
    input.problem.dims = dims_of(length);
    oracle_fill(&input, 0, length, layout_element(layout, at));
}

/* Adds the case, of which `lead` elements are before the first segment and `behind` after the last. */
static int add_pattern(struct layout *layout, enum pattern pattern, uint64_t start,
                       uint64_t lead, uint64_t behind, uint64_t seed)
{
    const uint64_t count = count_of(layout, pattern);
    const bool by_parity = oracle_has_mark(&layout->problem);
    uint64_t *borders = layout_add_borders(layout, count + 1), n = lead, first;
    if (!borders)
        return -1;
    for (uint64_t i = 0; i <= count; i++) {
        borders[i] = n;
        n += i < count ? length_of(layout, pattern, count, i) : behind;
    }
    if (layout_add_elements(layout, layout->guard + start + n + layout->guard, &first))
        return -1;
    const uint64_t offset = first + layout->guard + start;
    for (uint64_t i = 0; i < count; i++)
        fill_segment(layout, offset + borders[i], borders[i + 1] - borders[i],
                     seed + 2 * i + (by_parity && i % 3 == 0));
    const struct dims dims = dims_segments(count, n);
    return layout_add_array(layout, offset, &dims);
}

/* Offsets that no user should give: what comes of them is open, but that it stays within the buffers and
 * ends. */
enum hostile { DESCENDING, PAST_END, FAR, TURNING, LAST_FIRST, ANY_WORDS, HOSTILES };

static uint64_t hostile_border(enum hostile hostile, uint64_t count, uint64_t n, uint64_t i)
{
    switch (hostile) {
    case DESCENDING: return n - n * i / count;
    case PAST_END: return n / 2 + i * 1000003;
    case FAR: return i % 2 ? INT64_MAX : (uint64_t)INT64_MIN + i;
    case TURNING: return i % 2 ? n : 0;
    case LAST_FIRST: return i == 0 ? n : i == count ? 1 : n * i / count;
    default: return oracle_mix(i);
    }
}

static int add_hostile(struct layout *layout, enum hostile hostile)
{
    const uint64_t count = HOSTILE_SEGMENTS, n = layout->shape.tile + 7;
    uint64_t *borders = layout_add_borders(layout, count + 1), first;
    if (!borders || layout_add_elements(layout, 2 * layout->guard + n, &first))
        return -1;
    for (uint64_t i = 0; i <= count; i++)
        borders[i] = hostile_border(hostile, count, n, i);
    layout_fill(layout, first + layout->guard, n, layout->seed);
    const struct dims dims = dims_segments(count, n);
    if (layout_add_array(layout, first + layout->guard, &dims))
        return -1;
    layout->out->cases[layout->out->count - 1].is_open = true;
    return 0;
}

int oracle_add_segments(struct layout *layout)
{
    const bool by_sign = oracle_kind(&layout->problem)->values->deciding == DECIDING_SIGNS;
    for (uint64_t p = 0; p < PATTERNS; p++)
        for (uint64_t k = 0; k < 2 + (uint64_t)by_sign; k++) {
            const uint64_t start = (5 * p + 3 * k) % layout->starts;
            /* Far more elements than segments have: blocks get nothing. */
            const uint64_t many = p == LONE_EMPTY ? 3 * layout->shape.tile : 0;
            const uint64_t lead = k == 1 ? 1 + p % 5 : 0, behind = k == 1 ? many + p % 4 : 0;
            if (add_pattern(layout, (enum pattern)p, start, lead, behind,
                            2 * (layout->seed + 1000003 * p) + k))
                return -1;
        }
    for (int h = 0; h < HOSTILES; h++)
        if (add_hostile(layout, (enum hostile)h))
            return -1;
    return 0;
}
