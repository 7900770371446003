/* stats: computes medians and their intervals. Hides the binomial sums, which run from the
 * centre outwards so that no count of samples makes them underflow. */
#include "autotune/measure/stats.h"

#include "generator/number.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int compare_integers(const void *left, const void *right)
{
    return number_compare(*(const uint64_t *)left, *(const uint64_t *)right);
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

uint64_t stats_median(uint64_t *values, size_t count)
{
    assert(count > 0);
    qsort(values, count, sizeof *values, compare_integers);
    uint64_t low = values[(count - 1) / 2], high = values[count / 2];
    return low + (high - low) / 2; /* low + high may overflow */
}

double stats_spread(uint64_t *values, size_t count)
{
    if (count < 10)
        return 0;
    const uint64_t median = stats_median(values, count); /* sorts the values */
    const uint64_t low = values[count / 10], high = values[count - 1 - count / 10];
    return (double)(high - low) / 2 / (double)(median ? median : 1);
}

/* P(X = k) for k = floor(count / 2), X binomial with count trials of probability 1/2. */
static double central_probability(size_t count)
{
    size_t half = count / 2;
    double p = 1;
    for (size_t i = 1; i <= half; i++)
        p *= 1 - 0.5 / (double)i;
    if (count % 2)
        p *= (double)count / (double)(half + 1) / 2;
    return p;
}

/* The rank r (from 1) whose interval, value r .. value count + 1 - r of the sorted ones, is the
 * narrowest that covers the median with the wanted confidence; 1 when none does. The coverage
 * is P(r <= X <= count - r). */
static size_t interval_rank(size_t count, double wanted, double *confidence)
{
    size_t rank = (count + 1) / 2;
    double p = central_probability(count);
    double covered = count % 2 ? 0 : p;
    if (count % 2 == 0) /* from here on p belongs to rank - 1, the next to be added */
        p *= (double)rank / (double)(count - rank + 1);
    while (covered < wanted && rank > 1) {
        covered += 2 * p;
        rank--;
        p *= (double)rank / (double)(count - rank + 1);
    }
    *confidence = fmin(covered, 1);
    return rank;
}

struct stats_interval stats_median_interval(double *values, size_t count, double confidence)
{
    assert(count > 0);
    assert(0 < confidence && confidence < 1);
    struct stats_interval out;
    size_t rank = interval_rank(count, confidence, &out.confidence);

    qsort(values, count, sizeof *values, compare_doubles);
    double low = values[(count - 1) / 2], high = values[count / 2];
    out.middle = low + (high - low) / 2;
    out.low = values[rank - 1];
    out.high = values[count - rank];
    return out;
}

struct stats_interval stats_ratio_interval(const uint64_t *a, const uint64_t *b, size_t count,
                                           double confidence)
{
    assert(count > 0);
    double *ratios = calloc(count, sizeof *ratios);
    if (!ratios) /* without memory nothing is known of the ratio */
        return (struct stats_interval){.middle = 1, .low = 0, .high = INFINITY};
    for (size_t i = 0; i < count; i++)
        ratios[i] = (double)(a[i] ? a[i] : 1) / (double)(b[i] ? b[i] : 1);
    struct stats_interval out = stats_median_interval(ratios, count, confidence);
    free(ratios);
    return out;
}

/* log n! by Stirling's series: lgamma writes a global. */
static double log_factorial(size_t count)
{
    double sum = 0, x = (double)count + 1;
    for (; x < 10; x++) /* the series is good to 1e-13 from here on */
        sum -= log(x);
    return sum + (x - 0.5) * log(x) - x + 0.91893853320467274178 +
           (1 - (1 - 2 / (7 * x * x)) / (30 * x * x)) / (12 * x);
}

double stats_binomial_tail(size_t trials, size_t at_least, double p)
{
    assert(0 < p && p < 1);
    if (at_least == 0 || at_least > trials)
        return at_least == 0;
    if ((double)at_least <= (double)trials * p) /* from the mean outwards, or terms underflow */
        return 1 - stats_binomial_tail(trials, trials - at_least + 1, 1 - p);
    double term =
        exp(log_factorial(trials) - log_factorial(at_least) - log_factorial(trials - at_least) +
            (double)at_least * log(p) + (double)(trials - at_least) * log1p(-p));
    double sum = 0;
    for (size_t k = at_least; k <= trials && term > 0; k++) {
        sum += term;
        term *= (double)(trials - k) / (double)(k + 1) * p / (1 - p);
    }
    return fmin(sum, 1);
}
