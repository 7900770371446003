/* oracle: the inputs. Elements are made from their index by a hash, 256 at a time, so that any
 * chunk can be made alone; the values suit the operation, so that no result is ever rounded
 * and nothing lost, read twice or read outside goes unseen. Hides the hash and the amplitudes;
 * the elements that decide stand in oracle_decide.c. */
#include "autotune/tune/oracle.h"
#include "autotune/tune/oracle_decide.h"

#include <math.h>
#include <string.h>

enum { BATCH = 256 };

/* 256 elements of any type. */
union batch {
    uint8_t u8[BATCH];
    uint16_t u16[BATCH];
    uint32_t u32[BATCH];
    int32_t i32[BATCH];
    uint64_t u64[BATCH];
    int64_t i64[BATCH];
    float f32[BATCH];
    double f64[BATCH];
};

/* Hashed words, enough for 256 elements of 4 or 8 bytes. */
union words {
    uint32_t u32[2 * BATCH];
    uint64_t u64[BATCH];
};

/* What the elements are made from, the same for all of an input. */
struct recipe {
    uint64_t seed;
    uint32_t span;  /* float sums: integers -span .. span without 0 */
    uint32_t limit; /* float sumsq: words from here on make a 0; 0 = none does */
    int bits;       /* of a type of up to 4 bytes; of a float's exact integers */
    uint64_t shift; /* min, max: added to each value (two's complement) */
    uint64_t flip;  /* float prod: 1 = the complementary signs */
};

typedef void make_batch(union batch *out, const struct recipe *recipe, uint64_t index);

/* Words of one page: a 64-bit key for the page, then 32-bit steps that vectorise (multipliers
 * of Wellons' lowbias32). */
static void hash_page(uint32_t *words, uint64_t seed, uint64_t page)
{
    const uint64_t key = decide_mix(decide_mix(seed) + page);
    const uint32_t start = (uint32_t)key, twist = (uint32_t)(key >> 32);
    for (uint32_t i = 0; i < BATCH; i++) {
        uint32_t x = start + i * 0x9e3779b9u;
        x = (x ^ (x >> 16)) * 0x7feb352du;
        x = ((x ^ (x >> 15)) + twist) * 0x846ca68bu;
        words[i] = x ^ (x >> 16);
    }
}

static void hash_long(union words *words, uint64_t seed, uint64_t index)
{
    hash_page(words->u32, seed, 2 * index);
    hash_page(words->u32 + BATCH, seed, 2 * index + 1);
}

/* --- A batch, by operation and type ------------------------------------------------------- */

static void make_any32(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    const int drop = 32 - recipe->bits;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++) {
        const uint32_t word = words.u32[i] >> drop;
        out->u32[i] = word + (word == 0);
    }
}

static void make_any64(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    hash_long(&words, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u64[i] = words.u64[i] + (words.u64[i] == 0);
}

/* Odd and never 1: dropping it or taking it twice changes any product modulo 2^32, and any sum
 * of squares. */
static void make_odd32(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u32[i] = words.u32[i] | 3;
}

static void make_odd64(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    hash_long(&words, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u64[i] = words.u64[i] | 3;
}

static void make_near32(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    const int drop = 35 - recipe->bits;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u32[i] = (uint32_t)((int32_t)words.u32[i] >> drop) + (uint32_t)recipe->shift;
}

static void make_near64(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    hash_long(&words, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u64[i] = (uint64_t)((int64_t)words.u64[i] >> 3) + recipe->shift;
}

/* -1 is the identity of and, 0 of or. */
static void make_ones(union batch *out, const struct recipe *recipe, uint64_t index)
{
    (void)recipe, (void)index;
    memset(out, 0xff, sizeof *out);
}

static void make_zeros(union batch *out, const struct recipe *recipe, uint64_t index)
{
    (void)recipe, (void)index;
    memset(out, 0, sizeof *out);
}

/* An integer of -span .. span, not 0. */
static int32_t dense(uint32_t word, uint32_t span)
{
    const int32_t v = (int32_t)(((uint64_t)word * (2 * span)) >> 32) - (int32_t)span;
    return v + (v >= 0);
}

static void make_dense_f32(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    const uint32_t span = recipe->span;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->f32[i] = (float)dense(words.u32[i], span);
}

static void make_dense_f64(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    const uint32_t span = recipe->span;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->f64[i] = dense(words.u32[i], span);
}

/* One of the few that fit: 0, or +-1 .. +-2 by the word's lowest bits. */
static int32_t sparse(uint32_t word, uint32_t limit)
{
    const int32_t v = 1 + (int32_t)(word >> 1 & 1);
    return word >= limit ? 0 : word & 1 ? -v : v;
}

static void make_sparse_f32(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    if (recipe->limit == 0) {
        make_dense_f32(out, recipe, index);
        return;
    }
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->f32[i] = (float)sparse(words.u32[i], recipe->limit);
}

static void make_sparse_f64(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    if (recipe->limit == 0) {
        make_dense_f64(out, recipe, index);
        return;
    }
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->f64[i] = sparse(words.u32[i], recipe->limit);
}

/* +-1, as bits: the exponent of 1 and a hashed sign. */
static void make_sign_f32(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    const uint32_t flip = (uint32_t)recipe->flip << 31;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u32[i] = ((words.u32[i] & 0x80000000u) ^ flip) | 0x3f800000u;
}

static void make_sign_f64(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    const uint64_t flip = recipe->flip << 63;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u64[i] = (((uint64_t)words.u32[i] << 63) ^ flip) | 0x3ff0000000000000u;
}

static void make_near_f32(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    const int32_t shift = (int32_t)recipe->shift;
    const int drop = 35 - recipe->bits;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->f32[i] = (float)(((int32_t)words.u32[i] >> drop) + shift);
}

static void make_near_f64(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    const int32_t shift = (int32_t)recipe->shift;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->f64[i] = (((int32_t)words.u32[i] >> 11) + shift) * DECIDE_FINE;
}

/* By operation: integers of up to 4 bytes and of 8, floats of up to 4 bytes and of 8. */
static make_batch *const makers[OP_COUNT][4] = {
    [SUM] = {make_any32, make_any64, make_dense_f32, make_dense_f64},
    [SUMSQ] = {make_odd32, make_odd64, make_sparse_f32, make_sparse_f64},
    [PROD] = {make_odd32, make_odd64, make_sign_f32, make_sign_f64},
    [ARGMIN] = {make_near32, make_near64, make_near_f32, make_near_f64},
    [ARGMAX] = {make_near32, make_near64, make_near_f32, make_near_f64},
    [MIN] = {make_near32, make_near64, make_near_f32, make_near_f64},
    [MAX] = {make_near32, make_near64, make_near_f32, make_near_f64},
    [AND] = {make_ones, make_ones, NULL, NULL},
    [OR] = {make_zeros, make_zeros, NULL, NULL},
    [XOR] = {make_any32, make_any64, NULL, NULL},
};

/* --- Narrow types ------------------------------------------------------------------------- */

/* The floats made for f16 and bf16 are integers, which both hold exactly. */
static uint16_t half_of(uint32_t bits)
{
    const uint32_t moved = (bits & 0x7fffffffu) >> 13;
    return (uint16_t)((bits >> 16 & 0x8000u) | (moved ? moved - (112u << 10) : 0));
}

static void narrow(union batch *out, const union batch *from, enum type type)
{
    if (problem_types[type].bytes == 1)
        for (int i = 0; i < BATCH; i++)
            out->u8[i] = (uint8_t)from->u32[i];
    else if (type == F16)
        for (int i = 0; i < BATCH; i++)
            out->u16[i] = half_of(from->u32[i]);
    else if (type == BF16)
        for (int i = 0; i < BATCH; i++)
            out->u16[i] = (uint16_t)(from->u32[i] >> 16);
    else
        for (int i = 0; i < BATCH; i++)
            out->u16[i] = (uint16_t)from->u32[i];
}

/* --- Ranges ------------------------------------------------------------------------------- */

/* The largest integer that a float type holds, and what hash and reference can do with. */
static double largest_integer(enum type type)
{
    return type == F64 ? 1 << 30 : fmin(1 << 20, ldexp(1.0, problem_types[type].exact_bits));
}

uint32_t oracle_span(const struct problem *problem, uint64_t period)
{
    const double range = ldexp(1.0, problem_types[problem->acc].exact_bits);
    const double n = dims_n(&problem->dims) > 0 ? (double)dims_n(&problem->dims) : 1.0;
    const double repeats = period ? ceil(n / (double)period) : 1.0;
    const double sure = 0.75 * range / n;
    const double likely = fmin(255.0, range * sqrt(3.0) / (5.5 * sqrt(repeats * n)));
    const double span = problem->op == SUMSQ ? sqrt(sure) : fmax(sure, likely);
    return (uint32_t)fmax(1.0, floor(fmin(largest_integer(problem->type), span)));
}

/* Squares are all positive, so from some n on most elements must be 0: of the others, half are
 * +-1 and half +-2, 2.5 on average. */
static uint32_t sparse_limit(const struct problem *problem)
{
    const double range = ldexp(1.0, problem_types[problem->acc].exact_bits);
    const double density = 0.7 * range / (2.5 * (double)dims_n(&problem->dims));
    return oracle_span(problem, 0) > 1 ? 0 : (uint32_t)(fmin(density, 0.9) * 0x1p32);
}

static struct recipe recipe_of(const struct oracle_input *input)
{
    const struct problem *problem = &input->problem;
    const struct type_row *row = &problem_types[problem->type];
    struct recipe recipe = {.seed = input->seed};
    recipe.bits = row->is_float ? (row->exact_bits < 24 ? row->exact_bits : 24)
                                : 8 * (row->bytes < 4 ? row->bytes : 4);
    if (problem_ops[problem->op].seeks) {
        recipe.shift = decide_near_shift(input);
    } else if (row->is_float && problem->op == PROD) {
        recipe.seed = input->seed / 2;
        recipe.flip = input->seed % 2;
    } else if (row->is_float) {
        recipe.span = oracle_span(problem, input->period);
        recipe.limit = problem->op == SUMSQ ? sparse_limit(problem) : 0;
    }
    return recipe;
}

/* --- The public face ---------------------------------------------------------------------- */

/* Elements of the hash at [first, first + count), as if there were no period. */
static void make_run(const struct oracle_input *input, uint64_t first, uint64_t count,
                     unsigned char *out)
{
    const struct type_row *row = &problem_types[input->problem.type];
    const size_t bytes = (size_t)row->bytes;
    make_batch *make = makers[input->problem.op][(row->is_float ? 2 : 0) + (bytes == 8)];
    const struct recipe recipe = recipe_of(input);
    union batch wide, narrowed;
    const unsigned char *made = (const unsigned char *)(bytes < 4 ? &narrowed : &wide);
    for (uint64_t done = 0; done < count;) {
        const uint64_t skip = (first + done) % BATCH, left = count - done;
        const uint64_t take = left < BATCH - skip ? left : BATCH - skip;
        make(&wide, &recipe, (first + done) / BATCH);
        if (bytes < 4)
            narrow(&narrowed, &wide, input->problem.type);
        memcpy(out + done * bytes, made + skip * bytes, take * bytes);
        done += take;
    }
}

void oracle_fill_plain(const struct oracle_input *input, uint64_t first, uint64_t count,
                       void *out)
{
    const uint64_t bytes = (uint64_t)problem_types[input->problem.type].bytes;
    unsigned char *to = out;
    if (!input->period) {
        make_run(input, first, count, to);
        return;
    }
    for (uint64_t done = 0; done < count;) {
        const uint64_t at = (first + done) % input->period, left = count - done;
        const uint64_t take = left < input->period - at ? left : input->period - at;
        make_run(input, at, take, to + done * bytes);
        done += take;
    }
}

void oracle_fill(const struct oracle_input *input, uint64_t first, uint64_t count, void *out)
{
    oracle_fill_plain(input, first, count, out);
    decide_put(input, first, count, out);
}
