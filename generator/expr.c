/* expr: parses integer expressions, once, into an array of nodes in postfix order, in which
 * '&&', '||' and '?:' are jumps. */
#include "generator/expr.h"

#include "generator/expr_node.h"
#include "generator/text.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_MAX = 60 }; /* bytes of a word shown in an error */

/* clang-format off */
static const struct operator operators[] = {
    [OR] = {"||", 1}, [AND] = {"&&", 2}, [EQ] = {"==", 3}, [NE] = {"!=", 3},
    [LE] = {"<=", 4}, [GE] = {">=", 4},  [LT] = {"<", 4},  [GT] = {">", 4},
    [ADD] = {"+", 5}, [SUB] = {"-", 5},  [MUL] = {"*", 6}, [DIV] = {"/", 6}, [MOD] = {"%", 6},
};
/* clang-format on */
enum { OPERATOR_COUNT = sizeof operators / sizeof operators[0] };

static const struct function {
    const char *name;
    enum operation operation;
    int args_min, args_max;
} functions[] = {
    {"min", MINIMUM, 2, INT_MAX}, {"max", MAXIMUM, 2, INT_MAX},
    {"ceil_div", CEIL_DIV, 2, 2}, {"is_pow2", IS_POW2, 1, 1},
    {"log2", LOG2, 1, 1},         {"floor_pow2", FLOOR_POW2, 1, 1},
};
enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

struct parser {
    struct expr *expr; /* has room for a node for each byte of the source, which is enough */
    const struct expr_scope *scope;
    const char *at;
    int nesting;
    struct error *error;
};

static int parse_conditional(struct parser *parser);

int expr_error(const struct expr *expr, struct error *error, const char *format, ...)
{
    char message[400];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return error_set(error, ERROR_USAGE, "%s:%d: %s in '%.300s'", expr->file, expr->line,
                     message, expr->source);
}

static void skip_blanks(struct parser *parser)
{
    while (*parser->at == ' ' || *parser->at == '\t')
        parser->at++;
}

static int shown(size_t length)
{
    return length > SHOWN_MAX ? SHOWN_MAX : (int)length;
}

static int expected(struct parser *parser, const char *what)
{
    size_t word = 0;

    skip_blanks(parser);
    while (text_is_word(parser->at[word]))
        word++;
    if (*parser->at == '\0')
        return expr_error(parser->expr, parser->error, "expected %s at the end", what);
    return expr_error(parser->expr, parser->error, "expected %s, found '%.*s' at character %zu",
                      what, word == 0 ? 1 : shown(word), parser->at,
                      (size_t)(parser->at - parser->expr->source) + 1);
}

static int unknown(struct parser *parser, const char *word, size_t length, const char *kind,
                   const char *nearest)
{
    if (!nearest)
        return expr_error(parser->expr, parser->error, "unknown %s '%.*s'", kind, shown(length),
                          word);
    return expr_error(parser->expr, parser->error, "unknown %s '%.*s' (did you mean '%s'?)",
                      kind, shown(length), word, nearest);
}

static int enter(struct parser *parser)
{
    if (++parser->nesting <= EXPR_NESTING_MAX)
        return 0;
    return expr_error(parser->expr, parser->error,
                      "nested too deeply (give a part of it a name of its own)");
}

static struct node *add_node(struct parser *parser, enum operation operation, int64_t value)
{
    struct node *node = &parser->expr->nodes[parser->expr->count++];

    *node = (struct node){operation, value};
    return node;
}

/* Makes a jump land behind all nodes so far. */
static void land(struct parser *parser, struct node *jump)
{
    jump->value = (int64_t)parser->expr->count;
}

/* If `token` comes next, moves past it. */
static bool take(struct parser *parser, const char *token)
{
    const char *at;

    skip_blanks(parser);
    for (at = parser->at; *token && *at == *token; token++)
        at++;
    if (*token)
        return false;
    parser->at = at;
    return true;
}

static bool is_same(const char *word, size_t length, const char *name)
{
    return *word == *name && strncmp(word, name, length) == 0 && name[length] == '\0';
}

static bool is_former(const struct expr_former *former, const char *word, size_t length)
{
    for (size_t i = 0; former && former->names[i]; i++)
        if (is_same(word, length, former->names[i]))
            return true;
    return false;
}

static int parse_name(struct parser *parser, const char *word, size_t length)
{
    const struct expr_scope *scope = parser->scope;

    for (size_t i = 0; i < scope->count; i++) {
        if (is_same(word, length, scope->names[i])) {
            add_node(parser, NAME, (int64_t)i);
            return 0;
        }
    }
    if (is_former(scope->former, word, length))
        return expr_error(parser->expr, parser->error, "'%.*s' is gone: %s", shown(length),
                          word, scope->former->instead);
    return unknown(parser, word, length, "name",
                   text_similar(word, length, scope->names, scope->count));
}

static const struct function *find_function(struct parser *parser, const char *word,
                                            size_t length)
{
    const char *names[FUNCTION_COUNT];

    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        if (is_same(word, length, functions[i].name))
            return &functions[i];
        names[i] = functions[i].name;
    }
    unknown(parser, word, length, "function",
            text_similar(word, length, names, FUNCTION_COUNT));
    return NULL;
}

/* NAME ( a, b, ... ) from behind the parenthesis. */
static int parse_call(struct parser *parser, const char *word, size_t length)
{
    const struct function *function = find_function(parser, word, length);
    int args = 0;

    if (!function)
        return -1;
    do {
        if (parse_conditional(parser))
            return -1;
        /* min(a, b, c) is min(min(a, b), c) */
        if (++args >= function->args_min)
            add_node(parser, function->operation, 0);
    } while (args < function->args_max && take(parser, ","));
    if (args < function->args_min)
        return expected(parser, "',' and another argument");
    return take(parser, ")") ? 0 : expected(parser, "')'");
}

static int parse_number(struct parser *parser)
{
    const char *first = parser->at;
    bool overflow = false;
    int64_t value = 0;

    for (; *parser->at >= '0' && *parser->at <= '9'; parser->at++) {
        overflow |= __builtin_mul_overflow(value, 10, &value);
        overflow |= __builtin_add_overflow(value, *parser->at - '0', &value);
    }
    if (text_is_word(*parser->at)) {
        parser->at = first;
        return expected(parser, "a decimal integer");
    }
    if (overflow)
        return expr_error(parser->expr, parser->error, "an integer too large for 64 bits");
    add_node(parser, CONSTANT, value);
    return 0;
}

static int parse_value(struct parser *parser)
{
    if (take(parser, "(")) {
        if (parse_conditional(parser))
            return -1;
        return take(parser, ")") ? 0 : expected(parser, "')'");
    }
    if (*parser->at >= '0' && *parser->at <= '9')
        return parse_number(parser);
    const char *word = parser->at;
    while (text_is_word(*parser->at))
        parser->at++;
    if (parser->at == word)
        return expected(parser, "a value");
    size_t length = (size_t)(parser->at - word);
    return take(parser, "(") ? parse_call(parser, word, length)
                             : parse_name(parser, word, length);
}

static int parse_unary(struct parser *parser)
{
    if (enter(parser))
        return -1;
    bool negate = take(parser, "-");
    bool not = !negate && take(parser, "!");
    if (negate || not ? parse_unary(parser) : parse_value(parser))
        return -1;
    if (negate || not )
        add_node(parser, negate ? NEGATE : NOT, 0);
    parser->nesting--;
    return 0;
}

/* The operator that comes next, if it binds at least this strongly; else OPERATOR_COUNT. */
static size_t take_operator(struct parser *parser, int precedence)
{
    skip_blanks(parser);
    if (*parser->at == ')' || *parser->at == ',' || *parser->at == '\0') /* mostly */
        return OPERATOR_COUNT;
    for (size_t i = 0; i < OPERATOR_COUNT; i++)
        if (operators[i].precedence >= precedence && take(parser, operators[i].symbol))
            return i;
    return OPERATOR_COUNT;
}

static int parse_binary(struct parser *parser, int precedence)
{
    size_t i;

    if (enter(parser) || parse_unary(parser))
        return -1;
    while ((i = take_operator(parser, precedence)) < OPERATOR_COUNT) {
        enum operation operation = (enum operation)i;
        struct node *jump = NULL;
        if (operation == AND || operation == OR)
            jump = add_node(parser, operation == AND ? JUMP_AND : JUMP_OR, 0);
        if (parse_binary(parser, operators[i].precedence + 1))
            return -1;
        add_node(parser, jump ? TRUTH : operation, 0);
        if (jump)
            land(parser, jump);
    }
    parser->nesting--;
    return 0;
}

static int parse_conditional(struct parser *parser)
{
    if (enter(parser) || parse_binary(parser, 1))
        return -1;
    if (take(parser, "?")) {
        struct node *to_else = add_node(parser, JUMP_IF_ZERO, 0);
        if (parse_conditional(parser))
            return -1;
        if (!take(parser, ":"))
            return expected(parser, "':' of a '?'");
        struct node *to_end = add_node(parser, JUMP, 0);
        land(parser, to_else);
        if (parse_conditional(parser))
            return -1;
        land(parser, to_end);
    }
    parser->nesting--;
    return 0;
}

static struct expr *allocate(const char *source, const char *file, int line,
                             struct error *error)
{
    size_t source_size = strlen(source) + 1, file_size = strlen(file) + 1;
    size_t size = sizeof(struct expr) + source_size * sizeof(struct node);
    struct expr *expr = malloc(size + source_size + file_size);

    if (!expr) {
        error_memory(error, size + source_size + file_size);
        return NULL;
    }
    char *strings = (char *)expr + size;
    *expr = (struct expr){
        .source = memcpy(strings, source, source_size),
        .file = memcpy(strings + source_size, file, file_size),
        .line = line,
    };
    return expr;
}

int expr_parse(struct expr **out, const char *source, const struct expr_scope *scope,
               const char *file, int line, struct error *error)
{
    assert(source && scope && file);
    struct parser parser = {.scope = scope, .error = error};

    *out = NULL;
    parser.expr = allocate(source, file, line, error);
    if (!parser.expr)
        return -1;
    parser.at = parser.expr->source;
    int status = parse_conditional(&parser);
    skip_blanks(&parser);
    if (status == 0 && *parser.at != '\0')
        status = expected(&parser, "an operator");
    if (status)
        expr_free(parser.expr);
    else
        *out = parser.expr;
    return status;
}

void expr_free(struct expr *expr)
{
    free(expr);
}

bool expr_uses(const struct expr *expr, size_t slot)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->nodes[i].operation == NAME && (size_t)expr->nodes[i].value == slot)
            return true;
    return false;
}

bool expr_uses_any(const struct expr *expr, const bool *is_marked)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->nodes[i].operation == NAME && is_marked[expr->nodes[i].value])
            return true;
    return false;
}

void expr_mark(const struct expr *expr, bool *is_marked)
{
    for (size_t i = 0; i < expr->count; i++)
        if (expr->nodes[i].operation == NAME)
            is_marked[expr->nodes[i].value] = true;
}

const struct operator* expr_operator(enum operation operation)
{
    return &operators[operation];
}

const char *expr_source(const struct expr *expr)
{
    return expr->source;
}
