/* oracle: makes inputs, whole or any part of them: the elements from oracle_values, and over
 * them the elements that decide the result. Hides the places of these. */
#include "autotune/verify/oracle_layout.h"
#include "autotune/verify/oracle_mapped.h"
#include "autotune/verify/oracle_ops.h"
#include "autotune/verify/oracle_own.h"
#include "generator/operation_input.h"

#include <string.h>

static enum oracle_deciding deciding_of(const struct problem *problem)
{
    return oracle_kind(problem)->values->deciding;
}

/* --- Plain elements ----------------------------------------------------------------------- */

/* Elements of the hash at [first, first + count), as if there were no period. */
static void make_run(const struct oracle_input *input, uint64_t first, uint64_t count,
                     unsigned char *out)
{
    if (oracle_has_map(&input->problem)) {
        mapped_fill(oracle_mapped(&input->problem), input, false, first, count, out);
        return;
    }
    const enum type type = input->problem.type;
    const size_t bytes = (size_t)problem_types[type].bytes;
    const struct oracle_values *values = oracle_kind(&input->problem)->values;
    make_block *make = bytes == 8 ? values->wide : values->narrow;
    const struct oracle_recipe recipe = oracle_recipe(input);
    union element_block words, narrow;
    for (uint64_t done = 0; done < count;) {
        const uint64_t skip = (first + done) % ELEMENT_BLOCK, left = count - done;
        const uint64_t take = left < ELEMENT_BLOCK - skip ? left : ELEMENT_BLOCK - skip;
        make(&words, &recipe, (first + done) / ELEMENT_BLOCK);
        const unsigned char *made =
            element_narrow(values->is_word && bytes == 2 ? U16 : type, &narrow, &words);
        memcpy(out + done * bytes, made + skip * bytes, take * bytes);
        done += take;
    }
}

/* The elements of a period, or of all where there is none. */
static void make_periods(const struct oracle_input *input, uint64_t first, uint64_t count,
                         unsigned char *out)
{
    const uint64_t bytes = (uint64_t)problem_types[input->problem.type].bytes;
    const uint64_t period = input->period ? input->period : UINT64_MAX;
    const uint64_t tail = input->tail ? input->tail : UINT64_MAX, end = first + count;
    const uint64_t repeated = first >= tail ? 0 : end > tail ? tail - first : count;
    for (uint64_t done = 0; done < repeated;) {
        const uint64_t at = (first + done) % period, left = repeated - done;
        const uint64_t take = left < period - at ? left : period - at;
        make_run(input, at, take, out + done * bytes);
        done += take;
    }
    make_run(input, first + repeated, count - repeated, out + repeated * bytes);
}

/* Does `a` take longer steps than `b`, or as long ones but fewer? */
static bool is_outside(const struct dim *a, const struct dim *b)
{
    return a->stride > b->stride || (a->stride == b->stride && a->n < b->n);
}

/* The axes, the outermost first. */
static void sort_axes(struct dim axes[DIMS_ALL_AXES], const struct dims *dims)
{
    struct dim all[DIMS_ALL_AXES];
    dims_all_axes(all, dims);
    for (size_t i = 0; i < DIMS_ALL_AXES; i++) {
        size_t at = i;
        for (; at > 0 && is_outside(&all[i], &axes[at - 1]); at--)
            axes[at] = axes[at - 1];
        axes[at] = all[i];
    }
}

/* How many elements lie together from `index` on; 0 in a gap, and then `gap` is the rest of the
 * gap. */
static uint64_t run_from(const struct dims *dims, uint64_t index, uint64_t *gap)
{
    struct dim axes[DIMS_ALL_AXES];
    uint64_t left = index, next = UINT64_MAX, at = 0;
    sort_axes(axes, dims);
    for (size_t i = 0; i < DIMS_ALL_AXES; i++) {
        const struct dim *dim = &axes[i];
        at = left / dim->stride < dim->n ? left / dim->stride : dim->n - 1;
        left -= at * dim->stride;
        if (at + 1 < dim->n && dim->stride - left < next)
            next = dim->stride - left;
    }
    *gap = next;
    return left > 0 ? 0 : next > 1 ? 1 : axes[DIMS_ALL_AXES - 1].n - at;
}

/* Fills gaps with loud values. */
static void put_gaps(const struct oracle_input *input, uint64_t first, uint64_t count,
                     unsigned char *out)
{
    const struct problem *problem = &input->problem;
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    unsigned char guard[16];
    oracle_guard(problem, guard);
    for (uint64_t done = 0; done < count;) {
        uint64_t gap;
        const uint64_t run = run_from(&problem->dims, first + done, &gap), left = count - done;
        const uint64_t take = run > 0 ? run : gap < left ? gap : left;
        for (uint64_t i = done; run == 0 && i < done + take; i++)
            memcpy(out + i * bytes, guard, bytes);
        done += take;
    }
}

void oracle_fill_plain(const struct oracle_input *input, uint64_t first, uint64_t count,
                       void *out)
{
    const struct dims *dims = &input->problem.dims;
    make_periods(input, first, count, out);
    if (dims_extent(dims) > dims_n(dims))
        put_gaps(input, first, count, out);
}

void oracle_fill_further(const struct problem *problem, size_t input, uint64_t first,
                         uint64_t count, void *out)
{
    const struct oracle_own *own = mapped_own(oracle_mapped(problem));
    const enum type type = problem_input_type(problem, input);
    for (uint64_t i = 0; i < count; i++)
        element_store_word(type, own_further_bits(own, input, first + i), out, i);
}

/* --- Deciding elements -------------------------------------------------------------------- */

/* Writes a bit that differs from the identity's. */
static void put_bit(const struct problem *problem, unsigned bit, unsigned char *out)
{
    const uint64_t value = element_load_word(problem->type, out, 0), mask = (uint64_t)1 << bit;
    const uint64_t turned = ~oracle_op(problem)->identity & mask;
    element_store_word(problem->type, (value & ~mask) | turned, out, 0);
}

/* Doubles +-1. */
static void put_double(enum type type, unsigned char *out)
{
    element_store(type, 2 * element_load(type, out, 0), out, 0);
}

static uint64_t place(uint64_t seed, unsigned which, uint64_t n)
{
    return oracle_mix(oracle_mix(seed) ^ oracle_mix(which)) % n;
}

/* An element that decides the first result: the mark, a bit, or the 2 of a product. In result r
 * it is r elements further. */
struct decider {
    uint64_t at;
    unsigned bit;
};

/* Lists the deciders. Bit 0 stays free: it shows reads outside the input. The mark is the
 * last. */
static size_t list_deciders(const struct oracle_input *input,
                            struct decider out[ORACLE_DECIDING_MAX])
{
    const struct problem *problem = &input->problem;
    const enum oracle_deciding deciding = deciding_of(problem);
    const unsigned bits = 8 * (unsigned)problem_types[problem->type].bytes;
    const uint64_t n = problem->dims.depth.n;
    size_t count = 0;
    if (n == 0)
        return 0;
    if (deciding == DECIDING_BITS)
        for (unsigned bit = 1; bit < bits - 1; bit++)
            out[count++] = (struct decider){place(input->seed, bit, n), bit};
    if (deciding == DECIDING_SIGNS)
        out[count++] = (struct decider){place(input->seed / 2, 0, n), 0};
    if (oracle_has_mark(problem) && input->mark < n)
        out[count++] = (struct decider){input->mark, bits - 1};
    return count;
}

/* A mask of the deciders that a result has: the first result all, each other its own half of
 * the bits, and three in four a mark or a 2. So results next to each other differ. */
static uint64_t choose_deciders(const struct oracle_input *input, uint64_t result)
{
    const uint64_t hash = oracle_mix(input->seed ^ oracle_mix(result));
    if (result == 0)
        return UINT64_MAX;
    return deciding_of(&input->problem) == DECIDING_BITS ? hash : hash % 4 ? UINT64_MAX : 0;
}

static void put_decider(const struct oracle_input *input, uint64_t result, unsigned bit,
                        unsigned char *out)
{
    switch (deciding_of(&input->problem)) {
    case DECIDING_ALL: break;
    case DECIDING_MARK: oracle_put_mark(input, result, out); break; /* each its own */
    case DECIDING_BITS: put_bit(&input->problem, bit, out); break;
    case DECIDING_SIGNS: put_double(input->problem.type, out); break;
    }
}

/* The results that may have elements in [first, first + count): whole steps of the slowest of the
 * axes that are kept outside. */
static void find_results(const struct dims *dims, uint64_t first, uint64_t count,
                         uint64_t *from, uint64_t *to)
{
    struct dim axes[DIMS_AXES];
    const int outside = dims_axes(axes, &dims->outer, dims->slices, DIMS_SLICES);
    const uint64_t n = axes[outside - 1].n, stride = axes[outside - 1].stride;
    const uint64_t each = dims_extent(dims) - (n - 1) * stride;
    const uint64_t begin = first < each ? 0 : (first - each) / stride + 1;
    const uint64_t end = (first + count - 1) / stride + 1;
    *from = begin * (dims_kept(dims) / n);
    *to = (end < n ? end : n) * (dims_kept(dims) / n);
}

static bool has_stairs(const struct problem *problem)
{
    return problem->dims.scan && problem_law(problem)->seeks;
}

/* Each row has stairs of its own, and what is between rows is loud. */
static void put_stair(const struct oracle_input *input, uint64_t at, unsigned char *out)
{
    const struct dims *dims = &input->problem.dims;
    const uint64_t row = oracle_is_run(dims) ? 0 : at / dims->outer.stride;
    const uint64_t place = at - row * dims->outer.stride;
    struct oracle_input own = *input;
    own.problem.dims = dims_run(dims->depth.n, dims->scan);
    own.seed += 2 * row;
    if (place < dims->depth.n)
        oracle_put_stair(&own, place, out);
    else
        oracle_guard(&input->problem, out);
}

void oracle_fill(const struct oracle_input *input, uint64_t first, uint64_t count, void *out)
{
    struct oracle_input whole = *input;
    if (dims_is_segmented(&input->problem.dims)) {
        whole.problem.dims = oracle_whole(&input->problem.dims);
        input = &whole;
    }
    const struct dims *dims = &input->problem.dims;
    const size_t bytes = (size_t)problem_types[input->problem.type].bytes;
    for (uint64_t i = 0; i < count && has_stairs(&input->problem); i++)
        put_stair(input, first + i, (unsigned char *)out + i * bytes);
    if (has_stairs(&input->problem))
        return;
    struct decider deciders[ORACLE_DECIDING_MAX];
    const size_t decider_count = list_deciders(input, deciders);
    uint64_t from = 0, to = 0;
    oracle_fill_plain(input, first, count, out);
    if (decider_count > 0 && count > 0)
        find_results(dims, first, count, &from, &to);
    for (uint64_t result = from; result < to; result++) {
        const uint64_t chosen = choose_deciders(input, result);
        for (size_t i = 0; i < decider_count; i++) {
            const unsigned bit = deciders[i].bit;
            const uint64_t place = (deciders[i].at + result) % dims->depth.n;
            const uint64_t at = dims_at(dims, result, place);
            if ((chosen >> bit & 1) && at >= first && at - first < count)
                put_decider(input, result, bit, (unsigned char *)out + (at - first) * bytes);
        }
    }
}

/* --- Questions ---------------------------------------------------------------------------- */

bool oracle_is_run(const struct dims *dims)
{
    return dims_extent(dims) == dims->depth.n && !dims_is_segmented(dims);
}

struct dims oracle_resize(const struct dims *dims, uint64_t results, uint64_t depth,
                          uint64_t gap)
{
    return oracle_is_run(dims) ? dims_run(depth, dims->scan)
                               : dims_resized(dims, results, depth, gap);
}

void oracle_element(const struct oracle_input *input, uint64_t position, bool marked, void *out)
{
    struct oracle_input at = *input;
    at.mark = marked ? position : ORACLE_NO_MARK;
    oracle_fill(&at, position, 1, out);
}

size_t oracle_list_deciding(const struct oracle_input *input, uint64_t out[ORACLE_DECIDING_MAX])
{
    struct decider deciders[ORACLE_DECIDING_MAX];
    const size_t count = list_deciders(input, deciders);
    for (size_t i = 0; i < count; i++)
        out[i] = dims_at(&input->problem.dims, 0, deciders[i].at);
    return count;
}

bool oracle_has_mark(const struct problem *problem)
{
    const enum oracle_deciding deciding = deciding_of(problem);
    return deciding == DECIDING_MARK || deciding == DECIDING_BITS;
}

size_t oracle_inputs_least(const struct problem *problem)
{
    return deciding_of(problem) == DECIDING_SIGNS ? 2 : 1;
}

bool oracle_can_repeat(const struct problem *problem, uint64_t period)
{
    const struct oracle_values *values = oracle_kind(problem)->values;
    return !values->can_repeat || values->can_repeat(problem, period);
}

bool oracle_values_repeat(const struct problem *problem)
{
    return !problem_has_index(problem) && problem_inputs(problem) == 1;
}

uint32_t oracle_span(const struct problem *problem, uint64_t period)
{
    const struct oracle_values *values = oracle_kind(problem)->values;
    return values->span ? values->span(problem, period) : 0;
}
