/* shape: the arithmetic of a problem's shape: how many results, of how many elements each, and
 * where they lie. A problem without a shape has one result of its n elements, and every question
 * here answers for that too. */
#ifndef AUTOTUNE_SHAPE_H
#define AUTOTUNE_SHAPE_H

#include "generator/problem.h"

#define SHAPE_DEPTH_MAX (UINT64_C(1) << 31) /* elements of one result */

extern const char *const shape_names[SHAPE_COUNT]; /* "value", "rows", "columns" */

/* Gives `problem` this shape and its n, rows * len; a pitch of 0 becomes len. ERROR_USAGE says
 * what is out of range. */
int shape_set(struct problem *problem, struct problem_shape shape, struct error *error);

/* Do both have the same shape? */
bool shape_is_same(const struct problem *a, const struct problem *b);

uint64_t shape_results(const struct problem *problem);
uint64_t shape_depth(const struct problem *problem); /* elements of a result */

/* Elements from the first to the last, gaps too. */
uint64_t shape_extent(const struct problem *problem);

/* What a caller counts: the rows of a matrix, else the elements. */
uint64_t shape_count(const struct problem *problem);

/* The problem of only the first `count` of them, which may be 0. */
struct problem shape_part(const struct problem *problem, uint64_t count);

/* From the first element to the i-th of a result. */
uint64_t shape_at(const struct problem *problem, uint64_t result, uint64_t i);

/* The bytes that must be moved: every element read, and, of a matrix, every result written. */
double shape_bytes(const struct problem *problem);

/* What is left after a pass that wrote `left` partial results: as many for each result, without
 * gaps. Without a shape: `left` elements. */
void shape_shrink(struct problem *problem, uint64_t left);

/* A matrix of another size but of this kind, for the proofs; no shape stays none. */
void shape_resize(struct problem *problem, uint64_t results, uint64_t depth, uint64_t gap);

/* Other n: of a matrix other rows of the same length, which divides n. */
void shape_set_n(struct problem *problem, uint64_t n);

/* The space used where none is named. */
const char *shape_space(const struct problem *problem);

enum { SHAPE_CHARS = 112 };

/* "2Mi x 128 rows", " pitch 130" behind it where rows have gaps; without a shape n, "400M". */
char *shape_format(char out[SHAPE_CHARS], const struct problem *problem);

#endif
