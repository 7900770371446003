/* expr_node: defines the nodes of an expression, for expr.c, which parses it, expr_eval.c,
 * which evaluates it, and expr_c.c, which writes it as C. Nodes are in postfix order; '&&',
 * '||' and '?:' are jumps. */
#ifndef AUTOTUNE_EXPR_NODE_H
#define AUTOTUNE_EXPR_NODE_H

#include "generator/expr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EXPR_NESTING_MAX = 300, /* open parse_ functions; a parenthesis takes three */
    EXPR_STACK_MAX = EXPR_NESTING_MAX + 2, /* each of them keeps at most one value waiting */
};

enum operation {
    /* take two values, leave one; a one-sign symbol comes after those it begins */
    OR,
    AND,
    EQ,
    NE,
    LE,
    GE,
    LT,
    GT,
    ADD,
    SUB,
    MUL,
    DIV,
    MOD,
    MINIMUM,
    MAXIMUM,
    CEIL_DIV,
    /* take one value, leave one */
    IS_POW2,
    LOG2,
    FLOOR_POW2,
    NEGATE,
    NOT,
    TRUTH,
    /* leave one value */
    CONSTANT,
    NAME,
    /* jump to node `value`: always; if the value taken is 0; if the value decides a '&&' or
     * '||', which then is left as 0 or 1, and else taken */
    JUMP,
    JUMP_IF_ZERO,
    JUMP_AND,
    JUMP_OR,
};

struct node {
    enum operation operation;
    int64_t value; /* the constant, the name's slot or the jump's target */
};

struct expr {
    const char *file, *source;
    int line;
    size_t count;
    struct node nodes[];
};

struct operator
{
    const char *symbol;
    int precedence; /* stronger is higher */
};

/* A sentence about the expression, with the place before and the expression after it. Returns -1. */
int expr_error(const struct expr *expr, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Of OR to MOD. */
const struct operator* expr_operator(enum operation operation);

/* Does it take two values? For operations that leave one. */
bool expr_takes_two(enum operation operation);

/* False when there is no result. An operation on one value has it in `a`. */
bool expr_apply(enum operation operation, int64_t a, int64_t b, int64_t *out);

#endif
