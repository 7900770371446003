/* space_read: how a space file is read: its memory, its complaints, and the sections that stand
 * in files of their own. Private to space.c, space_params.c and space_passes.c. */
#ifndef AUTOTUNE_SPACE_READ_H
#define AUTOTUNE_SPACE_READ_H

#include "generator/ini.h"
#include "generator/space.h"

/* Everything a space points to: the file's strings and a chain of blocks, freed together. */
struct block {
    struct block *next;
};
struct space_memory {
    struct ini ini;
    struct block *blocks;
};

/* Zeroed memory that lives as long as the space; NULL when there is none. */
void *space_alloc(struct space *space, size_t bytes, struct error *error);

/* "FILE:LINE: what 'name'", ERROR_USAGE; returns -1. */
int space_complain(const struct space *space, const struct ini_item *item, struct error *error,
                   const char *what, const char *name);

/* The line of the header [kind name], or the file's last where that section is missing. */
int space_find_line(const struct space *space, const char *kind, const char *name);

/* Splits a value at spaces into words, in a copy owned by the space. */
int space_split_words(struct space *space, const char *value, char ***words, size_t *count,
                      struct error *error);

/* The item's value as an expression over all names known so far. */
int space_read_expr(struct space *space, struct expr **out, const struct ini_item *item,
                    struct error *error);
/* -1 when the expression needs the grid, which only some keys of a pass know. */
int space_refuse_blocks(const struct space *space, const struct expr *expr,
                        const struct ini_item *item, struct error *error);

/* space_params.c: the next slot for a name; the names every space has. */
int space_add_name(struct space *space, const char *name, int64_t constant,
                   const struct ini_item *item, size_t *slot, struct error *error);
void space_add_builtins(struct space *space);

/* space_params.c: [param ...], opened by its first item, then item by item. */
int space_add_param(struct space *space, const struct ini_item *first, struct param **out,
                    struct error *error);
int space_read_param(struct space *space, struct param *param, const struct ini_item *item,
                     struct error *error);
int space_check_params(const struct space *space, struct error *error);

/* space_passes.c: [pass ...], the same way. */
int space_add_pass(struct space *space, const struct ini_item *first, struct pass **out,
                   struct error *error);
int space_read_pass(struct space *space, struct pass *pass, const struct ini_item *item,
                    struct error *error);
/* A key with two possible values: sets `out` to whether it is the second. */
int space_read_choice(struct space *space, bool *out, const char *no, const char *yes,
                      const struct ini_item *item, struct error *error);
int space_check_passes(const struct space *space, struct error *error);

/* space_default.c: one value of [default]; when all are read, all of them for a first problem. */
int space_read_default(struct space *space, const struct ini_item *item, struct error *error);
int space_first_default(struct space *space, struct error *error);

#endif
