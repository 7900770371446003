/* oracle_further: says what the elements of further inputs are: each input has one endless pattern, of which a case
 * reads a part, from any place on. So a read at a wrong place gives another element, and nothing of it need
 * be kept. Private to the oracle; oracle.h has what fills memory. */
#ifndef AUTOTUNE_ORACLE_FURTHER_H
#define AUTOTUNE_ORACLE_FURTHER_H

#include "autotune/verify/element.h"
#include "autotune/verify/oracle.h"

enum { FURTHER_DRAWN = 2048 };

/* The elements of a further input's pattern: bits, and what they are in the accumulator, as words. */
struct further {
    enum type type;
    size_t usual_count; /* the first ones: their values are of usual size */
    uint64_t bits[FURTHER_DRAWN], words[FURTHER_DRAWN];
    uint64_t all_bits[FURTHER_DRAWN],
        all_words[FURTHER_DRAWN]; /* of any size, special ones among them */
};

/* An element of this type as a word of the accumulator's kind (operation_eval.h). */
uint64_t further_word(enum type type, enum type acc, uint64_t bits);

/* Draws what may be usual, all that may; the caller keeps those that are. */
void further_draw(struct further *out, enum type type, enum type acc);

/* Element `at` of the input that is number `input`. */
uint64_t further_bits_at(const struct further *further, size_t input, uint64_t at);
uint64_t further_word_at(const struct further *further, size_t input, uint64_t at);

#endif
