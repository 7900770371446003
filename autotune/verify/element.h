/* element: reads and writes elements of an array, of any type, one at a time or 256 together.
 * Hides the formats of 16-bit floats. */
#ifndef AUTOTUNE_ELEMENT_H
#define AUTOTUNE_ELEMENT_H

#include "generator/problem.h"

#include <stdint.h>
#include <string.h>

/* The double that has these bits. */
static inline double element_double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

enum { ELEMENT_BLOCK = 256 };

/* 256 words of 8 bytes, or 256 of 4 in the first half. */
union element_block {
    uint64_t u64[ELEMENT_BLOCK];
    int64_t i64[ELEMENT_BLOCK];
    double f64[ELEMENT_BLOCK];
    uint32_t u32[2 * ELEMENT_BLOCK];
    float f32[2 * ELEMENT_BLOCK];
};

/* The value of a float, exactly. */
double element_load(enum type type, const void *elements, uint64_t index);

/* Rounds to nearest, ties to even, as IEEE 754 does: also to denormals, and past the largest
 * finite value to an infinity. A NaN becomes a quiet one. */
void element_store(enum type type, double value, void *elements, uint64_t index);

/* The same for `count` values, at most ELEMENT_BLOCK. */
void element_store_block(enum type type, const union element_block *block, uint64_t count,
                         void *elements);

/* The bits of an element of any type, low end first; storing takes a word's low bits. */
uint64_t element_load_word(enum type type, const void *elements, uint64_t index);
void element_store_word(enum type type, uint64_t word, void *elements, uint64_t index);

/* The least denormal, the least normal and the largest finite value of a float type. */
struct element_range {
    double tiny, small, largest;
};
struct element_range element_range(enum type type);

/* 256 elements as words of 8 bytes, exactly: integers extended by their sign, floats as
 * doubles. */
void element_widen(enum type type, union element_block *out, const void *elements);

/* 256 elements from words of 4 bytes, of 8 for a type of 8 bytes: their low bits, or a float
 * that the type holds exactly. Gives `out`, or `made` where its words are the elements. */
const void *element_narrow(enum type type, union element_block *out,
                           const union element_block *made);

#endif
