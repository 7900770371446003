/* axis: computes where a value lies on a chart, and which values get a tick. */
#ifndef AUTOTUNE_AXIS_H
#define AUTOTUNE_AXIS_H

#include "generator/number.h"

#include <stdbool.h>
#include <stddef.h>

enum { AXIS_TICKS_MAX = 24 };

struct axis {
    bool is_log;
    double low, high; /* the values at its ends; low < high */
    double from, to;  /* their places on the chart; the caller sets them */
    double ticks[AXIS_TICKS_MAX];
    size_t tick_count;
};

/* A logarithmic axis of least..most (both above 0; widened to a doubling at least). Ticks are
 * at powers of two within it, a whole number of doublings apart, at most `count` of them (1 ..
 * AXIS_TICKS_MAX). */
void axis_fit_log(struct axis *out, double least, double most, size_t count);

/* The same axis with ticks at powers of ten, a whole number of decades apart; where there is
 * room also at 2 and 5 times these. For data of 1K, 2K, 4K ..., and for times. */
void axis_fit_decades(struct axis *out, double least, double most, size_t count);

/* A linear axis that holds least..most. Ticks are at multiples of 1, 2 or 5 times a power of
 * ten, at most `count` of them (3 .. AXIS_TICKS_MAX); the ends are ticks. */
void axis_fit_linear(struct axis *out, double least, double most, size_t count);

/* The place of a value; a value beyond the ends is placed at the end. */
double axis_place(const struct axis *axis, double value);

/* The label of a tick: 4Ki, 1500, 0.75. Returns `out`. */
char *axis_label(char out[NUMBER_CHARS], const struct axis *axis, double tick);

#endif
