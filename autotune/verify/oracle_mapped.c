/* oracle_mapped: keeps, for each operation with a map or a finish of its own, evaluators and drawn elements. It
 * evaluates many elements of the whole range of a type, and sorts them by what they do to a result: those
 * that change nothing, those that decide. Hides the evaluators, of which each thread borrows one. */
#include "autotune/verify/oracle_mapped.h"

#include "autotune/verify/lending.h"
#include "autotune/verify/oracle_ops.h"
#include "autotune/verify/oracle_own.h"
#include "generator/operation_eval.h"
#include "generator/operation_param.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    DRAWN = MAPPED_DRAWN,
    LAST_INTEGER = MAPPED_PLAIN - 1, /* up to here small ones of both signs */
    FEW = 8,              /* kinds of elements; with less the next best are taken, too */
    EXACT_MOST = 1 << 16, /* the largest integer among values whose sums are exact */
    FACTORS_MOST = 40,    /* powers of two that a product grows or shrinks by, about */
};

/* An element, the value made of it, and that as a number that says how much it does. */
struct drawn {
    uint64_t word, value;
    double size;
};

struct oracle_mapped {
    const struct operation *op;
    enum type type, acc, value, result;
    uint64_t params[PROBLEM_PARAMS_MAX]; /* words; the others 0 */
    bool has_map, has_finish;
    int map_spreads, finish_spreads; /* functions whose results differ by machine */

    struct drawn
        *drawn; /* those that serve; of least and greatest in their order, the best last */
    size_t neutral_count;  /* the first ones: change nothing, or nothing beside the others */
    size_t exact_count;    /* then so many whose sums, or products, are exact */
    size_t deciding_count; /* these, and others, by size */
    size_t count;
    uint64_t guard; /* an element */
    bool is_clear;
    struct oracle_own *own; /* of a combine that is no law; else NULL */

    struct lending evaluators; /* a struct operation_eval each */

    struct oracle_mapped *next;
};

static _Atomic(struct oracle_mapped *) all;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static const struct oracle_mapped *find(const struct problem *problem)
{
    uint64_t params[PROBLEM_PARAMS_MAX] = {0};
    const struct oracle_mapped *at = atomic_load(&all);
    problem_param_words(problem, params);
    while (at && (at->op != problem->op || at->type != problem->type ||
                  at->acc != problem->acc || memcmp(at->params, params, sizeof params) != 0))
        at = at->next;
    return at;
}

bool oracle_is_plain(const struct problem *problem)
{
    return !problem_is_joined(problem) && problem_map(problem) != MAP_MAPPED &&
           !problem_has_finish(problem);
}

bool oracle_has_map(const struct problem *problem)
{
    return problem_is_joined(problem) ||
           (!oracle_is_plain(problem) && problem_map(problem) != MAP_SAME);
}

const struct oracle_mapped *oracle_mapped(const struct problem *problem)
{
    if (oracle_is_plain(problem))
        return NULL;
    const struct oracle_mapped *mapped = find(problem);
    assert(mapped); /* oracle_prepare comes first */
    return mapped;
}

/* --- Evaluators --------------------------------------------------------------------------- */

static int open_evaluator(void **out, const void *owner, struct error *error)
{
    const struct oracle_mapped *mapped = owner;
    struct operation_eval *eval;
    if (operation_eval_open(&eval, mapped->op->text, mapped->acc, error))
        return -1;
    operation_eval_give(eval, mapped->params);
    *out = eval;
    return 0;
}

static void close_evaluator(void *eval)
{
    operation_eval_free(eval);
}

/* --- Values ------------------------------------------------------------------------------- */

/* How far `moved` is from `value`: of integers, and of a NaN, without a measure. */
static double distance(bool is_float, uint64_t value, uint64_t moved)
{
    const double a = element_double_of(value), b = element_double_of(moved);
    if (value == moved || (is_float && a != a && b != b))
        return 0;
    return is_float && isfinite(a) && isfinite(b) ? fabs(a - b) : HUGE_VAL;
}

static void find_spreads(const struct oracle_mapped *mapped, struct operation_eval *eval,
                         const uint64_t *elements, const uint64_t *values, double *spreads,
                         uint64_t count)
{
    const bool is_float = problem_types[mapped->value].is_float;
    uint64_t moved[ELEMENT_BLOCK];
    double most[ELEMENT_BLOCK];
    memset(spreads, 0, count * sizeof *spreads);
    for (int which = 0; which < mapped->map_spreads; which++) {
        memset(most, 0, sizeof most);
        for (int sign = -1; sign <= 1; sign += 2) {
            operation_eval_move(eval, OPERATION_MAP, which, sign);
            operation_eval_map(eval, elements, NULL, moved, count);
            for (uint64_t i = 0; i < count; i++)
                most[i] = fmax(most[i], distance(is_float, values[i], moved[i]));
        }
        operation_eval_move(eval, OPERATION_MAP, which, 0);
        for (uint64_t i = 0; i < count; i++)
            spreads[i] += most[i];
    }
}

void mapped_values(const struct oracle_mapped *mapped, union element_block *block,
                   double *spreads, uint64_t count)
{
    _Static_assert((int)ELEMENT_BLOCK == (int)OPERATION_LANES, "blocks are alike");
    struct operation_eval *eval = lending_borrow(&mapped->evaluators);
    union element_block elements;
    if (spreads)
        elements = *block;
    operation_eval_map(eval, block->u64, NULL, block->u64, count);
    if (spreads)
        find_spreads(mapped, eval, elements.u64, block->u64, spreads, count);
    lending_return(&mapped->evaluators, eval);
}

uint64_t mapped_finish(const struct oracle_mapped *mapped, uint64_t value, uint64_t n)
{
    if (!mapped->has_finish)
        return value;
    struct operation_eval *eval = lending_borrow(&mapped->evaluators);
    uint64_t result;
    operation_eval_finish(eval, &value, &n, &result, 1);
    lending_return(&mapped->evaluators, eval);
    return result;
}

oracle_bits mapped_narrow(enum type type, uint64_t word)
{
    oracle_bits bits = 0;
    if (problem_types[type].is_float)
        element_store(type, element_double_of(word), &bits, 0);
    else
        element_store_word(type, word, &bits, 0);
    return bits;
}

/* Is `a` less than `b`, as words of this type? */
static bool is_less(enum type type, uint64_t a, uint64_t b)
{
    if (problem_types[type].is_float)
        return element_double_of(a) < element_double_of(b);
    return problem_types[type].is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* Widens the range by results; false where one is a NaN. */
static bool widen_range(enum type type, const uint64_t *results, uint64_t count,
                        uint64_t *least, uint64_t *greatest)
{
    bool is_number = true;
    for (uint64_t i = 0; i < count; i++) {
        const double value = element_double_of(results[i]);
        is_number = is_number && !(problem_types[type].is_float && value != value);
        *least = is_less(type, results[i], *least) ? results[i] : *least;
        *greatest = is_less(type, *greatest, results[i]) ? results[i] : *greatest;
    }
    return is_number;
}

bool mapped_finish_range(const struct oracle_mapped *mapped, uint64_t *values, uint64_t n,
                         uint64_t count, uint64_t *least, uint64_t *greatest)
{
    uint64_t ns[ELEMENT_BLOCK], results[ELEMENT_BLOCK];
    assert(count > 0 && count <= ELEMENT_BLOCK);
    if (!mapped->has_finish) {
        *least = *greatest = values[0];
        return widen_range(mapped->value, values, count, least, greatest);
    }
    struct operation_eval *eval = lending_borrow(&mapped->evaluators);
    for (uint64_t i = 0; i < count; i++)
        ns[i] = n;
    operation_eval_finish(eval, values, ns, results, count);
    *least = *greatest = results[0];
    bool is_number = widen_range(mapped->result, results, count, least, greatest);
    for (int move = 0; move < 2 * mapped->finish_spreads; move++) {
        operation_eval_move(eval, OPERATION_FINISH, move / 2, move % 2 ? 1 : -1);
        operation_eval_finish(eval, values, ns, results, count);
        operation_eval_move(eval, OPERATION_FINISH, move / 2, 0);
        is_number = widen_range(mapped->result, results, count, least, greatest) && is_number;
    }
    lending_return(&mapped->evaluators, eval);
    return is_number;
}

/* --- Drawing elements --------------------------------------------------------------------- */

/* Floats: small integers, halves, powers of two, some of 16 magnitudes, some of any. */
static uint64_t draw_float(enum type type, uint64_t i, uint64_t hash)
{
    const struct element_range range = element_range(type);
    const double sign = hash & 1 ? -1 : 1, unit = (double)(hash >> 11) * 0x1p-53;
    const double specials[] = {NAN,           HUGE_VAL,      -HUGE_VAL,   -0.0,
                               range.tiny,    -range.tiny,   range.small, -range.small,
                               range.largest, -range.largest};
    const uint64_t special_count = sizeof specials / sizeof *specials;
    uint64_t word = 0;
    if (i <= LAST_INTEGER)
        element_store(type, (double)i - 0.5 * LAST_INTEGER, &word, 0);
    else if (i < LAST_INTEGER + 1 + special_count)
        element_store(type, specials[i - LAST_INTEGER - 1], &word, 0);
    else if (i % 4 == 0)
        element_store(type, sign * ldexp(1, (int)(hash >> 1 & 15) - 8), &word, 0);
    else if (i % 4 == 1)
        element_store_word(type, hash, &word, 0);
    else
        element_store(type, sign * ldexp(1 + unit, (int)(hash >> 1 & 15) - 8), &word, 0);
    return word;
}

/* Integers: small ones, limits, the neighbours of powers of two, and of any number of bits. */
static uint64_t draw_integer(enum type type, uint64_t i, uint64_t hash)
{
    const int bits = 8 * problem_types[type].bytes;
    const uint64_t top = UINT64_C(1) << (bits - 1), any = hash >> (hash & 63);
    const uint64_t near = (UINT64_C(1) << (hash % (uint64_t)bits)) + (hash >> 32) % 3 - 1;
    const uint64_t words[] = {top, top - 1, top + 1, UINT64_MAX};
    uint64_t word = 0;
    if (i <= LAST_INTEGER)
        element_store_word(type, i - LAST_INTEGER / 2, &word, 0);
    else if (i < LAST_INTEGER + 5)
        element_store_word(type, words[i - LAST_INTEGER - 1], &word, 0);
    else
        element_store_word(type, i % 4 == 0 ? near : i % 2 ? hash : any, &word, 0);
    return word;
}

uint64_t mapped_draw(enum type type, uint64_t i)
{
    const uint64_t hash = oracle_mix(i);
    return problem_types[type].is_float ? draw_float(type, i, hash)
                                        : draw_integer(type, i, hash);
}

void mapped_put_drawn(const struct oracle_mapped *mapped, uint64_t i, void *out)
{
    element_store_word(mapped->type, mapped_draw(mapped->type, i), out, 0);
}

/* Draws the elements and evaluates them; those whose values may differ by machine have a spread. */
static void draw(struct oracle_mapped *mapped, double *spreads)
{
    const size_t bytes = (size_t)problem_types[mapped->type].bytes;
    for (size_t first = 0; first < DRAWN; first += ELEMENT_BLOCK) {
        unsigned char elements[ELEMENT_BLOCK * sizeof(uint64_t)] = {0};
        union element_block block;
        for (size_t i = 0; i < ELEMENT_BLOCK; i++) {
            const uint64_t word = mapped_draw(mapped->type, first + i);
            mapped->drawn[first + i].word = word;
            memcpy(elements + i * bytes, &word, bytes);
        }
        element_widen(mapped->type, &block, elements);
        mapped_values(mapped, &block, spreads + first, ELEMENT_BLOCK);
        for (size_t i = 0; i < ELEMENT_BLOCK; i++)
            mapped->drawn[first + i].value = block.u64[i];
    }
}

/* --- Sorting them by what they do --------------------------------------------------------- */

/* What an element is good for. */
enum use { NEUTRAL, EXACT, ROUGH, UNFIT, USES };

static double size_of_sum(double value)
{
    return fabs(value);
}

static double size_of_product(double value)
{
    return fabs(log2(fabs(value)));
}

static bool is_integer(double value)
{
    return rint(value) >= value && rint(value) <= value;
}

static bool is_power_of_two(double value)
{
    int ignored;
    return fabs(frexp(value, &ignored)) <= 0.5;
}

/* Of a sum of floats: not so large that others are lost beside it. */
static enum use use_in_sum(struct drawn *drawn, bool has_spread)
{
    const double value = element_double_of(drawn->value);
    if (!isfinite(value))
        return UNFIT;
    drawn->size = size_of_sum(value);
    if (!has_spread && drawn->size <= 0)
        return NEUTRAL;
    if (!has_spread && is_integer(value) && drawn->size <= EXACT_MOST)
        return EXACT;
    return drawn->size <= 0x1p10 ? ROUGH : UNFIT;
}

static enum use use_in_product(struct drawn *drawn, bool has_spread)
{
    const double value = element_double_of(drawn->value);
    if (!isfinite(value) || !(fabs(value) > 0))
        return UNFIT;
    drawn->size = size_of_product(value);
    if (!has_spread && drawn->size <= 0 && value > 0)
        return NEUTRAL;
    if (!has_spread && is_power_of_two(value) && drawn->size <= 4)
        return EXACT;
    return drawn->size <= 2 ? ROUGH : UNFIT;
}

/* Of integers that all count: a product's even ones would soon make it 0. */
static enum use use_of_word(const struct oracle_mapped *mapped, const struct drawn *drawn,
                            bool has_spread)
{
    const bool is_product = mapped->op->combine == COMBINE_MULTIPLY;
    if (has_spread)
        return UNFIT;
    if (drawn->value == (uint64_t)is_product)
        return NEUTRAL;
    return is_product && drawn->value % 2 == 0 ? ROUGH : EXACT;
}

static int bits_apart(uint64_t a, uint64_t b)
{
    return __builtin_popcountll(a ^ b);
}

/* Bits that the identity has not, in the value's type. */
static double count_bits(const struct oracle_mapped *mapped, uint64_t value)
{
    const uint64_t ones = UINT64_MAX >> (64 - 8 * problem_types[mapped->value].bytes);
    return bits_apart(value & ones, mapped->op->combine == COMBINE_AND ? ones : 0);
}

static int compare_sizes(const void *a, const void *b)
{
    const struct drawn *left = a, *right = b;
    return (left->size > right->size) - (left->size < right->size);
}

/* Moves those of a use, in their order, to `to`. */
static size_t gather(struct drawn *to, const struct drawn *from, const enum use *uses,
                     enum use use)
{
    size_t count = 0;
    for (size_t i = 0; i < DRAWN; i++)
        if (uses[i] == use)
            to[count++] = from[i];
    return count;
}

/* Where every element counts: neutral ones, then those of exact results, then others. */
static void sort_all(struct oracle_mapped *mapped, const struct drawn *from,
                     const enum use *uses)
{
    struct drawn *to = mapped->drawn;
    mapped->neutral_count = gather(to, from, uses, NEUTRAL);
    to += mapped->neutral_count;
    mapped->exact_count = gather(to, from, uses, EXACT);
    qsort(to, mapped->exact_count, sizeof *to, compare_sizes);
    mapped->deciding_count =
        mapped->exact_count + gather(to + mapped->exact_count, from, uses, ROUGH);
    if (mapped->deciding_count == 0)
        mapped->deciding_count = gather(to, from, uses, UNFIT);
    mapped->count = mapped->neutral_count + mapped->deciding_count;
}

/* A guard is the largest of those that decide, or what gives a NaN. */
static void choose_loud(struct oracle_mapped *mapped, const struct drawn *from)
{
    const bool is_float = problem_types[mapped->value].is_float;
    mapped->guard = mapped->drawn[mapped->count - 1].word;
    for (size_t i = 0; is_float && i < DRAWN; i++) {
        const double value = element_double_of(from[i].value);
        if (value != value)
            mapped->guard = from[i].word;
    }
}

static void sort_by_use(struct oracle_mapped *mapped, struct drawn *from, const double *spreads)
{
    const bool is_float = problem_types[mapped->value].is_float;
    const bool is_sum = mapped->op->combine == COMBINE_ADD;
    enum use uses[DRAWN];
    for (size_t i = 0; i < DRAWN; i++) {
        const bool has_spread = spreads[i] > 0;
        uses[i] = !is_float ? use_of_word(mapped, &from[i], has_spread)
                  : is_sum  ? use_in_sum(&from[i], has_spread)
                            : use_in_product(&from[i], has_spread);
    }
    sort_all(mapped, from, uses);
    if (!is_float && mapped->exact_count >= FEW)
        mapped->deciding_count = mapped->exact_count;
    mapped->count = mapped->neutral_count + mapped->deciding_count;
    choose_loud(mapped, from);
}

/* Is this value the one of the elements that change nothing beside others? Then the others alone make
 * the value. */
static bool leaves(const struct oracle_mapped *mapped, uint64_t plain, uint64_t value)
{
    switch (mapped->op->combine) {
    case COMBINE_AND: return (plain & value) == value;
    case COMBINE_OR: return (plain | value) == value;
    default: return true;
    }
}

/* What is farther towards the law's best value has the larger size: of floats, and of signed and
 * unsigned integers. */
static double size_of_rank(const struct oracle_mapped *mapped, uint64_t value)
{
    const struct type_row *row = &problem_types[mapped->value];
    const double number = row->is_float    ? element_double_of(value)
                          : row->is_signed ? (double)(int64_t)value
                                           : (double)value;
    return operation_law(mapped->op)->seeks * number;
}

static bool is_normal(const struct oracle_mapped *mapped, double value)
{
    const double small = element_range(mapped->value).small;
    return isfinite(value) && (fabs(value) >= small || !(fabs(value) > 0));
}

/* Where one element decides: those that may be others, in their order, and the best as the guard. Infinities and
 * denormals are left to the special values. */
static void sort_by_rank(struct oracle_mapped *mapped, struct drawn *from,
                         const double *spreads)
{
    const struct type_row *row = &problem_types[mapped->value];
    const bool seeks = operation_law(mapped->op)->seeks != 0;
    struct drawn *to = mapped->drawn;
    size_t count = 0;
    for (size_t i = 0; i < DRAWN; i++) {
        const bool is_fit = row->is_float ? is_normal(mapped, element_double_of(from[i].value))
                                          : !(spreads[i] > 0);
        from[i].size =
            seeks ? size_of_rank(mapped, from[i].value) : count_bits(mapped, from[i].value);
        if (is_fit)
            to[count++] = from[i];
    }
    if (count == 0)
        to[count++] = from[0];
    qsort(to, count, sizeof *to, compare_sizes);
    /* Three in four may be the others, and those that are as good; without bits only the first value's. */
    size_t others = seeks ? 3 * count / 4 : 1;
    const double best = to[count - 1].size, last = to[others > 0 ? others - 1 : 0].size;
    others = 0;
    while (others < count && to[others].size <= last && to[others].size < best)
        others++;
    if (!seeks)
        for (size_t i = others = 1; i < count && to[i].value == to[0].value; i++)
            others = i + 1;
    mapped->count = count;
    mapped->neutral_count = others > 0 && others < count ? others : count;
    mapped->deciding_count = mapped->exact_count = count - mapped->neutral_count;
    mapped->guard = to[count - 1].word;
    mapped->is_clear = true;
    for (size_t i = 0; i < count; i++)
        mapped->is_clear = mapped->is_clear && leaves(mapped, to[0].value, to[i].value);
}

static bool is_decided_by_one(enum combine_law law)
{
    return operation_combines[law].seeks != 0 || law == COMBINE_AND || law == COMBINE_OR;
}

/* So near that products of many stay within any range. */
static uint64_t draw_near_one(enum type type, uint64_t i)
{
    const uint64_t hash = oracle_mix(i);
    const double sign = hash & 1 ? -1 : 1, unit = (double)(hash >> 11) * 0x1p-53;
    uint64_t word = 0;
    if (problem_types[type].is_float)
        element_store(type, sign * (1 + (unit - 0.5) / 16), &word, 0);
    else
        element_store_word(type, problem_types[type].is_signed ? (uint64_t)(int64_t)sign : 1,
                           &word, 0);
    return word;
}

/* Where nothing is known of combine: those of usual values by their size, all of which decide. What is around them
 * is a NaN, or the least integer. */
static int keep_usual(struct oracle_mapped *mapped, struct error *error)
{
    mapped->drawn = calloc(DRAWN, sizeof *mapped->drawn);
    if (!mapped->drawn)
        return error_memory(error, DRAWN * sizeof *mapped->drawn);
    for (uint64_t i = 0; i < DRAWN; i++) {
        const uint64_t word = own_grows(mapped->own) ? draw_near_one(mapped->type, i)
                                                     : mapped_draw(mapped->type, i);
        if (own_is_usual(mapped->own, word))
            mapped->drawn[mapped->count++] =
                (struct drawn){.word = word,
                               .size = fabs(oracle_to_double(mapped->type, word))};
    }
    if (mapped->count == 0)
        mapped->drawn[mapped->count++].word = mapped_draw(mapped->type, 0);
    qsort(mapped->drawn, mapped->count, sizeof *mapped->drawn, compare_sizes);
    mapped->deciding_count = mapped->exact_count = mapped->count;
    mapped->guard = mapped_draw(mapped->type, MAPPED_PLAIN);
    return 0;
}

static int sort_drawn(struct oracle_mapped *mapped, struct error *error)
{
    struct {
        struct drawn from[DRAWN];
        double spreads[DRAWN];
    } *room = malloc(sizeof *room);
    mapped->drawn = malloc(DRAWN * sizeof *mapped->drawn);
    if (!room || !mapped->drawn) {
        free(room);
        return error_memory(error, sizeof *room);
    }
    draw(mapped, room->spreads);
    memcpy(room->from, mapped->drawn, sizeof room->from);
    if (is_decided_by_one(mapped->op->combine))
        sort_by_rank(mapped, room->from, room->spreads);
    else
        sort_by_use(mapped, room->from, room->spreads);
    free(room);
    return 0;
}

/* --- Elements of an input ----------------------------------------------------------------- */

/* Of which drawn elements an input is made: a word below `limit` gives one of the first `count` that decide,
 * the others one of the neutral ones. */
struct mixture {
    uint32_t limit;
    size_t count;
};

/* As many that decide as leave a sum exact, or a product within its range. */
static struct mixture mix_rounding(const struct oracle_mapped *mapped, uint64_t n)
{
    const struct drawn *deciding = mapped->drawn + mapped->neutral_count;
    const bool is_sum = mapped->op->combine == COMBINE_ADD;
    const double exact = ldexp(0.75, problem_types[mapped->value].exact_bits);
    const double room = is_sum ? exact : FACTORS_MOST, each = room / fmax(1, (double)n);
    double mean = 0;
    size_t count = 0;
    while (count < mapped->exact_count && (count < FEW || deciding[count].size <= each))
        mean += deciding[count++].size;
    if (count == 0)
        return (struct mixture){UINT32_MAX, mapped->deciding_count};
    mean /= (double)count;
    const double share = mapped->neutral_count ? fmin(0.75, each / fmax(mean, 0x1p-20)) : 1;
    return (struct mixture){(uint32_t)(share * UINT32_MAX), count};
}

/* Of elements of one size each counts; the largest of many sizes may hide all others, as in a sum of exponentials.
 * Where results are bits each counts in a run, and few kinds make equals in rows. Before a tail none are larger than
 * 16: where the largest decide, these are in the tail. */
static size_t count_own(const struct oracle_mapped *mapped, const struct oracle_input *input,
                        uint64_t first)
{
    static const double mosts[] = {2, 16, HUGE_VAL, HUGE_VAL};
    const bool is_any = oracle_is_run(&input->problem.dims) && own_is_certain(mapped->own);
    const double most = input->tail ? (first < input->tail ? 16 : HUGE_VAL)
                        : is_any
                            ? HUGE_VAL
                            : mosts[oracle_mix(input->seed) % (sizeof mosts / sizeof *mosts)];
    size_t count = 0;
    while (count < mapped->count && mapped->drawn[count].size <= most)
        count++;
    return count < FEW ? mapped->count : count;
}

static struct mixture mix(const struct oracle_mapped *mapped, const struct oracle_input *input,
                          bool is_random, uint64_t first)
{
    const uint64_t n = input->problem.dims.depth.n;
    const bool rounds =
        problem_types[mapped->value].is_float && operation_law(mapped->op)->rounds;
    const bool is_sum = mapped->op->combine == COMBINE_ADD;
    if (mapped->own)
        return (struct mixture){UINT32_MAX, count_own(mapped, input, first)};
    if (is_decided_by_one(mapped->op->combine))
        return (struct mixture){0, 0};
    if (rounds && !(is_random && is_sum))
        return mix_rounding(mapped, n);
    return (struct mixture){mapped->neutral_count && !is_random ? UINT32_MAX / 2 : UINT32_MAX,
                            mapped->deciding_count};
}

void mapped_fill(const struct oracle_mapped *mapped, const struct oracle_input *input,
                 bool is_random, uint64_t first, uint64_t count, void *out)
{
    const struct mixture mixture = mix(mapped, input, is_random, first);
    const struct oracle_recipe recipe = {.seed = ~input->seed};
    const struct drawn *deciding = mapped->drawn + mapped->neutral_count;
    union element_block words;
    for (uint64_t done = 0; done < count;) {
        const uint64_t at = first + done, skip = at % ELEMENT_BLOCK, left = count - done;
        const uint64_t take = left < ELEMENT_BLOCK - skip ? left : ELEMENT_BLOCK - skip;
        oracle_words.wide(&words, &recipe, at / ELEMENT_BLOCK);
        for (uint64_t i = 0; i < take; i++) {
            const uint32_t low = (uint32_t)words.u64[skip + i];
            const uint64_t high = words.u64[skip + i] >> 32;
            const bool decides =
                low < mixture.limit || (mixture.limit && mapped->neutral_count == 0);
            const struct drawn *from = decides ? deciding : mapped->drawn;
            const size_t kinds = decides ? mixture.count : mapped->neutral_count;
            element_store_word(mapped->type, from[high * kinds >> 32].word, out, done + i);
        }
        done += take;
    }
}

void mapped_put_mark(const struct oracle_mapped *mapped, uint64_t hash, void *out)
{
    const size_t first = mapped->deciding_count ? mapped->neutral_count : 0;
    const uint64_t at = first + hash % (mapped->count - first);
    element_store_word(mapped->type, mapped->drawn[at].word, out, 0);
}

void mapped_put_guard(const struct oracle_mapped *mapped, void *out)
{
    element_store_word(mapped->type, mapped->guard, out, 0);
}

void mapped_put_stair(const struct oracle_mapped *mapped, const struct oracle_input *input,
                      uint64_t index, void *out)
{
    const uint64_t n = input->problem.dims.depth.n, room = mapped->count;
    const uint64_t hash = oracle_mix(oracle_mix(input->seed) + index);
    const uint64_t level =
        n <= room ? index : (uint64_t)((double)index / (double)n * (double)room);
    const uint64_t behind = hash % 4 ? hash / 4 % room + 1 : 0;
    const uint64_t at = level > behind ? level - behind : behind ? 0 : level;
    element_store_word(mapped->type, mapped->drawn[at].word, out, 0);
}

/* --- Questions ---------------------------------------------------------------------------- */

const struct oracle_own *mapped_own(const struct oracle_mapped *mapped)
{
    return mapped->own;
}

bool mapped_has_map(const struct oracle_mapped *mapped)
{
    return mapped->has_map;
}

enum type mapped_type(const struct oracle_mapped *mapped)
{
    return mapped->type;
}

enum type mapped_result(const struct oracle_mapped *mapped)
{
    return mapped->result;
}

bool mapped_has_spread(const struct oracle_mapped *mapped)
{
    return mapped->map_spreads > 0;
}

bool mapped_finish_has_spread(const struct oracle_mapped *mapped)
{
    return mapped->finish_spreads > 0;
}

bool mapped_is_clear(const struct oracle_mapped *mapped)
{
    return mapped->is_clear;
}

struct problem mapped_inner(const struct oracle_mapped *mapped, const struct problem *problem)
{
    struct problem inner = *problem;
    inner.op = operation_plain(mapped->op->combine);
    inner.type = inner.acc = mapped->value;
    return inner;
}

/* --- Making one --------------------------------------------------------------------------- */

static void discard(struct oracle_mapped *mapped)
{
    lending_end(&mapped->evaluators);
    own_close(mapped->own);
    free(mapped->drawn);
    free(mapped);
}

static int make(struct oracle_mapped **out, const struct problem *problem, struct error *error)
{
    struct oracle_mapped *mapped = calloc(1, sizeof *mapped);
    *out = mapped;
    if (!mapped)
        return error_memory(error, sizeof *mapped);
    *mapped = (struct oracle_mapped){.op = problem->op,
                                     .type = problem->type,
                                     .acc = problem->acc,
                                     .value = problem_value(problem),
                                     .result = problem_result(problem),
                                     .has_map = oracle_has_map(problem),
                                     .has_finish = problem_has_finish(problem)};
    problem_param_words(problem, mapped->params);
    if (problem_is_joined(problem))
        return own_open(&mapped->own, problem, error) || keep_usual(mapped, error) ? -1 : 0;
    if (lending_start(&mapped->evaluators, open_evaluator, close_evaluator, mapped, error))
        return -1;
    struct operation_eval *eval = lending_borrow(&mapped->evaluators);
    mapped->map_spreads = operation_eval_inexact(eval, OPERATION_MAP);
    mapped->finish_spreads = operation_eval_inexact(eval, OPERATION_FINISH);
    lending_return(&mapped->evaluators, eval);
    return mapped->has_map ? sort_drawn(mapped, error) : 0;
}

int oracle_prepare(const struct problem *problem, struct error *error)
{
    struct oracle_mapped *mapped = NULL;
    int failed = 0;
    if (oracle_is_plain(problem))
        return 0;
    pthread_mutex_lock(&making);
    if (!find(problem)) {
        failed = make(&mapped, problem, error);
        if (failed && mapped) {
            discard(mapped);
        } else if (!failed) {
            mapped->next = atomic_load(&all);
            atomic_store(&all, mapped);
        }
    }
    pthread_mutex_unlock(&making);
    return failed;
}
