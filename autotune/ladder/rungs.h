/* rungs: reads the list of the ladder from an INI file: the classic reductions in groups, in
 * the order in which documents build them up. Each rung is a space with its params. */
#ifndef AUTOTUNE_RUNGS_H
#define AUTOTUNE_RUNGS_H

#include "generator/error.h"
#include "generator/ini_field.h"

#include <stdbool.h>
#include <stddef.h>

enum { RUNGS_MAX = 64, RUNGS_GROUPS_MAX = 16 };

/* The rungs of one document. */
struct rungs_group {
    const char *name, *title; /* "harris"; its document and what that measured */
    struct ini_lines notes;   /* below its table */
    size_t first, count;      /* its rungs */
};

struct rung {
    const char *name;         /* "harris-1" */
    const char *kernel;       /* as in the document: "1 interleaved, divergent" */
    const char *space;        /* name of its space */
    const char *params;       /* "BLOCK=128": over the space's default */
    const char *historical;   /* params of the document's form, wrong today; NULL = same */
    struct ini_lines differs; /* how and why it differs from the document's kernel */
    size_t group;
};

struct rungs {
    const char *threads; /* the param that is the size of a block */
    const char *items;   /* the param that is elements per thread, in spaces that have one; NULL
                          * = none has */
    struct ini_lines differs; /* how all differ from the documents */
    struct rungs_group groups[RUNGS_GROUPS_MAX];
    struct rung rungs[RUNGS_MAX];
    size_t group_count, count;
    struct ini ini; /* holds the strings */
};

/* `file` names the bytes in errors. Anything unknown, missing, repeated or too long is
 * ERROR_USAGE with FILE:LINE. Dispose of it after a success only. */
int rungs_load(struct rungs *out, const char *file, const char *bytes, size_t length,
               struct error *error);
void rungs_dispose(struct rungs *rungs);

/* Sets is_chosen[i] for the rung of this name, or for all of the group of this name.
 * ERROR_USAGE when there is neither, with a name that is like it. */
int rungs_choose(const struct rungs *rungs, const char *name, bool is_chosen[RUNGS_MAX],
                 struct error *error);

#endif
