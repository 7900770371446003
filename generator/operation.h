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
 * integer's has no instruction that combines a warp, and no atomic. JOINING: by the operation's own text. */
enum combining { ADDING, SELECTING, MULTIPLYING, LOCATING, JOINING, COMBININGS };

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

struct operation_text;

/* There is one of each operation in a process, whatever names it has: pointers say whether two are the same.
 * It lives as long as the process, or the library in it, and keeps its names; an operation that a record names by its hash alone
 * gets the rest when its file is read. */
struct operation {
    const char *name; /* "sum" */
    const char *key;  /* as records name it: the name, and of one that does not come with the
                       * program "NAME@HASH", 32 digits of its text's hash */
    const char *word; /* in names of files and functions: "sum", "NAME_HASH" with 8 digits */
    enum combine_law combine;
    const char *scale;                 /* what the error of floats is relative to: "sum|x|" */
    const struct operation_text *text; /* NULL: a record's, whose file nobody has named yet */
    const char *file;                  /* where it was read, as it was named */
    const char *source;                /* all of that file, zero-terminated */
    bool is_own;                       /* does not come with the program */
    int place;                         /* in the order in which operations are listed */
};

/* Reads the operations that come with the program; -1 where memory is short. All that follows does so by
 * itself, and knows none where that fails: a program begins with this. */
int operation_open(struct error *error);

/* Frees all operations: for a library that is unloaded, when nobody has one any more. */
void operation_close(void);

/* The operations that come with the program: the i-th, NULL past the last; what the elements are combined
 * as they are comes first, by law. */
const struct operation *operation_at(size_t i);
size_t operation_count(void);

/* Finds one of these by its name; an unknown name is ERROR_USAGE, names a near one and lists all. */
int operation_find(const struct operation **out, const char *name, struct error *error);

/* The operation of a file's bytes, which are copied. The text decides: where one that is known says the
 * same, it is that, whatever its name. ERROR_USAGE: FILE:LINE:COLUMN and what is wrong; or its name
 * is that of another that comes with the program. */
int operation_load(const struct operation **out, const char *file, const char *bytes,
                   size_t length, struct error *error);

/* An operation's shadow (operation_shadow.h) for types that have this number, where one was kept; else NULL. */
const struct operation *operation_kept_shadow(const struct operation *op, int types);
void operation_keep_shadow(const struct operation *op, int types,
                           const struct operation *shadow);

/* The operation that records name so; one whose text was not read yet has none. ERROR_USAGE: no key. */
int operation_find_key(const struct operation **out, const char *key, struct error *error);

/* The one that combines by this law and takes elements as they are: what combines partial results. NULL of
 * COMBINE_OTHER. */
const struct operation *operation_plain(enum combine_law law);

/* The operation used where none is named. */
const struct operation *operation_usual(void);

/* In which order two are listed: ours first, then others by their keys. */
int operation_compare(const struct operation *a, const struct operation *b);

const struct combine_row *operation_law(const struct operation *op);

/* What --op takes for it: its name, or its file. */
const char *operation_option(const struct operation *op);

enum { OPERATION_NAMES_CHARS = 400 };

/* All names, separated by blanks. */
char *operation_list(char out[OPERATION_NAMES_CHARS]);

#endif
