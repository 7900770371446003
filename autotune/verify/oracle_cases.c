/* oracle_cases: makes the small inputs that prove a kernel of one shape. All lie in one array
 * and a case is a window of it. Windows between guards show reads outside; hashed elements, or
 * a deciding element whose window slides past it (oracle_sweep) or which has another place in
 * each of several results, show elements that were not read. */
#include "autotune/verify/oracle_layout.h"
#include "autotune/verify/oracle_mapped.h"
#include "autotune/verify/oracle_ops.h"

#include "generator/operation_shadow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    GUARD_MAX = 4096, /* elements in a guard zone, at most */
    SCALED = 36,      /* elements of a float product other than +-1 */
    COUNTS = 7,
    GAPS = 5,
    INNERS = 7,
    CASE_ELEMENTS = 1 << 12, /* of a case of several results, about */
    EVEN_ELEMENTS = 1 << 14, /* of a case in which blocks take several turns */
    LONG = 20011,
    LARGE = 100003,
    LARGE_TILES = 98304, /* of tiles: 3 * 2^15, a multiple of most */
    TIES = 8,
    SINGLES_LEAST = 256,  /* results of one drawn element */
    SINGLES_AT_ONCE = 32, /* for each that a block makes at a time */
    SCAN_POSITIONS = 32,  /* of a scan, which has many results at each */
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static bool is_by_sign(const struct layout *layout)
{
    return oracle_kind(&layout->problem)->values->deciding == DECIDING_SIGNS;
}

/* The elements of many whole tiles; 0 where tiles are too large. */
static uint64_t whole_tiles(const struct layout *layout)
{
    const uint64_t tile = layout->shape.tile;
    return tile < LARGE_TILES / 2 ? LARGE_TILES / tile * tile : 0;
}

/* The size of a window: the one of whole tiles less one is one more at odd starts. */
static uint64_t size_at(const struct layout *layout, size_t which, uint64_t start)
{
    const uint64_t n = layout->sizes[which];
    return n + (n + 1 == whole_tiles(layout) && start % 2);
}

/* Elements from a 256-byte boundary: at `start` past each multiple of 16 bytes in turn. */
static uint64_t start_at(const struct layout *layout, uint64_t start, uint64_t turn)
{
    return start + turn % LAYOUT_LINE * layout->starts;
}

/* --- Every element counts ----------------------------------------------------------------- */

/* +-2^10, 2^9 .. 2, 2, 2: short products are not +-1 either, and falling powers show a window
 * that starts too early. 2^81 in all, far from any overflow. */
static void scale_first(const struct layout *layout, uint64_t first)
{
    const enum type type = layout->problem.type;
    void *elements = layout->out->elements;
    for (uint64_t i = first; i < first + SCALED; i++) {
        const int scale = 1 << (i - first < 9 ? 10 - (i - first) : 1);
        element_store(type, scale * element_load(type, elements, i), elements, i);
    }
}

/* Adds one array of hashed elements: those around a window are as loud as those in it. */
static int add_hashed(struct layout *layout, uint64_t seed, bool is_scaled)
{
    uint64_t longest = SCALED, first;
    for (size_t i = 0; i < layout->size_count; i++)
        longest = most(longest, layout->sizes[i]);
    const uint64_t line = LAYOUT_LINE * layout->starts;
    if (layout_add_elements(layout, layout->guard + line + longest + layout->guard, &first))
        return -1;
    layout_fill(layout, first, layout->out->element_count - first, seed);
    if (is_scaled)
        scale_first(layout, first + layout->guard);
    for (size_t i = 0; i < layout->size_count; i++)
        for (uint64_t start = 0; start < layout->starts; start++) {
            const uint64_t at = start_at(layout, start, is_scaled ? 0 : i + 5 * start);
            layout->is_again = (start + i) % layout->starts >= layout->shape.parts;
            if (layout_add_folded(layout, first + layout->guard + at,
                                  size_at(layout, i, start)))
                return -1;
        }
    layout->is_again = false;
    return 0;
}

static int make_hashed(struct layout *layout)
{
    const bool by_sign = is_by_sign(layout);
    if (add_hashed(layout, 2 * layout->seed, by_sign))
        return -1;
    return by_sign ? add_hashed(layout, 2 * layout->seed + 1, true) : 0;
}

/* --- A mark or bits: windows between guards ----------------------------------------------- */

/* Chooses an edge; for a position never the first: a read before the window gives that too. */
static uint64_t choose_edge(const struct layout *layout, size_t which, uint64_t n,
                            uint64_t *state)
{
    const uint64_t at = layout_edge(layout, which % LAYOUT_EDGES, n, state);
    return at == 0 && problem_law(&layout->problem)->is_position ? n - 1 : at;
}

/* Puts bits at the edges; bit 0 is left free to show the guard. In every other window each bit
 * occurs once more, which a xor would undo. */
static void decide_bits(const struct layout *layout, uint64_t window, uint64_t n, size_t which,
                        uint64_t *state)
{
    layout_fill_flat(layout, window, n);
    for (unsigned bit = 1; n > 0 && bit < layout_bits(layout); bit++) {
        const uint64_t at = layout_edge(layout, bit - 1, n, state);
        layout_flip_bit(layout, window + at, bit);
        if (n > 1 && which % 2)
            layout_flip_bit(layout, window + (at + 1 + bit % (n - 1)) % n, bit);
    }
}

/* A place in the first half of a large window, in the fourth of four tiles where there are so
 * many: mostly not of the first block. */
static uint64_t choose_any(const struct layout *layout, uint64_t n, uint64_t *state)
{
    const uint64_t tile = layout->shape.tile, at = 1 + layout_random(state) % (n / 2);
    return tile < n / 16 ? at / (4 * tile) * (4 * tile) + 3 * tile + at % tile : at;
}

/* Puts the mark at one of the edges; for a position once more as far behind it as a block of
 * tiles, for one thread may gather the values of both tiles. In every other large window
 * it is anywhere, and again at places behind it: a block of a lower number may have
 * them. */
static void decide_mark(const struct layout *layout, uint64_t window, uint64_t n, size_t which,
                        uint64_t seed, uint64_t *state)
{
    const uint64_t far = layout->shape.block * layout->shape.tile;
    layout_fill(layout, window, n, seed);
    if (n == 0)
        return;
    const bool is_position = problem_law(&layout->problem)->is_position;
    const bool is_any = is_position && which % 2 && n == LARGE;
    const uint64_t at =
        is_any ? choose_any(layout, n, state) : choose_edge(layout, which, n, state);
    layout_put_mark(layout, window + at, seed);
    if (is_position && !is_any && at + far < n)
        layout_put_mark(layout, window + at + far, seed);
    for (int i = 0; is_any && i < TIES; i++)
        layout_put_mark(layout, window + at + layout_random(state) % (n - at), seed);
}

/* Adds a window with bits, or with the mark. */
static int add_segment(struct layout *layout, uint64_t n, uint64_t start, size_t which)
{
    const uint64_t seed = 2 * (layout->seed + which) + start % 2;
    uint64_t first, state = layout->seed + which;
    const uint64_t from = layout->guard + start_at(layout, start, which);
    if (layout_add_elements(layout, from + n, &first))
        return -1;
    const uint64_t window = first + from;
    if (layout_is_bits(layout))
        decide_bits(layout, window, n, which, &state);
    else
        decide_mark(layout, window, n, which, seed, &state);
    return layout_add_folded(layout, window, n);
}

/* Adds a window of stairs: see oracle_put_stair. */
static int add_stairs(struct layout *layout, uint64_t n, uint64_t start, size_t which)
{
    struct oracle_input input = {.problem = layout->problem, .seed = layout->seed + which};
    const uint64_t from = layout->guard + start_at(layout, start, which);
    uint64_t first;
    if (layout_add_elements(layout, from + n, &first))
        return -1;
    input.problem.dims.depth.n = n;
    oracle_fill(&input, 0, n, layout_element(layout, first + from));
    return layout_add_folded(layout, first + from, n);
}

static int add_all_stairs(struct layout *layout)
{
    for (size_t i = 0; i < layout->size_count; i++)
        for (uint64_t start = 0; start < layout->starts; start++)
            if (add_stairs(layout, size_at(layout, i, start), start, i + 5 * start))
                return -1;
    uint64_t last;
    return layout_add_elements(layout, layout->guard, &last);
}

static int add_segments(struct layout *layout)
{
    uint64_t last;
    for (size_t i = 0; i < layout->size_count; i++)
        for (uint64_t start = 0; start < layout->starts; start++)
            if (add_segment(layout, size_at(layout, i, start), start, i + 7 * start))
                return -1;
    return layout_add_elements(layout, layout->guard, &last);
}

/* --- Several results, or elements that lie apart ------------------------------------------ */

/* Adds one array between guards, `start` elements past alignment. */
static int add_array(struct layout *layout, const struct dims *dims, uint64_t start,
                     uint64_t seed, uint64_t mark)
{
    struct oracle_input input = {.problem = layout->problem,
                                 .seed = seed,
                                 .mark = mark % dims->depth.n};
    const uint64_t extent = dims_extent(dims);
    uint64_t first;
    if (layout_add_elements(layout, layout->guard + start + extent + layout->guard, &first))
        return -1;
    const uint64_t offset = first + layout->guard + start;
    input.problem.dims = *dims;
    oracle_fill(&input, 0, extent, layout_element(layout, offset));
    return layout_add_array(layout, offset, dims);
}

/* Has a problem more axes than rows and columns have? */
static bool has_more_axes(const struct dims *dims)
{
    return dims_is_middle(dims) || dims_is_strided(dims);
}

/* The same with every other element. */
static struct dims dims_apart(const struct dims *dims)
{
    struct dims apart = *dims;
    struct dim *const axes[] = {&apart.outer, &apart.depth, &apart.inner};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        axes[i]->stride *= 2;
    for (size_t i = 0; i < DIMS_SPANS; i++)
        apart.spans[i].stride *= 2;
    for (size_t i = 0; i < DIMS_SLICES; i++)
        apart.slices[i].stride *= 2;
    return apart;
}

/* Gives what is in parts two of the widest, with two in each but the closest, which has so
 * many elements. */
static void set_parts(struct dim *whole, struct dim *parts, int count, uint64_t closest)
{
    uint64_t n = closest;
    for (int k = 0; k < count && dims_makes_several(&parts[k], whole->n); k++, n *= 2)
        parts[k].n = n;
    if (n > closest)
        whole->n = n;
}

static uint64_t *outermost_stride(struct dims *dims)
{
    uint64_t *stride = &dims->outer.stride;
    for (size_t k = 0; k < DIMS_SLICES; k++)
        if (dims_makes_several(&dims->slices[k], dims->outer.n) &&
            dims->slices[k].stride > *stride)
            stride = &dims->slices[k].stride;
    for (size_t k = 0; k < DIMS_SPANS; k++)
        if (dims_makes_several(&dims->spans[k], dims->depth.n) &&
            dims->spans[k].stride > *stride)
            stride = &dims->spans[k].stride;
    return stride;
}

/* One of several spans has a stride of one more, and what lies wider apart is whole loads further. */
static void part_span(struct dims *dims, struct dim *span, uint64_t load)
{
    struct dim *const kept[] = {&dims->outer, &dims->inner};
    const uint64_t stride = span->stride, more = load * (dims->depth.n / span->n);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        kept[i]->stride += kept[i]->stride > stride ? more : 0;
    for (size_t i = 0; i < DIMS_SPANS; i++)
        dims->spans[i].stride += dims->spans[i].stride > stride ? more : 0;
    for (size_t i = 0; i < DIMS_SLICES; i++)
        dims->slices[i].stride += dims->slices[i].stride > stride ? more : 0;
    span->stride++;
}

/* How many lie in wider ones. */
static unsigned count_spans(const struct dims *dims)
{
    unsigned count = 0;
    while (count < DIMS_SPANS && dims_makes_several(&dims->spans[count], dims->depth.n))
        count++;
    return count;
}

/* Dims of a case. Of more axes so many results lie on the inner side, two or more on the outer, and
 * so many elements in a span; where `apart` is 1 the outermost axis has a stride of one more, or, of
 * strided dims without gaps, every element is twice as far; where it is 2 or more the first of several
 * spans has a stride of its own, the second, ... */
static struct dims case_dims(const struct layout *layout, uint64_t results, uint64_t depth,
                             uint64_t gap, uint64_t inner, uint64_t apart)
{
    struct dims like = layout->problem.dims;
    if (!has_more_axes(&like))
        return oracle_resize(&like, results, depth, gap);
    if (dims_has_two_kept(&like)) {
        set_parts(&like.outer, like.slices, DIMS_SLICES, 2);
        like.inner.n = inner;
        results = most(results, (dims_has_slices(&like) ? like.outer.n : 2) * inner);
    }
    set_parts(&like.depth, like.spans, DIMS_SPANS, most(inner, 2));
    like = oracle_resize(&like, results, depth, gap);
    if (apart >= 2 && apart - 2 < count_spans(&like))
        part_span(&like, &like.spans[apart - 2], layout->starts);
    else if (dims_is_strided(&layout->problem.dims) && apart && !gap)
        return dims_apart(&like);
    else
        *outermost_stride(&like) += apart;
    return like;
}

static void list_depths(struct layout *layout)
{
    const uint64_t tile = layout->shape.tile;
    /* clang-format off */
    const uint64_t all[] = {1,        2,            3,  4,  5,  7,        8,    9,
                            15,       16,           17, 31, 32, 33,       tile - 1, tile,
                            tile + 1, 2 * tile - 1, layout->sweep_n, LONG};
    /* clang-format on */
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] > 0)
            layout_add_size(layout, all[i]);
}

/* For each depth two starts, others for the next; numbers of results, gaps and, where they
 * differ, both kinds of seeds take turns. */
static int add_arrays(struct layout *layout, uint64_t seed)
{
    const uint64_t at_once = layout->shape.at_once;
    const uint64_t several = least(8 * at_once + 5, 61); /* turns, and a rest */
    const uint64_t counts[COUNTS] = {at_once + 1, 1, 2 * at_once + 3, several,
                                     at_once,     2, at_once / 2 + 1};
    const uint64_t gaps[GAPS] = {0, 1, 0, layout->starts, 3};
    const uint64_t inners[INNERS] = {layout->starts, at_once, 1,          3,
                                     at_once + 1,    2,       at_once / 2};
    const uint64_t step = layout->starts > 2 ? layout->starts / 2 : 1;
    const bool by_parity = is_by_sign(layout) || oracle_has_mark(&layout->problem);
    size_t turn = 0;
    for (size_t d = 0; d < layout->size_count; d++)
        for (uint64_t start = d % step; start < layout->starts; start += step, turn++) {
            const uint64_t depth = layout->sizes[d];
            const uint64_t limit = depth <= 2 ? UINT64_MAX : CASE_ELEMENTS / depth + 1;
            const uint64_t count = least(counts[(turn + d) % COUNTS], limit);
            const uint64_t inner = least(most(inners[turn % INNERS], 1), limit);
            const struct dims dims =
                case_dims(layout, count, depth, gaps[turn % GAPS], inner, turn / INNERS % 2);
            if (depth == LONG && start > 1)
                continue;
            if (add_array(layout, &dims, start_at(layout, start, turn),
                          seed + 2 * turn + (by_parity && turn % 3 == 0), turn * 7))
                return -1;
        }
    return 0;
}

/* Adds arrays of whole loads in all but one of start, results and step, in every combination; of
 * more axes once more with a stride of the outermost of its own, and of several spans once more with
 * one of each. */
static int add_uneven(struct layout *layout, uint64_t seed)
{
    const struct oracle_shape *shape = &layout->shape;
    const uint64_t gaps[] = {0, 1, layout->starts - 1};
    const unsigned spans = count_spans(&layout->problem.dims);
    const unsigned turns =
        (has_more_axes(&layout->problem.dims) ? 2 : 1) + (spans > 1 ? spans : 0);
    for (unsigned i = 0; i < 24 * turns; i++) {
        const struct dims dims =
            case_dims(layout, shape->at_once + (i & 1), shape->tile + (i >> 1 & 1),
                      gaps[(i >> 3) % 3], layout->starts + (i & 1), i / 24);
        if (add_array(layout, &dims, i >> 2 & 1, seed + UINT64_C(2) * i, i))
            return -1;
    }
    return 0;
}

/* Adds arrays of whole loads throughout, where a result's elements lie together: a load, a
 * tile, a load more than that, with gaps and without, in more results than two blocks take at
 * once, as far as the elements of a case go. */
static int add_even(struct layout *layout, uint64_t seed)
{
    const uint64_t load = layout->starts, tile = layout->shape.tile;
    const uint64_t depths[] = {load, tile, tile + load};
    for (unsigned i = 0; i < 6; i++) {
        const uint64_t depth = depths[i >> 1];
        const uint64_t count = least(2 * layout->shape.at_once + 3, EVEN_ELEMENTS / depth + 3);
        const struct dims dims = case_dims(layout, count, depth, (i & 1) * load, 2 * load, 0);
        if (add_array(layout, &dims, 0, seed + UINT64_C(2) * i, i))
            return -1;
    }
    return 0;
}

static int make_arrays(struct layout *layout)
{
    const uint64_t seed = 2 * layout->seed;
    layout->guard = LAYOUT_ALIGN;
    list_depths(layout);
    return add_arrays(layout, seed) || add_uneven(layout, seed) || add_even(layout, seed) ? -1
                                                                                          : 0;
}

static int make_segments(struct layout *layout)
{
    list_depths(layout); /* for what rounds */
    return oracle_add_segments(layout);
}

/* --- One run ------------------------------------------------------------------------------ */

static void list_sizes(struct layout *layout)
{
    const uint64_t block = layout->shape.block, tile = layout->shape.tile;
    const uint64_t edges[] = {block - 1, block,    block + 1,       tile - 1,
                              tile,      tile + 1, layout->sweep_n, 2 * tile + tile / 2 + 1};
    for (uint64_t n = 0; n <= 33; n++)
        layout_add_size(layout, n);
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        layout_add_size(layout, edges[i]);
    if (whole_tiles(layout) > 0) {
        layout_add_size(layout, LARGE);
        layout_add_size(layout, whole_tiles(layout) - 1); /* see size_at */
    }
}

static int make_run(struct layout *layout)
{
    const struct oracle_shape *shape = &layout->shape;
    if (shape->block == 0 || shape->tile < shape->block)
        return error_set(layout->error, ERROR_USAGE,
                         "no cases for %" PRIu64 " threads and tiles of %" PRIu64
                         " elements: a tile must hold at least one element per thread",
                         shape->block, shape->tile);
    list_sizes(layout);
    if (!oracle_has_mark(&layout->problem))
        return make_hashed(layout);
    /* A mark at each position of a scan would have as many results each time. */
    const bool has_stairs = layout->problem.dims.scan && problem_law(&layout->problem)->seeks;
    return add_segments(layout) || (has_stairs ? add_all_stairs(layout) : oracle_sweep(layout))
               ? -1
               : 0;
}

/* --- Elements of a map -------------------------------------------------------------------- */

/* So many results of one element: where a result takes a whole block, and the budget is an emulator's, fewer
 * of them. */
static uint64_t count_singles(const struct layout *layout)
{
    const struct oracle_shape *shape = &layout->shape;
    const uint64_t wanted = least(MAPPED_DRAWN, most(shape->positions_max, SINGLES_LEAST));
    return oracle_is_run(&layout->problem.dims) || wanted == MAPPED_DRAWN
               ? wanted
               : least(wanted, SINGLES_AT_ONCE * most(shape->at_once, 1));
}

/* Adds results of one drawn element each, so that each shows what is made of it, whatever is combined
 * with it elsewhere: as many as positions are tried, and not too few. */
static int put_singles(struct layout *layout)
{
    const struct oracle_mapped *mapped = oracle_mapped(&layout->problem);
    const uint64_t count = count_singles(layout);
    const bool is_run = oracle_is_run(&layout->problem.dims);
    const struct dims all = oracle_resize(&layout->problem.dims, count, 1, 0);
    const struct dims one = oracle_resize(&layout->problem.dims, 1, 1, 0);
    const uint64_t extent = is_run ? count : dims_extent(&all);
    uint64_t first;
    if (layout_add_elements(layout, layout->guard + extent + layout->guard, &first))
        return -1;
    const uint64_t from = first + layout->guard;
    layout->has_any = true;
    for (uint64_t i = 0; i < count; i++)
        mapped_put_drawn(mapped, (i * MAPPED_DRAWN / count + layout->seed) % MAPPED_DRAWN,
                         layout_element(layout, from + (is_run ? i : dims_at(&all, i, 0))));
    if (!is_run)
        return layout_add_array(layout, from, &all);
    for (uint64_t i = 0; i < count; i++)
        if (one.scan ? layout_add_folded(layout, from + i, 1)
                     : layout_add_array(layout, from + i, &one))
            return -1;
    return 0;
}

static int add_singles(struct layout *layout)
{
    const int failed = put_singles(layout);
    layout->has_any = false;
    return failed;
}

/* What the shadow of an operation makes of an element is known, and shows in any window. */
static bool is_shadow(const struct problem *problem)
{
    struct problem shadow;
    struct error ignored;
    return problem_is_joined(problem) && operation_shadow(&shadow, problem, &ignored) == 0 &&
           shadow.op == problem->op;
}

/* Adds windows of elements whose sums round, each size once. */
static int add_rounded(struct layout *layout)
{
    for (size_t i = 0; i < layout->size_count; i++) {
        const uint64_t n = layout->sizes[i], start = i % layout->starts;
        struct oracle_input input = {.problem = layout->problem, .seed = layout->seed + i};
        uint64_t first;
        input.problem.dims = oracle_resize(&layout->problem.dims, 3, n, 0);
        const uint64_t extent = dims_extent(&input.problem.dims);
        const uint64_t from = layout->guard + start;
        if (layout_add_elements(layout, from + extent + layout->guard, &first))
            return -1;
        oracle_fill_random(&input, 0, extent, layout_element(layout, first + from));
        if (input.problem.dims.scan && oracle_is_run(&input.problem.dims)
                ? layout_add_folded(layout, first + from, n)
                : layout_add_array(layout, first + from, &input.problem.dims))
            return -1;
    }
    return 0;
}

static int add_drawn(struct layout *layout)
{
    return add_singles(layout) || (problem_rounds(&layout->problem) && add_rounded(layout)) ? -1
                                                                                            : 0;
}

/* --- Public functions --------------------------------------------------------------------- */

static void start_layout(struct layout *layout, struct oracle_cases *out,
                         const struct problem *problem, const struct oracle_shape *shape,
                         uint64_t seed, struct error *error)
{
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    const uint64_t guard = most(LAYOUT_ALIGN, least(shape->tile, GUARD_MAX));
    *out = (struct oracle_cases){0};
    *layout = (struct layout){
        .out = out,
        .problem = *problem,
        .shape = *shape,
        .seed = seed,
        .bytes = bytes,
        .starts = 16 / bytes,
        .guard = (guard + LAYOUT_ALIGN - 1) / LAYOUT_ALIGN * LAYOUT_ALIGN,
        .sweep_n = 2 * shape->tile + (shape->tile / 8 | 1),
        .is_doubted = !oracle_is_certain(problem),
        .is_segmented = dims_is_segmented(&problem->dims),
        .error = error,
    };
    if (layout->is_segmented)
        layout->problem.dims = oracle_whole(&problem->dims);
    if (problem->dims.scan)
        layout->shape.positions_max = least(shape->positions_max, SCAN_POSITIONS);
    if (dims_has_two_kept(&problem->dims)) /* of any size the same cases */
        layout->problem.dims.inner.n = layout->starts;
}

/* Of scans, whose calls may leave something to the next: two runs of more tiles than the special
 * values have, and unlike in each. */
static int add_unlike(struct layout *layout)
{
    const uint64_t n = 7 * layout->shape.tile + LONG;
    for (uint64_t i = 0;
         i < 2 && layout->problem.dims.scan && oracle_is_run(&layout->problem.dims); i++) {
        uint64_t first;
        if (layout_add_elements(layout, 2 * layout->guard + n, &first))
            return -1;
        layout_fill(layout, first + layout->guard, n, 2 * (layout->seed + i));
        if (layout_add_folded(layout, first + layout->guard, n))
            return -1;
    }
    return 0;
}

static int end_layout(struct layout *layout, int failed)
{
    if (failed)
        layout->waiting_count = 0;
    failed = layout_end(layout) || failed;
    if (failed)
        oracle_dispose_cases(layout->out);
    return failed ? -1 : 0;
}

int oracle_make_cases(struct oracle_cases *out, const struct problem *problem,
                      const struct oracle_shape *shape, uint64_t seed, struct error *error)
{
    struct layout layout;
    start_layout(&layout, out, problem, shape, seed, error);
    const int failed =
        (layout.is_segmented             ? make_segments(&layout)
         : oracle_is_run(&problem->dims) ? make_run(&layout)
                                         : make_arrays(&layout)) ||
        (!problem_types[problem->type].is_float && oracle_add_specials(&layout)) ||
        (oracle_has_map(problem) && !is_shadow(problem) && add_drawn(&layout));
    return end_layout(&layout, failed);
}

int oracle_make_specials(struct oracle_cases *out, const struct problem *problem,
                         const struct oracle_shape *shape, struct error *error)
{
    struct layout layout;
    start_layout(&layout, out, problem, shape, 0, error);
    layout.is_doubted =
        layout_is_mapped(&layout) && problem_rounds(problem) ? true : layout.is_doubted;
    return end_layout(&layout,
                      (problem_types[problem->type].is_float && oracle_add_specials(&layout)) ||
                          oracle_add_spread(&layout) || add_unlike(&layout) ||
                          oracle_add_scales(&layout) ||
                          (layout_is_mapped(&layout) && !oracle_has_map(problem) &&
                           add_singles(&layout)) ||
                          (problem->order == ORDER_BY_N && oracle_add_ordered(&layout)));
}

void oracle_dispose_cases(struct oracle_cases *cases)
{
    free(cases->elements);
    free(cases->cases);
    free(cases->expects);
    free(cases->doubts);
    free(cases->borders);
    *cases = (struct oracle_cases){0};
}
