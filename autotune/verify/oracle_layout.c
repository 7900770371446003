/* oracle_layout: grows the array of small inputs and its cases, and chooses sizes, edges and
 * deciding elements. Hides memory. */
#include "autotune/verify/oracle_layout.h"

#include "autotune/verify/oracle_mapped.h"
#include "autotune/verify/oracle_ops.h"
#include "autotune/verify/threads.h"
#include "generator/array.h"
#include "generator/operation_input.h"

#include <math.h>
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

uint64_t layout_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ *state >> 29;
}

unsigned char *layout_element(const struct layout *layout, uint64_t index)
{
    return (unsigned char *)layout->out->elements + index * layout->bytes;
}

/* --- Growing the two arrays --------------------------------------------------------------- */

static int grow_cases(struct layout *layout)
{
    struct oracle_cases *out = layout->out;
    if (out->count < layout->case_capacity)
        return 0;
    const size_t capacity = out->count < 64 ? 64 : 2 * out->count;
    void *grown = realloc(out->cases, capacity * sizeof *out->cases);
    if (grown == NULL)
        return error_memory(layout->error, capacity * sizeof *out->cases);
    out->cases = grown;
    layout->case_capacity = capacity;
    return 0;
}

static int grow_expects(struct layout *layout, uint64_t more)
{
    struct oracle_cases *out = layout->out;
    const uint64_t wanted =
        layout->expect_count + more + 1; /* a scan of nothing has a place too */
    if (wanted <= layout->expect_capacity)
        return 0;
    void *grown = realloc(out->expects, 2 * wanted * sizeof *out->expects);
    if (grown == NULL)
        return error_memory(layout->error, 2 * wanted * sizeof *out->expects);
    out->expects = grown;
    if (layout->is_doubted) {
        grown = realloc(out->doubts, 2 * wanted * sizeof *out->doubts);
        if (grown == NULL)
            return error_memory(layout->error, 2 * wanted * sizeof *out->doubts);
        out->doubts = grown;
    }
    layout->expect_capacity = 2 * wanted;
    return 0;
}

/* Where the doubts of the results go that begin at `expects`; NULL: there are none. */
static struct oracle_doubt *doubts_of(const struct layout *layout, const oracle_bits *expects)
{
    const struct oracle_cases *out = layout->out;
    return out->doubts ? out->doubts + (expects - out->expects) : NULL;
}

bool layout_is_mapped(const struct layout *layout)
{
    return oracle_mapped(&layout->problem) != NULL;
}

/* --- Further inputs ----------------------------------------------------------------------- */

/* Each axis as long as before, one within the other without gaps, the first the closest. */
static void pack(struct dim *const axes[4], const uint64_t counts[4], uint64_t gap)
{
    uint64_t stride = 1;
    for (size_t i = 0; i < 4; i++) {
        axes[i]->stride = stride;
        stride = stride * counts[i] + gap;
    }
}

/* Dims of as many elements, with strides of their own: twice and three times as far, packed from either side, or with
 * an axis along which it has one element. */
static struct dims other_dims(const struct dims *dims, uint64_t kind)
{
    struct dims out = *dims;
    const uint64_t spans = dims_has_spans(dims) ? dims->depth.n / dims->spans[0].n : 1;
    const uint64_t counts[4] = {dims_span(dims), spans, dims->inner.n, dims->outer.n};
    const uint64_t back[4] = {counts[3], counts[2], counts[1], counts[0]};
    struct dim *const axes[4] = {&out.depth, &out.spans[0], &out.inner, &out.outer};
    struct dim *const turned[4] = {&out.outer, &out.inner, &out.spans[0], &out.depth};
    switch (kind) {
    case 0: pack(axes, counts, 0); break;
    case 1: pack(turned, back, 0); break;
    case 2: pack(axes, counts, 3); break;
    case 3: out.outer.stride = 0; break;
    case 4: out.inner.stride = 0; break;
    case 5: out.spans[0].stride = 0; break;
    default:
        for (size_t i = 0; i < 4; i++)
            axes[i]->stride *= kind - 4;
    }
    return out;
}

/* How the further inputs of a case lie: each of the ways in turn, another one for each input, from places that are
 * aligned in every other round. */
static void place_further(const struct layout *layout, struct oracle_case *out, uint64_t turn)
{
    enum { WORDS = LIES_APART, KINDS = WORDS + 8, STEP = 5 };
    for (size_t k = 0; k + 1 < problem_inputs(&layout->problem); k++) {
        struct problem_further *further = &out->further[k];
        const uint64_t kind = (turn * STEP + k * 3 + turn / KINDS) % KINDS;
        const uint64_t start = turn / 2 % 2 ? 0 : (turn + k) % LAYOUT_STARTS;
        further->first = LAYOUT_ALIGN * (1 + turn % 16) + start;
        if (!layout->has_any)
            further->first += ORACLE_USUAL;
        further->lie = kind < WORDS ? (enum problem_lie)kind : LIES_APART;
        if (kind >= WORDS) {
            const struct dims dims = other_dims(&out->dims, kind - WORDS);
            problem_input_strides(&dims, further->strides);
        }
    }
}

/* The problem of a case. */
static struct problem problem_of(const struct layout *layout, const struct oracle_case *c)
{
    struct problem problem = layout->problem;
    if (problem_inputs(&problem) > 1)
        problem.dims = c->dims;
    memcpy(problem.further, c->further, sizeof problem.further);
    return problem;
}

/* --- Cases -------------------------------------------------------------------------------- */

uint64_t *layout_add_borders(struct layout *layout, uint64_t count)
{
    struct oracle_cases *out = layout->out;
    const uint64_t first = out->border_count, wanted = first + count;
    if (wanted > layout->border_capacity) {
        void *grown = realloc(out->borders, 2 * wanted * sizeof *out->borders);
        if (grown == NULL) {
            error_memory(layout->error, 2 * wanted * sizeof *out->borders);
            return NULL;
        }
        out->borders = grown;
        layout->border_capacity = 2 * wanted;
    }
    layout->border_first = first;
    out->border_count = wanted;
    return out->borders + first;
}

/* Rows without gaps become segments of equal lengths. */
static int cut(struct layout *layout, struct dims *dims)
{
    const uint64_t count = dims_kept(dims), length = dims->depth.n;
    if (dims_is_segmented(dims))
        return 0;
    uint64_t *borders = layout_add_borders(layout, count + 1);
    if (!borders)
        return -1;
    for (uint64_t i = 0; i <= count; i++)
        borders[i] = i * length;
    *dims = dims_segments(count, count * length);
    return 0;
}

/* Is the next case one of another part's? */
static bool is_left_out(const struct layout *layout)
{
    const struct oracle_shape *shape = &layout->shape;
    return shape->parts &&
           (layout->is_again || layout->out->count % shape->parts != shape->part);
}

oracle_bits *layout_add_case(struct layout *layout, uint64_t offset, const struct dims *asked)
{
    struct oracle_cases *out = layout->out;
    struct dims dims = *asked;
    const uint64_t first = layout->expect_count, results = dims_results(&dims);
    if (grow_cases(layout) || grow_expects(layout, results) ||
        (layout->is_segmented && cut(layout, &dims)))
        return NULL;
    out->cases[out->count++] = (struct oracle_case){.offset = offset,
                                                    .dims = dims,
                                                    .first = first,
                                                    .step = ORACLE_KEPT,
                                                    .borders = layout->border_first,
                                                    .is_left_out = is_left_out(layout)};
    place_further(layout, &out->cases[out->count - 1], out->count - 1);
    layout->expect_count += results;
    return out->expects + first;
}

int layout_add_run(struct layout *layout, uint64_t offset, uint64_t n, oracle_bits expect)
{
    const struct dims dims = dims_value(n);
    if (layout->problem.dims.scan)
        return layout_add_folded(layout, offset, n);
    oracle_bits *at = layout_add_case(layout, offset, &dims);
    if (at == NULL)
        return -1;
    *at = expect;
    return 0;
}

/* Makes the n elements from `first` on like the first. */
static void repeat(const struct layout *layout, uint64_t first, uint64_t n)
{
    unsigned char *at = layout_element(layout, first);
    for (uint64_t done = 1; done < n; done *= 2)
        memcpy(at + done * layout->bytes, at, least(done, n - done) * layout->bytes);
}

/* Appends `count` elements, all loud; the first of them is aligned. */
int layout_add_elements(struct layout *layout, uint64_t count, uint64_t *first)
{
    struct oracle_cases *out = layout->out;
    const uint64_t room = (count + LAYOUT_ALIGN - 1) / LAYOUT_ALIGN * LAYOUT_ALIGN;
    *first = out->element_count;
    if (*first + room > layout->element_capacity) {
        const uint64_t capacity = most(*first + room, 2 * layout->element_capacity);
        void *grown = realloc(out->elements, capacity * layout->bytes);
        if (grown == NULL)
            return error_memory(layout->error, capacity * layout->bytes);
        out->elements = grown;
        layout->element_capacity = capacity;
    }
    out->element_count += room;
    oracle_guard(&layout->problem, layout_element(layout, *first));
    repeat(layout, *first, room);
    return 0;
}

static int fold_run(const struct layout *layout, const struct oracle_case *c, oracle_bits *out,
                    struct error *error)
{
    const struct problem problem = problem_of(layout, c);
    struct oracle_fold fold;
    oracle_fold_init(&fold, &problem);
    oracle_fold_add(&fold, layout_element(layout, c->offset), c->dims.depth.n);
    return oracle_fold_finish(&fold, out, error);
}

/* One that stands among others is their least or greatest, or all bits that differ from the identity's. */
bool layout_fold_one(struct layout *layout, uint64_t at, uint64_t n, oracle_bits *out)
{
    const struct oracle_mapped *mapped = oracle_mapped(&layout->problem);
    struct oracle_fold fold;
    if (layout->is_doubted || (mapped && mapped_has_map(mapped) && !mapped_is_clear(mapped)))
        return false;
    oracle_fold_init(&fold, &layout->problem);
    oracle_fold_add(&fold, layout_element(layout, at), 1);
    fold.count = n;
    return oracle_fold_finish(&fold, out, layout->error) == 0;
}

/* --- Folding ------------------------------------------------------------------------------ */

/* A run with its doubt, which special values may have where others have none. */
static int fold_doubted(const struct layout *layout, const struct oracle_case *c,
                        struct error *error)
{
    oracle_bits *expect = layout->out->expects + c->first;
    const struct problem problem = problem_of(layout, c);
    struct oracle_fold fold;
    oracle_fold_init(&fold, &problem);
    oracle_fold_roughly(&fold);
    oracle_fold_add(&fold, layout_element(layout, c->offset), c->dims.depth.n);
    *doubts_of(layout, expect) = oracle_fold_doubt(&fold);
    return oracle_fold_finish(&fold, expect, error);
}

static int scan_run(const struct layout *layout, const struct oracle_case *c,
                    struct error *error)
{
    oracle_bits *expects = layout->out->expects + c->first, ignored;
    struct oracle_fold fold;
    oracle_fold_init(&fold, &layout->problem);
    oracle_fold_scan(&fold, layout_element(layout, c->offset), c->dims.depth.n, expects,
                     doubts_of(layout, expects));
    return oracle_fold_finish(&fold, &ignored, error);
}

static int fold_array(const struct layout *layout, const struct oracle_case *c,
                      struct error *error)
{
    oracle_bits *expects = layout->out->expects + c->first;
    struct oracle_doubt *doubts = doubts_of(layout, expects);
    const void *elements = layout_element(layout, c->offset);
    struct problem problem = problem_of(layout, c);
    double largest = 0;
    problem.dims = c->dims;
    if (dims_is_segmented(&c->dims))
        return oracle_fold_segments(&problem, layout->out->borders + c->borders, 0,
                                    dims_results(&c->dims), elements, expects, doubts, &largest,
                                    error);
    return c->dims.scan ? oracle_scan_rows(&problem, 0, dims_kept(&c->dims), elements, expects,
                                           doubts, &largest, error)
                        : oracle_fold_results(&problem, 0, dims_results(&c->dims), elements,
                                              expects, doubts, &largest, error);
}

/* Folds a case. Several results are written as they lie on the device; then they become oracle_bits, the last
 * first. */
static int fold_case(const struct layout *layout, const struct layout_folded *folded,
                     struct error *error)
{
    const struct oracle_case *c = &layout->out->cases[folded->at];
    oracle_bits *expects = layout->out->expects + c->first;
    if (!folded->is_array && !c->dims.scan)
        return layout->is_doubted ? fold_doubted(layout, c, error)
                                  : fold_run(layout, c, expects, error);
    if (folded->is_array ? fold_array(layout, c, error) : scan_run(layout, c, error))
        return -1;
    for (uint64_t r = dims_results(&c->dims); r-- > 0;)
        expects[r] = element_load_word(problem_result(&layout->problem), expects, r);
    return 0;
}

/* A text that is evaluated takes long: its cases wait for layout_end, which has all cores. */
static int add_folded(struct layout *layout, uint64_t offset, const struct dims *dims,
                      bool is_array)
{
    const struct layout_folded folded = {layout->out->count, is_array};
    if (!layout_add_case(layout, offset, dims))
        return -1;
    if (layout->out->cases[folded.at].is_left_out)
        return 0;
    if (!oracle_has_map(&layout->problem))
        return fold_case(layout, &folded, layout->error);
    if (array_grow(&layout->waiting, layout->waiting_count, sizeof *layout->waiting,
                   layout->error))
        return -1;
    layout->waiting[layout->waiting_count++] = folded;
    return 0;
}

int layout_add_folded(struct layout *layout, uint64_t offset, uint64_t n)
{
    const struct dims dims = dims_run(n, layout->problem.dims.scan);
    return add_folded(layout, offset, &dims, false);
}

int layout_add_array(struct layout *layout, uint64_t offset, const struct dims *dims)
{
    return add_folded(layout, offset, dims, true);
}

/* A thread's cases: every `step`-th of those that wait. */
struct folding {
    const struct layout *layout;
    size_t first, step;
    int failed;
    struct error error;
};

static void *fold_share(void *argument)
{
    struct folding *share = argument;
    const struct layout *layout = share->layout;
    for (size_t i = share->first; i < layout->waiting_count && !share->failed; i += share->step)
        share->failed = fold_case(layout, &layout->waiting[i], &share->error);
    return NULL;
}

int layout_end(struct layout *layout)
{
    struct folding shares[THREADS_MAX];
    const size_t cores = threads_of_cores();
    int failed = 0;
    for (size_t i = 0; i < cores; i++)
        shares[i] = (struct folding){.layout = layout, .first = i, .step = cores};
    if (layout->waiting_count)
        threads_run(fold_share, shares, sizeof *shares, cores);
    for (size_t i = 0; i < cores && !failed; i++)
        if (shares[i].failed) {
            *layout->error = shares[i].error;
            failed = -1;
        }
    free(layout->waiting);
    layout->waiting = NULL;
    layout->waiting_count = 0;
    return failed;
}

void layout_fill(const struct layout *layout, uint64_t first, uint64_t n, uint64_t seed)
{
    struct oracle_input input = {.problem = layout->problem,
                                 .seed = seed,
                                 .mark = ORACLE_NO_MARK};
    input.problem.dims = dims_value(n);
    oracle_fill(&input, 0, n, layout_element(layout, first));
}

/* --- Sizes and edges ---------------------------------------------------------------------- */

void layout_add_size(struct layout *layout, uint64_t n)
{
    for (size_t i = 0; i < layout->size_count; i++)
        if (layout->sizes[i] == n)
            return;
    layout->sizes[layout->size_count++] = n;
}

/* Positions at which shares begin and end: of the input, a warp, a block's loads, a tile. */
static const struct {
    enum { FROM_START, FROM_END, FROM_BLOCK, FROM_TILE, FROM_TWO_TILES } from;
    int delta;
} edges[] = {
    {FROM_START, 0},  {FROM_END, -1},   {FROM_START, 1},      {FROM_END, -2},
    {FROM_START, 2},  {FROM_END, -3},   {FROM_START, 3},      {FROM_END, -4},
    {FROM_START, 4},  {FROM_END, -5},   {FROM_TILE, -1},      {FROM_TILE, 0},
    {FROM_BLOCK, -1}, {FROM_BLOCK, 0},  {FROM_TWO_TILES, -1}, {FROM_TWO_TILES, 0},
    {FROM_START, 31}, {FROM_START, 32}, {FROM_END, -32},      {FROM_END, -33},
};
_Static_assert(sizeof edges / sizeof edges[0] == LAYOUT_EDGES,
               "the table is LAYOUT_EDGES long");

/* The edge, or a position drawn from `state` where it lies outside or there are no more
 * edges. */
uint64_t layout_edge(const struct layout *layout, size_t which, uint64_t n, uint64_t *state)
{
    const uint64_t bases[] = {0, n, layout->shape.block, layout->shape.tile,
                              2 * layout->shape.tile};
    if (which < LAYOUT_EDGES) {
        const uint64_t at = bases[edges[which].from] + (uint64_t)(int64_t)edges[which].delta;
        if (at < n)
            return at;
    }
    return layout_random(state) % n;
}

/* --- Deciding elements -------------------------------------------------------------------- */

bool layout_is_bits(const struct layout *layout)
{
    return oracle_kind(&layout->problem)->values->deciding == DECIDING_BITS;
}

unsigned layout_bits(const struct layout *layout)
{
    return 8 * (unsigned)layout->bytes;
}

void layout_flip_bit(const struct layout *layout, uint64_t at, unsigned bit)
{
    const enum type type = layout->problem.type;
    void *elements = layout->out->elements;
    element_store_word(type, element_load_word(type, elements, at) ^ (uint64_t)1 << bit,
                       elements, at);
}

void layout_fill_flat(const struct layout *layout, uint64_t first, uint64_t n)
{
    struct oracle_input input = {.problem = layout->problem};
    input.problem.dims = dims_value(n);
    oracle_fill_plain(&input, 0, n, layout_element(layout, first));
}

/* Fills with the type's last choice, such as the largest value for argmin. */
void layout_fill_worst(const struct layout *layout, uint64_t first, uint64_t n)
{
    const struct type_row *row = &problem_types[layout->problem.type];
    const int seeks = problem_law(&layout->problem)->seeks;
    const uint64_t ones = UINT64_MAX >> (64 - 8 * row->bytes);
    const uint64_t highest = row->is_signed ? ones >> 1 : ones;
    for (uint64_t i = first; i < first + n; i++)
        if (row->is_float)
            element_store(layout->problem.type, -seeks * HUGE_VAL, layout->out->elements, i);
        else
            element_store_word(layout->problem.type, seeks < 0 ? highest : ones ^ highest,
                               layout->out->elements, i);
}

void layout_put_mark(const struct layout *layout, uint64_t at, uint64_t seed)
{
    const struct oracle_input input = {.problem = layout->problem, .seed = seed};
    oracle_put_mark(&input, 0, layout_element(layout, at));
}

void layout_fill_rivals(const struct layout *layout, uint64_t first, uint64_t n, uint64_t seed)
{
    const enum type type = layout->problem.type;
    void *elements = layout->out->elements;
    if (n == 0)
        return;
    layout_put_mark(layout, first, seed);
    const uint64_t word = element_load_word(type, elements, first);
    const bool is_negative =
        problem_types[type].is_float && element_load(type, elements, first) < 0;
    const bool is_up = (problem_law(&layout->problem)->seeks < 0) != is_negative;
    element_store_word(type, is_up ? word + 1 : word - 1, elements, first);
    repeat(layout, first, n);
}
