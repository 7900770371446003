/* named_op: the operations that tests name. The program itself knows none by its name. */
#ifndef AUTOTUNE_NAMED_OP_H
#define AUTOTUNE_NAMED_OP_H

#include "generator/operation.h"

#include <stdlib.h>
#include <string.h>

enum op { SUM, SUMSQ, PROD, MIN, MAX, AND, OR, XOR, ARGMIN, ARGMAX, OP_COUNT };

static const char *const named_ops[OP_COUNT] = {"sum", "sumsq", "prod", "min",    "max",
                                                "and", "or",    "xor",  "argmin", "argmax"};

static inline const struct operation *op_of(enum op op)
{
    static const struct operation *known[OP_COUNT]; /* asked for each element */
    struct error cause;
    if (!known[op] && operation_find(&known[op], named_ops[op], &cause))
        abort();
    return known[op];
}

static inline const struct combine_row *law_of(enum op op)
{
    return operation_law(op_of(op));
}

/* OP_COUNT: one that no test names. */
static inline enum op op_in(const struct operation *operation)
{
    enum op op = SUM;
    while (op < OP_COUNT && op_of(op) != operation)
        op++;
    return op;
}

/* Names the operation of a problem that lies outside of functions, before the tests begin. */
#define NAMED_PROBLEM(name, problem, named)                                                    \
    __attribute__((constructor)) static void name(void)                                        \
    {                                                                                          \
        (problem).op = op_of(named);                                                           \
    }

#endif
