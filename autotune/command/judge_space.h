/* judge_space: makes a space of a kernel's signature, as the command line gives it: one config, whose pass
 * is launched as these expressions say. */
#ifndef AUTOTUNE_JUDGE_SPACE_H
#define AUTOTUNE_JUDGE_SPACE_H

#include "generator/point.h"
#include "generator/text.h"

/* Expressions know n, results and depth, and all names that a space knows. NULL: not given. */
struct judge_signature {
    const char *args;            /* "input n output" */
    const char *grid, *block;    /* blocks; threads of a block */
    const char *shared;          /* bytes of a block's dynamic shared memory */
    const char *scratch, *state; /* bytes */
    const char
        *outputs;   /* values that a launch writes, where these are combined by more launches */
    bool is_zeroed; /* results are zeros before */
};

/* Appends the space's text. Its blocks take `tile` elements at a time; 0: as many as they have threads. ERROR_USAGE
 * where an expression or an arg is none. */
int judge_space_write(struct text *out, const struct judge_signature *signature,
                      const char *kernel, uint64_t tile, struct error *error);

/* The words of --args. */
size_t judge_space_count_args(const char *given);

/* How many elements a block takes at a time, as the grid says: up to so many there is one block. 0: not to be
 * told. */
uint64_t judge_space_tile(const struct point_context *context);

/* The number that an expression has for every n, as bytes of shared memory. ERROR_USAGE where it depends on n. */
int judge_space_constant(uint64_t *out, const char *expression, const char *option,
                         struct error *error);

#endif
