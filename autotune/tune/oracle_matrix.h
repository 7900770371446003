/* oracle_matrix: exact inputs of rows and columns, and all their results. What decides a result
 * stands at another place in each, and results next to each other differ, so that a result of the
 * wrong row shows like an element lost. */
#ifndef AUTOTUNE_ORACLE_MATRIX_H
#define AUTOTUNE_ORACLE_MATRIX_H

#include "autotune/tune/oracle.h"

/* Fills rows [first, first + count) of the matrix at `elements`, and the gap behind each but the
 * last of all with loud values. Of `input` its mark is where the first result's deciding element
 * stands; the period plays no part. Then matrix_decide, for all rows if it is for columns. */
void matrix_fill(const struct oracle_input *input, uint64_t first, uint64_t count,
                 void *elements);

/* Puts what decides the results [first, first + count) into `elements` and folds them: to
 * `expects` one after the other, each of the result type's bytes, the first at its beginning.
 * `largest` grows to the largest partial magnitude. As oracle_fold_finish where not exact. */
int matrix_decide(const struct oracle_input *input, uint64_t first, uint64_t count,
                  void *elements, void *expects, double *largest, struct error *error);

/* The same cases as oracle_make_cases, for a problem with a shape: numbers of results and of
 * elements around what a block takes at a time, starts, and gaps between rows. */
int matrix_make_cases(struct oracle_cases *out, const struct problem *problem,
                      const struct oracle_shape *shape, uint64_t seed, struct error *error);

/* Random elements (oracle_fill_random), those of each result drawn anew; there are no gaps. */
void matrix_fill_random(const struct oracle_input *input, void *elements);

/* The references of all results of random elements (oracle_reference_add) of such
 * a matrix. */
void matrix_reference(struct oracle_reference *out, const struct problem *problem,
                      const void *elements);

#endif
