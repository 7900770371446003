/* oracle: the inputs. Elements are made from their index by a hash, 256 at a time, so that any
 * chunk can be made alone; the values suit the operation, so that no result is ever rounded
 * and nothing lost, read twice or read outside goes unseen. Hides the hash and the ranges. */
#include "autotune/tune/oracle.h"

#include <math.h>
#include <string.h>

enum { BATCH = 256 };

/* 256 elements of any type. */
union batch {
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
    uint32_t span;  /* float sum: integers -span .. span without 0 */
    uint64_t shift; /* min, max: added to each value (two's complement) */
    uint64_t flip;  /* float prod: 1 = the complementary signs */
};

typedef void make_batch(union batch *out, const struct recipe *recipe, uint64_t index);

/* The finaliser of splitmix64 (Steele, Lea and Flood, 2014). */
static uint64_t mix(uint64_t x)
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
    const uint64_t key = mix(mix(seed) + page);
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
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u32[i] = words.u32[i] + (words.u32[i] == 0);
}

static void make_any64(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    hash_long(&words, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u64[i] = words.u64[i] + (words.u64[i] == 0);
}

/* Odd and never 1: dropping it or taking it twice changes any product modulo 2^32. */
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
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->u32[i] = (uint32_t)((int32_t)words.u32[i] >> 3) + (uint32_t)recipe->shift;
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

/* What an f32 cannot hold, so that a kernel which narrows f64 shows. */
static const double FINE = 1.0 + 1.0 / (1 << 30);

static void make_near_f32(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    const int32_t shift = (int32_t)recipe->shift;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->f32[i] = (float)(((int32_t)words.u32[i] >> 11) + shift);
}

static void make_near_f64(union batch *out, const struct recipe *recipe, uint64_t index)
{
    union words words;
    const int32_t shift = (int32_t)recipe->shift;
    hash_page(words.u32, recipe->seed, index);
    for (int i = 0; i < BATCH; i++)
        out->f64[i] = (((int32_t)words.u32[i] >> 11) + shift) * FINE;
}

/* By operation: integers of 4 and 8 bytes, f32, f64. */
static make_batch *const makers[OP_COUNT][4] = {
    [SUM] = {make_any32, make_any64, make_dense_f32, make_dense_f64},
    [PROD] = {make_odd32, make_odd64, make_sign_f32, make_sign_f64},
    [MIN] = {make_near32, make_near64, make_near_f32, make_near_f64},
    [MAX] = {make_near32, make_near64, make_near_f32, make_near_f64},
    [AND] = {make_ones, make_ones, NULL, NULL},
    [OR] = {make_zeros, make_zeros, NULL, NULL},
    [XOR] = {make_any32, make_any64, NULL, NULL},
};

/* --- Ranges ------------------------------------------------------------------------------- */

/* Largest magnitude of the integers of a float sum; docs/correctness.md derives it. */
static uint32_t sum_span(const struct problem *problem)
{
    const double range = ldexp(1.0, problem_types[problem->acc].exact_bits);
    const double n = problem->n > 0 ? (double)problem->n : 1.0;
    const double sure = 0.75 * range / n;
    const double likely = fmin(255.0, range * sqrt(3.0) / (5.5 * sqrt(n)));
    const double limit = problem->type == F64 ? 1 << 30 : 1 << 20;
    return (uint32_t)fmax(1.0, floor(fmin(limit, fmax(sure, likely))));
}

/* min and max work on a scale of sixteenths of the type's range (of 2^24 for floats): fillers
 * within +-1, the mark at 2, loud values at 4; odd seeds move fillers and mark by 6, to where
 * all are on the identity's side of zero. */
static int64_t sixteenths(enum type type, int count)
{
    const struct type_row *row = &problem_types[type];
    const int bits = row->is_float ? 24 : 8 * row->bytes;
    return (int64_t)count * ((int64_t)1 << (bits - 4));
}

static int64_t toward(enum op op)
{
    return op == MIN ? -1 : 1;
}

static uint64_t near_shift(const struct oracle_input *input)
{
    const enum type type = input->problem.type;
    const bool is_unsigned = !problem_types[type].is_signed;
    const int64_t side = input->seed % 2 ? -toward(input->problem.op) * sixteenths(type, 6) : 0;
    return (uint64_t)side +
           (is_unsigned ? (uint64_t)1 << (8 * problem_types[type].bytes - 1) : 0);
}

static struct recipe recipe_of(const struct oracle_input *input)
{
    const struct problem *problem = &input->problem;
    struct recipe recipe = {.seed = input->seed};
    if (problem->op == MIN || problem->op == MAX) {
        recipe.shift = near_shift(input);
    } else if (problem_types[problem->type].is_float && problem->op == SUM) {
        recipe.span = sum_span(problem);
    } else if (problem_types[problem->type].is_float) {
        recipe.seed = input->seed / 2;
        recipe.flip = input->seed % 2;
    }
    return recipe;
}

/* --- Single elements ---------------------------------------------------------------------- */

static void put_integer(enum type type, uint64_t value, void *out)
{
    const uint32_t low = (uint32_t)value;
    if (problem_types[type].bytes == 4)
        memcpy(out, &low, sizeof low);
    else
        memcpy(out, &value, sizeof value);
}

/* `value` counts in the scale of sixteenths(): an integer, or the float made from it. */
static void put_near(enum type type, uint64_t value, void *out)
{
    const float narrow = (float)(int64_t)value;
    const double wide = (double)(int64_t)value * FINE;
    if (type == F32)
        memcpy(out, &narrow, sizeof narrow);
    else if (type == F64)
        memcpy(out, &wide, sizeof wide);
    else
        put_integer(type, value, out);
}

static void put_mark(const struct oracle_input *input, void *out)
{
    const enum type type = input->problem.type;
    const int64_t extra = (int64_t)(mix(input->seed) & 0xffff);
    const int64_t depth = toward(input->problem.op) * (sixteenths(type, 2) + extra);
    put_near(type, near_shift(input) + (uint64_t)depth, out);
}

/* Clears (and) or sets (or) one bit. */
static void put_bit(const struct problem *problem, unsigned bit, unsigned char *out)
{
    uint32_t narrow = 0;
    uint64_t wide = 0;
    const bool is_narrow = problem_types[problem->type].bytes == 4;
    memcpy(is_narrow ? (void *)&narrow : (void *)&wide, out, is_narrow ? 4 : 8);
    const uint64_t value = is_narrow ? narrow : wide, mask = (uint64_t)1 << bit;
    put_integer(problem->type, problem->op == AND ? value & ~mask : value | mask, out);
}

/* Doubles +-1. */
static void put_double(enum type type, unsigned char *out)
{
    float narrow;
    double wide;
    if (type == F32) {
        memcpy(&narrow, out, sizeof narrow);
        narrow *= 2;
        memcpy(out, &narrow, sizeof narrow);
    } else {
        memcpy(&wide, out, sizeof wide);
        wide *= 2;
        memcpy(out, &wide, sizeof wide);
    }
}

static uint64_t place(uint64_t seed, unsigned which, uint64_t n)
{
    return mix(mix(seed) ^ mix(which)) % n;
}

/* The deciding elements of a chunk: the mark, the scattered bits, the 2 of a product. */
static void put_deciding(const struct oracle_input *input, uint64_t first, uint64_t count,
                         unsigned char *out)
{
    const struct problem *problem = &input->problem;
    const size_t bytes = (size_t)problem_types[problem->type].bytes;
    const unsigned bits = 8 * (unsigned)bytes;
    const bool marked = input->mark >= first && input->mark - first < count;
    unsigned char *at_mark = marked ? out + (input->mark - first) * bytes : NULL;
    if (problem->op == MIN || problem->op == MAX) {
        if (marked)
            put_mark(input, at_mark);
    } else if (problem_ops[problem->op].is_bitwise && problem->op != XOR) {
        /* Bit 0 stays free: it shows what is read outside the input. */
        for (unsigned bit = 1; problem->n > 0 && bit < bits - 1; bit++) {
            const uint64_t at = place(input->seed, bit, problem->n);
            if (at >= first && at - first < count)
                put_bit(problem, bit, out + (at - first) * bytes);
        }
        if (marked)
            put_bit(problem, bits - 1, at_mark);
    } else if (problem->op == PROD && problem_types[problem->type].is_float && problem->n > 0) {
        const uint64_t at = place(input->seed / 2, 0, problem->n);
        if (at >= first && at - first < count)
            put_double(problem->type, out + (at - first) * bytes);
    }
}

/* --- The public face ---------------------------------------------------------------------- */

void oracle_fill(const struct oracle_input *input, uint64_t first, uint64_t count, void *out)
{
    const struct type_row *row = &problem_types[input->problem.type];
    const size_t bytes = (size_t)row->bytes;
    make_batch *make = makers[input->problem.op][(row->is_float ? 2 : 0) + (bytes == 8)];
    const struct recipe recipe = recipe_of(input);
    unsigned char *to = out;
    union batch batch;
    for (uint64_t done = 0; done < count;) {
        const uint64_t skip = (first + done) % BATCH, left = count - done;
        const uint64_t take = left < BATCH - skip ? left : BATCH - skip;
        make(&batch, &recipe, (first + done) / BATCH);
        memcpy(to + done * bytes, (const unsigned char *)&batch + skip * bytes, take * bytes);
        done += take;
    }
    put_deciding(input, first, count, to);
}

void oracle_element(const struct oracle_input *input, uint64_t position, bool marked, void *out)
{
    struct oracle_input at = *input;
    at.mark = marked ? position : ORACLE_NO_MARK;
    oracle_fill(&at, position, 1, out);
}

bool oracle_has_mark(const struct problem *problem)
{
    return problem->op == MIN || problem->op == MAX || problem->op == AND || problem->op == OR;
}

void oracle_guard(const struct problem *problem, void *out)
{
    const enum type type = problem->type;
    const bool is_unsigned = !problem_types[type].is_signed;
    const uint64_t zero = is_unsigned ? (uint64_t)1 << (8 * problem_types[type].bytes - 1) : 0;
    if (problem->op == MIN || problem->op == MAX)
        put_near(type, zero + (uint64_t)(toward(problem->op) * sixteenths(type, 4)), out);
    else if (problem_types[type].is_float)
        put_near(type, (uint64_t)-3, out);
    else
        put_integer(type,
                    problem->op == AND  ? 0
                    : problem->op == OR ? UINT64_MAX
                                        : UINT64_C(0xb5ad4eceda1ce2a9),
                    out);
}
