/* space_read: shares what the files space_*.c read a space file with: its memory, its errors,
 * and the sections that have files of their own. Private to them. */
#ifndef AUTOTUNE_SPACE_READ_H
#define AUTOTUNE_SPACE_READ_H

#include "generator/ini.h"
#include "generator/space.h"

enum { SPACE_FILES_MAX = 8, SPACE_FAULTS_MAX = 16 };

struct space_fault {
    char text[sizeof((struct error *)0)->text / 4]; /* "FILE:LINE: ..." */
    size_t file;                                    /* index among the files */
    int line;
};

/* Everything a space points to: the files' strings and a chain of blocks, freed together. */
struct block {
    struct block *next;
};
struct space_memory {
    /* The space's own, then each that the one before extends. */
    struct ini files[SPACE_FILES_MAX];
    size_t file_count;
    struct ini_item *items; /* of all files; items of a section are adjacent */
    size_t item_count;
    struct block *blocks;
    struct space_fault faults[SPACE_FAULTS_MAX]; /* by place, the first so many */
    size_t fault_count;
};

/* Zeroed memory that lives as long as the space; NULL when there is none. */
void *space_alloc(struct space *space, size_t bytes, struct error *error);

/* "FILE:LINE: what 'name'", ERROR_USAGE; returns -1. */
int space_complain(const struct ini_item *item, struct error *error, const char *what,
                   const char *name);

/* "FILE:LINE: ", then the text, ERROR_USAGE; returns -1. The line is that of the header
 * [kind name], or the file's last where that section is missing. */
__attribute__((format(printf, 5, 6))) int space_error(const struct space *space,
                                                      const char *kind, const char *name,
                                                      struct error *error, const char *format,
                                                      ...);

/* Goes on behind a fault, so that all are told in one go. `failed` 0: there is none, 0. A fault of the
 * file is kept, once, 0; another error is none, -1. Who found it leaves what later steps can read. */
int space_keep_fault(const struct space *space, int failed, const struct error *error);

/* ERROR_USAGE with all faults that were kept, by lines, a line each; 0 where there are none. */
int space_tell_faults(const struct space *space, struct error *error);

/* The items of the file and of those that it extends, into space->memory. */
int space_read_items(struct space *space, const char *file, const char *bytes, size_t length,
                     space_builtin_fn *builtin, struct error *error);
/* The item of a section, or NULL. */
const struct ini_item *space_find_item(const struct space *space, const char *section,
                                       const char *key);

/* Splits a value at spaces into words, in a copy owned by the space. */
int space_split_words(struct space *space, const char *value, char ***words, size_t *count,
                      struct error *error);

/* The item's value as an expression over all names known so far; 0 in place of one with a fault, which
 * is kept. */
int space_read_expr(struct space *space, struct expr **out, const struct ini_item *item,
                    struct error *error);
/* -1 when the expression needs the grid, which only some keys of a pass know. */
int space_refuse_blocks(const struct expr *expr, const struct ini_item *item,
                        struct error *error);

/* space_params.c: the next slot for a name, which also one with a fault has if there is room, as what
 * uses it is no fault of its own; the names every space has. */
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
int space_check_passes(const struct space *space, struct error *error);

/* space_serve.c: what the space serves, by the names of builtins alone. */
int space_read_serves(struct space *space, struct error *error);

/* space_default.c: one value of [default]; when all are read, all of them for a first problem. */
int space_read_default(struct space *space, const struct ini_item *item, struct error *error);
int space_first_default(struct space *space, struct error *error);

#endif
