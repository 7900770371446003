/* oracle_cases: the small inputs that prove a kernel of one shape. All lie in one array and a
 * case is a window of it. Reads outside are shown by windows between guards, reads left out by
 * hashed elements or by a deciding element whose window slides past it (oracle_sweep). */
#include "autotune/tune/oracle_layout.h"
#include "autotune/tune/oracle_ops.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    GUARD_MAX = 4096, /* elements in a guard zone, at most */
    SCALED = 36,      /* elements of a float product that are no +-1 */
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* --- Every element counts ----------------------------------------------------------------- */

/* +-2^10, 2^9 .. 2, 2, 2: short products are no +-1 either, and falling powers show a window
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

/* One array of hashed elements: what lies around a window is as loud as what lies in it. */
static int add_hashed(struct layout *layout, uint64_t seed, bool is_scaled)
{
    uint64_t longest = SCALED, first;
    for (size_t i = 0; i < layout->size_count; i++)
        longest = most(longest, layout->sizes[i]);
    if (layout_add_elements(layout, layout->guard + layout->starts + longest + layout->guard,
                            &first))
        return -1;
    layout_fill(layout, first, layout->out->element_count - first, seed);
    if (is_scaled)
        scale_first(layout, first + layout->guard);
    for (size_t i = 0; i < layout->size_count; i++)
        for (uint64_t start = 0; start < layout->starts; start++)
            if (layout_add_folded(layout, first + layout->guard + start, layout->sizes[i]))
                return -1;
    return 0;
}

static int make_hashed(struct layout *layout)
{
    const bool by_sign =
        oracle_kind(&layout->problem)->values->deciding == DECIDING_SIGNS;
    if (add_hashed(layout, 2 * layout->seed, by_sign))
        return -1;
    return by_sign ? add_hashed(layout, 2 * layout->seed + 1, true) : 0;
}

/* --- A mark or bits: windows between guards ----------------------------------------------- */

/* Of a position never the first: what is read before the window gives that too. */
static uint64_t choose_edge(const struct layout *layout, size_t which, uint64_t n,
                            uint64_t *state)
{
    const uint64_t at = layout_edge(layout, which % LAYOUT_EDGES, n, state);
    return at == 0 && problem_ops[layout->problem.op].is_position ? n - 1 : at;
}

/* Bits at the edges, bit 0 left free to show the guard; in every other window each stands once
 * more, which a xor would undo. */
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

/* Bits, or the mark at one of the edges. */
static int add_segment(struct layout *layout, uint64_t n, uint64_t start, size_t which)
{
    const uint64_t seed = 2 * layout->seed + start % 2;
    uint64_t first, state = layout->seed + which;
    if (layout_add_elements(layout, layout->guard + start + n, &first))
        return -1;
    const uint64_t window = first + layout->guard + start;
    if (layout_is_bits(layout)) {
        decide_bits(layout, window, n, which, &state);
    } else {
        layout_fill(layout, window, n, seed);
        if (n > 0)
            layout_put_mark(layout, window + choose_edge(layout, which, n, &state), seed);
    }
    return layout_add_folded(layout, window, n);
}

static int add_segments(struct layout *layout)
{
    uint64_t last;
    for (size_t i = 0; i < layout->size_count; i++)
        for (uint64_t start = 0; start < layout->starts; start++)
            if (add_segment(layout, layout->sizes[i], start, i + 7 * start))
                return -1;
    return layout_add_elements(layout, layout->guard, &last);
}

/* --- The public face ---------------------------------------------------------------------- */

static int make_marked(struct layout *layout)
{
    return add_segments(layout) || oracle_sweep(layout) ? -1 : 0;
}

int oracle_make_cases(struct oracle_cases *out, const struct problem *problem,
                      const struct oracle_shape *shape, uint64_t seed, struct error *error)
{
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    struct layout layout = {
        .out = out,
        .problem = *problem,
        .shape = *shape,
        .seed = seed,
        .bytes = bytes,
        .starts = 16 / bytes,
        .guard = most(LAYOUT_ALIGN, least(shape->tile, GUARD_MAX)),
        .sweep_n = 2 * shape->tile + (shape->tile / 8 | 1),
        .error = error,
    };
    *out = (struct oracle_cases){0};
    if (shape->block == 0 || shape->tile < shape->block)
        return error_set(error, ERROR_USAGE,
                         "no cases for %" PRIu64 " threads and tiles of %" PRIu64
                         " elements: a tile must hold at least one element per thread",
                         shape->block, shape->tile);
    layout.guard = (layout.guard + LAYOUT_ALIGN - 1) / LAYOUT_ALIGN * LAYOUT_ALIGN;
    layout_list_sizes(&layout);
    if (oracle_has_mark(problem) ? make_marked(&layout) : make_hashed(&layout)) {
        oracle_dispose_cases(out);
        return -1;
    }
    return 0;
}

void oracle_dispose_cases(struct oracle_cases *cases)
{
    free(cases->elements);
    free(cases->cases);
    free(cases->expects);
    *cases = (struct oracle_cases){0};
}
