/* expr_eval: evaluates the nodes of an expression on a small stack. Overflow and division by
 * zero are errors. */
#include "generator/expr_node.h"

#include <assert.h>

static bool ceil_divide(int64_t a, int64_t b, int64_t *out)
{
    if (a < 0 || b <= 0)
        return false;
    *out = a / b + (a % b != 0);
    return true;
}

static bool floor_log2(int64_t a, int64_t *out)
{
    if (a <= 0)
        return false;
    *out = 63 - __builtin_clzll((unsigned long long)a);
    return true;
}

/* The largest power of two that is not above it. */
static bool floor_pow2(int64_t a, int64_t *out)
{
    int64_t exponent;
    if (!floor_log2(a, &exponent))
        return false;
    *out = (int64_t)1 << exponent;
    return true;
}

static bool divide(enum operation operation, int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    *out = operation == DIV ? a / b : a % b;
    return true;
}

bool expr_apply(enum operation operation, int64_t a, int64_t b, int64_t *out)
{
    switch (operation) {
    case EQ: *out = a == b; return true;
    case NE: *out = a != b; return true;
    case LE: *out = a <= b; return true;
    case GE: *out = a >= b; return true;
    case LT: *out = a < b; return true;
    case GT: *out = a > b; return true;
    case MINIMUM: *out = a < b ? a : b; return true;
    case MAXIMUM: *out = a > b ? a : b; return true;
    case IS_POW2: *out = a > 0 && !(a & (a - 1)); return true;
    case NOT: *out = a == 0; return true;
    case TRUTH: *out = a != 0; return true;
    case ADD: return !__builtin_add_overflow(a, b, out);
    case SUB: return !__builtin_sub_overflow(a, b, out);
    case MUL: return !__builtin_mul_overflow(a, b, out);
    case NEGATE: return !__builtin_sub_overflow((int64_t)0, a, out);
    case DIV:
    case MOD: return divide(operation, a, b, out);
    case CEIL_DIV: return ceil_divide(a, b, out);
    case LOG2: return floor_log2(a, out);
    case FLOOR_POW2: return floor_pow2(a, out);
    default: return false;
    }
}

bool expr_takes_two(enum operation operation)
{
    return operation < IS_POW2;
}

/* Why expr_apply found no result. */
static int no_result(const struct expr *expr, enum operation operation, int64_t a, int64_t b,
                     struct error *error)
{
    long long left = a, right = b;

    if (operation == CEIL_DIV)
        return expr_error(expr, error,
                          "ceil_div(%lld, %lld), which needs a first argument "
                          "of at least 0 and a second above 0,",
                          left, right);
    if (operation == LOG2 || operation == FLOOR_POW2)
        return expr_error(expr, error, "%s(%lld), which needs an argument above 0,",
                          operation == LOG2 ? "log2" : "floor_pow2", left);
    if ((operation == DIV || operation == MOD) && b == 0)
        return expr_error(expr, error, "division by zero (%lld %s 0)", left,
                          expr_operator(operation)->symbol);
    if (operation == NEGATE)
        return expr_error(expr, error, "overflow: -(%lld) does not fit in 64 bits", left);
    return expr_error(expr, error, "overflow: %lld %s %lld does not fit in 64 bits", left,
                      expr_operator(operation)->symbol, right);
}

int expr_eval(const struct expr *expr, const int64_t *values, int64_t *out, struct error *error)
{
    int64_t stack[EXPR_STACK_MAX];
    int64_t *top = stack; /* the next free place */

    /* In postfix order each node takes values that earlier ones have put on the stack.
     * NOLINTBEGIN(clang-analyzer-core.*) */
    for (size_t i = 0; i < expr->count; i++) {
        const struct node *node = &expr->nodes[i];
        switch (node->operation) {
        case CONSTANT: *top++ = node->value; break;
        case NAME: *top++ = values[node->value]; break;
        case JUMP_IF_ZERO:
            assert(top > stack);
            if (*--top != 0)
                break;
            /* fall through */
        case JUMP: i = (size_t)node->value - 1; break;
        case JUMP_AND:
        case JUMP_OR:
            assert(top > stack);
            top--;
            if ((*top != 0) == (node->operation == JUMP_OR)) {
                *top++ = node->operation == JUMP_OR;
                i = (size_t)node->value - 1;
            }
            break;
        default:
            top -= expr_takes_two(node->operation);
            int64_t a = top[-1], b = expr_takes_two(node->operation) ? top[0] : 0;
            if (!expr_apply(node->operation, a, b, &top[-1]))
                return no_result(expr, node->operation, a, b, error);
        }
    }
    assert(top == stack + 1);
    *out = stack[0];
    /* NOLINTEND(clang-analyzer-core.*) */
    return 0;
}
