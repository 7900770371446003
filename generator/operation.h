/* operation: describes what is combined: its laws, by which templates, spaces and proofs know it, and what
 * only a reader needs. The one table of laws and the one list of operations. */
#ifndef AUTOTUNE_OPERATION_H
#define AUTOTUNE_OPERATION_H

#include "generator/error.h"

#include <stdbool.h>
#include <stddef.h>

/* What an operation's combine is, whatever text says it. */
enum combine_law {
    COMBINE_ADD,
    COMBINE_MULTIPLY,
    COMBINE_LEAST,
    COMBINE_GREATEST,
    COMBINE_AND,
    COMBINE_OR,
    COMBINE_XOR,
    COMBINE_FIRST_LEAST,
    COMBINE_FIRST_GREATEST,
    COMBINE_OTHER, /* any other text */
    COMBINE_LAWS
};

/* What is combined of an element. */
enum map_law {
    MAP_SAME,   /* itself */
    MAP_SQUARE, /* its product with itself */
    MAP_MAPPED, /* any other text */
    MAP_LAWS
};

/* How an operation combines, as far as its cost goes. A float's product takes what its sum does; an
 * integer's has no instruction that combines a warp, and no atomic. */
enum combining { ADDING, SELECTING, MULTIPLYING, LOCATING, COMBININGS };

struct combine_row {
    const char *symbol; /* as in expressions: "ADD" */
    bool is_bitwise;    /* integer types only */
    bool rounds;        /* floats: the order of combining changes the result */
    int seeks;          /* -1 the least element, 1 the greatest, 0 neither */
    bool is_position;   /* the result is an element's position, a u64, not its value */
    enum combining combining;
    const char *space; /* the space used where none is named: "reduce" */
};

extern const struct combine_row operation_combines[COMBINE_LAWS];
extern const char *const operation_maps[MAP_LAWS]; /* "SAME": as in expressions */

/* There is one of each operation in a process: pointers say whether two are the same. Nobody owns it, and
 * it is never changed. */
struct operation {
    const char *name; /* "sum" */
    enum combine_law combine;
    enum map_law map;
    const char *scale; /* what the error of floats is relative to: "sum|x|" */
    int place;         /* in the order in which operations are listed */
};

/* The operations that come with the program: the i-th, those of one law side by side; NULL past the
 * last. */
const struct operation *operation_at(size_t i);
size_t operation_count(void);

/* Finds one by its name; an unknown name is ERROR_USAGE, names a near one and lists all. */
int operation_find(const struct operation **out, const char *name, struct error *error);

/* The one that combines by this law and takes elements as they are: what combines partial results. */
const struct operation *operation_plain(enum combine_law law);

/* The operation used where none is named. */
const struct operation *operation_usual(void);

const struct combine_row *operation_law(const struct operation *op);

enum { OPERATION_NAMES_CHARS = 400 };

/* All names, separated by blanks. */
char *operation_list(char out[OPERATION_NAMES_CHARS]);

#endif
