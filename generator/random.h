/* random: draws numbers that are the same everywhere for the same seed, for shuffles and samples. */
#ifndef AUTOTUNE_RANDOM_H
#define AUTOTUNE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The next of 2^64 numbers; `state` begins as the seed (splitmix64). */
uint64_t random_next(uint64_t *state);

/* Shuffles `count` numbers in place; every order is as likely. */
void random_shuffle(size_t *order, size_t count, uint64_t *state);

#endif
