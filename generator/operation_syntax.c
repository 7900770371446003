/* operation_syntax: parses expressions of operations by recursive descent. Names are looked up at
 * once, so that a tree mentions nothing unknown; types are not: operation_type.c does that. */
#include "generator/operation_syntax.h"

#include "generator/array.h"
#include "generator/text.h"

#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NESTING_MAX = 40, /* parentheses and signs within each other */
    SHOWN_MAX = 40,   /* bytes of a word shown in an error */
};

/* What a function may mention. */
static const struct scope {
    unsigned names;
    const char *shown;
    bool has_params;
} scopes[OPERATION_PARTS + 1] = {
    [OPERATION_MAP] = {1u << OPERATION_X | 1u << OPERATION_I | 7u << OPERATION_INPUT_2,
                       "map has x and i", true},
    [OPERATION_COMBINE] = {1u << OPERATION_A | 1u << OPERATION_B, "combine has a and b", true},
    [OPERATION_IDENTITY] = {0, "identity has no names", false},
    [OPERATION_FINISH] = {1u << OPERATION_A | 1u << OPERATION_N, "finish has a and n", true},
    [OPERATION_PARTS] = {~0u, "a let has x, i, a, b and n", true},
};

/* What people write who know C, NumPy or CUDA. */
static const char *const habits[][2] = {
    {"abs", "magnitude"}, {"fabs", "magnitude"},   {"min", "least"},     {"max", "greatest"},
    {"fmin", "least"},    {"fmax", "greatest"},    {"pow", "power"},     {"isnan", "is_nan"},
    {"float", "f32"},     {"double", "f64"},       {"int", "i32"},       {"unsigned", "u32"},
    {"minimum", "least"}, {"maximum", "greatest"}, {"sqrtf", "sqrt"},    {"expf", "exp"},
    {"logf", "log"},      {"fabsf", "magnitude"},  {"inf", "highest()"}, {"acc_t", "acc"},
};

struct parser {
    struct operation_text *text;
    struct operation_source *out;
    const struct operation_value *value;
    enum operation_part part;
    const char *at;
    int nesting;
    struct error *error;
};

static int parse_choice(struct parser *parser);

struct operation_place operation_place_at(const struct operation_value *value, size_t offset)
{
    if (value->is_default)
        return value->spans[0].place;
    size_t k = value->span_count - 1;
    while (k > 0 && value->spans[k].from > offset)
        k--;
    struct operation_place place = value->spans[k].place;
    place.column += (int)(offset - value->spans[k].from);
    return place;
}

static struct operation_place place_of(const struct parser *parser, const char *at)
{
    return operation_place_at(parser->value, (size_t)(at - parser->value->at));
}

/* --- Faults ------------------------------------------------------------------------------- */

static void skip_blanks(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t");
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (text_is_word(at[length]))
        length++;
    return length;
}

static int shown(size_t length)
{
    return length > SHOWN_MAX ? SHOWN_MAX : (int)length;
}

/* What stands in C, or in a comment, where an operator or a value should, and what to write. */
static const struct foreign {
    const char *symbol, *remedy;
} foreigns[] = {
    {"**", "a power is power(a, b), a square x * x"},
    {"->", "a field is a.NAME"},
    {"//", "a comment stands on a line of its own, with '#' in its first column"},
    {"/*", "a comment stands on a line of its own, with '#' in its first column"},
    {"#", "a comment stands on a line of its own, with '#' in its first column"},
    {"++", "nothing is changed here: write + 1"},
    {"=",
     "nothing is assigned here: compare by '==', or name a value by a line let NAME = ..."},
    {"+", "numbers need no '+' before them"},
    {";", "an expression ends without ';'"},
    {"{", "a value of several fields is make(...)"},
    {"[", "there are no arrays: a function has one element or two values"},
    {"\"", "there are no strings"},
    {"'", "there are no characters: write a number"},
};
enum { FOREIGN_OPERATORS = 6, FOREIGNS = sizeof foreigns / sizeof *foreigns };

/* The first of the first `count` that stands here, or NULL. */
static const struct foreign *find_foreign(const char *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(at, foreigns[i].symbol, strlen(foreigns[i].symbol)) == 0)
            return &foreigns[i];
    return NULL;
}

/* The bytes of one character of UTF-8. */
static size_t character_length(const char *at)
{
    size_t length = *at != '\0';
    while (length && ((unsigned char)at[length] & 0xc0) == 0x80)
        length++;
    return length;
}

static int expected(struct parser *parser, const char *what)
{
    skip_blanks(parser);
    const char *at = parser->at;
    const struct foreign *foreign = find_foreign(at, FOREIGNS);
    const size_t word = word_length(at);
    const struct operation_place place = place_of(parser, at);
    if (!*at)
        return operation_fault(parser->text, place, parser->error,
                               "%s is missing at the end: add it", what);
    return operation_fault(parser->text, place, parser->error,
                           "%s is missing before '%.*s'%s%s", what,
                           word ? shown(word) : (int)character_length(at), at,
                           foreign ? ": " : ": add it, or remove what follows",
                           foreign ? foreign->remedy : "");
}

static int too_deep(struct parser *parser, const char *at)
{
    return operation_fault(parser->text, place_of(parser, at), parser->error,
                           "nested too deeply: name a part of it by a line let NAME = ...");
}

/* --- Nodes -------------------------------------------------------------------------------- */

/* Is it made of numbers alone, where its arguments are? */
static bool keeps_loose(enum operation_kind kind)
{
    return kind == NODE_CHOOSE || kind == NODE_NEGATE || kind == NODE_INVERT ||
           (kind >= FIRST_OPERATOR && operation_kinds[kind].gives == NO_TYPE);
}

static bool is_loose(const struct operation_text *text, const struct operation_node *node)
{
    bool loose = node->kind == NODE_LITERAL || keeps_loose(node->kind);
    for (int k = node->kind == NODE_CHOOSE; loose && k < node->arg_count; k++)
        loose = text->nodes[node->args[k]].is_loose;
    return loose;
}

/* Adds a node, whose number is returned; -1 is a fault. */
static int add_node(struct parser *parser, struct operation_node node, const char *at)
{
    struct operation_text *text = parser->text;
    for (int k = 0; k < node.arg_count; k++) {
        const int depth = text->nodes[node.args[k]].depth + 1;
        node.depth = depth > node.depth ? depth : node.depth;
    }
    if (node.depth > OPERATION_DEPTH_MAX)
        return too_deep(parser, at);
    if (array_grow(&text->nodes, (size_t)text->node_count, sizeof *text->nodes, parser->error))
        return -1;
    node.place = place_of(parser, at);
    node.is_loose = is_loose(text, &node);
    text->nodes[text->node_count] = node;
    return text->node_count++;
}

static int add_unary(struct parser *parser, enum operation_kind kind, int index, int arg,
                     const char *at)
{
    const struct operation_node node = {.kind = kind,
                                        .index = index,
                                        .arg_count = 1,
                                        .args = {arg}};
    return add_node(parser, node, at);
}

/* If `token` comes next, moves past it. */
static bool take(struct parser *parser, const char *token)
{
    skip_blanks(parser);
    const size_t length = strlen(token);
    if (strncmp(parser->at, token, length) != 0)
        return false;
    parser->at += length;
    return true;
}

/* --- Numbers ------------------------------------------------------------------------------ */

/* The bytes of a number, whose sort it says. */
static size_t scan_number(const char *at, bool *is_integer)
{
    const char *from = at;
    *is_integer = true;
    const size_t hex =
        at[0] == '0' && at[1] == 'x' ? strspn(at + 2, "0123456789abcdefABCDEF") : 0;
    if (hex)
        return 2 + hex;
    at += strspn(at, "0123456789");
    if (*at == '.') {
        *is_integer = false;
        at += 1 + strspn(at + 1, "0123456789");
    }
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + 1 + (at[1] == '-' || at[1] == '+');
        if (*exponent >= '0' && *exponent <= '9') {
            *is_integer = false;
            at = exponent + strspn(exponent, "0123456789");
        }
    }
    return (size_t)(at - from);
}

/* Reads the digits as an integer or a float; false where they are beyond 64 bits. */
static bool read_digits(struct operation_node *node)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    errno = 0;
    if (node->is_integer)
        node->integer = strtoull(node->digits, NULL, 0);
    const bool fits = errno == 0;
    if (plain) {
        node->wide = strtod_l(node->digits, NULL, plain);
        node->narrow = strtof_l(node->digits, NULL, plain);
        freelocale(plain);
    }
    return fits;
}

/* A number; `is_negative` where a '-' stood before it. */
static int parse_number(struct parser *parser, bool is_negative, const char *from)
{
    struct operation_node node = {.kind = NODE_LITERAL, .is_negative = is_negative};
    const char *at = parser->at;
    const size_t length = scan_number(at, &node.is_integer);
    if (text_is_word(at[length]) || at[length] == '.')
        return operation_fault(
            parser->text, place_of(parser, at + length), parser->error,
            "a number ends before '%.*s': write 12, 0x1f, 0.5 or 1e-3, whose type follows from "
            "where it stands",
            at[length] == '.' ? 1 : shown(word_length(at + length)), at + length);
    if (length >= LITERAL_CHARS)
        return operation_fault(parser->text, place_of(parser, at), parser->error,
                               "a number of more than 31 characters: write fewer");
    memcpy(node.digits, at, length);
    if (node.is_integer && at[0] == '0' && at[1] != 'x' && length > 1)
        return operation_fault(parser->text, place_of(parser, at), parser->error,
                               "an integer that begins with 0 would be octal in C: write %s",
                               node.digits + strspn(node.digits, "0"));
    if (!read_digits(&node))
        return operation_fault(parser->text, place_of(parser, at), parser->error,
                               "%s is too large for 64 bits: write a float, as 1e20",
                               node.digits);
    if (is_negative) {
        node.wide = -node.wide;
        node.narrow = -node.narrow;
    }
    parser->at += length;
    return add_node(parser, node, from);
}

/* --- Names and calls ---------------------------------------------------------------------- */

static bool is_same(const char *word, size_t length, const char *name)
{
    return strncmp(word, name, length) == 0 && name[length] == '\0';
}

enum operation_type operation_find_type(const char *word, size_t length)
{
    for (int type = 0; type < TYPE_WORDS; type++)
        if (is_same(word, length, operation_type_names[type]))
            return (enum operation_type)type;
    return NO_TYPE;
}

static enum operation_kind find_function(const char *word, size_t length)
{
    if (is_same(word, length, operation_kinds[NODE_MAKE].symbol))
        return NODE_MAKE;
    for (int kind = FIRST_FUNCTION; kind < NODE_KINDS; kind++)
        if (is_same(word, length, operation_kinds[kind].symbol))
            return (enum operation_kind)kind;
    return NODE_KINDS;
}

static int find_name(const struct operation_text *text, const char *word, size_t length)
{
    for (int name = 0; name < OPERATION_NAMES; name++) {
        const char *shown = operation_shown_name(text, name);
        if (shown && is_same(word, length, shown))
            return name;
    }
    return -1;
}

static int find_let(const struct operation_text *text, const char *word, size_t length)
{
    for (int k = 0; k < text->let_count; k++)
        if (is_same(word, length, text->let_names[k]))
            return k;
    return -1;
}

static int find_param(const struct operation_text *text, const char *word, size_t length)
{
    for (int k = 0; k < text->param_count; k++)
        if (is_same(word, length, text->params[k].name))
            return k;
    return -1;
}

/* Is it called, as a function and a type are? */
static bool is_callable(const char *word, size_t length)
{
    return find_function(word, length) != NODE_KINDS ||
           operation_find_type(word, length) != NO_TYPE;
}

bool operation_is_reserved(const char *word)
{
    static const struct operation_text none = {.input_count = 0};
    const size_t length = strlen(word);
    return find_name(&none, word, length) >= 0 || is_callable(word, length);
}

enum { SCOPE_CHARS = 200 };

/* "map has x, y and i": what the function in hand may mention, inputs by their names. */
static const char *scope_of(const struct parser *parser, char out[SCOPE_CHARS])
{
    const struct operation_text *text = parser->text;
    const bool is_map = parser->part == OPERATION_MAP;
    size_t used = 0;
    if (text->input_count == 0 || (!is_map && parser->part != OPERATION_PARTS))
        return scopes[parser->part].shown;
    used += (size_t)snprintf(out, SCOPE_CHARS, "%s", is_map ? "map has " : "a let has ");
    for (int k = 0; k < text->input_count; k++)
        used += (size_t)snprintf(out + used, SCOPE_CHARS - used, "%s%s", k ? ", " : "",
                                 text->inputs[k].name);
    snprintf(out + used, SCOPE_CHARS - used, "%s", is_map ? " and i" : ", i, a, b and n");
    return out;
}

/* What may be meant by a word; NULL = nothing like it. */
static const char *suggestion(const struct parser *parser, const char *word, size_t length,
                              bool is_call)
{
    const char *names[NODE_KINDS + TYPE_WORDS + OPERATION_LETS_MAX + OPERATION_PARAMS_MAX +
                      OPERATION_INPUTS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (is_same(word, length, habits[i][0]))
            return habits[i][1];
    for (int kind = FIRST_FUNCTION; is_call && kind < NODE_KINDS; kind++)
        names[count++] = operation_kinds[kind].symbol;
    for (int type = 0; is_call && type < TYPE_WORDS; type++)
        names[count++] = operation_type_names[type];
    for (int k = 0; !is_call && k < parser->text->let_count; k++)
        names[count++] = parser->text->let_names[k];
    for (int k = 0; !is_call && k < parser->text->param_count; k++)
        names[count++] = parser->text->params[k].name;
    for (int k = 0; !is_call && k < parser->text->input_count; k++)
        names[count++] = parser->text->inputs[k].name;
    return count ? text_similar(word, length, names, count) : NULL;
}

static int unknown(struct parser *parser, const char *word, size_t length, bool is_call)
{
    const char *meant = suggestion(parser, word, length, is_call);
    char hint[80] = "", shown_scope[SCOPE_CHARS];
    if (meant)
        snprintf(hint, sizeof hint, "did you mean '%s'? ", meant);
    if (is_call)
        return operation_fault(parser->text, place_of(parser, word), parser->error,
                               "unknown function '%.*s': %sdocs/operations.md lists them",
                               shown(length), word, hint);
    return operation_fault(parser->text, place_of(parser, word), parser->error,
                           "unknown name '%.*s': %s%s; a line let NAME = ... names more",
                           shown(length), word, hint, scope_of(parser, shown_scope));
}

/* A let is mentioned where it may be, if what it mentions may. */
static int check_let(struct parser *parser, int let, const char *word)
{
    const struct operation_source *source = &parser->text->lets[let];
    const unsigned foreign = source->names & ~scopes[parser->part].names;
    char shown_scope[SCOPE_CHARS];
    if (source->root < 0)
        return operation_fault(parser->text, place_of(parser, word), parser->error,
                               "the line let %s = ... comes later: move it above this one",
                               parser->text->let_names[let]);
    for (int name = 0; name < OPERATION_NAMES; name++)
        if (foreign >> name & 1)
            return operation_fault(parser->text, place_of(parser, word), parser->error,
                                   "'%s' is made of %s, and %s: use it elsewhere",
                                   parser->text->let_names[let],
                                   operation_shown_name(parser->text, name),
                                   scope_of(parser, shown_scope));
    if (source->params && !scopes[parser->part].has_params)
        return operation_fault(
            parser->text, place_of(parser, word), parser->error,
            "'%s' is made of a param, and %s, no params: use those elsewhere",
            parser->text->let_names[let], scopes[parser->part].shown);
    parser->out->names |= source->names;
    parser->out->lets |= source->lets | 1u << let;
    parser->out->params |= source->params;
    return 0;
}

static int parse_param(struct parser *parser, int param, const char *word)
{
    const struct operation_node node = {.kind = NODE_PARAM, .index = param};
    if (!scopes[parser->part].has_params)
        return operation_fault(parser->text, place_of(parser, word), parser->error,
                               "'%s' is a param, and %s, no params: use it elsewhere",
                               parser->text->params[param].name, scopes[parser->part].shown);
    parser->out->params |= 1u << param;
    return add_node(parser, node, word);
}

static int parse_name(struct parser *parser, const char *word, size_t length)
{
    const int name = find_name(parser->text, word, length),
              let = find_let(parser->text, word, length);
    const int param = find_param(parser->text, word, length);
    struct operation_node node = {.kind = name >= 0 ? NODE_NAME : NODE_LET,
                                  .index = name >= 0 ? name : let};
    char shown_scope[SCOPE_CHARS];
    if (param >= 0)
        return parse_param(parser, param, word);
    if (name < 0 && let < 0 && is_callable(word, length))
        return operation_fault(
            parser->text, place_of(parser, word), parser->error,
            "'%.*s' takes what stands behind it in parentheses: write %.*s(...)", (int)length,
            word, (int)length, word);
    if (name < 0 && let < 0)
        return unknown(parser, word, length, false);
    if (name >= 0 && !(scopes[parser->part].names >> name & 1))
        return operation_fault(parser->text, place_of(parser, word), parser->error,
                               "'%s' is not known here: %s",
                               operation_shown_name(parser->text, name),
                               scope_of(parser, shown_scope));
    if (name >= 0)
        parser->out->names |= 1u << name;
    else if (check_let(parser, let, word))
        return -1;
    return add_node(parser, node, word);
}

/* The arguments of a call from behind the parenthesis, and the one that closes it. */
static int parse_args(struct parser *parser, struct operation_node *node, const char *word,
                      const char *name, int wanted)
{
    if (!take(parser, ")")) {
        do {
            skip_blanks(parser);
            if (node->arg_count == wanted)
                return operation_fault(parser->text, place_of(parser, parser->at),
                                       parser->error,
                                       "%s takes %d argument%s: remove what is too much", name,
                                       wanted, wanted == 1 ? "" : "s");
            const int arg = parse_choice(parser);
            if (arg < 0)
                return -1;
            node->args[node->arg_count++] = arg;
        } while (take(parser, ","));
        if (!take(parser, ")"))
            return expected(parser, "')' or an operator");
    }
    if (node->arg_count < wanted)
        return operation_fault(parser->text, place_of(parser, word), parser->error,
                               "%s takes %d argument%s, and here %s %d: add what is missing",
                               name, wanted, wanted == 1 ? "" : "s",
                               node->arg_count == 1 ? "is" : "are", node->arg_count);
    return 0;
}

static int parse_call(struct parser *parser, const char *word, size_t length)
{
    const enum operation_type type = operation_find_type(word, length);
    const enum operation_kind kind = find_function(word, length);
    struct operation_node node = {.kind = kind};
    if (type != NO_TYPE) {
        node.kind = NODE_CONVERT;
        node.index = (int)type;
        if (parse_args(parser, &node, word, operation_type_names[type], 1))
            return -1;
        return add_node(parser, node, word);
    }
    if (kind == NODE_KINDS)
        return unknown(parser, word, length, true);
    if (kind == NODE_MAKE && parser->text->field_count == 0)
        return operation_fault(parser->text, place_of(parser, word), parser->error,
                               "make gives a value of several fields, and this one has none: "
                               "declare them, as value = best:acc at:u64");
    const int wanted =
        kind == NODE_MAKE ? parser->text->field_count : operation_kinds[kind].arg_count;
    if (parse_args(parser, &node, word, operation_kinds[kind].symbol, wanted))
        return -1;
    return add_node(parser, node, word);
}

/* .FIELD behind a value, any number of times. */
static int parse_fields(struct parser *parser, int value)
{
    const struct operation_text *text = parser->text;
    while (value >= 0 && take(parser, ".")) {
        skip_blanks(parser);
        const char *word = parser->at;
        const char *names[OPERATION_FIELDS_MAX] = {NULL};
        const size_t length = word_length(word);
        int field = 0;
        while (field < text->field_count && !is_same(word, length, text->fields[field].name))
            field++;
        for (int k = 0; k < text->field_count; k++)
            names[k] = text->fields[k].name;
        if (length == 0)
            return expected(parser, "a field's name");
        if (field == text->field_count) {
            const char *meant =
                text->field_count ? text_nearest(word, length, names, (size_t)text->field_count)
                                  : NULL;
            return operation_fault(text, place_of(parser, word), parser->error,
                                   "the value has no field '%.*s': %s%s%s", shown(length), word,
                                   meant ? "did you mean '"
                                         : "declare it, as value = mean:acc n:u64",
                                   meant ? meant : "", meant ? "'?" : "");
        }
        parser->at += length;
        value = add_unary(parser, NODE_FIELD, field, value, word);
    }
    return value;
}

/* --- Operators ---------------------------------------------------------------------------- */

static int parse_value(struct parser *parser)
{
    int value;
    skip_blanks(parser);
    const char *word = parser->at;
    const size_t length = word_length(word);
    if (take(parser, "(")) {
        value = parse_choice(parser);
        if (value >= 0 && !take(parser, ")"))
            return expected(parser, "')' or an operator");
        return parse_fields(parser, value);
    }
    if ((*word >= '0' && *word <= '9') || (*word == '.' && word[1] >= '0' && word[1] <= '9'))
        return parse_number(parser, false, word);
    if (length == 0)
        return expected(parser, "a value");
    parser->at += length;
    value =
        take(parser, "(") ? parse_call(parser, word, length) : parse_name(parser, word, length);
    return parse_fields(parser, value);
}

static int parse_unary(struct parser *parser)
{
    skip_blanks(parser);
    const char *from = parser->at;
    const enum operation_kind kind = *from == '-'   ? NODE_NEGATE
                                     : *from == '!' ? NODE_NOT
                                     : *from == '~' ? NODE_INVERT
                                                    : NODE_KINDS;
    if (kind == NODE_KINDS)
        return parse_value(parser);
    if (++parser->nesting > NESTING_MAX)
        return too_deep(parser, from);
    parser->at++;
    skip_blanks(parser);
    int value;
    if (kind == NODE_NEGATE && *parser->at >= '0' && *parser->at <= '9') {
        value = parse_number(parser, true, from);
    } else {
        value = parse_unary(parser);
        if (value >= 0)
            value = add_unary(parser, kind, 0, value, from);
    }
    parser->nesting--;
    return value;
}

/* The operator that comes next; NODE_KINDS = none. */
static enum operation_kind next_operator(struct parser *parser)
{
    skip_blanks(parser);
    for (int kind = FIRST_OPERATOR; kind < FIRST_FUNCTION; kind++) {
        const char *symbol = operation_kinds[kind].symbol;
        if (strncmp(parser->at, symbol, strlen(symbol)) == 0)
            return (enum operation_kind)kind;
    }
    return NODE_KINDS;
}

static int parse_binary(struct parser *parser, int precedence)
{
    int left = parse_unary(parser);
    while (left >= 0) {
        const enum operation_kind kind = next_operator(parser);
        if (kind == NODE_KINDS || operation_kinds[kind].precedence < precedence)
            break;
        const char *at = parser->at;
        const struct foreign *foreign = find_foreign(at, FOREIGN_OPERATORS);
        if (foreign)
            return operation_fault(parser->text, place_of(parser, at), parser->error,
                                   "'%s' is no operator: %s", foreign->symbol, foreign->remedy);
        parser->at += strlen(operation_kinds[kind].symbol);
        if (*parser->at == '=') /* += */
            return expected(parser, "a value");
        const int right = parse_binary(parser, operation_kinds[kind].precedence + 1);
        if (right < 0)
            return -1;
        const struct operation_node node = {.kind = kind,
                                            .arg_count = 2,
                                            .args = {left, right}};
        left = add_node(parser, node, at);
    }
    return left;
}

static int parse_choice(struct parser *parser)
{
    skip_blanks(parser);
    if (++parser->nesting > NESTING_MAX)
        return too_deep(parser, parser->at);
    int value = parse_binary(parser, 1);
    if (value >= 0 && take(parser, "?")) {
        const char *at = parser->at - 1;
        struct operation_node node = {.kind = NODE_CHOOSE, .arg_count = 3, .args = {value}};
        node.args[1] = parse_choice(parser);
        if (node.args[1] < 0)
            return -1;
        if (!take(parser, ":"))
            return expected(parser, "':' of a '?', or an operator,");
        node.args[2] = parse_choice(parser);
        if (node.args[2] < 0)
            return -1;
        value = add_node(parser, node, at);
    }
    parser->nesting--;
    return value;
}

int operation_parse(struct operation_text *text, struct operation_source *out,
                    const struct operation_value *value, enum operation_part part,
                    struct error *error)
{
    assert(text && out && value && value->span_count > 0);
    struct parser parser = {.text = text,
                            .out = out,
                            .value = value,
                            .part = part,
                            .at = value->at,
                            .error = error};
    out->place = operation_place_at(value, 0);
    const int root = parse_choice(&parser);
    if (root < 0)
        return -1;
    skip_blanks(&parser);
    if (*parser.at)
        return expected(&parser, "an operator");
    out->root = root;
    return 0;
}

int operation_parse_number(struct operation_text *text, const struct operation_value *value,
                           size_t offset, struct error *error)
{
    const char *from = value->at + offset;
    const bool is_negative = *from == '-';
    struct operation_source none = {.root = -1};
    struct parser parser = {.text = text,
                            .out = &none,
                            .value = value,
                            .at = from + is_negative,
                            .error = error};
    if (*parser.at < '0' || *parser.at > '9')
        return expected(&parser, "a number");
    return parse_number(&parser, is_negative, from);
}
