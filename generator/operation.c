/* operation: holds the table of laws and the operations that come with the program. */
#include "generator/operation.h"

#include "generator/find_name.h"

#include <assert.h>
#include <string.h>

const struct combine_row operation_combines[COMBINE_LAWS] = {
    /* a + b, identity 0 */
    [COMBINE_ADD] = {"ADD", false, true, 0, false, ADDING, "reduce"},
    /* a * b, identity 1 */
    [COMBINE_MULTIPLY] = {"MULTIPLY", false, true, 0, false, MULTIPLYING, "reduce"},
    /* IEEE 754-2019 minimum and maximum for floats */
    [COMBINE_LEAST] = {"LEAST", false, false, -1, false, SELECTING, "reduce"},
    [COMBINE_GREATEST] = {"GREATEST", false, false, 1, false, SELECTING, "reduce"},
    /* a & b, identity all ones; a | b and a ^ b, identity 0 */
    [COMBINE_AND] = {"AND", true, false, 0, false, SELECTING, "reduce"},
    [COMBINE_OR] = {"OR", true, false, 0, false, SELECTING, "reduce"},
    [COMBINE_XOR] = {"XOR", true, false, 0, false, SELECTING, "reduce"},
    /* the position of the first of the least or greatest; a NaN comes before all */
    [COMBINE_FIRST_LEAST] = {"FIRST_LEAST", false, false, -1, true, LOCATING, "arg"},
    [COMBINE_FIRST_GREATEST] = {"FIRST_GREATEST", false, false, 1, true, LOCATING, "arg"},
    /* as costly as a product of integers: no instruction combines a warp, no atomic does it */
    [COMBINE_OTHER] = {"OTHER", false, true, 0, false, MULTIPLYING, "reduce"},
};

const char *const operation_maps[MAP_LAWS] =
    {[MAP_SAME] = "SAME", [MAP_SQUARE] = "SQUARE", [MAP_MAPPED] = "MAPPED"};

static const struct operation operations[] = {
    {"sum", COMBINE_ADD, MAP_SAME, "sum|x|", 0},
    {"sumsq", COMBINE_ADD, MAP_SQUARE, "sum x^2", 1},
    {"prod", COMBINE_MULTIPLY, MAP_SAME, "the product", 2},
    {"min", COMBINE_LEAST, MAP_SAME, "the minimum", 3},
    {"max", COMBINE_GREATEST, MAP_SAME, "the maximum", 4},
    {"and", COMBINE_AND, MAP_SAME, "the word", 5},
    {"or", COMBINE_OR, MAP_SAME, "the word", 6},
    {"xor", COMBINE_XOR, MAP_SAME, "the word", 7},
    {"argmin", COMBINE_FIRST_LEAST, MAP_SAME, "the position", 8},
    {"argmax", COMBINE_FIRST_GREATEST, MAP_SAME, "the position", 9},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static const char usual[] = "sum";

const struct operation *operation_at(size_t i)
{
    return i < OPERATIONS ? &operations[i] : NULL;
}

size_t operation_count(void)
{
    return OPERATIONS;
}

static const char *name_at(size_t i)
{
    return i < OPERATIONS ? operations[i].name : NULL;
}

/* What a user of other libraries asks for, and how to have it here. */
static const struct absent_name absent[] = {
    {"mean", "divide the sum by n"},
    {"average", "divide the sum by n"},
    {"avg", "divide the sum by n"},
    {"var", "sum and sumsq give it, in two calls"},
    {"std", "sum and sumsq give it, in two calls"},
    {"norm", "it is the root of sumsq"},
    {"minimum", "it is called min"},
    {"maximum", "it is called max"},
    {"product", "it is called prod"},
    {"any", "it is or, of bits, or max"},
    {"all", "it is and, of bits, or min"},
    {"dot", "every operation has one input, a dot product two"},
    {"logsumexp", "every operation takes the elements as they are, without exp"},
    {NULL, NULL},
};

int operation_find(const struct operation **out, const char *name, struct error *error)
{
    size_t i;
    if (find_name(&i, name, "operation", name_at, absent, error))
        return -1;
    *out = &operations[i];
    return 0;
}

const struct operation *operation_plain(enum combine_law law)
{
    for (size_t i = 0; i < OPERATIONS; i++)
        if (operations[i].combine == law && operations[i].map == MAP_SAME)
            return &operations[i];
    assert(!"an operation of each law");
    return NULL;
}

const struct operation *operation_usual(void)
{
    for (size_t i = 0; i < OPERATIONS; i++)
        if (strcmp(operations[i].name, usual) == 0)
            return &operations[i];
    assert(!"the usual operation");
    return NULL;
}

const struct combine_row *operation_law(const struct operation *op)
{
    return &operation_combines[op->combine];
}

char *operation_list(char out[OPERATION_NAMES_CHARS])
{
    return find_name_list(out, OPERATION_NAMES_CHARS, name_at);
}
