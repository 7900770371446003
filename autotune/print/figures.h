/* figures: computes figures from a time and formats them for people: microseconds, GB/s,
 * percent of the theoretical bandwidth, sizes. */
#ifndef AUTOTUNE_FIGURES_H
#define AUTOTUNE_FIGURES_H

#include "generator/number.h"
#include "generator/problem.h"

#include <stdint.h>

/* Bytes that a reduction must read. */
double figures_bytes(const struct problem *problem);

/* 10^9 bytes read per second, for a time per reduction in picoseconds; 0 for no time. */
double figures_gbs(const struct problem *problem, uint64_t ps);

/* GB/s in percent of `peak` bytes per second; negative where the peak is unknown (0). */
double figures_peak_percent(const struct problem *problem, uint64_t ps, uint64_t peak);

/* Half the interval low..high in percent of the median. */
double figures_spread_percent(uint64_t median_ps, uint64_t low_ps, uint64_t high_ps);

/* Picoseconds as microseconds: (343371234) gives "343.37". Returns `out`. */
char *figures_us(char out[NUMBER_CHARS], uint64_t ps);

/* `digits` significant digits (1 to 6), no exponent: with 4 of them 4636, 56.31, 5.631, 0.056.
 * Returns `out`. */
char *figures_short(char out[NUMBER_CHARS], double value, int digits);

/* A bound with three digits, rounded so that it stays one: up where nothing is more (`is_most`),
 * else down: 898, 99.8, 1783. Returns `out`. */
char *figures_bound(char out[NUMBER_CHARS], double bound, bool is_most);

/* GB/s with one decimal, below 10 with three significant digits: 4636.2, 56.3, 5.63, 0.0563.
 * Returns `out`. */
char *figures_speed(char out[NUMBER_CHARS], double gbs);

/* Bytes in powers of 1000, three digits at most: "80 kB", "1.6 GB". Returns `out`. */
char *figures_size(char out[NUMBER_CHARS], double bytes);

#endif
