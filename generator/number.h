/* number: reads and writes sizes, counts and plain integers, the same in every locale. */
#ifndef AUTOTUNE_NUMBER_H
#define AUTOTUNE_NUMBER_H

#include "generator/error.h"

#include <stddef.h> /* size_t */
#include <stdint.h>

/* A count: decimal digits and at most one of the suffixes K M G T (powers of 1000) or
 * Ki Mi Gi Ti (powers of 1024), or an exponent of ten: "400M" and "4e8" are 400,000,000. No sign,
 * point or space; the error names the right form of what may be meant ("400m", "4KiB", "1.5M").
 * `what` names the value in the error, e.g. "--n". */
int number_parse_count(uint64_t *out, const char *string, const char *what,
                       struct error *error);

/* A range of counts "LOW..HIGH" (LOW <= HIGH), or one count (LOW = HIGH). */
int number_parse_range(uint64_t *low, uint64_t *high, const char *string, const char *what,
                       struct error *error);

/* A decimal integer with an optional '-', the whole string, within int64_t. */
int number_parse_int(int64_t *out, const char *string, const char *what, struct error *error);

enum { NUMBER_CHARS = 32 };

/* The shortest form of `count` that reads back the same: 400M, 64Ki, 100003. Returns `out`. */
char *number_format_count(char out[NUMBER_CHARS], uint64_t count);

/* `value` / 10^`digits` with that many decimals: (343370, 3) gives "343.370". Returns `out`. */
char *number_format_fixed(char out[NUMBER_CHARS], uint64_t value, int digits);

/* Reads the form of number_format_fixed, with `digits` decimals at most: "0.5" with 3 is 500.
 * No sign, suffix or exponent. */
int number_parse_fixed(uint64_t *out, const char *string, int digits, const char *what,
                       struct error *error);

/* Negative, 0 or positive, as qsort has it. */
int number_compare(uint64_t a, uint64_t b);

/* The first of several orders that is not 0: the most important comparison comes first. */
int number_decide(const int *orders, size_t count);

#endif
