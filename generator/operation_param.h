/* operation_param: says which numbers a call gives an operation, its params, reads their values and turns them
 * into a kernel's arguments. A problem has the values (problem.params); no kernel and no record depends on
 * them. */
#ifndef AUTOTUNE_OPERATION_PARAM_H
#define AUTOTUNE_OPERATION_PARAM_H

#include "generator/problem.h"
#include "generator/text.h"

/* The params of the operation, in the order of its file; 0 where it has none, or no text yet. */
size_t operation_param_count(const struct operation *op);
const char *operation_param_name(const struct operation *op, size_t param);

/* The param of this name; ERROR_USAGE lists those that there are. */
int operation_find_param(size_t *out, const struct operation *op, const char *name,
                         struct error *error);

/* The type with the problem's accumulator: one of 32 or 64 bits. */
enum type problem_param_type(const struct problem *problem, size_t param);

/* The value as a word, as problem_params has it: the one given, else the file's, else 1, of which tune, verify
 * and bench make do. */
uint64_t problem_param(const struct problem *problem, size_t param);
/* The words of all. */
void problem_param_words(const struct problem *problem, uint64_t words[PROBLEM_PARAMS_MAX]);
/* The same as a kernel's argument: the bits of its type, the others 0. */
uint64_t problem_param_bits(const struct problem *problem, size_t param);

/* ERROR_USAGE where one has a value neither given nor in the file. */
int problem_check_params(const struct problem *problem, struct error *error);

/* Gives a value: a double, rounded to the type; an integer param takes whole numbers of its range. Or bits of
 * the type. */
int problem_give_number(struct problem *problem, size_t param, double value,
                        struct error *error);
void problem_give_bits(struct problem *problem, size_t param, uint64_t bits);

/* Gives the value that "NAME=NUMBER" says, in which a float may be inf or nan. */
int problem_give_text(struct problem *problem, const char *text, struct error *error);

/* Gives the other values that proofs draw: `set` 0 has ordinary ones, no two of which are the same, 1 special
 * ones: zeros, limits, infinities and NaN. No denormals, which order any may take for zeros. */
enum { PROBLEM_PARAM_SETS = 2 };
void problem_draw_params(struct problem *problem, int set);

/* Appends " delta=0.5", with the digits that give the value back; " delta=0.5 margin=1", all of them. */
void problem_add_param(struct text *out, const struct problem *problem, size_t param);
void problem_add_params(struct text *out, const struct problem *problem);

#endif
