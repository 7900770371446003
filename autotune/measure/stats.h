/* stats: summarizes repeated measurements. Order statistics only: no assumption about the shape
 * of the noise. Times are picoseconds. */
#ifndef AUTOTUNE_STATS_H
#define AUTOTUNE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The median of `count` > 0 values (the mean of the middle two, rounded down); reorders
 * them. */
uint64_t stats_median(uint64_t *values, size_t count);

/* How far values scatter: half the distance of their 10 % and 90 % quantiles, over the median;
 * 0 for fewer than 10. Reorders them. */
double stats_spread(uint64_t *values, size_t count);

struct stats_interval {
    double middle, low, high;
    double confidence; /* the real coverage of low..high, <= the wanted where samples are few */
};

/* Distribution-free interval of the median from order statistics (binomial; David and Nagaraja,
 * Order Statistics, 3rd ed., section 7.1). Reorders the values. count > 0. */
struct stats_interval stats_median_interval(double *values, size_t count, double confidence);

/* The same for the paired ratios a[i] / b[i] of two candidates measured in the same rounds. */
struct stats_interval stats_ratio_interval(const uint64_t *a, const uint64_t *b, size_t count,
                                           double confidence);

/* P(X >= at_least), X binomial: `trials` of probability 0 < p < 1. */
double stats_binomial_tail(size_t trials, size_t at_least, double p);

#endif
