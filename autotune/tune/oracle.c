/* oracle: the inputs, whole or any part of them: the elements that oracle_values makes, and over
 * them those that decide the result. Hides where these stand. */
#include "autotune/tune/oracle_ops.h"

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
        const unsigned char *made = element_narrow(type, &narrow, &words);
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

/* --- Elements that decide ----------------------------------------------------------------- */

/* A bit that differs from the identity's. */
static void put_bit(const struct problem *problem, unsigned bit, unsigned char *out)
{
    const uint64_t value = element_load_word(problem->type, out, 0), mask = (uint64_t)1 << bit;
    const uint64_t turned = ~oracle_ops[problem->op].identity & mask;
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

/* An element that decides: the mark, a bit, or the 2 of a product. */
struct decider {
    uint64_t at;
    unsigned bit;
};

/* Bit 0 stays free: it shows what is read outside the input. The mark is the last. */
static size_t list_deciders(const struct oracle_input *input,
                            struct decider out[ORACLE_DECIDING_MAX])
{
    const struct problem *problem = &input->problem;
    const enum oracle_deciding deciding = deciding_of(problem);
    const unsigned bits = 8 * (unsigned)problem_types[problem->type].bytes;
    size_t count = 0;
    if (deciding == DECIDING_BITS)
        for (unsigned bit = 1; dims_n(&problem->dims) > 0 && bit < bits - 1; bit++)
            out[count++] = (struct decider){place(input->seed, bit, dims_n(&problem->dims)), bit};
    if (deciding == DECIDING_SIGNS && dims_n(&problem->dims) > 0)
        out[count++] = (struct decider){place(input->seed / 2, 0, dims_n(&problem->dims)), 0};
    if (oracle_has_mark(problem) && input->mark != ORACLE_NO_MARK)
        out[count++] = (struct decider){input->mark, bits - 1};
    return count;
}

static void put_decider(const struct oracle_input *input, unsigned bit, unsigned char *out)
{
    switch (deciding_of(&input->problem)) {
    case DECIDING_ALL:
        break;
    case DECIDING_MARK:
        oracle_put_mark(input, out);
        break;
    case DECIDING_BITS:
        put_bit(&input->problem, bit, out);
        break;
    case DECIDING_SIGNS:
        put_double(input->problem.type, out);
        break;
    }
}

void oracle_fill(const struct oracle_input *input, uint64_t first, uint64_t count, void *out)
{
    const size_t bytes = (size_t)problem_types[input->problem.type].bytes;
    struct decider deciders[ORACLE_DECIDING_MAX];
    const size_t decider_count = list_deciders(input, deciders);
    oracle_fill_plain(input, first, count, out);
    for (size_t i = 0; i < decider_count; i++)
        if (deciders[i].at >= first && deciders[i].at - first < count)
            put_decider(input, deciders[i].bit,
                        (unsigned char *)out + (deciders[i].at - first) * bytes);
}

/* --- Questions ---------------------------------------------------------------------------- */

void oracle_element(const struct oracle_input *input, uint64_t position, bool marked, void *out)
{
    struct oracle_input at = *input;
    at.mark = marked ? position : ORACLE_NO_MARK;
    oracle_fill(&at, position, 1, out);
}

size_t oracle_list_deciding(const struct oracle_input *input,
                            uint64_t out[ORACLE_DECIDING_MAX])
{
    struct decider deciders[ORACLE_DECIDING_MAX];
    const size_t listed = list_deciders(input, deciders);
    size_t count = 0;
    for (size_t i = 0; i < listed; i++)
        if (deciders[i].at < dims_n(&input->problem.dims))
            out[count++] = deciders[i].at;
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

uint32_t oracle_span(const struct problem *problem, uint64_t period)
{
    const struct oracle_values *values = oracle_kind(problem)->values;
    return values->span ? values->span(problem, period) : 0;
}
