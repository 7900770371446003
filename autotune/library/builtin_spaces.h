/* builtin_spaces: opens the spaces and templates that are built into the library, when first
 * asked for, and keeps them. Calls take turns: the caller holds a lock. */
#ifndef AUTOTUNE_BUILTIN_SPACES_H
#define AUTOTUNE_BUILTIN_SPACES_H

#include "generator/emit.h"
#include "generator/problem.h"
#include "generator/space.h"

/* The files of a built-in space: FOLDER/NAME.ini, its template, types and intrinsics. What is
 * missing is missing in this build: ERROR_FAILED names it. */
struct builtin_files {
    struct space *space; /* space_free it, after a failure too */
    struct emit_file file;
    struct emit_sources sources;
};
int builtin_files_open(struct builtin_files *out, const char *folder, const char *name,
                       struct error *error);
/* Types and intrinsics, which serve all templates. */
int builtin_files_common(struct emit_sources *out, struct error *error);

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
