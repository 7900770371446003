/* is_turn: tells what is tried by turns, another part every day, as is_turn of tests/command/helpers does:
 * what takes too long for every run is tried within a few days, and all of it with EVERY=1. */
#ifndef AUTOTUNE_TEST_IS_TURN_H
#define AUTOTUNE_TEST_IS_TURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

/* Is it the k-th day of so many, from 0? The day is $DAY, or today's number. */
static inline bool is_turn(size_t k, size_t days)
{
    const char *day = getenv("DAY");
    const size_t number = day ? strtoul(day, NULL, 10) : (size_t)time(NULL) / 86400;
    return getenv("EVERY") || number % days == k % days;
}

#endif
