/* operation_word: a double and the 64 bits that it is, as texts of operations are evaluated and params are kept. */
#ifndef AUTOTUNE_OPERATION_WORD_H
#define AUTOTUNE_OPERATION_WORD_H

#include <stdint.h>
#include <string.h>

static inline uint64_t word_of_double(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline double double_of_word(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

#endif
