/* element: single elements of an array, of any type. Hides the formats of 16-bit floats. */
#ifndef AUTOTUNE_ELEMENT_H
#define AUTOTUNE_ELEMENT_H

#include "generator/problem.h"

#include <stdint.h>

/* The value of a float, exactly. */
double element_load(enum type type, const void *elements, uint64_t index);

/* Rounds to nearest, ties to even, as IEEE 754 does: also to denormals, and past the largest
 * finite value to an infinity. A NaN becomes a quiet one. */
void element_store(enum type type, double value, void *elements, uint64_t index);

/* The bits of an element of any type, low end first; storing takes a word's low bits. */
uint64_t element_load_word(enum type type, const void *elements, uint64_t index);
void element_store_word(enum type type, uint64_t word, void *elements, uint64_t index);

/* The least denormal, the least normal and the largest finite value of a float type. */
struct element_range {
    double tiny, small, largest;
};
struct element_range element_range(enum type type);

#endif
