/* oracle_values: makes the elements of exact inputs. They are made from their index by a hash,
 * 256 at a time, so that any chunk can be made alone; no result of them is ever rounded. Hides
 * the hash and the amplitudes. */
#include "autotune/verify/oracle_mapped.h"
#include "autotune/verify/oracle_ops.h"

#include <assert.h>
#include <math.h>

enum {
    BATCH = ELEMENT_BLOCK,
    SPAN_MIN = 8,      /* the least amplitude of a float sum that has a period */
    REPEATS_MAX = 512, /* the most periods of a sum of squares */
};

/* --- The hash ----------------------------------------------------------------------------- */

uint64_t oracle_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Words of one page: a 64-bit key for the page, then 32-bit steps that vectorise (multipliers
 * of Wellons' lowbias32). */
static void hash_page(uint32_t *words, uint64_t seed, uint64_t page)
{
    const uint64_t key = oracle_mix(oracle_mix(seed) + page);
    const uint32_t start = (uint32_t)key, twist = (uint32_t)(key >> 32);
    for (uint32_t i = 0; i < BATCH; i++) {
        uint32_t x = start + i * 0x9e3779b9u;
        x = (x ^ (x >> 16)) * 0x7feb352du;
        x = ((x ^ (x >> 15)) + twist) * 0x846ca68bu;
        words[i] = x ^ (x >> 16);
    }
}

static void hash_long(union element_block *words, uint64_t seed, uint64_t index)
{
    hash_page(words->u32, seed, 2 * index);
    hash_page(words->u32 + BATCH, seed, 2 * index + 1);
}

/* --- 256 elements ------------------------------------------------------------------------- */

/* Three in four elements of a type narrower than its accumulator have the top bit, so that sums
 * grow with n, past what a narrower accumulator holds. */
static void make_any32(union element_block *out, const struct oracle_recipe *recipe,
                       uint64_t index)
{
    union element_block words;
    const int drop = 32 - recipe->bits;
    const uint32_t top = drop > 0 ? (uint32_t)1 << (recipe->bits - 1) : 0;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++) {
        const uint32_t word = words.u32[i] >> drop | (words.u32[i] % 2 ? top : 0);
        out->u32[i] = word + (word == 0);
    }
}

static void make_any64(union element_block *out, const struct oracle_recipe *recipe,
                       uint64_t index)
{
    union element_block words;
    hash_long(&words, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u64[i] = words.u64[i] + (words.u64[i] == 0);
}

/* Makes odd words that are never 1: dropping one or taking it twice changes any product modulo
 * 2^32, and any sum of squares. */
static void make_odd32(union element_block *out, const struct oracle_recipe *recipe,
                       uint64_t index)
{
    union element_block words;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u32[i] = words.u32[i] | 3;
}

static void make_odd64(union element_block *out, const struct oracle_recipe *recipe,
                       uint64_t index)
{
    union element_block words;
    hash_long(&words, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u64[i] = words.u64[i] | 3;
}

static void make_near32(union element_block *out, const struct oracle_recipe *recipe,
                        uint64_t index)
{
    union element_block words;
    const int drop = 35 - recipe->bits;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u32[i] = (uint32_t)((int32_t)words.u32[i] >> drop) + (uint32_t)recipe->shift;
}

static void make_near64(union element_block *out, const struct oracle_recipe *recipe,
                        uint64_t index)
{
    union element_block words;
    hash_long(&words, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u64[i] = (uint64_t)((int64_t)words.u64[i] >> 3) + recipe->shift;
}

static void make_flat32(union element_block *out, const struct oracle_recipe *recipe,
                        uint64_t index)
{
    (void)index;
    for (int i = 0; i < BATCH; i++)
        out->u32[i] = (uint32_t)recipe->identity;
}

static void make_flat64(union element_block *out, const struct oracle_recipe *recipe,
                        uint64_t index)
{
    (void)index;
    for (int i = 0; i < BATCH; i++)
        out->u64[i] = recipe->identity;
}

/* An integer of -span .. span, not 0. */
static int32_t dense(uint32_t word, uint32_t span)
{
    const int32_t v = (int32_t)(((uint64_t)word * 2 * span) >> 32) - (int32_t)span;
    return v + (v >= 0);
}

static void make_dense_f32(union element_block *out, const struct oracle_recipe *recipe,
                           uint64_t index)
{
    union element_block words;
    const uint32_t span = recipe->span;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->f32[i] = (float)dense(words.u32[i], span);
}

static void make_dense_f64(union element_block *out, const struct oracle_recipe *recipe,
                           uint64_t index)
{
    union element_block words;
    const uint32_t span = recipe->span;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->f64[i] = dense(words.u32[i], span);
}

/* One of the few integers that fit: 0, or +-1 .. +-2 by the word's lowest bits. */
static int32_t sparse(uint32_t word, uint32_t limit)
{
    const int32_t v = 1 + (int32_t)(word >> 1 & 1);
    return word >= limit ? 0 : word & 1 ? -v : v;
}

static void make_sparse_f32(union element_block *out, const struct oracle_recipe *recipe,
                            uint64_t index)
{
    union element_block words;
    if (recipe->limit == 0) {
        make_dense_f32(out, recipe, index);
        return;
    }
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->f32[i] = (float)sparse(words.u32[i], recipe->limit);
}

static void make_sparse_f64(union element_block *out, const struct oracle_recipe *recipe,
                            uint64_t index)
{
    union element_block words;
    if (recipe->limit == 0) {
        make_dense_f64(out, recipe, index);
        return;
    }
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->f64[i] = sparse(words.u32[i], recipe->limit);
}

/* +-1, as bits: the exponent of 1 and a hashed sign. */
static void make_sign_f32(union element_block *out, const struct oracle_recipe *recipe,
                          uint64_t index)
{
    union element_block words;
    const uint32_t flip = (uint32_t)recipe->flip << 31;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u32[i] = ((words.u32[i] & 0x80000000u) ^ flip) | 0x3f800000u;
}

static void make_sign_f64(union element_block *out, const struct oracle_recipe *recipe,
                          uint64_t index)
{
    union element_block words;
    const uint64_t flip = recipe->flip << 63;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u64[i] = (((uint64_t)words.u32[i] << 63) ^ flip) | 0x3ff0000000000000u;
}

/* Keys of floats, from the lowest on: see put_key. */
static void make_keys32(union element_block *out, const struct oracle_recipe *recipe,
                        uint64_t index)
{
    union element_block words;
    const uint32_t lowest = (uint32_t)recipe->shift, turn = (uint32_t)recipe->flip;
    const uint32_t magnitude = UINT32_MAX >> (33 - recipe->bits);
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++) {
        const uint32_t key = (lowest + (uint32_t)(words.u32[i] * recipe->keys >> 32)) ^ turn;
        out->u32[i] = key ^ ((uint32_t)((int32_t)key >> 31) & magnitude);
    }
}

static void make_keys64(union element_block *out, const struct oracle_recipe *recipe,
                        uint64_t index)
{
    union element_block words;
    hash_long(&words, recipe->seed, index);
    for (int i = 0; i < BATCH; i++) {
        const uint64_t above = (uint64_t)((unsigned __int128)words.u64[i] * recipe->keys >> 64);
        const uint64_t key = (recipe->shift + above) ^ recipe->flip;
        out->u64[i] = key ^ ((uint64_t)((int64_t)key >> 63) & INT64_MAX);
    }
}

/* --- Amplitudes of sums ------------------------------------------------------------------- */

/* The largest integer that a float type holds, limited to what hash and reference can use. */
static double largest_integer(enum type type)
{
    const struct type_row *row = &problem_types[type];
    return row->bytes == 8 ? 1 << 30 : fmin(1 << 20, ldexp(1.0, row->exact_bits));
}

/* Integers of the accumulator's type are exact below this. */
static double exact_range(const struct problem *problem)
{
    return ldexp(1.0, problem_types[problem->acc].exact_bits);
}

static uint32_t whole_span(const struct problem *problem, double span)
{
    return (uint32_t)fmax(1.0, floor(fmin(largest_integer(problem->type), span)));
}

static uint32_t dense_span(const struct problem *problem, uint64_t period)
{
    const double range = exact_range(problem), n = fmax(1.0, (double)problem->dims.depth.n);
    const double repeats = period ? ceil(n / (double)period) : 1.0;
    const double sure = 0.75 * range / n;
    const double likely = fmin(255.0, range * sqrt(3.0) / (5.5 * sqrt(repeats * n)));
    return whole_span(problem, fmax(sure, likely));
}

static uint32_t sparse_span(const struct problem *problem, uint64_t period)
{
    const double n = fmax(1.0, (double)problem->dims.depth.n);
    (void)period;
    return whole_span(problem,
                      pow(0.75 * exact_range(problem) / n, 1.0 / oracle_op(problem)->power));
}

/* Squares, and other powers of magnitudes, are all positive, so from some n on most elements
 * must be 0: of the others, half are +-1 and half +-2, whose squares are 2.5 on average. */
static uint32_t sparse_limit(const struct problem *problem)
{
    const double mean = (1.0 + ldexp(1.0, oracle_op(problem)->power)) / 2;
    const double density = 0.7 * exact_range(problem) / (mean * (double)problem->dims.depth.n);
    return sparse_span(problem, 0) > 1 ? 0 : (uint32_t)(fmin(density, 0.9) * 0x1p32);
}

/* A sum's drift within a period comes again in each period, so the amplitude must still be
 * large enough. */
static bool can_repeat_dense(const struct problem *problem, uint64_t period)
{
    return dense_span(problem, period) >= SPAN_MIN;
}

static bool can_repeat_sparse(const struct problem *problem, uint64_t period)
{
    return problem->dims.depth.n / period <= REPEATS_MAX;
}

/* --- The range of minima and maxima of integers ------------------------------------------- */

/* The places of values, in sixteenths of the type's range from its middle towards the extremum;
 * fillers within 1 of theirs. Odd seeds put fillers and mark on the identity's side of zero. The
 * difference of a filler and the mark of an even seed, or a loud value, is more than half of the
 * range: it overflows. */
static const struct scale {
    int filler, mark[2], loud; /* by the seed's parity */
} scale = {-7, {5, -4}, 7};

static int64_t sixteenths(enum type type, int count)
{
    return (int64_t)count * ((int64_t)1 << (8 * problem_types[type].bytes - 4));
}

static int64_t toward(const struct problem *problem)
{
    return problem_law(problem)->seeks;
}

/* The scale's zero: in the middle of an unsigned type's range. */
static uint64_t near_zero(enum type type)
{
    const struct type_row *row = &problem_types[type];
    return row->is_signed ? 0 : (uint64_t)1 << (8 * row->bytes - 1);
}

/* The value at this distance from the middle, towards the extremum. */
static uint64_t near(const struct problem *problem, int count, int64_t extra)
{
    const int64_t distance = sixteenths(problem->type, count) + extra;
    return near_zero(problem->type) + (uint64_t)(toward(problem) * distance);
}

static uint64_t near_mark(const struct problem *problem, uint64_t seed, uint64_t hash)
{
    const int bits = 8 * problem_types[problem->type].bytes - 8;
    const uint64_t extra = hash & (((uint64_t)1 << (bits < 16 ? bits : 16)) - 1);
    return near(problem, scale.mark[seed % 2], (int64_t)extra);
}

/* --- The range of minima and maxima of floats --------------------------------------------- */

/* Finite floats are numbered in their order: a key is the word of a float from +0 on, and below it
 * the complement of the word without its sign. As many lie on each side of zero; so keys drawn
 * evenly have every exponent and every fraction as often as any other. */
static int64_t count_keys(enum type type)
{
    uint64_t infinity = 0;
    element_store(type, HUGE_VAL, &infinity, 0);
    return (int64_t)infinity;
}

/* Writes the float at this distance from zero towards the extremum, in keys. */
static void put_key(const struct problem *problem, int64_t distance, void *out)
{
    const int bits = 8 * problem_types[problem->type].bytes;
    const int64_t key = toward(problem) > 0 ? distance : ~distance;
    const uint64_t magnitude = UINT64_MAX >> (65 - bits);
    element_store_word(problem->type, key < 0 ? (uint64_t)key ^ magnitude : (uint64_t)key, out,
                       0);
}

/* From here on there are marks, before it other elements: anywhere, or on the identity's side of
 * zero for odd seeds. */
static int64_t find_cut(const struct problem *problem, uint64_t seed)
{
    const int64_t keys = count_keys(problem->type), margin = keys / 8;
    const uint64_t room =
        seed % 2 ? (uint64_t)(keys - 2 * margin) : 2 * (uint64_t)(keys - margin);
    return (int64_t)((uint64_t)(margin - keys) + oracle_mix(seed ^ 0x6b657973) % room);
}

/* Neither a zero, whose signs positions take for equal, nor, where atomics may take these for zero,
 * a denormal. */
static int64_t key_mark(const struct problem *problem, uint64_t seed, uint64_t hash)
{
    const int64_t cut = find_cut(problem, seed),
                  end = seed % 2 ? -1 : count_keys(problem->type);
    const uint64_t room = (uint64_t)end - (uint64_t)cut;
    const int64_t at = (int64_t)((uint64_t)cut + hash % room);
    uint64_t normal = 1;
    if (problem->order == ORDER_ANY && problem->acc == F32)
        element_store(problem->type, element_range(problem->type).small, &normal, 0);
    const int64_t least = (int64_t)normal;
    return at >= least || at < -least ? at : at < 0 ? -1 - least : least;
}

void oracle_put_mark(const struct oracle_input *input, uint64_t which, void *out)
{
    const struct problem *problem = &input->problem;
    const uint64_t hash = oracle_mix(oracle_mix(input->seed) + which);
    if (oracle_has_map(problem))
        mapped_put_mark(oracle_mapped(problem), hash, out);
    else if (problem_types[problem->type].is_float)
        put_key(problem, key_mark(problem, input->seed, hash), out);
    else
        element_store_word(problem->type, near_mark(problem, input->seed, hash), out, 0);
}

/* --- Recipes and guards ------------------------------------------------------------------- */

struct oracle_recipe oracle_recipe(const struct oracle_input *input)
{
    const struct problem *problem = &input->problem;
    const struct oracle_values *values = oracle_kind(problem)->values;
    const int bits = 8 * problem_types[problem->type].bytes;
    const bool by_sign = values->deciding == DECIDING_SIGNS;
    struct oracle_recipe recipe = {
        .seed = by_sign ? input->seed / 2 : input->seed,
        .flip = by_sign ? input->seed % 2 : 0,
        .bits = bits < 32 ? bits : 32,
        .span = values->span ? values->span(problem, input->period) : 0,
        .limit = values == &oracle_sparse ? sparse_limit(problem) : 0,
        .identity = oracle_op(problem)->identity,
    };
    if (values == &oracle_keys) {
        const int64_t lowest = -count_keys(problem->type);
        recipe.shift = (uint64_t)lowest;
        recipe.keys = (uint64_t)find_cut(problem, input->seed) - (uint64_t)lowest;
        recipe.flip = toward(problem) > 0 ? 0 : UINT64_MAX;
    } else if (values->deciding == DECIDING_MARK) {
        recipe.shift = near(problem, scale.filler, 0);
    }
    return recipe;
}

void oracle_guard(const struct problem *problem, void *out)
{
    const enum type type = problem->type;
    const bool is_float = problem_types[type].is_float;
    const enum oracle_deciding deciding = oracle_kind(problem)->values->deciding;
    if (oracle_has_map(problem))
        mapped_put_guard(oracle_mapped(problem), out);
    else if (deciding == DECIDING_MARK && is_float)
        element_store(type, toward(problem) > 0 ? HUGE_VAL : -HUGE_VAL, out, 0);
    else if (deciding == DECIDING_MARK)
        element_store_word(type, near(problem, scale.loud, 0), out, 0);
    else if (deciding == DECIDING_BITS)
        element_store_word(type, ~oracle_op(problem)->identity, out, 0);
    else if (is_float)
        element_store(type, -3, out, 0);
    else
        element_store_word(type, UINT64_C(0xb5ad4eceda1ce2a9), out, 0);
}

/* --- The kinds of values ------------------------------------------------------------------ */

const struct oracle_values oracle_words = {make_any32, make_any64, DECIDING_ALL,
                                           false,      NULL,       NULL};
const struct oracle_values oracle_odds = {make_odd32, make_odd64, DECIDING_ALL,
                                          false,      NULL,       NULL};
const struct oracle_values oracle_flats = {make_flat32, make_flat64, DECIDING_BITS,
                                           false,       NULL,        NULL};
const struct oracle_values oracle_nears = {make_near32, make_near64, DECIDING_MARK,
                                           false,       NULL,        NULL};
const struct oracle_values oracle_keys = {make_keys32, make_keys64, DECIDING_MARK,
                                          true,        NULL,        NULL};
const struct oracle_values oracle_dense = {make_dense_f32, make_dense_f64, DECIDING_ALL,
                                           false,          dense_span,     can_repeat_dense};
const struct oracle_values oracle_sparse = {make_sparse_f32, make_sparse_f64,
                                            DECIDING_ALL,    false,
                                            sparse_span,     can_repeat_sparse};
const struct oracle_values oracle_signs = {make_sign_f32, make_sign_f64, DECIDING_SIGNS,
                                           false,         NULL,          NULL};

const struct oracle_values oracle_drawn = {NULL, NULL, DECIDING_ALL, false, NULL, NULL};
const struct oracle_values oracle_drawn_marks = {NULL, NULL, DECIDING_MARK, false, NULL, NULL};

/* --- Stairs ------------------------------------------------------------------------------- */

/* Heights are keys of floats, several apart, so that they have every exponent and fraction too. */
static void put_height(const struct problem *problem, int64_t height, uint64_t room, void *out)
{
    const struct type_row *row = &problem_types[problem->type];
    const int64_t step = row->is_float ? count_keys(problem->type) / (int64_t)room : 1;
    const int64_t at = height * step + (int64_t)(oracle_mix((uint64_t)height) % (uint64_t)step);
    if (row->is_float)
        put_key(problem, at, out);
    else
        element_store_word(problem->type,
                           (uint64_t)(toward(problem) * at) + (row->is_signed ? 0 : 2 * room),
                           out, 0);
}

void oracle_put_stair(const struct oracle_input *input, uint64_t index, void *out)
{
    const struct problem *problem = &input->problem;
    const struct type_row *row = &problem_types[problem->type];
    const uint64_t n = problem->dims.depth.n;
    if (oracle_has_map(problem)) {
        mapped_put_stair(oracle_mapped(problem), input, index, out);
        return;
    }
    const uint64_t most = row->is_float ? (uint64_t)count_keys(problem->type) / 8
                                        : (uint64_t)1 << (8 * row->bytes - 3);
    const uint64_t room = most < (uint64_t)1 << 37 ? most : (uint64_t)1 << 37;
    const uint64_t hash = oracle_mix(oracle_mix(input->seed) + index);
    const uint64_t level =
        n <= room ? index : (uint64_t)((double)index / (double)n * (double)room);
    const int64_t behind = hash % 4 ? (int64_t)(hash / 4 % room) + 1 : 0;
    put_height(problem, (int64_t)level - behind, room, out);
}
