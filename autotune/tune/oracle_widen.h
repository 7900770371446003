/* oracle_widen: elements of every type, 256 at a time, as 64-bit words: integers extended by
 * their sign, floats as doubles. Private to oracle_fold.c. */
#ifndef AUTOTUNE_ORACLE_WIDEN_H
#define AUTOTUNE_ORACLE_WIDEN_H

#include "generator/problem.h"

#include <stdint.h>

enum { WIDEN_BLOCK = 256 };

union widened {
    uint64_t u64[WIDEN_BLOCK];
    int64_t i64[WIDEN_BLOCK];
    double f64[WIDEN_BLOCK];
};

typedef void widen_elements(union widened *out, const void *elements);

extern widen_elements *const widen_table[TYPE_COUNT];

#endif
