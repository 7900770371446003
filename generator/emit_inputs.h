/* emit_inputs: writes which further inputs a kernel has: the types of their elements, and its arguments. How they are
 * read stands in templates/types.cu (further_load), for any number of them. */
#ifndef AUTOTUNE_EMIT_INPUTS_H
#define AUTOTUNE_EMIT_INPUTS_H

#include "generator/problem.h"
#include "generator/text.h"

/* Appends the parts elem2, elem3, ... */
void emit_inputs(struct text *out, const struct problem *problem);

/* What a call gives of them: members of given_params; a kernel's arguments, each behind a comma; and these
 * arguments as values of the members. */
void emit_inputs_members(struct text *out, const struct problem *problem);
void emit_inputs_args(struct text *out, const struct problem *problem);
void emit_inputs_values(struct text *out, const struct problem *problem);

/* The C type of an element, as kernels have it. */
const char *emit_inputs_type(enum type type);

#endif
