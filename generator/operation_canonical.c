/* operation_canonical: writes the tree of each function with the parentheses that it needs, defaults
 * filled in, lets in their order. */
#include "generator/operation_canonical.h"

#include "generator/operation_law.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <sha2.h>

struct writing {
    struct text *out;
    const struct operation_text *text;
    enum operation_type acc;
    bool by_number;
};

enum { CHOOSE_STRENGTH = 0, UNARY_STRENGTH = 11, VALUE_STRENGTH = 12 };

static void write_node(const struct writing *writing, int at, int strength);

static int strength_of(const struct operation_node *node)
{
    const int precedence = operation_kinds[node->kind].precedence;
    if (node->kind == NODE_CHOOSE)
        return CHOOSE_STRENGTH;
    if (node->kind == NODE_NEGATE || node->kind == NODE_NOT || node->kind == NODE_INVERT ||
        (node->kind == NODE_LITERAL && node->is_negative))
        return UNARY_STRENGTH;
    return precedence ? precedence : VALUE_STRENGTH;
}

static void write_literal(const struct writing *writing, const struct operation_node *node)
{
    if (node->is_negative)
        text_adds(writing->out, "-");
    if (node->is_integer)
        text_addf(writing->out, "%" PRIu64, node->integer);
    else
        text_adds(writing->out, node->digits);
}

static void write_call(const struct writing *writing, const char *name,
                       const struct operation_node *node)
{
    text_addf(writing->out, "%s(", name);
    for (int k = 0; k < node->arg_count; k++) {
        text_adds(writing->out, k ? ", " : "");
        write_node(writing, node->args[k], CHOOSE_STRENGTH);
    }
    text_adds(writing->out, ")");
}

static void write_field(const struct writing *writing, const struct operation_node *node)
{
    write_node(writing, node->args[0], VALUE_STRENGTH);
    if (writing->by_number)
        text_addf(writing->out, ".%d", node->index);
    else
        text_addf(writing->out, ".%s", writing->text->fields[node->index].name);
}

/* "- -x", for "--" is another operator in C; and "-(5)", for "-5" is a number. */
static void write_unary(const struct writing *writing, const struct operation_node *node)
{
    const struct operation_node *arg = &writing->text->nodes[node->args[0]];
    const bool is_negate = node->kind == NODE_NEGATE;
    const bool is_number = arg->kind == NODE_LITERAL && !arg->is_negative;
    text_adds(writing->out, operation_kinds[node->kind].symbol);
    if (is_negate && (arg->kind == NODE_NEGATE || (arg->kind == NODE_LITERAL && !is_number)))
        text_adds(writing->out, " ");
    write_node(writing, node->args[0],
               is_negate && is_number ? VALUE_STRENGTH + 1 : UNARY_STRENGTH);
}

/* Without parentheses around it. */
static void write_bare(const struct writing *writing, const struct operation_node *node)
{
    const struct operation_kind_row *row = &operation_kinds[node->kind];
    switch (node->kind) {
    case NODE_LITERAL: write_literal(writing, node); return;
    case NODE_NAME:
        text_adds(writing->out, operation_shown_name(writing->text, node->index));
        return;
    case NODE_LET: text_adds(writing->out, writing->text->let_names[node->index]); return;
    case NODE_PARAM: text_adds(writing->out, writing->text->params[node->index].name); return;
    case NODE_FIELD: write_field(writing, node); return;
    case NODE_CONVERT: write_call(writing, operation_type_names[node->index], node); return;
    case NODE_CHOOSE:
        write_node(writing, node->args[0], CHOOSE_STRENGTH + 1);
        text_adds(writing->out, " ? ");
        write_node(writing, node->args[1], CHOOSE_STRENGTH);
        text_adds(writing->out, " : ");
        write_node(writing, node->args[2], CHOOSE_STRENGTH);
        return;
    default: break;
    }
    if (row->precedence) {
        write_node(writing, node->args[0], row->precedence);
        text_addf(writing->out, " %s ", row->symbol);
        write_node(writing, node->args[1], row->precedence + 1);
    } else if (strength_of(node) == UNARY_STRENGTH) {
        write_unary(writing, node);
    } else {
        write_call(writing, row->symbol, node);
    }
}

/* The node, or what it converts where that is of the type already. */
static const struct operation_node *plain_node(const struct writing *writing, int at)
{
    const struct operation_text *text = writing->text;
    const struct operation_node *node = &text->nodes[at];
    if (writing->acc == NO_TYPE)
        return node;
    const uint8_t *types = text->of[writing->acc].of_node;
    while (node->kind == NODE_CONVERT && types[node->args[0]] == types[node - text->nodes])
        node = &text->nodes[node->args[0]];
    return node;
}

static void write_node(const struct writing *writing, int at, int strength)
{
    const struct operation_node *node = plain_node(writing, at);
    const bool is_bare = strength_of(node) >= strength;
    text_adds(writing->out, is_bare ? "" : "(");
    write_bare(writing, node);
    text_adds(writing->out, is_bare ? "" : ")");
}

void operation_write_source(struct text *out, const struct operation_text *text, int node,
                            enum operation_type acc, bool by_number)
{
    const struct writing writing = {out, text, acc, by_number};
    write_node(&writing, node, CHOOSE_STRENGTH);
}

static void write_value(struct text *out, const struct operation_text *text)
{
    text_adds(out, "value =");
    if (text->field_count == 0)
        text_addf(out, " %s", operation_type_names[text->value]);
    for (int k = 0; k < text->field_count; k++)
        text_addf(out, " %s:%s", text->fields[k].name,
                  operation_type_names[text->fields[k].type]);
    text_adds(out, "\n");
}

static void write_params(struct text *out, const struct operation_text *text)
{
    text_adds(out, text->param_count ? "params =" : "");
    for (int k = 0; k < text->param_count; k++) {
        const struct operation_param *param = &text->params[k];
        text_addf(out, " %s:%s", param->name, operation_type_names[param->type]);
        if (param->usual >= 0) {
            text_adds(out, "=");
            operation_write_source(out, text, param->usual, NO_TYPE, false);
        }
    }
    text_adds(out, text->param_count ? "\n" : "");
}

static void write_inputs(struct text *out, const struct operation_text *text)
{
    text_adds(out, text->input_count ? "inputs =" : "");
    for (int k = 0; k < text->input_count; k++)
        text_addf(out, text->inputs[k].is_typed ? " %s:%s" : " %s", text->inputs[k].name,
                  problem_types[text->inputs[k].type].name);
    text_adds(out, text->input_count ? "\n" : "");
}

int operation_make_canonical(struct operation_text *text, struct error *error)
{
    static const char *const fors[OPERATION_FORS] = {"all", "integers", "floats"};
    struct text out = {0};
    text_addf(&out, "types = %s\n", fors[text->types]);
    write_value(&out, text);
    write_params(&out, text);
    write_inputs(&out, text);
    for (int k = 0; k < text->let_count; k++) {
        text_addf(&out, "let %s = ", text->let_names[k]);
        operation_write_source(&out, text, text->lets[k].root, NO_TYPE, false);
        text_adds(&out, "\n");
    }
    for (int part = 0; part < OPERATION_PARTS; part++) {
        const char *known =
            part == OPERATION_IDENTITY ? operation_law_identity(text->combine) : NULL;
        text_addf(&out, "%s = %s", operation_part_names[part], known ? known : "");
        if (!known)
            operation_write_source(&out, text, text->parts[part].root, NO_TYPE, false);
        text_adds(&out, "\n");
    }
    if (text->result != NO_TYPE)
        text_addf(&out, "result = %s\n", operation_type_names[text->result]);
    if (text->keeps_order)
        text_adds(&out, "keeps_order = yes\n");
    if (text->tolerance_digits)
        text_addf(&out, "tolerance = %s\n", text->tolerance_digits);
    text->canonical = out.at;
    if (text_check(&out, error) == 0)
        return 0;
    text_dispose(&out);
    text->canonical = NULL;
    return -1;
}

const char *operation_canonical(const struct operation_text *text)
{
    return text->canonical;
}

char *operation_hash(char out[OPERATION_HASH_CHARS], const struct operation_text *text)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA2_CTX hash;
    SHA256Init(&hash);
    SHA256Update(&hash, (const unsigned char *)text->canonical, strlen(text->canonical));
    SHA256Final(digest, &hash);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    return out;
}
