/* builtin_spaces: opens the spaces and templates that are built into the library, when first
 * asked for, and keeps them. Calls take turns: the caller holds a lock. */
#ifndef AUTOTUNE_BUILTIN_SPACES_H
#define AUTOTUNE_BUILTIN_SPACES_H

#include "generator/emit.h"
#include "generator/problem.h"
#include "generator/space.h"

/* A space with the sources of its kernels. */
struct builtin_spaces {
    const char *name; /* "reduce" */
    struct space *space;
    struct emit_sources sources;
    struct builtin_spaces *next;
};

/* The space of this name (the string must outlive it) from the list `*builtins`; one that is not
 * there yet is opened and added. It lives until builtin_spaces_free. */
int builtin_spaces_find(struct builtin_spaces **builtins, const char *name,
                        const struct builtin_spaces **out, struct error *error);
void builtin_spaces_free(struct builtin_spaces *builtins);

#endif
