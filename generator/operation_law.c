/* operation_law: recognises laws by the canonical text of a function, with its fields numbered: a table has
 * each text that means a law. */
#include "generator/operation_law.h"

#include "generator/operation_canonical.h"
#include "generator/operation_node.h"
#include "generator/operation_type.h"
#include "generator/text.h"

#include <string.h>

/* clang-format off */
static const struct law {
    enum combine_law law;
    const char *combine;
} laws[] = {
    {COMBINE_ADD, "a + b"},                {COMBINE_ADD, "b + a"},
    {COMBINE_MULTIPLY, "a * b"},           {COMBINE_MULTIPLY, "b * a"},
    {COMBINE_LEAST, "least(a, b)"},        {COMBINE_LEAST, "least(b, a)"},
    {COMBINE_GREATEST, "greatest(a, b)"},  {COMBINE_GREATEST, "greatest(b, a)"},
    {COMBINE_AND, "a & b"},                {COMBINE_AND, "b & a"},
    {COMBINE_OR, "a | b"},                 {COMBINE_OR, "b | a"},
    {COMBINE_XOR, "a ^ b"},                {COMBINE_XOR, "b ^ a"},
    {COMBINE_FIRST_LEAST, "below(b.0, a.0) || equals(b.0, a.0) && b.1 < a.1 ? b : a"},
    {COMBINE_FIRST_LEAST, "below(b.0, a.0) || equals(a.0, b.0) && b.1 < a.1 ? b : a"},
    {COMBINE_FIRST_GREATEST, "above(b.0, a.0) || equals(b.0, a.0) && b.1 < a.1 ? b : a"},
    {COMBINE_FIRST_GREATEST, "above(b.0, a.0) || equals(a.0, b.0) && b.1 < a.1 ? b : a"},
};

/* The identity of each law, and another spelling of it. */
static const char *const identities[COMBINE_LAWS][2] = {
    [COMBINE_ADD] = {"0", "0.0"},
    [COMBINE_MULTIPLY] = {"1", "1.0"},
    [COMBINE_LEAST] = {"highest()", NULL},
    [COMBINE_GREATEST] = {"lowest()", NULL},
    [COMBINE_AND] = {"~0", NULL},
    [COMBINE_OR] = {"0", NULL},
    [COMBINE_XOR] = {"0", NULL},
    [COMBINE_FIRST_LEAST] = {"make(highest(), none())", NULL},
    [COMBINE_FIRST_GREATEST] = {"make(lowest(), none())", NULL},
};
/* clang-format on */

static bool is_first(enum combine_law law)
{
    return law == COMBINE_FIRST_LEAST || law == COMBINE_FIRST_GREATEST;
}

/* A value and a position, of which the position is the result. */
static bool has_position(const struct operation_text *text, const char *finish)
{
    const struct operation_node *map = &text->nodes[text->parts[OPERATION_MAP].root];
    if (text->field_count != 2 || text->fields[1].type != U64_TYPE || map->kind != NODE_MAKE)
        return false;
    const struct operation_node *position = &text->nodes[map->args[1]];
    return position->kind == NODE_NAME && position->index == OPERATION_I &&
           strcmp(finish, "a.1") == 0;
}

static enum combine_law find_law(const struct operation_text *text, const char *combine,
                                 const char *finish)
{
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        if (strcmp(combine, laws[i].combine) == 0)
            return is_first(laws[i].law) && !has_position(text, finish) ? COMBINE_OTHER
                                                                        : laws[i].law;
    return COMBINE_OTHER;
}

static bool is_identity_of(enum combine_law law, const char *identity)
{
    for (int k = 0; k < 2; k++)
        if (identities[law][k] && strcmp(identity, identities[law][k]) == 0)
            return true;
    return false;
}

int operation_find_laws(struct operation_text *text, struct error *error)
{
    struct text parts[OPERATION_PARTS] = {{0}};
    int status = 0;
    for (int part = 0; part < OPERATION_PARTS; part++) {
        if (text->parts[part].root >= 0)
            operation_write_source(&parts[part], text, text->parts[part].root, NO_TYPE, true);
        status = status || (parts[part].failed && text_check(&parts[part], error));
    }
    if (status == 0) {
        text->combine = find_law(text, parts[OPERATION_COMBINE].at, parts[OPERATION_FINISH].at);
        if (parts[OPERATION_IDENTITY].at &&
            !is_identity_of(text->combine, parts[OPERATION_IDENTITY].at))
            text->combine = COMBINE_OTHER;
    }
    for (int part = 0; part < OPERATION_PARTS; part++)
        text_dispose(&parts[part]);
    return status ? -1 : 0;
}

int operation_find_map_laws(struct operation_text *text, struct error *error)
{
    const int map = text->parts[OPERATION_MAP].root;
    const int root = is_first(text->combine) ? text->nodes[map].args[0] : map;
    for (int acc = I32_TYPE; acc < CONCRETE_TYPES; acc++) {
        struct operation_types *types = &text->of[acc];
        struct text shown = {0};
        types->map = MAP_MAPPED;
        if (types->fault)
            continue;
        operation_write_source(&shown, text, root, (enum operation_type)acc, true);
        const int status = text_check(&shown, error);
        if (status == 0 && strcmp(shown.at, "x") == 0)
            types->map = MAP_SAME;
        else if (status == 0 && strcmp(shown.at, "x * x") == 0)
            types->map = MAP_SQUARE;
        text_dispose(&shown);
        if (status)
            return -1;
    }
    return 0;
}

enum combine_law operation_combine_law(const struct operation_text *text)
{
    return text->combine;
}

enum map_law operation_map_law(const struct operation_text *text, enum type acc)
{
    return text->of[operation_type_of(acc)].map;
}

bool operation_has_finish(const struct operation_text *text, enum type acc)
{
    const uint8_t *types = text->of[operation_type_of(acc)].of_node;
    int at = text->parts[OPERATION_FINISH].root;
    while (text->nodes[at].kind == NODE_CONVERT && types[at] == types[text->nodes[at].args[0]])
        at = text->nodes[at].args[0];
    const bool is_a = text->nodes[at].kind == NODE_NAME && text->nodes[at].index == OPERATION_A;
    return !is_first(text->combine) && !is_a;
}

/* Does the node calculate a float: one that is none of its arguments, nor an integer beside it? */
static bool rounds_here(const struct operation_text *text, const uint8_t *types, int at)
{
    switch (text->nodes[at].kind) {
    case NODE_LITERAL:
    case NODE_NAME:
    case NODE_LET:
    case NODE_PARAM:
    case NODE_FIELD:
    case NODE_CHOOSE:
    case NODE_NEGATE:
    case NODE_MAGNITUDE:
    case NODE_LEAST:
    case NODE_GREATEST:
    case NODE_LOWEST:
    case NODE_HIGHEST:
    case NODE_FLOOR:
    case NODE_CEIL: return false;
    case NODE_CONVERT:
        return operation_is_float((enum operation_type)types[at]) &&
               types[at] != types[text->nodes[at].args[0]];
    default: return operation_is_float((enum operation_type)types[at]);
    }
}

static bool tree_rounds(const struct operation_text *text, const uint8_t *types, int at)
{
    const struct operation_node *node = &text->nodes[at];
    for (int k = 0; k < node->arg_count; k++)
        if (tree_rounds(text, types, node->args[k]))
            return true;
    return rounds_here(text, types, at);
}

bool operation_rounds(const struct operation_text *text, enum type acc)
{
    const uint8_t *types = text->of[operation_type_of(acc)].of_node;
    const struct operation_source *combine = &text->parts[OPERATION_COMBINE];
    for (int k = 0; k < text->let_count; k++)
        if ((combine->lets >> k & 1) && tree_rounds(text, types, text->lets[k].root))
            return true;
    return tree_rounds(text, types, combine->root);
}

const char *operation_law_identity(enum combine_law law)
{
    return identities[law][0];
}
