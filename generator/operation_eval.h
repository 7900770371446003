/* operation_eval: evaluates an operation's functions on the host, for up to 256 elements or values at a time,
 * by the arithmetic that operation_write.h writes: f32 in f32, integers of their own width. */
#ifndef AUTOTUNE_OPERATION_EVAL_H
#define AUTOTUNE_OPERATION_EVAL_H

#include "generator/operation_file.h"

#include <stdint.h>

enum { OPERATION_LANES = 256 };

/* Numbers are given and taken as words of 8 bytes: an integer extended by its own sign, the double that a
 * float is exactly. A block has OPERATION_LANES words; a value with fields has a block for each,
 * one behind the other, operation_field_count of them. */
struct operation_eval;

/* An evaluator with one accumulator, with which the types are right. It is one thread's at a time. */
int operation_eval_open(struct operation_eval **out, const struct operation_text *text,
                        enum type acc, struct error *error);
/* From now on the params are these words, as many as the operation has; zeros before. */
void operation_eval_give(struct operation_eval *eval, const uint64_t *params);
void operation_eval_free(struct operation_eval *eval);

/* The values of `count` elements x, as the accumulator holds them, a block for each input, and of their indices i, which may be NULL
 * where map does not mention i. What is given may be what is taken. */
void operation_eval_map(struct operation_eval *eval, const uint64_t *x, const uint64_t *i,
                        uint64_t *values, size_t count);
void operation_eval_combine(struct operation_eval *eval, const uint64_t *a, const uint64_t *b,
                            uint64_t *values, size_t count);
void operation_eval_identity(struct operation_eval *eval, uint64_t *values, size_t count);
/* The results of values a, each of n elements. */
void operation_eval_finish(struct operation_eval *eval, const uint64_t *a, const uint64_t *n,
                           uint64_t *results, size_t count);

/* How many functions a part has whose results another machine may round otherwise, as exp: those of its
 * lets too. */
int operation_eval_inexact(const struct operation_eval *eval, enum operation_part part);

/* From now on the part's inexact function `which`, from 0, gives results that are off by as much as one machine
 * may be from another: greater ones for `sign` 1, less for -1, and for 0 its own again. */
void operation_eval_move(struct operation_eval *eval, enum operation_part part, int which,
                         int sign);

/* What is told of the results of a node that computes: their words; of a value with fields a field at a time. */
typedef void operation_eval_see(void *context, int node, int field, const uint64_t *words,
                                size_t count);

/* From now on `see` is called for each node that computes, in the order in which they are run; NULL: nobody is. */
void operation_eval_watch(struct operation_eval *eval, operation_eval_see *see, void *context);

#endif
