/* shape: dims in the words that people use: one value, or a result for each row or column of a
 * matrix. */
#ifndef AUTOTUNE_SHAPE_H
#define AUTOTUNE_SHAPE_H

#include "generator/problem.h"

#define SHAPE_DEPTH_MAX (UINT64_C(1) << 31) /* elements of one result */

extern const char *const shape_names[SHAPE_COUNT]; /* "value", "rows", "columns" */

/* Gives `problem` these dims; a pitch of 0 becomes len. ERROR_USAGE says what is out of range. */
int shape_set(struct problem *problem, struct problem_shape shape, struct error *error);

/* Dims of a matrix, or of one value of `rows` * `len` elements; words for dims. */
struct dims shape_dims(struct problem_shape shape);

enum shape_kind shape_kind(const struct dims *dims);
struct problem_shape shape_of(const struct dims *dims);

/* Do both have the same shape? */
bool shape_is_same(const struct problem *a, const struct problem *b);

/* The bytes that must be moved: every element read, and, of a matrix, every result written. */
double shape_bytes(const struct problem *problem);

/* Other n: of a matrix other rows of the same length, which divides n. */
void shape_set_n(struct problem *problem, uint64_t n);

/* The space used where none is named. */
const char *shape_space(const struct problem *problem);

enum { SHAPE_CHARS = 112 };

/* "2Mi x 128 rows", " pitch 130" behind it where rows have gaps; without a shape n, "400M". */
char *shape_format(char out[SHAPE_CHARS], const struct problem *problem);

#endif
