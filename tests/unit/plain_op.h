/* plain_op: what each operation does to numbers, one row for each, written down a second time: the tests
 * that compare the program with it share no code with the oracle. A new operation has its row here,
 * or the tests over all operations fail. */
#ifndef AUTOTUNE_PLAIN_OP_H
#define AUTOTUNE_PLAIN_OP_H

#include "generator/problem.h"
#include "tests/unit/named_op.h"

#include <stdbool.h>
#include <stdint.h>

enum plain_step {
    PLAIN_UNKNOWN,
    PLAIN_ADD,
    PLAIN_MULTIPLY,
    PLAIN_LEAST,
    PLAIN_GREATEST,
    PLAIN_AND,
    PLAIN_OR,
    PLAIN_XOR
};

struct plain_op {
    enum plain_step step;
    bool is_position; /* where the least or the greatest stands */

    /* What is combined of an element, of integers extended to 64 bits; NULL: the element. */
    uint64_t (*map_word)(uint64_t word);
    double (*map_float)(double x);
};

static inline uint64_t plain_square_word(uint64_t word)
{
    return word * word;
}

static inline double plain_square_float(double x)
{
    return x * x;
}

static const struct plain_op plain_ops[OP_COUNT] = {
    [SUM] = {.step = PLAIN_ADD},
    [SUMSQ] = {.step = PLAIN_ADD,
               .map_word = plain_square_word,
               .map_float = plain_square_float},
    [PROD] = {.step = PLAIN_MULTIPLY},
    [MIN] = {.step = PLAIN_LEAST},
    [MAX] = {.step = PLAIN_GREATEST},
    [AND] = {.step = PLAIN_AND},
    [OR] = {.step = PLAIN_OR},
    [XOR] = {.step = PLAIN_XOR},
    [ARGMIN] = {.step = PLAIN_LEAST, .is_position = true},
    [ARGMAX] = {.step = PLAIN_GREATEST, .is_position = true},
};

static inline uint64_t plain_map_word(enum op op, uint64_t word)
{
    return plain_ops[op].map_word ? plain_ops[op].map_word(word) : word;
}

static inline double plain_map_float(enum op op, double x)
{
    return plain_ops[op].map_float ? plain_ops[op].map_float(x) : x;
}

static inline bool plain_is_bitwise(enum op op)
{
    const enum plain_step step = plain_ops[op].step;
    return step == PLAIN_AND || step == PLAIN_OR || step == PLAIN_XOR;
}

/* Of floats: does the order of combining change the result? */
static inline bool plain_rounds(enum op op)
{
    return plain_ops[op].step == PLAIN_ADD || plain_ops[op].step == PLAIN_MULTIPLY;
}

/* Does each element show in the result, whatever the others are? */
static inline bool plain_counts_all(enum op op)
{
    return plain_rounds(op) || plain_ops[op].step == PLAIN_XOR;
}

/* Does one bit show, and no more of an element? */
static inline bool plain_is_mask(enum op op)
{
    return plain_is_bitwise(op) && !plain_counts_all(op);
}

#endif
