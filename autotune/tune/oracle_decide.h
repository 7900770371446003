/* oracle_decide: the elements of an input that decide its result, laid over the hashed ones;
 * and the hash that both are made by. Private to oracle.c. */
#ifndef AUTOTUNE_ORACLE_DECIDE_H
#define AUTOTUNE_ORACLE_DECIDE_H

#include "autotune/tune/oracle.h"

/* What an f32 cannot hold, so that a kernel which narrows f64 shows. */
#define DECIDE_FINE (1.0 + 1.0 / (1 << 30))

/* The finaliser of splitmix64 (Steele, Lea and Flood, 2014). */
uint64_t decide_mix(uint64_t x);

/* min, max: what is added to each hashed value (two's complement). */
uint64_t decide_near_shift(const struct oracle_input *input);

/* Lays those of [first, first + count) over the plain elements at `out`. */
void decide_put(const struct oracle_input *input, uint64_t first, uint64_t count,
                unsigned char *out);

#endif
