/* operation_input: says which arrays a call gives an operation, of which types they are, and how each lies beside
 * the first. Inputs are counted from 0, which is the one that the problem's type and dims are of; those from 1 on
 * are further ones. */
#ifndef AUTOTUNE_OPERATION_INPUT_H
#define AUTOTUNE_OPERATION_INPUT_H

#include "generator/problem.h"
#include "generator/text.h"

/* The inputs of the operation, in the order of its file; 1 where it names none, or has no text yet. */
size_t operation_input_count(const struct operation *op);
const char *operation_input_name(const struct operation *op,
                                 size_t input); /* "x" of the first, if unnamed */

/* Does the file say the type? Else it is that of the problem. */
bool operation_input_has_type(const struct operation *op, size_t input, enum type *out);

/* The same of a problem, with its types. */
size_t problem_inputs(const struct problem *problem);
enum type problem_input_type(const struct problem *problem, size_t input);

/* Where the elements of an input lie: counts are the problem's, strides its own. */
struct dims problem_input_dims(const struct problem *problem, size_t input);

/* The elements of an input that are read, each once. */
uint64_t problem_input_n(const struct problem *problem, size_t input);
uint64_t problem_input_extent(const struct problem *problem, size_t input); /* with gaps */

/* The accumulator where none is named: that of the first input's type, or where it does not hold the others
 * exactly, the least that holds all. */
enum type problem_usual_acc(const struct operation *op, enum type type);

/* ERROR_USAGE where a type is not the file's, or the accumulator does not hold an input's elements exactly. */
int problem_check_inputs(const struct problem *problem, struct error *error);

/* A kernel's further arguments of a further input: its address, then these strides, in this order. */
extern const char *const problem_stride_names[INPUT_STRIDES]; /* "outer_stride" */
void problem_input_strides(const struct dims *dims, uint64_t out[INPUT_STRIDES]);

/* How an input lies, from "y=result". ERROR_USAGE lists what can be said. */
int problem_give_lie(struct problem *problem, const char *text, struct error *error);

/* Appends " y=result" for an input that does not lie as the first; and for each of them. */
void problem_add_lie(struct text *out, const struct problem *problem, size_t input);
void problem_add_lies(struct text *out, const struct problem *problem);

#endif
