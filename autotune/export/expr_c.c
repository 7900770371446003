/* expr_c: walks over the nodes as expr_eval does, with pieces of text in place of values. Adds
 * parentheses where C needs them, and where compilers warn without. What is printed plainly has no
 * types. */
#include "autotune/export/expr_c.h"

#include "generator/expr_node.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONDITIONAL = 0, /* precedence of ?: */
    COMPARISON = 3,  /* == and up; || and && are below */
    ARITHMETIC = 5,  /* + - * / % and up want int64_t, not the int of a comparison */
    UNARY = 7,
    ATOM = 8,
};

struct piece {
    struct text text; /* unless known */
    int precedence;
    bool is_truth; /* an int, 0 or 1 */
    bool is_known;
    int64_t value;
};

struct printer {
    const struct expr *expr;
    const struct expr_c_name *names;
    const char *prefix; /* NULL: plainly */
    struct error *error;
    struct piece *stack;
    struct piece *top; /* the next free piece of it */
};

static int print_nodes(struct printer *printer, size_t from, size_t to);

static void push_known(struct printer *printer, int64_t value)
{
    *printer->top++ = (struct piece){.is_known = true, .value = value, .precedence = ATOM};
}

static struct piece *push_empty(struct printer *printer, int precedence, bool is_truth)
{
    *printer->top = (struct piece){.precedence = precedence, .is_truth = is_truth};
    return printer->top++;
}

static struct piece pop(struct printer *printer)
{
    assert(printer->top > printer->stack);
    return *--printer->top;
}

static void add_number(const struct printer *printer, struct text *out, int64_t value)
{
    const bool is_wide = value > INT32_MAX || value < -INT32_MAX;
    if (value == INT64_MIN)
        text_adds(out, printer->prefix ? "INT64_MIN" : "(-9223372036854775807 - 1)");
    else if (printer->prefix && is_wide)
        text_addf(out, value < 0 ? "(-INT64_C(%" PRIu64 "))" : "INT64_C(%" PRIu64 ")",
                  (uint64_t)(value < 0 ? -value : value));
    else
        text_addf(out, value < 0 ? "(%" PRId64 ")" : "%" PRId64, value);
}

/* Appends the piece and disposes of it. */
static void add_piece(const struct printer *printer, struct text *out, struct piece *piece,
                      bool in_parentheses, bool is_wide)
{
    if (piece->is_known)
        add_number(printer, out, piece->value);
    else if (is_wide && piece->is_truth)
        text_addf(out, printer->prefix ? "(int64_t)(%s)" : "(%s)",
                  piece->text.at ? piece->text.at : "");
    else
        text_addf(out, in_parentheses ? "(%s)" : "%s", piece->text.at ? piece->text.at : "");
    out->failed |= piece->text.failed;
    text_dispose(&piece->text);
}

/* --- Operations --------------------------------------------------------------------------- */

static int fold(struct printer *printer, enum operation operation, int64_t a, int64_t b)
{
    const struct expr *expr = printer->expr;
    int64_t value;
    if (!expr_apply(operation, a, b, &value))
        return error_set(printer->error, ERROR_USAGE, "%s:%d: no result in '%.300s'",
                         expr->file, expr->line, expr->source);
    push_known(printer, value);
    return 0;
}

static bool is_one(const struct piece *piece)
{
    return piece->is_known && piece->value == 1;
}

/* Multiplied or divided by 1. */
static bool is_idle(enum operation operation, const struct piece *a, const struct piece *b)
{
    const bool divides = operation == MUL || operation == DIV || operation == CEIL_DIV;
    return (divides && is_one(b) && !a->is_truth) ||
           (operation == MUL && is_one(a) && !b->is_truth);
}

static void print_infix(struct printer *printer, const struct operator* operator,
                        struct piece * a, struct piece *b)
{
    const int own = operator->precedence;
    const bool is_wide = own >= ARITHMETIC;
    struct piece *to = push_empty(printer, own, !is_wide);
    /* compilers warn of a comparison in a comparison, and of && in || */
    const bool is_chain = own < COMPARISON && a->precedence == own;
    const int weakest = is_wide ? own : ARITHMETIC;
    add_piece(printer, &to->text, a, a->precedence < weakest && !is_chain, is_wide);
    text_addf(&to->text, " %s ", operator->symbol);
    add_piece(printer, &to->text, b, b->precedence < weakest || b->precedence == own, is_wide);
}

static void print_call(struct printer *printer, const char *name, struct piece *a,
                       struct piece *b)
{
    struct piece *to = push_empty(printer, ATOM, false);
    text_addf(&to->text, "%s%s%s(", printer->prefix ? printer->prefix : "",
              printer->prefix ? "_" : "", name);
    add_piece(printer, &to->text, a, false, false);
    if (b) {
        text_adds(&to->text, ", ");
        add_piece(printer, &to->text, b, false, false);
    }
    text_adds(&to->text, ")");
}

static int print_binary(struct printer *printer, enum operation operation)
{
    static const char *const functions[] =
        {[MINIMUM] = "min", [MAXIMUM] = "max", [CEIL_DIV] = "ceil_div"};
    struct piece b = pop(printer), a = pop(printer);
    if (a.is_known && b.is_known)
        return fold(printer, operation, a.value, b.value);
    if (is_idle(operation, &a, &b))
        *printer->top++ = is_one(&b) ? a : b;
    else if (operation >= MINIMUM)
        print_call(printer, functions[operation], &a, &b);
    else
        print_infix(printer, expr_operator(operation), &a, &b);
    return 0;
}

static int print_unary(struct printer *printer, enum operation operation)
{
    static const char *const functions[] =
        {[IS_POW2] = "is_pow2", [LOG2] = "log2", [FLOOR_POW2] = "floor_pow2"};
    struct piece a = pop(printer);
    if (a.is_known)
        return fold(printer, operation, a.value, 0);
    if (operation < sizeof functions / sizeof *functions && functions[operation]) {
        print_call(printer, functions[operation], &a, NULL);
        return 0;
    }
    if (operation == TRUTH && a.is_truth) {
        *printer->top++ = a;
        return 0;
    }
    struct piece *to =
        push_empty(printer, operation == TRUTH ? expr_operator(NE)->precedence : UNARY,
                   operation != NEGATE);
    text_adds(&to->text, operation == NEGATE ? "-" : operation == NOT ? "!" : "");
    add_piece(printer, &to->text, &a, a.precedence < ATOM, operation == NEGATE);
    text_adds(&to->text, operation == TRUTH ? " != 0" : "");
    return 0;
}

/* --- Jumps: each returns where to go on, or 0 with error set ------------------------------ */

/* `at` is the jump over the part after '?'; the node before its target jumps over the rest. */
static size_t print_conditional(struct printer *printer, size_t at)
{
    const struct node *nodes = printer->expr->nodes;
    const size_t other = (size_t)nodes[at].value, end = (size_t)nodes[other - 1].value;
    struct piece condition = pop(printer);
    if (condition.is_known)
        return (condition.value ? print_nodes(printer, at + 1, other - 1)
                                : print_nodes(printer, other, end))
                   ? 0
                   : end;
    if (print_nodes(printer, at + 1, other - 1) || print_nodes(printer, other, end)) {
        text_dispose(&condition.text);
        return 0;
    }
    struct piece b = pop(printer), a = pop(printer);
    struct piece *to = push_empty(printer, CONDITIONAL, a.is_truth && b.is_truth);
    add_piece(printer, &to->text, &condition, condition.precedence == CONDITIONAL, false);
    text_adds(&to->text, " ? ");
    add_piece(printer, &to->text, &a, a.precedence == CONDITIONAL, false);
    text_adds(&to->text, " : ");
    add_piece(printer, &to->text, &b, b.precedence == CONDITIONAL, false);
    return end;
}

static size_t print_logic(struct printer *printer, size_t at)
{
    const struct node *node = &printer->expr->nodes[at];
    const bool is_or = node->operation == JUMP_OR;
    const size_t end = (size_t)node->value;
    struct piece a = pop(printer);
    if (a.is_known && (a.value != 0) == is_or) {
        push_known(printer, is_or);
        return end;
    }
    if (print_nodes(printer, at + 1, end)) { /* ends in TRUTH */
        text_dispose(&a.text);
        return 0;
    }
    if (a.is_known)
        return end;
    struct piece b = pop(printer);
    if (!b.is_known) {
        print_infix(printer, expr_operator(is_or ? OR : AND), &a, &b);
        return end;
    }
    if ((b.value != 0) == is_or) {
        text_dispose(&a.text);
        push_known(printer, is_or);
        return end;
    }
    *printer->top++ = a;
    return print_unary(printer, TRUTH) ? 0 : end;
}

/* --- The walk ----------------------------------------------------------------------------- */

static void print_name(struct printer *printer, const struct expr_c_name *name)
{
    if (name->is_known)
        push_known(printer, name->value);
    else
        text_adds(&push_empty(printer, ATOM, false)->text, name->text);
}

/* Prints nodes [from, to), which leave one value. */
static int print_nodes(struct printer *printer, size_t from, size_t to)
{
    for (size_t i = from; i < to;) {
        const struct node *node = &printer->expr->nodes[i];
        int failed = 0;
        size_t next = i + 1;
        switch (node->operation) {
        case CONSTANT: push_known(printer, node->value); break;
        case NAME: print_name(printer, &printer->names[node->value]); break;
        case JUMP_IF_ZERO: next = print_conditional(printer, i); break;
        case JUMP_AND:
        case JUMP_OR: next = print_logic(printer, i); break;
        default:
            failed = expr_takes_two(node->operation) ? print_binary(printer, node->operation)
                                                     : print_unary(printer, node->operation);
        }
        if (failed || next == 0)
            return -1;
        i = next;
    }
    return 0;
}

int expr_c_print(struct text *out, const struct expr *expr, const struct expr_c_name *names,
                 const char *prefix, struct error *error)
{
    struct piece *stack = calloc(EXPR_STACK_MAX, sizeof *stack);
    struct printer printer = {expr, names, prefix, error, stack, stack};
    if (!stack)
        return error_memory(error, EXPR_STACK_MAX * sizeof *stack);
    const int failed = print_nodes(&printer, 0, expr->count);
    if (!failed) {
        struct piece whole = pop(&printer);
        add_piece(&printer, out, &whole, false, prefix != NULL);
    }
    while (printer.top > stack) {
        struct piece left = pop(&printer);
        text_dispose(&left.text);
    }
    free(stack);
    return failed ? -1 : text_check(out, error);
}

/* --- Helpers ------------------------------------------------------------------------------ */

void expr_c_helpers(struct text *out, const char *code, const char *prefix)
{
    static const struct {
        const char *name, *parameters, *body;
    } helpers[] = {
        {"min", "int64_t a, int64_t b", "    return a < b ? a : b;\n"},
        {"max", "int64_t a, int64_t b", "    return a > b ? a : b;\n"},
        {"ceil_div", "int64_t a, int64_t b", "    return a / b + (a % b != 0 ? 1 : 0);\n"},
        {"is_pow2", "int64_t a", "    return a > 0 && (a & (a - 1)) == 0 ? 1 : 0;\n"},
        {"log2", "int64_t a",
         "    int64_t count = 0;\n"
         "    while ((a /= 2) > 0)\n"
         "        count++;\n"
         "    return count;\n"},
        {"floor_pow2", "int64_t a",
         "    int64_t power = 1;\n"
         "    while ((a /= 2) > 0)\n"
         "        power *= 2;\n"
         "    return power;\n"},
    };
    char call[160];
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++) {
        snprintf(call, sizeof call, "%s_%s(", prefix, helpers[i].name);
        if (!strstr(code, call))
            continue;
        text_addf(out, "static inline int64_t %s%s)\n{\n%s}\n\n", call, helpers[i].parameters,
                  helpers[i].body);
    }
}
