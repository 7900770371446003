/* operation_file: reads an operation's file: what is made of an element, how two values are
 * combined, and what the result is. It is parsed once; operation_type.h checks it for an
 * accumulator, operation_write.h writes it as C and CUDA C++, operation_eval.h evaluates it, and
 * operation_law.h says which laws it follows. The language: docs/operations.md. */
#ifndef AUTOTUNE_OPERATION_FILE_H
#define AUTOTUNE_OPERATION_FILE_H

#include "generator/error.h"
#include "generator/operation.h"
#include "generator/problem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OPERATION_NAME_MAX = 31,                   /* bytes of a name */
    OPERATION_FILE_MAX = 32 << 10,             /* bytes of a file */
    OPERATION_FIELDS_MAX = 8,                  /* fields of a value */
    OPERATION_VALUE_BYTES_MAX = 32,            /* bytes of a value */
    OPERATION_LETS_MAX = 32,                   /* named intermediate values */
    OPERATION_PARAMS_MAX = PROBLEM_PARAMS_MAX, /* numbers that a call gives */
    OPERATION_INPUTS_MAX = PROBLEM_INPUTS_MAX, /* arrays that a call gives */
    OPERATION_DEPTH_MAX = 100,                 /* operators within operators */
};

/* The functions that an operation has. */
enum operation_part {
    OPERATION_MAP, /* of x, an element, and those of further inputs, and i, the index within the result:
                         * a value */
    OPERATION_COMBINE,  /* of a and b, two values: a value */
    OPERATION_IDENTITY, /* of nothing: the value that changes nothing */
    OPERATION_FINISH,   /* of a, the last value, and n, the elements combined: the result */
    OPERATION_PARTS
};

/* What these functions are given. */
enum operation_name {
    OPERATION_X,
    OPERATION_I,
    OPERATION_A,
    OPERATION_B,
    OPERATION_N,
    OPERATION_INPUT_2, /* the further inputs, in the order of the file */
    OPERATION_INPUT_3,
    OPERATION_INPUT_4,
    OPERATION_NAMES
};

struct operation_text;

/* Parses `length` bytes of a file; `file` names it in errors, and the operation where it has no key
 * `name`. Every refusal is ERROR_USAGE, "FILE:LINE:COLUMN: what, and what to do" (what is no INI at
 * all has no column). Types are checked for every accumulator, but faults of types are kept for
 * operation_check_types: what is right for floats may be wrong for integers. */
int operation_read(struct operation_text **out, const char *file, const char *bytes,
                   size_t length, struct error *error);
void operation_free(struct operation_text *text);

const char *operation_text_name(const struct operation_text *text);
/* One line, for a list. */
const char *operation_meaning(const struct operation_text *text);
/* What the error of floats is relative to: "sum|x|"; NULL where the file says nothing. */
const char *operation_scale(const struct operation_text *text);
/* The factor that the file declares for the error of floats; 0 where it says nothing. */
double operation_tolerance(const struct operation_text *text);
/* Is combine associative only, so that neighbours must be combined in order? */
bool operation_keeps_order(const struct operation_text *text);

/* Does the function mention this name, in the end: through lets, too? So a map that does not mention i
 * needs no index. */
bool operation_mentions(const struct operation_text *text, enum operation_part part,
                        enum operation_name name);

#endif
