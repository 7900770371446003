//? if COMBINE == ADD && MAP == SQUARE
/* A result is the sum of the squares of its elements; of no elements 0. */
//? elif COMBINE == ADD
/* A result is the sum of its elements; of no elements 0. */
//? elif COMBINE == MULTIPLY
/* A result is the product of its elements; of no elements 1. */
//? elif COMBINE == LEAST && IS_FLOAT
/* A result is the least of its elements: NaN where there is one, and -0 is less than +0 (the minimum of
 * IEEE 754-2019); of no elements +infinity. */
//? elif COMBINE == GREATEST && IS_FLOAT
/* A result is the greatest of its elements: NaN where there is one, and +0 is greater than -0 (the maximum
 * of IEEE 754-2019); of no elements -infinity. */
//? elif COMBINE == LEAST
/* A result is the least of its elements; of no elements the largest value of the type. */
//? elif COMBINE == GREATEST
/* A result is the greatest of its elements; of no elements the least value of the type. */
//? elif COMBINE == AND
/* A result has the bits that all its elements have; of no elements all bits. */
//? elif COMBINE == OR
/* A result has the bits that any of its elements has; of no elements none. */
//? elif COMBINE == XOR
/* A result has the bits that an odd number of its elements have; of no elements none. */
//? elif COMBINE == FIRST_LEAST && IS_FLOAT
/* A result is the position, counted from 0, of the first of the least elements. -0 equals +0, and a NaN comes
 * before all numbers. Of no elements it is 2^64 - 1. */
//? elif COMBINE == FIRST_LEAST
/* A result is the position, counted from 0, of the first of the least elements; of no elements 2^64 - 1. */
//? elif IS_FLOAT
/* A result is the position, counted from 0, of the first of the greatest elements. -0 equals +0, and a NaN comes
 * before all numbers. Of no elements it is 2^64 - 1. */
//? else
/* A result is the position, counted from 0, of the first of the greatest elements; of no elements 2^64 - 1. */
//? end
