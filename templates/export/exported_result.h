//? if OP == SUM
/* A result is the sum of its elements; of no elements 0. */
//? elif OP == SUMSQ
/* A result is the sum of the squares of its elements; of no elements 0. */
//? elif OP == PROD
/* A result is the product of its elements; of no elements 1. */
//? elif OP == MIN && IS_FLOAT
/* A result is the least of its elements: NaN where there is one, and -0 is less than +0 (the minimum of
 * IEEE 754-2019); of no elements +infinity. */
//? elif OP == MAX && IS_FLOAT
/* A result is the greatest of its elements: NaN where there is one, and +0 is greater than -0 (the maximum
 * of IEEE 754-2019); of no elements -infinity. */
//? elif OP == MIN
/* A result is the least of its elements; of no elements the largest value of the type. */
//? elif OP == MAX
/* A result is the greatest of its elements; of no elements the least value of the type. */
//? elif OP == AND
/* A result has the bits that all its elements have; of no elements all bits. */
//? elif OP == OR
/* A result has the bits that any of its elements has; of no elements none. */
//? elif OP == XOR
/* A result has the bits that an odd number of its elements have; of no elements none. */
//? elif OP == ARGMIN && IS_FLOAT
/* A result is the position, counted from 0, of the first of the least elements. -0 equals +0, and a NaN comes
 * before all numbers. Of no elements it is 2^64 - 1. */
//? elif OP == ARGMIN
/* A result is the position, counted from 0, of the first of the least elements; of no elements 2^64 - 1. */
//? elif IS_FLOAT
/* A result is the position, counted from 0, of the first of the greatest elements. -0 equals +0, and a NaN comes
 * before all numbers. Of no elements it is 2^64 - 1. */
//? else
/* A result is the position, counted from 0, of the first of the greatest elements; of no elements 2^64 - 1. */
//? end
