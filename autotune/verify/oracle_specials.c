/* oracle_specials: makes inputs of special values, chosen so that the result is the same in any
 * order: limits of integers; NaN, infinities, zeros of both signs, denormals and overflow of
 * floats. Each row of an operation's table is tried with two of them first, in the middle and
 * last of few elements, and at places spread over many tiles and results: there they pass through
 * each load, warp, block and step of a kernel. Hides where they lie. */
#include "autotune/verify/oracle_layout.h"
#include "autotune/verify/oracle_ops.h"

#include <assert.h>
#include <math.h>

enum {
    GAP = 64,
    PLACES = 4,
    TILES = 5,             /* of a run in which special values are spread */
    SPREAD_TILE = 1 << 14, /* a larger tile has no such run, but one of two tiles */
    SPREAD_LEAST = 1000,   /* elements of such a run, for blocks that take few */
    TURNS_LEAST = 8, /* runs of a row of the table; of a scan, whose results all count, 2 */
    TURNS_MOST = 32,
    SEVERAL = 1 << 13, /* elements of several results, about */
};

static uint64_t word_of(enum type type, enum oracle_special_value value)
{
    const struct type_row *row = &problem_types[type];
    const uint64_t ones = UINT64_MAX >> (64 - 8 * row->bytes);
    const uint64_t greatest = row->is_signed ? ones >> 1 : ones, least = ones ^ greatest;
    const uint64_t words[] = {
        [ZERO] = 0,
        [ONE] = 1,
        [MINUS_ONE] = ones,
        [TOP_BIT] = ones ^ ones >> 1,
        [LEAST] = least,
        [NEAR_LEAST] = least + 1,
        [NEAR_GREATEST] = greatest - 1,
        [GREATEST] = greatest,
        [HALF_GREATEST] = (UINT64_C(1) << (4 * row->bytes - 1)) - 1,
        [PAST_HALF] = UINT64_C(1) << (4 * row->bytes - 1),
    };
    assert(value < sizeof words / sizeof *words); /* of floats there are more */
    return words[value];
}

static double number_of(enum type type, enum oracle_special_value value)
{
    const struct element_range range = element_range(type);
    const double values[] = {
        [NOT_A_NUMBER] = NAN,
        [INF] = HUGE_VAL,
        [NINF] = -HUGE_VAL,
        [ZERO] = 0.0,
        [NZERO] = -0.0,
        [ONE] = 1.0,
        [MINUS_ONE] = -1.0,
        [TWO] = 2.0,
        [TINY] = range.tiny,
        [NTINY] = -range.tiny,
        [SMALL] = range.small,
        [ROOT] = exp2(floor(log2(range.small) / 2) - 2),
        [WIDE] = fmin(problem_types[type].bytes == 8 ? 0x1p52 : 0x1p23,
                      exp2(floor(log2(range.largest)))),
        [LARGEST] = range.largest,
    };
    return values[value];
}

/* Combines in the accumulator's type: an f32 sum or product of two floats, made in double and
 * rounded once more, is correctly rounded. No square is rounded at all, or it overflows or
 * underflows for certain. A total that one of the others leaves as it is, all of them do. */
static oracle_bits reduce(const struct problem *problem, const struct oracle_special *special,
                          uint64_t n)
{
    const double values[3] = {number_of(problem->type, special->one),
                              number_of(problem->type, special->two),
                              number_of(problem->type, special->others)};
    const struct oracle_op *op = oracle_op(problem);
    oracle_bits total = 0;
    element_store(problem->acc, op->start, &total, 0);
    for (uint64_t i = 0; i < n; i++) {
        const oracle_bits old = total;
        const double before = element_load(problem->acc, &total, 0);
        element_store(problem->acc, op->step(before, values[i < 2 ? i : 2]), &total, 0);
        if (i >= 2 && total == old)
            break;
    }
    return total;
}

/* The position of the first in order: a NaN comes before all numbers, the first of equals
 * before the others. */
static oracle_bits find_first(const struct problem *problem, const void *elements,
                              uint64_t offset, uint64_t n)
{
    uint64_t first = 0;
    for (uint64_t i = 1; i < n; i++) {
        const double best = element_load(problem->type, elements, offset + first);
        const double value = element_load(problem->type, elements, offset + i);
        const bool is_before = problem_law(problem)->seeks < 0 ? value < best : value > best;
        if (!isnan(best) && (isnan(value) || is_before))
            first = i;
    }
    return first;
}

/* A NaN: the usual quiet one, the least signalling one, the greatest, or the same with a sign. */
static uint64_t nan_word(enum type type, uint64_t turn)
{
    const uint64_t ones = UINT64_MAX >> (64 - 8 * problem_types[type].bytes);
    uint64_t inf = 0;
    element_store(type, HUGE_VAL, &inf, 0);
    const uint64_t quiet = inf | (inf & -inf) >> 1, sign = ones ^ ones >> 1;
    const uint64_t words[] = {quiet, sign | quiet, inf + 1, ones, ones ^ sign};
    return words[turn % (sizeof words / sizeof *words)];
}

/* Writes one value to elements [first, end). The kinds of NaN take turns by the case. */
static void put(const struct layout *layout, enum oracle_special_value value, uint64_t first,
                uint64_t end)
{
    const enum type type = layout->problem.type;
    uint64_t word = 0;
    if (value == NOT_A_NUMBER)
        word = nan_word(type, layout->out->count);
    else if (problem_types[type].is_float)
        element_store(type, number_of(type, value), &word, 0);
    else
        word = word_of(type, value);
    for (uint64_t at = first; at < end; at++)
        element_store_word(type, word, layout->out->elements, at);
}

/* The results of a scan, step by step: of floats, with what a NaN turns into, as above. */
static void scan(const struct layout *layout, enum dims_scan kind, uint64_t offset, uint64_t n,
                 oracle_bits *out)
{
    const struct problem *problem = &layout->problem;
    const struct oracle_op *op = oracle_op(problem);
    oracle_bits total = 0;
    element_store(problem->acc, op->start, &total, 0);
    for (uint64_t i = 0; i < n; i++) {
        const oracle_bits old = total;
        const double x = element_load(problem->type, layout->out->elements, offset + i);
        const double before = element_load(problem->acc, &total, 0);
        element_store(problem->acc, op->step(before, x), &total, 0);
        out[i] = kind == DIMS_EXCLUSIVE ? old : total;
    }
}

/* Are results folded? Of floats only those that an operation makes, with what doubt there is. */
static bool is_folded(const struct layout *layout)
{
    return !problem_types[layout->problem.type].is_float || layout_is_mapped(layout);
}

/* The expected result: floats as docs/correctness.md promises. */
static oracle_bits expect(const struct layout *layout, const struct oracle_special *special,
                          uint64_t offset, uint64_t n)
{
    const struct problem *problem = &layout->problem;
    return problem_law(problem)->is_position
               ? find_first(problem, layout->out->elements, offset, n)
               : reduce(problem, special, n);
}

/* Adds a window between loud gaps (NaN for floats); place `which` holds the first special
 * value. Of two places in the middle one at least is not first in its load, and one not last,
 * for the start moves by one from case to case: so others come before the value, and behind.
 * From `turn` to turn it moves by one more, so that each place gets each start. */
static int add_special(struct layout *layout, const struct oracle_special *special, uint64_t n,
                       uint64_t which, uint64_t turn)
{
    const uint64_t places[PLACES] = {0, n / 2, n / 2 + 2 < n ? n / 2 + 2 : n - 1, n - 1};
    const uint64_t start = (layout->out->count + turn) % (LAYOUT_LINE * layout->starts);
    const struct dims dims = oracle_resize(&layout->problem.dims, 1, n, 0);
    const bool is_float = problem_types[layout->problem.type].is_float;
    uint64_t first;
    if (layout_add_elements(layout, GAP + start + n + GAP, &first))
        return -1;
    const uint64_t offset = first + GAP + start;
    const uint64_t one = offset + places[which], two = offset + places[(which + 2) % PLACES];
    if (is_float)
        put(layout, NOT_A_NUMBER, first, layout->out->element_count);
    put(layout, special->others, offset, offset + n);
    put(layout, special->one, one, one + 1);
    put(layout, special->two, two, two + 1);
    if (is_folded(layout))
        return dims.scan ? layout_add_folded(layout, offset, n)
                         : layout_add_array(layout, offset, &dims);
    oracle_bits *at = layout_add_case(layout, offset, &dims);
    if (at == NULL)
        return -1;
    if (dims.scan)
        scan(layout, dims.scan, offset, n, at);
    else
        *at = expect(layout, special, offset, n);
    return 0;
}

/* Is one of its values denormal, or its square? Atomics of f32 may take it for 0. */
static bool is_denormal(const struct oracle_special *special)
{
    const enum oracle_special_value values[] = {special->one, special->two, special->others};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i] == TINY || values[i] == NTINY || values[i] == ROOT)
            return true;
    return false;
}

static bool is_left_out(const struct layout *layout, const struct oracle_special *special)
{
    const struct problem *problem = &layout->problem;
    return problem->order == ORDER_ANY && problem->acc == F32 && is_denormal(special);
}

int oracle_add_specials(struct layout *layout)
{
    const uint64_t sizes[] = {3, layout->shape.tile + 33};
    const struct oracle_kind *kind = oracle_kind(&layout->problem);
    for (size_t i = 0; i < kind->special_count; i++) {
        const struct oracle_special *special = &kind->specials[i];
        if (is_left_out(layout, special))
            continue;
        const bool is_alike =
            special->one == special->others && special->two == special->others;
        for (uint64_t k = 0; k < UINT64_C(2) * PLACES; k++)
            if ((k % PLACES == 0 || !is_alike) &&
                add_special(layout, special, sizes[k / PLACES], k % PLACES, 2 * i + k / PLACES))
                return -1;
    }
    return 0;
}

/* --- Spread over many tiles --------------------------------------------------------------- */

/* A place among n: one after another they come by all parts alike, for the golden ratio's multiples
 * divide any interval evenly. */
static uint64_t spread(uint64_t turn, uint64_t n)
{
    return (uint64_t)(fmod(0.6180339887498949 * (double)turn, 1) * (double)n);
}

/* The same of a run, by all tiles in turn. */
static uint64_t spread_at(const struct layout *layout, uint64_t turn, uint64_t n)
{
    const uint64_t tile = layout->shape.tile < n ? layout->shape.tile : n;
    return (turn % ((n + tile - 1) / tile) * tile + spread(turn, tile)) % n;
}

/* Of a run of n with two special values: where they are, and where it begins in the elements. */
struct pair {
    uint64_t n, offset, one, two;
};

/* The position that counts is that of a special value or of the first other element. */
static oracle_bits find_position(const struct layout *layout, const struct pair *pair)
{
    uint64_t places[] = {pair->one, pair->two, 0};
    while (places[2] == pair->one || places[2] == pair->two)
        places[2]++;
    for (size_t i = 1; i < 3; i++)
        for (size_t k = i; k > 0 && places[k] < places[k - 1]; k--) {
            const uint64_t later = places[k - 1];
            places[k - 1] = places[k];
            places[k] = later;
        }
    struct oracle_fold fold;
    struct error ignored;
    oracle_bits first = 0;
    oracle_fold_init(&fold, &layout->problem);
    for (size_t i = 0; i < 3 && places[i] < pair->n; i++)
        oracle_fold_add(&fold, layout_element(layout, pair->offset + places[i]), 1);
    oracle_fold_finish(&fold, &first, &ignored);
    return places[first];
}

/* Adds the run; its result is `expect` unless that depends on the places. */
static int add_pair(struct layout *layout, const struct pair *pair, oracle_bits expect)
{
    const struct problem *problem = &layout->problem;
    const struct dims dims = oracle_resize(&problem->dims, 1, pair->n, 0);
    if (is_folded(layout))
        return dims.scan ? layout_add_folded(layout, pair->offset, pair->n)
                         : layout_add_array(layout, pair->offset, &dims);
    oracle_bits *at = layout_add_case(layout, pair->offset, &dims);
    if (!at)
        return -1;
    if (dims.scan)
        scan(layout, dims.scan, pair->offset, pair->n, at);
    else
        *at = problem_law(problem)->is_position ? find_position(layout, pair) : expect;
    return 0;
}

/* Adds runs that slide past two special values, `distance` apart: past the first half while the
 * other value lies behind the one, past the second half while it lies before it. Every other run
 * begins with a whole load. */
static int add_slides(struct layout *layout, const struct oracle_special *special, uint64_t n,
                      uint64_t distance, uint64_t turn, uint64_t turns)
{
    const bool is_float = problem_types[layout->problem.type].is_float;
    const uint64_t lead = (n + LAYOUT_ALIGN - 1) / LAYOUT_ALIGN * LAYOUT_ALIGN;
    const bool is_reduced = !is_folded(layout) && oracle_op(&layout->problem)->step;
    const oracle_bits expect = is_reduced ? reduce(&layout->problem, special, n) : 0;
    for (int is_late = 0; is_late < 2; is_late++) {
        uint64_t first;
        if (layout_add_elements(layout, GAP + lead + n + GAP, &first))
            return -1;
        const uint64_t from = first + GAP, one = from + lead;
        const uint64_t two = is_late ? one - distance : one + distance;
        if (is_float)
            put(layout, NOT_A_NUMBER, first, layout->out->element_count);
        put(layout, special->others, from, from + lead + n);
        put(layout, special->one, one, one + 1);
        put(layout, special->two, two, two + 1);
        for (uint64_t i = turn; i < turn + turns; i++) {
            uint64_t at = spread_at(layout, i, n);
            if ((at >= n / 2) != is_late)
                continue;
            if (i / 2 % 2 && at >= layout->starts)
                at -= (at - one % layout->starts) % layout->starts;
            const struct pair pair = {n, one - at, at, is_late ? at - distance : at + distance};
            if (pair.two < n && add_pair(layout, &pair, expect))
                return -1;
        }
    }
    return 0;
}

/* Half of the pairs lie within a tile, half anywhere. */
static int add_run(struct layout *layout, const struct oracle_special *special, uint64_t turn)
{
    const uint64_t tile = layout->shape.tile, budget = layout->shape.positions_max / 64;
    const uint64_t least = layout->problem.dims.scan ? 2 : TURNS_LEAST;
    const uint64_t turns = budget < least ? least : budget < TURNS_MOST ? budget : TURNS_MOST;
    const uint64_t tiles = tile <= SPREAD_TILE ? TILES : 2;
    const uint64_t many = tiles * tile + 33, n = many < SPREAD_LEAST ? SPREAD_LEAST : many;
    const uint64_t far = n / 2 - layout->starts, near = tile < far ? tile : far;
    uint64_t state = turn;
    return add_slides(layout, special, n, 1 + layout_random(&state) % near, turn * turns,
                      turns / 2) ||
                   add_slides(layout, special, n, 1 + layout_random(&state) % far,
                              turn * turns + turns / 2, turns - turns / 2)
               ? -1
               : 0;
}

/* --- Spread over many results ------------------------------------------------------------- */

/* Puts the special values into the result's elements. Two results in three have them, each at
 * places of its own. */
static bool put_result(const struct layout *layout, const struct oracle_special *special,
                       const struct dims *dims, uint64_t offset, uint64_t result, uint64_t turn)
{
    const uint64_t depth = dims->depth.n, one = spread(29 * turn + result, depth);
    const uint64_t two = (one + 1 + spread(31 * turn + 2 * result, depth - 1)) % depth;
    const uint64_t places[] = {offset + dims_at(dims, result, one),
                               offset + dims_at(dims, result, two)};
    for (uint64_t d = 0; d < depth; d++) {
        const uint64_t at = offset + dims_at(dims, result, d);
        put(layout, special->others, at, at + 1);
    }
    if ((result + turn) % 3 == 0)
        return false;
    put(layout, special->one, places[0], places[0] + 1);
    put(layout, special->two, places[1], places[1] + 1);
    return true;
}

/* What is expected of floats; integers are folded. */
static void expect_result(const struct layout *layout, const struct oracle_special *special,
                          const struct dims *dims, uint64_t offset, uint64_t result,
                          bool has_it, oracle_bits *expects)
{
    const struct oracle_special plain = {special->others, special->others, special->others};
    const uint64_t depth = dims->depth.n;
    if (dims->scan)
        scan(layout, dims->scan, offset + dims_at(dims, result, 0), depth,
             expects + result * depth);
    else
        expects[result] = reduce(&layout->problem, has_it ? special : &plain, depth);
}

static int add_results(struct layout *layout, const struct oracle_special *special,
                       const struct dims *dims, uint64_t turn)
{
    const bool is_float = problem_types[layout->problem.type].is_float;
    const uint64_t extent = dims_extent(dims), kept = dims_kept(dims);
    uint64_t first;
    if (layout_add_elements(layout, GAP + extent + GAP, &first))
        return -1;
    const uint64_t offset = first + GAP;
    if (is_float)
        put(layout, NOT_A_NUMBER, first, layout->out->element_count);
    const bool is_given = !is_folded(layout);
    oracle_bits *expects = is_given ? layout_add_case(layout, offset, dims) : NULL;
    if (is_given && !expects)
        return -1;
    for (uint64_t r = 0; r < kept; r++) {
        const bool has_it = put_result(layout, special, dims, offset, r, turn);
        if (is_given)
            expect_result(layout, special, dims, offset, r, has_it, expects);
    }
    return is_given ? 0 : layout_add_array(layout, offset, dims);
}

/* Whole loads throughout, and none: of few elements, of a tile and more, and of several tiles. */
static int add_all_results(struct layout *layout, const struct oracle_special *special,
                           uint64_t turn)
{
    const uint64_t load = layout->starts < 3 ? 4 : layout->starts, tile = layout->shape.tile;
    const uint64_t depths[] = {3, load, tile + load, 3 * tile + load, 2 * tile + 5};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        const uint64_t depth = depths[i] < 3 ? 3 : depths[i], many = SEVERAL / depth + 3;
        const uint64_t at_once = 2 * layout->shape.at_once + 3;
        const struct dims dims =
            oracle_resize(&layout->problem.dims, at_once < many ? at_once : many, depth,
                          layout->is_segmented ? 0 : (turn + i) % 2 * load);
        if (add_results(layout, special, &dims, turn + i))
            return -1;
    }
    return 0;
}

int oracle_add_spread(struct layout *layout)
{
    const struct oracle_kind *kind = oracle_kind(&layout->problem);
    const bool is_run = oracle_is_run(&layout->problem.dims);
    for (size_t i = 0; i < kind->special_count; i++)
        if (!is_left_out(layout, &kind->specials[i]) &&
            (is_run ? add_run(layout, &kind->specials[i], i)
                    : add_all_results(layout, &kind->specials[i], i)))
            return -1;
    return 0;
}
