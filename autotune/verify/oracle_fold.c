/* oracle_fold: computes the right result. Elements are widened 256 at a time to 64-bit words
 * and folded exactly: words, minima and maxima here, the others in oracle_float.c and
 * oracle_position.c. Hides the state in words[]. */
#include "autotune/verify/oracle_mapped.h"
#include "autotune/verify/oracle_ops.h"
#include "autotune/verify/oracle_own.h"

#include <math.h>
#include <string.h>

enum { BLOCK = ELEMENT_BLOCK };

/* The contents of words[]. */
enum { TOTAL, HAS_NAN };

static const struct oracle_op *op_of(const struct oracle_fold *fold)
{
    return oracle_op(&fold->problem);
}

/* --- Words -------------------------------------------------------------------------------- */

static void init_words(struct oracle_fold *fold)
{
    fold->words[TOTAL] = op_of(fold)->identity;
}

/* Combines the first `count` of a block with the total. */
static void combine(struct oracle_fold *fold, union element_block *block, uint64_t count)
{
    for (uint64_t i = count; i < BLOCK; i++)
        block->u64[i] = op_of(fold)->identity;
    fold->words[TOTAL] = op_of(fold)->combine(fold->words[TOTAL], block);
}

static void add_words(struct oracle_fold *fold, union element_block *block, uint64_t count)
{
    if (op_of(fold)->map_words)
        op_of(fold)->map_words(block);
    combine(fold, block, count);
}

static void merge_words(struct oracle_fold *into, const struct oracle_fold *from)
{
    union element_block block;
    block.u64[0] = from->words[TOTAL];
    into->words[HAS_NAN] |= from->words[HAS_NAN];
    combine(into, &block, 1);
}

/* The low bits of a word, as an integer type has them. */
static oracle_bits cut(enum type type, uint64_t word)
{
    oracle_bits bits = 0;
    element_store_word(type, word, &bits, 0);
    return bits;
}

static int finish_words(const struct oracle_fold *fold, oracle_bits *out, struct error *error)
{
    (void)error;
    *out = cut(fold->problem.acc, fold->words[TOTAL]);
    return 0;
}

/* Writes what finish_words gives, for each. */
static void scan_words(struct oracle_fold *fold, union element_block *block, uint64_t count,
                       void *expects)
{
    const bool is_exclusive = fold->problem.dims.scan == DIMS_EXCLUSIVE;
    uint64_t total = fold->words[TOTAL];
    if (op_of(fold)->map_words)
        op_of(fold)->map_words(block);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t before = total;
        total = op_of(fold)->combine_one(total, block->u64[i]);
        element_store_word(fold->problem.acc, is_exclusive ? before : total, expects, i);
    }
    fold->words[TOTAL] = total;
}

const struct oracle_folding oracle_fold_words = {.init = init_words,
                                                 .add = add_words,
                                                 .scan = scan_words,
                                                 .merge = merge_words,
                                                 .finish = finish_words};

/* --- The least and the greatest ----------------------------------------------------------- */

/* Integers in the order of the values: -0 below +0; unsigned words above 2^63 turned over. The
 * step is its own inverse. */
static uint64_t turn(enum type type, uint64_t word)
{
    if (problem_types[type].is_float)
        return word ^ (0 - (word >> 63)) >> 1;
    return problem_types[type].is_signed ? word : word ^ (uint64_t)1 << 63;
}

static bool turn_floats(union element_block *block)
{
    bool has_nan = false;
    for (int i = 0; i < BLOCK; i++)
        has_nan |= block->f64[i] != block->f64[i];
    for (int i = 0; i < BLOCK; i++)
        block->u64[i] ^= (0 - (block->u64[i] >> 63)) >> 1;
    return has_nan;
}

static void turn_unsigned(union element_block *block)
{
    for (int i = 0; i < BLOCK; i++)
        block->u64[i] ^= (uint64_t)1 << 63;
}

static void add_order(struct oracle_fold *fold, union element_block *block, uint64_t count)
{
    const struct type_row *row = &problem_types[fold->problem.type];
    if (row->is_float)
        fold->words[HAS_NAN] |= turn_floats(block);
    else if (!row->is_signed)
        turn_unsigned(block);
    combine(fold, block, count);
}

/* The result of no elements: the value after all others. */
static oracle_bits last_of(const struct problem *problem)
{
    const struct type_row *row = &problem_types[problem->acc];
    const int seeks = problem_law(problem)->seeks;
    const uint64_t ones = UINT64_MAX >> (64 - 8 * row->bytes);
    const uint64_t highest = row->is_signed ? ones >> 1 : ones;
    oracle_bits bits = 0;
    if (!row->is_float)
        return seeks < 0 ? highest : ones ^ highest;
    element_store(problem->acc, -seeks * HUGE_VAL, &bits, 0);
    return bits;
}

static int finish_order(const struct oracle_fold *fold, oracle_bits *out, struct error *error)
{
    const struct problem *problem = &fold->problem;
    const uint64_t word = turn(problem->type, fold->words[TOTAL]);
    double value;
    (void)error;
    *out = 0;
    memcpy(&value, &word, sizeof value);
    if (fold->count == 0)
        *out = last_of(problem);
    else if (problem_types[problem->type].is_float)
        element_store(problem->acc, fold->words[HAS_NAN] ? NAN : value, out, 0);
    else
        *out = cut(problem->acc, word);
    return 0;
}

/* Elements one by one: a block's NaN must not reach the results before it. */
static void scan_order(struct oracle_fold *fold, union element_block *block, uint64_t count,
                       void *expects)
{
    const bool is_exclusive = fold->problem.dims.scan == DIMS_EXCLUSIVE;
    const enum type type = fold->problem.type;
    const bool is_float = problem_types[type].is_float;
    struct error ignored;
    oracle_bits bits;
    finish_order(fold, &bits, &ignored);
    for (uint64_t i = 0; i < count; i++) {
        if (is_exclusive)
            element_store_word(fold->problem.acc, bits, expects, i);
        fold->words[HAS_NAN] |= is_float && block->f64[i] != block->f64[i];
        fold->words[TOTAL] =
            op_of(fold)->combine_one(fold->words[TOTAL], turn(type, block->u64[i]));
        fold->count++;
        finish_order(fold, &bits, &ignored);
        if (!is_exclusive)
            element_store_word(fold->problem.acc, bits, expects, i);
    }
    fold->count -= count;
}

const struct oracle_folding oracle_fold_order = {.init = init_words,
                                                 .add = add_order,
                                                 .scan = scan_order,
                                                 .merge = merge_words,
                                                 .finish = finish_order};

/* --- Values that a map makes -------------------------------------------------------------- */

/* Notes how far from their values they may be on another machine. */
static void note_spreads(struct oracle_fold *fold, const union element_block *block,
                         const double *spreads, uint64_t count)
{
    struct oracle_rough *rough = &fold->rough;
    const bool is_least = problem_law(&fold->problem)->seeks < 0;
    const bool is_product = problem_combine(&fold->problem) == COMBINE_MULTIPLY;
    for (uint64_t i = 0; i < count; i++) {
        const double value = block->f64[i], spread = spreads[i];
        if (!oracle_fold_has_ends(fold)) {
            rough->slack += is_product && spread > 0 ? spread / fabs(value) : spread;
        } else if (is_least) {
            rough->above = fmin(rough->above, value + spread);
            rough->below = fmin(rough->below, value - spread);
        } else {
            rough->above = fmax(rough->above, value + spread);
            rough->below = fmax(rough->below, value - spread);
        }
    }
}

/* Elements become values. Do these have spreads, which are to be noted as they are added? */
static bool map_block(const struct oracle_fold *fold, union element_block *block,
                      double spreads[BLOCK], uint64_t count)
{
    if (!fold->mapped || !mapped_has_map(fold->mapped))
        return false;
    const bool has_spread = mapped_has_spread(fold->mapped);
    mapped_values(fold->mapped, block, has_spread ? spreads : NULL, count);
    return has_spread && problem_types[fold->problem.acc].is_float;
}

static void make_values(struct oracle_fold *fold, union element_block *block, uint64_t count)
{
    double spreads[BLOCK];
    if (map_block(fold, block, spreads, count))
        note_spreads(fold, block, spreads, count);
}

static void init_mapped(struct oracle_fold *fold, const struct problem *problem)
{
    fold->problem = mapped_inner(fold->mapped, problem);
    if (mapped_has_map(fold->mapped))
        oracle_fold_roughly(fold);
    if (oracle_fold_has_ends(fold))
        fold->rough.above = fold->rough.below = -problem_law(&fold->problem)->seeks * HUGE_VAL;
}

/* What folds values that a text of its own combines; NULL: a law does. */
static const struct oracle_own *own_of(const struct oracle_fold *fold)
{
    return fold->mapped ? mapped_own(fold->mapped) : NULL;
}

/* --- Any fold ----------------------------------------------------------------------------- */

static const struct oracle_folding *folding_of(const struct oracle_fold *fold)
{
    return fold->is_rough ? &oracle_fold_rough : oracle_kind(&fold->problem)->folding;
}

void oracle_fold_init(struct oracle_fold *fold, const struct problem *problem)
{
    *fold = (struct oracle_fold){.problem = *problem, .mapped = oracle_mapped(problem)};
    if (own_of(fold)) {
        own_fold_init(own_of(fold), fold);
        return;
    }
    if (fold->mapped)
        init_mapped(fold, problem);
    if (!fold->is_rough && folding_of(fold)->init)
        folding_of(fold)->init(fold);
}

/* The type of the elements, of which the problem's values are made. */
static enum type type_of(const struct oracle_fold *fold)
{
    return fold->mapped ? mapped_type(fold->mapped) : fold->problem.type;
}

static void add_block(struct oracle_fold *fold, union element_block *block, uint64_t count)
{
    make_values(fold, block, count);
    folding_of(fold)->add(fold, block, count);
    fold->count += count;
    fold->next += count;
}

void oracle_fold_add(struct oracle_fold *fold, const void *elements, uint64_t count)
{
    const enum type type = type_of(fold);
    const size_t bytes = (size_t)problem_types[type].bytes;
    const unsigned char *from = elements;
    union element_block raw = {.u64 = {0}}, block;
    if (own_of(fold)) {
        own_fold_add(own_of(fold), fold, elements, count);
        return;
    }
    for (; count >= BLOCK; count -= BLOCK, from += BLOCK * bytes) {
        element_widen(type, &block, from);
        add_block(fold, &block, BLOCK);
    }
    if (count == 0)
        return;
    memcpy(&raw, from, count * bytes);
    element_widen(type, &block, &raw);
    add_block(fold, &block, count);
}

/* The result so far, at place `at`. */
static void put_result(const struct oracle_fold *fold, void *expects,
                       struct oracle_doubt *doubts, uint64_t at)
{
    struct error ignored;
    oracle_bits bits = 0;
    oracle_fold_value(fold, &bits, &ignored);
    element_store_word(fold->problem.acc, bits, expects, at);
    if (doubts)
        doubts[at] = oracle_fold_doubt(fold);
}

/* Value by value, each result with its doubt. */
static void scan_doubted(struct oracle_fold *fold, union element_block *block, uint64_t count,
                         void *expects, struct oracle_doubt *doubts)
{
    const bool is_exclusive = fold->problem.dims.scan == DIMS_EXCLUSIVE;
    const struct oracle_folding *folding = folding_of(fold);
    union element_block one = {.u64 = {0}};
    double spreads[BLOCK];
    const bool has_spreads = map_block(fold, block, spreads, count);
    for (uint64_t i = 0; i < count; i++) {
        one.u64[0] = block->u64[i];
        if (is_exclusive)
            put_result(fold, expects, doubts, i);
        if (has_spreads)
            note_spreads(fold, &one, &spreads[i], 1);
        folding->add(fold, &one, 1);
        fold->count++;
        fold->next++;
        if (!is_exclusive)
            put_result(fold, expects, doubts, i);
    }
}

static void scan_block(struct oracle_fold *fold, union element_block *block, uint64_t count,
                       void *expects, struct oracle_doubt *doubts)
{
    if (fold->is_rough || doubts) {
        scan_doubted(fold, block, count, expects, doubts);
        return;
    }
    make_values(fold, block, count);
    folding_of(fold)->scan(fold, block, count, expects);
    fold->count += count;
    fold->next += count;
}

void oracle_fold_scan(struct oracle_fold *fold, const void *elements, uint64_t count,
                      void *expects, struct oracle_doubt *doubts)
{
    const enum type type = type_of(fold);
    const size_t bytes = (size_t)problem_types[type].bytes;
    const size_t result_bytes = (size_t)problem_types[fold->problem.acc].bytes;
    const unsigned char *from = elements;
    unsigned char *to = expects;
    union element_block raw = {.u64 = {0}}, block;
    if (own_of(fold)) {
        own_fold_scan(own_of(fold), fold, elements, count, expects, doubts);
        return;
    }
    if (doubts)
        oracle_fold_roughly(fold);
    while (count > 0) {
        const uint64_t take = count < BLOCK ? count : BLOCK;
        if (take < BLOCK)
            memcpy(&raw, from, take * bytes);
        element_widen(type, &block, take < BLOCK ? (const void *)&raw : from);
        scan_block(fold, &block, take, to, doubts);
        from += take * bytes;
        to += take * result_bytes;
        doubts = doubts ? doubts + take : NULL;
        count -= take;
    }
}

static void merge_ends(struct oracle_rough *into, const struct oracle_rough *from,
                       bool is_least)
{
    const bool is_above = is_least == (from->above < into->above);
    const bool is_below = is_least == (from->below < into->below);
    into->above = is_above ? from->above : into->above;
    into->below = is_below ? from->below : into->below;
}

void oracle_fold_merge(struct oracle_fold *into, const struct oracle_fold *from)
{
    into->count += from->count;
    if (own_of(into)) {
        own_fold_merge(own_of(into), into, from);
        return;
    }
    into->largest = fmax(into->largest, from->largest);
    into->rough.slack += from->rough.slack;
    if (oracle_fold_has_ends(into))
        merge_ends(&into->rough, &from->rough, problem_law(&into->problem)->seeks < 0);
    folding_of(into)->merge(into, from);
}

/* Replaces the plain element by the deciding one. A plain element among bits or near values has
 * no effect beside it; one of signs is its own inverse. */
static void decide(struct oracle_fold *fold, const struct oracle_input *input, uint64_t at)
{
    uint64_t plain = 0, decided = 0;
    oracle_fill_plain(input, at, 1, &plain);
    oracle_fill(input, at, 1, &decided);
    fold->next = at;
    oracle_fold_add(fold, &plain, 1);
    fold->next = at;
    oracle_fold_add(fold, &decided, 1);
}

/* The first of a period's equals is in the first period, where `rest` has it too. */
void oracle_fold_periods(struct oracle_fold *out, const struct oracle_input *input,
                         const struct oracle_fold *period, const struct oracle_fold *rest)
{
    const uint64_t times = input->problem.dims.depth.n / input->period;
    uint64_t deciding[ORACLE_DECIDING_MAX];
    const size_t count = oracle_list_deciding(input, deciding);
    oracle_fold_init(out, &input->problem);
    for (uint64_t i = 0; i < times; i++)
        oracle_fold_merge(out, period);
    if (!own_of(out) && folding_of(out)->see_period)
        folding_of(out)->see_period(out, period);
    oracle_fold_merge(out, rest);
    for (size_t i = 0; i < count; i++)
        decide(out, input, deciding[i]);
    out->count = input->problem.dims.depth.n;
}

int oracle_fold_value(const struct oracle_fold *fold, oracle_bits *out, struct error *error)
{
    return folding_of(fold)->finish(fold, out, error);
}

int oracle_fold_finish(const struct oracle_fold *fold, oracle_bits *out, struct error *error)
{
    union element_block raw = {.u64 = {0}}, wide;
    if (own_of(fold)) {
        *out = own_fold_finish(own_of(fold), fold, NULL);
        return 0;
    }
    if (oracle_fold_value(fold, out, error))
        return -1;
    if (!fold->mapped)
        return 0;
    memcpy(&raw, out, sizeof *out);
    element_widen(fold->problem.acc, &wide, &raw);
    *out = mapped_narrow(mapped_result(fold->mapped),
                         mapped_finish(fold->mapped, wide.u64[0], fold->count));
    return 0;
}
