/* emit_inputs: writes how a kernel reads its further inputs as parts that templates mention: where a thread's
 * elements begin, what one load brings, and one element of it. Templates need not know how many there are. */
#ifndef AUTOTUNE_EMIT_INPUTS_H
#define AUTOTUNE_EMIT_INPUTS_H

#include "generator/problem.h"
#include "generator/text.h"

/* Appends the parts further_places, find_further, further_load and load_further, which mention `given`. */
void emit_inputs(struct text *out, const struct problem *problem);

/* What a call gives of them: members of given_params; a kernel's arguments, each behind a comma; and these
 * arguments as values of the members. */
void emit_inputs_members(struct text *out, const struct problem *problem);
void emit_inputs_args(struct text *out, const struct problem *problem);
void emit_inputs_values(struct text *out, const struct problem *problem);

/* The C type of an element, as kernels have it. */
const char *emit_inputs_type(enum type type);

#endif
