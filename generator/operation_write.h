/* operation_write: writes an operation's functions as text that is C11 and CUDA C++ at once and means in
 * both what operation_eval.h evaluates: signed integers wrap around through unsigned ones, no product of
 * floats is fused with a sum, and what C leaves undefined is a part of templates/operation.cu. */
#ifndef AUTOTUNE_OPERATION_WRITE_H
#define AUTOTUNE_OPERATION_WRITE_H

#include "generator/operation_file.h"
#include "generator/text.h"

/* Appends the lines of a function's body, indented by four: a line "const TYPE NAME_ = ...;" for each let
 * that it mentions, and "return ...;". The text mentions x (of the type acc) and i, a and b, nothing, or
 * a and n (i and n are unsigned long long), as the language has it; fields and lets have an underscore
 * behind their names, so that none is a word of C or a part's name. A value with fields is an `accum`,
 * made by make_accum(...). */
void operation_write(struct text *out, const struct operation_text *text,
                     enum operation_part part, enum type acc);

/* Appends the type `accum` of a value with fields, and make_accum. */
void operation_write_struct(struct text *out, const struct operation_text *text, enum type acc);

/* A type of 32 or 64 bits as kernels write it: "unsigned long long". */
const char *operation_c_type(enum type type);

#endif
